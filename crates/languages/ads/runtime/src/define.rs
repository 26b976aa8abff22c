//! CREATE TABLE and its like: tables of the dialect are DBF or ADT files, of the format that the program has chosen;
//! their indexes are tags or files of that format.
//!
//! Tables whose names begin with `#` are the session's: files in a separate folder, deleted with the session. They are
//! ADT files where new tables are, and otherwise of Visual FoxPro's format. The ADT fields of the types: [`advantage`].

use crate::advantage;
use crate::failure::of_core;
use crate::scope::Values;
use crate::session::{Inner, Result};
use crate::statement::Ran;
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::reduce::{self, quoted, table_name};
use mainstay_ads_syntax::tree::{
    Column, Content, CreateIndex, CreateTable, DataType, Name, ObjectName, StatementKind, TableAction, TypeArgument,
};
use mainstay_ads_types::native;
use mainstay_area_session::Outcome;
use mainstay_data_dictionary::constants::{ADS_ADT, ADS_DD_TABLE_OBJECT, ADS_VFP};
use mainstay_types::{SqlType, ValueRef};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::WordIndex;
use mainstay_xbase::dbf::{Format, TableSpec};
use mainstay_xbase::indexed::{advantage_spec, declared_spec, field_spec};
use mainstay_xbase::table::companion_extensions;
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tables that only one session sees.
#[derive(Debug, Default)]
pub(crate) struct Temporary {
    folder: Option<PathBuf>,
    /// The names of the dialect, in lower case, and of the core.
    tables: Vec<(String, String)>,
}

/// Prefix of the core's names of all temporary tables.
pub(crate) const PREFIX: &str = "mainstay-ads-";

/// The field of a file that a column is, as programs of xBase write it, and its type.
pub(crate) type KeptField = Option<(String, SqlType)>;

/// The key of a new table: the name of its index, if it has one, and its columns.
type NewKey = (Option<Name>, Vec<Name>);

/// A number for each folder of temporary tables of this process.
static FOLDERS: AtomicU64 = AtomicU64::new(0);

impl Temporary {
    /// The core's name of a temporary table.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        let known = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.tables.iter().find(known).map(|(_, core)| core.as_str())
    }

    /// The names that the dialect has for them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|(name, _)| name.as_str())
    }

    fn folder(&mut self) -> Result<PathBuf> {
        if let Some(folder) = &self.folder {
            return Ok(folder.clone());
        }
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("{PREFIX}{}-{number}", std::process::id()));
        Disk.create_folder(&folder).map_err(|error| of_core(&error))?;
        self.folder = Some(folder.clone());
        Ok(folder)
    }
}

/// The files that belong to temporary tables go with the session; so do their names.
impl Drop for Inner {
    fn drop(&mut self) {
        for (_, core) in std::mem::take(&mut self.temporary.tables) {
            self.core.detach(&core);
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The session is gone, so errors are not reported; remaining files are in the folder that the system clears.
        if let Some(folder) = &self.folder {
            for entry in Disk.list(folder).unwrap_or_default() {
                let _ = Disk.remove(&entry.path);
            }
            let _ = Disk.remove_folder(folder);
        }
    }
}

/// Removes the files of a table that could not be made whole, or that nobody needs any more.
fn remove_files(files: &dyn FileSystem, path: &Path) {
    let companions = companion_extensions(path).iter().map(|extension| path.with_extension(extension));
    for file in companions.chain([path.to_owned()]) {
        // The error before it is reported; files of a temporary table that stay go with the session.
        let _ = files.remove(&file);
    }
}

/// Returns true if there is a table of this name in either format: a name leads to one of them only.
fn is_taken(path: &Path) -> bool {
    ["dbf", "adt"]
        .iter()
        .any(|extension| mainstay_data_dictionary::files::existing(&path.with_extension(extension)).is_some())
}

/// Returns true if a name is that of a temporary table.
pub(crate) fn is_temporary(name: &ObjectName) -> bool {
    name.last().starts_with('#') || name.parts.first().is_some_and(|part| part.is("session"))
}

impl Inner {
    /// The version of a new table: the core's word for its file format.
    ///
    /// A key that no two rows may have is in no file of FoxPro 2, nor is FoxPro's counter: one beside a ROWVERSION or a
    /// MODTIME, which only these have, is Advantage's own.
    fn version(&self, table: &CreateTable) -> &'static str {
        let has = |names: &[&str]| {
            let is_one =
                |column: &Column| names.iter().any(|name| column.data_type.name.last().eq_ignore_ascii_case(name));
            table.columns.iter().any(is_one)
        };
        if self.makes_adt(&table.name) {
            return "adt";
        }
        let has_key = table.primary_key.is_some() || table.columns.iter().any(|column| column.primary_key);
        let needs_more = has_key || has(&["autoinc"]) && !has(&["rowversion", "modtime"]);
        match self.state.table_type {
            1 => "clipper",
            4 => "vfp",
            _ if needs_more => "vfp",
            _ => "foxpro",
        }
    }

