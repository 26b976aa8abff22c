//! SQL: statements, their parameters, and the cursors of their rows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mainstay_navigator::client::RemoteArea;
use mainstay_navigator::sql::Shown;
use mainstay_types::{Date, Decimal, Error, Time, Timestamp, Value};
use mainstay_workarea::{Area, WorkArea};
use mainstay_xbase::adt::VERSION_BYTE;
use mainstay_xbase::lock::Sharer;

use crate::backend::{self, Executed, Parameter};
use crate::border::*;
use crate::calls::{connections, tables, transactions};
use crate::constants::*;
use crate::cursor;
use crate::dates;
use crate::failure::{Failure, Result};
use crate::live::{Members, restrict};
use crate::registry::{self, Object};
use crate::settings;
use crate::statement::Statement;
use crate::table::{Opening, Table};

pub fn create(connection: Handle, statement: Out<Handle>) -> Result<()> {
    let through = connections::of(connection)?;
    statement.required()?;
    if backend::sql().is_none() {
        return Err(Failure::new(AE_NOT_IMPLEMENTED, "this library has no SQL engine"));
    }
    statement.set(registry::add(Object::Statement(Arc::new(Statement::new(through, connection))))?)
}

pub fn close(statement: Handle) -> Result<()> {
    let cursor = registry::statement(statement)?.with(|state| Ok(state.cursor.take()))?;
    if let Some(cursor) = cursor.and_then(|cursor| registry::table(cursor).ok()) {
        cursor.close()?;
    }
    registry::remove(statement);
    Ok(())
}

fn prepare_text(statement: &Statement, sql: String) -> Result<()> {
    let names = statement.connection.sql(|session| session.prepare(&sql).map_err(as_sql))?;
    statement.with(|state| {
        state.sql = sql;
        state.is_prepared = true;
        state.parameters = names.into_iter().map(|name| Parameter { name, value: Value::Null }).collect();
        Ok(())
    })
}

/// An error that the dialect has words for is the statement's, in these words; so is a fault of its text.
fn as_sql(error: Error) -> Failure {
    let number = error.dialect().and_then(|dialect| u32::try_from(dialect.number).ok());
    if number == Some(AE_OPERATION_ABORTED) {
        return Failure::new(AE_OPERATION_ABORTED, error.message());
    }
    if number.is_some() {
        return Failure::new(AE_SQL_ERROR, error.message());
    }
    let failure = Failure::from(error);
    match failure.code {
        AE_INVALID_EXPRESSION | AE_INVALID_FIELDNAME | AE_INVALID_VALUE => {
            Failure::new(AE_SQL_ERROR, failure.into_detail())
        }
        _ => failure,
    }
}

pub fn prepare(statement: Handle, sql: Text) -> Result<()> {
    prepare_text(&*registry::statement(statement)?, sql.string()?)
}

pub fn prepare_wide(statement: Handle, sql: Wide) -> Result<()> {
    prepare_text(&*registry::statement(statement)?, sql.string()?)
}

pub fn verify(statement: Handle, sql: Text) -> Result<()> {
    let statement = registry::statement(statement)?;
    let sql = sql.string()?;
    statement.connection.sql(|session| session.prepare(&sql).map_err(as_sql)).map(|_| ())
}

pub fn verify_wide(statement: Handle, sql: Wide) -> Result<()> {
    let statement = registry::statement(statement)?;
    let sql = sql.string()?;
    statement.connection.sql(|session| session.prepare(&sql).map_err(as_sql)).map(|_| ())
}

pub fn execute(handle: Handle, rows: Out<Handle>) -> Result<()> {
    let statement = registry::statement(handle)?;
    let sql = statement.with(|state| match state.is_prepared {
        true => Ok(state.sql.clone()),
        false => Err(AE_NOT_PREPARED.into()),
    })?;
    let parameters = statement.with(|state| Ok(state.parameters.clone()))?;
    run(handle, &statement, &sql, &parameters, rows)
}

pub fn execute_direct(handle: Handle, sql: Text, rows: Out<Handle>) -> Result<()> {
    let statement = registry::statement(handle)?;
    run(handle, &statement, &sql.string()?, &[], rows)
}

pub fn execute_direct_wide(handle: Handle, sql: Wide, rows: Out<Handle>) -> Result<()> {
    let statement = registry::statement(handle)?;
    run(handle, &statement, &sql.string()?, &[], rows)
}

