//! Fuzz targets: damaged and hostile files and packets of each format.
//!
//! A [`Target`] takes bytes and does with them everything that the engine does with a file of that format. It returns
//! for every input; it panics only where an invariant is broken: a panic below, a walk without end, vectors that are
//! not as long as their group, an inconsistent order. Errors and findings are the expected results of damage and are
//! ignored.
//!
//! Two drivers share the targets:
//!
//! ```text
//!   fuzz/fuzz_targets/*      libFuzzer, guided by coverage: minutes, in development
//!   tests/fuzz_corpus.rs     the stored corpus, then seeded mutations of it: seconds, in every test run
//! ```
//!
//! **Inputs.** An input is one file, or a byte that chooses how to read it and then the file; several files are joined
//! by a mark ([`table::MARK`]), which stays valid when bytes before it are added or removed, as lengths would not.
//! `examples/seeds.rs` generates the first corpus from the fixtures.
//!
//! Limits: files are in memory and do not change while they are read; the tests named `faults` and `damage` cover reads
//! that fail and files that change.

pub mod basic;
pub mod checkpoint;
pub mod csv;
pub mod dbf;
pub mod expression;
pub mod index;
pub mod journal;
pub mod memo;
pub mod mutate;
pub mod table;
pub mod tds;
pub mod tsql;

use mainstay_vfs::{File, FileSystem, Memory};
use std::path::Path;
use std::sync::Arc;

/// One format, and what is done with its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the folder below `fuzz/corpus`.
    pub name: &'static str,
    /// Reads the bytes in every way; panics if a promise is broken.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 11] = [
    Target { name: "dbf", run: dbf::run },
    Target { name: "memo", run: memo::run },
    Target { name: "index", run: index::run },
    Target { name: "expression", run: expression::run },
    Target { name: "csv", run: csv::run },
    Target { name: "table", run: table::run },
    Target { name: "tds", run: tds::run },
    Target { name: "tsql", run: tsql::run },
    Target { name: "basic", run: basic::run },
    Target { name: "checkpoint", run: checkpoint::run },
    Target { name: "journal", run: journal::run },
];

/// A file that exists only in memory; `None` is never given, because it was just written.
fn file(name: &str, content: &[u8]) -> Option<Arc<dyn File>> {
    let memory = Memory::new();
    memory.write(name, content);
    memory.open(Path::new(name)).ok()
}

/// The byte that chooses, and the rest; zero and nothing for an empty input.
fn selector(input: &[u8]) -> (u8, &[u8]) {
    input.split_first().map_or((0, input), |(first, rest)| (*first, rest))
}
