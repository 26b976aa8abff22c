//! Files that change, fail or are nonsense: an error or the right values, never a panic or a wrong value.

mod common;

use common::{Random, lines, memory, open, open_in, rows, rows_of};
use mainstay_columnar::Table;
use mainstay_csv::CsvOptions;
use mainstay_types::{Code, Result};
use mainstay_vfs::{Entry, Fault, Faulty, File, FileSystem, Memory, Stamp};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const SAMPLE: &str =
    "id;name;amount;day\r\n1;\"Berg; \"\"A\"\"\";1,50;01.02.2024\r\n2;;-3,25;\r\n3;\"x\ny\";0,00;31.12.1999\r\n";

#[test]
fn mutations_of_a_file_never_panic() {
    let mut random = Random(1);
    let samples: [&[u8]; 4] = [
        SAMPLE.as_bytes(),
        b"a,b,c\n1,2.5e3,true\n,,\n12345678901234567890123,2024-01-01T10:00:00.5,false\n",
        b"'a'\t'b''c'\r1\t2\r\x1a",
        b"\xef\xbb\xbfsep=|\nK\xf6ln|12/31/2024|-0.5\n\"|01/02/2024|.5\n",
    ];
    let bytes = b"\",;\t|'\n\r\0\x1a\x80\xff0123456789-+.eE:/ TtFfx";
    for case in 0..4_000 {
        let mut content = samples[case % samples.len()].to_vec();
        for _ in 0..=random.below(8) {
            let at = random.below(content.len() + 1);
            let byte = bytes[random.below(bytes.len())];
            match random.below(4) {
                0 => content.insert(at, byte),
                1 if at < content.len() => content[at] = byte,
                2 => content.truncate(at.max(1)),
                _ => {
                    let copy = content[at..].to_vec();
                    content.extend_from_slice(&copy[..copy.len().min(20)]);
                }
            }
        }
        let Ok(table) = open_in(memory(content.clone()), CsvOptions::default()) else { continue };
        let snapshot = table.snapshot().unwrap();
        let columns = table.schema().fields().len();
        let all = rows_of(&*snapshot, columns).unwrap_or_else(|error| panic!("{error}: {content:?}"));
        let wanted: Vec<u32> = (0..all.len() as u32).rev().collect();
        snapshot.fetch(&wanted, &(0..columns).collect::<Vec<_>>(), false).unwrap();
        let _ = (table.findings(), snapshot.notices());
    }
}

#[test]
fn every_failing_read_is_an_error_or_is_made_good() {
    let run = |files: &Faulty<Memory>| -> Result<Vec<Vec<arrow_array::ArrayRef>>> {
        let table = open_in(files.clone(), CsvOptions::default())?;
        let snapshot = table.snapshot()?;
        (0..snapshot.groups()).map(|group| snapshot.vectors(group, &[0, 1, 2, 3])).collect()
    };
    let content = format!("{SAMPLE}{}", "4;a rather long text;1,00;\n".repeat(60_000));
    let files = memory(content);
    let counting = Faulty::counting(files.clone());
    let truth = run(&counting).unwrap();
    assert!(counting.reads() >= 4);
    let mut errors = 0;
    for read in 0..counting.reads() {
        for fault in [Fault::Error, Fault::Short] {
            match run(&Faulty::new(files.clone(), read, fault)) {
                Ok(found) => assert!(found == truth, "read {read}, {fault:?}"),
                Err(error) => {
                    errors += 1;
                    assert!(error.to_string().contains("t.csv"), "{error}");
                }
            }
        }
    }
    assert!(errors as u64 >= counting.reads());
}

#[test]
fn new_rows_are_seen_by_the_next_snapshot() {
    let files = memory("id,name\n1,a\n");
    let table = open_in(files.clone(), CsvOptions::default()).unwrap();
    let before = table.snapshot().unwrap();
    before.vectors(0, &[0]).unwrap();
    assert!(before.is_decoded(0, &[0]) && !before.is_decoded(0, &[0, 1]));
    files.write("t.csv", "id,name\n1,a\n2,b\n");
    assert!(table.is_current().unwrap());
    assert_eq!(lines(&table), ["1|a", "2|b"]);
    assert_eq!(table.estimated_rows(), 2);
    // The old snapshot still has what was decoded, and its row is still where it was.
    assert_eq!(rows_of(&*before, 2).unwrap().len(), 1);
    files.write("t.csv", "id,name\n7,a\n2,b\n");
    assert_eq!(before.vectors(0, &[0]).unwrap()[0].len(), 1);
}

