//! Smart large objects: the values of BLOB and CLOB columns that a client reads and writes through the fast path.
//!
//! ```text
//!   a row        locator of a value that the connection keeps     --ifx_lo_open--> descriptor --LODATA--> bytes
//!   a parameter  ifx_lo_create --> locator, descriptor --LODATA--> bytes; BIND of the locator stores them
//! ```
//!
//! A value is kept from the row that shows it, or from its creation, until newer ones need its room: 64 MB of values that
//! were read, 256 MB of values that are written. A server changes the value of a column in place when a client writes to
//! it; here columns change by UPDATE alone, so that such a value is open for reading only (-12009).
//!
//! The layout of `ifx_lo_stat` was found by what IBM's drivers make of it: the size at offset 4, low word first, its sign
//! at offset 12.

use mainstay_session::Failure;
use mainstay_sqli::{LobAccess, Parameter, Reply, RoutineValue, SMART_LOB_BYTES};
use mainstay_types::Value;
use std::collections::BTreeMap;

/// The most bytes of values that rows have shown.
const MOST_SHOWN_BYTES: usize = 64 << 20;
/// The most bytes of values that are written.
const MOST_WRITTEN_BYTES: usize = 256 << 20;
/// The most descriptors that are open.
const MOST_OPEN: usize = 1024;
/// The first bytes of a locator.
const MARK: [u8; 8] = *b"mainstay";
/// The bytes of an `ifx_lo_stat`.
const STATUS_BYTES: usize = 644;

/// A routine of the fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Routine {
    Open,
    Close,
    Create,
    ColumnInfo,
    Status,
    Seek,
    Tell,
    Truncate,
}

/// The routines by their names; a routine's number is its place, from 1.
const ROUTINES: [(&str, Routine); 8] = [
    ("ifx_lo_open", Routine::Open),
    ("ifx_lo_close", Routine::Close),
    ("ifx_lo_create", Routine::Create),
    ("ifx_lo_col_sbinfo", Routine::ColumnInfo),
    ("ifx_lo_stat", Routine::Status),
    ("ifx_lo_seek", Routine::Seek),
    ("ifx_lo_tell", Routine::Tell),
    ("ifx_lo_truncate", Routine::Truncate),
];

struct Lob {
    bytes: Vec<u8>,
    /// It is one that the client creates.
    is_new: bool,
}

struct Open {
    lob: u64,
    position: usize,
}

/// The smart large objects of a connection.
#[derive(Default)]
pub(super) struct SmartLobs {
    /// The values by the numbers in their locators, the oldest first.
    lobs: BTreeMap<u64, Lob>,
    open: BTreeMap<u16, Open>,
    last: u64,
    shown_bytes: usize,
    written_bytes: usize,
    /// The routine whose arguments follow.
    called: Option<Routine>,
}

fn failure(number: i32, message: impl Into<String>) -> Failure {
    Failure { number, message: message.into(), ..Failure::default() }
}

/// -12053: the descriptor or locator is not valid.
fn invalid() -> Failure {
    failure(-12053, "the smart large object is not there, or not any more")
}

fn locator(number: u64) -> Vec<u8> {
    let mut bytes = vec![0; SMART_LOB_BYTES];
    bytes.splice(..MARK.len(), MARK);
    bytes.splice(MARK.len()..2 * MARK.len(), number.to_be_bytes());
    bytes
}

fn number_of(locator: &[u8]) -> Option<u64> {
    let rest = locator.strip_prefix(&MARK).filter(|_| locator.len() == SMART_LOB_BYTES)?;
    rest.first_chunk().copied().map(u64::from_be_bytes)
}

fn integer(parameters: &[Parameter], place: usize) -> Result<i64, Failure> {
    match parameters.get(place).map(|parameter| &parameter.value) {
        Some(Value::Integer(number)) => Ok(*number),
        _ => Err(failure(-674, "a routine of smart large objects has other arguments")),
    }
}

fn bytes(parameters: &[Parameter], place: usize) -> &[u8] {
    match parameters.get(place).map(|parameter| &parameter.value) {
        Some(Value::Binary(bytes)) => bytes,
        _ => &[],
    }
}

impl SmartLobs {
    /// The number of a routine; `None` for one that is not of smart large objects.
    pub fn routine(signature: &str) -> Option<u32> {
        let name = signature.split('(').next()?.trim().rsplit(['.', ' ']).next()?;
        let place = ROUTINES.iter().position(|(known, _)| name.eq_ignore_ascii_case(known))?;
        u32::try_from(place + 1).ok()
    }

    /// Keeps a value of a row, and gives its locator.
    pub fn shown(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.shown_bytes += bytes.len();
        let number = self.add(Lob { bytes: bytes.to_vec(), is_new: false });
        while self.shown_bytes > MOST_SHOWN_BYTES {
            let oldest =
                self.lobs.iter().find(|(known, lob)| !lob.is_new && **known != number).map(|(known, _)| *known);
            let Some(lob) = oldest.and_then(|oldest| self.lobs.remove(&oldest)) else { break };
            self.shown_bytes -= lob.bytes.len();
        }
        locator(number)
    }

