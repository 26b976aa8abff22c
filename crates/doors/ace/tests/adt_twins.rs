//! C programs of `tests/c` once more over ADT tables, local and of a server: a call has the same effect on an ADT as on
//! a DBF.
//!
//! The programs are compiled with `OVER_ADT`, with which `check.h` makes ADT tables of those that they create with
//! ADS_CDX. Differences of the format (keys of deleted records, keys of several parts) stand in the programs under that
//! name.

mod common;

use common::{Door, compile, folder_of_tables, run};
use mainstay_server::Config;
use std::path::PathBuf;

macro_rules! twins {
    ($($name:ident)*) => {
        mod here {
            use super::*;
            $(
                #[test]
                fn $name() {
                    let tables = folder_of_tables();
                    let program = compile(concat!("tests/c/", stringify!($name), ".c"), &["-DOVER_ADT"]);
                    run(&program, &[tables.path()]);
                }
            )*
        }
    };
}

macro_rules! far_twins {
    ($($name:ident)*) => {
        mod far {
            use super::*;
            $(
                #[test]
                fn $name() {
                    let tables = folder_of_tables();
                    let door = Door::open(Config::default(), tables.path(), Box::new(std::io::sink()));
                    let program = compile(concat!("tests/c/", stringify!($name), ".c"), &["-DOVER_ADT"]);
                    let address = PathBuf::from(format!("tcp://{}", door.address));
                    run(&program, &[&address, tables.path()]);
                    assert!(door.stop());
                }
            )*
        }
    };
}

twins! {
    browse
    cascade
    closing
    hammer
    locks
    raw_keys
    rdd
    read_only
    transactions
}

far_twins! {
    browse
    closing
    hammer
    locks
    raw_keys
    rdd
    transactions
}
