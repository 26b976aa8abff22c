//! The answers to the 22 queries, worked out from the generated rows by loops over them, without any engine.
//!
//! Sums are exact: money in hundredths, `l_extendedprice * (1 - l_discount)` in ten thousandths. Averages and quotients are
//! doubles, since the systems choose different types for them. Each function is named after its query and follows the
//! functional query definition of the specification (clause 2.4), not the plan of an engine.

mod first;
mod second;
mod third;

use super::data::words::{COLORS, CONTAINERS, NATIONS, REGIONS, TYPES};
use super::data::{Data, Line, Part, PartSupplier};
use crate::answer::{Cell, Rows};
use mainstay_types::Date;

/// The answer to a query, by its place from 0 on.
pub fn answer(data: &Data, query: usize) -> Rows {
    const ANSWERS: [fn(&Data) -> Rows; 22] = [
        first::q01,
        first::q02,
        first::q03,
        first::q04,
        first::q05,
        first::q06,
        first::q07,
        second::q08,
        second::q09,
        second::q10,
        second::q11,
        second::q12,
        second::q13,
        second::q14,
        third::q15,
        third::q16,
        third::q17,
        third::q18,
        third::q19,
        third::q20,
        third::q21,
        third::q22,
    ];
    ANSWERS[query](data)
}

/// A sum of revenues.
fn revenue(units: i64) -> Cell {
    Cell::Number { units: units.into(), scale: 4 }
}

fn date(day: i32) -> Cell {
    Cell::text(Date(day).to_string())
}

fn nation_name(nation: u8) -> &'static str {
    NATIONS[usize::from(nation)].0
}

fn region_of(nation: u8) -> &'static str {
    REGIONS[usize::from(NATIONS[usize::from(nation)].1)]
}

fn supplier_name(key: u32) -> String {
    format!("Supplier#{key:09}")
}

fn customer_name(key: u32) -> String {
    format!("Customer#{key:09}")
}

impl Part {
    /// `p_name`.
    pub fn name_text(&self) -> String {
        self.name.map(|word| COLORS[usize::from(word)]).join(" ")
    }

    /// `p_type`.
    pub fn kind_text(&self) -> String {
        let [first, second, third] = self.kind.map(usize::from);
        format!("{} {} {}", TYPES[0][first], TYPES[1][second], TYPES[2][third])
    }

    /// `p_container`.
    pub fn container_text(&self) -> String {
        let [first, second] = self.container.map(usize::from);
        format!("{} {}", CONTAINERS[0][first], CONTAINERS[1][second])
    }

    /// `p_brand`.
    pub fn brand_text(&self) -> String {
        format!("Brand#{}{}", self.brand.0, self.brand.1)
    }
}

impl Data {
    fn part_of(&self, line: &Line) -> &Part {
        &self.parts[line.part as usize - 1]
    }

    fn supplier_nation(&self, key: u32) -> u8 {
        self.suppliers[key as usize - 1].nation
    }

    fn customer_nation(&self, key: u32) -> u8 {
        self.customers[key as usize - 1].nation
    }

    /// The suppliers of a part.
    fn suppliers_of(&self, part: u32) -> &[PartSupplier] {
        let first = (part as usize - 1) * 4;
        &self.part_suppliers[first..first + 4]
    }
}
