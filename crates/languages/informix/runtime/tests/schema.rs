//! The definitions of a database as a script, which makes the same database again.

mod common;

use common::Shop;

const STATEMENTS: [&str; 11] = [
    "CREATE TABLE stock (id SERIAL(100) PRIMARY KEY, name CHAR(8) DEFAULT 'it''s' NOT NULL, qty INT DEFAULT 5 CHECK (qty >= 0), \
     price MONEY(8,2), added DATE DEFAULT TODAY, at DATETIME YEAR TO MINUTE DEFAULT CURRENT YEAR TO MINUTE, is_sold BOOLEAN DEFAULT 'f', \
     UNIQUE (name, price) CONSTRAINT u_stock, CHECK (price > 0.5 OR name = 'free') CONSTRAINT c_price)",
    "CREATE TABLE sale (stock INT REFERENCES stock (id) ON DELETE CASCADE CONSTRAINT r_stock, took INTERVAL DAY(3) TO MINUTE)",
    "CREATE UNIQUE INDEX ix_stock ON stock (price DESC, id)",
    "CREATE VIEW cheap (what) AS SELECT name FROM stock WHERE price < 2",
    "CREATE SYNONYM goods FOR stock",
    "CREATE SEQUENCE numbers INCREMENT BY 3 START WITH 7",
    "CREATE FUNCTION twice(a INT) RETURNING INT; RETURN a * 2; END FUNCTION",
    "CREATE TABLE log (what VARCHAR(20))",
    "CREATE TRIGGER sold INSERT ON sale BEFORE (INSERT INTO log VALUES ('sold'))",
    "CREATE TABLE plain (v LVARCHAR(500), d DECIMAL(10), b BYTE)",
    "INSERT INTO stock (name, price) VALUES ('bolt', 1)",
];

#[test]
fn the_script_makes_the_same_database_again() {
    let shop = Shop::new();
    let mut session = shop.session();
    STATEMENTS.iter().for_each(|statement| drop(session.run(statement)));
    let script = shop.backend.schema("ann", None).unwrap();
    for part in [
        "create table stock\n  (\n    id serial(100) not null,\n    name char(8) default 'it''s' not null,",
        "at datetime year to minute default current year to minute",
        "is_sold boolean default 'f'",
        "unique (name, price) constraint u_stock",
        "create unique index ix_stock on stock (price desc, id);",
        "alter table sale add constraint (foreign key (stock) references stock (id) on delete cascade constraint r_stock);",
        "create synonym goods for stock;",
        "create sequence numbers increment by 3 start with 7;",
        "took interval day(3) to minute",
    ] {
        assert!(script.contains(part), "{part}\n{script}");
    }
    let again = Shop::new();
    let folder = std::env::temp_dir();
    let mut out = Vec::new();
    again.backend.run_scripts("ann", std::slice::from_ref(&script), (&mainstay_vfs::Disk, &folder), &mut out).unwrap();
    assert_eq!(again.backend.schema("ann", None).unwrap(), script);
    let mut other = again.session();
    other.run("INSERT INTO stock (name, price) VALUES ('bolt', 1)");
    assert_eq!(
        other.run("SELECT id, name, qty, is_sold FROM stock"),
        session.run("SELECT id, name, qty, is_sold FROM stock")
    );
    other.run("INSERT INTO sale VALUES (100, INTERVAL (1 02:03) DAY TO MINUTE)");
    assert_eq!(other.run("SELECT what FROM log"), ["sold"]);
    assert_eq!(other.run("SELECT what FROM cheap"), session.run("SELECT what FROM cheap"));
    assert_eq!(other.run("SELECT COUNT(*) FROM cheap"), ["1"]);
    assert_eq!(other.fails("INSERT INTO stock (name, price) VALUES ('nut', 0.1)").0, -530);
    assert_eq!(other.fails("INSERT INTO stock (name, price, qty) VALUES ('nut', 1, -1)").0, -530);
}

/// A view calls a routine, which reads another view: the order of the script is right for both.
#[test]
fn views_that_call_routines_come_behind_them() {
    let statements = [
        "CREATE TABLE stock (id SERIAL, qty INT)",
        "CREATE FUNCTION twice(a INT) RETURNING INT; RETURN a * 2; END FUNCTION",
        "CREATE FUNCTION twice(a INT, b INT) RETURNING DECIMAL(9,2); RETURN a * b * 2; END FUNCTION",
        "CREATE VIEW doubled AS SELECT id, twice(qty) AS q, twice(qty, 3) AS r FROM stock WHERE twice(qty) > 2",
        "CREATE FUNCTION largest() RETURNING INT; DEFINE n INT; SELECT MAX(q) INTO n FROM doubled; RETURN n; END FUNCTION",
        "CREATE VIEW most AS SELECT largest() AS m FROM stock",
    ];
    let (shop, again) = (Shop::new(), Shop::new());
    let mut session = shop.session();
    statements.iter().for_each(|statement| drop(session.run(statement)));
    let script = shop.backend.schema("ann", None).unwrap();
    assert!(!script.contains("mssql:"), "{script}");
    let place = |part: &str| script.find(part).unwrap_or_else(|| panic!("{part}\n{script}"));
    assert!(place("FUNCTION largest") < place("create view doubled"), "{script}");
    let mut out = Vec::new();
    let folder = std::env::temp_dir();
    again.backend.run_scripts("ann", std::slice::from_ref(&script), (&mainstay_vfs::Disk, &folder), &mut out).unwrap();
    assert_eq!(again.backend.schema("ann", None).unwrap(), script);
    let mut other = again.session();
    other.run("INSERT INTO stock (qty) VALUES (1)");
    other.run("INSERT INTO stock (qty) VALUES (5)");
    assert_eq!(other.run("SELECT q, r FROM doubled"), ["10|30.00"]);
    assert_eq!(other.run("SELECT m FROM most"), ["10", "10"]);
    other.run("DROP FUNCTION largest");
    // -674: routine (name) can not be resolved.
    assert_eq!(other.fails("SELECT m FROM most"), (-674, 0, "largest".to_owned()));
    // A check cannot call a routine of the database (CREATE TABLE, "Using the CHECK clause").
    let refused = other.fails("CREATE TABLE t (a INT CHECK (twice(a) > 1))");
    assert_eq!(refused, (-674, 0, "twice".to_owned()));
}

#[test]
fn one_table_comes_with_what_belongs_to_it() {
    let shop = Shop::new();
    let mut session = shop.session();
    STATEMENTS.iter().for_each(|statement| drop(session.run(statement)));
    let script = shop.backend.schema("ann", Some("SALE")).unwrap();
    assert!(script.starts_with("create table sale\n"), "{script}");
    assert!(script.contains("TRIGGER sold") && !script.contains("create table stock"), "{script}");
    assert_eq!(shop.backend.schema("ann", Some("nosuch")).unwrap_err().number, -206);
}
