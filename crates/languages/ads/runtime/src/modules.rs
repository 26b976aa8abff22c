//! Views, procedures, functions and triggers of a folder: one object a file below `procedures/advantage`, in the
//! dialect's own words.
//!
//! ```text
//!   procedures/advantage/procedure.addorder.sql      CREATE PROCEDURE AddOrder( .. ) BEGIN .. END
//!   procedures/advantage/trigger.orders.ins.sql      CREATE TRIGGER ins ON orders ..
//! ```
//! A statement uses the contents of the files at its beginning: an editor may change them. A file that cannot be read
//! is an error when its object is named.

use crate::failure::{Failed, of_core};
use crate::session::Result;
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::reduce::table_name;
use mainstay_ads_syntax::tree::{Module, ModuleKind, ObjectName, Query, StatementKind, Trigger};
use mainstay_ads_types::native;
use mainstay_data_dictionary::Session;
use mainstay_data_dictionary::constants::*;
use mainstay_data_dictionary::contents::Contents;
use mainstay_vfs::{FileSystem, Stamp};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of the files, in the folder of the tables.
const FOLDER: [&str; 2] = ["procedures", "advantage"];

/// The error of an object that is there already, and of one that is not.
const EXISTS: i32 = 2010;

/// The kind of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    View,
    Procedure,
    Function,
    Trigger,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::View => "view",
            Kind::Procedure => "procedure",
            Kind::Function => "function",
            Kind::Trigger => "trigger",
        }
    }

    fn of_word(word: &str) -> Option<Kind> {
        [Kind::View, Kind::Procedure, Kind::Function, Kind::Trigger]
            .into_iter()
            .find(|kind| kind.word().eq_ignore_ascii_case(word))
    }
}

/// A module, read.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Its name as it was written; that of a trigger behind that of its table.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) definition: StatementKind,
}

impl Stored {
    /// The query of a view.
    pub(crate) fn query(&self) -> Option<&Query> {
        match &self.definition {
            StatementKind::CreateView(_, query) => Some(query),
            _ => None,
        }
    }

    /// A procedure, function or trigger.
    pub(crate) fn module(&self) -> Option<&Module> {
        match &self.definition {
            StatementKind::CreateModule(module) => Some(module),
            _ => None,
        }
    }

    pub(crate) fn trigger(&self) -> Option<&Trigger> {
        match &self.module()?.kind {
            ModuleKind::Trigger(trigger) => Some(trigger),
            _ => None,
        }
    }

    /// ACE's numbers of a trigger's event and time, and its priority.
    pub(crate) fn trigger_numbers(&self) -> Option<(u32, u32, u32)> {
        let trigger = self.trigger()?;
        let event = match trigger.event.as_str() {
            "INSERT" => ADS_TRIGEVENT_INSERT,
            "UPDATE" => ADS_TRIGEVENT_UPDATE,
            _ => ADS_TRIGEVENT_DELETE,
        };
        let time = match trigger.time.as_str() {
            "BEFORE" => ADS_TRIGTYPE_BEFORE,
            "INSTEAD OF" => ADS_TRIGTYPE_INSTEADOF,
            "AFTER" => ADS_TRIGTYPE_AFTER,
            _ => ADS_TRIGTYPE_CONFLICTON,
        };
        Some((event, time, trigger.priority))
    }

    /// Its script, or a view's query.
    pub(crate) fn body(&self) -> &str {
        match &self.definition {
            StatementKind::CreateView(..) => self.text.split_once(" AS ").map_or("", |(_, query)| query.trim()),
            StatementKind::CreateModule(module) => {
                let span = module.body_span;
                self.text.get(span.start as usize..span.end as usize).unwrap_or("")
            }
            _ => "",
        }
    }

    /// The parameters that go in, and those that come out or the type that is returned.
    pub(crate) fn signature(&self) -> (String, String) {
        let Some(module) = self.module() else { return (String::new(), String::new()) };
        let shown = |output: bool| {
            let parameters = module.parameters.iter().filter(|parameter| parameter.output == output);
            let each =
                parameters.map(|parameter| format!("{},{}", parameter.name.text, type_text(&parameter.data_type)));
            each.collect::<Vec<_>>().join(";")
        };
        let output = match &module.kind {
            ModuleKind::Function(returns) => type_text(returns),
            _ => shown(true),
        };
        (shown(false), output)
    }
}

