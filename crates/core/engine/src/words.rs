//! Statements that are not queries: SHOW, DESCRIBE, SET, EXPLAIN; PACK, ZAP, REINDEX.
//!
//! They are recognized by their first words, before any parser runs.

use mainstay_types::{Code, Error, Result};

/// A statement by its first words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Words<'a> {
    /// A query.
    Query(&'a str),
    /// A statement that changes something, or what the parser will refuse.
    Other(&'a str),
    /// EXPLAIN, with the statement behind it and where that begins.
    Explain { analyze: bool, statement: &'a str, offset: usize },
    /// SHOW TABLES, with the pattern behind LIKE.
    ShowTables(Option<String>),
    /// SHOW COLUMNS FROM, DESCRIBE.
    ShowColumns(String),
    /// SHOW INDEXES FROM.
    ShowIndexes(String),
    /// SHOW ALL, SHOW name.
    ShowSettings(Option<String>),
    /// SET name = value, SET name TO value.
    Set { name: String, value: String },
    /// PACK, ZAP or REINDEX, and the table.
    Upkeep(Upkeep, String),
}

/// The xBase commands on a whole table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upkeep {
    /// Deleted records are removed.
    Pack,
    /// All records are removed.
    Zap,
    /// All indexes are made anew.
    Reindex,
}

impl<'a> Words<'a> {
    /// Looks at the first words of a statement.
    pub(crate) fn of(statement: &'a str) -> Result<Words<'a>> {
        let statement = without_end(statement);
        // The most frequent word first, without a list.
        if statement.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("select ")) {
            return Ok(Words::Query(statement));
        }
        let words: Vec<(usize, &str)> = first_words(statement, 5);
        let word = |at: usize| words.get(at).map(|(_, word)| word.to_lowercase()).unwrap_or_default();
        let name = |at: usize| -> Result<String> {
            match words.get(at) {
                Some((_, name)) => Ok(unquoted(name)),
                None => Err(Error::new(Code::Syntax, "a name is missing").span(statement.len(), statement.len())),
            }
        };
        Ok(match word(0).as_str() {
            "explain" => explain(statement, &words)?,
            "describe" | "desc" => Words::ShowColumns(name(if word(1) == "table" { 2 } else { 1 })?),
            "show" => match word(1).as_str() {
                "tables" => show_tables(statement, &words)?,
                "columns" | "fields" => Words::ShowColumns(name(3)?),
                "index" | "indexes" | "indices" | "keys" => Words::ShowIndexes(name(3)?),
                "all" | "settings" | "" => Words::ShowSettings(None),
                _ => Words::ShowSettings(Some(name(1)?)),
            },
            upkeep @ ("pack" | "zap" | "reindex") => {
                let upkeep = match upkeep {
                    "pack" => Upkeep::Pack,
                    "zap" => Upkeep::Zap,
                    _ => Upkeep::Reindex,
                };
                Words::Upkeep(upkeep, name(if word(1) == "table" { 2 } else { 1 })?)
            }
            "set" if matches!(word(1).as_str(), "transaction" | "constraints") => Words::Other(statement),
            "set" => set(&statement[words.first().map_or(0, |(at, _)| *at)..])?,
            "select" | "with" | "values" | "table" | "" => Words::Query(statement),
            first if first.starts_with('(') => Words::Query(statement),
            _ => Words::Other(statement),
        })
    }
}

/// `SHOW TABLES`, `SHOW TABLES LIKE 'pattern'`.
fn show_tables<'a>(statement: &'a str, words: &[(usize, &str)]) -> Result<Words<'a>> {
    let Some((at, word)) = words.get(2) else { return Ok(Words::ShowTables(None)) };
    let wrong = |start: usize| {
        let error = Error::new(Code::Syntax, "SHOW TABLES is followed by nothing, or by LIKE and a pattern");
        error.span(start, statement.len()).hint("write SHOW TABLES LIKE 'cust%'")
    };
    if !word.eq_ignore_ascii_case("like") {
        return Err(wrong(*at));
    }
    let rest = statement.get(at + word.len()..).unwrap_or_default().trim();
    let inner = rest.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    match inner.map(|inner| inner.replace("''", "\u{0}")) {
        Some(inner) if !inner.contains('\'') => Ok(Words::ShowTables(Some(inner.replace('\u{0}', "'")))),
        _ => Err(wrong(*at)),
    }
}

