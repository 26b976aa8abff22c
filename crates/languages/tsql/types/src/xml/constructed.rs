//! Operands of `insert`: elements with values in braces, attributes, texts, XML from variables, nodes that a path leads
//! to.
//!
//! ```text
//!   <line n="{sql:variable("@n")}">{/order/@id} {{</line>      attribute n {"1"}, text {"a"}      sql:variable("@xml")
//! ```

use super::change::{unknown, used, word};
use super::path::{Item, Path};
use super::tree::{self, Element, Node};
use super::{Given, Variables, escaped};
use crate::messages::Message;

/// The nodes and attributes to insert.
#[derive(Default)]
pub(super) struct Inserted {
    pub(super) nodes: Vec<Node>,
    /// Names and values.
    pub(super) attributes: Vec<(String, String)>,
}

/// Reads what is inserted; paths in it start at the document.
///
/// Errors: 2217 for what is not known here, and those of XML.
pub(super) fn inserted(what: &str, document: &Element, variables: &Variables<'_>) -> Result<Inserted, Message> {
    let what = what.trim();
    let mut rest = what.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(what).trim();
    let mut found = Inserted::default();
    let mut variables = variables;
    while !rest.is_empty() {
        let length = part_end(rest).ok_or_else(unknown)?;
        let (part, behind) = rest.split_at(length);
        one(part.trim(), document, variables, &mut found)?;
        variables = used(part, variables);
        rest = behind.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(behind) => behind.trim_start(),
            None if rest.is_empty() => rest,
            None => return Err(unknown()),
        };
    }
    Ok(found)
}

fn one(part: &str, document: &Element, variables: &Variables<'_>, found: &mut Inserted) -> Result<(), Message> {
    let start = Item::Element(document);
    let in_braces = |rest: &str| -> Result<String, Message> {
        let path = rest.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or_else(unknown)?;
        Ok(joined(&Path::read(path)?.evaluate(&start, variables)))
    };
    if part.starts_with('<') {
        found.nodes.extend(tree::read(&filled(part, document, variables)?)?.children);
    } else if let Some(rest) = word(part, "attribute") {
        let (name, value) = rest.split_at(rest.find('{').ok_or_else(unknown)?);
        found.attributes.push((name.trim().to_owned(), in_braces(value)?));
    } else if let Some(rest) = word(part, "text") {
        found.nodes.push(Node::Text(in_braces(rest)?));
    } else if part.starts_with("sql:") {
        match variables.first().copied().flatten() {
            Some(Given::Text(text)) => found.nodes.extend(tree::read(text)?.children),
            Some(Given::Binary(_)) => return Err(unknown()),
            None => {}
        }
    } else {
        for item in Path::read(part)?.evaluate(&start, variables) {
            match item {
                Item::Element(element) => found.nodes.push(Node::Element(element.clone())),
                Item::Attribute(name, value) => found.attributes.push((name.to_owned(), value.to_owned())),
                other => found.nodes.push(Node::Text(other.text())),
            }
        }
    }
    Ok(())
}

fn joined(items: &[Item<'_>]) -> String {
    items.iter().map(Item::text).collect::<Vec<_>>().join(" ")
}

/// An element with the values of what stands in braces.
fn filled(text: &str, document: &Element, variables: &Variables<'_>) -> Result<String, Message> {
    let mut out = String::with_capacity(text.len());
    let mut variables = variables;
    // Within a tag, and there within these quotes.
    let (mut in_tag, mut quote) = (false, None);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
            out.push(c);
            rest = behind;
            continue;
        }
        if c == '{' {
            let length = braces_end(rest).ok_or_else(unknown)?;
            let path = rest.get(1..length - 1).unwrap_or("");
            let items = Path::read(path)?.evaluate(&Item::Element(document), variables);
            variables = used(path, variables);
            out.push_str(&if in_tag { escaped(&joined(&items)) } else { content(&items) });
            rest = &rest[length..];
            continue;
        }
        match (in_tag, quote, c) {
            (false, _, '<') => in_tag = true,
            (true, None, '>') => in_tag = false,
            (true, None, '"' | '\'') => quote = Some(c),
            (true, Some(open), c) if open == c => quote = None,
            _ => {}
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    Ok(out)
}

/// Items within an element: nodes as they are, values with a blank between each two.
fn content(items: &[Item<'_>]) -> String {
    let mut out = String::new();
    let mut after_value = false;
    for item in items {
        let is_value = !matches!(item, Item::Element(_) | Item::Text(_));
        if after_value && is_value {
            out.push(' ');
        }
        out.push_str(&item.xml());
        after_value = is_value;
    }
    out
}

/// The length of the first of several parts that commas divide.
fn part_end(text: &str) -> Option<usize> {
    if text.starts_with('<') {
        return element_end(text);
    }
    let (mut quote, mut depth) = (None, 0usize);
    for (place, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '(' | '{' | '[') => depth += 1,
            (None, ')' | '}' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => return Some(place),
            _ => {}
        }
    }
    Some(text.len())
}

/// The length of the element that a text begins with; `None` if it begins with none.
pub(super) fn element_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        at += match rest.chars().next()? {
            '<' if rest.starts_with("<!--") => rest.find("-->")? + 3,
            '<' if rest.starts_with("<![CDATA[") => rest.find("]]>")? + 3,
            '<' if rest.starts_with("<?") => rest.find("?>")? + 2,
            '<' => {
                let length = tag_end(rest)?;
                let tag = &rest[..length];
                match () {
                    () if tag.starts_with("</") => depth = depth.checked_sub(1)?,
                    () if tag.ends_with("/>") => {}
                    () => depth += 1,
                }
                length
            }
            '{' if rest.starts_with("{{") => 2,
            '{' => braces_end(rest)?,
            c => c.len_utf8(),
        };
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The length of the tag that a text begins with.
fn tag_end(text: &str) -> Option<usize> {
    if !text[1..].starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '/')) {
        return None;
    }
    let mut quote = None;
    let mut at = 1;
    loop {
        let rest = text.get(at..)?;
        let c = rest.chars().next()?;
        at += c.len_utf8();
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            // The quotes in braces are not those around them.
            (Some(_), '{') if !rest.starts_with("{{") => at += braces_end(rest)? - 1,
            _ => {}
        }
    }
}

/// The length of what stands in braces, with them.
fn braces_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (place, c) in text.char_indices() {
        match (quote, c) {
            (None, '}') => return Some(place + 1),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}
