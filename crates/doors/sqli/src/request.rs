//! Messages of the client.

use crate::bind::Parameter;
use crate::codes::{SimpleLob, TypeCode, tag};
use crate::error::WireError;
use crate::fast_path::LobAccess;
use crate::protocol::{Context, Mask};
use crate::reader::{Decoded, Read, Reader, decoded};
use crate::routine;
use crate::writer::Put;

/// The most parameters of a BIND and types of a RETTYPE.
const MOST_PARAMETERS: u16 = 32_767;

/// The direction of a fetch of a scroll cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScrollHow {
    /// The row behind the current one.
    Next,
    /// The first row.
    First,
    /// The last row.
    Last,
    /// The row of this number, counted from 1.
    Absolute,
    /// The row at this distance from the current one.
    Relative,
    /// The row before the current one.
    Previous,
    /// The current row.
    Current,
}

impl ScrollHow {
    /// Numbers on the wire: 1, 4 and 6 were seen; the others follow the order of SQL's FETCH in ESQL/C.
    const NUMBERS: [(u16, ScrollHow); 7] = [
        (1, ScrollHow::Next),
        (2, ScrollHow::Previous),
        (3, ScrollHow::First),
        (4, ScrollHow::Last),
        (5, ScrollHow::Current),
        (6, ScrollHow::Absolute),
        (7, ScrollHow::Relative),
    ];
}

/// A fetch: which rows, and how many bytes of them at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Direction and target of a scroll cursor; the next rows without it.
    pub scroll: Option<(ScrollHow, i32)>,
    /// Bytes of rows that the client's buffer holds. At least one row is sent.
    pub buffer_bytes: u32,
}

/// A part of a BYTE or TEXT value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobStep {
    /// BBIND: so many values follow.
    Begin(u16),
    /// Bytes of the current value; none end it.
    Bytes(Vec<u8>),
}

/// A type in which a client wants a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnType {
    /// The type.
    pub code: TypeCode,
    /// The name of a type of the owner `informix` beyond the built-in ones; else empty.
    pub name: String,
    /// Bytes, precision or qualifier.
    pub length: u32,
}

/// The columns whose generated values a client asks for, `[h kind]` and for kinds 2 and 3 a counted list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Those that the table generates.
    All,
    /// Columns by their numbers in the table, from 1.
    Numbers(Vec<u16>),
    /// Columns by their names.
    Names(Vec<String>),
}

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of the message in the module's source")]
pub enum Request {
    /// The protocol bits that the client knows.
    Protocols(Mask),
    /// Variables of its environment.
    Info(Vec<(String, String)>),
    /// Opens a database, exclusively in mode 1.
    OpenDatabase { name: String, mode: u16 },
    /// Closes it.
    CloseDatabase,
    /// Asks for the names of all databases.
    ListDatabases,
    /// Runs a statement that is not prepared; the following messages execute it.
    Command { text: String },
    /// Prepares a statement with this many parameters.
    Prepare { parameters: u16, text: String },
    /// Makes a statement the current one.
    Statement(u16),
    /// Gives the cursor of the current statement a name.
    CursorName(String),
    /// Values of the current statement's parameters.
    Bind(Vec<Parameter>),
    /// A part of BYTE and TEXT values.
    Lob(LobStep),
    /// Opens the cursor.
    Open,
    /// The cursor that is opened next scrolls.
    Scroll,
    /// The cursor that is opened next survives a COMMIT.
    Hold,
    /// The statement is released when its cursor is closed.
    AutoFree,
    /// Executes the statement.
    Execute,
    /// Fetches rows.
    Fetch(Fetch),
    /// Asks for a BYTE or TEXT value by its descriptor.
    FetchLob(SimpleLob),
    /// The types in which columns are wanted; with direction 0 those of PUT.
    ReturnTypes { is_output: bool, types: Vec<ReturnType> },
    /// A row of an insert cursor.
    Put(Vec<u8>),
    /// Closes the cursor.
    Close,
    /// Releases the statement.
    Release,
    /// Asks for a description of the statement.
    Describe,
    /// Asks for DONE behind the description.
    WantDone,
    /// Asks for the types of the parameters.
    DescribeParameters,
    /// Asks for the generated keys of the INSERT that is described next.
    WantKeys(Keys),
    /// BEGIN WORK.
    Begin,
    /// COMMIT WORK.
    Commit,
    /// ROLLBACK WORK.
    Rollback,
    /// Sets a savepoint.
    Savepoint { name: String, is_unique: bool },
    /// Releases one.
    ReleaseSavepoint(String),
    /// Rolls back to one.
    RollbackTo(String),
    /// Asks whether the server is there.
    Version,
    /// Asks for the number of a routine by its signature (fast path).
    GetRoutine(String),
    /// Asks for a routine by the number that an error has named.
    GetRoutineByNumber { database: String, number: u32 },
    /// Asks for the types and modes of its parameters.
    DescribeRoutine { database: String, number: u32 },
    /// Calls such a routine; BIND with its arguments follows. With `has_outputs` its parameters may give values back.
    CallRoutine { database: String, number: u32, arguments: u16, has_outputs: bool },
    /// The state of a call, behind its arguments: whether its types are wanted before its values.
    RoutineState { wants_types: bool },
    /// Reads or writes bytes of a smart large object.
    SmartLob(LobAccess),
    /// Ends a group of messages: the server answers.
    EndOfGroup,
    /// Ends the connection.
    Exit,
}

