//! FOR XML EXPLICIT: every row names the element that it opens, and its parent.
//!
//! ```text
//!   Tag  Parent  Cust!1!id  Cust!1!name!element  Ord!2!no
//!    1   NULL      7             Anna              NULL        <Cust id="7"><name>Anna</name>
//!    2    1        7             NULL              311           <Ord no="311"/></Cust>
//! ```
//!
//! A column is named ELEMENT!TAG!NAME!DIRECTIVE, and is written in the rows of its tag. A row closes all open elements
//! up to the nearest one of its parent's tag. Source: "Use EXPLICIT Mode with FOR XML".

use super::xml::{XSI, element_of, name_of};
use super::{RowsColumn, Shape, cell};
use crate::messages::Message;
use crate::types::DataType;
use crate::xml::{escaped, escaped_text, parts_of};
use mainstay_types::{Value, ValueRef};

/// The form of a column in its element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    Attribute,
    Element,
    /// An element that says so where the value is NULL.
    ElementOrNil,
    /// An element whose text is XML already.
    Xml,
    /// A document whose attributes and contents are the element's, or with a name an element of its own.
    Overflow,
    Cdata,
    Hide,
}

/// A column: the tag that it is of, the element of that tag, its own name there, and what it becomes.
struct Field<'n> {
    element: &'n str,
    tag: i64,
    name: &'n str,
    directive: Directive,
}

impl<'n> Field<'n> {
    /// Errors: 6802.
    fn read(column: &'n str) -> Result<Field<'n>, Message> {
        let invalid = || Message::numbered(6802, &[&column]);
        let mut parts = column.splitn(4, '!');
        let (element, tag) = (parts.next().unwrap_or(""), parts.next().ok_or_else(invalid)?);
        let tag = tag.parse().ok().filter(|tag| *tag > 0).ok_or_else(invalid)?;
        let name = parts.next().unwrap_or("");
        let directive = match parts.next().unwrap_or("").to_ascii_lowercase().as_str() {
            "" | "id" | "idref" | "nmtoken" => Directive::Attribute,
            "element" => Directive::Element,
            "elementxsinil" => Directive::ElementOrNil,
            "xml" => Directive::Xml,
            "xmltext" => Directive::Overflow,
            "cdata" if name.is_empty() => Directive::Cdata,
            "hide" => Directive::Hide,
            _ => return Err(invalid()),
        };
        if element.is_empty() {
            return Err(invalid());
        }
        Ok(Field { element, tag, name, directive })
    }
}

/// An element that is open.
struct Open {
    tag: i64,
    name: String,
    attributes: String,
    body: String,
}

fn fields(columns: &[RowsColumn]) -> Result<Vec<Field<'_>>, Message> {
    columns.iter().skip(2).map(|column| Field::read(&column.name)).collect()
}

/// Sees that the columns are those of such a query.
///
/// Errors: 6802, 6803, 6810, 6812, 6820.
pub(super) fn check(columns: &[RowsColumn]) -> Result<(), Message> {
    if columns.len() < 3 {
        return Err(Message::numbered(6803, &[]));
    }
    for (place, (wanted, column)) in ["Tag", "Parent"].iter().zip(columns).enumerate() {
        if !column.name.eq_ignore_ascii_case(wanted) {
            return Err(Message::numbered(6820, &[&(place + 1), wanted, &column.name]));
        }
    }
    let fields = fields(columns)?;
    for (place, field) in fields.iter().enumerate() {
        let before = fields.iter().take(place).filter(|other| other.tag == field.tag);
        for other in before {
            if other.element != field.element {
                return Err(Message::numbered(6812, &[&field.tag, &other.element, &field.element]));
            }
            let is_attribute = field.directive == Directive::Attribute && !field.name.is_empty();
            if is_attribute && other.directive == Directive::Attribute && other.name == field.name {
                return Err(Message::numbered(6810, &[&field.name]));
            }
        }
    }
    Ok(())
}

