//! A memo file: its kind, and references of all kinds.
//!
//! ```text
//!   byte 0      the kind: 0 FPT, 1 DBT of dBASE III, 2 DBT of dBASE IV, 3 SMT, 4 DBT under a version that does
//!               not say which, 5 neither the name nor the version says, 6 ADM (modulo 7)
//!   bytes 1-10  a reference, as a record holds it; in an ADT it has 9 bytes
//!   then        the memo file
//! ```

use mainstay_xbase::adt::VERSION_BYTE;
use mainstay_xbase::memo::{Fetched, Memo, Reference, Window};

/// How the file is named and of which version its table is.
const KINDS: [(&str, u8); 7] = [
    ("t.fpt", 0xF5),
    ("t.dbt", 0x83),
    ("t.dbt", 0x8B),
    ("t.smt", 0xE5),
    ("t.dbt", 0x03),
    ("t.mem", 0x03),
    ("t.adm", VERSION_BYTE),
];

/// How many blocks from the first on are followed.
const MOST_BLOCKS: u64 = 40;

/// Reads the input as a memo file.
pub fn run(input: &[u8]) {
    let (kind, rest) = crate::selector(input);
    let Some((reference, content)) = rest.split_at_checked(10) else { return };
    let (name, version) = KINDS[usize::from(kind) % KINDS.len()];
    let Some(file) = crate::file(name, content) else { return };
    let Ok(memo) = Memo::open(file, version) else { return };
    let mut window = Window::default();
    for field in [reference, &reference[..9], &reference[..4], &reference[4..8]] {
        if let Ok(Some(found)) = memo.reference(field) {
            follow(&memo, &found, content, &mut window);
        }
    }
    let six = reference.first_chunk::<6>().map(|&[a, b, c, d, e, f]| {
        (u16::from_le_bytes([a, b]), u32::from_le_bytes([c, d, e, f]) % (content.len() as u32 + 2))
    });
    for block in (0..MOST_BLOCKS).chain([u64::from(u32::MAX), u64::MAX]) {
        follow(&memo, &Reference { block, six: None }, content, &mut window);
        follow(&memo, &Reference { block, six }, content, &mut window);
    }
}

fn follow(memo: &Memo, reference: &Reference, content: &[u8], window: &mut Window) {
    let mut value = Vec::new();
    let fetched = memo.fetch(reference, window, &mut value);
    // A scalar becomes a text of its own; nothing else is longer than the file.
    assert!(value.len() <= content.len() + 400, "a value of {} bytes in a file of {}", value.len(), content.len());
    if let Ok(Ok(extent)) = memo.extent(reference, window) {
        assert!(extent.end <= content.len() as u64, "a value ends at {} of {}", extent.end, content.len());
    } else if let Ok(fetched) = fetched {
        assert!(matches!(fetched, Fetched::Damaged(_)), "a value without an extent: {reference:?}");
    }
    let _ = memo.read(Some(reference));
    for (skip, length) in [(0, 16), (8, u64::MAX), (u64::MAX, 8)] {
        let mut raw = Vec::new();
        let _ = memo.fetch_raw_after(reference.block, skip, length, window, &mut raw);
        assert!(raw.len() <= content.len());
    }
}
