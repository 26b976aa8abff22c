//! Compiles the form to bytecode: statements. Expressions are in [`expression`], conditions in [`condition`].
//!
//! One pass over the tree. Slots have registers of their own for the whole frame; temporary registers of expressions
//! are allocated as a stack. A loop's condition is compiled after its body, so that an iteration has one branch.
//!
//! ```text
//!   while c body        Jump test; again: body; test: c, back to again
//!   try body catch      body; Jump after; [handler] catch; EndCatch; after:
//! ```
//!
//! The form was verified before: impossible forms are skipped here, or refused once at the end, and never cause a
//! panic.

mod code;
mod condition;
mod emit;
mod expression;
mod fold;
mod program;

pub(crate) use code::*;
pub use program::Program;
pub(crate) use program::{FrameShape, Tables};

use crate::*;
use emit::{Emitter, LoopContext, Target};

/// Compiles a routine that was verified.
fn routine(routine: Routine) -> Result<Program, FormError> {
    // The printed form stays as it was written.
    let mut folded = routine.clone();
    fold::statements(&mut folded.body);
    let mut emitter = Emitter::new(&folded);
    label_depths(&folded.body, 0, &mut emitter.label_depths);
    emitter.statements(&folded.body);
    emitter.emit(Instruction::Return);
    Ok(emitter.finish()?.with(routine))
}

/// Counts the CATCHes around each label.
fn label_depths(statements: &[Statement], depth: u16, depths: &mut [u16]) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Label(label) => {
                if let Some(known) = depths.get_mut(usize::from(label.0)) {
                    *known = depth;
                }
            }
            StatementKind::Block(body)
            | StatementKind::Group(body)
            | StatementKind::Loop(body)
            | StatementKind::While { body, .. } => {
                label_depths(body, depth, depths);
            }
            StatementKind::If { then, otherwise, .. } => {
                label_depths(then, depth, depths);
                label_depths(otherwise, depth, depths);
            }
            StatementKind::Try { body, catch } => {
                label_depths(body, depth, depths);
                label_depths(catch, depth + 1, depths);
            }
            _ => {}
        }
    }
}

