//! Single values as bytes of a key: see [the format](super).

/// The end of bytes of any number.
const END: u8 = 0;

/// Stands before what is at most itself: 00 is written 01 01, and 01 is written 01 02.
const ESCAPE: u8 = 1;

/// Appends a whole number in this many bytes (1, 2, 4, 8 or 16). Returns true if it fits.
pub(super) fn append_whole(value: i128, bytes: usize, out: &mut Vec<u8>) -> bool {
    let sign = bytes * 8 - 1;
    // All bits from the sign on are equal in a number that fits.
    let fits = matches!(value >> sign, 0 | -1);
    if fits {
        let ordered = value as u128 ^ (1 << sign);
        out.extend_from_slice(&ordered.to_be_bytes()[16 - bytes..]);
    }
    fits
}

/// Appends a whole number of 64 bits in this many bytes (1, 2, 4 or 8). Returns true if it fits.
#[inline]
pub(super) fn append_short(value: i64, bytes: usize, out: &mut Vec<u8>) -> bool {
    match bytes {
        8 => out.extend_from_slice(&((value as u64) ^ (1 << 63)).to_be_bytes()),
        4 => match i32::try_from(value) {
            Ok(value) => out.extend_from_slice(&((value as u32) ^ (1 << 31)).to_be_bytes()),
            Err(_) => return false,
        },
        _ => return append_whole(i128::from(value), bytes, out),
    }
    true
}

/// Appends a double: -0.0 as 0.0, every NaN as the same one.
pub(super) fn append_double(value: f64, out: &mut Vec<u8>) {
    let bits = if value.is_nan() {
        0x7FF8_0000_0000_0000
    } else if value == 0.0 {
        0
    } else {
        value.to_bits()
    };
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    out.extend_from_slice(&ordered.to_be_bytes());
}

/// Makes the bytes from `start` on, raw so far, a value that ends.
pub(super) fn escape(start: usize, out: &mut Vec<u8>) {
    // Text has neither byte; looking first saves a copy.
    if out[start..].iter().any(|byte| *byte <= ESCAPE) {
        let raw = out.split_off(start);
        for byte in raw {
            match byte {
                0 | ESCAPE => out.extend_from_slice(&[ESCAPE, byte + 1]),
                _ => out.push(byte),
            }
        }
    }
    out.push(END);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_known_values() {
        let mut out = Vec::new();
        assert!(append_short(-1, 1, &mut out) && append_short(1, 2, &mut out) && append_short(-2, 4, &mut out));
        assert_eq!(out, [0x7F, 0x80, 0x01, 0x7F, 0xFF, 0xFF, 0xFE]);
        out.clear();
        out.extend_from_slice(b"ka\0\x01b");
        escape(1, &mut out);
        assert_eq!(out, [b'k', b'a', 1, 1, 1, 2, b'b', 0]);
    }

    #[test]
    fn numbers_that_do_not_fit_leave_nothing() {
        let mut out = Vec::new();
        for (value, bytes) in [(128, 1), (-129, 1), (1 << 15, 2), (1 << 31, 4), (-(1 << 31) - 1, 4), (1 << 63, 8)] {
            assert!(!append_whole(value, bytes, &mut out), "{value}");
            assert!(i64::try_from(value).is_err() || !append_short(value as i64, bytes, &mut out), "{value}");
        }
        assert!(out.is_empty());
        assert!(append_whole(i128::MIN, 16, &mut out) && append_whole(i128::MAX, 16, &mut out));
        assert_eq!((&out[..16], &out[16..]), (&[0; 16][..], &[0xFF; 16][..]));
    }
}
