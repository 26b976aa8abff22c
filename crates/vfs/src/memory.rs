//! Files that exist only in memory: for tests, and for input that never was a file.

use crate::{Entry, File, FileSystem, Stamp};
use mainstay_base::{Code, Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime};

/// A tree of files in memory. Clones share the same files.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: Arc<Mutex<BTreeMap<PathBuf, Arc<MemoryFile>>>>,
}

#[derive(Debug)]
struct MemoryFile {
    path: PathBuf,
    identity: u64,
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    content: Vec<u8>,
    /// Stands for the file time: one second later at every write.
    version: u64,
}

impl Memory {
    /// An empty tree.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Creates the file, or replaces its content in place (an open handle sees the new content).
    pub fn write(&self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        let (path, content) = (path.as_ref().to_owned(), content.into());
        let mut files = self.files.lock().expect("no test panics while it holds the lock");
        let identity = files.len() as u64 + 1;
        match files.get(&path) {
            Some(file) => {
                let mut state = file.state.write().expect("no test panics while it holds the lock");
                state.content = content;
                state.version += 1;
            }
            None => {
                let state = RwLock::new(State { content, version: 0 });
                files.insert(path.clone(), Arc::new(MemoryFile { path, identity, state }));
            }
        }
    }

    fn file(&self, path: &Path) -> Result<Arc<MemoryFile>> {
        let files = self.files.lock().expect("no test panics while it holds the lock");
        files.get(path).cloned().ok_or_else(|| Error::new(Code::NotFound, "no such file").at(path.display()))
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
        let files = self.files.lock().expect("no test panics while it holds the lock");
        let mut entries: Vec<Entry> = Vec::new();
        for path in files.keys() {
            let Ok(rest) = path.strip_prefix(folder) else { continue };
            let mut parts = rest.components();
            let Some(name) = parts.next() else { continue };
            let entry = Entry { path: folder.join(name), is_folder: parts.next().is_some() };
            if entries.last() != Some(&entry) {
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    fn is_folder(&self, path: &Path) -> bool {
        let files = self.files.lock().expect("no test panics while it holds the lock");
        files.keys().any(|file| file != path && file.starts_with(path))
    }
}

impl File for MemoryFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let state = self.state.read().expect("no test panics while it holds the lock");
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(state.content.len());
        let len = buffer.len().min(state.content.len() - start);
        buffer[..len].copy_from_slice(&state.content[start..start + len]);
        Ok(len)
    }

    fn stamp(&self) -> Result<Stamp> {
        let state = self.state.read().expect("no test panics while it holds the lock");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(state.version);
        let len = state.content.len() as u64;
        Ok(Stamp { len, modified: time, changed: time, identity: self.identity, tick: Duration::ZERO })
    }

    fn path(&self) -> &Path {
        &self.path
    }
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
}
