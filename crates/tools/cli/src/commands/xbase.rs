//! xBase commands: USE, LIST, DISPLAY, COUNT, GO, SKIP.
//!
//! There is one work area, with its table and the number of its current record. Each command becomes a statement of SQL
//! over them:
//!
//! ```text
//! USE customers                     (remembered)
//! LIST name, city FOR balance > 0   SELECT _recno AS "Record#", name, city FROM customers
//!                                    WHERE ("BALANCE" > 0) ORDER BY _recno
//! SKIP 2                            SELECT _recno ... WHERE _recno > 17 ORDER BY _recno LIMIT 1 OFFSET 1
//! ```
//!
//! `super::request` parses the arguments; fields and conditions are xBase's, or SQL's (`super::condition`). In tables
//! without record numbers (CSV, Parquet), records are counted in their order.

use super::request::{Made, Part, Request, Scope};
use super::{browse, condition};
use crate::errors::{Failure, usage};
use crate::shell::{Flow, Shell};
use crate::tokens::quote_name;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use mainstay_engine::TableInfo;
use mainstay_types::{Code, Error};

/// The table in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkArea {
    /// The table's name.
    pub(crate) table: String,
    /// The number of the current record, from one.
    pub(crate) record: u64,
    /// True if the table numbers its records.
    pub(crate) numbered: bool,
}

impl WorkArea {
    fn new(table: &TableInfo) -> WorkArea {
        let numbered = !["CSV", "Parquet"].iter().any(|kind| table.kind.contains(kind));
        WorkArea { table: table.name.clone(), record: 1, numbered }
    }

    /// The table as a statement names it.
    pub(super) fn from(&self) -> String {
        quote_name(&self.table)
    }

    /// The ORDER BY clause of the record order.
    pub(super) fn order(&self) -> &'static str {
        if self.numbered { " ORDER BY _recno" } else { "" }
    }

    /// The condition and the limit of a scope.
    fn scope(&self, scope: Scope) -> (Option<String>, String) {
        let record = self.record;
        match (scope, self.numbered) {
            (Scope::All, _) => (None, String::new()),
            (Scope::Record(number), true) => (Some(format!("_recno = {number}")), String::new()),
            (Scope::Record(number), false) => (None, format!(" LIMIT 1 OFFSET {}", number.saturating_sub(1))),
            (Scope::Next(count), true) => (Some(format!("_recno >= {record}")), format!(" LIMIT {count}")),
            (Scope::Next(count), false) => (None, format!(" LIMIT {count} OFFSET {}", record.saturating_sub(1))),
            (Scope::Rest, true) => (Some(format!("_recno >= {record}")), String::new()),
            (Scope::Rest, false) => (None, format!(" OFFSET {}", record.saturating_sub(1))),
        }
    }

    /// The statement of a LIST.
    ///
    /// Errors: WHILE over records without numbers.
    fn select(&self, request: &Request) -> Result<Made, Failure> {
        // WHILE goes on from the current record.
        let otherwise = if request.going_on.is_some() { Scope::Rest } else { Scope::All };
        let (range, limit) = self.scope(request.scope.unwrap_or(otherwise));
        let mut made = Made::default();
        made.push("SELECT ");
        if self.numbered && !request.off {
            made.push("_recno AS \"Record#\", ");
        }
        match request.fields.text.is_empty() {
            true => made.push("*"),
            false => made.push_part(&request.fields),
        }
        made.push(&format!(" FROM {}", self.from()));
        let plain = |text: String| Made { sql: text, typed: Vec::new() };
        let mut conditions: Vec<Made> = range.clone().into_iter().map(plain).collect();
        if let Some(going_on) = &request.going_on {
            conditions.push(self.before_the_end(range, going_on)?);
        }
        conditions.extend(request.condition.as_ref().map(in_parentheses));
        made.push_conditions(conditions);
        made.push(&format!("{}{limit}", self.order()));
        Ok(made)
    }

    /// The condition of the records before the first one of a range for which WHILE is false.
    fn before_the_end(&self, range: Option<String>, going_on: &Part) -> Result<Made, Failure> {
        if !self.numbered {
            let error = Error::new(Code::Unsupported, "WHILE needs record numbers, and this table has none");
            let (start, end) = (going_on.at, going_on.at + going_on.text.len().max(1));
            return Err(error.span(start, end).hint("FOR chooses records by a condition").into());
        }
        let mut made = Made::default();
        made.push(&format!("_recno < COALESCE((SELECT MIN(_recno) FROM {} WHERE ", self.from()));
        if let Some(range) = range {
            made.push(&format!("{range} AND "));
        }
        made.push_made(in_parentheses(going_on));
        made.push(&format!(" IS NOT TRUE), {})", i64::MAX));
        Ok(made)
    }
}

/// A condition that may end in a comment.
fn in_parentheses(condition: &Part) -> Made {
    let mut made = Made::default();
    made.push("(");
    made.push_part(condition);
    made.push("\n)");
    made
}

