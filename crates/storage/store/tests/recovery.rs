//! The whole store on a file system that loses its power at any operation. Every acknowledged change is there
//! afterwards; of an unacknowledged one, all or nothing; and opening it twice gives the same.
//!
//! Each script keeps a model of the acknowledged state. A commit that was cut off may be there or not, so the model has
//! two states then: before it and after it.

mod common;

use common::catalog::{ascending, column, schema, table};
use common::pair;
use mainstay_store::files::catalog::{CatalogChange, IndexDefinition, SequenceDefinition};
use mainstay_store::{Durability, Isolation, NativeTable, Store, StoreOptions, Transaction};
use mainstay_types::{Result, SqlType, ValueRef};
use mainstay_vfs::{FileSystem, Simulated, explore};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Rows of all tables as text, by the table's name: enough to compare states.
type State = BTreeMap<String, Vec<String>>;

/// The model of a script.
#[derive(Default)]
struct Promised {
    /// The state after the last acknowledged commit.
    certain: State,
    /// The state after the commit that is under way.
    perhaps: Option<State>,
    /// The greatest value that a sequence has given.
    given: i64,
}

impl Promised {
    /// Commits; the outcome is the state that the transaction sees now.
    fn commit(&mut self, store: &Store, mut transaction: Transaction) -> Result<()> {
        transaction.end_statement()?;
        let after = state(store, &mut transaction)?;
        self.perhaps = Some(after.clone());
        transaction.commit()?;
        (self.certain, self.perhaps) = (after, None);
        Ok(())
    }
}

thread_local! {
    /// As [`StoreOptions::whole_bytes`], for the stores of a test.
    static WHOLE_BYTES: Cell<u64> = const { Cell::new(StoreOptions::DEFAULT.whole_bytes) };
}

fn open(fs: &Simulated) -> Result<Store> {
    let options = StoreOptions {
        durability: Durability::Full,
        checkpoint_bytes: None,
        memory_bytes: None,
        whole_bytes: WHOLE_BYTES.get(),
        encodes: true,
    };
    Store::open(Arc::new(fs.clone()), Path::new("data/db"), options)
}

