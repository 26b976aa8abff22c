//! Edits of a program while it runs: EXECUTE of a line with a number, DELETE, MERGE, RENUMBER, EDIT.
//!
//! A changed program is compiled anew. Frames that run it at the level of the moment go on with the new one: their places,
//! loops and handlers are found again by line and by place in the line. A place in a line that is gone is the beginning of the
//! next line.
//!
//! Limits: frames at other levels go on with the program as it was; a composite string needs its DIM again.

use super::{Entry, Frame, Machine};
use crate::code::*;
use crate::compile::{NOWHERE, compile_again};
use crate::fault::{Outcome, fail};
use mainstay_basic_syntax as syntax;
use mainstay_basic_syntax::tree::{self, EditStep, Line, Target, visit};
use std::rc::Rc;

impl Machine {
    /// A line with a number: it becomes part of the program. A number alone removes its line.
    ///
    /// Errors: those of the parser, and 21.
    pub(crate) fn edit_line(&mut self, source: &[u8]) -> Outcome<()> {
        super::memory::charge_program(self, source.len())?;
        let parsed = syntax::parse_statement(source);
        if let Some(diagnostic) = parsed.diagnostics.first() {
            return fail(diagnostic.code, diagnostic.message.clone());
        }
        self.edit_program(|program| {
            for line in parsed.lines {
                if !(1..=syntax::LAST_LINE).contains(&line.number) {
                    return fail(21, "line number");
                }
                match line.directives.is_empty() && line.label.is_none() {
                    true => program.lines.retain(|known| known.number != line.number),
                    false => insert(program, line),
                }
            }
            Ok(())
        })
    }

    /// Changes the program at hand; with 'EX' the main program.
    pub(crate) fn edit_program(&mut self, change: impl FnOnce(&mut tree::Program) -> Outcome<()>) -> Outcome<()> {
        let old = match (self.parameters.get("EX") != 0, self.frames.first()) {
            (true, Some(main)) => main.program.clone(),
            _ => self.outer_program(),
        };
        self.charge(super::memory::compiled_bytes(&old))?;
        let mut tree = old.tree.clone();
        tree.numbered = true;
        change(&mut tree)?;
        tree.diagnostics.clear();
        let new = Rc::new(compile_again(&old.name, tree, &old));
        self.replace_in_frames(&old, &new);
        Ok(())
    }

    fn replace_in_frames(&mut self, old: &Rc<Program>, new: &Rc<Program>) {
        let link = self.link(new);
        let moves = Moves { old, new };
        for frame in std::iter::once(&mut self.frame).chain(self.frames.iter_mut().rev()) {
            if Rc::ptr_eq(&frame.program, old) {
                frame.program = new.clone();
                frame.link = link.clone();
                moves.frame(frame);
            }
            // Frames below one with a caller belong to another level.
            if frame.caller.is_some() {
                break;
            }
        }
        self.variables.forget_link(old);
        super::memory::forget_texts(self);
    }

    /// DELETE: lines of a range; without a range all.
    pub(super) fn delete_lines(&mut self, first: Option<&Target>, last: Option<&Target>) -> Outcome<()> {
        let program = self.outer_program();
        let (from, to) = line_range(&program, first, last)?;
        if from > to {
            return fail(83, format!("{from:04} to {to:04}"));
        }
        self.edit_program(|program| {
            program.lines.retain(|line| !(from..=to).contains(&line.number));
            Ok(())
        })
    }

    /// MERGE: lines of text, each with its number. Error 21 for one without.
    pub(super) fn merge_lines(&mut self, source: &[u8]) -> Outcome<()> {
        super::memory::charge_program(self, source.len())?;
        let parsed = syntax::parse_statement(source);
        if let Some(diagnostic) = parsed.diagnostics.iter().find(|diagnostic| matches!(diagnostic.code, 18 | 21)) {
            return fail(diagnostic.code, diagnostic.message.clone());
        }
        self.edit_program(|program| {
            for line in parsed.lines {
                if line.number == 0 {
                    return fail(21, "a line without a number");
                }
                insert(program, line);
            }
            Ok(())
        })
    }

