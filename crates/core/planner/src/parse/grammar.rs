//! Token rewrites: syntax that the parser does not support, rewritten token by token before it parses.
//!
//! ```text
//!   NEXT VALUE FOR s                         nextval('s')
//!   START WITH 5 INCREMENT BY 2 CYCLE ...    INCREMENT BY 2 START WITH 5 CYCLE      the parser's own order
//!   ENABLE [NOVALIDATE] CONSTRAINT c         ENABLE [REPLICA] TRIGGER c             Oracle's words; there are no triggers here
//!   DISABLE CONSTRAINT c                     DISABLE TRIGGER c
//!   ALTER c TYPE t COLLATE x [USING e]       ALTER c TYPE t USING (e) COLLATE x     without USING, of the column itself
//!   a IS NOT DISTINCT FROM b AND c           a <=> b AND c                          the parser takes it for FROM (b AND c)
//!   a IS DISTINCT FROM b OR c                a <=> b IS FALSE OR c
//!   INTERVAL '1-06' YEAR TO MONTH            INTERVAL '18 months'                   of days and time: in days and nanoseconds
//!   TRIM(LEADING FROM a)                     TRIM(LEADING ' ' FROM a)
//!   'one' <end of line> 'two'                'onetwo'                               a literal on several lines
//!   = ANY (VALUES (1), (2))                  = ANY (SELECT * FROM (VALUES (1), (2)) AS "#values")
//!   a # b                                    a XOR b                                of whole numbers, bit by bit
//!   @ a, |/ a, ||/ a                         abs(a), sqrt(a), cbrt(a)               see [`crate::parse::prefix`]
//!   FROM 'customers.dbf'                     FROM "customers.dbf"                   see [`crate::parse::file_names`]
//!   TABLE t                                  SELECT * FROM t                        see [`crate::parse::table_query`]
//! ```
//!
//! Words are in lower case. Each new token has the place of the one that it replaces, so places in errors stay right.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};
use mainstay_types::Interval;

/// The statement in the parser's own words.
pub(crate) fn reduced(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let tokens = crate::parse::file_names::named(joined_literals(tokens));
    let tokens = crate::parse::table_query::selected(tokens);
    let tokens = crate::parse::postgres::reduced(crate::parse::prefix::as_calls(tokens));
    let tokens = trimmed_blanks(distinct_operands(quantified_values(exclusive_ors(tokens))));
    let mentions = |keyword| tokens.iter().any(|token| is(token, keyword));
    if mentions(Keyword::INTERVAL) && mentions(Keyword::TO) {
        return next_values_and_options(ranged_intervals(tokens));
    }
    if alters_table(&tokens) && mentions(Keyword::TYPE) && mentions(Keyword::COLLATE) {
        return collated_types(tokens);
    }
    if tokens.iter().find(|token| !matches!(token.token, Token::Whitespace(_))).is_some_and(|it| is(it, Keyword::ALTER))
        && mentions(Keyword::CONSTRAINT)
    {
        return enabled_constraints(tokens);
    }
    next_values_and_options(tokens)
}

fn next_values_and_options(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mentions = |keyword| tokens.iter().any(|token| is(token, keyword));
    if !(mentions(Keyword::NEXT) || mentions(Keyword::SEQUENCE) || mentions(Keyword::IDENTITY)) {
        return tokens;
    }
    let tokens = tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    sequence_options(next_value_for(tokens))
}

pub(crate) fn is(token: &TokenWithSpan, keyword: Keyword) -> bool {
    matches!(&token.token, Token::Word(word) if word.keyword == keyword && word.quote_style.is_none())
}

/// Returns true if this unquoted word is here. Not all of these are the parser's keywords.
pub(crate) fn is_word(token: Option<&TokenWithSpan>, word: &str) -> bool {
    matches!(token.map(|token| &token.token), Some(Token::Word(it)) if it.quote_style.is_none() && it.value == word)
}

