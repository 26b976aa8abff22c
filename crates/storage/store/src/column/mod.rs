//! The columns of a run of rows.
//!
//! A column is a `Vector` of its physical type, and one of NULL marks from its first NULL on. Its writer is a
//! `ColumnAppender`, its readers share a [`Column`]: single values, typed slices, or a vector of Arrow's that shares the
//! memory.
//!
//! ```text
//!   ColumnAppender (under the table's write latch)      Column (shared)
//!     push(value)  ------- values, nulls ------------->   value(offset) -> ValueRef
//!     extend(array)                                       array(length) -> ArrayRef
//! ```
//!
//! A column of a checkpoint's file may be encoded (module `encoded`).
//!
//! Values and views go to Arrow without copying; NULL marks and booleans are bytes here and bits there, so they are packed
//! for each vector handed out. For a full column that is done once. Where the NULL of a value lies there is some value of the
//! type (zero), so that slices have a place for every row.
//!
//! The number of rows is not kept in this module: the group publishes its length after all of its columns.

mod array;
mod bulk;
pub(crate) mod encoded;
pub(crate) mod encoding;
mod gather;
pub mod layout;
pub(crate) mod mapped;
pub(crate) mod packed;
pub(crate) mod text;
pub(crate) mod vector;

pub(crate) use bulk::check as check_array;
pub(crate) use gather::{Cell, gather};

use arrow_array::ArrayRef;
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{DataType, IntervalUnit};
use encoded::Encoded;
use layout::{canonical, is_kept_as_is};
use mainstay_types::{Date, Decimal, Interval, Result, SqlType, Time, Timestamp, ValueRef};
use std::sync::{Arc, OnceLock};
use text::{ViewAppender, Views};
use vector::{Appender, Vector};

/// Nanoseconds in a tick of `Time`, `Timestamp` and `Interval`.
const NANOS_PER_TICK: i64 = 100;

/// A column of a group, for readers.
pub struct Column {
    sql_type: SqlType,
    values: Values,
    nulls: Arc<OnceLock<Arc<Vector<u8>>>>,
    capacity: usize,
    /// The vector of all the rows, once there are as many as there will ever be.
    full: OnceLock<ArrayRef>,
}

/// The values of a column, by how they lie in memory. Clones share them.
#[derive(Clone)]
pub(crate) enum Values {
    U8(Arc<Vector<u8>>),
    I8(Arc<Vector<i8>>),
    I16(Arc<Vector<i16>>),
    I32(Arc<Vector<i32>>),
    I64(Arc<Vector<i64>>),
    I128(Arc<Vector<i128>>),
    F32(Arc<Vector<f32>>),
    F64(Arc<Vector<f64>>),
    Days(Arc<Vector<IntervalMonthDayNano>>),
    Uuid(Arc<Vector<[u8; 16]>>),
    Views(Views),
    Encoded(Arc<Encoded>),
}

/// The one writer of a [`Column`].
pub(crate) struct ColumnAppender {
    sql_type: SqlType,
    values: Appenders,
    nulls: Option<Appender<u8>>,
    /// Where readers find the NULL marks, from the first one on.
    shared_nulls: Arc<OnceLock<Arc<Vector<u8>>>>,
    capacity: usize,
}

enum Appenders {
    U8(Appender<u8>),
    I8(Appender<i8>),
    I16(Appender<i16>),
    I32(Appender<i32>),
    I64(Appender<i64>),
    I128(Appender<i128>),
    F32(Appender<f32>),
    F64(Appender<f64>),
    Days(Appender<IntervalMonthDayNano>),
    Uuid(Appender<[u8; 16]>),
    Views(ViewAppender),
}

