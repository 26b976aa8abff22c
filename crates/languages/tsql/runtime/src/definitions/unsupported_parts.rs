//! Unsupported parts of a module, reported when it is created and not only when it is called.
//!
//! They are found by the table that `mainstay assess` reports from ([`mainstay_tsql_syntax::compatibility`]), with the
//! objects of the database: the statements of the body are reduced as they are when they run, and a refusal at that
//! point does not depend on the tables. Limits: only the first refusal of a statement is reported; texts that are
//! executed are not examined.

use crate::session::Inner;
use mainstay_tsql_syntax::compatibility::refused_parts;
use mainstay_tsql_syntax::tree::{Body, FunctionKind, Statement, StatementKind};
use mainstay_tsql_types::Message;

/// 40515: not supported in this version.
const NOT_SUPPORTED: i32 = 40_515;
/// Parts that are named.
const MOST: usize = 10;

impl Inner {
    /// The warning of a module that was created, if parts of it are not supported.
    pub(crate) fn unsupported_parts(&mut self, statement: &Statement) -> Option<Message> {
        let (name, statements) = match &statement.kind {
            StatementKind::Procedure(procedure) => (&procedure.name, listed(&procedure.body)?),
            StatementKind::Trigger(trigger) => (&trigger.name, listed(&trigger.body)?),
            StatementKind::Function(function) => match &function.returns {
                FunctionKind::Scalar(_, body) => (&function.name, listed(body)?),
                FunctionKind::MultiStatement(_, _, statements) => (&function.name, &statements[..]),
                _ => return None,
            },
            _ => return None,
        };
        let names = self.names(&[]);
        let found = refused_parts(statements, &names);
        if found.is_empty() {
            return None;
        }
        let more = if found.len() > MOST { format!(" And {} more.", found.len() - MOST) } else { String::new() };
        let parts: Vec<String> = found.iter().take(MOST).map(|(line, text)| format!("line {line}: {text}")).collect();
        let text = format!(
            "The module '{}' was created, and parts of it fail when it is called: {}{more}",
            name.last(),
            parts.join(" ")
        );
        Some(Message { number: NOT_SUPPORTED, severity: 10, state: 1, text, procedure: None, line: 0 })
    }
}

fn listed(body: &Body) -> Option<&[Statement]> {
    match body {
        Body::Statements(statements) => Some(statements),
        Body::External(_) => None,
    }
}
