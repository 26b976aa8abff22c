//! DataFusion's messages about a statement in the terms of SQL: SQL's type names, and no internal forms.
//!
//! DataFusion has most of its errors as text only. The everyday mistakes are worded here; `tests/mistakes` of the
//! command has a statement for each.

use super::type_names::{in_sql, listed, sql_type};
use crate::parse::text::Text;
use mainstay_types::{Code, Error};

/// The message of an error in other words, with its place if it has one; the message as it is where none are known and it
/// has no form of DataFusion's.
pub(super) fn reworded(error: Error, text: Option<&Text>) -> Error {
    let error = in_words(error, text);
    let message = in_sql(error.message()).replace("Execution error: ", "").replace("Error during planning: ", "");
    with_message(error, message)
}

/// The error with another message.
fn with_message(error: Error, message: String) -> Error {
    if message == error.message() {
        return error;
    }
    let mut told = Error::new(error.code(), message);
    if let Some(cause) = error.cause() {
        told = told.because(cause);
    }
    if let Some(subject) = error.subject() {
        told = told.about(subject);
    }
    if let Some(hint) = error.hint_text() {
        told = told.hint(hint);
    }
    match error.text_span() {
        Some((start, end)) => told.span(start, end),
        None => told,
    }
}

fn in_words(error: Error, text: Option<&Text>) -> Error {
    let Some(Told { message, code, hint, place }) = told(error.message()) else {
        let message = in_sql(error.message());
        return super::foreign::hidden(with_message(error, message), text);
    };
    let mut told = Error::new(code.unwrap_or(error.code()), super::shortened(&message));
    if let Some(cause) = error.cause() {
        told = told.because(cause);
    }
    if let Some(subject) = error.subject() {
        told = told.about(subject);
    }
    if let Some(hint) = hint.or(error.hint_text().map(str::to_owned)) {
        told = told.hint(hint);
    }
    let span = text.and_then(|text| match place {
        Place::None => None,
        Place::Name(name) => text.span_of(&name),
        Place::Literal(literal) => text.span_of_literal(&literal),
        Place::Sign(sign) => text.span_of_sign(&sign),
    });
    match span.or(error.text_span()) {
        Some((start, end)) => told.span(start, end),
        None => told,
    }
}

/// The subject of the message, as it stands in the statement.
enum Place {
    None,
    /// A name, in lower case.
    Name(String),
    /// A literal of text.
    Literal(String),
    /// An operator, a keyword or a number.
    Sign(String),
}

struct Told {
    message: String,
    code: Option<Code>,
    hint: Option<String>,
    place: Place,
}

impl Told {
    fn new(message: impl Into<String>) -> Told {
        Told { message: message.into(), code: None, hint: None, place: Place::None }
    }

    fn code(self, code: Code) -> Told {
        Told { code: Some(code), ..self }
    }

    fn hint(self, hint: &str) -> Told {
        Told { hint: Some(hint.to_owned()), ..self }
    }

    fn at_name(self, name: &str) -> Told {
        Told { place: Place::Name(super::last_part(name)), ..self }
    }

    fn at_literal(self, literal: &str) -> Told {
        Told { place: Place::Literal(literal.to_owned()), ..self }
    }

    fn at_sign(self, sign: &str) -> Told {
        Told { place: Place::Sign(sign.to_owned()), ..self }
    }
}

fn told(message: &str) -> Option<Told> {
    of_groups(message)
        .or_else(|| of_types(message))
        .or_else(|| of_values(message))
        .or_else(|| of_functions(message))
        .or_else(|| of_arguments(message))
        .or_else(|| of_queries(message))
}

