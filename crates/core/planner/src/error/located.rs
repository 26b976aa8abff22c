//! The place of a row error in its statement, as far as the statement alone determines it.
//!
//! ```text
//!   SELECT n / 0 FROM t                          the divisor, if no other literal one is 0
//!   SELECT CAST(name AS INTEGER) FROM t          the CAST, if no other one has the type of the error
//!   SELECT name FROM t WHERE city = 5            the number, if no other one is compared with a column of text
//! ```
//!
//! Division and conversion know their values, and not the text that they were planned from.

use crate::parse::text::{Text, is_keyword};
use datafusion::arrow::datatypes::Schema;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use mainstay_types::{Code, Error};

/// Types of numbers, as errors name them.
const NUMBERS: [&str; 7] = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DECIMAL", "REAL", "DOUBLE"];

/// The error of a statement's rows with its place in it. `columns_of` gives the columns of a table by its name in lower case.
pub fn located(error: Error, statement: &str, columns_of: impl Fn(&str) -> Vec<(String, bool)>) -> Error {
    if error.text_span().is_some() {
        return error;
    }
    let Ok(text) = Text::new(statement) else { return error };
    let tokens = text.significant();
    match error.code() {
        Code::DivisionByZero => {
            with_span(error, only(zero_divisors(&tokens)).map(|at| text.range(tokens[at], tokens[at])))
        }
        Code::InvalidValue => {
            let Some(wanted) = wanted_type(error.message()) else { return error };
            let casts: Vec<(usize, usize)> = casts_to(&tokens, wanted);
            if !casts.is_empty() {
                return with_span(error, only(casts).map(|(first, last)| text.range(tokens[first], tokens[last])));
            }
            match NUMBERS.contains(&wanted) && is_query(&tokens) {
                true => of_compared_text(error, &text, &tokens, columns_of),
                false => error,
            }
        }
        _ => error,
    }
}

/// Where the query of a CREATE TABLE or VIEW begins.
pub fn start_of_query(statement: &str) -> Option<usize> {
    Text::new(statement).ok()?.start_of_query()
}

/// The columns of a table, and which of them are texts.
pub fn columns_and_texts(schema: &Schema) -> Vec<(String, bool)> {
    schema.fields().iter().map(|field| (field.name().to_lowercase(), field.data_type().is_string())).collect()
}

fn with_span(error: Error, span: Option<(usize, usize)>) -> Error {
    match span {
        Some((start, end)) => error.span(start, end),
        None => error,
    }
}

fn only<T>(found: Vec<T>) -> Option<T> {
    <[T; 1]>::try_from(found).ok().map(|[one]| one)
}

/// Where the literals are 0 that something is divided by.
fn zero_divisors(tokens: &[&TokenWithSpan]) -> Vec<usize> {
    let is_zero =
        |token: &Token| matches!(token, Token::Number(text, _) if text.parse().is_ok_and(|it: f64| it == 0.0));
    let divides = |at: usize| matches!(tokens[at - 1].token, Token::Div | Token::Mod);
    (1..tokens.len()).filter(|&at| divides(at) && is_zero(&tokens[at].token)).collect()
}

/// The type that a value is none of, as the message names it, without its digits.
fn wanted_type(message: &str) -> Option<&str> {
    let ends = [("' is not a timestamp", "TIMESTAMP"), ("' is not a UUID", "UUID")];
    if let Some((_, name)) = ends.iter().find(|(end, _)| message.ends_with(end)) {
        return Some(name);
    }
    let behind = |words: &str| message.rsplit_once(words).map(|(_, rest)| rest);
    let name = behind(" is not a value of ").or_else(|| behind(" is out of range for "))?;
    Some(name.split('(').next().unwrap_or(name).trim_end())
}

/// The first and the last token of the CASTs to a type. TRY_CAST gives NULL where these fail.
fn casts_to(tokens: &[&TokenWithSpan], wanted: &str) -> Vec<(usize, usize)> {
    let is_wanted = |at: usize| match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) => name_of_type(&word.value.to_uppercase()) == wanted,
        _ => false,
    };
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.token == Token::DoubleColon && is_wanted(at + 1) {
            found.push((at, at + 1));
        }
        let is_call = || tokens.get(at + 1).is_some_and(|next| next.token == Token::LParen);
        if is_keyword(&token.token, Keyword::CAST)
            && is_call()
            && let Some((name, end)) = type_and_end(tokens, at + 1)
            && is_wanted(name)
        {
            found.push((at, end));
        }
    }
    found
}

