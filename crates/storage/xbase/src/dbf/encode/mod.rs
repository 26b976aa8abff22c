//! Values into the bytes of a record: the inverse of [`decode_column`](super::decode_column).
//!
//! ```text
//!   field, value  --encode-->  its bytes in the record, and its bits in _NullFlags
//! ```
//! **Nothing is changed without an error.** A value that a field cannot store is an error that names the field: a
//! number with too many digits (other programs write asterisks, and the number is gone), a text that is too long or has
//! characters that the table's code page lacks. With [`Encoding`] a caller selects xBase's behaviour instead: to cut a
//! text, to substitute a missing character. Numbers with more decimals than the field are rounded half away from zero,
//! as every program here does, and moments to the millisecond.
//!
//! **NULL** is the field's bit in `_NullFlags`. A field without one is left blank where its blank is read as NULL or
//! as the empty text (C, N, F, D, L, T, M); integers, doubles and currency have no such value, and NULL is an error.
//!
//! Long values are not here: a memo field is given the place of its value in the memo file
//! ([`encode_reference`]), which [`TableWriter`](crate::writer::TableWriter) stores first.

mod fixed;
mod number;
mod text;

pub(crate) use text::{memo_bytes, text_of_name};

use super::field::{Field, FieldKind};
use super::header::Header;
use crate::adt;
use crate::codepage::CodePage;
use crate::memo::{MemoKind, Reference};
use mainstay_types::{Code, ConstraintKind, Error, Result, ValueRef};

/// Options for encoding values as bytes.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    /// The code page of the text.
    pub code_page: CodePage,
    /// The substitute for a character that the code page lacks; without it, it is an error.
    pub replacement: Option<u8>,
    /// True if a text that is too long is cut, as xBase programs do, instead of being an error.
    pub cut_long_text: bool,
}

impl Encoding {
    /// The strict way: what does not fit is an error.
    pub fn strict(code_page: CodePage) -> Encoding {
        Encoding { code_page, replacement: None, cut_long_text: false }
    }
}

/// Puts a value into its field of a record. The record is unchanged if that fails.
///
/// `record` is a whole record, the deletion flag included. Memo fields take nothing but NULL and the empty text
/// here. Fails with `Code::InvalidValue` (it does not fit), `Code::TypeMismatch` (another type),
/// `Code::NotNullViolation`, or `Code::Unsupported` for fields that no rule is known for.
pub fn encode(field: &Field, value: ValueRef<'_>, how: &Encoding, record: &mut [u8]) -> Result<()> {
    let end = field.offset + field.length;
    let Some(cell) = record.get_mut(field.offset..end) else {
        return Err(Error::new(Code::Internal, format!("field {} lies outside the record", field.name)));
    };
    if value == ValueRef::Null {
        return encode_null(field, record);
    }
    // The last byte of a varying value is its length if this is set.
    let mut is_short = None;
    match field.kind {
        FieldKind::Character | FieldKind::CharacterBinary => text::padded(field, value, how, cell)?,
        FieldKind::CharacterWide | FieldKind::VarcharWide => text::wide(field, value, how, cell)?,
        FieldKind::Varchar | FieldKind::Varbinary if field.adt.is_some() => text::counted(field, value, how, cell)?,
        FieldKind::Guid => fixed::guid(field, value, cell)?,
        FieldKind::Varchar | FieldKind::VarcharUnconverted | FieldKind::Varbinary => {
            is_short = Some(text::varying(field, value, how, cell)?)
        }
        FieldKind::Any => text::any(field, value, how, cell)?,
        FieldKind::Numeric => number::numeric(field, value, cell)?,
        FieldKind::Integer
        | FieldKind::IntegerSortable
        | FieldKind::Currency
        | FieldKind::RowVersion
        | FieldKind::Double
        | FieldKind::DoubleSortable => number::binary(field, value, cell)?,
        FieldKind::Logical
        | FieldKind::Date
        | FieldKind::DateBinary
        | FieldKind::DateJulian
        | FieldKind::DatePacked
        | FieldKind::Timestamp
        | FieldKind::ModificationTime
        | FieldKind::Time => fixed::fixed(field, value, cell)?,
        FieldKind::Memo | FieldKind::MemoBinary | FieldKind::MemoWide => {
            if !matches!(value, ValueRef::Text("") | ValueRef::Binary(b"")) {
                let message = format!("field {} refers to the memo file; its value is stored there first", field.name);
                return Err(Error::new(Code::Internal, message));
            }
            no_reference(cell);
        }
        FieldKind::NullFlags | FieldKind::Unknown => {
            let letter = char::from(field.letter).escape_default();
            let message = format!("field {} is of the type {letter}, of which only the bytes are known", field.name);
            return Err(Error::new(Code::Unsupported, message));
        }
    }
    if field.adt.is_some_and(|kind| kind.can_be_null() && !field.kind.needs_memo() && kind.is_null(cell)) {
        return Err(stands_for_null(field));
    }
    if let (Some(is_short), Some(at)) = (is_short, field.varying_bit) {
        set_bit(record, at, is_short);
    }
    if let Some(at) = field.null_bit {
        set_bit(record, at, false);
    }
    Ok(())
}

