//! XFA( ): the elements of structured strings.

use crate::code::{Call, VariableRef};
use crate::fault::{Outcome, fail};
use crate::machine::Machine;
use crate::machine::structure::{Element, ElementKind, Structure, elements};
use std::rc::Rc;

/// The flags of an element that a delimiter ends, and of one of fixed length.
const DELIMITED: u8 = 0xC0;
const FIXED: u8 = 0x80;

/// XFA(A$): the text of the structure. XFA(A$,""): the names of its elements, each with a line feed. XFA(A$,name): the facts of an
/// element in 11 bytes, and its comment. XFA(A$,name,word): the value behind `word=` in the comment.
///
/// Error 26 for a string without a structure, and for an element that it does not have. Source: the manual's page XFA( ).
pub(super) fn xfa(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let structure = structure(machine, call)?;
    if !call.has(1) {
        out.extend_from_slice(structure.definition());
        return Ok(());
    }
    let name = call.text(machine, 1)?;
    if name.is_empty() {
        for element in structure.elements() {
            out.extend_from_slice(element.name.as_bytes());
            out.push(b'\n');
        }
        return Ok(());
    }
    let name = mainstay_code_page::decode(&name).into_owned();
    let element = &structure.elements()[structure.find(name.trim_end_matches('$'))?];
    if !call.has(2) {
        facts(element, out);
        return Ok(());
    }
    let word = call.text(machine, 2)?;
    let mut words = element.comment.split(u8::is_ascii_whitespace);
    let value = words.find_map(|part| {
        let at = part.iter().position(|byte| *byte == b'=')?;
        part[..at].eq_ignore_ascii_case(&word).then(|| &part[at + 1..])
    });
    out.extend_from_slice(value.unwrap_or_default());
    Ok(())
}

fn structure(machine: &mut Machine, call: &Call) -> Outcome<Rc<Structure>> {
    let variable = call.arguments.first().and_then(|argument| argument.variable);
    let Some(VariableRef::Text(string)) = variable else { return fail(26, "XFA") };
    match elements::structure_of(machine, string) {
        Some(structure) => Ok(structure),
        None => fail(26, "XFA: the string has no structure"),
    }
}

/// Type, flags, delimiter, number of array elements, segment and offset in it, length; two bytes each from the fourth byte on.
fn facts(element: &Element, out: &mut Vec<u8>) {
    let kind = match element.kind {
        ElementKind::Text => 1,
        ElementKind::Number => 2,
        ElementKind::Signed => 3,
        ElementKind::Unsigned => 4,
        ElementKind::Float => 5,
    };
    let flags = if element.delimiter.is_some() { DELIMITED } else { FIXED };
    out.extend_from_slice(&[kind, flags, element.delimiter.unwrap_or_default()]);
    for number in [element.count(), element.place.0, element.place.1, element.size] {
        out.extend_from_slice(&u16::try_from(number).unwrap_or(u16::MAX).to_be_bytes());
    }
    out.extend_from_slice(&element.comment);
}
