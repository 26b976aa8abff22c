//! Views over the fields of packed columns: the columns of such a view, and fields written back into a packed value.
//!
//! **Problem.** A packed column contains a whole record as bytes, with a separator behind each field. A view shows the fields as
//! columns, and statements are to change them like those of a table.
//!
//! **Idea.** A column of the view that is nothing but a call of a field function has an inverse: the field is replaced, and all other
//! bytes of the record stay.
//!
//! ```text
//!   CREATE VIEW headers AS
//!     SELECT record_index,                           a column of the table
//!            field_text(record, 2) AS customer,      field 2 of the column record
//!            field_number(record, 3, 2) AS total,    field 3, with two decimals
//!            code_page_text(key_0) AS id             the whole column, as text
//!     FROM orders
//!     WHERE field_text(record, 1) = 'H'              a constant: new rows get it
//!
//!   UPDATE headers SET customer = 'Ann'    record  H|Bob|7|  becomes  H|Ann|7|
//! ```
//!
//! Keys and limits of the record are rules of the table, which this module does not know.
//!
//! **Limits.** The view is a plain query over one table: no join, no grouping, no `*`. Other expressions are columns that cannot be
//! assigned to. Conditions other than `field = constant`, joined by AND, give no values to new rows. Fields behind number 65,535 are not written.
//!
//! The module knows the parser's tree only; [`packed_view`] reads it from the text of a view.

use crate::parse::fragments::parsed;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, ObjectName, Query, Select,
    SelectItem, SetExpr, TableFactor, Value as Literal,
};
use mainstay_code_page as code_page;
use mainstay_types::{Code, Error, Result, Value};
use std::ops::Range;

/// The separator of fields where a call names none. Views over records with another separator name it as the fourth argument.
pub(crate) const DEFAULT_SEPARATOR: u8 = 0x8A;

/// The greatest number of a field that is written: a record gets all the fields before it.
const LAST_FIELD: u32 = 65_535;

/// A view whose columns can be written back.
#[derive(Clone, Debug)]
pub struct PackedView {
    /// The table: its schema if one is named, and its name.
    pub table: Vec<String>,
    /// The name of the table in the view's expressions.
    pub called: String,
    /// The columns, in their order.
    pub columns: Vec<PackedColumn>,
    /// The condition of the rows.
    pub condition: Option<Expr>,
    /// Fields that the condition compares with a constant.
    pub constants: Vec<(PackedField, String)>,
}

/// A column of a view.
#[derive(Clone, Debug)]
pub struct PackedColumn {
    /// Its name.
    pub name: String,
    /// Its expression over the table.
    pub expression: Expr,
    /// The place of its values.
    pub source: PackedSource,
}

/// The place of a view's values in the table.
#[derive(Clone, Debug, PartialEq)]
pub enum PackedSource {
    /// A column as it is.
    Column(String),
    /// A field of a packed column.
    Field(PackedField),
    /// A whole column of bytes, as text of at most so many bytes.
    Whole(String, Option<u32>),
    /// Another expression, without an inverse.
    Expression,
}

/// A field of a packed column.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedField {
    /// The column.
    pub column: String,
    /// The number of the field, from 1.
    pub number: u32,
    /// The byte behind each field.
    pub separator: u8,
    /// The kind of its values.
    pub kind: FieldKind,
}

/// The kind of a field's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Text, of at most so many characters.
    Text(Option<u32>),
    /// A number, with so many decimals.
    Number(Option<u8>),
}

