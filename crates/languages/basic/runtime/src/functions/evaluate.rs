//! Functions of both types, of arrays, and of text that is an expression.

use crate::code::{Argument, Call, Expr, Op, VariableRef};
use crate::fault::{Outcome, fail};
use crate::machine::{Machine, Value};
use crate::number::Number;

/// TBL(n, ..): the n-th of the values behind it, from 0. Error 41 for no such value.
fn chosen<'a>(machine: &mut Machine, call: &'a Call) -> Outcome<&'a Argument> {
    let index = call.whole(machine, 0)?;
    let argument = usize::try_from(index).ok().and_then(|index| call.arguments.get(index + 1));
    match argument {
        Some(argument) => Ok(argument),
        None => fail(41, format!("TBL has no value {index}")),
    }
}

pub(super) fn tbl_number(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    match &chosen(machine, call)?.value {
        Some(Expr::Number(expr)) => machine.number(expr),
        _ => fail(26, "TBL"),
    }
}

pub(super) fn tbl_text(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if !call.is_text(0) {
        return match &chosen(machine, call)?.value {
            Some(Expr::Text(expr)) => machine.text(expr, out),
            _ => fail(26, "TBL"),
        };
    }
    let mut text = call.text(machine, 0)?;
    match (call.has(1), call.has(2)) {
        (true, true) => {
            let (from, to) = (call.text(machine, 1)?, call.text(machine, 2)?);
            for byte in &mut text {
                if let Some(new) = from.iter().position(|known| known == byte).and_then(|at| to.get(at)) {
                    *byte = *new;
                }
            }
        }
        (true, false) => {
            let table = call.text(machine, 1)?;
            crate::machine::apply_table(&table, &mut text);
        }
        _ => match call.options.table {
            Some(line) => machine.translate(line, &mut text)?,
            None => return fail(45, "TBL needs a table"),
        },
    }
    out.extend_from_slice(&text);
    Ok(())
}

/// TRY(value, other): the other one if the first raises an error.
pub(super) fn try_number(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    match call.number(machine, 0) {
        Err(fault) if !fault.is_final => call.number(machine, 1),
        result => result,
    }
}

pub(super) fn try_text(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = match call.text(machine, 0) {
        Err(fault) if !fault.is_final => call.text(machine, 1)?,
        result => result?,
    };
    out.extend_from_slice(&text);
    Ok(())
}

/// CSE: which of the values is the first one; 0 for none.
pub(super) fn cse(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let value = call.value(machine, 0)?;
    for index in 1..call.arguments.len() {
        if call.value(machine, index)? == value {
            return Ok(Number::whole(index as i64));
        }
    }
    Ok(Number::ZERO)
}

/// DIM(READ NUM(A)), MIN and MAX: elements and bounds of an array.
pub(super) fn dim_number(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let dimension = if call.has(1) { call.within(machine, 1, 1, 3)? as usize } else { 1 };
    let Some(variable) = call.arguments.first().and_then(|argument| argument.variable) else {
        return fail(42, "DIM needs an array");
    };
    let Some((bounds, count)) = machine.array_bounds(variable) else { return fail(42, "the array is not dimensioned") };
    let (low, high) = bounds[dimension - 1];
    match call.words.get(1).map(String::as_str) {
        Some("NUM") if call.has(1) => Ok(Number::whole(high - low + 1)),
        Some("NUM") => Ok(Number::whole(count as i64)),
        Some("MIN") => Ok(Number::whole(low)),
        Some("MAX") => Ok(Number::whole(high)),
        _ => fail(99, "this form of DIM( )"),
    }
}

impl Machine {
    /// Bounds of an array, and the number of its elements.
    fn array_bounds(&mut self, variable: VariableRef) -> Option<([(i64, i64); 3], usize)> {
        let slot = self.slot_of(variable);
        let (level, slot) = self.level_of(slot);
        match variable {
            VariableRef::Numbers(_) => {
                level.number_arrays[slot].as_ref().map(|array| (array.bounds, array.elements.len()))
            }
            VariableRef::Texts(_) => level.text_arrays[slot].as_ref().map(|array| (array.bounds, array.elements.len())),
            _ => None,
        }
    }

    /// The value of text that is an expression, as the program has its variables.
    fn evaluate(&mut self, source: &[u8], is_text: bool) -> Outcome<Value> {
        let mut statement = if is_text { b"Z9_$=".to_vec() } else { b"Z9_=".to_vec() };
        statement.extend_from_slice(source);
        let program = self.compile_text(&statement)?;
        if program.ops.len() != 1 {
            return fail(20, "an expression is needed");
        }
        self.in_text(&program, |machine| match program.ops.first() {
            Some(Op::SetNumber(_, _, value)) => machine.number(value).map(Value::Number),
            Some(Op::SetText(_, value)) => machine.text_value(value).map(Value::Text),
            Some(Op::Raise(code, text)) => fail(*code, text.to_string()),
            _ => fail(20, "an expression is needed"),
        })
    }
}

/// EVN: text as a numeric expression.
pub(super) fn evn(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let source = call.text(machine, 0)?;
    match machine.evaluate(&source, false)? {
        Value::Number(number) => Ok(number),
        Value::Text(_) => fail(26, "EVN"),
    }
}

/// EVS: text as a string expression.
pub(super) fn evs(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let source = call.text(machine, 0)?;
    match machine.evaluate(&source, true)? {
        Value::Text(text) => out.extend_from_slice(&text),
        Value::Number(_) => return fail(26, "EVS"),
    }
    Ok(())
}

/// Names of variables have letters, digits, `_`, `.`, `%`, `$`, and subscripts.
pub(crate) fn variable_name(name: &[u8]) -> Outcome<()> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.%$[](), ".contains(byte);
    let begins = name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"_%".contains(byte));
    match begins && name.iter().all(is_name) {
        true => Ok(()),
        false => fail(23, String::from_utf8_lossy(name).into_owned()),
    }
}

/// VIN: the value of the numeric variable of this name.
pub(super) fn vin(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let name = call.text(machine, 0)?;
    variable_name(&name)?;
    match machine.evaluate(&name, false)? {
        Value::Number(number) => Ok(number),
        Value::Text(_) => fail(26, "VIN"),
    }
}

/// VIS: the value of the string variable of this name.
pub(super) fn vis(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let name = call.text(machine, 0)?;
    variable_name(&name)?;
    match machine.evaluate(&name, true)? {
        Value::Text(text) => out.extend_from_slice(&text),
        Value::Number(_) => return fail(26, "VIS"),
    }
    Ok(())
}
