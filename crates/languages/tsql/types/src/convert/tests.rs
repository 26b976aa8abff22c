//! Conversions as CAST and CONVERT show them: value, types, style, and the text of the result or the error's number.

use super::*;
use crate::settings::{Settings, Switches};
use crate::types::{Declared, Length, TypeArgument};
use mainstay_types::Decimal;

/// The type that a text declares: `decimal(10,2)`.
pub fn data_type(text: &str) -> DataType {
    let (name, arguments) = text.split_once('(').unwrap_or((text, ""));
    let arguments: Vec<_> = arguments
        .trim_end_matches(')')
        .split(',')
        .filter(|argument| !argument.is_empty())
        .map(|argument| argument.trim().parse().map_or(TypeArgument::Max, TypeArgument::Number))
        .collect();
    DataType::declare(name, &arguments, Declared::Cast).unwrap()
}

/// CAST(text AS from) converted on to another type in a style, shown as text.
fn converted(text: &str, from: &str, to: &str, style: Option<i32>) -> String {
    let context = Context::default();
    let varchar = DataType::varchar(Length::Max);
    let (from, to) = (data_type(from), data_type(to));
    let value = if from.is_binary() {
        convert(&context, ValueRef::Text(text), varchar, from, Some(1))
    } else {
        convert(&context, ValueRef::Text(text), varchar, from, None)
    };
    let value = value.unwrap_or_else(|message| panic!("{text} is no {from}: {message}"));
    match convert(&context, value.as_ref(), from, to, style) {
        Ok(Value::Float(number)) => general(number, 17),
        Ok(Value::Binary(bytes)) => crate::text::hex(&bytes),
        Ok(value) => {
            match convert(&context, value.as_ref(), to, DataType::NVarChar(Length::Max), Some(shown_style(to))) {
                Ok(Value::Text(text)) => text,
                other => format!("{other:?}"),
            }
        }
        Err(message) => format!("{}: {}", message.number, message.text),
    }
}

/// A style that shows all of a value.
fn shown_style(data_type: DataType) -> i32 {
    match data_type {
        DataType::Float => 3,
        DataType::Money | DataType::SmallMoney => 2,
        other if other.is_moment() => 121,
        _ => 0,
    }
}

fn check(rows: &[(&str, &str, &str, &str)]) {
    for (text, from, to, expected) in rows {
        let shown = converted(text, from, to, None);
        let shown = if expected.len() <= 5 && shown.starts_with(&format!("{expected}:")) { *expected } else { &shown };
        assert_eq!(shown, *expected, "CAST(CAST('{text}' AS {from}) AS {to})");
    }
}

#[test]
fn texts_to_numbers() {
    check(&[
        (" 12 ", "varchar(10)", "int", "12"),
        ("-12", "varchar(10)", "int", "-12"),
        ("", "varchar(10)", "int", "0"),
        (
            "1.5",
            "varchar(10)",
            "int",
            "245: Conversion failed when converting the varchar value '1.5' to data type int.",
        ),
        (
            "abc",
            "nvarchar(10)",
            "int",
            "245: Conversion failed when converting the nvarchar value 'abc' to data type int.",
        ),
        (
            "99999999999",
            "varchar(20)",
            "int",
            "248: The conversion of the varchar value '99999999999' overflowed an int column.",
        ),
        ("300", "varchar(20)", "tinyint", "244"),
        ("-9223372036854775808", "varchar(20)", "bigint", "-9223372036854775808"),
        ("9223372036854775808", "varchar(20)", "bigint", "8115"),
        ("x", "varchar(20)", "bigint", "8114: Error converting data type varchar to bigint."),
        ("1.25", "varchar(10)", "decimal(5,1)", "1.3"),
        ("-1.25", "varchar(10)", "decimal(5,1)", "-1.3"),
        (
            "12345.6",
            "varchar(10)",
            "decimal(5,1)",
            "8115: Arithmetic overflow error converting varchar to data type numeric.",
        ),
        ("abc", "varchar(10)", "decimal(5,1)", "8114: Error converting data type varchar to numeric."),
        ("", "varchar(10)", "decimal(5,1)", "8114"),
        ("1e5", "varchar(10)", "decimal(8,1)", "8114"),
        ("1e5", "varchar(10)", "float", "100000"),
        ("", "varchar(10)", "float", "0"),
        ("inf", "varchar(10)", "float", "8114: Error converting data type varchar to float."),
        ("$1,234.56", "varchar(10)", "money", "1234.5600"),
        ("-$5", "varchar(10)", "money", "-5.0000"),
        ("abc", "varchar(10)", "money", "235"),
        ("999999", "varchar(10)", "smallmoney", "8115"),
        ("true", "varchar(10)", "bit", "1"),
        ("FALSE", "varchar(10)", "bit", "0"),
        ("7", "varchar(10)", "bit", "1"),
        (
            "yes",
            "varchar(10)",
            "bit",
            "245: Conversion failed when converting the varchar value 'yes' to data type bit.",
        ),
    ]);
}

