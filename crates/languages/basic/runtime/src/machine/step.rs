//! Breakpoints, single step and SETTRACE: what happens before the first operation of a line.
//!
//! The console stops a program by an error that nothing takes, with the program's state as it is, so that RUN and `.` go on with it.

use super::{FrameKind, Machine};
use crate::fault::{Fault, Outcome};

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// So many statements.
    Statements(u64),
    /// To the next statement at this depth of calls or above: around GOSUB, CALL and others.
    Around(usize, usize),
    /// To a statement above this depth of calls.
    Out(usize),
    /// To a statement of another program.
    Program(usize),
}

/// The state of the console's stops.
#[derive(Debug, Default)]
pub(crate) struct Stepping {
    /// Lines at which programs stop: the name of the program, and the number.
    pub breakpoints: Vec<(String, u32)>,
    /// The step that is under way.
    pub step: Option<Step>,
    /// A statement of the prompt runs at this depth.
    pub immediate: Option<usize>,
    /// It was GOTO: the program goes on elsewhere.
    pub moved: bool,
    /// It was RUN or START: a program is to run behind it.
    pub wants_run: bool,
    /// The program goes on at a line where it has stopped: that line does not stop it again.
    pub resumes: bool,
}

impl Machine {
    /// Something is to be done before lines.
    pub(super) fn watches_lines(&self) -> bool {
        self.trace.is_some() || self.stepping.step.is_some() || !self.stepping.breakpoints.is_empty()
    }

    /// Makes the next operation be looked at.
    pub(crate) fn watch_next(&mut self) {
        if self.watches_lines() {
            self.turns = super::TURNS;
        }
    }

    /// Lists the line for SETTRACE, and stops at breakpoints and behind steps.
    ///
    /// Errors: 127, with the operation at hand to come.
    pub(super) fn watch_line(&mut self) -> Outcome<()> {
        if matches!(self.frame.kind, FrameKind::Execute) {
            return Ok(());
        }
        let program = self.frame.program.clone();
        let line = program.op_lines.get(self.frame.op as usize).copied().unwrap_or(0);
        let Some(begin) = program.lines.get(line as usize) else { return Ok(()) };
        if begin.start != self.frame.op {
            return Ok(());
        }
        let text = program.tree.lines.get(line as usize);
        if let (Some(channel), Some(text)) = (self.trace, text) {
            let text = mainstay_basic_syntax::print::line_text(text);
            self.trace_line(channel, &text)?;
        }
        if std::mem::take(&mut self.stepping.resumes) || text.is_none() {
            return Ok(());
        }
        let number = begin.number;
        let calls = self.frames.len();
        let breaks = self.stepping.breakpoints.iter().any(|(name, line)| *line == number && *name == program.name);
        let stops = match &mut self.stepping.step {
            None => false,
            Some(Step::Statements(left)) => {
                *left = left.saturating_sub(1);
                *left == 0
            }
            Some(Step::Around(depth, stack)) => calls < *depth || calls == *depth && self.frame.stack.len() <= *stack,
            Some(Step::Out(depth)) => calls < *depth,
            Some(Step::Program(known)) => std::rc::Rc::as_ptr(&program) as usize != *known,
        };
        if !breaks && !stops {
            return Ok(());
        }
        self.stepping.step = None;
        self.frame.pc = self.frame.op;
        let mut fault = Fault::with(127, if breaks { "breakpoint" } else { "step" });
        self.note(&mut fault);
        fault.is_final = true;
        fault.is_stop = true;
        Err(fault)
    }

    fn trace_line(&mut self, channel: i64, text: &[u8]) -> Outcome<()> {
        match channel {
            0 => self.show(text, true),
            channel => self.print_to(channel, text, true),
        }
    }
}
