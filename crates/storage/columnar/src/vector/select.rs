//! Evaluation of a predicate: a bitmap of the selected rows.
//!
//! Each leaf fills one bit a row. Conditions on the same number column under one AND (or one OR) are first
//! merged into one set of ranges, so BETWEEN is one pass. A dictionary column is tested once per distinct
//! text; then codes are mapped to bits, by compares while the wanted codes lie in a few runs, else by a
//! table. AND stops as soon as no row is left.

use super::bits::{Bits, clear_tail, words};
use super::bounds::{Measure, Ranges, compares};
use super::kernel::{self, Fixed};
use super::physical::Physical;
use super::{Vectors, text, unsupported, vector_of};
use crate::predicate::Predicate;
use arrow_array::{Array, ArrayRef, StringViewArray};
use arrow_buffer::BooleanBuffer;
use mainstay_types::{Code, Error, Result};
use std::collections::BTreeMap;

/// The rows of a group for which the predicate is true.
///
/// Columns must be among the `vectors` and have `rows` rows. Fails with `TypeMismatch` for a value that the
/// column's type cannot be compared with, `Unsupported` for a type no kernel handles.
pub fn select(predicate: &Predicate, vectors: &dyn Vectors, rows: usize) -> Result<BooleanBuffer> {
    Ok(bits(predicate, vectors, rows)?.into_buffer())
}

/// Returns true if the predicate is true for the only row of the vectors; `None` where [`select`] has to tell.
///
/// Comparisons of numbers and timestamps, and conjunctions of them, need no bitmaps for one row. Errors: those of
/// [`select`].
pub fn holds(predicate: &Predicate, vectors: &dyn Vectors) -> Result<Option<bool>> {
    match predicate {
        Predicate::And(parts) => {
            for part in parts {
                match holds(part, vectors)? {
                    Some(true) => {}
                    other => return Ok(other),
                }
            }
            Ok(Some(true))
        }
        Predicate::Compare { column, op, value } => {
            let vector = vector_of(vectors, *column, 1)?;
            let Some(stored) = Physical::of(vector).and_then(only_integer) else { return Ok(None) };
            let Some(measure) = Measure::of(vector.data_type()) else { return Ok(None) };
            Ok(Some(compares(measure, *op, value, stored)? && vector.is_valid(0)))
        }
        _ => Ok(None),
    }
}

/// The stored integer of the only row.
fn only_integer(vector: Physical<'_>) -> Option<i128> {
    match vector {
        Physical::I8([value]) => Some(i128::from(*value)),
        Physical::I16([value]) => Some(i128::from(*value)),
        Physical::I32([value]) => Some(i128::from(*value)),
        Physical::I64([value]) => Some(i128::from(*value)),
        Physical::I128([value]) => Some(*value),
        Physical::U32([value]) => Some(i128::from(*value)),
        _ => None,
    }
}

fn bits(predicate: &Predicate, vectors: &dyn Vectors, rows: usize) -> Result<Bits> {
    match predicate {
        Predicate::Constant(value) => Ok(Bits::constant(*value, rows)),
        Predicate::And(parts) => combine(parts, vectors, rows, true),
        Predicate::Or(parts) => combine(parts, vectors, rows, false),
        // Nothing is compared, so NULL is not either.
        Predicate::In { values, negated, .. } if values.is_empty() => Ok(Bits::constant(*negated, rows)),
        Predicate::Collated { leaf, .. } if matches!(leaf.as_ref(), Predicate::In { values, .. } if values.is_empty()) => {
            bits(leaf, vectors, rows)
        }
        Predicate::Null { column, negated } => null(vector_of(vectors, *column, rows)?, *negated),
        leaf => {
            let column = *leaf.columns().first().unwrap_or(&0);
            let vector = vector_of(vectors, column, rows)?;
            let mut bits = match ranges(leaf, vector)? {
                Some(ranges) => in_ranges(vector, &ranges)?,
                None => text_leaf(leaf, vector)?,
            };
            bits.drop_nulls(vector.nulls());
            Ok(bits)
        }
    }
}

