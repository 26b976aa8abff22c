//! Parsing of numbers in number fields, eight digits at once where possible.
//!
//! Most fields that a program reads are such numbers, and a walk reads one at every step. A field of up to eight bytes
//! fits a register, in which all of its digits are processed together:
//!
//! ```text
//!   "   12.50"   the point is where the header says     it is taken out, and blanks come in at the front
//!   "    1250"   blanks, then digits only               blanks become zeros
//!   "00001250"   pairs, then fours, then all are added  1250
//! ```
//! Anything else (a sign, a longer field) is read byte by byte.

/// The digits of a number field of usual form (`  -12.50`) as a whole number; `None` for anything else, as a point that
/// is not where the header says.
#[inline]
pub(crate) fn digits(cell: &[u8], decimals: usize) -> Option<i64> {
    eight_at_once(cell, decimals).or_else(|| one_by_one(cell, decimals))
}

/// A number without a sign, of at most eight bytes.
#[inline]
fn eight_at_once(cell: &[u8], decimals: usize) -> Option<i64> {
    const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
    if cell.len() > 8 || decimals > 6 {
        return None;
    }
    // The first byte of the field is the lowest of the number.
    let mut bytes = match cell.first_chunk::<8>() {
        Some(whole) => u64::from_le_bytes(*whole),
        None => cell.iter().fold(BLANKS, |bytes, byte| bytes >> 8 | u64::from(*byte) << 56),
    };
    if decimals > 0 {
        let point = 8 * (7 - decimals);
        if (bytes >> point) as u8 != b'.' {
            return None;
        }
        let before = bytes & ((1 << point) - 1);
        bytes = bytes >> (point + 8) << (point + 8) | before << 8 | u64::from(b' ');
    }
    let blanks = (bytes ^ BLANKS).trailing_zeros() / 8;
    // There is a digit before the point.
    if blanks as usize >= 8 - decimals {
        return None;
    }
    // A blank has all bits of a zero but one.
    bytes |= 0x1010_1010_1010_1010 & ((1 << (8 * blanks)) - 1);
    const HIGH: u64 = 0xF0F0_F0F0_F0F0_F0F0;
    let are_digits = bytes & HIGH | (bytes.wrapping_add(0x0606_0606_0606_0606) & HIGH) >> 4;
    if are_digits != 0x3333_3333_3333_3333 {
        return None;
    }
    let pairs = (bytes & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (pairs & 0x00FF_00FF_00FF_00FF).wrapping_mul(100 << 16 | 1) >> 16;
    let all = (fours & 0x0000_FFFF_0000_FFFF).wrapping_mul(10_000 << 32 | 1) >> 32;
    i64::try_from(all).ok()
}

fn one_by_one(cell: &[u8], decimals: usize) -> Option<i64> {
    let (whole, fraction) = match decimals {
        0 => (cell, &[][..]),
        decimals => match cell.split_at_checked(cell.len().checked_sub(decimals + 1)?)? {
            (whole, [b'.', fraction @ ..]) => (whole, fraction),
            _ => return None,
        },
    };
    let start = whole.iter().position(|byte| *byte != b' ')?;
    let (negative, whole) = match whole.get(start..)? {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if whole.is_empty() {
        return None;
    }
    let mut number = 0i64;
    for byte in whole.iter().chain(fraction) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + i64::from(digit);
    }
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::{digits, one_by_one};

    #[test]
    fn eight_at_once_are_what_they_are_one_by_one() {
        let mut state = 7u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let (mut read, mut refused) = (0, 0);
        for _ in 0..200_000 {
            let (length, decimals) = (1 + random(10), random(8));
            let mut cell: Vec<u8> = (0..length).map(|_| b'0' + random(10) as u8).collect();
            cell[..random(length + 1)].fill(b' ');
            if let Some(point) = cell.len().checked_sub(decimals + 1).filter(|_| decimals > 0) {
                cell[point] = b'.';
            }
            if random(3) == 0 {
                let at = random(length);
                cell[at] = b"-. 9:/*\0\xFFa+"[random(11)];
            }
            let wanted = one_by_one(&cell, decimals);
            assert_eq!(digits(&cell, decimals), wanted, "{:?} with {decimals}", cell.escape_ascii().to_string());
            if wanted.is_some() { read += 1 } else { refused += 1 }
        }
        assert!(read > 30_000 && refused > 50_000, "{read}, {refused}");
        assert_eq!(digits(b" 1234.56", 2), Some(123_456));
        assert_eq!(digits(b"99999999", 0), Some(99_999_999));
        assert_eq!((digits(b"     .56", 2), digits(b"        ", 0)), (None, None));
    }
}
