//! Rows of a prepared statement, one at a time.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use mainstay_columnar::values::value_at;
use mainstay_planner::Answer;
use mainstay_row_executor::Buffer;
use mainstay_store::group::Group;
use mainstay_types::{Result, Value, ValueRef};
use std::sync::Arc;

/// Rows that come one after the other.
pub struct Rows<'p> {
    source: Source<'p>,
}

enum Source<'p> {
    None,
    /// A version in a table, which stays as it is.
    One {
        group: Arc<Group>,
        offset: usize,
        columns: &'p [usize],
        is_given: bool,
    },
    /// The row executor's answer.
    Buffer {
        buffer: &'p Buffer,
        schema: &'p SchemaRef,
        next: usize,
    },
    Answer(Box<AnswerRows>),
}

/// The rows of an answer's batches.
struct AnswerRows {
    answer: Answer,
    batch: Option<RecordBatch>,
    next: usize,
    values: Vec<Value>,
}

/// A row, until the next one is asked for.
pub struct Row<'r> {
    values: Values<'r>,
}

enum Values<'r> {
    Stored { group: &'r Group, offset: usize, columns: &'r [usize] },
    Cells { buffer: &'r Buffer, row: usize, len: usize },
    List(&'r [Value]),
}

impl<'p> Rows<'p> {
    pub(super) fn none() -> Rows<'p> {
        Rows { source: Source::None }
    }

    pub(super) fn one(group: Arc<Group>, offset: usize, columns: &'p [usize]) -> Rows<'p> {
        Rows { source: Source::One { group, offset, columns, is_given: false } }
    }

    pub(super) fn buffered(buffer: &'p Buffer, schema: &'p SchemaRef) -> Rows<'p> {
        Rows { source: Source::Buffer { buffer, schema, next: 0 } }
    }

    pub(super) fn of(answer: Answer) -> Rows<'p> {
        Rows { source: Source::Answer(Box::new(AnswerRows { answer, batch: None, next: 0, values: Vec::new() })) }
    }

    /// The columns, where the planner knows the statement; those of one row by its key are the ones that were asked for.
    pub fn schema(&self) -> Option<&SchemaRef> {
        match &self.source {
            Source::Buffer { schema, .. } => Some(schema),
            Source::Answer(rows) => Some(rows.answer.schema()),
            _ => None,
        }
    }

    /// The next row, or `None` after the last.
    ///
    /// Errors: as [`Answer::next_batch`].
    #[allow(clippy::should_implement_trait)]
    #[inline]
    pub fn next(&mut self) -> Result<Option<Row<'_>>> {
        match &mut self.source {
            Source::None | Source::One { is_given: true, .. } => Ok(None),
            Source::One { group, offset, columns, is_given } => {
                *is_given = true;
                Ok(Some(Row { values: Values::Stored { group, offset: *offset, columns } }))
            }
            Source::Buffer { buffer, schema, next } => {
                let (row, len) = (*next, schema.fields().len());
                *next += 1;
                Ok((row < buffer.len()).then_some(Row { values: Values::Cells { buffer, row, len } }))
            }
            Source::Answer(rows) => Ok(rows.advance()?.map(|values| Row { values: Values::List(values) })),
        }
    }
}

impl AnswerRows {
    fn advance(&mut self) -> Result<Option<&[Value]>> {
        while self.batch.as_ref().is_none_or(|batch| self.next >= batch.num_rows()) {
            self.batch = self.answer.next_batch()?;
            self.next = 0;
            if self.batch.is_none() {
                return Ok(None);
            }
        }
        let Some(batch) = &self.batch else { return Ok(None) };
        self.values.clear();
        for column in batch.columns() {
            self.values.push(value_at(column, self.next)?);
        }
        self.next += 1;
        Ok(Some(&self.values))
    }
}

impl<'r> Row<'r> {
    /// The value of a column, counted from 0; NULL for one that is not there.
    #[inline]
    pub fn get(&self, column: usize) -> ValueRef<'r> {
        match &self.values {
            Values::Stored { group, offset, columns } => {
                columns.get(column).map_or(ValueRef::Null, |column| group.value(*offset, *column))
            }
            Values::Cells { buffer, row, len } if column < *len => buffer.value(*row, column),
            Values::Cells { .. } => ValueRef::Null,
            Values::List(values) => values.get(column).map_or(ValueRef::Null, Value::as_ref),
        }
    }

    /// The values of its columns, a cell for each, which takes less time than to ask for one after the other. Where there
    /// are more cells than columns, they stay as they are.
    pub fn read(&self, cells: &mut [ValueRef<'r>]) {
        match &self.values {
            Values::Stored { group, offset, columns } => group.read(*offset, columns, cells),
            Values::Cells { buffer, row, .. } => buffer.read(*row, cells),
            Values::List(values) => {
                cells.iter_mut().zip(values.iter()).for_each(|(cell, value)| *cell = value.as_ref());
            }
        }
    }

    /// How many columns there are.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Stored { columns, .. } => columns.len(),
            Values::Cells { len, .. } => *len,
            Values::List(values) => values.len(),
        }
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
