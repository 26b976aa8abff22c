//! The lengths of texts that expressions give, and the fields of their DATETIMEs.
//!
//! A text without a known length is an LVARCHAR to clients, which some of their functions do not take. A server reports CHAR
//! or VARCHAR with the longest length that the expression can have; so does this, where columns and grammar tell it.

use crate::tree::{Argument, BinaryOperator, Call, Expr, Literal, ObjectName};
use crate::types::Type;

/// The length of names in the catalog, and of what reports them.
const NAME: u32 = 128;

/// The most characters of the texts that an expression gives; `None` where that is not known, or it gives no text.
pub fn text_length(value: &Expr, column: &dyn Fn(&ObjectName) -> Option<Type>) -> Option<u32> {
    let length = |value: &Expr| text_length(value, column);
    match value {
        Expr::Literal(Literal::String(text)) => u32::try_from(text.chars().count().max(1)).ok(),
        Expr::Literal(Literal::Null) => Some(1),
        Expr::Column(name) => column(name)?.text_length(),
        Expr::Niladic(word) if word != "TODAY" && word != "CURRENT" => Some(NAME),
        Expr::Binary(left, BinaryOperator::Concatenate, right) => length(left)?.checked_add(length(right)?),
        Expr::Case(case) => {
            let branches = case.branches.iter().map(|(_, then)| then).chain(&case.otherwise);
            longest(branches, &length)
        }
        Expr::Cast(cast) => Type::of_cast(cast)?.text_length(),
        Expr::Call(call) => of_call(call, &length),
        _ => None,
    }
}

/// The type of a DATETIME that an expression makes: of a cast, EXTEND, CURRENT, and of a DATETIME plus or minus an INTERVAL;
/// `None` for others. The core knows no last field: it would be YEAR TO FRACTION(5), or that of a column within.
pub fn datetime_type(value: &Expr, column: &dyn Fn(&ObjectName) -> Option<Type>) -> Option<Type> {
    let of = |value: &Expr| datetime_type(value, column);
    let known = match value {
        Expr::Cast(cast) => Type::of_cast(cast)?,
        Expr::Column(name) => column(name)?,
        Expr::Binary(left, BinaryOperator::Add | BinaryOperator::Subtract, right) => match (of(left), of(right)) {
            (Some(known), None) => known,
            (None, Some(known)) if matches!(value, Expr::Binary(_, BinaryOperator::Add, _)) => known,
            _ => return None,
        },
        _ => return None,
    };
    matches!(known, Type::DateTime(..)).then_some(known)
}

fn longest<'e>(values: impl Iterator<Item = &'e Expr>, length: &dyn Fn(&Expr) -> Option<u32>) -> Option<u32> {
    values.map(length).try_fold(1, |longest, next| Some(longest.max(next?)))
}

fn of_call(call: &Call, length: &dyn Fn(&Expr) -> Option<u32>) -> Option<u32> {
    let arguments: Vec<&Expr> = call
        .arguments
        .iter()
        .filter_map(|argument| match argument {
            Argument::Value(value) => Some(value),
            _ => None,
        })
        .collect();
    let number = |value: &Expr| match value {
        Expr::Literal(Literal::Integer(digits)) => digits.parse::<u32>().ok(),
        _ => None,
    };
    match (call.name.last(), &arguments[..]) {
        (
            "upper" | "lower" | "initcap" | "trim" | "ltrim" | "rtrim" | "reverse" | "substr" | "min" | "max",
            [text, ..],
        ) => length(text),
        ("substring_range", [_, from, to]) => number(to)?.checked_add(1)?.checked_sub(number(from)?),
        ("nvl" | "coalesce", values) => longest(values.iter().copied(), length),
        ("nvl2", [_, set, unset]) => longest([*set, *unset].into_iter(), length),
        ("decode", [_, rest @ ..]) => {
            let results = rest.chunks(2).filter_map(|pair| pair.last().copied());
            longest(results, length)
        }
        ("lpad" | "rpad", [_, width, ..]) => number(width),
        ("schema_coltypename" | "dbinfo" | "user", _) => Some(NAME),
        ("schema_nullable" | "schema_isautoincr", _) => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{QueryBody, SelectItem, Statement};
    use crate::types::Field;

    fn lengths(text: &str) -> Vec<Option<u32>> {
        let Statement::Query(query) = crate::parse(text, false).unwrap().statement else { panic!("{text}") };
        let QueryBody::Select(select) = query.body else { panic!("{text}") };
        let column = |name: &ObjectName| name.is("c").then_some(Type::Char(10));
        let of_item = |item: &SelectItem| match item {
            SelectItem::Value(value, _) => text_length(value, &column),
            _ => None,
        };
        select.items.iter().map(of_item).collect()
    }

    #[test]
    fn datetimes_have_the_fields_of_the_expression() {
        let column = |name: &ObjectName| name.is("m").then_some(Type::DateTime(Field::YEAR, Field(8)));
        for (item, expected) in [
            ("EXTEND(m, YEAR TO DAY)", Some(Type::DateTime(Field::YEAR, Field::DAY))),
            ("CURRENT YEAR TO SECOND", Some(Type::DateTime(Field::YEAR, Field::SECOND))),
            ("m + 1 UNITS DAY", Some(Type::DateTime(Field::YEAR, Field(8)))),
            ("m::DATETIME HOUR TO MINUTE", Some(Type::DateTime(Field::HOUR, Field(8)))),
            ("m - m", None),
            ("1 + 2", None),
        ] {
            let text = format!("SELECT {item} FROM t");
            let Statement::Query(query) = crate::parse(&text, false).unwrap().statement else { panic!("{text}") };
            let QueryBody::Select(select) = query.body else { panic!("{text}") };
            let SelectItem::Value(value, _) = &select.items[0] else { panic!("{text}") };
            assert_eq!(datetime_type(value, &column), expected, "{item}");
        }
    }

    #[test]
    fn expressions_have_the_longest_length_of_their_parts() {
        assert_eq!(
            lengths(
                "SELECT 'abc', c || '!!', UPPER(c), c[2,4], NVL(c, 'x'), CASE WHEN 1 = 1 THEN 'ab' ELSE c END, x, 1 FROM t"
            ),
            [Some(3), Some(12), Some(10), Some(3), Some(10), Some(10), None, None]
        );
        assert_eq!(
            lengths("SELECT DECODE(c, 'a', 'long', 'b'), RPAD(c, 20), REPLACE(c, 'a', 'bb'), c::VARCHAR(3) FROM t"),
            [Some(4), Some(20), None, Some(3)]
        );
    }
}
