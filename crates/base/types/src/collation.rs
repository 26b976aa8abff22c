//! Collations: comparison and order of text.
//!
//! A collation here is a function from text to key bytes: two texts are equal when their keys are, and sort as their
//! keys do. So an index needs no other code for a collation than for bytes, and a hash table none at all.
//!
//! ```text
//!   "Malmö"  --decompose-->  M a l m o ̈  --drop accents, fold case-->  "malmo"                  ci_ai
//!                                         --fold case, accents behind--> "malmo" NUL accents    ci_as
//!                                         --the same, case behind--> "malmo" NUL accents NUL case   cs_as
//! ```
//!
//! Accents that count stand behind the letters, so that they decide only between texts of the same letters; and case
//! that counts stands behind both, small letters first: `a A b B`. A key is its own key: an operand of a comparison
//! with keys may be one already.
//!
//! Limits: letters that Unicode does not decompose (`ø`, `ł`, `æ`) are letters of their own, after `z`. Only the
//! combining marks of Latin, Greek and Cyrillic count as accents: the vowel signs of Indic scripts and the voicing
//! marks of Japanese are combining marks as well, and tell words apart. There is no order of any one language.

use std::cmp::Ordering;
use unicode_normalization::UnicodeNormalization;

/// A collation: comparison and order of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Collation {
    /// By the bytes of its UTF-8 form.
    #[default]
    Binary,
    /// Neither the case of letters nor their accents count: `Malmö` equals `MALMO`.
    CaseAccentInsensitive,
    /// The case of letters does not count, their accents do: `malmö` equals `MALMÖ`, and not `MALMO`. A text with a NUL
    /// character is its own key, for keys have one.
    CaseInsensitive,
    /// Case and accents count, and decide between texts of the same letters: `malmö` is before `Malmö`, and both are before
    /// `nora`. A text with a NUL character is its own key.
    CaseSensitive,
}

/// Every collation.
const ALL: [Collation; 4] =
    [Collation::Binary, Collation::CaseAccentInsensitive, Collation::CaseInsensitive, Collation::CaseSensitive];

impl Collation {
    /// The name in SQL and in the catalog.
    pub fn name(self) -> &'static str {
        match self {
            Collation::Binary => "binary",
            Collation::CaseAccentInsensitive => "ci_ai",
            Collation::CaseInsensitive => "ci_as",
            Collation::CaseSensitive => "cs_as",
        }
    }

    /// Returns true if letters that differ in case only are equal.
    pub fn folds_case(self) -> bool {
        matches!(self, Collation::CaseAccentInsensitive | Collation::CaseInsensitive)
    }

    /// The collation of this name, whatever its case.
    pub fn by_name(name: &str) -> Option<Collation> {
        ALL.into_iter().find(|collation| collation.name().eq_ignore_ascii_case(name))
    }

    /// Appends the key of a text: keys compare as bytes the way the texts compare. They are UTF-8 themselves.
    pub fn sort_key(&self, text: &str, out: &mut Vec<u8>) {
        match self {
            Collation::Binary => out.extend_from_slice(text.as_bytes()),
            Collation::CaseInsensitive | Collation::CaseSensitive if text.contains('\0') => {
                out.extend_from_slice(text.as_bytes());
            }
            Collation::CaseAccentInsensitive | Collation::CaseInsensitive if text.is_ascii() => {
                let start = out.len();
                out.extend_from_slice(text.as_bytes());
                out[start..].make_ascii_lowercase();
            }
            Collation::CaseAccentInsensitive => {
                let mut buffer = [0; 4];
                folded(text).for_each(|c| out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes()));
            }
            Collation::CaseInsensitive => letters_then_accents(text, false, out),
            Collation::CaseSensitive if !text.bytes().any(|byte| byte.is_ascii_uppercase() || byte >= 0x80) => {
                out.extend_from_slice(text.as_bytes());
            }
            Collation::CaseSensitive => letters_then_accents(text, true, out),
        }
    }

    /// The key of a text as text, without blanks at its end if they do not count. If they do, it is for patterns and
    /// searches: letter by letter, with the accents that count on their letters.
    pub fn text_key(&self, text: &str, pads: bool) -> String {
        if *self == Collation::CaseSensitive {
            if !pads {
                return if text.is_ascii() { text.to_owned() } else { text.nfc().collect() };
            }
            let mut key = Vec::with_capacity(text.len());
            self.sort_key(text.trim_end_matches(' '), &mut key);
            return String::from_utf8(key).unwrap_or_default();
        }
        if *self == Collation::CaseInsensitive && !text.is_ascii() {
            if !pads {
                return text.nfc().flat_map(fold).collect();
            }
            let mut key = Vec::with_capacity(text.len());
            self.sort_key(text.trim_end_matches(' '), &mut key);
            return String::from_utf8(key).unwrap_or_default();
        }
        let mut key = Vec::with_capacity(text.len());
        self.sort_key(text, &mut key);
        // Keys are UTF-8.
        let mut key = String::from_utf8(key).unwrap_or_default();
        if pads {
            key.truncate(key.trim_end_matches(' ').len());
        }
        key
    }

    /// The order of two texts: that of their keys.
    pub fn compare(&self, a: &str, b: &str) -> Ordering {
        match self {
            Collation::Binary => a.cmp(b),
            Collation::CaseAccentInsensitive | Collation::CaseInsensitive if a.is_ascii() && b.is_ascii() => {
                let (a, b) = (a.bytes(), b.bytes());
                a.map(|byte| byte.to_ascii_lowercase()).cmp(b.map(|byte| byte.to_ascii_lowercase()))
            }
            // UTF-8 sorts as its characters do.
            Collation::CaseAccentInsensitive => folded(a).cmp(folded(b)),
            // A text that is already a key contains a NUL.
            Collation::CaseSensitive if [a, b].iter().all(|text| text.is_ascii() && !text.contains('\0')) => {
                let letters = Collation::CaseInsensitive.compare(a, b);
                let cases = |text: &'_ str| text.bytes().map(|byte| byte.is_ascii_uppercase()).collect::<Vec<_>>();
                letters.then_with(|| cases(a).cmp(&cases(b)))
            }
            Collation::CaseInsensitive | Collation::CaseSensitive => {
                let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
                self.sort_key(a, &mut of_a);
                self.sort_key(b, &mut of_b);
                of_a.cmp(&of_b)
            }
        }
    }
}

