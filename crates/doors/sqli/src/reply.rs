//! Messages of the server.

use crate::codes::{SimpleLob, tag};
use crate::describe::{Description, TypeDescription, read_parameters, write_parameters};
use crate::error::WireError;
use crate::fast_path::{self, RoutineValue};
use crate::protocol::{Context, Mask};
use crate::reader::{Decoded, Read, Reader, decoded};
use crate::routine::{self, RoutineParameter, RoutineTypes};
use crate::writer::Put;

/// An error of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// SQLCODE, negative.
    pub code: i16,
    /// The number of the ISAM error behind it, or 0.
    pub isam: i16,
    /// Where in the statement it is, counted from 1; 0 where it has no place.
    pub offset: u32,
    /// The name that the client's message names.
    pub subject: String,
}

/// A message of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the message in the module's source")]
pub enum Reply {
    /// The protocol bits that the server knows.
    Protocols(Mask),
    /// The kind of a statement and its columns.
    Described(Description),
    /// The types of its parameters.
    Parameters(Vec<TypeDescription>),
    /// The serial numbers of an INSERT.
    InsertDone { serial8: i64, bigserial: i64 },
    /// The columns of the generated keys of an INSERT, in the form of its own description.
    KeysDescribed(Description),
    /// The generated keys of a row, before its DONE.
    KeyRow { warnings: u16, bytes: Vec<u8> },
    /// A row.
    Row { warnings: u16, bytes: Vec<u8> },
    /// The number of the row that follows, counted from 1.
    RowNumber(u32),
    /// Bytes of a BYTE or TEXT value; none end it.
    Lob(Vec<u8>),
    /// The number of a routine of the fast path.
    RoutineNumber { database: String, number: u32 },
    /// The types and modes of a routine's parameters.
    RoutineParameters(Vec<RoutineParameter>),
    /// The types of a routine that was called, before its values.
    RoutineTypes(RoutineTypes),
    /// The values that such a routine gives.
    RoutineValues(Vec<RoutineValue>),
    /// Bytes of a smart large object.
    SmartLob(Vec<u8>),
    /// How many bytes of a smart large object were written.
    SmartLobWritten(u32),
    /// The end of a statement: warnings, rows that it changed, the last row, the last SERIAL value.
    Done { warnings: u16, rows: u64, row_id: u64, serial: i32 },
    /// Estimated rows and cost.
    Cost { rows: u32, cost: u32 },
    /// The state of the transaction changed.
    Transaction { event: u16, new: u16, old: u16 },
    /// An error.
    Failed(Failure),
    /// The names of all databases.
    Databases(Vec<String>),
    /// The end of the answers to a group.
    EndOfGroup,
    /// The server has ended the connection.
    Exit,
}

