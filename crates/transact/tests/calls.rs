//! Calls as drivers make them: texts with parameters, prepared handles.

mod common;

use common::Transcript;
use mainstay_base::Value;
use mainstay_engine::Database;
use mainstay_mssql::{DataType, Length};
use mainstay_tds::{Call, Collation, Parameter, ParameterValue};
use mainstay_transact::{Instance, Session};

fn parameter(name: &str, data_type: DataType, value: Value) -> Parameter {
    Parameter {
        name: name.to_owned(),
        output: false,
        default: false,
        data_type,
        collation: Collation::DEFAULT,
        value: ParameterValue::Single(value),
    }
}

fn text(value: &str) -> Parameter {
    parameter("", DataType::NVarChar(Length::Max), Value::Text(value.to_owned()))
}

fn int(value: i64) -> Parameter {
    parameter("", DataType::Int, Value::Integer(value))
}

fn session() -> Session {
    Instance::new(Database::in_memory().expect("a database in memory"), "test").session()
}

fn call(session: &mut Session, procedure: &str, parameters: Vec<Parameter>) -> String {
    let mut transcript = Transcript::default();
    let call = Call { procedure: procedure.to_owned(), parameters, recompile: false, no_metadata: false };
    session.call(&call, &mut transcript);
    transcript.text
}

/// A plan belongs to its text, however often texts come and go.
#[test]
fn texts_with_parameters_are_never_taken_for_each_other() {
    let mut session = session();
    session.batch("CREATE TABLE t (id INT PRIMARY KEY, n INT)", &mut Transcript::default());
    session.batch("INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)", &mut Transcript::default());
    for round in 0..300 {
        let (added, id) = (round % 7, 1 + round % 3);
        let seen = call(
            &mut session,
            "sp_executesql",
            vec![text(&format!("SELECT @n + {added} + MIN(n) * 0 AS s FROM t")), text("@n INT"), int(round)],
        );
        assert!(seen.contains(&format!("\n{}\n", round + added)), "round {round}: {seen}");
        let seen = call(
            &mut session,
            "sp_executesql",
            vec![text(&format!("SELECT id FROM t WHERE id = @p{added}")), text(&format!("@p{added} INT")), int(id)],
        );
        assert!(seen.contains(&format!("\n{id}\n")), "round {round}: {seen}");
    }
}

/// What a text means depends on its parameters' types, and on how quotes are read.
#[test]
fn the_same_text_is_compiled_for_each_way_to_read_it() {
    let mut session = session();
    let statement = "SELECT @a + @a AS sum";
    let number = call(&mut session, "sp_executesql", vec![text(statement), text("@a INT"), int(21)]);
    assert!(number.contains("\n42\n"), "{number}");
    let joined = call(&mut session, "sp_executesql", vec![text(statement), text("@a NVARCHAR(10)"), text("ab")]);
    assert!(joined.contains("\nabab\n"), "{joined}");

    let quotes = "SELECT \"a\" AS q";
    let mut refused = Transcript::default();
    session.batch(quotes, &mut refused);
    assert!(refused.text.contains("207"), "{}", refused.text);
    let mut transcript = Transcript::default();
    session.batch("SET QUOTED_IDENTIFIER OFF", &mut transcript);
    session.batch(quotes, &mut transcript);
    assert!(transcript.text.ends_with("\na\n(1 rows)\n"), "{}", transcript.text);
}

/// A handle keeps its text and types until it is given back.
#[test]
fn prepared_handles_are_run_again_and_given_back() {
    let mut session = session();
    let prepared = call(&mut session, "sp_prepare", vec![int(0), text("@a INT"), text("SELECT @a * 2 AS d")]);
    assert!(prepared.contains("@handle = 1"), "{prepared}");
    for value in [1, 20, -7] {
        let seen = call(&mut session, "sp_execute", vec![int(1), int(value)]);
        assert!(seen.contains(&format!("\n{}\n", value * 2)), "{seen}");
    }
    call(&mut session, "sp_unprepare", vec![int(1)]);
    let refused = call(&mut session, "sp_execute", vec![int(1), int(5)]);
    assert!(refused.contains("8179"), "{refused}");
}