/// Literals of text with an end of line between them as one (ISO 9075-2, 5.3).
fn joined_literals(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut joined: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    // Where the literal is that may go on, and whether its line has ended.
    let (mut open, mut has_ended) = (None, false);
    for token in tokens {
        match (&token.token, open.and_then(|at| joined.get_mut::<usize>(at))) {
            (Token::SingleQuotedString(more), Some(TokenWithSpan { token: Token::SingleQuotedString(text), .. }))
                if has_ended =>
            {
                text.push_str(more);
                has_ended = false;
                continue;
            }
            (Token::Whitespace(Whitespace::Newline | Whitespace::SingleLineComment { .. }), _) => has_ended = true,
            (Token::Whitespace(_), _) => {}
            (Token::SingleQuotedString(_), _) => (open, has_ended) = (Some(joined.len()), false),
            _ => open = None,
        }
        joined.push(token);
    }
    joined
}

/// ANY, SOME and ALL of VALUES as those of a query that begins with SELECT.
fn quantified_values(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| is(token, Keyword::VALUES)) {
        return tokens;
    }
    let next = |at: usize| (at..tokens.len()).find(|at| !matches!(tokens[*at].token, Token::Whitespace(_)));
    let quantifies = |at: usize| [Keyword::ANY, Keyword::SOME, Keyword::ALL].iter().any(|it| is(&tokens[at], *it));
    let values_of = |at: usize| {
        let open = next(at + 1).filter(|open| quantifies(at) && tokens[*open].token == Token::LParen)?;
        next(open + 1).filter(|values| is(&tokens[*values], Keyword::VALUES))
    };
    let starts: Vec<usize> = (0..tokens.len()).filter_map(values_of).collect();
    let mut open = Vec::new();
    let mut reduced = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let span = token.span;
        let mut put = |made: &[Token]| reduced.extend(made.iter().cloned().map(|token| TokenWithSpan { token, span }));
        match &token.token {
            Token::RParen if open.pop() == Some(true) => {
                put(&[Token::RParen, Token::make_keyword("AS"), Token::make_word("#values", Some('"'))]);
            }
            Token::LParen => open.push(next(at + 1).is_some_and(|values| starts.contains(&values))),
            _ if starts.contains(&at) => {
                put(&[Token::make_keyword("SELECT"), Token::Mul, Token::make_keyword("FROM"), Token::LParen]);
            }
            _ => {}
        }
        reduced.push(token.clone());
    }
    reduced
}

/// PostgreSQL's sign for an exclusive or, by the word that the parser knows.
fn exclusive_ors(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    for token in tokens.iter_mut().filter(|token| token.token == Token::Sharp) {
        token.token = Token::make_keyword("XOR");
    }
    tokens
}

/// TRIM of blanks that are not named.
fn trimmed_blanks(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let next = |tokens: &[TokenWithSpan], at: usize| {
        (at + 1..tokens.len()).find(|at| !matches!(tokens[*at].token, Token::Whitespace(_)))
    };
    let mut at = 0;
    while at < tokens.len() {
        let side = is(&tokens[at], Keyword::TRIM)
            .then(|| next(&tokens, at).filter(|at| tokens[*at].token == Token::LParen))
            .flatten()
            .and_then(|open| next(&tokens, open));
        let is_side =
            |at: &usize| [Keyword::LEADING, Keyword::TRAILING, Keyword::BOTH].iter().any(|it| is(&tokens[*at], *it));
        if let Some(side) = side.filter(is_side)
            && let Some(from) = next(&tokens, side).filter(|at| is(&tokens[*at], Keyword::FROM))
        {
            let span = tokens[from].span;
            tokens.insert(from, TokenWithSpan { token: Token::SingleQuotedString(" ".into()), span });
        }
        at += 1;
    }
    tokens
}

