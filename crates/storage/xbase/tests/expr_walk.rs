//! Tags that Harbour wrote: every key of the walk must be what the tag's expression evaluates to on that
//! record, and the FOR condition must hold for exactly the records of the walk.

mod expr_files;

use expr_files::{Table, rows, shown};
use mainstay_xbase::expr::{Compiled, Context, ExprValue, Expression, Kind, Scratch};
use std::collections::{BTreeMap, BTreeSet};

struct Order {
    key: Compiled,
    condition: Option<Compiled>,
    unique: bool,
    key_type: String,
    key_size: usize,
}

fn orders(name: &str, table: &Table) -> BTreeMap<String, Order> {
    let compile = |text: &str| {
        let context = Context::new(&table.fields);
        Expression::parse(text)
            .and_then(|parsed| parsed.compile(&context))
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let order = |row: &Vec<String>| Order {
        key: compile(&row[3]),
        condition: (!row[4].is_empty()).then(|| compile(&row[4])),
        unique: row[5] == "T",
        key_type: row[7].clone(),
        key_size: row[8].parse().unwrap(),
    };
    rows(&format!("{name}.orders.csv")).iter().map(|row| (row[1].clone(), order(row))).collect()
}

fn check(name: &str) {
    let table = Table::open(&format!("{name}.dbf"));
    let orders = orders(name, &table);
    let mut scratch = Scratch::new();
    let mut walked: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let walk = rows(&format!("{name}.walk.csv"));
    for row in &walk {
        let recno: u32 = row[2].parse().unwrap();
        let order = &orders[&row[0]];
        let value = order.key.evaluate(&mut scratch, table.record(recno), recno).unwrap();
        let key = match (value, row[3].as_str()) {
            (ExprValue::Number(number), key) => {
                assert_eq!(number, key.parse::<f64>().unwrap(), "{name} {} record {recno}", row[0]);
                key.to_string()
            }
            (value, _) => shown(value).1,
        };
        assert_eq!(key, row[3], "{name} {} record {recno}", row[0]);
        walked.entry(&row[0]).or_default().insert(recno);
    }
    for (tag, order) in &orders {
        check_type(tag, order);
        let holds = |recno: &u32| match &order.condition {
            None => true,
            Some(condition) => {
                let mut scratch = Scratch::new();
                condition.evaluate(&mut scratch, table.record(*recno), *recno).unwrap() == ExprValue::Logical(true)
            }
        };
        if !order.unique {
            let members: BTreeSet<u32> = (1..=table.count()).filter(holds).collect();
            assert_eq!(members, walked[tag.as_str()], "{name} {tag}");
        }
    }
}

fn check_type(tag: &str, order: &Order) {
    let result = order.key.result_type();
    let letter = match result.kind {
        Kind::Character => "C",
        Kind::Numeric => "N",
        Kind::Date => "D",
        Kind::Timestamp => "T",
        Kind::Logical => "L",
    };
    assert_eq!(letter, order.key_type, "{tag}");
    if result.kind == Kind::Character {
        assert_eq!(result.length, Some(order.key_size), "{tag}");
    }
}

#[test]
fn cdx_tags() {
    check("t03_cdx_tags");
}

#[test]
fn cdx_tags_after_updates() {
    check("t04_cdx_updated");
}

#[test]
fn ntx_orders() {
    check("t05_ntx");
}

#[test]
fn visual_foxpro_tags() {
    check("t07_vfp");
}
