//! Collations: the order of text in Harbour's national code pages, and their letters.
//!
//! Harbour and Clipper programs that select a national code page keep their indexes in its order: `Ą` behind `A`, `CH`
//! behind `H`, accents aside. The index file does not name the order. The tables (`harbour.rs`, made by
//! `make_harbour.py` from Harbour's public sources) hold for each code page
//!
//! ```text
//!   upper, lower   the capital and the small letter of a byte
//!   weights        the place of each byte in the order; no weights: the order of bytes
//!   accents        second weights, which decide between texts whose first weights are equal
//!   pairs          two bytes that are one letter (CH of Czech), with a weight of their own
//! ```
//!
//! Texts are compared as `hb_cdpcmp` of Harbour's `src/rtl/cdpapi.c` does for DBFCDX and DBFNTX. Two different texts may
//! be equal in a collation (French: accents do not count); among equal keys an index has the order of the records. So a key
//! cannot be replaced by its weights, and indexes compare by a [`KeyOrder`] instead of translating keys.
//!
//! **The collation of an index** is derived from its keys (`keys/order.rs`). Often several fit: a list of German names
//! is in the order of every page that sorts umlauts like German. [`National`] therefore keeps all that fit. Searching
//! needs any one of them, because existing keys are in the order of all. A key is added only if all of them put it into
//! the same place ([`National::dispute`]).

mod harbour;

use crate::expr::CaseTable;
use std::cmp::Ordering;
use std::fmt;

/// The order and the letters of one or more of Harbour's code pages.
pub struct Collation {
    /// The names in Harbour, each with the number of its code page (see [`CodePage::number`]); 0 where that is not known here.
    ///
    /// [`CodePage::number`]: crate::codepage::CodePage::number
    pub pages: &'static [(&'static str, u16)],
    /// Pairs of a byte and its capital, where that is not as in ASCII.
    upper: &'static [u8],
    /// Pairs of a byte and its small letter, where that is not as in ASCII.
    lower: &'static [u8],
    weights: Option<&'static [u8; 256]>,
    accents: Option<&'static [u8; 256]>,
    pairs: &'static [Pair],
}

/// Two bytes that are one letter: `CH` of Czech and Slovak.
struct Pair {
    capital: [u8; 2],
    small: [u8; 2],
    /// The weights of the capital and of the small letter.
    weights: [u8; 2],
}

impl fmt::Debug for Collation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Collation({})", self.name())
    }
}

impl PartialEq for Collation {
    fn eq(&self, other: &Collation) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Collation {}

/// The collations of all code pages; those that agree in everything are one.
pub fn collations() -> &'static [Collation] {
    harbour::COLLATIONS
}

impl Collation {
    /// The collation of a code page of Harbour by its name: `PL852`.
    pub fn by_name(name: &str) -> Option<&'static Collation> {
        let has_name = |(own, _): &(&str, u16)| own.eq_ignore_ascii_case(name);
        collations().iter().find(|collation| collation.pages.iter().any(has_name))
    }

    /// The name of the first code page that has it.
    pub fn name(&self) -> &'static str {
        self.pages.first().map_or("", |(name, _)| name)
    }

    /// True if it sorts by bytes; then only its letters are of interest.
    pub fn is_byte_order(&self) -> bool {
        self.weights.is_none()
    }

    /// True if a code page with this number has it.
    pub fn is_of_page(&self, number: u16) -> bool {
        self.pages.iter().any(|(_, page)| *page == number)
    }

    /// Capitals and small letters, as UPPER() and LOWER() of a program with this code page know them.
    pub fn case_table(&self) -> CaseTable {
        let mut table = CaseTable::ascii();
        for pair in self.upper.chunks_exact(2) {
            table.upper[usize::from(pair[0])] = pair[1];
        }
        for pair in self.lower.chunks_exact(2) {
            table.lower[usize::from(pair[0])] = pair[1];
        }
        table
    }

    /// The order of a key and another one, or the beginning of one: a key that begins with `sought` is equal to it.
    /// Between texts of one length accents decide at last.
    pub fn compare(&self, key: &[u8], sought: &[u8]) -> Ordering {
        let Some(weights) = self.weights else { return key[..key.len().min(sought.len())].cmp(sought) };
        let mut accents = Ordering::Equal;
        let (mut left, mut right) = (Letters::of(self, weights, key), Letters::of(self, weights, sought));
        // Counted in letters, as far as pairs were met.
        let mut done = 0;
        while done < left.length.min(right.length) {
            let (Some(one), Some(other)) = (left.next(), right.next()) else { break };
            done += 1;
            match one.weight.cmp(&other.weight) {
                Ordering::Equal => {}
                order => return order,
            }
            if let (Some(table), Ordering::Equal, true) = (self.accents, accents, left.length == right.length) {
                accents = table[usize::from(one.first)].cmp(&table[usize::from(other.first)]);
            }
        }
        accents.then(if right.length > left.length { Ordering::Less } else { Ordering::Equal })
    }

    /// The bytes of a sort key: they are in the order of the collation, and equal where the texts are. Texts of one length
    /// have sort keys of one length, [`Collation::sort_key_length`].
    pub(crate) fn write_sort_key(&self, text: &[u8], key: &mut Vec<u8>) {
        let start = key.len();
        let Some(weights) = self.weights else { return key.extend_from_slice(text) };
        for letter in Letters::of(self, weights, text) {
            // Behind a text that is shorter because of a pair comes 0, which is no letter's.
            key.extend_from_slice(&(letter.weight + 1).to_be_bytes());
        }
        key.resize(start + 2 * text.len(), 0);
        if let Some(accents) = self.accents {
            key.extend(text.iter().map(|byte| accents[usize::from(*byte)]));
        }
    }

    /// The bytes of the sort key of a text of this length.
    pub(crate) fn sort_key_length(&self, length: usize) -> usize {
        match (self.weights, self.accents) {
            (None, _) => length,
            (Some(_), None) => 2 * length,
            (Some(_), Some(_)) => 3 * length,
        }
    }
}