impl Reply {
    /// Appends the message.
    pub fn encode(&self, out: &mut Vec<u8>, context: &Context) {
        let (features, codeset) = (context.features, context.codeset);
        match self {
            Reply::Protocols(mask) => {
                out.put_u16(tag::PROTOCOLS);
                out.put_counted(mask.bytes());
            }
            Reply::Described(description) => {
                out.put_u16(tag::DESCRIBE);
                description.write(out, context);
            }
            Reply::Parameters(types) => {
                out.put_u16(tag::IDESCRIBE);
                write_parameters(types, out, context);
            }
            Reply::InsertDone { serial8, bigserial } => {
                out.put_u16(tag::INSERTDONE);
                let magnitude = serial8.unsigned_abs();
                out.put_i16(serial8.signum() as i16);
                out.put_u32(magnitude as u32);
                out.put_u32((magnitude >> 32) as u32);
                out.put_i64(*bigserial);
            }
            Reply::KeysDescribed(description) => {
                out.put_u16(tag::KEYDESCRIBE);
                description.write(out, context);
            }
            Reply::KeyRow { warnings, bytes } => put_row(tag::KEYTUPLE, *warnings, bytes, out),
            Reply::Row { warnings, bytes } => Reply::encode_row(*warnings, bytes, out),
            Reply::RowNumber(number) => {
                out.put_u16(tag::TUPID);
                out.put_u32(*number);
            }
            Reply::Lob(bytes) => {
                out.put_u16(tag::BLOB);
                out.put_counted(bytes);
            }
            Reply::RoutineNumber { database, number } => {
                out.put_u16(tag::GETROUTINE);
                out.put_text(database, codeset);
                out.put_u32(*number);
            }
            Reply::RoutineParameters(parameters) => {
                out.put_u16(tag::IFPDESCRIBE);
                routine::write_parameters(parameters, out, context);
            }
            Reply::RoutineTypes(types) => {
                out.put_u16(tag::FPARAM);
                types.write(out);
            }
            Reply::RoutineValues(values) => {
                out.put_u16(tag::FPROUTINE);
                out.put_length(values.len(), false);
                values.iter().for_each(|value| value.write(out, codeset));
            }
            Reply::SmartLob(bytes) => fast_path::write_read(bytes, out),
            Reply::SmartLobWritten(bytes) => fast_path::write_written(*bytes, out),
            Reply::Done { warnings, rows, row_id, serial } => {
                out.put_u16(tag::DONE);
                out.put_u16(*warnings);
                put_count(*rows, features.wide_counts, out);
                put_count(*row_id, features.wide_counts, out);
                out.put_i32(*serial);
            }
            Reply::Cost { rows, cost } => {
                out.put_u16(tag::COST);
                out.put_u32(*rows);
                out.put_u32(*cost);
            }
            Reply::Transaction { event, new, old } => {
                out.put_u16(tag::XACTSTAT);
                [event, new, old].into_iter().for_each(|part| out.put_u16(*part));
            }
            Reply::Failed(failure) => {
                out.put_u16(tag::ERR);
                out.put_i16(failure.code);
                out.put_i16(failure.isam);
                out.put_length(failure.offset as usize, features.wide_text);
                out.put_text(&failure.subject, codeset);
            }
            Reply::Databases(names) => {
                out.put_u16(tag::DBLIST);
                names.iter().filter(|name| !name.is_empty()).for_each(|name| out.put_text(name, codeset));
                out.put_u16(0);
            }
            Reply::EndOfGroup => out.put_u16(tag::EOT),
            Reply::Exit => out.put_u16(tag::EXIT),
        }
    }

    /// Appends a row, for a caller that has its bytes in a buffer of its own.
    pub fn encode_row(warnings: u16, bytes: &[u8], out: &mut Vec<u8>) {
        put_row(tag::TUPLE, warnings, bytes, out);
    }

    /// Appends the head of a row without warnings, for a caller that appends its values next and then calls
    /// [`Reply::end_row`] with the start that this returns.
    pub fn begin_row(out: &mut Vec<u8>) -> usize {
        let start = out.len();
        out.put_u16(tag::TUPLE);
        out.put_u16(0);
        out.put_u32(0);
        start
    }

    /// Completes the row that was begun at `start`, and returns how many bytes its values have.
    pub fn end_row(start: usize, out: &mut Vec<u8>) -> usize {
        let size = out.len().saturating_sub(start + ROW_HEAD);
        let length = u32::try_from(size).unwrap_or(u32::MAX);
        if let Some(place) = out.get_mut(start + 4..start + ROW_HEAD) {
            place.copy_from_slice(&length.to_be_bytes());
        }
        out.put_pad(size);
        size
    }

    /// The message at the start of bytes.
    ///
    /// Errors: `UnknownTag`, `Malformed`; `TooLong` where more than `limit` bytes would be needed.
    pub fn decode(bytes: &[u8], context: &Context, limit: usize) -> Result<Decoded<Reply>, WireError> {
        let mut reader = Reader::new(bytes);
        let read = Reply::read(&mut reader, context);
        match decoded(&reader, read)? {
            Decoded::Incomplete if bytes.len() > limit => Err(WireError::TooLong(limit)),
            decoded => Ok(decoded),
        }
    }

