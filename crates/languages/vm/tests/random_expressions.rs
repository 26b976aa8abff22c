//! Random expressions: the machine and a plain walk over the tree must agree, on values and on faults.

mod common;
mod reference;

use common::TestHost;
use mainstay_types::Value;
use mainstay_vm::*;
use reference::{Failure, Maker, Walker};

/// The walker's failure for a machine's error.
fn failure(raised: &Raised) -> Failure {
    match &raised.fault {
        Some(Fault::Overflow { .. }) => Failure::Overflow,
        Some(Fault::DivideByZero) => Failure::DivideByZero,
        Some(Fault::TooLong { .. }) => Failure::TooLong,
        _ => Failure::Raised(raised.to_string()),
    }
}

/// The same value, doubles by their bits but for the sign of zero.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a == b,
        _ => a == b && format!("{a:?}") == format!("{b:?}"),
    }
}

#[test]
fn the_machine_agrees_with_a_walk_over_the_tree() {
    let (mut values, mut nulls, mut failures) = (0, 0, 0);
    for seed in 0..6000 {
        let mut maker = Maker::new(seed);
        let ty = maker.ty();
        let expression = maker.expression(ty, 1 + seed as usize % 5);
        let mut routine = maker.routine;
        // Into a slot of its own type, which it may read itself: half done assignments would be seen.
        let target = SlotId(maker.random.below(routine.slots.len()) as u16);
        let own = (0..routine.slots.len() as u16).map(SlotId).find(|slot| routine.slots[usize::from(slot.0)].ty == ty);
        let expected = Walker::new(&routine).value(&expression);
        let (target, value) = (own.unwrap_or(target), expression.clone());
        if own.is_some() {
            routine.body.push(Statement::new(1, StatementKind::Assign { target, value }));
            let again = Expression::slot(&routine, target);
            routine.result = Some(ty);
            routine.default_result = Value::Null;
            routine.body.push(Statement::new(2, StatementKind::Return(Some(again))));
        } else {
            routine.result = Some(ty);
            routine.default_result = Value::Null;
            routine.body.push(Statement::new(1, StatementKind::Return(Some(value))));
        }
        let shown = routine.to_string();
        let given = common::run(&mut TestHost::default(), routine);
        match (&expected, &given) {
            (Ok(expected), Ok(given)) => {
                assert!(same(expected, given), "seed {seed}\n{shown}\n{expected:?}\n{given:?}")
            }
            (Err(expected), Err(given)) => assert_eq!(*expected, failure(given), "seed {seed}\n{shown}"),
            _ => panic!("seed {seed}\n{shown}\n{expected:?}\n{given:?}"),
        }
        match expected {
            Ok(Value::Null) => nulls += 1,
            Ok(_) => values += 1,
            Err(_) => failures += 1,
        }
    }
    // All three are worth something only if all three happen.
    assert!(values > 1500 && nulls > 500 && failures > 500, "{values} {nulls} {failures}");
}
