//! Keys: values as bytes whose order is the order of the values.
//!
//! An index compares bytes, and is independent of types, collations and directions. All of these are applied once,
//! when a key is made.
//!
//! ```text
//!   key      = column column ... [row]
//!   column   = [marker] value            every byte inverted if the column is descending
//!   marker   = 00 NULL, 01 a value       only in columns that may be NULL; NULL comes first, descending last
//!   row      = 8 bytes, big endian       what tells the entries of equal keys apart: see `Uniqueness`
//!
//!   value    whole numbers, dates, times   big endian at the type's width, sign bit inverted
//!            decimals                      the same at the column's scale: 8 bytes to 18 digits, 16 beyond
//!            doubles                       8 bytes: negative ones inverted, others with the sign bit set
//!            UUIDs, BINARY(n)              as they are, zeros behind
//!            text                          the collation's sort key, trailing blanks cut, as bytes below
//!            bytes                         00 -> 01 01, 01 -> 01 02, then 00 for the end
//!            values with their types       the part of their bytes that they sort by, as bytes
//! ```
//!
//! The end is less than any byte before it can be, so that a text sorts before its continuations and the next column
//! decides only between equal ones. No column's bytes are the start of another value's, so the keys that begin with
//! some values are the range from those bytes to their [`successor`].
//!
//! -0.0 is 0.0, and all NaN are one value, the greatest. REAL columns are widened to doubles, so that comparing one
//! with a double finds what the comparison says.
//!
//! Limits: a key has at most [`MAX_KEY_BYTES`]. With trailing blanks cut, `a` and `a` + TAB sort as texts of
//! different length, not as if blanks followed. Keys cannot be turned back into values.

mod forms;
mod range;
mod writer;

#[cfg(test)]
mod tests;

pub use range::{Ends, KeyRange, successor};
pub use writer::KeyWriter;

use mainstay_types::{Collation, SqlType};

/// Bytes of a key at most, the row included.
pub const MAX_KEY_BYTES: usize = 8192;

/// Bytes of the row at the end of a key.
const ROW_BYTES: usize = 8;

/// True if an index may have entries with equal columns, and so what its keys end with.
///
/// The row is a number that the table gives: its row id, if updates that leave the key alone are to find the entry
/// again and overwrite it in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniqueness {
    /// One entry for the same columns; NULL is a value like others.
    Unique,
    /// One entry for the same columns, unless one of them is NULL: ISO SQL's UNIQUE. The row is 0 if none is.
    UniqueUnlessNull,
    /// One entry for the same columns among the rows that a filter is about, which are given the row 0; where NULL is unlike
    /// NULL, those without one.
    UniqueWhere,
    /// Any number: the row is part of every key.
    NotUnique,
}

/// The encoding of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A signed whole number of 1, 2, 4, 8 or 16 bytes, holding values times ten to the `scale`.
    Whole { bytes: usize, scale: u8 },
    /// A double.
    Double,
    /// Bytes of always the same number.
    Fixed { bytes: usize },
    /// Bytes of any number, escaped and ended; of text, the sort key.
    Open { collation: Option<Collation> },
    /// Bytes that have their type with them, of which a part counts.
    Typed,
}

/// A column of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyColumn {
    /// The type of the column in the table.
    pub sql_type: SqlType,
    /// True if it may be NULL: costs a byte.
    pub nullable: bool,
    /// Greatest first, NULL last.
    pub descending: bool,
    /// True if blanks at the end of texts tell them apart.
    pub trailing_blanks_count: bool,
    /// True if its values have their types with them ([`mainstay_types::typed_bytes`]), so that those of two types can
    /// be equal.
    pub is_typed: bool,
}

impl KeyColumn {
    /// An ascending column, in which trailing blanks do not count.
    pub fn new(sql_type: SqlType, nullable: bool) -> KeyColumn {
        KeyColumn { sql_type, nullable, descending: false, trailing_blanks_count: false, is_typed: false }
    }

