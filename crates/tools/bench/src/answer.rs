//! Answers as plain rows, so that one check serves every system.
//!
//! Each system returns its own types: Mainstay decimals and dictionaries in Arrow batches, SQLite doubles, Python JSON.
//! All of them become [`Cell`]s. Exact numbers stay exact and are compared as such whatever their scale; a double is
//! right when it is within one part in 10^11 of the truth, which is less than half a cent in every sum at the published
//! sizes.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use mainstay_types::{Code, Date, Error, Result};
use serde_json::{Value, json};

/// How far a double may be from the truth, relative to it.
const FLOAT_TOLERANCE: f64 = 1e-11;

/// One value of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// SQL's NULL.
    Null,
    /// An exact number: `units` divided by ten to the `scale`.
    Number {
        /// The digits.
        units: i128,
        /// How many of them are behind the point.
        scale: u32,
    },
    /// A double.
    Float(f64),
    /// A string.
    Text(String),
}

/// All rows of an answer, in the order they came.
pub type Rows = Vec<Vec<Cell>>;

impl Cell {
    /// An exact whole number.
    pub fn whole(units: impl Into<i128>) -> Cell {
        Cell::Number { units: units.into(), scale: 0 }
    }

    /// An exact amount with two decimals.
    pub fn cents(units: impl Into<i128>) -> Cell {
        Cell::Number { units: units.into(), scale: 2 }
    }

    /// A string.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A value that SQLite gave.
    pub fn of_sqlite(value: rusqlite::types::ValueRef<'_>) -> Cell {
        use rusqlite::types::ValueRef;
        match value {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(number) => Cell::whole(number),
            ValueRef::Real(number) => Cell::Float(number),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Cell::text(String::from_utf8_lossy(bytes)),
        }
    }

    /// The number as a double, for tolerances and orders only.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Cell::Number { units, scale } => Some(*units as f64 / 10f64.powi(*scale as i32)),
            Cell::Float(value) => Some(*value),
            Cell::Null | Cell::Text(_) => None,
        }
    }

    /// Returns true if this is the same value as `truth`, in whatever type the system chose for it.
    pub fn matches(&self, truth: &Cell) -> bool {
        match (self, truth) {
            (Cell::Number { units, scale }, Cell::Number { units: want, scale: want_scale }) => {
                let common = (*scale).max(*want_scale);
                let widen = |units: &i128, scale: u32| units.checked_mul(10i128.checked_pow(common - scale)?);
                let (own, want) = (widen(units, *scale), widen(want, *want_scale));
                own.is_some() && own == want
            }
            (Cell::Float(value), Cell::Number { .. }) => {
                truth.as_f64().is_some_and(|want| (value - want).abs() <= FLOAT_TOLERANCE * want.abs().max(1.0))
            }
            _ => self == truth,
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::Null => f.write_str("NULL"),
            Cell::Number { units, scale: 0 } => write!(f, "{units}"),
            Cell::Number { scale, .. } => write!(f, "{:.*}", *scale as usize, self.as_f64().unwrap_or(f64::NAN)),
            Cell::Float(value) => write!(f, "{value}"),
            Cell::Text(text) => write!(f, "'{text}'"),
        }
    }
}

/// Checks that these are the rows of the truth, in their order; the error names the difference.
pub fn same_rows_in_order(rows: &Rows, truth: &[Vec<Cell>]) -> std::result::Result<(), String> {
    if rows.len() != truth.len() {
        return Err(format!("{} rows instead of {}", rows.len(), truth.len()));
    }
    let differs = |(row, want): &(&Vec<Cell>, &Vec<Cell>)| {
        row.len() != want.len() || !row.iter().zip(*want).all(|(cell, truth)| cell.matches(truth))
    };
    match rows.iter().zip(truth).find(differs) {
        None => Ok(()),
        Some((row, want)) => Err(format!("{} instead of {}", shown(row), shown(want))),
    }
}

/// A row as a message has it.
pub(crate) fn shown(row: &[Cell]) -> String {
    let cells: Vec<String> = row.iter().map(Cell::to_string).collect();
    format!("({})", cells.join(", "))
}

