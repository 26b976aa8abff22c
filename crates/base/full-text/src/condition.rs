//! A search condition, prepared for fields and applied to their words.
//!
//! Each field has its own options, so a term of the condition has a form for each field: the patterns that its words
//! must match. A term that consists of noise words for every field is no part of the condition.

use crate::failure::{Failure, number};
use crate::parser::{self, Part};
use crate::{Options, Splitter};

/// A search condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    part: Part,
}

/// A word of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Its characters, in the letters that are compared.
    pub text: String,
    /// True if anything may stand before it.
    pub any_before: bool,
    /// True if anything may stand after it.
    pub any_after: bool,
}

/// Words that follow each other: one word, or those of a phrase. By field; `None` where they are nothing but noise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The patterns of the words, by field.
    pub forms: Vec<Option<Vec<Pattern>>>,
}

/// A condition for certain fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A word or phrase.
    Term(Term),
    /// All of them hold.
    And(Vec<Node>),
    /// One of them holds.
    Or(Vec<Node>),
    /// It does not hold.
    Not(Box<Node>),
    /// Both hold in one field, and so many words apart at most.
    Near(Box<Node>, Box<Node>, usize),
}

/// A condition that is ready to be asked.
#[derive(Clone, Debug)]
pub struct Prepared {
    splitters: Vec<Splitter>,
    root: Node,
}

/// The words of the fields that are asked, in the fields' order.
type Words = [Vec<String>];

impl Condition {
    /// Parses a condition.
    ///
    /// Errors: 7094 to 7099, 7103.
    pub fn parse(text: &str) -> Result<Condition, Failure> {
        Ok(Condition { part: parser::parse(text)? })
    }

    /// Makes it ready for fields, one set of options each.
    ///
    /// Errors: 7103 when nothing but noise is asked for.
    pub fn prepare(&self, fields: &[Options]) -> Result<Prepared, Failure> {
        let splitters: Vec<Splitter> = fields.iter().map(Splitter::new).collect();
        let empty = || Failure::new(number::EMPTY, "the search condition has nothing but noise words");
        let root = prepared(&self.part, &splitters).ok_or_else(empty)?;
        Ok(Prepared { splitters, root })
    }
}

fn prepared(part: &Part, splitters: &[Splitter]) -> Option<Node> {
    let all = |parts: &[Part]| parts.iter().filter_map(|part| prepared(part, splitters)).collect::<Vec<_>>();
    let joined = |mut nodes: Vec<Node>, many: fn(Vec<Node>) -> Node| match nodes.len() {
        0 | 1 => nodes.pop(),
        _ => Some(many(nodes)),
    };
    match part {
        Part::And(parts) => joined(all(parts), Node::And),
        Part::Or(parts) => joined(all(parts), Node::Or),
        Part::Not(inner) => prepared(inner, splitters).map(|node| Node::Not(Box::new(node))),
        Part::Near(left, right, distance) => match (prepared(left, splitters), prepared(right, splitters)) {
            (Some(left), Some(right)) => Some(Node::Near(Box::new(left), Box::new(right), *distance)),
            (left, right) => left.or(right),
        },
        Part::Phrase(text) => term(splitters, |splitter| exact(splitter, text)),
        Part::Word { text, any_before: false, any_after: false } => term(splitters, |splitter| exact(splitter, text)),
        Part::Word { text, any_before, any_after } => term(splitters, |splitter| {
            // A part of a word is neither too short nor noise.
            let text = splitter.cleaned(text);
            let pattern = Pattern { text, any_before: *any_before, any_after: *any_after };
            if pattern.text.is_empty() { Vec::new() } else { vec![pattern] }
        }),
    }
}

fn exact(splitter: &Splitter, text: &str) -> Vec<Pattern> {
    let words = splitter.words(text).into_iter();
    words.map(|text| Pattern { text, any_before: false, any_after: false }).collect()
}

fn term(splitters: &[Splitter], form: impl Fn(&Splitter) -> Vec<Pattern>) -> Option<Node> {
    let forms: Vec<_> = splitters.iter().map(form).map(|form| Some(form).filter(|form| !form.is_empty())).collect();
    forms.iter().any(Option::is_some).then_some(Node::Term(Term { forms }))
}

