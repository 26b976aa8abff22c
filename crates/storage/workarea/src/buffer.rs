//! Changes of the current record: kept in the area's copy of it until they are written.
//!
//! Every move, a new record, the release of a lock and the closing of the area write pending changes first
//! ([`Area::write`]), as xBase drivers do; [`Area::cancel`] discards them. In shared use a record must be locked before
//! it is changed: either the program locks it, or ([`AreaOptions::implicit_locks`]) the first change does, and the lock
//! is released when the record is written; so is that of an appended record. A lock that the program requests itself
//! after that is explicit, and stays.
//!
//! [`AreaOptions::implicit_locks`]: crate::AreaOptions::implicit_locks

use crate::area::Area;
use crate::options::Mode;
use crate::value::FieldValue;
use mainstay_types::{Code, Error, Result, ValueRef};
use mainstay_xbase::dbf::{Encoding, Field, FieldKind, blank, encode};

impl Area {
    /// Makes ready to change the current record.
    pub(crate) fn begin_change(&mut self) -> Result<()> {
        if self.row.is_changed {
            return Ok(());
        }
        if self.options().mode == Mode::ReadOnly {
            let message = "the table was opened for reading only";
            return Err(Error::new(Code::ReadOnly, message).at(self.path().display()));
        }
        if !self.is_positioned() {
            return Err(Error::new(Code::InvalidValue, "there is no record at the end of the table to be changed"));
        }
        if !self.row.is_new && !self.is_locked(self.recno) {
            self.lock_for_change()?;
        }
        self.load()?;
        self.row.before.clear();
        self.row.before.extend_from_slice(&self.row.bytes);
        self.row.is_changed = true;
        Ok(())
    }

    /// Returns true if there are changes that are not written.
    pub fn has_pending(&self) -> bool {
        self.row.is_changed || self.row.is_new
    }

    /// Forgets the changes of the current record since it was last written. A record that was appended, and neither written
    /// nor left since, has its number for good: it stays blank, and is marked as deleted.
    ///
    /// Errors: those of writing that; the record is then still one to be cancelled.
    pub fn cancel(&mut self) -> Result<()> {
        if self.row.is_changed {
            self.row.bytes.clear();
            self.row.bytes.extend_from_slice(&self.row.before);
            self.row.is_changed = false;
            self.row.memos.clear();
        }
        match self.rules.clone() {
            Some(rules) => rules.cancelled(self)?,
            None => self.cancel_appended()?,
        }
        self.give_back_implicit_lock()
    }

    /// Marks the current record as deleted, if it was appended and was neither written nor left since: the part of
    /// [`Area::cancel`] that rules take over, for rules that have none of their own.
    ///
    /// Errors: those of writing that.
    pub fn cancel_appended(&mut self) -> Result<()> {
        if !self.row.is_appended {
            return Ok(());
        }
        let was_new = self.row.is_new;
        let written = self.delete().and_then(|()| self.write());
        if written.is_err() && was_new {
            // A blank record that the table does not take was not made yet, and need not be.
            let before = self.recno.saturating_sub(1);
            self.forget_pending();
            self.blocks.set_count(before);
            self.arrive(None);
            return Ok(());
        }
        written
    }

    fn encoding(&self) -> Encoding {
        Encoding { code_page: self.code_page(), replacement: Some(b'?'), cut_long_text: true }
    }

    /// Gives a field a value. A text that is too long is cut, as in xBase; a number that does not fit is an error.
    ///
    /// Errors: `ReadOnly`; `Busy` when the record is another's, and `Conflict` when it is not locked; `InvalidValue` and
    /// `TypeMismatch` as [`encode`] has them. Then the field is as it was.
    pub fn set(&mut self, field: usize, value: &FieldValue) -> Result<()> {
        let kind = self.field(field)?.kind;
        match value {
            FieldValue::Text(bytes) | FieldValue::Bytes(bytes) => self.set_bytes(field, bytes),
            FieldValue::Number(number) => self.set_number(field, *number),
            FieldValue::Date(0) | FieldValue::Timestamp { day: 0, .. } => self.set_blank(field),
            FieldValue::Null => match self.field(field)?.null_bit {
                None => self.set_blank(field),
                Some(bit) if kind.needs_memo() => self.set_memo_null(field, bit),
                Some(_) => self.put(field, ValueRef::Null),
            },
            other => self.put(field, other.to_value(|_| String::new()).as_ref()),
        }
    }

