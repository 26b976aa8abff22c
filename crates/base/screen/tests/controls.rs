//! Controls: list boxes of all styles, drop boxes, buttons, text inputs and message boxes.

mod common;

use common::{keys, plain, print, rows, transcript, with_numbers};
use mainstay_screen::controls::{Area, Definition, Kind, Name};
use mainstay_screen::event::{Action, Event};
use mainstay_screen::field::InputRequest;
use mainstay_screen::frame::Operation;
use mainstay_screen::panels::MessageBox;
use mainstay_screen::plane::Region;
use mainstay_screen::{Screen, Verb};

const LIST: Name = Name { kind: Kind::ListBox, id: 10, sub: 0 };

fn definition(options: &str) -> Definition {
    let area = Area { column: 2.0, row: 1.0, columns: 12.0, rows: 4.0 };
    Definition { area, options: options.as_bytes().to_vec(), ..Definition::default() }
}

/// A screen with list box 10.
fn with_list(options: &str) -> Screen {
    let mut screen = Screen::new(40, 10);
    screen.create(LIST, definition(options)).unwrap();
    screen
}

/// The handle of the last control.
fn handle(screen: &Screen) -> u32 {
    screen.controls().all().last().unwrap().handle
}

fn act(screen: &mut Screen, action: Action) {
    let handle = handle(screen);
    screen.event(Event::Control { handle, action });
}

/// The CTL of an input that has ended, after which the next begins.
fn ctl(screen: &mut Screen) -> Option<i32> {
    let result = screen.take_input();
    if result.is_some() {
        screen.begin_input(InputRequest::default());
    }
    result.map(|result| result.ctl)
}

#[test]
fn loading_by_index() {
    // `directives/list_box`, formats 5 and 7.
    let mut screen = with_list("");
    let list = screen.list(LIST).unwrap();
    list.load_all(b"Dog/Cat/Pig/").unwrap();
    list.load(0, b"Cow").unwrap();
    list.load(1, b"Ant").unwrap();
    list.load(3, b"Bee").unwrap();
    assert_eq!(list.find(0).unwrap(), b"Ant/Dog/Bee/Cat/Pig/Cow/");
    list.delete(4).unwrap();
    assert_eq!(list.find(4).unwrap(), b"Pig");
    for error in [list.load(9, b"x").unwrap_err(), list.delete(6).unwrap_err(), list.find(6).map(drop).unwrap_err()] {
        assert_eq!(error.number, 41);
    }
    assert_eq!(list.load(0, &[b'x'; 9000]).unwrap_err().number, 46);
    list.load_all(b"").unwrap();
    assert!(list.is_empty());
}

#[test]
fn load_points() {
    let mut screen = with_list("");
    let list = screen.list(LIST).unwrap();
    list.load_all(b"a,b,").unwrap();
    list.load_point = -1;
    list.load_all(b"c,d,").unwrap();
    assert_eq!(list.find(0).unwrap(), b"a,b,c,d,");
    list.load_point = 2;
    list.load_all(b"x,y,").unwrap();
    assert_eq!((list.find(0).unwrap(), list.load_point), (b"a,x,y,b,c,d,".to_vec(), 0));
    list.load_all(b"z,").unwrap();
    assert_eq!(list.find(0).unwrap(), b"z,");
}

#[test]
fn selecting() {
    let mut screen = with_list("");
    let list = screen.list(LIST).unwrap();
    list.load_all(b"Dog/Cat/Pig/").unwrap();
    list.select_text(b"Cat").unwrap();
    assert_eq!((list.selected_index(), list.selected_text()), (2, b"Cat".to_vec()));
    // The selection stays with its element.
    list.load(1, b"Ant").unwrap();
    assert_eq!(list.selected_index(), 3);
    list.delete(3).unwrap();
    assert_eq!(list.selected_index(), 0);
    assert_eq!(list.select_text(b"Ca").unwrap_err().number, 11);
    list.select(2).unwrap();
    list.select_text(b"").unwrap();
    assert_eq!(list.selected_text(), b"");
    assert_eq!(list.select(4).unwrap_err().number, 41);
}

