//! PostgreSQL syntax around statements that the parser does not support: removed from the tokens before it parses, or
//! rewritten.
//!
//! ```text
//!   INSERT INTO t AS q ...                 INSERT INTO t ...                          the alias is read from the text
//!   CREATE TABLE x (a, b) AS ...           CREATE TABLE x (a "#named", b "#named") AS ...
//!   WHEN MATCHED THEN DO NOTHING           WHEN MATCHED THEN UPDATE SET "#nothing" = NULL
//!   WHEN NOT MATCHED THEN DO NOTHING       WHEN NOT MATCHED THEN INSERT ("#nothing") VALUES (NULL)
//!   ON CONFLICT (a) WHERE c DO NOTHING     ON CONFLICT (a) DO UPDATE SET "#where" = (c), "#nothing" = NULL
//!   ON CONFLICT (a) WHERE c DO UPDATE SET  ON CONFLICT (a) DO UPDATE SET "#where" = (c),
//!   CREATE TABLE x AS ... WITH NO DATA     CREATE TABLE x AS ...                       read from the text
//!   WITH a AS [NOT] MATERIALIZED (...)     WITH a AS (...)                             the planner decides how it runs
//!   FOR NO KEY UPDATE, FOR KEY SHARE       FOR UPDATE, FOR SHARE                       which exclude more
//!   INSERT INTO t ((SELECT ...) UNION ...) INSERT INTO t ("#all") ((SELECT ...) UNION ...)
//! ```
//!
//! Quoted words that begin with `#` are interpreted when the statement's tree is built (`statement`).

use crate::parse::grammar::{is, is_word};
use crate::parse::text::Text;
use datafusion::sql::sqlparser::ast::Statement;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use std::ops::Range;

/// The type that a column has which is only named.
pub(crate) const NAMED: &str = "#named";

/// The column that a branch of MERGE sets which does nothing, and an ON CONFLICT.
pub(crate) const NOTHING: &str = "#nothing";

/// The column that an ON CONFLICT sets to the condition of the index that it means.
pub(crate) const WHERE: &str = "#where";

/// The only column of an INSERT that names none; the parser takes a parenthesis behind the table for a list of columns
/// unless SELECT follows.
const ALL: &str = "#all";

/// The statement in the parser's own words.
pub(crate) fn reduced(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let tokens = queries_of_inserts(tokens);
    let mentions = |keyword| tokens.iter().any(|token| is(token, keyword));
    let has_alias = mentions(Keyword::INSERT) && mentions(Keyword::AS);
    let has_idle = mentions(Keyword::MERGE) && mentions(Keyword::NOTHING);
    let has_names = mentions(Keyword::CREATE) && mentions(Keyword::TABLE) && mentions(Keyword::AS);
    let has_advice = mentions(Keyword::WITH) && mentions(Keyword::MATERIALIZED);
    let has_locks = mentions(Keyword::FOR) && mentions(Keyword::KEY);
    let has_target = mentions(Keyword::CONFLICT) && mentions(Keyword::WHERE);
    if !(has_alias || has_idle || has_names || has_advice || has_locks || has_target) {
        return tokens;
    }
    let mut tokens: Vec<TokenWithSpan> =
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    if let Some(alias) = alias_of_insert(&tokens) {
        tokens.drain(alias);
    }
    named_columns(idle_branches(whole_rows(without_advice(conflict_target(tokens)))))
}

/// The name that the table of an INSERT is given in a statement.
pub(crate) fn insert_alias(text: &Text) -> Option<String> {
    let tokens: Vec<TokenWithSpan> = text.significant().into_iter().cloned().collect();
    let alias = alias_of_insert(&tokens)?;
    match &tokens.get(alias.end - 1)?.token {
        Token::Word(word) => Some(word.value.clone()),
        _ => None,
    }
}

