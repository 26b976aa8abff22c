//! Business BASIC programs as processes: killed while they write, and beside another process that has locked a record.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)]

use mainstay_vfs::Disk;
use mainstay_workarea::{Area, AreaOptions, Mode};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

fn start(folder: &Path, program: &str) -> Child {
    let path = folder.join("program.bas");
    std::fs::write(&path, program).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.current_dir(folder).args(["run", "--folder", ".", "program.bas"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

/// Runs a program to its end: what it prints.
fn run(folder: &Path, program: &str) -> String {
    let child = start(folder, program);
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

const WRITE: &str = "\
0010 OPEN (1)\"log\"
0020 L$=KEL(1,ERR=0030); N=NUM(L$)
0030 N=N+1
0040 WRITE (1)STR(N:\"000000\"),STR(MOD(N,7)),\"text of record \"+STR(N)
0050 PRINT N
0060 GOTO 0030
";

const COUNT: &str = "\
0010 OPEN (1)\"log\"
0020 READ (1,KNO=0,END=0040)A$,B$
0030 C=C+1,L=NUM(A$); GOTO 0020
0040 CLOSE (1); OPEN (1)\"log\"
0050 READ (1,KNO=1,END=0070)A$,B$
0060 D=D+1; GOTO 0050
0070 PRINT C,D,L
";

#[test]
fn a_killed_program_leaves_whole_records_with_all_keys() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), "KEYED \"log\",[1:1:6],[2:1:2]+[1:1:6]\n"), "");
    let mut acknowledged = 0;
    for round in 0..12 {
        let mut child = start(folder.path(), WRITE);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for _ in 0..(1 + round * 7) {
            acknowledged = lines.next().unwrap().unwrap().trim().parse::<u64>().unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // A line that it had written before it was killed is acknowledged, too.
        for line in lines.map_while(Result::ok) {
            acknowledged = line.trim().parse::<u64>().unwrap_or(acknowledged).max(acknowledged);
        }
        let counts = run(folder.path(), COUNT);
        let counts: Vec<u64> = counts.split_whitespace().map(|count| count.parse().unwrap()).collect();
        let [by_first, by_second, last] = counts[..] else { panic!("{counts:?}") };
        assert!(by_first == by_second && by_first == last, "round {round}: {counts:?}");
        assert!(last >= acknowledged && last <= acknowledged + 1, "round {round}: {last} of {acknowledged}");
    }
}

/// Starts statements from a number on: each adds a record and moves another one in the order of the second key, and then shows the
/// number of the new one.
fn start_statements(folder: &Path, first: u64) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.current_dir(folder).args([".", "--format", "csv", "--no-header"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    std::thread::spawn(move || {
        for number in first.. {
            let (group, other) = (number % 7, (number * 5) % 7);
            let moved = number / 2;
            let text = format!(
                "BEGIN; INSERT INTO log_fields (id, grp, text) VALUES ('{number:06}', '{group}', 'text of {number}'); \
                 UPDATE log_fields SET grp = '{other}' WHERE id = '{moved:06}'; COMMIT; SELECT {number};\n"
            );
            if input.write_all(text.as_bytes()).is_err() {
                return;
            }
        }
    });
    child
}

/// Reads the file in both orders: the numbers of records, the last one, and how often the second order goes back.
const COMPARE: &str = "\
0010 OPEN (1)\"log\"
0020 READ (1,KNO=0,END=0040)A$,B$
0030 C=C+1,L=NUM(A$); GOTO 0020
0040 CLOSE (1); OPEN (1)\"log\"
0050 READ (1,KNO=1,END=0080)A$,B$
0060 D=D+1; IF B$+A$<=P$ THEN E=E+1
0070 P$=B$+A$; GOTO 0050
0080 PRINT C,D,L,E
";

#[test]
fn killed_statements_leave_whole_records_with_all_keys() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), "KEYED \"log\",[1:1:6],[2:1:1]+[1:1:6]\n"), "");
    let view = "CREATE VIEW log_fields AS SELECT field_text(record, 1) AS id, field_text(record, 2) AS grp, \
                field_text(record, 3) AS text FROM log";
    let made = Command::new(env!("CARGO_BIN_EXE_mainstay")).current_dir(&folder).args([".", "-c", view]).status();
    assert!(made.unwrap().success());
    let mut last = 0;
    for round in 0..10 {
        let mut child = start_statements(folder.path(), last + 1);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut numbers = lines.map_while(Result::ok).filter_map(|line| line.trim().parse::<u64>().ok());
        let mut acknowledged = last;
        for _ in 0..(1 + round * 7) {
            acknowledged = numbers.next().unwrap().max(acknowledged);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged = numbers.fold(acknowledged, u64::max);
        let counts = run(folder.path(), COMPARE);
        let counts: Vec<u64> = counts.split_whitespace().map(|count| count.parse().unwrap()).collect();
        let [by_first, by_second, greatest, disorder] = counts[..] else { panic!("{counts:?}") };
        assert!(by_first == by_second && by_first == greatest && disorder == 0, "round {round}: {counts:?}");
        assert!(greatest >= acknowledged, "round {round}: {greatest} of {acknowledged}");
        last = greatest;
    }
}

#[test]
fn an_extracted_record_is_locked_for_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../sample"));
    for ending in ["dbf", "cdx", "fpt"] {
        let name = format!("customers.{ending}");
        std::fs::copy(sample.join(&name), folder.path().join(&name)).unwrap();
    }
    let options = AreaOptions { mode: Mode::Shared, ..AreaOptions::default() };
    let mut area = Area::open(Arc::new(Disk), &folder.path().join("customers.dbf"), &options).unwrap();
    // The program has the record, and waits for its user.
    let hold = "OPEN (1)\"customers.dbf\"\nEXTRACT (1,IND=1)I,N$\nPRINT \"held\"\nINPUT X$\n";
    let mut child = start(folder.path(), hold);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "held");
    assert!(!area.try_lock_record(1).unwrap());
    assert!(area.try_lock_record(2).unwrap());
    // A program that was killed has no lock any more.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(area.try_lock_record(1).unwrap());
    // The other way: error 0 once the time is over.
    let wait = "OPEN (1)\"customers.dbf\"\nEXTRACT (1,IND=1,TIM=1,BSY=BUSY)I,N$\nPRINT \"free\"\nEND\nBUSY:\nPRINT \"ERR\",ERR\n";
    assert_eq!(run(folder.path(), wait), "ERR 0\n");
    area.unlock().unwrap();
    assert_eq!(run(folder.path(), wait), "free\n");
}
