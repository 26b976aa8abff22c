//! Files of a folder: lines of text, blocks, folders, names. Rules: the manual's pages of SERIAL, OPEN and of the messages.

#![expect(clippy::disallowed_methods, reason = "writes and reads files as other programs do")]

use mainstay_basic_files::{
    FileDefinition, FileKind, FolderVolume, KeyFunction, OpenMode, OpenOptions, Place, ReadOptions, RecordFile,
    RecordFormat, Result, SessionId, TransactionVerb, Volume, WriteOptions,
};
use mainstay_vfs::Disk;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn volume(folder: &Path) -> FolderVolume {
    FolderVolume::new(Arc::new(Disk), folder)
}

fn options(mode: OpenMode) -> OpenOptions {
    OpenOptions::new(SessionId(1), mode)
}

fn number<T>(outcome: Result<T>) -> u16 {
    outcome.err().map(|error| error.number()).unwrap_or(999)
}

fn read(file: &mut dyn RecordFile, place: Place<'_>) -> std::result::Result<String, u16> {
    let record = file.read(place, &ReadOptions::default()).map_err(|error| error.number())?;
    Ok(String::from_utf8(record.to_vec()).unwrap())
}

fn line(file: &mut dyn RecordFile, text: &str) {
    file.write(text.as_bytes(), &WriteOptions::default()).unwrap();
}

#[test]
fn lines_are_read_and_appended() {
    let folder = tempfile::tempdir().unwrap();
    let volume = volume(folder.path());
    volume.create("report.txt", &FileDefinition::serial(133)).unwrap();
    assert_eq!(number(volume.create("report.txt", &FileDefinition::serial(0))), 12);
    let mut file = volume.open("report.txt", &options(OpenMode::Shared)).unwrap();
    // A serial file has to be locked before it is written.
    assert_eq!(number(file.write(b"x", &WriteOptions::default())), 13);
    assert_eq!(number(file.purge()), 82);
    assert_eq!(number(file.unlock()), 14);
    file.lock(Duration::ZERO).unwrap();
    for text in ["one", "two", "three"] {
        line(file.as_mut(), text);
    }
    // After WRITE there is nothing to read until IND= says where.
    assert_eq!(read(file.as_mut(), Place::Next), Err(2));
    assert_eq!(read(file.as_mut(), Place::Index(1)), Ok("two".into()));
    assert_eq!(read(file.as_mut(), Place::Next), Ok("three".into()));
    assert_eq!(read(file.as_mut(), Place::Next), Err(2));
    assert_eq!(read(file.as_mut(), Place::Index(9)), Err(2));
    assert_eq!(file.read(Place::Index(1), &ReadOptions::default()).unwrap(), b"two");
    // The key of a line is its place: "two" begins behind "one" and its line feed.
    let key = file.key(KeyFunction::Current, None).unwrap();
    assert_eq!(key, [0, 0, 0, 4]);
    assert_eq!(read(file.as_mut(), Place::Key(&key)), Ok("two".into()));
    assert_eq!(read(file.as_mut(), Place::Key(&[0, 0, 0, 5])), Err(11));
    // The file ends behind what is written at an index.
    file.write(b"2", &WriteOptions::index(1)).unwrap();
    file.flush().unwrap();
    drop(file);
    assert_eq!(std::fs::read_to_string(folder.path().join("report.txt")).unwrap(), "one\n2\n");
}

#[test]
fn foreign_text_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(20_000);
    let text = format!("first\r\n\r\n{long}\nlast without an end");
    std::fs::write(folder.path().join("a.txt"), &text).unwrap();
    let mut file = volume(folder.path()).open("./a.txt", &options(OpenMode::Input)).unwrap();
    let mut lines = Vec::new();
    while let Ok(line) = read(file.as_mut(), Place::Next) {
        lines.push(line);
    }
    assert_eq!(lines, ["first", "", &long, "last without an end"]);
    assert_eq!(number(file.write(b"x", &WriteOptions::default())), 13);
    // Many lines: places are remembered, and counted from the nearest.
    let many: String = (0..2000).map(|n| format!("line {n}\n")).collect();
    std::fs::write(folder.path().join("many.txt"), many).unwrap();
    let mut file = volume(folder.path()).open("many.txt", &options(OpenMode::Input)).unwrap();
    for n in [1999, 0, 700, 256, 255, 1024] {
        assert_eq!(read(file.as_mut(), Place::Index(n)), Ok(format!("line {n}")));
        assert_eq!(read(file.as_mut(), Place::Number(n + 1)), Ok(format!("line {n}")));
    }
}

#[test]
fn locks_keep_others_out() {
    let folder = tempfile::tempdir().unwrap();
    let volume = volume(folder.path());
    std::fs::write(folder.path().join("a.txt"), "text\n").unwrap();
    let first = volume.open("a.txt", &options(OpenMode::Shared)).unwrap();
    assert_eq!(number(volume.open("a.txt", &options(OpenMode::Lock))), 0);
    assert_eq!(number(volume.erase("a.txt")), 0);
    drop(first);
    let purged = volume.open("a.txt", &options(OpenMode::Purge)).unwrap();
    assert_eq!(number(volume.open("a.txt", &options(OpenMode::Shared))), 0);
    drop(purged);
    assert_eq!(std::fs::read(folder.path().join("a.txt")).unwrap(), b"");
    volume.rename("a.txt", "b.txt").unwrap();
    assert_eq!(volume.kind("a.txt").unwrap(), None);
    volume.erase("b.txt").unwrap();
    assert_eq!(number(volume.erase("b.txt")), 12);
}