impl Pattern {
    /// Returns true if a word matches the pattern.
    pub fn matches(&self, word: &str) -> bool {
        match (self.any_before, self.any_after) {
            (false, false) => word == self.text,
            (false, true) => word.starts_with(&self.text),
            (true, false) => word.ends_with(&self.text),
            (true, true) => word.contains(&self.text),
        }
    }
}

impl Term {
    /// The places of the term in a field: first word and last.
    fn places(&self, field: usize, words: &[String]) -> Vec<(usize, usize)> {
        let Some(Some(form)) = self.forms.get(field) else { return Vec::new() };
        let fits = |window: &[String]| window.iter().zip(form).all(|(word, pattern)| pattern.matches(word));
        let windows = words.windows(form.len()).enumerate().filter(|(_, window)| fits(window));
        windows.map(|(at, _)| (at, at + form.len() - 1)).collect()
    }

    fn is_in(&self, texts: &Words) -> bool {
        texts.iter().enumerate().any(|(field, words)| !self.places(field, words).is_empty())
    }
}

impl Node {
    fn holds(&self, texts: &Words) -> bool {
        match self {
            Node::Term(term) => term.is_in(texts),
            Node::And(parts) => parts.iter().all(|part| part.holds(texts)),
            Node::Or(parts) => parts.iter().any(|part| part.holds(texts)),
            Node::Not(part) => !part.holds(texts),
            Node::Near(..) => texts.iter().enumerate().any(|(field, words)| !self.places(field, words).is_empty()),
        }
    }

    /// The places of the operand in one field, for NEAR.
    fn places(&self, field: usize, words: &[String]) -> Vec<(usize, usize)> {
        match self {
            Node::Term(term) => term.places(field, words),
            Node::Or(parts) => parts.iter().flat_map(|part| part.places(field, words)).collect(),
            Node::And(parts) => {
                let places: Vec<_> = parts.iter().map(|part| part.places(field, words)).collect();
                if places.iter().any(Vec::is_empty) { Vec::new() } else { places.concat() }
            }
            Node::Near(left, right, distance) => {
                let (left, right) = (left.places(field, words), right.places(field, words));
                let mut found = Vec::new();
                for first in &left {
                    for second in &right {
                        if apart(*first, *second) <= *distance {
                            found.push((first.0.min(second.0), first.1.max(second.1)));
                        }
                    }
                }
                found.sort_unstable();
                found.dedup();
                found
            }
            Node::Not(_) => Vec::new(),
        }
    }

    fn count(&self, texts: &Words, is_distinct: bool) -> usize {
        match self {
            Node::And(parts) | Node::Or(parts) => parts.iter().map(|part| part.count(texts, is_distinct)).sum(),
            Node::Near(left, right, _) => left.count(texts, is_distinct) + right.count(texts, is_distinct),
            Node::Not(_) => 0,
            Node::Term(term) => {
                // A phrase counts by its words; which fields there are does not change how many it has.
                let words = term.forms.iter().flatten().map(Vec::len).max().unwrap_or(0);
                let of_word = |at: usize| -> usize {
                    let fields = texts.iter().zip(&term.forms);
                    let counts = fields.filter_map(|(words, form)| {
                        let pattern = form.as_ref()?.get(at)?;
                        Some(words.iter().filter(|word| pattern.matches(word)).count())
                    });
                    counts.sum()
                };
                (0..words).map(of_word).map(|count| if is_distinct { count.min(1) } else { count }).sum()
            }
        }
    }
}

/// The distance in words between the nearest ends of two places, the second of them counted.
fn apart(first: (usize, usize), second: (usize, usize)) -> usize {
    if second.0 > first.1 { second.0 - first.1 } else { first.0.saturating_sub(second.1) }
}

impl Prepared {
    /// The condition's parts, for callers that answer them from an index.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The splitters of the fields, in the order of the fields.
    pub fn splitters(&self) -> &[Splitter] {
        &self.splitters
    }

    fn words(&self, texts: &[Option<&str>]) -> Vec<Vec<String>> {
        let texts = self.splitters.iter().zip(texts);
        texts.map(|(splitter, text)| text.map_or_else(Vec::new, |text| splitter.words(text))).collect()
    }

    /// Returns true if the fields' texts fulfil the condition. NULL, for none of them being there, is `None`.
    pub fn holds(&self, texts: &[Option<&str>]) -> Option<bool> {
        if texts.iter().all(Option::is_none) {
            return None;
        }
        Some(self.root.holds(&self.words(texts)))
    }

