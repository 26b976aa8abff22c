//! The host's view of the statement that it runs: values, slots, and the machine itself.

use super::Machine;
use super::registers::Bases;
use crate::compile::{Destination, Operand, Tables};
use crate::{Fault, Program, Raised, StatementId, Type};
use mainstay_types::ValueRef;
use std::sync::Arc;

/// The table of the top frame that has the statement.
#[derive(Clone, Copy, Debug)]
enum Site {
    /// A statement or value of the host.
    Statement(u32),
    /// A call of a routine that the host does itself, under a number of its own.
    Call(u32, StatementId),
}

/// A statement of the host while it runs.
///
/// Values are read where they are; nothing is collected before. For a routine that the host does itself, the arguments
/// of the call are the inputs, and outputs as well where the call says so; the result is [`StatementCall::set_result`].
pub struct StatementCall<'a> {
    machine: &'a mut Machine,
    site: Site,
    /// The number of the program that runs, and where its registers are.
    linked: usize,
    bases: Bases,
}

impl<'a> StatementCall<'a> {
    #[inline]
    pub(super) fn of_statement(machine: &'a mut Machine, site: u32) -> StatementCall<'a> {
        StatementCall::new(machine, Site::Statement(site))
    }

    pub(super) fn of_call(machine: &'a mut Machine, site: u32, statement: StatementId) -> StatementCall<'a> {
        StatementCall::new(machine, Site::Call(site, statement))
    }

    #[inline]
    fn new(machine: &'a mut Machine, site: Site) -> StatementCall<'a> {
        let (linked, bases) =
            machine.frames.last().map_or((usize::MAX, Bases::default()), |frame| (frame.linked, frame.bases));
        StatementCall { machine, site, linked, bases }
    }

    /// The host's number for it.
    #[inline]
    pub fn statement(&self) -> StatementId {
        match self.site {
            Site::Statement(site) => {
                self.tables().and_then(|tables| tables.hosts.get(site as usize)).map_or(StatementId(0), |s| s.statement)
            }
            Site::Call(_, statement) => statement,
        }
    }

    #[inline]
    fn tables(&self) -> Option<&Tables> {
        Some(&self.machine.linked.get(self.linked)?.program.tables)
    }

    #[inline]
    fn value(&self, operand: Operand) -> ValueRef<'_> {
        let constants = self.tables().map_or(&[][..], |tables| &tables.constants);
        self.machine.registers.value(self.bases, operand, constants)
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        let Some(tables) = self.tables() else { return 0 };
        match self.site {
            Site::Statement(site) => tables.hosts.get(site as usize).map_or(0, |site| site.inputs.len()),
            Site::Call(site, _) => tables.calls.get(site as usize).map_or(0, |site| site.arguments.len()),
        }
    }

    #[inline]
    fn input_operand(&self, index: usize) -> Option<Operand> {
        let tables = self.tables()?;
        match self.site {
            Site::Statement(site) => tables.hosts.get(site as usize)?.inputs.get(index).copied(),
            Site::Call(site, _) => tables.calls.get(site as usize)?.arguments.get(index)?.value,
        }
    }

    /// An input, from 0; NULL if there is none, or the call asks for the default.
    ///
    /// Inlined, so that it is put together of its parts where it is wanted.
    #[inline]
    pub fn input(&self, index: usize) -> ValueRef<'_> {
        // As a `map_or` it is a call within a call.
        match self.input_operand(index) {
            Some(operand) => self.value(operand),
            None => ValueRef::Null,
        }
    }

    /// The type of an input.
    pub fn input_type(&self, index: usize) -> Option<Type> {
        self.input_operand(index).map(|operand| operand.ty)
    }

    /// The name that the call gives an input, for a routine that the host does itself.
    pub fn input_name(&self, index: usize) -> Option<&str> {
        match self.site {
            Site::Statement(_) => None,
            Site::Call(site, _) => self.tables()?.calls.get(site as usize)?.arguments.get(index)?.name.as_deref(),
        }
    }

    /// The number of outputs; for a routine that the host implements, the number of arguments.
    pub fn outputs(&self) -> usize {
        let Some(tables) = self.tables() else { return 0 };
        match self.site {
            Site::Statement(site) => tables.hosts.get(site as usize).map_or(0, |site| site.outputs.len()),
            Site::Call(site, _) => tables.calls.get(site as usize).map_or(0, |site| site.arguments.len()),
        }
    }

    fn destination(&self, index: usize) -> Option<&Destination> {
        destination(self.tables()?, self.site, index)
    }

    /// The type of an output; `None` if there is no such output.
    pub fn output_type(&self, index: usize) -> Option<Type> {
        self.destination(index).map(|to| to.ty)
    }

    /// The number of labels that the statement may go on at.
    pub fn branches(&self) -> usize {
        match self.site {
            Site::Statement(site) => {
                self.tables().and_then(|tables| tables.hosts.get(site as usize)).map_or(0, |site| site.branches.len())
            }
            Site::Call(..) => 0,
        }
    }

    /// The current value of an output.
    pub fn output(&self, index: usize) -> ValueRef<'_> {
        self.destination(index).map_or(ValueRef::Null, |to| self.value((*to).into()))
    }

