//! Cursors of the protocol: `sp_cursoropen` and its family, which drivers use for scrollable results.
//!
//! ```text
//!   sp_cursoropen  -->  the text runs, its rows are kept           columns and ROWSTAT; the cursor's number, what it became
//!   sp_cursorfetch -->  StaticCursor says which of them            these rows, each with 1 as its ROWSTAT
//!   sp_cursorclose -->  they are forgotten
//! ```
//!
//! A keyset or dynamic cursor becomes a keyset, whose rows are read again when they are fetched (`cursor_keyset`) and
//! can be changed through it (`cursor_change`). The rows of any other, and of a query whose rows are not those of its
//! tables, are those at the time of opening: the answer contains the kind that it became, as SQL Server's does when a
//! query allows no more. (MS-TDS 2.2.6.6, and "Cursor stored procedures" of SQL Server's reference.)

use crate::columns::{Column, Messages, sent};
use crate::cursors::calls::{CursorCall, Fetch, Opened, concurrency, scroll};
use crate::cursors::change::{Asked, failed};
use crate::cursors::keyset::{Keyset, text_call};
use crate::cursors::position::StaticCursor;
use crate::session::Session;
use crate::session::collecting_sink::{Collected, Collector};
use mainstay_session::push::{Call, Command, Done, DoneKind, ParameterValue, Sink};
use mainstay_tsql_syntax::reduce::CursorKey;
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::{Value, ValueRef};

/// A cursor that a client has opened.
#[derive(Debug)]
pub(crate) struct ServerCursor {
    pub(crate) result: Collected,
    pub(crate) place: StaticCursor,
    /// Of a cursor whose rows are read again.
    pub(crate) keyset: Option<Keyset>,
    /// The row, from 0, that positioned changes are of.
    pub(crate) row: usize,
    /// The kind that the cursor has become: bits of [`scroll`].
    kind: i32,
    /// Its name in WHERE CURRENT OF.
    pub(crate) name: Option<String>,
}

