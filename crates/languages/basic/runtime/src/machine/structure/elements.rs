//! DIM of structured strings, and their elements.
//!
//! The structure belongs to the variable at its level, as a composite string does. `DIM A$:text` decides by its text: that of an IOLIST
//! makes a composite string, another one a structure.

use super::Structure;
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, SEPARATOR, Value};
use crate::number::Number;
use mainstay_basic_syntax::{self as syntax, print, tree};
use std::rc::Rc;

/// The delimiter of elements of `DIM A$:text`, which is that of other dialects (manual, `functions/xfa`).
const LINE_FEED: u8 = 0x0A;

/// The structure of a string.
pub(crate) fn structure_of(machine: &mut Machine, string: Symbol) -> Option<Rc<Structure>> {
    let slot = machine.frame.link.texts[string as usize];
    let (level, _) = machine.level_of(slot);
    level.structures.get(&slot).cloned()
}

/// True if the text of `DIM A$:text` is that of an IOLIST. `IOLIST:C(5)` and `IOLIST2:C(5)` are structures.
pub(crate) fn is_list_text(text: &[u8]) -> bool {
    let Some((word, rest)) = without_number(text).split_at_checked(6) else { return false };
    let next = rest.trim_ascii_start().first();
    let is_word = !rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte));
    word.eq_ignore_ascii_case(b"IOLIST") && is_word && !next.is_some_and(|byte| b":[($".contains(byte))
}

/// The statement of a line: PGM( ) returns lines with their numbers and labels.
pub(crate) fn without_number(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let statement = text[digits..].trim_ascii_start();
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.".contains(byte);
    let label = statement.iter().take_while(is_word).count();
    match statement[label..].strip_prefix(b":") {
        Some(behind) if digits > 0 && label > 0 => behind.trim_ascii_start(),
        _ => statement,
    }
}

/// DIM: the string gets a structure and empty elements. Errors: 81, 99.
pub(crate) fn define(machine: &mut Machine, string: Symbol, text: &TextExpr, is_structure: bool) -> Outcome<()> {
    let text = machine.text_value(text)?;
    let slot = machine.frame.link.texts[string as usize];
    if !is_structure && is_list_text(&text) {
        let name = machine.frame.program.symbols.texts[string as usize].text.clone();
        let list = prefixed_list(&name, without_number(&text))?;
        let program = machine.compile_text(&list)?;
        let Some(id) = program.iolists.values().next().copied() else {
            return fail(81, "the string has no IOLIST");
        };
        forget(machine, slot);
        machine.variables.composites.insert(slot, (program, id));
        return Ok(());
    }
    machine.charge(Structure::most_bytes(&text))?;
    let structure = Structure::parse(&text, if is_structure { SEPARATOR } else { LINE_FEED })?;
    machine.check_length(structure.empty_bytes())?;
    machine.charge(structure.empty_bytes())?;
    let empty = structure.empty();
    machine.variables.composites.remove(&slot);
    let (level, _) = machine.level_of(slot);
    level.structures.insert(slot, Rc::new(structure));
    *machine.text_slot(slot) = empty;
    Ok(())
}

/// Another DIM ends the structure of a string.
pub(crate) fn forget(machine: &mut Machine, slot: u32) {
    let (level, _) = machine.level_of(slot);
    level.structures.remove(&slot);
}

/// The string that has an element, its structure, and where the element is. `None` for a plain variable.
type Found = Option<(Symbol, Rc<Structure>, usize, usize)>;

/// Finds an element.
///
/// Errors: 26 for a string without a structure, an element that it does not have, and a keyword, 42.
fn place_of(machine: &mut Machine, field: &FieldUse) -> Outcome<Found> {
    let mut strings = field.strings.iter();
    let found = strings.find_map(|(string, name)| Some((*string, name, structure_of(machine, *string)?)));
    let Some((string, name, structure)) = found else {
        let symbol = field.strings.first().map_or(0, |(string, _)| *string as usize);
        return match &field.plain {
            Some(_) => Ok(None),
            None => fail(26, format!("{}$ has no structure", machine.frame.program.symbols.texts[symbol].text)),
        };
    };
    if field.keyword.is_some() {
        return fail(26, "an element of a structured string has no keywords");
    }
    let (subscripts, count) = machine.subscripts(&field.indexes)?;
    let at = structure.find(name)?;
    let index = structure.elements()[at].index(&subscripts[..count])?;
    Ok(Some((string, structure, at, index)))
}

