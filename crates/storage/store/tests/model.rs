//! Random work in several transactions at once, against a model that is a list of rows and copies of it.
//!
//! The model of a snapshot is a copy of the committed rows, with the transaction's own changes on top. One thread plays
//! all transactions; where one would have to wait it gives up (lock timeout of zero), and the model expects that.

mod common;

use common::*;
use mainstay_store::{Isolation, NativeTable, Savepoint, Store, Transaction, Written};
use mainstay_types::{Code, ValueRef};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const IDS: u64 = 25;

type Rows = BTreeMap<i64, i64>;

/// A transaction and what it should see.
struct Actor {
    transaction: Transaction,
    isolation: Isolation,
    /// The rows that it sees: its snapshot and its changes.
    rows: Rows,
    /// Its changes by id: `None` for a deleted row.
    changes: BTreeMap<i64, Option<i64>>,
    saved: Vec<(Savepoint, Rows, BTreeMap<i64, Option<i64>>)>,
}

struct World {
    store: Store,
    table: Arc<NativeTable>,
    committed: Rows,
    actors: Vec<Actor>,
    random: Random,
}

impl World {
    fn new(seed: u64) -> World {
        let (store, table) = store_of(&[]);
        World { store, table, committed: Rows::new(), actors: Vec::new(), random: Random(seed) }
    }

    fn begin(&mut self) {
        let isolation = [Isolation::ReadCommitted, Isolation::Snapshot][self.random.below(2) as usize];
        let mut transaction = self.store.begin(isolation);
        transaction.set_lock_timeout(Some(Duration::ZERO));
        transaction.begin_statement().unwrap();
        let rows = self.committed.clone();
        self.actors.push(Actor { transaction, isolation, rows, changes: BTreeMap::new(), saved: Vec::new() });
    }

    /// Ids that other open transactions have touched, by whatever key they had.
    fn busy(&self, but: usize) -> BTreeSet<i64> {
        let others = self.actors.iter().enumerate().filter(|(number, _)| *number != but);
        others.flat_map(|(_, actor)| actor.changes.keys().copied()).collect()
    }

    fn step(&mut self) {
        if self.actors.is_empty() || (self.actors.len() < 4 && self.random.below(6) == 0) {
            return self.begin();
        }
        let number = self.random.below(self.actors.len() as u64) as usize;
        let id = self.random.below(IDS) as i64;
        let value = self.random.below(1000) as i64;
        self.refresh(number);
        match self.random.below(20) {
            0..=5 => self.insert(number, id, value),
            6..=11 => self.update(number, id, value),
            12..=13 => self.delete(number, id),
            14 => self.save(number),
            15 => self.go_back(number),
            16 => drop(self.table.vacuum().unwrap()),
            17 => self.end(number, false),
            _ => self.end(number, true),
        }
    }

    /// Begins a statement: under read committed it sees what is committed now.
    fn refresh(&mut self, number: usize) {
        let actor = &mut self.actors[number];
        if actor.isolation == Isolation::ReadCommitted {
            actor.rows = self.committed.clone();
            for (id, change) in &actor.changes {
                match change {
                    Some(value) => actor.rows.insert(*id, *value),
                    None => actor.rows.remove(id),
                };
            }
        }
        let expected: Vec<(i64, i64)> = actor.rows.iter().map(|(id, value)| (*id, *value)).collect();
        assert_eq!(seen(&self.table, &mut actor.transaction), expected);
        for id in 0..IDS as i64 {
            let found = position(&self.table, &mut actor.transaction, id);
            assert_eq!(found.is_some(), actor.rows.contains_key(&id), "the index and the rows differ at {id}");
        }
    }

    fn insert(&mut self, number: usize, id: i64, value: i64) {
        let busy = self.busy(number);
        let actor = &mut self.actors[number];
        let outcome = self.table.insert(&mut actor.transaction, &pair(id, value)[..]).map_err(|error| error.code());
        let own = actor.changes.get(&id);
        let expected = match own {
            Some(Some(_)) => Err(Code::UniqueViolation),
            Some(None) => Ok(()),
            None if busy.contains(&id) => Err(Code::LockTimeout),
            None if self.committed.contains_key(&id) => Err(Code::UniqueViolation),
            // It sees the row that another transaction has deleted since.
            None if actor.rows.contains_key(&id) => Err(Code::Conflict),
            None => Ok(()),
        };
        assert_eq!(outcome.map(|_| ()), expected, "insert {id}");
        if expected.is_ok() {
            actor.rows.insert(id, value);
            actor.changes.insert(id, Some(value));
        }
    }

