//! The visibility of records in an area: hidden deleted ones, the filter, the AOF, and a filter of the host program.

use crate::aof::Aof;
use crate::area::Area;
use crate::bits::Bits;
use crate::test::{Run, Test};
use mainstay_types::Result;
use mainstay_xbase::adt::RecordLayout;
use mainstay_xbase::expr::Scratch;

/// A filter that the host program computes: it is given the record's number and its bytes.
pub type Predicate = Box<dyn FnMut(u32, &[u8]) -> Result<bool> + Send>;

/// The tests that a record has to pass.
#[derive(Default)]
pub(crate) struct Visibility {
    pub(crate) hide_deleted: bool,
    /// The form of the records.
    pub(crate) layout: RecordLayout,
    filter: Option<(String, Test)>,
    pub(crate) aof: Option<Aof>,
    predicate: Option<Predicate>,
    /// Another number for each state of the above.
    version: u64,
    scratch: Scratch,
}

impl std::fmt::Debug for Visibility {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Visibility({:?}, AOF: {})", self.filter.as_ref().map(|(text, _)| text), self.aof.is_some())
    }
}

impl Visibility {
    /// Returns true if every record is shown.
    #[inline]
    pub(crate) fn is_everything(&self) -> bool {
        !self.hide_deleted && self.filter.is_none() && self.aof.is_none() && self.predicate.is_none()
    }

    /// Something about it has changed: what was computed before does not hold.
    pub(crate) fn touch(&mut self) {
        self.version += 1;
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Returns true if a record is shown, as far as its bytes tell.
    #[inline]
    pub(crate) fn shows(&mut self, recno: u32, record: &[u8]) -> Result<bool> {
        if self.hide_deleted && self.layout.is_deleted(record) {
            return Ok(false);
        }
        if let Some(aof) = &self.aof
            && !aof.shows(&mut self.scratch, recno, record)?
        {
            return Ok(false);
        }
        match &self.filter {
            Some((_, test)) => test.passes(&mut self.scratch, recno, record),
            None => Ok(true),
        }
    }

    /// Takes those records of a run out that are not shown, as far as their bytes tell.
    fn narrow(&mut self, run: &Run<'_>, shown: &mut Bits) -> Result<()> {
        let Visibility { hide_deleted, layout, filter, aof, scratch, .. } = self;
        if *hide_deleted {
            Test::Deleted(*layout, false).narrow(scratch, run, shown)?;
        }
        if let Some(aof) = aof {
            aof.narrow(scratch, run, shown)?;
        }
        filter.as_ref().map_or(Ok(()), |(_, test)| test.narrow(scratch, run, shown))
    }

    /// Returns true if the host program shows it too.
    #[inline]
    pub(crate) fn asks_host(&mut self, recno: u32, record: &[u8]) -> Result<bool> {
        match &mut self.predicate {
            Some(predicate) => predicate(recno, record),
            None => Ok(true),
        }
    }

    fn has_host(&self) -> bool {
        self.predicate.is_some()
    }
}

impl Area {
    /// Returns true if deleted records are passed over from the next move on.
    pub fn set_hide_deleted(&mut self, hide: bool) {
        if self.visibility.hide_deleted != hide {
            self.visibility.hide_deleted = hide;
            self.visibility.touch();
        }
    }

    /// Returns true if `=` compares whole texts in filters and conditions that are set from now on.
    pub fn set_exact(&mut self, exact: bool) {
        self.exact = exact;
    }

    /// Shows only the records for which this condition is true, from the next move on; `None` shows all again.
    ///
    /// Errors: those of the parser and the compiler, with the place in the text, and `TypeMismatch` for an expression
    /// that is not logical. Then the filter stays as it was.
    pub fn set_filter(&mut self, condition: Option<&str>) -> Result<()> {
        let filter = match condition {
            Some(text) => Some((text.to_owned(), self.test(text)?)),
            None => None,
        };
        self.visibility.filter = filter;
        self.visibility.touch();
        Ok(())
    }

    /// The filter.
    pub fn filter(&self) -> Option<&str> {
        self.visibility.filter.as_ref().map(|(text, _)| text.as_str())
    }

    /// A filter that the host program computes, beside the others.
    pub fn set_predicate(&mut self, predicate: Option<Predicate>) {
        self.visibility.predicate = predicate;
        self.visibility.touch();
    }

    /// Returns true if a record is shown. The number must be one of the table's.
    #[inline]
    pub(crate) fn is_shown(&mut self, recno: u32) -> Result<bool> {
        if self.visibility.is_everything() {
            return Ok(true);
        }
        let record = self.blocks.record(recno)?;
        Ok(self.visibility.shows(recno, record)? && self.visibility.asks_host(recno, record)?)
    }

    /// The record after this one, in the order that is set, where nothing has to be read, computed or asked for it.
    #[inline]
    pub(crate) fn next_at_hand(&mut self, forward: bool) -> Option<u32> {
        let Area { current, orders, files, visibility, blocks, recno, .. } = self;
        match current {
            None if forward && !visibility.has_host() => blocks.visible_after(*recno, visibility.version()),
            Some(at) if visibility.is_everything() => {
                let order = orders.get_mut(*at)?;
                let file = files.iter().find(|file| file.number == order.file)?;
                order.step_nearby(file, *recno, forward, blocks.count())
            }
            _ => None,
        }
    }

    /// The first shown record from `from` on in the table's own order, or back from it; `None` when there is none.
    pub(crate) fn shown_from(&mut self, from: u32, forward: bool) -> Result<Option<u32>> {
        let mut record = from;
        loop {
            if record == 0 || record > self.blocks.count() {
                return Ok(None);
            }
            if let Some(aof) = &self.visibility.aof {
                match aof.next_candidate(record, forward) {
                    Some(candidate) if candidate <= self.blocks.count() => record = candidate,
                    _ => return Ok(None),
                }
            }
            let (first, count) = self.blocks.block_of(record);
            match self.shown_in_block(record, forward)? {
                Some(found) if !self.visibility.has_host() => return Ok(Some(found)),
                Some(found) => {
                    let bytes = self.blocks.record(found)?;
                    if self.visibility.asks_host(found, bytes)? {
                        return Ok(Some(found));
                    }
                    record = if forward { found + 1 } else { found - 1 };
                }
                None => record = if forward { first + count as u32 } else { first - 1 },
            }
        }
    }

    /// The same within the block that the record is in.
    #[inline]
    fn shown_in_block(&mut self, record: u32, forward: bool) -> Result<Option<u32>> {
        let (first, count) = self.blocks.block_of(record);
        let version = self.visibility.version();
        if self.blocks.visible(record, version)?.is_none() {
            let shown = match &self.visibility.aof {
                Some(aof) => aof.candidates_of(first, count),
                None => Bits::filled(count, true),
            };
            let visibility = &mut self.visibility;
            self.blocks.compute_visible(record, version, shown, |run, shown| visibility.narrow(run, shown))?;
        }
        let Some(bits) = self.blocks.visible(record, version)? else { return Ok(None) };
        let at = (record - first) as usize;
        let found = if forward { bits.next(at) } else { bits.previous(at) };
        Ok(found.map(|at| first + at as u32))
    }
}