impl Request {
    /// The message at the start of bytes.
    ///
    /// Errors: `UnknownTag`, `Malformed`; `TooLong` where more than `limit` bytes would be needed.
    pub fn decode(bytes: &[u8], context: &Context, limit: usize) -> Result<Decoded<Request>, WireError> {
        let mut reader = Reader::new(bytes);
        let read = Request::read(&mut reader, context);
        match decoded(&reader, read)? {
            Decoded::Incomplete if bytes.len() > limit => Err(WireError::TooLong(limit)),
            decoded => Ok(decoded),
        }
    }

    fn read(reader: &mut Reader<'_>, context: &Context) -> Read<Request> {
        let (features, codeset) = (context.features, context.codeset);
        Ok(match reader.u16()? {
            tag::PROTOCOLS => Request::Protocols(Mask::new(reader.counted()?)),
            tag::INFO => Request::Info(read_info(reader, context)?),
            tag::DBOPEN => Request::OpenDatabase { name: reader.text(codeset)?, mode: reader.u16()? },
            tag::DBCLOSE => Request::CloseDatabase,
            tag::DBLIST => Request::ListDatabases,
            tag::COMMAND => {
                reader.u16()?;
                Request::Command { text: read_statement(reader, context)? }
            }
            tag::PREPARE => Request::Prepare { parameters: reader.u16()?, text: read_statement(reader, context)? },
            tag::ID => Request::Statement(reader.u16()?),
            tag::CURNAME => Request::CursorName(reader.text(codeset)?),
            tag::BIND => Request::Bind(read_list(reader, |reader| Parameter::read(reader, context))?),
            tag::BBIND => Request::Lob(LobStep::Begin(reader.u16()?)),
            tag::BLOB => Request::Lob(LobStep::Bytes(reader.counted()?.to_vec())),
            tag::OPEN => Request::Open,
            tag::SCROLL => Request::Scroll,
            tag::HOLD => Request::Hold,
            tag::AUTOFREE => Request::AutoFree,
            tag::EXECUTE => Request::Execute,
            tag::NFETCH => {
                let buffer_bytes = u32::try_from(reader.length(features.wide_fetch)?).unwrap_or(u32::MAX);
                reader.u16()?;
                Request::Fetch(Fetch { scroll: None, buffer_bytes })
            }
            tag::SFETCH => {
                let (number, target) = (reader.u16()?, reader.i32()?);
                let buffer_bytes = u32::try_from(reader.length(features.wide_fetch)?).unwrap_or(u32::MAX);
                let how = ScrollHow::NUMBERS.iter().find(|(known, _)| *known == number);
                let (_, how) = how.ok_or(WireError::Malformed("the direction of a fetch"))?;
                Request::Fetch(Fetch { scroll: Some((*how, target)), buffer_bytes })
            }
            tag::FETCHBLOB => {
                let bytes: &[u8; SimpleLob::BYTES] = reader
                    .take(SimpleLob::BYTES)?
                    .try_into()
                    .map_err(|_| WireError::Malformed("a descriptor of BYTE or TEXT"))?;
                Request::FetchLob(SimpleLob::decode(bytes))
            }
            tag::RETTYPE => {
                let is_output = reader.u16()? != 0;
                Request::ReturnTypes {
                    is_output,
                    types: read_list(reader, |reader| read_return_type(reader, context))?,
                }
            }
            tag::PUT => {
                let size = reader.u32()? as usize;
                reader.u16()?;
                let row = reader.take(size)?.to_vec();
                reader.pad(size)?;
                Request::Put(row)
            }
            tag::CLOSE => Request::Close,
            tag::RELEASE => Request::Release,
            tag::NDESCRIBE => Request::Describe,
            tag::WANTDONE => Request::WantDone,
            tag::CIDESCRIBE => Request::DescribeParameters,
            tag::RETKEYS => Request::WantKeys(read_keys(reader, context)?),
            tag::BEGIN => Request::Begin,
            tag::CMMTWORK => Request::Commit,
            tag::RBWORK => {
                reader.u16()?;
                Request::Rollback
            }
            tag::SAVEPOINT => Request::Savepoint { name: reader.text(codeset)?, is_unique: reader.u16()? != 0 },
            tag::RELEASESAVEPOINT => Request::ReleaseSavepoint(reader.text(codeset)?),
            tag::ROLLBACKTO => Request::RollbackTo(reader.text(codeset)?),
            tag::VERSION => Request::Version,
            tag::GETROUTINE => routine::read_routine(reader, context)?,
            tag::CIFPDESCRIBE => routine::read_describe(reader, context)?,
            tag::FPARAM => Request::RoutineState { wants_types: routine::read_state(reader)? },
            tag::EXFPROUTINE => {
                let (database, number) = (reader.text(codeset)?, reader.u32()?);
                let (arguments, has_outputs) = (reader.u16()?, reader.u16()? != 0);
                Request::CallRoutine { database, number, arguments, has_outputs }
            }
            tag::LODATA => Request::SmartLob(LobAccess::read(reader)?),
            tag::EOT => Request::EndOfGroup,
            tag::EXIT => Request::Exit,
            unknown => return Err(WireError::UnknownTag(unknown).into()),
        })
    }

