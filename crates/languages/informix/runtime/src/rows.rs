//! Rows and columns of the core as those of Informix.

use crate::failure::{of_core, of_syntax};
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};
use mainstay_columnar::ValueReader;
use mainstay_columnar::values::{OFFSET, TICKS, data_type_of};
use mainstay_engine::Answer;
use mainstay_informix_syntax::{Field as Unit, FloatingDecimal, Type};
use mainstay_session::{Column, Declared, Failure, Rows, TakeRow};
use mainstay_types::{Value, ValueRef};
use std::sync::{Arc, Mutex, PoisonError};

/// The key of a declared type in the metadata of a field.
const DECLARED: &str = "mainstay.declared";
/// The key of the length of a CHAR in the metadata of a field of a result.
const SHOWN_LENGTH: &str = mainstay_planner::SHOWN_LENGTH;

/// The type of a field that a column declares in this language.
///
/// CAST keeps the metadata of its operand, and changes the type of the field.
pub(crate) fn declared_type(field: &Field) -> Option<Type> {
    let known = Type::of_declared(field.metadata().get(DECLARED)?)?;
    let declared = data_type_of(known.sql_type());
    let is_cast = declared != *field.data_type() && !(is_text(&declared) && is_text(field.data_type()));
    (!is_cast).then_some(known)
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// The type of a field of a result.
pub(crate) fn type_of(field: &Field) -> Type {
    declared_type(field).unwrap_or_else(|| inferred(field))
}

fn inferred(field: &Field) -> Type {
    let length = field.metadata().get(SHOWN_LENGTH).and_then(|length| length.parse().ok());
    let fraction = |unit: &TimeUnit| match unit {
        TimeUnit::Second => Unit::SECOND,
        TimeUnit::Millisecond => Unit(13),
        _ => Unit(15),
    };
    match field.data_type() {
        DataType::Boolean => Type::Boolean,
        DataType::Int8 | DataType::Int16 | DataType::UInt8 => Type::SmallInt,
        DataType::Int32 | DataType::UInt16 => Type::Integer,
        DataType::Int64 | DataType::UInt32 => Type::BigInt,
        DataType::UInt64 => Type::Decimal(20, Some(0)),
        DataType::Float16 | DataType::Float32 => Type::SmallFloat,
        DataType::Float64 => Type::Float,
        DataType::Date32 | DataType::Date64 => Type::Date,
        &TICKS | &OFFSET => Type::DateTime(Unit::YEAR, Unit(15)),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale) => Type::Decimal((*precision).clamp(1, 38), u8::try_from(*scale).ok()),
        DataType::Time32(unit) | DataType::Time64(unit) => Type::DateTime(Unit::HOUR, fraction(unit)),
        DataType::Timestamp(unit, _) => Type::DateTime(Unit::YEAR, fraction(unit)),
        DataType::Interval(IntervalUnit::YearMonth) => Type::Interval(Unit::YEAR, 9, Unit::MONTH),
        DataType::Interval(_) => Type::Interval(Unit::DAY, 9, Unit(15)),
        DataType::Binary | DataType::BinaryView | DataType::LargeBinary => Type::Byte,
        DataType::FixedSizeBinary(_) => Type::Char(36),
        DataType::Dictionary(_, values) => inferred(&Field::new("", values.as_ref().clone(), true)),
        _ => length.map_or(Type::LVarChar(32_739), Type::Char),
    }
}

/// A column of a result or a parameter.
pub(crate) fn column(name: &str, known: Type, is_nullable: bool) -> Column {
    let declared = Declared::new(known.name(), &known.arguments());
    Column { name: name.to_owned(), sql_type: known.sql_type(), declared: Some(declared), is_nullable }
}

/// The rows of an answer, as they come.
pub(crate) struct CoreRows {
    answer: Answer,
    /// The columns of the batch that is read, the number of its rows, and the next of them.
    columns: Vec<ValueReader>,
    len: usize,
    next: usize,
    /// The columns that are DECIMALs whose point floats: their values are numbers, not the bytes that the core has.
    floating: Vec<bool>,
}

impl CoreRows {
    pub(crate) fn new(answer: Answer) -> CoreRows {
        let is_floating = |field: &Arc<Field>| declared_type(field).is_some_and(Type::is_floating);
        let floating = answer.schema().fields().iter().map(is_floating).collect();
        CoreRows { answer, columns: Vec::new(), len: 0, next: 0, floating }
    }

    /// The number of the next row in the columns; `None` behind the last row.
    fn advance(&mut self) -> Result<Option<usize>, Failure> {
        while self.next >= self.len {
            let batch = self.answer.next_batch().map_err(|error| of_core(&error, false))?;
            let Some(batch) = batch else { return Ok(None) };
            let columns = batch.columns().iter().map(ValueReader::new).collect::<mainstay_types::Result<_>>();
            self.columns = columns.map_err(|error| of_core(&error, false))?;
            (self.len, self.next) = (batch.num_rows(), 0);
        }
        self.next += 1;
        Ok(Some(self.next - 1))
    }
}

