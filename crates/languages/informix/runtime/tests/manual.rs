//! Statements over the tables of the demonstration database of the manuals, in forms that its examples have.
//!
//! Values were derived by hand from the rules of the Guide to SQL: Syntax.

mod common;

use common::{Client, Shop};
use mainstay_types::Value;

fn stores(shop: &Shop) -> Client {
    let mut session = shop.session();
    for text in [
        "CREATE TABLE customer (customer_num SERIAL(101), lname CHAR(15), state CHAR(2), PRIMARY KEY (customer_num))",
        "CREATE TABLE orders (order_num SERIAL(1001), order_date DATE, customer_num INTEGER NOT NULL, paid_date DATE, PRIMARY KEY (order_num), FOREIGN KEY (customer_num) REFERENCES customer (customer_num)) FRAGMENT BY EXPRESSION order_num < 2000 IN dbs1, REMAINDER IN dbs2",
        "CREATE TABLE items (item_num SMALLINT, order_num INTEGER, quantity SMALLINT, total_price MONEY(8)) EXTENT SIZE 32 FRAGMENT BY ROUND ROBIN IN dbs1, dbs2",
        "CREATE TABLE manufact (manu_code CHAR(3), lead_time INTERVAL DAY(3) TO DAY)",
        "CREATE TABLE cust_calls (customer_num INTEGER, call_dtime DATETIME YEAR TO MINUTE)",
        "CREATE ROLE engineer",
        "ALTER TABLE items NEXT SIZE 64",
        "INSERT INTO customer VALUES (0, 'Pauli', 'CA')",
        "INSERT INTO customer VALUES (0, 'Sadler', 'AZ')",
        "INSERT INTO customer VALUES (0, 'Currie', 'CA')",
        "INSERT INTO orders VALUES (0, '05/20/2008', 101, '07/22/2008')",
        "INSERT INTO orders VALUES (0, '2008-05-21', 103, NULL)",
        "INSERT INTO items VALUES (1, 1001, 1, 250.00)",
        "INSERT INTO items VALUES (2, 1001, 3, 750.00)",
        "INSERT INTO manufact VALUES ('SMT', '  3')",
        "INSERT INTO manufact VALUES ('ANZ', INTERVAL (5) DAY TO DAY)",
        "INSERT INTO cust_calls VALUES (101, '2008-6-12 8:20')",
    ] {
        session.run(text);
    }
    session
}

#[test]
fn dates_are_texts_with_slashes() {
    let shop = Shop::new();
    let mut session = stores(&shop);
    assert_eq!(session.run("SELECT order_num FROM orders WHERE order_date > '05/20/2008'"), ["1002"]);
    assert_eq!(
        session.run("SELECT order_num FROM orders WHERE order_date BETWEEN '05/19/2008' AND '5/20/08'"),
        ["1001"]
    );
    assert_eq!(session.run("SELECT paid_date - order_date FROM orders WHERE order_num = 1001"), ["63"]);
    assert_eq!(session.run("SELECT DATE('05/31/1994') FROM manufact WHERE manu_code = 'SMT'"), ["DATE '1994-05-31'"]);
    let found =
        session.run_with("SELECT order_num FROM orders WHERE order_date = ?", &[Value::Text("05/21/2008".into())]);
    assert_eq!(found, ["1002"]);
    // 2008-05-20 was a Tuesday.
    assert_eq!(
        session
            .run("SELECT NEXT_DAY(order_date, 'SUN'), NEXT_DAY(order_date, 'TUE') FROM orders WHERE order_num = 1001"),
        ["DATE '2008-05-25'|DATE '2008-05-27'"]
    );
    assert_eq!(
        session.run("SELECT TRUNC(order_date, 'YEAR'), TRUNC(order_date, 'MONTH') FROM orders WHERE order_num = 1001"),
        ["DATE '2008-01-01'|DATE '2008-05-01'"]
    );
    assert_eq!(session.run("SELECT COUNT(*) FROM cust_calls WHERE call_dtime = '2008-06-12 08:20'"), ["1"]);
    assert_eq!(session.run("SELECT COUNT(*) FROM manufact WHERE lead_time < '4'"), ["1"]);
}

#[test]
fn outer_tables_may_have_outer_tables() {
    let shop = Shop::new();
    let mut session = stores(&shop);
    let text = "SELECT c.customer_num, o.order_num, i.item_num FROM customer c, OUTER (orders o, OUTER items i) \
                WHERE c.customer_num = o.customer_num AND o.order_num = i.order_num ORDER BY 1, 3";
    assert_eq!(session.run(text), ["101|1001|1", "101|1001|2", "102|NULL|NULL", "103|1002|NULL"]);
}

