//! Pages: the rows around the current record, and the known counts.

use crate::wire::messages::{MOST_PAGE_BYTES, MOST_ROWS, Numbers, Page, PageWish, Row};
use mainstay_types::Result;
use mainstay_workarea::{Area, Counting, From, PageRow};

fn row(row: PageRow) -> Row {
    Row { record: row.record, bytes: row.bytes, key: row.key }
}

/// The rows around the current record. A record that is not among those that are shown is alone: what comes before and
/// after it depends on from where one comes.
pub(crate) fn page(area: &mut Area, wish: &PageWish) -> Result<Page> {
    let numbers = numbers(area, wish.numbers)?;
    if area.is_eof() && area.is_bof() || area.record_number() == 0 {
        return Ok(Page { numbers, ..Page::default() });
    }
    if !area.is_eof() && !area.is_shown_here()? {
        let alone = area.page(&From::Here, 1)?.rows.into_iter().map(row).collect();
        return Ok(Page { rows: alone, numbers, ..Page::default() });
    }
    let most = (wish.bytes.min(MOST_PAGE_BYTES) as usize / area.header().record_length.max(1) as usize).max(1);
    // If there is no room for all of them, half of it is kept for those before.
    let wanted_before = wish.before.min(MOST_ROWS) as usize;
    let after = (wish.after.clamp(1, MOST_ROWS) as usize).min((most - wanted_before.min(most / 2)).max(1));
    // At the end the rows before it are those that one comes to.
    let behind = match area.is_eof() {
        true => From::Bottom,
        false => From::Beyond(area.bookmark()?),
    };
    let forward = match area.is_eof() {
        true => mainstay_workarea::Page { rows: Vec::new(), is_last: true },
        false => area.page(&From::Here, after as i64)?,
    };
    let before = wanted_before.min(most.saturating_sub(forward.rows.len()));
    let backward = match before {
        0 => mainstay_workarea::Page::default(),
        before => area.page(&behind, -(before as i64))?,
    };
    let here = backward.rows.len();
    let rows = backward.rows.into_iter().rev().chain(forward.rows).map(row).collect();
    Ok(Page { rows, here, is_first: backward.is_last, is_last: forward.is_last, numbers })
}

fn numbers(area: &mut Area, wanted: u8) -> Result<[Option<Numbers>; 3]> {
    let mut numbers = [None; 3];
    for what in [Counting::All, Counting::Scoped, Counting::Visible] {
        let (place, bit) = PageWish::bit(what);
        if let (true, Some(slot)) = (wanted & bit != 0, numbers.get_mut(place)) {
            *slot = Some(Numbers { count: area.key_count(what)?, number: area.key_number(what)? });
        }
    }
    Ok(numbers)
}
