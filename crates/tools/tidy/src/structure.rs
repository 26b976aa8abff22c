//! Limits of import cycles and of types, with the exceptions of ARCHITECTURE.md.
//!
//! A crate whose modules all import each other cannot be read in parts, and a type with hundreds of methods has no
//! single purpose. The block `structure` of the page lists each crate beyond the limits, with its numbers:
//!
//! ```text
//! core/planner: 47 modules, 15 folders, 36 methods
//! ```
//!
//! A crate may stay below its line, and the line is removed when the crate is within the limits.

use crate::dependencies::{PAGE, block};
use crate::imports::{folders, graphs, largest_cycle, product_code};
use crate::rust_text::RustText;
use crate::{Finding, Repository};
use std::collections::BTreeMap;

/// Numbers of a crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Modules in the largest import cycle.
    pub modules: usize,
    /// Outermost folders in the largest import cycle between them.
    pub folders: usize,
    /// Methods of the type that has most of them.
    pub methods: usize,
}

/// The numbers that every crate may have.
pub const LIMITS: Numbers = Numbers { modules: 12, folders: 4, methods: 60 };

impl std::fmt::Display for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} modules, {} folders, {} methods", self.modules, self.folders, self.methods)
    }
}

impl Numbers {
    fn is_within(self, other: Numbers) -> bool {
        self.modules <= other.modules && self.folders <= other.folders && self.methods <= other.methods
    }

    fn parse(text: &str) -> Option<Numbers> {
        let mut numbers = text.split(',').map(|part| part.trim().split(' ').next()?.parse().ok());
        Some(Numbers { modules: numbers.next()??, folders: numbers.next()??, methods: numbers.next()?? })
    }
}

/// The numbers of all crates, by their folders below `crates/`.
pub fn numbers(repository: &Repository) -> BTreeMap<String, Numbers> {
    let methods = most_methods(repository);
    let of = |(folder, graph): (String, _)| {
        let numbers = Numbers {
            modules: largest_cycle(&graph).len(),
            folders: largest_cycle(&folders(&graph)).len(),
            methods: methods.get(&folder).copied().unwrap_or_default(),
        };
        (folder, numbers)
    };
    graphs(repository).into_iter().map(of).collect()
}

/// All findings: crates beyond their line or the limits, and lines that are no longer needed.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let Some(page) = repository.text(PAGE) else { return Vec::new() };
    let mut listed: BTreeMap<&str, (usize, Option<Numbers>)> = BTreeMap::new();
    for (line, text) in block(page, "structure") {
        let (folder, numbers) = text.split_once(':').unwrap_or((text, ""));
        listed.insert(folder.trim(), (line, Numbers::parse(numbers)));
    }
    let mut findings = Vec::new();
    let numbers = numbers(repository);
    for (folder, (line, allowed)) in &listed {
        let reason = match (numbers.get(*folder), allowed) {
            (None, _) => format!("there is no crate `{folder}`"),
            (_, None) => "expected `FOLDER: N modules, N folders, N methods`".to_owned(),
            (Some(found), Some(_)) if found.is_within(LIMITS) => {
                format!("`{folder}` is within {LIMITS}: remove its line")
            }
            (Some(found), Some(allowed)) if !found.is_within(*allowed) => {
                format!("`{folder}` has grown to {found}: split what has grown, instead of raising the line")
            }
            _ => continue,
        };
        findings.push(Finding::new(PAGE, *line, reason));
    }
    let unlisted =
        numbers.iter().filter(|(folder, found)| !found.is_within(LIMITS) && !listed.contains_key(folder.as_str()));
    findings.extend(unlisted.map(|(folder, found)| {
        Finding::new(
            &format!("crates/{folder}"),
            1,
            format!("{found}, more than {LIMITS} (cycles of imports; methods of a type)"),
        )
    }));
    findings
}

/// The methods of the type with most of them, by crate. Implementations of traits count: they belong to the type, too.
fn most_methods(repository: &Repository) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for file in repository.rust_files() {
        let Some((folder, _)) = file.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) else {
            continue;
        };
        let rust = RustText { code: product_code(&file.text), comments: String::new() };
        for start in rust.code_words("impl") {
            let Some(block) = rust.block(start) else { continue };
            let text = &rust.code[block];
            if let Some(name) = inherent(text) {
                let functions = crate::rust_text::words(text, "fn").count();
                *counts.entry((folder.to_owned(), name)).or_default() += functions;
            }
        }
    }
    let mut most = BTreeMap::new();
    for ((folder, _), count) in counts {
        let known: &mut usize = most.entry(folder).or_default();
        *known = count.max(*known);
    }
    most
}

/// The type of an inherent `impl` block; none of a block for a trait, and of `impl Trait` in a signature.
fn inherent(block: &str) -> Option<String> {
    let head = block.strip_prefix("impl")?.split('{').next()?;
    let mut depth = 0;
    let mut plain = String::new();
    for character in head.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
    }
    let words: Vec<&str> = plain.split_whitespace().take_while(|word| *word != "where").collect();
    match words.as_slice() {
        [name] if name.chars().all(|c| c.is_alphanumeric() || c == '_') => Some((*name).to_owned()),
        _ => None,
    }
}
