//! TIMESTAMP literals with a seventh digit after the point, which are values of TIMESTAMP(7).
//!
//! Alone, `TIMESTAMP '2024-02-29 10:34:56.1234567'` would be a TIMESTAMP of microseconds, and the last digit would be
//! lost on its way into a column that has it.

use crate::parse::text::Text;
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{DataType, Expr, TimezoneInfo, Value, VisitMut, VisitorMut};
use datafusion::sql::sqlparser::tokenizer::Token;
use std::ops::ControlFlow;

/// Digits of a TIMESTAMP after the point.
const MICROS: usize = 6;

/// Returns true if a text may have such a literal.
pub(crate) fn are_in(text: &Text) -> bool {
    let has_fine_text = |token: &Token| matches!(token, Token::SingleQuotedString(text) if is_fine(text));
    text.mentions("timestamp") && text.significant().iter().any(|token| has_fine_text(&token.token))
}

/// The statement, or the expression, with the type of these literals.
pub(crate) fn typed<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.walk_mut(&mut Literals);
    of
}

struct Literals;

impl VisitorMut for Literals {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::TypedString(literal) = expr
            && let DataType::Timestamp(digits @ None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) =
                &mut literal.data_type
            && matches!(&literal.value.value, Value::SingleQuotedString(text) if is_fine(text))
        {
            *digits = Some(MICROS as u64 + 1);
        }
        ControlFlow::Continue(())
    }
}

/// Returns true if the digits after a point go on behind those of microseconds, with another one than 0.
fn is_fine(text: &str) -> bool {
    let Some((_, fraction)) = text.split_once('.') else { return false };
    let digits = fraction.bytes().take_while(u8::is_ascii_digit);
    digits.skip(MICROS).any(|digit| digit != b'0')
}
