//! DATA and READ DATA.

use super::Machine;
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};

impl Machine {
    /// Values of DATA lines to the variables of a list. Error 2 behind the last one.
    pub(super) fn read_data(&mut self, list: ListId) -> Outcome<()> {
        let program = self.frame.program.clone();
        let list = program.lists.get(list as usize).ok_or_else(|| Fault::new(81))?;
        self.read_data_items(&program, list, 0)
    }

    fn read_data_items(&mut self, program: &Program, list: &List, depth: usize) -> Outcome<()> {
        if depth > 20 {
            return fail(81, "lists are nested too deeply");
        }
        for item in &list.items {
            match item {
                ListItem::Skip => drop(self.next_data(program)?),
                ListItem::List(ListSource::Text(text)) => {
                    let (owner, inner, _) = self.list_of_text(text)?;
                    // The values are DATA of the program that reads.
                    let values =
                        (0..inner.items.len()).map(|_| self.next_data(program)).collect::<Outcome<Vec<_>>>()?;
                    self.in_text(&owner, |machine| {
                        for (item, value) in inner.items.iter().zip(values) {
                            if let ListItem::Value(item) = item
                                && let Some(target) = &item.target
                            {
                                machine.assign(target, value)?;
                            }
                        }
                        Ok(())
                    })?;
                }
                ListItem::List(source) => {
                    let inner = self.find_list(source)?;
                    self.read_data_items(program, &inner, depth + 1)?;
                }
                ListItem::Value(item) => {
                    let Some(target) = &item.target else { return fail(23, "READ DATA needs variables") };
                    let value = self.next_data(program)?;
                    self.assign(target, value)?;
                }
            }
        }
        Ok(())
    }

    fn next_data(&mut self, program: &Program) -> Outcome<super::Value> {
        let Some((_, value)) = program.data.get(self.frame.data) else { return fail(2, "no further DATA") };
        self.frame.data += 1;
        self.value(value)
    }

    /// The parts of a string to the variables of a list.
    pub(super) fn read_data_from(&mut self, text: &TextExpr, options: &Options, list: ListId) -> Outcome<()> {
        let text = self.text_value(text)?;
        let separator = match &options.separator {
            Some(separator) => self.text_value(separator)?.first().copied().ok_or_else(|| Fault::new(46))?,
            None => super::channels::SEPARATOR,
        };
        let program = self.frame.program.clone();
        let list = program.lists.get(list as usize).ok_or_else(|| Fault::new(81))?;
        self.charge(2 * text.len())?;
        self.assign_fields(list, &text, separator)
    }
}
