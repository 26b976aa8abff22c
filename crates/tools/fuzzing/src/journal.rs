//! Journals of native tables, and files of their backups.
//!
//! Byte 0 is a set of flags: bit 0 corrects lengths, numbers and checksums first, so that the code behind them is reached;
//! bit 1 chooses a backup instead of a journal. The rest is the file. A journal follows a checkpoint without tables.

use mainstay_store::column::layout::data_type;
use mainstay_store::files::{Manifest, StoreFolder};
use mainstay_store::journal::checksum::crc32c;
use mainstay_store::journal::redo::Operation;
use mainstay_store::journal::{
    FILE_HEADER, FRAME_HEADER, FrameHeader, JournalHeader, Operations, encode_frame, journal_path, replay,
};
use mainstay_store::{Durability, Store, StoreOptions};
use mainstay_types::{Result, SqlType};
use mainstay_vfs::{FileSystem, Memory};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

const FOLDER: &str = "db";
const SALT: u64 = 5;
/// The memory of the store: little, so that rows go to files while it is opened.
const MEMORY_BYTES: usize = 512 << 10;
/// Types of the columns of operations, in turn: a journal does not say them.
const TYPES: [SqlType; 8] = [
    SqlType::BigInt,
    SqlType::TEXT,
    SqlType::Boolean,
    SqlType::Double,
    SqlType::Decimal { precision: 38, scale: 4 },
    SqlType::Date,
    SqlType::Uuid,
    SqlType::VarBinary { length: None },
];

/// Reads the input as a journal or a backup.
pub fn run(input: &[u8]) {
    let (choice, content) = crate::selector(input);
    match choice & 3 {
        0 => journal(content),
        1 => journal(&sealed(content)),
        _ => backup(content),
    }
}

/// A journal of the same payloads.
fn sealed(content: &[u8]) -> Vec<u8> {
    let mut out = JournalHeader { number: 1, first_sequence: 1, salt: SALT }.encode().to_vec();
    let mut rest = content.get(FILE_HEADER..).unwrap_or_default();
    let mut sequence = 1;
    while let Some(header) = FrameHeader::decode(rest) {
        let behind = &rest[FRAME_HEADER..];
        let (payload, next) = behind.split_at(behind.len().min(header.length as usize));
        encode_frame(&mut out, payload, crc32c(payload), sequence, 0, SALT);
        (rest, sequence) = (next, sequence + 1);
    }
    out
}

fn journal(content: &[u8]) {
    let memory = Memory::new();
    let manifest = Manifest { journal: 1, next_file: 1, ..Manifest::default() };
    let folder = StoreFolder::new(Arc::new(memory.clone()), FOLDER);
    if memory.create_folder(Path::new(FOLDER)).and_then(|()| folder.save(&manifest)).is_err() {
        return;
    }
    memory.write(journal_path(Path::new(FOLDER), 1), content);
    // Every operation with its rows; errors are what damage gives.
    let _ = replay(&memory, Path::new(FOLDER), 1, &mut |frame| {
        let _ = frame.payload.operations().and_then(every_row);
        Ok(())
    });
    // Accepted rows are written and found whole.
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: None,
        memory_bytes: Some(MEMORY_BYTES),
        whole_bytes: 0,
        ..StoreOptions::DEFAULT
    };
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let Ok(store) = Store::open(Arc::clone(&fs), Path::new(FOLDER), options) else { return };
    let is_whole = store.damage().is_empty();
    let read = rows(&store);
    if store.close().is_ok() && is_whole && read.is_ok() {
        let findings = Store::check(fs, Path::new(FOLDER));
        assert!(findings.as_ref().is_ok_and(Vec::is_empty), "{findings:?}");
    }
}

fn every_row(mut operations: Operations<'_>) -> Result<()> {
    let types = |columns: usize| -> Vec<SqlType> { TYPES.iter().cycle().take(columns.min(64)).copied().collect() };
    while let Some(operation) = operations.next_operation()? {
        match operation {
            Operation::Insert(mut run) => {
                let (types, mut values) = (types(run.columns), Vec::new());
                while run.next_row(&types, &mut values)?.is_some() {}
            }
            Operation::InsertColumns(run) => {
                let types: Vec<_> = types(run.columns).into_iter().map(data_type).collect();
                let columns = run.columns(&types)?;
                assert!(columns.iter().all(|column| column.len() == run.rows), "a column of another length");
            }
            Operation::Update(mut run) => {
                let (types, mut changed) = (types(run.columns), Vec::new());
                while run.next_row(&types, &mut changed)?.is_some() {}
            }
            Operation::Delete(mut ids) => while ids.next_row_id()?.is_some() {},
            Operation::Catalog(_) | Operation::Sequence { .. } => {}
        }
    }
    Ok(())
}

/// Reads every value of every table.
fn rows(store: &Store) -> Result<()> {
    for definition in &store.catalog().tables {
        let table = store.table_of(definition.id)?;
        table.reader(table.current_view()).for_each(&mut |row| {
            for column in 0..table.types().len() {
                let _ = row.value(column);
            }
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(())
}

fn backup(content: &[u8]) {
    let memory = Memory::new();
    memory.write("backup", content);
    let checked = Store::check_backup(&memory, Path::new("backup"));
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let restored = Store::restore(Arc::clone(&fs), Path::new("backup"), Path::new(FOLDER));
    assert!(restored.is_err() || checked.is_ok(), "a backup is restored that the check refuses: {checked:?}");
    if restored.is_ok() {
        // Its checksums are right; the content may contradict itself.
        let _ = Store::check(fs, Path::new(FOLDER));
    }
}
