//! Branches, loops, TRY.

use super::{Entry, Flow, FrameKind, Machine, Value};
use crate::code::*;
use crate::compile::NOWHERE;
use crate::fault::{Fault, Outcome, fail};
use crate::number::Number;

/// Bytes of a value that a loop takes in one of its turns.
const ELEMENT: usize = 48;
/// The most entries of a frame's stack.
const STACK: usize = 10_000;

/// The fault of ESCAPE, behind which the console goes on.
pub(super) fn escape(detail: &str) -> Box<Fault> {
    let mut fault = Fault::with(127, detail);
    fault.is_stop = true;
    fault
}

impl Machine {
    pub(super) fn goto(&mut self, to: Destination, depth: usize) -> Outcome<Flow> {
        match to {
            Destination::Pc(pc) => self.frame.pc = pc,
            Destination::Line(line) => {
                self.frame.pc = self.frame.program.lines.get(line as usize).map_or(NOWHERE, |line| line.start);
            }
            Destination::OuterLine(line) => {
                while self.frame.kind == FrameKind::Execute {
                    self.take_outer_entries();
                }
                self.frame.pc = self.frame.program.lines.get(line as usize).map_or(NOWHERE, |line| line.start);
                // At the prompt GOTO only says where RUN goes on.
                let is_at_prompt = self.stepping.immediate.is_some_and(|depth| self.frames.len() < depth);
                self.stepping.moved |= is_at_prompt;
                return Ok(if is_at_prompt { Flow::Stop } else { Flow::Switch });
            }
            Destination::Missing(code) => return Err(Fault::new(code)),
            Destination::Break => self.break_()?,
            Destination::Continue => self.continue_()?,
            Destination::Return => return self.return_value(None, depth),
            Destination::Retry => self.retry()?,
            Destination::End => return self.end(depth),
            Destination::Escape => return Err(escape("*ESCAPE")),
        }
        Ok(Flow::Next)
    }

    /// Leaves EXECUTEd text for its program: a GOSUB in the text returns behind the EXECUTE.
    fn take_outer_entries(&mut self) {
        let gosub = matches!(self.frame.stack.last(), Some(Entry::Gosub(_)));
        self.pop_frame();
        if gosub {
            self.frame.stack.push(Entry::Gosub(self.frame.pc));
        }
    }

    pub(super) fn push_entry(&mut self, entry: Entry) -> Outcome<()> {
        if self.frame.stack.len() >= STACK {
            return fail(31, "too many loops and subroutines are open");
        }
        self.charge(super::memory::ENTRY)?;
        self.frame.stack.push(entry);
        Ok(())
    }

    pub(super) fn on(
        &mut self,
        value: &NumberExpr,
        gosub: bool,
        targets: &[Destination],
        depth: usize,
    ) -> Outcome<Flow> {
        let value = self.whole(value)?.max(0) as usize;
        let Some(to) = targets.get(value).or(targets.last()) else { return Ok(Flow::Next) };
        if gosub {
            self.push_entry(Entry::Gosub(self.frame.pc))?;
        }
        self.goto(*to, depth)
    }

    /// RETURN, from a GOSUB, a function, or a program that PERFORM began.
    pub(super) fn return_value(&mut self, value: Option<&Expr>, depth: usize) -> Outcome<Flow> {
        if let Some(value) = value {
            if self.frame.kind != FrameKind::Function && self.frame.object.is_none() {
                return fail(27, "a value is returned by functions only");
            }
            self.result = Some(self.value(value)?);
            return self.leave_frame(depth);
        }
        // SWITCH, LOCAL and TRY end with the subroutine; a loop must be left before.
        let passes = |entry: &Entry| entry.is_attached() || matches!(entry, Entry::Switch(_) | Entry::Try { .. });
        match self.frame.stack.iter().rposition(|entry| !passes(entry)) {
            Some(at) => {
                let Entry::Gosub(pc) = self.frame.stack[at] else { return fail(27, "a loop is open") };
                while self.frame.stack.len() > at {
                    self.drop_top();
                }
                self.frame.pc = pc;
                Ok(Flow::Next)
            }
            None if matches!(self.frame.kind, FrameKind::Perform | FrameKind::Function)
                || self.frame.object.is_some() =>
            {
                self.leave_frame(depth)
            }
            None => Err(Fault::new(27)),
        }
    }

