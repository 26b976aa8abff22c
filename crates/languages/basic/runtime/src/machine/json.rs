//! Arrays from JSON text, and JSON text from arrays: DIM LOAD and DIM(LIST ..).
//!
//! Names of groups and elements are joined by dots and become the keywords of the array: `{"a":{"b":1}}` is `A$["a.b"]`. Elements
//! of JSON arrays are numbered from 1; an empty one is the element `.0`. Names may stand without quotes. Sources: the manual's
//! pages DIM, format 5, and DIM( ), format 11.

use super::Machine;
use crate::code::VariableRef;
use crate::fault::{Outcome, fail};
use crate::number_text::parse_number;
use crate::variables::Array;

/// How deep groups may be nested.
const DEPTH: usize = 60;
/// Bytes of an element of the text that is written.
const NODE: usize = 256;

/// A value of a JSON text with the name that it gets.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    found: Vec<(Vec<u8>, Vec<u8>)>,
    /// Bytes that the session has left for what is found.
    left: u64,
}

impl Reader<'_> {
    /// Error 31 when the session has no memory left.
    fn add(&mut self, name: Vec<u8>, value: Vec<u8>) -> Outcome<()> {
        // The element, its keyword twice, and the entry here.
        let bytes = 3 * name.len() + 2 * value.len() + 256;
        let left = self.left.checked_sub(bytes as u64);
        self.left = left.ok_or_else(|| crate::fault::Fault::with(31, "JSON text with too many elements"))?;
        self.found.push((name, value));
        Ok(())
    }

    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn next_is(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn wrong<T>(&self) -> Outcome<T> {
        fail(26, format!("JSON text at byte {}", self.at + 1))
    }

    fn value(&mut self, name: &[u8], depth: usize) -> Outcome<()> {
        if depth > DEPTH {
            return fail(30, "JSON text is nested too deeply");
        }
        if self.next_is(b'{') {
            return self.group(name, depth);
        }
        if self.next_is(b'[') {
            return self.list(name, depth);
        }
        let value = if self.next_is(b'"') { self.quoted()? } else { self.word()? };
        self.add(name.to_vec(), value)
    }

    fn group(&mut self, name: &[u8], depth: usize) -> Outcome<()> {
        while !self.next_is(b'}') {
            let key = if self.next_is(b'"') { self.quoted()? } else { self.word()? };
            if !self.next_is(b':') {
                return self.wrong();
            }
            self.value(&joined(name, &key), depth + 1)?;
            if !self.next_is(b',') {
                return if self.next_is(b'}') { Ok(()) } else { self.wrong() };
            }
        }
        Ok(())
    }

    fn list(&mut self, name: &[u8], depth: usize) -> Outcome<()> {
        if self.next_is(b']') {
            self.add(joined(name, b"0"), Vec::new())?;
            return Ok(());
        }
        let mut number = 0;
        loop {
            number += 1;
            self.value(&joined(name, format!("{number}").as_bytes()), depth + 1)?;
            if !self.next_is(b',') {
                return if self.next_is(b']') { Ok(()) } else { self.wrong() };
            }
        }
    }

    /// A word without quotes: a name, a number, true, false or null, which is empty.
    fn word(&mut self) -> Outcome<Vec<u8>> {
        self.blanks();
        let rest = &self.text[self.at.min(self.text.len())..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.+-$".contains(byte)).count();
        if length == 0 {
            return self.wrong();
        }
        self.at += length;
        Ok(if &rest[..length] == b"null" { Vec::new() } else { rest[..length].to_vec() })
    }

    fn quoted(&mut self) -> Outcome<Vec<u8>> {
        let mut out = Vec::new();
        loop {
            let Some(byte) = self.text.get(self.at).copied() else { return self.wrong() };
            self.at += 1;
            match byte {
                b'"' => return Ok(out),
                b'\\' => self.escaped(&mut out)?,
                byte => out.push(byte),
            }
        }
    }

    fn escaped(&mut self, out: &mut Vec<u8>) -> Outcome<()> {
        let Some(byte) = self.text.get(self.at).copied() else { return self.wrong() };
        self.at += 1;
        out.push(match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            b'u' => {
                let digits = self.text.get(self.at..self.at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
                let Some(code) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
                    return self.wrong();
                };
                self.at += 4;
                char::from_u32(code).and_then(mainstay_code_page::byte).unwrap_or(b'?')
            }
            byte => byte,
        });
        Ok(())
    }
}

fn joined(name: &[u8], part: &[u8]) -> Vec<u8> {
    match name.is_empty() {
        true => part.to_vec(),
        false => [name, b".", part].concat(),
    }
}

