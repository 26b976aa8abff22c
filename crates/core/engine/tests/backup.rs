//! Backups of whole folders: consistent beside writers, whole or refused.
#![allow(clippy::disallowed_methods)]

use mainstay_engine::{Database, backup};
use mainstay_types::{Code, Result};
use mainstay_vfs::{Disk, FileSystem};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const WAIT: Duration = Duration::from_secs(20);

fn disk() -> Arc<dyn FileSystem> {
    Arc::new(Disk)
}

/// The first value of a query's first row.
fn number(database: &Database, query: &str) -> i64 {
    let mut session = database.session();
    let mut prepared = session.prepare(query).unwrap();
    let mut rows = prepared.query(&mut session, &[]).unwrap();
    let row = rows.next().unwrap().unwrap();
    row.get(0).to_value().to_string().parse().unwrap()
}

fn done(database: &Database, statement: &str) {
    database.session().execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
}

/// Everything that lies in a folder, but for the native tables and journals, which have their own bytes in each folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            match path.is_dir() {
                true if name.starts_with('.') => {}
                true => left.push(path),
                false => drop(found.insert(name, std::fs::read(&path).unwrap())),
            }
        }
    }
    found
}

fn shop(folder: &Path) -> Database {
    std::fs::create_dir_all(folder.join("procedures")).unwrap();
    std::fs::create_dir_all(folder.join("archive/2024")).unwrap();
    std::fs::write(folder.join("mainstay.toml"), "# settings\n").unwrap();
    std::fs::write(folder.join("prices.csv"), "item,price\nbolt,2\n").unwrap();
    std::fs::write(folder.join("procedures/p.sql"), "CREATE PROCEDURE p AS SELECT 1\n").unwrap();
    std::fs::write(folder.join("archive/2024/old.txt"), vec![7; 3 << 20]).unwrap();
    std::fs::write(folder.join("empty"), "").unwrap();
    let database = Database::open(folder).unwrap();
    done(&database, "CREATE TABLE notes (id DECIMAL(6,0), note TEXT) WITH (FORMAT = dbf, VERSION = foxpro)");
    done(&database, "CREATE INDEX id ON notes (id)");
    done(&database, "INSERT INTO notes VALUES (1, 'a memo'), (2, NULL)");
    done(&database, "CREATE TABLE kept (id BIGINT PRIMARY KEY, n BIGINT)");
    done(&database, "INSERT INTO kept VALUES (1, 10), (2, 20)");
    database
}

#[test]
fn a_folder_comes_back_as_it_was() {
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("shop");
    let database = shop(&folder);
    let file = all.path().join("shop.bak");
    let taken = backup::take(&database, &file, WAIT).unwrap();
    assert_eq!(taken.remarks, Vec::<String>::new());
    let shown = taken.contents.to_string();
    let counts = "1 DBF table, 1 memo file, 1 index file, 1 CSV file, 1 procedure or program, 1 settings file, 1 native \
                  table, 2 other files (";
    assert!(shown.starts_with(counts), "{shown}");
    let verified = backup::verify(&Disk, &file).unwrap();
    assert_eq!(verified.files, taken.contents.files);
    assert_eq!(verified.database, "shop");

    let new = all.path().join("new");
    assert_eq!(backup::restore(&disk(), &file, &new).unwrap().files, taken.contents.files);
    assert_eq!(files(&new), files(&folder));
    let restored = Database::open(&new).unwrap();
    assert_eq!(number(&restored, "SELECT SUM(n) FROM kept"), 30);
    assert_eq!(number(&restored, "SELECT COUNT(*) FROM notes WHERE note = 'a memo'"), 1);

    // The existing file stays.
    let refused = backup::restore(&disk(), &file, &new).unwrap_err();
    assert_eq!(refused.code(), Code::Duplicate);
    // A backup that lies in the folder, and a file of another kind.
    let inside = folder.join("inside.bak");
    backup::take(&database, &inside, WAIT).unwrap();
    let again = backup::take(&database, &file, WAIT).unwrap();
    assert_eq!(again.contents.files.len(), taken.contents.files.len());
    assert!(
        again.remarks.iter().any(|remark| remark.starts_with("inside.bak: not in the backup")),
        "{:?}",
        again.remarks
    );
    let other = folder.join("prices.csv");
    assert_eq!(backup::take(&database, &other, WAIT).unwrap_err().code(), Code::Duplicate);
}

