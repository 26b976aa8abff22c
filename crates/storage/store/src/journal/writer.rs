//! Writing a journal: an order of commits, and group commit: one write and one sync for all commits that are waiting.
//!
//! ```text
//!   append(payload)    encodes the frame behind those that wait to be written: this fixes the order; no I/O
//!   wait(ticket, d)    returns when the frame is as durable as asked for
//!
//!     thread A   append  wait: leads.  write(A) sync ------------>  done
//!     thread B   append  wait: A leads .............................called, leads: write(B, C) sync  -> done
//!     thread C   append  wait: A leads .......................................................... wakes: done
//! ```
//!
//! A caller that finds no leader becomes the leader: it takes all that is buffered, writes it with one call, syncs once
//! if `Full` was asked for, wakes the callers whose frames it had, and calls one of the others to lead. While it works,
//! the next batch gathers. So one sync is shared by all commits that arrive during the sync before, without a dedicated
//! thread. Where the released callers return sooner than a sync takes, the next one waits for them ([`Company`]): the
//! last one to arrive leads, or the one whose timeout ends.
//!
//! Callers wait by batches: `turns[n & 1]` is for those whose frames are in batch n. Two are enough, because only the
//! batch that is being written and the one that gathers have frames.
//!
//! **Failure.** After a failed write or sync the state of the disk is unknown, and a second sync would report success
//! for pages that the operating system has dropped. So the journal is *poisoned*: acknowledged commits stay
//! acknowledged, and every later call gets the same error until the database is opened again and recovered.
//!
//! **Room in advance.** The file is extended with zeros, by its own length up to 4 MiB at a time, so that a sync has
//! no new length to record: on ext4 150 us instead of 220 us. Writing the zeros out as well made syncs no cheaper
//! (175 us) and writes dearer (5 us instead of 0.4 us). Readers take zeros for the end.
//!
//! **Limits.** `Durability::None` leaves frames in memory until a mebibyte has gathered or a caller asks for more.

use super::checksum::crc32c;
use super::company::Company;
use super::frame::{FILE_HEADER, FRAME_HEADER, FrameHeader, JournalHeader, check_payload, encode_frame};
use super::payload::{CopyError, LARGE_BYTES, Payload};
use super::reader::{JournalEnd, Tail};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, FileSystem, WritableFile};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The durability that a commit needs before it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// On the disk: it survives a power loss.
    Full,
    /// With the operating system: it survives the end of the process.
    Os,
    /// In memory: it survives nothing until it happens to be written.
    None,
}

impl Durability {
    /// As settings name it: `full`, `os`, `none`.
    pub fn name(self) -> &'static str {
        match self {
            Durability::Full => "full",
            Durability::Os => "os",
            Durability::None => "none",
        }
    }
}

impl FromStr for Durability {
    type Err = Error;

    /// Reads a name, in upper or lower case; `on` and `off` are the first and the last.
    fn from_str(name: &str) -> Result<Durability> {
        match name.to_lowercase().as_str() {
            "full" | "on" => Ok(Durability::Full),
            "os" => Ok(Durability::Os),
            "none" | "off" => Ok(Durability::None),
            _ => Err(Error::new(Code::InvalidSetting, format!("durability is full, os or none, not \"{name}\""))),
        }
    }
}

/// A place in the journal to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket {
    /// The byte behind the frame.
    end: u64,
}

impl Ticket {
    /// The ticket of the frame that ends in front of this byte.
    pub(crate) fn at(end: u64) -> Ticket {
        Ticket { end }
    }

    /// The byte behind the frame.
    pub(crate) fn end(self) -> u64 {
        self.end
    }
}

/// The least and the most that the file grows by.
const ROOM_BYTES: (u64, u64) = (64 << 10, 4 << 20);

/// `Durability::None` is written when this much has gathered.
const LAZY_BYTES: usize = 1 << 20;

/// ... and waits for a leader that is at work when this much has.
const LAZY_LIMIT_BYTES: usize = 16 << 20;

/// A buffer that grew larger than this for one commit is given back.
const KEPT_BYTES: usize = 1 << 20;

