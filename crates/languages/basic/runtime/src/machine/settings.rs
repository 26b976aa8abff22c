//! Settings of a session: parameters, precision, BEGIN and RESET, and directives that change nothing else.

use super::Machine;
use crate::code::*;
use crate::fault::{Fault, Outcome};
use crate::mask::Signs;
use crate::number::Number;
use std::collections::HashMap;
use std::time::Duration;

/// System parameters (SET_PARAM). Those that change what the machine does often are kept apart.
#[derive(Clone, Debug)]
pub struct Parameters {
    values: HashMap<String, i64>,
    /// 'DP', 'TH', 'CU'.
    pub signs: Signs,
    /// 'LZ': no zero before the point of a fraction.
    pub hides_zero: bool,
    /// 'NR': quotients are not rounded.
    pub keeps_quotients: bool,
    /// 'D0': a division by zero gives 0.
    pub divides_by_zero: bool,
    /// '47': sub-strings outside of a string are cut.
    pub relaxes_substrings: bool,
    /// 'FI': a number that a mask has no room for is written without it.
    pub ignores_masks: bool,
    /// 'XF': channels to 65000.
    pub extended_files: bool,
    /// 'PD': PRECISION at the beginning.
    pub precision: i32,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            values: HashMap::new(),
            signs: Signs::DEFAULT,
            hides_zero: false,
            keeps_quotients: false,
            divides_by_zero: false,
            relaxes_substrings: false,
            ignores_masks: false,
            extended_files: false,
            precision: 2,
        }
    }
}

impl Parameters {
    /// The value of a parameter; 0 if it was never set.
    pub fn get(&self, name: &str) -> i64 {
        match name {
            "DP" => self.signs.point.into(),
            "TH" => self.signs.thousands.into(),
            "CU" => self.signs.currency.into(),
            "PD" => self.precision.into(),
            "BY" => self.values.get(name).copied().unwrap_or(1970),
            _ => self.values.get(name).copied().unwrap_or(0),
        }
    }

    /// Names and values of what was set, sorted.
    pub fn list(&self) -> Vec<(String, i64)> {
        let mut list: Vec<_> = self.values.iter().map(|(name, value)| (name.clone(), *value)).collect();
        list.sort();
        list
    }

    fn set(&mut self, name: &str, value: i64) {
        let on = value != 0;
        match name {
            "DP" => self.signs.point = value as u8,
            "TH" => self.signs.thousands = value as u8,
            "CU" => self.signs.currency = value as u8,
            "LZ" => self.hides_zero = on,
            "NR" => self.keeps_quotients = on,
            "D0" => self.divides_by_zero = on,
            "47" => self.relaxes_substrings = on,
            "FI" => self.ignores_masks = on,
            "XF" => self.extended_files = on,
            "PD" => self.precision = value.clamp(-1, 18) as i32,
            _ => {}
        }
        self.values.insert(name.to_owned(), value);
    }
}

impl Machine {
    pub(super) fn execute_setting(&mut self, op: &Op) -> Outcome<()> {
        match op {
            Op::Precision(value) => self.precision = self.whole_within(value, -1, 18)? as i32,
            Op::Round(on) => self.rounds = *on,
            Op::Randomize(seed) => {
                let seed = match seed {
                    Some(seed) => self.number(seed)?,
                    None => Number::whole(self.host.monotonic().subsec_nanos().into()),
                };
                self.seed(seed);
            }
            Op::Wait(time) => self.wait(time)?,
            Op::Begin(all) => self.begin(*all),
            Op::Reset => self.reset(),
            Op::SetParam(list) => {
                for (name, value) in list {
                    self.set_param(name, value.as_ref())?;
                }
            }
            Op::Prefix(number, rules) => {
                let number = match number {
                    Some(number) => self.whole_within(number, 0, 34)?,
                    None => 0,
                };
                let rules = match rules {
                    Some(rules) => self.text_value(rules)?,
                    None => Vec::new(),
                };
                self.prefixes.insert(number, rules);
            }
            Op::DayFormat(layout) => self.day_format = self.text_value(layout)?,
            Op::MsgBox(values, answer) => self.message_box(values, answer.as_deref())?,
            _ => return Err(Fault::new(120)),
        }
        Ok(())
    }

