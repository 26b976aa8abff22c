//! The system tables: the objects of the folder, as rows. Source: the help page "System Tables".
//!
//! A system table is a list of literals in the statement that names it. Columns that only a dictionary has values for
//! are NULL in a folder, and tables that only a dictionary has ([`crate::system_dictionary`]) are empty.

use crate::modules::{Kind, Modules};
use mainstay_data_dictionary::Contents;
use mainstay_data_dictionary::constants::*;
use mainstay_engine::{Database, TableInfo};
use mainstay_xbase::adt::Type;

/// ACE's numbers of the types of fields, by the letter of a DBF field.
const FIELD_TYPES: [(char, i32); 18] = [
    ('L', 1),
    ('N', 2),
    ('F', 2),
    ('D', 3),
    ('C', 4),
    ('M', 5),
    ('G', 6),
    ('P', 7),
    ('W', 6),
    ('V', 24),
    ('B', 10),
    ('I', 11),
    ('T', 14),
    ('+', 15),
    ('Q', 25),
    ('Y', 18),
    ('^', 21),
    ('=', 22),
];

/// A cell of a system table, as the core writes it.
pub(crate) type Cell = String;

/// Columns with the types that they have when there is no row.
pub(crate) type Columns = &'static [(&'static str, &'static str)];

pub(crate) fn null() -> Cell {
    "NULL".to_owned()
}

pub(crate) fn text(value: impl AsRef<str>) -> Cell {
    format!("'{}'", value.as_ref().replace('\'', "''"))
}

pub(crate) fn optional(value: Option<&str>) -> Cell {
    value.map_or_else(|| "NULL".to_owned(), text)
}

/// Columns and rows.
pub(crate) struct Rows {
    pub(crate) columns: Columns,
    pub(crate) rows: Vec<Vec<Cell>>,
}

const PACKAGES: &[(&str, &str)] = &[("Name", "VARCHAR"), ("Comment", "VARCHAR")];

const TABLES: &[(&str, &str)] = &[
    ("Name", "VARCHAR"),
    ("Table_Relative_Path", "VARCHAR"),
    ("Table_Type", "INTEGER"),
    ("Table_Auto_Create", "BOOLEAN"),
    ("Table_Primary_Key", "VARCHAR"),
    ("Table_Default_Index", "VARCHAR"),
    ("Table_Encryption", "BOOLEAN"),
    ("Table_Permission_Level", "INTEGER"),
    ("Table_Memo_Block_Size", "INTEGER"),
    ("Table_Validation_Expr", "VARCHAR"),
    ("Table_Validation_Msg", "VARCHAR"),
    ("Comment", "VARCHAR"),
    ("User_Defined_Prop", "VARBINARY"),
    ("Triggers_Disabled", "BOOLEAN"),
    ("Table_Caching", "INTEGER"),
    ("Table_Trans_Free", "BOOLEAN"),
    ("Table_WEB_Delta", "BOOLEAN"),
    ("Table_Concurrency_Enabled", "BOOLEAN"),
];

const COLUMNS: &[(&str, &str)] = &[
    ("Name", "VARCHAR"),
    ("Parent", "VARCHAR"),
    ("Field_Num", "INTEGER"),
    ("Field_Type", "INTEGER"),
    ("Field_Length", "INTEGER"),
    ("Field_Decimal", "INTEGER"),
    ("Field_Min_Value", "VARCHAR"),
    ("Field_Max_Value", "VARCHAR"),
    ("Field_Can_Be_Null", "BOOLEAN"),
    ("Field_Default_Value", "VARCHAR"),
    ("Field_Validation_Msg", "VARCHAR"),
    ("Comment", "VARCHAR"),
    ("User_Defined_Prop", "VARBINARY"),
    ("Field_Options", "INTEGER"),
];

const INDEXES: &[(&str, &str)] = &[
    ("Name", "VARCHAR"),
    ("Parent", "VARCHAR"),
    ("Index_File_Name", "VARCHAR"),
    ("Index_Expression", "VARCHAR"),
    ("Index_Condition", "VARCHAR"),
    ("Index_Options", "INTEGER"),
    ("Index_Key_Length", "INTEGER"),
    ("Index_FTS_Min_Length", "INTEGER"),
    ("Index_FTS_Delimiters", "VARCHAR"),
    ("Index_FTS_Noise", "VARCHAR"),
    ("Index_FTS_Drop_Chars", "VARCHAR"),
    ("Index_FTS_Conditional_Chars", "VARCHAR"),
    ("Comment", "VARCHAR"),
    ("Index_Collation", "VARCHAR"),
];

