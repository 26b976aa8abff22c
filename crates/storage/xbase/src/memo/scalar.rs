//! Values of other types than text, as FlexFile, Six and Harbour put them into memo files.
//!
//! Each is converted to the text that xBase would print for it, in place: the value's bytes from `start` are replaced.
//! Other values stay unchanged.

use super::Fetched;
use mainstay_types::Date;

/// The types of FPT records that are scalars of FlexFile: the values are little-endian.
mod flex {
    pub const NIL: u32 = 1006;
    pub const TRUE: u32 = 1007;
    pub const FALSE: u32 = 1008;
    pub const DATE: u32 = 1009;
    pub const CHAR: u32 = 1010;
    pub const UNSIGNED_CHAR: u32 = 1011;
    pub const SHORT: u32 = 1012;
    pub const UNSIGNED_SHORT: u32 = 1013;
    pub const LONG: u32 = 1014;
    pub const UNSIGNED_LONG: u32 = 1015;
    pub const DOUBLE: u32 = 1016;
    pub const LOGICAL: u32 = 10001;
    pub const EMPTY_TEXT: u32 = 10002;
}

/// Makes a text of an FPT record of this type.
pub(super) fn fox(kind: u32, six: bool, out: &mut Vec<u8>, start: usize) -> Fetched {
    let bytes = &out[start..];
    let text = match kind {
        flex::NIL => return Fetched::Nil,
        flex::TRUE => Some("true".to_owned()),
        flex::FALSE => Some("false".to_owned()),
        flex::EMPTY_TEXT => Some(String::new()),
        flex::DATE => long(bytes).map(date),
        flex::CHAR => bytes.first().map(|&byte| (byte as i8).to_string()),
        flex::UNSIGNED_CHAR => bytes.first().map(u8::to_string),
        flex::SHORT => bytes.first_chunk().map(|&bytes| i16::from_le_bytes(bytes).to_string()),
        flex::UNSIGNED_SHORT => bytes.first_chunk().map(|&bytes| u16::from_le_bytes(bytes).to_string()),
        flex::LONG => long(bytes).map(|value| value.to_string()),
        flex::UNSIGNED_LONG => bytes.first_chunk().map(|&bytes| u32::from_le_bytes(bytes).to_string()),
        flex::DOUBLE => double(bytes),
        flex::LOGICAL => bytes.first().map(|&byte| (byte != 0).to_string()),
        _ if six => return six_record(kind, out, start),
        _ => return Fetched::Value,
    };
    replace(text, out, start)
}

/// Six repeats the type in the record, and begins each with 14 bytes: type, reserved, length or value.
fn six_record(kind: u32, out: &mut Vec<u8>, start: usize) -> Fetched {
    const ITEM_HEAD: usize = 14;
    let bytes = &out[start..];
    let value = bytes.get(6..).unwrap_or_default();
    if kind == 0x0400 {
        let length =
            bytes.get(2..).and_then(|rest| rest.first_chunk()).map(|&bytes| usize::from(u16::from_le_bytes(bytes)));
        let Some(length) = length.filter(|length| ITEM_HEAD + length <= bytes.len()) else {
            return damaged(out, start);
        };
        out.truncate(start + ITEM_HEAD + length);
        out.drain(start..start + ITEM_HEAD);
        return Fetched::Value;
    }
    let text = match kind {
        0x0002 => long(value).map(|value| value.to_string()),
        0x0008 => double(value),
        0x0020 => long(value).map(date),
        0x0080 => value.first().map(|&byte| (byte != 0).to_string()),
        _ => return Fetched::Value,
    };
    replace(text, out, start)
}

/// Makes a text of an item of an SMT file, which begins with its type.
pub(super) fn six(out: &mut Vec<u8>, start: usize) -> Fetched {
    let Some((&kind, value)) = out[start..].split_first() else { return Fetched::Value };
    let text = match kind {
        0 => return Fetched::Nil,
        1 => {
            let length = value.first_chunk().map(|&bytes| usize::from(u16::from_le_bytes(bytes)));
            let Some(length) = length.filter(|length| length + 2 <= value.len()) else {
                return damaged(out, start);
            };
            out.truncate(start + 3 + length);
            out.drain(start..start + 3);
            return Fetched::Value;
        }
        2 => long(value).map(|value| value.to_string()),
        3 => double(value.get(2..).unwrap_or_default()),
        4 => long(value).map(date),
        5 => value.first().map(|&byte| (byte != 0).to_string()),
        _ => return Fetched::Value,
    };
    replace(text, out, start)
}

fn replace(text: Option<String>, out: &mut Vec<u8>, start: usize) -> Fetched {
    let Some(text) = text else { return damaged(out, start) };
    out.truncate(start);
    out.extend_from_slice(text.as_bytes());
    Fetched::Value
}

fn damaged(out: &mut Vec<u8>, start: usize) -> Fetched {
    out.truncate(start);
    Fetched::Damaged("the memo record is too short for its type".into())
}

fn long(bytes: &[u8]) -> Option<i32> {
    bytes.first_chunk().map(|&bytes| i32::from_le_bytes(bytes))
}

fn double(bytes: &[u8]) -> Option<String> {
    bytes.first_chunk().map(|&bytes| f64::from_le_bytes(bytes).to_string())
}

fn date(julian: i32) -> String {
    if julian == 0 { String::new() } else { Date::from_julian(julian).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_become_text() {
        let fox_text = |kind, bytes: &[u8]| {
            let mut out = b"kept".to_vec();
            out.extend_from_slice(bytes);
            let fetched = fox(kind, false, &mut out, 4);
            (fetched, String::from_utf8(out.split_off(4)).unwrap())
        };
        assert_eq!(fox_text(1014, &(-5i32).to_le_bytes()), (Fetched::Value, "-5".into()));
        assert_eq!(fox_text(1016, &2.5f64.to_le_bytes()), (Fetched::Value, "2.5".into()));
        assert_eq!(fox_text(1009, &2_440_588i32.to_le_bytes()).1, "1970-01-01");
        assert!(matches!(fox_text(1014, &[1, 2]).0, Fetched::Damaged(_)));
        assert_eq!(fox_text(1, b"text").1, "text");

        let mut item = vec![1, 2, 0, b'h', b'i', 9, 9];
        assert_eq!(six(&mut item, 0), Fetched::Value);
        assert_eq!(item, b"hi");
    }
}
