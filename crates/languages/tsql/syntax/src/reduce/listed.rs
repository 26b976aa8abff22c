//! Long lists of literals, which cost a few bytes each instead of a function call of the core.
//!
//! ```text
//!   a IN (1, 2, ... 10000)                          "mssql:in:int"("a", '1,2,...,10000')
//!   INSERT t VALUES (1, 'x', '20260131'), ...       VALUES (1, 'x', TIMESTAMP '2026-01-31 00:00:00'), ...
//! ```
//!
//! Literals of one kind in a list have one type, which is part of the function's name. Rows of values are converted to
//! the types of their columns here, by the conversion that an INSERT runs, where every value of every row is a literal
//! that fits, a variable, or DEFAULT. Otherwise the statement is reduced like any other, and its run reports values
//! that do not fit.

use super::{Reducer, TableColumn, literal_value, text_literal};
use crate::tree::{Expr, Literal, Name, ObjectName, UnaryOperator};
use mainstay_tsql_types::{Context, ConvertKind, DataType, Message, Operation, listed};
use mainstay_types::Value;

/// A list of so many literals is written as one text.
const LONG: usize = 16;

/// A value of a row as it is written.
pub(super) enum Plain<'e> {
    /// A literal of the core.
    Text(String),
    /// A variable, which is converted before the statement runs.
    Variable(&'e Name, &'e TableColumn),
}

impl Reducer<'_> {
    /// Writes IN of a long list of literals of one kind; whether it is one.
    pub(super) fn in_listed(&mut self, value: &Expr, items: &[Expr]) -> Result<bool, Message> {
        if !self.packs_lists || items.len() < LONG {
            return Ok(false);
        }
        let Some((data_type, values)) = of_one_kind(items) else { return Ok(false) };
        let Some(packed) = listed::pack(&values) else { return Ok(false) };
        self.open(&format!("in:{data_type}"));
        self.expression(value)?;
        self.push(", ");
        self.push(&text_literal(&packed));
        self.push(")");
        Ok(true)
    }

    /// Rows of values for these columns, if all of them are plain.
    pub(super) fn plain_rows<'e>(
        &self,
        rows: &'e [Vec<Expr>],
        given: &'e [TableColumn],
    ) -> Option<Vec<Vec<Plain<'e>>>> {
        let row = |row: &'e Vec<Expr>| {
            let cells = row.iter().zip(given).map(|(value, column)| self.plain(value, column));
            (row.len() == given.len()).then(|| cells.collect::<Option<Vec<_>>>()).flatten()
        };
        rows.iter().map(row).collect()
    }

    /// Writes such rows.
    ///
    /// Errors: 206 and 257 for a variable of a type that the column does not take.
    pub(super) fn write_plain_rows(&mut self, rows: &[Vec<Plain<'_>>], table: &ObjectName) -> Result<(), Message> {
        self.push(" VALUES ");
        self.list(rows, |it, row| {
            it.push("(");
            it.list(row, |it, cell| match cell {
                Plain::Text(text) => {
                    it.push(text);
                    Ok(())
                }
                Plain::Variable(name, column) => it.taken(name, column, table),
            })?;
            it.push(")");
            Ok(())
        })
    }

    fn plain<'e>(&self, value: &'e Expr, column: &'e TableColumn) -> Option<Plain<'e>> {
        let to = column.data_type;
        match value {
            Expr::Default => Some(Plain::Text("DEFAULT".to_owned())),
            Expr::Variable(name) if !name.text.starts_with("@@") => Some(Plain::Variable(name, column)),
            _ if matches!(to, DataType::SqlVariant | DataType::Xml | DataType::UniqueIdentifier) => None,
            value => {
                let Some((from, value)) = constant(value)? else { return Some(Plain::Text("NULL".to_owned())) };
                let operation = Operation::Convert(ConvertKind::Assign, to);
                let bound = operation.bind(&[Some(from)], &[Some(value.clone())]).ok()?;
                let context = Context { settings: self.scope.settings(), ..Context::default() };
                match bound.evaluate(&context, &[value.as_ref()]).ok()? {
                    // A conversion that fails gives NULL under some options, which the session is told of.
                    Value::Null | Value::Interval(_) | Value::Uuid(_) => None,
                    value => Some(Plain::Text(value.to_string())),
                }
            }
        }
    }
}

/// The value of a literal, perhaps with a sign, and its type; `Some(None)` for NULL.
#[allow(clippy::option_option, reason = "NULL is a literal without a type")]
fn constant(value: &Expr) -> Option<Option<(DataType, Value)>> {
    match value {
        Expr::Literal(literal) => literal_value(literal).ok(),
        Expr::Unary(UnaryOperator::Minus, operand) => {
            let Expr::Literal(literal @ (Literal::Integer(_) | Literal::Decimal(_))) = operand.as_ref() else {
                return None;
            };
            let (data_type, value) = literal_value(literal).ok()??;
            let value = match value {
                Value::Integer(number) => Value::Integer(number.checked_neg()?),
                Value::Decimal(number) => {
                    Value::Decimal(mainstay_types::Decimal::new(number.unscaled.checked_neg()?, number.scale))
                }
                _ => return None,
            };
            Some(Some((data_type, value)))
        }
        _ => None,
    }
}

/// The values of literals of one kind, and the type that has room for all of them.
fn of_one_kind(items: &[Expr]) -> Option<(DataType, Vec<Value>)> {
    let mut values = Vec::with_capacity(items.len());
    let mut widest: Option<DataType> = None;
    for item in items {
        let (data_type, value) = constant(item)??;
        let is_alike = match (widest, data_type) {
            (None, DataType::Int | DataType::VarChar(..) | DataType::NVarChar(_)) => true,
            (Some(DataType::Int), DataType::Int) => true,
            (Some(known @ DataType::VarChar(..)), DataType::VarChar(..)) => known.code_page() == data_type.code_page(),
            (Some(DataType::NVarChar(_)), DataType::NVarChar(_)) => true,
            _ => false,
        };
        if !is_alike {
            return None;
        }
        if widest.is_none_or(|known| is_wider(data_type, known)) {
            widest = Some(data_type);
        }
        values.push(value);
    }
    widest.map(|data_type| (data_type, values))
}

/// True if a type has room for longer texts than another of its kind; -1 is the length of `max`.
fn is_wider(data_type: DataType, than: DataType) -> bool {
    let (length, known) = (data_type.max_length(), than.max_length());
    known >= 0 && (length < 0 || length > known)
}
