//! Transactions of a session with an error in the middle, and with statements beside the tables.

mod common;

use common::{Served, hello};
use mainstay_navigator::server::{Service, Session};
use mainstay_navigator::sql::{Outcome, Parameter, ServedSql, SqlSession, TransactionStep};
use mainstay_navigator::wire::messages::{Answer, Opening, Reply, Request, Step};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, Fault, Faulty, FileSystem, Operation};
use mainstay_workarea::{Area, Mode, NewOrder, RowChanges, WorkArea, untold};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::path::Path;
use std::sync::{Arc, Mutex};

fn ask(session: &mut Session, table: u32, steps: Vec<Step>) -> Answer {
    session.answer(&Request { table, progress: false, wait_ms: 5_000, steps }, &mut untold)
}

fn done(session: &mut Session, table: u32, steps: Vec<Step>) -> Vec<Reply> {
    let answer = ask(session, table, steps);
    assert!(answer.error.is_none(), "{:?}", answer.error);
    answer.replies
}

fn open(session: &mut Session, name: &str, mode: Mode) -> u32 {
    let names = vec![name.into()];
    let opening = Opening { names, mode, scheme: None, open_structural: true, or_read_only: false };
    match done(session, 0, vec![Step::Open(opening)]).pop() {
        Some(Reply::Opened(opened)) => opened.table,
        other => panic!("{other:?}"),
    }
}

/// A session over a copy of two tables whose call of this kind with this number fails.
fn faulty(served: &Served, operation: Operation, number: u64) -> (Session, Faulty<Disk>) {
    let files = Faulty::failing(Disk, operation, number, Fault::Error);
    let service = Arc::new(Service::new(Arc::new(files.clone()), served.folder.path()));
    (service.session(&hello("ada"), "here").unwrap(), files)
}

#[test]
fn a_transaction_that_cannot_begin_leaves_no_table_in_it() {
    let served = Served::new();
    served.make_numbers("one.dbf", 3);
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    let spec = TableSpec::new(Format::VisualFoxPro, vec![FieldSpec::new("NUMBER", b'N', 10, 0)]);
    Area::create(&files, &served.folder.path().join("two.dbf"), &spec).unwrap();
    let mut session = served.service.session(&hello("ada"), "here").unwrap();
    let [_, two] = ["one.dbf", "two.dbf"].map(|name| open(&mut session, name, Mode::Exclusive));
    let unique = NewOrder { candidate: true, ..NewOrder::new("ONCE", "NUMBER") };
    let number = |number: u8| Step::Write(RowChanges { pieces: vec![(1, vec![b'0' + number; 10])], memos: Vec::new() });
    done(&mut session, two, vec![Step::CreateOrder(unique), Step::Append, number(1), Step::Append, number(2)]);
    // A record that the index refuses stays pending, and is written before the transaction begins.
    assert!(ask(&mut session, two, vec![Step::GoTo(2), Step::Edit, number(1)]).error.is_some());
    let begun = ask(&mut session, 0, vec![Step::Begin]);
    assert_eq!(begun.error.map(|error| error.code()), Some(Code::UniqueViolation));
    done(&mut session, two, vec![Step::Cancel]);
    done(&mut session, 0, vec![Step::Begin, Step::RollBack, Step::Begin, Step::Commit]);
}

#[test]
fn a_transaction_that_has_ended_with_an_error_is_not_kept() {
    for operation in [Operation::Write, Operation::Remove, Operation::Sync] {
        for number in 0.. {
            let served = Served::new();
            served.make_numbers("one.dbf", 3);
            let note = |text: &[u8]| Step::Write(RowChanges { pieces: Vec::new(), memos: vec![(2, text.to_vec())] });
            let (mut session, files) = faulty(&served, operation, number);
            let table = open(&mut session, "one.dbf", Mode::Shared);
            let steps = |text| vec![Step::GoTo(2), Step::Edit, note(text)];
            // The failure of an earlier call is not this test's.
            let first = ask(&mut session, table, steps(b"first")).error.is_none();
            let begun = first && ask(&mut session, 0, vec![Step::Begin]).error.is_none();
            if begun && ask(&mut session, table, steps(&[b'x'; 2000])).error.is_none() {
                let committed = ask(&mut session, 0, vec![Step::Commit]);
                if committed.error.is_some() {
                    // It continues or it has ended; either way it can be ended for good.
                    let _ = ask(&mut session, 0, vec![Step::RollBack]);
                }
                done(&mut session, 0, vec![Step::Begin, Step::Commit]);
            }
            if files.calls(operation) <= number {
                break;
            }
        }
    }
}

/// Refuses everything, and notes the steps that it gets.
#[derive(Clone, Debug, Default)]
struct Refusing(Arc<Mutex<Vec<TransactionStep>>>);

impl ServedSql for Refusing {
    fn open(&self, _: &Path, _: &str) -> Result<Box<dyn SqlSession>> {
        Ok(Box::new(self.clone()))
    }
}

impl SqlSession for Refusing {
    fn set_read_only(&mut self) {}
    fn execute(&mut self, _: &str, _: &[Parameter]) -> Result<Outcome> {
        Err(Error::new(Code::Syntax, "that is no statement"))
    }
    fn prepare(&mut self, _: &str) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
    fn transaction(&mut self, step: &TransactionStep) -> Result<()> {
        self.0.lock().unwrap().push(step.clone());
        Ok(())
    }
}

#[test]
fn a_statement_that_fails_takes_no_transaction_with_it() {
    for sql in [None, Some(Refusing::default())] {
        let served = Served::new();
        served.make_numbers("one.dbf", 3);
        if let Some(sql) = &sql {
            assert!(served.service.serve_sql(Arc::new(sql.clone())));
        }
        let client = served.client("ada");
        let mut area = served.open(&client, "one.dbf", Mode::Shared);
        for (step, text) in [(TransactionStep::Commit, "kept"), (TransactionStep::RollBack, "gone")] {
            client.begin().unwrap();
            area.go_to(2).unwrap();
            area.set_bytes(1, text.as_bytes()).unwrap();
            area.write().unwrap();
            assert!(client.execute("NONSENSE", &[]).is_err());
            match step {
                TransactionStep::Commit => client.commit().unwrap(),
                _ => client.roll_back().unwrap(),
            }
            area.note_transaction();
            area.refresh().unwrap();
            assert_eq!(area.get_text(1).unwrap().trim_ascii_end(), b"kept");
        }
        if let Some(sql) = sql {
            use TransactionStep::{Begin, Commit, RollBack};
            assert_eq!(*sql.0.lock().unwrap(), [Begin, Commit, Begin, RollBack]);
        }
    }
}
