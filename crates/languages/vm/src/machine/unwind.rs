//! Errors: the handler of an error, or the statement that follows.
//!
//! ```text
//!   a frame, its failed instruction, from the top down to the floor:
//!     1. the innermost TRY region around the instruction     -> its CATCH
//!     2. the label that SETERR named                         -> that label
//!   nobody here, but somebody below the floor                -> the run fails; the host's statement raises it there
//!   nobody at all                                            -> the host says: leave, or go on with the next statement
//! ```

use super::{Caught, Frame, Machine, Trouble};
use crate::compile::NOWHERE;
use crate::{Fault, FaultAnswer, Host, Place, Raised, Unhandled};
use mainstay_types::ValueRef;

impl Machine {
    /// Goes on after something went wrong, or fails with it.
    pub(super) fn handle(&mut self, host: &mut dyn Host, trouble: Trouble, floor: usize) -> Result<(), Box<Raised>> {
        let mut raised = match without_words(trouble) {
            Trouble::Raised(raised) => raised,
            Trouble::Fault(fault) => match self.ask(host, fault) {
                Some(raised) => raised,
                None => return Ok(()),
            },
        };
        if let Some(frame) = self.frames.last() {
            let place = self.place(frame);
            if raised.routine.is_none() {
                raised.routine = Some(place.routine);
                raised.line = place.line;
            }
        }
        // An error without a trace happened in the frame on top.
        let own = usize::from(raised.passes_own_handlers && raised.trace.is_empty());
        let taker = match raised.uncatchable {
            true => None,
            false => (floor..self.frames.len().saturating_sub(own)).rev().find(|index| self.takes_errors(*index)),
        };
        // Those that it leaves, and the one that takes it.
        let passed = self.frames.iter().skip(taker.unwrap_or(floor)).rev().map(|frame| self.place(frame));
        let passed: Vec<Place> = passed.collect();
        raised.trace.extend(passed);
        match taker {
            None if raised.uncatchable => Err(raised),
            Some(index) => self.give(host, raised, index),
            None if (0..floor).any(|index| self.takes_errors(index)) => Err(raised),
            None => match host.unhandled(&raised) {
                Unhandled::Propagate => Err(raised),
                Unhandled::NextStatement => self.skip(host, raised, floor, false),
                Unhandled::EndRoutine => self.skip(host, raised, floor, true),
            },
        }
    }

    /// Asks the host about a fault; `None` if the operation gives NULL.
    fn ask(&mut self, host: &mut dyn Host, fault: Fault) -> Option<Box<Raised>> {
        let catchable = fault.is_catchable();
        let mut raised = match host.fault(fault) {
            FaultAnswer::Raise(raised) => raised,
            FaultAnswer::Null => {
                let found = self.frames.last().and_then(|frame| {
                    let program = &self.linked.get(frame.linked)?.program;
                    Some((frame.bases, program.destination((frame.pc as usize).checked_sub(1)?)?))
                });
                match found {
                    Some((bases, to)) if catchable => {
                        self.registers.set_null(bases, to);
                        return None;
                    }
                    _ => Raised::of(Fault::Internal("NULL for what gives no value")),
                }
            }
        };
        raised.uncatchable |= !catchable;
        Some(raised)
    }

    /// The same for an error that no frame has yet.
    pub(super) fn raised_of(&mut self, host: &mut dyn Host, trouble: Trouble) -> Box<Raised> {
        match without_words(trouble) {
            Trouble::Raised(raised) => raised,
            Trouble::Fault(fault) => match host.fault(fault.clone()) {
                FaultAnswer::Raise(raised) => raised,
                FaultAnswer::Null => Raised::of(fault),
            },
        }
    }

    /// Returns true if a frame has a handler where it stands.
    fn takes_errors(&self, index: usize) -> bool {
        self.frames.get(index).is_some_and(|frame| {
            let program = &self.linked[frame.linked].program;
            frame.handler != NOWHERE || program.handler(failed(frame)).is_some()
        })
    }

