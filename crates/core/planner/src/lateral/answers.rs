//! Assignment of an inner plan's rows to the outer rows by key.
//!
//! The inner plan's rows come in any order, each with the number of its key in the last column. They are sorted to the
//! keys once; a row of the outer query finds its rows by the number of its key.

use super::Kind;
use super::run::{BATCH_ROWS, Shared, several_rows};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, UInt32Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use datafusion::common::{Result, ScalarValue, internal_err};
use std::collections::HashSet;

/// The rows of an inner plan, by the number of their key.
pub(super) struct Answers {
    rows: RecordBatch,
    /// Where the rows of each key begin in `order`, and where those of the last one end.
    starts: Vec<u32>,
    /// The places of the rows, key by key, in the order that they came in.
    order: Vec<u32>,
}

impl Answers {
    /// The answers of so many keys.
    pub(super) fn of(batches: &[RecordBatch], schema: &arrow_schema::SchemaRef, keys: usize) -> Result<Answers> {
        let rows = concat_batches(schema, batches)?;
        if u32::try_from(rows.num_rows()).is_err() {
            return internal_err!("the subqueries of one set of rows gave {} rows", rows.num_rows());
        }
        let numbers = match rows.columns().last().and_then(|column| column.as_primitive_opt::<Int64Type>()) {
            Some(numbers) => numbers.values().iter().map(|number| *number as usize).collect::<Vec<_>>(),
            None => return internal_err!("the rows of a set of keys without their numbers"),
        };
        let mut starts = vec![0u32; keys + 1];
        for number in &numbers {
            match starts.get_mut(number + 1) {
                Some(count) => *count += 1,
                None => return internal_err!("a row of the key {number} of {keys}"),
            }
        }
        for key in 0..keys {
            starts[key + 1] += starts[key];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; numbers.len()];
        for (row, number) in numbers.into_iter().enumerate() {
            order[next[number] as usize] = row as u32;
            next[number] += 1;
        }
        Ok(Answers { rows, starts, order })
    }

    fn of_key(&self, key: Option<usize>) -> &[u32] {
        match key {
            Some(key) => &self.order[self.starts[key] as usize..self.starts[key + 1] as usize],
            None => &[],
        }
    }

    /// The batch with what the node adds, by the keys of its rows.
    pub(super) fn beside(
        &self,
        batch: &RecordBatch,
        keys: &[Option<usize>],
        shared: &Shared,
    ) -> Result<Vec<RecordBatch>> {
        match shared.kind {
            Kind::Cross | Kind::Outer => self.joined(batch, keys, shared),
            Kind::Value => Ok(vec![shared.with_column(batch, self.values(keys)?)?]),
            Kind::Exists => {
                let found = keys.iter().map(|key| key.map(|_| !self.of_key(*key).is_empty()));
                Ok(vec![shared.with_column(batch, std::sync::Arc::new(found.collect::<BooleanArray>()))?])
            }
            Kind::In => Ok(vec![shared.with_column(batch, self.are_in(batch, keys)?)?]),
        }
    }

    fn values(&self, keys: &[Option<usize>]) -> Result<ArrayRef> {
        let mut places = Vec::with_capacity(keys.len());
        for key in keys {
            places.push(match self.of_key(*key) {
                [] => None,
                [row] => Some(*row),
                _ => return Err(several_rows()),
            });
        }
        match self.rows.columns() {
            [] => internal_err!("a subquery without a column"),
            [values, ..] => Ok(take(values.as_ref(), &UInt32Array::from(places), None)?),
        }
    }

    /// True if the last value of each row is among those of its key: unknown if it is NULL and there are any, or if it is
    /// not there and a NULL is.
    fn are_in(&self, batch: &RecordBatch, keys: &[Option<usize>]) -> Result<ArrayRef> {
        let (Some(compared), Some(values)) = (batch.columns().last(), self.rows.columns().first()) else {
            return internal_err!("IN without a column");
        };
        let values = match values.data_type() == compared.data_type() {
            true => ArrayRef::clone(values),
            false => datafusion::arrow::compute::cast(values, compared.data_type())?,
        };
        let mut known = HashSet::with_capacity(self.order.len());
        let mut has_null = vec![false; self.starts.len().saturating_sub(1)];
        for (key, has_null) in has_null.iter_mut().enumerate() {
            for row in self.of_key(Some(key)) {
                match values.is_null(*row as usize) {
                    true => *has_null = true,
                    false => {
                        known.insert((key, ScalarValue::try_from_array(&values, *row as usize)?));
                    }
                }
            }
        }
        let mut found = Vec::with_capacity(keys.len());
        for (row, key) in keys.iter().enumerate() {
            found.push(match key {
                None => None,
                Some(_) if self.of_key(*key).is_empty() => Some(false),
                Some(_) if compared.is_null(row) => None,
                Some(key) => match known.contains(&(*key, ScalarValue::try_from_array(compared, row)?)) {
                    true => Some(true),
                    false if has_null[*key] => None,
                    false => Some(false),
                },
            });
        }
        Ok(std::sync::Arc::new(BooleanArray::from(found)))
    }

    /// The rows, each beside those of its key.
    fn joined(&self, batch: &RecordBatch, keys: &[Option<usize>], shared: &Shared) -> Result<Vec<RecordBatch>> {
        let (mut outer, mut inner, mut made) = (Vec::new(), Vec::new(), Vec::new());
        for (row, key) in keys.iter().enumerate() {
            match self.of_key(*key) {
                [] if shared.kind == Kind::Outer => {
                    outer.push(row as u32);
                    inner.push(None);
                }
                found => {
                    outer.extend(std::iter::repeat_n(row as u32, found.len()));
                    inner.extend(found.iter().copied().map(Some));
                }
            }
            if outer.len() >= BATCH_ROWS {
                made.push(self.pair(batch, std::mem::take(&mut outer), std::mem::take(&mut inner), shared)?);
            }
        }
        if !outer.is_empty() {
            made.push(self.pair(batch, outer, inner, shared)?);
        }
        Ok(made)
    }

    fn pair(
        &self,
        batch: &RecordBatch,
        outer: Vec<u32>,
        inner: Vec<Option<u32>>,
        shared: &Shared,
    ) -> Result<RecordBatch> {
        let count = outer.len();
        let (outer, inner) = (UInt32Array::from(outer), UInt32Array::from(inner));
        let number = self.rows.num_columns() - 1;
        let mut columns = Vec::with_capacity(batch.num_columns() + number);
        for column in batch.columns() {
            columns.push(take(column.as_ref(), &outer, None)?);
        }
        for column in &self.rows.columns()[..number] {
            columns.push(take(column.as_ref(), &inner, None)?);
        }
        shared.made(columns, count)
    }
}