    /// Drops the top entry; LOCAL variables of it get their values back.
    pub(super) fn drop_top(&mut self) {
        match self.frame.stack.pop() {
            Some(Entry::Local(saved)) => self.restore(saved),
            Some(Entry::Select(selecting)) => self.end_select(*selecting),
            _ => {}
        }
    }

    /// POP and EXITTO: the top entry with the LOCAL variables above it.
    pub(super) fn pop_entry(&mut self) -> Outcome<()> {
        while self.frame.stack.last().is_some_and(Entry::is_attached) && self.frame.stack.len() > 1 {
            self.drop_top();
        }
        if self.frame.stack.is_empty() {
            return Err(Fault::new(27));
        }
        self.drop_top();
        // LOCAL of a FOR LOCAL stands below it.
        if matches!(self.frame.stack.last(), Some(Entry::Local(_))) {
            self.drop_top();
        }
        Ok(())
    }

    /// Drops LOCAL entries above a loop, which end with each turn's GOSUBs but not with the loop.
    fn top_loop(&mut self) -> Option<&mut Entry> {
        let at = self.frame.stack.iter().rposition(|entry| !entry.is_attached())?;
        self.frame.stack.get_mut(at)
    }

    pub(super) fn for_range(&mut self, range: &ForRange) -> Outcome<()> {
        let first = self.number(&range.first)?;
        let last = self.number(&range.last)?;
        let step = match &range.step {
            Some(step) => self.number(step)?,
            None => Number::ONE,
        };
        if step.is_zero() {
            return Err(Fault::new(44));
        }
        if range.local {
            self.local(&[range.variable])?;
        }
        let VariableRef::Number(_, whole) = range.variable else { return Err(Fault::new(23)) };
        let first = self.assigned(first, whole);
        let slot = self.slot_of(range.variable);
        *self.number_slot(slot) = first;
        // A FOR that was left by GOTO and begins again takes the place of the old one.
        let same = |entry: &Entry| matches!(entry, Entry::For { variable, .. } if *variable == range.variable);
        if let Some(at) = self.frame.stack.iter().rposition(same)
            && self.frame.stack[at + 1..].iter().all(|entry| matches!(entry, Entry::For { .. }))
        {
            self.frame.stack.truncate(at);
        }
        let (variable, body, exit) = (range.variable, self.frame.pc, range.exit);
        self.push_entry(Entry::For { variable, last, step, body, exit })
    }

    pub(super) fn next(&mut self, variable: Option<VariableRef>) -> Outcome<Flow> {
        let Some(Entry::For { variable: counter, last, step, body, .. }) = self.frame.stack.last() else {
            return self.next_other(variable);
        };
        if variable.is_some_and(|variable| variable != *counter) {
            return fail(28, "NEXT names another variable");
        }
        let (last, step, body, counter) = (*last, *step, *body, *counter);
        let VariableRef::Number(symbol, _) = counter else { return Err(Fault::new(28)) };
        let slot = self.frame.link.numbers[symbol as usize];
        let value = self.number_slot(slot);
        let next = value.add(step)?;
        *value = next;
        let over = if step.signum() > 0 { next > last } else { next < last };
        if over {
            self.frame.stack.pop();
            if matches!(self.frame.stack.last(), Some(Entry::Local(_))) && self.is_for_local(counter) {
                self.drop_top();
            }
        } else {
            self.frame.pc = body;
        }
        Ok(Flow::Next)
    }

