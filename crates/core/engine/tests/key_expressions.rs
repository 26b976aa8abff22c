//! Tags whose keys are expressions, and tags with conditions: they give the answers of a scan.
//!
//! Tables are created twice, once with tags and once without. Plans prove that the tags are used.

#![allow(clippy::disallowed_methods)]

mod common;
mod support;

use common::{Random, seeds};
use mainstay_engine::{Database, Options, Session};
use support::{change, lines, plan, rows};
use tempfile::TempDir;

const SEEDS: u64 = 8;
const CONDITIONS: usize = 30;
const RECORDS: usize = 150;

/// The same table with and without tags.
struct Tables {
    indexed: TempDir,
    plain: TempDir,
}

const COLUMNS: &str =
    "id INTEGER, name CHAR(8), code CHAR(2), n DECIMAL(6, 0), amt DECIMAL(8, 2), born DATE, here BOOLEAN";

impl Tables {
    fn new(version: &str, rows: &[String]) -> Tables {
        let made = || {
            let folder = tempfile::tempdir().unwrap();
            let mut session = support::session(folder.path());
            change(&mut session, &format!("CREATE TABLE t ({COLUMNS}) WITH (FORMAT = dbf, VERSION = {version})"));
            change(&mut session, &format!("INSERT INTO t VALUES {}", rows.join(", ")));
            folder
        };
        Tables { indexed: made(), plain: made() }
    }

    fn both(&self, sql: &str) {
        for folder in [&self.indexed, &self.plain] {
            change(&mut support::session(folder.path()), sql);
        }
    }

    #[track_caller]
    fn tag(&self, definition: &str) {
        change(&mut support::session(self.indexed.path()), &format!("CREATE INDEX {definition}"));
    }

    /// The indexed session keeps nothing that it decoded: a wide range would be looked for in that.
    fn frugal(&self) -> (Session, Session) {
        let options = Options { memory_limit_bytes: Some(1 << 12), ..Options::default() };
        let indexed = Database::open_with(self.indexed.path(), options).unwrap().session();
        (indexed, support::session(self.plain.path()))
    }

    fn sessions(&self) -> (Session, Session) {
        (support::session(self.indexed.path()), support::session(self.plain.path()))
    }
}

fn people() -> Vec<String> {
    let names = ["Adam", "ADAMS", "Bo", "Straße", "Zoe", "adam", "Cy", "Di"];
    (0..200)
        .map(|at: usize| {
            let (name, code) = (names[at % 8], ["A", "B", "C"][at % 3]);
            let (n, day) = (at % 10, at % 28 + 1);
            format!("({at}, '{name}', '{code}', {n}, {at}.25, DATE '2026-01-{day:02}', {})", at.is_multiple_of(5))
        })
        .collect()
}

/// Checks that the plan over the indexed table contains this text, and that both tables give the same rows.
#[track_caller]
fn check(sessions: &mut (Session, Session), sql: &str, expected: &str) {
    let shown = plan(&mut sessions.0, sql);
    assert!(shown.contains(expected), "{sql}\n{shown}");
    let sorted = |session: &mut Session| {
        let mut lines = lines(session, sql);
        if !sql.contains("ORDER BY") {
            lines.sort();
        }
        lines
    };
    assert_eq!(sorted(&mut sessions.0), sorted(&mut sessions.1), "{sql}\n{shown}");
}

