//! Reading a journal, and finding its end.
//!
//! After a crash the end of a journal may be in any state: the last writes may be there, or half there, or a later
//! one without an earlier one. That is a *torn tail*: nothing in it was ever acknowledged as durable, and it may be
//! cut off. A bad frame in the middle looks the same, but cutting there would drop acknowledged commits. The two are
//! distinguished by `durable_up_to`, the position up to which the file had been synced when a frame was made:
//!
//! ```text
//!     ... frame 41 | frame 42 (bad) | frame 43: durable_up_to = start of 42   ->  torn tail, cut at 42
//!     ... frame 41 | frame 42 (bad) | frame 43: durable_up_to = end of 42     ->  damage: refuse to open
//!     ... frame 41 | zeros to the end of the file                             ->  clean end, nothing to cut
//! ```
//!
//! So from a bad frame on, every offset is tried for a valid frame (the damage may have hit the length) that claims
//! durability beyond the bad one's first byte. It may be anywhere: where bytes are missing, all that follows has moved.
//!
//! ```text
//!     ... frame 41 | frame 42 without 3 of its bytes | frame 43, whole, 3 bytes before its place: durable_up_to = end of 42
//!     ... frame 41 | frame 57: durable_up_to = end of 56, far behind itself              ->  damage, both
//! ```
//!
//! **Limits.** Frames behind more missing bytes than the file has left, and than 64 MiB, are not found. No later frame
//! confirms the frames that were synced last: damage to them is taken for a torn tail, unless the journal was closed
//! properly (its last frame is then a mark). A file that was cut exactly between two frames looks whole, unless a later
//! journal follows.

use super::checksum::{continued, of_end};
use super::frame::{FILE_HEADER, FRAME_HEADER, FrameHeader, JournalHeader};
use super::operations::FramePayload;
use super::window::{Window, stays_in_file};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::File;
use std::sync::Arc;

/// So many bytes may be missing in a journal of any length, for frames behind them to be found.
const MISSING_BYTES: u64 = 64 << 20;

/// Bytes between the places up to which checksums are remembered.
const STEP: u64 = 512;

/// Headers that follow each other as those of frames do, until they are taken for such.
const CHAIN: u32 = 8;

/// Candidates that are looked at in a file of any length.
const LEAST_CANDIDATES: u64 = 1000;

/// A frame that was found whole.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its number.
    pub sequence: u64,
    /// Where it begins in the file.
    pub offset: u64,
    /// The payload.
    pub payload: FramePayload<'a>,
}

/// The end of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// The last frame is the mark that [`super::JournalWriter::close`] leaves: nothing can be missing.
    Closed,
    /// Nothing but zeros, or nothing at all, follows the last frame.
    Clean,
    /// This many bytes follow that are no frame, or were never acknowledged: they may be cut off.
    Torn(u64),
}

/// Where a journal ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalEnd {
    /// The byte behind its last frame.
    pub offset: u64,
    /// The sequence of the frame that comes next.
    pub next_sequence: u64,
    /// The state of the end of the journal.
    pub tail: Tail,
}

/// Gives the frames of a journal one by one.
#[derive(Debug)]
pub struct JournalReader {
    window: Window,
    header: JournalHeader,
    offset: u64,
    sequence: u64,
    closed: bool,
    end: Option<JournalEnd>,
}

impl JournalReader {
    /// Reads the header of a journal.
    ///
    /// # Errors
    /// Those of [`JournalHeader::decode`], and of the file.
    pub fn open(file: Arc<dyn File>) -> Result<JournalReader> {
        let mut window = Window::new(file)?;
        let len = window.length.min(FILE_HEADER as u64);
        let header = JournalHeader::decode(window.bytes(0, len)?).map_err(|error| window.place(error))?;
        let (offset, sequence) = (FILE_HEADER as u64, header.first_sequence);
        Ok(JournalReader { window, header, offset, sequence, closed: false, end: None })
    }

    /// The header of the journal.
    pub fn header(&self) -> JournalHeader {
        self.header
    }

