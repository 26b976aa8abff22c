//! XML as a tree: parsing and printing.

use crate::messages::Message;

/// The greatest depth to which elements nest.
const MOST_DEPTH: usize = 128;

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    /// Its name, with its prefix; empty for the document.
    pub(super) name: String,
    /// Names and values.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Node>,
}

/// A node in an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Element(Element),
    Text(String),
    /// A comment or an instruction, as it stands.
    Aside(String),
}

impl Element {
    /// All text within.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.add_text(&mut out);
        out
    }

    fn add_text(&self, out: &mut String) {
        for child in &self.children {
            match child {
                Node::Text(text) => out.push_str(text),
                Node::Element(element) => element.add_text(out),
                Node::Aside(_) => {}
            }
        }
    }

    /// The element that is this child of this child.
    pub(super) fn at(&self, place: &[usize]) -> Option<&Element> {
        let Some((first, rest)) = place.split_first() else { return Some(self) };
        match self.children.get(*first)? {
            Node::Element(element) => element.at(rest),
            _ => None,
        }
    }

    /// Visits every element within, with its place.
    pub(super) fn each<'e>(&'e self, place: &mut Vec<usize>, visit: &mut dyn FnMut(&'e Element, &[usize])) {
        for (number, child) in self.children.iter().enumerate() {
            let Node::Element(element) = child else { continue };
            place.push(number);
            visit(element, place);
            element.each(place, visit);
            place.pop();
        }
    }

    /// As XML; of the document, what is in it.
    pub(super) fn write(&self, out: &mut String) {
        if self.name.is_empty() {
            self.children.iter().for_each(|child| child.write(out));
            return;
        }
        out.push('<');
        out.push_str(&self.name);
        for (name, value) in &self.attributes {
            out.push_str(&format!(" {name}=\"{}\"", escaped(value)));
        }
        if self.children.is_empty() {
            out.push_str("/>");
            return;
        }
        out.push('>');
        self.children.iter().for_each(|child| child.write(out));
        out.push_str(&format!("</{}>", self.name));
    }
}

impl Node {
    pub(super) fn write(&self, out: &mut String) {
        match self {
            Node::Element(element) => element.write(out),
            Node::Text(text) => out.push_str(&escaped_text(text)),
            Node::Aside(text) => out.push_str(text),
        }
    }
}

/// A text as it stands in an attribute.
pub fn escaped(text: &str) -> String {
    let mut out = escaped_text(text);
    if out.contains(['"', '\n', '\t']) {
        out = out.replace('"', "&quot;").replace('\n', "&#x0A;").replace('\t', "&#x09;");
    }
    out
}

/// A text as it stands in an element.
pub fn escaped_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#x0D;"),
            // XML cannot have these as they are; the server writes references.
            control if u32::from(control) < 0x20 && !matches!(control, '\t' | '\n') => {
                out.push_str(&format!("&#x{:02X};", u32::from(control)));
            }
            other => out.push(other),
        }
    }
    out
}

/// Reads a document or a part of one.
///
/// Errors: 9400, 9402, 9436 and their like for what is not XML.
pub(super) fn read(text: &str) -> Result<Element, Message> {
    read_to(text).map_err(|malformed| malformed.message)
}

/// A text that is not XML.
pub(super) struct Malformed {
    pub(super) message: Message,
    /// The number of bytes before the error.
    pub(super) at: usize,
    /// The elements that were not closed there, the innermost last.
    pub(super) open: Vec<String>,
}

