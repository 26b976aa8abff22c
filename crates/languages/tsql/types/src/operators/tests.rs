//! Operators between constants: values and types of the results.

use super::*;
use crate::argument::Argument;
use crate::context::Context;
use crate::convert::convert;
use crate::literal::literal;
use crate::settings::{Settings, Switches};
use crate::types::{DataType, Length};
use mainstay_types::{Collation, Value, ValueRef};

/// A constant, or a text with its type: `'2024-01-31':datetime`.
fn operand(text: &str) -> (Option<DataType>, Value, bool) {
    if text == "NULL" {
        return (None, Value::Null, true);
    }
    match text.rsplit_once(':') {
        Some((value, name)) if value.starts_with('\'') => {
            let data_type = crate::convert::tests::data_type(name);
            let value = value.trim_matches('\'');
            let varchar = DataType::varchar(Length::Max);
            let style = data_type.is_binary().then_some(1);
            (
                Some(data_type),
                convert(&Context::default(), ValueRef::Text(value), varchar, data_type, style).unwrap(),
                false,
            )
        }
        _ => {
            let (data_type, value) = literal(text).unwrap();
            (Some(data_type), value, true)
        }
    }
}

fn shown(operator: BinaryOperator, a: &str, b: &str) -> String {
    let ((a_type, a, a_constant), (b_type, b, b_constant)) = (operand(a), operand(b));
    fn argument(data_type: Option<DataType>, value: &Value, constant: bool) -> Argument<'_> {
        Argument { data_type, constant: constant.then_some(value.as_ref()), ..Argument::default() }
    }
    let bound = Binary::bind(operator, argument(a_type, &a, a_constant), argument(b_type, &b, b_constant));
    let evaluated = bound.and_then(|bound| {
        let value = bound.evaluate(&Context::default(), a.as_ref(), b.as_ref())?;
        let style = if bound.result.is_moment() { Some(121) } else { bound.result.is_money().then_some(2) };
        let text = convert(
            &Context::default(),
            value.as_ref(),
            bound.result,
            DataType::NVarChar(Length::Max),
            if bound.result.is_binary() { Some(1) } else { style },
        )?;
        Ok(match text {
            Value::Text(text) => format!("{text} {}", bound.result),
            _ => format!("NULL {}", bound.result),
        })
    });
    evaluated.unwrap_or_else(|message| format!("{} {}", message.number, message.text))
}

fn check(rows: &[(&str, BinaryOperator, &str, &str)]) {
    for (a, operator, b, expected) in rows {
        let shown = shown(*operator, a, b);
        let shown = if expected.parse::<i32>().is_ok() { shown.split(' ').next().unwrap_or("") } else { &shown };
        assert_eq!(shown, *expected, "{a} {} {b}", operator.name());
    }
}

use BinaryOperator::*;

#[test]
fn numbers() {
    check(&[
        ("1", Add, "2", "3 int"),
        ("7", Divide, "2", "3 int"),
        ("7", Modulo, "2", "1 int"),
        ("2147483647", Add, "1", "8115 Arithmetic overflow error converting expression to data type int."),
        ("1", Divide, "0", "8134 Divide by zero error encountered."),
        ("1.0", Divide, "0", "8134"),
        ("1.0", Divide, "3", "0.333333 decimal(7,6)"),
        ("1.0", Divide, "3.0", "0.333333 decimal(8,6)"),
        ("'1':int", Divide, "3.0", "0.333333 decimal(17,6)"),
        ("1.0", Divide, "'3':int", "0.333333333333 decimal(13,12)"),
        ("1.5", Multiply, "1.5", "2.25 decimal(5,2)"),
        ("1.5", Add, "2", "3.5 decimal(3,1)"),
        ("'1.5':decimal(10,2)", Multiply, "'3':int", "4.50 decimal(21,2)"),
        ("12345678901", Add, "1", "12345678902 decimal(12,0)"),
        ("5.5", Modulo, "2", "1.5 decimal(2,1)"),
        ("1e0", Divide, "4", "0.25 float"),
        ("1e0", Modulo, "4", "402 The data types float and int are incompatible in the modulo operator."),
        ("1e308", Multiply, "10", "8115 Arithmetic overflow error converting expression to data type float."),
        ("$1", Divide, "$3", "0.3333 money"),
        ("$10", Multiply, "2", "20.0000 money"),
        ("$1", Multiply, "1.5", "1.50000 decimal(22,5)"),
        (
            "'5':tinyint",
            Subtract,
            "'6':tinyint",
            "8115 Arithmetic overflow error converting expression to data type tinyint.",
        ),
        ("'1':bit", Add, "'1':bit", "402 The data types bit and bit are incompatible in the add operator."),
        ("'1':bit", Multiply, "'1':bit", "8117 Operand data type bit is invalid for multiply operator."),
        ("'1':bit", Add, "'x'", "402"),
        ("1e0", Modulo, "2e0", "8117 Operand data type float is invalid for modulo operator."),
        ("'0x02':varbinary(4)", Add, "2e0", "206"),
        ("'0x02':varbinary(4)", Subtract, "'0x02':varbinary(4)", "402"),
        ("'0x02':varbinary(4)", Multiply, "'0x02':varbinary(4)", "8117"),
        ("'1':bit", Add, "1", "2 int"),
        ("6", BitAnd, "3", "2 int"),
        ("6", BitOr, "3", "7 int"),
        ("6", BitXor, "3", "5 int"),
        ("'1':bit", BitXor, "'1':bit", "0 bit"),
        ("1.5", BitAnd, "1", "402 The data types numeric and int are incompatible in the '&' operator."),
        ("'0x0A':varbinary(4)", BitAnd, "3", "2 int"),
        ("1", ShiftLeft, "4", "16 int"),
        ("'1':sql_variant", Add, "1", "257"),
        ("'1':sql_variant", Modulo, "1", "402"),
        ("'1':sql_variant", BitOr, "'1':sql_variant", "8117"),
        ("NULL", Add, "1", "NULL int"),
    ]);
}

