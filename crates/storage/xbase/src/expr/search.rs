//! `CONTAINS( field, 'words' )`: full text search, as a condition of a filter.
//!
//! It is not a function of the catalog, because a memo's text is not in the record that an expression is evaluated
//! over, and index keys must not use it. A caller with access to the memos evaluates it: the expression is decomposed
//! ([`Expression::condition`]) and each call becomes a [`Search`]. A call inside another function is refused as an
//! unknown function.

use super::Expression;
use super::condition::Constant;
use super::tree::{Node, NodeKind};
use mainstay_types::{Code, Error, Result};

/// The function's name.
pub(super) const FUNCTION: &str = "CONTAINS";
/// The name for all fields with an index.
pub(super) const ALL: &str = "*";

/// The searched fields.
#[derive(Clone, Debug, PartialEq)]
pub enum Searched {
    /// All fields that have an index of words.
    All,
    /// A field, by its name in upper case.
    Field(String),
    /// Another text.
    Text(Expression),
}

/// A search.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The searched fields.
    pub searched: Searched,
    /// The search condition, in the table's code page.
    pub words: Vec<u8>,
}

impl Expression {
    /// Returns true if anything in it is a search.
    pub fn searches(&self) -> bool {
        searches(&self.root)
    }

    /// Returns true if anything in it searches all fields that have an index.
    pub fn searches_all(&self) -> bool {
        searches_all(&self.root)
    }

    /// The search that the whole expression is; `None` if it is something else.
    ///
    /// Errors: `TypeMismatch` for other arguments than something that is searched and a constant text.
    pub fn search(&self) -> Option<Result<Search>> {
        let NodeKind::Call { name, arguments, .. } = &self.root.kind else { return None };
        if name != FUNCTION {
            return None;
        }
        let wrong = |message: &str| {
            let (start, end) = self.root.span;
            Some(Err(Error::new(Code::TypeMismatch, message).span(start, end)))
        };
        let [subject, words] = arguments.as_slice() else {
            return wrong("CONTAINS() takes what is searched and a search condition");
        };
        let Some(Constant::Text(words)) = (Expression { root: words.clone() }).constant() else {
            return wrong("the search condition of CONTAINS() is a text that is the same for every record");
        };
        let searched = match &subject.kind {
            NodeKind::Name { name, .. } if name == ALL => Searched::All,
            NodeKind::Name { name, .. } => Searched::Field(name.clone()),
            _ => Searched::Text(Expression { root: subject.clone() }),
        };
        Some(Ok(Search { searched, words }))
    }
}

fn searches(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Call { name, .. } if name == FUNCTION => true,
        NodeKind::Call { arguments, .. } => arguments.iter().any(searches),
        NodeKind::Unary(_, operand) => searches(operand),
        NodeKind::Binary(_, left, right) => searches(left) || searches(right),
        _ => false,
    }
}

fn searches_all(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Name { name, .. } => name == ALL,
        NodeKind::Call { arguments, .. } => arguments.iter().any(searches_all),
        NodeKind::Unary(_, operand) => searches_all(operand),
        NodeKind::Binary(_, left, right) => searches_all(left) || searches_all(right),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Condition, Context};

    fn search(text: &str) -> Search {
        Expression::parse(text).unwrap().search().unwrap().unwrap()
    }

    #[test]
    fn a_search_is_known_by_what_it_searches() {
        assert_eq!(search("contains( *, 'a b' )"), Search { searched: Searched::All, words: b"a b".to_vec() });
        assert_eq!(search("Contains(notes, 'a' + 'b')").searched, Searched::Field("NOTES".into()));
        assert!(matches!(search("CONTAINS(UPPER(name), 'a')").searched, Searched::Text(_)));
        assert!(Expression::parse("UPPER(name)").unwrap().search().is_none());
        for wrong in ["CONTAINS(name)", "CONTAINS(name, other)", "CONTAINS(name, 1)"] {
            assert_eq!(Expression::parse(wrong).unwrap().search().unwrap().unwrap_err().code(), Code::TypeMismatch);
        }
        assert!(Expression::parse("CONTAINS('a', *)").is_err() && Expression::parse("UPPER(*)").is_err());
    }

    #[test]
    fn searches_are_found_in_conditions_and_are_no_function_of_keys() {
        let whole = Expression::parse(".NOT. CONTAINS(*, 'a') .AND. (id = 1 .OR. contains(notes, 'b'))").unwrap();
        assert!(
            whole.searches_all() && !Expression::parse("contains(a, 'b*') .AND. a * b > 1").unwrap().searches_all()
        );
        assert!(whole.searches() && !Expression::parse("id = 1").unwrap().searches());
        assert_eq!(whole.canonical(), ".NOT.CONTAINS(*,\"a\").AND.(ID=1.OR.CONTAINS(NOTES,\"b\"))");
        assert_eq!(Expression::parse(whole.canonical()).unwrap().canonical(), whole.canonical());
        let Condition::And(parts) = whole.condition() else { panic!("{whole:?}") };
        assert!(matches!(&parts[0], Condition::Flag { subject, value: false } if subject.search().is_some()));
        assert_eq!(whole.compile(&Context::new(&[])).unwrap_err().code(), Code::UnknownFunction);
    }
}
