//! The machine: frames of registers on one stack, and transfers between them.
//!
//! A session has a machine and runs one program after the other on it; the machine keeps its memory, so that a repeated
//! call allocates nothing.
//!
//! ```text
//!   run      the driver: one turn for each call, statement of the host, return or error
//!    |-- hot      the inner loop of a frame: whole numbers, comparisons, branches
//!    |-- cold     its other instructions
//!    |-- call     arguments, frames, results
//!    `-- unwind   errors: which handler, which statement
//! ```
//!
//! The host may run the machine again while one of its statements runs. Such a run starts above the frames that are there
//! (its *floor*), and errors that it does not handle leave it at its floor, as an error of the host's statement.

mod array;
mod call;
mod cold;
mod hot;
mod number;
mod registers;
mod scratch;
mod statement_call;
mod text;
mod unwind;
mod wide;

pub(crate) use registers::Cell;
pub use scratch::Scratch;
pub use statement_call::StatementCall;

use crate::compile::{Instruction, NOWHERE, Operand};
use crate::{Fault, Flow, Host, Program, Raised};
use call::Linked;
use cold::{After, Cold, Exit};
use hot::{Beside, Stop};
use mainstay_types::ValueRef;
use registers::{Bases, Registers};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Turns of loops between two looks at the clock.
const TURNS: u32 = 1024;
/// Turns that a statement of the host counts as.
const HOST_TURNS: u32 = 64;
/// Bytes of buffers that a machine keeps between runs.
const KEPT_BYTES: usize = 4 << 20;
/// Programs that a machine remembers between runs.
const KEPT_PROGRAMS: usize = 4096;

/// The limits of a program's resources.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Routines that have called each other, the outermost included.
    pub nesting: usize,
    /// GOSUBs of one routine that have not returned.
    pub gosubs: usize,
    /// Turns of loops and calls, in one run with those inside of it. A statement of the host counts as 64.
    pub turns: u64,
    /// Bytes of text and bytes in all registers.
    pub text_bytes: usize,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Somebody else's wish to stop.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// The same with no more text than statements may hold.
    #[must_use]
    pub fn within(self, statement_bytes: usize) -> Limits {
        Limits { text_bytes: self.text_bytes.min(statement_bytes), ..self }
    }
}

impl Default for Limits {
    /// T-SQL's nesting, no end of time, and a gigabyte of text.
    fn default() -> Limits {
        Limits { nesting: 32, gosubs: 10_000, turns: u64::MAX, text_bytes: 1 << 30, deadline: None, cancel: None }
    }
}

/// An argument of a run, by its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunArgument<'a> {
    /// A value: it is converted to the parameter's type by [`Host::convert`] if its kind differs.
    Value(ValueRef<'a>),
    /// The parameter's default.
    Default,
}

/// A failure before the host turns it into an error.
#[derive(Debug)]
pub(crate) enum Trouble {
    Fault(Fault),
    Raised(Box<Raised>),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Fault(fault)
    }
}

impl From<Box<Raised>> for Trouble {
    fn from(raised: Box<Raised>) -> Trouble {
        Trouble::Raised(raised)
    }
}

/// A routine that runs.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Its program's number in this machine.
    pub linked: usize,
    /// The next instruction.
    pub pc: u32,
    pub bases: Bases,
    /// The call that began it, in the frame below; `None` at a floor.
    pub site: Option<u32>,
    /// True if it computes a value of an expression.
    pub is_function: bool,
    /// GOSUBs of the frames below.
    pub gosub_mark: usize,
    /// Errors that handlers of the frames below hold.
    pub caught_mark: usize,
    /// Where errors go, if SETERR said so.
    pub handler: u32,
    /// The instruction whose error the handler has, and what the handler was.
    pub failed: Option<(u32, u32)>,
}

/// An error that a handler holds.
#[derive(Debug)]
pub(crate) struct Caught {
    pub error: Box<Raised>,
}

/// A machine for programs: see the module's comment.
#[derive(Debug, Default)]
pub struct Machine {
    registers: Registers,
    scratch: Scratch,
    frames: Vec<Frame>,
    gosubs: Vec<u32>,
    caught: Vec<Caught>,
    linked: Vec<Linked>,
    numbers: HashMap<u64, usize>,
    /// The program that was run last: its number here is looked for first.
    recent: (u64, usize),
    limits: Limits,
    fuel: u32,
    /// Turns that are left beside the fuel.
    turns: u64,
    /// The program whose run ended last, and where its registers are.
    last: Option<(usize, Bases)>,
}

