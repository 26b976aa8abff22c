//! Tables of a dictionary and their index files.

use std::path::{Path, PathBuf};

use mainstay_workarea::{Area, Mode};
use mainstay_xbase::adt::{RecordLayout, VERSION_BYTE};
use mainstay_xbase::table::companion_extensions;

use crate::border::*;
use crate::calls;
use crate::calls::dictionary::{change, session};
use crate::constants::*;
use crate::dictionary::contents::{Contents, same};
use crate::dictionary::session::area_options;
use crate::dictionary::{Session, properties};
use crate::failure::{Failure, Result};
use crate::files;

/// The type that a table's file has, where the program does not say.
pub fn type_of_file(version: u8) -> u32 {
    match version {
        VERSION_BYTE => ADS_ADT,
        0x30..=0x32 => ADS_VFP,
        0x83 => ADS_NTX,
        _ => ADS_CDX,
    }
}

/// An index file that a table has open, by its name in the dictionary.
pub fn index_file(area: &Area, name: &str) -> Option<PathBuf> {
    let wanted = files::path_of(name);
    let wanted = wanted.file_name()?.to_string_lossy().into_owned();
    area.index_files()
        .into_iter()
        .find(|path| path.file_name().is_some_and(|name| same(&name.to_string_lossy(), &wanted)))
}

fn is_ntx(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ntx"))
}

/// Bytes of a page of an index file.
pub fn page_size(path: &Path) -> u32 {
    if is_ntx(path) { 1024 } else { 512 }
}

/// The type of tables that have such an index file.
pub fn index_type(path: &Path) -> u32 {
    if is_ntx(path) { ADS_NTX } else { ADS_CDX }
}

/// A file that a call names: from the folder of tables on, with an extension if it has none.
fn file_named(session: &Session, contents: &Contents, name: &str, extension: &str) -> Option<PathBuf> {
    let asked = files::path_of(name);
    let folders = [session.table_folder(contents), session.folder().to_path_buf()];
    let candidates = [asked.clone(), files::with_extension(asked, extension)];
    let mut paths = folders.iter().flat_map(|folder| candidates.iter().map(|file| folder.join(file)));
    paths.find_map(|path| files::existing(&path)).filter(|path| !session.files.is_folder(path))
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn add(
    dictionary: Handle,
    name: Text,
    path: Text,
    table_type: u16,
    char_type: u16,
    index_files: Text,
    comments: Text,
) -> Result<()> {
    let session = session(dictionary)?;
    let path = path.string()?;
    let contents = session.live.contents()?;
    let found = file_named(&session, &contents, &path, calls::tables::extension(table_type.into()))
        .ok_or_else(|| Failure::new(AE_FILE_NOT_FOUND, path))?;
    let stem = found.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = name.optional_string().or(stem).unwrap_or_default();
    calls::tables::check_type(table_type.into())?;
    // The table's file shows if it is a table, and its index files if they belong to it.
    let mut options = area_options(table_type.into());
    options.open_structural = false;
    let mut area = Area::open(std::sync::Arc::clone(&session.files), &found, &options)?;
    if u32::from(table_type) == ADS_ADT && area.header().layout != RecordLayout::Adt {
        return Err(Failure::new(AE_INVALID_TABLETYPE, "the file is not an ADT"));
    }
    let table_type = match u32::from(table_type) {
        ADS_DEFAULT => type_of_file(area.header().version),
        table_type => table_type,
    };
    let list = index_files.optional_string().unwrap_or_default();
    let mut indexes = Vec::new();
    for file in list.split(';').map(str::trim).filter(|file| !file.is_empty()) {
        let index = index_beside(&found, file, table_type)?;
        area.open_index(&index)?;
        indexes.push(index);
    }
    change(&session, (ADS_DD_TABLE_OBJECT, "", "", ADS_PERMISSION_CREATE), |contents| {
        let is_part = contents.all(ADS_DD_TABLE_OBJECT).any(|table| session.table_path(table) == found);
        if is_part || contents.is_taken(ADS_DD_TABLE_OBJECT, "", &name) {
            let reason = format!("the dictionary has the table {name} or its file already");
            return Err(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, reason));
        }
        put(&session, contents, &name, &found, (table_type, char_type.into()))?
            .set_text(ADS_DD_COMMENT, comments.optional_string());
        for index in &indexes {
            let file = index.file_name().map_or_else(String::new, |file| file.to_string_lossy().into_owned());
            let stored = session.stored(index);
            contents.add(ADS_DD_INDEX_FILE_OBJECT, &name, &file)?.set_text(ADS_DD_INDEX_FILE_PATH, Some(stored));
        }
        Ok(())
    })
}

