//! Random statements that end, well formed.

use crate::common::Random;
use crate::common::build::*;
use mainstay_types::Value;
use mainstay_vm::*;

/// Makes statements over a few small counters.
pub struct StatementMaker {
    pub random: Random,
    pub routine: Routine,
    pub counters: Vec<SlotId>,
    /// Labels that stand in blocks around this place, and may be gone to.
    labels: Vec<LabelId>,
    loops: usize,
    catches: usize,
    /// The line of the last statement.
    line: u32,
}

impl StatementMaker {
    pub fn new(seed: u64) -> StatementMaker {
        let mut routine = Routine::new("random");
        routine.array("A", Type::I32, Value::Integer(3));
        let counters = (0..4).map(|n| routine.slot_with(&format!("@{n}"), Type::I32, Value::Integer(n))).collect();
        StatementMaker { random: Random(seed), routine, counters, labels: Vec::new(), loops: 0, catches: 0, line: 0 }
    }

    fn chance(&mut self, of: usize) -> bool {
        self.random.below(of) == 0
    }

    fn counter(&mut self) -> SlotId {
        self.counters[self.random.below(self.counters.len())]
    }

    fn slot(&mut self) -> Expression {
        let slot = self.counter();
        Expression::slot(&self.routine, slot)
    }

    /// A counter, now and then by way of an element of the array.
    fn operand(&mut self) -> Expression {
        let slot = self.slot();
        match self.random.below(8) {
            0 => Expression::new(Type::I32, ExpressionKind::Element { array: ArrayId(0), indexes: vec![slot] }),
            _ => slot,
        }
    }

    fn small(&mut self) -> Expression {
        Expression::int(self.random.below(12) as i32)
    }

    fn condition(&mut self) -> Expression {
        let simple = |maker: &mut StatementMaker| {
            let (left, right) = (maker.slot(), if maker.chance(3) { maker.slot() } else { maker.small() });
            let op = [CompareOp::Less, CompareOp::Greater, CompareOp::Equal, CompareOp::NotEqual];
            Expression::compare(op[maker.random.below(4)], left, right)
        };
        let first = simple(self);
        match self.random.below(6) {
            0 => Expression::and(first, simple(self)),
            1 => Expression::or(first, simple(self)),
            2 => Expression::not(first),
            _ => first,
        }
    }

    fn arithmetic(&mut self) -> Expression {
        let (left, right) = (self.operand(), if self.chance(2) { self.slot() } else { self.small() });
        // Divisions fail now and then, and so do multiplications that were repeated.
        let op = [ArithmeticOp::Add, ArithmeticOp::Subtract, ArithmeticOp::Multiply, ArithmeticOp::Divide];
        Expression::arithmetic(Type::I32, op[self.random.below(4)], left, right)
    }

    /// A new slot that counts up to a limit, the condition that it has not reached it, and the step.
    fn guard(&mut self) -> (Expression, StatementKind) {
        let slot = self.routine.slot_with("@guard", Type::I32, Value::Integer(0));
        let guard = Expression::slot(&self.routine, slot);
        let most = 1 + self.random.below(4) as i32;
        (less(guard.clone(), Expression::int(most)), assign(slot, add(guard, Expression::int(1))))
    }

    pub fn block(&mut self, depth: usize) -> Vec<Statement> {
        let count = 1 + self.random.below(4);
        let label = self.chance(2).then(|| self.routine.label("label"));
        let place = self.random.below(count);
        self.labels.extend(label);
        let mut body = Vec::new();
        for at in 0..count {
            if at == place
                && let Some(label) = label
            {
                self.push(&mut body, StatementKind::Label(label));
            }
            let kind = self.statement(depth);
            self.push(&mut body, kind);
        }
        if label.is_some() {
            self.labels.pop();
        }
        body
    }

    fn push(&mut self, body: &mut Vec<Statement>, kind: StatementKind) {
        self.line += 1;
        body.push(Statement::new(self.line, kind));
    }

    fn in_loop(&mut self, depth: usize) -> Vec<Statement> {
        self.loops += 1;
        let body = self.block(depth);
        self.loops -= 1;
        body
    }

    fn statement(&mut self, depth: usize) -> StatementKind {
        let deep = depth > 0;
        match self.random.below(16) {
            0 | 1 if deep => {
                let condition = self.condition();
                let then = self.block(depth - 1);
                let otherwise = if self.chance(2) { self.block(depth - 1) } else { Vec::new() };
                StatementKind::If { condition, then, otherwise }
            }
            2 if deep => {
                let (condition, step) = self.guard();
                let condition = if self.chance(3) { Expression::and(condition, self.condition()) } else { condition };
                let mut body = vec![Statement::new(0, step)];
                body.extend(self.in_loop(depth - 1));
                StatementKind::While { condition, body }
            }
            3 if deep => {
                let (condition, step) = self.guard();
                let leave = lines(0, vec![StatementKind::Break]);
                let guarded = StatementKind::If { condition, then: vec![], otherwise: leave };
                let mut body = vec![Statement::new(0, guarded), Statement::new(0, step)];
                body.extend(self.in_loop(depth - 1));
                StatementKind::Loop(body)
            }
            4 | 5 if deep => {
                let body = self.block(depth - 1);
                self.catches += 1;
                let catch = self.block(depth - 1);
                self.catches -= 1;
                StatementKind::Try { body, catch }
            }
            6 if deep && self.chance(2) => StatementKind::Group(self.block(depth - 1)),
            6 if deep => StatementKind::Block(self.block(depth - 1)),
            7 if !self.labels.is_empty() => {
                let label = self.labels[self.random.below(self.labels.len())];
                let (condition, step) = self.guard();
                let go = if self.chance(2) {
                    StatementKind::Goto(label)
                } else {
                    StatementKind::Switch { index: self.small(), labels: vec![label, label, label] }
                };
                StatementKind::If { condition, then: lines(0, vec![step, go]), otherwise: vec![] }
            }
            8 if self.loops > 0 => self.rarely(StatementKind::Break),
            9 if self.loops > 0 => self.rarely(StatementKind::Continue),
            10 if self.catches > 0 => self.rarely(StatementKind::Rethrow),
            11 => self.rarely(raise("random")),
            12 if self.chance(4) => {
                let value = self.arithmetic();
                self.rarely(ret(value))
            }
            13 if self.chance(3) => {
                let bounds = vec![(Expression::int(-9), self.small())];
                StatementKind::Dimension { array: ArrayId(0), bounds }
            }
            13 => {
                let (indexes, value) = (vec![self.slot()], self.arithmetic());
                StatementKind::AssignElement { array: ArrayId(0), indexes, value }
            }
            14 => note(self.operand()),
            _ => {
                let value = self.arithmetic();
                assign(self.counter(), value)
            }
        }
    }

    /// The statement under a condition.
    fn rarely(&mut self, kind: StatementKind) -> StatementKind {
        StatementKind::If { condition: self.condition(), then: lines(0, vec![kind]), otherwise: vec![] }
    }
}
