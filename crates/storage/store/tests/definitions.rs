//! Locks of definitions and names: operations of several transactions that run side by side, operations that wait,
//! and their results in the catalog, in memory and after a crash.

mod common;

use common::catalog::{column, create, rows, schema, table};
use common::{Random, begin, open, pair, reference, until_waiting};
use mainstay_store::files::catalog::{CatalogChange, Deferrable, IndexDefinition, TableDefinition, ViewDefinition};
use mainstay_store::{Isolation, LockMode, Store, Transaction};
use mainstay_types::{Code, Result, SqlType, ValueRef};
use mainstay_vfs::Simulated;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn put(store: &Store, transaction: &mut Transaction, table: TableDefinition) -> Result<()> {
    store.change_catalog(transaction, CatalogChange::PutTable(table))
}

/// The definition of a table with a column more.
fn wider(store: &Store, id: u64, name: &str) -> TableDefinition {
    let mut definition = store.catalog().table(id).unwrap().clone();
    definition.columns.push(column(store.new_id(), name, SqlType::TEXT));
    definition
}

/// A store in a folder with two tables.
fn two() -> (Simulated, Store, u64, u64) {
    let fs = Simulated::new();
    let store = open(&fs);
    let (one, other) = (create(&store, "one"), create(&store, "other"));
    (fs, store, one, other)
}

#[test]
fn a_change_of_one_table_keeps_nobody_from_another() {
    let (fs, store, one, other) = two();
    let mut writer = begin(&store);
    store.table_of(other).unwrap().insert(&mut writer, &pair(1, 1)[..]).unwrap();
    let mut altering = begin(&store);
    put(&store, &mut altering, wider(&store, one, "note")).unwrap();
    let mut creating = begin(&store);
    put(&store, &mut creating, table(500, "third")).unwrap();
    store.table_for(&creating, 500).unwrap().insert(&mut creating, &pair(3, 3)[..]).unwrap();
    // Tables that one transaction has created are invisible to others, and tables that others have committed are
    // visible to it.
    assert!(store.catalog_for(&altering).table(500).is_none());
    store.table_of(other).unwrap().insert(&mut begin(&store), &pair(2, 2)[..]).unwrap();
    writer.commit().unwrap();
    creating.commit().unwrap();
    assert!(store.catalog_for(&altering).table(500).is_some());
    assert_eq!(store.catalog_for(&altering).table(one).unwrap().columns.len(), 3);
    altering.commit().unwrap();
    assert_eq!(store.catalog().table(one).unwrap().columns.len(), 3);
    for store in [&open(&fs.after_crash(0)), &store] {
        assert_eq!(store.catalog().table(one).unwrap().columns.len(), 3);
        assert_eq!((rows(store, other), rows(store, 500)), (vec![(1, 1)], vec![(3, 3)]));
    }
}

#[test]
fn a_savepoint_takes_own_changes_back_and_not_those_of_others() {
    let (fs, store, one, other) = two();
    let mut mine = begin(&store);
    put(&store, &mut mine, wider(&store, one, "kept")).unwrap();
    let savepoint = mine.savepoint();
    put(&store, &mut mine, table(500, "mine")).unwrap();
    let mut theirs = begin(&store);
    put(&store, &mut theirs, wider(&store, other, "theirs")).unwrap();
    put(&store, &mut theirs, table(600, "new")).unwrap();
    theirs.commit().unwrap();
    assert!(store.catalog_for(&mine).table(600).is_some());
    mine.rollback_to(&savepoint).unwrap();
    let catalog = store.catalog_for(&mine);
    assert!(catalog.table(500).is_none() && catalog.table(600).is_some());
    assert_eq!(catalog.table(other).unwrap().columns.len(), 3);
    mine.commit().unwrap();
    for store in [&open(&fs.after_crash(0)), &store] {
        let catalog = store.catalog();
        assert!(catalog.table(500).is_none() && catalog.table(600).is_some());
        assert_eq!([one, other].map(|id| catalog.table(id).unwrap().columns.len()), [3, 3]);
    }
}

