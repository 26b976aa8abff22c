//! Text and bytes that stand in the record.

use super::{Encoding, mismatch};
use crate::codepage::CodePage;
use crate::dbf::field::Field;
use mainstay_types::{Code, Error, Result, ValueRef};
use std::borrow::Cow;

/// The text in the table's code page. `place` is a column's or a memo's name for the message.
pub(crate) fn in_code_page<'t>(text: &'t str, how: &Encoding, place: &str) -> Result<Cow<'t, [u8]>> {
    if text.is_ascii() {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    if let Some(bytes) = how.code_page.encode(text) {
        return Ok(Cow::Owned(bytes));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut buffer = [0; 4];
    for character in text.chars() {
        match (how.code_page.encode(character.encode_utf8(&mut buffer)), how.replacement) {
            (Some(encoded), _) => bytes.extend_from_slice(&encoded),
            (None, Some(replacement)) => bytes.push(replacement),
            (None, None) => {
                let page = how.code_page.name();
                let message = format!("{place}: '{character}' (U+{:04X}) is not in code page {page}", character as u32);
                return Err(Error::new(Code::InvalidValue, message)
                    .hint("change the text, or allow a replacement for characters that the code page lacks"));
            }
        }
    }
    Ok(Cow::Owned(bytes))
}

/// The bytes of a value that is text or bytes, at most `room` of them.
fn bytes_of<'v>(
    field: &Field,
    value: ValueRef<'v>,
    how: &Encoding,
    room: usize,
    blanks: bool,
) -> Result<Cow<'v, [u8]>> {
    let (bytes, text) = match value {
        ValueRef::Text(text) => (in_code_page(text, how, &format_field(field))?, Some(text)),
        ValueRef::Binary(bytes) => (Cow::Borrowed(bytes), None),
        other => return Err(mismatch(field, other)),
    };
    if bytes.len() <= room {
        return Ok(bytes);
    }
    // Blanks that the padding brings anyway are no part of the value.
    if blanks && bytes[room..].iter().all(|&byte| byte == b' ') {
        return Ok(Cow::Owned(bytes[..room].to_vec()));
    }
    if !how.cut_long_text {
        let message =
            format!("a value of {} bytes is too long for field {}, which has {room}", bytes.len(), field.name);
        return Err(Error::new(Code::InvalidValue, message));
    }
    Ok(Cow::Owned(match text {
        Some(text) => cut(text, how, room),
        None => bytes[..room].to_vec(),
    }))
}

fn format_field(field: &Field) -> String {
    format!("field {}", field.name)
}

/// As many whole characters as there is room for.
fn cut(text: &str, how: &Encoding, room: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(room);
    let mut buffer = [0; 4];
    for character in text.chars() {
        let encoded = how.code_page.encode(character.encode_utf8(&mut buffer));
        let encoded = encoded.unwrap_or_else(|| how.replacement.into_iter().collect());
        if bytes.len() + encoded.len() > room {
            break;
        }
        bytes.extend_from_slice(&encoded);
    }
    bytes
}

/// `C`: padded with blanks.
pub(super) fn padded(field: &Field, value: ValueRef<'_>, how: &Encoding, cell: &mut [u8]) -> Result<()> {
    if let ValueRef::Text(text) = value
        && text.len() <= cell.len()
        && text.is_ascii()
    {
        // The usual case, without a detour.
        let (head, tail) = cell.split_at_mut(text.len());
        head.copy_from_slice(text.as_bytes());
        tail.fill(b' ');
        return Ok(());
    }
    let bytes = bytes_of(field, value, how, cell.len(), true)?;
    cell[..bytes.len()].copy_from_slice(&bytes);
    cell[bytes.len()..].fill(b' ');
    Ok(())
}

/// Text or bytes of varying length; gives whether the last byte is the length.
pub(super) fn varying(field: &Field, value: ValueRef<'_>, how: &Encoding, cell: &mut [u8]) -> Result<bool> {
    let bytes = bytes_of(field, value, how, cell.len(), false)?;
    let length = bytes.len();
    let is_short = length < cell.len();
    if is_short && field.varying_bit.is_none() {
        let message = format!("field {} has no bit that could say how long its value is", field.name);
        return Err(Error::new(Code::Unsupported, message).hint("the table's _NullFlags is missing or too short"));
    }
    cell[..length].copy_from_slice(&bytes);
    cell[length..].fill(0);
    if let (true, Some(last)) = (is_short, cell.last_mut()) {
        // The field has at most 255 bytes, of which this is one.
        *last = u8::try_from(length).map_err(|_| Error::new(Code::Internal, "a varying field of over 255 bytes"))?;
    }
    Ok(is_short)
}

