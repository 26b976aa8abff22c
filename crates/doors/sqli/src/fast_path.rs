//! The fast path: routines that a client calls by number, and bytes of smart large objects.
//!
//! ```text
//!   GETROUTINE  "function informix.ifx_lo_open(blob ,integer)"    ->  GETROUTINE  [ch database][i number]
//!   EXFPROUTINE [ch database][i number][h arguments][h 0], BIND   ->  FPROUTINE   [h values] values
//!   LODATA      [h 0 or 1][h descriptor][i bytes][h piece]        ->  LODATA      [h 0 or 1][i bytes] pieces
//!   LODATA      [h 2][h descriptor][i bytes][h piece] pieces      ->  LODATA      [h 2][i bytes]
//! ```
//!
//! A piece is `[h length][bytes][pad]`. Bytes that are read end with the piece that completes them; no bytes are one empty
//! piece. Seen with IBM's JDBC drivers 4.10.8.1, 4.50 and 15.0.1.0.

use crate::codes::{TypeCode, tag};
use crate::codeset::Codeset;
use crate::error::WireError;
use crate::reader::{Read, Reader};
use crate::writer::Put;

/// The longest piece of bytes.
const PIECE: usize = 32_000;
/// The operation of LODATA that writes.
const WRITE: u16 = 2;

/// A part of a smart large object that a client reads or writes at the position of its descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobAccess {
    /// Reads at most so many bytes.
    Read {
        /// The descriptor, as the routine that opened it gave it.
        descriptor: u16,
        /// Bytes.
        bytes: u32,
    },
    /// Writes bytes.
    Write {
        /// The descriptor.
        descriptor: u16,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

impl LobAccess {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Read<LobAccess> {
        let (operation, descriptor, bytes) = (reader.u16()?, reader.u16()?, reader.u32()?);
        reader.u16()?;
        match operation {
            0 | 1 => Ok(LobAccess::Read { descriptor, bytes }),
            WRITE => Ok(LobAccess::Write { descriptor, bytes: read_pieces(reader, bytes as usize)? }),
            _ => Err(WireError::Malformed("the operation of LODATA").into()),
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            LobAccess::Read { descriptor, bytes } => {
                out.put_u16(0);
                out.put_u16(*descriptor);
                out.put_u32(*bytes);
                out.put_length(PIECE, false);
            }
            LobAccess::Write { descriptor, bytes } => {
                out.put_u16(WRITE);
                out.put_u16(*descriptor);
                out.put_length(bytes.len(), true);
                out.put_length(PIECE, false);
                bytes.chunks(PIECE).for_each(|piece| out.put_counted(piece));
            }
        }
    }
}

/// Pieces of so many bytes in all. They are collected when all are there.
fn read_pieces(reader: &mut Reader<'_>, bytes: usize) -> Read<Vec<u8>> {
    let (mut pieces, mut read) = (Vec::new(), 0);
    while read < bytes {
        let piece = reader.counted()?;
        if piece.is_empty() || piece.len() > bytes - read {
            return Err(WireError::Malformed("the pieces of a smart large object").into());
        }
        read += piece.len();
        pieces.push(piece);
    }
    Ok(pieces.concat())
}

/// Appends the bytes that a client reads.
pub(crate) fn write_read(bytes: &[u8], out: &mut Vec<u8>) {
    out.put_u16(tag::LODATA);
    out.put_u16(0);
    out.put_length(bytes.len(), true);
    match bytes.is_empty() {
        true => out.put_u16(0),
        false => bytes.chunks(PIECE).for_each(|piece| out.put_counted(piece)),
    }
}

/// Appends how many bytes were written.
pub(crate) fn write_written(bytes: u32, out: &mut Vec<u8>) {
    out.put_u16(tag::LODATA);
    out.put_u16(WRITE);
    out.put_u32(bytes);
}

/// Bytes that were read, or how many were written.
pub(crate) fn read_reply(reader: &mut Reader<'_>) -> Read<Result<Vec<u8>, u32>> {
    let (operation, bytes) = (reader.u16()?, reader.u32()?);
    match (operation, bytes) {
        (WRITE, bytes) => Ok(Err(bytes)),
        (_, 0) => reader.u16().map(|_| Ok(Vec::new())),
        (_, bytes) => read_pieces(reader, bytes as usize).map(Ok),
    }
}

/// A value that a routine of the fast path gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutineValue {
    /// An INTEGER.
    Integer(i32),
    /// An INT8.
    Int8(i64),
    /// A value of an opaque type of this name.
    Opaque(String, Vec<u8>),
    /// A value in the form of a parameter, see [`crate::routine_value`].
    Encoded(Vec<u8>),
}