/// Checks that the primary key finds every visible row, and no other.
fn found_by_key(table: &NativeTable, view: mainstay_store::View) -> Result<()> {
    let indexes = table.indexes();
    let Some(column) = indexes.first().filter(|index| index.definition().primary) else { return Ok(()) };
    let column = column.definition().column_numbers()[0];
    let (reader, mut key) = (table.reader(view), Vec::new());
    reader.for_each(&mut |version| {
        let found = reader.get_with(0, &[version.value(column)], &mut key)?.map(|found| found.position);
        assert_eq!(found, Some(version.position), "row {}", version.row_id());
        Ok(ControlFlow::Continue(()))
    })?;
    let mut count = 0;
    reader.scan(0, &[], None, mainstay_store::index::Direction::Descending, true, &mut |_| {
        count += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    assert_eq!(count, reader.count());
    Ok(())
}

/// The state that a transaction sees.
fn state(store: &Store, transaction: &mut Transaction) -> Result<State> {
    let view = transaction.begin_statement()?;
    let catalog = store.catalog_for(transaction);
    let mut state = State::new();
    for definition in &catalog.tables {
        let table = store.table_for(transaction, definition.id)?;
        let mut rows = Vec::new();
        table.reader(view).for_each(&mut |version| {
            let values = (0..definition.columns.len()).map(|column| version.value(column).to_value().to_string());
            rows.push(format!("{} {:?}", version.row_id(), values.collect::<Vec<_>>()));
            Ok(ControlFlow::Continue(()))
        })?;
        found_by_key(&table, view)?;
        rows.sort();
        let columns: Vec<&str> = definition.columns.iter().map(|column| column.name.as_str()).collect();
        let indexes = table.definition().indexes.len();
        state.insert(format!("{} {columns:?} {indexes} indexes", definition.name), rows);
    }
    Ok(state)
}

fn begin(store: &Store) -> Transaction {
    store.begin(Isolation::ReadCommitted)
}

fn named(store: &Store, name: &str) -> Result<Arc<NativeTable>> {
    store.table(name)
}

fn put(store: &Store, name: &str, promised: &mut Promised, rows: std::ops::Range<i64>) -> Result<()> {
    let table = named(store, name)?;
    for i in rows {
        let mut transaction = begin(store);
        table.insert(&mut transaction, &pair(i, i)[..])?;
        promised.commit(store, transaction)?;
    }
    Ok(())
}

fn change(store: &Store, promised: &mut Promised, changes: Vec<CatalogChange>) -> Result<()> {
    let mut transaction = begin(store);
    for change in changes {
        store.change_catalog(&mut transaction, change)?;
    }
    promised.commit(store, transaction)
}

fn start(fs: &Simulated, promised: &mut Promised) -> Result<Store> {
    fs.create_folder(Path::new("data"))?;
    fs.sync_folder(Path::new(""))?;
    let store = open(fs)?;
    let tables = vec![CatalogChange::PutTable(table(10, "a")), CatalogChange::PutTable(table(20, "b"))];
    change(&store, promised, [vec![schema()], tables].concat())?;
    Ok(store)
}

/// Single inserts, a checkpoint between them, and opening again.
fn autocommit(fs: &Simulated, promised: &mut Promised) -> Result<()> {
    let store = start(fs, promised)?;
    put(&store, "a", promised, 0..4)?;
    store.checkpoint()?;
    put(&store, "a", promised, 4..7)?;
    drop(store);
    let store = open(fs)?;
    put(&store, "b", promised, 0..2)?;
    store.close()?;
    let store = open(fs)?;
    put(&store, "a", promised, 7..9)
}

/// Transactions over two tables, updates, deletes, savepoints and rollbacks.
fn transactions(fs: &Simulated, promised: &mut Promised) -> Result<()> {
    let store = start(fs, promised)?;
    let (a, b) = (named(&store, "a")?, named(&store, "b")?);
    for round in 0..6 {
        let mut transaction = begin(&store);
        for i in 0..40 {
            a.insert(&mut transaction, &pair(round * 100 + i, i)[..])?;
            b.insert(&mut transaction, &pair(round * 100 + i, -i)[..])?;
        }
        if round > 0 {
            for i in 0..20 {
                common::set(&a, &mut transaction, (round - 1) * 100 + i, 7 + i)?;
            }
            for i in 20..30 {
                let gone = common::position(&b, &mut transaction, (round - 1) * 100 + i).unwrap_or(0);
                b.delete(&mut transaction, gone)?;
            }
        }
        let savepoint = transaction.savepoint();
        a.insert(&mut transaction, &pair(10_000 + round, 0)[..])?;
        transaction.rollback_to(&savepoint)?;
        if round == 2 {
            transaction.rollback();
            // Its keys are free again.
            put(&store, "b", promised, 200..201)?;
            let mut transaction = begin(&store);
            let gone = common::position(&b, &mut transaction, 200).unwrap_or(0);
            b.delete(&mut transaction, gone)?;
            promised.commit(&store, transaction)?;
            put(&store, "a", promised, 200..240)?;
            let mut transaction = begin(&store);
            (200..240).try_for_each(|i| b.insert(&mut transaction, &pair(i, i)[..]).map(|_| ()))?;
            promised.commit(&store, transaction)?;
            continue;
        }
        promised.commit(&store, transaction)?;
        if round == 3 {
            store.checkpoint()?;
        }
    }
    store.checkpoint()
}

/// Tables, columns and indexes come and go, some of it rolled back; sequences.
fn definitions(fs: &Simulated, promised: &mut Promised) -> Result<()> {
    let store = start(fs, promised)?;
    put(&store, "a", promised, 0..3)?;
    let sequence = SequenceDefinition {
        id: 30,
        schema: 1,
        name: "numbers".into(),
        start: 1,
        increment: 1,
        minimum: 1,
        maximum: i64::MAX,
        cycle: false,
        owned_by: None,
        declared: None,
    };
    change(&store, promised, vec![CatalogChange::PutSequence(sequence)])?;
    for _ in 0..40 {
        promised.given = store.next_value(&begin(&store), 30)?;
    }
    let mut wider = table(10, "a");
    wider.columns.push(column(40, "note", SqlType::TEXT));
    let mut transaction = begin(&store);
    named(&store, "a")?.insert(&mut transaction, &pair(3, 3)[..])?;
    store.change_catalog(&mut transaction, CatalogChange::PutTable(wider.clone()))?;
    let a = store.table_for(&transaction, 10)?;
    a.insert(
        &mut transaction,
        &[ValueRef::Integer(4), ValueRef::Null, ValueRef::Text("a longer text than twelve")][..],
    )?;
    promised.commit(&store, transaction)?;
    store.checkpoint()?;
    put(&store, "b", promised, 20..22)?;
    // A checkpoint while a change is open, once for a transaction that commits and once for one that does not.
    for (number, commits) in [(51, false), (52, true)] {
        let mut transaction = begin(&store);
        named(&store, "b")?.insert(&mut transaction, &pair(number, 1)[..])?;
        let index = IndexDefinition {
            id: number as u64,
            name: "open".into(),
            unique: false,
            columns: ascending(&[22]),
            nulls_not_distinct: false,
            filter: Vec::new(),
        };
        store.change_catalog(&mut transaction, CatalogChange::PutIndex { table: 20, index })?;
        let b = store.table_for(&transaction, 20)?;
        (0..80).try_for_each(|i| b.insert(&mut transaction, &pair(number * 100 + i, i)[..]).map(|_| ()))?;
        store.checkpoint()?;
        b.insert(&mut transaction, &pair(number + 10, 1)[..])?;
        if commits {
            promised.commit(&store, transaction)?;
        } else {
            transaction.rollback();
        }
    }
    put(&store, "b", promised, 10..12)?;
    store.checkpoint()?;
    // An index, and a table that another one refers to; then all of that again, rolled back.
    let index = IndexDefinition {
        id: 50,
        name: "by_value".into(),
        unique: false,
        columns: ascending(&[12]),
        nulls_not_distinct: false,
        filter: Vec::new(),
    };
    change(&store, promised, vec![CatalogChange::PutIndex { table: 10, index }])?;
    let mut transaction = begin(&store);
    store.change_catalog(&mut transaction, CatalogChange::DropTable(20))?;
    store.change_catalog(&mut transaction, CatalogChange::PutTable(table(60, "c")))?;
    store.table_for(&transaction, 60)?.insert(&mut transaction, &pair(1, 1)[..])?;
    transaction.rollback();
    put(&store, "b", promised, 0..2)?;
    change(&store, promised, vec![CatalogChange::DropTable(20), CatalogChange::PutTable(table(60, "c"))])?;
    put(&store, "c", promised, 0..2)?;
    store.checkpoint()?;
    let mut narrow = wider;
    narrow.columns.remove(1);
    narrow.name = "renamed".into();
    change(&store, promised, vec![CatalogChange::PutTable(narrow)])?;
    promised.given = store.next_value(&begin(&store), 30)?;
    Ok(())
}

type Script = fn(&Simulated, &mut Promised) -> Result<()>;

fn work(script: Script) -> impl Fn(&Simulated) -> Promised {
    move |fs| {
        let mut promised = Promised::default();
        // The crash ends it, wherever it comes.
        drop(script(fs, &mut promised));
        promised
    }
}

fn found(fs: &Simulated) -> Result<State> {
    let store = open(fs)?;
    let mut transaction = begin(&store);
    state(&store, &mut transaction)
}

fn check(fs: &Simulated, promised: &Promised) -> Result<(), String> {
    let text = |error| format!("{error:?}");
    if !fs.is_folder(Path::new("data")) {
        return if promised.certain.is_empty() { Ok(()) } else { Err("the folder is gone".to_owned()) };
    }
    // As it is found, killed right after it was opened, and closed.
    let first = open(fs).map_err(text)?;
    let killed = fs.after_kill();
    let seen = state(&first, &mut begin(&first)).map_err(text)?;
    if seen != promised.certain && promised.perhaps.as_ref() != Some(&seen) {
        return Err(format!("found {seen:?}\nwanted {:?}\nor {:?}", promised.certain, promised.perhaps));
    }
    let has_sequence = first.catalog().sequences.iter().any(|sequence| sequence.id == 30);
    if promised.given > 0 || has_sequence {
        let next = first.next_value(&begin(&first), 30).map_err(text)?;
        if next <= promised.given {
            return Err(format!("the sequence gives {next} after {}", promised.given));
        }
    }
    drop(first);
    for again in [fs, &killed] {
        if found(again).map_err(text)? != seen {
            return Err("opened again, it is another".to_owned());
        }
        let findings = Store::check(Arc::new(again.clone()), Path::new("data/db")).map_err(text)?;
        if !findings.is_empty() {
            return Err(format!("{findings:?}"));
        }
    }
    // It continues normally.
    let store = open(fs).map_err(text)?;
    if let Ok(a) = store.table("b") {
        let mut transaction = begin(&store);
        a.insert(&mut transaction, &pair(-5, 5)[..]).map_err(text)?;
        transaction.commit().map_err(text)?;
        drop(store);
        let rows = found(fs).map_err(text)?.into_iter().find(|(name, _)| name.starts_with('b'));
        if rows.is_none_or(|(_, rows)| !rows.iter().any(|row| row.contains("-5"))) {
            return Err("a later commit is missing".to_owned());
        }
    }
    Ok(())
}

fn explored(script: Script, least: u64) {
    let mut promised = Promised::default();
    script(&Simulated::new(), &mut promised).unwrap();
    let states = explore(0..3, work(script), check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > least, "{states} states");
}

#[test]
fn single_inserts_survive_every_crash() {
    explored(autocommit, 200);
}

#[test]
fn transactions_survive_every_crash_whole() {
    explored(transactions, 200);
}

#[test]
fn definitions_and_sequences_survive_every_crash() {
    explored(definitions, 200);
}

/// The same where nothing is small: indexes are kept by checkpoints, and rows are read when they are needed.
#[test]
fn tables_that_are_not_read_whole_survive_every_crash() {
    WHOLE_BYTES.set(0);
    explored(autocommit, 200);
    explored(transactions, 200);
    explored(definitions, 200);
}
