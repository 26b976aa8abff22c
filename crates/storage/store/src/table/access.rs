//! The choice of indexes for a condition.
//!
//! An index serves the conditions on its leading columns: equality with one value for any number of them, and then a
//! range or a list. Its rows are a superset, and the executor applies the condition to them, so an index may serve a
//! condition that it answers only approximately. A comparison whose value the column cannot represent exactly
//! (`int_column < 1.5`) is left to the executor.
//!
//! A condition by the keys of a collation is served by an index with that collation. Limits: other ranges of text only
//! under the binary collation and of VARCHAR, because elsewhere the order of keys is not that of the bytes. Of several
//! matching indexes the one with the most bound columns is taken; there are no statistics.

use super::NativeTable;
use super::indexes::TableIndex;
use crate::definition::IndexColumn;
use crate::key::KeyRange as Keys;
use mainstay_columnar::{Access, Comparison, KeyRange, OrderKey, Ordering, Predicate};
use mainstay_types::{Value, ValueRef};
use std::ops::Bound;

/// Ranges of one access at most: longer lists are scanned for.
const MAX_RANGES: usize = 256;

impl NativeTable {
    /// The indexes that narrow the rows down to a superset of those that satisfy the predicate.
    pub fn access(&self, predicate: &Predicate) -> Option<Access> {
        if let Predicate::Or(parts) = predicate {
            let parts: Option<Vec<Access>> = parts.iter().map(|part| self.access(part)).collect();
            return parts.filter(|parts| !parts.is_empty()).map(Access::Or);
        }
        let mut conditions = Vec::new();
        self.flatten(predicate, &mut conditions);
        let indexes = self.indexes();
        let served = indexes.iter().enumerate().filter_map(|(number, index)| self.serve(number, index, &conditions));
        let best = served.max_by_key(|(score, _)| *score).map(|(_, access)| access);
        best.or_else(|| {
            let mut disjunctions = conditions.iter().filter(|part| matches!(part.leaf, Predicate::Or(_)));
            disjunctions.find_map(|part| self.access(part.leaf))
        })
    }

    /// The access through one index for these conditions, and its score.
    fn serve(&self, number: usize, index: &TableIndex, conditions: &[Condition<'_>]) -> Option<(usize, Access)> {
        let mut equal: Vec<ValueRef<'_>> = Vec::new();
        for column in &index.columns {
            let Some(value) = conditions.iter().find_map(|condition| equal_to(condition.leaf, *column)) else { break };
            equal.push(value.as_ref());
        }
        let next = index.columns.get(equal.len()).copied();
        let listed = next.and_then(|next| conditions.iter().find_map(|condition| list_of(condition.leaf, next)));
        if let Some(values) = listed.filter(|values| values.len() <= MAX_RANGES) {
            let ranges = values.iter().map(|value| {
                let bound = Bound::Included(value.as_ref());
                self.range(number, index, &equal, bound, bound)
            });
            let ranges: Option<Vec<Access>> = ranges.collect();
            return Some((equal.len() * 4 + 3, Access::Or(ranges?)));
        }
        let (from, to) = next.map_or((Bound::Unbounded, Bound::Unbounded), |next| {
            bounds(conditions.iter().filter(|it| it.is_by_keys || self.orders_bytes(next)).map(|it| it.leaf), next)
        });
        let ends = [from, to].iter().filter(|bound| !matches!(bound, Bound::Unbounded)).count();
        let is_unique = usize::from(index.is_unique() && equal.len() == index.columns.len());
        let score = equal.len() * 4 + ends + is_unique;
        (score > 0).then(|| self.range(number, index, &equal, from, to)).flatten().map(|access| (score, access))
    }

    /// A range of an index, in its bytes and as a person would write it.
    fn range(
        &self,
        number: usize,
        index: &TableIndex,
        equal: &[ValueRef<'_>],
        from: Bound<ValueRef<'_>>,
        to: Bound<ValueRef<'_>>,
    ) -> Option<Access> {
        let Keys { low, high } = index.encoder.range(equal, from, to).ok()?;
        let name = |at: usize| &self.definition().columns[index.columns[at]].name;
        let mut parts: Vec<String> =
            equal.iter().enumerate().map(|(at, value)| format!("{} = {}", name(at), value.to_value())).collect();
        let mut end = |bound: Bound<ValueRef<'_>>, inclusive: &str, exclusive: &str| match bound {
            Bound::Included(value) => parts.push(format!("{} {inclusive} {}", name(equal.len()), value.to_value())),
            Bound::Excluded(value) => parts.push(format!("{} {exclusive} {}", name(equal.len()), value.to_value())),
            Bound::Unbounded => {}
        };
        match (from, to) {
            (Bound::Included(low), Bound::Included(high)) if low == high => end(from, "=", "="),
            _ => {
                end(from, ">=", ">");
                end(to, "<=", "<");
            }
        }
        let text = format!("{}: {}", index.definition.name, parts.join(" and "));
        let upper = high.map_or(Bound::Unbounded, Bound::Excluded);
        Some(Access::Keys(KeyRange { index: number, text, lower: Bound::Included(low), upper }))
    }

    /// The parts of a condition that all have to hold.
    fn flatten<'p>(&self, predicate: &'p Predicate, conditions: &mut Vec<Condition<'p>>) {
        let of_column = |leaf: &Predicate| {
            let column = leaf.columns().first().and_then(|column| self.types().get(*column).copied());
            column.and_then(|sql_type| sql_type.collation())
        };
        match predicate {
            Predicate::And(parts) => parts.iter().for_each(|part| self.flatten(part, conditions)),
            Predicate::Collated { collation, pads: true, leaf } if of_column(leaf) == Some(*collation) => {
                conditions.push(Condition { leaf, is_by_keys: true });
            }
            Predicate::Collated { .. } => {}
            leaf => conditions.push(Condition { leaf, is_by_keys: false }),
        }
    }