    /// The LOCAL on top is that of a FOR LOCAL of this variable.
    fn is_for_local(&self, counter: VariableRef) -> bool {
        matches!(self.frame.stack.last(), Some(Entry::Local(saved)) if saved.len() == 1 && saved[0].0 == counter)
    }

    #[cold]
    fn next_other(&mut self, variable: Option<VariableRef>) -> Outcome<Flow> {
        if self.frame.stack.last().is_some_and(Entry::is_attached) && self.frame.stack.len() > 1 {
            self.drop_top();
            return self.next(variable);
        }
        let pc = match self.frame.stack.last_mut() {
            Some(Entry::Count(left, body, _, turn)) => {
                *turn += 1;
                *left -= 1;
                let (goes_on, body, turn) = (*left > 0, *body, *turn);
                // The operation before the body is the FOR.
                let op = body.checked_sub(1).and_then(|op| self.frame.program.ops.get(op as usize));
                if let (true, Some(Op::ForCount(_, _, Some(variable)))) = (goes_on, op) {
                    let slot = self.slot_of(*variable);
                    *self.number_slot(slot) = Number::whole(turn);
                }
                goes_on.then_some(body)
            }
            Some(Entry::Values(values, op, _, turn)) => match values.pop() {
                Some(value) => {
                    *turn += 1;
                    let op = *op;
                    self.assign_loop_value(op, value)?;
                    Some(op + 1)
                }
                None => None,
            },
            _ => return Err(Fault::new(28)),
        };
        match pc {
            Some(pc) => self.frame.pc = pc,
            None => drop(self.frame.stack.pop()),
        }
        Ok(Flow::Next)
    }

    pub(super) fn for_count(&mut self, count: &NumberExpr, exit: Pc, variable: Option<VariableRef>) -> Outcome<()> {
        let count = self.whole(count)?;
        if count < 0 {
            return fail(41, "FOR of a negative number");
        }
        if count > 0 {
            if let Some(variable) = variable {
                let slot = self.slot_of(variable);
                *self.number_slot(slot) = Number::ONE;
            }
            return self.push_entry(Entry::Count(count, self.frame.pc, exit, 1));
        }
        self.skip_to(exit)
    }

    pub(super) fn for_parts(&mut self, parts: &(Target, TextExpr), exit: Pc) -> Outcome<()> {
        let text = self.text_value(&parts.1)?;
        let values = match text.split_last() {
            Some((delimiter, rest)) => {
                let parts = memchr::memchr_iter(*delimiter, rest).count() + 1;
                super::memory::charge_temporary(self, parts * ELEMENT)?;
                rest.split(|byte| byte == delimiter).rev().map(|part| Value::Text(part.to_vec())).collect()
            }
            None => Vec::new(),
        };
        self.give(text);
        self.begin_values(values, exit)
    }

    pub(super) fn for_index(&mut self, target: &Target, array: VariableRef, exit: Pc) -> Outcome<()> {
        let count = self.array_length(array);
        super::memory::charge_temporary(self, count * ELEMENT)?;
        if matches!(target, Target::Text(_) | Target::TextElement(..)) {
            let keywords = self.keywords(array);
            let names =
                keywords.map(|keywords| keywords.names().rev().map(|name| Value::Text(name.to_vec())).collect());
            return self.begin_values(names.unwrap_or_default(), exit);
        }
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        let bounds = match array {
            VariableRef::Numbers(_) => level.number_arrays[slot].as_ref().map(|array| array.bounds[0]),
            _ => level.text_arrays[slot].as_ref().map(|array| array.bounds[0]),
        };
        let Some((low, high)) = bounds else { return fail(42, "the array is not dimensioned") };
        let values = (low..=high).rev().map(|index| Value::Number(Number::whole(index))).collect();
        self.begin_values(values, exit)
    }

    fn begin_values(&mut self, mut values: Vec<Value>, exit: Pc) -> Outcome<()> {
        let Some(first) = values.pop() else { return self.skip_to(exit) };
        let op = self.frame.op;
        self.push_entry(Entry::Values(values, op, exit, 1))?;
        self.assign_loop_value(op, first)
    }

