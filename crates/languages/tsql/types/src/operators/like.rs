//! LIKE and PATINDEX: patterns of `%`, `_`, `[a-f]` and `[^a-f]`, under a collation.
//!
//! A pattern is read once. A `%` is a backtracking point: when the rest does not match, it takes one character more.
//! Only the last `%` has to be remembered, so a match takes at most pattern times text steps.
//!
//! ```text
//!   '%a_c'  against  'xxabcabc'      % eats until a_c ends the text
//! ```

use super::converted;
use crate::argument::Argument;
use crate::context::Context;
use crate::convert::Conversion;
use crate::messages::Message;
use crate::types::{DataType, Length};
use mainstay_types::{Collation, Value, ValueRef};

/// A pattern that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Like {
    pieces: Vec<Piece>,
    collation: Collation,
    /// True if blanks at the end of a text that the pattern does not ask for are ignored, as for CHAR and VARCHAR.
    pads: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// `%`
    Any,
    /// `_`
    One,
    Character(char),
    /// `[..]`: ranges of characters.
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// A bracket that is not closed: matches nothing.
    Never,
}

/// LIKE between operands whose types are known. A constant pattern is read once.
#[derive(Clone, Debug)]
pub struct LikeMatch {
    value: Option<Conversion>,
    pattern: Option<Conversion>,
    national: bool,
    collation: Option<Collation>,
    /// The pattern, and the collation that it was read for.
    kept: Option<(Like, Collation)>,
}

impl LikeMatch {
    /// Finds the texts that both sides become; `escape` is NULL's argument or none where there is no ESCAPE. Errors: 8116,
    /// 506. The pattern is kept when it and the escape are constants, read for the collation given.
    pub fn bind(
        value: Argument<'_>,
        pattern: Argument<'_>,
        escape: Option<Argument<'_>>,
        default: Collation,
    ) -> Result<LikeMatch, Message> {
        let national = [value, pattern].iter().any(|side| side.data_type.is_some_and(DataType::is_national));
        let collation = value.collation.or(pattern.collation);
        let mut bound =
            LikeMatch { value: to_text(value, 1)?, pattern: to_text(pattern, 2)?, national, collation, kept: None };
        let constant = match escape.map(|escape| escape.constant) {
            None => Some(None),
            Some(Some(ValueRef::Text(escape))) => Some(Some(escape)),
            Some(_) => None,
        };
        if let (Some(ValueRef::Text(pattern)), Some(escape), None) = (pattern.constant, constant, bound.pattern) {
            let collation = collation.unwrap_or(default);
            bound.kept = Some((Like::new(pattern, escape, collation, national)?, collation));
        }
        Ok(bound)
    }

    /// Returns true if a text matches a pattern; `None` when one of them, or the escape, is NULL.
    pub fn evaluate(
        &self,
        context: &Context<'_>,
        value: ValueRef<'_>,
        pattern: ValueRef<'_>,
        escape: Option<ValueRef<'_>>,
    ) -> Result<Option<bool>, Message> {
        let (mut of_value, mut of_pattern) = (Value::Null, Value::Null);
        let value = converted(self.value.as_ref(), context, value, &mut of_value)?;
        let pattern = converted(self.pattern.as_ref(), context, pattern, &mut of_pattern)?;
        let collation = self.collation.unwrap_or(context.collation);
        let escape = match escape {
            None => None,
            Some(ValueRef::Text(escape)) => Some(escape),
            Some(_) => return Ok(None),
        };
        let (ValueRef::Text(value), ValueRef::Text(pattern)) = (value, pattern) else { return Ok(None) };
        match &self.kept {
            Some((like, read_for)) if *read_for == collation => Ok(Some(like.matches(value))),
            _ => Ok(Some(Like::new(pattern, escape, collation, self.national)?.matches(value))),
        }
    }
}

/// The conversion of an operand to text; `None` for a text or NULL.
fn to_text(operand: Argument<'_>, place: usize) -> Result<Option<Conversion>, Message> {
    match operand.data_type {
        None => Ok(None),
        Some(from) if from.is_text() => Ok(None),
        Some(from @ (DataType::Image | DataType::Xml | DataType::SqlVariant)) => {
            Err(Message::numbered(8116, &[&from.name(), &place, &"like"]))
        }
        Some(from) => Conversion::explicit(from, DataType::varchar(Length::Limited(8000)), None).map(Some),
    }
}

