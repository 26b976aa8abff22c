//! Files that exist only in memory: for tests, for input that never was a file, and for databases that are not
//! to outlive their process. [`Memory::spilling`] keeps the beginning there and long files on the disk, without a name.
//!
//! A folder is there because it was created, or because a file is in it. Syncs do nothing.

use crate::content::Content;
use crate::locking::{HandleLocks, LockTable};
use crate::{
    ByteRange, Create, Entry, File, FileSystem, FolderLock, LockHolder, LockMode, Stamp, WritableFile, writing,
};
use mainstay_types::{Code, Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, SystemTime};

/// A tree of files in memory. Clones share the same files.
#[derive(Clone, Debug)]
pub struct Memory {
    tree: Arc<Mutex<Tree>>,
    /// A file that is longer is kept on the disk.
    most_bytes: usize,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::spilling(usize::MAX)
    }
}

#[derive(Debug, Default)]
struct Tree {
    files: BTreeMap<PathBuf, Arc<Node>>,
    /// Those that were created by name.
    folders: BTreeSet<PathBuf>,
    locked: BTreeSet<PathBuf>,
    /// The number of files that were ever created.
    created: u64,
}

#[derive(Debug)]
struct Node {
    identity: u64,
    state: RwLock<State>,
    locks: Arc<LockTable>,
    most_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    content: Content,
    /// Stands for the file time: one second later at every write.
    version: u64,
}

#[derive(Debug)]
struct MemoryFile {
    path: PathBuf,
    node: Arc<Node>,
    locks: HandleLocks,
}

impl MemoryFile {
    fn new(path: &Path, node: Arc<Node>) -> MemoryFile {
        let locks = HandleLocks::new(&node.locks);
        MemoryFile { path: path.to_owned(), node, locks }
    }
}

#[derive(Debug)]
struct MemoryLock {
    path: PathBuf,
    memory: Memory,
}

impl Memory {
    /// An empty tree.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// An empty tree of which a file with more bytes than this is kept in the system's folder for temporary files,
    /// without a name.
    pub fn spilling(most_bytes: usize) -> Memory {
        Memory { tree: Arc::default(), most_bytes }
    }

    /// Creates the file, or replaces its content in place (an open handle sees the new content).
    pub fn write(&self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        let mut tree = self.tree();
        match tree.files.get(path.as_ref()) {
            Some(node) => node.replace(content.into()),
            None => {
                tree.insert(path.as_ref(), content.into(), self.most_bytes);
            }
        }
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, path: &Path) -> Result<Arc<MemoryFile>> {
        let node = self.tree().files.get(path).cloned().ok_or_else(|| missing(path))?;
        Ok(Arc::new(MemoryFile::new(path, node)))
    }
}

fn missing(path: &Path) -> Error {
    Error::new(Code::NotFound, "no such file").at(path.display())
}

impl Tree {
    fn insert(&mut self, path: &Path, content: Vec<u8>, most_bytes: usize) -> Arc<Node> {
        self.created += 1;
        let state = RwLock::new(State { content: Content::Here(content), version: 0 });
        let node = Arc::new(Node { identity: self.created, state, locks: Arc::default(), most_bytes });
        self.files.insert(path.to_owned(), Arc::clone(&node));
        node
    }

    fn is_folder(&self, path: &Path) -> bool {
        let below = |inner: &PathBuf| inner != path && inner.starts_with(path);
        self.folders.contains(path) || self.folders.iter().any(below) || self.files.keys().any(below)
    }

    /// Refuses a path whose folder is not there, as a disk does.
    fn check_folder_of(&self, path: &Path) -> Result<()> {
        match path.parent() {
            None => Ok(()),
            Some(folder) if folder.parent().is_none() || self.is_folder(folder) => Ok(()),
            Some(folder) => Err(Error::new(Code::NotFound, "no such folder").at(folder.display())),
        }
    }

    /// The new name of `path` after a rename of `from` to `to`, if it is `from` or below it.
    fn renamed(path: &Path, from: &Path, to: &Path) -> Option<PathBuf> {
        let rest = path.strip_prefix(from).ok()?;
        Some(if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) })
    }
}

impl FileSystem for Memory {
    fn open(&self, path: &Path) -> Result<Arc<dyn File>> {
        Ok(self.file(path)?)
    }

    fn stamp(&self, path: &Path) -> Result<Stamp> {
        self.file(path)?.stamp()
    }

    fn list(&self, folder: &Path) -> Result<Vec<Entry>> {
        let tree = self.tree();
        let mut entries: BTreeMap<PathBuf, bool> = BTreeMap::new();
        let files = tree.files.keys().map(|path| (path, false));
        for (path, is_folder) in files.chain(tree.folders.iter().map(|path| (path, true))) {
            let Ok(rest) = path.strip_prefix(folder) else { continue };
            let mut parts = rest.components();
            let Some(name) = parts.next() else { continue };
            *entries.entry(folder.join(name)).or_default() |= is_folder || parts.next().is_some();
        }
        Ok(entries.into_iter().map(|(path, is_folder)| Entry { path, is_folder }).collect())
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.tree().is_folder(path)
    }

