//! The text of a statement: its tokens, its names, and their places.
//!
//! SQL names are case-insensitive, quoted or not (as in xBase and, by default, in T-SQL and Informix), while DataFusion
//! compares names as they are written. So every word becomes lower case between the tokenizer and the parser; this
//! module keeps the original spelling of words, for column headings and for messages.

use datafusion::sql::sqlparser::ast::{Ident, Statement};
use datafusion::sql::sqlparser::dialect::{Dialect, GenericDialect, PostgreSqlDialect};
use datafusion::sql::sqlparser::keywords::{ALL_KEYWORDS, Keyword};
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Span, Token, TokenWithSpan, Tokenizer, TokenizerError};
use mainstay_types::{Code, Error, Result};
use std::ops::Range;

/// How deep expressions may nest: bounds the parser's use of the stack.
const RECURSION_LIMIT: usize = 128;

/// How many operators may follow each other: `a + b + c` is a tree as deep as it is long.
const CHAIN_LIMIT: usize = 1_000;

/// From how many operators in a row, or open parentheses, a statement counts as deep.
const DEEP: usize = 16;

/// From how many tokens a statement is planned on a stack of its own.
const LONG: usize = 400;

/// The words of SQL, for completion and highlighting.
pub fn keywords() -> &'static [&'static str] {
    ALL_KEYWORDS
}

/// The statements of a script, as byte ranges: split at semicolons that stand outside of quotes and
/// comments, without the blanks around them. Empty statements are left out.
pub fn statements(script: &str) -> Vec<Range<usize>> {
    let bytes = script.as_bytes();
    let mut ranges = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut push = |from: usize, to: usize| {
        let piece = &script[from..to];
        let trimmed = piece.trim();
        if has_content(trimmed) {
            let offset = from + (piece.len() - piece.trim_start().len());
            ranges.push(offset..offset + trimmed.len());
        }
    };
    while at < bytes.len() {
        let next = match bytes[at] {
            b';' => {
                push(start, at);
                start = at + 1;
                start
            }
            quote @ (b'\'' | b'"' | b'`') => end_of(bytes, at + 1, &[quote]),
            b'-' if bytes[at..].starts_with(b"--") => end_of(bytes, at, b"\n"),
            b'/' if bytes[at..].starts_with(b"/*") => end_of_comment(bytes, at + 2),
            _ => at + 1,
        };
        at = next;
    }
    push(start, bytes.len());
    ranges
}

/// Returns true if there is anything but comments and blanks.
fn has_content(piece: &str) -> bool {
    let bytes = piece.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        at = match bytes[at] {
            b'-' if bytes[at..].starts_with(b"--") => end_of(bytes, at, b"\n"),
            b'/' if bytes[at..].starts_with(b"/*") => end_of_comment(bytes, at + 2),
            byte if byte.is_ascii_whitespace() => at + 1,
            _ => return true,
        };
    }
    false
}

fn end_of(bytes: &[u8], from: usize, what: &[u8]) -> usize {
    bytes[from..].windows(what.len()).position(|window| window == what).map_or(bytes.len(), |at| from + at + what.len())
}

/// The end of a comment whose opening is behind; comments nest.
fn end_of_comment(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 1;
    while at < bytes.len() && depth > 0 {
        if bytes[at..].starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if bytes[at..].starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += 1;
        }
    }
    at
}

/// A statement's text, with its tokens.
pub(crate) struct Text {
    pub(crate) source: String,
    tokens: Vec<TokenWithSpan>,
    /// The byte offset at which each line starts.
    line_starts: Vec<usize>,
}

impl Text {
    /// Splits the text into tokens.
    pub(crate) fn new(source: &str) -> Result<Text> {
        let line_starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut text = Text { source: source.to_owned(), tokens: Vec::new(), line_starts };
        let dialect = GenericDialect {};
        let dialect: &dyn Dialect = &dialect;
        match Tokenizer::new(dialect, source).tokenize_with_location() {
            Ok(tokens) => {
                text.tokens = crate::parse::numbers::read(source, tokens, |line, column| text.offset(line, column))?;
            }
            Err(TokenizerError { message, location }) => {
                let (start, end) = text.span_at(location.line, location.column);
                return Err(Error::new(Code::Syntax, message).span(start, end));
            }
        }
        Ok(text)
    }

