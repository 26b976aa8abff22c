//! Every function with arguments of any type and value: the result is a value of the declared type, or a message, and
//! nothing panics.

use super::super::{Function, all};
use crate::argument::Argument;
use crate::context::{Context, Random};
use crate::convert::convert;
use crate::convert::tests::{TYPES, data_type};
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};

/// Numbers that a seed gives, the same every time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Texts that are, or nearly are, values of many types, formats and paths.
const TEXTS: [&str; 47] = [
    "",
    " ",
    "0",
    "1",
    "-1",
    "255",
    "-32768",
    "2147483647",
    "-2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999999999999999999",
    "1e308",
    "-1e-300",
    "0.1",
    "922337203685477.5807",
    "true",
    "2024-02-29",
    "1753-01-01",
    "0001-01-01",
    "9999-12-31 23:59:59.9999999",
    "23:59:59.9999999",
    "2024-01-31 10:00:00 +14:00",
    "6F9619FF-8B86-D011-B42D-00C04FC964FF",
    "é漢😀",
    "%[a-",
    "[^]%",
    "yyyy-MM-dd'",
    "#,##0.00;(0)",
    "E+",
    "X99",
    "G17",
    "json",
    "{\"a\":[1,{\"b\":\"x\"}]}",
    "$.a[1].b",
    "append strict $.a",
    "<a b=\"1\"><c>x</c>&amp;</a>",
    "(/a/c[. = \"x\"]/text())[1]",
    "replace value of (/a/@b)[1] with sql:variable(\"@v\")",
    "[",
    "\\",
    "MD5",
    "en-US",
    "de-DE",
    "+05:30",
    "Pacific Standard Time",
    "server.db.[dbo].\"t\"\"x\"",
];

const WORDS: [&str; 15] = [
    "year",
    "quarter",
    "month",
    "dayofyear",
    "day",
    "week",
    "weekday",
    "hour",
    "minute",
    "second",
    "ms",
    "mcs",
    "ns",
    "tz",
    "iso_week",
];

/// A value of some type: one of the texts that converts to it.
fn value(draw: &mut Draw, context: &Context<'_>) -> (DataType, Value) {
    let wanted = data_type(draw.of(&TYPES));
    if draw.below(8) == 0 {
        return (wanted, Value::Null);
    }
    let varchar = DataType::NVarChar(Length::Max);
    for _ in 0..8 {
        if let Ok(value) = convert(context, ValueRef::Text(draw.of(&TEXTS)), varchar, wanted, None) {
            return (wanted, value);
        }
    }
    (varchar, Value::Text(draw.of(&TEXTS).to_owned()))
}

fn try_one(draw: &mut Draw, context: &Context<'_>, function: &'static Function) -> bool {
    let least = function.min;
    let count = least + draw.below(function.max.min(least + 3) + 1 - least);
    let skip = usize::from(function.takes_part);
    let values: Vec<(DataType, Value)> = (skip..count).map(|_| value(draw, context)).collect();
    let mut arguments: Vec<Argument<'_>> = values
        .iter()
        .map(|(data_type, value)| match draw.below(3) {
            0 => Argument::of(*data_type),
            _ => Argument::constant(*data_type, value.as_ref()),
        })
        .collect();
    if function.takes_part && count > 0 {
        arguments.insert(0, Argument::keyword(draw.of(&WORDS)));
    }
    let Ok(bound) = function.bind(&arguments) else { return false };
    let refs: Vec<ValueRef<'_>> = values.iter().map(|(_, value)| value.as_ref()).collect();
    let Ok(result) = bound.evaluate(context, &refs) else { return false };
    assert!(fits(&result, bound.result), "{} gave {result} as {}", function.name, bound.result);
    true
}

/// Returns true if a value has the form of a type.
fn fits(value: &Value, data_type: DataType) -> bool {
    match value {
        Value::Null => true,
        _ if data_type == DataType::SqlVariant => true,
        Value::Boolean(_) => data_type == DataType::Bit,
        Value::Integer(number) => {
            let (least, most) = crate::convert::range(data_type);
            data_type.is_integer() && data_type != DataType::Bit && (least..=most).contains(number)
        }
        Value::Decimal(number) => {
            let (precision, scale) = data_type.as_exact().unwrap_or((0, 0));
            number.scale == scale && number.unscaled.unsigned_abs() < 10u128.pow(u32::from(precision))
        }
        Value::Float(number) => data_type.is_approximate() && number.is_finite(),
        Value::Text(text) => {
            let room = data_type.limit().map_or(usize::MAX, usize::from);
            (data_type.is_text() || data_type == DataType::Xml)
                && crate::text::length(text, data_type.is_national()) <= room
        }
        Value::Binary(bytes) => {
            data_type.is_binary() && bytes.len() <= data_type.limit().map_or(usize::MAX, usize::from)
        }
        Value::Date(_) => data_type == DataType::Date,
        Value::Time(_) => matches!(data_type, DataType::Time(_)),
        Value::Timestamp(_) => {
            matches!(data_type, DataType::DateTime | DataType::SmallDateTime | DataType::DateTime2(_))
        }
        Value::TimestampWithOffset { .. } => matches!(data_type, DataType::DateTimeOffset(_)),
        Value::Uuid(_) => data_type == DataType::UniqueIdentifier,
        Value::Interval(_) => false,
    }
}

#[test]
fn no_argument_breaks_a_function() {
    let random = Random::seeded(3);
    let context = super::harness::context(&random);
    let mut draw = Draw(20_240_305);
    let mut silent = Vec::new();
    for function in all() {
        let answers = (0..400).filter(|_| try_one(&mut draw, &context, function)).count();
        if answers == 0 {
            silent.push(function.name);
        }
    }
    // Functions with many arguments of one kind seldom get them, and only columns have pointers.
    silent.retain(|name| !name.ends_with("FROMPARTS") && *name != "TEXTPTR");
    assert!(silent.is_empty(), "{silent:?} never gave a value");
}