#[test]
fn conditions_on_the_expression_of_a_key_are_ranges_of_it() {
    let tables = Tables::new("foxpro", &people());
    for definition in [
        "upname ON t ('UPPER(NAME)')",
        "numday ON t ('STR(N,6)+DTOS(BORN)')",
        "product ON t ('N*AMT')",
        "head ON t ('CODE+UPPER(NAME)')",
        "zeros ON t ('STRZERO(ID,6)')",
        "year ON t ('YEAR(BORN)')",
    ] {
        tables.tag(definition);
    }
    let mut sessions = tables.frugal();
    for (condition, index) in [
        ("upper(name) = 'ADAM'", "index=UPNAME of t.cdx: upper(\"NAME\") = 'ADAM'"),
        ("upper(name) LIKE 'AD%'", "index=UPNAME of t.cdx: upper(\"NAME\") LIKE 'AD%'"),
        ("upper(name) >= 'Y'", "index=UPNAME of t.cdx: upper(\"NAME\") >= 'Y'"),
        ("name = 'Adam'", "index=UPNAME of t.cdx: \"NAME\" = 'Adam'"),
        (
            "upper(name) = 'STRASSE'",
            "index=(UPNAME of t.cdx: upper(\"NAME\") = 'STRASSE' or UPNAME of t.cdx: upper(\"NAME\") = 'STRASSE' (with ß))",
        ),
        ("upper(name) IN ('ZOE', 'BO') AND upper(name) > 'C'", "upper(\"NAME\") = 'ZOE' and upper(\"NAME\") > 'C'"),
        ("n = 5", "index=NUMDAY of t.cdx: \"N\" = 5"),
        ("n BETWEEN 2 AND 3", "index=NUMDAY of t.cdx: \"N\" >= 2 and \"N\" <= 3"),
        (
            "n = 5 AND born BETWEEN DATE '2026-01-03' AND DATE '2026-01-09'",
            "NUMDAY of t.cdx: \"N\" = 5 and \"BORN\" >= DATE '2026-01-03' and \"BORN\" <= DATE '2026-01-09'",
        ),
        ("n IN (5, 7) AND born = DATE '2026-01-08'", "NUMDAY of t.cdx: \"N\" = 7 and \"BORN\" = DATE '2026-01-08'"),
        ("n * amt > 1700", "index=PRODUCT of t.cdx: \"N\" * \"AMT\" > 1700"),
        ("code = 'B' AND upper(name) = 'BO'", "upper(\"NAME\") = 'BO'"),
        ("lower(code) = 'b'", "HEAD of t.cdx: lower(\"CODE\") = 'b' (as 'B')"),
        ("id = 77", "index=ZEROS of t.cdx: \"ID\" = 77"),
        ("id BETWEEN 77 AND 79", "index=ZEROS of t.cdx: \"ID\" >= 77 and \"ID\" <= 79"),
    ] {
        check(&mut sessions, &format!("SELECT id, name FROM t WHERE {condition}"), index);
    }
    // The key tells nothing of these.
    for condition in ["upper(name) LIKE '%M'", "upper(name) <> 'ADAM'", "amt = 5.25"] {
        let sql = format!("SELECT id FROM t WHERE {condition}");
        assert!(!plan(&mut sessions.0, &sql).contains("index="), "{condition}");
    }
}

