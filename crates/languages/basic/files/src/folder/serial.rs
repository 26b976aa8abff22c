//! SERIAL files: lines of text, ended by a line feed; a carriage return before it does not count.
//!
//! ```text
//!   read pointer     begins at the first line; IND= and KEY= move it
//!   write pointer    begins behind the last line; WRITE with IND= moves it, and the file ends behind what is written then
//! ```
//!
//! After a WRITE there is nothing to read (error 2) until IND= says where to go on. The key of a line is the place of its
//! first byte in four bytes. Written text gathers in a buffer, which FLUSH, CLOSE, UNLOCK and a read empty.
//!
//! The place of every 256th line is remembered, so that IND= need not count from the first line again.

use super::Handle;
use crate::error::{FileError, FileErrorKind, Result, end_of_file, record_missing};
use crate::file::{KeyFunction, RecordFile, RecordReference, Scan, Scanned};
use crate::information::FileInformation;
use crate::keyed::ChannelOptions;
use crate::options::{FileDefinition, FileKind, Order, Place, ReadMode, ReadOptions, ScanRange, WriteOptions};
use std::time::Duration;

/// Bytes that are read and written at a time.
const BLOCK: usize = 8192;

/// So many lines apart are the places that are remembered.
const STRIDE: u64 = 256;

/// How a serial file is opened.
pub(super) struct Settings {
    pub(super) is_locked: bool,
    pub(super) writes_unlocked: bool,
    pub(super) path: String,
}

/// A channel on lines of text.
pub(super) struct SerialFile {
    handle: Handle,
    definition: FileDefinition,
    settings: Settings,
    options: ChannelOptions,
    /// The block that was read last, and where it is in the file.
    block: Vec<u8>,
    block_at: u64,
    /// The line that was read last.
    line: Vec<u8>,
    /// Where every 256th line begins.
    places: Vec<u64>,
    /// The number and place of the next line; `None` behind what was written.
    next: Option<(u64, u64)>,
    current: Option<(u64, u64)>,
    /// Text that is not written yet, and where it is to go.
    pending: Vec<u8>,
    write_at: u64,
    /// True if the file ends behind what was written last.
    cuts: bool,
}

impl SerialFile {
    pub(super) fn new(
        handle: Handle,
        definition: FileDefinition,
        settings: Settings,
        options: ChannelOptions,
    ) -> Result<SerialFile> {
        Ok(SerialFile {
            write_at: handle.length()?,
            handle,
            definition,
            settings,
            options,
            block: Vec::new(),
            block_at: 0,
            line: Vec::new(),
            places: vec![0],
            next: Some((0, 0)),
            current: None,
            pending: Vec::new(),
            cuts: false,
        })
    }

    /// Reads the line that begins at a place into `line`: where the next one begins; `None` at the end of the file.
    fn read_line(&mut self, start: u64) -> Result<Option<u64>> {
        self.line.clear();
        let mut at = start;
        loop {
            let offset = at.wrapping_sub(self.block_at) as usize;
            if at < self.block_at || offset >= self.block.len() {
                self.block.resize(BLOCK, 0);
                let read = self.handle.read_at(&mut self.block, at)?;
                self.block.truncate(read);
                self.block_at = at;
                self.options.counters.count_block_read();
                if read == 0 {
                    return Ok((at > start).then_some(at));
                }
                continue;
            }
            let rest = &self.block[offset..];
            match rest.iter().position(|byte| *byte == b'\n') {
                Some(length) => {
                    self.line.extend_from_slice(&rest[..length]);
                    if self.line.last() == Some(&b'\r') {
                        self.line.pop();
                    }
                    return Ok(Some(at + length as u64 + 1));
                }
                None => {
                    self.line.extend_from_slice(rest);
                    at += rest.len() as u64;
                }
            }
        }
    }

    /// Reads the line of this number, which begins there; the channel goes on behind it.
    fn read_at(&mut self, (number, start): (u64, u64), mode: ReadMode) -> Result<()> {
        let next = self.read_line(start)?.ok_or_else(end_of_file)?;
        self.note_place(number + 1, next);
        self.current = Some((number, start));
        self.next = Some(if mode == ReadMode::Extract { (number, start) } else { (number + 1, next) });
        Ok(())
    }

    fn note_place(&mut self, number: u64, place: u64) {
        if number == self.places.len() as u64 * STRIDE {
            self.places.push(place);
        }
    }

