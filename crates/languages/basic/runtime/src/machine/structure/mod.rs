//! Structured strings: strings whose bytes are elements with names.
//!
//! **Problem.** `DIM CLIENT$::"Name:C(30),Owing:N(10)"` gives a string a structure. The string stays a string of bytes, which programs
//! read, write and cut as any other; `CLIENT::NAME$` is a part of it.
//!
//! **Idea.** A [`Structure`] is made once, by DIM. An element is found each time it is used:
//!
//! ```text
//!   Code:C(4), Qty[2]:I(2), Name:C(20*=9), Zip:C(5)
//!
//!   offset 0   4   6   8   10            behind the tab
//!          Code|Qty[0]|Qty[1]|Qty[2]|Name...TAB|Zip
//!          segment 1                           |segment 2
//! ```
//!
//! A segment ends with an element that a delimiter ends. Within a segment offsets are fixed, so that only delimiters are searched for.
//! A string that is shorter than its structure has empty elements. Assigning to one of them lengthens the string up to this element.
//!
//! **Limits.** Pointers and the types of other systems (`+P`, `+Z`, `+H`, `+W`, `+2`) are refused. Sources: the manual's page
//! `directives/dim_struct`. Rules where it is silent are those of the table in `docs/basic.md`, "Structured strings".

mod definition;
pub(crate) mod elements;

use crate::fault::{Fault, Outcome, fail};
use crate::number::Number;
use crate::number_text::{parse_number, write};
use std::ops::Range;

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// C: characters.
    Text,
    /// N: a number as text.
    Number,
    /// I: a binary number with a sign, its most significant byte first.
    Signed,
    /// U: a binary number without a sign.
    Unsigned,
    /// F: a floating point number of 8 bytes as the processor has it.
    Float,
}

/// An element of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name, upper case.
    pub name: String,
    /// Its type.
    pub kind: ElementKind,
    /// Its length in bytes; the greatest one before a delimiter.
    pub size: usize,
    /// The byte behind it.
    pub delimiter: Option<u8>,
    /// The bounds of an array.
    pub bounds: Vec<(i64, i64)>,
    /// Lengths of neighbouring groups of bytes that are swapped, one swap after the other; 0 reverses all bytes.
    swaps: Vec<usize>,
    /// Text between colons behind its type.
    pub comment: Vec<u8>,
    /// The segment that it is in, from 1, and its offset there.
    pub place: (usize, usize),
}

impl Element {
    /// How many times it is there.
    pub fn count(&self) -> usize {
        self.bounds.iter().map(|(low, high)| (high - low + 1) as usize).product()
    }

    /// The place in an array. Error 42 for subscripts that the element does not have.
    pub fn index(&self, subscripts: &[i64]) -> Outcome<usize> {
        let fits = subscripts.len() <= self.bounds.len() && (subscripts.is_empty() == self.bounds.is_empty());
        let mut index = 0;
        for (at, (low, high)) in self.bounds.iter().enumerate() {
            // Subscripts that are left out are the lowest ones.
            let subscript = subscripts.get(at).copied().unwrap_or(*low);
            if !fits || !(*low..=*high).contains(&subscript) {
                return fail(42, self.name.as_str());
            }
            index = index * (high - low + 1) as usize + (subscript - low) as usize;
        }
        if fits { Ok(index) } else { fail(42, self.name.as_str()) }
    }

    /// The byte that fills it.
    fn filler(&self) -> u8 {
        match self.kind {
            ElementKind::Text | ElementKind::Number => b' ',
            _ => 0,
        }
    }

    /// The place behind so many of it.
    fn skip(&self, text: &[u8], start: usize, count: usize) -> usize {
        match self.delimiter {
            Some(delimiter) => (0..count).fold(start, |start, _| end(text, start, delimiter) + 1),
            None => start + count * self.size,
        }
    }

    /// Swaps neighbouring groups of bytes; the swaps of a read go back through those of a write.
    fn swap(&self, bytes: &mut [u8], is_read: bool) {
        for turn in 0..self.swaps.len() {
            let at = if is_read { self.swaps.len() - 1 - turn } else { turn };
            match self.swaps[at] {
                0 => bytes.reverse(),
                group => bytes.chunks_exact_mut(2 * group).for_each(|pair| pair.rotate_left(group)),
            }
        }
    }

    /// The bytes of a string.
    fn of_text(&self, text: &[u8]) -> Vec<u8> {
        let mut bytes = text[..text.len().min(self.size)].to_vec();
        if self.delimiter.is_none() {
            bytes.resize(self.size, self.filler());
        }
        self.swap(&mut bytes, false);
        bytes
    }

