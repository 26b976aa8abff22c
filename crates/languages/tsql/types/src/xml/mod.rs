//! XML: reading it, and the methods of its type (`value`, `query`, `exist`, `nodes`, `modify`).
//!
//! ```text
//!   text  --tree-->  elements, texts  --path-->  items  -->  a value, a text of XML, rows
//! ```
//!
//! A row of `nodes` has its node as a separate text, behind a mark (`CONTEXT`) that makes a path start at the node and
//! not above it. If a path of the statement goes up from there (`..`), the row has the whole document with the place of
//! the node. `places` has the parents of elements.
//!
//! `open` makes the rows of OPENXML, where namespaces count.
//!
//! Namespaces: prefixes in the text and in paths are ignored, and so are declarations at the head of a path.

mod change;
mod constructed;
mod functions;
pub mod open;
mod path;
mod places;
mod reader;
mod tree;

pub use change::modify;
pub use tree::{escaped, escaped_text};

use crate::messages::Message;
use path::{Item, Path};
use places::Places;
use tree::{Element, Node};

/// The value of `sql:variable` or `sql:column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given<'v> {
    /// A value as its text.
    Text(&'v str),
    /// Bytes.
    Binary(&'v [u8]),
}

/// The values of `sql:variable` and `sql:column`, in their order in a path; `None` for NULL.
pub type Variables<'v> = [Option<Given<'v>>];

/// The prefix of a text that is one node of a larger document.
const CONTEXT: char = '\u{1}';

/// The context in which a path starts.
enum Start {
    /// The document: an element without a name above everything.
    Document(Element),
    /// A node.
    Node(Node),
    /// An element of a document: which child of which child it is.
    Within(Element, Vec<usize>),
    /// An attribute.
    Attribute(String, String),
}

fn start(xml: &str) -> Result<Start, Message> {
    let Some(node) = xml.strip_prefix(CONTEXT) else { return Ok(Start::Document(tree::read(xml)?)) };
    if let Some(text) = node.strip_prefix(CONTEXT) {
        return Ok(Start::Node(Node::Text(text.to_owned())));
    }
    if let Some((place, document)) = node.strip_prefix('^').and_then(|rest| rest.split_once(CONTEXT)) {
        let place = place.split('.').filter_map(|part| part.parse().ok()).collect();
        return Ok(Start::Within(tree::read(document)?, place));
    }
    if let Some((name, value)) = node.strip_prefix('@').and_then(|rest| rest.split_once('=')) {
        return Ok(Start::Attribute(name.to_owned(), value.to_owned()));
    }
    let mut document = tree::read(node)?;
    Ok(match document.children.pop() {
        Some(node) => Start::Node(node),
        None => Start::Document(document),
    })
}

