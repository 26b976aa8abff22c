//! Random programs and users: nothing panics, and a face that follows the frames knows what a new face is told.
//!
//! `MAINSTAY_SEEDS` sets the number of seeds, `MAINSTAY_FIRST_SEED` the first one.

use mainstay_screen::cell::Run;
use mainstay_screen::controls::PropertyValue;
use mainstay_screen::controls::{Area, Definition, Kind, List, Name};
use mainstay_screen::event::{Action, Event, Key, KeyPress, Modifiers, MouseButton};
use mainstay_screen::field::InputRequest;
use mainstay_screen::frame::{ControlState, InputState, Operation};
use mainstay_screen::menu::{Menu, Popup};
use mainstay_screen::mnemonic::{Argument, CursorMode, encode};
use mainstay_screen::panels::MessageBox;
use mainstay_screen::{Screen, Verb};
use std::collections::BTreeMap;

/// Numbers of a linear congruential generator (Knuth's MMIX), of which the upper bits are used.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn bytes(&mut self, longest: usize) -> Vec<u8> {
        let parts = [
            &b"a"[..],
            b" ",
            b"x/",
            b"/",
            b"\n",
            b"\x1b",
            b"\x1bCS",
            b"\x1b@",
            b"\x8a",
            "ö".as_bytes(),
            b"\xe9",
            b"[",
            b"&",
            b",",
        ];
        let count = self.below(longest);
        (0..count).flat_map(|_| self.pick(&parts).to_vec()).collect()
    }

    fn number(&mut self) -> f64 {
        *self.pick(&[
            0.0,
            1.0,
            2.0,
            3.0,
            5.0,
            10.0,
            19.0,
            60.0,
            200.0,
            70_000.0,
            -1.0,
            -5.0,
            f64::NAN,
            f64::INFINITY,
            1.5,
        ])
    }
}

/// The state of a face.
#[derive(Debug, Default, PartialEq)]
struct Mirror {
    rows: Vec<Vec<Run>>,
    cursor: Option<(u16, u16, CursorMode)>,
    controls: BTreeMap<u32, ControlState>,
    /// The rows of each list and its selection.
    lists: BTreeMap<u32, (Vec<String>, Vec<u32>)>,
    focus: Option<u32>,
    input: Option<InputState>,
    message_box: Option<MessageBox>,
    menu: Menu,
    popup: Option<Popup>,
    messages: BTreeMap<u8, String>,
    caption: String,
}

impl Mirror {
    /// Performs a frame. Rows before the first changed one are kept, all others fetched.
    fn perform(&mut self, operations: Vec<Operation>, screen: &Screen) {
        for operation in operations {
            match operation {
                Operation::Size { rows, .. } => {
                    *self = Mirror { rows: vec![Vec::new(); usize::from(rows)], ..Mirror::default() };
                }
                Operation::Row { row, runs } => self.rows[usize::from(row)] = runs,
                Operation::Cursor { column, row, mode } => self.cursor = Some((column, row, mode)),
                Operation::Control(control) => drop(self.controls.insert(control.handle, *control)),
                Operation::Removed(handle) => {
                    self.controls.remove(&handle);
                    self.lists.remove(&handle);
                }
                Operation::List(list) => {
                    let known = self.lists.entry(list.handle).or_default();
                    known.0.truncate(list.first_changed);
                    let from = known.0.len();
                    let (generation, rows) = screen.list_rows(list.handle, from, usize::MAX).unwrap();
                    assert_eq!(generation, list.generation);
                    known.0.extend(rows);
                    assert_eq!(known.0.len(), list.count);
                    known.1 = list.selected;
                }
                Operation::Focus(focus) => self.focus = focus,
                Operation::Input(input) => self.input = Some(input),
                Operation::InputClosed(_) => self.input = None,
                Operation::MessageBox(message) => self.message_box = Some(message),
                Operation::MessageBoxClosed => self.message_box = None,
                Operation::Menu(menu) => self.menu = menu,
                Operation::MessageLine(segment, text) => drop(self.messages.insert(segment, text)),
                Operation::Caption(text) => self.caption = text,
                Operation::Popup(popup) => self.popup = Some(popup),
                Operation::PopupClosed => self.popup = None,
                Operation::Bell | Operation::MenuFocus | Operation::Document { .. } => {}
            }
        }
    }
}

const NAMES: [&str; 40] = [
    "CS", "CE", "CL", "CF", "CH", "CR", "LF", "BS", "RT", "UP", "DN", "BR", "ER", "SB", "SF", "RED", "_BLUE", "RM",
    "DF", "SA", "RA", "IC", "DC", "LI", "LD", "SD", "SE", "SR", "BW", "EW", "PUSH", "POP", "SWAP", "ME", "MN", "BI",
    "EI", "CI", "GS", "BO",
];
const WITH_NUMBERS: [(&str, usize); 9] = [
    ("@", 2),
    ("@", 1),
    ("SCROLL", 4),
    ("WINDOW", 4),
    ("WINDOW", 5),
    ("BOX", 4),
    ("GOTO", 1),
    ("DROP", 1),
    ("MOVE", 2),
];
const KINDS: [Kind; 6] =
    [Kind::Button, Kind::CheckBox, Kind::RadioButton, Kind::ListBox, Kind::DropBox, Kind::MultiLine];

