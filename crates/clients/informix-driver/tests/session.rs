//! The state machine of a session, against replies that are written out here.

use mainstay_informix_driver::{
    Binder, BoundRow, Cell, Codeset, Execute, Fault, Scrolling, Session, Settings, Statement, read_cell,
};
use mainstay_sqli::{
    ConnectReply, ConnectRequest, Context, Decoded, Description, Failure, Features, Field, Mask, Outcome, Reply,
    Request, StatementType, TypeCode, TypeDescription, tag,
};
use mainstay_types::Value;

fn settings(autocommit: bool) -> Settings {
    let environment = vec![("CLIENT_LOCALE".to_owned(), "en_US.utf8".to_owned())];
    let login = ConnectRequest { user: "u".into(), environment, ..ConnectRequest::default() };
    Settings { login, database: "d".into(), is_exclusive: false, autocommit, fetch_bytes: 4096, statements: 2 }
}

fn context() -> Context {
    let mask = Mask::new(&Mask::CLIENT).and(&Mask::new(&Mask::SERVER));
    Context { features: Features::of(&mask), codeset: Codeset::Utf8 }
}

/// The replies of a group.
fn group(replies: &[Reply]) -> Vec<u8> {
    let mut out = Vec::new();
    replies.iter().chain([&Reply::EndOfGroup]).for_each(|reply| reply.encode(&mut out, &context()));
    out
}

fn done(rows: u64, serial: i32) -> Reply {
    Reply::Done { warnings: 0, rows, row_id: 0, serial }
}

fn failed(code: i16) -> Reply {
    Reply::Failed(Failure { code, ..Failure::default() })
}

fn described(id: u16, statement: StatementType, columns: &[TypeCode]) -> Reply {
    let field = |code: &TypeCode| Field { name: "c".into(), kind: TypeDescription::new(*code, 4) };
    Reply::Described(Description { statement, id, cost: 1, fields: columns.iter().map(field).collect() })
}

fn row(number: i32) -> Reply {
    Reply::Row { warnings: 0, bytes: number.to_be_bytes().to_vec() }
}

fn login_reply() -> Vec<u8> {
    let (version, serial, server) = ("X Version 14.10".into(), String::new(), String::new());
    ConnectReply { version, serial, server, outcome: Outcome::Accepted }.encode()
}

/// The requests that are waiting to be sent.
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

fn connected(autocommit: bool) -> Session {
    let mut session = Session::new(settings(autocommit));
    assert!(!session.is_done());
    session.take_output();
    session.receive(&login_reply());
    assert_eq!(tags(&mut session), [tag::PROTOCOLS, tag::EOT, tag::INFO, tag::EOT, tag::DBOPEN, tag::EOT]);
    session.receive(&group(&[Reply::Protocols(Mask::new(&Mask::SERVER))]));
    session.receive(&group(&[]));
    assert!(!session.is_done());
    let opened = Reply::Done { warnings: 5, rows: 0, row_id: 0, serial: 0 };
    session.receive(&group(&[opened, Reply::Cost { rows: 1, cost: 1 }]));
    assert!(session.is_done() && session.has_transactions() && session.take_fault().is_none());
    session
}

fn execute(text: &str, rows: Vec<BoundRow>, parameters: u16) -> Execute {
    let verb = Statement::read(text).verb;
    let (is_scrolling, is_held, is_for_update, name) = (false, false, false, None);
    let (keeps_locators, takes_rows) = (false, false);
    Execute {
        text: text.into(),
        verb,
        rows,
        parameters,
        is_scrolling,
        is_held,
        is_for_update,
        keeps_locators,
        takes_rows,
        name,
    }
}

fn bound(number: i64) -> BoundRow {
    let mut binder = Binder::new(Codeset::Utf8);
    binder.value(Value::Integer(number)).unwrap();
    binder.finish().unwrap()
}

fn numbers(session: &mut Session, cursor: u32) -> Vec<i64> {
    let layout = session.layout(cursor).unwrap();
    let block = session.take_rows(cursor);
    let number = |place| match read_cell(layout.columns[0].kind, &mut block.row(place).unwrap()) {
        Ok(Cell::Integer(number)) => number,
        other => panic!("{other:?}"),
    };
    (0..block.len()).map(number).collect()
}

const SELECT: StatementType = StatementType::SELECT;
const INTEGER: &[TypeCode] = &[TypeCode::INTEGER];

