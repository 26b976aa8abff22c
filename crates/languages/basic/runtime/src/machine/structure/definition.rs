//! The text of a structure: `Name:C(30), Qty[1:12]:I(2), Zip:C(10*=9):a comment:`.

use super::{Element, ElementKind, Structure};
use crate::fault::{Outcome, fail};
use std::collections::HashSet;

/// The most elements of a structure with those of its arrays, as of an array.
const MOST_ELEMENTS: usize = 100_000;
/// The most bytes of a string with a structure when all of its elements are full.
const MOST_BYTES: usize = 1 << 20;
/// The most bytes that an element takes while a text is read, beside its name and comment.
const ELEMENT_BYTES: usize = 384;
/// The bytes of a floating point number.
const FLOAT_BYTES: usize = 8;

/// Structures of the system by name (manual, `directives/dim_struct`, "Standard Structures").
const STANDARD: [(&str, &str); 6] = [
    (
        "+MSE",
        "Status:I(1),Column:U(1),Line:U(1),XPos:I(2),YPos:I(2),AbsCol:U(1),AbsRow:U(1),XChsz:U(1),YChsz:U(1),XSbar:U(1),\
         YSbar:U(1),XRel:I(2),YRel:I(2),CtlFocus:I(2),LastFocus:I(2),WdxVer:U(1),CtlHelp:I(2),LastLostFocus:I(2),xMax:U(2),\
         yMax:U(2),ShowSts:I(1),ClientType:C(1)",
    ),
    (
        "+OBJ",
        "Type:I(2),State:I(2),Column:I(2),Line:I(2),Width:I(2),Height:I(2),Attrib:I(4),Handle:I(4),Left:I(2),Top:I(2),\
         Right:I(2),Bottom:I(2),LeftView:I(2),TopView:I(2),WidthView:I(2),HeightView:I(2)",
    ),
    ("+CHN", "Fileno[500]:I(2)"),
    (
        "+FIB",
        "Numrec:I(3),Path1to6:C(6),BinType:I(1),ExtKsz:I(1),Maxrec:I(3),Rsz:I(2),Flags:I(1),Invpct:I(1),Type:C(1),Fhdl:I(1),\
         Attrib:C(1),TextColor:U(1),BackColor:U(1),RFU:C(1),Pathname:C(60),Extdef:C(1000*=)",
    ),
    ("+EXTDEFDEV", "Column:I(1),Line:I(1),MaxColumn:I(1),MaxLine:I(1),DevWdw[10]:C(11),DevType:C(255*=)"),
    (
        "+DEVWDW",
        "WindowNo:I(1),Column:I(1),Line:I(1),Width:I(1),Height:I(1),ScrollColumn:I(1),ScrollLine:I(1),ScrollWidth:I(1),\
         ScrollHeight:I(1)",
    ),
];

impl Structure {
    /// The most bytes that [`Structure::parse`] takes for a text.
    pub fn most_bytes(text: &[u8]) -> usize {
        most_elements(text) * ELEMENT_BYTES + 3 * text.len() + 1024
    }

    /// Reads the text of a structure. `separator` is the delimiter of elements that have none of their own.
    ///
    /// Errors: 81 for a text that is not one, 99 for a type that is not supported.
    pub fn parse(text: &[u8], separator: u8) -> Outcome<Structure> {
        let name = text.trim_ascii().to_ascii_uppercase();
        let standard = STANDARD.iter().find(|(known, _)| known.as_bytes() == name);
        let text = standard.map_or(text, |(_, text)| text.as_bytes());
        let mut reader = Reader { text, at: 0, separator };
        let mut elements: Vec<Element> = Vec::with_capacity(most_elements(text));
        let mut names: HashSet<String> = HashSet::with_capacity(elements.capacity());
        let (mut place, mut count, mut bytes) = ((1, 0), 0_usize, 0_usize);
        loop {
            let element = Element { place, ..reader.element()? };
            if !names.insert(element.name.clone()) {
                return reader.wrong(&format!("{} is there twice", element.name));
            }
            count = count.saturating_add(element.count());
            bytes = bytes.saturating_add(element.count().saturating_mul(element.size + 1));
            if count > MOST_ELEMENTS || bytes > MOST_BYTES {
                return fail(81, "the structure is too large");
            }
            place = match element.delimiter {
                Some(_) => (place.0 + element.count(), 0),
                None => (place.0, place.1 + element.count() * element.size),
            };
            elements.push(element);
            if !reader.accept(b',') {
                break;
            }
        }
        match reader.peek() {
            None => {
                elements.shrink_to_fit();
                Ok(Structure { elements, definition: text.to_vec() })
            }
            Some(_) => reader.wrong("expected a comma between elements"),
        }
    }
}

/// The most elements that a text may have: one behind each comma.
fn most_elements(text: &[u8]) -> usize {
    (memchr::memchr_iter(b',', text).count() + 1).min(MOST_ELEMENTS + 1)
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    separator: u8,
}

