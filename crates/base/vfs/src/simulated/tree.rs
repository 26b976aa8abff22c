//! Files and folders in two states: as the process sees them, and as they certainly are on the disk.
//!
//! Nodes are known by number, as a disk's are, so that a rename or a removal leaves open handles alone. A change
//! of names is a list of links (folder, name, what it leads to now): one for a creation or removal, two for a
//! rename, which keeps it whole. Pending ones stay in the order in which they were made.
//!
//! ```text
//!   folder 0   seen     { "a" -> 1, "b" -> 2 }          pending  [ (0, "b", 2) ] [ (0, "c", -), (0, "d", 3) ] ...
//!              durable  { "a" -> 1, "c" -> 3 }                     create b        rename c to d
//! ```

use super::luck::{Luck, Share};
use crate::memory::write_range;
use crate::writing;
use mainstay_types::{Code, Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path};

/// The number of a file or folder; never given twice.
pub(super) type Id = u64;

const ROOT: Id = 0;

/// The unit that a disk writes whole or not at all.
const SECTOR: usize = 512;

type Names = BTreeMap<OsString, Id>;

/// A change to a file's content.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Write { start: usize, bytes: Vec<u8> },
    SetLen(usize),
}

#[derive(Clone, Debug, Default)]
pub(super) struct FileNode {
    /// The contents as the process sees them.
    pub(super) seen: Vec<u8>,
    /// Counts the changes, and stands for the file's time.
    pub(super) version: u64,
    durable: Vec<u8>,
    pending: Vec<Change>,
}

#[derive(Clone, Debug, Default)]
struct Folder {
    seen: Names,
    durable: Names,
}

/// In this folder, this name now leads there, or nowhere.
#[derive(Clone, Debug)]
struct Link {
    folder: Id,
    name: OsString,
    target: Option<Id>,
}

#[derive(Clone, Debug)]
pub(super) struct Tree {
    files: BTreeMap<Id, FileNode>,
    folders: BTreeMap<Id, Folder>,
    pending: Vec<Vec<Link>>,
    next: Id,
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::Write { start, bytes } => write_range(content, bytes, *start),
            Change::SetLen(len) => content.resize(*len, 0),
        }
    }

    /// Applies each sector's part of a write or not; a change of length cannot be torn.
    fn tear(&self, content: &mut Vec<u8>, luck: &mut Luck) {
        let Change::Write { start, bytes } = self else {
            return if luck.coin() {
                self.apply(content)
            };
        };
        let mut done = 0;
        while done < bytes.len() {
            let until = bytes.len().min(done + SECTOR - (start + done) % SECTOR);
            if luck.coin() {
                write_range(content, &bytes[done..until], start + done);
            }
            done = until;
        }
    }
}

impl FileNode {
    fn with(content: Vec<u8>) -> FileNode {
        FileNode { seen: content.clone(), version: 0, durable: content, pending: Vec::new() }
    }

    pub(super) fn change(&mut self, change: Change) {
        change.apply(&mut self.seen);
        self.pending.push(change);
        self.version += 1;
    }

    pub(super) fn sync(&mut self) {
        for change in self.pending.drain(..) {
            change.apply(&mut self.durable);
        }
    }

    /// The content after a power loss.
    fn after_crash(&self, luck: &mut Luck) -> Vec<u8> {
        let mut content = self.durable.clone();
        if self.pending.is_empty() {
            return content;
        }
        let fate = luck.fate(self.pending.len());
        let (mut whole, mut longest) = (self.durable.clone(), self.durable.len());
        for (number, change) in self.pending.iter().enumerate() {
            change.apply(&mut whole);
            longest = longest.max(whole.len());
            match luck.share(fate, number) {
                Share::Lost => {}
                Share::Applied => change.apply(&mut content),
                Share::Torn => change.tear(&mut content, luck),
            }
        }
        let len = luck.length(content.len(), longest, SECTOR);
        content.resize(len, 0);
        content
    }
}

fn missing(path: &Path, what: &str) -> Error {
    Error::new(Code::NotFound, format!("no such {what}")).at(path.display())
}

/// The names on the way to a path; the root and the current folder are the same one here.
fn parts(path: &Path) -> Result<Vec<&OsStr>> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::RootDir | Component::CurDir => {}
            _ => return Err(missing(path, "path here: it has a part `..`")),
        }
    }
    Ok(names)
}

impl Tree {
    /// Only the root.
    pub(super) fn new() -> Tree {
        let folders = BTreeMap::from([(ROOT, Folder::default())]);
        Tree { files: BTreeMap::new(), folders, pending: Vec::new(), next: ROOT + 1 }
    }

    fn find(&self, path: &Path) -> Result<Option<Id>> {
        let mut id = ROOT;
        for name in parts(path)? {
            match self.folders.get(&id).and_then(|folder| folder.seen.get(name)) {
                Some(inner) => id = *inner,
                None => return Ok(None),
            }
        }
        Ok(Some(id))
    }

    pub(super) fn exists(&self, path: &Path) -> Result<bool> {
        Ok(self.find(path)?.is_some())
    }

    pub(super) fn file(&self, path: &Path) -> Result<Id> {
        self.find(path)?.filter(|id| self.files.contains_key(id)).ok_or_else(|| missing(path, "file"))
    }

    pub(super) fn folder(&self, path: &Path) -> Result<Id> {
        self.find(path)?.filter(|id| self.folders.contains_key(id)).ok_or_else(|| missing(path, "folder"))
    }

    /// The folder that a path is in, and the path's name there.
    fn place(&self, path: &Path) -> Result<(Id, OsString)> {
        let name = parts(path)?.pop().ok_or_else(|| missing(path, "name"))?.to_owned();
        Ok((self.folder(path.parent().unwrap_or(Path::new("")))?, name))
    }

