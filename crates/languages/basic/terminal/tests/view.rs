//! Pictures of screens with controls.

use mainstay_basic_terminal::view::View;
use mainstay_screen::controls::{Area, Definition, Kind, Name};
use mainstay_screen::event::{Event, Key};
use mainstay_screen::panels::MessageBox;
use mainstay_screen::{Screen, Verb};

const LIST: Name = Name { kind: Kind::ListBox, id: 10, sub: 0 };

fn at(column: f32, row: f32, columns: f32, rows: f32) -> Definition {
    Definition { area: Area { column, row, columns, rows }, ..Definition::default() }
}

/// The picture on a terminal of 30 by 9; cells that are reversed stand between guillemets.
fn picture(screen: &mut Screen) -> Vec<String> {
    let mut view = View::default();
    for operation in screen.take_operations(true) {
        view.perform(operation);
    }
    let rows = |handle: u32, from: usize, count: usize| screen.list_rows(handle, from, count).unwrap().1;
    let picture = view.picture(30, 9, &rows);
    let line = |row: u16| {
        let mut line = String::new();
        let mut reversed = false;
        for cell in picture.row(row) {
            let now = cell.style.attributes.0 & 2 != 0;
            if now != reversed {
                line.push(if now { '»' } else { '«' });
            }
            reversed = now;
            line.push(cell.character);
        }
        line.trim_end().to_owned()
    };
    let mut lines: Vec<String> = (0..9).map(line).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

#[test]
fn a_list_follows_its_selection() {
    let mut screen = Screen::new(30, 8);
    screen.print(b"text");
    screen.create(LIST, at(10.0, 0.0, 8.0, 3.0)).unwrap();
    for line in 1..=9 {
        screen.list(LIST).unwrap().load(0, format!("line {line}").as_bytes()).unwrap();
    }
    assert_eq!(picture(&mut screen), ["text      line 1", "          line 2", "          line 3"]);
    screen.list(LIST).unwrap().select(9).unwrap();
    assert_eq!(picture(&mut screen), ["text      line 7", "          line 8", "          »line 9  «"]);
}

#[test]
fn columns_and_trees() {
    let mut screen = Screen::new(30, 8);
    let format = b"[Name]L8 [Amount]#R8".to_vec();
    screen.create(LIST, Definition { options: b"r".to_vec(), format, ..at(0.0, 0.0, 20.0, 3.0) }).unwrap();
    screen.list(LIST).unwrap().load_all(b"Bolt\x8a12.50\nNut\x8a3.75\n").unwrap();
    let tree = Name::new(Kind::ListBox, 11);
    screen.create(tree, Definition { options: b"e".to_vec(), ..at(0.0, 4.0, 20.0, 3.0) }).unwrap();
    screen.list(tree).unwrap().load(0, b"a/b").unwrap();
    screen.list(tree).unwrap().toggle_branch(0);
    assert_eq!(picture(&mut screen), ["Name      Amount", "Bolt       12.50", "Nut         3.75", "", "- a", "    b"]);
}

#[test]
fn other_controls_and_the_focus() {
    let mut screen = Screen::new(30, 8);
    let text = |text: &str, definition: Definition| Definition { contents: text.as_bytes().to_vec(), ..definition };
    screen.create(Name::new(Kind::Button, 1), text("&Save", at(0.0, 0.0, 12.0, 1.0))).unwrap();
    screen.create(Name::new(Kind::CheckBox, 2), text("Active", at(0.0, 1.0, 12.0, 1.0))).unwrap();
    screen.create(Name { kind: Kind::RadioButton, id: 3, sub: 1 }, text("Daily", at(0.0, 2.0, 12.0, 1.0))).unwrap();
    let choice = Name::new(Kind::DropBox, 4);
    screen.create(choice, at(0.0, 3.0, 10.0, 4.0)).unwrap();
    screen.list(choice).unwrap().load_all(b"Cat/Dog/").unwrap();
    screen.list(choice).unwrap().select(2).unwrap();
    screen.control(Name { kind: Kind::RadioButton, id: 3, sub: 1 }, Verb::On).unwrap();
    for key in [Key::Tab, Key::Tab, Key::Character(' ')] {
        screen.event(Event::Key(key.into()));
    }
    assert_eq!(picture(&mut screen), ["[ Save ]", "»[x] Active«", "(*) Daily", "Dog      v"]);
    screen.control(choice, Verb::Hide).unwrap();
    assert_eq!(picture(&mut screen).len(), 3);
}

#[test]
fn a_message_box_covers_the_screen() {
    let mut screen = Screen::new(30, 8);
    screen.print("x".repeat(240).as_bytes());
    screen.open_message_box(MessageBox::new(b"Leave?", Some(b"Form"), b"YESNO"));
    let lines = picture(&mut screen);
    // The buttons with a blank behind each take 15 columns, the box four more.
    assert_eq!(lines[2], "xxxxx┌Form─────────────┐xxxxxx");
    assert_eq!(lines[3], "xxxxx│ Leave?          │xxxxxx");
    assert_eq!(lines[5], "xxxxx│ »[ YES ]« [ NO ]  │xxxxxx");
}

#[test]
fn a_grid_shows_its_current_cell_and_moves_sideways_to_it() {
    const GRID: Name = Name { kind: Kind::Grid, id: 20, sub: 0 };
    let mut screen = Screen::new(30, 8);
    let format = b"[Item]L6 [Price]R6 [Note]L6".to_vec();
    screen.create(GRID, Definition { format, ..at(0.0, 0.0, 12.0, 3.0) }).unwrap();
    screen.grid(GRID).unwrap().load(1, 0, b"Nut\x8a1.50\x8anew\nBolt\x8a2.00\x8aold\n").unwrap();
    assert_eq!(picture(&mut screen), ["Item   Price", "Nut     1.50", "Bolt    2.00"]);
    screen.grid(GRID).unwrap().go_to(2, 2).unwrap();
    assert_eq!(picture(&mut screen), ["Item   Price", "Nut     1.50", "Bolt  »  2.00«"]);
    screen.grid(GRID).unwrap().go_to(3, 1).unwrap();
    assert_eq!(picture(&mut screen), [" PriceNote", "  1.50»new   «", "  2.00old"]);
}
