//! The console mode: lines at the prompt and what they show.

mod harness;

use mainstay_basic::console::Console;

/// Enters lines, the input of programs among them, and returns what is shown.
fn enter(lines: &str) -> String {
    let (session, written) = harness::session(lines.as_bytes(), true);
    Console::new(session).converse(None);
    written.text()
}

#[test]
fn lines_are_entered_listed_and_run() {
    let shown = enter("0020 PRINT \"two\"\n10 print \"one\"\nLIST\nRUN\n20\n/\nRUN\n");
    assert_eq!(shown, "0010 PRINT \"one\"\n0020 PRINT \"two\"\none\ntwo\n0010 PRINT \"one\"\none\n");
}

#[test]
fn statements_run_at_once_with_the_variables_of_the_program() {
    let shown = enter("10 A=7,B$=\"x\"\nRUN\n? A,B$\nA=A*2; PRINT A\nPRINT 1/0\nDUMP\n");
    let error = "Error #40: Divide check or numeric overflow (division by zero)";
    let expected = format!(" 7x\n 14\n{error}\n! ERR=40, CTL=0\n! Level=1\n! PGN=\"\"\n");
    assert!(shown.starts_with(&expected), "{shown}");
    assert!(shown.ends_with("A=14\nB$=\"x\"\n"), "{shown}");
}

#[test]
fn an_error_stops_at_its_line_and_run_goes_on() {
    let shown = enter("10 PRINT \"begin\"\n20 PRINT 1/D\n30 PRINT \"end\"\nRUN\nD=4\nRUN\n");
    let error = "line 0020: Error #40: Divide check or numeric overflow (division by zero)";
    assert_eq!(shown, format!("begin\n0020 PRINT 1/D\n{error}\n 0.25\nend\n"));
}

#[test]
fn escape_stops_behind_itself() {
    // The manual's example: RUN goes on with the rest of the line.
    let shown = enter("100 PRINT \"BEGIN\"; ESCAPE; PRINT \"DONE\"\nRUN\nRUN\n");
    assert!(shown.starts_with("BEGIN\n0100 PRINT \"BEGIN\"; ESCAPE; PRINT \"DONE\"\n"), "{shown}");
    assert!(shown.ends_with("DONE\n"), "{shown}");
}

#[test]
fn steps_and_breakpoints() {
    let program = "10 GOSUB 100\n20 PRINT \"a\"\n30 PRINT \"b\"\n40 END\n100 PRINT \"sub\"\n110 RETURN\n";
    let shown = enter(&format!("{program}.\n.A\n.\nRUN\n"));
    assert_eq!(shown, "0010 GOSUB 0100\nsub\n0020 PRINT \"a\"\na\n0030 PRINT \"b\"\nb\n");
    let shown = enter(&format!("{program}BREAK 30,110\nBREAK\nRUN\nBREAK -30\nRUN\n"));
    let expected = "0030 \n0110 \nsub\n0110 RETURN\nBreakpoint\na\nb\n";
    assert_eq!(shown, expected);
}

#[test]
fn goto_says_where_run_goes_on() {
    let shown = enter("10 PRINT \"one\"\n20 PRINT \"two\"\n30 ESCAPE\n40 PRINT \"four\"\nRUN\nGOTO 20\nRUN\n");
    assert_eq!(shown.matches("two\n").count(), 2, "{shown}");
    assert_eq!(shown.matches("one\n").count(), 1, "{shown}");
}

#[test]
fn lines_are_renumbered_deleted_and_edited() {
    // The manual's example of RENUMBER without its remark, and that of EDIT.
    let program = "1 FOR I=1 TO 40\n2 READ (1,ERR=18)A,B\n7 NEXT I\n10 STOP\n18 EXITTO 7\n";
    let shown = enter(&format!("{program}RENUMBER\nLIST\nDELETE 10,30\nLIST\n"));
    let expected = "0010 FOR I=1 TO 40\n0020 READ (1,ERR=0050)A,B\n0030 NEXT I\n0040 STOP\n0050 EXITTO 0030\n0040 STOP\n0050 EXITTO 0030\n";
    assert_eq!(shown, expected);
    let shown = enter("200 A=4*M; PRINT \"ANSWER =\",A\nEDIT 200 C[=] D[*] C[A] R[nswer] [ now]\nLIST 200\n");
    assert_eq!(shown, "0200 LET A=M; PRINT \"Answer now =\",A\n");
}

#[test]
fn wrong_lines_and_statements_are_refused_by_name() {
    let shown = enter("10 PRNT 1\nHIDE 1\nRUN\nLOAD \"nothing\"\nQUIT 3\nPRINT \"not here\"\n");
    assert_eq!(
        shown,
        "Error #20: Syntax error (PRNT is not a directive)\n\
         Error #99: Feature not supported (directive HIDE is not supported)\n\
         Error #18: Program not loaded/Invalid program format (no program)\n\
         Error #12: File does not exist (or already exists) (nothing)\n"
    );
}

