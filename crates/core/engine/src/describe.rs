//! Descriptions of tables for lists that users read.

use crate::catalog::{FolderCatalog, OpenTable};
use crate::native::Scope;
use arrow_schema::{DataType, Field, IntervalUnit, SchemaRef};
use mainstay_columnar::Table;
use mainstay_columnar::values::{OFFSET, TICKS};
use mainstay_planner::{ColumnClause, CreateTable, CreateView, Name, Relation, Steps};
use mainstay_store::definition::{DECLARED_TYPE, SQL_TYPE};
use mainstay_types::{Code, Error, Result, SqlType};
use mainstay_xbase::table::{CHAR_COLUMN, DbfTable};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// A table of the database.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// Its name in SQL.
    pub name: String,
    /// Its file, or folder of files.
    pub path: PathBuf,
    /// The kind of file in words: `Visual FoxPro`, `CSV`, `Parquet`.
    pub kind: String,
    /// Rows that are there, where that is known without reading everything.
    pub rows: Option<u64>,
    /// Records that are deleted, for tables that keep them.
    pub deleted: Option<u64>,
    /// The length of the files in bytes.
    pub bytes: u64,
    /// The code page of its text, for tables that have one.
    pub code_page: Option<String>,
    /// Its columns.
    pub columns: Vec<ColumnInfo>,
    /// The tags of its indexes.
    pub indexes: Vec<IndexInfo>,
    /// Notes for the user: damage found when the table was opened, tags that cannot be used.
    pub notes: Vec<String>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct ColumnInfo {
    /// Its name as the file has it.
    pub name: String,
    /// Its type in SQL: `DECIMAL(8,2)`.
    pub sql_type: String,
    /// Its type in the words of the file: `N(8,2)`.
    pub native_type: String,
    /// True if it can be NULL.
    pub nullable: bool,
}

/// A tag of an index.
#[derive(Clone, Debug)]
pub struct IndexInfo {
    /// Its name.
    pub name: String,
    /// The index file.
    pub file: PathBuf,
    /// The key expression.
    pub key: String,
    /// The FOR condition.
    pub condition: Option<String>,
    /// Has each key once: of a tag that [`IndexInfo::refuses_equal_keys`] does not hold for, it lists only the first record.
    pub unique: bool,
    /// Refuses a second row with a key that is there.
    pub refuses_equal_keys: bool,
    /// From the greatest key down.
    pub descending: bool,
    /// Why statements do not use it, if they do not.
    pub unusable: Option<String>,
}

/// A table for the list of all: one that cannot be read has only its name, file and the reason.
///
/// Errors: that of cancellation.
pub(crate) fn listed(catalog: &FolderCatalog, name: &str) -> Result<Option<TableInfo>> {
    match described(catalog, name) {
        Ok(info) => Ok(info),
        Err(error) if matches!(error.code(), Code::Cancelled | Code::Timeout) => Err(error),
        Err(error) => Ok(Some(TableInfo {
            name: name.to_owned(),
            path: PathBuf::new(),
            kind: "cannot be read".to_owned(),
            rows: None,
            deleted: None,
            bytes: 0,
            code_page: None,
            columns: Vec::new(),
            indexes: Vec::new(),
            notes: vec![error.to_string()],
        })),
    }
}

/// The full description of a table; `None` for an unknown name.
pub(crate) fn described(catalog: &FolderCatalog, name: &str) -> Result<Option<TableInfo>> {
    if let Some(info) = native_info(catalog, name)? {
        return Ok(Some(info));
    }
    let Some((file, open)) = catalog.table(name)? else { return Ok(None) };
    let info = TableInfo {
        name: name.to_owned(),
        path: file.path,
        kind: String::new(),
        rows: None,
        deleted: None,
        bytes: 0,
        code_page: None,
        columns: columns(&open.relation()),
        indexes: Vec::new(),
        notes: Vec::new(),
    };
    Ok(Some(match open {
        OpenTable::Dbf(table) => dbf_info(info, &table)?,
        OpenTable::Csv(table) => {
            let rows = table.snapshot()?.visible_rows()? as u64;
            let notes = table.findings().iter().map(ToString::to_string).collect();
            TableInfo { kind: "CSV".to_owned(), rows: Some(rows), bytes: table.bytes(), notes, ..info }
        }
        OpenTable::Parquet(files) => {
            TableInfo { kind: "Parquet".to_owned(), rows: files.rows(), bytes: files.bytes(), ..info }
        }
    }))
}

/// The structural index of a DBF that its header promises and that is not there.
pub(crate) fn missing_index(catalog: &FolderCatalog, name: &str) -> Result<Option<String>> {
    Ok(match catalog.table(name)? {
        Some((_, OpenTable::Dbf(table))) => table.missing_index().map(|finding| finding.text()),
        _ => None,
    })
}