/// `IS [NOT] DISTINCT FROM` as an operator where AND or OR follows its right side: the parser takes all of that for the
/// right side.
fn distinct_operands(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| is(token, Keyword::DISTINCT)) {
        return tokens;
    }
    let mut tokens: Vec<TokenWithSpan> =
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    let keyword = |tokens: &[TokenWithSpan], at: usize, keyword| tokens.get(at).is_some_and(|token| is(token, keyword));
    let mut at = tokens.len();
    while at > 0 {
        at -= 1;
        let is_not = keyword(&tokens, at + 1, Keyword::NOT);
        let from = at + 2 + usize::from(is_not);
        let is_here = keyword(&tokens, at, Keyword::IS)
            && keyword(&tokens, from - 1, Keyword::DISTINCT)
            && keyword(&tokens, from, Keyword::FROM);
        let Some(end) = is_here.then(|| operand_end(&tokens, from + 1)).flatten() else { continue };
        let span = tokens[end - 1].span;
        if !is_not {
            let words = [Token::make_keyword("IS"), Token::make_keyword("FALSE")];
            tokens.splice(end..end, words.map(|token| TokenWithSpan { token, span }));
        }
        let span = tokens[at].span;
        tokens.splice(at..=from, [TokenWithSpan { token: Token::Spaceship, span }]);
    }
    tokens
}

/// Where an operand ends that AND or OR follows.
fn operand_end(tokens: &[TokenWithSpan], start: usize) -> Option<usize> {
    use Keyword::*;
    let (mut depth, mut cases) = (0, 0);
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match &token.token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 0 => return None,
            Token::RParen => depth -= 1,
            Token::Comma | Token::SemiColon | Token::EOF if depth == 0 => return None,
            Token::Word(word) if depth == 0 && word.quote_style.is_none() => match word.keyword {
                CASE => cases += 1,
                END if cases > 0 => cases -= 1,
                AND | OR if cases == 0 && at > start => return Some(at),
                AS | WHERE | GROUP | HAVING | ORDER | LIMIT | OFFSET | FETCH | UNION | EXCEPT | INTERSECT | JOIN
                | LEFT | RIGHT | INNER | FULL | CROSS | ON | THEN | ELSE | WHEN | END | BETWEEN | RETURNING
                    if cases == 0 =>
                {
                    // Functions are called so, too.
                    let is_called = tokens.get(at + 1).is_some_and(|next| next.token == Token::LParen);
                    if !(is_called && matches!(word.keyword, LEFT | RIGHT)) {
                        return None;
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    None
}

/// Literals of intervals that go from one unit to another, in one unit each. What is no such interval stays.
fn ranged_intervals(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let tokens: Vec<TokenWithSpan> =
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    // A unit, and where it ends: its digits may follow it.
    let unit_at = |at: usize| {
        let Some(Token::Word(word)) = tokens.get(at).map(|token| &token.token) else { return None };
        let has_digits = tokens.get(at + 1).is_some_and(|token| token.token == Token::LParen)
            && tokens.get(at + 3).is_some_and(|token| token.token == Token::RParen);
        Some((word.keyword, if has_digits { at + 4 } else { at + 1 }))
    };
    let (mut reduced, mut at) = (Vec::with_capacity(tokens.len()), 0);
    while at < tokens.len() {
        let literal = match tokens.get(at + 1).map(|token| &token.token) {
            Some(Token::SingleQuotedString(text)) if is(&tokens[at], Keyword::INTERVAL) => Some(text),
            _ => None,
        };
        let range = literal.and_then(|text| {
            let (from, end) = unit_at(at + 2)?;
            let (to, end) = tokens.get(end).filter(|token| is(token, Keyword::TO)).and_then(|_| unit_at(end + 1))?;
            Some((interval_text(text, from, to)?, end))
        });
        reduced.push(tokens[at].clone());
        at = match range {
            Some((text, end)) => {
                reduced.push(TokenWithSpan { token: Token::SingleQuotedString(text), span: tokens[at + 1].span });
                end
            }
            None => at + 1,
        };
    }
    reduced
}

/// The text of an interval from one unit to another (ISO 9075-2, 5.3) in one unit each.
fn interval_text(text: &str, from: Keyword, to: Keyword) -> Option<String> {
    let interval = match (from, to) {
        (Keyword::YEAR, Keyword::MONTH) => {
            return Interval::parse_year_month(text).ok().map(|it| format!("{} months", it.months));
        }
        (Keyword::DAY, Keyword::HOUR) => Interval::parse_day_time(&format!("{text}:00")),
        (Keyword::DAY | Keyword::HOUR, Keyword::MINUTE | Keyword::SECOND) => Interval::parse_day_time(text),
        (Keyword::MINUTE, Keyword::SECOND) => {
            let unsigned = text.trim_start_matches(['+', '-']);
            Interval::parse_day_time(&format!("{}0:{unsigned}", &text[..text.len() - unsigned.len()]))
        }
        _ => return None,
    };
    let interval = interval.ok()?;
    Some(format!("{} days {} nanoseconds", interval.days, interval.ticks.checked_mul(100)?))
}

/// Returns true if an ALTER TABLE has words that only PostgreSQL's form of it has: `TYPE ... USING`, `RENAME
/// CONSTRAINT`.
pub(crate) fn is_postgres_alter(tokens: &[TokenWithSpan]) -> bool {
    let renames = |pair: &[TokenWithSpan]| is(&pair[0], Keyword::RENAME) && is(&pair[1], Keyword::CONSTRAINT);
    let words: Vec<TokenWithSpan> =
        tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).cloned().collect();
    let uses = || words.iter().any(|token| is(token, Keyword::USING));
    alters_table(&words) && (uses() || words.windows(2).any(renames))
}

fn alters_table(tokens: &[TokenWithSpan]) -> bool {
    let mut words = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_)));
    words.next().is_some_and(|word| is(word, Keyword::ALTER))
        && words.next().is_some_and(|word| is(word, Keyword::TABLE))
}

