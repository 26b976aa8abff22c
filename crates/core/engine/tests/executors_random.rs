//! Random queries over random tables, by both executors: prepared with parameters, which the row executor runs where it
//! can, and as text with the values as literals on the general executor alone. The answers must be the same.
//!
//! The tables are small, have columns of many types with NULLs, and are changed between the queries, so that indexes
//! lead to versions that are gone. A seed that ever failed is added to `SEEDS_THAT_FOUND_SOMETHING`.

mod common;

#[path = "support/row_executor_subqueries.rs"]
mod row_executor_subqueries;

use common::{Random, seeds};
use mainstay_columnar::values::value_at;
use mainstay_engine::{Database, Executor, Options, Session};
use mainstay_types::{Date, Decimal, Timestamp, Value, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const SEEDS: u64 = 5;
const QUERIES: usize = 60;
const SEEDS_THAT_FOUND_SOMETHING: [u64; 2] = [8, 32];

/// The columns of every table, with their types. Names end in the table's letter.
const COLUMNS: [(&str, &str); 13] = [
    ("id", "INTEGER"),
    ("small", "SMALLINT"),
    ("big", "BIGINT"),
    ("money", "DECIMAL(10,2)"),
    ("fine", "DECIMAL(12,4)"),
    ("double", "DOUBLE PRECISION"),
    ("flag", "BOOLEAN"),
    ("name", "VARCHAR(12)"),
    ("code", "CHAR(4)"),
    ("day", "DATE"),
    ("label", "VARCHAR(12) COLLATE ci_ai"),
    ("tick", "TIMESTAMP(7)"),
    ("zoned", "TIMESTAMP(7) WITH TIME ZONE"),
];

/// A random value of a column, which a parameter has exactly.
fn value(random: &mut Random, column: usize) -> Value {
    if column > 0 && random.below(9) == 0 {
        return Value::Null;
    }
    let number = random.below(24) as i64 - 6;
    match column {
        0..=2 => Value::Integer(number),
        3 => Value::Decimal(Decimal::new(i128::from(number) * 25, 2)),
        4 => Value::Decimal(Decimal::new(i128::from(number) * 12_345, 4)),
        5 => Value::Float(number as f64 / 4.0),
        6 => Value::Boolean(number % 2 == 0),
        7 => Value::Text(["", "a", "ab", "b ", "Ab", "zz", "é", "ab "][number.unsigned_abs() as usize % 8].to_owned()),
        10 => Value::Text(["", "Ab", "aB ", "b", "é", "E", "zz", "AB"][number.unsigned_abs() as usize % 8].to_owned()),
        // Also beyond what 64 bits of nanoseconds count.
        11 => Value::Timestamp(Timestamp(
            [Timestamp::FIRST.0, 0, Timestamp::LAST.0 - 9][number.unsigned_abs() as usize % 3] + number.abs() / 3,
        )),
        // Few moments, with many offsets.
        12 => Value::TimestampWithOffset { utc: Timestamp(number.abs() / 4), offset_minutes: number as i16 * 15 },
        8 => Value::Text(["", "x", "xy", "X", "yyyy"][number.unsigned_abs() as usize % 5].to_owned()),
        _ => Value::Date(Date(19_000 + number as i32)),
    }
}

/// A query as it is written, with its parameters.
#[derive(Default)]
struct Query {
    text: String,
    parameters: Vec<Value>,
}

impl Query {
    fn parameter(&mut self, value: Value) -> String {
        self.parameters.push(value);
        format!("${}", self.parameters.len())
    }

    /// A parameter of a type of T-SQL.
    fn given(&mut self, data_type: &str, value: Value) -> String {
        format!("\"mssql:given:{data_type}\"({})", self.parameter(value))
    }

    /// A condition on the columns of these tables.
    fn condition(&mut self, random: &mut Random, tables: &[&str], depth: u32) -> String {
        let table = random.of(tables);
        let column = random.below(COLUMNS.len());
        let name = format!("{}{table}", COLUMNS[column].0);
        let known = value(random, column);
        match random.below(if depth == 0 { 12 } else { 15 }) {
            12 => {
                let column = random.of(&["name", "label", "code"]);
                let pattern = random.of(&["a%", "%b", "_b%", "A%", "%", "", "%\\_%", "a_", "É", "%Z%"]);
                format!("{column}{table} {}LIKE '{pattern}'", random.of(&["", "NOT "]))
            }
            13 => {
                let text = Query::text(random, table);
                format!("{text} {} {}", random.of(&["=", "<", ">=", "<>"]), self.parameter(value(random, 7)))
            }
            14 => {
                // Which part of a condition is looked at first is not said, so none may fail.
                let number = Query::number(random, table).replace(" || '1' AS INTEGER", " || '1' AS VARCHAR");
                let number = if number.contains("VARCHAR") { format!("length({number})") } else { number };
                format!("{number} {} {}", random.of(&["=", "<", ">=", "<>"]), random.of(&["0", "1", "2.5", "19"]))
            }
            0 | 1 => {
                let op = random.of(&["=", "=", "<", ">=", "<>", ">"]);
                if column == 6 {
                    return format!("{name} IS NOT {}", random.of(&["NULL", "TRUE", "FALSE"]));
                }
                format!("{name} {op} {}", self.parameter(known))
            }
            2 => format!("id{table} = {}", self.parameter(value(random, 0))),
            3 => format!("{name} IS {}NULL", random.of(&["", "NOT "])),
            4 if column != 6 => {
                let (low, high) = (self.parameter(known), value(random, column));
                format!("{name} {}BETWEEN {low} AND {}", random.of(&["", "NOT "]), self.parameter(high))
            }
            5 if column != 6 => {
                let (first, second) = (self.parameter(known), value(random, column));
                format!("{name} {}IN ({first}, {})", random.of(&["", "NOT "]), self.parameter(second))
            }
            6 => format!("label{table} {} {}", random.of(&["=", "=", "<", ">="]), self.parameter(value(random, 10))),
            7 => {
                let column = random.of(&["label", "name"]);
                format!("\"mssql:equal\"({column}{table}, {})", self.given("varchar(12)", value(random, 10)))
            }
            8 => {
                let (function, op) = (random.of(&["add", "subtract", "multiply"]), random.of(&["greater", "less"]));
                let (given, other) = (self.given("int", value(random, 0)), random.of(&["big", "money", "id"]));
                format!("\"mssql:{op}\"(\"mssql:{function}\"(small{table}, {given}), {other}{table})")
            }
            9 if depth > 0 => format!("NOT ({})", self.condition(random, tables, depth - 1)),
            10 | 11 if depth > 0 => {
                let (left, right) =
                    (self.condition(random, tables, depth - 1), self.condition(random, tables, depth - 1));
                format!("({left} {} {right})", random.of(&["AND", "OR", "AND"]))
            }
            _ => format!("big{table} + 1 > small{table}"),
        }
    }

    /// A call that gives a text.
    fn text(random: &mut Random, table: &str) -> String {
        let column = random.of(&["name", "code", "label"]);
        random
            .of(&[
                "upper(@)",
                "lower(@)",
                "trim(@)",
                "ltrim(@)",
                "rtrim(@)",
                "substr(@, 2, 1)",
                "substring(@ FROM 2)",
                "left(@, 1)",
                "right(@, 2)",
                "replace(@, 'b', 'xy')",
                "@ || code#",
                "coalesce(@, label#)",
                "nullif(@, 'ab')",
                "lpad(@, 4, '*')",
                "reverse(@)",
                "concat(@, small#)",
                "upper(@ || name#)",
                "trim('a' FROM @)",
                "CASE WHEN length(@) > 1 THEN upper(@) ELSE name# END",
                "CASE @ WHEN 'ab' THEN lower(@) WHEN 'x' THEN code# END",
                "CAST(small# AS VARCHAR)",
                "CAST(money# AS VARCHAR)",
                "CAST(day# AS VARCHAR)",
                "CAST(tick# AS VARCHAR)",
                "CAST(zoned# AS VARCHAR)",
                "initcap(@)",
                "repeat(@, 2)",
                "split_part(@, 'b', 1)",
                "to_char(day#, '%Y-%m')",
                "chr(65 + abs(small#))",
                "CAST(@ AS VARCHAR(1))",
                "CAST(@ || ' x' AS CHAR(3))",
                "CAST(money# AS VARCHAR(3))",
                "CAST(CAST(tick# AS TIMESTAMP(3)) AS VARCHAR)",
                "CAST(CAST(zoned# AS TIMESTAMP(0) WITH TIME ZONE) AS VARCHAR)",
                "to_char(tick#, 'YYYY-MM-DD HH24:MI:SS.FF7')",
                "to_char(zoned#, 'FMDay TZH:TZM')",
                "to_char(money#, 'FM990.00')",
            ])
            .replace('@', &format!("{column}{table}"))
            .replace('#', table)
    }

    /// A call that gives a number.
    fn number(random: &mut Random, table: &str) -> String {
        random
            .of(&[
                "length(name#)",
                "position('b' IN name#)",
                "strpos(label#, 'b')",
                "octet_length(name#)",
                "abs(small#)",
                "abs(money#)",
                "round(money#, 1)",
                "round(double#)",
                "floor(double#)",
                "ceil(money#)",
                "mod(big#, 5)",
                "mod(big#, small#)",
                "sign(double#)",
                "power(double#, 2)",
                "extract(YEAR FROM day#)",
                "extract(DAY FROM day#)",
                "date_part('dow', day#)",
                "date_part('second', tick#)",
                "extract(HOUR FROM zoned#)",
                "greatest(small#, big#)",
                "least(money#, fine#)",
                "money# / 3",
                "CAST(double# AS INTEGER)",
                "CAST(name# || '1' AS INTEGER)",
                "ascii(code#)",
                "nullif(small#, 2)",
                "coalesce(small#, money#)",
                "trunc(double#, 1)",
                "sqrt(abs(big#))",
                "CAST(money# AS DECIMAL(6,1))",
                "money# % 2",
                "small# / 4",
                "-money#",
                "CAST(flag# AS INTEGER)",
                "CAST(money# AS INTEGER)",
                "CAST(fine# AS SMALLINT)",
                "CAST(fine# AS DECIMAL(8,1))",
                "CAST(double# AS DECIMAL(6,1))",
                "TRY_CAST(double# * 100000 AS SMALLINT)",
                "extract(SECOND FROM CAST(tick# AS TIMESTAMP))",
                "extract(SECOND FROM tick#)",
                "extract(EPOCH FROM zoned#)",
                "sign(money#)",
                "mod(big#, 4)",
                "div(money#, 2)",
                "width_bucket(double#, -1, 3, 4)",
                "CAST(money# AS DECIMAL(38,2)) + fine#",
            ])
            .replace('#', table)
    }

    fn expression(random: &mut Random, table: &str) -> String {
        match random.below(22) {
            14..=16 => Query::text(random, table),
            17..=19 => Query::number(random, table),
            20 => format!("name{table} LIKE '%b'"),
            21 => {
                const MOMENTS: [&str; 10] = [
                    "CAST(tick# AS TIMESTAMP(3))",
                    "CAST(tick# AS TIMESTAMP)",
                    "CAST(zoned# AS TIMESTAMP(2))",
                    "day# + INTERVAL '1 hour'",
                    "age(CAST(day# AS TIMESTAMP), TIMESTAMP '2021-03-31')",
                    "INTERVAL '36 hours' * small#",
                    "day# + INTERVAL '1 day'",
                    "date_trunc('month', day#)",
                    "day# - day#",
                    "tick# + INTERVAL '1 hour'",
                ];
                random.of(&MOMENTS).replace('#', table)
            }
            9 => format!("\"mssql:upper\"(label{table})"),
            10 => format!("\"mssql:len\"(name{table})"),
            11 => format!("\"mssql:add\"(name{table}, label{table})"),
            12 => format!("\"mssql:divide\"(money{table}, fine{table})"),
            13 => format!("\"mssql:isnull\"(money{table}, big{table})"),
            0 => format!("big{table} * 2 - small{table}"),
            1 => format!("money{table} + fine{table}"),
            2 => format!("money{table} * big{table}"),
            3 => format!("CASE WHEN flag{table} THEN name{table} ELSE code{table} END"),
            4 => format!("COALESCE(money{table}, 0)"),
            5 => format!("double{table} / 2"),
            6 => format!("-small{table}"),
            _ => format!("{}{table}", random.of(&COLUMNS.map(|(name, _)| name))),
        }
    }
}

fn query(random: &mut Random) -> Query {
    let mut query = Query::default();
    let joined = random.below(3);
    let tables: &[&str] = if joined == 0 { &["a"] } else { &["a", "b"] };
    let from = match joined {
        0 => "a".to_owned(),
        1 => format!("a JOIN b ON ida = {}", random.of(&["idb", "smallb", "bigb"])),
        _ => format!(
            "a LEFT JOIN b ON {}",
            random.of(&["namea = nameb", "ida = idb AND smallb > 2", "smalla = idb", "zoneda = zonedb"])
        ),
    };
    let condition = query.condition(random, tables, 2);
    let all_ids: Vec<String> = tables.iter().map(|table| format!("id{table}")).collect();
    let ids = all_ids.join(", ");
    query.text = match random.below(7) {
        6 => {
            let (x, key) = (Query::expression(random, "a"), random.of(&["namea DESC", "moneya", "smalla", "daya"]));
            let part = random.of(&["0", "10", "33.4", "50", "100", "250"]);
            query.parameters.clear();
            let condition = query.condition(random, &["a"], 1);
            format!(
                "SELECT x, y FROM (SELECT {x} AS x, ida AS y, smalla AS z FROM a WHERE {condition} QUALIFY row_number() OVER \
                 (ORDER BY {key}, ida) <= ceil(count(1) OVER () * CAST({part} AS DOUBLE) / 100.0)) AS t ORDER BY z, y"
            )
        }
        0 | 1 => {
            let table = random.of(tables);
            let (first, second) = (Query::expression(random, "a"), Query::expression(random, table));
            format!("SELECT {first} AS x, {second} AS y, {ids} FROM {from} WHERE {condition} ORDER BY {ids}")
        }
        2 => {
            let order = random.of(&["namea", "moneya DESC", "daya, namea DESC", "smalla DESC", "labela", "ticka", "zoneda DESC"]);
            let (skip, count) = (random.below(3), random.below(6));
            format!("SELECT * FROM {from} WHERE {condition} ORDER BY {order}, {ids} LIMIT {count} OFFSET {skip}")
        }
        3 => format!(
            "SELECT COUNT(*), COUNT(smalla), SUM(smalla), SUM(biga), SUM(moneya), AVG(moneya), AVG(smalla), MIN(namea), \
             MAX(daya), MIN(moneya), MAX(doublea), AVG(doublea), MIN(ticka), MAX(zoneda) FROM {from} WHERE {condition}"
        ),
        4 => "SELECT \"mssql:count\"(1), \"mssql:sum\"(smalla), \"mssql:sum\"(biga), \"mssql:avg\"(ida), \"mssql:avg\"(moneya), \
              \"mssql:min\"(namea), \"mssql:max\"(finea) FROM "
            .to_owned()
            + &format!("{from} WHERE {condition}"),
        _ => {
            let key = random.of(&["smalla", "namea", "flaga", "codea", "moneya", "daya", "ticka", "zoneda"]);
            format!(
                "SELECT {key}, COUNT(*) AS n, SUM(biga) AS s FROM {from} WHERE {condition} GROUP BY {key} \
                 HAVING COUNT(*) > {} ORDER BY {key}",
                random.below(3)
            )
        }
    };
    query
}

/// The rows as texts, or the code of the error.
type Outcome = Result<Vec<Vec<String>>, String>;

fn rows(session: &mut Session, text: &str, parameters: &[Value]) -> (Outcome, Executor) {
    let mut prepared = session.prepare(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let executor = prepared.executor();
    let parameters: Vec<ValueRef<'_>> = parameters.iter().map(Value::as_ref).collect();
    let mut run = || -> mainstay_types::Result<Vec<Vec<String>>> {
        let mut rows = prepared.query(session, &parameters)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push((0..row.len()).map(|column| shown(row.get(column))).collect());
        }
        Ok(all)
    };
    (run().map_err(|error| error.code().name().to_owned()), executor)
}

/// The rows of a text that is executed as it is.
fn executed(session: &mut Session, text: &str) -> Outcome {
    let mut run = || -> mainstay_types::Result<Vec<Vec<String>>> {
        let mut answer = session.execute(text)?;
        let mut all = Vec::new();
        while let Some(batch) = answer.next_batch()? {
            for row in 0..batch.num_rows() {
                let values = batch.columns().iter().map(|column| value_at(column, row));
                let values = values.collect::<mainstay_types::Result<Vec<Value>>>()?;
                all.push(values.iter().map(|value| shown(value.as_ref())).collect());
            }
        }
        Ok(all)
    };
    run().map_err(|error| error.code().name().to_owned())
}

/// A value with its kind. Sums of doubles depend on the order of the rows: the last digits do not count.
fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Float(value) => format!("{value:.9e}"),
        other => other.to_string(),
    }
}

