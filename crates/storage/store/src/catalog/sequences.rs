//! Values that are generated once: sequences, and identity columns, whose numbers come from them.
//!
//! A value must not be generated twice after a crash, and a sync for each value would be expensive. So values are
//! reserved in blocks: the journal records the start of the next block before a value of this one is generated. The
//! rest of a block is a gap when the process ends without closing the store. Sequences are not transactional: a
//! rollback returns no values.
//!
//! ```text
//!   journal:  next 33                      next 65
//!   given     1 2 3 ... 32                 33 34 | crash | 65 66 ...
//! ```
//!
//! Only TRUNCATE restarts the numbers, since the rows that had them are gone. It runs in a transaction that has an
//! exclusive lock on the table: until the commit the journal keeps the old promise ([`Sequences::begin_restart`]), so
//! that a crash restores the rows together with the numbers behind theirs. The frame of the transaction contains both.

use crate::files::catalog::{Catalog, SequenceDefinition};
use mainstay_types::{Cause, Code, Error, Result};
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
    /// The number of values that may be generated before the journal is asked again.
    left: i64,
    /// The value that recovery continues with: the journal contains it.
    promised: Option<i64>,
    /// The last time that its numbers began again.
    restart: Option<Restart>,
}

#[derive(Clone, Copy, Debug)]
struct Restart {
    /// The value that recovery continues with if it does not find the commit.
    before: Option<i64>,
    /// The commit that has it; `None` while the transaction is open.
    commit: Option<u64>,
}

impl State {
    fn new(next: Option<i64>) -> State {
        State { next, left: 0, promised: next, restart: None }
    }

    /// Returns true if its numbers begin again in a transaction that is open.
    fn is_restarting(&self) -> bool {
        self.restart.is_some_and(|restart| restart.commit.is_none())
    }

    /// The value that recovery continues with if it finds everything up to a commit and nothing after it.
    fn promised_at(&self, commit: u64) -> Option<i64> {
        match self.restart {
            Some(Restart { before, commit: at }) if at.is_none_or(|at| at > commit) => before,
            _ => self.promised,
        }
    }
}

/// The state of a sequence before its restart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TakeBack(State);

/// The stored form of the next value. An exhausted sequence is stored as a value behind the last one.
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

/// The one of two values that comes later, which is safe to go on with for both.
fn farther(definition: &SequenceDefinition, one: Option<i64>, other: Option<i64>) -> Option<i64> {
    let is_less = stored(one, Some(definition)) < stored(other, Some(definition));
    if is_less == (definition.increment < 0) { one } else { other }
}

/// Values of a sequence that are taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueRange {
    /// The first of them.
    pub first: i64,
    /// The last one.
    pub last: i64,
    /// The number of restarts of a cycling sequence among them.
    pub cycles: u64,
}

/// So many values from this one on; `None` if the sequence ends before.
fn range(definition: &SequenceDefinition, first: i64, count: u64) -> Option<ValueRange> {
    let (minimum, maximum) = (i128::from(definition.minimum), i128::from(definition.maximum));
    let (step, value, count) = (i128::from(definition.increment), i128::from(first), i128::from(count));
    let (begin, end) = if step < 0 { (maximum, minimum) } else { (minimum, maximum) };
    let values_from = |value: i128| (end - value).checked_div(step).map(|steps| steps + 1);
    let last_of = |value: i128, count: i128| i64::try_from(value + step * (count - 1)).ok();
    let here = values_from(value).filter(|values| *values > 0 && count > 0)?;
    if count <= here {
        return Some(ValueRange { first, last: last_of(value, count)?, cycles: 0 });
    }
    let whole = values_from(begin).filter(|_| definition.cycle)?;
    let behind = count - here - 1;
    let cycles = u64::try_from(behind / whole).ok()? + 1;
    Some(ValueRange { first, last: last_of(begin, behind % whole + 1)?, cycles })
}

