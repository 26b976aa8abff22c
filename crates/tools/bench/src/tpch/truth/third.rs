//! Queries 15 to 22.

use super::super::data::dates::days;
use super::super::data::words::{INSTRUCTIONS, MODES};
use super::super::data::{Data, Line};
use super::{customer_name, date, nation_name, revenue, supplier_name};
use crate::answer::{Cell, Rows};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Top supplier.
pub fn q15(data: &Data) -> Rows {
    let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
    let quarter = days(1996, 1, 1)..days(1996, 4, 1);
    for line in data.lines.iter().filter(|line| quarter.contains(&line.shipped)) {
        *sums.entry(line.supplier).or_default() += line.revenue();
    }
    let most = sums.values().max().copied();
    let row = |(key, sum): (u32, i64)| {
        let supplier = &data.suppliers[key as usize - 1];
        vec![
            Cell::whole(key),
            Cell::text(supplier_name(key)),
            Cell::text(&supplier.address),
            Cell::text(&supplier.phone),
            revenue(sum),
        ]
    };
    sums.into_iter().filter(|(_, sum)| Some(*sum) == most).map(row).collect()
}

/// Parts and suppliers.
pub fn q16(data: &Data) -> Rows {
    let complains = |key: u32| {
        let rest = data.suppliers[key as usize - 1].comment.split_once("Customer").map(|(_, rest)| rest);
        rest.is_some_and(|rest| rest.contains("Complaints"))
    };
    let mut groups: BTreeMap<(String, String, u8), HashSet<u32>> = BTreeMap::new();
    for (part, key) in data.parts.iter().zip(1..) {
        let kind = part.kind_text();
        let is_size = [49, 14, 23, 45, 19, 3, 36, 9].contains(&part.size);
        if part.brand_text() == "Brand#45" || kind.starts_with("MEDIUM POLISHED") || !is_size {
            continue;
        }
        let suppliers = data.suppliers_of(key).iter().map(|row| row.supplier).filter(|key| !complains(*key));
        groups.entry((part.brand_text(), kind, part.size)).or_default().extend(suppliers);
    }
    groups.retain(|_, suppliers| !suppliers.is_empty());
    let mut groups: Vec<_> = groups.into_iter().collect();
    // The sort is stable, so that the order of the keys stays within a count.
    groups.sort_by_key(|(_, suppliers)| Reverse(suppliers.len()));
    let row = |((brand, kind, size), suppliers): ((String, String, u8), HashSet<u32>)| {
        vec![Cell::text(brand), Cell::text(kind), Cell::whole(size), Cell::whole(suppliers.len() as i64)]
    };
    groups.into_iter().map(row).collect()
}

/// Small-quantity-order revenue.
pub fn q17(data: &Data) -> Rows {
    let wanted = |line: &&Line| {
        let part = data.part_of(line);
        part.brand_text() == "Brand#23" && part.container_text() == "MED BOX"
    };
    let mut of_part: HashMap<u32, Vec<&Line>> = HashMap::new();
    data.lines.iter().filter(wanted).for_each(|line| of_part.entry(line.part).or_default().push(line));
    let mut prices = Vec::new();
    for lines in of_part.values() {
        let total: usize = lines.iter().map(|line| usize::from(line.quantity)).sum();
        // Less than a fifth of the mean.
        let is_small = |line: &&&Line| usize::from(line.quantity) * 5 * lines.len() < total;
        prices.extend(lines.iter().filter(is_small).map(|line| f64::from(line.price)));
    }
    vec![vec![if prices.is_empty() { Cell::Null } else { Cell::Float(prices.iter().sum::<f64>() / 700.0) }]]
}

/// Large volume customer.
pub fn q18(data: &Data) -> Rows {
    let mut found = Vec::new();
    for order in &data.orders {
        let quantity: i64 = data.lines_of(order).iter().map(|line| i64::from(line.quantity)).sum();
        if quantity > 300 {
            found.push((order, quantity));
        }
    }
    found.sort_by_key(|(order, _)| (Reverse(order.total), order.date));
    let row = |(order, quantity): (&super::super::data::Order, i64)| {
        vec![
            Cell::text(customer_name(order.customer)),
            Cell::whole(order.customer),
            Cell::whole(order.key),
            date(order.date),
            Cell::cents(order.total),
            Cell::whole(quantity),
        ]
    };
    found.into_iter().take(100).map(row).collect()
}

