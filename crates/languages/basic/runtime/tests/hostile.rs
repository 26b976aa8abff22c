//! Programs that try to take all memory, all time, all of the stack, or files outside of their folder end with an error of their
//! own statement, and the session is as good as before.

mod harness;

use mainstay_basic::{Ended, Session};
use std::time::{Duration, Instant};

/// The error that a program ends with.
fn error_of(session: &mut Session, program: &str) -> u16 {
    match session.run_text("hostile", program.as_bytes()) {
        Ok(_) => 0,
        Err(failure) => failure.fault.code,
    }
}

fn session() -> Session {
    let (mut session, _) = harness::session(b"", true);
    session.limit_operations(500_000);
    session.limit_memory(1 << 20, 100_000);
    session
}

/// Runs a program, and then one that shows that the session still works.
fn expect(program: &str, code: u16) {
    let mut session = session();
    assert_eq!(error_of(&mut session, program), code, "{program}");
    session.limit_operations(u64::MAX);
    let after = session.run_text("after", b"A=1+1");
    assert_eq!(after.unwrap(), Ended::End, "{program}");
}

#[test]
fn memory_is_bounded() {
    expect("A$=\"x\"\nL: A$=A$+A$; GOTO L", 31);
    expect("A$=DIM(2000000)", 41);
    expect("DIM A[1:1000,1:1000]", 31);
    expect("DIM A[1:9999999999]", 31);
    expect("A$=\"ab\"\nL: A$=SUB(A$,\"a\",\"aaaa\"); GOTO L", 31);
    expect("A$=PAD(\"\",1E12)", 41);
    expect("DEF CLASS \"C\"\nPROPERTY P\nEND DEF\nL: X=NEW(\"C\"); GOTO L", 31);
}

#[test]
fn nesting_is_bounded() {
    expect("L: GOSUB L", 31);
    expect("DEF FNA(X)=FNA(X)\nY=FNA(1)", 25);
    expect("E$=\"EXECUTE E$\"\nEXECUTE E$", 31);
    expect("X=EVN(\"EVN(\"\"1\"\"+\"+\"(\"+\"1\"+\")\")", 20);
    expect("L: FOR I=1 TO 2; GOSUB L", 31);
    expect("DEF CLASS \"C\"\nFUNCTION F()\nRETURN _OBJ'F()\nFUNCTION END\nEND DEF\nX=NEW(\"C\")\nPRINT X'F()", 25);
    let deep = format!("PRINT {}1{}", "(".repeat(5000), ")".repeat(5000));
    expect(&deep, 30);
    let chain = format!("X=1{}", "+1".repeat(20_000));
    expect(&chain, 30);
    expect("DIM LOAD A${ALL}=DIM(5000,\"[\")", 30);
}

#[test]
fn time_is_bounded() {
    expect("L: GOTO L", 127);
    expect("WHILE 1; WEND", 127);
    expect("L: EXECUTE \"A=1\"; GOTO L", 127);
    // A handler does not take its own errors.
    expect("SETERR L\nL: X=1/0\nSETERR L\nGOTO L", 40);
    expect("L: TRY; X=1/0; CATCH; GOTO L; END_TRY", 31);
}

#[test]
fn long_structures_take_linear_time_and_are_counted_before_they_are_read() {
    // 100,000 elements, the most that a structure has.
    let text = "X$=\"\"\nFOR I=1 TO 100000; X$=X$+\"E\"+STR(I)+\":C(1)\"+TBL(I<100000,\"\",\",\"); NEXT I\n";
    let mut session = harness::session(b"", true).0;
    assert_eq!(error_of(&mut session, text), 0);
    let start = Instant::now();
    assert_eq!(error_of(&mut session, &format!("{text}DIM A$:X$\nIF LEN(A$)<>100000 THEN ESCAPE 99")), 0);
    // Comparing each name with all before it takes minutes.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    // The text is not valid at its end, which a session without memory for its elements does not find out.
    session.limit_total_memory(16 << 20);
    assert_eq!(error_of(&mut session, &format!("{text}DIM A$:X$+\"!\"")), 31);
}

#[test]
fn nested_subscripts_of_names_with_a_dot_are_compiled_in_linear_time() {
    let names: String = (0..40).map(|number| format!("DIM A{number}$:T$\n")).collect();
    let subscripts: String = (0..40).map(|number| format!("A{number}.X[")).collect();
    expect(&format!("T$=\"Y:C(1)\"\nGOTO L\n{names}L: PRINT {subscripts}0{}", "]".repeat(40)), 42);
    let chain: String = (1..40).map(|length| format!("DIM {}$:T$\n", vec!["A"; length].join("."))).collect();
    expect(&format!("T$=\"Y:C(1)\"\nGOTO L\n{chain}L: PRINT {}", vec!["A"; 41].join(".")), 0);
}

#[test]
fn handlers_cannot_loop_for_ever() {
    // An error program that fails itself, or is not there, ends the session's program.
    expect("ERROR_HANDLER \"no.such.program\"\nX=1/0", 54);
    expect("ERROR_HANDLER \"handlers.sub;BREAKS\"\nX=1/0", 127);
    expect("SETERR 0010\nX=1/0\nSETERR 0010", 127);
}

#[test]
fn programs_that_change_themselves_end() {
    expect("10 EXECUTE \"10\"\n20 END", 0);
    expect("10 FOR I=1 TO 3\n20 EXECUTE \"10\"\n30 NEXT I\n40 END", 0);
    expect("10 EXECUTE \"DELETE\"\n20 X=1/0", 0);
    expect("10 EXECUTE \"RENUMBER 60000,5000\"\n20 !\n30 !", 74);
    expect("10 EXECUTE \"5 GOTO 5\"\n20 GOTO 5", 127);
    expect("10 N=N+1; EXECUTE STR(N+100)+\" A=1\"; IF N<200 THEN GOTO 10", 0);
}

#[test]
fn nothing_outside_the_folder_is_reached() {
    for name in ["../x", "/etc/passwd", "a/../../x", "..\\x", ".mainstay/x"] {
        let code = error_of(&mut session(), &format!("OPEN (1)\"{name}\""));
        assert!(matches!(code, 10 | 12), "{name}: {code}");
        let code = error_of(&mut session(), &format!("SERIAL \"{name}\""));
        assert!(matches!(code, 10), "SERIAL {name}: {code}");
        let code = error_of(&mut session(), &format!("PREFIX \"../\"\nOPEN (1)\"{name}\""));
        assert!(matches!(code, 10 | 12), "PREFIX {name}: {code}");
        let code = error_of(&mut session(), &format!("PREFIX DIRECTORY \"v\"=\"../..\"\nOPEN (1)\"v/{name}\""));
        assert!(matches!(code, 10 | 12), "PREFIX DIRECTORY {name}: {code}");
        let code = error_of(&mut session(), &format!("CALL \"{name}\""));
        assert!(matches!(code, 10 | 12), "CALL {name}: {code}");
        let code = error_of(&mut session(), &format!("CWDIR \"{name}\""));
        assert!(matches!(code, 10 | 12), "CWDIR {name}: {code}");
        let code = error_of(&mut session(), &format!("EXECUTE \"SAVE \"\"{name}\"\"\""));
        assert!(matches!(code, 10), "SAVE {name}: {code}");
    }
    for program in ["INVOKE \"ls\"", "OPEN (1)\"|ls\"", "OPEN (1)\">x\"", "OPEN (1)\"<x\""] {
        assert_eq!(error_of(&mut session(), program), 15, "{program}");
    }
}
