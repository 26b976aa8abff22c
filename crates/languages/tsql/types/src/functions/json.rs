//! Functions of JSON: ISJSON, JSON_VALUE, JSON_QUERY, JSON_MODIFY, JSON_PATH_EXISTS, JSON_OBJECT, JSON_ARRAY.
//!
//! The type of a value determines its JSON: numbers and bits as they are, everything else as a string. An
//! [`Argument`](crate::Argument) marked as JSON is inserted unchanged.

use super::Function;
use super::binding::{Binding, Call, text, value};
use super::hash::base64;
use super::strings_build::json_escaped;
use crate::context::Context;
use crate::convert::{convert, float_text};
use crate::json::{Kind, Path, Step, children, read};
use crate::messages::Message;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("ISJSON", (1, 2), is_json_type, is_json),
    Function::new("JSON_VALUE", (2, 2), |b| query_type(b, DataType::NVarChar(Length::Limited(4000))), json_value),
    Function::new("JSON_QUERY", (1, 2), |b| query_type(b, DataType::NVarChar(Length::Max)), json_query),
    Function::new("JSON_PATH_EXISTS", (2, 2), |b| query_type(b, DataType::Int), path_exists),
    Function::new("JSON_MODIFY", (3, 3), modify_type, modify).sees_nulls(),
    Function::new("JSON_OBJECT", (0, 254), object_type, |call, values| object(call, values, true)).sees_nulls(),
    Function::new("JSON_ARRAY", (0, 254), array_type, |call, values| array(call, values, false)).sees_nulls(),
    // With the clause at the end of the arguments that is not what happens without one.
    Function::new("JSON_OBJECT ABSENT ON NULL", (0, 254), object_type, |call, values| object(call, values, false))
        .sees_nulls(),
    Function::new("JSON_ARRAY NULL ON NULL", (0, 254), array_type, |call, values| array(call, values, true))
        .sees_nulls(),
];

/// The second argument of ISJSON is one of the words VALUE, ARRAY, OBJECT and SCALAR, as a text.
fn is_json_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.text_or_large(0)?;
    if binding.count() > 1 {
        binding.text(1)?;
    }
    Ok(DataType::Int)
}

fn is_json(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let wanted = text(values, 1).to_ascii_uppercase();
    let is = read(text(values, 0)).is_ok_and(|node| match wanted.as_str() {
        "VALUE" => true,
        "SCALAR" => matches!(node.kind, Kind::String | Kind::Number),
        "ARRAY" => node.kind == Kind::Array,
        "OBJECT" => node.kind == Kind::Object,
        _ => !node.is_scalar(),
    });
    Ok(Value::Integer(i64::from(is)))
}

fn query_type(binding: &mut Binding<'_>, result: DataType) -> Result<DataType, Message> {
    binding.text_or_large(0)?;
    if binding.count() > 1 {
        binding.text(1)?;
    }
    Ok(result)
}

fn json_value(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (json, path) = (text(values, 0), Path::read(text(values, 1))?);
    let node = path.find(json).map_err(|malformed| malformed.message(json))?;
    let missing = |number| if path.strict { Err(Message::numbered(number, &[])) } else { Ok(Value::Null) };
    match node {
        None => missing(13608),
        Some(node) if !node.is_scalar() => missing(13623),
        Some(node) => match node.scalar(json) {
            Some(scalar) if crate::text::length(&scalar, true) > 4000 => match path.strict {
                true => Err(Message::numbered(13625, &[])),
                false => Ok(Value::Null),
            },
            scalar => Ok(scalar.map_or(Value::Null, Value::Text)),
        },
    }
}

fn json_query(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let json = text(values, 0);
    let path = Path::read(if values.len() > 1 { text(values, 1) } else { "$" })?;
    let node = path.find(json).map_err(|malformed| malformed.message(json))?;
    match node {
        Some(node) if !node.is_scalar() => Ok(Value::Text(node.text(json).to_owned())),
        Some(_) if path.strict => Err(Message::numbered(13624, &[])),
        None if path.strict => Err(Message::numbered(13608, &[])),
        _ => Ok(Value::Null),
    }
}

fn path_exists(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (json, path) = (text(values, 0), Path::read(text(values, 1))?);
    let found = path.find(json).map_err(|malformed| malformed.message(json))?.is_some();
    Ok(Value::Integer(i64::from(found)))
}

fn modify_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.text_or_large(0)?;
    binding.text(1)?;
    Ok(DataType::NVarChar(Length::Max))
}

/// A value of a type as JSON, as FOR JSON and the functions write it: numbers and bits as they are, bytes in base 64,
/// everything else between quotes, and what is JSON already unchanged.
pub fn json_of(
    context: &Context<'_>,
    value: ValueRef<'_>,
    data_type: DataType,
    is_json: bool,
) -> Result<String, Message> {
    Ok(match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Boolean(bit) => bit.to_string(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Decimal(number) => number.to_string(),
        ValueRef::Float(number) => float_text(number, 126, data_type == DataType::Real),
        ValueRef::Text(text) if is_json => text.to_owned(),
        ValueRef::Text(text) => format!("\"{}\"", json_escaped(text)),
        ValueRef::Binary(bytes) => format!("\"{}\"", base64(bytes, false)),
        other => {
            let style = data_type.is_moment().then_some(126);
            match convert(context, other, data_type, DataType::NVarChar(Length::Max), style)? {
                Value::Text(text) => format!("\"{}\"", json_escaped(&text)),
                _ => "null".to_owned(),
            }
        }
    })
}