impl RoutineValue {
    pub(crate) fn write(&self, out: &mut Vec<u8>, codeset: Codeset) {
        match self {
            RoutineValue::Integer(number) => {
                out.put_u16(TypeCode::INTEGER.0);
                out.put_u16(0);
                out.put_u16(0x0A00);
                out.put_i32(*number);
            }
            RoutineValue::Int8(number) => {
                out.put_u16(TypeCode::INT8.0);
                out.put_u16(0);
                out.put_u16(0x1300);
                let magnitude = number.unsigned_abs();
                out.put_i16(if *number < 0 { -1 } else { 1 });
                out.put_u32(magnitude as u32);
                out.put_u32((magnitude >> 32) as u32);
            }
            RoutineValue::Encoded(bytes) => out.extend_from_slice(bytes),
            RoutineValue::Opaque(name, bytes) => {
                out.put_u16(TypeCode::OPAQUE.0);
                out.put_text("informix", codeset);
                out.put_text(name, codeset);
                out.put_u16(0);
                out.put_u16(0);
                out.put_length(bytes.len(), true);
                out.extend_from_slice(bytes);
                out.put_pad(bytes.len());
            }
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>, codeset: Codeset) -> Read<RoutineValue> {
        let code = TypeCode(reader.u16()?);
        let name = match code.is_named() {
            true => {
                reader.text(codeset)?;
                reader.text(codeset)?
            }
            false => String::new(),
        };
        reader.u16()?;
        reader.u16()?;
        match code {
            TypeCode::INTEGER => Ok(RoutineValue::Integer(reader.i32()?)),
            TypeCode::INT8 => {
                let (sign, low, high) = (reader.i16()?, reader.u32()?, reader.u32()?);
                let magnitude = (i64::from(high & 0x7FFF_FFFF) << 32) | i64::from(low);
                Ok(RoutineValue::Int8(if sign < 0 { -magnitude } else { magnitude }))
            }
            code if code.is_named() => {
                let length = reader.u32()? as usize;
                let bytes = reader.take(length)?.to_vec();
                reader.pad(length)?;
                Ok(RoutineValue::Opaque(name, bytes))
            }
            _ => Err(WireError::Malformed("the type of a routine's value").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_in_pieces() {
        let bytes: Vec<u8> = (0..70_001_u32).map(|number| number as u8).collect();
        let access = LobAccess::Write { descriptor: 7, bytes: bytes.clone() };
        let mut out = Vec::new();
        access.write(&mut out);
        assert_eq!(out[..10], [0, 2, 0, 7, 0, 1, 0x11, 0x71, 0x7D, 0]);
        assert_eq!(LobAccess::read(&mut Reader::new(&out)).unwrap(), access);
        for cut in [3, 12, 40_000, out.len() - 1] {
            let read = LobAccess::read(&mut Reader::new(&out[..cut]));
            assert!(matches!(read, Err(crate::reader::Stop::Incomplete)), "{cut}");
        }
        for bytes in [&bytes[..], &[]] {
            let mut out = Vec::new();
            write_read(bytes, &mut out);
            assert_eq!(read_reply(&mut Reader::new(&out[2..])).unwrap(), Ok(bytes.to_vec()));
        }
    }

    #[test]
    fn values_of_routines_come_back() {
        let opaque = RoutineValue::Opaque("blob".to_owned(), vec![1, 2, 3]);
        for value in [RoutineValue::Integer(-7), RoutineValue::Int8(1 << 40), RoutineValue::Int8(-1), opaque] {
            let mut out = Vec::new();
            value.write(&mut out, Codeset::Latin1);
            assert_eq!(RoutineValue::read(&mut Reader::new(&out), Codeset::Latin1).unwrap(), value);
        }
    }
}
