//! Rows of the core as those of a static cursor.
//!
//! A cursor's fields have lengths, and what a function gives has none: text gets the length of its longest value, an exact
//! number the digits of its largest.

use crate::failure::{Failed, of_core};
use ace::backend::{Column, Outcome};
use mainstay_base::{Collation, SqlType, Value};
use mainstay_query::Answer;
use mainstay_query::advantage::sql_type;
use mainstay_table::values::value_at;

/// The longest text that a cursor keeps in its record.
const LONGEST_TEXT: usize = 254;

/// The most digits of a number that a cursor keeps exactly.
const MOST_DIGITS: u32 = 17;

/// All rows of an answer.
pub(crate) fn outcome(answer: Answer) -> Result<Outcome, Failed> {
    let affected = answer.changed().unwrap_or(0);
    let fields = answer.schema().fields().clone();
    let mut rows = Vec::new();
    let failed = |error| of_core(&error);
    for batch in answer.collect().map_err(failed)? {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| value_at(column.as_ref(), row));
            rows.push(values.collect::<mainstay_base::Result<Vec<Value>>>().map_err(failed)?);
        }
    }
    let columns = fields.iter().enumerate().map(|(place, field)| {
        let values = rows.iter().filter_map(|row| row.get(place));
        Column { name: field.name().clone(), sql_type: measured(sql_type(field), values) }
    });
    Ok(Outcome { columns: columns.collect(), rows, affected, step: None })
}

/// The type of a column with these values.
fn measured<'v>(known: Option<SqlType>, values: impl Iterator<Item = &'v Value>) -> SqlType {
    let text = |length: usize| SqlType::VarChar {
        length: (length <= LONGEST_TEXT).then(|| u32::try_from(length.max(1)).unwrap_or(1)),
        collation: Collation::Binary,
    };
    match known {
        // The column of a NULL that has no type.
        None => text(1),
        Some(SqlType::VarChar { .. }) => {
            let length = |value: &Value| match value {
                Value::Text(text) => text.chars().count(),
                _ => 0,
            };
            text(values.map(length).max().unwrap_or(0))
        }
        // What the files and the functions of the core have no narrower type for.
        Some(SqlType::BigInt) => {
            let mut numbers = values;
            let fits = |value: &Value| !matches!(value, Value::Integer(number) if i32::try_from(*number).is_err());
            if numbers.all(fits) { SqlType::Integer } else { SqlType::BigInt }
        }
        Some(SqlType::Decimal { precision: 19, scale: 4 }) => SqlType::Money,
        Some(SqlType::Decimal { precision, scale }) if u32::from(precision) > MOST_DIGITS => {
            let digits = |value: &Value| match value {
                Value::Decimal(number) => {
                    number.unscaled.unsigned_abs().checked_ilog10().map_or(1, |digits| digits + 1)
                }
                _ => 1,
            };
            let most = values.map(digits).max().unwrap_or(1).max(u32::from(scale) + 1);
            match u8::try_from(most) {
                Ok(digits) if most <= MOST_DIGITS => SqlType::Decimal { precision: digits, scale },
                _ => SqlType::Double,
            }
        }
        Some(known) => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_values() {
        let texts = [Value::Text("abc".to_owned()), Value::Null, Value::Text("ä".to_owned())];
        let text = |length| SqlType::VarChar { length, collation: Collation::Binary };
        assert_eq!(measured(Some(text(None)), texts.iter()), text(Some(3)));
        assert_eq!(measured(Some(text(None)), [Value::Text("x".repeat(300))].iter()), text(None));
        assert_eq!(measured(Some(SqlType::BigInt), [Value::Integer(7)].iter()), SqlType::Integer);
        assert_eq!(measured(Some(SqlType::BigInt), [Value::Integer(1 << 40)].iter()), SqlType::BigInt);
        assert_eq!(measured(None, std::iter::empty()), text(Some(1)));
    }

    #[test]
    fn digits_are_those_of_the_values() {
        let wide = Some(SqlType::Decimal { precision: 38, scale: 2 });
        let number = |unscaled| Value::Decimal(mainstay_base::Decimal::new(unscaled, 2));
        assert_eq!(measured(wide, [number(12345)].iter()), SqlType::Decimal { precision: 5, scale: 2 });
        assert_eq!(measured(wide, [number(10_i128.pow(20))].iter()), SqlType::Double);
    }
}
