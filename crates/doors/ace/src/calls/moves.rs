//! Moving through a table, in its natural order or in that of the given handle.

use std::sync::Arc;

use mainstay_workarea::Counting;

use crate::border::*;
use crate::calls::statements;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::registry;
use crate::settings;
use crate::table::{State, is_positioned};

pub fn top(object: Handle) -> Result<()> {
    registry::on_table_or_order(object, |table, order| table.go(order.map(Arc::as_ref), |area| Ok(area.go_top()?)))
}

pub fn bottom(object: Handle) -> Result<()> {
    registry::on_table_or_order(object, |table, order| table.go(order.map(Arc::as_ref), |area| Ok(area.go_bottom()?)))
}

pub fn end(object: Handle) -> Result<()> {
    registry::on_table_or_order(object, |table, order| table.go(order.map(Arc::as_ref), |area| Ok(area.go_eof()?)))
}

pub fn beginning(object: Handle) -> Result<()> {
    let (table, order) = registry::table_or_order(object)?;
    table.go(order.as_deref(), |area| {
        area.go_top()?;
        Ok(area.skip(-1)?)
    })
}

pub fn skip(object: Handle, count: i32) -> Result<()> {
    registry::on_table_or_order(object, |table, order| table.skip(order.map(Arc::as_ref), count.into()))
}

/// To the record with the next key, or the one so many keys on or back.
pub fn skip_unique(index: Handle, count: i32) -> Result<()> {
    let order = registry::order(index)?;
    let step = i64::from(count.signum());
    for _ in 0..count.unsigned_abs() {
        let key = order.with(|state, _| match is_positioned(&*state.area) {
            true => Ok(state.area.key()?),
            false => Ok(None),
        })?;
        loop {
            order.table.skip(Some(&order), step)?;
            let (at_end, now) = order.with(|state, _| match is_positioned(&*state.area) {
                true => Ok((false, state.area.key()?)),
                false => Ok((true, None)),
            })?;
            if at_end {
                return Ok(());
            }
            if now != key {
                break;
            }
        }
    }
    match count {
        0 => order.table.skip(Some(&order), 0),
        _ => Ok(()),
    }
}

pub fn record(table: Handle, record: u32) -> Result<()> {
    registry::on_table_or_order(table, |table, order| table.go(order.map(Arc::as_ref), |area| Ok(area.go_to(record)?)))
}

pub fn at_bof(table: Handle, bof: Out<u16>) -> Result<()> {
    registry::on_table_or_order(table, |table, _| bof.set(table.ends()?.0.into()))
}

pub fn at_eof(table: Handle, eof: Out<u16>) -> Result<()> {
    registry::on_table_or_order(table, |table, _| eof.set(table.ends()?.1.into()))
}

pub fn is_found(object: Handle, found: Out<u16>) -> Result<()> {
    let answer = registry::on_table_or_order(object, |table, _| table.with(|state| Ok(state.area.is_found())))?;
    found.set(answer.into())
}

/// Sets the result to 1 if the current record is visible, by the scope of the order, the filters, and its mark of
/// deletion.
pub fn is_visible(object: Handle, visible: Out<u16>) -> Result<()> {
    let (table, order) = registry::table_or_order(object)?;
    let hides_deleted = settings::read(|settings| !settings.show_deleted);
    let answer = table.on_record(|state| {
        let area = &mut *state.area;
        area.set_order(order.as_ref().map(|order| order.id))?;
        let (filter, has_aof, record) = (area.filter().map(str::to_owned), area.aof().is_some(), area.record_number());
        Ok(!(hides_deleted && area.is_deleted()?)
            && area.is_in_scope()?
            && (!has_aof || area.is_record_in_aof(record)?)
            && filter.map_or(Ok(true), |filter| area.evaluate_logical(&filter))?)
    })?;
    visible.set(answer.into())
}