impl Reader<'_> {
    fn wrong<T>(&self, reason: &str) -> Outcome<T> {
        fail(81, format!("{reason}, at byte {} of the structure", self.at + 1))
    }

    /// The next byte that is not blank.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Outcome<()> {
        if self.accept(byte) { Ok(()) } else { self.wrong(&format!("expected {}", char::from(byte))) }
    }

    fn letters(&mut self, is_part: impl Fn(u8) -> bool) -> String {
        self.peek();
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        self.at += length;
        rest[..length].iter().map(|byte| char::from(byte.to_ascii_uppercase())).collect()
    }

    fn number(&mut self) -> Outcome<usize> {
        match self.letters(|byte| byte.is_ascii_digit()).parse() {
            Ok(number) if number <= MOST_BYTES => Ok(number),
            _ => self.wrong(&format!("expected a number up to {MOST_BYTES}")),
        }
    }

    fn element(&mut self) -> Outcome<Element> {
        let name = self.letters(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.');
        if !name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_') {
            return self.wrong("expected the name of an element");
        }
        self.accept(b'$');
        let bounds = self.bounds()?;
        self.expect(b':')?;
        let mut element = match self.accept(b'+') {
            true => self.native()?,
            false => self.typed()?,
        };
        if self.accept(b':') {
            let rest = &self.text[self.at..];
            let length = rest.iter().position(|byte| *byte == b':').unwrap_or(rest.len());
            element.comment = rest[..length].to_vec();
            self.at = (self.at + length + 1).min(self.text.len());
        }
        Ok(Element { name, bounds, ..element })
    }

    /// `[4]` is 0 to 4, `[1:4]` 1 to 4; up to three dimensions.
    fn bounds(&mut self) -> Outcome<Vec<(i64, i64)>> {
        let close = match self.peek() {
            Some(b'[') => b']',
            Some(b'(') => b')',
            _ => return Ok(Vec::new()),
        };
        self.at += 1;
        let mut bounds = Vec::new();
        loop {
            let first = self.number()? as i64;
            let (low, high) = if self.accept(b':') { (first, self.number()? as i64) } else { (0, first) };
            if high < low || high as usize > MOST_ELEMENTS || bounds.len() == 3 {
                return fail(42, "the bounds of an element");
            }
            bounds.push((low, high));
            if !self.accept(b',') {
                self.expect(close)?;
                return Ok(bounds);
            }
        }
    }

    /// `C(30)`, `I/BW(4)`, `F`.
    fn typed(&mut self) -> Outcome<Element> {
        let letter = self.peek().map_or(b' ', |byte| byte.to_ascii_uppercase());
        let (kind, most) = match letter {
            b'C' => (ElementKind::Text, MOST_BYTES),
            b'N' => (ElementKind::Number, MOST_BYTES),
            b'I' => (ElementKind::Signed, 6),
            b'U' => (ElementKind::Unsigned, 6),
            b'F' => (ElementKind::Float, FLOAT_BYTES),
            _ => return self.wrong("expected one of the types C, N, I, U, F"),
        };
        self.at += 1;
        let swaps = if kind != ElementKind::Float && self.accept(b'/') { self.swaps(kind)? } else { Vec::new() };
        let (mut size, mut delimiter) = (FLOAT_BYTES, None);
        if self.accept(b'(') {
            size = self.number()?;
            if self.accept(b'*') {
                delimiter = Some(self.delimiter()?);
            }
            self.expect(b')')?;
        } else if kind != ElementKind::Float {
            return self.wrong("expected a length in parentheses");
        }
        let is_binary = !matches!(kind, ElementKind::Text | ElementKind::Number);
        if size == 0
            || size > most
            || kind == ElementKind::Float && size != FLOAT_BYTES
            || is_binary && delimiter.is_some()
        {
            return self.wrong("the type does not have this length");
        }
        Ok(Element { size, delimiter, swaps, ..of(kind) })
    }

    /// `=9`, the code of the delimiter; without it the separator.
    fn delimiter(&mut self) -> Outcome<u8> {
        if !self.accept(b'=') || self.peek() == Some(b')') {
            return Ok(self.separator);
        }
        match u8::try_from(self.number()?) {
            Ok(byte) => Ok(byte),
            Err(_) => self.wrong("a delimiter is a code from 0 to 255"),
        }
    }

    /// The letters behind a slash; without any a binary number has the order of the processor.
    fn swaps(&mut self, kind: ElementKind) -> Outcome<Vec<usize>> {
        let letters = self.letters(|byte| byte.is_ascii_alphabetic());
        let mut swaps = Vec::new();
        for letter in letters.chars() {
            swaps.push(match letter {
                'B' => 1,
                'W' => 2,
                'L' => 4,
                _ => return self.wrong("expected B, W or L behind the slash"),
            });
        }
        let is_binary = matches!(kind, ElementKind::Signed | ElementKind::Unsigned);
        if letters.is_empty() && is_binary && cfg!(target_endian = "little") {
            swaps.push(0);
        }
        Ok(swaps)
    }

    /// The types of the operating system behind `+`, in the order of the processor.
    fn native(&mut self) -> Outcome<Element> {
        let word = self.letters(|byte| byte.is_ascii_alphanumeric());
        let (kind, size) = match word.as_str() {
            "L" => (ElementKind::Signed, size_of::<std::ffi::c_long>()),
            "I" => (ElementKind::Signed, size_of::<std::ffi::c_int>()),
            "S" => (ElementKind::Signed, size_of::<std::ffi::c_short>()),
            "UL" => (ElementKind::Unsigned, size_of::<std::ffi::c_ulong>()),
            "UI" => (ElementKind::Unsigned, size_of::<std::ffi::c_uint>()),
            "US" => (ElementKind::Unsigned, size_of::<std::ffi::c_ushort>()),
            _ => return fail(99, format!("elements of the type +{word}")),
        };
        let swaps = if cfg!(target_endian = "little") { vec![0] } else { Vec::new() };
        Ok(Element { size, swaps, ..of(kind) })
    }
}

fn of(kind: ElementKind) -> Element {
    Element {
        name: String::new(),
        kind,
        size: 0,
        delimiter: None,
        bounds: Vec::new(),
        swaps: Vec::new(),
        comment: Vec::new(),
        place: (1, 0),
    }
}
