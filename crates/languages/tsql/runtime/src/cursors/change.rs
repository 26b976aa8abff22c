//! Changes of rows through a cursor of the protocol: `sp_cursor`.
//!
//! ```text
//!   sp_cursor @cursor, 0x21, 2, 'T', @Name = 'x'        the second of the rows that were fetched last
//!
//!   UPDATE [T] SET [Name] = @v0 WHERE [Id] = @#k0 AND ([Name] = @o0 OR [Name] IS NULL AND @o0 IS NULL)
//! ```
//!
//! The operation is written as a statement over the key of the row, so that triggers, constraints and messages are
//! those of any change. With OPTIMISTIC the row must be as it was fetched (16934, 16947). Bits of the operation (SQL
//! Server's reference, "sp_cursor"): 1 update, 2 delete, 4 insert, 8 refresh, 0x10 lock, 0x20 the place is set, 0x40
//! the row is counted from the cursor's first and not among those fetched last.
//!
//! Limit: an inserted row joins the cursor only if its key is among its values, or is the identity.

use crate::columns::{Messages, declared_type};
use crate::cursors::calls::concurrency;
use crate::cursors::keyset::{Keyset, parameter, text_call};
use crate::cursors::protocol::{ServerCursor, plain_done};
use crate::session::Session;
use crate::session::collecting_sink::{Collected, Collector};
use mainstay_session::push::{Command, Done, Parameter, ParameterValue, Sink};
use mainstay_tsql_syntax::reduce::Scope;
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::Value;

/// An operation's bits.
mod operation {
    pub const UPDATE: i32 = 0x01;
    pub const DELETE: i32 = 0x02;
    pub const INSERT: i32 = 0x04;
    pub const REFRESH: i32 = 0x08;
    pub const LOCK: i32 = 0x10;
    pub const SET_POSITION: i32 = 0x20;
    pub const ABSOLUTE: i32 = 0x40;
}

/// The arguments of `sp_cursor`.
pub(crate) struct Asked<'a> {
    pub(crate) operation: i32,
    pub(crate) row: i32,
    pub(crate) table: &'a str,
    pub(crate) values: &'a [Parameter],
}

/// A statement that is made here: its text, with what its parameters are declared as, and their values.
#[derive(Default)]
struct Made {
    text: String,
    definitions: Vec<String>,
    values: Vec<Parameter>,
}

impl Made {
    /// A parameter of a name and type.
    fn give(&mut self, name: String, data_type: DataType, value: Value) {
        self.definitions.push(format!("{name} {}", data_type.as_variable()));
        self.values.push(parameter(&name, data_type, value));
    }
}

fn numbered(number: i32, arguments: &[&dyn std::fmt::Display]) -> Vec<Message> {
    vec![Message::numbered(number, arguments)]
}

fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

