//! The tables of the system catalog about routines and triggers.
//!
//! Source of columns and codes: "The system catalog tables" in the Guide to SQL: Reference.

use crate::catalog::{FIRST_TABLE, NAME, OWNER, Reader, Rows, SystemTable, coded};
use crate::modules::Stored;
use mainstay_informix_syntax::Type;
use mainstay_informix_syntax::reduce::text_literal;
use mainstay_informix_syntax::tree::{ParameterMode, Routine, TypeName};
use std::sync::Arc;

/// The length of a row of a text.
const PIECE: usize = 256;

/// Tables about routines and triggers.
pub(crate) const ROUTINE_TABLES: [SystemTable; 10] = [
    SystemTable {
        name: "sysprocedures",
        columns: &[
            ("procname", NAME),
            ("owner", OWNER),
            ("procid", Type::Serial),
            ("mode", Type::Char(1)),
            ("retsize", Type::Integer),
            ("symsize", Type::Integer),
            ("datasize", Type::Integer),
            ("codesize", Type::Integer),
            ("numargs", Type::Integer),
            ("isproc", Type::Char(1)),
            ("specificname", NAME),
            ("externalname", Type::LVarChar(255)),
            ("paramstyle", Type::Char(1)),
            ("langid", Type::Integer),
            ("paramtypes", Type::LVarChar(2048)),
            ("variant", Type::Boolean),
            ("handlesnulls", Type::Boolean),
            ("iterator", Type::Boolean),
            ("internal", Type::Boolean),
            ("type", Type::SmallInt),
        ],
        rows: procedures,
    },
    SystemTable {
        name: "sysprocbody",
        columns: &[
            ("procid", Type::Integer),
            ("datakey", Type::Char(1)),
            ("seqno", Type::Integer),
            ("data", Type::Char(256)),
        ],
        rows: bodies,
    },
    SystemTable {
        name: "sysproccolumns",
        columns: &[
            ("procid", Type::Integer),
            ("paramid", Type::Integer),
            ("paramname", Type::VarChar(128)),
            ("paramtype", Type::SmallInt),
            ("paramlen", Type::SmallInt),
            ("paramxid", Type::Integer),
            ("paramattr", Type::Integer),
        ],
        rows: parameters,
    },
    SystemTable {
        name: "sysprocauth",
        columns: &[("grantor", OWNER), ("grantee", OWNER), ("procid", Type::Integer), ("procauth", Type::Char(1))],
        rows: rights,
    },
    SystemTable {
        name: "systriggers",
        columns: &[
            ("trigid", Type::Serial),
            ("trigname", NAME),
            ("owner", OWNER),
            ("tabid", Type::Integer),
            ("event", Type::Char(1)),
            ("old", NAME),
            ("new", NAME),
            ("mode", Type::Char(1)),
            ("collation", Type::Char(32)),
        ],
        rows: triggers,
    },
    SystemTable {
        name: "systrigbody",
        columns: &[
            ("trigid", Type::Integer),
            ("datakey", Type::Char(1)),
            ("seqno", Type::Integer),
            ("data", Type::Char(256)),
        ],
        rows: trigger_bodies,
    },
    SystemTable {
        name: "sysobjstate",
        columns: &[
            ("objtype", Type::Char(1)),
            ("owner", OWNER),
            ("name", NAME),
            ("tabid", Type::Integer),
            ("state", Type::Char(1)),
        ],
        rows: states,
    },
    SystemTable {
        name: "syssessions",
        columns: &[("sid", Type::Integer), ("username", OWNER), ("uid", Type::SmallInt), ("pid", Type::Integer)],
        rows: sessions,
    },
    SystemTable {
        name: "sysblobs",
        columns: &[("spacename", NAME), ("type", Type::Char(1)), ("tabid", Type::Integer), ("colno", Type::SmallInt)],
        rows: simple_large_objects,
    },
    SystemTable {
        name: "syscolattribs",
        columns: &[
            ("tabid", Type::Integer),
            ("colno", Type::SmallInt),
            ("extentsize", Type::Integer),
            ("flags", Type::Integer),
            ("flags1", Type::Integer),
            ("sbspace", NAME),
        ],
        rows: smart_large_objects,
    },
];

