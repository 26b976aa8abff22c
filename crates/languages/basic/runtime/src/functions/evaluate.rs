//! Functions of both types, of arrays, and of text that is an expression.

use crate::code::{Argument, Call, Expr, Op, VariableRef};
use crate::fault::{Outcome, fail};
use crate::machine::{Machine, Value, run_inline};
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

/// XEQ(program$, value, arguments..): the value after the program has run.
pub(super) fn xeq_number(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    run_inline(machine, call)?;
    call.number(machine, 1)
}

pub(super) fn xeq_text(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    run_inline(machine, call)?;
    let text = call.text(machine, 1)?;
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

/// DIM(READ NUM(A)), MIN and MAX: elements and bounds of an array; DIM(FIND ..) and DIM(ADD A): its elements.
pub(super) fn dim_number(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    match call.words.first().map(String::as_str) {
        Some("FIND") if call.words.len() > 1 => return find_extreme(machine, call),
        Some("FIND") => return find_element(machine, call),
        Some("ADD") => return total(machine, call),
        Some("INDEX" | "DROP") => return keyword_place(machine, call),
        _ => {}
    }
    let dimension = if call.has(1) { call.within(machine, 1, 1, 3)? as usize } else { 1 };
    let Some(variable) = call.arguments.first().and_then(|argument| argument.variable) else {
        return fail(42, "DIM needs an array");
    };
    let Some((bounds, count)) = machine.array_bounds(variable) else {
        // A name that is no array has no elements; its greatest subscript is -1.
        let is_max = call.words.get(1).is_some_and(|word| word == "MAX");
        return Ok(if is_max { Number::ONE.negated() } else { Number::ZERO });
    };
    let (low, high) = bounds[dimension - 1];
    match call.words.get(1).map(String::as_str) {
        Some("NUM") if call.has(1) => Ok(Number::whole(high - low + 1)),
        Some("NUM") => Ok(Number::whole(count as i64)),
        Some("MIN") => Ok(Number::whole(low)),
        Some("MAX") => Ok(Number::whole(high)),
        _ => fail(99, "this form of DIM( )"),
    }
}

/// The elements of the array of DIM( ), and its lowest subscript. Error 42 for an array that is not dimensioned.
fn elements(machine: &mut Machine, call: &Call) -> Outcome<(Vec<Value>, i64)> {
    let Some(variable) = call.arguments.first().and_then(|argument| argument.variable) else {
        return fail(42, "DIM needs an array");
    };
    let Some((bounds, _)) = machine.array_bounds(variable) else { return fail(42, "the array is not dimensioned") };
    Ok((machine.array_values(variable)?, bounds[0].0))
}

fn subscript(low: i64, at: usize) -> Outcome<Number> {
    Ok(Number::whole(low + at as i64))
}

/// DIM(FIND MAX(A)), MIN: the subscript of the first greatest or least element. Error 11 for an array without any.
fn find_extreme(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let (values, low) = elements(machine, call)?;
    let is_max = call.words[1] == "MAX";
    let mut best = 0;
    for (at, value) in values.iter().enumerate() {
        let order = order_of(value, &values[best])?;
        if order.is_gt() && is_max || order.is_lt() && !is_max {
            best = at;
        }
    }
    match values.is_empty() {
        true => fail(11, "the array has no elements"),
        false => subscript(low, best),
    }
}

/// DIM(FIND A=value): the subscript of the first element for which the comparison holds. Error 11 for none.
fn find_element(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let (values, low) = elements(machine, call)?;
    let wanted = call.value(machine, 1)?;
    for (at, value) in values.iter().enumerate() {
        let order = order_of(value, &wanted)?;
        let holds = match call.relation {
            "=" => order.is_eq(),
            "<>" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        };
        if holds {
            return subscript(low, at);
        }
    }
    fail(11, "no element is found")
}

fn order_of(left: &Value, right: &Value) -> Outcome<std::cmp::Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => Ok(left.cmp(right)),
        _ => fail(26, "DIM"),
    }
}

/// DIM(INDEX A["key"]): the subscript of a keyword, 0 for none. DROP takes the keyword away from its element, too.
fn keyword_place(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let keyword = call.text(machine, 1)?;
    let Some(variable) = call.arguments[0].variable else { return fail(42, "DIM needs an array") };
    let keywords = machine.keywords(variable);
    let place = keywords.and_then(|keywords| match call.words[0] == "DROP" {
        true => keywords.forget(&keyword),
        false => keywords.place(&keyword),
    });
    Ok(Number::whole(place.map_or(0, |place| place as i64 + 1)))
}

