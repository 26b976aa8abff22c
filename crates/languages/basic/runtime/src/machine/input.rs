//! INPUT and OBTAIN: prompts, values, masks, branches.

use super::{Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use crate::host::InputRequest;
use crate::mask;
use crate::number_text::parse_number;
use mainstay_basic_syntax::tree::Verb;
use std::time::Duration;

impl Machine {
    pub(super) fn input(&mut self, io: &IoCode) -> Outcome<()> {
        match &io.channel {
            None => {}
            Some(Expr::Number(channel)) => match self.whole(channel)? {
                0 => {}
                number => return self.input_record(io, number),
            },
            Some(Expr::Text(_)) => return fail(26, "a channel is a number"),
        }
        let Some(list) = io.list else { return Ok(()) };
        let program = self.frame.program.clone();
        let list = program.lists.get(list as usize).ok_or_else(|| Fault::new(81))?;
        for item in &list.items {
            let ListItem::Value(item) = item else { continue };
            match &item.target {
                None => {
                    let mut out = self.take();
                    self.print_item(item, &mut out)?;
                    self.show(&out, false)?;
                    self.give(out);
                }
                Some(target) => {
                    if self.input_value(io, item, target)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// INPUT from a file is READ.
    fn input_record(&mut self, io: &IoCode, number: i64) -> Outcome<()> {
        let options = mainstay_basic_files::ReadOptions::default();
        let channel = self.channels.get(number)?;
        let separator = Machine::separator(channel);
        let data = channel.file.read(mainstay_basic_files::Place::Next, &options);
        let data = data.map_err(super::channels::file_fault)?.to_vec();
        let Some(list) = io.list else { return Ok(()) };
        let list = self.frame.program.lists.get(list as usize).cloned().ok_or_else(|| Fault::new(81))?;
        self.assign_fields(&list, &data, separator)
    }

    /// Reads a value. True if one of its branches was taken.
    fn input_value(&mut self, io: &IoCode, item: &ListValue, target: &Target) -> Outcome<bool> {
        let mut request = InputRequest { hidden: io.verb == Verb::Obtain, ..InputRequest::default() };
        if io.verb == Verb::InputEdit {
            let mut initial = self.take();
            match &item.value {
                Expr::Text(expr) => self.text(expr, &mut initial)?,
                Expr::Number(expr) => {
                    let value = self.number(expr)?;
                    self.write_number(&mut initial, value);
                }
            }
            request.initial = initial;
        }
        for length in [&io.options.length, &io.options.size].into_iter().flatten() {
            request.limit = Some(self.whole_within(length, 1, 32_000)? as usize);
        }
        if let Some(time) = &io.options.time {
            request.wait = Some(Duration::from_secs(self.whole_within(time, 0, 86_400)? as u64));
        }
        self.host.flush()?;
        let mut input = self.host.input(&request)?;
        self.ctl = input.ctl;
        self.screen.entered(&input.text, request.hidden)?;
        if let Some(limit) = request.limit {
            input.text.truncate(limit);
        }
        let value = match self.checked(item, &input.text) {
            Ok(value) => value,
            Err(fault) => return self.invalid_input(item, fault),
        };
        // Text that is one of the branches' values goes there, and is assigned as well.
        let branch = self.branch_for(item, &value)?;
        self.assign(target, value)?;
        match branch {
            Branch::Taken(to) => {
                self.pending = Some(to);
                Ok(true)
            }
            Branch::None => Ok(false),
            Branch::Invalid => self.invalid_input(item, Fault::with(48, "none of the values that are allowed")),
        }
    }

    fn invalid_input(&mut self, item: &ListValue, fault: Box<Fault>) -> Outcome<bool> {
        match item.branches.iter().find(|(value, _)| value.is_none()) {
            Some((_, to)) => {
                self.pending = Some(*to);
                Ok(true)
            }
            None => Err(fault),
        }
    }

    fn checked(&mut self, item: &ListValue, text: &[u8]) -> Outcome<Value> {
        match &item.value {
            Expr::Number(_) => {
                let Some(number) = parse_number(text) else { return fail(26, "not a number") };
                if let Some(mask) = &item.mask {
                    let mask = self.text_value(mask)?;
                    if mask::number(&mut Vec::new(), number, &mask, self.parameters.signs).is_none() {
                        return fail(48, "more digits than the mask has");
                    }
                }
                Ok(Value::Number(number))
            }
            Expr::Text(_) => match &item.mask {
                None => Ok(Value::Text(text.to_vec())),
                Some(mask) => {
                    let mask = self.text_value(mask)?;
                    let mut out = Vec::new();
                    match mask::text(&mut out, text, &mask) {
                        Some(()) => Ok(Value::Text(out)),
                        // Input that has the mask's own characters already.
                        None if mask::matches(text, &mask) => Ok(Value::Text(text.to_vec())),
                        None => fail(48, "the mask does not allow this"),
                    }
                }
            },
        }
    }

    fn branch_for(&mut self, item: &ListValue, value: &Value) -> Outcome<Branch> {
        let mut any = false;
        for (key, to) in &item.branches {
            let Some(key) = key else { continue };
            any = true;
            if self.value(key)? == *value {
                return Ok(Branch::Taken(*to));
            }
        }
        Ok(if any { Branch::Invalid } else { Branch::None })
    }
}

/// The outcome of a value's branches.
enum Branch {
    /// The value's own.
    Taken(Destination),
    /// There are none.
    None,
    /// The value is not among them.
    Invalid,
}