    /// The expected outcome of a write to a row that the actor sees.
    fn expected(&self, number: usize, id: i64) -> Result<(), Code> {
        let actor = &self.actors[number];
        if actor.changes.contains_key(&id) {
            return Ok(());
        }
        // Under a snapshot the row may have been changed since.
        if self.committed.get(&id) != actor.rows.get(&id) {
            return Err(Code::Conflict);
        }
        if self.busy(number).contains(&id) { Err(Code::LockTimeout) } else { Ok(()) }
    }

    fn update(&mut self, number: usize, id: i64, value: i64) {
        let expected = self.expected(number, id);
        let actor = &mut self.actors[number];
        let Some(at) = position(&self.table, &mut actor.transaction, id) else { return };
        let outcome = self.table.update_columns(&mut actor.transaction, at, &[(1, ValueRef::Integer(value))]);
        Self::compare(outcome, expected, &format!("update {id}"));
        if expected.is_ok() && outcome_is_done(&self.table, &mut actor.transaction, id, value) {
            actor.rows.insert(id, value);
            actor.changes.insert(id, Some(value));
        }
    }

    fn delete(&mut self, number: usize, id: i64) {
        let expected = self.expected(number, id);
        let actor = &mut self.actors[number];
        let Some(at) = position(&self.table, &mut actor.transaction, id) else { return };
        let outcome = self.table.delete(&mut actor.transaction, at);
        let is_done = matches!(outcome, Ok(Written::Done(_)));
        Self::compare(outcome, expected, &format!("delete {id}"));
        if is_done {
            actor.rows.remove(&id);
            actor.changes.insert(id, None);
        }
    }

    fn compare(outcome: mainstay_types::Result<Written>, expected: Result<(), Code>, what: &str) {
        match (outcome, expected) {
            (Ok(Written::Done(_)), Ok(())) => {}
            // The same value was written and committed by another: the model cannot tell, the store can.
            (Err(error), Ok(()) | Err(Code::LockTimeout)) if error.code() == Code::Conflict => {}
            (Err(error), Err(code)) => assert_eq!(error.code(), code, "{what}"),
            (outcome, expected) => panic!("{what}: {outcome:?} instead of {expected:?}"),
        }
    }

    fn save(&mut self, number: usize) {
        let actor = &mut self.actors[number];
        actor.saved.push((actor.transaction.savepoint(), actor.rows.clone(), actor.changes.clone()));
    }

    fn go_back(&mut self, number: usize) {
        let actor = &mut self.actors[number];
        let Some((savepoint, rows, changes)) = actor.saved.pop() else { return };
        actor.transaction.rollback_to(&savepoint).unwrap();
        (actor.rows, actor.changes) = (rows, changes);
    }

    fn end(&mut self, number: usize, commits: bool) {
        let actor = self.actors.swap_remove(number);
        if !commits {
            return actor.transaction.rollback();
        }
        actor.transaction.commit().unwrap();
        for (id, change) in actor.changes {
            match change {
                Some(value) => self.committed.insert(id, value),
                None => self.committed.remove(&id),
            };
        }
        let expected: Vec<(i64, i64)> = self.committed.iter().map(|(id, value)| (*id, *value)).collect();
        assert_eq!(committed(&self.store, &self.table), expected);
    }
}

/// Returns true if the update that the model allowed was not refused for a reason it cannot know.
fn outcome_is_done(table: &NativeTable, transaction: &mut Transaction, id: i64, value: i64) -> bool {
    seen(table, transaction).contains(&(id, value))
}

#[test]
fn random_transactions_agree_with_the_model() {
    for seed in 1..=if cfg!(miri) { 1 } else { 12 } {
        let mut world = World::new(u64::wrapping_mul(seed, 0x9E37_79B9_7F4A_7C15));
        for _ in 0..if cfg!(miri) { 60 } else { 1_500 } {
            world.step();
        }
        while !world.actors.is_empty() {
            world.end(0, world.actors.len().is_multiple_of(2));
        }
        world.table.vacuum().unwrap();
        assert_eq!(committed(&world.store, &world.table).len(), world.committed.len());
    }
}