/// Reads a document or a part of one, and says how far it came.
pub(super) fn read_to(text: &str) -> Result<Element, Malformed> {
    let mut reader = Reader { text, at: 0, open: Vec::new() };
    let mut document = Element::default();
    let read = reader.content(&mut document, 0).and_then(|()| match reader.at == text.len() {
        true => Ok(document),
        false => Err(reader.error(9455, "illegal qualified name character")),
    });
    read.map_err(|message| Malformed { message, at: reader.at, open: reader.open })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The elements that are not closed, the innermost last.
    open: Vec<String>,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn error(&self, number: i32, what: &str) -> Message {
        let before = self.text.get(..self.at).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let place = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Message::error(number, format!("XML parsing: line {line}, character {place}, {what}"))
    }

    fn skip(&mut self, start: &str, end: &str) -> Result<bool, Message> {
        if !self.rest().starts_with(start) {
            return Ok(false);
        }
        match self.rest().find(end) {
            Some(place) => {
                self.at += place + end.len();
                Ok(true)
            }
            None => Err(self.error(9400, "unexpected end of input")),
        }
    }

    /// Reads the content of an element, up to its end tag.
    fn content(&mut self, parent: &mut Element, depth: usize) -> Result<(), Message> {
        if depth > MOST_DEPTH {
            return Err(self.error(6335, "the XML is nested too deep"));
        }
        let mut text = String::new();
        while !self.rest().is_empty() && !self.rest().starts_with("</") {
            if self.skip("<?xml ", "?>")? || self.skip("<!DOCTYPE", ">")? {
                continue;
            }
            let start = self.at;
            if self.skip("<?", "?>")? || self.skip("<!--", "-->")? {
                add_text(parent, &mut text);
                parent.children.push(Node::Aside(self.text.get(start..self.at).unwrap_or("").to_owned()));
                continue;
            }
            if let Some(rest) = self.rest().strip_prefix("<![CDATA[") {
                let end = rest.find("]]>").ok_or_else(|| self.error(9400, "unexpected end of input"))?;
                text.push_str(&rest[..end]);
                self.at += 9 + end + 3;
            } else if self.rest().starts_with('<') {
                add_text(parent, &mut text);
                let element = self.element(depth)?;
                parent.children.push(Node::Element(element));
            } else {
                let length = self.rest().find('<').unwrap_or(self.rest().len());
                let part = &self.rest()[..length];
                text.push_str(&self.resolved(part)?);
                self.at += length;
            }
        }
        add_text(parent, &mut text);
        Ok(())
    }

    fn element(&mut self, depth: usize) -> Result<Element, Message> {
        self.at += 1;
        let mut element = Element { name: self.name()?, ..Element::default() };
        self.open.push(element.name.clone());
        loop {
            self.blanks();
            if self.rest().starts_with("/>") {
                self.at += 2;
                self.open.pop();
                return Ok(element);
            }
            if self.rest().starts_with('>') {
                self.at += 1;
                break;
            }
            let name = self.name()?;
            self.blanks();
            if !self.rest().starts_with('=') {
                return Err(self.error(9414, "equal expected"));
            }
            self.at += 1;
            self.blanks();
            let value = self.quoted()?;
            element.attributes.push((name, value));
        }
        self.content(&mut element, depth + 1)?;
        if self.rest().is_empty() {
            return Err(self.error(9400, "unexpected end of input"));
        }
        self.at += 2;
        let name = self.name()?;
        self.blanks();
        if name != element.name || !self.rest().starts_with('>') {
            return Err(self.error(9436, "end tag does not match start tag"));
        }
        self.at += 1;
        self.open.pop();
        Ok(element)
    }

    fn quoted(&mut self) -> Result<String, Message> {
        let quote = self.rest().chars().next().filter(|quote| matches!(quote, '"' | '\''));
        let Some(quote) = quote else { return Err(self.error(9413, "A string literal was expected")) };
        let rest = &self.rest()[1..];
        let end = rest.find(quote).ok_or_else(|| self.error(9400, "unexpected end of input"))?;
        let value = self.resolved(&rest[..end])?;
        self.at += end + 2;
        Ok(value)
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn name(&mut self) -> Result<String, Message> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let rest = self.rest();
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let starts = rest.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if length == 0 || !starts {
            return Err(self.error(9455, "illegal qualified name character"));
        }
        self.at += length;
        Ok(rest[..length].to_owned())
    }

    /// A text with its references resolved.
    fn resolved(&self, text: &str) -> Result<String, Message> {
        if !text.contains('&') {
            return Ok(text.to_owned());
        }
        let (mut out, mut rest) = (String::new(), text);
        while let Some(place) = rest.find('&') {
            out.push_str(&rest[..place]);
            let end = rest[place..].find(';').ok_or_else(|| self.error(9411, "semicolon expected"))?;
            let name = &rest[place + 1..place + end];
            let character = match name {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => {
                    let hexadecimal = name.strip_prefix("#x").map(|digits| u32::from_str_radix(digits, 16).ok());
                    let number = hexadecimal.or_else(|| name.strip_prefix('#').map(|digits| digits.parse().ok()));
                    number.flatten().and_then(char::from_u32)
                }
            };
            out.push(character.ok_or_else(|| self.error(9448, "well formed check: undeclared entity"))?);
            rest = &rest[place + end + 1..];
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// Ends a text: blanks between elements say nothing.
fn add_text(parent: &mut Element, text: &mut String) {
    let text = std::mem::take(text);
    if !text.trim().is_empty() {
        parent.children.push(Node::Text(text));
    }
}
