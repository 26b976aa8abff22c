//! Cancellation and progress of the statement on the session's thread.

use mainstay_planner::{CancelHandle, Progress};
use mainstay_types::Result;
use mainstay_types::interrupt::Interrupt;
use std::sync::Arc;

/// The session's handle and counters, as what runs on a thread asks for them.
pub(super) struct Wish {
    cancel: CancelHandle,
    progress: Arc<Progress>,
}

impl Wish {
    pub(super) fn of(cancel: &CancelHandle, progress: &Arc<Progress>) -> Arc<dyn Interrupt> {
        Arc::new(Wish { cancel: cancel.clone(), progress: Arc::clone(progress) })
    }
}

impl Interrupt for Wish {
    fn check(&self) -> Result<()> {
        self.cancel.check()
    }

    fn note_read(&self, bytes: u64, of: u64) {
        self.progress.note_file_read(bytes, of);
    }
}