/// The number of the current record, or with ADS_RESPECTFILTERS its place among those that are shown. Before the first
/// record it is 0, behind the last one more than there are. A program that passes 0, which is no option, wants the number
/// that AdsGotoRecord takes.
pub fn record_number(table: Handle, option: u16, record: Out<u32>) -> Result<()> {
    let number_in = |state: &mut State, counting| {
        let area = &mut *state.area;
        match (is_positioned(area), counting) {
            (false, _) if area.is_eof() => Ok(area.record_count(Counting::All)?.saturating_add(1)),
            (false, _) => Ok(0),
            (true, Counting::Visible) => {
                area.set_order(None)?;
                Ok(u32::try_from(area.key_number(counting)?.unwrap_or(0)).unwrap_or(u32::MAX))
            }
            (true, _) => Ok(area.record_number()),
        }
    };
    let number = registry::on_table_or_order(table, |table, _| {
        let counting = if option == 0 { Counting::All } else { counting(option)? };
        table.with(|state| number_in(state, counting))
    })?;
    record.set(number)
}

pub fn record_count(object: Handle, option: u16, count: Out<u32>) -> Result<()> {
    if statements::is_statement(object).is_some() {
        return statements::affected(object, count);
    }
    let (table, order) = registry::table_or_order(object)?;
    let counting = counting(option)?;
    let records = table.with(|state| {
        state.area.set_order(order.as_ref().map(|order| order.id))?;
        match (&order, counting) {
            (None, Counting::All | Counting::Scoped) => Ok(u64::from(state.area.record_count(Counting::All)?)),
            _ => Ok(state.area.key_count(counting)?),
        }
    })?;
    count.set(u32::try_from(records).unwrap_or(u32::MAX))
}

/// The records that an option counts. ADS_REFRESHCOUNT may be added to each: counts are always fresh.
pub fn counting(option: u16) -> Result<Counting> {
    match u32::from(option) & !ADS_REFRESHCOUNT {
        0 | ADS_RESPECTFILTERS => Ok(Counting::Visible),
        ADS_IGNOREFILTERS => Ok(Counting::All),
        ADS_RESPECTSCOPES => Ok(Counting::Scoped),
        _ => Err(Failure::new(AE_INVALID_FILTER_OPTION, option.to_string())),
    }
}

pub fn refresh(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.with(|state| match is_positioned(&*state.area) {
        true => Ok(state.area.refresh()?),
        false => Ok(()),
    })
}

/// A bookmark of the first kind is a record's number, in the guise of a handle.
pub fn get_bookmark(table: Handle, bookmark: Out<Handle>) -> Result<()> {
    let table = registry::table(table)?;
    let record = table.on_record(|state| Ok(state.area.record_number()))?;
    bookmark.set(Handle(record as usize))
}

pub fn go_to_bookmark(table: Handle, bookmark: Handle) -> Result<()> {
    let table = registry::table(table)?;
    let record = u32::try_from(bookmark.0).ok().filter(|record| *record > 0);
    let record = record.ok_or_else(|| Failure::new(AE_INVALID_BOOKMARK, bookmark.0.to_string()))?;
    table.go(None, |area| Ok(area.go_to(record)?))
}

/// The first bytes of a bookmark of the second kind, before the record's number.
const BOOKMARK: &[u8; 4] = b"ACEB";
/// Its length.
const BOOKMARK_LENGTH: usize = 8;

pub fn get_bookmark_60(object: Handle, bookmark: Buffer, length: Out<u32>) -> Result<()> {
    let (table, _) = registry::table_or_order(object)?;
    let record = table.on_record(|state| Ok(state.area.record_number()))?;
    let bytes: Vec<u8> = BOOKMARK.iter().copied().chain(record.to_be_bytes()).collect();
    bookmark.set_bytes(length, &bytes)
}

pub fn bookmark_length(object: Handle, length: Out<u32>) -> Result<()> {
    registry::table_or_order(object)?;
    length.set(u32::try_from(BOOKMARK_LENGTH).unwrap_or(0))
}

pub fn go_to_bookmark_60(object: Handle, bookmark: Text) -> Result<()> {
    let (table, order) = registry::table_or_order(object)?;
    let record = record_of(bookmark)?;
    table.go(order.as_deref(), |area| Ok(area.go_to(record)?))
}

pub fn compare_bookmarks(first: Text, second: Text, result: Out<i32>) -> Result<()> {
    let (first, second) = (record_of(first)?, record_of(second)?);
    result.set(first.cmp(&second) as i32)
}

fn record_of(bookmark: Text) -> Result<u32> {
    let bytes = bookmark.bytes(BOOKMARK_LENGTH)?;
    let record = bytes.strip_prefix(BOOKMARK).and_then(|record| record.try_into().ok()).map(u32::from_be_bytes);
    record.ok_or_else(|| AE_INVALID_BOOKMARK.into())
}
