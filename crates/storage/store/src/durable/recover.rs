//! Recovery: a folder's contents back in memory, the checkpoint's rows and the changes committed since.
//!
//! Every frame is a transaction, applied whole. Rows are found by row id (`locator.rs`).
//!
//! Of a table whose files are larger than a limit the rows are not read: its groups and indexes are taken as the
//! checkpoint has written them, and read when they are needed (`table/attach.rs`). Smaller tables are read whole, and
//! so are those of manifests without indexes.
//!
//! Rows that the journals bring back go to files when there are more than the memory is to have (`relief.rs`).
//!
//! **Damage** of a group file, or of rows that contradict each other, affects one table (`table/damage.rs`): the
//! others are recovered as they were. The journals' records of that table are skipped and stay in them. Damage of the
//! manifest, the catalog or a journal affects the whole store: it is unknown what was committed.

use super::locator::RowLocator;
use super::relief::Relief;
use super::runs::bytes_of;
use crate::catalog::Cataloged;
use crate::catalog::change::{FROM_JOURNAL, Step};
use crate::files::catalog::CatalogChange;
use crate::files::{Manifest, StoreFolder, TableImage};
use crate::group::offset_of;
use crate::journal::redo::{ColumnRun, Operation, RowIds, RowRun, RowUpdates};
use crate::journal::{Frame, Recovered, replay};
use crate::row::{Changed, Stored};
use crate::table::NativeTable;
use crate::transaction::shared::Shared;
use arrow_schema::DataType;
use mainstay_types::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Rows that are restored between two looks at the memory.
const PORTION: usize = 4096;

/// The result of reading the journals.
pub(super) struct Replayed {
    /// Where they end.
    pub(super) end: Recovered,
    /// The number of their frames.
    pub(super) frames: u64,
    /// The files of the tables, if more were written than the checkpoint's.
    pub(super) manifest: Option<Manifest>,
}

/// Fills a store that is not open yet from the files of a manifest and the journals. Tables whose files cannot be read are
/// there as damaged ones.
///
/// Errors: `Damaged`, with the place.
pub(super) fn recover(
    folder: &StoreFolder,
    manifest: &Manifest,
    shared: &Arc<Shared>,
    whole_bytes: u64,
    relief: Option<Relief<'_>>,
) -> Result<Replayed> {
    recover_from(load(folder, manifest, shared, whole_bytes)?, folder, manifest, shared, relief)
}

/// The same from the tables of the checkpoint. Without `relief` all rows of the journals stay in memory.
pub(super) fn recover_from(
    cataloged: Cataloged,
    folder: &StoreFolder,
    manifest: &Manifest,
    shared: &Arc<Shared>,
    relief: Option<Relief<'_>>,
) -> Result<Replayed> {
    let mut state = Replaying::new(cataloged, manifest, shared);
    state.relief = relief;
    let mut frames = 0;
    let end = replay(folder.fs(), folder.path(), manifest.journal, &mut |frame| {
        frames += 1;
        state.apply(&frame)
    })?;
    let Replaying { last, cataloged, relief, .. } = state;
    shared.start_at(last, cataloged);
    Ok(Replayed { end, frames, manifest: relief.and_then(Relief::into_manifest) })
}

/// The tables of a checkpoint; those with more than so many bytes of rows without them. Those whose files cannot be read are
/// damaged.
pub(super) fn load(
    folder: &StoreFolder,
    manifest: &Manifest,
    shared: &Arc<Shared>,
    whole_bytes: u64,
) -> Result<Cataloged> {
    let mut cataloged = Cataloged::of(&manifest.catalog, shared).map_err(|error| contradiction(&error))?;
    for image in &manifest.tables {
        let Some(table) = cataloged.tables.get(&image.table) else {
            let message = format!("the manifest has rows of table {}, which is not there", image.table);
            return Err(Error::new(Code::Damaged, message));
        };
        let ids = cataloged.catalog.table(image.table).map(crate::catalog::column_ids).unwrap_or_default();
        let is_large = bytes_of(image) > whole_bytes && table.is_attachable(image, &ids);
        let loaded = match is_large {
            true => table.attach(image, &ids, folder),
            false => load_table(folder, &cataloged, table, image),
        };
        if let Err(cause) = loaded {
            cataloged.renew(image.table, shared)?.set_damage(&cause);
        }
    }
    if cataloged.damage().next().is_some() {
        cataloged.connect()?;
    }
    Ok(cataloged)
}

