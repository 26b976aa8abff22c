//! LIST_BOX and the other control directives. Source: the manual's page LIST_BOX, formats 1 to 13, and the pages of the
//! other controls.

use crate::code::{ControlCode, Expr, NumberExpr, TextExpr};
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, Value};
use crate::number::Number;
use mainstay_screen::Verb;
use mainstay_screen::controls::{Area, Definition, Kind, Name};

fn kind_of(class: &str) -> Option<Kind> {
    Some(match class {
        "LIST_BOX" => Kind::ListBox,
        "DROP_BOX" => Kind::DropBox,
        "BUTTON" => Kind::Button,
        "CHECK_BOX" => Kind::CheckBox,
        "RADIO_BUTTON" => Kind::RadioButton,
        "MULTI_LINE" => Kind::MultiLine,
        "GRID" => Kind::Grid,
        _ => return None,
    })
}

fn verb_of(action: &str) -> Option<Verb> {
    Some(match action {
        "REMOVE" => Verb::Remove,
        "ENABLE" => Verb::Enable,
        "DISABLE" => Verb::Disable,
        "SHOW" => Verb::Show,
        "HIDE" => Verb::Hide,
        "GOTO" => Verb::Goto,
        "LOCK" => Verb::Lock,
        "UNLOCK" => Verb::Unlock,
        "AUTO" => Verb::Auto,
        "ON" => Verb::On,
        "OFF" => Verb::Off,
        _ => return None,
    })
}

fn is_list(name: Name) -> bool {
    matches!(name.kind, Kind::ListBox | Kind::DropBox)
}

impl Machine {
    pub(crate) fn control(&mut self, code: &ControlCode) -> Outcome<()> {
        let Some(kind) = kind_of(&code.class) else { return self.any_control(code) };
        let id = self.control_number(code, 0)?;
        let sub = self.sub_number(code, 0)?.unwrap_or(0);
        let name = Name { kind, id, sub };
        if kind == Kind::Grid && self.grid_cells(name, code)? {
            return Ok(());
        }
        match code.action.as_str() {
            "" => self.create_control(name, code),
            "LOAD" => self.load_control(name, code),
            "FIND" => self.find_in_control(name, code),
            "READ" => self.read_control(name, code),
            "WRITE" => self.write_control(name, code),
            "SET_FOCUS" => {
                let ctl = match code.arguments.get(1) {
                    Some(Some(Expr::Number(ctl))) => self.whole_within(ctl, -32_000, 32_000)? as i32,
                    _ => id,
                };
                self.change_control(name, Verb::SetFocus(ctl))
            }
            action => match verb_of(action) {
                Some(verb) => self.change_control(name, verb),
                None => fail(99, format!("{} {action}", code.class)),
            },
        }
    }

    pub(super) fn control_number(&mut self, code: &ControlCode, index: usize) -> Outcome<i32> {
        match code.arguments.get(index) {
            Some(Some(Expr::Number(id))) => Ok(self.whole_within(id, -32_000, 32_000)? as i32),
            _ => fail(60, "the number of the control"),
        }
    }

    /// The number of a radio button within its group.
    pub(super) fn sub_number(&mut self, code: &ControlCode, index: usize) -> Outcome<Option<i32>> {
        let sub = code.subs.get(index).and_then(Option::as_ref);
        sub.map(|sub| Ok(self.whole_within(sub, 0, 254)? as i32)).transpose()
    }

    fn change_control(&mut self, name: Name, verb: Verb) -> Outcome<()> {
        Ok(self.screen.with(|screen| screen.control(name, verb))??)
    }

    fn create_control(&mut self, name: Name, code: &ControlCode) -> Outcome<()> {
        let area = match code.arguments.get(1) {
            Some(Some(Expr::Text(TextExpr::Position(values)))) => self.area_of(values)?,
            _ => return fail(60, "the place of the control, as @(column,line,width,height)"),
        };
        let mut definition = Definition { area, global: code.global, ..Definition::default() };
        if let Some(Some(Expr::Text(text))) = code.arguments.get(2) {
            definition.contents = self.text_value(text)?;
        }
        if let Some(options) = &code.options.text {
            definition.options = self.text_value(options)?;
        }
        if let Some(separator) = &code.options.separator {
            definition.separator = self.text_value(separator)?.first().copied();
        }
        if let Some(length) = &code.options.length {
            definition.length = Some(self.whole_within(length, 1, 1 << 20)? as usize);
        }
        for (option, value) in &code.options.others {
            match value {
                Expr::Number(ctl) if option == "MNU" => {
                    definition.menu_ctl = self.whole_within(ctl, -32_000, 32_000)? as i32;
                }
                Expr::Number(_) => {}
                Expr::Text(text) => {
                    let text = self.text_value(text)?;
                    match option.as_str() {
                        "FMT" => definition.format = text,
                        "MSG" => definition.message = text,
                        "TIP" => definition.tip = text,
                        "TBL" => definition.table = text,
                        "FNT" => definition.font = text,
                        _ => {}
                    }
                }
            }
        }
        if let Some(key) = code.options.key.first() {
            definition.key = self.text_value(key)?.first().map(|byte| char::from(byte.to_ascii_lowercase()));
        }
        Ok(self.screen.with(|screen| screen.create(name, definition))??)
    }

    fn area_of(&mut self, values: &[NumberExpr]) -> Outcome<Area> {
        let mut place = [0.0, 0.0, 1.0, 1.0];
        for (slot, value) in place.iter_mut().zip(values) {
            let value = self.number(value)?.to_float();
            if !(0.0..10_000.0).contains(&value) {
                return Err(Fault::with(29, "position of a control"));
            }
            *slot = value as f32;
        }
        let [column, row, columns, rows] = place;
        Ok(Area { column, row, columns, rows })
    }