/// A typed slice of a column: one value a row, also where the row's value is NULL.
#[derive(Clone, Copy, Debug)]
pub enum Slice<'a> {
    /// BOOLEAN: 0 or 1.
    U8(&'a [u8]),
    /// TINYINT.
    I8(&'a [i8]),
    /// SMALLINT.
    I16(&'a [i16]),
    /// INTEGER, DATE, DECIMAL of up to 9 digits, INTERVAL YEAR TO MONTH.
    I32(&'a [i32]),
    /// BIGINT, DECIMAL of up to 18 digits, TIME and TIMESTAMP.
    I64(&'a [i64]),
    /// DECIMAL of up to 38 digits, MONEY.
    I128(&'a [i128]),
    /// REAL.
    F32(&'a [f32]),
    /// DOUBLE.
    F64(&'a [f64]),
    /// INTERVAL DAY TO SECOND.
    Days(&'a [IntervalMonthDayNano]),
    /// UUID.
    Uuid(&'a [[u8; 16]]),
    /// Text and bytes: ask [`Column::text`] and [`Column::binary`].
    Views,
    /// Values that are not decoded: ask [`Column::value`].
    Encoded,
}

macro_rules! new_column {
    ($capacity:expr, $sql_type:expr, $($kind:ident),*; $chosen:ident) => {
        match $chosen {
            $(Kind::$kind => {
                let appender = Vector::with_capacity($capacity);
                let vector = Arc::clone(appender.vector());
                (Appenders::$kind(appender), Values::$kind(vector))
            })*
            Kind::Text | Kind::Bytes => {
                let (appender, views) = Views::with_capacity($capacity, matches!($chosen, Kind::Text));
                (Appenders::Views(appender), Values::Views(views))
            }
        }
    };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    U8,
    I8,
    I16,
    I32,
    I64,
    I128,
    F32,
    F64,
    Days,
    Uuid,
    Text,
    Bytes,
}

fn kind(sql_type: SqlType) -> Kind {
    match sql_type {
        SqlType::Boolean => Kind::U8,
        SqlType::TinyInt => Kind::I8,
        SqlType::SmallInt => Kind::I16,
        SqlType::Integer | SqlType::Date | SqlType::IntervalYearMonth => Kind::I32,
        SqlType::Decimal { precision: ..=9, .. } => Kind::I32,
        SqlType::Decimal { precision: ..=18, .. } => Kind::I64,
        SqlType::Decimal { .. } | SqlType::Money => Kind::I128,
        SqlType::BigInt | SqlType::Time { .. } | SqlType::Timestamp { .. } => Kind::I64,
        SqlType::TimestampWithOffset { .. } => Kind::I128,
        SqlType::Real => Kind::F32,
        SqlType::Double => Kind::F64,
        SqlType::IntervalDayTime => Kind::Days,
        SqlType::Uuid => Kind::Uuid,
        SqlType::Char { .. } | SqlType::VarChar { .. } => Kind::Text,
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => Kind::Bytes,
    }
}

/// The kind of the values of a physical type.
fn kind_of(data_type: &DataType) -> Option<Kind> {
    Some(match data_type {
        DataType::Boolean => Kind::U8,
        DataType::Int8 => Kind::I8,
        DataType::Int16 => Kind::I16,
        DataType::Int32 | DataType::Date32 | DataType::Decimal32(..) => Kind::I32,
        DataType::Interval(IntervalUnit::YearMonth) => Kind::I32,
        DataType::Int64 | DataType::Decimal64(..) | DataType::Time64(_) | DataType::Timestamp(..) => Kind::I64,
        DataType::Decimal128(..) => Kind::I128,
        DataType::Float32 => Kind::F32,
        DataType::Float64 => Kind::F64,
        DataType::Interval(IntervalUnit::MonthDayNano) => Kind::Days,
        DataType::FixedSizeBinary(16) => Kind::Uuid,
        DataType::Utf8View => Kind::Text,
        DataType::BinaryView => Kind::Bytes,
        _ => return None,
    })
}

impl Column {
    /// An empty column with room for `capacity` rows, and its writer.
    pub(crate) fn with_capacity(sql_type: SqlType, capacity: usize) -> (ColumnAppender, Column) {
        let kind = kind(sql_type);
        let (appenders, values) =
            new_column!(capacity, sql_type, U8, I8, I16, I32, I64, I128, F32, F64, Days, Uuid; kind);
        let nulls = Arc::new(OnceLock::new());
        let appender =
            ColumnAppender { sql_type, values: appenders, nulls: None, shared_nulls: Arc::clone(&nulls), capacity };
        (appender, Column { sql_type, values, nulls, capacity, full: OnceLock::new() })
    }

    /// The SQL type of the values.
    pub fn sql_type(&self) -> SqlType {
        self.sql_type
    }

    /// Returns true if the value of a row is NULL.
    #[inline]
    pub fn is_null(&self, offset: usize) -> bool {
        self.nulls.get().is_some_and(|nulls| nulls.slice().get(offset) == Some(&1))
    }

    /// One byte a row, 1 for NULL; `None` when no row has one.
    pub fn null_marks(&self) -> Option<&[u8]> {
        self.nulls.get().map(|nulls| nulls.slice())
    }

    /// The values as they lie in memory, decoded now if they are encoded and there is memory for that. It may be longer
    /// than the group.
    #[inline]
    pub fn slice(&self) -> Slice<'_> {
        match &self.values {
            Values::Encoded(encoded) => encoded.ready().map_or(Slice::Encoded, Values::slice),
            values => values.slice(),
        }
    }

    /// The text of a row of a column of text; `None` for NULL and for a row that is not there.
    #[inline]
    pub fn text(&self, offset: usize) -> Option<&str> {
        match &self.values {
            Values::Views(views) if !self.is_null(offset) => views.text_at(offset),
            Values::Encoded(encoded) if !self.is_null(offset) => encoded.text_at(offset),
            _ => None,
        }
    }

    /// The bytes of a row of a column of text or bytes; `None` for NULL and for a row that is not there.
    #[inline]
    pub fn binary(&self, offset: usize) -> Option<&[u8]> {
        match &self.values {
            Values::Views(views) if !self.is_null(offset) => views.bytes_at(offset),
            Values::Encoded(encoded) if !self.is_null(offset) => encoded.bytes_at(offset),
            _ => None,
        }
    }

    /// The value of a row; NULL also for a row that is not there.
    #[inline]
    pub fn value(&self, offset: usize) -> ValueRef<'_> {
        let mut value = ValueRef::Null;
        self.read(offset, &mut value);
        value
    }

    /// Brings the value of a row into a cell. It is written there at once: a value that is made elsewhere and copied waits
    /// for its parts to be stored, which takes longer than all else.
    #[inline]
    pub(crate) fn read<'c>(&'c self, offset: usize, cell: &mut ValueRef<'c>) {
        *cell = ValueRef::Null;
        if !self.is_null(offset) {
            self.read_values(&self.values, offset, cell);
        }
    }

    /// Part of [`Column::read`] and its loops: a call would cost as much as the rest.
    #[inline(always)]
    fn read_values<'c>(&'c self, values: &'c Values, at: usize, cell: &mut ValueRef<'c>) -> Option<()> {
        match values {
            Values::I64(values) => *cell = self.of_i64(*values.slice().get(at)?),
            Values::F64(values) => *cell = ValueRef::Float(*values.slice().get(at)?),
            Values::Views(views) => match views.text_at(at) {
                Some(text) => *cell = ValueRef::Text(text),
                None => *cell = ValueRef::Binary(views.bytes_at(at)?),
            },
            Values::I32(values) => *cell = self.of_i32(*values.slice().get(at)?),
            Values::U8(values) => *cell = ValueRef::Boolean(*values.slice().get(at)? != 0),
            Values::I8(values) => *cell = ValueRef::Integer((*values.slice().get(at)?).into()),
            Values::I16(values) => *cell = ValueRef::Integer((*values.slice().get(at)?).into()),
            Values::I128(values) => *cell = self.of_i128(*values.slice().get(at)?),
            _ => return self.read_rare(values, at, cell),
        }
        Some(())
    }

    /// The same for those that get at values by a longer way.
    #[inline(never)]
    fn read_plain<'c>(&'c self, values: &'c Values, at: usize, cell: &mut ValueRef<'c>) -> Option<()> {
        self.read_values(values, at, cell)
    }

    /// The rest of [`Column::read_values`], out of the way of the loops that it becomes part of.
    #[inline(never)]
    fn read_rare<'c>(&'c self, values: &'c Values, at: usize, cell: &mut ValueRef<'c>) -> Option<()> {
        match values {
            Values::F32(values) => *cell = ValueRef::Float((*values.slice().get(at)?).into()),
            Values::Days(values) => {
                let IntervalMonthDayNano { months, days, nanoseconds } = *values.slice().get(at)?;
                *cell = ValueRef::Interval(Interval { months, days, ticks: nanoseconds / NANOS_PER_TICK });
            }
            Values::Uuid(values) => *cell = ValueRef::Uuid(*values.slice().get(at)?),
            Values::Encoded(encoded) => return self.read_encoded(encoded, at, cell),
            _ => return None,
        }
        Some(())
    }

    #[inline]
    fn of_i64(&self, value: i64) -> ValueRef<'_> {
        match self.sql_type {
            SqlType::BigInt => ValueRef::Integer(value),
            SqlType::Decimal { scale, .. } => ValueRef::Decimal(Decimal::new(value.into(), scale)),
            SqlType::Time { .. } => Time::from_nanos(value).map_or(ValueRef::Null, ValueRef::Time),
            SqlType::Timestamp { digits: 7.. } => ValueRef::Timestamp(Timestamp(value)),
            _ => Timestamp::from_us(value).map_or(ValueRef::Null, ValueRef::Timestamp),
        }
    }

    #[inline]
    fn of_i128(&self, value: i128) -> ValueRef<'_> {
        match self.sql_type {
            SqlType::TimestampWithOffset { .. } => {
                let (utc, offset_minutes) = Timestamp::unpacked(value);
                ValueRef::TimestampWithOffset { utc, offset_minutes }
            }
            _ => ValueRef::Decimal(Decimal::new(value, self.scale())),
        }
    }

    #[inline]
    fn of_i32(&self, value: i32) -> ValueRef<'_> {
        match self.sql_type {
            SqlType::Date => ValueRef::Date(Date(value)),
            SqlType::Decimal { scale, .. } => ValueRef::Decimal(Decimal::new(value.into(), scale)),
            SqlType::IntervalYearMonth => ValueRef::Interval(Interval { months: value, days: 0, ticks: 0 }),
            _ => ValueRef::Integer(value.into()),
        }
    }

    fn scale(&self) -> u8 {
        match self.sql_type {
            SqlType::Decimal { scale, .. } => scale,
            _ => 4,
        }
    }

    /// The memory that the column takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.values.bytes() + self.nulls.get().map_or(0, |nulls| nulls.bytes())
    }
}

