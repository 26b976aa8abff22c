//! FORMAT: numbers and moments in the formats of .NET.

use super::Function;
use super::binding::{Binding, Call, text, value};
use crate::convert::Parts;
use crate::dotnet::{self, Culture};
use crate::messages::Message;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};

pub(super) const FUNCTIONS: &[Function] = &[Function::new("FORMAT", (2, 3), format_type, format).sees_nulls()];

fn format_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    match binding.argument(0).data_type {
        Some(data_type) if data_type.is_moment() || (data_type.is_number() && data_type != DataType::Bit) => {}
        _ => return Err(binding.invalid(0)),
    }
    for index in 1..binding.count() {
        match binding.argument(index).data_type {
            Some(data_type) if !data_type.is_string() => return Err(binding.invalid(index)),
            _ => drop(binding.text(index)?),
        }
    }
    Ok(DataType::NVarChar(Length::Limited(4000)))
}

/// A format that is invalid for the value gives NULL; an unknown culture is 9818.
fn format(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let culture = match values.get(2) {
        Some(ValueRef::Text(name)) => Culture::by_name(name).ok_or_else(|| Message::numbered(9818, &[name]))?,
        _ => Culture::of_language(call.context.settings.language),
    };
    if value(values, 0).is_null() || value(values, 1).is_null() {
        return Ok(Value::Null);
    }
    let (shown, pattern) = (value(values, 0), text(values, 1));
    let formatted = match shown {
        ValueRef::Time(time) => dotnet::time(time, pattern),
        ValueRef::Date(_) | ValueRef::Timestamp(_) | ValueRef::TimestampWithOffset { .. } => {
            let parts = Parts::of(shown);
            dotnet::date(parts.local(), parts.offset, call.argument_type(0), pattern, culture)
        }
        _ => dotnet::number(shown, pattern, culture),
    };
    Ok(formatted.map_or(Value::Null, Value::Text))
}