    /// Where a line begins; the end of the file for the one behind the last.
    fn place_of(&mut self, wanted: u64) -> Result<Option<u64>> {
        let known = (wanted / STRIDE).min(self.places.len() as u64 - 1);
        let (mut number, mut place) = (known * STRIDE, self.places[known as usize]);
        if let Some((next, at)) = self.next.filter(|(next, _)| (number..=wanted).contains(next)) {
            (number, place) = (next, at);
        }
        while number < wanted {
            match self.read_line(place)? {
                Some(next) => (number, place) = (number + 1, next),
                None => return Ok(None),
            }
            self.note_place(number, place);
        }
        Ok(Some(place))
    }

    /// The number of the line that begins at a place.
    fn number_at(&mut self, wanted: u64) -> Result<(u64, u64)> {
        let known = self.places.partition_point(|place| *place <= wanted) - 1;
        let (mut number, mut place) = (known as u64 * STRIDE, self.places[known]);
        while place < wanted {
            match self.read_line(place)? {
                Some(next) => (number, place) = (number + 1, next),
                None => return Err(record_missing("this key")),
            }
        }
        if place == wanted { Ok((number, place)) } else { Err(record_missing("this key")) }
    }

    fn find(&mut self, place: Place<'_>) -> Result<(u64, u64)> {
        let index = match place {
            Place::Next => return self.next.ok_or_else(end_of_file),
            Place::Key(key) => {
                let key = <[u8; 4]>::try_from(key).map_err(|_| record_missing("this key"))?;
                return self.number_at(u64::from(u32::from_be_bytes(key)));
            }
            Place::Index(index) => Some(index),
            Place::Number(number) => number.checked_sub(1),
            Place::Relative(distance) => {
                let base = self.current.map_or(-1, |(number, _)| number as i64);
                base.checked_add(distance)
            }
        };
        let index = index.and_then(|index| u64::try_from(index).ok());
        let index = index.ok_or_else(|| FileError::new(FileErrorKind::InvalidInteger, "there is no such line"))?;
        let start = self.place_of(index)?.ok_or_else(end_of_file)?;
        Ok((index, start))
    }

    fn check_writable(&self) -> Result<()> {
        if self.definition.kind == FileKind::Program {
            return Err(FileError::new(FileErrorKind::FileType, "a program is not written through a channel"));
        }
        if self.options.is_read_only {
            return Err(FileError::new(FileErrorKind::AccessMode, "the file is opened for reading only"));
        }
        if !self.settings.is_locked && !self.settings.writes_unlocked {
            return Err(FileError::new(
                FileErrorKind::AccessMode,
                "a serial file has to be locked before it is written",
            ));
        }
        Ok(())
    }

    fn write_pending(&mut self) -> Result<()> {
        if self.pending.is_empty() && !self.cuts {
            return Ok(());
        }
        let file = self.handle.writable()?;
        if !self.pending.is_empty() {
            file.write_at(&self.pending, self.write_at)?;
            self.options.counters.count_block_write();
            self.write_at += self.pending.len() as u64;
            self.pending.clear();
        }
        if self.cuts {
            file.set_len(self.write_at)?;
            self.cuts = false;
        }
        self.block.clear();
        Ok(())
    }

    fn key_of(place: u64) -> Result<Vec<u8>> {
        let place = u32::try_from(place).map_err(|_| {
            FileError::new(FileErrorKind::InvalidLength, "the place of the line has more than four bytes")
        })?;
        Ok(place.to_be_bytes().to_vec())
    }
}

impl RecordFile for SerialFile {
    fn definition(&self) -> &FileDefinition {
        &self.definition
    }

    fn name(&self) -> &str {
        &self.options.name
    }

    fn current_key(&self) -> usize {
        0
    }

