//! XML: reading it, and the methods of its type (`value`, `query`, `exist`, `nodes`, `modify`).
//!
//! ```text
//!   text  --tree-->  elements, texts  --path-->  items  -->  a value, a text of XML, rows
//! ```
//!
//! A row of `nodes` carries its node as a text of its own, behind a mark ([`CONTEXT`]) that tells a path that it starts at
//! the node and not above it. So a path cannot go up from there (`..`), or begin at the document.
//!
//! Namespaces: prefixes are read over, in the text and in paths, and declarations at the head of a path are too.

mod change;
mod path;
mod tree;

pub use change::modify;
pub use tree::{escaped, escaped_text};

use crate::messages::Message;
use path::{Item, Path};
use tree::{Element, Node};

/// What stands before a text that is one node of a larger one.
const CONTEXT: char = '\u{1}';

/// What a path starts at.
enum Start {
    /// The document: an element without a name above everything.
    Document(Element),
    /// A node.
    Node(Node),
    /// An attribute.
    Attribute(String, String),
}

fn start(xml: &str) -> Result<Start, Message> {
    let Some(node) = xml.strip_prefix(CONTEXT) else { return Ok(Start::Document(tree::read(xml)?)) };
    if let Some(text) = node.strip_prefix(CONTEXT) {
        return Ok(Start::Node(Node::Text(text.to_owned())));
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
    xml: &str,
    path: &str,
    variables: &[Option<&str>],
    work: impl FnOnce(Vec<Item<'_>>) -> T,
) -> Result<T, Message> {
    let path = Path::read(path)?;
    let start = start(xml)?;
    let context = match &start {
        Start::Document(document) => Item::Element(document),
        Start::Node(Node::Element(element)) => Item::Element(element),
        Start::Node(Node::Text(text)) => Item::Text(text),
        Start::Attribute(name, value) => Item::Attribute(name, value),
    };
    Ok(work(path.evaluate(&context, variables)))
}

/// The text that `value` converts: that of the first item; `None` if there is none.
///
/// Errors: 9400 for a text that is not XML, 2217 for a path that is not known here.
pub fn value(xml: &str, path: &str, variables: &[Option<&str>]) -> Result<Option<String>, Message> {
    with_items(xml, path, variables, |items| items.first().map(Item::text))
}

/// The items as XML.
///
/// Errors: as [`value`].
pub fn query(xml: &str, path: &str, variables: &[Option<&str>]) -> Result<String, Message> {
    with_items(xml, path, variables, |items| items.iter().map(Item::xml).collect::<Vec<_>>().concat())
}

/// Whether there is an item; a comparison that is false is one, as it is in SQL Server.
///
/// Errors: as [`value`].
pub fn exist(xml: &str, path: &str, variables: &[Option<&str>]) -> Result<bool, Message> {
    with_items(xml, path, variables, |items| !items.is_empty())
}

/// The items as contexts of further paths, one for each row.
///
/// Errors: as [`value`].
pub fn nodes(xml: &str, path: &str) -> Result<Vec<String>, Message> {
    let context = |item: &Item<'_>| match item {
        Item::Text(text) => format!("{CONTEXT}{CONTEXT}{text}"),
        Item::Attribute(name, value) => format!("{CONTEXT}@{name}={value}"),
        other => format!("{CONTEXT}{}", other.xml()),
    };
    with_items(xml, path, &[], |items| items.iter().map(context).collect())
}

#[cfg(test)]
mod tests;