/// Groups and aggregates where they cannot be.
fn of_groups(message: &str) -> Option<Told> {
    if message.contains("must appear in the GROUP BY clause") {
        let column = between(message, "column \"", "\" must appear")?;
        if column.ends_with("._recno") || column.ends_with("._position") {
            let aggregate = between(message, "currently only \"", "(").unwrap_or_default();
            let told = Told::new("an aggregate cannot be a value that SET gives each row").at_name(aggregate);
            return Some(told.hint("take it from a subquery: (SELECT max(x) FROM ...)"));
        }
        let told = Told::new(format!("\"{column}\" is neither grouped by nor inside of an aggregate"));
        return Some(told.at_name(column).hint("add it to GROUP BY, or take max() of it"));
    }
    if message.starts_with("Aggregate functions are not allowed in the WHERE clause") {
        let told = Told::new("aggregates are not allowed in WHERE, which chooses rows before they are grouped")
            .at_sign("WHERE");
        return Some(told.hint("write the condition into HAVING"));
    }
    if message.starts_with("Aggregate function calls cannot be nested") {
        let inner = between(message, "nested: '", "(").unwrap_or_default();
        let told = Told::new("an aggregate cannot be inside of another one").at_name(inner);
        return Some(told.hint("group in a subquery, and aggregate what it gives"));
    }
    if message.contains("does not support logical expression WindowFunction") {
        let told = Told::new("window functions are not allowed here").code(Code::Syntax).at_sign("OVER");
        return Some(told.hint("compute it in a subquery, and choose its rows in the query around it"));
    }
    let is_wildcard = message.contains("does not support logical expression Wildcard");
    is_wildcard.then(|| Told::new("a * is no value here; only count(*) takes it").code(Code::Syntax).at_sign("*"))
}

/// Values of types that do not fit.
fn of_types(message: &str) -> Option<Told> {
    if let Some(rest) = message.strip_prefix("Cannot cast string '") {
        let (value, wanted) = rest.strip_suffix(" type")?.rsplit_once("' to value of ")?;
        let wanted = sql_type(wanted);
        let told = Told::new(format!("'{value}' is not a value of {wanted}")).at_literal(value);
        return Some(if wanted == "DATE" { told.hint("write YYYY-MM-DD, of a day that there is") } else { told });
    }
    if let Some(rest) = message.strip_prefix("Cannot cast value '") {
        let (value, wanted) = rest.strip_suffix(" type")?.rsplit_once("' to value of ")?;
        return Some(Told::new(format!("'{value}' is not a value of {}", sql_type(wanted))).at_literal(value));
    }
    if let Some(rest) = message.strip_prefix("Unsupported CAST from ") {
        let (from, to) = rest.split_once(" to ")?;
        let told = Told::new(format!("a value of {} cannot become one of {}", sql_type(from), sql_type(to)));
        return Some(told.at_sign("CAST"));
    }
    if let Some(rest) = message.strip_prefix("Cannot coerce arithmetic expression ") {
        let (left, operator, right) = operands(rest.strip_suffix(" to valid types")?)?;
        let message = format!("{operator} does not take {} and {}", sql_type(left), sql_type(right));
        return Some(convert(message).at_sign(operator));
    }
    // `||`, regular expressions, bits and truth values.
    if message.starts_with("Cannot infer common ")
        && let Some((_, rest)) = message.split_once(" operation ")
    {
        let (left, operator, right) = operands(rest)?;
        let message = format!("{operator} does not take {} and {}", sql_type(left), sql_type(right));
        return Some(convert(message).at_sign(operator));
    }
    if let Some(rest) = message.strip_prefix("There isn't a common type to coerce ") {
        let (types, operator) = rest.strip_suffix(" expression")?.rsplit_once(" in ")?;
        let (left, right) = types.split_once(" and ")?;
        let message = format!("{operator} takes texts, and these are {} and {}", sql_type(left), sql_type(right));
        return Some(convert(message).at_sign(operator));
    }
    if let Some(rest) = message.strip_prefix("Cannot create filter with non-boolean predicate '") {
        let (what, data_type) = rest.rsplit_once("' returning ")?;
        return Some(no_condition(data_type).at_name(what));
    }
    if let Some(data_type) = message.strip_prefix("Unary operator 'NOT' requires a boolean expression, got ") {
        return Some(no_condition(data_type).at_sign("NOT"));
    }
    if let Some(rest) = message.strip_prefix("Cannot automatically convert ") {
        let (from, to) = rest.split_once(" to ")?;
        let told = Told::new(format!("a value of {} is given where one of {} is wanted", sql_type(from), sql_type(to)));
        return Some(told.code(Code::TypeMismatch).at_sign("WHEN"));
    }
    if message.starts_with("Unary operator '-' only supports") {
        return Some(convert("- takes numbers and intervals".to_owned()).at_sign("-"));
    }
    if let Some(rest) = message.strip_prefix("Incompatible inputs for ") {
        let (first, rest) = rest.split_once("type ")?.1.split_once(", but got incompatible type ")?;
        let (second, column) = rest.split_once(" on column '")?;
        let column = column.trim_end_matches('\'');
        let what =
            format!("the column {column} is {} in one query and {} in the other", sql_type(first), sql_type(second));
        return Some(convert(what).at_name(column));
    }
    if let Some(value) = between(message, "Invalid input syntax for type interval: \"", "\"") {
        let told = Told::new(format!("'{value}' is not a value of INTERVAL")).at_literal(value);
        return Some(told.hint("write a number and a unit: INTERVAL '2 days', INTERVAL '2' DAY"));
    }
    if let Some(operation) = message.strip_prefix("Invalid arithmetic operation: ") {
        let (left, operator, right) = operands(operation)?;
        let message = format!("{operator} does not take {} and {}", sql_type(left), sql_type(right));
        return Some(convert(message).at_sign(operator));
    }
    if let Some(name) = message.strip_prefix("Unsupported SQL type ") {
        return Some(Told::new(format!("there is no type \"{name}\"")).code(Code::Syntax).at_name(name));
    }
    if let Some(part) = message.strip_prefix("Date part '").and_then(|rest| rest.strip_suffix("' not supported")) {
        return Some(Told::new(format!("a day or time has no part \"{part}\"")).at_name(part));
    }
    (message == "Divide by zero error").then(|| Told::new("division by zero"))
}