#[test]
fn blocks_of_bytes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.bin"), b"0123456789").unwrap();
    let with_size = OpenOptions { block_size: Some(4), ..options(OpenMode::Shared) };
    let mut file = volume(folder.path()).open("data.bin", &with_size).unwrap();
    assert_eq!(file.definition().kind, FileKind::Binary);
    let blocks: Vec<_> = std::iter::from_fn(|| read(file.as_mut(), Place::Next).ok()).collect();
    assert_eq!(blocks, ["0123", "4567", "89"]);
    file.write(b"abcd", &WriteOptions::index(1)).unwrap();
    assert_eq!(read(file.as_mut(), Place::Index(1)), Ok("abcd".into()));
    assert_eq!(number(file.write(b"abcde", &WriteOptions::index(1))), 1);
    assert_eq!(std::fs::read(folder.path().join("data.bin")).unwrap(), b"0123abcd89");
}

#[test]
fn folders_and_programs() {
    let folder = tempfile::tempdir().unwrap();
    let volume = volume(folder.path());
    volume.create_directory("sub").unwrap();
    std::fs::write(folder.path().join("menu.bas"), "0010 PRINT 1\n").unwrap();
    std::fs::write(folder.path().join(".hidden"), "").unwrap();
    let mut names = volume.open(".", &options(OpenMode::Input)).unwrap();
    let listed: Vec<_> = std::iter::from_fn(|| read(names.as_mut(), Place::Next).ok()).collect();
    assert_eq!(listed, ["menu.bas", "sub"]);
    assert_eq!(number(names.write(b"x", &WriteOptions::default())), 13);
    let kinds: Vec<_> = volume.list("").unwrap().into_iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [FileKind::Program, FileKind::Directory]);
    let mut program = volume.open("menu.bas", &options(OpenMode::Lock)).unwrap();
    assert_eq!(read(program.as_mut(), Place::Next), Ok("0010 PRINT 1".into()));
    assert_eq!(number(program.write(b"x", &WriteOptions::default())), 17);
    volume.erase("sub").unwrap();
    assert_eq!(volume.kind("sub").unwrap(), None);
}

#[test]
fn names_stay_below_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let volume = volume(folder.path());
    for name in ["", "../a", "/etc/passwd", "a/../../b", ".mainstay/x", "..", "*x", "|ls", "[tcp]x", "a\0b", "..\\a"] {
        assert_eq!(number(volume.open(name, &options(OpenMode::Shared))), 10, "{name:?}");
    }
    assert_eq!(number(volume.open("missing", &options(OpenMode::Shared))), 12);
    let create = OpenOptions { create: true, ..options(OpenMode::Shared) };
    volume.open("made", &create).unwrap();
    assert_eq!(volume.kind("made").unwrap(), Some(FileKind::Serial));
    assert_eq!(number(volume.create("k", &FileDefinition::direct(6, None, RecordFormat::DEFAULT))), 99);
}

/// 13 is the error of a file that may not be opened or changed in this way.
#[test]
fn users_who_may_only_read_open_files_for_reading() {
    let folder = tempfile::tempdir().unwrap();
    let files = Arc::new(volume(folder.path()));
    std::fs::write(folder.path().join("report.txt"), "one\ntwo\n").unwrap();
    let volume = mainstay_basic_files::ReadOnlyVolume::new(files);
    let mut file = volume.open("report.txt", &options(OpenMode::Lock)).unwrap();
    assert_eq!(read(file.as_mut(), Place::Next), Ok("one".into()));
    assert_eq!(number(file.write(b"x", &WriteOptions::default())), 13);
    assert_eq!(number(volume.open("report.txt", &options(OpenMode::Purge))), 13);
    assert_eq!(number(volume.create("new.txt", &FileDefinition::serial(0))), 13);
    assert_eq!(number(volume.erase("report.txt")), 13);
    assert_eq!(number(volume.rename("report.txt", "other.txt")), 13);
    assert_eq!(number(volume.refile("report.txt")), 13);
    assert_eq!(number(volume.create_directory("below")), 13);
    // A transaction that begins may create the native tables of a folder; one that ends has nothing to do.
    for verb in [TransactionVerb::Begin, TransactionVerb::AutoOff, TransactionVerb::BeginAuto] {
        assert_eq!(number(volume.transaction(SessionId(1), verb)), 13, "{verb:?}");
    }
    volume.transaction(SessionId(1), TransactionVerb::End(true)).unwrap();
    assert_eq!(volume.list("").unwrap().len(), 1);
    assert_eq!(std::fs::read(folder.path().join("report.txt")).unwrap(), b"one\ntwo\n");
}