#[test]
fn texts() {
    check(&[
        ("'a'", Add, "'bc'", "abc varchar(3)"),
        ("'a'", Add, "N'bc'", "abc nvarchar(3)"),
        ("'a':char(3)", Add, "'b':char(2)", "a  b  char(5)"),
        ("'5'", Add, "1", "6 int"),
        ("'a'", Add, "1", "245 Conversion failed when converting the varchar value 'a' to data type int."),
        ("'a'", Subtract, "'b'", "8117 Operand data type varchar is invalid for subtract operator."),
        ("'1.5'", Multiply, "2.0", "3.00 decimal(5,2)"),
        ("'0x01':varbinary(4)", Add, "'0x02':varbinary(4)", "0x0102 varbinary(8)"),
        (
            "'a'",
            Add,
            "'0x02':varbinary(4)",
            "402 The data types varchar and varbinary are incompatible in the add operator.",
        ),
        ("'a'", Add, "NULL", "NULL varchar(2)"),
    ]);
    let bound = Binary::bind(
        Add,
        Argument::of(DataType::varchar(Length::Limited(3))),
        Argument::of(DataType::varchar(Length::Limited(3))),
    );
    let settings = Settings::NEW.with(Switches::CONCAT_NULL_YIELDS_NULL, false);
    let lenient = Context { settings, ..Context::default() };
    let value = bound.unwrap().evaluate(&lenient, ValueRef::Text("a"), ValueRef::Null);
    assert_eq!(value, Ok(Value::Text("a".into())));
}

#[test]
fn moments() {
    check(&[
        ("'2024-01-31':datetime", Add, "1", "2024-02-01 00:00:00.000 datetime"),
        ("'2024-01-31':datetime", Add, "0.5", "2024-01-31 12:00:00.000 datetime"),
        ("'2024-01-31':datetime", Subtract, "1", "2024-01-30 00:00:00.000 datetime"),
        ("'2024-01-31':datetime", Subtract, "'2024-01-30 12:00':datetime", "1900-01-01 12:00:00.000 datetime"),
        ("'2024-01-31':datetime", Add, "'1900-01-02'", "2024-02-01 00:00:00.000 datetime"),
        ("'2024-01-31':datetime", Multiply, "2", "8117 Operand data type datetime is invalid for multiply operator."),
        ("'2024-01-31':date", Add, "1", "206 Operand type clash: date is incompatible with int"),
        (
            "'2024-01-31':date",
            Subtract,
            "'2024-01-30':date",
            "8117 Operand data type date is invalid for subtract operator.",
        ),
        (
            "'2024-01-31':datetime",
            Add,
            "'10:00':time(0)",
            "402 The data types datetime and time are incompatible in the add operator.",
        ),
        ("'2024-01-31':datetime2(7)", Add, "1", "206 Operand type clash: datetime2 is incompatible with int"),
        (
            "'9999-12-31':datetime",
            Add,
            "1",
            "8115 Arithmetic overflow error converting expression to data type datetime.",
        ),
    ]);
}

