//! Pictures of screens with controls.

use mainstay_basic_terminal::view::{KeyUse, View};
use mainstay_screen::controls::{Area, Definition, Kind, Name};
use mainstay_screen::event::{Action, Event, Key, KeyPress, Modifiers, MouseButton};
use mainstay_screen::frame::Operation;
use mainstay_screen::menu::{Menu, Popup};
use mainstay_screen::mnemonic::{Argument, Mnemonic};
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
    picture_of(&view, screen)
}

fn picture_of(view: &View, screen: &Screen) -> Vec<String> {
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
    screen.panels_mut().open_message_box(MessageBox::new(b"Leave?", Some(b"Form"), b"YESNO"));
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

fn show(view: &mut View, operations: Vec<Operation>) {
    for operation in operations {
        view.perform(operation);
    }
}

/// The event that a view makes of a key.
fn key(view: &mut View, key: Key, alt: bool) -> Option<Event> {
    let press = KeyPress { key, modifiers: Modifiers { alt, ..Modifiers::default() } };
    match view.key(press) {
        KeyUse::Unused => Some(Event::Key(press)),
        KeyUse::Used => None,
        KeyUse::Becomes(event) => Some(event),
    }
}

#[test]
fn the_menu_bar_is_used_by_the_keyboard_alone() {
    let mut screen = Screen::new(30, 8);
    screen.print(b"text");
    let definition = b"-[&File,&Edit,&Quit=4],F:[&Open,,&Save=D7],E:[&Cut,&More],EM:[&All=C9]";
    screen.panels_mut().set_menu(Menu::parse(100, definition).unwrap());
    let mut view = View::default();
    show(&mut view, screen.take_operations(true));
    assert_eq!(picture_of(&view, &screen), [" File  Edit  Quit", "text"]);
    assert_eq!(key(&mut view, Key::Character('f'), false), Some(Event::Key(Key::Character('f').into())));
    assert_eq!(key(&mut view, Key::Character('f'), true), None);
    let open = ["» File « Edit  Quit", "┌──────┐", "│» Open «│", "│──────│", "│ Save │", "└──────┘"];
    assert_eq!(picture_of(&view, &screen), open);
    // The line between elements is passed over; a disabled element cannot be chosen.
    assert_eq!(key(&mut view, Key::Down, false), None);
    assert_eq!(key(&mut view, Key::Enter, false), None);
    assert_eq!(key(&mut view, Key::Down, false), None);
    assert_eq!(key(&mut view, Key::Enter, false), Some(Event::Menu("FO".into())));
    assert_eq!(picture_of(&view, &screen).len(), 2);
    // From group to group, and into a menu below an element.
    for (pressed, alt) in [(Key::Character('f'), true), (Key::Right, false), (Key::Up, false), (Key::Right, false)] {
        assert_eq!(key(&mut view, pressed, alt), None);
    }
    let lines = picture_of(&view, &screen);
    assert_eq!(lines[1], "text  ┌────────┐");
    assert_eq!(lines[2..], ["      │ Cut    │┌───────┐", "      │» More  >«││» √ All «│", "      └────────┘└───────┘"]);
    assert_eq!(key(&mut view, Key::Enter, false), Some(Event::Menu("EMA".into())));
    // Escape closes level by level; a group without elements is chosen by its letter.
    for (pressed, alt) in [(Key::Character('e'), true), (Key::Escape, false), (Key::Escape, false)] {
        assert_eq!(key(&mut view, pressed, alt), None);
    }
    assert_eq!(key(&mut view, Key::Character('q'), true), Some(Event::Menu("Q".into())));
    // A click opens a group, another one chooses in it.
    let mut click = |column: u16, row: u16| view.mouse((column, row), MouseButton::Left, true, (30, 9));
    assert_eq!((click(8, 0), click(8, 2)), (vec![], vec![Event::Menu("EC".into())]));
    assert_eq!(click(15, 0), [Event::Menu("Q".into())]);
    // The program gives the bar the focus.
    screen.panels_mut().focus_menu();
    show(&mut view, screen.take_operations(false));
    assert_eq!(picture_of(&view, &screen)[0], "» File « Edit  Quit");
}

#[test]
fn popup_menus_and_the_mouse() {
    let mut screen = Screen::new(30, 8);
    let button = Definition { contents: b"Go".to_vec(), menu_ctl: 77, ..at(2.0, 1.0, 8.0, 1.0) };
    screen.create(Name::new(Kind::Button, 1), button).unwrap();
    let handle = screen.controls().all()[0].handle;
    let mut view = View::default();
    show(&mut view, screen.take_operations(true));
    let click = |view: &mut View, at: (u16, u16), button: MouseButton| view.mouse(at, button, true, (30, 9));
    let used = |action: Action| Event::Control { handle, action };
    assert_eq!(click(&mut view, (4, 1), MouseButton::Left), [used(Action::Focus), used(Action::Press)]);
    assert_eq!(click(&mut view, (4, 1), MouseButton::Right), [used(Action::Focus), used(Action::Menu)]);
    let elsewhere = Event::Mouse { column: 20, row: 5, button: MouseButton::Right, down: true };
    assert_eq!(click(&mut view, (20, 5), MouseButton::Right), [elsewhere]);
    screen.open_popup(Popup::parse(b"[&One,&Two]").unwrap(), Some((3, 2)));
    show(&mut view, screen.take_operations(false));
    let lines = picture_of(&view, &screen);
    assert_eq!(lines[2..], ["   ┌─────┐", "   │» One «│", "   │ Two │", "   └─────┘"]);
    let chosen = |path: &str| Event::Popup { number: 1, path: path.to_owned() };
    assert_eq!(click(&mut view, (5, 4), MouseButton::Left), [chosen("T")]);
    screen.open_popup(Popup::parse(b"[&One,&Two]").unwrap(), None);
    show(&mut view, screen.take_operations(false));
    assert_eq!(key(&mut view, Key::Escape, false), Some(Event::Popup { number: 2, path: String::new() }));
}

#[test]
fn a_text_input_is_edited_at_its_caret() {
    let mut screen = Screen::new(30, 8);
    let one = Name::new(Kind::MultiLine, 1);
    screen.create(one, at(0.0, 0.0, 6.0, 1.0)).unwrap();
    screen.set_control_text(one, b"abcd").unwrap();
    for key in [Key::Tab, Key::Left, Key::Left, Key::Character('x')] {
        screen.event(Event::Key(key.into()));
    }
    assert_eq!(picture(&mut screen), ["»abx«c»d «"]);
    // A text that is longer than the field moves to the left.
    for key in [Key::End, Key::Character('1'), Key::Character('2'), Key::Character('3')] {
        screen.event(Event::Key(key.into()));
    }
    assert_eq!(picture(&mut screen), ["»cd123«"]);
    assert_eq!(screen.control_text(one), Ok(b"abxcd123".to_vec()));
    // A locked one is read, and not changed.
    screen.control(one, Verb::Lock).unwrap();
    for key in [Key::Home, Key::Character('y'), Key::Delete] {
        screen.event(Event::Key(key.into()));
    }
    assert_eq!(picture(&mut screen), ["a»bxcd1«"]);
    // Several lines.
    let lines = Name::new(Kind::MultiLine, 2);
    screen.create(lines, at(10.0, 2.0, 6.0, 2.0)).unwrap();
    screen.set_control_text(lines, b"one\x8atwo\x8athree").unwrap();
    screen.event(Event::Key(Key::Tab.into()));
    assert_eq!(picture(&mut screen)[2..], ["          »two   «", "          »three«"]);
    screen.event(Event::Key(Key::Up.into()));
    screen.event(Event::Key(Key::Up.into()));
    screen.event(Event::Key(Key::Character('!').into()));
    assert_eq!(screen.control_text(lines), Ok(b"one!\x8atwo\x8athree".to_vec()));
}

/// A terminal with a row for the menu bar shows the screen one row lower: popup menus, the cursor and clicks move with it.
#[test]
fn popup_menus_below_a_menu_bar_are_at_their_place() {
    let mut screen = Screen::new(30, 8);
    screen.panels_mut().set_menu(Menu::parse(100, b"-[&File],F:[&Open]").unwrap());
    screen.open_popup(Popup::parse(b"[&One,&Two]").unwrap(), Some((3, 2)));
    let mut view = View::default();
    show(&mut view, screen.take_operations(true));
    let lines = picture_of(&view, &screen);
    assert_eq!(lines, [" File", "", "", "   ┌─────┐", "   │» One «│", "   │ Two │", "   └─────┘"]);
    let chosen = Event::Popup { number: 1, path: "T".to_owned() };
    assert_eq!(view.mouse((5, 5), MouseButton::Left, true, (30, 9)), [chosen]);
    // A terminal as high as the screen has no row for the bar, and nothing moves.
    screen.open_popup(Popup::parse(b"[&One,&Two]").unwrap(), Some((3, 2)));
    show(&mut view, screen.take_operations(false));
    let chosen = Event::Popup { number: 2, path: "T".to_owned() };
    assert_eq!(view.mouse((5, 4), MouseButton::Left, true, (30, 8)), [chosen]);
}

#[test]
fn the_cursor_shows_where_the_keys_go() {
    let mut screen = Screen::new(30, 8);
    screen.print(b"\x1b@\x05\x07");
    screen.create(LIST, at(10.0, 0.0, 8.0, 3.0)).unwrap();
    screen.list(LIST).unwrap().load_all(b"a,b,c,d,e,").unwrap();
    let check_box = Name::new(Kind::CheckBox, 11);
    screen.create(check_box, Definition { contents: b"On".to_vec(), ..at(2.0, 4.0, 8.0, 1.0) }).unwrap();
    let mut view = View::default();
    let mut cursor_after = |screen: &mut Screen, keys: &[Key]| {
        keys.iter().for_each(|key| screen.event(Event::Key((*key).into())));
        show(&mut view, screen.take_operations(false));
        view.cursor()
    };
    assert_eq!(cursor_after(&mut screen, &[]), Some((5, 7)));
    // The first line of a list in which nothing is selected, then the selected one, then the box of the check box.
    assert_eq!(cursor_after(&mut screen, &[Key::Tab]), Some((10, 0)));
    assert_eq!(cursor_after(&mut screen, &[Key::Down, Key::Down]), Some((10, 1)));
    assert_eq!(cursor_after(&mut screen, &[Key::End]), Some((10, 2)));
    assert_eq!(cursor_after(&mut screen, &[Key::Tab]), Some((3, 4)));
}

#[test]
fn the_wheel_moves_the_rows_of_a_list() {
    let mut screen = Screen::new(30, 8);
    screen.create(LIST, at(10.0, 0.0, 8.0, 2.0)).unwrap();
    screen.list(LIST).unwrap().load_all(b"a,b,c,d,e,").unwrap();
    let mut view = View::default();
    show(&mut view, screen.take_operations(true));
    assert!(!view.scroll((2, 2), 3, 8));
    assert!(view.scroll((11, 1), 3, 8));
    assert_eq!(picture_of(&view, &screen), ["          d", "          e"]);
    assert!(view.scroll((11, 1), -1, 8));
    assert_eq!(picture_of(&view, &screen), ["          c", "          d"]);
}

#[test]
fn a_list_below_a_window_is_seen_around_it() {
    let mut screen = Screen::new(30, 8);
    screen.create(LIST, at(0.0, 0.0, 12.0, 4.0)).unwrap();
    screen.list(LIST).unwrap().load_all(b"first line,second line,third line,").unwrap();
    screen
        .perform(Mnemonic::parse("WINDOW", &[3, 1, 6, 3, 1].map(|n| Argument::Number(f64::from(n)))).unwrap())
        .unwrap();
    screen.print(b"window");
    assert_eq!(picture(&mut screen), ["first line", "secwindowne", "thi      e"]);
}

#[test]
fn a_drop_box_opens_its_list() {
    let mut screen = Screen::new(30, 8);
    let choice = Name::new(Kind::DropBox, 4);
    screen.create(choice, at(2.0, 1.0, 10.0, 4.0)).unwrap();
    screen.list(choice).unwrap().load_all(b"Cat/Dog/Bird/").unwrap();
    screen.list(choice).unwrap().select(2).unwrap();
    let handle = screen.controls().all()[0].handle;
    let chosen = |row: usize| Event::Control { handle, action: Action::Select { row, mode: 1, extend: false } };
    let mut view = View::default();
    show(&mut view, screen.take_operations(true));
    let click = |view: &mut View, at: (u16, u16), down: bool| view.mouse(at, MouseButton::Left, down, (30, 8));
    // A click opens it, another one chooses; the button that comes up does neither.
    assert_eq!(click(&mut view, (3, 1), true), [Event::Control { handle, action: Action::Focus }]);
    assert_eq!(click(&mut view, (3, 1), false), []);
    let open = ["", "  Dog      v", "  ┌────────┐", "  │Cat     │", "  │»Dog     «│", "  │Bird    │", "  └────────┘"];
    assert_eq!(picture_of(&view, &screen), open);
    assert_eq!(click(&mut view, (4, 5), true), [chosen(2)]);
    assert_eq!(picture_of(&view, &screen).len(), 2);
    // The space bar opens it for the keyboard; Escape closes it without a choice.
    screen.event(Event::Key(Key::Tab.into()));
    show(&mut view, screen.take_operations(false));
    assert_eq!(key(&mut view, Key::Character(' '), false), None);
    assert_eq!(key(&mut view, Key::Up, false), None);
    assert_eq!(key(&mut view, Key::Enter, false), Some(chosen(0)));
    assert_eq!(key(&mut view, Key::Character(' '), false), None);
    assert_eq!(key(&mut view, Key::Escape, false), None);
    assert_eq!(key(&mut view, Key::Escape, false), Some(Event::Key(Key::Escape.into())));
    // Near the lower edge it opens upwards.
    screen.create(Name::new(Kind::DropBox, 5), at(2.0, 6.0, 10.0, 4.0)).unwrap();
    screen.list(Name::new(Kind::DropBox, 5)).unwrap().load_all(b"Fish/").unwrap();
    show(&mut view, screen.take_operations(false));
    click(&mut view, (3, 6), true);
    assert_eq!(picture_of(&view, &screen)[3..6], ["  ┌────────┐", "  │»Fish    «│", "  └────────┘"]);
}
