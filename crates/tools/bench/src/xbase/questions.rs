//! The rows of the xbase table: statement, earlier figures, targets, and the check of its answer.
//!
//! Every check calculates the answer from [`Data`] alone. Where SQL leaves the answer open, the check does too: `LIMIT
//! 10` without an order may give any ten matching rows, and rows of equal `AMT` may come in any order; but every row
//! must be one of the table and none may come twice.
//!
//! Figures hold for 100,000 rows only and are left out for other sizes.

use super::data::Data;
use crate::answer::{Cell, Rows};
use crate::calibration::Calibration;
use crate::output::thousands;
use crate::suite::{Reference, Row};

/// The size that the earlier figures and the shipped index are for.
pub const STANDARD_ROWS: usize = 100_000;

/// A check: `Err` says how the answer is wrong.
type Check = fn(&Data, &Rows) -> Result<(), String>;

/// One row of the table with its check.
pub struct Question {
    /// The definition before measuring.
    pub row: Row,
    /// True if it runs on the table with its CDX; the others run on the bare DBF.
    pub indexed: bool,
    /// Judges an answer.
    pub check: Check,
}

/// The rows of the table, for data of this many rows.
pub fn questions(rows: usize) -> Vec<Question> {
    let limit = rows / 26;
    let having = format!("SELECT TAG, COUNT(*) FROM bench GROUP BY TAG HAVING COUNT(*) > {limit}");
    let mut list = vec![
        ask("count", "SELECT COUNT(*)", "SELECT COUNT(*) FROM bench", count),
        ask(
            "tag_first_10",
            "WHERE TAG='AAAA', first 10 rows",
            "SELECT ID, TAG, AMT FROM bench WHERE TAG = 'AAAA' LIMIT 10",
            tag_first_10,
        ),
        ask("tag_all", "WHERE TAG='AAAA', all rows", "SELECT ID, TAG, AMT FROM bench WHERE TAG = 'AAAA'", tag_all),
        ask("tag_count", "COUNT WHERE TAG='AAAA'", "SELECT COUNT(*) FROM bench WHERE TAG = 'AAAA'", tag_count),
        ask("totals", "SUM/AVG/MIN/MAX(AMT)", "SELECT SUM(AMT), AVG(AMT), MIN(AMT), MAX(AMT) FROM bench", totals),
        ask("group_by", "GROUP BY TAG", "SELECT TAG, COUNT(*) FROM bench GROUP BY TAG", group_by),
        ask(
            "order_limit",
            "ORDER BY AMT LIMIT 10",
            "SELECT ID, TAG, AMT FROM bench ORDER BY AMT LIMIT 10",
            order_limit,
        ),
        ask("distinct", "DISTINCT TAG", "SELECT DISTINCT TAG FROM bench", distinct),
        ask(
            "amt_between",
            "COUNT, AMT BETWEEN 100 AND 500",
            "SELECT COUNT(*) FROM bench WHERE AMT BETWEEN 100 AND 500",
            amt_between,
        ),
        ask("id_equal", "WHERE ID = 50000, indexed", "SELECT ID, TAG, AMT FROM bench WHERE ID = 50000", id_equal)
            .indexed(),
        ask(
            "id_between",
            "ID BETWEEN 10000 AND 20000, indexed, all rows",
            "SELECT ID, TAG, AMT FROM bench WHERE ID BETWEEN 10000 AND 20000",
            id_between,
        )
        .indexed(),
        ask(
            "union_all",
            "UNION ALL of two filters",
            "SELECT ID, TAG, AMT FROM bench WHERE TAG = 'AAAA' UNION ALL SELECT ID, TAG, AMT FROM bench WHERE TAG = 'BBBB'",
            union_all,
        ),
        ask("having", &format!("GROUP BY TAG HAVING COUNT(*) > {limit}"), &having, having_more),
    ];
    if rows == STANDARD_ROWS {
        list.iter_mut().for_each(|question| known_figures(&mut question.row));
    }
    for question in list.iter_mut().filter(|question| question.indexed && rows != STANDARD_ROWS) {
        question.row.skipped = Some(format!("the shipped CDX is for {} rows", thousands(STANDARD_ROWS)));
    }
    list
}

fn ask(key: &'static str, title: &str, text: &str, check: Check) -> Question {
    let row = Row { key, title: title.into(), text: text.into(), ..Row::default() };
    Question { row, indexed: false, check }
}

impl Question {
    fn indexed(mut self) -> Question {
        self.indexed = true;
        self
    }
}

