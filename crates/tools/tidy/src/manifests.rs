//! Descriptions and licences of the crates.

use crate::{Finding, Repository, manifest};

/// Descriptions shorter than this say nothing.
const DESCRIPTION_LENGTH: usize = 20;

/// Everything that is wrong with the manifests.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let is_crate = |path: &str| path.starts_with("crates/") && path.ends_with("/Cargo.toml");
    repository
        .texts
        .iter()
        .filter(|file| is_crate(&file.path))
        .flat_map(|file| check_one(&file.path, &file.text))
        .collect()
}

fn check_one(path: &str, text: &str) -> Vec<Finding> {
    let entries = manifest::entries(text);
    let find = |key: &str| entries.iter().find(|entry| entry.section == "package" && entry.key == key);
    let mut findings = Vec::new();
    match find("description") {
        Some(entry) if manifest::unquoted(&entry.value).len() >= DESCRIPTION_LENGTH => {}
        Some(entry) => {
            findings.push(Finding::new(path, entry.line, "the description does not say what the crate is for"))
        }
        None => findings.push(Finding::new(path, 1, "there is no description")),
    }
    for key in ["license", "edition", "rust-version", "version"] {
        let entry = find(key);
        if !entry.is_some_and(|entry| entry.subkey == "workspace" && entry.value == "true") {
            let line = entry.map_or(1, |entry| entry.line);
            findings.push(Finding::new(
                path,
                line,
                format!("`{key}` is not the workspace's: write {key}.workspace = true"),
            ));
        }
    }
    let takes_lints =
        entries.iter().any(|entry| entry.section == "lints" && entry.key == "workspace" && entry.value == "true");
    if !takes_lints {
        findings.push(Finding::new(path, 1, "does not take the workspace's lints: write [lints] workspace = true"));
    }
    findings
}
