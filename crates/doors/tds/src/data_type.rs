//! The types of SQL Server as the protocol has them, and their declarations.
//!
//! Sessions declare the types of columns and parameters by name and arguments ([`Declared`]):
//!
//! ```text
//!   decimal              precision, scale
//!   time, datetime2, datetimeoffset     digits of a second
//!   char, varchar        length in bytes, number of the code page
//!   text                 number of the code page
//!   nchar, nvarchar      length in characters
//!   binary, varbinary    length in bytes             MAX is the length without a limit
//! ```

use mainstay_character_sets::CodePage;
use mainstay_session::Declared;
use mainstay_types::{Collation, SqlType};
use std::fmt;

/// The length of a type that varies: a number of bytes (characters of two bytes for the N types), or MAX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Up to so many.
    Limited(u16),
    /// `MAX`: up to 2 GB.
    Max,
}

/// A type, with its length, precision and scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum DataType {
    Bit,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    /// `precision` 1 to 38 digits, `scale` of them after the point.
    Decimal {
        precision: u8,
        scale: u8,
    },
    SmallMoney,
    Money,
    Real,
    Float,
    Date,
    /// With 0 to 7 digits of a second.
    Time(u8),
    SmallDateTime,
    DateTime,
    /// With 0 to 7 digits of a second.
    DateTime2(u8),
    /// With 0 to 7 digits of a second.
    DateTimeOffset(u8),
    /// 1 to 8000 bytes of a code page.
    Char(u16, CodePage),
    VarChar(Length, CodePage),
    /// 1 to 4000 characters.
    NChar(u16),
    NVarChar(Length),
    Text(CodePage),
    NText,
    /// 1 to 8000 bytes.
    Binary(u16),
    VarBinary(Length),
    Image,
    /// Eight bytes.
    RowVersion,
    UniqueIdentifier,
    Xml,
    SqlVariant,
}

use DataType::*;

impl Length {
    fn argument(self) -> u32 {
        match self {
            Length::Limited(length) => length.into(),
            Length::Max => Declared::MAX,
        }
    }

    fn of_argument(argument: u32) -> Option<Length> {
        match argument {
            Declared::MAX => Some(Length::Max),
            length => u16::try_from(length).ok().map(Length::Limited),
        }
    }
}

/// The types without arguments.
const PLAIN: [(&str, DataType); 19] = [
    ("int", Int),
    ("bit", Bit),
    ("bigint", BigInt),
    ("datetime", DateTime),
    ("money", Money),
    ("float", Float),
    ("date", Date),
    ("uniqueidentifier", UniqueIdentifier),
    ("smallint", SmallInt),
    ("tinyint", TinyInt),
    ("real", Real),
    ("smallmoney", SmallMoney),
    ("smalldatetime", SmallDateTime),
    ("xml", Xml),
    ("sql_variant", SqlVariant),
    ("ntext", NText),
    ("image", Image),
    ("timestamp", RowVersion),
    ("rowversion", RowVersion),
];

impl DataType {
    /// The type that a session declares. `None` for a name that is not a type of the protocol, or other arguments.
    pub fn of(declared: &Declared) -> Option<DataType> {
        let page = |number: u32| u16::try_from(number).ok().and_then(CodePage::from_number);
        let short = |number: u32| u16::try_from(number).ok();
        let digits = |number: u32| u8::try_from(number).ok();
        Some(match (&*declared.name, &declared.arguments[..]) {
            (name, []) => PLAIN.iter().find(|(known, _)| *known == name)?.1,
            ("nvarchar", [length]) => NVarChar(Length::of_argument(*length)?),
            ("varchar", [length, number]) => VarChar(Length::of_argument(*length)?, page(*number)?),
            ("decimal", [precision, scale]) => Decimal { precision: digits(*precision)?, scale: digits(*scale)? },
            ("char", [length, number]) => Char(short(*length)?, page(*number)?),
            ("nchar", [length]) => NChar(short(*length)?),
            ("datetime2", [scale]) => DateTime2(digits(*scale)?),
            ("varbinary", [length]) => VarBinary(Length::of_argument(*length)?),
            ("binary", [length]) => Binary(short(*length)?),
            ("time", [scale]) => Time(digits(*scale)?),
            ("datetimeoffset", [scale]) => DateTimeOffset(digits(*scale)?),
            ("text", [number]) => Text(page(*number)?),
            _ => return None,
        })
    }

    /// The declaration of the type.
    pub fn declared(self) -> Declared {
        let new = Declared::new;
        match self {
            Decimal { precision, scale } => new("decimal", &[precision.into(), scale.into()]),
            Time(digits) => new("time", &[digits.into()]),
            DateTime2(digits) => new("datetime2", &[digits.into()]),
            DateTimeOffset(digits) => new("datetimeoffset", &[digits.into()]),
            Char(length, page) => new("char", &[length.into(), page.number().into()]),
            VarChar(length, page) => new("varchar", &[length.argument(), page.number().into()]),
            NChar(length) => new("nchar", &[length.into()]),
            NVarChar(length) => new("nvarchar", &[length.argument()]),
            Text(page) => new("text", &[page.number().into()]),
            Binary(length) => new("binary", &[length.into()]),
            VarBinary(length) => new("varbinary", &[length.argument()]),
            plain => new(PLAIN.iter().find(|(_, known)| *known == plain).map_or("int", |(name, _)| name), &[]),
        }
    }