    fn put(&mut self, field: usize, value: ValueRef<'_>) -> Result<()> {
        self.begin_change()?;
        let how = self.encoding();
        match self.dbf.fields().get(field) {
            Some(field) => encode(field, value, &how, &mut self.row.bytes),
            None => self.field(field).map(drop),
        }
    }

    /// Gives a field the bytes of a text. A number, a date, a logical field takes what the text says.
    pub fn set_bytes(&mut self, field: usize, bytes: &[u8]) -> Result<()> {
        let kind = self.field(field)?.kind;
        match kind {
            FieldKind::Memo | FieldKind::MemoBinary | FieldKind::MemoWide | FieldKind::Any => {
                self.set_memo(field, bytes)
            }
            FieldKind::Character if self.set_cell(field, bytes)? => Ok(()),
            FieldKind::Character
            | FieldKind::CharacterBinary
            | FieldKind::Varchar
            | FieldKind::VarcharUnconverted
            | FieldKind::Varbinary => self.put(field, ValueRef::Binary(bytes)),
            FieldKind::CharacterWide | FieldKind::VarcharWide => {
                let text = self.decode_text(bytes);
                self.put(field, ValueRef::Text(&text))
            }
            FieldKind::Guid if !bytes.trim_ascii().is_empty() => {
                let text = self.decode_text(bytes);
                self.put(field, ValueRef::Text(text.trim()))
            }
            FieldKind::Unknown | FieldKind::NullFlags => self.put(field, ValueRef::Binary(bytes)),
            _ if bytes.trim_ascii().is_empty() => self.set_blank(field),
            FieldKind::Logical => {
                let value = matches!(bytes.trim_ascii().first(), Some(b'T' | b't' | b'Y' | b'y' | b'1'));
                self.put(field, ValueRef::Boolean(value))
            }
            FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked => {
                match crate::field::parse_day(bytes.trim_ascii()) {
                    Some(day) => self.set(field, &FieldValue::Date(day)),
                    None => Err(self.unusable(field, bytes)),
                }
            }
            FieldKind::Timestamp | FieldKind::ModificationTime => match crate::field::parse_timestamp(bytes) {
                Some((day, ms)) => self.set(field, &FieldValue::Timestamp { day, ms }),
                None => Err(self.unusable(field, bytes)),
            },
            _ => match std::str::from_utf8(bytes.trim_ascii()).ok().and_then(|digits| digits.parse().ok()) {
                Some(number) => self.put(field, ValueRef::Decimal(number)),
                None => match std::str::from_utf8(bytes.trim_ascii()).ok().and_then(|digits| digits.parse().ok()) {
                    Some(number) => self.set_number(field, number),
                    None => Err(self.unusable(field, bytes)),
                },
            },
        }
    }

    fn unusable(&self, field: usize, bytes: &[u8]) -> Error {
        let name = self.fields().get(field).map_or("", |field| field.name.as_str());
        Error::new(Code::InvalidValue, format!("'{}' is no value of field {name}", bytes.escape_ascii()))
    }

    /// Puts a text into a plain text field; false for one that has flags beside it.
    fn set_cell(&mut self, field: usize, bytes: &[u8]) -> Result<bool> {
        self.begin_change()?;
        let Some(Field { offset, length, null_bit: None, .. }) = self.dbf.fields().get(field) else { return Ok(false) };
        let Some(cell) = self.row.bytes.get_mut(*offset..offset + length) else { return Ok(false) };
        let kept = bytes.len().min(cell.len());
        cell[..kept].copy_from_slice(&bytes[..kept]);
        cell[kept..].fill(b' ');
        Ok(true)
    }

