//! Checks of a batch beyond its grammar that need no catalog.
//!
//! SQL Server compiles a batch or module as a whole, and reports these errors at compile time: variables that are not
//! declared (137, 1087) or twice (134), labels (132, 133), BREAK and CONTINUE without a WHILE (135, 136), RETURN with a
//! value in a module without a result (178), changes of table-valued parameters (10700), statements that functions must
//! not contain (443, 444), THROW without a CATCH (10704), USE in a module (154). The parser reports names and
//! statements in the order of the text; [`Checks`] records them. The scope of a declaration is from its place to the
//! end of the batch or module, whatever block it is in.

use crate::error::Diagnostic;
use crate::function_body::{self, Misplaced};
use crate::tree::{Name, ObjectName, StatementKind};
use mainstay_syntax::Span;
use std::collections::{HashMap, HashSet};

/// The kind of module that the statements belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Module {
    /// A batch of its own.
    Batch,
    /// A procedure.
    Procedure,
    /// A function that gives one value.
    ScalarFunction,
    /// A function that gives rows.
    TableFunction,
    /// A trigger.
    Trigger,
}

/// The kind of a variable's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableKind {
    /// A value, a cursor, or a table of a user's type.
    Scalar,
    /// A table declared in place.
    Table,
}

/// The books of one batch or module.
#[derive(Debug)]
pub(crate) struct Checks {
    module: Module,
    variables: HashMap<String, VariableKind>,
    /// Parameters that are tables, in lower case: READONLY.
    given_tables: HashSet<String>,
    labels: HashMap<String, Span>,
    gotos: Vec<Name>,
    loops: u32,
    catches: u32,
    errors: Vec<Diagnostic>,
}

impl Checks {
    pub(crate) fn new() -> Checks {
        Checks {
            module: Module::Batch,
            variables: HashMap::new(),
            given_tables: HashSet::new(),
            labels: HashMap::new(),
            gotos: Vec::new(),
            loops: 0,
            catches: 0,
            errors: Vec::new(),
        }
    }

    /// A module begins: what the batch declared does not count in it.
    pub(crate) fn enter_module(&mut self, module: Module) {
        self.finish_labels();
        self.module = module;
        self.variables.clear();
        self.given_tables.clear();
        self.labels.clear();
        (self.loops, self.catches) = (0, 0);
    }

    /// It turns out which kind of module this is.
    pub(crate) fn enter_module_kind(&mut self, module: Module) {
        self.module = module;
    }

