//! The login: one PDU from the client, one from the server, each with a header of six bytes.
//!
//! ```text
//!   [h length][u8 kind][u8 protocol 60][h options] [markers, fixed fields and texts] [h 127]
//! ```
//!
//! Texts are `[h length + 1][bytes][00]` without padding. The layout between the markers is fixed; parts that a client may
//! add carry their own marker and are skipped up to the end of the PDU.

use crate::error::WireError;
use crate::reader::{Reader, whole};
use crate::writer::Put;

/// The longest login PDU that is accepted, in bytes.
pub const LONGEST_LOGIN: usize = 16 << 10;

const HEADER_BYTES: usize = 6;
const CONNECT: u8 = 1;
const ACCEPT: u8 = 2;
const REJECT: u8 = 3;
const PROTOCOL: u8 = 60;
const CAPABILITIES: u32 = 316;
/// The most variables of the environment that are read.
const MOST_VARIABLES: u16 = 1000;

const MARK_FORMAT: u16 = 100;
const MARK_PROCESS_FORMAT: u16 = 101;
const MARK_ERROR: u16 = 102;
const MARK_SERVICE: u16 = 104;
const MARK_ENVIRONMENT: u16 = 106;
const MARK_PROCESS: u16 = 107;
const MARK_ASSOCIATION: u16 = 108;
const MARK_APPLICATION: u16 = 116;
const MARK_END: u16 = 127;
const WORD: u32 = 61;
const SERVICE_TYPE: u16 = 11;
/// Options of the connection: a word of this value.
const OPTIONS_BYTES: usize = 4;
const OPTIONS: u32 = 3;
/// Zeros between the database and the environment.
const EMPTY_BYTES: usize = 8;

/// The length of the login PDU that begins with these bytes; `None` while there are too few to tell.
///
/// Errors: `Malformed` if it is not one of a client, `TooLong` beyond [`LONGEST_LOGIN`].
pub fn login_length(bytes: &[u8]) -> Result<Option<usize>, WireError> {
    let Some(header) = bytes.get(..4) else { return Ok(None) };
    let length = usize::from(u16::from_be_bytes([header[0], header[1]]));
    if header[3] != PROTOCOL || length < HEADER_BYTES {
        return Err(WireError::Malformed("the connection does not begin with a login of SQLI"));
    }
    if length > LONGEST_LOGIN {
        return Err(WireError::TooLong(LONGEST_LOGIN));
    }
    Ok(Some(length))
}

/// A client's login.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectRequest {
    /// The name of the user.
    pub user: String,
    /// The password, in plain text: a connection that is not local needs TLS.
    pub password: String,
    /// The server that the client means (INFORMIXSERVER).
    pub server: String,
    /// The database; clients leave it empty and open one later.
    pub database: String,
    /// Variables of the client's environment, such as CLIENT_LOCALE.
    pub environment: Vec<(String, String)>,
    /// The host that the client runs on.
    pub host: String,
    /// The number of its process.
    pub process: u32,
    /// The working directory of the process.
    pub directory: String,
    /// The name of the application.
    pub application: String,
}

impl ConnectRequest {
    /// A variable of the environment.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The login of a whole PDU.
    ///
    /// Errors: `Malformed`.
    pub fn decode(bytes: &[u8]) -> Result<ConnectRequest, WireError> {
        let mut reader = Reader::new(bytes);
        whole(ConnectRequest::read(&mut reader))
    }

