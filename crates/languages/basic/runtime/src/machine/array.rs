//! Arrays as wholes: values of ranges, expressions over ranges, elements that leave their array, and keywords as
//! subscripts.

use super::{Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use crate::link::GLOBAL;
use crate::number::Number;
use crate::variables::Array;

/// Bytes of an element with a keyword, beside its value.
const KEYWORD: usize = 192;

impl Machine {
    /// The value of an expression for each element of a range; TCB(18) is the turn.
    pub(super) fn set_each(&mut self, target: &Target, value: &Expr) -> Outcome<()> {
        let (array, bounds) = match target {
            Target::NumberRange(symbol, bounds) => (VariableRef::Numbers(*symbol), bounds),
            Target::TextRange(symbol, bounds) => (VariableRef::Texts(*symbol), bounds),
            _ => return Err(Fault::new(26)),
        };
        let (low, high) = self.bounds_of(array)?;
        let (from, to, _) = self.range(bounds.as_deref(), low, high)?;
        let count = to.min(self.array_length(array)).saturating_sub(from);
        let outer = self.iteration;
        let mut values = Vec::new();
        for turn in 0..count {
            self.iteration = Some(turn);
            let value = self.value(value);
            self.iteration = outer;
            let value = value?;
            super::memory::charge_held(self, super::memory::value_bytes(&value))?;
            values.push(match value {
                Value::Number(number) => Value::Number(self.assigned(number, false)),
                text => text,
            });
        }
        self.fill_range(target, &values)
    }

    pub(super) fn array_length(&mut self, array: VariableRef) -> usize {
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        match array {
            VariableRef::Numbers(_) => level.number_arrays[slot].as_ref().map_or(0, |array| array.elements.len()),
            VariableRef::Texts(_) => level.text_arrays[slot].as_ref().map_or(0, |array| array.elements.len()),
            _ => 0,
        }
    }

    /// The place of the element of a range whose turn it is. Error 42 for a range with fewer elements.
    pub(super) fn place_in_turn(
        &mut self,
        array: VariableRef,
        bounds: Option<&(NumberExpr, NumberExpr)>,
    ) -> Outcome<usize> {
        let (low, high) = self.bounds_of(array)?;
        let (from, to, backwards) = self.range(bounds, low, high)?;
        let to = to.min(self.array_length(array));
        let turn = self.iteration.unwrap_or(0);
        match turn < to.saturating_sub(from) {
            true if backwards => Ok(to - 1 - turn),
            true => Ok(from + turn),
            false => fail(42, "the ranges have different lengths"),
        }
    }

    /// The element at a place of an array.
    pub(super) fn array_values_at(&mut self, array: VariableRef, place: usize) -> Outcome<Value> {
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        let value = match array {
            VariableRef::Numbers(_) => level.number_arrays[slot]
                .as_ref()
                .and_then(|array| array.elements.get(place))
                .map(|value| Value::Number(*value)),
            _ => level.text_arrays[slot]
                .as_ref()
                .and_then(|array| array.elements.get(place))
                .map(|value| Value::Text(value.clone())),
        };
        value.ok_or_else(|| Fault::new(42))
    }

    /// Copies of all elements of an array; none before DIM. Error 31 when there is no memory for them.
    pub(crate) fn array_values(&mut self, array: VariableRef) -> Outcome<Vec<Value>> {
        let bytes = super::memory::array_bytes(self, array) + self.array_length(array) * std::mem::size_of::<Value>();
        super::memory::charge_temporary(self, bytes)?;
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        Ok(match array {
            VariableRef::Numbers(_) => {
                let elements = level.number_arrays[slot].as_ref().map_or(&[][..], |array| &array.elements);
                elements.iter().map(|value| Value::Number(*value)).collect()
            }
            VariableRef::Texts(_) => {
                let elements = level.text_arrays[slot].as_ref().map_or(&[][..], |array| &array.elements);
                elements.iter().cloned().map(Value::Text).collect()
            }
            _ => Vec::new(),
        })
    }

    /// The elements of a target that is an array or a range; `None` for any other one.
    pub(crate) fn range_values(&mut self, target: Option<&Target>) -> Outcome<Option<Vec<Value>>> {
        let (array, bounds) = match target {
            Some(Target::NumberRange(symbol, bounds)) => (VariableRef::Numbers(*symbol), bounds),
            Some(Target::TextRange(symbol, bounds)) => (VariableRef::Texts(*symbol), bounds),
            _ => return Ok(None),
        };
        let mut values = self.array_values(array)?;
        if let Some(bounds) = bounds {
            let (low, high) = self.bounds_of(array)?;
            let (from, to, backwards) = self.range(Some(bounds), low, high)?;
            values = values.drain(from..to.min(values.len())).collect();
            if backwards {
                values.reverse();
            }
        }
        Ok(Some(values))
    }

    /// Takes an element out of an array of one dimension: those behind it move down, and a dynamic array is shorter.
    pub(super) fn remove_element(&mut self, array: VariableRef, index: &NumberExpr) -> Outcome<Value> {
        let subscript = self.whole(index)?;
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        match array {
            VariableRef::Numbers(_) => remove(&mut level.number_arrays[slot], subscript).map(Value::Number),
            _ => remove(&mut level.text_arrays[slot], subscript).map(Value::Text),
        }
    }

    /// The element that a keyword names, which is made if there is none yet.
    pub(super) fn number_by_keyword(&mut self, symbol: Symbol, keyword: &TextExpr) -> Outcome<&mut Number> {
        let keyword = self.text_value(keyword)?;
        self.charge(KEYWORD)?;
        let slot = self.slot_of(VariableRef::Numbers(symbol));
        let (level, slot) = self.level_of(slot);
        level.number_arrays[slot].get_or_insert_with(Array::growing).by_keyword(&keyword)
    }

    /// As [`Machine::number_by_keyword`], for strings.
    pub(super) fn text_by_keyword(&mut self, symbol: Symbol, keyword: &TextExpr) -> Outcome<&mut Vec<u8>> {
        let keyword = self.text_value(keyword)?;
        self.charge(KEYWORD)?;
        let slot = self.slot_of(VariableRef::Texts(symbol));
        let (level, slot) = self.level_of(slot);
        level.text_arrays[slot].get_or_insert_with(Array::growing).by_keyword(&keyword)
    }

    /// The keywords of an array. `None` before DIM and without keywords.
    pub(crate) fn keywords(&mut self, array: VariableRef) -> Option<&mut crate::variables::Keywords> {
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        match array {
            VariableRef::Numbers(_) => level.number_arrays[slot].as_mut()?.keywords.as_deref_mut(),
            VariableRef::Texts(_) => level.text_arrays[slot].as_mut()?.keywords.as_deref_mut(),
            _ => None,
        }
    }
}

fn remove<T: Clone + Default>(array: &mut Option<Array<T>>, subscript: i64) -> Outcome<T> {
    let Some(array) = array else { return fail(42, "the array is not dimensioned") };
    if array.bounds[1..].iter().any(|bounds| *bounds != (0, 0)) {
        return fail(42, "REMOVE needs an array of one dimension");
    }
    let place = array.index(&[subscript])?;
    let value = array.elements.remove(place);
    if let Some(keywords) = &mut array.keywords {
        keywords.remove(place);
    }
    match array.dynamic {
        true => array.bounds[0].1 -= 1,
        false => array.elements.push(T::default()),
    }
    Ok(value)
}

/// The place of an element to assign to. Errors: 42.
pub(super) fn element<'a, T: Clone + Default>(
    array: &'a mut Option<Array<T>>,
    subscripts: &[i64],
) -> Outcome<&'a mut T> {
    let Some(array) = array else { return fail(42, "the array is not dimensioned") };
    let index = match subscripts.is_empty() {
        true => array.append()?,
        false => array.index_to_assign(subscripts)?,
    };
    array.elements.get_mut(index).ok_or_else(|| Fault::new(42))
}