impl Like {
    /// Reads a pattern; `national` is whether one of the two is of an N type. An escape that is not one character is 506.
    pub fn new(pattern: &str, escape: Option<&str>, collation: Collation, national: bool) -> Result<Like, Message> {
        let escape = match escape {
            None => None,
            Some(text) => {
                let mut characters = text.chars();
                match (characters.next(), characters.next()) {
                    (Some(character), None) => Some(character),
                    _ => return Err(Message::numbered(506, &[&text, &"LIKE"])),
                }
            }
        };
        let mut like = Like { pieces: Vec::new(), collation, pads: !national };
        like.read(pattern, escape);
        Ok(like)
    }

    fn read(&mut self, pattern: &str, escape: Option<char>) {
        let mut rest = pattern.chars();
        while let Some(character) = rest.next() {
            if Some(character) == escape {
                match rest.next() {
                    Some(escaped) => self.literal(escaped),
                    None => self.pieces.push(Piece::Never),
                }
                continue;
            }
            match character {
                '%' => {
                    if self.pieces.last() != Some(&Piece::Any) {
                        self.pieces.push(Piece::Any);
                    }
                }
                '_' => self.pieces.push(Piece::One),
                '[' => match self.class(rest.as_str(), escape) {
                    Some((class, behind)) => {
                        self.pieces.push(class);
                        rest = behind.chars();
                    }
                    None => {
                        self.pieces.push(Piece::Never);
                        return;
                    }
                },
                other => self.literal(other),
            }
        }
    }

    fn literal(&mut self, character: char) {
        let collation = self.collation;
        self.pieces.extend(folded(character, collation).map(Piece::Character));
    }

    /// Reads what is behind an opening bracket: the class, and the text behind its closing one.
    fn class<'a>(&self, text: &'a str, escape: Option<char>) -> Option<(Piece, &'a str)> {
        let (negated, text) = match text.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut ranges = Vec::new();
        let mut rest = text.chars();
        let mut first = true;
        loop {
            let mut character = rest.next()?;
            if character == ']' && !first {
                return Some((Piece::Class { negated, ranges }, rest.as_str()));
            }
            first = false;
            if Some(character) == escape {
                character = rest.next()?;
            }
            let mut ahead = rest.clone();
            let low = self.fold_one(character);
            match (ahead.next(), ahead.next()) {
                (Some('-'), Some(last)) if last != ']' => {
                    ranges.push((low, self.fold_one(last)));
                    rest = ahead;
                }
                _ => ranges.push((low, low)),
            }
        }
    }

    fn fold_one(&self, character: char) -> char {
        folded(character, self.collation).next().unwrap_or(character)
    }

    /// Returns true if the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        if text.is_ascii() {
            let lower = self.collation.folds_case();
            let bytes = text.as_bytes();
            let at = |i: usize| bytes.get(i).map(|b| char::from(if lower { b.to_ascii_lowercase() } else { *b }));
            return self.run(at, bytes.len(), 0);
        }
        let characters: Vec<char> = self.collation.text_key(text, false).chars().collect();
        self.run(|i| characters.get(i).copied(), characters.len(), 0)
    }

    /// Where the first match starts (from 0), in characters; the pattern's `%` at its front, if there is one, is what
    /// lets it start later. For PATINDEX.
    pub fn find(&self, text: &str) -> Option<usize> {
        // Folding keeps the number of characters of what is not decomposed, so positions are those of the text.
        let characters: Vec<char> = text.chars().map(|c| self.fold_one(c)).collect();
        if self.pieces == [Piece::Any] {
            return Some(0);
        }
        let from = |start: usize, first: usize| {
            let rest = characters.get(start..).unwrap_or_default();
            self.run(|i| rest.get(i).copied(), rest.len(), first)
        };
        if self.pieces.first() != Some(&Piece::Any) {
            return from(0, 0).then_some(0);
        }
        let behind = self.pieces.get(1..).unwrap_or_default();
        let Some(width) = behind.iter().position(|piece| *piece == Piece::Any) else {
            return (0..=characters.len()).find(|start| from(*start, 1));
        };
        // The part behind the next `%` may stand anywhere behind: if it does not match behind the first place, it does not
        // behind a later one, of which less text is left.
        let wanted = behind.get(..width).unwrap_or_default();
        let stands = |start: &usize| {
            let here = characters.get(*start..*start + width);
            here.is_some_and(|here| wanted.iter().zip(here).all(|(piece, at)| piece.matches(*at, self.collation)))
        };
        let start = (0..=characters.len()).find(stands)?;
        from(start + width, width + 1).then_some(start)
    }

    /// Matches the pieces from one on against characters.
    fn run(&self, at: impl Fn(usize) -> Option<char>, length: usize, first: usize) -> bool {
        let (mut piece, mut position) = (first, 0);
        let mut back: Option<(usize, usize)> = None;
        loop {
            let matched = match (self.pieces.get(piece), at(position)) {
                (Some(Piece::Any), _) => {
                    piece += 1;
                    back = Some((piece, position));
                    continue;
                }
                (None, None) => return true,
                (None, Some(_)) if self.only_blanks(&at, position, length) => return true,
                (Some(wanted), Some(character)) => wanted.matches(character, self.collation),
                _ => false,
            };
            if matched {
                piece += 1;
                position += 1;
                continue;
            }
            match &mut back {
                Some((after, start)) if *start < length => {
                    *start += 1;
                    (piece, position) = (*after, *start);
                }
                _ => return false,
            }
        }
    }

    fn only_blanks(&self, at: impl Fn(usize) -> Option<char>, from: usize, length: usize) -> bool {
        self.pads && (from..length).all(|i| at(i) == Some(' '))
    }
}

