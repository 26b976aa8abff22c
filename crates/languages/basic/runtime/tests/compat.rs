//! The inventory of the language keeps its word: the page is the table, items that work have tests, items that are
//! refused are refused by name.

use mainstay_basic::check;
use mainstay_basic_syntax::inventory::{DIRECTIVES, FUNCTIONS, SECTIONS, State, page};
use mainstay_vfs::{Disk, FileSystem};
use std::path::Path;

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_page_is_the_table() {
    let path = folder().join("../../../../docs/COMPAT-basic.md");
    let written = String::from_utf8(Disk.read(&path).unwrap()).unwrap();
    let hint = "write it again: cargo run -p mainstay-basic --example compat_basic > docs/COMPAT-basic.md";
    assert!(written == page(), "{hint}");
}

#[test]
fn items_that_work_have_tests_that_exist() {
    for item in SECTIONS.iter().flat_map(|(_, items)| *items).filter(|item| item.state == State::Works) {
        assert!(!item.test.is_empty(), "{} works without a test", item.name);
        for test in item.test.split(", ") {
            let path = match test.ends_with(".rs") {
                true => folder().join("tests").join(test),
                false => folder().join("tests/programs").join(format!("{test}.bas")),
            };
            assert!(Disk.stamp(&path).is_ok(), "{}: no test {test}", item.name);
        }
    }
}

#[test]
fn refused_functions_are_refused_by_name() {
    let names =
        |item: &str| item.split('/').map(|name| name.split('(').next().unwrap().trim().to_owned()).collect::<Vec<_>>();
    for item in FUNCTIONS.iter().filter(|item| item.state == State::Refused) {
        for name in names(item.name) {
            let works =
                FUNCTIONS.iter().any(|other| other.state != State::Refused && names(other.name).contains(&name));
            if works || !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
                continue;
            }
            let found = check("refused", format!("X={name}(1)").as_bytes());
            assert_eq!(found.first().map(|found| found.code), Some(99), "{name}");
            assert!(found[0].message.contains(&name), "{name}: {}", found[0].message);
        }
    }
}

#[test]
fn refused_directives_are_refused_at_their_line() {
    for item in DIRECTIVES.iter().filter(|item| item.state == State::Refused) {
        let name = item.name.split(['/', '.', '(']).next().unwrap().trim();
        // DROP..ON and MULTI_LINE (RTF) are further forms of words that work.
        if DIRECTIVES.iter().any(|other| other.state != State::Refused && other.name == name) {
            continue;
        }
        let found = check("refused", format!("10 !\n20 {name} X$").as_bytes());
        let first = found.first().unwrap_or_else(|| panic!("{name} is not refused"));
        assert_eq!((first.number, first.place.line), (20, 2), "{name}");
        assert!(matches!(first.code, 20 | 99), "{name}: {}", first.message);
    }
}

#[test]
fn items_behind_an_error_of_the_same_line_are_listed() {
    let found = check("line", b"10 PRNT 1; HIDE 1; X=1; PRNT 2; Y=DLL(\"\"); HIDE 2; ELSE; HIDE 3");
    let codes: Vec<(u16, u32)> = found.iter().map(|error| (error.code, error.place.column)).collect();
    assert_eq!(codes, [(20, 4), (99, 12), (99, 35), (99, 44), (99, 58)]);
    assert!(found.iter().all(|error| error.number == 10));
}

/// The names of parameters in PRM( ) look like mnemonics and are none.
#[test]
fn unknown_mnemonics_are_errors_of_their_statements() {
    let found = check(
        "mnemonics",
        b"10 PRINT 'CS','QQ',@(1,2)\n20 INPUT 'BR'+'NOSUCH',A$\n30 PRINT PRM('QQ'),'WINDOW'(1,1,20,5),'B4'\n",
    );
    let errors: Vec<(u32, u16, &str)> = found.iter().map(|e| (e.number, e.code, e.message.as_str())).collect();
    assert_eq!(errors, [(10, 29, "mnemonic 'QQ' is not known"), (20, 29, "mnemonic 'NOSUCH' is not known")]);
}

#[test]
fn misspelt_directives_have_the_nearest_one_as_a_hint() {
    let hint = |word: &str| check("word", format!("10 {word} \"x\"").as_bytes())[0].hint.clone();
    assert_eq!(["PRNT", "RETRUN", "GOSBU", "Ofor", "QQQQ"].map(hint), ["PRINT?", "RETURN?", "GOSUB?", "FOR?", ""]);
    assert_eq!(hint(&"PRINT".repeat(2000)), "");
}