impl Session {
    /// Does what `sp_cursor` asks for.
    ///
    /// Errors: 16929 for a cursor that only reads, 16930, 16931, 16933, 16934 with 16947, 16935, 16936, and those of the
    /// change.
    pub(crate) fn change_row(
        &mut self,
        cursor: &mut ServerCursor,
        asked: &Asked<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Vec<Message>> {
        let reads_only = cursor.keyset.as_ref().is_none_or(|keyset| keyset.concurrency == concurrency::READ_ONLY);
        let has = |bit: i32| asked.operation & bit != 0;
        let changes = has(operation::UPDATE | operation::DELETE | operation::INSERT);
        let Some(keyset) = cursor.keyset.as_mut().filter(|_| !(changes && reads_only)) else {
            return match has(operation::REFRESH) && !changes {
                true => Ok(()),
                false => Err(numbered(16929, &[])),
            };
        };
        if has(operation::INSERT) {
            let (count, added) = self.insert_row(keyset, &cursor.result, asked, sink)?;
            if let Some((key, values)) = added {
                keyset.add(key, values, &mut cursor.result, &mut cursor.place);
            }
            sink.done(plain_done(Command::Insert, count));
            return Ok(());
        }
        let fetched = cursor.place.fetched();
        let row = usize::try_from(asked.row).map_err(|_| numbered(16930, &[]))?;
        let places = match (has(operation::ABSOLUTE), row) {
            (true, row) if (1..=keyset.rows.len()).contains(&row) => row - 1..row,
            (false, _) if fetched.is_empty() => return Err(numbered(16931, &[])),
            (false, 0) => fetched,
            (false, row) if row <= fetched.len() => fetched.start + row - 1..fetched.start + row,
            _ => return Err(numbered(16930, &[])),
        };
        if has(operation::SET_POSITION) && !places.is_empty() {
            cursor.row = places.start;
        }
        if has(operation::LOCK) && self.inner.state.transactions > 0 {
            for place in places.clone() {
                let Some(row) = keyset.rows.get(place).cloned() else { continue };
                self.row_again(keyset, &row.key, true)?;
            }
        }
        if has(operation::REFRESH) {
            self.refresh_rows(&mut cursor.result, keyset, places.clone())?;
        }
        if !changes {
            return Ok(());
        }
        let mut sum = 0;
        for place in places {
            sum += self.change_one(keyset, &mut cursor.result, place, asked, sink)?;
        }
        let command = if has(operation::UPDATE) { Command::Update } else { Command::Delete };
        sink.done(plain_done(command, Some(sum)));
        Ok(())
    }

    fn change_one(
        &mut self,
        keyset: &mut Keyset,
        result: &mut Collected,
        place: usize,
        asked: &Asked<'_>,
        sink: &mut dyn Sink,
    ) -> Result<u64, Vec<Message>> {
        let Some(row) = keyset.rows.get(place).cloned() else { return Err(numbered(16930, &[])) };
        let before = result.rows.get(place).cloned().unwrap_or_default();
        let is_optimistic = keyset.concurrency & concurrency::SCROLL_LOCKS == 0;
        let now = self.row_again(keyset, &row.key, false)?;
        let table = table_of(keyset, asked.table)?;
        let is_delete = asked.operation & operation::UPDATE == 0;
        if now.is_none() || is_optimistic && now.as_ref() != Some(&before) {
            return Err(stale(sink));
        }
        let mut made = Made::default();
        made.text = match is_delete {
            true => format!("DELETE FROM {}", table_text(keyset, table)),
            false => format!("UPDATE {} SET {}", table_text(keyset, table), settings(keyset, table, asked, &mut made)?),
        };
        where_key(keyset, table, &row.key, &mut made)?;
        if is_optimistic {
            where_unchanged(keyset, table, result, &before, &mut made);
        }
        let count = self.run_made(made, sink)?;
        if count == 0 {
            return Err(stale(sink));
        }
        if !is_delete {
            // Its key may have been changed: the row is found by its new key.
            let key = new_key(keyset, table, asked, &row.key);
            let now = self.row_again(keyset, &key, false)?;
            if let (Some(kept), Some(values)) = (result.rows.get_mut(place), now) {
                *kept = values;
            }
            if let Some(row) = keyset.rows.get_mut(place) {
                row.key = key;
            }
        } else if let Some(row) = keyset.rows.get_mut(place) {
            row.is_gone = true;
        }
        Ok(count)
    }

    /// Puts a row in; with its key and values as they are then, where the key is known.
    #[allow(clippy::type_complexity, reason = "used once")]
    fn insert_row(
        &mut self,
        keyset: &Keyset,
        result: &Collected,
        asked: &Asked<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(Option<u64>, Option<(Vec<Value>, Vec<Value>)>), Vec<Message>> {
        let table = table_of(keyset, asked.table)?;
        let mut made = Made::default();
        let given = given(keyset, table, asked)?;
        let mut columns = Vec::new();
        for (number, (column, parameter)) in given.iter().enumerate() {
            columns.push(bracketed(column));
            made.give(format!("@v{number}"), declared_type(&parameter.declared), single(parameter));
        }
        let values: Vec<String> = (0..given.len()).map(|number| format!("@v{number}")).collect();
        let name = table_text(keyset, table);
        made.text = match given.is_empty() {
            true => format!("INSERT INTO {name} DEFAULT VALUES"),
            false => format!("INSERT INTO {name} ({}) VALUES ({})", columns.join(", "), values.join(", ")),
        };
        let count = self.run_made(made, sink)?;
        let counted = keyset.sources.tables.get(table).and_then(|(name, _)| {
            let columns = self.inner.names(&[]).columns(name)?;
            columns.into_iter().find(|column| column.is_identity).map(|column| column.name)
        });
        let is_counted = |column: &str| counted.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(column));
        let mut key = Vec::new();
        for of in &keyset.keys {
            let sent = given.iter().find(|(column, _)| column.eq_ignore_ascii_case(&of.column));
            key.push(match sent {
                Some((_, parameter)) => single(parameter),
                None if is_counted(&of.column) => self.inner.state.identity.map_or(Value::Null, Value::Integer),
                None => Value::Null,
            });
        }
        let fits = result.columns.len() == keyset.sources.columns.len() && keyset.sources.tables.len() == 1;
        let added = match fits && !key.contains(&Value::Null) {
            true => self.row_again(keyset, &key, false)?.map(|values| (key, values)),
            false => None,
        };
        Ok((Some(count), added))
    }

    /// Runs a statement; how many rows it changed.
    fn run_made(&mut self, made: Made, sink: &mut dyn Sink) -> Result<u64, Vec<Message>> {
        let loaded = self.inner.text(&made.text, &made.definitions.join(", "))?;
        let mut collector = Collector::new(Some(sink));
        self.run_text(&loaded, &text_call(made.values), 0, &mut collector);
        let failed = collector.error.is_some();
        if failed {
            // The client has the message already.
            return Err(Vec::new());
        }
        Ok(u64::try_from(self.inner.state.row_count).unwrap_or(0))
    }
}

/// The messages for a row that has changed since it was fetched: a notice, and the error.
fn stale(sink: &mut dyn Sink) -> Vec<Message> {
    sink.tell(&Message::numbered(16934, &[]));
    vec![Message::numbered(16947, &[])]
}

fn single(parameter: &Parameter) -> Value {
    match &parameter.value {
        ParameterValue::Single(value) => value.clone(),
        ParameterValue::Table(_) => Value::Null,
    }
}

/// The place of the table that a client names; of the first one if it names none.
///
/// Errors: 16933.
fn table_of(keyset: &Keyset, named: &str) -> Result<usize, Vec<Message>> {
    if named.trim().is_empty() {
        return Ok(0);
    }
    let wanted = crate::session::object_name(named);
    let is_it = |(table, alias): &(mainstay_tsql_syntax::tree::ObjectName, String)| {
        table.last().eq_ignore_ascii_case(wanted.last()) || alias.eq_ignore_ascii_case(wanted.last())
    };
    keyset.sources.tables.iter().position(is_it).ok_or_else(|| numbered(16933, &[]))
}

fn table_text(keyset: &Keyset, table: usize) -> String {
    let parts = keyset.sources.tables.get(table).map(|(name, _)| &name.parts[..]).unwrap_or_default();
    let part = |part: &mainstay_tsql_syntax::tree::Name| {
        if part.text.is_empty() { String::new() } else { bracketed(&part.text) }
    };
    parts.iter().map(part).collect::<Vec<_>>().join(".")
}

/// The columns that values are given for, with the values: by name, or in the order of the cursor's columns.
///
/// Errors: 16935 without any (but for an insert), 16936 for a column that the table has not.
fn given<'a>(keyset: &Keyset, table: usize, asked: &Asked<'a>) -> Result<Vec<(String, &'a Parameter)>, Vec<Message>> {
    if asked.values.is_empty() && asked.operation & operation::INSERT == 0 {
        return Err(numbered(16935, &[&"update"]));
    }
    let of_table = || keyset.sources.columns.iter().flatten().filter(|column| column.table == table);
    let mut given = Vec::new();
    for (place, parameter) in asked.values.iter().enumerate() {
        if parameter.default {
            continue;
        }
        let name = parameter.name.trim_start_matches('@');
        let column = match name.is_empty() {
            true => of_table().nth(place).map(|column| column.name.clone()),
            false => Some(name.to_owned()),
        };
        given.push((column.ok_or_else(|| numbered(16936, &[]))?, parameter));
    }
    Ok(given)
}

