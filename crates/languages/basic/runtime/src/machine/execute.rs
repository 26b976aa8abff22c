//! One operation.

use super::{Flow, Machine};
use crate::code::*;
use crate::fault::{Fault, Outcome};
use crate::link::GLOBAL;
use crate::number::Number;

impl Machine {
    #[inline]
    pub(super) fn execute(&mut self, op: &Op, depth: usize) -> Outcome<Flow> {
        match op {
            Op::SetNumber(symbol, whole, value) => {
                let value = self.number(value)?;
                let value = self.assigned(value, *whole);
                let slot = self.frame.link.numbers[*symbol as usize];
                *self.number_slot(slot) = value;
            }
            Op::SetText(symbol, value) => self.set_text(*symbol, value)?,
            Op::Jump(to) | Op::LeaveTry(to) => self.frame.pc = *to,
            Op::JumpUnless(condition, to) => {
                if !self.is_true(condition)? {
                    self.frame.pc = *to;
                }
            }
            Op::Next(variable) => return self.next(*variable),
            Op::Step(symbol, by) => {
                let slot = self.frame.link.numbers[*symbol as usize];
                let value = self.number_slot(slot);
                *value = value.add(Number::whole((*by).into()))?;
            }
            Op::Io(io) => self.io(io)?,
            Op::Goto(to) => return self.goto(*to, depth),
            _ => return self.execute_flow(op, depth),
        }
        Ok(Flow::Next)
    }

    #[inline]
    fn set_text(&mut self, symbol: Symbol, value: &TextExpr) -> Outcome<()> {
        let mut text = self.text_value(value)?;
        let slot = self.frame.link.texts[symbol as usize];
        std::mem::swap(self.text_slot(slot), &mut text);
        self.give(text);
        Ok(())
    }

    #[inline(never)]
    fn execute_flow(&mut self, op: &Op, depth: usize) -> Outcome<Flow> {
        match op {
            Op::AppendText(symbol, value) => self.append_text(*symbol, value)?,
            Op::Gosub(to) => {
                self.push_entry(super::Entry::Gosub(self.frame.pc))?;
                return self.goto(*to, depth);
            }
            Op::GosubWith(to, values) => {
                self.gosub_with(values)?;
                return self.goto(*to, depth);
            }
            Op::On(value, gosub, targets) => return self.on(value, *gosub, targets, depth),
            Op::GotoLine(line, gosub) => return super::control::goto_line(self, line, *gosub, depth),
            Op::OnErr(pc) => self.push_entry(super::Entry::OnErr(*pc))?,
            Op::EndOnErr => super::control::end_on_err(self),
            Op::Return(value) => return self.return_value(value.as_deref(), depth),
            Op::For(range) => self.for_range(range)?,
            Op::ForCount(count, exit, variable) => self.for_count(count, *exit, *variable)?,
            Op::ForParts(parts, exit) => self.for_parts(parts, *exit)?,
            Op::ForIndex(target, array, exit) => self.for_index(target, *array, *exit)?,
            Op::While(condition, exit) => self.while_(condition, *exit)?,
            Op::Wend => self.wend()?,
            Op::Repeat(exit) => self.push_entry(super::Entry::Repeat(self.frame.pc, *exit))?,
            Op::Until(condition) => self.until(condition)?,
            Op::Switch(switch) => self.switch(switch)?,
            Op::EndSwitch => self.end_switch(),
            Op::Try { catch, finally, .. } => {
                let entry = super::Entry::Try { catch: *catch, finally: *finally, pending: None };
                self.push_entry(entry)?;
            }
            Op::EndTry => self.end_try()?,
            Op::Break => self.break_()?,
            Op::Continue => self.continue_()?,
            Op::Exitto(to) => {
                self.pop_entry()?;
                return self.goto(*to, depth);
            }
            Op::Pop(false) => self.pop_entry()?,
            Op::Pop(true) => {
                while !self.frame.stack.is_empty() {
                    self.drop_top();
                }
            }
            Op::SetErr(to) => {
                self.frame.handler = *to;
                self.frame.handling = false;
            }
            Op::Retry => self.retry()?,
            Op::Call(_) | Op::Perform(..) | Op::Run(..) | Op::Execute(..) | Op::Enter(..) | Op::Exit(_) | Op::End => {
                return self.execute_call(op, depth);
            }
            Op::Release(status) => {
                let status = status.as_ref().map(|status| self.whole(status)).transpose()?;
                self.status = Some(status.unwrap_or(0));
                return self.stop();
            }
            Op::Escape(Some(code)) => {
                let code = self.whole_within(code, 0, u16::MAX.into())?;
                return Err(Fault::new(code as u16));
            }
            Op::Escape(None) if self.ignores_escape => {}
            Op::Escape(None) => return Err(super::control::escape("ESCAPE")),
            Op::EscapeMode(on) => self.ignores_escape = !on,
            Op::DefClass(number, end) => {
                self.define_class(*number)?;
                self.frame.pc = *end;
            }
            Op::Evaluate(value) => drop(self.value(value)?),
            Op::Session(code) => return self.session_directive(code, depth),
            Op::Raise(code, text) => return Err(Fault::with(*code, text.to_string())),
            _ => {
                self.execute_statement(op)?;
                if let Some(to) = self.pending.take() {
                    return self.goto(to, depth);
                }
            }
        }
        Ok(Flow::Next)
    }

