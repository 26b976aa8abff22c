//! Parser of the text of a search condition.
//!
//! ```text
//!   search-condition   and-term [ OR search-condition ]
//!   and-term           not-term [ [AND] and-term ]
//!   not-term           [ NOT ] near-term
//!   near-term          value-term [ NEAR [ ( [integer] ) ] near-term ]
//!   value-term         ( search-condition )  |  text  text*  *text  *text*  |  "phrase"
//! ```

use crate::failure::{Failure, number};

/// The greatest distance of words for NEAR without a number.
const NEAR: usize = 8;
/// The greatest nesting depth of parentheses, and number of terms in a row.
const DEEPEST: usize = 200;
/// The greatest length of a condition in characters.
const LONGEST: usize = 16_384;

/// A part of a condition as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// A word, with an asterisk before or after it.
    Word {
        text: String,
        any_before: bool,
        any_after: bool,
    },
    Phrase(String),
    And(Vec<Part>),
    Or(Vec<Part>),
    Not(Box<Part>),
    Near(Box<Part>, Box<Part>, usize),
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Open,
    Close,
    Word(String),
    Phrase(String),
}

impl Token {
    fn is(&self, operator: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(operator))
    }

    fn is_operator(&self) -> bool {
        ["AND", "OR", "NOT", "NEAR"].iter().any(|operator| self.is(operator))
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, Failure> {
    let (mut found, mut word) = (Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if matches!(character, '"' | '(' | ')') || character.is_whitespace() || character == '\0' {
            if !word.is_empty() {
                found.push(Token::Word(std::mem::take(&mut word)));
            }
        } else {
            word.push(character);
            continue;
        }
        match character {
            '(' => found.push(Token::Open),
            ')' => found.push(Token::Close),
            '"' => {
                let mut phrase = String::new();
                loop {
                    match characters.next() {
                        // Two of them are one of the text.
                        Some('"') if characters.next_if_eq(&'"').is_some() => phrase.push('"'),
                        Some('"') => break,
                        Some(other) => phrase.push(other),
                        None => {
                            return Err(Failure::new(number::PHRASE, "the search condition has an unclosed phrase"));
                        }
                    }
                }
                found.push(Token::Phrase(phrase));
            }
            _ => {}
        }
    }
    if !word.is_empty() {
        found.push(Token::Word(word));
    }
    Ok(found)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// The parts of a condition.
///
/// Errors: 7094 to 7099, 7103.
pub(super) fn parse(text: &str) -> Result<Part, Failure> {
    if text.len() > LONGEST {
        return Err(Failure::new(number::INVALID, "the search condition is too long"));
    }
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    if parser.tokens.is_empty() {
        return Err(Failure::new(number::EMPTY, "the search condition is empty"));
    }
    let part = parser.any()?;
    match parser.peek() {
        None => Ok(part),
        Some(_) => Err(Failure::new(number::INVALID, "something stands behind the end of the search condition")),
    }
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn takes(&mut self, operator: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is(operator));
        self.at += usize::from(found);
        found
    }

    fn any(&mut self) -> Result<Part, Failure> {
        let mut parts = vec![self.all()?];
        while self.takes("OR") {
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Part::Or))
    }

    fn all(&mut self) -> Result<Part, Failure> {
        let mut parts = vec![self.not()?];
        loop {
            let is_joined = self.takes("AND");
            let ends = match self.peek() {
                None | Some(Token::Close) => true,
                Some(token) => token.is("OR"),
            };
            if ends && !is_joined {
                return Ok(one_or(parts, Part::And));
            }
            parts.push(self.not()?);
        }
    }

    fn not(&mut self) -> Result<Part, Failure> {
        match self.takes("NOT") {
            true => Ok(Part::Not(Box::new(self.near()?))),
            false => self.near(),
        }
    }

    fn near(&mut self) -> Result<Part, Failure> {
        let left = self.value()?;
        if !self.takes("NEAR") {
            return Ok(left);
        }
        let distance = self.distance()?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Failure::new(number::INVALID, "the search condition is too deep"));
        }
        let right = self.near()?;
        self.depth -= 1;
        if has_not(&left) || has_not(&right) {
            return Err(Failure::new(number::OPERANDS, "what is near something must be there: NOT is no operand"));
        }
        Ok(Part::Near(Box::new(left), Box::new(right), distance))
    }

    fn distance(&mut self) -> Result<usize, Failure> {
        if self.peek() != Some(&Token::Open) {
            return Ok(NEAR);
        }
        self.at += 1;
        let distance = match self.peek() {
            Some(Token::Word(digits)) => digits.parse().ok(),
            Some(Token::Close) => {
                self.at += 1;
                return Ok(NEAR);
            }
            _ => None,
        };
        self.at += 1;
        match (distance, self.peek()) {
            (Some(distance), Some(Token::Close)) => {
                self.at += 1;
                Ok(distance)
            }
            _ => Err(Failure::new(number::DISTANCE, "the distance of NEAR is no number; NEAR() stands before a group")),
        }
    }

    fn value(&mut self) -> Result<Part, Failure> {
        let missing = || Failure::new(number::MISSING, "the search condition lacks a phrase or word");
        let token = self.peek().filter(|token| !token.is_operator()).cloned().ok_or_else(missing)?;
        self.at += 1;
        match token {
            Token::Word(word) => Ok(word_of(&word)),
            Token::Phrase(phrase) => Ok(Part::Phrase(phrase)),
            Token::Close => Err(missing()),
            Token::Open => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(Failure::new(number::INVALID, "the search condition is too deep"));
                }
                let part = self.any()?;
                self.depth -= 1;
                if self.peek() != Some(&Token::Close) {
                    return Err(Failure::new(number::OPEN, "a parenthesis of the search condition is not closed"));
                }
                self.at += 1;
                Ok(part)
            }
        }
    }
}

fn one_or(mut parts: Vec<Part>, many: fn(Vec<Part>) -> Part) -> Part {
    match parts.len() {
        1 => parts.remove(0),
        _ => many(parts),
    }
}

fn word_of(word: &str) -> Part {
    let after = word.strip_prefix('*').unwrap_or(word);
    let text = after.strip_suffix('*').unwrap_or(after);
    let (any_before, any_after) = (after.len() < word.len(), text.len() < after.len());
    Part::Word { text: text.to_owned(), any_before, any_after }
}

fn has_not(part: &Part) -> bool {
    match part {
        Part::Not(_) => true,
        Part::And(parts) | Part::Or(parts) => parts.iter().any(has_not),
        Part::Near(left, right, _) => has_not(left) || has_not(right),
        Part::Word { .. } | Part::Phrase(_) => false,
    }
}
