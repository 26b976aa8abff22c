//! `IOL=*` and `SELECT *` over files with a layout (manual: OPEN, READ, SELECT, IOL; docs/basic-files.md).

mod harness;

use mainstay_basic::plain::PlainHost;
use mainstay_basic_files::Volume;
use std::io::Cursor;
use std::sync::Arc;

fn run(volume: &Arc<dyn Volume>, source: &str) -> String {
    let written = harness::Written::default();
    let host = PlainHost::new(Cursor::new(Vec::new()), written.clone()).without_waits();
    let mut session = harness::session_over(Box::new(host), Arc::clone(volume));
    let result = session.run_text("dictionary.bas", source.as_bytes());
    let mut text = written.text();
    if let Err(failure) = result {
        text.push_str(&format!("*** {failure}\n"));
    }
    text
}

const FILL: &str = "KEYED \"CUST\",[1:1:4],[2:1:8]
OPEN (1)\"CUST\"
WRITE (1)\"0001\",\"Ann\",\"x\",12.5
WRITE (1)\"0002\",\"Bob\",\"y\",-3
CLOSE (1)
";

#[test]
fn the_layout_of_a_file_is_its_list() {
    for layout in ["IOLIST ID$,NAME$,*,OWED", "field 1 id text(4), field 2 name text, field 4 owed decimal(12,2)"] {
        let volume = harness::volume(true);
        run(&volume, FILL);
        volume.set_layout("CUST", Some(layout)).unwrap();
        let printed = run(
            &volume,
            "OPEN (1,IOL=*)\"CUST\"
READ (1,KEY=\"0002\"); PRINT ID$,NAME$,OWED
OWED=7; WRITE (1)
READ RECORD (1,KEY=\"0002\")R$; PRINT SUB(R$,SEP,\"/\")
PRINT LST(IOL(1))
PRINT IOL(1)=IOL(FILE \"CUST\")
CLOSE (1); OPEN (1)\"CUST\"
READ (1,KEY=\"0001\",IOL=*); PRINT ID$,NAME$,OWED
NAME$=\"Anna\"; WRITE (1,IOL=*)
READ (1,KEY=\"0001\")I$,N$; PRINT N$
READ (1,KEY=\"0002\"); PRINT NAME$
SELECT * FROM \"CUST\" WHERE OWED>0
PRINT ID$,OWED,
NEXT RECORD
PRINT \"\"
SELECT IOL=* FROM 1,KNO=1 BEGIN \"B\"
PRINT NAME$
NEXT RECORD
",
        );
        let expected =
            "0002Bob-3\n0002/Bob//7/\nIOLIST ID$,NAME$,*,OWED\n 1\n0001Ann 12.5\nAnna\nAnna\n0001 12.50002 7\nBob\n";
        assert_eq!(printed, expected, "{layout}");
    }
}

#[test]
fn files_without_a_layout_have_no_dictionary() {
    let volume = harness::volume(true);
    let printed = run(
        &volume,
        &format!(
            "{FILL}OPEN (1,IOL=*,ERR=*NEXT)\"CUST\"
PRINT ERR
OPEN (1)\"CUST\"
READ (1,IOL=*,ERR=*NEXT)
PRINT ERR
SELECT * FROM 1
PRINT KEC(1),
NEXT RECORD
PRINT \"\"
"
        ),
    );
    assert_eq!(printed, " 84\n 84\n00010002\n");
    volume.set_layout("CUST", Some("by field 3: \"x\" first(*,NAME$), \"y\" second(*,*,*,OWED)")).unwrap();
    assert_eq!(run(&volume, "OPEN (1,IOL=*,ERR=*NEXT)\"CUST\"\nPRINT ERR\n"), " 84\n");
}
