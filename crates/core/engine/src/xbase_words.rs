//! Conditions and expressions of xBase over any table, translated to SQL.
//!
//! The fields are the columns of the table, whatever kind of file it has. `mainstay_xbase::expr` defines the meaning of
//! a condition; dates have Clipper's default format.

use crate::describe::{ColumnInfo, TableInfo};
use mainstay_types::{Date, Result};
use mainstay_xbase::dbf::{Field, FieldKind};
use mainstay_xbase::expr::{Context, Expression, Memos, Moment, at_moment};
use std::time::{SystemTime, UNIX_EPOCH};

/// How days are written.
const MASK: &str = "MM/DD/YY";

const MS_PER_DAY: u128 = 86_400_000;

/// A condition of xBase over a table as one of SQL, as it is meant now.
///
/// Errors: what is wrong with it, with the place in `text`: `Syntax`, `UnknownColumn`, `UnknownFunction`, `TypeMismatch`,
/// `Unsupported` for what SQL has nothing like.
pub fn xbase_condition(table: &TableInfo, text: &str) -> Result<String> {
    to_sql(table, text, true)
}

/// The same of an expression of any type.
///
/// Errors: as [`xbase_condition`].
pub fn xbase_expression(table: &TableInfo, text: &str) -> Result<String> {
    to_sql(table, text, false)
}

fn to_sql(table: &TableInfo, text: &str, as_condition: bool) -> Result<String> {
    let fields = fields(table);
    let context = Context { memos: Memos::Given, ..Context::new(&fields) };
    let meant = meant_now(text);
    let made = Expression::parse(&meant).and_then(|expression| expression.to_sql(&context, as_condition));
    made.map_err(|error| match error.text_span() {
        Some(span) if meant != text => {
            let (start, end) = span_before(text, &meant, span);
            error.span(start, end)
        }
        _ => error,
    })
}

/// Where in a text stands what stands at `span` of the text that was made of it by replacing something in the middle.
fn span_before(text: &str, meant: &str, (start, end): (usize, usize)) -> (usize, usize) {
    let same = |(one, other): &(u8, u8)| one == other;
    let front = text.bytes().zip(meant.bytes()).take_while(same).count();
    let most = text.len().min(meant.len()) - front;
    let back = text.bytes().rev().zip(meant.bytes().rev()).take(most).take_while(same).count();
    let moved = |at: usize| (at + text.len()).saturating_sub(meant.len());
    match (end <= front, start >= meant.len() - back) {
        (true, _) => (start, end),
        (_, true) => (moved(start), moved(end)),
        _ => (start.min(front), moved(end.max(meant.len() - back))),
    }
}

/// The text with what depends on the moment replaced by what it is now: UTC, as the core's CURRENT_DATE.
fn meant_now(text: &str) -> String {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    let today = Date(i32::try_from(since_epoch / MS_PER_DAY).unwrap_or(0));
    let moment = Moment {
        day: today.julian(),
        ms: i32::try_from(since_epoch % MS_PER_DAY).unwrap_or(0),
        mask: MASK,
        read_day: &read_day,
        read_moment: &|text| Some((read_day(text)?, 0)),
    };
    at_moment(text, &moment)
}

/// The Julian day of `MM/DD/YY` or `MM/DD/YYYY`; two digits are of the twentieth century.
fn read_day(text: &str) -> Option<i32> {
    let mut parts = text.split('/').map(|part| part.trim().parse::<u32>().ok());
    let (month, day, year) = (parts.next()??, parts.next()??, parts.next()??);
    let year = if year < 100 { year + 1900 } else { year };
    Date::from_ymd(i32::try_from(year).ok()?, month, day).map(Date::julian)
}

/// The columns that an expression can be over, as fields, with those that a table has and does not show.
fn fields(table: &TableInfo) -> Vec<Field> {
    let hidden = |name: &str, kind, letter, length| field(name, (kind, letter), length, 0);
    let mut fields: Vec<Field> = table.columns.iter().filter_map(field_of).collect();
    fields.push(hidden("_RECNO", FieldKind::Numeric, b'N', 10));
    fields.push(hidden("_DELETED", FieldKind::Logical, b'L', 1));
    fields
}

