//! INPUT and OBTAIN: prompts, values, masks, branches.

use super::{Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use crate::host::{Input, InputRequest};
use crate::mask;
use crate::number::Number;
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
        super::session::transaction(self, mainstay_basic_files::TransactionVerb::Idle)?;
        let program = self.frame.program.clone();
        let list = program.lists.get(list as usize).ok_or_else(|| Fault::new(81))?;
        let ended = self.input_items(io, list, 0);
        // As at the end of PRINT: a comma behind the list keeps the cursor in its line. A refused value has had its Enter, too.
        let is_refused = matches!(&ended, Err(fault) if matches!(fault.code, 26 | 48));
        if !io.open_end && (ended.is_ok() || is_refused) {
            self.screen.end_input()?;
        }
        ended.map(drop)
    }

    /// Prompts and values of a list. True if a branch was taken.
    fn input_items(&mut self, io: &IoCode, list: &List, depth: usize) -> Outcome<bool> {
        if depth > 20 {
            return fail(81, "lists are nested too deeply");
        }
        for item in &list.items {
            let item = match item {
                // The user's answer counts, and its text does not.
                ListItem::Skip => {
                    let mut request = InputRequest { hidden: io.verb == Verb::Obtain, ..InputRequest::default() };
                    read_line(self, io, &mut request)?;
                    continue;
                }
                ListItem::List(ListSource::Text(text)) => {
                    let (program, inner, _) = self.list_of_text(text)?;
                    if self.in_text(&program, |machine| machine.input_items(io, &inner, depth + 1))? {
                        return Ok(true);
                    }
                    continue;
                }
                ListItem::List(source) => {
                    let inner = self.find_list(source)?;
                    if self.input_items(io, &inner, depth + 1)? {
                        return Ok(true);
                    }
                    continue;
                }
                ListItem::Value(item) => item,
            };
            match &item.target {
                None => {
                    let mut out = self.take();
                    self.print_item(item, &mut out)?;
                    self.show(&out, false)?;
                    self.give(out);
                }
                Some(target) => {
                    if self.input_value(io, item, target)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// INPUT from a file is READ.
    fn input_record(&mut self, io: &IoCode, number: i64) -> Outcome<()> {
        let options = mainstay_basic_files::ReadOptions::default();
        let channel = self.channels.get(number)?;
        let separator = Machine::separator(channel);
        let data = channel.file.read(mainstay_basic_files::Place::Next, &options);
        let data = data.map_err(super::channels::file_fault)?.to_vec();
        super::memory::charge_record(self, data.len())?;
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
        let mut input = read_line(self, io, &mut request)?;
        if let Some(limit) = request.limit {
            input.text.truncate(limit);
        }
        if let Some(line) = io.options.table {
            self.translate(line, &mut input.text)?;
        }
        // Text that is one of the branches' values goes there, and is assigned as well if the variable can have it.
        let checked = self.checked(item, &input.text);
        let mut branch = branch_for(self, item, &input.text)?;
        if let (None, Ok(Value::Text(text))) = (branch, &checked) {
            // A mask may have changed its letters.
            branch = branch_for(self, item, text)?;
        }
        let value = match (checked, branch) {
            (Ok(value), _) => value,
            (Err(_), Some(to)) => {
                self.pending = Some(to);
                return Ok(true);
            }
            (Err(fault), None) => return invalid_input(self, item, fault),
        };
        if let (None, Some(reason)) = (branch, refusal(self, item, &value)?) {
            return invalid_input(self, item, Fault::with(48, reason));
        }
        // Input keeps its decimals: ROUND is for assignments (manual, `functions/abs.md`).
        let rounds = std::mem::take(&mut self.rounds);
        let assigned = self.assign(target, value);
        self.rounds = rounds;
        assigned?;
        self.pending = branch.or(self.pending.take());
        Ok(branch.is_some())
    }

    fn checked(&mut self, item: &ListValue, text: &[u8]) -> Outcome<Value> {
        match &item.value {
            Expr::Number(_) => {
                // Thousands separators are no part of a number.
                let separator = if item.mask.is_some() { self.parameters.signs.thousands } else { b',' };
                let digits: Vec<u8> = text.iter().copied().filter(|byte| *byte != separator).collect();
                let Some(number) = parse_number(&digits) else { return fail(26, "not a number") };
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
}

/// The reason for which the checks of an input refuse a value that has no branch (manual, "Input Statements").
fn refusal(machine: &mut Machine, item: &ListValue, value: &Value) -> Outcome<Option<&'static str>> {
    let has_branches = item.branches.iter().any(|(key, _)| key.is_some());
    Ok(match (&item.limit, value) {
        (Some(InputLimit::Length(least, most)), Value::Text(text)) => {
            let least = machine.whole(least)?;
            let most = most.as_ref().map(|most| machine.whole(most)).transpose()?.unwrap_or(least);
            let length = text.len() as i64;
            (length < least || length > most).then_some("the input is too short or too long")
        }
        (Some(InputLimit::Range(limit)), Value::Number(number)) => {
            let limit = machine.number(limit)?.normalized();
            let least = if limit.signum() < 0 { limit } else { Number::ZERO };
            let fits = *number >= least && *number <= limit.abs();
            let decimals = number.normalized().scale() <= limit.scale().max(0);
            (!fits || !decimals).then_some("the number is outside of its range")
        }
        (Some(_), _) => return fail(26, "LEN= goes with strings, a range with numbers"),
        (None, Value::Text(_)) if has_branches => Some("none of the values that are allowed"),
        (None, _) => None,
    })
}

fn invalid_input(machine: &mut Machine, item: &ListValue, fault: Box<Fault>) -> Outcome<bool> {
    match item.branches.iter().find(|(value, _)| value.is_none()) {
        Some((_, to)) => {
            machine.pending = Some(*to);
            Ok(true)
        }
        None => Err(fault),
    }
}

/// Reads a line with the options of the directive, and sets CTL, EOM and IND(0).
fn read_line(machine: &mut Machine, io: &IoCode, request: &mut InputRequest) -> Outcome<Input> {
    if let Some(length) = &io.options.length {
        request.limit = Some(machine.whole_within(length, 1, 32_000)? as usize);
    }
    if let Some(size) = &io.options.size {
        request.size = Some(machine.whole_within(size, 1, 32_000)? as usize);
    }
    if let Some(place) = &io.options.index {
        request.cursor = machine.whole_within(place, 0, 32_000)? as usize;
    }
    if let Some(time) = &io.options.time {
        request.wait = Some(Duration::from_secs(machine.whole_within(time, 0, 86_400)? as u64));
    }
    machine.host.flush()?;
    machine.commit_updates("FC")?;
    machine.commit_updates("WD")?;
    let mut input = next_input(machine, request)?;
    machine.charge(input.text.len())?;
    machine.ctl = input.ctl;
    machine.end_of_message = std::mem::take(&mut input.end);
    machine.input_place = input.cursor as i64;
    Ok(input)
}

/// The next line: what PREINPUT has left, or what the user types.
fn next_input(machine: &mut Machine, request: &InputRequest) -> Outcome<Input> {
    if let Some(input) = machine.screen.input_from_queue(request)? {
        machine.screen.new_line(&mut *machine.host)?;
        return Ok(input);
    }
    loop {
        let input = machine.host.input(request);
        match machine.waited(input) {
            // SETESC OFF: the input begins again.
            Err(fault) if fault.is_break && machine.handlers.ignores_keys && !machine.host.hung_up() => {}
            input => {
                let input = input?;
                machine.screen.entered(&input.text, request.hidden)?;
                return Ok(input);
            }
        }
    }
}

/// The branch of an input: its text is a string of the list, or as a number one of its numbers.
fn branch_for(machine: &mut Machine, item: &ListValue, text: &[u8]) -> Outcome<Option<Destination>> {
    for (key, to) in &item.branches {
        let Some(key) = key else { continue };
        let is_same = match machine.value(key)? {
            Value::Text(key) => key == text,
            Value::Number(key) => parse_number(text) == Some(key),
        };
        if is_same {
            return Ok(Some(*to));
        }
    }
    Ok(None)
}