/// Values that are not what they are taken for, and lists of values without a type in common.
fn of_values(message: &str) -> Option<Told> {
    if let Some(data_type) = message.strip_prefix("Join condition must be boolean type, but got ") {
        return Some(no_condition(data_type).at_sign("ON"));
    }
    if let Some(data_type) = message.strip_prefix("Expected LIMIT to be an integer or null, but got ") {
        let told = Told::new(format!("LIMIT takes a whole number, and this is {}", sql_type(data_type)));
        return Some(told.code(Code::TypeMismatch).at_sign("LIMIT"));
    }
    if let Some(rest) = message.strip_prefix("Can't cast value ") {
        let (value, wanted) = rest.rsplit_once(" to type ")?;
        let told = Told::new(format!("{value} is not a value of {}", sql_type(wanted)));
        return Some(told.code(Code::InvalidValue).at_sign(value));
    }
    if let Some(rest) = message.strip_prefix("Can not find compatible types to compare ") {
        let (value, list) = rest.split_once(" with [")?;
        let message = format!(
            "IN compares {} with {}, which have no type in common",
            sql_type(value),
            listed(list.trim_end_matches(']'))
        );
        return Some(convert(message).at_sign("IN"));
    }
    for start in ["Cannot get result type for arithmetic operation ", "Cannot get result type for temporal operation "]
    {
        let Some(operation) = message.strip_prefix(start) else { continue };
        let (left, operator, right) = operands(operation.split(": ").next()?)?;
        let message = format!("{operator} does not take {} and {}", sql_type(left), sql_type(right));
        return Some(convert(message).at_sign(operator));
    }
    if let Some(operation) = message.strip_prefix("Invalid string/binary operation: ") {
        let (left, operator, _) = operands(operation)?;
        return Some(convert(format!("{operator} takes texts, and this is {}", sql_type(left))).at_sign(operator));
    }
    if let Some(rest) = message.strip_prefix("Inconsistent data type across values list at row ") {
        let (one, other) = rest.split_once(". Was ")?.1.split_once(" but found ")?;
        let message =
            format!("a column of VALUES is {} in one row, and {} in the next", sql_type(one), sql_type(other));
        return Some(convert(message).at_sign("VALUES"));
    }
    if message.starts_with("Cannot access field at argument") {
        let given = between(message, "type ", " is not")?;
        return Some(convert(format!("a value of {} has no parts", sql_type(given))));
    }
    if message.starts_with("Binary operator '") && message.contains("physical expr") {
        return Some(Told::new("an operator of the statement is not supported").code(Code::Unsupported));
    }
    if message.contains("supported arrow type name") {
        let name = between(message, "Unsupported type '", "'")?;
        return Some(Told::new(format!("there is no type \"{name}\"")).code(Code::Syntax).at_literal(name));
    }
    if message.contains("Fail to find the coerced type") {
        let told = convert("the values have no type in common".to_owned());
        return Some(match between(message, "Function '", "'") {
            Some(name) => told.at_name(name),
            None => told,
        });
    }
    if let Some(rest) =
        message.strip_prefix("Failed to coerce types ").or(message.strip_prefix("failed to coerce types "))
    {
        let (types, operator) = rest.rsplit_once(" in ")?;
        let types = types.replace(" and ", ", ");
        let operator = operator.trim_end_matches(" expression");
        let message = format!("{operator} compares values of types that have nothing in common: {}", listed(&types));
        return Some(convert(message).at_sign(operator));
    }
    if let Some(wanted) = message.strip_prefix("Unable to cast to ") {
        let wanted = wanted.split(' ').next()?;
        let told = Told::new(format!("the text is not a value of {}, or is beyond its range", sql_type(wanted)));
        return Some(told.code(Code::InvalidValue));
    }
    if message.contains("regex parse error") || message.contains("regular expression did not compile") {
        let reason = message.rsplit_once("error: ").map(|(_, reason)| reason.trim());
        let reason = reason.filter(|reason| !reason.contains("regex")).map_or_else(String::new, |it| format!(": {it}"));
        return Some(Told::new(format!("the regular expression is not valid{reason}")).code(Code::InvalidValue));
    }
    None
}

