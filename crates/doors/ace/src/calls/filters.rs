//! Filters, optimized filters, and searching record by record.

use mainstay_workarea::{Customize, Optimized};

use crate::border::*;
use crate::conditions::{self, Written};
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::registry;
use crate::table::is_positioned;

fn filter_by(table: Handle, filter: &Given) -> Result<()> {
    let table = registry::table(table)?;
    table.with(|state| {
        let filter = state.written.note(&table.connection, &*state.area, filter);
        table.check_condition(state, &filter)?;
        Ok(state.area.set_filter(Some(&filter))?)
    })
}

pub fn set_filter(table: Handle, filter: Text) -> Result<()> {
    registry::table(table)?;
    filter_by(table, &Given::Bytes(filter.required()?))
}

/// The newer form: the text may be UTF-16.
pub fn set_filter_100(table: Handle, filter: Pointer, options: u32) -> Result<()> {
    registry::table(table)?;
    filter_by(table, &filter.given(options)?)
}

pub fn get_filter(table: Handle, filter: Buffer, length: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let text = table.with(|state| Ok(state.area.filter().map(|filter| state.written.bytes_of(filter))))?;
    filter.set_text(length, &text.ok_or_else(|| Failure::new(AE_NO_FILTER, ""))?)
}

pub fn clear_filter(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.with(|state| Ok(state.area.set_filter(None)?))
}

fn set(table: Handle, filter: &Given) -> Result<()> {
    let table = registry::table(table)?;
    table.with(|state| {
        let filter = state.written.note(&table.connection, &*state.area, filter);
        table.check_condition(state, &filter)?;
        state.area.set_aof(&filter)?;
        Ok(())
    })
}

pub fn set_aof(table: Handle, filter: Text, _resolve: u16) -> Result<()> {
    registry::table(table)?;
    set(table, &Given::Bytes(filter.required()?))
}

pub fn set_aof_100(table: Handle, filter: Pointer, options: u32) -> Result<()> {
    registry::table(table)?;
    set(table, &filter.given(options)?)
}

pub fn get_aof(table: Handle, filter: Buffer, length: Out<u16>) -> Result<()> {
    filter.set_text(length, &aof_of(table, Written::bytes_of)?)
}

pub fn get_aof_100(table: Handle, options: u32, filter: Pointer, length: Out<u32>) -> Result<()> {
    match options & ADS_ENCODE_UTF16 {
        0 => filter.set_bytes(length, &aof_of(table, Written::bytes_of)?),
        _ => filter.set_encoded(options, length, &aof_of(table, Written::of)?),
    }
}

fn aof_of<T>(table: Handle, wrote: fn(&Written, &str) -> T) -> Result<T> {
    let table = registry::table(table)?;
    let text = table.with(|state| Ok(state.area.aof().map(|filter| wrote(&state.written, filter))))?;
    text.ok_or_else(|| Failure::new(AE_NO_FILTER, "the table has no optimized filter"))
}

pub fn clear_aof(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.with(|state| {
        state.area.clear_aof();
        Ok(())
    })
}

pub fn refresh_aof(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    if let Some(members) = table.live.get() {
        members.forget();
    }
    table.with(|state| Ok(state.area.refresh_aof()?))
}

fn number_of(level: Optimized) -> u16 {
    let number = match level {
        Optimized::Full => ADS_OPTIMIZED_FULL,
        Optimized::Part => ADS_OPTIMIZED_PART,
        Optimized::None => ADS_OPTIMIZED_NONE,
    };
    u16::try_from(number).unwrap_or(0)
}

/// The optimization level of the filter, and the part of it that no index answers.
pub fn level(table: Handle, level: Out<u16>, rest: Buffer, length: Out<u16>) -> Result<()> {
    let (found, text) = level_of(table, Written::bytes_of)?;
    level.set(number_of(found))?;
    if rest.is_null() || length.is_null() {
        return Ok(());
    }
    rest.set_text(length, &text)
}

pub fn level_100(table: Handle, level: Out<u16>, rest: Pointer, length: Out<u32>, options: u32) -> Result<()> {
    let (found, text) = level_of(table, |written, meant| written.of(meant).into_bytes())?;
    let text = String::from_utf8_lossy(&text);
    level.set(number_of(found))?;
    if rest.is_null() || length.is_null() {
        return Ok(());
    }
    rest.set_encoded(options, length, &text)
}

