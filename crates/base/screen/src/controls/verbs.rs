//! Verbs of directives that are the same for several kinds of control.
//!
//! Each takes the serial number of the current window to find the control, reports a missing one as error 65, and refuses a
//! verb that its kind does not have.

use super::{Contents, Control, Controls, Grid, LONGEST_TEXT, List, Name};
use crate::error::{CONTROL, CONTROL_ARGUMENT, LENGTH, Result, ScreenError};

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
        let list = self.get_mut(name, window)?.list_mut().filter(|_| name.kind != super::Kind::Grid);
        list.ok_or_else(|| not_for(name))
    }

    /// The grid of a name, which a face has to be told of again.
    pub fn grid_mut(&mut self, name: Name, window: u32) -> Result<&mut Grid> {
        let control = self.get_mut(name, window)?;
        control.changed = true;
        control.grid_mut().ok_or_else(|| not_for(name))
    }

    /// `ENABLE CONTROL` and `DISABLE CONTROL`: all controls of a number in the current window, or the radio button `sub` of a
    /// group. Errors: 65 if no control has the number.
    pub fn enable_all(&mut self, id: i32, sub: Option<i32>, window: u32, on: bool) -> Result<()> {
        let mut found = false;
        for control in self.all.iter_mut().filter(|control| control.is_of(id, window)) {
            if sub.is_none_or(|sub| control.name.sub == sub) {
                control.enabled = on && !control.has(b'd');
                control.changed = true;
                found = true;
            }
        }
        if found { Ok(()) } else { Err(missing(id)) }
    }

    /// `SET_FOCUS`: the focus to a control of the current window by its number; 0 gives it back to the input.
    ///
    /// Errors: 65 for a control that does not exist or is disabled.
    pub fn focus_by_id(&mut self, id: i32, window: u32) -> Result<()> {
        if id == 0 {
            self.set_focus(None);
            return Ok(());
        }
        let usable = |control: &&Control| control.is_of(id, window) && control.enabled && control.shown;
        let handle = self.all.iter().find(usable).map(|control| control.handle).ok_or_else(|| missing(id))?;
        self.set_focus(Some(handle));
        Ok(())
    }

    /// `SET_FOCUS READ`: the number of the control with the focus; 0 if no control has it.
    pub fn focused_id(&self) -> i32 {
        self.focus.and_then(|handle| self.by_handle(handle)).map_or(0, |control| control.name.id)
    }

    /// `SET_FOCUS RETRY`: leaving the control reports it, as after a change. Errors: 65.
    pub fn retry(&mut self, id: i32, window: u32) -> Result<()> {
        let control = self.all.iter_mut().find(|control| control.is_of(id, window)).ok_or_else(|| missing(id))?;
        control.edited = true;
        Ok(())
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

    /// The last action on the radio button of a group that is on; reading it resets it.
    pub fn take_group_mode(&mut self, id: i32) -> u8 {
        let sub = self.chosen(id);
        let is_chosen = |control: &&mut Control| control.name.kind == super::Kind::RadioButton && control.name.id == id;
        let chosen = self.all.iter_mut().filter(is_chosen).find(|control| control.name.sub == sub);
        chosen.map_or(0, |control| std::mem::take(&mut control.mode))
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
        (control.changed, control.caret) = (true, usize::MAX);
        let length = control.length;
        let Contents::Text(value) = &mut control.contents else { return Err(not_for(name)) };
        replace_text(value, length, text)
    }
}

/// Replaces the text of a text input, cut to a length.
pub(super) fn replace_text(value: &mut Vec<u8>, length: Option<usize>, text: &[u8]) -> Result<()> {
    if text.len() > LONGEST_TEXT {
        return Err(ScreenError::new(LENGTH, "A text input takes no more than 1 MB"));
    }
    *value = text.get(..length.unwrap_or(text.len())).unwrap_or(text).to_vec();
    Ok(())
}

fn missing(id: i32) -> ScreenError {
    ScreenError::new(CONTROL, format!("Control {id} does not exist or is disabled"))
}

fn not_for(name: Name) -> ScreenError {
    ScreenError::new(CONTROL_ARGUMENT, format!("{} has no such format", name.kind.name()))
}