    pub(super) fn node(&self, id: Id) -> Result<&FileNode> {
        self.files.get(&id).ok_or_else(|| Error::new(Code::Internal, "no file of this number"))
    }

    pub(super) fn node_mut(&mut self, id: Id) -> Result<&mut FileNode> {
        self.files.get_mut(&id).ok_or_else(|| Error::new(Code::Internal, "no file of this number"))
    }

    /// The names in a folder in order, each with whether it is a folder's.
    pub(super) fn names(&self, path: &Path) -> Result<Vec<(OsString, bool)>> {
        let folder = self.folders.get(&self.folder(path)?);
        let names = folder.into_iter().flat_map(|folder| &folder.seen);
        Ok(names.map(|(name, id)| (name.clone(), self.folders.contains_key(id))).collect())
    }

    fn change(&mut self, links: Vec<Link>) {
        for link in &links {
            link.apply(&mut self.folders, |folder| &mut folder.seen);
        }
        self.pending.push(links);
    }

    fn link_new(&mut self, path: &Path) -> Result<Id> {
        let (folder, name) = self.place(path)?;
        let id = self.next;
        self.next += 1;
        self.change(vec![Link { folder, name, target: Some(id) }]);
        Ok(id)
    }

    pub(super) fn create_file(&mut self, path: &Path) -> Result<()> {
        let id = self.link_new(path)?;
        self.files.insert(id, FileNode::default());
        Ok(())
    }

    pub(super) fn create_folder(&mut self, path: &Path) -> Result<()> {
        let id = self.link_new(path)?;
        self.folders.insert(id, Folder::default());
        Ok(())
    }

    pub(super) fn unlink(&mut self, path: &Path) -> Result<()> {
        let (folder, name) = self.place(path)?;
        self.change(vec![Link { folder, name, target: None }]);
        Ok(())
    }

    /// Refuses what a disk refuses: a folder into itself, and onto something else than a file onto a file.
    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> Result<()> {
        let id = self.find(from)?.ok_or_else(|| missing(from, "file or folder"))?;
        let ((folder, name), (new_folder, new_name)) = (self.place(from)?, self.place(to)?);
        match self.find(to)? {
            Some(old) if old == id => return Ok(()),
            Some(old) if !self.files.contains_key(&old) || !self.files.contains_key(&id) => {
                return Err(writing::exists(to));
            }
            _ if parts(to)?.starts_with(&parts(from)?) => return Err(writing::into_itself(from)),
            _ => {}
        }
        let old = Link { folder, name, target: None };
        self.change(vec![old, Link { folder: new_folder, name: new_name, target: Some(id) }]);
        Ok(())
    }

    /// Makes the names in this folder certain, and with them what they depend on: a rename into another folder
    /// is one change, and everything before it in that other folder comes first.
    pub(super) fn sync_folder(&mut self, folder: Id) {
        let mut synced = BTreeSet::from([folder]);
        let mut certain = Vec::new();
        for links in std::mem::take(&mut self.pending).into_iter().rev() {
            if links.iter().any(|link| synced.contains(&link.folder)) {
                synced.extend(links.iter().map(|link| link.folder));
                certain.push(links);
            } else {
                self.pending.push(links);
            }
        }
        self.pending.reverse();
        for link in certain.iter().rev().flatten() {
            link.apply(&mut self.folders, |folder| &mut folder.durable);
        }
    }

    /// The tree after a power loss.
    pub(super) fn after_crash(&self, luck: &mut Luck) -> Tree {
        let mut folders = self.folders.clone();
        let fate = luck.fate(self.pending.len().max(1));
        let mut broken_off = BTreeSet::new();
        for (number, links) in self.pending.iter().enumerate() {
            let arrived = match luck.share(fate, number) {
                Share::Lost => false,
                Share::Applied => true,
                Share::Torn => luck.coin(),
            };
            if arrived && !links.iter().any(|link| broken_off.contains(&link.folder)) {
                links.iter().for_each(|link| link.apply(&mut folders, |folder| &mut folder.durable));
            } else {
                broken_off.extend(links.iter().map(|link| link.folder));
            }
        }
        let names = folders.into_iter().map(|(id, folder)| (id, folder.durable)).collect();
        self.settled(&names, &mut |file| file.after_crash(luck))
    }

    /// The tree after the end of the process alone.
    pub(super) fn after_kill(&self) -> Tree {
        let names = self.folders.iter().map(|(id, folder)| (*id, folder.seen.clone())).collect();
        self.settled(&names, &mut |file| file.seen.clone())
    }

    /// A tree of what these names lead to from the root, all of it durable.
    fn settled(&self, names: &BTreeMap<Id, Names>, content: &mut dyn FnMut(&FileNode) -> Vec<u8>) -> Tree {
        let mut tree = Tree { next: self.next, ..Tree::new() };
        let mut open = vec![ROOT];
        while let Some(id) = open.pop() {
            if let Some(names) = names.get(&id) {
                open.extend(names.values());
                tree.folders.insert(id, Folder { seen: names.clone(), durable: names.clone() });
            } else if let Some(file) = self.files.get(&id) {
                tree.files.insert(id, FileNode::with(content(file)));
            }
        }
        tree
    }
}

impl Link {
    fn apply(&self, folders: &mut BTreeMap<Id, Folder>, state: impl Fn(&mut Folder) -> &mut Names) {
        let Some(folder) = folders.get_mut(&self.folder) else { return };
        match self.target {
            Some(id) => state(folder).insert(self.name.clone(), id),
            None => state(folder).remove(&self.name),
        };
    }
}
