//! The meaning of statements and the form of their answers, as scripts with the answers written down.
//!
//! A script is a list of statements; its golden file shows each with its heads, types and rows, or with its
//! error: the code, the text, the hint, and the place underlined in the statement.

mod common;

use common::dbf::{Cell, Table, column};
use common::{Folder, golden, rows, run};
use mainstay_engine::{Database, Session};
use mainstay_types::{Code, Error};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A small shop: customers (one deleted), orders, a CSV with text that is not padded.
fn shop() -> (Folder, Session) {
    let folder = Folder::new();
    let text = |text: &str| Cell::Text(text.to_owned());
    let mut customers = Table::new(&[
        column("ID", 'N', 4, 0, false),
        column("NAME", 'C', 12, 0, false),
        column("CITY", 'C', 8, 0, true),
        column("BALANCE", 'N', 10, 2, true),
        column("SINCE", 'D', 8, 0, false),
        column("ACTIVE", 'L', 1, 0, false),
        column("NOTE", 'M', 4, 0, false),
    ]);
    let people = [
        ("1", "Anna", "Rome", "100.10", "20200131", "T", "likes blue"),
        ("2", "Bob", "Lima", "-0.05", "20191201", "F", ""),
        ("3", "anna", "", "0.20", "", " ", "x"),
        ("4", "Zoë", "Rome", "", "20240229", "T", ""),
        ("5", "Gone", "Rome", "7.00", "20200101", "T", ""),
    ];
    for (id, name, city, balance, since, active, note) in people {
        let city = if id == "3" { Cell::Null } else { text(city) };
        let name = name.replace('ë', "\u{0}");
        let cells = [text(id), text(&name), city, text(balance), text(since), text(active), text(note)];
        customers.push(id == "5", &cells);
    }
    // The byte of "ë" in Windows-1252, which the writer of UTF-8 texts cannot write.
    let bytes: Vec<u8> = customers.dbf();
    let at = bytes.windows(3).position(|window| window == b"Zo\0").unwrap() + 2;
    let mut bytes = bytes;
    bytes[at] = 0xEB;
    folder.write("Customers.dbf", bytes).write("Customers.fpt", customers.fpt());
    let mut orders = Table::new(&[
        column("ID", 'N', 4, 0, false),
        column("CUSTOMER", 'N', 4, 0, false),
        column("Total", 'N', 8, 2, false),
        column("CITY", 'C', 4, 0, false),
    ]);
    for (id, customer, total, city) in
        [("10", "1", "9.99", "Rome"), ("11", "1", "0.01", "Rom"), ("12", "9", "5.00", "")]
    {
        orders.push(false, &[text(id), text(customer), text(total), text(city)]);
    }
    folder.write("orders.dbf", orders.dbf());
    folder.write("cities.csv", "City,Country,Mayor Name\nRome,Italy,A\n\"Lima  \",Peru,B\nRom,Romania,C\n");
    let session = Database::open(folder.path()).unwrap().session();
    (folder, session)
}

/// The statements of a script with what they give.
fn transcript(session: &mut Session, script: &str) -> String {
    let mut out = String::new();
    for statement in script.split("\n\n").map(|statement| statement.trim_matches('\n')) {
        let _ = writeln!(out, "> {}", statement.replace('\n', "\n> "));
        match run(session, statement) {
            Ok(answer) => {
                let heads: Vec<String> = answer
                    .schema
                    .fields()
                    .iter()
                    .map(|field| format!("{} {}", field.name(), field.data_type()))
                    .collect();
                let _ = writeln!(out, "{}", heads.join(" | "));
                for row in &answer.rows {
                    let _ = writeln!(out, "{}", row.join(" | "));
                }
            }
            Err(error) => describe(&mut out, statement, &session.located(error, statement)),
        }
        out.push('\n');
    }
    out
}

fn describe(out: &mut String, statement: &str, error: &Error) {
    let _ = writeln!(out, "error {}: {}", error.code().name(), error.message());
    if let Some(hint) = error.hint_text() {
        let _ = writeln!(out, "hint: {hint}");
    }
    match error.text_span() {
        Some((start, end)) => {
            // Slicing panics when the place is not between characters of the statement.
            let _ = writeln!(out, "at {start}..{end}: [{}]", &statement[start..end]);
        }
        None => out.push_str("at no place\n"),
    }
}

