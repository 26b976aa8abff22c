//! A type from its name and arguments, as CREATE TABLE, DECLARE and CAST write it.

use super::{DataType, Length};
use crate::Message;
use DataType::*;
use mainstay_character_sets::CodePage;

/// An argument in the parentheses behind a type's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeArgument {
    /// A length, precision or scale.
    Number(i64),
    /// `MAX`.
    Max,
}

/// The place of a type's name, which determines the default length and the error of an unknown name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared<'a> {
    /// In CAST, CONVERT and their like: a string without a length has 30.
    Cast,
    /// The column, parameter or variable of this number (from 1) and name: a string without a length has 1.
    Column(u32, &'a str),
}

/// The name and arguments of one type that is being read.
struct Reader<'a> {
    name: &'a str,
    arguments: &'a [TypeArgument],
    place: Declared<'a>,
}

impl DataType {
    /// The type of this name, in any case and under any synonym (`character varying`, `dec`, `sysname`), and these
    /// arguments. Errors are those of the server: 2715 and 243 for an unknown name, 1001, 1002, 131, 2716, 2717,
    /// 2750, 2751 for arguments that do not fit.
    pub fn declare(name: &str, arguments: &[TypeArgument], place: Declared<'_>) -> Result<DataType, Message> {
        let reader = Reader { name, arguments, place };
        let words: Vec<&str> = name.split_ascii_whitespace().collect();
        let lower = words.join(" ").to_ascii_lowercase();
        reader.read(&lower)
    }

    /// Returns true if some type has this name.
    pub fn is_name(name: &str) -> bool {
        DataType::declare(name, &[], Declared::Cast).is_ok()
    }
}

