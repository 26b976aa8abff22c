//! XML( ): elements and properties are added to text, and taken from it one after the other (manual, `functions/xml.md`).
//!
//! ```text
//!   XML(ADD "Ann" TO X$,KEY="name")               X$ and the element <name>Ann</name> in a line of its own
//!   XML(NEXT FROM X$,IND=AT,KEY=TAG$,OPT=P$)      the contents of the element at AT; AT goes behind it
//!   XML(PROPERTY ADD "7" TO P$,KEY="id")          P$ and id='7'
//!   XML(PROPERTY NEXT FROM P$,IND=AT,KEY=NAME$)   the value of the property at AT
//! ```
//!
//! A value that begins with `<` is XML and stays as it is; in other values `&`, `<` and `>` are written as entities, and read back.
//! Comments, declarations (`<!..>`) and white space between elements are skipped. Error 2 ends a list; error 26 is text that is not
//! XML. IND=, KEY= and OPT= of NEXT are plain variables.

use crate::code::Call;
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, set_number_variable, set_text_variable};
use crate::number::Number;

/// The entities of XML.
const ENTITIES: [(&[u8], u8); 5] = [(b"amp", b'&'), (b"lt", b'<'), (b"gt", b'>'), (b"apos", b'\''), (b"quot", b'"')];

/// XML(ADD ..), XML(NEXT ..) and the same with PROPERTY.
pub(super) fn xml(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let words: Vec<&str> = call.words.iter().map(String::as_str).collect();
    let first = call.text(machine, 0)?;
    let key = match call.options.key.first() {
        Some(key) => machine.text_value(key)?,
        None => return fail(32, "XML( ) needs KEY="),
    };
    match words[..] {
        ["ADD"] => {
            let current = call.text(machine, 1)?;
            let properties = machine.optional_text(call.options.text.as_ref())?;
            machine.check_length(first.len() * 6 + current.len() + key.len() * 2 + properties.len())?;
            *out = [std::mem::take(out), with_element(current, &first, &key, &properties)].concat();
            Ok(())
        }
        ["PROPERTY", "ADD"] => {
            let current = call.text(machine, 1)?;
            if key.is_empty() {
                return fail(46, "a property needs a name");
            }
            machine.check_length(first.len() * 6 + current.len() + key.len())?;
            out.extend_from_slice(current.trim_ascii_end());
            if !current.is_empty() {
                out.push(b' ');
            }
            out.extend_from_slice(&key);
            out.extend_from_slice(b"='");
            escape(&first, out);
            out.push(b'\'');
            Ok(())
        }
        _ => {
            let is_property = words.first() == Some(&"PROPERTY");
            let (index, name) = match (&call.options.index, call.options.key.first()) {
                (Some(index), Some(name)) => (index, name),
                _ => return fail(32, "XML(NEXT ..) needs IND= and KEY="),
            };
            let start = usize::try_from(machine.whole(index)?).map_err(|_| Fault::new(41))?.saturating_sub(1);
            let found = match is_property {
                true => next_property(&first, start),
                false => next_element(&first, start),
            };
            let found = found?;
            set_number_variable(machine, index, Number::whole(found.end as i64 + 1))?;
            set_text_variable(machine, name, found.name)?;
            if let Some(properties) = &call.options.text {
                set_text_variable(machine, properties, found.properties)?;
            }
            out.extend_from_slice(&found.value);
            Ok(())
        }
    }
}

/// An element or a property of a text.
#[derive(Debug, PartialEq)]
struct Found {
    name: Vec<u8>,
    properties: Vec<u8>,
    value: Vec<u8>,
    /// The first byte behind it.
    end: usize,
}

fn with_element(mut text: Vec<u8>, value: &[u8], name: &[u8], properties: &[u8]) -> Vec<u8> {
    if !text.is_empty() {
        text.push(b'\n');
    }
    let is_xml = value.trim_ascii_start().starts_with(b"<");
    let properties = properties.trim_ascii();
    if name.is_empty() {
        text.extend_from_slice(value);
        return text;
    }
    text.push(b'<');
    text.extend_from_slice(name);
    if !properties.is_empty() {
        text.push(b' ');
        text.extend_from_slice(properties);
    }
    if name.starts_with(b"?") {
        text.extend_from_slice(b"?>");
        return text;
    }
    text.push(b'>');
    match is_xml {
        true => {
            text.push(b'\n');
            text.extend_from_slice(value);
            text.push(b'\n');
        }
        false => escape(value, &mut text),
    }
    text.extend_from_slice(b"</");
    text.extend_from_slice(name);
    text.push(b'>');
    text
}