/// The elements of all rows; what is outermost declares the namespaces.
///
/// Errors: 6804, 6806, 6807, 6833, and those of converting values.
pub(super) fn rows(shape: &Shape, rows: &[Vec<Value>], declared: &str, out: &mut String) -> Result<(), Message> {
    let fields = fields(&shape.columns)?;
    let has_nil = fields.iter().any(|field| field.directive == Directive::ElementOrNil);
    let declared = if has_nil { format!("{declared}{XSI}") } else { declared.to_owned() };
    let mut open: Vec<Open> = Vec::new();
    for row in rows {
        let tag = number(row, 0).unwrap_or(0);
        let parent = number(row, 1).filter(|parent| *parent != 0);
        if parent.is_some_and(|parent| parent < 0) {
            return Err(Message::numbered(6804, &[]));
        }
        let of_tag = |tag: i64| fields.iter().find(|field| field.tag == tag);
        let own = of_tag(tag).ok_or_else(|| Message::numbered(6806, &[&tag]))?;
        let left = match parent {
            None => 0,
            Some(parent) if of_tag(parent).is_none() => return Err(Message::numbered(6807, &[&parent])),
            Some(parent) => match open.iter().rposition(|element| element.tag == parent) {
                Some(place) => place + 1,
                None => return Err(Message::numbered(6833, &[&parent])),
            },
        };
        close(&mut open, left, out);
        let attributes = if open.is_empty() { declared.clone() } else { String::new() };
        let mut element = Open { tag, name: name_of(own.element), attributes, body: String::new() };
        for (place, field) in fields.iter().enumerate().filter(|(_, field)| field.tag == tag) {
            write(shape, row, place + 2, field, &mut element)?;
        }
        open.push(element);
    }
    close(&mut open, 0, out);
    Ok(())
}

fn number(row: &[Value], place: usize) -> Option<i64> {
    match cell(row, place) {
        ValueRef::Integer(number) => Some(number),
        _ => None,
    }
}

/// Closes elements until so many are left.
fn close(open: &mut Vec<Open>, left: usize, out: &mut String) {
    while open.len() > left {
        let Some(element) = open.pop() else { break };
        let around = open.last_mut().map_or(&mut *out, |around| &mut around.body);
        element_of(&element.name, &element.attributes, &element.body, around);
    }
}

/// Writes a value into its element.
fn write(shape: &Shape, row: &[Value], place: usize, field: &Field<'_>, element: &mut Open) -> Result<(), Message> {
    let value = cell(row, place).to_value();
    let name = name_of(field.name);
    if value == Value::Null {
        if field.directive == Directive::ElementOrNil {
            element.body.push_str(&format!("<{name} xsi:nil=\"true\"/>"));
        }
        return Ok(());
    }
    let is_xml = shape.columns.get(place).is_some_and(|column| column.data_type == DataType::Xml);
    let text = match &value {
        Value::Text(text) if is_xml => text.clone(),
        value => shape.value(place, value)?,
    };
    let held = |is_raw: bool| if is_raw { text.clone() } else { escaped_text(&text) };
    match field.directive {
        Directive::Hide => {}
        Directive::Attribute if !name.is_empty() => {
            element.attributes.push_str(&format!(" {name}=\"{}\"", escaped(&text)));
        }
        Directive::Cdata => element.body.push_str(&format!("<![CDATA[{text}]]>")),
        Directive::Overflow => {
            let (attributes, contents) = parts_of(&text)?;
            if name.is_empty() {
                element.attributes.push_str(&attributes);
                element.body.push_str(&contents);
            } else {
                element_of(&name, &attributes, &contents, &mut element.body);
            }
        }
        _ if name.is_empty() => element.body.push_str(&held(is_xml || field.directive == Directive::Xml)),
        directive => element_of(&name, "", &held(is_xml || directive == Directive::Xml), &mut element.body),
    }
    Ok(())
}