/// Text or bytes of Advantage, with their number in the last two bytes.
pub(super) fn counted(field: &Field, value: ValueRef<'_>, how: &Encoding, cell: &mut [u8]) -> Result<()> {
    let room = cell.len().saturating_sub(2);
    let bytes = bytes_of(field, value, how, room, false)?;
    let length = u16::try_from(bytes.len()).map_err(|_| Error::new(Code::Internal, "a field of over 65,535 bytes"))?;
    cell.fill(0);
    cell[..bytes.len()].copy_from_slice(&bytes);
    cell[room..].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// UTF-16: padded with blanks, or with the number of characters in the last two bytes.
pub(super) fn wide(field: &Field, value: ValueRef<'_>, how: &Encoding, cell: &mut [u8]) -> Result<()> {
    let ValueRef::Text(text) = value else { return Err(mismatch(field, value)) };
    let varies = field.kind == crate::dbf::FieldKind::VarcharWide;
    let room = cell.len() / 2 - usize::from(varies);
    let mut units: Vec<u16> = text.encode_utf16().collect();
    if units.len() > room && (how.cut_long_text || !varies && units[room..].iter().all(|&unit| unit == 0x20)) {
        let half = units.get(room.wrapping_sub(1)).is_some_and(|unit| (0xD800..0xDC00).contains(unit));
        units.truncate(room - usize::from(half));
    }
    if units.len() > room {
        let message =
            format!("a text of {} UTF-16 units is too long for field {}, which has {room}", units.len(), field.name);
        return Err(Error::new(Code::InvalidValue, message));
    }
    let length = units.len();
    units.resize(cell.len() / 2, if varies { 0 } else { 0x20 });
    if let (true, Some(last)) = (varies, units.last_mut()) {
        *last = length as u16;
    }
    for (bytes, unit) in cell.as_chunks_mut::<2>().0.iter_mut().zip(units) {
        *bytes = unit.to_le_bytes();
    }
    Ok(())
}

/// A text in a field of any type, in place: its length in the last two bytes.
pub(super) fn any(field: &Field, value: ValueRef<'_>, how: &Encoding, cell: &mut [u8]) -> Result<()> {
    let room = cell.len().saturating_sub(2);
    let text = match value {
        ValueRef::Text(text) => in_code_page(text, how, &format_field(field))?,
        other => return Err(mismatch(field, other)),
    };
    if text.len() > room || text.is_empty() {
        // All blanks would be no value; an empty text is all zeros.
        if text.is_empty() {
            cell.fill(0);
            return Ok(());
        }
        let message = format!("a text of {} bytes is too long for field {}, which has {room}", text.len(), field.name);
        return Err(Error::new(Code::InvalidValue, message));
    }
    cell.fill(0);
    cell[..text.len()].copy_from_slice(&text);
    cell[room..].copy_from_slice(&(text.len() as u16).to_le_bytes());
    Ok(())
}

/// Text of a memo: in the code page, or as UTF-16.
pub(crate) fn memo_bytes<'v>(field: &Field, value: ValueRef<'v>, how: &Encoding) -> Result<Cow<'v, [u8]>> {
    match (field.kind, value) {
        (crate::dbf::FieldKind::MemoWide, ValueRef::Text(text)) => {
            Ok(Cow::Owned(text.encode_utf16().flat_map(u16::to_le_bytes).collect()))
        }
        (_, ValueRef::Text(text)) => in_code_page(text, how, &format_field(field)),
        (_, ValueRef::Binary(bytes)) => Ok(Cow::Borrowed(bytes)),
        (_, other) => Err(mismatch(field, other)),
    }
}

/// A field's name, as the header has it.
pub(crate) fn text_of_name(name: &str, page: CodePage) -> Result<Vec<u8>> {
    Ok(in_code_page(name, &Encoding::strict(page), "a field name")?.into_owned())
}
