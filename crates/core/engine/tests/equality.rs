//! The promise that the kernels and the general executor give the same answer.
//!
//! A seeded generator writes statements over tables of every kind. Each runs in two databases over the same
//! folder: one as users open it, and one with [`Options::general_executor_only`], where no table takes over a
//! condition, nothing is fused, no index is used and no literal is lifted. In the first it runs twice, so that
//! the cached plan is used too, and again with other literals, so that the plan of its shape is.
//!
//! ```text
//!   seed --> statement --> kernels   (1st, 2nd run) --\
//!                     \--> general ------------------- the same names, types and rows
//! ```
//!
//! Doubles in the generated tables are multiples of 1/4, so that sums of them are exact in any order.

mod common;

use arrow_schema::DataType;
use common::dbf::{Cell, Column, Table, column};
use common::statements::{Field, Kind, Subject, Writer};
use common::{Folder, Random, Rows};
use mainstay_engine::{Database, Options, Session};
use mainstay_types::Code;

/// The two databases.
struct Pair {
    kernels: Session,
    general: Session,
    subjects: Vec<Subject>,
}

impl Pair {
    fn open(folder: &Folder, tables: &[&str]) -> Pair {
        let open = |general_executor_only| {
            let options = Options { general_executor_only, threads: Some(2), ..Options::default() };
            Database::open_with(folder.path(), options).unwrap().session()
        };
        let (kernels, mut general) = (open(false), open(true));
        let subjects = tables.iter().map(|table| subject(&mut general, table)).collect();
        Pair { kernels, general, subjects }
    }

    /// Panics when the two differ.
    #[track_caller]
    fn compare(&mut self, statement: &str, is_ordered: bool) -> Outcome {
        let general = common::run(&mut self.general, statement);
        let mut outcome = Outcome::Failed;
        for attempt in ["first", "second"] {
            let kernels = common::run(&mut self.kernels, statement);
            match (&kernels, &general) {
                (Ok(kernels), Ok(general)) => {
                    if let Some(difference) = difference(kernels, general, is_ordered) {
                        let plan = common::rows(&mut self.kernels, &format!("EXPLAIN {statement}")).join("\n");
                        panic!("{statement}\n{attempt} run: {difference}\nthe plan of the kernels:\n{plan}");
                    }
                    outcome = if general.rows.is_empty() { Outcome::Empty } else { Outcome::Rows };
                }
                (Err(kernels), Err(general)) => {
                    assert_eq!(kernels.code(), general.code(), "{statement}\n{kernels:?}\n{general:?}");
                    assert_ne!(kernels.code(), Code::Internal, "{statement}\n{kernels:?}\n{general:?}");
                }
                (Ok(_), Err(error)) => panic!("{statement}\nonly the general executor fails: {error:?}"),
                (Err(error), Ok(_)) => panic!("{statement}\nonly the kernels fail ({attempt} run): {error:?}"),
            }
        }
        outcome
    }