    /// Where the parameters are, and the number of each, from 0: `?` counts on, `$2` is number 1.
    pub(crate) fn parameters(&self) -> Vec<(Range<usize>, usize)> {
        let mut parameters = Vec::new();
        for token in &self.tokens {
            let Token::Placeholder(name) = &token.token else { continue };
            let number = parameter_number(name).unwrap_or(parameters.len());
            let start = self.offset(token.span.start.line, token.span.start.column);
            parameters.push((start..start + name.len(), number));
        }
        parameters
    }

    /// Parses exactly one statement, with all names in lower case and all parameters numbered.
    pub(crate) fn parse(&self) -> Result<Statement> {
        let mut parameters = 0;
        let lower_case = |token: &TokenWithSpan| match &token.token {
            Token::Placeholder(name) => {
                parameters += 1;
                let number = parameter_number(name).unwrap_or(parameters - 1);
                TokenWithSpan { token: Token::Placeholder(format!("${}", number + 1)), span: token.span }
            }
            Token::Word(word) => {
                let mut word = word.clone();
                word.value = word.value.to_lowercase();
                TokenWithSpan { token: Token::Word(word), span: token.span }
            }
            _ => token.clone(),
        };
        let tokens = crate::parse::grammar::reduced(self.tokens.iter().map(lower_case).collect());
        let dialect: &dyn Dialect =
            if crate::parse::grammar::is_postgres_alter(&tokens) { &PostgreSqlDialect {} } else { &GenericDialect {} };
        crate::parse::incomplete::refuse_commas(self)?;
        let mut parser = Parser::new(dialect).with_tokens_with_locations(tokens).with_recursion_limit(RECURSION_LIMIT);
        let statements = parser.parse_statements().map_err(|error| self.syntax_error(error))?;
        if let [statement] = &statements[..] {
            crate::parse::incomplete::refuse(statement, self)?;
        }
        let statements: Vec<Statement> =
            statements.into_iter().map(crate::parse::postgres::without_added_columns).collect();
        match <[Statement; 1]>::try_from(statements) {
            Ok([statement]) if crate::parse::operators::are_in(&self.tokens) => {
                Ok(crate::parse::operators::bound(statement))
            }
            Ok([statement]) => Ok(statement),
            Err(all) if all.is_empty() => Err(Error::new(Code::Syntax, "an empty statement")),
            Err(_) => Err(Error::new(Code::Syntax, "more than one statement").hint("send one at a time")),
        }
    }

    /// Where the query of a CREATE TABLE or VIEW begins, which stands behind AS.
    pub(crate) fn start_of_query(&self) -> Option<usize> {
        let tokens = self.significant();
        let begins = |token: &Token| {
            let words = [Keyword::SELECT, Keyword::WITH, Keyword::VALUES, Keyword::TABLE];
            *token == Token::LParen || words.iter().any(|keyword| is_keyword(token, *keyword))
        };
        let is_before = |pair: &&[&TokenWithSpan]| is_keyword(&pair[0].token, Keyword::AS) && begins(&pair[1].token);
        tokens.windows(2).find(is_before).map(|pair| self.range(pair[1], pair[1]).0)
    }

