//! Foreign keys: a referencing row protects the row that it refers to.
//!
//! Both sides mark first and check afterwards, at the end of the statement:
//!
//! ```text
//!   child    insert the row (its stamp is a mark)   then: is the parent's key there, not ended?
//!   parent   end the row (a mark)                   then: does any child have its key?
//! ```
//!
//! So of two transactions that do both at once, at least one sees the other's mark and waits until that has ended and
//! its commit is published. The check reads the newest state, whatever the own view. Checking at the end of a statement
//! lets one statement delete a row and the rows that refer to it, in any order; a deferred reference is checked at the
//! end of the transaction (`transaction/deferral.rs`). A reference with a NULL refers to nothing (ISO's MATCH SIMPLE),
//! or must be all NULLs (MATCH FULL).
//!
//! Actions (CASCADE, SET NULL, SET DEFAULT) belong to the SQL layer, which evaluates defaults and checks: it asks for
//! the rows that refer to deleted or renamed keys (`actions`) and changes them before the check. The children's columns
//! have an index; the store creates one if there is none.

use super::indexes::TableIndex;
use super::{NativeTable, internal};
use crate::column::layout::{brief, canonical};
use crate::files::catalog::{Deferrable, ReferentialAction};
use crate::group::offset_of;
use crate::index::{Cursor, Direction};
use crate::key::successor;
use crate::row::{Row, Stored};
use crate::stamp::{ABORTED, MARK, NEVER};
use crate::transaction::{Obstacle, Transaction, obstacle};
use mainstay_types::{Cause, Code, ConstraintKind, Error, Result, ValueRef};
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// The references of a table, in both directions.
#[derive(Default)]
pub(crate) struct References {
    parents: RwLock<Arc<[Reference]>>,
    children: RwLock<Arc<[Reference]>>,
    has_parents: AtomicBool,
    has_children: AtomicBool,
}

/// A foreign key, with the indexes that serve it.
#[derive(Clone)]
pub(crate) struct Reference {
    pub(crate) name: String,
    pub(crate) child: Weak<NativeTable>,
    pub(crate) child_columns: Vec<usize>,
    /// The child's index that begins with these columns, in this order.
    pub(crate) child_index: usize,
    pub(crate) parent: Weak<NativeTable>,
    pub(crate) parent_columns: Vec<usize>,
    /// The parent's unique index of these columns.
    pub(crate) parent_index: usize,
    /// The action on the child when its parent is deleted.
    pub(crate) on_delete: ReferentialAction,
    /// The action on the child when its parent's key changes.
    pub(crate) on_update: ReferentialAction,
    /// True if it may be checked when the transaction commits.
    pub(crate) deferrable: Deferrable,
    /// True if all of the child's columns are to be NULL, or none.
    pub(crate) match_full: bool,
}

impl Reference {
    /// The action on the child: after a deletion of its parent if `is_gone`, else after a change of its key.
    pub(super) fn action(&self, is_gone: bool) -> ReferentialAction {
        if is_gone { self.on_delete } else { self.on_update }
    }
}

impl References {
    /// Returns true if the table refers to others.
    #[inline]
    pub(crate) fn has_parents(&self) -> bool {
        self.has_parents.load(Ordering::Acquire)
    }

    /// Returns true if others refer to the table.
    #[inline]
    pub(crate) fn has_children(&self) -> bool {
        self.has_children.load(Ordering::Acquire)
    }

