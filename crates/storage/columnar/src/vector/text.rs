//! Text and byte leaves: tests of one value, and selection over view vectors.
//!
//! A view is 16 bytes: the length, and either up to 12 bytes of text or its first four and where the rest
//! is. Two short texts are equal exactly when their views are, so equality is a compare of 16 bytes; of a
//! long text the length and the first four bytes rule out nearly every row before its bytes are read.

use super::bits::{Bits, each_bit};
use super::{arrow_error, kernel};
use crate::predicate::Comparison;
use arrow_array::builder::StringViewBuilder;
use arrow_array::types::ByteViewType;
use arrow_array::{Array, BooleanArray, GenericByteViewArray, Scalar, StringViewArray};
use arrow_string::like::{ilike, like, nilike, nlike};
use hashbrown::HashSet;
use mainstay_types::{Code, Error, Result, Value};
use std::cmp::Ordering;

/// The bits of a view that hold its length and its first four bytes.
const LENGTH_AND_PREFIX: u128 = u64::MAX as u128;

/// The longest text that lies within its view.
const INLINE: usize = 12;

/// The bytes of a value that is compared with text (or, if `binary`, with bytes).
fn bytes_of(value: &Value, binary: bool) -> Result<Option<&[u8]>> {
    match value {
        Value::Null => Ok(None),
        Value::Text(text) => Ok(Some(text.as_bytes())),
        Value::Binary(bytes) if binary => Ok(Some(bytes)),
        other => Err(Error::new(Code::TypeMismatch, format!("a text column cannot be compared with {other}"))),
    }
}

