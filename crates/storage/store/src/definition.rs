//! The declaration of a table: columns, keys, indexes, references.
//!
//! DEFAULT, CHECK and computed columns are expressions; the SQL layer keeps and evaluates them. This module defines the
//! rules that the store itself enforces: types, NOT NULL, unique keys and references.

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use mainstay_columnar::values::data_type_of;
use mainstay_types::{Code, Collation, Error, Result, SqlType};
use std::collections::HashMap;
use std::sync::Arc;

/// The name of the hidden column of row ids.
pub const ROW_ID: &str = "_rowid";
/// The name of the hidden column of positions: by it a change finds the version that its query has read.
pub const POSITION: &str = "_position";
/// The number of hidden columns at the end of the schema.
pub const HIDDEN_COLUMNS: usize = 2;
/// The key under which a field's metadata have the length of a CHAR column, whose values are kept without the blanks at
/// their ends: statements compare them without.
const CHAR_COLUMN: &str = "mainstay.char";

/// The key under which a field's metadata have the collation of a text column, unless that is the order of bytes.
const COLLATED_COLUMN: &str = "mainstay.collation";

/// Metadata of a column that a dialect declared with its own type: the dialect's name of it.
pub const DECLARED_TYPE: &str = "mainstay.declared";

/// The key under which a field's metadata have the SQL type.
pub const SQL_TYPE: &str = "sql_type";

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDefinition {
    /// Its name, in the form in which it is looked up.
    pub name: String,
    /// The SQL type of the values.
    pub sql_type: SqlType,
    /// True if it may be NULL.
    pub nullable: bool,
    /// The dialect's name of the declared type, if it is more precise than the SQL type.
    pub declared: Option<String>,
}

impl ColumnDefinition {
    /// A column that was declared in the core's own SQL.
    pub fn new(name: impl Into<String>, sql_type: SqlType, nullable: bool) -> ColumnDefinition {
        ColumnDefinition { name: name.into(), sql_type, nullable, declared: None }
    }

    /// Returns true if blanks at the ends of its texts tell values apart: in VARCHAR that compares byte by byte, unless
    /// a dialect declared it, which has its own rule for them.
    pub fn blanks_count(&self) -> bool {
        let is_plain = matches!(self.sql_type, SqlType::VarChar { collation: Collation::Binary, .. });
        is_plain && self.declared.is_none()
    }

    /// Returns true if its values have their types with them: those of two types can be equal, and other bytes than
    /// those of the values say so ([`mainstay_types::typed_bytes`]).
    pub fn is_typed(&self) -> bool {
        self.declared.as_deref() == Some(mainstay_types::typed_bytes::DECLARED)
    }
}

/// A column of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexColumn {
    /// The number of the table's column.
    pub column: usize,
    /// True if the greatest value comes first.
    pub descending: bool,
}

/// An index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexDefinition {
    /// Its name.
    pub name: String,
    /// Its columns, the leading one first.
    pub columns: Vec<IndexColumn>,
    /// True if no two rows may have the same key.
    pub unique: bool,
    /// True if it is the primary key: unique, and none of its columns may be NULL.
    pub primary: bool,
    /// True if keys with a NULL may be there more than once (as in ISO SQL) in a unique index.
    pub nulls_distinct: bool,
    /// The rows that must differ, where not all of them: all of these hold. Without them, of every row.
    pub filter: Vec<crate::filter::FilterPart>,
}

impl IndexDefinition {
    /// Returns true if it finds one row at most by values of all its columns, none of which is NULL.
    pub fn is_key(&self) -> bool {
        (self.unique || self.primary) && self.filter.is_empty()
    }

    /// The numbers of its columns.
    pub fn column_numbers(&self) -> Vec<usize> {
        self.columns.iter().map(|column| column.column).collect()
    }
}

