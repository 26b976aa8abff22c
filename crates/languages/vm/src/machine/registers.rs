//! Registers: cells of 16 bytes, and buffers of text and bytes that keep their memory.
//!
//! The instruction determines the type of a cell's value; the cell does not store it. Only NULL can be seen in the cell
//! itself: its high word is `1 << 63`, which no value has. (A decimal is below 10^38, which leaves that word free.)
//!
//! ```text
//!                 high word          low word
//!   NULL          1 << 63            0
//!   integers, Boolean, Date, Time, Timestamp, Handle
//!                 0                  the number
//!   Real, Float   0                  the bits of the double
//!   TimestampWithOffset
//!                 offset, 16 bits    ticks in UTC
//!   Decimal       high half          low half of the number without its point
//! ```

use super::array::Array;
pub(super) use super::scratch::Scratch;
use crate::compile::{CONSTANT, Destination, FrameShape, Operand};
use crate::{Fault, File, Produced, Type};
use mainstay_types::{Date, Decimal, Time, Timestamp, Value, ValueRef};

/// A register for anything that fits into 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub high: u64,
    pub low: u64,
}

const NULL_WORD: u64 = 1 << 63;

impl Cell {
    pub(crate) const NULL: Cell = Cell { high: NULL_WORD, low: 0 };

    #[inline(always)]
    pub(crate) fn integer(number: i64) -> Cell {
        Cell { high: 0, low: number as u64 }
    }

    #[inline(always)]
    pub(crate) fn float(number: f64) -> Cell {
        Cell { high: 0, low: number.to_bits() }
    }

    #[inline(always)]
    pub(crate) fn decimal(unscaled: i128) -> Cell {
        Cell { high: (unscaled >> 64) as u64, low: unscaled as u64 }
    }

    #[inline(always)]
    pub(crate) fn is_null(self) -> bool {
        self.high == NULL_WORD
    }

    #[inline(always)]
    pub(crate) fn as_integer(self) -> i64 {
        self.low as i64
    }

    #[inline(always)]
    pub(crate) fn as_float(self) -> f64 {
        f64::from_bits(self.low)
    }

    #[inline(always)]
    pub(crate) fn as_decimal(self) -> i128 {
        (i128::from(self.high as i64) << 64) | i128::from(self.low)
    }

    /// The cell of a value, if the type's values are in cells and this is one of them.
    pub(crate) fn of(ty: Type, value: &ValueRef<'_>) -> Option<Cell> {
        Some(match (ty, value) {
            (_, ValueRef::Null) => Cell::NULL,
            (Type::Boolean, ValueRef::Boolean(value)) => Cell::integer(i64::from(*value)),
            (Type::Integer(_) | Type::Handle, ValueRef::Integer(value)) => Cell::integer(*value),
            (Type::Decimal { .. }, ValueRef::Decimal(value)) => Cell::decimal(value.unscaled),
            (Type::Real | Type::Float, ValueRef::Float(value)) => Cell::float(*value),
            (Type::Date, ValueRef::Date(value)) => Cell::integer(value.0.into()),
            (Type::Time, ValueRef::Time(value)) => Cell::integer(value.0),
            (Type::Timestamp, ValueRef::Timestamp(value)) => Cell::integer(value.0),
            (Type::TimestampWithOffset, ValueRef::TimestampWithOffset { utc, offset_minutes }) => {
                Cell { high: u64::from(*offset_minutes as u16), low: utc.0 as u64 }
            }
            _ => return None,
        })
    }

    /// The value of a cell that holds this type.
    #[inline]
    pub(crate) fn value(self, ty: Type) -> ValueRef<'static> {
        if self.is_null() {
            return ValueRef::Null;
        }
        match ty {
            Type::Boolean => ValueRef::Boolean(self.low != 0),
            Type::Decimal { scale, .. } => ValueRef::Decimal(Decimal::new(self.as_decimal(), scale)),
            Type::Real | Type::Float => ValueRef::Float(self.as_float()),
            Type::Date => ValueRef::Date(Date(self.low as i32)),
            Type::Time => ValueRef::Time(Time(self.as_integer())),
            Type::Timestamp => ValueRef::Timestamp(Timestamp(self.as_integer())),
            Type::TimestampWithOffset => ValueRef::TimestampWithOffset {
                utc: Timestamp(self.as_integer()),
                offset_minutes: self.high as u16 as i16,
            },
            _ => ValueRef::Integer(self.as_integer()),
        }
    }
}