/// The characters without accents and case.
fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    text.nfd().filter(|c| !is_accent(*c)).flat_map(fold)
}

/// The letters without case, and behind a NUL the accents of each, and behind another one, where case counts, the marks
/// of capitals: without capitals that part is empty.
fn letters_then_accents(text: &str, case_counts: bool, out: &mut Vec<u8>) {
    let mut buffer = [0; 4];
    let (mut accents, mut cases) = (String::new(), String::new());
    for c in text.nfd() {
        if is_accent(c) {
            accents.push(c);
            continue;
        }
        for letter in fold(c) {
            out.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes());
            accents.push(NEXT_LETTER);
            cases.push(if c.is_uppercase() { CAPITAL } else { NEXT_LETTER });
        }
    }
    let accents = accents.trim_end_matches(NEXT_LETTER);
    let cases = if case_counts { cases.trim_end_matches(NEXT_LETTER) } else { "" };
    if !accents.is_empty() || !cases.is_empty() {
        out.push(0);
        out.extend_from_slice(accents.as_bytes());
    }
    if !cases.is_empty() {
        out.push(0);
        out.extend_from_slice(cases.as_bytes());
    }
}

/// Stands for a capital among the cases; small letters are before it.
const CAPITAL: char = '\u{2}';

/// Stands for a letter among the accents.
const NEXT_LETTER: char = '\u{1}';

/// Returns true if it is a combining mark of Latin, Greek or Cyrillic.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{487}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

