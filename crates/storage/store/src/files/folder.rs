//! The folder of a database's own files, and the order in which they are created and removed.
//!
//! ```text
//!   manifest                          what the last checkpoint consists of
//!   manifest.copy                     the same once more, for when that is damaged
//!   group-<number>.columns            rows; named by a manifest, or a leftover
//!   group-<number>.arrow              the same from an earlier version
//!   index-<number>.run                sorted entries of an index; named by a manifest, or a leftover
//!   journal-<number>.log              what was committed since; numbered on from the manifest's
//!   manifest.new, manifest.copy.new, journal-*.log.new   being written when the power went
//!   moved-<number>.part               redo records of a large transaction, or parts of an index that was built, when the
//!                                     process ended
//! ```
//!
//! Numbers are 16 hexadecimal digits. A checkpoint is:
//!
//! ```text
//!   1  close journal n, begin journal n + 1        (under the commit lock: JournalWriter::continue_in)
//!   2  write the group files and runs that are new, sync each
//!   3  save: sync the folder, write manifest.new, sync, rename over manifest, sync the folder; the same with the copy
//!   4  remove what the new manifest does not name  (remove_leftovers)
//! ```
//!
//! A crash before the rename of step 3 leaves the old manifest with the old files and both journals; one after it the
//! new manifest. Either way [`StoreFolder::remove_leftovers`] removes the other files at the next start, and removes
//! only files whose names it knows.
//!
//! Without its manifest it is unknown which files belong to a database, so there are two copies of it. A crash between
//! both leaves a copy that is one checkpoint older; all files that it names exist until step 4, and the journals lead
//! from it to the same state. The next start makes both equal ([`StoreFolder::complete`]).
//!
//! A folder with such files but without a manifest is not treated as a new database: that would remove them.

use super::group::{
    GroupVectors, StoredGroup, WrittenGroup, map_group, map_stored, map_unverified, stored_of, write_group,
};
use super::manifest::{FileFacts, FileForm, GroupImage, Manifest, RunImage, TableImage};
use crate::index::run::{Run, damaged};
use crate::journal::checksum::crc32c;
use crate::journal::payload::is_moved_file;
use crate::journal::{JournalHeader, JournalReader, JournalWriter, journal_number, journal_path};
use crate::resident::{Pages, ResidentMemory};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{FileSystem, Mapping};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The names of the manifest and of its copy.
const MANIFEST: &str = "manifest";
const COPY: &str = "manifest.copy";

/// The folder of a database's own files. The caller holds its lock.
#[derive(Clone, Debug)]
pub struct StoreFolder {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    /// Counts the pages of mapped files.
    resident: Arc<ResidentMemory>,
}

impl StoreFolder {
    /// The folder of this path, which need not exist.
    pub fn new(fs: Arc<dyn FileSystem>, path: impl Into<PathBuf>) -> StoreFolder {
        StoreFolder { fs, path: path.into(), resident: Arc::default() }
    }

    /// The same with this limit on the pages of mapped files.
    pub(crate) fn with_resident(self, resident: &Arc<ResidentMemory>) -> StoreFolder {
        StoreFolder { resident: Arc::clone(resident), ..self }
    }

