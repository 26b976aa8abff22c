//! Operators between values: bound to the types of their operands once, then evaluated for any number of values.
//!
//! ```text
//!   binary       + - * / % & | ^ << >>, of numbers, texts, bytes and moments
//!   arithmetic   the same for integers, money and doubles, when the kind is known
//!   decimal      the same for exact numbers, and the rules of precision and scale
//!   compare      = <> < <= > >=, and the order of values
//!   like         LIKE and PATINDEX
//!   unary        - + ~
//! ```

pub mod arithmetic;
mod binary;
mod compare;
pub mod decimal;
mod like;
mod unary;
pub(crate) mod wide;

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;

pub use binary::{Binary, BinaryOperator};
pub use compare::{Comparison, ComparisonOperator, order};
pub use like::{Like, LikeMatch};
pub use mainstay_session::typed_value::{uuid_key, uuid_of_key};
pub use unary::{Unary, UnaryOperator};

use crate::convert::Conversion;
use crate::{Context, Message};
use mainstay_types::{Value, ValueRef};

/// A value as an operator takes it: as it is, or converted into `space`.
fn converted<'v>(
    conversion: Option<&Conversion>,
    context: &Context<'_>,
    value: ValueRef<'v>,
    space: &'v mut Value,
) -> Result<ValueRef<'v>, Message> {
    let Some(conversion) = conversion else { return Ok(value) };
    *space = conversion.evaluate(context, value)?;
    Ok(space.as_ref())
}
