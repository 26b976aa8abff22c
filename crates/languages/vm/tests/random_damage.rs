//! Damaged forms: the verifier refuses them, or they run. Nothing panics, and every run ends.

mod common;
mod reference;

use common::{Random, TestHost};
use mainstay_types::Value;
use mainstay_vm::*;
use reference::{Maker, StatementMaker};

/// Changes some of what it walks over.
struct Damage {
    random: Random,
    types: Vec<Type>,
    values: Vec<Value>,
    /// One node in so many is changed.
    rarely: usize,
}

impl Damage {
    fn strikes(&mut self) -> bool {
        let of = self.rarely;
        self.random.below(of) == 0
    }

    fn slot(&mut self) -> SlotId {
        SlotId(self.random.below(20) as u16)
    }

    fn label(&mut self) -> LabelId {
        LabelId(self.random.below(6) as u16)
    }

    fn labels(&mut self) -> Vec<LabelId> {
        (0..self.random.below(4)).map(|_| self.label()).collect()
    }

    fn simple(&mut self, old: StatementKind) -> StatementKind {
        let label = self.label();
        match self.random.below(16) {
            0 => StatementKind::Break,
            1 => StatementKind::Continue,
            2 => StatementKind::Rethrow,
            3 => StatementKind::Gosub(label),
            4 => StatementKind::GosubReturn,
            5 => StatementKind::GosubPop,
            6 => StatementKind::SetHandler(Some(label)),
            7 => StatementKind::Resume(if self.strikes() { Resume::Retry } else { Resume::Next }),
            8 => StatementKind::Goto(label),
            9 => StatementKind::Label(label),
            10 => StatementKind::Switch { index: Expression::int(1), labels: self.labels() },
            11 => StatementKind::Loop(vec![Statement::new(1, old)]),
            12 => {
                StatementKind::Try { body: vec![Statement::new(1, old.clone())], catch: vec![Statement::new(2, old)] }
            }
            13 => {
                let arguments = vec![Argument { name: None, value: ArgumentValue::InOut(self.slot()) }];
                let callee = Callee::Named(if self.strikes() { "nobody" } else { "callee" }.into());
                StatementKind::Call { call: Call { callee, arguments }, result: Some(self.slot()) }
            }
            14 => StatementKind::Host {
                statement: StatementId(self.random.below(9) as u32),
                text: "".into(),
                inputs: vec![Expression::int(0)],
                outputs: vec![self.slot()],
                branches: self.labels(),
            },
            _ => StatementKind::Return(None),
        }
    }

    fn statements(&mut self, body: &mut [Statement]) {
        for statement in body.iter_mut() {
            if self.strikes() {
                statement.kind = self.simple(statement.kind.clone());
            }
            match &mut statement.kind {
                StatementKind::Block(body) | StatementKind::Group(body) | StatementKind::Loop(body) => {
                    self.statements(body);
                }
                StatementKind::Assign { target, value } => {
                    if self.strikes() {
                        *target = self.slot();
                    }
                    self.expression(value);
                }
                StatementKind::AssignElement { array, indexes, value } => {
                    if self.strikes() {
                        *array = ArrayId(self.random.below(2) as u16);
                        indexes.push(Expression::int(1));
                    }
                    indexes.iter_mut().chain([value]).for_each(|value| self.expression(value));
                }
                StatementKind::Dimension { bounds, .. } if self.strikes() => {
                    bounds.push((Expression::int(i32::MIN), Expression::int(self.random.below(1 << 31) as i32)));
                }
                StatementKind::If { condition, then, otherwise } => {
                    self.expression(condition);
                    self.statements(then);
                    self.statements(otherwise);
                }
                StatementKind::While { condition, body } => {
                    self.expression(condition);
                    self.statements(body);
                }
                StatementKind::Try { body, catch } => {
                    self.statements(body);
                    self.statements(catch);
                }
                StatementKind::Return(Some(value)) | StatementKind::Evaluate(value) => self.expression(value),
                StatementKind::Host { inputs, .. } => inputs.iter_mut().for_each(|input| self.expression(input)),
                _ => {}
            }
        }
        if self.strikes() && body.len() > 1 {
            let (from, to) = (self.random.below(body.len()), self.random.below(body.len()));
            body.swap(from, to);
        }
    }