/// Appends an element.
pub(crate) fn text(machine: &mut Machine, field: &FieldUse, out: &mut Vec<u8>) -> Outcome<()> {
    if let Some((string, structure, at, index)) = place_of(machine, field)? {
        out.extend_from_slice(&structure.text(machine.get_text(string), at, index));
        return machine.check_length(out.len());
    }
    match (field.plain, &field.keyword) {
        (Some(PlainUse::Variable(VariableRef::Text(symbol))), _) => out.extend_from_slice(machine.get_text(symbol)),
        (Some(PlainUse::Composite(symbol)), _) => return machine.composite(symbol, out),
        (Some(PlainUse::Variable(VariableRef::Texts(symbol))), Some(keyword)) => {
            out.extend_from_slice(machine.text_by_keyword(symbol, keyword)?);
        }
        (Some(PlainUse::Variable(VariableRef::Texts(symbol))), None) => {
            return crate::machine::array::text_element(machine, symbol, &field.indexes, out);
        }
        _ => return Err(Fault::new(26)),
    }
    Ok(())
}

/// The number in an element.
pub(crate) fn number(machine: &mut Machine, field: &FieldUse) -> Outcome<Number> {
    if let Some((string, structure, at, index)) = place_of(machine, field)? {
        let number = structure.number(machine.get_text(string), at, index)?;
        return Ok(if field.is_whole { number.truncated() } else { number });
    }
    match (field.plain, &field.keyword) {
        (Some(PlainUse::Variable(VariableRef::Number(symbol, _))), _) => Ok(machine.get_number(symbol)),
        (Some(PlainUse::Variable(VariableRef::Numbers(symbol))), Some(keyword)) => {
            machine.number_by_keyword(symbol, keyword).copied()
        }
        (Some(PlainUse::Variable(VariableRef::Numbers(symbol))), None) => {
            machine.number_element(symbol, &field.indexes)
        }
        _ => Err(Fault::new(26)),
    }
}

/// `A.N++`, `++A.N`: changes the number and gives the one before or behind.
pub(crate) fn bump(machine: &mut Machine, field: &FieldUse, step: i8, is_post: bool) -> Outcome<Number> {
    let before = number(machine, field)?;
    let after = before.add(Number::whole(step.into()))?;
    assign(machine, field, Value::Number(after))?;
    Ok(if is_post { before } else { after })
}

/// Assigns to an element.
pub(crate) fn assign(machine: &mut Machine, field: &FieldUse, value: Value) -> Outcome<()> {
    let Some((string, structure, at, index)) = place_of(machine, field)? else {
        return assign_plain(machine, field, value);
    };
    let value = match value {
        Value::Number(number) => Value::Number(machine.assigned(number, field.is_whole)),
        text => text,
    };
    set(machine, string, &structure, (at, index), value)
}