/// Where `AS q` is of `INSERT INTO t AS q`.
fn alias_of_insert(tokens: &[TokenWithSpan]) -> Option<Range<usize>> {
    let is_at = |at: usize, keyword| tokens.get(at).is_some_and(|token| is(token, keyword));
    let is_start = |at: &usize| is_at(*at, Keyword::INSERT) && is_at(at + 1, Keyword::INTO);
    let mut depth = 0;
    let start = (0..tokens.len()).find(|at| {
        match tokens[*at].token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => {}
        }
        depth == 0 && is_start(at)
    })?;
    let mut at = start + 3;
    while tokens.get(at).is_some_and(|token| token.token == Token::Period) {
        at += 2;
    }
    // Behind AS of a query there would be SELECT, which is no name.
    let is_name = matches!(tokens.get(at + 1).map(|token| &token.token), Some(Token::Word(_)));
    (is_at(at, Keyword::AS) && is_name).then_some(at..at + 2)
}

/// Tokens from INSERT to the second parenthesis behind the table: INTO, a name of three parts, an alias.
const HEAD_TOKENS: usize = 12;

/// An INSERT of a query that begins with more than one parenthesis, or with WITH or VALUES in parentheses, with a list of
/// columns before the query.
fn queries_of_inserts(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let Some(start) = tokens.iter().position(|token| is(token, Keyword::INSERT)) else { return tokens };
    let is_significant = |at: &usize| !matches!(tokens[*at].token, Token::Whitespace(_));
    let head: Vec<usize> = (start..tokens.len()).filter(is_significant).take(HEAD_TOKENS).collect();
    let token = |place: usize| head.get(place).map(|at| &tokens[*at]);
    let says = |place: usize, keyword| token(place).is_some_and(|token| is(token, keyword));
    let has = |place: usize, wanted: &Token| token(place).is_some_and(|token| token.token == *wanted);
    if !says(1, Keyword::INTO) {
        return tokens;
    }
    let mut place = 3;
    while has(place, &Token::Period) {
        place += 2;
    }
    if says(place, Keyword::AS) {
        place += 2;
    }
    let begins_query = has(place + 1, &Token::LParen)
        || says(place + 1, Keyword::VALUES) && has(place + 2, &Token::LParen)
        || says(place + 1, Keyword::WITH) && matches!(token(place + 2).map(|it| &it.token), Some(Token::Word(_)));
    if has(place, &Token::LParen) && begins_query {
        let at = head[place];
        let span = tokens[at].span;
        let columns = [Token::LParen, Token::make_word(ALL, Some('"')), Token::RParen];
        tokens.splice(at..at, columns.map(|token| TokenWithSpan { token, span }));
    }
    tokens
}

/// Takes the list of columns away again that [`reduced`] has given an INSERT.
pub(crate) fn without_added_columns(mut statement: Statement) -> Statement {
    if let Statement::Insert(insert) = &mut statement
        && matches!(insert.columns.as_slice(), [only] if matches!(only.0.as_slice(), [part]
            if part.as_ident().is_some_and(|ident| ident.value == ALL)))
    {
        insert.columns.clear();
    }
    statement
}

/// `ON CONFLICT (a) WHERE c`, with the condition among what is set.
fn conflict_target(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let Some(condition) = condition_of_target(&tokens) else { return tokens };
    let (from, action) = (condition.start, condition.end);
    let is_at = |at: usize, keyword| tokens.get(at).is_some_and(|token| is(token, keyword));
    let is_idle = is_at(action + 1, Keyword::NOTHING);
    let is_update = is_at(action + 1, Keyword::UPDATE) && is_at(action + 2, Keyword::SET);
    if !(is_idle || is_update) {
        return tokens;
    }
    let (do_span, span) = (tokens[action].span, tokens[from].span);
    let made = |token: Token| TokenWithSpan { token, span };
    let mut set: Vec<TokenWithSpan> =
        ["DO", "UPDATE", "SET"].map(|word| TokenWithSpan { token: Token::make_keyword(word), span: do_span }).into();
    set.extend([Token::make_word(WHERE, Some('"')), Token::Eq, Token::LParen].map(made));
    set.extend(tokens[from + 1..action].iter().cloned());
    set.extend([Token::RParen, Token::Comma].map(made));
    if is_idle {
        let nothing = Token::make_word(NOTHING, Some('"'));
        set.extend([nothing, Token::Eq, Token::make_keyword("NULL")].map(made));
    }
    let end = action + if is_idle { 2 } else { 3 };
    tokens.splice(from..end, set);
    tokens
}

