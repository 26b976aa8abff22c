//! SELECT .. NEXT RECORD.

use super::channels::file_fault;
use super::join::JoinLevel;
use super::list::split;
use super::state::Selecting;
use super::{Entry, Machine, Value};
use crate::code::*;
use crate::compile::NOWHERE;
use crate::fault::{Fault, Outcome, fail};
use mainstay_basic_files::{Scan, ScanRange};
use mainstay_basic_syntax::tree::{OpenMode, SelectMode};

impl Machine {
    pub(super) fn select(&mut self, select: &SelectCode) -> Outcome<()> {
        if select.exit == NOWHERE {
            return fail(27, "NEXT RECORD is missing");
        }
        let (channel, owns_channel) = self.select_channel(select)?;
        let mut joined = Vec::new();
        match self.begin_select(select, channel, owns_channel, &mut joined) {
            Ok(()) => self.advance(),
            Err(fault) => {
                for level in joined.iter().filter(|level: &&JoinLevel| level.owns_channel) {
                    self.close_channel(level.channel)?;
                }
                if owns_channel {
                    self.close_channel(channel)?;
                }
                Err(fault)
            }
        }
    }

    /// The channel of a SELECT, and whether it was opened for it.
    fn select_channel(&mut self, select: &SelectCode) -> Outcome<(i64, bool)> {
        match &select.source {
            Expr::Number(number) => Ok((self.whole(number)?, false)),
            Expr::Text(name) => {
                let name = self.text_value(name)?;
                let channel = self.hidden_channel();
                self.open_file(channel, &name, OpenMode::Shared, &Options::default())?;
                Ok((channel, true))
            }
        }
    }

    fn begin_select(
        &mut self,
        select: &SelectCode,
        channel: i64,
        owns_channel: bool,
        joined: &mut Vec<JoinLevel>,
    ) -> Outcome<()> {
        for join in &select.joins {
            let (channel, owns_channel) = self.select_channel(&join.select)?;
            joined.push(JoinLevel { channel, owns_channel, scan: None, is_matched: false });
        }
        let scan = self.scan_of(select, channel)?;
        let (op, joined) = (self.frame.op, std::mem::take(joined));
        let dictionary = match select.mode {
            SelectMode::Fields => super::dictionary::selected_dictionary(self, select.list, channel)?,
            _ => None,
        };
        let selecting = Selecting { op, channel, owns_channel, scan, dictionary, joined, level: 0 };
        self.push_entry(Entry::Select(Box::new(selecting)))
    }

    /// The range of a SELECT.
    pub(super) fn scan_of(&mut self, select: &SelectCode, channel: i64) -> Outcome<Scan> {
        let key_number = select.options.key_number.as_ref();
        let order = self.order(key_number, channel)?;
        let begin = select.begin.as_ref().map(|key| self.join_key(key, key_number, channel)).transpose()?;
        let end = select.end.as_ref().map(|key| self.join_key(key, key_number, channel)).transpose()?;
        let range = ScanRange {
            order,
            begin: begin.as_deref(),
            end: end.as_deref(),
            wait: self.wait_time(&select.options)?,
            ignores_locks: self.parameters.ignores_locks,
            ..ScanRange::default()
        };
        self.channels.get(channel)?.file.scan(&range).map_err(file_fault)
    }

    /// The SELECT that runs, which is on top of the stack.
    pub(super) fn selecting(&mut self) -> Outcome<&mut Selecting> {
        match self.frame.stack.last_mut() {
            Some(Entry::Select(selecting)) => Ok(selecting),
            _ => Err(Fault::new(27)),
        }
    }

    /// NEXT RECORD: the next turn, or the end.
    pub(super) fn next_record(&mut self) -> Outcome<()> {
        while self.frame.stack.last().is_some_and(Entry::is_attached) && self.frame.stack.len() > 1 {
            self.drop_top();
        }
        self.advance()
    }