    /// Appends the message.
    ///
    /// Errors: `Value` for a parameter that its type cannot hold.
    pub fn encode(&self, out: &mut Vec<u8>, context: &Context) -> Result<(), WireError> {
        let (features, codeset) = (context.features, context.codeset);
        out.put_u16(self.tag());
        match self {
            Request::Protocols(mask) => out.put_counted(mask.bytes()),
            Request::Info(variables) => write_info(variables, out, context),
            Request::OpenDatabase { name, mode } => {
                out.put_text(name, codeset);
                out.put_u16(*mode);
            }
            Request::Command { text } => {
                out.put_u16(0);
                write_statement(text, out, context);
            }
            Request::Prepare { parameters, text } => {
                out.put_u16(*parameters);
                write_statement(text, out, context);
            }
            Request::Statement(id) => out.put_u16(*id),
            Request::CursorName(name) => out.put_text(name, codeset),
            Request::Bind(parameters) => {
                out.put_length(parameters.len(), false);
                parameters.iter().try_for_each(|parameter| parameter.write(out, context))?;
            }
            Request::Lob(LobStep::Begin(count)) => out.put_u16(*count),
            Request::Lob(LobStep::Bytes(bytes)) => out.put_counted(bytes),
            Request::Fetch(fetch) => {
                if let Some((how, target)) = fetch.scroll {
                    let number = ScrollHow::NUMBERS.iter().find(|(_, known)| *known == how);
                    out.put_u16(number.map_or(1, |(number, _)| *number));
                    out.put_i32(target);
                }
                out.put_length(fetch.buffer_bytes as usize, features.wide_fetch);
                if fetch.scroll.is_none() {
                    out.put_u16(0);
                }
            }
            Request::FetchLob(descriptor) => out.extend_from_slice(&descriptor.encode()),
            Request::ReturnTypes { is_output, types } => {
                out.put_u16(u16::from(*is_output));
                out.put_length(types.len(), false);
                types.iter().for_each(|kind| write_return_type(kind, out, context));
            }
            Request::Put(row) => {
                out.put_length(row.len(), true);
                out.put_u16(1);
                out.extend_from_slice(row);
                out.put_pad(row.len());
            }
            Request::WantKeys(keys) => write_keys(keys, out, context),
            Request::Rollback => out.put_u16(0),
            Request::Savepoint { name, is_unique } => {
                out.put_text(name, codeset);
                out.put_u16(u16::from(*is_unique));
            }
            Request::ReleaseSavepoint(name) | Request::RollbackTo(name) => out.put_text(name, codeset),
            Request::GetRoutine(signature) => routine::write_routine(signature, None, out, context),
            Request::GetRoutineByNumber { database, number } => {
                routine::write_routine(database, Some(*number), out, context);
            }
            Request::DescribeRoutine { database, number } => routine::write_describe(database, *number, out, context),
            Request::RoutineState { wants_types } => routine::write_state(*wants_types, out),
            Request::CallRoutine { database, number, arguments, has_outputs } => {
                out.put_text(database, codeset);
                out.put_u32(*number);
                out.put_u16(*arguments);
                out.put_u16(u16::from(*has_outputs));
            }
            Request::SmartLob(access) => access.write(out),
            _ => {}
        }
        Ok(())
    }

