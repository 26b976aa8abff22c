//! Screens of a shop on a pseudo-terminal: forms with validated fields and function keys, list boxes, windows, a grid, and programs
//! that call each other. The same steps are typed in a browser by `tests/console/shop.test.mjs`.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::Path;
use std::process::Command;

const CONSOLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/console");
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../sample/programs");

/// Types steps into a program of a copy of a folder, on a terminal with so many rows.
#[track_caller]
fn types(steps: &str, programs: &Path, program: &str, rows: u16) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("programs");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(programs).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    let console = Path::new(CONSOLE);
    let output = Command::new("python3")
        .arg("-B")
        .args([console.join("screens.py"), console.join(steps)])
        .args([rows.to_string().as_str(), env!("CARGO_BIN_EXE_mainstay"), "run"])
        .arg(copy.join(program))
        .output()
        .expect("this test needs python3");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn the_screens_of_a_shop_work_on_a_terminal() {
    types("shop/steps.json", &Path::new(CONSOLE).join("shop/programs"), "start.bas", 25);
}

#[test]
fn the_sample_application_works_on_a_terminal() {
    types("sample.json", Path::new(SAMPLE), "menu.bas", 30);
}