/// All parts, or any part, of a list.
fn combine(parts: &[Predicate], vectors: &dyn Vectors, rows: usize, all: bool) -> Result<Bits> {
    let (mut merged, mut others) = (BTreeMap::<usize, Ranges>::new(), Vec::new());
    for part in parts {
        let set = match part {
            Predicate::In { values, .. } if values.is_empty() => None,
            Predicate::Compare { column, .. } | Predicate::In { column, .. } | Predicate::Truth { column, .. } => {
                ranges(part, vector_of(vectors, *column, rows)?)?.map(|set| (*column, set))
            }
            _ => None,
        };
        let Some((column, set)) = set else {
            others.push(part);
            continue;
        };
        let set = match merged.remove(&column) {
            Some(before) if all => before.intersect(&set),
            Some(before) => before.union(&set),
            None => set,
        };
        merged.insert(column, set);
    }
    let mut result: Option<Bits> = None;
    let mut add = |bits: Bits| {
        match &mut result {
            None => result = Some(bits),
            Some(result) if all => result.and(&bits),
            Some(result) => result.or(&bits),
        }
        all && result.as_ref().is_some_and(Bits::none)
    };
    for (column, set) in &merged {
        let vector = vector_of(vectors, *column, rows)?;
        let mut bits = in_ranges(vector, set)?;
        bits.drop_nulls(vector.nulls());
        if add(bits) {
            return Ok(Bits::constant(false, rows));
        }
    }
    for part in others {
        if add(bits(part, vectors, rows)?) {
            return Ok(Bits::constant(false, rows));
        }
    }
    Ok(result.unwrap_or_else(|| Bits::constant(all, rows)))
}

/// The stored integers that a leaf selects, if its column stores numbers.
fn ranges(leaf: &Predicate, vector: &ArrayRef) -> Result<Option<Ranges>> {
    let Some(measure) = Measure::of(vector.data_type()) else { return Ok(None) };
    match leaf {
        Predicate::Compare { op, value, .. } => Ranges::compare(measure, *op, value).map(Some),
        Predicate::In { values, negated, .. } => Ranges::any_of(measure, values, *negated).map(Some),
        Predicate::Truth { value, .. } if measure == Measure::Boolean => {
            Ok(Some(Ranges(vec![(i128::from(*value), i128::from(*value))])))
        }
        Predicate::Truth { .. } => Err(mismatch("a condition", vector)),
        Predicate::Like { .. } => Err(mismatch("LIKE", vector)),
        _ => Ok(None),
    }
}

fn mismatch(what: &str, vector: &ArrayRef) -> Error {
    Error::new(Code::TypeMismatch, format!("{what} on a column of type {}", vector.data_type()))
}

fn null(vector: &ArrayRef, negated: bool) -> Result<Bits> {
    // Logical nulls, since a dictionary may also say NULL through a NULL among its texts.
    let mut bits = match vector.logical_nulls() {
        Some(nulls) => Bits::from_buffer(nulls.inner()),
        None => Bits::constant(true, vector.len()),
    };
    if !negated {
        bits.invert();
    }
    Ok(bits)
}

/// The rows whose stored integers lie in the ranges; NULL rows may come out either way.
fn in_ranges(vector: &ArrayRef, ranges: &Ranges) -> Result<Bits> {
    let mut bits = Bits::constant(false, vector.len());
    match Physical::of(vector).ok_or_else(|| unsupported("a condition", vector.data_type()))? {
        Physical::I8(values) => fixed_in_ranges(values, ranges, &mut bits.words),
        Physical::I16(values) => fixed_in_ranges(values, ranges, &mut bits.words),
        Physical::I32(values) => fixed_in_ranges(values, ranges, &mut bits.words),
        Physical::I64(values) => fixed_in_ranges(values, ranges, &mut bits.words),
        Physical::I128(values) => fixed_in_ranges(values, ranges, &mut bits.words),
        Physical::U32(values) => fixed_in_ranges(values, ranges, &mut bits.words),
        Physical::Uuid(values) => fixed_in_ranges(values, ranges, &mut bits.words),
        Physical::F32(values) => fixed_in_ranges(values, ranges, &mut bits.words),
        Physical::F64(values) => fixed_in_ranges(values, ranges, &mut bits.words),
        Physical::Boolean(array) => boolean_in_ranges(array.values(), ranges, &mut bits),
        _ => return Err(mismatch("a comparison of numbers", vector)),
    }
    Ok(bits)
}

fn boolean_in_ranges(values: &BooleanBuffer, ranges: &Ranges, bits: &mut Bits) {
    match (ranges.contains(0), ranges.contains(1)) {
        (false, false) => {}
        (true, true) => *bits = Bits::constant(true, values.len()),
        (zero, _) => {
            bits.words = words(values).collect();
            if zero {
                bits.invert();
            }
        }
    }
}

/// More ranges than this are looked up by bisection for each row.
const FEW_RANGES: usize = 6;

