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
//! Two callers use it. An operation of the shell ([`Lobs`]) is one call, of which [`Lobs::take_answer`] has the result. A fetch
//! of rows reads the values of their locators by itself: it opens all of them in one round trip, reads them in the next, and
//! closes them in passing. Their bytes are given back as [`Piece`]s.
//!
//! Limits: the routines, their signatures and their arguments are those that IBM's JDBC drivers call.

use crate::group::{Answer, Group};
use crate::link::{Fault, Link, Phase};
use crate::routine::{Purpose, Routine};
use mainstay_sqli::{Context, Failure, LobAccess, Parameter, Request, RoutineValue, SMART_LOB_BYTES, tag};
use mainstay_types::Value;

/// Bytes that a fetch of rows reads of a value at a time.
const PIECE_BYTES: u32 = 1 << 20;
/// Bytes of `ifx_lo_stat`.
const STATUS_BYTES: usize = 644;
/// Access mode of `ifx_lo_open` and `ifx_lo_create`.
const MODE: i64 = 8;
const NO_VALUES: &str = "the server gives no values for a routine of smart large objects";

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

/// The next bytes of the value of a row.
pub(crate) struct Piece {
    pub cursor: u32,
    /// Its place among the values of the block.
    pub place: usize,
    pub bytes: Vec<u8>,
}

/// The routines of a session, and the calls that wait for their numbers.
#[derive(Debug, Default)]
pub(crate) struct SmartLobs {
    numbers: Vec<(Routine, String, u32)>,
    asked: Vec<Routine>,
    waiting: Vec<Call>,
    answer: LobAnswer,
}

/// The operations of a session on smart large objects.
pub struct Lobs<'s> {
    state: &'s mut SmartLobs,
    link: &'s mut Link,
}

impl<'s> Lobs<'s> {
    pub(crate) fn new(state: &'s mut SmartLobs, link: &'s mut Link) -> Lobs<'s> {
        Lobs { state, link }
    }

    /// Opens a value of a row for reading: a descriptor.
    pub fn start_open(&mut self, locator: &[u8]) {
        if self.link.begin() {
            self.state.open(locator, Purpose::Shell, self.link);
            self.link.wait_for_all();
        }
    }

    /// Creates a value: its locator and a descriptor. It is a BLOB or a CLOB by the parameter that it is bound to.
    pub fn start_create(&mut self) {
        self.start_call(Routine::Create, 3, |arguments, context| {
            Parameter::write_opaque(("", "ifx_lo_spec"), &specification(), arguments, context);
            put_integer(MODE, arguments, context);
            Parameter::write_opaque(("", "blob"), &[0; SMART_LOB_BYTES], arguments, context);
        });
    }

    /// Moves the position of a descriptor from the start (0), the position (1) or the end (2): the new position.
    pub fn start_seek(&mut self, descriptor: u16, distance: i64, from: u8) {
        self.start_call(Routine::Seek, 4, |arguments, context| {
            put_integer(descriptor.into(), arguments, context);
            Parameter::write_int8(distance, arguments);
            put_integer(from.into(), arguments, context);
            Parameter::write_int8(0, arguments);
        });
    }

    /// Asks for the status of a descriptor; [`lob_size`] has the size.
    pub fn start_status(&mut self, descriptor: u16) {
        self.start_call(Routine::Status, 2, |arguments, context| {
            put_integer(descriptor.into(), arguments, context);
            Parameter::write_opaque(("", "ifx_lo_stat"), &[0; STATUS_BYTES], arguments, context);
        });
    }

    /// Cuts the value of a descriptor.
    pub fn start_truncate(&mut self, descriptor: u16, size: i64) {
        self.start_call(Routine::Truncate, 2, |arguments, context| {
            put_integer(descriptor.into(), arguments, context);
            Parameter::write_int8(size, arguments);
        });
    }

    /// Closes a descriptor.
    pub fn start_close(&mut self, descriptor: u16) {
        self.start_call(Routine::Close, 1, |arguments, context| put_integer(descriptor.into(), arguments, context));
    }

    /// Reads at most so many bytes from the position of a descriptor.
    pub fn start_read(&mut self, descriptor: u16, bytes: u32) {
        self.start_access(LobAccess::Read { descriptor, bytes });
    }

    /// Writes bytes at the position of a descriptor.
    pub fn start_write(&mut self, descriptor: u16, bytes: Vec<u8>) {
        self.start_access(LobAccess::Write { descriptor, bytes });
    }

    /// Closes a descriptor along with the next operation.
    pub fn forget(&mut self, descriptor: u16) {
        self.state.forget(descriptor, self.link);
    }

    /// Takes the result of the last operation on a smart large object.
    pub fn take_answer(&mut self) -> LobAnswer {
        std::mem::take(&mut self.state.answer)
    }

    fn start_access(&mut self, access: LobAccess) {
        self.link.start(&[Request::SmartLob(access)], Group::Piece(Purpose::Shell));
    }

    fn start_call(&mut self, routine: Routine, count: u16, write: impl FnOnce(&mut Vec<u8>, &Context)) {
        if !self.link.begin() {
            return;
        }
        let mut arguments = Vec::new();
        write(&mut arguments, &self.link.context);
        self.state.call(Call { routine, count, arguments, purpose: Purpose::Shell }, self.link);
        self.link.wait_for_all();
    }
}