impl Sequences {
    /// The next value of a sequence. `journal` records that the sequence continues with a value after a crash, and
    /// returns when the record is as durable as the store guarantees.
    ///
    /// Errors: `InvalidValue` when all are used up, and those of `journal`.
    pub(crate) fn next(&self, definition: &SequenceDefinition, journal: impl FnOnce(i64) -> Result<()>) -> Result<i64> {
        let mut states = self.lock();
        let state = states.entry(definition.id).or_insert_with(|| State::new(Some(definition.start)));
        let value = state.next.filter(|value| (definition.minimum..=definition.maximum).contains(value));
        let Some(value) = value else {
            let message = format!("the sequence {} has given all its values", definition.name);
            return Err(Error::new(Code::InvalidValue, message).about(&definition.name).because(Cause::UsedUp));
        };
        if state.is_restarting() {
            // The frame of the transaction says where its numbers end.
            state.next = after(definition, value, 1);
            return Ok(value);
        }
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

    /// Takes so many values at once for one caller; `None` if there are not so many. `journal` is as for `next`.
    ///
    /// Errors: those of `journal`.
    pub(crate) fn take(
        &self,
        definition: &SequenceDefinition,
        count: u64,
        journal: impl FnOnce(i64) -> Result<()>,
    ) -> Result<Option<ValueRange>> {
        let mut states = self.lock();
        let state = states.entry(definition.id).or_insert_with(|| State::new(Some(definition.start)));
        let Some(range) = state.next.and_then(|first| range(definition, first, count)) else { return Ok(None) };
        let next = after(definition, range.last, 1);
        if !state.is_restarting() {
            journal(stored(next, Some(definition)))?;
            (state.promised, state.left) = (next, 0);
        }
        state.next = next;
        Ok(Some(range))
    }

    /// The value that a sequence will give next; `None` when all are given.
    pub(crate) fn upcoming(&self, definition: &SequenceDefinition) -> Option<i64> {
        self.lock().get(&definition.id).map_or(Some(definition.start), |state| state.next)
    }

    /// Lets a sequence go on with this value.
    pub(crate) fn set(&self, id: u64, next: i64) {
        self.lock().insert(id, State::new(Some(next)));
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
        let state = states.entry(definition.id).or_insert_with(|| State::new(Some(definition.start)));
        if !state.is_restarting() {
            journal(stored(next, Some(definition)))?;
            (state.promised, state.left) = (next, 0);
        }
        state.next = next;
        Ok(())
    }

    /// Restarts a sequence within a transaction, during which no other takes its values. The result undoes it.
    pub(crate) fn begin_restart(&self, definition: &SequenceDefinition) -> TakeBack {
        let mut states = self.lock();
        let state = states.entry(definition.id).or_insert_with(|| State::new(Some(definition.start)));
        let before = TakeBack(*state);
        // The commit of the last restart is one that a crash may not find either.
        let before_last = state.restart.map_or(state.promised, |restart| restart.before);
        let restart = Restart { before: farther(definition, state.promised, before_last), commit: None };
        (state.next, state.restart) = (Some(definition.start), Some(restart));
        before
    }

    /// Goes on as before a sequence began again.
    pub(crate) fn take_back(&self, id: u64, TakeBack(before): TakeBack) {
        self.lock().insert(id, before);
    }

    /// The next value of a sequence after the commit, if the transaction restarts it: for the transaction's frame.
    pub(crate) fn restarted(&self, definition: &SequenceDefinition) -> Option<i64> {
        let states = self.lock();
        let state = states.get(&definition.id).filter(|state| state.is_restarting())?;
        Some(stored(state.next, Some(definition)))
    }

    /// The commit is in the journal with which a sequence began again.
    pub(crate) fn end_restart(&self, id: u64, commit: u64) {
        if let Some(state) = self.lock().get_mut(&id).filter(|state| state.is_restarting()) {
            (state.promised, state.left) = (state.next, 0);
            state.restart = state.restart.map(|restart| Restart { commit: Some(commit), ..restart });
        }
    }

    /// The positions of all sequences: after a crash that finds nothing after this commit, or, when no more values are
    /// taken, without a gap. Those that an open transaction has created are among them.
    pub(crate) fn image(&self, catalog: &Catalog, is_closed: bool, commit: u64) -> Vec<(u64, i64)> {
        let states = self.lock();
        let definition = |id: u64| catalog.sequences.iter().find(|definition| definition.id == id);
        let next = |state: &State| match is_closed && !state.is_restarting() {
            true => state.next,
            false => state.promised_at(commit),
        };
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
        let name = "s".into();
        let (owned_by, declared) = (None, None);
        SequenceDefinition {
            id: 1,
            schema: 1,
            name,
            start: 1,
            increment,
            minimum: 1,
            maximum,
            cycle,
            owned_by,
            declared,
        }
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

    #[test]
    fn a_restart_is_promised_with_its_commit_and_not_before() {
        let (sequences, catalog) = (Sequences::default(), Catalog::default());
        let definition = definition(1, 1000, false);
        let image = |commit| sequences.image(&catalog, false, commit)[0].1;
        let next = |journals: bool| {
            sequences.next(&definition, |_| if journals { Ok(()) } else { Err(Error::new(Code::Io, "no")) }).unwrap()
        };
        assert_eq!((next(true), image(7)), (1, 33));
        let before = sequences.begin_restart(&definition);
        let again = sequences.begin_restart(&definition);
        assert_eq!((next(false), next(false), image(7), sequences.restarted(&definition)), (1, 2, 33, Some(3)));
        sequences.take_back(1, again);
        assert_eq!((next(false), image(7)), (1, 33));
        sequences.take_back(1, before);
        assert_eq!((sequences.restarted(&definition), next(false), image(7)), (None, 2, 33));

        sequences.begin_restart(&definition);
        sequences.set_after(&definition, 5, true, |_| Err(Error::new(Code::Io, "no"))).unwrap();
        assert_eq!(sequences.restarted(&definition), Some(6));
        sequences.end_restart(1, 8);
        assert_eq!((image(7), image(8)), (33, 6));
        assert_eq!((next(true), image(7), image(8)), (6, 33, 38));
    }
}
