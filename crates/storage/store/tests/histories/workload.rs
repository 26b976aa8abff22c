//! Threads that run random transactions against a store, and record their reads.
//!
//! A list is a row: its key, and its values as bytes. An append is what `UPDATE lists SET list = list || value` does: it
//! reads the newest version that it may change, and inserts the row where there is none. A read goes through the key, a
//! range of it, or the whole table. Keys are used for a while and then left, so that lists stay short.
//!
//! The seed determines the operations of each thread; their interleaving varies.

use crate::common::column;
use crate::history::{History, Operation, Recorded};
use mainstay_columnar::{Comparison, Predicate};
use mainstay_store::group::offset_of;
use mainstay_store::index::Direction;
use mainstay_store::key::KeyRange;
use mainstay_store::stamp::ABORTED;
use mainstay_store::{Isolation, NativeTable, Read, Store, TableDefinition, Transaction, Version, View, Written};
use mainstay_types::{Code, Error, Result, SqlType, Value, ValueRef};
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Keys that are in use at a time.
const KEYS: u64 = 4;
/// Transactions of a thread after which it switches to the next keys.
const TURN: u64 = 12;

/// A rule of the store's that is broken, to see whether that is found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// None.
    Nothing,
    /// Reads show what is not committed.
    DirtyReads,
    /// Reads are done by a transaction of their own.
    ReadsElsewhere,
    /// Reads use a view that an earlier transaction took.
    StaleReads,
    /// A transaction commits in the middle, and continues as another one.
    Splits,
    /// The reads are not reported to the store, so that it cannot validate them.
    ForgetsReads,
    /// A transaction that finds a row changed overwrites it with its earlier result.
    Overwrites,
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub isolation: Isolation,
    pub broken: Broken,
    pub threads: u64,
    /// Transactions of each thread.
    pub transactions: u64,
    pub seed: u64,
}

/// The table of the lists.
pub fn lists() -> TableDefinition {
    let columns = vec![column("key", SqlType::BigInt), column("list", SqlType::VarBinary { length: None })];
    TableDefinition::new("lists", columns).with_primary_key(&[0])
}

/// Runs a plan on an empty table of [`lists`]; `beside` is called over and over meanwhile.
pub fn run(store: &Store, table: &Arc<NativeTable>, plan: Plan, beside: impl Fn(&Store) + Sync) -> History {
    let clock = AtomicU64::new(1);
    let stop = AtomicBool::new(false);
    let old = View::at(store.published(), 0);
    let mut history = History::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.threads)
            .map(|number| {
                let random = Random((plan.seed << 8 | number).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
                let mut session = Session { store, table, plan, number, clock: &clock, random, old, next_value: 0 };
                scope
                    .spawn(move || (0..plan.transactions).map(|turn| session.transact(turn / TURN)).collect::<Vec<_>>())
            })
            .collect();
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                beside(store);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        // All of them first: a thread that panicked must not leave the one beside them running.
        let recorded: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        stop.store(true, Ordering::Relaxed);
        history.transactions = recorded.into_iter().flat_map(|recorded| recorded.unwrap()).collect();
    });
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let view = transaction.begin_statement().unwrap();
    visit(table, view, &mut |version| {
        history.last.insert(name(key_of(&version)), list_of(version.value(1)));
    })
    .unwrap();
    history
}

/// A small generator of numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

/// A thread's part.
struct Session<'s> {
    store: &'s Store,
    table: &'s Arc<NativeTable>,
    plan: Plan,
    number: u64,
    clock: &'s AtomicU64,
    random: Random,
    old: View,
    next_value: u64,
}

