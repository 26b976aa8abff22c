//! Encoded columns of group files, for readers: single values at computed places, whole columns decoded on demand.
//!
//! ```text
//!   Whole        packed numbers                      INTEGER, DATE, DECIMAL, TIMESTAMP ...
//!   Scaled       packed numbers / 10^exponent        REAL and DOUBLE with few decimal places
//!   Dictionary   packed codes -> distinct values     text, UUID and numbers with few distinct values
//!   Text         packed offsets -> bytes             all other text and bytes
//! ```
//!
//! A point read computes its value from the mapped file. A scan wants a vector, and so does a statement that reads many
//! rows one by one: the column is decoded then ([`Encoded::ready`]), and stays decoded while the memory for decoded
//! columns lasts ([`DecodedMemory`]). Without memory a scan gets a vector of its own, and single values are computed.
//!
//! **Giving up.** Readers borrow decoded values from their group, so a column is not emptied in place. The table replaces
//! the group by one whose columns are not decoded ([`Column::forgetting`]); the old one goes with its last reader.

use super::array::array_of;
use super::layout::data_type;
use super::packed::Packed;
use super::text::{TextBlock, Views};
use super::vector::{Appender, Vector, gathered};
use super::{Column, Kind, Values, kind_of};
use crate::memory::{DecodedMemory, Reserved};
use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use mainstay_types::{Code, Error, Result, SqlType, ValueRef};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A column that is decoded once this part of its rows has been read one by one.
const HOT_PART: usize = 4;

/// The values of an encoded column.
pub(crate) enum Form {
    Whole(Packed),
    /// Numbers, and what they are divided by.
    Scaled(Packed, f64),
    /// Codes, and the distinct values, which are not encoded themselves.
    Dictionary(Packed, Values),
    /// Where values start, with one more for the end of the last; and their bytes.
    Text(Packed, TextBlock),
}

/// A column of a group file.
#[derive(Clone)]
pub(crate) enum StoredColumn {
    Plain(ArrayRef),
    Encoded { data_type: DataType, nulls: Option<NullBuffer>, form: Arc<Form> },
}

/// An encoded column with what readers have decoded of it.
pub(crate) struct Encoded {
    data_type: DataType,
    form: Arc<Form>,
    decoded: OnceLock<Decoded>,
    /// Single values that were read.
    reads: AtomicU32,
    memory: Arc<DecodedMemory>,
}

struct Decoded {
    values: Values,
    /// When they were read last, by the clock of [`DecodedMemory`].
    last_read: AtomicU64,
    _reserved: Reserved,
}

impl Form {
    /// The number of values.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Form::Whole(packed) | Form::Scaled(packed, _) | Form::Dictionary(packed, _) => packed.rows(),
            Form::Text(offsets, _) => offsets.rows().saturating_sub(1),
        }
    }

    /// Checks that the form suits the type, and that no value leads outside of it: reads the codes and offsets.
    pub(crate) fn is_sound(&self, data_type: &DataType) -> bool {
        let Some(kind) = kind_of(data_type) else { return false };
        match self {
            Form::Whole(_) => matches!(kind, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 | Kind::I128),
            Form::Scaled(_, divisor) => matches!(kind, Kind::F32 | Kind::F64) && *divisor >= 1.0,
            Form::Dictionary(codes, values) => {
                let entries = values.len() as u64;
                values.kind() == Some(kind)
                    && decoded_numbers(codes, |code| code).slice().iter().all(|code| *code < entries)
            }
            Form::Text(offsets, block) => {
                let is_text = matches!(kind, Kind::Text);
                (is_text || matches!(kind, Kind::Bytes))
                    && block.is_text() == is_text
                    && offsets.rows() > 0
                    && block.is_cut_by(decoded_numbers(offsets, |offset| offset).slice())
            }
        }
    }

    /// All values; `None` for a form that does not suit the type.
    fn decode(&self, data_type: &DataType) -> Option<Values> {
        match self {
            Form::Whole(packed) => Some(match kind_of(data_type)? {
                Kind::I8 => Values::I8(decoded_numbers(packed, |number| number as i8)),
                Kind::I16 => Values::I16(decoded_numbers(packed, |number| number as i16)),
                Kind::I32 => Values::I32(decoded_numbers(packed, |number| number as i32)),
                Kind::I64 => Values::I64(decoded_numbers(packed, |number| number as i64)),
                Kind::I128 => {
                    let mut out = Vector::with_capacity(packed.rows());
                    packed.decode_wide(&mut out);
                    Values::I128(Arc::clone(out.vector()))
                }
                _ => return None,
            }),
            Form::Scaled(packed, divisor) => match kind_of(data_type)? {
                Kind::F32 => {
                    Some(Values::F32(decoded_numbers(packed, |number| (number as i64 as f64 / divisor) as f32)))
                }
                Kind::F64 => Some(Values::F64(decoded_numbers(packed, |number| number as i64 as f64 / divisor))),
                _ => None,
            },
            Form::Dictionary(codes, values) => Some(values.gather(decoded_numbers(codes, |code| code as u32).slice())),
            Form::Text(offsets, block) => {
                let offsets = decoded_numbers(offsets, |offset| offset as u32);
                block.views(offsets.slice()).map(Values::Views)
            }
        }
    }

    /// The bytes of a value of text or bytes.
    fn bytes_at(&self, row: usize) -> Option<&[u8]> {
        match self {
            Form::Dictionary(codes, Values::Views(views)) => views.bytes_at(codes.get(row)? as usize),
            Form::Text(offsets, block) => block.bytes(offsets.get(row)? as usize, offsets.get(row + 1)? as usize),
            _ => None,
        }
    }

    /// The text of a value of text.
    fn text_at(&self, row: usize) -> Option<&str> {
        match self {
            Form::Dictionary(codes, Values::Views(views)) => views.text_at(codes.get(row)? as usize),
            Form::Text(offsets, block) => block.text(offsets.get(row)? as usize, offsets.get(row + 1)? as usize),
            _ => None,
        }
    }
}

