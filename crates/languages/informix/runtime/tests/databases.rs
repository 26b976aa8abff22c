//! CREATE DATABASE, DATABASE and DROP DATABASE: a folder for each below the one that the settings name.

mod common;

use common::{Client, Shop};
use mainstay_engine::{Database, Options};
use mainstay_informix_runtime::Informix;
use mainstay_session::{Backend, Login};
use mainstay_types::Value;
use mainstay_vfs::{Disk, FileSystem};
use std::path::Path;
use std::sync::Arc;

fn served(folder: &Path) -> Shop {
    let database = Database::open(folder).unwrap();
    let names = ("shop", "mainstay", "IBM Informix Dynamic Server Version 14.10.FC7W1DE");
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    Shop { backend: Informix::with_databases(database, names, (files, folder.join("databases")), Options::default()) }
}

#[test]
fn a_database_is_created_used_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let shop = served(folder.path());
    let (mut session, mut other) = (shop.session(), shop.session());
    session.run("CREATE TABLE here (a INT)");
    assert_eq!(session.0.databases().unwrap(), ["shop", "sysmaster"]);
    session.run("CREATE DATABASE Sales IN rootdbs WITH BUFFERED LOG");
    assert!(folder.path().join("databases/sales").is_dir());
    // The new database is the current one.
    assert_eq!(session.run("SELECT DBINFO('dbname') FROM sysmaster:sysdual"), ["sales"]);
    session.run("CREATE TABLE orders (n INT)");
    session.run("INSERT INTO orders VALUES (5)");
    assert_eq!(session.fails("SELECT a FROM here").0, -206);
    assert_eq!(other.fails("SELECT n FROM orders").0, -206);
    assert_eq!(other.0.databases().unwrap(), ["shop", "sales", "sysmaster"]);
    other.0.use_database("sales@mainstay").unwrap();
    assert_eq!(other.run("SELECT n FROM orders"), ["5"]);
    assert_eq!(other.0.databases().unwrap(), ["sales", "shop", "sysmaster"]);
    session.run("DATABASE shop");
    assert_eq!(session.run("SELECT COUNT(*) FROM here"), ["0"]);
    assert_eq!(session.fails("DROP DATABASE sales"), (-425, 0, "sales".to_owned()), "another session has it open");
    drop(other);
    session.run("DROP DATABASE sales");
    assert!(!folder.path().join("databases/sales").exists());
    assert_eq!(session.fails("DATABASE sales"), (-329, -111, "sales".to_owned()));
    session.run("DROP DATABASE IF EXISTS sales");
    assert_eq!(session.fails("DROP DATABASE shop").0, -425);
}

#[test]
fn databases_that_cannot_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let shop = served(folder.path());
    let mut session = shop.session();
    session.run("CREATE DATABASE one");
    assert_eq!(session.fails("CREATE DATABASE one"), (-330, -100, "one".to_owned()));
    session.run("CREATE DATABASE IF NOT EXISTS one");
    assert_eq!(session.fails("CREATE DATABASE shop").0, -330);
    session.run("BEGIN WORK");
    assert_eq!(session.fails("CREATE DATABASE two").0, -377);
    assert_eq!(session.fails("DATABASE shop").0, -377);
    session.run("ROLLBACK WORK");
    assert_eq!(shop.reader().fails("CREATE DATABASE two").0, -388);
    let login = Login { user: "ann".to_owned(), ..Login::default() };
    let mut quoted = Client(shop.backend.session(&login).unwrap());
    quoted.0.set_variable("DELIMIDENT", "y");
    for name in ["../two", "a/b", "a.b", "1a"] {
        assert_eq!(quoted.fails(&format!("CREATE DATABASE \"{name}\"")).0, -354, "{name}");
    }
    assert_eq!(Shop::new().session().fails("CREATE DATABASE two").0, -999);
}

#[test]
fn statements_end_with_their_database_and_can_still_be_stopped_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let shop = served(folder.path());
    let mut session = shop.session();
    let cancel = session.0.canceller();
    let before = session.prepare("SELECT ? FROM sysmaster:sysdual");
    session.run("CREATE DATABASE one");
    assert!(session.0.execute(before.id, &[Value::Integer(1)]).is_err());
    session.run("CREATE PROCEDURE endless() DEFINE i INT; LET i = 0; LOOP LET i = 1 - i; END LOOP; END PROCEDURE");
    let stopping = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        cancel.cancel();
    });
    assert_eq!(session.fails("EXECUTE PROCEDURE endless()").0, -213);
    stopping.join().unwrap();
}
