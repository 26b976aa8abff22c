//! Records to variables, and variables to records.
//!
//! A list of plain variables is bound to slots once (`link::Plan`), and its record is split at the separator where it
//! is: nothing is copied but the bytes of each string into the buffer that the variable already has. Lists with formats,
//! elements or lists of other programs take the longer way.

use super::channels::SEPARATOR;
use super::field_format::{FieldFormat, field_format};
use super::settings::rounding;
use super::{Channel, Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use crate::link::{GLOBAL, Link, Plan, PlanSlot};
use crate::number::Number;
use crate::number_text::parse_number;
use crate::variables::Variables;
use std::rc::Rc;

/// Rounding of numbers that come from records, as an assignment rounds.
#[derive(Clone, Copy)]
pub(super) struct Rounding(pub i32);

impl Rounding {
    #[inline]
    fn apply(self, value: Number, whole: bool) -> Number {
        match (whole, self.0 >= 0) {
            (true, _) => value.truncated(),
            (false, true) => value.rounded(self.0),
            (false, false) => value,
        }
    }
}

/// Splits a record into the variables of a plan: the bytes that are left over, negative for fields that it does not have. Error 26
/// for a number that is none.
pub(super) fn split(
    plan: &Plan,
    data: &[u8],
    separator: u8,
    rounding: Rounding,
    variables: &mut Variables,
    globals: &mut Variables,
) -> Outcome<i64> {
    let mut ends = memchr::memchr_iter(separator, data);
    let mut start = 0;
    for slot in &plan.slots {
        let end = ends.next().unwrap_or(data.len());
        let field = data.get(start..end).unwrap_or(&[]);
        match *slot {
            PlanSlot::Text(slot) => {
                let text = match slot & GLOBAL {
                    0 => &mut variables.texts[slot as usize],
                    _ => &mut globals.texts[(slot & !GLOBAL) as usize],
                };
                text.clear();
                text.extend_from_slice(field);
            }
            PlanSlot::Number(slot, whole) => {
                let value = rounding.apply(field_number(field)?, whole);
                match slot & GLOBAL {
                    0 => variables.numbers[slot as usize] = value,
                    _ => globals.numbers[(slot & !GLOBAL) as usize] = value,
                }
            }
            PlanSlot::Skip => {}
        }
        start = end + 1;
    }
    // A last field may do without its separator.
    let rest = data.len() as i64 - start as i64;
    Ok(if rest == -1 { 0 } else { rest })
}

pub(super) fn field_number(field: &[u8]) -> Outcome<Number> {
    match field.is_empty() {
        true => Ok(Number::ZERO),
        false => parse_number(field).ok_or_else(|| Fault::with(26, "a field is not a number")),
    }
}

/// Where the next field of a record is, for lists with formats.
pub(super) struct Fields<'a> {
    data: &'a [u8],
    at: usize,
    separator: u8,
}

impl<'a> Fields<'a> {
    pub(super) fn until(&mut self, separator: u8) -> &'a [u8] {
        let rest = self.data.get(self.at..).unwrap_or(&[]);
        let end = memchr::memchr(separator, rest).unwrap_or(rest.len());
        self.at += end + 1;
        &rest[..end]
    }

    pub(super) fn fixed(&mut self, length: usize) -> &'a [u8] {
        let rest = self.data.get(self.at..).unwrap_or(&[]);
        let field = &rest[..length.min(rest.len())];
        self.at += field.len();
        field
    }

    /// A value in quotes or without, up to the separator behind it. A quote inside of quotes is written twice.
    pub(super) fn quoted(&mut self, separator: Option<u8>) -> Vec<u8> {
        let rest = self.data.get(self.at..).unwrap_or(&[]);
        if rest.first() != Some(&b'"') {
            return match separator {
                Some(separator) => self.until(separator).to_vec(),
                None => self.fixed(rest.len()).to_vec(),
            };
        }
        let mut text = Vec::new();
        let mut at = 1;
        while let Some(byte) = rest.get(at) {
            match (byte, rest.get(at + 1)) {
                (b'"', Some(b'"')) => at += 1,
                (b'"', _) => break,
                _ => {}
            }
            text.push(*byte);
            at += 1;
        }
        self.at += (at + 1).min(rest.len());
        if separator.is_some() && self.data.get(self.at).copied() == separator {
            self.at += 1;
        }
        text
    }

    fn next(&mut self) -> &'a [u8] {
        self.until(self.separator)
    }
}

impl Machine {
    /// How assignments round now.
    pub(super) fn rounding(&self) -> Rounding {
        Rounding(if self.rounds && self.parameters.rounds(rounding::ASSIGNMENT) { self.precision } else { -1 })
    }

