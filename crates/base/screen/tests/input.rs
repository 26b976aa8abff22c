//! Input fields: editing, function keys, type-ahead, and the values of CTL and EOM.

mod common;

use common::{keys, print, rows};
use mainstay_screen::event::{Event, Key, MouseButton};
use mainstay_screen::field::InputRequest;
use mainstay_screen::frame::Operation;
use mainstay_screen::mnemonic::Mnemonic;
use mainstay_screen::{InputResult, Screen};

fn screen() -> Screen {
    Screen::new(40, 5)
}

/// Types into an input and returns its text and CTL.
#[track_caller]
fn typed(request: InputRequest, text: &str) -> (String, i32) {
    let mut screen = screen();
    screen.begin_input(request);
    keys(&mut screen, text);
    let result = screen.take_input().expect("the input has ended");
    (result.text, result.ctl)
}

fn edit(text: &str) -> InputRequest {
    InputRequest { text: text.to_owned(), ..InputRequest::default() }
}

#[track_caller]
fn gives(request: InputRequest, text: &str, expected: (&str, i32)) {
    assert_eq!(typed(request, text), (expected.0.to_owned(), expected.1), "{text}");
}

#[test]
fn editing() {
    gives(edit(""), "Smith{Enter}", ("Smith", 0));
    // "If the user starts typing, the contents of the variable is reinitialized" (manual, "Input Statements", Default Input Values).
    gives(edit("abc"), "X{Enter}", ("X", 0));
    gives(edit("abc"), "XY{Enter}", ("XY", 0));
    // Inputs start in overstrike mode (`parameters/im`), which shows once the user edits.
    gives(edit("abc"), "{Home}X{Enter}", ("Xbc", 0));
    gives(edit("abc"), "{Insert}X{Enter}", ("Xabc", 0));
    gives(edit("abc"), "{End}{Backspace}X{Enter}", ("abX", 0));
    gives(edit("abc"), "{Right}{Delete}{Enter}", ("ac", 0));
    gives(edit("abc"), "{End}{Left}{Left}X{Home}Y{Enter}", ("YXc", 0));
    gives(InputRequest { index: 2, ..edit("abc") }, "X{Enter}", ("abX", 0));
}

#[test]
fn keys_that_end_an_input() {
    // `variables/ctl`: 1 to 4 for F1 to F4, 6 to 12 for F6 to F12.
    for number in [1, 2, 3, 4, 6, 12] {
        gives(edit("a"), &format!("{{F{number}}}"), ("a", number));
    }
    let mut screen = screen();
    screen.begin_input(edit(""));
    keys(&mut screen, "{F2}");
    // `directives/multi_line`: 80 and the number of the function key.
    assert_eq!(screen.take_input().unwrap().eom, [0x82]);
}

#[test]
fn lengths() {
    let length = InputRequest { length: Some(3), ..edit("") };
    gives(length, "abcdef{Enter}", ("abc", 0));
    // `variables/ctl`: SIZ= ends the input with CTL 5.
    let size = InputRequest { size: Some(3), ..edit("") };
    gives(size, "abcdef", ("abc", 5));
    // `directives/input`: with both the field scrolls.
    let mut screen = screen();
    screen.begin_input(InputRequest { length: Some(60), size: Some(5), ..edit("") });
    keys(&mut screen, "abcdefgh");
    assert_eq!(rows(&mut screen), ["efgh"]);
    keys(&mut screen, "{Home}");
    assert_eq!(rows(&mut screen), ["abcde"]);
}

#[test]
fn hooks_filter_and_validate() {
    let digits = InputRequest {
        accept: Some(Box::new(|at, c| {
            if at == 0 { Some(c.to_ascii_uppercase()) } else { Some(c).filter(char::is_ascii_digit) }
        })),
        ..edit("")
    };
    gives(digits, "axy12{Enter}", ("A12", 0));
    let mut screen = screen();
    screen.begin_input(InputRequest { validate: Some(Box::new(|text| text == "YES")), ..edit("") });
    keys(&mut screen, "NO{Enter}");
    assert_eq!(screen.take_input(), None);
    assert!(screen.take_operations(false).contains(&Operation::Bell));
    keys(&mut screen, "{Home}YES{Enter}");
    assert_eq!(screen.take_input().unwrap().text, "YES");
    gives(InputRequest { numeric: true, ..edit("") }, "1a2.5b{Enter}", ("12.5", 0));
}

#[test]
fn typed_text_is_shown_unless_hidden() {
    let mut screen = screen();
    print(&mut screen, &["@2,1", "Name: "]);
    screen.begin_input(edit(""));
    keys(&mut screen, "Ada");
    assert_eq!(rows(&mut screen), ["", "  Name: Ada"]);
    keys(&mut screen, "{Enter}");
    screen.take_input().unwrap();
    print(&mut screen, &["@2,2", "Code: "]);
    screen.begin_input(InputRequest { hidden: true, ..edit("") });
    keys(&mut screen, "secret");
    assert_eq!(rows(&mut screen), ["", "  Name: Ada", "  Code:"]);
    let state = screen.take_operations(true).into_iter().find_map(|operation| match operation {
        Operation::Input(input) => Some((input.hidden, input.text)),
        _ => None,
    });
    assert_eq!(state, Some((true, String::new())));
    keys(&mut screen, "{Enter}");
    assert_eq!(screen.take_input().unwrap().text, "secret");
}

