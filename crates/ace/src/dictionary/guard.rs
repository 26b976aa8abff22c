//! The rules of an open table, asked by its work area around every write.
//!
//! ```text
//!   before_write   rights: insert, update of columns, delete
//!                  fields and the table's condition                      rules
//!                  as a child: is there a parent?                        integrity
//!                  as a parent: which children, and what becomes of them?
//!                    none, or refused: nothing more
//!                    else a transaction begins, unless one is under way
//!   after_write    the children are changed, each under the rules of its own table; the transaction ends
//! ```
//! So a change with all that follows from it is made, or none of it. The tables of children that were changed within a
//! transaction of the program's stay open until its end, with their locks ([`Helpers`]).

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use mainstay_base::{Code, Error};
use mainstay_workarea::{self as workarea, Area, Mode, RecordRules};
use mainstay_xbase::indexed::Transaction;

use crate::constants::*;
use crate::dictionary::contents::Contents;
use crate::dictionary::integrity::{self, Action, Relation};
use crate::dictionary::{Session, rules};
use crate::failure::{self, Failure, Result};

/// How many tables may follow from one another.
const DEEPEST: u32 = 32;

/// Tables that were opened for a transaction, and take part in it.
pub type Helpers = Arc<Mutex<Vec<Area>>>;

/// See the module.
#[derive(Debug)]
pub struct Guard {
    session: Arc<Session>,
    /// The table's name in the dictionary.
    table: String,
    /// Where tables stay that take part in a transaction of the program's.
    helpers: Helpers,
    /// How many changes this one follows from; rights are not asked of what follows.
    depth: u32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The record that was appended, and was not written with values yet.
    appended: Option<u32>,
    /// Whether what is written is a matter of this module's own.
    is_own: bool,
    steps: Vec<Step>,
    /// The transaction that was begun for what follows.
    transaction: Option<Transaction>,
}

/// What is done to the children of one relation.
#[derive(Debug)]
struct Step {
    relation: Relation,
    child: Area,
    records: Vec<u32>,
    action: Action,
}

