//! Conditions on key columns that follow from conditions on the values that the keys are made of.
//!
//! **Problem.** A table keeps whole records in one column, and beside it columns with keys that are made of the record. Statements
//! compare fields of the record, and the indexes are of the keys.
//!
//! **Idea.** The language of the table knows how its keys are made ([`DerivedKeys`]). Of the conditions that all hold it makes a
//! condition on a key column, which an index serves:
//!
//! ```text
//!   field_text(record, 2) = 'Rome' AND ...        key_1 >= '526F6D65' AND key_1 < '526F6D66'
//! ```
//!
//! **Invariant:** every row that satisfies the conditions satisfies the implied one, too. The executor applies the conditions
//! themselves to the rows that the index gives.

use crate::{Predicate, Sought, Term, Test};
use std::fmt::Debug;

/// The keys of a table, by the rules of its language.
pub trait DerivedKeys: Send + Sync + Debug {
    /// Conditions on columns of the table that follow from these, which all hold.
    fn implied(&self, conditions: &[(&Term, &Test)]) -> Vec<Predicate>;
}

/// The condition on columns that every row satisfies for which `sought` holds; `None` if nothing is known of them.
pub fn implied(sought: &Sought, keys: &dyn DerivedKeys) -> Option<Predicate> {
    if let Sought::Or(parts) = sought {
        let parts: Option<Vec<Predicate>> = parts.iter().map(|part| implied(part, keys)).collect();
        return parts.filter(|parts| !parts.is_empty()).map(Predicate::Or);
    }
    let conjuncts = sought.conjuncts();
    let leaves: Vec<(&Term, &Test)> = conjuncts.iter().copied().filter_map(leaf_of).collect();
    let mut parts = keys.implied(&leaves);
    parts.extend(leaves.iter().filter_map(|(term, test)| of_column(term, test)));
    parts.extend(conjuncts.iter().filter(|part| matches!(part, Sought::Or(_))).filter_map(|part| implied(part, keys)));
    (!parts.is_empty()).then_some(Predicate::And(parts))
}

fn leaf_of(sought: &Sought) -> Option<(&Term, &Test)> {
    match sought {
        Sought::Leaf(term, test) => Some((term, test)),
        _ => None,
    }
}

/// A condition on a column as it is.
fn of_column(term: &Term, test: &Test) -> Option<Predicate> {
    let Term::Column(column) = *term else { return None };
    Some(match test {
        Test::Compare(op, value) => Predicate::Compare { column, op: *op, value: value.clone() },
        Test::In(values) => Predicate::In { column, values: values.clone(), negated: false },
        Test::Null => Predicate::Null { column, negated: false },
        Test::NotNull => Predicate::Null { column, negated: true },
        Test::Truth(value) => Predicate::Truth { column, value: *value },
        Test::Like(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Comparison;
    use mainstay_types::Value;

    /// Column 1 is a copy of the first field of column 0.
    #[derive(Debug)]
    struct Copies;

    impl DerivedKeys for Copies {
        fn implied(&self, conditions: &[(&Term, &Test)]) -> Vec<Predicate> {
            let copied = |(term, test): &(&Term, &Test)| match (term, test) {
                (Term::Field { number: 1, .. }, Test::Compare(op, value)) => {
                    Some(Predicate::Compare { column: 1, op: *op, value: value.clone() })
                }
                _ => None,
            };
            conditions.iter().filter_map(copied).collect()
        }
    }

    fn field(number: u32, value: i64) -> Sought {
        let record = Box::new(Term::Column(0));
        let term = Term::Field { record, number, separator: 0x8A };
        Sought::Leaf(term, Test::Compare(Comparison::Equal, Value::Integer(value)))
    }

    fn key(value: i64) -> Predicate {
        Predicate::Compare { column: 1, op: Comparison::Equal, value: Value::Integer(value) }
    }

    #[test]
    fn conditions_on_keys_follow_from_those_on_fields() {
        assert_eq!(implied(&field(1, 7), &Copies), Some(Predicate::And(vec![key(7)])));
        assert_eq!(implied(&field(2, 7), &Copies), None);
        let both = Sought::And(vec![field(2, 1), field(1, 7), Sought::Any]);
        assert_eq!(implied(&both, &Copies), Some(Predicate::And(vec![key(7)])));
        // A part of a disjunction that nothing is known of leaves all rows.
        assert_eq!(implied(&Sought::Or(vec![field(1, 7), field(2, 1)]), &Copies), None);
        let either = Predicate::Or(vec![Predicate::And(vec![key(7)]), Predicate::And(vec![key(8)])]);
        let sought = Sought::Or(vec![field(1, 7), field(1, 8)]);
        assert_eq!(implied(&sought, &Copies), Some(either.clone()));
        let within = Sought::And(vec![Sought::Leaf(Term::Column(2), Test::Null), sought]);
        let null = Predicate::Null { column: 2, negated: false };
        assert_eq!(implied(&within, &Copies), Some(Predicate::And(vec![null, either])));
    }
}