/// A value whose bytes are those of NULL in an ADT.
fn stands_for_null(field: &Field) -> Error {
    let kind = field.adt.map_or("", adt::Type::name);
    let message = format!("field {} of type {kind} cannot have this value: its bytes stand for NULL", field.name);
    Error::new(Code::InvalidValue, message)
}

fn encode_null(field: &Field, record: &mut [u8]) -> Result<()> {
    // RowVersion and ModTime are given their values when the record is written.
    if let Some(kind) = field.adt.filter(|kind| matches!(kind, adt::Type::AutoIncrement | adt::Type::Other(_))) {
        let message = format!("field {} of type {} is never NULL", field.name, kind.name());
        let error = Error::new(Code::NotNullViolation, message);
        return Err(error.of_constraint(ConstraintKind::NotNull, "", &field.name));
    }
    let needs_bit = matches!(
        field.kind,
        FieldKind::Integer
            | FieldKind::IntegerSortable
            | FieldKind::Currency
            | FieldKind::Double
            | FieldKind::DoubleSortable
            | FieldKind::Time
            | FieldKind::RowVersion
    );
    if needs_bit && field.null_bit.is_none() && field.adt.is_none() {
        let message = format!("field {} cannot be NULL: the table has no bit for it", field.name);
        let error = Error::new(Code::NotNullViolation, message).hint("give it a value, such as 0");
        return Err(error.of_constraint(ConstraintKind::NotNull, "", &field.name));
    }
    blank(field, record);
    Ok(())
}

/// Puts the place of a long value into its field; `None` is no value, which is read as the empty one (and as NULL
/// where the NULL bit is set, which this leaves alone when there is no value and clears when there is one).
///
/// Fails if the block number does not fit: 10 digits, or 32 bits.
pub fn encode_reference(field: &Field, kind: MemoKind, reference: Option<&Reference>, record: &mut [u8]) -> Result<()> {
    let Some(cell) = record.get_mut(field.offset..field.offset + field.length) else {
        return Err(Error::new(Code::Internal, format!("field {} lies outside the record", field.name)));
    };
    let Some(reference) = reference else {
        no_reference(cell);
        return Ok(());
    };
    let too_large = || {
        Error::new(Code::Unsupported, format!("memo block {} is too large for field {}", reference.block, field.name))
    };
    match (cell.len(), kind, reference.six) {
        (9, MemoKind::Advantage, Some((_, length))) => {
            cell[..4].copy_from_slice(&u32::try_from(reference.block).map_err(|_| too_large())?.to_le_bytes());
            cell[4..8].copy_from_slice(&length.to_le_bytes());
            cell[8] = 0;
        }
        (4, ..) => cell.copy_from_slice(&u32::try_from(reference.block).map_err(|_| too_large())?.to_le_bytes()),
        (10, MemoKind::Six, Some((kind, length))) => {
            cell[..2].copy_from_slice(&kind.to_le_bytes());
            cell[2..6].copy_from_slice(&length.to_le_bytes());
            cell[6..].copy_from_slice(&u32::try_from(reference.block).map_err(|_| too_large())?.to_le_bytes());
        }
        (10, ..) => {
            let digits = format!("{:>10}", reference.block);
            cell.copy_from_slice(
                digits.as_bytes().first_chunk::<10>().filter(|_| digits.len() == 10).ok_or_else(too_large)?,
            );
        }
        _ => return Err(Error::new(Code::Unsupported, format!("field {} has an unknown length", field.name))),
    }
    if let Some(at) = field.null_bit {
        set_bit(record, at, false);
    }
    Ok(())
}

