//! VALUES in FROM: rows of literals as one list, other rows as a UNION ALL.
//!
//! A column of VALUES takes the type that T-SQL's precedence gives to its values, as a UNION's does. The type of
//! literals is known here, so they become a list of the core, whose cost is proportional to their number:
//!
//! ```text
//!   (VALUES (1, 'a'), (2, 'bcd')) AS v(n, s)
//!   (SELECT "mssql:int"("#1") AS "n", "mssql:varchar(3)"("#2") AS "s" FROM (VALUES (1, 'a'), (2, 'bcd')) AS "#v" ("#1", "#2"))
//! ```
//!
//! Rows with anything else are queries, whose types the planner finds. They are divided in halves, because the depth of
//! a chain would be the number of rows.

use super::expression::literal_value;
use super::{Reducer, quoted, text_literal};
use crate::tree::{Alias, Expr, Literal, UnaryOperator};
use mainstay_tsql_types::convert::Conversion;
use mainstay_tsql_types::{Context, DataType, Message, types};
use mainstay_types::{Decimal, Value};

/// So many rows in a row are no deep tree.
const CHAIN: usize = 16;

impl Reducer<'_> {
    /// Writes the rows of VALUES in FROM.
    pub(super) fn rows_of_values(&mut self, rows: &[Vec<Expr>], alias: &Alias) -> Result<(), Message> {
        self.push("(");
        match constants(rows) {
            Some(constants) => self.constant_rows(&constants, alias),
            None => self.halves(rows, alias)?,
        }
        self.push(")");
        self.alias(alias)
    }

    fn constant_rows(&mut self, (types, rows): &(Vec<DataType>, Vec<Vec<String>>), alias: &Alias) {
        self.push("SELECT ");
        for (place, data_type) in types.iter().enumerate() {
            self.push(if place > 0 { ", " } else { "" });
            self.typed(*data_type, &quoted(&inner_name(place)));
            self.push(" AS ");
            self.name(&name_of(alias, place));
        }
        self.push(" FROM (VALUES ");
        for (place, row) in rows.iter().enumerate() {
            self.push(if place > 0 { ", (" } else { "(" });
            self.push(&row.join(", "));
            self.push(")");
        }
        let names: Vec<String> = (0..types.len()).map(|place| quoted(&inner_name(place))).collect();
        self.push(&format!(") AS \"#v\" ({})", names.join(", ")));
    }

    fn halves(&mut self, rows: &[Vec<Expr>], alias: &Alias) -> Result<(), Message> {
        if rows.len() > CHAIN {
            let (first, second) = rows.split_at(rows.len() / 2);
            self.push("(");
            self.halves(first, alias)?;
            self.push(") UNION ALL (");
            self.halves(second, alias)?;
            self.push(")");
            return Ok(());
        }
        for (number, row) in rows.iter().enumerate() {
            self.push(if number > 0 { " UNION ALL SELECT " } else { "SELECT " });
            for (place, value) in row.iter().enumerate() {
                self.push(if place > 0 { ", " } else { "" });
                self.expression(value)?;
                self.push(" AS ");
                self.name(&name_of(alias, place));
            }
        }
        Ok(())
    }
}

fn name_of(alias: &Alias, place: usize) -> String {
    alias.columns.get(place).map_or_else(|| format!("#{}", place + 1), |name| name.text.clone())
}

fn inner_name(place: usize) -> String {
    format!("#{}", place + 1)
}

