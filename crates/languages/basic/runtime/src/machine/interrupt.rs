//! Handlers beyond the statement: the error program of the session (SETERR with a program, ERROR_HANDLER), and the break key
//! (SETESC).
//!
//! An error that neither its statement nor its program takes is given to the error program, which is called as by CALL. Its EXIT
//! runs the statement again; EXIT with a number gives the error up. A break key runs the subroutine of SETESC as by GOSUB, or
//! its program as by CALL, before the statement at hand. Sources: the manual's pages SETERR, ERROR_HANDLER and SETESC.
//!
//! Limit: SETESC's subroutine belongs to the program that named it, and runs while that program does.

use super::{Entry, Flow, FrameKind, Machine};
use crate::fault::{Fault, Outcome, fail};

/// The handlers of a session.
#[derive(Debug, Default)]
pub(crate) struct Handlers {
    /// The error program; empty for none.
    pub error_program: Vec<u8>,
    /// The error program runs.
    pub is_handling: bool,
    /// SETESC's program; empty for none.
    pub escape_program: Vec<u8>,
    /// SETESC OFF: the break key ends an input and no program.
    pub ignores_keys: bool,
    /// SETESC DISABLE: SETESC with a target has no effect.
    pub is_disabled: bool,
}

/// The last error that nothing took (manual, `functions/err.md`).
#[derive(Debug, Default)]
pub(crate) struct UntakenError {
    /// ERR.
    pub code: u16,
    /// RET.
    pub system_code: i64,
    /// Names, places and limits.
    pub detail: String,
    /// The program that failed.
    pub program: String,
    /// Its line.
    pub line: u32,
    /// The object whose method it was, or 0.
    pub object: i64,
    /// LFA.
    pub last_used: i64,
    /// LFO.
    pub last_opened: i64,
    /// The name of the file that was opened last.
    pub path: String,
}

impl Machine {
    /// Calls the error program for an error that nothing else takes. `None` if there is none, or it is what fails.
    pub(super) fn call_error_program(&mut self, fault: &Fault) -> Outcome<Option<Flow>> {
        report_untaken(self, fault);
        if self.handlers.error_program.is_empty() || self.handlers.is_handling || fault.code == 127 {
            return Ok(None);
        }
        let name = mainstay_code_page::decode(&self.handlers.error_program).into_owned();
        self.frame.pc = self.frame.op;
        if self.call_named(&name).is_err() {
            let mut fault = Fault::with(54, name);
            fault.is_final = true;
            return Err(fault);
        }
        self.handlers.is_handling = true;
        self.frame.handles_error = true;
        Ok(Some(Flow::Switch))
    }

    /// Calls a program without arguments.
    fn call_named(&mut self, name: &str) -> Outcome<()> {
        let (program, pc) = self.load_entry(name)?;
        self.begin_call(program, pc, Vec::new())
    }

    /// The break key was pressed before the operation at hand. `None` if that goes on as if nothing had happened.
    ///
    /// Errors: 127, which ends the program.
    pub(super) fn break_key(&mut self, depth: usize) -> Outcome<Option<Flow>> {
        if self.handlers.ignores_keys {
            return Ok(None);
        }
        let op = self.frame.op;
        if let Some(to) = self.frame.escape {
            self.push_entry(Entry::Gosub(op))?;
            return self.goto(to, depth).map(|_| Some(Flow::Switch));
        }
        if !self.handlers.escape_program.is_empty() && self.frame.kind != FrameKind::Function {
            let name = mainstay_code_page::decode(&self.handlers.escape_program).into_owned();
            self.frame.pc = op;
            return self.call_named(&name).map(|()| Some(Flow::Switch));
        }
        let mut fault = Fault::new(127);
        self.note(&mut fault);
        fault.is_final = true;
        Err(fault)
    }

    /// The result of an operation of the host that waits for a person: error 127 is the break key.
    pub(crate) fn waited<T>(&mut self, result: Outcome<T>) -> Outcome<T> {
        result.map_err(|mut fault| {
            fault.is_break = fault.code == 127;
            fault
        })
    }

    /// The line of SETESC's target; 0 without one.
    pub(crate) fn escape_line(&self) -> i64 {
        match self.frame.escape {
            Some(crate::code::Destination::Line(line)) => {
                self.frame.program.lines.get(line as usize).map_or(0, |line| line.number.into())
            }
            _ => 0,
        }
    }

    /// The line to which the innermost GOSUB returns; 0 without one.
    pub(crate) fn gosub_line(&self) -> i64 {
        let gosub = self.frame.stack.iter().rev().find_map(|entry| match entry {
            Entry::Gosub(pc) => Some(*pc),
            _ => None,
        });
        let program = &self.frame.program;
        let line = gosub.and_then(|pc| program.op_lines.get(pc.saturating_sub(1) as usize)).copied();
        line.and_then(|line| program.lines.get(line as usize)).map_or(0, |line| line.number.into())
    }

    /// INVOKE and names that begin with `|`, `<` and `>`: programs have no way to the operating system.
    pub(crate) fn refuse_command<T>(&self, command: &[u8]) -> Outcome<T> {
        let command = mainstay_code_page::decode(command);
        fail(15, format!("commands of the operating system are not allowed: {}", command.trim()))
    }
}

fn report_untaken(machine: &mut Machine, fault: &Fault) {
    let (last_used, last_opened) = (machine.channels.last_used, machine.channels.last_opened);
    let path = machine.channels.get(last_opened).map(|channel| mainstay_code_page::decode(&channel.name).into_owned());
    machine.channels.last_used = last_used;
    machine.untaken = UntakenError {
        code: fault.code,
        system_code: machine.system_error + 256,
        detail: fault.detail.clone(),
        program: machine.frame.program.name.clone(),
        line: machine.current_line(),
        object: machine.frame.object.unwrap_or(0),
        last_used,
        last_opened,
        path: path.unwrap_or_default(),
    };
}
