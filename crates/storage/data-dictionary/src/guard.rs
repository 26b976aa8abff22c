//! The rules of an open table, called by its work area around every write.
//!
//! ```text
//!   before_write   rights: insert, update of columns, delete
//!                  fields and the table's condition                      rules
//!                  triggers: instead of the write (then nothing more), or before it   firing
//!                  as a child: is there a parent?                        integrity
//!                  as a parent: which children, and what becomes of them?
//!                    none, or refused: nothing more
//!                    else a transaction begins, unless one is under way
//!   after_write    the children are changed, each under the rules of its own table; triggers; the transaction ends
//! ```
//! So a change with its cascade and the changes of its triggers is made as a whole, or not at all. The tables of
//! children that were changed within a transaction of the program stay open until its end, with their locks
//! ([`Helpers`]).

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mainstay_types::{Code, Error};
use mainstay_workarea::{self as workarea, Area, Mode, RecordRules};
use mainstay_xbase::indexed::{IndexedTable, Savepoint, Transaction};

use crate::constants::*;
use crate::contents::Contents;
use crate::failure::{Failure, Result, refused};
use crate::firing::{self, Fires, Firing};
use crate::integrity::{self, Action, Relation};
use crate::{Session, rules};

/// The greatest depth of a cascade of changes.
const DEEPEST: u32 = 32;

/// Tables that were opened for a transaction, and take part in it.
pub type Helpers = Arc<Mutex<Vec<Area>>>;

/// See the module.
#[derive(Debug)]
pub struct Guard {
    session: Arc<Session>,
    /// The table's name in the dictionary.
    table: String,
    /// The tables that take part in a transaction of the program.
    helpers: Helpers,
    /// The depth of this change in its cascade; rights are checked at depth 0 only.
    depth: u32,
    /// Runs the triggers.
    fires: Weak<dyn Fires>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The record that was appended, and was not written with values yet.
    appended: Option<u32>,
    /// True during writes of this module itself.
    is_own: bool,
    steps: Vec<Step>,
    /// The transaction that was begun for what follows.
    transaction: Option<Transaction>,
    /// The savepoint of the program's transaction before the first trigger.
    since: Option<Savepoint>,
    /// The rows for AFTER triggers.
    after: Option<Firing>,
    /// True if INSTEAD OF triggers have replaced the write.
    is_replaced: bool,
}

/// A change of the children of one relation.
#[derive(Debug)]
struct Step {
    relation: Relation,
    child: Area,
    records: Vec<u32>,
    action: Action,
}

/// The type of a reference to no triggers; it has no values.
#[derive(Debug)]
enum NoTriggers {}

impl Fires for NoTriggers {
    fn begin(&self, _transaction: &Transaction) -> Result<()> {
        match *self {}
    }

    fn fire(&self, _firing: &Firing) -> Result<()> {
        match *self {}
    }

    fn end(&self, _work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> mainstay_types::Result<()>) -> Result<()> {
        match *self {}
    }

    fn with_tables(&self, _work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> mainstay_types::Result<()>) -> Result<()> {
        match *self {}
    }
}

impl Guard {
    /// The rules of a table that a program opens.
    pub fn new(session: Arc<Session>, table: &str, helpers: Helpers) -> Guard {
        let fires: Weak<dyn Fires> = Weak::<NoTriggers>::new();
        Guard { session, table: table.to_owned(), helpers, depth: 0, fires, state: Mutex::default() }
    }

    /// The same with triggers, which these run.
    pub fn with_triggers(self, fires: Weak<dyn Fires>) -> Guard {
        Guard { fires, ..self }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the user's rights to the record as it is about to be written.
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
        let layout = area.header().layout;
        let was_there = !is_appended && area.record_before()?.is_some_and(|before| !layout.is_deleted(before));
        if !is_deleted {
            rules::check_record(area, &contents, &self.table, self.session.date_form)?;
        }
        if self.fire_before(area, &contents, is_appended)? {
            return Ok(());
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
            let parent = (&mut *area, expression.as_str());
            if let Some((records, action)) =
                integrity::plan(&contents, self.session.date_form, &relation, parent, &mut child, &was, is_deleted)?
            {
                self.state().steps.push(Step { relation, child, records, action });
            } else {
                self.give_back(child);
            }
        }
        if !self.state().steps.is_empty() {
            self.begin(area)?;
        }
        Ok(())
    }