/// How a CSV file is read: what was detected of it, and what its settings say.
pub(crate) fn csv_reading(catalog: &FolderCatalog, name: &str) -> Result<Option<String>> {
    Ok(match catalog.table(name)? {
        Some((_, OpenTable::Csv(table))) => Some(table.reading()),
        _ => None,
    })
}

fn dbf_info(info: TableInfo, table: &DbfTable) -> Result<TableInfo> {
    let (rows, deleted) = table.row_counts()?;
    let mut columns = info.columns;
    for (column, field) in columns.iter_mut().zip(table.fields()) {
        let letter = field.adt.map_or_else(|| char::from(field.letter).to_string(), |kind| kind.name().to_owned());
        column.native_type = match field.decimals {
            0 => format!("{letter}({})", field.length),
            decimals => format!("{letter}({},{decimals})", field.length),
        };
        column.nullable = field.null_bit.is_some() || field.kind.blank_is_null();
    }
    let indexes: Vec<IndexInfo> = table
        .indexes()
        .into_iter()
        .map(|index| IndexInfo {
            name: index.name,
            file: index.file,
            key: index.key,
            condition: index.condition,
            unique: index.unique || index.refuses_equal_keys,
            refuses_equal_keys: index.refuses_equal_keys,
            descending: index.descending,
            unusable: index.unusable,
        })
        .collect();
    let notes = table.findings().iter().map(ToString::to_string).collect();
    Ok(TableInfo {
        kind: table.kind(),
        rows: Some(rows),
        deleted: Some(deleted),
        bytes: table.bytes(),
        code_page: Some(table.code_page().name().to_owned()),
        columns,
        indexes,
        notes,
        ..info
    })
}

/// A native table or a view.
fn native_info(catalog: &FolderCatalog, name: &str) -> Result<Option<TableInfo>> {
    native_info_in(catalog, catalog.native.committed(), name)
}

/// A native table or a view, as `scope` has them.
pub(crate) fn native_info_in(catalog: &FolderCatalog, scope: Scope, name: &str) -> Result<Option<TableInfo>> {
    let Some(relation) = scope.relation(name)? else { return Ok(None) };
    let info = TableInfo {
        name: name.to_owned(),
        path: PathBuf::new(),
        kind: "view".to_owned(),
        rows: None,
        deleted: None,
        bytes: 0,
        code_page: None,
        columns: columns(&relation),
        indexes: Vec::new(),
        notes: Vec::new(),
    };
    let Some(definition) = scope.definition(name) else {
        let query = format!("SELECT * FROM {}", Name::new(name).quoted());
        let planned = catalog.plan(&query, scope)?;
        let columns = planned.schema().fields().iter().map(|field| column(field)).collect();
        return Ok(Some(TableInfo { columns, ..info }));
    };
    let table = scope.table(definition.id)?;
    let index = |index: &Arc<mainstay_store::table::TableIndex>| {
        let index = index.definition();
        let part = |part: &mainstay_store::IndexColumn| {
            let name = definition.columns.get(part.column).map_or("", |column| column.name.as_str());
            if part.descending { format!("{name} DESC") } else { name.to_owned() }
        };
        let parts: Vec<String> = index.columns.iter().map(part).collect();
        IndexInfo {
            name: index.name.clone(),
            file: PathBuf::new(),
            key: parts.join(", "),
            condition: None,
            unique: index.unique,
            refuses_equal_keys: index.unique,
            descending: false,
            unusable: None,
        }
    };
    Ok(Some(TableInfo {
        kind: if scope.is_temporary(name) { "temporary" } else { "native" }.to_owned(),
        rows: Some(table.reader(table.current_view()).count() as u64),
        bytes: table.bytes() as u64,
        indexes: table.indexes().iter().map(index).collect(),
        ..info
    }))
}

fn column(field: &Field) -> ColumnInfo {
    ColumnInfo {
        name: field.name().clone(),
        sql_type: sql_type(field),
        native_type: sql_type(field),
        nullable: field.is_nullable(),
    }
}

fn columns(relation: &Relation) -> Vec<ColumnInfo> {
    match relation {
        Relation::Table(table) => {
            let fields = table.schema().fields();
            fields[..fields.len() - table.hidden_columns()].iter().map(|field| column(field)).collect()
        }
        Relation::Foreign(table) => {
            mainstay_planner::original_schema(table.as_ref()).fields().iter().map(|field| column(field)).collect()
        }
        // Only its query knows.
        Relation::View { .. } => Vec::new(),
    }
}