/// Makes the object of a table.
pub fn put<'c>(
    session: &Session,
    contents: &'c mut Contents,
    name: &str,
    path: &Path,
    (table_type, char_type): (u32, u32),
) -> Result<&'c mut crate::dictionary::Object> {
    let stored = session.stored(path);
    let table = contents.add(ADS_DD_TABLE_OBJECT, "", name)?;
    table.set_text(ADS_DD_TABLE_PATH, Some(stored));
    table.set_number(ADS_DD_TABLE_TYPE, table_type);
    if char_type != 0 {
        table.set_number(ADS_DD_TABLE_CHAR_TYPE, char_type);
    }
    Ok(table)
}

fn index_beside(table: &Path, file: &str, table_type: u32) -> Result<PathBuf> {
    let asked = files::with_extension(files::path_of(file), calls::indexes::extension(table_type));
    let path = table.parent().unwrap_or(Path::new("")).join(asked);
    files::existing(&path).ok_or_else(|| Failure::new(AE_FILE_NOT_FOUND, path.display().to_string()))
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn add_90(
    dictionary: Handle,
    name: Text,
    path: Text,
    table_type: u16,
    char_type: u16,
    index_files: Text,
    comments: Text,
    collation: Text,
) -> Result<()> {
    session(dictionary)?;
    calls::tables::no_collation(collation)?;
    add(dictionary, name, path, table_type, char_type, index_files, comments)
}

/// Fails if a table is in use, or is the parent of a relation.
fn must_be_free(session: &Session, contents: &Contents, table: &str) -> Result<()> {
    let is_parent = |relation: &&crate::dictionary::Object| {
        relation.text(ADS_DD_RI_PRIMARY_TABLE).is_some_and(|parent| same(parent, table))
    };
    if let Some(relation) = contents.all(ADS_DD_RELATION_OBJECT).find(is_parent) {
        let reason = format!("the table is the parent of the relation {}", relation.name);
        return Err(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, reason));
    }
    let path = session.table_path(contents.get(ADS_DD_TABLE_OBJECT, "", table)?);
    if calls::tables::is_open(&path) {
        return Err(Failure::new(AE_TABLE_NOT_EXCLUSIVE, path.display().to_string()));
    }
    // A table whose file is gone can be taken out, too.
    match files::exists(&path) {
        true => Ok(session.open(contents, table, Mode::Exclusive)?.close()?),
        false => Ok(()),
    }
}

pub fn remove(dictionary: Handle, name: Text, delete_files: u16) -> Result<()> {
    let session = session(dictionary)?;
    let name = name.string()?;
    change(&session, (ADS_DD_TABLE_OBJECT, "", &name, ADS_PERMISSION_DROP), |contents| {
        must_be_free(&session, contents, &name)?;
        let path = session.table_path(contents.get(ADS_DD_TABLE_OBJECT, "", &name)?);
        let indexes = session.index_paths(contents, &name);
        contents.remove(ADS_DD_TABLE_OBJECT, "", &name)?;
        let is_child =
            |object: &crate::dictionary::Object| object.text(ADS_DD_RI_FOREIGN_TABLE).is_some_and(|of| same(of, &name));
        contents.objects.retain(|object| !(object.kind == ADS_DD_RELATION_OBJECT && is_child(object)));
        if delete_files != 0 {
            let connection = crate::connection::Connection::of_files(std::sync::Arc::clone(&session.files));
            calls::tables::remove(&connection, &path)?;
            indexes.iter().try_for_each(|index| session.files.remove(index))?;
        }
        Ok(())
    })
}

