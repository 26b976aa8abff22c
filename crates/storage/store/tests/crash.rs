//! The disk part of the store on a file system that loses its power at any operation: every acknowledged change is
//! found afterwards, nothing is found without the changes before it, and recovery needs no help.
//!
//! The script creates a database, commits, takes checkpoints while it goes on committing, and is opened again in
//! between. A commit writes its own number, which identifies it afterwards.

use arrow_array::{ArrayRef, Int64Array};
use mainstay_store::files::{GroupImage, GroupRowIds, GroupVectors, Manifest, StoreFolder, TableImage, WrittenGroup};
use mainstay_store::journal::redo::{Operation, RedoBuffer};
use mainstay_store::journal::{Durability, JournalWriter, Recovered, journal_path, replay};
use mainstay_types::{Result, SqlType, ValueRef};
use mainstay_vfs::{FileSystem, Simulated, explore};
use std::path::Path;
use std::sync::Arc;

const TABLE: u64 = 1;
const COLUMN: u64 = 2;
const TYPES: [SqlType; 1] = [SqlType::BigInt];

/// The acknowledged state when the script was cut off.
#[derive(Clone, Debug, Default)]
struct Promised {
    exists: bool,
    /// The last commit that was acknowledged as `Full`; those before it were promised with it.
    commits: u64,
    /// The last commit that was acknowledged as `Os` or better.
    written: u64,
    /// The last commit that was begun.
    begun: u64,
}

/// A database whose only rows are the numbers of its commits.
struct Store {
    folder: StoreFolder,
    manifest: Manifest,
    journal: JournalWriter,
    /// The commits that are in it.
    commits: Vec<u64>,
}

impl Store {
    fn open(fs: &Simulated) -> Result<Store> {
        let folder = StoreFolder::new(Arc::new(fs.clone()), "data/db");
        let Some(manifest) = folder.load()? else {
            let manifest = Manifest { journal: 1, next_file: 1, ..Manifest::default() };
            let journal = folder.initialize(&manifest, 42)?;
            return Ok(Store { folder, manifest, journal, commits: Vec::new() });
        };
        let (commits, recovered) = found(&folder, &manifest)?;
        folder.remove_leftovers(&manifest)?;
        let journal = recovered.resume(fs)?;
        Ok(Store { folder, manifest, journal, commits })
    }

    fn commit(&mut self, durability: Durability, promised: &mut Promised) -> Result<()> {
        let number = self.commits.len() as u64 + 1;
        promised.begun = promised.begun.max(number);
        let mut redo = RedoBuffer::new();
        // Some frames are longer than a sector, so that they can be torn.
        for row in 0..1 + number % 3 * 200 {
            redo.insert_row(TABLE, &TYPES, row, [ValueRef::Integer(number as i64)])?;
        }
        let ticket = self.journal.append(redo.seal(number))?;
        self.journal.wait(ticket, durability)?;
        self.commits.push(number);
        if durability != Durability::None {
            promised.written = number;
        }
        if durability == Durability::Full {
            promised.commits = number;
        }
        Ok(())
    }

    fn checkpoint(&mut self, promised: &mut Promised) -> Result<()> {
        let number = self.manifest.journal + 1;
        let path = journal_path(self.folder.path(), number);
        self.journal = self.journal.continue_in(self.folder.fs(), &path, number, 42 + number)?;
        // Closing makes everything before it durable.
        promised.commits = self.commits.len() as u64;
        let last = self.commits.len() as u64;
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(self.commits.iter().map(|commit| *commit as i64)));
        let vectors = GroupVectors {
            group: self.manifest.checkpoint,
            rows: values.len(),
            columns: vec![(COLUMN, values)],
            row_ids: GroupRowIds::From(0),
        };
        self.commit(Durability::Os, promised)?;
        let WrittenGroup { file, memory_bytes } = self.folder.write_group(self.manifest.next_file, &vectors, true)?;
        let group = self.manifest.checkpoint;
        let image = GroupImage { group, rows: vectors.rows as u32, file, memory_bytes, ..GroupImage::default() };
        let table = TableImage {
            table: TABLE,
            next_row_id: last,
            next_group: group + 1,
            groups: vec![image],
            ..TableImage::default()
        };
        let manifest = Manifest {
            checkpoint: group + 1,
            commit_number: last,
            journal: number,
            next_file: self.manifest.next_file + 1,
            tables: vec![table],
            ..self.manifest.clone()
        };
        self.folder.save(&manifest)?;
        self.manifest = manifest;
        self.folder.remove_leftovers(&self.manifest)?;
        Ok(())
    }
}

