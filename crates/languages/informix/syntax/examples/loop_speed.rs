//! Measures a loop of SPL: `cargo run --release -p mainstay-informix-syntax --example loop_speed`.

use mainstay_informix_syntax::compile::{Environment, Signature, compile_routine};
use mainstay_informix_syntax::tree::{ObjectName, Statement};
use mainstay_informix_syntax::{Type, parse};
use mainstay_types::{Timestamp, ValueRef};
use mainstay_vm::{Flow, Host, Limits, Machine, Program, Raised, Resolved, RunArgument, StatementCall};
use std::time::Instant;

/// A routine that names nothing.
struct Nothing;

impl Environment for Nothing {
    fn routine(&self, _: &ObjectName, _: usize) -> Option<Signature> {
        None
    }

    fn column(&self, _: &ObjectName, _: &str) -> Option<Type> {
        None
    }

    fn user(&self) -> String {
        String::new()
    }
}

impl Host for Nothing {
    fn execute(&mut self, _: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>> {
        Ok(Flow::NEXT)
    }

    fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>> {
        Err(Raised::new(-674, 16, 0, name))
    }

    fn stamp(&self) -> u64 {
        0
    }

    fn now(&mut self) -> Timestamp {
        Timestamp(0)
    }
}

const LOOPS: [(&str, &str); 3] = [
    ("FOR of 1,000 turns with a LET of whole numbers", "FOR i = 1 TO n LET s = s + i; END FOR;"),
    ("WHILE of 1,000 turns with two LETs", "LET i = 0; WHILE i < n LET i = i + 1; LET s = s + 1; END WHILE;"),
    ("FOR of 1,000 turns with a DECIMAL", "FOR i = 1 TO n LET d = d + 1.25; END FOR;"),
];

fn main() {
    for (name, body) in LOOPS {
        let text = format!(
            "CREATE FUNCTION f(n INT) RETURNING INT; DEFINE i, s INT; DEFINE d DECIMAL(12,2); LET s, d = 0, 0; {body} RETURN s; END FUNCTION"
        );
        let Ok(Statement::CreateRoutine(routine)) = parse(&text, false).map(|parsed| parsed.statement) else { return };
        let compiled = compile_routine(&routine, &text, &Nothing).unwrap_or_else(|error| panic!("{error}"));
        let program = Program::compile(compiled.routine).unwrap_or_else(|error| panic!("{error}"));
        let mut machine = Machine::new(Limits::default());
        let arguments = [RunArgument::Value(ValueRef::Integer(1000))];
        let mut best = f64::MAX;
        for _ in 0..2000 {
            let start = Instant::now();
            machine.run(&mut Nothing, &program, &arguments).unwrap_or_else(|error| panic!("{error}"));
            best = best.min(start.elapsed().as_nanos() as f64 / 1000.0);
        }
        println!("{name:<50} {best:>8.1} us");
    }
}
