//! System procedures that are more than one call: tables and their indexes, and lists of objects.

use crate::runner::Runner;
use crate::session::Result;
use crate::system_procedures::{Passed, calls};
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::reduce::quoted;
use mainstay_ads_syntax::tree::{Name, ObjectName};
use mainstay_ads_types::convert::text_type;
use mainstay_area_session::{Column, Outcome};
use mainstay_area_session::{Given, NewIndex, On};
use mainstay_data_dictionary::constants::*;
use mainstay_types::{SqlType, Value};
use mainstay_xbase::dbf::{Dbf, OpenOptions};
use mainstay_xbase::memo::Memo;
use mainstay_xbase::table::sibling;
use std::sync::Arc;

/// Bytes before the first block of a memo file.
const MEMO_HEADER: i64 = 512;

/// The tables that a dictionary or a folder has as `system.name`.
const SYSTEM_TABLES: [&str; 21] = [
    "columns",
    "dictionary",
    "effectivepermissions",
    "functions",
    "indexes",
    "indexfiles",
    "iota",
    "links",
    "objects",
    "packages",
    "permissions",
    "publications",
    "relations",
    "storedprocedures",
    "subscriptions",
    "tables",
    "triggers",
    "usergroupmembers",
    "usergroups",
    "users",
    "views",
];

pub(crate) fn text(text: impl AsRef<str>) -> Value {
    Value::Text(text.as_ref().to_owned())
}

pub(crate) fn number(number: impl TryInto<i64>) -> Value {
    Value::Integer(number.try_into().unwrap_or(i64::MAX))
}

/// Columns by their names: those that begin with `#` are whole numbers, with `?` truths, the others texts.
pub(crate) fn rows(columns: &[&str], rows: Vec<Vec<Value>>) -> Outcome {
    let column = |name: &&str| {
        let (name, sql_type) = match name.split_at_checked(1) {
            Some(("#", name)) => (name, SqlType::Integer),
            Some(("?", name)) => (name, SqlType::Boolean),
            _ => (*name, text_type()),
        };
        Column::new(name, sql_type)
    };
    let columns = columns.iter().map(column).collect();
    crate::answer::measured(Outcome { columns, rows, ..Outcome::default() })
}

/// A table as a statement names it.
fn named(table: &str) -> ObjectName {
    let name = Name { text: table.to_owned(), quoted: true, ..Name::default() };
    ObjectName { parts: vec![name], ..ObjectName::default() }
}

