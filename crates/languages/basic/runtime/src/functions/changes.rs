//! CHG( ): the variables whose values have changed (manual, `functions/chg.md`).
//!
//! A value counts as changed if it differs from the one at the last CHG( ) of the same level, or from the value of a new variable if there
//! was none. Assignments cost nothing for it.

use super::evaluate::variable_name;
use crate::code::Call;
use crate::fault::{Outcome, fail};
use crate::machine::{Machine, Value};
use crate::number::Number;

/// The most variables whose values are kept.
const VARIABLES: usize = 10_000;

/// CHG("A,B$"): those that have changed, with commas between them; CHG(READ ..) leaves them changed.
pub(super) fn chg(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let reads = call.words.first().is_some_and(|word| word == "READ");
    let names = call.text(machine, 0)?;
    let mut changed = Vec::new();
    for name in names.split(|byte| *byte == b',') {
        let name = name.trim_ascii().to_ascii_uppercase();
        if name.is_empty() {
            continue;
        }
        variable_name(&name)?;
        let is_text = name.contains(&b'$');
        let value = machine.evaluate(&name, is_text)?;
        let key = (machine.level(), name);
        let is_changed = match machine.noted.get(&key) {
            Some(noted) => *noted != value,
            None => value != if is_text { Value::Text(Vec::new()) } else { Value::Number(Number::ZERO) },
        };
        if is_changed {
            changed.push(key.1.clone());
        }
        if is_changed && !reads {
            if machine.noted.len() >= VARIABLES {
                return fail(31, "too many variables for CHG( )");
            }
            machine.charge(key.1.len() + machine.display_bytes(&value).len())?;
            machine.noted.insert(key, value);
        }
    }
    out.extend_from_slice(&changed.join(&b','));
    Ok(())
}

/// Forgets the values of a level, and of those that it has called, when its variables are gone.
pub(crate) fn forget_values(machine: &mut Machine, level: i64) {
    if !machine.noted.is_empty() {
        machine.noted.retain(|(noted, _), _| *noted < level);
    }
}