    fn create(&self, path: &Path, how: Create) -> Result<Arc<dyn WritableFile>> {
        let mut tree = self.tree();
        let node = match tree.files.get(path) {
            Some(_) if how == Create::New => return Err(writing::exists(path)),
            Some(node) => Arc::clone(node),
            None if how == Create::Existing => return Err(missing(path)),
            None => {
                tree.check_folder_of(path)?;
                tree.insert(path, Vec::new(), self.most_bytes)
            }
        };
        if how == Create::Truncate {
            node.replace(Vec::new());
        }
        Ok(Arc::new(MemoryFile::new(path, node)))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let mut tree = self.tree();
        if !tree.files.contains_key(from) && !tree.is_folder(from) {
            return Err(missing(from));
        }
        tree.check_folder_of(to)?;
        let is_file = tree.files.contains_key(from);
        if from == to {
            return Ok(());
        }
        if tree.is_folder(to) || (!is_file && tree.files.contains_key(to)) {
            return Err(writing::exists(to));
        }
        if to.starts_with(from) {
            return Err(writing::into_itself(from));
        }
        let files = std::mem::take(&mut tree.files);
        let (moved, kept): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| path.starts_with(from));
        tree.files = kept.into_iter().collect();
        for (path, node) in moved {
            tree.files.insert(Tree::renamed(&path, from, to).unwrap_or(path), node);
        }
        let folders = std::mem::take(&mut tree.folders);
        tree.folders = folders.into_iter().map(|path| Tree::renamed(&path, from, to).unwrap_or(path)).collect();
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.tree().files.remove(path).map(|_| ()).ok_or_else(|| missing(path))
    }

    fn create_folder(&self, path: &Path) -> Result<()> {
        let mut tree = self.tree();
        if let Some(file) = path.ancestors().find(|folder| tree.files.contains_key(*folder)) {
            return Err(writing::exists(file));
        }
        tree.folders.extend(path.ancestors().filter(|folder| folder.parent().is_some()).map(Path::to_owned));
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> Result<()> {
        let mut tree = self.tree();
        if !tree.is_folder(path) {
            return Err(Error::new(Code::NotFound, "no such folder").at(path.display()));
        }
        tree.files.retain(|file, _| !file.starts_with(path));
        tree.folders.retain(|folder| !folder.starts_with(path));
        Ok(())
    }

    fn sync_folder(&self, _path: &Path) -> Result<()> {
        Ok(())
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FolderLock>> {
        self.create(path, Create::OpenOrCreate)?;
        if !self.tree().locked.insert(path.to_owned()) {
            return Err(writing::busy(path));
        }
        Ok(Box::new(MemoryLock { path: path.to_owned(), memory: self.clone() }))
    }
}

impl FolderLock for MemoryLock {
    fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        self.memory.tree().locked.remove(&self.path);
    }
}

impl Node {
    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Content) -> T) -> T {
        let mut state: RwLockWriteGuard<'_, State> = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.version += 1;
        change(&mut state.content)
    }

    fn replace(&self, content: Vec<u8>) {
        self.change(|old| *old = Content::Here(content));
    }
}

