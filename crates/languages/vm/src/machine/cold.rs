//! The instructions outside the inner loop, of one frame: Booleans as values, decimals, doubles, text, conversions,
//! native functions, and control flow that touches more than the program counter.

use super::Scratch;
use super::hot::Stop;
use super::registers::{Bases, Cell, Registers};
use super::{Caught, Frame, Trouble, array, number, text};
use crate::compile::*;
use crate::{BitwiseOp, Fault, File, Host, NativeContext, Raised, Rounding, Type, Width};
use mainstay_types::{Value, ValueRef};
use std::cmp::Ordering;

/// Bytes of a text after which it is time to look whether to stop: copying them takes some microseconds.
const LONG: usize = 64 << 10;

/// The continuation after an instruction.
pub(super) enum After {
    /// With the next.
    Next,
    /// With this one.
    To(u32),
    /// Outside the frame's own loop.
    Leave(Exit),
}

/// Why a frame's loop is left.
pub(super) enum Exit {
    /// A statement or value of the host.
    Host(u32),
    /// A call.
    Call(u32),
    /// The end of the routine.
    Return,
    /// Time to look whether to stop.
    Turn,
    /// Something went wrong.
    Trouble(Trouble),
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Fault {
        match stop {
            Stop::Overflow(width) => Fault::Overflow { to: Type::Integer(width) },
            Stop::DivideByZero => Fault::DivideByZero,
            Stop::Other(_) | Stop::Turn => Fault::Internal("no fault"),
        }
    }
}

/// The operands and the state that a cold instruction works on.
pub(super) struct Cold<'a> {
    pub program: &'a Program,
    pub registers: &'a mut Registers,
    pub scratch: &'a mut Scratch,
    pub frame: &'a mut Frame,
    pub gosubs: &'a mut Vec<u32>,
    pub gosub_limit: usize,
    pub caught: &'a mut Vec<Caught>,
    pub host: &'a mut dyn Host,
    /// The number of the next instruction.
    pub next: u32,
}