    /// The bytes of a number. Error 26 for an element of characters, 40 for a number that does not fit.
    fn of_number(&self, number: Number) -> Outcome<Vec<u8>> {
        let too_large = || Fault::with(40, format!("the number does not fit in {}", self.name));
        let mut bytes = Vec::new();
        match self.kind {
            ElementKind::Text => return fail(26, self.name.as_str()),
            ElementKind::Number => {
                write(&mut bytes, number, false);
                if bytes.len() > self.size {
                    return Err(too_large());
                }
                if self.delimiter.is_none() {
                    bytes.splice(..0, std::iter::repeat_n(b' ', self.size - bytes.len()));
                }
            }
            ElementKind::Signed | ElementKind::Unsigned => {
                let value = number.truncated().as_whole().ok_or_else(too_large)?;
                let (bits, wide) = (8 * self.size as u32, i128::from(value));
                let fits = match self.kind {
                    ElementKind::Signed => (-(1 << (bits - 1))..1 << (bits - 1)).contains(&wide),
                    _ => (0..1 << bits).contains(&wide),
                };
                if !fits {
                    return Err(too_large());
                }
                bytes.extend_from_slice(&value.to_be_bytes()[8 - self.size..]);
            }
            ElementKind::Float => bytes.extend_from_slice(&number.to_float().to_le_bytes()),
        }
        self.swap(&mut bytes, false);
        Ok(bytes)
    }

    /// The number of bytes. Error 26 for an element of characters, and for text that is not a number.
    fn number(&self, bytes: &[u8]) -> Outcome<Number> {
        if self.kind == ElementKind::Text {
            return fail(26, self.name.as_str());
        }
        let mut bytes = bytes.to_vec();
        // Only a string that is too short has less.
        if self.delimiter.is_none() {
            bytes.resize(self.size, self.filler());
        }
        self.swap(&mut bytes, true);
        let mut wide = [0; 8];
        match self.kind {
            ElementKind::Float => {
                wide.copy_from_slice(bytes.get(..8).unwrap_or(&[0; 8]));
                Number::from_float(f64::from_le_bytes(wide))
            }
            ElementKind::Signed | ElementKind::Unsigned => {
                let is_negative =
                    self.kind == ElementKind::Signed && bytes.first().is_some_and(|byte| byte & 0x80 != 0);
                wide.fill(if is_negative { 0xFF } else { 0 });
                wide[8 - self.size..].copy_from_slice(&bytes);
                match self.kind {
                    ElementKind::Signed => Ok(Number::whole(i64::from_be_bytes(wide))),
                    _ => Number::new(u64::from_be_bytes(wide).into(), 0),
                }
            }
            _ => match bytes.trim_ascii() {
                [] => Ok(Number::ZERO),
                text => parse_number(text).ok_or_else(|| Fault::with(26, format!("{} is not a number", self.name))),
            },
        }
    }
}

/// The structure of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    elements: Vec<Element>,
    definition: Vec<u8>,
}

impl Structure {
    /// Its elements in their order.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// The text that it was made of.
    pub fn definition(&self) -> &[u8] {
        &self.definition
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        let elements = self.elements.iter().map(|element| {
            let texts = element.name.len() + element.comment.len();
            let lists = element.bounds.capacity() * 16 + element.swaps.capacity() * size_of::<usize>();
            size_of::<Element>() + texts + lists
        });
        elements.sum::<usize>() + self.definition.len() + 64
    }

    /// The length of [`Structure::empty`].
    pub fn empty_bytes(&self) -> usize {
        let of = |element: &Element| element.count() * element.delimiter.map_or(element.size, |_| 1);
        self.elements.iter().map(of).sum()
    }

    /// A string of blanks, zeros and delimiters.
    pub fn empty(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for element in &self.elements {
            for _ in 0..element.count() {
                match element.delimiter {
                    Some(delimiter) => text.push(delimiter),
                    None => text.resize(text.len() + element.size, element.filler()),
                }
            }
        }
        text
    }

    /// The number of the element with a name. Errors: 26 for a name that the structure does not have.
    pub fn find(&self, name: &str) -> Outcome<usize> {
        let found = self.elements.iter().position(|element| element.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| Fault::with(26, format!("the structure has no element {name}")))
    }

    /// Where an element is in a string, as far as the string has it.
    fn range(&self, text: &[u8], at: usize, index: usize) -> Range<usize> {
        let element = &self.elements[at];
        let (segment, offset) = element.place;
        let start = match segment {
            1 => offset,
            _ => self.elements[..at].iter().fold(0, |start, before| before.skip(text, start, before.count())),
        };
        let start = element.skip(text, start, index);
        let stop = match element.delimiter {
            Some(delimiter) => end(text, start, delimiter),
            None => start + element.size,
        };
        start.min(text.len())..stop.min(text.len())
    }

