//! The columns of a report view or a formatted list, from `FMT=` (manual, `directives/list_box`, "List View Format Options").
//!
//! Columns are separated by blanks: an optional title in brackets, codes of alignment (`L`, `R`, `C`, `N`) and of sorting (`#`,
//! `N`, `U`, dates of `D`, `M`, `Y`), and a width in columns. `S` skips a field, `{}` is a column for a picture, `B` a number
//! of blanks. A grid's column has its type and name in parentheses behind the title (`directives/grid`, "Format Definition").
//! Lines below the first one of a formatted list, behind a slash, are not shown.

/// The most columns of a list.
const MOST_COLUMNS: usize = 256;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Alignment {
    /// `L`
    #[default]
    Left,
    /// `R`, and `N` in formatted lists
    Right,
    /// `C`
    Centre,
}

/// The order of a column's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As bytes.
    #[default]
    Text,
    /// As text without case.
    Upper,
    /// As numbers.
    Number,
    /// As dates, with the order of their parts.
    Date([u8; 3]),
}

/// One column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// The heading.
    pub title: String,
    /// The width in columns of the text plane.
    pub width: f32,
    /// The alignment.
    pub alignment: Alignment,
    /// The order in which it sorts.
    pub order: Order,
    /// The field of a row that it shows, from 0; none for blanks.
    pub field: Option<usize>,
}

/// The columns of a format. `report` is a report view, in which `N` is an order and no alignment.
pub fn parse(format: &str, report: bool) -> Vec<Column> {
    let mut columns = Vec::new();
    let mut field = 0;
    let mut rest = format.trim_start();
    while !rest.is_empty() && !rest.starts_with('/') && columns.len() < MOST_COLUMNS {
        let mut column = Column { field: Some(field), ..Column::default() };
        if let Some((title, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            column.title = title.to_owned();
            rest = after;
        }
        // The cell type and the name of a grid's column.
        if let Some((_, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            rest = after;
        }
        // A bracket that is not closed starts no title; it is one of the codes, which have no meaning for it.
        let bracket = usize::from(rest.starts_with('['));
        let end =
            rest.get(bracket..).and_then(|codes| codes.find([' ', '[', '/'])).map_or(rest.len(), |end| end + bracket);
        let (codes, after) = rest.split_at(end);
        let shown = apply_codes(&mut column, codes, report);
        if column.field.is_some() {
            field += 1;
        }
        if shown {
            columns.push(column);
        }
        rest = after.trim_start();
    }
    columns
}

/// Applies the codes of a column and returns whether it is shown.
fn apply_codes(column: &mut Column, codes: &str, report: bool) -> bool {
    if codes.starts_with('{') || codes.starts_with('S') {
        return false;
    }
    let width: String = codes.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    column.width = width.parse::<f32>().unwrap_or(10.0).clamp(0.0, 1000.0);
    let mut date = Vec::new();
    for code in codes.bytes() {
        match code {
            b'L' => column.alignment = Alignment::Left,
            b'R' => column.alignment = Alignment::Right,
            b'C' => column.alignment = Alignment::Centre,
            b'N' if report => column.order = Order::Number,
            b'N' => column.alignment = Alignment::Right,
            b'#' => column.order = Order::Number,
            b'U' => column.order = Order::Upper,
            b'B' if !report => column.field = None,
            b'Y' | b'M' | b'D' if date.len() < 3 => date.push(code),
            _ => {}
        }
    }
    if !date.is_empty() {
        date.resize(3, 0);
        column.order = Order::Date([date[0], date[1], date[2]]);
    }
    true
}

/// A key by which rows of a column sort; keys of one order compare as bytes.
pub fn sort_key(value: &[u8], order: Order) -> Vec<u8> {
    match order {
        Order::Text => value.to_vec(),
        Order::Upper => value.to_ascii_uppercase(),
        Order::Number => number_key(value),
        Order::Date(parts) => date_key(value, parts),
    }
}

fn number_key(value: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(value);
    let negative = text.contains('-') || text.trim_end().ends_with("CR") || text.contains('(');
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let number = digits.parse::<f64>().unwrap_or(0.0) * if negative { -1.0 } else { 1.0 };
    // The bits of a float order as its value does, once those of negative numbers are turned around.
    let bits = number.to_bits();
    let ordered = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    ordered.to_be_bytes().to_vec()
}

fn date_key(value: &[u8], parts: [u8; 3]) -> Vec<u8> {
    const MONTHS: [&[u8]; 12] =
        [b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV", b"DEC"];
    let fields: Vec<Vec<u8>> = value
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|field| !field.is_empty())
        .map(<[u8]>::to_ascii_uppercase)
        .collect();
    let number = |part: u8| {
        let field = parts.iter().position(|known| *known == part).and_then(|at| fields.get(at));
        field.map_or(0_u32, |field| {
            let month = MONTHS.iter().position(|month| field.starts_with(month));
            let digits = String::from_utf8_lossy(field).parse::<u32>().unwrap_or(0);
            month.map_or(digits, |month| month as u32 + 1)
        })
    };
    [number(b'Y'), number(b'M'), number(b'D')].iter().flat_map(|part| part.to_be_bytes()).collect()
}