#[test]
fn a_tag_with_a_condition_answers_what_implies_it() {
    let tables = Tables::new("foxpro", &people());
    for definition in [
        "herename ON t (name) WHERE here",
        "late ON t (n) WHERE born > DATE '2026-01-10' AND amt >= 20",
        "codea ON t (amt) WHERE code = 'A'",
        "live ON t (born) WHERE NOT _deleted",
    ] {
        tables.tag(definition);
    }
    tables.both("DELETE FROM t WHERE id % 7 = 0");
    let mut sessions = tables.frugal();
    for (condition, index) in [
        ("here AND name = 'Bo'", "index=HERENAME of t.cdx: \"NAME\" = 'Bo'"),
        ("here AND (name = 'Bo' OR name = 'Cy' AND n > 3)", "HERENAME of t.cdx: \"NAME\" = 'Cy'"),
        ("here AND name LIKE 'A%'", "index=HERENAME of t.cdx: \"NAME\" LIKE 'A%'"),
        ("here", "index=HERENAME of t.cdx: FOR HERE"),
        ("n = 4 AND born >= DATE '2026-01-12' AND amt > 20", "LATE of t.cdx: \"N\" = 4"),
        ("n = 4 AND born = DATE '2026-01-12' AND amt IN (20, 43.25)", "LATE of t.cdx: \"N\" = 4"),
        ("code = 'A' AND amt < 50", "index=CODEA of t.cdx: \"AMT\" < 50"),
        ("born = DATE '2026-01-05'", "index=LIVE of t.cdx: \"BORN\" = DATE '2026-01-05'"),
    ] {
        check(&mut sessions, &format!("SELECT id, name FROM t WHERE {condition}"), index);
    }
    for condition in [
        "name = 'Bo'",
        "NOT here AND name = 'Bo'",
        "(here OR n = 3) AND name = 'Bo'",
        "n = 4 AND born >= DATE '2026-01-10' AND amt > 20",
        "n = 4 AND born >= DATE '2026-01-12' AND amt > 19.99",
        "n = 4 AND (born = DATE '2026-01-12' OR amt > 20)",
        "code >= 'A' AND amt < 50",
    ] {
        let sql = format!("SELECT id FROM t WHERE {condition}");
        let shown = plan(&mut sessions.0, &sql);
        assert!(["HERENAME", "LATE", "CODEA"].iter().all(|tag| !shown.contains(tag)), "{condition}\n{shown}");
    }
    for session in [&mut sessions.0, &mut sessions.1] {
        session.set("show_deleted", "on").unwrap();
    }
    let sql = "SELECT id FROM t WHERE born = DATE '2026-01-05'";
    assert!(!plan(&mut sessions.0, sql).contains("index="));
    check(&mut sessions, &format!("{sql} AND NOT _deleted"), "index=LIVE of t.cdx: \"BORN\" = DATE '2026-01-05'");
    check(&mut sessions, "SELECT id FROM t WHERE here AND name = 'Bo'", "index=HERENAME of t.cdx");
}

#[test]
fn orders_by_several_columns_and_by_expressions_are_walks() {
    let mut people = people();
    people.retain(|row| !row.contains('ß'));
    let tables = Tables::new("foxpro", &people);
    for definition in [
        "numday ON t ('STR(N,6)+DTOS(BORN)')",
        "codename ON t ('UPPER(CODE)+NAME')",
        "upname ON t ('UPPER(NAME)')",
        "codenum ON t ('CODE+STR(N,6)')",
    ] {
        tables.tag(definition);
    }
    let mut sessions = tables.sessions();
    for (order, index) in [
        ("n, born", "TableOrder: by=NUMDAY of t.cdx,"),
        ("n DESC, born DESC", "TableOrder: by=NUMDAY of t.cdx descending"),
        ("n, born LIMIT 7", "TableOrder: by=NUMDAY of t.cdx, limit=7"),
        ("n DESC LIMIT 3", "TableOrder: by=NUMDAY of t.cdx descending, limit=3"),
        ("upper(name)", "TableOrder: by=UPNAME of t.cdx"),
        ("upper(name) DESC LIMIT 9", "TableOrder: by=UPNAME of t.cdx descending"),
        ("upper(code), name", "TableOrder: by=CODENAME of t.cdx"),
        ("code, n LIMIT 50", "TableOrder: by=CODENUM of t.cdx"),
        ("code DESC, n DESC LIMIT 50", "TableOrder: by=CODENUM of t.cdx descending"),
    ] {
        let columns = order.split(" LIMIT").next().unwrap().replace(" DESC", "");
        check(&mut sessions, &format!("SELECT {columns} FROM t ORDER BY {order}"), index);
    }
    for order in ["n, born DESC", "born, n", "name, code", "n NULLS LAST", "n, born, name"] {
        let sql = format!("SELECT n FROM t ORDER BY {order}");
        assert!(!plan(&mut sessions.0, &sql).contains("by=NUMDAY"), "{order}");
    }
    // The digits do not order these rows; the walk finds them.
    for row in [
        "(900, 'x', 'A', -3, 1, NULL, NULL)",
        "(901, 'x', 'B', NULL, 1, NULL, NULL)",
        "(902, 'é', 'B', 9, 1, NULL, NULL)",
    ] {
        tables.both(&format!("INSERT INTO t VALUES {row}"));
        for order in
            ["n, born", "n DESC", "n LIMIT 3", "n DESC LIMIT 3", "code, n LIMIT 10", "code DESC, n DESC LIMIT 150"]
        {
            let columns = order.split(" LIMIT").next().unwrap().replace(" DESC", "");
            check(&mut sessions, &format!("SELECT {columns} FROM t ORDER BY {order}"), "TableOrder");
        }
    }
}