    /// Gives a field a number; a logical field is true unless it is 0, a date is the Julian day.
    pub fn set_number(&mut self, field: usize, number: f64) -> Result<()> {
        let described = self.field(field)?;
        let (kind, decimals) = (described.kind, described.decimals);
        match kind {
            FieldKind::Numeric => {
                if self.set_digits(field, number, decimals)? {
                    return Ok(());
                }
                self.put(field, ValueRef::Float(number))
            }
            FieldKind::Logical => self.put(field, ValueRef::Boolean(number != 0.0)),
            FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked => {
                self.set(field, &FieldValue::Date(number as i32))
            }
            FieldKind::Character | FieldKind::Varchar | FieldKind::VarcharUnconverted => {
                let text = number.to_string();
                self.set_bytes(field, text.as_bytes())
            }
            _ => self.put(field, ValueRef::Float(number)),
        }
    }

    /// Prints a number that has no more decimals than its field; false for any other, which the encoder rounds.
    fn set_digits(&mut self, field: usize, number: f64, decimals: u8) -> Result<bool> {
        self.begin_change()?;
        let Some(scale) = crate::field::SCALES.get(usize::from(decimals)) else { return Ok(false) };
        // The nearest whole number, by cutting off: where that is another one than rounding gives, it is not this number.
        let scaled = number * scale;
        if scaled.is_nan() || scaled.abs() >= 9e14 {
            return Ok(false);
        }
        let scaled = (scaled + 0.5_f64.copysign(scaled)) as i64;
        if scaled as f64 / scale != number {
            return Ok(false);
        }
        let Some(Field { offset, length, null_bit: None, letter: b'N', .. }) = self.dbf.fields().get(field) else {
            return Ok(false);
        };
        let Some(cell) = self.row.bytes.get_mut(*offset..offset + length) else { return Ok(false) };
        Ok(print_digits(cell, scaled, decimals.into()))
    }

    /// Gives a field a whole number.
    pub fn set_integer(&mut self, field: usize, number: i64) -> Result<()> {
        match self.field(field)?.kind {
            FieldKind::Logical | FieldKind::Character | FieldKind::Varchar | FieldKind::VarcharUnconverted => {
                self.set_number(field, number as f64)
            }
            FieldKind::Numeric if number.abs() < 1 << 50 => self.set_number(field, number as f64),
            _ => self.put(field, ValueRef::Integer(number)),
        }
    }

    /// Gives a field a logical value.
    pub fn set_logical(&mut self, field: usize, value: bool) -> Result<()> {
        match self.field(field)?.kind {
            FieldKind::Logical => self.put(field, ValueRef::Boolean(value)),
            FieldKind::Character => self.set_bytes(field, if value { b"T" } else { b"F" }),
            _ => self.set_number(field, f64::from(u8::from(value))),
        }
    }

    /// Gives a field a Julian day, 0 for none.
    pub fn set_julian(&mut self, field: usize, day: i32) -> Result<()> {
        match self.field(field)?.kind {
            FieldKind::Timestamp | FieldKind::ModificationTime => {
                self.set(field, &FieldValue::Timestamp { day, ms: 0 })
            }
            FieldKind::Character if day == 0 => self.set_blank(field),
            FieldKind::Character => self.set_bytes(field, crate::field::day_text(day).as_bytes()),
            _ => self.set(field, &FieldValue::Date(day)),
        }
    }

    /// Takes the value of a field away: blanks, 0 or NULL, as its type has it.
    pub fn set_blank(&mut self, field: usize) -> Result<()> {
        self.begin_change()?;
        if self.field(field)?.kind.needs_memo() {
            return self.set_memo(field, b"");
        }
        if let Some(field) = self.dbf.fields().get(field) {
            blank(field, &mut self.row.bytes);
        }
        Ok(())
    }

