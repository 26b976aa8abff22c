//! A session: bytes to and from a server, and one operation at a time.

use crate::cursor::Cursor;
use crate::execution::Execution;
use crate::group::{Answer, Group, Outcome};
use crate::layout::Layout;
use crate::rows::RowBlock;
use crate::smart_lobs::SmartLobs;
use crate::statements::Statements;
use mainstay_sqli::{
    Codeset, ConnectReply, ConnectRequest, Context, Decoded, Failure, Features, Mask, Reply, Request, WireError,
    login_length, tag,
};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// The longest message that is read: a row with its texts.
const MOST_MESSAGE_BYTES: usize = 512 << 20;
/// The mask that is offered: that of JDBC 15, with the wide counts of newer servers.
pub(crate) const OFFERED: [u8; 9] = [0xFF, 0xFC, 0x7F, 0xFC, 0x3C, 0x8C, 0xAA, 0x97, 0x06];

/// The warning behind the opening of an ANSI database, whose transactions begin by themselves.
const ANSI_WARNING: u16 = 2;

/// True for the warnings of an ANSI database.
pub(crate) fn is_ansi(database_warnings: u16) -> bool {
    database_warnings & ANSI_WARNING != 0
}

/// A row at the start of bytes.
enum Tuple<'b> {
    Row { values: &'b [u8], used: usize },
    Incomplete,
}

/// The row at the start of bytes; `None` for another message.
#[inline]
fn tuple(bytes: &[u8]) -> Result<Option<Tuple<'_>>, WireError> {
    let Some(([t0, t1, _, _, s0, s1, s2, s3], rest)) = bytes.split_first_chunk::<8>() else { return Ok(None) };
    if u16::from_be_bytes([*t0, *t1]) != tag::TUPLE {
        return Ok(None);
    }
    let size = u32::from_be_bytes([*s0, *s1, *s2, *s3]) as usize;
    if size > MOST_MESSAGE_BYTES {
        return Err(WireError::TooLong(MOST_MESSAGE_BYTES));
    }
    let padded = size + size % 2;
    let Some(values) = rest.get(..size).filter(|_| rest.len() >= padded) else { return Ok(Some(Tuple::Incomplete)) };
    Ok(Some(Tuple::Row { values, used: 8 + padded }))
}

/// Settings of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// User, password, server, environment and application of the login.
    pub login: ConnectRequest,
    /// The database that is opened.
    pub database: String,
    /// True to open it exclusively.
    pub is_exclusive: bool,
    /// Statements begin no transaction.
    pub autocommit: bool,
    /// Bytes of rows that a fetch asks for.
    pub fetch_bytes: u32,
    /// Prepared statements that are kept for their next execution.
    pub statements: usize,
}

/// A reason for which an operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An error of the server: SQLCODE, ISAM code, place and subject.
    Server(Failure),
    /// The server refused the login, with a text.
    Login(Failure),
    /// The connection cannot go on: the server broke the protocol, or it is closed.
    Connection(String),
    /// The operation is not possible, and nothing was sent.
    Usage(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The login PDU of the server is expected.
    Login,
    /// The login is over.
    Open,
    /// Nothing more can be sent.
    Closed,
}

/// A session of a server.
pub struct Session {
    pub(crate) settings: Settings,
    pub(crate) context: Context,
    pub(crate) phase: Phase,
    pub(crate) output: Vec<u8>,
    input: Vec<u8>,
    pub(crate) groups: VecDeque<Group>,
    pub(crate) answer: Answer,
    /// Groups that were sent and answered since the login.
    pub(crate) sent: u64,
    pub(crate) answered: u64,
    /// The operation is over when so many groups are answered.
    pub(crate) done_at: u64,
    pub(crate) fault: Option<Fault>,
    /// The cursor whose rows the operation waits for.
    pub(crate) fetching: Option<u32>,
    pub(crate) cursors: HashMap<u32, Cursor>,
    pub(crate) statements: Statements,
    pub(crate) execution: Option<Execution>,
    pub(crate) outcome: Outcome,
    pub(crate) is_in_transaction: bool,
    /// All statements of the transaction were queries.
    pub(crate) has_only_read: bool,
    /// The isolation was set: rows that are read may stay locked until the transaction ends.
    pub(crate) may_lock_rows: bool,
    /// Tables were defined or changed in the transaction: its end decides what prepared statements mean.
    pub(crate) has_definitions: bool,
    pub(crate) database_warnings: u16,
    pub(crate) version: String,
    pub(crate) next_name: u64,
    pub(crate) smart_lobs: SmartLobs,
}