/// The rows of Arrow batches. Types that no suite asks for are an error, not a guess.
pub fn from_batches(batches: &[RecordBatch]) -> Result<Rows> {
    let mut rows = Rows::new();
    for batch in batches {
        let start = rows.len();
        rows.resize_with(start + batch.num_rows(), || Vec::with_capacity(batch.num_columns()));
        for column in batch.columns() {
            for (row, cell) in rows[start..].iter_mut().zip(cells_of(column.as_ref())?) {
                row.push(cell);
            }
        }
    }
    Ok(rows)
}

fn cells_of(array: &dyn Array) -> Result<Vec<Cell>> {
    Ok(match array.data_type() {
        DataType::Int8 => numbers::<Int8Type>(array, 0),
        DataType::Int16 => numbers::<Int16Type>(array, 0),
        DataType::Int32 => numbers::<Int32Type>(array, 0),
        DataType::Int64 => numbers::<Int64Type>(array, 0),
        DataType::UInt8 => numbers::<UInt8Type>(array, 0),
        DataType::UInt16 => numbers::<UInt16Type>(array, 0),
        DataType::UInt32 => numbers::<UInt32Type>(array, 0),
        DataType::UInt64 => numbers::<UInt64Type>(array, 0),
        DataType::Decimal32(_, scale) => numbers::<Decimal32Type>(array, scale_of(*scale)?),
        DataType::Decimal64(_, scale) => numbers::<Decimal64Type>(array, scale_of(*scale)?),
        DataType::Decimal128(_, scale) => numbers::<Decimal128Type>(array, scale_of(*scale)?),
        DataType::Float32 => floats::<Float32Type>(array),
        DataType::Float64 => floats::<Float64Type>(array),
        DataType::Date32 => dates(array),
        DataType::Utf8 => texts(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().iter()),
        DataType::Utf8View => texts(array.as_string_view().iter()),
        DataType::Dictionary(..) => from_dictionary(array)?,
        other => return Err(unexpected(other)),
    })
}

fn numbers<T: ArrowPrimitiveType>(array: &dyn Array, scale: u32) -> Vec<Cell>
where
    T::Native: Into<i128>,
{
    let cell = |units: T::Native| Cell::Number { units: units.into(), scale };
    array.as_primitive::<T>().iter().map(|value| value.map_or(Cell::Null, cell)).collect()
}

fn floats<T: ArrowPrimitiveType>(array: &dyn Array) -> Vec<Cell>
where
    T::Native: Into<f64>,
{
    array.as_primitive::<T>().iter().map(|value| value.map_or(Cell::Null, |value| Cell::Float(value.into()))).collect()
}

/// Dates as ISO texts, which is how every system's answers have them.
fn dates(array: &dyn Array) -> Vec<Cell> {
    let days = array.as_primitive::<Date32Type>().iter();
    days.map(|day| day.map_or(Cell::Null, |day| Cell::text(Date(day).to_string()))).collect()
}

fn texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Vec<Cell> {
    values.map(|value| value.map_or(Cell::Null, Cell::text)).collect()
}

fn from_dictionary(array: &dyn Array) -> Result<Vec<Cell>> {
    let dictionary = array.as_any_dictionary_opt().ok_or_else(|| unexpected(array.data_type()))?;
    let values = cells_of(dictionary.values().as_ref())?;
    if values.is_empty() {
        return Ok(vec![Cell::Null; array.len()]);
    }
    let cell = |(row, key): (usize, usize)| if array.is_null(row) { Cell::Null } else { values[key].clone() };
    Ok(dictionary.normalized_keys().into_iter().enumerate().map(cell).collect())
}

fn scale_of(scale: i8) -> Result<u32> {
    u32::try_from(scale).map_err(|_| Error::new(Code::Unsupported, format!("a decimal of scale {scale} in an answer")))
}

fn unexpected(data_type: &DataType) -> Error {
    Error::new(Code::Unsupported, format!("the answer has a column of type {data_type}, which no row asks for"))
}

/// The rows that a peer's process wrote as JSON: arrays of numbers, strings, nulls, and exact decimals as
/// `{"d": "12.34"}`.
pub fn from_json(value: &Value) -> Option<Rows> {
    value.as_array()?.iter().map(|row| row.as_array()?.iter().map(cell_of_json).collect()).collect()
}