/// All the forms of a letter as one. By way of upper case, so that `ß` meets `SS` and the final sigma the other one;
/// lower case comes first because `ẞ` has no other upper case.
fn fold(c: char) -> impl Iterator<Item = char> {
    let upper = c.to_lowercase().flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 21] = [
        "",
        "a",
        "A",
        "ab",
        "Malmö",
        "MALMO",
        "malmo\u{308}",
        "zebra",
        "Ärger",
        "arg",
        "Straße",
        "STRASSE",
        "STRAẞE",
        "ΣΑΣ",
        "σας",
        "Ελλάδα",
        "İzmir",
        "izmir",
        "が",
        "か",
        "हिन्दी",
    ];

    fn key(text: &str) -> Vec<u8> {
        let mut key = Vec::new();
        Collation::CaseAccentInsensitive.sort_key(text, &mut key);
        key
    }

    #[test]
    fn case_and_accents_do_not_count() {
        for (a, b) in [("Malmö", "MALMO"), ("Straße", "STRASSE"), ("STRAẞE", "strasse"), ("ΣΑΣ", "σας")] {
            assert_eq!(key(a), key(b), "{a} {b}");
        }
        assert_eq!(key("İzmir"), key("izmir"));
        for (a, b) in [("が", "か"), ("øl", "ol"), ("हिन्दी", "हन्द"), ("a", "ab")] {
            assert_ne!(key(a), key(b), "{a} {b}");
        }
        assert!(key("Ärger") < key("zebra") && key("arg") < key("Ärger"));
    }

    #[test]
    fn accents_count_behind_letters() {
        let key = |text: &str| Collation::CaseInsensitive.text_key(text, true);
        for (a, b) in [("Malmö", "MALMO\u{308} "), ("Straße", "STRASSE"), ("abc  ", "ABC")] {
            assert_eq!(key(a), key(b), "{a} {b}");
        }
        for (a, b) in [("malmo", "malmö"), ("malmö", "malmz"), ("äb", "az"), ("a", "á"), ("ab", "äb")] {
            assert!(key(a) < key(b), "{a} {b}");
            assert!(Collation::CaseInsensitive.compare(a, b).is_lt(), "{a} {b}");
        }
        for text in TEXTS {
            assert_eq!(key(&key(text)), key(text), "{text}");
        }
        assert_eq!(Collation::CaseInsensitive.text_key("MALMÖ ", false), "malmö ");
    }

    #[test]
    fn case_counts_behind_accents() {
        let key = |text: &str| Collation::CaseSensitive.text_key(text, true);
        let sorted = [
            "", "_", "1", "a", "A", "á", "Á", "ab", "aB", "Ab", "AB", "áb", "Äb", "b", "B", "malmö", "Malmö", "straße",
            "Zoe",
        ];
        for (place, a) in sorted.iter().enumerate() {
            for (other, b) in sorted.iter().enumerate() {
                let expected = match (place, other) {
                    // Characters other than letters sort by their code.
                    (1 | 2, 1 | 2) => a.cmp(b),
                    (1, other) if other > 2 => "_".cmp("a"),
                    (place, 1) if place > 2 => "a".cmp("_"),
                    _ => place.cmp(&other),
                };
                assert_eq!(key(a).cmp(&key(b)), expected, "{a} {b}");
                assert_eq!(Collation::CaseSensitive.compare(a, b), expected, "{a} {b}");
            }
        }
        for (a, b) in [("Malmö", "Malmo\u{308} "), ("straße", "strasse"), ("aB  ", "aB")] {
            assert_eq!(key(a), key(b), "{a} {b}");
        }
        for text in TEXTS {
            assert_eq!(key(&key(text)), key(text), "{text}");
            assert!(Collation::CaseSensitive.compare(text, &key(text)).is_eq(), "{text}");
        }
        assert_eq!(Collation::CaseSensitive.text_key("MALMO\u{308} ", false), "MALMÖ ");
    }

    #[test]
    fn comparing_is_comparing_the_keys() {
        for a in TEXTS {
            for b in TEXTS {
                let sensitive = |text: &str| {
                    let mut key = Vec::new();
                    Collation::CaseSensitive.sort_key(text, &mut key);
                    key
                };
                assert_eq!(Collation::CaseSensitive.compare(a, b), sensitive(a).cmp(&sensitive(b)), "{a} {b}");
                assert_eq!(Collation::CaseAccentInsensitive.compare(a, b), key(a).cmp(&key(b)), "{a} {b}");
                assert_eq!(Collation::Binary.compare(a, b), a.as_bytes().cmp(b.as_bytes()));
            }
        }
    }

    #[test]
    fn keys_are_appended() {
        let mut out = b"Key:".to_vec();
        Collation::CaseAccentInsensitive.sort_key("AB", &mut out);
        Collation::Binary.sort_key("C", &mut out);
        assert_eq!(out, b"Key:abC");
    }
}