/// The numbers of tables and columns of some types.
fn columns_of(reader: &mut Reader<'_>, is_wanted: fn(Type) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for place in 0..reader.tables.len() {
        let name = reader.tables.get(place).map(|info| info.name.clone()).unwrap_or_default();
        let columns = reader.columns(&name).into_iter().enumerate();
        let wanted = columns.filter(|(_, (_, known))| is_wanted(*known));
        found.extend(wanted.map(|(column, _)| (FIRST_TABLE + place, column + 1)));
    }
    found
}

/// The space of all columns: there is one.
const SPACE: &str = "rootdbs";

/// BYTE and TEXT columns, which are stored with their tables.
fn simple_large_objects(reader: &mut Reader<'_>) -> Rows {
    let found = columns_of(reader, |known| matches!(known, Type::Byte | Type::Text));
    let row = |(table, column): (usize, usize)| {
        vec![text_literal(SPACE), text_literal("M"), table.to_string(), column.to_string()]
    };
    found.into_iter().map(row).collect()
}

/// BLOB and CLOB columns.
fn smart_large_objects(reader: &mut Reader<'_>) -> Rows {
    let found = columns_of(reader, |known| matches!(known, Type::Blob | Type::Clob));
    let row = |(table, column): (usize, usize)| {
        let mut row = vec![table.to_string(), column.to_string()];
        row.extend(["0", "0", "0"].map(str::to_owned));
        row.push(text_literal(SPACE));
        row
    };
    found.into_iter().map(row).collect()
}

/// The type of a parameter or value; INTEGER for one of a column that is not there any more.
fn known(name: &TypeName, reader: &mut Reader<'_>) -> Type {
    match name {
        TypeName::Known(known) => *known,
        TypeName::Like(table, column) => {
            let columns = reader.columns(&table.last().to_lowercase());
            columns.iter().find(|(name, _)| column.is(name)).map_or(Type::Integer, |(_, known)| *known)
        }
    }
}

fn routines(reader: &Reader<'_>) -> Vec<Arc<Stored>> {
    reader.modules.all.iter().filter(|stored| stored.routine().is_some()).cloned().collect()
}

fn procedures(reader: &mut Reader<'_>) -> Rows {
    let row = |stored: Arc<Stored>, reader: &mut Reader<'_>| {
        let routine = stored.routine()?;
        let types: Vec<Type> = routine.parameters.iter().map(|parameter| known(&parameter.data_type, reader)).collect();
        let types: Vec<&str> = types.into_iter().map(Type::name).collect();
        let specific = routine.specific.as_ref().map_or("NULL".to_owned(), |name| text_literal(&name.text));
        let is_procedure = routine.returns.is_empty() && !routine.is_function;
        let mut row = vec![text_literal(&stored.name), text_literal(&stored.owner), stored.number.to_string()];
        row.push(text_literal("O"));
        row.extend(["0", "0", "0", "0"].map(str::to_owned));
        row.push(routine.parameters.len().to_string());
        row.push(text_literal(if is_procedure { "t" } else { "f" }));
        row.extend([specific, "NULL".to_owned(), text_literal("I"), "2".to_owned(), text_literal(&types.join(","))]);
        row.extend(["TRUE", "TRUE", "FALSE", "FALSE", "0"].map(str::to_owned));
        Some(row)
    };
    routines(reader).into_iter().filter_map(|stored| row(stored, reader)).collect()
}

/// A text in pieces, each a row with its number.
fn pieces(number: i64, key: &str, text: &str) -> Rows {
    let letters: Vec<char> = text.chars().collect();
    let row = |(place, piece): (usize, &[char])| {
        let piece: String = piece.iter().collect();
        vec![number.to_string(), text_literal(key), (place + 1).to_string(), text_literal(&piece)]
    };
    letters.chunks(PIECE).enumerate().map(row).collect()
}

fn bodies(reader: &mut Reader<'_>) -> Rows {
    let of = |stored: Arc<Stored>| {
        let mut rows = pieces(stored.number, "T", &stored.text);
        let document = stored.routine().map(|routine: &Routine| routine.document.join("\n")).unwrap_or_default();
        rows.extend(pieces(stored.number, "D", &document));
        rows
    };
    routines(reader).into_iter().flat_map(of).collect()
}

