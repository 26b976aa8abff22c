//! Memory for the changes of open transactions and for temporary tables: a part of the memory limit of running
//! statements.

use mainstay_planner::{HeldMemory, Planner};
use mainstay_store::{Account, Accounts};
use mainstay_types::Result;
use std::sync::Arc;

/// Where the transactions of a session ask for memory.
pub(crate) fn accounts(planner: &Arc<Planner>) -> Accounts {
    let planner = Arc::clone(planner);
    Arc::new(move |what| Box::new(Held(planner.held_memory(what))))
}

struct Held(HeldMemory);

impl Account for Held {
    fn hold(&mut self, bytes: usize) -> Result<()> {
        self.0.hold(bytes)
    }
}