/// The message to a driver whose text runs without a cursor.
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
                    let _ = sink.columns(&sent(&first.columns));
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
            CursorCall::Option { cursor, option, value } => self.cursor_option(call, (cursor, option, value), sink)?,
            CursorCall::Change { cursor, operation, row, table, values } => {
                let asked = Asked { operation, row, table, values };
                let outcome =
                    self.with_server_cursor("sp_cursor", cursor, |it, cursor| it.change_row(cursor, &asked, sink));
                if outcome.as_ref().is_err_and(Vec::is_empty) {
                    sink.done(failed());
                    return Ok(());
                }
                outcome?;
            }
        }
        sink.return_status(0);
        Ok(())
    }

    /// Works on a cursor while the session works on other things.
    fn with_server_cursor<T>(
        &mut self,
        procedure: &str,
        number: i32,
        work: impl FnOnce(&mut Self, &mut ServerCursor) -> Result<T, Vec<Message>>,
    ) -> Result<T, Vec<Message>> {
        let Some(mut cursor) = self.inner.state.server_cursors.remove(&number) else {
            return Err(vec![unknown(procedure, number)]);
        };
        let outcome = work(self, &mut cursor);
        self.inner.state.server_cursors.insert(number, cursor);
        outcome
    }

    /// `sp_cursoroption`: the name of a cursor (2), its kind, and the number of its rows: 4, 5 and 6. Other options say
    /// how values are sent, which changes nothing here.
    fn cursor_option(
        &mut self,
        call: &Call,
        (number, option, value): (i32, i32, &ParameterValue),
        sink: &mut dyn Sink,
    ) -> Result<(), Vec<Message>> {
        let Some(cursor) = self.inner.state.server_cursors.get_mut(&number) else {
            return Err(vec![unknown("sp_cursoroption", number)]);
        };
        if let (2, ParameterValue::Single(Value::Text(name))) = (option, value) {
            cursor.name = Some(name.clone());
        }
        let value = match option {
            4 => i64::from(cursor.kind),
            5 => i64::from(cursor.concurrency()),
            6 => cursor.result.rows.len() as i64,
            _ => return Ok(()),
        };
        output(call, sink, 2, value);
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
        let at = opened.outputs;
        let keyset = match self.open_keyset(&text, &definitions, opened, sink) {
            Some(Err(messages)) if messages.is_empty() => {
                sink.done(failed());
                return Ok(());
            }
            keyset => keyset.transpose()?,
        };
        let prepared = at.prepared.map(|place| (place, self.inner.keep_handle(&text, &definitions)));
        if let Some((result, keyset)) = keyset {
            self.opened(call, opened, result, Some(keyset), prepared, sink);
            return Ok(());
        }
        let mut collector = Collector::new(Some(sink));
        self.run_text(&loaded, &text_call(opened.values.to_vec()), 0, &mut collector);
        let Collector { mut results, others, error, .. } = collector;
        if error.is_some() && results.len() != 1 {
            prepared.iter().for_each(|(place, handle)| output(call, sink, *place, (*handle).into()));
            sink.done(Done { error: true, ..plain_done(Command::None, None) });
            return Ok(());
        }
        let single = if results.len() == 1 { results.pop() } else { None };
        let Some(result) = single else {
            direct(call, opened, &results, &others, sink)?;
            prepared.iter().for_each(|(place, handle)| output(call, sink, *place, (*handle).into()));
            return Ok(());
        };
        self.opened(call, opened, result, None, prepared, sink);
        Ok(())
    }

    /// Stores a cursor, and sends its handle to the client.
    fn opened(
        &mut self,
        call: &Call,
        opened: &Opened<'_>,
        result: Collected,
        keyset: Option<Keyset>,
        prepared: Option<(u16, i32)>,
        sink: &mut dyn Sink,
    ) {
        let kinds = scroll::FORWARD_ONLY | scroll::FAST_FORWARD | scroll::STATIC;
        let kept = opened.scroll & (kinds | scroll::AUTO_FETCH);
        let kind = match (kept & kinds == 0, &keyset) {
            (false, _) => kept,
            (true, Some(_)) => kept | scroll::KEYSET,
            (true, None) => kept | scroll::STATIC,
        };
        let mut cursor =
            ServerCursor { place: StaticCursor::new(result.rows.len()), result, keyset, row: 0, kind, name: None };
        let count = cursor.result.rows.len() as i64;
        let fetches = opened.scroll & scroll::AUTO_FETCH != 0 && opened.rows > 0;
        let first = if fetches { cursor.place.fetch(Fetch::Next { count: opened.rows }) } else { 0..0 };
        send(&cursor, first, sink);
        let number = self.inner.state.next_server_cursor();
        sink.return_status(0);
        let at = opened.outputs;
        // Behind the rows: a driver takes what comes before them for the answer of a text without any.
        prepared.iter().for_each(|(place, handle)| output(call, sink, *place, (*handle).into()));
        output(call, sink, at.cursor, number.into());
        output(call, sink, at.scroll, kind.into());
        output(call, sink, at.concurrency, cursor.concurrency().into());
        output(call, sink, at.rows, count);
        self.inner.state.server_cursors.insert(number, cursor);
    }

    fn fetch_cursor(
        &mut self,
        call: &Call,
        number: i32,
        fetch: Fetch,
        sink: &mut dyn Sink,
    ) -> Result<(), Vec<Message>> {
        self.with_server_cursor("sp_cursorfetch", number, |it, cursor| {
            let rows = cursor.place.fetch(fetch);
            if fetch == Fetch::Information {
                output(call, sink, 2, cursor.place.said_position());
                output(call, sink, 3, cursor.result.rows.len() as i64);
                return Ok(());
            }
            cursor.row = rows.start;
            if let Some(keyset) = &mut cursor.keyset {
                it.refresh_rows(&mut cursor.result, keyset, rows.clone())?;
            }
            send(cursor, rows, sink);
            Ok(())
        })
    }
}