impl Machine {
    /// A machine with these limits.
    pub fn new(limits: Limits) -> Machine {
        let mut machine = Machine::default();
        machine.set_limits(limits);
        machine
    }

    /// Gives it other limits. Turns are counted from the next run that is not inside another.
    pub fn set_limits(&mut self, limits: Limits) {
        self.registers.memory_limit = limits.text_bytes;
        self.limits = limits;
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Says when to stop; never without a time.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.limits.deadline = deadline;
    }

    /// Why what runs is to stop, if it is: for statements of the host that wait.
    pub fn wish_to_stop(&self) -> Option<Fault> {
        let Limits { cancel, deadline, .. } = &self.limits;
        if cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Some(Fault::Cancelled);
        }
        deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| Fault::Deadline)
    }

    /// Runs a program to its end. [`Machine::result`] and [`Machine::parameter`] tell what came of it.
    pub fn run(
        &mut self,
        host: &mut dyn Host,
        program: &Arc<Program>,
        arguments: &[RunArgument<'_>],
    ) -> Result<(), Box<Raised>> {
        let floor = self.frames.len();
        if floor == 0 {
            self.begin();
        }
        let started = self.start(host, program, arguments);
        let ended = match started {
            Ok(()) => self.drive(host, floor),
            Err(trouble) => Err(self.raised_of(host, trouble)),
        };
        if ended.is_err() {
            self.leave_frames(host, floor);
        }
        ended
    }

    /// The result of the last run. It stays until the machine runs again.
    pub fn result(&self) -> ValueRef<'_> {
        let found = self.last.and_then(|(linked, bases)| Some((self.linked.get(linked)?.program.result?, bases)));
        found.map_or(ValueRef::Null, |(place, bases)| self.registers.value(bases, place.into(), &[]))
    }

    /// The value of a parameter after the last run, by its position. It stays until the machine runs again.
    pub fn parameter(&self, position: usize) -> ValueRef<'_> {
        let found = self.last.and_then(|(linked, bases)| {
            let program = &self.linked.get(linked)?.program;
            let slot = program.routine.parameters.get(position)?.slot;
            Some((*program.slots.get(usize::from(slot.0))?, bases))
        });
        found.map_or(ValueRef::Null, |(place, bases)| self.registers.value(bases, place.into(), &[]))
    }

    /// Routines that run now.
    pub fn level(&self) -> usize {
        self.frames.len()
    }

    /// The error of the innermost handler that runs.
    pub fn error(&self) -> Option<&Raised> {
        self.caught.last().map(|caught| &*caught.error)
    }

    /// Returns true if a handler is set around the statement that runs: an error of it will not leave the program.
    pub fn has_handler(&self) -> bool {
        self.frames.iter().any(|frame| {
            let program = &self.linked[frame.linked].program;
            frame.handler != NOWHERE || program.handler((frame.pc as usize).saturating_sub(1)).is_some()
        })
    }

    /// The routines that run, innermost first, with their lines.
    pub fn trace(&self) -> Vec<crate::Place> {
        self.frames.iter().rev().map(|frame| self.place(frame)).collect()
    }

    /// Forgets what was running. A machine whose host panicked must not be used again without it.
    pub fn reset(&mut self) {
        self.frames.clear();
        self.begin();
    }

    /// A run that is not inside another begins.
    fn begin(&mut self) {
        self.last = None;
        self.gosubs.clear();
        self.caught.clear();
        if self.registers.memory > KEPT_BYTES {
            self.registers.forget();
        }
        if self.linked.len() > KEPT_PROGRAMS {
            self.linked.clear();
            self.numbers.clear();
            self.recent = (0, 0);
        }
        self.turns = self.limits.turns;
        self.fuel = 0;
        self.refuel();
    }

    fn refuel(&mut self) {
        let turns = u64::from(TURNS.saturating_sub(self.fuel)).min(self.turns);
        self.turns -= turns;
        self.fuel += turns as u32;
    }

    /// Runs the frames above the floor to their ends.
    fn drive(&mut self, host: &mut dyn Host, floor: usize) -> Result<(), Box<Raised>> {
        loop {
            let done = match self.step(host) {
                Exit::Host(site) => self.host_statement(host, site),
                Exit::Call(site) => self.call(host, site),
                Exit::Return => match self.finish(host, floor) {
                    Ok(true) => return Ok(()),
                    Ok(false) => Ok(()),
                    Err(trouble) => Err(trouble),
                },
                Exit::Turn => self.turn(),
                Exit::Trouble(trouble) => Err(trouble),
            };
            if let Err(trouble) = done {
                self.handle(host, trouble, floor)?;
            }
        }
    }

    /// Runs the top frame until something outside it must be done.
    fn step(&mut self, host: &mut dyn Host) -> Exit {
        let Machine { registers, scratch, frames, gosubs, caught, linked, fuel, limits, .. } = self;
        let Some(frame) = frames.last_mut() else { return Exit::Trouble(Fault::Internal("no frame").into()) };
        let program = &*linked[frame.linked].program;
        let (first, count) = (frame.bases.cells, program.frame.cells);
        let mut pc = frame.pc as usize;
        let mut beside = Beside { fuel: *fuel, constants: &program.tables.cells };
        let exit = loop {
            let cells = &mut registers.cells[first..first + count];
            let stop = hot::run(&program.code, &mut pc, cells, &mut beside);
            let instruction = match stop {
                Stop::Other(Instruction::Host { site }) => break Exit::Host(site),
                Stop::Other(Instruction::Call { site }) => break Exit::Call(site),
                Stop::Other(Instruction::Return) => break Exit::Return,
                Stop::Other(instruction) => instruction,
                Stop::Turn => break Exit::Turn,
                fault => break Exit::Trouble(Fault::from(fault).into()),
            };
            let mut cold = Cold {
                program,
                registers,
                scratch,
                frame,
                gosubs,
                gosub_limit: limits.gosubs,
                caught,
                host,
                next: pc as u32,
            };
            match cold.run(instruction) {
                Ok(After::Next) => {}
                Ok(After::To(target)) => {
                    pc = target as usize;
                    beside.fuel = beside.fuel.saturating_sub(1);
                    if beside.fuel == 0 {
                        break Exit::Turn;
                    }
                }
                Ok(After::Leave(exit)) => break exit,
                Err(trouble) => break Exit::Trouble(trouble),
            }
        };
        frame.pc = pc as u32;
        *fuel = beside.fuel;
        exit
    }

    /// A turn of a loop used up the fuel. The frame stands where it goes on, and not behind what it did last.
    fn turn(&mut self) -> Result<(), Trouble> {
        let looked = self.look_around();
        if let (Err(_), Some(frame)) = (&looked, self.frames.last_mut()) {
            frame.pc += 1;
        }
        looked
    }

    /// Looks whether it is time to stop, and takes new fuel.
    fn look_around(&mut self) -> Result<(), Trouble> {
        self.look_for_end()?;
        self.refuel();
        if self.fuel == 0 { Err(Fault::TurnLimit.into()) } else { Ok(()) }
    }

    fn look_for_end(&self) -> Result<(), Trouble> {
        self.wish_to_stop().map_or(Ok(()), |fault| Err(fault.into()))
    }

    /// Something was done that counts as some turns of a loop.
    fn spend(&mut self, turns: u32) -> Result<(), Trouble> {
        self.fuel = self.fuel.saturating_sub(turns);
        if self.fuel == 0 { self.look_around() } else { Ok(()) }
    }

    /// Runs a statement of the host.
    fn host_statement(&mut self, host: &mut dyn Host, site: u32) -> Result<(), Trouble> {
        let level = self.frames.len();
        let flow = host.execute(&mut StatementCall::of_statement(self, site))?;
        self.look_for_end()?;
        self.spend(HOST_TURNS)?;
        debug_assert_eq!(level, self.frames.len());
        let Some(frame) = self.frames.last_mut() else { return Err(Fault::Internal("no frame").into()) };
        if flow == Flow::RETURN {
            // The last instruction of every program.
            frame.pc = self.linked[frame.linked].program.code.len() as u32 - 1;
        } else if let Some(branch) = flow.branch_number() {
            let site = &self.linked[frame.linked].program.tables.hosts[site as usize];
            if let Some(target) = site.branches.get(branch) {
                frame.pc = *target;
            }
        }
        Ok(())
    }

    /// A value of the top frame.
    fn value(&self, operand: Operand) -> ValueRef<'_> {
        match self.frames.last() {
            Some(frame) => {
                let constants = &self.linked[frame.linked].program.tables.constants;
                self.registers.value(frame.bases, operand, constants)
            }
            None => ValueRef::Null,
        }
    }
}
