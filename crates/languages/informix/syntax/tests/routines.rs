//! Routines compiled and run by a host that knows no database: flow of control, values, handlers.
//!
//! The right values follow from the chapters on SPL statements in the Guide to SQL: Syntax.

use mainstay_informix_syntax::compile::{
    Action, ActionKind, Compiled, Environment, Signature, compile_routine, raised, signature,
};
use mainstay_informix_syntax::tree::{ObjectName, Routine, Statement};
use mainstay_informix_syntax::{SqlError, Type, assign, parse};
use mainstay_types::{Timestamp, Value, ValueRef};
use mainstay_vm::*;
use std::collections::HashMap;
use std::sync::Arc;

/// The routines of a test, by name.
struct Routines(Vec<(Routine, String)>);

impl Environment for Routines {
    fn routine(&self, name: &ObjectName, arguments: usize) -> Option<Signature> {
        let (found, _) = self.0.iter().find(|(routine, _)| routine.name.last() == name.last())?;
        let key = format!("{}/{}", found.name.last(), found.parameters.len());
        (arguments <= found.parameters.len()).then(|| signature(found, key, self).unwrap())
    }

    fn column(&self, _: &ObjectName, column: &str) -> Option<Type> {
        (column == "name").then_some(Type::Char(4))
    }

    fn user(&self) -> String {
        "ann".to_owned()
    }
}

/// A host with routines, global variables and rows.
struct Host0 {
    routines: Routines,
    rows: Vec<Vec<Value>>,
    globals: HashMap<String, Value>,
    programs: HashMap<String, Arc<Program>>,
}

fn compiled(text: &str, environment: &Routines) -> Result<Compiled, Box<SqlError>> {
    match parse(text, false)?.statement {
        Statement::CreateRoutine(routine) => compile_routine(&routine, text, environment),
        other => panic!("{other:?}"),
    }
}

impl Host for Host0 {
    fn execute(&mut self, call: &mut StatementCall<'_>) -> Result<Flow, Box<Raised>> {
        let program = call.program().cloned().unwrap();
        let action = &program.data::<Vec<Action>>().unwrap()[call.statement().0 as usize];
        let inputs: Vec<Value> = (0..call.inputs()).map(|place| call.input(place).to_value()).collect();
        match &action.kind {
            ActionKind::Give => self.rows.push(inputs),
            ActionKind::NoReturn => {}
            ActionKind::Raise => {
                let number = |place: usize| match inputs.get(place) {
                    Some(Value::Integer(number)) => *number as i32,
                    _ => 0,
                };
                let text = inputs.get(2).map(|text| text.to_string().trim_matches('\'').to_owned()).unwrap_or_default();
                return Err(Raised::new(number(0), 16, number(1), text));
            }
            ActionKind::IsError(codes) => {
                let found = call.error().is_some_and(|error| codes.contains(&error.number));
                call.set_result(ValueRef::Boolean(found))?;
            }
            ActionKind::ErrorInfo => {
                let (number, state, text) =
                    call.error().map_or((0, 0, String::new()), |error| (error.number, error.state, error.text.clone()));
                let values = [Value::Integer(number.into()), Value::Integer(state.into()), Value::Text(text)];
                for (place, known) in action.outputs.iter().enumerate() {
                    let value = assign(values[place].as_ref(), *known).map_err(raised)?;
                    call.set(place, value.as_ref())?;
                }
            }
            ActionKind::DeclareGlobal(name, _) => {
                self.globals.entry(name.clone()).or_insert_with(|| inputs[0].clone());
            }
            ActionKind::SetGlobal(name) => drop(self.globals.insert(name.clone(), inputs[0].clone())),
            ActionKind::Global(name) => {
                let value = self.globals.get(name).cloned().unwrap_or(Value::Null);
                call.set_result(value.as_ref())?;
            }
            other => return Err(Raised::new(-999, 16, 0, format!("{other:?}"))),
        }
        Ok(Flow::NEXT)
    }