/// Fills in what was measured before, for 100,000 rows; milliseconds.
fn known_figures(row: &mut Row) {
    let (published, replaced, elsewhere, floor, first, again): (_, _, &[(&str, f64)], _, f64, f64) = match row.key {
        "count" => (said(42.0), said(58.0), &[("Polars", 0.034), ("SQLite", 0.017)], None, 1.0, 0.005),
        "tag_first_10" => (said(48.0), said(63.0), &[("SQLite", 0.019)], None, 1.0, 0.015),
        "tag_all" => (None, None, &[("Polars", 1.05), ("DuckDB", 2.5)], None, 3.0, 0.15),
        "tag_count" => {
            (None, said(63.0), &[("Polars", 0.2), ("DuckDB", 1.3), ("Harbour", 108.0)], Some(0.20), 3.0, 0.05)
        }
        "totals" => {
            (said(120.0), said(102.0), &[("Polars", 0.15), ("DuckDB", 0.7), ("Harbour", 84.0)], Some(0.25), 3.0, 0.12)
        }
        "group_by" => (said(59.0), said(74.0), &[("Polars", 1.5), ("DuckDB", 2.4)], Some(0.21), 3.0, 0.15),
        "order_limit" => (said(165.0), said(183.0), &[("Polars", 1.0), ("DuckDB", 1.4)], Some(0.45), 3.0, 0.25),
        "distinct" => (said(95.0), said(130.0), &[("Polars", 1.0), ("DuckDB", 2.3)], Some(0.21), 3.0, 0.1),
        "amt_between" => {
            (said(64.0), but(77.0, "0: wrong"), &[("Polars", 0.18), ("DuckDB", 0.65)], Some(0.25), 3.0, 0.12)
        }
        "id_equal" => (said(308.0), said(73.0), &[("SQLite", 0.003)], Some(0.001), 0.3, 0.003),
        "id_between" => (said(308.0), but(71.0, "0: wrong"), &[("Polars", 2.2), ("DuckDB", 3.4)], Some(0.05), 2.0, 0.4),
        "union_all" => (said(608.0), said(763.0), &[], Some(0.5), 3.0, 0.3),
        "having" => (but(0.2, "other condition"), but(0.1, "100,000 rows: wrong"), &[], Some(0.21), 3.0, 0.15),
        _ => return,
    };
    row.published = published;
    row.replaced = replaced;
    row.elsewhere = elsewhere.to_vec();
    row.floor = floor;
    row.target_first = Some(first);
    row.target_again = Some(again);
    row.calibration = Some(Calibration::Loop);
}

fn said(value: f64) -> Option<Reference> {
    but(value, "")
}

fn but(value: f64, remark: &'static str) -> Option<Reference> {
    Some(Reference { value, remark })
}

fn count(data: &Data, rows: &Rows) -> Result<(), String> {
    one_row(rows, &[Cell::whole(data.len() as i64)])
}

fn tag_count(data: &Data, rows: &Rows) -> Result<(), String> {
    one_row(rows, &[Cell::whole(ids_with(data, "AAAA").len() as i64)])
}

fn amt_between(data: &Data, rows: &Rows) -> Result<(), String> {
    let inside = data.all_cents().iter().filter(|cents| (10_000..=50_000).contains(*cents)).count();
    one_row(rows, &[Cell::whole(inside as i64)])
}

fn tag_first_10(data: &Data, rows: &Rows) -> Result<(), String> {
    let matching = ids_with(data, "AAAA").len();
    expect_len(rows, matching.min(10))?;
    for row in rows.iter() {
        let id = known_row(data, row)?;
        if Data::tag(id) != "AAAA" {
            return Err(format!("the row with ID {id} has another TAG"));
        }
    }
    no_row_twice(rows)
}

fn tag_all(data: &Data, rows: &Rows) -> Result<(), String> {
    same_rows(rows, records(data, ids_with(data, "AAAA")))
}

fn union_all(data: &Data, rows: &Rows) -> Result<(), String> {
    let mut ids = ids_with(data, "AAAA");
    ids.extend(ids_with(data, "BBBB"));
    same_rows(rows, records(data, ids))
}

fn id_equal(data: &Data, rows: &Rows) -> Result<(), String> {
    same_rows(rows, records(data, 50_000..=50_000))
}

fn id_between(data: &Data, rows: &Rows) -> Result<(), String> {
    same_rows(rows, records(data, 10_000..=20_000))
}

fn group_by(data: &Data, rows: &Rows) -> Result<(), String> {
    same_rows(rows, groups(data))
}

