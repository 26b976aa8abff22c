//! Trying a piece of work with a crash at every one of its operations.

use super::Simulated;
use mainstay_types::{Code, Error, Result};
use std::ops::Range;

/// Runs `work` on an empty file system once without a crash, and once for each of its operations with the
/// crash there; after each run `check` gets the state that the machine may find (for every seed, and after a mere kill
/// of the process) together with the result of `work`: its acknowledgements when it was cut off.
///
/// `work` must do the same operations each time. Gives the number of states that were checked, or the first
/// complaint of `check` with the crash point, the seed, and the last operations before it. Seeds 0 and 1 are
/// always worth including: see [`Simulated::after_crash`].
pub fn explore<A>(
    seeds: Range<u64>,
    work: impl Fn(&Simulated) -> A,
    check: impl Fn(&Simulated, &A) -> Result<(), String>,
) -> Result<u64> {
    let whole = Simulated::new();
    work(&whole);
    let mut states = 0;
    for crash in 0..=whole.operations() {
        let system = Simulated::new();
        system.crash_at(crash);
        let acknowledged = work(&system);
        let found = std::iter::once((None, system.after_kill()));
        for (seed, found) in found.chain(seeds.clone().map(|seed| (Some(seed), system.after_crash(seed)))) {
            check(&found, &acknowledged).map_err(|complaint| failed(&system, crash, seed, &complaint))?;
            states += 1;
        }
    }
    Ok(states)
}

fn failed(system: &Simulated, crash: u64, seed: Option<u64>, complaint: &str) -> Error {
    let trace = system.trace();
    let last = trace[trace.len().saturating_sub(8)..].join("; ");
    let how = seed.map_or("the process killed".to_owned(), |seed| format!("seed {seed}"));
    Error::new(Code::Internal, format!("crash at operation {crash}, {how}: {complaint} (last operations: {last})"))
}
