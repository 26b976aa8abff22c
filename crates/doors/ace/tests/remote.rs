//! The C programs of `tests/c` against tables of a server: a call has the same effect there as on local tables.
//!
//! Each gets an address in place of the folder, of a door that listens in this process. Different expectations stand in
//! the program, under `IS_FAR`.

mod common;

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use common::{Door, compile, crate_folder, folder_of_tables, run, run_in};
use mainstay_server::Config;

/// The door's log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

macro_rules! programs {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let tables = folder_of_tables();
                let log = Lines::default();
                let door = Door::open(Config::default(), tables.path(), Box::new(log.clone()));
                let program = compile(concat!("tests/c/", stringify!($name), ".c"), &[]);
                let address = PathBuf::from(format!("tcp://{}", door.address));
                run(&program, &[&address, tables.path()]);
                assert!(door.stop());
                assert!(log.text().contains("event=login door=navigator"), "{}", log.text());
            }
        )*
    };
}

/// The certificates of `tests/tls` are of two servers of this machine; the key is that of the first, and of no other use.
#[test]
fn a_server_is_known_by_the_certificates_that_the_environment_names() {
    let tables = folder_of_tables();
    let file = |name: &str| crate_folder().join("tests/tls").join(name);
    let config = Config { certificate: Some(file("server.pem")), key: Some(file("server.key")), ..Config::default() };
    let door = Door::open(config, tables.path(), Box::new(Lines::default()));
    let program = compile("tests/tls/known.c", &[]);
    let address = PathBuf::from(format!("tls://{}", door.address));
    let known_by = |certificates: &str| {
        let variables = [("MAINSTAY_CA", &*file(certificates))];
        run_in(&program, &[&address, tables.path()], &variables)
    };
    known_by("server.pem").unwrap();
    for other in ["other.pem", "server.key", "none.pem"] {
        let errors = known_by(other).unwrap_err();
        assert!(errors.contains("AdsConnect60"), "{other}: {errors}");
    }
    assert!(known_by("other.pem").unwrap_err().contains("not trusted"));
    assert!(door.stop());
}

programs! {
    adt
    browse
    closing
    code_pages
    connections
    creation
    expressions
    fields
    filters
    free_tables
    hammer
    indexes
    key_columns
    locks
    management
    misuse
    navigation
    others
    raw_keys
    rdd
    records
    sections
    settings
    statements
    text_search
    threads
    transactions
}