/// Runs a statement. One that gives rows answers a cursor over them; the place for it is then required.
///
/// Only a prepared statement has parameters.
fn run(
    handle: Handle,
    statement: &Arc<Statement>,
    sql: &str,
    parameters: &[Parameter],
    rows: Out<Handle>,
) -> Result<()> {
    if statement.with(|state| Ok(state.cursor.is_some_and(|cursor| registry::table(cursor).is_ok())))? {
        return Err(AE_CURSOR_NOT_CLOSED.into());
    }
    let (table_type, is_read_only) = statement.with(|state| Ok((state.table_type, state.is_read_only)))?;
    if !is_read_only && let Some(cursor) = open_live(handle, statement, sql, parameters)? {
        if rows.required().is_err() {
            return registry::table(cursor)?.close().and(rows.required().map(drop));
        }
        rows.set(cursor)?;
        return statement.with(|state| {
            (state.cursor, state.affected) = (Some(cursor), 0);
            Ok(())
        });
    }
    let timeout = timeout_of(statement)?;
    let mut executed = beside_handles(statement, sql, || {
        statement.connection.sql(|session| {
            session.set_table_type(table_type);
            session.set_timeout(timeout);
            session.set_show_deleted(settings::read(|settings| settings.show_deleted));
            session.query(sql, parameters).map_err(as_sql)
        })
    })?;
    let (step, affected) = match &mut executed {
        Executed::Done(outcome) => (outcome.step.take(), outcome.affected),
        _ => (None, 0),
    };
    if let Some(step) = step {
        transactions::step(statement.connection_handle, step)?;
    }
    if affected > 0 {
        forget_members(statement);
    }
    rows.set_if_given(Handle(0));
    let given = cursor::open_executed(executed, &statement.connection).map_err(as_sql)?;
    let cursor = match given.area {
        None => None,
        Some(area) => {
            rows.required()?;
            let opening = Opening {
                connection: Arc::clone(&statement.connection),
                connection_handle: statement.connection_handle,
                opened_as: String::new(),
                alias: "cursor".to_owned(),
                table_type: if area.header().version == VERSION_BYTE { ADS_ADT } else { ADS_VFP },
                char_type: ADS_ANSI,
                lock_type: ADS_COMPATIBLE_LOCKING,
                options: ADS_EXCLUSIVE | ADS_READONLY,
                statement: Some(handle),
                columns: given.columns.into_iter().map(|column| column.name).collect(),
            };
            let (cursor, _) = Table::add(opening, area)?;
            rows.set(cursor)?;
            Some(cursor)
        }
    };
    statement.with(|state| {
        state.cursor = cursor;
        state.affected = affected;
        Ok(())
    })
}

/// Runs a statement that may change records which the connection's handles have locked.
fn beside_handles<T>(statement: &Statement, sql: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let connection = &statement.connection;
    let is_query = sql.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"));
    if is_query {
        return run();
    }
    let tables = registry::all(|_, object| match object {
        Object::Table(table) if Arc::ptr_eq(&table.connection, connection) && table.is_shared() => {
            Some(Arc::clone(table))
        }
        _ => None,
    });
    let each = |work: fn(&mut Area) -> mainstay_types::Result<()>| {
        tables.iter().try_for_each(|table| table.with(|state| Ok(state.area.local().map_or(Ok(()), work)?)))
    };
    if connection.server.is_some() {
        // The server does its counterpart of these steps; the records are only read again here.
        let done = run()?;
        for table in &tables {
            table.with(|state| {
                far_of(&mut *state.area).into_iter().for_each(RemoteArea::note_statement);
                Ok(())
            })?;
        }
        return Ok(done);
    }
    each(Area::before_statement)?;
    let sharing = connection.locks.enter(Sharer::Statement);
    let done = run();
    drop(sharing);
    let met = each(Area::after_statement);
    done.and_then(|done| met.map(|()| done))
}

fn far_of(area: &mut dyn WorkArea) -> Option<&mut RemoteArea> {
    area.far().and_then(|far| far.downcast_mut())
}

/// Live cursors of the connection ask again which records they show, after rows were changed.
fn forget_members(statement: &Statement) {
    registry::all(|_, object| -> Option<()> {
        if let Object::Table(table) = object
            && table.connection_handle == statement.connection_handle
            && let Some(members) = table.live.get()
        {
            members.forget();
        }
        None
    });
}

