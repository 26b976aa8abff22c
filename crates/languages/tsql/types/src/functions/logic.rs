//! Functions that choose among their arguments, and functions that test values: ISNULL, COALESCE, NULLIF, IIF, CHOOSE,
//! GREATEST, LEAST, ISNUMERIC, CHECKSUM, NEWID, FORMATMESSAGE.
//!
//! They are not lazy: all their values are evaluated before. A caller that needs `COALESCE(a, 1 / 0)` without its error
//! binds the function for its types only.

use super::Function;
use super::binding::{Binding, Call, integer, text, value};
use crate::argument::Argument;
use crate::convert::{convert, parse_float, parse_money};
use crate::messages::Message;
use crate::operators::{Comparison, ComparisonOperator, order};
use crate::types::{self, DataType, Length};
use mainstay_types::{Value, ValueRef};
use std::cmp::Ordering;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("ISNULL", (2, 2), is_null_type, coalesce).sees_nulls(),
    Function::new("COALESCE", (2, 4096), coalesce_type, coalesce).sees_nulls(),
    Function::new("NULLIF", (2, 2), null_if_type, null_if).sees_nulls(),
    Function::new("IIF", (3, 3), iif_type, iif).sees_nulls(),
    Function::new("CHOOSE", (2, 254), choose_type, choose).sees_nulls(),
    Function::new("GREATEST", (1, 254), extreme_type, |call, values| Ok(extreme(call, values, Ordering::Greater)))
        .sees_nulls(),
    Function::new("LEAST", (1, 254), extreme_type, |call, values| Ok(extreme(call, values, Ordering::Less)))
        .sees_nulls(),
    Function::new("ISNUMERIC", (1, 1), is_numeric_type, is_numeric).sees_nulls(),
    Function::new("CHECKSUM", (1, 4096), |_| Ok(DataType::Int), |call, values| Ok(checksum(call, values, false)))
        .sees_nulls(),
    Function::new("BINARY_CHECKSUM", (1, 4096), |_| Ok(DataType::Int), |call, values| Ok(checksum(call, values, true)))
        .sees_nulls(),
    Function::new("NEWID", (0, 0), |_| Ok(DataType::UniqueIdentifier), new_id).per_row(),
    Function::new("FORMATMESSAGE", (1, 21), format_message_type, format_message).sees_nulls(),
];

/// The type of the first argument, and its length; the second one becomes it.
fn is_null_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let (first, second) = (binding.argument(0), binding.argument(1));
    let result = match (first.data_type, second.data_type) {
        (Some(first), _) => first,
        (None, Some(second)) => second,
        (None, None) => DataType::Int,
    };
    if let Some(second) = second.data_type {
        types::implicit(second, result)?;
    }
    binding.become_type(0, result);
    Ok(binding.become_type(1, result))
}

/// The one type of all arguments from one on.
fn union_from(binding: &mut Binding<'_>, first: usize) -> Result<DataType, Message> {
    let all = crate::common_type(binding.arguments.get(first..).unwrap_or_default())?;
    let result = all.unwrap_or(DataType::Int);
    for index in first..binding.count() {
        binding.become_type(index, result);
    }
    Ok(result)
}

/// 4127 when every argument is a bare NULL.
fn coalesce_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    if binding.arguments.iter().all(Argument::is_null) {
        return Err(Message::numbered(4127, &[]));
    }
    union_from(binding, 0)
}

fn coalesce(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(values.iter().find(|value| !value.is_null()).map_or(Value::Null, |value| value.to_value()))
}

/// 4151 when the first argument is a bare NULL.
fn null_if_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let first = binding.argument(0).data_type.ok_or_else(|| Message::numbered(4151, &[]))?;
    Comparison::bind(ComparisonOperator::Equal, binding.argument(0), binding.argument(1))?;
    if binding.argument(1).is_null() {
        binding.become_type(1, first);
    }
    // A constant is as small as it can be; of NULLIF alone, and of its first argument.
    Ok(match (first, binding.argument(0).constant_integer()) {
        (DataType::Int, Some(0..=255)) => DataType::TinyInt,
        (DataType::Int, Some(-32_768..=32_767)) => DataType::SmallInt,
        _ => first,
    })
}

fn null_if(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (a, b) = (value(values, 0), value(values, 1));
    if a.is_null() || b.is_null() {
        return Ok(a.to_value());
    }
    let (left, right) = (Argument::of(call.argument_type(0)), Argument::of(call.argument_type(1)));
    let left = left.collate(call.collation());
    let equal = Comparison::bind(ComparisonOperator::Equal, left, right)?.order(call.context, a, b)?.is_eq();
    Ok(if equal { Value::Null } else { a.to_value() })
}

