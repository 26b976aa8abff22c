//! Constructs of Informix SQL and SPL in a script that are refused, ignored, or different from Informix.
//!
//! The rows are in [`CONSTRUCTS`], from which docs/not-supported-informix.md is written. A statement is parsed, reduced in a scope
//! in which every table exists, or compiled if it is a routine; what is refused then is refused whatever the tables are.
//!
//! Limits: columns of tables are not known; of a statement the first refusal is found; clauses that the parser reads and does not
//! keep are on the page only.

mod constructs;

pub use constructs::CONSTRUCTS;

use crate::compile::{self, Environment, Signature};
use crate::error::{Parse, SqlError};
use crate::parser::{Parsed, parse};
use crate::reduce::{self, Mode, Scope};
use crate::script::{PieceKind, pieces};
use crate::tree::*;
use crate::types::Type;
use constructs as rows;
use mainstay_syntax::Lines;
use mainstay_syntax::visit::{self, Node};
use mainstay_types::compatibility::{Assessed, Construct, Occurrence};
use std::borrow::Cow;
use std::collections::HashSet;

/// SQLCODE of a function that does not exist.
const NO_FUNCTION: i32 = -674;
/// Words of DBINFO that are answered.
const DBINFO: [&str; 8] =
    ["dbname", "version", "sqlca.sqlerrd1", "sqlca.sqlerrd2", "serial8", "bigserial", "sessionid", "dbhostname"];

/// The routines that scripts define, in lower case.
#[derive(Clone, Debug, Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// Adds what a script defines.
    pub fn add(&mut self, text: &str) {
        for piece in pieces(text).unwrap_or_default() {
            if let PieceKind::Statement(text) = piece.kind
                && let Ok(Parsed { statement: Statement::CreateRoutine(routine), .. }) = parse(&text, false)
            {
                self.0.insert(routine.name.last().to_lowercase());
            }
        }
    }
}

/// Finds the constructs of a script.
pub fn assess(text: &str, names: &Names) -> Assessed {
    let mut walk = Walk {
        names,
        lines: Lines::new(""),
        text: String::new(),
        first: 1,
        line: 1,
        statement: None,
        assessed: Assessed::default(),
    };
    match pieces(text) {
        Ok(pieces) => {
            for piece in pieces {
                (walk.first, walk.line, walk.statement) = (piece.line, piece.line, None);
                let (PieceKind::Statement(text) | PieceKind::Load(_, _, text) | PieceKind::Unload(_, _, text)) =
                    &piece.kind;
                // LOAD names an INSERT without its values.
                if !matches!(piece.kind, PieceKind::Load(..)) {
                    walk.piece(text);
                }
            }
        }
        Err(error) => {
            (walk.lines, walk.statement) = (Lines::new(text), None);
            walk.error(&error);
        }
    }
    let mut assessed = walk.assessed;
    assessed.occurrences.sort_by_key(|occurrence| occurrence.line);
    assessed
}

/// A walk over the statements of a script.
struct Walk<'t> {
    names: &'t Names,
    /// The lines of the statement that is walked, and the line of the script where it begins.
    lines: Lines,
    text: String,
    first: u32,
    line: u32,
    /// The number of the statement that is walked.
    statement: Option<u64>,
    assessed: Assessed,
}