/// True if a name is like a pattern of LIKE: `%` for any characters, `_` for one. Case does not count.
pub(crate) fn is_like(name: &str, pattern: &str) -> bool {
    let (name, pattern): (Vec<char>, Vec<char>) =
        (name.to_lowercase().chars().collect(), pattern.to_lowercase().chars().collect());
    // For each length of the name: whether the pattern so far takes it.
    let mut takes: Vec<bool> = std::iter::once(true).chain(name.iter().map(|_| false)).collect();
    for sign in pattern {
        let before = takes.clone();
        let mut any = false;
        for (length, taken) in takes.iter_mut().enumerate() {
            any |= before.get(length).copied().unwrap_or(false);
            let last = length.checked_sub(1);
            let one = last.and_then(|last| before.get(last)).copied().unwrap_or(false);
            *taken = match sign {
                '%' => any,
                '_' => one,
                sign => one && last.and_then(|last| name.get(last)) == Some(&sign),
            };
        }
    }
    takes.last().copied().unwrap_or(false)
}

/// `EXPLAIN [ANALYZE] statement`, `EXPLAIN (options) statement`.
fn explain<'a>(statement: &'a str, words: &[(usize, &str)]) -> Result<Words<'a>> {
    let missing = || Error::new(Code::Syntax, "EXPLAIN of what?").hint("write a query behind it");
    let (at, word) = *words.get(1).ok_or_else(missing)?;
    let (analyze, length) = match explain_options(&statement[at..])? {
        Some(options) => options,
        None if word.eq_ignore_ascii_case("analyze") => (true, word.len()),
        None => (false, 0),
    };
    let behind = at + length;
    let (blanks, _) = *first_words(&statement[behind..], 1).first().ok_or_else(missing)?;
    let offset = behind + blanks;
    Ok(Words::Explain { analyze, statement: &statement[offset..], offset })
}

/// The options of EXPLAIN in parentheses: whether ANALYZE is one, and how long they are. `None` where they are something
/// else, as a query is. What the others say is about PostgreSQL's own lines.
fn explain_options(text: &str) -> Result<Option<(bool, usize)>> {
    const SHOWN: [&str; 9] =
        ["verbose", "costs", "buffers", "timing", "summary", "settings", "wal", "memory", "generic_plan"];
    let Some((list, _)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) else { return Ok(None) };
    let list_of_words = list.to_lowercase();
    let mut options = list_of_words.split(',').map(|option| option.split_whitespace().collect::<Vec<_>>());
    let is_known = |name: &str| name == "analyze" || name == "format" || SHOWN.contains(&name);
    if !options.clone().next().and_then(|option| option.first().copied()).is_some_and(is_known) {
        return Ok(None);
    }
    let mut analyze = false;
    let unknown = |option: &[&str]| Error::new(Code::Syntax, format!("EXPLAIN has no option {}", option.join(" ")));
    options.try_for_each(|option| {
        let value = match option.get(1..).unwrap_or_default() {
            [] | ["true" | "on" | "1"] => true,
            ["false" | "off" | "0"] => false,
            ["text"] if option[0] == "format" => true,
            _ => return Err(unknown(&option)),
        };
        match option.first() {
            Some(&"analyze") => analyze = value,
            Some(&"format") if option.len() == 2 => {}
            Some(name) if SHOWN.contains(name) => {}
            _ => return Err(unknown(&option)),
        }
        Ok(())
    })?;
    Ok(Some((analyze, list.len() + 2)))
}

