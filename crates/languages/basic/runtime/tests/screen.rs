//! The screen model: what a program leaves on the screen, by mnemonic (manual: the mnemonics' pages).

mod harness;

use mainstay_basic::ScreenHost;
use mainstay_screen::Screen;
use mainstay_screen::cell::Attributes;
use mainstay_screen::controls::Kind;
use mainstay_screen::mse::FaceFacts;
use mainstay_screen::session::{Next, Watch, share};
use std::time::{Duration, Instant};

/// The screen behind a program, as a face has got it.
fn screen_of(source: &[u8]) -> Watch {
    let (handle, watch) = share(Screen::new(80, 25));
    // A program does not wait for a face that has gone.
    drop(watch.attach(FaceFacts::default()));
    harness::session_on(Box::new(ScreenHost::new(handle)), false).run_text("screen", source).unwrap();
    let face = watch.attach(FaceFacts::default());
    assert!(matches!(face.next(Instant::now() + Duration::from_secs(10)), Next::Frame(_)));
    watch
}

fn lines(screen: &Screen) -> Vec<String> {
    let plane = screen.text().screen();
    let text = |line| plane.row(line).iter().map(|cell| cell.character).collect::<String>().trim_end().to_owned();
    (0..plane.rows()).map(text).collect()
}

fn shown(source: &str) -> Vec<String> {
    let mut lines = screen_of(source.as_bytes()).look(lines);
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
    let watch = screen_of(b"PRINT 'BR',\"r\",'ER','BU',\"u\",'EU','BB',\"b\",'EB',\"n\",");
    let attributes = |column| watch.look(|screen| screen.text().screen().cell(column, 0).style.attributes);
    assert_eq!(attributes(0), Attributes::REVERSE);
    assert_eq!(attributes(1), Attributes::UNDERLINE);
    assert_eq!(attributes(2), Attributes::BLINK);
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
    screen_of(&source).look(|screen| {
        let control = screen.controls().all().first().unwrap();
        assert_eq!((control.name.kind, control.name.id), (Kind::ListBox, 10));
        assert_eq!((control.area.column, control.area.rows), (40.0, 24.0));
        let list = control.list().unwrap();
        assert_eq!(list.len(), 32 * 1024);
        let last = list.element(32 * 1024).unwrap();
        assert_eq!(last.len(), 120);
        assert!(last.starts_with(b"This is line 32768This is line"));
        assert_eq!(lines(screen).first().unwrap(), " 3932160");
    });
}

#[test]
fn cells_and_lines_are_inserted_and_deleted() {
    assert_eq!(shown("PRINT \"abcd\",@(1,0),'IC',"), ["a bcd"]);
    assert_eq!(shown("PRINT \"abcd\",@(1,0),'DC',"), ["acd"]);
    assert_eq!(shown("PRINT \"one\"; PRINT \"two\"; PRINT @(0,1),'LI',"), ["one", "", "two"]);
    assert_eq!(shown("PRINT \"one\"; PRINT \"two\"; PRINT @(0,0),'LD',"), ["two"]);
}

#[test]
fn a_scroll_region_scrolls_alone() {
    let program = "PRINT \"top\"; PRINT 'SCROLL'(0,1,80,2),; PRINT \"a\"; PRINT \"b\"; PRINT \"c\",";
    assert_eq!(shown(program), ["top", "b", "c"]);
    assert_eq!(shown(&format!("{program}; PRINT 'SR',@(0,0),\"T\",")), ["Top", "b", "c"]);
}

#[test]
fn colours_stay_with_characters() {
    use mainstay_screen::cell::Colour;
    let watch = screen_of(b"PRINT 'RED',\"r\",'_BLUE',\"b\",'GREEN','_WHITE',\"g\",");
    let colours = |column| {
        watch.look(|screen| {
            let style = screen.text().screen().cell(column, 0).style;
            (style.foreground, style.background)
        })
    };
    assert_eq!(colours(0), (Colour::Red, Colour::Default));
    assert_eq!(colours(1), (Colour::Red, Colour::Blue));
    assert_eq!(colours(2), (Colour::Green, Colour::White));
}

