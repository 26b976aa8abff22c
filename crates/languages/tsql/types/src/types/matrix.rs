//! The conversion matrix: implicit, explicit only, or not at all.
//!
//! The source is the chart of the reference page "CAST and CONVERT". Its rows are grouped here: each group of types has
//! the groups that it converts to implicitly and those that it converts to explicitly; all others are refused.

use super::DataType;
use crate::Message;
use DataType::*;

/// Returns true if `from` becomes `to` without being asked: in an assignment, or where operands meet. The error is 257
/// when CONVERT would do it, 206 when nothing does.
pub fn implicit(from: DataType, to: DataType) -> Result<(), Message> {
    match verdict(from, to) {
        Verdict::Implicit => Ok(()),
        Verdict::Explicit => Err(Message::numbered(257, &[&from.message_name(), &to.message_name()]).state(3)),
        Verdict::Never => Err(Message::numbered(206, &[&from.message_name(), &to.message_name()]).state(2)),
    }
}

/// Returns true if CAST and CONVERT make a `to` of a `from`; the error is 529.
pub fn explicit(from: DataType, to: DataType) -> Result<(), Message> {
    match verdict(from, to) {
        Verdict::Never => Err(Message::numbered(529, &[&from.message_name(), &to.message_name()]).state(2)),
        _ => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Implicit,
    Explicit,
    Never,
}
use Verdict::{Explicit, Implicit, Never};

fn verdict(from: DataType, to: DataType) -> Verdict {
    if from.name() == to.name() {
        return Implicit;
    }
    // A SQL_VARIANT holds nothing of unlimited length.
    if to == SqlVariant && (from == RowVersion || from.length() == Some(super::Length::Max)) {
        return Never;
    }
    match from {
        Binary(_) | VarBinary(_) => from_binary(to),
        Char(..) | VarChar(..) | NChar(_) | NVarChar(_) => from_string(from, to),
        DateTime | SmallDateTime => from_datetime(to),
        Date => from_new_moment(to, matches!(to, Time(_))),
        Time(_) => from_new_moment(to, matches!(to, Date)),
        DateTime2(_) | DateTimeOffset(_) => from_new_moment(to, false),
        Decimal { .. } | Money | SmallMoney | Bit | TinyInt | SmallInt | Int | BigInt | Float | Real => {
            from_number(from, to)
        }
        RowVersion => match to {
            Float | Real | NChar(_) | NVarChar(_) | UniqueIdentifier | SqlVariant | Xml | Text(_) | NText => Never,
            Date | Time(_) | DateTime2(_) | DateTimeOffset(_) => Never,
            _ => Implicit,
        },
        UniqueIdentifier => match to {
            Binary(_) | VarBinary(_) | SqlVariant => Implicit,
            _ if to.is_string() => Implicit,
            _ => Never,
        },
        Image => match to {
            Binary(_) | VarBinary(_) | RowVersion => Implicit,
            _ => Never,
        },
        Text(_) => match to {
            Char(..) | VarChar(..) | NText | Xml => Implicit,
            NChar(_) | NVarChar(_) => Explicit,
            _ => Never,
        },
        NText => match to {
            NChar(_) | NVarChar(_) | Text(_) | Xml => Implicit,
            Char(..) | VarChar(..) => Explicit,
            _ => Never,
        },
        Xml => match to {
            Binary(_) | VarBinary(_) => Explicit,
            _ if to.is_string() => Explicit,
            _ => Never,
        },
        SqlVariant => match to {
            RowVersion | Image | Text(_) | NText | Xml => Never,
            _ => Explicit,
        },
    }
}

fn from_binary(to: DataType) -> Verdict {
    match to {
        Float | Real | Text(_) | NText => Never,
        Date | Time(_) | DateTime2(_) | DateTimeOffset(_) => Explicit,
        _ => Implicit,
    }
}

fn from_string(from: DataType, to: DataType) -> Verdict {
    match to {
        Binary(_) | VarBinary(_) => Explicit,
        RowVersion => Explicit,
        Image if from.is_national() => Never,
        Image => Implicit,
        _ => Implicit,
    }
}

fn from_datetime(to: DataType) -> Verdict {
    match to {
        UniqueIdentifier | Image | Text(_) | NText | Xml => Never,
        _ if to.is_moment() || to.is_string() || to == SqlVariant => Implicit,
        _ => Explicit,
    }
}

/// DATE, TIME, DATETIME2 and DATETIMEOFFSET, which know nothing of numbers.
fn from_new_moment(to: DataType, refused: bool) -> Verdict {
    match to {
        _ if refused => Never,
        Binary(_) | VarBinary(_) => Explicit,
        _ if to.is_moment() || to.is_string() || to == SqlVariant => Implicit,
        _ => Never,
    }
}

fn from_number(from: DataType, to: DataType) -> Verdict {
    match to {
        Date | Time(_) | DateTime2(_) | DateTimeOffset(_) => Never,
        UniqueIdentifier | Text(_) | NText | Xml | Image => Never,
        RowVersion if from.is_approximate() => Never,
        _ => Implicit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Length;

    #[test]
    fn the_chart() {
        let varchar = DataType::varchar(Length::Limited(10));
        let rows = [
            (varchar, Int, "yes"),
            (Int, varchar, "yes"),
            (Money, varchar, "yes"),
            (varchar, Money, "yes"),
            (DateTime, Int, "257"),
            (Int, DateTime, "yes"),
            (Int, Date, "206"),
            (Date, Int, "206"),
            (Date, DateTime, "yes"),
            (Time(7), Date, "206"),
            (varchar, VarBinary(Length::Max), "257"),
            (Float, VarBinary(Length::Max), "yes"),
            (VarBinary(Length::Max), Float, "206"),
            (UniqueIdentifier, Int, "206"),
            (SqlVariant, Int, "257"),
            (Int, SqlVariant, "yes"),
            (VarBinary(Length::Max), SqlVariant, "206"),
            (Xml, varchar, "257"),
            (NText, varchar, "257"),
        ];
        for (from, to, expected) in rows {
            let shown = implicit(from, to).map_or_else(|message| message.number.to_string(), |()| "yes".into());
            assert_eq!(shown, expected, "{from} to {to}");
        }
    }

    #[test]
    fn messages_name_both_types() {
        let message = implicit(DateTime, Int).unwrap_err();
        let text = "Implicit conversion from data type datetime to int is not allowed. Use the CONVERT function to run \
                    this query.";
        assert_eq!(message.text, text);
        let text = "Explicit conversion from data type int to date is not allowed.";
        assert_eq!(explicit(Int, Date).unwrap_err().text, text);
        assert_eq!(implicit(Int, Date).unwrap_err().text, "Operand type clash: int is incompatible with date");
        assert!(explicit(DateTime, Int).is_ok());
    }
}
