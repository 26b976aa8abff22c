//! Constructs of Advantage SQL in a script that are refused, ignored, or different from Advantage.
//!
//! A script is parsed as a whole; if it has an error, it is cut at the semicolons outside of blocks, and each statement
//! is parsed by itself, so that each reports its error. The rows are in [`CONSTRUCTS`], from which
//! docs/not-supported-adssql.md is written.
//!
//! Limits: columns of tables are unknown, so a refusal that depends on them is not found; clauses that the parser reads
//! and discards are on the page only.

mod constructs;
mod pieces;

pub use constructs::CONSTRUCTS;

use crate::error::{PROCEDURES_IN_LIBRARIES, Parse, SqlError, TRIGGERS_IN_LIBRARIES};
use crate::reduce::{self, SESSION_FUNCTIONS, Scope};
use crate::tree::*;
use constructs as rows;
use mainstay_ads_types::native;
use mainstay_syntax::Lines;
use mainstay_syntax::visit::{self, Node};
use mainstay_types::compatibility::{Assessed, Construct, Occurrence};
use mainstay_types::{SqlType, Value};
use std::borrow::Cow;
use std::collections::HashSet;

/// System procedures that exist, in lower case, one a line. A test of the runtime compares the list with its own.
pub const SYSTEM_PROCEDURES: &str = include_str!("system_procedures.txt");

/// The functions and procedures that scripts define, in lower case.
#[derive(Clone, Debug, Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// Adds what a script defines.
    pub fn add(&mut self, text: &str) {
        for (statements, _) in pieces::parsed(text).into_iter().filter_map(|(parsed, line)| Some((parsed.ok()?, line)))
        {
            for statement in &statements {
                if let StatementKind::CreateModule(module) = &statement.kind {
                    self.0.insert(module.name.last().to_lowercase());
                }
            }
        }
    }
}

/// Finds the constructs of a script.
pub fn assess(text: &str, names: &Names) -> Assessed {
    let lines = Lines::new(text);
    let assessed = Assessed::default();
    let mut walk = Walk { names, lines: &lines, offset: 0, line: 1, statement: None, in_function: false, assessed };
    for (parsed, offset) in pieces::parsed(text) {
        walk.offset = offset;
        match parsed {
            Ok(statements) => walk.statements(&statements),
            Err(error) => {
                let line = walk.line_of(error.span.unwrap_or_default());
                walk.error(&error, line);
            }
        }
    }
    let mut assessed = walk.assessed;
    assessed.occurrences.sort_by_key(|occurrence| occurrence.line);
    assessed
}

/// A walk over the statements of a script.
struct Walk<'t> {
    names: &'t Names,
    lines: &'t Lines,
    /// The offset of the piece that is walked.
    offset: u32,
    line: u32,
    /// The number of the statement that is walked.
    statement: Option<u64>,
    in_function: bool,
    assessed: Assessed,
}

