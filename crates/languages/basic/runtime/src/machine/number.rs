//! Expressions that give numbers.

use super::Machine;
use super::settings::rounding;
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use crate::link::GLOBAL;
use crate::number::Number;
use std::cmp::Ordering;

impl Machine {
    /// The value of a number.
    #[inline]
    pub(crate) fn get_number(&self, symbol: Symbol) -> Number {
        let slot = self.frame.link.numbers[symbol as usize];
        match slot & GLOBAL {
            0 => self.variables.numbers[slot as usize],
            _ => self.globals.numbers[(slot & !GLOBAL) as usize],
        }
    }

    #[inline]
    pub(crate) fn number_slot(&mut self, slot: u32) -> &mut Number {
        match slot & GLOBAL {
            0 => &mut self.variables.numbers[slot as usize],
            _ => &mut self.globals.numbers[(slot & !GLOBAL) as usize],
        }
    }

    /// Rounds a number as an assignment does.
    #[inline]
    pub(crate) fn assigned(&self, value: Number, whole: bool) -> Number {
        if value.scale() <= 0 {
            return value;
        }
        if whole {
            return value.truncated();
        }
        match self.rounds && self.precision >= 0 && self.parameters.rounds(rounding::ASSIGNMENT) {
            true => value.rounded(self.precision),
            false => value,
        }
    }

    /// Evaluates an expression.
    pub(crate) fn number(&mut self, expr: &NumberExpr) -> Outcome<Number> {
        match expr {
            NumberExpr::Constant(value) => Ok(*value),
            NumberExpr::Variable(symbol) => Ok(self.get_number(*symbol)),
            NumberExpr::Add(operands) => {
                let left = self.number(&operands.0)?;
                let sum = left.add(self.number(&operands.1)?)?;
                Ok(self.round_step(sum, rounding::SUM | rounding::STEP))
            }
            NumberExpr::Subtract(operands) => {
                let left = self.number(&operands.0)?;
                let difference = left.subtract(self.number(&operands.1)?)?;
                Ok(self.round_step(difference, rounding::SUM | rounding::STEP))
            }
            NumberExpr::Multiply(operands) => {
                let left = self.number(&operands.0)?;
                let product = left.multiply(self.number(&operands.1)?)?;
                Ok(self.round_step(product, rounding::PRODUCT | rounding::STEP))
            }
            NumberExpr::Compare(comparison, operands) => {
                let left = self.number(&operands.0)?;
                let right = self.number(&operands.1)?;
                let order = self.order_of(left, right);
                Ok(truth(comparison.holds(order)))
            }
            NumberExpr::CompareText(comparison, operands) => {
                let order = self.compare_texts(&operands.0, &operands.1)?;
                Ok(truth(comparison.holds(order)))
            }
            NumberExpr::And(operands) => {
                let both = self.is_true(&operands.0)? && self.is_true(&operands.1)?;
                Ok(truth(both))
            }
            NumberExpr::Or(operands) => {
                let either = self.is_true(&operands.0)? || self.is_true(&operands.1)?;
                Ok(truth(either))
            }
            NumberExpr::Call(call, function) => match function(self, call) {
                Ok(value) if self.parameters.rounds_steps() && is_mathematical(call.name) => {
                    Ok(self.round_step(value, rounding::FUNCTION | rounding::STEP))
                }
                Ok(value) => Ok(value),
                Err(fault) => Err(with_branch(fault, call)),
            },
            _ => self.other_number(expr),
        }
    }