/// Opens the table whose records a statement shows; nothing if its rows are its own, or the table cannot be opened as
/// the cursor would need it.
fn open_live(
    handle: Handle,
    statement: &Arc<Statement>,
    sql: &str,
    parameters: &[Parameter],
) -> Result<Option<Handle>> {
    let connection = &statement.connection;
    let shows_deleted = settings::read(|settings| settings.show_deleted);
    if let Some(server) = &connection.server {
        // Asking costs a round trip: what cannot be live is not asked about.
        let shown = match may_be_live(sql) {
            true => {
                connection.sql(|session| {
                    session.set_show_deleted(shows_deleted);
                    Ok(())
                })?;
                server.live(sql, parameters).map_err(as_sql)?
            }
            false => None,
        };
        let Some(Shown { table, members }) = shown else { return Ok(None) };
        return open_members(handle, statement, &table, |table| {
            table.with(|state| Ok(far_of(&mut *state.area).map_or(Ok(()), |area| area.show_members(members))?))?;
            Ok(Members::far())
        });
    }
    let live = connection.sql(|session| {
        session.set_show_deleted(shows_deleted);
        session.live(sql, parameters).map_err(as_sql)
    })?;
    let Some(live) = live else {
        return Ok(None);
    };
    open_members(handle, statement, &live.table, |table| {
        let members = Members::new(connection, &live)?;
        table.with(|state| {
            if let Some(area) = state.area.local() {
                restrict(area, &members);
            }
            Ok(state.area.go_top()?)
        })?;
        Ok(members)
    })
}

/// Returns true if the select list of a statement may be all columns of a table, hints aside.
fn may_be_live(sql: &str) -> bool {
    let text = sql.trim_start();
    let is_select = text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"));
    let behind = text.get(6..).unwrap_or_default().trim_start();
    // A comment may stand anywhere, and a hint does: then the server is asked.
    is_select && behind.starts_with(['*', '{', '/', '-'])
}

/// Opens the table of a live cursor; nothing if it cannot be opened as the cursor would need it. `show` has it show the rows.
fn open_members(
    handle: Handle,
    statement: &Arc<Statement>,
    name: &str,
    show: impl FnOnce(&Table) -> Result<Arc<Members>>,
) -> Result<Option<Handle>> {
    let table_type = statement.with(|state| Ok(state.table_type))?;
    let table_type = if table_type == ADS_NTX { ADS_NTX } else { ADS_DEFAULT };
    let wanted = |options: u32| tables::Wanted {
        alias: Some("cursor".to_owned()),
        table_type: u16::try_from(table_type).unwrap_or(0),
        char_type: 0,
        lock_type: 0,
        options,
        statement: Some(handle),
    };
    let open = |options: u32| tables::open_named(statement.connection_handle, name.to_owned(), &wanted(options));
    // A user who may only read gets a read-only cursor.
    let Ok(cursor) = open(ADS_SHARED).or_else(|_| open(ADS_SHARED | ADS_READONLY)) else { return Ok(None) };
    let table = registry::table(cursor)?;
    let shown = show(&table).map(|members| {
        let _ = table.live.set(members);
        cursor
    });
    shown.map(Some).or_else(|_| table.close().map(|()| None))
}

/// The number of rows that a statement changed, for `AdsGetRecordCount` with the statement's handle.
pub fn affected(statement: Handle, count: Out<u32>) -> Result<()> {
    let affected = registry::statement(statement)?.with(|state| Ok(state.affected))?;
    count.set(u32::try_from(affected).unwrap_or(u32::MAX))
}

pub fn parameter_count(statement: Handle, count: Out<u16>) -> Result<()> {
    let parameters = registry::statement(statement)?.with(|state| Ok(state.parameters.len()))?;
    count.set(u16::try_from(parameters).unwrap_or(u16::MAX))
}

pub fn clear_parameters(statement: Handle) -> Result<()> {
    registry::statement(statement)?.with(|state| {
        state.parameters.iter_mut().for_each(|parameter| parameter.value = Value::Null);
        Ok(())
    })
}

pub fn text(statement: Handle, sql: Buffer, length: Out<u16>) -> Result<()> {
    let text = registry::statement(statement)?.with(|state| Ok(state.sql.clone()))?;
    sql.set_text(length, text.as_bytes())
}

pub fn of_cursor(cursor: Handle, statement: Out<Handle>) -> Result<()> {
    let cursor = registry::table(cursor)?;
    statement.set(cursor.statement.ok_or(AE_INVALID_SQLCURSOR_HANDLE)?)
}

