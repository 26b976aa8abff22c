//! MENU_BAR, POPUP_MENU and PREINPUT. Sources: the manual's pages of these names below `directives`.

use crate::code::{ControlCode, Expr, TextExpr};
use crate::fault::{Outcome, fail};
use crate::machine::{Machine, Value};
use crate::number::Number;
use mainstay_code_page as code_page;
use mainstay_screen::menu::{Menu, MenuItem, Popup};

pub(super) fn menu_bar(machine: &mut Machine, code: &ControlCode) -> Outcome<()> {
    match code.action.as_str() {
        "" => {
            let ctl = machine.control_number(code, 0)?;
            let definition = text_argument(machine, code, 1, "the definition of the menu")?;
            let menu = Menu::parse(ctl, &definition)?;
            machine.screen.with(|screen| screen.panels_mut().set_menu(menu))
        }
        "READ" => {
            let chosen = machine.screen.with(|screen| screen.panels().menu().chosen.clone())?;
            give_text(machine, code, &chosen)
        }
        "FIND" => {
            let states = machine.screen.with(|screen| screen.panels().menu().states())?;
            give_text(machine, code, &states)
        }
        "LOAD" => {
            let states = text_argument(machine, code, 0, "the states of elements")?;
            let states = code_page::decode(&states);
            machine.screen.with(|screen| screen.panels_mut().menu_mut().set_states(&states))
        }
        "CLEAR" | "RESET" | "REMOVE" => machine.screen.with(|screen| screen.panels_mut().set_menu(Menu::default())),
        "GOTO" => machine.screen.with(|screen| screen.panels_mut().focus_menu()),
        "ON" => change_elements(machine, code, |item| item.checked = true),
        "OFF" => change_elements(machine, code, |item| item.checked = false),
        "ENABLE" => change_elements(machine, code, |item| item.enabled = true),
        "DISABLE" => change_elements(machine, code, |item| item.enabled = false),
        action => fail(99, format!("MENU_BAR {action}")),
    }
}

fn give_text(machine: &mut Machine, code: &ControlCode, text: &str) -> Outcome<()> {
    machine.give_value(code, 0, Value::Text(code_page::encode(text).into_owned()))
}

fn text_argument(machine: &mut Machine, code: &ControlCode, index: usize, needed: &str) -> Outcome<Vec<u8>> {
    match code.arguments.get(index) {
        Some(Some(Expr::Text(text))) => machine.text_value(text),
        _ => fail(60, format!("{} needs {needed}", code.class)),
    }
}

/// An element by its letters or its value of CTL.
fn change_elements(machine: &mut Machine, code: &ControlCode, change: impl Fn(&mut MenuItem)) -> Outcome<()> {
    let name = match code.arguments.first() {
        Some(Some(Expr::Number(_))) => machine.control_number(code, 0)?.to_string(),
        _ => code_page::decode(&text_argument(machine, code, 0, "an element")?).into_owned(),
    };
    Ok(machine.screen.with(|screen| screen.panels_mut().menu_mut().change(&name, change))??)
}

/// POPUP_MENU: a string gets the letters of the choice, a number its value; nothing chosen is "" or 0.
pub(super) fn popup_menu(machine: &mut Machine, code: &ControlCode) -> Outcome<()> {
    let (mut first, mut at) = (0, None);
    if let Some(Some(Expr::Text(TextExpr::Position(place)))) = code.arguments.first() {
        let [column, row] = &place[..] else { return fail(29, "the place of a menu is @(column,line)") };
        let column = machine.whole_within(column, 0, 1000)?;
        let row = machine.whole_within(row, 0, 1000)?;
        (first, at) = (1, Some((column as u16, row as u16)));
    }
    let definition = text_argument(machine, code, first, "the definition of the menu")?;
    let menu = Popup::parse(&definition)?;
    machine.host.flush()?;
    let choice = machine.host.popup_menu(menu, at);
    let choice = machine.waited(choice)?.unwrap_or_default();
    let value = match code.arguments.get(first + 1) {
        Some(Some(Expr::Text(_))) => Value::Text(code_page::encode(&choice.path).into_owned()),
        _ => Value::Number(Number::whole(i64::from(choice.value))),
    };
    machine.give_value(code, first + 1, value)
}

/// PREINPUT: a text, a value of CTL, or both; NEXT puts them before what waits already.
pub(super) fn preinput(machine: &mut Machine, code: &ControlCode, first: bool) -> Outcome<()> {
    let (text, ctl) = match code.arguments.as_slice() {
        [Some(Expr::Text(text)), rest @ ..] if rest.len() <= 1 => {
            let text = machine.text_value(text)?;
            (text, if rest.is_empty() { 0 } else { machine.control_number(code, 1)? })
        }
        [Some(Expr::Number(_))] => (Vec::new(), machine.control_number(code, 0)?),
        _ => return fail(20, "PREINPUT takes a text and a value of CTL"),
    };
    Ok(machine.screen.with(|screen| screen.preinput(&text, ctl, first))??)
}
