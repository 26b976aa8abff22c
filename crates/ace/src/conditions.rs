//! Conditions as programs write them, and as they are kept: with what depends on the moment replaced by what it gives.
//!
//! What a table's area is given, a server's too, is the text of `mainstay_xbase::expr::at_moment`; a program that asks for its
//! filter is given the text that it wrote.

use crate::connection::Connection;
use crate::{dates, settings};
use mainstay_xbase::expr::{Moment, at_moment};

/// A condition or another expression that a program has given, as it is meant now.
pub fn meant_now(connection: &Connection, text: &str) -> String {
    let (mask, epoch) = (connection.date_format(), settings::read(|settings| settings.epoch));
    let read_moment = |text: &str| {
        let (day, time) = text.split_once(' ').unwrap_or((text, ""));
        Some((dates::read(day, &mask, epoch)?, dates::read_time(time)?))
    };
    let moment = Moment {
        day: dates::today(),
        ms: dates::now(),
        mask: &mask,
        read_day: &|text| dates::read(text, &mask, epoch),
        read_moment: &read_moment,
    };
    at_moment(text, &moment)
}

/// The texts of a table's conditions as its program wrote them.
#[derive(Debug, Default)]
pub struct Written {
    /// What is kept, and what was written: of the filter and of the optimized filter that were set last.
    texts: Vec<(String, String)>,
}

/// So many texts are remembered.
const REMEMBERED: usize = 4;

impl Written {
    /// Notes a condition, and gives it as it is meant now.
    pub fn note(&mut self, connection: &Connection, text: &str) -> String {
        let meant = meant_now(connection, text);
        if meant != text {
            self.texts.retain(|(known, _)| *known != meant);
            self.texts.truncate(REMEMBERED - 1);
            self.texts.insert(0, (meant.clone(), text.to_owned()));
        }
        meant
    }

    /// What the program wrote for a condition that is kept so.
    pub fn of(&self, meant: &str) -> String {
        let known = self.texts.iter().find(|(known, _)| known == meant);
        known.map_or(meant, |(_, text)| text).to_owned()
    }
}