fn type_text(data_type: &mainstay_ads_syntax::tree::DataType) -> String {
    mainstay_ads_syntax::reduce::sql_type(data_type).map_or_else(String::new, mainstay_ads_types::convert::type_name)
}

/// The table of a trigger, as triggers are found by it.
pub(crate) fn table_key(table: &ObjectName) -> String {
    table_name(table)
}

/// The table part of a trigger's name: a table that is named by a path keeps the path.
fn table_key_of(table: &ObjectName) -> String {
    if table.last().contains(['/', '\\']) { table.last().to_owned() } else { table_key(table) }
}

/// A name that a file can have.
fn without_separators(name: &str) -> String {
    name.replace(['/', '\\'], "$")
}

/// The modules of a folder.
#[derive(Debug)]
pub(crate) struct Modules {
    files: Arc<dyn FileSystem>,
    folder: PathBuf,
    /// The dictionary that has them instead.
    pub(crate) dictionary: Option<Arc<Session>>,
    contents: Option<Arc<Contents>>,
    stamps: BTreeMap<PathBuf, Stamp>,
    stored: BTreeMap<(Kind, String), Arc<Stored>>,
    /// A number that changes when they do.
    pub(crate) version: u64,
}

impl Modules {
    /// Those of a dictionary, or else of the folder of these tables.
    pub(crate) fn of(files: &Arc<dyn FileSystem>, folder: &Path, dictionary: Option<Arc<Session>>) -> Modules {
        let (files, folder) = (Arc::clone(files), FOLDER.iter().fold(folder.to_owned(), |path, part| path.join(part)));
        let (stamps, stored) = (BTreeMap::new(), BTreeMap::new());
        Modules { files, folder, dictionary, contents: None, stamps, stored, version: 0 }
    }

    /// The contents of the dictionary, if there is one.
    pub(crate) fn contents(&self) -> Option<&Contents> {
        self.contents.as_deref()
    }

    /// The tables of the dictionary with their files.
    pub(crate) fn tables(&self) -> Vec<(String, PathBuf)> {
        match (&self.dictionary, &self.contents) {
            (Some(dictionary), Some(contents)) => crate::dictionary::tables(dictionary, contents),
            _ => Vec::new(),
        }
    }

    /// Reads what has changed.
    pub(crate) fn refresh(&mut self) {
        if let Some(dictionary) = &self.dictionary {
            // A dictionary that cannot be read now gives nothing new.
            let Ok(contents) = dictionary.live.contents() else { return };
            if self.contents.as_ref().is_some_and(|known| **known == *contents) {
                return;
            }
            let modules = crate::dictionary::modules(&contents).into_iter();
            self.stored = modules.map(|(key, stored)| (key, Arc::new(stored))).collect();
            self.contents = Some(contents);
            self.version += 1;
            return;
        }
        if !self.files.is_folder(&self.folder) {
            if !self.stored.is_empty() {
                self.stored.clear();
                self.stamps.clear();
                self.version += 1;
            }
            return;
        }
        let entries = self.files.list(&self.folder).unwrap_or_default();
        let stamps: BTreeMap<PathBuf, Stamp> = entries
            .into_iter()
            .filter(|entry| entry.path.extension().is_some_and(|extension| extension == "sql"))
            .filter_map(|entry| self.files.stamp(&entry.path).ok().map(|stamp| (entry.path, stamp)))
            .collect();
        if stamps == self.stamps {
            return;
        }
        self.stored.clear();
        for path in stamps.keys() {
            let Some((key, stored)) = read(&*self.files, path) else { continue };
            self.stored.insert(key, Arc::new(stored));
        }
        self.stamps = stamps;
        self.version += 1;
    }

    /// The module of this name.
    pub(crate) fn find(&self, kind: Kind, name: &str) -> Option<&Arc<Stored>> {
        self.stored.get(&(kind, name.to_lowercase()))
    }

    pub(crate) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Arc<Stored>> {
        self.stored.iter().filter(move |((known, _), _)| *known == kind).map(|(_, stored)| stored)
    }

    /// The triggers of a table for an event, in the order in which they fire. What tells the table is asked of the names
    /// that they have for it.
    pub(crate) fn triggers(&self, is_table: impl Fn(&ObjectName) -> bool, event: &str, time: &str) -> Vec<Arc<Stored>> {
        let mut found: Vec<(u32, Arc<Stored>)> = self
            .of_kind(Kind::Trigger)
            .filter_map(|stored| {
                let trigger = stored.trigger()?;
                let is_this = trigger.event == event && trigger.time == time && is_table(&trigger.table);
                is_this.then(|| (trigger.priority, Arc::clone(stored)))
            })
            .collect();
        found.sort_by_key(|(priority, _)| *priority);
        found.into_iter().map(|(_, stored)| stored).collect()
    }

