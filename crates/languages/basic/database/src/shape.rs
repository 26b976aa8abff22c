//! [`Shape`]: a table as a file with keys.
//!
//! ```text
//!   table                     KNO=0                        further key numbers
//!   DBF                       record numbers               its tags, in the order of the index files
//!   native, primary key       the primary key              its other indexes
//!   any other                 the number of the row        none
//! ```

use crate::text::Kind;
use mainstay_basic_files::field_list::variable_name;
use mainstay_basic_files::key::{KeySegment, SegmentField};
use mainstay_basic_files::{
    FileDefinition, FileError, FileErrorKind, FileKind, KeyDefinition, KeyDefinitions, RecordFormat, Result,
};
use mainstay_engine::{IndexInfo, Session, TableInfo, xbase_condition, xbase_expression};
use std::path::PathBuf;

/// The most bytes of a record.
const RECORD_BYTES: u32 = 1 << 20;
/// Digits of a record number in keys.
const NUMBER_WIDTH: u32 = 10;
/// Bytes of a key's text without a length of its own.
const TEXT_WIDTH: u32 = 255;

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Quoted.
    pub(crate) sql: String,
    name: String,
    pub(crate) kind: Kind,
    pub(crate) sql_type: String,
    pub(crate) nullable: bool,
}

/// A part of an order.
#[derive(Clone, Debug)]
pub(crate) struct KeyPart {
    pub(crate) sql: String,
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
    pub(crate) descending: bool,
    /// Bytes of it in a key.
    pub(crate) width: u32,
    /// The number of the field that it is, from 1.
    pub(crate) field: Option<u32>,
}

/// An order of the rows: `KNO=`.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    name: Option<String>,
    /// The parts that programs know; then come those that identify the row.
    pub(crate) known: usize,
    pub(crate) parts: Vec<KeyPart>,
    /// The condition of the rows that are in this order.
    pub(crate) condition: Option<String>,
}

/// The ways to identify a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The number of a DBF record.
    Record,
    /// The primary key.
    Key,
    /// The place in the answer to a query of the whole table.
    Row,
}

/// A table as a file. See the module.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The table, quoted.
    pub(crate) table: String,
    /// The table's name.
    pub(crate) name: String,
    /// The relation that queries read.
    pub(crate) source: String,
    pub(crate) path: Option<PathBuf>,
    pub(crate) columns: Vec<Column>,
    pub(crate) identity: Identity,
    pub(crate) orders: Vec<Sequence>,
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn quoted_path(name: &str) -> String {
    name.split('.').map(quoted).collect::<Vec<_>>().join(".")
}

impl Shape {
    /// The shape of a table.
    ///
    /// Errors: those of asking for the types of its columns.
    pub(crate) fn of(session: &mut Session, info: &TableInfo) -> Result<Shape> {
        let is_native = info.path.as_os_str().is_empty();
        let is_dbf = info.code_page.is_some() && !is_native;
        // A dot in the name of a table of the folder is part of it; before a native table it ends the schema.
        let table = if is_native { quoted_path(&info.name) } else { quoted(&info.name) };
        let columns = columns(session, &table, info)?;
        let mut shape = Shape {
            source: table.clone(),
            table,
            name: info.name.clone(),
            path: (!is_native).then(|| info.path.clone()),
            columns,
            identity: Identity::Row,
            orders: Vec::new(),
        };
        let primary = info.indexes.first().filter(|index| is_native && index.unique);
        let primary = primary.and_then(|index| shape.parts_of(index));
        if let Some(parts) = primary.filter(|parts| parts.iter().all(|part| !part.nullable)) {
            shape.identity = Identity::Key;
            shape.orders.push(Sequence { name: None, known: parts.len(), parts, condition: None });
        } else {
            shape.identity = if is_dbf { Identity::Record } else { Identity::Row };
            let sql = if is_dbf { "_recno" } else { "\"_row\"" };
            if !is_dbf {
                shape.source = format!("(SELECT *, row_number() OVER () AS \"_row\" FROM {}) AS t", shape.table);
            }
            let part = part(sql.to_owned(), Kind::Integer, NUMBER_WIDTH);
            shape.orders.push(Sequence { name: None, known: 1, parts: vec![part], condition: None });
        }
        for index in &info.indexes {
            shape.add_order(session, info, index, is_dbf)?;
        }
        Ok(shape)
    }

    fn add_order(&mut self, session: &mut Session, info: &TableInfo, index: &IndexInfo, is_dbf: bool) -> Result<()> {
        if self.identity == Identity::Row || (self.identity == Identity::Key && index.name == info.indexes[0].name) {
            return Ok(());
        }
        let parts = match is_dbf {
            true => self.tag(session, info, index),
            false => self.parts_of(index),
        };
        // An index whose expression is not known to SQL is no order of the channel.
        let Some(parts) = parts else { return Ok(()) };
        let condition = match (&index.condition, is_dbf) {
            (Some(text), true) => match xbase_condition(info, text) {
                Ok(condition) => Some(condition),
                Err(_) => return Ok(()),
            },
            _ => None,
        };
        let known = parts.len();
        let all = parts.into_iter().chain(self.orders[0].parts.iter().cloned()).collect();
        self.orders.push(Sequence { name: Some(index.name.clone()), known, parts: all, condition });
        Ok(())
    }