    /// The files' file system.
    pub fn fs(&self) -> &dyn FileSystem {
        &*self.fs
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file. Groups and runs are numbered together.
    pub fn path_of(&self, facts: &FileFacts) -> PathBuf {
        self.file_path(facts.number, facts.form)
    }

    /// The path of the run with this number.
    pub(crate) fn run_path(&self, number: u64) -> PathBuf {
        self.file_path(number, FileForm::Run)
    }

    fn file_path(&self, number: u64, form: FileForm) -> PathBuf {
        self.path.join(match form {
            FileForm::Columns => format!("group-{number:016x}.columns"),
            FileForm::Arrow => format!("group-{number:016x}.arrow"),
            FileForm::Run => format!("index-{number:016x}.run"),
        })
    }

    /// The manifest of the last checkpoint, or `None` where there never was one; that of its copy when it is bad or
    /// missing. Group files are not looked at: one that is bad or missing is the fault of its table alone.
    ///
    /// # Errors
    /// `Damaged` when the manifest and its copy are bad or missing; `Unsupported` for a later version.
    pub fn load(&self) -> Result<Option<Manifest>> {
        let error = match self.read_manifest(MANIFEST) {
            Err(error) if matches!(error.code(), Code::Damaged | Code::NotFound) => error,
            known => return known.map(Some),
        };
        match self.read_manifest(COPY) {
            Ok(manifest) => Ok(Some(manifest)),
            Err(_) if error.code() == Code::NotFound => self.check_is_new().map(|()| None),
            Err(_) => Err(damaged_hint(error)),
        }
    }

    fn read_manifest(&self, name: &str) -> Result<Manifest> {
        let path = self.path.join(name);
        Manifest::decode(&self.fs.read(&path)?).map_err(|error| error.at(path.display()))
    }

    /// The faults of the manifest and its copy. A missing copy is no fault: earlier versions wrote none.
    pub fn check_manifest(&self) -> Vec<Error> {
        let copy = self.read_manifest(COPY);
        let said = |error: Error| {
            let error = match error.code() {
                Code::NotFound => Error::new(Code::Damaged, "the manifest is missing").at(self.path.display()),
                _ => error,
            };
            match copy.is_ok() {
                true => error.hint("its copy is used; the next program that opens the database writes it anew"),
                false => damaged_hint(error),
            }
        };
        let of_copy = copy.as_ref().err().filter(|error| error.code() != Code::NotFound).cloned();
        self.read_manifest(MANIFEST).err().map(said).into_iter().chain(of_copy).collect()
    }

    /// Writes the manifest or its copy again if one of them is not this one. Nothing that another one names may be removed
    /// before.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn complete(&self, manifest: &Manifest) -> Result<()> {
        for name in [MANIFEST, COPY] {
            if !self.read_manifest(name).is_ok_and(|known| known == *manifest) {
                self.fs.replace(&self.path.join(name), &manifest.encode()?)?;
            }
        }
        Ok(())
    }

    /// Refuses a folder that has lost its manifest. A first journal without frames is what a crash in
    /// [`StoreFolder::initialize`] leaves.
    fn check_is_new(&self) -> Result<()> {
        for path in self.files()? {
            let is_unborn = match journal_number(&path) {
                Some(_) => JournalReader::open(self.fs.open(&path)?)?.next_frame()?.is_none(),
                None => file_number(&path).is_none() && !path.ends_with(COPY),
            };
            if !is_unborn {
                let message = "there are files of a database here, but its manifest is missing";
                return Err(damaged_hint(Error::new(Code::Damaged, message).at(self.path.display())));
            }
        }
        Ok(())
    }

