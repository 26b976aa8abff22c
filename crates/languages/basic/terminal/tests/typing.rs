//! A program on a real terminal: `typing.py` opens a pseudo-terminal, runs this test's own program there, and types.
#![cfg(unix)]

use mainstay_screen::controls::{Area, Definition, Kind, Name};
use mainstay_screen::field::InputRequest;
use mainstay_screen::menu::{Menu, Popup};
use mainstay_screen::session::{ScreenHandle, share};
use mainstay_screen::{Screen, ScreenError};
use std::process::Command;

/// Says that the process is the one on the terminal.
const ON_TERMINAL: &str = "MAINSTAY_TEST_ON_TERMINAL";

fn program(screen: &ScreenHandle) -> Result<(), ScreenError> {
    let list = Name::new(Kind::ListBox, 10);
    screen.with(|screen| screen.print(b"\x1bCSName: "))?;
    let name = screen.input(InputRequest { length: Some(20), ..InputRequest::default() }, None)?;
    let area = Area { column: 40.0, row: 2.0, columns: 20.0, rows: 5.0 };
    screen.with(|screen| screen.create(list, Definition { area, ..Definition::default() }))??;
    for line in 1..=100 {
        screen.with(|screen| screen.list(list).and_then(|list| list.load(0, format!("line {line}").as_bytes())))??;
    }
    screen.barrier(std::time::Duration::from_secs(10))?;
    screen.with(|screen| screen.print(format!("\nHello {}\nPick: ", name.text).as_bytes()))?;
    let picked = screen.input(InputRequest::default(), None)?;
    let index = screen.with(|screen| screen.list(list).map(|list| list.selected_index()))??;
    screen.with(|screen| screen.print(format!("\nCTL {} line {index}\n", picked.ctl).as_bytes()))?;
    menus(screen)
}

/// A menu bar, and a button with a popup menu.
fn menus(screen: &ScreenHandle) -> Result<(), ScreenError> {
    let bar = Menu::parse(200, b"-[&File,&Edit],F:[&Open,,&Save=D7],E:[&Cut,&Paste=9]")?;
    let area = Area { column: 2.0, row: 10.0, columns: 10.0, rows: 1.0 };
    let button = Definition { area, contents: b"More".to_vec(), menu_ctl: 77, ..Definition::default() };
    screen.with(|screen| {
        screen.panels_mut().set_menu(bar);
        screen.create(Name::new(Kind::Button, 76), button)
    })??;
    for _ in 0..2 {
        let result = screen.input(InputRequest::default(), None)?;
        let chosen = screen.with(|screen| screen.panels().menu().chosen.clone())?;
        screen.with(|screen| screen.print(format!("\nCTL {} bar {chosen}\n", result.ctl).as_bytes()))?;
    }
    for _ in 0..2 {
        let result = screen.input(InputRequest::default(), None)?;
        let choice = screen.popup_menu(Popup::parse(b"[&One,&Two]")?, None)?;
        let path = choice.map(|choice| choice.path);
        screen.with(|screen| screen.print(format!("\nCTL {} popup {path:?}\n", result.ctl).as_bytes()))?;
    }
    Ok(())
}

/// The program on the terminal; nothing when the tests run as usual.
#[test]
fn program_on_the_terminal() {
    if std::env::var_os(ON_TERMINAL).is_none() {
        return;
    }
    let (handle, watch) = share(Screen::new(80, 24));
    let thread = std::thread::spawn(move || {
        let outcome = program(&handle);
        handle.end();
        outcome
    });
    mainstay_basic_terminal::run(&watch).unwrap();
    thread.join().unwrap().unwrap();
}

#[test]
fn keys_and_lists_on_a_terminal() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/typing.py");
    let mut command = Command::new("python3");
    command.arg("-B").arg(script).arg(std::env::current_exe().unwrap());
    let output = command.env(ON_TERMINAL, "1").output().expect("this test needs python3");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// `setsid` starts a process without a terminal, as a service is started.
#[test]
fn without_a_terminal_the_program_is_hung_up() {
    let mut command = Command::new("setsid");
    command.arg("--wait").arg(std::env::current_exe().unwrap()).args(["--exact", "program_on_the_terminal"]);
    let output =
        command.env(ON_TERMINAL, "1").stdin(std::process::Stdio::null()).output().expect("this test needs setsid");
    assert!(!output.status.success());
}
