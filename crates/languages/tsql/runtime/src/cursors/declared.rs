//! Cursors: DECLARE, OPEN, FETCH, CLOSE, DEALLOCATE and changes of their rows.
//!
//! All rows are read at OPEN. Later changes are looked up when a row is fetched, and only if the cursor's tables have
//! changed since it was read:
//!
//! ```text
//!   static    nothing
//!   keyset    the row is read again by its key; one that is gone is fetched as -2
//!   dynamic   likewise, and one that is gone or does not meet the condition any more is passed over;
//!             after INSERTs the list is read again, from the row on that the cursor stands on
//! ```
//!
//! With SCROLL_LOCKS rows of one table are locked as they are fetched, within a transaction. Other cursors that change
//! rows are optimistic, with or without the option: WHERE CURRENT OF reads the row again, and does not change one that
//! another session has changed since it was fetched. The comparison is by the fetched values.
//!
//! A forward-only cursor is dynamic, SCROLL alone is keyset; a query whose rows are not those of its tables makes any
//! cursor static, and one that limits its rows (TOP) or sorts them makes it a keyset.

use crate::columns::Messages;
use crate::cursors::{Cursor, Kind, Row, Rows, missing};
use crate::objects::modules::Loaded;
use crate::session::watch::Watcher;
use crate::statements::errors::raised;
use crate::statements::query::Plan;
use crate::statements::runner::{Ran, Runner, set};
use mainstay_planner::HeldMemory;
use mainstay_session::push::Command;
use mainstay_tsql_planner::type_of_field;
use mainstay_tsql_syntax::compile::{Action, HostStatement};
use mainstay_tsql_syntax::reduce::{self, CursorQueries, Parameter, ReducedQuery, Scope, Source};
use mainstay_tsql_syntax::tree::{self, Change, CursorName, CursorUpdate, Direction, Name, ObjectName, SetItem};
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::Value;
use mainstay_vm::{Flow, Raised, StatementCall};
use std::sync::Arc;

fn not_open(state: u8) -> Box<Raised> {
    raised(Message::error(16917, "Cursor is not open.").state(state))
}

/// The result of a fetch.
enum Fetched {
    Row,
    /// No row is there: before the first, or behind the last.
    Outside,
    /// The row has gone.
    Gone,
}

/// The rows of a cursor's query.
struct RowsAtHand {
    schema: Option<arrow_schema::SchemaRef>,
    rows: Vec<Row>,
    /// The memory that they hold, where it is counted.
    memory: Option<HeldMemory>,
}