    /// A transaction for what follows from a write, unless there is one.
    fn begin(&self, area: &mut Area) -> Result<()> {
        if area.transaction().is_none() {
            let transaction = Transaction::begin(Arc::clone(&self.session.files));
            area.enlist_pending(&transaction)?;
            self.state().transaction = Some(transaction);
        }
        Ok(())
    }

    /// Fires the triggers before a write; true if they have done something else in its place.
    fn fire_before(&self, area: &mut Area, contents: &Contents, is_appended: bool) -> Result<bool> {
        let Some((times, firing)) = firing::of_write(area, contents, &self.table, is_appended)? else {
            return Ok(false);
        };
        if self.depth >= DEEPEST {
            return Err(Failure::new(AE_TRIGGER_FAILED, "too many changes follow from one another"));
        }
        let missing = || Failure::new(AE_NOT_IMPLEMENTED, "nothing runs the triggers of the table");
        let fires = self.fires.upgrade().ok_or_else(missing)?;
        self.begin(area)?;
        let Some(transaction) = area.transaction() else { return Ok(false) };
        if self.state().transaction.is_none() {
            self.state().since = Some(transaction.savepoint());
        }
        fires.begin(&transaction)?;
        let fire = |time: u32| fires.fire(&Firing { time, ..firing.clone() });
        if times & ADS_TRIGTYPE_INSTEADOF != 0 {
            area.lend_record(|| fire(ADS_TRIGTYPE_INSTEADOF))??;
            area.give_up_changes(is_appended)?;
            self.state().is_replaced = true;
            return Ok(true);
        }
        if times & ADS_TRIGTYPE_BEFORE != 0 {
            fire(ADS_TRIGTYPE_BEFORE)?;
        }
        if times & ADS_TRIGTYPE_AFTER != 0 {
            self.state().after = Some(Firing { time: ADS_TRIGTYPE_AFTER, ..firing });
        }
        Ok(false)
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
            fires: Weak::clone(&self.fires),
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

    /// Changes the children, fires the triggers behind the write, and ends the transaction that was begun for it.
    fn follow(&self, area: &mut Area, follows: Follows) -> Result<()> {
        let Some(transaction) = area.transaction() else { return Ok(()) };
        let Follows { mut steps, own, since, after } = follows;
        // Lookups of a parent for these children, and triggers, read the file.
        let mut done = area.flush().map_err(Failure::from);
        for step in &mut steps {
            done = done.and_then(|()| run(step, &transaction));
        }
        let fires = self.fires.upgrade();
        if let (Some(after), Some(fires)) = (&after, &fires) {
            done = done.and_then(|()| fires.fire(after));
        }
        let mut children: Vec<Area> = steps.into_iter().map(|step| step.child).collect();
        let Some(own) = own else {
            if let (Err(_), Some(since)) = (&done, since) {
                let mut helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
                let mut all: Vec<&mut Area> = children.iter_mut().chain(&mut *helpers).collect();
                all.retain(|area| area.is_in_transaction());
                all.push(area);
                // A failure here is no loss: the rollback of the whole transaction undoes the rest.
                let _ = with_tables(fires.as_deref(), &mut |others| {
                    workarea::rollback_to_with(&transaction, since, &mut all, others)
                });
            }
            children.into_iter().for_each(|child| self.give_back(child));
            return done;
        };
        // Those that followed from these are with the helpers.
        children.append(&mut self.helpers.lock().unwrap_or_else(PoisonError::into_inner));
        children.retain(Area::is_in_transaction);
        let mut all: Vec<&mut Area> = children.iter_mut().chain([area]).collect();
        let mut end = |others: &mut [&mut IndexedTable]| {
            let committed = match &done {
                Ok(()) => workarea::commit_with(&own, &mut all, others),
                Err(failure) => Err(Error::new(Code::Cancelled, failure.detail.clone())),
            };
            committed.inspect_err(|_| {
                // The first error is the one to report; the next opening of the table recovers the rest.
                let _ = workarea::rollback_with(&own, &mut all, others);
            })
        };
        let ended = match &fires {
            Some(fires) => fires.end(&mut end),
            None => end(&mut []).map_err(Failure::from),
        };
        done.and(ended)
    }
}

/// The work after a write.
struct Follows {
    steps: Vec<Step>,
    own: Option<Transaction>,
    since: Option<Savepoint>,
    after: Option<Firing>,
}

impl Follows {
    fn take(state: &mut State) -> Follows {
        Follows {
            steps: std::mem::take(&mut state.steps),
            own: state.transaction.take(),
            since: state.since.take(),
            after: state.after.take(),
        }
    }