    fn assign_loop_value(&mut self, op: Pc, value: Value) -> Outcome<()> {
        let program = self.frame.program.clone();
        match program.ops.get(op as usize) {
            Some(Op::ForParts(parts, _)) => self.assign(&parts.0, value),
            Some(Op::ForIndex(target, ..)) => self.assign(target, value),
            _ => Err(Fault::new(28)),
        }
    }

    fn skip_to(&mut self, exit: Pc) -> Outcome<()> {
        if exit == NOWHERE {
            return fail(27, "the end of the loop is missing");
        }
        self.frame.pc = exit;
        Ok(())
    }

    pub(super) fn while_(&mut self, condition: &NumberExpr, exit: Pc) -> Outcome<()> {
        let (op, is_true) = (self.frame.op, self.is_true(condition)?);
        let open = matches!(self.top_loop(), Some(Entry::While(at, _)) if *at == op);
        match (is_true, open) {
            (true, true) => Ok(()),
            (true, false) => self.push_entry(Entry::While(op, exit)),
            (false, open) => {
                if open {
                    self.pop_entry()?;
                }
                self.skip_to(exit)
            }
        }
    }

    pub(super) fn wend(&mut self) -> Outcome<()> {
        while self.frame.stack.last().is_some_and(Entry::is_attached) && self.frame.stack.len() > 1 {
            self.drop_top();
        }
        match self.frame.stack.last() {
            Some(Entry::While(op, _)) => {
                self.frame.pc = *op;
                Ok(())
            }
            _ => Err(Fault::new(27)),
        }
    }

    pub(super) fn until(&mut self, condition: &NumberExpr) -> Outcome<()> {
        let is_true = self.is_true(condition)?;
        end_on_err(self);
        let body = match self.top_loop() {
            Some(Entry::Repeat(body, _)) => *body,
            _ => return Err(Fault::new(27)),
        };
        match is_true {
            true => self.pop_entry(),
            false => {
                self.frame.pc = body;
                Ok(())
            }
        }
    }

    pub(super) fn switch(&mut self, switch: &SwitchCode) -> Outcome<()> {
        let value = self.value(&switch.value)?;
        let mut target = switch.default;
        for case in &switch.cases {
            let first = self.value(&case.first)?;
            let last = case.last.as_ref().map(|last| self.value(last)).transpose()?;
            let found = match (&value, &first, &last) {
                (Value::Number(value), Value::Number(first), None) => case.relation.holds(value.cmp(first)),
                (Value::Text(value), Value::Text(first), None) => case.relation.holds(value.cmp(first)),
                (Value::Number(value), Value::Number(first), Some(Value::Number(last))) => {
                    value >= first && value <= last
                }
                (Value::Text(value), Value::Text(first), Some(Value::Text(last))) => value >= first && value <= last,
                (_, _, None) => false,
                _ => return Err(Fault::new(26)),
            };
            if found {
                target = case.target;
                break;
            }
        }
        if switch.end == NOWHERE {
            return fail(27, "END SWITCH is missing");
        }
        self.push_entry(Entry::Switch(switch.end))?;
        self.frame.pc = target;
        Ok(())
    }

    pub(super) fn end_switch(&mut self) {
        if matches!(self.frame.stack.last(), Some(Entry::Switch(_))) {
            self.frame.stack.pop();
        }
    }

    /// BREAK: behind the innermost loop or SWITCH.
    pub(super) fn break_(&mut self) -> Outcome<()> {
        let exit = match self.top_loop() {
            Some(
                Entry::For { exit, .. }
                | Entry::Count(_, _, exit, _)
                | Entry::Values(_, _, exit, _)
                | Entry::While(_, exit)
                | Entry::Repeat(_, exit),
            ) => *exit,
            Some(Entry::Switch(end)) => *end + 1,
            Some(Entry::Select(selecting)) => {
                let op = selecting.op;
                self.select_exit(op)
            }
            Some(Entry::Try { .. }) => {
                self.drop_top();
                return self.break_();
            }
            _ => return fail(27, "no loop is open"),
        };
        self.pop_entry()?;
        self.skip_to(exit)
    }