    /// The next frame that carries something; `None` at the end, and from then on.
    ///
    /// # Errors
    /// `Damaged` when a frame is bad that a later one says was on the disk.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let (header, offset) = loop {
            let Some(header) = self.window.frame(self.offset, self.header.salt, |header| {
                header.sequence == self.sequence && header.durable_up_to <= self.offset
            })?
            else {
                self.end = Some(self.find_end()?);
                return Ok(None);
            };
            let offset = self.offset;
            self.closed = header.length == 0 && header.durable_up_to == offset;
            self.offset += header.frame_bytes();
            self.sequence = self.sequence.wrapping_add(1);
            if header.length > 0 {
                break (header, offset);
            }
        };
        let (start, length) = (offset + FRAME_HEADER as u64, u64::from(header.length));
        let payload = match stays_in_file(header.frame_bytes()) {
            true => FramePayload::File { file: &self.window.file, start, length },
            false => FramePayload::Memory(self.window.bytes(start, length)?),
        };
        Ok(Some(Frame { sequence: header.sequence, offset, payload }))
    }

    /// Where the journal ends; known after [`JournalReader::next_frame`] has given `None`.
    pub fn end(&self) -> Option<JournalEnd> {
        self.end
    }

    fn find_end(&mut self) -> Result<JournalEnd> {
        let tail = if !self.window.only_zeros_from(self.offset)? {
            self.refuse_damage()?;
            Tail::Torn(self.window.length - self.offset)
        } else if self.closed {
            Tail::Closed
        } else {
            Tail::Clean
        };
        Ok(JournalEnd { offset: self.offset, next_sequence: self.sequence, tail })
    }

    /// Looks for a whole frame at the bad place or behind it that was made when more than that was on the disk.
    ///
    /// Where it stands does not matter, for bytes may be missing in between: then it stands before its own `durable_up_to`, and
    /// more frames lie between than would fit there.
    ///
    /// Columns of ascending numbers look like headers at every number, so a candidate must not cost as much as reading its
    /// frame: its checksum follows from those of what is before it and of what is before its end ([`of_end`]).
    fn refuse_damage(&mut self) -> Result<()> {
        let (bad, length) = (self.offset, self.window.length);
        // Numbers have four bytes at least, so this bound is met by files that were made to exceed it.
        let mut budget = length / 4 + LEAST_CANDIDATES;
        let (mut sums, mut chain): (Option<Sums>, _) = (None, Chain::default());
        for offset in bad..length.saturating_sub(FRAME_HEADER as u64 - 1) {
            let Some(header) = self.window.header(offset)? else { break };
            if !self.claims(&header, offset) {
                continue;
            }
            if chain.goes_on(header, offset) {
                let what = format!(
                    "is bad or missing, and so are those behind it, up to the header of frame {}",
                    header.sequence
                );
                return Err(self.damage(&what));
            }
            if !self.may_be_whole(&header, offset)? {
                continue;
            }
            if budget == 0 {
                return Err(self.damage("cannot be told from a torn one: too much behind it looks like frames"));
            }
            budget -= 1;
            let known = match &mut sums {
                Some(known) => known,
                None => sums.insert(Sums::of(&self.window, bad)?),
            };
            let payload = known.between(offset + FRAME_HEADER as u64, offset + header.frame_bytes())?;
            if header.fits_checksum(payload, self.header.salt) {
                let (later, durable) = (header.sequence, header.durable_up_to);
                return Err(self.damage(&format!(
                    "is bad or missing, although frame {later} at byte {offset} says that everything before byte {durable} was on the disk"
                )));
            }
        }
        Ok(())
    }

    /// Tells whether a frame at this offset would be a later one than the bad one, and made when that was on the disk, if as much
    /// is missing in between as is there now.
    fn claims(&self, header: &FrameHeader, offset: u64) -> bool {
        let (bad, missing) = (self.offset, self.window.length.max(MISSING_BYTES));
        let most = (offset - bad).saturating_add(missing);
        let is_later = |frames| frames <= most / FRAME_HEADER as u64;
        header.durable_up_to > bad
            && header.durable_up_to <= offset.saturating_add(missing)
            && header.frame_bytes() <= self.window.length - offset
            && header.sequence.checked_sub(self.sequence).is_some_and(is_later)
    }

    /// Returns true if the bytes behind such a frame continue as a journal does: with the next frame, or with nothing.
    /// It costs less than its checksum, and hardly anything but a frame passes. A frame that reaches the end of the
    /// written part is worth its checksum in any case, since its follower may be torn.
    fn may_be_whole(&self, header: &FrameHeader, offset: u64) -> Result<bool> {
        let between = (offset - self.offset) / FRAME_HEADER as u64;
        let is_in_place = header.durable_up_to <= offset && header.sequence - self.sequence <= between;
        if is_in_place {
            return Ok(true);
        }
        let Some(next) = self.window.peek(offset + header.frame_bytes())? else { return Ok(true) };
        let goes_on = next.sequence == header.sequence.wrapping_add(1) && next.durable_up_to >= header.durable_up_to;
        Ok(goes_on || next == FrameHeader { length: 0, checksum: 0, sequence: 0, durable_up_to: 0 })
    }

    fn damage(&self, what: &str) -> Error {
        let error = Error::new(Code::Damaged, format!("frame {} of the journal {what}", self.sequence));
        self.window
            .place(error.at(format_args!("byte {}", self.offset)))
            .hint("restore the database from a backup, or see what `mainstay check` says")
    }
}

