//! FOR JSON and FOR XML: rows as one text.
//!
//! ```text
//!   Layout { form, columns }   how: the mode, its options, and what the statement says of each column
//!   shape(layout, fields)      with the names and types that the rows turned out to have
//!   Shape::text(rows)          json, xml
//! ```
//!
//! A layout travels through the planner as a text ([`Layout::write`]).

mod explicit;
mod json;
mod path;
mod xml;

use crate::context::Context;
use crate::convert::convert;
use crate::messages::Message;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};

/// Ends a field, and a column, of a written layout.
const FIELD: char = '\u{1f}';
const COLUMN: char = '\u{1e}';

/// The format of rows as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// True if XML, not JSON.
    pub xml: bool,
    /// The mode.
    pub mode: Mode,
    /// XML: the element of a row; none for the default. It may be empty.
    pub element: Option<String>,
    /// ROOT.
    pub root: Option<String>,
    /// XML: ELEMENTS.
    pub elements: bool,
    /// XML: ELEMENTS XSINIL; JSON: INCLUDE_NULL_VALUES.
    pub nulls: bool,
    /// JSON: WITHOUT_ARRAY_WRAPPER.
    pub bare: bool,
    /// XML: TYPE.
    pub typed: bool,
    /// XML: BINARY BASE64.
    pub base64: bool,
    /// XML: declarations of namespaces, as they stand in an element.
    pub namespaces: String,
    /// The statement's options for the columns, in their order.
    pub columns: Vec<LayoutColumn>,
    /// The names of the tables as they were written.
    pub tables: Vec<String>,
}

/// The mode of a layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// PATH.
    #[default]
    Path,
    /// AUTO.
    Auto,
    /// RAW.
    Raw,
    /// EXPLICIT.
    Explicit,
}

/// A column of the list, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutColumn {
    /// A star: as many columns as the others leave over.
    Star,
    /// A column with its name, empty if it has none; true if its text is JSON already.
    Named(String, bool),
}

/// A column of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// The table that it comes from, if it comes from one as it is.
    pub table: Option<String>,
}

impl Layout {
    /// As a text.
    pub fn write(&self) -> String {
        let flag = |is: bool| if is { "1" } else { "" };
        let optional = |text: &Option<String>| text.as_ref().map_or_else(String::new, |text| format!("={text}"));
        let mode = match self.mode {
            Mode::Path => "p",
            Mode::Auto => "a",
            Mode::Raw => "r",
            Mode::Explicit => "e",
        };
        let head = [
            flag(self.xml).to_owned(),
            mode.to_owned(),
            optional(&self.element),
            optional(&self.root),
            flag(self.elements).to_owned(),
            flag(self.nulls).to_owned(),
            flag(self.bare).to_owned(),
            flag(self.typed).to_owned(),
            flag(self.base64).to_owned(),
            self.namespaces.clone(),
        ];
        let column = |column: &LayoutColumn| match column {
            LayoutColumn::Star => "*".to_owned(),
            LayoutColumn::Named(name, true) => format!("j{name}"),
            LayoutColumn::Named(name, false) => format!("n{name}"),
        };
        let join = |parts: Vec<String>| parts.join(&FIELD.to_string());
        let parts = [join(head.to_vec()), join(self.columns.iter().map(column).collect()), join(self.tables.clone())];
        parts.join(&COLUMN.to_string())
    }

    /// Reads what [`Layout::write`] wrote.
    pub fn read(text: &str) -> Option<Layout> {
        let mut parts = text.split(COLUMN);
        let (head, columns, tables) = (parts.next()?, parts.next()?, parts.next()?);
        let head: Vec<&str> = head.split(FIELD).collect();
        let [xml, mode, element, root, elements, nulls, bare, typed, base64, namespaces] = head[..] else {
            return None;
        };
        let optional = |text: &str| text.strip_prefix('=').map(str::to_owned);
        let column = |text: &str| match text.chars().next() {
            Some('j') => LayoutColumn::Named(text[1..].to_owned(), true),
            Some('n') => LayoutColumn::Named(text[1..].to_owned(), false),
            _ => LayoutColumn::Star,
        };
        Some(Layout {
            xml: !xml.is_empty(),
            mode: match mode {
                "a" => Mode::Auto,
                "r" => Mode::Raw,
                "e" => Mode::Explicit,
                _ => Mode::Path,
            },
            element: optional(element),
            root: optional(root),
            elements: !elements.is_empty(),
            nulls: !nulls.is_empty(),
            bare: !bare.is_empty(),
            typed: !typed.is_empty(),
            base64: !base64.is_empty(),
            namespaces: namespaces.to_owned(),
            columns: columns.split(FIELD).map(column).collect(),
            tables: tables.split(FIELD).filter(|table| !table.is_empty()).map(str::to_owned).collect(),
        })
    }