    fn select_exit(&self, op: Pc) -> Pc {
        match self.frame.program.ops.get(op as usize) {
            Some(Op::Select(select)) => select.exit,
            _ => NOWHERE,
        }
    }

    /// CONTINUE: to the end of the innermost loop's turn.
    pub(super) fn continue_(&mut self) -> Outcome<()> {
        let exit = match self.top_loop() {
            Some(
                Entry::For { exit, .. }
                | Entry::Count(_, _, exit, _)
                | Entry::Values(_, _, exit, _)
                | Entry::While(_, exit)
                | Entry::Repeat(_, exit),
            ) => *exit,
            Some(Entry::Select(selecting)) => {
                let op = selecting.op;
                self.select_exit(op)
            }
            Some(Entry::Switch(_) | Entry::Try { .. }) => {
                self.pop_entry()?;
                return self.continue_();
            }
            _ => return fail(27, "no loop is open"),
        };
        match exit.checked_sub(1) {
            Some(end) if exit != NOWHERE => {
                self.frame.pc = end;
                Ok(())
            }
            _ => fail(27, "the end of the loop is missing"),
        }
    }

    pub(super) fn retry(&mut self) -> Outcome<()> {
        let Some(pc) = self.frame.retry.take() else { return fail(27, "no statement to run again") };
        self.frame.handling = false;
        self.frame.pc = pc;
        Ok(())
    }

    /// Finds a TRY of this frame for an error, and drops what was opened inside of it.
    pub(super) fn catch(&mut self, fault: &Fault) -> Option<Flow> {
        let at = self.frame.stack.iter().rposition(Entry::takes_errors)?;
        if let Entry::OnErr(pc) = self.frame.stack[at] {
            while self.frame.stack.len() > at {
                self.drop_top();
            }
            (self.frame.retry, self.frame.pc) = (Some(self.frame.op), pc);
            return Some(Flow::Next);
        }
        while self.frame.stack.len() > at + 1 {
            self.drop_top();
        }
        let Some(Entry::Try { catch, finally, pending, .. }) = self.frame.stack.last_mut() else { return None };
        let pc = match catch.take() {
            Some(pc) => pc,
            None => {
                *pending = Some(fault.code);
                finally.take()?
            }
        };
        self.frame.retry = Some(self.frame.op);
        self.frame.pc = pc;
        Some(Flow::Next)
    }

    pub(super) fn end_try(&mut self) -> Outcome<()> {
        while !self.frame.stack.is_empty() && !matches!(self.frame.stack.last(), Some(Entry::Try { .. })) {
            self.drop_top();
        }
        match self.frame.stack.pop() {
            Some(Entry::Try { pending: Some(code), .. }) => Err(Fault::new(code)),
            Some(_) => Ok(()),
            None => Err(Fault::new(67)),
        }
    }
}

/// GOTO LNO( ), GOSUB LNO( ). Error 21 for a line that the program does not have.
pub(super) fn goto_line(machine: &mut Machine, line: &NumberExpr, gosub: bool, depth: usize) -> Outcome<Flow> {
    let number = machine.whole(line)?;
    let lines = &machine.frame.program.lines;
    let index = lines.partition_point(|line| i64::from(line.number) < number);
    if index + 1 >= lines.len() {
        return fail(21, format!("line {number}"));
    }
    if gosub {
        machine.push_entry(Entry::Gosub(machine.frame.pc))?;
    }
    machine.goto(Destination::Line(index as u32), depth)
}

/// Behind a GOSUB with ON ERR, which ends with it.
pub(super) fn end_on_err(machine: &mut Machine) {
    if matches!(machine.frame.stack.last(), Some(Entry::OnErr(_))) {
        machine.frame.stack.pop();
    }
}