fn decoded_numbers<T: Copy + Default>(packed: &Packed, convert: impl Fn(u64) -> T) -> Arc<Vector<T>> {
    let mut out: Appender<T> = Vector::with_capacity(packed.rows());
    packed.decode(&mut out, convert);
    Arc::clone(out.vector())
}

impl StoredColumn {
    /// The values as a vector of their own, if the column is encoded.
    ///
    /// Errors: `Damaged` for a form that does not suit the type.
    pub(crate) fn array(&self) -> Result<ArrayRef> {
        match self {
            StoredColumn::Plain(array) => Ok(Arc::clone(array)),
            StoredColumn::Encoded { data_type, nulls, form } => {
                let unsuitable = || Error::new(Code::Damaged, format!("{data_type} is not stored in this form"));
                let values = form.decode(data_type).ok_or_else(unsuitable)?;
                array_of(&values, data_type, form.rows(), nulls.clone()).ok_or_else(unsuitable)
            }
        }
    }

    /// Checks that every value may stand in a column of this type.
    ///
    /// Errors: those of [`super::check_array`].
    pub(crate) fn check(&self, sql_type: SqlType) -> Result<()> {
        match self {
            StoredColumn::Encoded { data_type: found, form, .. }
                if *found == data_type(sql_type) && is_within(sql_type, form) =>
            {
                Ok(())
            }
            StoredColumn::Encoded { data_type: found, form, .. }
                if *found == data_type(sql_type) && has_fitting_entries(sql_type, found, form) =>
            {
                Ok(())
            }
            _ => super::check_array(sql_type, &self.array()?),
        }
    }
}

/// True when the distinct values of a dictionary may all stand in a column of this type.
fn has_fitting_entries(sql_type: SqlType, data_type: &DataType, form: &Form) -> bool {
    let Form::Dictionary(_, values) = form else { return false };
    array_of(values, data_type, values.len(), None)
        .is_some_and(|entries| super::check_array(sql_type, &entries).is_ok())
}

/// True when none of these texts or bytes is longer than so many bytes. A text has at least as many bytes as characters.
fn is_short(offsets: &Packed, length: u32) -> bool {
    let places = decoded_numbers(offsets, |offset| offset);
    places.slice().windows(2).all(|ends| ends[1].wrapping_sub(ends[0]) <= u64::from(length))
}

