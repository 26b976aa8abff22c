//! Everyday work at the prompt and in scripts: files as tables, imports, dumps, parameters, unknown settings.
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::process::{Command, Output, Stdio};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../sample");

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn run(arguments: &[&str], input: &str) -> Output {
    use std::io::Write;
    let mut process = Command::new(env!("CARGO_BIN_EXE_mainstay"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    process.wait_with_output().unwrap()
}

#[track_caller]
fn printed(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The rows of a query as CSV without names.
#[track_caller]
fn rows(folder: &Path, sql: &str) -> String {
    printed(&[folder.to_str().unwrap(), "--format", "csv", "--no-header", "-c", sql], "")
}

/// `new-03` and `new-11`.
#[test]
fn tables_are_listed_by_pattern_and_named_by_their_files() {
    let sample = Path::new(SAMPLE);
    assert_eq!(rows(sample, "SHOW TABLES LIKE 'zzz%'"), "");
    assert!(rows(sample, "SHOW TABLES LIKE 'CUST%'").starts_with("customers,"));
    let wrong = run(&[SAMPLE, "-c", "SHOW TABLES FROM customers"], "");
    assert!(text(&wrong.stderr).contains("SHOW TABLES LIKE 'cust%'"), "{}", text(&wrong.stderr));
    let count = rows(sample, "SELECT COUNT(*) FROM customers");
    assert_eq!(rows(sample, "SELECT COUNT(*) FROM 'customers.dbf'"), count);
    assert_eq!(rows(sample, "SELECT COUNT(*) FROM orders o JOIN 'CUSTOMERS.DBF' c ON 1 = 0"), "0\n");
    assert_eq!(rows(sample, "SELECT TRIM('x' FROM 'a.csv'), 'a.csv' IS DISTINCT FROM 'b.csv'"), "a.csv,true\n");
    let unknown = run(&[SAMPLE, "-c", "SELECT * FROM 'custmers.dbf'"], "");
    let told = text(&unknown.stderr);
    assert!(told.contains("no table \"custmers.dbf\"") && told.contains("line 1, column 15"), "{told}");
    assert!(told.contains("did you mean \"customers\"?"), "{told}");
}

/// `new-05`: a section for a table that does not exist is warned of, at the start and by `check`.
#[test]
fn settings_of_tables_that_do_not_exist_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    std::fs::copy(Path::new(SAMPLE).join("customers.dbf"), folder.path().join("customers.dbf")).unwrap();
    std::fs::write(folder.path().join("mainstay.toml"), "[tables.customer]\ncode_page = 'windows-1252'\n").unwrap();
    let told = text(&run(&[path, "-c", "SELECT 1"], "").stderr);
    assert!(told.contains("[tables.customer]: there is no table of this name"), "{told}");
    assert!(told.contains("did you mean \"customers\"?"), "{told}");
    let checked = run(&["check", path], "");
    assert!(text(&checked.stdout).contains("warning: ") && text(&checked.stdout).contains("[tables.customer]"));
    std::fs::write(folder.path().join("mainstay.toml"), "[tables.CUSTOMERS]\ncode_page = 'windows-1252'\n").unwrap();
    assert_eq!(text(&run(&[path, "-c", "SELECT 1"], "").stderr), "");
}

/// `new-13`: verbs of xBase have a hint, and do not begin a statement that goes on; `help` and `exit` do what they say.
#[test]
fn verbs_of_xbase_have_a_hint() {
    let script = "USE customers\nREPLACE city WITH 'Wien'\nPACK\nSEEK 'x'\nCOUNT\nhelp\nexit\nSELECT 'not reached';\n";
    let output = run(&[SAMPLE, "--continue-on-error"], script);
    let (told, shown) = (text(&output.stderr), text(&output.stdout));
    assert!(told.contains("REPLACE is not done here"), "{told}");
    assert!(told.contains("write UPDATE customers SET field = value WHERE _recno = 1"), "{told}");
    assert!(told.contains("write PACK customers;") && told.contains("SEEK is not done here"), "{told}");
    assert!(shown.contains("Commands are one line") && !shown.contains("not reached"), "{shown}");
}

const DEFINITIONS: &str = "CREATE TABLE kinds (code VARCHAR(4) PRIMARY KEY, name TEXT DEFAULT 'it''s new');
CREATE TABLE items (id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5), kind VARCHAR(4) NOT NULL,
  price DECIMAL(8,2) CHECK (price > 0), twice DECIMAL(9,2) GENERATED ALWAYS AS (price * 2) STORED, day DATE,
  CONSTRAINT fine CHECK (price < 1000), CONSTRAINT items_key PRIMARY KEY (id),
  CONSTRAINT of_kind FOREIGN KEY (kind) REFERENCES kinds (code) ON DELETE CASCADE);
CREATE UNIQUE INDEX by_day ON items (day DESC, kind);
CREATE SEQUENCE counter START WITH 7;
CREATE VIEW dear AS SELECT id, price FROM items WHERE price > 2;
INSERT INTO kinds VALUES ('a', 'one; two'), ('b', NULL);
INSERT INTO items (kind, price, day) VALUES ('a', 1.5, DATE '2026-11-28'), ('b', 2.5, NULL);
SELECT nextval('counter');
";

/// A dump is statements that make the same database again.
#[test]
fn a_dump_makes_the_same_tables() {
    let all = tempfile::tempdir().unwrap();
    let (shop, copy) = (all.path().join("shop"), all.path().join("copy"));
    for folder in [&shop, &copy] {
        std::fs::create_dir(folder).unwrap();
    }
    std::fs::write(shop.join("prices.csv"), "item,price\nbolt,2\nnut,3\n").unwrap();
    printed(&[shop.to_str().unwrap()], DEFINITIONS);
    let schema = printed(&[shop.to_str().unwrap(), "-c", ".schema items"], "");
    for part in [
        "GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5)",
        "CHECK (price > 0)",
        "GENERATED ALWAYS AS (price * 2) STORED",
        "CONSTRAINT fine CHECK (price < 1000)",
        "CREATE UNIQUE INDEX by_day ON items (day DESC, kind);",
        "FOREIGN KEY (kind) REFERENCES kinds (code) ON DELETE CASCADE;",
    ] {
        assert!(schema.contains(part), "{part}: {schema}");
    }
    assert!(
        printed(&[shop.to_str().unwrap(), "-c", ".schema dear"], "").contains("CREATE VIEW dear AS SELECT id, price")
    );

    let dump = printed(&[shop.to_str().unwrap(), "-c", ".dump"], "");
    assert!(dump.contains("-- 1 table that are files are not in it") || dump.contains("prices"), "{dump}");
    printed(&[copy.to_str().unwrap()], &dump);
    for query in [
        "SELECT * FROM kinds ORDER BY code",
        "SELECT * FROM items ORDER BY id",
        "SELECT * FROM dear",
        "SELECT nextval('counter')",
    ] {
        assert_eq!(rows(&copy, query), rows(&shop, query), "{query}");
    }
    // The next number, and the rules, are those of the old one.
    printed(&[copy.to_str().unwrap(), "-c", "INSERT INTO items (kind, price) VALUES ('a', 3)"], "");
    assert_eq!(rows(&copy, "SELECT MAX(id) FROM items"), "20\n");
    for wrong in [
        "INSERT INTO items (kind, price) VALUES ('a', 0)",
        "INSERT INTO items (kind, price) VALUES ('z', 1)",
        "INSERT INTO items (kind, price) VALUES ('a', 1000)",
    ] {
        assert_eq!(run(&[copy.to_str().unwrap(), "-c", wrong], "").status.code(), Some(1), "{wrong}");
    }
    // A table that is a file becomes a native one.
    let one = printed(&[shop.to_str().unwrap(), "-c", ".dump prices"], "");
    let third = all.path().join("third");
    std::fs::create_dir(&third).unwrap();
    printed(&[third.to_str().unwrap()], &one);
    assert_eq!(rows(&third, "SELECT item, price FROM prices ORDER BY item"), "bolt,2\nnut,3\n");
}

#[test]
fn rows_of_a_file_are_copied_into_a_table() {
    let all = tempfile::tempdir().unwrap();
    let shop = all.path().join("shop");
    std::fs::create_dir(&shop).unwrap();
    let file = all.path().join("new prices.csv");
    std::fs::write(&file, "price,item\n2,bolt\n3,nut\n").unwrap();
    let path = shop.to_str().unwrap();
    printed(&[path, "-c", "CREATE TABLE prices (item TEXT, price INTEGER, note TEXT DEFAULT 'none')"], "");
    let import = format!(".import \"{}\" prices", file.display());
    let told = run(&[path, "-c", &import], "");
    assert!(told.status.success() && text(&told.stderr).contains("2 rows from"), "{}", text(&told.stderr));
    assert_eq!(rows(&shop, "SELECT * FROM prices ORDER BY item"), "bolt,2,none\nnut,3,none\n");
    // A table that is not there is made.
    printed(&[path, "-c", &format!(".import \"{}\" made", file.display())], "");
    assert_eq!(rows(&shop, "SELECT item FROM made ORDER BY item"), "bolt\nnut\n");
    assert_eq!(rows(&shop, "SHOW TABLES LIKE 'imported%'"), "");
}

#[test]
fn statements_take_values_and_may_only_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    printed(&[path, "-c", "CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR(30))"], "");
    let insert = "INSERT INTO t VALUES ($1, $2)";
    printed(&[path, "-c", insert, "--param", "1", "--param", "O'Hara; DROP TABLE t"], "");
    printed(&[path, "-c", insert, "--param", "2", "--param", "text:007"], "");
    let query = ["--format", "csv", "--no-header", "-c", "SELECT name FROM t WHERE id = $1"];
    assert_eq!(printed(&[&[path][..], &query, &["--param", "1"]].concat(), ""), "O'Hara; DROP TABLE t\n");
    assert_eq!(printed(&[&[path][..], &query, &["--param", "2"]].concat(), ""), "007\n");

    let refused = run(&[path, "--read-only", "-c", "DELETE FROM t"], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("may only read"), "{}", text(&refused.stderr));
    let own = "CREATE TEMPORARY TABLE mine (a INTEGER); INSERT INTO mine SELECT id FROM t; SELECT COUNT(*) FROM mine";
    assert!(printed(&[path, "--read-only", "--format", "csv", "-c", own], "").contains("\n2\n"));

    let init = folder.path().join("init.sql");
    std::fs::write(&init, ".headers off\n.mode csv\n").unwrap();
    assert_eq!(printed(&[path, "--init", init.to_str().unwrap(), "-c", "SELECT COUNT(*) FROM t"], ""), "2\n");
}

