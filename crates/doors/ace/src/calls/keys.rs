//! Keys of an order: seeking them, counting them, and the ends of a scope.

use mainstay_workarea::{SeekHow, SeekKey, Side, ValueKind};

use crate::border::*;
use crate::calls::moves::counting;
use crate::constants::*;
use crate::dates;
use crate::failure::{Failure, Result};
use crate::order::Order;
use crate::registry;
use crate::settings;
use crate::table::is_positioned;

/// A key as a program gives it: bytes of a key, a text, or a double; of the given length.
fn key_of(order: &Order, kept: ValueKind, key: Text, length: u16, kind: u16) -> Result<SeekKey> {
    match u32::from(kind) {
        ADS_RAWKEY => Ok(SeekKey::Raw(key.bytes(length.into())?)),
        ADS_STRINGKEY => {
            let text = match u32::from(length) {
                ADS_NTS => key.required()?,
                _ => key.bytes(length.into())?,
            };
            text_key(order, kept, text)
        }
        ADS_DOUBLEKEY => {
            let number = key.double()?;
            Ok(number_key(kept, number))
        }
        _ => Err(Failure::new(AE_INVALID_OPTION, format!("{kind} is no kind of key"))),
    }
}

/// A text as a key of the order's type.
fn text_key(order: &Order, kept: ValueKind, text: Vec<u8>) -> Result<SeekKey> {
    let refused = |text: &[u8]| Failure::new(AE_INVALID_VALUE, String::from_utf8_lossy(text).into_owned());
    match kept {
        ValueKind::Logical => match text.first() {
            Some(b'1' | b'T' | b't' | b'Y' | b'y') => Ok(SeekKey::Logical(true)),
            Some(b'0' | b'F' | b'f' | b'N' | b'n') => Ok(SeekKey::Logical(false)),
            _ => Err(refused(&text)),
        },
        ValueKind::Date => {
            let epoch = settings::read(|settings| settings.epoch);
            let by_mask = || dates::read(&String::from_utf8_lossy(&text), &order.table.connection.date_format(), epoch);
            let day = dates::read_stored(&text).filter(|_| text.len() == 8).or_else(by_mask);
            day.map(SeekKey::Date).ok_or_else(|| refused(&text))
        }
        ValueKind::Number => {
            let number = std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
            number.map(SeekKey::Number).ok_or_else(|| refused(&text))
        }
        _ => Ok(SeekKey::Text(text)),
    }
}

/// A double as a key of the order's type: a day and its part for timestamps.
fn number_key(kept: ValueKind, number: f64) -> SeekKey {
    match kept {
        ValueKind::Timestamp => {
            let day = number.floor();
            let ms = ((number - day) * 86_400_000.0).round();
            SeekKey::Timestamp { day: day as i32, ms: ms as i32 }
        }
        ValueKind::Date => SeekKey::Date(number as i32),
        ValueKind::Logical => SeekKey::Logical(number != 0.0),
        _ => SeekKey::Number(number),
    }
}

fn seek_as(index: Handle, key: Text, length: u16, kind: u16, how: SeekHow, found: Out<u16>) -> Result<()> {
    let answer = registry::on_order(index, |order| {
        let key = key_of(order, order.key_kind()?, key, length, kind)?;
        order.table.go(Some(order), |area| Ok(area.seek(&key, how)?))
    })?;
    found.set(answer.into())
}

pub fn seek(index: Handle, key: Text, length: u16, kind: u16, how: u16, found: Out<u16>) -> Result<()> {
    let how = match u32::from(how) {
        ADS_SOFTSEEK => SeekHow { soft: true, ..SeekHow::default() },
        ADS_HARDSEEK => SeekHow::default(),
        ADS_SEEKGT => SeekHow { after: true, ..SeekHow::default() },
        _ => return Err(Failure::new(AE_INVALID_OPTION, format!("{how} is no kind of seek"))),
    };
    seek_as(index, key, length, kind, how, found)
}

pub fn seek_last(index: Handle, key: Text, length: u16, kind: u16, found: Out<u16>) -> Result<()> {
    seek_as(index, key, length, kind, SeekHow { last: true, ..SeekHow::default() }, found)
}

