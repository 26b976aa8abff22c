//! Random schemas, data and statements, three ways: with the row executor and the kernels; on the batch executor's general
//! plans alone; and by SQLite. All must do the same and answer the same.
//!
//! ```text
//!   seed --> two or three tables: columns, key, indexes --> changes and queries, one after the other
//!                                                            |  each change: its rows, and the whole table after it
//!                                                            |  each query: its rows, in their order where it has one
//! ```
//!
//! Left out are constructs with other semantics in SQLite: division and `%` (by zero they are NULL), LIKE (it ignores
//! case), booleans as values (they are numbers), values of another type than their column's (it stores them as they
//! are), CASTs of texts, and numbers beyond their type (its integers have 64 bits everywhere, then they become
//! doubles): a statement for which Mainstay raises that error does not count. Doubles are added and not multiplied: 0
//! and -0 are two values of a group in Mainstay and one in SQLite. Plain numbers are not used as keys of GROUP BY,
//! because they are places of the list.

mod common;

use common::{Random, seeds};
use mainstay_columnar::values::value_at;
use mainstay_engine::{Database, Options, Session};
use mainstay_types::{Code, ValueRef};

const SEEDS: u64 = 10;
/// The first statements of a seed fill its tables.
const CHANGES_FIRST: usize = 12;
const STATEMENTS: usize = 60;
/// All three: two lists for one column, of which one was forgotten.
const SEEDS_THAT_FOUND_SOMETHING: [u64; 3] = [85, 1_023, 1_142];

/// The type of a random value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Text,
    Double,
}

struct Column {
    name: String,
    kind: Kind,
    sql_type: &'static str,
}

struct Table {
    name: String,
    columns: Vec<Column>,
    /// The columns of the primary key.
    key: Vec<usize>,
    indexes: Vec<String>,
}

/// A table as a statement calls it.
#[derive(Clone, Copy)]
struct Source<'t> {
    called: &'t str,
    table: &'t Table,
}

struct Query {
    text: String,
    is_ordered: bool,
}

impl Table {
    fn random(random: &mut Random, number: usize) -> Table {
        let mut columns: Vec<Column> =
            (0..2 + random.below(4)).map(|column| Column::random(random, format!("c{column}"))).collect();
        // A key is met more often where it is not a double.
        if columns[0].kind == Kind::Double || columns.iter().all(|column| column.kind != Kind::Whole) {
            columns[0] = Column { name: "c0".to_owned(), kind: Kind::Whole, sql_type: "INTEGER" };
        }
        let key = if random.one_in(3) { vec![0, 1] } else { vec![0] };
        let name = format!("t{number}");
        let index = |random: &mut Random, number: usize| {
            let (first, second) = (random.pick_from(&columns), random.pick_from(&columns));
            let mut list = format!("{}{}", first.name, random.of(&["", " DESC"]));
            if first.name != second.name {
                list += &format!(", {}{}", second.name, random.of(&["", " DESC"]));
            }
            let unique = if random.one_in(6) { "UNIQUE " } else { "" };
            format!("CREATE {unique}INDEX {name}_{number} ON {name} ({list})")
        };
        let indexes = (0..random.below(3)).map(|number| index(random, number)).collect();
        Table { name, columns, key, indexes }
    }

    fn definition(&self) -> String {
        let column = |(place, column): (usize, &Column)| {
            let not_null = if self.key.contains(&place) { " NOT NULL" } else { "" };
            format!("{} {}{not_null}", column.name, column.sql_type)
        };
        let columns: Vec<String> = self.columns.iter().enumerate().map(column).collect();
        format!("CREATE TABLE {} ({}, PRIMARY KEY ({}))", self.name, columns.join(", "), self.key_names())
    }