/// A letter of a text: its weight, and its first byte.
struct Letter {
    weight: u16,
    first: u8,
}

/// The letters of a text.
struct Letters<'t> {
    collation: &'t Collation,
    weights: &'t [u8; 256],
    rest: &'t [u8],
    /// The number of letters of the text, if none of those that follow is a pair.
    length: usize,
}

impl<'t> Letters<'t> {
    fn of(collation: &'t Collation, weights: &'t [u8; 256], text: &'t [u8]) -> Letters<'t> {
        Letters { collation, weights, rest: text, length: text.len() }
    }

    /// The weight of a pair of letters that the text begins with.
    fn pair(&self) -> Option<u8> {
        let both = self.rest.get(..2)?;
        let is_of = |pair: &&Pair| (0..2).all(|at| both[at] == pair.capital[at] || both[at] == pair.small[at]);
        let pair = self.collation.pairs.iter().find(is_of)?;
        Some(pair.weights[usize::from(both[0] != pair.capital[0])])
    }
}

impl Iterator for Letters<'_> {
    type Item = Letter;

    fn next(&mut self) -> Option<Letter> {
        let first = *self.rest.first()?;
        let pair = if self.collation.pairs.is_empty() { None } else { self.pair() };
        self.rest = &self.rest[1 + usize::from(pair.is_some())..];
        self.length -= usize::from(pair.is_some());
        // Bytes without a weight come first, in their own order: see `Collation::weights` of pages with pairs.
        let weight = match pair.unwrap_or(self.weights[usize::from(first)]) {
            0 => u16::from(first),
            weight => 0x100 + u16::from(weight),
        };
        Some(Letter { weight, first })
    }
}

/// The order of the text keys of a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyOrder {
    /// The order of their bytes.
    #[default]
    Bytes,
    /// The order of a national code page.
    National(National),
    /// A national one that none of the known collations is. The keys can be walked; they are not searched or changed.
    Unknown,
}

/// The collations that the keys of a tag are in the order of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct National {
    /// The one that searches go by.
    chosen: &'static Collation,
    /// All that fit: bit n is that of `collations()[n]`.
    fitting: Fitting,
}

/// Some of the collations: bit n is that of `collations()[n]`.
pub type Fitting = u128;

impl National {
    /// One that is known for certain.
    pub fn certain(chosen: &'static Collation) -> National {
        National { chosen, fitting: 0 }
    }

    /// One of those that fit, chosen for what is known beside.
    pub fn chosen_from(chosen: &'static Collation, fitting: Fitting) -> National {
        National { chosen, fitting }
    }

    /// The collation that searches go by.
    pub fn collation(&self) -> &'static Collation {
        self.chosen
    }

    /// All that fit.
    pub fn fitting(&self) -> Fitting {
        self.fitting
    }

    /// The others that fit.
    fn others(&self) -> impl Iterator<Item = &'static Collation> {
        let (fitting, chosen) = (self.fitting, self.chosen);
        let is_other = move |at: usize, collation: &'static Collation| fitting >> at & 1 == 1 && collation != chosen;
        collations().iter().enumerate().filter(move |(at, collation)| is_other(*at, collation)).map(|(_, known)| known)
    }

    /// A collation that fits, and in which two entries of a tag (keys with their records) do not follow each other.
    pub fn dispute(&self, before: (&[u8], u32), after: (&[u8], u32)) -> Option<&'static Collation> {
        let follows = |collation: &&Collation| {
            collation.compare(before.0, after.0).then(before.1.cmp(&after.1)) != Ordering::Greater
        };
        self.others().find(|collation| !follows(collation))
    }
}