/// `ALTER [COLUMN] c [SET DATA] TYPE t COLLATE x [USING e]` with the collation behind the values.
fn collated_types(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let tokens: Vec<TokenWithSpan> =
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    let keyword = |at: usize, keyword| tokens.get(at).is_some_and(|token| is(token, keyword));
    // Where the column of a change of type is, and where its type begins.
    let type_at = |at: usize| {
        let name = at + 1 + usize::from(keyword(at + 1, Keyword::COLUMN));
        let set = 2 * usize::from(keyword(name + 1, Keyword::SET) && keyword(name + 2, Keyword::DATA));
        (keyword(at, Keyword::ALTER) && keyword(name + 1 + set, Keyword::TYPE)).then_some((name, name + 2 + set))
    };
    let end_of = |from: usize, ends: &[Keyword]| {
        let mut depth = 0;
        (from..tokens.len())
            .find(|at| {
                match &tokens[*at].token {
                    Token::LParen => depth += 1,
                    Token::RParen => depth -= 1,
                    _ => {}
                }
                let token = &tokens[*at].token;
                let ends_change = matches!(token, Token::Comma | Token::SemiColon | Token::EOF);
                depth == 0 && (ends_change || ends.iter().any(|word| keyword(*at, *word)))
            })
            .unwrap_or(tokens.len())
    };
    let (mut reduced, mut at) = (Vec::with_capacity(tokens.len()), 0);
    while at < tokens.len() {
        let collated = type_at(at).and_then(|(name, start)| {
            let collate = end_of(start, &[Keyword::COLLATE, Keyword::USING]);
            keyword(collate, Keyword::COLLATE).then_some((name, collate))
        });
        let Some((name, collate)) = collated else {
            reduced.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let (using, end) = (end_of(collate, &[Keyword::USING]), end_of(collate, &[]));
        let span = tokens[collate].span;
        let mut put = |token: Token| reduced.push(TokenWithSpan { token, span });
        tokens[at..collate].iter().for_each(|token| put(token.token.clone()));
        put(Token::make_keyword("USING"));
        put(Token::LParen);
        match using < end {
            true => tokens[using + 1..end].iter().for_each(|token| put(token.token.clone())),
            false => put(tokens[name].token.clone()),
        }
        put(Token::RParen);
        tokens[collate..using].iter().for_each(|token| put(token.token.clone()));
        at = end;
    }
    reduced
}

/// ENABLE and DISABLE CONSTRAINT.
fn enabled_constraints(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut tokens: Vec<TokenWithSpan> =
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    for at in 1..tokens.len() {
        if !is(&tokens[at], Keyword::CONSTRAINT) {
            continue;
        }
        let before = if is_word(tokens.get(at - 1), "novalidate") { at.checked_sub(2) } else { Some(at - 1) };
        let switches = |at: usize| {
            is_word(tokens.get(at), "enable") || at + 1 < tokens.len() && is_word(tokens.get(at), "disable")
        };
        if before.is_some_and(switches) {
            tokens[at].token = Token::make_keyword("TRIGGER");
            if is_word(tokens.get(at - 1), "novalidate") {
                tokens[at - 1].token = Token::make_keyword("REPLICA");
            }
        }
    }
    tokens
}

/// `NEXT VALUE FOR s.t` as `nextval('s.t')`.
fn next_value_for(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut reduced = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let is_here = ["next", "value", "for"].iter().zip(at..).all(|(word, at)| is_word(tokens.get(at), word));
        let Some((name, end)) = is_here.then(|| name_at(&tokens, at + 3)).flatten() else {
            reduced.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let span = tokens[at].span;
        let made = [Token::make_word("nextval", None), Token::LParen, Token::SingleQuotedString(name), Token::RParen];
        reduced.extend(made.map(|token| TokenWithSpan { token, span }));
        at = end;
    }
    reduced
}

/// The name, with its schema, that begins here, and where it ends.
fn name_at(tokens: &[TokenWithSpan], start: usize) -> Option<(String, usize)> {
    let word = |at: usize| match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) => Some(word.value.clone()),
        _ => None,
    };
    let (mut name, mut end) = (word(start)?, start + 1);
    while tokens.get(end).is_some_and(|token| token.token == Token::Period) {
        name = format!("{name}.{}", word(end + 1)?);
        end += 2;
    }
    Some((name, end))
}

