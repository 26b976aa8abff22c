//! The rows of a table in the order of a tag.
//!
//! A tag orders as SQL does if its first parts are the values of the ORDER BY. Bytes order as Unicode only where they
//! are ASCII, and the digits of numbers only where none has a minus or is too long for its part. A blank number is NULL to
//! SQL, which comes first, and 0 to the tag. None of this is known before the keys are read:
//!
//! ```text
//!   the first part is digits            its keys with a minus, with asterisks and of zeros are looked for beforehand
//!   what the walk meets                 is looked at when it is met
//!   the walk ends early, at a LIMIT     the other keys of the same beginning are looked at too: a NULL or a negative
//!                                       number among them would have come sooner
//! ```
//! If one of these checks fails, the walk gives no answer, and the rows are sorted.

use super::Files;
use super::seen::Seen;
use super::state::State;
use super::tag::TableTag;
use crate::dbf::{Field, FieldKind};
use crate::expr::{KeyPart, Kind};
use crate::index::{EncodedKey, KeyValue};
use mainstay_columnar::{Ordering, Snapshot, Term, TermOrder};
use mainstay_types::{Decimal, Result};
use std::ops::{Bound, ControlFlow, Range};

/// With more zeros than this, sorting is as cheap as telling blanks from zeros.
const MAX_ZEROS: usize = 1_000;

/// Digits that a number of every field and its text have alike.
const SURE_DIGITS: usize = 15;

/// Returns true if the tag has the order of these values, as far as its definition says.
pub(super) fn orders(tag: &TableTag, files: &Files, keys: &[TermOrder]) -> bool {
    // The parts of such keys are no texts.
    if tag.keys().has_parts() {
        return false;
    }
    let (parts, fields) = (tag.keys().key.parts(), files.dbf.fields());
    let of_fields = tag.keys().key.fields();
    let nullable = |field: &usize| fields.get(*field).is_some_and(|field| field.null_bit.is_some());
    let is_nullable = tag.tag.key_type().is_nullable();
    // A NULL that the keys do not have is not where SQL has it; and a key is NULL when any of its fields is.
    if of_fields.iter().any(nullable) && !is_nullable || is_nullable && of_fields.len() > 1 {
        return false;
    }
    let same_way = keys.windows(2).all(|pair| pair[0].descending == pair[1].descending);
    let is_last = |place: usize| place + 1 == parts.len();
    let fits = |(place, (key, part)): (usize, (&TermOrder, &KeyPart))| {
        (part.length.is_some() || is_last(place)) && orders_by(part, fields, &key.term, parts.len() == 1)
    };
    same_way && (1..=parts.len()).contains(&keys.len()) && keys.iter().zip(parts).enumerate().all(fits)
}

/// Returns true if one part of a key orders as a value does.
fn orders_by(part: &KeyPart, fields: &[Field], value: &Term, is_only: bool) -> bool {
    let Some(term) = part.term.as_ref().filter(|_| !part.descending) else { return false };
    let field = |column: &usize| fields.get(*column);
    // The whole of a text, as it is or in other letters.
    let is_whole = |column: &usize| {
        let length = part.length.or_else(|| field(column).map(|field| field.length));
        field(column).is_some_and(|field| field.kind == FieldKind::Character && length >= Some(field.length))
    };
    match term {
        // Blank logicals are NULL but indexed as false; the order of a few distinct values is no gain.
        Term::Column(column) if part.kind == Kind::Logical || field(column).is_none() => false,
        Term::Column(_) if part.kind != Kind::Character => is_only && value == term,
        Term::Column(column) => value == term && (is_whole(column) || is_only),
        Term::Upper(text) | Term::Lower(text) => match text.as_ref() {
            Term::Column(column) => value == term && is_whole(column),
            _ => false,
        },
        Term::Part { text, start: 0, .. } | Term::Padded { text, .. } => match text.as_ref() {
            Term::Column(column) => value == text.as_ref() && is_whole(column),
            _ => false,
        },
        Term::DayDigits(day) => value == term || value == day.as_ref(),
        Term::Digits { number, .. } => value == number.as_ref() && Digits::of(part, fields, 0..0).is_some(),
        _ => false,
    }
}

/// A part of a key that is the digits of a number.
struct Digits<'a> {
    field: &'a Field,
    /// Where they are in the key.
    at: Range<usize>,
    zeros: bool,
}

