//! MATCHES with a pattern that is known when the statement runs.
//!
//! `*` stands for any characters, `?` for one, `[abc]`, `[a-z]` and `[^a-z]` for one of a class; the escape character takes
//! the meaning of the next one away. Source: "MATCHES Operator" in the Guide to SQL: Syntax.
//!
//! The time is the product of the lengths: of several places where a `*` may end, only the last one is tried again.

/// A part of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Any,
    One,
    Letter(char),
    /// The ranges of a class; true for one that excludes them.
    Class(Vec<(char, char)>, bool),
}

fn parts(pattern: &str, escape: Option<char>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        parts.push(match letter {
            letter if Some(letter) == escape => Part::Letter(letters.next().unwrap_or(letter)),
            '*' => Part::Any,
            '?' => Part::One,
            '[' => {
                let is_negated = letters.next_if_eq(&'^').is_some();
                let mut ranges = Vec::new();
                while let Some(mut first) = letters.next() {
                    if first == ']' && !ranges.is_empty() {
                        break;
                    }
                    if Some(first) == escape {
                        first = letters.next().unwrap_or(first);
                    }
                    let mut last = first;
                    if letters.next_if_eq(&'-').is_some() {
                        match letters.peek() {
                            // A hyphen at the end is one of the letters.
                            None | Some(']') => ranges.push(('-', '-')),
                            Some(_) => last = letters.next().unwrap_or(first),
                        }
                    }
                    ranges.push((first, last));
                }
                Part::Class(ranges, is_negated)
            }
            letter => Part::Letter(letter),
        });
    }
    parts
}

/// Returns true if the whole text matches the pattern.
pub fn matches(text: &str, pattern: &str, escape: Option<char>) -> bool {
    let (letters, parts): (Vec<char>, Vec<Part>) = (text.chars().collect(), parts(pattern, escape));
    let fits = |part: &Part, letter: char| match part {
        Part::Any => false,
        Part::One => true,
        Part::Letter(known) => *known == letter,
        Part::Class(ranges, is_negated) => {
            ranges.iter().any(|(first, last)| (*first..=*last).contains(&letter)) != *is_negated
        }
    };
    let (mut at, mut part) = (0, 0);
    // The last `*`, and the place in the text up to which it reaches.
    let mut last: Option<(usize, usize)> = None;
    while let Some(letter) = letters.get(at) {
        match parts.get(part) {
            Some(Part::Any) => {
                last = Some((part, at));
                part += 1;
            }
            Some(known) if fits(known, *letter) => (at, part) = (at + 1, part + 1),
            _ => {
                let Some((star, end)) = last else { return false };
                last = Some((star, end + 1));
                (at, part) = (end + 1, star + 1);
            }
        }
    }
    parts.iter().skip(part).all(|part| *part == Part::Any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_the_manual() {
        let matches = |text: &str, pattern: &str| matches(text, pattern, Some('\\'));
        assert!(matches("Ludwig", "L*") && matches("Ludwig", "*wi*") && matches("Ludwig", "?udwig"));
        assert!(!matches("Ludwig", "l*") && !matches("Ludwig", "Ludwi") && !matches("", "?"));
        assert!(matches("Anne", "[A-M]*") && !matches("Zoe", "[A-M]*") && matches("Zoe", "[^A-M]*"));
        assert!(matches("50*", "50\\*") && !matches("500", "50\\*") && matches("a-b", "a[x-]b") && matches("]", "[]]"));
        assert!(matches("", "*") && matches("", "") && matches("abcabd", "*ab?") && !matches("abcabdx", "*ab?"));
        assert!(!matches(&"a".repeat(20_000), &format!("{}b", "*a".repeat(1_000))), "in the product of the lengths");
    }
}