impl Walk<'_> {
    fn at(&self, span: Span) -> u32 {
        self.first + self.lines.at(span.start).saturating_sub(1)
    }

    fn add(&mut self, construct: &'static Construct, subject: impl Into<Cow<'static, str>>) {
        let occurrence = Occurrence::new(construct, subject, self.line);
        self.assessed.occurrences.push(Occurrence { statement: self.statement, ..occurrence });
    }

    fn error(&mut self, error: &SqlError) {
        let construct = match error.code {
            SqlError::UNSUPPORTED => &rows::REFUSED,
            NO_FUNCTION => &rows::UNKNOWN_FUNCTION,
            _ => &rows::SYNTAX,
        };
        let line = error.span.map_or(self.line, |span| self.at(span));
        let subject = if error.subject.is_empty() { error.message.clone() } else { error.subject.clone() };
        let code = Some(error.code);
        let (subject, statement) = (subject.into(), self.statement);
        self.assessed.occurrences.push(Occurrence { construct, subject, code, line, statement });
    }

    /// Adds the refusal of a reduction or compilation. Other errors depend on the tables.
    fn reduced<T>(&mut self, result: Parse<T>) {
        if let Err(error) = result
            && [SqlError::UNSUPPORTED, NO_FUNCTION].contains(&error.code)
        {
            self.error(&SqlError { span: None, ..*error });
        }
    }

    fn piece(&mut self, text: &str) {
        self.lines = Lines::new(text);
        text.clone_into(&mut self.text);
        match parse(text, false) {
            Ok(parsed) => {
                self.statement = Some(self.assessed.statements);
                self.assessed.statements += 1;
                self.statement(&parsed.statement, text);
            }
            Err(error) => self.error(&error),
        }
    }

    fn statement(&mut self, statement: &Statement, text: &str) {
        match statement {
            Statement::CreateRoutine(routine) => {
                self.reduced(compile::compile_routine(routine, text, &Anything(self.names)));
                self.block(&routine.body);
            }
            Statement::CreateTrigger(trigger) => {
                let parts = trigger.before.iter().chain(&trigger.each_row).chain(&trigger.after);
                parts.for_each(|part| self.list(&part.actions));
            }
            Statement::Execute(call) => call.arguments.iter().for_each(|(_, value)| self.nodes_of(value)),
            statement => self.plain(statement),
        }
    }

    /// Statements that are no routine.
    fn plain(&mut self, statement: &Statement) {
        let scope = Anything(self.names);
        let mode = Mode::Execute(&[], &[]);
        match statement {
            Statement::Query(query) => self.query(query),
            Statement::Insert(insert) => {
                self.named(&insert.target);
                if let InsertRows::Query(query) = &insert.rows {
                    self.query(query);
                }
            }
            Statement::Update(update) => {
                self.named(&update.target);
                self.reduced(reduce::update(update, mode, &scope));
                update.items.iter().for_each(|(_, value)| self.nodes_of(value));
                update.condition.iter().for_each(|value| self.nodes_of(value));
            }
            Statement::Delete(delete) => {
                self.named(&delete.target);
                self.reduced(reduce::delete(delete, mode, &scope));
                delete.condition.iter().for_each(|value| self.nodes_of(value));
            }
            Statement::Merge(merge) => self.reduced(reduce::merge(merge, mode, &scope)),
            Statement::CreateView(_, _, query) => self.query(query),
            Statement::Rights(word, _) => self.add(&rows::RIGHTS, word.to_uppercase()),
            Statement::Database(name) | Statement::CreateDatabase(name, _) | Statement::DropDatabase(name, _) => {
                self.add(&rows::DATABASE, name.text.clone())
            }
            Statement::Isolation(words) => match words.as_str() {
                "DIRTY READ" | "CURSOR STABILITY" => self.add(&rows::DIRTY_READ, words.clone()),
                "REPEATABLE READ" => self.add(&rows::REPEATABLE_READ, ""),
                _ => {}
            },
            Statement::NoEffect(words) if words.ends_with("LOCK TABLE") => self.add(&rows::LOCK_TABLE, words.clone()),
            Statement::NoEffect(words) => self.add(&rows::NO_EFFECT, words.clone()),
            _ => {}
        }
    }

    fn block(&mut self, block: &Block) {
        block.handlers.iter().for_each(|handler| self.block(&handler.body));
        self.list(&block.statements);
    }

    fn list(&mut self, statements: &[Spl]) {
        let outer = (self.line, self.statement);
        for statement in statements {
            (self.line, self.statement) = (self.at(statement.span), Some(self.assessed.statements));
            self.assessed.statements += 1;
            self.spl(&statement.kind);
        }
        (self.line, self.statement) = outer;
    }

    fn spl(&mut self, kind: &SplKind) {
        match kind {
            SplKind::Block(block) => self.block(block),
            SplKind::Let(_, values) | SplKind::Raise(values) => values.iter().for_each(|value| self.nodes_of(value)),
            SplKind::Return(values, resumes) => {
                if *resumes {
                    self.add(&rows::RESUME, "");
                }
                values.iter().for_each(|value| self.nodes_of(value));
            }
            SplKind::If(branches, otherwise) => {
                branches.iter().for_each(|(condition, body)| self.branch(condition, body));
                otherwise.iter().for_each(|body| self.block(body));
            }
            SplKind::Case(value, branches, otherwise) => {
                self.nodes_of(value);
                branches.iter().for_each(|(value, body)| self.branch(value, body));
                otherwise.iter().for_each(|body| self.block(body));
            }
            SplKind::Loop(_, found) => self.repeated(found),
            SplKind::Call(call, _) => call.arguments.iter().for_each(|(_, value)| self.nodes_of(value)),
            SplKind::Select(query, _) => self.nodes_of_query(query),
            SplKind::Dynamic(Dynamic::Immediate(value) | Dynamic::Prepare(_, value))
                if !matches!(value, Expr::Literal(Literal::String(_))) =>
            {
                self.add(&rows::DYNAMIC_SQL, "");
            }
            SplKind::System(_) => self.add(&rows::SYSTEM, ""),
            SplKind::Trace => self.add(&rows::TRACE, ""),
            SplKind::Sql(statement) => self.within(statement),
            _ => {}
        }
    }

    fn branch(&mut self, condition: &Expr, body: &Block) {
        self.nodes_of(condition);
        self.block(body);
    }

    fn repeated(&mut self, found: &Loop) {
        match found {
            Loop::For(_, _, body) | Loop::Endless(body) => self.block(body),
            Loop::While(condition, body) => self.branch(condition, body),
            Loop::Foreach(foreach) => {
                if let RowSource::Query(query) = &foreach.source {
                    self.nodes_of_query(query);
                }
                self.block(&foreach.body);
            }
        }
    }

    /// A statement of SQL in a routine: the compilation of the routine has reported its refusals.
    fn within(&mut self, statement: &Statement) {
        match statement {
            Statement::Query(query) => self.nodes_of_query(query),
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) | Statement::Merge(_) => {}
            statement => self.plain(statement),
        }
    }

    fn query(&mut self, query: &Query) {
        self.reduced(reduce::query(query, Mode::Execute(&[], &[]), &Anything(self.names)));
        self.nodes_of_query(query);
    }

    fn nodes_of(&mut self, value: &Expr) {
        visit::expression(value, &mut |node| self.node(node));
    }

    fn nodes_of_query(&mut self, query: &Query) {
        visit::query(query, &mut |node| self.node(node));
    }

    fn named(&mut self, name: &ObjectName) {
        // A colon stands behind the database, a point behind the owner.
        if name.span.of(&self.text).contains(':') {
            let database = name.parts.first().map(|part| part.text.to_lowercase()).unwrap_or_default();
            self.add(&rows::DATABASE, database);
        }
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Source(Source::Table(table)) => self.named(&table.name),
            Node::Expression(Expr::Niladic(name))
                if ["TODAY", "CURRENT"].iter().any(|it| name.eq_ignore_ascii_case(it)) =>
            {
                self.add(&rows::CLOCK, name.to_uppercase());
            }
            _ => {}
        }
    }
}

/// A scope in which every table exists and no column is known.
struct Anything<'n>(&'n Names);

impl Scope for Anything<'_> {
    fn table(&self, _: &ObjectName) -> Parse<Option<String>> {
        Ok(None)
    }

    fn columns(&self, _: &ObjectName) -> Option<Vec<(String, Type)>> {
        None
    }

    fn function(&self, name: &ObjectName, _: usize) -> Option<(String, Type)> {
        let name = name.last().to_lowercase();
        self.0.0.contains(&name).then_some((name, Type::Integer))
    }

    fn user(&self) -> String {
        String::new()
    }

    fn server(&self) -> String {
        String::new()
    }

    fn database_information(&self, words: &[String]) -> Option<String> {
        words.first().filter(|word| DBINFO.contains(&word.as_str())).map(|_| "''".to_owned())
    }
}

impl Environment for Anything<'_> {
    fn routine(&self, _: &ObjectName, _: usize) -> Option<Signature> {
        None
    }

    fn column(&self, _: &ObjectName, _: &str) -> Option<Type> {
        Some(Type::Integer)
    }

    fn user(&self) -> String {
        String::new()
    }
}