    #[inline(never)]
    fn other_number(&mut self, expr: &NumberExpr) -> Outcome<Number> {
        match expr {
            NumberExpr::Element(symbol, indexes) => self.number_element(*symbol, indexes),
            NumberExpr::Keyed(symbol, keyword) => self.number_by_keyword(*symbol, keyword).copied(),
            NumberExpr::Each(symbol, bounds) => {
                let array = VariableRef::Numbers(*symbol);
                let place = self.place_in_turn(array, bounds.as_deref())?;
                match self.array_values_at(array, place)? {
                    super::Value::Number(number) => Ok(number),
                    super::Value::Text(_) => Err(Fault::new(26)),
                }
            }
            NumberExpr::Removed(symbol, index) => match self.remove_element(VariableRef::Numbers(*symbol), index)? {
                super::Value::Number(number) => Ok(number),
                super::Value::Text(_) => Err(Fault::new(26)),
            },
            NumberExpr::Bump(symbol, step, is_post) => self.bump(*symbol, *step, *is_post),
            NumberExpr::BumpField(field, step, is_post) => {
                super::structure::elements::bump(self, field, *step, *is_post)
            }
            NumberExpr::Divide(operands) => {
                let left = self.number(&operands.0)?;
                let right = self.number(&operands.1)?;
                let quotient = self.quotient(left, right)?;
                Ok(self.round_step(quotient, rounding::PRODUCT | rounding::STEP))
            }
            NumberExpr::Remainder(operands) => {
                let left = self.number(&operands.0)?;
                let remainder = left.remainder(self.number(&operands.1)?)?;
                Ok(self.round_step(remainder, rounding::PRODUCT | rounding::STEP))
            }
            NumberExpr::Power(operands) => {
                let left = self.number(&operands.0)?;
                let power = left.power(self.number(&operands.1)?)?;
                Ok(self.round_step(power, rounding::PRODUCT | rounding::STEP))
            }
            NumberExpr::Negate(operand) => Ok(self.number(operand)?.negated()),
            NumberExpr::Like(operands) => self.like(&operands.0, &operands.1),
            NumberExpr::Not(operand) => Ok(truth(!self.is_true(operand)?)),
            NumberExpr::Truth(text) => {
                let value = self.text_value(text)?;
                let is_true = value.iter().any(|byte| *byte != b' ');
                self.give(value);
                Ok(truth(is_true))
            }
            NumberExpr::Field(field) => super::structure::elements::number(self, field),
            NumberExpr::Member(member) => match self.member(member)? {
                super::Value::Number(number) => Ok(number),
                super::Value::Text(_) => Err(Fault::new(26)),
            },
            NumberExpr::User(call) => match self.call_user(call)? {
                super::Value::Number(number) => Ok(number),
                super::Value::Text(_) => fail(26, call.name.as_str()),
            },
            _ => fail(120, "expression"),
        }
    }

    /// The order of two numbers, rounded before as 'RN' asks for.
    #[inline]
    fn order_of(&self, left: Number, right: Number) -> Ordering {
        match self.parameters.rounds_steps() {
            true => {
                let place = rounding::COMPARISON;
                self.round_step(left, place).cmp(&self.round_step(right, place))
            }
            false => left.cmp(&right),
        }
    }

    fn bump(&mut self, symbol: Symbol, step: i8, is_post: bool) -> Outcome<Number> {
        let slot = self.frame.link.numbers[symbol as usize];
        let before = self.get_number(symbol);
        let after = before.add(Number::whole(step.into()))?;
        *self.number_slot(slot) = after;
        Ok(if is_post { before } else { after })
    }

    /// True unless it is 0.
    #[inline]
    pub(crate) fn is_true(&mut self, expr: &NumberExpr) -> Outcome<bool> {
        match expr {
            NumberExpr::Compare(comparison, operands) => {
                let left = self.number(&operands.0)?;
                let right = self.number(&operands.1)?;
                let order = self.order_of(left, right);
                Ok(comparison.holds(order))
            }
            _ => Ok(!self.number(expr)?.is_zero()),
        }
    }

    /// A quotient keeps as many decimals as PRECISION says, or as the dividend has, unless ROUND is off or 'NR'
    /// is set.
    fn quotient(&self, left: Number, right: Number) -> Outcome<Number> {
        if right.is_zero() && self.parameters.divides_by_zero {
            return Ok(Number::ZERO);
        }
        let quotient = left.divide(right)?;
        match self.precision < 0 || !self.rounds || self.parameters.keeps_quotients {
            true => Ok(quotient),
            false => Ok(quotient.rounded(self.precision.max(left.normalized().scale()))),
        }
    }

    pub(crate) fn number_element(&mut self, symbol: Symbol, indexes: &[NumberExpr]) -> Outcome<Number> {
        let (subscripts, count) = self.subscripts(indexes)?;
        let slot = self.frame.link.number_arrays[symbol as usize];
        let arrays = if slot & GLOBAL == 0 { &self.variables } else { &self.globals };
        let Some(array) = &arrays.number_arrays[(slot & !GLOBAL) as usize] else {
            return fail(42, "the array is not dimensioned");
        };
        let index = array.index(&subscripts[..count])?;
        Ok(array.elements[index])
    }

    /// The subscripts of an element.
    pub(crate) fn subscripts(&mut self, indexes: &[NumberExpr]) -> Outcome<([i64; 3], usize)> {
        let mut subscripts = [0; 3];
        for (slot, index) in subscripts.iter_mut().zip(indexes) {
            *slot = self.whole(index)?;
        }
        Ok((subscripts, indexes.len()))
    }