/// The length of a file that has this many bytes of frames: it doubles, up to the largest step.
fn with_room(end: u64) -> u64 {
    end.next_multiple_of(end.next_power_of_two().clamp(ROOM_BYTES.0, ROOM_BYTES.1))
}

/// The place of a batch among the turns.
fn slot_of(batch: u64) -> usize {
    (batch & 1) as usize
}

/// A journal that is being written. Shared by all threads.
#[derive(Debug)]
pub struct JournalWriter {
    file: Arc<dyn WritableFile>,
    path: PathBuf,
    header: JournalHeader,
    state: Mutex<State>,
    /// The batches in turn: signalled when it was written, or when a caller is to lead it.
    turns: [Condvar; 2],
}

#[derive(Debug)]
struct State {
    /// Frames that no leader has taken to be written.
    pending: Vec<u8>,
    /// Where the first of them will stand in the file.
    pending_start: u64,
    /// An empty buffer, to take turns with.
    spare: Vec<u8>,
    next_sequence: u64,
    /// Everything before this byte was handed to the operating system.
    written: u64,
    /// Everything before this byte is on the disk.
    synced: u64,
    /// The length of the file.
    room: u64,
    is_led: bool,
    /// True if the last frame is the mark of [`JournalWriter::close`].
    is_marked: bool,
    /// The number of the batch that is gathering. The one that is led, if any, is the one before.
    batch: u64,
    /// The number of callers that wait for a batch, by [`JournalWriter::turns`].
    waiting: [u32; 2],
    /// The batch of which one waiter has a timeout.
    timed: Option<u64>,
    company: Company,
    /// Why nothing is taken any more.
    refusal: Option<Error>,
}

impl State {
    fn has(&self, ticket: Ticket, durability: Durability) -> bool {
        match durability {
            Durability::Full => self.synced >= ticket.end,
            Durability::Os => self.written >= ticket.end,
            Durability::None => {
                let limit = if self.is_led { LAZY_LIMIT_BYTES } else { LAZY_BYTES };
                self.written >= ticket.end || (self.refusal.is_none() && self.pending.len() < limit)
            }
        }
    }

    /// The index in `turns` for a waiter on a frame: that of the batch being written, or of the one that gathers.
    fn slot(&self, ticket: Ticket) -> usize {
        let is_led = self.is_led && ticket.end <= self.pending_start;
        slot_of(self.batch - u64::from(is_led))
    }

    fn add(&mut self, payload: &[u8], checksum: u32, durable_up_to: u64, salt: u64) -> Ticket {
        encode_frame(&mut self.pending, payload, checksum, self.next_sequence, durable_up_to, salt);
        self.next_sequence = self.next_sequence.wrapping_add(1);
        Ticket { end: self.pending_start + self.pending.len() as u64 }
    }
}