impl<'a> Digits<'a> {
    /// The digits of all numbers that a field can hold, to their last decimal.
    fn of(part: &KeyPart, fields: &'a [Field], at: Range<usize>) -> Option<Digits<'a>> {
        let Some(Term::Digits { number, decimals, zeros, .. }) = &part.term else { return None };
        let Term::Column(column) = number.as_ref() else { return None };
        let field = fields.get(*column)?;
        let is_exact = match field.kind {
            FieldKind::Numeric => field.length <= SURE_DIGITS && usize::from(field.decimals) <= *decimals,
            FieldKind::Integer | FieldKind::IntegerSortable => field.decimals == 0,
            _ => false,
        };
        (is_exact && part.length.is_some()).then_some(Digits { field, at, zeros: *zeros })
    }

    /// Returns true if the digits in a key order as their number does.
    fn are_plain(&self, key: &[u8]) -> bool {
        !self.of_key(key).iter().any(|byte| matches!(byte, b'-' | b'*'))
    }

    fn are_zero(&self, key: &[u8]) -> bool {
        self.of_key(key).iter().all(|byte| matches!(byte, b' ' | b'0' | b'.'))
    }

    fn of_key<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        key.get(self.at.clone()).unwrap_or_default()
    }

    /// Returns true if a record has a number there, and no blanks.
    fn has_number(&self, record: &[u8]) -> bool {
        has_number(self.field, record)
    }

    /// Beginnings of keys without plain digits in the first part of a tag.
    fn others(&self) -> Vec<Vec<u8>> {
        let width = self.at.len();
        let signs = if self.zeros { 0..1 } else { 0..width };
        let with_sign = signs.map(|blanks| [vec![b' '; blanks], vec![b'-']].concat());
        with_sign.chain([vec![b'*'; width]]).collect()
    }
}

fn has_number(field: &Field, record: &[u8]) -> bool {
    let cell = record.get(field.offset..field.offset + field.length).unwrap_or_default();
    field.kind != FieldKind::Numeric || cell.iter().any(u8::is_ascii_digit)
}

/// The parts of a tag by which an order goes.
struct Walk<'a> {
    tag: &'a TableTag,
    state: &'a State,
    digits: Vec<Digits<'a>>,
    /// The number of bytes of a key that the order depends on.
    used: usize,
    is_text: bool,
}

