//! Conditions on texts as ranges of the part of a key that is made of the same field.
//!
//! ```text
//!   upper(name) LIKE 'AB%'   UPPER(NAME)      AB..          to  AB FF..
//!   name = 'AB'              LEFT(NAME,4)     AB NUL NUL    to  AB blank blank FF..
//!   left(name, 1) >= 'M'     NAME             M..           to  the end
//! ```
//! Three things need care. *Blanks*: the text of a CHAR column ends before its trailing blanks (and NULs), its key does not,
//! and only some dialects compare blanks at the end: the bounds are cut, and filled with NULs below and with FF above.
//! *Order*: SQL compares texts as Unicode, keys compare as bytes of a code page. The two agree wherever one side is
//! ASCII, so bounds of other texts are used for equality only. *Capitals*: programs differ in the letters beyond ASCII
//! that they change, so a text in capitals is sought up to its first such letter. And SQL converts `ß` to `SS`, which
//! no key does: records with such a letter are sought by the letter. In keys with unchanged letters, a text in capitals
//! is sought in every spelling of its first letters.

use super::bounds::{Interval, Leaf, Part};
use crate::expr::Kind;
use mainstay_columnar::{Comparison, Term, Test};
use mainstay_types::{Date, Value};

/// The source of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Column(usize),
    /// The eight digits of a day.
    Day(usize),
}

/// The case mapping of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Kept,
    Upper,
    Lower,
}

/// A text as a run of the characters (in a key: the bytes) of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    base: Base,
    start: usize,
    length: Option<usize>,
    case: Case,
    /// Without blanks at the beginning.
    trimmed: bool,
    /// True if it is the column and nothing else.
    plain: bool,
}

impl Shape {
    /// The shape of a term. Of a key a run may be taken after its letters were changed: no byte becomes two there.
    fn of(term: &Term, of_key: bool) -> Option<Shape> {
        let inner = |term: &Term| Shape::of(term, of_key).map(|shape| Shape { plain: false, ..shape });
        let base = |base| Shape { base, start: 0, length: None, case: Case::Kept, trimmed: false, plain: true };
        Some(match term {
            Term::Column(column) => base(Base::Column(*column)),
            Term::DayDigits(day) => match day.as_ref() {
                Term::Column(column) => base(Base::Day(*column)),
                _ => return None,
            },
            Term::Upper(text) | Term::Lower(text) => {
                let case = if matches!(term, Term::Upper(_)) { Case::Upper } else { Case::Lower };
                let shape = inner(text).filter(|shape| shape.case == Case::Kept || shape.case == case)?;
                Shape { case, ..shape }
            }
            Term::Part { text, start, length } => {
                let shape = inner(text)?;
                let is_moved = *start > 0 && (shape.trimmed || shape.case != Case::Kept && !of_key);
                if is_moved || shape.trimmed && of_key {
                    return None;
                }
                let left = shape.length.map(|length| length.saturating_sub(*start));
                let length = [left, *length].into_iter().flatten().min();
                Shape { start: shape.start + start, length, ..shape }
            }
            Term::Padded { text, length } => {
                let shape = inner(text)?;
                if shape.trimmed && of_key {
                    return None;
                }
                Shape { length: Some(shape.length.map_or(*length, |known| known.min(*length))), ..shape }
            }
            Term::Trimmed { text, start: false } => inner(text)?,
            Term::Trimmed { text, start: true } => {
                let shape = inner(text).filter(|shape| shape.start == 0 && shape.length.is_none())?;
                Shape { trimmed: true, ..shape }
            }
            _ => return None,
        })
    }

    fn is_changed(self) -> bool {
        self.case != Case::Kept
    }
}

/// The kind of match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Equal,
    /// Texts with this beginning.
    Beginning,
    AtLeast,
    AtMost,
}

/// The ranges of the part of a key in which the records are that satisfy a condition.
pub(crate) fn intervals(of: &Part<'_>, term: &Term, (asked, test): Leaf<'_>) -> Option<Vec<Interval>> {
    let key = Shape::of(term, true)?;
    if let (Base::Day(column), Some(days)) = (key.base, super::number_keys::days(asked, test)) {
        return (days.column == column)
            .then(|| day_interval(key, days.first, days.last))?
            .map(|interval| vec![interval]);
    }
    // With a sign that becomes an accent of the letter before it, bytes sort otherwise.
    let (asked, sorts_as_bytes) = match asked {
        Term::Folded(text) => (text.as_ref(), !of.files.dbf.code_page().has_accents_alone()),
        other => (other, true),
    };
    let shape = Shape::of(asked, false).filter(|_| sorts_as_bytes)?;
    let shape = Some(shape).filter(|shape| shape.base == key.base && shape.start == key.start)?;
    let is_single_byte = of.files.dbf.code_page().is_single_byte();
    if key.start > 0 && !is_single_byte {
        return None;
    }
    let (wanted, text) = match test {
        Test::Compare(op, Value::Text(text)) => {
            let wanted = match op {
                Comparison::Equal => Wanted::Equal,
                Comparison::Greater | Comparison::GreaterOrEqual => Wanted::AtLeast,
                Comparison::Less | Comparison::LessOrEqual => Wanted::AtMost,
                Comparison::NotEqual => return None,
            };
            (wanted, text.trim_end_matches(' '))
        }
        Test::Like(pattern) => {
            let head = &pattern[..pattern.find(['%', '_', '\\'])?];
            (Wanted::Beginning, if shape.plain { head } else { head.trim_end_matches(' ') })
        }
        _ => return None,
    };
    Search { of, key, shape, wanted, is_single_byte }.intervals(text)
}