/// A value of an argument as JSON.
fn written(call: &Call<'_>, values: &[ValueRef<'_>], index: usize) -> Result<String, Message> {
    json_of(call.context, value(values, index), call.argument_type(index), call.is_json(index))
}

/// Changes, adds or (with a NULL, in lax mode) takes away what the path leads to.
fn modify(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (ValueRef::Text(json), ValueRef::Text(path)) = (value(values, 0), value(values, 1)) else {
        return Ok(Value::Null);
    };
    let path = Path::read(path)?;
    let malformed = |malformed: crate::json::Malformed| malformed.message(json);
    let new = written(call, values, 2)?;
    let removes = value(values, 2).is_null() && !path.strict && !path.append;
    let replaced = |from: usize, to: usize, by: &str| {
        [json.get(..from).unwrap_or_default(), by, json.get(to..).unwrap_or_default()].concat()
    };
    let node = path.find(json).map_err(malformed)?;
    let changed = match (node, path.steps.split_last()) {
        (Some(node), _) if path.append => match node.kind {
            Kind::Array => {
                let empty = children(json, &node).map_err(malformed)?.is_empty();
                let end = node.range.end - 1;
                replaced(end, end, &if empty { new } else { format!(",{new}") })
            }
            _ if path.strict => return Err(Message::numbered(13624, &[])),
            _ => json.to_owned(),
        },
        (Some(node), Some((Step::Key(key), parents))) if removes => {
            let parent = Path { steps: parents.to_vec(), ..path.clone() };
            let parent = parent.find(json).map_err(malformed)?;
            let members = parent.map_or(Ok(Vec::new()), |parent| children(json, &parent)).map_err(malformed)?;
            let at = members.iter().position(|child| child.key.as_ref() == Some(key));
            let next = at.and_then(|at| members.get(at + 1)).map(|child| child.start);
            let previous = at.and_then(|at| members.get(at.checked_sub(1)?)).map(|child| child.node.range.end);
            let own = at.and_then(|at| members.get(at)).map_or(node.range.start, |child| child.start);
            match (next, previous) {
                (Some(next), _) => replaced(own, next, ""),
                (None, Some(previous)) => replaced(previous, node.range.end, ""),
                (None, None) => replaced(own, node.range.end, ""),
            }
        }
        (Some(node), _) => replaced(node.range.start, node.range.end, &new),
        (None, _) if path.strict => return Err(Message::numbered(13608, &[])),
        (None, Some((Step::Key(key), parents))) if !value(values, 2).is_null() => {
            let parent = Path { steps: parents.to_vec(), ..path.clone() }.find(json).map_err(malformed)?;
            match parent.filter(|parent| parent.kind == Kind::Object) {
                None => json.to_owned(),
                Some(parent) => {
                    let empty = children(json, &parent).map_err(malformed)?.is_empty();
                    let new = if path.append { format!("[{new}]") } else { new };
                    let comma = if empty { "" } else { "," };
                    let end = parent.range.end - 1;
                    replaced(end, end, &format!("{comma}\"{}\":{new}", json_escaped(key)))
                }
            }
        }
        (None, _) => json.to_owned(),
    };
    Ok(Value::Text(changed))
}

/// Keys and values by turns.
fn object_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    if binding.count() % 2 == 1 {
        return Err(Message::numbered(102, &[&")"]));
    }
    for index in (0..binding.count()).step_by(2) {
        binding.text(index)?;
    }
    Ok(DataType::NVarChar(Length::Max))
}

/// A NULL is written as null, or its member left out.
fn object(call: &Call<'_>, values: &[ValueRef<'_>], nulls: bool) -> Result<Value, Message> {
    let mut members = Vec::with_capacity(values.len() / 2);
    for index in (0..values.len()).step_by(2) {
        if nulls || !value(values, index + 1).is_null() {
            members.push(format!("\"{}\":{}", json_escaped(text(values, index)), written(call, values, index + 1)?));
        }
    }
    Ok(Value::Text(format!("{{{}}}", members.join(","))))
}

fn array_type(_: &mut Binding<'_>) -> Result<DataType, Message> {
    Ok(DataType::NVarChar(Length::Max))
}

/// A NULL is left out, or written as null.
fn array(call: &Call<'_>, values: &[ValueRef<'_>], nulls: bool) -> Result<Value, Message> {
    let present = (0..values.len()).filter(|index| nulls || !value(values, *index).is_null());
    let elements = present.map(|index| written(call, values, index)).collect::<Result<Vec<_>, _>>()?;
    Ok(Value::Text(format!("[{}]", elements.join(","))))
}
