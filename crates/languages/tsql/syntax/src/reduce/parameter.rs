//! Inputs of a reduced statement when it runs.

use super::{CatalogFunction, SessionFunction};
use crate::tree::CursorName;
use mainstay_tsql_types::DataType;
use mainstay_types::Value;

/// The source of a reduced statement's parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A variable, by its name with the `@`.
    Variable(String),
    /// A value of the session.
    Session(SessionFunction),
    /// A catalog function with its arguments.
    Catalog(CatalogFunction, Vec<Input>),
    /// Of the row that a cursor stands on, in the table of the core of this name, the column of this name.
    CurrentRow(CursorName, String, String),
}

/// An argument of a function of the catalog.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A constant.
    Value(Value),
    /// A variable, by its name with the `@`.
    Variable(String),
    /// A catalog function as the argument of another one.
    Catalog(CatalogFunction, Vec<Input>),
}

/// A parameter of a reduced statement: `$1` is the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Where its value comes from.
    pub source: Source,
    /// Its type.
    pub data_type: DataType,
    /// The column that takes the value, where it has another type: the value is converted before the statement runs.
    pub column: Option<TakingColumn>,
}

/// A column that takes a value of another type.
#[derive(Clone, Debug, PartialEq)]
pub struct TakingColumn {
    /// The table, as messages name it.
    pub table: String,
    /// The column.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
}
