//! JSON as text: read in place, value by value.
//!
//! The functions of SQL Server return parts of a text unchanged and change a text in place, so no tree is built: a
//! [`Node`] is a kind and a range. Reading stops at the answer; the text behind it is not examined.
//!
//! ```text
//!   {"a": [1, {"b": "x"}]}     $.a[1].b  -->  Node { kind: String, 16..19 }
//! ```

use crate::messages::Message;
use std::ops::Range;

/// The deepest nesting that is followed.
const MAX_DEPTH: usize = 128;

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// A value, and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The kind of the value.
    pub kind: Kind,
    /// Its place, in bytes.
    pub range: Range<usize>,
}

impl Node {
    /// Returns true if it is neither an object nor an array.
    pub fn is_scalar(&self) -> bool {
        !matches!(self.kind, Kind::Object | Kind::Array)
    }

    /// The text of the value as it is written.
    pub fn text<'a>(&self, json: &'a str) -> &'a str {
        json.get(self.range.clone()).unwrap_or_default()
    }

    /// The value of a scalar: a string without its quotes and escapes, the others as they are written; `None` for null.
    pub fn scalar(&self, json: &str) -> Option<String> {
        match self.kind {
            Kind::Null => None,
            Kind::String => Some(unescaped(self.text(json))),
            _ => Some(self.text(json).to_owned()),
        }
    }
}

/// Where a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    at: usize,
}

impl Malformed {
    /// 13609, with the character and its position.
    pub fn message(self, json: &str) -> Message {
        let character = json.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or('.');
        let position = json.get(..self.at).map_or(self.at, |before| before.encode_utf16().count());
        Message::numbered(13609, &[&character, &position])
    }
}

/// A member of an object or an element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The key of a member.
    pub key: Option<String>,
    /// Where the key starts in the text.
    pub start: usize,
    /// The value.
    pub node: Node,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.eat(byte) { Ok(()) } else { Err(self.malformed()) }
    }

    fn malformed(&self) -> Malformed {
        Malformed { at: self.at }
    }

    /// Reads a value, at whose first byte it stands.
    fn value(&mut self, depth: usize) -> Result<Node, Malformed> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') | Some(b'[') if depth >= MAX_DEPTH => return Err(self.malformed()),
            Some(b'{') => {
                self.children(depth, |_| true)?;
                Kind::Object
            }
            Some(b'[') => {
                self.children(depth, |_| true)?;
                Kind::Array
            }
            Some(b'"') => {
                self.string()?;
                Kind::String
            }
            Some(b't') => self.word("true", Kind::True)?,
            Some(b'f') => self.word("false", Kind::False)?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => {
                self.number()?;
                Kind::Number
            }
        };
        Ok(Node { kind, range: start..self.at })
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<Kind, Malformed> {
        for byte in word.bytes() {
            self.expect(byte)?;
        }
        Ok(kind)
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.malformed()) }
    }

    fn number(&mut self) -> Result<(), Malformed> {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(())
    }

    /// Reads a string with its quotes: its place.
    fn string(&mut self) -> Result<Range<usize>, Malformed> {
        let start = self.at;
        self.expect(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
                        Some(b'u') => {
                            self.at += 1;
                            for _ in 0..4 {
                                if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                                    return Err(self.malformed());
                                }
                                self.at += 1;
                            }
                        }
                        _ => return Err(self.malformed()),
                    }
                }
                None | Some(0..=31) => return Err(self.malformed()),
                Some(_) => self.at += 1,
            }
        }
    }

    /// Reads an object or an array, and shows each child until one is enough.
    fn children(&mut self, depth: usize, mut go_on: impl FnMut(Child) -> bool) -> Result<(), Malformed> {
        let object = self.eat(b'{');
        if !object {
            self.expect(b'[')?;
        }
        let close = if object { b'}' } else { b']' };
        self.blanks();
        if self.eat(close) {
            return Ok(());
        }
        loop {
            self.blanks();
            let start = self.at;
            let mut key = None;
            if object {
                let place = self.string()?;
                key = Some(unescaped(self.text.get(place).unwrap_or_default()));
                self.blanks();
                self.expect(b':')?;
                self.blanks();
            }
            let node = self.value(depth + 1)?;
            if !go_on(Child { key, start, node }) {
                return Ok(());
            }
            self.blanks();
            if self.eat(close) {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }
}

/// The value of a text between quotes.
fn unescaped(quoted: &str) -> String {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains('\\') {
        return inner.to_owned();
    }
    let mut units: Vec<u16> = Vec::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(character) = rest.next() {
        let plain = match character {
            '\\' => match rest.next() {
                Some('u') => {
                    let digits: String = rest.by_ref().take(4).collect();
                    units.push(u16::from_str_radix(&digits, 16).unwrap_or(0xFFFD));
                    continue;
                }
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => break,
            },
            other => other,
        };
        units.extend_from_slice(plain.encode_utf16(&mut [0; 2]));
    }
    String::from_utf16_lossy(&units)
}

/// The whole of a text as one value.
pub fn read(json: &str) -> Result<Node, Malformed> {
    let mut scanner = Scanner { text: json, at: 0 };
    scanner.blanks();
    let node = scanner.value(0)?;
    scanner.blanks();
    if scanner.at == json.len() { Ok(node) } else { Err(scanner.malformed()) }
}

/// The children of an object or an array.
pub fn children(json: &str, node: &Node) -> Result<Vec<Child>, Malformed> {
    let mut all = Vec::new();
    if !node.is_scalar() {
        Scanner { text: json, at: node.range.start }.children(0, |child| {
            all.push(child);
            true
        })?;
    }
    Ok(all)
}

/// A row of OPENJSON without WITH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The key of a member, or the number of an element from 0.
    pub key: String,
    /// The value: of a scalar without quotes and escapes, of the others as it is written; `None` for null.
    pub value: Option<String>,
    /// 0 null, 1 string, 2 number, 3 true or false, 4 array, 5 object.
    pub kind: i64,
}

