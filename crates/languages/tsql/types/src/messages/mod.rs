//! Messages from the server to its client beside rows: errors, warnings and the output of PRINT.
//!
//! ```text
//!   message    one message
//!   table      the numbers, severities and texts (language, types, data)
//!   server     more of them: objects, transactions, cursors, procedures, logins
//!   error      errors of the engine as messages
//!   format     the formats of RAISERROR, FORMATMESSAGE and THROW's texts
//! ```
//!
//! A text has placeholders for its arguments, as `sys.messages` shows them: `%ls`, `%.*ls`, `%d`, `%S_MSG`.
//! [`Message::numbered`] fills them in their order, so nothing but the tables knows a text.

mod error;
mod format;
mod message;
mod server;
mod table;

pub use format::format;
pub use message::Message;

use std::fmt::{Display, Write};

/// A message's number, severity and text with places for its arguments.
pub type Template = (i32, u8, &'static str);

/// Severity and text of the message of this number.
pub fn find(number: i32) -> Option<(u8, &'static str)> {
    let found = |templates: &'static [Template]| {
        templates.binary_search_by_key(&number, |template| template.0).ok().and_then(|i| templates.get(i))
    };
    found(table::TEMPLATES).or_else(|| found(server::TEMPLATES)).map(|(_, severity, text)| (*severity, *text))
}

/// All that are known, as `sys.messages` lists them (not in the order of their numbers).
pub fn all() -> impl Iterator<Item = Template> {
    table::TEMPLATES.iter().chain(server::TEMPLATES).copied()
}

impl Message {
    /// The message of this number with its arguments in their places. A number that no table has gives a text of the
    /// number alone; an argument too few leaves its place empty.
    pub fn numbered(number: i32, arguments: &[&dyn Display]) -> Message {
        match find(number) {
            Some((severity, text)) => Message::error(number, fill(text, arguments)).severity(severity),
            None => Message::error(number, format!("Error {number}.")),
        }
    }
}

/// The text with its places filled in order.
fn fill(text: &str, arguments: &[&dyn Display]) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut arguments = arguments.iter();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let mut place = place_length(from);
        if place == 0 || from.starts_with("%%") {
            out.push('%');
            place = place.max(1);
        } else if let Some(argument) = arguments.next() {
            // Writing to a String does not fail.
            let _ = write!(out, "{argument}");
        }
        rest = from.get(place..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The length of the placeholder at the front of a text; 0 if its percent sign begins none.
fn place_length(text: &str) -> usize {
    const PLACES: [&str; 21] = [
        "%%",
        "%.*ls",
        "%.*s",
        "%S_MSG",
        "%S_PGID",
        "%#016I64x",
        "%I64d",
        "%I64x",
        "%lld",
        "%02X",
        "%ls",
        "%ld",
        "%lc",
        "%lf",
        "%hs",
        "%s",
        "%d",
        "%i",
        "%f",
        "%u",
        "%x",
    ];
    PLACES.iter().find(|place| text.starts_with(**place)).map_or(0, |place| place.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_order_and_apart() {
        for templates in [table::TEMPLATES, server::TEMPLATES] {
            assert!(templates.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
        for (number, severity, text) in all() {
            assert_eq!(find(number), Some((severity, text)));
            assert!(severity < 26 && !text.is_empty(), "{number}");
        }
        let numbers: std::collections::HashSet<i32> = all().map(|template| template.0).collect();
        assert_eq!(numbers.len(), all().count());
    }

    #[test]
    fn places_are_filled_in_order() {
        let message = Message::numbered(8116, &[&"text", &1, &"len"]);
        assert_eq!(message.text, "Argument data type text is invalid for argument 1 of len function.");
        assert_eq!(message.severity, 16);
        let message =
            Message::numbered(547, &[&"INSERT", &"FOREIGN KEY", &"fk", &"d", &"dbo.t", &", column '", &"id", &"'"]);
        assert!(message.text.starts_with("The INSERT statement conflicted with the FOREIGN KEY constraint \"fk\"."));
        assert_eq!(Message::numbered(-5, &[]).text, "Error -5.");
        assert_eq!(fill("100% of %d%% and %ls", &[&5]), "100% of 5% and ");
    }
}