/// DIM(KEY A[n]): the keyword of an element. Error 11 for none.
pub(super) fn keyword(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let index = call.whole(machine, 1)?;
    let Some(variable) = call.arguments[0].variable else { return fail(42, "DIM needs an array") };
    let place = usize::try_from(index - 1).ok();
    let keywords = machine.keywords(variable);
    match place.and_then(|place| keywords?.name(place)) {
        Some(name) => out.extend_from_slice(name),
        None => return fail(11, format!("element {index} has no keyword")),
    }
    Ok(())
}

/// DIM(LIST A${ALL}): the elements as JSON text.
pub(super) fn json(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let Some(variable) = call.arguments.first().and_then(|argument| argument.variable) else {
        return fail(42, "DIM needs an array");
    };
    let has = |word: &str| call.words.iter().any(|known| known == word);
    machine.json_of(variable, has("SORT"), has("EDIT"), out)
}

/// DIM(ADD A): the sum of all elements.
fn total(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let (values, _) = elements(machine, call)?;
    let mut sum = Number::ZERO;
    for value in &values {
        match value {
            Value::Number(number) => sum = sum.add(*number)?,
            Value::Text(_) => return fail(26, "DIM(ADD ..) needs an array of numbers"),
        }
    }
    Ok(sum)
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
    pub(super) fn evaluate(&mut self, source: &[u8], is_text: bool) -> Outcome<Value> {
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

/// EVN: text as a numeric expression, or behind `=` the expression itself. The second argument is the value for an
/// error at run time; an error of syntax stays one.
pub(super) fn evn(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    match evaluated_number(machine, call) {
        Err(fault) if call.has(1) && !fault.is_final && fault.code != 20 => call.number(machine, 1),
        result => result,
    }
}

fn is_expression(call: &Call) -> bool {
    call.arguments.first().is_some_and(|argument| argument.prefix == Some('='))
}

fn evaluated_number(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    if is_expression(call) {
        return call.number(machine, 0);
    }
    let source = call.text(machine, 0)?;
    match machine.evaluate(&source, false)? {
        Value::Number(number) => Ok(number),
        Value::Text(_) => fail(26, "EVN"),
    }
}

/// EVS: as EVN, for a string expression.
pub(super) fn evs(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = match evaluated_text(machine, call) {
        Err(fault) if call.has(1) && !fault.is_final && fault.code != 20 => call.text(machine, 1)?,
        result => result?,
    };
    out.extend_from_slice(&text);
    Ok(())
}

fn evaluated_text(machine: &mut Machine, call: &Call) -> Outcome<Vec<u8>> {
    if is_expression(call) {
        return call.text(machine, 0);
    }
    let source = call.text(machine, 0)?;
    match machine.evaluate(&source, true)? {
        Value::Text(text) => Ok(text),
        Value::Number(_) => fail(26, "EVS"),
    }
}

/// Names of variables have letters, digits, `_`, `.`, `%`, `$`, and subscripts.
pub(crate) fn variable_name(name: &[u8]) -> Outcome<()> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.%$[](), ".contains(byte);
    let begins = name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"_%".contains(byte));
    match begins && name.iter().all(is_name) {
        true => Ok(()),
        false => fail(23, mainstay_code_page::decode(name).into_owned()),
    }
}

/// The name that VIS and VIN get; behind a composite or structured string that of a variable of it.
fn named(machine: &mut Machine, call: &Call, is_text: bool) -> Outcome<Vec<u8>> {
    if !call.has(1) {
        let name = call.text(machine, 0)?;
        variable_name(&name)?;
        return Ok(name);
    }
    let Some(VariableRef::Text(string)) = call.arguments.first().and_then(|argument| argument.variable) else {
        return fail(26, call.name);
    };
    let mut name = call.text(machine, 1)?;
    if is_text && !name.contains(&b'$') {
        let at = name.iter().position(|byte| *byte == b'[').unwrap_or(name.len());
        name.insert(at, b'$');
    }
    crate::machine::structure::elements::component_name(machine, string, &name)
}

/// VIN: the value of the numeric variable of this name.
pub(super) fn vin(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let name = named(machine, call, false)?;
    match machine.evaluate(&name, false)? {
        Value::Number(number) => Ok(number),
        Value::Text(_) => fail(26, "VIN"),
    }
}

/// VIS: the value of the string variable of this name.
pub(super) fn vis(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let name = named(machine, call, true)?;
    match machine.evaluate(&name, true)? {
        Value::Text(text) => out.extend_from_slice(&text),
        Value::Number(_) => return fail(26, "VIS"),
    }
    Ok(())
}