/// Calls that no form of a function takes, of which the planner lists what it has tried.
fn of_arguments(message: &str) -> Option<Told> {
    let message = message.split(". No function matches").next()?;
    if let Some((name, rest)) = message.strip_prefix('\'').and_then(|rest| rest.split_once('\''))
        && rest.starts_with(" does not support zero arguments")
    {
        return Some(
            Told::new(format!("{name} takes arguments, and none is given")).code(Code::TypeMismatch).at_name(name),
        );
    }
    let rest = message.split_once("unction '")?.1;
    let (name, rest) = rest.split_once('\'')?;
    if rest.starts_with(" failed to match any signature") {
        let numbers: Vec<(&str, &str)> = rest.split(" expects ").skip(1).filter_map(counts).collect();
        let Some((_, given)) = numbers.first() else {
            return Some(convert(format!("{name} does not take these arguments")).at_name(name));
        };
        let mut wanted: Vec<&str> = numbers.iter().map(|(wanted, _)| *wanted).collect();
        wanted.sort_unstable();
        wanted.dedup();
        return Some(miscounted(name, &wanted.join(" or "), given));
    }
    if let Some(rest) = rest.strip_prefix(" expected ") {
        let (wanted, rest) = rest.split_once(" argument")?;
        let given: String = rest.chars().filter(char::is_ascii_digit).collect();
        return Some(miscounted(name, if wanted == "zero" { "no" } else { wanted }, &given));
    }
    if let Some((wanted, given)) = rest.strip_prefix(" expects ").and_then(|rest| rest.split_once(" but received ")) {
        let message = format!("{name} takes {}, and this is {}", wanted.to_lowercase(), given.to_lowercase());
        return Some(convert(message).at_name(name));
    }
    None
}

/// The numbers of `2 arguments but received 4, ...`.
fn counts(text: &str) -> Option<(&str, &str)> {
    let (wanted, rest) = text.split_once(" arguments but received ")?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    Some((wanted, &rest[..end])).filter(|(_, given)| !given.is_empty())
}

fn miscounted(name: &str, wanted: &str, given: &str) -> Told {
    let arguments = if wanted == "1" { "argument" } else { "arguments" };
    let are = if given == "1" { "is" } else { "are" };
    Told::new(format!("{name} takes {wanted} {arguments}, and {given} {are} given"))
        .code(Code::TypeMismatch)
        .at_name(name)
}

/// Functions: how many arguments, and of which types.
fn of_functions(message: &str) -> Option<Told> {
    if let Some(rest) = message.strip_prefix("[return_type] ") {
        let (name, given) = rest.split_once(" not supported for ")?;
        let name = name.to_lowercase();
        return Some(convert(format!("{name} does not take {}", sql_type(given))).at_name(&name));
    }
    if let Some(rest) = message.strip_prefix("Function '") {
        let (name, rest) = rest.split_once('\'')?;
        if let Some(rest) = rest.strip_prefix(" expects ") {
            let (wanted, rest) = rest.split_once(" arguments but received ")?;
            let given: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let arguments = if wanted == "1" { "argument" } else { "arguments" };
            let are = if given == "1" { "is" } else { "are" };
            return Some(
                Told::new(format!("{name} takes {wanted} {arguments}, and {given} {are} given")).at_name(name),
            );
        }
        let (_, reason) = rest.split_once("user-defined coercion failed with: ")?;
        let reason = reason.split(". No function matches").next()?;
        let reason = super::plain(reason.rsplit("Error during planning: ").next()?);
        return Some(Told::new(reason).at_name(name));
    }
    if let Some(rest) = message.strip_prefix("Failed to coerce arguments to satisfy a call to '") {
        let (name, rest) = rest.split_once('\'')?;
        let types = between(rest, "coercion from ", " to the signature")?;
        return Some(convert(format!("{name} does not take {}", listed(types))).at_name(name));
    }
    message
        .starts_with("Substring without for/from")
        .then(|| Told::new("substr takes a text and the place where the part begins").at_name("substr"))
}

