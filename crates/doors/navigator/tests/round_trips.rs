//! The cost of work with a table: round trips and bytes.

mod common;

use common::{Served, letters};
use mainstay_navigator::client::{Client, RemoteArea, Traffic};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Area, Counting, Mode, NewOrder, SeekHow, SeekKey, WorkArea, untold};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::sync::Arc;

/// Rows of a screen.
const ROWS: usize = 25;
/// Columns of the table.
const COLUMNS: usize = 100;

/// A table of a hundred columns.
fn wide(served: &Served, records: u32) {
    let fields = (1..=COLUMNS).map(|at| FieldSpec::new(&format!("COLUMN{at}"), b'C', 9, 0)).collect();
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    let path = served.folder.path().join("wide.dbf");
    Area::create(&files, &path, &TableSpec::new(Format::FoxPro, fields)).unwrap();
    let mut area = served.open_here("wide.dbf", Mode::Exclusive);
    area.create_order(&NewOrder::new("FIRST", "COLUMN1"), &mut untold).unwrap();
    for number in 0..records {
        area.append_blank().unwrap();
        for column in 0..COLUMNS {
            area.set_bytes(column, format!("{number:05}{column:03}").as_bytes()).unwrap();
        }
    }
    area.close().unwrap();
}

/// Reads what a browse shows, from the current record on.
fn paint(area: &mut RemoteArea) -> usize {
    let mut rows = 0;
    while rows < ROWS && !area.is_eof() {
        for column in 0..COLUMNS {
            assert!(!area.get_text(column).unwrap().is_empty());
        }
        let _ = (area.record_number(), area.is_deleted().unwrap());
        rows += 1;
        area.skip(1).unwrap();
    }
    rows
}

/// The traffic of some work.
fn cost(client: &Arc<Client>, work: impl FnOnce()) -> Traffic {
    let before = client.traffic();
    work();
    let after = client.traffic();
    Traffic {
        round_trips: after.round_trips - before.round_trips,
        sent_bytes: after.sent_bytes - before.sent_bytes,
        received_bytes: after.received_bytes - before.received_bytes,
    }
}

#[test]
fn a_browse_costs_one_or_two_round_trips() {
    let served = Served::new();
    wide(&served, 2000);
    let client = served.client("ada");
    let mut opened = None;
    let spent = cost(&client, || opened = Some(served.open(&client, "wide.dbf", Mode::Shared)));
    let area = opened.as_mut().unwrap();
    assert_eq!(spent.round_trips, 1, "to open the table");

    let spent = cost(&client, || {
        area.set_order(area.order_named("FIRST")).unwrap();
        area.go_top().unwrap();
        assert_eq!(paint(area), ROWS);
    });
    assert_eq!(spent.round_trips, 1, "to paint the first screen");
    // The rows themselves have 900 bytes each.
    assert!(spent.received_bytes < 80_000 && spent.sent_bytes < 200, "{spent:?}");

    let spent = cost(&client, || {
        for _ in 0..4 {
            assert_eq!(paint(area), ROWS);
        }
    });
    assert!(spent.round_trips <= 4, "{spent:?}");

    let spent = cost(&client, || {
        area.skip(-(2 * ROWS as i64)).unwrap();
        assert_eq!(paint(area), ROWS);
    });
    assert!(spent.round_trips <= 1, "a page up: {spent:?}");

    let spent = cost(&client, || {
        let found = area.seek(&SeekKey::Text(b"01234".to_vec()), SeekHow::default()).unwrap();
        assert!(found);
        area.skip(-10).unwrap();
        assert_eq!(paint(area), ROWS);
    });
    assert_eq!(spent.round_trips, 1, "a seek");

    let spent = cost(&client, || {
        area.go_bottom().unwrap();
        area.skip(-(ROWS as i64 - 1)).unwrap();
        assert_eq!(paint(area), ROWS);
        assert!(area.is_eof());
    });
    assert_eq!(spent.round_trips, 1, "the last screen");

    let spent = cost(&client, || {
        for _ in 0..20 {
            area.skip(-1).unwrap();
            let record = area.record_number();
            area.go_to(record).unwrap();
            area.get_text(0).unwrap();
            assert_eq!(area.record_count(Counting::All).unwrap(), 2000);
        }
    });
    assert_eq!(spent, Traffic::default(), "inside the page nothing is asked");
}

