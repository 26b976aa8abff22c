//! Matching of a changed row against the reads of a serializable transaction.
//!
//! A match may be reported by mistake (then a transaction is retried for nothing), but never missed. So
//! values that are hard to compare here - patterns, text under a collation, values of different kinds - count as a
//! match.

use crate::row::{Row, Stored};
use crate::table::NativeTable;
use mainstay_columnar::Predicate;
use mainstay_types::{Collation, SqlType, Value, ValueRef};
use std::cmp::Ordering;

/// A recorded read of a table.
#[derive(Clone, Debug)]
pub enum Read {
    /// All of it.
    Everything,
    /// The rows that satisfy a condition.
    Where(Predicate),
    /// The row of this id.
    Row(u64),
}

/// Returns true if any of these versions is, or was, among what was read.
pub(crate) fn touches(table: &NativeTable, positions: &[u64], reads: &[(u32, Read)]) -> bool {
    let mut reads = reads.iter().filter(|(read, _)| *read == table.id()).map(|(_, read)| read).peekable();
    if reads.peek().is_none() {
        return false;
    }
    let directory = table.directory();
    reads.any(|read| {
        positions.iter().any(|position| {
            // A version that is gone cannot be compared any more.
            let Some(group) = directory.group(*position) else { return true };
            let stored = Stored { group, offset: crate::group::offset_of(*position) };
            match read {
                Read::Everything => true,
                Read::Row(id) => group.row_id(stored.offset) == *id,
                Read::Where(predicate) => may_match(predicate, &stored, table.types()),
            }
        })
    })
}

/// Returns true if the condition may be true for a row.
pub(crate) fn may_match(predicate: &Predicate, row: &dyn Row, types: &[SqlType]) -> bool {
    match predicate {
        Predicate::Constant(value) => *value,
        Predicate::And(parts) => parts.iter().all(|part| may_match(part, row, types)),
        Predicate::Or(parts) => parts.iter().any(|part| may_match(part, row, types)),
        Predicate::Null { column, negated } => matches!(row.value(*column), ValueRef::Null) != *negated,
        Predicate::Truth { column, value } => match row.value(*column) {
            ValueRef::Boolean(found) => found == *value,
            ValueRef::Null => false,
            _ => true,
        },
        Predicate::Like { column, .. } => !matches!(row.value(*column), ValueRef::Null),
        Predicate::Compare { column, op, value } => {
            let found = row.value(*column);
            if found == ValueRef::Null || *value == Value::Null {
                return false;
            }
            compare(found, value.as_ref(), types.get(*column)).is_none_or(|order| op.holds(order))
        }
        Predicate::In { column, values, negated: false } => {
            let found = row.value(*column);
            found != ValueRef::Null
                && values.iter().any(|value| {
                    compare(found, value.as_ref(), types.get(*column)).is_none_or(|order| order == Ordering::Equal)
                })
        }
        Predicate::In { .. } => true,
        Predicate::Collated { leaf, .. } => leaf.columns().iter().all(|column| !row.value(*column).is_null()),
    }
}

/// The order of two values, if it is easy to determine.
pub(super) fn compare(left: ValueRef<'_>, right: ValueRef<'_>, sql_type: Option<&SqlType>) -> Option<Ordering> {
    use ValueRef as V;
    match (left, right) {
        (V::Integer(left), V::Integer(right)) => Some(left.cmp(&right)),
        (V::Integer(_) | V::Decimal(_), V::Integer(_) | V::Decimal(_)) => {
            Some(left.as_decimal()?.cmp(&right.as_decimal()?))
        }
        (V::Float(left), V::Float(right)) => left.partial_cmp(&right),
        (V::Boolean(left), V::Boolean(right)) => Some(left.cmp(&right)),
        (V::Date(left), V::Date(right)) => Some(left.cmp(&right)),
        (V::Time(left), V::Time(right)) => Some(left.cmp(&right)),
        (
            V::Timestamp(left) | V::TimestampWithOffset { utc: left, .. },
            V::Timestamp(right) | V::TimestampWithOffset { utc: right, .. },
        ) => Some(left.cmp(&right)),
        (V::Uuid(left), V::Uuid(right)) => Some(left.cmp(&right)),
        (V::Text(left), V::Text(right))
            if matches!(sql_type, Some(SqlType::VarChar { collation: Collation::Binary, .. })) =>
        {
            Some(left.cmp(right))
        }
        _ => None,
    }
}
