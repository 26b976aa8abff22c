//! Machine: runs compiled programs.
//!
//! A [`Frame`] is a program that runs: its place, its loops, its handler. CALL pushes one with variables of its own,
//! PERFORM and EXECUTE push one that shares them. Loops are entries of the frame's stack, found by NEXT, WEND and UNTIL
//! at run time.
//!
//! ```text
//!   mod        the loop, frames, errors            number, text   expressions
//!   control    GOTO, GOSUB, loops, TRY             assign         variables, arrays, DIM
//!   call       CALL, PERFORM, EXECUTE, DEF FN      list           records to variables and back
//!   io, open, select   channels and files          print, input   the terminal
//! ```
//!
//! An error travels as a `Fault` to the operation that failed. It is taken, in this order, by the operation's own
//! branch (END=, DOM= and BSY= before ERR=), by TRY, by SETERR. Without any the session ends with it.

mod array;
mod assign;
mod call;
mod channels;
mod clock;
mod composite;
mod console;
mod control;
mod data;
mod definitions;
mod dictionary;
mod dump;
mod edit;
mod execute;
mod field_format;
mod inline;
mod input;
mod interrupt;
mod io;
mod join;
mod json;
mod list;
pub(crate) mod memory;
mod number;
mod object;
mod open;
mod print;
mod printer;
mod search;
mod select;
mod session;
mod settings;
mod state;
mod step;
pub(crate) mod structure;
mod terminal;
mod text;

pub(crate) use channels::file_fault;
pub use channels::{Channel, SEPARATOR};
pub(crate) use definitions::mnemonic_name;
pub(crate) use dictionary::dictionary_of_file;
pub(crate) use inline::{run_inline, set_number_variable, set_text_variable};
pub(crate) use interrupt::UntakenError;
pub(crate) use memory::allocated;
pub(crate) use number::truth;
pub(crate) use print::apply_table;
pub(crate) use session::transaction;
pub use settings::Parameters;
pub use state::{Entry, Frame, FrameKind, Machine, Parts, Value};
pub(crate) use state::{Passed, Saved};
pub(crate) use step::Step;

use crate::code::*;
use crate::fault::{Fault, Outcome};

/// How the loop goes on after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// With the next operation of this frame.
    Next,
    /// With another frame.
    Switch,
    /// The program is over, or a function has returned.
    Stop,
}

/// Operations between two looks at the host.
const TURNS: u32 = 4096;

impl Machine {
    /// Runs until the frame at this depth ends. An error that nothing takes comes back with its place.
    pub(crate) fn run(&mut self, depth: usize) -> Outcome<()> {
        loop {
            let program = self.frame.program.clone();
            let flow = self.run_frame(&program, depth)?;
            if flow == Flow::Stop {
                return Ok(());
            }
        }
    }

    fn run_frame(&mut self, program: &Program, depth: usize) -> Outcome<Flow> {
        loop {
            let pc = self.frame.pc;
            let Some(op) = program.ops.get(pc as usize) else { return self.end_of_program(depth) };
            self.frame.op = pc;
            self.frame.pc = pc + 1;
            self.turns += 1;
            if self.turns >= TURNS
                && let Some(flow) = self.look_around(depth)?
            {
                return Ok(flow);
            }
            match self.execute(op, depth) {
                Ok(Flow::Next) => {}
                Ok(flow) => return Ok(flow),
                Err(fault) => {
                    // The handler may be in another frame.
                    let flow = self.handle(fault, branches(op), depth)?;
                    return Ok(if flow == Flow::Next { Flow::Switch } else { flow });
                }
            }
        }
    }

    /// Limits, the break key, SETTRACE and the steps of the console, before an operation. `None` if the program goes on with it.
    #[cold]
    fn look_around(&mut self, depth: usize) -> Outcome<Option<Flow>> {
        self.operations += u64::from(std::mem::take(&mut self.turns));
        if self.operation_limit.is_some_and(|limit| self.operations > limit) || self.host.hung_up() {
            let mut fault = Fault::new(127);
            fault.is_final = true;
            self.note(&mut fault);
            return Err(fault);
        }
        if self.watches_lines() {
            // Each operation is looked at, the host as often as before.
            self.turns = TURNS;
            self.operations = self.operations.saturating_sub(u64::from(TURNS)) + 1;
            self.watch_line()?;
        }
        match self.host.interrupted() {
            true => self.break_key(depth),
            false => Ok(None),
        }
    }

    /// Behind the last operation, which happens in EXECUTEd text only: programs end with END.
    fn end_of_program(&mut self, depth: usize) -> Outcome<Flow> {
        self.leave_frame(depth)
    }

