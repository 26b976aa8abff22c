//! Assignments to elements, sub-strings and ranges; DIM, LOCAL, CLEAR.

use super::array::{element, set_number_element, set_text_element};
use super::state::{Form, Saved};
use super::structure::elements;
use super::{Entry, Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome};
use crate::number::Number;
use crate::variables::Array;

impl Machine {
    pub(super) fn set(&mut self, target: &Target, value: &Expr) -> Outcome<()> {
        let value = self.value(value)?;
        self.assign(target, value)
    }

    /// Assigns a value. Error 26 for a value of the other type.
    pub(crate) fn assign(&mut self, target: &Target, value: Value) -> Outcome<()> {
        match (target, value) {
            (Target::Number(symbol, whole), Value::Number(value)) => {
                let value = self.assigned(value, *whole);
                let slot = self.frame.link.numbers[*symbol as usize];
                *self.number_slot(slot) = value;
            }
            (Target::Text(symbol), Value::Text(value)) => {
                let slot = self.frame.link.texts[*symbol as usize];
                let old = std::mem::replace(self.text_slot(slot), value);
                self.give(old);
            }
            (Target::Member(member), value) => return self.set_member(member, value),
            (Target::Field(field), value) => return elements::assign(self, field, value),
            (Target::Composite(symbol), Value::Text(value)) => return self.assign_composite(*symbol, value),
            (Target::NumberElement(symbol, indexes, whole), Value::Number(value)) => {
                let value = self.assigned(value, *whole);
                return set_number_element(self, *symbol, indexes, value);
            }
            (Target::TextElement(symbol, indexes), Value::Text(value)) => {
                return set_text_element(self, *symbol, indexes, value);
            }
            (Target::NumberKeyed(symbol, keyword), Value::Number(value)) => {
                let value = self.assigned(value, false);
                *self.number_by_keyword(*symbol, keyword)? = value;
            }
            (Target::TextKeyed(symbol, keyword), Value::Text(value)) => {
                *self.text_by_keyword(*symbol, keyword)? = value;
            }
            (Target::Part(base, position, length), Value::Text(value)) => {
                return self.assign_part(base, position, length.as_deref(), &value);
            }
            (Target::NumberRange(..), Value::Number(value)) => {
                let value = self.assigned(value, false);
                return self.fill_range(target, &[Value::Number(value)]);
            }
            (Target::TextRange(..), value @ Value::Text(_)) => return self.fill_range(target, &[value]),
            _ => return Err(Fault::new(26)),
        }
        Ok(())
    }

    /// The length of the string stays: the value is cut, or filled with blanks. Behind the last byte, without a length,
    /// the value is appended (manual, `directives/let.md`).
    fn assign_part(
        &mut self,
        base: &Target,
        position: &NumberExpr,
        length: Option<&NumberExpr>,
        value: &[u8],
    ) -> Outcome<()> {
        let position = self.whole(position)?;
        let length = length.map(|length| self.whole(length)).transpose()?;
        let relaxed = self.parameters.relaxes_substrings;
        if let Target::Composite(symbol) = base {
            let mut text = self.take();
            self.composite(*symbol, &mut text)?;
            replace_part(&mut text, position, length, relaxed, value)?;
            return self.assign_composite(*symbol, text);
        }
        if let Target::Field(field) = base {
            let mut text = self.take();
            elements::text(self, field, &mut text)?;
            replace_part(&mut text, position, length, relaxed, value)?;
            return elements::assign(self, field, Value::Text(text));
        }
        let text = match base {
            Target::Text(symbol) => {
                let slot = self.frame.link.texts[*symbol as usize];
                self.text_slot(slot)
            }
            Target::TextElement(symbol, indexes) => {
                let (subscripts, count) = self.subscripts(indexes)?;
                let slot = self.frame.link.text_arrays[*symbol as usize];
                let (level, slot) = self.level_of(slot);
                element(&mut level.text_arrays[slot], &subscripts[..count])?
            }
            Target::TextKeyed(symbol, keyword) => self.text_by_keyword(*symbol, keyword)?,
            _ => return Err(Fault::new(47)),
        };
        replace_part(text, position, length, relaxed, value)?;
        let length = text.len();
        self.check_length(length)
    }

    pub(super) fn gosub_with(&mut self, values: &[(VariableRef, Target, Expr)]) -> Outcome<()> {
        let mut evaluated = Vec::new();
        for (_, _, value) in values {
            evaluated.push(self.value(value)?);
        }
        self.push_entry(Entry::Gosub(self.frame.pc))?;
        let variables: Vec<VariableRef> = values.iter().map(|(variable, ..)| *variable).collect();
        self.local(&variables)?;
        for ((_, target, _), value) in values.iter().zip(evaluated) {
            self.assign(target, value)?;
        }
        Ok(())
    }