impl Piece {
    fn matches(&self, character: char, collation: Collation) -> bool {
        match self {
            Piece::One => true,
            Piece::Character(wanted) => *wanted == character,
            Piece::Class { negated, ranges } => {
                ranges.iter().any(|(low, high)| is_between(*low, character, *high, collation)) != *negated
            }
            Piece::Any | Piece::Never => false,
        }
    }
}

/// Returns true if a character is in a range of a set, in the order of the collation.
fn is_between(low: char, character: char, high: char, collation: Collation) -> bool {
    let is_plain = collation.folds_case() && low.is_ascii() && character.is_ascii() && high.is_ascii();
    if is_plain || low == high || collation == Collation::Binary {
        return (low..=high).contains(&character);
    }
    let is_at_most = |a: char, b: char| {
        let (mut of_a, mut of_b) = ([0; 4], [0; 4]);
        collation.compare(a.encode_utf8(&mut of_a), b.encode_utf8(&mut of_b)).is_le()
    };
    is_at_most(low, character) && is_at_most(character, high)
}

/// The characters that a collation compares for a character: nothing for a bare accent, several for a ligature.
fn folded(character: char, collation: Collation) -> impl Iterator<Item = char> {
    let mut key = Vec::new();
    if collation.folds_case() && character.is_ascii() {
        key.push(character.to_ascii_lowercase());
    } else {
        key.extend(collation.text_key(character.encode_utf8(&mut [0; 4]), false).chars());
    }
    key.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(text: &str, pattern: &str, escape: Option<&str>) -> bool {
        Like::new(pattern, escape, Collation::CaseAccentInsensitive, true).unwrap().matches(text)
    }

    #[test]
    fn patterns() {
        for (text, pattern, expected) in [
            ("Smith", "smith", true),
            ("Smith", "S%", true),
            ("Smith", "%ith", true),
            ("Smith", "%x%", false),
            ("Smith", "S_ith", true),
            ("Smith", "S_th", false),
            ("abcabc", "%a_c", true),
            ("Carsen", "[CK]ars[eo]n", true),
            ("Karson", "[CK]ars[eo]n", true),
            ("Larson", "[CK]ars[eo]n", false),
            ("de", "d[^l]%", true),
            ("dl", "d[^l]%", false),
            ("M5", "[A-Z][0-9]", true),
            ("MM", "[A-Z][0-9]", false),
            ("5%", "5[%]", true),
            ("50", "5[%]", false),
            ("a-b", "a[-]b", true),
            ("]", "[]]", true),
            ("[", "[[]", true),
            ("abc", "[abc", false),
            ("", "", true),
            ("a", "", false),
            ("", "%", true),
            ("Malmö", "MALMO", true),
            ("Malmö", "M%Ö", true),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "%a%a%a%a%a%a%a%c", false),
        ] {
            assert_eq!(like(text, pattern, None), expected, "{text} LIKE {pattern}");
        }
        assert!(like("50%", "50!%", Some("!")) && !like("500", "50!%", Some("!")));
        assert_eq!(Like::new("a", Some("!!"), Collation::Binary, true).unwrap_err().number, 506);
    }

    #[test]
    fn blanks_at_the_end_count_for_the_n_types_only() {
        let like = |national| Like::new("abc", None, Collation::Binary, national).unwrap();
        assert!(like(false).matches("abc  ") && !like(true).matches("abc  "));
        assert!(!Like::new("abc ", None, Collation::Binary, false).unwrap().matches("abc"));
        assert!(!like(false).matches("ABC"));
    }

    #[test]
    fn operands_become_texts_and_constants_are_kept() {
        let context = Context::default();
        let ci = Collation::CaseAccentInsensitive;
        let varchar = DataType::varchar(Length::Limited(10));
        let pattern = Argument::constant(varchar, ValueRef::Text("1_%"));
        let kept = LikeMatch::bind(Argument::of(DataType::Int), pattern, None, ci).unwrap();
        assert!(kept.kept.is_some());
        let matched = |value| kept.evaluate(&context, value, ValueRef::Text("1_%"), None);
        assert_eq!(matched(ValueRef::Integer(12)), Ok(Some(true)));
        assert_eq!(matched(ValueRef::Integer(21)), Ok(Some(false)));
        assert_eq!(matched(ValueRef::Null), Ok(None));
        let read =
            LikeMatch::bind(Argument::of(varchar), Argument::of(varchar), Some(Argument::of(varchar)), ci).unwrap();
        let text = |pattern, escape| {
            let escape = Some(escape);
            read.evaluate(&context, ValueRef::Text("5%"), ValueRef::Text(pattern), escape).map_err(|m| m.number)
        };
        assert_eq!(text("5!%", ValueRef::Text("!")), Ok(Some(true)));
        assert_eq!(text("5!%", ValueRef::Null), Ok(None));
        assert_eq!(text("5", ValueRef::Text("!!")), Err(506));
        assert!(LikeMatch::bind(Argument::of(DataType::Xml), pattern, None, ci).is_err());
    }

    #[test]
    fn places() {
        let find = |pattern, text| Like::new(pattern, None, Collation::CaseAccentInsensitive, true).unwrap().find(text);
        assert_eq!(find("%ter%", "interesting"), Some(2));
        assert_eq!(find("%[^0-9]%", "123x5"), Some(3));
        assert_eq!(find("in%", "interesting"), Some(0));
        assert_eq!(find("ter%", "interesting"), None);
        assert_eq!(find("%ing", "interesting"), Some(8));
        assert_eq!(find("%", "abc"), Some(0));
        assert_eq!(find("%a%c%", "xabcab"), Some(1));
        assert_eq!(find("%b%a%d", "abcabcad"), Some(1));
        assert_eq!(find("%b%x", "abcb"), None);
        assert_eq!(find("%%", "abc"), Some(0));
        assert_eq!(find("%_%_%", "a"), None);
    }

    #[test]
    fn a_search_takes_no_longer_than_text_times_pattern() {
        // Each text has the letters of all classes and no `b`: with a start at every place it was the cube.
        let text = "a".repeat(50_000);
        let like = Like::new(&format!("{}%b%", "%[a-z]".repeat(100)), None, Collation::Binary, true).unwrap();
        assert_eq!(like.find(&text), None);
    }
}