    /// Returns true if a new table of this name is an ADT, by its extension or the program's choice.
    pub(crate) fn makes_adt(&self, name: &ObjectName) -> bool {
        let last = name.last().to_lowercase();
        last.ends_with(".adt") || self.state.table_type == ADS_ADT && !last.ends_with(".dbf")
    }

    fn format(&self, name: &ObjectName) -> Format {
        match self.state.table_type {
            _ if self.makes_adt(name) => Format::Advantage,
            1 => Format::DbaseThree,
            4 => Format::VisualFoxPro,
            _ => Format::FoxPro,
        }
    }

    /// Makes a table with these rows. Columns that are fields of files stay as those are; the others have fields of their types.
    pub(crate) fn table_of(&mut self, name: &ObjectName, rows: &Outcome, fields: &[KeptField]) -> Result<()> {
        let failed = |error: mainstay_types::Error| of_core(&error);
        let format = match (self.format(name), is_temporary(name)) {
            (Format::Advantage, _) => Format::Advantage,
            (_, true) => Format::VisualFoxPro,
            (format, false) => format,
        };
        let field = |(place, column): (usize, &mainstay_area_session::Column)| {
            let kept = fields.get(place).and_then(Option::as_ref);
            let kept = kept.and_then(|(kept, of)| declared_spec(format, &column.name, kept, *of, true));
            kept.map_or_else(|| field_spec(format, &column.name, column.sql_type, true), Ok)
        };
        let kept: mainstay_types::Result<Vec<_>> = rows.columns.iter().enumerate().map(field).collect();
        self.table_with(name, TableSpec::new(format, kept.map_err(failed)?), rows)
    }

    /// Makes a table with these fields and rows.
    fn table_with(&mut self, name: &ObjectName, spec: TableSpec, rows: &Outcome) -> Result<()> {
        let failed = |error: mainstay_types::Error| of_core(&error);
        let is_temporary = is_temporary(name);
        let extension = if spec.format == Format::Advantage { "adt" } else { "dbf" };
        let core = self.new_name(name, is_temporary)?;
        let path = match is_temporary {
            true => self.temporary.folder()?.join(format!("{core}.{extension}")),
            false => self.new_file(name)?,
        };
        let files = Arc::clone(self._database.files());
        let is_taken = if is_temporary { files.stamp(&path).is_ok() } else { is_taken(&path) };
        if is_taken {
            return Err(exists(name));
        }
        let options = WriteOptions::new(Access::Exclusive);
        let filled = || -> mainstay_types::Result<()> {
            writer::create(&*files, &path, &spec, &options)?;
            let mut table = TableWriter::open(Arc::clone(&files), &path, options)?;
            for row in &rows.rows {
                let values: Vec<ValueRef<'_>> = row.iter().map(mainstay_types::Value::as_ref).collect();
                table.append(&values)?;
            }
            table.close()
        };
        // A table with some of its rows is not the one that was asked for.
        filled().map_err(failed).inspect_err(|_| remove_files(&*files, &path))?;
        if is_temporary {
            self.core.attach(&path, &core).map_err(failed)?;
            self.temporary.tables.push((name.last().to_lowercase(), core));
        }
        Ok(())
    }

