//! Rows of the core as those of a static cursor.
//!
//! A cursor's fields have lengths, but the results of functions have none: text gets the length of its longest value,
//! an exact number the digits of its largest. So the types of such columns are known only after the last row.

use crate::failure::{Failed, leaving, of_core};
use arrow_array::RecordBatch;
use arrow_schema::Field;
use mainstay_ads_planner::sql_type;
use mainstay_area_session::{Column, Outcome, RowSource};
use mainstay_columnar::values::value_at;
use mainstay_planner::{Answer, FIELD_COLUMN};
use mainstay_types::{Collation, SqlType, Value};
use mainstay_xbase::adt::Type;
use mainstay_xbase::dbf::Format;
use mainstay_xbase::indexed::declared_spec;

/// The longest text that a cursor keeps in its record.
const LONGEST_TEXT: usize = 254;

/// The most digits of a number that a cursor keeps exactly.
const MOST_DIGITS: u32 = 17;

/// Rows that are made at once.
const MOST_ROWS: usize = 1024;

/// All rows of an answer.
pub(crate) fn outcome(answer: Answer) -> Result<Outcome, Failed> {
    let affected = answer.changed().unwrap_or(0);
    let mut given = Rows::new(answer);
    let mut rows = Vec::new();
    while let Some(mut some) = given.some()? {
        rows.append(&mut some);
    }
    Ok(Outcome { columns: given.known_columns(), rows, affected, step: None })
}

/// The rows of an answer as they come.
pub(crate) struct Rows {
    answer: Answer,
    columns: Vec<(Column, Measure)>,
    /// The batch that rows are taken from, and the next of them.
    batch: Option<(RecordBatch, usize)>,
    is_ended: bool,
}

impl Rows {
    pub(crate) fn new(answer: Answer) -> Rows {
        let fields = answer.schema().fields().clone();
        let columns = fields.iter().map(|field| {
            let field_of_adt = adt_field(field);
            // A type without a value yet is replaced behind the last row.
            let column = Column { field: field_of_adt, ..Column::new(field.name(), SqlType::Boolean) };
            (column, Measure::of(field))
        });
        Rows { columns: columns.collect(), answer, batch: None, is_ended: false }
    }

    /// Some of the rows that follow.
    fn some(&mut self) -> Result<Option<Vec<Vec<Value>>>, Failed> {
        loop {
            let (batch, from) = match self.batch.take() {
                Some(taken) => taken,
                None => match self.answer.next_batch().map_err(|error| of_core(&error))? {
                    Some(batch) => (batch, 0),
                    None => {
                        self.is_ended = true;
                        return Ok(None);
                    }
                },
            };
            let until = batch.num_rows().min(from + MOST_ROWS);
            if from == until {
                continue;
            }
            let mut rows = Vec::with_capacity(until - from);
            for row in from..until {
                let values = batch.columns().iter().map(|column| value_at(column.as_ref(), row));
                let values = values.collect::<mainstay_types::Result<Vec<Value>>>().map_err(|error| of_core(&error))?;
                self.columns.iter_mut().zip(&values).for_each(|((_, measure), value)| measure.note(value));
                rows.push(values);
            }
            self.batch = (until < batch.num_rows()).then_some((batch, until));
            return Ok(Some(rows));
        }
    }

    fn known_columns(&self) -> Vec<Column> {
        let columns = self.columns.iter();
        columns.map(|(column, measure)| Column { sql_type: measure.sql_type(), ..column.clone() }).collect()
    }
}

/// The rows of a statement for its cursor.
pub(crate) struct Source {
    pub(crate) rows: Rows,
    /// The statement, for error messages.
    pub(crate) text: String,
}

impl RowSource for Source {
    fn columns(&self) -> Option<Vec<Column>> {
        let is_known = self.rows.is_ended || self.rows.columns.iter().all(|(_, measure)| measure.is_known());
        is_known.then(|| self.rows.known_columns())
    }

    fn next(&mut self) -> mainstay_types::Result<Option<Vec<Vec<Value>>>> {
        self.rows.some().map_err(|error| leaving(&error, &self.text))
    }
}

/// The property of a column's values that its type depends on.
enum Measure {
    /// Nothing: the type is known.
    Known(SqlType),
    /// Texts, and the characters of the longest.
    Text(usize),
    /// Whole numbers, which the files and the functions of the core have no narrower type for, and whether all are short.
    Whole(bool),
    /// Exact numbers with so many decimals, and the digits of the longest.
    Exact(u8, u32),
}