impl KeyOrder {
    /// True if it is that of bytes.
    #[inline]
    pub fn is_bytes(&self) -> bool {
        matches!(self, KeyOrder::Bytes)
    }

    /// The order of a key and another one, or the beginning of one.
    #[inline]
    pub fn compare(&self, key: &[u8], sought: &[u8]) -> Ordering {
        match self {
            KeyOrder::National(national) => national.chosen.compare(key, sought),
            _ => key[..key.len().min(sought.len())].cmp(sought),
        }
    }

    /// The order in words, where it is not that of bytes: for messages.
    pub fn description(&self) -> Option<String> {
        match self {
            KeyOrder::Bytes => None,
            KeyOrder::National(national) => Some(format!("the national order of {}", national.chosen.name())),
            KeyOrder::Unknown => Some("an unknown national order".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(name: &str, words: &[&[u8]]) -> Vec<Vec<u8>> {
        let collation = Collation::by_name(name).unwrap();
        let length = words.iter().map(|word| word.len()).max().unwrap_or(0);
        let padded = |word: &&[u8]| [*word, &vec![b' '; length - word.len()]].concat();
        let mut words: Vec<Vec<u8>> = words.iter().map(padded).collect();
        words.sort_by(|left, right| collation.compare(left, right));
        words.iter().map(|word| word.trim_ascii_end().to_vec()).collect()
    }

    #[test]
    fn polish_letters_follow_theirs() {
        // Harbour's l_pl.h: A Ą B C Ć ... L Ł ... O Ó ... Z Ź Ż, capitals first; cp852.
        let words: &[&[u8]] = &[b"osmy", b"\x88oda", b"lza", b"\xa2smy", b"Zor", b"ala"];
        let order: &[&[u8]] = &[b"Zor", b"ala", b"lza", b"\x88oda", b"osmy", b"\xa2smy"];
        assert_eq!(sorted("PL852", words), order);
    }

    #[test]
    fn ch_is_a_letter_of_czech_behind_h() {
        let words: &[&[u8]] = &[b"chleb", b"ida", b"cas", b"hora", b"Chlum", b"Hora", b"c"];
        let order: &[&[u8]] = &[b"Hora", b"Chlum", b"c", b"cas", b"hora", b"chleb", b"ida"];
        assert_eq!(sorted("CS852", words), order);
        // A key is not found by a half of the letter.
        let czech = Collation::by_name("CS852").unwrap();
        assert_eq!(czech.compare(b"chleb ", b"ch"), Ordering::Equal);
        assert_ne!(czech.compare(b"chleb ", b"c"), Ordering::Equal);
    }

    #[test]
    fn accents_do_not_count_in_french_and_decide_last_in_swedish() {
        let french = Collation::by_name("FRWIN").unwrap();
        assert_eq!(french.compare(b"\xe9t\xe9 ", b"ete "), Ordering::Equal);
        let swedish = Collation::by_name("SVWIN").unwrap();
        assert_eq!(swedish.compare(b"ete1", b"\xe9t\xe92"), Ordering::Less);
        assert_eq!(swedish.compare(b"ete ", b"\xe9t\xe9 "), Ordering::Less);
        assert_eq!(swedish.compare(b"\xe9t\xe9 ", b"et"), Ordering::Equal, "the beginning of a key has no accents");
    }

    #[test]
    fn sort_keys_are_in_the_order_of_the_collation() {
        let mut state = 7u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for collation in collations() {
            let letters = collation.upper;
            let mut word = || -> Vec<u8> {
                let mut letter = |_| match random(4) {
                    0 if !letters.is_empty() => letters[random(letters.len() as u32) as usize],
                    1 => b"cChHdDzZ"[random(8) as usize],
                    2 => b' ' + random(95) as u8,
                    _ => 1 + random(255) as u8,
                };
                (0..4).map(&mut letter).collect()
            };
            for _ in 0..200 {
                let (one, other) = (word(), word());
                let (mut left, mut right) = (Vec::new(), Vec::new());
                collation.write_sort_key(&one, &mut left);
                collation.write_sort_key(&other, &mut right);
                assert_eq!(left.len(), collation.sort_key_length(4));
                assert_eq!(left.cmp(&right), collation.compare(&one, &other), "{collation:?} {one:x?} {other:x?}");
            }
        }
    }

    #[test]
    fn each_code_page_has_one_collation() {
        let names: Vec<&str> = collations().iter().flat_map(|known| known.pages).map(|(name, _)| *name).collect();
        assert_eq!(names.len(), 96);
        assert!(collations().len() <= 128, "one bit each");
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name}");
        }
    }
}
