//! The types of fields, by their codes, and how each of them stores NULL.
//!
//! The codes are those of the client library (`ADS_LOGICAL` is 1). An ADT has no bitmap of NULLs: a value that the type does
//! not use otherwise stands for it. Fields that a third-party writer has left blank are read as NULL too, unless blanks
//! are a value of the type.

/// A type of field. The comment of each gives its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// 1 byte: `T` or `F`.
    Logical,
    /// A number as text, with its point in place.
    Numeric,
    /// 4 bytes: Julian day.
    Date,
    /// Text, padded with blanks.
    Character,
    /// 9 bytes: block, length and a zero; text in the memo file.
    Memo,
    /// As Memo, for bytes.
    Binary,
    /// As Binary.
    Image,
    /// 8 bytes: IEEE double.
    Double,
    /// 4 bytes, signed.
    Integer,
    /// 2 bytes, signed.
    ShortInt,
    /// 4 bytes: milliseconds of the day.
    Time,
    /// 8 bytes: Julian day, milliseconds of the day.
    TimeStamp,
    /// 4 bytes, unsigned; never NULL.
    AutoIncrement,
    /// Bytes.
    Raw,
    /// As Double.
    CurDouble,
    /// 8 bytes, signed: ten-thousandths.
    Money,
    /// 8 bytes, signed.
    LongInt,
    /// As Character; compared without regard to case.
    CiCharacter,
    /// 8 bytes, unsigned: counts the writes of the table; never NULL.
    RowVersion,
    /// As TimeStamp: the last write of the record; never NULL.
    ModTime,
    /// Text, and its length in the last 2 bytes.
    VarChar,
    /// As VarChar, for bytes.
    VarBinary,
    /// UTF-16, padded with blanks.
    NChar,
    /// UTF-16, and the number of its characters in the last 2 bytes.
    NVarChar,
    /// As Memo, for UTF-16.
    NMemo,
    /// 16 bytes.
    Guid,
    /// A code that nothing is known of; the bytes are kept as they are.
    Other(u16),
}

/// The double that stands for NULL, as it is stored.
const NULL_DOUBLE: [u8; 8] = [0x20, 0, 0, 0, 0, 0, 0, 0x80];

/// The length of a VarChar or NVarChar that is NULL.
const NULL_LENGTH: [u8; 2] = [0xFF, 0xFF];

/// Types, codes and names in SQL.
const TYPES: [(Type, u16, &str); 26] = [
    (Type::Logical, 1, "Logical"),
    (Type::Numeric, 2, "Numeric"),
    (Type::Date, 3, "Date"),
    (Type::Character, 4, "Character"),
    (Type::Memo, 5, "Memo"),
    (Type::Binary, 6, "Binary"),
    (Type::Image, 7, "Image"),
    (Type::Double, 10, "Double"),
    (Type::Integer, 11, "Integer"),
    (Type::ShortInt, 12, "ShortInteger"),
    (Type::Time, 13, "Time"),
    (Type::TimeStamp, 14, "TimeStamp"),
    (Type::AutoIncrement, 15, "AutoIncrement"),
    (Type::Raw, 16, "Raw"),
    (Type::CurDouble, 17, "CurDouble"),
    (Type::Money, 18, "Money"),
    (Type::LongInt, 19, "LongInteger"),
    (Type::CiCharacter, 20, "CICharacter"),
    (Type::RowVersion, 21, "RowVersion"),
    (Type::ModTime, 22, "ModTime"),
    (Type::VarChar, 23, "VarChar"),
    (Type::VarBinary, 24, "VarBinary"),
    (Type::NChar, 26, "NChar"),
    (Type::NVarChar, 27, "NVarChar"),
    (Type::NMemo, 28, "NMemo"),
    (Type::Guid, 29, "GUID"),
];

impl Type {
    /// The type with this code.
    pub fn of_code(code: u16) -> Type {
        TYPES.iter().find(|(_, known, _)| *known == code).map_or(Type::Other(code), |(kind, ..)| *kind)
    }

    /// The code in the descriptor, which is also that of the client library.
    pub fn code(self) -> u16 {
        match self {
            Type::Other(code) => code,
            known => TYPES.iter().find(|(kind, ..)| *kind == known).map_or(0, |(_, code, _)| *code),
        }
    }

