//! What a folder has, in memory again: the checkpoint's rows, and what was committed since.
//!
//! Every frame is a transaction, applied whole. Rows are found by row id; the map from ids to positions is made for a
//! table when the journal first changes or deletes a row of it.

use crate::catalog::Cataloged;
use crate::catalog::change::Step;
use crate::files::catalog::CatalogChange;
use crate::files::{Manifest, StoreFolder, TableImage};
use crate::group::offset_of;
use crate::journal::redo::{ColumnRun, Operation, RedoReader, RowIds, RowRun, RowUpdates};
use crate::journal::{Frame, Recovered, replay};
use crate::row::{Changed, Stored};
use crate::table::NativeTable;
use crate::transaction::shared::Shared;
use arrow_schema::DataType;
use mainstay_base::{Code, Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Fills a store that is not open yet with what the files of a manifest and the journals have: where the journals end, and
/// how many frames they had.
///
/// Errors: `Damaged`, with the place.
pub(super) fn recover(folder: &StoreFolder, manifest: &Manifest, shared: &Arc<Shared>) -> Result<(Recovered, u64)> {
    let cataloged = load(folder, manifest, shared)?;
    manifest.sequences.iter().for_each(|(sequence, next)| shared.sequences.set(*sequence, *next));
    let last = manifest.commit_number;
    let mut state = Replaying { shared, cataloged, last, rows: HashMap::new() };
    let mut frames = 0;
    let recovered = replay(folder.fs(), folder.path(), manifest.journal, &mut |frame| {
        frames += 1;
        state.apply(&frame)
    })?;
    let (last, cataloged) = (state.last, state.cataloged);
    shared.start_at(last, cataloged);
    Ok((recovered, frames))
}

/// The tables of a checkpoint.
fn load(folder: &StoreFolder, manifest: &Manifest, shared: &Arc<Shared>) -> Result<Arc<Cataloged>> {
    let cataloged = Cataloged::of(&manifest.catalog, shared).map_err(|error| contradiction(&error))?;
    for image in &manifest.tables {
        load_table(folder, &cataloged, image)?;
    }
    Ok(Arc::new(cataloged))
}

fn load_table(folder: &StoreFolder, cataloged: &Cataloged, image: &TableImage) -> Result<()> {
    let (Some(table), Some(definition)) = (cataloged.tables.get(&image.table), cataloged.catalog.table(image.table))
    else {
        return Err(Error::new(
            Code::Damaged,
            format!("the manifest has rows of table {}, which is not there", image.table),
        ));
    };
    let ids = crate::catalog::column_ids(definition);
    table.load(image, &ids, |group| folder.map_group(&group.file))
}

fn contradiction(error: &Error) -> Error {
    Error::new(Code::Damaged, format!("the catalog contradicts itself: {}", error.message()))
}

/// The state while the journals are read.
struct Replaying<'s> {
    shared: &'s Arc<Shared>,
    cataloged: Arc<Cataloged>,
    last: u64,
    /// Where rows are, by table and row id.
    rows: HashMap<u64, HashMap<u64, u64>>,
}

impl Replaying<'_> {
    fn apply(&mut self, frame: &Frame<'_>) -> Result<()> {
        let mut reader = RedoReader::new(frame.payload)?;
        let commit = reader.commit_number();
        if commit < self.last {
            return Err(damaged(format!("commit {commit} comes after commit {}", self.last)));
        }
        self.last = commit;
        while let Some(operation) = reader.next_operation()? {
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
            // What the table refuses now it had taken before.
            outcome.map_err(|error| match error.code() {
                Code::Damaged | Code::Unsupported => error,
                _ => damaged(format!("a change does not fit what was before it: {}", error.message())),
            })?;
        }
        Ok(())
    }

    fn table(&self, id: u64) -> Result<Arc<NativeTable>> {
        let found = self.cataloged.tables.get(&id);
        found.cloned().ok_or_else(|| damaged(format!("a change is about table {id}, which is not there")))
    }

    fn insert(&mut self, mut run: RowRun<'_>) -> Result<()> {
        let table = self.table(run.table)?;
        let mut positions = self.rows.get_mut(&run.table);
        let mut writer = table.latch();
        let mut values = Vec::new();
        while let Some(row_id) = run.next_row(table.types(), &mut values)? {
            let position = table.restore_row(&mut writer, &values[..], row_id, 0)?;
            if let Some(positions) = &mut positions {
                positions.insert(row_id, position);
            }
        }
        Ok(())
    }

    fn insert_columns(&mut self, run: &ColumnRun<'_>) -> Result<()> {
        let table = self.table(run.table)?;
        let types: Vec<DataType> =
            table.types().iter().map(|sql_type| crate::column::layout::data_type(*sql_type)).collect();
        let arrays = run.columns(&types)?;
        let mut positions = self.rows.get_mut(&run.table);
        table.restore_columns(&arrays, run.rows, run.first_row_id, &mut |row_id, position| {
            if let Some(positions) = &mut positions {
                positions.insert(row_id, position);
            }
        })
    }

    /// Where the rows of a table are.
    fn positions(&mut self, id: u64, table: &NativeTable) -> &mut HashMap<u64, u64> {
        self.rows.entry(id).or_insert_with(|| {
            let mut positions = HashMap::new();
            table.each_restored(&mut |row_id, position| {
                positions.insert(row_id, position);
            });
            positions
        })
    }

    fn update(&mut self, mut run: RowUpdates<'_>) -> Result<()> {
        let table = self.table(run.table)?;
        let positions = self.positions(run.table, &table);
        let mut writer = table.latch();
        let mut changes = Vec::new();
        while let Some(row_id) = run.next_row(table.types(), &mut changes)? {
            let old = *positions.get(&row_id).ok_or_else(|| no_row(row_id))?;
            let (old, group) = writer.resolve(old).ok_or_else(|| no_row(row_id))?;
            let stored = Stored { group: &group, offset: offset_of(old) };
            table.restore_end(&mut writer, old);
            let new = table.restore_row(&mut writer, &Changed { stored, changes: &changes }, row_id, 0)?;
            positions.insert(row_id, new);
        }
        Ok(())
    }

    fn delete(&mut self, mut run: RowIds<'_>) -> Result<()> {
        let table = self.table(run.table)?;
        let positions = self.positions(run.table, &table);
        let mut writer = table.latch();
        while let Some(row_id) = run.next_row_id()? {
            let old = positions.remove(&row_id).ok_or_else(|| no_row(row_id))?;
            table.restore_end(&mut writer, old);
        }
        Ok(())
    }

    fn change(&mut self, change: CatalogChange) -> Result<()> {
        let changed = self.cataloged.change(change, 0, self.shared, false)?;
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
