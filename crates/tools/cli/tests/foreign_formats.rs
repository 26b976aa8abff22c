//! Results for programs with other regional settings: CSV with other separators, decimals and dates, and workbooks of
//! Excel.
#![allow(clippy::disallowed_methods)]

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mainstay")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const ROW: &str = "SELECT CAST(-1234.50 AS DECIMAL(10,2)) AS amount, DATE '2024-02-09' AS day, \
                   TIMESTAMP '2024-02-09 10:11:12' AS at, 0.5 AS half, 'a;b' AS name";

#[test]
fn csv_for_excel_in_germany() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let csv = |flags: &[&str]| {
        let output = run(&[&[path, "--format", "csv", "-c", ROW][..], flags].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(
        csv(&["--decimal", ",", "--bom", "--date-format", "dd.mm.yyyy"]),
        "\u{feff}amount;day;at;half;name\n-1234,50;09.02.2024;09.02.2024 10:11:12;0,5;\"a;b\"\n"
    );
    assert_eq!(
        csv(&["--delimiter", "|", "--date-format", "m/d/yy"]),
        "amount|day|at|half|name\n-1234.50|2/9/24|2/9/24 10:11:12|0.5|a;b\n"
    );
    assert!(csv(&["--delimiter", "tab"]).starts_with("amount\tday\t"));
    // One byte order mark at the beginning of a file, however many results are in it.
    let two = text(&run(&[path, "--format", "csv", "--bom", "-c", "SELECT 1 AS a; SELECT 2 AS b"]).stdout);
    assert_eq!(two, "\u{feff}a\n1\nb\n2\n");
    for wrong in [&["--delimiter", ",", "--decimal", ","][..], &["--delimiter", "ab"], &["--date-format", "%d.%m.%Y"]] {
        let output = run(&[&[path, "--format", "csv", "-c", ROW][..], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

/// The part of a workbook of this name.
fn part(file: &Path, name: &str) -> String {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(file).unwrap()).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Cells as ECMA-376 has them: numbers without a type, `t="b"` for booleans, text inline; 45331 is 2024-02-09.
#[test]
fn a_workbook_has_numbers_dates_and_texts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let file = folder.path().join("out.xlsx");
    let sql = format!(
        "{ROW}, TRUE AS yes, NULL AS nothing, CAST(12345678901234567.25 AS DECIMAL(20,2)) AS long, \
                       DATE '1850-01-01' AS old, 'x < y & z' AS sign"
    );
    let output = run(&[path, "--output", file.to_str().unwrap(), "-c", &sql]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let notices = text(&output.stderr);
    assert!(notices.contains("column long: 1 values are text: Excel keeps 15 digits of a number"), "{notices}");
    assert!(notices.contains("column old: 1 values are text"), "{notices}");
    let sheet = part(&file, "xl/worksheets/sheet1.xml");
    let row = sheet.split_once("<row r=\"2\"").unwrap().1;
    for cell in ["<v>-1234.5</v>", "<v>45331</v>", "<v>45331.4244444", "<v>0.5</v>", "t=\"b\"><v>1</v>"] {
        assert!(row.contains(cell), "{cell}: {row}");
    }
    for cell in ["12345678901234567.25", "1850-01-01", "x &lt; y &amp; z", "a;b"] {
        assert!(row.contains(cell), "{cell}: {row}");
    }
    // NULL is no cell at all.
    assert!(!row.contains("r=\"G2\""), "{row}");
    assert!(
        part(&file, "xl/styles.xml").contains("formatCode=\"yyyy\\-mm\\-dd\"")
            || part(&file, "xl/styles.xml").contains("yyyy-mm-dd")
    );
    // A workbook holds one result, and is not for a screen or a second one.
    let second = run(&[path, "--output", file.to_str().unwrap(), "-c", "SELECT 1 AS a; SELECT 2 AS b"]);
    assert_eq!(second.status.code(), Some(1));
    // A text that no cell holds is an error, and leaves no half file.
    let long = folder.path().join("long.xlsx");
    let refused = run(&[path, "--output", long.to_str().unwrap(), "-c", "SELECT REPEAT('x', 40000) AS x"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("32767"), "{}", text(&refused.stderr));
    assert!(!long.exists());
}