fn compared(a: &str, b: &str) -> String {
    let ((a_type, a, _), (b_type, b, _)) = (operand(a), operand(b));
    let argument = |data_type| Argument { data_type, ..Argument::default() };
    let bound = Comparison::bind(ComparisonOperator::Equal, argument(a_type), argument(b_type));
    let order = bound.and_then(|bound| bound.order(&Context::default(), a.as_ref(), b.as_ref()));
    order.map_or_else(|message| format!("{}", message.number), |order| format!("{order:?}"))
}

#[test]
fn comparisons() {
    for (a, b, expected) in [
        ("1", "1.0", "Equal"),
        ("1", "1e0", "Equal"),
        ("'10'", "9", "Greater"),
        ("'abc  '", "'ABC'", "Equal"),
        ("'a'", "N'B'", "Less"),
        ("'x'", "1", "245"),
        ("'2024-01-31':datetime", "'20240131'", "Equal"),
        ("'2024-01-31':date", "'2024-01-31 10:00':datetime", "Less"),
        ("'0x01':varbinary(4)", "'0x0100':varbinary(4)", "Equal"),
        ("$1.50", "1.5", "Equal"),
        ("'1':bit", "1", "Equal"),
        ("'2024-01-31':date", "1", "206"),
        ("'x':text", "'x'", "402"),
        ("'x':xml", "'x'", "305"),
        ("'2024-01-31 10:00 +02:00':datetimeoffset", "'2024-01-31 08:00 +00:00':datetimeoffset", "Equal"),
        (
            "'00000000-0000-0000-0000-010000000000':uniqueidentifier",
            "'FFFFFFFF-0000-0000-0000-000000000000':uniqueidentifier",
            "Greater",
        ),
    ] {
        assert_eq!(compared(a, b), expected, "{a} and {b}");
    }
    let bound = Comparison::bind(ComparisonOperator::Equal, Argument::of(DataType::Int), Argument::null()).unwrap();
    let null = (ValueRef::Null, ValueRef::Null);
    assert_eq!(bound.evaluate(&Context::default(), null.0, null.1), Ok(None));
    assert_eq!(bound.evaluate_with_null(&Context::default(), null.0, null.1), Ok(None));
    let off = Context { settings: Settings::NEW.with(Switches::ANSI_NULLS, false), ..Context::default() };
    assert_eq!(bound.evaluate(&off, null.0, null.1), Ok(None));
    assert_eq!(bound.evaluate_with_null(&off, null.0, null.1), Ok(Some(true)));
    assert_eq!(bound.evaluate_with_null(&off, ValueRef::Integer(1), null.1), Ok(Some(false)));
    let varchar = Argument::of(DataType::varchar(Length::Max));
    let binary = Comparison::bind(ComparisonOperator::Equal, varchar.collate(Collation::Binary), varchar).unwrap();
    assert_eq!(binary.evaluate(&off, ValueRef::Text("a"), ValueRef::Text("A")), Ok(Some(false)));
}

#[test]
fn one_operand() {
    let unary = |operator, text: &str| {
        let (data_type, value, _) = operand(text);
        let bound = Unary::bind(operator, Argument { data_type, ..Argument::default() });
        bound.and_then(|bound| bound.evaluate(&Context::default(), value.as_ref())).map_err(|message| message.number)
    };
    assert_eq!(unary(UnaryOperator::Minus, "5"), Ok(Value::Integer(-5)));
    assert_eq!(unary(UnaryOperator::Minus, "'5':tinyint"), Ok(Value::Integer(-5)));
    assert_eq!(unary(UnaryOperator::Minus, "'-2147483648':int"), Err(8115));
    assert_eq!(unary(UnaryOperator::Minus, "'a'"), Err(8117));
    let (data_type, value, _) = operand("2147483648");
    let constant = Argument::constant(data_type.unwrap(), value.as_ref());
    let bound = Unary::bind(UnaryOperator::Minus, constant).unwrap();
    let least = bound.evaluate(&Context::default(), value.as_ref());
    assert_eq!((bound.result, least), (DataType::Int, Ok(Value::Integer(-2_147_483_648))));
    assert_eq!(Unary::bind(UnaryOperator::Minus, Argument::of(data_type.unwrap())).unwrap().result, data_type.unwrap());
    assert_eq!(unary(UnaryOperator::BitNot, "5"), Ok(Value::Integer(-6)));
    assert_eq!(unary(UnaryOperator::BitNot, "'5':tinyint"), Ok(Value::Integer(250)));
    assert_eq!(unary(UnaryOperator::BitNot, "1.5"), Err(8117));
}
