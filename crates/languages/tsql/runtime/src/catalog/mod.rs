//! The catalog as SQL Server shows it: objects with numbers, wherever they are stored.
//!
//! ```text
//!   definitions of the core     tables, views, sequences, keys, checks      \
//!   files of the folder         tables                                       >  Catalog  -->  sys.*, OBJECT_ID, sp_help
//!   modules                     procedures, functions, triggers, types      /
//! ```
//!
//! A [`Catalog`] is built on demand, and reused until one of its sources has changed.
//!
//! **Numbers of objects** are the same in every session and after every start: an object with a number in the core's
//! catalog keeps it when it is renamed; the number of every other object is derived from its name. Temporary tables
//! have negative ones.

mod build;
mod declared;
mod filter;
mod functions;
mod properties;
mod text;

pub(crate) use build::kept_id;
pub(crate) use build::{Made, parameters, system_types};
pub(crate) use declared::{DeclaredType, key_of_column, read as declared};
pub(crate) use functions::is_database;

use crate::objects::modules::key_of;
use crate::plans::operators::TableName;
use mainstay_engine::definitions::{ReferentialAction, SequenceDefinition};
use mainstay_tsql_syntax::tree::{ObjectName, Statement};
use mainstay_tsql_types::{DataType, Switches};
use mainstay_types::{Collation, Timestamp};
use std::collections::HashMap;
use std::sync::Arc;

/// The collation of the database.
pub(crate) const COLLATION: &str = "SQL_Latin1_General_CP1_CI_AS";

/// The name of the collation of a column of this type: the database's own, or one of the column's code page.
pub(crate) fn collation_name(data_type: DataType) -> Option<&'static str> {
    data_type.is_text().then(|| mainstay_tsql_types::collation::name_of(data_type.code_page().unwrap_or_default()))
}

/// The number of the schema `dbo`.
pub(crate) const DBO: i64 = 1;

/// Everything that exists for a session.
#[derive(Debug)]
pub(crate) struct Catalog {
    /// The session's name of its database.
    pub(crate) database: String,
    /// Since when the server runs: what stands for the dates of objects.
    pub(crate) started: Timestamp,
    /// True if triggers of the database fire themselves.
    pub(crate) recursive_triggers: bool,
    /// Schemas with their numbers.
    pub(crate) schemas: Vec<(i64, String)>,
    /// Objects by their names, schema first.
    pub(crate) objects: Vec<Object>,
    by_id: HashMap<i64, usize>,
    by_key: HashMap<String, usize>,
}

/// An object.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) id: i64,
    pub(crate) schema: i64,
    pub(crate) name: String,
    /// `type` of `sys.objects`, without blanks.
    pub(crate) kind: &'static str,
    /// The object it belongs to, or 0.
    pub(crate) parent: i64,
    /// True if it is a temporary table of the session.
    pub(crate) is_temporary: bool,
    /// True if the system generated its name.
    pub(crate) is_system_named: bool,
    /// Of modules: the text.
    pub(crate) text: Option<Arc<str>>,
    /// Of modules and types: the parsed text.
    pub(crate) statement: Option<Arc<Statement>>,
    /// Of modules: the options that it was made under.
    pub(crate) made_under: Switches,
    /// Of tables, views, table types and functions of rows.
    pub(crate) columns: Vec<Column>,
    /// Of tables.
    pub(crate) indexes: Vec<Index>,
    /// Of constraints, sequences and types.
    pub(crate) detail: Detail,
}

/// Properties that only constraints, sequences and types have.
#[derive(Debug)]
pub(crate) enum Detail {
    /// Nothing.
    None,
    /// A key: the number of its index.
    Key(i64),
    /// A check, in SQL Server's form.
    Check(String),
    /// A default: its column and its expression.
    Default(i64, String),
    /// A reference.
    Foreign(ForeignKey),
    /// A sequence.
    Sequence(SequenceDefinition),
    /// A type: its number among the types.
    Type(i64),
}

