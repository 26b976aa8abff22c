//! Reads key definitions: `6,["name":2:1:8:"U"]+[1:1:3:"D"],[3:1:30]`.
//!
//! ```text
//!   definition   [length ","] key { "," key }        length: of an external key
//!   key          segment { "+" segment }
//!   segment      "[" ['"' name '"' ":"] field ":" offset ":" length [":" ['"'] attributes ['"']] "]"
//!   field        number from 0, or KEY
//!   attributes   letters of the manual's table; B may be followed by .n, K and N by :nn in hexadecimal
//! ```
//!
//! Blanks between the parts do not count. After an error the parser goes on with the next key. `[]` is a key that was
//! dropped.

use super::{AutoIncrement, KeyDefinition, KeyDefinitions, KeySegment, LetterCase, SegmentAttributes, SegmentField};

/// Something that is wrong with a key definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDiagnostic {
    /// Where it begins: bytes of the text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The reason.
    pub message: String,
}

/// The first error of a key; the parser goes on behind it.
type Parsed<T> = Result<T, KeyDiagnostic>;

pub(super) fn parse(text: &str) -> (KeyDefinitions, Vec<KeyDiagnostic>) {
    let mut parser = Parser { text, at: 0 };
    let (mut keys, mut diagnostics) = (Vec::new(), Vec::new());
    loop {
        match parser.key(keys.is_empty()) {
            Ok(key) => keys.push(key),
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                parser.skip_key();
            }
        }
        if !parser.take(",") {
            break;
        }
    }
    parser.blanks();
    if parser.at < text.len() && diagnostics.is_empty() {
        diagnostics.push(parser.error("a comma or the end is expected"));
    }
    (KeyDefinitions::new(keys), diagnostics)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.blanks();
        let is_there = self.rest().get(..token.len()).is_some_and(|start| start.eq_ignore_ascii_case(token));
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.take(token) { Ok(()) } else { Err(self.error(&format!("{token} is expected"))) }
    }

    fn error(&self, message: &str) -> KeyDiagnostic {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        KeyDiagnostic { start: self.at, end: self.at + length, message: message.to_owned() }
    }

    fn error_from(&self, start: usize, message: String) -> KeyDiagnostic {
        KeyDiagnostic { start, end: self.at, message }
    }

    /// Moves to the comma behind a key that is not valid.
    fn skip_key(&mut self) {
        let mut depth = 0usize;
        let mut is_quoted = false;
        for (place, letter) in self.rest().char_indices() {
            match letter {
                '"' => is_quoted = !is_quoted,
                '[' if !is_quoted => depth += 1,
                ']' if !is_quoted => depth = depth.saturating_sub(1),
                ',' if !is_quoted && depth == 0 => {
                    self.at += place;
                    return;
                }
                _ => {}
            }
        }
        self.at = self.text.len();
    }

    fn key(&mut self, is_first: bool) -> Parsed<KeyDefinition> {
        self.blanks();
        if is_first && self.rest().starts_with(|letter: char| letter.is_ascii_digit()) {
            let length = self.number("the length of the external key", 1)?;
            let segments = vec![KeySegment::new(SegmentField::External, 1, length)];
            return Ok(KeyDefinition { name: None, segments });
        }
        let mut key = KeyDefinition::default();
        loop {
            self.expect("[")?;
            if key.segments.is_empty() && self.take("]") {
                return Ok(key);
            }
            self.blanks();
            if self.rest().starts_with('"') {
                let start = self.at;
                let name = self.quoted()?;
                if !key.segments.is_empty() {
                    return Err(self.error_from(start, "the name of a key belongs to its first segment".to_owned()));
                }
                key.name = Some(name);
                self.expect(":")?;
            }
            key.segments.push(self.segment()?);
            self.expect("]")?;
            if !self.take("+") {
                return Ok(key);
            }
        }
    }

    fn segment(&mut self) -> Parsed<KeySegment> {
        let field = match self.take("KEY") {
            true => SegmentField::External,
            false => match self.number("a field", 0)? {
                0 => SegmentField::Record,
                number => SegmentField::Field(number),
            },
        };
        self.expect(":")?;
        let offset = self.number("an offset", 1)?;
        self.expect(":")?;
        let length = self.number("a length", 1)?;
        let mut segment = KeySegment::new(field, offset, length);
        if self.take(":") {
            self.blanks();
            let is_quoted = self.take("\"");
            segment.attributes = self.attributes()?;
            if is_quoted {
                self.expect("\"")?;
            }
        }
        Ok(segment)
    }

    fn number(&mut self, what: &str, least: u32) -> Parsed<u32> {
        self.blanks();
        let start = self.at;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(self.error(&format!("{what} is expected")));
        }
        let number = self.rest()[..digits].parse().ok().filter(|number| *number >= least);
        self.at += digits;
        number.ok_or_else(|| self.error_from(start, format!("{what} is out of range")))
    }

    fn quoted(&mut self) -> Parsed<String> {
        let start = self.at;
        self.at += 1;
        let mut name = String::new();
        loop {
            let Some(end) = self.rest().find('"') else {
                self.at = self.text.len();
                return Err(self.error_from(start, "the quotation mark at the end is missing".to_owned()));
            };
            name.push_str(&self.rest()[..end]);
            self.at += end + 1;
            if !self.rest().starts_with('"') {
                return Ok(name);
            }
            name.push('"');
            self.at += 1;
        }
    }

    fn attributes(&mut self) -> Parsed<SegmentAttributes> {
        let mut attributes = SegmentAttributes::default();
        loop {
            self.blanks();
            let Some(letter) = self.rest().chars().next().filter(|letter| !matches!(letter, '"' | ']')) else {
                return Ok(attributes);
            };
            let start = self.at;
            self.at += letter.len_utf8();
            match letter.to_ascii_uppercase() {
                'A' => attributes.is_descending = false,
                'B' => attributes.decimals = Some(self.decimals(start)?),
                'C' => attributes.letter_case = Some(LetterCase::Upper),
                'D' => attributes.is_descending = true,
                'I' => attributes.increment = Some(AutoIncrement::Binary),
                'K' => attributes.suppresses_key = Some(self.suppressed(start)?),
                'L' => attributes.letter_case = Some(LetterCase::Lower),
                'N' => attributes.suppresses_segment = Some(self.suppressed(start)?),
                'S' => attributes.is_swapped = true,
                'T' => attributes.drops_accents = true,
                'U' => attributes.is_unique = true,
                'Z' => attributes.ends_at_null = true,
                '#' => attributes.increment = Some(AutoIncrement::Blanks),
                '+' => attributes.increment = Some(AutoIncrement::Zeros),
                '-' => attributes.is_signed = true,
                _ => return Err(self.error_from(start, format!("there is no attribute {letter}"))),
            }
        }
    }

    /// The digits behind the point of `B.n`.
    fn decimals(&mut self, start: usize) -> Parsed<u8> {
        if !self.rest().starts_with('.') {
            return Ok(0);
        }
        self.at += 1;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let decimals = self.rest()[..digits].parse().ok().filter(|decimals| *decimals <= 18);
        self.at += digits;
        decimals.ok_or_else(|| self.error_from(start, "decimals are a number from 0 to 18".to_owned()))
    }

    /// The byte behind the colon of `K:nn`.
    fn suppressed(&mut self, start: usize) -> Parsed<u8> {
        if !self.rest().starts_with(':') {
            return Ok(0);
        }
        self.at += 1;
        let digits = self.rest().bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
        let byte = u8::from_str_radix(&self.rest()[..digits], 16).ok();
        self.at += digits;
        byte.ok_or_else(|| self.error_from(start, "the byte to suppress is two hexadecimal digits".to_owned()))
    }
}