#[test]
fn windows_cover_text_and_give_it_back() {
    assert_eq!(shown("PRINT \"under\"; PRINT 'WINDOW'(10,2,20,5),\"in\","), ["under", "", "          in"]);
    assert_eq!(shown("PRINT \"under\"; PRINT 'WINDOW'(0,0,20,5),\"in\",'POP',"), ["under"]);
    assert_eq!(shown("PRINT \"under\"; PRINT 'WINDOW'(0,0,20,5,1),\"in\",'DROP'(1),"), ["under"]);
    assert_eq!(shown("PRINT \"under\",'PUSH',\"more\",'POP',"), ["under"]);
    let watch = screen_of(b"PRINT 'BOX'(0,0,5,3),");
    let cell = |column, row| watch.look(|screen| screen.text().screen().cell(column, row).character);
    assert_ne!((cell(0, 0), cell(4, 2)), (' ', ' '));
    assert_eq!(cell(2, 1), ' ');
}

#[test]
fn printers_give_documents_to_a_screen_that_keeps_them() {
    let (handle, watch) = share(Screen::new(80, 25).with_documents());
    drop(watch.attach(FaceFacts::default()));
    // The second document is closed by the end of the program, the third has no lines.
    let source =
        b"OPEN (7)\"*PRINTER*\"; PRINT (7)'FF',\"one\"; PRINT (7)\"\"; PRINT (7)'FF',\"two\",@(6),\"6\"; CLOSE (7)\n\
        OPEN (8)\"*VIEWER*\"; CLOSE (8)\n\
        OPEN (9)\"*WINPRT*\"; WRITE RECORD (9)\"record\"";
    harness::session_on(Box::new(ScreenHost::new(handle)), false).run_text("report", source).unwrap();
    let printed = watch.look(|screen| screen.documents().to_vec());
    let texts: Vec<(u32, &str, String)> =
        printed.iter().map(|(number, document)| (*number, document.title.as_str(), document.text())).collect();
    assert_eq!(texts, [(1, "report", "one\n\n\u{c}two   6\n".to_owned()), (2, "report", "record\n".to_owned())]);
    // A page counts 512 bytes and more against 32 MB.
    let source = b"OPEN (7)\"*PRINTER*\"\nFOR I=1 TO 70000; PRINT (7)'FF',\"x\"; NEXT I\nCLOSE (7)";
    let (handle, watch) = share(Screen::new(80, 25).with_documents());
    drop(watch.attach(FaceFacts::default()));
    let failure = harness::session_on(Box::new(ScreenHost::new(handle)), false).run_text("large", source).unwrap_err();
    assert!(failure.to_string().contains("Error #31"), "{failure}");
    assert_eq!(watch.look(|screen| screen.documents().len()), 0);
}

#[test]
fn modes_change_what_is_typed_and_shown() {
    // PREINPUT is typed, so that modes of input apply to it.
    let program = "PRINT 'UC',; PREINPUT \"abc\"; INPUT A$; PRINT 'LC',; PREINPUT \"abc\"; INPUT B$; PRINT 'CS',A$,B$,";
    assert_eq!(shown(program), ["ABCabc"]);
    let program = "PRINT 'EE',; PREINPUT \"secret\"; INPUT A$; PRINT 'BE',@(0,1),; PREINPUT \"seen\"; INPUT B$";
    assert_eq!(shown(&format!("{program}; PRINT @(0,3),A$,")), ["", "seen", "", "secret"]);
    // Output transparency: the bytes of a mnemonic are characters.
    assert_eq!(shown("PRINT \"x\",'BO',$1B$+\"CS\",'EO',"), ["x CS"]);
}

#[test]
fn edit_mode_gives_keys_that_the_editor_does_not_use() {
    use mainstay_screen::event::{Event, Key};
    let (handle, watch) = share(Screen::new(80, 25));
    let face = watch.attach(FaceFacts::default());
    for key in [Key::Up, Key::PageDown, Key::Up, Key::Enter] {
        face.event(Event::Key(key.into()));
    }
    drop(face);
    // Behind 'MN' the key is rejected, and Enter ends the input.
    let source = b"PRINT 'ME',; INPUT A$; C1=CTL; INPUT A$; C2=CTL; PRINT 'MN',; INPUT A$; PRINT 'CS',C1,C2,CTL,";
    harness::session_on(Box::new(ScreenHost::new(handle)), false).run_text("keys", source).unwrap();
    // The plane is put together for a frame.
    let face = watch.attach(FaceFacts::default());
    assert!(matches!(face.next(Instant::now() + Duration::from_secs(10)), Next::Frame(_)));
    assert_eq!(watch.look(lines)[0], "-1011-1014 0");
}

