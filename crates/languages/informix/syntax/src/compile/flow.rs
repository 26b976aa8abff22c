//! Loops, and leaving them.
//!
//! ```text
//!   FOR i = a TO b STEP s     next, last, step := a, b, s; loop { leave if next is beyond last; i := next; next += step; .. }
//!   FOR i IN (a TO b, c)      the same, with the next range where one is at its end
//! ```

use super::{ActionKind, Compiler, Place, Variable, storage};
use crate::error::{Parse, SqlError};
use crate::tree::{Block, Expr, Foreach, Leave, Literal, Loop, LoopKind, Name, Range, RowSource, Span, UnaryOperator};
use crate::types::Type;
use mainstay_types::Value;
use mainstay_vm::{
    self as program, ArithmeticOp, CompareOp, Expression, ExpressionKind, LabelId, SlotId, StatementKind,
};
use std::sync::Arc;

/// A loop around the statement that is compiled.
#[derive(Clone, Debug)]
pub(super) struct OpenLoop {
    kind: LoopKind,
    label: Option<String>,
    /// Behind the loop, and at the end of its body.
    end: LabelId,
    next: LabelId,
}

fn at(line: u32, kind: StatementKind) -> program::Statement {
    program::Statement::new(line, kind)
}

const WIDE: program::Type = program::Type::I64;

fn slot(slot: SlotId) -> Expression {
    Expression::new(WIDE, ExpressionKind::Slot(slot))
}

