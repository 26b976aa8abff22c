//! The export program of the sample folder, and the import of what it writes: records, keys and checksums are those of the
//! original.

use mainstay_basic::plain::PlainHost;
use mainstay_basic::{FolderPrograms, Parts, Session};
use mainstay_basic_files::transfer::{Description, Report, import};
use mainstay_basic_files::{FolderVolume, OpenMode, OpenOptions, Order, RecordFile, ScanRange, SessionId, Volume};
use mainstay_basic_tables::TableVolume;
use mainstay_store::{Durability, Store, StoreOptions};
use mainstay_vfs::{FileSystem, Simulated};
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

/// A shop: its folder, and its files.
struct Shop {
    files: Arc<dyn FileSystem>,
    volume: Arc<dyn Volume>,
}

impl Shop {
    fn new() -> Shop {
        let files = Simulated::new();
        files.create_folder(Path::new("shop")).unwrap();
        let files: Arc<dyn FileSystem> = Arc::new(files);
        let folder = Arc::new(FolderVolume::new(Arc::clone(&files), Path::new("shop")));
        let options = StoreOptions { durability: Durability::None, checkpoint_bytes: None, ..StoreOptions::DEFAULT };
        let store = Store::open(Arc::clone(&files), Path::new("shop/.mainstay"), options).unwrap();
        let volume = Arc::new(TableVolume::new(Arc::new(store), folder, Durability::None));
        Shop { files, volume }
    }

    fn run(&self, program: &str, input: &str) {
        let host = PlainHost::new(Cursor::new(input.as_bytes().to_vec()), std::io::sink()).without_waits();
        let mut session = Session::new(Parts {
            host: Box::new(host),
            volume: Arc::clone(&self.volume),
            programs: Box::new(FolderPrograms::new(Arc::clone(&self.files), Path::new("shop"))),
            session: SessionId(1),
            arguments: Vec::new(),
        });
        if let Err(failure) = session.run_text("program", program.as_bytes()) {
            panic!("{failure}");
        }
    }

    fn text(&self, name: &str) -> Vec<u8> {
        self.files.read(&Path::new("shop").join(name)).unwrap()
    }

    /// The records in the order of a key, with that key.
    fn records(&self, name: &str, order: Order) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut file = self.volume.open(name, &OpenOptions::new(SessionId(2), OpenMode::Input)).unwrap();
        let file: &mut dyn RecordFile = file.as_mut();
        let mut scan = file.scan(&ScanRange { order: Some(order), ..ScanRange::default() }).unwrap();
        let mut all = Vec::new();
        while let Some(record) = file.scan_next(&mut scan).unwrap() {
            all.push((record.key.to_vec(), record.data.to_vec()));
        }
        all
    }
}

const EXPORT: &str = include_str!("../../../../../sample/export/export.bas");

/// Imports the export of a name: the report, and the numbers of rejected lines with their reasons.
fn take(to: &Shop, description: &str, data: &[u8]) -> (Description, Report, Vec<(u64, String)>) {
    let description = Description::parse(description, "copy").unwrap();
    let mut lines = data.split_inclusive(|byte| *byte == b'\n');
    let mut next = |line: &mut Vec<u8>| {
        let Some(next) = lines.next() else { return Ok(false) };
        line.extend_from_slice(next.strip_suffix(b"\n").unwrap_or(next));
        Ok(true)
    };
    let mut rejected = Vec::new();
    let mut reject = |number: u64, _: &[u8], error: &mainstay_basic_files::FileError| {
        rejected.push((number, error.to_string()));
        Ok(())
    };
    let report = import(to.volume.as_ref(), &description, &mut next, &mut reject).unwrap();
    (description, report, rejected)
}