    /// Everything that was found, once the text has ended.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.finish_labels();
        self.errors
    }

    fn finish_labels(&mut self) {
        for name in std::mem::take(&mut self.gotos) {
            if !self.labels.contains_key(&name.text.to_lowercase()) {
                let text = &name.text;
                let text =
                    format!("A GOTO statement references the label '{text}' but the label has not been declared.");
                self.errors.push(Diagnostic::new(133, name.span, text));
            }
        }
    }

    pub(crate) fn declare(&mut self, name: &Name, kind: VariableKind) {
        if self.variables.insert(name.text.to_lowercase(), kind).is_some() {
            let text = format!(
                "The variable name '{}' has already been declared. Variable names must be unique within a query batch \
                 or stored procedure.",
                name.text
            );
            self.errors.push(Diagnostic::new(134, name.span, text));
        }
    }

    /// A variable where a value is read (state 2) or set (state 1).
    pub(crate) fn scalar(&mut self, name: &Name, is_set: bool) {
        if !is_global(name) && self.variables.get(&name.text.to_lowercase()) != Some(&VariableKind::Scalar) {
            let text = format!("Must declare the scalar variable \"{}\".", name.text);
            self.errors.push(Diagnostic::new(137, name.span, text).state(if is_set { 1 } else { 2 }));
        }
    }

    /// A variable where a table is expected.
    pub(crate) fn table(&mut self, name: &Name) {
        if !self.variables.contains_key(&name.text.to_lowercase()) {
            let text = format!("Must declare the table variable \"{}\".", name.text);
            self.errors.push(Diagnostic::new(1087, name.span, text).state(2));
        }
    }

    /// A parameter of this name turns out to be READONLY.
    pub(crate) fn given_table(&mut self, name: &str) {
        self.given_tables.insert(name.to_lowercase());
    }

    /// A variable whose rows are changed.
    pub(crate) fn changed_table(&mut self, name: &Name) {
        if self.given_tables.contains(&name.text.to_lowercase()) {
            let text = format!("The table-valued parameter \"{}\" is READONLY and cannot be modified.", name.text);
            self.errors.push(Diagnostic::new(10700, name.span, text).severity(16));
        }
    }

    pub(crate) fn label(&mut self, name: &Name) {
        if self.labels.insert(name.text.to_lowercase(), name.span).is_some() {
            let text = format!(
                "The label '{}' has already been declared. Label names must be unique within a query batch or stored \
                 procedure.",
                name.text
            );
            self.errors.push(Diagnostic::new(132, name.span, text));
        }
    }

    pub(crate) fn goto(&mut self, name: &Name) {
        self.gotos.push(name.clone());
    }

    pub(crate) fn enter_loop(&mut self) {
        self.loops += 1;
    }

    pub(crate) fn leave_loop(&mut self) {
        self.loops = self.loops.saturating_sub(1);
    }

    pub(crate) fn enter_catch(&mut self) {
        self.catches += 1;
    }

    pub(crate) fn leave_catch(&mut self) {
        self.catches = self.catches.saturating_sub(1);
    }

    pub(crate) fn leave_loop_statement(&mut self, is_break: bool, span: Span) {
        if self.loops == 0 {
            let (number, word) = if is_break { (135, "BREAK") } else { (136, "CONTINUE") };
            let text = format!("Cannot use a {word} statement outside the scope of a WHILE statement.");
            self.errors.push(Diagnostic::new(number, span, text));
        }
    }

    pub(crate) fn return_value(&mut self, span: Span) {
        if !matches!(self.module, Module::Procedure | Module::ScalarFunction) {
            let text = "A RETURN statement with a return value cannot be used in this context.";
            self.errors.push(Diagnostic::new(178, span, text));
        }
    }

    pub(crate) fn rethrow(&mut self, span: Span) {
        if self.catches == 0 {
            let text = "To rethrow an error, a THROW statement must be used inside a CATCH block. Insert the THROW \
                        statement inside a CATCH block, or add error parameters to the THROW statement.";
            self.errors.push(Diagnostic::new(10704, span, text));
        }
    }

    pub(crate) fn use_database(&mut self, span: Span) {
        if self.module != Module::Batch {
            let text = "a USE database statement is not allowed in a procedure, function or trigger.";
            self.errors.push(Diagnostic::new(154, span, text));
        }
    }

    /// A statement, or something in it, that functions may not have.
    fn misplaced(&mut self, misplaced: &Misplaced, span: Span) {
        let error = match misplaced {
            Misplaced::SideEffect(what, state) => {
                let text = format!("Invalid use of a side-effecting operator '{what}' within a function.");
                Diagnostic::new(443, span, text).state(*state)
            }
            Misplaced::Rows => {
                let text = "Select statements included within a function cannot return data to a client.";
                Diagnostic::new(444, span, text).state(2)
            }
        };
        self.errors.push(error.severity(16));
    }

    fn is_in_function(&self) -> bool {
        matches!(self.module, Module::ScalarFunction | Module::TableFunction)
    }

    /// A statement has been read.
    pub(crate) fn statement(&mut self, statement: &StatementKind, span: Span) {
        if self.is_in_function()
            && let Some(misplaced) = function_body::misplaced(statement)
        {
            self.misplaced(&misplaced, span);
        }
    }

    /// A call has been read.
    pub(crate) fn call(&mut self, function: &ObjectName) {
        if self.is_in_function()
            && let Some(misplaced) = function_body::misplaced_call(function)
        {
            self.misplaced(&misplaced, function.span);
        }
    }

    /// The body of a function ends, with a RETURN or without.
    pub(crate) fn function_ends(&mut self, with_return: bool, span: Span) {
        if !with_return {
            let text = "The last statement included within a function must be a return statement.";
            self.errors.push(Diagnostic::new(455, span, text).state(2));
        }
    }
}

fn is_global(name: &Name) -> bool {
    name.text.starts_with("@@")
}