/// The SET clause: of values, or as a text that the client wrote (`UPDATE t SET a = 1`, or only `a = 1`).
fn settings(keyset: &Keyset, table: usize, asked: &Asked<'_>, made: &mut Made) -> Result<String, Vec<Message>> {
    if let [only] = asked.values
        && only.name.is_empty()
        && let Value::Text(text) = single(only)
        && text.contains('=')
    {
        let lower = text.to_lowercase();
        let start = lower.trim_start().starts_with("update").then(|| lower.find(" set ")).flatten();
        let own = start.and_then(|start| text.get(start + 5..)).unwrap_or(&text);
        return Ok(own.trim().trim_start_matches("SET ").trim_start_matches("set ").to_owned());
    }
    let mut items = Vec::new();
    for (number, (column, parameter)) in given(keyset, table, asked)?.into_iter().enumerate() {
        items.push(format!("{} = @v{number}", bracketed(&column)));
        made.give(format!("@v{number}"), declared_type(&parameter.declared), single(parameter));
    }
    Ok(items.join(", "))
}

/// WHERE over the key of a row of one of the tables.
///
/// Errors: 16933 for a table without a key here.
fn where_key(keyset: &Keyset, table: usize, key: &[Value], made: &mut Made) -> Result<(), Vec<Message>> {
    let mut word = " WHERE";
    for (of, value) in keyset.keys.iter().zip(key).filter(|(of, _)| of.place == table) {
        let column = if of.column.starts_with("_rowid") { of.column.clone() } else { bracketed(&of.column) };
        made.text.push_str(&format!("{word} {column} = {}", of.variable));
        made.give(of.variable.clone(), of.data_type, value.clone());
        word = " AND";
    }
    if word == " WHERE" { Err(numbered(16933, &[])) } else { Ok(()) }
}

