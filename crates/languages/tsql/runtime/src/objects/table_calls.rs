//! Table-valued functions that fill a table, called for the statements that read them.
//!
//! A plan reads a temporary table that contains the rows of all calls, with their arguments. The tables are reused by
//! later plans: a table is free when no plan uses it any more, so that planning a statement again creates no new one
//! and the catalog stays unchanged.

use crate::session::Inner;
use crate::session::state::Level;
use crate::statements::errors::{message_of, raised};
use crate::statements::query::Plan;
use crate::statements::runner::Runner;
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::reduce::{self, TableCall, TableFunction, quoted};
use mainstay_tsql_syntax::tree::StatementKind;
use mainstay_tsql_types::Message;
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Raised, RunArgument, StatementCall};
use std::cell::RefCell;
use std::sync::Arc;

/// The tables of a session's calls.
#[derive(Default)]
pub(crate) struct TableCalls {
    /// Those of the statement that is being planned.
    registered: RefCell<Vec<PlannedCall>>,
    tables: RefCell<Vec<Table>>,
}

struct Table {
    /// The text of the function.
    text: Arc<str>,
    /// The core's name of the table, which plans share.
    core: Arc<str>,
}

/// Calls of a function that a plan needs.
pub(crate) struct PlannedCall {
    call: TableCall,
    /// The core's name of the table for its rows.
    core: Arc<str>,
    /// The plan that computes the arguments.
    arguments: Option<Box<Plan>>,
}

impl TableCalls {
    /// A table for the rows of calls, made if none is free; the core's name of it.
    ///
    /// Errors: those of making it.
    pub(crate) fn register(
        &self,
        core: &mut mainstay_engine::Session,
        call: TableCall,
        function: &TableFunction,
        text: Arc<str>,
    ) -> Result<String, Message> {
        let mut tables = self.tables.borrow_mut();
        // A rollback may have taken one away.
        tables.retain(|table| {
            Arc::strong_count(&table.core) > 1 || matches!(core.changeable_columns(&table.core), Ok(Some(_)))
        });
        let free = tables.iter().find(|table| table.text == text && Arc::strong_count(&table.core) == 1);
        let name = match free {
            Some(table) => Arc::clone(&table.core),
            None => {
                let taken = |number: &usize| tables.iter().any(|table| *table.core == *format!("#call{number}"));
                let number = (1..).find(|number| !taken(number)).unwrap_or_default();
                let name: Arc<str> = format!("#call{number}").into();
                let own = function.columns.iter().map(|column| (column.name.clone(), column.data_type));
                let arguments = function.parameters.iter().enumerate();
                let arguments = arguments.map(|(place, (_, data_type, _))| (format!("#a{place}"), *data_type));
                let column =
                    |(name, data_type): (String, _)| format!("{} {}", quoted(&name), reduce::type_name(data_type));
                let columns: Vec<String> = own.chain(arguments).map(column).collect();
                let failed = |error: mainstay_types::Error| message_of(&error);
                core.execute(&format!("DROP TABLE IF EXISTS {}", quoted(&name))).map_err(failed)?;
                let text_of = format!("CREATE TEMPORARY TABLE {} ({})", quoted(&name), columns.join(", "));
                core.execute(&text_of).map_err(failed)?;
                tables.push(Table { text, core: Arc::clone(&name) });
                name
            }
        };
        self.registered.borrow_mut().push(PlannedCall { call, core: Arc::clone(&name), arguments: None });
        Ok(quoted(&name))
    }

    /// The calls of the statement that has been planned.
    pub(crate) fn planned(&self) -> Vec<PlannedCall> {
        match self.registered.try_borrow_mut() {
            Ok(mut registered) => std::mem::take(&mut *registered),
            Err(_) => Vec::new(),
        }
    }
}

impl Inner {
    /// All rows of a table of the core.
    pub(crate) fn all_rows(&mut self, core: &str) -> Result<Vec<Vec<Value>>, Box<Raised>> {
        let mut plan = self.plan(&format!("SELECT * FROM {}", quoted(core)), Vec::new(), Vec::new())?;
        Ok(self.rows_of(&mut plan, &[])?.rows.into_parts().0)
    }
}

impl Runner<'_> {
    /// Calls the functions of a plan.
    pub(crate) fn fill_calls(
        &mut self,
        plan: &mut Plan,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        // A function may run the statement that called it: what is taken out here is not there a second time.
        let mut calls = std::mem::take(&mut plan.calls);
        let filled = calls.iter_mut().try_for_each(|planned| self.fill_call(planned, host, call));
        plan.calls = calls;
        filled
    }

    fn fill_call(
        &mut self,
        planned: &mut PlannedCall,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        let mut asked = match planned.arguments.take() {
            Some(plan) => plan,
            None => {
                let arguments = planned.call.arguments.clone();
                Box::new(self.inner.plan(&arguments.text, arguments.parameters, Vec::new())?)
            }
        };
        let values = self.values(&mut asked, host, call)?;
        let given = self.inner.rows_of(&mut asked, &values)?.rows;
        planned.arguments = Some(asked);
        let Some(object) = self.inner.modules.find(&planned.call.name).cloned() else { return Ok(()) };
        let StatementKind::Function(function) = &object.statement.kind else { return Ok(()) };
        let mainstay_tsql_syntax::tree::FunctionKind::MultiStatement(table, ..) = &function.returns else {
            return Ok(());
        };
        let loaded = self.inner.load(&object).map_err(|message| raised(*message))?;
        let mut all = Vec::new();
        for row in given.iter() {
            let argument = |(place, default): (usize, &bool)| match default {
                true => RunArgument::Default,
                false => RunArgument::Value(row.get(place).map_or(ValueRef::Null, Value::as_ref)),
            };
            let arguments: Vec<RunArgument<'_>> = planned.call.defaults.iter().enumerate().map(argument).collect();
            self.coming = Some(Level { returns: Some(table.text.to_lowercase()), ..Level::default() });
            self.returned.clear();
            self.expect(&loaded);
            let program = Arc::clone(&loaded.program);
            self.silent += 1;
            let outcome = call.machine().run(self, &program, &arguments);
            self.silent -= 1;
            outcome?;
            for mut result in std::mem::take(&mut self.returned) {
                result.extend(row.iter().take(planned.call.defaults.len()).cloned());
                all.push(result);
            }
        }
        let core = quoted(&planned.core);
        self.inner.execute(&format!("DELETE FROM {core}"))?;
        let width = all.first().map_or(0, Vec::len);
        self.inner.insert_rows(&core, width, &all)
    }
}