    /// Makes a module, or replaces one.
    ///
    /// Errors: 2010 when there is one already and it is not to be replaced, or none that could be; those of the disk.
    pub(crate) fn create(&mut self, definition: &StatementKind, text: &str) -> Result<()> {
        let Some((kind, name, replaces)) = identity(definition) else {
            return Err(SqlError::unsupported("this definition"));
        };
        let key = name.to_lowercase();
        let exists = self.find(kind, &key).is_some();
        if exists != replaces {
            let is = if exists { "exists already" } else { "does not exist" };
            return Err(SqlError::new(EXISTS, format!("The {} {name} {is}", kind.word())));
        }
        if let Some(dictionary) = self.dictionary.clone() {
            let Some((_, stored)) = read_text(text.to_owned()) else { return Err(SqlError::unsupported("this")) };
            crate::dictionary::create(&dictionary, &stored, replaces)?;
            self.refresh();
            return Ok(());
        }
        let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ' ' | '-' | '#' | '$');
        if key.is_empty() || !key.chars().all(is_plain) || key.contains("..") {
            return Err(SqlError::new(native::EXPECTED, format!("{name} cannot be the name of an object")));
        }
        let failed = |error: mainstay_types::Error| -> Failed { of_core(&error) };
        let missing: Vec<&Path> = self.folder.ancestors().take_while(|folder| !self.files.is_folder(folder)).collect();
        for folder in missing.into_iter().rev() {
            self.files.create_folder(folder).map_err(failed)?;
        }
        let file = self.folder.join(format!("{}.{key}.sql", kind.word()));
        self.files.replace(&file, format!("{}\n", text.trim()).as_bytes()).map_err(failed)?;
        self.stamps.clear();
        self.refresh();
        Ok(())
    }

    /// Drops a module.
    ///
    /// Errors: 2122 when it does not exist; those of the disk.
    pub(crate) fn drop(&mut self, word: &str, name: &ObjectName) -> Result<()> {
        let text = name.parts.iter().map(|part| part.text.to_lowercase()).collect::<Vec<_>>().join(".");
        let text = without_separators(&text);
        let Some(kind) = Kind::of_word(word).filter(|kind| self.find(*kind, &text).is_some()) else {
            let text = format!("{} not found: {text}", word.to_lowercase());
            return Err(SqlError::at(native::TABLE, name.span, text));
        };
        if let (Some(dictionary), Some(stored)) = (self.dictionary.clone(), self.find(kind, &text).cloned()) {
            crate::dictionary::remove(&dictionary, &stored)?;
            self.refresh();
            return Ok(());
        }
        let file = self.folder.join(format!("{}.{text}.sql", kind.word()));
        self.files.remove(&file).map_err(|error| of_core(&error))?;
        self.stamps.clear();
        self.refresh();
        Ok(())
    }
}

/// Kind, name, and whether it replaces another.
fn identity(definition: &StatementKind) -> Option<(Kind, String, bool)> {
    let joined = |name: &ObjectName| name.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".");
    match definition {
        StatementKind::CreateView(name, _) => Some((Kind::View, joined(name), false)),
        StatementKind::CreateModule(module) => Some(match &module.kind {
            ModuleKind::Procedure(_) => (Kind::Procedure, joined(&module.name), module.alter),
            ModuleKind::Function(_) => (Kind::Function, joined(&module.name), module.alter),
            ModuleKind::Trigger(trigger) => {
                let name = format!("{}.{}", without_separators(&table_key_of(&trigger.table)), joined(&module.name));
                (Kind::Trigger, name, module.alter)
            }
        }),
        _ => None,
    }
}

fn read(files: &dyn FileSystem, path: &Path) -> Option<((Kind, String), Stored)> {
    let bytes = files.read(path).ok()?;
    read_text(String::from_utf8(bytes).ok()?)
}

/// A definition with what it is found by.
pub(crate) fn read_text(text: String) -> Option<((Kind, String), Stored)> {
    let mut parsed = mainstay_ads_syntax::parse(&text).ok()?;
    let definition = parsed.statements.pop()?.kind;
    let (kind, name, _) = identity(&definition)?;
    Some(((kind, name.to_lowercase()), Stored { name, text, definition }))
}