/// Fills in which values lie in the ranges.
fn fixed_in_ranges<T: Fixed>(values: &[T], ranges: &Ranges, words: &mut [u64]) {
    // The complement of one range is never shorter than the range.
    let complement = (ranges.0.len() > 1).then(|| ranges.complement());
    let complement = complement.as_ref().filter(|complement| complement.0.len() < ranges.0.len());
    let (inverted, set) = (complement.is_some(), complement.unwrap_or(ranges));
    let narrow = |(low, high): &(i128, i128)| {
        let low = (*low).max(T::widen(T::MIN));
        let high = (*high).min(T::widen(T::MAX));
        if low <= high { T::narrow(low).zip(T::narrow(high)) } else { None }
    };
    let narrowed: Vec<(T::Key, T::Key)> = set.0.iter().filter_map(narrow).collect();
    match narrowed[..] {
        [] => words.fill(0),
        [(low, high)] => kernel::between(values, low, high, words),
        [(low, high), ref rest @ ..] if rest.len() < FEW_RANGES => {
            kernel::between(values, low, high, words);
            let mut scratch = vec![0; words.len()];
            for (low, high) in rest {
                kernel::between(values, *low, *high, &mut scratch);
                words.iter_mut().zip(&scratch).for_each(|(word, other)| *word |= other);
            }
        }
        _ => kernel::test_each(values, words, |value| {
            let key = value.filter_key();
            let next = narrowed.partition_point(|(low, _)| *low <= key);
            next > 0 && key <= narrowed[next - 1].1
        }),
    }
    if inverted {
        words.iter_mut().for_each(|word| *word = !*word);
        clear_tail(words, values.len());
    }
}

/// A leaf on text or bytes; NULL rows may come out either way.
fn text_leaf(leaf: &Predicate, vector: &ArrayRef) -> Result<Bits> {
    match Physical::of(vector) {
        Some(Physical::Text(array)) => of_texts(leaf, array, vector),
        Some(Physical::Binary(array)) => match leaf {
            Predicate::Compare { op, value, .. } => text::compare(array, *op, value, true),
            Predicate::In { values, negated, .. } => text::any_of(array, values, *negated, true),
            _ => Err(mismatch("LIKE or a truth value", vector)),
        },
        Some(Physical::Codes8(codes, texts)) => {
            let mut bits = Bits::constant(false, codes.len());
            by_code(codes, wanted_codes(leaf, texts, vector)?, &mut bits.words);
            Ok(bits)
        }
        Some(Physical::Codes16(codes, texts)) => {
            let mut bits = Bits::constant(false, codes.len());
            by_code(codes, wanted_codes(leaf, texts, vector)?, &mut bits.words);
            Ok(bits)
        }
        _ => Err(unsupported("a condition", vector.data_type())),
    }
}

fn of_texts(leaf: &Predicate, texts: &StringViewArray, vector: &ArrayRef) -> Result<Bits> {
    match leaf {
        Predicate::Compare { op, value, .. } => text::compare(texts, *op, value, false),
        Predicate::In { values, negated, .. } => text::any_of(texts, values, *negated, false),
        Predicate::Like { pattern, escape, case_insensitive, negated, .. } => {
            let found = text::matching(texts, pattern, *escape, *case_insensitive, *negated)?;
            Ok(Bits::from_buffer(found.values()))
        }
        Predicate::Collated { collation, pads, leaf } => {
            let key = |text: Option<&str>| text.map(|text| collation.text_key(text, *pads));
            of_texts(leaf, &texts.iter().map(key).collect(), vector)
        }
        _ => Err(mismatch("a truth value", vector)),
    }
}

/// For each text of a dictionary whether the leaf selects it.
fn wanted_codes(leaf: &Predicate, texts: &StringViewArray, vector: &ArrayRef) -> Result<Vec<bool>> {
    let mut bits = of_texts(leaf, texts, vector)?;
    bits.drop_nulls(texts.nulls());
    Ok((0..texts.len()).map(|code| bits.words[code / 64] >> (code % 64) & 1 == 1).collect())
}

/// Wanted codes in more runs than this are looked up in a table.
const FEW_RUNS: usize = 6;

/// Which rows have a wanted code.
pub(crate) fn by_code<C: Fixed<Key = C> + Into<usize>>(codes: &[C], wanted: Vec<bool>, words: &mut [u64]) {
    let runs = Ranges(runs(&wanted));
    if runs.0.len() <= FEW_RUNS {
        return fixed_in_ranges(codes, &runs, words);
    }
    // As long as there are codes, so that no code (NULL rows hold any) is out of the table.
    let mut table = wanted;
    table.resize(CODES, false);
    kernel::test_each(codes, words, |code| table[code.into() & (CODES - 1)]);
}

/// The number of 16-bit codes.
const CODES: usize = 1 << 16;

/// The runs of codes that are wanted, both ends included.
fn runs(wanted: &[bool]) -> Vec<(i128, i128)> {
    let mut runs: Vec<(i128, i128)> = Vec::new();
    for (code, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted) {
        let code = code as i128;
        match runs.last_mut() {
            Some(run) if run.1 + 1 == code => run.1 = code,
            _ => runs.push((code, code)),
        }
    }
    runs
}
