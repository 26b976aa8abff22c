//! Queries 8 to 14.

use super::super::data::dates::days;
use super::super::data::words::{COLORS, MODES, PRIORITIES};
use super::super::data::{Data, Order};
use super::{customer_name, nation_name, region_of, revenue};
use crate::answer::{Cell, Rows};
use mainstay_types::Date;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// National market share.
pub fn q08(data: &Data) -> Rows {
    let mut sums: BTreeMap<i32, (i64, i64)> = BTreeMap::new();
    let years = days(1995, 1, 1)..=days(1996, 12, 31);
    for line in &data.lines {
        let order = data.order_of(line);
        let is_american = region_of(data.customer_nation(order.customer)) == "AMERICA";
        let is_wanted = data.part_of(line).kind_text() == "ECONOMY ANODIZED STEEL";
        if years.contains(&order.date) && is_american && is_wanted {
            let sum = sums.entry(Date(order.date).ymd().0).or_default();
            sum.1 += line.revenue();
            if nation_name(data.supplier_nation(line.supplier)) == "BRAZIL" {
                sum.0 += line.revenue();
            }
        }
    }
    sums.into_iter().map(|(year, (own, all))| vec![Cell::whole(year), Cell::Float(own as f64 / all as f64)]).collect()
}

/// Product type profit measure.
pub fn q09(data: &Data) -> Rows {
    let green = COLORS.iter().position(|color| *color == "green").map(|place| place as u8);
    let mut sums: BTreeMap<(&str, Reverse<i32>), i64> = BTreeMap::new();
    for line in &data.lines {
        // No other colour contains the word.
        if !data.part_of(line).name.iter().any(|word| Some(*word) == green) {
            continue;
        }
        let offer = data.suppliers_of(line.part).iter().find(|row| row.supplier == line.supplier);
        let cost = offer.map_or(0, |row| i64::from(row.cost) * i64::from(line.quantity) * 100);
        let nation = nation_name(data.supplier_nation(line.supplier));
        *sums.entry((nation, Reverse(Date(data.order_of(line).date).ymd().0))).or_default() += line.revenue() - cost;
    }
    let row = |((nation, Reverse(year)), sum)| vec![Cell::text(nation), Cell::whole(year), revenue(sum)];
    sums.into_iter().map(row).collect()
}

/// Returned item reporting.
pub fn q10(data: &Data) -> Rows {
    let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
    let quarter = days(1993, 10, 1)..days(1994, 1, 1);
    for order in data.orders.iter().filter(|order| quarter.contains(&order.date)) {
        for line in data.lines_of(order).iter().filter(|line| line.flag == b'R') {
            *sums.entry(order.customer).or_default() += line.revenue();
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, sum)| Reverse(*sum));
    let row = |(key, sum): (u32, i64)| {
        let customer = &data.customers[key as usize - 1];
        vec![
            Cell::whole(key),
            Cell::text(customer_name(key)),
            revenue(sum),
            Cell::cents(customer.balance),
            Cell::text(nation_name(customer.nation)),
            Cell::text(&customer.address),
            Cell::text(&customer.phone),
            Cell::text(data.pool.text(customer.comment)),
        ]
    };
    sums.into_iter().take(20).map(row).collect()
}

/// Important stock identification.
pub fn q11(data: &Data) -> Rows {
    let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
    for row in &data.part_suppliers {
        if nation_name(data.supplier_nation(row.supplier)) == "GERMANY" {
            *sums.entry(row.part).or_default() += i64::from(row.cost) * i64::from(row.available);
        }
    }
    let limit = sums.values().sum::<i64>() as f64 * (0.0001 / data.scale);
    let mut sums: Vec<_> = sums.into_iter().filter(|(_, sum)| *sum as f64 > limit).collect();
    sums.sort_by_key(|(_, sum)| Reverse(*sum));
    sums.into_iter().map(|(part, sum)| vec![Cell::whole(part), Cell::cents(sum)]).collect()
}

/// Shipping modes and order priority.
pub fn q12(data: &Data) -> Rows {
    let mut counts: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    let year = days(1994, 1, 1)..days(1995, 1, 1);
    for line in data.lines.iter().filter(|line| year.contains(&line.received)) {
        let mode = MODES[usize::from(line.mode)];
        let is_late = line.committed < line.received && line.shipped < line.committed;
        if is_late && matches!(mode, "MAIL" | "SHIP") {
            let counts = counts.entry(mode).or_default();
            match PRIORITIES[usize::from(data.order_of(line).priority)] {
                "1-URGENT" | "2-HIGH" => counts.0 += 1,
                _ => counts.1 += 1,
            }
        }
    }
    counts.into_iter().map(|(mode, (high, low))| vec![Cell::text(mode), Cell::whole(high), Cell::whole(low)]).collect()
}

/// Customer distribution.
pub fn q13(data: &Data) -> Rows {
    let mut orders = vec![0i64; data.customers.len()];
    let is_special = |order: &&Order| {
        let rest = data.pool.text(order.comment).split_once("special").map(|(_, rest)| rest);
        rest.is_some_and(|rest| rest.contains("requests"))
    };
    for order in data.orders.iter().filter(|order| !is_special(order)) {
        orders[order.customer as usize - 1] += 1;
    }
    let mut customers: BTreeMap<i64, i64> = BTreeMap::new();
    orders.into_iter().for_each(|count| *customers.entry(count).or_default() += 1);
    let mut customers: Vec<_> = customers.into_iter().collect();
    customers.sort_by_key(|(count, customers)| Reverse((*customers, *count)));
    customers.into_iter().map(|(count, customers)| vec![Cell::whole(count), Cell::whole(customers)]).collect()
}

/// Promotion effect.
pub fn q14(data: &Data) -> Rows {
    let (mut promotion, mut all) = (0, 0);
    let month = days(1995, 9, 1)..days(1995, 10, 1);
    for line in data.lines.iter().filter(|line| month.contains(&line.shipped)) {
        all += line.revenue();
        if data.part_of(line).kind_text().starts_with("PROMO") {
            promotion += line.revenue();
        }
    }
    vec![vec![if all == 0 { Cell::Null } else { Cell::Float(100.0 * promotion as f64 / all as f64) }]]
}
