//! Menu bars and popup menus (manual, `directives/menu_bar` and `directives/popup_menu`), and the menus of controls.

mod common;

use common::keys;
use mainstay_screen::Screen;
use mainstay_screen::controls::{Area, Definition, Kind, Name};
use mainstay_screen::event::{Action, Event, Key, KeyPress, Modifiers};
use mainstay_screen::field::InputRequest;
use mainstay_screen::frame::Operation;
use mainstay_screen::menu::{Menu, Popup};

/// The CTL of an input that has ended, after which the next begins.
fn ctl(screen: &mut Screen) -> Option<i32> {
    let result = screen.take_input();
    if result.is_some() {
        screen.begin_input(InputRequest::default());
    }
    result.map(|result| result.ctl)
}

#[test]
fn menus() {
    // The example of `directives/menu_bar`, format 1.
    let definition = b"-[&File,&Edit],F:[&Open,,&Save,&Quit=4],E:[&Add=D7,&Delete=C8]";
    let mut screen = Screen::new(40, 10);
    screen.panels_mut().set_menu(Menu::parse(100, definition).unwrap());
    let item = screen.panels_mut().menu_mut().find_mut("FQ").unwrap();
    assert_eq!((item.text.as_str(), item.ctl), ("Quit", Some(4)));
    screen.begin_input(InputRequest::default());
    screen.event(Event::Menu("FO".into()));
    assert_eq!((ctl(&mut screen), screen.panels().menu().chosen.as_str()), (Some(100), "FO"));
    screen.event(Event::Menu("FQ".into()));
    assert_eq!(ctl(&mut screen), Some(4));
    // Disabled ones and groups cannot be chosen.
    screen.event(Event::Menu("EA".into()));
    screen.event(Event::Menu("F".into()));
    assert_eq!(ctl(&mut screen), None);
    assert!(screen.panels().menu().items[1].items[1].checked);
    let menu = screen.panels_mut().menu_mut();
    assert_eq!(menu.states(), "F:E,E:E,FO:E,FS:E,FQ:E,EA:D,ED:EC");
    menu.change("#7,#8", |item| item.enabled = !item.enabled).unwrap();
    menu.change("fo", |item| item.checked = true).unwrap();
    assert_eq!(menu.states(), "F:E,E:E,FO:EC,FS:E,FQ:E,EA:E,ED:DC");
    menu.set_states("FO:E,ED:EC,nonsense,F:x,ZZ:D");
    assert_eq!(menu.states(), "F:E,E:E,FO:E,FS:E,FQ:E,EA:E,ED:EC");
    assert_eq!(menu.change("FX", |_| ()).unwrap_err().number, 65);
    // A letter of the bar names the group of the bar, whatever has this letter below; another one may name a group by itself.
    let shared = Menu::parse(1, b"[&File,&Edit],F:[&Open,&Find],E:[&Cut,&More],M:[&Paste]").unwrap();
    assert_eq!(shared.states(), "F:E,E:E,FO:E,FF:E,EC:E,EM:E,EMP:E");
    for wrong in ["", "[&File", "F:[&Open]"] {
        assert_eq!(Menu::parse(1, wrong.as_bytes()).map(drop).map_err(|error| error.number), Err(87), "{wrong}");
    }
    let escaped = Menu::parse(1, b"\\[&File],F:[&Export \\[to Word\\]]").unwrap();
    assert_eq!(escaped.items[0].items[0].text, "Export [to Word]");
    // An example of the page with colours: their commas separate nothing.
    let colours = Menu::parse(
        1,
        b"-!HFILL(RGB:200,200,200),HTEXT(RGB:0,0,0)[&File,&Edit],F:[&Save=1001=FILL(RGB:0,0,230),&Quit]",
    );
    let colours = colours.unwrap();
    assert_eq!((colours.items.len(), colours.items[0].items.len()), (2, 2));
    assert_eq!(colours.items[0].items[0].ctl, Some(1001));
    assert_eq!(Menu::parse(1, &[&b"[&"[..], &vec![b'x'; 300_000], b"]"].concat()).unwrap_err().number, 87);
    // Groups that contain each other end; a group of the bar contains no element of its own letter.
    let letters = vec!["&X"; 40].join(",");
    let circle = format!("[&F],F:[&X],X:[{letters}]");
    assert_eq!(Menu::parse(1, circle.as_bytes()).unwrap_err().number, 87);
    let bar = Menu::parse(1, format!("[&X],X:[{letters}]").as_bytes()).unwrap();
    assert!(bar.items[0].items.len() == 40 && bar.items[0].items.iter().all(|item| item.items.is_empty()));
}