/// Opens a cursor of a query and sends its first rows.
fn queried(session: &mut Session, cursor: u32, id: u16, rows: &[i32]) {
    session.start_execute(cursor, execute("select c from t", vec![BoundRow::default()], 0));
    session.receive(&group(&[described(id, SELECT, INTEGER), done(0, 0)]));
    session.receive(&group(&rows.iter().map(|number| row(*number)).collect::<Vec<_>>()));
    assert!(session.is_done());
}

#[test]
fn a_query_fetches_ahead_and_ends_with_a_fetch_without_rows() {
    let mut session = connected(true);
    session.start_execute(1, execute("select c from t", vec![BoundRow::default()], 0));
    assert_eq!(tags(&mut session), [tag::PREPARE, tag::NDESCRIBE, tag::WANTDONE, tag::EOT]);
    session.receive(&group(&[described(7, SELECT, INTEGER), done(0, 0)]));
    let open = [tag::ID, tag::CURNAME, tag::OPEN, tag::ID, tag::NFETCH, tag::EOT, tag::ID, tag::NFETCH, tag::EOT];
    assert_eq!(tags(&mut session), open);
    session.receive(&group(&[row(1), row(2), done(2, 0)]));
    assert!(session.is_done() && session.outcome().has_rows);
    assert_eq!(numbers(&mut session, 1), [1, 2]);
    // The rows that were fetched ahead come later, and one more fetch is sent.
    session.start_fetch(1);
    assert_eq!(tags(&mut session), [tag::ID, tag::NFETCH, tag::EOT]);
    session.receive(&group(&[row(3)]));
    assert!(session.is_done() && !session.is_ended(1));
    assert_eq!(numbers(&mut session, 1), [3]);
    session.start_fetch(1);
    session.take_output();
    session.receive(&group(&[done(3, 0)]));
    assert!(session.is_done() && session.is_ended(1) && numbers(&mut session, 1).is_empty());
    // Nothing is sent for a cursor that has ended; closing it waits for the next operation, which needs no PREPARE.
    session.start_fetch(1);
    assert!(session.is_done() && !session.has_output());
    session.receive(&group(&[done(3, 0)]));
    session.start_execute(1, execute("select c from t", vec![BoundRow::default()], 0));
    assert_eq!(tags(&mut session)[..6], [tag::ID, tag::CLOSE, tag::EOT, tag::ID, tag::CURNAME, tag::OPEN]);
}

#[test]
fn rows_of_an_earlier_cursor_are_not_those_of_the_next() {
    let mut session = connected(true);
    queried(&mut session, 1, 0, &[1]);
    session.start_execute(1, execute("select c from t", vec![BoundRow::default()], 0));
    let late = [group(&[row(99)]), group(&[]), group(&[row(5)])].concat();
    session.receive(&late);
    assert!(session.is_done());
    assert_eq!(numbers(&mut session, 1), [5]);
}

#[test]
fn the_error_of_a_fetch_ahead_waits_for_its_rows() {
    let mut session = connected(true);
    queried(&mut session, 1, 0, &[1]);
    session.start_ping();
    session.receive(&[group(&[failed(-1202)]), group(&[])].concat());
    assert!(session.is_done() && session.take_fault().is_none());
    session.start_fetch(1);
    assert!(session.is_done() && session.take_fault().is_none());
    assert_eq!(numbers(&mut session, 1), [1]);
    session.start_fetch(1);
    assert!(matches!(session.take_fault(), Some(Fault::Server(failure)) if failure.code == -1202));
    session.start_fetch(1);
    assert!(session.is_done() && session.take_fault().is_none() && session.is_ended(1));
}