fn holds(op: Comparison, order: Ordering) -> bool {
    match op {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}

/// Which rows stand so to the value; NULL rows may come out either way.
pub(crate) fn compare<T: ByteViewType>(
    vector: &GenericByteViewArray<T>,
    op: Comparison,
    value: &Value,
    binary: bool,
) -> Result<Bits> {
    let Some(wanted) = bytes_of(value, binary)? else {
        return Ok(Bits::constant(false, vector.len()));
    };
    Ok(match op {
        Comparison::Equal => equal(vector, wanted),
        Comparison::NotEqual => {
            let mut bits = equal(vector, wanted);
            bits.invert();
            bits
        }
        _ => ordered(vector, op, wanted),
    })
}

fn equal<T: ByteViewType>(vector: &GenericByteViewArray<T>, wanted: &[u8]) -> Bits {
    let mut bits = Bits::constant(false, vector.len());
    let mut view = [0u8; 16];
    view[..4].copy_from_slice(&(wanted.len() as u32).to_le_bytes());
    let inline = wanted.len() <= INLINE;
    let kept = if inline { wanted.len() } else { 4 };
    view[4..4 + kept].copy_from_slice(&wanted[..kept]);
    let mask = if inline { u128::MAX } else { LENGTH_AND_PREFIX };
    kernel::equal_views(vector.views(), u128::from_le_bytes(view), mask, &mut bits.words);
    if !inline {
        for (i, word) in bits.words.iter_mut().enumerate() {
            let candidates = *word;
            each_bit(candidates, |bit| {
                // A NULL row's view may point anywhere; its bit is dropped by the caller.
                let row = 64 * i + bit;
                if vector.is_valid(row) && AsRef::<[u8]>::as_ref(vector.value(row)) != wanted {
                    *word &= !(1 << bit);
                }
            });
        }
    }
    bits
}

/// Which rows stand so to the bytes, for any order but equality.
pub(crate) fn ordered<T: ByteViewType>(vector: &GenericByteViewArray<T>, op: Comparison, wanted: &[u8]) -> Bits {
    let mut first = [0u8; 4];
    let kept = wanted.len().min(4);
    first[..kept].copy_from_slice(&wanted[..kept]);
    let first = u32::from_be_bytes(first);
    let mut bits = Bits::constant(false, vector.len());
    for (i, (views, word)) in vector.views().chunks(64).zip(bits.words.iter_mut()).enumerate() {
        for (j, view) in views.iter().enumerate() {
            // Shorter texts are padded with zero bytes in their views, so unequal prefixes decide.
            let order = ((view >> 32) as u32).swap_bytes().cmp(&first);
            let order = order.then_with(|| match vector.is_valid(64 * i + j) {
                true => AsRef::<[u8]>::as_ref(vector.value(64 * i + j)).cmp(wanted),
                false => Ordering::Equal,
            });
            *word |= u64::from(holds(op, order)) << j;
        }
    }
    bits
}

/// At most this many values of an IN are compared one after the other.
const FEW: usize = 4;

/// Which rows equal one of the values (or none); NULL rows may come out either way.
pub(crate) fn any_of<T: ByteViewType>(
    vector: &GenericByteViewArray<T>,
    values: &[Value],
    negated: bool,
    binary: bool,
) -> Result<Bits> {
    let mut wanted = Vec::with_capacity(values.len());
    for value in values {
        match bytes_of(value, binary)? {
            Some(bytes) => wanted.push(bytes),
            None if negated => return Ok(Bits::constant(false, vector.len())),
            None => {}
        }
    }
    let mut bits = Bits::constant(false, vector.len());
    if wanted.len() <= FEW {
        wanted.iter().for_each(|wanted| bits.or(&equal(vector, wanted)));
    } else {
        let wanted: HashSet<&[u8]> = wanted.into_iter().collect();
        for (i, word) in bits.words.iter_mut().enumerate() {
            for row in 64 * i..vector.len().min(64 * i + 64) {
                let found = vector.is_valid(row) && wanted.contains(AsRef::<[u8]>::as_ref(vector.value(row)));
                *word |= u64::from(found) << (row % 64);
            }
        }
    }
    if negated {
        bits.invert();
    }
    Ok(bits)
}

/// Which rows match the pattern; NULL rows do not.
pub(crate) fn matching(
    vector: &StringViewArray,
    pattern: &str,
    escape: Option<char>,
    case_insensitive: bool,
    negated: bool,
) -> Result<BooleanArray> {
    let mut builder = StringViewBuilder::new();
    builder.append_value(with_backslashes(pattern, escape));
    let pattern = Scalar::new(builder.finish());
    match (case_insensitive, negated) {
        (false, false) => like(vector, &pattern),
        (false, true) => nlike(vector, &pattern),
        (true, false) => ilike(vector, &pattern),
        (true, true) => nilike(vector, &pattern),
    }
    .map_err(arrow_error)
}

/// The pattern with its escape character replaced by the backslash that the LIKE kernels know.
fn with_backslashes(pattern: &str, escape: Option<char>) -> String {
    let Some(escape) = escape.filter(|escape| *escape != '\\') else { return pattern.to_string() };
    let mut out = String::with_capacity(pattern.len() + 4);
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        // An escape character that ends the pattern has nothing to escape and stands for itself.
        let (letter, ordinary) = match letter {
            letter if letter == escape => (letters.next().unwrap_or(escape), true),
            letter => (letter, letter == '\\'),
        };
        if letter == '\\' || ordinary && matches!(letter, '%' | '_') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_translated() {
        assert_eq!(with_backslashes("a\\%", None), "a\\%");
        assert_eq!(with_backslashes("a!%b%\\", Some('!')), "a\\%b%\\\\");
        assert_eq!(with_backslashes("a!!!x!", Some('!')), "a!x!");
    }

    #[test]
    fn patterns() {
        let vector = StringViewArray::from(vec![Some("10%"), Some("100"), None, Some("10%x")]);
        let match_of = |escape| matching(&vector, "10!%", escape, false, false).unwrap();
        assert_eq!(match_of(Some('!')), BooleanArray::from(vec![Some(true), Some(false), None, Some(false)]));
        assert_eq!(match_of(None).true_count(), 0);
    }
}