    /// Appends FETCHBLOB with a descriptor as the server sent it: parts of it have a meaning for the server alone.
    pub fn encode_fetch_lob(descriptor: &[u8; SimpleLob::BYTES], out: &mut Vec<u8>) {
        out.put_u16(tag::FETCHBLOB);
        out.extend_from_slice(descriptor);
    }

    /// The tag of the message.
    pub fn tag(&self) -> u16 {
        match self {
            Request::Protocols(_) => tag::PROTOCOLS,
            Request::Info(_) => tag::INFO,
            Request::OpenDatabase { .. } => tag::DBOPEN,
            Request::CloseDatabase => tag::DBCLOSE,
            Request::ListDatabases => tag::DBLIST,
            Request::Command { .. } => tag::COMMAND,
            Request::Prepare { .. } => tag::PREPARE,
            Request::Statement(_) => tag::ID,
            Request::CursorName(_) => tag::CURNAME,
            Request::Bind(_) => tag::BIND,
            Request::Lob(LobStep::Begin(_)) => tag::BBIND,
            Request::Lob(LobStep::Bytes(_)) => tag::BLOB,
            Request::Open => tag::OPEN,
            Request::Scroll => tag::SCROLL,
            Request::Hold => tag::HOLD,
            Request::AutoFree => tag::AUTOFREE,
            Request::Execute => tag::EXECUTE,
            Request::Fetch(Fetch { scroll: None, .. }) => tag::NFETCH,
            Request::Fetch(_) => tag::SFETCH,
            Request::FetchLob(_) => tag::FETCHBLOB,
            Request::ReturnTypes { .. } => tag::RETTYPE,
            Request::Put(_) => tag::PUT,
            Request::Close => tag::CLOSE,
            Request::Release => tag::RELEASE,
            Request::Describe => tag::NDESCRIBE,
            Request::WantDone => tag::WANTDONE,
            Request::DescribeParameters => tag::CIDESCRIBE,
            Request::WantKeys(_) => tag::RETKEYS,
            Request::Begin => tag::BEGIN,
            Request::Commit => tag::CMMTWORK,
            Request::Rollback => tag::RBWORK,
            Request::Savepoint { .. } => tag::SAVEPOINT,
            Request::ReleaseSavepoint(_) => tag::RELEASESAVEPOINT,
            Request::RollbackTo(_) => tag::ROLLBACKTO,
            Request::Version => tag::VERSION,
            Request::GetRoutine(_) | Request::GetRoutineByNumber { .. } => tag::GETROUTINE,
            Request::DescribeRoutine { .. } => tag::CIFPDESCRIBE,
            Request::RoutineState { .. } => tag::FPARAM,
            Request::CallRoutine { .. } => tag::EXFPROUTINE,
            Request::SmartLob(_) => tag::LODATA,
            Request::EndOfGroup => tag::EOT,
            Request::Exit => tag::EXIT,
        }
    }
}