pub fn set_table_type(statement: Handle, table_type: u16) -> Result<()> {
    registry::statement(statement)?.with(|state| match u32::from(table_type) {
        table_type @ (ADS_NTX | ADS_CDX | ADS_ADT | ADS_VFP) => {
            state.table_type = table_type;
            Ok(())
        }
        other => Err(Failure::new(AE_INVALID_TABLETYPE, other.to_string())),
    })
}

/// Sets the result to 1 if the rows of a cursor are records of a table, and 0 if they are a copy.
pub fn is_live(cursor: Handle, is_live: Out<u8>) -> Result<()> {
    let table = registry::table(cursor)?;
    match table.is_cursor() {
        true => is_live.set(table.live.get().is_some().into()),
        false => Err(AE_INVALID_SQLCURSOR_HANDLE.into()),
    }
}

/// The time limit of a statement in seconds: its own, or its connection's; 0 for none.
fn timeout_of(statement: &Statement) -> Result<u32> {
    let own = statement.with(|state| Ok(state.timeout))?;
    Ok(if own == ADS_DEFAULT_SQL_TIMEOUT { statement.connection.sql_timeout.load(Ordering::Relaxed) } else { own })
}

/// Says how many seconds statements may run: this one, or those of this connection that do not say themselves.
pub fn set_timeout(object: Handle, seconds: u32) -> Result<()> {
    match registry::statement(object) {
        Ok(statement) => statement.with(|state| {
            state.timeout = seconds;
            Ok(())
        }),
        Err(_) => {
            registry::connection(object)?.sql_timeout.store(seconds, Ordering::Relaxed);
            Ok(())
        }
    }
}

/// Makes the statement's cursors read-only or writable: read-only rows are a copy.
pub fn set_read_only(statement: Handle, read_only: u16) -> Result<()> {
    registry::statement(statement)?.with(|state| {
        state.is_read_only = read_only != 0;
        Ok(())
    })
}

/// Forgets the function that may stop a statement, which there is no call to name.
pub fn no_abort_function() -> Result<()> {
    Ok(())
}

/// Discards statements that triggers have prepared; there are none.
pub fn no_trigger_statements(connection: Handle, _table: i32) -> Result<()> {
    registry::connection(connection).map(|_| ())
}

/// Takes back passwords of tables and the encryption of new ones, which a statement can have been given none of.
pub fn no_passwords(statement: Handle) -> Result<()> {
    registry::statement(statement).map(|_| ())
}

/// Settings of how a statement's tables are opened that change nothing here: locks and rights are the files'.
pub fn hint(statement: Handle, _: u16) -> Result<()> {
    registry::statement(statement).map(|_| ())
}

/// The statement of a handle, if it is one: calls that set fields set parameters too.
pub fn is_statement(object: Handle) -> Option<Arc<Statement>> {
    match registry::is_at_hand(object) {
        true => None,
        false => registry::statement(object).ok(),
    }
}

/// A text as a parameter's value.
pub fn text_value(bytes: Vec<u8>) -> Value {
    Value::Text(text_of(bytes))
}

/// A day number as a parameter's value.
pub fn day_value(julian: i32) -> Value {
    if julian == 0 { Value::Null } else { Value::Date(Date::from_julian(julian)) }
}

/// A time of day in milliseconds as a parameter's value.
pub fn time_value(milliseconds: i32) -> Value {
    Time::from_nanos(i64::from(milliseconds) * 1_000_000).map_or(Value::Null, Value::Time)
}

/// An amount in ten-thousandths as a parameter's value.
pub fn money_value(amount: i64) -> Value {
    Value::Decimal(Decimal::new(amount.into(), 4))
}

/// A day number and milliseconds as a parameter's value.
pub fn raw_moment_value(day: i32, ms: i32) -> Value {
    match u32::try_from(ms) {
        Ok(ms) if day != 0 => Value::Timestamp(Timestamp::new(Date::from_julian(day), ms)),
        _ => Value::Null,
    }
}

/// A timestamp as a text, by the mask.
pub fn moment_value(text: &str, mask: &str) -> Option<Value> {
    let (date, time) = text.split_once(' ').unwrap_or((text, ""));
    let epoch = settings::read(|settings| settings.epoch);
    let (day, time) = (dates::read(date, mask, epoch)?, dates::read_time(time)?);
    let moment = Timestamp::new(Date::from_julian(day), u32::try_from(time).ok()?);
    Some(if day == 0 { Value::Null } else { Value::Timestamp(moment) })
}
