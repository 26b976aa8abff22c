//! Procedures, functions, triggers, views.

use super::Parser;
use crate::check::{Module, VariableKind};
use crate::error::{Diagnostic, Parse};
use crate::tree::*;
use mainstay_syntax::TokenKind;

/// The most parameters of a procedure or function ("Maximum capacity specifications" in SQL Server's manual).
const MOST_PARAMETERS: usize = 2100;

impl Parser<'_> {
    /// A module must be the first statement of its batch (111).
    pub(super) fn check_first(&mut self, create: usize, define: DefineKind, object: &str) {
        let before = &self.tokens[..create];
        if before.iter().any(|token| token.span.of(self.text) != ";") {
            let verb = match define {
                DefineKind::Create => "CREATE",
                DefineKind::Alter => "ALTER",
                DefineKind::CreateOrAlter => "CREATE OR ALTER",
            };
            let text = format!("'{verb} {object}' must be the first statement in a query batch.");
            self.errors.push(Diagnostic::new(111, self.tokens[create].span, text));
        }
    }

    /// The statements of a body: all to the end of the text.
    fn body(&mut self) -> Parse<Body> {
        if self.accept("EXTERNAL NAME") {
            return Ok(Body::External(self.object_name()?));
        }
        let mut statements = Vec::new();
        let errors = self.errors.len();
        self.statements_into(&mut statements, &[]);
        if statements.is_empty() && self.errors.len() == errors {
            return Err(self.unexpected());
        }
        Ok(Body::Statements(statements))
    }

    /// The name of a module, to which belongs what follows.
    fn module_name(&mut self, module: Module) -> Parse<ObjectName> {
        self.checks.enter_module(module);
        let name = self.object_name()?;
        self.module = Some(name.clone());
        Ok(name)
    }

    pub(super) fn procedure(&mut self, define: DefineKind) -> Parse<StatementKind> {
        let name = self.module_name(Module::Procedure)?;
        let mut number = None;
        if self.accept(";") {
            number = Some(self.take_name().text);
        }
        let parameters = if self.sees("(") {
            self.parens(Self::parameter)?
        } else if self.kind() == TokenKind::Variable {
            self.list(Self::parameter)?
        } else {
            Vec::new()
        };
        self.check_parameter_count(&parameters, define, "PROCEDURE");
        let options = self.with_words()?;
        let for_replication = self.accept("FOR REPLICATION");
        self.expect("AS")?;
        // A procedure may do nothing: scripts make one to have something to alter.
        while self.accept(";") {}
        let body = if self.kind() == TokenKind::End { Body::Statements(Vec::new()) } else { self.body()? };
        let procedure = Procedure { define, name, number, parameters, options, for_replication, body };
        Ok(StatementKind::Procedure(Box::new(procedure)))
    }

    /// Reports more parameters than a module may have (180).
    fn check_parameter_count(&mut self, parameters: &[Parameter], define: DefineKind, object: &str) {
        if let Some(first) = parameters.get(MOST_PARAMETERS) {
            let verb = if define == DefineKind::Alter { "ALTER" } else { "CREATE" };
            let text = format!(
                "There are too many parameters in this {verb} {object} statement. The maximum number is {MOST_PARAMETERS}."
            );
            self.errors.push(Diagnostic::new(180, first.name.span, text));
        }
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let name = self.variable()?;
        self.checks.declare(&name, VariableKind::Scalar);
        self.accept("AS");
        let data_type = self.data_type()?;
        let varying = self.accept("VARYING");
        let nullable = self.accept_any(&["NULL", "NOT NULL"]).map(|words| words == "NULL");
        let default = self.after("=", Self::execute_value)?;
        let output = self.accept_any(&["OUTPUT", "OUT"]).is_some();
        let readonly = self.accept("READONLY");
        if readonly {
            self.checks.given_table(&name.text);
        }
        Ok(Parameter { name, data_type, nullable, varying, default, output, readonly })
    }

    pub(super) fn function(&mut self, define: DefineKind) -> Parse<StatementKind> {
        let name = self.module_name(Module::TableFunction)?;
        let parameters = self.arguments(Self::parameter)?;
        self.check_parameter_count(&parameters, define, "FUNCTION");
        self.expect("RETURNS")?;
        let mut options = Vec::new();
        let returns = if self.kind() == TokenKind::Variable {
            let variable = self.variable()?;
            self.checks.declare(&variable, VariableKind::Table);
            self.expect("TABLE")?;
            let elements = self.table_elements()?;
            options = self.with_words()?;
            self.accept("AS");
            FunctionKind::MultiStatement(variable, elements, self.function_block()?)
        } else if self.accept("TABLE") {
            if self.sees("(") {
                let elements = self.table_elements()?;
                options = self.with_words()?;
                self.accept("AS");
                self.expect("EXTERNAL NAME")?;
                FunctionKind::ExternalTable(elements, self.object_name()?)
            } else {
                options = self.with_words()?;
                self.accept("AS");
                FunctionKind::Inline(Box::new(self.inline_query()?))
            }
        } else {
            self.checks.enter_module_kind(Module::ScalarFunction);
            let data_type = self.data_type()?;
            options.extend(self.with_words()?);
            self.accept("AS");
            let body = match self.accept("EXTERNAL NAME") {
                true => Body::External(self.object_name()?),
                false => Body::Statements(self.function_block()?),
            };
            FunctionKind::Scalar(data_type, body)
        };
        Ok(StatementKind::Function(Box::new(Function { define, name, parameters, returns, options })))
    }

    /// BEGIN .. END of a function, which ends with a RETURN.
    fn function_block(&mut self) -> Parse<Vec<Statement>> {
        if !self.sees("BEGIN") {
            return Err(self.unexpected());
        }
        let errors = self.errors.len();
        let statement = self.statement()?;
        let statements = match statement.kind {
            StatementKind::Block(statements) => statements,
            kind => vec![Statement { kind, ..statement }],
        };
        let ends_well = matches!(
            statements.last().map(|last| &last.kind),
            Some(StatementKind::Return(_)) | Some(StatementKind::AtomicBlock(..))
        );
        if self.errors.len() == errors {
            let end = self.tokens[self.at.saturating_sub(1)].span;
            self.checks.function_ends(ends_well, end);
        }
        Ok(statements)
    }

    /// `RETURN SELECT ..`, perhaps in parentheses.
    fn inline_query(&mut self) -> Parse<Query> {
        self.expect("RETURN")?;
        if self.sees_query() || !self.sees("(") {
            return self.module_query();
        }
        self.expect("(")?;
        let query = self.module_query()?;
        self.expect(")")?;
        Ok(query)
    }

    pub(super) fn trigger(&mut self, define: DefineKind) -> Parse<StatementKind> {
        let mut name = self.module_name(Module::Trigger)?;
        self.expect("ON")?;
        let target_span = self.span();
        let target = self.trigger_target()?;
        // One without a schema is in that of its table.
        if let (1, TriggerTarget::Table(table)) = (name.parts.len(), &target)
            && let Some(schema) = table.parts.len().checked_sub(2).and_then(|place| table.parts.get(place))
            && !schema.text.is_empty()
        {
            name.parts.insert(0, schema.clone());
        }
        let options = self.with_words()?;
        let instead = match self.accept_any(&["FOR", "AFTER", "INSTEAD OF"]) {
            Some(word) => word == "INSTEAD OF",
            None => return Err(self.unexpected()),
        };
        let first = self.span();
        let events = self.list(|parser| Ok(parser.word()?.text.to_ascii_uppercase()))?;
        if let Some((_, twice)) = events.iter().enumerate().find(|(place, event)| events[..*place].contains(event)) {
            let text =
                format!("Syntax error: Duplicate specification of the action \"{twice}\" in the trigger declaration.");
            self.errors.push(Diagnostic::new(1034, first, text));
        }
        if matches!(&target, TriggerTarget::Table(table) if table.last().starts_with('#')) {
            self.errors.push(Diagnostic::new(167, target_span, "Cannot create trigger on a temporary object."));
        }
        let append = self.accept("WITH APPEND");
        let not_for_replication = self.accept("NOT FOR REPLICATION");
        self.expect("AS")?;
        let body = self.body()?;
        let trigger = Trigger { define, name, target, options, instead, events, append, not_for_replication, body };
        Ok(StatementKind::Trigger(Box::new(trigger)))
    }

    pub(super) fn trigger_target(&mut self) -> Parse<TriggerTarget> {
        match self.accept_any(&["DATABASE", "ALL SERVER"]) {
            Some("DATABASE") => Ok(TriggerTarget::Database),
            Some(_) => Ok(TriggerTarget::Server),
            None => Ok(TriggerTarget::Table(self.object_name()?)),
        }
    }

    pub(super) fn enable_trigger(&mut self) -> Parse<StatementKind> {
        let enable = self.sees("ENABLE");
        self.advance();
        self.expect("TRIGGER")?;
        let names = if self.accept("ALL") { Vec::new() } else { self.list(Self::object_name)? };
        self.expect("ON")?;
        Ok(StatementKind::EnableTrigger(enable, names, self.trigger_target()?))
    }

    pub(super) fn view(&mut self, define: DefineKind) -> Parse<StatementKind> {
        let name = self.object_name()?;
        let columns = self.optional_parens(Self::name)?;
        let options = self.with_words()?;
        self.expect("AS")?;
        let in_parentheses = self.sees("( SELECT") && !self.sees_query();
        if in_parentheses {
            self.advance();
        }
        let query = self.module_query()?;
        if in_parentheses {
            self.expect(")")?;
        }
        let check_option = self.accept("WITH CHECK OPTION");
        self.accept(";");
        // A view is its batch's only statement.
        self.end()?;
        Ok(StatementKind::View(Box::new(View { define, name, columns, options, query, check_option })))
    }
}
