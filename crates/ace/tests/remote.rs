//! The C programs of `tests/c` against tables of a server: what a call does there it does here.
//!
//! Each is given an address in place of the folder, of a door that listens in this process. What a program then expects
//! otherwise stands in it, under `IS_FAR`.

mod common;

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use common::{compile, folder_of_tables, run};
use mainstay_server::{Config, NavigatorDoor};
use mainstay_vfs::Disk;

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
                let config = Config { navigator: Some(SocketAddr::from(([127, 0, 0, 1], 0))), ..Config::default() };
                let log = Lines::default();
                let written = Box::new(log.clone());
                let door = NavigatorDoor::of_settings(&config, tables.path(), Arc::new(Disk), written).unwrap().unwrap();
                let program = compile(concat!("tests/c/", stringify!($name), ".c"), &[]);
                let address = PathBuf::from(format!("tcp://{}", door.address()));
                run(&program, &[&address, tables.path()]);
                assert!(door.stop());
                assert!(log.text().contains("event=login door=navigator"), "{}", log.text());
            }
        )*
    };
}

programs! {
    browse
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