#[test]
fn a_transaction_begins_before_the_first_statement() {
    let mut session = connected(false);
    let insert = "insert into t values (?)";
    session.start_execute(1, execute(insert, vec![bound(1)], 1));
    assert_eq!(tags(&mut session), [tag::BEGIN, tag::EOT, tag::PREPARE, tag::NDESCRIBE, tag::WANTDONE, tag::EOT]);
    session.receive(&group(&[done(0, 0)]));
    session.receive(&group(&[described(3, StatementType::INSERT, INTEGER), done(0, 0)]));
    assert_eq!(tags(&mut session), [tag::ID, tag::BIND, tag::EXECUTE, tag::EOT]);
    session.receive(&group(&[done(1, 42), Reply::Cost { rows: 1, cost: 1 }]));
    assert!(session.is_done() && session.is_in_transaction());
    assert_eq!((session.outcome().changed, session.outcome().serial), (1, Some(42)));
    session.start_commit();
    assert_eq!(tags(&mut session), [tag::CMMTWORK, tag::EOT]);
    session.receive(&group(&[done(0, 0)]));
    assert!(session.is_done() && !session.is_in_transaction());
    // A statement that is prepared waits for BEGIN: it must not run outside of the transaction.
    session.start_execute(1, execute(insert, vec![bound(1)], 1));
    assert_eq!(tags(&mut session), [tag::BEGIN, tag::EOT]);
    session.receive(&group(&[failed(-271)]));
    assert!(session.is_done() && !session.has_output());
    assert!(matches!(session.take_fault(), Some(Fault::Server(failure)) if failure.code == -271));
}

/// Runs the query in a transaction of its own up to its first row.
fn queried_in_transaction(session: &mut Session) {
    session.start_execute(1, execute("select c from t", vec![BoundRow::default()], 0));
    session.receive(&group(&[done(0, 0)]));
    session.receive(&group(&[described(4, SELECT, INTEGER), done(0, 0)]));
    session.receive(&[group(&[row(1)]), group(&[done(1, 0)])].concat());
    assert!(session.is_done() && session.is_in_transaction() && session.take_fault().is_none());
    session.take_output();
}

const BEGIN_AND_OPEN: [u16; 11] = [
    tag::BEGIN,
    tag::EOT,
    tag::ID,
    tag::CURNAME,
    tag::OPEN,
    tag::ID,
    tag::NFETCH,
    tag::EOT,
    tag::ID,
    tag::NFETCH,
    tag::EOT,
];

#[test]
fn a_query_that_is_prepared_is_opened_along_with_begin() {
    let mut session = connected(false);
    queried_in_transaction(&mut session);
    session.start_commit();
    session.receive(&group(&[done(0, 0)]));
    session.take_output();
    let again = |session: &mut Session| {
        session.start_execute(1, execute("select c from t", vec![BoundRow::default()], 0));
        assert_eq!(tags(session), BEGIN_AND_OPEN);
    };
    again(&mut session);
    session.receive(&group(&[done(0, 0)]));
    assert!(!session.is_done() && session.is_in_transaction() && !session.has_output());
    session.receive(&group(&[row(2)]));
    assert!(session.is_done() && session.take_fault().is_none());
    assert_eq!(numbers(&mut session, 1), [2]);
    session.receive(&group(&[]));
    session.start_commit();
    session.receive(&group(&[done(0, 0)]));
    session.take_output();
    // Without the transaction there is no cursor: the one that was opened is closed.
    again(&mut session);
    session.receive(&[group(&[failed(-271)]), group(&[row(2)]), group(&[])].concat());
    assert!(session.is_done() && !session.is_in_transaction() && session.layout(1).is_none());
    assert!(matches!(session.take_fault(), Some(Fault::Server(failure)) if failure.code == -271));
    assert_eq!(tags(&mut session), [tag::ID, tag::CLOSE, tag::EOT]);
}

#[test]
fn the_rollback_of_a_transaction_that_has_only_read_is_not_waited_for() {
    let mut session = connected(false);
    queried_in_transaction(&mut session);
    session.start_abandon();
    assert!(session.is_done() && !session.is_in_transaction() && session.is_ended(1));
    assert_eq!(tags(&mut session), [tag::RBWORK, tag::EOT]);
    // Its answer comes with those of the next statement.
    session.start_execute(1, execute("select c from t", vec![BoundRow::default()], 0));
    assert_eq!(tags(&mut session), BEGIN_AND_OPEN);
    session.receive(&group(&[done(0, 0)]));
    assert!(!session.is_done() && !session.is_in_transaction());
    session.receive(&[group(&[done(0, 0)]), group(&[row(5)])].concat());
    assert!(session.is_done() && session.is_in_transaction() && session.take_fault().is_none());
    assert_eq!(numbers(&mut session, 1), [5]);
    session.receive(&group(&[]));
    // An operation inside a transaction that could not be rolled back fails.
    session.start_abandon();
    session.start_ping();
    session.receive(&[group(&[failed(-255)]), group(&[])].concat());
    assert!(session.is_done() && session.is_in_transaction());
    assert!(matches!(session.take_fault(), Some(Fault::Server(failure)) if failure.code == -255));
}

