//! Routines with OUT and INOUT parameters: a client calls them by number through the fast path.
//!
//! ```text
//!   PREPARE "execute procedure p(?,?)"             ->  ERR -9752, whose subject is "database:number:"
//!   CIFPDESCRIBE [u8 1][ch database][i number], EOT, EOT
//!       ->  IFPDESCRIBE [h count][h 0] count x (type as in IDESCRIBE, [h mode]), one EOT
//!   GETROUTINE [u8 1][i length][database][pad][i number][h 1]   ->  GETROUTINE [ch database][i number]
//!   EXFPROUTINE [ch database][i number][h arguments][h 1], BIND, FPARAM state
//!       ->  FPARAM state and types where state asks for them
//!           FPROUTINE [h values] values: those of the parameters with mode 1, then those returned
//!
//!   state   [INT8 0][i request][u8 types]
//!   types   [i number][INT8 row][i column] [h returns] returns x type, [h count][h 0] count x (type, [h mode])
//!   type    [u8 0][h code][i extended id][i length][h precision][h scale]
//! ```
//!
//! Mode 1 is a parameter that gives a value back, 0 another one; BIND has a value of each. `types` is 1 in the first call of
//! a statement and 0 in the next ones, where a driver takes FPARAM with types for values. A driver sends both EOT of a
//! description without waiting, and reads one. Found with IBM's JDBC drivers 4.10.8.1, 4.50.11, 4.50.13.1 and 15.0.1.0.

use crate::bind::Parameter;
use crate::codes::TypeCode;
use crate::describe::TypeDescription;
use crate::error::WireError;
use crate::fast_path::RoutineValue;
use crate::moment::{Qualifier, encode_datetime, encode_interval};
use crate::protocol::Context;
use crate::reader::{Read, Reader};
use crate::request::Request;
use crate::writer::Put;
use mainstay_types::Value;

/// The kind of a request that names a routine by its number.
const BY_NUMBER: u8 = 1;

/// A parameter of a routine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutineParameter {
    /// Its type.
    pub kind: TypeDescription,
    /// It gives a value back: OUT or INOUT.
    pub is_output: bool,
}

/// The types of a routine that was called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutineTypes {
    /// The number of the routine.
    pub number: u32,
    /// The types of the values that it returns.
    pub returns: Vec<TypeDescription>,
    /// Its parameters.
    pub parameters: Vec<RoutineParameter>,
}

fn put_zero_int8(out: &mut Vec<u8>) {
    out.put_u16(1);
    out.put_i64(0);
}

fn mode(parameter: &RoutineParameter) -> u16 {
    u16::from(parameter.is_output)
}

fn write_type(kind: &TypeDescription, out: &mut Vec<u8>) {
    let (precision, scale) = match kind.code {
        TypeCode::DECIMAL | TypeCode::MONEY => ((kind.length >> 8) as u16, (kind.length & 0xFF) as u16),
        _ => (0, 0),
    };
    out.put_u8(0);
    out.put_u16(kind.code.0);
    out.put_u32(kind.extended_id);
    out.put_u32(kind.length);
    out.put_u16(precision);
    out.put_u16(scale);
}

fn read_type(reader: &mut Reader<'_>) -> Read<TypeDescription> {
    reader.u8()?;
    let (code, extended_id, length) = (TypeCode(reader.u16()?), reader.u32()?, reader.u32()?);
    reader.take(4)?;
    Ok(TypeDescription { extended_id, ..TypeDescription::new(code, length) })
}

/// Appends the body of IFPDESCRIBE.
pub(crate) fn write_parameters(parameters: &[RoutineParameter], out: &mut Vec<u8>, context: &Context) {
    out.put_length(parameters.len(), false);
    out.put_u16(0);
    for parameter in parameters {
        parameter.kind.write(out, context);
        out.put_u16(mode(parameter));
    }
}

/// The body of IFPDESCRIBE.
pub(crate) fn read_parameters(reader: &mut Reader<'_>, context: &Context) -> Read<Vec<RoutineParameter>> {
    let count = reader.u16()?;
    if reader.u16()? != 0 {
        return Err(WireError::Malformed("parameters with names").into());
    }
    let mut parameters = Vec::new();
    for _ in 0..count {
        let kind = TypeDescription::read(reader, context)?;
        parameters.push(RoutineParameter { kind, is_output: reader.u16()? != 0 });
    }
    Ok(parameters)
}

