//! Seeks: the first or last record with a key, in the current order.

use crate::area::{Area, no_such_order};
use crate::options::SeekHow;
use crate::order::{Order, OrderId};
use crate::value::SeekKey;
use mainstay_types::{Code, Date, Decimal, Error, Result, Timestamp};
use mainstay_xbase::index::{BagKind, EncodedKey, KeyFamily, KeyValue, Place, Tag};
use std::borrow::Cow;

/// Where a key is to be sought.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sought {
    /// At keys that begin with these bytes.
    Key(Vec<u8>),
    /// Behind this key: no key has the value.
    After(Vec<u8>),
    /// Before all keys.
    Below,
    /// Behind all keys.
    Above,
}

impl Area {
    /// Seeks a key in the current order, goes to its record, and says whether there is one that scope and filter show.
    ///
    /// Text may be the beginning of keys. Where nothing is found the area is at EOF, or with `soft` at the next record
    /// (with `last`, at the one before the place where the key would be). A key before the scope counts, for a soft
    /// seek, as its beginning.
    ///
    /// Errors: `InvalidValue` without an order; `TypeMismatch` if the key cannot be one of the order's.
    pub fn seek(&mut self, key: &SeekKey, how: SeekHow) -> Result<bool> {
        let order = self.current.and_then(|at| self.orders.get(at));
        let Some(order) = order else {
            return Err(Error::new(Code::InvalidValue, "a seek needs an order, and none is set"));
        };
        let sought = sought(order, key)?;
        self.seek_bytes(&sought, how)
    }

    fn seek_bytes(&mut self, sought: &Sought, how: SeekHow) -> Result<bool> {
        self.leave()?;
        self.look()?;
        let (matched, record) = self.in_order_anew(|area, at| find(&mut area.orders[at], sought, how))?;
        let forward = !how.last || how.after;
        let shown = match record {
            // A backward search that finds no shown record goes to the top, as any move back does.
            Some(_) => match self.shown_in_order(record, forward)? {
                None if !forward => self.first()?,
                shown => shown,
            },
            None => None,
        };
        let found = match shown {
            // Whatever is shown behind the keys that are passed over is behind them, too.
            Some(recno) if matched && (how.after || shown == record) => self.exists(recno),
            Some(recno) if matched => self.exists(recno) && self.begins_with(sought)?,
            _ => false,
        };
        self.arrive(shown.filter(|_| found || how.soft || how.after));
        self.bof = false;
        self.found = found && !self.eof;
        Ok(self.found)
    }

    fn exists(&self, recno: u32) -> bool {
        recno <= self.blocks.count()
    }

    /// Returns true if the key at the order's place begins with what was sought.
    fn begins_with(&mut self, sought: &Sought) -> Result<bool> {
        let (Some(at), Sought::Key(key)) = (self.current, sought) else { return Ok(false) };
        self.orders.get_mut(at).map_or(Ok(false), |order| order.begins_with(key))
    }

    /// The bytes that a key has in an order, as scopes and [`SeekKey::Raw`] take them: the beginning of keys.
    pub fn encode_key(&self, id: OrderId, key: &SeekKey) -> Result<Vec<u8>> {
        let order = self.place_of(id).and_then(|at| self.orders.get(at)).ok_or_else(|| no_such_order(id))?;
        match sought(order, key)? {
            Sought::Key(key) | Sought::After(key) => Ok(key),
            Sought::Below => Ok(vec![0; order.header().key_length]),
            Sought::Above => Ok(vec![0xFF; order.header().key_length]),
        }
    }
}

/// Puts the order's place where the key is: whether there is one, and the record if it lies in the scope.
fn find(order: &mut Order, sought: &Sought, how: SeekHow) -> Result<(bool, Option<u32>)> {
    let is_descending = order.is_descending();
    let tag = &order.tag;
    let place = &mut order.place;
    let (matched, record) = match sought {
        Sought::Key(key) if how.after => {
            let next = behind(place, tag, key)?;
            (next.is_some(), next)
        }
        Sought::Key(key) => {
            let seek = place.seek(tag, key, true, how.last)?;
            (seek.found, seek.record)
        }
        Sought::After(key) => (
            false,
            match (is_descending, how.last) {
                (false, false) => behind(place, tag, key)?,
                (false, true) => place.seek(tag, key, true, true)?.record,
                (true, false) => place.seek(tag, key, true, false)?.record,
                (true, true) => {
                    place.seek(tag, key, true, false)?;
                    place.prev(tag)?
                }
            },
        ),
        Sought::Below if how.last => (false, None),
        Sought::Below => (false, place.first(tag)?),
        Sought::Above if how.last => (false, place.last(tag)?),
        Sought::Above => (false, None),
    };
    let matched = matched || how.after && record.is_some();
    order.at = None;
    if !matched && !how.soft && !how.after || record.is_none() {
        return Ok((false, None));
    }
    if !order.has_scope() {
        order.at = record;
        return Ok((matched, record));
    }
    let key = order.place.key(&order.tag)?.map(<[u8]>::to_vec).unwrap_or_default();
    if !order.is_above_bottom(&key) {
        return Ok((false, None));
    }
    if !order.is_below_top(&key) {
        let first = order.first()?;
        if how.after {
            // The next record after the key is the first of the scope.
            return Ok((first.is_some(), first));
        }
        let matched = matched && matches!(sought, Sought::Key(wanted) if order.begins_with(wanted)?);
        return Ok((matched, first.filter(|_| matched || how.soft)));
    }
    order.at = record;
    Ok((matched, record))
}

