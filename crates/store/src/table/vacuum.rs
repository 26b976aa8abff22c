//! Cleaning up (to come).

/// What a vacuum did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vacuumed {
    /// Groups given up.
    pub groups: usize,
}