/// The open change has taken the groups of the table over, and others read them where they were.
#[test]
fn a_checkpoint_during_an_open_change_takes_no_rows_from_readers() {
    for commits in [true, false] {
        let (fs, store, one, _) = two();
        let mut transaction = begin(&store);
        let table = store.table_of(one).unwrap();
        // Some full groups, whose stamps a checkpoint gives up.
        let expected: Vec<(i64, i64)> = (0..300).map(|id| (id, -id)).collect();
        for (id, value) in &expected {
            table.insert(&mut transaction, &pair(*id, *value)[..]).unwrap();
        }
        transaction.commit().unwrap();
        let mut altering = begin(&store);
        let index = IndexDefinition {
            id: store.new_id(),
            name: "by_value".into(),
            unique: true,
            columns: common::catalog::ascending(&[one + 2]),
            nulls_not_distinct: false,
            filter: Vec::new(),
        };
        store.change_catalog(&mut altering, CatalogChange::PutIndex { table: one, index }).unwrap();
        store.checkpoint().unwrap();
        assert_eq!(rows(&store, one), expected);
        match commits {
            true => drop(altering.commit().unwrap()),
            false => altering.rollback(),
        }
        for store in [&open(&fs.after_crash(0)), &store] {
            assert_eq!(rows(store, one), expected);
        }
    }
}

#[test]
fn of_two_that_create_the_same_name_the_second_waits_and_is_told() {
    for commits in [true, false] {
        let (_, store, ..) = two();
        let mut first = begin(&store);
        put(&store, &mut first, table(500, "same")).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let mut second = begin(&store);
                let done = put(&store, &mut second, table(600, "SAME"));
                done.and_then(|()| second.commit().map(|_| ()))
            });
            until_waiting(&store, 1);
            if commits {
                first.commit().map(|_| ()).unwrap()
            } else {
                first.rollback()
            }
            let done = second.join().unwrap();
            assert_eq!(done.err().map(|error| error.code()), commits.then_some(Code::DefinitionChanged));
        });
        let named = store.catalog().tables.iter().filter(|it| it.name.to_lowercase() == "same").count();
        assert_eq!(named, 1);
    }
}

#[test]
fn a_change_that_was_made_for_what_is_no_more_is_told() {
    let (_, store, one, _) = two();
    let mut first = begin(&store);
    put(&store, &mut first, wider(&store, one, "a")).unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let mut second = begin(&store);
            let definition = wider(&store, one, "b");
            let error = put(&store, &mut second, definition).unwrap_err();
            assert_eq!(error.code(), Code::DefinitionChanged);
            let savepoint = second.savepoint();
            second.rollback_to(&savepoint).unwrap();
            let mut again = store.catalog_to_change(&second).table(one).unwrap().clone();
            again.columns.push(column(store.new_id(), "b", SqlType::TEXT));
            put(&store, &mut second, again).unwrap();
            second.commit().unwrap();
        });
        until_waiting(&store, 1);
        first.commit().unwrap();
        second.join().unwrap();
    });
    let names: Vec<String> = store.catalog().table(one).unwrap().columns.iter().map(|it| it.name.clone()).collect();
    assert_eq!(names, ["id", "value", "a", "b"]);
}

#[test]
fn waits_for_definitions_and_names_end_after_their_time() {
    let (_, store, one, _) = two();
    let short = Some(Duration::from_millis(20));
    let mut changer = begin(&store);
    put(&store, &mut changer, wider(&store, one, "note")).unwrap();
    let view = ViewDefinition { id: 700, schema: 1, name: "v".into(), columns: vec![], text: "SELECT 1".into() };
    store.change_catalog(&mut changer, CatalogChange::PutView(view.clone())).unwrap();
    let refused = |work: &dyn Fn(&mut Transaction) -> Result<()>| {
        let mut late = begin(&store);
        late.set_lock_timeout(short);
        late.set_statement("LATE");
        let error = work(&mut late).unwrap_err();
        assert_eq!(error.code(), Code::LockTimeout);
        error.message().to_owned()
    };
    let told = refused(&|late| store.table_of(one)?.insert(late, &pair(1, 1)[..]).map(|_| ()));
    assert_eq!(told, "\"LATE\" waited 20 ms for the definition of one that another transaction holds");
    let told = refused(&|late| put(&store, late, table(800, "V")));
    assert_eq!(told, "\"LATE\" waited 20 ms for the name v that another transaction holds");
    // A transaction that has given up blocks no other.
    changer.rollback();
    let mut writer = begin(&store);
    store.table_of(one).unwrap().insert(&mut writer, &pair(1, 1)[..]).unwrap();
    let told = refused(&|late| put(&store, late, wider(&store, one, "note")));
    assert_eq!(told, "\"LATE\" waited 20 ms for the definition of one that another transaction holds");
    store.table_of(one).unwrap().insert(&mut begin(&store), &pair(2, 2)[..]).unwrap();
}

