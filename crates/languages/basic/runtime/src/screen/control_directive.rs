//! LIST_BOX and the other control directives. Source: the manual's page LIST_BOX, formats 1 to 7.

use super::control::{Control, ControlClass};
use crate::code::{ControlCode, Expr, NumberExpr, TextExpr};
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, Value};
use crate::number::Number;

/// The longest row (the limit of the directive).
const ROW: usize = 8192;
/// The most bytes of all rows of a control.
const CONTENTS: usize = 512 << 20;

impl Machine {
    pub(crate) fn control(&mut self, code: &ControlCode) -> Outcome<()> {
        let Some(class) = ControlClass::of(&code.class) else { return fail(99, code.class.as_str()) };
        let id = match code.arguments.first() {
            Some(Some(Expr::Number(id))) => self.whole_within(id, -32_000, 32_000)?,
            _ => return fail(60, "the number of the control"),
        };
        match code.action.as_str() {
            "" => self.create_control(class, id, code),
            "REMOVE" => match self.screen.controls.remove(id) {
                true => Ok(()),
                false => fail(65, format!("control {id}")),
            },
            "LOAD" => self.load_control(id, code),
            "FIND" | "READ" => self.read_control(id, code),
            "WRITE" => self.write_control(id, code),
            "ENABLE" | "UNLOCK" => self.control_state(id, |control| control.enabled = true),
            "DISABLE" | "LOCK" => self.control_state(id, |control| control.enabled = false),
            "SHOW" => self.control_state(id, |control| control.visible = true),
            "HIDE" => self.control_state(id, |control| control.visible = false),
            "ON" => self.control_state(id, |control| control.selected = 1),
            "OFF" => self.control_state(id, |control| control.selected = 0),
            "SET_FOCUS" => {
                self.control_state(id, |_| ())?;
                self.screen.controls.focus = id;
                Ok(())
            }
            "AUTO" => self.control_state(id, |_| ()),
            "GOTO" => {
                let row = self.row_argument(code, 1)?;
                self.control_state(id, |control| control.selected = row)
            }
            action => fail(99, format!("{} {action}", code.class)),
        }
    }

    fn control_state(&mut self, id: i64, change: impl FnOnce(&mut Control)) -> Outcome<()> {
        let Some(control) = self.screen.controls.get_mut(id) else { return fail(65, format!("control {id}")) };
        change(control);
        Ok(())
    }

    fn create_control(&mut self, class: ControlClass, id: i64, code: &ControlCode) -> Outcome<()> {
        let place = match code.arguments.get(1) {
            Some(Some(Expr::Text(TextExpr::Position(values)))) => self.place_of(values)?,
            _ => return fail(60, "the place of the control, as @(column,line,width,height)"),
        };
        let mut control = Control::new(class, place);
        if let Some(Some(Expr::Text(text))) = code.arguments.get(2) {
            control.text = self.text_value(text)?;
        }
        if let Some(options) = &code.options.text {
            control.options = self.text_value(options)?;
        }
        match self.screen.controls.insert(id, control) {
            true => Ok(()),
            false => fail(65, format!("control {id} exists")),
        }
    }

    fn place_of(&mut self, values: &[NumberExpr]) -> Outcome<[u16; 4]> {
        let mut place = [0, 0, 1, 1];
        for (slot, value) in place.iter_mut().zip(values) {
            let value = self.number(value)?.truncated().as_whole().unwrap_or(-1);
            *slot = u16::try_from(value).map_err(|_| Fault::with(29, "position of a control"))?;
        }
        Ok(place)
    }

    fn row_argument(&mut self, code: &ControlCode, index: usize) -> Outcome<usize> {
        match code.arguments.get(index) {
            Some(Some(Expr::Number(row))) => self.whole_within(row, 0, i64::from(u32::MAX)).map(|row| row as usize),
            _ => fail(60, "the number of a row"),
        }
    }

