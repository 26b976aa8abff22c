//! SELECT ... FOR UPDATE of a few rows: found by the row executor, and locked in their order.
//!
//! The rows are treated as in `native::lock`: locked, waited for or skipped, until as many as the limit asks for are
//! locked. The search finds a few more rows than that, in case some have gone; when even those are too few, the batch
//! executor runs the statement over all rows.

use super::short::{ShortStatement, Workspace, changed_table, note_reads, positions};
use super::uses::Uses;
use crate::native::{Form, held_by_another, view_to_lock, wait_to_lock};
use crate::session::Session;
use crate::session::count_run;
use crate::writable::Changed;
use mainstay_planner::{IfHeld, LockingQuery, Statement};
use mainstay_row_executor::{Buffer, Outcome};
use mainstay_store::{LockMode, Transaction, Written};
use mainstay_types::{Result, ValueRef};
use std::sync::Arc;

/// How many rows are looked for beyond those that are wanted.
const SPARE: usize = 16;

/// The row executor's way of a query that locks; `None` when it has none.
pub(super) fn of(session: &Session, text: &str, uses: &mut Uses) -> Result<Option<ShortStatement>> {
    let Statement::LockRows(locking) = Statement::parse(text)? else { return Ok(None) };
    let Some(form) = changed_table(session, &locking.table)? else { return Ok(None) };
    let Some(mut short) = session.compiler().short_locking(text, &locking, uses)? else { return Ok(None) };
    if let Some(most) = looked_for(&locking) {
        short.plan.fetch_at_most(most);
    }
    Ok(Some(ShortStatement::Lock { short, form, locking }))
}

/// How many rows are held at most.
fn wanted(locking: &LockingQuery) -> Option<usize> {
    let most = locking.limit?.saturating_add(locking.offset);
    usize::try_from(most).ok()
}

fn looked_for(locking: &LockingQuery) -> Option<usize> {
    wanted(locking).map(|wanted| wanted.saturating_add(SPARE))
}

/// Locks the rows of such a query and leaves those that are given in the buffer: whether it did. Another statement, and
/// what the batch executor has to do, it does not.
///
/// Errors: `LockTimeout` for NOWAIT, and those of waiting.
pub(super) fn lock(
    statement: &ShortStatement,
    session: &mut Session,
    text: &Arc<str>,
    parameters: &[ValueRef<'_>],
    workspace: &mut Workspace,
) -> Result<bool> {
    let ShortStatement::Lock { short, form, locking } = statement else { return Ok(false) };
    let (scratch, buffer) = workspace.parts();
    let locked = session.change_native(text, |transaction| {
        let view = transaction.begin_statement()?;
        let column = short.schema.fields().len();
        if let Some(wide) = view_to_lock(transaction, form, locking, view)
            && short.plan.run(wide, parameters, scratch, buffer)? == Outcome::Done
        {
            let mut found = positions(buffer, column).take(wanted(locking).unwrap_or(usize::MAX));
            let found = found.find(|position| transaction.is_pending(&form.table, *position, view));
            if wait_to_lock(transaction, form, locking, found, view)? {
                return Ok(Changed::Overtaken);
            }
        }
        if short.plan.run(view, parameters, scratch, buffer)? != Outcome::Done {
            return Ok(Changed::Done(false));
        }
        note_reads(transaction, short)?;
        let found = buffer.len();
        let Some((held, kept)) = held(transaction, form, locking, buffer, column)? else {
            return Ok(Changed::Overtaken);
        };
        let is_short = wanted(locking).is_some_and(|wanted| held < wanted);
        if is_short && looked_for(locking).is_some_and(|most| found >= most) {
            return Ok(Changed::Done(false));
        }
        buffer.keep_rows(&kept);
        Ok(Changed::Done(true))
    })?;
    if locked {
        count_run(session.reads(), &short.plan, scratch);
    }
    Ok(locked)
}

/// Locks rows of the buffer, whose positions are in the column of this number: how many, and those that are given. `None`
/// when another transaction was first.
fn held(
    transaction: &mut Transaction,
    form: &Form,
    locking: &LockingQuery,
    buffer: &Buffer,
    position: usize,
) -> Result<Option<(usize, Vec<u32>)>> {
    let mode = if locking.is_shared { LockMode::Share } else { LockMode::Exclusive };
    let most = wanted(locking).unwrap_or(usize::MAX);
    let (mut held, mut kept) = (0, Vec::new());
    for row in 0..buffer.len() {
        if held == most {
            break;
        }
        let ValueRef::Integer(position) = buffer.value(row, position) else { continue };
        let waits = locking.if_held == IfHeld::Wait;
        match form.table.lock_if_free(transaction, position as u64, mode, waits)? {
            Some(Written::Done(_)) => {
                held += 1;
                if held as u64 > locking.offset {
                    kept.push(row as u32);
                }
            }
            Some(Written::Moved(_) | Written::Deleted) => return Ok(None),
            Some(Written::Gone) => {}
            None if locking.if_held == IfHeld::Skip => {}
            None => return Err(held_by_another(&form.definition.name)),
        }
    }
    Ok(Some((held, kept)))
}
