//! Compilation of scripts to the typed form of programs.
//!
//! ```text
//!   DECLARE i Integer;           slot i int
//!   WHILE FETCH c DO             while host "FETCH c"
//!     i = i + 1;                   i := (i + 1)
//!     INSERT INTO t VALUES (i);    host "INSERT ..." with (i)
//!   END;
//! ```
//!
//! Flow of control, variables, and expressions over variables whose types are known become the machine's own.
//! Everything else is an [`Action`] of the host: a statement of SQL, or an expression with a cursor's column, a
//! subquery, or a function of the database, which [`crate::evaluate()`] computes from the tree.
//!
//! FINALLY is repeated at each of its exits: behind the statement, for errors, and before each LEAVE, CONTINUE and
//! RETURN.

mod expression;

use crate::error::{Parse, SqlError};
use crate::printer::{print, print_expression};
use crate::tree::{Condition, CursorSource, Declaration, Expr, Name, ObjectName, Span, Statement, StatementKind, Try};
use mainstay_ads_types::native;
use mainstay_types::{SqlType, Value};
use mainstay_vm::{self as program, Expression, ExpressionKind, Routine, SlotId, StatementId, Type};
use std::collections::HashMap;
use std::sync::Arc;

pub use expression::storage_type;

/// A script in the typed form, with what it asks of its host.
#[derive(Debug)]
pub struct Script {
    /// The form.
    pub routine: Routine,
    /// The host's statements, by their numbers.
    pub actions: Vec<Action>,
}

/// A request of the machine to its host.
#[derive(Debug)]
pub struct Action {
    /// The kind of the action.
    pub kind: ActionKind,
    /// The variables whose values are its inputs, in order.
    pub names: Vec<(String, SqlType)>,
    /// The statement's place.
    pub span: Span,
}

/// A kind of action.
#[derive(Debug)]
pub enum ActionKind {
    /// A statement of SQL.
    Statement(Box<StatementKind>),
    /// The value of an expression.
    Value(Box<Expr>),
    /// OPEN of a cursor: its name in lower case, and what it goes over.
    Open(String, Box<CursorSource>),
    /// FETCH of the next row; whether there is one.
    Fetch(String),
    /// CLOSE.
    Close(String),
    /// RAISE: class, number, text.
    Raise(String, Box<Expr>, Box<Expr>),
    /// True if the error being handled is of this class.
    IsClass(String),
}

/// A parameter of a procedure or function.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its name.
    pub name: String,
    /// Its type.
    pub sql_type: SqlType,
}

/// Compiles a script; `text` is what its places are in.
///
/// Errors: 2217 for a name that is declared twice, 2218 for a variable that is not declared, 2219 for a statement that does
/// not belong where it is.
pub fn compile(
    name: &str,
    text: &str,
    statements: &[Statement],
    parameters: &[Given],
    returns: Option<SqlType>,
) -> Parse<Script> {
    let mut routine = Routine::new(name);
    if let Some(sql_type) = returns {
        (routine.result, routine.default_result) = (Some(storage_type(sql_type)), Value::Null);
    }
    routine.scoped = true;
    let mut compiler = Compiler {
        routine,
        actions: Vec::new(),
        variables: HashMap::new(),
        cursors: HashMap::new(),
        lines: lines(text),
        returns,
        finals: Vec::new(),
        catches: 0,
        loops: 0,
    };
    for parameter in parameters {
        let ty = storage_type(parameter.sql_type);
        let slot = compiler.routine.parameter(&parameter.name, ty, program::Direction::In, Some(Value::Null));
        compiler.variables.insert(key(&parameter.name), Variable { slot, sql_type: parameter.sql_type });
    }
    let body = compiler.block(statements)?;
    compiler.routine.body = body;
    Ok(Script { routine: compiler.routine, actions: compiler.actions })
}

/// A name as variables are known by. `@x` is another one than `x`, and is never a column.
pub fn key(name: &str) -> String {
    name.to_lowercase()
}

/// The offsets of the lines of a text.
fn lines(text: &str) -> Vec<u32> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    ends.map(|(place, _)| u32::try_from(place).unwrap_or(u32::MAX)).collect()
}

#[derive(Clone, Copy)]
struct Variable {
    slot: SlotId,
    sql_type: SqlType,
}