impl Cold<'_> {
    fn bases(&self) -> Bases {
        self.frame.bases
    }

    fn cell(&self, register: u16) -> Cell {
        self.registers.cells[self.frame.bases.cells + usize::from(register)]
    }

    fn set(&mut self, register: u16, cell: Cell) {
        self.registers.cells[self.frame.bases.cells + usize::from(register)] = cell;
    }

    /// A text or bytes in a register or constant; what is there is known from the instruction.
    fn long(&self, ty: Type, place: u16) -> ValueRef<'_> {
        self.registers.value(self.bases(), Operand { ty, place }, &self.program.tables.constants)
    }

    /// Runs an instruction.
    pub(super) fn run(&mut self, instruction: Instruction) -> Result<After, Trouble> {
        use Instruction::*;
        match instruction {
            Bitwise { op, width, to, a, b } => self.bitwise(op, width, to, a, b)?,
            BitNot { width, to, a } => {
                let a = self.cell(a);
                // The complement of an unsigned number is within its own bits.
                let mask = if width == Width::U8 { 0xFF } else { -1 };
                let number = !a.as_integer() & mask;
                self.checked(a.is_null(), width, to, number)?;
            }
            Not { to, a } => {
                let a = self.cell(a);
                self.set(to, if a.is_null() { a } else { Cell::integer(1 - a.as_integer()) });
            }
            And { to, a, b } => self.logic(to, a, b, 0),
            Or { to, a, b } => self.logic(to, a, b, 1),
            Float { op, real, to, a, b } => {
                let (a, b) = (self.cell(a), self.cell(b));
                let null = a.is_null() || b.is_null();
                let cell =
                    if null { Cell::NULL } else { Cell::float(number::float(op, real, a.as_float(), b.as_float())?) };
                self.set(to, cell);
            }
            NegateFloat { to, a } => {
                let a = self.cell(a);
                self.set(to, if a.is_null() { a } else { Cell::float(-a.as_float()) });
            }
            Decimal { op, shape, to, a, b } => {
                let (a, b) = (self.cell(a), self.cell(b));
                let shape = &self.program.tables.shapes[usize::from(shape)];
                let null = a.is_null() || b.is_null();
                let cell = if null {
                    Cell::NULL
                } else {
                    Cell::decimal(number::decimal(op, shape, a.as_decimal(), b.as_decimal())?)
                };
                self.set(to, cell);
            }
            NegateDecimal { to, a } => {
                let a = self.cell(a);
                self.set(to, if a.is_null() { a } else { Cell::decimal(-a.as_decimal()) });
            }
            OrderFloat { .. }
            | OrderDecimal { .. }
            | OrderOffset { .. }
            | OrderText { .. }
            | OrderBytes { .. }
            | OrderUuid { .. } => self.order(instruction),
            IsNull { file, to, a } => {
                let null = self.is_null(file, a);
                self.set(to, Cell::integer(null.into()));
            }
            NullLong { .. } => self.transfer(instruction)?,
            long => return self.long_run(long),
        }
        Ok(After::Next)
    }

    /// Runs an instruction that may take long because a text is, or an array.
    fn long_run(&mut self, instruction: Instruction) -> Result<After, Trouble> {
        use Instruction::*;
        match instruction {
            MoveLong { .. } | TakeLong { .. } | LoadAny { .. } => self.transfer(instruction)?,
            Convert { site } => self.convert(&self.program.tables.converts[site as usize])?,
            Fit { site } => {
                let (site, constants) = (&self.program.tables.fits[site as usize], &self.program.tables.constants);
                text::fit(self.registers, self.scratch, self.frame.bases, site, constants)?;
            }
            Concat { site } => {
                let (site, constants) = (&self.program.tables.concats[site as usize], &self.program.tables.constants);
                text::concat(self.registers, self.scratch, self.frame.bases, site, constants)?;
            }
            Dimension { .. } | LoadElement { .. } | StoreElement { .. } => self.array(instruction)?,
            Native { site } => self.native(&self.program.tables.natives[site as usize])?,
            flow => return self.flow(flow),
        }
        // Buffers change places, so that a long text comes by here at the latest when it is made again.
        let long = self.scratch.text.capacity().max(self.scratch.bytes.capacity()) > LONG;
        let look = long || matches!(instruction, Dimension { .. });
        Ok(if look { After::Leave(Exit::Turn) } else { After::Next })
    }

    fn checked(&mut self, null: bool, width: Width, to: u16, number: i64) -> Result<(), Fault> {
        if !null && !width.holds(number) {
            return Err(Fault::Overflow { to: Type::Integer(width) });
        }
        self.set(to, if null { Cell::NULL } else { Cell::integer(number) });
        Ok(())
    }

    fn bitwise(&mut self, op: BitwiseOp, width: Width, to: u16, a: u16, b: u16) -> Result<(), Fault> {
        let (a, b) = (self.cell(a), self.cell(b));
        let null = a.is_null() || b.is_null();
        let (a, b) = (a.as_integer(), b.as_integer());
        let bits = match width {
            Width::I8 | Width::U8 => 8,
            Width::I16 => 16,
            Width::I32 => 32,
            Width::I64 => 64,
        };
        let number = match op {
            BitwiseOp::And => a & b,
            BitwiseOp::Or => a | b,
            BitwiseOp::Xor => a ^ b,
            BitwiseOp::ShiftLeft => shift(a, b, bits, width),
            BitwiseOp::ShiftRight => shift(a, b.saturating_neg(), bits, width),
        };
        self.checked(null, width, to, number)
    }

    /// AND (`decides` 0) and OR (1) of two Booleans.
    fn logic(&mut self, to: u16, a: u16, b: u16, decides: i64) {
        let (a, b) = (self.cell(a), self.cell(b));
        let decided = |cell: Cell| !cell.is_null() && cell.as_integer() == decides;
        let cell = if decided(a) || decided(b) {
            Cell::integer(decides)
        } else if a.is_null() || b.is_null() {
            Cell::NULL
        } else {
            Cell::integer(1 - decides)
        };
        self.set(to, cell);
    }

    /// Comparisons that are not of whole numbers.
    fn order(&mut self, instruction: Instruction) {
        let both = |cells: (Cell, Cell)| (!cells.0.is_null() && !cells.1.is_null()).then_some(cells);
        let (to, ordering) = match instruction {
            Instruction::OrderFloat { to, a, b } => {
                let cells = both((self.cell(a), self.cell(b)));
                (to, cells.and_then(|(a, b)| a.as_float().partial_cmp(&b.as_float())))
            }
            Instruction::OrderDecimal { left_scale, right_scale, to, a, b } => {
                let cells = both((self.cell(a), self.cell(b)));
                let order = |(a, b): (Cell, Cell)| {
                    number::order_decimals(left_scale, right_scale, a.as_decimal(), b.as_decimal())
                };
                (to, cells.map(order))
            }
            Instruction::OrderOffset { to, a, b } => {
                let cells = both((self.cell(a), self.cell(b)));
                (to, cells.map(|(a, b)| a.as_integer().cmp(&b.as_integer())))
            }
            Instruction::OrderText { collation, pads, to, a, b } => {
                let ordering = match (self.long(Type::TEXT, a), self.long(Type::TEXT, b)) {
                    (ValueRef::Text(a), ValueRef::Text(b)) => Some(text::order_texts(collation, pads, a, b)),
                    _ => None,
                };
                (to, ordering)
            }
            Instruction::OrderBytes { pads, to, a, b } => {
                let ordering = match (self.long(Type::BYTES, a), self.long(Type::BYTES, b)) {
                    (ValueRef::Binary(a), ValueRef::Binary(b)) => Some(text::order_bytes(pads, a, b)),
                    _ => None,
                };
                (to, ordering)
            }
            Instruction::OrderUuid { to, a, b } => {
                let ordering = match (self.long(Type::Uuid, a), self.long(Type::Uuid, b)) {
                    (ValueRef::Uuid(a), ValueRef::Uuid(b)) => Some(a.cmp(&b)),
                    _ => None,
                };
                (to, ordering)
            }
            _ => return,
        };
        let cell = match ordering {
            None => Cell::NULL,
            Some(Ordering::Less) => Cell::integer(0),
            Some(Ordering::Equal) => Cell::integer(1),
            Some(Ordering::Greater) => Cell::integer(2),
        };
        self.set(to, cell);
    }

    fn is_null(&self, file: File, a: u16) -> bool {
        let (bases, a) = (self.bases(), usize::from(a));
        match file {
            File::Cells => self.registers.cells[bases.cells + a].is_null(),
            File::Texts => self.registers.texts[bases.texts + a].is_null,
            File::Bytes => self.registers.bytes[bases.bytes + a].is_null,
            File::Anys => self.registers.anys[bases.anys + a] == Value::Null,
        }
    }

    /// Values from one place to another.
    fn transfer(&mut self, instruction: Instruction) -> Result<(), Fault> {
        let (bases, tables) = (self.bases(), &self.program.tables);
        match instruction {
            Instruction::LoadAny { to, constant } => {
                let value = tables.constants[usize::from(constant)].as_ref();
                self.registers.set_any(bases.anys + usize::from(to), value)
            }
            Instruction::NullLong { file, to } => {
                self.registers.set_null(bases, Destination { ty: file_type(file), place: to });
                Ok(())
            }
            Instruction::TakeLong { file, to, from } => {
                let (to, from) = (usize::from(to), usize::from(from));
                match file {
                    File::Cells => self.registers.cells.swap(bases.cells + to, bases.cells + from),
                    File::Texts => self.registers.texts.swap(bases.texts + to, bases.texts + from),
                    File::Bytes => self.registers.bytes.swap(bases.bytes + to, bases.bytes + from),
                    File::Anys => self.registers.anys.swap(bases.anys + to, bases.anys + from),
                }
                Ok(())
            }
            Instruction::MoveLong { file, to, from } => {
                let to = Destination { ty: file_type(file), place: to };
                let from = Operand { ty: to.ty, place: from };
                self.registers.copy(bases, to, from, &tables.constants, self.scratch)
            }
            _ => Ok(()),
        }
    }

    fn convert(&mut self, site: &ConvertSite) -> Result<(), Fault> {
        let (bases, to) = (self.bases(), site.to);
        let value = self.registers.value(bases, site.from, &self.program.tables.constants);
        match (value, to.ty) {
            (ValueRef::Null, _) => self.registers.set_null(bases, to),
            (ValueRef::Integer(number), Type::Text { .. }) if site.from.ty != Type::Any => {
                text::integer(self.scratch, number, to.ty)?;
                self.registers.swap_text(bases.texts + usize::from(to.place), &mut self.scratch.text)?;
            }
            _ if site.from.ty == Type::Any || to.ty.file() != File::Cells || site.from.ty == to.ty => {
                self.registers.copy(bases, to, site.from, &self.program.tables.constants, self.scratch)?;
            }
            (value, ty) => {
                let cell = number::convert(value, ty, site.rounding)?;
                self.set(to.place, cell);
            }
        }
        Ok(())
    }

    /// Arrays and their elements.
    fn array(&mut self, instruction: Instruction) -> Result<(), Fault> {
        let (bases, tables, shapes) = (self.frame.bases, &self.program.tables, &self.program.frame.arrays);
        let (registers, constants) = (&mut *self.registers, &tables.constants);
        match instruction {
            Instruction::Dimension { site } => {
                let site = &tables.dimensions[site as usize];
                array::dimension(registers, bases, site, &shapes[usize::from(site.array)], constants)
            }
            Instruction::LoadElement { site } => {
                let site = &tables.elements[site as usize];
                array::load(registers, self.scratch, bases, site, &shapes[usize::from(site.array)], constants)
            }
            Instruction::StoreElement { site } => {
                let site = &tables.elements[site as usize];
                array::store(registers, bases, site, &shapes[usize::from(site.array)], constants)
            }
            _ => Ok(()),
        }
    }

    fn native(&mut self, site: &NativeSite) -> Result<(), Trouble> {
        /// Arguments that need no memory of their own.
        const FEW: usize = 6;
        let (bases, constants) = (self.frame.bases, &self.program.tables.constants);
        let error: Option<&Raised> = self.caught.last().map(|caught| &*caught.error);
        let room = self.registers.room();
        let mut context = NativeContext { scratch: self.scratch, host: self.host, error, room };
        let registers = &*self.registers;
        let value = |operand: &Operand| registers.value(bases, *operand, constants);
        let call = |context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]| match &site.function {
            NativeSiteFunction::Plain(function) => (function.call)(context, arguments),
            NativeSiteFunction::Operation(operation) => operation.0.call(context, arguments),
        };
        let produced = if site.arguments.len() <= FEW {
            let mut few = [ValueRef::Null; FEW];
            few.iter_mut().zip(&site.arguments).for_each(|(place, operand)| *place = value(operand));
            call(&mut context, few.get(..site.arguments.len()).unwrap_or(&few))?
        } else {
            let many: Vec<ValueRef<'_>> = site.arguments.iter().map(value).collect();
            call(&mut context, &many)?
        };
        self.registers.store_produced(bases, site.to, produced, self.scratch)?;
        Ok(())
    }

    /// Control flow.
    fn flow(&mut self, instruction: Instruction) -> Result<After, Trouble> {
        Ok(match instruction {
            Instruction::Switch { a, table } => {
                let index = self.cell(a);
                let table = &self.program.tables.switches[table as usize];
                let chosen = usize::try_from(index.as_integer()).ok().filter(|_| !index.is_null());
                // A switch may go back, and so be a loop.
                match chosen.and_then(|index| table.get(index)) {
                    Some(target) => self.turn(*target),
                    None => After::Next,
                }
            }
            Instruction::Gosub { target } => {
                if self.gosubs.len() - self.frame.gosub_mark >= self.gosub_limit {
                    return Err(Fault::GosubLimit.into());
                }
                self.gosubs.push(self.next);
                self.turn(target)
            }
            Instruction::GosubReturn => {
                let target = self.pop_gosub()?;
                self.turn(target)
            }
            Instruction::GosubPop => {
                self.pop_gosub()?;
                After::Next
            }
            Instruction::SetHandler { target } => {
                self.frame.handler = target;
                After::Next
            }
            Instruction::ResumeRetry => self.resume(|statement| statement.start)?,
            Instruction::ResumeNext => self.resume(|statement| statement.next)?,
            Instruction::EndCatch { depth } => {
                self.caught.truncate(self.frame.caught_mark + usize::from(depth));
                After::Next
            }
            Instruction::Rethrow => {
                let caught = if self.caught.len() > self.frame.caught_mark { self.caught.pop() } else { None };
                return Err(match caught {
                    Some(mut caught) => {
                        // The routine of the handler will be added again, with the line of this statement.
                        caught.error.trace.pop();
                        Trouble::Raised(caught.error)
                    }
                    None => Fault::RethrowWithoutError.into(),
                });
            }
            _ => return Err(Fault::Internal("an instruction of the inner loop outside it").into()),
        })
    }

    /// A jump that may go back: it counts as a turn of a loop.
    fn turn(&mut self, target: u32) -> After {
        self.frame.pc = target;
        After::To(target)
    }

    fn pop_gosub(&mut self) -> Result<u32, Fault> {
        if self.gosubs.len() <= self.frame.gosub_mark {
            return Err(Fault::ReturnWithoutGosub);
        }
        self.gosubs.pop().ok_or(Fault::ReturnWithoutGosub)
    }

    fn resume(&mut self, place: impl Fn(&StatementInfo) -> u32) -> Result<After, Fault> {
        let (failed, handler) = self.frame.failed.take().ok_or(Fault::ResumeWithoutError)?;
        self.frame.handler = handler;
        let statement = self.program.statement(failed as usize).ok_or(Fault::ResumeWithoutError)?;
        let target = place(statement);
        Ok(self.turn(target))
    }
}

/// Any type of a file: instructions that only move values do not need more.
fn file_type(file: File) -> Type {
    match file {
        File::Cells => Type::I64,
        File::Texts => Type::TEXT,
        File::Bytes => Type::BYTES,
        File::Anys => Type::Any,
    }
}

/// Shifts to the left, or by a negative number to the right, within the bits of the width.
fn shift(number: i64, by: i64, bits: u32, width: Width) -> i64 {
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let raw = number as u64 & mask;
    let distance = u32::try_from(by.unsigned_abs()).unwrap_or(u32::MAX);
    let shifted = if by >= 0 { raw.checked_shl(distance) } else { raw.checked_shr(distance) };
    let shifted = shifted.unwrap_or(0) & mask;
    match width {
        Width::I8 => i64::from(shifted as i8),
        Width::U8 => shifted as i64,
        Width::I16 => i64::from(shifted as i16),
        Width::I32 => i64::from(shifted as i32),
        Width::I64 => shifted as i64,
    }
}

/// The default rounding of conversions.
pub(super) const USUAL: Rounding = Rounding::HalfAway;