/// True when the form alone shows that all values may stand in a column of this type.
fn is_within(sql_type: SqlType, form: &Form) -> bool {
    use mainstay_types::{Date, Timestamp};
    let within = |packed: &Packed, first: i128, last: i128| {
        packed.bounds().is_some_and(|(least, greatest)| first <= least && greatest <= last)
    };
    match (sql_type, form) {
        (SqlType::Date, Form::Whole(packed)) => within(packed, Date::FIRST.0.into(), Date::LAST.0.into()),
        (SqlType::Timestamp { digits: 7.. }, Form::Whole(packed)) => {
            within(packed, Timestamp::FIRST.0.into(), Timestamp::LAST.0.into())
        }
        (SqlType::Timestamp { .. }, Form::Whole(packed)) => {
            within(packed, Timestamp::FIRST.us().into(), Timestamp::LAST.us().into())
        }
        (SqlType::Decimal { precision, .. }, Form::Whole(packed)) => {
            let greatest = 10i128.pow(u32::from(precision.min(38))) - 1;
            within(packed, -greatest, greatest)
        }
        (SqlType::TinyInt, Form::Whole(packed)) => within(packed, i8::MIN.into(), i8::MAX.into()),
        (SqlType::SmallInt, Form::Whole(packed)) => within(packed, i16::MIN.into(), i16::MAX.into()),
        (SqlType::Integer, Form::Whole(packed)) => within(packed, i32::MIN.into(), i32::MAX.into()),
        (SqlType::BigInt | SqlType::Real | SqlType::Double | SqlType::Uuid, _) => true,
        (SqlType::VarChar { length: None, .. } | SqlType::VarBinary { length: None }, _) => true,
        (
            SqlType::VarChar { length: Some(length), .. }
            | SqlType::Char { length, .. }
            | SqlType::VarBinary { length: Some(length) }
            | SqlType::Binary { length },
            Form::Text(offsets, _),
        ) => is_short(offsets, length),
        _ => false,
    }
}

impl Encoded {
    /// The column of a file, of which nothing is decoded.
    pub(super) fn new(data_type: DataType, form: Arc<Form>, memory: Arc<DecodedMemory>) -> Encoded {
        Encoded { data_type, form, decoded: OnceLock::new(), reads: AtomicU32::new(0), memory }
    }

    /// The same column, of which nothing is decoded.
    fn anew(&self) -> Encoded {
        Encoded::new(self.data_type.clone(), Arc::clone(&self.form), Arc::clone(&self.memory))
    }

    /// The decoded values, if there are any, for a reader.
    #[inline]
    fn decoded(&self) -> Option<&Values> {
        let decoded = self.decoded.get()?;
        let now = self.memory.now();
        // Mostly it is the same time, and nothing is written that other threads read.
        if decoded.last_read.load(Ordering::Relaxed) != now {
            decoded.last_read.store(now, Ordering::Relaxed);
        }
        Some(&decoded.values)
    }

    /// Returns true if it is decoded and is to be given up.
    fn is_forgotten(&self) -> bool {
        let decoded = self.decoded.get();
        decoded.is_some_and(|decoded| self.memory.is_forgotten(decoded.last_read.load(Ordering::Relaxed)))
    }

    /// About the memory of the decoded values in bytes.
    fn decoded_bytes(&self) -> usize {
        let width = match kind_of(&self.data_type) {
            Some(Kind::U8 | Kind::I8) => 1,
            Some(Kind::I16) => 2,
            Some(Kind::I32 | Kind::F32) => 4,
            Some(Kind::I64 | Kind::F64) => 8,
            _ => 16,
        };
        self.form.rows() * width
    }

    /// The decoded values; they are decoded now if the memory for that is there.
    pub(super) fn ready(&self) -> Option<&Values> {
        if let Some(values) = self.decoded() {
            return Some(values);
        }
        let bytes = self.decoded_bytes();
        if !self.memory.has_room(bytes) {
            self.memory.demand(bytes);
            return None;
        }
        let values = self.form.decode(&self.data_type)?;
        let Some(reserved) = DecodedMemory::reserve(&self.memory, values.bytes()) else {
            self.memory.demand(bytes);
            return None;
        };
        let last_read = AtomicU64::new(self.memory.now());
        Some(&self.decoded.get_or_init(|| Decoded { values, last_read, _reserved: reserved }).values)
    }

    /// The values as a vector, decoded for the caller alone where they cannot stay.
    pub(super) fn array(&self, length: usize, nulls: Option<NullBuffer>) -> Option<ArrayRef> {
        match self.ready() {
            Some(values) => array_of(values, &self.data_type, length, nulls),
            None => array_of(&self.form.decode(&self.data_type)?, &self.data_type, length, nulls),
        }
    }

