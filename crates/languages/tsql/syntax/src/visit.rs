//! Visits the nodes of a tree, outermost first: statements, definitions, and the parts that all SQL languages share.
//!
//! Queries, changes and expressions are visited by [`mainstay_syntax::visit`]. Phrases are not entered: the visitor of a
//! node reads its phrases. Statements have an end too, so that a visitor can stack what holds within them.

use crate::tree::*;
use mainstay_syntax::visit::{self, Node as Part};

/// A node that is visited.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "each is named for its node")]
pub enum Node<'t> {
    Statement(&'t Statement),
    /// A part of a statement that all SQL languages share, or the end of the query or change that began last.
    Part(Part<'t>),
    Column(&'t Column),
    Constraint(&'t Constraint),
    Index(&'t IndexSpec),
    Element(&'t TableElement),
    Cursor(&'t Cursor),
    /// The end of the statement that began last and has not ended yet.
    End,
}

/// Takes each node.
pub type Look<'t, 'l> = dyn FnMut(Node<'t>) + 'l;

/// Visits a statement and everything in it.
pub fn statement<'t>(statement: &'t Statement, look: &mut Look<'t, '_>) {
    look(Node::Statement(statement));
    match &statement.kind {
        StatementKind::Block(inner) | StatementKind::AtomicBlock(_, inner) => statements(inner, look),
        StatementKind::Try(body, catch) => {
            statements(body, look);
            statements(catch, look);
        }
        StatementKind::If(parts) => {
            expression(&parts.0, look);
            self::statement(&parts.1, look);
            parts.2.iter().for_each(|otherwise| self::statement(otherwise, look));
        }
        StatementKind::While(parts) => {
            expression(&parts.0, look);
            self::statement(&parts.1, look);
        }
        StatementKind::CreateSchema(schema) => statements(&schema.elements, look),
        StatementKind::Procedure(_)
        | StatementKind::Function(_)
        | StatementKind::Trigger(_)
        | StatementKind::View(_) => {
            module(&statement.kind, look);
        }
        StatementKind::CreateTable(table) => elements(&table.elements, look),
        StatementKind::AlterTable(alter) => alter_table(&alter.action, look),
        StatementKind::CreateIndex(create) => index(&create.index, look),
        StatementKind::CreateType(create) => match create.as_ref() {
            CreateType::Alias(_, of, _) => look(Node::Part(Part::DataType(of))),
            CreateType::Table(_, parts, _) => elements(parts, look),
            CreateType::External(..) => {}
        },
        kind => plain(kind, look),
    }
    look(Node::End);
}

/// Visits a list of statements.
pub fn statements<'t>(list: &'t [Statement], look: &mut Look<'t, '_>) {
    list.iter().for_each(|found| statement(found, look));
}

/// Statements without others in them.
fn plain<'t>(kind: &'t StatementKind, look: &mut Look<'t, '_>) {
    match kind {
        StatementKind::Select(found) => query(found, look),
        StatementKind::Change(found) => change(found, look),
        StatementKind::Declare(declarations) => declarations.iter().for_each(|found| declaration(found, look)),
        StatementKind::SetVariable(set) => match set.as_ref() {
            SetVariable::Value(_, _, value) | SetVariable::Property(_, _, value) => expression(value, look),
            SetVariable::Cursor(_, found) => cursor(found, look),
            SetVariable::Method(_, _, arguments) => expressions(arguments, look),
        },
        StatementKind::Return(value) | StatementKind::Revert(value) | StatementKind::Checkpoint(value) => {
            expressions(value, look);
        }
        StatementKind::Throw(parts) => parts.iter().for_each(|parts| {
            [&parts.0, &parts.1, &parts.2].into_iter().for_each(|value| expression(value, look));
        }),
        StatementKind::Raiserror(arguments, _) => expressions(arguments, look),
        StatementKind::Print(value) | StatementKind::WaitFor(WaitFor::Delay(value) | WaitFor::Time(value)) => {
            expression(value, look);
        }
        StatementKind::Execute(found) => execute(found, look),
        StatementKind::DeclareCursor(_, found) => cursor(found, look),
        StatementKind::Fetch(fetch) => match &fetch.direction {
            Direction::Absolute(value) | Direction::Relative(value) => expression(value, look),
            _ => {}
        },
        _ => {}
    }
}

fn declaration<'t>(declaration: &'t Declaration, look: &mut Look<'t, '_>) {
    match declaration {
        Declaration::Scalar(_, data_type, value) => {
            look(Node::Part(Part::DataType(data_type)));
            expressions(value, look);
        }
        Declaration::Table(_, parts) => elements(parts, look),
    }
}

fn module<'t>(kind: &'t StatementKind, look: &mut Look<'t, '_>) {
    match kind {
        StatementKind::Procedure(procedure) => {
            parameters(&procedure.parameters, look);
            body(&procedure.body, look);
        }
        StatementKind::Trigger(trigger) => body(&trigger.body, look),
        StatementKind::View(view) => query(&view.query, look),
        StatementKind::Function(function) => {
            parameters(&function.parameters, look);
            match &function.returns {
                FunctionKind::Scalar(returns, statements) => {
                    look(Node::Part(Part::DataType(returns)));
                    body(statements, look);
                }
                FunctionKind::Inline(found) => query(found, look),
                FunctionKind::MultiStatement(_, parts, inner) => {
                    elements(parts, look);
                    statements(inner, look);
                }
                FunctionKind::ExternalTable(parts, _) => elements(parts, look),
            }
        }
        _ => {}
    }
}

fn parameters<'t>(parameters: &'t [Parameter], look: &mut Look<'t, '_>) {
    for parameter in parameters {
        look(Node::Part(Part::DataType(&parameter.data_type)));
        expressions(&parameter.default, look);
    }
}

fn body<'t>(body: &'t Body, look: &mut Look<'t, '_>) {
    if let Body::Statements(inner) = body {
        statements(inner, look);
    }
}