impl PackedView {
    /// The columns of a query; `None` for a query that is more than columns of one table, and for one without a field. `names` are
    /// those of the view, if it gives any.
    pub(crate) fn of(query: &Query, names: &[String]) -> Option<PackedView> {
        let SetExpr::Select(select) = query.body.as_ref() else { return None };
        if !is_plain(query, select) {
            return None;
        }
        let [from] = select.from.as_slice() else { return None };
        let TableFactor::Table { name, alias, args: None, .. } = &from.relation else { return None };
        if !from.joins.is_empty() || alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
            return None;
        }
        let table = parts(name)?;
        let called = alias.as_ref().map(|alias| alias.name.value.clone()).or_else(|| table.last().cloned())?;
        let columns = select.projection.iter().enumerate().map(|(place, item)| column(item, names.get(place)));
        let columns: Vec<PackedColumn> = columns.collect::<Option<_>>()?;
        let is_packed = |source: &PackedSource| matches!(source, PackedSource::Field(_) | PackedSource::Whole(..));
        let has_fields = columns.iter().any(|column| is_packed(&column.source));
        if !has_fields || !names.is_empty() && names.len() != columns.len() {
            return None;
        }
        let mut constants = Vec::new();
        if let Some(condition) = &select.selection {
            add_constants(condition, &mut constants);
        }
        Some(PackedView { table, called, columns, condition: select.selection.clone(), constants })
    }
}

/// Returns true for a query of columns, a table and a condition, without any other clause.
fn is_plain(query: &Query, select: &Select) -> bool {
    let has_groups =
        !matches!(&select.group_by, GroupByExpr::Expressions(by, with) if by.is_empty() && with.is_empty());
    let is_cut = query.limit_clause.is_some() || query.fetch.is_some() || select.top.is_some();
    let is_filtered = select.having.is_some() || select.qualify.is_some() || select.distinct.is_some();
    let has_more = query.with.is_some() || !select.lateral_views.is_empty() || !select.named_window.is_empty();
    !(has_groups || is_cut || is_filtered || has_more)
}

fn parts(name: &ObjectName) -> Option<Vec<String>> {
    name.0.iter().map(|part| part.as_ident().map(|part| part.value.clone())).collect()
}

fn column(item: &SelectItem, name: Option<&String>) -> Option<PackedColumn> {
    let (expression, own) = match item {
        SelectItem::UnnamedExpr(expression) => (expression, column_of(expression)),
        SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.value.clone())),
        _ => return None,
    };
    let source = match column_of(expression) {
        Some(column) => PackedSource::Column(column),
        None => source_of_call(expression).unwrap_or(PackedSource::Expression),
    };
    Some(PackedColumn { name: name.cloned().or(own)?, expression: expression.clone(), source })
}

/// The column that an expression is, without the name of its table.
fn column_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Identifier(column) => Some(column.value.clone()),
        Expr::CompoundIdentifier(parts) => parts.last().map(|column| column.value.clone()),
        Expr::Nested(inner) => column_of(inner),
        _ => None,
    }
}

/// The inverse of a call of a field function.
fn source_of_call(expression: &Expr) -> Option<PackedSource> {
    let Expr::Function(call) = expression else { return None };
    let FunctionArguments::List(list) = &call.args else { return None };
    let argument = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression.clone()),
        _ => None,
    };
    let arguments: Vec<Expr> = list.args.iter().map(argument).collect::<Option<_>>()?;
    let column = column_of(arguments.first()?)?;
    let number = |place: usize| match arguments.get(place) {
        Some(Expr::Value(value)) if value.value == Literal::Null => Some(None),
        Some(given) => number(given).map(Some),
        None => Some(None),
    };
    let name = parts(&call.name)?;
    let [name] = name.as_slice() else { return None };
    if name == "code_page_text" {
        return Some(PackedSource::Whole(column, number(1)?.filter(|length| *length > 0)));
    }
    let third = number(2)?;
    let kind = match name.as_str() {
        "field_text" => FieldKind::Text(third.filter(|length| *length > 0)),
        "field_number" => FieldKind::Number(third.map(|decimals| u8::try_from(decimals).unwrap_or(u8::MAX).min(18))),
        _ => return None,
    };
    let separator = number(3)?.map_or(Some(DEFAULT_SEPARATOR), |code| u8::try_from(code).ok())?;
    let field = number(1)?.filter(|field| (1..=LAST_FIELD).contains(field))?;
    Some(PackedSource::Field(PackedField { column, number: field, separator, kind }))
}

