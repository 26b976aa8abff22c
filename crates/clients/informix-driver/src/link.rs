//! The link to a server: messages to be sent, the groups that are not answered yet, and the operation that waits for them.
//!
//! Cursors, smart large objects and executions append their messages here, and know nothing of the session that owns them.

use crate::group::{Answer, Group};
use mainstay_sqli::{Codeset, Context, Failure, Features, Request, tag};
use std::collections::VecDeque;

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

/// The messages between a session and its server.
pub(crate) struct Link {
    pub context: Context,
    pub phase: Phase,
    pub output: Vec<u8>,
    pub groups: VecDeque<Group>,
    /// The replies of the oldest group, as far as they have come.
    pub answer: Answer,
    /// Groups that were sent and answered since the login.
    pub sent: u64,
    pub answered: u64,
    /// The operation is over when so many groups are answered.
    pub done_at: u64,
    pub fault: Option<Fault>,
    /// The cursor whose rows the operation waits for.
    pub fetching: Option<u32>,
}

impl Link {
    /// A link whose first output is a login.
    pub fn new(login: Vec<u8>, codeset: Codeset) -> Link {
        Link {
            context: Context { features: Features::default(), codeset },
            phase: Phase::Login,
            output: login,
            groups: VecDeque::new(),
            answer: Answer::default(),
            sent: 0,
            answered: 0,
            // The login is answered by a PDU, and is counted as a group.
            done_at: 1,
            fault: None,
            fetching: None,
        }
    }

    /// True if the operation is over.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Closed || (self.phase == Phase::Open && self.answered >= self.done_at)
    }

    /// Begins an operation; false where nothing can be sent.
    pub fn begin(&mut self) -> bool {
        self.fault = None;
        self.fetching = None;
        if self.phase != Phase::Open {
            self.fault = Some(Fault::Connection("the connection is closed".to_owned()));
            return false;
        }
        self.done_at = self.answered;
        true
    }

    /// Waits for everything that was sent.
    pub fn wait_for_all(&mut self) {
        self.done_at = self.sent;
    }

    /// An operation of one group.
    pub fn start(&mut self, requests: &[Request], group: Group) {
        if self.begin() {
            self.send(requests, group);
            self.wait_for_all();
        }
    }

    /// Appends a message; a value that cannot be sent makes the operation fail.
    pub fn put(&mut self, request: &Request) {
        if let Err(error) = request.encode(&mut self.output, &self.context) {
            self.fault.get_or_insert(Fault::Usage(error.to_string()));
        }
    }

    /// Appends a group.
    pub fn send(&mut self, requests: &[Request], group: Group) {
        requests.iter().for_each(|request| self.put(request));
        self.end_group(group);
    }

    /// Ends the group whose messages were appended.
    pub fn end_group(&mut self, group: Group) {
        self.output.extend_from_slice(&tag::EOT.to_be_bytes());
        self.groups.push_back(group);
        self.sent += 1;
    }

    /// Releases a statement of the server; nobody waits for it.
    pub fn release(&mut self, statement: u16) {
        if self.phase == Phase::Open {
            self.send(&[Request::Statement(statement), Request::Release], Group::Ignored);
        }
    }

    /// Keeps the first error of the operation.
    pub fn note(&mut self, failure: Option<Failure>) {
        if let Some(failure) = failure {
            self.fault.get_or_insert(Fault::Server(failure));
        }
    }

    /// Makes the operation fail, unless it has failed before.
    pub fn refuse(&mut self, reason: &str) {
        self.fault.get_or_insert_with(|| Fault::Usage(reason.to_owned()));
    }

    /// True while the oldest group runs statements whose rows are counted.
    pub fn is_executing(&self) -> bool {
        matches!(self.groups.front(), Some(Group::Execute | Group::Command | Group::Put))
    }
}
