//! Cursors of the protocol: `sp_cursoropen` and its family, which drivers use for results that scroll.
//!
//! ```text
//!   sp_cursoropen  -->  the text runs, its rows are kept           columns and ROWSTAT; the cursor's number, what it became
//!   sp_cursorfetch -->  StaticCursor says which of them            these rows, each with 1 as its ROWSTAT
//!   sp_cursorclose -->  they are forgotten
//! ```
//!
//! Whatever kind of cursor is asked for, the rows are those of the moment it was opened, and they cannot be changed through
//! it: the answer says so, as SQL Server's does when a query allows no more. (MS-TDS 2.2.6.6, and "Cursor stored procedures"
//! of SQL Server's reference.)

use crate::collected::{Collected, Collector};
use crate::session::Session;
use mainstay_base::{Value, ValueRef};
use mainstay_mssql::{DataType, Message};
use mainstay_tds::{
    Call, Column, Command, CursorCall, Done, DoneKind, Fetch, Opened, Sink, StaticCursor, concurrency, scroll,
};

/// A cursor that a client has opened.
#[derive(Debug)]
pub(crate) struct ServerCursor {
    result: Collected,
    place: StaticCursor,
}

/// What a driver is told of a text that runs without a cursor.
const NO_CURSOR: &str = "Executing SQL directly; no cursor.";

impl Session {
    /// A call of the family.
    ///
    /// Errors: what is wrong with the call, or with its text.
    pub(crate) fn cursor_call(&mut self, call: &Call, sink: &mut dyn Sink) -> Result<(), Vec<Message>> {
        let said = match CursorCall::of(call) {
            Some(Ok(said)) => said,
            Some(Err(message)) => return Err(vec![message]),
            None => return Err(vec![Message::numbered(2812, &[&call.procedure])]),
        };
        match said {
            CursorCall::Open(opened) => return self.open_cursor(call, &opened, sink),
            CursorCall::Prepare { text, definitions } => {
                let described = self.described(text, definitions)?;
                let handle = self.inner.keep_handle(text, definitions);
                if let Some(first) = described.first() {
                    let _ = sink.columns(&first.columns);
                    sink.done(select_done(0));
                }
                output(call, sink, 0, handle.into());
            }
            CursorCall::Unprepare { prepared } => {
                self.inner.state.handles.remove(&prepared);
            }
            CursorCall::Fetch { cursor, fetch } => self.fetch_cursor(call, cursor, fetch, sink)?,
            CursorCall::Close { cursor } => {
                if self.inner.state.server_cursors.remove(&cursor).is_none() {
                    return Err(vec![unknown("sp_cursorclose", cursor)]);
                }
            }
            CursorCall::Option { cursor, .. } => {
                if !self.inner.state.server_cursors.contains_key(&cursor) {
                    return Err(vec![unknown("sp_cursoroption", cursor)]);
                }
            }
            CursorCall::Change { cursor, .. } => {
                let is_open = self.inner.state.server_cursors.contains_key(&cursor);
                let message = if is_open { Message::numbered(16929, &[]) } else { unknown("sp_cursor", cursor) };
                return Err(vec![message]);
            }
        }
        sink.return_status(0);
        Ok(())
    }