/// A statement without what ends it.
pub(crate) fn without_end(statement: &str) -> &str {
    statement.trim_end().trim_end_matches(';')
}

/// Returns true if a statement that begins with WITH may be a change.
pub(crate) fn may_change(query: &str) -> bool {
    let is_with = first_words(query, 1).first().is_some_and(|(_, word)| word.eq_ignore_ascii_case("with"));
    let has = |word: &[u8]| query.as_bytes().windows(word.len()).any(|window| window.eq_ignore_ascii_case(word));
    is_with && (has(b"insert") || has(b"update") || has(b"delete") || has(b"merge"))
}

/// Returns true if FOR [NO KEY] UPDATE or FOR [KEY] SHARE may be in a query: the words are there, perhaps in a text or
/// a comment.
pub(crate) fn may_lock(query: &str) -> bool {
    let bytes = query.as_bytes();
    let is_here = |at: usize| {
        let rest = bytes[at + 3..].trim_ascii_start();
        let begins_with = |word: &[u8]| rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word);
        let begins = [b"update".as_slice(), b"share", b"no", b"key"].into_iter().any(begins_with);
        rest.len() < bytes.len() - at - 3 && begins
    };
    let mut places = bytes.windows(3).enumerate().filter(|(_, window)| window.eq_ignore_ascii_case(b"for"));
    places.any(|(at, _)| is_here(at))
}

/// `SET name = value`, `SET name TO value`, `SET name value`.
fn set(statement: &str) -> Result<Words<'_>> {
    let usage = || Error::new(Code::Syntax, "SET needs a name and a value").hint("write SET name = value");
    let rest = statement.trim_start().get(3..).ok_or_else(usage)?.trim().trim_end_matches(';').trim();
    let split = rest.find(|c: char| c.is_whitespace() || c == '=').ok_or_else(usage)?;
    let (name, value) = rest.split_at(split);
    let value = value.trim_start();
    let value = match value.strip_prefix('=') {
        Some(value) => value,
        None => match value.get(..3) {
            Some(to) if to.eq_ignore_ascii_case("to ") => &value[3..],
            _ => value,
        },
    };
    let value = value.trim();
    if name.is_empty() || value.is_empty() {
        return Err(usage());
    }
    Ok(Words::Set { name: name.to_lowercase(), value: value.trim_matches('\'').to_owned() })
}

fn unquoted(name: &str) -> String {
    name.trim_end_matches(';').replace(['"', '`', '[', ']'], "").to_lowercase()
}

/// Where a word ends: at a blank that is not within the quotes of a name.
fn end_of_word(text: &str) -> usize {
    let mut closing = None;
    let end = text.char_indices().find(|(_, c)| {
        match (closing, *c) {
            (Some(quote), c) if c == quote => closing = None,
            (None, '"' | '`') => closing = Some(*c),
            (None, '[') => closing = Some(']'),
            _ => {}
        }
        closing.is_none() && c.is_whitespace()
    });
    end.map_or(text.len(), |(at, _)| at)
}

