//! Controls of the screen: LIST_BOX and its relatives, GRID, directives for any control, menus, PREINPUT and MSGBOX.

use super::{Parsed, Parser};
use crate::token::Token;
use crate::tree::*;

const ACTIONS: [&str; 21] = [
    "LOAD",
    "FIND",
    "READ",
    "WRITE",
    "REMOVE",
    "ENABLE",
    "DISABLE",
    "HIDE",
    "SHOW",
    "GOTO",
    "AUTO",
    "SET_FOCUS",
    "ON",
    "OFF",
    "LOCK",
    "UNLOCK",
    "ADD",
    "DELETE",
    "CLEAR",
    "SELECT",
    "RESET",
];

impl Parser {
    /// A control behind its class.
    pub(super) fn control(&mut self, class: &str) -> Parsed<Kind> {
        let mut action = String::new();
        if let Token::Word(word, None, false) = self.peek().clone()
            && ACTIONS.contains(&word.as_str())
            && !self.is_ahead(1, ",")
        {
            self.next();
            action = word;
            // READ NEXT, SELECT READ, SELECT READ NEXT, SELECT RESET of grids.
            for further in ["READ", "RESET", "NEXT"] {
                if class == "GRID"
                    && matches!(action.as_str(), "READ" | "SELECT" | "SELECT READ")
                    && self.is_word(further)
                {
                    self.next();
                    action = format!("{action} {further}");
                }
            }
        }
        self.control_arguments(class, action)
    }

    /// MENU_BAR, with or without an action. Some actions have no arguments.
    pub(super) fn menu_bar(&mut self) -> Parsed<Kind> {
        let action = ACTIONS.into_iter().find(|action| self.accept_word(action)).unwrap_or_default();
        if !matches!(action, "CLEAR" | "RESET" | "GOTO" | "REMOVE") {
            return self.control_arguments("MENU_BAR", action.to_owned());
        }
        let options = self.options_after()?;
        let control =
            Control { class: "MENU_BAR".to_owned(), action: action.to_owned(), options, ..Control::default() };
        Ok(Kind::Control(Box::new(control)))
    }

    /// `PREINPUT` and `PREINPUT NEXT`.
    pub(super) fn preinput(&mut self) -> Parsed<Kind> {
        let action = if self.accept_word("NEXT") { "NEXT" } else { "" };
        self.control_arguments("PREINPUT", action.to_owned())
    }

    /// `SET_FOCUS`, `SET_FOCUS RETRY` and `SET_FOCUS READ` behind the first word.
    pub(super) fn set_focus(&mut self) -> Parsed<Kind> {
        let action = ["RETRY", "READ"].into_iter().find(|word| self.accept_word(word)).unwrap_or_default();
        self.control_arguments("SET_FOCUS", action.to_owned())
    }

    /// The numbers of controls, other arguments and options. A leading `*` makes a control global; `:` and a number behind
    /// the number of a control name a radio button of a group; `=` behind the place stands before the contents.
    pub(super) fn control_arguments(&mut self, class: &str, action: String) -> Parsed<Kind> {
        let mut control = Control { class: class.to_owned(), action, ..Control::default() };
        control.global = self.is("*") && !self.is_ahead(1, ",") && self.accept("*");
        while !self.at_end() {
            let is_first = control.arguments.is_empty() && control.options.is_empty();
            if !is_first && !self.accept(",") {
                return self.fail(format!("expected \",\", found {}", self.found()), "");
            }
            if let Some(option) = self.option()? {
                control.options.push(option);
                continue;
            }
            if self.is("*") {
                self.next();
                control.arguments.push(None);
                control.subs.push(None);
                continue;
            }
            let is_place = self.is("@");
            control.arguments.push(Some(if is_place { self.sum()? } else { self.expression()? }));
            let sub = if self.accept(":") { Some(self.expression()?) } else { None };
            control.subs.push(sub);
            if is_place && self.accept("=") {
                control.contents = Some(self.expression()?);
            }
        }
        if control.arguments.is_empty() {
            let needed = match class {
                "MENU_BAR" => "the number of the menu and its definition",
                "POPUP_MENU" => "the definition of the menu",
                "PREINPUT" => "a text or a value of CTL",
                _ => "the number of a control",
            };
            return self.fail(format!("{class} needs {needed}"), "");
        }
        Ok(Kind::Control(Box::new(control)))
    }

    pub(super) fn msgbox(&mut self) -> Parsed<Kind> {
        let mut values = vec![self.expression()?];
        let mut answer = None;
        while self.accept(",") {
            let value = self.expression()?;
            if values.len() >= 3 && super::expression::is_target(&value) {
                answer = Some(value);
                continue;
            }
            values.push(value);
        }
        Ok(Kind::MsgBox(values, answer))
    }
}
