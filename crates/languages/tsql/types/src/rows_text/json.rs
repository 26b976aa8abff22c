//! FOR JSON: objects, nested by points in names (PATH) or by tables (AUTO).

use super::{Mode, RowsColumn, Shape, cell};
use crate::functions::json_escaped;
use crate::messages::Message;
use mainstay_types::Value;

pub(super) fn text(shape: &Shape, rows: &[Vec<Value>]) -> Result<String, Message> {
    let objects = match shape.layout.mode {
        Mode::Auto => nested(shape, rows, 0)?,
        _ => rows.iter().map(|row| object(shape, row)).collect::<Result<Vec<_>, _>>()?,
    };
    let objects = objects.join(",");
    let list = if shape.layout.bare { objects } else { format!("[{objects}]") };
    Ok(match &shape.layout.root {
        Some(root) => format!("{{{}:{list}}}", quoted(root)),
        None => list,
    })
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", json_escaped(text))
}

/// The objects of one table of AUTO, each with those of the next table in an array: neighbouring rows with the same
/// values are one object.
fn nested(shape: &Shape, rows: &[Vec<Value>], level: usize) -> Result<Vec<String>, Message> {
    let Some((_, places)) = shape.levels.get(level) else { return Ok(Vec::new()) };
    let mut objects = Vec::new();
    for group in rows.chunk_by(|a, b| level + 1 < shape.levels.len() && shape.is_same(level, a, b)) {
        let Some(row) = group.first() else { continue };
        let mut members = Vec::new();
        for place in places {
            let Some(value) = member(shape, row, *place)? else { continue };
            let name = shape.columns.get(*place).map_or("", |column| &column.name);
            members.push(format!("{}:{value}", quoted(name)));
        }
        if let Some((table, _)) = shape.levels.get(level + 1) {
            let inner = nested(shape, group, level + 1)?;
            members.push(format!("{}:[{}]", quoted(table), inner.join(",")));
        }
        objects.push(format!("{{{}}}", members.join(",")));
    }
    Ok(objects)
}

/// An object: `a.b` is in `a`.
fn object(shape: &Shape, row: &[Value]) -> Result<String, Message> {
    let mut out = String::from("{");
    let mut open: Vec<&str> = Vec::new();
    for (place, column) in shape.columns.iter().enumerate() {
        let Some(value) = member(shape, row, place)? else { continue };
        let mut path: Vec<&str> = column.name.split('.').collect();
        let leaf = path.pop().unwrap_or("");
        let same = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
        out.push_str(&"}".repeat(open.len() - same));
        open.truncate(same);
        if !out.ends_with('{') {
            out.push(',');
        }
        for part in &path[same..] {
            out.push_str(&format!("{}:{{", quoted(part)));
            open.push(part);
        }
        out.push_str(&format!("{}:{value}", quoted(leaf)));
    }
    out.push_str(&"}".repeat(open.len() + 1));
    Ok(out)
}

/// The first column of PATH whose object was closed by the columns between: `a.b, c, a.d`.
pub(super) fn opened_again(shape: &Shape) -> Option<&RowsColumn> {
    if shape.layout.mode != Mode::Path {
        return None;
    }
    let (mut open, mut closed): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for column in &shape.columns {
        let name = column.name.as_str();
        // The objects that it is in, from the outermost on: `a` and `a.b` of `a.b.c`.
        let within: Vec<&str> = name.match_indices('.').map(|(end, _)| &name[..end]).collect();
        if within.iter().any(|object| closed.contains(object)) {
            return Some(column);
        }
        closed.extend(open.iter().filter(|object| !within.contains(object)));
        open = within;
    }
    None
}

/// A value as JSON; `None` for a NULL that is left out.
fn member(shape: &Shape, row: &[Value], place: usize) -> Result<Option<String>, Message> {
    let value = cell(row, place).to_value();
    Ok(Some(match &value {
        Value::Null if shape.layout.nulls => "null".to_owned(),
        Value::Null => return Ok(None),
        Value::Boolean(truth) => truth.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Decimal(number) => number.to_string(),
        Value::Float(_) => shape.value(place, &value)?,
        Value::Text(text) if shape.is_json.get(place).copied().unwrap_or(false) => text.clone(),
        other => quoted(&shape.value(place, other)?),
    }))
}
