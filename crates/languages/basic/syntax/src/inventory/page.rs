//! docs/COMPAT-basic.md: the inventory as a page.

use super::{Item, SECTIONS, State};
use std::fmt::Write;

const HEAD: &str = "# Business BASIC: items of the language

Written by `cargo run -p mainstay-basic --example compat_basic`; a test compares the page with the table that the parser uses
(`crates/languages/basic/syntax/src/inventory`). An item that is refused is refused by name, with error 99, at the line
where it stands; the rest of the program runs. Partial: some forms are refused or have no effect, or no test shows all of
it. Priority 1: any program needs it; 2: common; 3: rare. Tests are programs of
`crates/languages/basic/runtime/tests/programs` or files of its `tests` folder.
";

const PARTIAL: &str = "
## Items that work in part

| item | difference |
|---|---|
| GRID | the user reads cells and does not change them; cell types and headings of rows are not interpreted; of its properties those of cells, rows, columns and the current cell |
| FNT=, 'FONT', 'PICTURE', 'TEXT' | fonts are kept as a property and not shown; pictures are not shown; the attributes of 'TEXT' have no effect |
| *WINPRT*, *VIEWER* | with `*PRINTER*` one device: pages of text, read as text and PDF in the browser, a text file elsewhere; no fonts, pitches, pictures and settings of paper |
| TRY | errors of called programs reach the TRY around their CALL; no WITH ERROR_HANDLER |
| DROP, ADDR | accepted without effect |
| DUMP | variables of levels; no OBJECT, GOTO and DISABLE |
| FUNCTION | methods; no PERFORM and FOR EVENT |
| INVOKE | always error 15: programs have no way to the operating system |
| START | the session anew; no separate task |
| SYSTEM_JRNL | transactions: BEGIN, BEGIN AUTO, AUTO, SAVE, RESTORE; the forms that write journals are refused |
| SETDEV | TSK( ), SEP= and IOL= of the default list; no KEY:, PROGRAM, SET, MERGE, types of devices |
| CHG( ) | changes since the last CHG( ) of the same level, by value; of a program always 0 |
| HSH( ) | MD5, SHA-1, SHA-2 and HMAC of them; a key beside another type is ignored, as the manual has it; not the 2-byte hash of PxPlus, whose rule the manual does not give, no MD2, MD4, MDC2 and RIPEMD, no hash in parts, no encryption |
| 'CP' 'SP' and other mnemonics of printers | the bytes that MNEMONIC gives for them on a channel; without, no effect |
| TSK( ) | no EVENT |
| ENV( ) | USER only, which the host gives: the environment of the process is not a program's |
| XFA( ) | type codes other than that of C, and the flags of elements of fixed length, are our own |
| SYS( ) | always -1: programs have no way to the operating system |
| FFN( ) | no FROM, FOR OBJECT, EXCEPT OBJECT |
| PROGRAM | an empty program; not in DEF CLASS |
| KEYED EFF | CREATE TABLE makes a native table, which has no limit of 2 GB |
| [ODB] | SQL statements and tables of the one database, whatever data source is named ([basic-files.md](basic-files.md)) |
| 'CD', 'EX', 'RR' | as the manual has them; no test of their own |
| 'BI' 'EI' | keys of the editor are still interpreted |
| 'COLOUR', 'B0', 'F0' | the dark and the light form of a colour are the same: eight colours; 'COLOUR' takes the nearest one |
| 'MODE' | no attributes in the form of BBx (`BBX:`) |
| 'GS', 'GE' | the line drawing letters, and those of the VT100; 'GD' does not define others |
| 'VT', 'S1', 'EL', 'FL', 'SL', 'CP', 'SP', 'EP', 'EF', 'WP', 'CPI', 'LPI', 'L6', 'L8', 'LM', 'PM', 'MP', 'MS', 'PS', 'PE', 'OFFSET', 'AB', 'AT', 'XP' | of printers and their keys: accepted without effect |
| 'BG', 'BJ', 'BM', 'NI', 'SN', 'SX', 'SIZE', 'MAXSIZE', 'MINSIZE', 'SHOW', 'FRAME', 'IMAGE', 'LINE' and other shapes, 'PEN', 'FILL', 'JL' and others, '2D', '3D', '4D', 'GF', 'DO', 'OPTION', '+x', '-x' | of graphic screens and sessions: accepted without effect |
| LST( ), CPL( ), IOL( ) | the compiled form of a statement is its text |
| called programs | an error that nothing in a called program takes ends the session, unless a caller is inside of a TRY |

