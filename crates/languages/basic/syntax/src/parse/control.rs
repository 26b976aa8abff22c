//! Controls of the screen: LIST_BOX and its relatives, and MSGBOX.

use super::{Parsed, Parser};
use crate::token::Token;
use crate::tree::*;

const ACTIONS: [&str; 16] = [
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
        }
        let mut control = Control { class: class.to_owned(), action, arguments: Vec::new(), options: Vec::new() };
        let mut first = true;
        while !self.at_end() {
            if !std::mem::take(&mut first) && !self.accept(",") && !self.accept(":") {
                return self.fail(format!("expected \",\", found {}", self.found()), "");
            }
            if let Some(option) = self.option()? {
                control.options.push(option);
            } else if self.is("*") {
                self.next();
                control.arguments.push(None);
            } else {
                control.arguments.push(Some(self.expression()?));
            }
        }
        if control.arguments.is_empty() {
            return self.fail(format!("{class} needs the number of a control"), "");
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
