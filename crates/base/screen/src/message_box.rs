//! A message box: its text, its buttons, and the answer of the escape key.

use crate::characters::{decode, decode_fields, printable};

/// A message box that waits for an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageBox {
    /// A number by which an answer names it.
    pub number: u32,
    /// The lines of its text.
    pub lines: Vec<String>,
    /// The title.
    pub title: String,
    /// The words that the buttons answer with, `OK` and others.
    pub buttons: Vec<String>,
    /// The index of the button that Enter presses.
    pub default: usize,
    /// `STOP`, `INFO`, `QUESTION`, `EXCLAMATION` or nothing.
    pub icon: String,
    /// The seconds after which it closes with `TIMEOUT`.
    pub seconds: Option<u32>,
}

impl MessageBox {
    /// A message box with its options, separated by commas (manual, `directives/msgbox`). Unknown options are ignored.
    pub fn new(text: &[u8], title: Option<&[u8]>, options: &[u8]) -> MessageBox {
        let mut message = MessageBox {
            lines: decode_fields(text, '\n').split('\n').map(|line| line.chars().map(printable).collect()).collect(),
            title: title.map_or_else(|| "Error".to_owned(), |title| decode(title).into_owned()),
            ..MessageBox::default()
        };
        let mut buttons: &[&str] = &["OK"];
        for option in decode(options).to_ascii_uppercase().split(',').map(str::trim) {
            match option {
                "CANCEL" => buttons = &["OK", "CANCEL"],
                "RETRYCANCEL" => buttons = &["RETRY", "CANCEL"],
                "ABORT" => buttons = &["ABORT", "RETRY", "IGNORE"],
                "YESNO" => buttons = &["YES", "NO"],
                "YESNOCANCEL" => buttons = &["YES", "NO", "CANCEL"],
                "1" | "2" | "3" => message.default = option.parse::<usize>().map_or(0, |number| number - 1),
                "STOP" | "INFO" | "QUESTION" | "EXCLAMATION" => message.icon = option.to_owned(),
                "?" => message.icon = "QUESTION".to_owned(),
                "!" => message.icon = "EXCLAMATION".to_owned(),
                _ => {
                    let seconds = option.strip_prefix("TIM=").and_then(|seconds| seconds.parse().ok());
                    message.seconds = seconds.or(message.seconds);
                }
            }
        }
        message.buttons = buttons.iter().map(|button| (*button).to_owned()).collect();
        message.default = message.default.min(message.buttons.len() - 1);
        message
    }

    /// The answer of the escape key: the last button if it cancels, or the only one.
    pub fn escape(&self) -> Option<&str> {
        let last = self.buttons.last()?;
        (last == "CANCEL" || self.buttons.len() == 1).then_some(last)
    }
}