impl ServerCursor {
    /// Of the row that a positioned change is of, the value of a column of its key.
    pub(crate) fn current_key(&self, table: &str, column: &str) -> Option<Value> {
        let keyset = self.keyset.as_ref()?;
        let is_it = |key: &CursorKey| key.table == table && key.column.eq_ignore_ascii_case(column);
        let place = keyset.keys.iter().position(is_it)?;
        keyset.rows.get(self.row).filter(|row| !row.is_gone)?.key.get(place).cloned()
    }

    /// Sees that a statement may change the row that the cursor stands on, of a table by its name in the core.
    ///
    /// Errors: 16929, 16931, 16933.
    pub(crate) fn check_current(&self, table: &str) -> Result<(), Message> {
        let Some(keyset) = self.keyset.as_ref().filter(|keyset| keyset.concurrency != concurrency::READ_ONLY) else {
            return Err(Message::error(16929, "The cursor is READ ONLY."));
        };
        if !keyset.keys.iter().any(|key| key.table == table) {
            let text = "The cursor does not include the table being modified or the table is not updatable through the \
                        cursor.";
            return Err(Message::error(16933, text));
        }
        match self.place.fetched().is_empty() {
            true => Err(Message::error(16931, "There are no rows in the current fetch buffer.")),
            false => Ok(()),
        }
    }

    /// The concurrency of the cursor: bits of [`concurrency`].
    fn concurrency(&self) -> i32 {
        self.keyset.as_ref().map_or(concurrency::READ_ONLY, |keyset| keyset.concurrency)
    }

    fn is_gone(&self, place: usize) -> bool {
        self.keyset.as_ref().and_then(|keyset| keyset.rows.get(place)).is_some_and(|row| row.is_gone)
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
    sink.tell(&Message::error(16954, NO_CURSOR).severity(10));
    for result in results {
        if sink.columns(&sent(&result.columns)).is_err() {
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

/// Rows of a cursor, with what became of each: 1, or 2 for one that has gone.
fn send(cursor: &ServerCursor, rows: std::ops::Range<usize>, sink: &mut dyn Sink) {
    let result = &cursor.result;
    let mut columns = result.columns.clone();
    columns.push(Column::new("ROWSTAT", DataType::Int).nullable(false));
    if sink.columns(&sent(&columns)).is_err() {
        return;
    }
    if let Some(keyset) = &cursor.keyset {
        let (tables, sources) = keyset.told(result);
        sink.sources(&tables, &sources);
    }
    let mut count = 0;
    for (place, row) in rows.clone().zip(result.rows.get(rows).unwrap_or_default()) {
        let mut cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
        cells.push(ValueRef::Integer(if cursor.is_gone(place) { 2 } else { 1 }));
        if sink.row(&cells).is_err() {
            return;
        }
        count += 1;
    }
    sink.done(select_done(count));
}

pub(crate) fn plain_done(command: Command, count: Option<u64>) -> Done {
    Done { kind: DoneKind::InProcedure, command, count, error: false }
}

fn select_done(count: u64) -> Done {
    plain_done(Command::Select, Some(count))
}

/// Gives a number back, if the call wants one at this place.
fn output(call: &Call, sink: &mut dyn Sink, place: u16, value: i64) {
    if let Some(parameter) = call.parameters.get(usize::from(place)).filter(|parameter| parameter.output) {
        let column = Column::new(parameter.name.clone(), DataType::Int);
        let _ = sink.return_value(place, &(&column).into(), ValueRef::Integer(value));
    }
}

fn unknown(procedure: &str, cursor: i32) -> Message {
    let text = format!("{procedure}: The cursor identifier value provided ({cursor:x}) is not valid.");
    Message::error(16909, text)
}

fn unknown_handle(handle: i32) -> Message {
    Message::error(8179, format!("Could not find prepared statement with handle {handle}."))
}