/// From the WHERE to the DO of `ON CONFLICT (a) WHERE c DO`.
fn condition_of_target(tokens: &[TokenWithSpan]) -> Option<Range<usize>> {
    let is_at = |at: usize, keyword| tokens.get(at).is_some_and(|token| is(token, keyword));
    let opens = |at: usize| tokens.get(at).is_some_and(|token| token.token == Token::LParen);
    let start =
        (0..tokens.len()).find(|at| is_at(*at, Keyword::ON) && is_at(at + 1, Keyword::CONFLICT) && opens(at + 2))?;
    let end = (start + 3..tokens.len()).find(|at| tokens[*at].token == Token::RParen)?;
    let action = (end + 1..tokens.len()).find(|at| is_at(*at, Keyword::DO))?;
    is_at(end + 1, Keyword::WHERE).then_some(end + 1..action)
}

/// Queries of a WITH without what is said about how they run.
fn without_advice(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_at = |at: usize, keyword| tokens.get(at).is_some_and(|token| is(token, keyword));
    let opens = |at: usize| tokens.get(at).is_some_and(|token| token.token == Token::LParen);
    let is_advice = |at: usize| is_at(at, Keyword::MATERIALIZED) && opens(at + 1);
    let is_left_out = |at: usize| {
        (is_advice(at) && (is_at(at.wrapping_sub(1), Keyword::AS) || is_at(at.wrapping_sub(1), Keyword::NOT)))
            || (is_at(at, Keyword::NOT) && is_at(at.wrapping_sub(1), Keyword::AS) && is_advice(at + 1))
    };
    tokens.iter().enumerate().filter(|(at, _)| !is_left_out(*at)).map(|(_, token)| token.clone()).collect()
}

/// Locks of rows of which something else than the key may be changed: here they are of whole rows.
fn whole_rows(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_at = |at: usize, keyword| tokens.get(at).is_some_and(|token| is(token, keyword));
    let says = |at: usize, words: &[Keyword]| words.iter().enumerate().all(|(offset, word)| is_at(at + offset, *word));
    let left_out = |at: usize| match () {
        () if says(at, &[Keyword::FOR, Keyword::NO, Keyword::KEY, Keyword::UPDATE]) => 2,
        () if says(at, &[Keyword::FOR, Keyword::KEY, Keyword::SHARE]) => 1,
        () => 0,
    };
    let (mut reduced, mut at) = (Vec::with_capacity(tokens.len()), 0);
    while at < tokens.len() {
        reduced.push(tokens[at].clone());
        at += 1 + left_out(at);
    }
    reduced
}

/// Branches of MERGE that do nothing.
fn idle_branches(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_at = |at: usize, keyword| tokens.get(at).is_some_and(|token| is(token, keyword));
    let is_idle = |at: usize| is_at(at, Keyword::THEN) && is_at(at + 1, Keyword::DO) && is_at(at + 2, Keyword::NOTHING);
    let (mut reduced, mut at, mut inserts) = (Vec::with_capacity(tokens.len()), 0, false);
    while at < tokens.len() {
        if is_at(at, Keyword::WHEN) {
            let is_not = is_at(at + 1, Keyword::NOT) && is_at(at + 2, Keyword::MATCHED);
            let is_of_source = is_at(at + 3, Keyword::BY) && is_word(tokens.get(at + 4), "source");
            inserts = is_not && !is_of_source;
        }
        reduced.push(tokens[at].clone());
        at += 1;
        if !is_idle(at - 1) {
            continue;
        }
        let column = || Token::make_word(NOTHING, Some('"'));
        let made = match inserts {
            false => vec![
                Token::make_keyword("UPDATE"),
                Token::make_keyword("SET"),
                column(),
                Token::Eq,
                Token::make_keyword("NULL"),
            ],
            true => vec![
                Token::make_keyword("INSERT"),
                Token::LParen,
                column(),
                Token::RParen,
                Token::make_keyword("VALUES"),
                Token::LParen,
                Token::make_keyword("NULL"),
                Token::RParen,
            ],
        };
        let span = tokens[at].span;
        reduced.extend(made.into_iter().map(|token| TokenWithSpan { token, span }));
        at += 2;
    }
    reduced
}