/// The rows of OPENJSON: the children of what a path (`$` without one) leads to. In lax mode there are none where it
/// leads nowhere or to a scalar; in strict mode these are 13608 and 13624. (With WITH, what each row's paths lead to is
/// found with [`Path::find`] in the text of its child.)
pub fn open(json: &str, path: Option<&str>) -> Result<Vec<Row>, Message> {
    let path = Path::read(path.unwrap_or("$"))?;
    let node = path.find(json).map_err(|malformed| malformed.message(json))?;
    let node = match node {
        Some(node) if !node.is_scalar() => node,
        None if path.strict => return Err(Message::numbered(13608, &[])),
        Some(_) if path.strict => return Err(Message::numbered(13624, &[])),
        _ => return Ok(Vec::new()),
    };
    let children = children(json, &node).map_err(|malformed| malformed.message(json))?;
    let rows = children.into_iter().enumerate().map(|(place, child)| Row {
        key: child.key.unwrap_or_else(|| place.to_string()),
        value: if child.node.is_scalar() { child.node.scalar(json) } else { Some(child.node.text(json).to_owned()) },
        kind: match child.node.kind {
            Kind::Null => 0,
            Kind::String => 1,
            Kind::Number => 2,
            Kind::True | Kind::False => 3,
            Kind::Array => 4,
            Kind::Object => 5,
        },
    });
    Ok(rows.collect())
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `.key` or `."key"`
    Key(String),
    /// `[n]`
    Index(usize),
}

/// A path: `[append] [lax | strict] $.a[1]."b c"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// True if it starts with `append`, which only JSON_MODIFY takes.
    pub append: bool,
    /// True if what is not there is an error.
    pub strict: bool,
    /// The steps from `$`.
    pub steps: Vec<Step>,
}

impl Path {
    /// Reads a path. The error is 13607.
    pub fn read(text: &str) -> Result<Path, Message> {
        let mut reader = PathReader { text, at: 0 };
        let append = reader.word("append");
        let strict = reader.word("strict");
        if !strict {
            reader.word("lax");
        }
        if !reader.eat('$') {
            return Err(reader.malformed());
        }
        let mut steps = Vec::new();
        while reader.at < text.trim_end().len() {
            steps.push(reader.step()?);
        }
        Ok(Path { append, strict, steps })
    }

    /// The value that the path leads to. Reading stops when it is found.
    pub fn find(&self, json: &str) -> Result<Option<Node>, Malformed> {
        let mut scanner = Scanner { text: json, at: 0 };
        scanner.blanks();
        for step in &self.steps {
            match child(&mut scanner, step)? {
                Some(start) => scanner.at = start,
                None => return Ok(None),
            }
        }
        scanner.value(0).map(Some)
    }
}

/// Where the child of the object or array that the scanner stands at starts.
fn child(scanner: &mut Scanner<'_>, step: &Step) -> Result<Option<usize>, Malformed> {
    let fits = match step {
        Step::Key(_) => scanner.peek() == Some(b'{'),
        Step::Index(_) => scanner.peek() == Some(b'['),
    };
    if !fits {
        scanner.value(0)?;
        return Ok(None);
    }
    let (mut found, mut index) = (None, 0);
    scanner.children(0, |child| {
        let same = match step {
            Step::Key(key) => child.key.as_ref() == Some(key),
            Step::Index(wanted) => index == *wanted,
        };
        index += 1;
        found = same.then_some(child.node.range.start);
        !same
    })?;
    Ok(found)
}

struct PathReader<'a> {
    text: &'a str,
    at: usize,
}

