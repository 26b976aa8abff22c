//! The client's side of the protocol: requests written, answers read.
//!
//! It reads the tokens that [`Answer`](crate::Answer) writes, and those of SQL Server that clients may skip, and checks
//! their form. [`TokenStream`] reads an answer while it arrives, [`tokens`] one that is there as a whole. The crate
//! `tds-client` keeps the state of a connection.

use crate::batch::Headers;
use crate::column::{Column, TableName, read_columns};
use crate::error::{Wire, WireError};
use crate::login::Feature;
use crate::packet_writer::PacketWriter;
use crate::reader::{Reader, utf16_text};
use crate::rpc::{Call, NUMBERED, Parameter, ParameterValue};
use crate::table_value::TableValue;
use crate::type_info::{TypeInfo, token};
use crate::value_read::{Place, read_value};
use crate::value_write::CellWriter;
use crate::version::Version;
use mainstay_types::Value;

pub use crate::data_type::{DataType, Length};
pub use crate::token_stream::TokenStream;
pub use mainstay_session::push::Message;

/// The value in one of SQL_VARIANT, and its type.
pub fn variant_value(value: &Value) -> (DataType, Value) {
    crate::variant::decode(value.as_ref())
}

/// A token of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// LOGINACK.
    LoginAck {
        /// 1 is T-SQL.
        interface: u8,
        /// The version that is spoken.
        version: [u8; 4],
        /// The server's program.
        program: String,
        /// Its version.
        program_version: [u8; 4],
    },
    /// FEATUREEXTACK.
    FeatureAck(Vec<Feature>),
    /// ENVCHANGE: its number, the new and the old value (UTF-16 for texts).
    Change(u8, Vec<u8>, Vec<u8>),
    /// INFO or ERROR.
    Message(Message),
    /// COLMETADATA.
    Columns(Vec<Column>),
    /// ORDER.
    Order(Vec<u16>),
    /// ROW or NBCROW.
    Row(Vec<Value>),
    /// RETURNSTATUS.
    ReturnStatus(i32),
    /// RETURNVALUE: ordinal, name, value.
    ReturnValue(u16, String, DataType, Value),
    /// TABNAME or COLINFO, which say where columns come from and are not decoded.
    Sources,
    /// DONE (FD), DONEPROC (FE) and DONEINPROC (FF): token, status, command, count.
    Done(u8, u16, u16, u64),
}

impl Token {
    /// The number and text of a change of texts: `(1, "shop")`.
    pub fn change(&self) -> Option<(u8, String)> {
        match self {
            Token::Change(kind, new, _) => Some((*kind, utf16_text(new))),
            _ => None,
        }
    }
}

/// Reads the tokens of an answer.
pub fn tokens(message: &[u8], version: Version) -> Wire<Vec<Token>> {
    let mut reader = Reader::new(message);
    let (mut tokens, mut infos) = (Vec::new(), Vec::new());
    while !reader.is_at_end() {
        tokens.push(read_token(&mut reader, version, &mut infos)?);
    }
    Ok(tokens)
}

pub(crate) fn read_token(reader: &mut Reader<'_>, version: Version, infos: &mut Vec<TypeInfo>) -> Wire<Token> {
    Ok(match reader.u8()? {
        0x81 => {
            let (columns, types) = read_columns(reader, version, TableName::Parts)?;
            *infos = types;
            Token::Columns(columns)
        }
        0xD1 => {
            Token::Row(infos.iter().map(|info| read_value(reader, info, Place::Row)).collect::<Wire<Vec<Value>>>()?)
        }
        0xD2 => {
            let nulls = reader.bytes(infos.len().div_ceil(8))?;
            let is_null = |i: usize| nulls.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 != 0);
            let cell = |(i, info)| if is_null(i) { Ok(Value::Null) } else { read_value(reader, info, Place::Row) };
            Token::Row(infos.iter().enumerate().map(cell).collect::<Wire<Vec<Value>>>()?)
        }
        0x79 => Token::ReturnStatus(reader.i32()?),
        0xAC => read_return_value(reader, version)?,
        0xAE => read_features(reader)?,
        token @ 0xFD..=0xFF => {
            let (status, command) = (reader.u16()?, reader.u16()?);
            let count = if version >= Version::V7_2 { reader.u64()? } else { u64::from(reader.u32()?) };
            Token::Done(token, status, command, count)
        }
        0xA4 | 0xA5 => {
            let length = reader.u16()?;
            reader.bytes(usize::from(length))?;
            Token::Sources
        }
        token @ (0xA9 | 0xAA | 0xAB | 0xAD | 0xE3) => {
            let length = reader.u16()?;
            let mut inner = Reader::new(reader.bytes(usize::from(length))?);
            let read = read_short_token(&mut inner, token, version)?;
            if !inner.is_at_end() {
                return Err(WireError::Malformed("a token that is longer than what is in it"));
            }
            read
        }
        other => return Err(WireError::Unsupported(format!("token {other:02X}"))),
    })
}

