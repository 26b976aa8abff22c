//! Records to variables, and variables to records.
//!
//! A list of plain variables is bound to slots once (`link::Plan`), and its record is split at the separator where it
//! is: nothing is copied but the bytes of each string into the buffer that the variable already has. Lists with formats,
//! elements or lists of other programs take the longer way.

use super::channels::SEPARATOR;
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

fn field_number(field: &[u8]) -> Outcome<Number> {
    match field.is_empty() {
        true => Ok(Number::ZERO),
        false => parse_number(field).ok_or_else(|| Fault::with(26, "a field is not a number")),
    }
}

/// Where the next field of a record is, for lists with formats.
struct Fields<'a> {
    data: &'a [u8],
    at: usize,
    separator: u8,
}

impl<'a> Fields<'a> {
    fn until(&mut self, separator: u8) -> &'a [u8] {
        let rest = self.data.get(self.at..).unwrap_or(&[]);
        let end = memchr::memchr(separator, rest).unwrap_or(rest.len());
        self.at += end + 1;
        &rest[..end]
    }

    fn fixed(&mut self, length: usize) -> &'a [u8] {
        let rest = self.data.get(self.at..).unwrap_or(&[]);
        let field = &rest[..length.min(rest.len())];
        self.at += field.len();
        field
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
            return self.assign_whole_array(target, fields);
        }
        if let Target::NumberRange(..) | Target::TextRange(..) = target {
            return self.assign_range(target, fields);
        }
        let field = match self.field_format(item)? {
            None => fields.next(),
            Some(FieldFormat::Until(separator)) => fields.until(separator),
            Some(FieldFormat::Fixed(length) | FieldFormat::Number(length, _)) => fields.fixed(length),
            Some(FieldFormat::Binary(length)) => {
                let value = crate::functions::binary_value(fields.fixed(length));
                return self.assign(target, Value::Number(Number::whole(value)));
            }
        };
        let value = match item.value {
            Expr::Text(_) => Value::Text(field.to_vec()),
            Expr::Number(_) => Value::Number(field_number(field)?),
        };
        self.assign(target, value)
    }

    /// A field for each element of a range.
    fn assign_range(&mut self, target: &Target, fields: &mut Fields<'_>) -> Outcome<()> {
        let count = self.range_values(Some(target))?.map_or(0, |values| values.len());
        let mut values = Vec::new();
        for _ in 0..count {
            let field = fields.next();
            values.push(match target {
                Target::TextRange(..) => Value::Text(field.to_vec()),
                _ => Value::Number(field_number(field)?),
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

    fn field_format(&mut self, item: &ListValue) -> Outcome<Option<FieldFormat>> {
        for format in &item.formats {
            let first = |machine: &mut Machine| match format.arguments.first() {
                Some(Expr::Number(expr)) => machine.whole_within(expr, 0, 65_536).map(|value| value as usize),
                _ => fail(81, "a format needs a length"),
            };
            match format.name.as_str() {
                "CHR" => return Ok(Some(FieldFormat::Fixed(first(self)?))),
                "BIN" | "DEC" => return Ok(Some(FieldFormat::Binary(first(self)?.min(8)))),
                "NUM" => {
                    let length = first(self)?;
                    let decimals = match format.arguments.get(1) {
                        Some(Expr::Number(expr)) => Some(self.whole_within(expr, 0, 18)? as i32),
                        _ => None,
                    };
                    return Ok(Some(FieldFormat::Number(length, decimals)));
                }
                "STR" | "SEP" => match format.arguments.first() {
                    Some(Expr::Text(expr)) => {
                        let text = self.text_value(expr)?;
                        return Ok(text.first().map(|byte| FieldFormat::Until(*byte)));
                    }
                    _ => return fail(81, "a format needs a separator"),
                },
                _ => {}
            }
        }
        Ok(None)
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

    fn write_item(&mut self, item: &ListValue, separator: u8, out: &mut Vec<u8>) -> Outcome<()> {
        if let Some(values) = self.range_values(item.target.as_ref())? {
            for value in &values {
                match value {
                    Value::Number(number) => crate::number_text::write(out, *number, false),
                    Value::Text(text) => out.extend_from_slice(text),
                }
                out.push(separator);
            }
            return Ok(());
        }
        let start = out.len();
        match (&item.value, &item.mask) {
            (Expr::Number(expr), None) => {
                let value = self.number(expr)?;
                let value = self.round_step(value, rounding::FILE);
                crate::number_text::write(out, value, false);
            }
            (Expr::Text(expr), None) => self.text(expr, out)?,
            (value, Some(mask)) => self.masked(value, mask, out)?,
        }
        match self.field_format(item)? {
            None => out.push(separator),
            Some(FieldFormat::Until(separator)) => out.push(separator),
            Some(FieldFormat::Fixed(length)) => out.resize(start + length, b' '),
            Some(FieldFormat::Number(length, decimals)) => {
                let text = out.split_off(start);
                let value = field_number(&text)?.rounded(decimals.unwrap_or(18));
                let mut text = Vec::new();
                crate::number_text::write(&mut text, value, false);
                if text.len() > length {
                    return fail(43, "the number is longer than its field");
                }
                out.resize(start + length - text.len(), b' ');
                out.extend_from_slice(&text);
            }
            Some(FieldFormat::Binary(length)) => {
                let text = out.split_off(start);
                let value = field_number(&text)?.as_whole().ok_or_else(|| Fault::new(41))?;
                out.extend_from_slice(&value.to_be_bytes()[8 - length..]);
            }
        }
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

/// How a field is delimited in a record.
enum FieldFormat {
    /// By a separator of its own.
    Until(u8),
    /// By its length.
    Fixed(usize),
    /// A number of so many characters, with so many decimals.
    Number(usize, Option<i32>),
    /// A whole number of so many bytes.
    Binary(usize),
}
