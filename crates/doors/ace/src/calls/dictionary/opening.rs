//! Opening tables and views of a dictionary by their names there, with their rights and rules; creating new ones.

use std::sync::{Arc, OnceLock, Weak};

use mainstay_navigator::client::RemoteArea;
use mainstay_navigator::dictionary::Hidden;
use mainstay_xbase::dbf::Field;
use mainstay_xbase::expr::Expression;

use crate::backend::Outcome;
use crate::border::Handle;
use crate::calls::dictionary::tables as objects;
use crate::calls::tables::{self, Wanted, open_at};
use crate::connection::Connection;
use crate::constants::*;
use crate::cursor;
use crate::dictionary::firing::Fires;
use crate::dictionary::guard::Guard;
use crate::dictionary::{Contents, Object, Session};
use crate::failure::{Failure, Result};
use crate::files;
use crate::statement::Statement;
use crate::table::{Opening, State, Table};

/// The dictionary's entry for an open table.
#[derive(Debug, Default)]
pub struct Bound {
    /// The fields that the user may not read.
    hidden: Vec<String>,
    /// True if conditions may use hidden fields all the same.
    filters_hidden: bool,
}

/// The slot for that in an open table.
pub type Binding = OnceLock<Bound>;

impl Bound {
    /// Returns true if there are fields that the user may not read.
    pub fn hides_some(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// Returns true if the user may not read a field.
    pub fn hides(&self, state: &State, field: usize) -> bool {
        let name = || state.area.fields().get(field).map(|field| field.name.as_str());
        !self.hidden.is_empty() && name().is_some_and(|name| self.hidden.iter().any(|hidden| hidden == name))
    }

    /// Refuses a condition over fields that the user may not read.
    ///
    /// Errors: AE_PERMISSION_NOT_GRANTED.
    pub fn check_condition(&self, state: &State, condition: &str) -> Result<()> {
        if self.filters_hidden { Ok(()) } else { self.check_value(state, condition) }
    }

    /// Refuses an expression over such fields whose value the program is given.
    ///
    /// Errors: AE_PERMISSION_NOT_GRANTED.
    pub fn check_value(&self, state: &State, condition: &str) -> Result<()> {
        if self.hidden.is_empty() {
            return Ok(());
        }
        if Expression::parse(condition).is_ok_and(|condition| condition.searches_all()) {
            let reason = "the condition searches fields of which one is not to be read";
            return Err(Failure::new(AE_PERMISSION_NOT_GRANTED, reason));
        }
        let used = crate::dictionary::integrity::fields_of(state.area.form(), condition);
        match used.into_iter().find(|field| self.hides(state, *field)) {
            Some(_) => {
                Err(Failure::new(AE_PERMISSION_NOT_GRANTED, "the condition uses a field that is not to be read"))
            }
            None => Ok(()),
        }
    }
}

/// Opens what a dictionary has by a name; nothing if the connection has no dictionary, or that no such name.
pub fn open(handle: Handle, through: &Arc<Connection>, name: &str, wanted: &Wanted) -> Result<Option<Handle>> {
    if through.is_far_dictionary {
        return open_far(handle, through, name.trim(), wanted);
    }
    let Some(session) = &through.dictionary else { return Ok(None) };
    let contents = session.live.contents()?;
    let name = name.trim();
    let of_path = || {
        // A table's file is that table by whatever name.
        let path = through.find(name, "dbf")?;
        session.table_of_file(&contents, &path)
    };
    if let Some(view) = contents.find(ADS_DD_VIEW_OBJECT, "", name) {
        return open_view(handle, through, session, &contents, view).map(Some);
    }
    match contents.find(ADS_DD_TABLE_OBJECT, "", name).or_else(of_path) {
        Some(table) => open_table(handle, through, session, &contents, table, wanted).map(Some),
        None => Ok(None),
    }
}

/// The same of a dictionary at a server, which finds what the name means.
fn open_far(handle: Handle, through: &Arc<Connection>, name: &str, wanted: &Wanted) -> Result<Option<Handle>> {
    let Some(server) = &through.server else { return Ok(None) };
    let is_said = wanted.options & (ADS_EXCLUSIVE | ADS_READONLY | ADS_SHARED) != 0;
    let opening = Opening {
        connection: Arc::clone(through),
        connection_handle: handle,
        // Without one it has that of the table that is found.
        alias: wanted.alias.clone().unwrap_or_default(),
        opened_as: name.to_owned(),
        table_type: wanted.table_type.into(),
        char_type: wanted.char_type.into(),
        lock_type: wanted.lock_type.into(),
        options: if is_said { wanted.options } else { wanted.options | ADS_SHARED },
        statement: wanted.statement,
        columns: Vec::new(),
    };
    let paths = through.candidates(name, "dbf");
    let (handle_of_table, opened) = match tables::open_first(opening, &paths) {
        // Nothing is refused with this code but the name of a view.
        Err(failure) if failure.code == AE_SUCCESS => {
            return open_rows(handle, through, name, &server.view(name)?).map(Some);
        }
        opened => opened?,
    };
    opened.without_relation(|state| {
        opened.name_orders(state)?;
        let far = state.area.far().and_then(|far| far.downcast_mut::<RemoteArea>());
        if let Some(table) = far.and_then(|far| far.in_dictionary().cloned()) {
            let Hidden { columns, in_conditions } = table.hidden;
            let _ = opened.bound.set(Bound { hidden: columns, filters_hidden: in_conditions });
        }
        Ok(())
    })?;
    Ok(Some(handle_of_table))
}

/// The user's rights to a table: those to the table itself or to at least one of its columns.
fn rights_to(session: &Session, contents: &Contents, table: &str) -> u32 {
    let columns = contents
        .grants
        .iter()
        .filter(|grant| grant.kind == ADS_DD_FIELD_OBJECT && crate::dictionary::contents::same(&grant.parent, table));
    let of_table = session.access.rights(contents, ADS_DD_TABLE_OBJECT, "", table);
    columns.fold(of_table, |rights, column| {
        rights | session.access.rights(contents, ADS_DD_FIELD_OBJECT, table, &column.name)
    })
}

/// Refuses to open a table that the user may not open, for changes or not.
///
/// Errors: AE_NO_READ_PERMISSION, AE_NO_DIRECT_ACCESS, AE_NO_WRITE_PERMISSION.
pub fn check_opening(session: &Session, contents: &Contents, table: &Object, for_changes: bool) -> Result<()> {
    let rights = rights_to(session, contents, &table.name);
    let denied = |code: u32| Failure::new(code, format!("user '{}', table {}", session.access.user, table.name));
    if rights & ADS_PERMISSION_READ == 0 {
        return Err(denied(AE_NO_READ_PERMISSION));
    }
    if table.number(ADS_DD_TABLE_PERMISSION_LEVEL) == ADS_DD_TABLE_PERMISSION_LEVEL_3
        && contents.is_on(ADS_DD_VERIFY_ACCESS_RIGHTS)
        && !session.access.is_administrator(contents)
    {
        return Err(denied(AE_NO_DIRECT_ACCESS));
    }
    let writes = ADS_PERMISSION_UPDATE | ADS_PERMISSION_INSERT | ADS_PERMISSION_DELETE;
    match for_changes && rights & writes == 0 {
        true => Err(denied(AE_NO_WRITE_PERMISSION)),
        false => Ok(()),
    }
}

/// The rows of a view, for a user who may read them.
///
/// Errors: AE_NO_READ_PERMISSION; those of its statement.
pub fn rows_of_view(through: &Connection, session: &Session, contents: &Contents, view: &Object) -> Result<Outcome> {
    let rights = session.access.rights(contents, ADS_DD_VIEW_OBJECT, "", &view.name);
    if rights & ADS_PERMISSION_READ == 0 {
        let reason = format!("user '{}', view {}", session.access.user, view.name);
        return Err(Failure::new(AE_NO_READ_PERMISSION, reason));
    }
    let sql = view.text(ADS_DD_VIEW_STMT).unwrap_or_default();
    through.sql(|sql_session| Ok(sql_session.execute(sql, &[])?))
}

fn open_table(
    handle: Handle,
    through: &Arc<Connection>,
    session: &Arc<Session>,
    contents: &Contents,
    table: &Object,
    wanted: &Wanted,
) -> Result<Handle> {
    // The rules for records in a dictionary of the vendor's are unknown, so its tables are opened read-only.
    let only_reads = if contents.is_read_only { ADS_READONLY } else { 0 };
    let wanted = &Wanted { alias: wanted.alias.clone(), options: wanted.options | only_reads, ..*wanted };
    check_opening(session, contents, table, wanted.options & ADS_READONLY == 0)?;
    let path = session.table_path(table);
    if !files::exists(&path) {
        return Err(Failure::new(AE_FILE_NOT_FOUND, path.display().to_string()));
    }
    let or = |asked: u16, kept: u32| if asked == 0 { kept } else { asked.into() };
    let is_said = wanted.options & (ADS_EXCLUSIVE | ADS_READONLY | ADS_SHARED) != 0;
    let opening = Opening {
        connection: Arc::clone(through),
        connection_handle: handle,
        alias: wanted.alias.clone().unwrap_or_else(|| table.name.clone()),
        opened_as: table.name.clone(),
        table_type: table.number(ADS_DD_TABLE_TYPE),
        char_type: or(wanted.char_type, table.number(ADS_DD_TABLE_CHAR_TYPE)),
        lock_type: wanted.lock_type.into(),
        options: if is_said { wanted.options } else { wanted.options | ADS_SHARED },
        statement: wanted.statement,
        columns: Vec::new(),
    };
    let (handle, opened) = open_at(opening, &path)?;
    match bind(through, session, contents, table, &opened) {
        Ok(()) => Ok(handle),
        Err(failure) => {
            let _ = opened.close();
            Err(failure)
        }
    }
}

/// The columns of a table that the user may not read.
pub fn hidden_columns(session: &Session, contents: &Contents, table: &str, fields: &[Field]) -> Vec<String> {
    let readable =
        |column: &str| session.access.rights(contents, ADS_DD_FIELD_OBJECT, table, column) & ADS_PERMISSION_READ != 0;
    fields.iter().map(|field| field.name.clone()).filter(|name| !readable(name)).collect()
}

/// Applies the dictionary's entry to an open table: its index files, its rules, and its hidden columns.
fn bind(
    through: &Arc<Connection>,
    session: &Arc<Session>,
    contents: &Contents,
    table: &Object,
    opened: &Arc<Table>,
) -> Result<()> {
    let level = table.number(ADS_DD_TABLE_PERMISSION_LEVEL);
    opened.without_relation(|state| {
        for path in session.index_paths(contents, &table.name) {
            state.area.open_index(&path)?;
        }
        opened.name_orders(state)?;
        let hidden = hidden_columns(session, contents, &table.name, state.area.fields());
        let _ = opened.bound.set(Bound { hidden, filters_hidden: level == ADS_DD_TABLE_PERMISSION_LEVEL_1 });
        let guard = Guard::new(Arc::clone(session), &table.name, Arc::clone(&through.helpers));
        let fires: Weak<dyn Fires> = Arc::downgrade(through) as Weak<dyn Fires>;
        let guard = guard.with_triggers(fires);
        // A dictionary's tables are here, whatever other tables may be.
        if let Some(area) = state.area.local() {
            area.set_rules(Some(Arc::new(guard)));
        }
        Ok(())
    })
}

/// Gives a second handle of a table of the dictionary what the first one has.
pub fn bind_second(first: &Table, second: &Arc<Table>) -> Result<()> {
    let Some(session) = first.connection.dictionary.as_ref().filter(|_| first.bound.get().is_some()) else {
        return Ok(());
    };
    let contents = session.live.contents()?;
    bind(&first.connection, session, &contents, contents.get(ADS_DD_TABLE_OBJECT, "", &first.opened_as)?, second)
}

/// The rows of a view's statement.
fn open_view(
    handle: Handle,
    through: &Arc<Connection>,
    session: &Session,
    contents: &Contents,
    view: &Object,
) -> Result<Handle> {
    let outcome = rows_of_view(through, session, contents, view)?;
    open_rows(handle, through, &view.name, &outcome)
}

/// Opens rows as the table of a view.
fn open_rows(handle: Handle, through: &Arc<Connection>, name: &str, outcome: &Outcome) -> Result<Handle> {
    let statement = Arc::new(Statement::new(Arc::clone(through), handle));
    let statement = crate::registry::add(crate::registry::Object::Statement(statement))?;
    let opening = Opening {
        connection: Arc::clone(through),
        connection_handle: handle,
        opened_as: name.to_owned(),
        alias: name.to_owned(),
        table_type: ADS_VFP,
        char_type: ADS_ANSI,
        lock_type: ADS_COMPATIBLE_LOCKING,
        options: ADS_EXCLUSIVE | ADS_READONLY,
        statement: Some(statement),
        columns: outcome.columns.iter().map(|column| column.name.clone()).collect(),
    };
    let area = cursor::open(outcome, through);
    let opened = area.map_err(Failure::from).and_then(|area| Table::add(opening, Box::new(area)));
    // The rows need no statement any more; its handle is not the program's to close.
    crate::registry::remove(statement);
    opened.map(|(handle, _)| handle)
}

/// Returns true if a new table is added to the dictionary; fails if its name is taken.
///
/// Errors: AE_PERMISSION_DENIED; AE_INVALID_OBJECT_NAME for a name that is taken.
pub fn check_new(through: &Connection, name: &str) -> Result<bool> {
    let Some(session) = &through.dictionary else { return Ok(false) };
    let contents = session.live.contents()?;
    let may = session.access.rights(&contents, ADS_DD_TABLE_OBJECT, "", "") & ADS_PERMISSION_CREATE != 0;
    if may && contents.is_taken(ADS_DD_TABLE_OBJECT, "", name) {
        return Err(Failure::new(AE_INVALID_OBJECT_NAME, format!("there is an object {name} already")));
    }
    Ok(may)
}

/// Puts a new table into the dictionary, and applies the dictionary's defaults for tables to it.
pub fn add_new(through: &Arc<Connection>, name: &str, opened: &Arc<Table>) -> Result<()> {
    let Some(session) = &through.dictionary else { return Ok(()) };
    let kinds = (opened.table_type, opened.char_type);
    session.live.change(|contents| objects::put(session, contents, name, &opened.path, kinds).map(|_| ()))?;
    let contents = session.live.contents()?;
    bind(through, session, &contents, contents.get(ADS_DD_TABLE_OBJECT, "", name)?, opened)
}

/// Refuses what would take records away behind the relations of a table.
///
/// Errors: AE_DD_REQUEST_NOT_COMPLETED.
pub fn check_zap(table: &Table) -> Result<()> {
    let Some(session) = table.connection.dictionary.as_ref().filter(|_| table.bound.get().is_some()) else {
        return Ok(());
    };
    check_zap_of(&*session.live.contents()?, &table.opened_as)
}

/// The same for a table by its name.
pub fn check_zap_of(contents: &Contents, table: &str) -> Result<()> {
    let (as_child, as_parent) = crate::dictionary::integrity::Relation::of_table(contents, table);
    match as_child.is_empty() && as_parent.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, "a table with relations is not emptied at once")),
    }
}

/// The place of a new table: the dictionary's folder of tables, or the connection's.
pub fn place(through: &Connection, name: &str) -> Result<Option<std::path::PathBuf>> {
    let Some(session) = &through.dictionary else { return Ok(None) };
    let contents = session.live.contents()?;
    let path = session.table_folder(&contents).join(files::with_extension(files::path_of(name), "dbf"));
    Ok(Some(files::in_existing_folder(&path)))
}

/// The name that a new table gets in the dictionary.
pub fn name_of(alias: Option<String>, path: &std::path::Path) -> String {
    alias.unwrap_or_else(|| tables::alias_of(path))
}
