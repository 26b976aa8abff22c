//! Full text search: the words of a text, and search conditions over them.
//!
//! A text is split at delimiters; drop characters are removed from words, conditional drop characters only at their
//! ends. Words that are too short and noise words are ignored, in texts and in conditions. Phrases and NEAR use the
//! positions of the remaining words.
//!
//! ```text
//!   "The O'Malley case (no. 48.5)"     omalley  case  48.5
//!                                         0       1     2
//! ```
//!
//! [`Options`] contains these rules; a word index has its own, and a field without an index uses the default ones. A
//! [`Condition`] is parsed once, prepared for the options of the fields that it is applied to ([`Condition::prepare`]),
//! and applied to their words. Sources: the help pages "Full Text Search Index Options", "Full Text Search Conditions",
//! "Full Text Search Scoring".

mod condition;
mod failure;
mod parser;

pub use condition::{Condition, Node, Pattern, Prepared, Term};
pub use failure::{Failure, number};

use std::collections::HashSet;

/// Words that say nothing, as long as the program names no others.
pub const NOISE: &str = "about after all also and another any are because been before being between both but came can \
    come could did does each else for from get got had has have her here him himself his how into its just like make \
    many might more most much must never now only other our out over said same see should since some still such take \
    than that the their them then there these they this those through too under use very want was way well were what \
    when where which while who will with would you your";
/// White space, at which texts are split.
pub const DELIMITERS: &str = " \u{8}\t\n\u{b}\u{c}\r";
/// Characters that are left out wherever they are.
pub const DROPPED: &str = "\"'`";
/// Characters that are left out at the ends of a word.
pub const CONDITIONAL: &str = ",.?!;:@#$%^&()-_";

/// The splitting of a text into words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Words of fewer characters are ignored.
    pub shortest: u32,
    /// An index holds as many characters of a word.
    pub longest: u32,
    /// The characters at which texts are split.
    pub delimiters: String,
    /// Words that are ignored, with blanks between.
    pub noise: String,
    /// Characters that are left out.
    pub dropped: String,
    /// Characters that are left out at the ends of words.
    pub conditional: String,
    /// True if upper and lower case differ.
    pub is_case_sensitive: bool,
    /// True if a comma or point between digits is no delimiter.
    pub keeps_numbers: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            shortest: 3,
            longest: 30,
            delimiters: DELIMITERS.to_owned(),
            noise: NOISE.to_owned(),
            dropped: DROPPED.to_owned(),
            conditional: CONDITIONAL.to_owned(),
            is_case_sensitive: false,
            keeps_numbers: false,
        }
    }
}

/// Splits texts by [`Options`].
#[derive(Clone, Debug)]
pub struct Splitter {
    options: Options,
    noise: HashSet<String>,
}

impl Splitter {
    /// Makes ready to split.
    pub fn new(options: &Options) -> Splitter {
        let folded = |word: &str| if options.is_case_sensitive { word.to_owned() } else { word.to_lowercase() };
        Splitter { options: options.clone(), noise: options.noise.split_whitespace().map(folded).collect() }
    }

    /// The options of the splitter.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The words of a text that count, in order.
    pub fn words(&self, text: &str) -> Vec<String> {
        self.pieces(text).filter_map(|piece| self.word(piece)).collect()
    }

    /// The pieces between delimiters.
    fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let mut before = None;
            let mut characters = rest.char_indices().peekable();
            while let Some((at, character)) = characters.next() {
                let after = characters.peek().map(|(_, next)| *next);
                if self.splits(before, character, after) {
                    let (piece, others) = rest.split_at(at);
                    rest = others.get(character.len_utf8()..).unwrap_or_default();
                    return Some(piece);
                }
                before = Some(character);
            }
            (!rest.is_empty()).then(|| std::mem::take(&mut rest))
        })
    }

    fn splits(&self, before: Option<char>, character: char, after: Option<char>) -> bool {
        if character == '\0' {
            return true;
        }
        let is_digit = |side: Option<char>| side.is_some_and(|side| side.is_ascii_digit());
        if self.options.keeps_numbers && matches!(character, ',' | '.') && is_digit(before) && is_digit(after) {
            return false;
        }
        self.options.delimiters.contains(character)
    }

    /// A piece without what is dropped, in the letters that are compared.
    fn cleaned(&self, piece: &str) -> String {
        let kept: String = piece.chars().filter(|character| !self.options.dropped.contains(*character)).collect();
        let word = kept.trim_matches(|character| self.options.conditional.contains(character));
        if self.options.is_case_sensitive { word.to_owned() } else { word.to_lowercase() }
    }

    fn word(&self, piece: &str) -> Option<String> {
        let word = self.cleaned(piece);
        let length = word.chars().count();
        let is_short = length == 0 || length < self.options.shortest as usize;
        (!is_short && !self.noise.contains(&word)).then_some(word)
    }

    /// The part of a word that an index stores.
    pub fn indexed<'w>(&self, word: &'w str) -> &'w str {
        match word.char_indices().nth(self.options.longest.max(1) as usize) {
            Some((end, _)) => word.get(..end).unwrap_or(word),
            None => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_words() {
        let words = |text: &str| Splitter::new(&Options::default()).words(text).join("|");
        assert_eq!(words("The O'Malley case (no. 48.5)!"), "omalley|case|48.5");
        assert_eq!(words("an of it"), "");
        assert_eq!(words("\0tabs\tand\r\nÄPFEL\0"), "tabs|äpfel");
        assert_eq!(words("well-known --dashes--"), "well-known|dashes");
    }

    #[test]
    fn options_change_what_a_word_is() {
        let with = |change: fn(&mut Options), text: &str| {
            let mut options = Options::default();
            change(&mut options);
            Splitter::new(&options).words(text).join("|")
        };
        assert_eq!(with(|options| options.shortest = 1, "a of the 1"), "a|of|1");
        assert_eq!(with(|options| options.is_case_sensitive = true, "The Case"), "The|Case");
        assert_eq!(with(|options| options.noise = "case".into(), "the case"), "the");
        assert_eq!(with(|options| options.dropped.push('1'), "ab1cd"), "abcd");
        let commas = |options: &mut Options| {
            options.delimiters.push_str(",.");
            options.shortest = 1;
        };
        assert_eq!(with(commas, "one,two 1,423.99"), "one|two|1|423|99");
        let numbers = |options: &mut Options| {
            options.delimiters.push_str(",.");
            options.keeps_numbers = true;
        };
        assert_eq!(with(numbers, "one,two 1,423.99"), "one|two|1,423.99");
    }

    #[test]
    fn an_index_holds_the_beginning_of_long_words() {
        let splitter = Splitter::new(&Options { longest: 5, ..Options::default() });
        assert_eq!(
            (splitter.indexed("applesauce"), splitter.indexed("äöüÄÖÜ"), splitter.indexed("pie")),
            ("apple", "äöüÄÖ", "pie")
        );
    }
}
