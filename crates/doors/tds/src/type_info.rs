//! TYPE_INFO: the type of a column or a parameter in a message. (MS-TDS 2.2.5.4 to 2.2.5.6.)
//!
//! ```text
//!   token                                     what follows          how a value's length stands before it
//!   30 32 34 38 3A 3B 3C 3D 3E 7A 7F          nothing               none: it is fixed, never NULL
//!   24 26 68 6D 6E 6F 25 27 2D 2F             length (1)            1 byte, 0 for NULL
//!   6A 6C 37 3F                               length, precision, scale     1 byte
//!   28                                        nothing               1 byte
//!   29 2A 2B                                  scale                 1 byte
//!   A5 AD A7* AF* E7* EF*                     length (2), FFFF MAX  2 bytes, FFFF for NULL; MAX in pieces (PLP)
//!   22 23* 63*                                length (4)            4 bytes (behind a pointer, in rows)
//!   62                                        length (4)            4 bytes, 0 for NULL
//!   F1 F0 F4                                  names of schemas      in pieces (PLP)          * and a collation
//! ```
//!
//! Answers only use the nullable forms. A type that a version does not know is sent as one that it knows: MAX types and
//! XML as TEXT, NTEXT and IMAGE before 7.2, the types of DATE's family as NVARCHAR before 7.3.

use crate::collation::Collation;
use crate::data_type::{DataType, Length};
use crate::error::{Wire, WireError};
use crate::packet_writer::PacketWriter;
use crate::reader::Reader;
use crate::version::Version;

#[allow(missing_docs, reason = "the names of MS-TDS 2.2.5.4")]
pub(crate) mod token {
    pub const NULL: u8 = 0x1F;
    pub const IMAGE: u8 = 0x22;
    pub const TEXT: u8 = 0x23;
    pub const GUID: u8 = 0x24;
    pub const OLD_VARBINARY: u8 = 0x25;
    pub const INTN: u8 = 0x26;
    pub const OLD_VARCHAR: u8 = 0x27;
    pub const DATEN: u8 = 0x28;
    pub const TIMEN: u8 = 0x29;
    pub const DATETIME2N: u8 = 0x2A;
    pub const DATETIMEOFFSETN: u8 = 0x2B;
    pub const OLD_BINARY: u8 = 0x2D;
    pub const OLD_CHAR: u8 = 0x2F;
    pub const INT1: u8 = 0x30;
    pub const BIT: u8 = 0x32;
    pub const INT2: u8 = 0x34;
    pub const OLD_DECIMAL: u8 = 0x37;
    pub const INT4: u8 = 0x38;
    pub const DATETIM4: u8 = 0x3A;
    pub const FLT4: u8 = 0x3B;
    pub const MONEY: u8 = 0x3C;
    pub const DATETIME: u8 = 0x3D;
    pub const FLT8: u8 = 0x3E;
    pub const OLD_NUMERIC: u8 = 0x3F;
    pub const VARIANT: u8 = 0x62;
    pub const NTEXT: u8 = 0x63;
    pub const BITN: u8 = 0x68;
    pub const DECIMALN: u8 = 0x6A;
    pub const NUMERICN: u8 = 0x6C;
    pub const FLTN: u8 = 0x6D;
    pub const MONEYN: u8 = 0x6E;
    pub const DATETIMN: u8 = 0x6F;
    pub const MONEY4: u8 = 0x7A;
    pub const INT8: u8 = 0x7F;
    pub const VARBINARY: u8 = 0xA5;
    pub const VARCHAR: u8 = 0xA7;
    pub const BINARY: u8 = 0xAD;
    pub const CHAR: u8 = 0xAF;
    pub const NVARCHAR: u8 = 0xE7;
    pub const NCHAR: u8 = 0xEF;
    pub const UDT: u8 = 0xF0;
    pub const XML: u8 = 0xF1;
    pub const TABLE: u8 = 0xF3;
    pub const JSON: u8 = 0xF4;
}

/// The length of MAX types.
pub(crate) const MAX: u32 = 0xFFFF;

/// A type, as it stands in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeInfo {
    pub token: u8,
    /// The largest value, in bytes; [`MAX`] for MAX types, 0 where the token says it.
    pub length: u32,
    pub precision: u8,
    pub scale: u8,
    pub collation: Collation,
}

