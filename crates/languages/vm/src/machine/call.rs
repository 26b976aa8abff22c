//! Calls: finding the routine, its arguments, its frame, and its results.
//!
//! The first call binds its target, and the machine caches the binding until the host's stamp changes: the program, the
//! parameter of each argument, and whether the types are the same.

use super::Scratch;
use super::registers::{Bases, Registers};
use super::{Frame, Machine, RunArgument, StatementCall, Trouble};
use crate::compile::{CallSite, CalleeSite, Destination, NOWHERE, Operand};
use crate::{Direction, Fault, FaultAnswer, Flow, Host, Program, Resolved, Routine, Slot, StatementId};
use mainstay_types::{Value, ValueRef};
use std::sync::Arc;

/// A program as a machine knows it.
#[derive(Debug)]
pub(super) struct Linked {
    pub program: Arc<Program>,
    /// The cached bindings of its calls.
    calls: Vec<Option<Bound>>,
}

/// The binding of a call.
#[derive(Debug)]
struct Bound {
    stamp: u64,
    /// The name, if it was computed.
    name: Option<Box<str>>,
    target: Bind,
}

#[derive(Debug)]
enum Bind {
    Statement(StatementId),
    Program { linked: usize, passes: Box<[Pass]>, backs: Box<[Back]> },
}

/// An argument on its way to a parameter.
#[derive(Clone, Copy, Debug)]
struct Pass {
    from: Operand,
    to: Destination,
    /// The parameter's slot.
    slot: u16,
    /// True if the types are the same.
    same: bool,
}

/// A parameter's value on its way back.
#[derive(Clone, Copy, Debug)]
struct Back {
    from: Destination,
    to: Destination,
    /// The caller's slot.
    slot: u16,
    same: bool,
}

impl Machine {
    /// The machine's number for a program.
    fn link(&mut self, program: &Arc<Program>) -> usize {
        // Ids begin at 1.
        if self.recent.0 == program.id {
            return self.recent.1;
        }
        if let Some(number) = self.numbers.get(&program.id) {
            self.recent = (program.id, *number);
            return *number;
        }
        let number = self.linked.len();
        let mut calls = Vec::new();
        calls.resize_with(program.tables.calls.len(), || None);
        self.linked.push(Linked { program: program.clone(), calls });
        self.numbers.insert(program.id, number);
        number
    }

    /// Where the next frame's registers begin.
    fn top(&self) -> Bases {
        match self.frames.last() {
            Some(frame) => {
                let (bases, shape) = (frame.bases, &self.linked[frame.linked].program.frame);
                Bases {
                    cells: bases.cells + shape.cells,
                    texts: bases.texts + shape.texts,
                    bytes: bases.bytes + shape.bytes,
                    anys: bases.anys + shape.anys,
                    arrays: bases.arrays + shape.arrays.len(),
                }
            }
            None => Bases::default(),
        }
    }

    fn frame(&self, linked: usize, bases: Bases, site: Option<u32>, is_function: bool) -> Frame {
        Frame {
            linked,
            pc: 0,
            bases,
            site,
            is_function,
            gosub_mark: self.gosubs.len(),
            caught_mark: self.caught.len(),
            handler: NOWHERE,
            failed: None,
        }
    }

    fn enter(&mut self, host: &mut dyn Host, frame: Frame) {
        let linked = frame.linked;
        self.frames.push(frame);
        if self.linked[linked].program.routine.scoped {
            let program = self.linked[linked].program.clone();
            host.entered(&program, self.frames.len());
        }
    }

    fn check_nesting(&self) -> Result<(), Fault> {
        if self.frames.len() >= self.limits.nesting { Err(Fault::NestingLimit) } else { Ok(()) }
    }