    /// The type of the text.
    pub fn data_type(&self) -> DataType {
        if self.xml && self.typed { DataType::Xml } else { DataType::NVarChar(Length::Max) }
    }

    /// The layout with the columns that the rows have.
    ///
    /// Errors: 13600, 13601, 13605, 6802, 6803, 6809, 6810, 6812, 6820, 6829, 6852, 6864 for columns that cannot be
    /// written this way.
    pub fn shape(self, mut columns: Vec<RowsColumn>) -> Result<Shape, Message> {
        let stars = self.columns.iter().filter(|column| **column == LayoutColumn::Star).count();
        let others = self.columns.len() - stars;
        let mut is_json = vec![false; columns.len()];
        let mut place = 0;
        for column in &self.columns {
            match column {
                // With several stars the end of one is unknown: the columns behind it keep the names of the rows.
                LayoutColumn::Star if stars > 1 => break,
                LayoutColumn::Star => place += columns.len().saturating_sub(others),
                LayoutColumn::Named(name, json) => {
                    if let (Some(column), Some(flag)) = (columns.get_mut(place), is_json.get_mut(place)) {
                        column.name.clone_from(name);
                        *flag = *json;
                    }
                    place += 1;
                }
            }
        }
        for column in &mut columns {
            let table = column.table.as_deref().unwrap_or("");
            if let Some(written) = self.tables.iter().find(|written| written.eq_ignore_ascii_case(table)) {
                column.table = Some(written.clone());
            }
        }
        let shape = Shape { levels: levels(&self, &columns), layout: self, columns, is_json };
        shape.check()?;
        Ok(shape)
    }
}

/// The tables of AUTO in the order of their first columns, and which columns are of each.
fn levels(layout: &Layout, columns: &[RowsColumn]) -> Vec<(String, Vec<usize>)> {
    let mut levels: Vec<(String, Vec<usize>)> = Vec::new();
    if layout.mode != Mode::Auto {
        return levels;
    }
    for (place, column) in columns.iter().enumerate() {
        // A column that comes from nowhere belongs to the table before it.
        let table = match &column.table {
            Some(table) => table.clone(),
            None => {
                levels.last().map(|(table, _)| table.clone()).or(layout.tables.first().cloned()).unwrap_or_default()
            }
        };
        match levels.iter_mut().find(|(known, _)| *known == table) {
            Some((_, places)) => places.push(place),
            None => levels.push((table, vec![place])),
        }
    }
    levels
}

/// A layout over columns that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    layout: Layout,
    columns: Vec<RowsColumn>,
    is_json: Vec<bool>,
    levels: Vec<(String, Vec<usize>)>,
}

