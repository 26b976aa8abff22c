//! Numeric segments (attribute B): text as bytes in the order of the numbers.
//!
//! ```text
//!   no value    00                                    less than every number
//!   a number    01, 16 bytes big-endian, sign inverted: the number times ten to the decimals, further ones cut off
//! ```
//!
//! A text that is not a number counts as zero. More than 30 digits before the point count as the greatest number of 30.

/// Bytes of a number in the compared form.
pub(super) const BYTES: usize = 17;

const NO_VALUE: u8 = 0;
const VALUE: u8 = 1;
const MOST: i128 = 10_i128.pow(36) - 1;

/// Appends the compared form of a text.
pub(super) fn append(text: &[u8], decimals: u8, out: &mut Vec<u8>) {
    let scaled = scaled(text, decimals).unwrap_or(0);
    out.push(VALUE);
    out.extend_from_slice(&((scaled as u128) ^ (1 << 127)).to_be_bytes());
}

/// Appends what is less than every number.
pub(super) fn append_none(out: &mut Vec<u8>) {
    out.push(NO_VALUE);
    out.resize(out.len() + BYTES - 1, 0);
}

/// Appends the text of a compared form, with blanks before it to this width.
pub(super) fn append_text(form: &[u8], decimals: u8, width: usize, out: &mut Vec<u8>) {
    let number = form.get(1..BYTES).and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
    let text = match number {
        Some(bytes) if form[0] == VALUE => text((u128::from_be_bytes(bytes) ^ (1 << 127)) as i128, decimals),
        _ => String::new(),
    };
    out.resize(out.len() + width.saturating_sub(text.len()), b' ');
    out.extend_from_slice(text.as_bytes());
}

fn text(scaled: i128, decimals: u8) -> String {
    let unit = 10_u128.pow(u32::from(decimals));
    let sign = if scaled < 0 { "-" } else { "" };
    let (whole, fraction) = (scaled.unsigned_abs() / unit, scaled.unsigned_abs() % unit);
    match decimals {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction:0width$}", width = usize::from(decimals)),
    }
}

/// The number of a text times ten to the decimals; `None` for a text that is not a number.
fn scaled(text: &[u8], decimals: u8) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?.trim_matches(['\0', ' ']);
    let (is_negative, digits) = match text.strip_prefix('-').or_else(|| text.strip_suffix('-')) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = !(whole.is_empty() && fraction.is_empty())
        && [whole, fraction].iter().all(|part| part.bytes().all(|digit| digit.is_ascii_digit()));
    if !is_number {
        return None;
    }
    let fraction = fraction.bytes().chain(std::iter::repeat(b'0')).take(usize::from(decimals));
    let magnitude = whole
        .bytes()
        .chain(fraction)
        .fold(0_i128, |sum, digit| sum.saturating_mul(10).saturating_add(i128::from(digit - b'0')).min(MOST));
    Some(if is_negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str, decimals: u8) -> Vec<u8> {
        let mut form = Vec::new();
        append(text.as_bytes(), decimals, &mut form);
        form
    }

    #[test]
    fn forms_are_in_the_order_of_the_numbers() {
        // The example of the manual's page of KEYED: -1.15, 0.00, 250.11, 1234.56.
        let mut texts = vec!["1234.56", "0.00", "250.11", "-1.15"];
        texts.sort_by_key(|text| form(text, 2));
        assert_eq!(texts, ["-1.15", "0.00", "250.11", "1234.56"]);
        let mut none = Vec::new();
        append_none(&mut none);
        assert!(none < form("-999999999999999999", 2) && none.len() == BYTES);
    }

    #[test]
    fn decimals_are_cut_off_and_other_text_is_zero() {
        assert_eq!(form("1.239", 2), form("1.23", 2));
        assert_eq!(form("-1.239", 2), form("-1.23", 2));
        assert_eq!(form("7", 2), form(" 7.00 ", 2));
        for text in ["", "abc", "1,5", "1.2.3", "--1", "-"] {
            assert_eq!(form(text, 2), form("0", 2), "{text}");
        }
    }

    #[test]
    fn texts_come_back() {
        for (text, decimals, width, expected) in
            [("-1.15", 2, 8, "   -1.15"), ("12", 0, 5, "   12"), ("1234.5", 2, 3, "1234.50"), ("-.05", 2, 1, "-0.05")]
        {
            let mut back = Vec::new();
            append_text(&form(text, decimals), decimals, width, &mut back);
            assert_eq!(String::from_utf8(back).unwrap(), expected);
        }
    }
}