    /// The tokens without blanks and comments.
    pub(crate) fn significant(&self) -> Vec<&TokenWithSpan> {
        self.tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF)).collect()
    }

    /// Refuses a statement whose tree would be too deep to walk.
    pub(crate) fn check_length(&self) -> Result<()> {
        match self.longest_chain() {
            length if length <= CHAIN_LIMIT => Ok(()),
            length => {
                let message = format!("{length} operators in a row, and {CHAIN_LIMIT} are possible");
                Err(Error::new(Code::Unsupported, message).hint("write many values as a list: x IN (1, 2, ...)"))
            }
        }
    }

    /// Returns true if the tree of the statement is so deep that walking it takes a large stack.
    pub(crate) fn is_deep(&self) -> bool {
        let mut depth = 0;
        let nested = self.tokens.iter().any(|token| {
            depth += nesting(&token.token);
            depth > DEEP as i32
        });
        nested || self.longest_chain() > DEEP
    }

    /// True if it is planned on a stack of its own: joins, common table expressions and branches make trees as deep as they
    /// are many.
    pub(crate) fn needs_deep_stack(&self) -> bool {
        self.tokens.len() > LONG || self.is_deep()
    }

    /// The most operators at one level of nesting, not counting those before a comma there.
    fn longest_chain(&self) -> usize {
        let (mut longest, mut chains) = (0, vec![0usize]);
        for token in &self.tokens {
            match &token.token {
                token if nesting(token) > 0 => chains.push(0),
                token if nesting(token) < 0 && chains.len() > 1 => drop(chains.pop()),
                Token::Comma => chains.last_mut().into_iter().for_each(|chain| *chain = 0),
                token if continues_chain(token) => {
                    let Some(chain) = chains.last_mut() else { continue };
                    *chain += 1;
                    longest = longest.max(*chain);
                }
                _ => {}
            }
        }
        longest
    }

    fn syntax_error(&self, error: ParserError) -> Error {
        match error {
            ParserError::RecursionLimitExceeded => {
                Error::new(Code::Syntax, format!("the statement nests deeper than {RECURSION_LIMIT} levels"))
            }
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
                crate::error::syntax(&message, Some(self))
            }
        }
    }

    /// Returns true if the word stands anywhere in the text (given in lower case).
    pub(crate) fn mentions(&self, word: &str) -> bool {
        self.words().any(|(value, _)| value.eq_ignore_ascii_case(word))
    }

    /// Returns true if a word (given in lower case) and a parenthesis stand anywhere in the text.
    pub(crate) fn calls(&self, word: &str) -> bool {
        let mut tokens = self.tokens.iter().map(|token| &token.token);
        let mut tokens = std::iter::from_fn(move || tokens.find(|token| !matches!(token, Token::Whitespace(_))));
        let mut is_named = false;
        tokens.any(|token| {
            let was_named = is_named;
            is_named = matches!(token, Token::Word(known) if known.value.eq_ignore_ascii_case(word));
            was_named && *token == Token::LParen
        })
    }

    /// The names in double quotes.
    pub(crate) fn quoted_names(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter_map(|token| match &token.token {
            Token::Word(word) if word.quote_style.is_some() => Some(word.value.as_str()),
            _ => None,
        })
    }

    fn words(&self) -> impl Iterator<Item = (&str, &TokenWithSpan)> {
        self.tokens.iter().filter_map(|token| match &token.token {
            Token::Word(word) => Some((word.value.as_str(), token)),
            _ => None,
        })
    }

    /// Returns true if the word (given in lower case) stands anywhere but before a period and AS: what a table is
    /// called stands alone where it is said.
    pub(crate) fn names(&self, lower: &str) -> bool {
        let is_it = |token: &Token| matches!(token, Token::Word(word) if word.value.to_lowercase() == lower);
        let is_more = |token: &Token| match token {
            Token::Period => true,
            Token::Word(word) => word.keyword == Keyword::AS,
            _ => false,
        };
        let tokens = self.tokens.iter().map(|token| &token.token);
        let mut rest = tokens.filter(|token| !matches!(token, Token::Whitespace(_))).peekable();
        while let Some(token) = rest.next() {
            if is_it(token) && !rest.peek().is_some_and(|next| is_more(next)) {
                return true;
            }
        }
        false
    }

    /// How a word (given in lower case) was written first.
    pub(crate) fn spelling(&self, lower: &str) -> Option<String> {
        self.words().find(|(value, _)| value.to_lowercase() == lower).map(|(value, _)| value.to_owned())
    }

    /// The name that stands here as it was written: the same word may stand elsewhere as a keyword in other letters.
    pub(crate) fn spelling_of(&self, name: &Ident) -> Option<String> {
        let lower = name.value.to_lowercase();
        let start = name.span.start;
        let is_there = |(value, token): &(&str, &TokenWithSpan)| {
            (token.span.start.line, token.span.start.column) == (start.line, start.column)
                && value.to_lowercase() == lower
        };
        let found = self.words().find(is_there).map(|(value, _)| value.to_owned());
        found.or_else(|| self.spelling(&lower))
    }

    /// Where a word (given in lower case) stands first.
    pub(crate) fn span_of(&self, lower: &str) -> Option<(usize, usize)> {
        let (_, token) = self.words().find(|(value, _)| value.to_lowercase() == lower)?;
        Some((self.offset(token.span.start.line, token.span.start.column), self.end_of_token(token)))
    }

    /// The bytes from one token to another one.
    pub(crate) fn range(&self, first: &TokenWithSpan, last: &TokenWithSpan) -> (usize, usize) {
        (self.offset(first.span.start.line, first.span.start.column), self.end_of_token(last))
    }

    /// Where a literal of this text stands, if it does once.
    pub(crate) fn span_of_literal(&self, literal: &str) -> Option<(usize, usize)> {
        self.span_of_only(|token| matches!(token, Token::SingleQuotedString(text) if text == literal))
    }

    /// Where an operator, a keyword or a number stands, if it does once.
    pub(crate) fn span_of_sign(&self, sign: &str) -> Option<(usize, usize)> {
        self.span_of_only(|token| match token {
            Token::Whitespace(_) | Token::SingleQuotedString(_) => false,
            token => token.to_string().eq_ignore_ascii_case(sign),
        })
    }

    fn span_of_only(&self, is_it: impl Fn(&Token) -> bool) -> Option<(usize, usize)> {
        let mut all = self.tokens.iter().filter(|token| is_it(&token.token));
        let (token, None) = (all.next()?, all.next()) else { return None };
        Some((self.offset(token.span.start.line, token.span.start.column), self.end_of_token(token)))
    }

    /// The byte range of the token that starts here (line and column count from 1, columns in characters).
    pub(crate) fn span_at(&self, line: u64, column: u64) -> (usize, usize) {
        let start = self.offset(line, column);
        let here = |token: &&TokenWithSpan| token.span.start.line == line && token.span.start.column == column;
        let end = match self.tokens.iter().find(here) {
            Some(token) => self.end_of_token(token),
            None => start + self.source[start..].chars().next().map_or(0, char::len_utf8),
        };
        (start, end)
    }

    /// The byte range of a part of the parser's tree, if it is known.
    pub(crate) fn place(&self, span: Span) -> Option<(usize, usize)> {
        let is_known = span.start.line > 0 && span.end.line > 0;
        is_known.then(|| {
            let start = self.offset(span.start.line, span.start.column);
            (start, self.offset(span.end.line, span.end.column).max(start))
        })
    }

    fn end_of_token(&self, token: &TokenWithSpan) -> usize {
        self.offset(token.span.end.line, token.span.end.column)
    }

    fn offset(&self, line: u64, column: u64) -> usize {
        let index = usize::try_from(line.max(1) - 1).unwrap_or(usize::MAX).min(self.line_starts.len() - 1);
        let start = self.line_starts[index];
        let column = usize::try_from(column.max(1) - 1).unwrap_or(usize::MAX);
        match self.source[start..].char_indices().nth(column) {
            Some((offset, _)) => start + offset,
            None => self.source.len(),
        }
    }

    /// The heads of the columns of the outermost SELECT, as a person would expect to read them: the alias
    /// as written, or the expression as written. `None` where only the schema knows (`*`), and for the
    /// whole list when the statement is not a plain SELECT.
    pub(crate) fn column_heads(&self) -> Option<Vec<Option<String>>> {
        let significant = self.significant();
        // The first query of a set operation may stand in parentheses.
        let around = significant.iter().take_while(|token| token.token == Token::LParen).count();
        let mut depth = 0i32;
        let mut at = significant.iter().position(|token| {
            depth += nesting(&token.token);
            usize::try_from(depth) == Ok(around) && is_keyword(&token.token, Keyword::SELECT)
        })? + 1;
        while at < significant.len()
            && (is_keyword(&significant[at].token, Keyword::DISTINCT)
                || is_keyword(&significant[at].token, Keyword::ALL))
        {
            at += 1;
        }
        if significant.get(at).is_some_and(|token| is_keyword(&token.token, Keyword::TOP)) {
            return None;
        }
        let mut heads = Vec::new();
        let (mut first, mut depth) = (at, 0);
        for (i, token) in significant.iter().enumerate().skip(at) {
            depth += nesting(&token.token);
            let is_within = is_keyword(&significant[i - 1].token, Keyword::WITHIN);
            let ends_list = depth < 0 || (depth == 0 && !is_within && ends_select_list(&token.token));
            if ends_list || (depth == 0 && token.token == Token::Comma) {
                heads.push(self.head(&significant[first..i]));
                first = i + 1;
            }
            if ends_list {
                return Some(heads);
            }
        }
        heads.push(self.head(&significant[first..]));
        Some(heads)
    }

    fn head(&self, item: &[&TokenWithSpan]) -> Option<String> {
        let (first, last) = (item.first()?, item.last()?);
        if last.token == Token::Mul && (item.len() == 1 || item[item.len() - 2].token == Token::Period) {
            return None;
        }
        if let Token::Word(word) = &last.token {
            // An alias, a column, or a column of a table: its last word, as it was written. Anything that
            // ends in a word but is none of these (`CASE ... END`) is shown whole.
            let before = item.len().checked_sub(2).map(|i| &item[i].token);
            let is_name = !ends_interval(item)
                && match before {
                    None | Some(Token::Period) => word.quote_style.is_some(),
                    Some(token) => {
                        is_keyword(token, Keyword::AS) || (word.keyword != Keyword::END && ends_operand(token))
                    }
                };
            if is_name {
                return Some(word.value.clone());
            }
            if matches!(before, None | Some(Token::Period)) {
                return None;
            }
        }
        let start = self.offset(first.span.start.line, first.span.start.column);
        Some(self.source[start..self.end_of_token(last)].to_owned())
    }
}

