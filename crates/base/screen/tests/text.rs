//! The text plane: mnemonics, windows, scroll regions and boxes, after the pages of the manual's `mnemonics/`.

mod common;

use common::{plain, print, rows, transcript, with_numbers};
use mainstay_screen::Screen;
use mainstay_screen::cell::{Colour, Style};
use mainstay_screen::mnemonic::{Argument, Mnemonic, encode};

/// A screen of 20 by 5 on which parts were printed.
fn screen(parts: &[&str]) -> Screen {
    let mut screen = Screen::new(20, 5);
    print(&mut screen, parts);
    screen
}

#[track_caller]
fn shows(parts: &[&str], expected: &[&str]) {
    assert_eq!(rows(&mut screen(parts)), expected, "{parts:?}");
}

#[test]
fn motion() {
    // `mnemonics/lt`: the X is overwritten, and 'RT' leaves a column out.
    shows(&["OH_X", "'LT'", "Hello", "'RT'", "There"], &["OH_Hello There"]);
    shows(&["@3,1", "abc", "'CR'", "x"], &["", "x  abc"]);
    // `mnemonics/lf`: the next line, column 0.
    shows(&["abc", "'LF'", "d"], &["abc", "d"]);
    shows(&["abc", "'DN'", "d", "'UP'", "'BS'", "e"], &["abce", "   d"]);
    shows(&["abc", "'CH'", "x"], &["xbc"]);
    // Positions outside are clamped.
    shows(&["@200,200", "x"], &["", "", "", "", &format!("{:>20}", "x")]);
    shows(&["'UP'", "'LT'", "x"], &["x"]);
}

#[test]
fn clearing() {
    shows(&["abc\ndef\nghi", "@1,1", "'CL'"], &["abc", "d", "ghi"]);
    shows(&["abc\ndef\nghi", "@1,1", "'CE'"], &["abc", "d"]);
    shows(&["abc\ndef", "'CS'", "x"], &["x"]);
    // `mnemonics/cf`: text of background mode is protected.
    shows(&["'SB'", "Name:", "'SF'", "Smith", "'CF'"], &["Name:"]);
}

#[test]
fn shifting() {
    shows(&["abcd", "@1,0", "'IC'"], &["a bcd"]);
    shows(&["abcd", "@1,0", "'DC'"], &["acd"]);
    shows(&["1\n2\n3\n4\n5", "@0,1", "'LI'"], &["1", "", "2", "3", "4"]);
    shows(&["1\n2\n3\n4\n5", "@0,1", "'LD'"], &["1", "3", "4", "5"]);
}

#[test]
fn text_wraps_and_scrolls() {
    shows(&["123456789012345678901"], &["12345678901234567890", "1"]);
    shows(&["'EW'", "123456789012345678901"], &["12345678901234567890"]);
    shows(&["1\n2\n3\n4\n5\n6"], &["2", "3", "4", "5", "6"]);
    // `mnemonics/scroll`: with scrolling off the cursor returns to the first column of the first line.
    shows(&["'SD'", "1\n2\n3\n4\n5\n6"], &["6", "2", "3", "4", "5"]);
}

#[test]
fn a_scroll_region_confines_everything() {
    let mut screen = screen(&["aaaaaaaaaa\nbbbbbbbbbb\ncccccccccc\ndddddddddd"]);
    screen.print(&with_numbers("SCROLL", &[2, 1, 4, 2]));
    print(&mut screen, &["'CS'", "1\n2\n3"]);
    assert_eq!(rows(&mut screen), ["aaaaaaaaaa", "bb2   bbbb", "cc3   cccc", "dddddddddd"]);
    print(&mut screen, &["'SR'", "x"]);
    assert_eq!(rows(&mut screen)[0], "xaaaaaaaaa");
}

fn window(arguments: &[i32], title: &str) -> Vec<u8> {
    let mut all: Vec<Argument> = arguments.iter().map(|number| Argument::Number(f64::from(*number))).collect();
    all.push(Argument::Text(title.as_bytes().to_vec()));
    encode("WINDOW", &all).unwrap()
}