/// The types of the columns, and the rows as literals of the core; `None` where a value is anything but a literal, or its
/// conversion is for the statement's run to refuse.
fn constants(rows: &[Vec<Expr>]) -> Option<(Vec<DataType>, Vec<Vec<String>>)> {
    let width = rows.first()?.len();
    if rows.len() < 2 || rows.iter().any(|row| row.len() != width) {
        return None;
    }
    let cells: Vec<Vec<Option<(DataType, Value)>>> =
        rows.iter().map(|row| row.iter().map(constant).collect()).collect::<Option<_>>()?;
    let mut columns = Vec::with_capacity(width);
    for place in 0..width {
        let column = || cells.iter().filter_map(|row| row.get(place)?.as_ref());
        let own = column().map(|(data_type, _)| Some(*data_type));
        let to = types::of_all(own).ok()?.unwrap_or(DataType::Int);
        // A text that becomes a number is read by the rules of the session.
        if column().any(|(data_type, _)| data_type.is_text() != to.is_text()) {
            return None;
        }
        columns.push(to);
    }
    let context = Context::default();
    let written = |row: &Vec<Option<(DataType, Value)>>| -> Option<Vec<String>> {
        let cell = |(cell, to): (&Option<(DataType, Value)>, &DataType)| match cell {
            None => Some("NULL".to_owned()),
            Some((from, value)) => {
                let converted = Conversion::implicit(*from, *to).ok()?.evaluate(&context, value.as_ref()).ok()?;
                Some(match converted {
                    // As text: the core reads no more than 18 digits as an exact number, and floats as exact ones.
                    Value::Decimal(number) => text_literal(&number.to_string()),
                    Value::Float(number) => text_literal(&format!("{number:e}")),
                    other => other.to_string(),
                })
            }
        };
        row.iter().zip(&columns).map(cell).collect()
    };
    let rows = cells.iter().map(written).collect::<Option<Vec<_>>>()?;
    Some((columns, rows))
}

/// The type and value of a literal, perhaps with a sign; `None` inside for NULL.
fn constant(value: &Expr) -> Option<Option<(DataType, Value)>> {
    match value {
        Expr::Literal(literal) => literal_value(literal).ok(),
        Expr::Unary(UnaryOperator::Minus, operand) => {
            if let Expr::Literal(Literal::Integer(digits)) = operand.as_ref()
                && let Ok(number) = format!("-{digits}").parse::<i32>()
            {
                // Without its sign the least INT is too great for the type.
                return Some(Some((DataType::Int, Value::Integer(number.into()))));
            }
            let (data_type, value) = constant(operand)??;
            Some(Some((data_type, negative(value)?)))
        }
        _ => None,
    }
}

fn negative(value: Value) -> Option<Value> {
    match value {
        Value::Integer(number) => number.checked_neg().map(Value::Integer),
        Value::Decimal(number) => Some(Value::Decimal(Decimal::new(-number.unscaled, number.scale))),
        Value::Float(number) => Some(Value::Float(-number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Literal;

    fn integer(digits: &str) -> Expr {
        Expr::Literal(Literal::Integer(digits.to_owned()))
    }

    fn text(text: &str) -> Expr {
        Expr::Literal(Literal::String(text.to_owned()))
    }

    #[test]
    fn literals_meet_in_the_type_of_their_column() {
        let null = || Expr::Literal(Literal::Null);
        let minus = |value| Expr::Unary(UnaryOperator::Minus, Box::new(value));
        let half = Expr::Literal(Literal::Decimal("1.5".to_owned()));
        let rows =
            [vec![integer("1"), text("it's"), half, null()], vec![minus(integer("2")), null(), integer("3"), null()]];
        let (types, rows) = constants(&rows).unwrap();
        // SQL Server's precedence: DECIMAL(2,1) and INT, which is DECIMAL(10,0), are DECIMAL(11,1) together.
        let decimal = DataType::Decimal { precision: 11, scale: 1 };
        assert_eq!(types[..], [DataType::Int, types[1], decimal, DataType::Int]);
        assert_eq!(types[1].limit(), Some(4));
        assert_eq!(rows, [["1", "'it''s'", "'1.5'", "NULL"], ["-2", "NULL", "'3.0'", "NULL"]]);
    }

    #[test]
    fn other_rows_are_queries() {
        // A text among numbers, rows of different lengths, one row.
        assert!(constants(&[vec![integer("1")], vec![text("2")]]).is_none());
        assert!(constants(&[vec![integer("1")], vec![integer("1"), integer("2")]]).is_none());
        assert!(constants(&[vec![integer("1")]]).is_none());
    }
}
