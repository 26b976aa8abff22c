//! Layouts of keyed files: the fields of a record as columns of views.
//!
//! ```text
//!   IOLIST         CUST_ID$,NAME$,OWED           texts and numbers by the names of variables; * is a field without a column
//!   field list     field 1 cust_id text(6), field 3 owed decimal(12,2)
//!   record types   by field 1: "H" header(*,CUST$,TOTAL), "L" line(*,ITEM$,QTY)
//! ```
//!
//! The view of the file `orders` is `orders_fields`, and that of `orders.dat` is `orders_dat_fields`. Its columns are expressions over
//! the bytes of the record, so a change of the layout changes no row, and the view shows what programs have written last. A file with
//! an external key has it as the column `key`.
//!
//! With record types, each type has a view of its own (`orders_header`, `orders_line`) with the condition on the type field, and
//! `orders_fields` has the type and the fields that all types have in common.
//!
//! Statements write through these views (`packed`).
//!
//! **Limits.** Arrays and formatted fields of an IOLIST (`[CHR(30)]`) are not supported. A descending or binary external key has no
//! column.

use mainstay_basic_files::options::SEPARATOR;
use mainstay_basic_files::{FileDefinition, FileError, FileErrorKind, KeyDefinition, Result};

/// A column of the view.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    number: u32,
    name: String,
    kind: FieldKind,
}

#[derive(Clone, Debug, PartialEq)]
enum FieldKind {
    /// Of at most so many characters.
    Text(Option<u32>),
    Number,
    /// With so many decimals.
    Decimal(u32),
}

fn invalid(message: String) -> FileError {
    FileError::new(FileErrorKind::InvalidOption, message)
}

/// The name of a view of a file, quoted.
fn view_name(file: &str, part: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == '_';
    let name: String = file.to_lowercase().chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    format!("\"{name}_{part}\"")
}

/// The views of a file: the name of each, and the statement that makes it.
///
/// Errors: 32 for a layout that cannot be read.
pub(crate) fn views(file: &str, definition: &FileDefinition, layout: &str) -> Result<Vec<(String, String)>> {
    let view = |part: &str, columns: &[Field], condition: &str| {
        let name = view_name(file, part);
        let statement = statement(&name, file, definition, columns, condition);
        (name, statement)
    };
    let Some((number, types)) = record_types(layout)? else {
        return Ok(vec![view("fields", &fields(layout)?, "")]);
    };
    let mut views = Vec::new();
    let mut common: Option<Vec<Field>> = None;
    for (value, name, layout) in types {
        let columns = fields(&layout)?;
        match &mut common {
            Some(common) => common.retain(|field| columns.contains(field)),
            None => common = Some(columns.clone()),
        }
        let type_field = call("field_text", number, "", definition.separator);
        let condition = format!(" WHERE {type_field} = '{}'", value.replace('\'', "''"));
        views.push(view(&name, &columns, &condition));
    }
    let mut common = common.unwrap_or_default();
    if common.iter().all(|field| field.number != number) {
        common.insert(0, Field { number, name: "record_type".to_owned(), kind: FieldKind::Text(None) });
    }
    views.insert(0, view("fields", &common, ""));
    Ok(views)
}

/// The statement that makes a view.
fn statement(name: &str, file: &str, definition: &FileDefinition, columns: &[Field], condition: &str) -> String {
    let mut items = vec!["record_index".to_owned()];
    if let (Some(length), Some(true)) =
        (definition.keys.external_length(), definition.keys.key(0).ok().map(KeyDefinition::is_plain))
    {
        let is_free = columns.iter().all(|field| field.name != "key");
        let column = if is_free { "key" } else { "record_key" };
        items.push(format!("code_page_text(key_0, {length}) AS \"{column}\""));
    }
    items.extend(columns.iter().map(|field| {
        let (function, third) = match field.kind {
            FieldKind::Text(length) => ("field_text", length.map(|length| length.to_string())),
            FieldKind::Number => ("field_number", None),
            FieldKind::Decimal(decimals) => ("field_number", Some(decimals.to_string())),
        };
        let call = call(function, field.number, third.as_deref().unwrap_or_default(), definition.separator);
        format!("{call} AS \"{}\"", field.name)
    }));
    let table = file.replace('\\', "/").replace('"', "\"\"");
    format!("CREATE OR REPLACE VIEW {name} AS SELECT {} FROM \"{table}\"{condition}", items.join(", "))
}

/// The call of a field function. A separator of its own is the fourth argument.
fn call(function: &str, number: u32, third: &str, separator: u8) -> String {
    let own = match separator {
        SEPARATOR if third.is_empty() => String::new(),
        SEPARATOR => format!(", {third}"),
        other if third.is_empty() => format!(", {}, {other}", if function == "field_text" { "0" } else { "NULL" }),
        other => format!(", {third}, {other}"),
    };
    format!("{function}(record, {number}{own})")
}

/// A type of records: the value of its field, its name, and its layout.
type RecordType = (String, String, String);

