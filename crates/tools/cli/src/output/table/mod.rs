//! The boxed table of the prompt.
//!
//! ```text
//! ┌────┬─────────────┬───────────────┐
//! │ id │ name        │       balance │   names
//! │    │ varchar     │ decimal(10,2) │   types
//! ├────┼─────────────┼───────────────┤
//! │  1 │ Brown & Co. │        120.50 │
//! └────┴─────────────┴───────────────┘
//! (1 row)
//! ```
//!
//! Widths must be known before the first line, and a result may be larger than memory. So the first thousand rows are
//! buffered and measured, and the rest is streamed in those widths. If only some rows are shown (at the prompt), the
//! first ones and the last batches are kept, and the rows between are counted and dropped.
//!
//! On a terminal, the table is [fitted](fit) to its width and longer text ends in `…`. Into a file or a
//! pipe nothing is cut: a late, longer value pushes its own line out of the grid instead. Line ends and
//! other control characters are written as `\n`, `\t`, `\x1b`, so that a memo cannot draw on the screen.

pub(crate) mod fit;

use super::{ResultWriter, Sink, Style, cell};
use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use fit::{Layout, Slot};
use std::collections::VecDeque;
use std::io;
use unicode_width::UnicodeWidthStr;

/// How many rows are measured before the first one is written.
const MEASURED_ROWS: usize = 1_000;

/// The widest column where no terminal sets a limit: one long memo must not pad every other row.
const WIDEST_COLUMN: usize = 120;

struct Head {
    name: String,
    type_name: String,
    right: bool,
    may_shrink: bool,
}

/// Measures, fits, and writes line by line.
pub(crate) struct Writer<'a> {
    sink: Sink<'a>,
    heads: Vec<Head>,
    header: bool,
    null: String,
    width: Option<usize>,
    max_rows: Option<usize>,
    /// The first rows: all that are to be shown from the start, or all that are measured.
    first: Vec<RecordBatch>,
    first_rows: usize,
    /// The last batches, when only some rows are shown.
    last: VecDeque<RecordBatch>,
    layout: Option<Layout>,
    rows: u64,
}

