//! Errors of screen operations, with the error numbers of Business BASIC.
//!
//! The numbers are those of the manual's list of messages (`appendix/list_of_messages`); the runtime turns an error into the
//! value of `ERR` and finds the dialect's own words for it. The message here names the cause.

use std::fmt;

/// Input was not complete in time.
pub const TIMEOUT: u16 = 0;
/// Nothing is left to read.
pub const END: u16 = 2;
/// The terminal or the browser is gone.
pub const NOT_READY: u16 = 4;
/// An element to be selected does not exist.
pub const NOT_FOUND: u16 = 11;
/// A string stands where a number is needed.
pub const NOT_A_NUMBER: u16 = 26;
/// A mnemonic or a position is unknown.
pub const UNKNOWN_MNEMONIC: u16 = 29;
/// The memory limit of a screen is reached.
pub const MEMORY: u16 = 31;
/// An index or another number is out of range.
pub const INTEGER: u16 = 41;
/// A string is too long.
pub const LENGTH: u16 = 46;
/// No window has this number.
pub const NO_WINDOW: u16 = 57;
/// The definition of a control is not valid.
pub const CONTROL_ARGUMENT: u16 = 60;
/// The control does not exist, or exists already.
pub const CONTROL: u16 = 65;
/// The definition of a menu is not valid.
pub const MENU: u16 = 87;
/// The property does not exist or cannot be changed.
pub const NO_PROPERTY: u16 = 88;
/// The user pressed the break key.
pub const BREAK: u16 = 127;

/// An error of a screen operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenError {
    /// The value of `ERR`.
    pub number: u16,
    /// The cause, in English.
    pub message: String,
}

impl ScreenError {
    /// An error with this number and cause.
    pub fn new(number: u16, message: impl Into<String>) -> ScreenError {
        ScreenError { number, message: message.into() }
    }
}

impl fmt::Display for ScreenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error #{}: {}", self.number, self.message)
    }
}

impl std::error::Error for ScreenError {}

/// The result of a screen operation.
pub type Result<T> = std::result::Result<T, ScreenError>;
