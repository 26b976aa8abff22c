//! The table: a reproducible generator, and a DBF written from it.
//!
//! `ID` counts from 1; `TAG` is one of 26 letters four times, in turn; `AMT` comes from a linear
//! congruential generator (multiplier 1664525, increment 1013904223, modulus 2^32, seed 0x12345678), of
//! which the upper 24 bits modulo 100,000 are cents. With 100,000 rows the DBF is byte for byte the one
//! that Harbour writes, apart from the date in its header.
//!
//! ```text
//!   fields  ID N(8,0)   TAG C(4)   AMT N(8,2)
//!   record  21 bytes   ' ' + ID right-aligned + TAG + AMT right-aligned
//! ```

use crate::dbf::{self, Field};
use mainstay_types::Date;

/// Bytes of a record, the deletion mark included.
pub const RECORD_LEN: usize = 21;
/// The most rows the generator makes: what `ID N(8,0)` holds is more, but the truth is kept in memory.
pub const MOST_ROWS: usize = 10_000_000;

/// The rows of the table, from which every answer is worked out.
#[derive(Clone, Debug)]
pub struct Data {
    cents: Vec<u32>,
}

impl Data {
    /// The first `rows` rows.
    pub fn new(rows: usize) -> Data {
        let mut state = 0x1234_5678u32;
        let cents = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % 100_000
        });
        Data { cents: cents.take(rows).collect() }
    }

    /// How many rows there are; also the last `ID`.
    pub fn len(&self) -> usize {
        self.cents.len()
    }

    /// `AMT` in cents of the row with this `ID` (from 1), if there is one.
    pub fn cents(&self, id: usize) -> Option<u32> {
        self.cents.get(id.checked_sub(1)?).copied()
    }

    /// All amounts in cents, by `ID`.
    pub fn all_cents(&self) -> &[u32] {
        &self.cents
    }

    /// `TAG` of the row with this `ID`.
    pub fn tag(id: usize) -> String {
        let letter = b'A' + (id.wrapping_sub(1) % 26) as u8;
        String::from(char::from(letter)).repeat(4)
    }

    /// The records as they are in a DBF.
    pub fn records(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len() * RECORD_LEN);
        for (id, cents) in (1..).zip(&self.cents) {
            let record = format!(" {id:>8}{}{:>5}.{:02}", Data::tag(id), cents / 100, cents % 100);
            bytes.extend_from_slice(record.as_bytes());
        }
        bytes
    }

    /// The whole DBF with this date of the last update.
    pub fn dbf(&self, date: Date, has_cdx: bool) -> Vec<u8> {
        let fields = [("ID", b'N', 8, 0), ("TAG", b'C', 4, 0), ("AMT", b'N', 8, 2)];
        let fields = fields.map(|(name, kind, length, decimals)| Field { name, kind, length, decimals });
        let mut bytes = dbf::header(date, self.len(), &fields, has_cdx);
        bytes.extend(self.records());
        bytes.push(dbf::END);
        bytes
    }

    /// The rows as CSV with a header line, for peers that read one.
    pub fn csv(&self) -> String {
        let mut text = String::from("ID,TAG,AMT\n");
        for (id, cents) in (1..).zip(&self.cents) {
            text += &format!("{id},{},{}.{:02}\n", Data::tag(id), cents / 100, cents % 100);
        }
        text
    }
}

/// FNV-1a, 64 bits: enough to tell that two files are the same one.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    const HARBOUR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/t11_bench100k.dbf");

    #[test]
    fn a_hundred_thousand_rows_are_the_file_that_harbour_wrote() {
        let harbour = std::fs::read(HARBOUR).unwrap();
        let date = Date::from_ymd(1900 + i32::from(harbour[1]), harbour[2].into(), harbour[3].into()).unwrap();
        let ours = Data::new(100_000).dbf(date, true);
        assert_eq!(ours.len(), harbour.len());
        let differing = ours.iter().zip(&harbour).position(|(ours, theirs)| ours != theirs);
        assert_eq!(differing, None, "first byte that differs");
    }

    #[test]
    fn csv_and_records_say_the_same() {
        let data = Data::new(27);
        let csv: Vec<String> = data.csv().lines().skip(1).map(str::to_owned).collect();
        let records = data.records();
        for (line, record) in csv.iter().zip(records.chunks(RECORD_LEN)) {
            let field = |from: usize, to: usize| String::from_utf8_lossy(&record[from..to]).trim().to_owned();
            assert_eq!(*line, format!("{},{},{}", field(1, 9), field(9, 13), field(13, 21)));
        }
        assert_eq!((csv.len(), Data::tag(27)), (27, "AAAA".into()));
        assert_eq!((data.cents(0), data.cents(1), data.cents(28)), (None, Some(84_903), None));
    }
}
