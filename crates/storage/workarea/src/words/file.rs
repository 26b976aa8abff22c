//! The file of a table's word indexes: `docs/formats/word-indexes.md`.

use super::index::{Basis, Contents, State};
use mainstay_full_text::Options;
use mainstay_types::{Code, Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The first bytes of the file; the last one is the version.
const MAGIC: &[u8; 8] = b"MNSWORD\x01";
/// As many indexes of words as a table may have.
pub(super) const MOST: usize = 50;

/// An index of words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub tag: String,
    /// Its field.
    pub field: String,
    /// The splitting of the field's texts into words.
    pub options: Options,
    /// True if it stays as it was made.
    pub is_fixed: bool,
    /// True if the program wants counts of the words; they are counted on request.
    pub keeps_score: bool,
}

/// A table's indexes.
pub(super) type Indexes = Vec<(Definition, Option<Contents>)>;

/// The file with the word indexes of a table.
pub fn path_of(table: &Path) -> PathBuf {
    table.with_extension("mainstay-words")
}

/// The file's bytes.
pub(super) fn encode(indexes: &Indexes) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    put_count(&mut out, indexes.len());
    for (definition, contents) in indexes {
        let Options { shortest, longest, delimiters, noise, dropped, conditional, .. } = &definition.options;
        for text in [&definition.tag, &definition.field, delimiters, noise, dropped, conditional] {
            put_bytes(&mut out, text.as_bytes());
        }
        out.extend(shortest.to_le_bytes());
        out.extend(longest.to_le_bytes());
        let flags = [
            definition.options.is_case_sensitive,
            definition.options.keeps_numbers,
            definition.is_fixed,
            definition.keeps_score,
            contents.is_some(),
        ];
        out.extend(flags.map(u8::from));
        let Some(contents) = contents else { continue };
        for state in [contents.basis.table, contents.basis.memo] {
            out.extend(state.length.to_le_bytes());
            out.extend(state.modified.to_le_bytes());
            out.extend(state.changed.to_le_bytes());
            out.extend(state.identity.to_le_bytes());
        }
        out.push(contents.basis.is_settled.into());
        out.extend(contents.records.to_le_bytes());
        put_count(&mut out, contents.words.len());
        for (word, records) in &contents.words {
            put_bytes(&mut out, word.as_bytes());
            put_bytes(&mut out, records);
        }
    }
    let sum = checksum(&out);
    out.extend(sum.to_le_bytes());
    out
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_count(out, bytes.len());
    out.extend(bytes);
}

/// FNV-1a: it tells a torn file, not a forged one.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

/// The indexes of a file.
///
/// Errors: `IndexDamaged` for an invalid or truncated file.
pub(super) fn decode(bytes: &[u8]) -> Result<Indexes> {
    let damaged = || Error::new(Code::IndexDamaged, "the file of the indexes of words is damaged");
    let (content, sum) = bytes.split_at_checked(bytes.len().wrapping_sub(8)).ok_or_else(damaged)?;
    let is_sound = content.starts_with(MAGIC) && sum == checksum(content).to_le_bytes();
    let rest = content.get(MAGIC.len()..).filter(|_| is_sound).ok_or_else(damaged)?;
    Reader { rest }.indexes().ok_or_else(damaged)
}

struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn flag(&mut self) -> Option<bool> {
        self.take(1).map(|byte| byte != [0])
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn long(&mut self) -> Option<[u8; 8]> {
        self.take(8)?.try_into().ok()
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let count = usize::try_from(self.number()?).ok()?;
        self.take(count)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn state(&mut self) -> Option<State> {
        Some(State {
            length: u64::from_le_bytes(self.long()?),
            modified: i64::from_le_bytes(self.long()?),
            changed: i64::from_le_bytes(self.long()?),
            identity: u64::from_le_bytes(self.long()?),
        })
    }

    fn indexes(&mut self) -> Option<Indexes> {
        let count = usize::try_from(self.number()?).ok().filter(|count| *count <= MOST)?;
        (0..count).map(|_| self.index()).collect()
    }

    fn index(&mut self) -> Option<(Definition, Option<Contents>)> {
        let (tag, field) = (self.text()?, self.text()?);
        let (delimiters, noise, dropped, conditional) = (self.text()?, self.text()?, self.text()?, self.text()?);
        let (shortest, longest) = (self.number()?, self.number()?);
        let (is_case_sensitive, keeps_numbers) = (self.flag()?, self.flag()?);
        let options =
            Options { shortest, longest, delimiters, noise, dropped, conditional, is_case_sensitive, keeps_numbers };
        let (is_fixed, keeps_score) = (self.flag()?, self.flag()?);
        let definition = Definition { tag, field, options, is_fixed, keeps_score };
        if !self.flag()? {
            return Some((definition, None));
        }
        let (table, memo, is_settled) = (self.state()?, self.state()?, self.flag()?);
        let (records, count) = (self.number()?, self.number()?);
        let mut words = BTreeMap::new();
        for _ in 0..count {
            let word = self.text()?;
            words.insert(word, self.bytes()?.to_vec());
        }
        Some((definition, Some(Contents { basis: Basis { table, memo, is_settled }, records, words })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Indexes {
        let options = Options { shortest: 2, keeps_numbers: true, ..Options::default() };
        let definition = Definition { tag: "NOTES".into(), field: "NOTES".into(), options, ..Definition::default() };
        let state = State { length: 1, modified: -2, changed: 3, identity: 4 };
        let basis = Basis { table: state, memo: State::default(), is_settled: true };
        let words = [("cat".to_owned(), vec![1, 2]), ("hund".to_owned(), vec![0x80, 1])].into();
        let other = Definition { tag: "OTHER".into(), is_fixed: true, ..definition.clone() };
        vec![(definition, Some(Contents { basis, records: 128, words })), (other, None)]
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(decode(&encode(&sample())).unwrap(), sample());
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let bytes = encode(&sample());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x20;
            assert!(decode(&damaged).is_err(), "byte {at}");
            assert!(decode(&bytes[..at]).is_err(), "{at} bytes");
        }
    }
}