fn bound(query: &Query) -> String {
    let mut text = query.text.clone();
    for (number, value) in query.parameters.iter().enumerate().rev() {
        let literal = match value {
            Value::Float(value) => format!("CAST('{value}' AS DOUBLE)"),
            Value::Integer(value) if *value < 0 => format!("({value})"),
            other => other.to_string(),
        };
        text = text.replace(&format!("${}", number + 1), &literal);
    }
    text
}

fn session(general_executor_only: bool) -> Session {
    mainstay_tsql_planner::register();
    let options = Options { general_executor_only, ..Options::default() };
    Database::open_with(":memory:", options).unwrap().session()
}

/// A session over a folder, whose native tables and indexes are mapped if they are there already.
fn mapped(fs: &Memory, general_executor_only: bool) -> Session {
    let options = Options { general_executor_only, native_whole_bytes: Some(0), ..Options::default() };
    Database::open_on(Arc::new(fs.clone()), Path::new("shop"), options).unwrap().session()
}

/// Makes both tables, fills them with a number of rows of this range, and changes them.
fn tables(random: &mut Random, rows: Range<usize>, both: &mut dyn FnMut(String)) {
    for table in ["a", "b"] {
        let columns: Vec<String> = COLUMNS.iter().map(|(name, kind)| format!("{name}{table} {kind}")).collect();
        both(format!("CREATE TABLE {table} ({}, PRIMARY KEY (id{table}))", columns.join(", ")));
        for index in 0..1 + random.below(3) {
            let first = random.of(&COLUMNS.map(|(name, _)| name));
            let second = random.of(&["small", "name", "day", "code"]);
            let order = random.of(&["", " DESC"]);
            if first != second {
                both(format!("CREATE INDEX i{table}{index} ON {table} ({first}{table}{order}, {second}{table})"));
            }
        }
        for id in 0..rows.start + random.below(rows.len()) {
            let values: Vec<String> = (1..COLUMNS.len()).map(|column| value(random, column).to_string()).collect();
            both(format!("INSERT INTO {table} VALUES ({id}, {})", values.join(", ")));
        }
        changes(random, table, rows.end, both);
    }
}

