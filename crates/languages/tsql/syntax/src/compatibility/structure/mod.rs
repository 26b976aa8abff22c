//! Nodes of a tree that match rows of the table.

mod definitions;
mod queries;
mod session;

use super::constructs as rows;
use super::names::Names;
use super::words;
use crate::span::{Lines, Span};
use crate::tree::*;
use crate::visit::{self, Node};
use mainstay_types::compatibility::{Construct, Occurrence};
use std::borrow::Cow;

/// Types of SQL Server whose values do not exist here.
const SPATIAL: [&str; 3] = ["hierarchyid", "geometry", "geography"];
/// Databases that every server has.
const SYSTEM_DATABASES: [&str; 3] = ["master", "tempdb", "model"];

/// A walk over statements, and its occurrences.
pub(super) struct Structure<'t> {
    names: &'t Names,
    /// The lines of the text; without them an occurrence has the line of its statement.
    lines: Option<Lines>,
    /// The line of the statement that is walked.
    line: u32,
    /// True within a query over rows.
    in_rows: bool,
    /// Names of common table expressions of the text, in lower case.
    common: Vec<String>,
    /// The occurrences.
    pub(super) found: Vec<Occurrence>,
    /// Constant texts that are executed, with their lines.
    pub(super) texts: Vec<(String, u32)>,
    /// The statements.
    pub(super) count: u64,
}

impl<'t> Structure<'t> {
    pub(super) fn new(lines: Option<Lines>, names: &'t Names) -> Structure<'t> {
        let (found, texts, common) = (Vec::new(), Vec::new(), Vec::new());
        Structure { names, lines, line: 1, in_rows: false, common, found, texts, count: 0 }
    }

    pub(super) fn look_at(&mut self, statement: &Statement) {
        visit::statement(statement, &mut |node| self.node(node));
    }

    fn add(&mut self, construct: &'static Construct, subject: impl Into<Cow<'static, str>>, span: Span) {
        let line = self.line_of(span);
        self.found.push(Occurrence::new(construct, subject, line));
    }

    fn line_of(&self, span: Span) -> u32 {
        let lines = self.lines.as_ref().filter(|_| span.end > span.start);
        lines.map_or(self.line, |lines| lines.at(span.start))
    }

    fn here(&mut self, construct: &'static Construct, subject: impl Into<Cow<'static, str>>) {
        self.add(construct, subject, Span::default());
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Statement(statement) => {
                (self.line, self.in_rows) = (statement.line.0, false);
                self.count += 1;
                self.statement(&statement.kind);
            }
            Node::Query(query) => self.query(query),
            Node::Select(select) => self.in_rows = !select.from.is_empty(),
            Node::Source(source) => self.source(source),
            Node::Expression(value) => self.expression(value),
            Node::Change(change) => self.change(change),
            Node::Target(Target::Table(name, hints)) => {
                self.table(name);
                // TABLOCK of what is changed locks the table.
                self.hints(hints.iter().filter(|hint| !hint.starts("TABLOCK")));
            }
            Node::Target(Target::Remote(_)) => {}
            Node::DataType(data_type) => self.data_type(data_type),
            Node::Column(column) => self.column(column),
            Node::Constraint(constraint) => self.constraint(constraint),
            Node::Index(index) => self.index(index),
            Node::Element(TableElement::Period(name, _)) => {
                self.add(&rows::TEMPORAL, "PERIOD FOR SYSTEM_TIME", name.span)
            }
            Node::Element(_) => {}
            Node::Cursor(cursor) => {
                if cursor.options.iter().any(|option| option == "TYPE_WARNING") {
                    self.here(&rows::TYPE_WARNING, "");
                }
            }
        }
    }

    fn statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Words(words) => {
                if let Some(row) = words::row(words) {
                    self.here(row, words.verb.clone());
                }
            }
            StatementKind::Drop(drop) => {
                if let Some(row) = words::row_of_drop(drop.kind) {
                    self.here(row, format!("DROP {}", drop.kind));
                }
            }
            StatementKind::Permission(permission) => match permission.kind {
                PermissionKind::Grant => self.here(&rows::GRANT, ""),
                PermissionKind::Deny => self.here(&rows::DENY, "DENY"),
                PermissionKind::Revoke => self.here(&rows::DENY, "REVOKE"),
            },
            StatementKind::Procedure(_) | StatementKind::Function(_) | StatementKind::Trigger(_) => self.module(kind),
            StatementKind::CreateTable(_)
            | StatementKind::AlterTable(_)
            | StatementKind::CreateIndex(_)
            | StatementKind::AlterIndex(_)
            | StatementKind::CreateType(_)
            | StatementKind::BulkInsert(..)
            | StatementKind::Truncate(..) => self.definition(kind),
            StatementKind::Execute(execute) => self.execute(execute),
            kind => self.session(kind),
        }
    }
}

/// The first word of a phrase in capitals.
fn first_word(phrase: &Phrase) -> String {
    match phrase.items.first() {
        Some(PhraseItem::Word(word)) => word.text.to_uppercase(),
        _ => String::new(),
    }
}

/// A name with points between its parts.
fn shown(name: &ObjectName) -> String {
    name.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".")
}
