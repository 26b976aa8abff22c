//! CREATE TRIGGER, and SET TRIGGERS.

use super::Parser;
use super::primary::refused;
use crate::error::Parse;
use crate::lexer::Kind;
use crate::tree::{Name, Statement, Trigger, Triggered};

impl Parser<'_> {
    pub(super) fn create_trigger(&mut self, replaces: bool) -> Parse<Statement> {
        let if_not_exists = self.accept("IF NOT EXISTS");
        let name = self.object_name()?;
        let event = match self.accept_any(&["INSERT", "UPDATE", "DELETE", "SELECT", "INSTEAD OF"]) {
            Some(event @ ("SELECT" | "INSTEAD OF")) => return Err(refused(&format!("{event} triggers"))),
            Some(event) => event,
            None => return Err(self.unexpected()),
        };
        let columns = match event == "UPDATE" && self.accept("OF") {
            true => self.list(Self::name)?,
            false => Vec::new(),
        };
        self.expect("ON")?;
        let table = self.object_name()?;
        let (old, new) = self.referencing()?;
        let mut trigger = Trigger {
            name,
            if_not_exists,
            replaces,
            event: event.to_owned(),
            columns,
            table,
            old,
            new,
            before: Vec::new(),
            each_row: Vec::new(),
            after: Vec::new(),
            is_disabled: false,
        };
        if self.accept("BEFORE") {
            trigger.before = self.triggered()?;
        }
        if self.accept("FOR EACH ROW") {
            trigger.each_row = self.triggered()?;
        }
        if self.accept("AFTER") {
            trigger.after = self.triggered()?;
        }
        if trigger.before.is_empty() && trigger.each_row.is_empty() && trigger.after.is_empty() {
            return Err(self.unexpected());
        }
        trigger.is_disabled = self.accept_any(&["ENABLED", "DISABLED"]) == Some("DISABLED");
        Ok(Statement::CreateTrigger(Box::new(trigger)))
    }

    /// `REFERENCING OLD AS pre NEW AS post`.
    fn referencing(&mut self) -> Parse<(Option<Name>, Option<Name>)> {
        let (mut old, mut new) = (None, None);
        if !self.accept("REFERENCING") {
            return Ok((old, new));
        }
        while let Some(word) = self.accept_any(&["OLD", "NEW"]) {
            self.accept("AS");
            let name = Some(self.name()?);
            match word {
                "OLD" => old = name,
                _ => new = name,
            }
        }
        match old.is_some() || new.is_some() {
            true => Ok((old, new)),
            false => Err(self.unexpected()),
        }
    }

    /// `WHEN (condition) (actions), (actions)`.
    fn triggered(&mut self) -> Parse<Vec<Triggered>> {
        self.list(|it| {
            let condition = match it.accept("WHEN (") {
                true => {
                    let condition = it.expression()?;
                    it.expect(")")?;
                    Some(condition)
                }
                false => None,
            };
            it.expect("(")?;
            let actions = it.list(Self::trigger_statement)?;
            it.expect(")")?;
            Ok(Triggered { condition, actions })
        })
    }

    /// `SET TRIGGERS FOR table DISABLED`, `SET TRIGGERS a, b ENABLED`, from the word behind SET.
    pub(super) fn set_triggers(&mut self) -> Parse<Option<Statement>> {
        if !self.accept("TRIGGERS") && !self.accept("TRIGGER") {
            return Ok(None);
        }
        let (mut names, mut table) = (Vec::new(), None);
        match self.accept("FOR") {
            true => table = Some(self.object_name()?),
            false => names = self.list(Self::object_name)?,
        }
        let is_enabled = match self.accept_any(&["ENABLED", "DISABLED"]) {
            Some(word) => word == "ENABLED",
            None => return Err(self.unexpected()),
        };
        match self.kind() {
            Kind::End => Ok(Some(Statement::SetTriggers(names, table, is_enabled))),
            _ if self.sees(";") => Ok(Some(Statement::SetTriggers(names, table, is_enabled))),
            _ => Err(self.unexpected()),
        }
    }
}