    /// A frame's handler takes the error; the frames above it end.
    fn give(&mut self, host: &mut dyn Host, raised: Box<Raised>, index: usize) -> Result<(), Box<Raised>> {
        self.leave_frames(host, index + 1);
        host.caught(&raised);
        self.note_status(host, &raised);
        let Some(frame) = self.frames.last_mut() else { return Err(raised) };
        let program = &self.linked[frame.linked].program;
        let depth = match program.handler(failed(frame)) {
            Some(handler) => {
                frame.pc = handler.target;
                usize::from(handler.depth)
            }
            None => {
                frame.failed = Some((failed(frame) as u32, frame.handler));
                frame.pc = std::mem::replace(&mut frame.handler, NOWHERE);
                0
            }
        };
        self.caught.truncate(frame.caught_mark + depth);
        self.caught.push(Caught { error: raised });
        Ok(())
    }

    /// The host has made the error known: on with the statement after the failed one, or with the end of its routine.
    /// A routine called by an expression ends with the expression's statement.
    fn skip(
        &mut self,
        host: &mut dyn Host,
        raised: Box<Raised>,
        floor: usize,
        to_the_end: bool,
    ) -> Result<(), Box<Raised>> {
        let mut index = self.frames.len().saturating_sub(1);
        while self.frames.get(index).is_some_and(|frame| frame.is_function) && index > floor {
            index -= 1;
        }
        self.leave_frames(host, index + 1);
        self.note_status(host, &raised);
        let Some(frame) = self.frames.last_mut().filter(|frame| index >= floor && !frame.is_function) else {
            return Err(raised);
        };
        let program = &self.linked[frame.linked].program;
        match program.statement(failed(frame)) {
            // The last instruction of every program is its return.
            _ if to_the_end => {
                frame.pc = program.code.len() as u32 - 1;
                Ok(())
            }
            Some(statement) => {
                frame.pc = statement.next;
                Ok(())
            }
            None => Err(raised),
        }
    }

    /// Makes of an error what the routine on top returns, if the host says so.
    fn note_status(&mut self, host: &dyn Host, raised: &Raised) {
        let Some(status) = host.status_after(raised) else { return };
        let Some(frame) = self.frames.last() else { return };
        let Some(result) = self.linked[frame.linked].program.result else { return };
        let before = self.registers.value(frame.bases, result.into(), &[]);
        if matches!(before, ValueRef::Integer(before) if before > status) {
            // A status is a number of few digits.
            let _ = self.registers.store(frame.bases, &result, ValueRef::Integer(status));
        }
    }

    /// Ends the frames above the first so many.
    pub(super) fn leave_frames(&mut self, host: &mut dyn Host, keep: usize) {
        while self.frames.len() > keep {
            self.pop_frame(host);
        }
    }

    /// Ends the top frame.
    pub(super) fn pop_frame(&mut self, host: &mut dyn Host) -> Option<Frame> {
        let level = self.frames.len();
        let frame = self.frames.pop()?;
        self.gosubs.truncate(frame.gosub_mark);
        self.caught.truncate(frame.caught_mark);
        let program = &self.linked[frame.linked].program;
        if program.routine.scoped {
            let program = program.clone();
            host.left(&program, level);
        }
        Some(frame)
    }

    /// Where a frame stands.
    pub(super) fn place(&self, frame: &Frame) -> Place {
        let program = &self.linked[frame.linked].program;
        let line = program.statement(failed(frame)).map_or(0, |statement| statement.line);
        Place { routine: program.routine.name.clone(), line }
    }
}

/// The instruction that a frame ran last.
fn failed(frame: &Frame) -> usize {
    (frame.pc as usize).saturating_sub(1)
}

/// An error that is a fault without words yet.
fn without_words(trouble: Trouble) -> Trouble {
    match trouble {
        // One that has a place comes from a run inside of the statement, and was asked about there.
        Trouble::Raised(mut raised) if raised.number == 0 && !raised.uncatchable && raised.routine.is_none() => {
            match raised.fault.take() {
                Some(fault) => Trouble::Fault(fault),
                None => Trouble::Raised(raised),
            }
        }
        other => other,
    }
}