    /// Reads up to the next record that the condition takes, and goes on with the body; without one, behind the loop.
    fn advance(&mut self) -> Outcome<()> {
        let program = self.frame.program.clone();
        loop {
            let Some(Entry::Select(selecting)) = self.frame.stack.last_mut() else {
                return fail(27, "NEXT RECORD without SELECT");
            };
            let Some(Op::Select(select)) = program.ops.get(selecting.op as usize) else { return Err(Fault::new(27)) };
            let body = selecting.op + 1;
            let found = match select.joins.is_empty() {
                true => self.read_selected(select)?,
                false => self.advance_joined(select)?,
            };
            if !found {
                self.drop_top();
                self.frame.pc = select.exit;
                return Ok(());
            }
            let taken = match &select.condition {
                Some(condition) => self.is_true(condition)?,
                None => true,
            };
            if taken {
                self.frame.pc = body;
                return Ok(());
            }
        }
    }

    /// Reads the next record into the variables. False behind the last one.
    pub(super) fn read_selected(&mut self, select: &SelectCode) -> Outcome<bool> {
        let rounding = self.rounding();
        let Machine { channels, variables, globals, frame, .. } = self;
        let Some(Entry::Select(selecting)) = frame.stack.last_mut() else { return Err(Fault::new(27)) };
        let channel = channels.get(selecting.channel)?;
        let separator = Machine::separator(channel);
        let Some(scanned) = channel.file.scan_next(&mut selecting.scan).map_err(file_fault)? else { return Ok(false) };
        let data = match select.mode {
            SelectMode::Key => scanned.key,
            _ => scanned.data,
        };
        if let Some((program, list, _)) = selecting.dictionary.clone() {
            let data = data.to_vec();
            super::memory::charge_record(self, data.len())?;
            self.in_text(&program, |machine| machine.assign_fields(&list, &data, separator))?;
            return Ok(true);
        }
        if select.mode == SelectMode::Fields
            && select.options.prefix.is_none()
            && let Some(plan) = frame.link.plan(&frame.program, select.list)
        {
            let bytes = data.len();
            self.record_rest = split(plan, data, separator, rounding, variables, globals)?;
            super::memory::charge_record(self, bytes)?;
            return Ok(true);
        }
        let (channel, data) = (selecting.channel, data.to_vec());
        super::memory::charge_record(self, data.len())?;
        self.take_record(select, channel, &data)?;
        Ok(true)
    }

    /// A record to the variables of a SELECT.
    pub(super) fn take_record(&mut self, select: &SelectCode, channel: i64, data: &[u8]) -> Outcome<()> {
        let separator = Machine::separator(self.channels.get(channel)?);
        if let (SelectMode::Fields, Some(prefix)) = (select.mode, &select.options.prefix) {
            let prefix = self.prefix_name(prefix)?;
            let plan = self.prefixed_plan(Some(select.list), channel, &prefix)?;
            let rounding = self.rounding();
            let Machine { variables, globals, .. } = self;
            return split(&plan, data, separator, rounding, variables, globals).map(drop);
        }
        let list = self.frame.program.lists.get(select.list as usize).cloned().ok_or_else(|| Fault::new(81))?;
        if select.mode == SelectMode::Fields {
            self.assign_fields(&list, data, separator)?;
        } else if let Some(ListItem::Value(value)) = list.items.first()
            && let Some(target) = &value.target
        {
            self.assign(target, Value::Text(data.to_vec()))?;
        }
        Ok(())
    }

    /// A SELECT is over, or was left.
    pub(super) fn end_select(&mut self, selecting: Selecting) {
        if selecting.owns_channel {
            // The loop only read; there is nothing that closing could lose.
            let _ = self.close_channel(selecting.channel);
        }
        for level in selecting.joined.iter().filter(|level| level.owns_channel) {
            let _ = self.close_channel(level.channel);
        }
    }
}
