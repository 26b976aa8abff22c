//! Groups that a statement contains more than once are computed once (`planner::optimize::repeated_groups`): counted by
//! the scans of their table, and compared with the answers without that rule.

mod common;

use common::rows;
use mainstay_engine::{Database, Options, Session};

/// 100,000 sales of 500 sellers, and sellers of which some have no sale.
fn shop(disabled: &[&str]) -> Session {
    let options = Options {
        disabled_optimizer_rules: disabled.iter().map(|rule| (*rule).to_owned()).collect(),
        ..Options::default()
    };
    let mut session = Database::open_with(":memory:", options).unwrap().session();
    for sql in [
        "CREATE TABLE sale (seller INTEGER, amount INTEGER)",
        "INSERT INTO sale SELECT g % 500, g * 7919 % 1000 FROM generate_series(1, 100000) AS q(g)",
        "CREATE TABLE seller (id INTEGER, name VARCHAR(20))",
        "INSERT INTO seller SELECT g, 'seller ' || CAST(g AS VARCHAR) FROM generate_series(0, 600) AS q(g)",
        "CREATE VIEW revenue AS SELECT seller, SUM(amount) AS total FROM sale GROUP BY seller",
    ] {
        session.execute(sql).unwrap();
    }
    session.reads().count_by_table(true);
    session
}

/// The rows of a statement, and how often it scanned the table of sales.
fn scans(session: &mut Session, sql: &str) -> (Vec<String>, u64) {
    session.reads().take();
    let rows = rows(session, sql);
    let reads = session.reads().take();
    (rows, reads.iter().filter(|reads| reads.table == "sale").map(|reads| reads.scans).sum())
}

fn plan_of(session: &mut Session, sql: &str) -> String {
    rows(session, &format!("EXPLAIN {sql}")).join("\n")
}

const BEST: &str = "WITH r AS (SELECT seller, SUM(amount) AS total FROM sale GROUP BY seller)
    SELECT name, total FROM seller JOIN r ON seller.id = r.seller WHERE total = (SELECT MAX(total) FROM r) ORDER BY name";

#[test]
fn groups_that_are_named_twice_are_computed_once() {
    let mut with = shop(&[]);
    let mut without = shop(&["repeated_groups"]);
    let statements = [
        BEST,
        "SELECT name, total FROM seller JOIN revenue ON id = seller WHERE total = (SELECT MIN(total) FROM revenue) ORDER BY 1",
        "WITH r AS (SELECT seller, SUM(amount) AS total FROM sale GROUP BY seller)
            SELECT a.seller, a.total - b.total FROM r a JOIN r b ON a.seller = b.seller + 1 ORDER BY 1",
        "SELECT seller, SUM(amount) FROM sale GROUP BY seller UNION ALL SELECT seller, SUM(amount) FROM sale GROUP BY seller
            ORDER BY 1, 2",
    ];
    // The groups of the third place have no sums: they are others.
    let three = "WITH r AS (SELECT seller, SUM(amount) AS total FROM sale GROUP BY seller)
            SELECT a.seller FROM r a, r b, r c WHERE a.total < b.total AND b.seller = c.seller - 7
            ORDER BY 1 LIMIT 5";
    for (sql, expected) in statements.into_iter().map(|sql| (sql, 1)).chain([(three, 2)]) {
        let (rows, once) = scans(&mut with, sql);
        let (same, each) = scans(&mut without, sql);
        assert_eq!(rows, same, "{sql}");
        assert!(!rows.is_empty(), "{sql}");
        assert_eq!(once, expected, "{sql}");
        assert!(each > expected, "{sql}: {each} scans without the rule");
    }
}

/// A plan is kept, and its rows are not.
#[test]
fn a_statement_that_runs_again_reads_the_table_again() {
    let mut session = shop(&[]);
    let first = scans(&mut session, BEST);
    assert_eq!(scans(&mut session, BEST), first);
    session.execute("INSERT INTO sale VALUES (600, 1000000)").unwrap();
    assert_eq!(scans(&mut session, BEST), (vec!["'seller 600'|1000000".to_owned()], 1));
}

#[test]
fn groups_that_differ_are_computed_in_each_place() {
    let mut session = shop(&[]);
    for sql in [
        // The conditions are pushed into the groups.
        "WITH r AS (SELECT seller, SUM(amount) AS total FROM sale GROUP BY seller)
            SELECT total FROM r WHERE seller = 3 UNION ALL SELECT total FROM r WHERE seller = 4",
        // Each place has random numbers of its own.
        "SELECT COUNT(*) FROM (SELECT seller, MAX(random()) AS x FROM sale GROUP BY seller) a
            JOIN (SELECT seller, MAX(random()) AS x FROM sale GROUP BY seller) b ON a.seller = b.seller AND a.x = b.x",
    ] {
        let plan = plan_of(&mut session, sql);
        assert!(!plan.contains("SharedRows"), "{plan}");
    }
    let plan = plan_of(&mut session, BEST);
    assert_eq!(plan.matches("SharedRows: 0").count(), 2, "{plan}");
}