#[test]
fn positions_travel_with_the_pages() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 500);
    let client = served.client("ada");
    let mut area = served.open(&client, "numbers.dbf", Mode::Shared);
    area.set_order(area.order_named("NUMBER")).unwrap();
    area.go_top().unwrap();
    let spent = cost(&client, || {
        for number in 1..=60 {
            assert_eq!(area.key_number(Counting::Scoped).unwrap(), Some(number));
            assert_eq!(area.key_count(Counting::Scoped).unwrap(), 500);
            area.skip(1).unwrap();
        }
    });
    assert!(spent.round_trips <= 3, "{spent:?}");
    let spent = cost(&client, || {
        area.go_bottom().unwrap();
        assert_eq!(area.key_number(Counting::Scoped).unwrap(), Some(500));
        assert!((area.relative_position().unwrap() - 1.0).abs() < 1e-9);
    });
    assert!(spent.round_trips <= 1, "{spent:?}");
}

#[test]
fn long_walks_and_random_jumps_cost_what_they_need() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 20_000);
    let client = served.client("ada");
    let mut area = served.open(&client, "numbers.dbf", Mode::Shared);
    let spent = cost(&client, || {
        let mut seen = 0;
        while !area.is_eof() {
            seen += 1;
            assert_eq!(area.get_integer(0).unwrap(), seen);
            area.skip(1).unwrap();
        }
        assert_eq!(seen, 20_000);
    });
    assert!(spent.round_trips < 20, "{spent:?}");

    area.set_order(area.order_named("LETTERS")).unwrap();
    let spent = cost(&client, || {
        for number in 1..=100 {
            let text = SeekKey::Text(letters(number * 7).into_bytes());
            assert!(area.seek(&text, SeekHow::default()).unwrap());
        }
    });
    assert_eq!(spent.round_trips, 100);
    assert!(spent.received_bytes < 60_000, "rows that nobody wants: {spent:?}");
}

#[test]
fn appended_records_cost_one_round_trip_each() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 10);
    let client = served.client("ada");
    let mut area = served.open(&client, "numbers.dbf", Mode::Shared);
    let spent = cost(&client, || {
        for number in 11..=60u32 {
            area.append_blank().unwrap();
            area.set_number(0, f64::from(number)).unwrap();
            area.set_bytes(1, letters(number).as_bytes()).unwrap();
        }
        area.write().unwrap();
    });
    assert_eq!(spent.round_trips, 51, "{spent:?}");
    Box::new(area).close().unwrap();
    let mut here = served.open_here("numbers.dbf", Mode::Shared);
    here.go_bottom().unwrap();
    assert_eq!((here.record_number(), here.get_number(0).unwrap()), (60, 60.0));
}

/// A record that the server refuses stays pending, and is written again by every move. Its requests must not grow.
#[test]
fn a_write_that_is_refused_again_and_again_stays_as_long_as_it_is() {
    let served = Served::new();
    let fields = vec![FieldSpec::new("NUMBER", b'N', 10, 0), FieldSpec::new("LETTERS", b'C', 200, 0)];
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    let path = served.folder.path().join("own.dbf");
    Area::create(&files, &path, &TableSpec::new(Format::VisualFoxPro, fields)).unwrap();
    let mut here = served.open_here("own.dbf", Mode::Exclusive);
    here.create_order(&NewOrder { candidate: true, ..NewOrder::new("NUMBER", "NUMBER") }, &mut untold).unwrap();
    for number in 1..=2 {
        here.append_blank().unwrap();
        here.set_number(0, f64::from(number)).unwrap();
    }
    here.close().unwrap();
    let client = served.client("ada");
    let mut area = served.open(&client, "own.dbf", Mode::Shared);
    area.go_to(2).unwrap();
    area.set_number(0, 1.0).unwrap();
    let mut spent = Vec::new();
    for turn in 0..24_u8 {
        area.set_bytes(1, &vec![b'a' + turn; 1 + usize::from(turn) * 3 % 100]).unwrap();
        spent.push(cost(&client, || assert!(area.write().is_err(), "turn {turn}")).sent_bytes);
    }
    assert!(spent.iter().all(|sent| *sent < 2_000), "{spent:?}");
    area.set_number(0, 3.0).unwrap();
    area.write().unwrap();
}
