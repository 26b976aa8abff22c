//! Parts of functions that change the session: programs that XEQ( ) runs, and variables that XML( ) gives values to.

use super::state::Passed;
use super::{FrameKind, Machine, Value};
use crate::code::{Call, NumberExpr, TextExpr, VariableRef};
use crate::fault::{Outcome, fail};
use crate::number::Number;

/// How deep functions may be nested that run programs.
const NESTING: usize = 100;

/// Runs the program of XEQ( ): as CALL with the arguments behind the value, or as PERFORM for `*`.
///
/// Errors: 12 for a missing program, 25 for nesting, and those of the program that nothing in it takes.
pub(crate) fn run_inline(machine: &mut Machine, call: &Call) -> Outcome<()> {
    if machine.functions >= NESTING {
        return fail(25, "functions are nested too deeply");
    }
    let name = mainstay_code_page::decode(&call.text(machine, 0)?).into_owned();
    let (program, pc) = machine.load_entry(&name)?;
    let behind = call.arguments.get(2..).unwrap_or_default();
    if let [only] = behind
        && only.prefix == Some('*')
    {
        machine.push_frame(program, FrameKind::Perform, pc)?;
    } else {
        let mut arguments = Vec::new();
        for (index, argument) in behind.iter().enumerate() {
            arguments.push(match argument.variable {
                Some(variable) => {
                    let bytes = super::memory::variable_bytes(machine, variable);
                    machine.charge(bytes)?;
                    (machine.read_variable(variable), Some(variable))
                }
                None => (Passed::Value(call.value(machine, index + 2)?), None),
            });
        }
        machine.begin_call(program, pc, arguments)?;
    }
    let depth = machine.frames.len();
    machine.functions += 1;
    let run = machine.run(depth);
    machine.functions -= 1;
    match run {
        Ok(_) => Ok(()),
        Err(fault) => {
            if machine.frames.len() >= depth && !fault.is_final {
                machine.pop_frame();
            }
            Err(fault)
        }
    }
}

/// Gives a string variable that stands alone a value. Error 23 for another expression.
pub(crate) fn set_text_variable(machine: &mut Machine, variable: &TextExpr, value: Vec<u8>) -> Outcome<()> {
    match variable {
        TextExpr::Variable(symbol) => {
            machine.charge(value.len())?;
            machine.write_variable(VariableRef::Text(*symbol), Passed::Value(Value::Text(value)))
        }
        _ => fail(23, "a string variable is needed"),
    }
}

/// The same for a number.
pub(crate) fn set_number_variable(machine: &mut Machine, variable: &NumberExpr, value: Number) -> Outcome<()> {
    match variable {
        NumberExpr::Variable(symbol) => {
            machine.write_variable(VariableRef::Number(*symbol, false), Passed::Value(Value::Number(value)))
        }
        _ => fail(23, "a numeric variable is needed"),
    }
}