/// A column, or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// From 1.
    pub(crate) id: i64,
    pub(crate) data_type: DataType,
    /// The type's name in the column's definition, if it is not the type's own.
    pub(crate) declared: Option<DeclaredType>,
    /// The collation of its texts, where it states one.
    pub(crate) compares: Option<Collation>,
    pub(crate) nullable: bool,
    /// Seed and increment.
    pub(crate) identity: Option<(i64, i64)>,
    /// The expression of a computed one, in SQL Server's form.
    pub(crate) computed: Option<String>,
    /// The number of its default, or 0.
    pub(crate) default: i64,
}

impl Column {
    /// The name of its collation: of those that compare as it does, and have its code page, the first.
    pub(crate) fn collation_name(&self) -> Option<String> {
        let name = collation_name(self.data_type)?;
        Some(match self.compares {
            Some(Collation::Binary) => name.trim_start_matches("SQL_").replace("_CP1_", "_").replace("_CI_AS", "_BIN2"),
            Some(Collation::CaseSensitive) => name.replace("_CI_AS", "_CS_AS"),
            Some(Collation::CaseAccentInsensitive) => name.replace("_CI_AS", "_CI_AI"),
            _ => name.to_owned(),
        })
    }
}

/// An index.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// 0 for the rows themselves, 1 for a clustered one, others from 2 on.
    pub(crate) id: i64,
    pub(crate) name: Option<String>,
    pub(crate) unique: bool,
    pub(crate) primary: bool,
    /// True if it keeps a UNIQUE constraint.
    pub(crate) constraint: bool,
    /// The numbers of its columns, and whether they go down.
    pub(crate) columns: Vec<(i64, bool)>,
    /// True if INSERTs skip existing keys.
    pub(crate) ignores_duplicates: bool,
    /// The condition of a filtered index, as SQL Server shows it: `([Status]='A')`.
    pub(crate) filter: Option<String>,
}

impl Index {
    /// The rows of a table by themselves.
    pub(crate) fn heap() -> Index {
        Index {
            id: 0,
            name: None,
            unique: false,
            primary: false,
            constraint: false,
            columns: Vec::new(),
            ignores_duplicates: false,
            filter: None,
        }
    }

    /// A tag of a file as an index. Its columns are those that the key expression names, in their order; it is unique if it
    /// refuses a second row with a key that is there.
    pub(crate) fn of_tag(tag: &mainstay_engine::IndexInfo, id: i64, columns: &[mainstay_engine::ColumnInfo]) -> Index {
        let words = tag.key.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let column = |word: &str| columns.iter().position(|column| column.name.eq_ignore_ascii_case(word));
        let mut named: Vec<(i64, bool)> = Vec::new();
        for place in words.filter_map(column) {
            let part = (place as i64 + 1, tag.descending);
            if !named.contains(&part) {
                named.push(part);
            }
        }
        Index {
            id,
            name: Some(tag.name.clone()),
            unique: tag.refuses_equal_keys,
            primary: false,
            constraint: false,
            columns: named,
            ignores_duplicates: false,
            filter: tag.condition.clone(),
        }
    }

    /// HEAP, CLUSTERED or NONCLUSTERED, with the number of the kind.
    pub(crate) fn kind(&self) -> (i64, &'static str) {
        match self.id {
            0 => (0, "HEAP"),
            1 => (1, "CLUSTERED"),
            _ => (2, "NONCLUSTERED"),
        }
    }
}

/// A reference to a key.
#[derive(Clone, Debug)]
pub(crate) struct ForeignKey {
    /// Numbers of columns.
    pub(crate) columns: Vec<i64>,
    /// The table that is referred to.
    pub(crate) referenced: i64,
    pub(crate) referenced_columns: Vec<i64>,
    /// The index of that table which has these columns.
    pub(crate) key_index: i64,
    pub(crate) on_delete: ReferentialAction,
    pub(crate) on_update: ReferentialAction,
}

/// The number and the words of an action, as `sys.foreign_keys` has them.
pub(crate) fn action(action: ReferentialAction) -> (i64, &'static str) {
    match action {
        ReferentialAction::NoAction | ReferentialAction::Restrict => (0, "NO_ACTION"),
        ReferentialAction::Cascade => (1, "CASCADE"),
        ReferentialAction::SetNull => (2, "SET_NULL"),
        ReferentialAction::SetDefault => (3, "SET_DEFAULT"),
    }
}