/// A FINALLY block that LEAVE and RETURN run before they jump.
#[derive(Clone)]
struct Final {
    body: Vec<Statement>,
    /// The number of enclosing loops.
    loops: usize,
}

struct Compiler {
    routine: Routine,
    actions: Vec<Action>,
    variables: HashMap<String, Variable>,
    /// The sources of the cursors, as they were declared.
    cursors: HashMap<String, Option<CursorSource>>,
    lines: Vec<u32>,
    returns: Option<SqlType>,
    finals: Vec<Final>,
    catches: usize,
    loops: usize,
}

impl Compiler {
    fn line(&self, span: Span) -> u32 {
        u32::try_from(self.lines.partition_point(|end| *end < span.start)).unwrap_or(0) + 1
    }

    fn block(&mut self, statements: &[Statement]) -> Parse<Vec<program::Statement>> {
        let mut block = Vec::with_capacity(statements.len());
        for statement in statements {
            self.statement(statement, &mut block)?;
        }
        Ok(block)
    }

    /// An action with the variables that its text mentions.
    fn action(&mut self, kind: ActionKind, text: &str, span: Span) -> (StatementId, Vec<Expression>) {
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '@');
        let mut names: Vec<(String, Variable)> = Vec::new();
        for word in text.split(|letter: char| !is_word(letter)).map(str::to_lowercase) {
            if let Some(variable) = self.variables.get(&word)
                && !names.iter().any(|(known, _)| *known == word)
            {
                names.push((word, *variable));
            }
        }
        let inputs = names.iter().map(|(_, variable)| slot(*variable)).collect();
        let names = names.into_iter().map(|(name, variable)| (name, variable.sql_type)).collect();
        let id = StatementId(u32::try_from(self.actions.len()).unwrap_or(u32::MAX));
        self.actions.push(Action { kind, names, span });
        (id, inputs)
    }

    fn host(&mut self, kind: ActionKind, text: &str, span: Span) -> program::StatementKind {
        let (statement, inputs) = self.action(kind, text, span);
        program::StatementKind::Host {
            statement,
            text: Arc::from(text),
            inputs,
            outputs: Vec::new(),
            branches: Vec::new(),
        }
    }

    /// A value that the host computes.
    fn asked(&mut self, kind: ActionKind, text: &str, span: Span) -> Expression {
        let (statement, arguments) = self.action(kind, text, span);
        let kind = ExpressionKind::HostCall { statement, text: Arc::from(text), arguments };
        Expression::new(Type::Any, kind)
    }

    fn statement(&mut self, statement: &Statement, block: &mut Vec<program::Statement>) -> Parse<()> {
        let (span, line) = (statement.span, self.line(statement.span));
        let push = |block: &mut Vec<program::Statement>, kind| block.push(program::Statement::new(line, kind));
        let printed = || print(std::slice::from_ref(statement));
        let kind = match &statement.kind {
            StatementKind::Declare(declarations) => return self.declare(declarations),
            StatementKind::Assign(name, value) => {
                let Some(variable) = self.variables.get(&key(&name.text)).copied() else {
                    return Err(SqlError::at(
                        native::VARIABLE,
                        name.span,
                        format!("Variable not found: {}", name.text),
                    ));
                };
                let value = self.value(value, variable.sql_type, span);
                program::StatementKind::Assign { target: variable.slot, value }
            }
            StatementKind::Open(name, source) => {
                let declared = self.cursors.get(&key(&name.text)).cloned().flatten();
                let Some(source) = source.clone().or(declared) else {
                    let text = format!("Cursor is not defined: {}", name.text);
                    return Err(SqlError::at(native::DECLARATION, name.span, text));
                };
                let text = match &source {
                    CursorSource::Query(query) => {
                        print(&[Statement { kind: StatementKind::Query(query.clone()), span }])
                    }
                    CursorSource::Procedure(name, arguments) => {
                        let kind = StatementKind::ExecuteProcedure(name.clone(), arguments.clone());
                        print(&[Statement { kind, span }])
                    }
                };
                self.host(ActionKind::Open(key(&name.text), Box::new(source)), &text, span)
            }
            StatementKind::Fetch(name) => {
                let fetched = self.fetch(name, span)?;
                program::StatementKind::Evaluate(fetched)
            }
            StatementKind::Close(name) => self.host(ActionKind::Close(key(&name.text)), "CLOSE", span),
            StatementKind::If(branches, otherwise) => {
                return self.conditional(branches, otherwise.as_deref(), line, block);
            }
            StatementKind::While(condition, body) => {
                let condition = self.condition(condition, span)?;
                self.loops += 1;
                let body = self.block(body);
                self.loops -= 1;
                program::StatementKind::While { condition, body: body? }
            }
            StatementKind::Leave | StatementKind::Continue => {
                if self.loops == 0 {
                    return Err(SqlError::at(native::SCRIPT, span, "LEAVE or CONTINUE outside of a loop"));
                }
                let inside = self.loops;
                self.finish(|last| last.loops >= inside, block)?;
                match statement.kind {
                    StatementKind::Leave => program::StatementKind::Break,
                    _ => program::StatementKind::Continue,
                }
            }
            StatementKind::Try(tried) => return self.attempt(tried, line, block),
            StatementKind::Raise(None) => {
                if self.catches == 0 {
                    return Err(SqlError::at(native::SCRIPT, span, "RAISE without an exception outside of CATCH"));
                }
                program::StatementKind::Rethrow
            }
            StatementKind::Raise(Some(raised)) => {
                let (class, number, text) = raised.as_ref().clone();
                let kind = ActionKind::Raise(class.text, Box::new(number), Box::new(text));
                self.host(kind, &printed(), span)
            }
            StatementKind::Return(value) => return self.ret(value.as_ref(), span, block),
            other => self.host(ActionKind::Statement(Box::new(other.clone())), &printed(), span),
        };
        push(block, kind);
        Ok(())
    }

    fn declare(&mut self, declarations: &[Declaration]) -> Parse<()> {
        for declaration in declarations {
            let (Declaration::Variable(name, _) | Declaration::Cursor(name, _)) = declaration;
            let known = key(&name.text);
            if self.variables.contains_key(&known) || self.cursors.contains_key(&known) {
                let text = format!("Duplicate declaration: {}", name.text);
                return Err(SqlError::at(native::DECLARATION, name.span, text));
            }
            match declaration {
                Declaration::Variable(name, data_type) => {
                    let Some(sql_type) = crate::reduce::sql_type(data_type) else {
                        return Err(SqlError::at(native::TYPE, data_type.span, "No such type"));
                    };
                    let slot = self.routine.slot(&name.text, storage_type(sql_type));
                    self.variables.insert(known, Variable { slot, sql_type });
                }
                Declaration::Cursor(_, source) => {
                    self.cursors.insert(known, source.clone());
                }
            }
        }
        Ok(())
    }

    fn fetch(&mut self, name: &Name, span: Span) -> Parse<Expression> {
        if !self.cursors.contains_key(&key(&name.text)) {
            let text = format!("Cursor is not defined: {}", name.text);
            return Err(SqlError::at(native::DECLARATION, name.span, text));
        }
        Ok(self.asked(ActionKind::Fetch(key(&name.text)), "FETCH", span))
    }

    fn condition(&mut self, condition: &Condition, span: Span) -> Parse<Expression> {
        match condition {
            Condition::Value(value) => Ok(self.logic(value, span)),
            Condition::Fetch(name, negated) => {
                let found = self.fetch(name, span)?;
                let found = expression::converted(found, SqlType::Boolean);
                Ok(match negated {
                    true => Expression::new(Type::Boolean, ExpressionKind::Not(Box::new(found))),
                    false => found,
                })
            }
        }
    }

    fn conditional(
        &mut self,
        branches: &[(Condition, Vec<Statement>)],
        otherwise: Option<&[Statement]>,
        line: u32,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let Some(((condition, then), rest)) = branches.split_first() else {
            block.extend(self.block(otherwise.unwrap_or_default())?);
            return Ok(());
        };
        let condition = self.condition(condition, Span::default())?;
        let then = self.block(then)?;
        let mut other = Vec::new();
        self.conditional(rest, otherwise, line, &mut other)?;
        block.push(program::Statement::new(line, program::StatementKind::If { condition, then, otherwise: other }));
        Ok(())
    }

    fn attempt(&mut self, tried: &Try, line: u32, block: &mut Vec<program::Statement>) -> Parse<()> {
        let at = |kind| program::Statement::new(line, kind);
        if let Some(last) = &tried.finally {
            self.finals.push(Final { body: last.clone(), loops: self.loops });
        }
        let made = self.caught(tried, line);
        if tried.finally.is_some() {
            self.finals.pop();
        }
        let made = made?;
        let Some(last) = &tried.finally else {
            block.extend(made);
            return Ok(());
        };
        self.catches += 1;
        let on_error = self.block(last);
        self.catches -= 1;
        let mut on_error = on_error?;
        on_error.push(at(program::StatementKind::Rethrow));
        block.push(at(program::StatementKind::Try { body: made, catch: on_error }));
        block.extend(self.block(last)?);
        Ok(())
    }

    /// The body and its CATCHes.
    fn caught(&mut self, tried: &Try, line: u32) -> Parse<Vec<program::Statement>> {
        let at = |kind| program::Statement::new(line, kind);
        let body = self.block(&tried.body)?;
        if tried.catches.is_empty() {
            return Ok(body);
        }
        self.catches += 1;
        let mut rest = vec![at(program::StatementKind::Rethrow)];
        let mut failed = Ok(());
        for (class, handler) in tried.catches.iter().rev() {
            let then = match self.block(handler) {
                Ok(then) => then,
                Err(error) => {
                    failed = Err(error);
                    break;
                }
            };
            rest = match class {
                None => then,
                Some(class) => {
                    let asked = self.asked(ActionKind::IsClass(class.text.clone()), "CATCH", class.span);
                    let condition = expression::converted(asked, SqlType::Boolean);
                    vec![at(program::StatementKind::If { condition, then, otherwise: rest })]
                }
            };
        }
        self.catches -= 1;
        failed?;
        Ok(vec![at(program::StatementKind::Try { body, catch: rest })])
    }

    /// Writes the FINALLYs that are left on the way out, the innermost first.
    fn finish(&mut self, is_left: impl Fn(&Final) -> bool, block: &mut Vec<program::Statement>) -> Parse<()> {
        let open = self.finals.clone();
        for (place, last) in open.iter().enumerate().rev() {
            if !is_left(last) {
                break;
            }
            // In itself it is not left again.
            self.finals.truncate(place);
            let written = self.block(&last.body);
            self.finals.clone_from(&open);
            block.extend(written?);
        }
        Ok(())
    }

    fn ret(&mut self, value: Option<&Expr>, span: Span, block: &mut Vec<program::Statement>) -> Parse<()> {
        let line = self.line(span);
        let value = match (self.returns, value) {
            (Some(sql_type), Some(value)) => Some(self.value(value, sql_type, span)),
            _ => None,
        };
        if self.finals.is_empty() {
            block.push(program::Statement::new(line, program::StatementKind::Return(value)));
            return Ok(());
        }
        // The value is computed before what FINALLY does.
        let kept = match (value, self.returns) {
            (Some(value), Some(sql_type)) => {
                let ty = storage_type(sql_type);
                let target = self.routine.slot("", ty);
                block.push(program::Statement::new(line, program::StatementKind::Assign { target, value }));
                Some(Expression::new(ty, ExpressionKind::Slot(target)))
            }
            _ => None,
        };
        self.finish(|_| true, block)?;
        block.push(program::Statement::new(line, program::StatementKind::Return(kept)));
        Ok(())
    }

    /// An expression that the host computes.
    fn computed(&mut self, value: &Expr, span: Span) -> Expression {
        let text = print_expression(value);
        self.asked(ActionKind::Value(Box::new(value.clone())), &text, span)
    }
}

fn slot(variable: Variable) -> Expression {
    Expression::new(storage_type(variable.sql_type), ExpressionKind::Slot(variable.slot))
}

/// Returns true if a statement needs no machine: it is alone, and not control flow.
pub fn is_plain(statements: &[Statement]) -> bool {
    let [statement] = statements else { return false };
    use StatementKind::{
        Assign, Close, Continue, Declare, Fetch, If, Leave, Open, Raise, Return, Try as TryStatement, While,
    };
    !matches!(
        statement.kind,
        Declare(_)
            | Open(..)
            | Fetch(_)
            | Close(_)
            | Assign(..)
            | If(..)
            | While(..)
            | Leave
            | Continue
            | TryStatement(_)
            | Raise(_)
            | Return(_)
    )
}

/// A procedure's name, as it is looked up.
pub fn routine_name(name: &ObjectName) -> String {
    name.parts.iter().map(|part| part.text.to_lowercase()).collect::<Vec<_>>().join(".")
}
