//! Dependencies of a plan: names, the tables that they led to, and the state of the session.
//!
//! A procedure that creates a temporary table creates it anew at each call, and so the numbers of all states change.
//! The plans of its statements depend on the same names leading to tables that are alike; where that still holds, a
//! plan is reused (the core binds its compiled form to the new table).
//!
//! Limits: names of files and of views of the core, functions whose tables a statement reads, and statements that read
//! the catalog itself have their plans made again whenever something has changed.

use crate::definitions::define::shown_name;
use crate::session::Inner;
use crate::session::state::{SaidOfIndexes, State};
use mainstay_engine::definitions::TableDefinition;
use mainstay_tsql_syntax::tree::ObjectName;
use mainstay_vm::Raised;
use std::sync::Arc;

/// More names than a statement has.
const MOST: usize = 64;

/// The names that a statement uses, and what they led to when it was planned.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    tables: Vec<Used>,
    /// True if it uses something else, too.
    is_more: bool,
    /// The names behind which there is no table, which may be views and files, or nothing.
    others: Vec<ObjectName>,
}

#[derive(Debug)]
struct Used {
    name: ObjectName,
    /// The core's name of the table.
    core: String,
    definition: TableDefinition,
    /// For a temporary table, the options of its indexes.
    said: Option<SaidOfIndexes>,
}

/// The session state that a plan depends on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Surroundings {
    identity_insert: Option<String>,
    trigger: Option<Arc<str>>,
}

impl Surroundings {
    pub(crate) fn of(state: &State) -> Surroundings {
        Surroundings {
            identity_insert: state.identity_insert.clone(),
            trigger: state.levels.iter().rev().find_map(|level| level.trigger.clone()),
        }
    }
}

/// The key by which the core finds a table.
fn key_of(core: &str) -> String {
    core.replace('"', "").to_lowercase()
}

impl Uses {
    /// Notes what a name leads to now; what it led to before is nothing any more.
    pub(crate) fn note(
        &mut self,
        name: &ObjectName,
        core: &str,
        said: Option<SaidOfIndexes>,
        session: &mainstay_engine::Session,
    ) {
        let definition = session.table_definition(&key_of(core));
        if definition.is_none() && self.others.len() < MOST {
            self.others.push(name.clone());
        }
        if self.is_more || self.tables.len() >= MOST {
            self.is_more = true;
            return;
        }
        self.tables.retain(|used| used.name != *name);
        match definition {
            Some(definition) => self.tables.push(Used { name: name.clone(), core: core.to_owned(), definition, said }),
            None => self.is_more = true,
        }
    }

    /// The notes so far, without the names that may not refer to anything.
    pub(crate) fn take(&mut self) -> Uses {
        let others = std::mem::take(&mut self.others);
        let uses = std::mem::take(self);
        self.others = others;
        uses
    }

    /// Notes something that is not a table.
    pub(crate) fn note_more(&mut self) {
        self.is_more = true;
    }
}

const UNKNOWN: (&str, &str) = ("Invalid object name '", "'.");

impl Inner {
    /// An error of a statement that ran, where it names something that is not there as the statement has named it: the core
    /// has names without schemas, and partly in lower case.
    pub(crate) fn named_as_written(&self, mut error: Box<Raised>) -> Box<Raised> {
        if error.number != 208 || error.routine.is_some() {
            return error;
        }
        let (start, end) = UNKNOWN;
        let Some(told) = error.text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)) else { return error };
        let last = told.rsplit('.').next().unwrap_or(told);
        let uses = self.uses.borrow();
        if let Some(name) = uses.others.iter().find(|name| name.last().eq_ignore_ascii_case(last)) {
            error.text = format!("{start}{}{end}", shown_name(name));
        }
        error
    }

    /// Returns true if a plan that was made for these names in another state is still valid.
    pub(crate) fn still_hold(&mut self, uses: &Uses, surroundings: &Surroundings) -> bool {
        if uses.is_more || *surroundings != Surroundings::of(&self.state) {
            return false;
        }
        let names = self.names(&[]);
        let holds = |used: &Used| {
            names.table_of(&used.name).is_ok_and(|core| core == used.core)
                && names.temporary_indexes(&used.name) == used.said.as_ref()
                && names.core.borrow().has_table_like(&key_of(&used.core), &used.definition)
        };
        uses.tables.iter().all(holds)
    }
}