/// Headers of frames in a row, none of which need be whole: what is left of a journal whose every payload has lost some bytes,
/// as line ends do in a transfer in text mode. Numbers of a torn payload are no such row: they follow each other too
/// closely for the lengths that they would be.
#[derive(Default)]
struct Chain {
    last: Option<(FrameHeader, u64)>,
    links: u32,
}

impl Chain {
    /// Takes the next header that claims to be of a later frame; `true` when there are so many in a row that they are no
    /// accident.
    fn goes_on(&mut self, header: FrameHeader, offset: u64) -> bool {
        if let Some((last, at)) = self.last {
            let end = at + last.frame_bytes();
            let may_be_missing = last.frame_bytes() / 16 + 16;
            let is_near =
                at + FRAME_HEADER as u64 <= offset && (end.saturating_sub(may_be_missing)..=end).contains(&offset);
            let is_next =
                header.sequence == last.sequence.wrapping_add(1) && header.durable_up_to >= last.durable_up_to;
            match is_near && is_next {
                true => self.links += 1,
                false if offset < end => return false,
                false => self.links = 0,
            }
        }
        self.last = Some((header, offset));
        self.links >= CHAIN
    }
}

/// The checksums of everything from a place in the file to any other one.
struct Sums {
    start: u64,
    /// Up to every multiple of [`STEP`] bytes behind the start.
    steps: Vec<u32>,
    /// Around the places where frames begin, and around those where they end.
    windows: [Window; 2],
}

impl Sums {
    fn of(window: &Window, start: u64) -> Result<Sums> {
        let of_file = || window.with_ahead(16 * STEP);
        let mut sums = Sums { start, steps: vec![0], windows: [of_file(), of_file()] };
        let (mut offset, mut sum) = (start, 0);
        while offset < window.length {
            let length = STEP.min(window.length - offset);
            sum = continued(sum, sums.windows[0].bytes(offset, length)?);
            sums.steps.push(sum);
            offset += length;
        }
        Ok(sums)
    }

    /// The checksum of the bytes between two places.
    fn between(&mut self, from: u64, to: u64) -> Result<u32> {
        let (before, whole) = (self.until(0, from)?, self.until(1, to)?);
        Ok(of_end(whole, before, to - from))
    }

    fn until(&mut self, window: usize, offset: u64) -> Result<u32> {
        let step = (offset - self.start) / STEP;
        let from = self.start + step * STEP;
        let sum = self.steps.get(step as usize).copied().unwrap_or_default();
        Ok(continued(sum, self.windows[window].bytes(from, offset - from)?))
    }
}