/// The form of the length before a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// Not at all: it has so many bytes.
    Fixed(usize),
    Byte,
    Short,
    /// In pieces.
    Pieces,
    /// Behind a pointer in rows, plain in parameters.
    Long,
    Variant,
}

impl TypeInfo {
    fn new(token: u8, length: u32) -> TypeInfo {
        TypeInfo { token, length, precision: 0, scale: 0, collation: Collation::DEFAULT }
    }

    /// As what a type is sent to a client of a version.
    pub fn of(data_type: DataType, collation: Collation, version: Version) -> TypeInfo {
        let (old, without_dates) = (version < Version::V7_2, version < Version::V7_3A);
        let limited = |length: Length, unit: u32| match length {
            Length::Limited(length) => (u32::from(length) * unit).clamp(unit, 8000),
            Length::Max => MAX,
        };
        let scaled = |token, scale| TypeInfo { scale, ..TypeInfo::new(token, 0) };
        let as_text = |characters: u32| TypeInfo::new(token::NVARCHAR, 2 * characters);
        let info = match data_type {
            DataType::Bit => TypeInfo::new(token::BITN, 1),
            DataType::TinyInt => TypeInfo::new(token::INTN, 1),
            DataType::SmallInt => TypeInfo::new(token::INTN, 2),
            DataType::Int => TypeInfo::new(token::INTN, 4),
            DataType::BigInt => TypeInfo::new(token::INTN, 8),
            DataType::Decimal { precision, scale } => {
                let length = decimal_bytes(precision);
                TypeInfo { precision, scale, ..TypeInfo::new(token::DECIMALN, length) }
            }
            DataType::SmallMoney => TypeInfo::new(token::MONEYN, 4),
            DataType::Money => TypeInfo::new(token::MONEYN, 8),
            DataType::Real => TypeInfo::new(token::FLTN, 4),
            DataType::Float => TypeInfo::new(token::FLTN, 8),
            DataType::SmallDateTime => TypeInfo::new(token::DATETIMN, 4),
            DataType::DateTime => TypeInfo::new(token::DATETIMN, 8),
            DataType::Date if without_dates => as_text(10),
            DataType::Time(_) if without_dates => as_text(16),
            DataType::DateTime2(_) if without_dates => as_text(27),
            DataType::DateTimeOffset(_) if without_dates => as_text(34),
            DataType::Date => TypeInfo::new(token::DATEN, 0),
            DataType::Time(scale) => scaled(token::TIMEN, scale.min(7)),
            DataType::DateTime2(scale) => scaled(token::DATETIME2N, scale.min(7)),
            DataType::DateTimeOffset(scale) => scaled(token::DATETIMEOFFSETN, scale.min(7)),
            DataType::VarChar(Length::Max, _) | DataType::Text(_) if old => TypeInfo::new(token::TEXT, i32::MAX as u32),
            DataType::NVarChar(Length::Max) | DataType::Xml if old => TypeInfo::new(token::NTEXT, i32::MAX as u32 - 1),
            DataType::VarBinary(Length::Max) if old => TypeInfo::new(token::IMAGE, i32::MAX as u32),
            DataType::Char(length, _) => TypeInfo::new(token::CHAR, limited(Length::Limited(length), 1)),
            DataType::VarChar(length, _) => TypeInfo::new(token::VARCHAR, limited(length, 1)),
            DataType::NChar(length) => TypeInfo::new(token::NCHAR, limited(Length::Limited(length), 2)),
            DataType::NVarChar(length) => TypeInfo::new(token::NVARCHAR, limited(length, 2)),
            DataType::Text(_) => TypeInfo::new(token::TEXT, i32::MAX as u32),
            DataType::NText => TypeInfo::new(token::NTEXT, i32::MAX as u32 - 1),
            DataType::Binary(length) => TypeInfo::new(token::BINARY, limited(Length::Limited(length), 1)),
            DataType::RowVersion => TypeInfo::new(token::BINARY, 8),
            DataType::VarBinary(length) => TypeInfo::new(token::VARBINARY, limited(length, 1)),
            DataType::Image => TypeInfo::new(token::IMAGE, i32::MAX as u32),
            DataType::UniqueIdentifier => TypeInfo::new(token::GUID, 16),
            DataType::Xml => TypeInfo::new(token::XML, 0),
            DataType::SqlVariant => TypeInfo::new(token::VARIANT, 8009),
        };
        TypeInfo { collation, ..info }
    }

