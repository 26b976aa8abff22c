//! Memory of the table, which must not grow by deleting and inserting again.
//!
//! The measure is the number of pages that the system counts as resident in this process. It is the user's cost, with
//! the memory that an allocator keeps back; it also depends on the earlier work of the process. So the bytes of a row
//! are measured before anything else is allocated, and growth is judged between the rounds of one table.

use super::native::{Maker, Native};
use super::tasks::{fill, new_table};
use crate::machine::Memory;
use crate::output::thousands;
use crate::suite::Judgement;
use mainstay_types::Result;
use std::cell::RefCell;
use std::rc::Rc;

/// Times that all rows are deleted and inserted again.
pub const ROUNDS: usize = 10;
/// The rounds with whose most the last one is compared: by then there is room for the dead rows of one round.
const SETTLED: usize = 3;
/// How much more than that there may be after the last round. Resident memory goes up and down by some tens of MiB with
/// what the allocator keeps back; rows of seven rounds that were never reclaimed are several times as much.
const SLACK_BYTES: u64 = 64 << 20;
/// Rows of the table that is made once before anything is measured, so that what a process makes once does not count.
const WARM_UP_ROWS: usize = 1_000;

/// Bytes of a row of `bench`, without and with a primary key, as facts.
pub fn bytes_per_row(maker: &Maker, rows: usize) -> Result<Vec<(String, String)>> {
    let mut facts = Vec::new();
    // The tables stay until all are counted: what one gave back would be the next one's for nothing.
    let mut tables = Vec::new();
    filled(maker, maker.key, WARM_UP_ROWS.min(rows))?;
    for (key, column) in [("no key", "BIGINT"), ("primary key", maker.key)] {
        let Some(before) = Memory::now().resident_bytes else { return Ok(facts) };
        let mut native = filled(maker, column, rows)?;
        let resident = Memory::now().resident_bytes.unwrap_or_default().saturating_sub(before);
        let own = native
            .table_bytes()?
            .map_or(String::new(), |bytes| format!(" (by its own count {:.1})", bytes as f64 / rows as f64));
        let label = format!("Memory, {}, {} rows, {key}", maker.name, thousands(rows));
        facts.push((label, format!("{:.1} bytes a row{own}", resident as f64 / rows as f64)));
        tables.push(native);
    }
    Ok(facts)
}

fn filled(maker: &Maker, id: &str, rows: usize) -> Result<Box<dyn Native>> {
    let mut native = (maker.open)(None)?;
    new_table(native.as_mut(), id)?;
    fill(native.as_mut(), rows)?;
    Ok(native)
}

/// The resident memory of the process after each round of one system. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Growth(Rc<RefCell<Vec<u64>>>);

impl Growth {
    /// The system has deleted and inserted everything once more: whether the process is still as large as it was.
    pub fn after_round(&self) -> Result<(), Judgement> {
        let mut rounds = self.0.borrow_mut();
        rounds.push(Memory::now().resident_bytes.unwrap_or_default());
        judged(&rounds)
    }

    /// As label and value.
    pub fn facts(&self, name: &str) -> Vec<(String, String)> {
        let rounds: Vec<String> = self.0.borrow().iter().map(|&bytes| format!("{:.0}", mib(bytes))).collect();
        if rounds.is_empty() {
            return Vec::new();
        }
        let label = format!("Memory, {name}, all rows deleted and inserted again");
        vec![(label, format!("{} MiB resident after each round", rounds.join(" ")))]
    }
}

fn judged(rounds: &[u64]) -> Result<(), Judgement> {
    let (Some(&settled), Some(&last)) = (rounds.iter().take(SETTLED).max(), rounds.last()) else { return Ok(()) };
    if last <= settled + SLACK_BYTES {
        return Ok(());
    }
    let (round, settled, last) = (rounds.len(), mib(settled), mib(last));
    let message =
        format!("memory grew from {settled:.0} to {last:.0} MiB between the first {SETTLED} rounds and round {round}");
    Err(Judgement::Wrong(message))
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_between_rounds_is_wrong_and_the_first_rounds_are_free() {
        let rounds = |after: &[u64]| judged(&after.iter().map(|mib| mib << 20).collect::<Vec<_>>());
        assert_eq!(rounds(&[50, 100]), Ok(()));
        assert_eq!(rounds(&[50, 100, 90, 164]), Ok(()));
        assert!(matches!(rounds(&[50, 100, 90, 165]), Err(Judgement::Wrong(_))));
    }
}
