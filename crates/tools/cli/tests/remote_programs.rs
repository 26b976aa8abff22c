//! The C programs of the ACE libraries against a server process: calls behave the same on the tables of a local folder
//! and on those of `mainstay serve`, over TCP and over TLS.
//!
//! Each has its own server over a copy of the tables. It is linked with the shipped library, and gets the server's
//! address in place of the folder, and the folder after it. Expectations that differ on a server are in the program,
//! under `IS_FAR`.

#[path = "../../../doors/libace/tests/common/mod.rs"]
mod common;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server process, which is ended with the test.
struct Serving {
    process: Child,
    address: String,
}

impl Serving {
    fn start(folder: &Path) -> Serving {
        let mut process = Command::new(env!("CARGO_BIN_EXE_mainstay"))
            .args(["serve", "--tds", "127.0.0.1:0", "--navigator", "127.0.0.1:0"])
            .arg(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut said = lines.by_ref().map_while(Result::ok).filter(|line| line.contains(" event=ready "));
        let address = said.find_map(|line| line.split_once(" navigator=").map(|(_, address)| address.to_owned()));
        // The log is read to its end, so that the server never waits for somebody to do it.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Serving { process, address: address.expect("the server says where it listens") }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn check(source: &str, scheme: &str) {
    let tables = common::folder_of_tables();
    let serving = Serving::start(tables.path());
    let address = PathBuf::from(format!("{scheme}://{}", serving.address));
    common::run_of(source, &[&address, tables.path()]);
}

macro_rules! programs {
    ($($folder:literal: $($name:ident)*;)*) => { $( $(
        #[test]
        fn $name() {
            check(concat!($folder, stringify!($name), ".c"), "tcp");
        }
    )* )* };
}

programs! {
    "doors/ace/tests/c/":
        browse cascade code_pages connections creation dictionary expressions fields filters free_tables hammer indexes key_columns locks
        management misuse navigation others raw_keys rdd records rules sections settings text_search threads transactions;
    "doors/libace/tests/c/": dictionary_sql live scripts statements triggers trouble;
}

#[test]
fn over_tls() {
    for source in [
        "doors/ace/tests/c/records.c",
        "doors/ace/tests/c/dictionary.c",
        "doors/libace/tests/c/statements.c",
        "doors/libace/tests/c/triggers.c",
    ] {
        check(source, "tls");
    }
}