#[test]
fn default_attributes_come_back() {
    use mainstay_screen::cell::Colour;
    let watch = screen_of(b"PRINT 'RED','DF','BR','GREEN',\"g\",'RM',\"r\",");
    let style = |column| watch.look(|screen| screen.text().screen().cell(column, 0).style);
    assert_eq!((style(0).foreground, style(0).attributes), (Colour::Green, Attributes::REVERSE));
    assert_eq!((style(1).foreground, style(1).attributes), (Colour::Red, Attributes::default()));
}

#[test]
fn dialogues_and_text_at_a_place() {
    let lines = shown("PRINT \"under\",'DIALOGUE'(10,2,20,5,\"Title\"),\"in\",'POP','TEXT'(3,1,\"at\"),");
    assert_eq!(lines, ["under", "   at"]);
}

#[test]
fn windows_change_their_order_and_place() {
    let two = "PRINT 'WINDOW'(0,0,20,5,1),\"one\",'WINDOW'(30,0,20,5,2),\"two\"";
    let at_thirty = |left: &str| format!("{left:<30}two");
    assert_eq!(shown(&format!("{two},'GOTO'(1),\"+\",")), [at_thirty("one+")]);
    assert_eq!(shown(&format!("{two},'SWAP',\"+\",")), [at_thirty("one+")]);
    assert_eq!(
        shown(&format!("{two},'MOVE'(30,2),\"+\",")),
        ["one".to_owned(), String::new(), format!("{:30}two+", "")]
    );
}

#[test]
fn captions_and_messages_reach_the_face() {
    use mainstay_screen::frame::Operation;
    let (handle, watch) = share(Screen::new(80, 25));
    drop(watch.attach(FaceFacts::default()));
    let source = b"PRINT 'CAPTION'(\"Orders\"),'MESSAGE'(\"Saved\"),'MESSAGE'(\"Page 2\",1),'BEEP',";
    harness::session_on(Box::new(ScreenHost::new(handle)), false).run_text("message", source).unwrap();
    let Next::Frame(frame) = watch.attach(FaceFacts::default()).next(Instant::now() + Duration::from_secs(10)) else {
        panic!("no frame")
    };
    let has = |wanted: &Operation| frame.operations.contains(wanted);
    assert!(has(&Operation::Caption("Orders".into())) && has(&Operation::Bell), "{:?}", frame.operations);
    assert!(has(&Operation::MessageLine(0, "Saved".into())) && has(&Operation::MessageLine(1, "Page 2".into())));
}

