//! The place of an unknown column in a statement.
//!
//! The planner reports the name of the column and the tables that it searched. The same name may occur elsewhere, too:
//! as an alias, or in another query, whose tables have such a column.
//!
//! ```text
//!   SELECT name nme FROM customers WHERE nme = 'x'                    the second one
//!   SELECT name FROM customers UNION SELECT id, name FROM orders      the one in the query that names orders
//! ```

use crate::parse::text::{Text, comes_before_operand, is_keyword, nesting};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use std::ops::Range;

/// Where a column of this name (in lower case) stands first, behind its table's name if it has one, that was looked for in these
/// tables.
pub(super) fn span_of_column(
    text: &Text,
    table: Option<&str>,
    name: &str,
    tables: &[String],
) -> Option<(usize, usize)> {
    let tokens = text.significant();
    let is_column = |at: &usize| is_word(tokens[*at], name) && !is_alias(&tokens, *at) && !is_qualifier(&tokens, *at);
    let named: Vec<usize> = (0..tokens.len()).filter(is_column).collect();
    let names_tables = |at: &&usize| {
        let query = query_around(&tokens, **at);
        let is_named = |of: &String| {
            let mut places = query.clone().filter(|place| is_word(tokens[*place], of));
            // Its subqueries have tables of their own.
            places.any(|place| query_around(&tokens, place).start == query.start)
        };
        tables.iter().all(is_named)
    };
    let is_so_qualified = |at: &&usize| qualifier(&tokens, **at) == table.map(str::to_lowercase);
    let at = named.iter().filter(is_so_qualified).find(names_tables);
    let at = *at.or_else(|| named.iter().find(is_so_qualified)).or(named.first())?;
    Some(text.range(tokens[at], tokens[at]))
}

fn is_word(token: &TokenWithSpan, lower: &str) -> bool {
    matches!(&token.token, Token::Word(word) if word.value.to_lowercase() == lower)
}

/// Returns true if a word is another name for the value or the table before it.
fn is_alias(tokens: &[&TokenWithSpan], at: usize) -> bool {
    match at.checked_sub(1).map(|before| &tokens[before].token) {
        Some(Token::Word(word)) => word.quote_style.is_some() || !comes_before_name(word.keyword),
        Some(Token::Number(..) | Token::SingleQuotedString(_) | Token::RParen | Token::RBracket) => true,
        _ => false,
    }
}

/// The table's name before a column's, in lower case.
fn qualifier(tokens: &[&TokenWithSpan], at: usize) -> Option<String> {
    match tokens[..at] {
        [.., TokenWithSpan { token: Token::Word(table), .. }, TokenWithSpan { token: Token::Period, .. }] => {
            Some(table.value.to_lowercase())
        }
        _ => None,
    }
}

/// Returns true if a word is a table's name before a column's.
fn is_qualifier(tokens: &[&TokenWithSpan], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| next.token == Token::Period)
}

/// Returns true if a value or the name of a column or table follows this word.
fn comes_before_name(keyword: Keyword) -> bool {
    use Keyword::*;
    let clauses = [
        SELECT, FROM, WHERE, BY, ON, HAVING, SET, USING, RETURNING, JOIN, LIMIT, OFFSET, QUALIFY, INTO, VALUES, UPDATE,
        TABLE, EXISTS, UNION, EXCEPT, INTERSECT, FETCH, TOP,
    ];
    comes_before_operand(keyword) || clauses.contains(&keyword)
}

/// The tokens of the innermost query that a token is in, those of its subqueries included.
fn query_around(tokens: &[&TokenWithSpan], at: usize) -> Range<usize> {
    let (mut start, mut depth, mut opened) = (0, 0, 0);
    for before in (0..at).rev() {
        match nesting(&tokens[before].token) {
            // A parenthesis that is open here is closed behind the token.
            1 if depth == 0 => opened += 1,
            change => depth -= change,
        }
        if depth == 0 && is_keyword(&tokens[before].token, Keyword::SELECT) {
            start = before;
            break;
        }
    }
    let ends_query = |token: &Token| {
        [Keyword::UNION, Keyword::EXCEPT, Keyword::INTERSECT].iter().any(|keyword| is_keyword(token, *keyword))
    };
    let mut depth = opened;
    for (behind, token) in tokens.iter().enumerate().skip(at) {
        depth += nesting(&token.token);
        if depth < 0 || depth == 0 && ends_query(&token.token) {
            return start..behind;
        }
    }
    start..tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text before the column.
    fn before<'t>(statement: &'t str, name: &str, tables: &[&str]) -> Option<&'t str> {
        let tables: Vec<String> = tables.iter().map(|table| (*table).to_owned()).collect();
        let text = Text::new(statement).unwrap();
        span_of_column(&text, None, name, &tables).map(|(start, _)| &statement[..start])
    }

    #[test]
    fn a_column_is_no_alias() {
        let of = |statement| before(statement, "nme", &["t"]);
        assert_eq!(of("SELECT a nme FROM t WHERE nme = 1"), Some("SELECT a nme FROM t WHERE "));
        assert_eq!(of("SELECT count(*) AS nme, nme FROM t"), Some("SELECT count(*) AS nme, "));
        assert_eq!(of("SELECT max(x) \"nme\" FROM t WHERE (nme) > 1"), Some("SELECT max(x) \"nme\" FROM t WHERE ("));
        assert_eq!(of("SELECT DISTINCT nme FROM t nme"), Some("SELECT DISTINCT "));
        assert_eq!(of("SELECT nme.x FROM t nme WHERE t.nme = 1"), Some("SELECT nme.x FROM t nme WHERE t."));
        assert_eq!(of("SELECT 1 nme"), None);
    }

    #[test]
    fn a_column_is_of_the_table_before_it() {
        let text = Text::new("SELECT c.a, a FROM c, O WHERE O.a = 1").unwrap();
        let of = |table| span_of_column(&text, table, "a", &[]).map(|(start, _)| start);
        assert_eq!((of(Some("c")), of(None), of(Some("o")), of(Some("x"))), (Some(9), Some(12), Some(32), Some(9)));
    }

    #[test]
    fn a_column_is_of_the_query_that_names_its_tables() {
        let of = |statement| before(statement, "a", &["u"]);
        assert_eq!(of("SELECT a FROM t UNION SELECT b, a FROM u"), Some("SELECT a FROM t UNION SELECT b, "));
        assert_eq!(
            of("SELECT a FROM t WHERE a IN (SELECT f(a) FROM u)"),
            Some("SELECT a FROM t WHERE a IN (SELECT f(")
        );
        assert_eq!(of("SELECT (SELECT a FROM t), a FROM u"), Some("SELECT (SELECT a FROM t), "));
        assert_eq!(of("UPDATE u SET x = a"), Some("UPDATE u SET x = "));
        assert_eq!(of("SELECT a FROM t"), Some("SELECT "));
    }
}
