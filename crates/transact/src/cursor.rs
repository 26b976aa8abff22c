//! Cursors: a query's rows, kept, and a place among them.
//!
//! Every cursor here is static in what it holds: the rows are those of the moment of OPEN. KEYSET and DYNAMIC cursors
//! therefore do not show changes made after it, which is what the documentation lets STATIC do and most programs expect.

use crate::errors::raised;
use crate::runner::{Ran, Runner, set};
use crate::session::Inner;
use mainstay_base::{Value, ValueRef};
use mainstay_mssql::{DataType, Message};
use mainstay_program::{Flow, Raised, StatementCall};
use mainstay_query::mssql::type_of_field;
use mainstay_tsql::compile::{Action, HostStatement};
use mainstay_tsql::reduce::{self, Parameter, ReducedQuery, Source};
use mainstay_tsql::tree::{CursorName, Direction, ObjectName, Query};

/// A cursor.
#[derive(Debug)]
pub(crate) struct Cursor {
    query: Box<Query>,
    scrolls: bool,
    /// The level that declared it; `None` for a global one.
    level: Option<usize>,
    /// The values of its variables when it was declared.
    values: Vec<(String, DataType, Value)>,
    rows: Option<Rows>,
}

#[derive(Debug)]
struct Rows {
    types: Vec<Option<DataType>>,
    rows: Vec<Vec<Value>>,
    columns: Vec<mainstay_tds::Column>,
    /// The row it stands on, from 1; 0 before the first.
    at: usize,
}

impl Cursor {
    /// Whether it ends with this level.
    pub(crate) fn is_local_to(&self, level: usize) -> bool {
        self.level.is_some_and(|own| own >= level)
    }
}

fn missing(name: &str) -> Box<Raised> {
    raised(Message::error(16916, format!("A cursor with the name '{name}' does not exist.")))
}