fn number(expression: &Expr) -> Option<u32> {
    match expression {
        Expr::Value(value) => match &value.value {
            Literal::Number(digits, _) => digits.to_string().parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn text(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Value(value) => match &value.value {
            Literal::SingleQuotedString(text) => Some(text.clone()),
            Literal::Number(digits, _) => Some(digits.to_string()),
            _ => None,
        },
        Expr::Nested(inner) => text(inner),
        _ => None,
    }
}

/// Adds the fields that a condition compares with a constant.
fn add_constants(condition: &Expr, constants: &mut Vec<(PackedField, String)>) {
    match condition {
        Expr::Nested(inner) => add_constants(inner, constants),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            add_constants(left, constants);
            add_constants(right, constants);
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            for (field, constant) in [(left, right), (right, left)] {
                if let (Some(PackedSource::Field(field)), Some(constant)) = (source_of_call(field), text(constant)) {
                    constants.push((field, constant));
                }
            }
        }
        _ => {}
    }
}

/// The bytes of a field, by its number from 1; `None` if the record has fewer fields. Bytes behind the last separator are a field
/// only if there are any, and $00$ alone there is filling of a record of fixed length.
fn field_range(record: &[u8], number: u32, separator: u8) -> Option<Range<usize>> {
    let end = content_length(record, separator);
    let mut start = 0;
    for _ in 1..number {
        start += record[start..end].iter().position(|byte| *byte == separator)? + 1;
    }
    let length = record[start..end].iter().position(|byte| *byte == separator);
    match length {
        Some(length) => Some(start..start + length),
        None => (start < end).then_some(start..end),
    }
}

/// The length of a record without the $00$ bytes behind its last separator.
fn content_length(record: &[u8], separator: u8) -> usize {
    let used = record.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    match used == 0 || record[used - 1] == separator {
        true => used,
        false => record.len(),
    }
}

/// A record with another text in a field. A record with fewer fields gets empty ones before it.
pub fn with_field(record: &[u8], number: u32, separator: u8, text: &[u8]) -> Vec<u8> {
    if let Some(range) = field_range(record, number, separator) {
        return [&record[..range.start], text, &record[range.end..]].concat();
    }
    let mut grown = record[..content_length(record, separator)].to_vec();
    if grown.last().is_some_and(|last| *last != separator) {
        grown.push(separator);
    }
    let fields = grown.iter().filter(|byte| **byte == separator).count();
    let missing = (number as usize).saturating_sub(fields + 1);
    grown.resize(grown.len() + missing, separator);
    grown.extend_from_slice(text);
    grown.push(separator);
    grown
}

/// Returns true if a record has a field, with a text or empty.
pub fn has_field(record: &[u8], number: u32, separator: u8) -> bool {
    field_range(record, number, separator).is_some()
}

/// Returns true if a record has a field with a text.
pub fn has_text(record: &[u8], number: u32, separator: u8) -> bool {
    field_range(record, number, separator).is_some_and(|range| !range.is_empty())
}

/// The bytes of a value in a field; NULL is an empty field. A number has no zeros behind its decimals.
///
/// Errors: `InvalidValue` for a text with the separator or with characters that the code page does not have, and for a number that
/// is not finite.
pub fn bytes_of_field(value: &Value, separator: Option<u8>) -> Result<Vec<u8>> {
    let bytes = match value {
        Value::Null => Vec::new(),
        Value::Text(text) => encoded(text)?,
        Value::Binary(bytes) => bytes.clone(),
        Value::Boolean(value) => vec![b'0' + u8::from(*value)],
        Value::Integer(number) => number.to_string().into_bytes(),
        Value::Decimal(number) => without_zeros(&number.to_string()).to_owned().into_bytes(),
        Value::Float(number) if number.is_finite() => number.to_string().into_bytes(),
        Value::Float(_) => return Err(invalid("the value is not a finite number".to_owned())),
        other => encoded(&other.to_string())?,
    };
    match separator.filter(|separator| bytes.contains(separator)) {
        Some(separator) => {
            let message = format!("the value contains the byte ${separator:02X}$, which ends the fields of the record");
            Err(invalid(message))
        }
        None => Ok(bytes),
    }
}

fn encoded(text: &str) -> Result<Vec<u8>> {
    let byte = |character: char| {
        let missing = || invalid(format!("the code page of the record has no character '{character}'"));
        code_page::byte(character).ok_or_else(missing)
    };
    text.chars().map(byte).collect()
}

fn without_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

fn invalid(message: String) -> Error {
    Error::new(Code::InvalidValue, message)
}

/// The columns of a view over the fields of a packed column, by the text of its query and the names that the view gives them.
/// `None` for another view.
///
/// Errors: those of reading the query.
pub fn packed_view(query: &str, names: &[String]) -> Result<Option<PackedView>> {
    // Most views name none of the functions, and are not read.
    let lower = query.to_ascii_lowercase();
    if ["field_text", "field_number", "code_page_text"].iter().any(|name| lower.contains(name)) {
        Ok(PackedView::of(&parsed(query)?, names))
    } else {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_replaced_and_other_bytes_stay() {
        let set = |record: &str, number, text: &str| {
            String::from_utf8(with_field(record.as_bytes(), number, b'|', text.as_bytes())).unwrap()
        };
        assert_eq!(set("A|B|C|", 2, "longer"), "A|longer|C|");
        assert_eq!(set("A|B|C|", 3, ""), "A|B||");
        // A last field without its separator stays without it.
        assert_eq!(set("A|B", 2, "x"), "A|x");
        assert_eq!(set("A|B", 4, "x"), "A|B||x|");
        assert_eq!(set("", 1, "x"), "x|");
        assert_eq!(set("", 3, "x"), "||x|");
        // $00$ behind the last separator is filling, and no field.
        assert_eq!(set("A|\0\0\0", 2, "x"), "A|x|");
        assert_eq!(set("A\0|B\0", 2, "x"), "A\0|x");
    }

    #[test]
    fn fields_with_great_numbers_are_not_written() {
        let source = |number: u32| {
            let query = format!("SELECT field_text(record, 1) AS a, field_text(record, {number}) AS b FROM t");
            packed_view(&query, &[]).unwrap().unwrap().columns[1].source.clone()
        };
        assert!(matches!(source(65_535), PackedSource::Field(_)));
        assert_eq!(source(65_536), PackedSource::Expression);
        assert_eq!(source(4_000_000_000), PackedSource::Expression);
    }

    #[test]
    fn values_become_text_of_fields() {
        let text =
            |value: Value| bytes_of_field(&value, Some(b'|')).map(|bytes| code_page::decode(&bytes).into_owned());
        assert_eq!(text(Value::Null).unwrap(), "");
        assert_eq!(text(Value::Text("M\u{fc}ller".to_owned())).unwrap(), "M\u{fc}ller");
        let decimal = |unscaled| Value::Decimal(mainstay_types::Decimal::new(unscaled, 2));
        assert_eq!((text(decimal(1250)).unwrap(), text(decimal(-300)).unwrap()), ("12.5".into(), "-3".into()));
        assert_eq!((text(decimal(0)).unwrap(), text(Value::Integer(700)).unwrap()), ("0".into(), "700".into()));
        for refused in [Value::Text("a|b".to_owned()), Value::Text("\u{4e2d}".to_owned()), Value::Float(f64::NAN)] {
            assert_eq!(text(refused).unwrap_err().code(), Code::InvalidValue);
        }
    }
}