    /// RENUMBER: numbers from the first one in steps, for all lines or a range; branches follow. Error 74 for numbers that would
    /// be too large, 83 for a range whose lines would not stay in order.
    pub(super) fn renumber(
        &mut self,
        first: i64,
        step: i64,
        from: Option<&Target>,
        to: Option<&Target>,
    ) -> Outcome<()> {
        let program = self.outer_program();
        let (from, to) = line_range(&program, from, to.or(Some(&Target::Line(syntax::LAST_LINE))))?;
        self.edit_program(|program| {
            let mut numbers = Vec::new();
            let mut next = first;
            for line in &program.lines {
                if (from..=to).contains(&line.number) {
                    numbers.push(next);
                    next += step;
                } else {
                    numbers.push(line.number.into());
                }
            }
            if numbers.iter().any(|number| !(1..=i64::from(syntax::LAST_LINE)).contains(number)) {
                return fail(74, "line numbers are 1 to 64999");
            }
            if !numbers.is_sorted_by(|left, right| left < right) {
                return fail(83, "lines would not stay in order");
            }
            let known: Vec<u32> = program.lines.iter().map(|line| line.number).collect();
            for (line, number) in program.lines.iter_mut().zip(&numbers) {
                line.number = *number as u32;
                visit::targets(line, &mut |target| {
                    if let Target::Line(to) = target
                        && *to != 0
                        && let Some(at) = known.get(known.partition_point(|number| number < to))
                        && let Ok(index) = known.binary_search(at)
                    {
                        *to = numbers[index] as u32;
                    }
                });
            }
            Ok(())
        })
    }

    /// EDIT of a line by steps. Error 71 for a text that is not there.
    pub(super) fn edit_by_steps(&mut self, target: &Target, steps: &[EditStep]) -> Outcome<()> {
        let program = self.outer_program();
        let Some(line) = program.line_of(target).and_then(|index| program.tree.lines.get(index as usize)) else {
            return fail(21, "no such line");
        };
        let text = syntax::print::line_text(line);
        let mut new = Vec::new();
        let mut rest = &text[..];
        for step in steps {
            match step {
                EditStep::Add(part) => new.extend_from_slice(part),
                EditStep::Replace(part) => {
                    new.extend_from_slice(part);
                    rest = rest.get(part.len()..).unwrap_or_default();
                }
                EditStep::Copy(part) | EditStep::Delete(part) => {
                    let Some(end) = end_of(rest, part) else {
                        return fail(71, mainstay_code_page::decode(part).into_owned());
                    };
                    if matches!(step, EditStep::Copy(_)) {
                        new.extend_from_slice(&rest[..end]);
                    }
                    rest = &rest[end..];
                }
            }
        }
        new.extend_from_slice(rest);
        self.edit_line(&new)
    }
}

/// The place behind the first occurrence of a text.
fn end_of(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part).map(|at| at + part.len())
}

fn insert(program: &mut tree::Program, line: Line) {
    match program.lines.binary_search_by_key(&line.number, |known| known.number) {
        Ok(at) => program.lines[at] = line,
        Err(at) => program.lines.insert(at, line),
    }
}

/// The numbers of a range of lines; without a first line, from the beginning.
fn line_range(program: &Program, first: Option<&Target>, last: Option<&Target>) -> Outcome<(u32, u32)> {
    let number = |target: &Target| match target {
        Target::Line(number) => Ok(*number),
        target => match program.line_of(target) {
            Some(line) => Ok(program.lines[line as usize].number),
            None => fail(55, "no such label"),
        },
    };
    let from = first.map(number).transpose()?.unwrap_or(0);
    let to = last.map(number).transpose()?.unwrap_or(syntax::LAST_LINE);
    Ok((from, to))
}