impl RoutineTypes {
    /// Appends the body of the server's FPARAM.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        write_state(true, out);
        out.put_u32(self.number);
        put_zero_int8(out);
        out.put_u32(0);
        out.put_length(self.returns.len(), false);
        self.returns.iter().for_each(|kind| write_type(kind, out));
        out.put_length(self.parameters.len(), false);
        out.put_u16(0);
        for parameter in &self.parameters {
            write_type(&parameter.kind, out);
            out.put_u16(mode(parameter));
        }
    }

    /// The body of the server's FPARAM. Names of types are not part of it.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Read<RoutineTypes> {
        read_state(reader)?;
        let number = reader.u32()?;
        reader.take(10 + 4)?;
        let mut types = RoutineTypes { number, ..RoutineTypes::default() };
        for _ in 0..reader.u16()? {
            types.returns.push(read_type(reader)?);
        }
        let count = reader.u16()?;
        reader.u16()?;
        for _ in 0..count {
            let kind = read_type(reader)?;
            types.parameters.push(RoutineParameter { kind, is_output: reader.u16()? != 0 });
        }
        Ok(types)
    }
}

/// Appends the state of a call: the first and only one.
pub(crate) fn write_state(has_types: bool, out: &mut Vec<u8>) {
    put_zero_int8(out);
    out.put_u32(0);
    out.put_u8(u8::from(has_types));
}

/// Reads the state of a call: true if it has types, or asks for them.
pub(crate) fn read_state(reader: &mut Reader<'_>) -> Read<bool> {
    reader.take(10 + 4)?;
    Ok(reader.u8()? != 0)
}

/// The body of CIFPDESCRIBE.
pub(crate) fn read_describe(reader: &mut Reader<'_>, context: &Context) -> Read<Request> {
    if reader.u8()? != BY_NUMBER {
        return Err(WireError::Malformed("a description of a routine without its number").into());
    }
    Ok(Request::DescribeRoutine { database: reader.text(context.codeset)?, number: reader.u32()? })
}

/// Appends the body of CIFPDESCRIBE.
pub(crate) fn write_describe(database: &str, number: u32, out: &mut Vec<u8>, context: &Context) {
    out.put_u8(BY_NUMBER);
    out.put_text(database, context.codeset);
    out.put_u32(number);
}

/// The body of GETROUTINE: a signature, or a database and a number.
pub(crate) fn read_routine(reader: &mut Reader<'_>, context: &Context) -> Read<Request> {
    let is_by_number = reader.u8()? == BY_NUMBER;
    let length = reader.length(context.features.wide_text)?;
    let text = context.codeset.decode(reader.take(length)?)?;
    reader.pad(length)?;
    let number = if is_by_number { Some(reader.u32()?) } else { None };
    reader.u16()?;
    Ok(match number {
        Some(number) => Request::GetRoutineByNumber { database: text, number },
        None => Request::GetRoutine(text),
    })
}

/// Appends the body of GETROUTINE.
pub(crate) fn write_routine(text: &str, number: Option<u32>, out: &mut Vec<u8>, context: &Context) {
    let mut bytes = Vec::new();
    context.codeset.encode(text, &mut bytes);
    out.put_u8(if number.is_some() { BY_NUMBER } else { 0 });
    out.put_length(bytes.len(), context.features.wide_text);
    out.extend_from_slice(&bytes);
    out.put_pad(bytes.len());
    match number {
        Some(number) => {
            out.put_u32(number);
            out.put_u16(1);
        }
        None => out.put_u16(0),
    }
}

/// The type in which a value of a type is sent.
fn sent_code(kind: &TypeDescription) -> TypeCode {
    match kind.code {
        TypeCode::SERIAL => TypeCode::INTEGER,
        TypeCode::INT8 | TypeCode::SERIAL8 | TypeCode::BIGSERIAL => TypeCode::BIGINT,
        TypeCode::MONEY => TypeCode::DECIMAL,
        TypeCode::SMALLFLOAT => TypeCode::FLOAT,
        TypeCode::OPAQUE if kind.extended_id == 5 => TypeCode::BOOLEAN,
        TypeCode::BYTE => TypeCode::BYTE,
        code if code.has_envelope() => TypeCode::CHAR,
        TypeCode::VARCHAR | TypeCode::NCHAR | TypeCode::NVARCHAR | TypeCode::TEXT => TypeCode::CHAR,
        code => code,
    }
}

