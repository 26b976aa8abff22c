//! CRC-32C, the checksum of everything that the store writes.
//!
//! The Castagnoli polynomial (0x1EDC6F41, reflected 0x82F63B78), initial value and final exclusive-or of all ones:
//! the CRC of iSCSI (RFC 3720, B.4), ext4 and Btrfs. It notices every error of up to 32 bits in a row and every
//! one to five single bits in a frame of ordinary length, and gives one in four thousand million of the rest.
//!
//! The crate `crc32c` computes it: with the instruction that x86-64 and AArch64 have for it, some 20 gigabytes a second, and
//! from tables elsewhere. The speed decides how long a large table takes to be read for the first time.

const POLYNOMIAL: u32 = 0x82F6_3B78;

/// The checksum of these bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    ::crc32c::crc32c(bytes)
}

/// The checksum of the bytes that gave `checksum` so far, and these behind them.
pub fn continued(checksum: u32, bytes: &[u8]) -> u32 {
    ::crc32c::crc32c_append(checksum, bytes)
}

/// The checksum of the last `length` bytes of a run, from that of the whole run and that of the bytes before them. The time
/// it takes hardly depends on the length.
///
/// A checksum is a remainder of polynomials over GF(2). Bytes behind others multiply the remainder of those by x^8 each, and
/// add their own.
pub fn of_end(whole: u32, before: u32, length: u64) -> u32 {
    whole ^ product(power(length.saturating_mul(8)), before)
}

/// The highest coefficient of a remainder stands in the lowest bit: this is 1.
const ONE: u32 = 1 << 31;

/// The product of two remainders.
fn product(one: u32, mut other: u32) -> u32 {
    let mut sum = 0;
    for bit in (0..u32::BITS).rev() {
        if one >> bit & 1 == 1 {
            sum ^= other;
        }
        other = if other & 1 == 1 { (other >> 1) ^ POLYNOMIAL } else { other >> 1 };
    }
    sum
}

/// The remainder of x to this power.
fn power(mut exponent: u64) -> u32 {
    let (mut square, mut result) = (ONE >> 1, ONE);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(square, result);
        }
        square = product(square, square);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_values_of_rfc_3720() {
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8A91_36AA);
        assert_eq!(crc32c(&[0xFF; 32]), 0x62A8_AB43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(crc32c(&ascending), 0x46DD_794E);
        assert_eq!(crc32c(b""), 0);
    }

    #[test]
    fn that_of_the_end_follows_from_that_of_the_whole() {
        let bytes: Vec<u8> = (0..5000).map(|n| ((n * 37) >> 3) as u8).collect();
        for cut in (0..=bytes.len()).step_by(7) {
            let (before, end) = bytes.split_at(cut);
            assert_eq!(of_end(crc32c(&bytes), crc32c(before), end.len() as u64), crc32c(end), "{cut}");
        }
        assert_eq!(of_end(crc32c(b"x"), crc32c(b"x"), 0), crc32c(b""));
    }

    #[test]
    fn can_be_taken_in_parts() {
        let bytes: Vec<u8> = (0..100).map(|n| (n * 37) as u8).collect();
        for cut in 0..bytes.len() {
            assert_eq!(continued(crc32c(&bytes[..cut]), &bytes[cut..]), crc32c(&bytes));
        }
    }
}
