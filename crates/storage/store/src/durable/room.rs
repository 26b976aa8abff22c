//! Room for decoded columns: those that are no longer read are given up ([`crate::memory::DecodedMemory`]).
//!
//! Readers cannot do it: they hold groups, and may hold the latch of a table. The thread that takes checkpoints does.

use crate::table::image::forget_decoded;
use crate::transaction::shared::Shared;
use std::sync::Arc;

/// Gives up columns that are decoded and were not read for long, if others need the room.
pub(super) fn make_room(shared: &Shared) {
    if !shared.memory.decoded.takes_turn() {
        return;
    }
    let cataloged = Arc::clone(&shared.commits().cataloged);
    for table in cataloged.tables.values() {
        // Columns of a table of too many rows for another directory stay.
        let _ = forget_decoded(table);
    }
}
