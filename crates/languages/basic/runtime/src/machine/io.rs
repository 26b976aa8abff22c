//! READ, WRITE and the other verbs of records.

use super::channels::file_fault;
use super::list::split;
use super::{Channel, Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use mainstay_basic_files::{FileKind, Order, Place, ReadMode, ReadOptions, WriteMode, WriteOptions};
use mainstay_basic_syntax::tree::Verb;
use std::time::Duration;

/// The record that a verb is about, with the bytes of its key.
#[derive(Debug, Default)]
pub(super) struct Reference {
    pub key: Option<Vec<u8>>,
    pub index: Option<i64>,
    pub number: Option<i64>,
    pub relative: Option<i64>,
}

impl Reference {
    pub(super) fn place(&self) -> Place<'_> {
        match self {
            Reference { key: Some(key), .. } => Place::Key(key),
            Reference { index: Some(index), .. } => Place::Index(*index),
            Reference { number: Some(number), .. } => Place::Number(*number),
            Reference { relative: Some(relative), .. } => Place::Relative(*relative),
            _ => Place::Next,
        }
    }
}

impl Machine {
    pub(super) fn io(&mut self, io: &IoCode) -> Outcome<()> {
        let number = match &io.channel {
            Some(Expr::Number(NumberExpr::Constant(number))) => number.as_whole().ok_or_else(|| Fault::new(41))?,
            Some(Expr::Number(channel)) => self.whole(channel)?,
            Some(Expr::Text(name)) => return self.io_by_name(io, name),
            None => return fail(14, "a channel is needed"),
        };
        self.io_on(io, number)
    }

    /// A verb on a file that is opened for it alone.
    fn io_by_name(&mut self, io: &IoCode, name: &TextExpr) -> Outcome<()> {
        let name = self.text_value(name)?;
        let number = self.hidden_channel();
        self.open_file(number, &name, mainstay_basic_syntax::tree::OpenMode::Shared, &Options::default())?;
        let result = self.io_on(io, number);
        self.close_channel(number)?;
        result
    }

    fn io_on(&mut self, io: &IoCode, number: i64) -> Outcome<()> {
        match io.verb {
            Verb::Read | Verb::Find | Verb::Extract => self.read(io, number, false),
            Verb::ReadRecord | Verb::FindRecord | Verb::ExtractRecord => self.read(io, number, true),
            Verb::Write | Verb::WriteLock | Verb::Insert | Verb::Update => self.write(io, number, false),
            Verb::WriteRecord | Verb::InsertRecord | Verb::UpdateRecord => self.write(io, number, true),
            Verb::Remove => {
                let reference = self.reference(&io.options, number)?;
                let wait = self.wait_time(&io.options)?;
                let file = &mut self.channels.get(number)?.file;
                let index = reference.index;
                file.remove(reference.key.as_deref(), index, wait).map_err(file_fault)
            }
            Verb::ExtractRelease => self.channels.get(number)?.file.release().map_err(file_fault),
            Verb::Lock => {
                let wait = self.wait_time(&io.options)?;
                self.channels.get(number)?.file.lock(wait).map_err(file_fault)
            }
            Verb::Unlock => self.channels.get(number)?.file.unlock().map_err(file_fault),
            Verb::Purge => self.channels.get(number)?.file.purge().map_err(file_fault),
            Verb::Flush => self.channels.get(number)?.file.flush().map_err(file_fault),
            _ => Err(Fault::new(120)),
        }
    }

    /// KEY=, IND=, RNO= and DIR=.
    pub(super) fn reference(&mut self, options: &Options, number: i64) -> Outcome<Reference> {
        let mut reference = Reference::default();
        if let Some(index) = &options.index {
            reference.index = Some(self.whole(index)?);
            return Ok(reference);
        }
        if !options.key.is_empty() {
            reference.key = Some(self.join_key(&options.key, options.key_number.as_ref(), number)?);
        } else if let Some(record) = &options.record {
            reference.number = Some(self.whole(record)?);
        } else if let Some(direction) = &options.direction {
            reference.relative = Some(self.whole(direction)?);
        }
        Ok(reference)
    }

