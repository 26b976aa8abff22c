//! The fields of a record, as the header describes them.

use crate::adt::Type;
use arrow_schema::{DataType, TimeUnit};

/// The largest number of digits of an Arrow decimal of 128 bits.
pub(crate) const MAX_DIGITS: u8 = 38;

/// One field of a DBF record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name as the header has it, without padding; a repeated name has a number appended.
    pub name: String,
    /// The kind of the field's values.
    pub kind: FieldKind,
    /// The letter in the header, for messages and DISPLAY STRUCTURE.
    pub letter: u8,
    /// The first byte in the record (the deletion flag is byte 0).
    pub offset: usize,
    /// Bytes in the record.
    pub length: usize,
    /// Digits after the point, where the kind has a point.
    pub decimals: u8,
    /// The bit of the record (its byte times 8, plus the bit in that byte of `_NullFlags`) that says NULL, if
    /// the field is nullable.
    pub null_bit: Option<usize>,
    /// The bit of the record, counted likewise, that says the last byte is the length, for varying-length
    /// fields.
    pub varying_bit: Option<usize>,
    /// The type of the field in an ADT, which has its own way to store NULL.
    pub adt: Option<Type>,
}

/// The kind of a field's values. The letter, the version byte, the length and the flags decide it together: a `B` is a
/// double in a Visual FoxPro table and a memo reference in a dBASE one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// `C`: text padded with blanks.
    Character,
    /// `C` with the binary flag: bytes.
    CharacterBinary,
    /// Harbour's 0x1A: UTF-16 (little-endian) padded with blanks.
    CharacterWide,
    /// `N`, `F`: a number as text.
    Numeric,
    /// `D` of 8: `YYYYMMDD` as text.
    Date,
    /// `D` of 3: a 24-bit little-endian Julian day.
    DateBinary,
    /// `D` of 4: a 32-bit little-endian Julian day.
    DateJulian,
    /// Harbour's and Six's `V` of 3: a 24-bit big-endian `year << 9 | month << 5 | day`.
    DatePacked,
    /// `L`: one of `TtYyFfNn ?`.
    Logical,
    /// `I`, `+`, `2`, `4`, `V` of 1, 2 or 4, and 1-, 2-, 3- and 8-byte relatives: a little-endian integer,
    /// scaled by the decimals of the field.
    Integer,
    /// dBASE 7's `I` and `+`: 32 bits, big-endian, sign flipped, so that the bytes sort as the numbers do.
    IntegerSortable,
    /// `O`, `8`, `Z`, `B` of 8 bytes: a little-endian double.
    Double,
    /// dBASE 7's `O`: a big-endian double, sign flipped, all bits of a negative one inverted.
    DoubleSortable,
    /// `Y`: a 64-bit little-endian integer, with four decimals unless the header says otherwise.
    Currency,
    /// `T` of 8, `@`: Julian day and milliseconds, 32 bits each.
    Timestamp,
    /// `T` of 4: milliseconds of a day.
    Time,
    /// `=`: when the record was last written; stored as `@`.
    ModificationTime,
    /// `^`: counts up at every write of any record; a 64-bit little-endian integer.
    RowVersion,
    /// `V` in Visual FoxPro, `Q` without the binary flag in Harbour: text of varying length.
    Varchar,
    /// `V` with the binary flag in Visual FoxPro: text, too, whose bytes no program converts between code pages.
    VarcharUnconverted,
    /// `Q`: bytes of varying length.
    Varbinary,
    /// Harbour's 0x1B: UTF-16 of varying length; the last two bytes are the number of characters.
    VarcharWide,
    /// `M`: a reference to text in the memo file.
    Memo,
    /// `M` with the binary flag, `G`, `P`, `W`, `B` in dBASE: a reference to bytes in the memo file.
    MemoBinary,
    /// Harbour's 0x1C: a reference to UTF-16 in the memo file.
    MemoWide,
    /// Harbour's and Six's `V` of 6 or more: a value of any type, small ones in place, others in the memo file.
    Any,
    /// A GUID of Advantage: 16 bytes.
    Guid,
    /// `0`: the bits that say which fields are NULL. Not a column, and not among a table's fields.
    NullFlags,
    /// A letter that no known program writes: its bytes are kept as they are.
    Unknown,
}