    /// Returns true if the order of a column's keys is that of its values as predicates compare them.
    fn orders_bytes(&self, column: usize) -> bool {
        let column = &self.definition().columns[column];
        !column.is_typed() && column.sql_type.collation().is_none() || column.blanks_count()
    }

    /// An index that has every row in this order, NULL first when ascending. The row ids may come last: an index that is
    /// not unique orders rows of one key by them.
    pub fn order(&self, keys: &[OrderKey]) -> Option<Ordering> {
        let (last, others) = keys.split_last()?;
        let is_by_row = last.column == self.types().len() && !last.descending;
        let columns = if is_by_row { others } else { keys };
        let first = columns.first()?;
        if !columns.iter().all(|key| self.orders(key)) {
            return None;
        }
        let indexes = self.indexes();
        let direction = |index: &TableIndex| {
            let parts = index.definition.columns.get(..columns.len())?;
            let descending = first.descending != parts.first()?.descending;
            let is_it = |(key, part): (&OrderKey, &IndexColumn)| {
                key.column == part.column && (key.descending != part.descending) == descending
            };
            let is_in_row_order = !is_by_row || !descending && parts.len() == index.columns.len();
            (is_in_row_order && columns.iter().zip(parts).all(is_it)).then_some(descending)
        };
        let (number, descending) =
            indexes.iter().enumerate().find_map(|(number, index)| Some((number, direction(index)?)))?;
        let named = columns.iter().map(|key| self.definition().columns[key.column].name.as_str());
        let (name, names) = (indexes[number].definition.name.clone(), named.collect::<Vec<_>>().join(", "));
        let text = format!("{name}: {names}{}", if descending { " descending" } else { "" });
        let (parts, with_hidden) = (keys.len(), false);
        Some(Ordering { index: number, descending, column: first.column, parts, with_hidden, name, text })
    }

    /// Returns true if the keys of indexes order a column so.
    fn orders(&self, key: &OrderKey) -> bool {
        let Some(column) = self.definition().columns.get(key.column) else { return false };
        match key.collation {
            None => self.orders_bytes(key.column),
            // Indexes have the sort keys of their columns' own collations.
            Some(collation) => column.sql_type.collation() == Some(collation) && !column.blanks_count(),
        }
    }

    /// About how many row slots there are.
    pub fn estimated_rows(&self) -> usize {
        let directory = self.directory();
        let slots: usize = directory.groups().iter().map(|group| group.len()).sum();
        let garbage: usize = directory.groups().iter().map(|group| group.garbage()).sum();
        slots.saturating_sub(garbage)
    }
}

/// A condition that all rows have to satisfy.
struct Condition<'p> {
    leaf: &'p Predicate,
    /// True if it compares the keys of its column's collation.
    is_by_keys: bool,
}

static TRUE: Value = Value::Boolean(true);
static FALSE: Value = Value::Boolean(false);
static NULL: Value = Value::Null;

/// The value that a condition says a column has.
fn equal_to(condition: &Predicate, wanted: usize) -> Option<&Value> {
    match condition {
        Predicate::Compare { column, op: Comparison::Equal, value } if *column == wanted => {
            // NULL equals nothing: no index is needed to find that out.
            Some(value).filter(|value| **value != Value::Null)
        }
        Predicate::In { column, values, negated: false } if *column == wanted && values.len() == 1 => {
            values.first().filter(|value| **value != Value::Null)
        }
        Predicate::Truth { column, value } if *column == wanted => Some(if *value { &TRUE } else { &FALSE }),
        Predicate::Null { column, negated: false } if *column == wanted => Some(&NULL),
        _ => None,
    }
}

/// The values of which a condition says a column has one. NULL among them selects nothing.
fn list_of(condition: &Predicate, wanted: usize) -> Option<Vec<&Value>> {
    match condition {
        Predicate::In { column, values, negated: false } if *column == wanted => {
            Some(values.iter().filter(|value| **value != Value::Null).collect())
        }
        _ => None,
    }
}

/// The bounds that conditions set for a column: the first of each kind.
fn bounds<'p>(
    conditions: impl Iterator<Item = &'p Predicate>,
    wanted: usize,
) -> (Bound<ValueRef<'p>>, Bound<ValueRef<'p>>) {
    let (mut from, mut to) = (Bound::Unbounded, Bound::Unbounded);
    for condition in conditions {
        let Predicate::Compare { column, op, value } = condition else { continue };
        if *column != wanted {
            continue;
        }
        let place = match op {
            Comparison::Greater | Comparison::GreaterOrEqual => &mut from,
            Comparison::Less | Comparison::LessOrEqual => &mut to,
            _ => continue,
        };
        if matches!(place, Bound::Unbounded) {
            *place = match op {
                Comparison::Greater | Comparison::Less => Bound::Excluded(value.as_ref()),
                _ => Bound::Included(value.as_ref()),
            };
        }
    }
    (from, to)
}
