//! Random control flow: the machine and a plain walk over the tree must do the same things in the same order.

mod common;
mod reference;

use common::{NOTE, TestHost};
use mainstay_vm::*;
use reference::{Failure, Signal, StatementMaker, Walker};

#[test]
fn the_machine_agrees_with_a_walk_over_the_statements() {
    let (mut ended, mut failed, mut noted) = (0, 0, 0);
    for seed in 0..3000 {
        let mut maker = StatementMaker::new(seed);
        let mut body = maker.block(1 + seed as usize % 5);
        // Without it nearly all would end at the first element.
        let bounds = vec![(Expression::int(-20), Expression::int(20))];
        body.insert(0, Statement::new(0, StatementKind::Dimension { array: ArrayId(0), bounds }));
        let all = maker.counters.iter().map(|slot| Expression::slot(&maker.routine, *slot)).collect();
        body.push(Statement::new(999, common::build::host(NOTE, all, vec![])));
        let mut routine = maker.routine;
        routine.body = body;
        let mut walker = Walker::new(&routine);
        let expected = walker.statements(&routine.body);
        let shown = routine.to_string();
        let mut host = TestHost::default();
        let given = common::run(&mut host, routine);
        assert_eq!(walker.notes, host.notes, "seed {seed}\n{shown}");
        match (expected, given) {
            (Signal::Next | Signal::Return, Ok(result)) => {
                assert_eq!(result, walker.result, "seed {seed}\n{shown}");
                ended += 1;
            }
            (Signal::Fail(failure), Err(raised)) => {
                let same = match failure {
                    Failure::Overflow => matches!(raised.fault, Some(Fault::Overflow { .. })),
                    Failure::DivideByZero => matches!(raised.fault, Some(Fault::DivideByZero)),
                    Failure::TooLong => false,
                    Failure::Subscript => matches!(raised.fault, Some(Fault::Subscript { .. })),
                    Failure::Raised(text) => raised.text == text,
                };
                assert!(same, "seed {seed}\n{shown}\n{raised}");
                failed += 1;
            }
            (expected, given) => panic!("seed {seed}\n{shown}\n{expected:?}\n{given:?}"),
        }
        noted += host.notes.len();
    }
    assert!(ended > 1000 && failed > 300 && noted > 3_000, "{ended} {failed} {noted}");
}
