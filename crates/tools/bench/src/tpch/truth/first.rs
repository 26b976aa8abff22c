//! Queries 1 to 7.

use super::super::data::Data;
use super::super::data::dates::days;
use super::super::data::words::{PRIORITIES, SEGMENTS};
use super::{date, nation_name, region_of, revenue, supplier_name};
use crate::answer::{Cell, Rows};
use mainstay_types::Date;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Pricing summary report.
pub fn q01(data: &Data) -> Rows {
    #[derive(Default)]
    struct Group {
        quantity: i64,
        price: i64,
        revenue: i64,
        charge: i128,
        discount: i64,
        count: i64,
    }
    let mut groups: BTreeMap<(u8, u8), Group> = BTreeMap::new();
    for line in data.lines.iter().filter(|line| line.shipped <= days(1998, 12, 1) - 90) {
        let group = groups.entry((line.flag, line.status)).or_default();
        group.quantity += i64::from(line.quantity);
        group.price += i64::from(line.price);
        group.revenue += line.revenue();
        group.charge += i128::from(line.revenue() * (100 + i64::from(line.tax)));
        group.discount += i64::from(line.discount);
        group.count += 1;
    }
    let row = |((flag, status), group): ((u8, u8), Group)| {
        let mean = |sum: i64, unit: f64| Cell::Float(sum as f64 / unit / group.count as f64);
        vec![
            Cell::text(char::from(flag)),
            Cell::text(char::from(status)),
            Cell::whole(group.quantity),
            Cell::cents(group.price),
            revenue(group.revenue),
            Cell::Number { units: group.charge, scale: 6 },
            mean(group.quantity, 1.0),
            mean(group.price, 100.0),
            mean(group.discount, 100.0),
            Cell::whole(group.count),
        ]
    };
    groups.into_iter().map(row).collect()
}

/// Minimum cost supplier.
pub fn q02(data: &Data) -> Rows {
    let mut found = Vec::new();
    for (part, key) in data.parts.iter().zip(1..) {
        if part.size != 15 || !part.kind_text().ends_with("BRASS") {
            continue;
        }
        let european = |row: &&_| {
            let row: &super::PartSupplier = row;
            region_of(data.supplier_nation(row.supplier)) == "EUROPE"
        };
        let offers: Vec<_> = data.suppliers_of(key).iter().filter(european).collect();
        let least = offers.iter().map(|row| row.cost).min();
        found.extend(offers.into_iter().filter(|row| Some(row.cost) == least));
    }
    found.sort_by_key(|row| {
        let supplier = &data.suppliers[row.supplier as usize - 1];
        (Reverse(supplier.balance), nation_name(supplier.nation), row.supplier, row.part)
    });
    let row = |row: &super::PartSupplier| {
        let (part, supplier) = (&data.parts[row.part as usize - 1], &data.suppliers[row.supplier as usize - 1]);
        vec![
            Cell::cents(supplier.balance),
            Cell::text(supplier_name(row.supplier)),
            Cell::text(nation_name(supplier.nation)),
            Cell::whole(row.part),
            Cell::text(format!("Manufacturer#{}", part.brand.0)),
            Cell::text(&supplier.address),
            Cell::text(&supplier.phone),
            Cell::text(&supplier.comment),
        ]
    };
    found.into_iter().take(100).map(row).collect()
}

/// Shipping priority.
pub fn q03(data: &Data) -> Rows {
    let day = days(1995, 3, 15);
    let mut found = Vec::new();
    for order in data.orders.iter().filter(|order| order.date < day) {
        let segment = data.customers[order.customer as usize - 1].segment;
        let late: Vec<_> = data.lines_of(order).iter().filter(|line| line.shipped > day).collect();
        if SEGMENTS[usize::from(segment)] == "BUILDING" && !late.is_empty() {
            found.push((late.iter().map(|line| line.revenue()).sum::<i64>(), order));
        }
    }
    found.sort_by_key(|(sum, order)| (Reverse(*sum), order.date));
    let row = |(sum, order): (i64, &super::super::data::Order)| {
        vec![Cell::whole(order.key), revenue(sum), date(order.date), Cell::whole(0)]
    };
    found.into_iter().take(10).map(row).collect()
}

/// Order priority checking.
pub fn q04(data: &Data) -> Rows {
    let mut counts = [0i64; PRIORITIES.len()];
    let quarter = days(1993, 7, 1)..days(1993, 10, 1);
    for order in data.orders.iter().filter(|order| quarter.contains(&order.date)) {
        if data.lines_of(order).iter().any(|line| line.committed < line.received) {
            counts[usize::from(order.priority)] += 1;
        }
    }
    let rows = PRIORITIES.iter().zip(counts).filter(|(_, count)| *count > 0);
    rows.map(|(priority, count)| vec![Cell::text(*priority), Cell::whole(count)]).collect()
}

/// Local supplier volume.
pub fn q05(data: &Data) -> Rows {
    let mut sums: BTreeMap<u8, i64> = BTreeMap::new();
    let year = days(1994, 1, 1)..days(1995, 1, 1);
    for line in &data.lines {
        let order = data.order_of(line);
        let nation = data.supplier_nation(line.supplier);
        let is_local = nation == data.customer_nation(order.customer);
        if year.contains(&order.date) && is_local && region_of(nation) == "ASIA" {
            *sums.entry(nation).or_default() += line.revenue();
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, sum)| Reverse(*sum));
    sums.into_iter().map(|(nation, sum)| vec![Cell::text(nation_name(nation)), revenue(sum)]).collect()
}

/// Forecasting revenue change.
pub fn q06(data: &Data) -> Rows {
    let year = days(1994, 1, 1)..days(1995, 1, 1);
    let wanted = data
        .lines
        .iter()
        .filter(|line| year.contains(&line.shipped) && (5..=7).contains(&line.discount) && line.quantity < 24);
    let amounts: Vec<i64> = wanted.map(|line| i64::from(line.price) * i64::from(line.discount)).collect();
    vec![vec![if amounts.is_empty() { Cell::Null } else { revenue(amounts.iter().sum()) }]]
}

/// Volume shipping.
pub fn q07(data: &Data) -> Rows {
    let mut sums: BTreeMap<(&str, &str, i32), i64> = BTreeMap::new();
    let years = days(1995, 1, 1)..=days(1996, 12, 31);
    for line in data.lines.iter().filter(|line| years.contains(&line.shipped)) {
        let from = nation_name(data.supplier_nation(line.supplier));
        let to = nation_name(data.customer_nation(data.order_of(line).customer));
        if matches!((from, to), ("FRANCE", "GERMANY") | ("GERMANY", "FRANCE")) {
            *sums.entry((from, to, Date(line.shipped).ymd().0)).or_default() += line.revenue();
        }
    }
    let row = |((from, to, year), sum)| vec![Cell::text(from), Cell::text(to), Cell::whole(year), revenue(sum)];
    sums.into_iter().map(row).collect()
}
