//! Look-up of words: directives, system functions, system variables.

use crate::inventory::{DIRECTIVES, FUNCTIONS, Item, State, VARIABLES};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Names of a function's row: `MXC( ) / MXL( )` is two.
fn function_names(item: &'static Item) -> impl Iterator<Item = &'static str> {
    item.name.split('/').filter_map(|name| name.split('(').next()).map(str::trim)
}

static FUNCTION_STATES: LazyLock<HashMap<&'static str, State>> = LazyLock::new(|| {
    let mut states = HashMap::new();
    for item in FUNCTIONS {
        for name in function_names(item) {
            // A function of several rows works if one of them does.
            let state = states.entry(name).or_insert(item.state);
            if *state == State::Refused {
                *state = item.state;
            }
        }
    }
    states
});

static DIRECTIVE_NAMES: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| DIRECTIVES.iter().map(|item| item.name).collect());

static DIRECTIVE_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let first = |item: &'static Item| item.name.split([' ', '.']).next().unwrap_or(item.name);
    // Words that begin a directive without being the first word of a row.
    DIRECTIVES.iter().map(first).chain(["END_SWITCH", "CATCH", "TRY", "FI", "FLOATING"]).collect()
});

static VARIABLE_NAMES: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| VARIABLES.iter().map(|item| item.name).collect());

/// System variables whose value is a string.
const TEXT_VARIABLES: [&str; 22] = [
    "CHN", "DAY", "DLM", "EOM", "ESC", "GID", "HLP", "HWD", "LPG", "LWD", "MSE", "NID", "PFX", "PGN", "PRM", "QUO",
    "SEP", "SID", "SSN", "SYS", "UID", "WHO",
];

/// A system function, supported or not.
pub fn is_function(word: &str) -> bool {
    FUNCTION_STATES.contains_key(word)
}

/// A system function that is not refused.
pub fn is_supported_function(word: &str) -> bool {
    FUNCTION_STATES.get(word).is_some_and(|state| *state != State::Refused)
}

/// A system variable.
pub fn is_variable(word: &str) -> bool {
    VARIABLE_NAMES.contains(word)
}

/// A system variable whose value is a string.
pub fn is_text_variable(word: &str) -> bool {
    TEXT_VARIABLES.contains(&word)
}

/// The first word of a directive.
pub fn is_directive_word(word: &str) -> bool {
    DIRECTIVE_WORDS.contains(word)
}

/// The whole name of a directive, as the manual has it.
pub fn is_directive(name: &str) -> bool {
    DIRECTIVE_NAMES.contains(name)
}

/// The longest word that is compared with directives.
const LONGEST_WORD: usize = 32;

/// The directive that a misspelt word is nearest to, if one is near.
pub fn similar(word: &str) -> Option<&'static str> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    let mut best = DIRECTIVE_WORDS.iter().map(|name| (distance(word, name), *name)).collect::<Vec<_>>();
    best.sort_unstable();
    best.first().filter(|(distance, name)| *distance <= 2 && *distance * 2 < name.len()).map(|(_, name)| *name)
}

/// The number of single changes between two words.
fn distance(left: &str, right: &str) -> usize {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, byte) in left.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, other) in right.iter().enumerate() {
            let mut least = (row[j] + usize::from(byte != other)).min(row[j + 1] + 1).min(next[j] + 1);
            // Two letters in the wrong order are one mistake.
            if i > 0 && j > 0 && *byte == right[j - 1] && left[i - 1] == *other {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[right.len()]
}
