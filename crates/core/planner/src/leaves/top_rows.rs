//! ORDER BY with a LIMIT: a bounded heap over the column vectors, and a fetch of the remaining rows.

use crate::leaves::fused::{Batches, Input};
use crate::leaves::order::fetch_in_order;
use crate::leaves::read_ahead::Ahead;
use crate::leaves::scan::Lookup;
use mainstay_columnar::vector::{SortKey, Top};
use mainstay_types::Result;
use std::fmt;

/// The first rows of a scan in an order.
#[derive(Clone, Debug)]
pub(crate) struct TopKernel {
    /// Sort keys: columns of the table.
    pub(crate) keys: Vec<SortKey>,
    /// Columns of the table, in the order of the output.
    pub(crate) columns: Vec<usize>,
    pub(crate) limit: usize,
}

impl TopKernel {
    pub(crate) fn project(&self, outputs: &[usize]) -> TopKernel {
        let columns = outputs.iter().map(|output| self.columns[*output]).collect();
        TopKernel { columns, ..self.clone() }
    }

    pub(crate) fn describe<'a>(&self, name: &dyn Fn(usize) -> &'a str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = |key: &SortKey| if key.descending { " descending" } else { "" };
        let keys: Vec<String> = self.keys.iter().map(|key| format!("{}{}", name(key.column), direction(key))).collect();
        write!(f, "TableTop: by=[{}], limit={}, ", keys.join(", "), self.limit)
    }

    pub(crate) fn run(&self, input: &Input<'_>) -> Result<Option<Batches>> {
        let snapshot = input.snapshot.as_ref();
        let mut columns: Vec<usize> = self.keys.iter().map(|key| key.column).collect();
        columns.dedup();
        let mut top = Top::new(self.keys.clone(), self.limit);
        let candidates = input.candidates()?;
        let mut ahead = candidates.is_none().then(|| Ahead::of(input.run, 0..snapshot.groups()));
        for group in 0..snapshot.groups() {
            let rows = snapshot.group(group);
            input.run.advance(snapshot, rows.len())?;
            if let Some(ahead) = &mut ahead {
                input.source.read_ahead(ahead, group, snapshot, &columns);
            }
            let selection = input.source.select(snapshot, group, candidates.as_ref())?;
            let vectors = snapshot.vectors(group, &columns)?;
            let lookup = Lookup { columns: &columns, vectors: &vectors };
            top.update(rows.start as u64, &lookup, rows.len(), selection.as_ref())?;
        }
        // Row slots are counted in 32 bits everywhere; see Snapshot::fetch.
        let rows = top.finish().into_iter().map(|row| row as u32).collect();
        Ok(Some(fetch_in_order(input, self.columns.clone(), rows)))
    }
}