impl<'a> Writer<'a> {
    /// Nothing is written before enough rows are measured.
    pub(crate) fn new(schema: &Schema, style: &Style, sink: Sink<'a>) -> Writer<'a> {
        Writer {
            sink,
            heads: schema.fields().iter().map(|field| head(field)).collect(),
            header: style.header,
            null: style.null.clone().unwrap_or_else(|| "NULL".to_owned()),
            width: style.width,
            max_rows: style.max_rows,
            first: Vec::new(),
            first_rows: 0,
            last: VecDeque::new(),
            layout: None,
            rows: 0,
        }
    }

    /// Keeps the first rows; gives back how many of the batch were taken.
    fn keep_first(&mut self, batch: &RecordBatch, limit: usize) -> usize {
        let taken = batch.num_rows().min(limit.saturating_sub(self.first_rows));
        if taken > 0 {
            self.first.push(batch.slice(0, taken));
            self.first_rows += taken;
        }
        taken
    }

    /// Keeps the batch, and lets go of those that the last `limit` rows do not reach.
    fn keep_last(&mut self, batch: RecordBatch, limit: usize) {
        self.last.push_back(batch);
        let mut rows: usize = self.last.iter().map(RecordBatch::num_rows).sum();
        while let Some(oldest) = self.last.front().map(RecordBatch::num_rows).filter(|oldest| rows - oldest >= limit) {
            rows -= oldest;
            self.last.pop_front();
        }
    }

    /// Fits the columns to these rows and writes everything above the first one.
    fn open(&mut self, measured: &[Vec<String>]) -> io::Result<()> {
        let limit = if self.width.is_some() { usize::MAX } else { WIDEST_COLUMN };
        let mut widths: Vec<usize> = self.heads.iter().map(|head| head.name.width().max(1)).collect();
        if self.header {
            for (width, head) in widths.iter_mut().zip(&self.heads) {
                *width = (*width).max(head.type_name.width());
            }
        }
        for row in measured {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width().min(limit));
            }
        }
        let may_shrink: Vec<bool> = self.heads.iter().map(|head| head.may_shrink).collect();
        let layout = fit::fit(&widths, &may_shrink, self.width);
        self.sink.write_all(layout.rule('┌', '┬', '┐').as_bytes())?;
        if self.header {
            let names: Vec<String> = self.heads.iter().map(|head| head.name.clone()).collect();
            let types: Vec<String> = self.heads.iter().map(|head| head.type_name.clone()).collect();
            self.layout = Some(layout);
            self.row(&names)?;
            self.row(&types)?;
            self.rule('├', '┼', '┤')
        } else {
            self.layout = Some(layout);
            Ok(())
        }
    }

    fn rule(&mut self, left: char, middle: char, right: char) -> io::Result<()> {
        let rule = self.layout.as_ref().map(|layout| layout.rule(left, middle, right)).unwrap_or_default();
        self.sink.write_all(rule.as_bytes())
    }

    /// Writes a line of cells.
    fn row(&mut self, cells: &[String]) -> io::Result<()> {
        let Some(layout) = &self.layout else { return Ok(()) };
        let mut line = String::new();
        for slot in &layout.slots {
            line.push_str("│ ");
            match *slot {
                Slot::Elided => line.push('…'),
                Slot::Column { index, width } => {
                    let cut = self.width.is_some();
                    fit::pad(&cells[index], width, self.heads[index].right, cut, &mut line);
                }
            }
            line.push(' ');
        }
        line.push_str("│\n");
        self.sink.write_all(line.as_bytes())
    }

    /// Writes the rows of a batch in the widths that are settled.
    fn stream(&mut self, batch: &RecordBatch) -> io::Result<()> {
        (0..batch.num_rows()).try_for_each(|row| self.row(&cells(batch, row, &self.null)))
    }

    /// Measures what is kept, then writes it.
    fn flush_first(&mut self) -> io::Result<()> {
        let first = std::mem::take(&mut self.first);
        let rows: Vec<Vec<String>> = first.iter().flat_map(|batch| all_cells(batch, &self.null)).collect();
        self.open(&rows)?;
        rows.iter().try_for_each(|row| self.row(row))
    }

    /// Writes the first rows, a line of dots, and the last rows; says how many that are.
    fn write_ends(&mut self, shown: usize) -> io::Result<usize> {
        let below = shown / 2;
        let first: Vec<_> = self.first.iter().flat_map(|batch| all_cells(batch, &self.null)).collect();
        let last: Vec<_> = self.last.iter().flat_map(|batch| all_cells(batch, &self.null)).collect();
        let mut rows: Vec<Vec<String>> = first.into_iter().take(shown - below).collect();
        let above = rows.len();
        rows.extend(last.into_iter().rev().take(below).rev());
        self.open(&rows)?;
        for (index, row) in rows.iter().enumerate() {
            if index == above {
                self.row(&vec!["·".to_owned(); self.heads.len()])?;
            }
            self.row(row)?;
        }
        Ok(rows.len())
    }

    /// The line under the table.
    fn footer(&self, shown: Option<usize>) -> String {
        let mut parts = vec![count(self.rows, "row")];
        parts.extend(shown.map(|shown| format!("{shown} shown")));
        let columns = self.layout.as_ref().map_or(0, Layout::columns);
        if columns < self.heads.len() {
            parts.push(format!("{}, {columns} shown", count(self.heads.len() as u64, "column")));
        }
        format!("({})\n", parts.join(", "))
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.rows += batch.num_rows() as u64;
        if let Some(shown) = self.max_rows {
            self.keep_first(batch, shown);
            self.keep_last(batch.clone(), shown / 2);
            return Ok(());
        }
        if self.layout.is_some() {
            return self.stream(batch);
        }
        let taken = self.keep_first(batch, MEASURED_ROWS);
        if taken < batch.num_rows() {
            self.flush_first()?;
            self.stream(&batch.slice(taken, batch.num_rows() - taken))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let mut shown = None;
        match self.max_rows {
            Some(most) if self.rows > most as u64 => shown = Some(self.write_ends(most)?),
            _ if self.layout.is_none() => self.flush_first()?,
            _ => {}
        }
        self.rule('└', '┴', '┘')?;
        let footer = self.footer(shown);
        self.sink.write_all(footer.as_bytes())
    }
}

fn head(field: &Field) -> Head {
    let kind = cell::kind(field.data_type());
    Head {
        name: printable(field.name().clone()),
        type_name: cell::type_name(field.data_type()),
        right: kind == cell::Kind::Number,
        may_shrink: matches!(kind, cell::Kind::Text | cell::Kind::Interval | cell::Kind::Binary | cell::Kind::Nested),
    }
}

fn all_cells(batch: &RecordBatch, null: &str) -> Vec<Vec<String>> {
    (0..batch.num_rows()).map(|row| cells(batch, row, null)).collect()
}

/// The cells of one row as they are shown.
fn cells(batch: &RecordBatch, row: usize, null: &str) -> Vec<String> {
    let show = |column: &arrow_array::ArrayRef| match cell::resolve(column.as_ref(), row) {
        None => null.to_owned(),
        Some((array, row)) => {
            let mut text = String::new();
            cell::write(array, row, ' ', &mut text);
            printable(text)
        }
    };
    batch.columns().iter().map(show).collect()
}

/// The text with control characters written out.
pub(crate) fn printable(text: String) -> String {
    if !text.chars().any(char::is_control) {
        return text;
    }
    text.chars().fold(String::with_capacity(text.len() + 8), |mut out, character| {
        if character.is_control() {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
        out
    })
}

/// `1 row`, `12,345 rows`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// The number with commas between groups of three digits.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(1, "row"), "1 row");
        assert_eq!(count(0, "row"), "0 rows");
        assert_eq!(count(1_234_567, "row"), "1,234,567 rows");
    }

    #[test]
    fn control_characters_cannot_reach_the_screen() {
        assert_eq!(printable("a\u{1b}[2J\nb".into()), "a\\u{1b}[2J\\nb");
        assert_eq!(printable("Grüße".into()), "Grüße");
    }
}