impl Emitter<'_> {
    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        let group = self.group;
        let number = group.unwrap_or(self.statements.len());
        if group.is_none() {
            self.statements.push(StatementInfo { line: statement.line, start: self.here(), next: 0 });
        }
        self.mark(number);
        let taken = self.taken();
        match &statement.kind {
            StatementKind::Block(body) => self.statements(body),
            StatementKind::Group(body) => {
                self.group = Some(number);
                self.statements(body);
                self.group = group;
            }
            StatementKind::If { condition, then, otherwise } => self.if_statement(number, condition, then, otherwise),
            StatementKind::While { condition, body } => self.while_statement(number, condition, body),
            StatementKind::Loop(body) => self.loop_statement(number, body),
            StatementKind::Try { body, catch } => self.try_statement(number, body, catch),
            simple => self.simple_statement(simple),
        }
        self.release(taken);
        let next = self.here();
        if group.is_none()
            && let Some(info) = self.statements.get_mut(number)
        {
            info.next = next;
        }
    }

    fn if_statement(&mut self, number: usize, condition: &Expression, then: &[Statement], otherwise: &[Statement]) {
        let (no, after) = (self.new_target(), self.new_target());
        self.branch(condition, false, true, no);
        self.statements(then);
        self.mark(number);
        if !otherwise.is_empty() {
            self.jump(after);
        }
        self.bind(no);
        self.statements(otherwise);
        self.mark(number);
        self.bind(after);
    }

    fn while_statement(&mut self, number: usize, condition: &Expression, body: &[Statement]) {
        let (again, test, after) = (self.new_target(), self.new_target(), self.new_target());
        self.jump(test);
        self.bind(again);
        self.loops.push(LoopContext { on_break: after, on_continue: test, depth: self.depth });
        self.statements(body);
        self.loops.pop();
        self.mark(number);
        self.bind(test);
        self.branch(condition, true, false, again);
        self.bind(after);
    }

    fn loop_statement(&mut self, number: usize, body: &[Statement]) {
        let (again, after) = (self.new_target(), self.new_target());
        self.bind(again);
        self.loops.push(LoopContext { on_break: after, on_continue: again, depth: self.depth });
        self.statements(body);
        self.loops.pop();
        self.mark(number);
        self.jump(again);
        self.bind(after);
    }

    fn try_statement(&mut self, number: usize, body: &[Statement], catch: &[Statement]) {
        let after = self.new_target();
        let start = self.here();
        self.statements(body);
        let end = self.here();
        self.mark(number);
        self.jump(after);
        self.handlers.push(Handler { start, end, target: self.here(), depth: self.depth });
        self.depth += 1;
        self.statements(catch);
        self.mark(number);
        self.depth -= 1;
        self.emit(Instruction::EndCatch { depth: self.depth });
        self.bind(after);
    }

    /// Leaves the CATCHes that are not around the place where it goes on.
    fn leave_catches(&mut self, depth: u16) {
        if depth < self.depth {
            self.emit(Instruction::EndCatch { depth });
        }
    }

    fn jump_to_label(&mut self, label: LabelId) {
        self.leave_catches(self.label_depth(label));
        self.jump(self.label(label));
    }

    fn leave_loop(&mut self, target: impl Fn(LoopContext) -> Target) {
        if let Some(context) = self.loops.last().copied() {
            self.leave_catches(context.depth);
            self.jump(target(context));
        }
    }

    fn simple_statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Assign { target, value } => {
                if let Some(to) = self.slots.get(usize::from(target.0)).copied() {
                    self.into(value, to.place);
                }
            }
            StatementKind::Evaluate(value) => {
                self.operand(value);
            }
            StatementKind::Dimension { array, bounds } => {
                let bounds = bounds.iter().map(|(least, most)| (self.operand(least), self.operand(most))).collect();
                let site = self.tables.dimensions.len() as u32;
                self.tables.dimensions.push(DimensionSite { array: array.0, bounds });
                self.emit(Instruction::Dimension { site });
            }
            StatementKind::AssignElement { array, indexes, value } => {
                let indexes = indexes.iter().map(|index| self.operand(index)).collect();
                let (value, site) = (self.operand(value), self.tables.elements.len() as u32);
                self.tables.elements.push(ElementSite { array: array.0, indexes, value });
                self.emit(Instruction::StoreElement { site });
            }
            StatementKind::Break => self.leave_loop(|context| context.on_break),
            StatementKind::Continue => self.leave_loop(|context| context.on_continue),
            StatementKind::Label(label) => self.bind(self.label(*label)),
            StatementKind::Goto(label) => self.jump_to_label(*label),
            StatementKind::Switch { index, labels } => self.switch_statement(index, labels),
            StatementKind::Gosub(label) => self.branch_to(Instruction::Gosub { target: 0 }, self.label(*label)),
            StatementKind::GosubReturn => self.emit(Instruction::GosubReturn),
            StatementKind::GosubPop => self.emit(Instruction::GosubPop),
            StatementKind::Rethrow => self.emit(Instruction::Rethrow),
            StatementKind::SetHandler(Some(label)) => {
                self.branch_to(Instruction::SetHandler { target: 0 }, self.label(*label));
            }
            StatementKind::SetHandler(None) => self.emit(Instruction::SetHandler { target: NOWHERE }),
            StatementKind::Resume(Resume::Retry) => self.emit(Instruction::ResumeRetry),
            StatementKind::Resume(Resume::Next) => self.emit(Instruction::ResumeNext),
            StatementKind::Return(value) => {
                if let (Some(value), Some(to)) = (value, self.result) {
                    self.into(value, to.place);
                }
                self.emit(Instruction::Return);
            }
            StatementKind::Call { call, result } => {
                let result = result.and_then(|slot| self.slots.get(usize::from(slot.0)).copied());
                self.call(call, result, false);
            }
            StatementKind::Host { statement, inputs, outputs, branches, .. } => {
                let inputs = inputs.iter().map(|input| self.operand(input)).collect();
                let outputs = outputs.iter().filter_map(|slot| self.slots.get(usize::from(slot.0)).copied()).collect();
                let empty = vec![0; branches.len()].into();
                let site = HostSite { statement: *statement, inputs, outputs, branches: empty };
                let after = self.new_target();
                let (targets, landings) = self.landings(branches);
                self.host(site, &targets);
                self.land(landings, after);
            }
            // Those with statements in them are compiled by `statement`.
            _ => {}
        }
    }

    fn switch_statement(&mut self, index: &Expression, labels: &[LabelId]) {
        let index = self.operand(index);
        let after = self.new_target();
        let (targets, landings) = self.landings(labels);
        let table = self.switch(&targets);
        self.emit(Instruction::Switch { a: index.place, table });
        self.land(landings, after);
    }

    /// Where to branch for each label: the label itself, or a place that leaves CATCHes first.
    fn landings(&mut self, labels: &[LabelId]) -> (Vec<Target>, Vec<(Target, LabelId)>) {
        let mut landings = Vec::new();
        let mut targets = Vec::with_capacity(labels.len());
        for label in labels {
            if self.label_depth(*label) < self.depth {
                let landing = self.new_target();
                landings.push((landing, *label));
                targets.push(landing);
            } else {
                targets.push(self.label(*label));
            }
        }
        (targets, landings)
    }

    /// The jumps that leave CATCHes first, skipped if there is no branch.
    fn land(&mut self, landings: Vec<(Target, LabelId)>, after: Target) {
        if !landings.is_empty() {
            self.jump(after);
        }
        for (landing, label) in landings {
            self.bind(landing);
            self.jump_to_label(label);
        }
        self.bind(after);
    }
}