    fn open_cursor(&mut self, call: &Call, opened: &Opened<'_>, sink: &mut dyn Sink) -> Result<(), Vec<Message>> {
        let (text, definitions) = match (opened.text, opened.prepared) {
            (Some(text), _) => (text.to_owned(), opened.definitions.to_owned()),
            (None, prepared) => {
                let handle = prepared.unwrap_or(0);
                let Some(known) = self.inner.state.handles.get(&handle) else {
                    return Err(vec![unknown_handle(handle)]);
                };
                (known.text.to_string(), known.declarations.to_string())
            }
        };
        let loaded = self.inner.text(&text, &definitions)?;
        let values = Call { parameters: opened.values.to_vec(), ..call.clone() };
        let mut collector = Collector::new(Some(sink));
        self.run_text(&loaded, &values, 0, &mut collector);
        let Collector { mut results, others, error, .. } = collector;
        let at = opened.outputs;
        if let Some(place) = at.prepared {
            let handle = self.inner.keep_handle(&text, &definitions);
            output(call, sink, place, handle.into());
        }
        if error.is_some() && results.len() != 1 {
            sink.done(Done { error: true, ..plain_done(Command::NONE, None) });
            return Ok(());
        }
        let single = if results.len() == 1 { results.pop() } else { None };
        let Some(result) = single else {
            return direct(call, opened, &results, &others, sink);
        };
        let mut cursor = ServerCursor { place: StaticCursor::new(result.rows.len()), result };
        let count = cursor.result.rows.len() as i64;
        let fetches = opened.scroll & scroll::AUTO_FETCH != 0 && opened.rows > 0;
        let first = if fetches { cursor.place.fetch(Fetch::Next { count: opened.rows }) } else { 0..0 };
        send(&cursor.result, first, sink);
        let kinds = scroll::FORWARD_ONLY | scroll::FAST_FORWARD | scroll::STATIC;
        let kept = opened.scroll & (kinds | scroll::AUTO_FETCH);
        let kind = if kept & kinds == 0 { kept | scroll::STATIC } else { kept };
        let number = self.inner.state.next_server_cursor();
        self.inner.state.server_cursors.insert(number, cursor);
        sink.return_status(0);
        output(call, sink, at.cursor, number.into());
        output(call, sink, at.scroll, kind.into());
        output(call, sink, at.concurrency, concurrency::READ_ONLY.into());
        output(call, sink, at.rows, count);
        Ok(())
    }

    fn fetch_cursor(
        &mut self,
        call: &Call,
        number: i32,
        fetch: Fetch,
        sink: &mut dyn Sink,
    ) -> Result<(), Vec<Message>> {
        let Some(cursor) = self.inner.state.server_cursors.get_mut(&number) else {
            return Err(vec![unknown("sp_cursorfetch", number)]);
        };
        let rows = cursor.place.fetch(fetch);
        if fetch == Fetch::Information {
            output(call, sink, 2, cursor.place.said_position());
            output(call, sink, 3, cursor.result.rows.len() as i64);
            return Ok(());
        }
        send(&cursor.result, rows, sink);
        Ok(())
    }
}

/// The results of a text that no cursor can be of.
fn direct(
    call: &Call,
    opened: &Opened<'_>,
    results: &[Collected],
    others: &[Done],
    sink: &mut dyn Sink,
) -> Result<(), Vec<Message>> {
    if opened.concurrency & concurrency::ALLOW_DIRECT == 0 {
        return Err(vec![Message::numbered(16937, &[])]);
    }
    sink.message(&Message::error(16954, NO_CURSOR).severity(10));
    for result in results {
        if sink.columns(&result.columns).is_err() {
            return Ok(());
        }
        for row in &result.rows {
            let cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
            if sink.row(&cells).is_err() {
                return Ok(());
            }
        }
        sink.done(select_done(result.rows.len() as u64));
    }
    others.iter().for_each(|done| sink.done(*done));
    sink.return_status(0);
    output(call, sink, opened.outputs.cursor, 0);
    Ok(())
}

/// Rows of a result, with what became of each.
fn send(result: &Collected, rows: std::ops::Range<usize>, sink: &mut dyn Sink) {
    let mut columns = result.columns.clone();
    columns.push(Column::new("ROWSTAT", DataType::Int).nullable(false));
    if sink.columns(&columns).is_err() {
        return;
    }
    let mut count = 0;
    for row in result.rows.get(rows).unwrap_or_default() {
        let mut cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
        cells.push(ValueRef::Integer(1));
        if sink.row(&cells).is_err() {
            return;
        }
        count += 1;
    }
    sink.done(select_done(count));
}

fn plain_done(command: Command, count: Option<u64>) -> Done {
    Done { kind: DoneKind::InProcedure, command, count, error: false }
}

fn select_done(count: u64) -> Done {
    plain_done(Command::SELECT, Some(count))
}

/// Gives a number back, if the call wants one at this place.
fn output(call: &Call, sink: &mut dyn Sink, place: u16, value: i64) {
    if let Some(parameter) = call.parameters.get(usize::from(place)).filter(|parameter| parameter.output) {
        let column = Column::new(parameter.name.clone(), DataType::Int);
        let _ = sink.return_value(place, &column, ValueRef::Integer(value));
    }
}

fn unknown(procedure: &str, cursor: i32) -> Message {
    let text = format!("{procedure}: The cursor identifier value provided ({cursor:x}) is not valid.");
    Message::error(16909, text)
}

fn unknown_handle(handle: i32) -> Message {
    Message::error(8179, format!("Could not find prepared statement with handle {handle}."))
}
