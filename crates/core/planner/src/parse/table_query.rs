//! `TABLE t`: all rows of a table, in place of a query.
//!
//! ```text
//!   TABLE s.t ORDER BY a                      SELECT * FROM s.t ORDER BY a
//!   SELECT a FROM u UNION ALL TABLE t         SELECT a FROM u UNION ALL SELECT * FROM t
//!   INSERT INTO u TABLE t                     INSERT INTO u SELECT * FROM t
//! ```

use crate::parse::grammar::is;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

/// The words that may stand before such a query, beside the beginning and a parenthesis.
const BEFORE: [Keyword; 6] =
    [Keyword::UNION, Keyword::EXCEPT, Keyword::INTERSECT, Keyword::ALL, Keyword::DISTINCT, Keyword::AS];

/// The words that may stand behind it, beside the end and a parenthesis.
const BEHIND: [Keyword; 10] = [
    Keyword::UNION,
    Keyword::EXCEPT,
    Keyword::INTERSECT,
    Keyword::ORDER,
    Keyword::LIMIT,
    Keyword::OFFSET,
    Keyword::FETCH,
    Keyword::WITH,
    Keyword::ON,
    Keyword::RETURNING,
];

/// The statement with SELECT in the place of TABLE.
pub(crate) fn selected(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| is(token, Keyword::TABLE)) {
        return tokens;
    }
    let significant: Vec<usize> =
        (0..tokens.len()).filter(|at| !matches!(tokens[*at].token, Token::Whitespace(_))).collect();
    let mut selected = Vec::with_capacity(tokens.len());
    let mut place = 0;
    for (at, token) in tokens.iter().enumerate() {
        let is_query = significant.get(place) == Some(&at) && is_query(&tokens, &significant, place);
        place += usize::from(significant.get(place) == Some(&at));
        if !is_query {
            selected.push(token.clone());
            continue;
        }
        let made = [Token::make_keyword("SELECT"), Token::Mul, Token::make_keyword("FROM")];
        selected.extend(made.into_iter().map(|made| TokenWithSpan { token: made, span: token.span }));
    }
    selected
}

/// Returns true if the token at this place is the TABLE of such a query.
fn is_query(tokens: &[TokenWithSpan], significant: &[usize], place: usize) -> bool {
    let token = |place: usize| significant.get(place).map(|at| &tokens[*at]);
    let says = |place: usize, keyword| token(place).is_some_and(|token| is(token, keyword));
    let has = |place: usize, wanted: &Token| token(place).is_some_and(|token| token.token == *wanted);
    let is_name = |place: usize| token(place).is_some_and(|token| matches!(token.token, Token::Word(_)));
    if !says(place, Keyword::TABLE) || !is_name(place + 1) {
        return false;
    }
    let mut end = place + 2;
    while has(end, &Token::Period) && is_name(end + 1) {
        end += 2;
    }
    let ends = token(end).is_none()
        || has(end, &Token::RParen)
        || has(end, &Token::SemiColon)
        || BEHIND.iter().any(|keyword| says(end, *keyword));
    let begins = match place.checked_sub(1) {
        None => true,
        Some(before) => {
            let is_source = says(0, Keyword::INSERT) && (is_name(before) || has(before, &Token::RParen));
            let is_behind_with = says(0, Keyword::WITH) && has(before, &Token::RParen);
            let is_behind_word = BEFORE.iter().any(|keyword| says(before, *keyword));
            has(before, &Token::LParen) || is_source || is_behind_with || is_behind_word
        }
    };
    begins && ends
}

#[cfg(test)]
mod tests {
    use crate::parse::text::Text;

    fn parsed(source: &str) -> String {
        Text::new(source).unwrap().parse().unwrap().to_string()
    }

    #[test]
    fn tables_are_selected_from() {
        assert_eq!(parsed("TABLE s.t ORDER BY a"), "SELECT * FROM s.t ORDER BY a");
        assert_eq!(parsed("SELECT 1 UNION ALL TABLE t"), "SELECT 1 UNION ALL SELECT * FROM t");
        assert_eq!(parsed("WITH c AS (TABLE t) TABLE c"), "WITH c AS (SELECT * FROM t) SELECT * FROM c");
        assert_eq!(parsed("INSERT INTO u (a) TABLE t"), "INSERT INTO u (a) SELECT * FROM t");
        assert_eq!(parsed("CREATE VIEW v AS TABLE t"), "CREATE VIEW v AS SELECT * FROM t");
    }

    #[test]
    fn other_tables_stay() {
        for text in ["CREATE TABLE t (a INT)", "DROP TABLE t", "TRUNCATE TABLE t", "SELECT a AS \"table\" FROM t"] {
            assert_eq!(parsed(text), text);
        }
        assert!(Text::new("TABLE").unwrap().parse().is_err());
    }
}
