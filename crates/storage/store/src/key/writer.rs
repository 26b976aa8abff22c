//! Writing one key, column by column, into a buffer that is used again.
//!
//! ```text
//!   let mut key = encoder.start(&mut buffer);      // clears the buffer
//!   key.push(customer)?;                           // one call a column, in the order of the key
//!   key.push_i64(number)?;
//!   key.finish(row_id);                            // a whole key, for insert, replace, remove and get
//! ```
//!
//! Without `finish` the buffer is a prefix of keys: a bound of a range. A value that the column cannot represent has no
//! key; a lookup may treat that error as "no such row". After an error the buffer is as it was before the column.
//!
//! Limit: bytes with 00 or 01 in them, which text does not have, cost an allocation.

use super::forms::{append_double, append_short, append_whole, escape};
use super::{Form, KeyColumn, KeyEncoder, MAX_KEY_BYTES, ROW_BYTES, Uniqueness};
use mainstay_types::{Code, Decimal, Error, Result, SqlType, ValueRef, typed_bytes};

/// The marker of a NULL.
const NULL: u8 = 0;

/// The marker of a value.
pub(super) const NOT_NULL: u8 = 1;

/// A key that is being written.
pub struct KeyWriter<'a> {
    encoder: &'a KeyEncoder,
    bytes: &'a mut Vec<u8>,
    next: usize,
    has_null: bool,
}