    /// Places of a range in the elements of an array.
    pub(super) fn range(
        &mut self,
        bounds: Option<&(NumberExpr, NumberExpr)>,
        low: i64,
        high: i64,
    ) -> Outcome<(usize, usize, bool)> {
        let Some((first, last)) = bounds else { return Ok((0, usize::MAX, false)) };
        let (first, last) = (self.whole(first)?, self.whole(last)?);
        let (from, to) = (first.min(last), first.max(last));
        if from < low || to > high {
            return Err(Fault::new(42));
        }
        Ok(((from - low) as usize, (to - low + 1) as usize, first > last))
    }

    pub(super) fn bounds_of(&mut self, array: VariableRef) -> Outcome<(i64, i64)> {
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        let bounds = match array {
            VariableRef::Numbers(_) => level.number_arrays[slot].as_ref().map(|array| array.bounds[0]),
            VariableRef::Texts(_) => level.text_arrays[slot].as_ref().map(|array| array.bounds[0]),
            _ => None,
        };
        bounds.ok_or_else(|| Fault::with(42, "the array is not dimensioned"))
    }

    /// Values for a range, again and again if they are fewer.
    pub(super) fn fill_range(&mut self, target: &Target, values: &[Value]) -> Outcome<()> {
        let (array, bounds) = match target {
            Target::NumberRange(symbol, bounds) => (VariableRef::Numbers(*symbol), bounds),
            Target::TextRange(symbol, bounds) => (VariableRef::Texts(*symbol), bounds),
            _ => return Err(Fault::new(26)),
        };
        let (low, high) = self.bounds_of(array)?;
        let (from, to, backwards) = self.range(bounds.as_deref(), low, high)?;
        let count = to.min(self.array_length(array)).saturating_sub(from);
        charge_filling(self, count, values)?;
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        let mut values = values.iter().cycle();
        match array {
            VariableRef::Numbers(_) => {
                let Some(array) = &mut level.number_arrays[slot] else { return Err(Fault::new(42)) };
                let to = to.min(array.elements.len());
                let mut places: Vec<usize> = (from..to).collect();
                if backwards {
                    places.reverse();
                }
                for (place, value) in places.into_iter().zip(&mut values) {
                    if let Value::Number(value) = value {
                        array.elements[place] = *value;
                    }
                }
            }
            _ => {
                let Some(array) = &mut level.text_arrays[slot] else { return Err(Fault::new(42)) };
                let to = to.min(array.elements.len());
                let mut places: Vec<usize> = (from..to).collect();
                if backwards {
                    places.reverse();
                }
                for (place, value) in places.into_iter().zip(&mut values) {
                    if let Value::Text(value) = value {
                        array.elements[place].clone_from(value);
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn set_range(
        &mut self,
        target: &Target,
        source: VariableRef,
        bounds: Option<&(NumberExpr, NumberExpr)>,
    ) -> Outcome<()> {
        if bounds.is_none() && matches!(target, Target::NumberRange(_, None) | Target::TextRange(_, None)) {
            return self.copy_array(target, source);
        }
        let (low, high) = self.bounds_of(source)?;
        let (from, to, backwards) = self.range(bounds, low, high)?;
        let bytes = super::memory::array_bytes(self, source) + self.array_length(source) * std::mem::size_of::<Value>();
        super::memory::charge_temporary(self, bytes)?;
        let slot = self.slot_of(source);
        let (level, slot) = self.level_of(slot);
        let mut values: Vec<Value> = match source {
            VariableRef::Numbers(_) => {
                let elements = level.number_arrays[slot].as_ref().map_or(&[][..], |array| &array.elements);
                elements[from..to.min(elements.len())].iter().map(|value| Value::Number(*value)).collect()
            }
            _ => {
                let elements = level.text_arrays[slot].as_ref().map_or(&[][..], |array| &array.elements);
                elements[from..to.min(elements.len())].iter().cloned().map(Value::Text).collect()
            }
        };
        if backwards {
            values.reverse();
        }
        match values.is_empty() {
            true => Ok(()),
            false => self.fill_range(target, &values),
        }
    }

    fn copy_array(&mut self, target: &Target, source: VariableRef) -> Outcome<()> {
        let bytes = super::memory::array_bytes(self, source);
        self.charge(bytes)?;
        let from = self.slot_of(source);
        match (target, source) {
            (Target::NumberRange(symbol, _), VariableRef::Numbers(_)) => {
                let (level, slot) = self.level_of(from);
                let array = level.number_arrays[slot].clone();
                let to = self.slot_of(VariableRef::Numbers(*symbol));
                let (level, slot) = self.level_of(to);
                level.number_arrays[slot] = array;
            }
            (Target::TextRange(symbol, _), VariableRef::Texts(_)) => {
                let (level, slot) = self.level_of(from);
                let array = level.text_arrays[slot].clone();
                let to = self.slot_of(VariableRef::Texts(*symbol));
                let (level, slot) = self.level_of(to);
                level.text_arrays[slot] = array;
            }
            _ => return Err(Fault::new(26)),
        }
        Ok(())
    }

    pub(super) fn dimension(&mut self, item: &DimCode, keep: bool) -> Outcome<()> {
        match item {
            DimCode::Forget(array) => self.clear(&[*array]),
            DimCode::Composite(symbol, list) => {
                let slot = self.frame.link.texts[*symbol as usize];
                let program = self.frame.program.clone();
                elements::forget(self, slot);
                self.variables.composites.insert(slot, (program, *list));
                Ok(())
            }
            DimCode::Structure(symbol, text, is_structure) => elements::define(self, *symbol, text, *is_structure),
            DimCode::Fill(symbol, length, fill) => {
                let length = self.whole_within(length, 0, self.text_limit as i64)?;
                let fill = match fill {
                    Some(fill) => {
                        let text = self.text_value(fill)?;
                        text.first().copied().unwrap_or(b' ')
                    }
                    None => b' ',
                };
                let slot = self.frame.link.texts[*symbol as usize];
                self.charge(length as usize)?;
                self.variables.composites.remove(&slot);
                elements::forget(self, slot);
                let text = self.text_slot(slot);
                text.clear();
                text.resize(length as usize, fill);
                Ok(())
            }
            DimCode::FilledArray(array, bounds, length, fill) => {
                let length = self.whole_within(length, 0, 1 << 20)? as usize;
                let fill = match fill {
                    Some(fill) => self.text_value(fill)?.first().copied().unwrap_or(b' '),
                    None => b' ',
                };
                let values = self.dimension_bounds(bounds)?;
                let slot = self.slot_of(*array);
                self.charge(super::memory::texts_bytes(super::memory::count_of(&values), length))?;
                let (level, slot) = self.level_of(slot);
                let mut array: Array<Vec<u8>> = Array::new(&values)?;
                array.elements.iter_mut().for_each(|element| element.resize(length, fill));
                level.text_arrays[slot] = Some(array);
                Ok(())
            }
            DimCode::Dynamic(array) => {
                let slot = self.slot_of(*array);
                let (level, slot) = self.level_of(slot);
                match array {
                    VariableRef::Numbers(_) => level.number_arrays[slot] = Some(Array::growing()),
                    _ => level.text_arrays[slot] = Some(Array::growing()),
                }
                Ok(())
            }
            DimCode::Array(array, bounds) => {
                let values = self.dimension_bounds(bounds)?;
                super::memory::charge_array(self, matches!(array, VariableRef::Texts(_)), &values)?;
                if keep {
                    // REDIM copies the strings of the old array.
                    let bytes = super::memory::array_bytes(self, *array);
                    self.charge(bytes)?;
                }
                let slot = self.slot_of(*array);
                let (level, slot) = self.level_of(slot);
                match array {
                    VariableRef::Numbers(_) => redimension(&mut level.number_arrays[slot], &values, keep),
                    _ => redimension(&mut level.text_arrays[slot], &values, keep),
                }
            }
        }
    }

    pub(super) fn dimension_bounds(&mut self, bounds: &[(Option<NumberExpr>, NumberExpr)]) -> Outcome<Vec<(i64, i64)>> {
        let mut values = Vec::new();
        for (low, high) in bounds {
            let low = low.as_ref().map(|low| self.whole(low)).transpose()?.unwrap_or(0);
            values.push((low, self.whole(high)?));
        }
        let lengths = values.iter().map(|(low, high)| high.saturating_sub(*low).saturating_add(1).max(0));
        if lengths.fold(1, i64::saturating_mul) > self.element_limit as i64 {
            return Err(Fault::new(31));
        }
        Ok(values)
    }

    pub(super) fn local(&mut self, variables: &[VariableRef]) -> Outcome<()> {
        self.charge(variables.len() * std::mem::size_of::<Saved>())?;
        let mut saved = Vec::new();
        for variable in variables {
            saved.push((*variable, self.save(*variable)));
        }
        self.push_entry(Entry::Local(saved))
    }

    /// Takes the value of a variable, which then is new: a string has no structure, and is no composite one.
    pub(super) fn save(&mut self, variable: VariableRef) -> Saved {
        let slot = self.slot_of(variable);
        if let VariableRef::Text(_) = variable {
            let text = std::mem::take(self.text_slot(slot));
            let composite = self.variables.composites.remove(&slot);
            let structure = self.level_of(slot).0.structures.remove(&slot);
            return Saved::Text(text, Form { structure, composite });
        }
        let (level, slot) = self.level_of(slot);
        match variable {
            VariableRef::Number(..) => Saved::Number(std::mem::replace(&mut level.numbers[slot], Number::ZERO)),
            VariableRef::Numbers(_) => Saved::Numbers(level.number_arrays[slot].take()),
            _ => Saved::Texts(level.text_arrays[slot].take()),
        }
    }

    /// Puts the values of LOCAL variables back.
    pub(super) fn restore(&mut self, saved: Vec<(VariableRef, Saved)>) {
        for (variable, value) in saved.into_iter().rev() {
            let slot = self.slot_of(variable);
            if let Saved::Text(_, form) = &value {
                put_form(self, slot, form);
            }
            let (level, slot) = self.level_of(slot);
            match value {
                Saved::Number(value) => level.numbers[slot] = value,
                Saved::Text(value, _) => level.texts[slot] = value,
                Saved::Numbers(array) => level.number_arrays[slot] = array,
                Saved::Texts(array) => level.text_arrays[slot] = array,
            }
        }
    }

    pub(super) fn clear(&mut self, variables: &[VariableRef]) -> Outcome<()> {
        if variables.is_empty() {
            self.variables.clear();
            let level = self.level();
            crate::functions::forget_values(self, level);
            self.reset_state();
            return Ok(());
        }
        for variable in variables {
            if let VariableRef::Text(symbol) = variable
                && self.composite_list(*symbol).is_some()
            {
                self.assign_composite(*symbol, Vec::new())?;
                continue;
            }
            if let VariableRef::Text(symbol) = variable
                && let Some(structure) = elements::structure_of(self, *symbol)
            {
                let slot = self.frame.link.texts[*symbol as usize];
                *self.text_slot(slot) = structure.empty();
                continue;
            }
            let slot = self.slot_of(*variable);
            let (level, slot) = self.level_of(slot);
            match variable {
                VariableRef::Number(..) => level.numbers[slot] = Number::ZERO,
                VariableRef::Text(_) => level.texts[slot] = Vec::new(),
                VariableRef::Numbers(_) => level.number_arrays[slot] = None,
                VariableRef::Texts(_) => level.text_arrays[slot] = None,
            }
        }
        Ok(())
    }
}

/// Replaces a part of a string.
fn replace_part(text: &mut Vec<u8>, position: i64, length: Option<i64>, relaxed: bool, value: &[u8]) -> Outcome<()> {
    if length.is_none() && position == text.len() as i64 + 1 {
        text.extend_from_slice(value);
        return Ok(());
    }
    let (start, end) = super::text::slice(text.len(), position, length, relaxed)?;
    let part = &mut text[start..end];
    let copied = value.len().min(part.len());
    part[..copied].copy_from_slice(&value[..copied]);
    part[copied..].fill(b' ');
    Ok(())
}

fn redimension<T: Clone + Default>(array: &mut Option<Array<T>>, bounds: &[(i64, i64)], keep: bool) -> Outcome<()> {
    let new = match (array.as_ref(), keep) {
        (Some(old), true) => old.resized(bounds)?,
        _ => Array::new(bounds)?,
    };
    *array = Some(new);
    Ok(())
}

/// Counts the strings that a range is filled with, again and again if they are fewer than its elements.
fn charge_filling(machine: &mut Machine, count: usize, values: &[Value]) -> Outcome<()> {
    // The places of the elements.
    super::memory::charge_temporary(machine, count * std::mem::size_of::<usize>())?;
    let turns = count.checked_div(values.len()).unwrap_or(0) + 1;
    let texts = values.iter().map(|value| match value {
        Value::Text(text) => super::allocated(text.len()),
        Value::Number(_) => 0,
    });
    let bytes = texts.sum::<usize>().saturating_mul(turns);
    machine.charge(bytes)
}

/// CLEAR *, CLEAR EXCEPT: all variables but these, with `all` the global ones and those of GBL( ), too.
pub(super) fn clear_except(machine: &mut Machine, all: bool, variables: &[VariableRef]) -> Outcome<()> {
    let kept: Vec<(VariableRef, Saved)> =
        variables.iter().map(|variable| (*variable, machine.save(*variable))).collect();
    machine.clear(&[])?;
    if all {
        machine.globals.clear();
        machine.strings.clear();
    }
    machine.restore(kept);
    Ok(())
}

/// Gives a string the form that it had, in place of the one that it has now.
fn put_form(machine: &mut Machine, slot: u32, form: &Form) {
    machine.variables.composites.remove(&slot);
    if let Some(composite) = &form.composite {
        machine.variables.composites.insert(slot, composite.clone());
    }
    let (level, _) = machine.level_of(slot);
    level.structures.remove(&slot);
    if let Some(structure) = &form.structure {
        level.structures.insert(slot, structure.clone());
    }
}