pub fn add_index_file(dictionary: Handle, table: Text, path: Text, comment: Text) -> Result<()> {
    let session = session(dictionary)?;
    let (table, path) = (table.string()?, path.string()?);
    change(&session, (ADS_DD_TABLE_OBJECT, "", &table, ADS_PERMISSION_ALTER), |contents| {
        let object = contents.get(ADS_DD_TABLE_OBJECT, "", &table)?;
        let name = object.name.clone();
        let index = index_beside(&session.table_path(object), &path, object.number(ADS_DD_TABLE_TYPE))?;
        let mut area = session.open(contents, &name, Mode::ReadOnly)?;
        if area.index_files().contains(&index) {
            return Err(Failure::new(AE_INDEX_ALREADY_OPEN, index.display().to_string()));
        }
        area.open_index(&index)?;
        let file = index.file_name().map_or_else(String::new, |file| file.to_string_lossy().into_owned());
        let stored = session.stored(&index);
        let object = contents.add(ADS_DD_INDEX_FILE_OBJECT, &name, &file)?;
        object.set_text(ADS_DD_INDEX_FILE_PATH, Some(stored));
        object.set_text(ADS_DD_COMMENT, comment.optional_string());
        Ok(())
    })
}

pub fn remove_index_file(dictionary: Handle, table: Text, name: Text, delete_file: u16) -> Result<()> {
    let session = session(dictionary)?;
    let (table, name) = (table.string()?, name.string()?);
    change(&session, (ADS_DD_TABLE_OBJECT, "", &table, ADS_PERMISSION_ALTER), |contents| {
        let path = session.table_path(contents.get(ADS_DD_TABLE_OBJECT, "", &table)?);
        let object = contents.get(ADS_DD_INDEX_FILE_OBJECT, &table, &name)?;
        let index = session.path_of(object.text(ADS_DD_INDEX_FILE_PATH).unwrap_or_default());
        if delete_file != 0 && calls::tables::is_open(&path) {
            return Err(Failure::new(AE_TABLE_NOT_EXCLUSIVE, path.display().to_string()));
        }
        contents.remove(ADS_DD_INDEX_FILE_OBJECT, &table, &name)?;
        match delete_file {
            0 => Ok(()),
            _ => Ok(session.files.remove(&index)?),
        }
    })
}

pub fn delete_index(dictionary: Handle, table: Text, name: Text) -> Result<()> {
    let session = session(dictionary)?;
    let (table, name) = (table.string()?, name.string()?);
    change(&session, (ADS_DD_TABLE_OBJECT, "", &table, ADS_PERMISSION_ALTER), |contents| {
        let uses = |relation: &&crate::dictionary::Object| {
            let is = |of: u32, index: u32| {
                relation.text(of).is_some_and(|of| same(of, &table))
                    && relation.text(index).is_some_and(|index| same(index, &name))
            };
            is(ADS_DD_RI_PRIMARY_TABLE, ADS_DD_RI_PRIMARY_INDEX) || is(ADS_DD_RI_FOREIGN_TABLE, ADS_DD_RI_FOREIGN_INDEX)
        };
        if let Some(relation) = contents.all(ADS_DD_RELATION_OBJECT).find(uses) {
            let reason = format!("the relation {} needs the index", relation.name);
            return Err(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, reason));
        }
        let mut area = session.open(contents, &table, Mode::Exclusive)?;
        let order = area.order_named(&name).ok_or_else(|| Failure::new(AE_INVALID_OBJECT_NAME, name.clone()))?;
        area.delete_order(order)?;
        area.close()?;
        let _ = contents.remove(ADS_DD_INDEX_OBJECT, &table, &name);
        Ok(())
    })
}

/// A table's file can be opened without its dictionary anyway: what is freed is asked to be there.
pub fn free(name: Text, _password: Text) -> Result<()> {
    let name = name.string()?;
    match files::existing(&files::with_extension(files::path_of(&name), "dbf")) {
        Some(_) => Ok(()),
        None => Err(Failure::new(AE_FREETABLEFAILED, format!("there is no table {name}"))),
    }
}