#[test]
fn names_and_heads() {
    let (_folder, mut session) = shop();
    let script = r#"
SELECT Id, NAME, "City" FROM customers WHERE "ID" = 1

select CUSTOMERS.name, c.City from Customers, cities C where c."CITY" = 'Rome' and customers.id = 1

SELECT * FROM "CUSTOMERS" WHERE id = 2

SELECT name AS "Full Name", balance Total, id AS ID2, city as CiTy FROM customers WHERE id = 1

SELECT COUNT(*), Sum( Balance ), max(ID)+1, Upper(Name) FROM customers GROUP BY name HAVING name = 'Bob'

SELECT CASE WHEN Active THEN 'yes' END, -Id, 'Text', 1.50, NULL, Id IS NULL FROM customers WHERE id = 1

SELECT "Mayor Name", "mayor name" AS x FROM cities WHERE COUNTRY = 'Peru'

SELECT t.* FROM (SELECT Id AS Number, NAME FROM customers) T WHERE number = 1

SELECT O.*, c.Name FROM orders o JOIN customers C ON c.id = O.customer ORDER BY o.ID

WITH Rich AS (SELECT Name, Balance AS Money FROM customers WHERE balance > 1) SELECT * FROM rich

SELECT id FROM customers WHERE id = 1 UNION ALL SELECT Total FROM orders WHERE id = 10

SELECT DISTINCT City FROM orders ORDER BY CITY

SELECT id AS a, id AS b, id FROM customers WHERE id = 1

SELECT name n FROM customers ORDER BY N LIMIT 2

SELECT _recno, * FROM customers ORDER BY 1

SELECT *, _deleted FROM customers WHERE id >= 4 ORDER BY id

SELECT c.*, _RECNO AS r FROM customers c WHERE _recno = 2

SELECT main.customers.id FROM main.customers WHERE id = 1

SELECT 1 AS x;

SELECT id -- the number
  , name /* the name */ FROM customers WHERE id = 1 -- one
"#;
    golden("names.txt", &transcript(&mut session, script));
}

#[test]
fn values_and_comparisons() {
    let (_folder, mut session) = shop();
    let script = r#"
SELECT id FROM customers WHERE name = 'Anna   '

SELECT id FROM customers WHERE name = 'Anna'

SELECT id FROM customers WHERE name = ' Anna'

SELECT id FROM customers WHERE 'Bob  ' = name

SELECT id FROM customers WHERE name IN ('Bob ', 'Anna  ', NULL)

SELECT id FROM customers WHERE name NOT IN ('Bob ', 'Anna  ')

SELECT id FROM customers WHERE name BETWEEN 'Anna  ' AND 'Bob  '

SELECT id FROM customers WHERE name <> 'Anna  '

SELECT id FROM customers WHERE name >= 'Zo'

SELECT id, name FROM customers WHERE name = 'Zoë  '

SELECT id FROM customers WHERE name LIKE 'Ann_'

SELECT id FROM customers WHERE name LIKE 'An%' OR name ILIKE 'AN%'

SELECT id FROM customers WHERE name || '  ' = 'Bob'

SELECT id FROM customers WHERE city = ''

SELECT id FROM customers WHERE city IS NULL

SELECT c.id, m.country FROM customers c JOIN cities m ON c.city = m.city ORDER BY c.id

SELECT c.id, m.country FROM cities m JOIN customers c ON m.city = c.city ORDER BY c.id

SELECT c.id, o.id FROM customers c JOIN orders o ON c.city = o.city ORDER BY 1, 2

SELECT id FROM customers WHERE city IN (SELECT city FROM cities) ORDER BY id

SELECT id FROM customers c WHERE EXISTS (SELECT 1 FROM cities m WHERE m.city = c.city) ORDER BY id

SELECT c.id FROM customers c WHERE c.city = (SELECT city FROM cities WHERE country = 'Peru')

SELECT id FROM (SELECT id, city AS place FROM customers) q WHERE place = 'Lima   '

SELECT CASE city WHEN 'Lima  ' THEN 1 ELSE 0 END AS x FROM customers WHERE id = 2

SELECT length(name), name || '!' FROM customers WHERE id = 1

SELECT sum(balance), avg(balance), min(balance), max(balance), count(balance) FROM customers

SELECT balance * 3, balance / 3, balance + 0.005, balance = 0.2 FROM customers WHERE id = 3

SELECT id FROM customers WHERE balance = 0.20 OR balance = -0.0500

SELECT 0.1 + 0.2 = 0.3, 0.1 + 0.2, 1 / 2, 1.0 / 2, 7 % 3, 2.50

SELECT id, balance FROM customers ORDER BY balance

SELECT id, balance FROM customers ORDER BY balance DESC

SELECT id, since FROM customers ORDER BY since NULLS LAST, id

SELECT id, city FROM customers ORDER BY city, id DESC

SELECT id FROM customers WHERE since = '2020-01-31' OR since > DATE '2024-01-01' ORDER BY id

SELECT id FROM customers WHERE active

SELECT id FROM customers WHERE NOT active

SELECT id FROM customers WHERE active IS NULL

SELECT id, note FROM customers WHERE note LIKE '%blue%'

SELECT city, count(*) FROM customers GROUP BY city ORDER BY city

SELECT CAST('12.345' AS DECIMAL(6,2)), CAST(balance AS INTEGER), CAST(id AS VARCHAR) || 'x' FROM customers WHERE id = 1

SELECT id FROM customers WHERE name = 5

SELECT id FROM customers WHERE id = '1'

SELECT id FROM customers WHERE id = 1.0

SELECT id FROM customers WHERE 1 = 0

SELECT id FROM customers LIMIT 0

SELECT id FROM customers ORDER BY id LIMIT 2 OFFSET 1

VALUES (1, 'a'), (2, 'b')
"#;
    golden("values.txt", &transcript(&mut session, script));
}