fn escape(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        match ENTITIES.iter().find(|(_, known)| known == byte) {
            // Quotes are delimiters in properties only, where the other one is used.
            Some((name, b'&' | b'<' | b'>' | b'\'')) => {
                out.push(b'&');
                out.extend_from_slice(name);
                out.push(b';');
            }
            _ => out.push(*byte),
        }
    }
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        let entity = match first {
            b'&' => behind.iter().take(12).position(|byte| *byte == b';').and_then(|end| {
                let byte = entity(&behind[..end])?;
                Some((byte, end + 2))
            }),
            _ => None,
        };
        let (byte, length) = entity.unwrap_or((*first, 1));
        out.push(byte);
        rest = &rest[length..];
    }
    out
}

/// The character of an entity, as `lt`, `#65` or `#x41`.
fn entity(name: &[u8]) -> Option<u8> {
    if let Some((_, byte)) = ENTITIES.iter().find(|(known, _)| *known == name) {
        return Some(*byte);
    }
    let number = std::str::from_utf8(name.strip_prefix(b"#")?).ok()?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some(mainstay_code_page::byte(char::from_u32(code)?).unwrap_or(b'?'))
}

fn find(text: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    text.get(from..)?.windows(wanted.len()).position(|part| part == wanted).map(|at| from + at)
}

fn damaged<T>(what: &str) -> Outcome<T> {
    fail(26, format!("this is not XML: {what}"))
}

/// The first byte that is not part of white space, a comment or a declaration.
fn skip(text: &[u8], mut at: usize) -> Outcome<usize> {
    loop {
        at += text.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let rest = text.get(at..).unwrap_or_default();
        let (end, length) = match rest {
            [b'<', b'!', b'-', b'-', ..] => (find(text, at + 4, b"-->"), 3),
            [b'<', b'!', ..] => (find(text, at, b">"), 1),
            _ => return Ok(at),
        };
        match end {
            Some(end) => at = end + length,
            None => return damaged("a comment has no end"),
        }
    }
}

/// The place behind a tag that begins at `at`, its name, its properties, and whether it has no contents.
fn tag(text: &[u8], at: usize) -> Outcome<(usize, &[u8], &[u8], bool)> {
    let mut quote = None;
    let mut end = at + 1;
    loop {
        match (text.get(end), quote) {
            (None, _) => return damaged("a tag has no end"),
            (Some(byte), Some(open)) if *byte == open => quote = None,
            (Some(byte @ (b'"' | b'\'')), None) => quote = Some(*byte),
            (Some(b'>'), None) => break,
            _ => {}
        }
        end += 1;
    }
    let inside = &text[at + 1..end];
    let (inside, is_empty) = match inside.strip_suffix(b"/").or(inside.strip_suffix(b"?")) {
        Some(inside) => (inside, true),
        None => (inside, false),
    };
    let length = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
    Ok((end + 1, &inside[..length], inside[length..].trim_ascii(), is_empty))
}

/// The next element. Error 2 behind the last one.
fn next_element(text: &[u8], start: usize) -> Outcome<Found> {
    let at = skip(text, start)?;
    match text.get(at) {
        None => return Err(Fault::new(2)),
        Some(b'<') if text.get(at + 1) != Some(&b'/') => {}
        _ => return damaged("an element is expected"),
    }
    let (behind, name, properties, is_empty) = tag(text, at)?;
    let found = |value: Vec<u8>, end| Found { name: name.to_vec(), properties: properties.to_vec(), value, end };
    if is_empty {
        return Ok(found(Vec::new(), behind));
    }
    let (mut depth, mut place) = (1_usize, behind);
    while depth > 0 {
        let Some(next) = find(text, place, b"<") else { return damaged("an element has no end") };
        let rest = &text[next..];
        if rest.starts_with(b"<!--") {
            place = match find(text, next, b"-->") {
                Some(end) => end + 3,
                None => return damaged("a comment has no end"),
            };
            continue;
        }
        let (after, other, _, is_empty) = tag(text, next)?;
        if other == name && !is_empty {
            depth += 1;
        } else if other.strip_prefix(b"/") == Some(name) {
            depth -= 1;
            if depth == 0 {
                let value = text[behind..next].trim_ascii();
                let value = if value.starts_with(b"<") { value.to_vec() } else { unescaped(value) };
                return Ok(found(value, after));
            }
        }
        place = after;
    }
    damaged("an element has no end")
}

/// The next property. Error 2 behind the last one.
fn next_property(text: &[u8], start: usize) -> Outcome<Found> {
    let rest = text.get(start..).unwrap_or_default();
    let at = start + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if at >= text.len() {
        return Err(Fault::new(2));
    }
    let Some(equals) = find(text, at, b"=") else { return damaged("a property has no value") };
    let name = text[at..equals].trim_ascii().to_vec();
    let blanks = text[equals + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let open = equals + 1 + blanks;
    let Some(quote @ (b'"' | b'\'')) = text.get(open) else { return damaged("a property has no quotes") };
    let Some(close) = find(text, open + 1, &[*quote]) else { return damaged("a property has no end") };
    Ok(Found { name, properties: Vec::new(), value: unescaped(&text[open + 1..close]), end: close + 1 })
}