#[test]
fn numbers_to_numbers() {
    check(&[
        ("2.9", "decimal(5,1)", "int", "2"),
        ("-2.9", "decimal(5,1)", "int", "-2"),
        ("2.5", "money", "int", "3"),
        ("2.9", "float", "int", "2"),
        ("300", "int", "tinyint", "220: Arithmetic overflow error for data type tinyint, value = 300."),
        ("3000000000", "bigint", "int", "8115: Arithmetic overflow error converting expression to data type int."),
        (
            "3000000000",
            "decimal(12,0)",
            "int",
            "8115: Arithmetic overflow error converting expression to data type int.",
        ),
        ("300", "bigint", "tinyint", "8115: Arithmetic overflow error converting expression to data type tinyint."),
        ("3000000000", "money", "int", "237: There is insufficient result space to convert a money value to int."),
        ("70000", "money", "smallint", "220: Arithmetic overflow error for data type smallint, value = 700000000."),
        ("1000000", "int", "smallmoney", "220: Arithmetic overflow error for data type smallmoney, value = 1000000."),
        (
            "1e30",
            "float",
            "int",
            "232: Arithmetic overflow error for type int, value = 1000000000000000000000000000000.000000.",
        ),
        ("1.1", "real", "decimal(20,10)", "1.1000000238"),
        ("0.333333", "float", "decimal(38,30)", "0.333332999999999990414778494596"),
        ("1e30", "float", "decimal(38,0)", "1000000000000000019884624838656"),
        ("1e-300", "float", "decimal(5,2)", "0.00"),
        ("-0.5", "float", "decimal(5,0)", "-1"),
        ("1e39", "float", "decimal(38,0)", "8115: Arithmetic overflow error converting float to data type numeric."),
        ("3000000000", "float", "int", "232: Arithmetic overflow error for type int, value = 3000000000.000000."),
        ("100", "int", "decimal(4,2)", "8115: Arithmetic overflow error converting int to data type numeric."),
        ("123.456", "decimal(6,3)", "decimal(5,2)", "123.46"),
        ("0.1", "float", "decimal(20,18)", "0.100000000000000006"),
        ("1.005", "float", "decimal(5,2)", "1.00"),
        ("1.23456", "decimal(6,5)", "money", "1.2346"),
        ("0.1", "real", "float", "0.10000000149011612"),
        ("1e300", "float", "real", "232"),
        ("5", "int", "bit", "1"),
    ]);
}

#[test]
fn numbers_to_texts() {
    check(&[
        ("12345", "int", "varchar(3)", "*"),
        ("12345", "int", "nvarchar(3)", "8115: Arithmetic overflow error converting expression to data type nvarchar."),
        ("12345", "bigint", "varchar(3)", "8115"),
        ("12345", "float", "varchar(3)", "232: Arithmetic overflow error for type varchar, value = 12345.000000."),
        ("0.5", "decimal(3,2)", "varchar(10)", "0.50"),
        (
            "123.45",
            "decimal(5,2)",
            "varchar(3)",
            "8115: Arithmetic overflow error converting numeric to data type varchar.",
        ),
        ("1234.5678", "money", "varchar(20)", "1234.57"),
        (
            "1234.5678",
            "money",
            "varchar(3)",
            "234: There is insufficient result space to convert a money value to varchar.",
        ),
        ("1234567", "float", "varchar(20)", "1.23457e+006"),
        ("123456", "float", "varchar(20)", "123456"),
        ("0.00001", "float", "varchar(20)", "1e-005"),
        ("0.1", "float", "varchar(20)", "0.1"),
        ("123456.789", "float", "varchar(20)", "123457"),
        ("1", "bit", "char(3)", "1  "),
        ("5", "int", "char(3)", "5  "),
    ]);
    for (style, expected) in [(0, "4235.98"), (1, "4,235.98"), (2, "4235.9819")] {
        assert_eq!(converted("4235.9819", "money", "varchar(20)", Some(style)), expected);
    }
    assert_eq!(converted("-1234567.891", "money", "varchar(20)", Some(1)), "-1,234,567.89");
    for (style, expected) in [(1, "1.2345679e+008"), (2, "1.234567890000000e+008"), (3, "1.2345678900000000e+008")] {
        assert_eq!(converted("123456789", "float", "varchar(30)", Some(style)), expected);
    }
}