#[test]
fn windows_cover_and_uncover() {
    let mut screen = screen(&["aaaaaaaaaa\nbbbbbbbbbb\ncccccccccc\ndddddddddd"]);
    screen.print(&window(&[2, 1, 6, 3, 7], "Hi"));
    print(&mut screen, &["abcdef"]);
    assert_eq!(rows(&mut screen), ["aaaaaaaaaa", "bb┌Hi──┐bb", "cc│ef  │cc", "dd└────┘dd"]);
    // The cursor returns to where it was in the window below.
    print(&mut screen, &["'POP'", "x"]);
    assert_eq!(rows(&mut screen), ["aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "ddddddddddx"]);
}

#[test]
fn windows_by_number() {
    let mut screen = screen(&["main"]);
    screen.print(&window(&[0, 1, 6, 2, 1], ""));
    print(&mut screen, &["one"]);
    screen.print(&window(&[0, 3, 6, 2, 2], ""));
    print(&mut screen, &["two"]);
    screen.print(&with_numbers("GOTO", &[1]));
    print(&mut screen, &["!"]);
    assert_eq!(rows(&mut screen), ["main", "one!", "", "two"]);
    screen.print(&with_numbers("DROP", &[2]));
    assert_eq!(rows(&mut screen), ["main", "one!"]);
    screen.print(&with_numbers("MOVE", &[10, 2]));
    assert_eq!(rows(&mut screen), ["main", "", "          one!"]);
    let error = screen.perform(Mnemonic::Goto(9)).unwrap_err();
    assert_eq!((error.number, error.message.as_str()), (57, "Window 9 is not defined"));
    screen.perform(Mnemonic::Drop(Some(-1))).unwrap();
    assert_eq!(screen.perform(Mnemonic::Pop).unwrap_err().number, 57);
    assert_eq!(rows(&mut screen), ["main"]);
}

#[test]
fn push_copies_the_window() {
    let mut screen = screen(&["abc", "'PUSH'", "def"]);
    assert_eq!(rows(&mut screen), ["abcdef"]);
    print(&mut screen, &["'POP'"]);
    assert_eq!(rows(&mut screen), ["abc"]);
}

#[test]
fn boxes() {
    let mut screen = screen(&[]);
    let title = Argument::Text(b"Box 1".to_vec());
    let numbers = [1, 1, 9, 3].map(|number| Argument::Number(f64::from(number)));
    screen.print(&encode("BOX", &[&numbers[..], &[title]].concat()).unwrap());
    assert_eq!(rows(&mut screen), ["", " ┌Box 1──┐", " │       │", " └───────┘"]);
}

#[test]
fn attributes_and_colours_become_runs() {
    let mut screen = screen(&[]);
    screen.take_operations(true);
    print(&mut screen, &["a", "'BR'", "b", "'ER'", "'BU'", "'RED'", "c", "'_BLUE'", "d", "'RM'", "e"]);
    let expected = "row 0 0\"a\"[] 1\"b\"[r] 2\"c\"[u f:Red] 3\"d\"[u f:Red b:Blue] 4\"e\"[]\ncursor 5,0 Normal\n";
    assert_eq!(transcript(&screen.take_operations(false)), expected);
    // Rows that are printed again as they were are not sent.
    print(&mut screen, &["@0,0", "a"]);
    assert_eq!(transcript(&screen.take_operations(false)), "cursor 1,0 Normal\n");
    print(&mut screen, &["'RED'", "'DF'", "'GREEN'", "'SA'", "'BLUE'", "'RA'", "x", "'RM'", "y"]);
    let text = transcript(&screen.take_operations(false));
    assert!(text.contains("1\"x\"[ f:Green] 2\"y\"[ f:Red]"), "{text}");
}

#[test]
fn everything_is_one_frame() {
    let mut screen = screen(&["x"]);
    screen.take_operations(false);
    let text = transcript(&screen.take_operations(true));
    let expected = "Size { columns: 20, rows: 5 }\nrow 0 0\"x\"[]\nrow 1\nrow 2\nrow 3\nrow 4\nCaption(\"\")\n";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with("Focus(None)\ncursor 1,0 Normal\nInputClosed(0)\n"), "{text}");
}

#[test]
fn mnemonics_are_values_of_strings() {
    assert_eq!(plain("CS"), b"\x1bCS");
    assert_eq!(plain("cs"), b"\x1bCS");
    assert_eq!(with_numbers("@", &[5, 6]), b"\x1b@\x05\x06");
    for (name, arguments) in [("NOSUCH", vec![]), ("CS", vec![Argument::Number(1.0)]), ("@", vec![])] {
        assert_eq!(encode(name, &arguments).unwrap_err().number, 29, "{name}");
    }
    // Known to printers and graphics, without effect here.
    for name in ["CP", "FONT", "PICTURE", "4D", "+N", "-I", "S6"] {
        assert_eq!(Mnemonic::parse(name, &[]), Ok(Mnemonic::None), "{name}");
    }
}

#[test]
fn damaged_mnemonics_do_nothing() {
    for bytes in
        [&b"\x1b"[..], b"\x1bC", b"\x1b'", b"\x1b'\xffAB", b"\x1b'\x01@\x02\x00\x01", b"\x1b@\x01", b"\x1b'\x02CS\x00"]
    {
        let mut screen = screen(&["abc"]);
        screen.print(bytes);
        rows(&mut screen);
    }
}

#[test]
fn bytes_are_windows_1252() {
    let mut screen = screen(&[]);
    screen.print(b"caf\xe9 \x80 ");
    // Two bytes are two characters, although they are one of UTF-8.
    screen.print("ö".as_bytes());
    assert_eq!(rows(&mut screen), ["café € Ã¶"]);
}

#[test]
fn raw_output_and_line_drawing() {
    shows(&["'BO'", "a\nb", "'EO'", "\nc"], &["a b", "c"]);
    shows(&["'GS'", "lqk", "'GE'", "q"], &["┌─┐q"]);
}

#[test]
fn sizes_are_clamped() {
    let mut screen = Screen::new(1000, 0);
    assert_eq!((screen.text().screen().columns(), screen.text().screen().rows()), (132, 1));
    screen.print(&window(&[500, 500, 500, 500], "title"));
    screen.print(b"x");
    rows(&mut screen);
}

/// The line drawing set of the manual (`mnemonics/gd`): letters, and digits and the colon.
#[test]
fn line_drawing_letters() {
    shows(&["'GS'", "AEKEB", "@0,1", "FEGHI", "@0,2", "CEJED"], &["┌─┬─┐", "│─┼├┤", "└─┴─┘"]);
    shows(&["'GS'", "20903", "@0,1", "10:67", "@0,2", "40805"], &["┌─┬─┐", "│─┼├┤", "└─┴─┘"]);
}

fn style_after(mnemonics: &[u8]) -> Style {
    let mut screen = screen(&[]);
    screen.print(mnemonics);
    screen.print(b"x");
    rows(&mut screen);
    screen.text().screen().cell(0, 0).style
}

/// Colours by number, name and parts (manual, `mnemonics/b_`, `f_`, `colour`, `backgr`).
#[test]
fn colours_by_number_and_name() {
    let colours = |mnemonics: &[u8]| (style_after(mnemonics).foreground, style_after(mnemonics).background);
    let text = |name: &str, text: &str| encode(name, &[Argument::Text(text.into())]).unwrap();
    assert_eq!(colours(&[plain("B4"), plain("F7")].concat()), (Colour::White, Colour::Blue));
    assert_eq!(colours(&[plain("F9"), plain("B?")].concat()), (Colour::Red, Colour::White));
    assert_eq!(colours(&[plain("BK"), plain("BLUE"), plain("WHITE")].concat()), (Colour::White, Colour::Blue));
    assert_eq!(colours(&with_numbers("COLOUR", &[12])), (Colour::Blue, Colour::Default));
    assert_eq!(colours(&text("COLOR", "Light Blue")), (Colour::Blue, Colour::Default));
    assert_eq!(colours(&text("_COLOR", "#800000")), (Colour::Default, Colour::Red));
    assert_eq!(colours(&text("_COLOUR", "RGB: 250 240 10")), (Colour::Default, Colour::Yellow));
    assert_eq!(encode("COLOUR", &[Argument::Text(b"mud".to_vec())]).unwrap_err().number, 29);
}

/// The bits of the attribute byte, and colours that FF leaves as they are (manual, `mnemonics/mode`).
#[test]
fn mode_sets_attributes_and_colours() {
    let mode = |bytes: &[u8]| encode("MODE", &[Argument::Text(bytes.to_vec())]).unwrap();
    assert_eq!(style_after(&with_numbers("MODE", &[0x0a])).attributes.0, 0x0a);
    let style = style_after(&[plain("RED"), mode(&[0x01, 0xff, 4])].concat());
    assert_eq!((style.attributes.0, style.foreground, style.background), (1, Colour::Red, Colour::Blue));
    let style = style_after(&[plain("BR"), mode(&[1, 0xff])].concat());
    assert_eq!((style.attributes.0, style.foreground, style.background), (2, Colour::Red, Colour::Default));
}