/// A link in the folder that is restored into would be followed, and one to nothing would make a file elsewhere.
#[test]
#[cfg(unix)]
fn a_restore_follows_no_links() {
    use std::os::unix::fs::symlink;
    let all = tempfile::tempdir().unwrap();
    let file = all.path().join("shop.bak");
    backup::take(&shop(&all.path().join("shop")), &file, WAIT).unwrap();
    let elsewhere = all.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    for (link, to) in [("archive", elsewhere.clone()), ("prices.csv", elsewhere.join("made.csv"))] {
        let target = all.path().join(format!("new {link}"));
        std::fs::create_dir(&target).unwrap();
        symlink(&to, target.join(link)).unwrap();
        let refused = backup::restore(&disk(), &file, &target).unwrap_err();
        assert_eq!(refused.code(), Code::NotPermitted, "{refused}");
        assert!(refused.to_string().contains(link), "{refused}");
        assert_eq!(std::fs::read_dir(&target).unwrap().count(), 1, "nothing is written beside the link");
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
}

/// A backup holds the hashes of passwords, and so does the settings file: only the owner may read them.
#[test]
#[cfg(unix)]
fn only_the_owner_reads_a_backup_and_restored_settings() {
    use std::os::unix::fs::PermissionsExt;
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("shop");
    let database = shop(&folder);
    std::fs::write(folder.join("mainstay.toml"), "").unwrap();
    let file = all.path().join("shop.bak");
    backup::take(&database, &file, WAIT).unwrap();
    let target = all.path().join("new");
    backup::restore(&disk(), &file, &target).unwrap();
    for path in [file, target.join("mainstay.toml")] {
        let rights = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(rights, 0o600, "{}", path.display());
    }
}

/// Every file that is cut and every byte that is changed is noticed before anything is written, with the place.
#[test]
fn a_backup_that_is_not_as_it_was_written_is_refused() {
    let all = tempfile::tempdir().unwrap();
    let database = shop(&all.path().join("shop"));
    let file = all.path().join("shop.bak");
    backup::take(&database, &file, WAIT).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let target = all.path().join("never");
    let refused = |bytes: &[u8], what: &str| {
        std::fs::write(&file, bytes).unwrap();
        let error = backup::restore(&disk(), &file, &target).unwrap_err();
        assert!(matches!(error.code(), Code::Damaged | Code::NotThisFormat | Code::Unsupported), "{what}: {error}");
        assert!(!target.exists(), "{what}");
        error.to_string()
    };
    let mut places = 0;
    for length in (0..whole.len()).step_by(whole.len() / 60).chain([whole.len() - 1]) {
        let said = refused(&whole[..length], &format!("cut at {length}"));
        places += u32::from(said.contains(&format!("at byte {length}")));
    }
    assert!(places > 50, "{places} of 62 cuts say where the file ends");
    let mut inside = 0;
    for at in (0..whole.len()).step_by(whole.len() / 300).chain(0..64) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        inside += u32::from(refused(&bytes, &format!("byte {at}")).contains("in the copy of archive/2024/old.txt"));
    }
    assert!(inside > 100, "{inside}");
    let mut longer = whole.clone();
    longer.push(0);
    assert!(refused(&longer, "longer").contains("something follows"));
    // Two frames of the same length that have changed places: the checksum of their file.
    std::fs::write(&file, &whole).unwrap();
    backup::restore(&disk(), &file, &target).unwrap();
}

/// Backups of version 1, which have native tables only, are restored as before.
#[test]
fn backups_of_native_tables_alone_are_restored() {
    let all = tempfile::tempdir().unwrap();
    let database = shop(&all.path().join("shop"));
    let file = all.path().join("native.bak");
    database.backup(&file).unwrap();
    let contents = backup::verify(&Disk, &file).unwrap();
    assert_eq!((contents.version, contents.native_tables, contents.files.len()), (1, 1, 1));
    let new = all.path().join("new");
    backup::restore(&disk(), &file, &new).unwrap();
    assert_eq!(number(&Database::open(&new).unwrap(), "SELECT SUM(n) FROM kept"), 30);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.pop();
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(backup::verify(&Disk, &file).unwrap_err().code(), Code::Damaged);
}

