//! The catalog as tables: `sys.tables`, `INFORMATION_SCHEMA.COLUMNS` and their like.
//!
//! A view that a statement names is filled into a temporary table of the session when the statement is prepared, and a
//! statement that names one is prepared each time it runs. A view of SQL Server that the lists here do not contain does
//! not exist (208).
//!
//! A list defines the columns of a view in one text: `name:n object_id:i is_ms_shipped:b=0`. The type follows the colon
//! ([`data_type`]); a value after `=` is the same in every row, and rows have values for the other columns only.

mod absent;
mod activity;
mod columns;
mod compatible;
mod information;
mod keys;
mod machine;
mod names;
mod objects;
mod odbc;
mod properties;
mod server;
mod statistics;
mod type_info;
mod unmeasured;

use crate::catalog::{Catalog, Object};
use crate::objects::modules::Modules;
use crate::session::instance::Instance;
use crate::session::scope::Sources;
use crate::session::state::State;
use mainstay_engine::definitions::SequenceDefinition;
use mainstay_tsql_syntax::reduce::{quoted, type_name};
use mainstay_tsql_types::{DataType, Length, variant};
use mainstay_types::{Decimal, Result, Timestamp, Value, ValueRef};
use std::cell::RefCell;

/// Rows, each with the values that its view's list leaves open.
pub(super) type Rows = Vec<Vec<Value>>;

/// A view of the catalog.
pub(super) struct View {
    /// Schema and name in lower case.
    name: &'static str,
    /// Its columns.
    columns: &'static str,
    rows: fn(&Facts<'_>) -> Rows,
}

/// The sources of the rows.
pub(super) struct Facts<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) modules: &'a Modules,
    pub(super) state: &'a State,
    pub(super) instance: &'a Instance,
    /// True for the view of `tempdb`.
    is_temporary: bool,
    core: RefCell<&'a mut mainstay_engine::Session>,
}

impl Facts<'_> {
    /// The objects of the database that was asked for.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Object> {
        self.catalog.objects.iter().filter(|object| object.is_temporary == self.is_temporary)
    }

    /// Objects of these kinds.
    pub(super) fn of<'f>(&'f self, kinds: &'f [&'f str]) -> impl Iterator<Item = &'f Object> {
        self.objects().filter(|object| kinds.contains(&object.kind))
    }

    /// The name of an object's schema.
    pub(super) fn schema(&self, object: &Object) -> &str {
        self.catalog.schema_name(object.schema)
    }

    /// The number of rows of a table.
    pub(super) fn count(&self, object: &Object) -> i64 {
        let table = match self.schema(object) {
            "dbo" => quoted(&object.name),
            schema => format!("{}.{}", quoted(schema), quoted(&object.name)),
        };
        let table = match self.state.temporary(&object.name) {
            Some(own) => quoted(&own.core),
            None => table,
        };
        count_of(&mut self.core.borrow_mut(), &table).unwrap_or(0)
    }

    /// The value that a sequence gave last, or the one that it begins with.
    pub(super) fn current_value(&self, sequence: &SequenceDefinition) -> i64 {
        let next = self.core.borrow().upcoming_value(sequence.id);
        match next {
            Some(next) if next == sequence.start => next,
            Some(next) => next.saturating_sub(sequence.increment),
            // All are given.
            None if sequence.increment < 0 => sequence.minimum,
            None => sequence.maximum,
        }
    }

    /// The time at which objects were created, as far as it is known.
    pub(super) fn started(&self) -> Value {
        Value::Timestamp(self.catalog.started)
    }
}

/// The number of rows of a table of the core.
pub(crate) fn count_of(core: &mut mainstay_engine::Session, table: &str) -> Result<i64> {
    let mut statement = core.prepare(&format!("SELECT COUNT(*) FROM {table}"))?;
    let mut rows = statement.query(core, &[])?;
    Ok(match rows.next()?.map(|row| row.get(0).to_value()) {
        Some(Value::Integer(count)) => count,
        _ => 0,
    })
}

/// A value of a row.
pub(super) trait Cell {
    fn cell(self) -> Value;
}

impl Cell for Value {
    fn cell(self) -> Value {
        self
    }
}

impl Cell for &str {
    fn cell(self) -> Value {
        Value::Text(self.to_owned())
    }
}

impl Cell for String {
    fn cell(self) -> Value {
        Value::Text(self)
    }
}

impl Cell for &String {
    fn cell(self) -> Value {
        Value::Text(self.clone())
    }
}

impl Cell for i64 {
    fn cell(self) -> Value {
        Value::Integer(self)
    }
}

impl Cell for Vec<u8> {
    fn cell(self) -> Value {
        Value::Binary(self)
    }
}

impl Cell for bool {
    fn cell(self) -> Value {
        Value::Boolean(self)
    }
}

impl Cell for Timestamp {
    fn cell(self) -> Value {
        Value::Timestamp(self)
    }
}

impl<T: Cell> Cell for Option<T> {
    fn cell(self) -> Value {
        self.map_or(Value::Null, Cell::cell)
    }
}

/// A row of values.
macro_rules! row {
    ($($value:expr),* $(,)?) => { vec![$($crate::views::Cell::cell($value)),*] };
}
pub(crate) use row;

