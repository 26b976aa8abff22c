//! Columns of results: with the types of the language while a statement runs, and as they are declared to clients.

use mainstay_session::push;
use mainstay_tsql_types::collation::COMPARISON;
use mainstay_tsql_types::{DataType, Length};

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; empty for one that has none.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// True if it can be NULL.
    pub nullable: bool,
    /// True if its values are numbers that the table gives.
    pub identity: bool,
    /// True if its values are computed.
    pub computed: bool,
    /// True if it is a table's own column, which can be changed if its table can.
    pub updatable: bool,
}

impl Column {
    /// A column of a name and type that can be NULL and is of no table.
    pub fn new(name: impl Into<String>, data_type: DataType) -> Column {
        Column { name: name.into(), data_type, nullable: true, identity: false, computed: false, updatable: false }
    }

    /// The same, with whether it can be NULL.
    pub fn nullable(mut self, nullable: bool) -> Column {
        self.nullable = nullable;
        self
    }
}

/// A column as clients are told of it.
impl From<&Column> for push::Column {
    fn from(column: &Column) -> push::Column {
        let declared = column.data_type.declared();
        push::Column {
            is_nullable: column.nullable,
            is_identity: column.identity,
            is_computed: column.computed,
            is_updatable: column.updatable,
            ..push::Column::new(column.name.clone(), declared, column.data_type.to_column(COMPARISON))
        }
    }
}

/// A column that was declared. A type that is not one of SQL Server counts as NVARCHAR(MAX).
impl From<&push::Column> for Column {
    fn from(column: &push::Column) -> Column {
        Column {
            nullable: column.is_nullable,
            identity: column.is_identity,
            computed: column.is_computed,
            updatable: column.is_updatable,
            ..Column::new(column.name.clone(), declared_type(&column.declared))
        }
    }
}

/// The type of a declaration. One that is not a type of SQL Server counts as NVARCHAR(MAX).
pub(crate) fn declared_type(declared: &mainstay_session::Declared) -> DataType {
    DataType::of_declared(declared).unwrap_or(DataType::NVarChar(Length::Max))
}

/// Columns as clients are told of them.
pub(crate) fn sent(columns: &[Column]) -> Vec<push::Column> {
    columns.iter().map(push::Column::from).collect()
}

/// Messages to a client in the form of the language.
pub(crate) trait Messages {
    /// Sends a message.
    fn tell(&mut self, message: &mainstay_tsql_types::Message);
}

impl Messages for dyn push::Sink + '_ {
    fn tell(&mut self, message: &mainstay_tsql_types::Message) {
        self.message(&message.into());
    }
}
