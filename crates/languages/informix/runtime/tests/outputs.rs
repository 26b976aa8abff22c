//! Routines with OUT and INOUT parameters: called by number, and from other routines.

mod common;

use common::Shop;
use mainstay_types::Value;

const SPLIT: &str = "CREATE PROCEDURE split(total INT, OUT half INT, INOUT note VARCHAR(20)) RETURNING INT; \
     LET half = total / 2; LET note = note || '!'; RETURN total + 1; END PROCEDURE";

#[test]
fn a_client_calls_by_number_and_gets_the_values_back() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run(SPLIT);
    let call = session.prepare("EXECUTE PROCEDURE split(?, ?, ?)");
    let number = session.0.routine_of(call.id).unwrap();
    let shape = session.0.routine(number).unwrap();
    let modes: Vec<bool> = shape.parameters.iter().map(|(_, is_output)| *is_output).collect();
    assert_eq!((modes, shape.returns.len()), (vec![false, true, true], 1));
    // The value of a client for an OUT parameter is not seen.
    let values = [Value::Integer(10), Value::Integer(77), Value::Text("a".to_owned())];
    let called = session.0.call_routine(number, &values).unwrap();
    assert_eq!(called.outputs, [Value::Integer(5), Value::Text("a!".to_owned())]);
    assert_eq!(called.returned, Some(vec![Value::Integer(11)]));
    assert_eq!(session.fails("EXECUTE PROCEDURE split(1, 2, 'x')"), (-9752, 0, "split".to_owned()));
    assert_eq!(session.0.call_routine(number + 1, &values).unwrap_err().number, -674);
    session.run("CREATE FUNCTION plain(a INT) RETURNING INT; RETURN a; END FUNCTION");
    let plain = session.prepare("EXECUTE FUNCTION plain(1)");
    assert_eq!(session.0.routine_of(plain.id), None);
}

#[test]
fn an_out_parameter_that_is_not_assigned_is_null_and_a_decimal_is_a_number() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run(
        "CREATE PROCEDURE p(a DECIMAL, OUT b DECIMAL, OUT c DATE) IF a > 0 THEN LET b = a / 4; END IF; END PROCEDURE",
    );
    let call = session.prepare("{call p(?, ?, ?)}");
    let number = session.0.routine_of(call.id).unwrap();
    let mut outputs = |a: i64| session.0.call_routine(number, &[Value::Integer(a), Value::Null, Value::Null]).unwrap();
    let called = outputs(1);
    assert_eq!(called.outputs.iter().map(common::shown).collect::<Vec<_>>(), ["0.25", "NULL"]);
    assert_eq!(called.returned, None);
    assert_eq!(outputs(0).outputs, [Value::Null, Value::Null]);
}

#[test]
fn routines_pass_variables() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run(SPLIT);
    session.run(
        "CREATE PROCEDURE caller() RETURNING INT, INT, VARCHAR(20); DEFINE h, r INT; DEFINE n VARCHAR(20); \
         LET n = 'b'; CALL split(8, h, n) RETURNING r; EXECUTE PROCEDURE split(h, h, n); RETURN h, r, n; END PROCEDURE",
    );
    assert_eq!(session.run("EXECUTE PROCEDURE caller()"), ["2|9|b!!"]);
    session.run(
        "CREATE PROCEDURE named() RETURNING INT; DEFINE h INT; DEFINE n VARCHAR(20); LET n = ''; \
         CALL split(note = n, half = h, total = 6); RETURN h; END PROCEDURE",
    );
    assert_eq!(session.run("EXECUTE PROCEDURE named()"), ["3"]);
    for body in [
        "DEFINE n VARCHAR(20); CALL split(8, 1, n);",
        "DEFINE h, r INT; DEFINE n VARCHAR(20); FOREACH EXECUTE PROCEDURE split(8, h, n) INTO r END FOREACH;",
    ] {
        assert_eq!(session.fails(&format!("CREATE PROCEDURE bad() {body} END PROCEDURE")).0, -9752, "{body}");
    }
    let attributes = "SELECT paramname, paramattr FROM sysproccolumns c, sysprocedures p \
                      WHERE c.procid = p.procid AND p.procname = 'split' ORDER BY paramid";
    assert_eq!(session.run(attributes), ["total|1", "half|4", "note|2", "|3"]);
}

#[test]
fn in_out_and_inout_are_names_too() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE FUNCTION f(in INT, out INT, inout INT) RETURNING INT; RETURN in + out * inout; END FUNCTION");
    assert_eq!(session.run("EXECUTE FUNCTION f(1, 2, 3)"), ["7"]);
}