/// A value of a type as it stands in FPROUTINE.
///
/// Errors: `Value` for a value that its type cannot hold, and for bytes, which have no form there.
pub fn routine_value(kind: &TypeDescription, value: &Value, context: &Context) -> Result<RoutineValue, WireError> {
    let mut bytes = Vec::new();
    let code = sent_code(kind);
    match (code, value) {
        (TypeCode::DATETIME | TypeCode::INTERVAL, Value::Time(_) | Value::Timestamp(_) | Value::Interval(_)) => {
            let qualifier = Qualifier::of_length(kind.length)?;
            let mut digits = Vec::new();
            match value {
                Value::Interval(interval) => encode_interval(*interval, qualifier, &mut digits)?,
                value => encode_datetime(value.as_ref(), qualifier, &mut digits)?,
            }
            bytes.put_u16(code.0);
            bytes.put_u16(0);
            bytes.put_length(qualifier.length() as usize, false);
            bytes.put_counted(&digits);
        }
        // A number of more than 38 digits is a text.
        (TypeCode::DECIMAL, Value::Text(text)) => Parameter::write_decimal_text(text, &mut bytes)?,
        (TypeCode::CHAR, Value::Text(text)) if text.len() > usize::from(u16::MAX) / 2 => {
            return Err(WireError::Value("a text of more than 32,767 bytes"));
        }
        (_, Value::Binary(_)) => return Err(WireError::Value("bytes as a parameter that gives a value back")),
        (code, value) => {
            let parameter = Parameter { code, value: value.clone(), follows: None, invalid: None };
            parameter.write(&mut bytes, context)?;
        }
    }
    Ok(RoutineValue::Encoded(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::Decoded;

    fn parameters() -> Vec<RoutineParameter> {
        let integer = TypeDescription::new(TypeCode::INTEGER, 4);
        vec![
            RoutineParameter { kind: integer.clone(), is_output: false },
            RoutineParameter { kind: integer, is_output: true },
        ]
    }

    /// The bytes that IBM's JDBC driver 4.50.11 took for `p(a INT, OUT b INT)`.
    #[test]
    fn parameters_are_described_as_drivers_take_them() {
        let mut out = Vec::new();
        write_parameters(&parameters(), &mut out, &Context::default());
        let one = |mode: u8| [&[0, 2][..], &[0; 16], &[0, 0, 0, 4, 0, mode]].concat();
        assert_eq!(out, [&[0, 2, 0, 0][..], &one(0), &one(1)].concat());
        assert_eq!(read_parameters(&mut Reader::new(&out), &Context::default()).unwrap(), parameters());
    }

    /// The last bytes of the first and of the next call of a statement, as IBM's JDBC driver 4.50.11 sends them.
    #[test]
    fn a_call_asks_for_types_or_does_not() {
        for wants_types in [true, false] {
            let bytes = [&[0, 104, 0, 1][..], &[0; 12], &[u8::from(wants_types)]].concat();
            let decoded = Request::decode(&bytes, &Context::default(), 100).unwrap();
            let state = Request::RoutineState { wants_types };
            assert_eq!(decoded, Decoded::Message(state.clone(), bytes.len()));
            let mut out = Vec::new();
            state.encode(&mut out, &Context::default()).unwrap();
            assert_eq!(out, bytes);
        }
    }

    #[test]
    fn types_of_a_call_come_back() {
        let returns = vec![TypeDescription::new(TypeCode::DECIMAL, (8 << 8) | 2)];
        let types = RoutineTypes { number: 77, returns, parameters: parameters() };
        let mut out = Vec::new();
        types.write(&mut out);
        assert_eq!(RoutineTypes::read(&mut Reader::new(&out)).unwrap(), types);
        assert!((0..out.len()).all(|cut| matches!(
            RoutineTypes::read(&mut Reader::new(&out[..cut])),
            Err(crate::reader::Stop::Incomplete)
        )));
    }

    #[test]
    fn values_have_the_form_of_parameters() {
        let context = Context::default();
        let encoded = |kind: &TypeDescription, value: Value| routine_value(kind, &value, &context);
        let integer = TypeDescription::new(TypeCode::INTEGER, 4);
        let RoutineValue::Encoded(bytes) = encoded(&integer, Value::Integer(42)).unwrap() else { panic!("encoded") };
        assert_eq!(bytes, [0, 2, 0, 0, 0x0A, 0, 0, 0, 0, 42]);
        let RoutineValue::Encoded(bytes) = encoded(&integer, Value::Null).unwrap() else { panic!("encoded") };
        assert_eq!(bytes, [0, 2, 0xFF, 0xFF, 0, 0]);
        let text = TypeDescription::new(TypeCode::VARCHAR, 10);
        let RoutineValue::Encoded(bytes) = encoded(&text, Value::Text("abc".to_owned())).unwrap() else {
            panic!("encoded")
        };
        assert_eq!(bytes, [0, 0, 0, 0, 0, 0, 0, 3, b'a', b'b', b'c', 0]);
        assert!(encoded(&text, Value::Text("x".repeat(40_000))).is_err());
        assert!(encoded(&TypeDescription::new(TypeCode::BYTE, 56), Value::Binary(vec![1])).is_err());
    }
}
