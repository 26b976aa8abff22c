//! Catalog properties of a type: identifiers, lengths, precisions, and the width of a column that shows it.
//!
//! The numbers are those of `sys.types` and of the columns `max_length`, `precision` and `scale` of `sys.columns`.

use super::{DataType, Length};
use crate::text::Encoding;
use DataType::*;
use mainstay_character_sets::CodePage;

impl DataType {
    /// The name alone, as messages and `sys.types` write it: `decimal`, `nvarchar`.
    pub fn name(self) -> &'static str {
        match self {
            Bit => "bit",
            TinyInt => "tinyint",
            SmallInt => "smallint",
            Int => "int",
            BigInt => "bigint",
            Decimal { .. } => "decimal",
            SmallMoney => "smallmoney",
            Money => "money",
            Real => "real",
            Float => "float",
            Date => "date",
            Time(_) => "time",
            SmallDateTime => "smalldatetime",
            DateTime => "datetime",
            DateTime2(_) => "datetime2",
            DateTimeOffset(_) => "datetimeoffset",
            Char(..) => "char",
            VarChar(..) => "varchar",
            NChar(_) => "nchar",
            NVarChar(_) => "nvarchar",
            Text(_) => "text",
            NText => "ntext",
            Binary(_) => "binary",
            VarBinary(_) => "varbinary",
            Image => "image",
            RowVersion => "timestamp",
            UniqueIdentifier => "uniqueidentifier",
            Xml => "xml",
            SqlVariant => "sql_variant",
        }
    }

    /// The name as messages about types write it: with `(max)` where it is that, and `numeric` for DECIMAL, which is
    /// what the server calls it in most of them.
    pub fn message_name(self) -> &'static str {
        match self {
            Decimal { .. } => "numeric",
            VarChar(Length::Max, _) => "varchar(max)",
            NVarChar(Length::Max) => "nvarchar(max)",
            VarBinary(Length::Max) => "varbinary(max)",
            other => other.name(),
        }
    }

    /// The name as messages about values write it: without a length, and `numeric` for DECIMAL.
    pub fn value_name(self) -> &'static str {
        match self {
            Decimal { .. } => "numeric",
            other => other.name(),
        }
    }

    /// `system_type_id` of `sys.types`. (NUMERIC has 108; it is the same type under another name.)
    pub fn system_type_id(self) -> u8 {
        match self {
            Image => 34,
            Text(_) => 35,
            UniqueIdentifier => 36,
            Date => 40,
            Time(_) => 41,
            DateTime2(_) => 42,
            DateTimeOffset(_) => 43,
            TinyInt => 48,
            SmallInt => 52,
            Int => 56,
            SmallDateTime => 58,
            Real => 59,
            Money => 60,
            DateTime => 61,
            Float => 62,
            SqlVariant => 98,
            NText => 99,
            Bit => 104,
            Decimal { .. } => 106,
            SmallMoney => 122,
            BigInt => 127,
            VarBinary(_) => 165,
            VarChar(..) => 167,
            Binary(_) => 173,
            Char(..) => 175,
            RowVersion => 189,
            NVarChar(_) => 231,
            NChar(_) => 239,
            Xml => 241,
        }
    }

    /// `user_type_id` of `sys.types`: the same number, but for SYSNAME (256), which is an NVARCHAR(128) here.
    pub fn user_type_id(self) -> i32 {
        i32::from(self.system_type_id())
    }

    /// `max_length` of `sys.columns`: bytes, -1 for MAX and XML.
    pub fn max_length(self) -> i16 {
        let limited = |length: Length, unit: u16| match length {
            Length::Limited(length) => i16::try_from(length.saturating_mul(unit)).unwrap_or(i16::MAX),
            Length::Max => -1,
        };
        match self {
            Bit | TinyInt => 1,
            SmallInt => 2,
            Int | SmallMoney | Real | SmallDateTime => 4,
            BigInt | Money | Float | DateTime | RowVersion => 8,
            Decimal { precision, .. } => match precision {
                0..=9 => 5,
                10..=19 => 9,
                20..=28 => 13,
                _ => 17,
            },
            Date => 3,
            Time(digits) => time_bytes(digits),
            DateTime2(digits) => time_bytes(digits) + 3,
            DateTimeOffset(digits) => time_bytes(digits) + 5,
            Char(length, _) | Binary(length) => limited(Length::Limited(length), 1),
            NChar(length) => limited(Length::Limited(length), 2),
            VarChar(length, _) | VarBinary(length) => limited(length, 1),
            NVarChar(length) => limited(length, 2),
            Text(_) | NText | Image | UniqueIdentifier => 16,
            Xml => -1,
            SqlVariant => 8016,
        }
    }

    /// `precision` of `sys.columns`: digits of a number or characters of a moment; 0 for the others.
    pub fn precision(self) -> u8 {
        let fraction = |digits: u8| if digits == 0 { 0 } else { digits + 1 };
        match self {
            Bit => 1,
            TinyInt => 3,
            SmallInt => 5,
            Int | SmallMoney => 10,
            BigInt | Money => 19,
            Decimal { precision, .. } => precision,
            Real => 24,
            Float => 53,
            Date => 10,
            Time(digits) => 8 + fraction(digits),
            SmallDateTime => 16,
            DateTime => 23,
            DateTime2(digits) => 19 + fraction(digits),
            DateTimeOffset(digits) => 26 + fraction(digits),
            _ => 0,
        }
    }

    /// `scale` of `sys.columns`: digits after the point or after the second.
    pub fn scale(self) -> u8 {
        match self {
            Decimal { scale, .. } => scale,
            SmallMoney | Money => 4,
            DateTime => 3,
            Time(digits) | DateTime2(digits) | DateTimeOffset(digits) => digits,
            _ => 0,
        }
    }

    /// Characters that the widest value takes as text (ODBC's display size); `None` without a limit.
    pub fn display_size(self) -> Option<u32> {
        Some(match self {
            Bit => 1,
            TinyInt => 3,
            SmallInt => 6,
            Int => 11,
            BigInt => 20,
            Decimal { precision, .. } => u32::from(precision) + 2,
            SmallMoney => 12,
            Money => 21,
            Real => 14,
            Float => 24,
            Date | Time(_) | DateTime | DateTime2(_) | DateTimeOffset(_) => u32::from(self.precision()),
            SmallDateTime => 19,
            Char(length, _) | NChar(length) => u32::from(length),
            Binary(length) => u32::from(length) * 2,
            VarChar(Length::Limited(length), _) | NVarChar(Length::Limited(length)) => u32::from(length),
            VarBinary(Length::Limited(length)) => u32::from(length) * 2,
            RowVersion => 18,
            UniqueIdentifier => 36,
            SqlVariant => 8000,
            VarChar(..) | NVarChar(_) | VarBinary(_) | Text(_) | NText | Image | Xml => return None,
        })
    }

    /// Precision and scale of the exact number that holds every value of an integer, money or decimal type.
    pub fn as_exact(self) -> Option<(u8, u8)> {
        Some(match self {
            Bit => (1, 0),
            TinyInt => (3, 0),
            SmallInt => (5, 0),
            Int => (10, 0),
            BigInt => (19, 0),
            SmallMoney => (10, 4),
            Money => (19, 4),
            Decimal { precision, scale } => (precision, scale),
            _ => return None,
        })
    }
}