/// Statements that are wrong, each in its own way.
const WRONG: &str = r#"
SELECT * FROM Custmers

SELECT * FROM nothing_like_it

SELECT * FROM other.customers

SELECT Nme FROM customers

SELECT c.Nme FROM customers c

SELECT x.name FROM customers c

SELECT name FROM customers WHERE
  'größer' = name AND Blance > 1

SELECT id FROM customers, orders

SELECT c.id FROM customers c JOIN orders o ON id = customer

SELECT Uper(name) FROM customers

SELECT upper() FROM customers

SELECT sum(name) FROM customers

SELECT name + 1 FROM customers

SELECT id FROM customers WHERE name

SELECT name, count(*) FROM customers

SELECT count(*) FROM customers WHERE count(*) > 1

SELECT id FROM customers ORDER BY nme

SELECT id FROM customers GROUP BY cty

SELECT 1 / 0

SELECT id / 0 FROM customers

SELECT CAST(name AS INTEGER) FROM customers

SELECT CAST('2020-13-01' AS DATE)

SELECT id FROM customers WHERE since = 'yesterday'

SELECT * FORM customers

SELECT id FROM customers WHERE

SELECT (1 + 2 FROM customers

SELECT 'ä', id FROM customers WHERE WHERE

SELECT id
FROM customers
WHERE 'äöü' = name ANDD id = 1

SELECT 'open

SELECT "open

SELECT /* open

SELECT id FROM customers; SELECT 2

SELECT 1 +

SELECT

;

-- nothing

INSERT INTO cities VALUES (1)

UPDATE cities SET city = 'x'

DELETE FROM cities

DROP TABLE cities

COPY customers TO 'x'

SELECT 1 WHERE $1 = 2

SELECT ?

SELECT id FROM customers LIMIT -1

SELECT id FROM customers LIMIT 'x'

SELECT id FROM customers UNION SELECT id, name FROM customers

SELECT (SELECT id FROM customers) AS x

SELECT id FROM customers WHERE id = (SELECT id FROM orders)

SELECT 99999999999999999999999999999999999999999 AS x

SELECT 9223372036854775807 + 1 AS x

SELECT * FROM customers c, customers c
"#;

#[test]
fn errors_say_what_where_and_what_to_try() {
    let (_folder, mut session) = shop();
    golden("errors.txt", &transcript(&mut session, WRONG));
}

#[test]
fn statements_that_are_not_queries() {
    let (_folder, mut session) = shop();
    let script = r#"
SHOW TABLES

show columns from Customers;

SHOW FIELDS IN orders

DESCRIBE "Cities"

DESC TABLE orders

SHOW INDEXES FROM customers

SHOW COLUMNS FROM custmers

DESCRIBE

SHOW COLUMNS

SHOW timeout

SET timeout = '5s'

SHOW Timeout;

/* now */ SET timeout TO 200ms

SHOW timeout

-- a comment
set timeout=0;

SHOW timeout

SET show_deleted ON

SELECT count(*) FROM customers

SET DELETED ON

SELECT count(*) FROM customers

SET show_deleted = maybe

SET nothing = 1

SET threads = 2

SET

SET timeout

SHOW nothing

EXPLAIN SELECT name FROM customers WHERE id = 1

explain select count(*) from customers

EXPLAIN SELECT nme FROM customers

EXPLAIN

EXPLAIN ANALYZE

EXPLAIN SHOW TABLES

EXPLAIN DELETE FROM customers
"#;
    golden("words.txt", &transcript(&mut session, script).replace("threads | 2", "threads | n"));
}