const FILES: &str = "
0010 KEYED \"orders\",[1:1:4],[2:1:10]+[1:1:4],[3:1:6:\"D\"]
0020 OPEN (1)\"orders\"
0030 FOR I=1 TO 300
0040 WRITE (1)STR(I:\"0000\"),\"Name \"+CHR(65+MOD(I,26))+$090A0D5C1B00FF$,STR(I*7),\"\"
0050 NEXT I
0060 CLOSE (1)
0110 DIRECT \"owed\",6,0,-100
0120 OPEN (1)\"owed\"
0130 FOR I=1 TO 50; WRITE (1,KEY=CHR(9)+\"K\\\"+STR(I:\"000\"))I*1.5,\"x\"; NEXT I
0140 WRITE RECORD (1,KEY=\"Z\")\"no separator at the end\"
0150 CLOSE (1)
0210 INDEXED \"slots\",0,20
0220 OPEN (1)\"slots\"
0230 FOR I=0 TO 9; WRITE (1,IND=I)\"slot \"+STR(I); NEXT I
0240 CLOSE (1)
0310 SORT \"codes\",8
0320 OPEN (1)\"codes\"
0330 FOR I=1 TO 20; WRITE (1,KEY=\"C\"+STR(I:\"00\")); NEXT I
0340 CLOSE (1)
";

#[test]
fn what_the_export_program_writes_is_imported_unchanged() {
    let (old, new) = (Shop::new(), Shop::new());
    old.run(FILES, "");
    old.run(EXPORT, "orders\norders\nID$,NAME$,AMOUNT$,*\nowed\nowed\n\nslots\nslots\n\ncodes\ncodes\n\n\n");
    for (name, orders) in [
        ("orders", &[Order::Key(0), Order::Key(1), Order::Key(2), Order::Physical][..]),
        ("owed", &[Order::Key(0), Order::Physical]),
        ("slots", &[Order::Physical]),
        ("codes", &[Order::Key(0)]),
    ] {
        let text = String::from_utf8(old.text(&format!("{name}.desc"))).unwrap();
        let text = format!("{text}\nname={name}\nlayout=\n");
        let (description, report, rejected) = take(&new, &text, &old.text(&format!("{name}.txt")));
        assert_eq!(rejected, [], "{name}");
        assert_eq!(report.differences(&description), [""; 0], "{name}: {text}");
        assert!(description.checksum.is_some() && report.taken.records >= 10, "{name}");
        for order in orders {
            assert_eq!(new.records(name, *order), old.records(name, *order), "{name} {order:?}");
        }
    }
    let definition = |shop: &Shop, name: &str| {
        let mut file = shop.volume.open(name, &OpenOptions::new(SessionId(2), OpenMode::Input)).unwrap();
        file.information().unwrap().definition
    };
    assert_eq!(definition(&new, "orders").keys.to_string(), definition(&old, "orders").keys.to_string());
}

#[test]
fn rejected_records_have_their_reasons_and_lost_ones_are_found() {
    let description = "keys=[1:1:2],[2:1:4:\"U\"]\nrecord=-20\nformat=csv\nrecords=5\n";
    let data = b"A1,one\r\nA1,two\r\nA2,one\r\nA3,far too long for a record of this file\r\nA4,\"open\r\nA5,five\r\n";
    let (description, report, rejected) = take(&Shop::new(), description, data);
    let numbers: Vec<u64> = rejected.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [2, 3, 4, 5], "{rejected:?}");
    assert_eq!((report.taken.records, report.stored.records, report.rejected), (2, 2, 4));
    assert_eq!(report.differences(&description), ["records: 5 were exported, 6 arrived"]);
    // A byte that was changed on the way is found by the checksum.
    let description = "keys=[1:1:2]\nrecords=1\nbytes=5\ncrc=0000\n";
    let (description, report, _) = take(&Shop::new(), description, b"A1\tx\t");
    assert_eq!(
        report.differences(&description),
        [format!("checksum: 0000 were exported, {:04X} arrived", report.read.checksum)]
    );
}

#[test]
fn an_indexed_file_with_gaps_gives_back_what_it_took() {
    // Indexes 5 and 1: the file has six records, four of which were never written.
    let description = "\u{feff}kind=indexed\nrecord=12\nrecords=2\n";
    let (description, report, rejected) = take(&Shop::new(), description, b"5\tsix\t\n1\ttwo\t\n");
    assert_eq!((rejected, report.differences(&description)), (Vec::new(), Vec::new()));
    // The second line of an index takes the place of the first one.
    let description = "kind=indexed\nrecord=12\n";
    let (description, report, _) = take(&Shop::new(), description, b"1\ttwo\t\n1\tdeux\t\n");
    assert_eq!(report.differences(&description), ["the file gives 1 records back, and took 2"]);
}

#[test]
fn text_is_taken_byte_by_byte_or_converted_from_utf_8() {
    let text = "1\tMüller\t\n2\t→\t\n".as_bytes();
    for (encoding, name, rejected_lines) in [
        ("", &b"M\xC3\xBCller\x8A"[..], 0),
        ("encoding=8-bit\n", b"M\xC3\xBCller\x8A", 0),
        ("encoding=utf-8\n", b"M\xFCller\x8A", 1),
    ] {
        let shop = Shop::new();
        let (_, _, rejected) = take(&shop, &format!("keys=[1:1:1]\n{encoding}"), text);
        assert_eq!(rejected.len(), rejected_lines, "{rejected:?}");
        let records = shop.records("copy", Order::Key(0));
        assert_eq!(records[0].1, [b"1\x8A", name].concat(), "{encoding}");
    }
}