/// Bytes of a time with so many digits of a second.
fn time_bytes(digits: u8) -> i16 {
    match digits {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    }
}

/// Kinds of types.
impl DataType {
    /// BIT, TINYINT, SMALLINT, INT or BIGINT.
    pub fn is_integer(self) -> bool {
        matches!(self, Bit | TinyInt | SmallInt | Int | BigInt)
    }

    /// MONEY or SMALLMONEY.
    pub fn is_money(self) -> bool {
        matches!(self, Money | SmallMoney)
    }

    /// FLOAT or REAL.
    pub fn is_approximate(self) -> bool {
        matches!(self, Float | Real)
    }

    /// Any number, BIT included.
    pub fn is_number(self) -> bool {
        self.is_integer() || self.is_money() || self.is_approximate() || matches!(self, Decimal { .. })
    }

    /// CHAR, VARCHAR, NCHAR or NVARCHAR.
    pub fn is_string(self) -> bool {
        matches!(self, Char(..) | VarChar(..) | NChar(_) | NVarChar(_))
    }

    /// Any text: the strings, TEXT and NTEXT.
    pub fn is_text(self) -> bool {
        self.is_string() || matches!(self, Text(_) | NText)
    }

    /// Text of two-byte characters.
    pub fn is_national(self) -> bool {
        matches!(self, NChar(_) | NVarChar(_) | NText | Xml)
    }

    /// BINARY, VARBINARY, IMAGE or ROWVERSION.
    pub fn is_binary(self) -> bool {
        matches!(self, Binary(_) | VarBinary(_) | Image | RowVersion)
    }

