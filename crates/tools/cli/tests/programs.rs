//! Business BASIC programs end to end: the sample application with a clerk's input from a file, and `check`.
#![allow(clippy::disallowed_methods)]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../sample/programs");

fn mainstay(arguments: &[&str], input: Stdio) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mainstay")).args(arguments).stdin(input).output().unwrap()
}

/// The output of a command that succeeds.
#[track_caller]
fn printed(arguments: &[&str], input: Stdio) -> String {
    let output = mainstay(arguments, input);
    let (text, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((output.status.code(), told.as_str()), (Some(0), ""), "{text}");
    text
}

/// A folder whose `programs` are those of the sample.
fn shop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("programs")).unwrap();
    for entry in fs::read_dir(SAMPLE).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join("programs").join(path.file_name().unwrap())).unwrap();
    }
    folder
}

#[track_caller]
fn assert_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some(place) = rest.find(part) else { panic!("no '{part}' in its place in\n{text}") };
        rest = &rest[place + part.len()..];
    }
}

#[test]
fn a_clerk_works_with_the_sample_application() {
    let folder = shop();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let input = File::open(Path::new(HERE).join("clerk.in")).unwrap();
    let text = printed(&["run", &path("programs/menu.bas")], input.into());
    let customers =
        ["A code has letters and digits only.", "lots is not a number.", "Olsen Foods               Bergen"];
    let items = ["-5 is no price", "Stored: COFF01, price 99.90, stock 85"];
    let order = [
        "There is no customer NOBODY.",
        "That is no date.",
        "There is no item TEA.",
        "A quantity is a whole number from 1.",
        "There are only 85.",
        "COFF01 is in the order already.",
        // 5 x 99.90 + 3 x 41.25
        "Lines: 2, total 623.25",
        "Stored as order 001001.",
    ];
    let inquiry = ["There is no order 7.", "Order 001001 of Olsen Foods, open", "499.50", "123.75"];
    let rest = ["Nightly job: 0 sent, 1 to reorder, 1 in the report.", "a number from 0 to 7", "Good-bye."];
    assert_in_order(&text, &[&customers[..], &items, &order, &inquiry, &rest].concat());
    // 12 in stock, 3 sold, 10 at least: 20 - 9 are ordered.
    assert_eq!(fs::read_to_string(path("reorder.txt")).unwrap(), "BRIE01  Brie, 3 kg                     11\n");
}

#[test]
fn the_nightly_job_runs_alone_and_its_files_are_tables() {
    let folder = shop();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let input = File::open(Path::new(HERE).join("clerk.in")).unwrap();
    printed(&["run", &path("programs/menu.bas")], input.into());
    let job = |arguments: &[&str]| {
        printed(&[&["run", &path("programs/nightly.bas")], arguments].concat(), Stdio::null()).trim_end().to_owned()
    };
    assert_eq!(job(&["20301223"]), "Nightly job: 0 sent, 1 to reorder, 1 in the report.");
    assert_eq!(job(&["20301224"]), "Nightly job: 1 sent, 1 to reorder, 1 in the report.");
    assert_eq!(job(&["20301332"]), "The date 20301332 is not YYYYMMDD.");
    let report = fs::read_to_string(path("order_report.txt")).unwrap();
    assert_in_order(&report, &["OLSEN Olsen Foods\n", "001001  20301224  sent", "623.25\n", "Orders: 1, total"]);
    let sql = "SELECT (SELECT COUNT(*) FROM sales), (SELECT COUNT(*) FROM sale_lines), (SELECT COUNT(*) FROM clients)";
    let shop = folder.path().to_str().unwrap();
    assert_eq!(printed(&[shop, "--format", "csv", "--no-header", "-c", sql], Stdio::null()).trim_end(), "1,2,5");
}

#[test]
fn input_that_ends_leaves_the_menu() {
    let folder = shop();
    let menu = folder.path().join("programs/menu.bas");
    assert!(printed(&["run", menu.to_str().unwrap()], Stdio::null()).trim_end().ends_with("Good-bye."));
}

/// Programs with errors, and one in a folder of its own whose ending is in capitals.
fn faulty() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("sub")).unwrap();
    fs::create_dir_all(folder.path().join(".old")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "a.pxp",
        "0010 PRINT \"ok\"\n0020 HIDE 10,@(1,1,10,10)\n0030 GOTO 9999\n0040 PRNT \"x\"\n0050 PRINT DLL(\"x\"); HIDE 1,@(0,0,1,1); PRNT\n",
    );
    write("sub/b.BAS", "PRINT (\nHIDE 1,@(0,0,1,1)\n");
    write("sub/good.bas", "PRINT 1\n");
    write("sub/note.txt", "HIDE\n");
    write(".old/c.bas", "HIDE\n");
    folder
}

#[test]
fn check_lists_errors_of_programs_and_counts_what_is_not_supported() {
    let folder = faulty();
    let path = folder.path().to_str().unwrap();
    let output = mainstay(&["check", path], Stdio::null());
    assert_eq!(output.status.code(), Some(4));
    let text = String::from_utf8(output.stdout).unwrap().replace(path, "");
    let expected = "\
error: /a.pxp:2:6, statement 0020: directive HIDE is not supported (error 99)
error: /a.pxp:3:6, statement 0030: no line with this number or a higher one (error 21)
error: /a.pxp:4:6, statement 0040: PRNT is not a directive (error 20); PRINT?
error: /a.pxp:5:12, statement 0050: function DLL( ) is not supported (error 99)
error: /a.pxp:5:22, statement 0050: directive HIDE is not supported (error 99)
error: /sub/b.BAS:1:8, statement 0010: expected an expression, found the end of the statement (error 20)
error: /sub/b.BAS:2:1, statement 0020: directive HIDE is not supported (error 99)

items that are not supported:

  times  programs  priority  item
      3         2         3  directive HIDE
      1         1         3  function DLL( )
";
    assert_eq!(text, expected);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "3 programs, 7 errors\n");
}

