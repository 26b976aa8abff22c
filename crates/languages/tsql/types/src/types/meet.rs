//! Type precedence, and the common type of several types in CASE, COALESCE, UNION and VALUES.
//!
//! The order is that of the reference page "Data type precedence"; lengths, precisions and scales are those of the page
//! "Precision, scale, and length": the type is as long as the longest of them, and a decimal keeps the digits of all
//! on both sides of its point as long as there are not more than 38.

use super::{DataType, Length, implicit};
use crate::Message;
use crate::text::Encoding;
use DataType::*;

impl DataType {
    /// The rank of the type: where two meet, the one with the lower rank becomes the other.
    pub fn precedence(self) -> u8 {
        match self {
            SqlVariant => 29,
            Xml => 28,
            DateTimeOffset(_) => 27,
            DateTime2(_) => 26,
            DateTime => 25,
            SmallDateTime => 24,
            Date => 23,
            Time(_) => 22,
            Float => 21,
            Real => 20,
            Decimal { .. } => 19,
            Money => 18,
            SmallMoney => 17,
            BigInt => 16,
            Int => 15,
            SmallInt => 14,
            TinyInt => 13,
            Bit => 12,
            NText => 11,
            Text(_) => 10,
            Image => 9,
            RowVersion => 8,
            UniqueIdentifier => 7,
            NVarChar(_) => 6,
            NChar(_) => 5,
            VarChar(..) => 4,
            Char(..) => 3,
            VarBinary(_) => 2,
            Binary(_) => 1,
        }
    }
}

/// The type of `CASE WHEN .. THEN a ELSE b END`, of COALESCE, of a column of a UNION. The error is 206 or 257.
pub fn union(a: DataType, b: DataType) -> Result<DataType, Message> {
    let (high, low) = if a.precedence() >= b.precedence() { (a, b) } else { (b, a) };
    if high.name() != low.name() {
        implicit(low, high)?;
    }
    Ok(match (high, low) {
        (Decimal { precision, scale }, _) => match low.as_exact() {
            Some((other_precision, other_scale)) => decimal_union((precision, scale), (other_precision, other_scale)),
            None => high,
        },
        (Time(a), Time(b)) => Time(a.max(b)),
        (DateTime2(a), _) => DateTime2(a.max(moment_digits(low, a))),
        (DateTimeOffset(a), _) => DateTimeOffset(a.max(moment_digits(low, a))),
        (NVarChar(_) | NChar(_) | VarChar(..) | Char(..), _) if low.is_string() => string_union(high, low),
        (VarBinary(_) | Binary(_), VarBinary(_) | Binary(_)) => binary_union(high, low),
        _ => high,
    })
}

/// The type of all of them, which may be bare NULLs (`None`): these count as INT only when there is nothing else.
pub fn of_all(types: impl IntoIterator<Item = Option<DataType>>) -> Result<Option<DataType>, Message> {
    let mut all = None;
    for data_type in types.into_iter().flatten() {
        all = Some(match all {
            Some(before) => union(before, data_type)?,
            None => data_type,
        });
    }
    Ok(all)
}

/// Digits of a second that a moment has; `own` for what has none of its own.
fn moment_digits(data_type: DataType, own: u8) -> u8 {
    match data_type {
        Time(digits) | DateTime2(digits) | DateTimeOffset(digits) => digits,
        DateTime => 3,
        _ => own,
    }
}

fn decimal_union((p1, s1): (u8, u8), (p2, s2): (u8, u8)) -> DataType {
    let whole = (p1 - s1.min(p1)).max(p2 - s2.min(p2));
    let scale = s1.max(s2);
    let precision = whole + scale;
    if precision <= 38 {
        return Decimal { precision, scale };
    }
    Decimal { precision: 38, scale: scale.min(38 - whole.min(38)) }
}

/// The longer of two lengths, where MAX is the longest.
pub(crate) fn longer(a: Length, b: Length) -> Length {
    match (a, b) {
        (Length::Limited(a), Length::Limited(b)) => Length::Limited(a.max(b)),
        _ => Length::Max,
    }
}

fn string_union(high: DataType, low: DataType) -> DataType {
    let lengths = (high.length().unwrap_or(Length::Max), low.length().unwrap_or(Length::Max));
    let encoding = high.encoding().meet(low.encoding());
    let cut = |length: Length| match length {
        Length::Limited(length) => Length::Limited(length.min(encoding.most() as u16)),
        other => other,
    };
    let length = cut(longer(lengths.0, lengths.1));
    let fixed = matches!((high, low), (Char(..) | NChar(_), Char(..) | NChar(_)));
    match (fixed, length, encoding) {
        (true, Length::Limited(length), Encoding::National) => NChar(length),
        (true, Length::Limited(length), Encoding::Page(page)) => Char(length, page),
        _ => DataType::string_of(encoding, length),
    }
}

fn binary_union(high: DataType, low: DataType) -> DataType {
    let length = longer(high.length().unwrap_or(Length::Max), low.length().unwrap_or(Length::Max));
    match (high, low, length) {
        (Binary(_), Binary(_), Length::Limited(length)) => Binary(length),
        _ => VarBinary(length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_character_sets::CodePage;

    #[test]
    fn the_type_of_two() {
        let decimal = |precision, scale| Decimal { precision, scale };
        let varchar = |length| DataType::varchar(Length::Limited(length));
        let polish = VarChar(Length::Limited(5), CodePage::Cp1250);
        let rows = [
            (Int, BigInt, "bigint"),
            (Int, decimal(5, 2), "decimal(12,2)"),
            (decimal(10, 2), decimal(8, 4), "decimal(12,4)"),
            (decimal(38, 10), decimal(38, 2), "decimal(38,2)"),
            (Money, decimal(5, 2), "decimal(19,4)"),
            (varchar(5), varchar(10), "varchar(10)"),
            (DataType::char(5), DataType::char(10), "char(10)"),
            (DataType::char(5), varchar(3), "varchar(5)"),
            (polish, varchar(7), "varchar(7) cp1250"),
            (polish, NChar(3), "nvarchar(5)"),
            (varchar(8000), NChar(10), "nvarchar(4000)"),
            (varchar(5), Int, "int"),
            (DateTime, varchar(5), "datetime"),
            (DateTime2(3), DateTime2(5), "datetime2(5)"),
            (Float, decimal(10, 2), "float"),
            (Binary(4), VarBinary(Length::Limited(8)), "varbinary(8)"),
            (Date, Int, "206"),
            (varchar(5), DataType::varchar(Length::Max), "varchar(max)"),
        ];
        for (a, b, expected) in rows {
            for (a, b) in [(a, b), (b, a)] {
                let shown = union(a, b).map_or_else(|message| message.number.to_string(), |t| t.to_string());
                assert_eq!(shown, expected, "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_bare_null_has_no_say() {
        assert_eq!(of_all([None, Some(DateTime), None]), Ok(Some(DateTime)));
        assert_eq!(of_all([None, None]), Ok(None));
    }
}
