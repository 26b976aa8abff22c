//! Links and paths in the documentation, which must exist.
//!
//! Two kinds of references are checked, on every page of the repository:
//!
//! - links to files: `](path)` and `](path#heading)`, from the folder of the page; the heading must
//!   exist too when the file is a page;
//! - tests: `tests/dbf_text.rs::a_test` or `crates/storage/xbase/src/memo.rs::a_test`. The path is meant from the
//!   root or from the folder of any crate; `.rs` may be left out. The function must be in that file.
//!
//! Text in fenced blocks is an example and is not checked. Addresses of other sites are not fetched.

use crate::{Finding, Repository, TextFile};

/// Everything that points at nothing.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in repository.pages() {
        for (line, text) in prose(&page.text) {
            let wrong = links(text).filter_map(|target| broken_link(repository, page, target));
            let missing = named_tests(text).filter_map(|name| missing_test(repository, name));
            findings.extend(wrong.chain(missing).map(|reason| Finding::new(&page.path, line, reason)));
        }
    }
    findings
}

/// The lines outside of fenced blocks, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        if !fenced && !is_fence {
            lines.push((index + 1, line));
        }
    }
    lines
}

/// The targets of links.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next())
}

/// Why a link leads nowhere.
fn broken_link(repository: &Repository, page: &TextFile, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { page.path.clone() } else { joined(&page.path, file) };
    if !repository.has(&path) {
        return Some(format!("the link leads to {path}, which does not exist"));
    }
    let text = repository.text(&path).filter(|_| path.ends_with(".md") && !heading.is_empty())?;
    let known = prose(text).into_iter().any(|(_, line)| line.starts_with('#') && anchor(line) == heading);
    (!known).then(|| format!("{path} has no heading for #{heading}"))
}

/// A path that is meant from the folder of a page, from the root.
fn joined(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// How a site for sources names a heading in an address: small letters, without punctuation, dashes for blanks.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Words such as `tests/file.rs::name`.
fn named_tests(line: &str) -> impl Iterator<Item = &str> {
    let belongs = |c: char| c.is_alphanumeric() || "_/.:-".contains(c);
    let words = line.split(move |c: char| !belongs(c)).map(|word| word.trim_matches([':', '.', '-', '/']));
    words.filter(|word| {
        let path = word.split("::").next().unwrap_or_default();
        word.contains("::") && path.contains('/') && !word.contains("://")
    })
}

/// Why a named test is not there.
fn missing_test(repository: &Repository, word: &str) -> Option<String> {
    let (path, name) = word.split_once("::")?;
    let name = name.rsplit("::").next()?;
    let candidates = [path.to_owned(), format!("{path}.rs"), format!("{path}.py")];
    let is_meant = |file: &&TextFile| {
        candidates.iter().any(|path| {
            // A path from the folder of a crate, of any crate.
            let in_crate = file.path.starts_with("crates/") && file.path.ends_with(&format!("/{path}"));
            file.path == *path || in_crate
        })
    };
    let files: Vec<&TextFile> = repository.texts.iter().filter(is_meant).collect();
    if files.is_empty() {
        return Some(format!("`{word}`: there is no file {path}"));
    }
    let defines =
        |file: &&TextFile| ["fn", "def"].iter().any(|keyword| file.text.contains(&format!("{keyword} {name}(")));
    (!files.iter().any(defines)).then(|| format!("`{word}`: {path} has no test `{name}`"))
}
