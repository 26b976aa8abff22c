//! `mainstay backup` and `mainstay restore` as processes, and RESTORE of T-SQL.
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::process::{Command, Output};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn mainstay(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mainstay")).args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = mainstay(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn shop(folder: &Path) -> String {
    std::fs::create_dir(folder).unwrap();
    let path = folder.to_str().unwrap().to_owned();
    let table = "CREATE TABLE customers (id DECIMAL(6,0), name CHAR(10)) WITH (FORMAT = dbf, VERSION = foxpro)";
    printed(&[&path, "-c", table]);
    printed(&[&path, "-c", "INSERT INTO customers VALUES (1, 'Ann'), (2, 'Bob')"]);
    std::fs::write(folder.join("prices.csv"), "item,price\nbolt,2\n").unwrap();
    path
}

#[test]
fn a_folder_is_backed_up_and_restored() {
    let all = tempfile::tempdir().unwrap();
    let path = |name: &str| all.path().join(name).to_str().unwrap().to_owned();
    let shop = shop(&all.path().join("shop"));
    let (bak, new) = (path("shop.bak"), path("new"));
    // No native tables: no reason to refuse (new-06).
    let told = printed(&["backup", &shop, &bak]);
    assert!(told.starts_with(&format!("{bak}: 1 DBF table, 1 CSV file (")), "{told}");
    let none = mainstay(&["backup", &shop, &path("native.bak"), "--native-only"]);
    assert_eq!(none.status.code(), Some(3));
    assert!(text(&none.stderr).contains("there are no native tables to back up"), "{}", text(&none.stderr));
    // With one: what is left out is said (new-07).
    printed(&[&shop, "-c", "CREATE TABLE kept (id INT)"]);
    let told = printed(&["backup", &shop, &path("native.bak"), "--native-only"]);
    assert!(told.contains("2 files of the folder are not in it"), "{told}");
    let told = printed(&["backup", &shop, &bak]);
    assert!(told.contains("1 DBF table, 1 CSV file, 1 native table"), "{told}");

    let verified = printed(&["restore", "--verify", &bak]);
    assert!(verified.starts_with(&format!("{bak}: whole; ")) && verified.contains("  customers.dbf"), "{verified}");
    let told = printed(&["restore", &bak, &new]);
    assert!(told.starts_with(&format!("{new}: 1 DBF table")), "{told}");
    let rows =
        ["--format", "csv", "-c", "SELECT c.name, p.item FROM customers c, prices p, (SELECT COUNT(*) n FROM kept) k"];
    assert_eq!(printed(&[&[new.as_str()], &rows[..]].concat()), "NAME,item\nAnn,bolt\nBob,bolt\n");
    // The old form is restored, too.
    let only = path("only");
    printed(&["restore", &path("native.bak"), &only]);
    assert_eq!(printed(&[&only, "--format", "csv", "-c", "SELECT COUNT(*) AS n FROM kept"]), "n\n0\n");

    let mut bytes = std::fs::read(&bak).unwrap();
    bytes.truncate(bytes.len() - 9);
    std::fs::write(&bak, bytes).unwrap();
    let cut = mainstay(&["restore", &bak, &path("third")]);
    assert_eq!(cut.status.code(), Some(4));
    assert!(text(&cut.stderr).contains("it has been cut"), "{}", text(&cut.stderr));
    assert!(!all.path().join("third").exists());
    assert_eq!(mainstay(&["restore", "--verify", &bak]).status.code(), Some(4));
    assert_eq!(mainstay(&["restore", &bak]).status.code(), Some(2), "neither a folder nor --verify");
}

/// Native tables that cannot be opened are named as the reason: no other process has them open.
#[test]
fn damaged_native_tables_are_not_backed_up() {
    let all = tempfile::tempdir().unwrap();
    let shop = shop(&all.path().join("shop"));
    printed(&[&shop, "-c", "CREATE TABLE kept (id INT)"]);
    let store = all.path().join("shop/.mainstay");
    let catalogs = std::fs::read_dir(&store).unwrap().map(|entry| entry.unwrap().path());
    for file in catalogs.filter(|path| path.is_file()) {
        let mut bytes = std::fs::read(&file).unwrap();
        bytes.iter_mut().take(64).for_each(|byte| *byte ^= 0xFF);
        std::fs::write(&file, bytes).unwrap();
    }
    let refused = mainstay(&["backup", &shop, all.path().join("shop.bak").to_str().unwrap()]);
    let told = text(&refused.stderr);
    assert!(!refused.status.success() && told.contains("the tables in .mainstay cannot be used"), "{told}");
    assert!(!told.contains("another process"), "{told}");
    let checked = mainstay(&["check", &shop]);
    let told = text(&checked.stderr);
    assert!(told.contains("what to do about the native tables") && !told.contains("--repair"), "{told}");
}

/// 3262 is the message of a good backup, 3241 that of a file that is none.
#[test]
fn restore_of_t_sql_looks_at_backups() {
    let all = tempfile::tempdir().unwrap();
    let shop = shop(&all.path().join("shop"));
    let said = |batch: &str| {
        let output = mainstay(&[&shop, "--tsql", "-c", batch]);
        text(&output.stdout) + &text(&output.stderr)
    };
    let taken = said("BACKUP DATABASE shop TO DISK = 'shop.bak'");
    assert!(taken.contains("BACKUP DATABASE successfully processed 1 DBF table, 1 CSV file ("), "{taken}");
    assert!(said("RESTORE VERIFYONLY FROM DISK = 'shop.bak'").contains("The backup set on file 1 is valid."));
    let header = said("RESTORE HEADERONLY FROM DISK = 'shop.bak'");
    assert!(header.contains("DatabaseName") && header.contains("shop"), "{header}");
    let files = said("RESTORE FILELISTONLY FROM DISK = 'shop.bak'");
    assert!(files.contains("customers.dbf") && files.contains("prices.csv"), "{files}");
    let none = said("RESTORE VERIFYONLY FROM DISK = 'customers.dbf'");
    assert!(none.contains("Msg 3201"), "{none}");
    std::fs::write(all.path().join("shop/letter.bak"), "Dear customer, this is no backup").unwrap();
    let none = said("RESTORE VERIFYONLY FROM DISK = 'letter.bak'");
    assert!(none.contains("Msg 3241"), "{none}");
    let refused = said("RESTORE DATABASE shop FROM DISK = 'shop.bak'");
    assert!(refused.contains("Msg 40515") && refused.contains("mainstay restore FILE FOLDER"), "{refused}");
}
