//! The tables of the catalog: definitions with numbers, and a native table for each.
//!
//! ```text
//!   Cataloged    version, Catalog (definitions), native tables by number          immutable; replaced as a whole
//!     native     definitions as the tables need them; references between tables
//!     change     one change: what it makes of the tables, and how to take it back
//!     scope      which tables and names a change is about
//!     temporary  the same for the tables of one session
//!     sequences  values that are never given twice
//! ```
//!
//! A transaction that changes the catalog has its own `Cataloged` until it commits; all others have the one before. A
//! rollback drops it, and restores what tables have handed over ([`crate::table::reshape`]).
//!
//! Several transactions may change the catalog at once, each another object: until it ends, a transaction has exclusive
//! locks on the objects that it changes (`scope`). Its changes are applied, one by one, to the current state of the
//! other objects: when the transaction reads the catalog, and when it commits ([`Cataloged::with`]).
//!
//! ```text
//!   committed   1: a b       2: a b c (another's)       3: a' b c
//!   own         1: a' b -----------> 2: a' b c -------> commit
//! ```

pub(crate) mod change;
mod native;
pub(crate) mod scope;
pub(crate) mod sequences;
pub(crate) mod temporary;

pub(crate) use native::column_ids;

use crate::files::catalog::Catalog;
use crate::store::unknown;
use crate::table::NativeTable;
use mainstay_types::{Error, Result};
use scope::Touched;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The catalog: definitions, and tables.
#[derive(Clone, Default)]
pub(crate) struct Cataloged {
    /// Grows with every change, so that plans are made anew.
    pub(crate) version: u64,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) tables: BTreeMap<u64, Arc<NativeTable>>,
}

impl Cataloged {
    /// This state with what another one has made of these.
    pub(crate) fn with(&self, own: &Cataloged, touched: impl Iterator<Item = Touched>) -> Cataloged {
        let mut both = self.clone();
        both.take_from(own, touched);
        both
    }

    /// Takes over what another state has, or has not, under these numbers.
    pub(crate) fn take_from(&mut self, own: &Cataloged, touched: impl Iterator<Item = Touched>) {
        let catalog = Arc::make_mut(&mut self.catalog);
        for touched in touched {
            catalog.take_from(&own.catalog, touched);
            if let Touched::Table(id) = touched {
                match own.tables.get(&id) {
                    Some(table) => self.tables.insert(id, Arc::clone(table)),
                    None => self.tables.remove(&id),
                };
            }
        }
        self.version += 1;
    }

    /// This state of one thing, and of nothing else.
    pub(crate) fn only(&self, touched: Touched) -> Cataloged {
        let nothing = Catalog { version: self.catalog.version, ..Catalog::default() };
        let mut only = Cataloged { version: self.version, catalog: Arc::new(nothing), tables: BTreeMap::new() };
        only.take_from(self, std::iter::once(touched));
        only
    }

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

impl Catalog {
    /// Takes over what another catalog has, or has not, under a number.
    fn take_from(&mut self, other: &Catalog, touched: Touched) {
        fn take<T: Clone>(own: &mut Vec<T>, others: &[T], is_it: impl Fn(&T) -> bool) {
            match (own.iter().position(&is_it), others.iter().find(|it| is_it(it))) {
                (Some(at), Some(other)) => own[at] = other.clone(),
                (None, Some(other)) => own.push(other.clone()),
                (Some(at), None) => drop(own.remove(at)),
                (None, None) => {}
            }
        }
        match touched {
            Touched::Schema(id) => take(&mut self.schemas, &other.schemas, |schema| schema.id == id),
            Touched::Table(id) => take(&mut self.tables, &other.tables, |table| table.id == id),
            Touched::Sequence(id) => take(&mut self.sequences, &other.sequences, |sequence| sequence.id == id),
            Touched::View(id) => take(&mut self.views, &other.views, |view| view.id == id),
        }
        self.next_id = self.next_id.max(other.next_id);
    }
}