#[test]
fn the_least_and_the_greatest_come_from_the_ends() {
    let tables = Tables::new("foxpro", &people());
    for definition in [
        "upname ON t ('UPPER(NAME)')",
        "numday ON t ('STR(N,6)+DTOS(BORN)')",
        "born ON t (born)",
        "liveamt ON t (amt) WHERE NOT _deleted",
        "idtag ON t (id)",
    ] {
        tables.tag(definition);
    }
    tables.both("DELETE FROM t WHERE id < 20 OR id > 190");
    let mut sessions = tables.sessions();
    for (values, index) in [
        ("MIN(n), MAX(n)", "from the ends of [NUMDAY of t.cdx, NUMDAY of t.cdx descending]"),
        ("MIN(upper(name)), MAX(upper(name))", "from the ends of [UPNAME of t.cdx, UPNAME of t.cdx descending]"),
        ("MAX(amt)", "from the ends of [LIVEAMT of t.cdx descending]"),
        ("MIN(id), MAX(born)", "from the ends of [IDTAG of t.cdx, BORN of t.cdx descending]"),
    ] {
        check(&mut sessions, &format!("SELECT {values} FROM t"), index);
    }
    for session in [&mut sessions.0, &mut sessions.1] {
        session.set("show_deleted", "on").unwrap();
    }
    check(
        &mut sessions,
        "SELECT MIN(id), MAX(id) FROM t",
        "from the ends of [IDTAG of t.cdx, IDTAG of t.cdx descending]",
    );
    check(&mut sessions, "SELECT id FROM t ORDER BY id LIMIT 3", "TableOrder: by=IDTAG of t.cdx");
    assert_eq!(lines(&mut sessions.0, "SELECT MIN(id), MAX(id) FROM t"), ["0|199"]);
    assert!(!plan(&mut sessions.0, "SELECT MAX(amt) FROM t").contains("ends"));
    assert_eq!(lines(&mut sessions.0, "SELECT MAX(amt) FROM t"), ["199.25"]);
}

/// Keys of random tags.
const KEYS: [&str; 22] = [
    "UPPER(NAME)",
    "LEFT(NAME,3)",
    "UPPER(LEFT(NAME,4))+CODE",
    "LOWER(NAME)",
    "ALLTRIM(NAME)",
    "TRIM(NAME)+CODE",
    "SUBSTR(NAME,2,2)",
    "CODE+DTOS(BORN)",
    "CODE+NAME",
    "CODE+STR(N,7)",
    "UPPER(CODE)+UPPER(NAME)",
    "STR(N,7)",
    "STR(N,4)+CODE",
    "STR(N,7)+DTOS(BORN)+NAME",
    "STRZERO(N,7)+CODE",
    "STR(AMT,10,2)+NAME",
    "DTOS(BORN)+STR(N,7)",
    "N*AMT",
    "N-AMT",
    "YEAR(BORN)",
    "BORN",
    "NAME",
];

const FOR: [&str; 9] = [
    "",
    "",
    "",
    " WHERE NOT _deleted",
    " WHERE here",
    " WHERE n > 3",
    " WHERE code = 'A'",
    " WHERE born > DATE '2020-01-01' AND NOT _deleted",
    " WHERE '.NOT. EMPTY(NAME) .AND. AMT < 100'",
];

/// Writes tables and statements.
struct Writer<'r>(&'r mut Random);

