//! Triggers: the choice of those that a change fires, and their transition tables.
//!
//! A trigger runs as a separate level with the tables `inserted` and `deleted`, within the transaction of the change,
//! as under XACT_ABORT. A trigger is not fired by its own statements unless RECURSIVE_TRIGGERS is ON; an INSTEAD OF
//! trigger's changes of its own table are carried out.

use crate::changes::change::{Fired, events_of, target_of};
use crate::objects::modules::{Loaded, Object};
use crate::session::Inner;
use crate::session::state::{Level, TemporaryTable};
use crate::statements::errors::raised;
use crate::statements::flow::Origin;
use crate::statements::runner::{Ran, Runner};
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::reduce::{self, Scope, TableColumn};
use mainstay_tsql_syntax::tree::{Change, MergeAction, ObjectName, SetItem};
use mainstay_tsql_types::Message;
use mainstay_types::Value;
use mainstay_vm::{Machine, Raised, StatementCall};
use std::sync::Arc;

impl Inner {
    /// The AFTER triggers of a table for an event that are to run, in their order.
    pub(crate) fn firing(&self, table: &ObjectName, event: &str) -> Vec<Object> {
        let mut triggers = self.modules.triggers(table, event, false);
        if !self.modules.kept().recursive_triggers {
            let running = self.state.levels.iter().rev().find_map(|level| level.trigger.as_deref());
            triggers.retain(|trigger| running != Some(&trigger.key));
        }
        triggers
    }

    /// The INSTEAD OF trigger that takes a change, with its table or view.
    pub(crate) fn instead_of(&mut self, change: &Change) -> Option<(ObjectName, Object)> {
        if !self.modules.has_instead_triggers() {
            return None;
        }
        let table = self.named_target(change)?;
        let running = self.state.levels.iter().rev().find_map(|level| level.trigger.clone());
        let event = events_of(change).first()?;
        let trigger = self.modules.triggers(&table, event, true).into_iter().next()?;
        (running.as_deref() != Some(&trigger.key)).then_some((table, trigger))
    }

    /// The table or view that a change names, behind an alias as well.
    fn named_target(&self, change: &Change) -> Option<ObjectName> {
        let named = target_of(change)?;
        let from = match change {
            Change::Update(update) => &update.from[..],
            Change::Delete(delete) => &delete.from[..],
            Change::Insert(_) => &[],
            Change::Merge(_) => return None,
        };
        Some(reduce::target_table(from, named).unwrap_or_else(|| named.clone()))
    }
}

impl Inner {
    /// Fills `inserted` and `deleted` of the level at this depth.
    fn fill_fired(&mut self, depth: usize, columns: &[TableColumn], fired: &Fired) -> Result<(), Box<Raised>> {
        for (name, rows) in [("inserted", &fired.inserted), ("deleted", &fired.deleted)] {
            self.fill_temporary(&format!("{name}@{depth}"), columns, rows)?;
        }
        Ok(())
    }

    /// A rollback has taken the tables of the triggers that run: they go on, and have them again.
    pub(crate) fn restore_fired(&mut self) -> Result<(), Box<Raised>> {
        let levels = self.state.levels.iter().enumerate();
        let fired: Vec<_> = levels.filter_map(|(place, level)| Some((place + 1, level.fired.clone()?))).collect();
        fired.into_iter().try_for_each(|(depth, (columns, fired))| self.fill_fired(depth, &columns, &fired))
    }
}

/// A trigger has caught an error after which nothing of the transaction can be kept.
fn doomed_in_trigger() -> Box<Raised> {
    let mut error = raised(Message::numbered(3616, &[]));
    error.detail = Some(Box::new(Origin::Trigger));
    error
}

/// A trigger has ended the transaction of its statement.
pub(crate) fn ended_in_trigger() -> Box<Raised> {
    raised(Message::error(3609, "The transaction ended in the trigger. The batch has been aborted."))
}

