//! The counters of autoincrement fields and row versions, which are stored in the field descriptors.
//!
//! ```text
//!   classic   19 next, 32 bits; 23 step        24 next, 64 bits (Harbour, for wide fields and row versions)
//!   dBASE 7   40 next, 32 bits
//! ```
//! They are read and written under the lock of the header, so that each number is used once.

/// Returns true if Harbour keeps the counter of such a field in 64 bits, at byte 24 of its descriptor
/// (`hb_dbfIsAutoIncField`).
pub(crate) fn is_long(letter: u8, length: usize, decimals: u8) -> bool {
    let decimals = usize::from(decimals);
    match letter {
        b'B' => true,
        b'N' | b'F' => length.saturating_sub(if decimals > 0 { decimals + 1 } else { 0 }) > 9,
        b'I' | b'Y' => length.saturating_sub(decimals) > 4,
        b'^' => true,
        _ => false,
    }
}

/// Where a counter is in the file, and how wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Of the next value.
    pub(crate) offset: u64,
    /// Bytes: 4 or 8.
    pub(crate) width: usize,
    /// Of the byte that has the step; without it the step is 1.
    pub(crate) step: Option<u64>,
}

impl Place {
    /// The place of the counter of the field described at this byte of the header.
    pub(crate) fn of(descriptor: u64, wide: bool, letter: u8, length: usize, decimals: u8) -> Place {
        if wide {
            return Place { offset: descriptor + 40, width: 4, step: None };
        }
        if letter == b'^' {
            return Place { offset: descriptor + 24, width: 8, step: None };
        }
        let step = Some(descriptor + 23);
        match is_long(letter, length, decimals) {
            true => Place { offset: descriptor + 24, width: 8, step },
            false => Place { offset: descriptor + 19, width: 4, step },
        }
    }
}
