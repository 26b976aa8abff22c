//! The planner's request to the row executor.

use crate::{Aggregate, Call, Expression, Subquery};
use mainstay_columnar::Table;
use mainstay_types::{Decimal, ValueRef};
use std::sync::Arc;

/// A query of one block: joined tables, conditions, groups, an order and a limit.
///
/// Expressions name columns by the place of their table in `sources`. Behind an aggregate they name results
/// ([`Expression::Result`]): first the keys of the group, then the calls.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The tables; none for a SELECT without FROM.
    pub sources: Vec<Source>,
    /// The conditions on rows, joined by AND; applied after outer joins.
    pub conditions: Vec<Expression>,
    /// Groups.
    pub aggregate: Option<Aggregate>,
    /// A choice among all rows by their numbers; the block has no aggregate then.
    pub numbered: Option<Numbered>,
    /// The conditions on groups.
    pub having: Vec<Expression>,
    /// The columns of the answer.
    pub output: Vec<Expression>,
    /// The order of the answer.
    pub order: Vec<SortKey>,
    /// Rows of the answer to leave out at its beginning.
    pub skip: usize,
    /// Rows of the answer to give at most.
    pub fetch: Option<usize>,
    /// The same where only a run knows it: an expression over parameters that takes the place of `fetch`, which then only says
    /// that there is a limit.
    pub fetch_by: Option<Expression>,
    /// The types that the parameters have in the statement.
    pub parameters: Vec<ParameterType>,
    /// True if it calls functions that take as long as looking at many rows.
    pub is_slow: bool,
}

/// A table of a block.
#[derive(Clone, Debug)]
pub struct Source {
    /// The table.
    pub table: Arc<dyn Table>,
    /// The relation of its rows to those of the tables before it.
    pub role: Role,
}

/// The relation of the rows of a table to those of the tables before it.
#[derive(Clone, Debug, Default)]
pub enum Role {
    /// The conditions of the block say which rows meet.
    #[default]
    Inner,
    /// The right side of a LEFT JOIN, with its condition. A row without a partner stays, with NULLs.
    Outer(Vec<Expression>),
    /// EXISTS and IN: rows stay that have a partner by this condition, each once. No other expression looks at the table.
    Semi(Vec<Expression>),
    /// NOT EXISTS: rows stay that have no partner by this condition. No other expression looks at the table.
    Anti(Vec<Expression>),
}

impl Role {
    /// The conditions that make a row a partner, other than the conditions of the block.
    pub fn partner(&self) -> Option<&Vec<Expression>> {
        match self {
            Role::Inner => None,
            Role::Outer(partner) | Role::Semi(partner) | Role::Anti(partner) => Some(partner),
        }
    }

    /// True if partners stay, where nothing else is asked of them than whether there is one.
    pub(crate) fn existence(&self) -> Option<bool> {
        match self {
            Role::Inner | Role::Outer(_) => None,
            Role::Semi(_) => Some(true),
            Role::Anti(_) => Some(false),
        }
    }

    /// True if it is the right side of a LEFT JOIN.
    pub fn is_outer(&self) -> bool {
        matches!(self, Role::Outer(_))
    }
}

impl Block {
    /// The queries within its expressions.
    pub(crate) fn subqueries(&self) -> Vec<Subquery> {
        let mut found: Vec<Subquery> = Vec::new();
        let mut visit = |part: &Expression| {
            if let Expression::Subquery(subquery) = part
                && !found.contains(subquery)
            {
                found.push(subquery.clone());
            }
        };
        let partners = self.sources.iter().filter_map(|source| source.role.partner()).flatten();
        let groups = self
            .aggregate
            .iter()
            .flat_map(|aggregate| aggregate.keys.iter().chain(aggregate.calls.iter().filter_map(Call::argument)));
        let numbers = self.numbered.iter().flat_map(|numbered| &numbered.conditions);
        let keys = self.order.iter().chain(self.numbered.iter().flat_map(|numbered| &numbered.keys));
        let own = self.conditions.iter().chain(&self.having).chain(&self.output);
        own.chain(partners).chain(groups).chain(numbers).for_each(|part| part.visit(&mut visit));
        keys.for_each(|key| key.expression.visit(&mut visit));
        found
    }
}

