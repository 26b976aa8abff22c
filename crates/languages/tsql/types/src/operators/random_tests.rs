//! Every operator between values of any two types: the result is a value of its type, or a message.

use super::*;
use crate::argument::Argument;
use crate::context::Context;
use crate::convert::convert;
use crate::convert::tests::{TYPES, data_type};
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};

const TEXTS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "255",
    "2147483647",
    "-2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "9999999999999999999999999999.9999999999",
    "1e308",
    "922337203685477.5807",
    "9999-12-31",
    "1753-01-01",
    "-0.000001",
];

fn values(name: &str) -> Vec<(DataType, Value)> {
    let (data_type, varchar) = (data_type(name), DataType::varchar(Length::Max));
    let convert = |text: &&str| convert(&Context::default(), ValueRef::Text(text), varchar, data_type, None).ok();
    TEXTS.iter().filter_map(convert).map(|value| (data_type, value)).collect()
}

#[test]
fn no_two_values_break_an_operator() {
    use BinaryOperator::*;
    let context = Context::default();
    let operators = [Add, Subtract, Multiply, Divide, Modulo, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight];
    let all: Vec<Vec<(DataType, Value)>> = TYPES.iter().map(|name| values(name)).collect();
    let mut answered = 0;
    for (left, right) in all.iter().flat_map(|left| all.iter().map(move |right| (left, right))) {
        for (a_type, a) in left {
            for (b_type, b) in right {
                for operator in operators {
                    let Ok(bound) = Binary::bind(operator, Argument::of(*a_type), Argument::of(*b_type)) else {
                        continue;
                    };
                    let Ok(value) = bound.evaluate(&context, a.as_ref(), b.as_ref()) else { continue };
                    if let (Value::Decimal(number), Some((precision, scale))) = (&value, bound.result.as_exact()) {
                        let fits =
                            number.scale == scale && number.unscaled.unsigned_abs() < 10u128.pow(u32::from(precision));
                        assert!(fits, "{a} {} {b} is {value} as {}", operator.name(), bound.result);
                    }
                    answered += 1;
                }
                let equal = ComparisonOperator::Equal;
                if let Ok(bound) = Comparison::bind(equal, Argument::of(*a_type), Argument::of(*b_type)) {
                    let there = bound.order(&context, a.as_ref(), b.as_ref());
                    let back = Comparison::bind(equal, Argument::of(*b_type), Argument::of(*a_type))
                        .and_then(|bound| bound.order(&context, b.as_ref(), a.as_ref()));
                    if let (Ok(there), Ok(back)) = (there, back) {
                        assert_eq!(there, back.reverse(), "{a} and {b}");
                    }
                }
            }
        }
    }
    assert!(answered > 10_000);
}

/// Products and quotients against arithmetic that is right by construction: on small numbers.
#[test]
fn decimals_agree_with_whole_numbers() {
    for a in (-500i128..500).step_by(37) {
        for b in (-40i128..40).step_by(7).filter(|b| *b != 0) {
            let (x, y) = (mainstay_types::Decimal::new(a, 2), mainstay_types::Decimal::new(b, 1));
            let product = decimal::multiply(x, y, (20, 3)).map(|value| value.unscaled);
            assert_eq!(product, Some(a * b));
            let quotient = decimal::divide(x, y, (20, 6)).map(|value| value.unscaled);
            assert_eq!(quotient, Some(a * 100_000 / b));
            let sum = decimal::add(x, y, (20, 2)).map(|value| value.unscaled);
            assert_eq!(sum, Some(a + b * 10));
            let remainder = decimal::remainder(x, y, (20, 2)).map(|value| value.unscaled);
            assert_eq!(remainder, Some(a % (b * 10)));
        }
    }
}

#[test]
fn no_pattern_breaks_like() {
    let pieces = ["%", "_", "[", "]", "^", "-", "a", "B", "é", "ß", "!", "漢", " "];
    let mut state = 99u64;
    let mut draw = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % limit
    };
    for _ in 0..5000 {
        let text: String = (0..draw(9)).map(|_| pieces[draw(pieces.len())]).collect();
        let pattern: String = (0..draw(9)).map(|_| pieces[draw(pieces.len())]).collect();
        for collation in [mainstay_types::Collation::Binary, mainstay_types::Collation::CaseAccentInsensitive] {
            let like = Like::new(&pattern, Some("!"), collation, draw(2) == 0).unwrap();
            let anywhere = Like::new(&format!("%{pattern}%"), Some("!"), collation, true).unwrap();
            if like.matches(&text) && !text.ends_with(' ') {
                assert!(anywhere.matches(&text), "{text} LIKE %{pattern}%");
            }
            let _ = anywhere.find(&text);
        }
    }
}
