//! CREATE TABLE, ALTER TABLE, DROP TABLE, TRUNCATE, PACK of DBF tables.
//!
//! ```sql
//! CREATE TABLE orders (id INTEGER, name CHAR(30), paid BOOLEAN) WITH (FORMAT = dbf, VERSION = vfp, CODEPAGE = cp1252)
//! CREATE TABLE "orders.dbf" (id INTEGER)                          -- the same by the file's name
//! ```
//! `xbase::indexed::columns` maps types to fields. All of these statements lock the table exclusively. A new structure
//! is a new file that replaces the old one when it is complete, and the indexes are rebuilt with it.
//!
//! Limits: these statements are not transactional, and a table cannot be renamed. A DBF has no place for defaults,
//! checks and references.

use super::values::{field_of, table_name};
use crate::writable::WriteSettings;
use mainstay_planner::dialect::FIELD_TYPE;
use mainstay_planner::{AlterTable, Alteration, ColumnClause, Constraint, CreateTable, IndexPart, Name};
use mainstay_types::{Code, Error, Result, SqlType, Value};
use mainstay_vfs::FileSystem;
use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::dbf::{Counter, FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable, advantage_spec, declared_spec, field_spec, spec_of};
use mainstay_xbase::table::{self, DbfTable, Disputed};
use mainstay_xbase::writer::{self, Access, Source};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The endings of names that say what a new table is.
const EXTENSIONS: [(&str, &str); 2] = [("dbf", ".dbf"), ("adt", ".adt")];

/// A DBF table that is to be created.
pub(crate) struct NewTable {
    /// The name it will have.
    pub(crate) name: String,
    path: PathBuf,
    spec: TableSpec,
    code_page: Option<CodePage>,
    /// Keys that no two records may have.
    keys: Vec<IndexSpec>,
}

/// Returns true if a CREATE TABLE is of a DBF: its options or its name say so.
pub(crate) fn is_dbf(create: &CreateTable) -> bool {
    kind_of(create).is_some()
}

/// The extension of the file: as WITH says, or the name.
fn kind_of(create: &CreateTable) -> Option<&'static str> {
    let said = create.options.iter().find(|(name, _)| name == "format").map(|(_, value)| value);
    let is_it = |(kind, ending): &&(&str, &str)| match said {
        Some(said) => said.eq_ignore_ascii_case(kind),
        None => create.name.key.ends_with(ending),
    };
    EXTENSIONS.iter().find(is_it).map(|(kind, _)| *kind)
}

impl NewTable {
    /// The table that CREATE TABLE defines in this folder.
    ///
    /// Errors: `InvalidSetting` for options; `Unsupported` for what a DBF has no place for; those of the fields.
    pub(crate) fn new(folder: &Path, create: &CreateTable) -> Result<NewTable> {
        if create.temporary || create.name.schema.is_some() {
            return Err(Error::new(Code::Unsupported, "a DBF table that is temporary or in a schema"));
        }
        let kind = kind_of(create).unwrap_or("dbf");
        let ending = format!(".{kind}");
        let name = create.name.key.strip_suffix(&ending).unwrap_or(&create.name.key).to_owned();
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '#' | ' ');
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(Error::new(Code::InvalidValue, format!("\"{name}\" is not the name of a file")));
        }
        let (format, code_page) = options(create)?;
        let format = if kind == "adt" { Format::Advantage } else { format };
        let mut fields = Vec::with_capacity(create.columns.len());
        let mut keys = Vec::new();
        for column in &create.columns {
            fields.push(field(format, column)?);
            for constraint in &column.constraints {
                keys.push(key(constraint, create)?);
            }
        }
        for constraint in &create.constraints {
            keys.push(key(constraint, create)?);
        }
        let mut spec = TableSpec::new(format, fields);
        // Nothing in an ADT names the code page: the settings of the folder do.
        if let Some(page) = code_page.filter(|_| format != Format::Advantage) {
            let byte = (1..=u8::MAX).find(|byte| CodePage::from_language_byte(*byte) == Some(page));
            let missing = || {
                let message = format!("a DBF cannot say that its text is in {}", page.name());
                Error::new(Code::InvalidSetting, message)
                    .hint("cp437, cp850, cp852, cp866, windows-1252 and others can")
            };
            spec.language = byte.ok_or_else(missing)?;
        }
        let path = folder.join(format!("{name}{ending}"));
        Ok(NewTable { name, path, spec, code_page, keys })
    }

    /// Creates it. After an error there is nothing.
    pub(crate) fn create(&self, fs: &Arc<dyn FileSystem>, how: WriteSettings) -> Result<()> {
        let mut options = how.options(Access::Exclusive);
        options.code_page = self.code_page;
        writer::create(&**fs, &self.path, &self.spec, &options)?;
        if self.keys.is_empty() {
            return Ok(());
        }
        let made = IndexedTable::open(Arc::clone(fs), &self.path, options).and_then(|mut table| {
            for key in &self.keys {
                table.create_index(None, BagKind::Cdx, key, Building::default())?;
            }
            table.close()
        });
        made.inspect_err(|_| remove_new(fs, &self.path))
    }

    /// Takes it away again, when it could not be filled.
    pub(crate) fn remove(&self, fs: &Arc<dyn FileSystem>) {
        remove_new(fs, &self.path);
    }
}