/// A reference to a unique key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignKey {
    /// Its name.
    pub name: String,
    /// The columns here.
    pub columns: Vec<usize>,
    /// The table that is referred to.
    pub parent: String,
    /// The columns there, which have a unique index in this order.
    pub parent_columns: Vec<usize>,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableDefinition {
    /// Its name, in the form in which it is looked up.
    pub name: String,
    /// Its columns.
    pub columns: Vec<ColumnDefinition>,
    /// Its indexes.
    pub indexes: Vec<IndexDefinition>,
    /// Its references to other tables, or to itself.
    pub foreign_keys: Vec<ForeignKey>,
    /// True if changes go into the journal. Temporary tables' do not.
    pub logged: bool,
}

impl TableDefinition {
    /// A logged table of these columns, without indexes.
    pub fn new(name: impl Into<String>, columns: Vec<ColumnDefinition>) -> TableDefinition {
        TableDefinition { name: name.into(), columns, indexes: Vec::new(), foreign_keys: Vec::new(), logged: true }
    }

    /// The same with a primary key of these columns, which become NOT NULL.
    pub fn with_primary_key(mut self, columns: &[usize]) -> TableDefinition {
        for column in columns {
            if let Some(column) = self.columns.get_mut(*column) {
                column.nullable = false;
            }
        }
        let name = format!("{}_pkey", self.name);
        self.indexes.push(IndexDefinition { primary: true, ..index(name, columns, true) });
        self
    }

    /// The same with an index of these columns.
    pub fn with_index(mut self, name: impl Into<String>, columns: &[usize], unique: bool) -> TableDefinition {
        self.indexes.push(index(name.into(), columns, unique));
        self
    }

    /// The columns as statements see them, and behind them the hidden ones.
    pub fn schema(&self) -> SchemaRef {
        let field = |column: &ColumnDefinition| {
            shown_field(&column.name, column.sql_type, column.declared.as_deref(), column.nullable)
        };
        let hidden = [ROW_ID, POSITION].map(|name| Field::new(name, DataType::Int64, false));
        Arc::new(Schema::new(self.columns.iter().map(field).chain(hidden).collect::<Vec<_>>()))
    }

    /// Checks that everything refers to columns that are there.
    ///
    /// Errors: `UnknownColumn`, and `Unsupported` for a table without columns.
    pub fn check(&self) -> Result<()> {
        if self.columns.is_empty() {
            return Err(Error::new(Code::Unsupported, format!("the table {} has no columns", self.name)));
        }
        let numbers = self.indexes.iter().flat_map(|index| index.column_numbers());
        let numbers = numbers.chain(self.foreign_keys.iter().flat_map(|key| key.columns.iter().copied()));
        match numbers.into_iter().find(|number| *number >= self.columns.len()) {
            Some(number) => Err(Error::new(Code::UnknownColumn, format!("{} has no column {number}", self.name))),
            None => Ok(()),
        }
    }
}

/// A column as statements see it. Its metadata has the SQL type, how text compares, and what the dialect declared.
pub fn shown_field(name: &str, sql_type: SqlType, declared: Option<&str>, nullable: bool) -> Field {
    let mut metadata = HashMap::from([(SQL_TYPE.to_string(), sql_type.to_string())]);
    if let SqlType::Char { length, .. } = sql_type {
        metadata.insert(CHAR_COLUMN.to_string(), length.to_string());
    }
    if let Some(collation) = sql_type.collation().filter(|it| *it != Collation::Binary) {
        metadata.insert(COLLATED_COLUMN.to_string(), collation.name().to_string());
    }
    if let Some(declared) = declared {
        metadata.insert(DECLARED_TYPE.to_string(), declared.to_string());
    }
    Field::new(name, data_type_of(sql_type), nullable).with_metadata(metadata)
}

/// An ascending index of these columns.
pub fn index(name: String, columns: &[usize], unique: bool) -> IndexDefinition {
    let columns = columns.iter().map(|column| IndexColumn { column: *column, descending: false }).collect();
    IndexDefinition { name, columns, unique, primary: false, nulls_distinct: true, filter: Vec::new() }
}