fn cursor<'t>(cursor: &'t Cursor, look: &mut Look<'t, '_>) {
    look(Node::Cursor(cursor));
    query(&cursor.query, look);
}

fn elements<'t>(elements: &'t [TableElement], look: &mut Look<'t, '_>) {
    for element in elements {
        look(Node::Element(element));
        match element {
            TableElement::Column(found) => column(found, look),
            TableElement::Constraint(found) => constraint(found, look),
            TableElement::Index(found) => index(found, look),
            TableElement::Period(..) => {}
        }
    }
}

fn column<'t>(column: &'t Column, look: &mut Look<'t, '_>) {
    look(Node::Column(column));
    match &column.kind {
        ColumnKind::Stored(data_type) => look(Node::Part(Part::DataType(data_type))),
        ColumnKind::Computed(value) => expression(value, look),
        ColumnKind::Timestamp => {}
    }
    for property in &column.properties {
        match property {
            ColumnProperty::Constraint(found) => constraint(found, look),
            ColumnProperty::Index(found) => index(found, look),
            _ => {}
        }
    }
}

fn constraint<'t>(constraint: &'t Constraint, look: &mut Look<'t, '_>) {
    look(Node::Constraint(constraint));
    match &constraint.kind {
        ConstraintKind::Key(found) => index(found, look),
        ConstraintKind::Check(_, value) | ConstraintKind::Default(value, ..) => expression(value, look),
        ConstraintKind::ForeignKey(_) => {}
    }
}

fn index<'t>(index: &'t IndexSpec, look: &mut Look<'t, '_>) {
    look(Node::Index(index));
    expressions(&index.filter, look);
}

fn alter_table<'t>(action: &'t AlterTableAction, look: &mut Look<'t, '_>) {
    match action {
        AlterTableAction::Add(_, parts) => elements(parts, look),
        AlterTableAction::AlterColumn(found, _) => column(found, look),
        _ => {}
    }
}

fn query<'t>(found: &'t Query, look: &mut Look<'t, '_>) {
    visit::query(found, &mut |part| look(Node::Part(part)));
}

fn change<'t>(found: &'t Change, look: &mut Look<'t, '_>) {
    visit::change(found, &mut |part| look(Node::Part(part)));
}

fn execute<'t>(found: &'t Execute, look: &mut Look<'t, '_>) {
    visit::execute(found, &mut |part| look(Node::Part(part)));
}

fn expressions<'t>(values: impl IntoIterator<Item = &'t Expr>, look: &mut Look<'t, '_>) {
    values.into_iter().for_each(|value| expression(value, look));
}

fn expression<'t>(value: &'t Expr, look: &mut Look<'t, '_>) {
    visit::expression(value, &mut |part| look(Node::Part(part)));
}
