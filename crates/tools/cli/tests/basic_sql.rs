//! Business BASIC programs with SQL statements and transactions, and files that are imported.

#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::process::{Command, Output};

fn mainstay(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// Runs a program in the folder: its output and errors.
fn run(folder: &Path, program: &str) -> String {
    std::fs::create_dir_all(folder.join("programs")).unwrap();
    std::fs::write(folder.join("programs/test.bas"), program).unwrap();
    let ran = mainstay(&["run", "--folder", ".", "programs/test.bas"], folder);
    format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
}

fn sql(folder: &Path, text: &str) -> String {
    let ran = mainstay(&[".", "--format", "csv", "--no-header", "-c", text], folder);
    assert!(ran.status.success(), "{text}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// A table, and a keyed file of orders.
fn shop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    sql(
        folder.path(),
        "CREATE TABLE items (code VARCHAR(4) PRIMARY KEY, stock INTEGER, price DECIMAL(9,2)); \
         INSERT INTO items VALUES ('A', 10, 1.5), ('B', 20, 2.25), ('C', 30, 3)",
    );
    let shown =
        run(folder.path(), "KEYED \"orders\",[1:1:4],[2:1:4]\nOPEN (1)\"orders\"\nWRITE (1)\"0001\",\"A\",\"1\"\n");
    assert_eq!(shown, "");
    folder
}

#[test]
fn statements_have_parameters_and_a_cursor() {
    let folder = shop();
    let program = "\
0010 OPEN (1)\"[ODB]shop;\"
0020 WRITE (1)\"SELECT code, price FROM items WHERE stock >= ? ORDER BY code\",15
0030 READ (1,END=0060)C$,P
0040 PRINT C$,P
0050 GOTO 0030
0060 WRITE (1)\"UPDATE items SET stock = stock - CAST(? AS INTEGER) WHERE code = ?\",3,\"B\"
0070 READ (1)N; PRINT \"changed\",N
0080 READ (1,KEY=\"! SELECT COUNT(*), MAX(price) FROM items\")N,P
0090 PRINT N,P
0100 WRITE RECORD (1,ERR=0120)\"SELEC 1\"
0110 PRINT \"no error\"
0120 PRINT \"ERR\",ERR
0130 SELECT C$ FROM \"[ODB]shop;items\"; PRINT C$,; NEXT RECORD; PRINT \"\"
";
    assert_eq!(run(folder.path(), program), "B 2.25\nC 3\nchanged 1\n 3 3\nERR 15\nABC\n");
    assert_eq!(sql(folder.path(), "SELECT stock FROM items WHERE code = 'B'").trim(), "17");
}

#[test]
fn one_transaction_covers_channels_and_statements() {
    let folder = shop();
    let work = "\
0010 OPEN (1)\"[ODB]shop;\"; OPEN (2)\"orders\"; OPEN (3)\"items\"
0020 SYSTEM_JRNL BEGIN
0030 WRITE (2)\"0002\",\"B\",\"5\"
0040 WRITE (1)\"UPDATE items SET stock = stock - 5 WHERE code = 'B'\"
0050 EXTRACT (3,KEY=\"C\")C$,S,P; WRITE (3)C$,S-1,P
0060 READ (1,KEY=\"! SELECT stock FROM items WHERE code = 'C'\")S; PRINT \"inside\",S
0070 READ (2,KEY=\"0002\")O$,C$; PRINT O$,\" \",C$
";
    let rolled_back = format!(
        "{work}0080 SYSTEM_JRNL RESTORE\n0090 READ (2,KEY=\"0002\",DOM=0100)O$\n0095 PRINT \"there\"\n0100 END\n"
    );
    assert_eq!(run(folder.path(), &rolled_back), "inside 29\n0002 B\n");
    let state = "SELECT (SELECT COUNT(*) FROM orders), (SELECT SUM(stock) FROM items)";
    assert_eq!(sql(folder.path(), state).trim(), "1,60");
    // A program that ends without SAVE has changed nothing, an error in AUTO OFF neither.
    assert_eq!(run(folder.path(), work), "inside 29\n0002 B\n");
    assert_eq!(sql(folder.path(), state).trim(), "1,60");
    let failed = run(folder.path(), &format!("{}0080 X=1/0\n", work.replace("BEGIN", "AUTO OFF")));
    assert!(failed.contains("Error #40"), "{failed}");
    assert_eq!(sql(folder.path(), state).trim(), "1,60");
    assert_eq!(run(folder.path(), &format!("{work}0080 SYSTEM_JRNL SAVE\n")), "inside 29\n0002 B\n");
    assert_eq!(sql(folder.path(), state).trim(), "2,54");
    // The key of the record that was written in the transaction is there.
    assert_eq!(run(folder.path(), "OPEN (2)\"orders\"\nREAD (2,KNO=1,KEY=\"B\")O$; PRINT O$"), "0002\n");
}

#[test]
fn an_exported_file_is_imported_by_the_command() {
    let folder = shop();
    let path = folder.path();
    std::fs::create_dir(path.join("export")).unwrap();
    let description =
        "data=codes.txt\nkeys=[1:1:4],[2:1:10]\nrecord=-60\nformat=csv\nlayout=IOLIST CODE$,NAME$,RATE\nrecords=3\n";
    std::fs::write(path.join("export/codes.desc"), description).unwrap();
    std::fs::write(path.join("export/codes.txt"), "0001,\"one, two\",1.5\r\n0002,three,2\r\n0003,four,3\r\n").unwrap();
    let import = || mainstay(&["import", ".", "export/codes.desc"], path);
    let done = import();
    let shown = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{shown}{}", String::from_utf8_lossy(&done.stderr));
    assert!(shown.starts_with("codes: 3 records, 0 rejected, "), "{shown}");
    assert_eq!(
        sql(path, "SELECT code, name, rate FROM codes_fields ORDER BY 1 LIMIT 1").trim(),
        "0001,\"one, two\",1.5"
    );
    // A second time the file is there already, unless it is to be replaced.
    let again = import();
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("error 12"));
    std::fs::write(path.join("export/codes.txt"), "0001,one,1\n0001,two,2\n").unwrap();
    let replaced = mainstay(&["import", ".", "export/codes.desc", "--replace"], path);
    let shown = String::from_utf8_lossy(&replaced.stdout).into_owned();
    assert_eq!(replaced.status.code(), Some(1), "{shown}");
    assert!(shown.contains("line 2: error 11") && shown.contains("3 were exported, 2 arrived"), "{shown}");
    // Fields of 4, 3 and 1 bytes with their separators are 11 bytes a line, of the rejected one too.
    assert!(shown.contains("codes: 1 records, 1 rejected, 22 bytes, "), "{shown}");
    let rejected = std::fs::read_to_string(path.join("export/codes.rejected")).unwrap();
    assert!(rejected.contains("\n0001,two,2\n"), "{rejected}");
}

/// The outcome of an import: its exit code, and its output with its errors.
fn import(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let ran = mainstay(&[&["import", "."], arguments].concat(), folder);
    (ran.status.code(), format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr)))
}

#[test]
fn a_layout_that_cannot_be_read_is_refused_before_the_import() {
    let folder = shop();
    let path = folder.path();
    let describe = |layout: &str| {
        let text = format!("keys=[1:1:4]\nlayout=IOLIST {layout}\n");
        std::fs::write(path.join("codes.desc"), text).unwrap();
    };
    std::fs::write(path.join("codes.txt"), "0001\tone\t\n").unwrap();
    describe("CODE$,NAME$:[CHR(30)]");
    let (code, shown) = import(path, &["codes.desc"]);
    assert!(code == Some(1) && shown.contains("error 32") && shown.contains("NAME$:[CHR(30)]"), "{shown}");
    assert_eq!(sql(path, "SHOW TABLES LIKE 'codes'").trim(), "");
    describe("CODE$,NAME$");
    assert_eq!(import(path, &["codes.desc"]).0, Some(0));
    // The file that is there stays as well.
    describe("CODE$,NAME$:[CHR(30)]");
    assert_eq!(import(path, &["codes.desc", "--replace"]).0, Some(1));
    assert_eq!(sql(path, "SELECT name FROM codes_fields").trim(), "one");
}

#[test]
fn descriptions_of_an_import_lead_to_files_of_their_folder_only() {
    let folder = shop();
    let path = folder.path();
    std::fs::create_dir_all(path.join("export/below")).unwrap();
    std::fs::write(path.join("outside.txt"), "0001\tsecret\t\n").unwrap();
    std::fs::write(path.join("export/below/codes.txt"), "0001\tone\t\n0001\ttwo\t\n").unwrap();
    std::os::unix::fs::symlink("../outside.txt", path.join("export/link.txt")).unwrap();
    let pipe = Command::new("mkfifo").arg(path.join("export/pipe.txt")).status().unwrap();
    assert!(pipe.success());
    let take = |data: &str| {
        let text = format!("name=codes\nkeys=[1:1:4]\ndata={data}\n");
        std::fs::write(path.join("export/codes.desc"), text).unwrap();
        import(path, &["export/codes.desc", "--replace"])
    };
    let outside = path.join("outside.txt").display().to_string();
    for data in ["../outside.txt", "link.txt", &outside] {
        let (code, shown) = take(data);
        assert!(code == Some(1) && shown.contains("below the folder of its description"), "{data}: {shown}");
        assert!(shown.contains(data), "{shown}");
    }
    for data in ["pipe.txt", "below"] {
        let (code, shown) = take(data);
        assert!(code == Some(1) && shown.contains("is a regular file"), "{data}: {shown}");
    }
    // Rejected lines are not written where a link leads, there or not.
    let rejected = path.join("export/codes.rejected");
    std::os::unix::fs::symlink("../made.txt", &rejected).unwrap();
    let (code, shown) = take("below/codes.txt");
    assert!(code == Some(1) && shown.contains("through a symbolic link"), "{shown}");
    assert!(!path.join("made.txt").exists());
    std::fs::remove_file(&rejected).unwrap();
    let (code, shown) = take("below/codes.txt");
    assert!(code == Some(1) && shown.contains("codes: 1 records, 1 rejected"), "{shown}");
    assert!(std::fs::read_to_string(&rejected).unwrap().contains("0001\ttwo"));
}

#[test]
fn the_wait_of_a_channel_is_not_that_of_the_statements() {
    let folder = shop();
    // The second EXTRACT fails: record Z is missing.
    let program = "\
0010 OPEN (1)\"[ODB]shop;\"; OPEN (3)\"items\"
0020 WRITE (1)\"SET lock_timeout = '7s'\"
0030 SYSTEM_JRNL BEGIN
0040 EXTRACT (3,KEY=\"C\",TIM=0)C$,S,P
0050 GOSUB 0200
0060 WRITE (3)C$,S-1,P
0070 EXTRACT (3,KEY=\"Z\",TIM=0,DOM=0080)C$
0080 GOSUB 0200
0090 REMOVE (3,KEY=\"A\")
0100 SYSTEM_JRNL SAVE
0110 GOSUB 0200
0120 END
0200 READ (1,KEY=\"! SHOW lock_timeout\")N$,V$; PRINT V$
0210 RETURN
";
    assert_eq!(run(folder.path(), program), "7000ms\n7000ms\n7000ms\n");
    assert_eq!(sql(folder.path(), "SELECT SUM(stock) FROM items").trim(), "49");
}
