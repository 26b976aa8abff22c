//! Rows of a prepared statement, one at a time.

use arrow_schema::SchemaRef;
use mainstay_columnar::ValueReader;
use mainstay_planner::Answer;
use mainstay_row_executor::Buffer;
use mainstay_store::group::Group;
use mainstay_types::{Result, ValueRef};
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
    /// The columns of the batch that is read, and the number of its rows.
    columns: Vec<ValueReader>,
    len: usize,
    next: usize,
}

/// A row, until the next one is asked for.
pub struct Row<'r> {
    values: Values<'r>,
}

enum Values<'r> {
    Stored { group: &'r Group, offset: usize, columns: &'r [usize] },
    Cells { buffer: &'r Buffer, row: usize, len: usize },
    Batch { columns: &'r [ValueReader], row: usize },
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
        Rows { source: Source::Answer(Box::new(AnswerRows { answer, columns: Vec::new(), len: 0, next: 0 })) }
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
            Source::Answer(rows) => {
                Ok(rows.advance()?.map(|(columns, row)| Row { values: Values::Batch { columns, row } }))
            }
        }
    }
}

impl AnswerRows {
    /// The columns of a batch, and a row in them.
    fn advance(&mut self) -> Result<Option<(&[ValueReader], usize)>> {
        while self.next >= self.len {
            let Some(batch) = self.answer.next_batch()? else { return Ok(None) };
            self.columns = batch.columns().iter().map(ValueReader::new).collect::<Result<_>>()?;
            (self.len, self.next) = (batch.num_rows(), 0);
        }
        let row = self.next;
        self.next += 1;
        Ok(Some((&self.columns, row)))
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
            Values::Batch { columns, row } => columns.get(column).map_or(ValueRef::Null, |column| column.value(*row)),
        }
    }

    /// The values of its columns, a cell for each, which takes less time than to ask for one after the other. Where there
    /// are more cells than columns, they stay as they are.
    pub fn read(&self, cells: &mut [ValueRef<'r>]) {
        match &self.values {
            Values::Stored { group, offset, columns } => group.read(*offset, columns, cells),
            Values::Cells { buffer, row, .. } => buffer.read(*row, cells),
            Values::Batch { columns, row } => {
                cells.iter_mut().zip(columns.iter()).for_each(|(cell, column)| *cell = column.value(*row));
            }
        }
    }

    /// How many columns there are.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Stored { columns, .. } => columns.len(),
            Values::Cells { len, .. } => *len,
            Values::Batch { columns, .. } => columns.len(),
        }
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