impl Values {
    #[inline]
    fn slice(&self) -> Slice<'_> {
        match self {
            Values::U8(values) => Slice::U8(values.slice()),
            Values::I8(values) => Slice::I8(values.slice()),
            Values::I16(values) => Slice::I16(values.slice()),
            Values::I32(values) => Slice::I32(values.slice()),
            Values::I64(values) => Slice::I64(values.slice()),
            Values::I128(values) => Slice::I128(values.slice()),
            Values::F32(values) => Slice::F32(values.slice()),
            Values::F64(values) => Slice::F64(values.slice()),
            Values::Days(values) => Slice::Days(values.slice()),
            Values::Uuid(values) => Slice::Uuid(values.slice()),
            Values::Views(_) => Slice::Views,
            Values::Encoded(_) => Slice::Encoded,
        }
    }

    /// Their memory in bytes.
    fn bytes(&self) -> usize {
        match self {
            Values::U8(values) => values.bytes(),
            Values::I8(values) => values.bytes(),
            Values::I16(values) => values.bytes(),
            Values::I32(values) => values.bytes(),
            Values::I64(values) => values.bytes(),
            Values::I128(values) => values.bytes(),
            Values::F32(values) => values.bytes(),
            Values::F64(values) => values.bytes(),
            Values::Days(values) => values.bytes(),
            Values::Uuid(values) => values.bytes(),
            Values::Views(views) => views.bytes(),
            Values::Encoded(encoded) => encoded.bytes(),
        }
    }
}

