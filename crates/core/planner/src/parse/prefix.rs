//! PostgreSQL's prefix operators, rewritten to function calls: token by token, before the parser reads them.
//!
//! ```text
//!   @ x - 1          abs(x - 1)       precedence between arithmetic and comparisons
//!   |/ 25.0          sqrt(25.0)
//!   ||/ f(x) = 3     cbrt(f(x)) = 3
//! ```

use crate::parse::grammar::is;
use datafusion::sql::sqlparser::keywords::{Keyword, RESERVED_FOR_COLUMN_ALIAS};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

/// The statement with calls in the place of such operators.
pub(crate) fn as_calls(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| function(&token.token).is_some()) {
        return tokens;
    }
    let mut tokens: Vec<TokenWithSpan> =
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    // From the end on, so that the operand of an operator has no such operators any more.
    for at in (0..tokens.len()).rev() {
        let Some(name) = function(&tokens[at].token) else { continue };
        let (span, end) = (tokens[at].span, operand(&tokens, at + 1));
        if end == at + 1 {
            continue;
        }
        tokens.insert(end, TokenWithSpan { token: Token::RParen, span: tokens[end - 1].span });
        let call = [Token::make_word(name, None), Token::LParen].map(|token| TokenWithSpan { token, span });
        tokens.splice(at..=at, call);
    }
    tokens
}

fn function(token: &Token) -> Option<&'static str> {
    match token {
        Token::AtSign => Some("abs"),
        Token::PGSquareRoot => Some("sqrt"),
        Token::PGCubeRoot => Some("cbrt"),
        _ => None,
    }
}

/// Where the operand ends that begins here: a term of arithmetic. Nothing is one where it ends at once.
fn operand(tokens: &[TokenWithSpan], start: usize) -> usize {
    let mut at = start;
    // Where the last whole operand ended.
    let mut end = start;
    loop {
        while matches!(tokens.get(at).map(|token| &token.token), Some(Token::Plus | Token::Minus)) {
            at += 1;
        }
        let Some(next) = primary(tokens, at) else { return end };
        (at, end) = (next, next);
        let goes_on = matches!(
            tokens.get(at).map(|token| &token.token),
            Some(Token::Plus | Token::Minus | Token::Mul | Token::Div | Token::Mod | Token::Caret)
        );
        if !goes_on {
            return end;
        }
        at += 1;
    }
}

/// Where a value, a name, a call, something in parentheses or a CASE ends, with the types that it is cast to.
fn primary(tokens: &[TokenWithSpan], start: usize) -> Option<usize> {
    let token = |at: usize| tokens.get(at).map(|token| &token.token);
    let mut at = match token(start)? {
        Token::Number(..) | Token::SingleQuotedString(_) | Token::Placeholder(_) => start + 1,
        Token::LParen => closing(tokens, start)?,
        Token::Word(_) if is(&tokens[start], Keyword::CASE) => end_of_case(tokens, start)?,
        Token::Word(word) if word.quote_style.is_none() && RESERVED_FOR_COLUMN_ALIAS.contains(&word.keyword) => {
            return None;
        }
        Token::Word(_) => start + 1,
        _ => return None,
    };
    loop {
        at = match token(at) {
            Some(Token::Period | Token::DoubleColon) if matches!(token(at + 1), Some(Token::Word(_))) => at + 2,
            Some(Token::LParen) if matches!(token(at - 1), Some(Token::Word(_))) => closing(tokens, at)?,
            _ => return Some(at),
        };
    }
}

/// Behind the parenthesis that closes the one here.
fn closing(tokens: &[TokenWithSpan], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn end_of_case(tokens: &[TokenWithSpan], start: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        depth += i32::from(is(token, Keyword::CASE)) - i32::from(is(token, Keyword::END));
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::parse::text::Text;

    #[test]
    fn operands_are_terms_of_arithmetic() {
        let parsed = |expr: &str| {
            let statement = Text::new(&format!("SELECT {expr}")).unwrap().parse();
            statement.map(|statement| statement.to_string()["SELECT ".len()..].to_owned()).ok()
        };
        let is = |expr: &str, call: &str| assert_eq!(parsed(expr).as_deref(), Some(call), "{expr}");
        is("@ -5", "abs(-5)");
        is("@ x - 1 > 2 AS y", "abs(x - 1) > 2 AS y");
        is("|/ 25.0 + 11", "sqrt(25.0 + 11)");
        is("|/ @ t.a::bigint z", "sqrt(abs(t.a::BIGINT)) AS z");
        is("||/ f(x, (2)) * (3), 4", "cbrt(f(x, (2)) * (3)), 4");
        is("1 + @ CASE WHEN a THEN 1 ELSE 2 END = 3", "1 + abs(CASE WHEN a THEN 1 ELSE 2 END) = 3");
        is("@ a FROM t WHERE @ b IN (1)", "abs(a) FROM t WHERE abs(b) IN (1)");
        for wrong in ["@", "@ ,", "|/ FROM t", "(@ ) + 1", "@ (", "|/ CASE"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
