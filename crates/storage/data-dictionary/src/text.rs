//! The file of a dictionary: lines of text, in UTF-8.
//!
//! ```text
//!   mainstay dictionary 1
//!   # what follows a # at the beginning of a line is a comment, which the next change of the dictionary leaves out
//!   last 12
//!   object database "" "" 1
//!     comment "The shop"
//!     log_in_required 1
//!   object field "customers" "name" 7
//!     minimum "'A'"
//!   grant table "" "customers" "sales" 0x19 0x0
//!   end
//! ```
//!
//! `object` has kind, parent, name and number, and the lines after it, indented, are its properties: a text in quotes,
//! a number, or bytes as `x"..."`. `grant` has kind, parent and name of the object, the grantee, the rights, and those
//! of them that may be granted on. `last` is the last number that was given to an object. In quotes, `\\`, `\"`, `\n`,
//! `\r`, `\t` and `\0` have their meaning in C. A file without its `end` is cut off, and refused. Version 1 is the only
//! one.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::constants::*;
use crate::contents::{Contents, Grant, Object, Property};
use crate::failure::{Failure, Result};
use crate::properties;

const FIRST_LINE: &str = "mainstay dictionary 1";

/// Writes a dictionary.
pub fn write(contents: &Contents) -> String {
    let mut text = format!("{FIRST_LINE}\nlast {}\n", contents.last_id);
    for object in &contents.objects {
        let kind = properties::kind_name(object.kind).unwrap_or("unknown");
        let _ = writeln!(text, "object {kind} {} {} {}", quoted(&object.parent), quoted(&object.name), object.id);
        for (id, value) in &object.properties {
            let Some(name) = properties::name(object.kind, *id) else { continue };
            let _ = match value {
                Property::Text(value) => writeln!(text, "  {name} {}", quoted(value)),
                Property::Number(value) => writeln!(text, "  {name} {value}"),
                Property::Bytes(bytes) => writeln!(text, "  {name} x\"{}\"", hex(bytes)),
            };
        }
    }
    for grant in &contents.grants {
        let Some(kind) = properties::kind_name(grant.kind) else { continue };
        let (parent, name, grantee) = (quoted(&grant.parent), quoted(&grant.name), quoted(&grant.grantee));
        let _ =
            writeln!(text, "grant {kind} {parent} {name} {grantee} {:#x} {:#x}", grant.permissions, grant.grantable);
    }
    text.push_str("end\n");
    text
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// Reads a dictionary.
///
/// Errors: AE_CANNOT_OPEN_DICTIONARY, with the line and what is wrong with it.
pub fn read(bytes: &[u8]) -> Result<Contents> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.starts_with(FIRST_LINE)).ok_or_else(|| {
        let reason = "the file is no dictionary of Mainstay's; the format of the vendor's own is not public";
        Failure::new(AE_CANNOT_OPEN_DICTIONARY, reason)
    })?;
    let mut contents = Contents::default();
    let mut ended = false;
    for (number, line) in text.lines().enumerate().skip(1) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let parsed = if ended { None } else { read_line(line, &mut contents, &mut ended) };
        parsed.ok_or_else(|| {
            Failure::new(AE_CANNOT_OPEN_DICTIONARY, format!("line {} is not understood: {trimmed}", number + 1))
        })?;
    }
    match ended {
        true => Ok(contents),
        false => Err(Failure::new(AE_CANNOT_OPEN_DICTIONARY, "the file is cut off: its end is missing")),
    }
}

