//! Smart large objects and insert cursors of a session, against replies that are written out here.

use mainstay_informix_driver::{BoundRow, Codeset, Execute, Fault, Session, Settings, Statement};
use mainstay_sqli::{
    ConnectReply, ConnectRequest, Context, Decoded, Description, Failure, Features, Field, LobAccess, Mask, Outcome,
    Reply, Request, RoutineValue, SMART_LOB_BYTES, StatementType, TypeCode, TypeDescription, tag,
};
use mainstay_types::Value;

fn context() -> Context {
    let mask = Mask::new(&Mask::CLIENT).and(&Mask::new(&Mask::SERVER));
    Context { features: Features::of(&mask), codeset: Codeset::Utf8 }
}

fn group(replies: &[Reply]) -> Vec<u8> {
    let mut out = Vec::new();
    replies.iter().chain([&Reply::EndOfGroup]).for_each(|reply| reply.encode(&mut out, &context()));
    out
}

fn done(rows: u64) -> Reply {
    Reply::Done { warnings: 0, rows, row_id: 0, serial: 0 }
}

fn sent(session: &mut Session) -> Vec<Request> {
    let bytes = session.take_output();
    let (mut left, mut all) = (bytes.as_slice(), Vec::new());
    while !left.is_empty() {
        match Request::decode(left, &context(), usize::MAX).unwrap() {
            Decoded::Message(request, used) => {
                all.push(request);
                left = &left[used..];
            }
            Decoded::Incomplete => panic!("a request is cut"),
        }
    }
    all
}

fn tags(session: &mut Session) -> Vec<u16> {
    sent(session).iter().map(Request::tag).collect()
}

fn connected() -> Session {
    let environment = vec![("CLIENT_LOCALE".to_owned(), "en_US.utf8".to_owned())];
    let login = ConnectRequest { user: "u".into(), environment, ..ConnectRequest::default() };
    let mut session = Session::new(Settings {
        login,
        database: String::new(),
        is_exclusive: false,
        autocommit: true,
        fetch_bytes: 4096,
        statements: 2,
    });
    let (version, serial, server) = ("X Version 14.10".into(), String::new(), String::new());
    session.receive(&ConnectReply { version, serial, server, outcome: Outcome::Accepted }.encode());
    session.receive(&group(&[Reply::Protocols(Mask::new(&Mask::SERVER))]));
    session.receive(&group(&[]));
    session.take_output();
    session
}

fn execute(text: &str, parameters: u16) -> Execute {
    Execute {
        text: text.into(),
        verb: Statement::read(text).verb,
        rows: vec![BoundRow::default()],
        parameters,
        is_scrolling: false,
        is_held: false,
        is_for_update: false,
        keeps_locators: false,
        takes_rows: false,
        name: None,
    }
}

fn described(statement: StatementType, kinds: Vec<TypeDescription>) -> Reply {
    let field = |kind| Field { name: "c".into(), kind };
    Reply::Described(Description { statement, id: 3, cost: 1, fields: kinds.into_iter().map(field).collect() })
}

fn blob() -> TypeDescription {
    TypeDescription::named(TypeCode::OPAQUE, 10, "blob", SMART_LOB_BYTES as u32)
}

/// A row with a locator that is filled with a byte.
fn row(mark: u8) -> Reply {
    let mut bytes = vec![0, 0, 0, 0, SMART_LOB_BYTES as u8];
    bytes.extend([mark; SMART_LOB_BYTES]);
    Reply::Row { warnings: 0, bytes }
}

fn number(number: u32) -> Reply {
    Reply::RoutineNumber { database: "d".into(), number }
}

