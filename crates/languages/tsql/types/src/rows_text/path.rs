//! FOR XML PATH: the names of columns are paths.
//!
//! ```text
//!   1 AS [a/@id], 'x' AS [a/b], 'y' AS [a/b], 'z' AS c      <row><a id="1"><b>xy</b></a><c>z</c></row>
//! ```
//!
//! Neighbouring columns share the elements at the beginning of their paths, whatever their values are: a column without
//! a name between two others separates their elements, and so does a NULL. An element with only NULLs is left out.

use super::xml::{element_of, name_of};
use super::{RowsColumn, Shape, cell};
use crate::messages::Message;
use crate::types::DataType;
use crate::xml::{escaped, escaped_text};
use mainstay_types::Value;

/// Stands behind a value of `data()` until the text is whole; no XML has this character.
const DATA_END: char = '\u{1}';

/// The role of a column in the element that its path leads to.
#[derive(Clone, Copy)]
enum Leaf<'n> {
    /// `@name`.
    Attribute(&'n str),
    /// The element itself: the value is what it holds.
    Whole,
    /// `text()`, `node()`, `*` and a column without a name.
    Text,
    /// `data()`: neighbours stand apart.
    Data,
    /// `comment()`.
    Comment,
    /// `processing-instruction(name)`.
    Instruction(&'n str),
}

/// The elements that a column is in, from the row's on, and what it is there.
fn steps(name: &str) -> (Vec<&str>, Leaf<'_>) {
    let (path, last) = name.rsplit_once('/').unwrap_or(("", name));
    let mut path: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
    let instruction = || last.strip_prefix("processing-instruction(")?.strip_suffix(')');
    let leaf = match last {
        "" | "*" | "text()" | "node()" => Leaf::Text,
        "data()" => Leaf::Data,
        "comment()" => Leaf::Comment,
        other => match (other.strip_prefix('@'), instruction()) {
            (Some(name), _) => Leaf::Attribute(name),
            (None, Some(name)) => Leaf::Instruction(name),
            (None, None) => {
                path.push(last);
                Leaf::Whole
            }
        },
    };
    (path, leaf)
}

/// Returns true if the columns can be written in their order within rows of this element.
///
/// Errors: 6852 for an attribute behind what its element holds, 6864 for one of a row without an element.
pub(super) fn check(columns: &[RowsColumn], element: &str) -> Result<(), Message> {
    // The elements that are open, the row's first, and whether they hold something.
    let mut open = vec![("", false)];
    for column in columns {
        let (path, leaf) = steps(&column.name);
        let shared = open.iter().skip(1).zip(&path).take_while(|((name, _), step)| name == *step).count();
        open.truncate(shared + 1);
        for step in path.into_iter().skip(shared) {
            hold(&mut open);
            open.push((step, false));
        }
        match leaf {
            Leaf::Attribute(_) if open.len() == 1 && element.is_empty() => return Err(Message::numbered(6864, &[])),
            Leaf::Attribute(_) if open.last().is_some_and(|(_, holds)| *holds) => {
                return Err(Message::numbered(6852, &[&column.name]));
            }
            Leaf::Attribute(_) => {}
            _ => hold(&mut open),
        }
    }
    Ok(())
}

fn hold(open: &mut [(&str, bool)]) {
    if let Some((_, holds)) = open.last_mut() {
        *holds = true;
    }
}

/// Writes a row.
pub(super) fn row(
    shape: &Shape,
    row: &[Value],
    element: &str,
    declared: &str,
    out: &mut String,
) -> Result<(), Message> {
    let mut tree = Part::default();
    for (place, column) in shape.columns.iter().enumerate() {
        let content = content(shape, row, place)?;
        let (path, leaf) = steps(&column.name);
        let is_present = content.is_some() || shape.layout.nulls && matches!(leaf, Leaf::Whole);
        tree.within(&path, is_present, |part| match content {
            Some(content) => part.add_leaf(leaf, &content),
            None => part.add_null(leaf, shape.layout.nulls),
        });
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

/// Ends the text of all rows.
pub(super) fn finish(out: &mut String) {
    out.retain(|c| c != DATA_END);
}

/// A value as text, and as what an element holds; `None` for NULL.
fn content(shape: &Shape, row: &[Value], place: usize) -> Result<Option<Written>, Message> {
    let is_xml = shape.columns.get(place).is_some_and(|column| column.data_type == DataType::Xml);
    Ok(match cell(row, place).to_value() {
        Value::Null => None,
        Value::Text(text) if is_xml => Some(Written { held: text.clone(), text }),
        value => {
            let text = shape.value(place, &value)?;
            Some(Written { held: escaped_text(&text), text })
        }
    })
}

struct Written {
    text: String,
    held: String,
}

/// An element of a row while it is built.
#[derive(Default)]
struct Part {
    name: String,
    attributes: String,
    parts: Vec<Content>,
    /// True if anything but NULLs is in it.
    is_present: bool,
}

enum Content {
    Element(Part),
    Text(String),
    Data(String),
}

impl Part {
    fn add_leaf(&mut self, leaf: Leaf<'_>, value: &Written) {
        let Written { text, held } = value;
        match leaf {
            Leaf::Attribute(name) => {
                self.attributes.push_str(&format!(" {}=\"{}\"", name_of(name), escaped(text)));
            }
            Leaf::Whole | Leaf::Text => self.parts.push(Content::Text(held.clone())),
            Leaf::Data => {
                let follows = matches!(self.parts.last(), Some(Content::Data(_)));
                self.parts.push(Content::Data(format!("{}{held}", if follows { " " } else { "" })));
            }
            Leaf::Comment => self.parts.push(Content::Text(format!("<!--{text}-->"))),
            Leaf::Instruction(name) => self.parts.push(Content::Text(format!("<?{name} {text}?>"))),
        }
    }

    /// Nothing, but what stands on both sides of it has no common element.
    fn add_null(&mut self, leaf: Leaf<'_>, is_shown: bool) {
        const NIL: &str = " xsi:nil=\"true\"";
        match leaf {
            Leaf::Attribute(_) | Leaf::Data => {}
            Leaf::Whole if is_shown && !self.attributes.contains(NIL) => self.attributes.push_str(NIL),
            _ => self.parts.push(Content::Text(String::new())),
        }
    }

    /// The element of this path that everything so far ends with, or a new one.
    fn within(&mut self, path: &[&str], is_present: bool, work: impl FnOnce(&mut Part)) {
        self.is_present |= is_present;
        let Some((step, rest)) = path.split_first() else { return work(self) };
        let mut part = match self.parts.pop() {
            Some(Content::Element(last)) if last.name == *step => last,
            other => {
                self.parts.extend(other);
                Part { name: (*step).to_owned(), ..Part::default() }
            }
        };
        part.within(rest, is_present, work);
        self.parts.push(Content::Element(part));
    }

    fn write_parts(&self, out: &mut String) {
        for part in &self.parts {
            match part {
                Content::Text(text) | Content::Data(text) => out.push_str(text),
                Content::Element(part) if part.is_present => {
                    let mut body = String::new();
                    part.write_parts(&mut body);
                    element_of(&name_of(&part.name), &part.attributes, &body, out);
                }
                Content::Element(_) => {}
            }
        }
    }
}