/// A value as [`from_json`] reads it; a double that JSON has no number for becomes NULL.
pub fn to_json(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Number { units, scale: 0 } if i64::try_from(*units).is_ok() => json!(*units as i64),
        Cell::Number { units, scale } => {
            let (sign, scale) = (if *units < 0 { "-" } else { "" }, *scale as usize);
            let digits = format!("{:0>1$}", units.unsigned_abs(), scale + 1);
            let (whole, decimals) = digits.split_at(digits.len() - scale);
            json!({ "d": format!("{sign}{whole}.{decimals}") })
        }
        Cell::Float(value) => json!(value),
        Cell::Text(text) => json!(text),
    }
}

fn cell_of_json(value: &Value) -> Option<Cell> {
    Some(match value {
        Value::Null => Cell::Null,
        Value::String(text) => Cell::text(text),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Cell::whole(whole),
            None => Cell::Float(number.as_f64()?),
        },
        Value::Object(map) => exact(map.get("d")?.as_str()?)?,
        Value::Bool(_) | Value::Array(_) => return None,
    })
}

fn exact(text: &str) -> Option<Cell> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let units = format!("{whole}{decimals}").parse().ok()?;
    Some(Cell::Number { units, scale: u32::try_from(decimals.len()).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Decimal128Array, DictionaryArray, Float64Array, Int32Array, StringArray};
    use std::sync::Arc;

    #[test]
    fn exact_numbers_are_compared_exactly_and_doubles_within_less_than_a_cent() {
        assert!(Cell::cents(84_903).matches(&Cell::Number { units: 849_030, scale: 3 }));
        assert!(!Cell::cents(84_903).matches(&Cell::cents(84_904)));
        assert!(Cell::Float(50_111_941.490_000_1).matches(&Cell::cents(5_011_194_149i64)));
        assert!(!Cell::Float(50_111_941.50).matches(&Cell::cents(5_011_194_149i64)));
        assert!(!Cell::Null.matches(&Cell::whole(0)));
        assert!(!Cell::text("1").matches(&Cell::whole(1)));
        assert!(!Cell::Number { units: i128::MAX, scale: 0 }.matches(&Cell::cents(1)));
    }

    #[test]
    fn arrow_columns_become_cells() {
        let keys = Int32Array::from(vec![Some(1), None]);
        let tags = DictionaryArray::new(keys, Arc::new(StringArray::from(vec!["AAAA", "BBBB"])));
        let amounts = Decimal128Array::from(vec![Some(1), Some(84_903)]).with_precision_and_scale(8, 2).unwrap();
        let floats = Float64Array::from(vec![Some(0.5), None]);
        let batch = RecordBatch::try_from_iter([
            ("tag", Arc::new(tags) as Arc<dyn Array>),
            ("amt", Arc::new(amounts)),
            ("f", Arc::new(floats)),
        ])
        .unwrap();
        assert_eq!(
            from_batches(&[batch]).unwrap(),
            [
                vec![Cell::text("BBBB"), Cell::cents(1), Cell::Float(0.5)],
                vec![Cell::Null, Cell::cents(84_903), Cell::Null]
            ]
        );
    }

    #[test]
    fn cells_come_back_from_json_as_they_were() {
        let cells = [
            Cell::Null,
            Cell::whole(-7),
            Cell::whole(i128::MAX),
            Cell::cents(-5),
            Cell::cents(123_456),
            Cell::Float(0.1),
            Cell::text("a 'b'"),
        ];
        let row: Value = cells.iter().map(to_json).collect();
        assert_eq!(row[3], json!({ "d": "-0.05" }));
        assert_eq!(from_json(&json!([row])), Some(vec![cells.to_vec()]));
        let days = arrow_array::Date32Array::from(vec![Some(9_298), None]);
        assert_eq!(cells_of(&days).unwrap(), [Cell::text("1995-06-17"), Cell::Null]);
    }

    #[test]
    fn json_from_a_peer_becomes_cells() {
        let json = serde_json::json!([[1, 2.5, "AAAA", null, {"d": "-849.03"}]]);
        let rows = from_json(&json).unwrap();
        assert_eq!(rows[0][4], Cell::cents(-84_903));
        assert_eq!(rows[0][..2], [Cell::whole(1), Cell::Float(2.5)]);
        assert!(from_json(&serde_json::json!([[true]])).is_none());
        assert_eq!(format!("{} {}", rows[0][4], rows[0][2]), "-849.03 'AAAA'");
    }
}
