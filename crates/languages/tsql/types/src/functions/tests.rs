//! Calls of functions: the text of the value and its type, or the message.

mod formats;
mod harness;
mod random;
mod rows;
