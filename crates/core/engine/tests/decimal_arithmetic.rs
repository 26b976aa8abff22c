//! Arithmetic of decimals with small values (`planner::types::narrow_decimals`) gives what the general operators give: for small
//! and large values, NULL, constants on either side, and results of too many digits.

mod common;

use common::{rows, run};
use mainstay_engine::{Database, Options, Session};
use mainstay_types::Code;

/// 30,000 sales; every hundredth price is `large`, every seventh discount NULL.
fn shop(disabled: &[&str], large: &str) -> Session {
    let disabled_optimizer_rules = disabled.iter().map(|rule| (*rule).to_owned()).collect();
    let options = Options { disabled_optimizer_rules, ..Options::default() };
    let mut session = Database::open_with(":memory:", options).unwrap().session();
    session.execute("CREATE TABLE sale (id INTEGER, price DECIMAL(30,2), discount DECIMAL(9,4), day DATE)").unwrap();
    session
        .execute(&format!(
            "INSERT INTO sale SELECT g, CASE WHEN g % 100 = 0 THEN {large} ELSE CAST(g * 7919 % 100003 AS DECIMAL(30,2)) / 100 END,
             CASE WHEN g % 7 = 0 THEN NULL ELSE CAST(g % 11 AS DECIMAL(9,4)) / 100 END, DATE '2026-01-01'
             FROM generate_series(1, 30000) AS q(g)"
        ))
        .unwrap();
    session
}

const STATEMENTS: [&str; 5] = [
    "SELECT id % 5, SUM(price * (1 - discount)), SUM(price * (1 + discount) * (1 - discount)) FROM sale GROUP BY id % 5 ORDER BY 1",
    "SELECT AVG(price * discount), MIN(price - discount), MAX(price + discount), SUM(2 - price) FROM sale WHERE id > 10",
    "SELECT id, price * discount, 3 * price, discount - 1 FROM sale WHERE id % 1000 < 2 ORDER BY id",
    "SELECT id, CASE WHEN discount > 0.05 THEN price * 2 ELSE price + discount END FROM sale WHERE id % 500 = 0 ORDER BY id",
    "SELECT id % 3, COUNT(DISTINCT price * discount) FROM sale GROUP BY id % 3 ORDER BY 1",
];

#[test]
fn small_and_large_decimals_give_the_same_results_in_both_ways() {
    // 2^62 = 4,611,686,018,427,387,904 hundredths, values around it, and one of 28 digits.
    for large in [
        "-12.34",
        "46116860184273879.04",
        "46116860184273879.03",
        "-46116860184273879.04",
        "-46116860184273879.05",
        "1234567890123456789012345678.25",
    ] {
        let large = format!("CAST({large} AS DECIMAL(30,2))");
        let (mut narrow, mut wide) = (shop(&[], &large), shop(&["narrow_decimals"], &large));
        for sql in STATEMENTS {
            let (narrow, wide) = (run(&mut narrow, sql), run(&mut wide, sql));
            match (narrow, wide) {
                (Ok(narrow), Ok(wide)) => {
                    assert_eq!((narrow.rows, narrow.schema), (wide.rows, wide.schema), "{large}: {sql}");
                }
                (Err(narrow), Err(wide)) => assert_eq!(narrow.code(), wide.code(), "{large}: {sql}"),
                (narrow, wide) => panic!("{large}: {sql}: {} and {}", narrow.is_ok(), wide.is_ok()),
            }
        }
    }
}

/// By hand: 100 sales of 2.00 with a discount of 0.05 make 190.0000; a price of 10^27 squared has 55 digits.
#[test]
fn results_are_exact_and_too_many_digits_are_an_error() {
    let mut session = Database::open(":memory:").unwrap().session();
    session.execute("CREATE TABLE sale (id INTEGER, price DECIMAL(30,2), discount DECIMAL(9,4))").unwrap();
    let series = "FROM generate_series(1, 20000) AS q(g)";
    session.execute(&format!("INSERT INTO sale SELECT g, 2.00, 0.05 {series}")).unwrap();
    let sums = "SELECT id % 200, SUM(price * (1 - discount)) FROM sale GROUP BY id % 200 ORDER BY 1 LIMIT 1";
    assert_eq!(rows(&mut session, sums), ["0|190.000000"]);
    session.execute("INSERT INTO sale VALUES (0, 1000000000000000000000000000, 0)").unwrap();
    let error = run(&mut session, "SELECT SUM(price * price) FROM sale GROUP BY id % 2").map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidValue, "{error}");
}

/// Each operand is calculated once a batch, also where values are large: 2^40 calculations would not end.
#[test]
fn long_sums_of_large_decimals_are_calculated_operand_by_operand() {
    let mut session = Database::open(":memory:").unwrap().session();
    session.execute("CREATE TABLE w (g INTEGER, a DECIMAL(24,1), b DECIMAL(10,2))").unwrap();
    session.execute("INSERT INTO w SELECT g % 3, 9000000000000000000, 1 FROM generate_series(1, 300) AS q(g)").unwrap();
    let sum = (0..20).map(|_| "a + b").collect::<Vec<_>>().join(" + ");
    let answer = rows(&mut session, &format!("SELECT g, MAX({sum}) FROM w GROUP BY g ORDER BY g"));
    assert_eq!(answer, ["0|180000000000000000020.00", "1|180000000000000000020.00", "2|180000000000000000020.00"]);
}
