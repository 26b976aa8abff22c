//! Values as literals of the core.

use super::type_name;
use mainstay_types::{SqlType, Value};

/// A value of this type as the core writes it.
pub fn literal(value: &Value, sql_type: SqlType) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    match value {
        Value::Null => format!("CAST(NULL AS {})", type_name(sql_type)),
        Value::Boolean(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        Value::Integer(number) => number.to_string(),
        // As text: the core reads no more than 18 digits as an exact number.
        Value::Decimal(number) => {
            format!("CAST('{number}' AS DECIMAL({}, {}))", 38.min(number.scale + 20), number.scale)
        }
        Value::Float(number) => format!("CAST('{number}' AS DOUBLE)"),
        Value::Text(text) => quoted(text),
        Value::Binary(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            format!("X'{digits}'")
        }
        Value::Date(date) => format!("DATE '{date}'"),
        Value::Time(time) => format!("CAST('{time}' AS TIME(3))"),
        Value::Timestamp(moment) => format!("CAST('{moment}' AS TIMESTAMP(3))"),
        other => quoted(&other.to_string()),
    }
}