    /// The parts of a native index.
    fn parts_of(&self, index: &IndexInfo) -> Option<Vec<KeyPart>> {
        let part = |text: &str| {
            let (name, descending) = text.strip_suffix(" DESC").map_or((text, false), |name| (name, true));
            let at = self.columns.iter().position(|column| column.name == name)?;
            Some(KeyPart { descending, ..self.part_of(at) })
        };
        index.key.split(", ").map(part).collect()
    }

    fn part_of(&self, at: usize) -> KeyPart {
        let column = &self.columns[at];
        KeyPart {
            nullable: column.nullable,
            field: u32::try_from(at + 1).ok(),
            ..part(column.sql.clone(), column.kind, width(column.kind, &column.sql_type))
        }
    }

    /// The part of a tag; `None` for one that SQL has nothing like.
    fn tag(&self, session: &mut Session, info: &TableInfo, index: &IndexInfo) -> Option<Vec<KeyPart>> {
        let field = self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(index.key.trim()));
        if let Some(at) = field {
            return Some(vec![KeyPart { descending: index.descending, nullable: true, ..self.part_of(at) }]);
        }
        let sql = xbase_expression(info, &index.key).ok()?;
        let answer = session.execute(&format!("SELECT {sql} FROM {} LIMIT 0", self.table)).ok()?;
        let kind = Kind::of(answer.schema().fields().first()?.data_type());
        let part = part(format!("({sql})"), kind, width(kind, ""));
        Some(vec![KeyPart { descending: index.descending, nullable: true, ..part }])
    }

    /// The parts that identify a row.
    pub(crate) fn identifying(&self) -> &[KeyPart] {
        &self.orders[0].parts
    }

    /// True if rows can be written.
    pub(crate) fn is_writable(&self) -> bool {
        self.identity != Identity::Row
    }

    /// An order by its number.
    ///
    /// Errors: 80.
    pub(crate) fn order(&self, number: usize) -> Result<&Sequence> {
        self.orders.get(number).ok_or_else(|| {
            FileError::new(FileErrorKind::KeyDefinition, format!("the table has no key with the number {number}"))
        })
    }

    /// The definition that KEYED would have given the file.
    pub(crate) fn definition(&self) -> FileDefinition {
        let keys = self.orders.iter().map(|order| {
            let segment = |part: &KeyPart| {
                let field = part.field.map_or(SegmentField::External, SegmentField::Field);
                let mut segment = KeySegment::new(field, 1, part.width);
                segment.attributes.is_descending = part.descending;
                segment
            };
            let segments = order.parts[..order.known].iter().map(segment).collect();
            KeyDefinition { name: order.name.clone(), segments }
        });
        let keys = KeyDefinitions::new(keys.collect());
        let mut definition = FileDefinition::new(FileKind::Keyed, keys, RecordFormat::Variable(RECORD_BYTES));
        let mut names: Vec<String> = Vec::new();
        for column in &self.columns {
            let is_text = !matches!(column.kind, Kind::Integer | Kind::Decimal | Kind::Float | Kind::Boolean);
            let mut name = variable_name(&column.name, is_text);
            if names.contains(&name) {
                name = variable_name(&format!("{}_{}", column.name, names.len() + 1), is_text);
            }
            names.push(name);
        }
        definition.layout = Some(format!("IOLIST {}", names.join(",")));
        definition
    }
}

fn part(sql: String, kind: Kind, width: u32) -> KeyPart {
    KeyPart { sql, kind, nullable: false, descending: false, width, field: None }
}

/// Bytes of a value in a key.
fn width(kind: Kind, sql_type: &str) -> u32 {
    match kind {
        Kind::Text | Kind::Binary => {
            let length = sql_type.split_once('(').and_then(|(_, rest)| rest.trim_end_matches(')').parse().ok());
            length.unwrap_or(TEXT_WIDTH).min(TEXT_WIDTH)
        }
        Kind::Date => 8,
        Kind::Boolean => 1,
        _ => 20,
    }
}

fn columns(session: &mut Session, table: &str, info: &TableInfo) -> Result<Vec<Column>> {
    let answer = session.execute(&format!("SELECT * FROM {table} LIMIT 0"))?;
    let fields = answer.schema().fields().iter().zip(&info.columns);
    let column = |(field, column): (&std::sync::Arc<arrow_schema::Field>, &mainstay_engine::ColumnInfo)| Column {
        sql: quoted(&field.name().to_lowercase()),
        name: column.name.clone(),
        kind: Kind::of(field.data_type()),
        sql_type: column.sql_type.clone(),
        nullable: column.nullable,
    };
    Ok(fields.map(column).collect())
}
