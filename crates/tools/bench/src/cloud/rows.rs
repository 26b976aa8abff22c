//! Rows of the cloud table: the task of each, and its earlier figures and targets.
//!
//! *Published* is the figure on the page of the system that claims to be fastest. Figures are for a table of 10,000
//! rows and are left out for other sizes.

use super::tasks::{EMPTY, JOIN, SUM, Task};
use crate::calibration::Calibration;
use crate::suite::{Reference, Row};

/// The size that the earlier figures are for.
pub const STANDARD_ROWS: usize = 10_000;

const INSERT: &str = "INSERT INTO bench VALUES (?, ?, ?)";

/// The tasks in the order of the table.
pub const TASKS: [Task; 11] = [
    Task::Insert,
    Task::InsertKeyed,
    Task::InsertLogged,
    Task::AppendRows,
    Task::AppendBatch,
    Task::Scan,
    Task::Sum,
    Task::Select,
    Task::Update,
    Task::Join,
    Task::Churn,
];

/// The row of a task, for a table of this many rows.
pub fn row(task: Task, rows: usize) -> Row {
    let (key, title, text) = described(task);
    let known = if rows == STANDARD_ROWS { figures(task) } else { Row::default() };
    let calibration = Some(match task {
        Task::InsertLogged => Calibration::Append,
        Task::AppendBatch | Task::Sum | Task::Churn => Calibration::Copy,
        _ => Calibration::Loop,
    });
    Row { key, title: title.into(), text: text.into(), unit: Some(task.unit(rows)), calibration, ..known }
}

fn described(task: Task) -> (&'static str, &'static str, &'static str) {
    match task {
        Task::Insert => ("insert", "point inserts, prepared, no key, no log", INSERT),
        Task::InsertKeyed => ("insert_key", "point inserts, prepared, primary key", INSERT),
        Task::InsertLogged => ("insert_os", "the same, durability = os, autocommit", INSERT),
        Task::AppendRows => ("bulk_rows", "bulk insert, row batches", "appender: row, row, ..., finish"),
        Task::AppendBatch => ("bulk_arrow", "bulk insert, Arrow", "appender: batch, batch, ..., finish"),
        Task::Scan => ("scan", "sequential scan, typed row cursor", "scan(bench, [id, name, amount])"),
        Task::Sum => ("sum", "sequential scan, SUM of a column", SUM),
        Task::Select => {
            ("select_key", "point SELECT by key, prepared", "SELECT id, name, amount FROM bench WHERE id = ?")
        }
        Task::Update => ("update_key", "point UPDATE by key, prepared", "UPDATE bench SET amount = ? WHERE id = ?"),
        Task::Join => ("join", "three-table join with GROUP BY, again", JOIN),
        Task::Churn => ("churn", "all rows deleted and inserted again", EMPTY),
    }
}

/// In millions of rows a second, of the join in milliseconds.
fn figures(task: Task) -> Row {
    let published = |value, remark| Some(Reference { value, remark });
    let sqlite = |value, remark| Some(Reference { value, remark });
    let row = Row::default();
    match task {
        Task::Insert => Row {
            published: published(6.69, "cloudSQL's page, which has SQLite at 0.114"),
            replaced: sqlite(1.5, "in one transaction; 0.06 with autocommit"),
            floor: Some(13.6),
            target_again: Some(7.0),
            ..row
        },
        Task::InsertKeyed => {
            Row { replaced: sqlite(1.5, "in one transaction"), floor: Some(6.6), target_again: Some(3.0), ..row }
        }
        Task::InsertLogged => Row { replaced: sqlite(0.06, ""), floor: Some(1.0), target_again: Some(0.4), ..row },
        Task::AppendRows => {
            Row { elsewhere: vec![("DuckDB", 7.0)], floor: Some(24.0), target_again: Some(10.0), ..row }
        }
        Task::AppendBatch => {
            Row { elsewhere: vec![("DuckDB", 7.0)], floor: Some(111.0), target_again: Some(50.0), ..row }
        }
        Task::Scan => Row {
            published: published(233.0, "cloudSQL's page, which has SQLite at 27.9"),
            replaced: sqlite(7.5, "reading every column; 12.5 when only stepping"),
            floor: Some(400.0),
            target_again: Some(250.0),
            ..row
        },
        Task::Sum => Row { floor: Some(4_200.0), target_again: Some(1_500.0), ..row },
        Task::Select => Row { replaced: sqlite(1.16, ""), floor: Some(13.0), target_again: Some(3.0), ..row },
        Task::Update => Row { replaced: sqlite(1.13, ""), floor: Some(10.0), target_again: Some(2.0), ..row },
        Task::Join => Row { elsewhere: vec![("DataFusion", 1.8)], target_again: Some(1.8), ..row },
        Task::Churn => row,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn rows_have_keys_of_their_own_and_figures_only_at_their_size() {
        let keys: HashSet<&str> = TASKS.into_iter().map(|task| row(task, STANDARD_ROWS).key).collect();
        assert_eq!(keys.len(), TASKS.len());
        let targets = |rows| TASKS.into_iter().filter(|&task| row(task, rows).target_again.is_some()).count();
        assert_eq!((targets(STANDARD_ROWS), targets(1_000)), (10, 0));
        let rates = TASKS.into_iter().filter(|task| task.unit(STANDARD_ROWS).rate).count();
        assert_eq!(rates, TASKS.len() - 1, "all but the join");
    }
}
