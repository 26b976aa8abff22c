//! Arrays of a frame: elements of one type, found by up to a few subscripts.
//!
//! An array has no elements until it is dimensioned, and may be dimensioned again. Its memory counts like that of texts,
//! and is kept for the next call.

use super::registers::{Bases, Cell, Long, Registers, Scratch};
use crate::compile::{ArrayShape, DimensionSite, ElementSite, Operand};
use crate::{Fault, File};
use mainstay_types::{Value, ValueRef};

/// An array.
#[derive(Debug, Default)]
pub(crate) struct Array {
    /// The least and the greatest value of each subscript; empty if it was not dimensioned.
    bounds: Vec<(i64, i64)>,
    cells: Vec<Cell>,
    texts: Vec<Long<String>>,
}

impl Array {
    /// As it is when a routine begins.
    pub(super) fn begin(&mut self) {
        self.bounds.clear();
    }

    /// The number of an element.
    fn place(&self, subscripts: impl ExactSizeIterator<Item = Option<i64>>) -> Option<usize> {
        if subscripts.len() != self.bounds.len() || self.bounds.is_empty() {
            return None;
        }
        // Every bound was multiplied before, in `dimension`: no product is too large.
        subscripts.zip(&self.bounds).try_fold(0usize, |place, (subscript, (least, most))| {
            let subscript = subscript.filter(|subscript| (*least..=*most).contains(subscript))?;
            Some(place * (most - least + 1) as usize + (subscript - least) as usize)
        })
    }
}

/// The whole number of an operand.
fn whole(registers: &Registers, bases: Bases, operand: Operand, constants: &[Value]) -> Option<i64> {
    match registers.value(bases, operand, constants) {
        ValueRef::Integer(number) => Some(number),
        _ => None,
    }
}

fn subscript(shape: &ArrayShape) -> Fault {
    Fault::Subscript { array: shape.name.clone() }
}

/// Gives an array its bounds, and all elements their first value.
pub(super) fn dimension(
    registers: &mut Registers,
    bases: Bases,
    site: &DimensionSite,
    shape: &ArrayShape,
    constants: &[Value],
) -> Result<(), Fault> {
    let mut array = std::mem::take(&mut registers.arrays[bases.arrays + usize::from(site.array)]);
    array.bounds.clear();
    let mut count = Some(1usize);
    for (least, most) in &site.bounds {
        let bound = |operand| whole(registers, bases, operand, constants);
        let (least, most) = (bound(*least), bound(*most));
        let size = least.zip(most).and_then(|(least, most)| most.checked_sub(least)?.checked_add(1));
        let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0);
        count = count.zip(size).and_then(|(count, size)| count.checked_mul(size));
        array.bounds.extend(least.zip(most));
    }
    let done = match count {
        Some(count) => fill(registers, &mut array, shape, count),
        None => Err(subscript(shape)),
    };
    if done.is_err() {
        array.bounds.clear();
    }
    registers.arrays[bases.arrays + usize::from(site.array)] = array;
    done
}

/// Gives an array so many elements.
fn fill(registers: &mut Registers, array: &mut Array, shape: &ArrayShape, count: usize) -> Result<(), Fault> {
    if shape.element.file() == File::Cells {
        array.cells.clear();
        return reserve(registers, &mut array.cells, count).map(|()| array.cells.resize(count, shape.first_cell));
    }
    let missing = count.saturating_sub(array.texts.len());
    reserve(registers, &mut array.texts, missing)?;
    array.texts.resize_with(count.max(array.texts.len()), Long::default);
    let Registers { memory, memory_limit, .. } = registers;
    array.texts.iter_mut().take(count).try_for_each(|text| set(memory, *memory_limit, text, first_text(shape)))
}

/// Makes room for so many elements more.
fn reserve<T>(registers: &mut Registers, elements: &mut Vec<T>, more: usize) -> Result<(), Fault> {
    let before = elements.capacity();
    let missing = (elements.len().saturating_add(more)).saturating_sub(before);
    registers.room_for(missing.checked_mul(size_of::<T>()).ok_or(Fault::MemoryLimit)?)?;
    elements.reserve_exact(more);
    registers.memory += (elements.capacity() - before) * size_of::<T>();
    Ok(())
}

fn first_text(shape: &ArrayShape) -> Option<&str> {
    match &shape.first {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Gives a text element a text, within the limit of memory.
fn set(memory: &mut usize, limit: usize, register: &mut Long<String>, text: Option<&str>) -> Result<(), Fault> {
    register.buffer.clear();
    register.is_null = text.is_none();
    let Some(text) = text else { return Ok(()) };
    let before = register.buffer.capacity();
    if text.len() > before {
        if text.len() - before > limit.saturating_sub(*memory) {
            register.is_null = true;
            return Err(Fault::MemoryLimit);
        }
        register.buffer.reserve(text.len());
        *memory += register.buffer.capacity() - before;
    }
    register.buffer.push_str(text);
    Ok(())
}

/// Where an element is.
fn element(
    registers: &Registers,
    bases: Bases,
    site: &ElementSite,
    shape: &ArrayShape,
    constants: &[Value],
) -> Result<usize, Fault> {
    let array = &registers.arrays[bases.arrays + usize::from(site.array)];
    let subscripts = site.indexes.iter().map(|operand| whole(registers, bases, *operand, constants));
    array.place(subscripts).ok_or_else(|| subscript(shape))
}

/// Puts an element into a register.
pub(super) fn load(
    registers: &mut Registers,
    scratch: &mut Scratch,
    bases: Bases,
    site: &ElementSite,
    shape: &ArrayShape,
    constants: &[Value],
) -> Result<(), Fault> {
    let place = element(registers, bases, site, shape, constants)?;
    let array = &registers.arrays[bases.arrays + usize::from(site.array)];
    let register = usize::from(site.value.place);
    if shape.element.file() == File::Cells {
        registers.cells[bases.cells + register] = array.cells[place];
        return Ok(());
    }
    match &array.texts[place] {
        Long { is_null: true, .. } => registers.set_text(bases.texts + register, None),
        Long { buffer, .. } => {
            scratch.text.clear();
            scratch.text.push_str(buffer);
            registers.swap_text(bases.texts + register, &mut scratch.text)
        }
    }
}

/// Puts a value into an element.
pub(super) fn store(
    registers: &mut Registers,
    bases: Bases,
    site: &ElementSite,
    shape: &ArrayShape,
    constants: &[Value],
) -> Result<(), Fault> {
    let place = element(registers, bases, site, shape, constants)?;
    let number = bases.arrays + usize::from(site.array);
    if shape.element.file() == File::Cells {
        registers.arrays[number].cells[place] = registers.cells[bases.cells + usize::from(site.value.place)];
        return Ok(());
    }
    let mut register = std::mem::take(&mut registers.arrays[number].texts[place]);
    let text = match registers.value(bases, site.value, constants) {
        ValueRef::Text(text) => Some(text),
        _ => None,
    };
    let mut memory = registers.memory;
    let done = set(&mut memory, registers.memory_limit, &mut register, text);
    registers.memory = memory;
    registers.arrays[number].texts[place] = register;
    done
}