/// Changes some rows of a table.
fn changes(random: &mut Random, table: &str, rows: usize, both: &mut dyn FnMut(String)) {
    for _ in 0..random.below(6) {
        let column = 1 + random.below(COLUMNS.len() - 1);
        let (name, value, id) = (COLUMNS[column].0, value(random, column), random.below(rows));
        both(format!("UPDATE {table} SET {name}{table} = {value} WHERE id{table} = {id}"));
        both(format!("DELETE FROM {table} WHERE id{table} = {}", random.below(rows + 10)));
    }
}

/// Runs one seed: how many queries the row executor was meant for.
fn run(seed: u64) -> usize {
    let mut random = Random(seed);
    let (mut fast, mut general) = (session(false), session(true));
    tables(&mut random, 0..20, &mut |statement| {
        let (a, b) = (fast.execute(&statement).map(drop), general.execute(&statement).map(drop));
        assert_eq!(a.is_ok(), b.is_ok(), "seed {seed}: {statement}: {a:?} {b:?}");
    });
    let mut by_row = 0;
    for _ in 0..QUERIES {
        let query = query(&mut random);
        let (found, executor) = rows(&mut fast, &query.text, &query.parameters);
        let (wanted, _) = rows(&mut general, &bound(&query), &[]);
        by_row += usize::from(executor == Executor::Row);
        assert_eq!(found, wanted, "seed {seed}: {}\n{:?}", query.text, query.parameters);
        // A text that was not prepared has its own way to the row executor.
        let text = bound(&query);
        assert_eq!(executed(&mut fast, &text), wanted, "seed {seed}: {text}");
    }
    by_row
}