/// An option of a sequence: which it is, in the parser's order, and how many tokens it has.
fn option_at(tokens: &[TokenWithSpan], at: usize) -> Option<(usize, usize)> {
    let here = |offset: usize, word: &str| is_word(tokens.get(at + offset), word);
    // A number may have a sign.
    let number = |from: usize| {
        let signed = matches!(tokens.get(at + from).map(|token| &token.token), Some(Token::Minus | Token::Plus));
        let digits = from + usize::from(signed);
        matches!(tokens.get(at + digits).map(|t| &t.token), Some(Token::Number(..))).then_some(digits + 1)
    };
    let after = |word: &str| if here(1, word) { 2 } else { 1 };
    if here(0, "no") {
        let order = [("minvalue", 1), ("maxvalue", 2), ("cycle", 5)];
        return order.into_iter().find(|(word, _)| here(1, word)).map(|(_, order)| (order, 2));
    }
    if here(0, "increment") {
        return number(after("by")).map(|length| (0, length));
    }
    if here(0, "start") {
        return number(after("with")).map(|length| (3, length));
    }
    let valued = [("minvalue", 1), ("maxvalue", 2), ("cache", 4)].into_iter().find(|(word, _)| here(0, word));
    match valued {
        Some((_, order)) => number(1).map(|length| (order, length)),
        None => here(0, "cycle").then_some((5, 1)),
    }
}

/// Options that follow each other, in the parser's order. An option that is there twice stays, for the parser to refuse.
fn sequence_options(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut reduced = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let mut options = Vec::new();
        let mut end = at;
        while let Some((order, length)) = option_at(&tokens, end) {
            options.push((order, end..end + length));
            end += length;
        }
        if options.len() < 2 {
            reduced.push(tokens[at].clone());
            at += 1;
            continue;
        }
        options.sort_by_key(|(order, _)| *order);
        options.into_iter().for_each(|(_, range)| reduced.extend_from_slice(&tokens[range]));
        at = end;
    }
    reduced
}

#[cfg(test)]
mod tests {
    use crate::parse::text::Text;

    fn reduced(source: &str) -> String {
        Text::new(source).unwrap().parse().unwrap().to_string()
    }