const INDEX_FILES: &[(&str, &str)] =
    &[("Name", "VARCHAR"), ("Parent", "VARCHAR"), ("Index_File_Path", "VARCHAR"), ("Index_File_PageSize", "INTEGER")];

const VIEWS: &[(&str, &str)] =
    &[("Name", "VARCHAR"), ("View_Stmt_Len", "INTEGER"), ("View_Stmt", "VARCHAR"), ("Comment", "VARCHAR")];

const PROCEDURES: &[(&str, &str)] = &[
    ("Name", "VARCHAR"),
    ("Proc_Input", "VARCHAR"),
    ("Proc_Output", "VARCHAR"),
    ("Proc_DLL_Name", "VARCHAR"),
    ("Proc_DLL_Function_Name", "VARCHAR"),
    ("Comment", "VARCHAR"),
    ("Proc_Invoke_Option", "INTEGER"),
    ("SQL_Script", "VARCHAR"),
];

const FUNCTIONS: &[(&str, &str)] = &[
    ("Name", "VARCHAR"),
    ("Package", "VARCHAR"),
    ("Return Type", "VARCHAR"),
    ("Input Parameters", "VARCHAR"),
    ("Implementation", "VARCHAR"),
    ("Comment", "VARCHAR"),
    ("User_Defined_Prop", "VARBINARY"),
];

const TRIGGERS: &[(&str, &str)] = &[
    ("Name", "VARCHAR"),
    ("Trig_TableName", "VARCHAR"),
    ("Trig_Event_Type", "INTEGER"),
    ("Trig_Trigger_Type", "INTEGER"),
    ("Trig_Container_Type", "INTEGER"),
    ("Trig_Container", "VARCHAR"),
    ("Trig_Function_Name", "VARCHAR"),
    ("Trig_Priority", "INTEGER"),
    ("Trig_Options", "INTEGER"),
    ("Comment", "VARCHAR"),
];

/// The system tables with a twin for clients without Unicode, `system.ansi_...`.
const ANSI_VIEWS: [&str; 7] =
    ["tables", "columns", "views", "storedprocedures", "functions", "triggers", "publicationarticles"];

/// The FROM item for a system table; `None` if there is no system table of this name.
pub(crate) fn table(name: &str, database: &Database, modules: &Modules) -> mainstay_types::Result<Option<String>> {
    // Temporary tables of this and other sessions are left out.
    let all = || -> mainstay_types::Result<Vec<TableInfo>> {
        let mut tables = database.tables()?;
        tables.retain(|table| !table.name.starts_with(crate::define::PREFIX));
        Ok(tables)
    };
    // The views for clients without Unicode have the same columns: texts of the one are those of the other here.
    let plain = name.strip_prefix("ansi_").filter(|plain| ANSI_VIEWS.contains(plain)).unwrap_or(name);
    let rows = match plain {
        "iota" => return Ok(Some("(SELECT 1 AS \"iota\")".to_owned())),
        "tables" => tables(&all()?, modules.contents()),
        "columns" => columns(&all()?, modules.contents()),
        "indexes" => indexes(&all()?),
        "indexfiles" => index_files(&all()?),
        "views" => of_modules(modules, Kind::View, VIEWS, |module| {
            vec![text(&module.name), module.body().len().to_string(), text(module.body()), null()]
        }),
        "storedprocedures" => of_modules(modules, Kind::Procedure, PROCEDURES, |module| {
            let (input, output) = module.signature();
            // They are scripts: neither a library nor a way to call one.
            let library = [null(), null(), null(), null()];
            let cells = [text(&module.name), text(input), text(output)].into_iter().chain(library);
            cells.chain([text(module.body())]).collect()
        }),
        "functions" => of_modules(modules, Kind::Function, FUNCTIONS, |module| {
            let (package, name) = module.name.rsplit_once('.').unwrap_or(("", &module.name));
            let package = Some(package).filter(|package| !package.is_empty());
            let (input, output) = module.signature();
            vec![text(name), optional(package), text(output), text(input), text(module.body()), null(), null()]
        }),
        "triggers" => triggers(modules),
        "packages" => packages(modules),
        name => {
            let dictionary = modules.dictionary.as_deref().zip(modules.contents());
            match crate::system_dictionary::table(name, dictionary) {
                Some(rows) => rows,
                None => return Ok(None),
            }
        }
    };
    Ok(Some(query(&rows)))
}