    /// Sets an output. The value must be of its kind and in its range; a decimal is rounded to its scale.
    pub fn set(&mut self, index: usize, value: ValueRef<'_>) -> Result<(), Fault> {
        let Machine { linked, registers, .. } = &mut *self.machine;
        let tables = linked.get(self.linked).map(|linked| &linked.program.tables);
        match tables.and_then(|tables| destination(tables, self.site, index)) {
            Some(to) => registers.store(self.bases, to, value),
            None => Err(Fault::Internal("an output that there is not")),
        }
    }

    fn store(&mut self, to: Destination, value: ValueRef<'_>) -> Result<(), Fault> {
        self.machine.registers.store(self.bases, &to, value)
    }

    /// Sets an output to the text that `write` makes, in the memory that the slot has already.
    pub fn set_text(&mut self, index: usize, write: impl FnOnce(&mut String)) -> Result<(), Fault> {
        let mut text = std::mem::take(&mut self.machine.scratch.text);
        text.clear();
        write(&mut text);
        let set = match self.destination(index).copied() {
            Some(to @ Destination { ty: Type::Text { .. }, .. }) => {
                self.machine.registers.swap_text(self.bases.texts + usize::from(to.place), &mut text)
            }
            Some(to) => self.store(to, ValueRef::Text(&text)),
            None => Err(Fault::Internal("an output that there is not")),
        };
        self.machine.scratch.text = text;
        set
    }

    /// Sets the result of a routine that the host does itself, if the call wants it.
    pub fn set_result(&mut self, value: ValueRef<'_>) -> Result<(), Fault> {
        let Site::Call(site, _) = self.site else { return self.set(0, value) };
        let result = self.tables().and_then(|tables| tables.calls.get(site as usize)?.result);
        result.map_or(Ok(()), |to| self.store(to, value))
    }

    /// The program that runs.
    pub fn program(&self) -> Option<&Arc<Program>> {
        Some(&self.machine.linked.get(self.linked)?.program)
    }

    /// The name of the routine that runs.
    pub fn routine(&self) -> Option<&Arc<str>> {
        self.program().map(|program| &program.routine.name)
    }

    /// The line of the statement.
    pub fn line(&self) -> u32 {
        self.machine.frames.last().map_or(0, |frame| self.machine.place(frame).line)
    }

    /// The error of the innermost handler that runs.
    pub fn error(&self) -> Option<&Raised> {
        self.machine.error()
    }

    /// The machine, to run something else on it while this statement waits.
    pub fn machine(&mut self) -> &mut Machine {
        self.machine
    }
}

/// Where an output goes.
fn destination(tables: &Tables, site: Site, index: usize) -> Option<&Destination> {
    match site {
        Site::Statement(site) => tables.hosts.get(site as usize)?.outputs.get(index),
        Site::Call(site, _) => {
            let back = tables.calls.get(site as usize)?.arguments.get(index)?.back.as_ref();
            back.map(|(destination, _)| destination)
        }
    }
}