/// Sets the result to 1 if the key exists, else to 0. The position does not change. The interface ignores scopes and
/// filters here; a call under a scope or filter is refused.
pub fn look_up(index: Handle, key: Text, length: u16, kind: u16, found: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    let key = key_of(&order, order.key_kind()?, key, length, kind)?;
    let hides_deleted = settings::read(|settings| !settings.show_deleted);
    let record = order.with(|state, _| {
        let area = &mut state.area;
        let is_scoped = area.scope(Side::Top).is_some() || area.scope(Side::Bottom).is_some();
        match is_scoped || hides_deleted || area.filter().is_some() || area.aof().is_some() {
            true => Err(Failure::new(AE_NOT_IMPLEMENTED, "a look up of a key that a scope or a filter may hide")),
            false => Ok(area.look_up(order.id, &key)?),
        }
    })?;
    found.set(record.is_some().into())
}

fn side(option: u16) -> Result<Side> {
    match u32::from(option) {
        ADS_TOP => Ok(Side::Top),
        ADS_BOTTOM => Ok(Side::Bottom),
        _ => Err(Failure::new(AE_INVALID_OPTION, format!("{option} is no end of a scope"))),
    }
}

pub fn set_scope(index: Handle, option: u16, key: Text, length: u16, kind: u16) -> Result<()> {
    let order = registry::order(index)?;
    let side = side(option)?;
    let key = key_of(&order, order.key_kind()?, key, length, kind)?;
    order.with(|state, _| Ok(state.area.set_scope(side, &key)?))
}

pub fn get_scope(index: Handle, option: u16, scope: Buffer, length: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    let side = side(option)?;
    let bytes = order.with(|state, _| Ok(state.area.scope(side)))?;
    scope.set_bytes(length, &bytes.ok_or_else(|| Failure::new(AE_NO_SCOPE, ""))?)
}

pub fn clear_scope(index: Handle, option: u16) -> Result<()> {
    let order = registry::order(index)?;
    let side = side(option)?;
    order.with(|state, _| Ok(state.area.clear_scope(side)?))
}

pub fn clear_scopes(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.with(|state| {
        let ids: Vec<_> = state.orders.iter().map(|(id, _)| *id).collect();
        for id in ids {
            state.area.set_order(Some(id))?;
            state.area.clear_scope(Side::Top)?;
            state.area.clear_scope(Side::Bottom)?;
        }
        Ok(())
    })
}

pub fn count(index: Handle, option: u16, count: Out<u32>) -> Result<()> {
    let order = registry::order(index)?;
    let counting = counting(option)?;
    let keys = order.with(|state, _| Ok(state.area.key_count(counting)?))?;
    count.set(u32::try_from(keys).unwrap_or(u32::MAX))
}

/// The place of the current record's key, from 1; 0 where it has none.
pub fn number(index: Handle, option: u16, number: Out<u32>) -> Result<()> {
    let order = registry::order(index)?;
    let counting = counting(option)?;
    let place = order.with(|state, _| match is_positioned(&*state.area) {
        true => Ok(state.area.key_number(counting)?.unwrap_or(0)),
        false => Ok(0),
    })?;
    number.set(u32::try_from(place).unwrap_or(u32::MAX))
}

/// The bytes of the current record's key.
pub fn extract(index: Handle, key: Buffer, length: Out<u16>) -> Result<()> {
    let order = registry::order(index)?;
    let expression = order.info()?.key;
    order.table.with(|state| order.table.check_value(state, &expression))?;
    let bytes = order.with(|state, _| match is_positioned(&*state.area) {
        true => Ok(state.area.key()?.unwrap_or_default()),
        false => Err(AE_NO_CURRENT_RECORD.into()),
    })?;
    key.set_bytes(length, &bytes)
}

pub fn get_position(index: Handle, position: Out<f64>) -> Result<()> {
    let order = registry::order(index)?;
    let found = order.with(|state, _| match is_positioned(&*state.area) {
        true => Ok(state.area.relative_position()?),
        false => Err(AE_NO_CURRENT_RECORD.into()),
    })?;
    position.set(found)
}

pub fn set_position(index: Handle, position: f64) -> Result<()> {
    let order = registry::order(index)?;
    if !(0.0..=1.0).contains(&position) {
        return Err(Failure::new(AE_INVALID_VALUE, position.to_string()));
    }
    order.table.go(Some(&order), |area| Ok(area.set_relative_position(position)?))
}
