//! The memory limit of a session: programs that take memory in every way end with error 31, and the process takes little more
//! than the limit.
//!
//! The peak of the process is measured (`VmHWM`), so the file has one test.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod harness;

use mainstay_basic::Session;

/// The limit of the sessions.
const LIMIT: u64 = 32 << 20;
/// The peak of the process beyond its base: strings and tables that grow have room for as much again for a moment, and the
/// allocator keeps pieces that programs before have given back.
const PEAK: u64 = 2 * LIMIT + (48 << 20);

fn session() -> Session {
    let (mut session, _) = harness::session(b"", true);
    session.limit_operations(50_000_000);
    session.limit_total_memory(LIMIT);
    session
}

fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

/// Runs a program: its error, and the peak of the process beyond `base`.
fn run(program: &str, base: u64) -> (u16, u64) {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let code = session().run_text("growth", program.as_bytes()).err().map_or(0, |failure| failure.fault.code);
    (code, status("VmHWM").saturating_sub(base))
}

/// Programs that grow until they are stopped, by what grows.
const GROWTH: &[(&str, &str)] = &[
    ("arrays of numbers", "L: I++; EXECUTE \"DIM A\"+STR(I)+\"[1:100000]\"; GOTO L"),
    ("arrays of strings", "L: I++; EXECUTE \"DIM A\"+STR(I)+\"$[1:100000]\"; GOTO L"),
    ("arrays of filled strings", "DIM A$[1:20000](10000)"),
    ("strings", "L: I++; EXECUTE \"A\"+STR(I)+\"$=DIM(50000)\"; GOTO L"),
    ("names", "L: I++; EXECUTE \"A\"+STR(I)+\"=1\"; GOTO L"),
    ("elements", "DIM A$[1:1000000]\nFOR I=1 TO 1000000; A$[I]=DIM(200); NEXT I"),
    ("elements of a dynamic array", "DIM A$[*]\nL: A$[*]=DIM(200); GOTO L"),
    ("keywords", "L: I++; A$[\"KEY\"+STR(I)]=\"x\"; GOTO L"),
    ("a range", "DIM A$[1:100000]\nX$=DIM(10000)\nA${ALL}=X$"),
    (
        "copies of arrays",
        "DIM A[1:1000000]\nL: I++; EXECUTE \"DIM B\"+STR(I)+\"[1:1];B\"+STR(I)+\"{ALL}=A{ALL}\"; GOTO L",
    ),
    ("records of a list", "OPEN (1)\"*memory*\"\nL: WRITE (1)DIM(100); GOTO L"),
    ("records with keys", "OPEN (1)\"*memory*\"\nL: I++; WRITE (1,KEY=STR(I))DIM(100); GOTO L"),
    (
        "records with many keys",
        "OPEN (1)\"*memory*;KEYDEF=[1:1:8],[2:1:8],[3:1:8]\"\nL: I++; WRITE (1)STR(I),STR(-I),STR(I/2); GOTO L",
    ),
    ("a line of PRINT", "OPEN (1)\"*memory*\"\nL: PRINT (1)DIM(1000),; GOTO L"),
    ("objects", "DEF CLASS \"C\"\nPROPERTY P[1:10000]\nEND DEF\nL: X=NEW(\"C\"); GOTO L"),
    ("clones of objects", "DEF CLASS \"C\"\nPROPERTY P$\nEND DEF\nX=NEW(\"C\"); X'P$=DIM(100000)\nL: Y=NEW(X); GOTO L"),
    ("levels", "CALL \"growth.sub\""),
    ("LOCAL", "L: LOCAL A$; A$=DIM(100000); GOSUB L"),
    ("strings of the session", "L: I++; X$=GBL(STR(I),DIM(1000)); GOTO L"),
    ("temporary strings", "A$=DIM(7000000)\nX$=MAX(A$,MAX(A$,MAX(A$,MAX(A$,MAX(A$,MAX(A$,MAX(A$,A$)))))))"),
    ("parameters of functions", "DEF FNA$(LOCAL X$)\nRETURN FNA$(X$+\"x\")\nEND DEF\nA$=DIM(7000000)\nB$=FNA$(A$)"),
    ("parts of a loop", "A$=DIM(7000000)\nFOR X$ FROM A$; NEXT"),
    ("places of SUB", "A$=DIM(7000000)\nB$=SUB(A$,\" \",\"\")"),
    ("parts of SRT", "A$=DIM(7000000,\",\")\nB$=SRT(A$,\",\")"),
    ("JSON", "A$=\"[\"+DIM(1500000*2,\"1,\")+\"1]\"\nDIM LOAD B${ALL}=A$"),
    ("channels", "SET_PARAM 'XF'\nFOR I=1 TO 32000; OPEN (I)\"*memory*\"; WRITE (I)DIM(500); NEXT I"),
];

