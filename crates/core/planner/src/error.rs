//! Conversion of DataFusion's errors to Mainstay's: a code, a place in the text, and a hint.

mod columns;
mod foreign;
mod located;
mod type_names;
mod words;

pub use located::{columns_and_texts, located, start_of_query};

use crate::carried_error::to_datafusion;
use crate::parse::text::Text;
use datafusion::common::{Column, DataFusionError, SchemaError};
use mainstay_types::{Cause, Code, Error};

/// The length at which texts in messages are cut.
const MESSAGE_CHARACTERS: usize = 500;

/// Names that a misspelt one may have meant.
pub(crate) struct Names {
    pub(crate) tables: Vec<String>,
    pub(crate) functions: Vec<String>,
}

/// Our error for one of DataFusion's, with the place in the statement where its text is given.
pub(crate) fn from_datafusion(error: DataFusionError, text: Option<&Text>, names: Option<&Names>) -> Error {
    match error {
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => {
            from_datafusion(*inner, text, names)
        }
        DataFusionError::External(inner) => match inner.downcast::<Error>() {
            Ok(error) => *error,
            Err(other) => foreign::hidden(Error::new(Code::Internal, other.to_string()), text),
        },
        DataFusionError::Shared(inner) => match shared_error(&inner) {
            Some(error) => error,
            None => {
                let inner = without_context(&inner);
                words::reworded(caused(Error::new(code_of(inner), plain(&inner.strip_backtrace()))), text)
            }
        },
        DataFusionError::SchemaError(schema_error, _) => from_schema_error(*schema_error, text),
        DataFusionError::Collection(errors) => match errors.into_iter().next() {
            Some(first) => from_datafusion(first, text, names),
            None => Error::new(Code::Internal, "an empty list of errors"),
        },
        DataFusionError::SQL(error, _) => syntax(&error.to_string(), text),
        DataFusionError::Internal(message) if is_about_types(&message) => {
            let first = lower_first(message.lines().next().unwrap_or_default());
            words::reworded(Error::new(Code::TypeMismatch, shortened(&first)), text)
        }
        other => {
            let message = plain(&other.strip_backtrace());
            let known = named(&message, text, names);
            known.unwrap_or_else(|| words::reworded(caused(Error::new(code_of(&other), message)), text))
        }
    }
}

/// Returns true if DataFusion takes types that do not fit for a fault of its own: BETWEEN of bytes and numbers, RANGE
/// over texts.
fn is_about_types(message: &str) -> bool {
    message.starts_with("Failed to coerce types") || message.starts_with("Cannot run range queries")
}

fn shared_error(error: &DataFusionError) -> Option<Error> {
    match error {
        DataFusionError::External(inner) => inner.downcast_ref::<Error>().cloned(),
        DataFusionError::Context(_, inner) => shared_error(inner),
        DataFusionError::Shared(inner) => shared_error(inner),
        _ => None,
    }
}

/// The error itself, without what others have said about it.
fn without_context(error: &DataFusionError) -> &DataFusionError {
    match error {
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => without_context(inner),
        DataFusionError::Shared(inner) => without_context(inner),
        _ => error,
    }
}

fn code_of(error: &DataFusionError) -> Code {
    match error {
        DataFusionError::Context(_, inner) => code_of(inner),
        DataFusionError::Shared(inner) => code_of(inner),
        DataFusionError::NotImplemented(_) => Code::Unsupported,
        DataFusionError::ResourcesExhausted(_) => Code::OutOfMemory,
        DataFusionError::IoError(_) | DataFusionError::ObjectStore(_) => Code::Io,
        DataFusionError::ParquetError(_) => Code::Damaged,
        DataFusionError::Internal(_) => Code::Internal,
        DataFusionError::ArrowError(inner, _) => match inner.as_ref() {
            datafusion::arrow::error::ArrowError::DivideByZero => Code::DivisionByZero,
            datafusion::arrow::error::ArrowError::ParquetError(_) => Code::Damaged,
            datafusion::arrow::error::ArrowError::IoError(..) => Code::Io,
            _ => Code::InvalidValue,
        },
        DataFusionError::Execution(_) => Code::InvalidValue,
        DataFusionError::Plan(text) if text.contains("coerce") || text.contains("type") => Code::TypeMismatch,
        _ => Code::Syntax,
    }
}