    /// The decoded values, which are decoded now if single values were read often enough to make that worth it.
    #[inline]
    fn after_a_read(&self) -> Option<&Values> {
        if let Some(values) = self.decoded() {
            return Some(values);
        }
        // A count that two readers overwrite only delays decoding.
        let reads = self.reads.load(Ordering::Relaxed);
        self.reads.store(reads.wrapping_add(1), Ordering::Relaxed);
        if reads as usize == self.form.rows() / HOT_PART { self.ready() } else { None }
    }

    /// The bytes of a value of text or bytes.
    pub(super) fn bytes_at(&self, row: usize) -> Option<&[u8]> {
        match self.after_a_read() {
            Some(Values::Views(views)) => views.bytes_at(row),
            _ => self.form.bytes_at(row),
        }
    }

    /// The text of a value of text.
    pub(super) fn text_at(&self, row: usize) -> Option<&str> {
        match self.after_a_read() {
            Some(Values::Views(views)) => views.text_at(row),
            _ => self.form.text_at(row),
        }
    }

    /// A value of fixed width.
    pub(super) fn fixed_at<T: FixedCell>(&self, row: usize) -> Option<T> {
        match (self.after_a_read(), &*self.form) {
            (Some(values), _) => T::of_values(values, row),
            (None, Form::Whole(packed)) => T::of_number(packed, row),
            (None, Form::Scaled(packed, divisor)) => Some(T::of_float(packed.get(row)? as i64 as f64 / divisor)),
            (None, Form::Dictionary(codes, values)) => T::of_values(values, codes.get(row)? as usize),
            (None, Form::Text(..)) => None,
        }
    }

    /// The memory of decoded values in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.decoded.get().map_or(0, |decoded| decoded.values.bytes())
    }
}

impl Column {
    /// Returns true if it is decoded and was not read for long while there was no room for others.
    pub(crate) fn is_forgotten(&self) -> bool {
        matches!(&self.values, Values::Encoded(encoded) if encoded.is_forgotten())
    }

    /// The same column; without its decoded values if it is forgotten.
    pub(crate) fn forgetting(&self) -> Column {
        if self.is_forgotten() { self.undecoded() } else { self.with(self.values.clone(), self.full.clone()) }
    }

    /// The same column, decoded for readers of this one alone.
    pub(crate) fn undecoded(&self) -> Column {
        match &self.values {
            Values::Encoded(encoded) => self.with(Values::Encoded(Arc::new(encoded.anew())), OnceLock::new()),
            values => self.with(values.clone(), self.full.clone()),
        }
    }

    fn with(&self, values: Values, full: OnceLock<ArrayRef>) -> Column {
        Column { sql_type: self.sql_type, values, nulls: Arc::clone(&self.nulls), capacity: self.capacity, full }
    }

    /// Brings the value of a row of an encoded column into a cell.
    pub(super) fn read_encoded<'c>(&'c self, encoded: &'c Encoded, at: usize, cell: &mut ValueRef<'c>) -> Option<()> {
        if let Some(values) = encoded.after_a_read() {
            return self.read_plain(values, at, cell);
        }
        match &*encoded.form {
            Form::Whole(packed) => match super::kind(self.sql_type) {
                Kind::I64 => *cell = self.of_i64(packed.get(at)? as i64),
                Kind::I32 => *cell = self.of_i32(packed.get(at)? as i32),
                Kind::I16 => *cell = ValueRef::Integer((packed.get(at)? as i16).into()),
                Kind::I8 => *cell = ValueRef::Integer((packed.get(at)? as i8).into()),
                Kind::I128 => *cell = self.of_i128(packed.get_wide(at)?),
                _ => return None,
            },
            Form::Scaled(packed, divisor) => {
                let value = packed.get(at)? as i64 as f64 / divisor;
                let is_short = self.sql_type == SqlType::Real;
                *cell = ValueRef::Float(if is_short { f64::from(value as f32) } else { value });
            }
            Form::Dictionary(codes, values) => return self.read_plain(values, codes.get(at)? as usize, cell),
            Form::Text(_, block) => {
                *cell = match block.is_text() {
                    true => ValueRef::Text(encoded.form.text_at(at)?),
                    false => ValueRef::Binary(encoded.form.bytes_at(at)?),
                }
            }
        }
        Some(())
    }
}