/// Fills a table without rows with those of its files.
pub(super) fn load_table(
    folder: &StoreFolder,
    cataloged: &Cataloged,
    table: &NativeTable,
    image: &TableImage,
) -> Result<()> {
    let ids = cataloged.catalog.table(image.table).map(crate::catalog::column_ids).unwrap_or_default();
    table.load(image, &ids, |group| folder.map_stored(&group.file))
}

fn contradiction(error: &Error) -> Error {
    Error::new(Code::Damaged, format!("the catalog contradicts itself: {}", error.message()))
}

/// The state while the journals are read.
pub(super) struct Replaying<'s> {
    shared: &'s Arc<Shared>,
    pub(super) cataloged: Arc<Cataloged>,
    pub(super) last: u64,
    /// Where rows are, by table.
    rows: HashMap<u64, RowLocator>,
    /// The way for rows out of memory, if there is one.
    relief: Option<Relief<'s>>,
    /// The tables that have not all of their rows and are read all the same, and how many changes were about others.
    pub(super) passed_over: HashMap<u64, u64>,
}

impl<'s> Replaying<'s> {
    pub(super) fn new(cataloged: Cataloged, manifest: &Manifest, shared: &'s Arc<Shared>) -> Replaying<'s> {
        manifest.sequences.iter().for_each(|(sequence, next)| shared.sequences.set(*sequence, *next));
        let (cataloged, last) = (Arc::new(cataloged), manifest.commit_number);
        Replaying { shared, cataloged, last, rows: HashMap::new(), relief: None, passed_over: HashMap::new() }
    }

    /// Makes the changes of a transaction once more.
    ///
    /// Errors: `Damaged` for changes of what is not there, and `Unsupported` for those of a later version.
    pub(super) fn apply(&mut self, frame: &Frame<'_>) -> Result<()> {
        let mut operations = frame.payload.operations()?;
        let commit = operations.commit_number();
        if commit < self.last {
            return Err(damaged(format!("commit {commit} comes after commit {}", self.last)));
        }
        self.last = commit;
        while let Some(operation) = operations.next_operation()? {
            let outcome = match operation {
                Operation::Insert(run) => self.insert(run),
                Operation::InsertColumns(run) => self.insert_columns(&run),
                Operation::Update(run) => self.update(run),
                Operation::Delete(run) => self.delete(run),
                Operation::Catalog(json) => CatalogChange::from_json(json).and_then(|change| self.change(change)),
                Operation::Sequence { sequence, next_value } => {
                    self.shared.sequences.set(sequence, next_value);
                    Ok(())
                }
            };
            // The table refuses a row now that it had accepted before. A full disk is no damage: indexes of large tables are
            // built in files.
            outcome.map_err(|error| match error.code() {
                Code::Damaged | Code::Unsupported | Code::Io => error,
                _ => damaged(format!("a change does not fit what was before it: {}", error.message())),
            })?;
        }
        Ok(())
    }

    /// The table that a change is about; `None` when its rows could not be read. Then the change is left in the journal,
    /// which is kept until they can.
    fn table(&self, id: u64) -> Result<Option<Arc<NativeTable>>> {
        let found = self.cataloged.tables.get(&id);
        let found = found.ok_or_else(|| damaged(format!("a change is about table {id}, which is not there")))?;
        Ok(Some(found).filter(|table| table.damage().is_none()).cloned())
    }

    /// Takes note of changes of rows that are not there.
    ///
    /// Errors: `Damaged`, unless rows of the table are known to be lost.
    fn missing(&mut self, table: u64, rows: &[u64]) -> Result<()> {
        let Some(first) = rows.first() else { return Ok(()) };
        let passed_over = self.passed_over.get_mut(&table).ok_or_else(|| no_row(*first))?;
        *passed_over += rows.len() as u64;
        Ok(())
    }

    /// Writes rows to files if the memory for them is half full. Must not be called under a table's latch.
    fn relieve(&mut self) {
        if let Some(relief) = self.relief.as_mut().filter(|relief| relief.is_due(self.shared)) {
            // They have the groups as they are in memory.
            self.rows.clear();
            relief.relieve(&self.cataloged, self.shared);
        }
    }

    fn insert(&mut self, mut run: RowRun<'_>) -> Result<()> {
        let Some(table) = self.table(run.table)? else { return Ok(()) };
        while self.insert_portion(&table, &mut run)? {
            self.relieve();
        }
        Ok(())
    }

    /// The next rows of a run. Returns false behind the last one.
    fn insert_portion(&mut self, table: &NativeTable, run: &mut RowRun<'_>) -> Result<bool> {
        let mut positions = self.rows.get_mut(&run.table);
        let mut writer = table.latch();
        let mut values = Vec::new();
        for _ in 0..PORTION {
            let Some(row_id) = run.next_row(table.types(), &mut values)? else { return Ok(false) };
            let position = table.restore_row(&mut writer, &values[..], row_id, 0)?;
            if let Some(positions) = &mut positions {
                positions.put(row_id, position);
            }
        }
        Ok(true)
    }

    fn insert_columns(&mut self, run: &ColumnRun<'_>) -> Result<()> {
        let Some(table) = self.table(run.table)? else { return Ok(()) };
        let types: Vec<DataType> =
            table.types().iter().map(|sql_type| crate::column::layout::data_type(*sql_type)).collect();
        let arrays = run.columns(&types)?;
        let mut positions = self.rows.get_mut(&run.table);
        table.restore_columns(&arrays, run.rows, run.first_row_id, &mut |row_id, position| {
            if let Some(positions) = &mut positions {
                positions.put(row_id, position);
            }
        })?;
        drop(arrays);
        self.relieve();
        Ok(())
    }

    /// Where the rows of a table are.
    fn locator(&mut self, id: u64, table: &NativeTable) -> Result<&mut RowLocator> {
        use std::collections::hash_map::Entry;
        match self.rows.entry(id) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => Ok(place.insert(RowLocator::of(table)?)),
        }
    }

