//! Results of functions, as in their help pages.

use mainstay_ads_types::{Context, Failure, names, native, operation};
use mainstay_types::{Date, Decimal, SqlType, Time, Timestamp, Value};
use std::sync::atomic::AtomicU64;

fn call(name: &str, values: &[Value]) -> Result<Value, Failure> {
    let seed = AtomicU64::new(1);
    let context = Context { now: Timestamp(0), seed: &seed };
    let operation = operation(name).unwrap_or_else(|| panic!("no function {name}"));
    let values: Vec<_> = values.iter().map(Value::as_ref).collect();
    operation.call(&context, &values)
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn int(number: i64) -> Value {
    Value::Integer(number)
}

fn date(text: &str) -> Value {
    Value::Date(text.parse::<Date>().expect("a date"))
}

fn moment(text: &str) -> Value {
    Value::Timestamp(text.parse::<Timestamp>().expect("a moment"))
}

fn exact(text: &str) -> Value {
    Value::Decimal(text.parse::<Decimal>().expect("a number"))
}

#[test]
fn text_functions() {
    let cases: Vec<(&str, Vec<Value>, Value)> = vec![
        ("left", vec![text("ABC"), int(2)], text("AB")),
        ("left", vec![text("ABC"), int(-1)], text("")),
        ("right", vec![text("ABC"), int(1)], text("C")),
        ("right", vec![text("ABC"), int(-1)], text("ABC")),
        ("right", vec![text("ABC"), int(0)], text("")),
        ("length", vec![text("ab  ")], int(2)),
        ("len", vec![text("ab  ")], int(4)),
        ("trim", vec![text("xy"), text("xyxyxAyxxy")], text("xAyx")),
        ("trim", vec![text(" a ")], text("a")),
        ("trim_leading", vec![text("  a ")], text("a ")),
        ("locate", vec![text("b"), text("abab"), int(3)], int(4)),
        ("position", vec![text("z"), text("abab")], int(0)),
        ("rat", vec![text("b"), text("abab")], int(4)),
        ("insert", vec![text("abcdef"), int(2), int(3), text("X")], text("aXef")),
        ("substring", vec![text("abcdef"), int(3), int(2)], text("cd")),
        ("substring", vec![text("abcdef"), int(3)], text("cdef")),
        ("replace", vec![text("abab"), text("b"), text("")], text("aa")),
        ("reverse", vec![text("abc")], text("cba")),
        ("repeat", vec![text("ab"), int(3)], text("ababab")),
        ("str", vec![Value::Float(12.345), int(7), int(2)], text("  12.35")),
        ("strzero", vec![int(-12), int(5), int(0)], text("-0012")),
        ("str", vec![int(123456), int(3), int(0)], text("***")),
        ("val", vec![text(" 12.5 x")], Value::Float(12.5)),
        ("soundex", vec![text("Robert")], text("R163")),
        ("soundex", vec![text("Ashcraft")], text("A261")),
        ("difference", vec![text("Smith"), text("Smyth")], int(4)),
        ("hex2char", vec![Value::Binary(vec![0xCA, 0xFE])], text("CAFE")),
        ("char2hex", vec![text("ca fe")], Value::Binary(vec![0xCA, 0xFE])),
        ("pad", vec![int(7), int(3), text("0")], text("700")),
        ("padl", vec![int(7), int(3), text("0")], text("007")),
        ("padc", vec![text("ab"), int(5)], text(" ab  ")),
        ("startswith", vec![text("abc"), text("ab")], Value::Boolean(true)),
        ("ascii", vec![text("A")], int(65)),
        ("base64encode", vec![text("Mainstay!")], text("TWFpbnN0YXkh")),
        ("base64encode", vec![text("ab")], text("YWI=")),
        ("base64decode", vec![text("YWI=")], Value::Binary(b"ab".to_vec())),
        ("left", vec![Value::Null, int(2)], Value::Null),
    ];
    for (name, values, expected) in cases {
        assert_eq!(call(name, &values), Ok(expected), "{name}{values:?}");
    }
}

#[test]
fn moment_functions() {
    let cases: Vec<(&str, Vec<Value>, Value)> = vec![
        ("dayofweek", vec![date("2026-11-22")], int(1)),
        ("dayname", vec![date("2026-11-23")], text("Monday")),
        ("monthname", vec![text("2026-11-23")], text("November")),
        ("dayofyear", vec![date("2024-12-31")], int(366)),
        ("quarter", vec![date("2024-07-01")], int(3)),
        ("week", vec![date("2026-01-04")], int(2)),
        ("isoweek", vec![date("2027-01-01")], int(53)),
        ("hour", vec![moment("2026-01-01 13:14:15.678")], int(13)),
        ("frac_second", vec![moment("2026-01-01 13:14:15.678")], int(678)),
        ("minute", vec![text("10:20:30")], int(20)),
        ("dtos", vec![date("2026-01-02")], text("20260102")),
        ("stod", vec![text("20260102")], date("2026-01-02")),
        ("stod", vec![text("nonsense")], Value::Null),
        ("stots", vec![text("20260102 03:04:05")], moment("2026-01-02 03:04:05")),
        ("timestampadd", vec![text("SQL_TSI_MONTH"), int(1), date("2026-01-31")], moment("2026-02-28 00:00")),
        ("timestampadd", vec![text("SQL_TSI_HOUR"), int(-1), moment("2026-01-01 00:30")], moment("2025-12-31 23:30")),
        ("timestampdiff", vec![text("SQL_TSI_DAY"), date("2026-01-01"), date("2026-01-31")], int(30)),
        ("timestampdiff", vec![text("SQL_TSI_MONTH"), date("2026-01-31"), date("2026-02-28")], int(1)),
        ("timestampdiff", vec![text("SQL_TSI_YEAR"), date("2026-06-01"), date("2020-06-02")], int(-5)),
        (
            "createtimestamp",
            vec![int(2026), int(1), int(2), int(3), int(4), int(5), int(6)],
            moment("2026-01-02 03:04:05.006"),
        ),
    ];
    for (name, values, expected) in cases {
        assert_eq!(call(name, &values), Ok(expected), "{name}{values:?}");
    }
}

#[test]
fn operators() {
    let cases: Vec<(&str, Vec<Value>, Value)> = vec![
        ("divide", vec![int(7), int(2)], int(3)),
        ("divide", vec![int(7), Value::Float(2.0)], Value::Float(3.5)),
        ("multiply", vec![exact("1.5"), int(3)], exact("4.5")),
        ("add", vec![text("a"), text("b")], text("ab")),
        ("add", vec![text("a"), Value::Null], Value::Null),
        ("add", vec![date("1993-01-31"), int(30)], date("1993-03-02")),
        ("subtract", vec![date("1993-03-02"), date("1993-01-31")], int(30)),
        ("add", vec![moment("2026-01-01 00:00"), Value::Float(0.5)], moment("2026-01-01 12:00")),
        ("equal", vec![text("a  "), text("a")], Value::Boolean(true)),
        ("equal", vec![text("a"), text("A")], Value::Boolean(false)),
        ("less", vec![text("1992-01-01"), date("1992-01-02")], Value::Boolean(true)),
        ("equal", vec![Value::Boolean(true), int(1)], Value::Boolean(true)),
        ("equal", vec![exact("1.0"), int(1)], Value::Boolean(true)),
        ("like", vec![text("80% Discount"), text("80@% D%"), text("@")], Value::Boolean(true)),
        ("like", vec![text("Smoke   "), text("S_o%e")], Value::Boolean(true)),
        ("like", vec![text("Smoke"), text("s%")], Value::Boolean(false)),
        ("bit_and", vec![int(6), int(3)], int(2)),
        ("shift_left", vec![int(1), int(4)], int(16)),
        ("round", vec![exact("2.345"), int(2)], exact("2.35")),
        ("round", vec![int(1255), int(-2)], int(1300)),
        ("truncate", vec![Value::Float(-2.79), int(1)], Value::Float(-2.7)),
        ("floor", vec![exact("-1.5")], exact("-2")),
        ("ceiling", vec![exact("-1.5")], exact("-1")),
        ("mod", vec![int(-7), int(3)], int(-1)),
        ("empty", vec![Value::Null], Value::Boolean(true)),
        ("inlist", vec![int(2), int(1), int(2)], Value::Boolean(true)),
        ("convert:integer", vec![Value::Float(2.9)], int(2)),
        ("convert:varchar(3)", vec![text("abcdef")], text("abc")),
        ("convert:date", vec![text("2026-01-02")], date("2026-01-02")),
        ("convert:time", vec![text("01:02:03")], Value::Time("01:02:03".parse::<Time>().expect("a time"))),
        ("convert:numeric(10,2)", vec![text("1.5")], exact("1.50")),
    ];
    for (name, values, expected) in cases {
        assert_eq!(call(name, &values), Ok(expected), "{name}{values:?}");
    }
}

#[test]
fn failures_have_their_numbers() {
    let cases: Vec<(&str, Vec<Value>, i32)> = vec![
        ("divide", vec![int(1), int(0)], native::DIVISION),
        ("mod", vec![int(1), int(0)], native::DIVISION),
        ("add", vec![text("a"), int(1)], native::OPERAND),
        ("equal", vec![text("a"), int(1)], native::OPERAND),
        ("multiply", vec![int(i64::MAX), int(2)], native::OVERFLOW),
        ("substring", vec![text("a"), int(0)], native::ARGUMENT),
        ("sqrt", vec![int(-1)], native::ARGUMENT),
        ("timestampadd", vec![text("SQL_TSI_AGE"), int(1), date("2026-01-31")], native::ARGUMENT),
        ("convert:integer", vec![text("abc")], native::CONVERSION),
        ("repeat", vec![text("abc"), int(1 << 40)], native::ARGUMENT),
    ];
    for (name, values, number) in cases {
        assert_eq!(call(name, &values).map_err(|failure| failure.number), Err(number), "{name}{values:?}");
    }
}

#[test]
fn no_function_breaks_on_any_values() {
    let values = [
        Value::Null,
        Value::Boolean(true),
        int(0),
        int(-3),
        int(i64::MAX),
        int(i64::MIN),
        exact("99999999999999999999999999999999999.999"),
        Value::Float(-1.5),
        Value::Float(1e300),
        text(""),
        text("ä€ abc"),
        Value::Binary(vec![1, 2]),
        date("9999-12-31"),
        moment("0001-01-01 00:00"),
        Value::Time("23:59:59".parse::<Time>().expect("a time")),
    ];
    for name in names().filter(|name| *name != "convert").chain(["convert:char(3)", "convert:short", "convert:guid"]) {
        let known = operation(name).unwrap_or_else(|| panic!("no function {name}"));
        let (least, most) = known.function.arguments;
        for count in least..=most.min(4) {
            for start in 0..values.len() * values.len() {
                let at = |place: usize| match place % 2 {
                    0 => start % values.len(),
                    _ => start / values.len(),
                };
                let picked: Vec<Value> =
                    (0..count).map(|place| values[(at(place) + place / 2) % values.len()].clone()).collect();
                let _ = call(name, &picked);
            }
        }
    }
}

#[test]
fn results_have_the_types_that_are_promised() {
    let bind = |name: &str, types: &[SqlType]| {
        let types: Vec<_> = types.iter().copied().map(Some).collect();
        operation(name).expect(name).bind(&types).map(Option::unwrap)
    };
    let exact = |precision, scale| SqlType::Decimal { precision, scale };
    assert_eq!(bind("divide", &[SqlType::Integer, SqlType::SmallInt]), Ok(SqlType::Integer));
    assert_eq!(bind("add", &[exact(5, 2), SqlType::Integer]), Ok(exact(13, 2)));
    assert_eq!(bind("multiply", &[exact(5, 2), exact(4, 1)]), Ok(exact(9, 3)));
    assert_eq!(bind("add", &[SqlType::Date, SqlType::Integer]), Ok(SqlType::Date));
    assert_eq!(bind("subtract", &[SqlType::Date, SqlType::Date]), Ok(SqlType::Integer));
    assert_eq!(bind("convert:money", &[SqlType::Integer]), Ok(SqlType::Money));
    assert!(bind("add", &[SqlType::Boolean, SqlType::Date]).is_err());
}

#[test]
fn full_text_functions() {
    let cases = [
        ("contains", "the Alpine skiing", "ski*", Value::Boolean(true)),
        ("contains", "the Alpine skiing", "\"skiing alpine\"", Value::Boolean(false)),
        ("score", "dogs and dogs and a cat", "dogs or cat", int(3)),
        ("scoredistinct", "dogs and dogs and a cat", "dogs or cat", int(2)),
    ];
    for (name, value, condition, wanted) in cases {
        assert_eq!(call(name, &[text(value), text(condition)]), Ok(wanted), "{name} {condition}");
    }
    assert_eq!(call("contains", &[Value::Null, text("word")]), Ok(Value::Null));
    assert_eq!(call("contains", &[text("word"), text("(word")]).unwrap_err().number, 7095);
    assert_eq!(call("contains", &[int(1), text("word")]).unwrap_err().number, native::ARGUMENT);
}
