//! The words that an xBase hand types: USE, LIST, DISPLAY, COUNT, GO, SKIP.
//!
//! There is one work area. It knows its table and the number of its current record, and each command
//! becomes a statement of SQL over them:
//!
//! ```text
//! USE customers                     (remembered)
//! LIST name, city FOR balance > 0   SELECT _recno AS "Record#", name, city FROM customers
//!                                    WHERE ("BALANCE" > 0) ORDER BY _recno
//! SKIP 2                            SELECT _recno ... WHERE _recno > 17 ORDER BY _recno LIMIT 1 OFFSET 1
//! ```
//!
//! Fields and conditions are xBase's, or SQL's: `super::condition`. Tables without record numbers (CSV, Parquet)
//! are counted through in their order.

use super::{browse, condition};
use crate::errors::{Failure, usage};
use crate::shell::{Flow, Shell};
use crate::tokens::{self, Kind, quote_name};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use mainstay_base::{Code, Error};
use mainstay_engine::TableInfo;

/// The table in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkArea {
    /// The table's name.
    pub(crate) table: String,
    /// The number of the current record, from one.
    pub(crate) record: u64,
    /// Whether the table numbers its records.
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

    /// What keeps the records in their order.
    pub(super) fn order(&self) -> &'static str {
        if self.numbered { " ORDER BY _recno" } else { "" }
    }

    /// What leaves only the records of a scope.
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
    fn select(&self, request: &Request) -> String {
        let (range, limit) = self.scope(request.scope.unwrap_or(Scope::All));
        let number = if self.numbered && !request.off { "_recno AS \"Record#\", " } else { "" };
        let fields = if request.fields.text.is_empty() { "*" } else { &request.fields.text };
        let condition = request.condition.as_ref().map(|condition| format!("({}\n)", condition.text));
        let conditions: Vec<String> = range.into_iter().chain(condition).collect();
        let filter = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
        format!("SELECT {number}{fields} FROM {}{filter}{}{limit}", self.from(), self.order())
    }
}

/// Which records a command is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    All,
    Next(u64),
    Record(u64),
    Rest,
}

/// The arguments of LIST and DISPLAY.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    scope: Option<Scope>,
    fields: Part,
    condition: Option<Part>,
    off: bool,
}

/// Fields or a condition, and where they begin in the arguments.
#[derive(Debug, Default, PartialEq, Eq)]
struct Part {
    text: String,
    at: usize,
    /// It is no other text than what was typed.
    is_typed: bool,
}

impl Part {
    fn typed(text: &str, at: usize) -> Part {
        Part { text: text.to_owned(), at, is_typed: true }
    }
}

impl Request {
    /// Runs the statement that was made of it.
    fn run(&self, shell: &mut Shell, sql: &str) -> Result<Flow, Failure> {
        match &self.condition {
            Some(Part { text, at, is_typed: true }) => shell.run_made_with(sql, text, *at),
            _ => shell.run_made(sql),
        }
    }

    /// Reads `[scope] [fields] [FOR condition] [OFF]`, with the scope also after the fields.
    fn parse(text: &str) -> Request {
        let mut request = Request::default();
        let mut rest = text.trim_end();
        let blanks = rest.len() - rest.trim_start().len();
        rest = rest.trim_start();
        if let Some(start) = last_word(rest, "off") {
            request.off = true;
            rest = rest[..start].trim_end();
        }
        if let Some((start, end)) = find_word(rest, "for") {
            let condition = rest[end..].trim_start();
            let at = blanks + rest.len() - condition.len();
            request.condition = Some(Part::typed(condition, at));
            rest = rest[..start].trim_end();
        }
        let end = blanks + rest.len();
        if let Some((scope, length)) = leading_scope(rest) {
            request.scope = Some(scope);
            rest = rest[length..].trim_start();
        }
        let start = end - rest.len();
        if let Some((scope, start)) = trailing_scope(rest).filter(|_| request.scope.is_none()) {
            request.scope = Some(scope);
            rest = rest[..start].trim_end();
        }
        let fields_word = find_word(rest, "fields").filter(|(start, _)| *start == 0);
        let fields = fields_word.map_or(rest, |(_, end)| rest[end..].trim_start());
        request.fields = Part::typed(fields, start + rest.len() - fields.len());
        request
    }

    /// The request with its fields and its condition as SQL over the table in use.
    fn of(shell: &mut Shell, arguments: &str) -> Result<Request, Failure> {
        let request = Request::parse(arguments);
        if request.fields.text.is_empty() && request.condition.is_none() {
            return Ok(request);
        }
        let table = table_in_use(shell)?;
        let Part { text, at, .. } = &request.fields;
        let fields = Part { text: condition::field_list(&table, text, *at)?, at: *at, is_typed: false };
        let made = |given: Part| {
            let text = condition::condition(&table, &given.text, given.at)?;
            Ok::<Part, Failure>(Part { is_typed: text == given.text, text, ..given })
        };
        Ok(Request { fields, condition: request.condition.map(made).transpose()?, ..request })
    }
}

