//! Parameters of statements on the command line: `--param 4711 --param "O'Hara"`, which statements name `$1` and `$2`.
//!
//! A value is never part of the text of a statement, so it cannot inject SQL. It is a number if it is written as one,
//! NULL as the word NULL, and a text otherwise; `text:007` is a text in any case.

use crate::tokens;
use mainstay_types::Value;

/// The value of an argument.
pub(crate) fn value(argument: &str) -> Value {
    if let Some(text) = argument.strip_prefix("text:") {
        return Value::Text(text.to_owned());
    }
    if argument.eq_ignore_ascii_case("null") {
        return Value::Null;
    }
    if let Ok(number) = argument.parse::<i64>() {
        return Value::Integer(number);
    }
    let is_number = argument.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    match argument.parse::<f64>() {
        Ok(number) if is_number && number.is_finite() => Value::Float(number),
        _ => Value::Text(argument.to_owned()),
    }
}

/// True if a statement names a parameter: `$1`, `?`.
pub(crate) fn takes_any(sql: &str) -> bool {
    let is_digit = |at: usize| sql.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    tokens::tokens(sql, 0).any(|token| {
        let text = token.text(sql);
        text == "?" || text.starts_with('$') && (text.len() > 1 || is_digit(token.range.end))
    })
}

/// True if a batch of T-SQL names one of so many parameters: `@p1`, `@P2`.
pub(crate) fn are_named(batch: &str, count: usize) -> bool {
    let (tokens, _) = mainstay_tsql_runtime::tokens(batch);
    let number = |token: &str| match token.as_bytes() {
        [b'@', b'p' | b'P', b'1'..=b'9', ..] => token[2..].parse().ok(),
        _ => None,
    };
    let variables = tokens.iter().filter(|token| token.kind == mainstay_tsql_runtime::TokenKind::Variable);
    variables.filter_map(|token| number(token.span.of(batch))).any(|number: usize| number <= count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_a_batch_are_whole_variables() {
        for batch in ["SELECT @p1", "select @P2+1", "SELECT [it's]=@p2", "INSERT t VALUES ('@x',@p1)--"] {
            assert!(are_named(batch, 2), "{batch}");
        }
        let others = [
            "SELECT @p10",
            "SELECT @p3",
            "SELECT @p1_, @p1x, @pp1, @@p1, @p01, @p0, @p",
            "SELECT '@p1', N'@p1', [@p1]",
            "SELECT 1 -- @p1\n/* @p1 /* @p2 */ */",
        ];
        for batch in others {
            assert!(!are_named(batch, 2), "{batch}");
        }
        assert!(are_named("SELECT @p10", 10) && !are_named("SELECT @p1", 0));
    }

    #[test]
    fn values_are_numbers_texts_and_null() {
        assert_eq!(value("4711"), Value::Integer(4711));
        assert_eq!(value("-2.5"), Value::Float(-2.5));
        assert_eq!(value("NULL"), Value::Null);
        for (argument, text) in
            [("O'Hara", "O'Hara"), ("text:007", "007"), ("inf", "inf"), ("2026-11-28", "2026-11-28")]
        {
            assert_eq!(value(argument), Value::Text(text.to_owned()));
        }
    }

    #[test]
    fn parameters_are_found_outside_of_texts() {
        assert!(takes_any("SELECT $1") && takes_any("SELECT a FROM t WHERE b = ?"));
        assert!(!takes_any("SELECT '$1', '?' -- $1"));
    }
}
