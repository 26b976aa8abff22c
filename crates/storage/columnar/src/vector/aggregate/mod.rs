//! Aggregates over all rows or by group: COUNT, SUM, MIN, MAX, AVG, GROUP BY and DISTINCT.
//!
//! Rows are first given group numbers, then each column is folded into one slot a group:
//!
//! ```text
//!   group columns --> groups --> a code (u8) or number (u32) a row --+
//!   argument columns ------------------------------------------------+--> state: count, sum, min, max a group
//!                                                                                    |
//!                                                       finish: SQL types, <---------+
//!                                                       groups in order of first appearance
//! ```
//!
//! A single dictionary of 8-bit codes needs no group numbers: its codes index tables of 256 slots, which are
//! merged by text at the end of the row group (dictionaries differ from one row group to the next). Other
//! columns go through a hash table of their values, several columns through tables of pairs. All functions
//! of one column share one pass over it.
//!
//! The results are those of DataFusion's aggregates (sum.rs, average.rs, min_max.rs of its version 55):
//! sums of whole numbers and decimals fail when their type does not hold them (by query's `sum` there), averages of decimals are
//! rounded half away from zero (by query's `quotient` there) and fail when they do not fit, averages of integers are doubles,
//! floats of 32 bits are summed and averaged as doubles, no rows give NULL (COUNT: 0).
//!
//! Limits. Doubles are added in eight interleaved sums (grouped: four), so the last bits of a sum or an
//! average of doubles depend on the order, as they do between any two plans of the general executor;
//! averages of integers are of the exact sum. MIN and MAX of doubles are in total order (NaN largest) also
//! where the general executor's grouped ones depend on the order of rows. Grouping by doubles, and averages
//! of decimals of more than 25 digits, are left to the general executor: see [`Aggregator::supports`].

mod groups;
mod result;
mod state;

use super::bits::live_words;
use super::physical::Physical;
use super::{Vectors, arrow_error, unsupported, vector_of};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;
use arrow_select::filter::FilterBuilder;
use groups::Groups;
use mainstay_types::Result;
use state::{Needs, State};

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `COUNT(*)`
    Count,
    /// `COUNT(column)`
    CountColumn,
    /// `SUM(column)`
    Sum,
    /// `MIN(column)`
    Min,
    /// `MAX(column)`
    Max,
    /// `AVG(column)`
    Avg,
}

/// A column to group by.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupColumn {
    /// The column.
    pub column: usize,
    /// Its SQL type, in which the groups are returned.
    pub output: DataType,
}

/// One aggregate of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The function.
    pub function: Function,
    /// Its argument; not looked at for [`Function::Count`].
    pub column: usize,
    /// The SQL type of the result, as the planner derived it from the argument's.
    pub output: DataType,
}

/// The outcome of an update.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All rows were taken in.
    Done,
    /// There are more groups than the limit: drop this aggregator and let the general operator start over.
    TooManyGroups,
}

/// The limit of groups unless [`Aggregator::with_limit`] sets another.
pub const GROUP_LIMIT: usize = 1 << 16;

/// Aggregates over any number of row groups.
#[derive(Debug)]
pub struct Aggregator {
    group_by: Vec<GroupColumn>,
    aggregates: Vec<Aggregate>,
    /// One for each distinct argument column.
    inputs: Vec<Input>,
    groups: Groups,
    /// Rows per group.
    rows: Vec<i64>,
    limit: usize,
}

#[derive(Debug)]
struct Input {
    column: usize,
    needs: Needs,
    state: State,
    /// Digits after the point of the stored integers, once a vector was seen.
    scale: i8,
}

impl Aggregator {
    /// Returns true if these aggregates can be computed here, given the physical type of each column.
    ///
    /// Group columns: dictionaries, text, bytes, decimals, integers, dates, times, timestamps, UUIDs, booleans (not
    /// floats and doubles). COUNT of any column; MIN and MAX of all the types the kernels know; SUM of numbers; AVG of
    /// integers and doubles as Float64, of decimals of up to 25 digits as Decimal128.
    pub fn supports(
        group_by: &[GroupColumn],
        aggregates: &[Aggregate],
        physical_type: &dyn Fn(usize) -> DataType,
    ) -> bool {
        let groups = group_by.iter().all(|group| {
            let physical = physical_type(group.column);
            !matches!(physical, DataType::Float32 | DataType::Float64)
                && super::sql_type(&physical).as_ref() == Some(&group.output)
        });
        groups && aggregates.iter().all(|aggregate| supports_function(aggregate, physical_type))
    }

    /// An aggregator without rows. With no group columns the result has one row, else one a group.
    pub fn new(group_by: Vec<GroupColumn>, aggregates: Vec<Aggregate>) -> Aggregator {
        let mut inputs: Vec<Input> = Vec::new();
        for aggregate in aggregates.iter().filter(|aggregate| aggregate.function != Function::Count) {
            let at = inputs.iter().position(|input| input.column == aggregate.column).unwrap_or_else(|| {
                let (needs, state) = (Needs::default(), State::default());
                inputs.push(Input { column: aggregate.column, needs, state, scale: 0 });
                inputs.len() - 1
            });
            let needs = &mut inputs[at].needs;
            match aggregate.function {
                Function::Sum | Function::Avg => needs.sum = true,
                Function::Min => needs.min = true,
                Function::Max => needs.max = true,
                Function::Count | Function::CountColumn => {}
            }
        }
        let groups = Groups::new(group_by.len());
        Aggregator { group_by, aggregates, inputs, groups, rows: Vec::new(), limit: GROUP_LIMIT }
    }

    /// The same with another limit of groups.
    pub fn with_limit(mut self, limit: usize) -> Aggregator {
        self.limit = limit;
        self
    }

