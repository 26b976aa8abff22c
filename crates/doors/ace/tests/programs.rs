//! The C programs of `tests/c`, compiled against the header, linked with the library, and run on copies of tables that
//! other programs have made.

extern crate mainstay_ace as ace;

mod common;

use common::{compile, folder_of_tables, run};

macro_rules! programs {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let tables = folder_of_tables();
                let program = compile(concat!("tests/c/", stringify!($name), ".c"), &[]);
                run(&program, &[tables.path()]);
            }
        )*

        #[test]
        fn every_program_is_run() {
            let mut expected = vec![$(concat!(stringify!($name), ".c")),*];
            expected.sort_unstable();
            let programs = ace::compat::programs(&common::crate_folder().join("tests/c")).unwrap();
            let found: Vec<String> = programs.into_iter().map(|(name, _)| name).collect();
            assert_eq!(found, expected);
        }
    };
}

programs! {
    adt
    browse
    cascade
    closing
    code_pages
    connections
    creation
    dictionary
    expressions
    fields
    filters
    free_tables
    hammer
    handles
    indexes
    key_columns
    locks
    management
    misuse
    navigation
    others
    raw_keys
    rdd
    read_only
    records
    rules
    sections
    settings
    statements
    text_search
    threads
    transactions
    vendor_dictionary
}
