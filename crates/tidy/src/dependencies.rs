//! Which crate knows which, held against the tables of ARCHITECTURE.md.
//!
//! The page has two fenced blocks that are read here, known by the word after their fence:
//!
//! ```text
//! ```layers                     ```dependencies
//! base                          base ->
//! vfs                           vfs -> base
//! external, xbase               xbase -> base, vfs
//! ```                           ```
//! ```
//!
//! The layers go from the lowest up. A crate depends on crates of lower layers only. The second block
//! lists every edge, so that a new one is a decision which somebody writes down, not an accident. Edges
//! that only tests need count too: what a crate's tests link is what they wait for.

use crate::{Finding, Repository, manifest};

/// The page with the tables.
pub const PAGE: &str = "ARCHITECTURE.md";
/// The lowest crate that may link DataFusion.
pub const DATAFUSION_FROM: &str = "datafusion";
/// What the name of every crate of ours starts with.
pub const PREFIX: &str = "mainstay-";

/// An edge as the manifests have it.
#[derive(Clone, Debug)]
struct Edge {
    from: String,
    to: String,
    path: String,
    line: usize,
}

/// A line of the page's list: a crate and what it depends on.
#[derive(Clone, Debug)]
struct Listed {
    from: String,
    to: Vec<String>,
    line: usize,
}

/// Everything that is wrong with the edges.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let Some(page) = repository.text(PAGE) else {
        return vec![Finding::new(PAGE, 1, "there is no such page")];
    };
    let crates = crates(repository);
    let edges = edges(repository);
    let (layers, listed) = (layers(page), listed(page));
    let mut findings = unknown_crates(page, &crates, &layers, &listed);
    findings.extend(unlisted(&edges, &listed));
    findings.extend(vanished(&edges, &listed));
    findings.extend(upward(&edges, &layers));
    findings.extend(datafusion(repository, &layers));
    findings
}

/// The lines of a fenced block, each with its number.
fn block<'t>(page: &'t str, name: &str) -> Vec<(usize, &'t str)> {
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

fn listed(page: &str) -> Vec<Listed> {
    let rows = block(page, "dependencies").into_iter();
    rows.map(|(line, text)| {
        let (from, to) = text.split_once("->").unwrap_or((text, ""));
        Listed { from: from.trim().to_owned(), to: names(to), line }
    })
    .collect()
}

/// The short names of the crates: their folders.
fn crates(repository: &Repository) -> Vec<String> {
    manifests(repository).map(|(name, _, _)| name).collect()
}

/// (crate, path, text) of each manifest.
fn manifests(repository: &Repository) -> impl Iterator<Item = (String, &str, &str)> {
    repository.texts.iter().filter_map(|file| {
        let name = file.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        (!name.contains('/')).then_some((name.to_owned(), file.path.as_str(), file.text.as_str()))
    })
}

fn edges(repository: &Repository) -> Vec<Edge> {
    let of_one = |(from, path, text): (String, &str, &str)| -> Vec<Edge> {
        let ours = manifest::dependencies(text).into_iter().filter_map(|(name, line)| {
            let to = name.strip_prefix(PREFIX)?.to_owned();
            Some(Edge { from: from.clone(), to, path: path.to_owned(), line })
        });
        ours.collect()
    };
    manifests(repository).flat_map(of_one).collect()
}

fn unknown_crates(page: &str, crates: &[String], layers: &[(usize, String, usize)], listed: &[Listed]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in crates {
        if !layers.iter().any(|(_, known, _)| known == name) {
            let line = block(page, "layers").first().map_or(1, |(line, _)| *line);
            findings.push(Finding::new(PAGE, line, format!("the crate `{name}` is in no layer")));
        }
        if !listed.iter().any(|row| row.from == *name) {
            let line = block(page, "dependencies").first().map_or(1, |(line, _)| *line);
            findings.push(Finding::new(PAGE, line, format!("the crate `{name}` is not in the list of dependencies")));
        }
    }
    let named = layers.iter().map(|(_, name, line)| (name, *line));
    let named = named
        .chain(listed.iter().flat_map(|row| std::iter::once(&row.from).chain(&row.to).map(|name| (name, row.line))));
    let unknown = named.filter(|(name, _)| !crates.contains(name));
    findings.extend(unknown.map(|(name, line)| Finding::new(PAGE, line, format!("there is no crate `{name}`"))));
    findings
}

/// Edges that the page does not list.
fn unlisted(edges: &[Edge], listed: &[Listed]) -> Vec<Finding> {
    let is_listed = |edge: &Edge| listed.iter().any(|row| row.from == edge.from && row.to.contains(&edge.to));
    let unlisted = edges.iter().filter(|edge| !is_listed(edge));
    unlisted
        .map(|edge| {
            let reason =
                format!("{PAGE} does not list `{} -> {}`: list it there, or do without it", edge.from, edge.to);
            Finding::new(&edge.path, edge.line, reason)
        })
        .collect()
}

/// Edges that only the page has.
fn vanished(edges: &[Edge], listed: &[Listed]) -> Vec<Finding> {
    let exists = |from: &str, to: &str| edges.iter().any(|edge| edge.from == from && edge.to == to);
    let mut findings = Vec::new();
    for row in listed {
        for to in row.to.iter().filter(|to| !exists(&row.from, to)) {
            findings.push(Finding::new(
                PAGE,
                row.line,
                format!("`{} -> {to}` is listed but no manifest has it", row.from),
            ));
        }
    }
    findings
}

/// Edges that do not lead down.
fn upward(edges: &[Edge], layers: &[(usize, String, usize)]) -> Vec<Finding> {
    let layer_of = |name: &str| layers.iter().find(|(_, known, _)| known == name).map(|(layer, _, _)| *layer);
    let is_upward =
        |edge: &&Edge| matches!((layer_of(&edge.from), layer_of(&edge.to)), (Some(from), Some(to)) if to >= from);
    let reason = |edge: &Edge| {
        format!("`{}` is not in a lower layer than `{}`: dependencies point down only", edge.to, edge.from)
    };
    edges.iter().filter(is_upward).map(|edge| Finding::new(&edge.path, edge.line, reason(edge))).collect()
}

/// DataFusion below the crate that hides it, where it would make every test wait for its build.
fn datafusion(repository: &Repository, layers: &[(usize, String, usize)]) -> Vec<Finding> {
    let layer_of = |name: &str| layers.iter().find(|(_, known, _)| known == name).map(|(layer, _, _)| *layer);
    let lowest = layer_of(DATAFUSION_FROM);
    let mut findings = Vec::new();
    for (name, path, text) in manifests(repository) {
        let is_below = name != DATAFUSION_FROM && layer_of(&name) <= lowest;
        for (dependency, line) in manifest::dependencies(text) {
            if is_below && dependency.starts_with("datafusion") {
                let reason = format!("`{name}` links {dependency}: only {DATAFUSION_FROM} and what is above it may");
                findings.push(Finding::new(path, line, reason));
            }
        }
    }
    findings
}
