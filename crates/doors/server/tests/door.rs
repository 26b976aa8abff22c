//! The TDS door, through bare packets: logins, requests, attentions, resets, bulk loads, and the ends of connections.

mod common;

use common::{Wire, ends, errors, eventually, rows, start};
use mainstay_tds::client::DataType;
use mainstay_tds::client::{Token, put_bulk, put_calls};
use mainstay_tds::{
    Begin, Call, Collation, Column, Encryption, Feature, Headers, Isolation, Login, PacketKind, PacketStatus,
    Parameter, ParameterValue, TransactionRequest, Version,
};
use mainstay_types::Value;
use std::io::Write;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

#[test]
fn a_login_says_what_clients_wait_for() {
    let running = start("");
    let mut wire = Wire::connect(running.address);
    let said = wire.pre_login(Encryption::NotSupported);
    assert_eq!((said.encryption, said.mars, said.federated), (Encryption::NotSupported, false, Some(false)));
    let mut login = Login::of("SA", "", Version::V7_4);
    login.packet_size = 8000;
    login.features = Some(vec![Feature { id: 1, data: vec![] }, Feature { id: Feature::UTF8, data: vec![] }]);
    let tokens = wire.log_in(&login);
    assert!(matches!(&tokens[5], Token::LoginAck { interface: 1, version: [0x74, 0, 0, 4], program, .. }
        if program == "Microsoft SQL Server"));
    assert_eq!(tokens[0].change(), Some((1, "shop".into())));
    assert_eq!(tokens[6], Token::FeatureAck(vec![Feature { id: Feature::UTF8, data: vec![1] }]));
    assert_eq!(tokens[7].change(), Some((4, "8000".into())));
    assert_eq!(ends(&tokens), [(0xFD, 0, 0)]);
    assert_eq!(rows(&wire.batch("SELECT 1")), [[Value::Integer(1)]]);
    assert!(
        running
            .log
            .text()
            .contains("event=login door=tds connection=1 session=51 user=SA database=shop application=test")
    );
}

#[test]
fn old_clients_begin_with_their_login() {
    let running = start("");
    let mut wire = Wire::connect(running.address);
    let tokens = wire.log_in(&Login::of("sa", "", Version::V7_1));
    assert!(tokens.iter().any(|token| matches!(token, Token::LoginAck { version: [0x71, 0, 0, 1], .. })));
    assert_eq!(rows(&wire.batch("SELECT 1")), [[Value::Integer(1)]]);
}

#[test]
fn logins_that_are_refused_say_why() {
    let running = start("");
    let refused = |login: &Login| {
        let mut wire = Wire::connect(running.address);
        wire.pre_login(Encryption::NotSupported);
        let tokens = wire.log_in(login);
        assert!(wire.receive().is_none());
        errors(&tokens)
    };
    assert_eq!(refused(&Login::of("sa", "guess", Version::V7_4)), [(18_456, 14)]);
    assert_eq!(refused(&Login::of("root", "", Version::V7_4)), [(18_456, 14)]);
    let nowhere = Login { database: "nowhere".into(), ..Login::of("sa", "", Version::V7_4) };
    assert_eq!(refused(&nowhere), [(4060, 11), (18_456, 14)]);
    let integrated = Login { integrated: true, ..Login::of("", "", Version::V7_4) };
    assert_eq!(refused(&integrated), [(18_452, 14)]);
    assert!(running.log.text().contains("event=login_failed door=tds user=root address=127.0.0.1"));
    eventually("sessions end", || running.backend.sessions.load(SeqCst) == 0);
}

#[test]
fn results_errors_and_counts_come_as_they_were_said() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    let tokens = wire.batch("two results");
    assert_eq!(rows(&tokens).len(), 2);
    assert_eq!(ends(&tokens), [(0xFD, 0x11, 1), (0xFD, 0x10, 1)]);
    let tokens = wire.batch("fail");
    let Token::Message(message) = &tokens[0] else { panic!("{tokens:?}") };
    assert_eq!((message.number, message.state, message.line), (50_001, 3, 7));
    assert_eq!(message.procedure.as_deref(), Some("scripted"));
    assert_eq!(ends(&tokens), [(0xFD, 0x02, 0)]);
    let tokens = wire.batch("use [other]");
    assert_eq!(tokens[0].change(), Some((1, "other".into())));
    assert!(matches!(&tokens[1], Token::Message(message) if message.number == 5701));
    // More than is sent at a time.
    let tokens = wire.batch("rows 20000");
    assert_eq!((rows(&tokens).len(), ends(&tokens)), (20_000, vec![(0xFD, 0x10, 20_000)]));
}

