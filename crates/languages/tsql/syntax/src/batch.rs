//! Splits a script into batches at its GO lines.
//!
//! GO is not a statement: the program that sends the script interprets it. It stands alone on its line, optionally with
//! a count of runs and a comment; inside a string, a quoted name or a comment it has no effect. Source: "SQL Server
//! Utilities Statements - GO" of SQL Server's documentation.

/// A batch of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch<'t> {
    /// Its text, up to its GO line.
    pub text: &'t str,
    /// The line of the script on which it begins, from 1.
    pub first_line: u32,
    /// The number of times that the batch runs.
    pub count: u32,
}

/// The batches of a script in their order; those of nothing but blanks are left out.
pub fn batches(script: &str) -> Vec<Batch<'_>> {
    let mut found = Vec::new();
    let (mut start, mut first_line) = (0, 1);
    let mut state = State::Plain;
    let mut at = 0;
    for (index, line) in script.split_inclusive('\n').enumerate() {
        let count = if state == State::Plain { go(line) } else { None };
        if let Some(count) = count {
            found.push(Batch { text: &script[start..at], first_line, count });
            (start, first_line) = (at + line.len(), index as u32 + 2);
        } else {
            state = state.after(line);
        }
        at += line.len();
    }
    found.push(Batch { text: &script[start..], first_line, count: 1 });
    found.retain(|batch| !batch.text.trim().is_empty());
    found
}

/// The count of a GO line; `None` for another line.
fn go(line: &str) -> Option<u32> {
    let line = line.split("--").next().unwrap_or(line);
    let mut words = line.split_whitespace();
    let is_go = words.next().is_some_and(|word| word.trim_end_matches(';').eq_ignore_ascii_case("go"));
    let count = words.next().map_or(Some(1), |count| count.parse().ok());
    count.filter(|_| is_go && words.next().is_none())
}

/// The lexical state at a line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Plain,
    /// A block comment of this depth.
    Comment(u32),
    /// Up to this quote.
    Quoted(u8),
}

impl State {
    /// The state after a line that begins in this one. A doubled quotation mark closes and opens again, which is the same.
    fn after(self, line: &str) -> State {
        let bytes = line.as_bytes();
        let (mut state, mut at) = (self, 0);
        while at < bytes.len() {
            let pair = (bytes[at], bytes.get(at + 1).copied().unwrap_or(0));
            at += 1;
            state = match (state, pair) {
                (State::Plain, (b'-', b'-')) => return State::Plain,
                (State::Plain, (b'\'' | b'"', _)) => State::Quoted(pair.0),
                (State::Plain, (b'[', _)) => State::Quoted(b']'),
                // Only `]` closes a name in brackets; a doubled `]]` is one literal bracket.
                (State::Quoted(b']'), (b']', b']')) => (at += 1, state).1,
                (State::Quoted(quote), (byte, _)) if quote == byte => State::Plain,
                (State::Plain, (b'/', b'*')) => (at += 1, State::Comment(1)).1,
                (State::Comment(depth), (b'/', b'*')) => (at += 1, State::Comment(depth + 1)).1,
                (State::Comment(1), (b'*', b'/')) => (at += 1, State::Plain).1,
                (State::Comment(depth), (b'*', b'/')) => (at += 1, State::Comment(depth - 1)).1,
                (state, _) => state,
            };
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_separates_only_where_it_stands_alone() {
        let script =
            "SELECT 1\nGO\n\ngo\nSELECT '\nGO\n'\nGo 3 -- thrice\n/* /* x */\nGO\n*/ SELECT [a\nGO\n]\nSELECT go";
        let found = batches(script);
        let expected = [("SELECT 1\n", 1, 1), ("SELECT '\nGO\n'\n", 5, 3)];
        assert_eq!(found.len(), 3);
        for (batch, (text, first_line, count)) in found.iter().zip(expected) {
            assert_eq!((batch.text, batch.first_line, batch.count), (text, first_line, count));
        }
        assert_eq!(found[2].first_line, 9);
        assert!(found[2].text.ends_with("SELECT go"));
    }

    #[test]
    fn a_go_with_other_words_is_none() {
        assert_eq!(batches("GO x\nGO 1 2\nGOTO a\n").len(), 1);
        assert!(batches(" \nGO\n").is_empty());
    }

    #[test]
    fn a_doubled_bracket_is_part_of_its_name() {
        let found = batches("SELECT 1 AS [a]]b.\"c]\nGO\nSELECT [x'']]]\nGO\n");
        assert_eq!(found.iter().map(|batch| batch.first_line).collect::<Vec<_>>(), [1, 3]);
    }
}
