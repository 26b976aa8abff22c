//! Effects of a stored expression (DEFAULT, CHECK), from the functions that its text calls.
//!
//! The store has such an expression as text of the core's SQL. Its words are looked up as the planner does it: a name
//! with a dialect's prefix is a function of the dialect, which says what it does.

use super::function::properties_of;
use super::registry::with_prefix;
use crate::functions::sequences;
use crate::parse::text::Text;
use datafusion::logical_expr::Volatility;

/// The core's functions that give another value for every row.
const OF_EACH_ROW: [&str; 2] = ["gen_random_uuid", "uuid"];

/// Effects of an expression beyond its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// True if the expression takes values of sequences.
    pub uses_sequences: bool,
    /// True if the expression calls user-defined functions, which may read tables.
    pub calls_user_functions: bool,
    /// True if the expression gives another value for every row, for one of the reasons above or as a generator of
    /// identifiers.
    pub is_of_each_row: bool,
}

/// The effects of an expression. A column that has the name of such a function counts as a call, which is slower and
/// changes nothing else; a text that is no expression has no effects.
pub fn effects_of(text: &str) -> Effects {
    let Ok(text) = Text::new(text) else { return Effects::default() };
    let mut effects = Effects { uses_sequences: sequences::are_in_text(&text), ..Effects::default() };
    effects.is_of_each_row = effects.uses_sequences || OF_EACH_ROW.iter().any(|name| text.calls(name));
    for name in text.quoted_names() {
        let Some(function) = with_prefix(name).and_then(|(dialect, name)| dialect.function(name, &|| None)) else {
            continue;
        };
        let is_user_defined = properties_of(&function).is_user_defined;
        effects.calls_user_functions |= is_user_defined;
        effects.is_of_each_row |= is_user_defined || function.signature().volatility == Volatility::Volatile;
    }
    effects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_and_sequences_are_of_each_row() {
        let each = |text: &str| effects_of(text).is_of_each_row;
        assert!(each("gen_random_uuid()") && each("uuid ()") && each("nextval('s')"));
        assert!(!each("CAST('11111111-1111-1111-1111-111111111111' AS uuid)") && !each("'uuid()'") && !each("'open"));
        assert!(effects_of("nextval('s') + 1").uses_sequences && !effects_of("now()").uses_sequences);
    }
}