    /// A whole number. Error 41 for a fraction.
    pub(crate) fn whole(&mut self, expr: &NumberExpr) -> Outcome<i64> {
        let value = self.number(expr)?;
        value.as_whole().ok_or_else(|| Fault::with(41, "not a whole number"))
    }

    /// A whole number of a range. Error 41 outside of it.
    pub(crate) fn whole_within(&mut self, expr: &NumberExpr, low: i64, high: i64) -> Outcome<i64> {
        match self.whole(expr)? {
            value if (low..=high).contains(&value) => Ok(value),
            value => fail(41, format!("{value} is not within {low} and {high}")),
        }
    }

    fn compare_texts(&mut self, left: &TextExpr, right: &TextExpr) -> Outcome<Ordering> {
        if let (Some(left), Some(right)) = (self.peek(left), self.peek(right)) {
            return Ok(left.cmp(right));
        }
        let left = self.text_value(left)?;
        let right = self.text_value(right)?;
        let order = left.cmp(&right);
        self.give(left);
        self.give(right);
        Ok(order)
    }

    /// `A$ LIKE pattern`: a regular expression matches a part of the string.
    fn like(&mut self, left: &TextExpr, right: &TextExpr) -> Outcome<Number> {
        let (text, pattern) = (self.text_value(left)?, self.text_value(right)?);
        let found = self.find_pattern(&text, &pattern)?;
        self.give(text);
        self.give(pattern);
        Ok(truth(found.is_some()))
    }

    /// Where a regular expression matches first, and how many bytes. An empty one is the last one that was used.
    ///
    /// Errors: 78 for a pattern that is not valid, or too large.
    pub(crate) fn find_pattern(&mut self, text: &[u8], pattern: &[u8]) -> Outcome<Option<(usize, usize)>> {
        let regex = self.regular_expression(pattern)?;
        Ok(regex.find(text).map(|found| (found.start(), found.len())))
    }

    /// Keeps where a regular expression and its parts match; nothing if it does not.
    pub(crate) fn capture_pattern(&mut self, text: &[u8], pattern: &[u8]) -> Outcome<()> {
        let found = self.regular_expression(pattern)?.captures(text);
        let place = |part: Option<regex::bytes::Match<'_>>| part.map(|part| (part.start(), part.len()));
        let captures = found.map(|found| found.iter().map(place).collect());
        self.captures = captures.unwrap_or_default();
        Ok(())
    }

    fn regular_expression(&mut self, pattern: &[u8]) -> Outcome<&regex::bytes::Regex> {
        if !pattern.is_empty() && self.pattern.as_ref().is_none_or(|(known, _)| known != pattern) {
            let source = pattern_source(pattern);
            let regex = regex::bytes::RegexBuilder::new(&source).unicode(false).size_limit(1 << 20).build();
            let regex = regex.map_err(|_| Fault::with(78, mainstay_code_page::decode(pattern).into_owned()))?;
            self.pattern = Some((pattern.to_vec(), regex));
        }
        match &self.pattern {
            Some((_, regex)) => Ok(regex),
            None => fail(78, "there is no pattern yet"),
        }
    }
}

/// A pattern as the source of a regular expression over bytes: bytes from 80 on are escapes, because a string has one byte for
/// each character. A backslash before such a byte only says that the byte has no other meaning.
fn pattern_source(pattern: &[u8]) -> String {
    let mut source = String::with_capacity(pattern.len());
    let mut bytes = pattern.iter().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek().is_some_and(|next| next.is_ascii()) => {
                source.push('\\');
                source.extend(bytes.next().map(|next| char::from(*next)));
            }
            b'\\' if bytes.peek().is_some() => {}
            byte if byte.is_ascii() => source.push(char::from(*byte)),
            byte => source.push_str(&format!("\\x{byte:02X}")),
        }
    }
    source
}

/// The branch that an option of a function asks for.
pub(super) fn with_branch(mut fault: Box<Fault>, call: &Call) -> Box<Fault> {
    if fault.branch.is_none() && !fault.is_final {
        fault.branch = call.options.branches.of(fault.code);
    }
    fault
}

/// 1 or 0.
#[inline]
pub(crate) fn truth(value: bool) -> Number {
    if value { Number::ONE } else { Number::ZERO }
}

/// Functions whose results parameter 'RN' may round.
fn is_mathematical(name: &str) -> bool {
    matches!(
        name,
        "ACS" | "ASN" | "ATN" | "COS" | "DEG" | "EXP" | "LOG" | "MOD" | "RAD" | "RND" | "SIN" | "SQR" | "TAN"
    )
}