fn field_of(column: &ColumnInfo) -> Option<Field> {
    let (name, rest) = column.sql_type.split_once('(').unwrap_or((&column.sql_type, ""));
    let mut numbers = rest.split([',', ')']).map(|number| number.trim().parse::<usize>().ok());
    let (length, decimals) = (numbers.next().flatten(), numbers.next().flatten().unwrap_or(0));
    let (kind, length) = match name.trim() {
        "CHAR" | "CHARACTER" => ((FieldKind::Character, b'C'), length.unwrap_or(1)),
        "VARCHAR" | "TEXT" | "CHARACTER VARYING" => ((FieldKind::Memo, b'M'), 10),
        "DATE" => ((FieldKind::Date, b'D'), 8),
        "TIMESTAMP" => ((FieldKind::Timestamp, b'T'), 8),
        "BOOLEAN" => ((FieldKind::Logical, b'L'), 1),
        "DECIMAL" | "NUMERIC" => ((FieldKind::Numeric, b'N'), length.unwrap_or(20) + 2),
        "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT" => ((FieldKind::Numeric, b'N'), 20),
        "REAL" | "DOUBLE" | "DOUBLE PRECISION" => ((FieldKind::Numeric, b'F'), 20),
        _ => return None,
    };
    Some(field(&column.name, kind, length, decimals))
}

fn field(name: &str, (kind, letter): (FieldKind, u8), length: usize, decimals: usize) -> Field {
    let decimals = u8::try_from(decimals).unwrap_or(0);
    Field {
        name: name.to_owned(),
        kind,
        letter,
        offset: 1,
        length,
        decimals,
        null_bit: None,
        varying_bit: None,
        adt: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_types::Code;

    fn table() -> TableInfo {
        let column = |name: &str, sql_type: &str| ColumnInfo {
            name: name.to_owned(),
            sql_type: sql_type.to_owned(),
            native_type: String::new(),
            nullable: true,
        };
        TableInfo {
            name: "t".to_owned(),
            path: "t.dbf".into(),
            kind: "dBASE III".to_owned(),
            rows: None,
            deleted: None,
            bytes: 0,
            code_page: None,
            columns: vec![
                column("NAME", "CHAR(20)"),
                column("AMOUNT", "DECIMAL(8,2)"),
                column("SINCE", "DATE"),
                column("PAID", "BOOLEAN"),
                column("NOTES", "VARCHAR"),
            ],
            indexes: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn made(text: &str) -> String {
        xbase_condition(&table(), text).unwrap()
    }

    #[test]
    fn what_an_index_can_answer_stays_plain() {
        assert_eq!(made("name = 'X' .AND. amount > 5"), "((\"NAME\" LIKE 'X%') AND (\"AMOUNT\" > 5))");
        assert_eq!(made("since >= {^2024-01-31}"), "(\"SINCE\" >= DATE '2024-01-31')");
        assert_eq!(made("since = CTOD('01/31/24') .and. paid"), "((\"SINCE\" = DATE '1924-01-31') AND \"PAID\")");
        assert_eq!(made("EMPTY(since)"), "(\"SINCE\" IS NULL)");
    }

    #[test]
    fn blank_fields_are_empty_values_and_not_unknown() {
        assert_eq!(made("amount < 5"), "COALESCE((\"AMOUNT\" < 5), TRUE)");
        assert_eq!(made(".NOT. amount > 5"), "(NOT COALESCE((\"AMOUNT\" > 5), FALSE))");
        assert_eq!(made("!paid"), "(NOT COALESCE(\"PAID\", FALSE))");
    }

    #[test]
    fn what_is_wrong_is_told_in_its_words_and_with_its_place() {
        let wrong = |text: &str| xbase_condition(&table(), text).unwrap_err();
        for (text, code, span) in [
            ("nmae = 'X'", Code::UnknownColumn, (0, 4)),
            ("since > DATE() .and. nmae = 'X'", Code::UnknownColumn, (21, 25)),
            ("amount = 'X'", Code::TypeMismatch, (0, 12)),
            ("name", Code::TypeMismatch, (0, 4)),
            ("name = 'X' .AN. paid", Code::Syntax, (11, 12)),
            ("(amount > 5", Code::Syntax, (0, 11)),
        ] {
            let error = wrong(text);
            assert_eq!((error.code(), error.text_span()), (code, Some(span)), "{text}: {error}");
        }
        assert_eq!(wrong("nam = 'X'").hint_text(), Some("did you mean NAME?"));
    }
}