#[test]
fn values_of_locators_come_with_their_rows() {
    let mut session = connected();
    session.start_execute(1, execute("select c from t", 0));
    session.receive(&group(&[described(StatementType::SELECT, vec![blob()]), done(0)]));
    session.take_output();
    session.start_fetch(1);
    session.receive(&group(&[row(7), row(8), done(2)]));
    // Nobody knows the number of the routine yet; both values wait for it.
    assert!(!session.is_done());
    let asked = sent(&mut session);
    assert!(
        matches!(&asked[..], [.., Request::GetRoutine(text), Request::EndOfGroup] if text.contains("ifx_lo_open")),
        "{asked:?}"
    );
    session.receive(&group(&[number(5)]));
    let call = [tag::EXFPROUTINE, tag::BIND, tag::EOT];
    assert_eq!(tags(&mut session), [call, call].concat());
    session.receive(&group(&[RoutineValue::Integer(0)].map(|value| Reply::RoutineValues(vec![value]))));
    session.receive(&group(&[RoutineValue::Integer(1)].map(|value| Reply::RoutineValues(vec![value]))));
    let reads = sent(&mut session);
    let piece = match &reads[0] {
        Request::SmartLob(LobAccess::Read { descriptor: 0, bytes }) => *bytes as usize,
        other => panic!("{other:?}"),
    };
    // A whole piece: more may follow.
    session.receive(&group(&[Reply::SmartLob(vec![1; piece])]));
    assert_eq!(tags(&mut session), [tag::LODATA, tag::EOT]);
    session.receive(&group(&[Reply::SmartLob(b"short".to_vec())]));
    session.receive(&group(&[Reply::SmartLob(b"!".to_vec())]));
    assert!(session.is_done() && session.take_fault().is_none());
    let block = session.take_rows(1);
    assert_eq!(block.lobs.iter().map(Vec::len).collect::<Vec<_>>(), [piece + 1, 5]);
    // The values are closed in passing.
    session.receive(&group(&[number(6)]));
    assert!(session.is_done());
    assert!(tags(&mut session).ends_with(&[call, call].concat()));
}

#[test]
fn a_value_that_is_gone_is_an_error_of_the_fetch() {
    let mut session = connected();
    session.start_execute(1, execute("select c from t", 0));
    session.receive(&group(&[described(StatementType::SELECT, vec![blob()]), done(0)]));
    session.receive(&group(&[row(7), done(1)]));
    session.receive(&group(&[number(5)]));
    session.receive(&group(&[Reply::Failed(Failure { code: -12053, ..Failure::default() })]));
    assert!(session.is_done());
    assert!(matches!(session.take_fault(), Some(Fault::Server(failure)) if failure.code == -12053));
    session.start_ping();
    session.receive(&group(&[]));
    assert!(session.is_done() && session.take_fault().is_none());
}

#[test]
fn a_routine_without_values_is_no_crash() {
    let mut session = connected();
    session.lobs().start_create();
    session.receive(&group(&[]));
    assert!(session.is_done() && matches!(session.take_fault(), Some(Fault::Usage(_))));
    session.lobs().start_create();
    session.receive(&group(&[number(1)]));
    session.receive(&group(&[Reply::RoutineValues(Vec::new())]));
    assert!(session.is_done() && matches!(session.take_fault(), Some(Fault::Usage(_))));
}

fn inserting(session: &mut Session) {
    session.start_insert_cursor(1, execute("insert into t values (?, ?)", 2));
    let columns = vec![TypeDescription::new(TypeCode::INTEGER, 4), TypeDescription::new(TypeCode::VARCHAR, 20)];
    session.receive(&group(&[described(StatementType::INSERT, columns), done(0)]));
    session.receive(&group(&[]));
    assert!(session.is_done() && session.take_fault().is_none());
}

#[test]
fn rows_of_an_insert_cursor_are_one_group() {
    let mut session = connected();
    inserting(&mut session);
    let prepare = [tag::PREPARE, tag::NDESCRIBE, tag::WANTDONE, tag::EOT];
    let open = [tag::ID, tag::CURNAME, tag::OPEN, tag::RETTYPE, tag::EOT];
    assert_eq!(tags(&mut session), [&prepare[..], &open].concat());
    for number in 0..3 {
        session.collect_row(1, &[Value::Integer(number), Value::Text(format!("x{number}"))]).unwrap();
    }
    assert!(session.collect_row(1, &[Value::Null]).is_err());
    session.start_put(1);
    assert_eq!(tags(&mut session), [tag::ID, tag::PUT, tag::PUT, tag::PUT, tag::EOT]);
    session.receive(&group(&[done(1), done(1), Reply::Failed(Failure { code: -268, ..Failure::default() })]));
    assert!(session.is_done());
    assert_eq!((session.outcome().changed, session.outcome().executions), (2, 2));
    assert!(matches!(session.take_fault(), Some(Fault::Server(failure)) if failure.code == -268));
    session.start_put(1);
    assert!(session.is_done() && session.take_fault().is_none() && session.take_output().is_empty());
}

#[test]
fn statements_without_described_columns_take_no_rows() {
    let mut session = connected();
    session.start_insert_cursor(1, execute("insert into t values (?)", 1));
    session.receive(&group(&[described(StatementType::INSERT, Vec::new()), done(0)]));
    assert!(session.is_done() && matches!(session.take_fault(), Some(Fault::Usage(_))));
    assert!(session.collect_row(1, &[Value::Null]).is_err());
}
