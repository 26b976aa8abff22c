//! Messages of real clients: recorded by `tests/clients/record.py`, read here, and compared with earlier readings.
//!
//! A recording has the messages of several connections, as their kind and payload. Beside each lies its decoded form
//! (`.decoded`), one line a message; `UPDATE_RECORDINGS=1` writes it, to be reviewed before it is committed.

mod common;

use common::hex;
use mainstay_tds::{
    Batch, BulkEvent, BulkReader, Call, Login, ParameterValue, PreLogin, TransactionRequest, Version, variant,
};
use std::fmt::Write;

macro_rules! recordings {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("recorded/", $name, ".txt")), include_str!(concat!("recorded/", $name, ".decoded")))),*]
    };
}

const RECORDINGS: [(&str, &str, &str); 9] =
    recordings!["freetds", "pymssql", "pytds", "pyodbc", "mssql_python", "tedious", "go-mssqldb", "mssql-jdbc", "jtds"];

/// A message as a line of text.
fn describe(kind: u8, payload: &[u8], version: &mut Version) -> String {
    match kind {
        18 => {
            let PreLogin { version, encryption, mars, federated, .. } = PreLogin::decode(payload).unwrap();
            format!("prelogin {version:?} encryption={encryption:?} mars={mars} federated={federated:?}")
        }
        16 => {
            let login = Login::decode(payload).unwrap();
            *version = login.version;
            let features: Vec<u8> = login.features.iter().flatten().map(|feature| feature.id).collect();
            assert_eq!((login.user.as_str(), login.password.0.as_str()), ("tester", "Tester-1"));
            let Login { application, library, packet_size, odbc, language, database, .. } = &login;
            format!(
                "login {} packet={packet_size} odbc={odbc} application={application:?} library={library:?} \
                 language={language:?} database={database:?} features={features:?}",
                version.name()
            )
        }
        1 => format!("batch {:?}", Batch::decode(payload, *version).unwrap().text),
        3 => {
            let (headers, calls) = Call::decode(payload, *version).unwrap();
            format!("{} {}", transaction(headers.transaction), calls.iter().map(describe_call).collect::<String>())
        }
        14 => {
            let (headers, request) = TransactionRequest::decode(payload, *version).unwrap();
            format!("{} {request:?}", transaction(headers.transaction))
        }
        7 => describe_load(payload, *version),
        6 => "attention".into(),
        other => panic!("kind {other}"),
    }
}

fn transaction(id: u64) -> &'static str {
    if id == 0 { "outside" } else { "inside a transaction" }
}

fn describe_call(call: &Call) -> String {
    let mut text = format!("call {}", call.procedure);
    for parameter in &call.parameters {
        let output = if parameter.output { " OUTPUT" } else { "" };
        let value = match &parameter.value {
            ParameterValue::Single(value) => value.to_string(),
            ParameterValue::Variant(data_type, value) => {
                format!("{} of {data_type}", variant::decode(value.as_ref()).1)
            }
            ParameterValue::Table(table) => {
                let columns: Vec<String> = table.columns.iter().map(|column| column.data_type.to_string()).collect();
                format!("{}.{} ({}), {} rows", table.schema, table.name, columns.join(", "), table.rows.len())
            }
        };
        let _ = write!(text, " | {} {}{output} {value:?}", parameter.name, parameter.data_type);
    }
    text
}

/// The columns and the first row: only the beginning is recorded.
fn describe_load(payload: &[u8], version: Version) -> String {
    let mut reader = BulkReader::new(version, 1 << 20);
    reader.feed(payload);
    let BulkEvent::Columns(columns) = reader.next_event(false).unwrap() else { panic!("no columns") };
    let names: Vec<String> = columns.iter().map(|column| format!("{} {}", column.name, column.data_type)).collect();
    let row = match reader.next_event(false) {
        Ok(BulkEvent::Row(row)) => row,
        other => return format!("load ({}) {other:?}", names.join(", ")),
    };
    let row: Vec<String> = row.iter().map(|value| value.to_string()).collect();
    format!("load ({}) {}", names.join(", "), row.join(", "))
}

fn decoded(recording: &str) -> String {
    let (mut version, mut text) = (Version::V7_4, String::new());
    for line in recording.lines() {
        match line.split_once(' ') {
            None => text.push_str("connection\n"),
            Some((kind, payload)) => {
                let _ = writeln!(text, "  {}", describe(kind.parse().unwrap(), &hex(payload), &mut version));
            }
        }
    }
    text
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a test that writes its own expectation")]
fn what_real_clients_send_is_read_as_it_was() {
    for (name, recording, expected) in RECORDINGS {
        let decoded = decoded(recording);
        if std::env::var_os("UPDATE_RECORDINGS").is_some() {
            let path = format!("{}/tests/recorded/{name}.decoded", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, &decoded).unwrap();
            continue;
        }
        for (line, (read, before)) in decoded.lines().zip(expected.lines()).enumerate() {
            assert_eq!(read, before, "{name}, line {}", line + 1);
        }
        assert_eq!(decoded.lines().count(), expected.lines().count(), "{name}");
    }
}

#[test]
fn every_beginning_of_a_message_is_refused_or_read() {
    for (_, recording, _) in RECORDINGS {
        let messages = recording.lines().filter_map(|line| line.split_once(' '));
        for (kind, payload) in messages.map(|(kind, payload)| (kind, hex(payload))) {
            for end in (0..payload.len()).step_by(3) {
                let piece = &payload[..end];
                match kind {
                    "18" => drop(PreLogin::decode(piece)),
                    "16" => assert!(Login::decode(piece).is_err()),
                    "3" => drop(Call::decode(piece, Version::V7_4)),
                    "14" => drop(TransactionRequest::decode(piece, Version::V7_4)),
                    _ => {}
                }
            }
        }
    }
}