/// A table of more rows than the row executor walks one by one to group them.
fn large_table(seed: u64, fast: &mut Session, general: &mut Session) -> Random {
    let mut random = Random(seed);
    let columns: Vec<String> = COLUMNS.iter().map(|(name, kind)| format!("{name}a {kind}")).collect();
    let row = |random: &mut Random, id: usize| {
        let values: Vec<String> = (1..COLUMNS.len()).map(|column| value(random, column).to_string()).collect();
        format!("({id}, {})", values.join(", "))
    };
    let rows: Vec<String> = (0..400 + random.below(300)).map(|id| row(&mut random, id)).collect();
    let mut statements = vec![
        format!("CREATE TABLE a ({}, PRIMARY KEY (ida))", columns.join(", ")),
        format!("INSERT INTO a VALUES {}", rows.join(", ")),
    ];
    for _ in 0..random.below(8) {
        statements.push(format!("UPDATE a SET moneya = moneya + 1 WHERE smalla = {}", random.below(8)));
        statements.push(format!("DELETE FROM a WHERE biga = {}", random.below(30)));
    }
    for statement in &statements {
        fast.execute(statement).unwrap();
        general.execute(statement).unwrap();
    }
    random
}

#[test]
fn groups_of_whole_tables_are_the_same() {
    let mut by_row = 0;
    for seed in 0..6 {
        let (mut fast, mut general) = (session(false), session(true));
        let mut random = large_table(seed, &mut fast, &mut general);
        for _ in 0..12 {
            let keys =
                random.of(&["smalla", "namea", "flaga", "moneya", "daya", "smalla, flaga", "biga, daya, namea", ""]);
            let calls = random.of(&[
                "COUNT(*) AS n, SUM(smalla) AS s, MIN(moneya) AS lo, MAX(moneya) AS hi",
                "COUNT(namea) AS n, SUM(moneya) AS s, AVG(moneya) AS a, AVG(finea) AS f, MIN(namea) AS lo, MAX(daya) AS hi",
                "SUM(biga) AS n, AVG(doublea) AS d, MIN(doublea) AS lo, MAX(ida) AS hi, COUNT(flaga) AS f",
                "\"mssql:count\"(1) AS n, \"mssql:sum\"(smalla) AS s, \"mssql:avg\"(moneya) AS a, \"mssql:max\"(finea) AS hi",
            ]);
            let text = match keys {
                "" => format!("SELECT {calls} FROM a"),
                keys => format!("SELECT {keys}, {calls} FROM a GROUP BY {keys} HAVING COUNT(*) > 1 ORDER BY {keys}"),
            };
            let (found, executor) = rows(&mut fast, &text, &[]);
            let (wanted, _) = rows(&mut general, &text, &[]);
            by_row += usize::from(executor == Executor::Row);
            assert_eq!(found, wanted, "seed {seed}: {text}");
        }
    }
    assert!(by_row > 40, "the row executor was meant for only {by_row} of 72 queries");
}

