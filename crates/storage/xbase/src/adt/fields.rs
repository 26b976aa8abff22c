//! The field descriptors of an ADT, and the fields of its records as the common reader takes them.
//!
//! ```text
//!   0 name, 128, NUL-padded | 129 type | 131 offset, 32 bits | 135 length | 139 decimals | 141 unused up to 200
//! ```
//! Sources disagree in which unit a VarChar's or NChar's length is. So a field takes the bytes from its own offset to the next
//! one's, and the last field those up to the end of the record.

use super::header::{FIELD_LENGTH, FIRST_FIELD_AT, FIXED_LENGTH, Header, half, word};
use super::types::Type;
use crate::codepage::CodePage;
use crate::dbf;
use crate::dbf::FieldKind;
use mainstay_types::{Code, Error, Result};
use std::collections::HashSet;

/// A field as its descriptor says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name, in the code page of the table.
    pub name: Vec<u8>,
    /// The type.
    pub kind: Type,
    /// The first byte in the record; flags and link are bytes 0 to 4.
    pub offset: usize,
    /// Bytes in the record.
    pub length: usize,
    /// Digits after the point: of Numeric as stored, of Double, CurDouble and Money as shown.
    pub decimals: u16,
}

/// Reads the descriptors out of the whole header (fixed part included), and what is odd about them.
///
/// Errors: `Damaged`, if fields lie outside the record or overlap.
pub fn parse_fields(header: &Header, bytes: &[u8]) -> Result<Vec<Field>> {
    let damaged = |message: String| Error::new(Code::Damaged, message);
    let count = usize::from(header.field_count);
    let descriptors = bytes
        .get(FIXED_LENGTH..FIXED_LENGTH + count * FIELD_LENGTH)
        .ok_or_else(|| damaged(format!("the header describes {count} fields and ends after {} bytes", bytes.len())))?;
    let end = header.record_length as usize;
    let descriptors: Vec<&[u8]> = descriptors.chunks_exact(FIELD_LENGTH).collect();
    let offset = |at: usize| descriptors.get(at).map_or(end, |one| word(one, 131) as usize);
    let mut fields = Vec::with_capacity(count);
    for (number, one) in descriptors.iter().enumerate() {
        let name = &one[..128];
        let name = &name[..memchr::memchr(0, name).unwrap_or(name.len())];
        let (start, next) = (offset(number), offset(number + 1));
        let kind = Type::of_code(half(one, 129));
        if number == 0 && start != FIRST_FIELD_AT || start < FIRST_FIELD_AT || next <= start || next > end {
            let name = name.escape_ascii();
            return Err(damaged(format!("field {name} takes bytes {start} to {next} of a record of {end} bytes")));
        }
        let (length, decimals) = (next - start, half(one, 139));
        if let Some(fixed) = kind.fixed_length().filter(|fixed| *fixed != length)
            && !kind.is_reference()
        {
            let name = name.escape_ascii();
            let message = format!("field {name} of type {} has {length} bytes, not {fixed}", kind.name());
            return Err(damaged(message));
        }
        fields.push(Field { name: name.to_vec(), kind, offset: start, length, decimals });
    }
    Ok(fields)
}

/// The same for the common reader, with the warnings about them, each with its cause.
pub fn record_fields(fields: &[Field], page: CodePage, warnings: &mut Vec<(&'static str, String)>) -> Vec<dbf::Field> {
    let mut names = HashSet::new();
    fields.iter().enumerate().map(|(at, field)| record_field(field, at, page, &mut names, warnings)).collect()
}

fn record_field(
    field: &Field,
    number: usize,
    page: CodePage,
    names: &mut HashSet<String>,
    warnings: &mut Vec<(&'static str, String)>,
) -> dbf::Field {
    let decoded = page.decode(&field.name);
    let wanted = match decoded.text.trim() {
        "" => format!("FIELD{}", number + 1),
        name => name.to_owned(),
    };
    let (mut name, mut suffix) = (wanted.clone(), 1);
    while !names.insert(name.to_uppercase()) {
        suffix += 1;
        name = format!("{wanted}_{suffix}");
    }
    if suffix > 1 {
        let message = format!("field {} repeats the name {wanted} and is called {name}", number + 1);
        warnings.push((dbf::REPEATED_NAME, message));
    }
    let (kind, letter) = kind_of(field);
    if kind == FieldKind::Unknown {
        let (code, length) = (field.kind.code(), field.length);
        let message = format!("field {name} has type {code} in {length} bytes, which is not known; its bytes are read");
        warnings.push(("a field has an unknown type; its bytes are read", message));
    }
    let decimals = match field.kind {
        Type::Money => 4,
        Type::Numeric | Type::Double | Type::CurDouble => u8::try_from(field.decimals).unwrap_or(0).min(30),
        _ => 0,
    };
    let (offset, length) = (field.offset, field.length);
    let adt = Some(field.kind);
    dbf::Field { name, kind, letter, offset, length, decimals, null_bit: None, varying_bit: None, adt }
}

/// The kind of the common reader that has the same bytes, and the letter of the nearest type of a DBF.
fn kind_of(field: &Field) -> (FieldKind, u8) {
    match field.kind {
        Type::Logical => (FieldKind::Logical, b'L'),
        Type::Numeric => (FieldKind::Numeric, b'N'),
        Type::Date => (FieldKind::DateJulian, b'D'),
        Type::Character | Type::CiCharacter => (FieldKind::Character, b'C'),
        // Compressed values have references of 16 bytes, of which no sample is known.
        kind if kind.is_reference() && field.length != 9 => (FieldKind::Unknown, b'?'),
        Type::Memo => (FieldKind::Memo, b'M'),
        Type::Binary | Type::Image => (FieldKind::MemoBinary, b'W'),
        Type::NMemo => (FieldKind::MemoWide, 0x1C),
        Type::Double | Type::CurDouble => (FieldKind::Double, b'B'),
        Type::Integer | Type::ShortInt | Type::LongInt => (FieldKind::Integer, b'I'),
        Type::Time => (FieldKind::Time, b'T'),
        Type::TimeStamp => (FieldKind::Timestamp, b'T'),
        Type::AutoIncrement => (FieldKind::Integer, b'+'),
        Type::Raw => (FieldKind::CharacterBinary, b'C'),
        Type::Money => (FieldKind::Currency, b'Y'),
        Type::RowVersion => (FieldKind::RowVersion, b'^'),
        Type::ModTime => (FieldKind::ModificationTime, b'='),
        Type::VarChar if field.length > 2 => (FieldKind::Varchar, b'V'),
        Type::VarBinary if field.length > 2 => (FieldKind::Varbinary, b'Q'),
        Type::NChar if field.length.is_multiple_of(2) => (FieldKind::CharacterWide, 0x1A),
        Type::NVarChar if field.length > 2 && field.length.is_multiple_of(2) => (FieldKind::VarcharWide, 0x1B),
        Type::Guid => (FieldKind::Guid, b'G'),
        _ => (FieldKind::Unknown, b'?'),
    }
}