#[test]
fn help_lists_the_commands_and_new_says_what_to_use() {
    let shown = enter("HELP\nNEW\n");
    for word in ["LIST", "LOAD", "SAVE", "RUN", "BREAK", "DUMP", "BYE"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    assert!(shown.lines().all(|line| line.len() < 110), "{shown}");
    assert!(shown.ends_with("DELETE removes all lines, START begins the session anew)\n"), "{shown}");
    // Each command of the list is one.
    assert_eq!(
        enter("10 PRINT 1\nLIST\n/\nDELETE\nLIST\nBREAK OFF\nSETTRACE\nENDTRACE\nEND\n? 2\nBYE\n"),
        "0010 PRINT 1\n0010 PRINT 1\n 2\n"
    );
}

#[test]
fn programs_are_loaded_and_wait_for_input() {
    let shown = enter(
        "LOAD \"callee.sub\"\nLIST 10\nDELETE\n10 INPUT \"Name? \",N$\n20 PRINT \"Hello \",N$\nRUN\nAnn\nPRINT LEN(N$)\n",
    );
    assert!(shown.ends_with("Name? Hello Ann\n 3\n"), "{shown}");
}

#[test]
fn programs_are_saved_merged_and_loaded() {
    use mainstay_basic::plain::PlainHost;
    use mainstay_basic::{FolderPrograms, Parts, Session};
    use mainstay_basic_files::{FolderVolume, SessionId};
    use mainstay_vfs::{FileSystem, Simulated};
    use std::io::Cursor;
    use std::path::Path;
    use std::sync::Arc;

    let lines = "10 PRINT \"ten\"\nSAVE \"prog\"\nDELETE\nLIST\n20 PRINT \"twenty\"\nMERGE \"prog\"\nLIST\nSAVE \"both\"\n\
                 LOAD \"prog\"\nLIST\nRUN \"both\"\nSAVE \"../out\"\nQUIT 3\n";
    let files = Simulated::new();
    files.create_folder(Path::new("shop")).unwrap();
    let files: Arc<dyn FileSystem> = Arc::new(files);
    let written = harness::Written::default();
    let session = Session::new(Parts {
        host: Box::new(PlainHost::new(Cursor::new(lines.as_bytes().to_vec()), written.clone())),
        volume: Arc::new(FolderVolume::new(Arc::clone(&files), Path::new("shop"))),
        programs: Box::new(FolderPrograms::new(Arc::clone(&files), Path::new("shop"))),
        session: SessionId(1),
        arguments: Vec::new(),
    });
    let status = Console::new(session).converse(None);
    let both = "0010 PRINT \"ten\"\n0020 PRINT \"twenty\"\n";
    let expected = format!("{both}0010 PRINT \"ten\"\nten\ntwenty\nError #10: Illegal pathname specified (../out)\n");
    assert_eq!((written.text(), status), (expected, 3));
    assert_eq!(files.read(Path::new("shop/both.bas")).unwrap(), both.as_bytes());
}

/// A program that is called again after its file has changed is the new one, in the session that has run the old one.
#[test]
fn programs_are_read_again_when_their_file_changes() {
    use mainstay_basic::plain::PlainHost;
    use mainstay_basic::{FolderPrograms, Parts, Session};
    use mainstay_basic_files::{FolderVolume, SessionId};
    use mainstay_vfs::{FileSystem, Simulated};
    use std::io::Cursor;
    use std::path::Path;
    use std::sync::Arc;

    let files: Arc<dyn FileSystem> = Arc::new(Simulated::new());
    files.create_folder(Path::new("shop")).unwrap();
    let write = |text: &str| files.replace(Path::new("shop/price.bas"), text.as_bytes()).unwrap();
    write("PRINT \"old\"\nEXIT\n");
    let written = harness::Written::default();
    let session = Session::new(Parts {
        host: Box::new(PlainHost::new(Cursor::new(Vec::new()), written.clone())),
        volume: Arc::new(FolderVolume::new(Arc::clone(&files), Path::new("shop"))),
        programs: Box::new(FolderPrograms::new(Arc::clone(&files), Path::new("shop"))),
        session: SessionId(1),
        arguments: Vec::new(),
    });
    let mut console = Console::new(session);
    for line in ["10 CALL \"price\"", "RUN", "RUN"] {
        assert_eq!(console.enter(line.as_bytes()), None);
    }
    write("PRINT \"new price\"\nEXIT\n");
    assert_eq!(console.enter(b"RUN"), None);
    assert_eq!(written.text(), "old\nold\nnew price\n");
}
