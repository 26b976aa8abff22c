//! The editor of an input field.
//!
//! A field starts in overstrike mode (manual, `parameters/im`); Insert toggles. A character that is typed first takes the place of a
//! text that `INPUT EDIT` has put there (manual, "Input Statements", Default Input Values), unless `IND=` places the cursor in it. `LEN=` limits the text, `SIZ=` is the width on the
//! screen and, without `LEN=`, the number of characters after which the input ends with `CTL=5`. A field that is longer
//! than its width scrolls. The browser's `field.js` follows the same rules to show typing before the server's answer.

use crate::event::{Key, ctl};

/// The longest input in characters.
const LONGEST: usize = 32 << 10;

/// Accepts, changes or refuses a character for a position of the text: the hook of format masks.
pub type Accept = Box<dyn Fn(usize, char) -> Option<char> + Send>;
/// Accepts or refuses the text when Enter is pressed.
pub type Validate = Box<dyn Fn(&str) -> bool + Send>;

/// The definition of an input.
#[derive(Default)]
pub struct InputRequest {
    /// The text to be edited (`INPUT EDIT`).
    pub text: String,
    /// `LEN=`: the longest text in characters.
    pub length: Option<usize>,
    /// `SIZ=`: the columns on the screen.
    pub size: Option<usize>,
    /// `IND=`: the first position of the cursor in the text.
    pub index: usize,
    /// Typed characters are not shown (`OBTAIN`).
    pub hidden: bool,
    /// Only characters of a number are accepted.
    pub numeric: bool,
    /// A hook for each character.
    pub accept: Option<Accept>,
    /// A hook for the whole text.
    pub validate: Option<Validate>,
}

impl std::fmt::Debug for InputRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InputRequest").field("length", &self.length).field("size", &self.size).finish_non_exhaustive()
    }
}

/// The modes that an input takes over from the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// `'ME'`
    pub edit: bool,
    /// `'BI'`
    pub transparent: bool,
    /// `'UC'`
    pub upper: bool,
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The field has changed, or the cursor has moved.
    Edited,
    /// The key has no use here.
    Rejected,
    /// The input has ended with this value of `CTL`.
    Ended(i32),
}

/// An input field that is being edited.
#[derive(Debug)]
pub struct Field {
    request: InputRequest,
    modes: Modes,
    text: Vec<char>,
    cursor: usize,
    insert: bool,
    /// Nothing was done to the text that the field began with.
    fresh: bool,
    /// The first character that is shown.
    scroll: usize,
    /// The columns on the screen.
    width: usize,
}

impl Field {
    /// A field that has `room` columns to the right edge of its window.
    pub fn new(request: InputRequest, modes: Modes, room: usize) -> Field {
        let mut text: Vec<char> = request.text.chars().collect();
        text.truncate(LONGEST);
        let width = request.size.or(request.length).unwrap_or(room).clamp(1, room.max(1));
        let cursor = request.index.min(text.len());
        let fresh = cursor == 0 && !text.is_empty();
        let mut field = Field { request, modes, text, cursor, insert: false, fresh, scroll: 0, width };
        field.text.truncate(field.limit());
        field.cursor = field.cursor.min(field.text.len());
        field.follow_cursor();
        field
    }

    fn limit(&self) -> usize {
        self.request.length.or(self.request.size).unwrap_or(LONGEST).min(LONGEST)
    }

    /// The text.
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// The position of the cursor in the text.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The first position that is shown.
    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// The columns on the screen.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The longest text.
    pub fn longest(&self) -> usize {
        self.limit()
    }

    /// True if characters are inserted.
    pub fn inserts(&self) -> bool {
        self.insert
    }

    /// True if typed characters are not shown.
    pub fn is_hidden(&self) -> bool {
        self.request.hidden
    }

    /// True if a face cannot foresee the effect of a key, because a hook or `SIZ=` decides.
    pub fn is_guarded(&self) -> bool {
        self.request.accept.is_some() || self.request.numeric || self.modes.transparent || self.ends_when_full()
    }

    /// True if letters become upper case.
    pub fn is_upper(&self) -> bool {
        self.modes.upper
    }

    /// True if a character that is typed next takes the place of the whole text.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// True if keys that the editor does not use end the input.
    pub fn is_edit_mode(&self) -> bool {
        self.modes.edit
    }

    fn ends_when_full(&self) -> bool {
        self.request.size.is_some() && self.request.length.is_none()
    }

    /// The characters of the columns on the screen.
    pub fn shown(&self) -> Vec<char> {
        let hidden = self.request.hidden;
        let visible = self.text.iter().skip(self.scroll).take(self.width);
        let mut shown: Vec<char> = visible.map(|c| if hidden { ' ' } else { *c }).collect();
        shown.resize(self.width, ' ');
        shown
    }

    /// Performs a key.
    pub fn press(&mut self, key: Key) -> Outcome {
        let outcome = match ctl::of_terminator(key) {
            Some(0) if self.request.validate.as_ref().is_some_and(|validate| !validate(&self.text())) => {
                Outcome::Rejected
            }
            Some(value) => Outcome::Ended(value),
            None => self.edit(key),
        };
        // A character that is refused leaves the text to be replaced by the next one.
        self.fresh &= outcome == Outcome::Rejected && matches!(key, Key::Character(_));
        self.follow_cursor();
        outcome
    }

    fn edit(&mut self, key: Key) -> Outcome {
        match key {
            Key::Character(character) => return self.type_character(character),
            Key::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.text.remove(self.cursor);
            }
            Key::Delete if self.cursor < self.text.len() => drop(self.text.remove(self.cursor)),
            Key::Insert => self.insert = !self.insert,
            Key::Left if self.cursor > 0 => self.cursor -= 1,
            Key::Right if self.cursor < self.text.len() => self.cursor += 1,
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = self.text.len(),
            other => match ctl::of_edit_key(other).filter(|_| self.modes.edit) {
                Some(value) => return Outcome::Ended(value),
                None => return Outcome::Rejected,
            },
        }
        Outcome::Edited
    }

    fn type_character(&mut self, character: char) -> Outcome {
        let byte = crate::characters::typed_byte(character, self.modes.upper);
        let character = mainstay_code_page::character(byte);
        let accepted = match &self.request.accept {
            Some(accept) => accept(self.cursor, character),
            None => Some(character),
        };
        let numeric = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | 'E' | 'e' | ' ');
        let Some(character) = accepted.filter(|c| !self.request.numeric || numeric(*c)) else {
            return Outcome::Rejected;
        };
        if self.fresh {
            self.text.clear();
        }
        if self.cursor < self.text.len() && !self.insert {
            if let Some(place) = self.text.get_mut(self.cursor) {
                *place = character;
            }
        } else if self.text.len() < self.limit() {
            self.text.insert(self.cursor, character);
        } else {
            return Outcome::Rejected;
        }
        self.cursor += 1;
        let full = self.ends_when_full() && self.cursor >= self.limit();
        if full { Outcome::Ended(ctl::FULL) } else { Outcome::Edited }
    }

    fn follow_cursor(&mut self) {
        if self.cursor < self.scroll {
            self.scroll = self.cursor;
        }
        // The cursor behind the last character of a full field stays in its last column.
        let last = if self.limit() <= self.width { self.width } else { self.width.saturating_sub(1) };
        if self.cursor > self.scroll + last {
            self.scroll = self.cursor - last;
        }
    }
}