#[test]
fn deadlocks_of_definitions_names_and_rows_are_found() {
    let (_, store, one, other) = two();
    // Each has one table, and wants the other's.
    let (mut first, mut second) = (begin(&store), begin(&store));
    first.set_statement("ALTER TABLE one");
    second.set_statement("INSERT other");
    put(&store, &mut first, wider(&store, one, "note")).unwrap();
    store.table_of(other).unwrap().insert(&mut second, &pair(1, 1)[..]).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let done = put(&store, &mut first, wider(&store, other, "note"));
            done.and_then(|()| first.commit().map(|_| ()))
        });
        until_waiting(&store, 1);
        let error = store.table_of(one).unwrap().insert(&mut second, &pair(1, 1)[..]).unwrap_err();
        assert_eq!(error.code(), Code::Deadlock);
        assert_eq!(error.message(), "deadlock: \"INSERT other\" and \"ALTER TABLE one\" wait for each other");
        second.rollback();
        waiting.join().unwrap().unwrap();
    });
    // Two writers of a table that both want to change it.
    let (mut first, mut second) = (begin(&store), begin(&store));
    for (key, writer) in [(1, &mut first), (2, &mut second)] {
        let row = [ValueRef::Integer(key), ValueRef::Null, ValueRef::Null];
        store.table_of(one).unwrap().insert(writer, &row[..]).unwrap();
    }
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| put(&store, &mut first, wider(&store, one, "more")));
        until_waiting(&store, 1);
        let error = put(&store, &mut second, wider(&store, one, "other")).unwrap_err();
        assert_eq!(error.code(), Code::Deadlock);
        second.rollback();
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn readers_have_a_table_as_it_was_until_the_change_is_committed() {
    let (_, store, one, _) = two();
    common::catalog::insert(&store, one, 0..2000).unwrap();
    let old = store.table_of(one).unwrap();
    let mut snapshot = store.begin(Isolation::Snapshot);
    let before = snapshot.begin_statement().unwrap();
    let mut altering = begin(&store);
    let index = IndexDefinition {
        id: store.new_id(),
        name: "by_value".into(),
        unique: false,
        columns: common::catalog::ascending(&[one + 2]),
        nulls_not_distinct: false,
        filter: Vec::new(),
    };
    store.change_catalog(&mut altering, CatalogChange::PutIndex { table: one, index }).unwrap();
    // New versions of rows go where the old table has no groups. Its indexes lead there, too.
    let new = store.table_for(&altering, one).unwrap();
    for key in 0..2000 {
        common::set(&new, &mut altering, key, -key).unwrap();
    }
    let by_key = |view| {
        let mut reader = old.reader(view);
        let mut value = |key| reader.get(0, &[ValueRef::Integer(key)]).unwrap().map(|it| common::integer(&it, 1));
        (0..2000).all(|key| value(key) == Some(key))
    };
    assert!(by_key(old.current_view()) && rows(&store, one) == (0..2000).map(|key| (key, key)).collect::<Vec<_>>());
    altering.commit().unwrap();
    assert!(by_key(before), "a view from before goes on");
    old.check_seen(before).unwrap();
    assert_eq!(old.check_seen(old.current_view()).unwrap_err().code(), Code::DefinitionChanged);
    assert!(rows(&store, one) == (0..2000).map(|key| (key, -key)).collect::<Vec<_>>());
    // Where the rows were written anew, an older view would find none.
    let mut altering = begin(&store);
    put(&store, &mut altering, wider(&store, one, "note")).unwrap();
    altering.commit().unwrap();
    let copied = store.table_of(one).unwrap();
    assert_eq!(copied.check_seen(before).unwrap_err().code(), Code::Conflict);
    copied.check_seen(copied.current_view()).unwrap();
}