fn no_reference(cell: &mut [u8]) {
    cell.fill(if cell.len() == 10 { b' ' } else { 0 });
}

/// Gives a field what `APPEND BLANK` gives it: blanks, zeros or no reference, NULL where the field can be, and the
/// length 0 where it varies. (Harbour, `hb_dbfSetBlankRecord`; Visual FoxPro gives NULL only when told to.)
pub fn blank(field: &Field, record: &mut [u8]) {
    let Some(cell) = record.get_mut(field.offset..field.offset + field.length) else { return };
    if let Some(kind) = field.adt {
        return kind.set_null(cell);
    }
    match field.kind {
        FieldKind::Character
        | FieldKind::CharacterBinary
        | FieldKind::Numeric
        | FieldKind::Logical
        | FieldKind::Date
        | FieldKind::Unknown => cell.fill(b' '),
        FieldKind::CharacterWide => cell.as_chunks_mut::<2>().0.fill(*b" \0"),
        FieldKind::Memo | FieldKind::MemoBinary | FieldKind::MemoWide => no_reference(cell),
        FieldKind::Varchar | FieldKind::VarcharUnconverted if field.varying_bit.is_none() => cell.fill(b' '),
        FieldKind::IntegerSortable => {
            cell.fill(0);
            cell[0] = 0x80;
        }
        FieldKind::DoubleSortable => {
            cell.fill(0);
            cell[0] = 0x80;
        }
        _ => cell.fill(0),
    }
    for at in [field.null_bit, field.varying_bit].into_iter().flatten() {
        set_bit(record, at, true);
    }
}

/// A record of a table with this header, not deleted, with all fields blank.
pub fn blank_record(fields: &[Field], header: &Header) -> Vec<u8> {
    let mut record = vec![0; header.record_bytes().max(1)];
    if let Some(flag) = record.first_mut() {
        *flag = header.layout.live_flag();
    }
    fields.iter().for_each(|field| blank(field, &mut record));
    record
}

fn set_bit(record: &mut [u8], bit: usize, value: bool) {
    if let Some(byte) = record.get_mut(bit / 8) {
        let mask = 1 << (bit % 8);
        *byte = if value { *byte | mask } else { *byte & !mask };
    }
}

/// A value of a type that the field does not hold.
fn mismatch(field: &Field, value: ValueRef<'_>) -> Error {
    let kind = match value {
        ValueRef::Null => "NULL",
        ValueRef::Boolean(_) => "a logical value",
        ValueRef::Integer(_) | ValueRef::Decimal(_) | ValueRef::Float(_) => "a number",
        ValueRef::Text(_) => "a text",
        ValueRef::Binary(_) => "bytes",
        ValueRef::Date(_) => "a date",
        ValueRef::Time(_) => "a time of day",
        ValueRef::Timestamp(_) | ValueRef::TimestampWithOffset { .. } => "a moment",
        ValueRef::Interval(_) => "a length of time",
        ValueRef::Uuid(_) => "a UUID",
    };
    Error::new(Code::TypeMismatch, format!("field {} does not hold {kind}: it is {}", field.name, described(field)))
}

/// The type of a field, as a structure listing has it.
fn described(field: &Field) -> String {
    if let Some(kind) = field.adt {
        return format!("{}({})", kind.name(), field.length);
    }
    let letter = match field.letter {
        0x1A => "C (UTF-16)".to_owned(),
        0x1B => "V (UTF-16)".to_owned(),
        0x1C => "M (UTF-16)".to_owned(),
        letter => char::from(letter).to_string(),
    };
    match field.decimals {
        0 => format!("{letter}({})", field.length),
        decimals => format!("{letter}({},{decimals})", field.length),
    }
}
