//! Parts of a module that are not supported, told of when it is created and not only when it is called.
//!
//! The statements of the body are reduced as they are when they run, in a scope that knows every name: what is refused then with
//! 40515 is refused whatever the tables are. Other errors depend on what exists at the time of the call. Limits: of a
//! statement the first part is told; texts that are executed are not looked at.

use crate::session::Inner;
use mainstay_tsql_syntax::reduce::{self, InlineFunction, Scope, TableCall, TableColumn, TableFunction};
use mainstay_tsql_syntax::tree::{
    Body, Change, Declaration, FunctionKind, InsertRows, ObjectName, Statement, StatementKind, Words,
};
use mainstay_tsql_types::{DataType, Length, Message};

/// 40515: not supported in this version.
const NOT_SUPPORTED: i32 = 40_515;
/// 7202: another server, of which there is none.
const NO_SERVER: i32 = 7202;
/// Types of SQL Server whose values are not there.
const TYPES: [&str; 3] = ["hierarchyid", "geometry", "geography"];
/// Parts that are named.
const MOST: usize = 10;

/// Knows every variable and table, and what the database defines.
struct Everything<'s>(&'s dyn Scope);

impl Scope for Everything<'_> {
    fn variable(&self, name: &str) -> Option<DataType> {
        self.0.variable(name).or(Some(DataType::NVarChar(Length::Max)))
    }

    fn table(&self, name: &ObjectName) -> Result<String, Message> {
        self.0.table(name).or_else(|_| Ok(reduce::quoted(name.last())))
    }

    fn columns(&self, name: &ObjectName) -> Option<Vec<TableColumn>> {
        self.0.columns(name)
    }

    fn is_scalar_function(&self, name: &ObjectName) -> bool {
        // A function that is not there yet is one that will be.
        self.0.is_scalar_function(name) || name.parts.len() > 1
    }

    fn user_type(&self, name: &ObjectName) -> Option<DataType> {
        self.0.user_type(name)
    }

    fn expression_type(&self, text: &str) -> Result<DataType, Message> {
        self.0.expression_type(text)
    }

    fn inline_function(&self, name: &ObjectName) -> Option<InlineFunction> {
        self.0.inline_function(name)
    }

    fn table_function(&self, name: &ObjectName) -> Option<TableFunction> {
        self.0.table_function(name)
    }

    fn table_call(&self, call: TableCall) -> Result<String, Message> {
        Ok(reduce::quoted(call.name.last()))
    }
}

impl Inner {
    /// The warning of a module that was created, if parts of it are not supported.
    pub(crate) fn unsupported_parts(&mut self, statement: &Statement) -> Option<Message> {
        let (name, body) = match &statement.kind {
            StatementKind::Procedure(procedure) => (&procedure.name, &procedure.body),
            StatementKind::Trigger(trigger) => (&trigger.name, &trigger.body),
            StatementKind::Function(function) => match &function.returns {
                FunctionKind::Scalar(_, body) => (&function.name, body),
                _ => return None,
            },
            _ => return None,
        };
        let Body::Statements(statements) = body else { return None };
        let names = self.names(&[]);
        let mut found: Vec<(u32, String)> = Vec::new();
        statements.iter().for_each(|statement| look_at(statement, &Everything(&names), &mut found));
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

fn look_at(statement: &Statement, scope: &dyn Scope, found: &mut Vec<(u32, String)>) {
    let all = |statements: &[Statement], found: &mut Vec<(u32, String)>| {
        statements.iter().for_each(|statement| look_at(statement, scope, found));
    };
    let refused = match &statement.kind {
        StatementKind::Block(inner) | StatementKind::AtomicBlock(_, inner) => return all(inner, found),
        StatementKind::Try(body, catch) => {
            all(body, found);
            return all(catch, found);
        }
        StatementKind::If(parts) => {
            look_at(&parts.1, scope, found);
            parts.2.iter().for_each(|otherwise| look_at(otherwise, scope, found));
            reduce::condition(&parts.0, scope).err()
        }
        StatementKind::While(parts) => {
            look_at(&parts.1, scope, found);
            reduce::condition(&parts.0, scope).err()
        }
        StatementKind::Select(query) => reduce::query(query, scope).err(),
        // The rows of a procedure are the host's to fetch, and no part of the statement.
        StatementKind::Change(Change::Insert(insert)) if matches!(insert.rows, InsertRows::Execute(_)) => None,
        StatementKind::Change(change) => reduce::change(change, scope, false, false).err(),
        StatementKind::DeclareCursor(_, cursor) => reduce::query(&cursor.query, scope).err(),
        StatementKind::Declare(declarations) => declarations.iter().find_map(refused_declaration),
        StatementKind::Words(words) => refused_words(words),
        _ => None,
    };
    if let Some(message) = refused.filter(|message| [NOT_SUPPORTED, NO_SERVER].contains(&message.number)) {
        found.push((statement.line.0, message.text));
    }
}

fn refused_declaration(declaration: &Declaration) -> Option<Message> {
    let Declaration::Scalar(_, declared, _) = declaration else { return None };
    let name = TYPES.iter().find(|name| declared.name.last().eq_ignore_ascii_case(name))?;
    Some(reduce::not_supported(&format!("The type {name}")))
}

/// Statements that are kept as words and that nothing carries out.
fn refused_words(words: &Words) -> Option<Message> {
    const REFUSED: [&str; 4] = ["BACKUP LOG", "BACKUP", "RESTORE DATABASE", "RESTORE LOG"];
    REFUSED.contains(&words.verb.as_str()).then(|| reduce::not_supported(&words.verb))
}
