//! Inventory of the language: every item of the manual, with its state here.
//!
//! The parser refuses an item by name from these tables, and docs/COMPAT-basic.md is made of them, so that the page and
//! the parser cannot disagree.

mod directives;
mod functions;
mod other;
mod page;

pub use directives::DIRECTIVES;
pub use functions::{FUNCTIONS, VARIABLES};
pub use other::{ERRORS, FILES, MNEMONICS, OPTIONS, PARAMETERS};
pub use page::page;

/// The state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It does what the manual says.
    Works,
    /// Some forms of it work; others are refused or have no effect.
    Partial,
    /// It is refused, by name.
    Refused,
}

/// An item of the language.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// The name, as the manual has it.
    pub name: &'static str,
    /// 1: any program needs it, 2: common, 3: rare.
    pub priority: u8,
    /// The state.
    pub state: State,
    /// The test that shows it: the name of a golden program, or of a Rust test; empty for refused items.
    pub test: &'static str,
}

const fn item(name: &'static str, priority: u8, state: State, test: &'static str) -> Item {
    Item { name, priority, state, test }
}

/// The sections of the inventory with their titles.
pub const SECTIONS: [(&str, &[Item]); 8] = [
    ("Directives", DIRECTIVES),
    ("System functions", FUNCTIONS),
    ("System variables", VARIABLES),
    ("I/O options, clauses of SELECT, logical targets", OPTIONS),
    ("Kinds of files, special names, command tags", FILES),
    ("Mnemonics", MNEMONICS),
    ("System parameters", PARAMETERS),
    ("Error numbers", ERRORS),
];

/// The priority of an item as a diagnostic names it (`directive PROCESS`): 1 for what any program needs, 3 for what is rare.
pub fn priority(item: &str) -> Option<u8> {
    let name = item.strip_prefix("directive ").or(item.strip_prefix("function ")).unwrap_or(item);
    let mut known = SECTIONS.iter().flat_map(|(_, items)| items.iter());
    known.find(|known| known.name.split('/').any(|part| part.trim() == name)).map(|known| known.priority)
}
