//! The tables of the system catalog: their rows are made when a statement reads them, from what the engine knows.
//!
//! Source of columns and codes: "The system catalog tables" in the Guide to SQL: Reference. Tables of the user have numbers
//! from 100 on, in the order of their names, as long as the catalog stays as it is.

use crate::keys::{checks, constraints, index_keys, indexes, references};
use crate::modules::Modules;
use crate::objects::{defaults, others, sequences, synonyms, views};
use crate::routine_catalog::ROUTINE_TABLES;
use crate::scope::{Facts, KnownColumns, core_columns};
use mainstay_engine::{Session, TableInfo};
use mainstay_informix_syntax::reduce::{quoted, text_literal};
use mainstay_informix_syntax::tree::ObjectName;
use mainstay_informix_syntax::{SqlError, Type};

/// A table of the system.
pub(crate) struct SystemTable {
    pub name: &'static str,
    pub columns: &'static [(&'static str, Type)],
    pub rows: fn(&mut Reader<'_>) -> Rows,
}

/// Cells as literals of the core.
pub(crate) type Rows = Vec<Vec<String>>;

pub(crate) const NAME: Type = Type::VarChar(128);
pub(crate) const OWNER: Type = Type::Char(32);

/// All tables of the system that have rows here; others of the catalog are empty.
const TABLES: [SystemTable; 18] = [
    SystemTable {
        name: "systables",
        columns: &[
            ("tabname", NAME),
            ("owner", OWNER),
            ("partnum", Type::Integer),
            ("tabid", Type::Serial),
            ("rowsize", Type::SmallInt),
            ("ncols", Type::SmallInt),
            ("nindexes", Type::SmallInt),
            ("nrows", Type::Float),
            ("created", Type::Date),
            ("version", Type::Integer),
            ("tabtype", Type::Char(1)),
            ("locklevel", Type::Char(1)),
            ("npused", Type::Float),
            ("fextsize", Type::Integer),
            ("nextsize", Type::Integer),
            ("flags", Type::SmallInt),
            ("site", NAME),
            ("dbname", NAME),
        ],
        rows: tables,
    },
    SystemTable {
        name: "syscolumns",
        columns: &[
            ("colname", NAME),
            ("tabid", Type::Integer),
            ("colno", Type::SmallInt),
            ("coltype", Type::SmallInt),
            ("collength", Type::SmallInt),
            ("colmin", Type::Integer),
            ("colmax", Type::Integer),
            ("extended_id", Type::Integer),
            ("seclabelid", Type::Integer),
            ("colattr", Type::SmallInt),
        ],
        rows: columns,
    },
    SystemTable {
        name: "sysindexes",
        columns: &[
            ("idxname", NAME),
            ("owner", OWNER),
            ("tabid", Type::Integer),
            ("idxtype", Type::Char(1)),
            ("clustered", Type::Char(1)),
            ("part1", Type::SmallInt),
            ("part2", Type::SmallInt),
            ("part3", Type::SmallInt),
            ("part4", Type::SmallInt),
            ("part5", Type::SmallInt),
            ("part6", Type::SmallInt),
            ("part7", Type::SmallInt),
            ("part8", Type::SmallInt),
            ("part9", Type::SmallInt),
            ("part10", Type::SmallInt),
            ("part11", Type::SmallInt),
            ("part12", Type::SmallInt),
            ("part13", Type::SmallInt),
            ("part14", Type::SmallInt),
            ("part15", Type::SmallInt),
            ("part16", Type::SmallInt),
            ("levels", Type::SmallInt),
            ("leaves", Type::Integer),
            ("nunique", Type::Integer),
            ("clust", Type::Integer),
        ],
        rows: indexes,
    },
    SystemTable {
        name: "sysindices",
        columns: &[
            ("idxname", NAME),
            ("owner", OWNER),
            ("tabid", Type::Integer),
            ("idxtype", Type::Char(1)),
            ("clustered", Type::Char(1)),
            ("levels", Type::SmallInt),
            ("leaves", Type::Float),
            ("nunique", Type::Float),
            ("clust", Type::Float),
            ("nrows", Type::Float),
            ("indexkeys", Type::LVarChar(2048)),
        ],
        rows: index_keys,
    },
    SystemTable {
        name: "sysconstraints",
        columns: &[
            ("constrid", Type::Serial),
            ("constrname", NAME),
            ("owner", OWNER),
            ("tabid", Type::Integer),
            ("constrtype", Type::Char(1)),
            ("idxname", NAME),
        ],
        rows: constraints,
    },
    SystemTable {
        name: "sysreferences",
        columns: &[
            ("constrid", Type::Integer),
            ("primary", Type::Integer),
            ("ptabid", Type::Integer),
            ("updrule", Type::Char(1)),
            ("delrule", Type::Char(1)),
            ("matchtype", Type::Char(1)),
            ("pendant", Type::Char(1)),
        ],
        rows: references,
    },
    SystemTable {
        name: "syschecks",
        columns: &[
            ("constrid", Type::Integer),
            ("type", Type::Char(1)),
            ("seqno", Type::SmallInt),
            ("checktext", Type::Char(32)),
        ],
        rows: checks,
    },
    SystemTable { name: "sysdual", columns: &[("dummy", Type::Char(1))], rows: dual },
    SystemTable {
        name: "sysusers",
        columns: &[
            ("username", OWNER),
            ("usertype", Type::Char(1)),
            ("priority", Type::SmallInt),
            ("password", Type::Char(16)),
        ],
        rows: users,
    },
    SystemTable {
        name: "systabauth",
        columns: &[("grantor", OWNER), ("grantee", OWNER), ("tabid", Type::Integer), ("tabauth", Type::Char(9))],
        rows: table_rights,
    },
    SystemTable {
        name: "syscolauth",
        columns: &[
            ("grantor", OWNER),
            ("grantee", OWNER),
            ("tabid", Type::Integer),
            ("colno", Type::SmallInt),
            ("colauth", Type::Char(3)),
        ],
        rows: nothing,
    },
    SystemTable {
        name: "sysinherits",
        columns: &[
            ("child", Type::Integer),
            ("parent", Type::Integer),
            ("class", Type::Char(1)),
            ("seqno", Type::SmallInt),
        ],
        rows: nothing,
    },
    SystemTable {
        name: "sysviews",
        columns: &[("tabid", Type::Integer), ("seqno", Type::SmallInt), ("viewtext", Type::Char(256))],
        rows: views,
    },
    SystemTable {
        name: "syssequences",
        columns: &[
            ("seqid", Type::Serial),
            ("tabid", Type::Integer),
            ("start_val", Type::Int8),
            ("inc_val", Type::Int8),
            ("max_val", Type::Int8),
            ("min_val", Type::Int8),
            ("cycle", Type::Char(1)),
        ],
        rows: sequences,
    },
    SystemTable {
        name: "syssyntable",
        columns: &[
            ("tabid", Type::Integer),
            ("servername", NAME),
            ("dbname", NAME),
            ("owner", OWNER),
            ("tabname", NAME),
            ("btabid", Type::Integer),
        ],
        rows: synonyms,
    },
    SystemTable {
        name: "sysdatabases",
        columns: &[
            ("name", NAME),
            ("partnum", Type::Integer),
            ("owner", OWNER),
            ("created", Type::Date),
            ("is_logging", Type::Integer),
            ("is_ansi", Type::Integer),
        ],
        rows: databases,
    },
    SystemTable {
        name: "sysdefaults",
        columns: &[
            ("tabid", Type::Integer),
            ("colno", Type::SmallInt),
            ("type", Type::Char(1)),
            ("default", Type::Char(256)),
            ("class", Type::Char(1)),
        ],
        rows: defaults,
    },
    SystemTable {
        name: "sysxtdtypes",
        columns: &[
            ("extended_id", Type::Serial),
            ("mode", Type::Char(1)),
            ("owner", OWNER),
            ("name", NAME),
            ("type", Type::SmallInt),
            ("source", Type::Integer),
            ("maxlen", Type::Integer),
            ("length", Type::Integer),
            ("byvalue", Type::Char(1)),
            ("align", Type::SmallInt),
            ("locator", Type::Integer),
        ],
        rows: extended_types,
    },
];

