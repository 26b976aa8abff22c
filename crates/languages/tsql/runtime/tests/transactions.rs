//! Announcements to clients of transactions that begin and end, by requests, statements and errors.

mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_session::push::{Begin, Environment, Isolation, Session as _, TransactionRequest};
use mainstay_tsql_runtime::{Instance, Session};

fn session() -> Session {
    let mut session = Instance::new(Database::in_memory().expect("a database in memory"), "test").session();
    told(&mut session, "CREATE TABLE t (id INT PRIMARY KEY, n INT)");
    session
}

fn words(transcript: &Transcript) -> String {
    let word = |change: &Environment| match change {
        Environment::TransactionBegun(_) => "begun",
        Environment::TransactionCommitted(_) => "committed",
        Environment::TransactionRolledBack(_) => "rolled back",
        Environment::Database { .. } | Environment::Language { .. } => "other",
    };
    transcript.changes.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn told(session: &mut Session, text: &str) -> String {
    let mut transcript = Transcript::default();
    session.batch(text, &mut transcript);
    words(&transcript)
}

fn asked(session: &mut Session, request: &TransactionRequest) -> String {
    let mut transcript = Transcript::default();
    session.transaction(request, &mut transcript);
    words(&transcript)
}

#[test]
fn clients_hear_of_transactions_that_statements_begin_and_end() {
    let mut session = session();
    for (text, expected) in [
        ("BEGIN TRAN; INSERT INTO t VALUES (1, 1); COMMIT", "begun, committed"),
        ("BEGIN TRAN; BEGIN TRAN; COMMIT; ROLLBACK", "begun, rolled back"),
        ("BEGIN TRAN; SAVE TRAN s; ROLLBACK TRAN s", "begun"),
        ("SET NOCOUNT ON; COMMIT", "committed"),
        ("EXEC('BEGIN TRAN'); ROLLBACK", "begun, rolled back"),
        ("SET IMPLICIT_TRANSACTIONS ON; SELECT n FROM t", "begun"),
        ("ROLLBACK; SET IMPLICIT_TRANSACTIONS OFF", "rolled back"),
        ("INSERT INTO t VALUES (2, 2); SELECT n FROM t; COMMIT", ""),
    ] {
        assert_eq!(told(&mut session, text), expected, "{text}");
    }
}

#[test]
fn clients_hear_of_transactions_that_errors_end() {
    let mut session = session();
    told(&mut session, "CREATE TRIGGER refused ON t AFTER DELETE AS ROLLBACK");
    told(&mut session, "INSERT INTO t VALUES (1, 1)");
    for (text, expected) in [
        ("BEGIN TRAN; SELECT CONVERT(INT, 'x')", "begun, rolled back"),
        ("BEGIN TRAN; SELECT 1 / 0; COMMIT", "begun, committed"),
        ("BEGIN TRAN; DELETE FROM t", "begun, rolled back"),
        // The transaction of a single statement is the server's own.
        ("DELETE FROM t", ""),
        (
            "BEGIN TRAN; BEGIN TRY SELECT CONVERT(INT, 'x') END TRY BEGIN CATCH SELECT XACT_STATE() END CATCH",
            "begun, rolled back",
        ),
        ("SET XACT_ABORT ON; BEGIN TRAN; SELECT 1 / 0", "begun, rolled back"),
    ] {
        assert_eq!(told(&mut session, text), expected, "{text}");
    }
}

/// A driver that commits for its program, whose transaction an error ends.
#[test]
fn clients_hear_of_their_requests_and_of_what_became_of_them() {
    let mut session = session();
    let begin = || Begin { isolation: Isolation::Current, name: String::new() };
    assert_eq!(asked(&mut session, &TransactionRequest::Begin(begin())), "begun");
    assert_eq!(told(&mut session, "INSERT INTO t VALUES (1, 1)"), "");
    assert_eq!(told(&mut session, "SELECT CONVERT(INT, 'x')"), "rolled back");
    assert_eq!(asked(&mut session, &TransactionRequest::Begin(begin())), "begun");
    let commit = TransactionRequest::Commit { then: Some(begin()) };
    assert_eq!(asked(&mut session, &commit), "committed, begun");
    let save = TransactionRequest::Save { name: "s".into() };
    assert_eq!(asked(&mut session, &save), "");
    let back = TransactionRequest::Rollback { name: "s".into(), then: None };
    assert_eq!(asked(&mut session, &back), "");
    let end = TransactionRequest::Rollback { name: String::new(), then: None };
    assert_eq!(asked(&mut session, &end), "rolled back");
}

/// Drivers that ask for the next transaction while they end one are never without.
#[test]
fn the_next_transaction_begins_even_if_the_last_had_ended() {
    let mut session = session();
    let then = || Some(Begin { isolation: Isolation::Current, name: String::new() });
    for request in [
        TransactionRequest::Rollback { name: String::new(), then: then() },
        TransactionRequest::Commit { then: then() },
    ] {
        let mut transcript = Transcript::default();
        session.transaction(&request, &mut transcript);
        assert_eq!((words(&transcript).as_str(), transcript.errors.len()), ("begun", 1), "{request:?}");
        assert_eq!(told(&mut session, "SELECT CONVERT(INT, 'x')"), "rolled back");
    }
}