/// A condition keeps the rows that it is true for: a rule of the optimizer that changes a condition in WHERE and not in
/// a list fails here, whichever executor runs.
#[test]
fn conditions_keep_what_they_are_true_for() {
    for seed in seeds(SEEDS) {
        let mut random = Random(seed + 7_000);
        let mut session = session(false);
        tables(&mut random, 0..20, &mut |statement| drop(session.execute(&statement).map(drop)));
        for _ in 0..QUERIES {
            let mut query = Query::default();
            query.text = query.condition(&mut random, &["a"], 2);
            let literal = bound(&query);
            let kept = executed(&mut session, &format!("SELECT COUNT(*) FROM a WHERE {literal}"));
            let counted = executed(&mut session, &format!("SELECT COUNT(CASE WHEN {literal} THEN 1 END) FROM a"));
            if let (Ok(kept), Ok(counted)) = (kept, counted) {
                assert_eq!(kept, counted, "seed {seed}: {literal}");
            }
        }
    }
}

#[test]
fn both_executors_answer_the_same() {
    let by_row: usize = seeds(SEEDS).chain(SEEDS_THAT_FOUND_SOMETHING).map(run).sum();
    let all = (seeds(SEEDS).count() + SEEDS_THAT_FOUND_SOMETHING.len()) * QUERIES;
    assert!(by_row * 3 > all * 2, "the row executor was meant for only {by_row} of {all} queries");
}

