//! The embedded dictionary of a file: the list of its fields that `IOL=*` and `SELECT *` mean.
//!
//! The list is the layout of the file (docs/basic-files.md): an IOLIST, a field list, or the columns of a table of the database. Its names are
//! variables of the program that reads. Error 84 for a file without one.

use super::Machine;
use crate::code::{IoCode, List, ListItem, ListSource, Options, Program};
use crate::fault::{Outcome, fail};
use mainstay_basic_syntax::tree::OpenMode;
use std::rc::Rc;

/// A list with its program and its number there.
pub(super) type OwnedList = (Rc<Program>, Rc<List>, u32);

/// True for a list that is `IOL=*` alone.
fn is_dictionary(list: &List) -> bool {
    matches!(list.items[..], [ListItem::List(ListSource::Embedded)])
}

/// The list that the file of a channel describes its fields with. Error 84 without one.
pub(super) fn dictionary_of(machine: &mut Machine, number: i64) -> Outcome<OwnedList> {
    match machine.channels.get(number)?.file.definition().field_list() {
        Some(list) => list_of_source(machine, &[b"IOLIST ", &*mainstay_code_page::encode(&list)].concat()),
        None => fail(84, "the file has no dictionary"),
    }
}

/// The list that a reference means, with its program; `*` is that of the channel's file.
pub(super) fn owned_list(machine: &mut Machine, source: &ListSource, number: i64) -> Outcome<OwnedList> {
    match source {
        ListSource::Text(text) => machine.list_of_text(text),
        ListSource::Id(id) => Ok((machine.frame.program.clone(), machine.find_list(source)?, *id)),
        ListSource::Embedded => dictionary_of(machine, number),
        ListSource::Missing(_) => fail(81, "no IOLIST there"),
    }
}

/// The text of the list of a file that is opened for it alone.
pub(crate) fn dictionary_of_file(machine: &mut Machine, name: &[u8]) -> Outcome<Vec<u8>> {
    let number = machine.hidden_channel();
    machine.open_file(number, name, OpenMode::Input, &Options::default())?;
    let list = dictionary_of(machine, number);
    machine.close_channel(number)?;
    Ok(list?.1.text.clone())
}

/// The list of a directive; `None` for `IOL=*`, which is that of the channel then.
pub(super) fn own_list(program: &Program, io: &IoCode) -> Option<u32> {
    io.list.filter(|list| program.lists.get(*list as usize).is_none_or(|list| !is_dictionary(list)))
}

/// Runs a directive; one with `IOL=*` while the channel has the list of its file.
pub(super) fn with_dictionary(
    machine: &mut Machine,
    io: &IoCode,
    number: i64,
    run: impl FnOnce(&mut Machine) -> Outcome<()>,
) -> Outcome<()> {
    if io.list.is_none() || own_list(&machine.frame.program, io).is_some() {
        return run(machine);
    }
    let list = dictionary_of(machine, number)?;
    let channel = machine.channels.get(number)?;
    let before = (channel.list.replace(list), channel.plan.take());
    let result = run(machine);
    if let Ok(channel) = machine.channels.get(number) {
        (channel.list, channel.plan) = before;
    }
    result
}

/// The list of a SELECT that names `*` or `IOL=*`. Without a dictionary `*` reads no fields.
pub(super) fn selected_dictionary(machine: &mut Machine, list: u32, number: i64) -> Outcome<Option<OwnedList>> {
    let Some(list) = machine.frame.program.lists.get(list as usize) else { return Ok(None) };
    match list.items[..] {
        [ListItem::Skip] => {
            let has_one = machine.channels.get(number)?.file.definition().layout.is_some();
            if has_one { dictionary_of(machine, number).map(Some).or(Ok(None)) } else { Ok(None) }
        }
        [ListItem::List(ListSource::Embedded)] => dictionary_of(machine, number).map(Some),
        _ => Ok(None),
    }
}

/// The list that is the source of an IOLIST, with its program. Error 81 for other text.
pub(super) fn list_of_source(machine: &mut Machine, source: &[u8]) -> Outcome<OwnedList> {
    let program = match machine.compile_text(super::structure::elements::without_number(source)) {
        Err(fault) if fault.code == 20 => return fail(81, "the string has no IOLIST"),
        program => program?,
    };
    match program.iolists.values().next() {
        Some(id) => Ok((program.clone(), program.lists[*id as usize].clone(), *id)),
        None => fail(81, "the string has no IOLIST"),
    }
}
