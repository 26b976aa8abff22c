//! Opening, creating and closing tables, and their properties.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mainstay_navigator::client::RemoteArea;
use mainstay_workarea::{Area, AreaOptions, Mode, OPEN_TIMEOUT, WorkArea};
use mainstay_xbase::adt::VERSION_BYTE;
use mainstay_xbase::dbf::{Format, TableSpec};
use mainstay_xbase::lock::{LockScheme, Sharer};
use mainstay_xbase::table::companions;
use mainstay_xbase::writer::{self, Access, WriteOptions};

use crate::border::*;
use crate::calls::collations;
use crate::calls::connections;
use crate::calls::definitions;
use crate::calls::dictionary::opening;
use crate::calls::indexes::give_handles;
use crate::connection::Connection;
use crate::constants::*;
use crate::dates;
use crate::failure::{Failure, Result};
use crate::far_dictionary;
use crate::files;
use crate::registry::{self, Object};
use crate::remote;
use crate::settings;
use crate::table::{Opening, Table};

/// The properties with which a program opens a table.
pub struct Wanted {
    /// Its alias; the name's without one.
    pub alias: Option<String>,
    /// ADS_NTX and its siblings; 0 to look at the file.
    pub table_type: u16,
    /// ADS_ANSI, ADS_OEM or the number of a collation.
    pub char_type: u16,
    /// ADS_COMPATIBLE_LOCKING or ADS_PROPRIETARY_LOCKING.
    pub lock_type: u16,
    /// ADS_SHARED, ADS_EXCLUSIVE, ADS_READONLY.
    pub options: u32,
    /// The statement whose rows the records are.
    pub statement: Option<Handle>,
}

/// Opens the table of a name.
pub fn open_named(connection: Handle, name: String, wanted: &Wanted) -> Result<Handle> {
    let (connection, through, name) = connections::resolved_for(connection, &name)?;
    let table_type = u32::from(wanted.table_type);
    check_type(table_type)?;
    check_char_type(wanted.char_type.into())?;
    if let Some(found) = opening::open(connection, &through, &name, wanted)? {
        return Ok(found);
    }
    // A server finds the file when it opens the table.
    let paths: Vec<PathBuf> = match through.server {
        Some(_) => extensions(table_type).iter().flat_map(|ending| through.candidates(&name, ending)).collect(),
        None => extensions(table_type).iter().find_map(|ending| through.find(&name, ending)).into_iter().collect(),
    };
    let path = paths.first().cloned().ok_or_else(|| Failure::new(AE_FILE_NOT_FOUND, name.clone()))?;
    let is_said = wanted.options & (ADS_EXCLUSIVE | ADS_READONLY | ADS_SHARED) != 0;
    let opening = Opening {
        connection: through,
        connection_handle: connection,
        alias: wanted.alias.clone().unwrap_or_else(|| alias_of(&path)),
        opened_as: name,
        table_type,
        char_type: wanted.char_type.into(),
        lock_type: wanted.lock_type.into(),
        options: if is_said { wanted.options } else { wanted.options | ADS_SHARED },
        statement: wanted.statement,
        columns: Vec::new(),
    };
    open_first(opening, &paths).map(|(handle, _)| handle)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn open(
    connection: Handle,
    name: Text,
    alias: Text,
    table_type: u16,
    char_type: u16,
    lock_type: u16,
    _rights: u16,
    options: u32,
    table: Out<Handle>,
) -> Result<()> {
    connections::of(connection)?;
    table.required()?;
    let wanted = Wanted { alias: alias.optional_string(), table_type, char_type, lock_type, options, statement: None };
    table.set(open_named(connection, name.string()?, &wanted)?)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn open_90(
    connection: Handle,
    name: Text,
    alias: Text,
    table_type: u16,
    char_type: u16,
    lock_type: u16,
    rights: u16,
    options: u32,
    collation: Text,
    table: Out<Handle>,
) -> Result<()> {
    connections::of(connection)?;
    no_collation(collation)?;
    open(connection, name, alias, table_type, char_type, lock_type, rights, options, table)
}

pub fn open_101(connection: Handle, name: Text, table: Out<Handle>) -> Result<()> {
    open(connection, name, Text::NONE, 0, 0, 0, 0, 0, table)
}

pub fn check_type(table_type: u32) -> Result<()> {
    match table_type {
        ADS_DEFAULT | ADS_NTX | ADS_CDX | ADS_ADT | ADS_VFP => Ok(()),
        other => Err(Failure::new(AE_INVALID_TABLETYPE, other.to_string())),
    }
}

/// The extension of the files of new tables of a type.
pub fn extension(table_type: u32) -> &'static str {
    if table_type == ADS_ADT { "adt" } else { "dbf" }
}

/// The extensions of the files that a table of this type may have, in the order in which they are looked for.
fn extensions(table_type: u32) -> &'static [&'static str] {
    match table_type {
        ADS_DEFAULT => &["dbf", "adt"],
        ADS_ADT => &["adt"],
        _ => &["dbf"],
    }
}