/// A choice among rows by their numbers in an order, as TOP n PERCENT makes it: it comes before the order of the answer.
///
/// The conditions look at no row but at two results: the row's number, from 1, and how many rows there are.
#[derive(Clone, Debug, Default)]
pub struct Numbered {
    /// The order that the rows are numbered in.
    pub keys: Vec<SortKey>,
    /// The conditions on the numbers of a row.
    pub conditions: Vec<Expression>,
}

/// A part of an order.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// The expression of the order.
    pub expression: Expression,
    /// From the greatest value down.
    pub descending: bool,
    /// NULL before all values.
    pub nulls_first: bool,
}

/// The type that a parameter has in a statement. A value that is not exactly of this type is not for the row executor:
/// it might mean another comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// Nothing is known of it.
    Unknown,
    /// It is only handed on.
    Any,
    /// A whole number of so many bits.
    Integer(u8),
    /// An exact number.
    Decimal {
        /// Digits in all.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// A double.
    Double,
    /// A truth value.
    Boolean,
    /// A text.
    Text,
    /// Bytes.
    Binary,
    /// A day.
    Date,
    /// A timestamp, in steps of so many ticks of 100 ns.
    Timestamp(i64),
    /// A timestamp with an offset.
    TimestampWithOffset,
}

impl ParameterType {
    /// The value as this type has it, or `None` when it is not exactly of this type.
    #[inline]
    pub fn exact<'v>(self, value: ValueRef<'v>) -> Option<ValueRef<'v>> {
        match (self, value) {
            (ParameterType::Unknown, _) => None,
            (ParameterType::Any, _) | (_, ValueRef::Null) => Some(value),
            (ParameterType::Integer(bits), ValueRef::Integer(number)) => {
                let spare = 64 - u32::from(bits);
                ((number << spare) >> spare == number).then_some(value)
            }
            (ParameterType::Decimal { precision, scale }, ValueRef::Integer(_) | ValueRef::Decimal(_)) => {
                let given = value.as_decimal()?;
                let scaled = given.rescale(scale).filter(|scaled| *scaled == given)?;
                let limit = 10u128.checked_pow(u32::from(precision))?;
                (scaled.unscaled.unsigned_abs() < limit).then_some(ValueRef::Decimal(Decimal { ..scaled }))
            }
            (ParameterType::Double, ValueRef::Float(_))
            | (ParameterType::Boolean, ValueRef::Boolean(_))
            | (ParameterType::Text, ValueRef::Text(_))
            | (ParameterType::Binary, ValueRef::Binary(_))
            | (ParameterType::Date, ValueRef::Date(_))
            | (ParameterType::TimestampWithOffset, ValueRef::TimestampWithOffset { .. }) => Some(value),
            (ParameterType::Timestamp(ticks), ValueRef::Timestamp(moment)) => (moment.0 % ticks == 0).then_some(value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_types::Timestamp;

    #[test]
    fn only_exact_values_are_taken() {
        let byte = ParameterType::Integer(8);
        assert_eq!(byte.exact(ValueRef::Integer(-128)), Some(ValueRef::Integer(-128)));
        assert_eq!(byte.exact(ValueRef::Integer(128)), None);
        assert_eq!(ParameterType::Integer(64).exact(ValueRef::Integer(i64::MIN)), Some(ValueRef::Integer(i64::MIN)));
        let cents = ParameterType::Decimal { precision: 4, scale: 2 };
        assert_eq!(cents.exact(ValueRef::Integer(7)), Some(ValueRef::Decimal(Decimal::new(700, 2))));
        assert_eq!(
            cents.exact(ValueRef::Decimal(Decimal::new(7_500, 3))),
            Some(ValueRef::Decimal(Decimal::new(750, 2)))
        );
        assert_eq!(cents.exact(ValueRef::Decimal(Decimal::new(7_501, 3))), None);
        assert_eq!(cents.exact(ValueRef::Integer(100)), None);
        assert_eq!(ParameterType::Text.exact(ValueRef::Integer(1)), None);
        assert_eq!(ParameterType::Date.exact(ValueRef::Null), Some(ValueRef::Null));
        assert_eq!(ParameterType::Unknown.exact(ValueRef::Null), None);
        assert_eq!(ParameterType::Timestamp(10).exact(ValueRef::Timestamp(Timestamp(15))), None);
    }
}