impl SmartLobs {
    /// Reads the whole value of a locator, for its place in the block of a cursor.
    pub fn read_whole(&mut self, cursor: u32, place: usize, locator: &[u8], link: &mut Link) {
        self.open(locator, Purpose::Row(cursor, place, 0), link);
    }

    fn open(&mut self, locator: &[u8], purpose: Purpose, link: &mut Link) {
        let mut arguments = Vec::new();
        Parameter::write_opaque(("", "blob"), locator, &mut arguments, &link.context);
        put_integer(MODE, &mut arguments, &link.context);
        self.call(Call { routine: Routine::Open, count: 2, arguments, purpose }, link);
    }

    /// Closes a descriptor in passing.
    fn forget(&mut self, descriptor: u16, link: &mut Link) {
        if link.phase == Phase::Open {
            let mut arguments = Vec::new();
            put_integer(descriptor.into(), &mut arguments, &link.context);
            self.call(Call { routine: Routine::Close, count: 1, arguments, purpose: Purpose::Closing }, link);
        }
    }

    /// Sends a call, or asks for the number of its routine first.
    fn call(&mut self, call: Call, link: &mut Link) {
        if self.numbers.iter().any(|(known, ..)| *known == call.routine) {
            return self.send(call, link);
        }
        if !self.asked.contains(&call.routine) {
            self.asked.push(call.routine);
            let signature = call.routine.signature().to_owned();
            link.send(&[Request::GetRoutine(signature)], Group::Routine(call.routine));
        }
        self.waiting.push(call);
    }

    fn send(&self, call: Call, link: &mut Link) {
        let Some((_, database, number)) = self.numbers.iter().find(|(known, ..)| *known == call.routine) else {
            return;
        };
        let request = Request::CallRoutine {
            database: database.clone(),
            number: *number,
            arguments: call.count,
            has_outputs: false,
        };
        link.put(&request);
        link.output.extend_from_slice(&tag::BIND.to_be_bytes());
        link.output.extend_from_slice(&call.count.to_be_bytes());
        link.output.extend_from_slice(&call.arguments);
        link.end_group(match call.purpose {
            Purpose::Closing => Group::Ignored,
            purpose => Group::Call(purpose),
        });
    }

    /// The answer to GETROUTINE: sends the calls that wait for it.
    pub fn routine_found(&mut self, routine: Routine, answer: Answer, link: &mut Link) {
        self.asked.retain(|asked| *asked != routine);
        let waiting = std::mem::take(&mut self.waiting);
        let (found, others): (Vec<Call>, _) = waiting.into_iter().partition(|call| call.routine == routine);
        self.waiting = others;
        let Some((database, number)) = answer.routine.filter(|_| answer.failure.is_none()) else {
            return fail(answer.failure, link);
        };
        self.numbers.push((routine, database, number));
        // Nobody waits for the closing of a value.
        let is_awaited = found.iter().any(|call| call.purpose != Purpose::Closing);
        found.into_iter().for_each(|call| self.send(call, link));
        if is_awaited {
            link.wait_for_all();
        }
    }

    /// The answer to a call.
    pub fn called(&mut self, purpose: Purpose, answer: Answer, link: &mut Link) {
        if answer.failure.is_some() || answer.values.is_empty() {
            return fail(answer.failure, link);
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
                self.answer = LobAnswer { numbers, opaque: opaque.unwrap_or_default(), ..LobAnswer::default() };
            }
            Purpose::Row(cursor, place, _) => match numbers.first().and_then(|number| u16::try_from(*number).ok()) {
                Some(descriptor) => read_piece(cursor, place, descriptor, link),
                None => fail(None, link),
            },
            Purpose::Closing => {}
        }
    }

    /// The answer to LODATA; bytes of the value of a row are given back.
    pub fn accessed(&mut self, purpose: Purpose, answer: Answer, link: &mut Link) -> Option<Piece> {
        let has_failed = answer.failure.is_some();
        if has_failed {
            fail(answer.failure, link);
        }
        match purpose {
            Purpose::Shell if !has_failed => {
                self.answer = LobAnswer { bytes: answer.lob, written: answer.written, ..LobAnswer::default() };
                None
            }
            Purpose::Row(cursor, place, descriptor) => {
                let is_whole = has_failed || answer.lob.len() < PIECE_BYTES as usize;
                match is_whole {
                    true => self.forget(descriptor, link),
                    false => read_piece(cursor, place, descriptor, link),
                }
                (!has_failed).then_some(Piece { cursor, place, bytes: answer.lob })
            }
            Purpose::Shell | Purpose::Closing => None,
        }
    }
}

fn read_piece(cursor: u32, place: usize, descriptor: u16, link: &mut Link) {
    let access = LobAccess::Read { descriptor, bytes: PIECE_BYTES };
    link.send(&[Request::SmartLob(access)], Group::Piece(Purpose::Row(cursor, place, descriptor)));
    link.wait_for_all();
}

fn put_integer(number: i64, arguments: &mut Vec<u8>, context: &Context) {
    // A small number is held by every parameter.
    drop(Parameter::new(Value::Integer(number)).write(arguments, context));
}

fn fail(failure: Option<Failure>, link: &mut Link) {
    let fault = failure.map_or_else(|| Fault::Usage(NO_VALUES.to_owned()), Fault::Server);
    link.fault.get_or_insert(fault);
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