impl ColumnAppender {
    /// Appends a value.
    ///
    /// Errors: those of [`canonical`]; then nothing was appended.
    #[inline]
    pub(crate) fn push(&mut self, value: ValueRef<'_>) -> Result<()> {
        if !is_kept_as_is(self.sql_type, &value) {
            return canonical(self.sql_type, value).and_then(|value| self.push_canonical(value));
        }
        self.push_canonical(value)
    }

    /// Appends the value of a row of another column in its stored form. Returns false if that cannot be done: it can
    /// for values of the same type and the commonest kinds.
    #[inline]
    pub(crate) fn push_of(&mut self, column: &Column, offset: usize) -> bool {
        if column.sql_type != self.sql_type || column.is_null(offset) {
            return false;
        }
        let copied = match (&mut self.values, &column.values) {
            (Appenders::I64(values), Values::I64(from)) => values.push_of(from, offset),
            (Appenders::I32(values), Values::I32(from)) => values.push_of(from, offset),
            (Appenders::F64(values), Values::F64(from)) => values.push_of(from, offset),
            (Appenders::Views(views), Values::Views(from)) => views.push_of(from, offset).unwrap_or(false),
            _ => false,
        };
        if !copied {
            return false;
        }
        if let Some(nulls) = &mut self.nulls {
            nulls.push(0);
        }
        true
    }