/// And that the table's columns are as they were fetched, as far as their types can be compared.
fn where_unchanged(keyset: &Keyset, table: usize, result: &Collected, before: &[Value], made: &mut Made) {
    for (place, source) in keyset.sources.columns.iter().enumerate() {
        let (Some(source), Some(column), Some(value)) = (source, result.columns.get(place), before.get(place)) else {
            continue;
        };
        let is_comparable = !matches!(
            column.data_type,
            DataType::Text(_) | DataType::NText | DataType::Image | DataType::Xml | DataType::SqlVariant
        );
        if source.table != table || !is_comparable {
            continue;
        }
        let name = bracketed(&source.name);
        match value {
            Value::Null => made.text.push_str(&format!(" AND {name} IS NULL")),
            value => {
                made.text.push_str(&format!(" AND {name} = @o{place}"));
                made.give(format!("@o{place}"), column.data_type, value.clone());
            }
        }
    }
}

/// The key of a row behind an update that may have set it.
fn new_key(keyset: &Keyset, table: usize, asked: &Asked<'_>, key: &[Value]) -> Vec<Value> {
    let given = given(keyset, table, asked).unwrap_or_default();
    let value = |(of, value): (&mainstay_tsql_syntax::reduce::CursorKey, &Value)| {
        let sent = given.iter().find(|(column, _)| of.place == table && column.eq_ignore_ascii_case(&of.column));
        sent.map_or_else(|| value.clone(), |(_, parameter)| single(parameter))
    };
    keyset.keys.iter().zip(key).map(value).collect()
}

/// The end of a change that failed and reported its error.
pub(crate) fn failed() -> Done {
    Done { error: true, ..plain_done(Command::None, None) }
}