/// Discounted revenue.
pub fn q19(data: &Data) -> Rows {
    let wanted: [(&str, [&str; 4], u8, u8); 3] = [
        ("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5),
        ("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10),
        ("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15),
    ];
    let is_wanted = |line: &&Line| {
        // The specification asks for AIR REG, too, which is not among the modes.
        if MODES[usize::from(line.mode)] != "AIR" || INSTRUCTIONS[usize::from(line.instruction)] != "DELIVER IN PERSON"
        {
            return false;
        }
        let part = data.part_of(line);
        let (brand, container) = (part.brand_text(), part.container_text());
        wanted.iter().any(|(of_brand, containers, least, size)| {
            let fits = (*least..=least + 10).contains(&line.quantity) && part.size <= *size;
            fits && brand == *of_brand && containers.contains(&container.as_str())
        })
    };
    let amounts: Vec<i64> = data.lines.iter().filter(is_wanted).map(Line::revenue).collect();
    vec![vec![if amounts.is_empty() { Cell::Null } else { revenue(amounts.iter().sum()) }]]
}

/// Potential part promotion.
pub fn q20(data: &Data) -> Rows {
    let mut sold: HashMap<(u32, u32), i64> = HashMap::new();
    let year = days(1994, 1, 1)..days(1995, 1, 1);
    for line in data.lines.iter().filter(|line| year.contains(&line.shipped)) {
        *sold.entry((line.part, line.supplier)).or_default() += i64::from(line.quantity);
    }
    let mut suppliers = BTreeSet::new();
    for row in &data.part_suppliers {
        let is_wanted = data.parts[row.part as usize - 1].name_text().starts_with("forest");
        // More than half of what was sold; without sales the comparison is with NULL.
        let has_surplus = sold.get(&(row.part, row.supplier)).is_some_and(|sold| i64::from(row.available) * 2 > *sold);
        if is_wanted && has_surplus && nation_name(data.supplier_nation(row.supplier)) == "CANADA" {
            suppliers.insert(row.supplier);
        }
    }
    let row = |key: u32| vec![Cell::text(supplier_name(key)), Cell::text(&data.suppliers[key as usize - 1].address)];
    suppliers.into_iter().map(row).collect()
}

/// Suppliers who kept orders waiting.
pub fn q21(data: &Data) -> Rows {
    let mut waits: BTreeMap<u32, i64> = BTreeMap::new();
    for order in data.orders.iter().filter(|order| order.status == b'F') {
        let lines = data.lines_of(order);
        let is_late = |line: &Line| line.received > line.committed;
        for late in lines.iter().filter(|line| is_late(line)) {
            let mut others = lines.iter().filter(|line| line.supplier != late.supplier).peekable();
            let is_shared = others.peek().is_some();
            if is_shared && !others.any(is_late) && nation_name(data.supplier_nation(late.supplier)) == "SAUDI ARABIA" {
                *waits.entry(late.supplier).or_default() += 1;
            }
        }
    }
    let mut waits: Vec<_> = waits.into_iter().collect();
    waits.sort_by_key(|(key, count)| (Reverse(*count), *key));
    waits.into_iter().take(100).map(|(key, count)| vec![Cell::text(supplier_name(key)), Cell::whole(count)]).collect()
}

/// Global sales opportunity.
pub fn q22(data: &Data) -> Rows {
    let codes = ["13", "31", "23", "29", "30", "18", "17"];
    let buyers: HashSet<u32> = data.orders.iter().map(|order| order.customer).collect();
    let wanted = data.customers.iter().zip(1..).filter(|(customer, _)| codes.contains(&&customer.phone[..2]));
    let wanted: Vec<_> = wanted.collect();
    let balances = wanted.iter().map(|(customer, _)| i64::from(customer.balance)).filter(|balance| *balance > 0);
    let (sum, count) = balances.fold((0, 0), |(sum, count), balance| (sum + balance, count + 1));
    let mut groups: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for (customer, key) in wanted {
        // More than the mean of the positive balances.
        if i64::from(customer.balance) * count > sum && !buyers.contains(&key) {
            let group = groups.entry(&customer.phone[..2]).or_default();
            group.0 += 1;
            group.1 += i64::from(customer.balance);
        }
    }
    groups
        .into_iter()
        .map(|(code, (count, sum))| vec![Cell::text(code), Cell::whole(count), Cell::cents(sum)])
        .collect()
}