/// Tables of a folder that was closed and opened again: full groups and runs of indexes are mapped, with changes above
/// them. Both executors answer as the general one does over tables in memory.
#[test]
fn mapped_tables_and_indexes_answer_the_same() {
    let mut by_row = 0;
    for seed in seeds(SEEDS) {
        let mut random = Random(seed + 9_000);
        let disks = [Memory::new(), Memory::new()];
        disks.iter().for_each(|disk| disk.create_folder(Path::new("shop")).unwrap());
        let open = || [mapped(&disks[0], false), mapped(&disks[1], true)];
        let (mut tested, mut truth) = (open(), session(true));
        let mut statements = Vec::new();
        // The first groups have 64 rows.
        tables(&mut random, 80..150, &mut |statement| statements.push(statement));
        let count = statements.len();
        ["a", "b"]
            .iter()
            .for_each(|table| changes(&mut random, table, 150, &mut |statement| statements.push(statement)));
        for (number, statement) in statements.iter().enumerate() {
            if number == count {
                drop(tested);
                tested = open();
                let files = disks[0].list(Path::new("shop/.mainstay")).unwrap();
                assert!(files.iter().any(|file| file.path.extension() == Some("run".as_ref())), "{files:?}");
            }
            let outcome = truth.execute(statement).is_ok();
            tested.iter_mut().for_each(|one| assert_eq!(one.execute(statement).is_ok(), outcome, "{statement}"));
        }
        for _ in 0..QUERIES / 3 {
            let query = query(&mut random);
            let wanted = executed(&mut truth, &bound(&query));
            let (found, executor) = rows(&mut tested[0], &query.text, &query.parameters);
            by_row += usize::from(executor == Executor::Row);
            assert_eq!(found, wanted, "seed {seed}: {}\n{:?}", query.text, query.parameters);
            for session in &mut tested {
                assert_eq!(executed(session, &bound(&query)), wanted, "seed {seed}: {}", bound(&query));
            }
        }
    }
    assert!(by_row > seeds(SEEDS).count() * QUERIES / 6, "the row executor was meant for only {by_row} queries");
}

/// The batch executor answers for parameters that do not convert exactly and for many rows, with the same result.
#[test]
fn other_values_and_many_rows_are_answered_too() {
    let mut session = session(false);
    session.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v DECIMAL(8,2), at TIMESTAMP(3))").unwrap();
    let mut insert = session.prepare("INSERT INTO t VALUES ($1, $2, NULL)").unwrap();
    session.execute("BEGIN").unwrap();
    for number in 1..=20_000 {
        insert.execute(&mut session, &[ValueRef::Integer(number), ValueRef::Integer(number)]).unwrap();
    }
    session.execute("COMMIT").unwrap();
    let mut range = session.prepare("SELECT COUNT(*), SUM(v) FROM t WHERE id >= $1 AND id <= $2").unwrap();
    assert_eq!(range.executor(), Executor::Row);
    for (low, high) in [(5, 14), (1, 20_000), (7, 7), (0, 5_000), (20_001, 3)] {
        let count = (low.max(1)..=high).count() as i64;
        let mut rows = range.query(&mut session, &[ValueRef::Integer(low), ValueRef::Integer(high)]).unwrap();
        assert_eq!(rows.next().unwrap().unwrap().get(0), ValueRef::Integer(count), "{low} {high}");
    }
    let half = Decimal::new(105, 1);
    let mut rows = range.query(&mut session, &[ValueRef::Decimal(half), ValueRef::Integer(12)]).unwrap();
    assert_eq!(rows.next().unwrap().unwrap().get(0), ValueRef::Integer(2));
    let mut change = session.prepare("UPDATE t SET v = v + $2, at = $3 WHERE id > $1").unwrap();
    assert_eq!(change.executor(), Executor::Row);
    let moment = ValueRef::Timestamp(Timestamp(10_000));
    for (above, changed) in [(19_990, 10), (100, 19_900), (20_000, 0)] {
        let values = [ValueRef::Integer(above), ValueRef::Decimal(Decimal::new(100, 2)), moment];
        assert_eq!(change.execute(&mut session, &values).unwrap(), changed);
    }
    let mut delete = session.prepare("DELETE FROM t WHERE id BETWEEN $1 AND $2 AND v > $3").unwrap();
    assert_eq!(delete.executor(), Executor::Row);
    let values = [ValueRef::Integer(19_989), ValueRef::Integer(19_995), ValueRef::Integer(19_991)];
    assert_eq!(delete.execute(&mut session, &values).unwrap(), 5);
}