impl PathReader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn malformed(&self) -> Message {
        let character = self.rest().chars().next().unwrap_or('.');
        let position = self.text.get(..self.at).map_or(0, |before| before.encode_utf16().count());
        Message::numbered(13607, &[&character, &position])
    }

    fn eat(&mut self, character: char) -> bool {
        let found = self.rest().starts_with(character);
        self.at += if found { character.len_utf8() } else { 0 };
        found
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// A word in front of the path and the blanks around it.
    fn word(&mut self, word: &str) -> bool {
        self.blanks();
        let found = self.rest().strip_prefix(word).is_some_and(|behind| behind.starts_with([' ', '$']));
        self.at += if found { word.len() } else { 0 };
        self.blanks();
        found
    }

    fn step(&mut self) -> Result<Step, Message> {
        if self.eat('[') {
            let digits: String = self.rest().chars().take_while(char::is_ascii_digit).collect();
            self.at += digits.len();
            let index = digits.parse().map_err(|_| self.malformed())?;
            return if self.eat(']') { Ok(Step::Index(index)) } else { Err(self.malformed()) };
        }
        if !self.eat('.') {
            return Err(self.malformed());
        }
        if self.rest().starts_with('"') {
            let mut scanner = Scanner { text: self.rest(), at: 0 };
            let Ok(place) = scanner.string() else { return Err(self.malformed()) };
            let key = unescaped(self.rest().get(place.clone()).unwrap_or_default());
            self.at += place.end;
            return Ok(Step::Key(key));
        }
        let plain = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '#' | '-');
        let key: String = self.rest().chars().take_while(plain).collect();
        if key.is_empty() {
            return Err(self.malformed());
        }
        self.at += key.len();
        Ok(Step::Key(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str, path: &str) -> String {
        match Path::read(path) {
            Err(message) => message.text,
            Ok(path) => match path.find(json) {
                Err(malformed) => malformed.message(json).text,
                Ok(None) => "nothing".into(),
                Ok(Some(node)) => format!("{:?} {}", node.kind, node.text(json)),
            },
        }
    }

    #[test]
    fn paths() {
        let json = r#" {"a": [1, {"b": "x\n"}, -2.5e3], "c d": null, "é": true} "#;
        for (path, expected) in [
            ("$", json.trim()),
            ("$.a[0]", "1"),
            ("lax $.a[1].b", r#""x\n""#),
            ("$.a[2]", "-2.5e3"),
            (r#"$."c d""#, "null"),
            ("$.é", "true"),
        ] {
            let shown = found(json, path);
            assert_eq!(shown.split_once(' ').map(|(_, text)| text), Some(expected), "{path}");
        }
        assert_eq!(found(json, "$.a[3]"), "nothing");
        assert_eq!(found(json, "$.b"), "nothing");
        assert_eq!(found(json, "$.a.b"), "nothing");
        assert!(found(json, "a.b").starts_with("JSON path is not properly formatted. Unexpected character 'a'"));
        assert!(found("{\"a\" 1}", "$.a").starts_with("JSON text is not properly formatted. Unexpected character '1'"));
        assert_eq!(found("{\"a\": 1, oops", "$.a"), "Number 1");
    }

    #[test]
    fn rows_of_openjson() {
        let shown = |json, path| {
            let rows = open(json, path).map_err(|message| message.number)?;
            let row = |row: Row| format!("{}={}:{}", row.key, row.value.unwrap_or("NULL".into()), row.kind);
            Ok::<_, i32>(rows.into_iter().map(row).collect::<Vec<_>>().join(" "))
        };
        let json = r#"{"s":"a\u0062","n":1.5,"t":true,"z":null,"a":[1, 2],"o":{"k":1}}"#;
        assert_eq!(shown(json, None).unwrap(), r#"s=ab:1 n=1.5:2 t=true:3 z=NULL:0 a=[1, 2]:4 o={"k":1}:5"#);
        assert_eq!(shown(json, Some("$.a")).unwrap(), "0=1:2 1=2:2");
        assert_eq!(shown(json, Some("$.nowhere")), Ok(String::new()));
        assert_eq!(shown(json, Some("$.n")), Ok(String::new()));
        assert_eq!(shown(json, Some("strict $.nowhere")), Err(13608));
        assert_eq!(shown(json, Some("strict $.n")), Err(13624));
        assert_eq!(shown("{oops", None), Err(13609));
    }

    #[test]
    fn whole_texts() {
        for valid in ["{}", "[]", " [1, \"a\", {\"b\": [true, false, null]}] ", "1", "\"\\u00e9\""] {
            assert!(read(valid).is_ok(), "{valid}");
        }
        for wrong in ["", "{", "[1,]", "{a:1}", "01", "'a'", "[1] x", "\"\\x\"", "nul", "-", "1."] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
        assert_eq!(unescaped(r#""\u00e9\ud83d\ude00\t""#), "é😀\t");
    }
}
