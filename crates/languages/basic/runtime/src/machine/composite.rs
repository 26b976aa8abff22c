//! Composite strings: a string that is the fields of variables.
//!
//! `DIM C$:IOL=0100` makes C$ the record of C.NAME$, C.ZIP and so on, for the list at line 0100. The string itself is
//! not stored: reading it writes the fields, assigning to it splits the value. The compiler knows from the DIMs of a
//! program which names may be composite, so that other strings pay nothing. Source: `directives/dim.md`, format 2.
//!
//! `DIM C$:text` takes the list from a string, for which `structure.rs` compiles it.
//!
//! Limits: a program that has no such DIM and shares the level of variables sees the string that was assigned before; a CALL passes the
//! value.

use super::{Machine, SEPARATOR, Value};
use crate::code::*;
use crate::fault::Outcome;
use std::rc::Rc;

impl Machine {
    /// The list of a variable that is a composite string, and the program that it belongs to.
    pub(crate) fn composite_list(&self, symbol: Symbol) -> Option<(Rc<Program>, Rc<List>)> {
        let slot = self.frame.link.texts[symbol as usize];
        let (program, id) = self.variables.composites.get(&slot)?;
        Some((program.clone(), program.lists.get(*id as usize)?.clone()))
    }

    /// Appends the value of a variable that may be a composite string: the fields of its variables.
    pub(super) fn composite(&mut self, symbol: Symbol, out: &mut Vec<u8>) -> Outcome<()> {
        match self.composite_list(symbol) {
            Some((program, list)) => {
                in_program(self, &program, |machine| machine.write_fields(&list, SEPARATOR, out, 0))
            }
            None => {
                out.extend_from_slice(self.get_text(symbol));
                Ok(())
            }
        }
    }

    pub(super) fn assign_composite(&mut self, symbol: Symbol, value: Vec<u8>) -> Outcome<()> {
        match self.composite_list(symbol) {
            Some((program, list)) => {
                in_program(self, &program, |machine| machine.assign_fields(&list, &value, SEPARATOR))
            }
            None => self.assign(&Target::Text(symbol), Value::Text(value)),
        }
    }
}

/// Works with the names of the program that a list belongs to.
fn in_program<T>(
    machine: &mut Machine,
    program: &Rc<Program>,
    work: impl FnOnce(&mut Machine) -> Outcome<T>,
) -> Outcome<T> {
    match Rc::ptr_eq(program, &machine.frame.program) {
        true => work(machine),
        false => machine.in_text(program, work),
    }
}
