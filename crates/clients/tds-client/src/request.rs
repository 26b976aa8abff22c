//! Statements with values, as the call of `sp_executesql` that every driver makes of them.
//!
//! The first value is `@p1`, the next one `@p2`. A value is never part of the text. (SQL Server, sp_executesql.)

use mainstay_tds::client::{DataType, Length};
use mainstay_tds::{Call, Collation, Parameter, ParameterValue};
use mainstay_types::Value;

/// The longest text of a parameter that is not of a MAX type, in UTF-16 units.
const LONGEST_TEXT: usize = 4000;
/// The same of bytes.
const LONGEST_BYTES: usize = 8000;

/// The call that runs a statement with these values.
pub(crate) fn execute_with(text: &str, values: &[Value]) -> Call {
    let mut parameters = vec![parameter("", DataType::NVarChar(Length::Max), Value::Text(text.to_owned()))];
    if !values.is_empty() {
        let declarations: Vec<String> =
            values.iter().enumerate().map(|(index, value)| format!("@p{} {}", index + 1, declared(value).1)).collect();
        let declarations = Value::Text(declarations.join(", "));
        parameters.push(parameter("", DataType::NVarChar(Length::Max), declarations));
    }
    for (index, value) in values.iter().enumerate() {
        parameters.push(parameter(&format!("@p{}", index + 1), declared(value).0, value.clone()));
    }
    Call { procedure: "sp_executesql".to_owned(), recompile: false, no_metadata: false, parameters }
}

fn parameter(name: &str, data_type: DataType, value: Value) -> Parameter {
    Parameter {
        name: name.to_owned(),
        output: false,
        default: false,
        data_type,
        collation: Collation::DEFAULT,
        value: ParameterValue::Single(value),
    }
}

/// The type of a value, and its declaration.
fn declared(value: &Value) -> (DataType, String) {
    let fixed = |data_type, name: &str| (data_type, name.to_owned());
    match value {
        Value::Boolean(_) => fixed(DataType::Bit, "bit"),
        Value::Integer(_) => fixed(DataType::BigInt, "bigint"),
        Value::Float(_) => fixed(DataType::Float, "float"),
        Value::Decimal(decimal) => {
            let scale = decimal.scale.min(38);
            (DataType::Decimal { precision: 38, scale }, format!("decimal(38,{scale})"))
        }
        Value::Date(_) => fixed(DataType::Date, "date"),
        Value::Time(_) => fixed(DataType::Time(7), "time(7)"),
        Value::Timestamp(_) => fixed(DataType::DateTime2(7), "datetime2(7)"),
        Value::TimestampWithOffset { .. } => fixed(DataType::DateTimeOffset(7), "datetimeoffset(7)"),
        Value::Uuid(_) => fixed(DataType::UniqueIdentifier, "uniqueidentifier"),
        Value::Binary(bytes) if bytes.len() > LONGEST_BYTES => {
            fixed(DataType::VarBinary(Length::Max), "varbinary(max)")
        }
        Value::Binary(_) => fixed(DataType::VarBinary(Length::Limited(8000)), "varbinary(8000)"),
        Value::Text(text) if text.encode_utf16().count() > LONGEST_TEXT => {
            fixed(DataType::NVarChar(Length::Max), "nvarchar(max)")
        }
        Value::Text(_) | Value::Null | Value::Interval(_) => {
            fixed(DataType::NVarChar(Length::Limited(4000)), "nvarchar(4000)")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_declared_in_their_order() {
        let call = execute_with("SELECT @p1, @p2", &[Value::Integer(7), Value::Text("x".into())]);
        assert_eq!(call.procedure, "sp_executesql");
        let texts: Vec<&ParameterValue> = call.parameters.iter().map(|parameter| &parameter.value).collect();
        let text = |text: &str| ParameterValue::Single(Value::Text(text.to_owned()));
        assert_eq!(*texts[1], text("@p1 bigint, @p2 nvarchar(4000)"));
        assert_eq!(*texts[2], ParameterValue::Single(Value::Integer(7)));
        assert_eq!(call.parameters[3].name, "@p2");
        let long = Value::Text("é".repeat(4001));
        assert_eq!(declared(&long).1, "nvarchar(max)");
    }
}