/// Where the type of a CAST stands, and where the parenthesis is closed that is opened here.
fn type_and_end(tokens: &[&TokenWithSpan], open: usize) -> Option<(usize, usize)> {
    let (mut depth, mut name) = (0, None);
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            token if depth == 1 && is_keyword(token, Keyword::AS) => name = Some(at + 1),
            _ => {}
        }
        if depth == 0 {
            return Some((name?, at));
        }
    }
    None
}

/// The name that errors have for a type, which has several in statements.
fn name_of_type(written: &str) -> &str {
    match written {
        "INT" | "INT4" => "INTEGER",
        "INT8" => "BIGINT",
        "INT2" => "SMALLINT",
        "NUMERIC" | "DEC" => "DECIMAL",
        "FLOAT" | "FLOAT8" => "DOUBLE",
        "FLOAT4" => "REAL",
        "BOOL" => "BOOLEAN",
        "DATETIME" => "TIMESTAMP",
        other => other,
    }
}

/// Returns true if `=` compares wherever it stands: what changes rows has it in SET, too.
fn is_query(tokens: &[&TokenWithSpan]) -> bool {
    let first = tokens.first().map(|token| &token.token);
    [Keyword::SELECT, Keyword::WITH, Keyword::DELETE]
        .iter()
        .any(|keyword| first.is_some_and(|first| is_keyword(first, *keyword)))
}

/// The error of a value of text that is compared with a number, and so was to become one.
fn of_compared_text(
    error: Error,
    text: &Text,
    tokens: &[&TokenWithSpan],
    columns_of: impl Fn(&str) -> Vec<(String, bool)>,
) -> Error {
    let compared: Vec<(&str, usize)> = compared_with_numbers(tokens);
    let value = error.message().rsplit_once(" is not a value of ").map(|(value, _)| value.to_owned());
    let Some(value) = value.filter(|_| !compared.is_empty()) else { return error };
    let mut words: Vec<String> = Vec::new();
    for token in tokens {
        if let Token::Word(word) = &token.token
            && !words.contains(&word.value.to_lowercase())
        {
            words.push(word.value.to_lowercase());
        }
    }
    let columns: Vec<(String, bool)> = words.iter().flat_map(|word| columns_of(word)).collect();
    let is_text = |name: &str| {
        let mut named = columns.iter().filter(|(known, _)| *known == name.to_lowercase()).peekable();
        named.peek().is_some() && named.all(|(_, is_text)| *is_text)
    };
    let Some((name, number)) = only(compared.into_iter().filter(|(name, _)| is_text(name)).collect()) else {
        return error;
    };
    let (start, end) = text.range(tokens[number], tokens[number]);
    let message = format!("\"{name}\" is a text, and is compared with a number here: {value} is none");
    let told = Error::new(error.code(), message).span(start, end);
    told.hint(format!("compare it with a text: '{}'", &text.source[start..end]))
}

/// Columns that stand alone on one side of a comparison, with the number that is the other side or begins it.
fn compared_with_numbers<'t>(tokens: &[&'t TokenWithSpan]) -> Vec<(&'t str, usize)> {
    let at = |place: usize| tokens.get(place).map(|token| &token.token);
    let is_number = |place: usize| matches!(at(place), Some(Token::Number(..)));
    let is_operand = |place: Option<usize>| !place.and_then(at).is_some_and(is_arithmetic);
    let mut found = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let Token::Word(word) = &token.token else { continue };
        // Behind a column of a table the names before it stand.
        let mut first = place;
        while first >= 2 && at(first - 1) == Some(&Token::Period) {
            first -= 2;
        }
        let other = place + 1 + usize::from(at(place + 1).is_some_and(|next| is_keyword(next, Keyword::NOT)));
        let number = match at(other) {
            Some(next) if is_comparison(next) || is_keyword(next, Keyword::BETWEEN) => other + 1,
            Some(next) if is_keyword(next, Keyword::IN) && at(other + 1) == Some(&Token::LParen) => other + 2,
            _ => usize::MAX,
        };
        if is_number(number) && is_operand(number.checked_add(1)) && is_operand(first.checked_sub(1)) {
            found.push((word.value.as_str(), number));
        }
        let before = first >= 2 && at(first - 1).is_some_and(is_comparison) && is_number(first - 2);
        let is_call = at(place + 1) == Some(&Token::LParen);
        if before && !is_call && is_operand(first.checked_sub(3)) && is_operand(Some(place + 1)) {
            found.push((word.value.as_str(), first - 2));
        }
    }
    found
}

