//! Smart large objects: BLOB and CLOB values, which rows and parameters contain as locators.
//!
//! ```text
//!   GETROUTINE "function informix.ifx_lo_open(...)"  ->  number, asked for once in a session
//!   ifx_lo_open(locator)    ->  descriptor            a value of a row
//!   ifx_lo_create(...)      ->  locator, descriptor   a new value, to be bound to a parameter
//!   LODATA(descriptor)      ->  bytes, from the position on, or the number of bytes written
//!   ifx_lo_close(descriptor)
//! ```
//!
//! Two callers use it. An operation of the shell ([`Session::start_lob_open`] and the following ones) is one call, of which
//! [`Session::lob_answer`] has the result. A fetch of rows reads the values of their locators by itself: it opens all of them
//! in one round trip, reads them in the next, and closes them in passing.
//!
//! Limits: the routines, their signatures and their arguments are those that IBM's JDBC drivers call.

use crate::group::{Answer, Group};
use crate::session::{Fault, Phase, Session};
use mainstay_sqli::{LobAccess, Parameter, Request, RoutineValue, SMART_LOB_BYTES, tag};
use mainstay_types::Value;

/// Bytes that a fetch of rows reads of a value at a time.
const PIECE_BYTES: u32 = 1 << 20;
/// Bytes of `ifx_lo_stat`.
const STATUS_BYTES: usize = 644;
/// Access mode of `ifx_lo_open` and `ifx_lo_create`.
const MODE: i64 = 8;
const NO_VALUES: &str = "the server gives no values for a routine of smart large objects";

/// A routine of the fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routine {
    /// Opens a BLOB or CLOB by its locator.
    Open,
    /// Creates one.
    Create,
    /// Moves the position.
    Seek,
    /// Reports the size.
    Status,
    /// Cuts a value.
    Truncate,
    /// Closes a descriptor.
    Close,
}

impl Routine {
    fn signature(self) -> &'static str {
        match self {
            Routine::Open => "function informix.ifx_lo_open(blob ,integer)",
            Routine::Create => "function informix.ifx_lo_create( ifx_lo_spec,integer,blob)",
            Routine::Seek => "function informix.ifx_lo_seek(integer,int8,integer,int8)",
            Routine::Status => "function informix.ifx_lo_stat(int, ifx_lo_stat)",
            Routine::Truncate => "function informix.ifx_lo_truncate(integer,int8)",
            Routine::Close => "function informix.ifx_lo_close(integer)",
        }
    }
}

/// The purpose of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An operation of the shell.
    Shell,
    /// The value of a row: its cursor, its place among the values of the block, and its descriptor once it is open.
    Row(u32, usize, u16),
    /// Closing a descriptor whose value has been read.
    Closing,
}

/// The result of an operation on a smart large object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LobAnswer {
    /// Values of the routine: whole numbers.
    pub numbers: Vec<i64>,
    /// The locator of a new value, or the status of an open one.
    pub opaque: Vec<u8>,
    /// Bytes that were read.
    pub bytes: Vec<u8>,
    /// Bytes that were written.
    pub written: u32,
}

/// A call that waits for the number of its routine.
#[derive(Debug)]
struct Call {
    routine: Routine,
    count: u16,
    arguments: Vec<u8>,
    purpose: Purpose,
}

/// The routines of a session, and the calls that wait for their numbers.
#[derive(Debug, Default)]
pub(crate) struct SmartLobs {
    numbers: Vec<(Routine, String, u32)>,
    asked: Vec<Routine>,
    waiting: Vec<Call>,
    answer: LobAnswer,
}

impl Session {
    /// Opens a value of a row for reading: a descriptor.
    pub fn start_lob_open(&mut self, locator: &[u8]) {
        if self.begin() {
            self.open_value(locator, Purpose::Shell);
            self.wait_for_all();
        }
    }

    /// Creates a value: its locator and a descriptor. It is a BLOB or a CLOB by the parameter that it is bound to.
    pub fn start_lob_create(&mut self) {
        if !self.begin() {
            return;
        }
        let mut arguments = Vec::new();
        Parameter::write_opaque(("", "ifx_lo_spec"), &specification(), &mut arguments, &self.context);
        self.put_integer(MODE, &mut arguments);
        Parameter::write_opaque(("", "blob"), &[0; SMART_LOB_BYTES], &mut arguments, &self.context);
        self.call(Call { routine: Routine::Create, count: 3, arguments, purpose: Purpose::Shell });
        self.wait_for_all();
    }

    /// Moves the position of a descriptor from the start (0), the position (1) or the end (2): the new position.
    pub fn start_lob_seek(&mut self, descriptor: u16, distance: i64, from: u8) {
        self.start_lob_call(Routine::Seek, 4, descriptor, |session, arguments| {
            Parameter::write_int8(distance, arguments);
            session.put_integer(from.into(), arguments);
            Parameter::write_int8(0, arguments);
        });
    }

