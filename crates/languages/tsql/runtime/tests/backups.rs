//! Files that clients name: backups, and files that are read (`break-01`).

// Tables are created, and read, as other programs would.
#![allow(clippy::disallowed_methods)]

mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_tsql_runtime::{Instance, Session};
use std::path::{Path, PathBuf};

fn errors(session: &mut Session, batch: &str) -> Vec<i32> {
    let mut transcript = Transcript::default();
    session.batch(batch, &mut transcript);
    transcript.errors.iter().map(|error| error.number).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != ".mainstay") {
            found.extend(files(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

/// The settings, the procedures and the native tables are the server's own (docs/server-settings.md), and a name that ends as
/// a table does makes a table: a backup has none of these. SQL Server's error for a device that cannot be opened is 3201.
#[test]
fn backups_have_names_that_mean_nothing_else() {
    let all = tempfile::tempdir().expect("a folder");
    let shop = all.path().join("shop");
    for folder in ["procedures", "sub", ".mainstay-transactions"] {
        std::fs::create_dir_all(shop.join(folder)).expect("a folder");
    }
    let instance = Instance::new(Database::open(&shop).expect("a database"), "test");
    let mut session = instance.session();
    assert_eq!(errors(&mut session, "CREATE TABLE t (id INT PRIMARY KEY) INSERT t VALUES (1)"), [0; 0]);
    let before = files(all.path());
    let outside = all.path().join("x.bak").display().to_string();
    for name in [
        "mainstay.toml",
        "MAINSTAY.toml",
        "other.toml",
        "procedures/evil.sql",
        "procedures/evil.bak",
        "./Procedures/evil.bak",
        "evil.sql",
        "x.dbf",
        "x.DBF",
        "sub/x.csv",
        "sub\\x.parquet",
        "x.fpt",
        "x.cdx",
        "x.dbf.stale",
        "shop.add",
        ".mainstay/x.bak",
        ".mainstay-transactions/x.bak",
        "sub/../mainstay.toml",
        "../x.bak",
        &outside,
    ] {
        assert_eq!(errors(&mut session, &format!("BACKUP DATABASE test TO DISK = '{name}'")), [3201], "{name}");
        assert_eq!(files(all.path()), before, "{name}");
    }
    let whole = shop.join("sub/whole.bak").display().to_string();
    assert_eq!(errors(&mut session, "BACKUP DATABASE other TO DISK = 'other.bak'"), [911]);
    assert_eq!(files(all.path()), before);
    for name in ["shop.bak", "sub\\monday", "SUB.2026-11-27", &whole] {
        assert_eq!(errors(&mut session, &format!("BACKUP DATABASE test TO DISK = '{name}'")), [0; 0], "{name}");
    }
}

/// `backup_folder` in the settings allows backups below another folder (docs/guide.md), which RESTORE reads. Nothing leads
/// out of that folder either, and 3201 names the setting.
#[test]
fn a_setting_allows_backups_outside_of_the_folder() {
    let all = tempfile::tempdir().expect("a folder");
    let (shop, backups) = (all.path().join("shop"), all.path().join("backups"));
    for folder in [&shop, &backups] {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    std::fs::write(shop.join("mainstay.toml"), format!("backup_folder = '{}'\n", backups.display())).expect("settings");
    let instance = Instance::new(Database::open(&shop).expect("a database"), "test");
    let mut session = instance.session();
    assert_eq!(errors(&mut session, "CREATE TABLE t (id INT PRIMARY KEY) INSERT t VALUES (1)"), [0; 0]);
    let file = backups.join("shop.bak").display().to_string();
    assert_eq!(errors(&mut session, &format!("BACKUP DATABASE test TO DISK = '{file}'")), [0; 0]);
    assert_eq!(errors(&mut session, &format!("RESTORE VERIFYONLY FROM DISK = '{file}'")), [0; 0]);
    assert!(backups.join("shop.bak").is_file());
    for name in ["elsewhere.bak", "backups/../out.bak", "backups/shop.dbf"] {
        let file = all.path().join(name).display().to_string();
        let mut transcript = Transcript::default();
        session.batch(&format!("BACKUP DATABASE test TO DISK = '{file}'"), &mut transcript);
        assert_eq!(transcript.errors.iter().map(|error| error.number).collect::<Vec<_>>(), [3201], "{name}");
        assert!(transcript.text.contains("backup_folder in mainstay.toml"), "{}", transcript.text);
    }
}

/// 4861 for what is not for clients to read.
#[test]
fn files_of_the_server_are_not_read() {
    let all = tempfile::tempdir().expect("a folder");
    let shop = all.path().join("shop");
    std::fs::create_dir_all(shop.join(".hidden")).expect("a folder");
    for name in ["mainstay.toml", ".hidden/x.txt", "x.txt", "../out.txt"] {
        std::fs::write(shop.join(name), "# text").expect("a file");
    }
    let instance = Instance::new(Database::open(&shop).expect("a database"), "test");
    let mut session = instance.session();
    let read = |name: &str| format!("SELECT BulkColumn FROM OPENROWSET(BULK '{name}', SINGLE_CLOB) AS f");
    assert_eq!(errors(&mut session, &read("x.txt")), [0; 0]);
    for name in ["mainstay.toml", "Mainstay.Toml", ".hidden/x.txt", "../out.txt", "/etc/hostname"] {
        assert_eq!(errors(&mut session, &read(name)), [4861], "{name}");
    }
}
