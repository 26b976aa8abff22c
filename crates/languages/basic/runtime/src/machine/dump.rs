//! DUMP: variables with their values, as statements that would set them. Source: the manual's page DUMP.

use super::{Machine, Value};
use crate::code::*;
use crate::fault::{Outcome, fail};
use crate::variables::{Array, Storage, Variables};

/// The most elements of an array that are listed.
const ELEMENTS: usize = 1000;

impl Machine {
    /// DUMP of the level of the program, of another one, or of all.
    pub(super) fn dump(&mut self, channel: Option<&NumberExpr>, level: Option<&Option<NumberExpr>>) -> Outcome<()> {
        let channel = channel.map(|channel| self.whole(channel)).transpose()?.unwrap_or(0);
        let highest = self.level();
        let levels = match level {
            None => (1..=highest).rev().collect(),
            Some(None) => vec![highest],
            Some(Some(level)) => match self.whole(level)? {
                level if level > 0 && level <= highest => vec![level],
                level if level <= 0 && highest + level >= 1 => vec![highest + level],
                level => return fail(41, format!("level {level}")),
            },
        };
        let mut lines = vec![format!("! ERR={}, CTL={}", self.error, self.ctl)];
        for level in levels {
            self.dump_level(level, &mut lines);
        }
        let mut globals = Vec::new();
        self.write_variables(&self.globals, "%", &mut globals);
        lines.extend(globals);
        for line in lines {
            match channel {
                0 => self.show(&mainstay_code_page::encode(&line), true)?,
                channel => self.print_to(channel, &mainstay_code_page::encode(&line), true)?,
            }
        }
        Ok(())
    }

    /// The lines of a level: program, place, variables.
    fn dump_level(&self, level: i64, lines: &mut Vec<String>) {
        let frames: Vec<&super::Frame> = self.frames.iter().chain([&self.frame]).collect();
        let is_level =
            |frame: &&&super::Frame| !matches!(frame.kind, super::FrameKind::Execute | super::FrameKind::Function);
        let Some(frame) = frames.iter().filter(is_level).nth(level as usize - 1) else { return };
        let line =
            frame.program.op_lines.get(frame.op as usize).and_then(|line| frame.program.lines.get(*line as usize));
        lines.push(format!("! Level={level}"));
        lines.push(format!("! PGN=\"{}\"", frame.program.name));
        if let Some(line) = line.filter(|line| line.number != u32::MAX) {
            lines.push(format!("! Line={:04}, open loops and subroutines={}", line.number, frame.stack.len()));
        }
        // The variables of a level are those that the frames above have put aside.
        let at = frames.iter().position(|known| std::ptr::eq(*known, *frame)).unwrap_or(0);
        let above = frames[at + 1..].iter().find_map(|frame| frame.caller.as_deref());
        self.write_variables(above.unwrap_or(&self.variables), "", lines);
    }

    fn write_variables(&self, variables: &Variables, prefix: &str, lines: &mut Vec<String>) {
        let mut names: Vec<_> = variables.names().collect();
        names.sort_by(|left, right| (left.1, left.0 as u8).cmp(&(right.1, right.0 as u8)));
        for (storage, name, whole, slot) in names {
            let suffix = match storage {
                Storage::Text | Storage::Texts => "$",
                _ if whole => "%",
                _ => "",
            };
            let name = format!("{prefix}{name}{suffix}");
            match storage {
                Storage::Number => {
                    if let Some(number) = variables.numbers.get(slot).filter(|number| !number.is_zero()) {
                        lines.push(format!("{name}={}", self.display(&Value::Number(*number))));
                    }
                }
                Storage::Text => {
                    if let Some(text) = variables.texts.get(slot).filter(|text| !text.is_empty()) {
                        lines.push(format!("{name}={}", literal(text)));
                    }
                }
                Storage::Numbers => {
                    if let Some(Some(array)) = variables.number_arrays.get(slot) {
                        let shown = |number: &crate::number::Number| self.display(&Value::Number(*number));
                        write_array(&name, array, shown, lines);
                    }
                }
                Storage::Texts => {
                    if let Some(Some(array)) = variables.text_arrays.get(slot) {
                        write_array(&name, array, |text: &Vec<u8>| literal(text), lines);
                    }
                }
            }
        }
    }
}

fn write_array<T: Clone + Default>(
    name: &str,
    array: &Array<T>,
    shown: impl Fn(&T) -> String,
    lines: &mut Vec<String>,
) {
    let dimensions = if array.bounds[2] != (0, 0) {
        3
    } else if array.bounds[1] != (0, 0) {
        2
    } else {
        1
    };
    let lengths = array.bounds.map(|(low, high)| (high - low + 1).max(1));
    for (place, element) in array.elements.iter().enumerate().take(ELEMENTS) {
        let keyword = array.keywords.as_ref().and_then(|keywords| keywords.name(place));
        let subscript = match keyword {
            Some(keyword) => literal(keyword),
            None => {
                let place = place as i64;
                let parts = [
                    place / (lengths[1] * lengths[2]) + array.bounds[0].0,
                    place / lengths[2] % lengths[1] + array.bounds[1].0,
                    place % lengths[2] + array.bounds[2].0,
                ];
                parts[..dimensions].iter().map(i64::to_string).collect::<Vec<_>>().join(",")
            }
        };
        lines.push(format!("{name}[{subscript}]={}", shown(element)));
    }
    if array.elements.len() > ELEMENTS {
        lines.push(format!("! {name}: {} further elements", array.elements.len() - ELEMENTS));
    }
}

/// A string as the language writes it: quoted, with control characters in hex and separators by name.
pub(crate) fn literal(text: &[u8]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.first() {
        let is_plain = |byte: &u8| (0x20..0x7F).contains(byte) || *byte >= 0xA0;
        let is_hex = |byte: &u8| !is_plain(byte) && *byte != super::SEPARATOR;
        let length = |test: &dyn Fn(&u8) -> bool| rest.iter().take_while(|byte| test(byte)).count();
        let (part, used) = match first {
            byte if *byte == super::SEPARATOR => ("SEP".to_owned(), 1),
            byte if is_plain(byte) => {
                let used = length(&is_plain);
                let text = mainstay_code_page::decode(&rest[..used]).replace('"', "\"\"");
                (format!("\"{text}\""), used)
            }
            _ => {
                let used = length(&is_hex).max(1);
                let digits: String = rest[..used].iter().map(|byte| format!("{byte:02X}")).collect();
                (format!("${digits}$"), used)
            }
        };
        parts.push(part);
        rest = &rest[used..];
    }
    match parts.is_empty() {
        true => "\"\"".to_owned(),
        false => parts.join("+"),
    }
}
