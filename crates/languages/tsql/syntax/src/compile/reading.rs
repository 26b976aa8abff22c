//! SET options that a module is compiled for, as far as its expressions over variables depend on them.
//!
//! The machine's instructions treat NULL and errors as a new connection does. Where the options differ, or may change
//! while the module runs, the expressions that depend on them are operations of the host, which reads the session's
//! options each time. So only modules that use other options pay for them.

use crate::tree::{Phrase, PhraseItem, Statement, StatementKind};

/// The options under which a module begins to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// True if a sum of texts with NULL is NULL, and an overflow or a division by zero is an error.
    pub is_plain: bool,
    /// ANSI_NULLS: of a batch when it begins, of any other module when it was made.
    pub ansi_nulls: bool,
}

impl Default for Reading {
    /// As for a new connection.
    fn default() -> Reading {
        Reading { is_plain: true, ansi_nulls: true }
    }
}

/// The options whose absence the machine's instructions do not know.
const VALUES: [&str; 4] = ["ANSI_DEFAULTS", "ANSI_WARNINGS", "ARITHABORT", "CONCAT_NULL_YIELDS_NULL"];
/// Those that say what equals NULL.
const NULLS: [&str; 2] = ["ANSI_DEFAULTS", "ANSI_NULLS"];

impl Reading {
    /// The options that can be relied on, given that some of the statements may switch options off.
    pub(super) fn of(self, statements: &[Statement]) -> Reading {
        let is_plain = self.is_plain && !statements.iter().any(|statement| puts_off(statement, &VALUES));
        let ansi_nulls = self.ansi_nulls && !statements.iter().any(|statement| puts_off(statement, &NULLS));
        Reading { is_plain, ansi_nulls }
    }

    /// The same for the statements of a procedure, function or trigger, which keeps the ANSI_NULLS that it was made under.
    pub(super) fn of_module(self, statements: &[Statement]) -> Reading {
        Reading { ansi_nulls: self.ansi_nulls, ..self.of(statements) }
    }
}

/// Returns true if a statement, or one in it, puts one of these options off.
fn puts_off(statement: &Statement, options: &[&str]) -> bool {
    let any = |statements: &[Statement]| statements.iter().any(|statement| puts_off(statement, options));
    match &statement.kind {
        StatementKind::SetOption(phrases) => {
            is_off(phrases) && phrases.iter().any(|phrase| options.iter().any(|option| phrase.starts(option)))
        }
        StatementKind::Block(inner) | StatementKind::AtomicBlock(_, inner) => any(inner),
        StatementKind::Try(body, catch) => any(body) || any(catch),
        StatementKind::If(parts) => puts_off(&parts.1, options) || any(parts.2.as_slice()),
        StatementKind::While(parts) => puts_off(&parts.1, options),
        _ => false,
    }
}

fn is_off(phrases: &[Phrase]) -> bool {
    let last = phrases.last().and_then(|phrase| phrase.items.last());
    matches!(last, Some(PhraseItem::Word(word)) if word.is("OFF"))
}