    fn wait(&mut self, time: &NumberExpr) -> Outcome<()> {
        let seconds = self.number(time)?.to_float();
        if !(0.0..=86_400.0).contains(&seconds) {
            return Err(Fault::with(41, "WAIT takes 0 to 86400 seconds"));
        }
        self.host.flush()?;
        match seconds > 0.0 {
            true => self.host.wait(Duration::from_secs_f64(seconds)),
            false => Ok(()),
        }
    }

    fn set_param(&mut self, name: &str, value: Option<&Expr>) -> Outcome<()> {
        let value = match value {
            None => 1,
            Some(Expr::Number(expr)) => self.whole(expr)?,
            Some(Expr::Text(expr)) => {
                let text = self.text_value(expr)?;
                i64::from(text.first().copied().unwrap_or(0))
            }
        };
        self.parameters.set(&name.to_ascii_uppercase(), value);
        Ok(())
    }

    fn message_box(&mut self, values: &[Expr], answer: Option<&Target>) -> Outcome<()> {
        let mut texts = Vec::new();
        for value in values {
            let value = self.value(value)?;
            texts.push(self.display(&value));
        }
        let part = |index: usize| texts.get(index).map_or("", String::as_str);
        self.host.flush()?;
        let chosen = self.host.message_box(part(0), part(1), part(2))?;
        match answer {
            Some(target) => self.assign(target, super::Value::Text(chosen.into_bytes())),
            None => Ok(()),
        }
    }

    /// BEGIN: closes channels, clears variables and everything that RESET resets. With `*` globals, too.
    fn begin(&mut self, all: bool) {
        self.close_local_channels();
        self.variables.clear();
        if all {
            self.close_all_channels();
            self.globals.clear();
        }
        self.reset();
    }

    /// RESET: loops, DATA, errors, precision.
    fn reset(&mut self) {
        while !self.frame.stack.is_empty() {
            self.drop_top();
        }
        self.frame.data = 0;
        self.frame.handler = None;
        self.frame.handling = false;
        self.reset_state();
    }

    /// The part that CLEAR, END, LOAD and RUN reset as well.
    pub(super) fn reset_state(&mut self) {
        self.precision = self.parameters.precision;
        self.rounds = true;
        self.error = 0;
        self.error_line = 0;
        self.error_place = None;
        self.ctl = 0;
        self.frame.retry = None;
    }

    /// Makes random numbers repeatable.
    pub(crate) fn seed(&mut self, seed: Number) {
        let digits = seed.digits() as u64 ^ (seed.scale() as u64) << 56;
        self.random = digits.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
        self.next_random();
    }

    /// 64 random bits: a splitmix generator.
    pub(crate) fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.random;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ bits >> 31
    }

    /// A value as a person reads it.
    pub(crate) fn display(&self, value: &super::Value) -> String {
        match value {
            super::Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
            super::Value::Number(number) => {
                let mut out = Vec::new();
                self.write_number(&mut out, *number);
                String::from_utf8_lossy(&out).into_owned()
            }
        }
    }

    /// A number as STR( ) writes it: rounded to the precision.
    pub(crate) fn write_number(&self, out: &mut Vec<u8>, value: Number) {
        crate::number_text::write(out, self.shown(value), self.parameters.hides_zero);
    }

    /// A number rounded for output. One that needs an exponent is not rounded.
    pub(crate) fn shown(&self, value: Number) -> Number {
        match self.precision >= 0 && !crate::number_text::is_tiny(value) {
            true => value.rounded(self.precision),
            false => value,
        }
    }
}