/// `$1` is parameter 0; `None` for another name.
pub(crate) fn parameter_number(name: &str) -> Option<usize> {
    name.strip_prefix('$')?.parse::<usize>().ok()?.checked_sub(1)
}

pub(crate) fn is_keyword(token: &Token, keyword: Keyword) -> bool {
    matches!(token, Token::Word(word) if word.keyword == keyword && word.quote_style.is_none())
}

/// Returns true if the token makes a tree of what stands before and after it.
fn continues_chain(token: &Token) -> bool {
    use Keyword::*;
    match token {
        Token::Word(word) => {
            word.quote_style.is_none() && matches!(word.keyword, AND | OR | NOT | UNION | EXCEPT | INTERSECT | JOIN)
        }
        Token::Whitespace(_) | Token::SemiColon | Token::Period | Token::Number(..) | Token::Placeholder(_) => false,
        Token::SingleQuotedString(_) | Token::EOF => false,
        _ => nesting(token) == 0,
    }
}

pub(crate) fn nesting(token: &Token) -> i32 {
    match token {
        Token::LParen | Token::LBracket => 1,
        Token::RParen | Token::RBracket => -1,
        _ => 0,
    }
}

fn ends_select_list(token: &Token) -> bool {
    use Keyword::*;
    let ends = [FROM, WHERE, GROUP, HAVING, ORDER, LIMIT, UNION, EXCEPT, INTERSECT, OFFSET, FETCH, INTO, WINDOW];
    matches!(token, Token::SemiColon) || ends.iter().any(|keyword| is_keyword(token, *keyword))
}