fn print(random: &mut Random, screen: &mut Screen) {
    match random.below(4) {
        0 => screen.print(&encode(random.pick::<&str>(&NAMES), &[]).unwrap()),
        1 => {
            let (name, count) = *random.pick(&WITH_NUMBERS);
            let mut arguments: Vec<Argument> = (0..count).map(|_| Argument::Number(random.number())).collect();
            if matches!(name, "WINDOW" | "BOX") && random.below(2) == 0 {
                arguments.push(Argument::Text(random.bytes(5)));
                arguments.push(Argument::Option(b"&".to_vec()));
            }
            // Numbers that do not fit are error 29.
            let _ = encode(name, &arguments).map(|bytes| screen.print(&bytes));
        }
        _ => screen.print(&random.bytes(12)),
    }
}

fn name(random: &mut Random) -> Name {
    Name { kind: *random.pick(&KINDS), id: random.below(4) as i32, sub: random.below(2) as i32 }
}

/// Statements on controls; most name one that does not exist and fail.
fn use_controls(random: &mut Random, screen: &mut Screen) {
    let name = name(random);
    let verbs = [
        Verb::Remove,
        Verb::Enable,
        Verb::Disable,
        Verb::Show,
        Verb::Hide,
        Verb::Goto,
        Verb::Lock,
        Verb::Unlock,
        Verb::Auto,
        Verb::On,
        Verb::Off,
        Verb::SetFocus(7),
    ];
    match random.below(9) {
        0 | 1 => {
            let area = Area {
                column: random.number() as f32,
                row: random.number() as f32,
                columns: random.number() as f32,
                rows: random.number() as f32,
            };
            let options = random.pick(&["", "r", "e", "eq", "#", "p", "T", "A", "L", "U", "XF"]).as_bytes().to_vec();
            let format = random.pick(&["", "[A]L5 [B]#R5", "L5 R5", "S {} DMY", "[", "B"]).as_bytes().to_vec();
            let contents = random.bytes(4);
            let length = (random.below(3) == 0).then_some(3);
            let _ =
                screen.create(name, Definition { area, options, format, contents, length, ..Definition::default() });
        }
        2 => drop(screen.control(name, *random.pick(&verbs))),
        3 => drop(screen.set_control_text(name, &random.bytes(9))),
        4 => use_property(random, screen, name.id),
        _ => {
            let Ok(list) = screen.list(name) else { return };
            use_list(random, list);
        }
    }
}

/// Reads all properties of a control, and sets one of them to a value of one of them.
fn use_property(random: &mut Random, screen: &mut Screen, id: i32) {
    let Ok(names) = screen.property(id, "*") else { return };
    let names = String::from_utf8(names.into_text()).unwrap();
    let names: Vec<&str> = names.split(',').collect();
    // A list of properties may name what does not exist.
    let readable = names.iter().filter(|name| **name != "_PropValues");
    let values: Vec<PropertyValue> = readable.map(|name| screen.property(id, name).unwrap()).collect();
    let _ = screen.property(id, "_PropValues");
    let name = *random.pick(&names);
    let value = match random.below(3) {
        0 => PropertyValue::Number(random.number()),
        1 => PropertyValue::Text(random.bytes(6)),
        _ => random.pick(&values).clone(),
    };
    let _ = screen.set_property(id, name, value);
}

fn use_list(random: &mut Random, list: &mut List) {
    let index = random.below(list.len() + 2);
    match random.below(12) {
        0..=3 => drop(list.load(0, &random.bytes(5))),
        4 => drop(list.load(index, &random.bytes(5))),
        5 => drop(list.delete(index)),
        6 => drop(list.load_all(&random.bytes(9))),
        7 => drop(list.select(index)),
        8 => drop(list.select_text(&random.bytes(3))),
        9 => list.load_point = random.below(4) as i32 - 1,
        10 => list.sort(random.below(3), random.below(2) == 0),
        _ => drop(list.find(index)),
    }
}

fn press(random: &mut Random) -> Event {
    let keys = [
        Key::Character('a'),
        Key::Character('Ä'),
        Key::Enter,
        Key::Tab,
        Key::BackTab,
        Key::Backspace,
        Key::Delete,
        Key::Insert,
        Key::Left,
        Key::Right,
        Key::Up,
        Key::Down,
        Key::Home,
        Key::End,
        Key::PageUp,
        Key::PageDown,
        Key::Function(4),
        Key::Character(' '),
        Key::Escape,
    ];
    let modifiers = Modifiers { alt: random.below(9) == 0, ..Modifiers::default() };
    Event::Key(KeyPress { key: *random.pick(&keys), modifiers })
}

