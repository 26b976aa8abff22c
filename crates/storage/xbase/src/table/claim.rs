//! The owner of an index file that would fit several tables.
//!
//! An NTX or IDX does not name its table, and its keys agree with every table that has the same values in a field: with
//! a copy of the table, or with any other whose first field counts from 1. Reading through it is correct for every
//! table whose records were compared with all keys (`tag.rs`); but only one table may write to it, because the programs
//! of the others would find wrong records. So before a table is written, every index file that is not its structural
//! CDX is compared with the other tables of the folder:
//!
//! ```text
//!   nobody else's keys agree                                        ours
//!   the file is named for one of them (`stock_id.ntx`)              that one's, the longest name first
//!   one agrees in all keys, the others in most                      that one's
//!   its name begins as that of one of them (`ord_n.ntx`, `orders`)  that one's, the longest beginning first
//!   else                                                            disputed: the change is refused
//! ```
//!
//! The claim of a file is cached while the folder has the same tables: comparing keys costs more than a change.

use super::indexes::{Indexes, lock};
use super::named::is_named_for;
use super::state::State;
use super::{DbfTable, Files, declared_code_page};
use crate::dbf::OpenOptions;
use mainstay_columnar::VectorCache;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Evidence that an index file belongs to a table; a greater value is stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Proof {
    /// Most of its keys are those of the records: a program has changed some without it.
    MostlyAgrees,
    /// All are.
    Agrees,
}

/// The treatment of index files that may belong to another table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disputed {
    /// The table is not opened: a change would have to change them, or must not.
    Refused,
    /// They stay as they are: the table goes.
    LeftAlone,
}

/// The index files that were found to be the table's, each with the tables that the folder had then.
#[derive(Debug, Default)]
pub(super) struct Claims {
    ours: Mutex<HashMap<PathBuf, Vec<PathBuf>>>,
}

impl Claims {
    /// The files that the last writer of the table has changed with it, beside the structural CDX.
    pub(super) fn ours(&self) -> Vec<PathBuf> {
        lock(&self.ours).keys().cloned().collect()
    }
}

/// The owner of a file.
#[derive(Debug, PartialEq, Eq)]
enum Owner {
    Ours,
    Another,
    /// Nobody knows: this table may be it as well.
    Disputed(PathBuf),
}

impl DbfTable {
    /// The index files beside the structural CDX that are this table's.
    ///
    /// Errors: `Ambiguous` for one that may as well be another table's, if such are refused.
    pub(super) fn claimed_files(&self, state: &State, disputed: Disputed) -> Result<Vec<PathBuf>> {
        let proven = self.indexes.proven_files(state, &self.path);
        if proven.is_empty() {
            return Ok(Vec::new());
        }
        let rivals = other_tables(&*self.fs, &self.path)?;
        let mut claimed = Vec::new();
        for (index, proof) in proven {
            let is_known = lock(&self.claims.ours).get(&index) == Some(&rivals);
            let owner = if is_known { Owner::Ours } else { self.owner(&index, proof, &rivals) };
            match owner {
                Owner::Ours => {
                    lock(&self.claims.ours).insert(index.clone(), rivals.clone());
                    claimed.push(index);
                }
                Owner::Disputed(rival) if disputed == Disputed::Refused => {
                    return Err(may_be_of_both(&index, &self.path, &rival));
                }
                Owner::Another | Owner::Disputed(_) => {
                    lock(&self.claims.ours).remove(&index);
                }
            }
        }
        Ok(claimed)
    }

    fn owner(&self, index: &Path, proof: Proof, rivals: &[PathBuf]) -> Owner {
        let ours = Claimant { table: &self.path, proof: Some(proof) };
        let mut owner = Owner::Ours;
        for rival in rivals {
            let proof = proof_of(&self.fs, rival, index);
            match ours.compare(&Claimant { table: rival, proof }, index) {
                _ if proof.is_none() => {}
                Ordering::Greater => {}
                Ordering::Less => return Owner::Another,
                Ordering::Equal => owner = Owner::Disputed(rival.clone()),
            }
        }
        owner
    }
}