fn parameter(name: &str, data_type: DataType, output: bool, value: Value) -> Parameter {
    Parameter {
        name: name.into(),
        output,
        default: false,
        data_type,
        collation: Collation::DEFAULT,
        value: ParameterValue::Single(value),
    }
}

fn call(procedure: &str, parameters: Vec<Parameter>) -> Call {
    Call { procedure: procedure.into(), recompile: false, no_metadata: false, parameters }
}

#[test]
fn calls_end_with_status_values_and_an_end_each() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    let calls = [
        call("dbo.p", vec![parameter("@a", DataType::Int, true, Value::Integer(21))]),
        call("nothing", Vec::new()),
        call("dbo.fail", Vec::new()),
    ];
    wire.out.set_kind(PacketKind::Rpc);
    put_calls(&calls, Headers::default(), wire.version, &mut wire.out).unwrap();
    wire.out.end_message();
    let bytes = wire.out.take();
    wire.stream.write_all(&bytes).unwrap();
    let tokens = wire.tokens();
    let rest: Vec<_> = tokens.iter().filter(|token| !matches!(token, Token::Columns(_) | Token::Message(_))).collect();
    let expected = [
        Token::Row(vec![Value::Integer(21)]),
        Token::Done(0xFF, 0x11, 0xC1, 1),
        Token::ReturnStatus(42),
        Token::ReturnValue(0, "@a".into(), DataType::Int, Value::Integer(42)),
        Token::Done(0xFE, 0x01, 0xE0, 0),
        Token::ReturnStatus(42),
        Token::Done(0xFE, 0x01, 0xE0, 0),
        Token::Done(0xFF, 0x03, 0, 0),
        Token::Done(0xFE, 0x02, 0xE0, 0),
    ];
    assert_eq!(rest, expected.iter().collect::<Vec<_>>());
}

/// SQL Server's limit of a request, and the message of it; the connection goes on.
#[test]
fn a_call_of_too_many_parameters_is_refused_by_its_number() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    let one = || parameter("@a", DataType::Int, false, Value::Integer(1));
    let calls = [call("dbo.p", std::iter::repeat_with(one).take(2101).collect())];
    wire.out.set_kind(PacketKind::Rpc);
    put_calls(&calls, Headers::default(), wire.version, &mut wire.out).unwrap();
    wire.out.end_message();
    let bytes = wire.out.take();
    wire.stream.write_all(&bytes).unwrap();
    assert_eq!(errors(&wire.tokens()), [(8003, 16)]);
    assert_eq!(rows(&wire.batch("SELECT 9")), [[Value::Integer(9)]]);
}

#[test]
fn transactions_are_begun_and_ended_by_requests() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    let begin = Begin { isolation: Isolation::ReadCommitted, name: String::new() };
    let tokens = wire.transaction(&TransactionRequest::Begin(begin.clone()));
    assert_eq!(tokens[0], Token::Change(8, 1u64.to_le_bytes().to_vec(), vec![]));
    // Every end says that a transaction is open.
    assert_eq!(ends(&tokens), [(0xFD, 0x04, 0)]);
    let tokens = wire.transaction(&TransactionRequest::Commit { name: String::new(), then: Some(begin) });
    let changes: Vec<_> = tokens.iter().filter(|token| matches!(token, Token::Change(..))).collect();
    assert_eq!(changes[0], &Token::Change(9, vec![], 1u64.to_le_bytes().to_vec()));
    assert_eq!(changes[1], &Token::Change(8, 2u64.to_le_bytes().to_vec(), vec![]));
    let tokens = wire.transaction(&TransactionRequest::Rollback { name: String::new(), then: None });
    assert_eq!(tokens[0], Token::Change(10, vec![], 2u64.to_le_bytes().to_vec()));
    assert_eq!(ends(&tokens), [(0xFD, 0, 0)]);
}

