//! A value under conversion from one type to another, and the errors of a failure.

use crate::context::Context;
use crate::messages::Message;
use crate::types::DataType;
use mainstay_types::ValueRef;

/// A value that is not NULL, and where it goes.
pub struct Source<'a> {
    /// The value, in the form of its type.
    pub value: ValueRef<'a>,
    /// Its type.
    pub from: DataType,
    /// The type that it shall have.
    pub to: DataType,
    /// The style of CONVERT, if one is given.
    pub style: Option<i32>,
    /// The session.
    pub context: &'a Context<'a>,
}

/// The longest part of a value that a message shows.
const SHOWN: usize = 128;

impl Source<'_> {
    /// The name of the source's type in messages about its value: CHAR and NCHAR are called by their varying kin.
    pub fn name(&self) -> &'static str {
        match self.from {
            DataType::Char(..) => "varchar",
            DataType::NChar(_) => "nvarchar",
            other => other.value_name(),
        }
    }

    /// 245: a text has not the form of the type.
    pub fn conversion_failed(&self) -> Message {
        let text = match self.value {
            ValueRef::Text(text) => crate::text::left(text, SHOWN, false).to_owned(),
            other => other.to_string(),
        };
        Message::numbered(245, &[&self.name(), &text, &self.to.value_name()])
    }

    /// 8114: the same for the types whose message does not show the text.
    pub fn not_converted(&self) -> Message {
        Message::numbered(8114, &[&self.name(), &self.to.value_name()]).state(5)
    }

    /// 529: the value is of a kind that the type cannot be made of.
    pub fn refused(&self) -> Message {
        Message::numbered(529, &[&self.from.message_name(), &self.to.message_name()]).state(2)
    }
}