fn act(random: &mut Random, screen: &mut Screen) {
    let handle = random.below(12) as u32;
    let row = random.below(9);
    let action = match random.below(9) {
        0 => Action::Focus,
        1 => Action::Press,
        2 | 3 => Action::Select { row, mode: *random.pick(&[0, 1, 2, 13]), extend: random.below(2) == 0 },
        4 => Action::Sort { column: row, descending: false },
        5 => Action::Expand { row },
        6 => Action::Value(String::from_utf8_lossy(&random.bytes(6)).into_owned()),
        7 => Action::Finish(*random.pick(&[0, 9, 13, 0x84])),
        8 if row > 5 => Action::Menu,
        _ => Action::Search { start: "a".into(), from: row },
    };
    screen.event(Event::Control { handle, action });
}

fn step(random: &mut Random, screen: &mut Screen) {
    match random.below(20) {
        0..=4 => print(random, screen),
        5..=10 => use_controls(random, screen),
        11..=13 => screen.event(press(random)),
        14 | 15 => act(random, screen),
        16 => {
            let length = (random.below(2) == 0).then_some(random.below(9));
            let size = (random.below(2) == 0).then_some(random.below(9));
            let text = String::from_utf8_lossy(&random.bytes(4)).into_owned();
            screen.begin_input(InputRequest { text, length, size, index: random.below(5), ..InputRequest::default() });
        }
        17 => {
            screen.take_input();
            screen.panels_mut().take_answer();
            screen.panels_mut().take_choice();
            let _ = screen.preinput(&random.bytes(4), random.below(9) as i32, random.below(2) == 0);
            screen.take_break();
        }
        18 => {
            let (column, row) = (random.below(200) as u16, random.below(200) as u16);
            screen.event(Event::Mouse { column, row, button: MouseButton::Left, down: random.below(2) == 0 });
            screen.event(Event::Answer { number: 1, button: random.below(3) });
            screen.event(Event::Menu("FO".into()));
            screen.event(Event::Popup { number: 1, path: "F".into() });
        }
        _ => match random.below(5) {
            3 => drop(Popup::parse(&random.bytes(12)).map(|popup| screen.open_popup(popup, None))),
            0 => screen.panels_mut().open_message_box(MessageBox::new(&random.bytes(5), None, b"YESNO")),
            1 => drop(Menu::parse(9, &random.bytes(12)).map(|menu| screen.panels_mut().set_menu(menu))),
            2 => drop(screen.mse()),
            _ if random.below(5) == 0 => screen.reset(),
            _ => screen.panels_mut().close_message_box(),
        },
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn frames_tell_everything() {
    let first = setting("MAINSTAY_FIRST_SEED", 1);
    for seed in first..first + setting("MAINSTAY_SEEDS", 60) {
        let mut random = Random(seed);
        let mut screen = Screen::new(20, 6);
        let mut followed = Mirror::default();
        followed.perform(screen.take_operations(true), &screen);
        for turn in 0..400 {
            step(&mut random, &mut screen);
            if random.below(3) == 0 {
                followed.perform(screen.take_operations(false), &screen);
            }
            if random.below(10) == 0 {
                followed.perform(screen.take_operations(false), &screen);
                let mut told = Mirror::default();
                told.perform(screen.take_operations(true), &screen);
                assert_eq!(followed, told, "seed {seed}, turn {turn}");
            }
        }
    }
}

#[test]
fn lists_are_like_vectors() {
    let first = setting("MAINSTAY_FIRST_SEED", 1);
    for seed in first..first + setting("MAINSTAY_SEEDS", 60) / 10 + 1 {
        let mut random = Random(seed);
        let mut list = List::new(b"", "");
        let mut model: Vec<Vec<u8>> = Vec::new();
        let mut selected: Option<usize> = None;
        for turn in 0..4000 {
            let row = vec![b'a' + random.below(26) as u8; random.below(40)];
            let index = random.below(model.len() + 1);
            match random.below(10) {
                // Growth beyond several chunks of 512 rows, at every place.
                0..=3 => {
                    list.load(0, &row).unwrap();
                    model.push(row);
                }
                4..=6 => {
                    list.load(index + 1, &row).unwrap();
                    model.insert(index, row);
                    selected = selected.map(|at| if at >= index { at + 1 } else { at });
                }
                7 if index < model.len() => {
                    list.delete(index + 1).unwrap();
                    model.remove(index);
                    selected = selected.filter(|at| *at != index).map(|at| if at > index { at - 1 } else { at });
                }
                8 if index < model.len() => {
                    list.select(index + 1).unwrap();
                    selected = Some(index);
                }
                _ => assert_eq!(list.element(index + 1), model.get(index).cloned(), "seed {seed}, turn {turn}"),
            }
            assert_eq!((list.len(), list.selected_index()), (model.len(), selected.map_or(0, |at| at + 1)));
        }
        let all: Vec<u8> = model.iter().flat_map(|row| [row.as_slice(), &[0]].concat()).collect();
        assert_eq!(list.find(0).unwrap(), all, "seed {seed}");
    }
}