/// Changes that show their rows, and those that take what a query gives, are the row executor's, too, and so is what is only
/// asked to be done: all do what the batch executor does.
#[test]
fn changes_of_few_rows_are_for_the_row_executor() {
    let (mut fast, mut general) = (session(false), session(true));
    for statement in [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR(10))",
        "CREATE TABLE u (id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR(10))",
        "INSERT INTO t VALUES (1, 10, 'one'), (2, 20, 'two'), (3, 30, NULL), (4, NULL, 'four'), (5, 50, 'five'), \
         (6, 60, 'six'), (7, 70, 'seven'), (8, 80, NULL)",
    ] {
        fast.execute(statement).unwrap();
        general.execute(statement).unwrap();
    }
    for (text, parameter) in [
        ("DELETE FROM t WHERE id = $1 RETURNING s, id", 3),
        ("DELETE FROM t AS x WHERE x.n > $1 RETURNING x.id + 1 AS next, UPPER(x.s) AS upper", 60),
        ("DELETE FROM t WHERE id = $1 RETURNING *", 99),
        ("INSERT INTO u SELECT id, n, s FROM t WHERE id = $1", 4),
        ("INSERT INTO u SELECT id + 100, n, s FROM t WHERE id < $1 RETURNING id, s", 3),
        ("INSERT INTO u SELECT id + 10, n, s FROM u WHERE id > $1 RETURNING *", 0),
        ("INSERT INTO u (id, s) SELECT 50 + $1, UPPER('ab') WHERE 1 = 1", 1),
        (
            "INSERT INTO u SELECT id, 0, 'x' FROM t WHERE id > $1 ON CONFLICT (id) DO UPDATE SET s = 'y' RETURNING id, s",
            3,
        ),
        ("INSERT INTO u SELECT id, n, s FROM t WHERE id = $1", 4),
        ("INSERT INTO u (id) SELECT n FROM t WHERE id = $1", 4),
        ("UPDATE t SET n = n + 1 WHERE id = $1", 5),
        ("UPDATE t SET n = n + 1 WHERE id > $1", 3),
        ("DELETE FROM t WHERE id = $1", 6),
        ("DELETE FROM t WHERE n < $1", 11),
        ("INSERT INTO t VALUES ($1, 2, 'new')", 77),
        ("INSERT INTO t VALUES ($1, 2, 'new') RETURNING n", 78),
    ] {
        let query = Query { text: text.to_owned(), parameters: vec![Value::Integer(parameter)] };
        let (found, executor) = rows(&mut fast, text, &query.parameters);
        assert_eq!(executor, Executor::Row, "{text}");
        assert_eq!(found, executed(&mut general, &bound(&query)), "{text}");
        for table in ["SELECT * FROM t ORDER BY id", "SELECT * FROM u ORDER BY id"] {
            assert_eq!(executed(&mut fast, table), executed(&mut general, table), "after {text}");
        }
    }
    let mut insert = fast.prepare("INSERT INTO u SELECT id + 1000, n, s FROM t WHERE id > $1").unwrap();
    assert_eq!(insert.execute(&mut fast, &[ValueRef::Integer(70)]).unwrap(), 2);
    let mut delete = fast.prepare("DELETE FROM u WHERE id > $1 RETURNING id").unwrap();
    assert_eq!(delete.execute(&mut fast, &[ValueRef::Integer(1_000)]).unwrap(), 2);
}

/// A prepared statement gives vectors, whatever runs it.
#[test]
fn prepared_statements_give_vectors() {
    let mut session = session(false);
    session.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, s VARCHAR(10), d DECIMAL(8,2))").unwrap();
    let mut insert = session.prepare("INSERT INTO t VALUES ($1, 'text', 1.5)").unwrap();
    session.execute("BEGIN").unwrap();
    for number in 0..10_000 {
        insert.execute(&mut session, &[ValueRef::Integer(number)]).unwrap();
    }
    session.execute("COMMIT").unwrap();
    for (text, parameter, count) in [
        ("SELECT id, s, d FROM t WHERE id = $1", 7, 1),
        ("SELECT id, s, d FROM t WHERE id = $1", -7, 0),
        ("SELECT d, id FROM t WHERE id < $1", 30, 30),
        ("SELECT * FROM t WHERE id >= $1", 0, 10_000),
        ("SELECT id, 'x' AS x FROM t WHERE id < $1", 3, 3),
        ("UPDATE t SET s = 'other' WHERE id < $1 RETURNING s, id", 5, 5),
        ("DELETE FROM t WHERE id < $1 RETURNING *", 5, 5),
        ("DELETE FROM t WHERE id = $1", 9, 0),
    ] {
        let mut statement = session.prepare(text).unwrap();
        let mut answer = statement.query_arrow(&mut session, &[ValueRef::Integer(parameter)]).unwrap();
        let schema = answer.schema().clone();
        let mut rows = 0;
        while let Some(batch) = answer.next_batch().unwrap() {
            assert_eq!(batch.schema(), schema, "{text}");
            rows += batch.num_rows();
        }
        assert_eq!(rows, count, "{text}");
    }
}

