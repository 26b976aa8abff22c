//! The tables of the catalog: definitions with numbers, and a native table for each.
//!
//! ```text
//!   Cataloged    version, Catalog (definitions), native tables by number          immutable; replaced as a whole
//!     native     definitions as the tables need them; references between tables
//!     change     one change: what it makes of the tables, and how to take it back
//!     temporary  the same for the tables of one session
//!     sequences  values that are never given twice
//! ```
//!
//! A transaction that changes the catalog has a `Cataloged` of its own until it commits; everybody else has the one
//! before. So a rollback forgets it, and puts back what tables have handed over ([`crate::table::reshape`]). One
//! transaction at a time changes the catalog, and nobody else writes meanwhile.

pub(crate) mod change;
mod native;
pub(crate) mod sequences;
pub(crate) mod temporary;

pub(crate) use native::column_ids;

use crate::files::catalog::Catalog;
use crate::store::unknown;
use crate::table::NativeTable;
use mainstay_base::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What exists: definitions, and tables.
#[derive(Clone, Default)]
pub(crate) struct Cataloged {
    /// Grows with every change, so that plans are made anew.
    pub(crate) version: u64,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) tables: BTreeMap<u64, Arc<NativeTable>>,
}

impl Cataloged {
    /// The table of this number.
    ///
    /// Errors: `UnknownTable`, and the reason why its rows could not be read.
    pub(crate) fn sound(&self, id: u64) -> Result<Arc<NativeTable>> {
        let table = self.tables.get(&id).ok_or_else(|| unknown(&id.to_string()))?;
        table.check_sound().map(|()| Arc::clone(table))
    }

    /// Why rows of tables could not be read.
    pub(crate) fn damage(&self) -> impl Iterator<Item = &Error> {
        self.tables.values().filter_map(|table| table.damage())
    }

    /// The table of this name, or of this `schema.table`.
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<NativeTable>> {
        let found = self.catalog.tables.iter().find(|table| {
            let schema = self.catalog.schemas.iter().find(|schema| schema.id == table.schema);
            let is_qualified = |schema: &str| {
                name.strip_prefix(schema).and_then(|rest| rest.strip_prefix('.')).is_some_and(|rest| rest == table.name)
            };
            table.name == name || schema.is_some_and(|schema| is_qualified(&schema.name))
        });
        self.tables.get(&found?.id)
    }
}