#[test]
fn references_are_changed_while_nobody_writes_either_table() {
    let (_, store, parent, child) = two();
    common::catalog::insert(&store, parent, 0..3).unwrap();
    let mut writer = begin(&store);
    let gone = common::position(&store.table_of(parent).unwrap(), &mut writer, 2).unwrap();
    store.table_of(parent).unwrap().delete(&mut writer, gone).unwrap();
    let mut definition = store.catalog().table(child).unwrap().clone();
    definition.foreign_keys.push(reference(child + 2, parent, Deferrable::No));
    std::thread::scope(|scope| {
        let altering = scope.spawn(|| {
            let mut altering = begin(&store);
            put(&store, &mut altering, definition).unwrap();
            altering.end_statement().unwrap();
            altering.commit().unwrap();
        });
        until_waiting(&store, 1);
        writer.commit().unwrap();
        altering.join().unwrap();
    });
    let mut late = begin(&store);
    store.table_of(child).unwrap().insert(&mut late, &pair(1, 2)[..]).unwrap();
    assert_eq!(late.end_statement().unwrap_err().code(), Code::ForeignKeyViolation);
}

#[test]
fn what_is_locked_waits_for_a_change_too() {
    let (_, store, one, _) = two();
    common::catalog::insert(&store, one, 0..3).unwrap();
    let mut holder = begin(&store);
    let table = store.table_of(one).unwrap();
    let position = common::position(&table, &mut holder, 1).unwrap();
    table.lock(&mut holder, position, LockMode::Share).unwrap();
    let mut altering = begin(&store);
    altering.set_lock_timeout(Some(Duration::from_millis(5)));
    let error = put(&store, &mut altering, wider(&store, one, "note")).unwrap_err();
    assert_eq!(error.code(), Code::LockTimeout);
}

