//! Parts of statements that are refused when they run, found by reducing each statement in a scope that knows every name.
//!
//! The statements are reduced in the same way as when they run, so a refusal here is a refusal there, whatever the
//! tables are. Other errors depend on the objects that exist at run time and are left out. Limit: only the first
//! refusal of a statement is found.

use super::constructs as rows;
use super::names::Names;
use super::structure::Structure;
use crate::Lines;
use crate::reduce::refusals::{NOT_SUPPORTED, OF_COLUMNS, OF_NODES, part_of};
use crate::reduce::{self, InlineFunction, Scope, TableCall, TableColumn, TableFunction};
use crate::tree::*;
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_types::compatibility::{Occurrence, Support};
use std::collections::HashSet;

/// 7202: an unknown other server.
const NO_SERVER: i32 = 7202;
/// 195: no function of this name.
const NO_FUNCTION: i32 = 195;

/// Knows every variable and table, and for the rest asks another scope.
struct Everything<'s>(Option<&'s dyn Scope>);

impl Scope for Everything<'_> {
    fn variable(&self, name: &str) -> Option<DataType> {
        self.0.and_then(|scope| scope.variable(name)).or(Some(DataType::NVarChar(Length::Max)))
    }

    fn table(&self, name: &ObjectName) -> Result<String, Message> {
        let known = self.0.and_then(|scope| scope.table(name).ok());
        Ok(known.unwrap_or_else(|| reduce::quoted(name.last())))
    }

    fn columns(&self, name: &ObjectName) -> Option<Vec<TableColumn>> {
        self.0?.columns(name)
    }

    fn is_scalar_function(&self, name: &ObjectName) -> bool {
        // A function that does not exist yet may exist when the statement runs.
        name.parts.len() > 1 || self.0.is_some_and(|scope| scope.is_scalar_function(name))
    }

    fn user_type(&self, name: &ObjectName) -> Option<DataType> {
        match self.0 {
            Some(scope) => scope.user_type(name),
            // Types that are not known are found as nodes.
            None => match DataType::declare(name.last(), &[], mainstay_tsql_types::types::Declared::Column(1, "c")) {
                Err(error) if error.number == 2715 => Some(DataType::NVarChar(Length::Max)),
                _ => None,
            },
        }
    }

    fn expression_type(&self, query: &str) -> Result<DataType, Message> {
        self.0.map_or(Ok(DataType::NVarChar(Length::Max)), |scope| scope.expression_type(query))
    }

    fn inline_function(&self, name: &ObjectName) -> Option<InlineFunction> {
        self.0?.inline_function(name)
    }

    fn table_function(&self, name: &ObjectName) -> Option<TableFunction> {
        self.0?.table_function(name)
    }

    fn table_call(&self, call: TableCall) -> Result<String, Message> {
        Ok(reduce::quoted(call.name.last()))
    }

    fn check_file(&self, _: &str) -> Result<(), Message> {
        Ok(())
    }
}

/// A statement that is refused.
struct Refused {
    line: u32,
    /// Its number in the text, from 0.
    number: u64,
    /// Where the part of it ends that is reduced: the condition of IF and WHILE.
    end: u32,
    message: Message,
}

/// Statements with their refusals, those within others included.
fn refused(statements: &[Statement], scope: &dyn Scope) -> Vec<Refused> {
    let (mut found, mut count) = (Vec::new(), 0);
    for statement in statements {
        crate::visit::statement(statement, &mut |node| {
            let crate::visit::Node::Statement(statement) = node else { return };
            let number = count;
            count += 1;
            if let Some(message) = refusal(&statement.kind, scope) {
                let end = match &statement.kind {
                    StatementKind::If(parts) => parts.1.span.start,
                    StatementKind::While(parts) => parts.1.span.start,
                    _ => statement.span.end,
                };
                found.push(Refused { line: statement.line.0, number, end, message });
            }
        });
    }
    found
}