/// Rows whose texts without a length get that of the longest: the results of a procedure are stored in memos, but are
/// not memos.
pub(crate) fn measured(mut outcome: Outcome) -> Outcome {
    for (place, column) in outcome.columns.iter_mut().enumerate() {
        let mut measure = Measure::new(Some(column.sql_type));
        if let Measure::Text(_) = measure {
            outcome.rows.iter().filter_map(|row| row.get(place)).for_each(|value| measure.note(value));
            column.sql_type = measure.sql_type();
        }
    }
    outcome
}

/// The field of an ADT that a column is, if its values can be kept in one of the same type.
fn adt_field(field: &Field) -> Option<String> {
    let declared = field.metadata().get(FIELD_COLUMN)?;
    let name = declared.split_once('(').map(|(name, _)| name).filter(|name| name.len() > 1)?;
    // A table fills fields of these types itself; a cursor has plain numbers and moments.
    let is_filled = matches!(Type::of_name(name)?, Type::AutoIncrement | Type::RowVersion | Type::ModTime);
    let is_kept =
        !is_filled && declared_spec(Format::Advantage, field.name(), declared, sql_type(field)?, true).is_some();
    (is_filled || is_kept).then(|| declared.clone())
}

/// The fields of files behind the columns of an answer, from [`FIELD_COLUMN`], with their types.
pub(crate) fn fields_of(answer: &Answer) -> Vec<Option<(String, SqlType)>> {
    let fields = answer.schema().fields().iter();
    fields.map(|field| Some((field.metadata().get(FIELD_COLUMN)?.clone(), sql_type(field)?))).collect()
}

impl Measure {
    /// A memo stays one, however short its values are.
    fn of(field: &Field) -> Measure {
        let is_memo = field.metadata().get(FIELD_COLUMN).is_some_and(|kept| kept.starts_with('M'));
        let declared = adt_field(field);
        // Numbers that a table counts have fields of other types in a cursor.
        let is_of_adt = |known: SqlType| {
            let is_whole = |declared: &String| declared.starts_with(Type::LongInt.name());
            declared.as_ref().is_some_and(|declared| known != SqlType::BigInt || is_whole(declared))
        };
        match sql_type(field) {
            Some(known) if is_of_adt(known) => Measure::Known(known),
            Some(known @ SqlType::VarChar { .. }) if is_memo => Measure::Known(known),
            known => Measure::new(known),
        }
    }

    fn new(known: Option<SqlType>) -> Measure {
        match known {
            // The column of a NULL that has no type.
            None => Measure::Known(text(1)),
            Some(SqlType::VarChar { .. }) => Measure::Text(0),
            Some(SqlType::BigInt) => Measure::Whole(true),
            Some(SqlType::Decimal { precision: 19, scale: 4 }) => Measure::Known(SqlType::Money),
            Some(SqlType::Decimal { precision, scale }) if u32::from(precision) > MOST_DIGITS => {
                Measure::Exact(scale, u32::from(scale) + 1)
            }
            Some(known) => Measure::Known(known),
        }
    }

    fn is_known(&self) -> bool {
        matches!(self, Measure::Known(_))
    }

    fn note(&mut self, value: &Value) {
        match (self, value) {
            (Measure::Text(longest), Value::Text(text)) => *longest = (*longest).max(text.chars().count()),
            (Measure::Whole(are_short), Value::Integer(number)) => *are_short &= i32::try_from(*number).is_ok(),
            (Measure::Exact(_, most), Value::Decimal(number)) => {
                let digits = number.unscaled.unsigned_abs().checked_ilog10().map_or(1, |digits| digits + 1);
                *most = (*most).max(digits);
            }
            _ => {}
        }
    }

    /// The type of a column with the values that were noted.
    fn sql_type(&self) -> SqlType {
        match *self {
            Measure::Known(known) => known,
            Measure::Text(longest) => text(longest),
            Measure::Whole(are_short) => {
                if are_short {
                    SqlType::Integer
                } else {
                    SqlType::BigInt
                }
            }
            Measure::Exact(scale, most) => match u8::try_from(most) {
                Ok(precision) if most <= MOST_DIGITS => SqlType::Decimal { precision, scale },
                _ => SqlType::Double,
            },
        }
    }
}

fn text(length: usize) -> SqlType {
    SqlType::VarChar {
        length: (length <= LONGEST_TEXT).then(|| u32::try_from(length.max(1)).unwrap_or(1)),
        collation: Collation::Binary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured<'v>(known: Option<SqlType>, values: impl Iterator<Item = &'v Value>) -> SqlType {
        let mut measure = Measure::new(known);
        values.for_each(|value| measure.note(value));
        measure.sql_type()
    }

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
        let number = |unscaled| Value::Decimal(mainstay_types::Decimal::new(unscaled, 2));
        assert_eq!(measured(wide, [number(12345)].iter()), SqlType::Decimal { precision: 5, scale: 2 });
        assert_eq!(measured(wide, [number(10_i128.pow(20))].iter()), SqlType::Double);
    }
}
