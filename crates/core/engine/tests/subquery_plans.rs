//! Plans of correlated subqueries: joins, or one evaluation for all of their keys, and never row by row where the keys
//! can be looked up (core-01); the answers are those of a model.

mod common;

use mainstay_columnar::values::value_at;
use mainstay_engine::{Database, Session};
use mainstay_types::Value;
use std::collections::BTreeMap;

const CUSTOMERS: usize = 400;
const ORDERS: usize = 4_000;

/// An order: its customer, day and total.
type Order = (Option<i64>, i64, Option<i64>);

/// Customers, of whom some come twice, some have no order, and one has no number; and orders, of which some have no
/// customer.
struct Shop {
    session: Session,
    customers: Vec<Option<i64>>,
    orders: Vec<Order>,
}

impl Shop {
    fn new() -> Shop {
        let mut session = Database::open(":memory:").unwrap().session();
        session.execute("CREATE TABLE customer (id INTEGER, balance INTEGER)").unwrap();
        session.execute("CREATE TABLE orders (id INTEGER, customer INTEGER, day INTEGER, total INTEGER)").unwrap();
        let mut customers: Vec<Option<i64>> = (0..CUSTOMERS).map(|id| Some((id - id % 7 / 6) as i64)).collect();
        customers.push(None);
        let orders: Vec<Order> = (0..ORDERS)
            .map(|id| {
                let customer = (id * 7919 % (CUSTOMERS * 3 / 4)) as i64;
                let total = (id % 13 != 0).then_some((id * 31 % 1_000) as i64);
                ((id % 50 != 0).then_some(customer), (id * 104_729 % 1_000_003) as i64, total)
            })
            .collect();
        let text = |value: Option<i64>| value.map_or_else(|| "NULL".to_owned(), |value| value.to_string());
        let rows = customers.iter().enumerate().map(|(place, id)| format!("({}, {})", text(*id), place % 100));
        session.execute(&format!("INSERT INTO customer VALUES {}", rows.collect::<Vec<_>>().join(", "))).unwrap();
        let rows = orders
            .iter()
            .enumerate()
            .map(|(id, (customer, day, total))| format!("({id}, {}, {day}, {})", text(*customer), text(*total)));
        session.execute(&format!("INSERT INTO orders VALUES {}", rows.collect::<Vec<_>>().join(", "))).unwrap();
        Shop { session, customers, orders }
    }

    /// The rows as texts, sorted.
    fn rows(&mut self, sql: &str) -> Vec<String> {
        let mut answer = self.session.execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let mut all = Vec::new();
        while let Some(batch) = answer.next_batch().unwrap_or_else(|error| panic!("{sql}: {error}")) {
            for row in 0..batch.num_rows() {
                let values = batch.columns().iter().map(|column| value_at(column, row).unwrap());
                let values = values.map(|value: Value| value.as_ref().to_string());
                all.push(values.collect::<Vec<_>>().join("|"));
            }
        }
        all.sort();
        all
    }

    fn plan(&mut self, sql: &str) -> String {
        self.rows(&format!("EXPLAIN {sql}")).join("\n")
    }

    /// The orders of a customer, the latest first.
    fn latest(&self, customer: Option<i64>) -> Vec<Order> {
        let mut own: Vec<Order> =
            self.orders.iter().copied().filter(|order| customer.is_some() && order.0 == customer).collect();
        own.sort_by_key(|order| -order.1);
        own
    }

    /// A line for each customer, sorted.
    fn each(&self, line: impl Fn(Option<i64>, &[Order]) -> Vec<String>) -> Vec<String> {
        let mut all: Vec<String> = self.customers.iter().flat_map(|id| line(*id, &self.latest(*id))).collect();
        all.sort();
        all
    }
}

fn text(value: Option<i64>) -> String {
    value.map_or_else(|| "NULL".to_owned(), |value| value.to_string())
}

/// EXISTS and NOT EXISTS are joins, whatever uncorrelated subquery is beside them.
#[test]
fn a_test_beside_an_uncorrelated_value_is_a_join() {
    let mut shop = Shop::new();
    let has_more = |shop: &Shop, place: usize| (place % 100) as f64 > shop.average();
    for (not, is_there) in [("", true), ("NOT ", false)] {
        let sql = format!(
            "SELECT COUNT(*) FROM customer c WHERE balance > (SELECT AVG(balance) FROM customer) \
             AND {not}EXISTS (SELECT * FROM orders o WHERE o.customer = c.id)"
        );
        let wanted = (0..shop.customers.len())
            .filter(|place| has_more(&shop, *place) && shop.latest(shop.customers[*place]).is_empty() != is_there)
            .count();
        assert_eq!(shop.rows(&sql), [wanted.to_string()], "{sql}");
        let plan = shop.plan(&sql);
        assert!(!plan.contains("Lateral") && plan.contains("Join"), "{sql}:\n{plan}");
    }
}