impl File for MemoryFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.node.state().content.read(buffer, offset)
    }

    fn stamp(&self) -> Result<Stamp> {
        let state = self.node.state();
        Ok(stamp_of(state.content.len(), state.version, self.node.identity))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

impl WritableFile for MemoryFile {
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let start = address(offset, bytes.len()).map_err(|error| error.at(self.path.display()))?;
        self.node.change(|content| content.write(bytes, start, self.node.most_bytes))
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<()> {
        let len = address(len, 0).map_err(|error| error.at(self.path.display()))?;
        self.node.change(|content| content.set_len(len, self.node.most_bytes))
    }

    fn try_lock_range(&self, range: ByteRange, mode: LockMode) -> Result<bool> {
        Ok(self.locks.try_lock(range, mode))
    }

    fn unlock_range(&self, range: ByteRange) -> Result<()> {
        self.locks.unlock(range);
        Ok(())
    }

    fn range_holder(&self, range: ByteRange, mode: LockMode) -> Result<Option<LockHolder>> {
        Ok(self.locks.holder(range, mode))
    }

    fn try_share(&self, mode: LockMode) -> Result<bool> {
        Ok(self.locks.try_share(mode))
    }
}

/// The longest file that memory is asked for: a wrong offset must not end the process.
const MAX_FILE_BYTES: u64 = 1 << 36;

/// Where bytes of a file that is kept in memory start; an error if it would grow beyond all sense.
pub(crate) fn address(offset: u64, len: usize) -> Result<usize> {
    let end = offset.checked_add(len as u64).filter(|end| *end <= MAX_FILE_BYTES);
    end.and_then(|_| usize::try_from(offset).ok())
        .ok_or_else(|| Error::new(Code::Io, format!("a file in memory cannot have {len} bytes at {offset}")))
}

/// Reads what there is of a range of a file's content.
pub(crate) fn copy_range(content: &[u8], buffer: &mut [u8], offset: u64) -> usize {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(content.len());
    let len = buffer.len().min(content.len() - start);
    buffer[..len].copy_from_slice(&content[start..start + len]);
    len
}

/// Writes into a file's content, which grows with zeros up to there if need be.
pub(crate) fn write_range(content: &mut Vec<u8>, bytes: &[u8], start: usize) {
    let end = start + bytes.len();
    if !bytes.is_empty() && content.len() < end {
        content.resize(end, 0);
    }
    if !bytes.is_empty() {
        content[start..end].copy_from_slice(bytes);
    }
}

/// The stamp of a file whose clock ticks once at every write.
pub(crate) fn stamp_of(len: u64, version: u64, identity: u64) -> Stamp {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(version);
    Stamp { len, modified: time, changed: time, identity, tick: Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_seen_by_open_handles_and_changes_the_stamp() {
        let memory = Memory::new();
        memory.write("shop/a.dbf", b"one".to_vec());
        memory.write("shop/sub/b.dbf", b"".to_vec());
        let file = memory.open(Path::new("shop/a.dbf")).unwrap();
        let before = file.stamp().unwrap();
        memory.write("shop/a.dbf", b"two".to_vec());
        assert_eq!(memory.read(Path::new("shop/a.dbf")).unwrap(), b"two");
        assert_ne!(before, file.stamp().unwrap());
        let kinds: Vec<bool> = memory.list(Path::new("shop")).unwrap().iter().map(|entry| entry.is_folder).collect();
        assert_eq!(kinds, [false, true]);
        assert!(memory.is_folder(Path::new("shop/sub")));
    }

    #[test]
    fn written_files_behave_as_on_a_disk() {
        [Memory::new(), Memory::spilling(0), Memory::spilling(7)].into_iter().for_each(write_some);
    }

    #[test]
    fn long_files_leave_the_memory_and_are_what_they_were() {
        let memory = Memory::spilling(100);
        let path = Path::new("rows");
        let file = memory.create(path, Create::New).unwrap();
        let whole: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for (at, piece) in whole.chunks(30).enumerate() {
            file.write_at(piece, at as u64 * 30).unwrap();
            let is_here = matches!(memory.file(path).unwrap().node.state().content, Content::Here(_));
            assert_eq!(is_here, at < 3, "{at}");
        }
        assert_eq!(memory.read(path).unwrap(), whole);
        let (mut some, mut none) = ([0; 20], [0; 5]);
        assert_eq!((file.read_at(&mut some, 990).unwrap(), &some[..10]), (10, &whole[990..]));
        assert_eq!(file.read_at(&mut none, 1000).unwrap() + file.read_at(&mut none, u64::MAX).unwrap(), 0);
        memory.replace(path, b"short").unwrap();
        assert_eq!(memory.read(path).unwrap(), b"short");
        assert_eq!(file.stamp().unwrap().len, 1000, "an open handle keeps what it has");
    }

    fn write_some(memory: Memory) {
        let (folder, path) = (Path::new("shop/store"), Path::new("shop/store/a"));
        assert_eq!(memory.create(path, Create::New).unwrap_err().code(), Code::NotFound);
        memory.create_folder(folder).unwrap();
        let file = memory.create(path, Create::New).unwrap();
        file.write_at(b"56", 4).unwrap();
        file.set_len(8).unwrap();
        assert_eq!(memory.read(path).unwrap(), b"\0\0\0\x0056\0\0");
        for too_far in [u64::MAX, 1 << 48] {
            assert_eq!(file.write_at(b"x", too_far).unwrap_err().code(), Code::Io);
        }
        assert!(memory.create(path, Create::New).is_err());

        let old = memory.open(path).unwrap();
        memory.replace(path, b"new").unwrap();
        assert_eq!((old.stamp().unwrap().len, &*memory.map(path).unwrap()), (8, &b"new"[..]));
        assert_eq!(memory.list(folder).unwrap().len(), 1);

        assert!(memory.rename(folder, &folder.join("inside")).is_err(), "into itself");
        assert!(memory.rename(path, folder).is_err(), "a file onto a folder");
        memory.rename(folder, Path::new("shop/other")).unwrap();
        assert_eq!(memory.read(Path::new("shop/other/a")).unwrap(), b"new");
        assert!(!memory.is_folder(folder) && memory.is_folder(Path::new("shop/other")));
        memory.remove(Path::new("shop/other/a")).unwrap();
        assert!(memory.is_folder(Path::new("shop/other")), "it was created by name");
        memory.remove_folder(Path::new("shop")).unwrap();
        assert!(!memory.is_folder(Path::new("shop")));
    }

    #[test]
    fn the_lock_is_exclusive_until_it_is_dropped() {
        let memory = Memory::new();
        let held = memory.lock(Path::new("lock")).unwrap();
        assert_eq!(memory.lock(Path::new("lock")).unwrap_err().code(), Code::Busy);
        drop(held);
        memory.lock(Path::new("lock")).unwrap();
    }
}