/// Messages about the parts of queries.
fn of_queries(message: &str) -> Option<Told> {
    if message.contains("queries have different number of columns") {
        let kind = message.split(' ').next().unwrap_or_default();
        return Some(Told::new(format!("the queries of {kind} have different numbers of columns")).at_name(kind));
    }
    if let Some(rest) = message.strip_prefix("Order by column out of bounds, specified: ") {
        let (place, most) = rest.split_once(", max: ")?;
        let told = Told::new(format!("column {place} is asked for, and the last of the query is {most}"));
        return Some(told.at_sign(place));
    }
    if let Some(rest) = message.strip_prefix("Cannot find column with position ") {
        let (place, most) = rest.split_once(" in SELECT clause. Valid columns: ")?;
        let last = most.rsplit(' ').next()?;
        let told = Told::new(format!("column {place} is asked for, and the last of the query is {last}"));
        return Some(told.at_sign(place));
    }
    if message.contains("must appear in select list") {
        let what = between(message, "ORDER BY expressions ", " must appear")?;
        let told = Told::new(format!("ORDER BY {what}: rows that are DISTINCT are ordered by what they show"));
        return Some(told.at_name(what).hint("add it to the list of SELECT"));
    }
    if message.starts_with("Scalar subquery returned more than one row") {
        let told = Told::new("a subquery that stands for a value gave more than one row");
        return Some(told.hint("write IN instead of =, or LIMIT 1"));
    }
    if let Some(columns) = message.strip_prefix("Too many columns! The subquery should only return one column: ") {
        let second = columns.split(", ").nth(1).unwrap_or_default();
        return Some(
            Told::new(format!("a subquery gives one column here, and this one gives {columns}")).at_name(second),
        );
    }
    if let Some(name) = message.strip_prefix("Schema contains duplicate qualified field name ") {
        let table = name.rsplit_once('.')?.0;
        let told = Told::new(format!("two tables are called {table} here")).at_name(table);
        return Some(told.hint("give one of them another name: FROM t AS a JOIN t AS b"));
    }
    if message.starts_with("Inconsistent metadata across values list") {
        let told = Told::new("a column of VALUES is a column of a table in one row, and another value in the next");
        return Some(told.code(Code::TypeMismatch).hint("write the rows as SELECT ... UNION ALL SELECT ..."));
    }
    if message.starts_with("Projections require unique expression names") {
        let told = Told::new("two columns of a list have one name");
        return Some(told.hint("give one of them another name: AS ..."));
    }
    let rest = message.strip_prefix("LIMIT must be >= 0, '")?;
    Some(Told::new(format!("LIMIT {} is less than no row", rest.split('\'').next()?)).at_sign("LIMIT"))
}

fn no_condition(data_type: &str) -> Told {
    let told = Told::new(format!("a condition is true or false, and this is {}", sql_type(data_type)));
    told.hint("compare it with something")
}

fn convert(message: String) -> Told {
    Told::new(message).code(Code::TypeMismatch).hint("convert one first: CAST(x AS ...)")
}

/// `Utf8View + Int64` in its parts. The blanks inside of types are in parentheses.
fn operands(text: &str) -> Option<(&str, &str, &str)> {
    let mut depth = 0_i32;
    let mut blanks = text.char_indices().filter(|(_, letter)| {
        depth += i32::from(*letter == '(') - i32::from(*letter == ')');
        *letter == ' ' && depth == 0
    });
    let (first, second) = (blanks.next()?.0, blanks.next()?.0);
    Some((&text[..first], &text[first + 1..second], &text[second + 1..]))
}

fn between<'t>(text: &'t str, before: &str, behind: &str) -> Option<&'t str> {
    Some(text.split_once(before)?.1.split_once(behind)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_told_from_types_with_blanks() {
        assert_eq!(operands("Decimal128(6, 0) + Date32"), Some(("Decimal128(6, 0)", "+", "Date32")));
    }

    #[test]
    fn a_message_that_is_not_known_stays() {
        let error = reworded(Error::new(Code::Unsupported, "something else"), None);
        assert_eq!((error.code(), error.message()), (Code::Unsupported, "something else"));
    }
}