    /// Asks for the status of a descriptor; [`lob_size`] has the size.
    pub fn start_lob_status(&mut self, descriptor: u16) {
        self.start_lob_call(Routine::Status, 2, descriptor, |session, arguments| {
            Parameter::write_opaque(("", "ifx_lo_stat"), &[0; STATUS_BYTES], arguments, &session.context);
        });
    }

    /// Cuts the value of a descriptor.
    pub fn start_lob_truncate(&mut self, descriptor: u16, size: i64) {
        self.start_lob_call(Routine::Truncate, 2, descriptor, |_, arguments| Parameter::write_int8(size, arguments));
    }

    /// Closes a descriptor.
    pub fn start_lob_close(&mut self, descriptor: u16) {
        self.start_lob_call(Routine::Close, 1, descriptor, |_, _| {});
    }

    /// Reads at most so many bytes from the position of a descriptor.
    pub fn start_lob_read(&mut self, descriptor: u16, bytes: u32) {
        if self.begin() {
            self.send(&[Request::SmartLob(LobAccess::Read { descriptor, bytes })], Group::Piece(Purpose::Shell));
            self.wait_for_all();
        }
    }

    /// Writes bytes at the position of a descriptor.
    pub fn start_lob_write(&mut self, descriptor: u16, bytes: Vec<u8>) {
        if self.begin() {
            self.send(&[Request::SmartLob(LobAccess::Write { descriptor, bytes })], Group::Piece(Purpose::Shell));
            self.wait_for_all();
        }
    }

    /// Closes a descriptor along with the next operation.
    pub fn forget_lob(&mut self, descriptor: u16) {
        if self.phase == Phase::Open {
            let mut arguments = Vec::new();
            self.put_integer(descriptor.into(), &mut arguments);
            self.call(Call { routine: Routine::Close, count: 1, arguments, purpose: Purpose::Closing });
        }
    }

    /// Takes the result of the last operation on a smart large object.
    pub fn lob_answer(&mut self) -> LobAnswer {
        std::mem::take(&mut self.smart_lobs.answer)
    }

    fn start_lob_call(
        &mut self,
        routine: Routine,
        count: u16,
        descriptor: u16,
        write: impl FnOnce(&Session, &mut Vec<u8>),
    ) {
        if !self.begin() {
            return;
        }
        let mut arguments = Vec::new();
        self.put_integer(descriptor.into(), &mut arguments);
        write(self, &mut arguments);
        self.call(Call { routine, count, arguments, purpose: Purpose::Shell });
        self.wait_for_all();
    }

    /// Reads the whole value of a locator into the block of a cursor.
    pub(crate) fn read_whole(&mut self, cursor: u32, place: usize, locator: &[u8]) {
        self.open_value(locator, Purpose::Row(cursor, place, 0));
    }

    fn open_value(&mut self, locator: &[u8], purpose: Purpose) {
        let mut arguments = Vec::new();
        Parameter::write_opaque(("", "blob"), locator, &mut arguments, &self.context);
        self.put_integer(MODE, &mut arguments);
        self.call(Call { routine: Routine::Open, count: 2, arguments, purpose });
    }

    fn put_integer(&self, number: i64, arguments: &mut Vec<u8>) {
        // A small number is held by every parameter.
        drop(Parameter::new(Value::Integer(number)).write(arguments, &self.context));
    }

    /// Sends a call, or asks for the number of its routine first.
    fn call(&mut self, call: Call) {
        if self.smart_lobs.numbers.iter().any(|(known, ..)| *known == call.routine) {
            return self.send_call(call);
        }
        if !self.smart_lobs.asked.contains(&call.routine) {
            self.smart_lobs.asked.push(call.routine);
            let signature = call.routine.signature().to_owned();
            self.send(&[Request::GetRoutine(signature)], Group::Routine(call.routine));
        }
        self.smart_lobs.waiting.push(call);
    }

    fn send_call(&mut self, call: Call) {
        let Some((_, database, number)) = self.smart_lobs.numbers.iter().find(|(known, ..)| *known == call.routine)
        else {
            return;
        };
        let request = Request::CallRoutine {
            database: database.clone(),
            number: *number,
            arguments: call.count,
            has_outputs: false,
        };
        self.put(&request);
        self.output.extend_from_slice(&tag::BIND.to_be_bytes());
        self.output.extend_from_slice(&call.count.to_be_bytes());
        self.output.extend_from_slice(&call.arguments);
        self.end_group(match call.purpose {
            Purpose::Closing => Group::Ignored,
            purpose => Group::Call(purpose),
        });
    }