    /// Begins a run's first frame.
    pub(super) fn start(
        &mut self,
        host: &mut dyn Host,
        program: &Arc<Program>,
        arguments: &[RunArgument<'_>],
    ) -> Result<(), Trouble> {
        self.check_nesting()?;
        let (linked, bases) = (self.link(program), self.top());
        self.registers.begin_frame(bases, &program.frame)?;
        let routine = &program.routine;
        if arguments.len() > routine.parameters.len() {
            return Err(Fault::TooManyArguments { routine: routine.name.clone() }.into());
        }
        for (position, parameter) in routine.parameters.iter().enumerate() {
            let slot = &routine.slots[usize::from(parameter.slot.0)];
            match arguments.get(position) {
                Some(RunArgument::Value(value)) => {
                    let to = program.slots[usize::from(parameter.slot.0)];
                    pass_value(&mut self.registers, &mut self.scratch, host, *value, bases, to, slot)?;
                }
                _ if parameter.default.is_none() && parameter.direction != Direction::Out => {
                    return Err(missing(routine, slot).into());
                }
                _ => {}
            }
        }
        let frame = self.frame(linked, bases, None, false);
        self.enter(host, frame);
        Ok(())
    }

    /// Runs a call of the top frame.
    pub(super) fn call(&mut self, host: &mut dyn Host, site: u32) -> Result<(), Trouble> {
        self.spend(1)?;
        let Some(from) = self.frames.last().map(|caller| caller.linked) else {
            return Err(Fault::Internal("no frame").into());
        };
        if !self.is_bound(host, from, site) {
            self.bind(host, from, site)?;
        }
        let nesting = self.check_nesting();
        let bases = self.top();
        let Machine { registers, scratch, frames, linked: programs, .. } = self;
        let (caller, program) = (frames.last(), &programs[from].program);
        let (Some(caller), Some(Some(bound))) = (caller, programs[from].calls.get(site as usize)) else {
            return Err(Fault::Internal("a call that is not bound").into());
        };
        let (linked, passes) = match &bound.target {
            Bind::Statement(statement) => {
                let statement = *statement;
                return self.host_routine(host, site, statement);
            }
            Bind::Program { linked, passes, .. } => (*linked, passes),
        };
        nesting?;
        let callee = &programs[linked].program;
        registers.begin_frame(bases, &callee.frame)?;
        let constants = &program.tables.constants;
        for pass in passes.iter() {
            let slot = &callee.routine.slots[usize::from(pass.slot)];
            pass_argument(registers, scratch, host, (caller.bases, constants), bases, pass, slot)
                .map_err(|trouble| before_the_first_line(trouble, &callee.routine))?;
        }
        let is_function = program.tables.calls[site as usize].is_function;
        let frame = self.frame(linked, bases, Some(site), is_function);
        self.enter(host, frame);
        Ok(())
    }

    /// Runs a call of what the host does itself.
    fn host_routine(&mut self, host: &mut dyn Host, site: u32, statement: StatementId) -> Result<(), Trouble> {
        let flow = host.execute(&mut StatementCall::of_call(self, site, statement))?;
        self.look_for_end()?;
        if flow == Flow::RETURN
            && let Some(frame) = self.frames.last_mut()
        {
            frame.pc = self.linked[frame.linked].program.code.len() as u32 - 1;
        }
        Ok(())
    }

    /// The name that a call is made by, if it is computed.
    fn computed_name(&self, from: usize, number: u32) -> Option<&str> {
        match &self.linked[from].program.tables.calls[number as usize].callee {
            CalleeSite::Named(_) => None,
            CalleeSite::Dynamic(operand) => match self.value(*operand) {
                ValueRef::Text(name) => Some(name),
                _ => Some(""),
            },
        }
    }

    /// Returns true if it is known what a call of the top frame stands for.
    fn is_bound(&self, host: &dyn Host, from: usize, number: u32) -> bool {
        match self.linked[from].calls.get(number as usize) {
            Some(Some(bound)) if bound.stamp == host.stamp() => {
                bound.name.is_none() || bound.name.as_deref() == self.computed_name(from, number)
            }
            _ => false,
        }
    }

    /// Finds out what a call of the top frame stands for.
    fn bind(&mut self, host: &mut dyn Host, from: usize, number: u32) -> Result<(), Trouble> {
        let program = self.linked[from].program.clone();
        let site = &program.tables.calls[number as usize];
        let name: Option<Box<str>> = self.computed_name(from, number).map(Box::from);
        // Taken first: a change while the name is looked up is one to look again for.
        let stamp = host.stamp();
        let resolved = match (&site.callee, &name) {
            (CalleeSite::Named(name), _) => host.resolve(name)?,
            (_, name) => host.resolve(name.as_deref().unwrap_or_default())?,
        };
        let target = match resolved {
            Resolved::Statement(statement) => Bind::Statement(statement),
            Resolved::Program(callee) => {
                let linked = self.link(&callee);
                let (passes, backs) = bind(&program, site, &callee)?;
                Bind::Program { linked, passes: passes.into(), backs: backs.into() }
            }
        };
        if let Some(place) = self.linked[from].calls.get_mut(number as usize) {
            *place = Some(Bound { stamp, name, target });
        }
        Ok(())
    }

    /// Ends the top frame and gives the caller what comes back. Whether it was the run's first.
    pub(super) fn finish(&mut self, host: &mut dyn Host, floor: usize) -> Result<bool, Trouble> {
        let Some(frame) = self.pop_frame(host) else { return Err(Fault::Internal("no frame").into()) };
        let (Some(number), true) = (frame.site, self.frames.len() > floor) else {
            self.last = Some((frame.linked, frame.bases));
            return Ok(true);
        };
        let Machine { registers, scratch, frames, linked, .. } = self;
        let Some(caller) = frames.last() else { return Err(Fault::Internal("no frame").into()) };
        let (program, callee) = (&linked[caller.linked].program, &linked[frame.linked].program);
        let site = &program.tables.calls[number as usize];
        let backs = match linked[caller.linked].calls.get(number as usize) {
            Some(Some(Bound { target: Bind::Program { backs, .. }, .. })) => &**backs,
            _ => &[],
        };
        for back in backs {
            let slot = &program.routine.slots[usize::from(back.slot)];
            give_back(registers, scratch, host, frame.bases, caller.bases, back, slot)?;
        }
        if let (Some(to), Some(from)) = (site.result, callee.result) {
            let back = Back { from, to, slot: 0, same: from.ty == to.ty };
            let slot = Slot { name: String::new(), ty: to.ty, declared: String::new(), initial: Value::Null };
            give_back(registers, scratch, host, frame.bases, caller.bases, &back, &slot)?;
        }
        Ok(false)
    }
}

fn missing(routine: &Routine, slot: &Slot) -> Fault {
    Fault::MissingArgument { routine: routine.name.clone(), parameter: slot.name.clone() }
}

/// Works out which argument goes where.
fn bind(caller: &Program, site: &CallSite, callee: &Program) -> Result<(Vec<Pass>, Vec<Back>), Fault> {
    let routine = &callee.routine;
    let unknown = |name: &str| Fault::UnknownArgument { routine: routine.name.clone(), parameter: name.to_owned() };
    let mut given = vec![false; routine.parameters.len()];
    let (mut passes, mut backs) = (Vec::new(), Vec::new());
    for (position, argument) in site.arguments.iter().enumerate() {
        let index = match argument.name.as_deref() {
            None if position < routine.parameters.len() => position,
            None => return Err(Fault::TooManyArguments { routine: routine.name.clone() }),
            Some(name) => {
                let named = |slot: u16| routine.slots[usize::from(slot)].name.eq_ignore_ascii_case(name);
                routine.parameters.iter().position(|p| named(p.slot.0)).ok_or_else(|| unknown(name))?
            }
        };
        let parameter = &routine.parameters[index];
        let slot = &routine.slots[usize::from(parameter.slot.0)];
        if given[index] {
            return Err(Fault::RepeatedArgument { routine: routine.name.clone(), parameter: slot.name.clone() });
        }
        let place = callee.slots[usize::from(parameter.slot.0)];
        if let Some(from) = argument.value {
            given[index] = true;
            if parameter.direction != Direction::Out {
                passes.push(Pass { from, to: place, slot: parameter.slot.0, same: from.ty == place.ty });
            }
        }
        if let Some((to, slot_number)) = argument.back {
            if parameter.direction == Direction::In {
                return Err(Fault::NotAnOutput { routine: routine.name.clone(), parameter: slot.name.clone() });
            }
            let declared = |slot: Option<&Slot>| slot.map(|slot| slot.declared.clone()).unwrap_or_default();
            let same = to.ty == place.ty
                && declared(Some(slot)) == declared(caller.routine.slots.get(usize::from(slot_number)));
            backs.push(Back { from: place, to, slot: slot_number, same });
        }
    }
    let left_out =
        routine.parameters.iter().zip(&given).find(|(parameter, given)| {
            !**given && parameter.default.is_none() && parameter.direction != Direction::Out
        });
    match left_out {
        Some((parameter, _)) => Err(missing(routine, &routine.slots[usize::from(parameter.slot.0)])),
        None => Ok((passes, backs)),
    }
}

/// Says of an argument that its routine does not take that the error is the routine's, before its first line.
fn before_the_first_line(mut trouble: Trouble, routine: &Routine) -> Trouble {
    if let Trouble::Raised(raised) = &mut trouble
        && raised.routine.is_none()
    {
        (raised.routine, raised.line) = (Some(routine.name.clone()), 0);
    }
    trouble
}

/// Gives a parameter a value from outside.
fn pass_value(
    registers: &mut Registers,
    scratch: &mut Scratch,
    host: &mut dyn Host,
    value: ValueRef<'_>,
    bases: Bases,
    to: Destination,
    slot: &Slot,
) -> Result<(), Trouble> {
    // Lengths and precisions are the host's to judge, so only what cannot differ is stored at once.
    let plain = match value {
        ValueRef::Text(_) => to.ty == crate::Type::TEXT,
        ValueRef::Binary(_) => to.ty == crate::Type::BYTES,
        ValueRef::Integer(number) => to.ty.width().is_some_and(|width| width.holds(number)),
        _ => false,
    };
    if plain || value.is_null() {
        return Ok(registers.store(bases, &to, value)?);
    }
    let produced = host.convert(value, slot, scratch)?;
    Ok(registers.store_produced(bases, to, produced, scratch)?)
}

/// Gives a parameter an argument of the caller's frame.
fn pass_argument(
    registers: &mut Registers,
    scratch: &mut Scratch,
    host: &mut dyn Host,
    (caller, constants): (Bases, &[Value]),
    bases: Bases,
    pass: &Pass,
    slot: &Slot,
) -> Result<(), Trouble> {
    let (from, to) = (usize::from(pass.from.place), usize::from(pass.to.place));
    if pass.same && pass.to.ty.file() == crate::File::Cells {
        registers.cells[bases.cells + to] = registers.cells[caller.cells + from];
        return Ok(());
    }
    let value = registers.value(caller, pass.from, constants);
    let produced =
        if pass.same || value.is_null() { scratch.produce(value) } else { host.convert(value, slot, scratch)? };
    Ok(registers.store_produced(bases, pass.to, produced, scratch)?)
}

/// Gives the caller a value of a frame that has ended: buffers change places.
fn give_back(
    registers: &mut Registers,
    scratch: &mut Scratch,
    host: &mut dyn Host,
    frame: Bases,
    caller: Bases,
    back: &Back,
    slot: &Slot,
) -> Result<(), Trouble> {
    let (from, to) = (usize::from(back.from.place), usize::from(back.to.place));
    if back.same {
        match back.to.ty.file() {
            crate::File::Cells => registers.cells[caller.cells + to] = registers.cells[frame.cells + from],
            crate::File::Texts => registers.texts.swap(caller.texts + to, frame.texts + from),
            crate::File::Bytes => registers.bytes.swap(caller.bytes + to, frame.bytes + from),
            crate::File::Anys => registers.anys.swap(caller.anys + to, frame.anys + from),
        }
        return Ok(());
    }
    let value = registers.value(frame, back.from.into(), &[]);
    let produced = if value.is_null() { crate::Produced::Null } else { host.convert(value, slot, scratch)? };
    match registers.store_produced(caller, back.to, produced, scratch) {
        Ok(()) => Ok(()),
        Err(fault) => match host.fault(fault) {
            FaultAnswer::Raise(raised) => Err(raised.into()),
            FaultAnswer::Null => {
                registers.set_null(caller, back.to);
                Ok(())
            }
        },
    }
}