    fn add(&mut self, lob: Lob) -> u64 {
        self.last += 1;
        self.lobs.insert(self.last, lob);
        self.last
    }

    /// The bytes of a locator that a client binds; `None` for bytes that are no locator.
    ///
    /// Errors: -12053 for the locator of a value that is not kept any more.
    pub fn bound(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        match number_of(bytes) {
            Some(number) => self.lobs.get(&number).map(|lob| Some(lob.bytes.clone())).ok_or_else(invalid),
            None => Ok(None),
        }
    }

    /// Forgets the values that were written, when they are stored or given up: at the end of a transaction.
    pub fn end_transaction(&mut self) {
        let open: Vec<u64> = self.open.values().map(|open| open.lob).collect();
        self.lobs.retain(|number, lob| !lob.is_new || open.contains(number));
        self.written_bytes = self.lobs.values().filter(|lob| lob.is_new).map(|lob| lob.bytes.len()).sum();
    }

    /// Notes a call whose arguments follow.
    ///
    /// Errors: -674 for an unknown number.
    pub fn call(&mut self, number: u32) -> Result<(), Failure> {
        let place = (number as usize).wrapping_sub(1);
        let (_, routine) = ROUTINES.get(place).ok_or_else(|| failure(-674, "the routine is not there"))?;
        self.called = Some(*routine);
        Ok(())
    }

    /// True if the parameters that come next are arguments of a routine.
    pub fn is_called(&self) -> bool {
        self.called.is_some()
    }

    /// Runs the routine that was called.
    ///
    /// Errors: -12053, -12009, -674.
    pub fn run(&mut self, parameters: &[Parameter]) -> Result<Vec<RoutineValue>, Failure> {
        let Some(routine) = self.called.take() else { return Ok(Vec::new()) };
        let descriptor = || integer(parameters, 0).map(|number| u16::try_from(number).unwrap_or(u16::MAX));
        Ok(match routine {
            Routine::Open => {
                let number = number_of(bytes(parameters, 0)).filter(|number| self.lobs.contains_key(number));
                vec![RoutineValue::Integer(self.open(number.ok_or_else(invalid)?)?)]
            }
            Routine::Create => {
                let number = self.add(Lob { bytes: Vec::new(), is_new: true });
                let descriptor = self.open(number)?;
                vec![RoutineValue::Opaque("blob".to_owned(), locator(number)), RoutineValue::Integer(descriptor)]
            }
            Routine::ColumnInfo => {
                let specification = bytes(parameters, 1).to_vec();
                vec![RoutineValue::Opaque("ifx_lo_spec".to_owned(), specification), RoutineValue::Integer(0)]
            }
            Routine::Close => {
                self.open.remove(&descriptor()?).ok_or_else(invalid)?;
                vec![RoutineValue::Integer(0), RoutineValue::Integer(0)]
            }
            Routine::Status => {
                let (lob, _) = self.opened(descriptor()?)?;
                vec![RoutineValue::Opaque("ifx_lo_stat".to_owned(), status(lob.bytes.len()))]
            }
            Routine::Tell => {
                let (_, position) = self.opened(descriptor()?)?;
                vec![RoutineValue::Int8(*position as i64), RoutineValue::Integer(0)]
            }
            Routine::Seek => {
                let (lob, position) = self.opened(descriptor()?)?;
                let from = match integer(parameters, 2)? {
                    0 => 0,
                    1 => *position as i64,
                    _ => lob.bytes.len() as i64,
                };
                let target = from.saturating_add(integer(parameters, 1)?);
                *position = usize::try_from(target).map_err(|_| failure(-12014, "a position before the first byte"))?;
                vec![RoutineValue::Int8(target), RoutineValue::Integer(0)]
            }
            Routine::Truncate => {
                let size = usize::try_from(integer(parameters, 1)?).unwrap_or(0);
                let (lob, _) = self.opened(descriptor()?)?;
                if !lob.is_new {
                    return Err(read_only());
                }
                let before = lob.bytes.len();
                lob.bytes.truncate(size);
                let lost = before - lob.bytes.len();
                self.written_bytes = self.written_bytes.saturating_sub(lost);
                vec![RoutineValue::Integer(0), RoutineValue::Integer(0)]
            }
        })
    }

    fn open(&mut self, lob: u64) -> Result<i32, Failure> {
        if self.open.len() >= MOST_OPEN {
            return Err(failure(-12096, format!("more than {MOST_OPEN} smart large objects are open")));
        }
        let free = (0_u16..).zip(self.open.keys()).find(|(number, used)| number != *used).map(|(number, _)| number);
        let free = free.unwrap_or(self.open.len() as u16);
        self.open.insert(free, Open { lob, position: 0 });
        Ok(free.into())
    }

    fn opened(&mut self, descriptor: u16) -> Result<(&mut Lob, &mut usize), Failure> {
        let open = self.open.get_mut(&descriptor).ok_or_else(invalid)?;
        let lob = self.lobs.get_mut(&open.lob).ok_or_else(invalid)?;
        Ok((lob, &mut open.position))
    }