/// A register of text or bytes: a buffer, and whether it counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Long<B> {
    pub is_null: bool,
    pub buffer: B,
}

/// Where a frame's registers begin in each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bases {
    pub cells: usize,
    pub texts: usize,
    pub bytes: usize,
    pub anys: usize,
    pub arrays: usize,
}

/// The registers of all frames.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    pub cells: Vec<Cell>,
    pub texts: Vec<Long<String>>,
    pub bytes: Vec<Long<Vec<u8>>>,
    pub anys: Vec<Value>,
    pub arrays: Vec<Array>,
    /// Bytes that the buffers hold memory for.
    pub memory: usize,
    /// The most that they may.
    pub memory_limit: usize,
}

impl Registers {
    /// Makes a frame's registers and gives those of slots their first values.
    pub(crate) fn begin_frame(&mut self, bases: Bases, shape: &FrameShape) -> Result<(), Fault> {
        if self.cells.len() < bases.cells + shape.cells {
            self.cells.resize(bases.cells + shape.cells, Cell::NULL);
        }
        self.cells[bases.cells..bases.cells + shape.first_cells.len()].copy_from_slice(&shape.first_cells);
        if shape.texts > 0 {
            if self.texts.len() < bases.texts + shape.texts {
                self.texts.resize_with(bases.texts + shape.texts, Long::default);
            }
            for (index, first) in shape.first_texts.iter().enumerate() {
                self.set_text(bases.texts + index, if let Value::Text(text) = first { Some(text) } else { None })?;
            }
        }
        if shape.bytes > 0 {
            if self.bytes.len() < bases.bytes + shape.bytes {
                self.bytes.resize_with(bases.bytes + shape.bytes, Long::default);
            }
            for (index, first) in shape.first_bytes.iter().enumerate() {
                self.set_bytes(bases.bytes + index, if let Value::Binary(bytes) = first { Some(bytes) } else { None })?;
            }
        }
        if !shape.arrays.is_empty() {
            let end = bases.arrays + shape.arrays.len();
            if self.arrays.len() < end {
                self.arrays.resize_with(end, Array::default);
            }
            self.arrays[bases.arrays..end].iter_mut().for_each(Array::begin);
        }
        if shape.anys > 0 {
            if self.anys.len() < bases.anys + shape.anys {
                self.anys.resize(bases.anys + shape.anys, Value::Null);
            }
            for (index, first) in shape.first_anys.iter().enumerate() {
                self.set_any(bases.anys + index, first.as_ref())?;
            }
        }
        Ok(())
    }

    /// Returns true if so many bytes more are within the limit.
    pub(crate) fn room_for(&self, bytes: usize) -> Result<(), Fault> {
        if bytes > self.room() { Err(Fault::MemoryLimit) } else { Ok(()) }
    }

    /// Bytes that there is still room for.
    pub(crate) fn room(&self) -> usize {
        self.memory_limit.saturating_sub(self.memory)
    }