/// A folder without native tables is backed up; a backup of native tables alone says that there are none (`new-06`).
#[test]
fn a_folder_of_files_is_backed_up() {
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("shop");
    std::fs::create_dir(&folder).unwrap();
    let database = Database::open(&folder).unwrap();
    done(&database, "CREATE TABLE t (id DECIMAL(6,0)) WITH (FORMAT = dbf, VERSION = foxpro)");
    let file = all.path().join("n.bak");
    let refused = database.backup(&file).unwrap_err();
    assert_eq!(refused.message(), "there are no native tables to back up");
    let taken = backup::take(&database, &file, WAIT).unwrap();
    assert_eq!(taken.contents.files.len(), 1);
    assert!(!folder.join(".mainstay").exists());
    let new = all.path().join("new");
    backup::restore(&disk(), &file, &new).unwrap();
    assert_eq!(files(&new), files(&folder));
}

fn transfer(database: &Database) -> Result<()> {
    let mut session = database.session();
    session.set("lock_timeout", "20s")?;
    session.execute("BEGIN")?;
    session.execute("UPDATE first SET n = n - 1 WHERE id = 1")?;
    session.execute("UPDATE second SET n = n + 1 WHERE id = 1")?;
    session.execute("UPDATE moved SET n = n + 1 WHERE id = 1")?;
    session.execute("COMMIT").map(drop)
}

/// Transactions over two DBF tables and a native one, and backups beside them: each backup is of one state, in which what
/// left one table is in the others; and its files are sound.
#[test]
fn backups_beside_writers_are_each_of_one_state() {
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("shop");
    std::fs::create_dir(&folder).unwrap();
    let database = Database::open(&folder).unwrap();
    for table in ["first", "second"] {
        done(
            &database,
            &format!("CREATE TABLE {table} (id DECIMAL(6,0), n DECIMAL(9,0)) WITH (FORMAT = dbf, VERSION = foxpro)"),
        );
        done(&database, &format!("CREATE INDEX n ON {table} (n)"));
        done(&database, &format!("INSERT INTO {table} VALUES (1, 100000), (2, 0)"));
    }
    done(&database, "CREATE TABLE moved (id BIGINT PRIMARY KEY, n BIGINT)");
    done(&database, "INSERT INTO moved VALUES (1, 0)");
    let ends = AtomicBool::new(false);
    let moved: Vec<i64> = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut count = 0u32;
            while !ends.load(Ordering::Relaxed) {
                transfer(&database).unwrap();
                count += 1;
            }
            count
        });
        let moved = (0..5).map(|turn| {
            let file = all.path().join(format!("{turn}.bak"));
            backup::take(&database, &file, WAIT).unwrap();
            let copy = all.path().join(format!("copy{turn}"));
            backup::restore(&disk(), &file, &copy).unwrap();
            let found = mainstay_engine::check(&copy, &mainstay_engine::Options::default()).unwrap();
            assert!(found.is_empty(), "{found:?}");
            let copy = Database::open(&copy).unwrap();
            let moved = number(&copy, "SELECT n FROM moved WHERE id = 1");
            assert_eq!(number(&copy, "SELECT 100000 - n FROM first WHERE id = 1"), moved);
            assert_eq!(number(&copy, "SELECT n - 100000 FROM second WHERE id = 1"), moved);
            moved
        });
        let moved = moved.collect();
        ends.store(true, Ordering::Relaxed);
        assert!(writer.join().unwrap() > 0);
        moved
    });
    assert!(moved.is_sorted() && moved.first() < moved.last(), "{moved:?}");
}

/// A record that somebody has locked is waited for, and named; nothing is left behind.
#[test]
fn a_table_that_stays_locked_refuses_the_backup() {
    let all = tempfile::tempdir().unwrap();
    let folder = all.path().join("shop");
    let database = shop(&folder);
    let mut session = database.session();
    session.execute("BEGIN").unwrap();
    session.execute("UPDATE notes SET id = 3 WHERE id = 1").unwrap();
    let file = all.path().join("shop.bak");
    let refused = backup::take(&database, &file, Duration::from_millis(200)).unwrap_err();
    assert!(matches!(refused.code(), Code::Busy | Code::LockTimeout), "{refused}");
    assert!(refused.to_string().contains("notes.dbf"), "{refused}");
    assert!(!file.exists() && !all.path().join("shop.bak.new").exists());
    session.execute("COMMIT").unwrap();
    backup::take(&database, &file, WAIT).unwrap();
}
