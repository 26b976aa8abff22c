//! The types of SQL Server, and their declarations.

use mainstay_character_sets::CodePage;
use std::fmt;

/// The length of a type that varies: a number of bytes (characters of two bytes for the N types), or MAX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Up to so many.
    Limited(u16),
    /// `MAX`: up to 2 GB.
    Max,
}

/// A type of SQL Server, with its length, precision and scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum DataType {
    Bit,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    /// DECIMAL and NUMERIC, which are one type: `precision` 1 to 38 digits, `scale` of them after the point.
    Decimal {
        precision: u8,
        scale: u8,
    },
    SmallMoney,
    Money,
    Real,
    Float,
    Date,
    /// TIME with 0 to 7 digits of a second.
    Time(u8),
    SmallDateTime,
    DateTime,
    /// DATETIME2 with 0 to 7 digits of a second.
    DateTime2(u8),
    /// DATETIMEOFFSET with 0 to 7 digits of a second.
    DateTimeOffset(u8),
    /// CHAR of 1 to 8000 bytes of a code page.
    Char(u16, CodePage),
    VarChar(Length, CodePage),
    /// NCHAR of 1 to 4000 characters.
    NChar(u16),
    NVarChar(Length),
    Text(CodePage),
    NText,
    /// BINARY of 1 to 8000 bytes.
    Binary(u16),
    VarBinary(Length),
    Image,
    /// ROWVERSION, which is also called TIMESTAMP: eight bytes.
    RowVersion,
    UniqueIdentifier,
    Xml,
    SqlVariant,
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Limited(length) => write!(f, "{length}"),
            Length::Max => f.write_str("max"),
        }
    }
}

/// As it is declared: `decimal(10,2)`, `nvarchar(max)`. A code page that is not the default's stands behind it, which
/// [`data_type`](crate::operation::data_type) reads: `varchar(10) cp1250`.
impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DataType::*;
        match self {
            Bit => f.write_str("bit"),
            TinyInt => f.write_str("tinyint"),
            SmallInt => f.write_str("smallint"),
            Int => f.write_str("int"),
            BigInt => f.write_str("bigint"),
            Decimal { precision, scale } => write!(f, "decimal({precision},{scale})"),
            SmallMoney => f.write_str("smallmoney"),
            Money => f.write_str("money"),
            Real => f.write_str("real"),
            Float => f.write_str("float"),
            Date => f.write_str("date"),
            Time(digits) => write!(f, "time({digits})"),
            SmallDateTime => f.write_str("smalldatetime"),
            DateTime => f.write_str("datetime"),
            DateTime2(digits) => write!(f, "datetime2({digits})"),
            DateTimeOffset(digits) => write!(f, "datetimeoffset({digits})"),
            Char(length, _) => write!(f, "char({length})"),
            VarChar(length, _) => write!(f, "varchar({length})"),
            NChar(length) => write!(f, "nchar({length})"),
            NVarChar(length) => write!(f, "nvarchar({length})"),
            Text(_) => f.write_str("text"),
            NText => f.write_str("ntext"),
            Binary(length) => write!(f, "binary({length})"),
            VarBinary(length) => write!(f, "varbinary({length})"),
            Image => f.write_str("image"),
            RowVersion => f.write_str("timestamp"),
            UniqueIdentifier => f.write_str("uniqueidentifier"),
            Xml => f.write_str("xml"),
            SqlVariant => f.write_str("sql_variant"),
        }?;
        match self.code_page() {
            Some(page) if page != CodePage::DEFAULT => write!(f, " {page}"),
            _ => Ok(()),
        }
    }
}