#[test]
fn programs_that_take_all_memory_are_stopped() {
    a_compiled_program_takes_what_it_counts();
    // The first use of everything.
    run("A$=DIM(1000)\nOPEN (1)\"*memory*\"", 0);
    let base = status("VmRSS");
    let mut wrong = Vec::new();
    for (name, program) in GROWTH {
        let (code, peak) = run(program, base);
        if code != 31 || peak > PEAK {
            wrong.push(format!("{name}: error {code}, {} MB", peak >> 20));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    memory_is_free_again();
    statements_that_were_executed_are_forgotten(base);
}

/// Error 31 can be taken, and what is given back can be used again.
fn memory_is_free_again() {
    let program = "
0010 SETERR 0100
0020 DIM A$[1:1000000]
0030 I++; A$[I]=DIM(100); GOTO 0030
0100 IF ERR<>31 THEN RELEASE 1
0110 N++; IF N>5 THEN RELEASE 7
0120 X$=\"error \"+STR(ERR)+\" in turn \"+STR(N); DIM A$[1:1]; I=0; SETERR 0100; GOTO 0020
";
    let ended = session().run_text("again", program.as_bytes()).unwrap();
    assert_eq!(ended, mainstay_basic::Ended::Released(7));
    // START lowers the limit, and not further than the host's.
    let mut session = session();
    let code = session.run_text("start", b"IF TCB(15)<>33554432 THEN RELEASE 1\nSTART 100000\n").unwrap();
    assert_eq!(code, mainstay_basic::Ended::End);
    let program = b"A$=DIM(8000000)\nIF TCB(15)=33554432 THEN RELEASE 2";
    assert_eq!(session.run_text("start", program).unwrap(), mainstay_basic::Ended::Released(2));
    session.run_text("start", b"START 1024").unwrap();
    let code = session.run_text("start", b"A$=DIM(5000000)").unwrap_err().fault.code;
    assert!(matches!(code, 31 | 41), "{code}");
}

/// EXECUTE of ever other statements does not fill the memory.
fn statements_that_were_executed_are_forgotten(base: u64) {
    let (code, peak) = run("FOR I=1 TO 100000; EXECUTE \"A=\"+STR(I); NEXT I", base);
    assert_eq!(code, 0);
    assert!(peak < PEAK, "{} MB", peak >> 20);
    let (code, peak) = run("X$=DIM(30000,\" \")\nFOR I=1 TO 3000; EXECUTE \"A$=\"\"\"+X$+STR(I)+QUO; NEXT I", base);
    assert_eq!(code, 0);
    assert!(peak < PEAK, "{} MB", peak >> 20);
}

/// Programs count 48 bytes for each byte of their text.
fn a_compiled_program_takes_what_it_counts() {
    let line =
        "IF A=1 THEN B$=C$+STR(D):\"000\" ELSE GOSUB 10; PRINT @(1,2),B$,A+B*C; READ (1,KEY=K$,ERR=10)A$,B$,C,D\n";
    let program: String = (1..20_000).map(|number| format!("{:05} {line}", number * 3)).collect();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmRSS");
    let mut session = session();
    let _ = session.run_text("large", format!("00001 END\n{program}").as_bytes());
    let taken = status("VmRSS").saturating_sub(before);
    assert!(taken < 48 * program.len() as u64, "{} bytes a byte", taken as f64 / program.len() as f64);
}
