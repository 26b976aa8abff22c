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
fn adt_tables() {
    let folder = common::folder_of_tables();
    common::run("adt_sql.c", &[folder.path()]);
}

#[test]
fn trouble() {
    let folder = common::folder_of_tables();
    common::run("trouble.c", &[folder.path()]);
}

/// `ads-01`.
#[test]
fn deleted_records() {
    let folder = common::folder_of_tables();
    common::run("deleted.c", &[folder.path()]);
}

#[test]
fn live_cursors() {
    let folder = common::folder_of_tables();
    common::run("live.c", &[folder.path()]);
}

/// The program of docs/ace.md, as it stands there, on the sample folder (`new-16`, `ads-04`).
#[test]
fn the_program_of_the_page_finds_names() {
    let printed = common::run_page("ace.md", &[common::sample().as_path(), std::path::Path::new("Caff")]);
    let mut lines = printed.lines();
    assert_eq!(lines.next(), Some("found=1"), "{printed}");
    let names: Vec<&str> = lines.collect();
    assert!(!names.is_empty() && names.iter().all(|name| name.starts_with("Caff")), "{names:?}");
    let none = common::run_page("ace.md", &[common::sample().as_path(), std::path::Path::new("Zzz")]);
    assert_eq!(none.lines().collect::<Vec<_>>(), ["found=0"]);
}

/// The make file of the page builds and runs the program of the page (`new-16`).
#[test]
fn the_make_file_of_the_page_builds_its_program() {
    let printed = common::make_page("ace.md");
    assert!(printed.contains("found=1\nCaff"), "{printed}");
}
