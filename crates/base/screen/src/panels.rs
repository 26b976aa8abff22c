//! Panels beside the text plane: the menu bar, the popup menu, the message box, the message line and the caption.

use crate::characters::{decode, printable};
use crate::event::{Key, KeyPress};
use crate::frame::Operation;
use crate::menu::{Choice, Menu, Popup};

pub use crate::message_box::MessageBox;

/// The panels of a screen and their changes since the last frame.
#[derive(Debug, Default)]
pub struct Panels {
    menu: Menu,
    message_box: Option<MessageBox>,
    answer: Option<String>,
    popup: Option<Popup>,
    /// The answer of the popup menu: its choice, or none.
    choice: Option<Option<Choice>>,
    /// The number of the last message box or popup menu.
    opened: u32,
    messages: [String; 4],
    caption: String,
    changed: Changed,
}

/// The panels that have changed since the last frame.
#[derive(Clone, Copy, Debug, Default)]
struct Changed {
    menu: bool,
    menu_focus: bool,
    popup: bool,
    message_box: bool,
    messages: bool,
    caption: bool,
}

impl Panels {
    /// Replaces the menu bar; the empty one removes it.
    pub fn set_menu(&mut self, menu: Menu) {
        self.menu = menu;
        self.changed.menu = true;
    }

    /// The menu bar, to be changed.
    pub fn menu_mut(&mut self) -> &mut Menu {
        self.changed.menu = true;
        &mut self.menu
    }

    /// The menu bar; its path of the element that was chosen last is [`Menu::chosen`].
    pub fn menu(&self) -> &Menu {
        &self.menu
    }

    /// `MENU_BAR GOTO`: the focus goes to the menu bar.
    pub fn focus_menu(&mut self) {
        self.changed.menu_focus = true;
    }

    /// The user has chosen an element of the menu bar; the value of `CTL` if it can be chosen.
    pub(crate) fn choose_menu(&mut self, path: &str) -> Option<i32> {
        let value = self.menu.ctl;
        let item = self.menu.find_mut(path).filter(|item| item.enabled && item.items.is_empty())?;
        let value = item.ctl.unwrap_or(value);
        self.menu.chosen = item.path.clone();
        Some(value)
    }

    /// Opens a popup menu, whose place is given.
    pub(crate) fn open_popup(&mut self, mut popup: Popup) {
        self.opened = self.opened.wrapping_add(1);
        popup.number = self.opened;
        self.popup = Some(popup);
        self.choice = None;
        self.changed.popup = true;
    }

    /// Takes the answer of the popup menu, which closes it: the choice, or none if the user has closed it.
    pub fn take_choice(&mut self) -> Option<Option<Choice>> {
        let choice = self.choice.take()?;
        self.close_popup();
        Some(choice)
    }

    /// Closes the popup menu without a choice.
    pub fn close_popup(&mut self) {
        self.popup = None;
        self.changed.popup = true;
    }

    /// True while a popup menu waits for a choice.
    pub fn has_popup(&self) -> bool {
        self.popup.is_some()
    }

    /// The user has chosen an element of a popup menu, or closed it by the empty path.
    pub(crate) fn choose(&mut self, number: u32, path: &str) {
        let Some(popup) = self.popup.as_ref().filter(|popup| popup.number == number) else { return };
        let choice = popup.choice(path);
        if path.is_empty() || choice.is_some() {
            self.choice = Some(choice);
        }
    }

    /// The escape key closes a popup menu. Faces use the other keys themselves. Returns whether there is a popup menu.
    pub(crate) fn popup_key(&mut self, press: KeyPress) -> bool {
        if self.popup.is_none() {
            return false;
        }
        if press.key == Key::Escape {
            self.choice = Some(None);
        }
        true
    }

    /// Opens a message box.
    pub fn open_message_box(&mut self, mut message: MessageBox) {
        self.opened = self.opened.wrapping_add(1);
        message.number = self.opened;
        self.message_box = Some(message);
        self.answer = None;
        self.changed.message_box = true;
    }

    /// Takes the answer of the message box, which closes it.
    pub fn take_answer(&mut self) -> Option<String> {
        let answer = self.answer.take()?;
        self.close_message_box();
        Some(answer)
    }

    /// Closes the message box without an answer.
    pub fn close_message_box(&mut self) {
        self.message_box = None;
        self.changed.message_box = true;
    }

    /// True while a message box waits for an answer.
    pub(crate) fn has_message_box(&self) -> bool {
        self.message_box.is_some()
    }

    /// The user has pressed a button of a message box.
    pub(crate) fn answer_box(&mut self, number: u32, button: usize) {
        let Some(message) = self.message_box.as_ref().filter(|message| message.number == number) else { return };
        self.answer = message.buttons.get(button).cloned();
    }

    /// A key while a message box is open. Returns whether there is one.
    pub(crate) fn message_box_key(&mut self, press: KeyPress) -> bool {
        let Some(message) = &mut self.message_box else { return false };
        let count = message.buttons.len();
        match press.key {
            Key::Enter => self.answer = message.buttons.get(message.default).cloned(),
            Key::Escape => self.answer = message.escape().map(str::to_owned),
            Key::Left | Key::BackTab | Key::Up => message.default = (message.default + count - 1) % count,
            Key::Right | Key::Tab | Key::Down => message.default = (message.default + 1) % count,
            Key::Character(character) => {
                let matches =
                    |button: &&String| button.chars().next().is_some_and(|c| c.eq_ignore_ascii_case(&character));
                self.answer = message.buttons.iter().find(matches).cloned();
            }
            _ => {}
        }
        self.changed.message_box = true;
        true
    }

    pub(crate) fn set_message(&mut self, segment: u8, text: &[u8]) {
        if let Some(message) = self.messages.get_mut(usize::from(segment)) {
            *message = decode(text).chars().map(printable).collect();
            self.changed.messages = true;
        }
    }

    pub(crate) fn set_caption(&mut self, text: &[u8]) {
        self.caption = decode(text).into_owned();
        self.changed.caption = true;
    }

    /// The changes since the last call; everything for a face that has nothing yet.
    pub(crate) fn take_operations(&mut self, everything: bool, operations: &mut Vec<Operation>) {
        let changed = std::mem::take(&mut self.changed);
        if changed.caption || everything {
            operations.push(Operation::Caption(self.caption.clone()));
        }
        if changed.menu || everything {
            operations.push(Operation::Menu(self.menu.clone()));
        }
        if changed.menu_focus {
            operations.push(Operation::MenuFocus);
        }
        if changed.messages || everything {
            let messages = (0_u8..).zip(&self.messages);
            operations.extend(messages.map(|(segment, text)| Operation::MessageLine(segment, text.clone())));
        }
        match &self.message_box {
            _ if !changed.message_box && !everything => {}
            Some(message) => operations.push(Operation::MessageBox(message.clone())),
            None => operations.push(Operation::MessageBoxClosed),
        }
        match &self.popup {
            Some(popup) if changed.popup || everything => operations.push(Operation::Popup(popup.clone())),
            None if changed.popup => operations.push(Operation::PopupClosed),
            _ => {}
        }
    }
}