/// Does something with the items that a path leads to.
fn with_items<T>(
    method: &str,
    xml: &str,
    path: &str,
    variables: &Variables<'_>,
    work: impl FnOnce(Vec<Item<'_>>) -> T,
) -> Result<T, Message> {
    let start = start(xml)?;
    let is_absolute = begins_at_document(path);
    let path = Path::read(path).map_err(|error| in_method(error, method))?;
    let context = match &start {
        Start::Within(document, _) if is_absolute => Item::Element(document),
        Start::Within(document, place) => Item::Element(document.at(place).unwrap_or(document)),
        Start::Document(document) => Item::Element(document),
        Start::Node(Node::Aside(text)) => Item::Text(text),
        Start::Node(Node::Element(element)) => Item::Element(element),
        Start::Node(Node::Text(text)) => Item::Text(text),
        Start::Attribute(name, value) => Item::Attribute(name, value),
    };
    let root = match &start {
        Start::Within(root, _) | Start::Document(root) | Start::Node(Node::Element(root)) => Some(root),
        _ => None,
    };
    let places = root.filter(|_| path.goes_up()).map(Places::of);
    Ok(work(path.evaluate_at(&context, variables, places.as_ref())))
}

/// The error of a path with the method that was given it.
fn in_method(error: Message, method: &str) -> Message {
    let text = error.text.replacen("XQuery:", &format!("XQuery [{method}()]:"), 1);
    Message { text, ..error }
}

/// Returns true if a path begins at the document.
fn begins_at_document(path: &str) -> bool {
    path.trim_start_matches(|c: char| c == '(' || c.is_whitespace()).starts_with('/')
}

/// A text that becomes XML: without its declaration, blanks between elements, and other ways to write the same.
///
/// Errors: 9400, 9436 and others for a text that is not XML.
pub fn normalized(text: &str) -> Result<String, Message> {
    if text.starts_with(CONTEXT) {
        return Ok(text.to_owned());
    }
    let mut out = String::with_capacity(text.len());
    tree::read(text)?.write(&mut out);
    Ok(out)
}

/// The attributes of a document's element as they stand in it, and its contents.
///
/// Errors: as [`normalized`].
pub(crate) fn parts_of(text: &str) -> Result<(String, String), Message> {
    let document = tree::read(text)?;
    let (mut attributes, mut contents) = (String::new(), String::new());
    if let Some(Node::Element(element)) = document.children.iter().find(|child| matches!(child, Node::Element(_))) {
        for (name, value) in &element.attributes {
            attributes.push_str(&format!(" {name}=\"{}\"", escaped(value)));
        }
        element.children.iter().for_each(|child| child.write(&mut contents));
    }
    Ok((attributes, contents))
}

/// The text that `value` converts: that of the first item; `None` if there is none.
///
/// Errors: 9400 for a text that is not XML, 2217 for a path that is not known here, 2395 for a function that there is not.
pub fn value(xml: &str, path: &str, variables: &Variables<'_>) -> Result<Option<String>, Message> {
    with_items("value", xml, path, variables, |items| items.first().map(Item::text))
}

/// The bytes that `value` converts: those of the first item, of a text what it stands for in base64; `None` if there is none.
///
/// Errors: as [`value`].
pub fn bytes(xml: &str, path: &str, variables: &Variables<'_>) -> Result<Option<Vec<u8>>, Message> {
    with_items("value", xml, path, variables, |items| match items.first()? {
        Item::Bytes(bytes, _) => Some(bytes.clone()),
        item => crate::functions::base64_bytes(&item.text()),
    })
}

/// Sees that a path leads to one item at most, as `value` wants it.
///
/// Errors: 2389 for one that may lead to several. A path that cannot be read has its error where it is followed.
pub fn check_single(path: &str) -> Result<(), Message> {
    match Path::read(path) {
        Ok(path) if !path.is_single() => {
            let text = "XQuery [value()]: 'value()' requires a singleton (or empty sequence), found operand of type \
                        'xdt:untypedAtomic *'";
            Err(Message::error(2389, text))
        }
        _ => Ok(()),
    }
}

/// The items as XML.
///
/// Errors: as [`value`].
pub fn query(xml: &str, path: &str, variables: &Variables<'_>) -> Result<String, Message> {
    with_items("query", xml, path, variables, |items| items.iter().map(Item::xml).collect::<Vec<_>>().concat())
}

/// Returns true if there is an item; a comparison that is false is one, as it is in SQL Server.
///
/// Errors: as [`value`].
pub fn exist(xml: &str, path: &str, variables: &Variables<'_>) -> Result<bool, Message> {
    with_items("exist", xml, path, variables, |items| !items.is_empty())
}

/// The items as contexts of further paths, one for each row; with the whole document if paths go up from there.
///
/// Errors: as [`value`].
pub fn nodes(xml: &str, path: &str, variables: &Variables<'_>, goes_up: bool) -> Result<Vec<String>, Message> {
    if goes_up {
        return places(xml, path, variables).map_err(|error| in_method(error, "nodes"));
    }
    let context = |item: &Item<'_>| match item {
        Item::Text(text) => format!("{CONTEXT}{CONTEXT}{text}"),
        Item::Attribute(name, value) => format!("{CONTEXT}@{name}={value}"),
        other => format!("{CONTEXT}{}", other.xml()),
    };
    with_items("nodes", xml, path, variables, |items| items.iter().map(context).collect())
}

/// The elements that a path leads to as places in their document; other items by themselves.
fn places(xml: &str, path: &str, variables: &Variables<'_>) -> Result<Vec<String>, Message> {
    let own = xml.strip_prefix(CONTEXT).and_then(|rest| rest.strip_prefix('^'));
    let text = own.and_then(|rest| rest.split_once(CONTEXT)).map_or(xml, |(_, document)| document);
    let document = tree::read(text.strip_prefix(CONTEXT).unwrap_or(text))?;
    let mut written = String::new();
    document.write(&mut written);
    let from = own.and_then(|rest| rest.split_once(CONTEXT)).map_or("", |(place, _)| place);
    let from: Vec<usize> = from.split('.').filter_map(|part| part.parse().ok()).collect();
    let from = if begins_at_document(path) { &[][..] } else { &from };
    let path = Path::read(path)?;
    let start = Item::Element(document.at(from).unwrap_or(&document));
    let places = path.goes_up().then(|| Places::of(&document));
    let found = path.evaluate_at(&start, variables, places.as_ref());
    let mut known = Vec::new();
    document.each(&mut Vec::new(), &mut |element, place| known.push((std::ptr::from_ref(element), place.to_vec())));
    let by_address: std::collections::HashMap<*const Element, Vec<usize>> = known.into_iter().collect();
    let context = |item: &Item<'_>| match item {
        Item::Text(text) => format!("{CONTEXT}{CONTEXT}{text}"),
        Item::Attribute(name, value) => format!("{CONTEXT}@{name}={value}"),
        Item::Element(element) => {
            let place = by_address.get(&std::ptr::from_ref(*element)).map_or(&[][..], Vec::as_slice);
            let place: Vec<String> = place.iter().map(usize::to_string).collect();
            format!("{CONTEXT}^{}{CONTEXT}{written}", place.join("."))
        }
        other => format!("{CONTEXT}{}", other.xml()),
    };
    Ok(found.iter().map(context).collect())
}

#[cfg(test)]
mod tests;