fn read_list<T>(reader: &mut Reader<'_>, mut read: impl FnMut(&mut Reader<'_>) -> Read<T>) -> Read<Vec<T>> {
    let count = reader.u16()?;
    if count > MOST_PARAMETERS {
        return Err(WireError::Malformed("a negative count").into());
    }
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(read(reader)?);
    }
    Ok(all)
}

fn read_keys(reader: &mut Reader<'_>, context: &Context) -> Read<Keys> {
    Ok(match reader.u16()? {
        1 => Keys::All,
        2 => Keys::Numbers(read_list(reader, |reader| reader.u16())?),
        3 => Keys::Names(read_list(reader, |reader| reader.text(context.codeset))?),
        _ => return Err(WireError::Malformed("the kind of generated keys").into()),
    })
}

fn write_keys(keys: &Keys, out: &mut Vec<u8>, context: &Context) {
    match keys {
        Keys::All => out.put_u16(1),
        Keys::Numbers(numbers) => {
            out.put_u16(2);
            out.put_length(numbers.len(), false);
            numbers.iter().for_each(|number| out.put_u16(*number));
        }
        Keys::Names(names) => {
            out.put_u16(3);
            out.put_length(names.len(), false);
            names.iter().for_each(|name| out.put_text(name, context.codeset));
        }
    }
}

/// A statement's text may end with a NUL.
fn read_statement(reader: &mut Reader<'_>, context: &Context) -> Read<String> {
    let length = reader.length(context.features.wide_text)?;
    let bytes = reader.take(length)?;
    reader.pad(length)?;
    Ok(context.codeset.decode(bytes.strip_suffix(&[0]).unwrap_or(bytes))?)
}

fn write_statement(text: &str, out: &mut Vec<u8>, context: &Context) {
    let mut bytes = Vec::with_capacity(text.len());
    context.codeset.encode(text, &mut bytes);
    out.put_length(bytes.len(), context.features.wide_text);
    out.extend_from_slice(&bytes);
    out.put_pad(bytes.len());
}

fn read_return_type(reader: &mut Reader<'_>, context: &Context) -> Read<ReturnType> {
    let code = TypeCode(reader.u16()?);
    let mut name = String::new();
    if code.is_named() {
        reader.text(context.codeset)?;
        name = reader.text(context.codeset)?;
    }
    Ok(ReturnType { code, name, length: reader.u32()? })
}

fn write_return_type(kind: &ReturnType, out: &mut Vec<u8>, context: &Context) {
    out.put_u16(kind.code.0);
    if kind.code.is_named() {
        out.put_text(if kind.name.is_empty() { "" } else { "informix" }, context.codeset);
        out.put_text(&kind.name, context.codeset);
    }
    out.put_u32(kind.length);
}

/// Clients count the bytes of the variables in different ways: they are read up to the empty name.
fn read_info(reader: &mut Reader<'_>, context: &Context) -> Read<Vec<(String, String)>> {
    let kind = reader.u16()?;
    let mut variables = Vec::new();
    if kind != 6 {
        return Ok(variables);
    }
    reader.take(3 * 2)?;
    loop {
        let name = reader.text(context.codeset)?;
        if name.is_empty() {
            reader.u16()?;
            return Ok(variables);
        }
        variables.push((name, reader.text(context.codeset)?));
    }
}

fn write_info(variables: &[(String, String)], out: &mut Vec<u8>, context: &Context) {
    let mut body = Vec::new();
    for (name, value) in variables {
        body.put_text(name, context.codeset);
        body.put_text(value, context.codeset);
    }
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().map_or(0, |length| length + 1);
    out.put_u16(6);
    out.put_length(body.len() + 6, false);
    out.put_length(longest(&mut variables.iter().map(|(name, _)| name.len())), false);
    out.put_length(longest(&mut variables.iter().map(|(_, value)| value.len())), false);
    out.extend_from_slice(&body);
    out.put_u16(0);
    out.put_u16(0);
}