#[test]
fn several_elements_are_separated_by_the_delimiter() {
    // The example of `OPT="#"`.
    let mut screen = with_list("#");
    let list = screen.list(LIST).unwrap();
    list.load_all(b"Cat/Dog/Pig/").unwrap();
    list.select_text(b"Cat").unwrap();
    assert_eq!(list.selected_text(), b"Cat/");
    list.delete(2).unwrap();
    list.select(2).unwrap();
    assert_eq!(list.selected_text(), b"Cat/Pig/");
}

#[test]
fn the_user_selects() {
    let mut screen = with_list("");
    screen.list(LIST).unwrap().load_all(b"Dog/Cat/Pig/").unwrap();
    screen.begin_input(InputRequest::default());
    act(&mut screen, Action::Select { row: 1, mode: 1, extend: false });
    assert_eq!(ctl(&mut screen), Some(10));
    assert_eq!(screen.list(LIST).unwrap().selected_text(), b"Cat");
    assert_eq!((screen.take_mode(LIST), screen.take_mode(LIST)), (Ok(1), Ok(0)));
    // Cursor keys report with AUTO only.
    act(&mut screen, Action::Select { row: 2, mode: 0, extend: false });
    assert_eq!(ctl(&mut screen), None);
    screen.control(LIST, Verb::Auto).unwrap();
    act(&mut screen, Action::Select { row: 0, mode: 0, extend: false });
    assert_eq!(ctl(&mut screen), Some(10));
    // Rows that do not exist, and disabled controls, change nothing.
    act(&mut screen, Action::Select { row: 3, mode: 1, extend: false });
    screen.control(LIST, Verb::Disable).unwrap();
    act(&mut screen, Action::Select { row: 1, mode: 1, extend: false });
    assert_eq!((ctl(&mut screen), screen.list(LIST).unwrap().selected_index()), (None, 1));
}

#[test]
fn keys_of_a_terminal_move_in_a_list() {
    let mut screen = with_list("");
    for line in 1..=20 {
        screen.list(LIST).unwrap().load(0, format!("{} line", line).as_bytes()).unwrap();
    }
    screen.begin_input(InputRequest::default());
    screen.control(LIST, Verb::Goto).unwrap();
    for (pressed, index) in
        [("{Down}", 1), ("{Down}{Down}", 3), ("{PageDown}", 6), ("{End}", 20), ("{Home}", 1), ("2", 2), ("2", 20)]
    {
        keys(&mut screen, pressed);
        assert_eq!(screen.list(LIST).unwrap().selected_index(), index, "{pressed}");
    }
    keys(&mut screen, "{Enter}");
    assert_eq!((ctl(&mut screen), screen.take_mode(LIST)), (Some(10), Ok(13)));
    // Tab leads back to the field.
    keys(&mut screen, "{Tab}x{Enter}");
    assert_eq!(screen.take_input().map(|result| (result.text, result.ctl)), Some(("x".into(), 0)));
}

#[test]
fn a_face_keeps_the_rows_before_a_change() {
    let mut screen = with_list("");
    screen.take_operations(true);
    let mut list_changes = |change: &dyn Fn(&mut Screen)| {
        change(&mut screen);
        transcript(&screen.take_operations(false))
    };
    let load = |index: usize| move |screen: &mut Screen| screen.list(LIST).unwrap().load(index, b"row").unwrap();
    let five = |screen: &mut Screen| (0..5).for_each(|_| load(0)(screen));
    assert_eq!(list_changes(&five), "list 1 generation 0 rows 5 from 0 selected []\n");
    assert_eq!(list_changes(&five), "list 1 generation 0 rows 10 from 5 selected []\n");
    assert_eq!(list_changes(&load(4)), "list 1 generation 1 rows 11 from 3 selected []\n");
    let delete_last = |screen: &mut Screen| screen.list(LIST).unwrap().delete(11).unwrap();
    assert_eq!(list_changes(&delete_last), "list 1 generation 2 rows 10 from 10 selected []\n");
    let select = |screen: &mut Screen| screen.list(LIST).unwrap().select(2).unwrap();
    assert_eq!(list_changes(&select), "list 1 generation 2 rows 10 from 10 selected [1]\n");
    assert_eq!(list_changes(&|_| {}), "");
    let again = |screen: &mut Screen| screen.list(LIST).unwrap().load_all(b"x/y/").unwrap();
    assert_eq!(list_changes(&again), "list 1 generation 3 rows 2 from 0 selected []\n");
}

