//! SET NOEXEC, SHOWPLAN and PARSEONLY: batches that are read, or compiled, and not run.
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
//! before. Under SHOWPLAN_TEXT, SHOWPLAN_ALL and SHOWPLAN_XML nothing runs either. Limits: no plan is shown, and names are not
//! looked up.

use crate::session::Session;
use mainstay_tds::{Command, Done, DoneKind, Sink};
use mainstay_tsql_syntax::tree::{BinaryOperator, Expr, Literal, Name, Phrase, Statement, StatementKind};
use mainstay_tsql_syntax::{Options, parse};

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

/// The options that show how statements would be run instead of running them.
pub(crate) const SHOW_PLAN: [&str; 3] = ["SHOWPLAN_TEXT", "SHOWPLAN_ALL", "SHOWPLAN_XML"];

/// Whether statements of a batch may stand under NOEXEC or SHOWPLAN.
pub(crate) fn says_no_exec(text: &str) -> bool {
    let says = |wanted: &[u8]| text.as_bytes().windows(wanted.len()).any(|word| word.eq_ignore_ascii_case(wanted));
    says(b"NOEXEC") || says(b"SHOWPLAN_")
}

/// The statements of a batch, each behind the question whether it is to run.
pub(crate) fn guarded(statements: &[Statement]) -> Vec<Statement> {
    let guard = |statement: &Statement| {
        let kind = match &statement.kind {
            StatementKind::Label(_) => return statement.clone(),
            StatementKind::SetOption(_) if sets_unexecuted(statement) => return statement.clone(),
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

/// Whether a SET says whether what follows runs.
fn sets_unexecuted(statement: &Statement) -> bool {
    set_of(statement, "NOEXEC").is_some() || SHOW_PLAN.iter().any(|option| set_of(statement, option).is_some())
}

/// What a SET makes of an option.
fn set_of(statement: &Statement, option: &str) -> Option<bool> {
    let StatementKind::SetOption(phrases) = &statement.kind else { return None };
    let is_it = |phrase: &&Phrase| phrase.starts(option);
    phrases.iter().find(is_it).map(|phrase| phrase.starts(&format!("{option} ON")))
}