impl CoreRows {
    /// The rows with DECIMALs whose point floats as columns store them: those of the variables of a trigger.
    pub(crate) fn stored(answer: Answer) -> CoreRows {
        let floating = vec![false; answer.schema().fields().len()];
        CoreRows { answer, columns: Vec::new(), len: 0, next: 0, floating }
    }
}

impl Rows for CoreRows {
    fn next(&mut self) -> Result<Option<Vec<Value>>, Failure> {
        let Some(row) = self.advance()? else { return Ok(None) };
        let values = self.columns.iter().zip(&self.floating);
        let values = values.map(|(column, is_floating)| held(column.value(row), *is_floating));
        values.collect::<Result<_, _>>().map(Some)
    }

    fn lend_next(&mut self, take: &mut TakeRow<'_>) -> Result<bool, Failure> {
        let Some(row) = self.advance()? else { return Ok(false) };
        let mut few = [ValueRef::Null; FEW_COLUMNS];
        match few.get_mut(..self.columns.len()) {
            Some(values) => lend((&self.columns, &self.floating), row, values, take)?,
            None => lend((&self.columns, &self.floating), row, &mut vec![ValueRef::Null; self.columns.len()], take)?,
        }
        Ok(true)
    }
}

/// Columns of a row that is lent without an allocation.
const FEW_COLUMNS: usize = 16;

/// Lends the values of a row, in `values`.
fn lend<'c>(
    (columns, floating): (&'c [ValueReader], &[bool]),
    row: usize,
    values: &mut [ValueRef<'c>],
    take: &mut TakeRow<'_>,
) -> Result<(), Failure> {
    let mut has_others = false;
    for ((value, column), is_floating) in values.iter_mut().zip(columns).zip(floating) {
        *value = match column.value(row) {
            ValueRef::TimestampWithOffset { utc, offset_minutes } => ValueRef::Timestamp(utc.to_local(offset_minutes)),
            known => known,
        };
        has_others |= *is_floating || matches!(value, ValueRef::Uuid(_));
    }
    if !has_others {
        return take(values);
    }
    let values = values.iter().zip(floating).map(|(value, is_floating)| held(*value, *is_floating));
    let values = values.collect::<Result<Vec<Value>, _>>()?;
    take(&values.iter().map(Value::as_ref).collect::<Vec<_>>())
}

/// All rows of an answer.
///
/// Errors: those of the statement.
pub(crate) fn all_values(mut rows: CoreRows) -> Result<Vec<Vec<Value>>, Failure> {
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(row);
    }
    Ok(all)
}

/// Rows that a routine has returned.
pub(crate) struct KeptRows(std::vec::IntoIter<Vec<Value>>);

impl KeptRows {
    pub(crate) fn new(rows: Vec<Vec<Value>>) -> KeptRows {
        KeptRows(rows.into_iter())
    }
}

impl Rows for KeptRows {
    fn next(&mut self) -> Result<Option<Vec<Value>>, Failure> {
        Ok(self.0.next())
    }
}

/// The number of the current row of a cursor that changes rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct CurrentRow(Arc<Mutex<Option<i64>>>);

impl CurrentRow {
    /// The number; `None` before the first row, behind the last one, and when the cursor is closed.
    pub(crate) fn get(&self) -> Option<i64> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, row: Option<i64>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = row;
    }
}

/// The rows of a query whose last column is the number of the row, which is not shown.
pub(crate) struct NumberedRows {
    rows: CoreRows,
    current: CurrentRow,
}

impl NumberedRows {
    pub(crate) fn new(rows: CoreRows, current: CurrentRow) -> NumberedRows {
        NumberedRows { rows, current }
    }
}

impl Rows for NumberedRows {
    fn next(&mut self) -> Result<Option<Vec<Value>>, Failure> {
        self.current.set(None);
        let Some(mut row) = self.rows.next()? else { return Ok(None) };
        if let Some(Value::Integer(number)) = row.pop() {
            self.current.set(Some(number));
        }
        Ok(Some(row))
    }
}

impl Drop for NumberedRows {
    fn drop(&mut self) {
        self.current.set(None);
    }
}

/// The number of the bytes of a DECIMAL whose point floats.
///
/// Errors: -1213 for bytes of no number, which other languages can store.
pub(crate) fn number(value: Value) -> Result<Value, Failure> {
    match &value {
        Value::Binary(bytes) => {
            FloatingDecimal::from_bytes(bytes).map(FloatingDecimal::to_value).map_err(|error| of_syntax(&error, ""))
        }
        _ => Ok(value),
    }
}

/// A value of its own, as clients see it.
fn held(value: ValueRef<'_>, is_floating: bool) -> Result<Value, Failure> {
    if is_floating { number(value.to_value()) } else { Ok(owned(value)) }
}

/// A value of its own; types that Informix lacks become those that it has.
fn owned(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Uuid(_) => Value::Text(value.to_string()),
        ValueRef::TimestampWithOffset { utc, offset_minutes } => Value::Timestamp(utc.to_local(offset_minutes)),
        other => other.to_value(),
    }
}
