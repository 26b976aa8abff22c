//! Values for columns of every type: accepted, rounded, refused.

use super::*;
use crate::{Collation, Date, Decimal, Interval, Time, Timestamp};
use ValueRef::{Binary, Boolean, Float, Integer, Text};

fn stored(value: ValueRef<'_>, to: SqlType) -> String {
    convert(value, to).unwrap_or_else(|error| panic!("{to}: {error}")).to_string()
}

fn refused(value: ValueRef<'_>, to: SqlType) -> Code {
    convert(value, to).map(|value| panic!("{to} took {value}")).unwrap_or_else(|error: Error| error.code())
}

fn exact(text: &str) -> ValueRef<'static> {
    ValueRef::Decimal(text.parse().unwrap())
}

fn moment(text: &str) -> ValueRef<'static> {
    ValueRef::Timestamp(text.parse().unwrap())
}

fn char_of(length: u32) -> SqlType {
    SqlType::Char { length, collation: Collation::Binary }
}

fn varchar(length: u32) -> SqlType {
    SqlType::VarChar { length: Some(length), collation: Collation::Binary }
}

const CENTS: SqlType = SqlType::Decimal { precision: 5, scale: 2 };

#[test]
fn whole_numbers_keep_to_their_bits() {
    for (to, low, high) in [
        (SqlType::TinyInt, i64::from(i8::MIN), i64::from(i8::MAX)),
        (SqlType::SmallInt, i64::from(i16::MIN), i64::from(i16::MAX)),
        (SqlType::Integer, i64::from(i32::MIN), i64::from(i32::MAX)),
    ] {
        assert_eq!((stored(Integer(low), to), stored(Integer(high), to)), (low.to_string(), high.to_string()));
        assert_eq!(refused(Integer(low - 1), to), Code::InvalidValue);
        assert_eq!(refused(Integer(high + 1), to), Code::InvalidValue);
    }
    let error = convert(Integer(300), SqlType::TinyInt).unwrap_err();
    assert_eq!(error.to_string(), "300 is out of range for TINYINT");
    assert_eq!(stored(exact("-2.5"), SqlType::Integer), "-3");
    assert_eq!(stored(Float(2.5), SqlType::BigInt), "3");
    assert_eq!(stored(Boolean(true), SqlType::TinyInt), "1");
    assert_eq!(stored(Float(-9_223_372_036_854_775_808.0), SqlType::BigInt), i64::MIN.to_string());
    for wrong in [Float(9_223_372_036_854_775_808.0), Float(f64::NAN), Float(f64::INFINITY)] {
        assert_eq!(refused(wrong, SqlType::BigInt), Code::InvalidValue);
    }
    assert_eq!(refused(exact("9223372036854775807.5"), SqlType::BigInt), Code::InvalidValue);
}

#[test]
fn text_becomes_a_number_only_as_a_whole() {
    assert_eq!(stored(Text(" -12 "), SqlType::SmallInt), "-12");
    assert_eq!(stored(Text("12.00"), SqlType::SmallInt), "12");
    for wrong in ["", "12.5", "12a", "1e2", "99999", "123456789012345678901234567890123456789012"] {
        assert_eq!(refused(Text(wrong), SqlType::SmallInt), Code::InvalidValue, "{wrong}");
    }
    assert_eq!(stored(Text("12.345"), CENTS), "12.35");
    assert_eq!(stored(Text("1.2345e2"), CENTS), "123.45");
    assert_eq!(stored(Text("1e-3"), SqlType::Double), "0.001");
    assert_eq!(stored(Text("inf"), SqlType::Double), "inf");
    assert_eq!(refused(Text("1e400"), SqlType::Double), Code::InvalidValue);
    assert_eq!(refused(Text("ten"), SqlType::Real), Code::InvalidValue);
}

#[test]
fn decimals_round_and_do_not_overflow() {
    assert_eq!(stored(exact("999.994"), CENTS), "999.99");
    assert_eq!(stored(exact("-0.005"), CENTS), "-0.01");
    assert_eq!(stored(Integer(7), CENTS), "7.00");
    assert_eq!(stored(Float(0.1), CENTS), "0.10");
    assert_eq!(stored(Float(5e-324), CENTS), "0.00");
    for wrong in
        [exact("999.995"), Integer(1000), Float(1e300), Float(-1e38), exact("99999999999999999999999999999999999999")]
    {
        assert_eq!(refused(wrong, CENTS), Code::InvalidValue);
    }
    let widest = SqlType::Decimal { precision: 38, scale: 0 };
    assert_eq!(stored(exact("99999999999999999999999999999999999999"), widest).len(), 38);
    assert_eq!(stored(exact("922337203685477.5807"), SqlType::Money), "922337203685477.5807");
    assert_eq!(refused(exact("922337203685477.5808"), SqlType::Money), Code::InvalidValue);
}