struct Search<'a> {
    of: &'a Part<'a>,
    key: Shape,
    shape: Shape,
    wanted: Wanted,
    is_single_byte: bool,
}

impl Search<'_> {
    fn intervals(&self, text: &str) -> Option<Vec<Interval>> {
        if !self.is_answered(text) {
            return None;
        }
        let head = self.head(text);
        if head.is_empty() && (self.wanted != Wanted::Equal || !text.is_empty()) {
            return None;
        }
        let was_cut = head.len() < text.len();
        if !self.has_all_spellings() {
            let bytes = self.in_case_of_key(self.of.files.encode(head)?);
            let mut all = vec![self.interval(bytes, was_cut)];
            if self.shape.is_changed() {
                all.extend(self.by_other_letters(head, was_cut)?);
            }
            return Some(all);
        }
        // All is ASCII, so a byte is a letter.
        let spelled = head_to_spell(head);
        let was_cut = was_cut || spelled.len() < head.len();
        let mut all: Vec<Interval> = Vec::new();
        for bytes in spellings(spelled) {
            let text = format!(" (as {})", Value::Text(String::from_utf8_lossy(&bytes).into_owned()));
            all.push(Interval { text, ..self.interval(bytes, was_cut) });
        }
        all.extend(self.by_other_letters(spelled, was_cut)?);
        Some(all)
    }

    /// Returns true if the key has the original letters, and the condition has changed ones.
    fn has_all_spellings(&self) -> bool {
        self.shape.is_changed() && self.key.case == Case::Kept
    }

    /// A text as keys have it that were made with other letters than what is asked about.
    fn in_case_of_key(&self, mut text: Vec<u8>) -> Vec<u8> {
        match self.key.case {
            case if case == self.shape.case => {}
            Case::Kept => {}
            Case::Upper => text.make_ascii_uppercase(),
            Case::Lower => text.make_ascii_lowercase(),
        }
        text
    }

    /// Returns true if the part of the key decides the condition.
    fn is_answered(&self, text: &str) -> bool {
        let is_range = matches!(self.wanted, Wanted::AtLeast | Wanted::AtMost);
        let by_case = match (self.shape.case, self.key.case) {
            (asked, key) if asked == key => true,
            _ => !is_range,
        };
        // Programs differ in which signs they cut off at the beginning, and all that they do are less than any letter.
        let is_trimmed = self.key.trimmed || self.shape.trimmed;
        let by_beginning = !is_trimmed
            || self.key.trimmed && self.wanted != Wanted::AtMost && text.starts_with(|first: char| first > ' ');
        // Where a part has no fixed length, the next one follows where the text ends.
        let by_length = self.of.is_last || self.of.part.length.is_some() || self.wanted != Wanted::AtMost;
        by_case && by_beginning && by_length && self.of.part.kind == Kind::Character
    }

    /// The beginning of the text, as far as it is sure where keys have it.
    fn head<'t>(&self, text: &'t str) -> &'t str {
        let is_printable = |letter: char| (' '..='~').contains(&letter);
        let is_sure = |letter: char| match self.wanted {
            _ if self.key.is_changed() || self.shape.is_changed() => is_printable(letter),
            Wanted::AtLeast | Wanted::AtMost => is_printable(letter),
            // In pages of several bytes some characters have two spellings.
            Wanted::Equal | Wanted::Beginning => self.is_single_byte || letter.is_ascii(),
        };
        // A short text that is less than a longer one is the beginning of greater ones.
        let most = self.shape.length.filter(|_| self.wanted == Wanted::AtMost).unwrap_or(usize::MAX);
        let mut letters = text.char_indices().enumerate();
        let end = letters.find(|(count, (_, letter))| *count >= most || !is_sure(*letter));
        end.map_or(text, |(_, (end, _))| &text[..end])
    }

    /// The number of bytes of the field that are in the key.
    fn covered(&self) -> usize {
        let all = match self.key.base {
            Base::Column(column) => self.of.files.dbf.fields().get(column).map_or(0, |field| field.length),
            Base::Day(_) => 8,
        };
        self.key.length.unwrap_or(usize::MAX).min(all.saturating_sub(self.key.start))
    }

    fn interval(&self, mut bytes: Vec<u8>, was_cut: bool) -> Interval {
        let covered = self.covered();
        let was_cut = was_cut || bytes.len() > covered;
        bytes.truncate(covered);
        let (lower, upper) = (Some(bytes.clone()), Some(bytes.clone()));
        match self.wanted {
            Wanted::AtLeast => Interval { lower, ..Interval::default() },
            Wanted::AtMost => Interval { upper, ..Interval::default() },
            Wanted::Beginning => Interval { lower, upper, ..Interval::default() },
            Wanted::Equal => {
                // The value asked for is the whole text in the key.
                let is_whole =
                    self.shape.length.is_none() || self.is_single_byte && self.shape.length == self.key.length;
                let length = self.of.part.length;
                if was_cut || !is_whole || !(self.of.is_last || length.is_some()) {
                    return Interval { lower, upper, ..Interval::default() };
                }
                bytes.resize(length.unwrap_or(covered).max(bytes.len()), b' ');
                let exact = length.map(|_| bytes.clone());
                Interval { lower, upper: Some(bytes), exact, text: String::new() }
            }
        }
    }

    /// The ranges of what begins as the text does up to a letter beyond ASCII that SQL makes letters of ASCII of, so that it
    /// may satisfy the condition. `None` where there are too many of those to look for them.
    fn by_other_letters(&self, text: &str, was_cut: bool) -> Option<Vec<Interval>> {
        let page = self.of.files.dbf.code_page();
        let forms = page.ascii_forms(self.shape.case == Case::Upper)?;
        let case = page.case_table();
        let changed = match self.key.case {
            Case::Lower => &case.lower,
            _ => &case.upper,
        };
        let mut all = Vec::new();
        for (letter, form) in forms {
            for place in 0..=text.len() {
                let rest = &text[place..];
                let may_satisfy = match self.wanted {
                    Wanted::Equal if !was_cut => rest.starts_with(form.as_str()),
                    Wanted::Equal | Wanted::Beginning => {
                        !rest.is_empty() && (rest.starts_with(form.as_str()) || form.starts_with(rest))
                    }
                    Wanted::AtMost => form.as_bytes().first() <= rest.as_bytes().first(),
                    // Its byte is greater than any of ASCII.
                    Wanted::AtLeast => false,
                };
                if !may_satisfy {
                    continue;
                }
                let before = match self.has_all_spellings() {
                    true => spellings(&text[..place]),
                    false => vec![self.in_case_of_key(text.as_bytes()[..place].to_vec())],
                };
                for (mut bytes, byte) in before
                    .into_iter()
                    .flat_map(|before| [*letter, changed[usize::from(*letter)]].map(|byte| (before.clone(), byte)))
                {
                    bytes.push(byte);
                    bytes.truncate(self.covered());
                    let text = format!(" (with {})", page.decode(&[*letter]).text);
                    let interval = Interval { lower: Some(bytes.clone()), upper: Some(bytes), exact: None, text };
                    if !all.contains(&interval) {
                        all.push(interval);
                    }
                }
            }
        }
        Some(all)
    }
}

