//! FOR XML: RAW, AUTO and PATH.

use super::{Mode, Shape, cell};
use crate::messages::Message;
use crate::types::DataType;
use crate::xml::{escaped, escaped_text};
use mainstay_base::Value;

/// Stands behind a value of `data()` until the text is whole; no XML has this character.
const DATA_END: char = '\u{1}';

/// What declares the prefix of `xsi:nil`.
const XSI: &str = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";

pub(super) fn text(shape: &Shape, rows: &[Vec<Value>]) -> Result<String, Message> {
    let mut declared = shape.layout.namespaces.clone();
    if shape.layout.nulls {
        declared.push_str(XSI);
    }
    // The outermost elements declare what is used below.
    let (of_root, of_rows) = match shape.layout.root {
        Some(_) => (declared.as_str(), ""),
        None => ("", declared.as_str()),
    };
    let mut out = String::new();
    match shape.layout.mode {
        Mode::Auto => nested(shape, rows, 0, of_rows, &mut out)?,
        Mode::Raw => {
            let element = shape.layout.element.as_deref().unwrap_or("row");
            let places: Vec<usize> = (0..shape.columns.len()).collect();
            for row in rows {
                let (attributes, body) = flat(shape, row, &places)?;
                element_of(&name_of(element), &format!("{of_rows}{attributes}"), &body, &mut out);
            }
        }
        Mode::Path => {
            let element = shape.layout.element.as_deref().unwrap_or("row");
            for row in rows {
                path_row(shape, row, element, of_rows, &mut out)?;
            }
            out.retain(|c| c != DATA_END);
        }
    }
    Ok(match &shape.layout.root {
        Some(root) => format!("<{0}{of_root}>{out}</{0}>", name_of(root)),
        None => out,
    })
}

fn element_of(name: &str, attributes: &str, body: &str, out: &mut String) {
    match body.is_empty() {
        true => out.push_str(&format!("<{name}{attributes}/>")),
        false => out.push_str(&format!("<{name}{attributes}>{body}</{name}>")),
    }
}

/// A name as XML can have it: other characters are written by their numbers.
fn name_of(name: &str) -> String {
    let mut out = String::new();
    for (place, c) in name.chars().enumerate() {
        let is_plain = c.is_alphabetic() || c == '_' || place > 0 && (c.is_numeric() || matches!(c, '-' | '.' | ':'));
        match is_plain {
            true => out.push(c),
            false => out.push_str(&format!("_x{:04X}_", u32::from(c))),
        }
    }
    out
}

/// The columns as attributes and elements, each by itself.
fn flat(shape: &Shape, row: &[Value], places: &[usize]) -> Result<(String, String), Message> {
    let (mut attributes, mut body) = (String::new(), String::new());
    for place in places {
        let Some(column) = shape.columns.get(*place) else { continue };
        let value = cell(row, *place).to_value();
        let is_xml = column.data_type == DataType::Xml;
        let name = name_of(&column.name);
        match (&value, shape.layout.elements || is_xml) {
            (Value::Null, true) if shape.layout.nulls => body.push_str(&format!("<{name} xsi:nil=\"true\"/>")),
            (Value::Null, _) => {}
            (value, false) => attributes.push_str(&format!(" {name}=\"{}\"", escaped(&shape.value(*place, value)?))),
            (Value::Text(text), true) if is_xml => body.push_str(&format!("<{name}>{text}</{name}>")),
            (value, true) if column.name.is_empty() => body.push_str(&escaped_text(&shape.value(*place, value)?)),
            (value, true) => {
                body.push_str(&format!("<{name}>{}</{name}>", escaped_text(&shape.value(*place, value)?)));
            }
        }
    }
    Ok((attributes, body))
}

/// The elements of one table of AUTO, with those of the next table in them: neighbouring rows with the same values are
/// one element.
fn nested(shape: &Shape, rows: &[Vec<Value>], level: usize, declared: &str, out: &mut String) -> Result<(), Message> {
    let Some((table, places)) = shape.levels.get(level) else { return Ok(()) };
    for group in rows.chunk_by(|a, b| level + 1 < shape.levels.len() && shape.is_same(level, a, b)) {
        let Some(row) = group.first() else { continue };
        let (attributes, mut body) = flat(shape, row, places)?;
        nested(shape, group, level + 1, "", &mut body)?;
        element_of(&name_of(table), &format!("{declared}{attributes}"), &body, out);
    }
    Ok(())
}