    fn names(&self) -> String {
        self.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn key_names(&self) -> String {
        self.key.iter().map(|column| self.columns[*column].name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn is_in_key(&self, column: usize) -> bool {
        self.key.contains(&column)
    }
}

impl Column {
    fn random(random: &mut Random, name: String) -> Column {
        let (kind, sql_type) = match random.below(8) {
            0..3 => (Kind::Text, "TEXT"),
            3 => (Kind::Double, "DOUBLE PRECISION"),
            4 => (Kind::Whole, "SMALLINT"),
            5 => (Kind::Whole, "BIGINT"),
            _ => (Kind::Whole, "INTEGER"),
        };
        Column { name, kind, sql_type }
    }
}

/// Values.
impl Random {
    /// A literal.
    fn literal(&mut self, kind: Kind) -> String {
        let number = self.below(12) as i64 - 3;
        match kind {
            Kind::Whole if number < 0 => format!("({number})"),
            Kind::Whole => number.to_string(),
            // With an exponent, without which it would be a DECIMAL.
            Kind::Double if number < 0 => format!("({}e-2)", number * 25),
            Kind::Double => format!("{}e-2", number * 25),
            Kind::Text => format!("'{}'", self.of(&["a", "b", "ab", "B", "", "zz", "a_c", "ba"])),
        }
    }

    /// A literal, or NULL.
    fn value(&mut self, kind: Kind) -> String {
        if self.one_in(9) { "NULL".to_owned() } else { self.literal(kind) }
    }

    /// A literal, or NULL with a type.
    fn typed_value(&mut self, kind: Kind) -> String {
        match self.one_in(9) {
            false => self.literal(kind),
            true => {
                let sql_type = match kind {
                    Kind::Whole => "INTEGER",
                    Kind::Text => "TEXT",
                    Kind::Double => "DOUBLE PRECISION",
                };
                format!("CAST(NULL AS {sql_type})")
            }
        }
    }

    fn kind(&mut self) -> Kind {
        [Kind::Whole, Kind::Whole, Kind::Whole, Kind::Text, Kind::Text, Kind::Double][self.below(6)]
    }

    fn not(&mut self) -> &'static str {
        if self.one_in(2) { "NOT " } else { "" }
    }

    fn compared(&mut self) -> &'static str {
        ["=", "=", "<", "<=", ">", ">=", "<>"][self.below(7)]
    }
}

/// Expressions.
impl Random {
    /// A column of this kind, if the tables have one.
    fn column(&mut self, sources: &[Source<'_>], kind: Kind) -> Option<String> {
        let columns =
            sources.iter().flat_map(|source| source.table.columns.iter().map(|column| (source.called, column)));
        let columns: Vec<String> = columns
            .filter(|(_, column)| column.kind == kind)
            .map(|(called, column)| format!("{called}.{}", column.name))
            .collect();
        (!columns.is_empty()).then(|| self.pick_from(&columns).clone())
    }

    fn leaf(&mut self, sources: &[Source<'_>], kind: Kind) -> String {
        let column = if self.one_in(3) { None } else { self.column(sources, kind) };
        column.unwrap_or_else(|| self.typed_value(kind))
    }

    fn expression(&mut self, sources: &[Source<'_>], kind: Kind, depth: u32) -> String {
        if depth == 0 || self.one_in(3) {
            return self.leaf(sources, kind);
        }
        let a = self.expression(sources, kind, depth - 1);
        let b = self.expression(sources, kind, depth - 1);
        match (self.below(8), kind) {
            (0, _) => format!("COALESCE({a}, {b})"),
            (1, _) => format!("NULLIF({a}, {b})"),
            (2, _) => format!("CASE WHEN {} THEN {a} ELSE {b} END", self.condition(sources, depth - 1)),
            (3, _) => {
                let (chosen, first, second) =
                    (self.leaf(sources, kind), self.leaf(sources, kind), self.leaf(sources, kind));
                format!("CASE {chosen} WHEN {first} THEN {a} WHEN {second} THEN {b} END")
            }
            (4, Kind::Whole) => format!("LENGTH({})", self.expression(sources, Kind::Text, depth - 1)),
            (5, Kind::Whole) => format!("({} * {})", self.leaf(sources, kind), self.leaf(sources, kind)),
            (6, Kind::Whole | Kind::Double) => format!("ABS({a})"),
            (_, Kind::Whole | Kind::Double) => format!("({a} {} {b})", self.of(&["+", "-"])),
            (4 | 5, Kind::Text) => format!("{}({a})", self.of(&["UPPER", "LOWER"])),
            (_, Kind::Text) => format!("({a} || {b})"),
        }
    }

    fn condition(&mut self, sources: &[Source<'_>], depth: u32) -> String {
        let (kind, under) = (self.kind(), depth.saturating_sub(1));
        let shallow = depth.min(1);
        match self.below(if depth == 0 { 8 } else { 15 }) {
            0..3 => {
                let (a, b) = (self.expression(sources, kind, shallow), self.expression(sources, kind, shallow));
                format!("{a} {} {b}", self.compared())
            }
            3 => format!("{} IS {}NULL", self.expression(sources, kind, shallow), self.not()),
            4 => {
                let list: Vec<String> = (0..1 + self.below(4)).map(|_| self.value(kind)).collect();
                format!("{} {}IN ({})", self.leaf(sources, kind), self.not(), list.join(", "))
            }
            5 => {
                let (a, b) = (self.leaf(sources, kind), self.leaf(sources, kind));
                format!("{a} {}IN ({b}, {}, {})", self.not(), self.value(kind), self.value(kind))
            }
            6 => {
                let (a, low, high) = (self.leaf(sources, kind), self.leaf(sources, kind), self.leaf(sources, kind));
                format!("{a} {}BETWEEN {low} AND {high}", self.not())
            }
            7 => format!("{} = {}", self.leaf(sources, kind), self.value(kind)),
            8 => format!("NOT ({})", self.condition(sources, under)),
            9 => format!("({}) IS {}TRUE", self.condition(sources, under), self.not()),
            10 => {
                let (a, b) = (self.leaf(sources, kind), self.leaf(sources, kind));
                format!("{a} IS {}DISTINCT FROM {b}", self.not())
            }
            _ => {
                let joint = self.of(&["AND", "OR", "AND"]);
                format!("({} {joint} {})", self.condition(sources, under), self.condition(sources, under))
            }
        }
    }

    /// A condition with a query of its own, which may look at the row around it.
    fn with_subquery<'t>(&mut self, sources: &[Source<'t>], tables: &'t [Table]) -> String {
        let own = Source { called: "z", table: self.pick_from(tables) };
        let all: Vec<Source<'_>> = sources.iter().copied().chain([own]).collect();
        let (name, kind) = (&own.table.name, self.kind());
        let value = self.leaf(sources, kind);
        match self.below(4) {
            0 => format!("{}EXISTS (SELECT 1 FROM {name} z WHERE {})", self.not(), self.condition(&all, 1)),
            1 => {
                let (call, given) = (self.of(&["MAX", "MIN"]), self.leaf(&[own], kind));
                let compared = self.compared();
                format!("{value} {compared} (SELECT {call}({given}) FROM {name} z WHERE {})", self.condition(&all, 1))
            }
            2 => {
                let (call, given) = (self.of(&["COUNT", "SUM"]), self.leaf(&[own], Kind::Whole));
                let (value, compared) = (self.leaf(sources, Kind::Whole), self.compared());
                format!("{value} {compared} (SELECT {call}({given}) FROM {name} z WHERE {})", self.condition(&all, 1))
            }
            _ => {
                let (given, seen) = (self.leaf(&[own], kind), if self.one_in(2) { &all[..] } else { &[own] });
                format!("{value} {}IN (SELECT {given} FROM {name} z WHERE {})", self.not(), self.condition(seen, 1))
            }
        }
    }
}

/// Queries.
impl Random {
    /// One to three tables, joined, and the FROM that says so.
    fn from<'t>(&mut self, tables: &'t [Table]) -> (Vec<Source<'t>>, String) {
        let first = self.pick_from(tables);
        let mut sources = vec![Source { called: "x", table: first }];
        let mut from = format!("{} x", first.name);
        for called in ["y", "w"] {
            if self.below(5) > 1 {
                continue;
            }
            let (kind, joined) = (self.kind(), Source { called, table: self.pick_from(tables) });
            let both: Vec<Source<'_>> = sources.iter().copied().chain([joined]).collect();
            let on = match (self.below(4), self.column(&sources, kind), self.column(&[joined], kind)) {
                (1, Some(a), Some(b)) => format!("{a} = {b} AND {}", self.condition(&both, 1)),
                (2 | 3, Some(a), Some(b)) => format!("{a} = {b}"),
                _ => self.condition(&both, 1),
            };
            let join = self.of(&["JOIN", "LEFT JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]);
            from += &format!(" {join} {} {called} ON {on}", joined.table.name);
            sources = both;
        }
        (sources, from)
    }

    /// A random aggregate argument. NULLs that differ in their types only have one name, and are refused beside each
    /// other.
    fn aggregated(&mut self, sources: &[Source<'_>], kind: Kind) -> String {
        let given = self.expression(sources, kind, 1);
        match (given.contains('.') || !given.contains("NULL"), kind) {
            (true, _) => given,
            (false, Kind::Whole) => "1".to_owned(),
            (false, Kind::Text) => "'a'".to_owned(),
            (false, Kind::Double) => "1e0".to_owned(),
        }
    }

    fn aggregate(&mut self, sources: &[Source<'_>]) -> String {
        let kind = self.kind();
        match self.below(7) {
            0 => "COUNT(*)".to_owned(),
            1 => format!("COUNT({})", self.aggregated(sources, kind)),
            2 => format!("SUM({})", self.aggregated(sources, Kind::Whole)),
            3 => format!("SUM({})", self.aggregated(sources, Kind::Double)),
            4 => format!("{}({})", self.of(&["MIN", "MAX"]), self.aggregated(sources, kind)),
            5 => format!("COUNT(DISTINCT {})", self.aggregated(sources, kind)),
            _ => format!("SUM(CASE WHEN {} THEN 1 ELSE 0 END)", self.condition(sources, 1)),
        }
    }

    fn aggregates(&mut self, sources: &[Source<'_>]) -> String {
        (0..1 + self.below(3)).map(|_| self.aggregate(sources)).collect::<Vec<_>>().join(", ")
    }

    fn query(&mut self, tables: &[Table]) -> Query {
        let (sources, from) = self.from(tables);
        let mut condition = self.condition(&sources, 2);
        if self.one_in(4) {
            let joint = self.of(&["AND", "OR"]);
            condition = format!("({condition}) {joint} {}", self.with_subquery(&sources, tables));
        }
        if self.one_in(8) {
            condition = "1 = 1".to_owned();
        }
        let rest = format!("FROM {from} WHERE {condition}");
        let kind = self.kind();
        let unordered = |text| Query { text, is_ordered: false };
        match self.below(8) {
            0 => unordered(format!("SELECT {} {rest}", self.aggregates(&sources))),
            1 | 2 => unordered(self.grouped(&sources, &rest)),
            3 => {
                let (a, b) = (self.expression(&sources, kind, 1), self.expression(&sources, Kind::Whole, 1));
                unordered(format!("SELECT DISTINCT {a}, {b} {rest}"))
            }
            4 => self.ordered(&sources, &rest),
            5 => {
                let other = Source { called: "q", table: self.pick_from(tables) };
                let (a, b) = (self.expression(&sources, kind, 1), self.expression(&[other], kind, 1));
                let (joint, condition) =
                    (self.of(&["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]), self.condition(&[other], 1));
                let name = &other.table.name;
                unordered(format!("SELECT {a} AS k {rest} {joint} SELECT {b} FROM {name} q WHERE {condition}"))
            }
            6 => {
                let part = self.column(&sources, kind).unwrap_or_else(|| "x.c0".to_owned());
                let (call, given) = (self.of(&["SUM", "COUNT", "MAX"]), self.leaf(&sources, Kind::Whole));
                unordered(format!("SELECT {part}, {call}({given}) OVER (PARTITION BY {part}) {rest}"))
            }
            _ => {
                let whole = self.expression(&sources, Kind::Whole, 2);
                let (text, other) = (self.expression(&sources, Kind::Text, 2), self.expression(&sources, kind, 1));
                unordered(format!("SELECT {whole}, {text}, {other} {rest}"))
            }
        }
    }

    fn grouped(&mut self, sources: &[Source<'_>], rest: &str) -> String {
        let (kind, calls) = (self.kind(), self.aggregates(sources));
        let key = self.expression(sources, kind, 1);
        let having = match self.one_in(3) {
            true => format!(" HAVING COUNT(*) > {}", self.below(3)),
            false => String::new(),
        };
        match key.contains('.') || key.starts_with("COALESCE") {
            true => format!("SELECT {key}, {calls} {rest} GROUP BY {key}{having}"),
            false => format!("SELECT {calls} {rest}"),
        }
    }

    /// Some rows in an order that leaves nothing open.
    fn ordered(&mut self, sources: &[Source<'_>], rest: &str) -> Query {
        let columns =
            sources.iter().flat_map(|source| source.table.columns.iter().map(|column| (source.called, column)));
        let columns: Vec<String> = columns.map(|(called, column)| format!("{called}.{}", column.name)).collect();
        let first = self.pick_from(&columns);
        let first = format!("{first} {}", self.of(&["NULLS FIRST", "DESC NULLS LAST"]));
        let all = columns.iter().map(|column| format!("{column} NULLS FIRST"));
        let order = std::iter::once(first).chain(all).collect::<Vec<_>>().join(", ");
        let (most, skipped, list) = (self.below(6), self.below(3), columns.join(", "));
        Query { text: format!("SELECT {list} {rest} ORDER BY {order} LIMIT {most} OFFSET {skipped}"), is_ordered: true }
    }
}

/// Changes.
impl Random {
    fn row(&mut self, table: &Table) -> String {
        let value = |(place, column): (usize, &Column)| match table.is_in_key(place) {
            true => self.literal(column.kind),
            false => self.value(column.kind),
        };
        format!("({})", table.columns.iter().enumerate().map(value).collect::<Vec<_>>().join(", "))
    }

    /// A change, and the table that it changes.
    fn change<'t>(&mut self, tables: &'t [Table]) -> (String, &'t Table) {
        let table = self.pick_from(tables);
        let (name, columns, own) = (&table.name, table.names(), [Source { called: &table.name, table }]);
        let insert = format!("INSERT INTO {name} ({columns})");
        let places: Vec<usize> = (0..table.columns.len()).filter(|column| !table.is_in_key(*column)).collect();
        let assignment = |random: &mut Random| {
            let column = &table.columns[*random.pick_from(&places)];
            format!("{} = {}", column.name, random.expression(&own, column.kind, 1))
        };
        let change = match self.below(if places.is_empty() { 7 } else { 11 }) {
            0..3 => {
                let rows: Vec<String> = (0..1 + self.below(3)).map(|_| self.row(table)).collect();
                format!("{insert} VALUES {}", rows.join(", "))
            }
            3 => format!("{insert} VALUES {} ON CONFLICT ({}) DO NOTHING", self.row(table), table.key_names()),
            4 => self.insert_from_query(&insert, table, tables),
            5 => format!("DELETE FROM {name} WHERE ({}) AND ({})", self.condition(&own, 1), self.condition(&own, 1)),
            6 => {
                let key = &table.columns[table.key[0]];
                format!("DELETE FROM {name} WHERE {} = {}", key.name, self.literal(key.kind))
            }
            7 => {
                let (row, keys, set) = (self.row(table), table.key_names(), assignment(self));
                format!("{insert} VALUES {row} ON CONFLICT ({keys}) DO UPDATE SET {set}")
            }
            8 => format!("UPDATE {name} SET {} WHERE {}", assignment(self), self.with_subquery(&own, tables)),
            _ => format!("UPDATE {name} SET {} WHERE {}", assignment(self), self.condition(&own, 2)),
        };
        let returning = if self.one_in(3) { format!(" RETURNING {columns}") } else { String::new() };
        (change + &returning, table)
    }

    /// Rows of another table or of the same one, or one without a table.
    fn insert_from_query(&mut self, insert: &str, table: &Table, tables: &[Table]) -> String {
        let other = [Source { called: "x", table: self.pick_from(tables) }];
        let without_a_table = self.one_in(3);
        let seen = if without_a_table { &[][..] } else { &other };
        let value = |(place, column): (usize, &Column)| match (table.is_in_key(place), self.column(seen, column.kind)) {
            // A key has no NULL.
            (true, Some(known)) => format!("COALESCE({known}, {})", self.literal(column.kind)),
            (true, None) => self.literal(column.kind),
            (false, _) => self.expression(seen, column.kind, 1),
        };
        let list = table.columns.iter().enumerate().map(value).collect::<Vec<_>>().join(", ");
        match without_a_table {
            true => format!("{insert} SELECT {list}"),
            false => {
                format!("{insert} SELECT {list} FROM {} x WHERE {}", other[0].table.name, self.condition(&other, 1))
            }
        }
    }
}

/// Rows, a text a cell.
type Found = Vec<Vec<String>>;

/// The rows of a statement, or the code of the error.
type Outcome = Result<Found, Code>;

fn mainstay(session: &mut Session, sql: &str, is_prepared: bool) -> Outcome {
    let mut run = || -> mainstay_types::Result<Found> {
        if !is_prepared {
            return executed(session, sql);
        }
        let mut prepared = session.prepare(sql)?;
        let mut rows = prepared.query(session, &[])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push((0..row.len()).map(|column| shown(row.get(column))).collect());
        }
        Ok(all)
    };
    run().map_err(|error| error.code())
}

/// The rows of a text that is run once.
fn executed(session: &mut Session, sql: &str) -> mainstay_types::Result<Found> {
    let mut answer = session.execute(sql)?;
    let mut all = Vec::new();
    while let Some(batch) = answer.next_batch()? {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| value_at(column, row));
            let values = values.collect::<mainstay_types::Result<Vec<_>>>()?;
            all.push(values.iter().map(|value| shown(value.as_ref())).collect());
        }
    }
    Ok(all)
}

fn sqlite(connection: &rusqlite::Connection, sql: &str) -> rusqlite::Result<Found> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let cell = |column| {
            Ok(match row.get_ref(column)? {
                rusqlite::types::ValueRef::Null => shown(ValueRef::Null),
                rusqlite::types::ValueRef::Integer(value) => shown(ValueRef::Integer(value)),
                rusqlite::types::ValueRef::Real(value) => shown(ValueRef::Float(value)),
                rusqlite::types::ValueRef::Text(text) => shown(ValueRef::Text(&String::from_utf8_lossy(text))),
                rusqlite::types::ValueRef::Blob(bytes) => shown(ValueRef::Binary(bytes)),
            })
        };
        all.push((0..columns).map(cell).collect::<rusqlite::Result<Vec<String>>>()?);
    }
    Ok(all)
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Float(value) => format!("{value:?}"),
        other => other.to_string(),
    }
}

/// The three that are compared.
struct Three {
    seed: u64,
    fast: Session,
    general: Session,
    reference: rusqlite::Connection,
    log: Vec<String>,
}

/// The outcome of a statement.
#[derive(PartialEq, Eq)]
enum Became {
    /// All have done it, or none.
    Agreed,
    /// It needs numbers that its types do not hold, or (in SQLite) it takes keys row by row: they are no longer alike.
    OfAnotherMeaning,
}

impl Three {
    fn new(seed: u64) -> Three {
        let plain = |general_executor_only| {
            let options = Options { general_executor_only, ..Options::default() };
            Database::open_with(":memory:", options).unwrap().session()
        };
        let reference = rusqlite::Connection::open_in_memory().unwrap();
        Three { seed, fast: plain(false), general: plain(true), reference, log: Vec::new() }
    }

    fn define(&mut self, sql: String) {
        self.fast.execute(&sql).unwrap();
        self.general.execute(&sql).unwrap();
        self.reference.execute(&sql, []).unwrap();
        self.log.push(sql);
    }

    /// Runs a statement everywhere and compares.
    fn run(&mut self, sql: &str, is_prepared: bool, is_ordered: bool) -> Became {
        let mut outcomes = [mainstay(&mut self.fast, sql, is_prepared), mainstay(&mut self.general, sql, false)];
        let mut expected = sqlite(&self.reference, sql);
        if outcomes.contains(&Err(Code::InvalidValue)) {
            return Became::OfAnotherMeaning;
        }
        if !is_ordered {
            outcomes.iter_mut().flatten().for_each(|rows| rows.sort());
            expected.iter_mut().for_each(|rows| rows.sort());
        }
        let context = || format!("seed {}: {sql}\nprepared: {is_prepared}, after\n{}", self.seed, self.log.join(";\n"));
        let [fast, general] = outcomes;
        assert_eq!(fast, general, "the executors differ in {}", context());
        match (&fast, &expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "SQLite differs in {}", context()),
            // A key may be passed on from row to row here.
            (Ok(_), Err(_)) if sql.starts_with("UPDATE") => return Became::OfAnotherMeaning,
            (Err(_), Err(_)) => {}
            _ => panic!("SQLite differs, {fast:?} {expected:?}: {}", context()),
        }
        Became::Agreed
    }
}

fn run(seed: u64) {
    let mut random = Random(seed);
    let mut three = Three::new(seed);
    let tables: Vec<Table> = (0..2 + random.below(2)).map(|number| Table::random(&mut random, number)).collect();
    for table in &tables {
        three.define(table.definition());
        table.indexes.iter().for_each(|index| three.define(index.clone()));
    }
    for number in 0..STATEMENTS {
        let is_prepared = random.one_in(2);
        if number >= CHANGES_FIRST && !random.one_in(5) {
            let query = random.query(&tables);
            three.run(&query.text, is_prepared, query.is_ordered);
            continue;
        }
        let (change, table) = random.change(&tables);
        if three.run(&change, is_prepared, false) == Became::OfAnotherMeaning {
            return;
        }
        three.log.push(change);
        three.run(&format!("SELECT * FROM {}", table.name), is_prepared, false);
    }
}

#[test]
fn random_statements_over_random_schemas_agree_three_ways() {
    seeds(SEEDS).chain(SEEDS_THAT_FOUND_SOMETHING).for_each(run);
}
