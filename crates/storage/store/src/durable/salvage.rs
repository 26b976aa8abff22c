//! The readable part of a damaged store.
//!
//! [`Store::open`] refuses every statement on a table of which a file is damaged, and the store as a whole when a
//! journal is. Normal operation needs that. To save the rest, the store is opened for salvage: read-only, with
//!
//! - of a damaged table the rows of those group files that are whole, as the journals have changed them since;
//! - of damaged journals the transactions in front of the damage.
//!
//! [`Store::damage`] reports what is missing then. Nothing is written, no lock is held afterwards, and the damaged
//! files stay for another attempt.
//!
//! Limits: without a manifest the column files give the numbers and types of their columns, without names of tables and columns,
//! and nothing here reads them.
//! The last transaction in front of damage in a journal may be there in part.

use super::LOCK;
use super::recover::{Replaying, load, load_table};
use crate::files::{GroupImage, Manifest, StoreFolder, TableImage};
use crate::journal::replay;
use crate::store::Store;
use crate::transaction::NoJournal;
use crate::transaction::shared::Shared;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The missing part of a table of which the rest can be read.
struct Loss {
    reason: Error,
    /// Rows of the checkpoint.
    rows: u64,
    missing: u64,
}

impl Store {
    /// Opens the store in a folder for reading what can be read of it. [`Store::damage`] says what cannot.
    ///
    /// Errors: `Busy` when it is open; `Damaged` and `Unsupported` for its manifest; those of the file system.
    pub fn open_salvaging(fs: Arc<dyn FileSystem>, folder: &Path) -> Result<Store> {
        let _lock = match fs.lock(&folder.join(LOCK)) {
            Err(error) if error.is_denied() => None,
            lock => Some(lock?),
        };
        let folder = StoreFolder::new(fs, folder);
        let shared = Arc::new(Shared::new(Arc::new(NoJournal), 0));
        let losses = match folder.load()? {
            Some(manifest) => salvage(&folder, &manifest, &shared)?,
            None => Vec::new(),
        };
        let message = "the database is open for reading only, to salvage what is left of it";
        shared.set_read_only(Error::new(Code::ReadOnly, message).at(folder.path().display()));
        let mut store = Store::of(shared, None);
        store.losses = losses;
        Ok(store)
    }
}

/// Fills a store with the readable rows of the files of a manifest and of the journals. Returns the losses.
fn salvage(folder: &StoreFolder, manifest: &Manifest, shared: &Arc<Shared>) -> Result<Vec<Error>> {
    let mut cataloged = load(folder, manifest, shared, u64::MAX)?;
    let mut losses = HashMap::new();
    for image in &manifest.tables {
        let Some(reason) = cataloged.tables.get(&image.table).and_then(|table| table.damage().cloned()) else {
            continue;
        };
        let is_whole = |group: &&GroupImage| folder.check_group(group).is_ok();
        let groups: Vec<GroupImage> = image.groups.iter().filter(is_whole).cloned().collect();
        let (rows, found) = (rows_of(&image.groups), rows_of(&groups));
        let table = cataloged.renew(image.table, shared)?;
        if load_table(folder, &cataloged, &table, &TableImage { groups, ..image.clone() }).is_err() {
            // The rows contradict each other: there is no part of them that could be trusted.
            cataloged.renew(image.table, shared)?.take_damage(reason);
            continue;
        }
        losses.insert(image.table, Loss { reason, rows, missing: rows - found });
    }
    cataloged.connect()?;
    let passed_over = losses.keys().map(|table| (*table, 0)).collect();
    let mut state = Replaying::new(cataloged, manifest, shared);
    state.passed_over = passed_over;
    let replayed = replay(folder.fs(), folder.path(), manifest.journal, &mut |frame| state.apply(&frame));
    let mut told: Vec<Error> = losses.into_iter().map(|(table, loss)| loss.told(state.passed_over[&table])).collect();
    told.sort_by(|one, other| one.message().cmp(other.message()));
    told.extend(replayed.err());
    shared.start_at(state.last, state.cataloged);
    Ok(told)
}

/// The number of rows of the groups at the checkpoint.
fn rows_of(groups: &[GroupImage]) -> u64 {
    groups.iter().map(|group| u64::from(group.rows) - group.deleted.len() as u64).sum()
}

impl Loss {
    /// The error that reports the loss, if so many later changes were to rows that are missing.
    fn told(self, changes: u64) -> Error {
        let Loss { reason, rows, missing } = self;
        let mut message =
            format!("{}; {missing} of the {rows} rows of the last checkpoint are missing", reason.message());
        if changes > 0 {
            message = format!("{message}; later changes of such rows: {changes}");
        }
        let told = Error::new(reason.code(), message);
        reason.place().map_or(told.clone(), |place| told.at(place))
    }
}