    /// Finds what takes an error, and goes there.
    fn handle(&mut self, mut fault: Box<Fault>, own: Option<Branches>, depth: usize) -> Outcome<Flow> {
        if fault.is_final {
            return Err(fault);
        }
        if fault.is_break {
            // The statement that waited runs again, behind the handler if there is one.
            self.frame.pc = self.frame.op;
            return Ok(self.break_key(depth)?.unwrap_or(Flow::Switch));
        }
        if depth > 0 && self.frames.len() < depth {
            // EXIT with a number has ended the method: the error is one of the expression that called it.
            self.note(&mut fault);
            return Err(fault);
        }
        let mut own = own;
        loop {
            self.note(&mut fault);
            let code = fault.code;
            if let Some(to) = fault.branch.take().or_else(|| own.and_then(|own| own.of(code))) {
                self.took_branch = true;
                self.frame.retry = Some(self.frame.op);
                return self.goto_or_fault(to, depth);
            }
            if let Some(flow) = self.catch(&fault) {
                return Ok(flow);
            }
            if let Some(to) = self.frame.handler.filter(|_| !self.frame.handling) {
                self.frame.retry = Some(self.frame.op);
                self.frame.handling = true;
                return self.goto_or_fault(to, depth);
            }
            match self.frame.kind {
                // The error is one of the EXECUTE.
                FrameKind::Execute if self.frames.len() > depth => {
                    self.pop_frame();
                    own = self.frame.program.ops.get(self.frame.op as usize).and_then(branches);
                }
                // It is one of the expression that called the function.
                _ if depth > 0 && self.frames.len() == depth => return Err(fault),
                _ => match caller_that_tries(&self.frames, depth) {
                    // An error that a called program leaves is one of the TRY around its CALL.
                    Some(index) => {
                        while self.frames.len() > index {
                            self.pop_frame();
                        }
                        own = None;
                    }
                    None => {
                        if let Some(flow) = self.call_error_program(&fault)? {
                            return Ok(flow);
                        }
                        fault.is_final = true;
                        return Err(fault);
                    }
                },
            }
        }
    }

    fn goto_or_fault(&mut self, to: Destination, depth: usize) -> Outcome<Flow> {
        match self.goto(to, depth) {
            Ok(flow) => Ok(flow),
            Err(mut fault) => {
                // A branch to nowhere cannot be taken by the branch itself.
                self.note(&mut fault);
                fault.is_final = true;
                Err(fault)
            }
        }
    }

    /// Notes an error for ERR, ERS and TCB(5), and gives it its place.
    fn note(&mut self, fault: &mut Fault) {
        self.error = i64::from(fault.code);
        self.error_line = self.current_line();
        self.error_detail.clone_from(&fault.detail);
        if self.error_place.is_none() || !fault.is_final {
            self.error_place = Some((self.frame.program.name.clone(), self.current_line()));
        }
    }

    /// The number of the line that runs.
    pub(crate) fn current_line(&self) -> u32 {
        // EXECUTEd text is at its EXECUTE.
        let frame = match self.frame.kind {
            FrameKind::Execute => self.frames.last().unwrap_or(&self.frame),
            _ => &self.frame,
        };
        let line = frame.program.op_lines.get(frame.op as usize).copied().unwrap_or(0);
        match frame.program.lines.get(line as usize).map_or(0, |line| line.number) {
            u32::MAX => 0,
            number => number,
        }
    }
}

/// The innermost caller that is inside of a TRY.
fn caller_that_tries(frames: &[Frame], depth: usize) -> Option<usize> {
    let tries = |frame: &Frame| frame.stack.iter().any(Entry::takes_errors);
    let callers = frames.get(depth..).unwrap_or(&[]);
    callers.iter().rposition(tries).map(|index| index + depth)
}

/// The branches of an operation.
fn branches(op: &Op) -> Option<Branches> {
    Some(match op {
        Op::Print(io) | Op::Input(io) | Op::Io(io) => io.options.branches,
        Op::Close(_, branches)
        | Op::ReadData(_, branches)
        | Op::Perform(_, branches)
        | Op::Run(_, branches)
        | Op::Enter(_, branches)
        | Op::Execute(_, branches) => *branches,
        Op::Open(open) => open.options.branches,
        Op::File(file) => file.options.branches,
        Op::Select(select) => select.options.branches,
        Op::ReadDataFrom(parts, _) => parts.1.branches,
        Op::Call(call) => call.branches,
        Op::Control(control) => control.options.branches,
        Op::Session(code) => return code.branches(),
        _ => return None,
    })
}

impl Machine {
    /// The number of a level: 1 for the main program. EXECUTE and functions are part of their program.
    pub(crate) fn level(&self) -> i64 {
        let levels = self.frames.iter().chain([&self.frame]);
        levels.filter(|frame| !matches!(frame.kind, FrameKind::Execute | FrameKind::Function)).count() as i64
    }

    /// The line of SETERR's target; 0 without one.
    pub(crate) fn handler_line(&self) -> i64 {
        match self.frame.handler {
            Some(Destination::Line(line)) => {
                self.frame.program.lines.get(line as usize).map_or(0, |line| line.number.into())
            }
            _ => 0,
        }
    }

    /// The line that RETRY would run again; 0 without one.
    pub(crate) fn retry_line(&self) -> i64 {
        let line = self.frame.retry.and_then(|pc| self.frame.program.op_lines.get(pc as usize)).copied();
        line.and_then(|line| self.frame.program.lines.get(line as usize)).map_or(0, |line| line.number.into())
    }
}