impl Shop {
    fn average(&self) -> f64 {
        let sum: usize = (0..self.customers.len()).map(|place| place % 100).sum();
        sum as f64 / self.customers.len() as f64
    }
}

/// A correlated value in the list beside an uncorrelated one is a join as well.
#[test]
fn a_correlated_value_beside_an_uncorrelated_one_is_a_join() {
    let mut shop = Shop::new();
    let sql = "SELECT c.id, (SELECT MAX(total) FROM orders o WHERE o.customer = c.id), (SELECT COUNT(*) FROM orders) \
               FROM customer c";
    let wanted = shop
        .each(|id, own| vec![format!("{}|{}|{ORDERS}", text(id), text(own.iter().filter_map(|order| order.2).max()))]);
    assert_eq!(shop.rows(sql), wanted);
    let plan = shop.plan(sql);
    assert!(!plan.contains("Lateral") && plan.contains("Join"), "{plan}");
}

/// The shape of TPC-H's query 22: a test beside an uncorrelated value, of a derived table that is grouped.
#[test]
fn query_22_of_tpc_h_is_made_of_joins() {
    let mut shop = Shop::new();
    let sql = "SELECT code, COUNT(*), SUM(balance) FROM (SELECT balance / 10 AS code, balance FROM customer c \
               WHERE balance / 10 IN (1, 3, 5, 7) AND balance > (SELECT AVG(balance) FROM customer WHERE balance > 0 \
               AND balance / 10 IN (1, 3, 5, 7)) AND NOT EXISTS (SELECT * FROM orders o WHERE o.customer = c.id)) t \
               GROUP BY code ORDER BY code";
    let is_wanted = |balance: usize| [1, 3, 5, 7].contains(&(balance / 10));
    let counted: Vec<usize> = (0..shop.customers.len()).map(|place| place % 100).filter(|it| is_wanted(*it)).collect();
    let average = counted.iter().sum::<usize>() as f64 / counted.len() as f64;
    let mut groups: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (place, id) in shop.customers.iter().enumerate() {
        let balance = place % 100;
        if is_wanted(balance) && balance as f64 > average && shop.latest(*id).is_empty() {
            let group = groups.entry(balance / 10).or_default();
            *group = (group.0 + 1, group.1 + balance);
        }
    }
    let wanted: Vec<String> = groups.iter().map(|(code, (count, sum))| format!("{code}|{count}|{sum}")).collect();
    assert!(!wanted.is_empty());
    assert_eq!(shop.rows(sql), wanted);
    let plan = shop.plan(sql);
    assert!(!plan.contains("Lateral") && plan.contains("Join"), "{plan}");
}

/// The first rows of an order, for each key: the table is read once for all keys.
#[test]
fn the_latest_rows_are_found_for_all_keys_at_once() {
    let mut shop = Shop::new();
    let cases: [(&str, Vec<String>); 4] = [
        (
            "SELECT c.id, (SELECT o.total FROM orders o WHERE o.customer = c.id ORDER BY o.day DESC LIMIT 1) FROM customer c",
            shop.each(|id, own| vec![format!("{}|{}", text(id), text(own.first().and_then(|order| order.2)))]),
        ),
        (
            "SELECT c.id, x.day, x.total FROM customer c CROSS JOIN LATERAL (SELECT o.day, o.total FROM orders o \
             WHERE o.customer = c.id ORDER BY o.day DESC LIMIT 2) x",
            shop.each(|id, own| {
                let line = |order: &Order| format!("{}|{}|{}", text(id), order.1, text(order.2));
                own.iter().take(2).map(line).collect()
            }),
        ),
        (
            "SELECT c.id, x.total FROM customer c LEFT JOIN LATERAL (SELECT o.total FROM orders o \
             WHERE o.customer = c.id ORDER BY o.day DESC LIMIT 1 OFFSET 2) x ON TRUE",
            shop.each(|id, own| vec![format!("{}|{}", text(id), text(own.get(2).and_then(|order| order.2)))]),
        ),
        (
            "SELECT c.id, CASE WHEN c.id > 5 THEN (SELECT o.total / (c.id - 5) FROM orders o WHERE o.customer = c.id \
             ORDER BY o.day DESC LIMIT 1) END FROM customer c",
            shop.each(|id, own| {
                let total = own.first().and_then(|order| order.2).zip(id.filter(|id| *id > 5));
                vec![format!("{}|{}", text(id), text(total.map(|(total, id)| total / (id - 5))))]
            }),
        ),
    ];
    for (sql, wanted) in cases {
        let plan = shop.plan(sql);
        assert!(plan.contains("all keys at once") && !plan.contains("key by key"), "{sql}:\n{plan}");
        assert_eq!(shop.rows(sql), wanted, "{sql}");
        // A few times, with sets of rows that grow, and not once for each customer.
        let read = shop.session.progress().rows() as usize;
        assert!(read <= 4 * (CUSTOMERS + ORDERS), "{sql}: {read} rows were read");
    }
}