    fn is_nothing(&self) -> bool {
        self.steps.is_empty() && self.own.is_none() && self.after.is_none()
    }
}

/// Works with the tables that statements have open, if there are statements.
fn with_tables(
    fires: Option<&dyn Fires>,
    work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> mainstay_types::Result<()>,
) -> Result<()> {
    match fires {
        Some(fires) => fires.with_tables(work),
        None => Ok(work(&mut [])?),
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

/// A refusal as the work area passes it on.
fn as_error(failure: Failure) -> Error {
    refused(failure.code, failure.into_detail())
}

impl RecordRules for Guard {
    fn appended(&self, area: &mut Area) -> mainstay_types::Result<()> {
        let contents = self.session.live.contents().map_err(as_error)?;
        self.state().appended = Some(area.record_number());
        rules::set_defaults(area, &contents, &self.table, self.session.date_form).map_err(as_error)
    }

    fn before_write(&self, area: &mut Area) -> mainstay_types::Result<()> {
        if self.state().is_own {
            return Ok(());
        }
        self.check(area).map_err(|failure| {
            self.write_failed(area);
            as_error(failure)
        })
    }

    fn after_write(&self, area: &mut Area) -> mainstay_types::Result<()> {
        let (follows, is_replaced) = {
            let mut state = self.state();
            if state.appended == Some(area.record_number()) {
                state.appended = None;
            }
            (Follows::take(&mut state), std::mem::take(&mut state.is_replaced))
        };
        if !follows.is_nothing() {
            self.follow(area, follows).map_err(as_error)?;
        }
        if is_replaced { area.refresh() } else { Ok(()) }
    }

    fn write_failed(&self, area: &mut Area) {
        let Follows { steps, own, since, .. } = {
            let mut state = self.state();
            state.is_replaced = false;
            Follows::take(&mut state)
        };
        steps.into_iter().for_each(|step| self.give_back(step.child));
        // Nothing was done in it but by triggers.
        let fires = self.fires.upgrade();
        let _ = match (own, area.transaction(), since, &fires) {
            (Some(own), _, _, Some(fires)) => fires.end(&mut |others| {
                // The error tells the statements' session to keep nothing.
                area.undo_beneath(&own, None, others)?;
                Err(Error::new(Code::Cancelled, "the write has failed"))
            }),
            (Some(own), _, _, None) => area.end_unchanged(&own).map_err(Failure::from),
            (None, Some(transaction), Some(since), Some(fires)) => {
                fires.with_tables(&mut |others| area.undo_beneath(&transaction, Some(since), others))
            }
            _ => Ok(()),
        };
    }

    fn cancelled(&self, area: &mut Area) -> mainstay_types::Result<()> {
        let mut state = self.state();
        let appended = state.appended.take();
        if state.is_own || appended != Some(area.record_number()) {
            return Ok(());
        }
        // The blank record is in the file, and the rules may refuse it: it must not become visible.
        state.is_own = true;
        drop(state);
        let given_up = area.delete().and_then(|()| area.write());
        self.state().is_own = false;
        given_up
    }
}
