//! The modules of a crate and their imports of each other.
//!
//! A module is a file of the crate's `src`. Its edges are the paths in it that begin with `crate`, `super` or `self`, in
//! `use` items and elsewhere, as far as they lead to another file. The root of the crate and the items that only tests see
//! are left out: everything may name the root's types, and a test may name anything.

use crate::rust_text::RustText;
use crate::{Repository, TextFile};
use std::collections::{BTreeMap, BTreeSet};

/// The path of a module inside of its crate: `["plan", "bounds"]`; empty for the root.
pub type Module = Vec<String>;

/// Which modules a module imports from.
pub type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The import graphs of all crates, by the folder of each crate below `crates/`.
pub fn graphs(repository: &Repository) -> BTreeMap<String, Graph> {
    let mut files: BTreeMap<String, BTreeMap<Module, &TextFile>> = BTreeMap::new();
    for file in repository.rust_files() {
        if let Some((folder, module)) = place(&file.path) {
            files.entry(folder).or_default().insert(module, file);
        }
    }
    files.into_iter().map(|(folder, modules)| (folder, graph(&modules))).collect()
}

/// The crate's folder and the module of a source file.
fn place(path: &str) -> Option<(String, Module)> {
    let (folder, file) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let parts = file.strip_suffix(".rs")?.split('/').map(str::to_owned);
    let module = parts.filter(|part| !matches!(part.as_str(), "mod" | "lib" | "main")).collect();
    Some((folder.to_owned(), module))
}

fn graph(files: &BTreeMap<Module, &TextFile>) -> Graph {
    let edges = |(module, file): (&Module, &&TextFile)| {
        let paths = paths(&product_code(&file.text));
        let targets = paths.iter().filter_map(|path| target(module, path, files));
        (module.clone(), targets.filter(|to| to != module && !to.is_empty()).collect())
    };
    files.iter().filter(|(module, _)| !module.is_empty()).map(edges).collect()
}

/// The code of a file without its tests, comments and literals.
pub fn product_code(text: &str) -> String {
    let rust = RustText::new(text);
    let mut code = rust.code.clone();
    for block in rust.test_blocks() {
        code.replace_range(block.clone(), &" ".repeat(block.len()));
    }
    code
}

/// The module that a path leads to, seen from a module.
fn target(from: &Module, path: &[String], files: &BTreeMap<Module, &TextFile>) -> Option<Module> {
    let (first, mut rest) = path.split_first()?;
    let mut at = match first.as_str() {
        "crate" => Module::new(),
        "self" => from.clone(),
        "super" => from[..from.len().checked_sub(1)?].to_vec(),
        _ => return None,
    };
    while let Some((part, further)) = rest.split_first().filter(|(part, _)| *part == "super") {
        let _ = part;
        at.pop();
        rest = further;
    }
    for part in rest {
        at.push(part.clone());
        if !files.contains_key(&at) {
            at.pop();
            break;
        }
    }
    Some(at)
}

/// All paths in a text that begin inside of the crate; the trees of `use` items are taken apart.
fn paths(code: &str) -> Vec<Vec<String>> {
    let starts = |word: &'static str| crate::rust_text::words(code, word);
    let mut found = Vec::new();
    for start in starts("crate").chain(starts("super")).chain(starts("self")) {
        tree(&code[start..], &mut Vec::new(), &mut found);
    }
    found
}

/// Reads one tree of a path: `a::b::{c, d::e}`. Gives the number of bytes that it took.
fn tree(text: &str, before: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let depth = before.len();
    let mut at = 0;
    loop {
        at += blanks(&text[at..]);
        let word = text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').count();
        if word == 0 {
            break;
        }
        before.push(text[at..at + word].to_owned());
        at += word;
        at += blanks(&text[at..]);
        if !text[at..].starts_with("::") {
            break;
        }
        at += 2;
        at += blanks(&text[at..]);
        if text[at..].starts_with('{') {
            at += 1;
            while at < text.len() && !text[at..].starts_with('}') {
                let read = tree(&text[at..], before, found);
                // A comma, an `as`, a `*`: nothing that a path begins with.
                at += read.max(text[at..].chars().next().map_or(1, char::len_utf8));
            }
            before.truncate(depth);
            return at + 1;
        }
    }
    if before.len() > depth {
        found.push(before.clone());
    }
    before.truncate(depth);
    at
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The same graph of the outermost folders and files of a crate.
pub fn folders(graph: &Graph) -> Graph {
    let mut outer = Graph::new();
    for (from, targets) in graph {
        let entry = outer.entry(from[..1].to_vec()).or_default();
        entry.extend(targets.iter().map(|to| to[..1].to_vec()).filter(|to| to[..] != from[..1]));
    }
    outer
}

/// The largest set of modules each of which reaches all others: the largest cycle.
pub fn largest_cycle(graph: &Graph) -> Vec<Module> {
    let reach: BTreeMap<&Module, BTreeSet<&Module>> =
        graph.keys().map(|module| (module, reachable(graph, module))).collect();
    let together = |module: &Module| -> Vec<Module> {
        let back = |other: &&&Module| reach.get(**other).is_some_and(|reached| reached.contains(module));
        reach.get(module).into_iter().flatten().filter(back).map(|other| (*other).clone()).collect()
    };
    graph.keys().map(together).max_by_key(Vec::len).unwrap_or_default()
}

/// The modules that a module reaches by one edge or more.
fn reachable<'g>(graph: &'g Graph, from: &Module) -> BTreeSet<&'g Module> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Module> = graph.get(from).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(graph.get(module).into_iter().flatten());
        }
    }
    reached
}