/// The columns of `CREATE TABLE x (a, b) AS`, which have names and no types.
fn named_columns(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let Some(names) = list_of_names(&tokens) else { return tokens };
    let mut reduced = Vec::with_capacity(tokens.len() + names.len());
    for (at, token) in tokens.into_iter().enumerate() {
        let named = (names.contains(&at) && matches!(token.token, Token::Word(_))).then_some(token.span);
        reduced.push(token);
        reduced.extend(named.map(|span| TokenWithSpan { token: Token::make_word(NAMED, Some('"')), span }));
    }
    reduced
}

/// Where that list is.
fn list_of_names(tokens: &[TokenWithSpan]) -> Option<Range<usize>> {
    if !tokens.first().is_some_and(|token| is(token, Keyword::CREATE)) {
        return None;
    }
    let open = tokens.iter().position(|token| token.token == Token::LParen)?;
    let table = tokens[..open].iter().position(|token| is(token, Keyword::TABLE))?;
    // Between them there is nothing but a name, perhaps with IF NOT EXISTS before it.
    if tokens[table..open].iter().any(|token| is(token, Keyword::AS)) {
        return None;
    }
    let mut at = open + 1;
    loop {
        if !matches!(tokens.get(at)?.token, Token::Word(_)) {
            return None;
        }
        match tokens.get(at + 1)?.token {
            Token::Comma => at += 2,
            Token::RParen => break,
            _ => return None,
        }
    }
    tokens.get(at + 2).filter(|token| is(token, Keyword::AS)).map(|_| open + 1..at + 1)
}

