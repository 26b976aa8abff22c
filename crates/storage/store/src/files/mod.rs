//! The files of checkpoints: rows as column files, the catalog, and the manifest that holds them together.
//!
//! ```text
//!   Catalog        what exists, by number                  catalog.rs, type_text.rs
//!   GroupVectors   the rows of a group, mapped back        group.rs, columns.rs, arrow.rs
//!   Manifest       which files and which journal           manifest.rs   (codec without I/O)
//!   StoreFolder    the order in which files come and go    folder.rs
//! ```
//!
//! The files are described byte by byte in `docs/formats/checkpoint.md`, `docs/formats/columns.md`,
//! `docs/formats/index-run.md` and `docs/formats/catalog.md`.

mod arrow;
pub mod catalog;
mod columns;
#[cfg(test)]
mod columns_tests;
mod every_way;
mod folder;
mod group;
mod manifest;
#[cfg(test)]
mod tests;
mod type_text;

pub use every_way::read_columns_in_every_way;
pub use folder::StoreFolder;
pub use group::{GroupRowIds, GroupVectors, WrittenGroup};
pub(crate) use group::{StoredGroup, stored_of};
pub use manifest::{FileFacts, FileForm, GroupImage, IndexImage, Manifest, RowIdFacts, RunImage, TableImage};
pub use type_text::{parse_sql_type, sql_type_text};
