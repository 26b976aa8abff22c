//! Calls of procedures, by name or by number, with parameters of every type. (MS-TDS 2.2.6.6.)
//!
//! ```text
//!   headers, then calls:   FFFF number | length name      options     parameters      80 (7.1) or FF between calls
//!   parameter:             name, flags, type, value
//! ```
//!
//! The numbers stand for the procedures that drivers use all the time; they are translated to names here, so that the
//! layers above need not know them.

use crate::batch::Headers;
use crate::collation::Collation;
use crate::data_type::DataType;
use crate::error::{Wire, WireError};
use crate::reader::Reader;
use crate::table_value::{self, TableValue};
use crate::type_info::{Prefix, TypeInfo, token};
use crate::value_read::{Place, read_value, read_variant};
use crate::variant;
use crate::version::Version;
use mainstay_types::Value;

/// The procedures that have a number, from 1 on.
pub const NUMBERED: [&str; 15] = [
    "sp_cursor",
    "sp_cursoropen",
    "sp_cursorprepare",
    "sp_cursorexecute",
    "sp_cursorprepexec",
    "sp_cursorunprepare",
    "sp_cursorfetch",
    "sp_cursoroption",
    "sp_cursorclose",
    "sp_executesql",
    "sp_prepare",
    "sp_execute",
    "sp_prepexec",
    "sp_prepexecrpc",
    "sp_unprepare",
];

/// A procedure takes no more parameters than this.
pub const MOST_PARAMETERS: usize = 2100;
/// Calls in one request; drivers send hundreds at most.
const MOST_CALLS: usize = 16_384;

/// A call of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The procedure's name as the client wrote it, with its schema and brackets if it has them.
    pub procedure: String,
    /// True if its plan is to be made anew.
    pub recompile: bool,
    /// True if the client knows the columns, and does without their description. (Answers describe them all the same.)
    pub no_metadata: bool,
    /// The parameters.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name with the `@`; empty for one that is known by its place.
    pub name: String,
    /// True if the client wants its value back.
    pub output: bool,
    /// True if the procedure's own default is to be used, and not the value.
    pub default: bool,
    /// Its type.
    pub data_type: DataType,
    /// The collation of a text.
    pub collation: Collation,
    /// Its value.
    pub value: ParameterValue,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// A single one.
    Single(Value),
    /// One of SQL_VARIANT, which says its type itself, and that type.
    Variant(DataType, Value),
    /// A table.
    Table(TableValue),
}

impl Call {
    /// Reads the calls of a request.
    pub fn decode(message: &[u8], version: Version) -> Wire<(Headers, Vec<Call>)> {
        let mut reader = Reader::new(message);
        let headers = Headers::read(&mut reader, version)?;
        let mut calls = Vec::new();
        loop {
            calls.push(read_call(&mut reader, version)?);
            if reader.is_at_end() {
                return Ok((headers, calls));
            }
            // The mark between two calls; FE asks that the first not be carried out, which no driver does.
            let _mark = reader.u8()?;
            if reader.is_at_end() {
                return Ok((headers, calls));
            }
            if calls.len() == MOST_CALLS {
                return Err(WireError::Malformed("more calls than a request may have"));
            }
        }
    }
}

fn is_mark(byte: u8, version: Version) -> bool {
    match version >= Version::V7_2 {
        true => byte >= 0xFE,
        false => byte == 0x80,
    }
}

fn read_call(reader: &mut Reader<'_>, version: Version) -> Wire<Call> {
    let procedure = match reader.u16()? {
        0xFFFF => {
            let number = usize::from(reader.u16()?);
            let name = number.checked_sub(1).and_then(|index| NUMBERED.get(index));
            name.ok_or_else(|| WireError::Unsupported(format!("procedure number {number}")))?.to_string()
        }
        units if units > 1046 => return Err(WireError::TooLong("the name of a procedure", 2 * 1046)),
        units => reader.utf16(usize::from(units))?,
    };
    let options = reader.u16()?;
    let mut call =
        Call { procedure, recompile: options & 1 != 0, no_metadata: options & 2 != 0, parameters: Vec::new() };
    while let Some(next) = reader.peek() {
        if is_mark(next, version) {
            break;
        }
        if call.parameters.len() == MOST_PARAMETERS {
            return Err(WireError::TooManyParameters);
        }
        call.parameters.push(read_parameter(reader, version)?);
    }
    Ok(call)
}

fn read_parameter(reader: &mut Reader<'_>, version: Version) -> Wire<Parameter> {
    let name = reader.short_text()?;
    let flags = reader.u8()?;
    if flags & 0x08 != 0 {
        return Err(WireError::Unsupported("an encrypted parameter".into()));
    }
    let mut parameter = Parameter {
        name,
        output: flags & 1 != 0,
        default: flags & 2 != 0,
        data_type: DataType::Int,
        collation: Collation::DEFAULT,
        value: ParameterValue::Single(Value::Null),
    };
    if reader.peek() == Some(token::TABLE) && version >= Version::V7_3A {
        reader.u8()?;
        parameter.value = ParameterValue::Table(table_value::read(reader, version)?);
        return Ok(parameter);
    }
    let info = TypeInfo::read(reader, false)?;
    (parameter.data_type, parameter.collation) = (info.data_type(), info.collation);
    parameter.value = if info.prefix() == Prefix::Variant {
        let (data_type, value) = read_variant(reader)?;
        ParameterValue::Variant(data_type, variant::encode(data_type, value.as_ref()))
    } else {
        ParameterValue::Single(read_value(reader, &info, Place::Parameter)?)
    };
    Ok(parameter)
}