/// Assigns to an element of an array. Errors: 42.
pub(crate) fn set_number_element(
    machine: &mut Machine,
    symbol: Symbol,
    indexes: &[NumberExpr],
    value: Number,
) -> Outcome<()> {
    let (subscripts, count) = machine.subscripts(indexes)?;
    let slot = machine.frame.link.number_arrays[symbol as usize];
    machine.charge(std::mem::size_of::<Number>())?;
    let (level, slot) = machine.level_of(slot);
    *element(&mut level.number_arrays[slot], &subscripts[..count])? = value;
    Ok(())
}

/// The same for an array of strings.
pub(crate) fn set_text_element(
    machine: &mut Machine,
    symbol: Symbol,
    indexes: &[NumberExpr],
    value: Vec<u8>,
) -> Outcome<()> {
    let (subscripts, count) = machine.subscripts(indexes)?;
    let slot = machine.frame.link.text_arrays[symbol as usize];
    machine.charge(std::mem::size_of::<Vec<u8>>())?;
    let (level, slot) = machine.level_of(slot);
    *element(&mut level.text_arrays[slot], &subscripts[..count])? = value;
    Ok(())
}

/// Appends an element of an array. Errors: 42.
pub(crate) fn text_element(
    machine: &mut Machine,
    symbol: Symbol,
    indexes: &[NumberExpr],
    out: &mut Vec<u8>,
) -> Outcome<()> {
    let (subscripts, count) = machine.subscripts(indexes)?;
    let slot = machine.frame.link.text_arrays[symbol as usize];
    let arrays = if slot & GLOBAL == 0 { &machine.variables } else { &machine.globals };
    let Some(array) = &arrays.text_arrays[(slot & !GLOBAL) as usize] else {
        return fail(42, "the array is not dimensioned");
    };
    out.extend_from_slice(&array.elements[array.index(&subscripts[..count])?]);
    Ok(())
}
