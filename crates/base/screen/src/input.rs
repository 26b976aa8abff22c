//! Input: the queue of what users do before a program asks for it, and the field that is being edited.
//!
//! Keys and signals of controls wait in one queue in the order of their arrival, so that a user who types ahead gets what
//! a fast program would have given. `'CI'` empties it; a full queue refuses keys with the bell.

use crate::error::{MEMORY, Result, ScreenError};
use crate::event::{Key, KeyPress, ctl};
use crate::field::{Field, InputRequest, Modes, Outcome};
use crate::mnemonic::InputMode;
use std::collections::VecDeque;

/// The most entries of the queue.
const MOST_QUEUED: usize = 1024;
/// The most entries of the queue that programs put there.
pub(crate) const MOST_PREINPUT: usize = 65_536;

/// An entry of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Queued {
    /// A key for the field.
    Key(KeyPress),
    /// A character that the program has put there (`PREINPUT`).
    Preinput(char),
    /// The end of the input of such characters: a value of `CTL` and its `EOM`.
    PreinputEnd(i32, Vec<u8>),
    /// A value of `CTL` that ends the input, with its `EOM`.
    Signal(i32, Vec<u8>),
}

/// A finished input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputResult {
    /// The text.
    pub text: String,
    /// The value of `CTL`.
    pub ctl: i32,
    /// The value of `EOM`.
    pub eom: Vec<u8>,
    /// The position of the cursor in the text: `IND(0)`.
    pub index: usize,
}

/// The field of an input and its place.
#[derive(Debug)]
pub(crate) struct Active {
    pub field: Field,
    /// The number of the input, counted from the start of the program.
    pub number: u32,
    /// The cursor of the window when the input began.
    pub at: (u16, u16),
}

/// The state of input.
#[derive(Debug)]
pub(crate) struct Input {
    queue: VecDeque<Queued>,
    pub active: Option<Active>,
    pub result: Option<InputResult>,
    pub modes: Modes,
    /// `'BE'`
    pub echo: bool,
    pub type_ahead: bool,
    number: u32,
    /// Keys of the face that have been taken out of the queue.
    pub keys_done: u32,
    /// The break key was pressed.
    pub interrupted: bool,
}

impl Default for Input {
    fn default() -> Input {
        Input {
            queue: VecDeque::new(),
            active: None,
            result: None,
            modes: Modes::default(),
            echo: true,
            type_ahead: true,
            number: 0,
            keys_done: 0,
            interrupted: false,
        }
    }
}

impl Input {
    pub fn set_mode(&mut self, mode: InputMode, on: bool) {
        match mode {
            InputMode::Echo => self.echo = on,
            InputMode::Transparent => self.modes.transparent = on,
            InputMode::Edit => self.modes.edit = on,
            InputMode::Upper => self.modes.upper = on,
            InputMode::TypeAhead => self.type_ahead = on,
        }
    }

    /// Empties the queue.
    pub fn clear(&mut self) {
        self.keys_done = self
            .keys_done
            .wrapping_add(self.queue.iter().filter(|queued| matches!(queued, Queued::Key(_))).count() as u32);
        self.queue.clear();
    }

    /// Removes all but the input that the program itself has put there.
    fn clear_typed(&mut self) {
        let all = std::mem::take(&mut self.queue);
        let is_own = |queued: &Queued| matches!(queued, Queued::Preinput(_) | Queued::PreinputEnd(..));
        let (own, typed): (VecDeque<_>, VecDeque<_>) = all.into_iter().partition(is_own);
        self.queue = typed;
        self.clear();
        self.queue = own;
    }

    /// Begins an input at a cursor with `room` columns to its right.
    pub fn begin(&mut self, mut request: InputRequest, at: (u16, u16), room: usize) {
        request.hidden |= !self.echo;
        self.number = self.number.wrapping_add(1);
        self.active = Some(Active { field: Field::new(request, self.modes, room), number: self.number, at });
        self.result = None;
        if !self.type_ahead {
            self.clear_typed();
        }
    }

    /// Adds to the queue; false if it is full, or if a key comes while nothing waits for it and `'ET'` is set.
    pub fn push(&mut self, queued: Queued) -> bool {
        let refused = self.queue.len() >= MOST_QUEUED || (!self.type_ahead && self.active.is_none());
        if refused {
            if matches!(queued, Queued::Key(_)) {
                self.keys_done = self.keys_done.wrapping_add(1);
            }
            return false;
        }
        self.queue.push_back(queued);
        true
    }

    /// `PREINPUT`: a text and the value of `CTL` that ends its input, behind all other entries or before them.
    ///
    /// Errors: 31 beyond 65,536 characters.
    pub fn preinput(&mut self, text: &str, ctl: i32, first: bool) -> Result<()> {
        // Counted before anything is made of a long text.
        if text.chars().nth(MOST_PREINPUT).is_some() {
            return Err(ScreenError::new(MEMORY, "The input queue takes no more than 65,536 characters"));
        }
        let end = Queued::PreinputEnd(ctl, ctl::eom(if ctl == 0 { Key::Enter } else { function_key(ctl) }));
        let mut entries: Vec<Queued> = text.chars().map(Queued::Preinput).collect();
        entries.push(end);
        if self.queue.len() + entries.len() > MOST_PREINPUT {
            return Err(ScreenError::new(MEMORY, "The input queue takes no more than 65,536 characters"));
        }
        match first {
            true => entries.into_iter().rev().for_each(|entry| self.queue.push_front(entry)),
            false => self.queue.extend(entries),
        }
        Ok(())
    }

    /// True if the program has put input into the queue that is not used up.
    pub fn has_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Feeds the queue to the active field until the input ends. Returns whether a key was rejected.
    pub fn work(&mut self) -> bool {
        let mut rejected = false;
        while self.active.is_some() && self.result.is_none() {
            let Some(queued) = self.queue.pop_front() else { break };
            match queued {
                Queued::Signal(value, eom) | Queued::PreinputEnd(value, eom) => self.end(value, eom),
                Queued::Preinput(character) => rejected |= self.press(Key::Character(character)),
                Queued::Key(press) => {
                    self.keys_done = self.keys_done.wrapping_add(1);
                    rejected |= self.press(press.key);
                }
            }
        }
        rejected
    }

    fn press(&mut self, key: Key) -> bool {
        let Some(active) = &mut self.active else { return true };
        match active.field.press(key) {
            Outcome::Edited => false,
            Outcome::Rejected => true,
            Outcome::Ended(value) => {
                let eom =
                    if value == ctl::FULL && !matches!(key, Key::Function(_)) { Vec::new() } else { ctl::eom(key) };
                self.end(value, eom);
                false
            }
        }
    }

    /// Ends the active input.
    pub fn end(&mut self, value: i32, eom: Vec<u8>) {
        if let Some(active) = &self.active {
            let field = &active.field;
            self.result = Some(InputResult { text: field.text(), ctl: value, eom, index: field.cursor() });
        }
    }

    /// Takes the result and closes the field.
    pub fn take_result(&mut self) -> Option<InputResult> {
        let result = self.result.take()?;
        self.active = None;
        Some(result)
    }

    /// Closes the field without a result.
    pub fn cancel(&mut self) {
        self.active = None;
        self.result = None;
    }
}

/// The function key of a value of `CTL`, as far as there is one.
fn function_key(ctl: i32) -> Key {
    u8::try_from(ctl).ok().filter(|number| (1..=24).contains(number)).map_or(Key::Escape, Key::Function)
}
