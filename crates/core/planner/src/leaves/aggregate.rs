//! Aggregates of a scan, from the column vectors, or from the table's own statistics and indexes.
//!
//! COUNT(*) without a condition is the number of visible rows. MIN and MAX without a condition are the ends of an
//! index: the first visible row from that end that has a value.

use crate::leaves::batches;
use crate::leaves::fused::{Batches, Input};
use crate::leaves::read_ahead::Ahead;
use crate::leaves::scan::{FETCH_ROWS, Lookup, Source};
use arrow_array::{Array, ArrayRef, Int64Array, new_null_array};
use arrow_buffer::BooleanBuffer;
use mainstay_columnar::vector::aggregate::Progress;
use mainstay_columnar::vector::{Aggregate, Aggregator, Function, GroupColumn, materialize, select};
use mainstay_columnar::{Ordering, Predicate, RowSet};
use mainstay_types::{Code, Error, Result};
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Aggregates of a scan, grouped by columns.
#[derive(Clone, Debug)]
pub(crate) struct AggregateKernel {
    pub(crate) group_by: Vec<GroupColumn>,
    pub(crate) aggregates: Vec<Aggregate>,
    /// For each aggregate, the index at whose end its value stands. Empty where there is none for some.
    pub(crate) ends: Vec<Ordering>,
    /// Which of the group columns and aggregates are given, in this order.
    pub(crate) outputs: Vec<usize>,
}

impl AggregateKernel {
    pub(crate) fn project(&self, outputs: &[usize]) -> AggregateKernel {
        let outputs = outputs.iter().map(|output| self.outputs[*output]).collect();
        AggregateKernel { outputs, ..self.clone() }
    }