#[test]
fn columns_of_a_report_view() {
    let mut screen = Screen::new(60, 10);
    let format = b"[Company]L10 {} [Sent]DMYL11 [Amount]#R12 S [Code]UC6".to_vec();
    screen.create(LIST, Definition { format, ..definition("r") }).unwrap();
    let list = screen.list(LIST).unwrap();
    let columns: Vec<String> =
        list.columns.iter().map(|c| format!("{} {} {:?} {:?}", c.title, c.width, c.alignment, c.field)).collect();
    assert_eq!(
        columns,
        ["Company 10 Left Some(0)", "Sent 11 Left Some(2)", "Amount 12 Right Some(3)", "Code 6 Centre Some(5)"]
    );
    let rows = [
        &b"Beta\x8a\x8a15-11-99\x8a$1,200.00\x8ahidden\x8ab\x8a"[..],
        b"Alpha\x8a\x8a02-JAN-2002\x8a-5.00\x8ahidden\x8aC\x8a",
        b"Gamma\x8a\x8a14-12-1999\x8a30.50\x8ahidden\x8aa\x8a",
    ];
    list.load_each(rows.into_iter(), None).unwrap();
    list.select(1).unwrap();
    let order = |list: &mut mainstay_screen::controls::List, column: usize, descending: bool| {
        list.sort(column, descending);
        (1..=3).map(|index| char::from(list.find(index).unwrap()[0])).collect::<String>()
    };
    assert_eq!(order(list, 2, false), "AGB");
    assert_eq!(list.selected_index(), 3);
    assert_eq!(order(list, 2, true), "BGA");
    assert_eq!(order(list, 3, false), "GBA");
    // Years of two digits are before those of four, as numbers.
    assert_eq!(order(list, 1, false), "BGA");
    assert_eq!(list.texts(0, 1), ["Beta\t\t15-11-99\t$1,200.00\thidden\tb\t"]);
}

#[test]
fn formatted_lists_and_colours() {
    let mut screen = Screen::new(60, 10);
    let format = b"L8 B2 N15 C3/L5".to_vec();
    screen.create(LIST, Definition { format, ..definition("") }).unwrap();
    let list = screen.list(LIST).unwrap();
    let columns: Vec<String> =
        list.columns.iter().map(|c| format!("{} {:?} {:?}", c.width, c.alignment, c.field)).collect();
    assert_eq!(columns, ["8 Left Some(0)", "2 Left None", "15 Right Some(1)", "3 Centre Some(2)"]);
    list.load(0, &[&b"1123\x8a"[..], &plain("RED"), b"-5\x8a"].concat()).unwrap();
    assert_eq!(list.texts(0, 9), ["1123\t\u{1b}f2-5\t"]);
}

#[test]
fn trees() {
    // `directives/list_box`, "Tree View List Boxes": each step of a path is an element.
    let mut screen = with_list("e");
    let list = screen.list(LIST).unwrap();
    list.load(0, b"aaa/bbb/ccc").unwrap();
    list.load(0, b"aaa/bbb/ddd").unwrap();
    list.load(0, b"aaa/aab").unwrap();
    assert_eq!(list.len(), 5);
    assert_eq!(list.find(0).unwrap(), b"aaa//aaa/aab//aaa/bbb//aaa/bbb/ccc//aaa/bbb/ddd//");
    assert_eq!(list.texts(0, 9), ["0\t+\taaa"]);
    list.toggle_branch(0);
    assert_eq!(list.texts(0, 9), ["0\t-\taaa", "1\t \taab", "1\t+\tbbb"]);
    list.select_text(b"aaa/bbb/ccc").unwrap();
    assert_eq!(list.selected_text(), b"aaa/bbb/ccc/");
    assert_eq!((list.shown(), list.selected_rows(9)), (5, vec![3]));
    list.delete(3).unwrap();
    assert_eq!(list.find(0).unwrap(), b"aaa//aaa/aab//");
}