    /// Reads a type as it is printed: `decimal(10,2)`, `nvarchar(max)`, `varchar(10) cp1250`.
    pub fn by_text(text: &str) -> Option<DataType> {
        let (text, page) = match text.rsplit_once(' ') {
            Some((text, page)) => (text, CodePage::by_name(page)?),
            None => (text, CodePage::DEFAULT),
        };
        let (name, arguments) = match text.split_once('(') {
            Some((name, rest)) => (name, rest.strip_suffix(')')?),
            None => (text, ""),
        };
        let argument = |text: &str| if text == "max" { Some(Declared::MAX) } else { text.trim().parse().ok() };
        let given = arguments.split(',').filter(|text| !text.is_empty());
        let mut arguments = given.map(argument).collect::<Option<Vec<u32>>>()?;
        if matches!(name, "char" | "varchar" | "text") {
            arguments.push(page.number().into());
        }
        DataType::of(&Declared { name: name.to_owned().into(), arguments: arguments.as_slice().into() })
    }

    /// The engine's type of its values.
    pub fn sql_type(self) -> SqlType {
        let collation = Collation::CaseInsensitive;
        let most = |length: Length| match length {
            Length::Limited(length) => Some(length.into()),
            Length::Max => None,
        };
        match self {
            Bit => SqlType::Boolean,
            TinyInt | SmallInt => SqlType::SmallInt,
            Int => SqlType::Integer,
            BigInt => SqlType::BigInt,
            Decimal { precision, scale } => SqlType::Decimal { precision, scale },
            SmallMoney | Money => SqlType::Money,
            Real => SqlType::Real,
            Float => SqlType::Double,
            Date => SqlType::Date,
            Time(digits) => SqlType::Time { digits },
            SmallDateTime => SqlType::Timestamp { digits: 0 },
            DateTime => SqlType::Timestamp { digits: 3 },
            DateTime2(digits) => SqlType::Timestamp { digits },
            DateTimeOffset(digits) => SqlType::TimestampWithOffset { digits },
            Char(length, _) | NChar(length) => SqlType::Char { length: length.into(), collation },
            VarChar(length, _) | NVarChar(length) => SqlType::VarChar { length: most(length), collation },
            Text(_) | NText | Xml => SqlType::VarChar { length: None, collation },
            Binary(length) => SqlType::Binary { length: length.into() },
            RowVersion => SqlType::Binary { length: 8 },
            VarBinary(length) => SqlType::VarBinary { length: most(length) },
            Image | SqlVariant => SqlType::VarBinary { length: None },
            UniqueIdentifier => SqlType::Uuid,
        }
    }

    /// CHAR, VARCHAR, NCHAR or NVARCHAR.
    pub fn is_string(self) -> bool {
        matches!(self, Char(..) | VarChar(..) | NChar(_) | NVarChar(_))
    }

    /// Text of two-byte characters.
    pub fn is_national(self) -> bool {
        matches!(self, NChar(_) | NVarChar(_) | NText | Xml)
    }

    /// The code page of CHAR, VARCHAR and TEXT.
    pub fn code_page(self) -> Option<CodePage> {
        match self {
            Char(_, page) | VarChar(_, page) | Text(page) => Some(page),
            _ => None,
        }
    }

    /// VARCHAR of this length in the default code page.
    pub const fn varchar(length: Length) -> DataType {
        VarChar(length, CodePage::DEFAULT)
    }

    /// CHAR of this length in the default code page.
    pub const fn char(length: u16) -> DataType {
        Char(length, CodePage::DEFAULT)
    }
}

/// As it is declared in a statement: `decimal(10,2)`, `nvarchar(max)`. A code page that is not the default one stands behind
/// it: `varchar(10) cp1250`.
impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Declared { name, arguments } = self.declared();
        f.write_str(&name)?;
        let shown = if self.code_page().is_some() {
            arguments.split_last().map_or(&[][..], |(_, rest)| rest)
        } else {
            &arguments
        };
        for (place, argument) in shown.iter().enumerate() {
            f.write_str(if place == 0 { "(" } else { "," })?;
            match *argument {
                Declared::MAX => f.write_str("max")?,
                number => write!(f, "{number}")?,
            }
        }
        if !shown.is_empty() {
            f.write_str(")")?;
        }
        match self.code_page() {
            Some(page) if page != CodePage::DEFAULT => write!(f, " {page}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_and_texts_go_both_ways() {
        let cp1250 = CodePage::from_number(1250).unwrap();
        let types = [
            (Decimal { precision: 10, scale: 2 }, "decimal(10,2)"),
            (VarChar(Length::Max, cp1250), "varchar(max) cp1250"),
            (DataType::char(5), "char(5)"),
            (Text(cp1250), "text cp1250"),
            (NVarChar(Length::Limited(4000)), "nvarchar(4000)"),
            (VarBinary(Length::Max), "varbinary(max)"),
            (DateTimeOffset(0), "datetimeoffset(0)"),
            (RowVersion, "timestamp"),
            (SqlVariant, "sql_variant"),
        ];
        for (data_type, text) in types {
            assert_eq!(data_type.to_string(), text);
            assert_eq!(DataType::by_text(text), Some(data_type));
            assert_eq!(DataType::of(&data_type.declared()), Some(data_type));
        }
        for (_, plain) in PLAIN {
            assert_eq!(DataType::of(&plain.declared()), Some(plain));
        }
        for other in ["interval", "decimal(300,2)", "varchar", "int(4)", "char(max)", "varchar(3) cp1"] {
            assert_eq!(DataType::by_text(other), None, "{other}");
        }
    }
}