    fn read(reader: &mut Reader<'_>, context: &Context) -> Read<Reply> {
        let (features, codeset) = (context.features, context.codeset);
        Ok(match reader.u16()? {
            tag::PROTOCOLS => Reply::Protocols(Mask::new(reader.counted()?)),
            tag::DESCRIBE => Reply::Described(Description::read(reader, context)?),
            tag::IDESCRIBE => Reply::Parameters(read_parameters(reader, context)?),
            tag::INSERTDONE => {
                let (sign, low, high) = (reader.i16()?, reader.u32()?, reader.u32()?);
                let magnitude = (i64::from(high & 0x7FFF_FFFF) << 32) | i64::from(low);
                Reply::InsertDone { serial8: magnitude * i64::from(sign.signum()), bigserial: reader.i64()? }
            }
            tag::KEYDESCRIBE => Reply::KeysDescribed(Description::read(reader, context)?),
            tag::KEYTUPLE => {
                let (warnings, bytes) = read_row(reader)?;
                Reply::KeyRow { warnings, bytes }
            }
            tag::TUPLE => {
                let (warnings, bytes) = read_row(reader)?;
                Reply::Row { warnings, bytes }
            }
            tag::TUPID => Reply::RowNumber(reader.u32()?),
            tag::BLOB => Reply::Lob(reader.counted()?.to_vec()),
            tag::GETROUTINE => Reply::RoutineNumber { database: reader.text(codeset)?, number: reader.u32()? },
            tag::IFPDESCRIBE => Reply::RoutineParameters(routine::read_parameters(reader, context)?),
            tag::FPARAM => Reply::RoutineTypes(RoutineTypes::read(reader)?),
            tag::FPROUTINE => {
                let mut values = Vec::new();
                for _ in 0..reader.u16()? {
                    values.push(RoutineValue::read(reader, codeset)?);
                }
                Reply::RoutineValues(values)
            }
            tag::LODATA => match fast_path::read_reply(reader)? {
                Ok(bytes) => Reply::SmartLob(bytes),
                Err(written) => Reply::SmartLobWritten(written),
            },
            tag::DONE => Reply::Done {
                warnings: reader.u16()?,
                rows: read_count(reader, features.wide_counts)?,
                row_id: read_count(reader, features.wide_counts)?,
                serial: reader.i32()?,
            },
            tag::COST => Reply::Cost { rows: reader.u32()?, cost: reader.u32()? },
            tag::XACTSTAT => Reply::Transaction { event: reader.u16()?, new: reader.u16()?, old: reader.u16()? },
            tag::ERR => Reply::Failed(Failure {
                code: reader.i16()?,
                isam: reader.i16()?,
                offset: u32::try_from(reader.length(features.wide_text)?).unwrap_or(0),
                subject: reader.text(codeset)?,
            }),
            tag::DBLIST => {
                let mut names = Vec::new();
                loop {
                    let name = reader.text(codeset)?;
                    if name.is_empty() {
                        break Reply::Databases(names);
                    }
                    names.push(name);
                }
            }
            tag::EOT => Reply::EndOfGroup,
            tag::EXIT => Reply::Exit,
            unknown => return Err(WireError::UnknownTag(unknown).into()),
        })
    }
}

/// Bytes of a row before its values: tag, warnings, length.
const ROW_HEAD: usize = 8;

fn put_row(tag: u16, warnings: u16, bytes: &[u8], out: &mut Vec<u8>) {
    out.put_u16(tag);
    out.put_u16(warnings);
    out.put_length(bytes.len(), true);
    out.extend_from_slice(bytes);
    out.put_pad(bytes.len());
}

fn read_row(reader: &mut Reader<'_>) -> Read<(u16, Vec<u8>)> {
    let warnings = reader.u16()?;
    let size = reader.length(true)?;
    let bytes = reader.take(size)?.to_vec();
    reader.pad(size)?;
    Ok((warnings, bytes))
}

fn put_count(count: u64, is_wide: bool, out: &mut Vec<u8>) {
    match is_wide {
        true => out.put_i64(i64::try_from(count).unwrap_or(i64::MAX)),
        false => out.put_i32(i32::try_from(count).unwrap_or(i32::MAX)),
    }
}

fn read_count(reader: &mut Reader<'_>, is_wide: bool) -> Read<u64> {
    Ok(match is_wide {
        true => reader.i64()?.cast_unsigned(),
        false => reader.u32()?.into(),
    })
}

/// The size of a descriptor is part of the protocol: rows count it.
const _: () = assert!(SimpleLob::BYTES == 56);