    /// Appends a value that is in the form in which the column keeps it.
    #[inline]
    fn push_canonical(&mut self, value: ValueRef<'_>) -> Result<()> {
        if let ValueRef::Null = value {
            return self.push_null();
        }
        match (&mut self.values, value) {
            (Appenders::I64(values), ValueRef::Integer(value)) => values.push(value),
            (Appenders::I32(values), ValueRef::Integer(value)) => values.push(value as i32),
            (Appenders::F64(values), ValueRef::Float(value)) => values.push(value),
            (Appenders::Views(views), ValueRef::Text(text)) => views.push_text(text)?,
            (Appenders::Views(views), ValueRef::Binary(bytes)) => views.push_bytes(bytes)?,
            _ => self.push_rare(value),
        }
        if let Some(nulls) = &mut self.nulls {
            nulls.push(0);
        }
        Ok(())
    }

    /// The rest of [`ColumnAppender::push_canonical`]: the casts lose nothing.
    fn push_rare(&mut self, value: ValueRef<'_>) {
        match (&mut self.values, value) {
            (Appenders::U8(values), ValueRef::Boolean(value)) => values.push(value.into()),
            (Appenders::I8(values), ValueRef::Integer(value)) => values.push(value as i8),
            (Appenders::I16(values), ValueRef::Integer(value)) => values.push(value as i16),
            (Appenders::I32(values), ValueRef::Date(date)) => values.push(date.0),
            (Appenders::I32(values), ValueRef::Decimal(decimal)) => values.push(decimal.unscaled as i32),
            (Appenders::I32(values), ValueRef::Interval(interval)) => values.push(interval.months),
            (Appenders::I64(values), ValueRef::Decimal(decimal)) => values.push(decimal.unscaled as i64),
            (Appenders::I64(values), ValueRef::Time(time)) => values.push(time.nanos()),
            (Appenders::I64(values), ValueRef::Timestamp(moment)) => {
                let is_fine = matches!(self.sql_type, SqlType::Timestamp { digits: 7.. });
                values.push(if is_fine { moment.0 } else { moment.us() });
            }
            (Appenders::I128(values), ValueRef::TimestampWithOffset { utc, offset_minutes }) => {
                values.push(utc.packed(offset_minutes));
            }
            (Appenders::I128(values), ValueRef::Decimal(decimal)) => values.push(decimal.unscaled),
            (Appenders::F32(values), ValueRef::Float(value)) => values.push(value as f32),
            (Appenders::Days(values), ValueRef::Interval(interval)) => {
                let nanoseconds = interval.ticks.saturating_mul(NANOS_PER_TICK);
                values.push(IntervalMonthDayNano { months: interval.months, days: interval.days, nanoseconds });
            }
            (Appenders::Uuid(values), ValueRef::Uuid(uuid)) => values.push(uuid),
            (_, value) => unreachable!("{value:?} is not canonical for {}", self.sql_type),
        }
    }

    /// Appends a NULL: some value, and a mark.
    fn push_null(&mut self) -> Result<()> {
        let length = self.len();
        if self.nulls.is_none() {
            self.start_nulls(length);
        }
        match &mut self.values {
            Appenders::U8(values) => values.push(0),
            Appenders::I8(values) => values.push(0),
            Appenders::I16(values) => values.push(0),
            Appenders::I32(values) => values.push(0),
            Appenders::I64(values) => values.push(0),
            Appenders::I128(values) => values.push(0),
            Appenders::F32(values) => values.push(0.0),
            Appenders::F64(values) => values.push(0.0),
            Appenders::Days(values) => values.push(IntervalMonthDayNano::ZERO),
            Appenders::Uuid(values) => values.push([0; 16]),
            Appenders::Views(views) => views.push_text("")?,
        }
        if let Some(nulls) = &mut self.nulls {
            nulls.push(1);
        }
        Ok(())
    }

    /// Starts the NULL marks, with this many values that are not NULL.
    fn start_nulls(&mut self, length: usize) {
        let mut nulls = Vector::with_capacity(self.capacity);
        nulls.fill(0, length);
        // Filled before readers can find it: a vector of marks is never shorter than the group.
        let _ = self.shared_nulls.set(Arc::clone(nulls.vector()));
        self.nulls = Some(nulls);
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        match &self.values {
            Appenders::U8(values) => values.len(),
            Appenders::I8(values) => values.len(),
            Appenders::I16(values) => values.len(),
            Appenders::I32(values) => values.len(),
            Appenders::I64(values) => values.len(),
            Appenders::I128(values) => values.len(),
            Appenders::F32(values) => values.len(),
            Appenders::F64(values) => values.len(),
            Appenders::Days(values) => values.len(),
            Appenders::Uuid(values) => values.len(),
            Appenders::Views(views) => views.len(),
        }
    }
}