/// Returns true if an operand follows this word, and not an alias.
pub(crate) fn comes_before_operand(keyword: Keyword) -> bool {
    use Keyword::*;
    matches!(
        keyword,
        AND | OR
            | NOT
            | IS
            | IN
            | LIKE
            | ILIKE
            | BETWEEN
            | CASE
            | WHEN
            | THEN
            | ELSE
            | DISTINCT
            | ALL
            | ESCAPE
            | OVER
            | INTERVAL
            | COLLATE
            | DIV
            | ZONE
            | SIMILAR
            | TO
            | FILTER
    )
}

/// Reports whether the last word is the unit of an interval: `INTERVAL 1 MONTH`, `INTERVAL (2 * 3) DAY`.
fn ends_interval(item: &[&TokenWithSpan]) -> bool {
    use Keyword::*;
    let [before @ .., unit] = item else { return false };
    let units = [
        YEAR,
        YEARS,
        MONTH,
        MONTHS,
        WEEK,
        WEEKS,
        DAY,
        DAYS,
        HOUR,
        HOURS,
        MINUTE,
        MINUTES,
        SECOND,
        SECONDS,
        CENTURY,
        DECADE,
        MICROSECOND,
        MICROSECONDS,
        MILLENIUM,
        MILLENNIUM,
        MILLISECOND,
        MILLISECONDS,
        NANOSECOND,
        NANOSECONDS,
        QUARTER,
    ];
    if !units.iter().any(|known| is_keyword(&unit.token, *known)) {
        return false;
    }
    // Where the value begins.
    let mut depth = 0;
    let start = before.iter().rposition(|token| {
        depth -= nesting(&token.token);
        depth == 0
    });
    let mut ahead = start.map_or(&[][..], |start| &before[..start]);
    while let [rest @ .., sign] = ahead
        && matches!(sign.token, Token::Minus | Token::Plus)
    {
        ahead = rest;
    }
    ahead.last().is_some_and(|token| is_keyword(&token.token, INTERVAL))
}