impl Object {
    /// `type_desc` of `sys.objects`.
    pub(crate) fn description(&self) -> &'static str {
        match self.kind {
            "U" => "USER_TABLE",
            "V" => "VIEW",
            "P" => "SQL_STORED_PROCEDURE",
            "FN" => "SQL_SCALAR_FUNCTION",
            "IF" => "SQL_INLINE_TABLE_VALUED_FUNCTION",
            "TF" => "SQL_TABLE_VALUED_FUNCTION",
            "TR" => "SQL_TRIGGER",
            "PK" => "PRIMARY_KEY_CONSTRAINT",
            "UQ" => "UNIQUE_CONSTRAINT",
            "F" => "FOREIGN_KEY_CONSTRAINT",
            "C" => "CHECK_CONSTRAINT",
            "D" => "DEFAULT_CONSTRAINT",
            "SO" => "SEQUENCE_OBJECT",
            "SN" => "SYNONYM",
            "TT" => "TYPE_TABLE",
            _ => "INTERNAL_TABLE",
        }
    }

    /// The expression of a default.
    pub(crate) fn default_text(&self) -> Option<&str> {
        match &self.detail {
            Detail::Default(_, text) => Some(text),
            _ => None,
        }
    }

    /// Returns true if rows can be selected from it.
    pub(crate) fn is_relation(&self) -> bool {
        matches!(self.kind, "U" | "V")
    }

    /// Its column of this name.
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// The name of a column of this number.
    pub(crate) fn column_name(&self, id: i64) -> &str {
        self.columns.iter().find(|column| column.id == id).map_or("", |column| &column.name)
    }

    /// The key that rows are known by.
    pub(crate) fn primary_key(&self) -> Option<&Index> {
        self.indexes.iter().find(|index| index.primary)
    }
}

impl Catalog {
    /// The object of a number.
    pub(crate) fn by_id(&self, id: i64) -> Option<&Object> {
        self.by_id.get(&id).map(|place| &self.objects[*place])
    }

    /// The object of a name of up to three parts. Without a schema it is one of `dbo`.
    pub(crate) fn find(&self, name: &ObjectName) -> Option<&Object> {
        let last = name.last();
        let key = match last.starts_with('#') {
            true => last.to_lowercase(),
            false => key_of(name),
        };
        self.by_key.get(&key).map(|place| &self.objects[*place])
    }

    /// The children of an object, of one kind.
    pub(crate) fn children<'c>(&'c self, of: &'c Object, kind: &'c str) -> impl Iterator<Item = &'c Object> {
        self.objects.iter().filter(move |object| object.parent == of.id && object.kind == kind)
    }

    /// A table of the core under its name here. Of temporary tables, and of views of the catalog while a statement reads
    /// them, it is the name that statements have for them.
    pub(crate) fn table_name(&self, core: &str) -> TableName {
        let core = core.replace('"', "");
        if let Some(view) = core.strip_prefix("#sys.") {
            return TableName::new(&self.database, "sys", view);
        }
        if core.starts_with(['#', '@']) {
            return TableName::new("tempdb", "dbo", &core);
        }
        let (schema, name) = core.rsplit_once('.').map_or((None, core.as_str()), |(schema, name)| (Some(schema), name));
        let is_it = |object: &&Object| {
            object.is_relation()
                && object.name.eq_ignore_ascii_case(name)
                && schema.is_none_or(|schema| self.schema_name(object.schema).eq_ignore_ascii_case(schema))
        };
        match self.objects.iter().find(is_it) {
            Some(object) => TableName::new(&self.database, self.schema_name(object.schema), &object.name),
            None => TableName::new(&self.database, schema.unwrap_or("dbo"), name),
        }
    }

    /// The name of a schema.
    pub(crate) fn schema_name(&self, id: i64) -> &str {
        self.schemas.iter().find(|(known, _)| *known == id).map_or("dbo", |(_, name)| name)
    }

    /// The number of a schema.
    pub(crate) fn schema_id(&self, name: &str) -> Option<i64> {
        self.schemas.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(id, _)| *id)
    }
}