    /// The name as the client library's field definitions write it.
    pub fn name(self) -> &'static str {
        TYPES.iter().find(|(kind, ..)| *kind == self).map_or("Unknown", |(_, _, name)| *name)
    }

    /// The type with this name, in any case: also the short forms that field definitions allow.
    pub fn of_name(name: &str) -> Option<Type> {
        let full = TYPES.iter().find(|(_, _, known)| known.eq_ignore_ascii_case(name)).map(|(kind, ..)| *kind);
        full.or_else(|| {
            Some(match name.to_ascii_lowercase().as_str() {
                "char" | "c" => Type::Character,
                "cichar" => Type::CiCharacter,
                "n" => Type::Numeric,
                "d" => Type::Date,
                "l" => Type::Logical,
                "m" => Type::Memo,
                "int" => Type::Integer,
                "short" | "shortint" => Type::ShortInt,
                "autoinc" => Type::AutoIncrement,
                "i" => Type::Integer,
                "t" => Type::TimeStamp,
                "longlong" | "int64" => Type::LongInt,
                "currency" => Type::CurDouble,
                "datetime" => Type::TimeStamp,
                "blob" => Type::Binary,
                "longint" => Type::LongInt,
                _ => return None,
            })
        })
    }

    /// The bytes in a record, where the type decides them.
    pub fn fixed_length(self) -> Option<usize> {
        Some(match self {
            Type::Logical => 1,
            Type::ShortInt => 2,
            Type::Date | Type::Integer | Type::Time | Type::AutoIncrement => 4,
            Type::Double
            | Type::TimeStamp
            | Type::CurDouble
            | Type::Money
            | Type::LongInt
            | Type::RowVersion
            | Type::ModTime => 8,
            Type::Memo | Type::Binary | Type::Image | Type::NMemo => 9,
            Type::Guid => 16,
            _ => return None,
        })
    }

    /// Tells whether the bytes of a field are NULL.
    pub fn is_null(self, cell: &[u8]) -> bool {
        let all = |byte| cell.iter().all(|&other| other == byte);
        match self {
            Type::Logical => matches!(cell.first(), Some(b' ' | 0)),
            Type::Numeric | Type::Date | Type::Memo | Type::Binary | Type::Image | Type::NMemo => all(0) || all(b' '),
            Type::Character | Type::CiCharacter | Type::Raw | Type::NChar | Type::Guid => all(0),
            Type::Double | Type::CurDouble => cell == NULL_DOUBLE || all(b' '),
            Type::Time => cell == [0xFF; 4] || all(b' '),
            Type::TimeStamp | Type::ModTime => cell.first_chunk() == Some(&[0; 4]) || all(b' '),
            Type::Integer | Type::ShortInt | Type::Money | Type::LongInt => is_lowest(cell),
            Type::VarChar | Type::VarBinary | Type::NVarChar => cell.last_chunk() == Some(&NULL_LENGTH),
            Type::AutoIncrement | Type::RowVersion | Type::Other(_) => false,
        }
    }

    /// Makes the bytes of a field NULL; those of the types that are never NULL become 0.
    pub fn set_null(self, cell: &mut [u8]) {
        cell.fill(0);
        match self {
            Type::Logical => cell.fill(b' '),
            Type::Double | Type::CurDouble => put(cell, 0, &NULL_DOUBLE),
            Type::Time => cell.fill(0xFF),
            Type::TimeStamp | Type::ModTime => put(cell, 4, &[0xFF; 4]),
            Type::Integer | Type::ShortInt | Type::Money | Type::LongInt => {
                cell.last_mut().into_iter().for_each(|last| *last = 0x80);
            }
            Type::VarChar | Type::VarBinary | Type::NVarChar => put(cell, cell.len().saturating_sub(2), &NULL_LENGTH),
            _ => {}
        }
    }

    /// Tells whether the values are in the memo file.
    pub fn is_reference(self) -> bool {
        matches!(self, Type::Memo | Type::Binary | Type::Image | Type::NMemo)
    }

    /// Tells whether a field of this type can be NULL.
    pub fn can_be_null(self) -> bool {
        !matches!(self, Type::AutoIncrement | Type::RowVersion | Type::ModTime | Type::Other(_))
    }
}

/// The lowest number of this width, little-endian.
fn is_lowest(cell: &[u8]) -> bool {
    cell.split_last().is_some_and(|(last, rest)| *last == 0x80 && rest.iter().all(|&byte| byte == 0))
}

fn put(cell: &mut [u8], at: usize, bytes: &[u8]) {
    cell.iter_mut().skip(at).zip(bytes).for_each(|(to, from)| *to = *from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_null_is_null_and_a_zero_is_not() {
        for (kind, ..) in TYPES.iter().filter(|(kind, ..)| kind.can_be_null()) {
            let mut cell = vec![b'1'; kind.fixed_length().unwrap_or(12)];
            assert!(!kind.is_null(&cell), "{kind:?}");
            kind.set_null(&mut cell);
            assert!(kind.is_null(&cell), "{kind:?}");
        }
        for kind in [Type::Integer, Type::ShortInt, Type::Money, Type::Double, Type::Time] {
            assert!(!kind.is_null(&vec![0; kind.fixed_length().unwrap()]), "{kind:?}");
        }
        assert!(!Type::Character.is_null(b"    ") && Type::Character.is_null(&[0; 4]));
    }

    #[test]
    fn codes_and_names_lead_back() {
        for (kind, code, name) in TYPES {
            assert_eq!((Type::of_code(code), Type::of_name(&name.to_uppercase())), (kind, Some(kind)));
            assert_eq!(kind.code(), code);
        }
        assert_eq!(Type::of_code(8).code(), 8);
    }
}
