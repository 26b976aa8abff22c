//! Sessions: run a program to its end.

use crate::compile::compile;
use crate::fault::{Fault, Outcome};
use crate::machine::{Machine, Parts, Value};
use mainstay_basic_files::{Counters, TransactionVerb};
use mainstay_basic_syntax::{self as syntax, tree::Diagnostic};
use std::fmt;
use std::rc::Rc;

/// A session of a user.
pub struct Session {
    pub(crate) machine: Machine,
}

impl Drop for Session {
    fn drop(&mut self) {
        // Channels end before the transaction that they may be part of.
        self.machine.close_all_channels();
        // There is nobody left to hear of an error: what was not committed is rolled back.
        let _ = crate::machine::transaction(&mut self.machine, TransactionVerb::Close);
    }
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By END, STOP, or behind its last line.
    End,
    /// By RELEASE or QUIT, with a status: the session is over.
    Released(i64),
}

/// An error that nothing in the program has taken.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The error.
    pub fault: Fault,
    /// The program.
    pub program: String,
    /// The number of the line; 0 for none.
    pub line: u32,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            line if self.program.is_empty() && line > 0 => write!(f, "line {line:04}: {}", self.fault),
            0 => write!(f, "{}: {}", self.program, self.fault),
            line => write!(f, "{} line {line:04}: {}", self.program, self.fault),
        }
    }
}

impl std::error::Error for Failure {}

impl Session {
    /// A session without a program.
    pub fn new(parts: Parts) -> Session {
        Session { machine: Machine::new(parts) }
    }

    /// Loads a program by its name and runs it to its end.
    ///
    /// Errors: those that the program does not take itself.
    pub fn run(&mut self, name: &str) -> Result<Ended, Failure> {
        let program = match self.machine.load(name) {
            Ok(program) => program,
            Err(fault) => return Err(Failure { fault: *fault, program: name.to_owned(), line: 0 }),
        };
        self.machine.begin_program(program);
        self.go_on()
    }

    /// Runs the text of a program.
    pub fn run_text(&mut self, name: &str, source: &[u8]) -> Result<Ended, Failure> {
        let program = Rc::new(compile(name, syntax::parse(&mainstay_code_page::import(source))));
        self.machine.begin_program(program);
        self.go_on()
    }

    pub(crate) fn go_on(&mut self) -> Result<Ended, Failure> {
        let result = self.machine.run(0);
        let flushed = self.machine.host.flush();
        let ended = self.end_transaction(&result);
        match result.and(flushed).and(ended) {
            Ok(()) => Ok(match self.machine.status.take() {
                Some(status) => Ended::Released(status),
                None => Ended::End,
            }),
            Err(fault) => {
                let (program, line) = self.machine.error_place.clone().unwrap_or_default();
                Err(Failure { fault: *fault, program, line })
            }
        }
    }

    /// Ends the transaction of a program that has ended. A program that has stopped at the console goes on with it.
    fn end_transaction(&mut self, result: &Outcome<()>) -> Outcome<()> {
        match result {
            Err(fault) if !fault.is_final || fault.is_stop => Ok(()),
            result => crate::machine::transaction(&mut self.machine, TransactionVerb::End(result.is_ok())),
        }
    }

    /// Counters of input and output.
    pub fn counters(&self) -> &Counters {
        self.machine.counters()
    }

    /// Ends a program with error 127 after so many operations.
    pub fn limit_operations(&mut self, limit: u64) {
        self.machine.limit_operations(limit);
    }

    /// Limits the bytes of a string, and the elements of an array: error 31.
    pub fn limit_memory(&mut self, text_bytes: usize, elements: usize) {
        self.machine.text_limit = text_bytes;
        self.machine.element_limit = elements;
    }

    /// Limits the bytes of everything that the session holds: error 31. Without it the limit is 1 GB. A string has at most a
    /// quarter of it.
    pub fn limit_total_memory(&mut self, bytes: u64) {
        crate::machine::memory::limit_bytes(&mut self.machine, bytes);
    }

    /// The user and the machine, for UID, WHO, NID and ENV( ).
    pub fn set_user(&mut self, user: &str, node: &str) {
        self.machine.user = mainstay_code_page::encode(user).into_owned();
        self.machine.node = mainstay_code_page::encode(node).into_owned();
    }

    /// The value of a variable of the main program, by its name with suffix; `None` if it has none.
    pub fn variable(&mut self, name: &str) -> Option<Value> {
        self.machine.variable_by_name(name)
    }
}

/// Everything that is wrong with a program, by line: errors of the parser, and targets and items that do not exist.
pub fn check(name: &str, source: &[u8]) -> Vec<Diagnostic> {
    let program = compile(name, syntax::parse(&mainstay_code_page::import(source)));
    let mut diagnostics = program.tree.diagnostics.clone();
    diagnostics.extend(program.diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.place);
    diagnostics
}