/// The cause of an error of DataFusion's, which knows it only as text.
fn caused(error: Error) -> Error {
    let message = error.message();
    let cause = match error.code() {
        Code::Syntax if message.contains("different number of columns") => Cause::ColumnCounts,
        Code::Syntax if message.contains("must appear in select list") => Cause::NotSelected,
        Code::Syntax if message.contains("must appear in the GROUP BY clause") => {
            match message.split(" must be").next() {
                Some("Column in HAVING") => Cause::NotGroupedInHaving,
                Some("Column in ORDER BY") => Cause::NotGroupedInOrder,
                _ => Cause::NotGrouped,
            }
        }
        Code::Syntax if message.contains("LIMIT must be >=") => Cause::NegativeLimit,
        Code::Syntax if message.contains("OFFSET must be >=") => Cause::NegativeOffset,
        Code::OutOfMemory => return error.hint("raise the memory limit"),
        Code::InvalidValue if message.contains("more than one row") => Cause::SeveralRows,
        Code::Unsupported if message.contains("Conflicting ordering requirements") => Cause::ConflictingOrders,
        _ => return error,
    };
    // A number of rows stands in single quotes, a name in double ones.
    let quote = if matches!(cause, Cause::NegativeLimit | Cause::NegativeOffset) { '\'' } else { '"' };
    let subject = message.split(quote).nth(1).map(str::to_owned);
    let error = error.because(cause);
    match subject {
        Some(subject) => error.about(subject),
        None => error,
    }
}

/// The error of a function in a FROM that does not exist.
pub(crate) fn unknown_rowset(name: &str) -> DataFusionError {
    let error = Error::new(Code::Syntax, format!("there is no function {name} in FROM"));
    to_datafusion(error.about(name).because(Cause::UnknownRowset))
}

/// The message without the kind that DataFusion writes before it and the advice after it.
fn plain(message: &str) -> String {
    let message = crate::parse::marks::unmarked(message);
    let mut rest = message.as_ref();
    for prefix in [
        "Error during planning: ",
        "Execution error: ",
        "Arrow error: ",
        "Schema error: ",
        "This feature is not implemented: ",
        "Resources exhausted: ",
        "SQL error: ",
        "Optimizer rule 'simplify_expressions' failed\ncaused by\n",
        "type_coercion\ncaused by\n",
        "Compute error: ",
        "Cast error: ",
        "Invalid argument error: ",
        "Internal error: ",
        "Parser error: ",
        "Parquet error: ",
    ] {
        rest = rest.strip_prefix(prefix).unwrap_or(rest);
    }
    match rest.split_once("\nThis issue was likely caused") {
        Some((message, _)) => shortened(message.trim_end()),
        None => shortened(rest.trim_end().trim_end_matches('.')),
    }
}

/// A parser message ends in `at Line: 1, Column: 8` or says what it found at the end of the text.
pub(crate) fn syntax(message: &str, text: Option<&Text>) -> Error {
    let message = message.strip_prefix("sql parser error: ").unwrap_or(message);
    let message = message.strip_prefix("ParserError(\"").and_then(|m| m.strip_suffix("\")")).unwrap_or(message);
    let Some((what, place)) = message.rsplit_once(" at Line: ") else {
        let told = lower_first(message).replace("found: EOF", "found: the end of the statement");
        let error = Error::new(Code::Syntax, told);
        return match text {
            Some(text) if message.contains("EOF") => error.span(text.source.len(), text.source.len()),
            _ => error,
        };
    };
    let error = Error::new(Code::Syntax, shortened(&lower_first(what)));
    let numbers: Vec<u64> = place.split(", Column: ").filter_map(|number| number.trim().parse().ok()).collect();
    match (text, numbers.as_slice()) {
        (Some(text), [line, column]) => {
            let (start, end) = text.span_at(*line, *column);
            error.span(start, end)
        }
        _ => error,
    }
}

