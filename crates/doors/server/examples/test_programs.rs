//! The door with programs written in Rust, for the tests of docs/console.md and tests/console.
//!
//! Prints one line of JSON with its port and serves until its standard input ends. The users are `tester` and `limited` with the
//! password `Tester-1`. `listbox` does what the published list box program does, and prints the time of the load.

use mainstay_console::{Config, Console, Entry, Programs, Users};
use mainstay_screen::controls::{Area, Definition, Kind, Name};
use mainstay_screen::document::Document;
use mainstay_screen::field::InputRequest;
use mainstay_screen::menu::{Menu, Popup};
use mainstay_screen::mnemonic::{Argument, encode};
use mainstay_screen::panels::MessageBox;
use mainstay_screen::session::ScreenHandle;
use mainstay_screen::{ScreenError, Verb};
use mainstay_server::{ConsoleDoor, Server};
use mainstay_vfs::Memory;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Tester;

impl Users for Tester {
    fn check(&self, name: &str, password: &str) -> Option<String> {
        matches!((name, password), ("tester" | "limited", "Tester-1")).then(|| name.to_owned())
    }
}

struct Shop;

impl Programs for Shop {
    fn list(&self, _user: &str) -> Vec<Entry> {
        let names = ["listbox", "form", "controls", "menus", "grid", "flood", "fails"];
        names
            .iter()
            .map(|name| Entry { name: (*name).to_owned(), title: format!("Program {name}"), about: String::new() })
            .collect()
    }

    fn run(&self, name: &str, user: &str, screen: &ScreenHandle) -> Result<(), String> {
        let outcome = match name {
            "listbox" => list_box(screen),
            "form" => form(screen, user),
            "controls" => controls(screen),
            "menus" => menus(screen),
            "grid" => grid(screen),
            "flood" => flood(screen),
            _ => Err(ScreenError::new(20, "Syntax error")),
        };
        outcome.map_err(|error| error.to_string())
    }
}

fn print(screen: &ScreenHandle, text: &str) -> Result<(), ScreenError> {
    screen.with(|screen| screen.print(&mainstay_screen::characters::encode(text)))
}

fn mnemonic(screen: &ScreenHandle, name: &str, numbers: &[i32]) -> Result<(), ScreenError> {
    let arguments: Vec<Argument> = numbers.iter().map(|number| Argument::Number(f64::from(*number))).collect();
    let bytes = encode(name, &arguments)?;
    screen.with(|screen| screen.print(&bytes))
}

fn at(column: f32, row: f32, columns: f32, rows: f32) -> Definition {
    Definition { area: Area { column, row, columns, rows }, ..Definition::default() }
}

/// 32,768 lines of 120 bytes, and the time until the page has shown them.
fn list_box(screen: &ScreenHandle) -> Result<(), ScreenError> {
    const LINES: usize = 32 * 1024;
    const LIMIT: Duration = Duration::from_secs(30);
    let list = Name::new(Kind::ListBox, 10);
    mnemonic(screen, "CS", &[])?;
    screen.with(|screen| screen.create(list, at(40.0, 0.0, 40.0, 24.0)))??;
    screen.flush()?;
    screen.barrier(LIMIT)?;
    let start = Instant::now();
    for line in 1..=LINES {
        let text = format!("{:<120}", format!("This is line {line}"));
        screen.with(|screen| screen.list(list).and_then(|list| list.load(0, text.as_bytes())))??;
    }
    let sent = start.elapsed();
    screen.barrier(LIMIT)?;
    let total = start.elapsed();
    print(screen, &format!("load: {:.4} s\n", sent.as_secs_f64()))?;
    print(screen, &format!("total time: {:.4} s\n", total.as_secs_f64()))?;
    loop {
        let result = screen.input(InputRequest::default(), None)?;
        if result.ctl == 4 {
            return Ok(());
        }
        let index = screen.with(|screen| screen.list(list).map(|list| list.selected_index()))??;
        mnemonic(screen, "@", &[0, 5])?;
        print(screen, &format!("CTL {} line {index}     ", result.ctl))?;
    }
}

