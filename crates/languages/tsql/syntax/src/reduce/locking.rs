//! Table hints that lock the rows of a query.
//!
//! ```text
//!   SELECT TOP (1) Id FROM Jobs WITH (UPDLOCK, READPAST) ORDER BY Id     ... LIMIT 1 FOR UPDATE SKIP LOCKED
//! ```
//!
//! The core locks the rows of one table, as they are read, until the transaction ends. UPDLOCK and XLOCK keep other
//! transactions from changing and from locking them; HOLDLOCK, REPEATABLEREAD and SERIALIZABLE from changing them.
//! `hinted` handles rows that do not exist yet, and the rows of other queries. READPAST alone also locks, and leaves
//! out the rows that it cannot lock: their holder may be changing them. Other hints have no effect: readers are never
//! blocked here.

use super::Reducer;
use crate::tree::{Expr, Literal, Phrase, Query, QueryBody, Select, SelectItem, Source};

/// Hints that keep other transactions from changing and from locking the rows that are read.
const FOR_UPDATE: [&str; 3] = ["UPDLOCK", "XLOCK", "TABLOCKX"];
/// Hints that keep other transactions from changing the rows that are read.
const FOR_SHARE: [&str; 4] = ["HOLDLOCK", "SERIALIZABLE", "REPEATABLEREAD", "READPAST"];

fn says(hints: &[Phrase], words: &[&str]) -> bool {
    hints.iter().any(|hint| words.iter().any(|word| hint.starts(word)))
}

impl Reducer<'_> {
    /// Writes what the outermost query locks.
    pub(super) fn locking(&mut self, query: &Query) {
        if self.locks && self.depth == 1 {
            self.locks = false;
            if let Some(text) = self.lock_of(query) {
                self.push(&text);
            }
        }
    }

    fn lock_of(&self, query: &Query) -> Option<String> {
        let QueryBody::Select(select) = &query.body else { return None };
        let [Source::Table(table)] = &select.from[..] else { return None };
        let has = |words: &[&str]| says(&table.hints, words);
        let strength = match () {
            () if has(&FOR_UPDATE) => " FOR UPDATE",
            () if has(&FOR_SHARE) => " FOR SHARE",
            () => return None,
        };
        if !is_core_locked(query, select) || self.scope.key(&table.name).is_none() {
            return None;
        }
        let held = match () {
            () if has(&["READPAST"]) => " SKIP LOCKED",
            () if has(&["NOWAIT"]) => " NOWAIT",
            () => "",
        };
        Some(format!("{strength}{held}"))
    }
}

/// Returns true if the core locks the rows of a query by itself, if it is the outermost: each of its rows is one of one
/// table.
pub(super) fn is_core_locked(query: &Query, select: &Select) -> bool {
    let [Source::Table(_)] = &select.from[..] else { return false };
    let is_plain = query.with.tables.is_empty()
        && query.offset.is_none()
        && query.format.is_none()
        && select.quantifier.is_none()
        && select.group.is_none()
        && select.having.is_none()
        && select.top.as_ref().is_none_or(|top| {
            !top.percent && !top.with_ties && matches!(top.count, Expr::Literal(Literal::Integer(_)))
        });
    let counts = |item: &SelectItem| match item {
        SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => {
            super::function::has_aggregate(value) || crate::print_expression(value).contains(" OVER ")
        }
        SelectItem::Star(_) => false,
    };
    is_plain && !select.items.iter().any(counts)
}