    fn parents(&self) -> Arc<[Reference]> {
        Arc::clone(&self.parents.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn children(&self) -> Arc<[Reference]> {
        Arc::clone(&self.children.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Adds a reference to a list.
fn add(list: &RwLock<Arc<[Reference]>>, reference: &Reference) {
    let mut list = list.write().unwrap_or_else(PoisonError::into_inner);
    *list = list.iter().chain([reference]).cloned().collect();
}

impl NativeTable {
    /// Makes a reference known to both its tables.
    pub(crate) fn add_reference(reference: &Reference) {
        if let (Some(child), Some(parent)) = (reference.child.upgrade(), reference.parent.upgrade()) {
            add(&child.references.parents, reference);
            add(&parent.references.children, reference);
            child.references.has_parents.store(true, Ordering::Release);
            parent.references.has_children.store(true, Ordering::Release);
        }
    }

    /// Puts other references in the place of those that the table has: to its parents, and of its children.
    pub(crate) fn set_references(&self, parents: Vec<Reference>, children: Vec<Reference>) {
        let References { has_parents, has_children, .. } = &self.references;
        has_parents.store(!parents.is_empty(), Ordering::Release);
        has_children.store(!children.is_empty(), Ordering::Release);
        *self.references.parents.write().unwrap_or_else(PoisonError::into_inner) = parents.into();
        *self.references.children.write().unwrap_or_else(PoisonError::into_inner) = children.into();
    }

    /// Notes that the references of all rows are to be checked at the end of the statement.
    pub(crate) fn check_references(self: &Arc<Self>, mark: u64, transaction: &mut Transaction) -> Result<()> {
        self.each_live(mark, &mut |_, position| {
            transaction.note_check(Check::child(self, position));
            Ok(())
        })
    }

    /// Forgets the references of a table that is dropped, at its parents.
    pub(crate) fn forget_child(&self, child: &Arc<NativeTable>) {
        let mut children = self.references.children.write().unwrap_or_else(PoisonError::into_inner);
        *children =
            children.iter().filter(|reference| reference.child.as_ptr() != Arc::as_ptr(child)).cloned().collect();
        self.references.has_children.store(!children.is_empty(), Ordering::Release);
    }

    /// The tables that refer to this one, other than itself.
    pub(crate) fn child_tables(&self) -> Vec<Arc<NativeTable>> {
        let children = self.references.children();
        let others = children.iter().filter_map(|reference| reference.child.upgrade());
        others.filter(|child| child.id() != self.id).collect()
    }
}

/// A check at the end of a statement.
pub(crate) struct Check {
    pub(super) table: Arc<NativeTable>,
    pub(super) what: What,
}

pub(super) enum What {
    /// The row of this version must refer to existing rows.
    Child(u64),
    /// No row may refer to this version any more, unless the other one has the same key.
    Parent(u64, Option<u64>),
}

/// The state of a key, judged by one version.
pub(super) enum Verdict {
    /// It is there.
    Live,
    /// It is not.
    Dead,
    /// Another transaction decides, or has decided and is not published yet.
    Open(Obstacle),
}

impl Check {
    /// After a row was written that refers to others.
    pub(crate) fn child(table: &Arc<NativeTable>, position: u64) -> Check {
        Check { table: Arc::clone(table), what: What::Child(position) }
    }

    /// After a row was ended that others may refer to.
    pub(crate) fn parent(table: &Arc<NativeTable>, old: u64, new: Option<u64>) -> Check {
        Check { table: Arc::clone(table), what: What::Parent(old, new) }
    }

    /// The references that it is about.
    fn references(&self) -> Arc<[Reference]> {
        match self.what {
            What::Child(_) => self.table.references.parents(),
            What::Parent(..) => self.table.references.children(),
        }
    }

    /// Returns true if a table that this is true of has a part in a reference that is wanted.
    pub(crate) fn concerns(
        &self,
        is_table: impl Fn(&NativeTable) -> bool,
        is_wanted: impl Fn(&Reference) -> bool,
    ) -> bool {
        let is_side = |side: &Weak<NativeTable>| side.upgrade().is_some_and(|side| is_table(&side));
        self.references().iter().any(|reference| {
            is_wanted(reference) && (is_table(&self.table) || is_side(&reference.parent) || is_side(&reference.child))
        })
    }

    /// Checks the wanted references for a transaction. Returns true if others were left out.
    ///
    /// Errors: `ForeignKeyViolation`, and those of waiting.
    pub(crate) fn run(
        &self,
        transaction: &mut Transaction,
        is_wanted: impl Fn(&Transaction, &Reference) -> bool,
    ) -> Result<bool> {
        // This transaction's writes come before its reads below; the other side does the same.
        fence(Ordering::SeqCst);
        let mut has_others = false;
        for reference in self.references().iter() {
            match self.what {
                _ if !is_wanted(transaction, reference) => has_others = true,
                What::Child(position) => self.check_parent(transaction, reference, position)?,
                What::Parent(old, new) => self.check_children(transaction, reference, old, new)?,
            }
        }
        Ok(has_others)
    }

    fn check_parent(&self, transaction: &mut Transaction, reference: &Reference, position: u64) -> Result<()> {
        let Some(parent) = reference.parent.upgrade() else { return Ok(()) };
        parent.check_sound()?;
        let Some((position, group)) = self.table.resolve(position) else { return Ok(()) };
        let offset = offset_of(position);
        if group.ended(offset) != NEVER {
            // Replaced or deleted later in the same statement.
            return Ok(());
        }
        let stored = Stored { group: &group, offset };
        let nulls = reference.child_columns.iter().filter(|column| stored.value(**column).is_null()).count();
        if reference.match_full && (1..reference.child_columns.len()).contains(&nulls) {
            let message = "some of its columns are NULL and others are not, which MATCH FULL does not allow";
            return Err(violation(&self.table, reference, message.to_owned()));
        }
        if nulls > 0 {
            return Ok(());
        }
        let indexes = parent.indexes();
        let index = indexes.get(reference.parent_index).ok_or_else(|| internal("a reference lost its index"))?;
        let mut key = Vec::new();
        loop {
            match parent_entry(&parent, index, reference, &stored, transaction.mark()?, &mut key)? {
                Verdict::Live => return Ok(()),
                Verdict::Open(obstacle) => transaction.wait(&obstacle)?,
                Verdict::Dead => {
                    let values = reference.child_columns.iter().map(|column| brief(stored.value(*column)));
                    let (values, of) = (values.collect::<Vec<_>>().join(", "), &parent.definition().name);
                    let message = format!("there is no row with the key ({values}) in {of}");
                    return Err(violation(&self.table, reference, message).about(of).because(Cause::NoParent));
                }
            }
        }
    }

    fn check_children(
        &self,
        transaction: &mut Transaction,
        reference: &Reference,
        old: u64,
        new: Option<u64>,
    ) -> Result<()> {
        let Some(child) = reference.child.upgrade() else { return Ok(()) };
        let Some((old, group)) = self.table.resolve(old) else { return Ok(()) };
        let stored = Stored { group: &group, offset: offset_of(old) };
        let columns = &reference.parent_columns;
        if !self.table.has_lost_key(reference, &stored, new) {
            return Ok(());
        }
        // Another row may have the key by now, so that the references are satisfied.
        let own = self.table.indexes();
        let index = own.get(reference.parent_index).ok_or_else(|| internal("a reference lost its index"))?;
        let mut key = Vec::new();
        index.key(&stored, 0, &mut key)?;
        while let Some(entry) = index.entries.get(&key) {
            match verdict(&self.table, entry, transaction.mark_or_none()) {
                Verdict::Live => return Ok(()),
                Verdict::Dead => break,
                Verdict::Open(obstacle) => transaction.wait(&obstacle)?,
            }
        }
        let values: Vec<ValueRef<'_>> = columns.iter().map(|column| stored.value(*column)).collect();
        match child.referring(reference, transaction, &values)?.is_empty() {
            true => Ok(()),
            false => Err(still_referred(&self.table, &child, reference, &values)),
        }
    }
}

impl NativeTable {
    /// Returns true if an ended version had a key that others could refer to, and the version after it has another one.
    pub(super) fn has_lost_key(&self, reference: &Reference, old: &Stored<'_>, new: Option<u64>) -> bool {
        let columns = &reference.parent_columns;
        if columns.iter().any(|column| old.value(*column).is_null()) {
            return false;
        }
        match new.and_then(|new| self.resolve(new)) {
            None => true,
            Some((new, group)) => {
                let renewed = Stored { group: &group, offset: offset_of(new) };
                columns.iter().any(|column| renewed.value(*column) != old.value(*column))
            }
        }
    }

    /// The newest versions of this table that refer to these values, in whatever transaction they were made: if that is
    /// open, its end is waited for.
    ///
    /// Errors: those of waiting, and the reason why this table's rows could not be read.
    pub(super) fn referring(
        self: &Arc<Self>,
        reference: &Reference,
        transaction: &mut Transaction,
        values: &[ValueRef<'_>],
    ) -> Result<Vec<u64>> {
        self.check_sound()?;
        loop {
            match self.look_for_referring(transaction.mark()?, reference, values)? {
                Ok(rows) => return Ok(rows),
                Err(obstacle) => transaction.wait(&obstacle)?,
            }
        }
    }

    /// The rows that refer to these values, or whom to wait for, if that is open.
    fn look_for_referring(
        self: &Arc<Self>,
        mark: u64,
        reference: &Reference,
        values: &[ValueRef<'_>],
    ) -> Result<Result<Vec<u64>, Obstacle>> {
        let indexes = self.indexes();
        let index = indexes.get(reference.child_index).ok_or_else(|| internal("a reference lost its index"))?;
        let mut rows = Vec::new();
        let mut low = Vec::new();
        let mut writer = index.encoder.start(&mut low);
        for (column, value) in reference.child_columns.iter().zip(values) {
            match canonical(self.types()[*column], *value) {
                Ok(value) => writer.push(value)?,
                // No row refers to a value that the child's column cannot represent.
                Err(_) => return Ok(Ok(rows)),
            }
        }
        let mut high = low.clone();
        let high = successor(&mut high).then_some(high);
        let mut cursor = Cursor::new(&low, high.as_deref(), Direction::Ascending);
        let mut entries = [0; 64];
        while !cursor.is_finished() {
            let count = index.entries.fetch(&mut cursor, &mut entries);
            for entry in &entries[..count] {
                match verdict(self, *entry, mark) {
                    Verdict::Dead => {}
                    Verdict::Open(obstacle) => return Ok(Err(obstacle)),
                    Verdict::Live => rows.push(*entry),
                }
            }
        }
        Ok(Ok(rows))
    }
}

/// The entry of the parent under the key that a child refers to.
fn parent_entry(
    parent: &Arc<NativeTable>,
    index: &TableIndex,
    reference: &Reference,
    child: &dyn Row,
    mark: u64,
    key: &mut Vec<u8>,
) -> Result<Verdict> {
    let mut writer = index.encoder.start(key);
    for column in &index.columns {
        let number = reference.parent_columns.iter().position(|parent| parent == column);
        let number = number.ok_or_else(|| internal("a reference and its index differ"))?;
        match canonical(parent.types()[*column], child.value(reference.child_columns[number])) {
            Ok(value) => writer.push(value)?,
            Err(_) => return Ok(Verdict::Dead),
        }
    }
    writer.finish(0);
    Ok(index.entries.get(key).map_or(Verdict::Dead, |entry| verdict(parent, entry, mark)))
}

/// Returns true if the newest version under a key is there.
pub(super) fn verdict(table: &NativeTable, position: u64, mark: u64) -> Verdict {
    let directory = table.directory();
    let Some(group) = directory.group(position) else { return Verdict::Dead };
    let offset = offset_of(position);
    let (created, ended) = (group.created(offset), group.ended(offset));
    if created == ABORTED {
        return Verdict::Dead;
    }
    let stamps = (mark, table.shared.last_published());
    match obstacle(group, offset, created, stamps).or_else(|| obstacle(group, offset, ended, stamps)) {
        Some(obstacle) => Verdict::Open(obstacle),
        None if ended == NEVER => Verdict::Live,
        None => {
            debug_assert!(ended < MARK || ended == mark);
            Verdict::Dead
        }
    }
}

#[cold]
fn violation(table: &NativeTable, reference: &Reference, message: String) -> Error {
    let place = format!("{}, foreign key {}", table.definition().name, reference.name);
    let error = Error::new(Code::ForeignKeyViolation, message).at(place);
    error.of_constraint(ConstraintKind::ForeignKey, &table.definition().name, &reference.name)
}

/// The error of a row that goes while others refer to it.
#[cold]
pub(super) fn still_referred(
    parent: &NativeTable,
    child: &NativeTable,
    reference: &Reference,
    values: &[ValueRef<'_>],
) -> Error {
    let values: Vec<String> = values.iter().map(|value| brief(*value)).collect();
    let message = format!("rows in {} refer to the key ({})", child.definition().name, values.join(", "));
    violation(parent, reference, message)
}