fn read_line(line: &str, contents: &mut Contents, ended: &mut bool) -> Option<()> {
    let is_property = line.starts_with([' ', '\t']);
    let mut words = Words(line);
    let first = words.word()?;
    if is_property {
        let object = contents.objects.last_mut()?;
        let id = properties::id(object.kind, first)?;
        object.properties.insert(id, words.property()?);
        return words.end();
    }
    match first {
        "last" => contents.last_id = words.number()?,
        "object" => {
            let kind = properties::kind(words.word()?)?;
            let (parent, name, id) = (words.text()?, words.text()?, words.number()?);
            contents.last_id = contents.last_id.max(id);
            contents.objects.push(Object { kind, parent, name, id, properties: BTreeMap::new() });
        }
        "grant" => {
            let kind = properties::kind(words.word()?)?;
            let (parent, name, grantee) = (words.text()?, words.text()?, words.text()?);
            let (permissions, grantable) = (words.number()?, words.number()?);
            contents.grants.push(Grant { kind, parent, name, grantee, permissions, grantable });
        }
        "end" => *ended = true,
        _ => return None,
    }
    words.end()
}

/// The rest of a line.
struct Words<'t>(&'t str);

impl<'t> Words<'t> {
    fn word(&mut self) -> Option<&'t str> {
        let text = self.0.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.0 = rest;
        Some(word).filter(|word| !word.is_empty())
    }

    fn number(&mut self) -> Option<u32> {
        let word = self.word()?;
        match word.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        }
    }

    fn text(&mut self) -> Option<String> {
        let mut letters = self.0.trim_start().strip_prefix('"')?.chars();
        let mut text = String::new();
        loop {
            match letters.next()? {
                '"' => break,
                '\\' => text.push(match letters.next()? {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '0' => '\0',
                    letter @ ('"' | '\\') => letter,
                    _ => return None,
                }),
                letter => text.push(letter),
            }
        }
        self.0 = letters.as_str();
        Some(text)
    }

    fn property(&mut self) -> Option<Property> {
        let text = self.0.trim_start();
        if text.starts_with('"') {
            return self.text().map(Property::Text);
        }
        if let Some(quoted) = text.strip_prefix('x') {
            self.0 = quoted;
            let digits = self.text()?;
            let pairs = digits.as_bytes().chunks(2).map(|pair| {
                let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
                u8::from_str_radix(pair, 16).ok()
            });
            return pairs.collect::<Option<Vec<u8>>>().map(Property::Bytes);
        }
        self.number().map(Property::Number)
    }

    fn end(&self) -> Option<()> {
        self.0.trim().is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Contents {
        let mut contents = Contents::new(Some("a \"shop\"\nof\\ours".to_owned()));
        contents.add(ADS_DD_TABLE_OBJECT, "", "Kunden ä").unwrap().set_number(ADS_DD_TABLE_TYPE, ADS_CDX);
        let field = contents.get_or_add(ADS_DD_FIELD_OBJECT, "Kunden ä", "NAME");
        field.set_text(ADS_DD_FIELD_MIN_VALUE, Some("'A'".to_owned()));
        field.properties.insert(ADS_DD_USER_DEFINED_PROP, Property::Bytes(vec![0, 1, 255]));
        contents.grants.push(Grant {
            kind: ADS_DD_TABLE_OBJECT,
            parent: String::new(),
            name: "Kunden ä".to_owned(),
            grantee: "x".to_owned(),
            permissions: ADS_PERMISSION_ALL,
            grantable: 1,
        });
        contents
    }

    #[test]
    fn what_is_written_is_read() {
        let contents = sample();
        assert_eq!(read(write(&contents).as_bytes()).unwrap(), contents);
    }

    #[test]
    fn any_cut_and_any_wrong_byte_is_refused_or_read_but_never_a_crash() {
        let text = write(&sample()).into_bytes();
        for end in 0..text.len() - 4 {
            assert!(read(&text[..end]).is_err(), "cut at {end}");
        }
        for at in 0..text.len() {
            for byte in [b'"', b'\\', b'\n', b' ', 0, 0xFF] {
                let mut changed = text.clone();
                changed[at] = byte;
                let _ = read(&changed);
            }
        }
    }

    #[test]
    fn a_file_of_another_kind_is_named() {
        let refused = read(b"ADS DATABASE\0\x01").unwrap_err();
        assert_eq!(refused.code, AE_CANNOT_OPEN_DICTIONARY);
        assert!(refused.detail.contains("vendor"));
    }
}
