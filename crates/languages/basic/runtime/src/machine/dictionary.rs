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

impl Machine {
    /// The list that the file of a channel describes its fields with. Error 84 without one.
    pub(super) fn dictionary_of(&mut self, number: i64) -> Outcome<OwnedList> {
        match self.channels.get(number)?.file.definition().field_list() {
            Some(list) => self.list_of_source(&[b"IOLIST ", &*mainstay_code_page::encode(&list)].concat()),
            None => fail(84, "the file has no dictionary"),
        }
    }

    /// The list that a reference means, with its program; `*` is that of the channel's file.
    pub(super) fn owned_list(&mut self, source: &ListSource, number: i64) -> Outcome<OwnedList> {
        match source {
            ListSource::Text(text) => self.list_of_text(text),
            ListSource::Id(id) => Ok((self.frame.program.clone(), self.find_list(source)?, *id)),
            ListSource::Embedded => self.dictionary_of(number),
            ListSource::Missing(_) => fail(81, "no IOLIST there"),
        }
    }

    /// The text of the list of a file that is opened for it alone.
    pub(crate) fn dictionary_of_file(&mut self, name: &[u8]) -> Outcome<Vec<u8>> {
        let number = self.hidden_channel();
        self.open_file(number, name, OpenMode::Input, &Options::default())?;
        let list = self.dictionary_of(number);
        self.close_channel(number)?;
        Ok(list?.1.text.clone())
    }

    /// The list of a directive; `None` for `IOL=*`, which is that of the channel then.
    pub(super) fn own_list(&self, io: &IoCode) -> Option<u32> {
        let lists = &self.frame.program.lists;
        io.list.filter(|list| lists.get(*list as usize).is_none_or(|list| !is_dictionary(list)))
    }

    /// Runs a directive; one with `IOL=*` while the channel has the list of its file.
    pub(super) fn with_dictionary(
        &mut self,
        io: &IoCode,
        number: i64,
        run: impl FnOnce(&mut Machine) -> Outcome<()>,
    ) -> Outcome<()> {
        if io.list.is_none() || self.own_list(io).is_some() {
            return run(self);
        }
        let list = self.dictionary_of(number)?;
        let channel = self.channels.get(number)?;
        let before = (channel.list.replace(list), channel.plan.take());
        let result = run(self);
        if let Ok(channel) = self.channels.get(number) {
            (channel.list, channel.plan) = before;
        }
        result
    }

    /// The list of a SELECT that names `*` or `IOL=*`. Without a dictionary `*` reads no fields.
    pub(super) fn selected_dictionary(&mut self, list: u32, number: i64) -> Outcome<Option<OwnedList>> {
        let Some(list) = self.frame.program.lists.get(list as usize) else { return Ok(None) };
        match list.items[..] {
            [ListItem::Skip] => {
                let has_one = self.channels.get(number)?.file.definition().layout.is_some();
                if has_one { self.dictionary_of(number).map(Some).or(Ok(None)) } else { Ok(None) }
            }
            [ListItem::List(ListSource::Embedded)] => self.dictionary_of(number).map(Some),
            _ => Ok(None),
        }
    }
}