#[test]
fn changes_and_locks_are_rolled_back_before_the_connection_is_lent_again() {
    let waits = |before: &[&str]| {
        let mut session = connected(false);
        for text in before {
            session.start_execute(2, execute(text, vec![BoundRow::default()], 0));
            while !session.is_done() {
                session.receive(&group(&[done(1, 0)]));
            }
        }
        match session.is_in_transaction() {
            true => {
                session.start_execute(1, execute("select c from t", vec![BoundRow::default()], 0));
                session.receive(&group(&[described(4, SELECT, INTEGER), done(0, 0)]));
                session.receive(&[group(&[row(1)]), group(&[done(1, 0)])].concat());
            }
            false => queried_in_transaction(&mut session),
        }
        session.start_abandon();
        !session.is_done()
    };
    assert!(waits(&["insert into t values (1)"]));
    assert!(waits(&["set isolation to repeatable read"]));
    assert!(!waits(&["Set lock mode to wait 3"]));
    assert!(!waits(&[]));
}

#[test]
fn the_transactions_of_an_ansi_database_begin_by_themselves() {
    let mut session = Session::new(settings(false));
    session.receive(&login_reply());
    session.receive(&group(&[Reply::Protocols(Mask::new(&Mask::SERVER))]));
    session.receive(&group(&[]));
    session.receive(&group(&[Reply::Done { warnings: 7, rows: 0, row_id: 0, serial: 0 }]));
    session.take_output();
    session.start_commit();
    assert!(session.is_done() && !session.has_output());
    session.start_execute(1, execute("delete from t", vec![BoundRow::default()], 0));
    assert_eq!(tags(&mut session), [tag::COMMAND, tag::NDESCRIBE, tag::EXECUTE, tag::RELEASE, tag::EOT]);
    session.receive(&group(&[done(1, 0)]));
    session.start_commit();
    assert_eq!(tags(&mut session), [tag::CMMTWORK, tag::EOT]);
}

#[test]
fn many_executions_are_sent_in_groups_and_stop_at_an_error() {
    let mut session = connected(true);
    session.start_execute(1, execute("insert into t values (?)", (0..2500).map(bound).collect(), 1));
    session.receive(&group(&[described(3, StatementType::INSERT, INTEGER), done(0, 0)]));
    let count = |tags: &[u16]| tags.iter().filter(|known| **known == tag::EXECUTE).count();
    session.take_output();
    session.receive(&group(&vec![done(1, 0); 2000]));
    assert!(!session.is_done());
    assert_eq!(count(&tags(&mut session)), 500);
    session.receive(&group(&[done(1, 0), done(1, 0), failed(-239)]));
    assert!(session.is_done());
    assert_eq!(session.outcome().executions, 2002);
    assert!(matches!(session.take_fault(), Some(Fault::Server(failure)) if failure.code == -239));
    assert_eq!(tags(&mut session), [tag::ID, tag::RELEASE, tag::EOT]);
}

#[test]
fn a_cached_statement_whose_table_has_changed_is_prepared_again() {
    let mut session = connected(true);
    queried(&mut session, 1, 0, &[]);
    session.close_cursor(1);
    session.receive(&group(&[done(0, 0)]));
    session.receive(&group(&[]));
    session.take_output();
    session.start_execute(2, execute("select c from t", vec![BoundRow::default()], 0));
    session.take_output();
    session.receive(&group(&[failed(-710)]));
    assert!(!session.is_done());
    session.receive(&group(&[failed(-400)]));
    let again = tags(&mut session);
    assert!(again.contains(&tag::RELEASE) && again.contains(&tag::PREPARE), "{again:?}");
    session.receive(&group(&[]));
    session.receive(&group(&[described(1, SELECT, INTEGER), done(0, 0)]));
    session.receive(&group(&[row(8)]));
    assert!(session.is_done() && session.take_fault().is_none());
    assert_eq!(numbers(&mut session, 2), [8]);
}