/// The rows as a query of the core.
fn query(rows: &Rows) -> String {
    let line = |cells: Vec<String>| {
        let named = cells
            .iter()
            .zip(rows.columns)
            .map(|(cell, (name, data_type))| format!("CAST({cell} AS {data_type}) AS \"{}\"", name.to_lowercase()));
        format!("SELECT {}", named.collect::<Vec<_>>().join(", "))
    };
    if rows.rows.is_empty() {
        let none = line(vec!["NULL".to_owned(); rows.columns.len()]);
        return format!("({none} WHERE FALSE)");
    }
    // One list of literals: a table of many columns is no tree of many SELECTs.
    let values: Vec<String> = rows.rows.iter().map(|row| format!("({})", row.join(", "))).collect();
    let heads = (1..=rows.columns.len()).map(|place| format!("column{place}")).collect();
    format!("({} FROM (VALUES {}) AS \"#rows\")", line(heads), values.join(", "))
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// ADS_NTX, ADS_CDX, ADS_ADT or ADS_VFP.
fn table_type(table: &TableInfo) -> i32 {
    let is_ntx = |index: &mainstay_engine::IndexInfo| {
        index.file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ntx"))
    };
    match table.kind.as_str() {
        _ if table.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("adt")) => 3,
        kind if kind.starts_with("Visual FoxPro") => 4,
        _ if table.indexes.iter().any(is_ntx) => 1,
        _ => 2,
    }
}

fn tables(tables: &[TableInfo], contents: Option<&Contents>) -> Rows {
    let row = |table: &TableInfo| {
        let known = contents.and_then(|contents| contents.find(ADS_DD_TABLE_OBJECT, "", &table.name));
        let of = |property: u32| optional(known.and_then(|known| known.text(property)));
        let number = |property: u32| known.map_or(0, |known| known.number(property));
        let is_on = |property: u32| if number(property) != 0 { "TRUE" } else { "FALSE" }.to_owned();
        let path =
            known.and_then(|known| known.text(ADS_DD_TABLE_PATH)).map_or_else(|| file_name(&table.path), str::to_owned);
        vec![
            text(known.map_or(&table.name, |known| &known.name)),
            text(path),
            table_type(table).to_string(),
            is_on(ADS_DD_TABLE_AUTO_CREATE),
            of(ADS_DD_TABLE_PRIMARY_KEY),
            of(ADS_DD_TABLE_DEFAULT_INDEX),
            "FALSE".to_owned(),
            number(ADS_DD_TABLE_PERMISSION_LEVEL).to_string(),
            null(),
            of(ADS_DD_TABLE_VALIDATION_EXPR),
            of(ADS_DD_TABLE_VALIDATION_MSG),
            of(ADS_DD_COMMENT),
            null(),
            is_on(ADS_DD_TRIGGERS_DISABLED),
            number(ADS_DD_TABLE_CACHING).to_string(),
            is_on(ADS_DD_TABLE_TXN_FREE),
            is_on(ADS_DD_TABLE_WEB_DELTA),
            is_on(ADS_DD_TABLE_CONCURRENCY_ENABLED),
        ]
    };
    Rows { columns: TABLES, rows: tables.iter().map(row).collect() }
}

/// The packages that functions are in.
fn packages(modules: &Modules) -> Rows {
    let functions = modules.of_kind(Kind::Function);
    let mut names: Vec<String> =
        functions.filter_map(|module| Some(module.name.rsplit_once('.')?.0.to_owned())).collect();
    names.sort();
    names.dedup();
    Rows { columns: PACKAGES, rows: names.into_iter().map(|name| vec![text(name), null()]).collect() }
}

/// The type of an ADT's field as [`native`] has it: `CICharacter(12)`.
fn type_of_adt(native_type: &str) -> Option<Type> {
    let name = native_type.split_once('(').map_or(native_type, |(name, _)| name);
    Type::of_name(name).filter(|_| name.len() > 1)
}

/// The letter of a field, or of a DBF's field for the same values.
pub(crate) fn letter(native_type: &str) -> char {
    let Some(kind) = type_of_adt(native_type) else { return native_type.chars().next().unwrap_or('C') };
    match kind {
        Type::Logical => 'L',
        Type::Numeric => 'N',
        Type::Date => 'D',
        Type::Memo | Type::NMemo => 'M',
        Type::Binary | Type::Image => 'W',
        Type::Double | Type::CurDouble => 'B',
        Type::Integer | Type::ShortInt | Type::LongInt => 'I',
        Type::Time | Type::TimeStamp => 'T',
        Type::AutoIncrement => '+',
        Type::Money => 'Y',
        Type::RowVersion => '^',
        Type::ModTime => '=',
        Type::VarChar | Type::NVarChar => 'V',
        Type::Raw | Type::VarBinary | Type::Guid | Type::Other(_) => 'Q',
        Type::Character | Type::CiCharacter | Type::NChar => 'C',
    }
}