    /// The same type where it is a parameter's or a return value's, which have no TEXT, NTEXT and IMAGE.
    pub fn for_parameter(self) -> TypeInfo {
        match self.token {
            token::TEXT => TypeInfo { token: token::VARCHAR, length: 8000, ..self },
            token::NTEXT => TypeInfo { token: token::NVARCHAR, length: 8000, ..self },
            token::IMAGE => TypeInfo { token: token::VARBINARY, length: 8000, ..self },
            _ => self,
        }
    }

    /// The form of the length before a value.
    pub fn prefix(self) -> Prefix {
        use token::*;
        match self.token {
            NULL => Prefix::Fixed(0),
            INT1 | BIT => Prefix::Fixed(1),
            INT2 => Prefix::Fixed(2),
            INT4 | DATETIM4 | FLT4 | MONEY4 => Prefix::Fixed(4),
            MONEY | DATETIME | FLT8 | INT8 => Prefix::Fixed(8),
            VARBINARY | VARCHAR | NVARCHAR if self.length == MAX => Prefix::Pieces,
            VARBINARY | VARCHAR | BINARY | CHAR | NVARCHAR | NCHAR => Prefix::Short,
            XML | UDT | JSON => Prefix::Pieces,
            TEXT | NTEXT | IMAGE => Prefix::Long,
            VARIANT => Prefix::Variant,
            _ => Prefix::Byte,
        }
    }

    /// Returns true if a table's name follows the type in COLMETADATA.
    pub fn names_a_table(self) -> bool {
        self.prefix() == Prefix::Long
    }

    /// Returns true if values are text, and of UTF-16.
    pub fn is_utf16(self) -> bool {
        matches!(self.token, token::NVARCHAR | token::NCHAR | token::NTEXT | token::XML)
    }

    fn has_collation(self) -> bool {
        use token::*;
        matches!(self.token, TEXT | NTEXT | VARCHAR | CHAR | NVARCHAR | NCHAR)
    }

    /// Writes it.
    pub fn write(self, out: &mut PacketWriter) {
        use token::*;
        out.put_u8(self.token);
        match self.token {
            DATEN => {}
            TIMEN | DATETIME2N | DATETIMEOFFSETN => out.put_u8(self.scale),
            DECIMALN | NUMERICN => out.put(&[self.length as u8, self.precision, self.scale]),
            TEXT | NTEXT | IMAGE | VARIANT => out.put_u32(self.length),
            VARBINARY | VARCHAR | BINARY | CHAR | NVARCHAR | NCHAR => out.put_u16(self.length as u16),
            // No schema.
            XML => out.put_u8(0),
            _ if self.prefix() == Prefix::Byte => out.put_u8(self.length as u8),
            _ => {}
        }
        if self.has_collation() {
            out.put(&self.collation.0);
        }
    }

    /// Reads one. `in_columns` is true if it describes a column of rows, not a parameter.
    pub fn read(reader: &mut Reader<'_>, in_columns: bool) -> Wire<TypeInfo> {
        use token::*;
        let mut info = TypeInfo::new(reader.u8()?, 0);
        match info.token {
            NULL | INT1 | BIT | INT2 | INT4 | DATETIM4 | FLT4 | MONEY | DATETIME | FLT8 | MONEY4 | INT8 => {}
            DATEN | JSON => {}
            GUID | INTN | BITN | FLTN | MONEYN | DATETIMN | OLD_VARBINARY | OLD_VARCHAR | OLD_BINARY | OLD_CHAR => {
                info.length = u32::from(reader.u8()?);
            }
            OLD_DECIMAL | OLD_NUMERIC | DECIMALN | NUMERICN => {
                info.length = u32::from(reader.u8()?);
                [info.precision, info.scale] = reader.array()?;
                if !(1..=38).contains(&info.precision) || info.scale > info.precision {
                    return Err(WireError::Malformed("a decimal of an impossible precision"));
                }
            }
            TIMEN | DATETIME2N | DATETIMEOFFSETN => {
                info.scale = reader.u8()?;
                if info.scale > 7 {
                    return Err(WireError::Malformed("a time of an impossible scale"));
                }
            }
            VARBINARY | VARCHAR | BINARY | CHAR | NVARCHAR | NCHAR => info.length = u32::from(reader.u16()?),
            TEXT | NTEXT | IMAGE | VARIANT => info.length = reader.u32()?,
            XML => {
                if reader.u8()? != 0 {
                    let _schema = (reader.short_text()?, reader.short_text()?, reader.long_text()?);
                }
            }
            UDT if in_columns => {
                let _largest = reader.u16()?;
                let _names = (reader.short_text()?, reader.short_text()?, reader.short_text()?, reader.long_text()?);
            }
            UDT => {
                let _names = (reader.short_text()?, reader.short_text()?, reader.short_text()?);
            }
            other => return Err(WireError::Unsupported(format!("type {other:02X}"))),
        }
        if info.has_collation() {
            info.collation = Collation(reader.array()?);
        }
        info.check()
    }

