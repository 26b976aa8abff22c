//! Detection of the kind of a memo file.
//!
//! Programs set the extension of their memo files as they like: a FoxPro memo may be called `.dbt`, beside a table whose
//! version says FoxPro. Read as a DBT, it shows other records' texts, and writing to it destroys both. So where name
//! and version agree, they decide; where they do not, the content decides:
//!
//! ```text
//!   the header's next block lies at the end of the file, and the first value fits     that kind
//!   the expected kind fits, whether others do or not                                  the expected kind
//!   none of the others fits, or several do                                            the expected kind, in doubt
//! ```
//! In doubt, values are read and nothing is written.

use super::{DBASE4_MARK, HEADER_LENGTH, MemoKind, block_size, dbase4_block_size};
use mainstay_types::Result;
use mainstay_vfs::File;

/// The kinds that content can be of.
const KINDS: [MemoKind; 4] = [MemoKind::FoxPro, MemoKind::DbaseThree, MemoKind::DbaseFour, MemoKind::Six];

/// The kind of a memo file beside a table of this version, and why it is not certain.
pub(super) fn identify(file: &dyn File, version: u8, header: &[u8], length: u64) -> Result<(MemoKind, Option<String>)> {
    let expected = MemoKind::expected(file.path(), version, header);
    let by_version = MemoKind::of_version(version);
    if by_version == Some(expected) {
        return Ok((expected, None));
    }
    if fits(file, expected, header, length)? {
        // A version of another kind that fits as well: one of both is wrong, and which is unknown.
        let rival = by_version.filter(|kind| !are_both_dbt(*kind, expected));
        let rivals = rival.map_or(Ok(false), |kind| fits(file, kind, header, length))?;
        return Ok((expected, rivals.then(|| doubt(expected, by_version))));
    }
    let mut fitting = Vec::new();
    for kind in KINDS {
        if kind != expected && fits(file, kind, header, length)? {
            fitting.push(kind);
        }
    }
    Ok(match (&fitting[..], by_version) {
        ([kind], _) => (*kind, None),
        (several, Some(kind)) if several.contains(&kind) => (kind, None),
        // Nothing contradicts the name: the header is damaged, or of a program that leaves it empty.
        ([], None) => (expected, None),
        ([], Some(kind)) if are_both_dbt(kind, expected) => (expected, None),
        _ => (expected, Some(doubt(expected, by_version))),
    })
}

/// The two kinds of DBT read each other's values.
fn are_both_dbt(one: MemoKind, other: MemoKind) -> bool {
    let is_dbt = |kind| matches!(kind, MemoKind::DbaseThree | MemoKind::DbaseFour);
    is_dbt(one) && is_dbt(other)
}

fn doubt(expected: MemoKind, by_version: Option<MemoKind>) -> String {
    let version = by_version.map_or_else(|| "no kind".to_owned(), |kind| kind.to_string());
    format!(
        "it is not certain of which kind the memo file is: its name stands for {expected}, the version of the table for \
         {version}, and its content does not tell"
    )
}

/// Returns true if header and first value of a file are those of this kind.
fn fits(file: &dyn File, kind: MemoKind, header: &[u8], length: u64) -> Result<bool> {
    let Some(word) = header.get(..4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok()) else { return Ok(false) };
    let next = u64::from(if kind == MemoKind::FoxPro { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) });
    let size = match kind {
        MemoKind::DbaseFour => dbase4_block_size(header),
        _ => block_size(kind, header),
    };
    if size == 0 || size > 1 << 16 || next == 0 || length < HEADER_LENGTH {
        return Ok(false);
    }
    // The next block is the one behind the last value; of that the last block may not be written in full. A DBT of
    // dBASE IV names a free block there.
    let end = length.div_ceil(size);
    let is_at_end = match kind {
        MemoKind::DbaseFour => next <= end,
        _ => next >= end.saturating_sub(1) && next <= end + 1,
    };
    if !is_at_end {
        return Ok(false);
    }
    let first = HEADER_LENGTH.div_ceil(size) * size;
    let mut head = [0; 8];
    if first + 8 > length || file.read_at(&mut head, first)? < 8 {
        return Ok(true);
    }
    let [a, b, c, d, e, f, g, h] = head;
    Ok(match kind {
        // Types are small numbers; those of Harbour have four digits.
        MemoKind::FoxPro => {
            let value = u64::from(u32::from_be_bytes([e, f, g, h]));
            a == 0 && b == 0 && first + 8 + value <= length
        }
        MemoKind::DbaseFour => [a, b, c, d] == DBASE4_MARK || next < end,
        // A text.
        MemoKind::DbaseThree => [a, b, c, d] == DBASE4_MARK || a != 0,
        MemoKind::Six | MemoKind::Advantage => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::{FileSystem, Memory};
    use std::path::Path;

    fn kind(name: &str, version: u8, content: &[u8]) -> (MemoKind, bool) {
        let memory = Memory::new();
        memory.write(name, content);
        let file = memory.open(Path::new(name)).unwrap();
        let header = &content[..content.len().min(1024)];
        let (kind, doubt) = identify(&*file, version, header, content.len() as u64).unwrap();
        (kind, doubt.is_some())
    }

    /// An FPT with blocks of 64 bytes and one text in block 8, and a DBT with one text in block 1.
    fn samples() -> (Vec<u8>, Vec<u8>) {
        let mut fpt = vec![0; 576];
        fpt[..8].copy_from_slice(&[0, 0, 0, 9, 0, 0, 0, 64]);
        fpt[512..524].copy_from_slice(b"\0\0\0\x01\0\0\0\x04text");
        let mut dbt = vec![0; 1024];
        dbt[0] = 2;
        dbt[512..518].copy_from_slice(b"text\x1a\x1a");
        (fpt, dbt)
    }

    #[test]
    fn content_decides_where_name_and_version_disagree() {
        let (fpt, dbt) = samples();
        for (name, version, content, wanted) in [
            ("a.dbt", 0xF5, &fpt, (MemoKind::FoxPro, false)),
            ("a.dbt", 0x03, &fpt, (MemoKind::FoxPro, false)),
            ("a.fpt", 0xF5, &fpt, (MemoKind::FoxPro, false)),
            ("a.fpt", 0x83, &fpt, (MemoKind::FoxPro, false)),
            ("a.fpt", 0x83, &dbt, (MemoKind::DbaseThree, false)),
            ("a.dbt", 0xF5, &dbt, (MemoKind::DbaseThree, false)),
            ("a.dbt", 0x83, &dbt, (MemoKind::DbaseThree, false)),
            ("a.smt", 0xF5, &fpt, (MemoKind::FoxPro, false)),
        ] {
            assert_eq!(kind(name, version, content), wanted, "{name} {version:#x}");
        }
    }

    #[test]
    fn what_fits_nothing_is_in_doubt_if_name_and_version_disagree() {
        let noise: Vec<u8> = (0..2000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8 | 1).collect();
        assert_eq!(kind("a.dbt", 0xF5, &noise), (MemoKind::DbaseFour, true));
        assert_eq!(kind("a.fpt", 0xF5, &noise), (MemoKind::FoxPro, false));
        assert_eq!(kind("a.dbt", 0x83, &noise), (MemoKind::DbaseThree, false));
    }
}
