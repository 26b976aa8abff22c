//! `modify`: insert, delete and replace value of, at the nodes of a path.
//!
//! The changed tree is a copy: a path leads to nodes in the old one, which are identified by their addresses.
//! `constructed` reads the inserted nodes.

use super::constructed::{Inserted, element_end, inserted};
use super::path::{Item, Path, is_simple};
use super::tree::{self, Element, Node};
use super::{Variables, in_method};
use crate::messages::Message;

/// The action of a change at its targets.
enum Change {
    Delete,
    /// The new text.
    Replace(String),
    /// New nodes or attributes: at the start, the end, before or behind.
    Insert(Inserted, Where),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    First,
    Last,
    Before,
    After,
}

/// The text of XML after a change, given in the language of XML DML.
///
/// Errors: 9400 for a text that is not XML, 2217 for a change that is not known here, 2395 for a function that there is not.
pub fn modify(xml: &str, change: &str, variables: &Variables<'_>) -> Result<String, Message> {
    changed(xml, change, variables).map_err(|error| in_method(error, "modify"))
}

fn changed(xml: &str, change: &str, variables: &Variables<'_>) -> Result<String, Message> {
    let document = tree::read(xml)?;
    let change = change.trim();
    let mut out = String::new();
    if let Some(path) = word(change, "delete") {
        let places = places(&document, path, variables)?;
        copied(&document, &places, &Change::Delete).write(&mut out);
        return Ok(out);
    }
    if let Some(rest) = word(change, "replace").and_then(|rest| word(rest, "value")).and_then(|rest| word(rest, "of")) {
        let (path, value) = split_at_word(rest, "with").ok_or_else(unknown)?;
        let value = Path::read(value)?.evaluate(&Item::Element(&document), used(path, variables));
        let text = value.iter().map(Item::text).collect::<Vec<_>>().join(" ");
        let mut places = places(&document, path, variables)?;
        places.truncate(1);
        copied(&document, &places, &Change::Replace(text)).write(&mut out);
        return Ok(out);
    }
    let rest = word(change, "insert").ok_or_else(unknown)?;
    let (what, at, path) = insertion(rest).ok_or_else(unknown)?;
    let mut places = places(&document, path, used(what, variables))?;
    places.truncate(1);
    let inserted = inserted(what, &document, variables)?;
    copied(&document, &places, &Change::Insert(inserted, at)).write(&mut out);
    Ok(out)
}

pub(super) fn unknown() -> Message {
    Message::error(2217, "XQuery: this change of XML is not supported here.")
}

/// The rest of a text behind a word.
pub(super) fn word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.trim_start().strip_prefix(word).filter(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
}

/// Before and behind a word that stands outside of quotes and of elements.
fn split_at_word<'t>(text: &'t str, wanted: &str) -> Option<(&'t str, &'t str)> {
    let mut quote = None;
    let mut place = 0;
    while let Some(c) = text.get(place..)?.chars().next() {
        let mut next = place + c.len_utf8();
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '<') => next = element_end(&text[place..]).map_or(next, |length| place + length),
            _ => {}
        }
        if quote.is_none()
            && text[..next].ends_with([' ', '\n', '\t', '>', ')', '}'])
            && let Some(rest) = word(text[next..].trim_start(), wanted)
        {
            return Some((&text[..next], rest));
        }
        place = next;
    }
    None
}

fn insertion(text: &str) -> Option<(&str, Where, &str)> {
    let into = |what: &str| -> Option<(usize, Where)> {
        let trimmed = what.trim_end();
        for (words, at) in [("as first", Where::First), ("as last", Where::Last)] {
            if let Some(before) = trimmed.strip_suffix(words) {
                return Some((before.len(), at));
            }
        }
        Some((what.len(), Where::Last))
    };
    if let Some((what, path)) = split_at_word(text, "into") {
        let (length, at) = into(what)?;
        return Some((&what[..length], at, path));
    }
    if let Some((what, path)) = split_at_word(text, "before") {
        return Some((what, Where::Before, path));
    }
    split_at_word(text, "after").map(|(what, path)| (what, Where::After, path))
}

/// The variables that are left behind those of the text before.
pub(super) fn used<'v>(before: &str, variables: &'v Variables<'v>) -> &'v Variables<'v> {
    let count = before.matches("sql:variable").count() + before.matches("sql:column").count();
    variables.get(count..).unwrap_or(&[])
}

/// The addresses of the places that a path leads to.
fn places(document: &Element, path: &str, variables: &Variables<'_>) -> Result<Vec<Place>, Message> {
    if !is_simple(path) {
        return Err(unknown());
    }
    let items = Path::read(path)?.evaluate(&Item::Element(document), variables);
    Ok(items.iter().filter_map(Place::of).collect())
}

/// Where something is in the old tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Element(*const Element),
    Text(*const u8),
    Attribute(*const u8),
}

impl Place {
    fn of(item: &Item<'_>) -> Option<Place> {
        Some(match item {
            Item::Element(element) => Place::Element(*element),
            Item::Text(text) => Place::Text(text.as_ptr()),
            Item::Attribute(name, _) => Place::Attribute(name.as_ptr()),
            Item::Atom(_) | Item::Truth(_) | Item::Bytes(..) => return None,
        })
    }
}

fn copied(element: &Element, places: &[Place], change: &Change) -> Element {
    let mut copy = Element { name: element.name.clone(), ..Element::default() };
    for (name, value) in &element.attributes {
        match change {
            _ if !places.contains(&Place::Attribute(name.as_ptr())) => {
                copy.attributes.push((name.clone(), value.clone()));
            }
            Change::Replace(text) => copy.attributes.push((name.clone(), text.clone())),
            Change::Delete => {}
            Change::Insert(..) => copy.attributes.push((name.clone(), value.clone())),
        }
    }
    let is_here = places.contains(&Place::Element(element));
    if let (true, Change::Insert(Inserted { nodes, attributes }, Where::First)) = (is_here, change) {
        copy.attributes.extend(attributes.iter().cloned());
        copy.children.extend(nodes.iter().cloned());
    }
    for child in &element.children {
        let place = match child {
            Node::Element(child) => Place::Element(child),
            Node::Text(text) | Node::Aside(text) => Place::Text(text.as_ptr()),
        };
        let new = match child {
            Node::Element(child) => Node::Element(copied(child, places, change)),
            text => text.clone(),
        };
        if !places.contains(&place) {
            copy.children.push(new);
            continue;
        }
        match change {
            Change::Delete => {}
            Change::Replace(text) => copy.children.push(match new {
                Node::Element(element) => {
                    Node::Element(Element { children: vec![Node::Text(text.clone())], ..element })
                }
                Node::Text(_) | Node::Aside(_) => Node::Text(text.clone()),
            }),
            Change::Insert(Inserted { nodes, .. }, Where::Before) => {
                copy.children.extend(nodes.iter().cloned());
                copy.children.push(new);
            }
            Change::Insert(Inserted { nodes, .. }, Where::After) => {
                copy.children.push(new);
                copy.children.extend(nodes.iter().cloned());
            }
            Change::Insert(..) => copy.children.push(new),
        }
    }
    if let (true, Change::Insert(Inserted { nodes, attributes }, Where::Last)) = (is_here, change) {
        copy.attributes.extend(attributes.iter().cloned());
        copy.children.extend(nodes.iter().cloned());
    }
    copy
}
