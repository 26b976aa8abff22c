//! Prepared statements that are idle, kept for the next execution of the same text.

use crate::layout::Layout;
use mainstay_sqli::{Description, StatementType};
use std::collections::VecDeque;
use std::sync::Arc;

/// A statement that the server has prepared.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub text: Arc<str>,
    /// Its number at the server.
    pub id: u16,
    pub kind: StatementType,
    pub layout: Arc<Layout>,
    /// It was taken from the cache: the tables behind it may have changed.
    pub is_cached: bool,
}

impl Prepared {
    pub fn new(text: Arc<str>, description: &Description) -> Prepared {
        let layout = Arc::new(Layout::new(&description.fields));
        Prepared { text, id: description.id, kind: description.statement, layout, is_cached: false }
    }

    /// True if it is run by a cursor: a query, or a routine that returns values.
    pub fn has_rows(&self) -> bool {
        let is_routine = self.kind == StatementType::EXECUTE_ROUTINE;
        !self.layout.columns.is_empty() && (self.kind == StatementType::SELECT || is_routine)
    }
}

/// The least recently used one goes first.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    idle: VecDeque<Prepared>,
}

impl Statements {
    /// Takes a statement out.
    pub fn take(&mut self, text: &str) -> Option<Prepared> {
        let place = self.idle.iter().rposition(|known| &*known.text == text)?;
        let prepared = self.idle.remove(place)?;
        Some(Prepared { is_cached: true, ..prepared })
    }

    /// Puts one back, and returns the number of one that has to be released for it.
    pub fn put(&mut self, prepared: Prepared, most: usize) -> Option<u16> {
        self.idle.push_back(prepared);
        if self.idle.len() > most { self.idle.pop_front().map(|old| old.id) } else { None }
    }

    /// Takes all out, and returns their numbers.
    pub fn clear(&mut self) -> Vec<u16> {
        self.idle.drain(..).map(|prepared| prepared.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_statement_goes() {
        let mut statements = Statements::default();
        let prepared = |text: &str, id| Prepared::new(text.into(), &Description { id, ..Description::default() });
        assert_eq!(statements.put(prepared("a", 0), 2), None);
        assert_eq!(statements.put(prepared("b", 1), 2), None);
        let a = statements.take("a").unwrap();
        assert!(a.is_cached && statements.take("a").is_none());
        assert_eq!(statements.put(a, 2), None);
        assert_eq!(statements.put(prepared("c", 2), 2), Some(1));
        assert_eq!(statements.clear(), [0, 2]);
    }
}
