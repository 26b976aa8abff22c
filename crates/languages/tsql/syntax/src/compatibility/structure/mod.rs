//! Nodes of a tree that match rows of the table.

mod definitions;
mod queries;
mod session;

use super::constructs as rows;
use super::names::Names;
use super::words;
use crate::tree::*;
use crate::visit::{self, Node};
use mainstay_syntax::visit::Node as Part;
use mainstay_syntax::{Lines, Span};
use mainstay_types::compatibility::{Construct, Occurrence};
use std::borrow::Cow;

/// Types of SQL Server whose values do not exist here.
const SPATIAL: [&str; 3] = ["hierarchyid", "geometry", "geography"];
/// Databases that every server has.
const SYSTEM_DATABASES: [&str; 3] = ["master", "tempdb", "model"];

/// A statement, query or change that is entered.
#[derive(Clone, Copy, Debug)]
struct Entered {
    /// The line of the statement, and its number in the text, from 0.
    line: u32,
    statement: Option<u64>,
    /// True if its values are calculated for each of several rows.
    in_rows: bool,
}

/// A constant text that is executed, with the line and the number of its statement.
pub(super) struct Executed {
    pub(super) text: String,
    pub(super) line: u32,
    pub(super) statement: Option<u64>,
}

/// A walk over statements, and its occurrences.
pub(super) struct Structure<'t> {
    names: &'t Names,
    /// The lines of the text; without them an occurrence has the line of its statement.
    lines: Option<Lines>,
    /// The statements, queries and changes that are entered, the innermost last.
    entered: Vec<Entered>,
    /// The occurrences.
    pub(super) found: Vec<Occurrence>,
    /// Constant texts that are executed.
    pub(super) texts: Vec<Executed>,
    /// The statements.
    pub(super) count: u64,
}

impl<'t> Structure<'t> {
    pub(super) fn new(lines: Option<Lines>, names: &'t Names) -> Structure<'t> {
        Structure { names, lines, entered: Vec::new(), found: Vec::new(), texts: Vec::new(), count: 0 }
    }

    pub(super) fn look_at(&mut self, statement: &Statement) {
        visit::statement(statement, &mut |node| self.node(node));
    }

    fn add(&mut self, construct: &'static Construct, subject: impl Into<Cow<'static, str>>, span: Span) {
        let line = self.line_of(span);
        let statement = self.innermost().statement;
        self.found.push(Occurrence { statement, ..Occurrence::new(construct, subject, line) });
    }

    fn innermost(&self) -> Entered {
        self.entered.last().copied().unwrap_or(Entered { line: 1, statement: None, in_rows: false })
    }

    /// Enters a query or a change.
    fn enter(&mut self, in_rows: bool) {
        self.entered.push(Entered { in_rows, ..self.innermost() });
    }

    fn line_of(&self, span: Span) -> u32 {
        let lines = self.lines.as_ref().filter(|_| span.end > span.start);
        lines.map_or(self.innermost().line, |lines| lines.at(span.start))
    }

    fn here(&mut self, construct: &'static Construct, subject: impl Into<Cow<'static, str>>) {
        self.add(construct, subject, Span::default());
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Statement(statement) => {
                self.entered.push(Entered { line: statement.line.0, statement: Some(self.count), in_rows: false });
                self.count += 1;
                self.statement(&statement.kind);
            }
            Node::Part(part) => self.part(part),
            Node::End => drop(self.entered.pop()),
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

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Query(query) => {
                self.enter(false);
                self.query(query);
            }
            Part::Select(select) => {
                if let Some(entered) = self.entered.last_mut() {
                    entered.in_rows = !select.from.is_empty();
                }
            }
            Part::End => drop(self.entered.pop()),
            Part::Source(source) => self.source(source),
            Part::Expression(value) => self.expression(value),
            Part::Change(change) => self.change(change),
            Part::Target(Target::Table(name, hints)) => {
                self.table(name);
                // TABLOCK of what is changed locks the table.
                self.hints(hints.iter().filter(|hint| !hint.starts("TABLOCK")));
            }
            Part::Target(Target::Remote(_)) => {}
            Part::DataType(data_type) => self.data_type(data_type),
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
