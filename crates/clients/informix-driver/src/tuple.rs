//! Rows at the start of bytes, which are read without a message of their own.

use mainstay_sqli::{WireError, tag};

/// The longest message that is read: a row with its texts.
pub(crate) const MOST_MESSAGE_BYTES: usize = 512 << 20;

/// A row at the start of bytes.
pub(crate) enum Tuple<'b> {
    Row { values: &'b [u8], used: usize },
    Incomplete,
}

/// The row at the start of bytes; `None` for another message.
#[inline]
pub(crate) fn tuple(bytes: &[u8]) -> Result<Option<Tuple<'_>>, WireError> {
    let Some(([t0, t1, _, _, s0, s1, s2, s3], rest)) = bytes.split_first_chunk::<8>() else { return Ok(None) };
    if u16::from_be_bytes([*t0, *t1]) != tag::TUPLE {
        return Ok(None);
    }
    let size = u32::from_be_bytes([*s0, *s1, *s2, *s3]) as usize;
    if size > MOST_MESSAGE_BYTES {
        return Err(WireError::TooLong(MOST_MESSAGE_BYTES));
    }
    let padded = size + size % 2;
    let Some(values) = rest.get(..size).filter(|_| rest.len() >= padded) else { return Ok(Some(Tuple::Incomplete)) };
    Ok(Some(Tuple::Row { values, used: 8 + padded }))
}