impl Shape {
    fn check(&self) -> Result<(), Message> {
        let unnamed = self.columns.iter().any(|column| column.name.is_empty());
        if self.layout.xml && self.layout.mode == Mode::Auto && self.layout.tables.is_empty() {
            let text = "FOR XML AUTO requires at least one table for generating XML tags. Use FOR XML RAW or add a FROM \
                        clause with a table name.";
            return Err(Message::error(6800, text));
        }
        if self.layout.xml {
            return self.check_xml(unnamed);
        }
        if self.layout.mode == Mode::Auto && self.layout.tables.is_empty() {
            let text = "FOR JSON AUTO requires at least one table for generating JSON objects. Use FOR JSON PATH or add a \
                        FROM clause with a table name.";
            return Err(Message::error(13600, text));
        }
        if unnamed {
            let text = "Column expressions and data sources without names or aliases cannot be formatted as JSON text using \
                        FOR JSON clause. Add alias to the unnamed column or table.";
            return Err(Message::error(13605, text));
        }
        let conflict = |(place, column): &(usize, &RowsColumn)| {
            let same = |other: &RowsColumn| {
                let is_within = self.layout.mode == Mode::Path && other.name.starts_with(&format!("{}.", column.name));
                (other.name == column.name || is_within)
                    && (self.layout.mode == Mode::Path || other.table == column.table)
            };
            self.columns.iter().enumerate().any(|(other, known)| other != *place && same(known))
        };
        let own = self.columns.iter().enumerate().find(conflict).map(|(_, column)| column);
        if let Some(column) = own.or_else(|| json::opened_again(self)) {
            let text = format!(
                "Property '{}' cannot be generated in JSON output due to a conflict with another column name or alias. Use \
                 different names and aliases for each column in SELECT list.",
                column.name
            );
            return Err(Message::error(13601, text));
        }
        Ok(())
    }

    /// Errors: 6809, 6829, 6852, 6864, and those of EXPLICIT.
    fn check_xml(&self, unnamed: bool) -> Result<(), Message> {
        if self.layout.mode == Mode::Explicit {
            explicit::check(&self.columns)?;
        }
        if self.layout.mode == Mode::Path {
            return path::check(&self.columns, self.layout.element.as_deref().unwrap_or("row"));
        }
        if unnamed && !self.layout.elements && self.layout.mode != Mode::Explicit {
            return Err(Message::numbered(6809, &[]));
        }
        let is_url = |column: &&RowsColumn| column.data_type.is_binary() && !self.layout.base64;
        match self.columns.iter().find(is_url) {
            Some(column) if matches!(self.layout.mode, Mode::Raw | Mode::Explicit) => {
                Err(Message::numbered(6829, &[&column.name]))
            }
            _ => Ok(()),
        }
    }

    /// The type of the text.
    pub fn data_type(&self) -> DataType {
        self.layout.data_type()
    }

    /// The text of all rows; `None` if there are none.
    ///
    /// Errors: those of converting values to texts.
    pub fn text(&self, rows: &[Vec<Value>]) -> Result<Option<String>, Message> {
        match rows.is_empty() {
            true => Ok(None),
            false if self.layout.xml => xml::text(self, rows).map(Some),
            false => json::text(self, rows).map(Some),
        }
    }

    /// A value as text, in the styles that both forms have: ISO 8601 for moments, 16 digits for FLOAT, base 64.
    fn value(&self, column: usize, value: &Value) -> Result<String, Message> {
        let declared = self.columns.get(column).map_or(DataType::SqlVariant, |column| column.data_type);
        let within = (declared == DataType::SqlVariant).then(|| crate::variant::decode(value.as_ref()));
        let (from, value) = within.as_ref().map_or((declared, value), |(from, value)| (*from, value));
        if let Value::Binary(bytes) = value {
            return Ok(crate::functions::base64(bytes, false));
        }
        let style = match from {
            DataType::Float => Some(2),
            DataType::Real => Some(1),
            money if money.is_money() => Some(2),
            moment if moment.is_moment() => Some(if self.layout.xml { 126 } else { 127 }),
            _ => None,
        };
        // With a zone 127 turns to UTC; JSON keeps the offset.
        let style = if matches!(from, DataType::DateTimeOffset(_)) { Some(126) } else { style };
        match convert(&Context::default(), value.as_ref(), from, DataType::NVarChar(Length::Max), style)? {
            Value::Text(text) => Ok(text),
            _ => Ok(String::new()),
        }
    }

    fn is_same(&self, level: usize, row: &[Value], other: &[Value]) -> bool {
        let places = self.levels.get(level).map_or(&[][..], |(_, places)| places);
        places.iter().all(|place| row.get(*place) == other.get(*place))
    }
}

/// A value, NULL where there is none.
fn cell(row: &[Value], place: usize) -> ValueRef<'_> {
    row.get(place).map_or(ValueRef::Null, Value::as_ref)
}

#[cfg(test)]
mod tests;
