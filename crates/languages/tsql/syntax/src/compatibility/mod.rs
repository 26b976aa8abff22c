//! Constructs of T-SQL in a text that are refused, ignored, or different from SQL Server.
//!
//! ```text
//!   batch --parse--> tree --+-- structure   nodes that a row of the table stands for
//!     |                     '-- refusals    statements reduced in a scope that knows every name: 40515, 195
//!     '-- diagnostics       what cannot be read
//! ```
//!
//! The rows are in [`CONSTRUCTS`], from which the page docs/not-supported-tsql.md is written. The runtime warns of refused
//! parts of a module with [`refused_parts`] when it is created.
//!
//! Limits: beside the nodes of the table, only the first refusal of a statement is found; executed texts are read only
//! if they are constants; columns of tables are unknown, so refusals that depend on them are left out.

mod constructs;
mod names;
mod refusals;
mod structure;
mod words;

pub use constructs::CONSTRUCTS;
pub use names::{Names, SYSTEM_OBJECTS};
pub use refusals::refused_parts;
pub use words::{ACCEPTED_DEFINITIONS, PRINCIPALS};

use crate::{Lines, Options, Parsed, parse};
use mainstay_types::compatibility::{Assessed, Occurrence};
use std::borrow::Cow;

/// Texts that are executed within texts that are executed are read no deeper than this.
const DEEPEST: u32 = 4;

/// Finds the constructs of a batch. Lines are those of a script in which the batch begins at `first_line`.
pub fn assess(text: &str, first_line: u32, names: &Names) -> Assessed {
    let mut found = assess_nested(text, names, 0);
    for occurrence in &mut found.occurrences {
        occurrence.line += first_line.saturating_sub(1);
    }
    found.occurrences.sort_by_key(|occurrence| occurrence.line);
    found
}

fn assess_nested(text: &str, names: &Names, depth: u32) -> Assessed {
    let Parsed { statements, errors } = parse(text, Options::default());
    let mut assessed = Assessed::default();
    for error in errors {
        // A text that is executed may be a part of one, and need not be read alone.
        if depth == 0 {
            let subject = Cow::Owned(error.message);
            let code = i32::try_from(error.number).ok();
            let (construct, line, statement) = (&constructs::SYNTAX, error.line, None);
            assessed.occurrences.push(Occurrence { construct, subject, code, line, statement });
        }
    }
    let mut structure = structure::Structure::new(Some(Lines::new(text)), names);
    statements.iter().for_each(|statement| structure.look_at(statement));
    let structure::Structure { found, texts, count, .. } = structure;
    assessed.statements = count;
    assessed.occurrences.extend(refusals::occurrences(&statements, &Lines::new(text), &found));
    assessed.occurrences.extend(found);
    for structure::Executed { text, line, statement } in texts {
        if depth < DEEPEST {
            let within = assess_nested(&text, names, depth + 1).occurrences.into_iter();
            assessed.occurrences.extend(within.map(|found| Occurrence { line, statement, ..found }));
        }
    }
    assessed
}