/// The table of the system that a name means. An owner is `informix`, where one is named.
pub(crate) fn find(name: &ObjectName) -> Option<&'static SystemTable> {
    let table = TABLES.iter().chain(&ROUTINE_TABLES).find(|table| table.name.eq_ignore_ascii_case(name.last()))?;
    let is_owner = |owner: &str| owner.is_empty() || owner.trim().eq_ignore_ascii_case("informix");
    match &name.parts[..] {
        [_] => Some(table),
        [.., owner, _] if is_owner(&owner.text) || name.parts.len() == 2 => Some(table),
        _ => None,
    }
}

/// The source of rows.
pub(crate) struct Reader<'c> {
    pub tables: Vec<TableInfo>,
    pub core: &'c mut Session,
    known: &'c mut KnownColumns,
    facts: &'c Facts,
    pub modules: &'c Modules,
}

/// A query of the core, in parentheses, that gives the rows of a table of the system.
///
/// Errors: -206 where the tables of the folder cannot be listed.
pub(crate) fn rows(
    table: &SystemTable,
    core: &mut Session,
    known: &mut KnownColumns,
    (facts, modules): (&Facts, &Modules),
) -> Result<String, Box<SqlError>> {
    let mut tables = core.tables().map_err(|error| SqlError::new(-206, error.to_string()).about(table.name))?;
    tables.retain(|info| !info.name.starts_with("sys."));
    tables.sort_by(|one, other| one.name.cmp(&other.name));
    let mut reader = Reader { tables, core, known, facts, modules };
    let rows = (table.rows)(&mut reader);
    let heads: Vec<String> = table.columns.iter().map(|(name, _)| quoted(name)).collect();
    let typed =
        |(name, known): &(&str, Type)| format!("CAST({name} AS {}) AS {name}", known.sql_type(), name = quoted(name));
    let typed: Vec<String> = table.columns.iter().map(typed).collect();
    let (rows, condition) = match rows.is_empty() {
        true => (vec![vec!["NULL".to_owned(); table.columns.len()]], " WHERE FALSE"),
        false => (rows, ""),
    };
    let rows: Vec<String> = rows.iter().map(|row| format!("({})", row.join(", "))).collect();
    let (typed, rows, heads) = (typed.join(", "), rows.join(", "), heads.join(", "));
    Ok(format!("(SELECT {typed} FROM (VALUES {rows}) AS \"v\" ({heads}){condition})"))
}