impl Session {
    /// A session that is not connected: its first output is the login.
    pub fn new(settings: Settings) -> Session {
        let locale = settings.login.variable("CLIENT_LOCALE").unwrap_or_default();
        let codeset = Codeset::of_locale(locale);
        let output = settings.login.encode();
        Session {
            settings,
            context: Context { features: Features::default(), codeset },
            phase: Phase::Login,
            output,
            input: Vec::new(),
            groups: VecDeque::new(),
            answer: Answer::default(),
            sent: 0,
            answered: 0,
            // The login is answered by a PDU, and is counted as a group.
            done_at: 1,
            fault: None,
            fetching: None,
            cursors: HashMap::new(),
            statements: Statements::default(),
            execution: None,
            outcome: Outcome::default(),
            is_in_transaction: false,
            has_only_read: true,
            may_lock_rows: false,
            has_definitions: false,
            database_warnings: 0,
            version: String::new(),
            next_name: 1,
            smart_lobs: SmartLobs::default(),
        }
    }

    /// The bytes that are to be sent; they are not returned again.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// True if bytes are to be sent.
    pub fn has_output(&self) -> bool {
        !self.output.is_empty()
    }

    /// True if the operation is over; [`Session::take_fault`] says how.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Closed || (self.phase == Phase::Open && self.answered >= self.done_at)
    }

    /// The reason for which the operation that is over has failed.
    pub fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    /// Takes bytes of the server. Output may be waiting afterwards.
    pub fn receive(&mut self, data: &[u8]) {
        let buffered = std::mem::take(&mut self.input);
        let used = match buffered.is_empty() {
            true => self.read_all(data),
            false => {
                let mut all = buffered;
                all.extend_from_slice(data);
                let used = self.read_all(&all);
                self.input = all.split_off(used.min(all.len()));
                return;
            }
        };
        self.input = data.get(used..).unwrap_or_default().to_vec();
    }

    /// The connection was closed by the other side, or by an error of the socket.
    pub fn disconnect(&mut self, reason: &str) {
        if self.phase == Phase::Closed {
            return;
        }
        let has_asked = !self.is_done();
        self.phase = Phase::Closed;
        self.is_in_transaction = false;
        self.groups.clear();
        self.cursors.clear();
        self.smart_lobs = SmartLobs::default();
        self.input = Vec::new();
        if has_asked && self.fault.is_none() {
            self.fault = Some(Fault::Connection(reason.to_owned()));
        }
    }

    /// Reads whole messages, and returns how many bytes they have.
    fn read_all(&mut self, bytes: &[u8]) -> usize {
        let mut used = 0;
        while self.phase != Phase::Closed {
            let left = bytes.get(used..).unwrap_or_default();
            let read = match self.read_rows(left) {
                Ok(0) => self.read_one(left),
                read => read,
            };
            match read {
                Ok(0) => break,
                Ok(count) => used += count,
                Err(error) => self.break_off(&error.to_string()),
            }
        }
        used
    }

    /// Ends the connection because of what the server sent.
    pub(crate) fn break_off(&mut self, reason: &str) {
        // The operation has not ended, even where it had before these bytes.
        self.done_at = self.done_at.max(self.answered + 1);
        self.disconnect(&format!("the server broke the protocol: {reason}"));
    }

    fn read_one(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        if self.phase == Phase::Login {
            return self.read_login(bytes);
        }
        if let Some(tuple) = tuple(bytes)? {
            return match tuple {
                Tuple::Row { values, used } => self.row(values).map(|()| used),
                Tuple::Incomplete => Ok(0),
            };
        }
        if bytes.len() < 2 {
            return Ok(0);
        }
        match Reply::decode(bytes, &self.context, MOST_MESSAGE_BYTES)? {
            Decoded::Incomplete => Ok(0),
            Decoded::Message(reply, used) => {
                self.reply(reply)?;
                Ok(used)
            }
        }
    }

    /// Appends the rows at the start of bytes to their cursor, which is looked up once for all of them. Returns how many
    /// bytes they have.
    fn read_rows(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        let Some(Group::Open(number) | Group::Fetch(number)) = self.groups.front() else { return Ok(0) };
        let Some(cursor) = self.cursors.get_mut(number) else { return Ok(0) };
        if cursor.outstanding.front() != Some(&(self.answered + 1)) {
            return Ok(0);
        }
        let mut used = 0;
        while let Some(Tuple::Row { values, used: count }) = tuple(bytes.get(used..).unwrap_or_default())? {
            if used == 0 {
                // An upper bound: the heads of the rows are included.
                cursor.block.reserve(bytes.len(), count);
            }
            cursor.push(values)?;
            self.answer.rows += 1;
            used += count;
        }
        Ok(used)
    }

    fn read_login(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        let Some(length) = login_length(bytes)? else { return Ok(0) };
        let Some(pdu) = bytes.get(..length) else { return Ok(0) };
        let reply = ConnectReply::decode(pdu)?;
        if let mainstay_sqli::Outcome::Rejected(code, isam, subject) = reply.outcome {
            self.fault = Some(Fault::Login(Failure { code, isam, offset: 0, subject }));
            self.disconnect("");
            return Ok(length);
        }
        self.version = reply.version;
        self.phase = Phase::Open;
        self.answered = 1;
        self.sent = 1;
        self.negotiate();
        Ok(length)
    }

    /// The rest of the login needs no answers in between.
    fn negotiate(&mut self) {
        self.send(&[Request::Protocols(Mask::new(&OFFERED))], Group::Protocols);
        self.send(&[Request::Info(Vec::new())], Group::Ignored);
        if !self.settings.database.is_empty() {
            let (name, mode) = (self.settings.database.clone(), u16::from(self.settings.is_exclusive));
            self.send(&[Request::OpenDatabase { name, mode }], Group::Database);
        }
        self.done_at = self.sent;
    }

    /// Appends a group; a value that cannot be sent makes the operation fail.
    pub(crate) fn send(&mut self, requests: &[Request], group: Group) {
        for request in requests {
            if let Err(error) = request.encode(&mut self.output, &self.context) {
                self.fault.get_or_insert(Fault::Usage(error.to_string()));
            }
        }
        self.end_group(group);
    }

    /// Ends the group whose messages were appended.
    pub(crate) fn end_group(&mut self, group: Group) {
        self.output.extend_from_slice(&tag::EOT.to_be_bytes());
        self.groups.push_back(group);
        self.sent += 1;
    }

    /// The version that the server announced.
    pub fn server_version(&self) -> &str {
        &self.version
    }

    /// The codeset of texts.
    pub fn codeset(&self) -> Codeset {
        self.context.codeset
    }

    /// True while a transaction is open that this session began.
    pub fn is_in_transaction(&self) -> bool {
        self.is_in_transaction
    }

    /// True if the database has transactions.
    pub fn has_transactions(&self) -> bool {
        self.database_warnings & 1 != 0
    }

    /// True if nothing can be sent any more.
    pub fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// True if statements begin no transaction.
    pub fn autocommit(&self) -> bool {
        self.settings.autocommit
    }

    /// Sets it.
    pub fn set_autocommit(&mut self, autocommit: bool) {
        self.settings.autocommit = autocommit;
    }

    /// The result of the last execution.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The columns of a cursor that was opened.
    pub fn layout(&self, cursor: u32) -> Option<Arc<Layout>> {
        self.cursors.get(&cursor).map(|cursor| Arc::clone(&cursor.layout))
    }

    /// Takes the rows of a cursor that have come.
    pub fn take_rows(&mut self, cursor: u32) -> RowBlock {
        self.cursors.get_mut(&cursor).map(|cursor| std::mem::take(&mut cursor.block)).unwrap_or_default()
    }

    /// True if the server has no more rows for the cursor.
    pub fn is_ended(&self, cursor: u32) -> bool {
        self.cursors.get(&cursor).is_none_or(|cursor| cursor.is_ended)
    }

    /// The number of the last row that a scroll saw, counted from 1.
    pub fn last_number(&self, cursor: u32) -> Option<u32> {
        self.cursors.get(&cursor)?.last_number
    }
}
