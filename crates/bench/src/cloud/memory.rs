//! What the table takes in memory, and that it does not grow by deleting and inserting again.
//!
//! Measured from outside, as the pages that the system counts as resident in this process. That is what a user pays,
//! with everything that an allocator keeps back; it also means that a figure hangs on what the process did before. So the
//! bytes of a row are measured before anything else is made, and growth is judged between the rounds of one table.

use super::native::{Maker, Native};
use super::tasks::{fill, new_table};
use crate::machine::Memory;
use crate::output::thousands;
use crate::suite::Judgement;
use mainstay_base::Result;
use std::cell::RefCell;
use std::rc::Rc;

/// Times that all rows are deleted and inserted again.
pub const ROUNDS: usize = 10;
/// The round with which the last one is compared: by then there is room for the dead rows of one round.
const SETTLED: usize = 3;
/// How much more than then there may be after the last round: a part of it, and what an allocator may keep back.
const TOLERANCE: f64 = 1.1;
const SLACK_BYTES: u64 = 8 << 20;

/// Bytes of a row of `bench`, without and with a primary key, as facts.
pub fn bytes_per_row(maker: &Maker, rows: usize) -> Result<Vec<(String, String)>> {
    let mut facts = Vec::new();
    for (key, column) in [("no key", "BIGINT"), ("primary key", maker.key)] {
        let Some(before) = Memory::now().resident_bytes else { return Ok(facts) };
        let mut native = (maker.open)(None)?;
        new_table(native.as_mut(), column)?;
        fill(native.as_mut(), rows)?;
        let resident = Memory::now().resident_bytes.unwrap_or_default().saturating_sub(before);
        let own = native
            .table_bytes()?
            .map_or(String::new(), |bytes| format!(" (by its own count {:.1})", bytes as f64 / rows as f64));
        let label = format!("Memory, {}, {} rows, {key}", maker.name, thousands(rows));
        facts.push((label, format!("{:.1} bytes a row{own}", resident as f64 / rows as f64)));
    }
    Ok(facts)
}

/// What was resident after each round, by system. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Growth(Rc<RefCell<Vec<Rounds>>>);

#[derive(Clone, Debug, Default)]
struct Rounds {
    name: &'static str,
    before: u64,
    after: Vec<u64>,
    /// As far as the system counts itself.
    own: Vec<u64>,
}

impl Growth {
    /// A system is about to make its table.
    pub fn before(&self, name: &'static str) {
        let before = Memory::now().resident_bytes.unwrap_or_default();
        self.0.borrow_mut().push(Rounds { name, before, ..Rounds::default() });
    }

    /// A system has deleted and inserted everything once more: whether its table is still as large as it was.
    pub fn after_round(&self, name: &str, own: Option<u64>) -> Result<(), Judgement> {
        let mut all = self.0.borrow_mut();
        let Some(rounds) = all.iter_mut().find(|rounds| rounds.name == name) else { return Ok(()) };
        let resident = Memory::now().resident_bytes.unwrap_or_default();
        rounds.after.push(resident.saturating_sub(rounds.before));
        rounds.own.extend(own);
        rounds.judged()
    }

    /// As label and value.
    pub fn facts(&self, name: &str) -> Vec<(String, String)> {
        self.0.borrow().iter().filter(|rounds| rounds.name == name).filter_map(Rounds::fact).collect()
    }
}

impl Rounds {
    fn judged(&self) -> Result<(), Judgement> {
        // A count of its own says more than pages that other things may have left.
        let counts = if self.own.is_empty() { &self.after } else { &self.own };
        let (Some(&settled), Some(&last)) = (counts.get(SETTLED - 1), counts.last()) else { return Ok(()) };
        if last as f64 <= settled as f64 * TOLERANCE + SLACK_BYTES as f64 {
            return Ok(());
        }
        let (round, settled, last) = (counts.len(), mib(settled), mib(last));
        Err(Judgement::Wrong(format!(
            "the table grew from {settled:.0} to {last:.0} MiB between round {SETTLED} and {round}"
        )))
    }

    fn fact(&self) -> Option<(String, String)> {
        let rounds: Vec<String> = self.after.iter().map(|&bytes| format!("{:.0}", mib(bytes))).collect();
        let label = format!("Memory, {}, deleted and inserted again", self.name);
        Some((label, format!("{} MiB after each round", rounds.join(" ")))).filter(|_| !rounds.is_empty())
    }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_between_rounds_is_wrong_and_the_first_rounds_are_free() {
        let rounds = |after: &[u64]| Rounds { after: after.iter().map(|mib| mib << 20).collect(), ..Rounds::default() };
        assert_eq!(rounds(&[50, 100]).judged(), Ok(()));
        assert_eq!(rounds(&[50, 100, 100, 118]).judged(), Ok(()));
        assert!(matches!(rounds(&[50, 100, 100, 119]).judged(), Err(Judgement::Wrong(_))));
        let own = Rounds { own: vec![1 << 30, 1 << 30, 1 << 30, 2 << 30], ..rounds(&[50, 50, 50, 50]) };
        assert!(own.judged().is_err());
    }
}