fn having_more(data: &Data, rows: &Rows) -> Result<(), String> {
    let limit = Cell::whole((data.len() / 26) as i64).as_f64();
    same_rows(rows, groups(data).into_iter().filter(|group| group[1].as_f64() > limit).collect())
}

fn distinct(data: &Data, rows: &Rows) -> Result<(), String> {
    same_rows(rows, groups(data).into_iter().map(|group| vec![group[0].clone()]).collect())
}

/// SUM, MIN and MAX to the cent. AVG has no end in decimals, so an exact type must agree to its own last
/// digit (cut off or rounded) and have at least four.
fn totals(data: &Data, rows: &Rows) -> Result<(), String> {
    let cents = data.all_cents();
    let sum: i128 = cents.iter().map(|&cents| i128::from(cents)).sum();
    let [row] = rows.as_slice() else { return Err(format!("{} rows instead of 1", rows.len())) };
    let [_, average, _, _] = row.as_slice() else { return Err(format!("{} columns instead of 4", row.len())) };
    let (min, max) = (cents.iter().min(), cents.iter().max());
    let want = [sum, min.copied().unwrap_or(0).into(), max.copied().unwrap_or(0).into()].map(Cell::cents);
    same_cells(&[row[0].clone(), row[2].clone(), row[3].clone()], &want)?;
    let truth = sum as f64 / 100.0 / data.len() as f64;
    let tolerance = match average {
        Cell::Number { scale, .. } if *scale >= 4 => 10f64.powi(-(*scale as i32)).max(truth.abs() * 1e-14),
        Cell::Float(_) => truth.abs() * 1e-11,
        _ => return Err(format!("the average is {average}, which has too few digits")),
    };
    match average.as_f64() {
        Some(value) if (value - truth).abs() <= tolerance => Ok(()),
        _ => Err(format!("the average is {average} instead of {truth}")),
    }
}

fn order_limit(data: &Data, rows: &Rows) -> Result<(), String> {
    let mut sorted = data.all_cents().to_vec();
    sorted.sort_unstable();
    expect_len(rows, data.len().min(10))?;
    for (row, want) in rows.iter().zip(sorted) {
        let id = known_row(data, row)?;
        if data.cents(id) != Some(want) {
            return Err(format!("the row with ID {id} comes where an AMT of {} belongs", Cell::cents(want)));
        }
    }
    no_row_twice(rows)
}

fn ids_with(data: &Data, tag: &str) -> Vec<usize> {
    (1..=data.len()).filter(|&id| Data::tag(id) == tag).collect()
}

fn record(data: &Data, id: usize) -> Option<Vec<Cell>> {
    Some(vec![Cell::whole(id as i64), Cell::text(Data::tag(id)), Cell::cents(data.cents(id)?)])
}

fn records(data: &Data, ids: impl IntoIterator<Item = usize>) -> Rows {
    ids.into_iter().filter_map(|id| record(data, id)).collect()
}

fn groups(data: &Data) -> Rows {
    let mut counts = [0i64; 26];
    (0..data.len()).for_each(|row| counts[row % 26] += 1);
    let group = |(letter, &count): (usize, &i64)| vec![Cell::text(Data::tag(letter + 1)), Cell::whole(count)];
    counts.iter().enumerate().filter(|(_, count)| **count > 0).map(group).collect()
}

/// The `ID` of a row that must be one of the table.
fn known_row(data: &Data, row: &[Cell]) -> Result<usize, String> {
    let id = row.first().and_then(Cell::as_f64).filter(|id| *id >= 1.0).ok_or("a row without an ID")? as usize;
    let want = record(data, id).ok_or_else(|| format!("there is no ID {id}"))?;
    same_cells(row, &want)?;
    Ok(id)
}

fn no_row_twice(rows: &Rows) -> Result<(), String> {
    let mut sorted = sorted(rows.clone());
    let all = sorted.len();
    sorted.dedup();
    if sorted.len() == all { Ok(()) } else { Err("a row comes twice".into()) }
}

fn one_row(rows: &Rows, want: &[Cell]) -> Result<(), String> {
    expect_len(rows, 1)?;
    same_cells(&rows[0], want)
}

fn expect_len(rows: &Rows, want: usize) -> Result<(), String> {
    if rows.len() == want { Ok(()) } else { Err(format!("{} rows instead of {want}", rows.len())) }
}

fn same_cells(row: &[Cell], want: &[Cell]) -> Result<(), String> {
    let equal = row.len() == want.len() && row.iter().zip(want).all(|(cell, truth)| cell.matches(truth));
    if equal { Ok(()) } else { Err(format!("{} instead of {}", shown(row), shown(want))) }
}