    /// Refuses lengths that a type cannot have.
    fn check(self) -> Wire<TypeInfo> {
        use token::*;
        let right = match self.token {
            INTN => matches!(self.length, 1 | 2 | 4 | 8),
            BITN => self.length == 1,
            FLTN | MONEYN | DATETIMN => matches!(self.length, 4 | 8),
            GUID => self.length == 16,
            _ => true,
        };
        right.then_some(self).ok_or(WireError::Malformed("a type of an impossible length"))
    }

    /// The type of SQL Server that it is.
    pub fn data_type(self) -> DataType {
        use token::*;
        let short = |unit: u32| (self.length / unit).clamp(1, 8000) as u16;
        let length = |unit| if self.length == MAX { Length::Max } else { Length::Limited(short(unit)) };
        let page = self.collation.code_page();
        match (self.token, self.length) {
            (BIT | BITN, _) => DataType::Bit,
            (INT1, _) | (INTN, 1) => DataType::TinyInt,
            (INT2, _) | (INTN, 2) => DataType::SmallInt,
            (INT8, _) | (INTN, 8) => DataType::BigInt,
            (DATETIM4, _) | (DATETIMN, 4) => DataType::SmallDateTime,
            (DATETIME | DATETIMN, _) => DataType::DateTime,
            (FLT4, _) | (FLTN, 4) => DataType::Real,
            (FLT8 | FLTN, _) => DataType::Float,
            (MONEY4, _) | (MONEYN, 4) => DataType::SmallMoney,
            (MONEY | MONEYN, _) => DataType::Money,
            (GUID, _) => DataType::UniqueIdentifier,
            (OLD_DECIMAL | OLD_NUMERIC | DECIMALN | NUMERICN, _) => {
                DataType::Decimal { precision: self.precision, scale: self.scale }
            }
            (DATEN, _) => DataType::Date,
            (TIMEN, _) => DataType::Time(self.scale),
            (DATETIME2N, _) => DataType::DateTime2(self.scale),
            (DATETIMEOFFSETN, _) => DataType::DateTimeOffset(self.scale),
            (OLD_CHAR | CHAR, _) => DataType::Char(short(1), page),
            (OLD_VARCHAR | VARCHAR, _) => DataType::VarChar(length(1), page),
            (NCHAR, _) => DataType::NChar(short(2)),
            (NVARCHAR, _) => DataType::NVarChar(length(2)),
            (OLD_BINARY | BINARY, _) => DataType::Binary(short(1)),
            (OLD_VARBINARY | VARBINARY, _) => DataType::VarBinary(length(1)),
            (TEXT, _) => DataType::Text(page),
            (NTEXT, _) => DataType::NText,
            (IMAGE, _) => DataType::Image,
            (XML, _) => DataType::Xml,
            (UDT, _) => DataType::VarBinary(Length::Max),
            (JSON, _) => DataType::NVarChar(Length::Max),
            (VARIANT, _) => DataType::SqlVariant,
            _ => DataType::Int,
        }
    }
}

/// Bytes of a decimal with its sign.
pub(crate) fn decimal_bytes(precision: u8) -> u32 {
    match precision {
        0..=9 => 5,
        10..=19 => 9,
        20..=28 => 13,
        _ => 17,
    }
}

/// Bytes of a time with so many digits of a second.
pub(crate) fn time_bytes(scale: u8) -> usize {
    match scale {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    }
}