    /// Makes the folder and the files of a new database: its first journal, and this manifest, which names it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn initialize(&self, manifest: &Manifest, salt: u64) -> Result<JournalWriter> {
        self.fs.create_folder(&self.path)?;
        if let Some(parent) = self.path.parent() {
            self.fs.sync_folder(parent)?;
        }
        let header = JournalHeader { number: manifest.journal, first_sequence: 1, salt };
        let journal = JournalWriter::create(&*self.fs, &journal_path(&self.path, manifest.journal), header)?;
        self.save(manifest)?;
        Ok(journal)
    }

    /// Makes this the manifest: on the disk when it returns.
    ///
    /// # Errors
    /// Those of the file system. After one it is not known which manifest a crash would leave, so the caller must
    /// remove nothing and take no more changes.
    pub fn save(&self, manifest: &Manifest) -> Result<()> {
        let bytes = manifest.encode()?;
        // The names of the group files must be on the disk before a manifest speaks of them.
        self.fs.sync_folder(&self.path)?;
        self.fs.replace(&self.path.join(MANIFEST), &bytes)?;
        self.fs.replace(&self.path.join(COPY), &bytes)
    }

    /// Writes the file of a group under a number that no file has, and syncs it. Columns are encoded where that saves
    /// space and `is_encoded` is set.
    ///
    /// # Errors
    /// Those of the file system, and `Internal` for columns of different lengths.
    pub fn write_group(&self, number: u64, vectors: &GroupVectors, is_encoded: bool) -> Result<WrittenGroup> {
        write_group(&*self.fs, &self.file_path(number, FileForm::Columns), number, vectors, is_encoded)
    }

    /// Maps the file of a group, verifies it, and gives its rows as vectors.
    ///
    /// # Errors
    /// `Damaged` when the file is missing or not the one that the manifest means.
    pub fn map_group(&self, facts: &FileFacts) -> Result<GroupVectors> {
        map_group(&*self.fs, &self.path_of(facts), facts)
    }

    /// The same with the rows as they are stored.
    ///
    /// # Errors
    /// As [`StoreFolder::map_group`].
    pub(crate) fn map_stored(&self, facts: &FileFacts) -> Result<StoredGroup> {
        map_stored(&*self.fs, &self.path_of(facts), facts)
    }

    /// Reads the file of a group into memory and verifies it.
    ///
    /// # Errors
    /// As [`StoreFolder::map_group`].
    pub(crate) fn read_group(&self, facts: &FileFacts) -> Result<StoredGroup> {
        let path = self.path_of(facts);
        stored_of(Mapping::copy_of(&self.fs.read(&path)?), facts).map_err(|error| error.at(path.display()))
    }

    /// Maps the file of a group without looking at it; [`StoreFolder::map_group`] verifies it.
    ///
    /// # Errors
    /// `Damaged` when it is missing or of another length; those of the file system.
    pub(crate) fn map_unverified(&self, facts: &FileFacts) -> Result<Arc<Pages>> {
        let mapping = map_unverified(&*self.fs, &self.path_of(facts), facts)?;
        Ok(Pages::whole(mapping, &self.resident))
    }

    /// Maps a run. Its blocks are verified when they are read.
    ///
    /// # Errors
    /// `Damaged` for a file of another length; those of the file system.
    pub(crate) fn map_run(&self, facts: &FileFacts) -> Result<Run> {
        Run::map(&*self.fs, &self.run_path(facts.number), (facts.number, facts.length), &self.resident)
    }

    /// The same for a reader that gives the pages back itself ([`Run::release`]).
    pub(crate) fn map_run_once(&self, facts: &FileFacts) -> Result<Run> {
        Run::map(&*self.fs, &self.run_path(facts.number), (facts.number, facts.length), &Arc::default())
    }

    /// Everything that is wrong with the group files of a manifest, with the number of the table: reads all of them.
    pub fn check(&self, manifest: &Manifest) -> Vec<(u64, Error)> {
        let groups = manifest.tables.iter().flat_map(|table| table.groups.iter().map(|group| (table.table, group)));
        groups.filter_map(|(table, group)| self.check_group(group).err().map(|error| (table, error))).collect()
    }

    /// Everything that is wrong with the runs of a manifest, with the number of the table: reads all of them.
    pub fn check_runs(&self, manifest: &Manifest) -> Vec<(u64, Error)> {
        let runs = |table: &TableImage| table.indexes.iter().flat_map(|index| index.runs.clone()).collect::<Vec<_>>();
        let runs = manifest.tables.iter().flat_map(|table| runs(table).into_iter().map(|run| (table.table, run)));
        runs.filter_map(|(table, run)| self.check_run(&run).err().map(|error| (table, error))).collect()
    }

    /// Reads a run: its checksum, its blocks, the order of its keys.
    fn check_run(&self, image: &RunImage) -> Result<()> {
        let path = self.run_path(image.file.number);
        if crc32c(&self.fs.map(&path)?) != image.file.checksum {
            return Err(damaged("its checksum is wrong").at(path.display()));
        }
        let run = self.map_run(&image.file)?;
        run.check()?;
        match run.entries()? == image.entries {
            true => Ok(()),
            false => Err(damaged("it has another number of entries than the manifest says").at(path.display())),
        }
    }

    /// Reads a group file.
    ///
    /// # Errors
    /// As [`StoreFolder::map_group`], and `Damaged` when it is the file of another group.
    pub fn check_group(&self, group: &GroupImage) -> Result<()> {
        let stored = self.map_stored(&group.file)?;
        if stored.rows == group.rows as usize && stored.group == group.group {
            return Ok(());
        }
        let message = "the group file is of another group than the manifest says";
        Err(Error::new(Code::Damaged, message).at(self.path_of(&group.file).display()))
    }

    /// Removes the files that this manifest does not need and that the store made. Gives what was removed.
    ///
    /// # Errors
    /// Those of the file system; what is left then is removed the next time.
    pub fn remove_leftovers(&self, manifest: &Manifest) -> Result<Vec<PathBuf>> {
        self.remove_unneeded(&[manifest])
    }

    /// The same for files that none of these manifests needs. The first one names the first journal.
    ///
    /// # Errors
    /// Those of the file system; what is left then is removed the next time.
    pub(crate) fn remove_unneeded(&self, manifests: &[&Manifest]) -> Result<Vec<PathBuf>> {
        let first_journal = manifests.first().map_or(0, |manifest| manifest.journal);
        let files = manifests.iter().flat_map(|manifest| manifest.files().chain(manifest.runs()));
        let needed: HashSet<u64> = files.map(|facts| facts.number).collect();
        let is_leftover = |path: &PathBuf| {
            let is_old_journal = journal_number(path).is_some_and(|number| number < first_journal);
            let is_old_file = file_number(path).is_some_and(|number| !needed.contains(&number));
            is_old_journal || is_old_file || is_unfinished(path)
        };
        let leftovers: Vec<PathBuf> = self.files()?.into_iter().filter(is_leftover).collect();
        leftovers.iter().try_for_each(|path| self.fs.remove(path))?;
        Ok(leftovers)
    }

    /// A number from `least` on that is greater than those of all files that are there, leftovers included.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn unused_number(&self, least: u64) -> Result<u64> {
        let files = self.files()?;
        let numbers = files.iter().filter_map(|path| file_number(path));
        Ok(numbers.map(|number| number.saturating_add(1)).fold(least, u64::max))
    }

    /// Removes the files that transactions had open for themselves when the process ended.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn remove_moved(&self) -> Result<()> {
        let files = self.files()?;
        files.iter().filter(|path| is_moved_file(path)).try_for_each(|path| self.fs.remove(path))
    }

    /// Bytes of the journals from this number on.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn journal_bytes(&self, first: u64) -> Result<u64> {
        let is_read = |path: &&PathBuf| journal_number(path).is_some_and(|number| number >= first);
        self.files()?.iter().filter(is_read).try_fold(0, |sum, path| Ok(sum + self.fs.stamp(path)?.len))
    }

    fn files(&self) -> Result<Vec<PathBuf>> {
        match self.fs.list(&self.path) {
            Ok(entries) => Ok(entries.into_iter().filter(|entry| !entry.is_folder).map(|entry| entry.path).collect()),
            Err(error) if error.code() == Code::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

/// The number in the name of a group file or a run.
fn file_number(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    let digits = match name.strip_prefix("group-") {
        Some(rest) => rest.strip_suffix(".columns").or_else(|| rest.strip_suffix(".arrow"))?,
        None => name.strip_prefix("index-")?.strip_suffix(".run")?,
    };
    let is_ours = digits.len() == 16 && digits.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c));
    u64::from_str_radix(digits, 16).ok().filter(|_| is_ours)
}

/// Returns true if it is what [`FileSystem::replace`] was writing.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".new"));
    name.is_some_and(|name| name == MANIFEST || name == COPY || journal_number(Path::new(name)).is_some())
}

fn damaged_hint(error: Error) -> Error {
    match error.code() {
        Code::Damaged => error.hint("restore the database from a backup, or see what `mainstay check` says"),
        _ => error,
    }
}