#[test]
fn an_attention_stops_what_runs_and_is_acknowledged_once() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    wire.send_batch("sleep 30");
    std::thread::sleep(Duration::from_millis(50));
    let began = Instant::now();
    wire.attention();
    assert_eq!(ends(&wire.tokens()), [(0xFD, 0x02, 0)]);
    assert_eq!(ends(&wire.tokens()), [(0xFD, 0x20, 0)]);
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    assert_eq!(rows(&wire.batch("SELECT 2")), [[Value::Integer(2)]]);

    // One that comes when all was said.
    wire.attention();
    assert_eq!(ends(&wire.tokens()), [(0xFD, 0x20, 0)]);

    // One in the middle of rows: what was said stays said, and the session goes on.
    wire.send_batch("rows 3000000");
    wire.attention();
    let tokens = wire.tokens();
    assert!(rows(&tokens).len() < 3_000_000);
    assert_eq!(ends(&tokens), [(0xFD, 0x02, 0)]);
    assert_eq!(ends(&wire.tokens()), [(0xFD, 0x20, 0)]);
    assert_eq!(rows(&wire.batch("SELECT 3")), [[Value::Integer(3)]]);
}

/// A killed session is dropped with its transaction, idle or not; a running statement gets the reason as its error.
#[test]
fn a_killed_session_ends_with_its_connection() {
    let running = start("");
    let mut killer = Wire::logged_in(running.address);
    let victim = || {
        let mut wire = Wire::logged_in(running.address);
        let number = match rows(&wire.batch("SELECT @@SPID")).as_slice() {
            [row] => row[0].to_string(),
            other => panic!("{other:?}"),
        };
        wire.batch("BEGIN TRAN");
        (wire, number)
    };
    let rolled_back = |count| eventually("a rollback", || running.backend.rolled_back.load(SeqCst) == count);
    let (_idle, number) = victim();
    killer.batch(&format!("KILL {number}"));
    rolled_back(1);

    let (mut busy, number) = victim();
    busy.send_batch("sleep 30");
    std::thread::sleep(Duration::from_millis(50));
    killer.batch(&format!("KILL {number}"));
    assert_eq!(errors(&busy.tokens()), [(596, 21)]);
    rolled_back(2);
}

#[test]
fn attentions_at_any_moment_are_acknowledged_once() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    for i in 0..40 {
        wire.send_batch("sleep 0.03");
        std::thread::sleep(Duration::from_millis(i));
        wire.attention();
        let mut acknowledged = 0;
        while acknowledged == 0 {
            acknowledged = ends(&wire.tokens()).iter().filter(|end| end.1 & 0x20 != 0).count();
        }
        assert_eq!(acknowledged, 1);
    }
    assert_eq!(rows(&wire.batch("SELECT 4")), [[Value::Integer(4)]]);
}

#[test]
fn a_client_that_is_lost_is_rolled_back() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    wire.batch("BEGIN TRAN");
    wire.send_batch("sleep 30");
    std::thread::sleep(Duration::from_millis(50));
    drop(wire);
    eventually("it is rolled back", || running.backend.rolled_back.load(SeqCst) == 1);
    // The number is free again.
    let mut wire = Wire::logged_in(running.address);
    assert_eq!(rows(&wire.batch("SELECT @@SPID")), [[Value::Integer(51)]]);
}

#[test]
fn a_reset_is_done_before_its_request() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    wire.batch("BEGIN TRAN");
    wire.out.set_status(PacketStatus::RESET_KEEP_TRANSACTION);
    let tokens = wire.batch("SELECT 1");
    assert_eq!((&tokens[0], ends(&tokens)), (&Token::Change(18, vec![], vec![]), vec![(0xFD, 0x14, 1)]));
    wire.out.set_status(PacketStatus::RESET);
    let tokens = wire.batch("SELECT 1");
    assert_eq!((&tokens[0], ends(&tokens)), (&Token::Change(18, vec![], vec![]), vec![(0xFD, 0x10, 1)]));
    // The client hears that its transaction is over (MS-TDS 2.2.7.9, ENVCHANGE of type 10); tedious relies on it.
    assert!(matches!(&tokens[1], Token::Change(10, new, old) if new.is_empty() && old.len() == 8), "{:?}", tokens[1]);
    assert_eq!(running.backend.resets.load(SeqCst), 2);
}

