//! Days and weeks of columns where a week does not begin on Sunday.
//!
//! The functions count from Sunday (`DATEFIRST` 7), whoever asks them. What a session says otherwise is put around them:
//!
//! ```text
//!   day   w = (DATEPART(weekday, d) + 13 - @@DATEFIRST) % 7          0 for the first day of the week
//!   week  y = DATEPART(dayofyear, d) - 1; j = the day of the week of 1 January = ((w - y) % 7 + 7) % 7
//!         (y + j) / 7 + 1
//!   its first day = DATEADD(day, -w, DATETRUNC(day, d))
//! ```

use crate::Span;
use crate::tree::{
    Argument, BinaryOperator, Call, Cast, CastKind, DataType, Expr, Literal, Name, ObjectName, TypeArgument,
    UnaryOperator,
};

/// `DATEPART(part, value)` by the session's first day of the week, for the parts that depend on it.
pub(super) fn counted(part: &str, value: &Expr) -> Option<Expr> {
    match part {
        "weekday" | "dw" | "w" => Some(binary(day(value), BinaryOperator::Add, number("1"))),
        "week" | "wk" | "ww" => {
            let year = || binary(datepart("dayofyear", value), BinaryOperator::Subtract, number("1"));
            let seven = |value: Expr| binary(value, BinaryOperator::Modulo, number("7"));
            let first = binary(day(value), BinaryOperator::Subtract, year());
            let first = seven(binary(seven(first), BinaryOperator::Add, number("7")));
            let weeks = binary(binary(year(), BinaryOperator::Add, first), BinaryOperator::Divide, number("7"));
            Some(binary(weeks, BinaryOperator::Add, number("1")))
        }
        _ => None,
    }
}

/// `DATENAME(part, value)`, as far as it depends on that day: the names of days do not.
pub(super) fn named(part: &str, value: &Expr) -> Option<Expr> {
    let week = counted(part, value).filter(|_| matches!(part, "week" | "wk" | "ww"))?;
    let (argument, span) = (TypeArgument::Number("30".to_owned()), Span::default());
    let data_type = DataType { name: named_as("nvarchar"), arguments: vec![argument], span };
    Some(Expr::Cast(Box::new(Cast { kind: CastKind::Cast, value: week, data_type, style: None })))
}

/// `DATETRUNC(part, value)`, as far as it depends on that day.
pub(super) fn begun(part: &str, value: &Expr) -> Option<Expr> {
    if !matches!(part, "week" | "wk" | "ww") {
        return None;
    }
    let back = Expr::Unary(UnaryOperator::Minus, Box::new(day(value)));
    Some(call("dateadd", "day", vec![back, call("datetrunc", "day", vec![value.clone()])]))
}

/// The day of the week from 0.
fn day(value: &Expr) -> Expr {
    let shifted = binary(datepart("#weekday", value), BinaryOperator::Add, number("13"));
    let first = Expr::Niladic("@@DATEFIRST".to_owned());
    binary(binary(shifted, BinaryOperator::Subtract, first), BinaryOperator::Modulo, number("7"))
}

/// The function itself. `#weekday` is the day as it is counted from Sunday.
fn datepart(part: &str, value: &Expr) -> Expr {
    call("datepart", part, vec![value.clone()])
}

fn named_as(text: &str) -> ObjectName {
    ObjectName { parts: vec![Name { text: text.to_owned(), ..Name::default() }], ..ObjectName::default() }
}

/// A function of a part of a moment.
fn call(function: &str, part: &str, values: Vec<Expr>) -> Expr {
    let arguments = std::iter::once(Expr::Column(named_as(part))).chain(values).map(Argument::Value).collect();
    Expr::Call(Box::new(Call {
        name: named_as(function),
        quantifier: None,
        arguments,
        json_nulls: None,
        ignore_nulls: None,
        within_group: Vec::new(),
        over: None,
    }))
}

fn binary(left: Expr, operator: BinaryOperator, right: Expr) -> Expr {
    Expr::Binary(Box::new(left), operator, Box::new(right))
}

fn number(digits: &str) -> Expr {
    Expr::Literal(Literal::Integer(digits.to_owned()))
}
