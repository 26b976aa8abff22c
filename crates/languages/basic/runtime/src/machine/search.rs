//! Search rules: where files and programs are looked for, and where files are created.
//!
//! ```text
//!   name  --PREFIX FILE-->  another name  --rules-->  candidates, in order  --PREFIX DIRECTORY, CWDIR-->  names of the volume
//!
//!   files      'CD': the current folder;                    PREFIX 0 to 34; PREFIX PROGRAM; else the current folder
//!   programs   'CD': the current folder; PREFIX PROGRAM;    PREFIX 0 to 34;                 else the current folder
//! ```
//!
//! A location of a rule is put before the name. Its `=` are characters of the name, a `*` in its last part is the name itself, and
//! `**` the name if it has no extension. Names that begin with `/`, `\`, `*` or `[` are not searched for. Source: the manual's
//! page PREFIX.

use super::Machine;
use super::channels::file_fault;
use crate::fault::{Fault, Outcome, fail};
use mainstay_basic_files::{OpenMode, OpenOptions, Place, ReadOptions};
use std::collections::BTreeMap;

/// The search rules of a session.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// PREFIX(n).
    pub entries: BTreeMap<i64, Vec<u8>>,
    /// Entries that DISABLE has switched off.
    pub disabled: Vec<i64>,
    /// PREFIX PROGRAM.
    pub program: Vec<u8>,
    /// PREFIX FILE.
    pub file: Vec<u8>,
    /// PREFIX DIRECTORY: virtual folders.
    pub folders: Vec<(String, String)>,
    /// CWDIR: the current folder below the volume's, empty or with a `/` at its end.
    pub folder: String,
}

impl Rules {
    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        let entries: usize = self.entries.values().map(Vec::capacity).sum();
        let folders: usize = self.folders.iter().map(|(name, folder)| name.len() + folder.len() + 64).sum();
        entries + folders + self.program.capacity() + self.file.capacity() + self.disabled.len() * 8
    }
}

/// The entry of PREFIX FILE for a name.
#[derive(Debug, Default)]
pub(super) struct Translation {
    /// The name to look for.
    pub name: String,
    /// Further options of OPEN.
    pub options: String,
    /// The IOLIST for IOL=*.
    pub list: Vec<u8>,
}

/// The parts of a rule: separated by blanks, with quotes around those that have blanks.
fn locations(rules: &[u8]) -> Vec<String> {
    let text = mainstay_code_page::decode(rules).into_owned();
    let (mut out, mut part, mut quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            letter if letter.is_whitespace() && !quoted => {
                if !part.is_empty() {
                    out.push(std::mem::take(&mut part));
                }
            }
            letter => part.push(letter),
        }
    }
    if !part.is_empty() {
        out.push(part);
    }
    out
}

/// The names that a location makes of a name.
fn at_location(location: &str, name: &str) -> Vec<String> {
    let mut letters = name.chars();
    let filled: String =
        location.chars().map(|letter| if letter == '=' { letters.next().unwrap_or('_') } else { letter }).collect();
    let Some(star) = filled.find('*') else { return vec![format!("{filled}{name}")] };
    let (folder, pattern) = filled.split_at(star);
    let plain = format!("{folder}{name}");
    match pattern.strip_prefix("**") {
        Some(_) if name.contains('.') => vec![plain],
        Some(ending) => vec![format!("{plain}{ending}"), plain],
        None => vec![format!("{plain}{}", &pattern[1..]), plain],
    }
}

/// A name that stands for itself.
fn is_absolute(name: &str) -> bool {
    name.starts_with(['/', '\\', '*', '['])
}

impl Machine {
    /// The names that a program may have.
    pub(super) fn program_candidates(&self, name: &str) -> Vec<String> {
        self.candidates(name, true)
    }

    /// The names that a file may have.
    pub(super) fn file_candidates(&self, name: &str) -> Vec<String> {
        self.candidates(name, false)
    }

    fn candidates(&self, name: &str, is_program: bool) -> Vec<String> {
        if is_absolute(name) {
            return vec![self.in_folder(name)];
        }
        let mut names = Vec::new();
        let entries: Vec<String> = self
            .rules
            .entries
            .iter()
            .filter(|(number, _)| !self.rules.disabled.contains(number))
            .flat_map(|(_, rules)| locations(rules))
            .collect();
        let programs = locations(&self.rules.program);
        let (first, second) = if is_program { (programs, entries) } else { (entries, programs) };
        for location in first.iter().chain(&second) {
            names.extend(at_location(location, name));
        }
        let at = if self.parameters.get("CD") == 0 { names.len() } else { 0 };
        names.insert(at, name.to_owned());
        names.iter().map(|name| self.in_folder(name)).collect()
    }