    /// Takes in a row group: its vectors, how many rows they have, and which are selected (`None`: all).
    pub fn update(
        &mut self,
        vectors: &dyn Vectors,
        rows: usize,
        selection: Option<&BooleanBuffer>,
    ) -> Result<Progress> {
        if self.group_by.is_empty() {
            self.update_all(vectors, rows, selection)?;
            return Ok(Progress::Done);
        }
        // Rows that are not selected are removed first, so that the grouped loops have no branches.
        let picked = selection.filter(|selection| selection.count_set_bits() < rows);
        let picked =
            picked.map(|selection| FilterBuilder::new(&BooleanArray::new(selection.clone(), None)).optimize().build());
        let fetch = |column: usize| -> Result<ArrayRef> {
            let vector = vector_of(vectors, column, rows)?;
            match &picked {
                Some(picked) => picked.filter(vector).map_err(arrow_error),
                None => Ok(vector.clone()),
            }
        };
        let keys = self.group_by.iter().map(|group| fetch(group.column)).collect::<Result<Vec<_>>>()?;
        let ids = self.groups.number(&keys)?;
        if self.groups.len() > self.limit {
            return Ok(Progress::TooManyGroups);
        }
        let counts = ids.count(self.groups.len());
        self.rows.resize(self.groups.len(), 0);
        ids.merge(&counts, |group, count| self.rows[group] += count);
        for input in &mut self.inputs {
            let vector = fetch(input.column)?;
            input.scale = scale_of(vector.data_type());
            input.state.grow(self.groups.len(), input.needs);
            input.state.add_grouped(&vector, &ids, &counts, input.needs)?;
        }
        Ok(Progress::Done)
    }

    fn update_all(&mut self, vectors: &dyn Vectors, rows: usize, selection: Option<&BooleanBuffer>) -> Result<()> {
        self.rows.resize(1, 0);
        self.rows[0] += selection.map_or(rows, BooleanBuffer::count_set_bits) as i64;
        for input in &mut self.inputs {
            let vector = vector_of(vectors, input.column, rows)?;
            input.scale = scale_of(vector.data_type());
            input.state.grow(1, input.needs);
            let live = live_words(vector, selection);
            input.state.add_all(vector, live.as_deref(), input.needs)?;
        }
        Ok(())
    }

    /// Takes in what an aggregator of the same aggregates, without group columns, has taken in: the rows after these.
    pub fn absorb(&mut self, other: &Aggregator) {
        self.rows.resize(1, 0);
        self.rows[0] += other.rows.first().copied().unwrap_or_default();
        for (input, of_other) in self.inputs.iter_mut().zip(&other.inputs) {
            input.state.grow(1, input.needs);
            input.state.absorb(&of_other.state);
            // One that has seen no vector knows no scale.
            if input.scale == 0 {
                input.scale = of_other.scale;
            }
        }
    }

    /// The group columns, then the aggregates, one row a group in order of first appearance.
    ///
    /// Fails with `InvalidValue` when a sum or an average does not fit its type.
    pub fn finish(mut self) -> Result<Vec<ArrayRef>> {
        if self.group_by.is_empty() {
            self.rows.resize(1, 0);
        }
        let mut arrays = Vec::with_capacity(self.group_by.len() + self.aggregates.len());
        for (i, group) in self.group_by.iter().enumerate() {
            arrays.push(self.groups.column(i, &group.output)?);
        }
        for input in &mut self.inputs {
            input.state.grow(self.rows.len(), input.needs);
        }
        for aggregate in &self.aggregates {
            let input = self.inputs.iter().find(|input| input.column == aggregate.column);
            arrays.push(match (aggregate.function, input) {
                (Function::Count, _) | (_, None) => result::counts(&self.rows, &aggregate.output)?,
                (function, Some(input)) => input.state.result(function, input.scale, &aggregate.output)?,
            });
        }
        Ok(arrays)
    }
}

fn scale_of(data_type: &DataType) -> i8 {
    match data_type {
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) | DataType::Decimal128(_, scale) => *scale,
        _ => 0,
    }
}

fn supports_function(aggregate: &Aggregate, physical_type: &dyn Fn(usize) -> DataType) -> bool {
    if aggregate.function == Function::Count {
        return aggregate.output == DataType::Int64;
    }
    let physical = physical_type(aggregate.column);
    let Some(input) = super::sql_type(&physical) else { return false };
    let output = &aggregate.output;
    match (aggregate.function, &input) {
        (Function::Count | Function::CountColumn, _) => *output == DataType::Int64,
        (Function::Min | Function::Max, _) => *output == input,
        (Function::Sum, DataType::Decimal128(_, scale)) => {
            matches!(output, DataType::Decimal128(_, to) if to == scale)
        }
        (Function::Sum, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64) => {
            *output == DataType::Int64
        }
        (Function::Sum, DataType::UInt32) => *output == DataType::UInt64,
        (Function::Sum, DataType::Float32 | DataType::Float64) => *output == DataType::Float64,
        (Function::Avg, DataType::Decimal128(precision, scale)) => {
            *precision <= 25 && *scale >= 0 && matches!(output, DataType::Decimal128(_, to) if to >= scale)
        }
        (Function::Avg, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 | DataType::UInt32) => {
            *output == DataType::Float64
        }
        (Function::Avg, DataType::Float32 | DataType::Float64) => *output == DataType::Float64,
        _ => false,
    }
}

/// The slices of a vector, or the error for a type without them.
fn physical_of<'a>(vector: &'a ArrayRef, what: &str) -> Result<Physical<'a>> {
    Physical::of(vector).ok_or_else(|| unsupported(what, vector.data_type()))
}