impl Reader<'_> {
    /// The columns of a table.
    pub fn columns(&mut self, table: &str) -> Vec<(String, Type)> {
        core_columns(self.core, self.known, table).unwrap_or_default()
    }

    /// The owner of all tables, as a literal.
    pub fn owner(&self) -> String {
        text_literal(&self.facts.user)
    }
}

/// The day on which tables are said to be created: the engine does not keep it.
const CREATED: &str = "2000-01-01";
/// The first number of a table of the user.
pub(crate) const FIRST_TABLE: usize = 100;

pub(crate) fn nothing(_: &mut Reader<'_>) -> Rows {
    Vec::new()
}

/// The table of one row in sysmaster.
fn dual(_: &mut Reader<'_>) -> Rows {
    vec![vec![text_literal("X")]]
}

fn table_row(
    name: &str,
    owner: &str,
    number: usize,
    kind: &str,
    (rows, columns, indexes): (u64, usize, usize),
) -> Vec<String> {
    let mut row = vec![text_literal(name), text_literal(owner), "0".to_owned(), number.to_string(), "0".to_owned()];
    row.extend([
        columns.to_string(),
        indexes.to_string(),
        format!("{rows}.0"),
        "CURRENT_DATE".to_owned(),
        "1".to_owned(),
    ]);
    row.extend([
        text_literal(kind),
        text_literal("R"),
        "0.0".to_owned(),
        "16".to_owned(),
        "16".to_owned(),
        "0".to_owned(),
    ]);
    row.extend([text_literal(""), text_literal("")]);
    row
}

/// Clients look for three names that are no tables: the version of the catalog, and the locale.
fn tables(reader: &mut Reader<'_>) -> Rows {
    let mut all = Vec::new();
    for (place, table) in TABLES.iter().chain(&ROUTINE_TABLES).enumerate() {
        all.push(table_row(table.name, "informix", place + 1, "T", (0, table.columns.len(), 0)));
    }
    for (name, number) in [(" GL_COLLATE", 90), (" GL_CTYPE", 91), (" VERSION", 92)] {
        let mut row = table_row(name, "", number, " ", (0, 0, 0));
        if let Some(site) = row.get_mut(16).filter(|_| name != " VERSION") {
            *site = text_literal("en_US.819");
        }
        all.push(row);
    }
    let owner = reader.facts.user.clone();
    for place in 0..reader.tables.len() {
        let info = &reader.tables[place];
        let (name, rows, indexes) = (info.name.clone(), info.rows.unwrap_or(0), info.indexes.len());
        let kind = if info.kind.to_lowercase().contains("view") { "V" } else { "T" };
        let columns = reader.columns(&name).len();
        all.push(table_row(&name, &owner, FIRST_TABLE + place, kind, (rows, columns, indexes)));
    }
    for (number, name, kind) in others(reader) {
        all.push(table_row(&name, &owner, number, kind, (0, 0, 0)));
    }
    all
}