impl Runner<'_> {
    /// OPEN, FETCH, CLOSE, DEALLOCATE, and SET of a cursor variable to another cursor.
    pub(crate) fn cursor_statement(
        &mut self,
        action: &Action,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        match action {
            Action::Open(name) => self.open(name),
            Action::Fetch(name, direction, into) => {
                let fetched = self.fetch(name, direction, *into, host, call);
                if fetched.is_err() {
                    self.inner.state.fetch_status = -1;
                }
                fetched
            }
            Action::Close(name) => {
                let (_, cursor) = self.inner.state.cursor_mut(name)?;
                cursor.rows.take().map(|_| Flow::NEXT).ok_or_else(|| not_open(1))
            }
            Action::Deallocate(name) => self.inner.state.deallocate(name).map(|()| Flow::NEXT),
            Action::SetCursor(variable, of) => {
                let number = self.inner.state.cursor_number(of).ok_or_else(|| missing(of))?;
                self.inner.state.give_cursor(variable.text.to_lowercase(), true, number);
                Ok(Flow::NEXT)
            }
            other => Err(raised(reduce::not_supported(&format!("{other:?}")))),
        }
    }

    /// DECLARE CURSOR, and SET of a variable to a new one.
    pub(crate) fn declare_cursor(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        name: &Name,
        declared: &tree::Cursor,
        call: &StatementCall<'_>,
    ) -> Ran {
        let has = |word: &str| declared.options.iter().any(|option| option.eq_ignore_ascii_case(word));
        let kind = match () {
            () if has("STATIC") || has("INSENSITIVE") => Kind::Static,
            () if has("KEYSET") => Kind::Keyset,
            () if has("SCROLL") && !has("DYNAMIC") => Kind::Keyset,
            () => Kind::Dynamic,
        };
        let is_forward = has("FORWARD_ONLY") || has("FAST_FORWARD");
        let host = loaded.module.actions.get(number);
        let value = |(place, (name, data_type)): (usize, &(String, DataType))| {
            (name.clone(), *data_type, call.input(place).to_value())
        };
        let values = host.map_or_else(Vec::new, |host| host.inputs.iter().enumerate().map(value).collect());
        let mut cursor = Cursor::new(kind, (Arc::clone(loaded), number), values);
        cursor.scrolls = has("SCROLL") || !is_forward && ["STATIC", "KEYSET", "DYNAMIC"].iter().any(|word| has(word));
        cursor.reads_only = kind == Kind::Static
            || has("FAST_FORWARD")
            || has("READ_ONLY")
            || declared.update == Some(CursorUpdate::ReadOnly);
        cursor.locks = has("SCROLL_LOCKS") && !cursor.reads_only;
        if let Some(CursorUpdate::Update(columns)) = &declared.update {
            cursor.updatable = columns.iter().map(|column| column.last().to_lowercase()).collect();
        }
        let is_local = name.text.starts_with('@') || has("LOCAL");
        self.inner.state.name_cursor(&name.text, is_local, cursor)?;
        Ok(Flow::NEXT)
    }

    /// A parameter that is a cursor: the caller's variable gets it when the procedure ends.
    pub(crate) fn cursor_parameter(&mut self, own: &str, callers: &str) -> Ran {
        let key = callers.to_lowercase();
        let levels = &mut self.inner.state.levels;
        let caller = levels.len().checked_sub(2).and_then(|place| levels.get(place));
        if caller.is_some_and(|level| level.cursors.contains_key(&key)) {
            let text = format!(
                "The variable '{callers}' cannot be used as a parameter because a CURSOR OUTPUT parameter must not have a \
                 cursor allocated to it before execution of the procedure."
            );
            return Err(raised(Message::error(16951, text)));
        }
        if let Some(level) = levels.last_mut()
            && !key.is_empty()
        {
            level.cursor_parameters.push((own.to_lowercase(), key));
        }
        Ok(Flow::NEXT)
    }

    fn open(&mut self, name: &CursorName) -> Ran {
        let (number, cursor) = self.inner.state.cursor_mut(name)?;
        if cursor.rows.is_some() {
            return Err(raised(Message::error(16905, "The cursor is already open.")));
        }
        self.with_cursor(number, |it, cursor| it.open_rows(cursor))?;
        self.inner.state.cursors.opened = Some(number);
        Ok(Flow::NEXT)
    }

    /// Works on a cursor while the session works on other things.
    fn with_cursor<T>(
        &mut self,
        number: u64,
        work: impl FnOnce(&mut Self, &mut Cursor) -> Result<T, Box<Raised>>,
    ) -> Result<T, Box<Raised>> {
        let Some(mut cursor) = self.inner.state.cursors.take(number) else { return Err(not_open(1)) };
        let outcome = work(self, &mut cursor);
        self.inner.state.cursors.put(number, cursor);
        outcome
    }

    fn open_rows(&mut self, cursor: &mut Cursor) -> Result<(), Box<Raised>> {
        let (loaded, number) = cursor.declared.clone();
        let Some(host) = loaded.module.actions.get(number) else { return Ok(()) };
        let Action::DeclareCursor(_, declared) = &host.action else { return Ok(()) };
        let kind = cursor.kind;
        self.inner.begin_nulls(cursor.nulls());
        let mut plan = self.planned(&loaded, number, |inner| {
            let names = inner.names(&host.inputs);
            let queries = match kind {
                Kind::Static => {
                    CursorQueries { rows: declared.query.clone(), again: None, keys: Vec::new(), keeps_rows: true }
                }
                _ => reduce::cursor_queries(&declared.query, kind == Kind::Dynamic, &names),
            };
            let ReducedQuery { text, parameters, heads } = reduce::query(&queries.rows, &names).map_err(raised)?;
            let mut plan = inner.plan(&text, parameters, heads)?;
            plan.cursor = Some(Arc::new(queries));
            Ok(plan)
        })?;
        let queries = plan.cursor.clone();
        let tables = queries.iter().flat_map(|queries| &queries.keys).map(|key| key.table.clone()).collect();
        // Counted before the rows are read, so that a change in between is seen.
        let watcher = Watcher::new(&self.inner.instance.watch, tables);
        let seen = watcher.changes();
        let opened = self.cursor_rows(&mut plan, cursor, seen);
        let heads = plan.heads.clone();
        self.put_plan(&loaded, number, plan);
        let RowsAtHand { schema, rows, memory } = opened?;
        let (mut types, mut columns) = (Vec::new(), Vec::new());
        if let Some(schema) = schema {
            types = schema.fields().iter().map(|field| type_of_field(field)).collect();
            columns = crate::statements::query::shown(&schema, &heads);
        }
        let keys = queries.as_ref().map_or_else(Vec::new, |queries| queries.keys.clone());
        let width = columns.len().saturating_sub(keys.len());
        types.truncate(width);
        columns.truncate(width);
        match queries.as_ref() {
            Some(queries) if queries.again.is_some() => {
                if queries.keeps_rows && cursor.kind == Kind::Dynamic {
                    cursor.kind = Kind::Keyset;
                }
            }
            _ => cursor.kind = Kind::Static,
        }
        cursor.rows = Some(Rows {
            types: types.into(),
            columns: columns.into(),
            rows,
            memory,
            at: 0,
            keys: keys.into(),
            again: None,
            queries,
            listed: watcher.inserts(),
            watcher,
        });
        Ok(())
    }

    /// The rows of a cursor as they are now.
    fn cursor_rows(&mut self, plan: &mut Plan, cursor: &Cursor, seen: u64) -> Result<RowsAtHand, Box<Raised>> {
        let values = self.cursor_values(&plan.parameters, &|name| cursor.variable(name));
        let keys = plan.cursor.as_ref().map_or(0, |queries| queries.keys.len());
        let returned = self.inner.rows_of(plan, &values)?;
        let row = |mut values: Vec<Value>| {
            let keys = values.split_off(values.len().saturating_sub(keys));
            Row { values, keys, seen }
        };
        let (rows, memory) = returned.rows.into_parts();
        Ok(RowsAtHand { schema: returned.schema, rows: rows.into_iter().map(row).collect(), memory })
    }

    /// The values of parameters, with these variables.
    fn cursor_values(&mut self, parameters: &[Parameter], variable: &dyn Fn(&str) -> Value) -> Vec<Value> {
        let mut value = |parameter: &Parameter| match &parameter.source {
            Source::Variable(name) => variable(name),
            Source::Session(function) => self.session_value(*function, None),
            Source::Catalog(function, inputs) => self.inner.catalog_answer(function.name, inputs, variable),
            Source::CurrentRow(..) => Value::Null,
        };
        parameters.iter().map(&mut value).collect()
    }

    fn fetch(
        &mut self,
        name: &CursorName,
        direction: &Direction,
        into: usize,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let offset = crate::statements::flow::integer(call.input(call.inputs().saturating_sub(1))).unwrap_or(0);
        let (number, cursor) = self.inner.state.cursor_mut(name)?;
        let Some(rows) = &cursor.rows else { return Err(not_open(2)) };
        check_direction(cursor, direction)?;
        let (types, columns) = (Arc::clone(&rows.types), Arc::clone(&rows.columns));
        if into > 0 && into != columns.len() {
            let text =
                "Cursorfetch: The number of variables declared in the INTO list must match that of selected columns.";
            return Err(raised(Message::error(16924, text)));
        }
        let fetched = match cursor.kind {
            Kind::Static => cursor.step(direction, offset),
            _ => self.with_cursor(number, |it, cursor| it.fetch_current(cursor, direction, offset))?,
        };
        self.inner.state.fetch_status = match fetched {
            Fetched::Row => 0,
            Fetched::Outside => -1,
            Fetched::Gone => -2,
        };
        let is_row = matches!(fetched, Fetched::Row);
        self.inner.state.row_count = i64::from(is_row);
        self.inner.state.error = 0;
        let state = &self.inner.state;
        let row = state.cursor(name).and_then(Cursor::current).filter(|_| is_row).map(|(_, row)| row.values.as_slice());
        if into == 0 {
            let row = row.map(<[Value]>::to_vec);
            return self.send_fetched(&columns, row);
        }
        let Some(row) = row else { return Ok(Flow::NEXT) };
        for (place, value) in row.iter().enumerate() {
            let Some((_, to)) = host.outputs.get(place) else { continue };
            match types.get(place).copied().flatten() {
                Some(from) if from != *to => {
                    let value = self.converted(value, Some(from), *to)?;
                    set(call, place, value.as_ref())?;
                }
                _ => drop(set(call, place, value.as_ref())?),
            }
        }
        Ok(Flow::NEXT)
    }

    /// FETCH without INTO: the row goes to the client, or to the capture around it.
    fn send_fetched(&mut self, columns: &[crate::columns::Column], row: Option<Vec<Value>>) -> Ran {
        let count = u64::from(row.is_some());
        let most = self.inner.state.options.most_text();
        match self.inner.state.captured.last_mut() {
            Some(captured) => captured.take(columns, row.into_iter())?,
            None => {
                self.columns(columns)?;
                if let Some(row) = &row {
                    crate::session::sent_rows::send_row(self.sink, (columns, most), |cells| {
                        cells.iter_mut().zip(row).for_each(|(cell, value)| *cell = value.as_ref());
                    })?;
                }
            }
        }
        self.done(Command::Select, Some(count));
        Ok(Flow::NEXT)
    }

    /// Steps to a row and sees what has become of it.
    fn fetch_current(
        &mut self,
        cursor: &mut Cursor,
        direction: &Direction,
        offset: i64,
    ) -> Result<Fetched, Box<Raised>> {
        let watched = cursor.rows.as_ref().map(|rows| (rows.watcher.changes(), rows.watcher.inserts(), rows.listed));
        let Some((changes, inserts, listed)) = watched else { return Err(not_open(2)) };
        if cursor.kind == Kind::Dynamic && inserts != listed {
            self.list_again(cursor, changes, inserts)?;
        }
        let mut fetched = cursor.step(direction, offset);
        let locks = cursor.locks && self.inner.state.transactions > 0;
        while let Fetched::Row = fetched {
            let Some((_, row)) = cursor.current() else { return Ok(Fetched::Outside) };
            if row.seen == changes && !locks || self.read_again(cursor, changes)? {
                return Ok(Fetched::Row);
            }
            if cursor.kind == Kind::Keyset {
                return Ok(Fetched::Gone);
            }
            // The row is not one of the cursor's any more: the one behind it has its place.
            let backwards = matches!(direction, Direction::Prior | Direction::Last)
                || offset < 0 && matches!(direction, Direction::Relative(_));
            let Some(rows) = &mut cursor.rows else { return Ok(Fetched::Outside) };
            rows.rows.remove(rows.at - 1);
            if backwards {
                rows.at -= 1;
            }
            fetched = if (1..=rows.rows.len()).contains(&rows.at) { Fetched::Row } else { Fetched::Outside };
        }
        Ok(fetched)
    }

    /// Reads the row that a cursor stands on again; whether it is there.
    fn read_again(&mut self, cursor: &mut Cursor, changes: u64) -> Result<bool, Box<Raised>> {
        let Some(rows) = &mut cursor.rows else { return Ok(false) };
        let Some(queries) = rows.queries.clone() else { return Ok(false) };
        let Some(again) = &queries.again else { return Ok(true) };
        let variables = cursor.values.iter().map(|(name, _, value)| (name.as_str(), *value == Value::Null));
        self.inner.begin_nulls(variables);
        let locks = cursor.locks && self.inner.state.transactions > 0;
        let mut plan = match rows.again.take() {
            Some((known, plan)) if known == locks && self.inner.is_current(&plan) => plan,
            _ => {
                let locking = locks.then(|| crate::cursors::keyset::locking(again.clone()));
                let again = locking.as_ref().unwrap_or(again);
                let values = cursor.values.iter().map(|(name, data_type, _)| (name.clone(), *data_type));
                let keys = queries.keys.iter().map(|key| (key.variable.clone(), key.data_type));
                let variables: Vec<(String, DataType)> = values.chain(keys).collect();
                let names = self.inner.names(&variables);
                let ReducedQuery { text, parameters, heads } = reduce::query(again, &names).map_err(raised)?;
                Box::new(self.inner.plan(&text, parameters, heads)?)
            }
        };
        let Some((_, row)) = cursor.current() else { return Ok(false) };
        let variable = |name: &str| {
            let place = queries.keys.iter().position(|key| key.variable == name);
            match place {
                Some(place) => row.keys.get(place).cloned().unwrap_or(Value::Null),
                None => cursor.variable(name),
            }
        };
        let values = self.cursor_values(&plan.parameters, &variable);
        let found = self.inner.rows_of(&mut plan, &values)?.rows.into_parts().0.into_iter().next();
        let Some(rows) = &mut cursor.rows else { return Ok(false) };
        rows.again = Some((locks, plan));
        let at = rows.at;
        match (found, at.checked_sub(1).and_then(|place| rows.rows.get_mut(place))) {
            (Some(values), Some(row)) => {
                (row.values, row.seen) = (values, changes);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Reads the list of a dynamic cursor again, and finds its place there.
    fn list_again(&mut self, cursor: &mut Cursor, changes: u64, inserts: u64) -> Result<(), Box<Raised>> {
        let (loaded, number) = cursor.declared.clone();
        self.inner.begin_nulls(cursor.nulls());
        let Some(mut plan) = self.take_plan(&loaded, number).filter(|plan| self.inner.is_current(plan)) else {
            // Something else has taken the plan; the list stays as it is until the next fetch.
            return Ok(());
        };
        let listed = self.cursor_rows(&mut plan, cursor, changes);
        self.put_plan(&loaded, number, plan);
        let RowsAtHand { rows: new, memory, .. } = listed?;
        let Some(rows) = &mut cursor.rows else { return Ok(()) };
        // The nearest row at or before the place that is still there.
        let before = rows.rows.iter().take(rows.at).rev();
        let place = before.filter_map(|row| new.iter().position(|known| known.keys == row.keys)).next();
        rows.at = place.map_or(0, |place| place + 1);
        (rows.rows, rows.memory, rows.listed) = (new, memory, inserts);
        Ok(())
    }

    /// Sees that a change may go to the row that a cursor stands on.
    ///
    /// Errors: 16916, 16917, 16929, 16931, 16932, 16933, 16947, after 16934 for a row that others have changed.
    pub(crate) fn check_current(
        &mut self,
        name: &CursorName,
        table: &ObjectName,
        change: &Change,
    ) -> Result<(), Box<Raised>> {
        let core = self.inner.names(&[]).table(table).map_err(raised)?;
        let state = &self.inner.state;
        if let (None, Some(cursor)) = (state.cursor(name), state.named_server_cursor(name)) {
            return cursor.check_current(&core).map_err(raised);
        }
        let cursor = state.cursor(name).ok_or_else(|| missing(name))?;
        let Some(rows) = &cursor.rows else { return Err(not_open(1)) };
        let failed = |number: i32, text: &str| Err(raised(Message::error(number, text)));
        if cursor.reads_only || cursor.kind == Kind::Static && rows.keys.is_empty() {
            return failed(16929, "The cursor is READ ONLY.");
        }
        if !rows.keys.iter().any(|key| key.table == core) {
            let text = "The cursor does not include the table being modified or the table is not updatable through the \
                        cursor.";
            return failed(16933, text);
        }
        if let Change::Update(update) = change
            && !cursor.updatable.is_empty()
        {
            let is_listed = |item: &SetItem| match item {
                SetItem::Column(name, ..) | SetItem::Both(_, name, ..) | SetItem::Method(name, ..) => {
                    cursor.updatable.contains(&name.last().to_lowercase())
                }
                SetItem::Variable(..) => true,
            };
            if !update.items.iter().all(is_listed) {
                let text =
                    "The cursor has a FOR UPDATE list and the requested column to be updated is not in this list.";
                return failed(16932, text);
            }
        }
        let changes = rows.watcher.changes();
        let Some((_, row)) = cursor.current() else {
            return failed(16931, "There are no rows in the current fetch buffer.");
        };
        if cursor.locks || cursor.kind == Kind::Static || row.seen == changes {
            return Ok(());
        }
        let Some(number) = state.cursor_number(name) else { return Ok(()) };
        if self.with_cursor(number, |it, cursor| it.is_as_fetched(cursor, changes))? {
            return Ok(());
        }
        self.sink.tell(&Message::numbered(16934, &[]));
        Err(raised(Message::numbered(16947, &[])))
    }

    /// Returns true if the cursor's row has not changed since it was fetched. The change itself finds a
    /// deleted row.
    fn is_as_fetched(&mut self, cursor: &mut Cursor, changes: u64) -> Result<bool, Box<Raised>> {
        let Some((fetched, seen)) = cursor.current().map(|(_, row)| (row.values.clone(), row.seen)) else {
            return Ok(true);
        };
        if !self.read_again(cursor, changes)? {
            return Ok(true);
        }
        let Some(row) = cursor.current_mut().filter(|row| row.values != fetched) else { return Ok(true) };
        // It stays another one until it is fetched again.
        (row.values, row.seen) = (fetched, seen);
        Ok(false)
    }

    /// The row that a cursor stands on was changed through it: it is as if it had been fetched now.
    pub(crate) fn refresh_current(&mut self, name: &CursorName) -> Result<(), Box<Raised>> {
        let Some(number) = self.inner.state.cursor_number(name) else { return Ok(()) };
        self.with_cursor(number, |it, cursor| {
            let changes = cursor.rows.as_ref().map(|rows| rows.watcher.changes());
            match changes.filter(|_| cursor.kind != Kind::Static && cursor.current().is_some()) {
                Some(changes) => it.read_again(cursor, changes).map(drop),
                None => Ok(()),
            }
        })
    }
}

impl Cursor {
    /// Goes where a fetch goes.
    fn step(&mut self, direction: &Direction, offset: i64) -> Fetched {
        let Some(rows) = &mut self.rows else { return Fetched::Outside };
        let (count, at) = (rows.rows.len() as i64, rows.at as i64);
        let to = match direction {
            Direction::Next => at.saturating_add(1),
            Direction::Prior => at - 1,
            Direction::First => 1,
            Direction::Last => count,
            Direction::Absolute(_) if offset < 0 => count.saturating_add(1).saturating_add(offset),
            Direction::Absolute(_) => offset,
            Direction::Relative(_) => at.saturating_add(offset),
        };
        rows.at = to.clamp(0, count + 1) as usize;
        if (1..=count).contains(&to) { Fetched::Row } else { Fetched::Outside }
    }
}

/// Sees that a cursor can be fetched from in this direction.
///
/// Errors: 16911, 16925.
fn check_direction(cursor: &Cursor, direction: &Direction) -> Result<(), Box<Raised>> {
    let word = match direction {
        Direction::Next => return Ok(()),
        Direction::Prior => "prior",
        Direction::First => "first",
        Direction::Last => "last",
        Direction::Absolute(_) if cursor.kind == Kind::Dynamic && !cursor.reads_only => {
            let text = "The fetch type Absolute cannot be used with dynamic cursors.";
            return Err(raised(Message::error(16925, text)));
        }
        Direction::Absolute(_) => "absolute",
        Direction::Relative(_) => "relative",
    };
    match cursor.scrolls {
        true => Ok(()),
        false => {
            let text = format!("fetch: The fetch type {word} cannot be used with forward only cursors.");
            Err(raised(Message::error(16911, text)))
        }
    }
}
