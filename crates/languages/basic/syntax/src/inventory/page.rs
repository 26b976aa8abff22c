//! docs/COMPAT-basic.md: the inventory as a page.

use super::{Item, SECTIONS, State};
use std::fmt::Write;

const HEAD: &str = "# Business BASIC: items of the language

Written by `cargo run -p mainstay-basic --example compat`; a test compares the page with the table that the parser uses
(`crates/languages/basic/syntax/src/inventory`). An item that is refused is refused by name, with error 99, at the line
where it stands; the rest of the program runs. Partial: some forms are refused or have no effect, or no test shows all of
it. Priority 1: any program needs it; 2: common; 3: rare. Tests are programs of
`crates/languages/basic/runtime/tests/programs` or files of its `tests` folder.
";

const PARTIAL: &str = "
## Items that work in part

| item | difference |
|---|---|
| DIM, DIM( ) | arrays and filled strings; no composite strings (`DIM A$:IOL=`), structured strings, JSON or associative arrays; of DIM( ), lengths and bounds |
| ENTER | parameters only; without them it does not share the caller's variables |
| EXECUTE | a statement; it cannot change lines of the program |
| INPUT | whole lines, masks and branches; editing keys are the terminal's |
| PREFIX | rules 0 to 34; no PREFIX FILE and PREFIX DIRECTORY |
| RUN | a program; the current one again; no options |
| SELECT | BEGIN, END, WHERE, KNO=; no WITH, REC= and TABLE |
| SETERR | lines and labels; no program |
| SETESC | accepted; no key reaches the program yet |
| SET_PARAM | any name is accepted; those with a row of their own below change something |
| TRY | errors of called programs reach the TRY around their CALL; no WITH ERROR_HANDLER |
| DROP, ADDR, ENDTRACE | accepted without effect |
| LIST_BOX and other controls | contents and state in the screen model; formatted columns, trees and fonts are not interpreted |
| CVS( ) | all codes but 512 and the table `CVS(*)` |
| RND | a generator of our own: sequences differ from those of other systems |
| FIN( ), FID( ), FIB( ) | the facts of data files; none of the terminal |
| TCB( ) | 3 to 14, 16, 17, 20, 30, 50, 51, 70 to 72; others are 0 |
| REC( ) | REC(IOL=..) |
| MSG( ) | numbers of errors; no message library |
| LST( ), CPL( ), IOL( ) | the compiled form of a statement is its text |
| called programs | an error that nothing in a called program takes ends the session, unless a caller is inside of a TRY |
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
