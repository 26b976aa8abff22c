//! VALUES lists of plain literals, which need no planner.
//!
//! Most INSERTs of programs consist of literals. Such a list is read here; any other expression in it makes the whole
//! list a query.

use crate::parse::fragments::parsed;
use crate::parse::text::parameter_number;
use crate::parse::walk::Walk;
use datafusion::sql::sqlparser::ast::{
    self, DataType, Expr, Ident, Query, SelectItem, SetExpr, UnaryOperator, Values, Visitor,
};
use mainstay_types::{Code, Decimal, Error, Result, Timestamp, Value, ValueRef};
use std::ops::ControlFlow;

/// A row of values; `None` for DEFAULT.
pub type ConstantRow = Vec<Option<Value>>;

/// The values of lists that are made of literals and of parameters, which have these values; `None` when there is anything
/// else in them.
///
/// Errors: `InvalidValue` for a literal that is not what it says, such as `DATE '2026-02-30'`.
pub fn constants(rows: &[Vec<Option<Expr>>], parameters: &[ValueRef<'_>]) -> Result<Option<Vec<ConstantRow>>> {
    let mut constants = Vec::with_capacity(rows.len());
    for row in rows {
        let mut values = Vec::with_capacity(row.len());
        for expr in row {
            values.push(match expr {
                None => None,
                Some(expr) => match constant(expr, parameters)? {
                    Some(value) => Some(value),
                    None => return Ok(None),
                },
            });
        }
        constants.push(values);
    }
    Ok(Some(constants))
}

/// The value of an expression without columns, if it is a literal, perhaps with a sign, or a parameter.
pub(crate) fn constant(expr: &Expr, parameters: &[ValueRef<'_>]) -> Result<Option<Value>> {
    Ok(match expr {
        Expr::Value(ast::ValueWithSpan { value: ast::Value::Placeholder(name), .. }) => {
            let value = parameter_number(name).and_then(|number| parameters.get(number));
            value.map(|value| value.to_value())
        }
        Expr::Value(value) => literal(&value.value),
        Expr::Nested(inner) => constant(inner, parameters)?,
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match constant(expr, parameters)? {
            Some(Value::Integer(value)) => value.checked_neg().map(Value::Integer),
            Some(Value::Decimal(value)) => Some(Value::Decimal(Decimal::new(-value.unscaled, value.scale))),
            Some(Value::Float(value)) => Some(Value::Float(-value)),
            _ => None,
        },
        Expr::TypedString(typed) => match &typed.value.value {
            ast::Value::SingleQuotedString(text) => of_type(&typed.data_type, text)?,
            _ => None,
        },
        _ => None,
    })
}

fn literal(value: &ast::Value) -> Option<Value> {
    match value {
        ast::Value::Null => Some(Value::Null),
        ast::Value::Boolean(value) => Some(Value::Boolean(*value)),
        ast::Value::SingleQuotedString(text) => Some(Value::Text(text.clone())),
        ast::Value::HexStringLiteral(digits) => bytes(digits).map(Value::Binary),
        ast::Value::Number(text, _) => number(text),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    if let Ok(value) = text.parse() {
        return Some(Value::Integer(value));
    }
    if let Ok(value) = text.parse() {
        return Some(Value::Decimal(value));
    }
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(Value::Float)
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let is_whole = digits.len().is_multiple_of(2) && digits.is_ascii();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    if is_whole { (0..digits.len()).step_by(2).map(byte).collect() } else { None }
}

fn of_type(data_type: &DataType, text: &str) -> Result<Option<Value>> {
    Ok(match data_type {
        DataType::Date => Some(Value::Date(text.parse()?)),
        DataType::Time(..) => Some(Value::Time(text.parse()?)),
        DataType::Timestamp(_, ast::TimezoneInfo::None) | DataType::Datetime(_) => {
            Some(Value::Timestamp(text.parse()?))
        }
        DataType::Timestamp(_, ast::TimezoneInfo::WithTimeZone | ast::TimezoneInfo::Tz) => {
            let (local, offset) = Timestamp::parse_with_offset(text)?;
            let offset_minutes = offset.unwrap_or(0);
            Some(Value::TimestampWithOffset { utc: local.to_utc(offset_minutes), offset_minutes })
        }
        _ => None,
    })
}

/// Row and column.
pub type Place = (usize, usize);

/// The lists as a query, and where DEFAULT stood in them: there the query gives NULL.
///
/// Lists with subqueries become a query each: the general executor has the values of a VALUES list at hand when it
/// plans, and those of a subquery only when it runs. `by_rows` makes one of each list, too.
pub fn values_queries(rows: &[Vec<Option<Expr>>], by_rows: bool) -> Result<(Vec<Query>, Vec<Place>)> {
    let mut defaults = Vec::new();
    let mut lists = Vec::with_capacity(rows.len());
    for (row, list) in rows.iter().enumerate() {
        let mut exprs = Vec::with_capacity(list.len());
        for (column, expr) in list.iter().enumerate() {
            exprs.push(expr.clone().unwrap_or_else(|| {
                defaults.push((row, column));
                Expr::Value(ast::Value::Null.into())
            }));
        }
        lists.push(exprs);
    }
    // A column of one VALUES has one type in all its rows, which the NULL that stands for a DEFAULT may not have.
    if by_rows || !defaults.is_empty() || lists.iter().flatten().any(has_subquery) {
        let queries: Result<Vec<Query>> = lists.into_iter().map(select).collect();
        return Ok((queries?, defaults));
    }
    let mut query = parsed("VALUES (1)")?;
    match query.body.as_mut() {
        SetExpr::Values(Values { rows, .. }) => {
            let Some(first) = rows.first().cloned() else {
                return Err(Error::new(Code::Internal, "a text that was made is no query"));
            };
            *rows = lists.into_iter().map(|content| ast::Parens { content, ..first.clone() }).collect();
        }
        _ => return Err(Error::new(Code::Internal, "a text that was made is no query")),
    }
    Ok((vec![query], defaults))
}

/// SELECT of a list.
fn select(list: Vec<Expr>) -> Result<Query> {
    let mut query = parsed("SELECT 1")?;
    let named = |(number, expr)| SelectItem::ExprWithAlias { expr, alias: Ident::new(format!("_value_{number}")) };
    match query.body.as_mut() {
        SetExpr::Select(select) => select.projection = list.into_iter().enumerate().map(named).collect(),
        _ => return Err(Error::new(Code::Internal, "a text that was made is no query")),
    }
    Ok(query)
}

fn has_subquery(expr: &Expr) -> bool {
    struct Queries;
    impl Visitor for Queries {
        type Break = ();

        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }
    expr.walk(&mut Queries).is_break()
}
