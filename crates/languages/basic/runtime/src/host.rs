//! The world of a session: screen, keyboard, clock, and the texts of programs.

use crate::fault::Outcome;
use mainstay_code_page as code_page;
use mainstay_screen::InputResult;
use mainstay_screen::field;
use mainstay_screen::menu::{Choice, Popup};
use mainstay_screen::mnemonic::Mnemonic;
use mainstay_screen::session::ScreenHandle;
use std::time::Duration;

/// A piece of output of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output<'a> {
    /// Characters at the cursor.
    Text(&'a [u8]),
    /// To the first column of the next line.
    NewLine,
    /// To a column, and a line if there is one; both from 0.
    Position(u16, Option<u16>),
    /// Any other mnemonic.
    Mnemonic(&'a Mnemonic),
}

/// A request for a line of input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRequest {
    /// The value to edit.
    pub initial: Vec<u8>,
    /// Characters are not shown.
    pub hidden: bool,
    /// The most characters (`LEN=`).
    pub limit: Option<usize>,
    /// Columns of the field (`SIZ=`). Without a limit the input ends when they are full, with CTL 5.
    pub size: Option<usize>,
    /// The character at which the cursor begins, from 0 (`IND=`).
    pub cursor: usize,
    /// How long to wait (`TIM=`).
    pub wait: Option<Duration>,
}

/// A line of input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The text.
    pub text: Vec<u8>,
    /// The value of CTL: 0 for Enter, 1 to n for function keys, 5 for a field that is full, the number of a control.
    pub ctl: i64,
    /// Where the cursor was, from 0 (`IND(0)`).
    pub cursor: usize,
    /// The value of EOM: the character that ended the input; empty for a field that is full.
    pub end: Vec<u8>,
}

/// The field of a screen for a request.
impl From<&InputRequest> for field::InputRequest {
    fn from(request: &InputRequest) -> field::InputRequest {
        field::InputRequest {
            text: code_page::decode(&request.initial).into_owned(),
            length: request.limit,
            size: request.size,
            index: request.cursor,
            hidden: request.hidden,
            ..field::InputRequest::default()
        }
    }
}

/// The result of such a field.
impl From<InputResult> for Input {
    fn from(result: InputResult) -> Input {
        Input {
            text: code_page::encode(&result.text).into_owned(),
            ctl: i64::from(result.ctl),
            cursor: result.index,
            end: result.eom,
        }
    }
}

/// The local time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Days since 1970-01-01.
    pub days: i64,
    /// Milliseconds since midnight.
    pub milliseconds: i64,
}

/// Screen, keyboard and clock of a session.
pub trait Host {
    /// The screen that a face of the host shows. A host with one gets no [`Host::output`].
    fn screen(&self) -> Option<ScreenHandle> {
        None
    }

    /// Shows something.
    ///
    /// Errors: 15 when the terminal is gone.
    fn output(&mut self, output: Output<'_>) -> Outcome<()>;

    /// Reads a line.
    ///
    /// Errors: 0 when the time is over, 2 when there will be no more input, 127 for the break key.
    fn input(&mut self, request: &InputRequest) -> Outcome<Input>;

    /// Passes on what was put out.
    fn flush(&mut self) -> Outcome<()>;

    /// Returns when everything that was put out is shown. MSE and WAIT 0 wait for it.
    fn barrier(&mut self) -> Outcome<()> {
        self.flush()
    }

    /// Pauses.
    fn wait(&mut self, time: Duration) -> Outcome<()>;

    /// The local time.
    fn clock(&mut self) -> Clock;

    /// A clock that never goes back.
    fn monotonic(&mut self) -> Duration;

    /// The user has asked to stop the program. Asked every few thousand operations.
    fn interrupted(&mut self) -> bool {
        false
    }

    /// The user is gone, and programs end. Asked with [`Host::interrupted`].
    fn hung_up(&mut self) -> bool {
        false
    }

    /// Shows a message and returns the button: `OK`, `YES`, `NO`, `CANCEL`.
    fn message_box(&mut self, text: &str, title: &str, options: &str) -> Outcome<String>;

    /// Shows a popup menu, at a place of the current window if one is given, and returns the choice; `None` if the user
    /// closes it.
    ///
    /// Errors: 2 when there will be no more input, 127 for the break key.
    fn popup_menu(&mut self, menu: Popup, at: Option<(u16, u16)>) -> Outcome<Option<Choice>>;
}

/// The texts of programs.
pub trait Programs {
    /// Reads a program by its name as it was written. `None` if there is none.
    ///
    /// Errors: 10 for a name that leads outside, 3.
    fn read(&mut self, name: &str) -> Outcome<Option<Vec<u8>>>;

    /// Writes a program (SAVE).
    ///
    /// Errors: 10 for a name that leads outside, 13 where programs cannot be written, 3.
    fn write(&mut self, _name: &str, _text: &[u8]) -> Outcome<()> {
        Err(crate::fault::Fault::with(13, "programs cannot be saved here"))
    }

    /// A number that changes when the program does; programs are compiled again then.
    fn stamp(&mut self, _name: &str) -> u64 {
        0
    }
}
