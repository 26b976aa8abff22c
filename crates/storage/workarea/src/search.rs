//! Searches without an index: LOCATE, and text anywhere in a record.

use crate::area::Area;
use crate::value::FieldValue;
use mainstay_types::Result;

/// Options for searching a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindText {
    /// The fields to look at, by their places; all texts and memos without it.
    pub fields: Option<Vec<usize>>,
    /// Small and capital letters (of ASCII) differ.
    pub match_case: bool,
    /// Letters and digits must not touch the text.
    pub whole_words: bool,
    /// Begin behind the current record instead of at the first one.
    pub from_here: bool,
}

impl Area {
    /// Goes to the first shown record for which a condition is true; to EOF if there is none.
    pub fn locate(&mut self, condition: &str) -> Result<bool> {
        self.go_top()?;
        self.locate_from_here(condition)
    }

    /// The same from the record behind the current one on.
    pub fn locate_next(&mut self, condition: &str) -> Result<bool> {
        self.skip(1)?;
        self.locate_from_here(condition)
    }

    fn locate_from_here(&mut self, condition: &str) -> Result<bool> {
        while !self.eof {
            if self.evaluate_logical(condition)? {
                self.found = true;
                return Ok(true);
            }
            self.skip(1)?;
        }
        Ok(false)
    }

    /// Goes to the next shown record that has a text (bytes in the table's code page) in one of its fields, and gives
    /// the field; to EOF if there is none.
    pub fn find_text(&mut self, text: &[u8], how: &FindText) -> Result<Option<usize>> {
        if how.from_here {
            self.skip(1)?;
        } else {
            self.go_top()?;
        }
        let wanted = if how.match_case { text.to_vec() } else { text.to_ascii_lowercase() };
        let fields = match &how.fields {
            Some(fields) => fields.clone(),
            None => (0..self.fields().len()).collect(),
        };
        while !self.eof {
            for field in &fields {
                if let FieldValue::Text(mut value) = self.get(*field)? {
                    if !how.match_case {
                        value.make_ascii_lowercase();
                    }
                    if contains(&value, &wanted, how.whole_words) {
                        self.found = true;
                        return Ok(Some(*field));
                    }
                }
            }
            self.skip(1)?;
        }
        Ok(None)
    }
}

fn contains(text: &[u8], wanted: &[u8], whole_words: bool) -> bool {
    if wanted.is_empty() {
        return false;
    }
    let is_word = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let begins = |(at, part): (usize, &[u8])| {
        part == wanted && !(whole_words && (is_word(at.checked_sub(1)) || is_word(Some(at + wanted.len()))))
    };
    text.windows(wanted.len()).enumerate().any(begins)
}

#[cfg(test)]
mod tests {
    use super::contains;

    #[test]
    fn words_end_where_letters_end() {
        assert!(contains(b"a red hat", b"red", true) && contains(b"bored", b"red", false));
        assert!(!contains(b"bored", b"red", true) && !contains(b"red", b"", false) && contains(b"red", b"red", true));
    }
}
