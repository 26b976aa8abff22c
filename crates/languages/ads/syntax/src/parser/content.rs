//! The clauses after the columns of CREATE INDEX: the place of the index, and for a word index (CONTENT) the splitting
//! of a text into words.
//!
//! A list of characters or words is added to the default one, and replaces it after NEW. Source: the help pages "CREATE
//! INDEX" and "Full Text Search Index Options".

use super::Parser;
use crate::error::{Parse, SqlError};
use crate::tree::Content;
use mainstay_ads_types::native;
use mainstay_full_text::{NOISE, Options};

/// The greatest length of a word of an index.
const LONGEST: u32 = 1000;

impl Parser<'_> {
    /// The options of CREATE INDEX: whether its keys are unique, and those of an index of words, if it is one.
    pub(super) fn index_options(&mut self) -> Parse<(bool, Option<Box<Content>>)> {
        let (mut is_unique, mut is_content) = (false, false);
        let mut content = Content { options: Options::default(), keeps_score: false };
        loop {
            let options = &mut content.options;
            if self.accept("CONTENT") {
                is_content = true;
            } else if self.accept("CANDIDATE") {
                is_unique = true;
            } else if self.accept("IN FILE") {
                if self.is_name(0) {
                    self.name()?;
                } else {
                    self.string()?;
                }
            } else if self.accept("PAGESIZE") {
                self.number()?;
            } else if self.accept("MIN WORD") {
                options.shortest = self.word_length()?;
            } else if self.accept("MAX WORD") {
                options.longest = self.word_length()?;
            } else if self.accept("CASESENSITIVE") {
                options.is_case_sensitive = true;
            } else if self.accept("PROTECTNUMBERS") {
                options.keeps_numbers = true;
            } else if self.accept("KEEPSCORE") {
                content.keeps_score = true;
            } else if self.accept_any(&["NOTDELETED", "NOTMAINTAINED", "ASC", "DESC"]).is_none()
                && !self.characters(options)?
            {
                break;
            }
        }
        let Options { shortest, longest, .. } = content.options;
        if is_content && (shortest > longest || longest > LONGEST) {
            let text = format!("Words of {shortest} to {longest} characters");
            return Err(SqlError::new(native::EXPECTED, text));
        }
        Ok((is_unique, is_content.then(|| Box::new(content))))
    }

    fn word_length(&mut self) -> Parse<u32> {
        let digits = self.number()?;
        digits.parse().map_err(|_| SqlError::new(native::EXPECTED, format!("The length {digits} of a word")))
    }

    /// A list of characters or words; false if none follows.
    fn characters(&mut self, options: &mut Options) -> Parse<bool> {
        let is_new = self.accept("NEW");
        let word = self.accept_any(&["DELIMITERS", "DROPCHARS", "NOISE", "CONDITIONALS"]);
        let list = match word {
            Some("DELIMITERS") => &mut options.delimiters,
            Some("DROPCHARS") => &mut options.dropped,
            Some("NOISE") => &mut options.noise,
            Some(_) => &mut options.conditional,
            None if is_new => return Err(self.unexpected()),
            None => return Ok(false),
        };
        let given = self.string()?;
        if is_new {
            list.clear();
        } else if *list == NOISE {
            list.push(' ');
        }
        list.push_str(&given);
        Ok(true)
    }
}
