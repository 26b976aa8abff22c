//! The tables that a prepared statement was compiled for, and the check that they are unchanged.
//!
//! The version of the catalog changes with every definition: another session's table, a temporary table that a
//! procedure creates at each run. A statement depends only on the few tables that it names. While each name leads to a
//! table that is [alike](crate::native::are_alike), the compiled statement stays valid and is bound to the present
//! tables.
//! [alike](crate::native::are_alike), what was compiled holds, and is bound to the tables of now.
//!
//! ```text
//!   compile:  the planner asks for names --Recorder--> (name, table, definition) ...      Uses
//!   later:    the same names in the present catalog --> alike? --> the tables to bind to | compile again
//! ```
//!
//! Limits: a statement that names anything but native tables (a file, a view, an unknown name) is compiled again
//! whenever the catalog has changed.

use crate::native::{Scope, SessionCatalog, are_alike};
use mainstay_columnar::Table;
use mainstay_planner::{Catalog, FileReading, Relation, Sequences, UserFunctions};
use mainstay_store::files::catalog::TableDefinition;
use mainstay_store::{NativeTable, Shown};
use mainstay_types::Result;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// The tables that a statement was compiled for, by the names that led to them.
#[derive(Clone, Default)]
pub(crate) struct Uses {
    tables: Vec<Used>,
    /// True if it was compiled for something else, too.
    is_more: bool,
}

#[derive(Clone)]
struct Used {
    key: String,
    table: Arc<NativeTable>,
    definition: Arc<TableDefinition>,
}

/// The tables of before, and those that have their places now.
pub(super) struct Moved {
    tables: Vec<(Arc<NativeTable>, Arc<NativeTable>, Arc<TableDefinition>)>,
}

impl Moved {
    /// The table in the place of one of before, with its definition.
    pub(super) fn of(&self, old: &Arc<NativeTable>) -> Option<(&Arc<NativeTable>, &Arc<TableDefinition>)> {
        let found = self.tables.iter().find(|(known, ..)| Arc::ptr_eq(known, old));
        found.map(|(_, new, definition)| (new, definition))
    }

    /// Returns true if all are what they were.
    pub(super) fn is_nothing(&self) -> bool {
        self.tables.iter().all(|(old, new, _)| Arc::ptr_eq(old, new))
    }
}

impl Uses {
    /// Notes a table.
    pub(super) fn add(&mut self, key: &str, table: &Arc<NativeTable>, definition: &Arc<TableDefinition>) {
        let (table, definition) = (Arc::clone(table), Arc::clone(definition));
        self.tables.push(Used { key: key.to_owned(), table, definition });
    }

    /// Notes something that is no native table.
    pub(super) fn add_more(&mut self) {
        self.is_more = true;
    }

    /// The tables of `scope` under the same names; `None` when one is not alike, or may not be.
    pub(super) fn moved(&mut self, scope: &Scope) -> Result<Option<Moved>> {
        if self.is_more {
            return Ok(None);
        }
        let mut tables = Vec::with_capacity(self.tables.len());
        for used in &self.tables {
            let Some(now) = scope.definition(&used.key).filter(|now| are_alike(&used.definition, now)) else {
                return Ok(None);
            };
            let table = scope.table(now.id)?;
            let definition = match used.definition.id == now.id {
                true => Arc::clone(&used.definition),
                false => Arc::new(now.clone()),
            };
            tables.push((Arc::clone(&used.table), table, definition));
        }
        for (used, (_, table, definition)) in self.tables.iter_mut().zip(&tables) {
            (used.table, used.definition) = (Arc::clone(table), Arc::clone(definition));
        }
        Ok(Some(Moved { tables }))
    }
}

/// A catalog that notes what it is asked for.
pub(crate) struct Recorder<'c> {
    catalog: SessionCatalog<'c>,
    uses: Mutex<Uses>,
}

impl<'c> Recorder<'c> {
    pub(crate) fn new(catalog: SessionCatalog<'c>) -> Recorder<'c> {
        Recorder { catalog, uses: Mutex::default() }
    }

    /// The recorded names.
    pub(crate) fn uses(self) -> Uses {
        self.uses.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, key: &str, relation: Option<&Relation>) {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        if uses.tables.iter().any(|used| used.key == key) {
            return;
        }
        let table = match relation {
            Some(Relation::Table(table)) => native(table),
            _ => None,
        };
        match (table, self.catalog.scope.definition(key)) {
            (Some(table), Some(definition)) => uses.add(key, &table, &Arc::new(definition.clone())),
            _ => uses.add_more(),
        }
    }

    fn note_more(&self) {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner).add_more();
    }
}

fn native(table: &Arc<dyn Table>) -> Option<Arc<NativeTable>> {
    let any: &dyn Any = table.as_ref();
    any.downcast_ref::<Shown>().map(|shown| Arc::clone(&shown.0))
}

impl Catalog for Recorder<'_> {
    fn relation(&self, name: &str) -> Result<Option<Relation>> {
        let relation = self.catalog.relation(name)?;
        self.note(name, relation.as_ref());
        Ok(relation)
    }

    fn names(&self) -> Vec<String> {
        self.catalog.names()
    }

    fn version(&self) -> u64 {
        self.catalog.version()
    }

    fn shared_relation(&self, name: &str) -> Result<Option<Relation>> {
        self.note_more();
        self.catalog.shared_relation(name)
    }

    fn reading(&self) -> FileReading {
        self.catalog.reading()
    }

    fn functions(&self) -> Option<Arc<dyn UserFunctions>> {
        self.note_more();
        self.catalog.functions()
    }

    fn sequences(&self) -> Option<Arc<dyn Sequences>> {
        // A compiled call of a sequence refers to it by number.
        self.note_more();
        self.catalog.sequences()
    }
}
