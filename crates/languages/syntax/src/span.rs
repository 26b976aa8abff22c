//! The place of a node in the text, and its line.

/// A stretch of the text in bytes, from `start` up to but not including `end`.
///
/// Spans are always equal: two trees are equal if they have the same contents, whatever their places. To compare
/// places, compare `start` and `end`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl Span {
    /// From the start of this to the end of the other.
    pub fn to(self, end: Span) -> Span {
        Span { start: self.start, end: end.end.max(self.start) }
    }

    /// The text it stands for; empty when it is not of this text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// Line numbers of a text. As SQL Server counts them: from 1, a line feed begins the next.
#[derive(Clone, Debug)]
pub struct Lines(Vec<u32>);

impl Lines {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Lines {
        let feeds = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines(feeds.map(|(at, _)| at as u32).collect())
    }

    /// The line of a byte, from 1.
    pub fn at(&self, offset: u32) -> u32 {
        1 + self.0.partition_point(|feed| *feed < offset) as u32
    }
}