impl Request {
    /// The request with its fields and its conditions as SQL over the table in use.
    fn of(shell: &mut Shell, arguments: &str) -> Result<Request, Failure> {
        let request = Request::parse(arguments)?;
        if request.fields.text.is_empty() && request.condition.is_none() && request.going_on.is_none() {
            return Ok(request);
        }
        let table = table_in_use(shell)?;
        let Part { text, at, .. } = &request.fields;
        let fields = condition::field_list(&table, text, *at)?;
        let fields = Part { is_typed: fields == *text, text: fields, at: *at };
        let made = |given: Option<Part>| {
            let made = |given: Part| {
                let text = condition::condition(&table, &given.text, given.at)?;
                Ok::<Part, Failure>(Part { is_typed: text == given.text, text, ..given })
            };
            given.map(made).transpose()
        };
        let (condition, going_on) = (made(request.condition)?, made(request.going_on)?);
        Ok(Request { fields, condition, going_on, ..request })
    }
}

/// Opens a table in the work area, or closes it.
pub(super) fn use_table(shell: &mut Shell, name: &str) -> Result<Flow, Failure> {
    let name = name.trim_matches('"');
    shell.area = if name.is_empty() { None } else { Some(WorkArea::new(&describe(shell, name)?)) };
    Ok(Flow::Continue)
}

/// The description of a table that was named with or without its ending.
fn describe(shell: &mut Shell, name: &str) -> Result<TableInfo, Failure> {
    let without =
        name.len() > 4 && name.is_char_boundary(name.len() - 4) && name[name.len() - 4..].eq_ignore_ascii_case(".dbf");
    let found = shell.look_up(|session| session.describe(name));
    let is_missing = found.as_ref().is_err_and(|error| error.code() == Code::UnknownTable);
    match is_missing && without {
        true => Ok(shell.look_up(|session| session.describe(&name[..name.len() - 4]))?),
        false => Ok(found?),
    }
}

fn area(shell: &Shell) -> Result<WorkArea, Failure> {
    shell.area.clone().ok_or_else(|| {
        Failure::Error(Error::new(Code::UnknownTable, "no table is in use").hint("USE table, or .tables for a list"))
    })
}

/// The description of the table in use.
pub(super) fn table_in_use(shell: &mut Shell) -> Result<TableInfo, Failure> {
    let table = area(shell)?.table;
    Ok(shell.look_up(|session| session.describe(&table))?)
}

/// Lists records.
pub(super) fn list(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    let request = Request::of(shell, arguments)?;
    let made = area(shell)?.select(&request)?;
    shell.run_made_of(&made)
}

/// Shows the current record, or what LIST would list.
pub(super) fn display(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    let area = area(shell)?;
    let mut request = Request::of(shell, arguments)?;
    if request.scope.is_none() && request.condition.is_none() && request.going_on.is_none() {
        request.scope = Some(Scope::Record(area.record));
    }
    shell.run_made_of(&area.select(&request)?)
}

/// Counts records.
pub(super) fn count(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    let area = area(shell)?;
    let request = Request::of(shell, arguments)?;
    let mut made = Made::default();
    if request.scope.is_none() && request.going_on.is_none() {
        made.push(&format!("SELECT COUNT(*) AS count FROM {}", area.from()));
        made.push_conditions(request.condition.iter().map(in_parentheses).collect());
    } else {
        let counted =
            Request { fields: Part { text: "1 AS one".into(), at: 0, is_typed: false }, off: true, ..request };
        made.push("SELECT COUNT(*) AS count FROM (");
        made.push_made(area.select(&counted)?);
        made.push(") AS counted");
    }
    shell.run_made_of(&made)
}

/// Shows the value of an expression.
pub(super) fn print(shell: &mut Shell, expression: &str) -> Result<Flow, Failure> {
    let mut made = Made::default();
    made.push("SELECT ");
    match (&shell.area, expression) {
        (_, "") => return shell.print("\n").map(|()| Flow::Continue),
        (Some(area), _) => {
            let area = area.clone();
            let text = condition::field_list(&table_in_use(shell)?, expression, 0)?;
            let (range, limit) = area.scope(Scope::Record(area.record));
            let filter = range.map(|range| format!(" WHERE {range}")).unwrap_or_default();
            made.push_part(&Part { is_typed: text == expression, text, at: 0 });
            made.push(&format!(" FROM {}{filter}{limit}", area.from()));
        }
        (None, _) => made.push_part(&Part::typed(expression, 0)),
    }
    shell.run_made_of(&made)
}