/// From so many decimals on they are the most that a value has, not what each has.
const LOOSE_DECIMALS: u8 = 10;

impl FieldKind {
    /// Returns true if reading the values takes the memo file.
    pub fn needs_memo(self) -> bool {
        matches!(self, FieldKind::Memo | FieldKind::MemoBinary | FieldKind::MemoWide | FieldKind::Any)
    }

    /// Returns true if an empty field is NULL, even in tables without NULL bits.
    pub fn blank_is_null(self) -> bool {
        matches!(
            self,
            FieldKind::Numeric
                | FieldKind::Date
                | FieldKind::DateBinary
                | FieldKind::DateJulian
                | FieldKind::DatePacked
                | FieldKind::Logical
                | FieldKind::Timestamp
                | FieldKind::ModificationTime
        )
    }
}

impl Field {
    /// The type of the column in SQL. A vector of its values may be a narrower decimal or a dictionary, which
    /// hold the same values.
    pub fn sql_type(&self) -> DataType {
        match self.kind {
            FieldKind::Character
            | FieldKind::CharacterWide
            | FieldKind::Varchar
            | FieldKind::VarcharUnconverted
            | FieldKind::VarcharWide
            | FieldKind::Memo
            | FieldKind::MemoWide
            | FieldKind::Any => DataType::Utf8View,
            FieldKind::CharacterBinary
            | FieldKind::Varbinary
            | FieldKind::MemoBinary
            | FieldKind::NullFlags
            | FieldKind::Unknown => DataType::BinaryView,
            FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked => DataType::Date32,
            FieldKind::Logical => DataType::Boolean,
            // Its 32 bits have no sign.
            FieldKind::Integer if self.adt == Some(Type::AutoIncrement) => DataType::Int64,
            FieldKind::Guid => DataType::FixedSizeBinary(16),
            FieldKind::Integer | FieldKind::IntegerSortable | FieldKind::RowVersion if self.decimals == 0 => {
                if self.length <= 4 { DataType::Int32 } else { DataType::Int64 }
            }
            FieldKind::Numeric if self.is_floating() => DataType::Float64,
            FieldKind::Numeric
            | FieldKind::Currency
            | FieldKind::Integer
            | FieldKind::IntegerSortable
            | FieldKind::RowVersion => DataType::Decimal128(self.precision(), self.scale()),
            FieldKind::Double | FieldKind::DoubleSortable => DataType::Float64,
            FieldKind::Timestamp | FieldKind::ModificationTime => DataType::Timestamp(TimeUnit::Millisecond, None),
            FieldKind::Time => DataType::Time32(TimeUnit::Millisecond),
        }
    }

    /// Returns true if it is an `F` field as ArcGIS declares it, F(13,11) or F(19,11): the values use its width as they
    /// need, with fewer decimals or an exponent, and are doubles.
    pub fn is_floating(&self) -> bool {
        self.letter == b'F' && self.has_loose_decimals()
    }

    /// Returns true if numbers as text have at most the decimals that are declared, and fewer where they need the room:
    /// so many as no sum of money has, as GIS programs declare them (GDAL: N(24,15)).
    pub fn has_loose_decimals(&self) -> bool {
        self.kind == FieldKind::Numeric && self.decimals >= LOOSE_DECIMALS
    }

    /// The digits of an exact number. For numbers as text that is the width of the field, point and sign
    /// included, as the programs that made it would say, and with loose decimals what the width can hold; at least 1, at
    /// most 38.
    pub fn precision(&self) -> u8 {
        let digits = match (self.kind, self.length) {
            (FieldKind::Numeric, length) if self.has_loose_decimals() => {
                u8::try_from(length + usize::from(self.decimals)).unwrap_or(MAX_DIGITS).saturating_sub(1)
            }
            (FieldKind::Numeric, length) => u8::try_from(length).unwrap_or(MAX_DIGITS),
            (_, 1) => 3,
            (_, 2) => 5,
            (_, 3) => 8,
            (_, 4) => 10,
            _ => 19,
        };
        digits.max(self.decimals).clamp(1, MAX_DIGITS)
    }

    /// The digits after the point of an exact number.
    pub fn scale(&self) -> i8 {
        self.decimals.min(MAX_DIGITS) as i8
    }
}
