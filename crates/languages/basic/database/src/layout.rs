//! Layouts of keyed files: the fields of a record as columns of a view.
//!
//! ```text
//!   IOLIST         CUST_ID$,NAME$,OWED           texts and numbers by the names of variables; * is a field without a column
//!   field list     field 1 cust_id text(6), field 3 owed decimal(12,2)
//! ```
//!
//! The view of the file `orders` is `orders_fields`, and that of `orders.dat` is `orders_dat_fields`. Its columns are expressions over
//! the bytes of the record, so a change of the layout changes no row, and the view shows what programs have written last.
//!
//! **Limits.** The view cannot be written to. Arrays and formatted fields of an IOLIST (`[CHR(30)]`) are not supported.

use mainstay_basic_files::{FileError, FileErrorKind, Result};

/// A column of the view.
#[derive(Debug, PartialEq)]
struct Field {
    number: u32,
    name: String,
    kind: FieldKind,
}

#[derive(Debug, PartialEq)]
enum FieldKind {
    Text,
    Number,
    /// With so many decimals.
    Decimal(u32),
}

fn invalid(message: String) -> FileError {
    FileError::new(FileErrorKind::InvalidOption, message)
}

/// The name of a file's view, quoted.
pub(crate) fn view_name(file: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '_';
    let name: String = file.to_lowercase().chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    format!("\"{name}_fields\"")
}

/// The statement that makes the view of a file.
///
/// Errors: 32 for a layout that cannot be read.
pub(crate) fn view(file: &str, layout: &str) -> Result<String> {
    let fields = fields(layout)?;
    let column = |field: &Field| {
        let (number, name) = (field.number, &field.name);
        match field.kind {
            FieldKind::Text => format!("field_text(record, {number}) AS \"{name}\""),
            FieldKind::Number => format!("field_number(record, {number}) AS \"{name}\""),
            FieldKind::Decimal(decimals) => format!("field_number(record, {number}, {decimals}) AS \"{name}\""),
        }
    };
    let columns: Vec<String> = fields.iter().map(column).collect();
    let table = file.replace('\\', "/").replace('"', "\"\"");
    Ok(format!(
        "CREATE OR REPLACE VIEW {} AS SELECT record_index, {} FROM \"{table}\"",
        view_name(file),
        columns.join(", ")
    ))
}

fn fields(layout: &str) -> Result<Vec<Field>> {
    let text = layout.trim();
    let text = match text.get(..6) {
        Some(word) if word.eq_ignore_ascii_case("iolist") => &text[6..],
        _ => text,
    };
    let mut all: Vec<Field> = Vec::new();
    for (at, item) in items(text).into_iter().enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let field = match item.split_once(char::is_whitespace) {
            Some((word, rest)) if word.eq_ignore_ascii_case("field") => Some(listed(rest.trim())?),
            _ => variable(item, number)?,
        };
        let Some(mut field) = field else { continue };
        if all.iter().any(|other| other.name == field.name) || field.name == "record_index" {
            field.name = format!("{}_{}", field.name, field.number);
        }
        all.push(field);
    }
    match all.is_empty() {
        true => Err(invalid("the layout names no field".to_owned())),
        false => Ok(all),
    }
}

/// The items between commas and ends of lines that are not in brackets.
fn items(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut all) = (0_u32, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' | '\n' if depth == 0 => {
                all.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(text[start..].trim());
    all.retain(|item| !item.is_empty());
    all
}

/// `3 owed decimal(12,2)`
fn listed(text: &str) -> Result<Field> {
    let unknown = || invalid(format!("\"field {text}\" is not \"field NUMBER NAME TYPE\""));
    let mut words = text.splitn(3, char::is_whitespace);
    let (number, name) = (words.next(), words.next());
    let kind = words.next().unwrap_or("text").trim().to_lowercase();
    let number = number.and_then(|word| word.parse().ok()).filter(|number| *number > 0).ok_or_else(unknown)?;
    let name = column_name(name.ok_or_else(unknown)?).ok_or_else(unknown)?;
    let (word, size) = kind.split_once('(').map_or((kind.as_str(), ""), |(word, rest)| (word.trim(), rest));
    let decimals = size.trim_end_matches(')').split(',').nth(1).and_then(|word| word.trim().parse().ok());
    let kind = match word {
        "text" | "char" | "varchar" => FieldKind::Text,
        "decimal" | "numeric" => FieldKind::Decimal(decimals.unwrap_or(0)),
        "integer" | "int" => FieldKind::Decimal(0),
        "number" | "double" => FieldKind::Number,
        _ => return Err(unknown()),
    };
    Ok(Field { number, name, kind })
}

/// A variable of an IOLIST; `None` for `*`.
fn variable(text: &str, number: u32) -> Result<Option<Field>> {
    if text == "*" {
        return Ok(None);
    }
    let kind = if text.ends_with('$') { FieldKind::Text } else { FieldKind::Number };
    let name = column_name(text.trim_end_matches(['$', '%']));
    let name = name.ok_or_else(|| invalid(format!("\"{text}\" in the layout is not the name of a variable")))?;
    Ok(Some(Field { number, name, kind }))
}

fn column_name(text: &str) -> Option<String> {
    let name = text.to_lowercase().replace('.', "_");
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_name && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {

    #[test]
    fn iolists_and_field_lists_are_read() {
        let view = |text| super::view("orders.dat", text).unwrap();
        assert_eq!(
            view("IOLIST CUST.ID$,*,OWED"),
            "CREATE OR REPLACE VIEW \"orders_dat_fields\" AS SELECT record_index, field_text(record, 1) AS \"cust_id\", \
             field_number(record, 3) AS \"owed\" FROM \"orders.dat\""
        );
        assert!(
            view("field 1 name text(30)\nfield 2 owed decimal(12,2)")
                .contains("field_number(record, 2, 2) AS \"owed\"")
        );
        for text in ["", "A$[1:3]", "field x name text", "field 1 name blob"] {
            assert_eq!(super::view("orders", text).unwrap_err().number(), 32, "{text}");
        }
    }
}