impl Machine {
    /// DIM LOAD. Error 26 for text that is no JSON, or a value that is no number for an array of numbers.
    pub(super) fn load_json(&mut self, array: VariableRef, text: &[u8]) -> Outcome<()> {
        let left = super::memory::memory_left(self);
        let mut reader = Reader { text, at: 0, found: Vec::new(), left };
        reader.value(b"", 0)?;
        reader.blanks();
        if reader.at < text.len() {
            return reader.wrong();
        }
        self.charge(usize::try_from(left - reader.left).unwrap_or(usize::MAX))?;
        let slot = self.slot_of(array);
        let (level, slot) = self.level_of(slot);
        match array {
            VariableRef::Texts(_) => {
                let array = level.text_arrays[slot].insert(Array::growing());
                for (name, value) in reader.found {
                    *array.by_keyword(&name)? = value;
                }
            }
            _ => {
                let array = level.number_arrays[slot].insert(Array::growing());
                for (name, value) in reader.found {
                    let number =
                        if value.is_empty() { Some(crate::number::Number::ZERO) } else { parse_number(&value) };
                    let Some(number) = number else { return fail(26, "a value is not a number") };
                    *array.by_keyword(&name)? = number;
                }
            }
        }
        Ok(())
    }

    /// DIM(LIST ..): the elements of an array with keywords as JSON text; `sort` orders names, `edit` gives each a line.
    pub(crate) fn json_of(&mut self, array: VariableRef, sort: bool, edit: bool, out: &mut Vec<u8>) -> Outcome<()> {
        let values = self.array_values(array)?;
        let Some(keywords) = self.keywords(array) else { return fail(42, "the array has no keywords") };
        let mut entries: Vec<(Vec<u8>, super::Value)> = values
            .into_iter()
            .enumerate()
            .filter_map(|(place, value)| keywords.name(place).map(|name| (name.to_vec(), value)))
            .collect();
        if sort {
            entries.sort_by(|left, right| left.0.cmp(&right.0));
        }
        let mut root = Node::default();
        // Groups, and control characters of six bytes each.
        super::memory::charge_temporary(self, entries.len().saturating_mul(NODE))?;
        for (name, value) in entries {
            let text = match value {
                super::Value::Number(_) => self.display(&value).into_bytes(),
                super::Value::Text(text) => {
                    super::memory::charge_temporary(self, 6 * text.len())?;
                    quoted(&text)
                }
            };
            root.insert(&name.split(|byte| *byte == b'.').collect::<Vec<_>>(), text);
        }
        root.write(edit, 0, out);
        self.check_length(out.len())
    }
}

/// A group of names, in the order of their first use.
#[derive(Default)]
struct Node {
    value: Option<Vec<u8>>,
    parts: Vec<(Vec<u8>, Node)>,
}

impl Node {
    fn insert(&mut self, path: &[&[u8]], value: Vec<u8>) {
        let Some((first, rest)) = path.split_first() else {
            self.value = Some(value);
            return;
        };
        let at = match self.parts.iter().position(|(name, _)| name == first) {
            Some(at) => at,
            None => {
                self.parts.push((first.to_vec(), Node::default()));
                self.parts.len() - 1
            }
        };
        // Keywords have 255 bytes at most, so that groups are nested no deeper than that.
        self.parts[at].1.insert(rest, value);
    }

    /// Elements that are numbered from 1, or the mark of an empty list.
    fn is_list(&self) -> bool {
        let is_empty = matches!(&self.parts[..], [(name, _)] if name == b"0");
        is_empty || self.parts.iter().enumerate().all(|(at, (name, _))| *name == format!("{}", at + 1).into_bytes())
    }

    fn write(&self, edit: bool, depth: usize, out: &mut Vec<u8>) {
        if let Some(value) = &self.value {
            out.extend_from_slice(value);
            return;
        }
        let is_list = !self.parts.is_empty() && self.is_list() && depth > 0;
        let is_empty_list = is_list && self.parts[0].0 == b"0";
        out.push(if is_list { b'[' } else { b'{' });
        for (at, (name, node)) in self.parts.iter().enumerate().filter(|_| !is_empty_list) {
            if at > 0 {
                out.push(b',');
            }
            if edit {
                out.push(b'\n');
                out.resize(out.len() + 2 * (depth + 1), b' ');
            }
            if !is_list {
                out.extend_from_slice(&quoted(name));
                out.push(b':');
            }
            node.write(edit, depth + 1, out);
        }
        if edit && !is_empty_list && !self.parts.is_empty() {
            out.push(b'\n');
            out.resize(out.len() + 2 * depth, b' ');
        }
        out.push(if is_list { b']' } else { b'}' });
    }
}

/// A string of JSON.
fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte if *byte < 0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            byte => out.push(*byte),
        }
    }
    out.push(b'"');
    out
}