/// A row of PATH: names are paths, and neighbours that share their beginning share its elements.
fn path_row(shape: &Shape, row: &[Value], element: &str, declared: &str, out: &mut String) -> Result<(), Message> {
    let mut tree = Part::default();
    for (place, column) in shape.columns.iter().enumerate() {
        let value = cell(row, place).to_value();
        let name = column.name.as_str();
        let (path, leaf) = match name.rsplit_once('/') {
            Some((path, leaf)) => (path, leaf),
            None => ("", name),
        };
        if value == Value::Null && (!shape.layout.nulls || leaf.starts_with('@')) {
            // A step that has nothing in it ends what its neighbours share.
            continue;
        }
        let path: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
        let is_xml = column.data_type == DataType::Xml;
        let text = match &value {
            Value::Null => String::new(),
            Value::Text(text) if is_xml => text.clone(),
            value => shape.value(place, value)?,
        };
        let content = if is_xml { text.clone() } else { escaped_text(&text) };
        let is_null = value == Value::Null;
        tree.within(&path, |part| part.add_leaf(leaf, is_null, &text, &content));
    }
    match element.is_empty() {
        // Values of `data()` that follow one another stand apart, from one row to the next too.
        true => {
            let is_data = |part: Option<&Content>| matches!(part, Some(Content::Data(_)));
            if is_data(tree.parts.first()) && out.ends_with(DATA_END) {
                out.push(' ');
            }
            tree.write_parts(out);
            if is_data(tree.parts.last()) {
                out.push(DATA_END);
            }
        }
        false => {
            let mut body = String::new();
            tree.write_parts(&mut body);
            element_of(&name_of(element), &format!("{declared}{}", tree.attributes), &body, out);
        }
    }
    Ok(())
}

/// An element of a row while it is built.
#[derive(Default)]
struct Part {
    name: String,
    attributes: String,
    parts: Vec<Content>,
}

enum Content {
    Element(Part),
    Text(String),
    Data(String),
}

impl Part {
    /// Adds what a column is, by the last step of its name.
    fn add_leaf(&mut self, leaf: &str, is_null: bool, text: &str, content: &str) {
        match leaf {
            _ if is_null => self.within(&[leaf], |part| part.attributes.push_str(" xsi:nil=\"true\"")),
            "" | "*" | "text()" | "node()" => self.add(content),
            "data()" => {
                let follows = matches!(self.parts.last(), Some(Content::Data(_)));
                self.parts.push(Content::Data(format!("{}{content}", if follows { " " } else { "" })));
            }
            "comment()" => self.add(&format!("<!--{text}-->")),
            leaf => match leaf.strip_prefix('@') {
                Some(name) => self.attributes.push_str(&format!(" {}=\"{}\"", name_of(name), escaped(text))),
                None => {
                    let mut inner = Part { name: leaf.to_owned(), ..Part::default() };
                    inner.add(content);
                    self.parts.push(Content::Element(inner));
                }
            },
        }
    }

    fn add(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(Content::Text(text.to_owned()));
        }
    }

    /// The element of this name that everything so far ends with, or a new one.
    fn within(&mut self, path: &[&str], work: impl FnOnce(&mut Part)) {
        let Some((step, rest)) = path.split_first() else { return work(self) };
        let mut part = match self.parts.pop() {
            Some(Content::Element(last)) if last.name == *step => last,
            other => {
                self.parts.extend(other);
                Part { name: (*step).to_owned(), ..Part::default() }
            }
        };
        part.within(rest, work);
        self.parts.push(Content::Element(part));
    }

    fn write_parts(&self, out: &mut String) {
        for part in &self.parts {
            match part {
                Content::Text(text) | Content::Data(text) => out.push_str(text),
                Content::Element(part) => {
                    let mut body = String::new();
                    part.write_parts(&mut body);
                    element_of(&name_of(&part.name), &part.attributes, &body, out);
                }
            }
        }
    }
}