/// Where a word stands outside of quotes, comments and parentheses.
fn find_word(text: &str, word: &str) -> Option<(usize, usize)> {
    let mut depth = 0_i32;
    for token in tokens::tokens(text, 0) {
        match token.text(text) {
            "(" => depth += 1,
            ")" => depth -= 1,
            found if depth == 0 && token.kind == Kind::Word && found.eq_ignore_ascii_case(word) => {
                return Some((token.range.start, token.range.end));
            }
            _ => {}
        }
    }
    None
}

/// Where the text ends in this word.
fn last_word(text: &str, word: &str) -> Option<usize> {
    let last = tokens::tokens(text, 0).last().filter(|token| token.kind == Kind::Word)?;
    last.text(text).eq_ignore_ascii_case(word).then_some(last.range.start)
}

/// A scope at the start of the text, and its length. A word that is followed by anything but a blank
/// is a field of that name.
fn leading_scope(text: &str) -> Option<(Scope, usize)> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let length = first.len();
    match first.to_ascii_lowercase().as_str() {
        "all" => Some((Scope::All, length)),
        "rest" => Some((Scope::Rest, length)),
        name @ ("next" | "record") => {
            let number = words.next()?;
            let value = number.parse().ok()?;
            let end = length + text[length..].find(number)? + number.len();
            Some((if name == "next" { Scope::Next(value) } else { Scope::Record(value) }, end))
        }
        _ => None,
    }
}

/// A scope at the end of a list of fields, and where it starts.
fn trailing_scope(text: &str) -> Option<(Scope, usize)> {
    let words: Vec<tokens::Token> = tokens::tokens(text, 0).filter(|token| !token.is_blank()).collect();
    let from = |back: usize| {
        let at = words.len().checked_sub(back).filter(|&at| at > 0)?;
        let follows_field = words[at - 1].text(text) != ",";
        let (scope, length) = leading_scope(&text[words[at].range.start..]).filter(|_| follows_field)?;
        (words[at].range.start + length == text.len()).then_some((scope, words[at].range.start))
    };
    from(1).or_else(|| from(2))
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
    let sql = area(shell)?.select(&request);
    request.run(shell, &sql)
}

/// Shows the current record, or what LIST would list.
pub(super) fn display(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    let area = area(shell)?;
    let mut request = Request::of(shell, arguments)?;
    if request.scope.is_none() && request.condition.is_none() {
        request.scope = Some(Scope::Record(area.record));
    }
    request.run(shell, &area.select(&request))
}

/// Counts records.
pub(super) fn count(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    let area = area(shell)?;
    let request = Request::of(shell, arguments)?;
    let filter = request.condition.as_ref().map(|condition| format!(" WHERE {}", condition.text));
    request.run(shell, &format!("SELECT COUNT(*) AS count FROM {}{}", area.from(), filter.unwrap_or_default()))
}

/// Shows the value of an expression.
pub(super) fn print(shell: &mut Shell, expression: &str) -> Result<Flow, Failure> {
    let sql = match (&shell.area, expression) {
        (_, "") => return shell.print("\n").map(|()| Flow::Continue),
        (Some(area), _) => {
            let area = area.clone();
            let expression = condition::field_list(&table_in_use(shell)?, expression, 0)?;
            let (range, limit) = area.scope(Scope::Record(area.record));
            let filter = range.map(|range| format!(" WHERE {range}")).unwrap_or_default();
            format!("SELECT {expression} FROM {}{filter}{limit}", area.from())
        }
        (None, _) => format!("SELECT {expression}"),
    };
    shell.run_made(&sql)
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
    fn lists_are_read() {
        let parsed = Request::parse("NEXT 10 name, upper(city for 3) FOR note = ' for ' OFF");
        let expected = Request {
            scope: Some(Scope::Next(10)),
            fields: Part::typed("name, upper(city for 3)", 8),
            condition: Some(Part::typed("note = ' for '", 36)),
            off: true,
        };
        assert_eq!(parsed, expected);
        assert_eq!(Request::parse(""), Request { fields: Part::typed("", 0), ..Request::default() });
        assert_eq!(Request::parse("fields name").fields.text, "name");
        assert_eq!(Request::parse("all").scope, Some(Scope::All));
        assert_eq!(Request::parse("next, name").fields.text, "next, name");
        let parsed = Request::parse("name, qty NEXT 2 FOR qty > 1");
        assert_eq!((parsed.fields.text.as_str(), parsed.scope), ("name, qty", Some(Scope::Next(2))));
        assert_eq!(Request::parse("name, rest").fields.text, "name, rest");
        assert_eq!(Request::parse("rest").scope, Some(Scope::Rest));
        assert_eq!(Request::parse(" next 2 fields  n").fields, Part::typed("n", 16));
    }

    #[test]
    fn lists_become_statements() {
        let select = |numbered: bool, text: &str| area(numbered).select(&Request::parse(text));
        assert_eq!(
            select(true, "name FOR a = 1 -- x"),
            "SELECT _recno AS \"Record#\", name FROM customers WHERE (a = 1 -- x\n) ORDER BY _recno"
        );
        assert_eq!(select(true, "NEXT 3 OFF"), "SELECT * FROM customers WHERE _recno >= 17 ORDER BY _recno LIMIT 3");
        assert_eq!(select(false, "RECORD 5"), "SELECT * FROM customers LIMIT 1 OFFSET 4");
    }
}
