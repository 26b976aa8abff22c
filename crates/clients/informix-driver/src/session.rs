//! A session: bytes to and from a server, and one operation at a time.

use crate::cursors::Cursors;
use crate::execution::Execution;
use crate::group::{Group, Outcome};
use crate::layout::Layout;
use crate::link::{Fault, Link, Phase};
use crate::rows::RowBlock;
use crate::smart_lobs::{Lobs, SmartLobs};
use crate::statements::Statements;
use crate::transaction::Transaction;
use crate::tuple::{MOST_MESSAGE_BYTES, Tuple, tuple};
use mainstay_sqli::{
    Codeset, ConnectReply, ConnectRequest, Decoded, Failure, Mask, Reply, Request, WireError, login_length,
};
use std::sync::Arc;

/// The mask that is offered: that of JDBC 15, with the wide counts of newer servers.
pub(crate) const OFFERED: [u8; 9] = [0xFF, 0xFC, 0x7F, 0xFC, 0x3C, 0x8C, 0xAA, 0x97, 0x06];

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

/// A session of a server.
pub struct Session {
    pub(crate) settings: Settings,
    pub(crate) link: Link,
    input: Vec<u8>,
    pub(crate) cursors: Cursors,
    pub(crate) smart_lobs: SmartLobs,
    pub(crate) statements: Statements,
    pub(crate) execution: Option<Execution>,
    pub(crate) outcome: Outcome,
    pub(crate) transaction: Transaction,
    version: String,
}

impl Session {
    /// A session that is not connected: its first output is the login.
    pub fn new(settings: Settings) -> Session {
        let locale = settings.login.variable("CLIENT_LOCALE").unwrap_or_default();
        let link = Link::new(settings.login.encode(), Codeset::of_locale(locale));
        Session {
            settings,
            link,
            input: Vec::new(),
            cursors: Cursors::new(),
            smart_lobs: SmartLobs::default(),
            statements: Statements::default(),
            execution: None,
            outcome: Outcome::default(),
            transaction: Transaction::new(),
            version: String::new(),
        }
    }

    /// The bytes that are to be sent; they are not returned again.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.link.output)
    }

    /// True if bytes are to be sent.
    pub fn has_output(&self) -> bool {
        !self.link.output.is_empty()
    }

    /// True if the operation is over; [`Session::take_fault`] says how.
    pub fn is_done(&self) -> bool {
        self.link.is_done()
    }

    /// The reason for which the operation that is over has failed.
    pub fn take_fault(&mut self) -> Option<Fault> {
        self.link.fault.take()
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
        if self.link.phase == Phase::Closed {
            return;
        }
        let has_asked = !self.is_done();
        self.link.phase = Phase::Closed;
        self.transaction.is_open = false;
        self.link.groups.clear();
        self.cursors.clear();
        self.smart_lobs = SmartLobs::default();
        self.input = Vec::new();
        if has_asked && self.link.fault.is_none() {
            self.link.fault = Some(Fault::Connection(reason.to_owned()));
        }
    }

    /// Reads whole messages, and returns how many bytes they have.
    fn read_all(&mut self, bytes: &[u8]) -> usize {
        let mut used = 0;
        while self.link.phase != Phase::Closed {
            let left = bytes.get(used..).unwrap_or_default();
            let read = match self.cursors.read_rows(left, &mut self.link) {
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
    fn break_off(&mut self, reason: &str) {
        // The operation has not ended, even where it had before these bytes.
        self.link.done_at = self.link.done_at.max(self.link.answered + 1);
        self.disconnect(&format!("the server broke the protocol: {reason}"));
    }

    fn read_one(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        if self.link.phase == Phase::Login {
            return self.read_login(bytes);
        }
        if let Some(tuple) = tuple(bytes)? {
            return match tuple {
                Tuple::Row { values, used } => self.cursors.row(values, &mut self.link).map(|()| used),
                Tuple::Incomplete => Ok(0),
            };
        }
        if bytes.len() < 2 {
            return Ok(0);
        }
        match Reply::decode(bytes, &self.link.context, MOST_MESSAGE_BYTES)? {
            Decoded::Incomplete => Ok(0),
            Decoded::Message(reply, used) => {
                self.reply(reply)?;
                Ok(used)
            }
        }
    }

    fn read_login(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        let Some(length) = login_length(bytes)? else { return Ok(0) };
        let Some(pdu) = bytes.get(..length) else { return Ok(0) };
        let reply = ConnectReply::decode(pdu)?;
        if let mainstay_sqli::Outcome::Rejected(code, isam, subject) = reply.outcome {
            self.link.fault = Some(Fault::Login(Failure { code, isam, offset: 0, subject }));
            self.disconnect("");
            return Ok(length);
        }
        self.version = reply.version;
        self.link.phase = Phase::Open;
        self.link.answered = 1;
        self.link.sent = 1;
        self.negotiate();
        Ok(length)
    }

    /// The rest of the login needs no answers in between.
    fn negotiate(&mut self) {
        self.link.send(&[Request::Protocols(Mask::new(&OFFERED))], Group::Protocols);
        self.link.send(&[Request::Info(Vec::new())], Group::Ignored);
        if !self.settings.database.is_empty() {
            let (name, mode) = (self.settings.database.clone(), u16::from(self.settings.is_exclusive));
            self.link.send(&[Request::OpenDatabase { name, mode }], Group::Database);
        }
        self.link.wait_for_all();
    }

    /// The version that the server announced.
    pub fn server_version(&self) -> &str {
        &self.version
    }

    /// The codeset of texts.
    pub fn codeset(&self) -> Codeset {
        self.link.context.codeset
    }

    /// True while a transaction is open that this session began.
    pub fn is_in_transaction(&self) -> bool {
        self.transaction.is_open
    }

    /// True if the database has transactions.
    pub fn has_transactions(&self) -> bool {
        self.transaction.is_possible()
    }

    /// True if nothing can be sent any more.
    pub fn is_closed(&self) -> bool {
        self.link.phase == Phase::Closed
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
        self.cursors.get(cursor).map(|cursor| Arc::clone(&cursor.layout))
    }

    /// Takes the rows of a cursor that have come.
    pub fn take_rows(&mut self, cursor: u32) -> RowBlock {
        self.cursors.take_rows(cursor)
    }

    /// True if the server has no more rows for the cursor.
    pub fn is_ended(&self, cursor: u32) -> bool {
        self.cursors.get(cursor).is_none_or(|cursor| cursor.is_ended)
    }

    /// The number of the last row that a scroll saw, counted from 1.
    pub fn last_number(&self, cursor: u32) -> Option<u32> {
        self.cursors.get(cursor)?.last_number
    }

    /// Operations on BLOB and CLOB values.
    pub fn lobs(&mut self) -> Lobs<'_> {
        Lobs::new(&mut self.smart_lobs, &mut self.link)
    }
}