    fn read(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<&[u8]> {
        self.options.counters.count_read();
        self.write_pending()?;
        let found = self.find(place)?;
        self.read_at(found, options.mode)?;
        Ok(&self.line)
    }

    fn write(&mut self, data: &[u8], options: &WriteOptions<'_>) -> Result<()> {
        self.options.counters.count_write();
        self.check_writable()?;
        if options.key.is_some() {
            return Err(FileError::new(FileErrorKind::FileType, "a serial file has no keys"));
        }
        if let Some(index) = options.index {
            self.write_pending()?;
            let (number, place) = self.find(Place::Index(index))?;
            (self.write_at, self.cuts) = (place, true);
            self.places.truncate((number / STRIDE) as usize + 1);
        }
        self.pending.extend_from_slice(data);
        self.pending.push(b'\n');
        (self.next, self.current) = (None, None);
        if self.pending.len() >= BLOCK && !self.cuts { self.write_pending() } else { Ok(()) }
    }

    fn remove(&mut self, _key: Option<&[u8]>, _index: Option<i64>, _wait: Duration) -> Result<()> {
        Err(FileError::new(FileErrorKind::FileType, "lines of a serial file cannot be removed"))
    }

    fn release(&mut self) -> Result<()> {
        Ok(())
    }

    fn key(&mut self, function: KeyFunction<'_>, _key_number: Option<usize>) -> Result<Vec<u8>> {
        self.write_pending()?;
        let place = match function {
            KeyFunction::First => Some((0, 0)),
            KeyFunction::Current => self.current,
            KeyFunction::Next => self.next,
            KeyFunction::AtIndex(index) => Some(self.find(Place::Index(index))?),
            KeyFunction::AtNumber(number) => Some(self.find(Place::Number(number))?),
            _ => return Err(FileError::new(FileErrorKind::FileType, "a serial file has no keys")),
        };
        let (_, place) = place.ok_or_else(end_of_file)?;
        if self.read_line(place)?.is_none() {
            return Err(end_of_file());
        }
        SerialFile::key_of(place)
    }

    fn record_number(&mut self, record: RecordReference<'_>, key_number: Option<usize>) -> Result<u64> {
        Ok(u64::try_from(self.record_index(record, key_number)?).unwrap_or(0) + 1)
    }

    fn record_index(&mut self, record: RecordReference<'_>, _key_number: Option<usize>) -> Result<i64> {
        self.write_pending()?;
        let (number, place) = match record {
            RecordReference::Next => self.next.ok_or_else(end_of_file)?,
            RecordReference::Key(key) => self.find(Place::Key(key))?,
            RecordReference::Index(index) => self.find(Place::Index(index))?,
            RecordReference::Number(number) => self.find(Place::Number(number))?,
        };
        if self.read_line(place)?.is_none() {
            return Err(end_of_file());
        }
        Ok(i64::try_from(number).unwrap_or(i64::MAX))
    }

    fn scan(&mut self, range: &ScanRange<'_>) -> Result<Scan> {
        if range.begin.is_some() || range.end.is_some() {
            return Err(FileError::new(FileErrorKind::FileType, "a serial file has no keys"));
        }
        self.write_pending()?;
        let options = ReadOptions::default();
        Ok(Scan { order: Order::Physical, options, place: (Vec::new(), 0), end: None, end_is_prefix: false })
    }

    fn scan_next(&mut self, scan: &mut Scan) -> Result<Option<Scanned<'_>>> {
        self.options.counters.count_read();
        let Some(place) = self.place_of(scan.place.1)? else { return Ok(None) };
        match self.read_at((scan.place.1, place), ReadMode::Read) {
            Ok(()) => scan.place.1 += 1,
            Err(error) if error.kind() == FileErrorKind::EndOfFile => return Ok(None),
            Err(error) => return Err(error),
        }
        Ok(Some(Scanned { data: &self.line, key: &[] }))
    }

    fn lock(&mut self, wait: Duration) -> Result<()> {
        self.handle.claim_within(true, wait)?;
        self.settings.is_locked = true;
        self.write_at = self.handle.length()?;
        Ok(())
    }

    fn unlock(&mut self) -> Result<()> {
        if !self.settings.is_locked {
            return Err(FileError::new(FileErrorKind::FileState, "the file is not locked"));
        }
        self.write_pending()?;
        self.settings.is_locked = false;
        self.handle.claim_within(false, Duration::ZERO)
    }

    fn purge(&mut self) -> Result<()> {
        if !self.settings.is_locked {
            return Err(FileError::new(FileErrorKind::NotLocked, "the file is not locked"));
        }
        self.check_writable()?;
        self.pending.clear();
        self.block.clear();
        self.places.truncate(1);
        (self.next, self.current, self.write_at, self.cuts) = (Some((0, 0)), None, 0, false);
        Ok(self.handle.writable()?.set_len(0)?)
    }

    fn flush(&mut self) -> Result<()> {
        self.write_pending()?;
        match &self.handle {
            Handle::Writable(file) if !self.options.is_read_only => Ok(file.sync()?),
            _ => Ok(()),
        }
    }

    fn information(&mut self) -> Result<FileInformation> {
        self.write_pending()?;
        Ok(FileInformation {
            name: self.options.name.clone(),
            path: self.settings.path.clone(),
            definition: self.definition.clone(),
            // Lines are not counted for this: the file may be large.
            records: 0,
            bytes: self.handle.length()?,
            modified: None,
            current_key: 0,
            current_index: self.current.and_then(|(number, _)| i64::try_from(number).ok()),
            has_extracted: false,
            is_locked: self.settings.is_locked,
            is_read_only: self.options.is_read_only,
            was_purged: self.options.was_purged,
        })
    }
}

impl Drop for SerialFile {
    /// Programs were told that their lines are written: a channel that ends without CLOSE keeps them.
    fn drop(&mut self) {
        let _ = self.write_pending();
    }
}