    /// The bytes of an element.
    pub fn text(&self, text: &[u8], at: usize, index: usize) -> Vec<u8> {
        let mut bytes = text[self.range(text, at, index)].to_vec();
        self.elements[at].swap(&mut bytes, true);
        bytes
    }

    /// The number in an element. Errors: 26.
    pub fn number(&self, text: &[u8], at: usize, index: usize) -> Outcome<Number> {
        self.elements[at].number(&text[self.range(text, at, index)])
    }

    /// Puts a string into an element: cut to its length, and filled if that is fixed.
    pub fn set_text(&self, text: &mut Vec<u8>, at: usize, index: usize, value: &[u8]) {
        let bytes = self.elements[at].of_text(value);
        self.replace(text, at, index, bytes);
    }

    /// Puts a number into an element. Errors: 26, 40.
    pub fn set_number(&self, text: &mut Vec<u8>, at: usize, index: usize, value: Number) -> Outcome<()> {
        let bytes = self.elements[at].of_number(value)?;
        self.replace(text, at, index, bytes);
        Ok(())
    }

    fn replace(&self, text: &mut Vec<u8>, at: usize, index: usize, bytes: Vec<u8>) {
        self.complete(text, at, index);
        let range = self.range(text, at, index);
        text.splice(range, bytes);
    }

    /// Lengthens a string that is too short for an element, up to the end of the element.
    fn complete(&self, text: &mut Vec<u8>, at: usize, index: usize) {
        let mut start = 0;
        for (number, element) in self.elements[..=at].iter().enumerate() {
            let count = if number == at { index + 1 } else { element.count() };
            match element.delimiter {
                None => {
                    start += count * element.size;
                    text.resize(text.len().max(start), element.filler());
                }
                Some(delimiter) => {
                    for _ in 0..count {
                        let stop = end(text, start, delimiter);
                        if stop == text.len() {
                            text.push(delimiter);
                        }
                        start = stop + 1;
                    }
                }
            }
        }
    }
}

