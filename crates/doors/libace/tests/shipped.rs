//! C programs that are linked with the shipped library and run SQL through it.

mod common;

#[test]
fn statements() {
    let folder = common::folder_of_tables();
    common::run("statements.c", &[folder.path()]);
}

#[test]
fn scripts() {
    let folder = common::folder_of_tables();
    common::run("scripts.c", &[folder.path()]);
}

#[test]
fn dictionaries() {
    let folder = common::folder_of_tables();
    common::run("dictionary_sql.c", &[folder.path()]);
}

#[test]
fn triggers() {
    let folder = common::folder_of_tables();
    common::run("triggers.c", &[folder.path()]);
}

#[test]
fn rules_of_dictionaries() {
    let folder = common::folder_of_tables();
    common::run("rules_sql.c", &[folder.path()]);
}

#[test]
fn trouble() {
    let folder = common::folder_of_tables();
    common::run("trouble.c", &[folder.path()]);
}

#[test]
fn live_cursors() {
    let folder = common::folder_of_tables();
    common::run("live.c", &[folder.path()]);
}
