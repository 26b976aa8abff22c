//! A table that another program appends to while it is opened is whole, whatever comes between the reads.

use mainstay_types::Result;
use mainstay_vfs::{File, FileSystem, Memory, Stamp};
use mainstay_xbase::Severity;
use mainstay_xbase::dbf::{Dbf, OpenOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const HEADER: usize = 32 + 32 + 1;

/// A dBASE III table of one field of five characters.
fn table(records: u8) -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    bytes[0] = 3;
    bytes[4] = records;
    bytes[8] = HEADER as u8;
    bytes[10] = 6;
    bytes[32] = b'A';
    bytes[43] = b'C';
    bytes[48] = 5;
    bytes[HEADER - 1] = 0x0D;
    (0..records).for_each(|_| bytes.extend(b" hello"));
    bytes.push(0x1A);
    bytes
}

/// A file that has one record more after so many calls.
#[derive(Debug)]
struct Growing {
    memory: Memory,
    file: Arc<dyn File>,
    calls_left: AtomicUsize,
}

impl Growing {
    fn called(&self) {
        if self.calls_left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.memory.write(self.file.path(), table(4));
        }
    }
}

impl File for Growing {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let read = self.file.read_at(buffer, offset);
        self.called();
        read
    }

    fn stamp(&self) -> Result<Stamp> {
        let stamp = self.file.stamp();
        self.called();
        stamp
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

#[test]
fn a_record_that_comes_while_a_table_is_opened_is_no_damage() {
    for calls in 1..4 {
        let memory = Memory::new();
        memory.write("t.dbf", table(3));
        let file = memory.open(Path::new("t.dbf")).unwrap();
        let growing = Growing { memory, file, calls_left: AtomicUsize::new(calls) };
        let dbf = Dbf::open(Arc::new(growing), OpenOptions::default()).unwrap();
        let errors: Vec<_> = dbf.findings().iter().filter(|it| it.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "after {calls} calls: {errors:?}");
        assert_eq!(dbf.read_count().unwrap(), 4, "after {calls} calls");
    }
}