    /// Reads or writes bytes.
    ///
    /// Errors: -12053, -12009; -12048 beyond the bytes that a connection may write.
    pub fn access(&mut self, access: LobAccess) -> Result<Reply, Failure> {
        match access {
            LobAccess::Read { descriptor, bytes } => {
                let (lob, position) = self.opened(descriptor)?;
                let rest = lob.bytes.get(*position..).unwrap_or_default();
                let read = rest.get(..bytes as usize).unwrap_or(rest).to_vec();
                *position += read.len();
                Ok(Reply::SmartLob(read))
            }
            LobAccess::Write { descriptor, bytes } => {
                let written = self.written_bytes + bytes.len();
                let (lob, position) = self.opened(descriptor)?;
                let end = position.saturating_add(bytes.len());
                if !lob.is_new {
                    return Err(read_only());
                }
                if written > MOST_WRITTEN_BYTES || end > MOST_WRITTEN_BYTES {
                    let message =
                        format!("the smart large objects of a connection have more than {MOST_WRITTEN_BYTES} bytes");
                    return Err(failure(-12048, message));
                }
                let before = lob.bytes.len();
                lob.bytes.resize(before.max(end), 0);
                if let Some(place) = lob.bytes.get_mut(*position..end) {
                    place.copy_from_slice(&bytes);
                }
                *position = end;
                let grown = lob.bytes.len() - before;
                self.written_bytes += grown;
                Ok(Reply::SmartLobWritten(u32::try_from(bytes.len()).unwrap_or(u32::MAX)))
            }
        }
    }
}

fn read_only() -> Failure {
    failure(-12009, "the value of a column is changed by UPDATE, not in place")
}

fn status(size: usize) -> Vec<u8> {
    let mut bytes = vec![0; STATUS_BYTES];
    bytes.splice(4..8, (size as u32).to_be_bytes());
    bytes.splice(8..12, ((size as u64 >> 32) as u32).to_be_bytes());
    bytes.splice(12..14, [0, 1]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: Value) -> Parameter {
        Parameter::new(value)
    }

    fn run(lobs: &mut SmartLobs, name: &str, parameters: &[Parameter]) -> Result<Vec<RoutineValue>, i32> {
        let number = SmartLobs::routine(&format!("function informix.{name}(int)")).unwrap();
        lobs.call(number).unwrap();
        lobs.run(parameters).map_err(|failure| failure.number)
    }

    #[test]
    fn a_value_is_created_written_and_bound() {
        let mut lobs = SmartLobs::default();
        let created = run(&mut lobs, "ifx_lo_create", &[]).unwrap();
        let [RoutineValue::Opaque(_, locator), RoutineValue::Integer(descriptor)] = &created[..] else {
            panic!("{created:?}")
        };
        let descriptor = *descriptor as u16;
        let write = |bytes: &[u8]| LobAccess::Write { descriptor, bytes: bytes.to_vec() };
        lobs.access(write(b"hello ")).unwrap();
        lobs.access(write(b"world")).unwrap();
        let seek = [of(Value::Integer(0)), of(Value::Integer(-5)), of(Value::Integer(2))];
        assert_eq!(run(&mut lobs, "ifx_lo_seek", &seek).unwrap()[0], RoutineValue::Int8(6));
        assert_eq!(
            lobs.access(LobAccess::Read { descriptor, bytes: 100 }).unwrap(),
            Reply::SmartLob(b"world".to_vec())
        );
        assert_eq!(
            run(&mut lobs, "ifx_lo_truncate", &[of(Value::Integer(0)), of(Value::Integer(5))]).map(drop),
            Ok(())
        );
        assert_eq!(lobs.bound(locator).unwrap(), Some(b"hello".to_vec()));
        assert_eq!(run(&mut lobs, "ifx_lo_close", &[of(Value::Integer(0))]).map(drop), Ok(()));
        assert_eq!(run(&mut lobs, "ifx_lo_close", &[of(Value::Integer(0))]), Err(-12053));
        lobs.end_transaction();
        assert_eq!(lobs.bound(locator).unwrap_err().number, -12053);
        assert_eq!(lobs.bound(b"plain bytes").unwrap(), None);
    }

    #[test]
    fn values_of_rows_are_read_only_and_the_oldest_go_first() {
        let mut lobs = SmartLobs::default();
        let first = lobs.shown(&vec![1; MOST_SHOWN_BYTES / 2]);
        let second = lobs.shown(&vec![2; MOST_SHOWN_BYTES / 2]);
        assert!(lobs.bound(&first).is_ok());
        lobs.shown(b"third");
        assert_eq!(lobs.bound(&first).unwrap_err().number, -12053);
        assert_eq!(run(&mut lobs, "ifx_lo_open", &[of(Value::Binary(second))]).unwrap(), [RoutineValue::Integer(0)]);
        let write = LobAccess::Write { descriptor: 0, bytes: vec![1] };
        assert_eq!(lobs.access(write).unwrap_err().number, -12009);
        assert_eq!(SmartLobs::routine("function informix.other(int)"), None);
    }
}