impl Session<'_> {
    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Runs a transaction over the keys of a turn.
    fn transact(&mut self, turn: u64) -> Recorded {
        let mut recorded = Recorded { began: self.tick(), ..Recorded::default() };
        let mut transaction = self.store.begin(self.plan.isolation);
        let steps = 1 + self.random.below(6);
        let outcome = (0..steps).try_for_each(|step| {
            if self.plan.broken == Broken::Splits && step > 0 && self.random.below(2) == 0 {
                let next = self.store.begin(self.plan.isolation);
                std::mem::replace(&mut transaction, next).commit()?;
            }
            self.step(&mut transaction, turn, &mut recorded.operations)
        });
        recorded.is_committed = match outcome {
            Ok(()) if self.random.below(16) > 0 => transaction.commit().is_ok(),
            Ok(()) => {
                transaction.rollback();
                false
            }
            Err(error) => {
                let expected = [Code::Conflict, Code::Deadlock, Code::UniqueViolation];
                assert!(expected.contains(&error.code()), "{error:?} in {:?}", self.plan);
                false
            }
        };
        recorded.ended = self.tick();
        recorded
    }

    fn step(&mut self, transaction: &mut Transaction, turn: u64, done: &mut Vec<Operation>) -> Result<()> {
        if self.random.below(3) == 0 {
            std::thread::yield_now();
        }
        let key = turn * KEYS + self.random.below(KEYS);
        match self.random.below(16) {
            0..=6 => self.append(transaction, key, done),
            7 => {
                let (savepoint, before) = (transaction.savepoint(), done.len());
                self.append(transaction, key, done)?;
                if self.random.below(2) == 0 {
                    let other = turn * KEYS + self.random.below(KEYS);
                    self.append(transaction, other, done)?;
                }
                transaction.rollback_to(&savepoint)?;
                done[before..].iter_mut().for_each(|operation| {
                    if let Operation::Append { key, value } = operation {
                        *operation = Operation::Undone { key: key.clone(), value: *value };
                    }
                });
                Ok(())
            }
            8..=11 => self.read(transaction, key, done),
            12..=13 => self.read_range(transaction, key, done),
            _ => self.read_all(transaction, turn, done),
        }
    }

    /// `UPDATE lists SET list = list || value WHERE key = ...`, and an INSERT where that finds nothing.
    fn append(&mut self, transaction: &mut Transaction, key: u64, done: &mut Vec<Operation>) -> Result<()> {
        let value = self.number << 32 | self.next_value;
        self.next_value += 1;
        loop {
            match self.append_once(transaction, key, value) {
                // Another transaction has inserted the row since the view was taken: read committed reads again.
                Err(error)
                    if error.code() == Code::UniqueViolation && self.plan.isolation == Isolation::ReadCommitted => {}
                Err(error) => return Err(error),
                Ok(()) => break,
            }
        }
        transaction.end_statement()?;
        done.push(Operation::Append { key: name(key), value });
        Ok(())
    }

    fn append_once(&mut self, transaction: &mut Transaction, key: u64, value: u64) -> Result<()> {
        let view = transaction.begin_statement()?;
        self.note(transaction, Read::Where(equal(key)));
        let number = ValueRef::Integer(key as i64);
        let found = self.table.reader(view).get(0, &[number])?.map(|version| version.position);
        let Some(mut position) = found else {
            self.table.insert(transaction, &[number, ValueRef::Binary(&value.to_le_bytes())][..])?;
            return Ok(());
        };
        let mut list = self.list_at(position)?;
        loop {
            list.extend_from_slice(&value.to_le_bytes());
            match self.table.update_columns(transaction, position, &[(1, ValueRef::Binary(&list))])? {
                Written::Done(_) => return Ok(()),
                Written::Moved(newest) if self.plan.broken == Broken::Overwrites => {
                    list.truncate(list.len() - 8);
                    position = newest;
                }
                Written::Moved(newest) => {
                    list = self.list_at(newest)?;
                    position = newest;
                }
                Written::Deleted | Written::Gone => return Err(Error::new(Code::Internal, "a list is gone")),
            }
        }
    }

    /// The bytes of the list at a position.
    fn list_at(&self, position: u64) -> Result<Vec<u8>> {
        let gone = || Error::new(Code::Internal, "a list is nowhere");
        let (position, group) = self.table.resolve(position).ok_or_else(gone)?;
        match group.value(offset_of(position), 1) {
            ValueRef::Binary(bytes) => Ok(bytes.to_vec()),
            _ => Err(gone()),
        }
    }

    fn read(&mut self, transaction: &mut Transaction, key: u64, done: &mut Vec<Operation>) -> Result<()> {
        self.note(transaction, Read::Where(equal(key)));
        let view = self.view(transaction)?;
        let mut reader = self.table.reader(view);
        let found = reader.get(0, &[ValueRef::Integer(key as i64)])?;
        let list = found.map_or(Vec::new(), |version| list_of(version.value(1)));
        done.push(Operation::Read { key: name(key), list });
        transaction.end_statement()
    }

    /// `SELECT ... WHERE key BETWEEN key AND key + 1`.
    fn read_range(&mut self, transaction: &mut Transaction, key: u64, done: &mut Vec<Operation>) -> Result<()> {
        let both =
            Predicate::And(vec![compare(Comparison::GreaterOrEqual, key), compare(Comparison::LessOrEqual, key + 1)]);
        self.note(transaction, Read::Where(both));
        let view = self.view(transaction)?;
        let reader = self.table.reader(view);
        let bound = |key: u64| Bound::Included(ValueRef::Integer(key as i64));
        let KeyRange { low, high } = self.table.indexes()[0].encoder().range(&[], bound(key), bound(key + 1))?;
        let mut lists = [Vec::new(), Vec::new()];
        reader.scan(0, &low, high.as_deref(), Direction::Ascending, true, &mut |position| {
            let version = match reader.version(position) {
                Some(version) => version,
                // Uncommitted rows may be rolled back between two reads.
                None if self.plan.broken == Broken::DirtyReads => return Ok(ControlFlow::Continue(())),
                None => return Err(Error::new(Code::Internal, "a version of a range is not seen")),
            };
            lists[(key_of(&version) - key) as usize] = list_of(version.value(1));
            Ok(ControlFlow::Continue(()))
        })?;
        let lists = (key..).zip(lists).map(|(key, list)| Operation::Read { key: name(key), list });
        done.extend(lists);
        transaction.end_statement()
    }

    /// `SELECT * FROM lists`; the keys of a turn are written down.
    fn read_all(&mut self, transaction: &mut Transaction, turn: u64, done: &mut Vec<Operation>) -> Result<()> {
        self.note(transaction, Read::Everything);
        let view = self.view(transaction)?;
        let keys = turn * KEYS..(turn + 1) * KEYS;
        let mut lists: Vec<Vec<u64>> = vec![Vec::new(); KEYS as usize];
        visit(self.table, view, &mut |version| {
            let key = key_of(&version);
            if keys.contains(&key) {
                lists[(key - keys.start) as usize] = list_of(version.value(1));
            }
        })?;
        let lists = keys.clone().zip(lists).map(|(key, list)| Operation::Read { key: name(key), list });
        done.extend(lists);
        transaction.end_statement()
    }

    fn note(&self, transaction: &mut Transaction, read: Read) {
        if self.plan.broken != Broken::ForgetsReads {
            transaction.note_read(self.table, read);
        }
    }

    /// The view of a read of this transaction.
    fn view(&mut self, transaction: &mut Transaction) -> Result<View> {
        let view = transaction.begin_statement()?;
        Ok(match self.plan.broken {
            Broken::DirtyReads => View::at(ABORTED - 1, 0),
            Broken::ReadsElsewhere => View::at(self.store.published(), view.mark),
            Broken::StaleReads => {
                let old = self.old;
                if self.random.below(8) == 0 {
                    self.old = View::at(view.commit, 0);
                }
                View::at(old.commit, view.mark)
            }
            _ => view,
        })
    }
}

/// Visits every list that a view sees.
fn visit(table: &NativeTable, view: View, visit: &mut dyn FnMut(Version<'_>)) -> Result<()> {
    table.reader(view).for_each(&mut |version| {
        visit(version);
        Ok(ControlFlow::Continue(()))
    })
}

fn name(key: u64) -> String {
    format!("k{key}")
}

fn key_of(version: &Version<'_>) -> u64 {
    crate::common::integer(version, 0) as u64
}

fn list_of(value: ValueRef<'_>) -> Vec<u64> {
    match value {
        ValueRef::Binary(bytes) => bytes
            .chunks_exact(8)
            .map(|value| value.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
            .collect(),
        other => panic!("{other:?} is no list"),
    }
}

fn equal(key: u64) -> Predicate {
    compare(Comparison::Equal, key)
}

fn compare(op: Comparison, key: u64) -> Predicate {
    Predicate::Compare { column: 0, op, value: Value::Integer(key as i64) }
}
