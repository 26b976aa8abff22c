//! A program of Business BASIC: its tree, its listing, and a run.
//!
//! Byte 0 is a set of flags: bit 0 runs the program, bit 1 enters its lines at the console. The rest is the text, with
//! the input of the program among it: a program reads its own text.

use mainstay_basic::console::Console;
use mainstay_basic::plain::PlainHost;
use mainstay_basic::{FolderPrograms, Parts, Session, check};
use mainstay_basic_files::{FolderVolume, SessionId};
use mainstay_basic_syntax::{parse, print};
use mainstay_vfs::{FileSystem, Simulated};
use std::io::{Cursor, sink};
use std::path::Path;
use std::sync::Arc;

/// Operations of a program.
const OPERATIONS: u64 = 20_000;
/// Bytes of a string.
const TEXT: usize = 1 << 16;
/// Bytes of a session.
const MEMORY: u64 = 8 << 20;
/// Elements of an array.
const ELEMENTS: usize = 10_000;

/// Reads the input as a program.
pub fn run(input: &[u8]) {
    let (choice, text) = crate::selector(input);
    tree(text);
    if choice & 1 != 0 {
        // An error is what a damaged program ends with.
        let _ = session(text).run_text("fuzz", text);
    }
    if choice & 2 != 0 {
        Console::new(session(text)).converse(None);
    }
}

/// The tree, its errors with their places, and its list, which is read again and has as many lines.
fn tree(text: &[u8]) {
    let program = parse(text);
    for diagnostic in check("fuzz", text) {
        assert!(!diagnostic.message.is_empty(), "an error without words: {diagnostic:?}");
    }
    assert!(program.lines.is_sorted_by_key(|line| line.number), "lines out of order");
    let again = parse(&print::program(&program));
    let is_listed = |line: &&mainstay_basic_syntax::tree::Line| !line.directives.is_empty() || line.label.is_some();
    let expected = program.lines.iter().filter(is_listed).count();
    if program.diagnostics.is_empty() && program.numbered && program.lines.len() < 6_000 {
        assert!(again.lines.len() >= expected, "{} of {expected} lines are listed", again.lines.len());
    }
}

fn session(input: &[u8]) -> Session {
    let files = Simulated::new();
    // A file system in memory has room for a folder.
    let _ = files.create_folder(Path::new("shop"));
    let files: Arc<dyn FileSystem> = Arc::new(files);
    let host = PlainHost::new(Cursor::new(input.to_vec()), sink()).without_waits();
    let mut session = Session::new(Parts {
        host: Box::new(host),
        volume: Arc::new(FolderVolume::new(Arc::clone(&files), Path::new("shop"))),
        programs: Box::new(FolderPrograms::new(files, Path::new("shop"))),
        session: SessionId(1),
        arguments: Vec::new(),
    });
    session.limit_operations(OPERATIONS);
    session.limit_total_memory(MEMORY);
    session.limit_memory(TEXT, ELEMENTS);
    session
}