/// `WITH DATA` or `WITH NO DATA` at the end of a CREATE: where it begins, and whether it says NO.
pub(crate) fn data_clause(text: &Text) -> Option<(usize, bool)> {
    let mut tokens = text.significant();
    if !tokens.first().is_some_and(|token| is(token, Keyword::CREATE)) {
        return None;
    }
    while tokens.last().is_some_and(|token| token.token == Token::SemiColon) {
        tokens.pop();
    }
    let end = tokens.len();
    let has = |back: usize, word: &str| match end.checked_sub(back).map(|at| &tokens[at].token) {
        Some(Token::Word(it)) => it.quote_style.is_none() && it.value.eq_ignore_ascii_case(word),
        _ => false,
    };
    let (length, is_no) = match has(1, "data") {
        true if has(2, "no") && has(3, "with") => (3, true),
        true if has(2, "with") => (2, false),
        _ => return None,
    };
    let span = tokens[end - length].span.start;
    Some((text.span_at(span.line, span.column).0, is_no))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(source: &str) -> String {
        Text::new(source).unwrap().parse().unwrap().to_string()
    }

    #[test]
    fn aliases_of_inserts_are_read_from_the_text() {
        assert_eq!(parsed("INSERT INTO s.t AS q (a) VALUES (1)"), "INSERT INTO s.t (a) VALUES (1)");
        assert_eq!(insert_alias(&Text::new("INSERT INTO s.t AS Q (a) VALUES (1)").unwrap()).as_deref(), Some("Q"));
        assert_eq!(insert_alias(&Text::new("INSERT INTO t SELECT 1 AS a").unwrap()), None);
        let with = "WITH c AS (SELECT 1 AS a) INSERT INTO t AS q SELECT a FROM c";
        assert_eq!(insert_alias(&Text::new(with).unwrap()).as_deref(), Some("q"));
    }

    #[test]
    fn queries_of_inserts_may_begin_with_parentheses() {
        for text in [
            "INSERT INTO s.t ((SELECT 1) UNION (SELECT 2))",
            "INSERT INTO t ((SELECT 1))",
            "INSERT INTO t (a, b) ((SELECT 1, 2) UNION ALL (SELECT 3, 4))",
            "INSERT INTO t (SELECT 1)",
            "INSERT INTO t (VALUES (1), (2))",
            "INSERT INTO t (WITH c AS (SELECT 1 AS a) SELECT a FROM c)",
        ] {
            assert_eq!(parsed(text), text);
        }
        assert_eq!(parsed("INSERT INTO t AS q ((SELECT 1))"), "INSERT INTO t ((SELECT 1))");
        assert!(Text::new("INSERT INTO t ((a, b)) SELECT 1, 2").unwrap().parse().is_err());
    }

    #[test]
    fn columns_that_are_only_named_have_a_type_of_that_name() {
        let named = "CREATE TABLE x (a \"#named\", b \"#named\") AS SELECT 1, 2";
        assert_eq!(parsed("CREATE TABLE x (a, b) AS SELECT 1, 2"), named);
        assert_eq!(parsed("CREATE TABLE x AS SELECT (1)"), "CREATE TABLE x AS SELECT (1)");
        assert!(Text::new("CREATE TABLE x (a, b)").unwrap().parse().is_err());
    }

    #[test]
    fn advice_about_queries_of_a_with_is_left_out() {
        let with = "WITH a AS MATERIALIZED (SELECT 1), b AS NOT MATERIALIZED (SELECT 2) SELECT * FROM a, b";
        assert_eq!(parsed(with), "WITH a AS (SELECT 1), b AS (SELECT 2) SELECT * FROM a, b");
    }

    #[test]
    fn the_condition_of_a_target_is_among_what_is_set() {
        let insert = "INSERT INTO t VALUES (1) ON CONFLICT(a) ";
        let idle = format!("{insert}DO UPDATE SET \"#where\" = (b = 1), \"#nothing\" = NULL RETURNING a");
        assert_eq!(parsed(&format!("{insert}WHERE b = 1 DO NOTHING RETURNING a")), idle);
        let update = format!("{insert}DO UPDATE SET \"#where\" = (b = 1), a = 2 WHERE a = 3");
        assert_eq!(parsed(&format!("{insert}WHERE b = 1 DO UPDATE SET a = 2 WHERE a = 3")), update);
        assert_eq!(
            parsed(&format!("{insert}DO UPDATE SET a = 2 WHERE a = 3")),
            format!("{insert}DO UPDATE SET a = 2 WHERE a = 3")
        );
        assert!(Text::new(&format!("{insert}WHERE DO NOTHING")).unwrap().parse().is_err());
    }

    #[test]
    fn locks_are_of_whole_rows() {
        assert_eq!(parsed("SELECT a FROM t FOR NO KEY UPDATE NOWAIT"), "SELECT a FROM t FOR UPDATE NOWAIT");
        assert_eq!(parsed("SELECT a FROM t FOR KEY SHARE"), "SELECT a FROM t FOR SHARE");
        assert_eq!(parsed("SELECT \"for\" AS key FROM t"), "SELECT \"for\" AS key FROM t");
    }

    #[test]
    fn what_is_said_about_data_is_found_at_the_end() {
        let clause = |source: &str| data_clause(&Text::new(source).unwrap());
        assert_eq!(clause("CREATE TABLE x AS SELECT 1 WITH NO DATA;"), Some((27, true)));
        assert_eq!(clause("create table x as select 1 with data"), Some((27, false)));
        assert_eq!(clause("CREATE TABLE x AS SELECT no, data"), None);
    }
}