impl Compiler<'_> {
    /// A loop, with the label before it.
    pub(super) fn looping(
        &mut self,
        label: Option<&Name>,
        found: &Loop,
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let kind = match found {
            Loop::For(..) => LoopKind::For,
            Loop::While(..) => LoopKind::While,
            Loop::Endless(_) => LoopKind::Loop,
            Loop::Foreach(_) => LoopKind::Foreach,
        };
        let (end, next) = (self.routine.label("end"), self.routine.label("next"));
        let label = label.map(|label| label.text.to_lowercase());
        self.loops.push(OpenLoop { kind, label, end, next });
        let written = match found {
            Loop::For(variable, ranges, body) => self.counting(variable, ranges, body, span, block),
            Loop::While(condition, body) => self.conditional_loop(condition, body, span, block),
            Loop::Endless(body) => self.body_of_loop(body).map(|body| {
                block.push(at(self.line(span), StatementKind::Loop(body)));
                self.end_of_loop(block);
            }),
            Loop::Foreach(foreach) => self.foreach(foreach, span, block),
        };
        self.loops.pop();
        written
    }

    /// A body, with the label at its end where it goes on with the next turn.
    fn body_of_loop(&mut self, body: &Block) -> Parse<Vec<program::Statement>> {
        let mut made = self.block(body)?;
        if let Some(open) = self.loops.last() {
            made.push(at(0, StatementKind::Label(open.next)));
        }
        Ok(made)
    }

    fn end_of_loop(&self, block: &mut Vec<program::Statement>) {
        if let Some(open) = self.loops.last() {
            block.push(at(0, StatementKind::Label(open.end)));
        }
    }

    fn conditional_loop(
        &mut self,
        condition: &Expr,
        body: &Block,
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let line = self.line(span);
        let condition = self.condition(condition)?;
        match (self.is_resumed(), self.loops.last().map(|open| open.end)) {
            (true, Some(end)) => {
                let mut turn = Vec::new();
                let condition = self.tried_condition(line, condition, end, &mut turn)?;
                let otherwise = vec![at(line, StatementKind::Break)];
                turn.push(at(line, StatementKind::If { condition, then: Vec::new(), otherwise }));
                turn.extend(self.body_of_loop(body)?);
                block.push(at(line, StatementKind::Loop(turn)));
            }
            _ => {
                let body = self.body_of_loop(body)?;
                block.push(at(line, StatementKind::While { condition, body }));
            }
        }
        self.end_of_loop(block);
        Ok(())
    }

    fn counting(
        &mut self,
        name: &Name,
        ranges: &[Range],
        body: &Block,
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let variable = self.variable(name)?;
        if !variable.known.is_integer() {
            return self.listed(&variable, ranges, body, span, block);
        }
        match ranges {
            [range @ Range { last: Some(_), .. }] => self.one_range(&variable, range, body, span, block),
            ranges => self.several_ranges(&variable, ranges, body, span, block),
        }
    }

    /// FOR over values that are no whole numbers: each is a turn.
    fn listed(
        &mut self,
        variable: &Variable,
        ranges: &[Range],
        body: &Block,
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let line = self.line(span);
        let turn = self.routine.slot_with("", WIDE, Value::Null);
        block.push(at(line, StatementKind::Assign { target: turn, value: wide(0) }));
        let mut inner = vec![at(line, StatementKind::Assign { target: turn, value: plus_one(turn) })];
        let mut choice = vec![at(line, StatementKind::Break)];
        for (place, range) in ranges.iter().enumerate().rev() {
            if range.last.is_some() {
                return Err(SqlError::at(-201, span, "A FOR over a range needs a variable of a whole number."));
            }
            let value = self.value(&range.first, variable.known)?;
            let mut then = Vec::new();
            self.store(line, variable, value, &mut then);
            let condition = Expression::compare(CompareOp::Equal, slot(turn), wide(place as i64 + 1));
            choice = vec![at(line, StatementKind::If { condition, then, otherwise: choice })];
        }
        inner.extend(choice);
        inner.extend(self.body_of_loop(body)?);
        block.push(at(line, StatementKind::Loop(inner)));
        self.end_of_loop(block);
        Ok(())
    }

    fn one_range(
        &mut self,
        variable: &Variable,
        range: &Range,
        body: &Block,
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let line = self.line(span);
        let (next, last) = (self.routine.slot("", WIDE), self.routine.slot("", WIDE));
        let first = self.value(&range.first, Type::BigInt)?;
        let limit = range.last.as_ref().map(|last| self.value(last, Type::BigInt)).transpose()?;
        let limit = limit.unwrap_or_else(|| slot(next));
        let bounds = vec![
            at(line, StatementKind::Assign { target: next, value: first }),
            at(line, StatementKind::Assign { target: last, value: limit }),
        ];
        let end = self.loops.last().map(|open| open.end);
        block.extend(self.resumed(line, bounds, end)?);
        let known_step = range.step.as_ref().map_or(Some(1), known_number);
        let (step, condition) = match known_step {
            Some(0) => return Err(zero_step(span)),
            Some(step) => {
                let op = if step > 0 { CompareOp::LessOrEqual } else { CompareOp::GreaterOrEqual };
                (wide(step), Expression::compare(op, slot(next), slot(last)))
            }
            None => {
                let step = self.routine.slot("", WIDE);
                let value = range.step.as_ref().map(|step| self.value(step, Type::BigInt)).transpose()?;
                block.push(at(line, StatementKind::Assign { target: step, value: value.unwrap_or_else(|| wide(1)) }));
                (slot(step), within(next, last, step))
            }
        };
        let mut inner = Vec::new();
        self.store(line, variable, narrowed(slot(next), variable.known), &mut inner);
        let value = Expression::arithmetic(WIDE, ArithmeticOp::Add, slot(next), step);
        inner.push(at(line, StatementKind::Assign { target: next, value }));
        inner.extend(self.body_of_loop(body)?);
        block.push(at(line, StatementKind::While { condition, body: inner }));
        self.end_of_loop(block);
        Ok(())
    }

    fn several_ranges(
        &mut self,
        variable: &Variable,
        ranges: &[Range],
        body: &Block,
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let line = self.line(span);
        let assign = |target, value| at(line, StatementKind::Assign { target, value });
        let [turn, next, last, step] = [(); 4].map(|()| self.routine.slot("", WIDE));
        block.extend([assign(turn, wide(0)), assign(next, wide(1)), assign(last, wide(0)), assign(step, wide(1))]);
        // At the end of a range the next one is taken; behind the last range the loop ends.
        let mut choice = vec![at(line, StatementKind::Break)];
        for (place, range) in ranges.iter().enumerate().rev() {
            let first = self.value(&range.first, Type::BigInt)?;
            let limit = range.last.as_ref().map(|last| self.value(last, Type::BigInt)).transpose()?;
            let by = range.step.as_ref().map(|step| self.value(step, Type::BigInt)).transpose()?;
            if range.step.as_ref().and_then(known_number) == Some(0) {
                return Err(zero_step(span));
            }
            let then = vec![
                assign(next, first),
                assign(last, limit.unwrap_or_else(|| slot(next))),
                assign(step, by.unwrap_or_else(|| wide(1))),
            ];
            let condition = Expression::compare(CompareOp::Equal, slot(turn), wide(place as i64 + 1));
            choice = vec![at(line, StatementKind::If { condition, then, otherwise: choice })];
        }
        let mut advance = vec![assign(turn, plus_one(turn))];
        advance.extend(choice);
        advance.push(at(line, StatementKind::Continue));
        let mut inner = vec![at(
            line,
            StatementKind::If { condition: within(next, last, step), then: Vec::new(), otherwise: advance },
        )];
        self.store(line, variable, narrowed(slot(next), variable.known), &mut inner);
        inner.push(assign(next, Expression::arithmetic(WIDE, ArithmeticOp::Add, slot(next), slot(step))));
        inner.extend(self.body_of_loop(body)?);
        block.push(at(line, StatementKind::Loop(inner)));
        self.end_of_loop(block);
        Ok(())
    }

    fn foreach(&mut self, foreach: &Foreach, span: Span, block: &mut Vec<program::Statement>) -> Parse<()> {
        let line = self.line(span);
        let cursor = self.cursors;
        self.cursors += 1;
        let targets = foreach.variables.iter().map(|name| self.variable(name)).collect::<Parse<Vec<_>>>()?;
        let opened = match &foreach.source {
            RowSource::Query(query) => {
                let statement = crate::tree::Statement::Query(query.clone());
                let (statement, inputs, types) = self.with_parameters(&statement)?;
                let name = foreach.cursor.as_ref().map(|name| name.text.to_lowercase());
                let kind = ActionKind::Open(cursor, name, Box::new(statement));
                self.host_with(line, kind, "open", span, (inputs, types))
            }
            RowSource::Call(call) => {
                let signature = self.environment.routine(&call.name, call.arguments.len());
                if signature.is_some_and(|signature| !signature.outputs.is_empty()) {
                    return Err(super::statement::has_outputs(call.name.last()));
                }
                let (key, names, inputs, types) = self.arguments(call)?;
                self.host_with(line, ActionKind::OpenCall(cursor, key, names), "open", span, (inputs, types))
            }
        };
        let end = self.loops.last().map(|open| open.end);
        block.extend(self.resumed(line, vec![opened], end)?);
        let fetched = self.routine.label("behind the last row");
        let mut inner = Vec::new();
        let action = self.action(ActionKind::Fetch(cursor), Vec::new(), span);
        self.give_variables(line, action, "fetch", vec![fetched], &targets, &mut inner);
        inner.extend(self.body_of_loop(&foreach.body)?);
        block.push(at(line, StatementKind::Loop(inner)));
        block.push(at(line, StatementKind::Label(fetched)));
        self.end_of_loop(block);
        block.push(self.host(line, ActionKind::CloseCursor(cursor), "close", span));
        Ok(())
    }

    /// A statement of the host that gives variables their values. Those that are no slots are given them behind it.
    pub(super) fn give_variables(
        &mut self,
        line: u32,
        statement: program::StatementId,
        text: &str,
        branches: Vec<LabelId>,
        targets: &[Variable],
        block: &mut Vec<program::Statement>,
    ) {
        let (inputs, behind) = (Vec::new(), Vec::new());
        self.give_variables_with(line, (statement, text, inputs), branches, targets, (block, behind));
    }

    /// The same with inputs, and statements behind it.
    pub(super) fn give_variables_with(
        &mut self,
        line: u32,
        (statement, text, inputs): (program::StatementId, &str, Vec<Expression>),
        branches: Vec<LabelId>,
        targets: &[Variable],
        (block, mut behind): (&mut Vec<program::Statement>, Vec<program::Statement>),
    ) {
        let mut outputs = Vec::with_capacity(targets.len());
        for target in targets {
            match &target.place {
                Place::Slot(slot) => outputs.push(*slot),
                Place::Global(_) => {
                    let ty = storage(target.known);
                    let taken = self.routine.slot("", ty);
                    outputs.push(taken);
                    let value = Expression::new(ty, ExpressionKind::Slot(taken));
                    self.store(line, target, value, &mut behind);
                }
            }
        }
        if let Some(action) = self.actions.get_mut(statement.0 as usize) {
            action.outputs = targets.iter().map(|target| target.known).collect();
        }
        let text = Arc::from(text);
        block.push(at(line, StatementKind::Host { statement, text, inputs, outputs, branches }));
        block.extend(behind);
    }

    /// EXIT and CONTINUE.
    pub(super) fn leave(&mut self, leave: &Leave, span: Span, block: &mut Vec<program::Statement>) -> Parse<()> {
        let line = self.line(span);
        let label = leave.label.as_ref().map(|label| label.text.to_lowercase());
        let is_meant = |open: &&OpenLoop| {
            label.as_ref().is_none_or(|label| open.label.as_ref() == Some(label))
                && leave.kind.is_none_or(|kind| kind == open.kind || kind == LoopKind::Loop)
        };
        let Some(open) = self.loops.iter().rev().find(is_meant) else {
            let text = "EXIT or CONTINUE does not stand in a loop of this kind.";
            return Err(SqlError::at(SqlError::SYNTAX, span, text));
        };
        let kind = StatementKind::Goto(if leave.continues { open.next } else { open.end });
        match &leave.condition {
            Some(condition) => {
                let condition = self.condition(condition)?;
                block
                    .push(at(line, StatementKind::If { condition, then: vec![at(line, kind)], otherwise: Vec::new() }));
            }
            None => block.push(at(line, kind)),
        }
        Ok(())
    }

    /// The label of this name.
    pub(super) fn label(&mut self, name: &Name) -> LabelId {
        let key = name.text.to_lowercase();
        if let Some(label) = self.labels.get(&key) {
            return *label;
        }
        let label = self.routine.label(&key);
        self.labels.insert(key, label);
        label
    }
}