/// The first argument is the condition, as a BIT.
fn iif_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.become_type(0, DataType::Bit);
    if binding.argument(1).is_null() && binding.argument(2).is_null() {
        return Err(Message::numbered(8133, &[]));
    }
    union_from(binding, 1)
}

fn iif(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let condition = matches!(value(values, 0), ValueRef::Boolean(true));
    Ok(value(values, if condition { 1 } else { 2 }).to_value())
}

fn choose_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.integer(0)?;
    union_from(binding, 1)
}

fn choose(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let index = usize::try_from(integer(values, 0)).ok().filter(|index| *index > 0 && !value(values, 0).is_null());
    Ok(index.map_or(Value::Null, |index| value(values, index).to_value()))
}

fn extreme_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    for index in 0..binding.count() {
        let data_type = binding.argument(index).data_type_or_int();
        if data_type.is_large_object() || data_type == DataType::Xml {
            return Err(binding.invalid(index));
        }
    }
    union_from(binding, 0)
}

/// NULLs do not count unless there is nothing else.
fn extreme(call: &Call<'_>, values: &[ValueRef<'_>], wanted: Ordering) -> Value {
    let mut best = ValueRef::Null;
    for value in values.iter().filter(|value| !value.is_null()) {
        if best.is_null() || order(*value, best, call.collation()) == wanted {
            best = *value;
        }
    }
    best.to_value()
}

fn is_numeric_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    if binding.argument(0).is_null() {
        binding.become_type(0, DataType::Int);
    }
    Ok(DataType::Int)
}

/// Returns true if a text is a number of any kind: also an amount, or a sign alone.
fn is_numeric(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let numeric = match value(values, 0) {
        ValueRef::Null => false,
        ValueRef::Text(text) => {
            // A tab or the end of a line counts as an amount of nothing, which blanks alone do not.
            let has_control = text.contains(['\t', '\n', '\u{b}', '\u{c}', '\r']);
            match text.trim_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']) {
                "" => has_control,
                text => parse_float(text).is_some() || parse_money(text).is_ok(),
            }
        }
        ValueRef::Boolean(_) => false,
        _ => call.argument_type(0).is_number(),
    };
    Ok(Value::Integer(i64::from(numeric)))
}

/// A number of 32 bits that tells rows apart, usually: of each value one, turned by four bits and added without carry.
///
/// A small integer is its own number, a text of BINARY_CHECKSUM is summed up byte by byte in the same way; these are the
/// numbers of SQL Server. For texts of CHECKSUM, whose rule is not published, equal texts (as the collation has it) give
/// equal numbers.
fn checksum(call: &Call<'_>, values: &[ValueRef<'_>], binary: bool) -> Value {
    let fold = |sum: u32, byte: &u8| sum.rotate_left(4) ^ u32::from(*byte);
    let mut sum: u32 = 0;
    for (index, value) in values.iter().enumerate() {
        let number = match value {
            ValueRef::Null => 0x7FFF_FFFF,
            ValueRef::Integer(number) if i32::try_from(*number).is_ok() => *number as u32,
            ValueRef::Text(text) if binary => call.argument_type(index).encoding().encode(text).iter().fold(0, fold),
            ValueRef::Text(text) => call.collation().text_key(text, true).as_bytes().iter().fold(0, fold),
            other => {
                let data_type = call.argument_type(index);
                match convert(call.context, *other, data_type, DataType::VarBinary(Length::Max), None) {
                    Ok(Value::Binary(bytes)) => bytes.iter().fold(0, fold),
                    _ => 0,
                }
            }
        };
        sum = sum.rotate_left(4) ^ number;
    }
    Value::Integer(i64::from(sum as i32))
}

fn new_id(call: &Call<'_>, _: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(Value::Uuid(call.context.random.map_or([0; 16], |random| random.uuid())))
}

/// The first argument is a format, or the number of a message.
fn format_message_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    if !binding.argument(0).data_type_or_int().is_integer() {
        binding.text(0)?;
    }
    Ok(DataType::NVarChar(Length::Limited(2048)))
}

fn format_message(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let template = match value(values, 0) {
        ValueRef::Null => return Ok(Value::Null),
        ValueRef::Integer(number) => match i32::try_from(number).ok().and_then(crate::messages::find) {
            Some((_, template)) => template,
            None => return Ok(Value::Null),
        },
        _ => text(values, 0),
    };
    let arguments = values.get(1..).unwrap_or_default();
    crate::messages::format(template, arguments).map(Value::Text)
}