/// Returns true if an expression can end here, so that a word behind it is an alias.
fn ends_operand(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.quote_style.is_some() || !comes_before_operand(word.keyword),
        Token::Number(..) | Token::SingleQuotedString(_) | Token::RParen | Token::RBracket => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_split_outside_of_quotes_and_comments() {
        let script = "select ';' ; -- a; b\n /* ; /* ; */ ; */ select \";\";;\n select 1 -- end";
        let pieces: Vec<&str> = statements(script).into_iter().map(|range| &script[range]).collect();
        assert_eq!(pieces, ["select ';'", "-- a; b\n /* ; /* ; */ ; */ select \";\"", "select 1 -- end"]);
        assert!(statements(" ; -- nothing\n /* at all").is_empty());
        assert_eq!(statements("select 'open").len(), 1);
    }

    fn heads(source: &str) -> Option<Vec<Option<String>>> {
        Text::new(source).unwrap().column_heads()
    }

    #[test]
    fn heads_are_written_as_in_the_text() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            heads("SELECT Count(*), a.Name, SUM( AMT ) AS Total, \"My Id\", x + 1 y, *, t.* FROM t"),
            Some(vec![some("Count(*)"), None, some("Total"), some("My Id"), some("y"), None, None])
        );
        assert_eq!(
            heads("WITH c AS (SELECT 1 AS A) SELECT CASE WHEN x THEN 1 END FROM c"),
            Some(vec![some("CASE WHEN x THEN 1 END")])
        );
        assert_eq!(heads("SELECT name n, x IS NULL, y BETWEEN 1 AND z FROM t").unwrap()[0], some("n"));
        assert_eq!(heads("SELECT x IS NULL, NOT y FROM t"), Some(vec![some("x IS NULL"), some("NOT y")]));
        assert_eq!(heads("SELECT y BETWEEN 1 AND z FROM t"), Some(vec![some("y BETWEEN 1 AND z")]));
        assert_eq!(heads("select 1"), Some(vec![some("1")]));
        let intervals =
            heads("SELECT d + INTERVAL 1 MONTH, INTERVAL -(1 + 1) day, INTERVAL '2' DAY week, n day FROM t");
        assert_eq!(
            intervals,
            Some(vec![some("d + INTERVAL 1 MONTH"), some("INTERVAL -(1 + 1) day"), some("week"), some("day")])
        );
        assert_eq!(heads("values (1)"), None);
    }

    #[test]
    fn names_lose_their_case_and_keep_their_place() {
        let text = Text::new("SELECT\n  Näme FROM \"Kunden\"").unwrap();
        assert_eq!(text.parse().unwrap().to_string(), "SELECT näme FROM \"kunden\"");
        assert_eq!(text.span_of("kunden"), Some((20, 28)));
        assert_eq!(text.spelling("näme").as_deref(), Some("Näme"));
    }

    #[test]
    fn bad_text_gives_its_place() {
        let error = Text::new("SELECT 'open").err().unwrap();
        assert_eq!(error.code(), Code::Syntax);
        let error = Text::new("SELECT * FORM t").unwrap().parse().unwrap_err();
        assert_eq!(error.text_span(), Some((9, 13)));
        let deep = format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000));
        let text = Text::new(&deep).unwrap();
        assert!(text.is_deep());
        let parse = move || text.parse().unwrap_err().code();
        let parsing = std::thread::Builder::new().stack_size(64 << 20).spawn(parse).unwrap();
        assert_eq!(parsing.join().unwrap(), Code::Syntax);
    }
}