#[test]
fn definitions_end_prepared_statements() {
    let mut session = connected(false);
    session.start_execute(1, execute("create table t (c int)", vec![BoundRow::default()], 0));
    session.receive(&group(&[done(0, 0)]));
    assert!(tags(&mut session).ends_with(&[tag::COMMAND, tag::NDESCRIBE, tag::EXECUTE, tag::RELEASE, tag::EOT]));
    session.receive(&group(&[done(0, 0)]));
    queried(&mut session, 2, 0, &[]);
    session.close_cursor(2);
    session.take_output();
    session.start_rollback();
    session.receive(&[group(&[done(0, 0)]), group(&[]), group(&[done(0, 0)])].concat());
    assert!(session.is_done() && session.take_fault().is_none());
    assert_eq!(tags(&mut session), [tag::RBWORK, tag::EOT, tag::ID, tag::RELEASE, tag::EOT]);
}

#[test]
fn scroll_cursors_fetch_a_window_in_one_round_trip() {
    let mut session = connected(true);
    let scrolling = Execute { is_scrolling: true, ..execute("select c from t", vec![BoundRow::default()], 0) };
    session.start_execute(1, scrolling);
    session.receive(&group(&[described(0, SELECT, INTEGER), done(0, 0)]));
    session.receive(&group(&[]));
    assert!(session.is_done());
    session.take_output();
    session.start_scroll(1, Scrolling::Rows(3, 3));
    assert_eq!(tags(&mut session).iter().filter(|known| **known == tag::SFETCH).count(), 3);
    // The first reply has a row more than was asked for; the third row does not exist.
    session.receive(&group(&[Reply::RowNumber(3), row(30), row(40)]));
    session.receive(&group(&[Reply::RowNumber(4), row(40)]));
    session.receive(&group(&[done(4, 0)]));
    assert!(session.is_done());
    assert_eq!(session.last_number(1), Some(4));
    assert_eq!(numbers(&mut session, 1), [30, 40]);
}

#[test]
fn refused_logins_and_broken_protocols_end_the_session() {
    let mut session = Session::new(settings(true));
    let outcome = Outcome::Rejected(-951, 13, "no pm".into());
    let reply = ConnectReply { version: String::new(), serial: String::new(), server: String::new(), outcome };
    session.receive(&reply.encode());
    assert!(session.is_done() && session.is_closed());
    assert!(matches!(session.take_fault(), Some(Fault::Login(failure)) if failure.code == -951));
    let mut session = connected(true);
    session.start_ping();
    session.receive(&[0xFF, 0xFE]);
    assert!(session.is_done() && matches!(session.take_fault(), Some(Fault::Connection(_))));
    session.start_ping();
    assert!(session.is_done() && matches!(session.take_fault(), Some(Fault::Connection(_))));
    // A row of the wrong length would shift all values.
    let mut session = connected(true);
    session.start_execute(1, execute("select c from t", vec![BoundRow::default()], 0));
    session.receive(&group(&[described(0, SELECT, INTEGER), done(0, 0)]));
    session.receive(&group(&[Reply::Row { warnings: 0, bytes: vec![1, 2, 3] }]));
    assert!(session.is_closed());
}

/// Splitmix64: the same bytes in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed ^ (mixed >> 27)) % limit as u64) as usize
    }
}

#[test]
fn bytes_in_any_pieces_and_changed_bytes_do_no_harm() {
    let answers = [
        group(&[described(0, SELECT, INTEGER), done(0, 0)]),
        group(&[row(1), row(2)]),
        group(&[row(3)]),
        group(&[done(3, 0)]),
    ];
    let mut random = Random(5);
    for turn in 0..3000 {
        let mut session = connected(true);
        session.start_execute(1, execute("select c from t", vec![BoundRow::default()], 0));
        for answer in &answers {
            let mut bytes = answer.clone();
            for _ in 0..turn % 4 {
                let at = random.below(bytes.len());
                bytes[at] = [0, 1, 0x7F, 0xFF, random.below(256) as u8][random.below(5)];
            }
            let mut left = bytes.as_slice();
            while !left.is_empty() {
                let (piece, rest) = left.split_at(1 + random.below(left.len()));
                session.receive(piece);
                left = rest;
            }
            if session.is_done() {
                session.take_rows(1);
                session.start_fetch(1);
            }
        }
        let is_whole = turn % 4 == 0;
        if is_whole {
            assert!(session.is_done() && session.is_ended(1) && session.take_fault().is_none());
        }
        session.disconnect("the end");
        assert!(session.is_done());
    }
}
