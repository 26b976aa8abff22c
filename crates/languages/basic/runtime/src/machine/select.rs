//! SELECT .. NEXT RECORD.

use super::channels::file_fault;
use super::list::split;
use super::state::Selecting;
use super::{Entry, Machine, Value};
use crate::code::*;
use crate::compile::NOWHERE;
use crate::fault::{Fault, Outcome, fail};
use mainstay_basic_files::ScanRange;
use mainstay_basic_syntax::tree::{OpenMode, SelectMode};

impl Machine {
    pub(super) fn select(&mut self, select: &SelectCode) -> Outcome<()> {
        if select.exit == NOWHERE {
            return fail(27, "NEXT RECORD is missing");
        }
        let (channel, owns_channel) = match &select.source {
            Expr::Number(number) => (self.whole(number)?, false),
            Expr::Text(name) => {
                let name = self.text_value(name)?;
                let channel = self.hidden_channel();
                self.open_file(channel, &name, OpenMode::Shared, &Options::default())?;
                (channel, true)
            }
        };
        match self.begin_select(select, channel, owns_channel) {
            Ok(()) => self.advance(),
            Err(fault) => {
                if owns_channel {
                    self.close_channel(channel)?;
                }
                Err(fault)
            }
        }
    }

    fn begin_select(&mut self, select: &SelectCode, channel: i64, owns_channel: bool) -> Outcome<()> {
        let key_number = select.options.key_number.as_ref();
        let order = self.order(key_number, channel)?;
        let begin = select.begin.as_ref().map(|key| self.join_key(key, key_number, channel)).transpose()?;
        let end = select.end.as_ref().map(|key| self.join_key(key, key_number, channel)).transpose()?;
        let range = ScanRange {
            order,
            begin: begin.as_deref(),
            end: end.as_deref(),
            wait: self.wait_time(&select.options)?,
            ..ScanRange::default()
        };
        let scan = self.channels.get(channel)?.file.scan(&range).map_err(file_fault)?;
        let op = self.frame.op;
        self.push_entry(Entry::Select(Box::new(Selecting { op, channel, owns_channel, scan })))
    }

    /// NEXT RECORD: the next turn, or the end.
    pub(super) fn next_record(&mut self) -> Outcome<()> {
        while matches!(self.frame.stack.last(), Some(Entry::Local(_))) && self.frame.stack.len() > 1 {
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
            if !self.read_selected(select)? {
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
    fn read_selected(&mut self, select: &SelectCode) -> Outcome<bool> {
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
        if select.mode == SelectMode::Fields
            && let Some(plan) = frame.link.plan(&frame.program, select.list)
        {
            split(plan, data, separator, rounding, variables, globals)?;
            return Ok(true);
        }
        let data = data.to_vec();
        let list = self.frame.program.lists.get(select.list as usize).cloned().ok_or_else(|| Fault::new(81))?;
        if select.mode == SelectMode::Fields {
            self.assign_fields(&list, &data, separator)?;
        } else if let Some(ListItem::Value(value)) = list.items.first()
            && let Some(target) = &value.target
        {
            self.assign(target, Value::Text(data))?;
        }
        Ok(true)
    }

    /// A SELECT is over, or was left.
    pub(super) fn end_select(&mut self, selecting: Selecting) {
        if selecting.owns_channel {
            // The loop only read; there is nothing that closing could lose.
            let _ = self.close_channel(selecting.channel);
        }
    }
}