/// The same rows in whatever order.
fn same_rows(rows: &Rows, want: Rows) -> Result<(), String> {
    expect_len(rows, want.len())?;
    let (rows, want) = (sorted(rows.clone()), sorted(want));
    rows.iter().zip(&want).try_for_each(|(row, want)| same_cells(row, want))
}

/// Sorted by first column, which tells the rows of every statement here apart.
fn sorted(mut rows: Rows) -> Rows {
    let key = |row: &Vec<Cell>| match row.first() {
        Some(Cell::Text(text)) => (0.0, text.clone()),
        cell => (cell.and_then(Cell::as_f64).unwrap_or(f64::INFINITY), String::new()),
    };
    rows.sort_by(|a, b| {
        let ((number_a, text_a), (number_b, text_b)) = (key(a), key(b));
        number_a.total_cmp(&number_b).then(text_a.cmp(&text_b))
    });
    rows
}

fn shown(row: &[Cell]) -> String {
    let cells: Vec<String> = row.iter().map(Cell::to_string).collect();
    format!("({})", cells.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, data: &Data, rows: Rows) -> Result<(), String> {
        let question = questions(data.len()).into_iter().find(|question| question.row.key == key).unwrap();
        (question.check)(data, &rows)
    }

    #[test]
    fn the_truth_agrees_with_the_known_figures() {
        let data = Data::new(STANDARD_ROWS);
        assert!(check("tag_count", &data, vec![vec![Cell::whole(3_847)]]).is_ok());
        assert!(check("amt_between", &data, vec![vec![Cell::whole(39_823)]]).is_ok());
        assert_eq!(groups(&data).iter().filter(|group| group[1] == Cell::whole(3_847)).count(), 4);
        let total = Cell::cents(5_011_194_149i64);
        let average = Cell::Number { units: 501_119_414, scale: 6 };
        let row = vec![total, average, Cell::cents(0), Cell::cents(99_999)];
        let min = data.all_cents().iter().min().copied().unwrap();
        let max = data.all_cents().iter().max().copied().unwrap();
        let row: Vec<Cell> = row
            .into_iter()
            .enumerate()
            .map(|(place, cell)| match place {
                2 => Cell::cents(min),
                3 => Cell::cents(max),
                _ => cell,
            })
            .collect();
        assert_eq!(check("totals", &data, vec![row.clone()]), Ok(()));
        let mut worse = row;
        worse[1] = Cell::Number { units: 501_119_417, scale: 6 };
        assert!(check("totals", &data, vec![worse]).is_err());
    }

    #[test]
    fn a_row_too_few_too_many_changed_or_repeated_is_wrong() {
        let data = Data::new(1_000);
        let right = records(&data, ids_with(&data, "AAAA"));
        assert_eq!(check("tag_all", &data, right.iter().rev().cloned().collect()), Ok(()));
        assert!(check("tag_all", &data, right[1..].to_vec()).is_err());
        let mut repeated = right.clone();
        repeated[1] = right[0].clone();
        assert!(check("tag_all", &data, repeated.clone()).is_err());
        assert!(check("tag_first_10", &data, repeated[..10].to_vec()).unwrap_err().contains("twice"));
        assert_eq!(check("tag_first_10", &data, right[5..15].to_vec()), Ok(()));
        let mut changed = right;
        changed[3][2] = Cell::cents(1);
        assert!(check("tag_all", &data, changed).is_err());
    }

    #[test]
    fn an_order_may_break_ties_as_it_likes_but_not_skip_a_row() {
        let data = Data::new(STANDARD_ROWS);
        let mut ids: Vec<usize> = (1..=data.len()).collect();
        ids.sort_by_key(|&id| (data.cents(id), std::cmp::Reverse(id)));
        assert_eq!(check("order_limit", &data, records(&data, ids[..10].to_vec())), Ok(()));
        assert!(check("order_limit", &data, records(&data, ids[50..60].to_vec())).is_err());
    }

    #[test]
    fn other_sizes_have_no_figures_and_no_index() {
        let other = questions(26);
        assert!(other.iter().all(|question| question.row.published.is_none() && question.row.target_again.is_none()));
        assert!(other.iter().all(|question| question.indexed == question.row.skipped.is_some()));
        let standard = questions(STANDARD_ROWS);
        assert!(standard.iter().all(|question| question.row.target_again.is_some() && question.row.skipped.is_none()));
        assert_eq!(check("having", &Data::new(26), vec![]), Ok(()));
    }
}