/// Makes another record the current one.
pub(super) fn go(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    let area = area(shell)?;
    let word = argument.split_whitespace().last().unwrap_or_default().to_ascii_lowercase();
    let from = area.from();
    let found = match (word.as_str(), area.numbered) {
        ("top", true) => number(shell, &format!("SELECT MIN(_recno) FROM {from}"))?,
        ("bottom", true) => number(shell, &format!("SELECT MAX(_recno) FROM {from}"))?,
        ("top", false) => Some(1),
        ("bottom", false) => number(shell, &format!("SELECT COUNT(*) FROM {from}"))?,
        (text, numbered) => {
            let record: u64 = text.parse().map_err(|_| usage("GO takes a record number, TOP or BOTTOM"))?;
            let there = if numbered { format!("_recno = {record}") } else { format!("{record} > 0") };
            let count = number(shell, &format!("SELECT COUNT(*) FROM {from} WHERE {there}"))?;
            count.filter(|&count| count > 0 && (numbered || record <= count)).map(|_| record)
        }
    };
    arrive(shell, found, "there is no such record")
}

/// Moves on, or back.
pub(super) fn skip(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    let area = area(shell)?;
    let by: i64 = if argument.is_empty() { 1 } else { argument.parse().map_err(|_| usage("SKIP takes a number"))? };
    if by == 0 {
        return Ok(Flow::Continue);
    }
    let (from, record) = (area.from(), area.record);
    let found = if area.numbered {
        let (side, order) = if by > 0 { (">", "") } else { ("<", " DESC") };
        let offset = by.unsigned_abs() - 1;
        let sql = format!(
            "SELECT _recno FROM {from} WHERE _recno {side} {record} ORDER BY _recno{order} LIMIT 1 OFFSET {offset}"
        );
        number(shell, &sql)?
    } else {
        let count = number(shell, &format!("SELECT COUNT(*) FROM {from}"))?.unwrap_or(0);
        record.checked_add_signed(by).filter(|target| (1..=count).contains(target))
    };
    arrive(shell, found, if by > 0 { "the end of the table is reached" } else { "the top of the table is reached" })
}

fn arrive(shell: &mut Shell, record: Option<u64>, otherwise: &str) -> Result<Flow, Failure> {
    let Some(record) = record else {
        let error = Error::new(Code::InvalidValue, otherwise);
        return Err(error.hint("deleted records count only after SET DELETED OFF").into());
    };
    if let Some(area) = &mut shell.area {
        area.record = record;
    }
    if shell.conduct.interactive {
        shell.tell(&format!("record {record}"))?;
    }
    Ok(Flow::Continue)
}

/// The one number that a statement answers.
pub(super) fn number(shell: &mut Shell, sql: &str) -> Result<Option<u64>, Failure> {
    let batches = shell.query(sql).map_err(|error| Failure::Made(error, sql.to_owned()))?;
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() > 0) else { return Ok(None) };
    let internal = |error: arrow_schema::ArrowError| Error::new(Code::Internal, error.to_string());
    let column = batch.columns().first().ok_or_else(|| Error::new(Code::Internal, "a result without columns"))?;
    let column = arrow_cast::cast(column, &arrow_schema::DataType::Int64).map_err(internal)?;
    let values = column.as_primitive::<Int64Type>();
    Ok(values.iter().next().flatten().and_then(|value| u64::try_from(value).ok()))
}

/// Looks through a table on the whole screen.
pub(super) fn browse(shell: &mut Shell, name: &str) -> Result<Flow, Failure> {
    if !name.is_empty() {
        use_table(shell, name)?;
    }
    let mut area = area(shell)?;
    if !shell.on_screen() || !shell.conduct.interactive {
        return list(shell, "");
    }
    browse::run(shell, &mut area)?;
    shell.area = Some(area);
    Ok(Flow::Continue)
}

/// Hides deleted records or shows them.
pub(super) fn set_deleted(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    let hidden = super::switch(argument, false)?;
    shell.session.set("show_deleted", if hidden { "off" } else { "on" })?;
    Ok(Flow::Continue)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(numbered: bool) -> WorkArea {
        WorkArea { table: "customers".into(), record: 17, numbered }
    }

    #[test]
    fn lists_become_statements() {
        let select = |numbered: bool, text: &str| area(numbered).select(&Request::parse(text).unwrap()).unwrap().sql;
        assert_eq!(
            select(true, "name FOR a = 1 -- x"),
            "SELECT _recno AS \"Record#\", name FROM customers WHERE (a = 1 -- x\n) ORDER BY _recno"
        );
        assert_eq!(select(true, "NEXT 3 OFF"), "SELECT * FROM customers WHERE _recno >= 17 ORDER BY _recno LIMIT 3");
        assert_eq!(select(false, "RECORD 5"), "SELECT * FROM customers LIMIT 1 OFFSET 4");
        assert_eq!(
            select(true, "name WHILE a = 1"),
            "SELECT _recno AS \"Record#\", name FROM customers WHERE _recno >= 17 AND _recno < COALESCE((SELECT MIN(_recno) \
             FROM customers WHERE _recno >= 17 AND (a = 1\n) IS NOT TRUE), 9223372036854775807) ORDER BY _recno"
        );
        assert!(area(false).select(&Request::parse("WHILE a = 1").unwrap()).is_err());
    }
}