#[test]
fn rows_have_numbers() {
    let shop = Shop::new();
    let mut session = stores(&shop);
    let numbers = session.run("SELECT ROWID FROM customer WHERE lname = 'Sadler'");
    let [number] = &numbers[..] else { panic!("{numbers:?}") };
    assert_eq!(
        session.run(&format!("SELECT c.lname FROM customer c WHERE c.ROWID = {number}"))[0].trim_end(),
        "Sadler"
    );
    session.run(&format!("UPDATE customer SET state = 'NV' WHERE rowid = {number}"));
    assert_eq!(session.run("SELECT state FROM customer WHERE lname = 'Sadler'"), ["NV"]);
}

#[test]
fn patterns_of_columns_have_classes() {
    let shop = Shop::new();
    let mut session = stores(&shop);
    session.run("CREATE TABLE p (pattern VARCHAR(20))");
    session.run("INSERT INTO p VALUES ('[A-P]*')");
    assert_eq!(session.run("SELECT COUNT(*) FROM customer, p WHERE lname MATCHES pattern"), ["2"]);
    let given = |text: &str| [Value::Text(text.to_owned())];
    assert_eq!(session.run_with("SELECT customer_num FROM customer WHERE state MATCHES ?", &given("[^C]?")), ["102"]);
    assert_eq!(session.run_with("SELECT customer_num FROM customer WHERE state NOT MATCHES ?", &given("C*")), ["102"]);
}

#[test]
fn changes_and_settings() {
    let shop = Shop::new();
    let mut session = stores(&shop);
    session.run("UPDATE customer SET (lname, state) = ((SELECT manu_code, 'ZZ' FROM manufact WHERE manu_code = 'SMT')) WHERE customer_num = 102");
    assert_eq!(session.run("SELECT lname[1,3], state FROM customer WHERE customer_num = 102"), ["SMT|ZZ"]);
    session.run("MERGE INTO customer c USING manufact m ON c.lname = m.manu_code WHEN NOT MATCHED THEN INSERT (c.customer_num, c.lname) VALUES (0, m.manu_code)");
    assert_eq!(session.run("SELECT COUNT(*) FROM customer"), ["4"]);
    session.run("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    session.run("SET ROLE engineer");
    session.run("ALTER INDEX nosuch TO CLUSTER");
    session.run("CLOSE DATABASE");
    assert_eq!(session.run("SELECT lname FROM customer ORDER BY lname DESC NULLS LAST LIMIT 1").len(), 1);
    assert_eq!(session.fails("SELECT lname FROM customer ORDER BY lname NULLS LAST").0, -999);
    assert_eq!(
        session.run("SELECT HEX(255), BITXOR(6, 3), BITNOT(6), ROOT(16, 4) FROM manufact WHERE manu_code = 'SMT'"),
        ["0x000000FF|5|-7|2"]
    );
    assert_eq!(
        session.run(
            "SELECT TO_NUMBER('12.50'), SUBSTRING_INDEX('www.ibm.com', '.', 2) FROM manufact WHERE manu_code = 'SMT'"
        ),
        ["12.5|www.ibm"]
    );
    assert_eq!(
        session.run("SELECT item_num, RATIO_TO_REPORT(quantity) OVER () FROM items ORDER BY 1")[1][..6],
        "2|0.75"[..]
    );
}

#[test]
fn large_objects_are_in_the_catalog() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE l (id INT, t TEXT, b BLOB, c CLOB, y BYTE)");
    let of = |session: &mut Client, table: &str| {
        session.run(&format!(
            "SELECT x.colno FROM {table} x, systables t WHERE x.tabid = t.tabid AND t.tabname = 'l' ORDER BY 1"
        ))
    };
    assert_eq!(of(&mut session, "sysblobs"), ["2", "5"]);
    assert_eq!(of(&mut session, "syscolattribs"), ["3", "4"]);
    assert_eq!(session.fails("INSERT INTO l (b) VALUES (FILETOBLOB('/etc/passwd', 'server'))").0, -999);
    session.run("INSERT INTO l (id, c) VALUES (1, 'text')");
    session.run("INSERT INTO l (id, c) SELECT 2, LOCOPY(c) FROM l");
    assert_eq!(session.run("SELECT c FROM l ORDER BY id"), ["text", "text"]);
}
