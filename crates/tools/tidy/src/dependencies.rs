//! Edges between the crates, compared with the tables of ARCHITECTURE.md.
//!
//! The rules read fenced blocks of the page, by the word after their fence:
//!
//! | block | a line of it |
//! |---|---|
//! | `layers` | the crates of one layer, from the lowest layer up |
//! | `groups` | a folder below `crates/` and the folders that its crates may depend on |
//! | `exceptions` | existing edges that break the rule of the groups |
//! | `dependencies` | a crate and the crates that its product links |
//! | `test-dependencies` | a crate and the further crates that its tests link |
//!
//! A crate depends on crates of lower layers only. A language never links a door or another language, a door never
//! links a language, the core and storage link neither: the groups define this rule, and each older edge is listed in
//! the exceptions until it is removed. Every edge is listed, so that a new one is a written decision, not an accident.

use crate::manifest::{self, Dependency};
use crate::{Finding, Repository};

/// The page with the tables.
pub const PAGE: &str = "ARCHITECTURE.md";
/// The lowest crate that may link DataFusion.
pub const DATAFUSION_FROM: &str = "datafusion";
/// The start of the name of every crate of ours.
pub const PREFIX: &str = "mainstay-";

/// A crate of the workspace.
#[derive(Clone, Debug)]
struct Crate<'r> {
    /// Its package's name without the prefix.
    name: String,
    /// The folder below `crates/` that it is in.
    group: &'r str,
    path: &'r str,
    text: &'r str,
}

/// An edge as the manifests have it.
#[derive(Clone, Debug)]
struct Edge<'r> {
    from: Crate<'r>,
    to: String,
    is_for_tests: bool,
    line: usize,
}

/// A line of a block `from -> to, to`.
#[derive(Clone, Debug)]
struct Listed {
    from: String,
    to: Vec<String>,
    line: usize,
}

/// All findings about the edges.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let Some(page) = repository.text(PAGE) else {
        return vec![Finding::new(PAGE, 1, "there is no such page")];
    };
    let crates = crates(repository);
    let edges = edges(&crates);
    let layers = layers(page);
    let product: Vec<&Edge> = edges.iter().filter(|edge| !edge.is_for_tests).collect();
    let tests: Vec<&Edge> = edges.iter().filter(|edge| edge.is_for_tests).collect();
    let mut findings = unknown_crates(page, &crates, &layers);
    findings.extend(compared(&product, page, "dependencies"));
    findings.extend(compared(&tests, page, "test-dependencies"));
    findings.extend(upward(&edges, &layers));
    findings.extend(across_groups(&product, &crates, page));
    findings.extend(datafusion(&crates, &layers));
    findings
}

/// The lines of a fenced block, each with its number.
pub(crate) fn block<'t>(page: &'t str, name: &str) -> Vec<(usize, &'t str)> {
    let numbered = page.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let after = numbered.skip_while(|(_, line)| line.strip_prefix("```") != Some(name)).skip(1);
    after.take_while(|(_, line)| *line != "```").filter(|(_, line)| !line.is_empty()).collect()
}

fn names(text: &str) -> Vec<String> {
    text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// (layer from 0, crate, line of the page).
fn layers(page: &str) -> Vec<(usize, String, usize)> {
    let rows = block(page, "layers").into_iter().enumerate();
    rows.flat_map(|(layer, (line, text))| names(text).into_iter().map(move |name| (layer, name, line))).collect()
}

fn listed(page: &str, name: &str) -> Vec<Listed> {
    let rows = block(page, name).into_iter();
    rows.map(|(line, text)| {
        let (from, to) = text.split_once("->").unwrap_or((text, ""));
        Listed { from: from.trim().to_owned(), to: names(to), line }
    })
    .collect()
}

fn crates(repository: &Repository) -> Vec<Crate<'_>> {
    repository.texts.iter().filter_map(|file| crate_of(&file.path, &file.text)).collect()
}

/// The crate of a manifest. One without a package (an invented one) is known by its folder.
fn crate_of<'r>(path: &'r str, text: &'r str) -> Option<Crate<'r>> {
    let folder = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
    let group = folder.split('/').next()?;
    let entries = manifest::entries(text);
    let package = entries.iter().find(|entry| entry.section == "package" && entry.key == "name");
    let name = package.map(|entry| manifest::unquoted(&entry.value).trim_start_matches(PREFIX).to_owned());
    let name = name.unwrap_or_else(|| folder.rsplit('/').next().unwrap_or(folder).to_owned());
    Some(Crate { name, group, path, text })
}

fn edges<'r>(crates: &[Crate<'r>]) -> Vec<Edge<'r>> {
    let of_one = |from: &Crate<'r>| -> Vec<Edge<'r>> {
        let ours =
            manifest::dependencies(from.text).into_iter().filter_map(|Dependency { name, line, is_for_tests }| {
                let to = name.strip_prefix(PREFIX)?.to_owned();
                Some(Edge { from: from.clone(), to, is_for_tests, line })
            });
        ours.collect()
    };
    crates.iter().flat_map(of_one).collect()
}