    /// Gives a text register a text, or NULL.
    pub(crate) fn set_text(&mut self, index: usize, text: Option<&str>) -> Result<(), Fault> {
        let register = &mut self.texts[index];
        register.is_null = text.is_none();
        register.buffer.clear();
        match text {
            Some(text) if text.len() > register.buffer.capacity() => self.grow_text(index, text),
            Some(text) => {
                register.buffer.push_str(text);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The same for a text that the register, which is empty, has no room for.
    #[cold]
    fn grow_text(&mut self, index: usize, text: &str) -> Result<(), Fault> {
        let room = self.room();
        let register = &mut self.texts[index];
        let before = register.buffer.capacity();
        if text.len() - before > room {
            register.is_null = true;
            return Err(Fault::MemoryLimit);
        }
        register.buffer.reserve(text.len());
        self.memory += register.buffer.capacity() - before;
        register.buffer.push_str(text);
        Ok(())
    }

    /// Gives a byte register bytes, or NULL.
    pub(crate) fn set_bytes(&mut self, index: usize, bytes: Option<&[u8]>) -> Result<(), Fault> {
        let room = self.room();
        let register = &mut self.bytes[index];
        register.is_null = bytes.is_none();
        register.buffer.clear();
        if let Some(bytes) = bytes {
            let before = register.buffer.capacity();
            if bytes.len() > before {
                if bytes.len() - before > room {
                    register.is_null = true;
                    return Err(Fault::MemoryLimit);
                }
                register.buffer.reserve(bytes.len());
                self.memory += register.buffer.capacity() - before;
            }
            register.buffer.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Gives a text register what a buffer holds, and the buffer what the register held.
    pub(crate) fn swap_text(&mut self, index: usize, buffer: &mut String) -> Result<(), Fault> {
        let register = &mut self.texts[index];
        let memory = self.memory.saturating_sub(register.buffer.capacity()) + buffer.capacity();
        if memory > self.memory_limit && memory > self.memory {
            *buffer = String::new();
            return Err(Fault::MemoryLimit);
        }
        self.memory = memory;
        register.is_null = false;
        std::mem::swap(&mut register.buffer, buffer);
        Ok(())
    }

    /// Gives a byte register what a buffer holds, and the buffer what the register held.
    pub(crate) fn swap_bytes(&mut self, index: usize, buffer: &mut Vec<u8>) -> Result<(), Fault> {
        let register = &mut self.bytes[index];
        let memory = self.memory.saturating_sub(register.buffer.capacity()) + buffer.capacity();
        if memory > self.memory_limit && memory > self.memory {
            *buffer = Vec::new();
            return Err(Fault::MemoryLimit);
        }
        self.memory = memory;
        register.is_null = false;
        std::mem::swap(&mut register.buffer, buffer);
        Ok(())
    }

    /// Gives a register of any kind a value. Text over text, and bytes over bytes, use the memory again.
    pub(crate) fn set_any(&mut self, index: usize, value: ValueRef<'_>) -> Result<(), Fault> {
        let held = |value: &Value| match value {
            Value::Text(text) => text.capacity(),
            Value::Binary(bytes) => bytes.capacity(),
            _ => 0,
        };
        let room = self.room();
        let register = &mut self.anys[index];
        let before = held(register);
        let needed = match value {
            ValueRef::Text(text) => text.len(),
            ValueRef::Binary(bytes) => bytes.len(),
            _ => 0,
        };
        if needed > before && needed - before > room {
            return Err(Fault::MemoryLimit);
        }
        match (&mut *register, value) {
            (Value::Text(old), ValueRef::Text(new)) => new.clone_into(old),
            (Value::Binary(old), ValueRef::Binary(new)) => new.clone_into(old),
            (old, new) => *old = new.to_value(),
        }
        self.memory = self.memory.saturating_sub(before) + held(register);
        Ok(())
    }

    /// The value of an operand in a frame.
    #[inline]
    pub(crate) fn value<'a>(&'a self, bases: Bases, operand: Operand, constants: &'a [Value]) -> ValueRef<'a> {
        let place = usize::from(operand.place & !CONSTANT);
        if operand.place & CONSTANT != 0 {
            return constants.get(place).map_or(ValueRef::Null, Value::as_ref);
        }
        match operand.ty.file() {
            File::Cells => self.cells[bases.cells + place].value(operand.ty),
            File::Texts => match &self.texts[bases.texts + place] {
                Long { is_null: false, buffer } => ValueRef::Text(buffer),
                _ => ValueRef::Null,
            },
            File::Bytes => match &self.bytes[bases.bytes + place] {
                Long { is_null: false, buffer } => ValueRef::Binary(buffer),
                _ => ValueRef::Null,
            },
            File::Anys => self.anys[bases.anys + place].as_ref(),
        }
    }

    /// Writes NULL.
    pub(crate) fn set_null(&mut self, bases: Bases, to: Destination) {
        let place = usize::from(to.place);
        match to.ty.file() {
            File::Cells => self.cells[bases.cells + place] = Cell::NULL,
            File::Texts => self.texts[bases.texts + place].is_null = true,
            File::Bytes => self.bytes[bases.bytes + place].is_null = true,
            File::Anys => {
                // Making room does not fail.
                let _ = self.set_any(bases.anys + place, ValueRef::Null);
            }
        }
    }

    /// Writes a value that is of the destination's kind, within its range.
    pub(crate) fn store(&mut self, bases: Bases, to: &Destination, value: ValueRef<'_>) -> Result<(), Fault> {
        let place = usize::from(to.place);
        let mismatch = || Fault::TypeMismatch { to: to.ty };
        match to.ty.file() {
            File::Cells => {
                let cell = checked_cell(to.ty, value)?;
                self.cells[bases.cells + place] = cell;
                Ok(())
            }
            File::Texts => match value {
                ValueRef::Null => self.set_text(bases.texts + place, None),
                ValueRef::Text(text) => self.set_text(bases.texts + place, Some(text)),
                _ => Err(mismatch()),
            },
            File::Bytes => match value {
                ValueRef::Null => self.set_bytes(bases.bytes + place, None),
                ValueRef::Binary(bytes) => self.set_bytes(bases.bytes + place, Some(bytes)),
                _ => Err(mismatch()),
            },
            File::Anys => match (to.ty, value) {
                (Type::Any, _)
                | (_, ValueRef::Null)
                | (Type::Uuid, ValueRef::Uuid(_))
                | (Type::Interval, ValueRef::Interval(_)) => self.set_any(bases.anys + place, value),
                _ => Err(mismatch()),
            },
        }
    }

    /// Writes what a native function gave.
    pub(crate) fn store_produced(
        &mut self,
        bases: Bases,
        to: Destination,
        produced: Produced,
        scratch: &mut Scratch,
    ) -> Result<(), Fault> {
        let value = match produced {
            Produced::Text if to.ty.file() == File::Texts => {
                return self.swap_text(bases.texts + usize::from(to.place), &mut scratch.text);
            }
            Produced::Bytes if to.ty.file() == File::Bytes => {
                return self.swap_bytes(bases.bytes + usize::from(to.place), &mut scratch.bytes);
            }
            // A newly built text is stored without a copy.
            Produced::Value(Value::Text(mut text)) if to.ty.file() == File::Texts => {
                return self.swap_text(bases.texts + usize::from(to.place), &mut text);
            }
            Produced::Text => ValueRef::Text(&scratch.text),
            Produced::Bytes => ValueRef::Binary(&scratch.bytes),
            Produced::Value(ref value) => value.as_ref(),
            Produced::Null => ValueRef::Null,
            Produced::Boolean(value) => ValueRef::Boolean(value),
            Produced::Integer(value) => ValueRef::Integer(value),
            Produced::Decimal(value) => ValueRef::Decimal(value),
            Produced::Float(value) => ValueRef::Float(value),
            Produced::Date(value) => ValueRef::Date(value),
            Produced::Time(value) => ValueRef::Time(value),
            Produced::Timestamp(value) => ValueRef::Timestamp(value),
            Produced::TimestampWithOffset { utc, offset_minutes } => {
                ValueRef::TimestampWithOffset { utc, offset_minutes }
            }
            Produced::Interval(value) => ValueRef::Interval(value),
            Produced::Uuid(value) => ValueRef::Uuid(value),
        };
        self.store(bases, &to, value)
    }

    /// Writes what is at an operand of the same frame.
    pub(crate) fn copy(
        &mut self,
        bases: Bases,
        to: Destination,
        from: Operand,
        constants: &[Value],
        scratch: &mut Scratch,
    ) -> Result<(), Fault> {
        let value = self.value(bases, from, constants);
        match value {
            ValueRef::Text(text) => self.room_for(text.len().saturating_sub(scratch.text.capacity()))?,
            ValueRef::Binary(bytes) => self.room_for(bytes.len().saturating_sub(scratch.bytes.capacity()))?,
            _ => {}
        }
        let produced = scratch.produce(value);
        self.store_produced(bases, to, produced, scratch)
    }
}

/// The cell of a value: of the type's kind, brought to its scale, within its range.
fn checked_cell(ty: Type, value: ValueRef<'_>) -> Result<Cell, Fault> {
    let overflow = || Fault::Overflow { to: ty };
    match (ty, value) {
        (Type::Integer(width), ValueRef::Integer(number)) if !width.holds(number) => Err(overflow()),
        (Type::Decimal { precision, scale }, ValueRef::Decimal(number)) => {
            let number = number.rescale(scale).ok_or_else(overflow)?;
            let fits = number.unscaled.unsigned_abs() < 10u128.pow(u32::from(precision.min(38)));
            if fits { Ok(Cell::decimal(number.unscaled)) } else { Err(overflow()) }
        }
        (Type::Real, ValueRef::Float(number)) => Ok(Cell::float(f64::from(number as f32))),
        _ => Cell::of(ty, &value).ok_or(Fault::TypeMismatch { to: ty }),
    }
}

impl Registers {
    /// Gives back the memory of all buffers.
    pub(crate) fn forget(&mut self) {
        self.texts.clear();
        self.bytes.clear();
        self.anys.clear();
        self.arrays.clear();
        self.memory = 0;
    }
}
