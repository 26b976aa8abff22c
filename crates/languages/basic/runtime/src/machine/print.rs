//! PRINT: items through masks to the screen or to a channel.

use super::channels::file_fault;
use super::{Machine, Value};
use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use crate::mask;
use crate::number::Number;
use mainstay_basic_files::WriteOptions;

impl Machine {
    pub(super) fn print(&mut self, io: &IoCode) -> Outcome<()> {
        let number = match &io.channel {
            None => 0,
            Some(Expr::Number(channel)) => self.whole(channel)?,
            Some(Expr::Text(_)) => return fail(26, "a channel is a number"),
        };
        let mut out = self.take();
        if let Some(list) = io.list {
            let program = self.frame.program.clone();
            let list = program.lists.get(list as usize).ok_or_else(|| Fault::new(81))?;
            self.print_items(list, &mut out, 0)?;
        }
        if let Some(line) = io.options.table {
            self.translate(line, &mut out)?;
        }
        let result = match number {
            0 => self.show(&out, !io.open_end),
            _ => self.print_to(number, &out, !io.open_end),
        };
        self.give(out);
        result
    }

    fn print_items(&mut self, list: &List, out: &mut Vec<u8>, depth: usize) -> Outcome<()> {
        if depth > 20 {
            return fail(81, "lists are nested too deeply");
        }
        for item in &list.items {
            match item {
                ListItem::Skip => {}
                ListItem::List(ListSource::Text(text)) => {
                    let (program, inner, _) = self.list_of_text(text)?;
                    self.in_text(&program, |machine| machine.print_items(&inner, out, depth + 1))?;
                }
                ListItem::List(source) => {
                    let inner = self.find_list(source)?;
                    self.print_items(&inner, out, depth + 1)?;
                }
                ListItem::Value(item) => self.print_item(item, out)?,
            }
        }
        Ok(())
    }

    pub(super) fn print_item(&mut self, item: &ListValue, out: &mut Vec<u8>) -> Outcome<()> {
        if !item.formats.is_empty() && super::field_format::field_format(self, item)?.is_some() {
            return self.write_item(item, super::SEPARATOR, out);
        }
        if let Some(values) = self.range_values(item.target.as_ref())? {
            return self.print_values(values, item.mask.as_ref(), out);
        }
        match (&item.value, &item.mask) {
            (Expr::Number(expr), None) => {
                let value = self.number(expr)?;
                self.print_number(value, out);
                Ok(())
            }
            (Expr::Text(expr), None) => self.text(expr, out),
            (value, Some(mask)) => {
                let value = self.value(value)?;
                self.masked_value(&value, mask, out)
            }
        }
    }

    fn print_number(&mut self, value: Number, out: &mut Vec<u8>) {
        if value.signum() >= 0 {
            out.push(b' ');
        }
        self.write_number(out, value);
    }

    /// The elements of an array one after the other.
    fn print_values(&mut self, values: Vec<Value>, mask: Option<&TextExpr>, out: &mut Vec<u8>) -> Outcome<()> {
        for value in values {
            match (value, mask) {
                (value, Some(mask)) => self.masked_value(&value, mask, out)?,
                (Value::Number(number), None) => self.print_number(number, out),
                (Value::Text(text), None) => out.extend_from_slice(&text),
            }
            self.check_length(out.len())?;
        }
        Ok(())
    }

    /// A value through a mask. Error 43 if it does not fit, unless 'FI' is set.
    pub(crate) fn masked(&mut self, value: &Expr, mask: &TextExpr, out: &mut Vec<u8>) -> Outcome<()> {
        let value = self.value(value)?;
        self.masked_value(&value, mask, out)
    }

    fn masked_value(&mut self, value: &Value, mask: &TextExpr, out: &mut Vec<u8>) -> Outcome<()> {
        let mask = self.text_value(mask)?;
        let start = out.len();
        let result = match value {
            Value::Number(number) => mask::number(out, self.rounded_value(*number), &mask, self.parameters.signs),
            Value::Text(text) => mask::text(out, text, &mask),
        };
        if result.is_none() {
            out.truncate(start);
            self.mask_overflow(value, &mask, out)?;
        }
        self.give(mask);
        Ok(())
    }