#[test]
fn floats_keep_their_bits() {
    assert_eq!(convert(Float(0.1), SqlType::Real).unwrap(), Value::Float(f64::from(0.1f32)));
    assert_eq!(convert(exact("0.1"), SqlType::Real).unwrap(), Value::Float(f64::from(0.1f32)));
    assert_eq!(refused(Float(1e300), SqlType::Real), Code::InvalidValue);
    assert_eq!(stored(Float(f64::INFINITY), SqlType::Real), "inf");
    assert_eq!(stored(Integer(1), SqlType::Double), "1");
}

#[test]
fn booleans_are_one_and_zero() {
    for (value, wanted) in
        [(Integer(1), "true"), (Text("FALSE"), "false"), (Text("1"), "true"), (exact("0.0"), "false")]
    {
        assert_eq!(stored(value, SqlType::Boolean), wanted);
    }
    assert_eq!(refused(Integer(2), SqlType::Boolean), Code::InvalidValue);
    assert_eq!(refused(Text("yes"), SqlType::Boolean), Code::InvalidValue);
    assert_eq!(refused(Float(1.0), SqlType::Boolean), Code::TypeMismatch);
}

#[test]
fn text_fits_or_is_refused() {
    assert_eq!(stored(Text("é"), char_of(3)), "'é  '");
    assert_eq!(stored(Text("ab   "), varchar(3)), "'ab '");
    assert_eq!(stored(Text("ééé"), varchar(3)), "'ééé'");
    assert_eq!(refused(Text("ab  c"), varchar(3)), Code::InvalidValue);
    let error = convert(Text("abcd"), varchar(3)).unwrap_err();
    assert_eq!(error.to_string(), "'abcd' is too long for VARCHAR(3): it has 4 characters");
    assert_eq!(stored(exact("1.50"), SqlType::TEXT), "'1.50'");
    assert_eq!(stored(Float(1e300), SqlType::TEXT), "'1e300'");
    assert_eq!(stored(ValueRef::Date(Date(0)), SqlType::TEXT), "'1970-01-01'");
    assert_eq!(stored(ValueRef::Uuid([0; 16]), varchar(36)), "'00000000-0000-0000-0000-000000000000'");
    assert_eq!(refused(Integer(12_345), char_of(4)), Code::InvalidValue);
    assert_eq!(refused(Binary(b"a"), SqlType::TEXT), Code::TypeMismatch);
}

#[test]
fn bytes_fit_or_are_refused() {
    assert_eq!(stored(Binary(&[1]), SqlType::Binary { length: 3 }), "X'010000'");
    assert_eq!(stored(Binary(&[1]), SqlType::VarBinary { length: Some(3) }), "X'01'");
    assert_eq!(refused(Binary(&[1, 0]), SqlType::VarBinary { length: Some(1) }), Code::InvalidValue);
    assert_eq!(refused(Text("a"), SqlType::VarBinary { length: None }), Code::TypeMismatch);
    assert_eq!(stored(Text("\\x00fF"), SqlType::VarBinary { length: None }), "X'00FF'");
    assert_eq!(stored(Text("\\x01"), SqlType::Binary { length: 2 }), "X'0100'");
    assert_eq!(stored(Text("\\x"), SqlType::VarBinary { length: None }), "X''");
    for ill in ["\\x0", "\\x0g", "00ff", "\\x+1"] {
        assert_eq!(refused(Text(ill), SqlType::VarBinary { length: None }), Code::TypeMismatch, "{ill}");
    }
    assert_eq!(stored(Binary(&[0x11; 16]), SqlType::Uuid), "UUID '11111111-1111-1111-1111-111111111111'");
    assert_eq!(refused(Binary(&[0x11; 15]), SqlType::Uuid), Code::InvalidValue);
}

#[test]
fn moments_are_rounded_to_their_digits() {
    let to = SqlType::Timestamp { digits: 3 };
    assert_eq!(stored(moment("1999-12-31 23:59:59.9995"), to), "TIMESTAMP '2000-01-01 00:00:00'");
    assert_eq!(stored(Text("2024-01-31T10:00:00.1234567"), to), "TIMESTAMP '2024-01-31 10:00:00.123'");
    assert_eq!(stored(ValueRef::Date(Date(0)), to), "TIMESTAMP '1970-01-01 00:00:00'");
    assert_eq!(refused(moment("9999-12-31 23:59:59.9999999"), to), Code::InvalidValue);
    assert_eq!(refused(Integer(5), to), Code::TypeMismatch);
    assert_eq!(stored(moment("2024-01-31 10:30"), SqlType::Date), "DATE '2024-01-31'");
    assert_eq!(stored(Text("2024-01-31 00:00:00"), SqlType::Date), "DATE '2024-01-31'");
    assert_eq!(refused(Text("2024-01-31 10:30"), SqlType::Date), Code::InvalidValue);
    assert_eq!(refused(ValueRef::Date(Date(i32::MAX)), SqlType::Date), Code::InvalidValue);
    assert_eq!(stored(moment("2024-01-31 10:30"), SqlType::Time { digits: 0 }), "TIME '10:30:00'");
    let last = ValueRef::Time(Time(crate::TICKS_PER_DAY - 1));
    assert_eq!(refused(last, SqlType::Time { digits: 6 }), Code::InvalidValue);
    assert_eq!(stored(last, SqlType::Time { digits: 7 }), "TIME '23:59:59.9999999'");
}