impl Writer<'_> {
    fn of(&mut self, choices: &[&str]) -> String {
        self.0.of(choices).to_owned()
    }

    fn name(&mut self) -> String {
        self.of(&[
            "Adam", "ADAM", "adam", "Ada", "A", "", " Adam", "Straße", "STRASSE", "ß", "s", "Müller", "Zoe", "b", "Bo",
        ])
    }

    fn code(&mut self) -> String {
        self.of(&["A", "AB", "a", "", "B", "C"])
    }

    fn number(&mut self) -> String {
        self.of(&["0", "1", "2", "3", "4", "5", "-1", "-20", "100", "12345", "99999", "7", "8"])
    }

    fn amount(&mut self) -> String {
        self.of(&["0", "0.05", "-0.05", "1.25", "99.95", "12345.67", "-12.5", "5", "100", "2.5"])
    }

    fn day(&mut self) -> String {
        let day = self.of(&["2020-01-01", "2019-12-31", "1999-06-15", "2026-11-26", "2020-02-29", "2020-01-31"]);
        format!("DATE '{day}'")
    }

    fn row(&mut self, id: usize, is_tame: bool) -> String {
        let or_null =
            |random: &mut Random, value: String| if !is_tame && random.one_in(8) { "NULL".into() } else { value };
        let (name, code) = (self.name(), self.code());
        let (mut n, amt, day) = (self.number(), self.amount(), self.day());
        if is_tame {
            n = n.replace('-', "");
        }
        let name = if is_tame { name.replace(['ß', 'ü'], "u") } else { name };
        let (n, amt, day) = (or_null(self.0, n), or_null(self.0, amt), or_null(self.0, day));
        let here = self.of(&["TRUE", "FALSE", "NULL"]);
        format!("({id}, '{name}', '{code}', {n}, {amt}, {day}, {here})")
    }

    fn leaf(&mut self) -> String {
        let op = self.of(&["=", "=", "<", "<=", ">", ">="]);
        match self.0.below(14) {
            0 => format!("upper(name) {op} '{}'", self.name().to_uppercase()),
            1 => format!("upper(name) LIKE '{}%'", self.of(&["A", "S", "STRA", "AD", "B"])),
            2 => format!("name {op} '{}'", self.name()),
            3 => format!("name LIKE '{}%'", self.of(&["A", "Ad", "S", "Str", "M"])),
            4 => format!("left(name, {}) {op} '{}'", 1 + self.0.below(4), self.name()),
            5 => format!("{}(name) = '{}'", self.of(&["lower", "btrim", "rtrim", "upper"]), self.name()),
            6 => format!("code {op} '{}'", self.code()),
            7 => format!("n {op} {}", self.number()),
            8 => format!("n IN ({}, {}, {})", self.number(), self.number(), self.number()),
            9 => format!("amt {op} {}", self.amount()),
            10 => format!("born {op} {}", self.day()),
            11 => format!("n {} amt {op} {}", self.of(&["*", "-"]), self.amount()),
            12 => self.of(&["here", "NOT here", "born IS NULL", "born IS NOT NULL", "NOT _deleted", "n IS NULL"]),
            _ => match self.0.below(3) {
                0 => format!("extract(YEAR FROM born) {op} {}", self.of(&["1999", "2020", "2026"])),
                1 => format!("to_char(born, 'YYYYMMDD') LIKE '{}%'", self.of(&["2020", "202001", "19"])),
                _ => format!("substr(name, 2, 2) {op} '{}'", self.of(&["da", "DA", "o", "", "tr"])),
            },
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.0.below(if depth == 0 { 1 } else { 4 }) {
            0 => self.leaf(),
            1 => format!("({} OR {})", self.condition(depth - 1), self.condition(depth - 1)),
            _ => format!("{} AND {}", self.condition(depth - 1), self.condition(depth - 1)),
        }
    }

    /// A random ORDER BY, all of it in one direction more often than not.
    fn order(&mut self) -> (Vec<String>, String) {
        // Those of the keys, and others.
        let of_keys: [&[&str]; 9] = [
            &["n", "born"],
            &["code", "n"],
            &["code", "name"],
            &["code", "born"],
            &["upper(code)", "upper(name)"],
            &["born", "n"],
            &["amt", "name"],
            &["upper(name)"],
            &["lower(name)"],
        ];
        let of = ["upper(name)", "name", "code", "n", "amt", "born", "upper(code)", "lower(name)"];
        let columns: Vec<String> = match self.0.below(3) {
            0 => (0..1 + self.0.below(3)).map(|_| self.of(&of)).collect(),
            _ => self.0.pick_from(&of_keys).iter().map(|column| (*column).to_owned()).collect(),
        };
        let descending = self.0.one_in(2);
        let mut shown = Vec::new();
        for column in &columns {
            let turned = self.0.one_in(20);
            shown.push(format!("{column}{}", if descending != turned { " DESC" } else { "" }));
        }
        let limit = if self.0.one_in(2) { format!(" LIMIT {}", 1 + self.0.below(40)) } else { String::new() };
        (columns, format!("{}{limit}", shown.join(", ")))
    }
}

