//! FOR XML: RAW and AUTO; [`path`] has PATH, [`explicit`] EXPLICIT.

use super::{Mode, Shape, cell, explicit, path};
use crate::messages::Message;
use crate::types::DataType;
use crate::xml::{escaped, escaped_text};
use mainstay_types::Value;

/// The declaration of the prefix of `xsi:nil`.
pub(super) const XSI: &str = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";

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
        Mode::Explicit => explicit::rows(shape, rows, of_rows, &mut out)?,
        Mode::Path => {
            let element = shape.layout.element.as_deref().unwrap_or("row");
            for row in rows {
                path::row(shape, row, element, of_rows, &mut out)?;
            }
            path::finish(&mut out);
        }
    }
    Ok(match &shape.layout.root {
        Some(root) => format!("<{0}{of_root}>{out}</{0}>", name_of(root)),
        None => out,
    })
}

pub(super) fn element_of(name: &str, attributes: &str, body: &str, out: &mut String) {
    match body.is_empty() {
        true => out.push_str(&format!("<{name}{attributes}/>")),
        false => out.push_str(&format!("<{name}{attributes}>{body}</{name}>")),
    }
}

/// A name as XML can have it: other characters are written by their numbers.
pub(super) fn name_of(name: &str) -> String {
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
