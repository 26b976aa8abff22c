//! A file as a table: `FROM 'customers.dbf'`.
//!
//! ```text
//!   SELECT * FROM 'customers.dbf' c       SELECT * FROM "customers.dbf" c
//!   JOIN 'Orders.csv' o ON ..             JOIN "orders.csv" o ON ..
//! ```
//!
//! A text in quotes is a table behind JOIN, and behind the FROM of a query, if it has the extension of a table file. In
//! `TRIM('x' FROM 'a.csv')` and `IS DISTINCT FROM 'a.csv'` it is a value.

use crate::parse::grammar::is;
use datafusion::sql::sqlparser::ast::Ident;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// The endings of files that are tables.
const ENDINGS: [&str; 4] = [".dbf", ".csv", ".tsv", ".parquet"];

fn is_file(text: &str) -> bool {
    let text = text.to_lowercase();
    ENDINGS.iter().any(|ending| text.len() > ending.len() && text.ends_with(ending))
}

/// The statement with names in the place of such texts.
pub(crate) fn named(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_text = |token: &TokenWithSpan| matches!(&token.token, Token::SingleQuotedString(text) if is_file(text));
    if !tokens.iter().any(is_text) {
        return tokens;
    }
    // For each parenthesis that is open, whether a SELECT or DELETE has begun in it.
    let mut queries = vec![false];
    let (mut last, mut before_last) = (None, None);
    for token in &mut tokens {
        match &token.token {
            Token::Whitespace(_) => continue,
            Token::LParen => queries.push(false),
            Token::RParen if queries.len() > 1 => drop(queries.pop()),
            Token::Word(word) if matches!(word.keyword, Keyword::SELECT | Keyword::DELETE) => {
                queries.pop();
                queries.push(true);
            }
            Token::SingleQuotedString(text) if is_file(text) => {
                let is_from = last == Some(Keyword::FROM) && before_last != Some(Keyword::DISTINCT);
                let is_table = last == Some(Keyword::JOIN) || is_from && queries.last() == Some(&true);
                if is_table {
                    let Ident { value, quote_style, .. } = Ident::with_quote('"', text.to_lowercase());
                    token.token = Token::Word(Word { value, quote_style, keyword: Keyword::NoKeyword });
                }
            }
            _ => {}
        }
        before_last = last;
        last = match &token.token {
            Token::Word(word) => [Keyword::FROM, Keyword::JOIN, Keyword::DISTINCT]
                .into_iter()
                .find(|it| is(token, *it))
                .or(Some(word.keyword)),
            _ => None,
        };
    }
    tokens
}