#[test]
fn keys_wait_for_the_program() {
    let mut screen = screen();
    keys(&mut screen, "one{Enter}two{F4}");
    screen.begin_input(edit(""));
    assert_eq!(screen.take_input(), Some(InputResult { text: "one".into(), ctl: 0, eom: vec![13], index: 3 }));
    screen.begin_input(edit(""));
    assert_eq!(screen.take_input().map(|result| (result.text, result.ctl)), Some(("two".into(), 4)));
    // 'CI' drops them.
    keys(&mut screen, "three{Enter}");
    print(&mut screen, &["'CI'"]);
    screen.begin_input(edit(""));
    assert_eq!(screen.take_input(), None);
}

#[test]
fn the_queue_is_bounded() {
    let mut screen = screen();
    for _ in 0..5000 {
        screen.event(Event::Key(Key::Character('x').into()));
    }
    screen.begin_input(edit(""));
    keys(&mut screen, "{Enter}");
    assert_eq!(screen.take_input().unwrap().text.len(), 1024);
}

#[test]
fn edit_mode_returns_other_keys() {
    let mut screen = screen();
    print(&mut screen, &["'ME'"]);
    // `appendix/negative_ctl_definitions`
    for (key, value) in [("Up", -1011), ("Down", -1012), ("PageDown", -1014), ("Tab", -1015)] {
        screen.begin_input(edit(""));
        keys(&mut screen, &format!("{{{key}}}"));
        assert_eq!(screen.take_input().unwrap().ctl, value, "{key}");
    }
    // Keys of the editor where it cannot use them.
    for (typed, value) in
        [("{Left}", -1004), ("a{Right}", -1005), ("{Backspace}", -1003), ("a{Left}{Left}", -1004), ("a{Delete}", -1007)]
    {
        screen.begin_input(edit(""));
        keys(&mut screen, typed);
        assert_eq!(screen.take_input().unwrap().ctl, value, "{typed}");
    }
    screen.begin_input(edit(""));
    screen.event(Event::Mouse { column: 7, row: 3, button: MouseButton::Left, down: true });
    assert_eq!(screen.take_input().unwrap().ctl, -1080);
    print(&mut screen, &["'MN'"]);
    screen.begin_input(edit(""));
    keys(&mut screen, "{Up}{Enter}");
    assert_eq!(screen.take_input().unwrap().ctl, 0);
}

#[test]
fn upper_case_mode() {
    let mut screen = screen();
    print(&mut screen, &["'UC'"]);
    screen.begin_input(edit(""));
    keys(&mut screen, "abc{Enter}");
    assert_eq!(screen.take_input().unwrap().text, "ABC");
}

#[test]
fn the_close_button_is_f4() {
    let mut screen = screen();
    screen.begin_input(edit(""));
    screen.event(Event::Close);
    assert_eq!(screen.take_input().unwrap().ctl, 4);
}

#[test]
fn the_break_key_is_reported() {
    let mut screen = screen();
    screen.begin_input(edit(""));
    keys(&mut screen, "a{Escape}");
    assert!(screen.take_break() && !screen.take_break());
    assert_eq!(screen.take_input(), None);
}

#[test]
fn a_face_learns_which_of_its_keys_are_used() {
    let mut screen = screen();
    screen.take_operations(true);
    keys(&mut screen, "ab");
    screen.begin_input(edit(""));
    keys(&mut screen, "c");
    let done = |screen: &mut Screen| {
        screen.take_operations(false).into_iter().find_map(|operation| match operation {
            Operation::Input(input) => Some((input.text, input.keys_done)),
            Operation::InputClosed(keys) => Some((String::new(), keys)),
            _ => None,
        })
    };
    assert_eq!(done(&mut screen), Some(("abc".into(), 3)));
    keys(&mut screen, "{Enter}");
    assert_eq!(done(&mut screen), Some((String::new(), 4)));
}

/// The end of a list of INPUT moves to the next line as that of PRINT does (manual, "Input Statements", the transcripts); an input
/// that a form has placed in the last line does not move its text up.
#[test]
fn the_end_of_an_input_moves_to_the_next_line() {
    let ended = |parts: &[&str]| {
        let mut screen = Screen::new(20, 3);
        print(&mut screen, parts);
        screen.begin_input(InputRequest::default());
        keys(&mut screen, "Ada{Enter}");
        screen.take_input().unwrap();
        screen.perform(Mnemonic::EndInput).unwrap();
        screen.print(b"next");
        rows(&mut screen)
    };
    assert_eq!(ended(&["Name: "]), ["Name: Ada", "next"]);
    assert_eq!(ended(&["top", "@2,1", "Name: "]), ["top", "  Name: Ada", "next"]);
    assert_eq!(ended(&["top", "@0,2", "Name: "]), ["top", "", "next: Ada"]);
    assert_eq!(ended(&["top", "\n", "two", "\n", "Name: "]), ["two", "Name: Ada", "next"]);
}