/// Returns true if a name matches a pattern, in which `%` stands for any characters and `_` for one; without a pattern
/// it always does.
fn is_like(name: &str, pattern: Option<&str>) -> bool {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let Some(pattern) = pattern.map(letters) else { return true };
    let name = letters(name);
    let (mut at, mut next) = (0, 0);
    // The place of the last `%`, and the number of characters that it stands for so far.
    let mut back = None;
    while at < name.len() {
        match pattern.get(next) {
            Some('%') => {
                back = Some((next, at));
                next += 1;
            }
            Some(letter) if *letter == '_' || name.get(at) == Some(letter) => (at, next) = (at + 1, next + 1),
            _ => match &mut back {
                Some((star, from)) => {
                    *from += 1;
                    (at, next) = (*from, *star + 1);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(next).all(|letter| *letter == '%')
}

impl Runner<'_> {
    /// Runs a statement of the core over a whole table, for users with these rights to it.
    fn whole(&mut self, verb: &str, table: &str, rights: u32) -> Result<Outcome> {
        let name = named(table);
        self.inner.permitted_whole(&name, rights)?;
        if verb == "ZAP" {
            self.inner.may_be_emptied(&name)?;
        }
        let core = quoted(&self.inner.core_name(&name)?);
        self.inner.core(&format!("{verb} {core}")).map(|_| Outcome::default())
    }
}

pub(crate) fn pack(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    if given.number(1) != 0 {
        return Err(SqlError::unsupported("another block size for the memo file"));
    }
    runner.whole("PACK", given.text(0)?, ADS_PERMISSION_ALTER)
}

pub(crate) fn zap(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    runner.whole("ZAP", given.text(0)?, ADS_PERMISSION_ALTER | ADS_PERMISSION_DELETE)
}

pub(crate) fn reindex(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    runner.whole("REINDEX", given.text(0)?, ADS_PERMISSION_ALTER)
}

/// The options of a procedure that works beside others: how long it waits for them. It does not wait for other users
/// here.
fn waits_only(given: &Passed<'_>, place: usize) -> Result<()> {
    let options = given.optional(place).unwrap_or_default();
    let mut options = options.split(';').map(|option| option.trim().to_ascii_lowercase());
    match options.all(|option| option.is_empty() || option.starts_with("timeout=")) {
        true => Ok(()),
        false => Err(SqlError::unsupported("these options of a table that is made anew")),
    }
}

pub(crate) fn pack_online(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    waits_only(given, 1)?;
    runner.whole("PACK", given.text(0)?, ADS_PERMISSION_ALTER)
}

pub(crate) fn reindex_online(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    waits_only(given, 1)?;
    runner.whole("REINDEX", given.text(0)?, ADS_PERMISSION_ALTER)
}

pub(crate) fn pack_all(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    waits_only(given, 0)?;
    for table in table_names(runner)? {
        runner.whole("PACK", &table, ADS_PERMISSION_ALTER)?;
    }
    Ok(Outcome::default())
}

pub(crate) fn create_index(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let table = named(given.text(0)?);
    runner.inner.permitted_whole(&table, ADS_PERMISSION_ALTER)?;
    if runner.inner.core.is_in_transaction() {
        return Err(SqlError::unsupported("making an index in a transaction"));
    }
    let owned = |place: usize| given.optional(place).map(str::to_owned);
    let new = NewIndex {
        file: owned(1),
        tag: owned(2),
        expression: given.text(3)?.to_owned(),
        condition: owned(4),
        options: given.number(5),
        collation: owned(7),
    };
    if let Some(file) = &new.file
        && runner.inner.state.stays_in_folder
        && file.contains(['/', '\\'])
    {
        return Err(given.wrong("A file outside the folder"));
    }
    // The file is found as statements find it; a dictionary may call the table otherwise.
    let path = runner.inner.file_of(&table)?;
    let table_type = runner.inner.state.table_type;
    let files = Arc::clone(runner.inner._database.files());
    let folder = runner.inner.folder.clone();
    let calls = calls(runner.inner)?;
    let made = match &runner.inner.modules.dictionary {
        Some(dictionary) => calls.create_index(On::Dictionary(dictionary), given.text(0)?, table_type, new),
        None => calls.create_index(On::Folder(&files, &folder), &path.to_string_lossy(), table_type, new),
    };
    made.map_err(crate::dictionary::failed)?;
    Ok(Outcome::default())
}

/// The tables of the folder, or of the dictionary.
fn table_names(runner: &mut Runner<'_>) -> Result<Vec<String>> {
    if let Some(contents) = runner.inner.modules.contents() {
        return Ok(contents.all(ADS_DD_TABLE_OBJECT).map(|table| table.name.clone()).collect());
    }
    let tables = runner.inner._database.tables().map_err(|error| crate::failure::of_core(&error))?;
    let names = tables.into_iter().map(|table| table.name);
    Ok(names.filter(|name| !name.starts_with(crate::define::PREFIX)).collect())
}

pub(crate) fn tables(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let wanted = given.optional(3).map(str::to_ascii_uppercase);
    let is_wanted = |kind: &str| wanted.as_ref().is_none_or(|wanted| wanted.split(';').any(|one| one.trim() == kind));
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut add = |kind: &'static str, names: Vec<String>| {
        if is_wanted(kind) {
            found.extend(names.into_iter().map(|name| (kind, name)));
        }
    };
    add("LOCAL TEMPORARY", runner.inner.temporary.names().map(str::to_owned).collect());
    add("SYSTEM TABLE", SYSTEM_TABLES.iter().map(|name| (*name).to_owned()).collect());
    add("TABLE", table_names(runner)?);
    let views = runner.inner.modules.of_kind(crate::modules::Kind::View);
    add("VIEW", views.map(|view| view.name.clone()).collect());
    found.retain(|(_, name)| is_like(name, given.optional(2)));
    found.sort_by_key(|(kind, name)| (*kind, name.to_lowercase()));
    let contents = runner.inner.modules.contents();
    let comment = |kind: &str, name: &str| {
        let of = if kind == "VIEW" { ADS_DD_VIEW_OBJECT } else { ADS_DD_TABLE_OBJECT };
        let comment = contents.and_then(|contents| contents.find(of, "", name)?.text(ADS_DD_COMMENT));
        comment.map_or(Value::Null, text)
    };
    let row =
        |(kind, name): &(&str, String)| vec![Value::Null, Value::Null, text(name), text(kind), comment(kind, name)];
    let all = found.iter().map(row).collect();
    Ok(rows(&["TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE", "REMARKS"], all))
}

/// A type as ODBC numbers and names it, by the letter and the length of its field, and the bytes that a value takes there.
fn odbc_type(letter: char, length: i64) -> (i64, &'static str, i64) {
    match letter {
        'L' => (-7, "LOGICAL", 1),
        'N' | 'F' => (2, "NUMERIC", length + 2),
        'D' => (91, "DATE", 6),
        'M' => (-1, "MEMO", 0),
        'W' | 'G' | 'P' => (-4, "BLOB", 0),
        'V' => (12, "VARCHAR", length),
        'Q' => (-3, "VARBINARY", length),
        'B' => (8, "DOUBLE", 8),
        'I' if length == 2 => (5, "SHORT", 2),
        'I' if length == 8 => (-5, "LONGINT", 8),
        'I' => (4, "INTEGER", 4),
        '+' => (4, "AUTOINC", 4),
        'T' if length == 4 => (92, "TIME", 6),
        'T' | '@' => (93, "TIMESTAMP", 16),
        '=' => (93, "MODTIME", 16),
        '^' => (-5, "ROWVERSION", 8),
        'Y' => (3, "MONEY", 21),
        _ => (1, "CHAR", length),
    }
}

pub(crate) fn columns(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let found = runner.inner._database.tables().map_err(|error| crate::failure::of_core(&error))?;
    let mut all = Vec::new();
    for table in found.iter().filter(|table| !table.name.starts_with(crate::define::PREFIX)) {
        if !is_like(&table.name, given.optional(2)) {
            continue;
        }
        for (place, column) in table.columns.iter().enumerate() {
            if !is_like(&column.name, given.optional(3)) {
                continue;
            }
            let letter = crate::system::letter(&column.native_type);
            let (_, length, decimals) = crate::system::native(&column.native_type);
            let (kind, name, bytes) = odbc_type(letter, length.into());
            let is_text = matches!(kind, 1 | 12 | -1);
            let is_number = matches!(kind, 2..=8 | -5);
            let moment = if matches!(kind, 91..=93) { (9, number(kind - 90)) } else { (kind, Value::Null) };
            let or_null = |is: bool, value: Value| if is { value } else { Value::Null };
            all.push(vec![
                Value::Null,
                Value::Null,
                text(&table.name),
                text(&column.name),
                number(kind),
                text(name),
                number(length),
                number(bytes),
                or_null(is_number, number(decimals)),
                or_null(is_number, number(10)),
                number(u8::from(column.nullable)),
                Value::Null,
                Value::Null,
                number(moment.0),
                moment.1,
                or_null(is_text, number(length)),
                number(place + 1),
                text(if column.nullable { "YES" } else { "NO" }),
                number(0),
            ]);
        }
    }
    let heads = [
        "TABLE_CAT",
        "TABLE_SCHEM",
        "TABLE_NAME",
        "COLUMN_NAME",
        "#DATA_TYPE",
        "TYPE_NAME",
        "#COLUMN_SIZE",
        "#BUFFER_LENGTH",
        "#DECIMAL_DIGITS",
        "#NUM_PREC_RADIX",
        "#NULLABLE",
        "REMARKS",
        "COLUMN_DEF",
        "#SQL_DATA_TYPE",
        "#SQL_DATETIME_SUB",
        "#CHAR_OCTET_LENGTH",
        "#ORDINAL_POSITION",
        "IS_NULLABLE",
        "#NOCPTRANS",
    ];
    Ok(rows(&heads, all))
}

pub(crate) fn table_size(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let table = named(given.text(0)?);
    runner.inner.permitted_whole(&table, ADS_PERMISSION_READ)?;
    let path = runner.inner.file_of(&table)?;
    let core = quoted(&runner.inner.core_name(&table)?);
    let deleted = runner.inner.core(&format!("SELECT COUNT(*) FROM {core} WHERE _deleted"))?;
    let deleted = deleted.rows.into_iter().next().and_then(|row| row.into_iter().next()).unwrap_or(Value::Null);
    let files = Arc::clone(runner.inner._database.files());
    let sizes = || -> mainstay_types::Result<Vec<Value>> {
        let dbf = Dbf::open(files.open(&path)?, OpenOptions::default())?;
        let header = dbf.header();
        let memo = match sibling(&*files, &path, dbf.memo_extensions()) {
            Some(path) => {
                let file = files.open(&path)?;
                let (length, block) = (file.stamp()?.len, Memo::open(file, header.version)?.block_size().max(1));
                [number(MEMO_HEADER), number(block), number(length.div_ceil(block))]
            }
            None => [number(0), number(0), number(0)],
        };
        let own = [header.header_length.into(), header.record_length.into(), i64::from(header.record_count)];
        Ok(own.map(number).into_iter().chain([deleted]).chain(memo).collect())
    };
    let sizes = sizes().map_err(|error| crate::failure::of_core(&error))?;
    let heads = [
        "#TableHeaderSize",
        "#RecordLength",
        "#RawRecordCount",
        "#DeletedRecordCount",
        "#MemoHeaderSize",
        "#MemoBlockSize",
        "#MemoBlockCount",
    ];
    Ok(rows(&heads, vec![sizes]))
}

pub(crate) fn set_application(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    runner.inner.state.application = given.text(0)?.to_owned();
    Ok(Outcome::default())
}

pub(crate) fn application(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    Ok(rows(&["ApplicationID"], vec![vec![text(&runner.inner.state.application)]]))
}

pub(crate) fn links(runner: &mut Runner<'_>, _: &Passed<'_>) -> Result<Outcome> {
    let contents = runner.inner.modules.contents();
    let links = contents.into_iter().flat_map(|contents| contents.all(ADS_DD_LINK_OBJECT));
    let row = |link: &mainstay_data_dictionary::Object| {
        vec![text(&link.name), link.text(ADS_DD_LINK_PATH).map_or(Value::Null, text)]
    };
    Ok(rows(&["LinkAlias", "Path"], links.map(row).collect()))
}

pub(crate) fn change_password(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    let mut new = given.optional(1).unwrap_or_default().as_bytes().to_vec();
    new.push(0);
    let length = Given::Number(new.len() as u64);
    // The old password stands where another user's name would.
    let old = Given::Text(given.optional(0).unwrap_or_default().as_bytes().to_vec());
    let property = Given::Number(ADS_DD_CURRENT_USER_PASSWORD.into());
    runner.dictionary_call("AdsDDSetUserProperty", vec![old, property, Given::Bytes(new), length])
}

fn switch_triggers(runner: &mut Runner<'_>, given: &Passed<'_>, call: &str) -> Result<Outcome> {
    let (object, parent) = (given.optional(0), given.optional(1));
    if object.is_none() && !given.is_true(2) {
        return Err(SqlError::unsupported("triggers that fire for some users only"));
    }
    let text = |text: Option<&str>| text.map_or(Given::Null, |text| Given::Text(text.as_bytes().to_vec()));
    runner.dictionary_call(call, vec![text(object), text(parent), Given::Number(0)])
}

pub(crate) fn enable_triggers(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    switch_triggers(runner, given, "AdsDDEnableTriggers")
}

pub(crate) fn disable_triggers(runner: &mut Runner<'_>, given: &Passed<'_>) -> Result<Outcome> {
    switch_triggers(runner, given, "AdsDDDisableTriggers")
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn patterns_match_in_any_case() {
        for (name, pattern) in
            [("Orders", "%"), ("Orders", "ord%"), ("Orders", "o%r_"), ("Orders", "ORDERS"), ("a", "_")]
        {
            assert!(is_like(name, Some(pattern)), "{name} {pattern}");
        }
        for (name, pattern) in [("Orders", "ord"), ("Orders", "_"), ("", "_"), ("Orders", "%x%")] {
            assert!(!is_like(name, Some(pattern)), "{name} {pattern}");
        }
        assert!(is_like("anything", None) && !is_like(&"a".repeat(2000), Some(&"%a%b".repeat(3))));
    }
}