#[test]
fn texts_to_texts() {
    check(&[
        ("hello", "varchar(10)", "varchar(3)", "hel"),
        ("hello", "varchar(10)", "char(7)", "hello  "),
        ("Zł", "nvarchar(10)", "varchar(10)", "Z?"),
        ("é€", "nvarchar(10)", "varchar(10)", "é€"),
    ]);
}

#[test]
fn texts_to_moments_and_back() {
    check(&[
        ("2024-01-31", "varchar(30)", "datetime", "2024-01-31 00:00:00.000"),
        ("20240131 10:00:00.005", "varchar(30)", "datetime", "2024-01-31 10:00:00.007"),
        ("10:00", "varchar(30)", "datetime", "1900-01-01 10:00:00.000"),
        ("", "varchar(30)", "datetime", "1900-01-01 00:00:00.000"),
        (
            "2024-13-31",
            "varchar(30)",
            "datetime",
            "242: The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.",
        ),
        (
            "2024-13-31",
            "varchar(30)",
            "date",
            "241: Conversion failed when converting date and/or time from character string.",
        ),
        ("1700-01-01", "varchar(30)", "datetime", "242"),
        ("1700-01-01", "varchar(30)", "datetime2", "1700-01-01 00:00:00.0000000"),
        ("hello", "varchar(30)", "datetime", "241"),
        ("hello", "varchar(30)", "smalldatetime", "295"),
        ("2024-01-31 10:00:30", "varchar(30)", "smalldatetime", "2024-01-31 10:01:00.000"),
        ("10:00:00.123456789", "varchar(30)", "time(3)", "10:00:00.123"),
        ("23:59:59.9999999", "varchar(30)", "time(0)", "00:00:00"),
        ("2024-01-31 10:00 +02:00", "varchar(40)", "datetimeoffset(0)", "2024-01-31 10:00:00 +02:00"),
        ("2024-01-31 10:00", "varchar(40)", "datetimeoffset(0)", "2024-01-31 10:00:00 +00:00"),
        ("2024-01-31 10:00:00.003", "datetime", "datetime2(7)", "2024-01-31 10:00:00.0033333"),
        ("2024-01-31 10:00:00.1234567", "datetime2(7)", "datetime", "2024-01-31 10:00:00.123"),
        ("2024-01-31 10:00:00", "datetime", "date", "2024-01-31"),
        ("2024-01-31 10:00:00", "datetime", "time(0)", "10:00:00"),
        ("10:00:00", "time(7)", "datetime", "1900-01-01 10:00:00.000"),
        ("2024-01-31 10:00 +02:00", "datetimeoffset(0)", "datetime", "2024-01-31 10:00:00.000"),
        ("2024-01-31 12:00", "datetime", "int", "45321"),
        ("2024-01-31 06:00", "datetime", "float", "45320.25"),
        ("45320", "int", "datetime", "2024-01-31 00:00:00.000"),
        ("1.5", "float", "datetime", "1900-01-02 12:00:00.000"),
        ("99999999", "int", "datetime", "8115: Arithmetic overflow error converting expression to data type datetime."),
        ("2024-03-05 15:04", "datetime", "varchar(30)", "Mar  5 2024  3:04PM"),
        ("2024-03-05 15:04", "datetime2(0)", "varchar(30)", "2024-03-05 15:04:00"),
        ("2024-03-05", "date", "varchar(7)", "2024-03"),
    ]);
    assert_eq!(converted("01/02/2024", "varchar(10)", "datetime", Some(103)), "2024-02-01 00:00:00.000");
    assert_eq!(converted("01/02/2024", "varchar(10)", "date", Some(101)), "2024-01-02");
    // Style 103 reads a leading year with day and month in its own order, and only for the old types.
    assert_eq!(converted("2003-04-05", "varchar(10)", "datetime", Some(103)), "2003-05-04 00:00:00.000");
    for (text, to, style, expected) in [
        ("2026-05-13", "date", 101, "241:"),
        ("01/02/99", "datetime", 101, "241:"),
        ("01/02/1999", "datetime", 1, "241:"),
        ("01/02/99", "datetime", 2, "242:"),
        ("05/13/2026", "datetime", 103, "242:"),
        ("2026-05-13", "date", 112, "9807:"),
        ("2026-05-13", "datetime", 23, "241:"),
        ("2026-05-13", "date", 23, "2026-05-13"),
        ("20260513", "date", 112, "2026-05-13"),
        ("Jan 2 1999", "date", 101, "1999-01-02"),
        ("1999-01-02T10:00:00", "date", 3, "1999-01-02"),
        ("2026-05-13 10:00", "datetime", 120, "2026-05-13 10:00:00.000"),
        ("2026-05-13", "date", 777, "9809:"),
    ] {
        let shown = converted(text, "varchar(30)", to, Some(style));
        let shown = shown.get(..expected.len()).unwrap_or(&shown);
        assert_eq!(shown, expected, "CONVERT({to}, '{text}', {style})");
    }
    assert_eq!(converted("24/08/1445", "varchar(10)", "date", Some(131)), "2024-03-05");
    assert_eq!(converted("2024-03-05", "date", "varchar(10)", Some(131)), "24/08/1445");
    assert_eq!(converted("0600-01-01", "date", "varchar(10)", Some(131)).get(..4), Some("9814"));
}