    /// A value that does not fit its mask: without commas ('F,'), without the mask ('FI'), or characters that say so ('FO').
    ///
    /// Errors: 43 without any of these parameters.
    pub(crate) fn mask_overflow(&mut self, value: &Value, mask: &[u8], out: &mut Vec<u8>) -> Outcome<()> {
        if let (Value::Number(number), true) = (value, self.parameters.get("F,") != 0) {
            let digits: Vec<u8> = mask.iter().map(|byte| if *byte == b',' { b'#' } else { *byte }).collect();
            let start = out.len();
            if mask::number(out, self.rounded_value(*number), &digits, self.parameters.signs).is_some() {
                return Ok(());
            }
            out.truncate(start);
        }
        if self.parameters.ignores_masks {
            out.extend_from_slice(&self.display_bytes(value));
            return Ok(());
        }
        match u8::try_from(self.parameters.get("FO")) {
            Ok(fill @ 1..) => out.resize(out.len() + mask.len(), fill),
            _ => return fail(43, format!("\"{}\"", mainstay_code_page::decode(mask))),
        }
        Ok(())
    }

    /// Each byte through a translation table.
    pub(crate) fn translate(&mut self, line: u32, text: &mut [u8]) -> Outcome<()> {
        let program = self.frame.program.clone();
        let Some(table) = program.tables.get(&line) else { return fail(45, "no TABLE there") };
        let table = self.text_value(table)?;
        apply_table(&table, text);
        self.give(table);
        Ok(())
    }

    /// Puts text with its mnemonics on the screen.
    pub(crate) fn show(&mut self, text: &[u8], ends_line: bool) -> Outcome<()> {
        let Machine { screen, host, .. } = self;
        screen.write(text, &mut **host)?;
        if ends_line {
            screen.new_line(&mut **host)?;
        }
        Ok(())
    }

    /// LIST: lines of the program, to the screen or a channel.
    pub(super) fn list(&mut self, channel: Option<&NumberExpr>, first: u32, last: u32) -> Outcome<()> {
        let number = channel.map(|channel| self.whole(channel)).transpose()?.unwrap_or(0);
        let frame = match self.frame.kind {
            super::FrameKind::Execute => self.frames.last().unwrap_or(&self.frame),
            _ => &self.frame,
        };
        let program = frame.program.clone();
        let lines = program.tree.lines.iter().enumerate();
        let wanted = lines.filter(|(index, _)| (first..=last).contains(&(*index as u32)));
        for (_, line) in wanted {
            let text = mainstay_basic_syntax::print::line_text(line);
            match number {
                0 => self.show(&text, true)?,
                _ => self.print_to(number, &text, true)?,
            }
        }
        Ok(())
    }

    /// PRINT to a file: a record for each line.
    pub(super) fn print_to(&mut self, number: i64, text: &[u8], ends_line: bool) -> Outcome<()> {
        self.charge(text.len())?;
        let length = self.channels.get(number)?.line.len() + text.len();
        self.check_length(length)?;
        let channel = self.channels.get(number)?;
        crate::screen::plain(text, &channel.mnemonics, &mut channel.line);
        match ends_line {
            true => self.end_line_now(number),
            false => Ok(()),
        }
    }

    fn end_line_now(&mut self, number: i64) -> Outcome<()> {
        let channel = self.channels.get(number)?;
        let line = std::mem::take(&mut channel.line);
        for part in line.split(|byte| *byte == b'\n') {
            channel.file.write(part, &WriteOptions::default()).map_err(file_fault)?;
        }
        Ok(())
    }

    /// Writes what PRINT has left open, before a CLOSE.
    pub(super) fn end_line(&mut self, number: i64) -> Outcome<()> {
        match self.channels.is_open(number) && !self.channels.get(number)?.line.is_empty() {
            true => self.end_line_now(number),
            false => Ok(()),
        }
    }
}

/// A table begins with a mask for the bits of each byte; what remains is an index into the bytes behind it.
pub(crate) fn apply_table(table: &[u8], text: &mut [u8]) {
    let Some((mask, entries)) = table.split_first() else { return };
    for byte in text {
        if let Some(entry) = entries.get(usize::from(*byte & mask)) {
            *byte = *entry;
        }
    }
}
