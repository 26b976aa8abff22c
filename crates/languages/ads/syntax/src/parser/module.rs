//! Procedures, functions and triggers.

use super::Parser;
use crate::error::{PROCEDURES_IN_LIBRARIES, Parse, SqlError, TRIGGERS_IN_LIBRARIES};
use crate::tree::{Module, ModuleKind, Parameter, StatementKind, Trigger};

impl Parser<'_> {
    /// The rest of CREATE or ALTER.
    pub(super) fn module(&mut self, alter: bool) -> Parse<StatementKind> {
        match self.accept_any(&["PROCEDURE", "FUNCTION", "TRIGGER"]) {
            Some("PROCEDURE") => self.procedure(alter),
            Some("FUNCTION") => self.function(alter),
            Some(_) => self.trigger(alter),
            None => Err(self.unexpected()),
        }
    }

    fn procedure(&mut self, alter: bool) -> Parse<StatementKind> {
        let name = self.object_name()?;
        let (mut parameters, mut varying) = (Vec::new(), false);
        if self.accept("(") {
            while !self.sees(")") {
                if self.accept("CURSOR VARYING OUTPUT") {
                    varying = true;
                } else {
                    parameters.push(self.parameter()?);
                }
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        self.description()?;
        if self.accept("FUNCTION") {
            return Err(SqlError::unsupported(PROCEDURES_IN_LIBRARIES));
        }
        self.rest_of_module(Module {
            name,
            alter,
            kind: ModuleKind::Procedure(varying),
            parameters,
            body: Vec::new(),
            body_span: crate::tree::Span::default(),
        })
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let name = self.variable_name()?;
        let data_type = self.data_type()?;
        let output = self.accept("OUTPUT");
        Ok(Parameter { name, data_type, output })
    }

    fn function(&mut self, alter: bool) -> Parse<StatementKind> {
        let name = self.object_name()?;
        self.expect("(")?;
        let parameters = if self.sees(")") { Vec::new() } else { self.list(Self::parameter)? };
        self.expect(")")?;
        self.expect("RETURNS")?;
        let returns = self.data_type()?;
        self.description()?;
        self.rest_of_module(Module {
            name,
            alter,
            kind: ModuleKind::Function(returns),
            parameters,
            body: Vec::new(),
            body_span: crate::tree::Span::default(),
        })
    }

    fn rest_of_module(&mut self, module: Module) -> Parse<StatementKind> {
        let first = self.at;
        let body = self.body()?;
        self.expect("END")?;
        let body_span = self.span_from(first);
        self.description()?;
        Ok(StatementKind::CreateModule(Box::new(Module { body, body_span, ..module })))
    }

    fn trigger(&mut self, alter: bool) -> Parse<StatementKind> {
        let name = self.object_name()?;
        self.expect("ON")?;
        if self.accept("DATABASE") {
            return Err(SqlError::unsupported("triggers of the database"));
        }
        let table = self.object_name()?;
        let time = match self.accept_any(&["BEFORE", "INSTEAD OF", "AFTER", "ON CONFLICT", "CONFLICT ON", "CONFLICT"]) {
            Some(time @ ("BEFORE" | "INSTEAD OF" | "AFTER")) => time,
            Some(_) => "CONFLICT",
            None => return Err(self.unexpected()),
        };
        let Some(event) = self.accept_any(&["INSERT", "UPDATE", "DELETE"]) else { return Err(self.unexpected()) };
        if self.accept("FUNCTION") {
            return Err(SqlError::unsupported(TRIGGERS_IN_LIBRARIES));
        }
        let first = self.at;
        let body = self.body()?;
        self.expect("END")?;
        let body_span = self.span_from(first);
        let mut priority = 1;
        loop {
            if self.accept("PRIORITY") {
                priority = self.number()?.parse().unwrap_or(1);
            } else if self.accept_any(&["NO VALUES", "NO MEMOS", "NO TRANSACTION"]).is_none() {
                break;
            }
        }
        let trigger = Trigger { table, time: time.to_owned(), event: event.to_owned(), priority };
        Ok(StatementKind::CreateModule(Box::new(Module {
            name,
            alter,
            kind: ModuleKind::Trigger(trigger),
            parameters: Vec::new(),
            body,
            body_span,
        })))
    }
}