/// Threads that create, alter and drop tables, refer from one to the other, and write them, at random. All failures
/// have one of the expected reasons; no thread waits for ever; committed data is there, in memory and after a crash.
#[test]
fn many_define_and_write_at_once() {
    let seed = std::env::var("MAINSTAY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1_u64);
    let fs = Simulated::new();
    let store = open(&fs);
    let fixed: Vec<u64> = (0..3).map(|number| create(&store, &format!("fixed{number}"))).collect();
    let (rows_of, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let running = AtomicU64::new(4);
    let deadline = Instant::now() + Duration::from_secs(60);
    std::thread::scope(|scope| {
        // Beside them rows are cleaned up and checkpoints taken.
        scope.spawn(|| {
            while running.load(Ordering::Relaxed) > 0 && Instant::now() < deadline {
                store.vacuum().unwrap();
                store.checkpoint().unwrap();
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        for thread in 0..4 {
            let (store, fixed, rows_of, done, running) = (&store, &fixed, &rows_of, &done, &running);
            scope.spawn(move || {
                let mut random = Random((seed * 16 + thread + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
                for round in 0..60 {
                    let mut transaction = begin(store);
                    transaction.set_statement(format!("transaction {round} of thread {thread}"));
                    let mut inserted = 0;
                    let outcome = (0..1 + random.below(5)).try_for_each(|_| {
                        let rows = step(store, &mut transaction, fixed, &mut random)?;
                        inserted += rows;
                        transaction.end_statement()
                    });
                    let is_wanted = random.below(8) > 0;
                    let outcome = match outcome {
                        Ok(()) if is_wanted => transaction.commit().map(|_| ()),
                        other => {
                            transaction.rollback();
                            inserted = 0;
                            other
                        }
                    };
                    match outcome {
                        Ok(()) => {
                            rows_of.fetch_add(inserted, Ordering::Relaxed);
                            done.fetch_add(u64::from(is_wanted), Ordering::Relaxed);
                        }
                        Err(error) => assert!(is_expected(error.code()), "{error}"),
                    }
                    assert!(Instant::now() < deadline, "somebody waits for ever");
                }
                running.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
    assert!(done.into_inner() > 60, "most are committed");
    let count = |store: &Store| fixed.iter().map(|id| rows(store, *id).len() as u64).sum::<u64>();
    assert_eq!(count(&store), rows_of.into_inner());
    let found = open(&fs.after_crash(0));
    assert_eq!(count(&found), count(&store));
    let sorted = |store: &Store| {
        let mut tables = store.catalog().tables.clone();
        tables.sort_by_key(|table| table.id);
        tables
    };
    assert_eq!(sorted(&found), sorted(&store));
    for table in sorted(&store) {
        assert_eq!(rows(&found, table.id), rows(&store, table.id), "{}", table.name);
    }
    store.checkpoint().unwrap();
    let found = open(&fs.after_crash(0));
    assert_eq!((count(&found), sorted(&found)), (count(&store), sorted(&store)));
}

/// The errors that a concurrent transaction may get.
fn is_expected(code: Code) -> bool {
    let of_others = [Code::Deadlock, Code::DefinitionChanged, Code::UnknownTable];
    of_others.contains(&code) || matches!(code, Code::ForeignKeyViolation | Code::InvalidValue | Code::UniqueViolation)
}

/// Performs a random step, and returns the number of rows it has put into the tables that stay.
fn step(store: &Store, transaction: &mut Transaction, fixed: &[u64], random: &mut Random) -> Result<u64> {
    let catalog = store.catalog_to_change(transaction);
    let others: Vec<TableDefinition> = catalog.tables.iter().filter(|it| !fixed.contains(&it.id)).cloned().collect();
    let of_fixed = fixed[random.below(fixed.len() as u64) as usize];
    let key = random.below(1 << 50) as i64;
    match random.below(12) {
        0..=3 => {
            let found = store.table_for(transaction, of_fixed)?;
            let mut row = vec![ValueRef::Integer(key), ValueRef::Integer(key)];
            row.resize(found.types().len(), ValueRef::Null);
            found.insert(transaction, &row[..]).map(|_| 1)
        }
        4 => {
            let id = store.new_id() + 1000;
            (0..1010).for_each(|_| _ = store.new_id());
            let mut definition = table(id, &format!("t{}", random.below(6)));
            if catalog.tables.iter().any(|it| it.name == definition.name) {
                return Ok(0);
            }
            if random.below(2) == 0 {
                let deferrable = if random.below(2) == 0 { Deferrable::InitiallyDeferred } else { Deferrable::No };
                definition.foreign_keys.push(reference(id + 2, of_fixed, deferrable));
            }
            put(store, transaction, definition).map(|()| 0)
        }
        5 | 6 if !others.is_empty() => {
            let to = store.table_for(transaction, others[random.below(others.len() as u64) as usize].id)?;
            let mut row = vec![ValueRef::Integer(key), ValueRef::Null];
            row.resize(to.types().len(), ValueRef::Null);
            to.insert(transaction, &row[..]).map(|_| 0)
        }
        7 if !others.is_empty() => {
            let mut definition = others[random.below(others.len() as u64) as usize].clone();
            definition.columns.push(column(store.new_id(), &format!("c{key}"), SqlType::TEXT));
            put(store, transaction, definition).map(|()| 0)
        }
        8 => {
            let mut definition = catalog.table(of_fixed).cloned().unwrap();
            match definition.columns.len() {
                2 => definition.columns.push(column(store.new_id(), "more", SqlType::TEXT)),
                _ => drop(definition.columns.pop()),
            }
            put(store, transaction, definition).map(|()| 0)
        }
        9 if !others.is_empty() => {
            let id = others[random.below(others.len() as u64) as usize].id;
            store.change_catalog(transaction, CatalogChange::DropTable(id)).map(|()| 0)
        }
        10 => {
            let savepoint = transaction.savepoint();
            let _ = step(store, transaction, fixed, random)?;
            transaction.rollback_to(&savepoint).map(|()| 0)
        }
        11 => {
            let found = store.table_for(transaction, of_fixed)?;
            let keys = common::seen(&found, transaction);
            let Some((key, _)) = keys.get(random.below(keys.len().max(1) as u64) as usize) else { return Ok(0) };
            common::set(&found, transaction, *key, random.below(1 << 50) as i64).map(|_| 0)
        }
        _ => store.change_catalog(transaction, schema()).map(|()| 0),
    }
}
