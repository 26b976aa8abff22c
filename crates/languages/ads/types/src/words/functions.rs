//! The functions of SQL: CONTAINS, SCORE and SCOREDISTINCT of a text and a search condition.
//!
//! They split the text with the default [`Options`].

use super::{Condition, Options, Prepared};
use crate::failure::Failure;
use crate::function::{Arguments, Function, Gives, Outcome, plain};
use mainstay_types::{Value, ValueRef};
use std::borrow::Cow;
use std::cell::RefCell;

pub(crate) const FUNCTIONS: &[Function] = &[
    plain("contains", (2, 2), Gives::Logical, |it| {
        asked(it, |condition, text| Value::Boolean(condition.holds(&[Some(text)]).unwrap_or(false)))
    }),
    plain("score", (2, 2), Gives::Integer, |it| asked(it, |condition, text| count(condition, text, false))),
    plain("scoredistinct", (2, 2), Gives::Integer, |it| asked(it, |condition, text| count(condition, text, true))),
];

fn count(condition: &Prepared, text: &str, is_distinct: bool) -> Value {
    Value::Integer(i64::try_from(condition.score(&[Some(text)], is_distinct)).unwrap_or(i64::MAX))
}

thread_local! {
    /// The condition that was asked last: a query asks the same of every row.
    static LAST: RefCell<Option<(String, Prepared)>> = const { RefCell::new(None) };
}

fn asked(it: &Arguments<'_>, work: impl FnOnce(&Prepared, &str) -> Value) -> Outcome {
    let text = match it.value(0) {
        ValueRef::Text(text) => Cow::Borrowed(text),
        // Documents in a field of bytes: invalid UTF-8 matches no word.
        ValueRef::Binary(bytes) => String::from_utf8_lossy(bytes),
        _ => return Err(it.refused()),
    };
    let wanted = it.text(1)?;
    LAST.with_borrow_mut(|last| {
        let prepared = match last {
            Some((known, prepared)) if known == wanted => prepared,
            none => &mut none.insert((wanted.to_owned(), prepare(wanted)?)).1,
        };
        Ok(work(prepared, &text))
    })
}

fn prepare(condition: &str) -> Result<Prepared, Failure> {
    Condition::parse(condition)?.prepare(&[Options::default()])
}
