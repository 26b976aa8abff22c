//! The header of the DBF files that suites make: dBASE III, no memo.
//!
//! ```text
//!   header  32 bytes   03 YY MM DD  count:u32  header length:u16  record length:u16 ... 28: 1 when there is a CDX
//!   fields  32 each    name in capitals, 11: type, 16: length, 17: decimals
//!   end     0D 00      Harbour's terminator is two bytes long
//! ```
//! A record is a blank, which says that it is not deleted, and the fields without anything between them. The file ends with
//! [`END`]. Limits: the widths of the format are not checked, for the fields are constants of this program.

use mainstay_types::Date;

/// The byte behind the last record.
pub(crate) const END: u8 = 0x1A;

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    /// ASCII, ten characters at most.
    pub name: &'a str,
    /// The letter of its type.
    pub kind: u8,
    /// Bytes in a record.
    pub length: usize,
    /// Digits behind the point.
    pub decimals: usize,
}

/// The header of a file with this date of the last update and so many rows.
pub(crate) fn header(date: Date, rows: usize, fields: &[Field<'_>], has_cdx: bool) -> Vec<u8> {
    let (year, month, day) = date.ymd();
    let length = 32 * (fields.len() + 1) + 2;
    let record = 1 + fields.iter().map(|field| field.length).sum::<usize>();
    let mut bytes = vec![0u8; 32];
    bytes[..4].copy_from_slice(&[0x03, (year - 1900) as u8, month as u8, day as u8]);
    bytes[4..8].copy_from_slice(&(rows as u32).to_le_bytes());
    bytes[8..10].copy_from_slice(&(length as u16).to_le_bytes());
    bytes[10..12].copy_from_slice(&(record as u16).to_le_bytes());
    bytes[28] = u8::from(has_cdx);
    for field in fields {
        let mut described = [0u8; 32];
        described[..field.name.len()].copy_from_slice(field.name.to_ascii_uppercase().as_bytes());
        (described[11], described[16], described[17]) = (field.kind, field.length as u8, field.decimals as u8);
        bytes.extend(described);
    }
    bytes.extend([0x0D, 0x00]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_its_lengths_and_fields() {
        let fields = [
            Field { name: "o_key", kind: b'N', length: 10, decimals: 0 },
            Field { name: "o_price", kind: b'N', length: 12, decimals: 2 },
        ];
        let header = header("2026-11-28".parse().unwrap(), 100, &fields, true);
        assert_eq!(header[..12], [3, 126, 11, 28, 100, 0, 0, 0, 98, 0, 23, 0]);
        assert_eq!((header.len(), header[28], &header[96..]), (98, 1, &[0x0D, 0][..]));
        assert_eq!((&header[64..72], header[75], header[80], header[81]), (&b"O_PRICE\0"[..], b'N', 12, 2));
    }
}