/// Types keys ahead of a program and returns the lines that it leaves.
fn typed(source: &str, keys: &str) -> Vec<String> {
    use mainstay_screen::event::{Event, Key};
    let (handle, watch) = share(Screen::new(80, 25));
    let face = watch.attach(FaceFacts::default());
    for key in keys.chars() {
        let key = match key {
            '\n' => Key::Enter,
            '4' => Key::Function(4),
            other => Key::Character(other),
        };
        face.event(Event::Key(key.into()));
    }
    drop(face);
    harness::session_on(Box::new(ScreenHost::new(handle)), false).run_text("typed", source.as_bytes()).unwrap();
    let face = watch.attach(FaceFacts::default());
    assert!(matches!(face.next(Instant::now() + Duration::from_secs(10)), Next::Frame(_)));
    let mut lines = watch.look(lines);
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// The transcripts of the manual ("Input Statements"): what follows an input stands in the next line, after an error as well; a comma
/// behind the list keeps the line, as in `directives/list_box` and others.
#[test]
fn inputs_end_their_line() {
    let program =
        "INPUT \"What is your name?\",A$; INPUT \"How old are you \"+A$+\"?\",A; IF A<18 THEN PRINT \"Sorry\"";
    assert_eq!(typed(program, "MIKE\n13\n"), ["What is your name?MIKE", "How old are you MIKE?13", "Sorry"]);
    let again = "AGAIN: INPUT (0,ERR=AGAIN)\"Number:\",A; PRINT \"You entered\",A";
    assert_eq!(typed(again, "x\n5\n"), ["Number:x", "Number:5", "You entered 5"]);
    assert_eq!(typed("INPUT \"Name:\",A$,; PRINT \"!\"", "Ada\n"), ["Name:Ada!"]);
    assert_eq!(typed("OBTAIN \"Word:\",A$; PRINT A$", "abc\n"), ["Word:", "abc"]);
    assert_eq!(
        typed("INPUT @(2,24),\"Key:\",A$; PRINT @(0,0),CTL", "4"),
        [vec![" 4".to_owned()], vec![String::new(); 23], vec!["  Key:".to_owned()]].concat()
    );
}

/// A text of INPUT EDIT is replaced by what is typed first, and edited after a key that edits (manual, "Input Statements").
#[test]
fn typing_replaces_a_default_value() {
    assert_eq!(typed("A$=\"JOHN DOE\"; INPUT EDIT \"Name:\",A$; PRINT A$", "MIKE\n"), ["Name:MIKE", "MIKE"]);
    assert_eq!(typed("A$=\"JOHN DOE\"; INPUT EDIT \"Name:\",A$; PRINT A$", "\n"), ["Name:JOHN DOE", "JOHN DOE"]);
    assert_eq!(
        typed("A$=\"JOHN DOE\"; INPUT EDIT (0,IND=5)\"Name:\",A$; PRINT A$", "R\n"),
        ["Name:JOHN ROE", "JOHN ROE"]
    );
}

/// Mnemonics of the text plane that are rare (manual: their pages).
#[test]
fn rare_mnemonics_of_the_text_plane() {
    use mainstay_screen::cell::{Colour, Style};
    let style = |mnemonics: &str| {
        let source = format!("PRINT {mnemonics},\"x\",");
        screen_of(source.as_bytes()).look(|screen| screen.text().screen().cell(0, 0).style)
    };
    let colours = |mnemonics: &str| (style(mnemonics).foreground, style(mnemonics).background);
    assert_eq!(colours("'B4','F7'"), (Colour::White, Colour::Blue));
    assert_eq!(colours("'BK','BLUE','WHITE'"), (Colour::White, Colour::Blue));
    assert_eq!(colours("'COLOUR'(1),'_COLOUR'(\"RGB: 0 0 200\")"), (Colour::Red, Colour::Blue));
    assert_eq!(style("'MODE'(10)").attributes.0, 10);
    assert_eq!(
        style("'MODE'($02FF04$)"),
        Style { background: Colour::Blue, attributes: Attributes::REVERSE, ..Style::default() }
    );
    assert_eq!(style("'BR','SA','BU','RA'").attributes, Attributes::REVERSE);
    assert_eq!(shown("PRINT 'GS',\"AEB\",'GE',\"AEB\""), ["┌─┐AEB"]);
    assert_eq!(shown("PRINT 'EW',@(78,0),\"abcd\",'BW',@(0,1),\"e\",")[0].trim_start(), "ab");
    assert_eq!(shown("PRINT 'SD',@(0,24),\"last\"; PRINT \"top\",'SE',")[0], "top");
    assert_eq!(shown("PRINT 'TEXTWDW'(2,1,9,4,5,\"T\"),\"in\",'RS',")[1..3], ["  ┌T──────┐", "  │in     │"]);
    let cursor =
        |mnemonics: &str| screen_of(format!("PRINT {mnemonics},").as_bytes()).look(|screen| screen.text().cursor_mode);
    use mainstay_screen::mnemonic::CursorMode::{Hidden, Insert, Normal};
    assert_eq!(["'C0'", "'C2'", "'C0','C1'"].map(cursor), [Hidden, Insert, Normal]);
    assert_eq!(["'CURSOR'(\"OFF\")", "'CURSOR'(\"INS\")", "'CURSOR'(5)"].map(cursor), [Hidden, Insert, Normal]);
    // Without type-ahead keys that were pressed before the input are lost.
    assert_eq!(typed("PRINT 'ET',; INPUT (0,TIM=0,ERR=*NEXT)A$\nPRINT @(0,0),'BT',ERR", "lost\n"), [" 0"]);
}