/// Literals are lifted out of statements; the lifted plan must not remember the first one's values.
#[test]
fn literals_of_one_statement_do_not_stay_for_the_next() {
    let (_folder, mut session) = shop();
    for (name, ids) in
        [("Anna", vec!["1"]), ("Bob   ", vec!["2"]), ("", vec![]), ("anna ", vec!["3"]), ("Anna  ", vec!["1"])]
    {
        assert_eq!(rows(&mut session, &format!("SELECT id FROM customers WHERE name = '{name}'")), ids);
        assert_eq!(rows(&mut session, &format!("SELECT id FROM customers WHERE name IN ('{name}', 'x ')")), ids);
        assert_eq!(
            rows(&mut session, &format!("SELECT id FROM customers WHERE name BETWEEN '{name}' AND '{name}'")),
            ids
        );
    }
    for (from, count) in [("1", 3), ("2", 2), ("9", 0), ("-5", 4)] {
        let statement = format!("SELECT count(*) FROM customers WHERE id > {from}");
        let expected = if from == "-5" { 4 } else { count };
        assert_eq!(rows(&mut session, &statement), [expected.to_string()], "{statement}");
    }
    assert_eq!(rows(&mut session, "SELECT id FROM customers WHERE balance > 0.1 ORDER BY id"), ["1", "3"]);
    assert_eq!(rows(&mut session, "SELECT id FROM customers WHERE balance > 0.2 ORDER BY id"), ["1"]);
    assert_eq!(rows(&mut session, "SELECT id FROM customers WHERE balance > 0.15 ORDER BY id"), ["1", "3"]);
}

/// Runs what nobody would write: it has to end, soon, and without harm to the session.
#[track_caller]
fn absurd(session: &mut Session, what: &str, statement: &str) -> Result<usize, Error> {
    let started = Instant::now();
    let result = run(session, statement).map(|answer| answer.rows.len());
    let took = started.elapsed();
    assert!(took < Duration::from_secs(60), "{what} took {took:?}");
    if let Err(error) = &result {
        assert_ne!(error.code(), Code::Internal, "{what}: {error:?}");
        assert!(error.message().len() < 10_000, "{what}: a message of {} bytes", error.message().len());
        if let Some((start, end)) = error.text_span() {
            assert!(start <= end && statement.get(start..end).is_some(), "{what}: {start}..{end}");
        }
    }
    assert_eq!(rows(session, "SELECT count(*) FROM orders"), ["3"]);
    result
}