fn is_comparison(token: &Token) -> bool {
    matches!(token, Token::Eq | Token::DoubleEq | Token::Neq | Token::Lt | Token::LtEq | Token::Gt | Token::GtEq)
}

/// Returns true if a token makes another value of the one beside it.
fn is_arithmetic(token: &Token) -> bool {
    use Token::*;
    matches!(
        token,
        Plus | Minus | Mul | Div | Mod | StringConcat | Caret | DoubleColon | LBracket | Period | Arrow | LongArrow
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of a statement that an error is placed at, and what is said.
    fn placed<'t>(code: Code, message: &str, statement: &'t str) -> Option<&'t str> {
        let columns = |table: &str| match table {
            "t" => vec![("city".to_owned(), true), ("id".to_owned(), false)],
            _ => Vec::new(),
        };
        let error = located(Error::new(code, message), statement, columns);
        error.text_span().map(|(start, end)| &statement[start..end])
    }

    #[test]
    fn divisors_that_are_nothing_are_found() {
        let of = |statement| placed(Code::DivisionByZero, "division by zero", statement);
        assert_eq!(of("SELECT 1 / 0"), Some("0"));
        assert_eq!(of("SELECT n % 0.0, n / 2 FROM t"), Some("0.0"));
        assert_eq!(of("SELECT 1 / 0, 2 / 0"), None);
        assert_eq!(of("SELECT n / id FROM t"), None);
    }

    #[test]
    fn the_only_cast_to_a_type_is_found() {
        let of = |statement| placed(Code::InvalidValue, "'x' is not a value of INTEGER", statement);
        assert_eq!(of("SELECT CAST(lower(city) AS int) FROM t"), Some("CAST(lower(city) AS int)"));
        assert_eq!(of("SELECT CAST(id AS BIGINT), city::integer FROM t"), Some("::integer"));
        assert_eq!(of("SELECT CAST(city AS INT), CAST(id AS INT) FROM t"), None);
        assert_eq!(of("SELECT TRY_CAST(city AS INT) FROM t"), None);
        let of = |statement| placed(Code::InvalidValue, "'x' is not a value of DECIMAL(38,10)", statement);
        assert_eq!(of("SELECT CAST(city AS NUMERIC(10,2)) FROM t"), Some("CAST(city AS NUMERIC(10,2))"));
        let of = |statement| placed(Code::InvalidValue, "'x' is not a timestamp", statement);
        assert_eq!(of("SELECT CAST(city AS timestamp) FROM t"), Some("CAST(city AS timestamp)"));
    }

    #[test]
    fn numbers_that_texts_are_compared_with_are_found() {
        let of = |statement| placed(Code::InvalidValue, "'Graz' is not a value of BIGINT", statement);
        assert_eq!(of("SELECT * FROM t WHERE id = 7 AND city = 5"), Some("5"));
        assert_eq!(of("SELECT * FROM t WHERE 5 < t.city AND id > 1"), Some("5"));
        assert_eq!(of("SELECT * FROM t WHERE city NOT IN (6, 7)"), Some("6"));
        assert_eq!(of("SELECT * FROM t WHERE city BETWEEN 8 AND 9"), Some("8"));
        assert_eq!(of("SELECT * FROM t WHERE city = 5 OR city = 6"), None);
        assert_eq!(of("SELECT * FROM t WHERE id + city = 5"), None);
        assert_eq!(of("SELECT * FROM t WHERE city = id"), None);
        assert_eq!(of("SELECT * FROM u WHERE city = 5"), None);
        assert_eq!(of("UPDATE t SET city = 5"), None);
    }
}
