//! Values with their types, in columns of any type (SQL_VARIANT): bytes that begin with a sort key.
//!
//! ```text
//!   mark      family  key              what distinguishes equal values: the type, the value
//!   F553 5601 04      8000..0A 00..    03 "int" 02 0A000000..
//! ```
//!
//! Two such values are equal if family and key are, whatever follows. Keys of a family all have the same length, or end
//! with two zeros, before which a zero is followed by `FF`. The dialect defines their contents.

/// The first bytes of such a value.
pub const MARK: [u8; 4] = [0xF5, b'S', b'V', 1];

/// The declared type of a column of such values.
pub const DECLARED: &str = "sql_variant";

/// The bytes of the keys of a family; `None` for those that end with two zeros.
///
/// `None` for a number that is no family's.
pub fn key_bytes(family: u8) -> Option<Option<usize>> {
    Some(match family {
        1 => Some(16),
        2 | 3 => None,
        4 => Some(32),
        5 | 6 => Some(8),
        _ => return None,
    })
}

/// The length of the key at the beginning of these bytes, with the zeros at its end. `None` if there is no key.
pub fn escaped_length(bytes: &[u8]) -> Option<usize> {
    let mut place = 0;
    loop {
        match bytes.get(place..)? {
            [0, 0, ..] => return Some(place + 2),
            [0, 0xFF, ..] => place += 2,
            [0, ..] | [] => return None,
            _ => place += 1,
        }
    }
}

/// Family and key: the sort key of such a value. `None` for other bytes.
pub fn sort_part(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(&MARK)?;
    let (family, keys) = rest.split_first()?;
    let length = match key_bytes(*family)? {
        Some(length) => length,
        None => escaped_length(keys)?,
    };
    rest.get(..1 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_is_what_they_sort_by() {
        let of = |rest: &[u8]| [&MARK[..], rest].concat();
        let short = of(&[3, b'a', 0, 0xFF, 0, 0, b'x']);
        assert_eq!(sort_part(&short), Some(&[3, b'a', 0, 0xFF, 0, 0][..]));
        let double = of(&[5, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(sort_part(&double), Some(&[5, 1, 2, 3, 4, 5, 6, 7, 8][..]));
        for none in [of(&[]), of(&[7, 0]), of(&[3, b'a', 0]), of(&[1, 2]), b"abc".to_vec(), Vec::new()] {
            assert_eq!(sort_part(&none), None, "{none:?}");
        }
    }
}
