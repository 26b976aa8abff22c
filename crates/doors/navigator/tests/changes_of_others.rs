//! Changes of others are seen: at once if the client asks, and within a second if it does not.

mod common;

use common::{Served, letters};
use mainstay_navigator::client::{KEPT_FOR, OpenHow, RemoteArea};
use mainstay_types::Code;
use mainstay_workarea::{Area, Counting, Mode, SeekHow, SeekKey, WorkArea};
use std::path::Path;
use std::time::Duration;

fn letters_of(area: &mut dyn WorkArea) -> String {
    String::from_utf8(area.get_text(1).unwrap()).unwrap().trim_end().to_owned()
}

fn put(area: &mut dyn WorkArea, record: u32, text: &str) {
    area.go_to(record).unwrap();
    area.set_bytes(1, format!("{text:<10}").as_bytes()).unwrap();
    area.write().unwrap();
}

/// An area on record 1 with the rows around, and what changes the table past it.
fn with_rows(served: &Served, name: &str) -> RemoteArea {
    let client = served.client_of(name, "ada");
    let mut area = served.open(&client, "numbers.dbf", Mode::Shared);
    area.set_order(area.order_named("NUMBER")).unwrap();
    area.go_top().unwrap();
    assert_eq!(letters_of(&mut area), letters(1));
    area
}

fn rest() {
    std::thread::sleep(KEPT_FOR + Duration::from_millis(50));
}

/// The writers of the table: a client of this process, one of another, a program that works with the files.
fn others(served: &Served) -> Vec<(&'static str, Box<dyn WorkArea>)> {
    let (near, far) = (served.client("bob"), served.client_of("tcp://elsewhere", "eve"));
    vec![
        ("a client", Box::new(served.open(&near, "numbers.dbf", Mode::Shared))),
        ("a client of another process", Box::new(served.open(&far, "numbers.dbf", Mode::Shared))),
        ("a program", Box::new(served.open_here("numbers.dbf", Mode::Shared))),
    ]
}

#[test]
fn whoever_asks_sees_what_others_have_changed() {
    for which in 0..3 {
        let served = Served::new();
        served.make_numbers("numbers.dbf", 50);
        let mut area = with_rows(&served, "tcp://here");
        let (who, mut other) = others(&served).swap_remove(which);
        put(&mut *other, 1, "FIRST");
        area.refresh().unwrap();
        assert_eq!(letters_of(&mut area), "FIRST", "a refresh, {who}");
        put(&mut *other, 30, "THIRTY");
        assert!(area.seek(&SeekKey::Number(30.0), SeekHow::default()).unwrap());
        assert_eq!(letters_of(&mut area), "THIRTY", "a seek, {who}");
        put(&mut *other, 30, "LOCKED");
        assert!(area.try_lock_record(30).unwrap());
        assert_eq!(letters_of(&mut area), "LOCKED", "a lock, {who}");
        area.unlock().unwrap();
        // A change is made to the record as it is, not as it was when it was read.
        area.go_to(7).unwrap();
        let _ = letters_of(&mut area);
        put(&mut *other, 7, "SEVEN");
        area.set_number(0, 77.0).unwrap();
        area.write().unwrap();
        other.refresh().unwrap();
        assert_eq!((letters_of(&mut *other), other.get_number(0).unwrap()), ("SEVEN".into(), 77.0), "a change, {who}");
        assert_eq!(
            area.order_named("LETTERS").map(|id| area.look_up(id, &SeekKey::Text(b"SEVEN".to_vec())).unwrap()),
            Some(Some(7))
        );
    }
}

