//! Row groups that a condition excludes, by the least and the greatest value of each column.
//!
//! A file may record these for each row group. A comparison then selects no row of a group if none of the integers that it
//! selects (`Ranges`) is between them:
//!
//! ```text
//!   shipped >= 1994-01-01     group 1: 1992-01-02 ..= 1993-11-30    excluded, and not decoded
//!                             group 2: 1993-12-01 ..= 1994-06-15    read
//! ```
//!
//! Limits: numbers, dates and timestamps; not doubles and texts. NULL is between no bounds, and no comparison selects it.

use super::bounds::{Measure, Ranges};
use crate::predicate::Predicate;
use arrow_schema::DataType;

/// The type of a column, and the least and the greatest integer that a row group stores for it.
pub type GroupBounds = (DataType, i128, i128);

/// Returns true if no row of a group with these bounds of its columns can satisfy the predicate.
pub fn excludes(predicate: &Predicate, bounds: &dyn Fn(usize) -> Option<GroupBounds>) -> bool {
    match predicate {
        Predicate::Constant(value) => !value,
        Predicate::And(parts) => parts.iter().any(|part| excludes(part, bounds)),
        Predicate::Or(parts) => parts.iter().all(|part| excludes(part, bounds)),
        Predicate::Compare { column, .. } | Predicate::In { column, .. } => {
            let Some((data_type, least, greatest)) = bounds(*column) else { return false };
            let selected = Measure::of(&data_type).filter(|measure| *measure != Measure::Double);
            let selected = selected.and_then(|measure| selected_integers(predicate, measure));
            selected.is_some_and(|ranges| ranges.0.iter().all(|(low, high)| *high < least || greatest < *low))
        }
        _ => false,
    }
}

/// The stored integers that a comparison selects; `None` for a value that the column cannot be compared with, which
/// reading the group reports.
fn selected_integers(predicate: &Predicate, measure: Measure) -> Option<Ranges> {
    match predicate {
        Predicate::Compare { op, value, .. } => Ranges::compare(measure, *op, value).ok(),
        Predicate::In { values, negated, .. } if !values.is_empty() => Ranges::any_of(measure, values, *negated).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predicate::Comparison;
    use mainstay_types::{Date, Decimal, Value};

    /// A group of cents from 100 to 250 in column 0, and of days from 10 to 20 in column 1.
    fn is_excluded(predicate: &Predicate) -> bool {
        excludes(predicate, &|column| match column {
            0 => Some((DataType::Decimal128(8, 2), 100, 250)),
            1 => Some((DataType::Date32, 10, 20)),
            _ => None,
        })
    }

    fn compare(column: usize, op: Comparison, value: Value) -> Predicate {
        Predicate::Compare { column, op, value }
    }

    fn price(unscaled: i128) -> Value {
        Value::Decimal(Decimal::new(unscaled, 2))
    }

    #[test]
    fn a_value_outside_of_the_bounds_excludes_a_group() {
        assert!(is_excluded(&compare(0, Comparison::Less, price(100))));
        assert!(!is_excluded(&compare(0, Comparison::LessOrEqual, price(100))));
        assert!(is_excluded(&compare(0, Comparison::Greater, Value::Decimal(Decimal::new(25, 1)))));
        assert!(is_excluded(&compare(1, Comparison::Equal, Value::Date(Date(21)))));
        assert!(!is_excluded(&compare(1, Comparison::NotEqual, Value::Date(Date(21)))));
        assert!(is_excluded(&compare(1, Comparison::Equal, Value::Null)), "a comparison with NULL selects no row");
    }

    #[test]
    fn lists_and_combinations() {
        let list = |values: Vec<Value>, negated| Predicate::In { column: 0, values, negated };
        assert!(is_excluded(&list(vec![price(99), price(251)], false)));
        assert!(!is_excluded(&list(vec![price(99), price(120)], false)));
        assert!(!is_excluded(&list(vec![price(120)], true)));
        let (no, yes) = (compare(0, Comparison::Less, price(1)), compare(0, Comparison::Less, price(120)));
        assert!(is_excluded(&Predicate::And(vec![yes.clone(), no.clone()])));
        assert!(!is_excluded(&Predicate::Or(vec![yes, no.clone()])));
        assert!(is_excluded(&Predicate::Or(vec![no.clone(), no])));
    }

    #[test]
    fn unknown_bounds_and_other_conditions_exclude_nothing() {
        assert!(!is_excluded(&compare(2, Comparison::Equal, price(1))));
        assert!(!is_excluded(&Predicate::Null { column: 0, negated: false }));
        assert!(!is_excluded(&compare(0, Comparison::Equal, Value::Text("a".into()))));
    }
}