#[test]
fn offsets_are_kept_or_applied() {
    let to = SqlType::TimestampWithOffset { digits: 0 };
    assert_eq!(stored(Text("2024-01-31 10:00 +02:00"), to), "TIMESTAMP WITH TIME ZONE '2024-01-31 10:00:00 +02:00'");
    let value = convert(Text("2024-01-31 10:00 +02:00"), to).unwrap();
    let utc: Timestamp = "2024-01-31 08:00".parse().unwrap();
    assert_eq!(value, Value::TimestampWithOffset { utc, offset_minutes: 120 });
    assert_eq!(stored(value.as_ref(), SqlType::Timestamp { digits: 0 }), "TIMESTAMP '2024-01-31 10:00:00'");
    assert_eq!(stored(moment("2024-01-31 10:00"), to), "TIMESTAMP WITH TIME ZONE '2024-01-31 10:00:00 +00:00'");
    assert_eq!(refused(Text("0001-01-01 00:00 +02:00"), to), Code::InvalidValue);
    assert_eq!(refused(Text("2024-01-31 10:00 +02:00"), SqlType::Timestamp { digits: 0 }), Code::InvalidValue);
}

#[test]
fn intervals_are_of_one_kind() {
    let months = ValueRef::Interval(Interval::from_months(18));
    assert_eq!(stored(months, SqlType::IntervalYearMonth), "INTERVAL '1-06' YEAR TO MONTH");
    assert_eq!(refused(months, SqlType::IntervalDayTime), Code::InvalidValue);
    let mixed = ValueRef::Interval(Interval { months: 0, days: 1, ticks: -crate::TICKS_PER_SECOND });
    assert_eq!(stored(mixed, SqlType::IntervalDayTime), "INTERVAL '0 23:59:59' DAY TO SECOND");
    assert_eq!(refused(mixed, SqlType::IntervalYearMonth), Code::InvalidValue);
    assert_eq!(stored(Text("-1-6"), SqlType::IntervalYearMonth), "INTERVAL '-1-06' YEAR TO MONTH");
    assert_eq!(refused(Text("1-6"), SqlType::IntervalDayTime), Code::InvalidValue);
}

#[test]
fn null_stays_null_and_nothing_else_is_stored_as_itself_by_accident() {
    for to in [SqlType::Boolean, SqlType::TEXT, CENTS, SqlType::Uuid, SqlType::Date] {
        assert_eq!(convert(ValueRef::Null, to).unwrap(), Value::Null);
    }
    assert_eq!(refused(ValueRef::Decimal(Decimal::new(1, 0)), SqlType::Uuid), Code::TypeMismatch);
    let long = "x".repeat(10_000);
    assert!(convert(Text(&long), SqlType::Integer).unwrap_err().to_string().len() < 120);
}

#[test]
fn the_farthest_values_of_every_kind_are_answered() {
    let interval = |months, days, ticks| ValueRef::Interval(Interval { months, days, ticks });
    let values = [
        Integer(i64::MIN),
        ValueRef::Decimal(Decimal::new(i128::MIN, 0)),
        ValueRef::Decimal(Decimal::new(i128::MAX, 38)),
        Float(f64::MIN),
        ValueRef::Date(Date(i32::MIN)),
        ValueRef::Date(Date(i32::MAX)),
        ValueRef::Time(Time(i64::MIN)),
        ValueRef::Time(Time(i64::MAX)),
        ValueRef::Timestamp(Timestamp(i64::MIN)),
        ValueRef::Timestamp(Timestamp(i64::MAX)),
        ValueRef::TimestampWithOffset { utc: Timestamp(i64::MIN), offset_minutes: i16::MIN },
        ValueRef::TimestampWithOffset { utc: Timestamp(i64::MAX), offset_minutes: i16::MAX },
        interval(i32::MIN, i32::MIN, i64::MIN),
        interval(0, i32::MAX, i64::MAX),
    ];
    let types = [
        SqlType::Boolean,
        SqlType::BigInt,
        SqlType::Decimal { precision: 38, scale: 38 },
        SqlType::Money,
        SqlType::Real,
        SqlType::Double,
        SqlType::TEXT,
        SqlType::VarBinary { length: None },
        SqlType::Date,
        SqlType::Time { digits: 1 },
        SqlType::Timestamp { digits: 1 },
        SqlType::TimestampWithOffset { digits: 1 },
        SqlType::IntervalYearMonth,
        SqlType::IntervalDayTime,
        SqlType::Uuid,
    ];
    for value in values {
        for to in types {
            let answer = convert(value, to).map_or_else(|error| error.to_string(), |stored| stored.to_string());
            assert!(!answer.is_empty(), "{value:?} to {to}");
        }
    }
    let far = ValueRef::Timestamp(Timestamp(i64::MIN));
    assert_eq!(refused(far, SqlType::Timestamp { digits: 1 }), Code::InvalidValue);
}
