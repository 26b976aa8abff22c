//! FOR JSON and FOR XML, wherever a query has them.
//!
//! ```text
//!   SELECT Id, Name AS [a.n] FROM t ORDER BY Id FOR JSON PATH
//!   SELECT "#text" AS "#1" FROM "mssql:table:format"('layout',
//!       (SELECT "id" AS "#1", "name" AS "#2" FROM "t" ORDER BY "id" OFFSET 0))
//! ```
//!
//! The layout has the original names, so that the core's can all be different.

use super::{Head, Reducer, not_supported};
use crate::tree::{Expr, Format, Name, Phrase, PhraseItem, Query, QueryBody, Select, SelectItem, Source, XmlMode};
use mainstay_tsql_types::Message;
use mainstay_tsql_types::rows_text::{Layout, LayoutColumn, Mode};
use mainstay_types::Value;

/// The head of the only column of a query with such a clause.
pub(super) fn head(format: &Format) -> Head {
    Head::Named(match format {
        Format::Json(..) => "JSON_F52E2B61-18A1-11d1-B105-00805F49916B".to_owned(),
        Format::Xml(_, _, options) if has(options, "TYPE") => String::new(),
        _ => "XML_F52E2B61-18A1-11d1-B105-00805F49916B".to_owned(),
    })
}

fn has(options: &[Phrase], words: &str) -> bool {
    options.iter().any(|option| option.starts(words))
}

/// The name of ROOT, if it is there.
fn root(options: &[Phrase]) -> Option<String> {
    let option = options.iter().find(|option| option.starts("ROOT"))?;
    let text = option.items.iter().find_map(|item| {
        let PhraseItem::Group(phrases) = item else { return None };
        match phrases.first()?.items.first()? {
            PhraseItem::Literal(literal) => match super::literal_value(literal) {
                Ok(Some((_, Value::Text(text)))) => Some(text),
                _ => None,
            },
            _ => None,
        }
    });
    Some(text.unwrap_or_else(|| "root".to_owned()))
}

/// The names that the tables of a source go by.
fn tables(source: &Source, out: &mut Vec<String>) {
    match source {
        Source::Table(table) => {
            out.push(table.alias.as_ref().map_or_else(|| table.name.last().to_owned(), |alias| alias.text.clone()));
        }
        Source::Variable(name, alias) => {
            out.push(alias.name.as_ref().map_or_else(|| name.text.clone(), |alias| alias.text.clone()));
        }
        Source::Query(_, alias) | Source::Values(_, alias) | Source::Function(_, _, alias) => {
            out.extend(alias.name.as_ref().map(|name| name.text.clone()));
        }
        Source::Join(join) => {
            tables(&join.left, out);
            tables(&join.right, out);
        }
        Source::Apply(left, _, right) => {
            tables(left, out);
            tables(right, out);
        }
        Source::Nested(inner) | Source::OdbcJoin(inner) => tables(inner, out),
        _ => {}
    }
}

/// Returns true if a clause gives JSON that goes into other JSON as it is.
pub(super) fn gives_json(format: &Format) -> bool {
    matches!(format, Format::Json(_, options) if !has(options, "WITHOUT_ARRAY_WRAPPER"))
}

fn column(item: &SelectItem) -> LayoutColumn {
    match (item, super::query::head(item)) {
        (SelectItem::Value(value, _), Head::Named(name)) => LayoutColumn::Named(name, super::json::is_json(value)),
        (_, Head::Named(name)) => LayoutColumn::Named(name, false),
        (_, Head::Star) => LayoutColumn::Star,
    }
}

impl Reducer<'_> {
    /// Writes a query with such a clause.
    pub(super) fn formatted(&mut self, query: &Query, format: &Format) -> Result<(), Message> {
        let first = first_select(&query.body);
        let mut layout = layout(format)?;
        layout.columns = first.items.iter().map(column).collect();
        first.from.iter().for_each(|source| tables(source, &mut layout.tables));
        for (address, prefix) in &query.with.namespaces {
            let prefix = prefix.as_ref().map_or_else(String::new, |prefix| format!(":{}", prefix.text));
            layout.namespaces.push_str(&format!(" xmlns{prefix}=\"{address}\""));
        }
        let mut inner = query.clone();
        inner.format = None;
        inner.order = self.order_of(&inner, true).into_owned();
        rename(&mut inner);
        self.push("SELECT \"#text\" AS \"#1\" FROM \"mssql:table:format\"(");
        self.text(&layout.write());
        self.push(", (");
        self.query(&inner)?;
        // An order alone would be lost in a query within another.
        if !inner.order.is_empty() && inner.offset.is_none() && first.top.is_none() {
            self.push(" OFFSET 0");
        }
        self.push("))");
        Ok(())
    }
}

fn first_select(body: &QueryBody) -> &Select {
    match body {
        QueryBody::Set(first, ..) => first_select(first),
        QueryBody::Select(select) => select,
    }
}

/// Gives every item of one SELECT a name of its own, which its order can still be written with.
fn rename(query: &mut Query) {
    let QueryBody::Select(select) = &mut query.body else { return };
    for (number, item) in select.items.iter_mut().enumerate() {
        let SelectItem::Value(value, alias) = item else { continue };
        let made = Name { text: format!("#{}", number + 1), ..Name::default() };
        // An order by the old name is one by the value.
        if let Some(old) = alias {
            for order in &mut query.order {
                let is_alias = matches!(&order.value,
                    Expr::Column(name) if name.parts.len() == 1 && name.last().eq_ignore_ascii_case(&old.text));
                if is_alias {
                    order.value = match select.quantifier {
                        Some(_) => Expr::Column(crate::tree::ObjectName { parts: vec![made.clone()], span: made.span }),
                        None => value.clone(),
                    };
                }
            }
        }
        *alias = Some(made);
    }
}

fn layout(format: &Format) -> Result<Layout, Message> {
    Ok(match format {
        Format::Json(_, options) if has(options, "ROOT") && has(options, "WITHOUT_ARRAY_WRAPPER") => {
            let text = "ROOT option and WITHOUT_ARRAY_WRAPPER option cannot be used together in FOR JSON. Remove one of these \
                        options.";
            return Err(Message::error(13620, text));
        }
        Format::Json(is_path, options) => Layout {
            mode: if *is_path { Mode::Path } else { Mode::Auto },
            root: root(options),
            nulls: has(options, "INCLUDE_NULL_VALUES"),
            bare: has(options, "WITHOUT_ARRAY_WRAPPER"),
            ..Layout::default()
        },
        Format::Xml(XmlMode::Explicit, _, options) if has(options, "ELEMENTS") => {
            return Err(Message::numbered(6825, &[]));
        }
        Format::Xml(mode, element, options) => Layout {
            xml: true,
            mode: match mode {
                XmlMode::Raw => Mode::Raw,
                XmlMode::Auto => Mode::Auto,
                XmlMode::Path => Mode::Path,
                XmlMode::Explicit => Mode::Explicit,
            },
            element: element.clone(),
            root: root(options),
            elements: has(options, "ELEMENTS"),
            nulls: has(options, "ELEMENTS XSINIL"),
            typed: has(options, "TYPE"),
            base64: has(options, "BINARY BASE64"),
            ..Layout::default()
        },
        Format::Browse => return Err(not_supported("FOR BROWSE")),
    })
}