    /// The segments of a key: each but the last is filled with $00$ to its length.
    pub(crate) fn join_key(
        &mut self,
        segments: &[TextExpr],
        key_number: Option<&KeyNumber>,
        number: i64,
    ) -> Outcome<Vec<u8>> {
        let mut key = self.text_value(&segments[0])?;
        if segments.len() == 1 {
            return Ok(key);
        }
        let mut parts = vec![std::mem::take(&mut key)];
        for segment in &segments[1..] {
            parts.push(self.text_value(segment)?);
        }
        let order = self.order(key_number, number)?;
        let file = &self.channels.get(number)?.file;
        let key = match order {
            Some(Order::Key(key)) => key,
            _ => file.current_key(),
        };
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        file.definition().keys.join(key, &parts).map_err(file_fault)
    }

    /// KNO=: a number, a name, or `*`.
    pub(crate) fn order(&mut self, key_number: Option<&KeyNumber>, number: i64) -> Outcome<Option<Order>> {
        Ok(match key_number {
            None => None,
            Some(KeyNumber::Physical) => Some(Order::Physical),
            Some(KeyNumber::Value(Expr::Number(expr))) => match usize::try_from(self.whole(expr)?) {
                Ok(key) => Some(Order::Key(key)),
                Err(_) => return fail(80, "number of a key"),
            },
            Some(KeyNumber::Value(Expr::Text(expr))) => {
                let name = self.name_value(expr)?;
                let keys = &self.channels.get(number)?.file.definition().keys;
                Some(Order::Key(keys.number_of(&name).map_err(file_fault)?))
            }
        })
    }

    /// TIM= and RTY=.
    pub(super) fn wait_time(&mut self, options: &Options) -> Outcome<Duration> {
        let seconds = match (&options.time, &options.retries) {
            (Some(time), _) => self.whole_within(time, 0, 32_767)?,
            (None, Some(retries)) => self.whole_within(retries, 0, 32_767)?,
            _ => 0,
        };
        Ok(Duration::from_secs(seconds as u64))
    }

    fn read(&mut self, io: &IoCode, number: i64, record: bool) -> Outcome<()> {
        let reference = self.reference(&io.options, number)?;
        let mut options = ReadOptions::new(match io.verb {
            Verb::Find | Verb::FindRecord => ReadMode::Find,
            Verb::Extract | Verb::ExtractRecord => ReadMode::Extract,
            _ => ReadMode::Read,
        });
        options.order = self.order(io.options.key_number.as_ref(), number)?;
        options.wait = self.wait_time(&io.options)?;
        if record {
            return self.read_record(io, number, &reference, &options);
        }
        let plan = match (io.list, &io.options.prefix) {
            (_, Some(prefix)) => Some(self.prefixed_plan(io.list, number, prefix)?),
            (Some(list), None) => self.frame.link.plan(&self.frame.program, list).cloned(),
            (None, None) => self.bound_plan(number)?,
        };
        let rounding = self.rounding();
        let Machine { channels, variables, globals, .. } = self;
        let channel = channels.get(number)?;
        let separator = Machine::separator(channel);
        if let Some(plan) = plan {
            let data = channel.file.read(reference.place(), &options).map_err(file_fault)?;
            return split(&plan, data, separator, rounding, variables, globals);
        }
        let bound = channel.list.clone();
        let data = channel.file.read(reference.place(), &options).map_err(file_fault)?.to_vec();
        match (io.list, bound) {
            (Some(list), _) => {
                let list = self.frame.program.lists.get(list as usize).cloned().ok_or_else(|| Fault::new(81))?;
                self.assign_fields(&list, &data, separator)
            }
            (None, Some((program, list, _))) if std::rc::Rc::ptr_eq(&program, &self.frame.program) => {
                self.assign_fields(&list, &data, separator)
            }
            (None, Some(_)) => fail(81, "a list with formats is bound to its own program"),
            // A READ without a list moves on.
            (None, None) => Ok(()),
        }
    }

    fn read_record(&mut self, io: &IoCode, number: i64, reference: &Reference, options: &ReadOptions) -> Outcome<()> {
        let size = match &io.options.size {
            Some(size) => Some(self.whole_within(size, 1, self.text_limit as i64)? as usize),
            None => None,
        };
        let mut record = self.take();
        let channel = self.channels.get(number)?;
        let data = channel.file.read(reference.place(), options).map_err(file_fault)?;
        record.extend_from_slice(data);
        if let Some(size) = size {
            read_on(channel, size, &mut record);
        }
        let program = self.frame.program.clone();
        let item = io.list.and_then(|list| program.lists.get(list as usize)).and_then(|list| list.items.first());
        match item {
            Some(ListItem::Value(value)) => match &value.target {
                Some(target) => self.assign(target, Value::Text(record)),
                None => fail(23, "READ RECORD needs a variable"),
            },
            Some(_) => fail(23, "READ RECORD needs a variable"),
            None => {
                self.give(record);
                Ok(())
            }
        }
    }