    /// Makes a table that a statement asks for (SELECT INTO); on a dictionary's connection it is the dictionary's.
    ///
    /// Errors: those of [`Inner::table_of`]; 5054 for a user who may not create tables.
    pub(crate) fn new_table_of(&mut self, name: &ObjectName, rows: &Outcome, fields: &[KeptField]) -> Result<()> {
        let dictionary = self.modules.dictionary.clone().filter(|_| !is_temporary(name));
        if let Some(dictionary) = &dictionary {
            crate::dictionary::require_to_create(dictionary, ADS_DD_TABLE_OBJECT)?;
        }
        self.table_of(name, rows, fields)?;
        match dictionary {
            Some(dictionary) => {
                let path = self.new_file(name)?;
                let table_type = if self.makes_adt(name) { ADS_ADT } else { self.state.table_type };
                let added = crate::dictionary::add_table(&dictionary, name, &path, table_type, &[]);
                added.inspect_err(|_| remove_files(&**self._database.files(), &path))
            }
            None => Ok(()),
        }
    }

    fn new_name(&mut self, name: &ObjectName, is_temporary: bool) -> Result<String> {
        if !is_temporary {
            return Ok(table_name(name));
        }
        if self.temporary.find(name.last()).is_some() {
            return Err(exists(name));
        }
        // Names are the database's in the core, and here the session's.
        let folder = self.temporary.folder()?;
        let own = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(format!(
            "{own}-{}-{}",
            FOLDERS.fetch_add(1, Ordering::Relaxed),
            name.last().trim_start_matches('#').to_lowercase()
        ))
    }

    /// A definition of tables and indexes.
    pub(crate) fn define(&mut self, kind: &StatementKind, _: &Values) -> Ran {
        match kind {
            StatementKind::CreateTable(table) => self.create_table(table)?,
            StatementKind::DropTable(name, keeps_files) => match self.temporary.find(name.last()) {
                Some(_) => self.forget(name),
                None => self.drop_table(name, *keeps_files)?,
            },
            StatementKind::AlterTable(name, actions) => self.alter_table(name, actions)?,
            StatementKind::CreateIndex(index) => self.create_index(index)?,
            StatementKind::DropIndex(name) => match &name.parts[..] {
                [table, index] => {
                    self.drop_index(&ObjectName { parts: vec![table.clone()], span: name.span }, index)?;
                }
                _ => {
                    let text = "Expected lexical element not found: <table>.<index>";
                    return Err(SqlError::at(native::EXPECTED, name.span, text));
                }
            },
            _ => return Err(SqlError::unsupported("this statement")),
        }
        Ok(Outcome::default())
    }

    /// Lets go of a temporary table. A transaction that has it open keeps it until it ends; no other session can have
    /// it open.
    pub(crate) fn forget(&mut self, name: &ObjectName) {
        if let Some(core) = self.temporary.find(name.last()).map(str::to_owned) {
            self.core.detach(&core);
            let folder = self.temporary.folder.clone().unwrap_or_default();
            for extension in ["dbf", "adt"] {
                remove_files(&Disk, &folder.join(format!("{core}.{extension}")));
            }
        }
        self.temporary.tables.retain(|(known, _)| !known.eq_ignore_ascii_case(name.last()));
    }