/// The first words with their places, comments left out.
fn first_words(statement: &str, limit: usize) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < statement.len() && words.len() < limit {
        let rest = &statement[at..];
        if let Some(comment) = rest.strip_prefix("--") {
            at += 2 + comment.find('\n').map_or(comment.len(), |end| end + 1);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            at += 2 + comment.find("*/").map_or(comment.len(), |end| end + 2);
        } else {
            let first = rest.chars().next().unwrap_or(' ');
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            let end = end_of_word(rest);
            words.push((at, &rest[..end]));
            at += end;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_quotes_may_have_blanks() {
        assert_eq!(Words::of("SHOW COLUMNS FROM \"We ird\"").unwrap(), Words::ShowColumns("we ird".to_owned()));
        assert_eq!(Words::of("DESCRIBE sales.[a b];").unwrap(), Words::ShowColumns("sales.a b".to_owned()));
        assert_eq!(Words::of("PACK \"a b").unwrap(), Words::Upkeep(Upkeep::Pack, "a b".to_owned()));
    }

    #[test]
    fn statements_are_told_by_their_first_words() {
        let explain = Words::of("/* x */ EXPLAIN ANALYZE SELECT 1").unwrap();
        assert_eq!(explain, Words::Explain { analyze: true, statement: "SELECT 1", offset: 24 });
        let explain = |text| match Words::of(text) {
            Ok(Words::Explain { analyze, statement, offset }) => Ok((analyze, statement, offset)),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.code()),
        };
        assert_eq!(explain("EXPLAIN (ANALYZE, costs off) SELECT 1"), Ok((true, "SELECT 1", 29)));
        assert_eq!(explain("EXPLAIN (analyze false, FORMAT text) (SELECT 1)"), Ok((false, "(SELECT 1)", 37)));
        assert_eq!(explain("EXPLAIN (SELECT 1)"), Ok((false, "(SELECT 1)", 8)));
        assert_eq!(explain("EXPLAIN (VERBOSE, FORMAT json) SELECT 1"), Err(Code::Syntax));
        assert_eq!(explain("EXPLAIN (costs, nothing) SELECT 1"), Err(Code::Syntax));
        assert_eq!(explain("EXPLAIN (costs)"), Err(Code::Syntax));
        assert_eq!(Words::of("show tables;").unwrap(), Words::ShowTables(None));
        assert_eq!(Words::of("SHOW TABLES").unwrap(), Words::ShowTables(None));
        let like = |pattern: &str| Words::ShowTables(Some(pattern.to_owned()));
        assert_eq!(Words::of("SHOW TABLES LIKE 'a b%';").unwrap(), like("a b%"));
        assert_eq!(Words::of("show tables like 'it''s_'").unwrap(), like("it's_"));
        for wrong in ["SHOW TABLES FROM x", "SHOW TABLES LIKE", "SHOW TABLES LIKE x", "SHOW TABLES LIKE 'a' 'b'"] {
            assert_eq!(Words::of(wrong).unwrap_err().code(), Code::Syntax, "{wrong}");
        }
        for (name, pattern) in [("customers", "cust%"), ("orders", "%ORD_rs"), ("a", "%"), ("", "%"), ("ab", "_b")] {
            assert!(is_like(name, pattern), "{name} {pattern}");
        }
        for (name, pattern) in [("customers", "zzz%"), ("a", ""), ("abc", "_b"), ("ab", "a_c")] {
            assert!(!is_like(name, pattern), "{name} {pattern}");
        }
        assert_eq!(Words::of("DESC \"Orders\"").unwrap(), Words::ShowColumns("orders".into()));
        assert_eq!(Words::of("SHOW INDEXES FROM orders").unwrap(), Words::ShowIndexes("orders".into()));
        let set = |name: &str, value: &str| Words::Set { name: name.into(), value: value.into() };
        assert_eq!(Words::of("SET timeout = '5s'").unwrap(), set("timeout", "5s"));
        assert_eq!(Words::of("set Show_Deleted TO on").unwrap(), set("show_deleted", "on"));
        assert_eq!(Words::of("pack Orders;").unwrap(), Words::Upkeep(Upkeep::Pack, "orders".into()));
        assert_eq!(Words::of("REINDEX TABLE \"x\"").unwrap(), Words::Upkeep(Upkeep::Reindex, "x".into()));
        assert_eq!(Words::of("SET x").unwrap_err().code(), Code::Syntax);
        assert!(matches!(Words::of("select 1").unwrap(), Words::Query(_)));
        assert!(may_lock("select 1 For \n Update nowait") && may_lock("select 1 for share"));
        assert!(may_lock("select 1 for no key update") && may_lock("select 1 for key share"));
        assert!(!may_lock("select forupdate, for_, x'for' from t for"));
    }
}