/// All views.
fn all() -> impl Iterator<Item = &'static View> {
    let lists: [&'static [View]; 15] = [
        &objects::VIEWS,
        &columns::VIEWS,
        &keys::VIEWS,
        &server::VIEWS,
        &activity::VIEWS,
        &statistics::VIEWS,
        &information::VIEWS,
        &compatible::VIEWS,
        &odbc::VIEWS,
        &type_info::VIEWS,
        &properties::VIEWS,
        &names::VIEWS,
        &machine::VIEWS,
        &unmeasured::VIEWS,
        &absent::VIEWS,
    ];
    lists.into_iter().flatten()
}

/// The number that the object of this place among those of the system has: below 0.
pub(super) fn number_of_view(place: usize) -> i64 {
    -100_000_000 - place as i64
}

/// The names of all views, with their schemas.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|view| view.name)
}

/// The view of this schema and name, where the schema may be left out for the views of old: its full name.
pub(crate) fn known(schema: Option<&str>, name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let full = match schema.map(str::to_lowercase).as_deref() {
        Some(schema @ ("sys" | "information_schema")) => format!("{schema}.{name}"),
        None | Some("dbo" | "") if compatible::is_named_alone(&name) => format!("sys.{name}"),
        _ => return None,
    };
    all().find(|view| view.name == full).map(|view| view.name)
}

/// Fills the view of this name, and gives the core's name of the table that holds it.
///
/// Errors: those of the core.
pub(crate) fn fill(
    core: &mut mainstay_engine::Session,
    sources: &Sources<'_>,
    name: &str,
    is_temporary: bool,
) -> Result<Option<String>> {
    let Some(view) = all().find(|view| view.name == name) else { return Ok(None) };
    let catalog = sources.catalog(core)?;
    let columns: Vec<Listed> = view.columns.split_whitespace().map(listed).collect();
    let rows = {
        let Sources { modules, state, instance, .. } = *sources;
        let facts = Facts { catalog: &catalog, modules, state, instance, is_temporary, core: RefCell::new(core) };
        (view.rows)(&facts)
    };
    let prefix = if is_temporary { "tempdb." } else { "" };
    let table = quoted(&format!("#{}{prefix}", view.name));
    let list: Vec<String> =
        columns.iter().map(|column| format!("{} {}", quoted(column.name), type_name(column.data_type))).collect();
    core.execute(&format!("DROP TABLE IF EXISTS {table}"))?;
    core.execute(&format!("CREATE TEMPORARY TABLE {table} ({})", list.join(", ")))?;
    let marks = vec!["?"; columns.len()].join(", ");
    let mut insert = core.prepare(&format!("INSERT INTO {table} VALUES ({marks})"))?;
    for row in rows {
        let mut given = row.into_iter();
        let next = |column: &Listed| match &column.fixed {
            Some(value) => value.clone(),
            None => match (column.data_type, given.next().unwrap_or(Value::Null)) {
                (DataType::SqlVariant, value) => variant::encode(DataType::SqlVariant, value.as_ref()),
                (_, value) => value,
            },
        };
        let values: Vec<Value> = columns.iter().map(next).collect();
        let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        insert.execute(core, &values)?;
    }
    Ok(Some(table))
}

/// A column of a list.
struct Listed {
    name: &'static str,
    data_type: DataType,
    /// The value of every row.
    fixed: Option<Value>,
}

fn listed(text: &'static str) -> Listed {
    let (head, fixed) = match text.split_once('=') {
        Some((head, fixed)) => (head, Some(fixed)),
        None => (text, None),
    };
    let (name, kind) = head.split_once(':').unwrap_or((head, "n"));
    let data_type = data_type(kind);
    Listed { name, data_type, fixed: fixed.map(|fixed| value(fixed, data_type)) }
}

fn value(text: &str, data_type: DataType) -> Value {
    match data_type {
        _ if text == "null" => Value::Null,
        DataType::Bit => Value::Boolean(text == "1"),
        DataType::Decimal { .. } => Value::Decimal(Decimal::new(text.parse().unwrap_or(0), 0)),
        DataType::Real => Value::Float(text.parse().unwrap_or(0.0)),
        _ if data_type.is_integer() => Value::Integer(text.parse().unwrap_or(0)),
        // A list is cut at blanks.
        _ => Value::Text(text.replace('~', " ")),
    }
}

/// The type of a column of a list: a letter, and a length.
fn data_type(text: &str) -> DataType {
    let length = || Length::Limited(text[1..].parse().unwrap_or(128));
    match text.as_bytes().first() {
        Some(b'b') => DataType::Bit,
        Some(b't') => DataType::TinyInt,
        Some(b's') => DataType::SmallInt,
        Some(b'i') => DataType::Int,
        Some(b'l') => DataType::BigInt,
        Some(b'd') => DataType::DateTime,
        Some(b'r') => DataType::Real,
        Some(b'g') => DataType::UniqueIdentifier,
        Some(b'm') => DataType::Decimal { precision: 38, scale: 0 },
        Some(b'x') => DataType::NVarChar(Length::Max),
        Some(b'c') => DataType::char(text[1..].parse().unwrap_or(1)),
        Some(b'v') => DataType::varchar(length()),
        Some(b'y') => DataType::VarBinary(length()),
        Some(b'z') => DataType::SqlVariant,
        _ => DataType::NVarChar(length()),
    }
}