#[test]
fn bulk_loads_are_taken_row_by_row() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    wire.batch("INSERT BULK t (n INT, t NVARCHAR(100))");
    let columns = [Column::new("n", DataType::Int), Column::new("t", DataType::Xml)];
    let load: Vec<_> = (0..5000).map(|n| vec![Value::Integer(n), Value::Text("x".repeat(n as usize % 50))]).collect();
    wire.out.set_kind(PacketKind::BulkLoad);
    put_bulk(&columns, &load, wire.version, &mut wire.out).unwrap();
    wire.out.end_message();
    let bytes = wire.out.take();
    wire.stream.write_all(&bytes).unwrap();
    assert_eq!(ends(&wire.tokens()), [(0xFD, 0x10, 5000)]);
    // A malformed load is an error, and the session goes on.
    wire.send_message(PacketKind::BulkLoad, &[1, 2, 3]);
    assert_eq!(errors(&wire.tokens()), [(4804, 16)]);
    assert_eq!(rows(&wire.batch("SELECT loaded")), [[Value::Integer(5000)]]);
}

#[test]
fn a_bulk_load_can_be_taken_back_in_its_middle() {
    let running = start("");
    let mut wire = Wire::logged_in(running.address);
    let columns = [Column::new("n", DataType::Int)];
    let load: Vec<_> = (0..2000).map(|n| vec![Value::Integer(n)]).collect();
    for pause_ms in [0, 100] {
        wire.out.set_kind(PacketKind::BulkLoad);
        put_bulk(&columns, &load, wire.version, &mut wire.out).unwrap();
        wire.out.end_message();
        let bytes = wire.out.take();
        // All but the last packet.
        wire.stream.write_all(&bytes[..4096]).unwrap();
        std::thread::sleep(Duration::from_millis(pause_ms));
        wire.attention();
        // The client has an error of its own to tell, which one of the server would hide.
        let tokens = wire.tokens();
        assert_eq!((errors(&tokens), ends(&tokens)), (vec![], vec![(0xFD, 0x02, 0)]));
        assert_eq!(ends(&wire.tokens()), [(0xFD, 0x20, 0)]);
    }
    assert_eq!(rows(&wire.batch("SELECT loaded")), [[Value::Integer(0)]]);
    // Or by a last packet that says so.
    wire.stream.write_all(&[7, 3, 0, 9, 0, 0, 1, 0, 0x81]).unwrap();
    let tokens = wire.tokens();
    assert_eq!(ends(&tokens), [(0xFD, 0x02, 0)]);
    assert_eq!(rows(&wire.batch("SELECT 9")), [[Value::Integer(9)]]);
}

#[test]
fn what_cannot_be_read_ends_its_own_connection() {
    let running = start("");
    let mut bystander = Wire::logged_in(running.address);
    let mut wire = Wire::logged_in(running.address);
    wire.send_message(PacketKind::Rpc, &[1, 2, 3]);
    assert_eq!(errors(&wire.tokens()), [(4002, 16)]);
    assert!(wire.receive().is_none());
    let mut wire = Wire::logged_in(running.address);
    wire.send_batch("panic");
    assert_eq!(errors(&wire.tokens()), [(50_000, 21)]);
    assert!(wire.receive().is_none());
    let mut wire = Wire::connect(running.address);
    wire.stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
    assert!(wire.receive().is_none());
    assert_eq!(rows(&bystander.batch("SELECT 5")), [[Value::Integer(5)]]);
    eventually("the log says so", || {
        let text = running.log.text();
        text.contains("event=panic") && text.matches("level=warning event=disconnect").count() == 2
    });
    eventually("sessions end", || running.backend.sessions.load(SeqCst) == 1);
}

/// The client gets its error first; then the connection is closed, and other connections go on.
#[test]
fn an_error_of_severity_20_ends_its_connection() {
    let running = start("");
    let address = running.address;
    let (mut wire, mut other) = (Wire::logged_in(address), Wire::logged_in(address));
    let tokens = wire.batch("fatal");
    assert_eq!(errors(&tokens), [(50_002, 20)]);
    // DONE_SRVERROR beside DONE_ERROR (MS-TDS 2.2.7.6).
    assert!(ends(&tokens).iter().any(|end| end.1 & 0x102 == 0x102), "{tokens:?}");
    assert!(wire.receive().is_none());
    assert_eq!(errors(&other.batch("fail")), [(50_001, 16)]);
    assert_eq!(rows(&other.batch("SELECT 5")), [[Value::Integer(5)]]);
}
