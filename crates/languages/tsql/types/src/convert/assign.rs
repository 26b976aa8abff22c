//! Assignment of a value to a column, a variable or a parameter: an implicit conversion, which for a column refuses to
//! lose data.

use super::{binary, convert};
use crate::context::Context;
use crate::messages::Message;
use crate::settings::Switches;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};

/// Converts a value for a column. Unlike a variable, which cuts, a column refuses a text or bytes that are too long:
/// with 8152 here, which a caller that knows the table and column turns into 2628 with [`truncates`] and
/// [`truncation`]. Blanks and zeros at the end may be lost.
pub fn assign(context: &Context<'_>, value: ValueRef<'_>, from: DataType, to: DataType) -> Result<Value, Message> {
    if truncates(value, to) && context.settings.has(Switches::ANSI_WARNINGS) {
        return Err(Message::numbered(8152, &[]).state(14));
    }
    convert(context, value, from, to, None)
}

/// 2628: what a column of a table would lose, named.
pub fn truncation(value: ValueRef<'_>, to: DataType, table: &str, column: &str) -> Message {
    let limit = to.limit().map_or(usize::MAX, usize::from);
    let kept = match value {
        ValueRef::Text(text) => to.encoding().fitting(text, limit.min(SHOWN)).to_owned(),
        // Bytes are not shown.
        _ => String::new(),
    };
    Message::numbered(2628, &[&table, &column, &kept])
}

/// The longest part of a value that a message shows.
const SHOWN: usize = 100;

/// Returns true if a text or bytes would lose more than blanks or zeros in a type.
pub fn truncates(value: ValueRef<'_>, to: DataType) -> bool {
    let Some(Length::Limited(limit)) = to.length() else { return false };
    let limit = usize::from(limit);
    match value {
        // No text has more bytes in another page than in UTF-8, nor more units of UTF-16.
        ValueRef::Text(text) if text.len() <= limit => false,
        ValueRef::Text(text) if to.is_string() => to.encoding().size(text.trim_end_matches(' ')) > limit,
        ValueRef::Binary(bytes) if to.is_binary() => {
            let kept = bytes.len() - bytes.iter().rev().take_while(|byte| **byte == 0).count();
            !binary::within(to.length(), kept)
        }
        _ => false,
    }
}