    fn write(&mut self, io: &IoCode, number: i64, record: bool) -> Outcome<()> {
        let reference = self.reference(&io.options, number)?;
        let wait = self.wait_time(&io.options)?;
        let separator = Machine::separator(self.channels.get(number)?);
        let mut data = self.take();
        self.record_of(io, number, record, separator, &mut data)?;
        let mode = match io.verb {
            Verb::Insert | Verb::InsertRecord => WriteMode::New,
            Verb::Update | Verb::UpdateRecord => WriteMode::Existing,
            _ if io.options.branches.missing.is_some() => WriteMode::New,
            _ => WriteMode::Replace,
        };
        let options = WriteOptions {
            mode,
            key: reference.key.as_deref(),
            index: reference.index,
            keeps_lock: io.verb == Verb::WriteLock,
            wait,
        };
        let file = &mut self.channels.get(number)?.file;
        let result = file.write(&data, &options).map_err(file_fault);
        self.give(data);
        result
    }

    fn record_of(&mut self, io: &IoCode, number: i64, record: bool, separator: u8, data: &mut Vec<u8>) -> Outcome<()> {
        let program = self.frame.program.clone();
        if let (Some(prefix), false) = (&io.options.prefix, record) {
            let plan = self.prefixed_plan(io.list, number, prefix)?;
            self.write_bound(&plan, separator, data);
            return Ok(());
        }
        if let Some(list) = io.list {
            let list = program.lists.get(list as usize).ok_or_else(|| Fault::new(81))?;
            if !record {
                return self.write_fields(list, separator, data, 0);
            }
            return match list.items.first() {
                Some(ListItem::Value(value)) => match &value.value {
                    Expr::Text(text) => self.text(text, data),
                    Expr::Number(_) => fail(26, "a record is a string"),
                },
                _ => fail(26, "a record is a string"),
            };
        }
        if record {
            return Ok(());
        }
        if let Some(plan) = self.bound_plan(number)? {
            self.write_bound(&plan, separator, data);
            return Ok(());
        }
        let bound = self.channels.get(number)?.list.clone();
        match bound {
            Some((owner, list, _)) if std::rc::Rc::ptr_eq(&owner, &program) => {
                self.write_fields(&list, separator, data, 0)
            }
            Some(_) => fail(81, "a list with formats is bound to its own program"),
            None => Ok(()),
        }
    }

    /// CLOSE; channels that are not open do not matter.
    pub(super) fn close(&mut self, channels: &[NumberExpr]) -> Outcome<()> {
        if channels.is_empty() {
            self.close_all_channels();
            return Ok(());
        }
        for channel in channels {
            let number = self.whole(channel)?;
            self.close_channel(number)?;
        }
        Ok(())
    }

    /// The record that a list makes of its variables.
    pub(crate) fn record_of_list(&mut self, source: &ListSource, separator: u8, out: &mut Vec<u8>) -> Outcome<()> {
        let list = self.find_list(source)?;
        self.write_fields(&list, separator, out, 0)
    }

    /// A record as a value, for RCD( ).
    pub(crate) fn read_value(&mut self, number: i64, options: &Options, out: &mut Vec<u8>) -> Outcome<()> {
        let reference = self.reference(options, number)?;
        let order = self.order(options.key_number.as_ref(), number)?;
        let read = ReadOptions { order, ..ReadOptions::default() };
        let channel = self.channels.get(number)?;
        out.extend_from_slice(channel.file.read(reference.place(), &read).map_err(file_fault)?);
        Ok(())
    }

    /// The channel that a function's first argument names, with its number.
    pub(crate) fn channel_of(&mut self, number: i64) -> Outcome<&mut Channel> {
        self.channels.get(number)
    }
}

/// SIZ=: so many bytes of a record. A file opened with ISZ= is read on, block by block, until there are as many or it
/// ends.
fn read_on(channel: &mut Channel, size: usize, record: &mut Vec<u8>) {
    let is_binary = channel.file.definition().kind == FileKind::Binary;
    while is_binary && record.len() < size {
        match channel.file.read(Place::Next, &ReadOptions::default()) {
            Ok(data) => record.extend_from_slice(data),
            Err(_) => break,
        }
    }
    record.truncate(size);
}