fn form(screen: &ScreenHandle, user: &str) -> Result<(), ScreenError> {
    mnemonic(screen, "CS", &[])?;
    mnemonic(screen, "BOX", &[0, 0, 60, 8])?;
    mnemonic(screen, "@", &[2, 2])?;
    print(screen, &format!("User: {user}"))?;
    for turn in 1.. {
        mnemonic(screen, "@", &[2, 3])?;
        print(screen, "Name: ")?;
        let request = InputRequest { length: Some(30), ..InputRequest::default() };
        let name = screen.input(request, None)?;
        if name.ctl == 4 {
            let message = MessageBox::new(b"Leave the program?", Some(b"Form"), b"?,YESNO");
            if screen.message_box(message)? == "YES" {
                return Ok(());
            }
            continue;
        }
        mnemonic(screen, "@", &[2, 5])?;
        mnemonic(screen, "BR", &[])?;
        print(screen, &format!("{turn}: Hello {}", name.text))?;
        mnemonic(screen, "ER", &[])?;
        mnemonic(screen, "CL", &[])?;
    }
    Ok(())
}

fn controls(screen: &ScreenHandle) -> Result<(), ScreenError> {
    let text = |text: &str, definition: Definition| Definition { contents: text.as_bytes().to_vec(), ..definition };
    let create =
        |name: Name, definition: Definition| screen.with(|screen| screen.create(name, definition)).and_then(|r| r);
    create(Name::new(Kind::Button, 100), text("&Save", at(2.0, 2.0, 12.0, 1.5)))?;
    create(Name::new(Kind::CheckBox, 101), text("&Active", at(2.0, 4.0, 20.0, 1.2)))?;
    for (sub, label) in [(1, "&Daily"), (2, "&Weekly")] {
        create(
            Name { kind: Kind::RadioButton, id: 102, sub },
            text(label, at(2.0, 4.0 + sub as f32 * 1.5, 20.0, 1.2)),
        )?;
    }
    let choice = Name::new(Kind::DropBox, 103);
    create(choice, at(2.0, 9.0, 20.0, 6.0))?;
    screen.with(|screen| screen.list(choice).and_then(|list| list.load_all(b"Cat/Dog/Pig/")))??;
    let input = Name::new(Kind::MultiLine, 104);
    create(input, at(2.0, 12.0, 30.0, 1.2))?;
    let report = Name::new(Kind::ListBox, 105);
    let format = b"[Name]L15 [Amount]#R10".to_vec();
    create(report, Definition { options: b"r".to_vec(), format, ..at(40.0, 1.0, 32.0, 8.0) })?;
    let rows = b"Bolt\x8a12.50\nNut\x8a3.75\nAxle\x8a140.00\n";
    screen.with(|screen| screen.list(report).and_then(|list| list.load_all(rows)))??;
    let tree = Name::new(Kind::ListBox, 106);
    create(tree, Definition { options: b"e".to_vec(), ..at(40.0, 10.0, 32.0, 6.0) })?;
    for path in ["aaa/bbb/ccc", "aaa/bbb/ddd"] {
        screen.with(|screen| screen.list(tree).and_then(|list| list.load(0, path.as_bytes())))??;
    }
    screen.with(|screen| {
        Menu::parse(200, b"-[&File],F:[&Open,&Quit=4]").map(|menu| screen.panels_mut().set_menu(menu))
    })??;
    loop {
        mnemonic(screen, "@", &[2, 0])?;
        let result = screen.input(InputRequest { hidden: true, ..InputRequest::default() }, None)?;
        if result.ctl == 4 {
            return Ok(());
        }
        if result.ctl == 100 {
            screen.with(|screen| screen.control(report, Verb::Hide))??;
        }
        let (typed, picked) = screen.with(|screen| {
            let typed = screen.control_text(input).unwrap_or_default();
            (
                mainstay_screen::characters::decode(&typed).into_owned(),
                screen.list(choice).map(|list| list.selected_index()),
            )
        })?;
        mnemonic(screen, "@", &[2, 20])?;
        print(screen, &format!("CTL {} text {typed:?} choice {}   ", result.ctl, picked?))?;
    }
}

