//! Screens as text, and transcripts of the operations that a face gets.
#![allow(dead_code)]

use mainstay_screen::Screen;
use mainstay_screen::cell::{Colour, Style};
use mainstay_screen::event::{Event, Key};
use mainstay_screen::frame::Operation;
use mainstay_screen::mnemonic::{Argument, encode};

/// The bytes of a mnemonic without arguments.
pub fn plain(name: &str) -> Vec<u8> {
    encode(name, &[]).unwrap()
}

/// The bytes of a mnemonic with numbers.
pub fn with_numbers(name: &str, numbers: &[i32]) -> Vec<u8> {
    let arguments: Vec<Argument> = numbers.iter().map(|number| Argument::Number(f64::from(*number))).collect();
    encode(name, &arguments).unwrap()
}

/// Prints mnemonics and texts: words in quotes are mnemonics, `@c,r` positions, everything else text.
pub fn print(screen: &mut Screen, parts: &[&str]) {
    for part in parts {
        if let Some(name) = part.strip_prefix('\'') {
            screen.print(&plain(name.trim_end_matches('\'')));
        } else if let Some((column, row)) = part.strip_prefix('@').and_then(|at| at.split_once(',')) {
            screen.print(&with_numbers("@", &[column.parse().unwrap(), row.parse().unwrap()]));
        } else {
            screen.print(part.as_bytes());
        }
    }
}

/// The rows of the screen without blanks at their ends, and without blank rows at the end.
pub fn rows(screen: &mut Screen) -> Vec<String> {
    screen.take_operations(false);
    let plane = screen.text().screen();
    let text = |row: u16| plane.row(row).iter().map(|cell| cell.character).collect::<String>().trim_end().to_owned();
    let mut rows: Vec<String> = (0..plane.rows()).map(text).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

/// Presses keys; a word in braces names one, as in `{Enter}`.
pub fn keys(screen: &mut Screen, text: &str) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let named = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (key, after) = match named {
            Some((name, after)) => (key_named(name), after),
            None => (Key::Character(first), &rest[first.len_utf8()..]),
        };
        screen.event(Event::Key(key.into()));
        rest = after;
    }
}

fn key_named(name: &str) -> Key {
    match name {
        "Enter" => Key::Enter,
        "Tab" => Key::Tab,
        "Left" => Key::Left,
        "Right" => Key::Right,
        "Up" => Key::Up,
        "Down" => Key::Down,
        "Home" => Key::Home,
        "End" => Key::End,
        "PageDown" => Key::PageDown,
        "Insert" => Key::Insert,
        "Delete" => Key::Delete,
        "Backspace" => Key::Backspace,
        "Escape" => Key::Escape,
        _ => Key::Function(name.strip_prefix('F').and_then(|number| number.parse().ok()).expect(name)),
    }
}

fn style(style: Style) -> String {
    let mut text = String::new();
    for (bit, letter) in [(1, 'd'), (2, 'r'), (4, 'b'), (8, 'u')] {
        if style.attributes.0 & bit != 0 {
            text.push(letter);
        }
    }
    for (colour, letter) in [(style.foreground, 'f'), (style.background, 'b')] {
        if colour != Colour::Default {
            text.push_str(&format!(" {letter}:{colour:?}"));
        }
    }
    text
}

/// One line for each operation.
pub fn transcript(operations: &[Operation]) -> String {
    operations.iter().map(|operation| format!("{}\n", line(operation))).collect()
}

fn line(operation: &Operation) -> String {
    match operation {
        Operation::Row { row, runs } => {
            let runs = runs.iter().map(|run| format!(" {}{:?}[{}]", run.column, run.text, style(run.style)));
            format!("row {row}{}", runs.collect::<String>())
        }
        Operation::Cursor { column, row, mode } => format!("cursor {column},{row} {mode:?}"),
        Operation::Control(control) => {
            let area = control.area;
            let flags: String =
                [(control.on, 'o'), (control.visible, 'v'), (control.enabled, 'e'), (control.locked, 'l')]
                    .iter()
                    .filter(|(on, _)| *on)
                    .map(|(_, letter)| *letter)
                    .collect();
            let place = format!("{},{} {}x{}", area.column, area.row, area.columns, area.rows);
            format!(
                "control {} {:?} {} at {place} {:?} {flags}",
                control.handle, control.kind, control.id, control.text
            )
        }
        Operation::List(list) => format!(
            "list {} generation {} rows {} from {} selected {:?}",
            list.handle, list.generation, list.count, list.first_changed, list.selected
        ),
        Operation::Input(input) => format!(
            "input {} at {},{} width {} {:?} cursor {} keys {}",
            input.number, input.column, input.row, input.width, input.text, input.cursor, input.keys_done
        ),
        other => format!("{other:?}"),
    }
}