    /// Makes a field NULL, or blank where it cannot be NULL.
    pub fn set_null(&mut self, field: usize) -> Result<()> {
        self.set(field, &FieldValue::Null)
    }

    /// Gives a memo field a value, which is stored when the record is written.
    pub fn set_memo(&mut self, field: usize, bytes: &[u8]) -> Result<()> {
        self.begin_change()?;
        if let Some(bit) = self.field(field)?.null_bit {
            put_bit(&mut self.row.bytes, bit, false);
        }
        self.row.memos.retain(|(other, _)| *other != field);
        self.row.memos.push((field, bytes.to_vec()));
        Ok(())
    }

    /// Removes the value of a memo field, and its reference in the record.
    fn set_memo_null(&mut self, field: usize, bit: usize) -> Result<()> {
        self.set_memo(field, b"")?;
        put_bit(&mut self.row.bytes, bit, true);
        if has_bit(&self.row.before, bit) {
            // It has none to be taken away.
            self.row.memos.retain(|(other, _)| *other != field);
        }
        Ok(())
    }

    /// Marks the record as deleted.
    pub fn delete(&mut self) -> Result<()> {
        self.set_deleted(true)
    }

    /// Takes the mark of deletion away.
    pub fn recall(&mut self) -> Result<()> {
        self.set_deleted(false)
    }

    fn set_deleted(&mut self, deleted: bool) -> Result<()> {
        if !self.is_positioned() {
            return Ok(());
        }
        self.begin_change()?;
        self.layout().set_deleted(&mut self.row.bytes, deleted);
        Ok(())
    }
}

/// Returns true if a bit of a record's `_NullFlags` is set.
pub(crate) fn has_bit(record: &[u8], bit: usize) -> bool {
    record.get(bit / 8).is_some_and(|byte| byte & 1 << (bit % 8) != 0)
}

fn put_bit(record: &mut [u8], bit: usize, is_set: bool) {
    if let Some(byte) = record.get_mut(bit / 8) {
        *byte = *byte & !(1 << (bit % 8)) | u8::from(is_set) << (bit % 8);
    }
}

/// Prints a number right-aligned with so many decimals; false, and nothing done, if there is no room.
fn print_digits(cell: &mut [u8], scaled: i64, decimals: usize) -> bool {
    let mut rest = scaled.unsigned_abs();
    let digits = rest.checked_ilog10().map_or(1, |log| log as usize + 1).max(decimals + 1);
    if digits + usize::from(decimals > 0) + usize::from(scaled < 0) > cell.len() {
        return false;
    }
    let mut places = cell.iter_mut().rev();
    let mut put = |byte| {
        if let Some(place) = places.next() {
            *place = byte;
        }
    };
    for printed in 0..digits {
        if printed == decimals && decimals > 0 {
            put(b'.');
        }
        put(b'0' + (rest % 10) as u8);
        rest /= 10;
    }
    if scaled < 0 {
        put(b'-');
    }
    places.for_each(|place| *place = b' ');
    true
}

#[cfg(test)]
mod tests {
    use super::print_digits;

    #[test]
    fn digits_are_printed_as_programs_do() {
        let print = |scaled, decimals| {
            let mut cell = [b'x'; 8];
            print_digits(&mut cell, scaled, decimals).then(|| String::from_utf8(cell.to_vec()).unwrap())
        };
        assert_eq!(print(0, 2).unwrap(), "    0.00");
        assert_eq!(print(-5, 2).unwrap(), "   -0.05");
        assert_eq!(print(1234, 0).unwrap(), "    1234");
        assert_eq!((print(-12_345, 2).unwrap(), print(-1_234_567, 2)), (" -123.45".to_owned(), None));
        assert_eq!(print(12_345_678, 0).unwrap(), "12345678");
        assert_eq!(print(123_456_789, 0), None);
        assert_eq!((print(0, 0).unwrap(), print(7, 6).unwrap()), ("       0".to_owned(), "0.000007".to_owned()));
        assert_eq!((print(-7, 6), print(i64::MIN, 0)), (None, None));
    }
}