/// Places of a program in the one that takes its place.
struct Moves<'a> {
    old: &'a Program,
    new: &'a Program,
}

impl Moves<'_> {
    fn pc(&self, pc: Pc) -> Pc {
        if pc == NOWHERE {
            return NOWHERE;
        }
        let end = self.new.ops.len() as Pc;
        let Some(line) = self.old.op_lines.get(pc as usize).and_then(|line| self.old.lines.get(*line as usize)) else {
            return end;
        };
        let offset = pc.saturating_sub(line.start);
        match self.new.lines.binary_search_by_key(&line.number, |line| line.number) {
            Ok(at) => {
                let next = self.new.lines.get(at + 1).map_or(end, |line| line.start);
                (self.new.lines[at].start + offset).min(next)
            }
            Err(at) => self.new.lines.get(at).map_or(end, |line| line.start),
        }
    }

    /// The place behind an operation: lines that were added there are still to come.
    fn behind(&self, pc: Pc) -> Pc {
        let Some(before) = pc.checked_sub(1).filter(|_| pc != NOWHERE) else { return self.pc(pc) };
        let number = |program: &Program, pc: Pc| {
            let line = program.op_lines.get(pc as usize).and_then(|line| program.lines.get(*line as usize));
            line.map(|line| line.number)
        };
        let at = self.pc(before);
        // An operation that is gone has nothing behind it but the next line.
        match number(self.old, before) == number(self.new, at) {
            true => at + 1,
            false => at,
        }
    }

    fn line(&self, line: u32) -> u32 {
        let number = self.old.lines.get(line as usize).map_or(u32::MAX, |line| line.number);
        self.new.lines.partition_point(|line| line.number < number) as u32
    }

    fn destination(&self, to: &mut Option<Destination>) {
        match to {
            Some(Destination::Line(line)) => *line = self.line(*line),
            Some(Destination::Pc(pc)) => *pc = self.pc(*pc),
            _ => {}
        }
    }

    fn frame(&self, frame: &mut Frame) {
        frame.pc = match frame.pc == frame.op.wrapping_add(1) {
            true => self.behind(frame.pc),
            false => self.pc(frame.pc),
        };
        frame.op = self.pc(frame.op);
        frame.retry = frame.retry.map(|pc| self.pc(pc));
        self.destination(&mut frame.handler);
        self.destination(&mut frame.escape);
        let data = self.old.data.get(frame.data).map(|(line, _)| *line);
        frame.data = match data {
            Some(line) => {
                let offset = frame.data - self.old.data.partition_point(|(known, _)| *known < line);
                let line = self.line(line);
                (self.new.data.partition_point(|(known, _)| *known < line) + offset).min(self.new.data.len())
            }
            None => self.new.data.len(),
        };
        frame.stack.iter_mut().for_each(|entry| self.entry(entry));
    }

    fn entry(&self, entry: &mut Entry) {
        match entry {
            Entry::Gosub(pc) => *pc = self.behind(*pc),
            Entry::Switch(pc) => *pc = self.pc(*pc),
            Entry::For { body, exit, .. } | Entry::Count(_, body, exit, _) | Entry::Repeat(body, exit) => {
                *body = self.behind(*body);
                *exit = self.behind(*exit);
            }
            Entry::Values(_, from, exit, _) | Entry::While(from, exit) => {
                *from = self.pc(*from);
                *exit = self.behind(*exit);
            }
            Entry::Select(selecting) => selecting.op = self.pc(selecting.op),
            Entry::Try { catch, finally, .. } => {
                *catch = catch.map(|pc| self.pc(pc));
                *finally = finally.map(|pc| self.pc(pc));
            }
            Entry::OnErr(pc) => *pc = self.pc(*pc),
            Entry::Local(_) => {}
        }
    }
}