/// The refusal of a statement itself, without those within it.
fn refusal(kind: &StatementKind, scope: &dyn Scope) -> Option<Message> {
    let of_value = |value: &Expr| reduce::expression(value, scope).err();
    match kind {
        StatementKind::If(parts) => reduce::condition(&parts.0, scope).err(),
        StatementKind::While(parts) => reduce::condition(&parts.0, scope).err(),
        StatementKind::Select(query) => reduce::query(query, scope).err(),
        // The rows of a procedure are the host's to fetch, and no part of the statement.
        StatementKind::Change(Change::Insert(insert)) if matches!(insert.rows, InsertRows::Execute(_)) => None,
        StatementKind::Change(change) => reduce::change(change, scope, false, false).err(),
        StatementKind::DeclareCursor(_, cursor) => reduce::query(&cursor.query, scope).err(),
        StatementKind::View(view) => reduce::view(&view.query, scope).err(),
        StatementKind::Function(function) => match &function.returns {
            FunctionKind::Inline(query) => reduce::view(query, scope).err(),
            _ => None,
        },
        StatementKind::Declare(declarations) => declarations.iter().find_map(|declaration| match declaration {
            Declaration::Scalar(_, _, Some(value)) => of_value(value),
            _ => None,
        }),
        StatementKind::SetVariable(set) => match set.as_ref() {
            SetVariable::Value(_, _, value) => of_value(value),
            SetVariable::Cursor(_, cursor) => reduce::query(&cursor.query, scope).err(),
            _ => None,
        },
        StatementKind::Print(value) | StatementKind::Return(Some(value)) => of_value(value),
        StatementKind::CreateIndex(create) => reduce::create_index(&create.index, "\"t\"").err(),
        StatementKind::CreateTable(table) => reduce::create_table("\"t\"", &table.elements, false, scope).err(),
        _ => None,
    }
}

/// The refusals of statements as occurrences. One whose statement has a node of the table that is not supported is left out:
/// the message is about that node.
pub(super) fn occurrences(statements: &[Statement], lines: &Lines, structure: &[Occurrence]) -> Vec<Occurrence> {
    let found = refused(statements, &Everything(None)).into_iter();
    let found = found.filter_map(|Refused { line, number, end, message }| {
        let last = lines.at(end);
        let is_reported = |known: &Occurrence| {
            known.construct.support == Support::NotSupported && (line..=last).contains(&known.line)
        };
        let occurrence = Occurrence { statement: Some(number), ..occurrence(line, &message)? };
        let is_vague = occurrence.construct.id == rows::REFUSED.id;
        (!is_vague || !structure.iter().any(is_reported)).then_some(occurrence)
    });
    found.collect()
}

fn occurrence(line: u32, message: &Message) -> Option<Occurrence> {
    let (construct, subject) = match message.number {
        NOT_SUPPORTED => {
            let part = part_of(message);
            // Columns are unknown here, and nodes are found by the walk over the tree.
            if OF_COLUMNS.contains(&part) || OF_NODES.contains(&part) {
                return None;
            }
            (&rows::REFUSED, part)
        }
        // The message quotes the name.
        NO_FUNCTION => (&rows::UNKNOWN_FUNCTION, message.text.split('\'').nth(1).unwrap_or(&message.text)),
        _ => return None,
    };
    let (subject, code) = (subject.to_owned().into(), Some(message.number));
    Some(Occurrence { construct, subject, code, line, statement: None })
}

/// Rows that depend on the names which a database knows, or that are about the text itself.
const OF_NAMES: [&str; 5] = ["syntax", "unknown-type", "unknown-function", "system-procedure", "system-view"];

/// The parts of a module's statements that are refused when they run, by their lines, with the messages. The scope says
/// what the database defines.
pub fn refused_parts(statements: &[Statement], scope: &dyn Scope) -> Vec<(u32, String)> {
    let is_refusal = |message: &Message| [NOT_SUPPORTED, NO_SERVER].contains(&message.number);
    let mut found: Vec<(u32, String)> = refused(statements, &Everything(Some(scope)))
        .into_iter()
        .filter(|refused| is_refusal(&refused.message))
        .map(|refused| (refused.line, refused.message.text))
        .collect();
    let lines: HashSet<u32> = found.iter().map(|(line, _)| *line).collect();
    let names = Names::default();
    let mut structure = Structure::new(None, &names);
    statements.iter().for_each(|statement| structure.look_at(statement));
    let others = structure.found.into_iter().filter(|found| {
        let row = found.construct;
        row.support == Support::NotSupported && !OF_NAMES.contains(&row.id) && !lines.contains(&found.line)
    });
    found.extend(others.map(|found| {
        let subject = if found.subject.is_empty() { found.construct.name } else { &found.subject };
        (found.line, reduce::not_supported(subject).text)
    }));
    found.sort();
    found.dedup();
    found
}