/// Objects of T-SQL are a part of a dump, in an order that runs, and `.schema` shows them.
#[test]
fn a_dump_has_the_objects_of_t_sql() {
    let all = tempfile::tempdir().unwrap();
    let (shop, copy) = (all.path().join("shop"), all.path().join("copy"));
    for folder in [&shop, &copy] {
        std::fs::create_dir(folder).unwrap();
    }
    let objects = "CREATE TABLE items (id INT PRIMARY KEY, price INT);
INSERT INTO items VALUES (1, 10), (2, 20);
CREATE TABLE log (id INT);
GO
CREATE VIEW zz AS SELECT id, price FROM items
GO
CREATE VIEW aa AS SELECT id FROM zz WHERE price > 15
GO
CREATE FUNCTION twice(@n INT) RETURNS INT AS BEGIN RETURN @n * 2; END
GO
CREATE PROCEDURE act @id INT AS BEGIN INSERT INTO items VALUES (@id, dbo.twice(@id)); END
GO
CREATE TRIGGER note ON items AFTER INSERT AS INSERT INTO log SELECT id FROM inserted
GO
";
    let script = all.path().join("objects.sql");
    std::fs::write(&script, objects).unwrap();
    let shop = shop.to_str().unwrap();
    printed(&[shop, "-c", &format!(".tsql {}", script.display())], "");
    assert!(printed(&[shop, "-c", ".schema act"], "").contains("CREATE PROCEDURE act @id INT AS BEGIN"));
    assert!(printed(&[shop, "-c", ".schema aa"], "").contains("CREATE VIEW aa AS SELECT id FROM zz WHERE price > 15"));
    let dump = printed(&[shop, "-c", ".dump"], "");
    let at = |text: &str| dump.find(text).unwrap_or_else(|| panic!("{text}: {dump}"));
    assert!(at(".tsql\n") < at("VIEW zz") && at("VIEW zz") < at("VIEW aa") && at("VIEW aa") < at("TRIGGER note"));
    let copied = copy.to_str().unwrap();
    printed(&[copied], &dump);
    printed(&[copied, "--tsql", "-c", "EXEC act 30"], "");
    let answer = printed(&[copied, "--tsql", "-c", "SELECT id FROM aa ORDER BY id; SELECT COUNT(*) FROM log"], "");
    let numbers: Vec<&str> = answer.lines().map(str::trim).filter(|line| line.parse::<i32>().is_ok()).collect();
    assert_eq!(numbers, ["2", "30", "1"], "{answer}");
    // Wrong ones fail as statements do.
    let failed = run(&[copied], ".tsql\nSELECT * FROM nowhere\n.end\nSELECT 1;");
    assert_eq!(failed.status.code(), Some(1));
    assert!(text(&failed.stderr).contains("Msg 208"), "{}", text(&failed.stderr));
}