/// The code of a type, its length as syscolumns has it, and its extended number.
pub(crate) fn coded(known: Type) -> (u32, u32, u32) {
    let digits = |precision: u8, scale: u32| (u32::from(precision) << 8) | scale;
    let qualifier = |digits: u32, first: u32, last: u32| (digits << 8) | (first << 4) | last;
    match known {
        Type::Char(length) => (0, length, 0),
        Type::SmallInt => (1, 2, 0),
        Type::Integer => (2, 4, 0),
        Type::Float => (3, 8, 0),
        Type::SmallFloat => (4, 4, 0),
        Type::Decimal(precision, scale) => (5, digits(precision, scale.map_or(255, u32::from)), 0),
        Type::Serial => (6, 4, 0),
        Type::Date => (7, 4, 0),
        Type::Money(precision, scale) => (8, digits(precision, scale.into()), 0),
        Type::DateTime(first, last) => {
            let leading = if first.0 == 0 { 4 } else { 2 };
            let whole = last.0.min(10).saturating_sub(first.0);
            (10, qualifier(leading + whole + last.0.saturating_sub(10), first.0, last.0), 0)
        }
        Type::Byte => (11, 56, 0),
        Type::Text => (12, 56, 0),
        Type::VarChar(length) => (13, length, 0),
        Type::Interval(first, leading, last) => {
            let whole = last.0.min(10).saturating_sub(first.0);
            (14, qualifier(leading + whole + last.0.saturating_sub(10), first.0, last.0), 0)
        }
        Type::NChar(length) => (15, length, 0),
        Type::NVarChar(length) => (16, length, 0),
        Type::Int8 => (17, 10, 0),
        Type::Serial8 => (18, 10, 0),
        Type::LVarChar(length) => (43, length, 1),
        Type::Boolean => (41, 1, 5),
        Type::Blob => (41, 72, 10),
        Type::Clob => (41, 72, 11),
        Type::BigInt => (52, 8, 0),
        Type::BigSerial => (53, 8, 0),
    }
}

/// Added to the code of a type whose column is NOT NULL.
const NOT_NULL: u32 = 256;

fn columns(reader: &mut Reader<'_>) -> Rows {
    let mut all = Vec::new();
    for place in 0..reader.tables.len() {
        let name = reader.tables[place].name.clone();
        let known = reader.columns(&name);
        for (number, (column, known)) in known.into_iter().enumerate() {
            let is_nullable = reader.tables[place].columns.get(number).is_none_or(|info| info.nullable);
            let (code, length, extended) = coded(known);
            let code = code + if is_nullable { 0 } else { NOT_NULL };
            // Lengths of 16 bits are signed.
            let length = length as u16 as i16;
            let mut row = vec![text_literal(&column), (FIRST_TABLE + place).to_string(), (number + 1).to_string()];
            row.extend([code.to_string(), length.to_string(), "NULL".to_owned(), "NULL".to_owned()]);
            row.extend([extended.to_string(), "0".to_owned(), "0".to_owned()]);
            all.push(row);
        }
    }
    all
}

fn users(reader: &mut Reader<'_>) -> Rows {
    let row = |name: &str, kind: &str| vec![text_literal(name), text_literal(kind), "5".to_owned(), text_literal("")];
    let mut all = vec![row("informix", "D"), row("public", "C")];
    if reader.facts.user != "informix" {
        all.push(row(&reader.facts.user, "D"));
    }
    all
}

fn table_rights(reader: &mut Reader<'_>) -> Rows {
    let owner = reader.owner();
    let row = |place: usize| {
        vec![owner.clone(), text_literal("public"), (FIRST_TABLE + place).to_string(), text_literal("su-idx---")]
    };
    (0..reader.tables.len()).map(row).collect()
}

fn databases(reader: &mut Reader<'_>) -> Rows {
    let row = |name: &str| {
        let mut row = vec![text_literal(name), "0".to_owned(), text_literal("informix"), text_literal(CREATED)];
        row.extend(["1".to_owned(), "0".to_owned()]);
        row
    };
    vec![row("sysmaster"), row(&reader.facts.database)]
}

fn extended_types(_: &mut Reader<'_>) -> Rows {
    let row = |(id, name, kind, length): (u32, &str, u32, u32)| {
        let mut row =
            vec![id.to_string(), text_literal("B"), text_literal("informix"), text_literal(name), kind.to_string()];
        row.extend([
            "0".to_owned(),
            "0".to_owned(),
            length.to_string(),
            text_literal(" "),
            "1".to_owned(),
            "0".to_owned(),
        ]);
        row
    };
    [(1, "lvarchar", 40, 2048), (5, "boolean", 41, 1), (10, "blob", 41, 72), (11, "clob", 41, 72)].map(row).to_vec()
}
