//! Answers of calls as drivers take them: the types of output parameters, and calls that do not run. The suites of
//! pymssql (`test_sprocs.py`), go-mssqldb (`TestOutputParamWithRows`) and tedious (`rpc-test`) expect these.

mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_session::push::{Backend as _, Call, Client, Login, Parameter, ParameterValue};
use mainstay_tsql_runtime::{Instance, Session};
use mainstay_tsql_types::{DataType, Length};
use mainstay_types::Value;

fn instance() -> Instance {
    Instance::new(Database::in_memory().expect("a database in memory"), "test")
}

/// A login of a driver that speaks ODBC.
fn login() -> Login {
    Login { user: "sa".to_owned(), has_standard_settings: true, ..Login::default() }
}

fn output(name: &str, data_type: DataType, value: Value) -> Parameter {
    Parameter {
        name: name.to_owned(),
        output: true,
        default: false,
        declared: data_type.declared(),
        value: ParameterValue::Single(value),
    }
}

fn input(text: &str) -> Parameter {
    let data_type = DataType::NVarChar(Length::Max);
    Parameter { output: false, ..output("", data_type, Value::Text(text.to_owned())) }
}

fn call(session: &mut Session, procedure: &str, parameters: Vec<Parameter>) -> Transcript {
    let mut transcript = Transcript::default();
    let call = Call { procedure: procedure.to_owned(), parameters };
    session.call(&call, &mut transcript);
    transcript
}

fn batch(session: &mut Session, text: &str) -> String {
    let mut transcript = Transcript::default();
    session.batch(text, &mut transcript);
    transcript.text
}

#[test]
fn output_parameters_come_in_the_type_that_the_client_gave_them() {
    let mut session = instance().session();
    batch(
        &mut session,
        "CREATE PROCEDURE p @d DECIMAL(6, 5) OUTPUT, @b BIT OUTPUT, @t NVARCHAR(20) OUTPUT AS SELECT @b = 1, @t += N'cdef'",
    );
    let decimal = DataType::Decimal { precision: 38, scale: 7 };
    let short = DataType::NVarChar(Length::Limited(4));
    let number = Value::Decimal("6.2340000".parse().expect("a number"));
    let parameters = || {
        vec![
            output("@d", decimal, number.clone()),
            output("@b", DataType::BigInt, Value::Null),
            output("@t", short, Value::Text("ab".to_owned())),
        ]
    };
    let seen = call(&mut session, "p", parameters());
    assert_eq!(seen.returned, [decimal, DataType::BigInt, short], "{}", seen.text);
    // A variable of the client takes as many characters as it has room for.
    assert!(seen.text.ends_with("@d = 6.2340000\n@b = 1\n@t = 'abcd'\n"), "{}", seen.text);

    let mut parameters = parameters();
    parameters.splice(
        0..0,
        [input("SET @b = 0; SET @t = N'xyz'"), input("@d DECIMAL(9, 2) OUTPUT, @b BIT OUTPUT, @t NVARCHAR(20) OUTPUT")],
    );
    let seen = call(&mut session, "sp_executesql", parameters);
    assert_eq!(seen.returned, [decimal, DataType::BigInt, short], "{}", seen.text);
    assert!(seen.text.ends_with("@d = 6.2300000\n@b = 0\n@t = 'xyz'\n"), "{}", seen.text);
}

#[test]
fn an_output_value_that_the_type_of_the_client_does_not_hold_is_an_error() {
    let mut session = instance().session();
    batch(&mut session, "CREATE PROCEDURE p @a INT OUTPUT, @b INT OUTPUT AS SELECT @a = 300, @b = 7");
    let seen = call(
        &mut session,
        "p",
        vec![output("@a", DataType::TinyInt, Value::Null), output("@b", DataType::Int, Value::Null)],
    );
    assert_eq!(seen.errors.iter().map(|error| error.number).collect::<Vec<_>>(), [220], "{}", seen.text);
    assert!(seen.text.ends_with("@b = 7\n"), "{}", seen.text);
}

#[test]
fn a_call_that_does_not_run_has_no_end_but_its_own() {
    let mut session = instance().session();
    batch(&mut session, "CREATE PROCEDURE p @a INT AS SELECT @a");
    let refused = [
        ("nothing", vec![], 2812),
        ("p", vec![output("@other", DataType::Int, Value::Null)], 8145),
        ("sp_execute", vec![output("", DataType::Int, Value::Integer(99))], 8179),
    ];
    for (procedure, parameters, number) in refused {
        let seen = call(&mut session, procedure, parameters);
        assert_eq!(seen.errors.iter().map(|error| error.number).collect::<Vec<_>>(), [number], "{procedure}");
        assert!(seen.ends.is_empty(), "{procedure}: {:?}", seen.ends);
    }
}

#[test]
fn connections_show_their_encryption_and_address() {
    let instance = instance();
    let client = Client {
        session_id: 51,
        address: "10.0.0.7".to_owned(),
        encrypted: true,
        read_only: false,
        protocol_version: 0x7400_0004,
    };
    for database in ["", "test", "master", "msdb", "model", "tempdb"] {
        let login = Login { database: database.to_owned(), ..login() };
        let mut session = instance.log_in(&login, &client).expect("a login");
        let seen = batch(
            &mut session,
            "SELECT encrypt_option, client_net_address, protocol_version FROM sys.dm_exec_connections WHERE session_id = @@SPID
             SELECT CONNECTIONPROPERTY('client_net_address') AS a",
        );
        assert!(
            seen.contains("\nTRUE | 10.0.0.7 | 1946157060\n") && seen.contains("\n10.0.0.7\n(1 rows)\n"),
            "{database}: {seen}"
        );
    }
    let login = Login { database: "nowhere".to_owned(), ..login() };
    assert_eq!(instance.log_in(&login, &client).map(drop).map_err(|message| message.number), Err(4060));
}
