//! `mainstay check` of Business BASIC programs: every error with its place, and how often each item that is not supported
//! occurs.
//!
//! A shop that migrates its programs runs this first: the counts show how much of the programs is supported before
//! anything runs. A program with errors can still run; a statement in error raises its error when it is reached.

use super::ENDINGS;
use crate::output::json;
use mainstay_basic_syntax::Diagnostic;
use mainstay_basic_syntax::inventory::priority;
use mainstay_types::Result;
use mainstay_vfs::FileSystem;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Folders inside each other that are searched for programs.
const DEEPEST: usize = 32;

/// A file whose name ends as those of programs do.
pub(crate) fn is_program(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// A program with its errors.
struct Checked {
    path: PathBuf,
    errors: Vec<Diagnostic>,
}

/// Occurrences of an item that is not supported.
#[derive(Default)]
struct Occurrences {
    times: usize,
    programs: usize,
    last: usize,
}

/// The programs that were checked.
#[derive(Default)]
pub(crate) struct Programs {
    checked: Vec<Checked>,
    folders: HashSet<PathBuf>,
}

impl Programs {
    /// Checks a program, or all programs of a folder and of the folders in it, except those whose names begin with a dot.
    ///
    /// Errors: those of reading; what was checked before stays.
    pub(crate) fn check(&mut self, files: &dyn FileSystem, path: &Path) -> Result<()> {
        if files.is_folder(path) {
            return self.check_folder(files, path, DEEPEST);
        }
        if !is_program(path) {
            return Ok(());
        }
        let source = files.read(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.checked.push(Checked { path: path.to_owned(), errors: mainstay_basic::check(&name, &source) });
        Ok(())
    }

    fn check_folder(&mut self, files: &dyn FileSystem, folder: &Path, depth: usize) -> Result<()> {
        // A link may lead back to a folder that was searched.
        let is_new = self.folders.insert(files.real_path(folder)?);
        if !is_new || depth == 0 {
            return Ok(());
        }
        let mut entries = files.list(folder)?;
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        for entry in entries {
            let is_hidden = entry.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            match entry.is_folder {
                true if !is_hidden => self.check_folder(files, &entry.path, depth - 1)?,
                false => self.check(files, &entry.path)?,
                true => {}
            }
        }
        Ok(())
    }

    /// How many programs there were.
    pub(crate) fn count(&self) -> usize {
        self.checked.len()
    }

    /// How many errors they have.
    pub(crate) fn errors(&self) -> usize {
        self.checked.iter().map(|program| program.errors.len()).sum()
    }

    /// The items that are not supported, the most frequent first.
    fn items(&self) -> Vec<(&str, Occurrences)> {
        let mut items: BTreeMap<&str, Occurrences> = BTreeMap::new();
        for (number, program) in self.checked.iter().enumerate() {
            for item in program.errors.iter().filter_map(Diagnostic::item) {
                let occurrences = items.entry(item).or_default();
                occurrences.times += 1;
                if occurrences.last != number + 1 {
                    occurrences.last = number + 1;
                    occurrences.programs += 1;
                }
            }
        }
        let mut items: Vec<_> = items.into_iter().collect();
        items.sort_by_key(|(_, occurrences)| std::cmp::Reverse(occurrences.times));
        items
    }

    /// Writes an error a line, then the counts.
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for Checked { path, errors } in &self.checked {
            for error in errors {
                let (line, column) = (error.place.line, error.place.column);
                let place = format!("{}:{line}:{column}, statement {:04}", path.display(), error.number);
                write!(out, "error: {place}: {} (error {})", error.message, error.code)?;
                writeln!(out, "{}", if error.hint.is_empty() { String::new() } else { format!("; {}", error.hint) })?;
            }
        }
        let items = self.items();
        if !items.is_empty() {
            writeln!(out, "\nitems that are not supported:\n\n  times  programs  priority  item")?;
        }
        for (item, Occurrences { times, programs, .. }) in items {
            let priority = priority(item).map_or("-".to_owned(), |priority| priority.to_string());
            writeln!(out, "  {times:>5}  {programs:>8}  {priority:>8}  {item}")?;
        }
        Ok(())
    }

    /// The members `programs` and `items` of a JSON object.
    pub(crate) fn json(&self) -> String {
        let programs = self.checked.iter().map(|program| {
            let errors = program.errors.iter().map(error_as_json);
            format!("{{\"path\":{},\"errors\":[{}]}}", quoted(&program.path.to_string_lossy()), joined(errors))
        });
        let items = self.items();
        let items = items.iter().map(|(item, Occurrences { times, programs, .. })| {
            let priority = priority(item).map_or("null".to_owned(), |priority| priority.to_string());
            let item = quoted(item);
            format!("{{\"item\":{item},\"times\":{times},\"programs\":{programs},\"priority\":{priority}}}")
        });
        format!("\"programs\":[{}],\"items\":[{}]", joined(programs), joined(items))
    }
}

fn error_as_json(error: &Diagnostic) -> String {
    let mut text = format!(
        "{{\"line\":{},\"column\":{},\"statement\":{},\"code\":{},\"message\":{}",
        error.place.line,
        error.place.column,
        error.number,
        error.code,
        quoted(&error.message),
    );
    for (name, value) in [("hint", Some(error.hint.as_str()).filter(|hint| !hint.is_empty())), ("item", error.item())] {
        // Writing to a string cannot fail.
        let _ = write!(text, ",\"{name}\":{}", value.map_or("null".to_owned(), quoted));
    }
    text + "}"
}

/// A text as JSON has it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::string(text, &mut out);
    out
}

/// Values of an array.
pub(crate) fn joined(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(",")
}