    fn resolve(&mut self, name: &str) -> Result<Resolved, Box<Raised>> {
        if let Some(program) = self.programs.get(name) {
            return Ok(Resolved::Program(program.clone()));
        }
        let missing = || Raised::new(-674, 16, 0, format!("Routine ({name}) can not be resolved."));
        let short = name.split('/').next().unwrap_or(name);
        let found = self.routines.0.iter().find(|(routine, _)| routine.name.last() == short).ok_or_else(missing)?;
        let made = compile_routine(&found.0, &found.1, &self.routines).map_err(raised)?;
        let program = Program::compile_with(made.routine, Arc::new(made.actions)).unwrap();
        self.programs.insert(name.to_owned(), program.clone());
        Ok(Resolved::Program(program))
    }

    fn stamp(&self) -> u64 {
        0
    }

    fn now(&mut self) -> Timestamp {
        Timestamp(0)
    }

    fn fault(&mut self, fault: Fault) -> FaultAnswer {
        let number = match fault {
            Fault::DivideByZero => -1202,
            Fault::Overflow { .. } => -1215,
            _ => -768,
        };
        FaultAnswer::Raise(Raised::new(number, 16, 0, fault.to_string()))
    }
}

/// Runs the last of some routines: its rows, or the number of its error.
fn run_all(texts: &[&str], arguments: &[Value]) -> Result<Vec<String>, i32> {
    let parsed = texts.iter().map(|text| match parse(text, false) {
        Ok(parsed) => match parsed.statement {
            Statement::CreateRoutine(routine) => (*routine, (*text).to_owned()),
            other => panic!("{other:?}"),
        },
        Err(error) => panic!("{text}: {error}"),
    });
    let routines = Routines(parsed.collect());
    let made = compiled(texts[texts.len() - 1], &routines).map_err(|error| error.code)?;
    let is_single = made.is_single;
    let program = Program::compile_with(made.routine, Arc::new(made.actions)).unwrap_or_else(|error| panic!("{error}"));
    let mut host = Host0 { routines, rows: Vec::new(), globals: HashMap::new(), programs: HashMap::new() };
    let mut machine = Machine::new(Limits::default());
    let arguments: Vec<RunArgument<'_>> = arguments.iter().map(|value| RunArgument::Value(value.as_ref())).collect();
    machine.run(&mut host, &program, &arguments).map_err(|error| error.number)?;
    let shown = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        value => value.to_string(),
    };
    if is_single {
        return Ok(vec![shown(&machine.result().to_value())]);
    }
    Ok(host.rows.iter().map(|row| row.iter().map(shown).collect::<Vec<_>>().join("|")).collect())
}

fn run(text: &str) -> Vec<String> {
    run_all(&[text], &[]).unwrap_or_else(|number| panic!("{text}: {number}"))
}

#[test]
fn ranges_and_lists_of_for() {
    let text = "CREATE FUNCTION f() RETURNING INT; DEFINE i INT;
        FOR i IN (1 TO 3, 10, 8 TO 4 STEP -2) RETURN i WITH RESUME; END FOR;
        FOR i = 1 TO 0 RETURN 99 WITH RESUME; END FOR
        END FUNCTION;";
    assert_eq!(run(text), ["1", "2", "3", "10", "8", "6", "4"]);
    let text = "CREATE FUNCTION f() RETURNING CHAR(2); DEFINE c CHAR(2);
        FOR c IN ('a', 'bcd') RETURN c WITH RESUME; END FOR; END FUNCTION";
    assert_eq!(run(text), ["a ", "bc"]);
}

#[test]
fn loops_are_left_and_continued() {
    let text = "CREATE FUNCTION f() RETURNING INT; DEFINE i, j INT; LET i = 0;
        <<outer>> LOOP
            LET i = i + 1;
            IF i = 2 THEN CONTINUE LOOP; END IF;
            FOR j = 1 TO 9
                IF j > 1 THEN EXIT FOR; END IF;
                EXIT outer WHEN i = 4;
                RETURN i * 10 + j WITH RESUME;
            END FOR;
        END LOOP outer;
        WHILE i > 2 LET i = i - 1; RETURN -i WITH RESUME; END WHILE;
        END FUNCTION";
    assert_eq!(run(text), ["11", "31", "-3", "-2"]);
}