    pub(crate) fn describe<'a>(
        &self,
        source: &Source,
        name: &dyn Fn(usize) -> &'a str,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        f.write_str("TableAggregate: ")?;
        if !self.group_by.is_empty() {
            let columns: Vec<&str> = self.group_by.iter().map(|group| name(group.column)).collect();
            write!(f, "group=[{}], ", columns.join(", "))?;
        }
        let shown = |aggregate: &Aggregate| match aggregate.function {
            Function::Count => "count(*)".to_owned(),
            function => format!("{}({})", function_name(function), name(aggregate.column)),
        };
        let aggregates: Vec<String> = self.aggregates.iter().map(shown).collect();
        write!(f, "aggregates=[{}], ", aggregates.join(", "))?;
        if !self.ends.is_empty() {
            let ends: Vec<&str> = self.ends.iter().map(|end| end.text.as_str()).collect();
            write!(f, "from the ends of [{}], ", ends.join(", "))?;
        }
        if self.is_count_of_rows(source) {
            f.write_str("from the number of rows, ")?;
        }
        Ok(())
    }

    pub(crate) fn run(&self, input: &Input<'_>) -> Result<Option<Batches>> {
        let arrays = if self.is_count_of_rows(input.source) {
            let snapshot = input.snapshot;
            let rows = if input.source.visible_only() { snapshot.visible_rows()? } else { snapshot.slots() };
            vec![Arc::new(Int64Array::from(vec![rows as i64])) as ArrayRef; self.aggregates.len()]
        } else if let Some(arrays) = self.at_ends(input)? {
            arrays
        } else if let Some(arrays) = self.over_rows(input)? {
            arrays
        } else {
            // More groups than the kernel wants to hold: the general operator can spill.
            return Ok(None);
        };
        let rows = arrays.first().map_or(1, |array| array.len());
        let outputs = self.outputs.iter().map(|output| Arc::clone(&arrays[*output])).collect();
        let batch = batches::batch(Arc::clone(input.schema), outputs, rows)?;
        Ok(Some(Box::new(std::iter::once(Ok(batch)))))
    }

    fn is_count_of_rows(&self, source: &Source) -> bool {
        self.group_by.is_empty()
            && source.predicate.is_none()
            && self.aggregates.iter().all(|aggregate| aggregate.function == Function::Count)
    }

    /// The ends of the indexes, when every aggregate has one.
    fn at_ends(&self, input: &Input<'_>) -> Result<Option<Vec<ArrayRef>>> {
        if self.ends.is_empty() {
            return Ok(None);
        }
        let mut arrays = Vec::with_capacity(self.ends.len());
        for (aggregate, end) in self.aggregates.iter().zip(&self.ends) {
            match first_value(input, end, aggregate)? {
                Some(array) => arrays.push(array),
                None => return Ok(None),
            }
        }
        Ok(Some(arrays))
    }

    /// The aggregates of the rows that an index gives, or of all; `None` for too many groups.
    fn over_rows(&self, input: &Input<'_>) -> Result<Option<Vec<ArrayRef>>> {
        let mut aggregator = Aggregator::new(self.group_by.clone(), self.aggregates.clone());
        let progress = match input.rows()? {
            Some(RowSet::List(rows)) => self.add_fetched(input, &mut aggregator, &rows)?,
            Some(RowSet::Bitmap(bits)) => self.add_groups(input, &mut aggregator, Some(&bits))?,
            None => self.add_groups(input, &mut aggregator, None)?,
        };
        match progress {
            Progress::Done => aggregator.finish().map(Some),
            Progress::TooManyGroups => Ok(None),
        }
    }

    fn columns(&self) -> Vec<usize> {
        let arguments = self.aggregates.iter().filter(|aggregate| aggregate.function != Function::Count);
        let mut columns: Vec<usize> = self.group_by.iter().map(|group| group.column).collect();
        columns.extend(arguments.map(|aggregate| aggregate.column));
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn add_groups(
        &self,
        input: &Input<'_>,
        aggregator: &mut Aggregator,
        candidates: Option<&BooleanBuffer>,
    ) -> Result<Progress> {
        let groups = input.snapshot.groups();
        let threads = if self.group_by.is_empty() { input.run.threads().min(groups) } else { 1 };
        if threads <= 1 {
            return self.add_portion(input, aggregator, candidates, 0..groups);
        }
        // Portions one behind the other, so that doubles are added in nearly the same order as by one thread.
        let size = groups.div_ceil(threads);
        let portion = |first: usize| -> Result<Aggregator> {
            let mut part = Aggregator::new(Vec::new(), self.aggregates.clone());
            self.add_portion(input, &mut part, candidates, first..groups.min(first + size)).map(|_| part)
        };
        let parts: Vec<Result<Aggregator>> = std::thread::scope(|scope| {
            let portion = &portion;
            let others: Vec<_> =
                (size..groups).step_by(size).map(|first| scope.spawn(move || portion(first))).collect();
            let own = portion(0);
            let ended = || Err(Error::new(Code::Internal, "a thread of an aggregate ended in the middle"));
            let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| ended()));
            std::iter::once(own).chain(others).collect()
        });
        for part in parts {
            aggregator.absorb(&part?);
        }
        Ok(Progress::Done)
    }

    fn add_portion(
        &self,
        input: &Input<'_>,
        aggregator: &mut Aggregator,
        candidates: Option<&BooleanBuffer>,
        groups: Range<usize>,
    ) -> Result<Progress> {
        let (snapshot, columns) = (input.snapshot.as_ref(), self.columns());
        let reads_all = candidates.is_none() && groups.len() == snapshot.groups();
        let mut ahead = reads_all.then(|| Ahead::of(input.run, groups.clone()));
        for group in groups {
            let rows = snapshot.group(group).len();
            input.run.advance(snapshot, rows)?;
            if let Some(ahead) = &mut ahead {
                input.source.read_ahead(ahead, group, snapshot, &columns);
            }
            let selection = input.source.select(snapshot, group, candidates)?;
            if selection.as_ref().is_some_and(|bits| bits.count_set_bits() == 0) {
                continue;
            }
            let vectors = snapshot.vectors(group, &columns)?;
            let lookup = Lookup { columns: &columns, vectors: &vectors };
            if aggregator.update(&lookup, rows, selection.as_ref())? == Progress::TooManyGroups {
                return Ok(Progress::TooManyGroups);
            }
        }
        Ok(Progress::Done)
    }

    /// Adds the rows of a short list, fetched without decoding their groups.
    fn add_fetched(&self, input: &Input<'_>, aggregator: &mut Aggregator, rows: &[u32]) -> Result<Progress> {
        let mut columns = self.columns();
        columns.extend(input.source.predicate.iter().flat_map(Predicate::columns));
        columns.sort_unstable();
        columns.dedup();
        for chunk in rows.chunks(FETCH_ROWS) {
            input.run.advance_by_rows(input.snapshot.as_ref(), chunk.len())?;
            let live = input.source.visible_only();
            let (vectors, kept) = input.snapshot.fetch(chunk, &columns, live)?;
            let lookup = Lookup { columns: &columns, vectors: &vectors };
            let selection = match &input.source.predicate {
                Some(predicate) => Some(select(predicate, &lookup, kept.len())?),
                None => None,
            };
            if aggregator.update(&lookup, kept.len(), selection.as_ref())? == Progress::TooManyGroups {
                return Ok(Progress::TooManyGroups);
            }
        }
        Ok(Progress::Done)
    }
}

fn function_name(function: Function) -> &'static str {
    match function {
        Function::Count | Function::CountColumn => "count",
        Function::Sum => "sum",
        Function::Min => "min",
        Function::Max => "max",
        Function::Avg => "avg",
    }
}

/// The value of the first row from this end of the index that is there and is not NULL; `None` when the
/// index cannot be used now.
fn first_value(input: &Input<'_>, end: &Ordering, aggregate: &Aggregate) -> Result<Option<ArrayRef>> {
    let snapshot = input.snapshot;
    let mut value = None;
    let mut visit = |row: u32| {
        let (vectors, kept) = snapshot.fetch(&[row], &[end.column], !end.with_hidden)?;
        if kept.is_empty() || vectors[0].is_null(0) {
            return Ok(ControlFlow::Continue(()));
        }
        value = Some(materialize(&vectors[0], &aggregate.output)?);
        Ok(ControlFlow::Break(()))
    };
    if !snapshot.walk(end, &mut visit)? {
        return Ok(None);
    }
    Ok(Some(value.unwrap_or_else(|| new_null_array(&aggregate.output, 1))))
}
