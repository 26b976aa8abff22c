//! Pages of rows: the rows of a browse, in one call.
//!
//! A remote client requests the next rows of an order with everything that it needs to move on locally: numbers,
//! deletion marks, the record's bytes and its keys. The area does not move; a page that continues another names its
//! record with a [`Bookmark`], so there is no state between two pages.

use crate::area::Area;
use crate::positions::Bookmark;
use mainstay_types::Result;

/// Where a page begins.
#[derive(Clone, Debug, PartialEq)]
pub enum From {
    /// At the first row; going back, nothing.
    Top,
    /// At the last row, for pages that go back.
    Bottom,
    /// At the record the area is on, which comes first.
    Here,
    /// Behind this record (going back, before it).
    Beyond(Bookmark),
    /// At this record, which comes first.
    At(Bookmark),
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRow {
    /// The record's number.
    pub record: u32,
    /// True if it is marked as deleted.
    pub deleted: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its key in the current order.
    pub key: Option<Vec<u8>>,
}

/// Rows in the current order, through filter and scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The rows, in the direction in which they were asked for.
    pub rows: Vec<PageRow>,
    /// There are no more in this direction.
    pub is_last: bool,
}

impl Area {
    /// Up to `count` rows from a place on, or back if it is negative. The area stays where it is.
    pub fn page(&mut self, from: &From, count: i64) -> Result<Page> {
        self.leave()?;
        let (parked, row) = (self.park(), std::mem::take(&mut self.row));
        let page = self.rows_from(from, count);
        self.unpark(parked);
        self.row = row;
        page
    }

    fn rows_from(&mut self, from: &From, count: i64) -> Result<Page> {
        let (forward, mut left) = (count >= 0, count.unsigned_abs());
        let mut page = Page::default();
        self.look()?;
        let mut record = match from {
            From::Top => self.first()?,
            From::Bottom => self.last()?,
            From::Here => Some(self.recno),
            From::At(bookmark) => Some(bookmark.record),
            From::Beyond(bookmark) => {
                self.recno = bookmark.record;
                self.step_shown(forward)?
            }
        };
        record = record.filter(|recno| *recno >= 1 && *recno <= self.blocks.count());
        while let Some(recno) = record {
            if left == 0 {
                return Ok(page);
            }
            left -= 1;
            self.recno = recno;
            self.row.is_loaded = false;
            self.load()?;
            let key = self.key()?;
            let bytes = self.row.bytes.clone();
            page.rows.push(PageRow { record: recno, deleted: self.layout().is_deleted(&bytes), bytes, key });
            record = self.step_shown(forward)?;
            record = record.filter(|recno| *recno <= self.blocks.count());
        }
        page.is_last = true;
        Ok(page)
    }
}