impl JournalWriter {
    /// Creates a journal that is on the disk under its name when this returns.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn create(fs: &dyn FileSystem, path: &Path, header: JournalHeader) -> Result<JournalWriter> {
        fs.replace(path, &header.encode())?;
        let end = FILE_HEADER as u64;
        JournalWriter::over(fs, path, header, end, header.first_sequence)
    }

    /// Goes on with a journal that was read to its end: cuts a torn tail off, and syncs before anything is added.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn resume(fs: &dyn FileSystem, path: &Path, header: JournalHeader, end: JournalEnd) -> Result<JournalWriter> {
        let writer = JournalWriter::over(fs, path, header, end.offset, end.next_sequence)?;
        writer.state().is_marked = end.tail == Tail::Closed;
        // Old frames behind the cut would fit again one day behind new ones of the same length.
        writer.file.set_len(end.offset)?;
        writer.file.sync()?;
        Ok(writer)
    }

    fn over(
        fs: &dyn FileSystem,
        path: &Path,
        header: JournalHeader,
        end: u64,
        next_sequence: u64,
    ) -> Result<JournalWriter> {
        let file = fs.create(path, Create::OpenOrCreate)?;
        let state = State {
            pending: Vec::new(),
            pending_start: end,
            spare: Vec::new(),
            next_sequence,
            written: end,
            synced: end,
            room: end,
            is_led: false,
            is_marked: false,
            batch: 1,
            waiting: [0; 2],
            timed: None,
            company: Company::default(),
            refusal: None,
        };
        let path = path.to_owned();
        Ok(JournalWriter { file, path, header, state: Mutex::new(state), turns: Default::default() })
    }

    /// The header of the journal.
    pub fn header(&self) -> JournalHeader {
        self.header
    }

    /// Bytes of the journal so far, those included that are not written yet.
    pub fn bytes(&self) -> u64 {
        let state = self.state();
        state.pending_start + state.pending.len() as u64
    }

    /// Puts a frame behind those before it. It is on no disk yet: [`JournalWriter::wait`].
    ///
    /// # Errors
    /// `Unsupported` for a payload that is too large; what refused the journal's writes once, ever after.
    pub fn append(&self, payload: &[u8]) -> Result<Ticket> {
        check_payload(payload.len() as u64)?;
        if payload.is_empty() {
            return Err(Error::new(Code::Internal, "an empty payload would be taken for a mark of the journal"));
        }
        let checksum = crc32c(payload);
        let mut state = self.state();
        if let Some(refusal) = &state.refusal {
            return Err(refusal.clone());
        }
        let durable_up_to = state.synced;
        state.is_marked = false;
        Ok(state.add(payload, checksum, durable_up_to, self.header.salt))
    }

    /// The same for a payload that may be large or partly in a file. A large one is with the operating system when this
    /// returns, and takes no memory of the journal.
    ///
    /// # Errors
    /// Those of [`JournalWriter::append`], and those of the file system for a large payload. The journal then takes no more,
    /// unless it was the payload's file that could not be read: nothing has been appended then ([`JournalWriter::is_open`]).
    pub fn append_payload(&self, payload: &Payload<'_>) -> Result<Ticket> {
        if let Some(bytes) = payload.in_memory().filter(|bytes| (bytes.len() as u64) < LARGE_BYTES) {
            return self.append(bytes);
        }
        check_payload(payload.len())?;
        let mut state = self.state();
        while state.is_led {
            let behind_all = Ticket { end: u64::MAX };
            state = self.wait_turn(state, behind_all);
        }
        if let Some(refusal) = &state.refusal {
            return Err(refusal.clone());
        }
        let (sequence, durable_up_to) = (state.next_sequence, state.synced);
        let header = FrameHeader { length: payload.len() as u32, checksum: 0, sequence, durable_up_to };
        state.next_sequence = sequence.wrapping_add(1);
        state.is_marked = false;
        let end = state.pending_start + state.pending.len() as u64 + FRAME_HEADER as u64 + payload.len();
        let (state, unread) = self.lead_with(state, false, Some((header, payload)));
        match (unread, &state.refusal) {
            (Some(error), _) => Err(error),
            (None, Some(refusal)) if state.written < end => Err(refusal.clone()),
            _ => Ok(Ticket { end }),
        }
    }

    /// Returns when the frame is as durable as asked for.
    ///
    /// # Errors
    /// The error that ended the journal's writes, unless the frame had the requested durability before.
    pub fn wait(&self, ticket: Ticket, durability: Durability) -> Result<()> {
        let syncs = durability == Durability::Full;
        let mut state = self.state();
        let (mut timed, mut has_waited) = (None, false);
        while !state.has(ticket, durability) {
            if let Some(refusal) = &state.refusal {
                return Err(refusal.clone());
            }
            has_waited |= state.is_led;
            state = match state.is_led {
                true => self.wait_turn(state, ticket),
                false if syncs => self.gather_or_lead(state, ticket, &mut timed),
                false => self.lead(state, false),
            };
        }
        // A caller that was called to lead, and found that there was no need to, calls the next one.
        let next = slot_of(state.batch);
        if has_waited && durability == Durability::None && !state.is_led && state.waiting[next] > 0 {
            self.turns[next].notify_one();
        }
        Ok(())
    }

    /// Returns when everything appended so far is as durable as asked for; `None` asks for nothing.
    ///
    /// # Errors
    /// Those of [`JournalWriter::wait`].
    pub fn flush(&self, durability: Durability) -> Result<()> {
        let ticket = Ticket { end: self.bytes() };
        self.wait(ticket, durability)
    }

    /// Brings everything onto the disk and leaves a mark behind it, so that a reader knows that nothing is
    /// missing. Nothing is taken afterwards. Gives where the journal ends and which sequence comes next.
    ///
    /// # Errors
    /// Those of [`JournalWriter::wait`].
    pub fn close(&self) -> Result<JournalEnd> {
        let mut state = self.state();
        loop {
            if let Some(refusal) = &state.refusal {
                return Err(refusal.clone());
            }
            if state.is_led {
                let behind_all = Ticket { end: u64::MAX };
                state = self.wait_turn(state, behind_all);
            } else if !state.pending.is_empty() || state.synced < state.pending_start {
                state = self.lead(state, true);
            } else {
                break;
            }
        }
        let closed = || Error::new(Code::Internal, "the journal is closed").at(self.path.display());
        if state.is_marked {
            // As it was found, and nothing came behind the mark.
            state.refusal = Some(closed());
            let (offset, next_sequence) = (state.pending_start, state.next_sequence);
            return Ok(JournalEnd { offset, next_sequence, tail: Tail::Closed });
        }
        let durable_up_to = state.synced;
        let mark = state.add(&[], crc32c(&[]), durable_up_to, self.header.salt);
        // A caller that comes while the mark is written must not append behind it.
        state.refusal = Some(closed());
        let mut state = self.lead(state, true);
        match &state.refusal {
            Some(refusal) if state.synced < mark.end => Err(refusal.clone()),
            _ => {
                // Gives the room back. Readers take zeros for the end, so it does not matter whether it works.
                drop(self.file.set_len(mark.end));
                (state.is_marked, state.room) = (true, mark.end);
                Ok(JournalEnd { offset: mark.end, next_sequence: state.next_sequence, tail: Tail::Closed })
            }
        }
    }

    /// Closes this journal and creates the one that follows it. To be called where no commit can come between.
    ///
    /// When the next one cannot be created, for want of space for example, and has left no trace, this one is taken up
    /// again behind its mark ([`JournalWriter::is_open`]).
    ///
    /// # Errors
    /// Those of [`JournalWriter::close`] and [`JournalWriter::create`].
    pub fn continue_in(&self, fs: &dyn FileSystem, path: &Path, number: u64, salt: u64) -> Result<JournalWriter> {
        let end = self.close()?;
        let header = JournalHeader { number, first_sequence: end.next_sequence, salt };
        JournalWriter::create(fs, path, header).inspect_err(|_| {
            // A follower that is there, or may be after a crash, would contradict frames behind the mark.
            if fs.stamp(path).is_err_and(|error| error.code() == Code::NotFound) {
                self.state().refusal = None;
            }
        })
    }

    /// Returns true if it takes frames: it was not closed, and no write has failed.
    pub fn is_open(&self) -> bool {
        self.state().refusal.is_none()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_turn<'a>(&self, mut state: MutexGuard<'a, State>, ticket: Ticket) -> MutexGuard<'a, State> {
        let slot = state.slot(ticket);
        state.waiting[slot] += 1;
        let mut state = self.turns[slot].wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting[slot] -= 1;
        state
    }

    /// Leads, or waits for company first. `timed` is the batch for which this caller looks at the clock.
    fn gather_or_lead<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        ticket: Ticket,
        timed: &mut Option<u64>,
    ) -> MutexGuard<'a, State> {
        let batch = state.batch;
        let slot = slot_of(batch);
        let now = Instant::now();
        let Some(until) = state.company.deadline(state.waiting[slot] + 1, now) else { return self.lead(state, true) };
        // One timeout is enough: the others wait for the leader.
        if state.timed == Some(batch) && *timed != Some(batch) {
            return self.wait_turn(state, ticket);
        }
        (state.timed, *timed) = (Some(batch), Some(batch));
        state.waiting[slot] += 1;
        let waited = self.turns[slot].wait_timeout(state, until - now);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiting[slot] -= 1;
        state
    }

    /// Writes all that is pending, and syncs if asked to. The state is not locked meanwhile.
    fn lead<'a>(&'a self, state: MutexGuard<'a, State>, sync: bool) -> MutexGuard<'a, State> {
        self.lead_with(state, sync, None).0
    }

    /// The same with a large frame behind what is pending. Gives the error if the payload of that could not be read; then it
    /// is not there.
    fn lead_with<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        sync: bool,
        large: Option<(FrameHeader, &Payload<'_>)>,
    ) -> (MutexGuard<'a, State>, Option<Error>) {
        let spare = std::mem::take(&mut state.spare);
        let mut batch = std::mem::replace(&mut state.pending, spare);
        let start = state.pending_start;
        let batch_end = start + batch.len() as u64;
        let end = batch_end + large.as_ref().map_or(0, |(header, _)| header.frame_bytes());
        let room = if end > state.room { with_room(end) } else { state.room };
        let grows = room > state.room;
        let (done, next) = (slot_of(state.batch), slot_of(state.batch + 1));
        if sync {
            let present = state.waiting[done] + 1;
            state.company.begins(present);
        }
        state.pending_start = end;
        state.is_led = true;
        state.batch += 1;
        drop(state);

        let began = sync.then(Instant::now);
        let outcome = self.put((&batch, start), (large, batch_end), grows.then_some(room), sync);
        batch.clear();

        let mut state = self.state();
        state.is_led = false;
        let (mut unread, mut failed) = (None, false);
        match outcome {
            Ok(()) => {
                state.written = end;
                state.room = room;
                state.synced = if sync { end } else { state.synced };
            }
            // Frames that came meanwhile have their places behind it.
            Err(CopyError::Payload(cause)) if state.pending.is_empty() => {
                (state.written, state.pending_start, state.room) = (batch_end, batch_end, batch_end);
                state.next_sequence = state.next_sequence.wrapping_sub(1);
                unread = Some(cause);
            }
            Err(CopyError::Payload(cause) | CopyError::Journal(cause)) => {
                (state.refusal, failed) = (Some(self.refusal(&cause)), true);
            }
        }
        if batch.capacity() <= KEPT_BYTES {
            state.spare = batch;
        }
        let (released, left_over) = (state.waiting[done], state.waiting[next]);
        if let Some(began) = began {
            let now = Instant::now();
            state.company.ends(now, now - began, released + 1, left_over);
        }
        // The callers that are woken need the lock.
        drop(state);
        if released > 0 {
            self.turns[done].notify_all();
        }
        match left_over {
            0 => {}
            _ if failed => self.turns[next].notify_all(),
            _ => self.turns[next].notify_one(),
        }
        (self.state(), unread)
    }

    fn put(
        &self,
        (batch, start): (&[u8], u64),
        (large, large_start): (Option<(FrameHeader, &Payload<'_>)>, u64),
        room: Option<u64>,
        sync: bool,
    ) -> Result<(), CopyError> {
        if let Some(room) = room {
            self.file.set_len(room)?;
        }
        if !batch.is_empty() {
            self.file.write_at(batch, start)?;
        }
        if let Some((header, payload)) = large {
            let written = payload.write(&*self.file, large_start, header, self.header.salt);
            if matches!(written, Err(CopyError::Payload(_))) {
                // The next frame may be shorter than the part of this one that is there.
                self.file.set_len(large_start)?;
            }
            written?;
        }
        if sync { Ok(self.file.sync()?) } else { Ok(()) }
    }

    fn refusal(&self, cause: &Error) -> Error {
        let message = format!(
            "the journal could not be written: {}; nothing that had been acknowledged is lost, and no change is taken any more",
            cause.message()
        );
        Error::new(cause.code(), message)
            .at(self.path.display())
            .hint("see to the disk, then open the database again: whether this last change is in it shows then")
    }
}

impl Drop for JournalWriter {
    /// Hands over the frames that `Durability::None` left in memory. They were not acknowledged, so an error is
    /// dropped.
    fn drop(&mut self) {
        let state = self.state();
        if state.refusal.is_none() && !state.pending.is_empty() {
            drop(self.lead(state, false));
        }
    }
}