/// Removes the files of a table that was just made.
fn remove_new(fs: &Arc<dyn FileSystem>, path: &Path) {
    let companions = table::companion_extensions(path).iter().map(|extension| path.with_extension(extension));
    for file in companions.chain([path.to_owned()]) {
        // The error that led here is the one to report. A file whose name has other capitals is not of this table.
        let _ = fs.remove(&file);
    }
}

/// The form and the code page that WITH asks for.
fn options(create: &CreateTable) -> Result<(Format, Option<CodePage>)> {
    let (mut format, mut code_page) = (Format::FoxPro, None);
    for (name, value) in &create.options {
        match name.as_str() {
            "format" if EXTENSIONS.iter().any(|(kind, _)| value.eq_ignore_ascii_case(kind)) => {}
            "version" => format = version(value)?,
            "codepage" | "code_page" => {
                let unknown = || {
                    let error = Error::new(Code::InvalidSetting, format!("no code page \"{value}\""));
                    error.hint("write it as cp437, cp850, windows-1252, mazovia ...")
                };
                code_page = Some(CodePage::by_name(value).ok_or_else(unknown)?);
            }
            _ => {
                let error = Error::new(Code::InvalidSetting, format!("a DBF table has no option {name} = {value}"));
                return Err(error.hint("there are FORMAT = dbf or adt, VERSION and CODEPAGE"));
            }
        }
    }
    Ok((format, code_page))
}

fn version(name: &str) -> Result<Format> {
    Ok(match name.to_lowercase().as_str() {
        "dbase3" | "clipper" | "harbour" => Format::DbaseThree,
        "dbase4" => Format::DbaseFour,
        "foxpro" => Format::FoxPro,
        "six" => Format::Six,
        "vfp" => Format::VisualFoxPro,
        "dbase7" => Format::Dbase7,
        _ => {
            let error = Error::new(Code::InvalidSetting, format!("there is no DBF version \"{name}\""));
            return Err(error.hint("dbase3, clipper, dbase4, foxpro, six, vfp, dbase7"));
        }
    })
}

/// The field of a column.
fn field(format: Format, column: &ColumnClause) -> Result<FieldSpec> {
    let no_place = |what: &str| {
        let message = format!("column {}: a DBF table has no place for {what}", column.name);
        Err(Error::new(Code::Unsupported, message))
    };
    if column.default.is_some() {
        return no_place("a default");
    }
    if column.computed.is_some() {
        return no_place("a computed column");
    }
    let (name, nullable) = (&column.name.written, !column.not_null);
    let mut field = field_for(format, name, column.sql_type, column.declared.as_deref(), nullable)?;
    if column.identity.is_some() {
        let steps = &column.identity_steps;
        let (Ok(next), Ok(step)) = (u32::try_from(steps.start.unwrap_or(1)), u8::try_from(steps.increment)) else {
            return no_place("a counter that begins below 0 or steps by more than 255");
        };
        field = match format {
            Format::VisualFoxPro => FieldSpec::new(&column.name.written, b'I', 4, 0),
            Format::DbaseFour => return no_place("a column that counts"),
            Format::Advantage if step != 1 => return no_place("a counter that does not step by 1"),
            Format::Advantage => field_of_type(&column.name.written, Type::AutoIncrement, 4, 0),
            _ => FieldSpec::new(&column.name.written, b'+', 4, 0),
        };
        field.counter = Some(Counter { next, step });
    }
    Ok(field)
}