    /// The number of occurrences of the condition's words, those of NOT left out; each word counts once if
    /// `is_distinct`.
    pub fn score(&self, texts: &[Option<&str>], is_distinct: bool) -> usize {
        self.root.count(&self.words(texts), is_distinct)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, text: &str) -> bool {
        let prepared = Condition::parse(condition).unwrap().prepare(&[Options::default()]).unwrap();
        prepared.holds(&[Some(text)]).unwrap()
    }

    fn number_of(condition: &str) -> i32 {
        let prepared = Condition::parse(condition).and_then(|parsed| parsed.prepare(&[Options::default()]));
        prepared.unwrap_err().number
    }

    #[test]
    fn operators_bind_as_documented() {
        assert!(holds("meeting and request or changelog", "the changelog"));
        assert!(!holds("meeting and (request or changelog)", "the changelog"));
        assert!(holds("Mechanical engineer", "an ENGINEER, mechanical") && !holds("mechanical engineer", "engineer"));
        assert!(holds("medical not doctor", "medical staff") && !holds("medical and not doctor", "medical doctor"));
        assert!(holds("not (doctor or nurse)", "patient") && !holds("not doctor", "doctor"));
    }

    #[test]
    fn words_match_whole_or_at_their_ends() {
        assert!(holds("special", "Special!") && !holds("special", "specialty"));
        assert!(holds("special*", "specialty") && !holds("special*", "especially"));
        assert!(holds("*ation", "station") && !holds("*ation", "stations"));
        assert!(holds("*lock*", "antilocks") && holds("sp*", "spa spot"));
        assert!(holds("O'Malley", "omalley") && holds("omalley", "(O'Malley)"));
    }

    #[test]
    fn phrases_are_words_in_a_row_without_noise() {
        assert!(holds("\"alpine skiing\"", "Alpine, skiing") && !holds("\"alpine skiing\"", "skiing alpine"));
        assert!(holds("\"bread butter\"", "bread and butter") && !holds("\"bread butter\"", "bread with jam butter"));
        assert!(holds("\"and\" or word", "word"));
    }

    #[test]
    fn near_counts_words() {
        let far = "medical one1 two2 three3 four4 five5 six6 seven7 doctor";
        assert!(holds("medical near doctor", far) && !holds("medical near(7) doctor", far));
        assert!(!holds("medical near doctor", &far.replace("doctor", "eight8 doctor")));
        assert!(
            holds("doctor near() (medical and one1)", far) && holds("doctor near(15) \"one1 two2\" near seven7", far)
        );
    }

    #[test]
    fn what_is_no_condition_has_its_number() {
        let numbers =
            ["\"open", "(open", "word and", "word)", "word near (not other)", "word near(x) other", "  ", "the of"];
        let found: Vec<i32> = numbers.iter().map(|condition| number_of(condition)).collect();
        assert_eq!(found, [7094, 7095, 7096, 7097, 7099, 7099, 7103, 7103]);
        assert_eq!(number_of("word near() (not other)"), 7098);
        assert_eq!(number_of(&"(".repeat(1000)), 7097);
    }

    #[test]
    fn fields_are_searched_together_and_near_in_one() {
        let fields = [Options::default(), Options { shortest: 5, ..Options::default() }];
        let two = |condition: &str, first: &str, second: &str| {
            Condition::parse(condition).unwrap().prepare(&fields).unwrap().holds(&[Some(first), Some(second)]).unwrap()
        };
        assert!(two("house cat", "cat", "house") && !two("house near cat", "cat", "house"));
        // A word that is too short for the second field is looked for in the first only.
        assert!(!two("cat", "house", "cat") && two("house near cat", "cat house", ""));
        assert_eq!(Condition::parse("cat").unwrap().prepare(&fields).unwrap().holds(&[None, None]), None);
    }

    #[test]
    fn scores_are_those_of_the_documentation() {
        let text = "Both medical doctors and doctors of veterinary medicine require extensive schooling.";
        let score = |condition: &str, is_distinct| {
            let prepared = Condition::parse(condition).unwrap().prepare(&[Options::default()]).unwrap();
            prepared.score(&[Some(text)], is_distinct)
        };
        for condition in ["medical and doctor*", "medical or doctor*", "medical near doctor*", "\"medical doctors\""] {
            assert_eq!((score(condition, false), score(condition, true)), (3, 2), "{condition}");
        }
        assert_eq!(score("medical and not doctors", false), 1);
    }
}
