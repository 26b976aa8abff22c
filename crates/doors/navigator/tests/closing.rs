//! A table whose last record an index refuses is closed at the server in any case, and the record is cancelled.

mod common;

use common::{Served, hello, letters};
use mainstay_navigator::server::Session;
use mainstay_navigator::wire::messages::{Answer, Opening, Reply, Request, Step};
use mainstay_types::Code;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Area, Mode, NewOrder, RowChanges, WorkArea, untold};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::sync::Arc;

/// A table of two records with a tag that has each number once.
fn served() -> Served {
    let served = Served::new();
    let fields = vec![FieldSpec::new("NUMBER", b'N', 10, 0), FieldSpec::new("LETTERS", b'C', 10, 0)];
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    let spec = TableSpec::new(Format::VisualFoxPro, fields);
    Area::create(&files, &served.folder.path().join("numbers.dbf"), &spec).unwrap();
    let mut area = served.open_here("numbers.dbf", Mode::Exclusive);
    area.create_order(&NewOrder { candidate: true, ..NewOrder::new("ONCE", "NUMBER") }, &mut untold).unwrap();
    for number in 1..=2 {
        area.append_blank().unwrap();
        area.set_number(0, f64::from(number)).unwrap();
    }
    area.close().unwrap();
    served
}

/// Nobody has the table open, and the third record is blank and deleted.
fn check(served: &Served) {
    let mut area = served.open_here("numbers.dbf", Mode::Exclusive);
    area.go_to(3).unwrap();
    assert!(area.is_deleted().unwrap() && area.get_number(0).unwrap() == 0.0);
    area.go_to(2).unwrap();
    assert_eq!(area.get_number(0).unwrap(), 2.0);
}

#[test]
fn a_client_that_closes_a_table_with_a_refused_record_leaves_nothing_open() {
    for is_tried in [false, true] {
        let served = served();
        let client = served.client("ada");
        let mut area = served.open(&client, "numbers.dbf", Mode::Shared);
        area.append_blank().unwrap();
        area.set_number(0, 1.0).unwrap();
        area.set_bytes(1, letters(1).as_bytes()).unwrap();
        if is_tried {
            assert_eq!(area.write().unwrap_err().code(), Code::UniqueViolation);
        }
        let closed = (Box::new(area) as Box<dyn WorkArea>).close();
        assert_eq!(closed.unwrap_err().code(), Code::UniqueViolation);
        check(&served);
        // The connection goes on.
        let mut area = served.open(&client, "numbers.dbf", Mode::Exclusive);
        area.go_to(2).unwrap();
        assert_eq!(area.get_number(0).unwrap(), 2.0);
    }
}

fn ask(session: &mut Session, table: u32, steps: Vec<Step>) -> Answer {
    session.answer(&Request { table, progress: false, wait_ms: 5_000, steps }, &mut untold)
}

#[test]
fn a_session_that_ends_cancels_a_refused_record() {
    let served = served();
    let mut session = served.service.session(&hello("ada"), "here").unwrap();
    let (names, mode) = (vec!["numbers.dbf".into()], Mode::Shared);
    let opening = Opening { names, mode, scheme: None, open_structural: true, or_read_only: false };
    let Some(Reply::Opened(opened)) = ask(&mut session, 0, vec![Step::Open(opening)]).replies.pop() else { panic!() };
    let changes = RowChanges { pieces: vec![(1, b"         1".to_vec())], memos: Vec::new() };
    let answer = ask(&mut session, opened.table, vec![Step::Append, Step::Write(changes)]);
    assert_eq!(answer.error.map(|error| error.code()), Some(Code::UniqueViolation));
    drop(session);
    check(&served);
}