/// The field that a type becomes, as it was declared where that says more: by the field that it comes from, or in a dialect.
fn field_for(
    format: Format,
    name: &str,
    sql_type: SqlType,
    declared: Option<&str>,
    nullable: bool,
) -> Result<FieldSpec> {
    let of_dialect = declared.and_then(|declared| declared.strip_prefix(FIELD_TYPE));
    let of_dialect = of_dialect.map_or(Ok(None), |declared| advantage_spec(format, name, declared, nullable))?;
    let of_file = || declared_spec(format, name, declared?, sql_type, nullable);
    of_dialect.or_else(of_file).map_or_else(|| field_spec(format, name, sql_type, nullable), Ok)
}

/// PRIMARY KEY and UNIQUE of one column, as a candidate tag.
fn key(constraint: &Constraint, create: &CreateTable) -> Result<IndexSpec> {
    let (name, columns): (&Option<Name>, &[IndexPart]) = match constraint {
        Constraint::PrimaryKey { name, columns } | Constraint::Unique { name, columns, .. } => (name, columns),
        Constraint::Check { .. } => return Err(Error::new(Code::Unsupported, "a DBF table has no place for a CHECK")),
        Constraint::ForeignKey(_) => {
            return Err(Error::new(Code::Unsupported, "a DBF table has no place for a reference"));
        }
    };
    let [column] = columns else {
        let error = Error::new(Code::Unsupported, format!("a key of several columns in the DBF table {}", create.name));
        return Err(error.hint("CREATE UNIQUE INDEX ... ON ... takes several columns"));
    };
    let field = column.column.written.to_uppercase();
    let tag = name.as_ref().map_or(field.as_str(), |name| name.written.as_str());
    Ok(IndexSpec { candidate: true, ..IndexSpec::new(&tag.to_uppercase(), field.into_bytes()) })
}

/// Opens a table for one who is alone.
pub(super) fn open_alone(table: &DbfTable, how: WriteSettings) -> Result<IndexedTable> {
    table.writer(how.options(Access::Exclusive))
}

/// ALTER TABLE. `default` evaluates the text of a default.
pub(super) fn alter_table(
    table: &DbfTable,
    alter: &AlterTable,
    how: WriteSettings,
    default: &dyn Fn(&str) -> Result<Value>,
) -> Result<()> {
    let mut open = open_alone(table, how)?;
    let mut spec = spec_of(open.dbf(), open.memo());
    let mut sources: Vec<Source> = (0..spec.fields.len()).map(Source::Field).collect();
    for change in &alter.changes {
        restructure(table, change, &mut spec, &mut sources, default)?;
    }
    open.restructure(&spec, &sources, &mut |_, _| ControlFlow::Continue(()))?;
    open.close()
}

