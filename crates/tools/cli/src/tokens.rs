//! A tokenizer for the command's own needs.
//!
//! Without the engine, the prompt must find the end of a statement, the colours, and the tables that a half-written
//! statement names. So the text is cut into tokens: strings, quoted names, comments, numbers, words, and single
//! characters. Nothing is an error here; an unclosed text reaches to the end and is marked as such, and the engine
//! checks the statement.
//!
//! Rules: quotes are doubled inside quotes; `--` comments run to the end of the line; `/* */` comments nest, as the
//! standard allows. As in PostgreSQL, a backslash escapes a quote inside of `E'...'`, and `$$...$$` and `$tag$...$tag$`
//! are texts with arbitrary content.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// White space.
    Space,
    /// `-- ...` or `/* ... */`.
    Comment,
    /// `'text'`, `E'text'`, `$$text$$`.
    Text,
    /// `"name"`.
    QuotedName,
    /// `12`, `1.5e-3`.
    Number,
    /// A keyword or a name.
    Word,
    /// One character of anything else.
    Symbol,
}

/// A token and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
    /// True if a string, a quoted name or a comment has its end.
    pub(crate) closed: bool,
}

impl Token {
    /// The token's own text.
    pub(crate) fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.range.clone()]
    }

    /// Returns true if it says nothing: white space or a comment.
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self.kind, Kind::Space | Kind::Comment)
    }
}

/// The tokens of `text` from byte `at` on; together they cover it.
pub(crate) fn tokens(text: &str, at: usize) -> Tokens<'_> {
    Tokens { text, at }
}

/// An iterator over tokens.
pub(crate) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        let (kind, length, closed) = match first {
            _ if first.is_whitespace() => (Kind::Space, run(rest, char::is_whitespace), true),
            '-' if rest.starts_with("--") => (Kind::Comment, rest.find('\n').unwrap_or(rest.len()), true),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '\'' => quoted(rest, b'\'', Kind::Text),
            '"' => quoted(rest, b'"', Kind::QuotedName),
            'e' | 'E' if rest[1..].starts_with('\'') => escaped(rest),
            '$' if dollar_tag(rest).is_some() => between(rest, dollar_tag(rest).unwrap_or_default()),
            '0'..='9' => (Kind::Number, number(rest), true),
            _ if is_word(first) => (Kind::Word, run(rest, is_word), true),
            _ => (Kind::Symbol, first.len_utf8(), true),
        };
        let range = self.at..self.at + length;
        self.at = range.end;
        Some(Token { kind, range, closed })
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '#' | '@')
}

/// The length of the characters at the start that pass.
fn run(text: &str, pass: impl Fn(char) -> bool) -> usize {
    text.find(|character| !pass(character)).unwrap_or(text.len())
}

fn quoted(text: &str, quote: u8, kind: Kind) -> (Kind, usize, bool) {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == quote) {
        at += found + 1;
        if bytes.get(at) != Some(&quote) {
            return (kind, at, true);
        }
        at += 1;
    }
    (kind, text.len(), false)
}

/// `E'...'`: a backslash takes the next character along.
fn escaped(text: &str) -> (Kind, usize, bool) {
    let bytes = text.as_bytes();
    let mut at = 2;
    while at < bytes.len() {
        at += match bytes[at..] {
            [b'\\', _, ..] | [b'\'', b'\'', ..] => 2,
            [b'\'', ..] => return (Kind::Text, at + 1, true),
            _ => 1,
        };
    }
    (Kind::Text, text.len(), false)
}

/// The `$$` or `$tag$` that a text begins with.
fn dollar_tag(text: &str) -> Option<&str> {
    let name = &text[1..];
    let length = run(name, |character| character.is_alphanumeric() || character == '_');
    let is_tag = name[length..].starts_with('$') && !name.starts_with(|first: char| first.is_ascii_digit());
    is_tag.then(|| &text[..length + 2])
}

/// Everything from a tag to the same tag.
fn between(text: &str, tag: &str) -> (Kind, usize, bool) {
    match text[tag.len()..].find(tag) {
        Some(length) => (Kind::Text, length + 2 * tag.len(), true),
        None => (Kind::Text, text.len(), false),
    }
}

fn block_comment(text: &str) -> (Kind, usize, bool) {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        let step = match bytes[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            return (Kind::Comment, at, true);
        }
    }
    (Kind::Comment, text.len(), false)
}

/// Digits, a fraction, an exponent.
fn number(text: &str) -> usize {
    let digits = |from: usize| from + run(&text[from..], |character| character.is_ascii_digit() || character == '_');
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    let exponent = text[end..].trim_start_matches(['e', 'E']).trim_start_matches(['+', '-']);
    let marked = text[end..].starts_with(['e', 'E']) && exponent.starts_with(|first: char| first.is_ascii_digit());
    if marked { digits(text.len() - exponent.len()) } else { end }
}