/// An INSERT of parameters does whatever its table asks for, prepared or not.
#[test]
fn inserts_of_parameters_fill_in_the_rest() {
    let mut session = session(false);
    session.execute("CREATE TABLE p (id INTEGER PRIMARY KEY)").unwrap();
    session.execute("INSERT INTO p VALUES (1), (2)").unwrap();
    session
        .execute(
            "CREATE TABLE t (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, p INTEGER REFERENCES p, \
             amount DECIMAL(8,2) DEFAULT 5 CHECK (amount > 0), twice DECIMAL(9,2) GENERATED ALWAYS AS (amount * 2) STORED, \
             code VARCHAR(4) UNIQUE)",
        )
        .unwrap();
    let amount = ValueRef::Decimal(Decimal::new(125, 2));
    let mut both = session.prepare("INSERT INTO t (p, amount, code) VALUES ($1, $2, $3) RETURNING id, twice").unwrap();
    assert_eq!(both.executor(), Executor::Row);
    let values = [ValueRef::Integer(1), amount, ValueRef::Text("a")];
    let mut rows = both.query(&mut session, &values).unwrap();
    let row = rows.next().unwrap().unwrap();
    assert_eq!((row.get(0), row.get(1)), (ValueRef::Integer(1), ValueRef::Decimal(Decimal::new(250, 2))));
    drop(rows);
    let mut some = session.prepare("INSERT INTO t (p, code) VALUES ($1, $2), (2, $3)").unwrap();
    let values = [ValueRef::Integer(2), ValueRef::Text("b"), ValueRef::Null];
    assert_eq!(some.execute(&mut session, &values).unwrap(), 2);
    let text = "INSERT INTO t (p, code) VALUES ($1, $2) ON CONFLICT (code) DO UPDATE SET amount = t.amount + 1";
    let mut upsert = session.prepare(text).unwrap();
    let values = [ValueRef::Integer(2), ValueRef::Text("a")];
    assert_eq!(upsert.execute(&mut session, &values).unwrap(), 1);
    let code = |outcome: mainstay_types::Result<u64>| outcome.unwrap_err().code().name();
    let zero = ValueRef::Decimal(Decimal::new(0, 0));
    assert_eq!(code(both.execute(&mut session, &[ValueRef::Integer(1), zero, ValueRef::Null])), "check_violation");
    assert_eq!(
        code(both.execute(&mut session, &[ValueRef::Integer(9), amount, ValueRef::Null])),
        "foreign_key_violation"
    );
    assert_eq!(
        code(some.execute(&mut session, &[ValueRef::Integer(1), ValueRef::Text("b"), ValueRef::Null])),
        "unique_violation"
    );
    assert_eq!(code(both.execute(&mut session, &[ValueRef::Integer(1)])), "invalid_value");
    let mut all = session.prepare("SELECT COUNT(*), SUM(amount), SUM(twice), MAX(id) FROM t").unwrap();
    let mut rows = all.query(&mut session, &[]).unwrap();
    let row = rows.next().unwrap().unwrap();
    let cents = |cents| ValueRef::Decimal(Decimal::new(cents, 2));
    assert_eq!((row.get(0), row.get(1), row.get(2)), (ValueRef::Integer(3), cents(1_225), cents(2_450)));
}

/// RETURNING of an UPDATE gives the same rows whether the row executor takes their versions or the batch executor their
/// values: assigned and other columns, in the types of the columns, and for keys that rows pass to each other.
#[test]
fn updates_show_the_rows_as_they_have_become() {
    let mut prepared = session(false);
    let mut batch = session(false);
    for session in [&mut prepared, &mut batch] {
        session
            .execute(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, d DECIMAL(8,2) NOT NULL, s VARCHAR(10), c CHAR(6), n INTEGER)",
            )
            .unwrap();
        session
            .execute(
                "INSERT INTO t VALUES (1, 1.5, 'one', 'a', NULL), (2, 2, 'two', 'bb', 5), (3, 3.25, NULL, NULL, 6)",
            )
            .unwrap();
        session.execute("CREATE INDEX by_n ON t (n)").unwrap();
    }
    for change in [
        "UPDATE t SET d = d + 1, s = 'new' WHERE id = 1 RETURNING d, s, c, id, n",
        "UPDATE t SET n = 7, c = 'x  ' WHERE id <= 2 RETURNING c, n, n",
        "UPDATE t SET d = 7 WHERE id = 3 RETURNING s, d",
        "UPDATE t SET id = id + 1 RETURNING id, d",
        "UPDATE t SET id = 5 - id WHERE id IN (2, 3) RETURNING id, s",
        "UPDATE t SET d = 0 WHERE id = 99 RETURNING d",
        "UPDATE t SET d = d * 2 RETURNING id, d + 0 AS e, s",
    ] {
        let mut statement = prepared.prepare(change).unwrap();
        let all = |mut rows: mainstay_engine::Rows<'_>| {
            let types: Vec<_> = rows.schema().unwrap().fields().iter().map(|field| field.data_type().clone()).collect();
            let mut all = Vec::new();
            while let Some(row) = rows.next().unwrap() {
                all.push((0..row.len()).map(|column| row.get(column).to_value()).collect::<Vec<_>>());
            }
            (types, all)
        };
        let by_rows = all(statement.query(&mut prepared, &[]).unwrap());
        // Of a text that is run once the values are made.
        let mut answer = batch.execute(change).unwrap();
        let mut by_batch = Vec::new();
        while let Some(rows) = answer.next_batch().unwrap() {
            for row in 0..rows.num_rows() {
                let columns = rows.columns().iter();
                by_batch.push(columns.map(|column| value_at(column, row).unwrap()).collect::<Vec<_>>());
            }
        }
        let types: Vec<_> = answer.schema().fields().iter().map(|field| field.data_type().clone()).collect();
        assert_eq!(by_rows, (types, by_batch), "{change}");
    }
}
