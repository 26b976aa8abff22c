//! The memory for the changes of open transactions: a part of what running statements may hold.

use mainstay_planner::{HeldMemory, Planner};
use mainstay_store::{Account, Accounts};
use mainstay_types::Result;
use std::sync::Arc;

/// Where the transactions of a session ask for memory.
pub(crate) fn accounts(planner: &Arc<Planner>) -> Accounts {
    let planner = Arc::clone(planner);
    Arc::new(move || Box::new(Changes(planner.held_memory("the changes of a transaction"))))
}

struct Changes(HeldMemory);

impl Account for Changes {
    fn hold(&mut self, bytes: usize) -> Result<()> {
        self.0.hold(bytes)
    }
}