fn restructure(
    table: &DbfTable,
    change: &Alteration,
    spec: &mut TableSpec,
    sources: &mut Vec<Source>,
    default: &dyn Fn(&str) -> Result<Value>,
) -> Result<()> {
    let place_of = |spec: &TableSpec, name: &Name| {
        let place = spec.fields.iter().position(|field| field.name.to_lowercase() == name.key);
        // The error is that of a column which the table never had.
        place.map_or_else(|| field_of(table, name), Ok)
    };
    match change {
        Alteration::AddColumn { clause, if_not_exists: true }
            if spec.fields.iter().any(|field| field.name.to_lowercase() == clause.name.key) => {}
        Alteration::AddColumn { clause, .. } => {
            let plain = ColumnClause { default: None, ..clause.as_ref().clone() };
            if !clause.constraints.is_empty() {
                return Err(Error::new(Code::Unsupported, "ADD COLUMN with a key in a DBF table")
                    .hint("add the column, then CREATE UNIQUE INDEX"));
            }
            spec.fields.push(field(spec.format, &plain)?);
            sources.push(match &clause.default {
                // Existing records get the default; new ones are blank.
                Some(text) => Source::Value(default(text)?),
                None => Source::Blank,
            });
        }
        Alteration::DropColumn { name, if_exists } => match place_of(spec, name) {
            Ok(place) => {
                spec.fields.remove(place);
                sources.remove(place);
            }
            Err(error) if *if_exists && error.code() == Code::UnknownColumn => {}
            Err(error) => return Err(error),
        },
        Alteration::RenameColumn { from, to } => {
            let place = place_of(spec, from)?;
            spec.fields[place].name = to.written.clone();
        }
        // It has none.
        Alteration::Enable { name: None, .. } => {}
        Alteration::Enable { name: Some(name), .. } => {
            return Err(Error::new(Code::Unsupported, format!("constraint {name} of a DBF table")));
        }
        Alteration::SetType(to) => {
            if to.using.is_some() {
                return Err(Error::new(Code::Unsupported, "USING of a new type in a DBF table")
                    .hint("change the type, then UPDATE the table"));
            }
            let place = place_of(spec, &to.column)?;
            let old = &spec.fields[place];
            // In the old file a field that could be blank was nullable.
            let (name, nullable) = (old.name.clone(), old.nullable || b"NFDLT@".contains(&old.letter));
            let declared = to.declared.as_deref();
            spec.fields[place] = field_for(spec.format, &name, to.sql_type, declared, nullable)?;
        }
        Alteration::SetNotNull { column, not_null } => {
            let place = place_of(spec, column)?;
            spec.fields[place].nullable = !not_null;
        }
        Alteration::Rename(_) => {
            let error = Error::new(Code::Unsupported, format!("renaming the DBF table {}", table_name(table)));
            return Err(error.hint("its files can be renamed while nobody has them open"));
        }
        Alteration::AddConstraint { .. } | Alteration::DropConstraint { .. } | Alteration::RenameConstraint { .. } => {
            let error = Error::new(Code::Unsupported, "constraints of a DBF table");
            return Err(error.hint("CREATE UNIQUE INDEX and DROP INDEX change its keys"));
        }
        Alteration::SetDefault { .. } => {
            return Err(Error::new(Code::Unsupported, "a DBF table has no place for a default"));
        }
    }
    Ok(())
}

/// DROP TABLE: the table's file, its memo file, its index files; not those that may as well be another table's.
pub(super) fn drop_table(table: &DbfTable, how: WriteSettings) -> Result<()> {
    let open = table.writer_with(how.options(Access::Exclusive), Disputed::LeftAlone)?;
    let fs = Arc::clone(open.file_system());
    let mut files = vec![table.path().to_owned()];
    files.extend(open.memo().map(|memo| memo.path().to_owned()));
    files.extend(open.bags().map(Path::to_owned));
    // The table first: without it the others mean nothing.
    files.iter().try_for_each(|file| fs.remove(file))?;
    // Closing would write to it.
    open.close()
}

/// TRUNCATE and ZAP: how many records there were, deleted ones included.
pub(super) fn zap(table: &DbfTable, how: WriteSettings) -> Result<u64> {
    let mut open = open_alone(table, how)?;
    let count = open.count()?;
    open.zap()?;
    open.close().map(|()| count)
}

/// PACK: how many deleted records were removed.
pub(super) fn pack(table: &DbfTable, how: WriteSettings) -> Result<u64> {
    let mut open = open_alone(table, how)?;
    let before = open.count()?;
    open.pack(&mut |_, _| ControlFlow::Continue(()))?;
    let removed = before.saturating_sub(open.count()?);
    open.close().map(|()| removed)
}
