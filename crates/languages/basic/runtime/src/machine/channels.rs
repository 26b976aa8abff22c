//! Channels: open files by number.

use super::Machine;
use super::printer::Printer;
use crate::code::{List, Program};
use crate::fault::{Fault, Outcome};
use crate::link::{Link, Plan};
use mainstay_basic_files::{FileError, RecordFile};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The separator of fields.
pub const SEPARATOR: u8 = 0x8A;

/// An open channel.
pub struct Channel {
    /// The file.
    pub file: Box<dyn RecordFile>,
    /// The name that OPEN was given.
    pub name: Vec<u8>,
    /// The separator of fields.
    pub separator: u8,
    /// The list that OPEN bound: a list of a program.
    pub list: Option<(Rc<Program>, Rc<List>, u32)>,
    /// The bound list as slots, and the link that they belong to.
    pub plan: Option<(Rc<Link>, Rc<Plan>)>,
    /// Output of PRINT that is not ended yet.
    pub line: Vec<u8>,
    /// A printer: the file has the lines of its document.
    pub printer: Option<Printer>,
    /// OPT= of OPEN.
    pub options: Vec<u8>,
    /// REC= of OPEN: the prefix of the names of its list.
    pub prefix: Option<String>,
    /// SETFID: what FID( ) returns.
    pub fid: Option<Vec<u8>>,
    /// MNEMONIC: sequences by names.
    pub mnemonics: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "channel of {}", mainstay_code_page::decode(&self.name))
    }
}

/// The channels of a session.
#[derive(Debug, Default)]
pub struct Channels {
    open: Vec<Option<Box<Channel>>>,
    /// The channel that was opened last.
    pub last_opened: i64,
    /// The channel that was used last.
    pub last_used: i64,
}

impl Channels {
    /// An open channel. Error 14 if it is not.
    #[inline]
    pub fn get(&mut self, number: i64) -> Outcome<&mut Channel> {
        self.last_used = number;
        match usize::try_from(number).ok().and_then(|number| self.open.get_mut(number)) {
            Some(Some(channel)) => Ok(channel),
            _ => Err(Fault::with(14, format!("channel {number} is not open"))),
        }
    }

    /// The channel is open.
    pub fn is_open(&self, number: i64) -> bool {
        usize::try_from(number).ok().and_then(|number| self.open.get(number)).is_some_and(Option::is_some)
    }

    /// Opens a channel.
    pub fn insert(&mut self, number: i64, channel: Channel) {
        let Ok(index) = usize::try_from(number) else { return };
        if self.open.len() <= index {
            self.open.resize_with(index + 1, || None);
        }
        self.open[index] = Some(Box::new(channel));
        self.last_opened = number;
        self.last_used = number;
    }

    /// Bytes that open channels take.
    pub(super) fn bytes(&self) -> u64 {
        let channels = self.open.iter().flatten();
        let of = |channel: &Channel| {
            let texts = channel.name.len() + channel.line.capacity() + channel.options.len();
            (mainstay_basic_files::CHANNEL_BYTES + texts) as u64 + channel.file.memory_bytes()
        };
        self.open.capacity() as u64 * 8 + channels.map(|channel| of(channel)).sum::<u64>()
    }

    /// Closes a channel.
    pub fn remove(&mut self, number: i64) -> Option<Box<Channel>> {
        usize::try_from(number).ok().and_then(|number| self.open.get_mut(number)).and_then(Option::take)
    }

    /// Numbers of open channels.
    pub fn numbers(&self) -> Vec<i64> {
        self.open.iter().enumerate().filter(|(_, channel)| channel.is_some()).map(|(number, _)| number as i64).collect()
    }
}

/// An error of a file as one of the program.
pub(crate) fn file_fault(error: FileError) -> Box<Fault> {
    Fault::with(error.number(), error.message())
}

impl Machine {
    /// The numbers of local and of global channels.
    pub(crate) fn channel_ranges(&self) -> ((i64, i64), (i64, i64)) {
        match self.parameters.extended_files {
            true => ((1, 32_767), (32_768, 65_000)),
            false => ((1, 63), (64, 127)),
        }
    }

    /// Channels of SELECT are behind those of programs.
    pub(super) fn hidden_channel(&self) -> i64 {
        (65_001..).find(|number| !self.channels.is_open(*number)).unwrap_or(65_001)
    }

    pub(crate) fn close_local_channels(&mut self) {
        let ((low, high), _) = self.channel_ranges();
        for number in self.channels.numbers() {
            if (low..=high).contains(&number) {
                // An error of a CLOSE that the program has not asked for has nowhere to go.
                let _ = self.close_channel(number);
            }
        }
    }

    pub(crate) fn close_all_channels(&mut self) {
        for number in self.channels.numbers() {
            let _ = self.close_channel(number);
        }
    }

    pub(super) fn close_channel(&mut self, number: i64) -> Outcome<()> {
        self.end_line(number)?;
        match self.channels.remove(number) {
            Some(channel) => channel.end(),
            None => Ok(()),
        }
    }
}