    #[test]
    fn next_values_and_options_are_reduced() {
        assert_eq!(reduced("SELECT NEXT VALUE FOR a.\"B\" + 1 FROM t"), "SELECT nextval('a.b') + 1 FROM t");
        assert_eq!(reduced("SELECT next, value FROM t"), "SELECT next, value FROM t");
        assert_eq!(
            reduced("CREATE SEQUENCE s CYCLE START WITH -5 NO MAXVALUE INCREMENT -2 MINVALUE -9"),
            "CREATE SEQUENCE s INCREMENT -2 MINVALUE -9 NO MAXVALUE START WITH -5 CYCLE"
        );
        assert!(Text::new("CREATE SEQUENCE s CYCLE NO CYCLE").unwrap().parse().is_err());
    }

    #[test]
    fn collations_of_new_types_stand_behind_their_values() {
        let column = "ALTER TABLE t ALTER COLUMN a TYPE VARCHAR(5)";
        assert_eq!(reduced(&format!("{column} COLLATE ci_ai")), format!("{column} USING (a) COLLATE ci_ai"));
        assert_eq!(
            reduced(&format!("{column} COLLATE x.y USING f(a, b) || 'c', ALTER b SET DATA TYPE TEXT")),
            format!("{column} USING (f(a, b) || 'c') COLLATE x.y, ALTER COLUMN b SET DATA TYPE TEXT")
        );
        assert_eq!(reduced(&format!("{column} USING a COLLATE ci_ai")), format!("{column} USING a COLLATE ci_ai"));
        assert_eq!(reduced("ALTER TABLE t RENAME CONSTRAINT a TO b"), "ALTER TABLE t RENAME CONSTRAINT a TO b");
    }

    #[test]
    fn intervals_from_one_unit_to_another_are_in_one_each() {
        let reduced = |text: &str| reduced(&format!("SELECT INTERVAL {text}"));
        assert_eq!(reduced("'1-06' YEAR TO MONTH"), "SELECT INTERVAL '18 months'");
        assert_eq!(
            reduced("'-1 02:00:00.5' DAY(3) TO SECOND(6)"),
            "SELECT INTERVAL '-1 days -7200500000000 nanoseconds'"
        );
        assert_eq!(reduced("'1 02' DAY TO HOUR"), "SELECT INTERVAL '1 days 7200000000000 nanoseconds'");
        assert_eq!(reduced("'-01:02' MINUTE TO SECOND"), "SELECT INTERVAL '0 days -62000000000 nanoseconds'");
        assert_eq!(reduced("'x' DAY TO SECOND"), "SELECT INTERVAL 'x' DAY TO SECOND");
    }

    #[test]
    fn distinct_from_ends_before_and() {
        let reduced =
            |text: &str| reduced(&format!("SELECT * FROM t WHERE {text}")).replace("SELECT * FROM t WHERE ", "");
        assert_eq!(reduced("a IS DISTINCT FROM b AND c"), "a <=> b IS FALSE AND c");
        assert_eq!(
            reduced("a IS NOT DISTINCT FROM left(b, 1) OR c IS DISTINCT FROM d AND e"),
            "a <=> left(b, 1) OR c <=> d IS FALSE AND e"
        );
        let case = "CASE WHEN b AND c THEN 1 END";
        assert_eq!(reduced(&format!("a IS DISTINCT FROM {case} AND d")), format!("a <=> {case} IS FALSE AND d"));
        assert_eq!(reduced("(a IS DISTINCT FROM b) AND c"), "(a IS DISTINCT FROM b) AND c");
        assert_eq!(reduced("a IS DISTINCT FROM b ORDER BY 1"), "a IS DISTINCT FROM b ORDER BY 1");
    }

    #[test]
    fn constraints_are_switched_with_the_words_for_triggers() {
        assert_eq!(reduced("ALTER TABLE t DISABLE CONSTRAINT c"), "ALTER TABLE t DISABLE TRIGGER c");
        assert_eq!(reduced("ALTER TABLE t ENABLE NOVALIDATE CONSTRAINT c"), "ALTER TABLE t ENABLE REPLICA TRIGGER c");
        assert_eq!(reduced("ALTER TABLE t ENABLE CONSTRAINT ALL"), "ALTER TABLE t ENABLE TRIGGER all");
        let added = "ALTER TABLE t ADD CONSTRAINT c CHECK (enable > 0)";
        assert_eq!(reduced(added), added);
    }
}