impl Runner<'_> {
    /// DECLARE, OPEN, FETCH, CLOSE and DEALLOCATE.
    pub(crate) fn cursor_statement(
        &mut self,
        action: &Action,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        match action {
            Action::DeclareCursor(name, cursor) => {
                let key = name.text.to_lowercase();
                let is_variable = key.starts_with('@');
                if !is_variable && self.inner.state.cursors.contains_key(&key) {
                    let text = format!("A cursor with the name '{}' already exists.", name.text);
                    return Err(raised(Message::error(16915, text)));
                }
                let has = |word: &str| cursor.options.iter().any(|option| option.eq_ignore_ascii_case(word));
                let scrolls = ["SCROLL", "STATIC", "KEYSET", "DYNAMIC", "INSENSITIVE"].iter().any(|word| has(word));
                let level = (is_variable || has("LOCAL")).then_some(self.inner.state.levels.len().saturating_sub(1));
                let value = |(place, (name, data_type)): (usize, &(String, DataType))| {
                    (name.clone(), *data_type, call.input(place).to_value())
                };
                let values = host.inputs.iter().enumerate().map(value).collect();
                let query = Box::new(cursor.query.clone());
                self.inner.state.cursors.insert(key, Cursor { query, scrolls, level, values, rows: None });
                Ok(Flow::Next)
            }
            Action::Open(name) => self.open(name),
            Action::Fetch(name, direction, into) => self.fetch(name, direction, *into, host, call),
            Action::Close(name) => {
                let cursor = self.inner.state.cursors.get_mut(&key_of(name)).ok_or_else(|| missing(&name.name.text))?;
                match cursor.rows.take() {
                    Some(_) => Ok(Flow::Next),
                    None => Err(raised(Message::error(16917, "Cursor is not open."))),
                }
            }
            Action::Deallocate(name) => match self.inner.state.cursors.remove(&key_of(name)) {
                Some(_) => Ok(Flow::Next),
                None => Err(missing(&name.name.text)),
            },
            other => Err(raised(reduce::not_supported(&format!("{other:?}")))),
        }
    }

    fn open(&mut self, name: &CursorName) -> Ran {
        let key = key_of(name);
        let Some(mut cursor) = self.inner.state.cursors.remove(&key) else { return Err(missing(&name.name.text)) };
        let outcome = self.rows_of(&cursor);
        let opened = match (outcome, cursor.rows.is_some()) {
            (_, true) => Err(raised(Message::error(16905, "The cursor is already open."))),
            (Ok(rows), false) => {
                cursor.rows = Some(rows);
                Ok(Flow::Next)
            }
            (Err(error), false) => Err(error),
        };
        self.inner.state.cursors.insert(key, cursor);
        opened
    }

    fn rows_of(&mut self, cursor: &Cursor) -> Result<Rows, Box<Raised>> {
        let variables: Vec<(String, DataType)> =
            cursor.values.iter().map(|(name, data_type, _)| (name.clone(), *data_type)).collect();
        let ReducedQuery { text, parameters, heads } =
            reduce::query(&cursor.query, &self.inner.names(&variables)).map_err(raised)?;
        let mut value = |parameter: &Parameter| match &parameter.source {
            Source::Variable(name) => cursor
                .values
                .iter()
                .find(|(known, ..)| known == name)
                .map_or(Value::Null, |(_, _, value)| value.clone()),
            Source::Session(function) => self.session_value(*function, None),
            Source::Catalog(function, inputs) => {
                let variable = |name: &str| {
                    let found = cursor.values.iter().find(|(known, ..)| known == name);
                    found.map_or(Value::Null, |(_, _, value)| value.clone())
                };
                self.inner.catalog_answer(function.name, inputs, &variable)
            }
            Source::CurrentRow(_) => Value::Null,
        };
        let values: Vec<Value> = parameters.iter().map(&mut value).collect();
        let mut plan = self.inner.plan(&text, parameters, heads)?;
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let mut found = plan.prepared.query(&mut self.inner.core, &parameters).map_err(crate::errors::raised_error)?;
        let schema = found.schema().cloned();
        let mut rows = Vec::new();
        while let Some(row) = found.next().map_err(crate::errors::raised_error)? {
            rows.push((0..row.len()).map(|column| row.get(column).to_value()).collect());
        }
        let types = schema.iter().flat_map(|schema| schema.fields().iter().map(|field| type_of_field(field))).collect();
        let columns = schema.map_or_else(Vec::new, |schema| crate::query::shown(&schema, &plan.heads));
        Ok(Rows { types, rows, columns, at: 0 })
    }

    fn fetch(
        &mut self,
        name: &CursorName,
        direction: &Direction,
        into: usize,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let offset = crate::flow::integer(call.input(call.inputs().saturating_sub(1))).unwrap_or(0);
        let cursor = self.inner.state.cursors.get_mut(&key_of(name)).ok_or_else(|| missing(&name.name.text))?;
        let scrolls = cursor.scrolls;
        let Some(rows) = &mut cursor.rows else { return Err(raised(Message::error(16917, "Cursor is not open."))) };
        if !scrolls && !matches!(direction, Direction::Next) {
            let text = "fetch: The fetch type cannot be used with forward only cursors.";
            return Err(raised(Message::error(16911, text)));
        }
        let (count, at) = (rows.rows.len() as i64, rows.at as i64);
        let to = match direction {
            Direction::Next => at + 1,
            Direction::Prior => at - 1,
            Direction::First => 1,
            Direction::Last => count,
            Direction::Absolute(_) if offset < 0 => count + 1 + offset,
            Direction::Absolute(_) => offset,
            Direction::Relative(_) => at + offset,
        };
        rows.at = to.clamp(0, count + 1) as usize;
        let row = usize::try_from(to - 1).ok().and_then(|place| rows.rows.get(place)).cloned();
        let (types, columns) = (rows.types.clone(), rows.columns.clone());
        self.inner.state.fetch_status = if row.is_some() { 0 } else { -1 };
        self.inner.state.row_count = i64::from(row.is_some());
        if into == 0 {
            self.sink.columns(&columns).map_err(crate::query::stopped)?;
            if let Some(row) = &row {
                let cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
                self.sink.row(&cells).map_err(crate::query::stopped)?;
            }
            self.done(mainstay_tds::Command::SELECT, Some(u64::from(row.is_some())));
            return Ok(Flow::Next);
        }
        let Some(row) = row else { return Ok(Flow::Next) };
        if row.len() != into {
            let text =
                "Cursorfetch: The number of variables declared in the INTO list must match that of selected columns.";
            return Err(raised(Message::error(16924, text)));
        }
        for (place, value) in row.iter().enumerate() {
            let Some((_, to)) = host.outputs.get(place) else { continue };
            let value = self.converted(value, types.get(place).copied().flatten(), *to)?;
            set(call, place, value.as_ref())?;
        }
        Ok(Flow::Next)
    }
}

impl Inner {
    /// The number of the table's row that a cursor stands on.
    pub(crate) fn current_row(&self, _name: &CursorName) -> Option<i64> {
        None
    }
}

impl Runner<'_> {
    /// Sees that a cursor stands on a row of a table.
    pub(crate) fn check_current(&mut self, _name: &CursorName, _table: &ObjectName) -> Result<(), Box<Raised>> {
        Ok(())
    }
}

fn key_of(name: &CursorName) -> String {
    name.name.text.to_lowercase()
}