#[test]
fn branches_take_the_first_that_is_true() {
    let text = "CREATE PROCEDURE p(n INT) RETURNING VARCHAR(10); DEFINE r VARCHAR(10);
        IF n IS NULL THEN LET r = 'null'; ELIF n < 0 THEN LET r = 'less'; ELIF n BETWEEN 1 AND 3 THEN LET r = 'few';
        ELSE CASE n WHEN 0 THEN LET r = 'zero'; WHEN 10 THEN LET r = 'ten'; ELSE LET r = 'many' || n; END CASE; END IF;
        RETURN r; END PROCEDURE";
    let of = |value: Value| run_all(&[text], &[value]).unwrap().remove(0);
    let shown: Vec<String> = [-1, 0, 2, 10, 11].into_iter().map(|number| of(Value::Integer(number))).collect();
    assert_eq!(shown, ["less", "zero", "few", "ten", "many11"]);
    assert_eq!(of(Value::Null), "null");
}

#[test]
fn values_have_the_type_of_their_variable() {
    let text = "CREATE FUNCTION f() RETURNING INT, DECIMAL(6,2), CHAR(5), VARCHAR(9), INT, LVARCHAR(40);
        DEFINE i INT; DEFINE d DECIMAL(6,2); DEFINE c LIKE t.name; DEFINE v VARCHAR(9); DEFINE n INT;
        LET i, d = 7 / 2, 10 / 3; LET c = 'ab'; LET v = c || '!'; LET c[2,3] = 'xy';
        LET n = LENGTH(c) + MOD(17, 5); RETURN i, d, c, v, n, UPPER(TRIM(c)) || SUBSTR(v, 2, 3) || c[3,4]; END FUNCTION";
    assert_eq!(run(text), ["3|3.33|axy  |ab  !|5|AXYb  y "]);
    let text = "CREATE FUNCTION f() RETURNING SMALLINT; DEFINE s SMALLINT; LET s = 40000; RETURN s; END FUNCTION";
    assert_eq!(run_all(&[text], &[]), Err(-1215));
}

#[test]
fn handlers_take_errors_where_they_stand() {
    // Without RESUME a routine ends behind its handler, and a loop goes on with its next turn.
    let text = "CREATE FUNCTION f() RETURNING INT, LVARCHAR(40); DEFINE c, i, n INT; DEFINE t LVARCHAR(40); LET n = 0;
        FOR i = 1 TO 3
            ON EXCEPTION IN (-746, -1202) SET c, n, t RETURN c, t || n WITH RESUME; END EXCEPTION
            IF i = 1 THEN RAISE EXCEPTION -746, 5, 'first'; END IF;
            IF i = 2 THEN LET n = 1 / (i - 2); END IF;
            RETURN i, 'done' WITH RESUME;
        END FOR; END FUNCTION";
    assert_eq!(run(text), ["-746|first5", "-1202|division by zero0", "3|done"]);
    let text = "CREATE FUNCTION f() RETURNING INT; ON EXCEPTION IN (-100) END EXCEPTION;
        RAISE EXCEPTION -746; RETURN 1; END FUNCTION";
    assert_eq!(run_all(&[text], &[]), Err(-746));
}

#[test]
fn handlers_that_resume_go_on_behind_the_statement() {
    let text = "CREATE FUNCTION f() RETURNING INT; DEFINE c, n INT; LET n = 0;
        BEGIN
            ON EXCEPTION SET c LET n = n + c; END EXCEPTION WITH RESUME;
            RAISE EXCEPTION -1; 
            IF n = -1 THEN RAISE EXCEPTION -10; LET n = n * 2; END IF;
            BEGIN
                ON EXCEPTION IN (-5) RAISE EXCEPTION -100; END EXCEPTION;
                RAISE EXCEPTION -5;
                LET n = 0;
            END
            LET n = n - 1000;
        END
        RETURN n; END FUNCTION";
    // -1, then -11 doubled, then -100 from inside of a handler, then -1000.
    assert_eq!(run(text), ["-1122"]);
}