    fn expression(&mut self, e: &mut Expression) {
        if self.strikes() {
            e.ty = self.types[self.random.below(self.types.len())];
        }
        if self.strikes() {
            let slot = ExpressionKind::Slot(self.slot());
            let value = self.values[self.random.below(self.values.len())].clone();
            e.kind = if self.random.below(2) == 0 { slot } else { ExpressionKind::Constant(value) };
        }
        match &mut e.kind {
            ExpressionKind::Negate(value)
            | ExpressionKind::BitNot(value)
            | ExpressionKind::IsNull(value)
            | ExpressionKind::Not(value)
            | ExpressionKind::Convert { value, .. }
            | ExpressionKind::Fit { value, .. } => self.expression(value),
            ExpressionKind::Arithmetic { left, right, .. }
            | ExpressionKind::Bitwise { left, right, .. }
            | ExpressionKind::Compare { left, right, .. }
            | ExpressionKind::And(left, right)
            | ExpressionKind::Or(left, right) => {
                self.expression(left);
                self.expression(right);
                if self.strikes() {
                    std::mem::swap(left, right);
                }
            }
            ExpressionKind::Case { arms, otherwise } => {
                for (condition, value) in arms {
                    self.expression(condition);
                    self.expression(value);
                }
                otherwise.iter_mut().for_each(|value| self.expression(value));
            }
            ExpressionKind::Coalesce(list) | ExpressionKind::Concat { parts: list, .. } => {
                list.iter_mut().for_each(|value| self.expression(value));
                if self.strikes() {
                    list.pop();
                }
            }
            _ => {}
        }
    }
}

/// A routine that is well formed, of expressions and statements.
fn whole(seed: u64) -> Routine {
    if seed.is_multiple_of(2) {
        let mut maker = StatementMaker::new(seed);
        let body = maker.block(1 + seed as usize % 4);
        return Routine { body, ..maker.routine };
    }
    let mut maker = Maker::new(seed);
    for line in 1..5 {
        let target = SlotId(maker.random.below(maker.routine.slots.len()) as u16);
        let ty = maker.routine.slots[usize::from(target.0)].ty;
        let value = maker.expression(ty, 4);
        maker.routine.body.push(Statement::new(line, StatementKind::Assign { target, value }));
    }
    maker.routine
}

#[test]
fn damaged_forms_are_refused_or_run() {
    let mut callee = Routine::new("callee");
    callee.parameter("@a", Type::I32, Direction::InOut, Some(Value::Null));
    let mut host = TestHost::default();
    host.add(callee);
    let (mut refused, mut ran) = (0, 0);
    for seed in 0..6000 {
        let mut maker = Maker::new(seed + 1);
        let types: Vec<Type> =
            (0..8).map(|_| maker.ty()).chain([Type::Any, Type::Date, Type::Handle, Type::BYTES]).collect();
        let values = types.iter().map(|ty| maker.constant(*ty)).collect();
        let mut damage = Damage { random: maker.random, types, values, rarely: 3 + seed as usize % 60 };
        let mut routine = whole(seed);
        routine.label("extra");
        damage.statements(&mut routine.body);
        // Printing must do with anything.
        assert!(!routine.to_string().is_empty());
        let Ok(program) = Program::compile(routine) else {
            refused += 1;
            continue;
        };
        let limits = Limits { turns: 3000, gosubs: 50, text_bytes: 1 << 16, ..Limits::default() };
        let mut machine = Machine::new(limits);
        // The result is not checked, only that the run ends.
        let _ = machine.run(&mut host, &program, &[]);
        assert_eq!(machine.level(), 0);
        ran += 1;
        host.notes.clear();
    }
    assert!(refused > 1000 && ran > 1000, "{refused} {ran}");
}
