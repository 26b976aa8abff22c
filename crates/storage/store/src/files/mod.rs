//! The files of checkpoints: rows as Arrow files, the catalog, and the manifest that holds them together.
//!
//! ```text
//!   Catalog        what exists, by number                  catalog.rs, type_text.rs
//!   GroupVectors   the rows of a group, mapped back        group.rs
//!   Manifest       which files and which journal           manifest.rs   (codec without I/O)
//!   StoreFolder    the order in which files come and go    folder.rs
//! ```
//!
//! The files are described byte by byte in `docs/formats/checkpoint.md`, `docs/formats/index-run.md` and
//! `docs/formats/catalog.md`.

pub mod catalog;
mod folder;
mod group;
mod manifest;
#[cfg(test)]
mod tests;
mod type_text;

pub use folder::StoreFolder;
pub(crate) use group::vectors_of;
pub use group::{GroupRowIds, GroupVectors, map_group, write_group};
pub use manifest::{FileFacts, GroupImage, IndexImage, Manifest, RowIdFacts, RunImage, TableImage};
pub use type_text::{parse_sql_type, sql_type_text};