fn assign_plain(machine: &mut Machine, field: &FieldUse, value: Value) -> Outcome<()> {
    match (field.plain, &field.keyword, value) {
        (Some(PlainUse::Composite(symbol)), _, Value::Text(value)) => machine.assign_composite(symbol, value),
        (Some(PlainUse::Variable(VariableRef::Number(symbol, whole))), _, value) => {
            machine.assign(&Target::Number(symbol, whole), value)
        }
        (Some(PlainUse::Variable(VariableRef::Text(symbol))), _, value) => machine.assign(&Target::Text(symbol), value),
        (Some(PlainUse::Variable(VariableRef::Numbers(symbol))), Some(keyword), Value::Number(value)) => {
            let value = machine.assigned(value, false);
            *machine.number_by_keyword(symbol, keyword)? = value;
            Ok(())
        }
        (Some(PlainUse::Variable(VariableRef::Texts(symbol))), Some(keyword), Value::Text(value)) => {
            *machine.text_by_keyword(symbol, keyword)? = value;
            Ok(())
        }
        (Some(PlainUse::Variable(VariableRef::Numbers(symbol))), None, Value::Number(value)) => {
            let value = machine.assigned(value, field.is_whole);
            crate::machine::array::set_number_element(machine, symbol, &field.indexes, value)
        }
        (Some(PlainUse::Variable(VariableRef::Texts(symbol))), None, Value::Text(value)) => {
            crate::machine::array::set_text_element(machine, symbol, &field.indexes, value)
        }
        _ => Err(Fault::new(26)),
    }
}

/// The variable that a name with a dot is now; `None` for an element of a structure or an array, for a composite string, and for
/// other expressions.
pub(crate) fn variable_of(machine: &mut Machine, value: &Expr) -> Option<VariableRef> {
    let (Expr::Text(TextExpr::Field(field)) | Expr::Number(NumberExpr::Field(field))) = value else { return None };
    let has_structure = field.strings.iter().any(|(string, _)| structure_of(machine, *string).is_some());
    match field.plain {
        Some(PlainUse::Variable(variable @ (VariableRef::Number(..) | VariableRef::Text(_)))) if !has_structure => {
            Some(variable)
        }
        _ => None,
    }
}

/// The error of a directive that takes no elements, when one of the strings has a structure.
pub(crate) fn refuse(machine: &mut Machine, code: u16, strings: &[Symbol]) -> Outcome<()> {
    match strings.iter().any(|string| structure_of(machine, *string).is_some()) {
        true => fail(code, "an element of a structured string is no variable"),
        false => Ok(()),
    }
}

fn set(
    machine: &mut Machine,
    string: Symbol,
    structure: &Structure,
    (at, index): (usize, usize),
    value: Value,
) -> Outcome<()> {
    // A string that is too short is lengthened up to the element, by no more than the length of all empty elements.
    machine.charge(structure.elements()[at].size + structure.empty_bytes())?;
    let slot = machine.frame.link.texts[string as usize];
    let text = machine.text_slot(slot);
    match value {
        Value::Text(value) => structure.set_text(text, at, index, &value),
        Value::Number(value) => structure.set_number(text, at, index, value)?,
    }
    let length = text.len();
    machine.check_length(length)
}

/// The whole name of an element or of a variable of a composite string: `A::NAME$`, `A.NAME$`. Error 23 for other text.
pub(crate) fn component_name(machine: &mut Machine, string: Symbol, name: &[u8]) -> Outcome<Vec<u8>> {
    crate::functions::variable_name(name)?;
    let known = &machine.frame.program.symbols.texts[string as usize];
    let prefix = if known.global { "%" } else { "" };
    let text = known.text.clone();
    let dot = if structure_of(machine, string).is_some() { "::" } else { "." };
    let mut statement = format!("{prefix}{text}{dot}").into_bytes();
    statement.extend_from_slice(name);
    Ok(statement)
}

/// An IOLIST with the name of a composite string before its variables. Error 81 for other text.
pub(crate) fn prefixed_list(name: &str, text: &[u8]) -> Outcome<Vec<u8>> {
    let mut tree = syntax::parse_statement(text);
    let line = tree.lines.first_mut();
    let directive = line.and_then(|line| line.directives.first_mut()).map(|directive| &mut directive.kind);
    let Some(tree::Kind::Iolist(items)) = directive else { return fail(81, "the string has no IOLIST") };
    for item in items.iter_mut() {
        match item {
            tree::Item::List(..) => return fail(81, "a list in the list of a composite string"),
            tree::Item::Value(value) => crate::compile::prefix_variable(&mut value.value, name),
            tree::Item::Skip(_) => {}
        }
    }
    Ok(tree.lines.first().map(print::statement).unwrap_or_default())
}