impl Runner<'_> {
    /// Runs the AFTER triggers of a change that is done.
    ///
    /// Errors: those of the triggers; 3609 for one that has ended the transaction, behind which no other one is run.
    pub(crate) fn fire(
        &mut self,
        table: &ObjectName,
        change: &Change,
        fired: Vec<Fired>,
        count: u64,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        let Some(columns) = self.inner.names(&[]).columns(table) else { return Ok(()) };
        for fired in fired.into_iter().map(Arc::new) {
            for trigger in self.inner.firing(table, fired.event) {
                self.inner.state.row_count = count as i64;
                self.run_trigger(&trigger, &columns, updated(change, &columns), &fired, call.machine())?;
                if self.inner.state.transactions == 0 {
                    return Err(ended_in_trigger());
                }
            }
        }
        Ok(())
    }

    /// Runs the AFTER triggers of a table for rows that a bulk load has put in.
    pub(crate) fn fire_loaded(
        &mut self,
        table: &ObjectName,
        inserted: Vec<Vec<Value>>,
        machine: &mut Machine,
    ) -> Result<(), Box<Raised>> {
        let Some(columns) = self.inner.names(&[]).columns(table) else { return Ok(()) };
        let updated: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let count = inserted.len() as i64;
        let fired = Arc::new(Fired { event: "INSERT", inserted, deleted: Vec::new() });
        for trigger in self.inner.firing(table, fired.event) {
            self.inner.state.row_count = count;
            self.run_trigger(&trigger, &columns, updated.clone(), &fired, machine)?;
        }
        Ok(())
    }

    /// Runs one trigger.
    pub(crate) fn run_trigger(
        &mut self,
        trigger: &Object,
        columns: &[TableColumn],
        updated: Vec<String>,
        fired: &Arc<Fired>,
        machine: &mut Machine,
    ) -> Result<(), Box<Raised>> {
        let loaded = self.inner.load(trigger).map_err(|message| raised(*message))?;
        let mut level = Level {
            columns_mask: mask(columns, &updated),
            columns_updated: Some(updated),
            trigger: Some(Arc::from(trigger.key.as_str())),
            fired: Some((columns.to_vec(), Arc::clone(fired))),
            ..Level::default()
        };
        let depth = self.inner.state.levels.len() + 1;
        for name in ["inserted", "deleted"] {
            level.tables.insert(name.to_owned(), TemporaryTable::new(format!("{name}@{depth}")));
        }
        self.inner.fill_fired(depth, columns, fired)?;
        self.inner.state.names_changed();
        self.coming = Some(level);
        self.in_trigger(&loaded, machine)
    }

    /// Runs a trigger in the level that is coming. What fails in it ends the batch, and nothing of the transaction can be
    /// kept; nor can it after an error that the trigger has caught and that dooms the transaction.
    ///
    /// Errors: those of the trigger; 3616 when it leaves the transaction doomed.
    pub(crate) fn in_trigger(&mut self, loaded: &Arc<Loaded>, machine: &mut Machine) -> Result<(), Box<Raised>> {
        let before = std::mem::replace(&mut self.inner.state.options.xact_abort, true);
        let outcome = self.nested(loaded, machine);
        self.inner.state.options.xact_abort = before;
        match outcome {
            Ok(_) if self.inner.state.doomed && self.inner.state.transactions > 0 => Err(doomed_in_trigger()),
            Ok(_) => Ok(()),
            Err(mut error) => {
                self.inner.state.doomed = self.inner.state.transactions > 0;
                error.detail = Some(Box::new(Origin::Trigger));
                Err(error)
            }
        }
    }

    /// A change that an INSTEAD OF trigger takes.
    pub(crate) fn change_instead(
        &mut self,
        table: &ObjectName,
        trigger: &Object,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let count = self.run_instead(table, trigger, host, change, call)?;
        self.changed(change, count)
    }

    /// Gives the rows of a change to an INSTEAD OF trigger; how many they are.
    pub(crate) fn run_instead(
        &mut self,
        table: &ObjectName,
        trigger: &Object,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Result<u64, Box<Raised>> {
        let (reduced, columns) = {
            let names = self.inner.names(&host.inputs);
            let reduced = reduce::rows_of_change(change, table, &names).map_err(raised)?;
            (reduced, names.columns(table).unwrap_or_default())
        };
        let mut plan = self.inner.plan(&reduced.text, reduced.parameters, Vec::new())?;
        let values = self.values(&mut plan, host, call)?;
        let rows = self.inner.rows_of(&mut plan, &values)?.rows;
        let width = columns.len();
        let part = |from: usize| -> Vec<Vec<Value>> {
            rows.iter().filter_map(|row| row.get(from..from + width).map(<[Value]>::to_vec)).collect()
        };
        let (event, inserted, deleted) = match change {
            Change::Update(_) => ("UPDATE", part(width), part(0)),
            Change::Delete(_) => ("DELETE", Vec::new(), part(0)),
            _ => ("INSERT", part(0), Vec::new()),
        };
        let fired = Arc::new(Fired { event, inserted, deleted });
        let count = rows.len() as u64;
        self.inner.state.row_count = count as i64;
        self.unit(call, |it, call| {
            it.run_trigger(trigger, &columns, updated(change, &columns), &fired, call.machine())?;
            Ok(count)
        })
    }
}

/// The columns that a change sets.
fn updated(change: &Change, columns: &[TableColumn]) -> Vec<String> {
    let of_items = |items: &[SetItem]| -> Vec<String> {
        let column = |item: &SetItem| match item {
            SetItem::Column(name, ..) | SetItem::Both(_, name, ..) | SetItem::Method(name, ..) => {
                Some(name.last().to_owned())
            }
            SetItem::Variable(..) => None,
        };
        items.iter().filter_map(column).collect()
    };
    match change {
        Change::Update(update) => of_items(&update.items),
        Change::Insert(_) => columns.iter().map(|column| column.name.clone()).collect(),
        Change::Delete(_) => Vec::new(),
        Change::Merge(merge) => {
            let of_branch = |action: &MergeAction| match action {
                MergeAction::Update(items) => of_items(items),
                MergeAction::Insert(..) => columns.iter().map(|column| column.name.clone()).collect(),
                MergeAction::Delete => Vec::new(),
            };
            merge.branches.iter().flat_map(|branch| of_branch(&branch.action)).collect()
        }
    }
}

/// The result of `COLUMNS_UPDATED()`: a bit for each column, the first one the lowest of the first byte.
fn mask(columns: &[TableColumn], updated: &[String]) -> Vec<u8> {
    let mut mask = vec![0u8; columns.len().div_ceil(8)];
    for (place, column) in columns.iter().enumerate() {
        if updated.iter().any(|name| name.eq_ignore_ascii_case(&column.name))
            && let Some(byte) = mask.get_mut(place / 8)
        {
            *byte |= 1 << (place % 8);
        }
    }
    mask
}
