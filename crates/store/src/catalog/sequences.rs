//! Values that are given once: sequences, and identity columns, whose numbers come from them.
//!
//! A value must not come again after a crash, and a sync for each would be dear. So a block of values is taken at a time:
//! the journal says where the next block begins before a value of this one is given out. What is left of a block when the
//! process ends without closing the store is a gap. No transaction is involved: a rollback gives nothing back.
//!
//! ```text
//!   journal:  next 33                      next 65
//!   given     1 2 3 ... 32                 33 34 | crash | 65 66 ...
//! ```

use crate::files::catalog::{Catalog, SequenceDefinition};
use mainstay_base::{Cause, Code, Error, Result};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values that are taken at once.
const BLOCK: i64 = 32;

/// Where all sequences are.
#[derive(Default)]
pub(crate) struct Sequences {
    states: Mutex<HashMap<u64, State>>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// The value to be given next; `None` when all are used up.
    next: Option<i64>,
    /// How many values may be given before the journal is asked again.
    left: i64,
    /// What a crash would go on with: the journal says so.
    promised: Option<i64>,
}

/// What stands in files for "all used up": behind the last value.
fn stored(next: Option<i64>, definition: Option<&SequenceDefinition>) -> i64 {
    let end = definition.map_or(0, |it| if it.increment < 0 { i64::MIN } else { i64::MAX });
    next.unwrap_or(end)
}

/// The value after this one.
fn after(definition: &SequenceDefinition, value: i64, steps: i64) -> Option<i64> {
    let next = definition.increment.checked_mul(steps).and_then(|step| value.checked_add(step));
    let next = next.filter(|next| (definition.minimum..=definition.maximum).contains(next));
    let wraps = || if definition.increment < 0 { definition.maximum } else { definition.minimum };
    if definition.cycle && steps == 1 { Some(next.unwrap_or_else(wraps)) } else { next }
}

impl Sequences {
    /// The next value of a sequence. `journal` writes that the sequence goes on with a value after a crash, and returns
    /// when that is as durable as the store promises.
    ///
    /// Errors: `InvalidValue` when all are used up, and those of `journal`.
    pub(crate) fn next(&self, definition: &SequenceDefinition, journal: impl FnOnce(i64) -> Result<()>) -> Result<i64> {
        let mut states = self.lock();
        let fresh = State { next: Some(definition.start), left: 0, promised: Some(definition.start) };
        let state = states.entry(definition.id).or_insert(fresh);
        let value = state.next.filter(|value| (definition.minimum..=definition.maximum).contains(value));
        let Some(value) = value else {
            let message = format!("the sequence {} has given all its values", definition.name);
            return Err(Error::new(Code::InvalidValue, message).about(&definition.name).because(Cause::UsedUp));
        };
        if state.left == 0 {
            // A block ends where the values do; a sequence that begins again there takes a new one.
            let whole = after(definition, value, BLOCK).map(|end| (Some(end), BLOCK));
            let (promised, left) = whole.unwrap_or_else(|| (after(definition, value, 1), 1));
            journal(stored(promised, Some(definition)))?;
            (state.promised, state.left) = (promised, left);
        }
        state.left -= 1;
        state.next = after(definition, value, 1);
        Ok(value)
    }

    /// The value that a sequence will give next; `None` when all are given.
    pub(crate) fn upcoming(&self, definition: &SequenceDefinition) -> Option<i64> {
        self.lock().get(&definition.id).map_or(Some(definition.start), |state| state.next)
    }

    /// Lets a sequence go on with this value.
    pub(crate) fn set(&self, id: u64, next: i64) {
        self.lock().insert(id, State { next: Some(next), left: 0, promised: Some(next) });
    }

    /// Lets a sequence go on after a value that was given, or with one that was not. `journal` is as for `next`.
    ///
    /// Errors: those of `journal`.
    pub(crate) fn set_after(
        &self,
        definition: &SequenceDefinition,
        value: i64,
        given: bool,
        journal: impl FnOnce(i64) -> Result<()>,
    ) -> Result<()> {
        let mut states = self.lock();
        let next = if given { after(definition, value, 1) } else { Some(value) };
        journal(stored(next, Some(definition)))?;
        states.insert(definition.id, State { next, left: 0, promised: next });
        Ok(())
    }

    /// Where all sequences go on: after a crash, or, when nobody takes values any more, without a gap. Those that an open
    /// transaction has created are among them.
    pub(crate) fn image(&self, catalog: &Catalog, is_closed: bool) -> Vec<(u64, i64)> {
        let states = self.lock();
        let definition = |id: u64| catalog.sequences.iter().find(|definition| definition.id == id);
        let next = |state: &State| if is_closed { state.next } else { state.promised };
        let mut image: Vec<_> = states.iter().map(|(id, state)| (*id, stored(next(state), definition(*id)))).collect();
        image.sort_unstable();
        image
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, State>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(increment: i64, maximum: i64, cycle: bool) -> SequenceDefinition {
        let (name, owned_by) = ("s".into(), None);
        SequenceDefinition { id: 1, schema: 1, name, start: 1, increment, minimum: 1, maximum, cycle, owned_by }
    }

    #[test]
    fn values_come_once_and_the_journal_is_ahead_of_them() {
        let sequences = Sequences::default();
        let mut promised = 0;
        for expected in 1..=100 {
            let value = sequences.next(&definition(1, 100, false), |next| {
                promised = next;
                Ok(())
            });
            assert_eq!(value.unwrap(), expected);
            assert!(promised > expected, "{promised}");
        }
        let error = sequences.next(&definition(1, 100, false), |_| Ok(())).unwrap_err();
        assert_eq!(error.code(), Code::InvalidValue);
    }

    #[test]
    fn a_cycle_begins_again() {
        let sequences = Sequences::default();
        let values: Vec<i64> = (0..7).map(|_| sequences.next(&definition(2, 6, true), |_| Ok(())).unwrap()).collect();
        assert_eq!(values, [1, 3, 5, 1, 3, 5, 1]);
    }

    #[test]
    fn a_value_whose_block_is_not_in_the_journal_is_not_given() {
        let sequences = Sequences::default();
        let refuse = |_| Err(Error::new(Code::Io, "no"));
        assert!(sequences.next(&definition(1, 100, false), refuse).is_err());
        assert_eq!(sequences.next(&definition(1, 100, false), |_| Ok(())).unwrap(), 1);
    }
}