impl Reader<'_> {
    fn read(&self, name: &str) -> Result<DataType, Message> {
        let plain = match name {
            "bit" => Bit,
            "tinyint" => TinyInt,
            "smallint" => SmallInt,
            "int" | "integer" => Int,
            "bigint" => BigInt,
            "smallmoney" => SmallMoney,
            "money" => Money,
            "real" => Real,
            "double precision" => Float,
            "date" => Date,
            "smalldatetime" => SmallDateTime,
            "datetime" => DateTime,
            "text" => Text(CodePage::DEFAULT),
            "ntext" | "national text" => NText,
            "image" => Image,
            "rowversion" | "timestamp" => RowVersion,
            "uniqueidentifier" => UniqueIdentifier,
            "xml" => return Ok(Xml),
            "sql_variant" => SqlVariant,
            "sysname" => NVarChar(Length::Limited(128)),
            _ => return self.with_arguments(name),
        };
        match self.arguments {
            [] => Ok(plain),
            _ => Err(Message::numbered(2716, &[&self.number(), &self.name])),
        }
    }

    fn with_arguments(&self, name: &str) -> Result<DataType, Message> {
        let limited = |length: Length| match length {
            Length::Limited(length) => Ok(length),
            Length::Max => Err(Message::numbered(1001, &[&1, &-1])),
        };
        match name {
            "decimal" | "dec" | "numeric" => self.decimal(),
            "float" => self.float(),
            "time" => Ok(Time(self.digits()?)),
            "datetime2" => Ok(DateTime2(self.digits()?)),
            "datetimeoffset" => Ok(DateTimeOffset(self.digits()?)),
            "char" | "character" => Ok(DataType::char(limited(self.length(8000)?)?)),
            "varchar" | "char varying" | "character varying" => Ok(DataType::varchar(self.length(8000)?)),
            "nchar" | "national char" | "national character" => Ok(NChar(limited(self.length(4000)?)?)),
            "nvarchar" | "national char varying" | "national character varying" => Ok(NVarChar(self.length(4000)?)),
            "binary" => Ok(Binary(limited(self.length(8000)?)?)),
            "varbinary" | "binary varying" => Ok(VarBinary(self.length(8000)?)),
            _ => Err(match self.place {
                Declared::Cast => Message::numbered(243, &[&self.name]),
                Declared::Column(number, _) => Message::numbered(2715, &[&number, &self.name]).state(3),
            }),
        }
    }

    /// The number of the column or parameter, for messages.
    fn number(&self) -> u32 {
        match self.place {
            Declared::Cast => 1,
            Declared::Column(number, _) => number,
        }
    }

    fn length(&self, most: u16) -> Result<Length, Message> {
        match self.arguments {
            [] => Ok(Length::Limited(if self.place == Declared::Cast { 30 } else { 1 })),
            [TypeArgument::Max] => Ok(Length::Max),
            [TypeArgument::Number(length)] if *length < 1 => Err(Message::numbered(1001, &[&1, length])),
            [TypeArgument::Number(length)] => match u16::try_from(*length) {
                Ok(length) if length <= most => Ok(Length::Limited(length)),
                _ => Err(self.too_long(*length, most)),
            },
            _ => Err(Message::numbered(2716, &[&self.number(), &self.name])),
        }
    }

    fn too_long(&self, length: i64, most: u16) -> Message {
        let (kind, name) = match self.place {
            Declared::Cast => ("type", self.name),
            Declared::Column(_, name) if name.starts_with('@') => ("parameter", name),
            Declared::Column(_, name) => ("column", name),
        };
        match length {
            ..=8000 => Message::numbered(2717, &[&length, &kind, &name, &most]),
            _ if kind == "parameter" => Message::numbered(2717, &[&length, &kind, &name, &most]),
            _ => Message::numbered(131, &[&length, &kind, &name, &8000]),
        }
    }

    /// An argument from 0 to 255.
    fn small(&self, argument: TypeArgument) -> Result<u8, Message> {
        match argument {
            TypeArgument::Number(number) if (0..=255).contains(&number) => Ok(number as u8),
            TypeArgument::Number(number) => Err(Message::numbered(1001, &[&1, &number])),
            TypeArgument::Max => Err(Message::numbered(1001, &[&1, &-1])),
        }
    }

    fn digits(&self) -> Result<u8, Message> {
        match self.arguments {
            [] => Ok(7),
            [argument] => match self.small(*argument)? {
                digits @ 0..=7 => Ok(digits),
                digits => Err(Message::numbered(1002, &[&1, &digits]).severity(15)),
            },
            _ => Err(Message::numbered(2716, &[&self.number(), &self.name])),
        }
    }

    fn float(&self) -> Result<DataType, Message> {
        match self.arguments {
            [] => Ok(Float),
            [argument] => match self.small(*argument)? {
                1..=24 => Ok(Real),
                25..=53 => Ok(Float),
                0 => Err(Message::numbered(1001, &[&1, &0])),
                _ if self.place == Declared::Cast => Ok(Float),
                bits => Err(Message::numbered(2750, &[&self.number(), &bits, &53])),
            },
            _ => Err(Message::numbered(2716, &[&self.number(), &self.name])),
        }
    }

    fn decimal(&self) -> Result<DataType, Message> {
        let (precision, scale) = match self.arguments {
            [] => (18, 0),
            [precision] => (self.small(*precision)?, 0),
            [precision, scale] => (self.small(*precision)?, self.small(*scale)?),
            _ => return Err(Message::numbered(2716, &[&self.number(), &self.name])),
        };
        match (precision, scale) {
            (0, _) => Err(Message::numbered(1001, &[&1, &0])),
            // CAST takes as many digits as there are, unless a scale is named as well.
            (39.., 0) if self.place == Declared::Cast && self.arguments.len() == 1 => {
                Ok(Decimal { precision: 38, scale: 0 })
            }
            (39.., _) if self.place == Declared::Cast => {
                Err(Message::numbered(2717, &[&precision, &"type", &self.name, &38]))
            }
            (39.., _) => Err(Message::numbered(2750, &[&self.number(), &precision, &38])),
            _ if scale > precision => Err(match self.place {
                Declared::Column(_, name) if !name.starts_with('@') => {
                    Message::numbered(183, &[&scale, &name, &0, &precision])
                }
                _ => Message::numbered(192, &[]),
            }),
            _ => Ok(Decimal { precision, scale }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(name: &str, arguments: &[i64]) -> String {
        let arguments: Vec<_> = arguments.iter().map(|n| TypeArgument::Number(*n)).collect();
        match DataType::declare(name, &arguments, Declared::Cast) {
            Ok(data_type) => data_type.to_string(),
            Err(message) => message.number.to_string(),
        }
    }

    #[test]
    fn names_and_synonyms() {
        let rows: [(&str, &[i64], &str); 22] = [
            ("INT", &[], "int"),
            ("integer", &[], "int"),
            ("dec", &[], "decimal(18,0)"),
            ("numeric", &[10], "decimal(10,0)"),
            ("decimal", &[10, 4], "decimal(10,4)"),
            ("decimal", &[39, 4], "2717"),
            ("numeric", &[39], "decimal(38,0)"),
            ("float", &[54], "float"),
            ("decimal", &[5, 6], "192"),
            ("float", &[24], "real"),
            ("float", &[25], "float"),
            ("double  precision", &[], "float"),
            ("varchar", &[], "varchar(30)"),
            ("character varying", &[10], "varchar(10)"),
            ("nvarchar", &[4001], "2717"),
            ("char", &[0], "1001"),
            ("time", &[], "time(7)"),
            ("datetime2", &[8], "1002"),
            ("sysname", &[], "nvarchar(128)"),
            ("int", &[4], "2716"),
            ("rowversion", &[], "timestamp"),
            ("strange", &[], "243"),
        ];
        for (name, arguments, expected) in rows {
            assert_eq!(cast(name, arguments), expected, "{name} {arguments:?}");
        }
    }

    #[test]
    fn a_column_without_a_length_has_one() {
        let place = Declared::Column(2, "name");
        assert_eq!(DataType::declare("char", &[], place), Ok(DataType::char(1)));
        assert_eq!(DataType::declare("varchar", &[TypeArgument::Max], place), Ok(DataType::varchar(Length::Max)));
        let message = DataType::declare("nosuch", &[], place).unwrap_err();
        assert_eq!(message.text, "Column, parameter, or variable #2: Cannot find data type nosuch.");
        let declare = |name, arguments: &[i64], place| {
            let arguments: Vec<_> = arguments.iter().map(|n| TypeArgument::Number(*n)).collect();
            DataType::declare(name, &arguments, place).unwrap_err().text
        };
        assert_eq!(
            declare("varchar", &[9000], place),
            "The size (9000) given to the column 'name' exceeds the maximum allowed for any data type (8000)."
        );
        assert_eq!(
            declare("nvarchar", &[5000], Declared::Column(1, "@p")),
            "The size (5000) given to the parameter '@p' exceeds the maximum allowed (4000)."
        );
        assert_eq!(
            declare("decimal", &[5, 6], place),
            "The scale (6) for column 'name' must be within the range 0 to 5."
        );
        assert_eq!(
            declare("decimal", &[39], place),
            "Column or parameter #2: Specified column precision 39 is greater than the maximum precision of 38."
        );
    }
}