## Notes on items that work

| item | note |
|---|---|
| DIM, DIM( ) | structured strings (`DIM A$::struct`) and DIM CLASS have rows of their own |
| DIM x$::struct | no pointers and types of Windows (`+P`, `+Z`, `+H`, `+W`, `+2`); rules where the manual is silent: [basic.md](basic.md), \"Structured strings\" |
| VIS( ), VIN( ), VIA | subscripts of a composite string's variable stand in its name: `VIS(C$,\"A$[1]\")` |
| SELECT, IOL=* | FROM TABLE belongs to OPEN DICTIONARY, which is refused; `*` means the layout of the file ([basic-files.md](basic-files.md)), and reads no fields without one |
| SET_PARAM | any name is accepted; those that are not refused below change something |
| RND | a generator of our own: sequences differ from those of other systems |
| FIN( ) | the values of files, and those of a terminal that are not of a graphic one; others are error 99 |
| TCB( ) | 2 to 8, 10 to 20, 30, 37, 39, 40, 47, 50, 51, 53, 54, 62, 67, 70 to 72, 82, 83, 301 to 310, 503; others are 0 |
| 'WD' | writes of shared files are never deferred; of locked ones, up to so many |
| 'WL', 'WH', 'FP' | without effect: writes are single steps, there are no headers to lock, and numbers are decimal |
| BUTTON and other controls | the properties listed by `PRINT CTL'*`; fonts, colours and pictures are not shown; a change by the program reports no value of CTL |
| MENU_BAR | one for the program, not one a window; no Help group is added; pictures and colours are skipped |
| MSGBOX | no buttons of one's own ('MX') |
| LIST_BOX | no load on demand; second lines of formatted elements are not shown |
| DEF CVS/DTE/LCS/UCS | DEF CHR, too; no DEF SEP. The tables of letters change functions, not the keys of files. The days of DEF DTE begin with Monday |
| MNEMONIC | names of two characters. Sequences are written to files and printers; those for channel 0 are what MNM( ) returns, and change no screen |
| XML( ) | a value that begins with `<` is XML, others are written with entities; comments and declarations are skipped; error 26 for text that is not XML |
| SETESC | the subroutine belongs to its program and runs while that does |
| INPUT, OBTAIN | a mask is checked when the input ends (error 48), not key by key as on other systems |
";

/// The page.
pub fn page() -> String {
    let mut out = HEAD.to_owned();
    let count = |state| SECTIONS.iter().flat_map(|(_, items)| *items).filter(|item| item.state == state).count();
    let (works, partial, refused) = (count(State::Works), count(State::Partial), count(State::Refused));
    let total = works + partial + refused;
    let _ = writeln!(out, "\nOf {total} items {works} work, {partial} work in part, {refused} are refused.");
    out.push_str(PARTIAL);
    for (title, items) in SECTIONS {
        let _ = write!(out, "\n## {title}\n\n| item | priority | state | test |\n|---|---|---|---|\n");
        for item in items {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                item.name.replace('|', "\\|"),
                item.priority,
                state(item),
                item.test
            );
        }
    }
    out
}

fn state(item: &Item) -> &'static str {
    match item.state {
        State::Works => "works",
        State::Partial => "partial",
        State::Refused => "refused",
    }
}
