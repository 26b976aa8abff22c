//! Properties of controls: the apostrophe operator behind the number of a control. Source: the manual's page
//! `control_object_properties`.

use crate::fault::{Outcome, fail};
use crate::machine::{Machine, Value};
use crate::number::Number;
use mainstay_basic_syntax::tree::{Name, NameKind};
use mainstay_screen::controls::PropertyValue;

/// The value of a property, as a string or as a number, whichever the name asks for.
pub(crate) fn control_property(machine: &mut Machine, control: i32, name: &Name) -> Outcome<Value> {
    let value = machine.screen.with(|screen| screen.property(control, &name.text))??;
    if name.kind == NameKind::Text {
        return Ok(Value::Text(value.into_text()));
    }
    match value.to_number() {
        Some(number) => Ok(Value::Number(Number::from_float(number)?)),
        None => fail(26, name.text.as_str()),
    }
}

/// Changes a property.
pub(crate) fn set_control_property(machine: &mut Machine, control: i32, name: &Name, value: Value) -> Outcome<()> {
    let value = match value {
        Value::Number(number) => PropertyValue::Number(number.to_float()),
        Value::Text(text) => PropertyValue::Text(text),
    };
    Ok(machine.screen.with(|screen| screen.set_property(control, &name.text, value))??)
}
