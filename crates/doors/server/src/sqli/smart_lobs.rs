//! Smart large objects: the values of BLOB and CLOB columns that a client reads and writes through the fast path.
//!
//! ```text
//!   a row        locator of a value that the connection keeps     --ifx_lo_open--> descriptor --LODATA--> bytes
//!   a parameter  ifx_lo_create --> locator, descriptor --LODATA--> bytes; BIND of the locator stores them
//! ```
//!
//! A value of a row is kept until newer ones need its room: 64 MB, beside the values of the running fetch, those of rows that
//! wait for the next fetch of their cursors (up to 256 MB), and those that are open. A fetch ends early when its values have 16 MB. A value that the client writes is kept until its transaction
//! ends, up to 256 MB; outside of a transaction it becomes a value that was read, once the statement that it was bound to
//! is done and it is closed. A server changes the value of a column in place when a client writes to
//! it; here columns change by UPDATE alone, so that such a value is open for reading only (-12009).
//!
//! The layout of `ifx_lo_stat` was found by what IBM's drivers make of it: the size at offset 4, low word first, its sign
//! at offset 12.

use mainstay_session::Failure;
use mainstay_sqli::{LobAccess, Parameter, Reply, RoutineValue, SMART_LOB_BYTES};
use mainstay_types::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::{Arc, Weak};

/// The most bytes of values that rows have shown.
const MOST_SHOWN_BYTES: usize = 64 << 20;
/// The bytes of values up to which those of waiting rows are kept.
const MOST_PINNED_BYTES: usize = 256 << 20;
/// The most bytes of values that are written.
const MOST_WRITTEN_BYTES: usize = 256 << 20;
/// The bytes of values after which a fetch ends.
pub(super) const MOST_FETCHED_BYTES: usize = 16 << 20;
/// The most values that are written.
const MOST_WRITTEN: usize = 1 << 18;
/// The bytes that a value is counted with, beside its own.
pub(super) const OVERHEAD: usize = 128;
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
    /// A statement has got its value.
    is_bound: bool,
    /// It is one that the client has created, and that a statement has stored.
    is_stored: bool,
}

fn cost(lob: &Lob) -> usize {
    lob.bytes.len() + OVERHEAD
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
    /// The last value before those of the running fetch.
    before_fetch: u64,
    fetched_bytes: usize,
    /// The values of rows that cursors have read and not sent, while their cursors hold the pin.
    pinned: Vec<(Weak<()>, RangeInclusive<u64>)>,
    /// The routine whose arguments follow.
    called: Option<Routine>,
}

/// Keeps the values of a row that a cursor has read and not sent, until it is dropped.
pub(super) struct Pin {
    /// Held for its end alone.
    _held: Arc<()>,
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
        let lob = Lob { bytes: bytes.to_vec(), is_new: false, is_bound: false, is_stored: false };
        self.shown_bytes += cost(&lob);
        self.fetched_bytes += cost(&lob);
        let number = self.add(lob);
        make_room(self);
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
    pub fn bound(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let Some(number) = number_of(bytes) else { return Ok(None) };
        let lob = self.lobs.get_mut(&number).ok_or_else(invalid)?;
        lob.is_bound = true;
        Ok(Some(lob.bytes.clone()))
    }

