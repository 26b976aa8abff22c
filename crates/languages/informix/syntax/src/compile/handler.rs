//! ON EXCEPTION.
//!
//! ```text
//!   without WITH RESUME     TRY block CATCH  if the code is one of these { SET; handler } else rethrow
//!   with WITH RESUME        TRY statement CATCH  if the code is one of these { SET; handler } else rethrow
//! ```
//!
//! A handler that resumes goes on behind the statement that failed, in whatever block it stands; so each statement of its
//! scope is tried alone, and its own statements are written behind each. The condition of a branch or loop is such a statement,
//! too: what it leads to is skipped when it fails. A handler's own statements are outside of what it handles.
//!
//! Source: ON EXCEPTION in the Guide to SQL: Syntax.

use super::{ActionKind, Compiler};
use crate::error::{Parse, SqlError};
use crate::tree::{Block, Handler, Span};
use mainstay_vm::{self as program, Expression, LabelId, StatementKind, Type};
use std::rc::Rc;

/// How often the statements of handlers may be written.
const MOST_COPIES: usize = 20_000;

impl Compiler<'_> {
    /// A block with its variables and handlers.
    pub(super) fn block(&mut self, block: &Block) -> Parse<Vec<program::Statement>> {
        self.scopes.push(Default::default());
        let made = self.block_in_scope(block);
        self.scopes.pop();
        match block.handlers.is_empty() {
            true => made,
            // An exception that its handlers leave is for those of the blocks around.
            false => self.resumed(0, made?, None),
        }
    }

    fn block_in_scope(&mut self, block: &Block) -> Parse<Vec<program::Statement>> {
        let mut made = Vec::new();
        for definition in &block.definitions {
            self.define(definition, &mut made)?;
        }
        if block.handlers.is_empty() {
            for statement in &block.statements {
                self.statement(statement, &mut made)?;
            }
            return Ok(made);
        }
        self.resuming.push(Rc::new(block.handlers.clone()));
        let mut body = Vec::new();
        let written = block.statements.iter().try_for_each(|statement| self.statement(statement, &mut body));
        self.resuming.pop();
        written?;
        match block.handlers.iter().all(|handler| handler.resumes) {
            true => made.extend(body),
            false => {
                let catch = self.catch(&block.handlers, |handler| !handler.resumes)?;
                made.push(program::Statement::new(0, StatementKind::Try { body, catch }));
            }
        }
        Ok(made)
    }

    /// The statements of the handler that takes an error; an error that none of these takes is raised again.
    fn catch(&mut self, handlers: &[Handler], is_here: impl Fn(&Handler) -> bool) -> Parse<Vec<program::Statement>> {
        let mut rest = vec![program::Statement::new(0, StatementKind::Rethrow)];
        for handler in handlers.iter().rev() {
            let line = self.line(handler.span);
            let mut then = Vec::new();
            if is_here(handler) {
                self.copies += 1;
                if self.copies > MOST_COPIES {
                    return Err(SqlError::new(SqlError::TOO_COMPLEX, "The routine has too many handlers."));
                }
                self.set_error(handler, &mut then)?;
                then.extend(self.block(&handler.body)?);
            } else {
                then.push(program::Statement::new(line, StatementKind::Rethrow));
            }
            rest = self.if_error(line, &handler.codes, handler.span, then, rest);
        }
        Ok(rest)
    }

    fn set_error(&mut self, handler: &Handler, block: &mut Vec<program::Statement>) -> Parse<()> {
        if handler.variables.is_empty() {
            return Ok(());
        }
        let targets = handler.variables.iter().map(|name| self.variable(name)).collect::<Parse<Vec<_>>>()?;
        let line = self.line(handler.span);
        let action = self.action(ActionKind::ErrorInfo, Vec::new(), handler.span);
        self.give_variables(line, action, "exception", Vec::new(), &targets, block);
        Ok(())
    }

    fn if_error(
        &mut self,
        line: u32,
        codes: &[i32],
        span: Span,
        then: Vec<program::Statement>,
        otherwise: Vec<program::Statement>,
    ) -> Vec<program::Statement> {
        if codes.is_empty() {
            return then;
        }
        let action = self.action(ActionKind::IsError(codes.to_vec()), Vec::new(), span);
        let condition: Expression = self.asked(action, Type::Boolean, "exception in", Vec::new());
        vec![program::Statement::new(line, StatementKind::If { condition, then, otherwise })]
    }

    /// True if the errors of a statement are taken by a handler that resumes.
    pub(super) fn is_resumed(&self) -> bool {
        self.resuming.last().is_some_and(|handlers| handlers.iter().any(|handler| handler.resumes))
    }

    /// Lets the handlers that resume take the errors of a statement; behind them it goes on at a label, or with the next
    /// statement.
    pub(super) fn resumed(
        &mut self,
        line: u32,
        statements: Vec<program::Statement>,
        behind: Option<LabelId>,
    ) -> Parse<Vec<program::Statement>> {
        if !self.is_resumed() {
            return Ok(statements);
        }
        let Some(handlers) = self.resuming.pop() else { return Ok(statements) };
        let catch = self.catch(&handlers, |handler| handler.resumes);
        self.resuming.push(handlers);
        let mut catch = catch?;
        if let Some(label) = behind {
            catch.push(program::Statement::new(line, StatementKind::Goto(label)));
        }
        Ok(vec![program::Statement::new(line, StatementKind::Try { body: statements, catch })])
    }

    /// A condition of a branch or loop. Where a handler resumes it is computed before, and `behind` is where its failure leads.
    pub(super) fn tried_condition(
        &mut self,
        line: u32,
        condition: Expression,
        behind: LabelId,
        block: &mut Vec<program::Statement>,
    ) -> Parse<Expression> {
        if !self.is_resumed() {
            return Ok(condition);
        }
        let target = self.routine.slot("", Type::Boolean);
        let computed = program::Statement::new(line, StatementKind::Assign { target, value: condition });
        block.extend(self.resumed(line, vec![computed], Some(behind))?);
        Ok(Expression::new(Type::Boolean, program::ExpressionKind::Slot(target)))
    }
}
