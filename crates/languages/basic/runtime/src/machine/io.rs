//! READ, WRITE and the other verbs of records.

use super::channels::file_fault;
use super::dictionary::{own_list, with_dictionary};
use super::list::split;
use super::{Channel, Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use mainstay_basic_files::{FileKind, Order, Place, ReadMode, ReadOptions, ScanRange, WriteMode, WriteOptions};
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

/// Bytes of a record in memory beside its own and those of its key.
const WRITTEN: usize = 512;

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
            Verb::Read | Verb::Find | Verb::Extract => {
                with_dictionary(self, io, number, |machine| machine.read(io, number, false))
            }
            Verb::ReadRecord | Verb::FindRecord | Verb::ExtractRecord => self.read(io, number, true),
            Verb::Write | Verb::WriteLock | Verb::Insert | Verb::Update => {
                with_dictionary(self, io, number, |machine| machine.write(io, number, false))
            }
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
            Verb::KeyedLoad => load_keys(self, io, number),
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
            // Retries by default, a second each.
            _ => self.parameters.busy_retries,
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
        options.ignores_locks = self.parameters.ignores_locks;
        if record {
            return self.read_record(io, number, &reference, &options);
        }
        let list = own_list(&self.frame.program, io);
        let plan = match (list, &io.options.prefix) {
            (_, Some(prefix)) => {
                let prefix = self.prefix_name(prefix)?;
                Some(self.prefixed_plan(list, number, &prefix)?)
            }
            (Some(list), None) => match self.channels.get(number)?.prefix.clone() {
                Some(prefix) => Some(self.prefixed_plan(Some(list), number, &prefix)?),
                None => self.frame.link.plan(&self.frame.program, list).cloned(),
            },
            (None, None) => self.bound_plan(number)?,
        };
        let rounding = self.rounding();
        let Machine { channels, variables, globals, .. } = self;
        let channel = channels.get(number)?;
        let separator = Machine::separator(channel);
        if let (Some(plan), None) = (&plan, &io.options.size) {
            let data = channel.file.read(reference.place(), &options).map_err(file_fault)?;
            let bytes = data.len();
            self.record_rest = split(plan, data, separator, rounding, variables, globals)?;
            return super::memory::charge_record(self, bytes);
        }
        let bound = channel.list.clone();
        let mut data = channel.file.read(reference.place(), &options).map_err(file_fault)?.to_vec();
        if let Some(size) = &io.options.size {
            // SIZ=: so many bytes of the record.
            let size = self.whole_within(size, 1, self.text_limit as i64)? as usize;
            read_on(self.channels.get(number)?, size, &mut data);
        }
        super::memory::charge_record(self, data.len())?;
        if let Some(plan) = plan {
            let Machine { variables, globals, .. } = self;
            self.record_rest = split(&plan, &data, separator, rounding, variables, globals)?;
            return Ok(());
        }
        match (list, bound) {
            (Some(list), _) => {
                let list = self.frame.program.lists.get(list as usize).cloned().ok_or_else(|| Fault::new(81))?;
                self.assign_fields(&list, &data, separator)
            }
            (None, Some((program, list, _))) => {
                self.in_text(&program, |machine| machine.assign_fields(&list, &data, separator))
            }
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
        super::memory::charge_record(self, record.len())?;
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
        self.written_record(io, number, record, separator, &mut data)?;
        let mode = self.extracted_mode(options_mode(io), number)?;
        let options = WriteOptions {
            mode,
            key: reference.key.as_deref(),
            index: reference.index,
            keeps_lock: io.verb == Verb::WriteLock,
            wait,
        };
        // A record in memory has a copy, its keys, and places in their orders.
        self.charge(2 * data.len() + WRITTEN)?;
        let file = &mut self.channels.get(number)?.file;
        let result = file.write(&data, &options).map_err(file_fault);
        self.give(data);
        self.count_update(number)?;
        match result {
            // 'FX': the record was there, and nothing had extracted it.
            Err(fault) if fault.code == 11 && self.parameters.needs_extract && mode != options_mode(io) => {
                fail(13, "the record was not extracted")
            }
            result => result,
        }
    }

    /// 'FX': a record that is not extracted may be added and not replaced.
    fn extracted_mode(&mut self, mode: WriteMode, number: i64) -> Outcome<WriteMode> {
        if !self.parameters.needs_extract {
            return Ok(mode);
        }
        let information = self.channels.get(number)?.file.information().map_err(file_fault)?;
        Ok(match information.definition.kind {
            FileKind::Keyed if !information.has_extracted && !information.is_locked => WriteMode::New,
            _ => mode,
        })
    }

    /// 'WD': so many updates of keyed files are written together.
    fn count_update(&mut self, number: i64) -> Outcome<()> {
        let most = self.parameters.get("WD");
        self.updates += 1;
        if most > 0 && self.updates >= most {
            self.updates = 0;
            self.channels.get(number)?.file.flush().map_err(file_fault)?;
        }
        Ok(())
    }

    /// Writes what is deferred, if this parameter is set.
    pub(super) fn commit_updates(&mut self, parameter: &str) -> Outcome<()> {
        if self.parameters.get(parameter) == 0 {
            return Ok(());
        }
        for number in self.channels.numbers() {
            self.channels.get(number)?.file.flush().map_err(file_fault)?;
        }
        self.updates = 0;
        Ok(())
    }

    /// The prefix of REC=.
    pub(crate) fn prefix_name(&mut self, prefix: &RecordPrefix) -> Outcome<String> {
        match prefix {
            RecordPrefix::Name(name) => Ok(name.clone()),
            RecordPrefix::Text(text) => {
                let name = self.text_value(text)?;
                crate::functions::variable_name(&name)?;
                Ok(mainstay_code_page::decode(&name).trim_end_matches('$').to_ascii_uppercase())
            }
        }
    }

    fn written_record(
        &mut self,
        io: &IoCode,
        number: i64,
        record: bool,
        separator: u8,
        data: &mut Vec<u8>,
    ) -> Outcome<()> {
        let program = self.frame.program.clone();
        let prefix = match &io.options.prefix {
            Some(prefix) => Some(self.prefix_name(prefix)?),
            None => self.channels.get(number)?.prefix.clone(),
        };
        if let (Some(prefix), false) = (prefix, record) {
            let plan = self.prefixed_plan(own_list(&self.frame.program, io), number, &prefix)?;
            self.write_bound(&plan, separator, data);
            return Ok(());
        }
        if let Some(list) = own_list(&self.frame.program, io) {
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
            Some((owner, list, _)) => self.in_text(&owner, |machine| machine.write_fields(&list, separator, data, 0)),
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
    pub(crate) fn record_of_list(
        &mut self,
        source: &ListSource,
        prefix: Option<&RecordPrefix>,
        separator: u8,
        out: &mut Vec<u8>,
    ) -> Outcome<()> {
        let (program, list, id) = match source {
            ListSource::Text(text) => self.list_of_text(text)?,
            ListSource::Id(id) => (self.frame.program.clone(), self.find_list(source)?, *id),
            source => return self.find_list(source).map(drop),
        };
        self.record_of(program, &list, id, prefix, separator, out)
    }

    /// The same for a list in a string: REC(list$).
    pub(crate) fn record_of_text(
        &mut self,
        list: &TextExpr,
        prefix: Option<&RecordPrefix>,
        separator: u8,
        out: &mut Vec<u8>,
    ) -> Outcome<()> {
        let (program, list, id) = self.list_of_text(list)?;
        self.record_of(program, &list, id, prefix, separator, out)
    }

    fn record_of(
        &mut self,
        program: std::rc::Rc<Program>,
        list: &List,
        id: ListId,
        prefix: Option<&RecordPrefix>,
        separator: u8,
        out: &mut Vec<u8>,
    ) -> Outcome<()> {
        let Some(prefix) = prefix else {
            return self.in_text(&program, |machine| machine.write_fields(list, separator, out, 0));
        };
        let prefix = self.prefix_name(prefix)?;
        match crate::link::Link::prefixed_plan(&program, id, &prefix, &mut self.variables) {
            Some(plan) => {
                self.write_bound(&plan, separator, out);
                Ok(())
            }
            None => fail(81, "REC= needs a list of variables"),
        }
    }

    /// A record as a value, for RCD( ).
    pub(crate) fn read_value(&mut self, number: i64, options: &Options, out: &mut Vec<u8>) -> Outcome<()> {
        let reference = self.reference(options, number)?;
        let order = self.order(options.key_number.as_ref(), number)?;
        let ignores_locks = self.parameters.ignores_locks;
        let read = ReadOptions { order, ignores_locks, ..ReadOptions::default() };
        let channel = self.channels.get(number)?;
        out.extend_from_slice(channel.file.read(reference.place(), &read).map_err(file_fault)?);
        Ok(())
    }

    /// The channel that a function's first argument names, with its number.
    pub(crate) fn channel_of(&mut self, number: i64) -> Outcome<&mut Channel> {
        self.channels.get(number)
    }
}

/// The mode that a directive asks for itself.
fn options_mode(io: &IoCode) -> WriteMode {
    match io.verb {
        Verb::Insert | Verb::InsertRecord => WriteMode::New,
        Verb::Update | Verb::UpdateRecord => WriteMode::Existing,
        _ if io.options.branches.missing.is_some() => WriteMode::New,
        _ => WriteMode::Replace,
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

/// KEYED LOAD: reads a key, or all keys, to the end. Keys follow from their records, so there is nothing to build; damage is an
/// error. TCB(67) is the number of keys. Errors: 13 for a file that is read only, 17 for one without records and keys.
fn load_keys(machine: &mut Machine, io: &IoCode, number: i64) -> Outcome<()> {
    let current = machine.channels.get(number)?.file.current_key();
    let wanted = machine.order(io.options.key_number.as_ref(), number)?;
    let file = &mut machine.channels.get(number)?.file;
    let information = file.information().map_err(file_fault)?;
    if information.definition.kind != FileKind::Keyed {
        return fail(17, "KEYED LOAD takes a keyed file");
    }
    if information.is_read_only {
        return fail(13, "the file was opened for reading");
    }
    let keys = information.definition.keys.keys().iter().enumerate();
    let numbers: Vec<usize> = match (&io.options.key_number, wanted) {
        (Some(_), Some(Order::Key(key))) => vec![key],
        _ => keys.filter(|(_, key)| !key.is_dropped()).map(|(key, _)| key).collect(),
    };
    for key in &numbers {
        let range = ScanRange { order: Some(Order::Key(*key)), ignores_locks: true, ..ScanRange::default() };
        let mut scan = file.scan(&range).map_err(file_fault)?;
        while file.scan_next(&mut scan).map_err(file_fault)?.is_some() {}
    }
    // The current key stays.
    let range = ScanRange { order: Some(Order::Key(current)), ..ScanRange::default() };
    file.scan(&range).map_err(file_fault)?;
    machine.keys_loaded = numbers.len() as i64;
    Ok(())
}