    /// A day, a time or a moment.
    pub fn is_moment(self) -> bool {
        matches!(self, Date | Time(_) | SmallDateTime | DateTime | DateTime2(_) | DateTimeOffset(_))
    }

    /// TEXT, NTEXT or IMAGE.
    pub fn is_large_object(self) -> bool {
        matches!(self, Text(_) | NText | Image)
    }

    /// The length of a string or binary type.
    pub fn length(self) -> Option<Length> {
        match self {
            Char(length, _) | NChar(length) | Binary(length) => Some(Length::Limited(length)),
            VarChar(length, _) | NVarChar(length) | VarBinary(length) => Some(length),
            Text(_) | NText | Image | Xml => Some(Length::Max),
            RowVersion => Some(Length::Limited(8)),
            _ => None,
        }
    }

    /// The length, where it has a limit.
    pub fn limit(self) -> Option<u16> {
        match self.length() {
            Some(Length::Limited(limit)) => Some(limit),
            _ => None,
        }
    }

    /// The code page of CHAR, VARCHAR and TEXT.
    pub fn code_page(self) -> Option<CodePage> {
        match self {
            Char(_, page) | VarChar(_, page) | Text(page) => Some(page),
            _ => None,
        }
    }

    /// The same type in another code page, if it has one.
    pub fn in_page(self, page: CodePage) -> DataType {
        match self {
            Char(length, _) => Char(length, page),
            VarChar(length, _) => VarChar(length, page),
            Text(_) => Text(page),
            other => other,
        }
    }

    /// The type of a variable or parameter that holds all its values: these are in the default's code page, so texts of
    /// another one are of UTF-16 there.
    pub fn as_variable(self) -> DataType {
        match self {
            Char(length, page) if page != CodePage::DEFAULT => DataType::string(Encoding::National, length.into()),
            VarChar(Length::Limited(length @ ..=4000), page) if page != CodePage::DEFAULT => {
                NVarChar(Length::Limited(length))
            }
            VarChar(_, page) | Text(page) if page != CodePage::DEFAULT => NVarChar(Length::Max),
            other => other,
        }
    }

    /// The encoding of its texts; values of types that are not text are shown in the default code page.
    pub fn encoding(self) -> Encoding {
        match self {
            _ if self.is_national() => Encoding::National,
            _ => Encoding::Page(self.code_page().unwrap_or_default()),
        }
    }

    /// VARCHAR or NVARCHAR of a length that is cut to what the type may have.
    pub fn string(encoding: Encoding, length: usize) -> DataType {
        let length = Length::Limited(length.clamp(1, encoding.most()) as u16);
        DataType::string_of(encoding, length)
    }

    /// VARCHAR(MAX) or NVARCHAR(MAX).
    pub fn string_max(encoding: Encoding) -> DataType {
        DataType::string_of(encoding, Length::Max)
    }

    /// VARCHAR or NVARCHAR of this length.
    pub fn string_of(encoding: Encoding, length: Length) -> DataType {
        match encoding {
            Encoding::National => NVarChar(length),
            Encoding::Page(page) => VarChar(length, page),
        }
    }

    /// VARCHAR of this length in the default's code page.
    pub const fn varchar(length: Length) -> DataType {
        VarChar(length, CodePage::DEFAULT)
    }

    /// CHAR of this length in the default's code page.
    pub const fn char(length: u16) -> DataType {
        Char(length, CodePage::DEFAULT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_shows_what_sys_columns_does() {
        let rows = [
            (Int, 56, 4, 10, 0),
            (Decimal { precision: 18, scale: 2 }, 106, 9, 18, 2),
            (Money, 60, 8, 19, 4),
            (Time(7), 41, 5, 16, 7),
            (DateTime2(3), 42, 7, 23, 3),
            (DateTimeOffset(7), 43, 10, 34, 7),
            (DateTime, 61, 8, 23, 3),
            (NVarChar(Length::Limited(50)), 231, 100, 0, 0),
            (DataType::varchar(Length::Max), 167, -1, 0, 0),
            (NChar(4000), 239, 8000, 0, 0),
            (Float, 62, 8, 53, 0),
        ];
        for (data_type, id, length, precision, scale) in rows {
            let shown = (data_type.system_type_id(), data_type.max_length(), data_type.precision(), data_type.scale());
            assert_eq!(shown, (id, length, precision, scale), "{data_type}");
        }
    }
}
