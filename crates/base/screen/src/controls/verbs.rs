//! Verbs of directives that are the same for several kinds of control.
//!
//! Each takes the serial number of the current window to find the control, reports a missing one as error 65, and refuses a
//! verb that its kind does not have.

use super::{Contents, Control, Controls, LONGEST_TEXT, List, Name};
use crate::error::{CONTROL_ARGUMENT, LENGTH, Result, ScreenError};

impl Controls {
    /// `ENABLE` and `DISABLE`; a control with `OPT="d"` stays disabled.
    pub fn enable(&mut self, name: Name, window: u32, on: bool) -> Result<()> {
        self.change(name, window, |control| control.enabled = on && !control.has(b'd'))
    }

    /// `SHOW` and `HIDE`; a control with `OPT="h"` stays hidden.
    pub fn show(&mut self, name: Name, window: u32, on: bool) -> Result<()> {
        self.change(name, window, |control| control.shown = on && !control.has(b'h'))
    }

    /// `LOCK` and `UNLOCK`.
    pub fn lock(&mut self, name: Name, window: u32, on: bool) -> Result<()> {
        self.change(name, window, |control| control.locked = on)
    }

    /// `AUTO`.
    pub fn report_all(&mut self, name: Name, window: u32) -> Result<()> {
        self.change(name, window, |control| control.auto = true)
    }

    /// `SET_FOCUS`: the value of `CTL` when the control gets the focus; 0 reports nothing.
    pub fn report_focus(&mut self, name: Name, window: u32, ctl: i32) -> Result<()> {
        self.change(name, window, |control| control.focus_ctl = (ctl != 0).then_some(ctl))
    }

    fn change(&mut self, name: Name, window: u32, change: impl FnOnce(&mut Control)) -> Result<()> {
        let control = self.get_mut(name, window)?;
        change(control);
        control.changed = true;
        Ok(())
    }

    /// `GOTO`: the focus.
    pub fn go_to(&mut self, name: Name, window: u32) -> Result<()> {
        let handle = self.get_mut(name, window)?.handle;
        self.set_focus(Some(handle));
        Ok(())
    }

    /// The list of a list box or a drop box.
    pub fn list_mut(&mut self, name: Name, window: u32) -> Result<&mut List> {
        self.get_mut(name, window)?.list_mut().ok_or_else(|| not_for(name))
    }

    /// The way in which the user has used a control since the last call: `mode$` of `READ`.
    pub fn take_mode(&mut self, name: Name, window: u32) -> Result<u8> {
        Ok(std::mem::take(&mut self.get_mut(name, window)?.mode))
    }

    /// `ON` and `OFF` of buttons, check boxes and radio buttons. In a group of radio buttons the others go off.
    pub fn switch(&mut self, name: Name, window: u32, on: bool) -> Result<()> {
        let control = self.get_mut(name, window)?;
        control.changed = true;
        let handle = control.handle;
        match &mut control.contents {
            Contents::Button(state) | Contents::Toggle(state) => *state = on,
            _ => return Err(not_for(name)),
        }
        if on && name.kind == super::Kind::RadioButton {
            self.choose(handle);
        }
        Ok(())
    }

    /// True if a check box or a radio button is on, or a button is pressed.
    pub fn is_on(&mut self, name: Name, window: u32) -> Result<bool> {
        match self.get_mut(name, window)?.contents {
            Contents::Button(state) | Contents::Toggle(state) => Ok(state),
            _ => Err(not_for(name)),
        }
    }

    /// The `sub` of the radio button of a group that is on; 0 for none.
    pub fn chosen(&self, id: i32) -> i32 {
        let on = |control: &&Control| {
            let kind = control.name.kind == super::Kind::RadioButton && control.name.id == id;
            kind && matches!(control.contents, Contents::Toggle(true))
        };
        self.all.iter().find(on).map_or(0, |control| control.name.sub)
    }

    /// The text of a text input. Errors: 60 for another kind.
    pub fn text(&mut self, name: Name, window: u32) -> Result<Vec<u8>> {
        let control = self.get_mut(name, window)?;
        let strips = control.has(b'T');
        match &control.contents {
            Contents::Text(text) if strips => Ok(text.trim_ascii_end().to_vec()),
            Contents::Text(text) => Ok(text.clone()),
            _ => Err(not_for(name)),
        }
    }

    /// Replaces the text of a text input, cut to `LEN=`. Errors: 60 for another kind, 46 beyond 1 MB.
    pub fn set_text(&mut self, name: Name, window: u32, text: &[u8]) -> Result<()> {
        let control = self.get_mut(name, window)?;
        let Contents::Text(value) = &mut control.contents else { return Err(not_for(name)) };
        if text.len() > LONGEST_TEXT {
            return Err(ScreenError::new(LENGTH, "A text input takes no more than 1 MB"));
        }
        *value = text.get(..control.length.unwrap_or(text.len())).unwrap_or(text).to_vec();
        control.changed = true;
        Ok(())
    }
}

fn not_for(name: Name) -> ScreenError {
    ScreenError::new(CONTROL_ARGUMENT, format!("{} has no such format", name.kind.name()))
}