    /// The same, descending.
    pub fn descending(self) -> KeyColumn {
        KeyColumn { descending: true, ..self }
    }

    fn form(self) -> Form {
        let whole = |bytes| Form::Whole { bytes, scale: 0 };
        match self.sql_type {
            SqlType::Boolean | SqlType::TinyInt => whole(1),
            SqlType::SmallInt => whole(2),
            SqlType::Integer | SqlType::Date | SqlType::IntervalYearMonth => whole(4),
            SqlType::BigInt | SqlType::Time { .. } => whole(8),
            SqlType::Timestamp { .. } | SqlType::TimestampWithOffset { .. } => whole(8),
            SqlType::Decimal { precision, scale } if precision <= 18 => Form::Whole { bytes: 8, scale },
            SqlType::Decimal { scale, .. } => Form::Whole { bytes: 16, scale },
            SqlType::Money => Form::Whole { bytes: 8, scale: 4 },
            // Days do not bound the ticks to 64 bits.
            SqlType::IntervalDayTime => whole(16),
            SqlType::Real | SqlType::Double => Form::Double,
            SqlType::Char { collation, .. } | SqlType::VarChar { collation, .. } => {
                Form::Open { collation: Some(collation) }
            }
            SqlType::VarBinary { .. } if self.is_typed => Form::Typed,
            SqlType::VarBinary { .. } => Form::Open { collation: None },
            SqlType::Binary { length } => Form::Fixed { bytes: length as usize },
            SqlType::Uuid => Form::Fixed { bytes: 16 },
        }
    }

    /// The bytes of its whole numbers, if there is nothing but them in its part of a key.
    fn plain_whole(self) -> Option<usize> {
        match (self.sql_type, self.form()) {
            (SqlType::Integer | SqlType::BigInt, Form::Whole { bytes, .. }) if !self.nullable && !self.descending => {
                Some(bytes)
            }
            _ => None,
        }
    }

    /// Bytes of every value's encoding, if they are always the same.
    fn width(self) -> Option<usize> {
        let value = match self.form() {
            Form::Whole { bytes, .. } | Form::Fixed { bytes } => bytes,
            Form::Double => 8,
            Form::Open { .. } | Form::Typed => return None,
        };
        Some(usize::from(self.nullable) + value)
    }
}

/// Makes the keys of one index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyEncoder {
    columns: Box<[KeyColumn]>,
    forms: Box<[Form]>,
    /// Of columns that are nothing but a whole number, as most keys are: of how many bytes.
    whole: Box<[Option<usize>]>,
    uniqueness: Uniqueness,
}

impl KeyEncoder {
    /// Keys of these columns, in this order.
    pub fn new(columns: impl Into<Box<[KeyColumn]>>, uniqueness: Uniqueness) -> KeyEncoder {
        let columns = columns.into();
        let forms = columns.iter().map(|column| column.form()).collect();
        let whole = columns.iter().map(|column| column.plain_whole()).collect();
        KeyEncoder { columns, forms, whole, uniqueness }
    }

    /// The columns.
    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// Returns true if entries with equal columns may exist.
    pub fn uniqueness(&self) -> Uniqueness {
        self.uniqueness
    }

    /// Bytes of every whole key (with its row), if they are always the same: what [`crate::index::Index::new`] takes.
    pub fn width(&self) -> Option<usize> {
        let row = if self.uniqueness == Uniqueness::Unique { 0 } else { ROW_BYTES };
        self.columns.iter().try_fold(row, |sum, column| sum.checked_add(column.width()?))
    }

    /// Starts a key in a buffer that is reused: its contents are dropped.
    pub fn start<'a>(&'a self, bytes: &'a mut Vec<u8>) -> KeyWriter<'a> {
        bytes.clear();
        KeyWriter::new(self, bytes)
    }
}
