//! The threads of a program and a face: frames, the barrier of MSE, reconnection and hanging up.

mod common;

use mainstay_screen::Screen;
use mainstay_screen::controls::{Area, Definition, Kind, Name};
use mainstay_screen::event::{Event, Key};
use mainstay_screen::field::InputRequest;
use mainstay_screen::frame::{Frame, Operation};
use mainstay_screen::panels::MessageBox;
use mainstay_screen::session::{Face, Next, ScreenHandle, Watch, share};
use std::thread;
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

fn shared() -> (ScreenHandle, Watch) {
    share(Screen::new(80, 25))
}

#[track_caller]
fn frame(face: &Face) -> Frame {
    match face.next(Instant::now() + MINUTE) {
        Next::Frame(frame) => {
            face.acknowledge(frame.sequence);
            frame
        }
        other => panic!("{other:?}"),
    }
}

fn no_frame(face: &Face) -> bool {
    face.next(Instant::now() + Duration::from_millis(60)) == Next::Timeout
}

#[test]
fn frames_collect_what_is_printed() {
    let (program, watch) = shared();
    let face = watch.attach(Default::default());
    assert!(matches!(frame(&face).operations.first(), Some(Operation::Size { columns: 80, rows: 25 })));
    assert!(no_frame(&face));
    let start = Instant::now();
    for line in 0..10 {
        program.with(|screen| screen.print(format!("line {line}\n").as_bytes())).unwrap();
    }
    let frame = frame(&face);
    assert!(start.elapsed() >= Duration::from_millis(15));
    let rows = frame.operations.iter().filter(|operation| matches!(operation, Operation::Row { .. })).count();
    assert_eq!(rows, 10);
    // Nothing to show, no frame.
    program.with(|_| ()).unwrap();
    assert!(no_frame(&face));
}

#[test]
fn the_next_frame_waits_for_the_acknowledgement() {
    let (program, watch) = shared();
    let face = watch.attach(Default::default());
    let Next::Frame(first) = face.next(Instant::now() + MINUTE) else { panic!("no frame") };
    program.with(|screen| screen.print(b"x")).unwrap();
    program.flush().unwrap();
    assert!(no_frame(&face));
    face.acknowledge(first.sequence.wrapping_add(7));
    assert!(no_frame(&face));
    face.acknowledge(first.sequence);
    frame(&face);
}

#[test]
fn mse_waits_until_everything_is_shown() {
    let (program, watch) = shared();
    let face = watch.attach(Default::default());
    frame(&face);
    let thread = thread::spawn(move || {
        program.with(|screen| screen.print(b"loaded")).unwrap();
        let start = Instant::now();
        (program.barrier(MINUTE).unwrap(), start.elapsed())
    });
    let Next::Frame(frame) = face.next(Instant::now() + MINUTE) else { panic!("no frame") };
    assert!(frame.barrier);
    thread::sleep(Duration::from_millis(50));
    face.acknowledge(frame.sequence);
    let (mse, waited) = thread.join().unwrap();
    assert!(waited >= Duration::from_millis(50) && waited < SECOND * 10, "{waited:?}");
    // `variables/mse`: no mouse on a terminal; 80 columns and 25 lines of one unit each; no thin client.
    assert_eq!((mse[0], &mse[26..28], &mse[28..30], mse[21], mse[31]), (0xff, &[0, 80][..], &[0, 25][..], 0xff, 0));
}

#[test]
fn mse_returns_without_a_face_after_its_limit() {
    let (program, _watch) = shared();
    assert!(program.barrier(Duration::from_millis(20)).is_ok());
}

#[test]
fn an_input_waits_for_keys() {
    let (program, watch) = shared();
    let face = watch.attach(Default::default());
    let thread = thread::spawn(move || program.input(InputRequest::default(), None));
    for key in [Key::Character('a'), Key::Enter] {
        frame(&face);
        face.event(Event::Key(key.into()));
    }
    let result = thread.join().unwrap().unwrap();
    assert_eq!((result.text.as_str(), result.ctl), ("a", 0));
}

#[test]
fn an_input_ends_by_its_time_the_break_key_and_hanging_up() {
    let (program, watch) = shared();
    let short = Some(Duration::from_millis(20));
    assert_eq!(program.input(InputRequest::default(), short).unwrap_err().number, 0);
    let face = watch.attach(Default::default());
    face.event(Event::Key(Key::Escape.into()));
    assert_eq!(program.input(InputRequest::default(), None).unwrap_err().number, 127);
    let thread = thread::spawn(move || {
        let error = program.input(InputRequest::default(), None).unwrap_err();
        (error.number, program.with(|_| ()).unwrap_err().number, program.barrier(MINUTE).unwrap_err().number)
    });
    thread::sleep(Duration::from_millis(20));
    watch.hang_up();
    assert_eq!(thread.join().unwrap(), (4, 4, 4));
}

#[test]
fn a_message_box_waits_for_its_answer() {
    let (program, watch) = shared();
    let face = watch.attach(Default::default());
    frame(&face);
    let thread = thread::spawn(move || {
        let one = program.message_box(MessageBox::new(b"Sure?", None, b"YESNO")).unwrap();
        let mut timed = MessageBox::new(b"Sure?", None, b"CANCEL");
        timed.seconds = Some(0);
        (one, program.message_box(timed).unwrap())
    });
    let number = frame(&face).operations.iter().find_map(|operation| match operation {
        Operation::MessageBox(message) => Some(message.number),
        _ => None,
    });
    face.event(Event::Answer { number: number.unwrap(), button: 1 });
    assert_eq!(thread.join().unwrap(), ("NO".to_owned(), "TIMEOUT".to_owned()));
}

#[test]
fn a_new_face_gets_everything_and_replaces_the_old_one() {
    let (program, watch) = shared();
    let list = Name::new(Kind::ListBox, 10);
    let area = Area { column: 40.0, row: 0.0, columns: 40.0, rows: 24.0 };
    program.with(|screen| screen.create(list, Definition { area, ..Definition::default() })).unwrap().unwrap();
    program.with(|screen| screen.list(list).unwrap().load(0, b"row")).unwrap().unwrap();
    program.with(|screen| screen.print(b"hello")).unwrap();
    let first = watch.attach(Default::default());
    let before = common::transcript(&frame(&first).operations);
    assert!(before.contains("row 0 0\"hello\"[]") && before.contains("rows 1 from 0"), "{before}");
    let second = watch.attach(Default::default());
    assert_eq!(first.next(Instant::now() + SECOND), Next::Replaced);
    drop(first);
    assert!(watch.is_attached());
    assert_eq!(common::transcript(&frame(&second).operations), before);
    program.end();
    assert_eq!(second.next(Instant::now() + MINUTE), Next::Ended);
}