    fn update(&mut self, mut run: RowUpdates<'_>) -> Result<()> {
        let Some(table) = self.table(run.table)? else { return Ok(()) };
        while self.update_portion(&table, &mut run)? {
            self.relieve();
        }
        Ok(())
    }

    /// The next rows of a run. Returns false behind the last one.
    fn update_portion(&mut self, table: &NativeTable, run: &mut RowUpdates<'_>) -> Result<bool> {
        let rows = self.locator(run.table, table)?;
        let mut writer = table.latch();
        let (mut changes, mut missing, mut has_more) = (Vec::new(), Vec::new(), true);
        for _ in 0..PORTION {
            let Some(row_id) = run.next_row(table.types(), &mut changes)? else {
                has_more = false;
                break;
            };
            let Some((old, group)) = rows.find(row_id)?.and_then(|old| writer.resolve(old)) else {
                missing.push(row_id);
                continue;
            };
            group.load()?;
            let stored = Stored { group: &group, offset: offset_of(old) };
            table.restore_end(&mut writer, old);
            let new = table.restore_row(&mut writer, &Changed { stored, changes: &changes }, row_id, 0)?;
            rows.put(row_id, new);
        }
        drop(writer);
        self.missing(u64::from(table.id()), &missing)?;
        Ok(has_more)
    }

    fn delete(&mut self, mut run: RowIds<'_>) -> Result<()> {
        let Some(table) = self.table(run.table)? else { return Ok(()) };
        let rows = self.locator(run.table, &table)?;
        let mut writer = table.latch();
        let mut missing = Vec::new();
        while let Some(row_id) = run.next_row_id()? {
            match rows.take(row_id)? {
                Some(old) => table.restore_end(&mut writer, old),
                None => missing.push(row_id),
            }
        }
        drop(writer);
        self.missing(u64::from(table.id()), &missing)
    }

    fn change(&mut self, change: CatalogChange) -> Result<()> {
        let changed = self.cataloged.change(change, FROM_JOURNAL, self.shared, false)?;
        if let Step::Replaced { old, .. } | Step::Dropped(old) | Step::Created(old) = &changed.step {
            // The rows may be elsewhere now.
            self.rows.remove(&u64::from(old.id()));
        }
        self.cataloged = changed.cataloged;
        Ok(())
    }
}

fn no_row(row_id: u64) -> Error {
    damaged(format!("row {row_id} is changed, and is not there"))
}

fn damaged(message: String) -> Error {
    Error::new(Code::Damaged, message).hint("restore the database from a backup, or see what `mainstay check` says")
}