/// The only collation to choose is that of bytes.
pub fn no_collation(collation: Text) -> Result<()> {
    collations::checked(collation).map(|_| ())
}

/// ADS_ANSI, ADS_OEM (or neither), or the number of a collation, in which indexes are read but not made.
fn check_char_type(char_type: u32) -> Result<()> {
    match char_type <= ADS_MAX_CHAR_SETS {
        true => Ok(()),
        false => Err(Failure::new(AE_INVALID_CHARSETTYPE, char_type.to_string())),
    }
}

/// The name of a table without its folder and extension.
pub fn alias_of(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Opens the table of a path.
pub fn open_at(opening: Opening, path: &Path) -> Result<(Handle, Arc<Table>)> {
    open_first(opening, &[path.to_path_buf()])
}

/// Opens a table of a folder here. Whether it can only be read. Within this process an exclusively opened table is open once; others are asked through the
/// system's locks.
fn open_here(connection: &Connection, path: &Path, options: &AreaOptions) -> Result<(Box<dyn WorkArea>, bool)> {
    let exclusive = options.mode == Mode::Exclusive;
    let conflict = registry::all(|_, object| match object {
        Object::Table(known) if known.path == path && (exclusive || !known.is_shared()) => Some(()),
        _ => None,
    });
    if !conflict.is_empty() {
        return Err(Failure::new(AE_FILE_IN_USE, path.display().to_string()));
    }
    let files = Arc::clone(&connection.files);
    let _sharing = connection.locks.enter(Sharer::Handle);
    let area = Area::open(Arc::clone(&files), path, options);
    // A table with a file that may not be written is opened read-only.
    if options.mode == Mode::Shared && area.as_ref().is_err_and(mainstay_types::Error::is_denied) {
        let options = AreaOptions { mode: Mode::ReadOnly, ..options.clone() };
        if let Ok(readable) = Area::open(files, path, &options) {
            return Ok((Box::new(readable), true));
        }
    }
    Ok((Box::new(area?), options.mode == Mode::ReadOnly))
}

/// Opens the first table of some paths that is there; of paths here there is one.
pub fn open_first(mut opening: Opening, paths: &[PathBuf]) -> Result<(Handle, Arc<Table>)> {
    let mode = match opening.options {
        options if options & ADS_READONLY != 0 => Mode::ReadOnly,
        options if options & ADS_EXCLUSIVE != 0 => Mode::Exclusive,
        _ => Mode::Shared,
    };
    let scheme = match opening.table_type {
        ADS_NTX => Some(LockScheme::Clipper),
        ADS_CDX | ADS_VFP => Some(LockScheme::FoxPro),
        _ => None,
    };
    let options = AreaOptions {
        mode,
        scheme,
        open_structural: opening.table_type != ADS_NTX,
        implicit_locks: true,
        open_timeout: Some(OPEN_TIMEOUT),
        ..AreaOptions::default()
    };
    let opened = match (&opening.connection.server, paths.first()) {
        (Some(server), _) => remote::open(server, paths, &options),
        (None, Some(path)) => open_here(&opening.connection, path, &options),
        (None, None) => Err(AE_FILE_NOT_FOUND.into()),
    };
    let (mut area, is_read_only) = opened.map_err(|failure| match failure.code {
        AE_LOCK_FAILED => Failure::new(AE_FILE_IN_USE, failure.into_detail()),
        _ => failure,
    })?;
    if is_read_only {
        opening.options |= ADS_READONLY;
    }
    // The deleted records of an ADT are room for others, and never shown.
    let is_adt = area.header().version == VERSION_BYTE;
    if opening.connection.server.is_none() && (is_adt || settings::read(|settings| !settings.show_deleted)) {
        // The place is the first record that is shown; a server has gone there.
        area.set_hide_deleted(true);
        area.go_top()?;
    }
    let far = area.far().and_then(|far| far.downcast_mut::<RemoteArea>());
    if let Some(known) = far.and_then(|far| far.in_dictionary().cloned()) {
        opening.table_type = known.kinds.0;
        opening.char_type = if opening.char_type == 0 { known.kinds.1 } else { opening.char_type };
        if opening.alias.is_empty() {
            opening.alias.clone_from(&known.name);
        }
        opening.opened_as = known.name;
    }
    if opening.alias.is_empty() {
        opening.alias = paths.first().map_or_else(String::new, |path| alias_of(path));
    }
    if opening.table_type == ADS_ADT && area.header().version != VERSION_BYTE {
        return Err(Failure::new(AE_INVALID_TABLETYPE, "the file is not an ADT"));
    }
    if let Some(transaction) = opening.connection.running().filter(|_| opening.options & ADS_READONLY == 0) {
        transaction.enlist(&mut *area)?;
    }
    if opening.table_type == ADS_DEFAULT {
        opening.table_type = match area.header().version {
            VERSION_BYTE => ADS_ADT,
            0x30..=0x32 => ADS_VFP,
            0x83 => ADS_NTX,
            _ => ADS_CDX,
        };
    }
    Table::add(opening, area)
}

/// Returns true if a table of this path is open in this process.
pub fn is_open(path: &Path) -> bool {
    let open = registry::all(|_, object| matches!(object, Object::Table(table) if table.path == path).then_some(()));
    !open.is_empty()
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create(
    connection: Handle,
    name: Text,
    alias: Text,
    table_type: u16,
    char_type: u16,
    lock_type: u16,
    _rights: u16,
    memo_size: u16,
    fields: Text,
    table: Out<Handle>,
) -> Result<()> {
    connections::of(connection)?;
    table.required()?;
    let name = name.string()?;
    let (connection, through, name) = connections::resolved_for(connection, &name)?;
    let table_type = match u32::from(table_type) {
        ADS_DEFAULT => ADS_CDX,
        table_type => table_type,
    };
    check_type(table_type)?;
    check_char_type(char_type.into())?;
    let spec = spec(&fields.string()?, table_type, char_type.into(), memo_size)?;
    let path = opening::place(&through, &name)?.unwrap_or_else(|| through.place(&name, extension(table_type)));
    if is_open(&path) {
        return Err(Failure::new(AE_FILE_IN_USE, path.display().to_string()));
    }
    let object = opening::name_of(alias.optional_string(), &path);
    if through.is_far_dictionary {
        make(&through, &path, &spec)?;
        let kinds = (table_type, char_type.into());
        let name = far_dictionary::add_table(&through, &object, &path, kinds)?.unwrap_or(name);
        let kinds = (u16::try_from(table_type).unwrap_or(0), char_type);
        let options = ADS_EXCLUSIVE;
        let (table_type, char_type) = kinds;
        let wanted =
            Wanted { alias: alias.optional_string(), table_type, char_type, lock_type, options, statement: None };
        return table.set(open_named(connection, name, &wanted)?);
    }
    let is_of_dictionary = opening::check_new(&through, &object)?;
    make(&through, &path, &spec)?;
    let opening = Opening {
        connection: Arc::clone(&through),
        connection_handle: connection,
        alias: alias.optional_string().unwrap_or_else(|| alias_of(&path)),
        opened_as: if is_of_dictionary { object.clone() } else { name },
        table_type,
        char_type: char_type.into(),
        lock_type: lock_type.into(),
        options: ADS_EXCLUSIVE,
        statement: None,
        columns: Vec::new(),
    };
    let (handle, opened) = open_at(opening, &path)?;
    if is_of_dictionary {
        opening::add_new(&through, &object, &opened)?;
    }
    table.set(handle)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create_71(
    connection: Handle,
    name: Text,
    alias: Text,
    table_type: u16,
    char_type: u16,
    lock_type: u16,
    rights: u16,
    memo_size: u16,
    fields: Text,
    _options: u32,
    table: Out<Handle>,
) -> Result<()> {
    create(connection, name, alias, table_type, char_type, lock_type, rights, memo_size, fields, table)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create_90(
    connection: Handle,
    name: Text,
    alias: Text,
    table_type: u16,
    char_type: u16,
    lock_type: u16,
    rights: u16,
    memo_size: u16,
    fields: Text,
    _options: u32,
    collation: Text,
    table: Out<Handle>,
) -> Result<()> {
    connections::of(connection)?;
    no_collation(collation)?;
    create(connection, name, alias, table_type, char_type, lock_type, rights, memo_size, fields, table)
}

/// The form of a new table.
pub fn spec(fields: &str, table_type: u32, char_type: u32, memo_size: u16) -> Result<TableSpec> {
    let fields = definitions::parse(fields, table_type)?;
    let format = match table_type {
        ADS_NTX => Format::DbaseThree,
        ADS_VFP => Format::VisualFoxPro,
        ADS_ADT => Format::Advantage,
        _ => Format::FoxPro,
    };
    let mut spec = TableSpec::new(format, fields);
    spec.language = match char_type {
        ADS_OEM => 0x01,
        _ => 0x03,
    };
    spec.memo_block_size = memo_size.into();
    Ok(spec)
}

/// Makes an empty table, and throws away what had its name: its memo, and the index that would be opened with it.
pub fn make(connection: &Connection, path: &Path, spec: &TableSpec) -> Result<()> {
    let made = match &connection.server {
        Some(server) => server.create(path, spec),
        None => {
            remove(connection, path)?;
            writer::create(&*connection.files, path, spec, &WriteOptions::new(Access::Exclusive))
        }
    };
    made.map_err(|error| match error.code() {
        mainstay_types::Code::InvalidValue | mainstay_types::Code::Duplicate => {
            Failure::new(AE_INVALID_FIELDDEF, error.to_string())
        }
        _ => error.into(),
    })
}

/// Removes a table with its memo and its structural index.
pub fn remove(connection: &Connection, path: &Path) -> Result<()> {
    if let Some(server) = &connection.server {
        return Ok(server.clear(path)?);
    }
    let mut old = companions(&*connection.files, path);
    old.push(mainstay_workarea::words_path(path));
    for file in old.iter().map(PathBuf::as_path).chain([path]) {
        if connection.files.stamp(file).is_ok() {
            connection.files.remove(file)?;
        }
    }
    Ok(())
}

pub fn close(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    let statement = table.statement.and_then(|handle| registry::statement(handle).ok());
    let freed = statement.map_or(Ok(()), |statement| {
        statement.with(|state| {
            state.cursor = None;
            Ok(())
        })
    });
    table.close().and(freed)
}

pub fn close_all() -> Result<()> {
    let tables = registry::all(|_, object| match object {
        Object::Table(table) => Some(Arc::clone(table)),
        _ => None,
    });
    let mut first = Ok(());
    for table in tables {
        first = first.and(table.close());
    }
    first
}

pub fn close_cached(connection: Handle) -> Result<()> {
    connections::of(connection).map(|_| ())
}

fn open_tables() -> Vec<Handle> {
    let mut handles = registry::all(|handle, object| matches!(object, Object::Table(_)).then_some(handle));
    handles.sort_by_key(|handle| handle.0);
    handles
}

pub fn count_open(count: Out<u16>) -> Result<()> {
    count.set(u16::try_from(open_tables().len()).unwrap_or(u16::MAX))
}

pub fn all(tables: Out<Handle>, count: Out<u16>) -> Result<()> {
    give_handles(&open_tables(), tables, count)
}

/// A table by its alias.
pub fn by_alias(name: Text, table: Out<Handle>) -> Result<()> {
    by_alias_of(Handle(0), name, table)
}

pub fn by_alias_of(connection: Handle, name: Text, table: Out<Handle>) -> Result<()> {
    if connection != Handle(0) {
        registry::connection(connection)?;
    }
    let name = name.string()?;
    let found = registry::all(|handle, object| match object {
        Object::Table(known) if known.alias.eq_ignore_ascii_case(&name) => {
            (connection == Handle(0) || known.connection_handle == connection).then_some(handle)
        }
        _ => None,
    });
    let found = found.into_iter().min_by_key(|handle| handle.0);
    table.set(found.ok_or_else(|| Failure::new(AE_NO_TABLE, name))?)
}

pub fn alias(table: Handle, alias: Buffer, length: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    alias.set_text(length, table.alias.as_bytes())
}

pub fn file_name(table: Handle, option: u16, name: Buffer, length: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let part = match u32::from(option) {
        ADS_TABLE_OPEN_NAME => Some(table.opened_as.clone()),
        _ => files::part(&table.path, option),
    };
    name.set_text(length, part.ok_or_else(|| Failure::new(AE_INVALID_OPTION, option.to_string()))?.as_bytes())
}

pub fn kind(table: Handle, kind: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    kind.set(u16::try_from(table.table_type).unwrap_or(0))
}

pub fn char_type(table: Handle, kind: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    kind.set(u16::try_from(table.char_type).unwrap_or(0))
}

pub fn lock_type(table: Handle, kind: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    kind.set(u16::try_from(table.lock_type).unwrap_or(0))
}

pub fn open_options(table: Handle, options: Out<u32>) -> Result<()> {
    options.set(registry::table(table)?.options)
}

/// Rights are those of the files: 1 to read, 2 to write.
pub fn rights(table: Handle, rights: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    rights.set(if table.is_read_only() { 1 } else { 3 })
}

pub fn connection(table: Handle, connection: Out<Handle>) -> Result<()> {
    connection.set(registry::table(table)?.connection_handle)
}

pub fn collation(table: Handle, collation: Buffer, length: Out<u16>) -> Result<()> {
    registry::table(table)?;
    collation.set_text(length, b"")
}

/// Nothing here is far away.
pub fn is_far(table: Handle, far: Out<u16>) -> Result<()> {
    registry::table(table)?;
    far.set(0)
}

/// The date in the table's header.
pub fn last_update(table: Handle, date: Buffer, length: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let day = table.without_relation(|state| Ok(state.area.header().updated))?;
    let day = day.map_or(0, mainstay_types::Date::julian);
    date.set_text(length, dates::write(day, &table.connection.date_format()).as_bytes())
}

pub fn record_length(table: Handle, length: Out<u32>) -> Result<()> {
    let table = registry::table(table)?;
    let bytes = table.without_relation(|state| Ok(state.area.header().record_length))?;
    length.set(bytes)
}