/// Routines of Informix SQL are a part of a dump, too.
#[test]
fn a_dump_has_the_routines_of_informix() {
    let all = tempfile::tempdir().unwrap();
    let (shop, copy) = (all.path().join("shop"), all.path().join("copy"));
    for folder in [&shop, &copy] {
        std::fs::create_dir(folder).unwrap();
    }
    let (shop, copy) = (shop.to_str().unwrap(), copy.to_str().unwrap());
    let routine = "CREATE FUNCTION twice(n INT) RETURNING INT; RETURN n * 2; END FUNCTION;";
    printed(&[shop, "--informix", "-c", routine], "");
    printed(&[shop, "--informix", "-c", "CREATE TABLE t (v INT); CREATE SYNONYM s FOR t;"], "");
    printed(&[shop, "--tsql", "-c", "CREATE PROCEDURE act AS SELECT 'done' AS x"], "");
    let dump = printed(&[shop, "-c", ".dump"], "");
    printed(&[copy], &dump);
    let answer = printed(&[copy, "--informix", "-c", "INSERT INTO s VALUES (1); EXECUTE FUNCTION twice(21);"], "");
    assert!(answer.contains("42"), "{answer}");
    assert!(printed(&[copy, "--tsql", "-c", "EXEC act"], "").contains("done"));
}