/// The first record behind all whose keys begin with this one.
fn behind(place: &mut Place, tag: &Tag, key: &[u8]) -> Result<Option<u32>> {
    match place.seek(tag, key, true, true)?.record {
        Some(_) => place.next(tag),
        None => place.first(tag),
    }
}

/// A key in the bytes of an order.
pub(crate) fn sought(order: &Order, key: &SeekKey) -> Result<Sought> {
    let key_type = order.tag().key_type();
    let family = key_type.family();
    let value = match (family, key) {
        (_, SeekKey::Raw(bytes)) => return Ok(Sought::Key(cut(bytes.clone(), key_type.key_len()))),
        (KeyFamily::Character, SeekKey::Text(text)) => {
            let upper = order.header().ignore_case;
            let text = if upper { Cow::Owned(text.to_ascii_uppercase()) } else { order.keys.fold(text) };
            return Ok(Sought::Key(key_type.encode_prefix(&text)));
        }
        (KeyFamily::Number | KeyFamily::Currency, SeekKey::Number(number)) => number_value(order, *number),
        (KeyFamily::Number | KeyFamily::Currency, SeekKey::Text(text)) => number_value(order, parse(text)?),
        (KeyFamily::Number | KeyFamily::Currency, SeekKey::Logical(value)) => number_value(order, f64::from(*value)),
        (KeyFamily::Date, SeekKey::Date(day) | SeekKey::Timestamp { day, .. }) => day_value(*day),
        (KeyFamily::Date, SeekKey::Number(day)) => day_value(*day as i32),
        (KeyFamily::Date, SeekKey::Text(text)) => day_value(parse_day(text)?),
        (KeyFamily::Timestamp, SeekKey::Timestamp { day, ms }) => moment_value(*day, *ms),
        (KeyFamily::Timestamp, SeekKey::Date(day)) => moment_value(*day, 0),
        (KeyFamily::Timestamp, SeekKey::Number(number)) => {
            moment_value(number.floor() as i32, ((number - number.floor()) * 86_400_000.0).round() as i32)
        }
        (KeyFamily::Timestamp, SeekKey::Text(text)) => {
            let (day, ms) = crate::field::parse_timestamp(text).ok_or_else(|| no_key(order, key))?;
            moment_value(day, ms)
        }
        (KeyFamily::Logical, SeekKey::Logical(value)) => KeyValue::Logical(*value),
        (KeyFamily::Logical, SeekKey::Number(number)) => KeyValue::Logical(*number != 0.0),
        (KeyFamily::Logical, SeekKey::Text(text)) => {
            KeyValue::Logical(matches!(text.trim_ascii().first(), Some(b'T' | b't' | b'Y' | b'y' | b'1')))
        }
        _ => return Err(no_key(order, key)),
    };
    Ok(match key_type.encode(&value) {
        Some(EncodedKey::Exact(key) | EncodedKey::Shared(key)) => Sought::Key(key),
        Some(EncodedKey::After(key)) => Sought::After(key),
        Some(side @ (EncodedKey::BelowAll | EncodedKey::AboveAll)) => {
            let below = (side == EncodedKey::BelowAll) != order.is_descending();
            if below { Sought::Below } else { Sought::Above }
        }
        None => return Err(no_key(order, key)),
    })
}

fn cut(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.truncate(length);
    bytes
}

#[cold]
fn no_key(order: &Order, key: &SeekKey) -> Error {
    let header = order.header();
    let message =
        format!("{key:?} is no key of tag {}, whose keys are {:?}", header.name, order.tag().key_type().family());
    Error::new(Code::TypeMismatch, message)
}

/// A number as the order keeps it: an NTX keeps digits, and programs that seek in one round to them.
fn number_value(order: &Order, number: f64) -> KeyValue<'static> {
    let header = order.header();
    if matches!(header.kind, BagKind::Ntx | BagKind::CompoundNtx) {
        let scaled = (number * 10f64.powi(i32::from(header.decimals))).round();
        if scaled.abs() < 1e18 {
            return KeyValue::Decimal(Decimal::new(scaled as i128, header.decimals));
        }
    }
    KeyValue::Float(number)
}

fn day_value(day: i32) -> KeyValue<'static> {
    if day <= 0 { KeyValue::BlankDate } else { KeyValue::Date(Date::from_julian(day)) }
}

fn moment_value(day: i32, ms: i32) -> KeyValue<'static> {
    if day <= 0 && ms == 0 {
        return KeyValue::BlankDate;
    }
    KeyValue::Timestamp(Timestamp::new(Date::from_julian(day), u32::try_from(ms).unwrap_or(0)))
}

fn parse(text: &[u8]) -> Result<f64> {
    let digits = std::str::from_utf8(text.trim_ascii()).unwrap_or_default();
    if digits.is_empty() {
        return Ok(0.0);
    }
    digits.parse().map_err(|_| Error::new(Code::TypeMismatch, format!("'{digits}' is no number")))
}

fn parse_day(text: &[u8]) -> Result<i32> {
    let text = text.trim_ascii();
    if text.is_empty() {
        return Ok(0);
    }
    crate::field::parse_day(text)
        .ok_or_else(|| Error::new(Code::TypeMismatch, format!("'{}' is no day", text.escape_ascii())))
}