    /// The plan of the list that OPEN bound to a channel, for the program that runs.
    pub(super) fn bound_plan(&mut self, number: i64) -> Outcome<Option<Rc<Plan>>> {
        let link = self.frame.link.clone();
        let channel = self.channels.get(number)?;
        if let Some((known, plan)) = &channel.plan
            && Rc::ptr_eq(known, &link)
        {
            return Ok(Some(plan.clone()));
        }
        let Some((program, _, id)) = channel.list.clone() else { return Ok(None) };
        let plan = match Rc::ptr_eq(&program, &self.frame.program) {
            true => link.plan(&program, id).cloned(),
            // The names of the list, bound to the level of this program.
            false => Link::new(&program, &mut self.variables, &mut self.globals).plan(&program, id).cloned(),
        };
        let Some(plan) = plan else { return Ok(None) };
        self.channels.get(number)?.plan = Some((link, plan.clone()));
        Ok(Some(plan))
    }

    /// The plan of a list, or of the one that OPEN bound, with the prefix of REC= before its names. Error 81 for a list
    /// that is more than variables.
    pub(super) fn prefixed_plan(&mut self, list: Option<ListId>, number: i64, prefix: &str) -> Outcome<Rc<Plan>> {
        let (program, id) = match list {
            Some(id) => (self.frame.program.clone(), id),
            None => match &self.channels.get(number)?.list {
                Some((program, _, id)) => (program.clone(), *id),
                None => return fail(81, "REC= needs a list"),
            },
        };
        let plan = Link::prefixed_plan(&program, id, prefix, &mut self.variables);
        plan.ok_or_else(|| Fault::with(81, "REC= needs a list of variables"))
    }

    /// Assigns the fields of a record to a list.
    pub(super) fn assign_fields(&mut self, list: &List, data: &[u8], separator: u8) -> Outcome<()> {
        let mut fields = Fields { data, at: 0, separator };
        self.assign_items(list, &mut fields, 0)?;
        let rest = data.len() as i64 - fields.at as i64;
        self.record_rest = if rest == -1 { 0 } else { rest };
        Ok(())
    }

    fn assign_items(&mut self, list: &List, fields: &mut Fields<'_>, depth: usize) -> Outcome<()> {
        if depth > 20 {
            return fail(81, "lists are nested too deeply");
        }
        for item in &list.items {
            match item {
                ListItem::Skip => drop(fields.next()),
                ListItem::List(ListSource::Text(text)) => {
                    let (program, inner, _) = self.list_of_text(text)?;
                    self.in_text(&program, |machine| machine.assign_items(&inner, fields, depth + 1))?;
                }
                ListItem::List(source) => {
                    let inner = self.find_list(source)?;
                    self.assign_items(&inner, fields, depth + 1)?;
                }
                ListItem::Value(value) => self.assign_item(value, fields)?,
            }
        }
        Ok(())
    }

    fn assign_item(&mut self, item: &ListValue, fields: &mut Fields<'_>) -> Outcome<()> {
        let Some(target) = &item.target else { return fail(23, "a list to read needs variables") };
        if let Target::NumberRange(_, None) | Target::TextRange(_, None) = target {
            return match field_format(self, item)? {
                None => self.assign_whole_array(target, fields),
                format => self.assign_range(target, fields, format),
            };
        }
        if let Target::NumberRange(..) | Target::TextRange(..) = target {
            let format = field_format(self, item)?;
            return self.assign_range(target, fields, format);
        }
        let is_text = matches!(item.value, Expr::Text(_));
        let value = match field_format(self, item)? {
            Some(format) => format.read(fields, is_text)?,
            None if is_text => Value::Text(fields.next().to_vec()),
            None => Value::Number(field_number(fields.next())?),
        };
        self.assign(target, value)
    }