impl<'a> Walk<'a> {
    fn new(tag: &'a TableTag, ordering: &Ordering, state: &'a State) -> Walk<'a> {
        let (parts, fields) = (tag.keys().key.parts(), state.files.dbf.fields());
        let key_type = tag.tag.key_type();
        let (mut digits, mut end) = (Vec::new(), usize::from(key_type.is_nullable()));
        for part in parts.iter().take(ordering.parts) {
            let start = end;
            end = part.length.map_or(key_type.key_len(), |length| start + length);
            digits.extend(Digits::of(part, fields, start..end));
        }
        let is_text = tag.keys().key.result_type().kind == Kind::Character;
        Walk { tag, state, digits, used: end.min(key_type.key_len()), is_text }
    }

    /// Returns true if the first part has a number that it does not order as SQL does. What it finds is true of the
    /// whole tag.
    fn has_odd_first_part(&mut self, ordering: &Ordering) -> Result<bool> {
        if !self.is_text {
            let field = &self.state.files.dbf.fields()[ordering.column];
            let zero = self.tag.tag.key_type().encode(&KeyValue::Decimal(Decimal::new(0, 0)));
            return match (field.kind, zero) {
                (FieldKind::Numeric, Some(EncodedKey::Exact(zero))) => self.has_blank(field, &zero),
                (FieldKind::Numeric, _) => Ok(true),
                _ => Ok(false),
            };
        }
        let start = usize::from(self.tag.tag.key_type().is_nullable());
        if self.digits.first().is_none_or(|digits| digits.at.start > start) {
            return Ok(false);
        }
        let digits = self.digits.remove(0);
        for beginning in digits.others() {
            if self.any_begins_with(&beginning)? {
                return Ok(true);
            }
        }
        let Some(Term::Digits { decimals, zeros, .. }) = &self.tag.keys().key.parts()[0].term else { return Ok(true) };
        let Ok(decimals) = u8::try_from(*decimals) else { return Ok(true) };
        let (zero, width) = (Decimal::new(0, decimals).to_string(), digits.at.len());
        let zero = if *zeros { format!("{zero:0>width$}") } else { format!("{zero:>width$}") };
        self.has_blank(digits.field, zero.as_bytes())
    }

    fn any_begins_with(&self, beginning: &[u8]) -> Result<bool> {
        let mut any = false;
        let (lower, upper) = self.ends(beginning);
        self.tag.tag.range(Bound::Included(&lower), Bound::Included(&upper), |_, _| {
            any = true;
            ControlFlow::Break(())
        })?;
        Ok(any)
    }

    /// The least and the greatest key that begin so.
    fn ends(&self, beginning: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let key_type = self.tag.tag.key_type();
        let filled = |fill: u8| {
            let mut key = if key_type.is_nullable() && self.is_text { vec![0x80] } else { Vec::new() };
            key.extend(beginning);
            key.resize(key_type.key_len(), fill);
            key
        };
        (filled(0x00), filled(0xFF))
    }

    /// Returns true if one of the records with this key has a blank number. SQL puts NULL first, the tag has them among
    /// the zeros.
    fn has_blank(&self, field: &Field, zero: &[u8]) -> Result<bool> {
        let mut zeros = Vec::new();
        let (lower, upper) = self.ends(zero);
        self.tag.tag.range(Bound::Included(&lower), Bound::Included(&upper), |recno, _| {
            zeros.push(recno);
            if zeros.len() > MAX_ZEROS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let mut record = Vec::new();
        for recno in &zeros {
            // Records that were appended after the statement began have keys already.
            let Some(row) = self.row(*recno) else { continue };
            self.state.record(row, &mut record)?;
            if !has_number(field, &record) {
                return Ok(true);
            }
        }
        Ok(zeros.len() > MAX_ZEROS)
    }

    fn row(&self, recno: u32) -> Option<u32> {
        recno.checked_sub(1).filter(|row| (*row as usize) < self.state.slots())
    }

    /// The beginning of the keys among which one may belong before this one; `None` without such keys.
    fn alike<'k>(&self, key: &'k [u8], descending: bool) -> Option<&'k [u8]> {
        let before_digits = self.digits.first().map(|digits| digits.at.start);
        // A text with a sign below the blank at its end is more than the text, and its key is less.
        let without_blanks = (self.is_text && descending).then(|| {
            let first = self.tag.keys().key.parts().first().and_then(|part| part.length);
            let start = usize::from(self.tag.tag.key_type().is_nullable());
            let first = key.get(..start + first.unwrap_or(key.len())).unwrap_or(key);
            first.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1)
        });
        let length = before_digits.into_iter().chain(without_blanks).min()?;
        key.get(..length)
    }

    /// Returns true if a key orders its record as SQL does.
    fn is_plain(&self, key: &[u8], row: u32, record: &mut Vec<u8>) -> Result<bool> {
        // Bytes order as Unicode does only where they are ASCII, and below a blank not as cut texts do.
        let used = key.get(usize::from(self.tag.tag.key_type().is_nullable())..self.used).unwrap_or_default();
        let is_null = self.tag.tag.key_type().is_nullable() && key.first() == Some(&0);
        if self.is_text && !is_null && !used.iter().all(|byte| (0x20..0x7F).contains(byte)) {
            return Ok(false);
        }
        for digits in &self.digits {
            if !digits.are_plain(key) {
                return Ok(false);
            }
            if digits.are_zero(key) {
                self.state.record(row, record)?;
                if !digits.has_number(record) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

pub(super) fn walk_tag(
    tag: &TableTag,
    ordering: &Ordering,
    state: &State,
    visit: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>,
) -> Result<bool> {
    let mut walk = Walk::new(tag, ordering, state);
    if walk.has_odd_first_part(ordering)? {
        return Ok(false);
    }
    let (mut seen, mut record) = (Seen::new(state.slots()), Vec::new());
    let (mut failed, mut unusable) = (None, false);
    // The beginning of the key at which the visitor had enough.
    let mut ended_at: Option<Vec<u8>> = None;
    let step = |recno: u32, key: &[u8]| {
        let Some(row) = walk.row(recno) else { return ControlFlow::Continue(()) };
        if ended_at.as_ref().is_some_and(|beginning| !key.starts_with(beginning)) {
            return ControlFlow::Break(());
        }
        let is_plain = walk.is_plain(key, row, &mut record).unwrap_or_else(|error| {
            failed = Some(error);
            false
        });
        if !is_plain || !seen.add(row as usize) {
            unusable = true;
            return ControlFlow::Break(());
        }
        if ended_at.is_some() {
            return ControlFlow::Continue(());
        }
        match visit(row) {
            Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
            Ok(ControlFlow::Break(())) => {
                let beginning = walk.alike(key, ordering.descending);
                ended_at = Some(beginning.unwrap_or_default().to_vec());
                if beginning.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    match ordering.descending {
        false => tag.tag.range(Bound::Unbounded, Bound::Unbounded, step)?,
        true => tag.tag.range_back(Bound::Unbounded, Bound::Unbounded, step)?,
    }
    match failed {
        Some(error) => Err(error),
        None if unusable => Ok(false),
        None if ended_at.is_some() => Ok(true),
        None if ordering.with_hidden => Ok(seen.has_all(state)),
        None => seen.has_all_visible(state),
    }
}
