//! SET NOEXEC and SET PARSEONLY: batches that are read, or compiled, and not run.
//!
//! ```text
//!   PRINT 'a'                      PRINT 'a'
//!   SET NOEXEC ON                  SET NOEXEC ON
//!   EXEC p                  -->    IF @@mainstay_noexec = 0 EXEC p
//!   WHILE 1 = 1 PRINT 'b'          IF @@mainstay_noexec = 0 WHILE 1 = 1 PRINT 'b'
//!   SET NOEXEC OFF                 SET NOEXEC OFF
//! ```
//!
//! NOEXEC counts from the statement on that sets it, so a batch that sets it, or begins under it, asks before each of its
//! statements. PARSEONLY is set when the batch is read: one that leaves it ON is not run at all, not even what stands
//! before. Limit: under NOEXEC names are not looked up.

use crate::session::Session;
use mainstay_tds::{Command, Done, DoneKind, Sink};
use mainstay_tsql::tree::{BinaryOperator, Expr, Literal, Name, Phrase, Statement, StatementKind};
use mainstay_tsql::{Options, parse};

impl Session {
    /// Reads a batch that says PARSEONLY, or stands under it, and tells what is wrong with it; whether that is all.
    pub(crate) fn is_only_parsed(&mut self, text: &str, sink: &mut dyn Sink) -> bool {
        let was_on = self.inner.state.options.parse_only;
        if !was_on && !text.to_ascii_uppercase().contains("PARSEONLY") {
            return false;
        }
        let quoted_identifier = self.inner.state.options.quoted_identifier();
        let parsed = parse(text, Options { quoted_identifier });
        for statement in &parsed.statements {
            if let Some(on) = set_of(statement, "PARSEONLY") {
                self.inner.state.options.parse_only = on;
            }
        }
        if !self.inner.state.options.parse_only {
            return false;
        }
        for error in &parsed.errors {
            sink.message(&error.told());
        }
        let error = !parsed.errors.is_empty();
        sink.done(Done { kind: DoneKind::Statement, command: Command::NONE, count: None, error });
        true
    }
}

/// Whether statements of a batch may stand under NOEXEC.
pub(crate) fn says_no_exec(text: &str) -> bool {
    text.as_bytes().windows(6).any(|word| word.eq_ignore_ascii_case(b"NOEXEC"))
}

/// The statements of a batch, each behind the question whether it is to run.
pub(crate) fn guarded(statements: &[Statement]) -> Vec<Statement> {
    let guard = |statement: &Statement| {
        let kind = match &statement.kind {
            StatementKind::Label(_) => return statement.clone(),
            StatementKind::SetOption(_) if set_of(statement, "NOEXEC").is_some() => return statement.clone(),
            StatementKind::Block(within) => StatementKind::Block(guarded(within)),
            _ => StatementKind::If(Box::new((is_to_run(), statement.clone(), None))),
        };
        Statement { kind, span: statement.span, line: statement.line }
    };
    statements.iter().map(guard).collect()
}

fn is_to_run() -> Expr {
    let flag = Name { text: "@@mainstay_noexec".to_owned(), ..Name::default() };
    let zero = Expr::Literal(Literal::Integer("0".to_owned()));
    Expr::Binary(Box::new(Expr::Variable(flag)), BinaryOperator::Equal, Box::new(zero))
}

/// What a SET makes of an option.
fn set_of(statement: &Statement, option: &str) -> Option<bool> {
    let StatementKind::SetOption(phrases) = &statement.kind else { return None };
    let is_it = |phrase: &&Phrase| phrase.starts(option);
    phrases.iter().find(is_it).map(|phrase| phrase.starts(&format!("{option} ON")))
}
