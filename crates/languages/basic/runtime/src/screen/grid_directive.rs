//! GRID, and the directives for any control: SET_FOCUS, ENABLE CONTROL, DISABLE CONTROL. Sources: the manual's pages
//! `directives/grid`, `set_focus`, `enable_control` and `disable_control`.

use super::menu_directive;
use crate::code::{ControlCode, Expr};
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, Value};
use crate::number::Number;
use mainstay_screen::controls::Name;
use mainstay_screen::controls::grid::Range;

/// The bytes of a control in the list of ENABLE CONTROL: its number in two bytes and the number within a group in one.
const LISTED_BYTES: usize = 3;
/// The most bytes of that list.
const LONGEST_LIST: usize = 90;

impl Machine {
    /// The directives of a grid that name cells; false for those that it shares with other controls.
    pub(super) fn grid_cells(&mut self, name: Name, code: &ControlCode) -> Outcome<bool> {
        match code.action.as_str() {
            "ADD" | "LOAD" | "DELETE" | "FIND" | "GOTO" | "WRITE" | "CLEAR" | "SELECT" | "LOCK" | "UNLOCK" => {}
            "READ" | "READ NEXT" => {
                let used = self.screen.with(|screen| screen.read_grid(name, code.action == "READ NEXT"))??;
                self.give_cell(code, used.cell)?;
                self.give_value(code, 3, Value::Text(used.value))?;
                return self.give_value(code, 4, Value::Text(vec![used.eom])).map(|()| true);
            }
            "SELECT READ" | "SELECT READ NEXT" => {
                let next = code.action == "SELECT READ NEXT";
                let cell = self.screen.with(|screen| screen.grid(name)?.read_selection(next))??;
                return self.give_cell(code, cell).map(|()| true);
            }
            "SELECT RESET" => {
                self.screen.with(|screen| screen.grid(name).map(|grid| grid.reset_selection()))??;
                return Ok(true);
            }
            _ => return Ok(false),
        }
        if code.action == "GOTO" && code.arguments.len() == 1 {
            return Ok(false);
        }
        let range = self.range_of(code)?;
        let (column, row) = (range.column, range.row);
        match code.action.as_str() {
            "ADD" => self.screen.with(|screen| screen.grid(name)?.add(column, row))??,
            "DELETE" => self.screen.with(|screen| screen.grid(name)?.delete(column, row))??,
            "CLEAR" => self.screen.with(|screen| screen.grid(name)?.write(range, b""))??,
            "SELECT" => self.screen.with(|screen| screen.grid(name)?.select(range))??,
            // The user changes no cell in any case.
            "LOCK" | "UNLOCK" => self.screen.with(|screen| screen.grid(name).map(drop))??,
            "GOTO" => self.screen.with(|screen| {
                screen.grid(name)?.go_to(column, row)?;
                screen.control(name, mainstay_screen::Verb::Goto)
            })??,
            "FIND" => {
                let value = self.screen.with(|screen| screen.grid(name)?.find(column, row))??;
                self.give_value(code, 3, Value::Text(value))?;
            }
            action => {
                let Some(Some(Expr::Text(text))) = code.arguments.get(3) else { return fail(60, "the contents") };
                let text = self.text_value(text)?;
                self.screen.with(|screen| match action {
                    "LOAD" => screen.grid(name)?.load(column, row, &text),
                    _ => screen.grid(name)?.write(range, &text),
                })??;
            }
        }
        Ok(true)
    }

    /// Column, row, and where they stand the width and the height.
    fn range_of(&mut self, code: &ControlCode) -> Outcome<Range> {
        let mut numbers = [0, 0, 1, 1];
        let arguments = code.arguments.iter().skip(1).zip(&mut numbers);
        for (argument, number) in arguments {
            match argument {
                Some(Expr::Number(value)) => *number = self.whole_within(value, -1, 1 << 20)?,
                _ => break,
            }
        }
        let [column, row, columns, rows] = numbers;
        let size = |number: i64| usize::try_from(number).map_err(|_| Fault::with(41, "size of a range"));
        Ok(Range { column, row, columns: size(columns)?, rows: size(rows)? })
    }

    fn give_cell(&mut self, code: &ControlCode, (column, row): (usize, usize)) -> Outcome<()> {
        self.give_value(code, 1, Value::Number(Number::whole(column as i64)))?;
        self.give_value(code, 2, Value::Number(Number::whole(row as i64)))
    }

    /// Assigns to the variable of an argument; one that the directive leaves out gets nothing.
    pub(super) fn give_value(&mut self, code: &ControlCode, index: usize, value: Value) -> Outcome<()> {
        match code.targets.get(index) {
            Some(Some(target)) => self.assign(target, value),
            Some(None) => fail(60, format!("{} needs variables", code.action)),
            None => Ok(()),
        }
    }

    /// A directive that names controls of any kind by their numbers.
    pub(super) fn any_control(&mut self, code: &ControlCode) -> Outcome<()> {
        match (code.class.as_str(), code.action.as_str()) {
            ("ENABLE CONTROL", _) => self.enable_controls(code, true),
            ("DISABLE CONTROL", _) => self.enable_controls(code, false),
            ("SET_FOCUS", "READ") => {
                let id = self.screen.with(|screen| screen.controls().focused_id())?;
                self.give_value(code, 0, Value::Number(Number::whole(i64::from(id))))
            }
            ("SET_FOCUS", action) => {
                let id = self.control_number(code, 0)?;
                Ok(self.screen.with(|screen| match action {
                    "RETRY" => screen.retry_focus(id),
                    _ => screen.focus_by_id(id),
                })??)
            }
            ("MENU_BAR", _) => menu_directive::menu_bar(self, code),
            ("POPUP_MENU", _) => menu_directive::popup_menu(self, code),
            ("PREINPUT", action) => menu_directive::preinput(self, code, action == "NEXT"),
            (class, _) => fail(99, class),
        }
    }

    /// Numbers of controls, or a string with three bytes for each.
    fn enable_controls(&mut self, code: &ControlCode, on: bool) -> Outcome<()> {
        for (index, argument) in code.arguments.iter().enumerate() {
            if let Some(Expr::Text(list)) = argument {
                let list = self.text_value(list)?;
                if list.len() % LISTED_BYTES != 0 || list.len() > LONGEST_LIST {
                    return fail(60, "a list has three bytes for each of at most 30 controls");
                }
                for control in list.chunks_exact(LISTED_BYTES) {
                    let [high, low, sub] = *control else { continue };
                    let sub = Some(i32::from(sub)).filter(|sub| *sub > 0);
                    let id = i32::from(i16::from_be_bytes([high, low]));
                    self.screen.with(|screen| screen.enable_all(id, sub, on))??;
                }
                continue;
            }
            let id = self.control_number(code, index)?;
            let sub = self.sub_number(code, index)?;
            self.screen.with(|screen| screen.enable_all(id, sub, on))??;
        }
        Ok(())
    }
}