impl<'a> KeyWriter<'a> {
    pub(super) fn new(encoder: &'a KeyEncoder, bytes: &'a mut Vec<u8>) -> KeyWriter<'a> {
        KeyWriter { encoder, bytes, next: 0, has_null: false }
    }

    /// The bytes so far.
    pub fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// Returns true if a column so far is NULL.
    pub fn has_null(&self) -> bool {
        self.has_null
    }

    /// Ends a whole key with what tells equal ones apart, if its index needs that.
    pub fn finish(self, row: u64) {
        let row = match self.encoder.uniqueness {
            Uniqueness::Unique => return,
            Uniqueness::UniqueUnlessNull if !self.has_null => 0,
            Uniqueness::UniqueUnlessNull | Uniqueness::UniqueWhere | Uniqueness::NotUnique => row,
        };
        self.bytes.extend_from_slice(&row.to_be_bytes());
    }

    /// The next column is any value.
    ///
    /// # Errors
    ///
    /// [`Code::TypeMismatch`] if the column does not hold this kind of value, [`Code::InvalidValue`] if it cannot hold
    /// this one exactly or the key would be too long, [`Code::Internal`] if there is no further column.
    #[inline]
    pub fn push(&mut self, value: ValueRef<'_>) -> Result<()> {
        if let (ValueRef::Integer(value), Some(Some(bytes))) = (value, self.encoder.whole.get(self.next))
            && self.bytes.len() + bytes <= MAX_KEY_BYTES - ROW_BYTES
            && append_short(value, *bytes, self.bytes)
        {
            self.next += 1;
            return Ok(());
        }
        self.push_any(value)
    }

    /// The rest of [`KeyWriter::push`].
    fn push_any(&mut self, value: ValueRef<'_>) -> Result<()> {
        let sql_type = self.column()?.sql_type;
        match (value, sql_type) {
            (ValueRef::Null, _) => self.push_null(),
            (ValueRef::Boolean(value), SqlType::Boolean) => self.push_i64(i64::from(value)),
            (ValueRef::Date(date), SqlType::Date) => self.push_i64(i64::from(date.0)),
            (ValueRef::Time(time), SqlType::Time { .. }) => self.push_i64(time.0),
            (ValueRef::Timestamp(moment), SqlType::Timestamp { .. }) => self.push_i64(moment.0),
            (
                ValueRef::TimestampWithOffset { utc, .. } | ValueRef::Timestamp(utc),
                SqlType::TimestampWithOffset { .. },
            ) => self.push_i64(utc.0),
            (ValueRef::Interval(value), SqlType::IntervalYearMonth) => self.push_i64(i64::from(value.months)),
            (ValueRef::Interval(value), SqlType::IntervalDayTime) => self.push_i128(value.day_ticks()),
            (ValueRef::Uuid(uuid), SqlType::Uuid) => self.push_bytes(&uuid),
            (ValueRef::Text(text), SqlType::Char { .. } | SqlType::VarChar { .. }) => self.push_text(text),
            (ValueRef::Binary(bytes), SqlType::Binary { .. } | SqlType::VarBinary { .. }) => self.push_bytes(bytes),
            (ValueRef::Integer(_) | ValueRef::Decimal(_) | ValueRef::Float(_), _) => self.push_number(value),
            _ => Err(mismatch(sql_type)),
        }
    }

    /// The next column is NULL.
    pub fn push_null(&mut self) -> Result<()> {
        self.write(|column, _, out| {
            if !column.nullable {
                return Err(Error::new(Code::InvalidValue, "NULL in a column of a key that cannot be NULL"));
            }
            // Keys of a fixed width keep it.
            let width = column.width().unwrap_or(1);
            bounded(out.len(), width)?;
            *out.last_mut().ok_or_else(no_column)? = NULL;
            out.resize(out.len() + width - 1, 0);
            Ok(())
        })?;
        self.has_null = true;
        Ok(())
    }

    /// The next column is a whole number, or anything kept as one: days, ticks of 100 ns, a decimal at the column's
    /// scale.
    pub fn push_i64(&mut self, value: i64) -> Result<()> {
        self.write(|column, form, out| match form {
            Form::Whole { bytes: 16, .. } => fits(append_whole(i128::from(value), 16, out), column),
            Form::Whole { bytes, .. } => fits(append_short(value, bytes, out), column),
            _ => Err(mismatch(column.sql_type)),
        })
    }

    /// The same in 128 bits.
    pub fn push_i128(&mut self, value: i128) -> Result<()> {
        self.write(|column, form, out| match form {
            Form::Whole { bytes, .. } => fits(append_whole(value, bytes, out), column),
            _ => Err(mismatch(column.sql_type)),
        })
    }

    /// The next column is a double.
    pub fn push_f64(&mut self, value: f64) -> Result<()> {
        self.write(|column, form, out| match form {
            Form::Double => {
                append_double(value, out);
                Ok(())
            }
            _ => Err(mismatch(column.sql_type)),
        })
    }

    /// The next column is bytes, a UUID, or the sort key of a text. Of a sort key, blanks at the end are cut if they
    /// do not count.
    pub fn push_bytes(&mut self, value: &[u8]) -> Result<()> {
        self.write(|column, form, out| {
            let start = out.len();
            match form {
                Form::Fixed { bytes } if value.len() <= bytes => {
                    bounded(start, bytes)?;
                    out.extend_from_slice(value);
                    out.resize(start + bytes, 0);
                }
                Form::Fixed { .. } => return Err(no_room(column)),
                Form::Open { collation } => {
                    bounded(start, value.len())?;
                    out.extend_from_slice(value);
                    end_open(column, collation.is_some(), start, out);
                }
                Form::Typed => {
                    let value = typed_bytes::sort_part(value).unwrap_or(value);
                    bounded(start, value.len())?;
                    out.extend_from_slice(value);
                    escape(start, out);
                }
                _ => return Err(mismatch(column.sql_type)),
            }
            Ok(())
        })
    }

    /// The next column is a text.
    pub fn push_text(&mut self, text: &str) -> Result<()> {
        self.write(|column, form, out| {
            let Form::Open { collation: Some(collation) } = form else { return Err(mismatch(column.sql_type)) };
            let start = out.len();
            // Sort keys are about as long as their texts; what is far too long is not even made into one. Blanks that
            // do not count must not make it so.
            let text = if column.trailing_blanks_count { text } else { text.trim_end_matches(' ') };
            bounded(start, text.len() / 4)?;
            collation.sort_key(text, out);
            end_open(column, true, start, out);
            Ok(())
        })
    }

    /// The next column is a number of any kind.
    fn push_number(&mut self, value: ValueRef<'_>) -> Result<()> {
        let column = *self.column()?;
        match (self.encoder.forms[self.next], value) {
            _ if !is_number(column.sql_type) => Err(mismatch(column.sql_type)),
            (Form::Double, value) => self.push_f64(value.as_f64().ok_or_else(|| mismatch(column.sql_type))?),
            (Form::Whole { scale: 0, .. }, ValueRef::Integer(value)) => self.push_i64(value),
            (Form::Whole { scale, .. }, value) => {
                let decimal = value.as_decimal().ok_or_else(|| mismatch(column.sql_type))?;
                let exact = decimal.rescale(scale).filter(|rescaled: &Decimal| *rescaled == decimal);
                self.push_i128(exact.ok_or_else(|| no_room(&column))?.unscaled)
            }
            _ => Err(mismatch(column.sql_type)),
        }
    }

    fn column(&self) -> Result<&'a KeyColumn> {
        self.encoder.columns.get(self.next).ok_or_else(no_column)
    }

    /// Writes the next column: marker, what `append` appends, and all of it inverted if the column is descending.
    #[inline]
    fn write(&mut self, append: impl FnOnce(&KeyColumn, Form, &mut Vec<u8>) -> Result<()>) -> Result<()> {
        let column = self.column()?;
        let start = self.bytes.len();
        if column.nullable {
            self.bytes.push(NOT_NULL);
        }
        let written = append(column, self.encoder.forms[self.next], self.bytes);
        if let Err(error) = written.and_then(|()| bounded(self.bytes.len(), 0)) {
            self.bytes.truncate(start);
            return Err(error);
        }
        if column.descending {
            self.bytes[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
        self.next += 1;
        Ok(())
    }
}

/// Ends bytes of any number, of which those of a text lose blanks that do not count.
fn end_open(column: &KeyColumn, is_text: bool, start: usize, out: &mut Vec<u8>) {
    if is_text && !column.trailing_blanks_count {
        let blanks = out[start..].iter().rev().take_while(|byte| **byte == b' ').count();
        out.truncate(out.len() - blanks);
    }
    escape(start, out);
}

fn is_number(sql_type: SqlType) -> bool {
    matches!(
        sql_type,
        SqlType::TinyInt
            | SqlType::SmallInt
            | SqlType::Integer
            | SqlType::BigInt
            | SqlType::Decimal { .. }
            | SqlType::Money
            | SqlType::Real
            | SqlType::Double
    )
}

/// Returns true if a key of this length has room for so many more bytes and its row.
fn bounded(length: usize, more: usize) -> Result<()> {
    match length.saturating_add(more) <= MAX_KEY_BYTES - ROW_BYTES {
        true => Ok(()),
        false => Err(Error::new(
            Code::InvalidValue,
            format!("a key of an index has at most {} bytes", MAX_KEY_BYTES - ROW_BYTES),
        )
        .hint("index shorter columns")),
    }
}

fn fits(fits: bool, column: &KeyColumn) -> Result<()> {
    if fits { Ok(()) } else { Err(no_room(column)) }
}

fn no_room(column: &KeyColumn) -> Error {
    Error::new(Code::InvalidValue, format!("a value that a column of type {} cannot hold", column.sql_type))
}

fn mismatch(sql_type: SqlType) -> Error {
    Error::new(Code::TypeMismatch, format!("not a value for a column of type {sql_type}"))
}

fn no_column() -> Error {
    Error::new(Code::Internal, "more values than the key has columns")
}