/// Moves a table with its memo and index files, or one index file, to a folder.
#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn move_files(
    dictionary: Handle,
    kind: u16,
    name: Text,
    folder: Text,
    index_files: Text,
    parent: Text,
    _options: u32,
) -> Result<()> {
    let session = session(dictionary)?;
    let (name, kind) = (name.string()?, u32::from(kind));
    let table = match kind {
        ADS_DD_TABLE_OBJECT => name.clone(),
        ADS_DD_INDEX_FILE_OBJECT => parent.string()?,
        other => return Err(Failure::new(AE_INVALID_OBJECT_TYPE, other.to_string())),
    };
    let to = session.path_of(&folder.string()?);
    if !session.files.is_folder(&to) {
        return Err(Failure::new(AE_INVALID_PATH, to.display().to_string()));
    }
    let taken = index_files.optional_string().unwrap_or_default();
    change(&session, (ADS_DD_TABLE_OBJECT, "", &table, ADS_PERMISSION_ALTER), |contents| {
        let path = session.table_path(contents.get(ADS_DD_TABLE_OBJECT, "", &table)?);
        if calls::tables::is_open(&path) {
            return Err(Failure::new(AE_TABLE_NOT_EXCLUSIVE, path.display().to_string()));
        }
        session.open(contents, &table, Mode::Exclusive)?.close()?;
        if kind == ADS_DD_INDEX_FILE_OBJECT {
            return move_index(&session, contents, (&table, &name), &to);
        }
        for extension in companion_extensions(&path) {
            if let Some(beside) = files::existing(&path.with_extension(extension)) {
                move_file(&session, &beside, &to)?;
            }
        }
        let moved = move_file(&session, &path, &to)?;
        let stored = session.stored(&moved);
        contents.get_mut(ADS_DD_TABLE_OBJECT, "", &table)?.set_text(ADS_DD_TABLE_PATH, Some(stored));
        let indexes = taken.split(';').map(str::trim).filter(|index| !index.is_empty());
        indexes.into_iter().try_for_each(|index| move_index(&session, contents, (&table, index), &to))
    })
}

fn move_index(session: &Session, contents: &mut Contents, (table, name): (&str, &str), to: &Path) -> Result<()> {
    let object = contents.get(ADS_DD_INDEX_FILE_OBJECT, table, name)?;
    let path = session.path_of(object.text(ADS_DD_INDEX_FILE_PATH).unwrap_or_default());
    let moved = move_file(session, &path, to)?;
    let stored = session.stored(&moved);
    contents.get_mut(ADS_DD_INDEX_FILE_OBJECT, table, name)?.set_text(ADS_DD_INDEX_FILE_PATH, Some(stored));
    Ok(())
}

fn move_file(session: &Session, path: &Path, to: &Path) -> Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| Failure::new(AE_INVALID_PATH, path.display().to_string()))?;
    let moved = to.join(name);
    if session.files.stamp(&moved).is_ok() {
        return Err(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, format!("there is a file {}", moved.display())));
    }
    session.files.rename(path, &moved)?;
    Ok(moved)
}

/// Gives an object another name. A table's file gets it, too, unless the options say that it keeps its own.
pub fn rename(dictionary: Handle, name: Text, new: Text, kind: u16, options: u32) -> Result<()> {
    let session = session(dictionary)?;
    let (name, new, kind) = (name.string()?, new.string()?, u32::from(kind));
    if properties::kind_name(kind).is_none() || kind == ADS_DD_DATABASE_OBJECT {
        return Err(Failure::new(AE_INVALID_OBJECT_TYPE, kind.to_string()));
    }
    let split = |name: &str| match (kind, name.trim_start_matches(':').split_once("::")) {
        (ADS_DD_TRIGGER_OBJECT | ADS_DD_FUNCTION_OBJECT, Some((parent, name))) => (parent.to_owned(), name.to_owned()),
        _ => (String::new(), name.to_owned()),
    };
    let ((parent, name), (_, new)) = (split(&name), split(&new));
    change(&session, (kind, &parent, &name, ADS_PERMISSION_ALTER), |contents| {
        if kind != ADS_DD_TABLE_OBJECT || options & ADS_KEEP_TABLE_FILE_NAME != 0 {
            return contents.rename(kind, &parent, &name, &new);
        }
        let path = session.table_path(contents.get(kind, "", &name)?);
        if calls::tables::is_open(&path) {
            return Err(Failure::new(AE_TABLE_NOT_EXCLUSIVE, path.display().to_string()));
        }
        contents.rename(kind, "", &name, &new)?;
        session.open(contents, &new, Mode::Exclusive)?.close()?;
        let with_name = |extension: &str| path.with_file_name(format!("{new}.{extension}"));
        for extension in companion_extensions(&path) {
            if let Some(beside) = files::existing(&path.with_extension(extension)) {
                session.files.rename(&beside, &with_name(extension))?;
            }
        }
        let own = path.extension().map_or_else(|| "dbf".into(), |own| own.to_string_lossy());
        let renamed = with_name(&own);
        session.files.rename(&path, &renamed)?;
        let stored = session.stored(&renamed);
        contents.get_mut(kind, "", &new)?.set_text(ADS_DD_TABLE_PATH, Some(stored));
        Ok(())
    })
}