#[test]
fn bytes() {
    check(&[
        ("1", "int", "varbinary(8)", "0x00000001"),
        ("1", "int", "binary(6)", "0x000000000001"),
        ("123456", "int", "binary(2)", "0xE240"),
        ("-1", "smallint", "varbinary(8)", "0xFFFF"),
        ("abc", "varchar(10)", "binary(5)", "0x6162630000"),
        ("ab", "nvarchar(10)", "varbinary(10)", "0x61006200"),
        ("1.5", "decimal(2,1)", "varbinary(20)", "0x020100010F000000"),
        ("$1", "money", "varbinary(8)", "0x0000000000002710"),
        ("1", "float", "varbinary(8)", "0x3FF0000000000000"),
        ("1900-01-02 00:00:01", "datetime", "varbinary(8)", "0x000000010000012C"),
        ("2024-01-31", "date", "varbinary(8)", "0x63460B"),
        ("0x00000102", "varbinary(8)", "int", "258"),
        ("0xFFFFFFFF", "varbinary(8)", "int", "-1"),
        ("0x616263", "varbinary(8)", "varchar(10)", "abc"),
        ("0x020100010F000000", "varbinary(8)", "decimal(5,2)", "1.50"),
        ("0x000000010000012C", "varbinary(8)", "datetime", "1900-01-02 00:00:01.000"),
        (
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
            "uniqueidentifier",
            "binary(16)",
            "0xFF19966F868B11D0B42D00C04FC964FF",
        ),
        (
            "0xFF19966F868B11D0B42D00C04FC964FF",
            "varbinary(16)",
            "uniqueidentifier",
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ),
        ("0x63460B", "varbinary(8)", "date", "2024-01-31"),
    ]);
    assert_eq!(converted("0x0A1b", "varchar(10)", "varbinary(8)", Some(1)), "0x0A1B");
    assert_eq!(converted("0A1b", "varchar(10)", "varbinary(8)", Some(2)), "0x0A1B");
    assert_eq!(converted("0A1", "varchar(10)", "varbinary(8)", Some(2)).get(..4), Some("8114"));
    assert_eq!(converted("0x0A1B", "varbinary(8)", "varchar(10)", Some(1)), "0x0A1B");
    assert_eq!(converted("0x0A1B", "varbinary(8)", "varchar(10)", Some(2)), "0A1B");
}

#[test]
fn uuids() {
    let text = "6F9619FF-8B86-D011-B42D-00C04FC964FF";
    check(&[
        (text, "varchar(50)", "uniqueidentifier", text),
        ("6F9619FF-8B86-D011-B42D-00C04FC964FFTooLong", "varchar(50)", "uniqueidentifier", text),
        (
            "hello",
            "varchar(50)",
            "uniqueidentifier",
            "8169: Conversion failed when converting from a character string to uniqueidentifier.",
        ),
        (text, "uniqueidentifier", "varchar(10)", "8170"),
    ]);
}