/// Where the statement that starts at `at` ends: after its semicolon, or nowhere yet.
pub(crate) fn statement_end(text: &str, at: usize) -> Option<usize> {
    tokens(text, at).find(|token| token.kind == Kind::Symbol && token.text(text) == ";").map(|token| token.range.end)
}

/// Words that no database takes for a name without quotes.
const RESERVED: [&str; 76] = [
    "all",
    "and",
    "any",
    "as",
    "asc",
    "between",
    "both",
    "by",
    "case",
    "cast",
    "check",
    "column",
    "constraint",
    "create",
    "cross",
    "current_date",
    "current_time",
    "current_timestamp",
    "default",
    "delete",
    "desc",
    "distinct",
    "drop",
    "else",
    "end",
    "except",
    "exists",
    "false",
    "fetch",
    "for",
    "foreign",
    "from",
    "full",
    "fulltext",
    "grant",
    "group",
    "having",
    "in",
    "index",
    "inner",
    "insert",
    "intersect",
    "interval",
    "into",
    "is",
    "join",
    "key",
    "lateral",
    "leading",
    "left",
    "like",
    "limit",
    "natural",
    "not",
    "null",
    "offset",
    "on",
    "or",
    "order",
    "outer",
    "primary",
    "right",
    "select",
    "set",
    "spatial",
    "table",
    "then",
    "true",
    "union",
    "unique",
    "using",
    "values",
    "when",
    "where",
    "window",
    "with",
];

/// The name as any database must have it written: plain when it is a lower-case word, in quotes otherwise.
pub(crate) fn quote_name(name: &str) -> String {
    let has_capitals = name.bytes().any(|byte| byte.is_ascii_uppercase());
    if has_capitals { in_quotes(name) } else { typed_name(name) }
}

/// The name as a person types it, to whom capitals make no difference: in quotes only where it would be no name without.
pub(crate) fn typed_name(name: &str) -> String {
    let starts_plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_reserved = || RESERVED.binary_search(&name.to_ascii_lowercase().as_str()).is_ok();
    if starts_plain && name.bytes().all(plain) && !is_reserved() { name.to_owned() } else { in_quotes(name) }
}

fn in_quotes(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_kinds_keep_their_semicolons() {
        for text in [
            "SELECT $$it's; $$;",
            "SELECT $a$ ; $$ ; $b$ $a$;",
            r"SELECT E'it\'s; ', e'a''b;';",
            "SELECT $1, 'a;', a$b$;",
        ] {
            assert_eq!(statement_end(text, 0), Some(text.len()), "{text}");
        }
        for text in ["SELECT $$;", "SELECT $a$ ; $$", r"SELECT E'\';"] {
            assert_eq!(statement_end(text, 0), None, "{text}");
        }
        assert_eq!(statement_end("SELECT $1;2$;", 0), Some(10));
    }

    #[test]
    fn only_reserved_words_are_quoted() {
        assert!(RESERVED.is_sorted());
        assert_eq!(["order", "name", "key", "Id"].map(quote_name), ["\"order\"", "name", "\"key\"", "\"Id\""]);
    }

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        tokens(text, 0).filter(|token| token.kind != Kind::Space).map(|token| (token.kind, token.text(text))).collect()
    }

    #[test]
    fn tokens_cover_the_text() {
        for text in ["", "SELECT 'it''s' -- x\n, \"a\"\"b\"", "/* /* */", "'open", "é漢 1.e 1e+ 1e5.", "\"\"\"", "'''"]
        {
            let mut at = 0;
            for token in tokens(text, 0) {
                assert_eq!(token.range.start, at);
                assert!(token.range.end > at);
                at = token.range.end;
            }
            assert_eq!(at, text.len());
        }
    }

    #[test]
    fn numbers_take_their_exponent_and_nothing_else() {
        assert_eq!(kinds("1.5e-3x"), [(Kind::Number, "1.5e-3"), (Kind::Word, "x")]);
        assert_eq!(kinds("2e"), [(Kind::Number, "2"), (Kind::Word, "e")]);
    }

    #[test]
    fn semicolons_inside_quotes_and_comments_end_nothing() {
        let text = "SELECT ';' /* ; /* ; */ */ -- ;\n, \";\"; SELECT 2";
        let end = statement_end(text, 0).unwrap();
        assert_eq!(&text[end..], " SELECT 2");
        assert_eq!(statement_end(text, end), None);
    }

    #[test]
    fn names_are_quoted_when_they_must_be() {
        assert_eq!(quote_name("orders"), "orders");
        assert_eq!(quote_name("Order Lines"), "\"Order Lines\"");
        assert_eq!(quote_name("select"), "\"select\"");
        assert_eq!(quote_name("2024"), "\"2024\"");
    }
}