    /// A name with virtual folders replaced, below the current folder.
    fn in_folder(&self, name: &str) -> String {
        for (virtual_folder, folder) in &self.rules.folders {
            let ending = virtual_folder.strip_prefix("*/");
            let (head, rest) = name.rsplit_once(['/', '\\']).unwrap_or(("", name));
            if ending.is_some_and(|ending| head.ends_with(ending)) || head.eq_ignore_ascii_case(virtual_folder) {
                return format!("{}/{rest}", folder.trim_end_matches(['/', '\\']));
            }
        }
        match is_absolute(name) {
            true => name.to_owned(),
            false => format!("{}{name}", self.rules.folder),
        }
    }

    /// The name of a file that exists. Error 12 if none of its candidates does.
    pub(crate) fn existing_name(&mut self, name: &str) -> Outcome<String> {
        let name = self.translated(name)?.name;
        let candidates = self.file_candidates(&name);
        for candidate in &candidates {
            if candidates.len() == 1 || self.volume.kind(candidate).map_err(file_fault)?.is_some() {
                return Ok(candidate.clone());
            }
        }
        fail(12, name)
    }

    /// The name of a file to create: the first place that the rules allow.
    pub(super) fn new_name(&mut self, name: &str) -> Outcome<String> {
        let name = self.translated(name)?.name;
        Ok(self.file_candidates(&name).into_iter().next().unwrap_or(name))
    }

    /// Looks a name up in the file of PREFIX FILE.
    pub(super) fn translated(&mut self, name: &str) -> Outcome<Translation> {
        let mut translation = Translation { name: name.to_owned(), ..Translation::default() };
        if self.rules.file.is_empty() || is_absolute(name) {
            return Ok(translation);
        }
        let file = mainstay_code_page::decode(&self.rules.file).into_owned();
        let options = OpenOptions::new(self.session, OpenMode::Input);
        let mut file = self.volume.open(&file, &options).map_err(file_fault)?;
        let record = match file.read(Place::Key(&mainstay_code_page::encode(name)), &ReadOptions::default()) {
            Ok(record) => record.to_vec(),
            Err(error) if matches!(error.number(), 2 | 11) => return Ok(translation),
            Err(error) => return Err(file_fault(error)),
        };
        let separator = file.definition().separator;
        // With a key in the record, that is the first field.
        let skip = usize::from(file.definition().keys.external_length().is_none());
        let mut fields = record.split(|byte| *byte == separator).skip(skip);
        let path = fields.next().unwrap_or_default();
        if !path.is_empty() {
            translation.name = mainstay_code_page::decode(path).into_owned();
        }
        translation.options = mainstay_code_page::decode(fields.next().unwrap_or_default()).into_owned();
        translation.list = fields.next().unwrap_or_default().to_vec();
        Ok(translation)
    }

    /// PREFIX FILE. Error 17 for a file that is not keyed, with records of any length.
    pub(super) fn set_prefix_file(&mut self, name: &[u8]) -> Outcome<()> {
        if name.is_empty() {
            self.rules.file.clear();
            return Ok(());
        }
        let text = mainstay_code_page::decode(name).into_owned();
        self.rules.file.clear();
        let path = self.existing_name(&text)?;
        let options = OpenOptions::new(self.session, OpenMode::Input);
        let file = self.volume.open(&path, &options).map_err(file_fault)?;
        let definition = file.definition();
        let is_variable = matches!(definition.format, mainstay_basic_files::RecordFormat::Variable(_));
        if !definition.kind.has_keys() || !is_variable {
            return fail(17, text);
        }
        self.rules.file = mainstay_code_page::encode(&path).into_owned();
        Ok(())
    }

    /// CWDIR: a folder relative to the current one, or with `/` before it to the volume's. Error 12 for none, 10 for one outside.
    pub(crate) fn change_folder(&mut self, folder: &str) -> Outcome<()> {
        let mut parts: Vec<&str> = match folder.starts_with(['/', '\\']) {
            true => Vec::new(),
            false => self.rules.folder.split('/').filter(|part| !part.is_empty()).collect(),
        };
        for part in folder.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop().ok_or_else(|| Fault::with(10, folder))?),
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        self.volume.list(&path).map_err(file_fault)?;
        self.rules.folder = if path.is_empty() { path } else { format!("{path}/") };
        Ok(())
    }

    /// LWD: the current folder.
    pub(crate) fn current_folder(&self) -> String {
        format!("/{}", self.rules.folder.trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_parts_with_quotes() {
        assert_eq!(locations(b"a/ \"b c/\"  d/"), ["a/", "b c/", "d/"]);
    }

    #[test]
    fn locations_make_names() {
        // The manual's examples of equals signs and asterisks.
        assert_eq!(at_location("myapp/==/", "arhist"), ["myapp/ar/arhist"]);
        assert_eq!(at_location("d/*.PRG", "FOO"), ["d/FOO.PRG", "d/FOO"]);
        assert_eq!(at_location("d/**.PRG", "FOO"), ["d/FOO.PRG", "d/FOO"]);
        assert_eq!(at_location("d/**.PRG", "MY.DAT"), ["d/MY.DAT"]);
    }
}