    fn row_argument(&mut self, code: &ControlCode, index: usize) -> Outcome<usize> {
        match code.arguments.get(index) {
            Some(Some(Expr::Number(row))) => self.whole_within(row, 0, i64::from(u32::MAX)).map(|row| row as usize),
            _ => fail(60, "the number of a row"),
        }
    }

    /// With a row's number it inserts, appends (0) or removes (`*`); without one a delimited string or an array replaces all
    /// rows.
    fn load_control(&mut self, name: Name, code: &ControlCode) -> Outcome<()> {
        if let (Some(None), Some(Some(array))) = (code.arguments.get(1), code.targets.get(1)) {
            let values = self.range_values(Some(array))?.unwrap_or_default();
            let elements: Vec<Vec<u8>> = values
                .into_iter()
                .filter_map(|value| if let Value::Text(text) = value { Some(text) } else { None })
                .collect();
            let elements = elements.iter().map(Vec::as_slice);
            return Ok(self.screen.with(|screen| screen.list(name)?.load_each(elements, None))??);
        }
        if let Some(Some(Expr::Text(list))) = code.arguments.get(1) {
            let list = self.text_value(list)?;
            self.screen.with(|screen| screen.list(name)?.load_all(&list))??;
            self.give(list);
            return Ok(());
        }
        let row = self.row_argument(code, 1)?;
        match code.arguments.get(2) {
            Some(None) => Ok(self.screen.with(|screen| screen.list(name)?.delete(row))??),
            Some(Some(Expr::Text(text))) => {
                let text = self.text_value(text)?;
                self.screen.with(|screen| screen.list(name)?.load(row, &text))??;
                self.give(text);
                Ok(())
            }
            _ => fail(60, "the text of the row"),
        }
    }

    /// FIND: the text of a row, 0 for all rows.
    fn find_in_control(&mut self, name: Name, code: &ControlCode) -> Outcome<()> {
        let row = self.row_argument(code, 1)?;
        let Some(Some(target)) = code.targets.get(2) else { return fail(60, "FIND needs a variable") };
        let text = self.screen.with(|screen| screen.list(name)?.find(row))??;
        self.assign(target, Value::Text(text))
    }

    /// READ: the selected row's number or text, the state of a check box, the radio button of a group that is on, or the text of
    /// a text input; a second string, and the only one of a button, takes the way in which the control was used last.
    fn read_control(&mut self, name: Name, code: &ControlCode) -> Outcome<()> {
        let (number, text) = self.screen.with(|screen| match name.kind {
            _ if is_list(name) => screen.list(name).map(|list| (list.selected_index(), list.selected_text())),
            Kind::MultiLine => screen.control_text(name).map(|text| (text.len(), text)),
            Kind::RadioButton => {
                let sub = screen.controls().chosen(name.id).max(0) as usize;
                Ok((sub, sub.to_string().into_bytes()))
            }
            _ => screen.is_on(name).map(|is_on| (usize::from(is_on), if is_on { b"1" } else { b"0" }.to_vec())),
        })??;
        // TBL= gives a character for each element, state or radio button.
        let place = if name.kind == Kind::CheckBox { number + 1 } else { number };
        let text = self.screen.with(|screen| screen.translated(name, place, text))?;
        let mode = match name.kind {
            Kind::RadioButton => self.screen.with(|screen| screen.take_group_mode(name.id))?,
            _ => self.screen.with(|screen| screen.take_mode(name))??,
        };
        let number = Value::Number(Number::whole(number as i64));
        for (index, (argument, target)) in code.arguments.iter().zip(&code.targets).enumerate().skip(1) {
            let Some(target) = target else { return fail(60, "READ needs variables") };
            let is_text = matches!(argument, Some(Expr::Text(_)));
            let value = match (is_text, index) {
                (true, 2..) => Value::Text(vec![mode]),
                (true, _) if name.kind == Kind::Button => Value::Text(vec![mode]),
                (true, _) => Value::Text(text.clone()),
                (false, _) => number.clone(),
            };
            self.assign(target, value)?;
        }
        Ok(())
    }

    /// WRITE: selects a row by its number or text, or sets the text of a control.
    fn write_control(&mut self, name: Name, code: &ControlCode) -> Outcome<()> {
        match code.arguments.get(1) {
            Some(Some(Expr::Number(row))) => {
                let row = self.whole_within(row, 0, i64::from(u32::MAX))? as usize;
                match is_list(name) {
                    true => Ok(self.screen.with(|screen| screen.list(name)?.select(row))??),
                    false => self.change_control(name, if row == 0 { Verb::Off } else { Verb::On }),
                }
            }
            Some(Some(Expr::Text(text))) => {
                let text = self.text_value(text)?;
                Ok(self.screen.with(|screen| match (name.kind, screen.place_in_table(name, &text)) {
                    (_, Some(place)) if is_list(name) => screen.list(name)?.select(place),
                    (Kind::CheckBox, Some(place)) => {
                        screen.control(name, if place == 2 { Verb::On } else { Verb::Off })
                    }
                    _ if is_list(name) => screen.list(name)?.select_text(&text),
                    // The state of a check box is "0" or "1".
                    (Kind::CheckBox, None) => screen.control(name, if text == b"1" { Verb::On } else { Verb::Off }),
                    _ => screen.set_control_text(name, &text),
                })??)
            }
            _ => fail(60, "a row or a text"),
        }
    }
}
