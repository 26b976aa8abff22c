//! Declarations of types for sessions' clients: the name and arguments that a door turns into the types of its protocol.
//!
//! ```text
//!   decimal              precision, scale
//!   time, datetime2, datetimeoffset     digits of a second
//!   char, varchar        length in bytes, number of the code page
//!   text                 number of the code page
//!   nchar, nvarchar      length in characters
//!   binary, varbinary    length in bytes             MAX is the length without a limit
//! ```

use super::{DataType, Length};
use mainstay_character_sets::CodePage;
use mainstay_session::Declared;

fn argument(length: Length) -> u32 {
    match length {
        Length::Limited(length) => length.into(),
        Length::Max => Declared::MAX,
    }
}

fn length(argument: u32) -> Option<Length> {
    match argument {
        Declared::MAX => Some(Length::Max),
        length => u16::try_from(length).ok().map(Length::Limited),
    }
}

/// The types without arguments.
const PLAIN: [DataType; 18] = [
    DataType::Int,
    DataType::Bit,
    DataType::BigInt,
    DataType::DateTime,
    DataType::Money,
    DataType::Float,
    DataType::Date,
    DataType::UniqueIdentifier,
    DataType::SmallInt,
    DataType::TinyInt,
    DataType::Real,
    DataType::SmallMoney,
    DataType::SmallDateTime,
    DataType::Xml,
    DataType::SqlVariant,
    DataType::NText,
    DataType::Image,
    DataType::RowVersion,
];

impl DataType {
    /// The declaration of the type.
    pub fn declared(self) -> Declared {
        let arguments: &[u32] = match self {
            DataType::Decimal { precision, scale } => &[precision.into(), scale.into()],
            DataType::Time(digits) | DataType::DateTime2(digits) | DataType::DateTimeOffset(digits) => &[digits.into()],
            DataType::Char(length, page) => &[length.into(), page.number().into()],
            DataType::VarChar(length, page) => &[argument(length), page.number().into()],
            DataType::NChar(length) | DataType::Binary(length) => &[length.into()],
            DataType::NVarChar(length) | DataType::VarBinary(length) => &[argument(length)],
            DataType::Text(page) => &[page.number().into()],
            _ => &[],
        };
        Declared::new(self.name(), arguments)
    }

    /// The type of a declaration. `None` for a name that is not a type of SQL Server, or other arguments.
    pub fn of_declared(declared: &Declared) -> Option<DataType> {
        let page = |number: u32| u16::try_from(number).ok().and_then(CodePage::from_number);
        let short = |number: u32| u16::try_from(number).ok();
        let digits = |number: u32| u8::try_from(number).ok();
        Some(match (&*declared.name, &declared.arguments[..]) {
            (name, []) => PLAIN.into_iter().find(|plain| plain.name() == name)?,
            ("nvarchar", [given]) => DataType::NVarChar(length(*given)?),
            ("varchar", [given, number]) => DataType::VarChar(length(*given)?, page(*number)?),
            ("decimal", [precision, scale]) => {
                DataType::Decimal { precision: digits(*precision)?, scale: digits(*scale)? }
            }
            ("char", [given, number]) => DataType::Char(short(*given)?, page(*number)?),
            ("nchar", [given]) => DataType::NChar(short(*given)?),
            ("datetime2", [scale]) => DataType::DateTime2(digits(*scale)?),
            ("varbinary", [given]) => DataType::VarBinary(length(*given)?),
            ("binary", [given]) => DataType::Binary(short(*given)?),
            ("time", [scale]) => DataType::Time(digits(*scale)?),
            ("datetimeoffset", [scale]) => DataType::DateTimeOffset(digits(*scale)?),
            ("text", [number]) => DataType::Text(page(*number)?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_back_from_its_declaration() {
        let cp1250 = CodePage::Cp1250;
        let with_arguments = [
            DataType::Decimal { precision: 38, scale: 0 },
            DataType::Time(0),
            DataType::DateTime2(7),
            DataType::DateTimeOffset(3),
            DataType::Char(8000, cp1250),
            DataType::VarChar(Length::Limited(1), CodePage::Utf8),
            DataType::VarChar(Length::Max, cp1250),
            DataType::NChar(4000),
            DataType::NVarChar(Length::Max),
            DataType::Binary(1),
            DataType::VarBinary(Length::Limited(8000)),
            DataType::Text(CodePage::DEFAULT),
        ];
        for data_type in PLAIN.into_iter().chain(with_arguments) {
            assert_eq!(DataType::of_declared(&data_type.declared()), Some(data_type));
        }
        assert_eq!(DataType::of_declared(&Declared::new("varchar", &[3])), None);
        assert_eq!(DataType::of_declared(&Declared::new("datetime", &[0, 10])), None);
    }
}
