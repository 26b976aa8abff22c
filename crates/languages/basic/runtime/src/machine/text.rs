//! Expressions that give strings.

use super::array::text_element;
use super::number::with_branch;
use super::{Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use crate::link::GLOBAL;
use crate::screen;
use mainstay_screen::mnemonic::Argument;

impl Machine {
    /// The value of a string.
    #[inline]
    pub(crate) fn get_text(&self, symbol: Symbol) -> &[u8] {
        let slot = self.frame.link.texts[symbol as usize];
        match slot & GLOBAL {
            0 => &self.variables.texts[slot as usize],
            _ => &self.globals.texts[(slot & !GLOBAL) as usize],
        }
    }

    #[inline]
    pub(crate) fn text_slot(&mut self, slot: u32) -> &mut Vec<u8> {
        match slot & GLOBAL {
            0 => &mut self.variables.texts[slot as usize],
            _ => &mut self.globals.texts[(slot & !GLOBAL) as usize],
        }
    }

    /// The value of a literal or a variable, without a copy.
    #[inline]
    pub(crate) fn peek<'a>(&'a self, expr: &'a TextExpr) -> Option<&'a [u8]> {
        match expr {
            TextExpr::Constant(text) => Some(text),
            TextExpr::Variable(symbol) => Some(self.get_text(*symbol)),
            _ => None,
        }
    }

    /// The value in a buffer of its own.
    pub(crate) fn text_value(&mut self, expr: &TextExpr) -> Outcome<Vec<u8>> {
        let mut out = self.take();
        match self.text(expr, &mut out) {
            Ok(()) => {
                super::memory::charge_temporary(self, out.len())?;
                Ok(out)
            }
            Err(fault) => {
                self.give(out);
                Err(fault)
            }
        }
    }

    /// The value as UTF-8, for names.
    pub(crate) fn name_value(&mut self, expr: &TextExpr) -> Outcome<String> {
        let value = self.text_value(expr)?;
        let name = mainstay_code_page::decode(&value).into_owned();
        self.give(value);
        Ok(name)
    }

    /// Appends the value of an expression.
    pub(crate) fn text(&mut self, expr: &TextExpr, out: &mut Vec<u8>) -> Outcome<()> {
        match expr {
            TextExpr::Constant(text) => out.extend_from_slice(text),
            TextExpr::Variable(symbol) => out.extend_from_slice(self.get_text(*symbol)),
            TextExpr::Concatenate(parts) => {
                for part in parts {
                    self.text(part, out)?;
                }
            }
            TextExpr::Call(call, function) => {
                return function(self, call, out).map_err(|fault| with_branch(fault, call));
            }
            TextExpr::Substring(part) => return self.substring(part, out),
            TextExpr::Element(symbol, indexes) => return text_element(self, *symbol, indexes, out),
            TextExpr::Field(field) => return super::structure::elements::text(self, field, out),
            TextExpr::Composite(symbol) => return self.composite(*symbol, out),
            TextExpr::Keyed(symbol, keyword) => out.extend_from_slice(self.text_by_keyword(*symbol, keyword)?),
            TextExpr::Each(symbol, bounds) => {
                let array = VariableRef::Texts(*symbol);
                let place = self.place_in_turn(array, bounds.as_deref())?;
                if let Value::Text(text) = self.array_values_at(array, place)? {
                    out.extend_from_slice(&text);
                }
            }
            TextExpr::Removed(symbol, index) => {
                if let Value::Text(text) = self.remove_element(VariableRef::Texts(*symbol), index)? {
                    out.extend_from_slice(&text);
                }
            }
            TextExpr::Repeated(parts) => {
                let text = self.text_value(&parts.0)?;
                let count = self.whole_within(&parts.1, 0, self.text_limit as i64)? as usize;
                self.check_length(out.len().saturating_add(text.len().saturating_mul(count)))?;
                (0..count).for_each(|_| out.extend_from_slice(&text));
                self.give(text);
            }
            TextExpr::User(call) => match self.call_user(call)? {
                Value::Text(text) => out.extend_from_slice(&text),
                Value::Number(_) => return fail(26, call.name.as_str()),
            },
            TextExpr::Member(member) => match self.member(member)? {
                Value::Text(text) => out.extend_from_slice(&text),
                Value::Number(_) => return fail(26, member.name.text.as_str()),
            },
            TextExpr::Mnemonic(name, arguments) => return self.mnemonic(name, arguments, out),
            TextExpr::Position(arguments) => return self.position(arguments, out),
        }
        self.check_length(out.len())
    }

    /// Error 31 for a string that is longer than a session may have.
    #[inline]
    pub(crate) fn check_length(&self, length: usize) -> Outcome<()> {
        match length <= self.text_limit {
            true => Ok(()),
            false => Err(Fault::with(31, format!("string of {length} bytes"))),
        }
    }

    fn substring(&mut self, part: &Substring, out: &mut Vec<u8>) -> Outcome<()> {
        let position = self.whole(&part.position)?;
        let length = match &part.length {
            Some(length) => Some(self.whole(length)?),
            None => None,
        };
        let relaxed = self.parameters.relaxes_substrings;
        if let Some(text) = self.peek(&part.base) {
            let (start, end) = slice(text.len(), position, length, relaxed)?;
            out.extend_from_slice(&text[start..end]);
            return Ok(());
        }
        let text = self.text_value(&part.base)?;
        let (start, end) = slice(text.len(), position, length, relaxed)?;
        out.extend_from_slice(&text[start..end]);
        self.give(text);
        Ok(())
    }

    fn mnemonic(&mut self, name: &str, arguments: &[Expr], out: &mut Vec<u8>) -> Outcome<()> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(match argument {
                Expr::Number(expr) => Argument::Number(self.number(expr)?.to_float()),
                Expr::Text(expr) => Argument::Text(self.text_value(expr)?),
            });
        }
        screen::encode_mnemonic(out, name, &values)
    }

    fn position(&mut self, arguments: &[NumberExpr], out: &mut Vec<u8>) -> Outcome<()> {
        let mut values = [0i64; 2];
        if arguments.is_empty() {
            return fail(29, "@( ) needs a column");
        }
        for (slot, argument) in values.iter_mut().zip(arguments) {
            // Controls are placed at fractions of columns; text is not.
            *slot = self.number(argument)?.truncated().as_whole().unwrap_or(-1);
            if !(0..10_000).contains(slot) {
                return fail(29, "position out of range");
            }
        }
        let line = (arguments.len() > 1).then_some(values[1] as u16);
        screen::encode_position(out, values[0] as u16, line)
    }

    /// The value of either type.
    pub(crate) fn value(&mut self, expr: &Expr) -> Outcome<Value> {
        Ok(match expr {
            Expr::Number(expr) => {
                let value = self.number(expr)?;
                Value::Number(self.round_step(value, super::settings::rounding::EXPRESSION))
            }
            Expr::Text(expr) => Value::Text(self.text_value(expr)?),
        })
    }
}

/// The bytes of a sub-string. Error 47 outside of the string, 46 for a negative length; the empty tail is allowed.
pub(super) fn slice(available: usize, position: i64, length: Option<i64>, relaxed: bool) -> Outcome<(usize, usize)> {
    let start = usize::try_from(position).ok().and_then(|position| position.checked_sub(1));
    let Some(start) = start.filter(|start| *start <= available) else {
        return if relaxed && position > 0 {
            Ok((available, available))
        } else {
            fail(47, format!("position {position}"))
        };
    };
    let Some(length) = length else { return Ok((start, available)) };
    let Ok(length) = usize::try_from(length) else { return fail(46, format!("length {length}")) };
    match start.checked_add(length) {
        Some(end) if end <= available => Ok((start, end)),
        _ if relaxed => Ok((start, available)),
        _ => fail(47, format!("{length} bytes from {position}")),
    }
}
