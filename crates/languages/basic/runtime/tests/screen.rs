//! The screen model: what a program leaves on the screen, by mnemonic (manual: the mnemonics' pages).

mod harness;

use mainstay_basic::screen::{Attributes, ControlClass, Screen};

fn lines(screen: &Screen) -> Vec<String> {
    let text = |line| String::from_utf8_lossy(&screen.line_text(line)).into_owned();
    (0..screen.lines()).map(text).collect()
}

fn shown(source: &str) -> Vec<String> {
    let (mut session, _) = harness::session(b"", false);
    session.run_text("screen", source.as_bytes()).unwrap();
    let mut lines = lines(session.screen());
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

#[test]
fn text_goes_where_positions_say() {
    assert_eq!(shown("PRINT @(3,1),\"abc\",@(0,0),\"x\",@(10),\"y\","), ["x         y", "   abc"]);
}

#[test]
fn clearing_mnemonics_clear_their_part() {
    assert_eq!(shown("PRINT \"one\"; PRINT \"two\"; PRINT \"three\"; PRINT @(1,1),'CE',"), ["one", "t"]);
    assert_eq!(shown("PRINT \"one\"; PRINT \"two\"; PRINT @(1,0),'CL',"), ["o", "two"]);
    assert_eq!(shown("PRINT \"one\"; PRINT 'CS',\"new\","), ["new"]);
    assert_eq!(shown("PRINT \"one\",'FF',"), [""; 0]);
    assert_eq!(shown("PRINT 'SB',\"back\",'SF',\"fore\",'CF',"), ["back"]);
}

#[test]
fn cursor_mnemonics_move_it() {
    assert_eq!(shown("PRINT \"abc\",'CR',\"x\","), ["xbc"]);
    assert_eq!(shown("PRINT \"abc\",'LF',\"x\","), ["abc", "x"]);
    assert_eq!(shown("PRINT \"abc\",'BS','LT',\"x\",'RT','DN',\"y\",'UP',\"z\",'RB','CI',"), ["axc z", "   y"]);
    assert_eq!(shown("PRINT \"abc\"; PRINT \"d\",'CH',\"x\","), ["xbc", "d"]);
}

#[test]
fn attributes_stay_with_characters() {
    let (mut session, _) = harness::session(b"", false);
    session.run_text("screen", b"PRINT 'BR',\"r\",'ER','BU',\"u\",'EU','BB',\"b\",'EB',\"n\",").unwrap();
    let attributes = |column| session.screen().cell(column, 0).unwrap().attributes;
    assert_eq!(attributes(0), Attributes { reverse: true, ..Attributes::default() });
    assert_eq!(attributes(1), Attributes { underline: true, ..Attributes::default() });
    assert_eq!(attributes(2), Attributes { blink: true, ..Attributes::default() });
    assert_eq!(attributes(3), Attributes::default());
}

#[test]
fn output_behind_the_last_line_scrolls() {
    let lines = shown("FOR I=1 TO 30; PRINT STR(I); NEXT");
    assert_eq!((lines.first().unwrap().as_str(), lines.last().unwrap().as_str()), ("7", "30"));
}

#[test]
fn the_published_list_box_is_loaded_in_memory() {
    let source =
        mainstay_vfs::FileSystem::read(&mainstay_vfs::Disk, &harness::programs().join("list_box.pub")).unwrap();
    let (mut session, written) = harness::session(b"", false);
    session.run_text("list_box", &source).unwrap();
    // 32,768 rows of 120 bytes.
    assert_eq!(written.text(), " 3932160\n");
    let control = session.screen().controls.get(10).unwrap();
    assert_eq!((control.class, control.place), (ControlClass::ListBox, [40, 0, 40, 24]));
    assert_eq!((control.rows.len(), control.row_bytes), (32 * 1024, 32 * 1024 * 120));
    assert!(control.rows[32_767].starts_with(b"This is line 32768This is line"));
}