/// `by field 1: "H" header(*,CUST$), "L" line(*,ITEM$)`: the type field, and of each type the value, the name and the layout.
fn record_types(layout: &str) -> Result<Option<(u32, Vec<RecordType>)>> {
    let Some((head, rest)) = layout.split_once(':') else { return Ok(None) };
    let words: Vec<String> = head.split_whitespace().map(str::to_lowercase).collect();
    let ["by", "field", number] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] else { return Ok(None) };
    let number = number.parse().ok().filter(|number| *number > 0);
    let number = number.ok_or_else(|| invalid(format!("\"{}\" names no field", head.trim())))?;
    let one = |item: &str| {
        let unknown = || invalid(format!("\"{item}\" is not \"VALUE\" NAME(LAYOUT)"));
        let (value, rest) = item.strip_prefix('"').and_then(|rest| rest.split_once('"')).ok_or_else(unknown)?;
        let (name, layout) = rest.trim().strip_suffix(')').and_then(|rest| rest.split_once('(')).ok_or_else(unknown)?;
        let name = column_name(name.trim()).filter(|name| name != "fields").ok_or_else(unknown)?;
        Ok((value.to_owned(), name, layout.to_owned()))
    };
    let types: Vec<_> = items(rest).into_iter().map(one).collect::<Result<_>>()?;
    match types.is_empty() {
        true => Err(invalid("the layout names no type of records".to_owned())),
        false => Ok(Some((number, types))),
    }
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
    let length = size.trim_end_matches(')').trim().parse().ok();
    let decimals = size.trim_end_matches(')').split(',').nth(1).and_then(|word| word.trim().parse().ok());
    let kind = match word {
        "text" | "char" | "varchar" => FieldKind::Text(length),
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
    let kind = if text.ends_with('$') { FieldKind::Text(None) } else { FieldKind::Number };
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
    use mainstay_basic_files::{FileDefinition, FileKind, KeyDefinitions, RecordFormat};

    fn views(definition: &FileDefinition, text: &str) -> Vec<String> {
        let views = super::views("orders.dat", definition, text).unwrap();
        views.into_iter().map(|(_, statement)| statement).collect()
    }

    fn keyed(keys: &str) -> FileDefinition {
        FileDefinition::new(FileKind::Keyed, KeyDefinitions::parse(keys).unwrap(), RecordFormat::DEFAULT)
    }

    #[test]
    fn iolists_and_field_lists_are_read() {
        let view = |text| views(&keyed("[1:1:4]"), text).remove(0);
        assert_eq!(
            view("IOLIST CUST.ID$,*,OWED"),
            "CREATE OR REPLACE VIEW \"orders_dat_fields\" AS SELECT record_index, field_text(record, 1) AS \"cust_id\", \
             field_number(record, 3) AS \"owed\" FROM \"orders.dat\""
        );
        let listed = view("field 1 name text(30)\nfield 2 owed decimal(12,2)");
        assert!(listed.contains("field_text(record, 1, 30) AS \"name\""), "{listed}");
        assert!(listed.contains("field_number(record, 2, 2) AS \"owed\""), "{listed}");
        for text in
            ["", "A$[1:3]", "field x name text", "field 1 name blob", "by field 0: \"H\" h(A$)", "by field 1: H(A$)"]
        {
            let error = super::views("orders", &keyed("[1:1:4]"), text).unwrap_err();
            assert_eq!(error.number(), 32, "{text}");
        }
    }

    #[test]
    fn external_keys_and_separators_are_part_of_the_view() {
        let mut definition = keyed("6");
        definition.separator = b',';
        assert_eq!(
            views(&definition, "NAME$,OWED"),
            [
                "CREATE OR REPLACE VIEW \"orders_dat_fields\" AS SELECT record_index, code_page_text(key_0, 6) AS \"key\", \
              field_text(record, 1, 0, 44) AS \"name\", field_number(record, 2, NULL, 44) AS \"owed\" FROM \"orders.dat\""
            ]
        );
    }

    #[test]
    fn each_type_of_records_has_a_view() {
        let views = views(&keyed("[1:1:1]+[2:1:6]"), "by field 1: \"H\" header(*,ID$,TOTAL), \"L\" line(*,ID$,ITEM$)");
        let select = |statement: &String| statement.split_once(" AS SELECT record_index, ").unwrap().1.to_owned();
        assert_eq!(
            views.iter().map(select).collect::<Vec<_>>(),
            [
                "field_text(record, 1) AS \"record_type\", field_text(record, 2) AS \"id\" FROM \"orders.dat\"",
                "field_text(record, 2) AS \"id\", field_number(record, 3) AS \"total\" FROM \"orders.dat\" \
                 WHERE field_text(record, 1) = 'H'",
                "field_text(record, 2) AS \"id\", field_text(record, 3) AS \"item\" FROM \"orders.dat\" \
                 WHERE field_text(record, 1) = 'L'",
            ]
        );
    }
}