/// The place of the delimiter from a place on, or the end of the text.
fn end(text: &[u8], from: usize, delimiter: u8) -> usize {
    let from = from.min(text.len());
    memchr::memchr(delimiter, &text[from..]).map_or(text.len(), |at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(text: &str) -> Structure {
        Structure::parse(text.as_bytes(), 0x8A).unwrap()
    }

    fn place(of: &Structure, name: &str) -> usize {
        of.find(name).unwrap()
    }

    #[test]
    fn elements_of_fixed_length_are_parts_of_the_string() {
        // The manual's example: 30 + 30 + 15 + 10 bytes.
        let client = structure("Name:C(30), Addr:C(30), City:C(15), Owing:N(10)");
        let mut text = client.empty();
        assert_eq!(text, [b' '; 85]);
        client.set_text(&mut text, place(&client, "CITY"), 0, b"Markham");
        client.set_number(&mut text, place(&client, "Owing"), 0, Number::new(1250, 2).unwrap()).unwrap();
        assert_eq!(&text[60..], b"Markham              12.5");
        assert_eq!(client.number(&text, 3, 0).unwrap(), Number::new(125, 1).unwrap());
        assert_eq!(client.text(&text, 2, 0), b"Markham        ");
        client.set_text(&mut text, 2, 0, b"0123456789abcdefgh");
        assert_eq!(client.text(&text, 2, 0), b"0123456789abcde");
        assert_eq!(client.set_number(&mut text, 3, 0, Number::whole(12_345_678_901)).unwrap_err().code, 40);
        assert_eq!(client.number(&text, 0, 0).unwrap_err().code, 26);
        assert_eq!(client.find("ZIP").unwrap_err().code, 26);
    }

    #[test]
    fn delimited_elements_move_those_behind_them() {
        let of = structure("A:C(3*=9),B:C(2),C[1:2]:N(6*),D:C(1)");
        let mut text = of.empty();
        assert_eq!(text, b"\t  \x8A\x8A ");
        of.set_text(&mut text, 0, 0, b"abcdef");
        of.set_text(&mut text, 1, 0, b"xy");
        of.set_number(&mut text, 2, of.elements()[2].index(&[2]).unwrap(), Number::whole(-7)).unwrap();
        of.set_text(&mut text, 3, 0, b"!");
        assert_eq!(text, b"abc\txy\x8A-7\x8A!");
        assert_eq!(
            (of.number(&text, 2, 0).unwrap(), of.number(&text, 2, 1).unwrap()),
            (Number::ZERO, Number::whole(-7))
        );
        assert_eq!(of.text(&text, 3, 0), b"!");
        assert_eq!(of.elements()[3].place, (4, 0));
        // A string that is too short has empty elements, and is lengthened up to the one that is assigned.
        let mut text = b"q".to_vec();
        assert_eq!((of.text(&text, 0, 0).as_slice(), of.text(&text, 3, 0).as_slice()), (&b"q"[..], &b""[..]));
        of.set_text(&mut text, 3, 0, b"!");
        assert_eq!(text, b"q\t  \x8A\x8A!");
        // Elements behind the one that is assigned stay empty.
        let mut text = b"q".to_vec();
        of.set_text(&mut text, 1, 0, b"x");
        assert_eq!(text, b"q\tx ");
    }

    #[test]
    fn binary_numbers_have_their_sign_and_order() {
        let of = structure("I:I(2),U:U(3),S:I/BW(4),O:U/(2),F:F(8),L:+UI");
        let mut text = of.empty();
        for (at, value) in [(0, -2), (1, 0x1_02_03), (2, 0x01_02_03_04), (3, 0x01_02), (5, 7)] {
            of.set_number(&mut text, at, 0, Number::whole(value)).unwrap();
            assert_eq!(of.number(&text, at, 0).unwrap(), Number::whole(value), "{at}");
        }
        of.set_number(&mut text, 4, 0, Number::new(25, 1).unwrap()).unwrap();
        assert_eq!(of.number(&text, 4, 0).unwrap(), Number::new(25, 1).unwrap());
        // Pairs of bytes are swapped, then pairs of two bytes.
        assert_eq!(&text[..9], b"\xFF\xFE\x01\x02\x03\x04\x03\x02\x01");
        for (at, value) in [(0, 32_768), (0, -32_769), (1, -1), (1, 1 << 24)] {
            assert_eq!(of.set_number(&mut text, at, 0, Number::whole(value)).unwrap_err().code, 40, "{value}");
        }
        assert_eq!(structure("I:I(6)").set_number(&mut Vec::new(), 0, 0, Number::whole(-(1 << 47))), Ok(()));
    }

    #[test]
    fn arrays_have_one_to_three_dimensions() {
        let of = structure("A[4]:C(1),B[1:2,3:4]:C(1)");
        assert_eq!((of.elements()[0].count(), of.elements()[1].count(), of.empty().len()), (5, 4, 9));
        let index = |at: usize, subscripts: &[i64]| of.elements()[at].index(subscripts).map_err(|fault| fault.code);
        assert_eq!((index(0, &[0]), index(0, &[4]), index(0, &[5]), index(0, &[])), (Ok(0), Ok(4), Err(42), Err(42)));
        assert_eq!(
            (index(1, &[2, 4]), index(1, &[2]), index(1, &[1, 2]), index(1, &[1, 3, 0])),
            (Ok(3), Ok(2), Err(42), Err(42))
        );
        assert_eq!(structure("A:C(1)").elements()[0].index(&[0]).unwrap_err().code, 42);
    }

    #[test]
    fn comments_and_standard_structures_are_known_and_others_refused() {
        let of = structure("ZIP:N(10*):type=cur:, B:C(1):last");
        assert_eq!(
            (of.elements()[0].comment.as_slice(), of.elements()[1].comment.as_slice()),
            (&b"type=cur"[..], &b"last"[..])
        );
        // The mouse has 32 bytes (manual, `variables/mse`).
        assert_eq!(structure("+mse").empty().len(), 32);
        assert_eq!(structure("+CHN").elements()[0].count(), 501);
        for (text, code) in [
            ("", 81),
            ("A", 81),
            ("A:C", 81),
            ("A:C(0)", 81),
            ("A:X(1)", 81),
            ("A:I(7)", 81),
            ("A:I(2*)", 81),
            ("A:F(4)", 81),
            ("A:C(1)B:C(1)", 81),
            ("A:C(1),a:C(2)", 81),
            ("A:C(1*=256)", 81),
            ("A:C(99999999)", 81),
            ("A[5:1]:C(1)", 42),
            ("A[9223372036854775809:5]:C(1)", 81),
            ("A[99999,99999,99999]:C(1000000)", 81),
            ("A:+P", 99),
        ] {
            assert_eq!(Structure::parse(text.as_bytes(), 0x8A).unwrap_err().code, code, "{text}");
        }
    }
}