impl Guard {
    /// The rules of a table that a program opens.
    pub fn new(session: Arc<Session>, table: &str, helpers: Helpers) -> Guard {
        Guard { session, table: table.to_owned(), helpers, depth: 0, state: Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the user may do with the record as it is about to be.
    fn check_rights(&self, area: &mut Area, contents: &Contents, is_appended: bool) -> Result<()> {
        if self.depth > 0 || self.session.access.is_administrator(contents) {
            return Ok(());
        }
        if !contents.is_on(ADS_DD_VERIFY_ACCESS_RIGHTS) {
            return Ok(());
        }
        let denied = |what: &str| {
            let user = &self.session.access.user;
            Failure::new(AE_PERMISSION_NOT_GRANTED, format!("user '{user}' may not {what} of {}", self.table))
        };
        let rights = |kind, parent: &str, name: &str| self.session.access.rights(contents, kind, parent, name);
        let of_table = rights(ADS_DD_TABLE_OBJECT, "", &self.table);
        let after = area.record()?.to_vec();
        let before = area.record_before()?.map(<[u8]>::to_vec).unwrap_or_default();
        if !is_appended && after.first() != before.first() && of_table & ADS_PERMISSION_DELETE == 0 {
            return Err(denied("delete records"));
        }
        if is_appended && of_table & ADS_PERMISSION_INSERT == 0 {
            return Err(denied("insert records"));
        }
        let needed = if is_appended { ADS_PERMISSION_INSERT } else { ADS_PERMISSION_UPDATE };
        if of_table & needed != 0 {
            return Ok(());
        }
        let fields: Vec<(String, std::ops::Range<usize>)> =
            area.fields().iter().map(|field| (field.name.clone(), field.offset..field.offset + field.length)).collect();
        for (name, cell) in fields {
            let is_changed = after.get(cell.clone()) != before.get(cell);
            if is_changed && rights(ADS_DD_FIELD_OBJECT, &self.table, &name) & needed == 0 {
                return Err(denied(&format!("change column {name}")));
            }
        }
        Ok(())
    }

    fn check(&self, area: &mut Area) -> Result<()> {
        let contents = self.session.live.contents()?;
        let record = area.record_number();
        let is_appended = self.state().appended == Some(record) || area.record_before()?.is_none();
        self.check_rights(area, &contents, is_appended)?;
        let is_deleted = area.is_deleted()?;
        let was_there = !is_appended && area.record_before()?.is_some_and(|before| before.first() != Some(&b'*'));
        if !is_deleted {
            rules::check_record(area, &contents, &self.table)?;
        }
        if self.session.is_integrity_off.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (as_child, as_parent) = Relation::of_table(&contents, &self.table);
        for relation in as_child.iter().filter(|_| !is_deleted) {
            let (_, expression) = integrity::key_expression(area, &relation.child.1)?;
            let was = match was_there {
                true => before(area, &expression)?,
                false => None,
            };
            let is = integrity::key(area, &expression)?;
            let is_same = matches!((&was, &is), (Some(was), Some(is)) if integrity::same_key(was, is));
            if !is_same {
                integrity::check_child(&self.session, &contents, relation, area)?;
            }
        }
        for relation in as_parent.into_iter().filter(|_| was_there) {
            let (_, expression) = integrity::key_expression(area, &relation.parent.1)?;
            let Some(was) = before(area, &expression)? else { continue };
            let is = integrity::key(area, &expression)?;
            if !is_deleted && is.is_some_and(|is| integrity::same_key(&is, &was)) {
                continue;
            }
            let mut child = self.helper(&contents, &relation.child.0, area.transaction().is_some())?;
            if let Some((records, action)) = integrity::plan(&contents, &relation, area, &mut child, &was, is_deleted)?
            {
                self.state().steps.push(Step { relation, child, records, action });
            } else {
                self.give_back(child);
            }
        }
        if !self.state().steps.is_empty() && area.transaction().is_none() {
            let transaction = Transaction::begin(Arc::clone(&self.session.files));
            area.enlist_pending(&transaction)?;
            self.state().transaction = Some(transaction);
        }
        Ok(())
    }

    /// A table of children, with the rules that it has: one that takes part in the transaction already, or a new one.
    fn helper(&self, contents: &Contents, table: &str, in_transaction: bool) -> Result<Area> {
        if self.depth >= DEEPEST {
            return Err(Failure::new(AE_RI_CASCADE, "too many tables follow from one another"));
        }
        let path = self.session.table_path(contents.get(ADS_DD_TABLE_OBJECT, "", table)?);
        if in_transaction && let Some(known) = self.take(&path) {
            return Ok(known);
        }
        let mut area = self.session.open(contents, table, Mode::Shared)?;
        let guard = Guard {
            session: Arc::clone(&self.session),
            table: table.to_owned(),
            helpers: Arc::clone(&self.helpers),
            depth: self.depth + 1,
            state: Mutex::default(),
        };
        area.set_rules(Some(Arc::new(guard)));
        Ok(area)
    }

    fn take(&self, path: &Path) -> Option<Area> {
        let mut helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
        let at = helpers.iter().position(|area| area.path() == path)?;
        Some(helpers.swap_remove(at))
    }

    /// Keeps a table that takes part in a transaction; another one is closed.
    fn give_back(&self, area: Area) {
        if area.is_in_transaction() {
            self.helpers.lock().unwrap_or_else(PoisonError::into_inner).push(area);
        }
    }

    /// Changes the children, and ends the transaction that was begun for it.
    fn follow(&self, area: &mut Area, mut steps: Vec<Step>, own: Option<Transaction>) -> Result<()> {
        let Some(transaction) = area.transaction() else { return Ok(()) };
        // Whoever looks for a parent of these children reads the file.
        area.flush()?;
        let mut done = Ok(());
        for step in &mut steps {
            done = done.and_then(|()| run(step, &transaction));
        }
        let mut children: Vec<Area> = steps.into_iter().map(|step| step.child).collect();
        let Some(own) = own else {
            children.into_iter().for_each(|child| self.give_back(child));
            return done;
        };
        // Those that followed from these are with the helpers.
        children.append(&mut self.helpers.lock().unwrap_or_else(PoisonError::into_inner));
        children.retain(Area::is_in_transaction);
        let mut all: Vec<&mut Area> = children.iter_mut().chain([area]).collect();
        match done.and_then(|()| Ok(workarea::commit(&own, &mut all)?)) {
            Ok(()) => Ok(()),
            Err(failure) => {
                // The first error is the one to report; what is not undone now is by who opens a table next.
                let _ = workarea::rollback(&own, &mut all);
                Err(failure)
            }
        }
    }
}

fn before(area: &mut Area, expression: &str) -> Result<Option<mainstay_workarea::FieldValue>> {
    let mut failed = None;
    let key = area.on_record_before(|area| {
        Ok(integrity::key(area, expression).unwrap_or_else(|failure| {
            failed = Some(failure);
            None
        }))
    })?;
    failed.map_or(Ok(key), Err)
}

/// Changes the children of one relation.
fn run(step: &mut Step, transaction: &Transaction) -> Result<()> {
    let child = &mut step.child;
    let mut work = || -> Result<()> {
        child.enlist(transaction)?;
        child.set_order(None)?;
        for record in &step.records {
            child.go_to(*record)?;
            match &step.action {
                Action::Delete => child.delete()?,
                Action::Set(values) => values.iter().try_for_each(|(field, value)| child.set(*field, value))?,
            }
            child.write()?;
        }
        Ok(())
    };
    work().map_err(|failure| {
        let reason = format!("relation {}, table {}: {}", step.relation.name, step.relation.child.0, failure.detail);
        Failure::new(AE_RI_CASCADE, step.relation.cascade.clone().unwrap_or(reason))
    })
}

/// A refusal as the work area passes it on: its code is put beside it, for the call to find.
fn as_error(failure: Failure) -> Error {
    let error = Error::new(Code::CheckViolation, failure.detail.clone());
    failure::refuse(failure);
    error
}

impl RecordRules for Guard {
    fn appended(&self, area: &mut Area) -> mainstay_base::Result<()> {
        let contents = self.session.live.contents().map_err(as_error)?;
        self.state().appended = Some(area.record_number());
        rules::set_defaults(area, &contents, &self.table).map_err(as_error)
    }

    fn before_write(&self, area: &mut Area) -> mainstay_base::Result<()> {
        if self.state().is_own {
            return Ok(());
        }
        self.check(area).map_err(|failure| {
            self.write_failed(area);
            as_error(failure)
        })
    }

    fn after_write(&self, area: &mut Area) -> mainstay_base::Result<()> {
        let (steps, own) = {
            let mut state = self.state();
            if state.appended == Some(area.record_number()) {
                state.appended = None;
            }
            (std::mem::take(&mut state.steps), state.transaction.take())
        };
        match steps.is_empty() {
            true => Ok(()),
            false => self.follow(area, steps, own).map_err(as_error),
        }
    }

    fn write_failed(&self, area: &mut Area) {
        let (steps, own) = {
            let mut state = self.state();
            (std::mem::take(&mut state.steps), state.transaction.take())
        };
        steps.into_iter().for_each(|step| self.give_back(step.child));
        if let Some(own) = own {
            // Nothing was done in it.
            let _ = area.end_unchanged(&own);
        }
    }

    fn cancelled(&self, area: &mut Area) -> mainstay_base::Result<()> {
        let mut state = self.state();
        let appended = state.appended.take();
        if state.is_own || appended != Some(area.record_number()) {
            return Ok(());
        }
        // The blank record is in the file, and may be one that the rules refuse: nobody is to see it.
        state.is_own = true;
        drop(state);
        let given_up = area.delete().and_then(|()| area.write());
        self.state().is_own = false;
        given_up
    }
}