#[test]
fn buttons_and_boxes() {
    let mut screen = Screen::new(40, 10);
    let contents = |text: &str| Definition { contents: text.as_bytes().to_vec(), ..definition("") };
    let button = Name::new(Kind::Button, 1000);
    screen.create(button, contents("{!Stop}E&xit")).unwrap();
    let check = Name::new(Kind::CheckBox, 100);
    screen.create(check, contents("&Post Month End")).unwrap();
    for sub in 1..=3 {
        screen.create(Name { kind: Kind::RadioButton, id: 200, sub }, contents("&Daily")).unwrap();
    }
    let expected =
        "control 1 Button 1000 at 2,1 12x4 \"Exit\" ve\ncontrol 2 CheckBox 100 at 2,1 12x4 \"Post Month End\" ve\n";
    let text = transcript(&screen.take_operations(false));
    assert!(text.contains(expected), "{text}");
    screen.begin_input(InputRequest::default());
    let press = |screen: &mut Screen, handle: u32| {
        screen.event(Event::Control { handle, action: Action::Press });
        ctl(screen)
    };
    assert_eq!(press(&mut screen, 1), Some(1000));
    assert_eq!((press(&mut screen, 2), screen.is_on(check)), (Some(100), Ok(true)));
    assert_eq!((press(&mut screen, 4), screen.controls().chosen(200)), (Some(200), 2));
    assert_eq!((press(&mut screen, 5), screen.controls().chosen(200)), (Some(200), 3));
    screen.control(check, Verb::Off).unwrap();
    assert_eq!(screen.is_on(check), Ok(false));
    screen.control(button, Verb::Hide).unwrap();
    assert_eq!(press(&mut screen, 1), None);
    assert_eq!(screen.create(check, definition("")).unwrap_err().number, 65);
    assert_eq!(screen.create(Name::new(Kind::Button, 40_000), definition("")).unwrap_err().number, 60);
    screen.control(check, Verb::Remove).unwrap();
    let error = screen.control(check, Verb::Enable).unwrap_err();
    assert_eq!((error.number, error.message.as_str()), (65, "CHECK_BOX 100 does not exist"));
}

#[test]
fn text_inputs() {
    let mut screen = Screen::new(40, 10);
    let name = Name::new(Kind::MultiLine, 100);
    screen.create(name, Definition { length: Some(5), ..definition("U") }).unwrap();
    screen.set_control_text(name, b"Now is the time").unwrap();
    assert_eq!(screen.control_text(name), Ok(b"Now i".to_vec()));
    screen.begin_input(InputRequest::default());
    act(&mut screen, Action::Value("a\nb".into()));
    assert_eq!((ctl(&mut screen), screen.control_text(name)), (None, Ok(b"A\x8aB".to_vec())));
    // Leaving with tab reports a change, and only a change.
    act(&mut screen, Action::Finish(9));
    assert_eq!((ctl(&mut screen), screen.take_mode(name)), (Some(100), Ok(9)));
    act(&mut screen, Action::Finish(9));
    assert_eq!(ctl(&mut screen), None);
    act(&mut screen, Action::Finish(0x82));
    assert_eq!((ctl(&mut screen), screen.take_mode(name)), (Some(100), Ok(0x82)));
    screen.control(name, Verb::Lock).unwrap();
    act(&mut screen, Action::Value("changed".into()));
    assert_eq!(screen.control_text(name), Ok(b"A\x8aB".to_vec()));
}

