//! A client that waits for a lock leaves the connection to others: the holder of the lock may be among them.

mod common;

use common::Served;
use mainstay_navigator::client::{OpenHow, RemoteArea};
use mainstay_types::Code;
use mainstay_workarea::{Mode, WorkArea};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

#[test]
fn a_connection_goes_on_while_one_of_its_threads_waits_for_a_lock() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 50);
    let (client, other) = (served.client("ada"), served.client("bob"));
    let mut holder = served.open(&other, "numbers.dbf", Mode::Shared);
    assert!(holder.try_lock_record(7).unwrap());
    let mut waiting = served.open(&client, "numbers.dbf", Mode::Shared);
    let mut beside = served.open(&client, "numbers.dbf", Mode::Shared);
    let (tell, told) = mpsc::channel();
    std::thread::scope(|scope| {
        let waits = scope.spawn(move || {
            waiting.go_to(7).unwrap();
            tell.send(()).unwrap();
            let began = Instant::now();
            waiting.set_number(0, 700.0).unwrap();
            waiting.write().unwrap();
            began.elapsed()
        });
        told.recv().unwrap();
        // The other thread asks for the record all this time.
        let began = Instant::now();
        for _ in 0..20 {
            beside.refresh().unwrap();
        }
        let took = began.elapsed();
        assert!(took < Duration::from_secs(2), "20 requests beside one that waits took {took:?}");
        std::thread::sleep(Duration::from_millis(300));
        holder.unlock().unwrap();
        let waited = waits.join().unwrap();
        assert!(waited > Duration::from_millis(250) && waited < Duration::from_secs(4), "waited for {waited:?}");
    });
    beside.go_to(7).unwrap();
    beside.refresh().unwrap();
    assert_eq!(beside.get_number(0).unwrap(), 700.0);
}

#[test]
fn a_lock_that_is_not_given_back_is_waited_for_as_long_as_in_a_folder() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 50);
    let (client, other) = (served.client("ada"), served.client("bob"));
    let mut holder = served.open(&other, "numbers.dbf", Mode::Shared);
    assert!(holder.try_lock_record(1).unwrap());
    let mut area = served.open(&client, "numbers.dbf", Mode::Shared);
    let began = Instant::now();
    let refused = area.set_number(0, 1.0).and_then(|()| area.write()).unwrap_err();
    let waited = began.elapsed();
    assert_eq!(refused.code(), Code::Busy);
    assert!(refused.hint_text().is_some_and(|hint| hint.contains("bob")), "{refused}");
    let (_, told) = refused.message().rsplit_once("; waited ").unwrap();
    let told_ms: u64 = told.trim_end_matches(" ms").parse().unwrap();
    assert!((4_000..7_000).contains(&told_ms), "{refused}");
    assert!(waited > Duration::from_secs(4) && waited < Duration::from_secs(7), "waited for {waited:?}");
    // Access that waiting cannot bring is refused at once.
    let how = |mode| OpenHow { mode, scheme: None, open_structural: true, hide_deleted: false, exact: false };
    let began = Instant::now();
    let alone = RemoteArea::open(&client, &[client.path(Path::new("numbers.dbf"))], &how(Mode::Exclusive));
    assert_eq!(alone.err().map(|error| error.code()), Some(Code::Busy));
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}