#[test]
fn rows_at_hand_are_never_older_than_a_second() {
    for which in 0..3 {
        let served = Served::new();
        served.make_numbers("numbers.dbf", 50);
        let mut area = with_rows(&served, "tcp://here");
        let (who, mut other) = others(&served).swap_remove(which);
        put(&mut *other, 2, "TWO");
        other.append_blank().unwrap();
        other.set_number(0, 0.0).unwrap();
        other.write().unwrap();
        if which == 0 {
            // Of this process: known at once, without asking.
            area.skip(1).unwrap();
            assert_eq!(letters_of(&mut area), "TWO", "{who}");
            area.skip(-1).unwrap();
        }
        rest();
        area.skip(1).unwrap();
        assert_eq!(letters_of(&mut area), "TWO", "{who}");
        assert_eq!(area.record_count(Counting::All).unwrap(), 51);
        area.go_top().unwrap();
        assert_eq!(area.record_number(), 51, "a record that was put before the first, {who}");
        // And nothing is sent again that has not changed.
        rest();
        let client = area.client().clone();
        let before = client.traffic();
        area.skip(1).unwrap();
        let _ = letters_of(&mut area);
        let after = client.traffic();
        assert_eq!(after.round_trips - before.round_trips, 1);
        assert!(after.received_bytes - before.received_bytes < 200, "rows that are known");
    }
}

#[test]
fn locks_are_the_servers_and_have_owners() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 10);
    let (ada, bob) = (served.client("ada"), served.client("bob"));
    let mut hers = served.open(&ada, "numbers.dbf", Mode::Shared);
    let mut his = served.open(&bob, "numbers.dbf", Mode::Shared);
    let mut here: Area = served.open_here("numbers.dbf", Mode::Shared);
    assert!(hers.try_lock_record(3).unwrap());
    assert!(!his.try_lock_record(3).unwrap() && !here.try_lock_record(3).unwrap());
    assert!(here.try_lock_record(4).unwrap() && !hers.try_lock_record(4).unwrap());
    assert_eq!(bob.lock_owner(his.path(), 3).unwrap().unwrap().user, "ada");
    assert_eq!(bob.lock_owner(his.path(), 5).unwrap(), None);
    his.go_to(3).unwrap();
    let error = his.set_bytes(1, b"x").unwrap_err();
    assert_eq!(error.code(), Code::Busy);
    assert!(error.hint_text().is_some_and(|hint| hint.contains("locked by ada")), "{error:?}");
    drop(hers);
    his.set_bytes(1, b"x").unwrap();
    his.write().unwrap();
    drop((his, here));
    let alone = served.open(&ada, "numbers.dbf", Mode::Exclusive);
    let how = OpenHow { mode: Mode::Shared, scheme: None, open_structural: true, hide_deleted: false, exact: false };
    for client in [&ada, &bob] {
        let path = client.path(Path::new("numbers.dbf"));
        assert_eq!(RemoteArea::open(client, &[path], &how).map(drop).unwrap_err().code(), Code::Busy);
    }
    drop(alone);
    assert!(served.open_here("numbers.dbf", Mode::ReadOnly).try_lock_record(1).is_err());
    assert_eq!(bob.people().unwrap().len(), 2);
}

#[test]
fn a_transaction_is_over_all_tables_of_a_client_and_of_no_other() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 10);
    served.make_numbers("others.dbf", 10);
    let (ada, bob) = (served.client("ada"), served.client("bob"));
    let mut first = served.open(&ada, "numbers.dbf", Mode::Shared);
    let mut second = served.open(&ada, "others.dbf", Mode::Shared);
    let mut his = served.open(&bob, "numbers.dbf", Mode::Shared);
    ada.begin().unwrap();
    put(&mut first, 1, "NEVER");
    put(&mut second, 2, "NEVER");
    let place = ada.savepoint().unwrap();
    put(&mut second, 3, "NEVER");
    ada.roll_back_to(place).unwrap();
    assert!(!his.try_lock_record(1).unwrap(), "a record of the transaction is locked to its end");
    put(&mut his, 5, "STAYS");
    ada.roll_back().unwrap();
    [&mut first, &mut second].into_iter().for_each(RemoteArea::note_transaction);
    for (area, record, expected) in
        [(&mut first, 1, letters(1)), (&mut second, 2, letters(2)), (&mut his, 5, "STAYS".into())]
    {
        area.go_to(record).unwrap();
        assert_eq!(letters_of(area), expected);
    }
    assert!(his.try_lock_record(1).unwrap());
    assert_eq!(ada.commit().unwrap_err().code(), Code::TransactionState);
}