/// So many letters of a text are looked for in each way to write them.
const SPELLED_LETTERS: usize = 5;

/// The beginning of a text that is looked for in each way to write it.
fn head_to_spell(text: &str) -> &str {
    let mut letters = text.char_indices().filter(|(_, letter)| letter.is_ascii_alphabetic());
    letters.nth(SPELLED_LETTERS).map_or(text, |(end, _)| &text[..end])
}

/// A text of ASCII with each of its letters as a capital and as a small one.
fn spellings(text: &str) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::with_capacity(text.len())];
    for byte in text.bytes() {
        let other = if byte.is_ascii_uppercase() { byte.to_ascii_lowercase() } else { byte.to_ascii_uppercase() };
        let others: Vec<Vec<u8>> = match other == byte {
            true => Vec::new(),
            false => all.iter().map(|spelling| [spelling.as_slice(), &[other]].concat()).collect(),
        };
        all.iter_mut().for_each(|spelling| spelling.push(byte));
        all.extend(others);
    }
    all
}

/// The days from one to another, in a key of eight digits or some of them.
fn day_interval(key: Shape, first: Option<Date>, last: Option<Date>) -> Option<Interval> {
    if key.start > 0 || key.is_changed() || key.trimmed {
        return None;
    }
    let digits = |day: Option<Date>| {
        let Some(day) = day else { return Some(None) };
        let (year, month, day) = day.ymd();
        let text = format!("{year:04}{month:02}{day:02}");
        let length = key.length.unwrap_or(8).min(8);
        (0..=9999).contains(&year).then(|| Some(text.as_bytes()[..length].to_vec()))
    };
    let (lower, upper) = (digits(first)?, digits(last)?);
    let is_exact = lower == upper && lower.is_some() && key.length.is_none_or(|length| length >= 8);
    let exact = if is_exact { lower.clone() } else { None };
    Some(Interval { lower, upper, exact, text: String::new() })
}