#[test]
fn check_of_programs_speaks_json() {
    let folder = faulty();
    let program = folder.path().join("sub/b.BAS");
    let output = mainstay(&["check", program.to_str().unwrap(), "--format", "json"], Stdio::null());
    assert_eq!(output.status.code(), Some(4));
    let expected = format!(
        concat!(
            r#"{{"findings":[],"programs":[{{"path":"{}","errors":["#,
            r#"{{"line":1,"column":8,"statement":10,"code":20,"#,
            r#""message":"expected an expression, found the end of the statement","hint":null,"item":null}},"#,
            r#"{{"line":2,"column":1,"statement":20,"code":99,"#,
            r#""message":"directive HIDE is not supported","hint":null,"item":"directive HIDE"}}]}}],"#,
            r#""items":[{{"item":"directive HIDE","times":1,"programs":1,"priority":3}}],"folders":[]}}"#,
            "\n",
        ),
        program.display()
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn programs_without_errors_are_in_order() {
    let output = mainstay(&["check", SAMPLE], Stdio::null());
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "0 findings, no errors\n8 programs, 0 errors\n");
    let missing = mainstay(&["check", "nowhere/menu.bas"], Stdio::null());
    assert_eq!(missing.status.code(), Some(3));
}

#[test]
fn programs_are_entered_and_run_at_the_console() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let lines = folder.path().join("lines.txt");
    fs::write(
        &lines,
        "10 PRINT 7/D\n20 PRINT \"done\"\nSAVE \"quotient\"\nRUN\nD=2\nRUN\nOPEN (1)\"*memory*\"\nQUIT\n",
    )
    .unwrap();
    let text = printed(&["basic", path], File::open(&lines).unwrap().into());
    let error = "line 0010: Error #40: Divide check or numeric overflow (division by zero)";
    assert_eq!(text, format!("0010 PRINT 7/D\n{error}\n 3.5\ndone\n"));
    // The program that was saved stops at the console, too.
    let program = folder.path().join("quotient.bas");
    fs::write(&lines, "? D\nD=1\nRUN\n").unwrap();
    let arguments = ["run", "--console", program.to_str().unwrap()];
    let text = printed(&arguments, File::open(&lines).unwrap().into());
    assert_in_order(&text, &["0010 PRINT 7/D", "quotient.bas line 0010: Error #40", "\n 0\n", " 7\ndone\n"]);
}

#[test]
fn letters_are_the_same_for_programs_and_sql() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["customers.dbf", "customers.fpt", "customers.cdx"] {
        fs::copy(Path::new(SAMPLE).join("..").join(name), folder.path().join(name)).unwrap();
    }
    let program = "OPEN (1)\"customers\"\nWRITE (1)999003,\"Müller\",\"\"\nINPUT A$\nWRITE (1)999004,A$,\"\"\nCLOSE (1)
SELECT I,N$ FROM \"customers\" WHERE POS(\"Höller\"=N$)=1 OR POS(\"Müller\"=N$)=1 AND I>999000
PRINT I,\" \",N$,LEN(N$)
NEXT RECORD
";
    let path = folder.path().join("letters.bas");
    fs::write(&path, program).unwrap();
    fs::write(folder.path().join("input"), "Höller\n").unwrap();
    let text = printed(&["run", path.to_str().unwrap()], File::open(folder.path().join("input")).unwrap().into());
    assert!(text.contains(" 999003 Müller 6\n") && text.contains(" 999004 Höller 6\n"), "{text}");
    let query = "SELECT name FROM customers WHERE id > 999000 ORDER BY id";
    let rows = printed(&[folder.path().to_str().unwrap(), "--format", "csv", "-c", query], Stdio::null());
    assert_eq!(rows.lines().skip(1).collect::<Vec<_>>(), ["Müller", "Höller"], "{rows}");
}

#[test]
fn a_program_without_keyed_files_leaves_its_folder_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let program = |text: &str| {
        let path = folder.path().join("program.bas");
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    assert_eq!(printed(&["run", &program("PRINT \"one\"\n")], Stdio::null()), "one\n");
    assert!(!folder.path().join(".mainstay").exists());
    // The first keyed file creates the store, also behind the beginning of a transaction, and it is found again.
    let text =
        "SYSTEM_JRNL BEGIN\nKEYED \"f\",4\nOPEN (1)\"f\"\nWRITE (1,KEY=\"a\")\"x\"\nSYSTEM_JRNL SAVE\nCLOSE (1)\n";
    printed(&["run", &program(text)], Stdio::null());
    assert!(folder.path().join(".mainstay").exists());
    let text = "OPEN (1)\"f\"\nREAD (1,KEY=\"a\")A$\nPRINT A$\n";
    assert_eq!(printed(&["run", &program(text)], Stdio::null()), "x\n");
    let refused = mainstay(&["run", folder.path().to_str().unwrap()], Stdio::null());
    assert!(String::from_utf8(refused.stderr).unwrap().contains("it is a folder, not a program"));
    assert_ne!(refused.status.code(), Some(0));
}