    fn read(reader: &mut Reader<'_>) -> crate::reader::Read<ConnectRequest> {
        reader.u16()?;
        if reader.u8()? != CONNECT {
            return Err(WireError::Malformed("the login is not a request to connect").into());
        }
        reader.take(HEADER_BYTES - 3)?;
        let mut request = ConnectRequest::default();
        read_association(reader)?;
        for _ in 0..3 {
            // Version, serial number and name of the client library.
            reader.terminated()?;
        }
        reader.take(3 * 4 + 2)?;
        request.user = reader.terminated()?;
        request.password = reader.terminated()?;
        // Protocol "ol", word 61, transport "tlitcp", 1, markers 104 and 11, options.
        reader.take(8 + 4 + 8 + 4 + 2 + 2 + OPTIONS_BYTES)?;
        request.server = reader.terminated()?;
        request.database = reader.terminated()?;
        reader.take(EMPTY_BYTES)?;
        request.read_environment(reader)?;
        request.read_rest(reader)?;
        Ok(request)
    }

    fn read_environment(&mut self, reader: &mut Reader<'_>) -> crate::reader::Read<()> {
        if reader.u16()? != MARK_ENVIRONMENT {
            return Err(WireError::Malformed("the login has no environment").into());
        }
        let count = reader.u16()?;
        if count > MOST_VARIABLES {
            return Err(WireError::Malformed("the login has too many variables").into());
        }
        for _ in 0..count {
            let name = reader.terminated()?;
            self.environment.push((name, reader.terminated()?));
        }
        Ok(())
    }

    /// The rest is for information only: a login without it is complete.
    fn read_rest(&mut self, reader: &mut Reader<'_>) -> crate::reader::Read<()> {
        while reader.left() >= 2 {
            match reader.u16()? {
                MARK_PROCESS => {
                    reader.u32()?;
                    self.process = reader.u32()?;
                    reader.u32()?;
                    self.host = reader.terminated()?;
                    reader.terminated()?;
                    self.directory = reader.terminated()?;
                }
                MARK_APPLICATION => {
                    reader.take(2 + 4 + 4)?;
                    self.application = reader.terminated()?;
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// The PDU of a login.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = header(CONNECT);
        put_association(&mut out, "IEEEM", b"sqlexec");
        out.put_terminated("9.280");
        out.put_terminated("RDS#R000000");
        out.put_terminated("sqli");
        put_capabilities(&mut out);
        out.put_terminated(&self.user);
        match self.password.is_empty() {
            true => out.put_u16(0),
            false => out.put_terminated(&self.password),
        }
        put_transport(&mut out, b"tlitcp");
        out.put_u16(MARK_SERVICE);
        out.put_u16(SERVICE_TYPE);
        out.put_u32(OPTIONS);
        out.put_terminated(&self.server);
        match self.database.is_empty() {
            true => out.put_u16(0),
            false => out.put_terminated(&self.database),
        }
        out.put_filled(&[], EMPTY_BYTES);
        out.put_u16(MARK_ENVIRONMENT);
        out.put_length(self.environment.len(), false);
        for (name, value) in &self.environment {
            out.put_terminated(name);
            out.put_terminated(value);
        }
        out.put_u16(MARK_PROCESS);
        out.put_u32(0);
        out.put_u32(self.process);
        out.put_u32(1);
        out.put_terminated(&self.host);
        out.put_u16(0);
        out.put_terminated(&self.directory);
        out.put_u16(MARK_APPLICATION);
        out.put_length(10 + self.application.len() + 1, false);
        out.put_filled(&[], 8);
        out.put_terminated(&self.application);
        out.put_u16(MARK_END);
        with_length(out)
    }
}

/// The end of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The client is logged in.
    Accepted,
    /// It is not: SQLCODE (-951: the user or the password is wrong), the number of the operating system's error, and a text.
    Rejected(i16, i16, String),
}

/// A server's answer to a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectReply {
    /// The product and its version: `<product> Version <x.yy.FCn>`, from which clients take both apart.
    pub version: String,
    /// The serial number of the server.
    pub serial: String,
    /// The name of the server.
    pub server: String,
    /// True if the client is let in.
    pub outcome: Outcome,
}

impl ConnectReply {
    /// The PDU of an answer.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = header(if self.outcome == Outcome::Accepted { ACCEPT } else { REJECT });
        put_association(&mut out, "IEEEI", b"srvinfx");
        out.put_terminated(&self.version);
        out.put_terminated(&self.serial);
        out.put_terminated(&self.server);
        put_capabilities(&mut out);
        out.put_u16(0);
        out.put_u16(0);
        put_transport(&mut out, b"soctcp");
        out.put_u16(MARK_ERROR);
        out.put_filled(&[], 6);
        let (code, system, text) = match &self.outcome {
            Outcome::Accepted => (0, 0, ""),
            Outcome::Rejected(code, system, text) => (*code, *system, text.as_str()),
        };
        out.put_i16(code);
        out.put_i16(system);
        out.put_u16(0);
        out.put_u16(u16::from(!text.is_empty()));
        if !text.is_empty() {
            out.put_u16(0);
            out.put_text(text, crate::Codeset::Latin1);
        }
        out.put_u16(MARK_END);
        with_length(out)
    }