    /// A field for each element of a range.
    fn assign_range(&mut self, target: &Target, fields: &mut Fields<'_>, format: Option<FieldFormat>) -> Outcome<()> {
        let count = self.range_values(Some(target))?.map_or(0, |values| values.len());
        let is_text = matches!(target, Target::TextRange(..));
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(match (format, is_text) {
                (Some(format), _) => format.read(fields, is_text)?,
                (None, true) => Value::Text(fields.next().to_vec()),
                (None, false) => Value::Number(field_number(fields.next())?),
            });
        }
        self.fill_range(target, &values)
    }

    fn assign_whole_array(&mut self, target: &Target, fields: &mut Fields<'_>) -> Outcome<()> {
        let (array, is_text) = match target {
            Target::TextRange(symbol, _) => (VariableRef::Texts(*symbol), true),
            Target::NumberRange(symbol, _) => (VariableRef::Numbers(*symbol), false),
            _ => return Err(Fault::new(26)),
        };
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        if is_text {
            let Some(array) = &mut level.text_arrays[slot] else { return fail(42, "the array is not dimensioned") };
            if array.dynamic {
                array.elements.clear();
                array.bounds[0].1 = 0;
                while fields.at < fields.data.len() {
                    let index = array.append()?;
                    array.elements[index] = fields.next().to_vec();
                }
            } else {
                array.elements.iter_mut().for_each(|element| *element = fields.next().to_vec());
            }
            return Ok(());
        }
        let Some(array) = &mut level.number_arrays[slot] else { return fail(42, "the array is not dimensioned") };
        if array.dynamic {
            array.elements.clear();
            array.bounds[0].1 = 0;
            while fields.at < fields.data.len() {
                let index = array.append()?;
                array.elements[index] = field_number(fields.next())?;
            }
        } else {
            for element in &mut array.elements {
                *element = field_number(fields.next())?;
            }
        }
        Ok(())
    }

    /// The list that a reference means.
    pub(super) fn find_list(&mut self, source: &ListSource) -> Outcome<Rc<List>> {
        match source {
            ListSource::Id(id) => self.frame.program.lists.get(*id as usize).cloned().ok_or_else(|| Fault::new(81)),
            ListSource::Missing(code) => Err(Fault::new(*code)),
            ListSource::Embedded => fail(84, "the file has no dictionary"),
            ListSource::Text(text) => self.list_of_text(text).map(|(_, list, _)| list),
        }
    }

    /// Appends the values of a list, each with a separator behind it.
    pub(super) fn write_fields(&mut self, list: &List, separator: u8, out: &mut Vec<u8>, depth: usize) -> Outcome<()> {
        if depth > 20 {
            return fail(81, "lists are nested too deeply");
        }
        for item in &list.items {
            match item {
                ListItem::Skip => out.push(separator),
                ListItem::List(ListSource::Text(text)) => {
                    let (program, inner, _) = self.list_of_text(text)?;
                    self.in_text(&program, |machine| machine.write_fields(&inner, separator, out, depth + 1))?;
                }
                ListItem::List(source) => {
                    let inner = self.find_list(source)?;
                    self.write_fields(&inner, separator, out, depth + 1)?;
                }
                ListItem::Value(value) => self.write_item(value, separator, out)?,
            }
        }
        self.check_length(out.len())
    }

    pub(super) fn write_item(&mut self, item: &ListValue, separator: u8, out: &mut Vec<u8>) -> Outcome<()> {
        let format = field_format(self, item)?;
        if let Some(values) = self.range_values(item.target.as_ref())? {
            for value in &values {
                match (format, value) {
                    (Some(format), value) => format.write(out, value)?,
                    (None, Value::Number(number)) => crate::number_text::write(out, *number, false),
                    (None, Value::Text(text)) => out.extend_from_slice(text),
                }
                out.extend(format.is_none().then_some(separator));
            }
            return Ok(());
        }
        if let (Some(format), None) = (format, &item.mask) {
            let value = self.value(&item.value)?;
            return format.write(out, &value);
        }
        match (&item.value, &item.mask) {
            (Expr::Number(expr), None) => {
                let value = self.number(expr)?;
                let value = self.round_step(value, rounding::FILE);
                crate::number_text::write(out, value, false);
            }
            (Expr::Text(expr), None) => self.text(expr, out)?,
            (value, Some(mask)) => {
                let mut text = self.take();
                self.masked(value, mask, &mut text)?;
                if let Some(format) = format {
                    return format.write(out, &Value::Text(text));
                }
                out.extend_from_slice(&text);
                self.give(text);
            }
        }
        out.push(separator);
        Ok(())
    }

    /// The record that the list which OPEN bound makes of the variables.
    pub(super) fn write_bound(&mut self, plan: &Plan, separator: u8, out: &mut Vec<u8>) {
        for slot in &plan.slots {
            match self.slot_value(*slot) {
                Some(Value::Text(text)) => out.extend_from_slice(&text),
                Some(Value::Number(number)) => {
                    let number = self.round_step(number, rounding::FILE);
                    crate::number_text::write(out, number, false);
                }
                None => {}
            }
            out.push(separator);
        }
    }

    /// The separator of a channel.
    pub(super) fn separator(channel: &Channel) -> u8 {
        if channel.separator == 0 { SEPARATOR } else { channel.separator }
    }
}