    /// Forgets the values that were written, when they are stored or given up: at the end of a transaction.
    pub fn end_transaction(&mut self) {
        let open: Vec<u64> = self.open.values().map(|open| open.lob).collect();
        self.lobs.retain(|number, lob| !lob.is_new || open.contains(number));
        self.written_bytes = self.lobs.values().filter(|lob| lob.is_new).map(cost).sum();
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
                let lob = Lob { bytes: Vec::new(), is_new: true, is_bound: false, is_stored: false };
                let is_full = self.written_bytes + cost(&lob) > MOST_WRITTEN_BYTES;
                if is_full || (self.lobs.len() >= MOST_WRITTEN && written(self) >= MOST_WRITTEN) {
                    return Err(too_many());
                }
                let descriptor = self.open(self.last + 1)?;
                self.written_bytes += cost(&lob);
                let number = self.add(lob);
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
                    return Err(too_many());
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

/// Forgets a call whose arguments have not come.
pub(super) fn forget_call(lobs: &mut SmartLobs) {
    lobs.called = None;
}

/// Begins a fetch, whose values stay until the next one.
///
/// `before` is the last value before those of a row that the fetch before has read and not sent.
pub(super) fn begin_fetch(lobs: &mut SmartLobs, before: Option<u64>) {
    lobs.before_fetch = before.unwrap_or(lobs.last);
    lobs.fetched_bytes = 0;
}

/// Keeps the values behind this one, those of a row that waits for the next fetch of its cursor; `None` without any.
pub(super) fn pin(lobs: &mut SmartLobs, before: u64) -> Option<Pin> {
    let values = (before + 1)..=lobs.last;
    if values.is_empty() {
        return None;
    }
    let held = Arc::new(());
    lobs.pinned.push((Arc::downgrade(&held), values));
    Some(Pin { _held: held })
}

/// The number of the last value.
pub(super) fn last(lobs: &SmartLobs) -> u64 {
    lobs.last
}

/// True if the running fetch has to end.
pub(super) fn is_fetch_full(lobs: &SmartLobs) -> bool {
    lobs.fetched_bytes > MOST_FETCHED_BYTES
}

/// Ends a statement outside of a transaction: the values that it has stored are like those of rows.
pub(super) fn end_statement(lobs: &mut SmartLobs) {
    if lobs.written_bytes == 0 {
        return;
    }
    let open: BTreeSet<u64> = lobs.open.values().map(|open| open.lob).collect();
    let is_stored = |number: &u64, lob: &Lob| lob.is_new && lob.is_bound && !open.contains(number);
    for (_, lob) in lobs.lobs.iter_mut().filter(|(number, lob)| is_stored(number, lob)) {
        (lob.is_new, lob.is_stored) = (false, true);
        lobs.written_bytes = lobs.written_bytes.saturating_sub(cost(lob));
        lobs.shown_bytes += cost(lob);
    }
    make_room(lobs);
}

/// Forgets the oldest values of rows, but those of the running fetch and those that are open.
fn make_room(lobs: &mut SmartLobs) {
    if lobs.shown_bytes <= MOST_SHOWN_BYTES {
        return;
    }
    let open: BTreeSet<u64> = lobs.open.values().map(|open| open.lob).collect();
    let mut excess = lobs.shown_bytes - MOST_SHOWN_BYTES;
    let mut old = Vec::new();
    lobs.pinned.retain(|(pin, _)| pin.strong_count() > 0);
    // Rows that wait at many cursors must not keep values without a limit.
    let may_pin = lobs.shown_bytes <= MOST_PINNED_BYTES;
    let is_pinned = |number: &u64| may_pin && lobs.pinned.iter().any(|(_, values)| values.contains(number));
    for (number, lob) in &lobs.lobs {
        if excess == 0 {
            break;
        }
        let is_of_fetch = *number > lobs.before_fetch && !lob.is_stored;
        if !lob.is_new && !is_of_fetch && !open.contains(number) && !is_pinned(number) {
            old.push(*number);
            excess = excess.saturating_sub(cost(lob));
        }
    }
    for number in old {
        let freed = lobs.lobs.remove(&number).as_ref().map_or(0, cost);
        lobs.shown_bytes = lobs.shown_bytes.saturating_sub(freed);
    }
}

/// The number of values that are written.
fn written(lobs: &SmartLobs) -> usize {
    lobs.lobs.values().filter(|lob| lob.is_new).count()
}

/// -12048: no room for what a client writes.
fn too_many() -> Failure {
    let message = format!(
        "a transaction writes at most {MOST_WRITTEN} smart large objects and {MOST_WRITTEN_BYTES} bytes of them: commit more often"
    );
    failure(-12048, message)
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
        let first = lobs.shown(&vec![1; MOST_SHOWN_BYTES / 2 - OVERHEAD]);
        begin_fetch(&mut lobs, None);
        let second = lobs.shown(&vec![2; MOST_SHOWN_BYTES / 2 - OVERHEAD]);
        assert!(is_fetch_full(&lobs));
        assert!(lobs.bound(&first).is_ok());
        begin_fetch(&mut lobs, None);
        lobs.shown(b"third");
        assert_eq!(lobs.bound(&first).unwrap_err().number, -12053);
        assert_eq!(run(&mut lobs, "ifx_lo_open", &[of(Value::Binary(second))]).unwrap(), [RoutineValue::Integer(0)]);
        let write = LobAccess::Write { descriptor: 0, bytes: vec![1] };
        assert_eq!(lobs.access(write).unwrap_err().number, -12009);
        assert_eq!(SmartLobs::routine("function informix.other(int)"), None);
    }

    #[test]
    fn values_of_the_running_fetch_and_open_ones_stay() {
        let mut lobs = SmartLobs::default();
        let open = lobs.shown(&vec![1; MOST_SHOWN_BYTES / 2]);
        run(&mut lobs, "ifx_lo_open", &[of(Value::Binary(open.clone()))]).unwrap();
        let closed = lobs.shown(b"closed");
        begin_fetch(&mut lobs, None);
        assert!(!is_fetch_full(&lobs));
        let running = [lobs.shown(&vec![2; MOST_SHOWN_BYTES]), lobs.shown(&vec![3; MOST_SHOWN_BYTES])];
        assert!(lobs.bound(&closed).is_err());
        assert!(running.iter().chain([&open]).all(|locator| lobs.bound(locator).is_ok()));
    }

    #[test]
    fn values_of_a_row_that_waits_stay_until_its_cursor_has_sent_it() {
        let mut lobs = SmartLobs::default();
        begin_fetch(&mut lobs, None);
        lobs.shown(b"sent");
        let before = last(&lobs);
        let waiting = lobs.shown(b"of the row that waits");
        let held = pin(&mut lobs, before);
        let newest = last(&lobs);
        assert!(pin(&mut lobs, newest).is_none());
        // Another cursor fetches more than the connection keeps.
        for _ in 0..3 {
            begin_fetch(&mut lobs, None);
            lobs.shown(&vec![1; MOST_SHOWN_BYTES / 2]);
        }
        assert!(lobs.bound(&waiting).is_ok());
        drop(held);
        begin_fetch(&mut lobs, None);
        lobs.shown(&vec![1; MOST_SHOWN_BYTES]);
        assert_eq!(lobs.bound(&waiting).unwrap_err().number, -12053);
        assert!(lobs.pinned.is_empty());
    }

    #[test]
    fn stored_values_make_room_outside_of_transactions() {
        let mut lobs = SmartLobs::default();
        // More than may be written at one time.
        for _ in 0..2 * MOST_WRITTEN_BYTES / (8 << 20) {
            let created = run(&mut lobs, "ifx_lo_create", &[]).unwrap();
            let RoutineValue::Opaque(_, locator) = &created[0] else { panic!("{created:?}") };
            lobs.access(LobAccess::Write { descriptor: 0, bytes: vec![1; 8 << 20] }).unwrap();
            assert!(lobs.bound(locator).unwrap().is_some());
            run(&mut lobs, "ifx_lo_close", &[of(Value::Integer(0))]).unwrap();
            end_statement(&mut lobs);
            assert!(lobs.bound(locator).unwrap().is_some(), "a row may be stored twice");
        }
        assert_eq!(lobs.written_bytes, 0);
        assert!(lobs.shown_bytes <= MOST_SHOWN_BYTES + (9 << 20));
    }
}