/// A type of fixed width that columns have.
pub(super) trait FixedCell: Copy {
    fn of_values(values: &Values, row: usize) -> Option<Self>;
    fn of_number(packed: &Packed, row: usize) -> Option<Self>;
    fn of_float(value: f64) -> Self;
}

macro_rules! fixed_cell {
    ($type:ty, $kind:ident, $number:expr, $float:expr) => {
        impl FixedCell for $type {
            fn of_values(values: &Values, row: usize) -> Option<$type> {
                match values {
                    Values::$kind(values) => values.slice().get(row).copied(),
                    _ => None,
                }
            }

            fn of_number(packed: &Packed, row: usize) -> Option<$type> {
                let number: fn(&Packed, usize) -> Option<$type> = $number;
                number(packed, row)
            }

            fn of_float(value: f64) -> $type {
                let float: fn(f64) -> $type = $float;
                float(value)
            }
        }
    };
}

fixed_cell!(i8, I8, |packed, row| packed.get(row).map(|number| number as i8), |_| 0);
fixed_cell!(i16, I16, |packed, row| packed.get(row).map(|number| number as i16), |_| 0);
fixed_cell!(i32, I32, |packed, row| packed.get(row).map(|number| number as i32), |_| 0);
fixed_cell!(i64, I64, |packed, row| packed.get(row).map(|number| number as i64), |_| 0);
fixed_cell!(i128, I128, |packed, row| packed.get_wide(row), |_| 0);
fixed_cell!(f32, F32, |_, _| None, |value| value as f32);
fixed_cell!(f64, F64, |_, _| None, |value| value);
fixed_cell!(arrow_buffer::IntervalMonthDayNano, Days, |_, _| None, |_| arrow_buffer::IntervalMonthDayNano::ZERO);
fixed_cell!([u8; 16], Uuid, |_, _| None, |_| [0; 16]);

impl Values {
    /// The kind of plain values.
    fn kind(&self) -> Option<Kind> {
        Some(match self {
            Values::U8(_) => Kind::U8,
            Values::I8(_) => Kind::I8,
            Values::I16(_) => Kind::I16,
            Values::I32(_) => Kind::I32,
            Values::I64(_) => Kind::I64,
            Values::I128(_) => Kind::I128,
            Values::F32(_) => Kind::F32,
            Values::F64(_) => Kind::F64,
            Values::Days(_) => Kind::Days,
            Values::Uuid(_) => Kind::Uuid,
            Values::Views(views) => {
                if views.is_text() {
                    Kind::Text
                } else {
                    Kind::Bytes
                }
            }
            Values::Encoded(_) => return None,
        })
    }

    /// The number of plain values.
    fn len(&self) -> usize {
        match self {
            Values::U8(values) => values.slice().len(),
            Values::I8(values) => values.slice().len(),
            Values::I16(values) => values.slice().len(),
            Values::I32(values) => values.slice().len(),
            Values::I64(values) => values.slice().len(),
            Values::I128(values) => values.slice().len(),
            Values::F32(values) => values.slice().len(),
            Values::F64(values) => values.slice().len(),
            Values::Days(values) => values.slice().len(),
            Values::Uuid(values) => values.slice().len(),
            Values::Views(views) => views.len(),
            Values::Encoded(_) => 0,
        }
    }

    /// The values of these codes; some value where a code leads nowhere.
    fn gather(&self, codes: &[u32]) -> Values {
        match self {
            Values::U8(values) => Values::U8(gathered(values, codes, 0)),
            Values::I8(values) => Values::I8(gathered(values, codes, 0)),
            Values::I16(values) => Values::I16(gathered(values, codes, 0)),
            Values::I32(values) => Values::I32(gathered(values, codes, 0)),
            Values::I64(values) => Values::I64(gathered(values, codes, 0)),
            Values::I128(values) => Values::I128(gathered(values, codes, 0)),
            Values::F32(values) => Values::F32(gathered(values, codes, 0.0)),
            Values::F64(values) => Values::F64(gathered(values, codes, 0.0)),
            Values::Days(values) => Values::Days(gathered(values, codes, arrow_buffer::IntervalMonthDayNano::ZERO)),
            Values::Uuid(values) => Values::Uuid(gathered(values, codes, [0; 16])),
            Values::Views(views) => Values::Views(Views::gathered(views, codes)),
            Values::Encoded(encoded) => Values::Encoded(Arc::clone(encoded)),
        }
    }
}
