//! Characters cross the borders of a session: source text, input, output, SAVE, file names. Inside they are bytes of Windows-1252, one
//! for each character (docs/basic.md, "Text and code pages").

mod harness;

use mainstay_basic::console::Console;
use mainstay_basic::plain::PlainHost;
use mainstay_basic::{FolderPrograms, Parts, Session};
use mainstay_basic_files::{FolderVolume, SessionId};
use mainstay_vfs::{FileSystem, Simulated};
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

fn run(source: &[u8], input: &[u8]) -> String {
    let (mut session, written) = harness::session(input, true);
    if let Err(failure) = session.run_text("program", source) {
        panic!("{failure}");
    }
    written.text()
}

#[test]
fn a_character_of_the_source_is_a_byte() {
    let source = "PRINT LEN(\"Müller\"),POS(\"ü\"=\"Müller\"),\" \",HTA(\"ü€\")\nPRINT \"Müller €\"\n";
    assert_eq!(run(source.as_bytes(), b""), " 6 2 FC80\nMüller €\n");
    // A byte order mark is no part of the text, and 8-bit sources are taken as they are.
    assert_eq!(run("\u{feff}PRINT LEN(\"é\")\n".as_bytes(), b""), " 1\n");
    assert_eq!(run(b"PRINT LEN(\"\xE9\xFC\"),\"\xE9\"\n", b""), " 2é\n");
    // C3 BC are two letters, although they are one of UTF-8.
    assert_eq!(run(b"PRINT $C3BC$\n", b""), "Ã¼\n");
    assert_eq!(run("PRINT \"→Š\"\n".as_bytes(), b""), "??\n");
}

#[test]
fn patterns_match_characters_of_the_page() {
    let source = "PRINT MSK(\"Müller\",\"Mü\"),MSK(\"Müller\",\"[ü]\"),MSK(\"Müller\",\"[à-ÿ]l+\"),MSK(\"5 €\",\"\\€\")
PRINT MSK(\"Müller\",\"M.l\"),MSK(\"Muller\",\"ü\"),MSK(\"a\\b\",\"\\\\b\"),MSK(\"xFC\",\"ü\")
IF \"Höller\" LIKE \"^H[öo]l\" THEN PRINT \"like\"
";
    assert_eq!(run(source.as_bytes(), b""), " 1 2 2 3\n 1 0 2 0\nlike\n");
}

#[test]
fn input_is_converted() {
    let source = b"INPUT A$\nINPUT B$\nPRINT LEN(A$),HTA(A$),\" \",HTA(B$)\n";
    let printed = run(source, b"H\xC3\xB6ller\nH\xF6ller\n");
    assert!(printed.ends_with(" 648F66C6C6572 48F66C6C6572\n"), "{printed:?}");
}

#[test]
fn records_of_files_and_execute_have_the_same_bytes() {
    let source = "KEYED \"names\",[1:1:10]
OPEN (1)\"names\"
EXECUTE \"WRITE (1)\"+QUO+\"Höller\"+QUO+\",1\"
CLOSE (1)
OPEN (1)\"names\"
READ (1,KEY=\"Höller\")N$
PRINT LEN(N$),POS(\"Höller\"=N$)
";
    assert_eq!(run(source.as_bytes(), b""), " 6 1\n");
}

#[test]
fn codes_become_characters_of_the_page() {
    let source = "A$=CVS(8364,233)\nPRINT HTA(A$),A$\n";
    assert_eq!(run(source.as_bytes(), b""), "80E9€é\n");
}

#[test]
fn save_writes_utf_8_and_names_are_unicode() {
    let files: Arc<dyn FileSystem> = Arc::new(Simulated::new());
    let folder = Path::new("shop");
    files.create_folder(folder).unwrap();
    // 8-bit text.
    files.replace(&folder.join("old.bas"), b"0010 PRINT \"caf\xE9\"\n").unwrap();
    let lines = "LOAD \"old\"\n0020 PRINT \"ü\"\nSAVE \"grüße\"\n";
    let session = Session::new(Parts {
        host: Box::new(PlainHost::new(Cursor::new(lines.as_bytes().to_vec()), std::io::sink())),
        volume: Arc::new(FolderVolume::new(Arc::clone(&files), folder)),
        programs: Box::new(FolderPrograms::new(Arc::clone(&files), folder)),
        session: SessionId(1),
        arguments: Vec::new(),
    });
    Console::new(session).converse(None);
    let saved = files.read(&folder.join("grüße.bas")).unwrap();
    assert_eq!(String::from_utf8(saved).unwrap(), "0010 PRINT \"café\"\n0020 PRINT \"ü\"\n");
}