fn unknown_crates(page: &str, crates: &[Crate], layers: &[(usize, String, usize)]) -> Vec<Finding> {
    let product = listed(page, "dependencies");
    let missing = |block_name: &str, reason: String| {
        let line = block(page, block_name).first().map_or(1, |(line, _)| *line);
        Finding::new(PAGE, line, reason)
    };
    let mut findings = Vec::new();
    for Crate { name, .. } in crates {
        if !layers.iter().any(|(_, known, _)| known == name) {
            findings.push(missing("layers", format!("the crate `{name}` is in no layer")));
        }
        if !product.iter().any(|row| row.from == *name) {
            findings.push(missing("dependencies", format!("the crate `{name}` is not in the list of dependencies")));
        }
    }
    let rows = ["dependencies", "test-dependencies", "exceptions"].into_iter().flat_map(|name| listed(page, name));
    let in_rows = rows.flat_map(|row| std::iter::once(row.from).chain(row.to).map(move |name| (name, row.line)));
    let named: Vec<(String, usize)> =
        layers.iter().map(|(_, name, line)| (name.clone(), *line)).chain(in_rows).collect();
    let unknown = named.into_iter().filter(|(name, _)| !crates.iter().any(|known| known.name == *name));
    findings.extend(unknown.map(|(name, line)| Finding::new(PAGE, line, format!("there is no crate `{name}`"))));
    findings
}

/// Edges that a block lacks, and lines of it that no manifest has.
fn compared(edges: &[&Edge], page: &str, block_name: &str) -> Vec<Finding> {
    let listed = listed(page, block_name);
    let is_listed = |edge: &Edge| listed.iter().any(|row| row.from == edge.from.name && row.to.contains(&edge.to));
    let unlisted = edges.iter().filter(|edge| !is_listed(edge)).map(|edge| {
        let (from, to) = (&edge.from.name, &edge.to);
        let reason = format!("{PAGE} does not list `{from} -> {to}` in {block_name}: list it there, or do without it");
        Finding::new(edge.from.path, edge.line, reason)
    });
    let exists = |from: &str, to: &str| edges.iter().any(|edge| edge.from.name == from && edge.to == to);
    let vanished = listed.iter().flat_map(|row| {
        let gone = row.to.iter().filter(|to| !exists(&row.from, to));
        gone.map(|to| {
            let reason = format!("`{} -> {to}` is listed in {block_name} but no manifest has it", row.from);
            Finding::new(PAGE, row.line, reason)
        })
    });
    unlisted.chain(vanished).collect()
}

/// Edges that do not lead down.
fn upward(edges: &[Edge], layers: &[(usize, String, usize)]) -> Vec<Finding> {
    let layer_of = |name: &str| layers.iter().find(|(_, known, _)| known == name).map(|(layer, _, _)| *layer);
    let is_upward =
        |edge: &&Edge| matches!((layer_of(&edge.from.name), layer_of(&edge.to)), (Some(from), Some(to)) if to >= from);
    let reason = |edge: &Edge| {
        format!("`{}` is not in a lower layer than `{}`: dependencies point down only", edge.to, edge.from.name)
    };
    edges.iter().filter(is_upward).map(|edge| Finding::new(edge.from.path, edge.line, reason(edge))).collect()
}

/// Edges between groups that the page forbids, and exceptions that are not needed any more.
///
/// A group of `languages` is one language: its folder below `languages`, unless the crate stands there itself (the virtual
/// machine), which every language may link.
fn across_groups(edges: &[&Edge], crates: &[Crate], page: &str) -> Vec<Finding> {
    let rules = listed(page, "groups");
    let exceptions = listed(page, "exceptions");
    let is_allowed = |from: &Crate, to: &Crate| {
        let rule = rules.iter().find(|row| row.from == from.group);
        let groups_allow = from.group == to.group || rule.is_some_and(|row| row.to.iter().any(|name| name == to.group));
        let (one, other) = (language(from.path), language(to.path));
        groups_allow && (one.is_none() || other.is_none() || one == other)
    };
    let forbidden: Vec<(&Edge, &Crate)> = edges
        .iter()
        .filter_map(|edge| Some((*edge, crates.iter().find(|known| known.name == edge.to)?)))
        .filter(|(edge, to)| !is_allowed(&edge.from, to))
        .collect();
    let is_excepted =
        |edge: &Edge| exceptions.iter().any(|row| row.from == edge.from.name && row.to.contains(&edge.to));
    let new = forbidden.iter().filter(|(edge, _)| !is_excepted(edge)).map(|(edge, to)| {
        let reason =
            format!("{PAGE} does not allow `{}` to depend on `{}`, which is in {}", edge.from.name, to.name, to.group);
        Finding::new(edge.from.path, edge.line, reason)
    });
    let stale = exceptions.iter().flat_map(|row| {
        let is_needed = |to: &&String| forbidden.iter().any(|(edge, _)| edge.from.name == row.from && edge.to == **to);
        row.to.iter().filter(move |to| !is_needed(to)).map(|to| {
            Finding::new(PAGE, row.line, format!("the exception `{} -> {to}` is not needed any more", row.from))
        })
    });
    new.chain(stale).collect()
}

/// The language that a crate belongs to: `tsql` for `crates/languages/tsql/types/Cargo.toml`.
fn language(path: &str) -> Option<&str> {
    let below = path.strip_prefix("crates/languages/")?.strip_suffix("/Cargo.toml")?;
    below.split_once('/').map(|(language, _)| language)
}

/// DataFusion below the crate that hides it, where it would make every test wait for its build.
fn datafusion(crates: &[Crate], layers: &[(usize, String, usize)]) -> Vec<Finding> {
    let layer_of = |name: &str| layers.iter().find(|(_, known, _)| known == name).map(|(layer, _, _)| *layer);
    let lowest = layer_of(DATAFUSION_FROM);
    let mut findings = Vec::new();
    for Crate { name, path, text, .. } in crates {
        let is_below = name != DATAFUSION_FROM && layer_of(name) <= lowest;
        for dependency in manifest::dependencies(text) {
            if is_below && dependency.name.starts_with("datafusion") {
                let reason =
                    format!("`{name}` links {}: only {DATAFUSION_FROM} and the layers above it may", dependency.name);
                findings.push(Finding::new(path, dependency.line, reason));
            }
        }
    }
    findings
}