/// ACE's number, length and decimals of `N(8,2)`; of an ADT's field the length counts characters.
pub(crate) fn native(native_type: &str) -> (i32, u32, u32) {
    let letter = native_type.chars().next().unwrap_or(' ');
    let known = FIELD_TYPES.iter().find(|(known, _)| *known == letter).map_or(0, |(_, number)| *number);
    let inside = native_type.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
    let mut numbers = inside.split(',').map(|number| number.trim().parse().unwrap_or(0));
    let (length, decimals) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    // ADS_SHORTINT, ADS_LONGLONG and ADS_TIME.
    let known = match (letter, length) {
        ('I', 2) => 12,
        ('I', 8) => 19,
        ('T', 4) => 13,
        _ => known,
    };
    let Some(kind) = type_of_adt(native_type) else { return (known, length, decimals) };
    let length = match kind {
        Type::VarChar | Type::VarBinary => length.saturating_sub(2),
        Type::NChar => length / 2,
        Type::NVarChar => (length / 2).saturating_sub(1),
        _ => length,
    };
    (kind.code().into(), length, decimals)
}

fn columns(tables: &[TableInfo], contents: Option<&Contents>) -> Rows {
    let mut rows = Vec::new();
    for table in tables {
        let owner = contents.and_then(|contents| contents.find(ADS_DD_TABLE_OBJECT, "", &table.name));
        for (place, column) in table.columns.iter().enumerate() {
            let (kind, length, decimals) = native(&column.native_type);
            let known = contents.and_then(|contents| contents.find(ADS_DD_FIELD_OBJECT, &table.name, &column.name));
            let of = |property: u32| optional(known.and_then(|known| known.text(property)));
            let needs_value = known.and_then(|known| known.properties.get(&ADS_DD_FIELD_CAN_NULL)?.number()) == Some(0);
            rows.push(vec![
                text(&column.name),
                text(owner.map_or(&table.name, |owner| &owner.name)),
                (place + 1).to_string(),
                kind.to_string(),
                length.to_string(),
                decimals.to_string(),
                of(ADS_DD_FIELD_MIN_VALUE),
                of(ADS_DD_FIELD_MAX_VALUE),
                if column.nullable && !needs_value { "TRUE" } else { "FALSE" }.to_owned(),
                of(ADS_DD_FIELD_DEFAULT_VALUE),
                of(ADS_DD_FIELD_VALIDATION_MSG),
                of(ADS_DD_COMMENT),
                null(),
                known.map_or(0, |known| known.number(ADS_DD_FIELD_OPTIONS)).to_string(),
            ]);
        }
    }
    Rows { columns: COLUMNS, rows }
}

/// ADS_UNIQUE and ADS_DESCENDING.
fn index_options(index: &mainstay_engine::IndexInfo) -> i32 {
    i32::from(index.unique) + if index.descending { 8 } else { 0 }
}

fn indexes(tables: &[TableInfo]) -> Rows {
    let mut rows = Vec::new();
    for table in tables {
        for index in &table.indexes {
            let mut row = vec![
                text(&index.name),
                text(&table.name),
                text(file_name(&index.file)),
                text(&index.key),
                optional(index.condition.as_deref()),
                index_options(index).to_string(),
            ];
            // The key's length, what full-text indexes have, the comment, and the collation of an index that has one of its own.
            row.resize(INDEXES.len(), null());
            rows.push(row);
        }
    }
    Rows { columns: INDEXES, rows }
}

fn index_files(tables: &[TableInfo]) -> Rows {
    let mut rows = Vec::new();
    for table in tables {
        let mut files: Vec<String> = table.indexes.iter().map(|index| file_name(&index.file)).collect();
        files.sort();
        files.dedup();
        for file in files {
            rows.push(vec![text(&file), text(&table.name), text(&file), "512".to_owned()]);
        }
    }
    Rows { columns: INDEX_FILES, rows }
}

fn of_modules(
    modules: &Modules,
    kind: Kind,
    columns: &'static [(&'static str, &'static str)],
    row: impl Fn(&crate::modules::Stored) -> Vec<Cell>,
) -> Rows {
    Rows { columns, rows: modules.of_kind(kind).map(|module| row(module)).collect() }
}

fn triggers(modules: &Modules) -> Rows {
    of_modules(modules, Kind::Trigger, TRIGGERS, |module| {
        let (Some(trigger), Some((event, time, _))) = (module.trigger(), module.trigger_numbers()) else {
            return vec!["NULL".to_owned(); TRIGGERS.len()];
        };
        vec![
            text(module.name.rsplit('.').next().unwrap_or(&module.name)),
            text(crate::modules::table_key(&trigger.table)),
            event.to_string(),
            time.to_string(),
            "3".to_owned(),
            text(module.body()),
            "NULL".to_owned(),
            trigger.priority.to_string(),
            "0".to_owned(),
            "NULL".to_owned(),
        ]
    })
}