/// The type of a column as SQL writes it.
pub(crate) fn sql_type(field: &Field) -> String {
    if let Some(declared) = field.metadata().get(SQL_TYPE) {
        return declared.clone();
    }
    match field.data_type() {
        DataType::Utf8View | DataType::Utf8 | DataType::LargeUtf8 => match field.metadata().get(CHAR_COLUMN) {
            Some(length) => format!("CHAR({length})"),
            None => "VARCHAR".to_owned(),
        },
        &TICKS => SqlType::Timestamp { digits: 7 }.to_string(),
        &OFFSET => "TIMESTAMP WITH TIME ZONE".to_owned(),
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) | DataType::Decimal128(p, s) => {
            format!("DECIMAL({p},{s})")
        }
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Int8 | DataType::UInt8 => "TINYINT".to_owned(),
        DataType::Int16 | DataType::UInt16 => "SMALLINT".to_owned(),
        DataType::Int32 | DataType::UInt32 => "INTEGER".to_owned(),
        DataType::Int64 | DataType::UInt64 => "BIGINT".to_owned(),
        DataType::Float32 => "REAL".to_owned(),
        DataType::Float64 => "DOUBLE".to_owned(),
        DataType::Date32 | DataType::Date64 => "DATE".to_owned(),
        DataType::Time32(_) | DataType::Time64(_) => "TIME".to_owned(),
        DataType::Timestamp(_, None) => "TIMESTAMP".to_owned(),
        DataType::Timestamp(_, Some(_)) => "TIMESTAMP WITH TIME ZONE".to_owned(),
        DataType::Binary | DataType::BinaryView | DataType::LargeBinary => "VARBINARY".to_owned(),
        other => other.to_string().to_uppercase(),
    }
}

/// CREATE TABLE AS: the table with the columns of a query, whose names the statement may replace.
pub(crate) fn table_of_query(create: &CreateTable, schema: &SchemaRef) -> Result<CreateTable> {
    check_names(&create.column_names, schema.fields().len())?;
    let column = |(place, field): (usize, &Arc<Field>)| {
        Ok(ColumnClause {
            name: create.column_names.get(place).cloned().unwrap_or_else(|| Name::new(field.name())),
            sql_type: column_type(field)?,
            declared: field.metadata().get(DECLARED_TYPE).cloned(),
            not_null: false,
            default: None,
            identity: None,
            identity_steps: Steps::default(),
            computed: None,
            constraints: Vec::new(),
        })
    };
    let columns: Result<Vec<ColumnClause>> = schema.fields().iter().enumerate().map(column).collect();
    Ok(CreateTable { columns: columns?, query: None, ..create.clone() })
}

/// Sees that each column of a view has a name of its own.
///
/// Errors: `DuplicateColumn`, `Syntax` for more names than columns.
pub(crate) fn check_view_columns(create: &CreateView, schema: &SchemaRef) -> Result<()> {
    check_names(&create.columns, schema.fields().len())?;
    let given = create.columns.iter().map(|name| name.key.clone());
    let of_query = schema.fields().iter().skip(create.columns.len()).map(|field| field.name().to_lowercase());
    let mut seen = HashSet::new();
    match given.chain(of_query).find(|name| !seen.insert(name.clone())) {
        None => Ok(()),
        Some(name) => {
            let message = format!("the view {} would have two columns {name}", create.name);
            Err(Error::new(Code::DuplicateColumn, message).hint("give one of them another name with AS"))
        }
    }
}

/// Sees that no more columns are named than a query gives.
fn check_names(names: &[Name], columns: usize) -> Result<()> {
    match names.len() > columns {
        true => Err(Error::new(Code::Syntax, format!("{} names are given for {columns} columns", names.len()))),
        false => Ok(()),
    }
}

/// The type of a native column that holds what a query gives.
fn column_type(field: &Field) -> Result<SqlType> {
    Ok(match field.data_type() {
        DataType::Boolean => SqlType::Boolean,
        DataType::Int8 => SqlType::TinyInt,
        DataType::Int16 | DataType::UInt8 => SqlType::SmallInt,
        DataType::Int32 | DataType::UInt16 => SqlType::Integer,
        DataType::Int64 | DataType::UInt32 => SqlType::BigInt,
        DataType::UInt64 => SqlType::Decimal { precision: 20, scale: 0 },
        &TICKS => SqlType::Timestamp { digits: 7 },
        &OFFSET => SqlType::TimestampWithOffset { digits: 7 },
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale) => {
            SqlType::Decimal { precision: *precision, scale: u8::try_from(*scale).unwrap_or_default() }
        }
        DataType::Float32 => SqlType::Real,
        DataType::Float64 => SqlType::Double,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => SqlType::TEXT,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => SqlType::VarBinary { length: None },
        DataType::FixedSizeBinary(16) => SqlType::Uuid,
        DataType::Date32 => SqlType::Date,
        DataType::Time32(_) | DataType::Time64(_) => SqlType::Time { digits: 7 },
        DataType::Timestamp(_, None) => SqlType::Timestamp { digits: 6 },
        DataType::Timestamp(_, Some(_)) => SqlType::TimestampWithOffset { digits: 6 },
        DataType::Interval(IntervalUnit::YearMonth) => SqlType::IntervalYearMonth,
        DataType::Interval(_) => SqlType::IntervalDayTime,
        other => {
            let message = format!("the column {} has a type that a table cannot hold: {other}", field.name());
            return Err(Error::new(Code::Unsupported, message));
        }
    })
}
