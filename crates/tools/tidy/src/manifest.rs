//! The lines of a Cargo.toml, as far as the rules need them.
//!
//! Sections, keys and their lines; values stay text. The reader supports the form of this repository's manifests (and
//! `[dependencies.name]`), not all of TOML: no quoted keys, no text over several lines.

/// A line `key = value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The section, such as `package` or `target.'cfg(unix)'.dependencies`.
    pub section: String,
    /// The key up to its first dot: of `arrow.workspace` it is `arrow`.
    pub key: String,
    /// The key after its first dot; may be empty.
    pub subkey: String,
    /// The value as it stands there, all lines of it.
    pub value: String,
    /// Where it starts, from 1.
    pub line: usize,
}

/// The entries of a manifest.
pub fn entries(text: &str) -> Vec<Entry> {
    let mut section = String::new();
    let mut entries: Vec<Entry> = Vec::new();
    let mut open_brackets = 0_i32;
    for (index, line) in text.lines().enumerate() {
        let line = without_comment(line).trim();
        if open_brackets > 0 {
            if let Some(entry) = entries.last_mut() {
                entry.value.push_str(line);
            }
            open_brackets += brackets(line);
        } else if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').trim_start_matches('[').trim().to_owned();
        } else if let Some((key, value)) = line.split_once('=') {
            let (key, subkey) = key.trim().split_once('.').unwrap_or((key.trim(), ""));
            let (key, subkey, value) = (key.to_owned(), subkey.to_owned(), value.trim().to_owned());
            open_brackets = brackets(&value);
            entries.push(Entry { section: section.clone(), key, subkey, value, line: index + 1 });
        }
    }
    entries
}

/// A crate that a manifest depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The name of its package.
    pub name: String,
    /// The line of the manifest, from 1.
    pub line: usize,
    /// True if only tests, examples and benchmarks link it.
    pub is_for_tests: bool,
}

/// The crates that a manifest depends on, of any kind. A crate that both the product and its tests name is there once,
/// as the product's.
pub fn dependencies(text: &str) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    for entry in entries(text) {
        let section = entry.section.as_str();
        let is_for_tests = section.contains("dev-dependencies");
        let name = if section.ends_with("dependencies") && !section.starts_with("workspace") {
            renamed(&entry.value).unwrap_or(entry.key)
        } else if let Some((before, name)) = section.rsplit_once("dependencies.")
            && !before.starts_with("workspace")
        {
            name.to_owned()
        } else {
            continue;
        };
        match found.iter_mut().find(|known| known.name == name) {
            Some(known) => known.is_for_tests &= is_for_tests,
            None => found.push(Dependency { name, line: entry.line, is_for_tests }),
        }
    }
    found
}

/// The text in quotes.
pub fn unquoted(value: &str) -> &str {
    value.trim().trim_matches('"')
}

/// The name of the package, where the key is a name of this crate's own for it.
fn renamed(value: &str) -> Option<String> {
    let (_, after) = value.split_once("package")?;
    let name = after.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
    name.split('"').next().map(str::to_owned)
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, character) in line.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

fn brackets(text: &str) -> i32 {
    let count = |character: char| i32::try_from(text.matches(character).count()).unwrap_or(0);
    count('[') + count('{') - count(']') - count('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "\
[package]
name = \"mainstay-x\" # not # this
description = \"a # b\"
license.workspace = true

[dependencies]
arrow.workspace = true
short = { package = \"datafusion-long\", version = \"1\" }
several = { version = \"1\", features = [
    \"not_a_key = 1\",
] }

[target.'cfg(unix)'.dependencies]
rustix = \"1\"

[dev-dependencies.tempfile]
version = \"3\"
features = []

[workspace.dependencies]
not_ours = \"1\"
";

    #[test]
    fn keys_have_sections_and_lines() {
        let entries = entries(MANIFEST);
        let found = entries.iter().find(|entry| entry.key == "license").expect("a licence");
        assert_eq!((found.section.as_str(), found.subkey.as_str(), found.line), ("package", "workspace", 4));
        assert_eq!(unquoted(&entries[1].value), "a # b");
    }

    #[test]
    fn dependencies_of_every_kind_are_found() {
        let found: Vec<(String, usize, bool)> = dependencies(MANIFEST)
            .into_iter()
            .map(|Dependency { name, line, is_for_tests }| (name, line, is_for_tests))
            .collect();
        let expected = [
            ("arrow", 7, false),
            ("datafusion-long", 8, false),
            ("several", 9, false),
            ("rustix", 14, false),
            ("tempfile", 17, true),
        ];
        assert_eq!(found, expected.map(|(name, line, is_for_tests)| (name.to_owned(), line, is_for_tests)));
    }
}