    fn create_table(&mut self, table: &CreateTable) -> Result<()> {
        let is_adt = self.makes_adt(&table.name);
        if is_temporary(&table.name) && is_adt {
            let field = |column: &Column| {
                let declared = advantage::declared(&column.data_type)?;
                let spec = advantage_spec(Format::Advantage, &column.name.text, &declared, true);
                let unknown = || crate::define::unknown_type(&column.data_type);
                spec.map_err(|error| of_core(&error))?.ok_or_else(unknown)
            };
            let fields = table.columns.iter().map(field).collect::<Result<_>>()?;
            return self.table_with(&table.name, TableSpec::new(Format::Advantage, fields), &Outcome::default());
        }
        if is_temporary(&table.name) {
            let column = |column: &Column| {
                type_name(&column.data_type)?;
                let sql_type = reduce::sql_type(&column.data_type).unwrap_or(SqlType::Integer);
                Ok(mainstay_area_session::Column::new(&column.name.text, sql_type))
            };
            let columns = table.columns.iter().map(column).collect::<Result<_>>()?;
            let rows = Outcome { columns, ..Outcome::default() };
            return self.table_of(&table.name, &rows, &[]);
        }
        let path = self.new_file(&table.name)?;
        if is_taken(&path) {
            return Err(exists(&table.name));
        }
        let columns: Vec<String> = table.columns.iter().map(|one| column(one, is_adt)).collect::<Result<_>>()?;
        let target = quoted(&format!("{}.{}", table_name(&table.name), if is_adt { "adt" } else { "dbf" }));
        let with = match is_adt {
            true => "WITH (FORMAT = adt)".to_owned(),
            false => format!("WITH (FORMAT = dbf, VERSION = {})", self.version(table)),
        };
        self.create_in(&table.name, &format!("CREATE TABLE {target} ({}) {with}", columns.join(", ")))?;
        let name = self.core_name(&table.name)?;
        let of_columns = table.columns.iter().filter(|column| column.primary_key).map(|column| column.name.clone());
        let of_columns: Vec<Name> = of_columns.collect();
        let key = match &table.primary_key {
            Some((index, columns)) => Some((index.clone(), columns.clone())),
            None if of_columns.is_empty() => None,
            None => Some((None, of_columns)),
        };
        let finished = self.finish_table(table, &name, &path, key);
        if finished.is_err() {
            // Without its key it is not the table that was asked for; a file that cannot be removed stays, and is
            // reported.
            let _ = self.core(&format!("DROP TABLE {}", quoted(&name)));
        }
        finished
    }

    /// Adds to a new table all that is outside of its file: its key, and its place in the dictionary.
    fn finish_table(&mut self, table: &CreateTable, name: &str, path: &Path, key: Option<NewKey>) -> Result<()> {
        if let Some((index, columns)) = key {
            let first = columns.first().map(|name| name.text.clone()).unwrap_or_default();
            let index = index.map_or(first, |name| name.text);
            let columns: Vec<String> = columns.iter().map(|column| quoted(&column.text)).collect();
            let (index, table) = (quoted(&index), quoted(name));
            // Without records any NTX of the folder may be a DBF's, and the core would make another.
            let using = if path.extension().is_some_and(|own| own == "adt") { "" } else { " USING cdx" };
            self.core(&format!("CREATE UNIQUE INDEX {index} ON {table}{using} ({})", columns.join(", ")))?;
        }
        let Some(dictionary) = self.modules.dictionary.clone().filter(|_| !table.is_free) else { return Ok(()) };
        let table_type = match self.version(table) {
            "vfp" => ADS_VFP,
            "adt" => ADS_ADT,
            _ => self.state.table_type,
        };
        crate::dictionary::add_table(&dictionary, &table.name, path, table_type, &table.columns)?;
        self.refresh();
        Ok(())
    }

    /// Drops a table; one of the dictionary goes out of it, too.
    fn drop_table(&mut self, name: &ObjectName, keeps_files: bool) -> Result<()> {
        let Some(dictionary) = self.modules.dictionary.clone() else {
            return match keeps_files {
                true => Err(SqlError::at(native::TABLE, name.span, "There is no database to take the table out of")),
                false => self.drop_files(name),
            };
        };
        let folder = self.folder.clone();
        let drop_files = || if keeps_files { Ok(()) } else { self.drop_files(name) };
        crate::dictionary::remove_table(&dictionary, &folder, name, drop_files)?;
        self.refresh();
        Ok(())
    }

