//! Objects that are files: `procedures/**/*.sql` of the folder, one object a file.
//!
//! ```text
//!   a file comes or changes  --read, parse, compile-->  its object, for all sessions
//!                                                  \->  a complaint; the object that was there before stays
//!   a file goes                                     ->  its object goes
//! ```
//!
//! The files are checked when a session runs something, at most four times a second. An object of a file is found
//! before one of the same name in the database. No statement changes, renames or drops it (`Object::check_changeable`):
//! the file would still define it. Around the object a file may have batches of SET and USE, as tools write them. It is
//! UTF-8 or UTF-16, or in the configured code page, or else in Windows-1252.

use crate::objects::modules::{Modules, Object, defined, key_of, made_in_folder, read};
use crate::session::scope::local_name;
use crate::statements::errors::raised;
use mainstay_tsql_syntax::{Options, batches, parse};
use mainstay_tsql_types::{CodePage, Message};
use mainstay_vfs::{FileSystem, Stamp};
use mainstay_vm::Raised;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time for which a reading of the files is valid.
const INTERVAL: Duration = Duration::from_millis(250);
/// Folders within folders, no deeper than this.
const DEPTH: usize = 16;

/// Receives the errors of files that do not compile.
pub type Tell = Box<dyn Fn(&str) + Send + Sync>;

/// The files of a folder.
pub(crate) struct Folder {
    files: Arc<dyn FileSystem>,
    root: PathBuf,
    /// The code page of files without a byte order mark.
    page: Option<CodePage>,
    tell: Tell,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    looked: Option<Instant>,
    known: BTreeMap<PathBuf, Known>,
}

struct Known {
    stamp: Stamp,
    /// The last version that compiled.
    object: Option<Object>,
}

impl Folder {
    pub(crate) fn new(files: Arc<dyn FileSystem>, root: PathBuf, page: Option<CodePage>, tell: Tell) -> Folder {
        Folder { files, root, page, tell, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The objects of all files.
    pub(crate) fn objects(&self) -> Vec<Object> {
        self.state().known.values().filter_map(|known| known.object.clone()).collect()
    }

    /// Looks at the files, if it was not done just now: whether objects have changed, and what is wrong with files.
    pub(crate) fn look(&self, modules: &Modules) -> (bool, Vec<String>) {
        let mut state = self.state();
        if state.looked.is_some_and(|looked| looked.elapsed() < INTERVAL) {
            return (false, Vec::new());
        }
        let mut paths = Vec::new();
        self.list(&self.root, DEPTH, &mut paths);
        let before = state.known.len();
        state.known.retain(|path, _| paths.contains(path));
        let mut changed = state.known.len() != before;
        let mut complaints = Vec::new();
        for path in paths {
            // A file that is gone again is seen the next time.
            let Ok(stamp) = self.files.stamp(&path) else { continue };
            if state.known.get(&path).is_some_and(|known| known.stamp == stamp) {
                continue;
            }
            match self.object(&path, modules) {
                Ok(object) => {
                    state.known.insert(path, Known { stamp, object: Some(object) });
                    changed = true;
                }
                Err(message) => {
                    complaints.push(self.complaint(&path, &message, state.known.contains_key(&path)));
                    let object = state.known.remove(&path).and_then(|known| known.object);
                    state.known.insert(path, Known { stamp, object });
                }
            }
        }
        state.looked = Some(Instant::now());
        complaints.iter().for_each(|complaint| (self.tell)(complaint));
        (changed, complaints)
    }

    fn list(&self, folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
        if depth == 0 || !self.files.is_folder(folder) {
            return;
        }
        for entry in self.files.list(folder).unwrap_or_default() {
            let is_text = entry.path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sql"));
            match entry.is_folder {
                true => self.list(&entry.path, depth - 1, paths),
                false if is_text => paths.push(entry.path),
                false => {}
            }
        }
    }

    fn complaint(&self, path: &Path, message: &Message, was_there: bool) -> String {
        let kept = if was_there { " The version before it stays in use." } else { "" };
        let name = self.shown(path);
        format!("{name}, line {}: {} (error {}).{kept}", message.line, end(&message.text), message.number)
    }

    /// A file as messages name it.
    fn shown(&self, path: &Path) -> String {
        format!("procedures/{}", path.strip_prefix(&self.root).unwrap_or(path).display())
    }

    /// The object of a file.
    fn object(&self, path: &Path, modules: &Modules) -> Result<Object, Message> {
        let failed = |text: String| Message::error(50000, text);
        let bytes = self.files.read(path).map_err(|error| failed(format!("The file cannot be read: {error}")))?;
        let script = crate::script_text(&bytes, self.page).text;
        let mut found = None;
        for batch in batches(&script) {
            let parsed = parse(batch.text, Options::default());
            if let Some(error) = parsed.errors.first() {
                return Err(Message { line: error.line + batch.first_line - 1, state: 1, ..error.told() });
            }
            let is_module = |kind: &str| matches!(kind, "P" | "FN" | "IF" | "TF" | "TR");
            let made = parsed.statements.iter().find_map(defined).filter(|(_, kind, _)| is_module(kind));
            let Some((name, kind, parent)) = made else { continue };
            if found.is_some() {
                let mut message = failed("A file has one object".to_owned());
                message.line = batch.first_line;
                return Err(message);
            }
            let (schema, last) = local_name(name);
            let object = Object {
                key: key_of(name),
                name: format!("{}.{last}", schema.unwrap_or("dbo")),
                kind: kind.to_owned(),
                parent: parent.map_or_else(String::new, key_of),
                file: Some(self.shown(path).into()),
                ..read(batch.text.to_owned(), made_in_folder())
                    .ok_or_else(|| failed("The file has no object".to_owned()))?
            };
            modules.check(&object).map_err(|mut message| {
                message.line += batch.first_line - 1;
                *message
            })?;
            found = Some(object);
        }
        found.ok_or_else(|| failed("The file has no object: CREATE PROCEDURE, FUNCTION or TRIGGER".to_owned()))
    }
}

impl Object {
    /// Checks that statements may change, rename and drop it.
    ///
    /// Errors: that a file defines it. The statement would last until the file is read again, or never count at all.
    pub(crate) fn check_changeable(&self) -> Result<(), Box<Raised>> {
        let Some(file) = &self.file else { return Ok(()) };
        let kind = match self.kind.as_str() {
            "P" => "procedure",
            "TR" => "trigger",
            _ => "function",
        };
        let text =
            format!("The {kind} '{}' is defined by the file {file}. Change, rename or delete that file.", self.name);
        Err(raised(Message::error(50000, text)))
    }
}

/// A sentence without its full stop.
fn end(text: &str) -> &str {
    text.trim_end_matches('.')
}