#[test]
fn routines_call_each_other_with_names_and_defaults() {
    let add = "CREATE FUNCTION add(a INT, b INT DEFAULT 10) RETURNING INT; RETURN a * 100 + b; END FUNCTION";
    let text = "CREATE FUNCTION f(n INT) RETURNING INT, INT, INT;
        RETURN add(n), add(b = 2, a = 1), add(add(1, 2), 3); END FUNCTION";
    assert_eq!(run_all(&[add, text], &[Value::Integer(4)]).unwrap(), ["410|102|10203"]);
    let factorial = "CREATE FUNCTION fact(n INT) RETURNING BIGINT; IF n <= 1 THEN RETURN 1; END IF;
        RETURN n * fact(n - 1); END FUNCTION";
    assert_eq!(run_all(&[factorial], &[Value::Integer(20)]).unwrap(), ["2432902008176640000"]);
}

#[test]
fn global_variables_keep_their_first_default() {
    let count = "CREATE FUNCTION count_up() RETURNING INT; DEFINE GLOBAL g INT DEFAULT 5; LET g = g + 1; RETURN g; END FUNCTION";
    let text = "CREATE FUNCTION f() RETURNING INT; DEFINE GLOBAL g INT DEFAULT 100; DEFINE x INT;
        LET x = count_up(); RETURN x + g; END FUNCTION";
    assert_eq!(run_all(&[count, text], &[]).unwrap(), ["202"]);
}

#[test]
fn mistakes_have_their_numbers() {
    let code = |text: &str| match parse(text, false) {
        Err(error) => error.code,
        Ok(_) => compiled(text, &Routines(Vec::new())).unwrap_err().code,
    };
    assert_eq!(code("CREATE PROCEDURE p() LET a = 1; END PROCEDURE"), -667);
    assert_eq!(code("CREATE PROCEDURE p() DEFINE a INT; LET a = b; END PROCEDURE"), -667);
    assert_eq!(code("CREATE PROCEDURE p() DEFINE a INT; LET a = (1; END PROCEDURE"), -201);
    assert_eq!(code("CREATE PROCEDURE p() SELECT a FROM t; END PROCEDURE"), -659);
    assert_eq!(code("CREATE FUNCTION f() RETURNING INT; RETURN 1, 2; END FUNCTION"), -685);
    assert_eq!(code("CREATE FUNCTION f() RETURNING INT, INT; RETURN 1; END FUNCTION"), -684);
    assert_eq!(code("CREATE PROCEDURE p() DEFINE a LIKE t.nosuch; END PROCEDURE"), -217);
    assert_eq!(code("CREATE PROCEDURE p() IF 1 = 1 THEN"), -201);
    assert_eq!(code("CREATE PROCEDURE p() EXIT FOR; END PROCEDURE"), -201);
    assert_eq!(code("CREATE PROCEDURE p(a SET(INT NOT NULL)) END PROCEDURE"), -999);
}

#[test]
fn a_loop_stays_inside_of_the_machine() {
    let text = "CREATE FUNCTION f(n INT) RETURNING INT; DEFINE i, s INT; LET s = 0;
        FOR i = 1 TO n LET s = s + i; END FOR; RETURN s; END FUNCTION";
    let made = compiled(text, &Routines(Vec::new())).unwrap();
    // Nothing is asked of the host but for what a function without RETURN gives.
    assert!(matches!(made.actions[..], [Action { kind: ActionKind::NoReturn, .. }]), "{}", made.routine);
    assert_eq!(run_all(&[text], &[Value::Integer(1000)]).unwrap(), ["500500"]);
}
