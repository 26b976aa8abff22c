//! The state of an appended record that is undone and is not the last one any more.
//!
//! Its place remains, because the records behind it keep their numbers. It becomes blank and deleted; but a candidate
//! tag lists deleted records like others (unless its condition says otherwise) and takes each key once, so there can be
//! one blank key only. With its values the record would keep the key that was rolled back, and block it until the table
//! is packed. Without an entry it would be missing in the tag, and FoxPro's REINDEX would stop at the second blank key.
//!
//! So where the blank key is taken, the fields of the candidate keys get unique values:
//!
//! ```text
//!   C  characters below the blank, by the number of the record      N, I, B, Y  the least numbers that fit
//!   D  days of the first centuries                                  T           the same at midnight
//! ```
//! No program uses such values as keys, and every program can read the table and rebuild its indexes with them. Values
//! are tried until the tags accept them. If none is accepted (a key of a logical field, or of one digit), the record
//! keeps its values, deleted.

use super::IndexedTable;
use crate::dbf::encode::Encoding;
use crate::dbf::{Field, FieldKind, encode};
use mainstay_types::{Date, Timestamp, ValueRef};
use std::collections::BTreeSet;

/// So many values are tried.
pub(super) const ATTEMPTS: u64 = 64;

/// Characters that are never typed: those below the blank, without 0 and those that end lines, records and files.
const CHARACTERS: [u8; 24] = [1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 28, 29, 30, 31];

/// The first Julian day that is tried: 1 January 100, the first that FoxPro knows. So many days are.
const FIRST_DAY: i32 = 1_757_585;
const DAYS: u64 = 300_000;

impl IndexedTable {
    /// A blank, deleted record whose candidate keys are made of the record's number. `None` where they are of fields that
    /// this can do nothing about.
    pub(super) fn stand_in(&self, record: u64, attempt: u64) -> Option<Vec<u8>> {
        let fields: BTreeSet<usize> = self.indexes.candidate_fields();
        let mut bytes = self.writer.blank_deleted();
        // Attempts of different records do not follow each other.
        let number = record.wrapping_add(attempt.wrapping_mul(7_919));
        let how = Encoding::strict(self.writer.dbf().code_page());
        let known = fields.iter().filter_map(|field| self.fields().get(*field));
        let filled = known.filter(|field| fill(field, number, &how, &mut bytes)).count();
        (filled > 0).then_some(bytes)
    }
}

/// Gives a field the value of a number; whether it can have one.
fn fill(field: &Field, number: u64, how: &Encoding, record: &mut [u8]) -> bool {
    let value = match field.kind {
        FieldKind::Character | FieldKind::CharacterBinary => {
            let Some(cell) = record.get_mut(field.offset..field.offset + field.length) else { return false };
            cell.iter_mut().zip(characters(number)).for_each(|(byte, character)| *byte = character);
            return true;
        }
        FieldKind::Varchar | FieldKind::VarcharUnconverted | FieldKind::Varbinary => {
            let text: String = characters(number).take(field.length.saturating_sub(1)).map(char::from).collect();
            return encode(field, ValueRef::Text(&text), how, record).is_ok();
        }
        FieldKind::Numeric => {
            let point = if field.decimals == 0 { 0 } else { usize::from(field.decimals) + 1 };
            let digits = field.length.saturating_sub(point).min(18);
            // With its sign; a field of one digit has the numbers from 9 downwards.
            match digits {
                0 => return false,
                1 => ValueRef::Integer(9 - (number % 10) as i64),
                digits => {
                    let most = 10i64.pow(digits as u32 - 1) - 1;
                    ValueRef::Integer(-most + (number % (most.unsigned_abs() + 1)) as i64)
                }
            }
        }
        FieldKind::Integer | FieldKind::IntegerSortable => {
            let bits = (field.length * 8).clamp(8, 63) as u32 - 1;
            let least = -(1i64 << bits);
            let scaled = 10i64.checked_pow(u32::from(field.decimals)).unwrap_or(1);
            ValueRef::Integer((least + (number % (1 << bits)) as i64) / scaled)
        }
        FieldKind::Double | FieldKind::DoubleSortable => ValueRef::Integer(-(1 << 52) + (number % (1 << 40)) as i64),
        FieldKind::Currency => ValueRef::Integer(-900_000_000_000_000 + (number % (1 << 40)) as i64),
        FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian => ValueRef::Date(day(number)),
        FieldKind::Timestamp => ValueRef::Timestamp(Timestamp::new(day(number), 0)),
        _ => return false,
    };
    encode(field, value, how, record).is_ok()
}

/// The digits of a number to the base of [`CHARACTERS`], the least first.
fn characters(number: u64) -> impl Iterator<Item = u8> {
    let base = CHARACTERS.len() as u64;
    (0..14).scan(number, move |left, _| {
        let digit = (*left % base) as usize;
        *left /= base;
        CHARACTERS.get(digit).copied()
    })
}

fn day(number: u64) -> Date {
    Date::from_julian(FIRST_DAY + (number % DAYS) as i32)
}
