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
    /// 'RN': where numbers are rounded; a sum of [`rounding`].
    rounding: i64,
    /// 'RS': values of masks are rounded.
    pub rounds_values: bool,
    /// 'WT': seconds to wait for records and files that are busy.
    pub busy_retries: i64,
    /// 'XI': records that others have extracted can be read.
    pub ignores_locks: bool,
    /// 'FX': records are extracted before they are replaced.
    pub needs_extract: bool,
    /// 'SB': channels of the session keep each other from extracted records.
    pub blocks_itself: bool,
}

/// The places of parameter 'RN'.
pub(crate) mod rounding {
    /// Assignments.
    pub const ASSIGNMENT: i64 = 1;
    /// Sums and differences.
    pub const SUM: i64 = 2;
    /// Products, quotients, powers and remainders.
    pub const PRODUCT: i64 = 4;
    /// Mathematical functions.
    pub const FUNCTION: i64 = 8;
    /// All intermediate values.
    pub const STEP: i64 = 64;
    /// Numbers that are written to files.
    pub const FILE: i64 = 128;
    /// Values of whole expressions.
    pub const EXPRESSION: i64 = 256;
    /// Operands of comparisons.
    pub const COMPARISON: i64 = 512;
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
            rounding: rounding::ASSIGNMENT,
            rounds_values: false,
            busy_retries: 2,
            ignores_locks: false,
            needs_extract: false,
            blocks_itself: true,
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
            "RN" => self.rounding,
            "WT" => self.busy_retries,
            "SB" => self.blocks_itself.into(),
            "FP" => 0,
            "BY" => self.values.get(name).copied().unwrap_or(1970),
            _ => self.values.get(name).copied().unwrap_or(0),
        }
    }

    /// Numbers are rounded there.
    #[inline]
    pub(crate) fn rounds(&self, place: i64) -> bool {
        self.rounding & place != 0
    }

    /// Numbers are rounded elsewhere than in assignments.
    #[inline]
    pub(crate) fn rounds_steps(&self) -> bool {
        self.rounding & !rounding::ASSIGNMENT != 0
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
            "RN" => self.rounding = value,
            "RS" => self.rounds_values = on,
            "WT" => self.busy_retries = value.clamp(0, 32_767),
            "XI" => self.ignores_locks = on,
            "FX" => self.needs_extract = on,
            "SB" => self.blocks_itself = on,
            _ => {}
        }
        self.values.insert(name.to_owned(), value);
    }
}

impl Machine {
    pub(super) fn execute_setting(&mut self, op: &Op) -> Outcome<()> {
        match op {
            Op::Precision(value) => {
                self.precision = self.whole_within(value, -1, 18)? as i32;
                self.kept_precision = self.precision;
            }
            Op::FloatingPoint => {
                if self.precision >= 0 {
                    self.kept_precision = self.precision;
                }
                self.precision = -1;
            }
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
        self.commit_updates("FC")?;
        super::session::transaction(self, mainstay_basic_files::TransactionVerb::Idle)?;
        match seconds > 0.0 {
            true => {
                let waited = self.host.wait(Duration::from_secs_f64(seconds));
                self.waited(waited)
            }
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
        let chosen = self.host.message_box(part(0), part(1), part(2));
        let chosen = self.waited(chosen)?;
        match answer {
            Some(target) => self.assign(target, super::Value::Text(mainstay_code_page::encode(&chosen).into_owned())),
            None => Ok(()),
        }
    }

    /// BEGIN: closes channels, clears variables and everything that RESET resets. With `*` globals, too.
    fn begin(&mut self, all: bool) {
        self.close_local_channels();
        self.variables.clear();
        let level = self.level();
        crate::functions::forget_values(self, level);
        if all {
            self.close_all_channels();
            self.globals.clear();
        }
        self.reset();
    }

    /// RESET: loops, DATA, errors, precision.
    pub(super) fn reset(&mut self) {
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

    /// A number rounded as parameter 'RN' asks for at a place.
    #[inline]
    pub(crate) fn round_step(&self, value: Number, place: i64) -> Number {
        match self.parameters.rounds_steps() && self.precision >= 0 && self.parameters.rounds(place) {
            true => value.rounded(self.precision),
            false => value,
        }
    }

    /// A value as a person reads it.
    pub(crate) fn display(&self, value: &super::Value) -> String {
        match value {
            super::Value::Text(text) => mainstay_code_page::decode(text).into_owned(),
            super::Value::Number(number) => {
                let mut out = Vec::new();
                self.write_number(&mut out, *number);
                mainstay_code_page::decode(&out).into_owned()
            }
        }
    }

    /// A value as bytes of text.
    pub(crate) fn display_bytes(&self, value: &super::Value) -> Vec<u8> {
        match value {
            super::Value::Text(text) => text.clone(),
            number => self.display(number).into_bytes(),
        }
    }

    /// A number as PRINT and STR( ) write it, without its sign column.
    pub(crate) fn write_number(&self, out: &mut Vec<u8>, value: Number) {
        match self.precision < 0 {
            true => crate::number_text::write_scientific(out, value),
            false => crate::number_text::write(out, value, self.parameters.hides_zero),
        }
    }

    /// A number rounded to PRECISION, as parameter 'RS' asks for before masks, STR( ) and functions of a program.
    pub(crate) fn rounded_value(&self, value: Number) -> Number {
        match self.parameters.rounds_values && self.precision >= 0 {
            true => value.rounded(self.precision),
            false => value,
        }
    }

    /// The result of a mathematical function, which has as many decimals as PRECISION says unless ROUND is off (manual,
    /// `functions/log.md` and others).
    pub(crate) fn function_result(&self, value: Number) -> Number {
        match self.rounds && self.precision >= 0 {
            true => value.rounded(self.precision),
            false => value,
        }
    }
}