/// The commits of a database, and where its journals end.
fn found(folder: &StoreFolder, manifest: &Manifest) -> Result<(Vec<u64>, Recovered)> {
    let mut commits = Vec::new();
    for group in manifest.tables.iter().flat_map(|table| &table.groups) {
        let vectors = folder.map_group(&group.file)?;
        let column = vectors.column(COLUMN).and_then(|column| column.as_any().downcast_ref::<Int64Array>().cloned());
        commits.extend(column.iter().flat_map(|column| column.values().iter().map(|commit| *commit as u64)));
    }
    let recovered = replay(folder.fs(), folder.path(), manifest.journal, &mut |frame| {
        let mut reader = frame.payload.operations()?;
        let number = reader.commit_number();
        let mut rows = 0;
        while let Some(operation) = reader.next_operation()? {
            let Operation::Insert(mut run) = operation else { continue };
            let mut values = Vec::new();
            while run.next_row(&TYPES, &mut values)?.is_some() {
                assert_eq!(values, [ValueRef::Integer(number as i64)]);
                rows += 1;
            }
        }
        assert_eq!(rows, 1 + number % 3 * 200, "a commit is there whole");
        commits.push(number);
        Ok(())
    })?;
    Ok((commits, recovered))
}

fn script(fs: &Simulated) -> Promised {
    let mut promised = Promised::default();
    // The crash ends it, wherever it comes.
    drop(run(fs, &mut promised));
    promised
}

fn run(fs: &Simulated, promised: &mut Promised) -> Result<()> {
    fs.create_folder(Path::new("data"))?;
    fs.sync_folder(Path::new(""))?;
    let mut store = Store::open(fs)?;
    promised.exists = true;
    for durability in [Durability::Full, Durability::Os, Durability::None, Durability::Full, Durability::Os] {
        store.commit(durability, promised)?;
    }
    store.checkpoint(promised)?;
    store.commit(Durability::Full, promised)?;
    drop(store);
    let mut store = Store::open(fs)?;
    store.commit(Durability::Full, promised)?;
    store.checkpoint(promised)?;
    store.commit(Durability::None, promised)?;
    store.commit(Durability::Full, promised)
}

fn check(fs: &Simulated, promised: &Promised) -> Result<(), String> {
    let text = |error| format!("{error:?}");
    if !fs.is_folder(Path::new("data")) {
        return if promised.exists { Err("the folder is gone".to_owned()) } else { Ok(()) };
    }
    let folder = StoreFolder::new(Arc::new(fs.clone()), "data/db");
    if promised.exists && folder.load().map_err(text)?.is_none() {
        return Err("the database is gone".to_owned());
    }
    let mut store = Store::open(fs).map_err(text)?;
    let last = store.commits.len() as u64;
    if !store.commits.iter().copied().eq(1..=last) {
        return Err(format!("there are gaps: {:?}", store.commits));
    }
    if last < promised.commits || last > promised.begun {
        return Err(format!("{last} commits of {promised:?}"));
    }
    // It continues normally.
    let mut later = Promised::default();
    store.commit(Durability::Full, &mut later).map_err(text)?;
    store.checkpoint(&mut later).map_err(text)?;
    store.commit(Durability::Full, &mut later).map_err(text)?;
    drop(store);
    let store = Store::open(fs).map_err(text)?;
    if store.commits.len() as u64 != last + 3 { Err("later commits are missing".to_owned()) } else { Ok(()) }
}

#[test]
fn every_crash_keeps_what_was_acknowledged() {
    let states = explore(0..8, script, check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 500, "{states} states");
}

#[test]
fn killing_the_process_keeps_what_the_operating_system_has() {
    let whole = Simulated::new();
    assert_eq!(script(&whole).written, 11);
    for crash in 0..=whole.operations() {
        let system = Simulated::new();
        system.crash_at(crash);
        let promised = script(&system);
        let promised = Promised { commits: promised.written, ..promised };
        if let Err(complaint) = check(&system.after_kill(), &promised) {
            panic!("killed at operation {crash}: {complaint}");
        }
    }
}
