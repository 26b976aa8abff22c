//! Comparison of an answer with the truth: numbers within a tolerance, the order as far as ORDER BY determines it.

use crate::answer::{Cell, Rows, shown};

/// How far a number may be from the truth, relative to it.
const RELATIVE: f64 = 1e-10;
/// The same for small numbers: decimal averages and quotients have at least six places.
const ABSOLUTE: f64 = 1e-6;

/// Compares an answer with the truth, whose rows are ordered by these columns.
///
/// Errors: a sentence about the first difference.
pub fn judge(rows: &Rows, truth: &Rows, order: &[usize]) -> Result<(), String> {
    if rows.len() != truth.len() {
        return Err(format!("{} rows instead of {}", rows.len(), truth.len()));
    }
    let mut start = 0;
    while start < truth.len() {
        let same_keys = |row: &Vec<Cell>| order.iter().all(|&column| row[column] == truth[start][column]);
        let end = truth[start..].iter().position(|row| !same_keys(row)).map_or(truth.len(), |length| start + length);
        let mut missing: Vec<&Vec<Cell>> = truth[start..end].iter().collect();
        for row in &rows[start..end] {
            match missing.iter().position(|wanted| is_same(row, wanted)) {
                Some(place) => missing.remove(place),
                None => return Err(format!("{} instead of {}", shown(row), shown(missing[0]))),
            };
        }
        start = end;
    }
    Ok(())
}

fn is_same(row: &[Cell], wanted: &[Cell]) -> bool {
    row.len() == wanted.len() && row.iter().zip(wanted).all(|(cell, wanted)| is_close(cell, wanted))
}

fn is_close(cell: &Cell, wanted: &Cell) -> bool {
    match (cell.as_f64(), wanted.as_f64()) {
        (Some(cell), Some(wanted)) => (cell - wanted).abs() <= ABSOLUTE.max(RELATIVE * wanted.abs()),
        _ => cell == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str, number: f64) -> Vec<Cell> {
        vec![Cell::text(text), Cell::Float(number)]
    }

    #[test]
    fn rows_with_equal_keys_come_in_any_order_and_others_do_not() {
        let truth = vec![row("a", 2.0), row("b", 2.0), row("c", 1.0)];
        assert_eq!(judge(&vec![row("b", 2.0), row("a", 2.0), row("c", 1.0)], &truth, &[1]), Ok(()));
        assert!(judge(&vec![row("c", 1.0), row("a", 2.0), row("b", 2.0)], &truth, &[1]).is_err());
        assert!(judge(&vec![row("a", 2.0), row("a", 2.0), row("c", 1.0)], &truth, &[1]).is_err(), "one of them twice");
        assert_eq!(judge(&truth.clone(), &truth, &[1]), Ok(()));
        assert_eq!(judge(&vec![row("a", 2.0)], &truth, &[1]), Err("1 rows instead of 3".into()));
    }

    #[test]
    fn numbers_are_compared_by_value_and_within_a_tolerance() {
        let truth = vec![vec![Cell::cents(123_456)]];
        assert_eq!(judge(&vec![vec![Cell::Number { units: 1_234_560_000, scale: 6 }]], &truth, &[]), Ok(()));
        assert_eq!(judge(&vec![vec![Cell::Float(1_234.560_000_1)]], &truth, &[]), Ok(()));
        assert!(judge(&vec![vec![Cell::Float(1_234.561)]], &truth, &[]).is_err());
        assert!(judge(&vec![vec![Cell::Null]], &truth, &[]).is_err());
    }
}