    fn set_both(&mut self, name: &str, value: &str) {
        self.kernels.set(name, value).unwrap();
        self.general.set(name, value).unwrap();
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Rows,
    Empty,
    Failed,
}

/// The difference between the two answers, if any.
fn difference(kernels: &Rows, general: &Rows, is_ordered: bool) -> Option<String> {
    let shape = |rows: &Rows| -> Vec<(String, DataType)> {
        rows.schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect()
    };
    if shape(kernels) != shape(general) {
        return Some(format!("{:?} by the kernels, {:?} by the general executor", shape(kernels), shape(general)));
    }
    let lines = |rows: &Rows| {
        let mut lines: Vec<String> = rows.rows.iter().map(|row| row.join("|")).collect();
        if !is_ordered {
            lines.sort_unstable();
        }
        lines
    };
    let (kernels, general) = (lines(kernels), lines(general));
    let shorter = kernels.len().min(general.len());
    let at = kernels
        .iter()
        .zip(&general)
        .position(|(a, b)| a != b)
        .or((kernels.len() != general.len()).then_some(shorter))?;
    Some(format!(
        "{} rows by the kernels, {} by the general executor; the first difference at row {at}:\n  {:?}\n  {:?}",
        kernels.len(),
        general.len(),
        kernels.get(at),
        general.get(at)
    ))
}

/// Learns a table's columns and some of its values.
fn subject(session: &mut Session, name: &str) -> Subject {
    let schema = common::run(session, &format!("SELECT * FROM {name} LIMIT 0")).unwrap().schema;
    let slots: usize = count(session, &format!("SELECT count(*) FROM {name}"));
    let mut fields = Vec::new();
    let mut unique = "_recno".to_owned();
    for field in schema.fields() {
        let column = field.name().clone();
        let kind = match field.data_type() {
            DataType::Utf8View | DataType::Utf8 => Kind::Text,
            DataType::Int32 | DataType::Int64 | DataType::Decimal128(..) | DataType::UInt32 => Kind::Exact,
            DataType::Float64 => Kind::Double,
            DataType::Date32 => Kind::Date,
            DataType::Timestamp(..) => Kind::Moment,
            DataType::Boolean => Kind::Truth,
            _ => Kind::Other,
        };
        let mut values = Vec::new();
        if kind != Kind::Other {
            let sample = format!(
                "SELECT DISTINCT CAST({column} AS VARCHAR) AS v FROM {name} WHERE {column} IS NOT NULL ORDER BY v LIMIT 3000"
            );
            let rows = common::run(session, &sample).unwrap().rows;
            let step = rows.len() / 40 + 1;
            values = rows.iter().step_by(step).map(|row| row[0][1..row[0].len() - 1].to_owned()).collect();
        }
        if kind == Kind::Exact && count(session, &format!("SELECT count(DISTINCT {column}) FROM {name}")) == slots {
            unique = column.clone();
        }
        fields.push(Field { name: column, kind, values });
    }
    Subject { name: name.to_owned(), fields, unique, rows: slots }
}

fn count(session: &mut Session, statement: &str) -> usize {
    common::rows(session, statement)[0].parse().unwrap()
}

/// Every kind of column, with NULLs, blanks and deleted records.
const ALL_KINDS: [Column; 12] = [
    Column { name: "ID", letter: b'I', length: 4, decimals: 0, nullable: false },
    Column { name: "NAME", letter: b'C', length: 12, decimals: 0, nullable: true },
    Column { name: "TAG", letter: b'C', length: 3, decimals: 0, nullable: false },
    Column { name: "AMT", letter: b'N', length: 8, decimals: 2, nullable: true },
    Column { name: "QTY", letter: b'N', length: 4, decimals: 0, nullable: false },
    Column { name: "BIG", letter: b'N', length: 19, decimals: 4, nullable: false },
    Column { name: "DAY", letter: b'D', length: 8, decimals: 0, nullable: false },
    Column { name: "OK", letter: b'L', length: 1, decimals: 0, nullable: true },
    Column { name: "COST", letter: b'Y', length: 8, decimals: 4, nullable: true },
    Column { name: "DBL", letter: b'B', length: 8, decimals: 2, nullable: true },
    Column { name: "AT", letter: b'T', length: 8, decimals: 0, nullable: true },
    Column { name: "NOTE", letter: b'M', length: 4, decimals: 0, nullable: true },
];

fn text(random: &mut Random) -> String {
    let words = ["", "a", "A", "ab", "Ab c", "b", "ba", "zebra", "x_y", "50%", "a b", "abcabcabcabc", "O'Hara", "a\\b"];
    random.pick(&words).to_owned()
}

fn number(random: &mut Random, bound: usize, decimals: usize) -> String {
    let sign = if random.one_in(4) { "-" } else { "" };
    let whole = random.below(bound);
    match decimals {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{:0decimals$}", random.below(10usize.pow(decimals as u32))),
    }
}

fn cells(random: &mut Random, id: usize) -> Vec<Cell> {
    let mut cells = vec![
        Cell::Integer(id as i32 - 3),
        Cell::Text(text(random)),
        Cell::Text((*random.pick(&["AA", "AB", "B", "", "zz", "C C"])).to_owned()),
        Cell::Text(if random.one_in(9) { String::new() } else { number(random, 500, 2) }),
        Cell::Text(if random.one_in(9) { String::new() } else { number(random, 30, 0) }),
        Cell::Text(if random.one_in(9) { String::new() } else { number(random, 1_000_000_000, 4) }),
        Cell::Text(if random.one_in(6) {
            String::new()
        } else {
            format!("202{}0{}1{}", random.below(3), 1 + random.below(9), random.below(9))
        }),
        Cell::Text((*random.pick(&["T", "F", "y", " ", "?"])).to_owned()),
        Cell::Currency((random.below(2_000_000) as i64 - 1_000_000) * 25),
        Cell::Double((random.below(4_000) as f64 - 2_000.0) / 4.0),
        Cell::Moment(
            if random.one_in(8) { 0 } else { 2_460_000 + random.below(40) as u32 },
            random.below(86_400) as u32 * 1_000,
        ),
        Cell::Text(if random.one_in(3) { String::new() } else { text(random).repeat(1 + random.below(3)) }),
    ];
    for (cell, column) in cells.iter_mut().zip(&ALL_KINDS) {
        if column.nullable && random.one_in(7) {
            *cell = Cell::Null;
        }
    }
    cells
}

fn write_all_kinds(folder: &Folder, name: &str, random: &mut Random, records: usize) {
    let mut table = Table::new(&ALL_KINDS);
    for id in 0..records {
        let deleted = random.one_in(6);
        let cells = cells(random, id);
        table.push(deleted, &cells);
    }
    folder.write(&format!("{name}.dbf"), table.dbf()).write(&format!("{name}.fpt"), table.fpt());
}

fn write_csv(folder: &Folder, name: &str, random: &mut Random, records: usize) {
    let mut out = "id,name,amount,qty,day,ok,at\n".to_owned();
    for id in 0..records {
        let blank = |random: &mut Random, value: String| if random.one_in(8) { String::new() } else { value };
        let (amount, qty) = (number(random, 500, 2), number(random, 30, 0));
        let day = format!("202{}-0{}-1{}", random.below(3), 1 + random.below(9), random.below(9));
        let at = format!("{day}T1{}:00:0{}", random.below(10), random.below(10));
        let name = text(random);
        out += &format!("{id},\"{name}{}\",", if random.one_in(4) { "  " } else { "" });
        let fields = [amount, qty, day, (*random.pick(&["true", "false"])).to_owned(), at];
        out += &fields.map(|field| blank(random, field)).join(",");
        out.push('\n');
    }
    folder.write(&format!("{name}.csv"), out);
}

/// Runs statements of a seed, each as it is and with other literals; gives how many had rows.
fn compare_statements(pair: &mut Pair, seed: u64, statements: usize) {
    let subjects = std::mem::take(&mut pair.subjects);
    let (mut with_rows, mut failed) = (0, 0);
    for i in 0..statements as u64 {
        let shape = Random(seed.wrapping_mul(1_000_003).wrapping_add(i));
        for values in [1, 2] {
            let (statement, is_ordered) = Writer::new(&subjects, shape.clone(), Random(shape.0 ^ values)).statement();
            let outcome = pair.compare(&statement, is_ordered);
            with_rows += usize::from(outcome == Outcome::Rows);
            if outcome == Outcome::Failed {
                failed += 1;
            }
        }
    }
    pair.subjects = subjects;
    let all = statements * 2;
    assert!(failed * 10 <= all, "seed {seed}: {failed} of {all} statements fail: they compare nothing");
    assert!(with_rows * 2 >= all, "seed {seed}: only {with_rows} of {all} statements give rows");
}

fn seed() -> u64 {
    std::env::var("EQUALITY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

#[test]
fn small_tables_of_every_kind() {
    for seed in seed()..seed() + 3 {
        let (folder, mut random) = (Folder::new(), Random(seed));
        write_all_kinds(&folder, "a", &mut random, 300);
        write_all_kinds(&folder, "b", &mut random, 40);
        write_csv(&folder, "c", &mut random, 200);
        let mut pair = Pair::open(&folder, &["a", "b", "c"]);
        compare_statements(&mut pair, seed, 150);
        pair.set_both("show_deleted", "on");
        compare_statements(&mut pair, seed + 1_000, 40);
    }
}

#[test]
fn several_row_groups() {
    let (folder, mut random) = (Folder::new(), Random(seed() + 7));
    write_all_kinds(&folder, "a", &mut random, 70_000);
    write_csv(&folder, "c", &mut random, 66_000);
    let mut pair = Pair::open(&folder, &["a", "c"]);
    compare_statements(&mut pair, seed() + 7, 40);
}

#[test]
fn tables_with_indexes() {
    let folder = Folder::new();
    for prefix in ["t03", "t04", "t05", "t07"] {
        folder.copy_fixtures(prefix);
    }
    let mut pair = Pair::open(&folder, &["t03_cdx_tags", "t04_cdx_updated", "t05_ntx", "t07_vfp"]);
    compare_statements(&mut pair, seed() + 13, 300);
    pair.set_both("show_deleted", "on");
    compare_statements(&mut pair, seed() + 14, 50);
}

#[test]
fn an_indexed_table_of_several_row_groups() {
    let folder = Folder::new();
    folder.copy_fixtures("t11");
    let mut pair = Pair::open(&folder, &["t11_bench100k"]);
    compare_statements(&mut pair, seed() + 17, 60);
}

#[test]
fn tables_without_rows() {
    let (folder, mut random) = (Folder::new(), Random(1));
    write_all_kinds(&folder, "a", &mut random, 0);
    let mut deleted = Table::new(&ALL_KINDS);
    for id in 0..5 {
        let cells = cells(&mut random, id);
        deleted.push(true, &cells);
    }
    folder.write("b.dbf", deleted.dbf()).write("b.fpt", deleted.fpt());
    let mut pair = Pair::open(&folder, &["a", "b"]);
    let subjects = std::mem::take(&mut pair.subjects);
    for i in 0..150 {
        let (statement, is_ordered) = Writer::new(&subjects, Random(i), Random(i)).statement();
        pair.compare(&statement, is_ordered);
    }
}

/// The comparison compares something: in one database the kernels run, in the other they do not.
#[test]
fn the_switch_switches() {
    let (folder, mut random) = (Folder::new(), Random(1));
    write_all_kinds(&folder, "a", &mut random, 10);
    let mut pair = Pair::open(&folder, &["a"]);
    let statement = "EXPLAIN SELECT tag, sum(amt) FROM a WHERE qty > 3 GROUP BY tag";
    let kernels = common::rows(&mut pair.kernels, statement).join("\n");
    let general = common::rows(&mut pair.general, statement).join("\n");
    assert!(kernels.contains("TableAggregate") && kernels.contains("where=\"QTY\" > 3"), "{kernels}");
    assert!(!general.contains("TableAggregate") && general.contains("FilterExec"), "{general}");
}

/// More groups than the kernel holds, of a table large enough to be divided among threads. Where a
/// sample of the rows indicates many, the kernel is not tried; where the runs of the sample miss them (`burst`), it gives up, and
/// the plan that it replaced runs.
#[test]
fn many_groups_of_a_large_table() {
    let folder = Folder::new();
    let names = ["ID", "PAIR", "BURST"];
    let mut table = Table::new(&names.map(|name| column(name, 'I', 4, 0, false)));
    for id in 0..1_000_000 {
        let burst = if id % 125_000 < 60_000 { 1 } else { id };
        table.push(false, &[Cell::Integer(id), Cell::Integer((id * 7 % 1_000_000) / 2), Cell::Integer(burst)]);
    }
    folder.write("big.dbf", table.dbf());
    let mut pair = Pair::open(&folder, &["big"]);
    for statement in [
        "SELECT COUNT(*), SUM(n), MIN(n), MAX(n), SUM(pair) FROM (SELECT pair, COUNT(*) AS n FROM big GROUP BY pair) q",
        "SELECT COUNT(*), SUM(id) FROM (SELECT DISTINCT id FROM big) q",
        "SELECT COUNT(DISTINCT pair), COUNT(DISTINCT id) FROM big",
        "SELECT pair, SUM(id) AS s FROM big GROUP BY pair ORDER BY s DESC, pair LIMIT 5",
        "SELECT COUNT(*) FROM (SELECT pair, MAX(id) AS m FROM big GROUP BY pair) a JOIN big b ON b.id = a.m",
        "SELECT COUNT(*), SUM(n), MAX(burst) FROM (SELECT burst, COUNT(*) AS n FROM big GROUP BY burst) q",
    ] {
        assert_eq!(pair.compare(statement, true), Outcome::Rows);
    }
    let mut is_fused = |column: &str| {
        let explain = format!("EXPLAIN SELECT {column}, COUNT(*) FROM big GROUP BY {column}");
        common::rows(&mut pair.kernels, &explain).join("\n").contains("TableAggregate")
    };
    assert_eq!(["pair", "burst"].map(&mut is_fused), [false, true]);
}

/// A count of all rows goes past the planner: it has the names, types, rows and errors of one that does not.
#[test]
fn counts_of_whole_tables() {
    let folder = Folder::new();
    write_all_kinds(&folder, "a", &mut Random(3), 300);
    let mut pair = Pair::open(&folder, &["a"]);
    let mut outcomes = Vec::new();
    for statement in [
        "SELECT COUNT(*) FROM a",
        "select count ( * ) as \"How Many\" from A",
        "SELECT Count(*) n FROM a",
        "SELECT COUNT(*) AS _deleted FROM a",
        "SELECT COUNT(*) FROM b",
        "SELECT COUNT(*) FROM a.a",
    ] {
        outcomes.push(pair.compare(statement, false) == Outcome::Rows);
    }
    assert_eq!(outcomes, [true, true, true, true, false, false]);
}

/// Statements of the generator, made smaller, for which the two once differed.
#[test]
fn differences_that_were_found() {
    let folder = Folder::new();
    folder.copy_fixtures("t07");
    write_all_kinds(&folder, "a", &mut Random(0), 300);
    let mut pair = Pair::open(&folder, &["a"]);
    for statement in [
        // NOT of a test that is never unknown.
        "SELECT id FROM a WHERE NOT (ok IS FALSE)",
        "SELECT id FROM a WHERE NOT (ok IS TRUE)",
        "SELECT id FROM a WHERE ok IS TRUE OR ok IS NOT FALSE",
        // A comparison with NULL among others is folded to an unknown constant.
        "SELECT id FROM a WHERE name IN ('a', NULL)",
        "SELECT id FROM a WHERE NOT (name IN ('a', NULL) AND ok)",
        // Only the kernels knew another escape than the backslash.
        "SELECT id FROM a WHERE name LIKE '%!%%' ESCAPE '!'",
        "SELECT id FROM a WHERE name NOT ILIKE 'X!_Y' ESCAPE '!' OR qty > 3",
        // Two lists about one column were intersected before their values were known.
        "SELECT id FROM a WHERE tag IN ('AA', 'B') AND tag IN ('B', 'zz')",
        "SELECT id FROM a WHERE tag IN ('AA', 'B') AND tag NOT IN ('B', 'zz')",
        "SELECT id FROM t07_vfp WHERE note IN ('note 9')",
        "SELECT id, note FROM t07_vfp WHERE vc IN ('vv') OR (note IN ('note 9') AND note IN ('note 9', 'note 12', 'no'))",
        "SELECT id, vc FROM t07_vfp WHERE vc IN ('vv', 'vvvvvvvvvv', 'vvvvvvvvvvv', 'vvvvvvvvvvvx', 'x')",
    ] {
        pair.compare(statement, false);
    }
}

/// A large table with two small ones that say what its rows are, with NULLs, long texts and many texts.
fn report_tables() -> Folder {
    let (folder, mut random) = (Folder::new(), Random(11));
    let mut customers = "id,region,city\n".to_owned();
    for id in 0..700 {
        let region = if id % 13 == 0 { String::new() } else { format!("region {}", id % 7) };
        customers.push_str(&format!("{id},{region},a city with a long name {}\n", id % 650));
    }
    let mut products = "id,category\n".to_owned();
    (0..40).for_each(|id| products.push_str(&format!("{id},c{}\n", id % 6)));
    let mut sales = "customer,product,amount,note\n".to_owned();
    for _ in 0..9_000 {
        let (customer, product, amount) = (random.below(720), random.below(45), random.below(1_000));
        let note = ["region 3", "region 4", "a city with a long name 5", "c2"][random.below(4)];
        sales.push_str(&format!("{customer},{product},{}.{},{note}\n", amount, random.pick(&["00", "25", "50"])));
    }
    folder.write("customers.csv", customers).write("products.csv", products).write("sales.csv", sales);
    folder
}

#[test]
fn texts_of_small_tables_that_are_grouped_by_their_numbers_give_the_same_groups() {
    let folder = report_tables();
    let mut pair = Pair::open(&folder, &[]);
    let join = "FROM sales s JOIN customers c ON c.id = s.customer JOIN products p ON p.id = s.product";
    // The statements, and how many texts of each are numbered.
    let statements = [
        (format!("SELECT c.region, p.category, COUNT(*), SUM(s.amount) {join} GROUP BY c.region, p.category"), 2),
        (format!("SELECT p.category, c.city, AVG(s.amount) {join} GROUP BY c.city, p.category"), 2),
        (format!("SELECT c.region, COUNT(*) AS n {join} GROUP BY c.region HAVING COUNT(*) > 900"), 1),
        (format!("SELECT c.region, c.city, p.category, s.product, COUNT(*) {join} GROUP BY 1, 2, 3, 4"), 3),
        (format!("SELECT c.region, s.note, COUNT(*) {join} WHERE p.category = 'c1' GROUP BY c.region, s.note"), 1),
        (format!("SELECT c.city, MAX(p.category) {join} WHERE c.region IS NULL GROUP BY c.city"), 1),
        // Somebody looks at the text before there are groups.
        (format!("SELECT c.city, MIN(c.city), COUNT(*) {join} GROUP BY c.city"), 0),
        (format!("SELECT c.region, COUNT(*) {join} WHERE c.region < s.note GROUP BY c.region"), 0),
        (format!("SELECT upper(c.region), COUNT(*) {join} GROUP BY upper(c.region)"), 0),
        ("SELECT c.region, COUNT(*) FROM sales s JOIN customers c ON c.region = s.note GROUP BY c.region".into(), 0),
        // It may be NULL where there is no row, or is of the large table, or in several sets of groups.
        (
            "SELECT c.region, COUNT(*) FROM sales s LEFT JOIN customers c ON c.id = s.customer GROUP BY c.region"
                .into(),
            0,
        ),
        (format!("SELECT s.note, COUNT(*) {join} GROUP BY s.note"), 0),
        (format!("SELECT c.region, p.category, COUNT(*) {join} GROUP BY ROLLUP (c.region, p.category)"), 0),
    ];
    for (statement, numbered) in statements {
        assert_eq!(pair.compare(&statement, false), Outcome::Rows, "{statement}");
        let plan = common::rows(&mut pair.kernels, &format!("EXPLAIN {statement}")).join("\n");
        assert_eq!(plan.matches("EncodeTexts").count(), numbered, "{statement}\n{plan}");
        assert_eq!(plan.matches("DecodeTexts").count(), numbered.min(1), "{statement}\n{plan}");
    }
}

#[test]
fn the_first_rows_of_a_kind_are_the_same_however_often_they_are_asked_for() {
    let folder = report_tables();
    let mut pair = Pair::open(&folder, &[]);
    for statement in [
        "SELECT * FROM customers WHERE region = 'region 3' LIMIT 10",
        "SELECT city, region FROM customers WHERE region IS NULL LIMIT 1000",
        "SELECT city AS \"Town\" FROM customers LIMIT 5",
        "SELECT id FROM customers WHERE id > 690 AND region <> 'region 1' LIMIT 3",
        "SELECT note FROM sales WHERE amount = 3.25 LIMIT 0",
        "SELECT id FROM customers WHERE region = 'nowhere' LIMIT 7",
    ] {
        for _ in 0..2 {
            pair.compare(statement, true);
        }
        pair.compare(&statement.replace("LIMIT ", "LIMIT 2 OFFSET "), true);
    }
}