#[test]
fn assignment_minds_what_is_lost() {
    let context = Context::default();
    let (from, to) = (DataType::varchar(Length::Limited(10)), DataType::varchar(Length::Limited(3)));
    let assigned = |text| assign(&context, ValueRef::Text(text), from, to);
    assert_eq!(assigned("abc   "), Ok(Value::Text("abc".into())));
    assert_eq!(assigned("abcd").unwrap_err().number, 8152);
    let settings = Settings::NEW.with(Switches::ANSI_WARNINGS, false);
    let off = Context { settings, ..Context::default() };
    assert_eq!(assign(&off, ValueRef::Text("abcd"), from, to), Ok(Value::Text("abc".into())));
    let message = truncation(ValueRef::Text("abcd"), to, "d.dbo.t", "c");
    assert_eq!(
        message.text,
        "String or binary data would be truncated in table 'd.dbo.t', column 'c'. Truncated value: 'abc'."
    );
    assert!(!truncates(ValueRef::Binary(&[1, 0, 0]), DataType::Binary(1)));
    assert!(truncates(ValueRef::Binary(&[1, 2]), DataType::Binary(1)));
}

/// Types with every kind of argument.
pub const TYPES: [&str; 24] = [
    "bit",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "decimal(38,10)",
    "decimal(5,2)",
    "smallmoney",
    "money",
    "real",
    "float",
    "date",
    "time(3)",
    "smalldatetime",
    "datetime",
    "datetime2(7)",
    "datetimeoffset(5)",
    "char(5)",
    "varchar(12)",
    "nchar(3)",
    "nvarchar(max)",
    "binary(6)",
    "varbinary(9)",
    "uniqueidentifier",
];

#[test]
fn no_text_and_no_style_breaks_a_conversion() {
    let context = Context::default();
    let pieces = [
        "1",
        "-",
        "9999999999999999999999",
        ".",
        " ",
        ":",
        "/",
        "Jan",
        "T",
        "é",
        "漢",
        "0x",
        "e5",
        "$",
        ",",
        "PM",
        "2024",
        "{",
    ];
    let mut state = 12345u64;
    let mut draw = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    for _ in 0..3000 {
        let text: String = (0..draw(7)).map(|_| pieces[draw(pieces.len())]).collect();
        let style = [None, Some(0), Some(1), Some(2), Some(103), Some(112), Some(126), Some(130), Some(777)][draw(9)];
        let from = DataType::NVarChar(Length::Max);
        let to = data_type(TYPES[draw(TYPES.len())]);
        if let Ok(value) = convert(&context, ValueRef::Text(&text), from, to, style) {
            // The result converts to every type that the matrix allows, or gives an error.
            for next in TYPES.map(data_type) {
                if types::explicit(to, next).is_ok() {
                    let _ = convert(&context, value.as_ref(), to, next, style);
                }
            }
        }
    }
}

#[test]
fn what_every_type_shows_reads_back() {
    let context = Context::default();
    let values = [
        (Value::Integer(-42), "int"),
        (Value::Decimal(Decimal::new(-12345, 2)), "decimal(10,2)"),
        (Value::Float(0.1), "float"),
        (Value::Timestamp("2024-01-31 10:00:00.123".parse().unwrap()), "datetime"),
        (Value::Timestamp("2024-01-31 10:00:00.1234567".parse().unwrap()), "datetime2(7)"),
        (Value::Uuid([9; 16]), "uniqueidentifier"),
        (Value::Boolean(true), "bit"),
    ];
    for (value, name) in values {
        let data_type = data_type(name);
        let varchar = DataType::varchar(Length::Max);
        let shown = convert(&context, value.as_ref(), data_type, varchar, Some(shown_style(data_type))).unwrap();
        assert_eq!(convert(&context, shown.as_ref(), varchar, data_type, None).unwrap(), value, "{name}");
    }
}

/// Columns of CHAR are stored without the blanks at their ends, which are part of the value.
#[test]
fn texts_of_fixed_length_have_their_blanks() {
    let page = crate::CodePage::DEFAULT;
    let shown = |from: DataType, to: DataType| {
        let value = convert(&Context::default(), ValueRef::Text("ab"), from, to, None).unwrap();
        match value {
            Value::Text(text) => text,
            other => other.to_string(),
        }
    };
    let (char, varchar) = (DataType::Char(4, page), DataType::VarChar(crate::Length::Limited(9), page));
    assert_eq!(shown(char, varchar), "ab  ");
    assert_eq!(shown(char, char), "ab  ");
    assert_eq!(shown(DataType::NChar(3), DataType::NVarChar(crate::Length::Max)), "ab ");
    assert_eq!(shown(varchar, varchar), "ab");
    assert_eq!(shown(char, DataType::VarBinary(crate::Length::Limited(9))), "X'61622020'");
    assert_eq!(padded(ValueRef::Text("abcd"), char), None);
    assert_eq!(padded(ValueRef::Null, char), None);
}
