//! Groups over a whole table, by the vector kernels.
//!
//! Where no condition narrows a table down, walking its versions costs tens of nanoseconds a row and folding the
//! vectors of its columns a few. The kernels compute the results of the block's aggregate; HAVING, the output and the
//! order over them are the row executor's, as everywhere, and no batch plan is set up for a handful of groups.
//!
//! ```text
//!   groups of the table --vectors, visible rows--> Aggregator --> results, a row a group --> HAVING, output, order
//! ```
//!
//! Limits: one table, keys and arguments that are plain columns, and no more row slots than [`MOST`], since it runs in
//! one thread and cannot be cancelled. The kernels do not support some types ([`Aggregator::supports`]).

use crate::aggregate::{Aggregate as BlockAggregate, Call};
use crate::arithmetic::Number;
use crate::block::Block;
use crate::expression::Expression;
use arrow_array::ArrayRef;
use arrow_schema::DataType;
use mainstay_columnar::values::value_at;
use mainstay_columnar::vector::{Aggregate, Aggregator, Function, GroupColumn, Progress, Vectors, sql_type};
use mainstay_columnar::{Snapshot, Table};
use mainstay_store::{NativeTable, Shown, View};
use mainstay_types::{Result, Value};
use std::sync::Arc;

/// A table of more row slots is the batch executor's: two groups, a fraction of a millisecond.
pub(crate) const MOST: usize = 131_072;

/// Up to so many rows are walked faster than vectors of them are made.
pub(crate) const FEW: usize = 256;

/// The aggregate of a block as the kernels have it.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    group_by: Vec<GroupColumn>,
    aggregates: Vec<Aggregate>,
    /// The columns that take part, ascending.
    columns: Vec<usize>,
}

/// The vectors of some columns.
struct Chosen<'v> {
    columns: &'v [usize],
    vectors: &'v [ArrayRef],
}

impl Vectors for Chosen<'_> {
    fn vector(&self, column: usize) -> Option<&ArrayRef> {
        self.vectors.get(self.columns.binary_search(&column).ok()?)
    }
}

impl Whole {
    /// The kernels' way of a block; `None` where they have none.
    pub(crate) fn of(block: &Block, tables: &[Arc<NativeTable>]) -> Option<Whole> {
        let (Some(aggregate), [table]) = (&block.aggregate, tables) else { return None };
        if !block.conditions.is_empty() || table.estimated_rows() > MOST {
            return None;
        }
        let BlockAggregate { keys, calls } = aggregate;
        let shown = Shown(Arc::clone(table));
        let fields = shown.schema().fields();
        let width = table.types().len();
        let physical = |column: usize| fields.get(column).map_or(DataType::Null, |field| field.data_type().clone());
        let plain = |expression: &Expression| plain_column(expression).filter(|column| *column < width);
        let group = |key: &Expression| {
            let column = plain(key)?;
            Some(GroupColumn { column, output: sql_type(&physical(column))? })
        };
        let group_by: Vec<GroupColumn> = keys.iter().map(group).collect::<Option<_>>()?;
        let of_call = |call: &Call| {
            let (function, argument, to) = match call {
                Call::Rows => {
                    return Some(Aggregate { function: Function::Count, column: 0, output: DataType::Int64 });
                }
                Call::Count(argument) => (Function::CountColumn, argument, Some(DataType::Int64)),
                Call::Sum(argument, to) => (Function::Sum, argument, Some(arrow_type(*to)?)),
                Call::Average(argument, to) => (Function::Avg, argument, Some(arrow_type(*to)?)),
                Call::Least(argument) => (Function::Min, argument, None),
                Call::Greatest(argument) => (Function::Max, argument, None),
            };
            // The kernels widen whole numbers by themselves.
            let argument = match (function, argument) {
                (Function::Sum, Expression::Cast { expression, to: Number::Integer(64) }) => expression,
                (_, argument) => argument,
            };
            let column = plain(argument)?;
            let output = to.or_else(|| sql_type(&physical(column)))?;
            Some(Aggregate { function, column, output })
        };
        let aggregates: Vec<Aggregate> = calls.iter().map(of_call).collect::<Option<_>>()?;
        if aggregates.is_empty() || !Aggregator::supports(&group_by, &aggregates, &physical) {
            return None;
        }
        let arguments = aggregates.iter().filter(|aggregate| aggregate.function != Function::Count);
        let mut columns: Vec<usize> = group_by.iter().map(|group| group.column).collect();
        columns.extend(arguments.map(|aggregate| aggregate.column));
        columns.sort_unstable();
        columns.dedup();
        Some(Whole { group_by, aggregates, columns })
    }

    /// The column that is the argument of a call, given by its place; any for COUNT(*).
    #[inline]
    pub(crate) fn argument(&self, call: usize) -> usize {
        self.aggregates.get(call).map_or(0, |aggregate| aggregate.column)
    }

    /// The results, a row a group in the order in which the groups were met: keys, then calls. `None` when there are too
    /// many rows or groups.
    ///
    /// Errors: a result that does not fit its type.
    pub(crate) fn run(&self, table: &Arc<NativeTable>, view: View) -> Result<Option<Vec<Vec<Value>>>> {
        let snapshot = table.snapshot_for(view);
        if snapshot.slots() > MOST {
            return Ok(None);
        }
        let mut aggregator = Aggregator::new(self.group_by.clone(), self.aggregates.clone());
        for group in 0..snapshot.groups() {
            let selection = snapshot.visible(group)?;
            if selection.as_ref().is_some_and(|bits| bits.count_set_bits() == 0) {
                continue;
            }
            let vectors = snapshot.vectors(group, &self.columns)?;
            let chosen = Chosen { columns: &self.columns, vectors: &vectors };
            let rows = snapshot.group(group).len();
            if aggregator.update(&chosen, rows, selection.as_ref())? == Progress::TooManyGroups {
                return Ok(None);
            }
        }
        let arrays = aggregator.finish()?;
        let rows = arrays.first().map_or(0, |array| array.len());
        let row = |row: usize| arrays.iter().map(|array| value_at(array, row)).collect::<Result<Vec<Value>>>();
        (0..rows).map(row).collect::<Result<Vec<_>>>().map(Some)
    }
}

fn plain_column(expression: &Expression) -> Option<usize> {
    match expression {
        Expression::Column { source: 0, column } => Some(*column),
        _ => None,
    }
}

/// The type that the batch executor has for a number.
fn arrow_type(number: Number) -> Option<DataType> {
    Some(match number {
        Number::Integer(64) => DataType::Int64,
        Number::Integer(_) => return None,
        Number::Decimal { precision, scale } => DataType::Decimal128(precision, i8::try_from(scale).ok()?),
        Number::Double => DataType::Float64,
    })
}