/// A table whose keys those of an index file are.
struct Claimant<'t> {
    table: &'t Path,
    proof: Option<Proof>,
}

impl Claimant<'_> {
    /// The order of claims to the file: the greater one is its owner.
    fn compare(&self, other: &Claimant<'_>, index: &Path) -> Ordering {
        let named = |it: &Claimant<'_>| if is_named_for(index, it.table) { stem(it.table).len() } else { 0 };
        let begins = |it: &Claimant<'_>| common_beginning(&stem(index), &stem(it.table));
        named(self)
            .cmp(&named(other))
            .then_with(|| self.proof.cmp(&other.proof))
            .then_with(|| begins(self).cmp(&begins(other)))
    }
}

/// Returns true if an index file that might be a table's is one of another table of its folder: what is wrong with it
/// is then reported for that table.
pub(super) fn is_claimed_by_another(fs: &Arc<dyn FileSystem>, table: &Path, index: &Path) -> bool {
    let ours = Claimant { table, proof: proof_of(fs, table, index) };
    let rivals = other_tables(&**fs, table).unwrap_or_default();
    rivals.iter().any(|rival| {
        let proof = proof_of(fs, rival, index);
        proof.is_some() && ours.compare(&Claimant { table: rival, proof }, index) == Ordering::Less
    })
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The length of the common beginning of two names.
fn common_beginning(left: &str, right: &str) -> usize {
    left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count()
}

/// The other tables of the folder that a table is in.
pub(super) fn other_tables(fs: &dyn FileSystem, table: &Path) -> Result<Vec<PathBuf>> {
    let Some(folder) = table.parent() else { return Ok(Vec::new()) };
    let is_table = |path: &Path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dbf"));
    let entries = fs.list(folder)?.into_iter().filter(|entry| !entry.is_folder);
    Ok(entries.map(|entry| entry.path).filter(|path| path != table && is_table(path)).collect())
}

/// The evidence that an index file belongs to the table at a path. A table that cannot be read has no index.
fn proof_of(fs: &Arc<dyn FileSystem>, table: &Path, index: &Path) -> Option<Proof> {
    let options = OpenOptions { code_page: declared_code_page(&**fs, table) };
    let files = Arc::new(Files::open(&**fs, table, options).ok()?);
    let stamps = files.stamps(&**fs, table).ok()?;
    let indexes = Arc::new(Indexes::new(Arc::clone(fs), table, &files.dbf, &[index.to_owned()]));
    if indexes.paths().all(|path| path != index) {
        return None;
    }
    // Nothing of it is kept: no column is decoded, and the next change asks again only while nothing is decided.
    let state = State::new(files, stamps, false, &VectorCache::new(0), Arc::clone(&indexes)).ok()?;
    indexes.proven_files(&state, table).into_iter().find(|(path, _)| path == index).map(|(_, proof)| proof)
}

#[cold]
fn may_be_of_both(index: &Path, table: &Path, rival: &Path) -> Error {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (index_name, rival) = (name(index), name(rival));
    let message = format!(
        "{index_name} may be the index of {} or of {rival}: its keys are those of both, and it can be changed with one only",
        name(table)
    );
    let extension = index.extension().unwrap_or_default().to_string_lossy();
    let hint = format!("name it for its table, as {}_1.{extension}, or keep {rival} in another folder", stem(table));
    Error::new(Code::Ambiguous, message).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dbf::{FieldSpec, Format, TableSpec};
    use crate::index::BagKind;
    use crate::indexed::{Building, IndexSpec, IndexedTable};
    use crate::writer::{self, Access, WriteOptions};
    use mainstay_types::ValueRef;
    use mainstay_vfs::Memory;

    struct Folder {
        memory: Memory,
        fs: Arc<dyn FileSystem>,
    }

    impl Folder {
        /// A folder with tables of three records, their IDs 1 to 3; the first has an NTX of this name.
        fn new(tables: &[&str], index: &str) -> Folder {
            let memory = Memory::new();
            let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
            fs.create_folder(Path::new("d")).unwrap();
            let options = WriteOptions::new(Access::Exclusive);
            for (place, table) in tables.iter().enumerate() {
                let spec = TableSpec::new(Format::DbaseThree, vec![FieldSpec::new("ID", b'N', 6, 0)]);
                writer::create(&*fs, Path::new(table), &spec, &options).unwrap();
                let mut open = IndexedTable::open(Arc::clone(&fs), Path::new(table), options).unwrap();
                for id in 1..=3 {
                    open.append(&[ValueRef::Integer(id)]).unwrap();
                }
                if place == 0 {
                    let spec = IndexSpec::new("ID", "ID");
                    open.create_index(Some(Path::new(index)), BagKind::Ntx, &spec, Building::default()).unwrap();
                }
                open.close().unwrap();
            }
            Folder { memory, fs }
        }

        fn table(&self, path: &str, index: &str) -> DbfTable {
            let cache = VectorCache::new(1 << 20);
            let indexes = [PathBuf::from(index)];
            DbfTable::open(Arc::clone(&self.fs), Path::new(path), path, OpenOptions::default(), cache, &indexes)
                .unwrap()
        }

        /// The index files that go along with a change of the table.
        fn claimed(&self, path: &str, index: &str) -> Result<usize> {
            let open = self.table(path, index).writer(WriteOptions::new(Access::Shared))?;
            let found = open.bags().len();
            open.close().map(|()| found)
        }
    }

    #[test]
    fn an_index_is_changed_with_the_table_that_it_is_named_for() {
        let folder = Folder::new(&["d/stock.dbf", "d/backup.dbf"], "d/stock_id.ntx");
        assert_eq!(folder.claimed("d/stock.dbf", "d/stock_id.ntx").unwrap(), 1);
        assert_eq!(folder.claimed("d/backup.dbf", "d/stock_id.ntx").unwrap(), 0);
    }

    #[test]
    fn an_index_is_changed_with_the_table_whose_name_begins_as_its_own() {
        let folder = Folder::new(&["d/orders.dbf", "d/backup.dbf"], "d/ord_n.ntx");
        let before = folder.memory.read(Path::new("d/ord_n.ntx")).unwrap();
        assert_eq!(folder.claimed("d/backup.dbf", "d/ord_n.ntx").unwrap(), 0);
        let mut backup = folder.table("d/backup.dbf", "d/ord_n.ntx").writer(WriteOptions::new(Access::Shared)).unwrap();
        backup.append(&[ValueRef::Integer(4)]).unwrap();
        backup.close().unwrap();
        assert_eq!(folder.memory.read(Path::new("d/ord_n.ntx")).unwrap(), before);
        assert_eq!(folder.claimed("d/orders.dbf", "d/ord_n.ntx").unwrap(), 1);
    }

    /// A copy is read by the original's index until it is changed, and not after.
    #[test]
    fn an_index_that_was_not_changed_with_the_table_is_not_believed_after_a_change() {
        let folder = Folder::new(&["d/orders.dbf", "d/backup.dbf"], "d/ord_n.ntx");
        let backup = folder.table("d/backup.dbf", "d/ord_n.ntx");
        backup.refreshed().unwrap();
        assert_eq!(backup.indexes()[0].unusable, None);
        let before = backup.before_write().unwrap();
        let mut writer = backup.writer(WriteOptions::new(Access::Shared)).unwrap();
        writer.append(&[ValueRef::Integer(4)]).unwrap();
        writer.close().unwrap();
        backup.after_write(before).unwrap();
        backup.refreshed().unwrap();
        assert!(backup.indexes()[0].unusable.is_some());
    }

    #[test]
    fn an_index_is_checked_with_the_table_that_it_is_of() {
        let folder = Folder::new(&["d/orders.dbf", "d/backup.dbf"], "d/ord_n.ntx");
        let mut backup = folder.table("d/backup.dbf", "d/ord_n.ntx").writer(WriteOptions::new(Access::Shared)).unwrap();
        backup.append(&[ValueRef::Integer(4)]).unwrap();
        backup.close().unwrap();
        let found = |table: &str| {
            let indexes = [PathBuf::from("d/ord_n.ntx")];
            crate::table::check(&folder.fs, Path::new(table), OpenOptions::default(), &indexes)
        };
        assert_eq!((found("d/orders.dbf").len(), found("d/backup.dbf").len()), (0, 0));
        // Errors of the index are reported for its own table.
        let mut orders =
            IndexedTable::open(Arc::clone(&folder.fs), Path::new("d/orders.dbf"), WriteOptions::new(Access::Shared))
                .unwrap();
        orders.append(&[ValueRef::Integer(5)]).unwrap();
        orders.close().unwrap();
        assert!(!found("d/orders.dbf").is_empty());
    }

    /// A UNIQUE index lists few records of a table whose keys repeat: it is the table's by its own keys.
    #[test]
    fn a_unique_index_of_few_keys_is_changed_with_its_table() {
        let memory = Memory::new();
        let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
        fs.create_folder(Path::new("d")).unwrap();
        let (path, options) = (Path::new("d/t.dbf"), WriteOptions::new(Access::Exclusive));
        let spec = TableSpec::new(Format::DbaseThree, vec![FieldSpec::new("CITY", b'C', 6, 0)]);
        writer::create(&*fs, path, &spec, &options).unwrap();
        let mut new = IndexedTable::open(Arc::clone(&fs), path, options).unwrap();
        let places = (1..=9000).map(|row| if row % 10 == 0 { "Rom" } else { "Bern" });
        for city in places {
            new.append(&[ValueRef::Text(city)]).unwrap();
        }
        let spec = IndexSpec { unique: true, ..IndexSpec::new("CITY", "CITY") };
        new.create_index(Some(Path::new("d/city.ntx")), BagKind::Ntx, &spec, Building::default()).unwrap();
        new.close().unwrap();
        let folder = Folder { memory, fs };
        let table = folder.table("d/t.dbf", "d/city.ntx");
        assert!(table.indexes()[0].unusable.as_ref().is_some_and(|reason| reason.contains("first record")));
        assert!(table.indexes.notices(&table.refreshed().unwrap()).is_empty());
        let mut writer = table.writer(WriteOptions::new(Access::Shared)).unwrap();
        assert_eq!(writer.bags().len(), 1);
        writer.append(&[ValueRef::Text("Wien")]).unwrap();
        writer.close().unwrap();
        let bag = crate::index::Bag::open(folder.fs.open(Path::new("d/city.ntx")).unwrap()).unwrap();
        let tag = crate::table::tag::TableTag::new(&bag, 0, &table.current().files.dbf).unwrap();
        assert_eq!(tag.tag.key_count().unwrap(), 3);
        let found = crate::table::check(&folder.fs, path, OpenOptions::default(), &[PathBuf::from("d/city.ntx")]);
        assert_eq!(found, []);
    }

    #[test]
    fn a_change_that_could_be_of_another_tables_index_is_refused() {
        let folder = Folder::new(&["d/a.dbf", "d/b.dbf"], "d/x.ntx");
        let error = folder.claimed("d/b.dbf", "d/x.ntx").unwrap_err();
        assert_eq!(error.code(), Code::Ambiguous);
        assert!(error.message().contains("x.ntx") && error.message().contains("a.dbf"), "{error}");
        // A table that is moved or dropped takes no file along that may be another table's.
        let leaving =
            folder.table("d/b.dbf", "d/x.ntx").writer_with(WriteOptions::new(Access::Exclusive), Disputed::LeftAlone);
        assert_eq!(leaving.unwrap().bags().len(), 0);
        // Once the tables differ, the keys tell.
        let mut plain =
            IndexedTable::open(Arc::clone(&folder.fs), Path::new("d/b.dbf"), WriteOptions::new(Access::Shared))
                .unwrap();
        for id in 4..=9 {
            plain.append(&[ValueRef::Integer(id)]).unwrap();
        }
        plain.close().unwrap();
        assert_eq!(folder.claimed("d/a.dbf", "d/x.ntx").unwrap(), 1);
        assert_eq!(folder.claimed("d/b.dbf", "d/x.ntx").unwrap(), 0);
    }
}
