//! Procedures, functions, triggers, views.

use super::Printer;
use crate::tree::*;

impl Printer {
    fn define(&mut self, define: DefineKind) {
        self.put(match define {
            DefineKind::Create => "CREATE",
            DefineKind::Alter => "ALTER",
            DefineKind::CreateOrAlter => "CREATE OR ALTER",
        });
    }

    fn parameter(&mut self, parameter: &Parameter) {
        self.put(&parameter.name.text);
        self.data_type(&parameter.data_type);
        self.put_if(parameter.varying, "VARYING");
        self.nullable(parameter.nullable);
        self.optional("=", parameter.default.as_ref());
        self.put_if(parameter.output, "OUTPUT");
        self.put_if(parameter.readonly, "READONLY");
    }

    fn module_body(&mut self, body: &Body) {
        match body {
            Body::Statements(statements) => self.statements(statements),
            Body::External(name) => self.external(name),
        }
    }

    pub(super) fn external(&mut self, name: &ObjectName) {
        self.put("EXTERNAL NAME");
        self.object(name);
    }

    fn begin_end(&mut self, statements: &[Statement]) {
        // A function compiled natively has its own kind of block.
        if let [Statement { kind: StatementKind::AtomicBlock(..), .. }] = statements {
            return self.statement(&statements[0]);
        }
        self.put("BEGIN");
        self.statements(statements);
        self.line();
        self.put("END");
    }

    pub(super) fn procedure(&mut self, procedure: &Procedure) {
        self.define(procedure.define);
        self.put("PROCEDURE");
        self.object(&procedure.name);
        if let Some(number) = &procedure.number {
            self.put(";");
            self.out.push_str(number);
        }
        self.list(&procedure.parameters, Self::parameter);
        self.with_words(&procedure.options);
        self.put_if(procedure.for_replication, "FOR REPLICATION");
        self.put("AS");
        self.module_body(&procedure.body);
    }

    pub(super) fn user_function(&mut self, function: &Function) {
        self.define(function.define);
        self.put("FUNCTION");
        self.object(&function.name);
        self.parens(&function.parameters, Self::parameter);
        self.put("RETURNS");
        match &function.returns {
            FunctionKind::Scalar(data_type, _) => self.data_type(data_type),
            FunctionKind::Inline(_) => self.put("TABLE"),
            FunctionKind::MultiStatement(name, elements, _) => {
                self.put(&name.text);
                self.put("TABLE");
                self.elements(elements);
            }
            FunctionKind::ExternalTable(elements, _) => {
                self.put("TABLE");
                self.elements(elements);
            }
        }
        self.with_words(&function.options);
        self.put("AS");
        match &function.returns {
            FunctionKind::Scalar(_, Body::Statements(statements)) => self.begin_end(statements),
            FunctionKind::Scalar(_, Body::External(name)) => self.external(name),
            FunctionKind::Inline(query) => {
                self.put("RETURN (");
                self.query(query);
                self.put(")");
            }
            FunctionKind::MultiStatement(_, _, statements) => self.begin_end(statements),
            FunctionKind::ExternalTable(_, name) => self.external(name),
        }
    }

    pub(super) fn trigger_target(&mut self, target: &TriggerTarget) {
        match target {
            TriggerTarget::Table(name) => self.object(name),
            TriggerTarget::Database => self.put("DATABASE"),
            TriggerTarget::Server => self.put("ALL SERVER"),
        }
    }

    pub(super) fn trigger(&mut self, trigger: &Trigger) {
        self.define(trigger.define);
        self.put("TRIGGER");
        self.object(&trigger.name);
        self.put("ON");
        self.trigger_target(&trigger.target);
        self.with_words(&trigger.options);
        self.put(if trigger.instead { "INSTEAD OF" } else { "AFTER" });
        self.list(&trigger.events, |printer, event| printer.put(event));
        self.put_if(trigger.append, "WITH APPEND");
        self.put_if(trigger.not_for_replication, "NOT FOR REPLICATION");
        self.put("AS");
        self.module_body(&trigger.body);
    }

    pub(super) fn view(&mut self, view: &View) {
        self.define(view.define);
        self.put("VIEW");
        self.object(&view.name);
        self.names(&view.columns);
        self.with_words(&view.options);
        self.put("AS");
        self.query(&view.query);
        self.put_if(view.check_option, "WITH CHECK OPTION");
    }
}