    /// With a row's number it inserts, appends (0) or removes (`*`); without one a delimited string replaces all rows.
    fn load_control(&mut self, id: i64, code: &ControlCode) -> Outcome<()> {
        if let Some(Some(Expr::Text(list))) = code.arguments.get(1) {
            let list = self.text_value(list)?;
            let rows = match list.split_last() {
                Some((delimiter, rest)) => rest.split(|byte| byte == delimiter).map(Box::from).collect(),
                None => Vec::new(),
            };
            self.give(list);
            return self.control_state(id, |control| control.set_rows(rows));
        }
        let row = self.row_argument(code, 1)?;
        match code.arguments.get(2) {
            Some(None) => {
                let mut removed = false;
                self.control_state(id, |control| removed = control.remove_row(row))?;
                if removed { Ok(()) } else { fail(42, format!("row {row}")) }
            }
            Some(Some(Expr::Text(text))) => {
                let text = self.text_value(text)?;
                if text.len() > ROW {
                    return fail(46, format!("a row has at most {ROW} bytes"));
                }
                let mut is_full = false;
                self.control_state(id, |control| {
                    is_full = control.row_bytes + text.len() > CONTENTS;
                    if !is_full {
                        control.insert_row(row, &text);
                    }
                })?;
                self.give(text);
                if is_full { fail(31, "the list is full") } else { Ok(()) }
            }
            _ => fail(60, "the text of the row"),
        }
    }

    /// READ: the selected row's number or text, or the text of a control. FIND: the text of a row, 0 for all rows.
    fn read_control(&mut self, id: i64, code: &ControlCode) -> Outcome<()> {
        let Some(control) = self.screen.controls.get(id) else { return fail(65, format!("control {id}")) };
        let row_text = |row: usize| row.checked_sub(1).and_then(|row| control.rows.get(row)).map(|row| row.to_vec());
        let is_list = matches!(control.class, ControlClass::ListBox | ControlClass::DropBox);
        if code.action == "READ" {
            let number = Value::Number(Number::whole(control.selected as i64));
            let text = match is_list {
                true => row_text(control.selected).unwrap_or_default(),
                false => control.text.clone(),
            };
            for (argument, target) in code.arguments.iter().zip(&code.targets).skip(1) {
                let Some(target) = target else { return fail(60, "READ needs variables") };
                let value =
                    if matches!(argument, Some(Expr::Text(_))) { Value::Text(text.clone()) } else { number.clone() };
                self.assign(target, value)?;
            }
            return Ok(());
        }
        let row = self.row_argument(code, 1)?;
        let Some(Some(target)) = code.targets.get(2) else { return fail(60, "FIND needs a variable") };
        let Some(control) = self.screen.controls.get(id) else { return fail(65, format!("control {id}")) };
        let text = match row {
            0 => {
                let mut all = Vec::with_capacity(control.row_bytes + control.rows.len());
                for row in &control.rows {
                    all.extend_from_slice(row);
                    all.push(crate::machine::SEPARATOR);
                }
                all
            }
            row => match control.rows.get(row - 1) {
                Some(text) => text.to_vec(),
                None => return fail(2, format!("row {row}")),
            },
        };
        self.assign(target, Value::Text(text))
    }

    /// WRITE: selects a row by its number or text, or sets the text of a control.
    fn write_control(&mut self, id: i64, code: &ControlCode) -> Outcome<()> {
        match code.arguments.get(1) {
            Some(Some(Expr::Number(row))) => {
                let row = self.whole_within(row, 0, i64::from(u32::MAX))? as usize;
                self.control_state(id, |control| control.selected = row)
            }
            Some(Some(Expr::Text(text))) => {
                let text = self.text_value(text)?;
                self.control_state(id, |control| {
                    if matches!(control.class, ControlClass::ListBox | ControlClass::DropBox) {
                        let row = control.rows.iter().position(|row| **row == *text);
                        control.selected = row.map_or(0, |row| row + 1);
                    } else {
                        control.text = text;
                    }
                })
            }
            _ => fail(60, "a row or a text"),
        }
    }
}