#[test]
fn values_that_change_under_a_snapshot_are_an_error() {
    let files = memory("id,name\n1,a\n");
    let table = open_in(files.clone(), CsvOptions::default()).unwrap();
    let snapshot = table.snapshot().unwrap();
    for content in ["id,name\n2,a\n", "id,name\nx,a\n", "id,na"] {
        files.write("t.csv", content);
        let error = snapshot.vectors(0, &[0]).unwrap_err();
        assert_eq!(error.code(), Code::Busy, "{error}");
    }
}

#[test]
fn other_columns_need_another_table() {
    let files = memory("id,name\n1,a\n");
    let table = open_in(files.clone(), CsvOptions::default()).unwrap();
    files.write("t.csv", "id,name\n1,a\nx2,b\n");
    assert!(!table.is_current().unwrap());
    assert_eq!(table.snapshot().err().map(|error| error.code()), Some(Code::Busy));
    let table = table.reopen().unwrap();
    assert!(table.is_current().unwrap());
    assert_eq!(lines(&table), ["1|a", "x2|b"]);
}

#[test]
fn what_is_longer_than_a_row_may_be() {
    let options = || CsvOptions { delimiter: Some(b','), quote: Some(b'"'), ..CsvOptions::default() };
    let line = format!("1,{}\n", "x".repeat(2_000));
    let lines_of = |bytes: usize| line.repeat(bytes / line.len());
    // The quote of line 2 is closed, but too far away to be meant.
    let content = format!("a,b\n2,\"open\n{}3,\"y\"\n", lines_of(17 << 20));
    let table = open_in(memory(content.clone()), options()).unwrap();
    assert_eq!(table.estimated_rows(), content.lines().count() - 1);
    assert_eq!(table.findings()[0].place(), "line 2, column 3");
    let snapshot = table.snapshot().unwrap();
    let (last, _) = snapshot.fetch(&[0, table.estimated_rows() as u32 - 1], &[1], true).unwrap();
    assert_eq!(common::text_of(&last[0]), [Some("\"open".to_owned()), Some("\"y\"".to_owned())]);

    let error = open_in(memory("x".repeat(17 << 20)), options()).unwrap_err();
    assert_eq!(error.code(), Code::NotThisFormat, "{error}");
    let error = open_in(memory(",".repeat(40_000)), options()).unwrap_err();
    assert_eq!(error.code(), Code::NotThisFormat, "{error}");
}

/// Files whose times never show a change, but are young.
#[derive(Debug)]
struct Young(Memory, SystemTime);

#[derive(Debug)]
struct YoungFile(Arc<dyn File>, SystemTime);

fn young(stamp: Stamp, time: SystemTime) -> Stamp {
    Stamp { modified: time, changed: time, tick: Duration::from_secs(60), ..stamp }
}

impl FileSystem for Young {
    fn open(&self, path: &Path) -> Result<Arc<dyn File>> {
        Ok(Arc::new(YoungFile(self.0.open(path)?, self.1)))
    }

    fn stamp(&self, path: &Path) -> Result<Stamp> {
        Ok(young(self.0.stamp(path)?, self.1))
    }

    fn list(&self, folder: &Path) -> Result<Vec<Entry>> {
        self.0.list(folder)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.0.is_folder(path)
    }
}

impl File for YoungFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn stamp(&self) -> Result<Stamp> {
        Ok(young(self.0.stamp()?, self.1))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

#[test]
fn a_change_that_the_file_times_hide_is_noticed_while_they_are_young() {
    let files = memory("id,name\n1,a\n");
    let table = open_in(Young(files.clone(), SystemTime::now()), CsvOptions::default()).unwrap();
    let first = table.snapshot().unwrap();
    first.vectors(0, &[0]).unwrap();
    assert!(table.snapshot().unwrap().is_decoded(0, &[0]), "an unchanged file is not decoded twice");
    files.write("t.csv", "id,name\n2,b\n");
    assert_eq!(lines(&table), ["2|b"]);
    files.write("t.csv", "di,name\n2,b\n");
    assert!(!table.is_current().unwrap());
}

#[test]
fn a_real_file_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.csv");
    #[allow(clippy::disallowed_methods)]
    std::fs::write(&path, SAMPLE).unwrap();
    let cache = mainstay_columnar::VectorCache::new(1 << 20);
    let files = Arc::new(mainstay_vfs::Disk);
    let table = mainstay_csv::CsvTable::open(files, &path, "orders", cache, CsvOptions::default()).unwrap();
    assert_eq!(rows(&table), rows(&open(SAMPLE)));
    assert_eq!(lines(&table)[0], "1|Berg; \"A\"|1.50|2024-02-01");
    #[allow(clippy::disallowed_methods)]
    std::fs::write(&path, format!("{SAMPLE}4;z;9,99;\r\n")).unwrap();
    assert_eq!(lines(&table).len(), 4);
}