/// By the manual's page of AdsGetAOFOptLevel: of conditions that are joined with AND those that no index answers fully.
fn level_of(table: Handle, wrote: fn(&Written, &str) -> Vec<u8>) -> Result<(Optimized, Vec<u8>)> {
    let table = registry::table(table)?;
    table.with(|state| {
        let level = state.area.aof_level().ok_or_else(|| Failure::new(AE_NO_FILTER, ""))?;
        let text = wrote(&state.written, state.area.aof().unwrap_or_default());
        match level {
            Optimized::Full => return Ok((level, Vec::new())),
            Optimized::None => return Ok((level, text)),
            Optimized::Part => {}
        }
        let mut rest: Vec<&[u8]> = Vec::new();
        for part in conditions::joined_with_and(&text) {
            let part = part.trim_ascii();
            let meant = conditions::meant_in(state, &table.connection, Given::Bytes(part.to_vec()));
            if state.area.aof_level_of(&meant)? != Optimized::Full {
                rest.push(part);
            }
        }
        Ok((level, if rest.is_empty() { text } else { rest.join(&b" .AND. "[..]) }))
    })
}

fn level_for(table: Handle, filter: Given, level: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let found = table.with(|state| {
        let filter = conditions::meant_in(state, &table.connection, filter);
        Ok(state.area.aof_level_of(&filter)?)
    })?;
    level.set(number_of(found))
}

pub fn evaluate(table: Handle, filter: Text, level: Out<u16>) -> Result<()> {
    registry::table(table)?;
    level_for(table, Given::Bytes(filter.required()?), level)
}

pub fn evaluate_100(table: Handle, filter: Pointer, options: u32, level: Out<u16>) -> Result<()> {
    registry::table(table)?;
    level_for(table, filter.given(options)?, level)
}

pub fn customize(table: Handle, count: u32, records: Out<u32>, option: u16) -> Result<()> {
    let table = registry::table(table)?;
    let how = match u32::from(option) {
        ADS_AOF_ADD_RECORD => Customize::Add,
        ADS_AOF_REMOVE_RECORD => Customize::Remove,
        ADS_AOF_TOGGLE_RECORD => Customize::Toggle,
        _ => return Err(Failure::new(AE_INVALID_OPTION, option.to_string())),
    };
    let records = match count {
        0 => vec![table.on_record(|state| Ok(state.area.record_number()))?],
        count if count <= MOST_RECORDS => records.get_all(count as usize)?,
        count => return Err(Failure::new(AE_INVALID_VALUE, format!("{count} records at once"))),
    };
    table.with(|state| match state.area.aof() {
        Some(_) => Ok(state.area.customize_aof(&records, how)?),
        None => Err(Failure::new(AE_NO_FILTER, "the table has no optimized filter")),
    })
}

/// As many as one call may name, so that a wrong count does not read all of memory.
const MOST_RECORDS: u32 = 16 << 20;

pub fn is_in_aof(table: Handle, record: u32, is_in: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let answer = table.with(|state| {
        let record = match record {
            0 if is_positioned(&*state.area) => state.area.record_number(),
            0 => return Err(AE_NO_CURRENT_RECORD.into()),
            record => record,
        };
        if table.live.get().is_some_and(|members| members.are_far) {
            return Ok(state.area.is_record_in_aof(record)?);
        }
        let is_row = table.live.get().is_none_or(|members| members.has(record));
        match state.area.aof() {
            Some(_) => Ok(is_row && state.area.is_record_in_aof(record)?),
            None => Ok(is_row),
        }
    })?;
    is_in.set(answer.into())
}

/// To the next record (or the one before) for which a condition is true, from the first of the table on.
pub fn locate(table: Handle, expression: Text, forward: u16, found: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let given = Given::Bytes(expression.required()?);
    let forward = forward != 0;
    let expression = table.with(|state| {
        let expression = conditions::meant_in(state, &table.connection, given);
        table.check_condition(state, &expression)?;
        state.area.check_expression(&expression)?;
        state.locate = Some((expression.clone(), forward));
        Ok(expression)
    })?;
    table.go(None, |area| match forward {
        true => Ok(area.go_top()?),
        false => Ok(area.go_bottom()?),
    })?;
    search(&table, &expression, forward, found)
}

pub fn locate_next(table: Handle, found: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let condition = table.with(|state| Ok(state.locate.clone()))?;
    let (expression, forward) = condition.ok_or_else(|| Failure::new(AE_INVALID_CONTINUE, ""))?;
    table.skip(None, if forward { 1 } else { -1 })?;
    search(&table, &expression, forward, found)
}

fn search(table: &crate::table::Table, expression: &str, forward: bool, found: Out<u16>) -> Result<()> {
    let step = if forward { 1 } else { -1 };
    let answer = table.go(None, |area| {
        loop {
            if !is_positioned(area) {
                return Ok(false);
            }
            if area.evaluate_logical(expression)? {
                return Ok(true);
            }
            area.skip(step)?;
        }
    })?;
    found.set(answer.into())
}
