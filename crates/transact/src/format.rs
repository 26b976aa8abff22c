//! FOR JSON and FOR XML: the rows of a query as one text.

use mainstay_base::Value;
use mainstay_mssql::convert::convert;
use mainstay_mssql::{Context, DataType, Length, Message};
use mainstay_tds::Column;
use mainstay_tsql::reduce;
use mainstay_tsql::tree::{Format, Phrase, XmlMode};

/// The text of all rows.
///
/// Errors: 40515 for modes that are not known.
pub(crate) fn formatted(format: &Format, columns: &[Column], rows: &[Vec<Value>]) -> Result<String, Message> {
    match format {
        Format::Json(_, options) => json(options, columns, rows),
        Format::Xml(mode @ (XmlMode::Raw | XmlMode::Path | XmlMode::Auto), element, options) => {
            xml(*mode, element.as_deref(), options, columns, rows)
        }
        Format::Xml(XmlMode::Explicit, ..) => Err(reduce::not_supported("FOR XML EXPLICIT")),
        Format::Browse => Err(reduce::not_supported("FOR BROWSE")),
    }
}

fn has(options: &[Phrase], word: &str) -> bool {
    options.iter().any(|option| option.starts(word))
}

/// The value of an option with one: `ROOT('x')`.
fn root(options: &[Phrase], default: &str) -> Option<String> {
    let option = options.iter().find(|option| option.starts("ROOT"))?;
    let text = option.items.iter().find_map(|item| match item {
        mainstay_tsql::tree::PhraseItem::Group(phrases) => {
            phrases.first().and_then(|phrase| phrase.items.first()).and_then(|item| match item {
                mainstay_tsql::tree::PhraseItem::Literal(literal) => match reduce::literal_value(literal) {
                    Ok(Some((_, Value::Text(text)))) => Some(text),
                    _ => None,
                },
                _ => None,
            })
        }
        _ => None,
    });
    Some(text.unwrap_or_else(|| default.to_owned()))
}

fn json(options: &[Phrase], columns: &[Column], rows: &[Vec<Value>]) -> Result<String, Message> {
    let nulls = has(options, "INCLUDE_NULL_VALUES");
    let objects = rows.iter().map(|row| object(columns, row, nulls)).collect::<Result<Vec<_>, Message>>()?;
    let list = match has(options, "WITHOUT_ARRAY_WRAPPER") {
        true => objects.join(","),
        false => format!("[{}]", objects.join(",")),
    };
    Ok(match root(options, "root") {
        Some(root) => format!("{{{}:{list}}}", quoted(&root)),
        None => list,
    })
}

/// An object with the nesting that points in names mean: `a.b` is in `a`.
fn object(columns: &[Column], row: &[Value], nulls: bool) -> Result<String, Message> {
    let mut out = String::from("{");
    let mut open: Vec<&str> = Vec::new();
    let mut first = true;
    for (column, value) in columns.iter().zip(row) {
        if *value == Value::Null && !nulls {
            continue;
        }
        let mut path: Vec<&str> = column.name.split('.').collect();
        let leaf = path.pop().unwrap_or("");
        let same = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
        for _ in same..open.len() {
            out.push('}');
        }
        open.truncate(same);
        if !first && !out.ends_with('{') {
            out.push(',');
        }
        for part in &path[same..] {
            out.push_str(&format!("{}:{{", quoted(part)));
            open.push(part);
        }
        out.push_str(&format!("{}:{}", quoted(leaf), json_value(column, value)?));
        first = false;
    }
    for _ in 0..open.len() {
        out.push('}');
    }
    out.push('}');
    Ok(out)
}

fn json_value(column: &Column, value: &Value) -> Result<String, Message> {
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Decimal(value) => value.to_string(),
        Value::Float(_) => text(column, value, Some(3))?,
        other => quoted(&text(column, other, Some(126))?),
    })
}

fn text(column: &Column, value: &Value, style: Option<i32>) -> Result<String, Message> {
    if let Value::Text(text) = value {
        return Ok(text.clone());
    }
    let to = DataType::NVarChar(Length::Max);
    let is_moment = column.data_type.is_moment() || matches!(value, Value::Float(_));
    let style = style.filter(|_| is_moment);
    match convert(&Context::default(), value.as_ref(), column.data_type, to, style)? {
        Value::Text(text) => Ok(text),
        _ => Ok(String::new()),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '/' => out.push_str("\\/"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn xml(
    mode: XmlMode,
    element: Option<&str>,
    options: &[Phrase],
    columns: &[Column],
    rows: &[Vec<Value>],
) -> Result<String, Message> {
    let element = element.unwrap_or("row");
    let as_elements = mode == XmlMode::Path || has(options, "ELEMENTS");
    let mut out = String::new();
    for row in rows {
        let (mut attributes, mut body) = (String::new(), String::new());
        for (column, value) in columns.iter().zip(row) {
            if *value == Value::Null {
                continue;
            }
            let content = escaped(&text(column, value, Some(126))?);
            match (column.name.strip_prefix('@'), as_elements) {
                (Some(name), true) => attributes.push_str(&format!(" {name}=\"{content}\"")),
                (_, false) => attributes.push_str(&format!(" {}=\"{content}\"", column.name)),
                (None, true) if column.name.is_empty() || column.name == "*" => body.push_str(&content),
                (None, true) => body.push_str(&format!("<{0}>{content}</{0}>", column.name)),
            }
        }
        match (element.is_empty(), body.is_empty()) {
            (true, _) => out.push_str(&body),
            (false, true) => out.push_str(&format!("<{element}{attributes}/>")),
            (false, false) => out.push_str(&format!("<{element}{attributes}>{body}</{element}>")),
        }
    }
    Ok(match root(options, "root") {
        Some(root) => format!("<{root}>{out}</{root}>"),
        None => out,
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
