//! The record of a run: appends to lists, reads of lists, and the ends of transactions.
//!
//! Tests write it in a notation of one line per transaction:
//!
//! ```text
//!   ok x+1 y:2,3     committed: appended 1 to x, read y as [2, 3]
//!   no x+4           rolled back
//!   ok x-5 x:        appended 5 to x and went back to a savepoint before that; read x as empty
//!   ok@3-7 x+6       began at tick 3, ended at tick 7; without ticks all are concurrent
//!   last x:1,6       what was there in the end
//! ```

use std::collections::BTreeMap;
use std::fmt;

/// A step of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Appended a value to the list of a key.
    Append { key: String, value: u64 },
    /// The same, and took it back within the transaction.
    Undone { key: String, value: u64 },
    /// Read the list of a key.
    Read { key: String, list: Vec<u64> },
}

/// A transaction and its end.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Its steps in order.
    pub operations: Vec<Operation>,
    /// True if the commit was acknowledged.
    pub is_committed: bool,
    /// A tick before its first step.
    pub began: u64,
    /// A tick after its end was acknowledged.
    pub ended: u64,
}

/// The transactions of a run, and the final lists.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The transactions, in any order.
    pub transactions: Vec<Recorded>,
    /// The lists when all transactions had ended.
    pub last: BTreeMap<String, Vec<u64>>,
}

impl History {
    /// The history of a text in the notation of this file.
    pub fn of(text: &str) -> History {
        let mut history = History::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let mut words = line.split_whitespace();
            let head = words.next().unwrap_or_default();
            let operations: Vec<Operation> = words.map(operation).collect();
            let (kind, ticks) = head.split_once('@').unwrap_or((head, ""));
            if kind == "last" {
                history.last.extend(operations.into_iter().map(|operation| match operation {
                    Operation::Read { key, list } => (key, list),
                    other => panic!("{other} in the last lists"),
                }));
                continue;
            }
            let (began, ended) = match ticks.split_once('-') {
                Some((began, ended)) => (began.parse().unwrap(), ended.parse().unwrap()),
                None => (0, u64::MAX),
            };
            assert!(["ok", "no"].contains(&kind), "{line}");
            history.transactions.push(Recorded { operations, is_committed: kind == "ok", began, ended });
        }
        history
    }
}

fn operation(word: &str) -> Operation {
    let at = word.find(['+', '-', ':']).unwrap_or_else(|| panic!("{word} is no operation"));
    let (key, rest) = (word[..at].to_owned(), &word[at + 1..]);
    match &word[at..=at] {
        "+" => Operation::Append { key, value: rest.parse().unwrap() },
        "-" => Operation::Undone { key, value: rest.parse().unwrap() },
        _ => {
            let values = rest.split(',').filter(|value| !value.is_empty());
            Operation::Read { key, list: values.map(|value| value.parse().unwrap()).collect() }
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Append { key, value } => write!(f, "{key}+{value}"),
            Operation::Undone { key, value } => write!(f, "{key}-{value}"),
            Operation::Read { key, list } => {
                let values: Vec<String> = list.iter().map(u64::to_string).collect();
                write!(f, "{key}:{}", values.join(","))
            }
        }
    }
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}-{}", if self.is_committed { "ok" } else { "no" }, self.began, self.ended)?;
        self.operations.iter().try_for_each(|operation| write!(f, " {operation}"))
    }
}