    /// The answer to GETROUTINE: sends the calls that wait for it.
    pub(crate) fn routine_found(&mut self, routine: Routine, answer: Answer) {
        self.smart_lobs.asked.retain(|asked| *asked != routine);
        let waiting = std::mem::take(&mut self.smart_lobs.waiting);
        let (found, others) = waiting.into_iter().partition(|call| call.routine == routine);
        self.smart_lobs.waiting = others;
        let Some((database, number)) = answer.routine.filter(|_| answer.failure.is_none()) else {
            return self.lob_failed(answer.failure);
        };
        self.smart_lobs.numbers.push((routine, database, number));
        let found: Vec<Call> = found;
        // Nobody waits for the closing of a value.
        let is_awaited = found.iter().any(|call| call.purpose != Purpose::Closing);
        found.into_iter().for_each(|call| self.send_call(call));
        if is_awaited {
            self.wait_for_all();
        }
    }

    fn lob_failed(&mut self, failure: Option<mainstay_sqli::Failure>) {
        let fault = failure.map_or_else(|| Fault::Usage(NO_VALUES.to_owned()), Fault::Server);
        self.fault.get_or_insert(fault);
    }

    /// The answer to a call.
    pub(crate) fn called(&mut self, purpose: Purpose, answer: Answer) {
        if answer.failure.is_some() || answer.values.is_empty() {
            return self.lob_failed(answer.failure);
        }
        let number = |value: &RoutineValue| match value {
            RoutineValue::Integer(number) => Some(i64::from(*number)),
            RoutineValue::Int8(number) => Some(*number),
            RoutineValue::Opaque(..) | RoutineValue::Encoded(_) => None,
        };
        let numbers: Vec<i64> = answer.values.iter().filter_map(number).collect();
        match purpose {
            Purpose::Shell => {
                let opaque = answer.values.into_iter().find_map(|value| match value {
                    RoutineValue::Opaque(_, bytes) => Some(bytes),
                    _ => None,
                });
                self.smart_lobs.answer =
                    LobAnswer { numbers, opaque: opaque.unwrap_or_default(), ..LobAnswer::default() };
            }
            Purpose::Row(cursor, place, _) => match numbers.first().and_then(|number| u16::try_from(*number).ok()) {
                Some(descriptor) => self.read_piece(cursor, place, descriptor),
                None => self.lob_failed(None),
            },
            Purpose::Closing => {}
        }
    }

    fn read_piece(&mut self, cursor: u32, place: usize, descriptor: u16) {
        let access = LobAccess::Read { descriptor, bytes: PIECE_BYTES };
        self.send(&[Request::SmartLob(access)], Group::Piece(Purpose::Row(cursor, place, descriptor)));
        self.wait_for_all();
    }

    /// The answer to LODATA.
    pub(crate) fn piece(&mut self, purpose: Purpose, answer: Answer) {
        if answer.failure.is_some() {
            self.lob_failed(answer.failure);
        } else if purpose == Purpose::Shell {
            self.smart_lobs.answer = LobAnswer { bytes: answer.lob, written: answer.written, ..LobAnswer::default() };
            return;
        } else if let Purpose::Row(cursor, place, descriptor) = purpose {
            let is_whole = answer.lob.len() < PIECE_BYTES as usize;
            let block = self.cursors.get_mut(&cursor).map(|cursor| &mut cursor.block);
            if let Some(value) = block.and_then(|block| block.lobs.get_mut(place)) {
                value.extend_from_slice(&answer.lob);
            }
            if !is_whole {
                return self.read_piece(cursor, place, descriptor);
            }
        }
        if let Purpose::Row(_, _, descriptor) = purpose {
            self.forget_lob(descriptor);
        }
    }
}

/// The `ifx_lo_spec` of a value with the properties of its column: as IBM's JDBC driver 4.50.11 sends it.
fn specification() -> [u8; 596] {
    let mut bytes = [0; 596];
    bytes[..4].copy_from_slice(&[0xDA, 0xDA, 0xFE, 0xED]);
    (bytes[15], bytes[27]) = (1, 1);
    for unset in [20..22, 32..34, 36..40, 572..580] {
        bytes[unset].fill(0xFF);
    }
    bytes
}

/// The size in an `ifx_lo_stat`: an INT8 whose low word is at offset 4.
pub fn lob_size(status: &[u8]) -> Option<u64> {
    let word = |at: usize| status.get(at..)?.first_chunk().copied().map(u32::from_be_bytes);
    Some((u64::from(word(8)?) << 32) | u64::from(word(4)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_value_has_its_low_word_first() {
        let mut status = vec![0; STATUS_BYTES];
        status[4..8].copy_from_slice(&7_u32.to_be_bytes());
        status[8..12].copy_from_slice(&1_u32.to_be_bytes());
        assert_eq!(lob_size(&status), Some((1 << 32) + 7));
        assert_eq!(lob_size(&[0; 8]), None);
    }
}