#[test]
fn random_statements_give_the_same_with_and_without_tags() {
    let (mut filtered, mut ordered, mut ends) = (0, 0, 0);
    for seed in seeds(SEEDS) {
        let mut random = Random(seed);
        let is_tame = seed % 2 == 1;
        let rows_of_table: Vec<String> = (0..RECORDS).map(|id| Writer(&mut random).row(id, is_tame)).collect();
        let tables = Tables::new(random.of(&["foxpro", "vfp", "clipper"]), &rows_of_table);
        tables.both("DELETE FROM t WHERE id % 9 = 4");
        for at in 0..8 {
            let (key, condition) = (random.of(&KEYS), random.of(&FOR));
            let sql = format!("CREATE INDEX tag{at} ON t USING cdx ('{key}'){condition}");
            // FoxPro has no digits for a number that is too long.
            let _ = support::session(tables.indexed.path()).execute(&sql).and_then(|answer| answer.collect());
        }
        let (mut frugal, mut sessions) = (tables.frugal(), tables.sessions());
        for at in 0..CONDITIONS {
            if at == CONDITIONS / 2 {
                for session in [&mut frugal.0, &mut frugal.1, &mut sessions.0, &mut sessions.1] {
                    session.set("show_deleted", "on").unwrap();
                }
            }
            let condition = Writer(&mut random).condition(2);
            let sql = format!("SELECT id FROM t WHERE {condition} ORDER BY id");
            let shown = plan(&mut sessions.0, &sql);
            filtered += usize::from(shown.contains("index="));
            let sql = format!("SELECT id FROM t WHERE {condition}");
            let sorted = |session: &mut Session| {
                let mut lines = lines(session, &sql);
                lines.sort();
                lines
            };
            assert_eq!(sorted(&mut frugal.0), sorted(&mut frugal.1), "seed {seed}: {sql}\n{shown}");

            let (columns, order) = Writer(&mut random).order();
            let sql = format!("SELECT {}, id FROM t ORDER BY {order}", columns.join(", "));
            let shown = plan(&mut sessions.0, &sql);
            ordered += usize::from(shown.contains("TableOrder"));
            let values = |session: &mut Session| -> Vec<Vec<String>> {
                rows(session, &sql).into_iter().map(|row| row[..columns.len()].to_vec()).collect()
            };
            assert_eq!(values(&mut sessions.0), values(&mut sessions.1), "seed {seed}: {sql}\n{shown}");

            let value = Writer(&mut random).order().0.remove(0);
            let sql = format!("SELECT MIN({value}), MAX({value}) FROM t");
            ends += usize::from(plan(&mut sessions.0, &sql).contains("from the ends"));
            assert_eq!(lines(&mut sessions.0, &sql), lines(&mut sessions.1, &sql), "seed {seed}: {sql}");
        }
    }
    assert!(filtered > 30 && ordered > 4 && ends > 4, "{filtered} conditions, {ordered} orders, {ends} ends");
}