    fn append_text(&mut self, symbol: Symbol, value: &TextExpr) -> Outcome<()> {
        let tail = self.text_value(value)?;
        let slot = self.frame.link.texts[symbol as usize];
        let text = self.text_slot(slot);
        text.extend_from_slice(&tail);
        let length = text.len();
        self.give(tail);
        self.check_length(length)
    }

    #[inline(never)]
    fn execute_call(&mut self, op: &Op, depth: usize) -> Outcome<Flow> {
        match op {
            Op::Call(code) => self.call_program(code)?,
            Op::Perform(program, _) => return self.perform(program),
            Op::Run(program, _) => {
                self.run_program(program.as_deref())?;
                return Ok(self.begun());
            }
            Op::Execute(text, _) => return self.execute_text(text),
            Op::Enter(parameters, _) => {
                self.enter(parameters)?;
                return Ok(Flow::Next);
            }
            Op::Exit(code) => return self.exit(code.as_deref(), depth),
            _ => return self.end(depth),
        }
        Ok(Flow::Switch)
    }

    /// A program was begun in place of the others: at the prompt the console runs it.
    pub(super) fn begun(&mut self) -> Flow {
        if self.stepping.immediate.is_none() {
            return Flow::Switch;
        }
        self.stepping.wants_run = true;
        Flow::Stop
    }

    #[inline(never)]
    fn execute_statement(&mut self, op: &Op) -> Outcome<()> {
        match op {
            Op::Set(target, value) => self.set(target, value),
            Op::SetRange(target, source, bounds) => self.set_range(target, *source, bounds.as_deref()),
            Op::SetEach(target, value) => self.set_each(target, value),
            Op::Print(io) => self.print(io),
            Op::Input(io) => self.input(io),
            Op::Close(channels, _) => self.close(channels),
            Op::Open(open) => self.open(open),
            Op::File(file) => self.file(file),
            Op::Select(select) => self.select(select),
            Op::NextRecord => self.next_record(),
            Op::ReadData(list, _) => self.read_data(*list),
            Op::ReadDataFrom(parts, list) => self.read_data_from(&parts.0, &parts.1, *list),
            Op::Restore(line) => {
                self.frame.data = self.frame.program.data.partition_point(|(at, _)| at < line);
                Ok(())
            }
            Op::Dim(items, keep) => items.iter().try_for_each(|item| self.dimension(item, *keep)),
            Op::RefuseElement(code, strings) => super::structure::elements::refuse(self, *code, strings),
            Op::Local(variables) => self.local(variables),
            Op::Clear(variables) => self.clear(variables),
            Op::ClearExcept(all, variables) => super::assign::clear_except(self, *all, variables),
            Op::List(channel, first, last) => self.list(channel.as_deref(), *first, *last),
            Op::Via(parts) => self.via(parts.0, &parts.1, &parts.2),
            Op::Control(control) => self.control(control),
            _ => self.execute_setting(op),
        }
    }

    /// The slot of a number or a string that a variable has here.
    pub(crate) fn slot_of(&self, variable: VariableRef) -> u32 {
        let link = &self.frame.link;
        match variable {
            VariableRef::Number(symbol, _) => link.numbers[symbol as usize],
            VariableRef::Text(symbol) => link.texts[symbol as usize],
            VariableRef::Numbers(symbol) => link.number_arrays[symbol as usize],
            VariableRef::Texts(symbol) => link.text_arrays[symbol as usize],
        }
    }

    /// The variables that a slot is in.
    pub(crate) fn level_of(&mut self, slot: u32) -> (&mut crate::variables::Variables, usize) {
        match slot & GLOBAL {
            0 => (&mut self.variables, slot as usize),
            _ => (&mut self.globals, (slot & !GLOBAL) as usize),
        }
    }
}
