//! Places in an order as conditions of SQL.
//!
//! An order is a list of expressions, of which the last ones identify the row. A place is the first values of such a list. NULL
//! comes before all values.

use crate::shape::KeyPart;
use mainstay_types::Value;

/// A condition for the rows behind a place (before it, with `forward` false), and with `included` those at the place. Appends
/// the values of its parameters.
pub(crate) fn behind(
    parts: &[KeyPart],
    place: &[Value],
    (forward, included): (bool, bool),
    parameters: &mut Vec<Value>,
) -> String {
    let Some(((part, rest), (value, values))) = parts.split_first().zip(place.split_first()) else {
        return if included { "TRUE".to_owned() } else { "FALSE".to_owned() };
    };
    let sql = &part.sql;
    let is_null = matches!(value, Value::Null);
    let mut text = String::from("(");
    match (forward != part.descending, is_null) {
        (true, true) => text.push_str(&format!("{sql} IS NOT NULL")),
        (true, false) => text.push_str(&format!("{sql} > ?")),
        (false, true) => text.push_str("FALSE"),
        (false, false) if part.nullable => text.push_str(&format!("{sql} < ? OR {sql} IS NULL")),
        (false, false) => text.push_str(&format!("{sql} < ?")),
    }
    if !is_null {
        parameters.push(value.clone());
    }
    if included || (!rest.is_empty() && !values.is_empty()) {
        text.push_str(" OR (");
        text.push_str(&equal(part, value, parameters));
        text.push_str(" AND ");
        text.push_str(&behind(rest, values, (forward, included), parameters));
        text.push(')');
    }
    text.push(')');
    text
}

/// A condition for one part.
fn equal(part: &KeyPart, value: &Value, parameters: &mut Vec<Value>) -> String {
    match value {
        Value::Null => format!("{} IS NULL", part.sql),
        value => {
            parameters.push(value.clone());
            format!("{} = ?", part.sql)
        }
    }
}

/// A condition for the rows at a place.
pub(crate) fn at(parts: &[KeyPart], place: &[Value], parameters: &mut Vec<Value>) -> String {
    let all: Vec<String> = parts.iter().zip(place).map(|(part, value)| equal(part, value, parameters)).collect();
    if all.is_empty() { "TRUE".to_owned() } else { all.join(" AND ") }
}

/// The ORDER BY of an order.
pub(crate) fn sorted(parts: &[KeyPart], forward: bool) -> String {
    let part = |part: &KeyPart| {
        let direction = if forward != part.descending { "ASC" } else { "DESC" };
        let nulls = match (part.nullable, forward != part.descending) {
            (false, _) => "",
            (true, true) => " NULLS FIRST",
            (true, false) => " NULLS LAST",
        };
        format!("{} {direction}{nulls}", part.sql)
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}