#[test]
fn drop_boxes_and_focus() {
    let mut screen = Screen::new(40, 10);
    let name = Name::new(Kind::DropBox, 30);
    screen.create(name, definition("")).unwrap();
    screen.list(name).unwrap().load_all(b"Cat/Dog/Pig/").unwrap();
    screen.control(name, Verb::SetFocus(77)).unwrap();
    screen.begin_input(InputRequest::default());
    keys(&mut screen, "{Tab}");
    assert_eq!(ctl(&mut screen), Some(77));
    keys(&mut screen, "{Down}{Down}");
    assert_eq!((ctl(&mut screen), screen.list(name).unwrap().selected_text()), (Some(30), b"Dog".to_vec()));
}

#[test]
fn controls_follow_their_windows() {
    let mut screen = with_list("");
    screen.take_operations(true);
    screen.print(&with_numbers("WINDOW", &[4, 2, 20, 6, 1]));
    screen.create(Name::new(Kind::Button, 1), definition("")).unwrap();
    let text = transcript(&screen.take_operations(false));
    // The list is covered, the button has the place of its window.
    assert!(
        text.contains("control 1 ListBox 10 at 2,1 12x4 \"\" e\ncontrol 2 Button 1 at 6,3 12x4 \"\" ve\n"),
        "{text}"
    );
    print(&mut screen, &["'POP'"]);
    let text = transcript(&screen.take_operations(false));
    assert!(text.starts_with("Removed(2)\ncontrol 1 ListBox 10 at 2,1 12x4 \"\" ve\n"), "{text}");
    screen.reset();
    assert!(screen.controls().all().is_empty() && rows(&mut screen).is_empty());
}

/// A control below a window is told with the cells that it does not show.
#[test]
fn covered_parts_of_controls_do_not_overlap() {
    let covered = |screen: &mut Screen| {
        let controls = screen.take_operations(true).into_iter().filter_map(|operation| match operation {
            Operation::Control(control) => Some((control.visible, control.covered)),
            _ => None,
        });
        controls.collect::<Vec<_>>()
    };
    let region = |column, row, columns, rows| Region { column, row, columns, rows };
    let mut screen = with_list("");
    assert_eq!(covered(&mut screen), [(true, vec![])]);
    // The list has the cells from 2,1 to 13,4.
    screen.print(&with_numbers("WINDOW", &[4, 2, 4, 2, 1]));
    assert_eq!(covered(&mut screen), [(false, vec![region(4, 2, 4, 2)])]);
    screen.print(&with_numbers("WINDOW", &[6, 3, 20, 5, 2]));
    let parts = vec![region(4, 2, 4, 1), region(4, 3, 10, 1), region(6, 4, 8, 1)];
    assert_eq!(covered(&mut screen), [(false, parts)]);
    // As a whole covered, it is not drawn at all.
    screen.print(&with_numbers("WINDOW", &[0, 0, 40, 10, 3]));
    assert_eq!(covered(&mut screen), [(false, vec![])]);
}

#[test]
fn message_boxes() {
    let mut screen = Screen::new(40, 10);
    let answer = |screen: &mut Screen, options: &str, pressed: &str| {
        screen.panels_mut().open_message_box(MessageBox::new(b"Remove\x8athe record", None, options.as_bytes()));
        keys(screen, pressed);
        screen.panels_mut().take_answer()
    };
    assert_eq!(answer(&mut screen, "", "{Enter}").as_deref(), Some("OK"));
    assert_eq!(answer(&mut screen, "?,YESNO", "n").as_deref(), Some("NO"));
    assert_eq!(answer(&mut screen, "?,YESNO,2", "{Enter}").as_deref(), Some("NO"));
    assert_eq!(answer(&mut screen, "ABORT", "{Right}{Enter}").as_deref(), Some("RETRY"));
    assert_eq!(answer(&mut screen, "YESNOCANCEL", "{Escape}").as_deref(), Some("CANCEL"));
    assert_eq!(answer(&mut screen, "YESNO", "{Escape}"), None);
    let message = MessageBox::new(b"a\x8ab", Some(b"Title"), b"!,RETRYCANCEL,TIM=3");
    assert_eq!((message.lines.len(), message.icon.as_str(), message.seconds), (2, "EXCLAMATION", Some(3)));
    assert_eq!(MessageBox::new(b"", None, b"").title, "Error");
}