    fn drop_files(&mut self, name: &ObjectName) -> Result<()> {
        let core = self.core_name(name)?;
        self.core(&format!("DROP TABLE {}", quoted(&core)))?;
        // A name of the dictionary's is given again when its file is.
        if self.elsewhere(name)?.is_some() {
            self.core.detach(&core);
        }
        Ok(())
    }

    /// Refuses to take all records of a table away at once that others depend on.
    ///
    /// Errors: 5130 for a table of the dictionary that has relations.
    pub(crate) fn may_be_emptied(&self, name: &ObjectName) -> Result<()> {
        match &self.modules.dictionary {
            Some(dictionary) => crate::dictionary::without_relations(dictionary, &self.folder, name),
            None => Ok(()),
        }
    }

    fn alter_table(&mut self, name: &ObjectName, actions: &[TableAction]) -> Result<()> {
        let target = quoted(&self.core_name(name)?);
        let is_adt =
            self.file_of(name).is_ok_and(|file| file.extension().is_some_and(|own| own.eq_ignore_ascii_case("adt")));
        for action in actions {
            match action {
                TableAction::Add(added) => {
                    self.core(&format!("ALTER TABLE {target} ADD COLUMN {}", column(added, is_adt)?))?;
                }
                TableAction::Drop(name) => {
                    self.core(&format!("ALTER TABLE {target} DROP COLUMN {}", quoted(&name.text)))?;
                }
                TableAction::Alter(name, altered) => {
                    let (old, data_type) = (quoted(&name.text), declared_type(&altered.data_type, is_adt)?);
                    self.core(&format!("ALTER TABLE {target} ALTER COLUMN {old} TYPE {data_type}"))?;
                    if !name.is(&altered.name.text) {
                        let new = quoted(&altered.name.text);
                        self.core(&format!("ALTER TABLE {target} RENAME COLUMN {old} TO {new}"))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The file of a table of the core.
    pub(crate) fn file_of(&mut self, table: &ObjectName) -> Result<PathBuf> {
        let name = self.core_name(table)?;
        let tables = self._database.tables().map_err(|error| of_core(&error))?;
        let found = tables.into_iter().find(|known| known.name.eq_ignore_ascii_case(&name)).map(|known| known.path);
        let missing = || SqlError::at(native::TABLE, table.span, format!("Table or alias not found: {}", table.last()));
        found.ok_or_else(missing)
    }

    fn create_word_index(&mut self, index: &CreateIndex, content: &Content) -> Result<()> {
        let [(column, _)] = &index.columns[..] else {
            return Err(SqlError::at(native::EXPECTED, index.table.span, "An index of words is of one column"));
        };
        if self.state.table_type == 1 || index.unique {
            return Err(SqlError::unsupported("an index of words of this kind"));
        }
        let file = self.file_of(&index.table)?;
        let new = WordIndex {
            tag: index.name.text.clone(),
            field: column.text.clone(),
            options: content.options.clone(),
            is_fixed: false,
            keeps_score: content.keeps_score,
        };
        mainstay_workarea::create_word_index(Arc::new(Disk), &file, &new).map_err(|error| of_core(&error))
    }

    /// Drops an index of a table: of words, or a tag.
    fn drop_index(&mut self, table: &ObjectName, index: &Name) -> Result<()> {
        let file = self.file_of(table)?;
        // An error means that the table cannot have word indexes: the index is a tag then.
        if mainstay_workarea::delete_word_index(Arc::new(Disk), &file, &index.text).unwrap_or(false) {
            return Ok(());
        }
        let table = self.core_name(table)?;
        self.core(&format!("DROP INDEX {} ON {}", quoted(&index.text), quoted(&table))).map(drop)
    }

    fn create_index(&mut self, index: &CreateIndex) -> Result<()> {
        if let Some(content) = &index.content {
            return self.create_word_index(index, content);
        }
        let column = |(name, descending): &(Name, bool)| {
            format!("{}{}", quoted(&name.text), if *descending { " DESC" } else { "" })
        };
        let columns: Vec<String> = index.columns.iter().map(column).collect();
        let unique = if index.unique { "UNIQUE " } else { "" };
        let using = if self.state.table_type == 1 { " USING ntx" } else { "" };
        let (name, table) = (quoted(&index.name.text), quoted(&self.core_name(&index.table)?));
        self.core(&format!("CREATE {unique}INDEX {name} ON {table}{using} ({})", columns.join(", ")))?;
        Ok(())
    }
}

fn exists(name: &ObjectName) -> Box<SqlError> {
    SqlError::at(2010, name.span, format!("Table already exists: {}", name.last()))
}

/// A column as the core declares it. What a free table has no place for - defaults, limits, messages - is read and not kept,
/// as the engine does.
fn column(column: &Column, is_adt: bool) -> Result<String> {
    let name = quoted(&column.name.text);
    let not_null = if column.not_null { " NOT NULL" } else { "" };
    Ok(format!("{name} {}{not_null}", declared_type(&column.data_type, is_adt)?))
}

/// A type as the core declares it for a table of one of the two kinds.
fn declared_type(data_type: &DataType, is_adt: bool) -> Result<String> {
    match is_adt {
        true => advantage::declared(data_type).map(|declared| format!("\"ads:{declared}\"")),
        false => type_name(data_type),
    }
}

/// The error for an unknown type name.
pub(crate) fn unknown_type(data_type: &DataType) -> Box<SqlError> {
    SqlError::at(native::TYPE, data_type.span, format!("No such type: {}", data_type.name.last()))
}

/// The core's name of a type. NUMERIC(n, d) counts a place for the point, and so has one digit less.
fn type_name(data_type: &DataType) -> Result<String> {
    let numbers: Vec<u8> = data_type
        .arguments
        .iter()
        .filter_map(|argument| match argument {
            TypeArgument::Number(digits) => digits.parse().ok(),
            _ => None,
        })
        .collect();
    let sql_type = reduce::sql_type(data_type).ok_or_else(|| unknown_type(data_type))?;
    let name = data_type.name.last().to_lowercase();
    // AdsCreateTable maps these types to fields that their values alone do not determine.
    let of_advantage = match name.as_str() {
        "integer" | "int" => Some("integer"),
        "short" | "shortint" | "smallint" | "tinyint" => Some("short"),
        "longint" | "longlong" | "bigint" => Some("longint"),
        "double" | "timestamp" | "time" | "modtime" | "rowversion" => Some(name.as_str()),
        _ => None,
    };
    if let Some(of_advantage) = of_advantage {
        return Ok(format!("\"ads:{of_advantage}\""));
    }
    Ok(match (name.as_str(), sql_type, &numbers[..]) {
        // The help page "DBF Field Types and Specifications" has no such field.
        ("cichar" | "cicharacter", ..) => {
            let text = "CICHAR is a type of ADT tables: a DBF has no field that compares without regard to case";
            return Err(SqlError::at(native::TYPE, data_type.span, text));
        }
        ("autoinc", ..) => "INTEGER GENERATED BY DEFAULT AS IDENTITY".to_owned(),
        ("money" | "curdouble", ..) => "MONEY".to_owned(),
        (_, SqlType::Decimal { .. }, [length, decimals]) if *decimals > 0 && length > decimals => {
            // A sign or digit, the point: what the core makes of it has just this length.
            format!("DECIMAL({}, {decimals})", length.saturating_sub(2).max(*decimals))
        }
        (_, SqlType::Decimal { .. }, [length, ..]) => format!("DECIMAL({}, 0)", length.saturating_sub(1).max(1)),
        (_, SqlType::Decimal { .. }, []) => "DECIMAL(8, 2)".to_owned(),
        ("char" | "character", SqlType::VarChar { .. }, _) => "CHAR(1)".to_owned(),
        (_, SqlType::VarChar { length: Some(length), .. }, _) => format!("CHAR({length})"),
        (_, other, _) => reduce::type_name(other),
    })
}
