//! The texts of the programs.
//!
//! Quotients are rounded to the decimals of PRECISION, so that INT of a quotient needs all of its decimals: six. Each
//! prints [`BEGIN`] before the timed part and [`END`] after it, then its answers, one a line.

use super::truth::{CHECK_MODULUS, FACTOR, FIELDS, MODULUS, SEED, Sizes};

/// The line before the part that is timed.
pub const BEGIN: &str = "begin";
/// The line behind it.
pub const END: &str = "end";
/// The list box.
pub const LIST: i32 = 10;

/// The order of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By the primary key.
    Key,
    /// As the records lie in the file: `KNO=*`.
    Physical,
}

/// Reads a record again and again, with a list of 26 fields that stands in the statement or was given to OPEN.
pub fn reads(sizes: &Sizes, in_statement: bool) -> String {
    let names: Vec<String> = (1..=FIELDS.len()).map(|number| format!("FIELD{number}$")).collect();
    let quoted = FIELDS.map(|value| format!("\"{value}\"")).join(",");
    let cleared: Vec<String> = names.iter().map(|name| format!("{name}=\"\"")).collect();
    let printed: Vec<String> = names.iter().map(|name| format!("PRINT {name}\n")).collect();
    format!(
        "! Reads one record of a file in memory again and again
DATA {quoted}
CUSTOMER: IOLIST {list}
READ DATA IOL=CUSTOMER
OPEN (1,IOL=CUSTOMER)\"*memory*\"
WRITE (1)IOL=CUSTOMER
LET {cleared}
READS=TCB(71)
PRINT \"{BEGIN}\"
FOR I=1 TO {count}
READ (1,IND=0){of_statement}
NEXT
PRINT \"{END}\"
PRINT STR(TCB(71)-READS)
{printed}",
        list = names.join(","),
        cleared = cleared.join(","),
        count = sizes.reads,
        of_statement = if in_statement { "IOL=CUSTOMER" } else { "" },
        printed = printed.concat(),
    )
}

/// Writes records with keys of eight digits to a file in memory.
pub fn memory_writes(sizes: &Sizes) -> String {
    format!(
        "! Writes keyed records to a file in memory
PRECISION 6
X={SEED}
OPEN (1)\"*memory*;KEYDEF=8\"
PRINT \"{BEGIN}\"
FOR I=1 TO {count}
X=MOD(X*{FACTOR},{MODULUS})
K$=STR(MOD(X,10000):\"0000\")+STR(MOD(INT(X/10000),10000):\"0000\")
WRITE (1,KEY=K$)K$,\"a sample\",\"of fields\",\"such as\",\"orders have them\",6,7,8,9,10
NEXT
PRINT \"{END}\"
PRINT STR(FIN(1,\"NUMREC\"))
PRINT KEF(1)
PRINT KEY(1,RNO=1000,ERR=*NEXT); GOTO LAST
PRINT \"\"
LAST: PRINT KEL(1)
",
        count = sizes.memory_writes,
    )
}

/// Makes the keyed file and fills it: keys of six digits, records of 100 to 199 bytes.
pub fn load(sizes: &Sizes) -> String {
    format!(
        "! Makes the file that is scanned
DIRECT \"sales.dat\",6,0,-1000
OPEN PURGE (1)\"sales.dat\"
PRECISION 6
X={SEED}
PRINT \"{BEGIN}\"
FOR I=1 TO {count}
X=MOD(X*{FACTOR},{MODULUS})
K$=STR(MOD(X,1000000):\"000000\")
R$=DIM(100+MOD(INT(X/1000000),100),\"Sale \"+K$+\" \")
WRITE RECORD (1,KEY=K$)R$
NEXT
CLOSE (1)
PRINT \"{END}\"
",
        count = sizes.writes,
    )
}

/// The loop that reads the records of the keyed file.
pub fn read_next(order: Order) -> &'static str {
    match order {
        Order::Key => "READ RECORD (1,END=*NEXT)R$; N++; GOTO *SAME",
        Order::Physical => "READ RECORD (1,KNO=*,END=*NEXT)R$; N++; GOTO *SAME",
    }
}

/// Reads all records.
pub fn scan(order: Order) -> String {
    let read_next = read_next(order);
    format!("OPEN (1)\"sales.dat\"\nPRINT \"{BEGIN}\"\n{read_next}\nPRINT \"{END}\"\nPRINT STR(N)\n")
}

/// Reads all records, and prints last how many requests to storage that took.
pub fn counted_scan(order: Order) -> String {
    format!("REQUESTS=TCB(50)\n{}PRINT STR(TCB(50)-REQUESTS)\n", scan(order))
}

/// Reads all records, and prints a checksum of them in their order.
pub fn checked_scan(order: Order) -> String {
    let option = if order == Order::Physical { "KNO=*," } else { "" };
    format!(
        "OPEN (1)\"sales.dat\"
PRINT \"{BEGIN}\"
NEXT_ONE: READ RECORD (1,{option}END=DONE)R$
N++
SUM=MOD(SUM*31+NUM(R$(6,6))+LEN(R$),{CHECK_MODULUS})
GOTO NEXT_ONE
DONE: PRINT \"{END}\"
PRINT STR(N)
PRINT STR(SUM)
"
    )
}

/// Loads rows of 120 bytes into a list box, one by one.
pub fn list_box(sizes: &Sizes) -> String {
    format!(
        "! Fills a list box
PRINT 'CS',
LIST_BOX {LIST},@(40,0,40,24)
WAIT 0
X$=MSE
FOR LINE=1 TO {count}
L$=DIM(120,\"Order line \"+STR(LINE)+\" \")
LIST_BOX LOAD {LIST},0,L$
NEXT
X$=MSE
",
        count = sizes.list_rows,
    )
}