/// A menu bar, and a button with a popup menu; each choice is shown.
fn menus(screen: &ScreenHandle) -> Result<(), ScreenError> {
    let bar = b"-[&File,&Edit,&Quit=4],F:[&Open\tF3,,&Save=D7,&Recent],FR:[&First,&Second=C9],E:[&Cut,&Paste]";
    screen.with(|screen| Menu::parse(200, bar).map(|menu| screen.panels_mut().set_menu(menu)))??;
    let button = Definition { contents: b"&More".to_vec(), menu_ctl: 77, ..at(2.0, 3.0, 12.0, 1.5) };
    screen.with(|screen| screen.create(Name::new(Kind::Button, 76), button))??;
    loop {
        mnemonic(screen, "@", &[2, 0])?;
        let result = screen.input(InputRequest { hidden: true, ..InputRequest::default() }, None)?;
        let chosen = match result.ctl {
            4 => return Ok(()),
            77 => screen.popup_menu(Popup::parse(b"[&One,&Two,&More],M:[&All=99,&None=D98]")?, None)?,
            _ => None,
        };
        let path = screen.with(|screen| screen.panels().menu().chosen.clone())?;
        mnemonic(screen, "@", &[2, 8])?;
        let chosen = chosen.map(|choice| (choice.path, choice.value));
        print(screen, &format!("CTL {} bar {path:?} popup {chosen:?}          ", result.ctl))?;
    }
}

/// A grid; each used cell is shown, and F2 prints the grid.
fn grid(screen: &ScreenHandle) -> Result<(), ScreenError> {
    let grid = Name::new(Kind::Grid, 110);
    let format = b"[Item](Normal:ITEM$)L12 [Price]R10 [Stock]R8".to_vec();
    screen.with(|screen| screen.create(grid, Definition { format, ..at(2.0, 1.0, 34.0, 6.0) }))??;
    let rows = b"Bolt\x8a12.50\x8a100\nNut\x8a3.75\x8a2500\nAxle\x8a140.00\x8a8\n";
    screen.with(|screen| screen.grid(grid).and_then(|grid| grid.load(1, 0, rows)))??;
    loop {
        mnemonic(screen, "@", &[2, 10])?;
        let result = screen.input(InputRequest { hidden: true, ..InputRequest::default() }, None)?;
        mnemonic(screen, "@", &[2, 12])?;
        match result.ctl {
            4 => return Ok(()),
            2 => {
                let all = screen.with(|screen| screen.grid(grid).and_then(|grid| grid.find(0, 0)))??;
                if let Ok(stock) = Document::new("Stock", all.trim_ascii_end().split(|byte| *byte == b'\n')) {
                    screen.with(|screen| screen.add_document(stock))?;
                }
            }
            110 => {
                let used = screen.with(|screen| screen.read_grid(grid, false))??;
                let value = String::from_utf8_lossy(&used.value).into_owned();
                print(screen, &format!("cell {:?} {value} by {}   ", used.cell, used.eom))?;
            }
            _ => {}
        }
    }
}

fn flood(screen: &ScreenHandle) -> Result<(), ScreenError> {
    for line in 0.. {
        print(screen, &format!("line {line}\n"))?;
    }
    Ok(())
}

fn main() {
    let config = Config { grace: Duration::from_secs(5), programs_per_user: 20, ..Config::default() };
    let console = Console::new(config, Arc::new(Tester), Arc::new(Shop)).expect("threads can be started");
    let settings = mainstay_server::Config::default();
    let server = Server::new(settings, &Memory::new(), Box::new(std::io::sink())).expect("a certificate can be made");
    let address = server.open(([127, 0, 0, 1], 0).into(), ConsoleDoor::new(console)).expect("the door listens");
    println!("{{\"port\": {}}}", address.port());
    let mut rest = Vec::new();
    std::io::stdin().read_to_end(&mut rest).expect("standard input can be read");
    server.stop();
}