/// Parameters have the attribute 1, INOUT parameters 2, OUT parameters 4, values that are returned 3.
fn parameters(reader: &mut Reader<'_>) -> Rows {
    let mut all = Vec::new();
    for stored in routines(reader) {
        let Some(routine) = stored.routine() else { continue };
        let attribute = |mode: ParameterMode| match mode {
            ParameterMode::In => 1,
            ParameterMode::InOut => 2,
            ParameterMode::Out => 4,
        };
        let parameters = routine.parameters.iter().map(|it| (it.name.text.as_str(), &it.data_type, attribute(it.mode)));
        let returns = routine.returns.iter();
        let returns = returns.map(|(of, name)| (name.as_ref().map_or("", |name| name.text.as_str()), of, 3));
        for (place, (name, data_type, attribute)) in parameters.chain(returns).enumerate() {
            let (code, length, extended) = coded(known(data_type, reader));
            all.push(vec![
                stored.number.to_string(),
                (place + 1).to_string(),
                text_literal(name),
                code.to_string(),
                (length as u16 as i16).to_string(),
                extended.to_string(),
                attribute.to_string(),
            ]);
        }
    }
    all
}

/// Everybody may execute every routine.
fn rights(reader: &mut Reader<'_>) -> Rows {
    let row = |stored: Arc<Stored>| {
        vec![text_literal(&stored.owner), text_literal("public"), stored.number.to_string(), text_literal("e")]
    };
    routines(reader).into_iter().map(row).collect()
}

fn all_triggers(reader: &Reader<'_>) -> Vec<Arc<Stored>> {
    reader.modules.all.iter().filter(|stored| stored.trigger().is_some()).cloned().collect()
}

fn table_number(reader: &Reader<'_>, table: &str) -> usize {
    reader.tables.iter().position(|info| info.name.eq_ignore_ascii_case(table)).map_or(0, |place| FIRST_TABLE + place)
}

fn triggers(reader: &mut Reader<'_>) -> Rows {
    let mut all = Vec::new();
    for stored in all_triggers(reader) {
        let Some(trigger) = stored.trigger() else { continue };
        let letter = trigger.event.get(..1).unwrap_or("I");
        let name = |name: &Option<mainstay_informix_syntax::tree::Name>| {
            name.as_ref().map_or("NULL".to_owned(), |name| text_literal(&name.text))
        };
        let mut row = vec![stored.number.to_string(), text_literal(&stored.name), text_literal(&stored.owner)];
        row.extend([table_number(reader, &stored.table).to_string(), text_literal(letter)]);
        row.extend([name(&trigger.old), name(&trigger.new), text_literal("O"), text_literal("en_US.819")]);
        all.push(row);
    }
    all
}

fn trigger_bodies(reader: &mut Reader<'_>) -> Rows {
    let of = |stored: Arc<Stored>| {
        // D is the head of a trigger, A its actions: the head ends where they begin.
        let upper = stored.text.to_uppercase();
        let starts = ["BEFORE", "FOR EACH ROW", "AFTER"].into_iter().filter_map(|word| upper.find(word));
        let start = starts.min().filter(|start| stored.text.is_char_boundary(*start)).unwrap_or(0);
        let (head, actions) = stored.text.split_at(start);
        let mut rows = pieces(stored.number, "D", head);
        rows.extend(pieces(stored.number, "A", actions));
        rows
    };
    all_triggers(reader).into_iter().flat_map(of).collect()
}

/// The session itself, under the number that DBINFO has for it.
fn sessions(reader: &mut Reader<'_>) -> Rows {
    vec![vec!["1".to_owned(), reader.owner(), "0".to_owned(), "0".to_owned()]]
}

fn states(reader: &mut Reader<'_>) -> Rows {
    let mut all = Vec::new();
    for stored in all_triggers(reader) {
        let state = if stored.is_enabled { "E" } else { "D" };
        let mut row = vec![text_literal("T"), text_literal(&stored.owner), text_literal(&stored.name)];
        row.extend([table_number(reader, &stored.table).to_string(), text_literal(state)]);
        all.push(row);
    }
    all
}