#[test]
fn absurd_statements_end() {
    let (_folder, mut session) = shop();
    let session = &mut session;
    let list = |n: usize, item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(", ");

    let open = "(".repeat(100_000);
    assert_eq!(absurd(session, "100 KB of (", &open).unwrap_err().code(), Code::Syntax);
    let nested = format!("SELECT {}1{}", "(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(absurd(session, "nested parentheses", &nested).unwrap_err().code(), Code::Syntax);
    assert_eq!(absurd(session, "SELECT ((((", &format!("SELECT {open}")).unwrap_err().code(), Code::Syntax);
    assert!(absurd(session, "100 KB of )", &")".repeat(100_000)).is_err());
    assert!(absurd(session, "100 KB of [", &format!("SELECT {}", "[".repeat(100_000))).is_err());
    assert!(absurd(session, "100 KB of NOT", &format!("SELECT {}true", "NOT ".repeat(25_000))).is_err());
    let _ = absurd(session, "100 KB of -", &format!("SELECT {}1", "- ".repeat(50_000)));
    assert!(absurd(session, "nested comments", &"/*".repeat(50_000)).is_err());
    assert!(absurd(session, "CASE in CASE", &"SELECT CASE WHEN ".repeat(5_000)).is_err());
    assert!(absurd(session, "nested subqueries", &"SELECT * FROM (".repeat(5_000)).is_err());
    let deep = format!("{}SELECT id FROM orders{}", "SELECT * FROM (".repeat(30), ") q".repeat(30));
    assert_eq!(absurd(session, "30 subqueries", &deep).unwrap(), 3);

    for nul in ["\0", "SELECT \0", "SELECT 1\0", "SELECT '\0'", "SELECT id FROM orders WHERE city = '\0'", "\0SELECT 1"]
    {
        let _ = absurd(session, "NUL", nul);
    }
    let _ = absurd(session, "a byte order mark", "\u{feff}SELECT 1");
    let _ = absurd(session, "blanks of other kinds", "SELECT\u{a0}1\u{2003}FROM\u{3000}orders");
    assert!(absurd(session, "100 KB of one name", &format!("SELECT {} FROM orders", "x".repeat(100_000))).is_err());
    assert!(absurd(session, "100 KB of digits", &format!("SELECT {}", "9".repeat(100_000))).is_err());

    let items = list(10_000, &|i| i.to_string());
    assert_eq!(absurd(session, "10,000 items", &format!("SELECT id FROM orders WHERE id IN ({items})")).unwrap(), 3);
    assert_eq!(absurd(session, "NOT 10,000", &format!("SELECT id FROM orders WHERE id NOT IN ({items})")).unwrap(), 0);
    let texts = list(10_000, &|i| format!("'c{i}  '"));
    assert_eq!(absurd(session, "10,000 texts", &format!("SELECT id FROM orders WHERE city IN ({texts})")).unwrap(), 0);
    let columns = list(2_000, &|i| format!("id + {i} AS c{i}"));
    assert_eq!(absurd(session, "2,000 columns", &format!("SELECT {columns} FROM orders")).unwrap(), 3);
    let sums = (0..3_000).map(|i| i.to_string()).collect::<Vec<_>>().join(" + ");
    let _ = absurd(session, "3,000 terms", &format!("SELECT {sums} AS s"));
    let ors = (0..3_000).map(|i| format!("id = {i}")).collect::<Vec<_>>().join(" OR ");
    let _ = absurd(session, "3,000 ORs", &format!("SELECT id FROM orders WHERE {ors}"));
    let concatenated = (0..3_000).map(|i| format!("'{i}'")).collect::<Vec<_>>().join(" || ");
    let _ = absurd(session, "3,000 texts in one", &format!("SELECT {concatenated} AS s"));
    let unions = (0..200).map(|_| "SELECT id FROM orders").collect::<Vec<_>>().join(" UNION ALL ");
    let _ = absurd(session, "200 UNIONs", &unions);
    let joins: String = (0..20).map(|i| format!(" JOIN orders t{i} ON t{i}.id = o.id")).collect();
    assert_eq!(absurd(session, "20 joins", &format!("SELECT o.id FROM orders o{joins}")).unwrap(), 3);
    assert!(absurd(session, "1 MB of blanks", &" ".repeat(1_000_000)).is_err());
    assert_eq!(absurd(session, "1 MB of blanks before", &format!("{}SELECT 1", " ".repeat(1_000_000))).unwrap(), 1);
    let _ = absurd(session, "a huge text", &format!("SELECT '{}' AS x", "ä".repeat(1_000_000)));
}

/// A table cannot refer to a file: it is told what is in the way.
#[test]
fn a_reference_to_a_file_says_that_it_is_one() {
    let folder = Folder::new();
    folder.write("customers.csv", "id,name\n1,Ann\n");
    let mut session = Database::open(folder.path()).unwrap().session();
    for definition in ["customer INTEGER REFERENCES customers (id)", "c INTEGER, FOREIGN KEY (c) REFERENCES customers"]
    {
        let error = session.execute(&format!("CREATE TABLE orders ({definition})")).err().unwrap();
        assert_eq!(error.code(), Code::Unsupported);
        assert!(error.message().contains("customers is the file customers.csv"), "{error}");
    }
    let error = session.execute("CREATE TABLE orders (c INTEGER REFERENCES nothing)").err().unwrap();
    assert_eq!(error.code(), Code::UnknownTable);
}
