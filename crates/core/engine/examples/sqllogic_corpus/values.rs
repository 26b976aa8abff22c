//! Rows as the corpora write them, and their comparison with what a script expects.

use crate::script::Sort;
use arrow_array::{Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use mainstay_columnar::values::value_at;
use mainstay_types::Value;
use md5::{Digest, Md5};

/// How an answer compares with what was expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compared {
    Same,
    /// The rows are the same in another order.
    OtherOrder,
    Other,
}

/// Rows of cells as text, by the letters of their types: whole numbers, numbers with three decimals in SQLite's corpus.
pub fn cells(batches: &[RecordBatch], types: &str, three_decimals: bool) -> Vec<Vec<String>> {
    let options = FormatOptions::default().with_null("NULL");
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let cell = |(place, column): (usize, &arrow_array::ArrayRef)| {
                let letter = types.as_bytes().get(place).copied().unwrap_or(b'T');
                let value = value_at(column.as_ref(), row).unwrap_or(Value::Null);
                match value {
                    Value::Null if column.is_null(row) => "NULL".to_owned(),
                    Value::Null => ArrayFormatter::try_new(column.as_ref(), &options)
                        .map_or_else(|_| "?".to_owned(), |formatter| formatter.value(row).to_string()),
                    value => shown(&value, letter, three_decimals),
                }
            };
            rows.push(batch.columns().iter().enumerate().map(cell).collect());
        }
    }
    rows
}

fn shown(value: &Value, letter: u8, three_decimals: bool) -> String {
    let number = match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Decimal(value) => value.to_string().parse().ok(),
        Value::Boolean(value) if three_decimals => Some(f64::from(u8::from(*value))),
        _ => None,
    };
    match (letter, number) {
        (b'R', Some(number)) if three_decimals => format!("{number:.3}"),
        (b'I', Some(number)) if three_decimals && !matches!(value, Value::Integer(_)) => {
            format!("{}", number.trunc() as i64)
        }
        _ => match value {
            Value::Text(text) if text.is_empty() => "(empty)".to_owned(),
            Value::Text(text) => text.clone(),
            Value::Float(value) => format!("{value}"),
            Value::Date(date) => date.to_string(),
            Value::Time(time) => time.to_string(),
            Value::Timestamp(moment) => moment.to_string(),
            other => other.to_string(),
        },
    }
}

/// Compares rows with the expected lines: values one a line, rows of values divided by tabs, or a hash of all values.
pub fn compare(rows: &[Vec<String>], expected: &[String], sort: Sort) -> Compared {
    if let Some(same) = compare_hash(rows, expected, sort) {
        return if same { Compared::Same } else { Compared::Other };
    }
    let columns = rows.first().map_or(1, Vec::len).max(1);
    let is_by_value =
        expected.len() == rows.len() * columns && !expected.iter().any(|line| line.contains('\t')) && columns > 1;
    let wanted: Vec<Vec<String>> = match is_by_value {
        true => expected.chunks(columns).map(<[String]>::to_vec).collect(),
        false if columns == 1 => expected.iter().map(|line| vec![line.clone()]).collect(),
        false => {
            expected.iter().map(|line| line.trim_end_matches('\t').split('\t').map(str::to_owned).collect()).collect()
        }
    };
    let (mut came, mut wanted) = (rows.to_vec(), wanted);
    if sort == Sort::Values {
        came = came.into_iter().flatten().map(|value| vec![value]).collect();
        wanted = wanted.into_iter().flatten().map(|value| vec![value]).collect();
    }
    if sort != Sort::No {
        came.sort();
        wanted.sort();
    }
    if are_alike(&came, &wanted) {
        return Compared::Same;
    }
    let by_form = |row: &Vec<String>| row.iter().map(|cell| normal(cell)).collect::<Vec<String>>();
    let (mut came, mut wanted): (Vec<_>, Vec<_>) =
        (came.iter().map(by_form).collect(), wanted.iter().map(by_form).collect());
    came.sort();
    wanted.sort();
    match (are_alike(&came, &wanted), sort) {
        (true, Sort::No) => Compared::OtherOrder,
        (true, _) => Compared::Same,
        (false, _) => Compared::Other,
    }
}

fn are_alike(came: &[Vec<String>], wanted: &[Vec<String>]) -> bool {
    came.len() == wanted.len()
        && came.iter().zip(wanted).all(|(came, wanted)| {
            came.len() == wanted.len() && came.iter().zip(wanted).all(|(came, wanted)| is_alike(came, wanted))
        })
}

/// Truth as a number or a word, numbers by their value.
fn normal(cell: &str) -> String {
    match cell.trim() {
        "true" | "True" | "TRUE" => "1".to_owned(),
        "false" | "False" | "FALSE" => "0".to_owned(),
        cell => match cell.parse::<f64>() {
            Ok(number) if number.is_finite() && cell.bytes().any(|byte| byte.is_ascii_digit()) => {
                format!("{number:.6}")
            }
            _ => cell.to_owned(),
        },
    }
}

fn is_alike(came: &str, wanted: &str) -> bool {
    if came == wanted || wanted.starts_with("<REGEX>") || wanted.starts_with("<!REGEX>") {
        return true;
    }
    let (came, wanted) = (normal(came), normal(wanted));
    if came == wanted {
        return true;
    }
    match (came.parse::<f64>(), wanted.parse::<f64>()) {
        (Ok(came), Ok(wanted)) => (came - wanted).abs() <= wanted.abs() * 1e-6,
        _ => false,
    }
}

/// `30 values hashing to 0123...`: of every value with a line end behind it.
fn compare_hash(rows: &[Vec<String>], expected: &[String], sort: Sort) -> Option<bool> {
    let [line] = expected else { return None };
    let words: Vec<&str> = line.split_whitespace().collect();
    let [count, "values", "hashing", "to", hash] = words.as_slice() else { return None };
    let mut rows = rows.to_vec();
    if sort == Sort::Rows {
        rows.sort();
    }
    let mut values: Vec<String> = rows.into_iter().flatten().collect();
    if sort == Sort::Values {
        values.sort();
    }
    if count.parse() != Ok(values.len()) {
        return Some(false);
    }
    let mut digest = Md5::new();
    for value in &values {
        digest.update(value.as_bytes());
        digest.update(b"\n");
    }
    let text: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Some(text == *hash)
}