/// Messages repeat parts of statements, which may be of any length.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MESSAGE_CHARACTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

fn from_schema_error(error: SchemaError, text: Option<&Text>) -> Error {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => {
            let shown = text.and_then(|text| text.spelling(&field.name)).unwrap_or_else(|| field.name.clone());
            let shown = shortened(&shown);
            let table = field.relation.as_ref().map(|table| crate::parse::marks::unmarked(table.table()));
            let unknown = table.zip(text).filter(|(table, text)| !text.names(table));
            let error = match unknown {
                Some((table, text)) => {
                    let table = text.spelling(&table).unwrap_or_else(|| table.into_owned());
                    let table = shortened(&table);
                    let message = format!("no column \"{table}.{shown}\": no table has that name here");
                    let error = Error::new(Code::UnknownColumn, message).because(Cause::UnknownQualifier);
                    error.about(format!("{table}.{shown}"))
                }
                None => Error::new(Code::UnknownColumn, format!("no column \"{shown}\"")).about(shown),
            };
            let candidates = valid_fields.iter().map(|column| column.name.as_str());
            let error = with_hint(error, &field.name, candidates);
            let relations = valid_fields.iter().filter_map(|column| column.relation.as_ref());
            let mut tables: Vec<String> =
                relations.map(|of| crate::parse::marks::unmarked(of.table()).into_owned()).collect();
            tables.sort();
            tables.dedup();
            with_column_place(error, &field, &tables, text)
        }
        SchemaError::AmbiguousReference { field } => {
            let error = Error::new(Code::Ambiguous, format!("column \"{}\" is in more than one table", field.name))
                .hint("write the table's name before it")
                .about(&field.name);
            with_column_place(error, &field, &[], text)
        }
        other => words::reworded(Error::new(Code::Syntax, other.to_string()), text),
    }
}

/// Errors that DataFusion knows only as text: an unknown table or function.
fn named(message: &str, text: Option<&Text>, names: Option<&Names>) -> Option<Error> {
    if let Some(name) = message.strip_prefix("table '").and_then(|rest| rest.split_once("' not found")) {
        // A period may also be part of a name: "orders.dbf".
        let quoted = text.and_then(|text| text.span_of_literal(name.0));
        let is_one_word = quoted.is_some() || text.is_some_and(|text| text.spelling(name.0).is_some());
        let name = if is_one_word { name.0 } else { name.0.rsplit('.').next().unwrap_or(name.0) };
        let shown = text.and_then(|text| text.spelling(name)).unwrap_or_else(|| name.to_owned());
        let shown = shortened(&shown);
        let error = Error::new(Code::UnknownTable, format!("no table \"{shown}\"")).about(shown);
        let tables: Vec<&str> = names.iter().flat_map(|names| names.tables.iter().map(String::as_str)).collect();
        // A file's name is that of its table with an ending.
        let of_file = name.rsplit_once('.').and_then(|(table, _)| tables.iter().find(|known| **known == table));
        let error = match of_file {
            Some(table) => error.hint(format!("did you mean \"{table}\"?")),
            None => with_hint(error, name, tables.into_iter()),
        };
        return Some(match quoted {
            Some((start, end)) => error.span(start, end),
            None => with_place(error, name, text),
        });
    }
    if let Some((name, error)) = of_arguments(message) {
        return Some(with_place(error, name, text));
    }
    let name = message.strip_prefix("Invalid function '").and_then(|rest| rest.split_once('\''))?.0;
    let error = Error::new(Code::UnknownFunction, format!("no function \"{}\"", shortened(name))).about(name);
    let candidates = names.iter().flat_map(|names| names.functions.iter().map(String::as_str));
    Some(with_place(with_hint(error, name, candidates), name, text))
}