    /// The answer of a whole PDU.
    ///
    /// Errors: `Malformed`.
    pub fn decode(bytes: &[u8]) -> Result<ConnectReply, WireError> {
        let mut reader = Reader::new(bytes);
        whole(ConnectReply::read(&mut reader))
    }

    fn read(reader: &mut Reader<'_>) -> crate::reader::Read<ConnectReply> {
        reader.u16()?;
        let kind = reader.u8()?;
        if kind != ACCEPT && kind != REJECT {
            return Err(WireError::Malformed("the answer to a login is neither consent nor refusal").into());
        }
        reader.take(HEADER_BYTES - 3)?;
        read_association(reader)?;
        let (version, serial, server) = (reader.terminated()?, reader.terminated()?, reader.terminated()?);
        reader.take(3 * 4 + 2)?;
        reader.terminated()?;
        reader.terminated()?;
        reader.take(8 + 4 + 8 + 4)?;
        if reader.u16()? != MARK_ERROR {
            return Err(WireError::Malformed("the answer to a login has no outcome").into());
        }
        reader.take(6)?;
        let (code, system) = (reader.i16()?, reader.i16()?);
        reader.u16()?;
        let texts = reader.u16()?;
        let mut text = String::new();
        if texts > 0 {
            reader.u16()?;
            text = reader.text(crate::Codeset::Latin1)?;
        }
        let outcome = if kind == ACCEPT { Outcome::Accepted } else { Outcome::Rejected(code, system, text) };
        Ok(ConnectReply { version, serial, server, outcome })
    }
}

fn header(kind: u8) -> Vec<u8> {
    vec![0, 0, kind, PROTOCOL, 0, 0]
}

fn with_length(mut out: Vec<u8>) -> Vec<u8> {
    let length = u16::try_from(out.len()).unwrap_or(u16::MAX);
    out.splice(..2, length.to_be_bytes());
    out
}

fn put_association(out: &mut Vec<u8>, format: &str, program: &[u8]) {
    out.put_u16(MARK_FORMAT);
    out.put_u16(MARK_PROCESS_FORMAT);
    out.put_u32(WORD);
    out.put_terminated(format);
    out.put_u16(MARK_ASSOCIATION);
    out.put_filled(program, 12);
}

fn read_association(reader: &mut Reader<'_>) -> crate::reader::Read<()> {
    if reader.u16()? != MARK_FORMAT {
        return Err(WireError::Malformed("the login has no format of numbers").into());
    }
    reader.take(2 + 4)?;
    reader.terminated()?;
    reader.take(2 + 12).map(drop)
}

fn put_capabilities(out: &mut Vec<u8>) {
    out.put_u32(CAPABILITIES);
    out.put_u32(0);
    out.put_u32(0);
    out.put_u16(1);
}

fn put_transport(out: &mut Vec<u8>, transport: &[u8]) {
    out.put_filled(b"ol", 8);
    out.put_u32(WORD);
    out.put_filled(transport, 8);
    out.put_u32(1);
}