#[test]
fn popup_menus() {
    // The examples of `directives/popup_menu`.
    let mut screen = Screen::new(40, 10);
    let answer = |screen: &mut Screen, definition: &str, path: &str| {
        screen.open_popup(Popup::parse(definition.as_bytes()).unwrap(), Some((5, 2)));
        let operations = screen.take_operations(false);
        let Some(Operation::Popup(popup)) = operations.iter().find(|one| matches!(one, Operation::Popup(_))) else {
            panic!("{operations:?}")
        };
        assert_eq!(popup.at, (5, 2));
        screen.event(Event::Popup { number: popup.number, path: path.to_owned() });
        screen.panels_mut().take_choice().map(|choice| choice.map(|choice| (choice.path, choice.value)))
    };
    let choice = |path: &str, value: i32| Some(Some((path.to_owned(), value)));
    let numbered = "[&File,&Quit],#1000,F:[&Open,&Save,&Rename]";
    assert_eq!(answer(&mut screen, numbered, "Q"), choice("Q", 2));
    assert_eq!(answer(&mut screen, numbered, "fr"), choice("FR", 1003));
    let states = "[&One=1,&Two=C2,&Three=D3,&Four=BC4]";
    assert_eq!(answer(&mut screen, states, "F"), choice("F", 4));
    // A disabled element is no answer, and neither is a group; the empty path closes the menu.
    assert_eq!(answer(&mut screen, states, "T"), choice("T", 2));
    assert_eq!(answer(&mut screen, "[&Three=D3,&File],F:[&Open]", "T"), None);
    assert_eq!(answer(&mut screen, "[&Three=D3,&File],F:[&Open]", "F"), None);
    assert_eq!(answer(&mut screen, numbered, ""), Some(None));
    screen.open_popup(Popup::parse(numbered.as_bytes()).unwrap(), None);
    keys(&mut screen, "{Escape}");
    assert_eq!((screen.panels_mut().take_choice(), screen.take_break()), (Some(None), false));
    assert_eq!(Popup::parse(b"").unwrap_err().number, 87);
}

#[test]
fn the_menu_of_a_control_is_wanted_by_the_mouse_or_a_key() {
    let mut screen = Screen::new(40, 10);
    let area = Area { column: 2.0, row: 1.0, columns: 12.0, rows: 1.0 };
    let definition = Definition { area, menu_ctl: 101, ..Definition::default() };
    screen.create(Name::new(Kind::CheckBox, 100), definition).unwrap();
    let handle = screen.controls().all()[0].handle;
    screen.begin_input(InputRequest::default());
    screen.event(Event::Control { handle, action: Action::Menu });
    assert_eq!((ctl(&mut screen), screen.controls().focused_id()), (Some(101), 100));
    let key = KeyPress { key: Key::Function(10), modifiers: Modifiers { shift: true, ..Modifiers::default() } };
    screen.event(Event::Key(key));
    assert_eq!(ctl(&mut screen), Some(101));
    // The menu opens at the control with the focus.
    screen.open_popup(Popup::parse(b"[&One]").unwrap(), None);
    let operations = screen.take_operations(false);
    assert!(
        operations.iter().any(|one| matches!(one, Operation::Popup(popup) if popup.at == (3, 2))),
        "{operations:?}"
    );
    screen.panels_mut().close_popup();
    // Without MNU= nothing is reported.
    screen.set_property(100, "MenuCtl", 0.into()).unwrap();
    screen.event(Event::Control { handle, action: Action::Menu });
    assert_eq!(ctl(&mut screen), None);
}