/// A token after its length in two bytes.
fn read_short_token(reader: &mut Reader<'_>, token: u8, version: Version) -> Wire<Token> {
    Ok(match token {
        0xA9 => {
            let mut columns = Vec::new();
            while !reader.is_at_end() {
                columns.push(reader.u16()?);
            }
            Token::Order(columns)
        }
        0xAA | 0xAB => {
            let number = reader.i32()?;
            let (state, severity) = (reader.u8()?, reader.u8()?);
            let (text, _server, procedure) = (reader.long_text()?, reader.short_text()?, reader.short_text()?);
            let line = if version >= Version::V7_2 { reader.u32()? } else { u32::from(reader.u16()?) };
            let procedure = (!procedure.is_empty()).then_some(procedure);
            let message = Message { number, severity, state, text, procedure, line };
            if message.is_error() != (token == 0xAA) {
                return Err(WireError::Malformed("a message of a severity that is not its token's"));
            }
            Token::Message(message)
        }
        0xAD => Token::LoginAck {
            interface: reader.u8()?,
            version: reader.array()?,
            program: reader.short_text()?,
            program_version: reader.array()?,
        },
        _ => {
            let kind = reader.u8()?;
            let unit = if kind <= 6 { 2 } else { 1 };
            let new = usize::from(reader.u8()?) * unit;
            let new = reader.bytes(new)?.to_vec();
            let old = usize::from(reader.u8()?) * unit;
            Token::Change(kind, new, reader.bytes(old)?.to_vec())
        }
    })
}

fn read_features(reader: &mut Reader<'_>) -> Wire<Token> {
    let mut features = Vec::new();
    loop {
        let id = reader.u8()?;
        if id == 0xFF {
            return Ok(Token::FeatureAck(features));
        }
        let length = reader.u32()?;
        features.push(Feature { id, data: reader.bytes(length as usize)?.to_vec() });
    }
}

fn read_return_value(reader: &mut Reader<'_>, version: Version) -> Wire<Token> {
    let (ordinal, name, _status) = (reader.u16()?, reader.short_text()?, reader.u8()?);
    let _user_type = reader.bytes(if version >= Version::V7_2 { 4 } else { 2 })?;
    let _flags = reader.u16()?;
    let info = TypeInfo::read(reader, true)?;
    let value = read_value(reader, &info, Place::Parameter)?;
    Ok(Token::ReturnValue(ordinal, name, info.data_type(), value))
}

/// Writes a request of calls.
pub fn put_calls(calls: &[Call], headers: Headers, version: Version, out: &mut PacketWriter) -> Result<(), String> {
    put_headers(headers, version, out);
    for (i, call) in calls.iter().enumerate() {
        if i > 0 {
            out.put_u8(if version >= Version::V7_2 { 0xFF } else { 0x80 });
        }
        match NUMBERED.iter().position(|name| *name == call.procedure) {
            Some(index) => {
                out.put_u16(0xFFFF);
                out.put_u16(index as u16 + 1);
            }
            None => out.put_long_text(&call.procedure, 1000),
        }
        out.put_u16(u16::from(call.recompile) | u16::from(call.no_metadata) << 1);
        for parameter in &call.parameters {
            put_parameter(parameter, version, out)?;
        }
    }
    Ok(())
}

fn put_headers(headers: Headers, version: Version, out: &mut PacketWriter) {
    let mut bytes = Vec::new();
    headers.write(version, &mut bytes);
    out.put(&bytes);
}

fn put_parameter(parameter: &Parameter, version: Version, out: &mut PacketWriter) -> Result<(), String> {
    out.put_short_text(&parameter.name);
    out.put_u8(u8::from(parameter.output) | u8::from(parameter.default) << 1);
    let column = Column::new(parameter.name.clone(), parameter.data_type).collation(parameter.collation);
    let value = match &parameter.value {
        ParameterValue::Table(table) => return put_table(table, version, out),
        ParameterValue::Single(value) | ParameterValue::Variant(_, value) => value.as_ref(),
    };
    let cell = CellWriter::new(&column, version, Place::Parameter);
    cell.info.write(out);
    cell.write(value, &mut Vec::new(), out).map_err(|error| error.to_string())
}

fn put_table(table: &TableValue, version: Version, out: &mut PacketWriter) -> Result<(), String> {
    out.put(&[token::TABLE, 0]);
    out.put_short_text(&table.schema);
    out.put_short_text(&table.name);
    let mut cells = Vec::new();
    if table.columns.is_empty() {
        out.put_u16(0xFFFF);
    } else {
        out.put_u16(table.columns.len() as u16);
    }
    for (column, defaulted) in table.columns.iter().zip(&table.defaulted) {
        let cell = CellWriter::new(column, version, Place::Row);
        out.put_u32(0);
        out.put_u16(u16::from(column.nullable) | u16::from(*defaulted) << 9);
        cell.info.write(out);
        out.put_short_text(&column.name);
        cells.push(cell);
    }
    out.put_u8(0);
    for row in &table.rows {
        out.put_u8(1);
        for ((cell, value), _) in cells.iter().zip(row).zip(&table.defaulted).filter(|(_, defaulted)| !**defaulted) {
            cell.write(value.as_ref(), &mut Vec::new(), out).map_err(|error| error.to_string())?;
        }
    }
    out.put_u8(0);
    Ok(())
}

/// Writes a bulk load.
pub fn put_bulk(
    columns: &[Column],
    rows: &[Vec<Value>],
    version: Version,
    out: &mut PacketWriter,
) -> Result<(), String> {
    let cells: Vec<_> = columns.iter().map(|column| CellWriter::new(column, version, Place::Row)).collect();
    out.put_u8(0x81);
    out.put_u16(columns.len() as u16);
    for (column, cell) in columns.iter().zip(&cells) {
        column.write(&cell.info, version, out);
    }
    for row in rows {
        out.put_u8(0xD1);
        for (cell, value) in cells.iter().zip(row) {
            cell.write(value.as_ref(), &mut Vec::new(), out).map_err(|error| error.to_string())?;
        }
    }
    out.put(&[0xFD, 0, 0, 0, 0]);
    out.put(if version >= Version::V7_2 { &[0; 8] } else { &[0; 4] });
    Ok(())
}