fn zero_step(span: Span) -> Box<SqlError> {
    SqlError::at(SqlError::SYNTAX, span, "The STEP of a FOR is not 0.")
}

fn wide(number: i64) -> Expression {
    Expression::constant(WIDE, Value::Integer(number))
}

fn plus_one(of: SlotId) -> Expression {
    Expression::arithmetic(WIDE, ArithmeticOp::Add, slot(of), wide(1))
}

/// True as long as a range is not at its end, whichever way it goes.
fn within(next: SlotId, last: SlotId, step: SlotId) -> Expression {
    let side = |sign, op| {
        Expression::and(Expression::compare(sign, slot(step), wide(0)), Expression::compare(op, slot(next), slot(last)))
    };
    Expression::or(side(CompareOp::Greater, CompareOp::LessOrEqual), side(CompareOp::Less, CompareOp::GreaterOrEqual))
}

fn narrowed(value: Expression, known: Type) -> Expression {
    let ty = storage(known);
    if ty == WIDE { value } else { value.convert(ty) }
}

/// A whole number that is written as one.
fn known_number(value: &Expr) -> Option<i64> {
    match value {
        Expr::Literal(Literal::Integer(digits)) => digits.parse().ok(),
        Expr::Unary(UnaryOperator::Minus, inner) => known_number(inner).map(|number| -number),
        _ => None,
    }
}