impl Walk<'_> {
    fn line_of(&self, span: Span) -> u32 {
        self.lines.at(self.offset + span.start)
    }

    fn add(&mut self, construct: &'static Construct, subject: impl Into<Cow<'static, str>>) {
        let occurrence = Occurrence::new(construct, subject, self.line);
        self.assessed.occurrences.push(Occurrence { statement: self.statement, ..occurrence });
    }

    fn error(&mut self, error: &SqlError, line: u32) {
        let refused = error.construct();
        let construct = match error.number {
            native::UNSUPPORTED if [PROCEDURES_IN_LIBRARIES, TRIGGERS_IN_LIBRARIES].contains(&refused) => {
                &rows::LIBRARY
            }
            native::UNSUPPORTED => &rows::REFUSED,
            native::FUNCTION => &rows::UNKNOWN_FUNCTION,
            native::TYPE => &rows::UNKNOWN_TYPE,
            _ => &rows::SYNTAX,
        };
        let (subject, code) = (refused.to_owned().into(), Some(error.number));
        self.assessed.occurrences.push(Occurrence { construct, subject, code, line, statement: self.statement });
    }

    /// Adds the refusal of a reduction. Other errors depend on the tables.
    fn reduced<T>(&mut self, result: Parse<T>) {
        if let Err(error) = result
            && [native::UNSUPPORTED, native::FUNCTION].contains(&error.number)
        {
            self.error(&error, self.line);
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        let outer = (self.line, self.statement);
        for statement in statements {
            (self.line, self.statement) = (self.line_of(statement.span), Some(self.assessed.statements));
            self.assessed.statements += 1;
            self.statement(&statement.kind);
        }
        (self.line, self.statement) = outer;
    }

    fn statement(&mut self, kind: &StatementKind) {
        let scope = Anything(self.names);
        match kind {
            StatementKind::Query(query) => self.query(query),
            StatementKind::Insert(insert) => {
                self.marked(insert.mark);
                if let InsertRows::Query(query) = &insert.rows {
                    self.query(query);
                }
            }
            StatementKind::Update(update) => {
                self.marked(update.mark);
                if update.mark.is_none() {
                    self.reduced(reduce::update(update, None, &scope));
                }
            }
            StatementKind::Delete(delete) => self.reduced(reduce::delete(delete, None, &scope)),
            StatementKind::Declare(declarations) => declarations.iter().for_each(|found| match found {
                Declaration::Cursor(_, source) => self.cursor(source.as_ref()),
                Declaration::Variable(..) => {}
            }),
            StatementKind::Open(_, source) => self.cursor_source(source.as_ref()),
            StatementKind::Assign(_, value) | StatementKind::Return(Some(value)) => self.expression(value),
            StatementKind::SetSystem(name, _) => self.add(&rows::SYSTEM_VARIABLE, name.text.clone()),
            StatementKind::ExecuteImmediate(value) => self.executed(value),
            StatementKind::ExecuteProcedure(name, arguments) => {
                self.procedure(name);
                arguments.iter().for_each(|argument| self.expression(argument));
            }
            kind => self.flow(kind),
        }
    }

    /// Statements with others in them, and definitions.
    fn flow(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.condition(condition);
                    self.statements(body);
                }
                self.statements(otherwise.as_deref().unwrap_or_default());
            }
            StatementKind::While(condition, body) => {
                self.condition(condition);
                self.statements(body);
            }
            StatementKind::Try(parts) => {
                self.statements(&parts.body);
                parts.catches.iter().for_each(|(_, body)| self.statements(body));
                self.statements(parts.finally.as_deref().unwrap_or_default());
            }
            StatementKind::CreateModule(module) => self.module(module),
            StatementKind::CreateTable(table) => {
                let has_rule = |column: &Column| {
                    column.default.is_some() || column.range != (None, None) || column.error_message.is_some()
                };
                if table.columns.iter().any(has_rule) {
                    self.add(&rows::COLUMN_RULES, "");
                }
            }
            StatementKind::CreateIndex(index) if index.unique => self.add(&rows::UNIQUE_INDEX, ""),
            StatementKind::CreateView(_, query) => self.query(query),
            StatementKind::CreatePackage(_) => self.add(&rows::PACKAGE, ""),
            StatementKind::Other(words) => self.add(&rows::STATEMENT, words.clone()),
            _ => {}
        }
    }

    fn module(&mut self, module: &Module) {
        match &module.kind {
            ModuleKind::Trigger(trigger) if trigger.time.contains("CONFLICT") => self.add(&rows::CONFLICT_TRIGGER, ""),
            ModuleKind::Function(_) => self.in_function = true,
            _ => {}
        }
        self.statements(&module.body);
        self.in_function = false;
    }

    fn marked(&mut self, mark: Option<Mark>) {
        match mark {
            Some(Mark::Delete) => self.add(&rows::MARK, "WITH DELETE"),
            Some(Mark::Recall) => self.add(&rows::MARK, "WITH RECALL"),
            None => {}
        }
    }

    fn cursor(&mut self, source: Option<&CursorSource>) {
        self.add(&rows::CURSOR, "");
        self.cursor_source(source);
    }

    fn cursor_source(&mut self, source: Option<&CursorSource>) {
        match source {
            Some(CursorSource::Query(query)) => self.query(query),
            Some(CursorSource::Procedure(name, _)) => self.procedure(name),
            None => {}
        }
    }

    fn condition(&mut self, condition: &Condition) {
        if let Condition::Value(value) = condition {
            self.expression(value);
        }
    }

    fn query(&mut self, query: &Query) {
        if self.in_function {
            self.add(&rows::FUNCTION_READS, "");
        }
        self.reduced(reduce::query(query, &Anything(self.names)));
        visit::query(query, &mut |node| self.node(node));
    }

    fn expression(&mut self, value: &Expr) {
        self.reduced(reduce::expression(value, &Anything(self.names)));
        visit::expression(value, &mut |node| self.node(node));
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Expression(Expr::Call(call)) if call.name.parts.len() == 1 => self.clock(call.name.last()),
            Node::Expression(Expr::Niladic(name)) => self.clock(name),
            Node::Source(Source::Function(call, ..)) => {
                if let Expr::Call(call) = call.as_ref() {
                    self.procedure(&call.name);
                }
            }
            _ => {}
        }
    }

    fn clock(&mut self, name: &str) {
        const LOCAL: [&str; 9] =
            ["now", "curdate", "curtime", "current_date", "current_time", "current_timestamp", "date", "time", "today"];
        if LOCAL.contains(&name.to_lowercase().as_str()) {
            self.add(&rows::CLOCK, name.to_uppercase());
        }
    }

    fn executed(&mut self, value: &Expr) {
        match value {
            Expr::Literal(Literal::String(text)) => {
                let within = assess(text, self.names).occurrences.into_iter();
                let (line, statement) = (self.line, self.statement);
                self.assessed.occurrences.extend(within.map(|found| Occurrence { line, statement, ..found }));
            }
            _ => self.add(&rows::DYNAMIC_SQL, ""),
        }
    }

    fn procedure(&mut self, name: &ObjectName) {
        let last = name.last().to_lowercase();
        match last.as_str() {
            "sp_encrypttable" | "sp_decrypttable" | "sp_gettableencryptiontype" | "sp_setddencryptiontype" => {
                self.add(&rows::ENCRYPTION, name.last().to_owned());
            }
            "sp_packtableonline" | "sp_reindexonline" | "sp_packalltablesonline" => {
                self.add(&rows::ONLINE, name.last().to_owned());
            }
            last if last.starts_with("sp_") => {
                let is_replication =
                    ["link", "publication", "article", "subscription"].iter().any(|it| last.ends_with(it));
                match SYSTEM_PROCEDURES.lines().any(|known| known == last) {
                    true if is_replication => self.add(&rows::REPLICATION, name.last().to_owned()),
                    true => {}
                    false if self.names.0.contains(last) => {}
                    false => self.add(&rows::SYSTEM_PROCEDURE, name.last().to_owned()),
                }
            }
            _ => {}
        }
    }
}