/// A function whose arguments are of types that it does not take, and the error. DataFusion lists all that it tried.
fn of_arguments(message: &str) -> Option<(&str, Error)> {
    let (_, rest) = message.split_once("Function '")?;
    let (name, rest) = rest.split_once('\'')?;
    let received = rest.split_once(" (DataType")?.0.rsplit_once("but received ")?.1;
    rest.contains("failed to match any signature").then(|| {
        let in_sql = type_names::sql_type(received);
        let what = match received {
            "String" => "texts",
            "Binary" => "bytes",
            "Boolean" => "truth values",
            "Date" => "dates",
            "Timestamp" | "Time" => "times",
            _ => in_sql.as_str(),
        };
        let error = Error::new(Code::TypeMismatch, format!("{} does not take {what}", shortened(name)));
        (name, error.hint("convert the argument first: CAST(x AS ...)"))
    })
}

/// The error of a statement that has no place in it, with that of the name or the value that it is about.
pub fn placed(error: Error, statement: &str) -> Error {
    if error.text_span().is_some() {
        return error;
    }
    let Ok(text) = Text::new(statement) else { return error };
    let span = match (error.subject(), error.code()) {
        (Some(subject), _) => text.span_of(&last_part(subject)),
        (None, Code::InvalidValue) => {
            let value = error.message().strip_prefix('\'').and_then(|rest| rest.split_once("' is "));
            let value = value.or(error.message().split_once("to '").and_then(|(_, rest)| rest.split_once("', ")));
            let number = || error.message().split(' ').next();
            value.map_or_else(|| text.span_of_sign(number()?), |(value, _)| text.span_of_literal(value))
        }
        (None, Code::InvalidSetting) => {
            error.message().split('"').nth(1).and_then(|quoted| text.span_of(&last_part(quoted)))
        }
        _ => None,
    };
    match span {
        Some((start, end)) => error.span(start, end),
        None => error,
    }
}

/// The last part of a name that may have several, as texts are asked for it: without quotes, in lower case.
fn last_part(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).trim_matches('"').to_lowercase()
}

/// The error for a name that is no table's, with the nearest of those that there are.
pub fn unknown_table(name: &str, tables: &[String]) -> Error {
    let error = Error::new(Code::UnknownTable, format!("no table \"{name}\"")).about(name);
    with_hint(error, &name.to_lowercase(), tables.iter().map(String::as_str))
}

/// The error for a name that is no column's of a table, with the nearest of those that there are.
pub fn unknown_column<'c>(table: &str, name: &str, columns: impl IntoIterator<Item = &'c str>) -> Error {
    let message = format!("the table {table} has no column \"{name}\"");
    with_hint(Error::new(Code::UnknownColumn, message).about(name), &name.to_lowercase(), columns.into_iter())
}

/// The error with the place of a column that was looked for in these tables.
fn with_column_place(error: Error, column: &Column, tables: &[String], text: Option<&Text>) -> Error {
    let table = column.relation.as_ref().map(|table| crate::parse::marks::unmarked(table.table()));
    match text.and_then(|text| columns::span_of_column(text, table.as_deref(), &column.name, tables)) {
        Some((start, end)) => error.span(start, end),
        None => with_place(error, &column.name, text),
    }
}

fn with_place(error: Error, name: &str, text: Option<&Text>) -> Error {
    match text.and_then(|text| text.span_of(name)) {
        Some((start, end)) => error.span(start, end),
        None => error,
    }
}

fn with_hint<'a>(error: Error, name: &str, candidates: impl Iterator<Item = &'a str>) -> Error {
    match nearest(name, candidates) {
        Some(nearest) => error.hint(format!("did you mean \"{nearest}\"?")),
        None => error,
    }
}

/// The candidate that takes the fewest edits to become, if that is few for the length of the name.
fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = name.chars().count() / 3 + 1;
    candidates
        .map(|candidate| (edit_distance(name, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        // The name itself is there, but not where it was looked for.
        .filter(|(distance, _)| *distance > 0)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, by the row-by-row method.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The error for something that is understood, and not done.
pub(crate) fn unsupported(what: impl std::fmt::Display) -> Error {
    Error::new(Code::Unsupported, format!("{what} is not something that this version does"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(nearest("custmer", ["orders", "customer"].into_iter()), Some("customer"));
        assert_eq!(nearest("xyz", ["orders", "customer"].into_iter()), None);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
