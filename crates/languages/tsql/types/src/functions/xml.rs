//! The methods of XML as functions, which the reduction of statements calls: the values of `sql:variable` and
//! `sql:column` follow the path.

use super::Function;
use super::binding::{Binding, Call, text};
use crate::context::Context;
use crate::convert::convert;
use crate::messages::Message;
use crate::types::{DataType, Length};
use crate::variant::decode;
use crate::xml::{self, Given};
use mainstay_types::{Value, ValueRef};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("XML_VALUE", (2, 64), value_type, value).sees_nulls(),
    Function::new("XML_BYTES", (2, 64), bytes_type, bytes).sees_nulls(),
    Function::new("XML_QUERY", (2, 64), |b| xml_type(b, DataType::Xml), query).sees_nulls(),
    Function::new("XML_EXIST", (2, 64), |b| xml_type(b, DataType::Bit), exist).sees_nulls(),
    Function::new("XML_MODIFY", (2, 64), |b| xml_type(b, DataType::Xml), modify).sees_nulls(),
    Function::new("TEXT_WRITE", (4, 4), write_type, write).sees_nulls(),
];

/// The first argument is XML or, as in a query over text, becomes it; the path is a literal.
fn xml_type(binding: &mut Binding<'_>, result: DataType) -> Result<DataType, Message> {
    binding.become_type(0, DataType::Xml);
    binding.text(1)?;
    Ok(result)
}

/// The type that `value` converts to.
///
/// Errors: 2389 for a path to several items.
fn value_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    if let Some(ValueRef::Text(path)) = binding.argument(1).constant {
        xml::check_single(path)?;
    }
    xml_type(binding, DataType::NVarChar(Length::Max))
}

/// The type that `value` converts to before it is converted to bytes.
///
/// Errors: as [`value_type`].
fn bytes_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    value_type(binding).map(|_| DataType::VarBinary(Length::Max))
}

/// The values behind the path: texts, and bytes as they are.
pub(crate) fn xml_variables(values: &[ValueRef<'_>]) -> Result<Vec<Value>, Message> {
    let text = |value: &ValueRef<'_>| {
        let (from, value) = decode(*value);
        match value {
            Value::Null | Value::Binary(_) => Ok(value),
            value => convert(&Context::default(), value.as_ref(), from, DataType::NVarChar(Length::Max), None),
        }
    };
    values.iter().skip(2).map(text).collect()
}

/// The same as paths are given them.
pub(crate) fn given(values: &[Value]) -> Vec<Option<Given<'_>>> {
    fn one(value: &Value) -> Option<Given<'_>> {
        match value {
            Value::Text(text) => Some(Given::Text(text)),
            Value::Binary(bytes) => Some(Given::Binary(bytes)),
            _ => None,
        }
    }
    values.iter().map(one).collect()
}

/// Calls a method, unless the XML is NULL.
fn method<T>(
    values: &[ValueRef<'_>],
    work: impl FnOnce(&str, &str, &xml::Variables<'_>) -> Result<T, Message>,
) -> Result<Option<T>, Message> {
    if values.iter().take(2).any(|value| value.is_null()) {
        return Ok(None);
    }
    let variables = xml_variables(values)?;
    work(text(values, 0), text(values, 1), &given(&variables)).map(Some)
}

fn value(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(method(values, xml::value)?.flatten().map_or(Value::Null, Value::Text))
}

fn bytes(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(method(values, xml::bytes)?.flatten().map_or(Value::Null, Value::Binary))
}

fn query(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(method(values, xml::query)?.map_or(Value::Null, Value::Text))
}

fn exist(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(method(values, xml::exist)?.map_or(Value::Null, Value::Boolean))
}

fn modify(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(method(values, xml::modify)?.map_or(Value::Null, Value::Text))
}

/// `column.WRITE(text, offset, length)`: a text with another part, or with more at its end.
fn write_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let result = DataType::string_max(binding.text_or_large(0)?.encoding());
    binding.text_or_large(1)?;
    binding.integer(2)?;
    binding.integer(3)?;
    Ok(result)
}

fn write(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    if values.first().is_none_or(|old| old.is_null()) {
        // The server refuses it, for there is nothing to write into.
        return Err(Message::error(6832, "UPDATE using the WRITE method is not possible on a NULL value."));
    }
    let (old, new) = (text(values, 0), text(values, 1));
    let count = |place: usize| match values.get(place) {
        Some(ValueRef::Integer(number)) => usize::try_from(*number).ok(),
        _ => None,
    };
    let Some(offset) = count(2) else { return Ok(Value::Text(format!("{old}{new}"))) };
    let before: String = old.chars().take(offset).collect();
    let behind: String = match (count(3), values.get(1).is_some_and(|new| new.is_null())) {
        // NULL as the text cuts off what follows.
        (_, true) | (None, _) => String::new(),
        (Some(length), false) => old.chars().skip(offset.saturating_add(length)).collect(),
    };
    Ok(Value::Text(format!("{before}{new}{behind}")))
}