/// A scope in which every table and parameter exists, and no column is known.
struct Anything<'n>(&'n Names);

impl Scope for Anything<'_> {
    fn value(&self, name: &str) -> Parse<Option<(Value, SqlType)>> {
        Ok(name.starts_with(['?', ':', '@']).then_some((Value::Null, SqlType::Integer)))
    }

    fn table(&self, _: &ObjectName) -> Parse<Option<String>> {
        Ok(None)
    }

    fn procedure(&self, name: &ObjectName, _: &[Expr]) -> Parse<String> {
        Ok(reduce::quoted(name.last()))
    }

    fn columns(&self, _: &ObjectName) -> Option<Vec<String>> {
        None
    }

    fn text_length(&self, _: &ObjectName, _: &str) -> Option<u32> {
        None
    }

    fn all_columns(&self, _: &ObjectName) -> Option<Vec<String>> {
        None
    }

    fn session(&self, function: &str) -> Option<(Value, SqlType)> {
        let name = function.split(' ').next().unwrap_or(function);
        let exists = SESSION_FUNCTIONS.contains(&name) && name != "lastrowversion";
        exists.then_some((Value::Null, SqlType::Integer))
    }

    fn function(&self, name: &ObjectName) -> Option<String> {
        let is_known = name.parts.len() > 1 || self.0.0.contains(&name.last().to_lowercase());
        is_known.then(|| name.last().to_lowercase())
    }
}
