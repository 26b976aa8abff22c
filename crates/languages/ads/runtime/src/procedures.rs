//! Procedures of the folder, or of its dictionary; those of the system are [`crate::system_procedures`].
//!
//! A procedure finds its input as variables (`_name`) and as the one row of `__input`; the rows that it inserts into
//! `__output` are its result, or, with CURSOR VARYING OUTPUT, the rows of its last query.

use crate::functions::{DEEPEST, converted, given};
use crate::modules::Kind;
use crate::runner::{Runner, linked, raised};
use crate::session::Result;
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::compile::{Given, compile, routine_name};
use mainstay_ads_syntax::reduce::{literal, quoted, sql_type};
use mainstay_ads_syntax::tree::{Module, ModuleKind, Name, ObjectName};
use mainstay_ads_types::native;
use mainstay_area_session::{Column, Outcome};
use mainstay_types::{SqlType, Value};
use mainstay_vm::{Machine, Raised, RunArgument};
use std::collections::HashMap;

/// The FROM items for the tables that only a procedure or a trigger sees, by name.
pub(crate) type Tables = HashMap<String, String>;

/// One row as what stands in FROM.
pub(crate) fn row_text(columns: &[(String, SqlType)], row: &[Value]) -> String {
    let cells = columns.iter().zip(row).map(|((name, sql_type), value)| {
        let name = quoted(&name.to_lowercase());
        format!("{} AS {name}", literal(value, *sql_type))
    });
    format!("(SELECT {})", cells.collect::<Vec<_>>().join(", "))
}

/// Rows as what stands in FROM.
pub(crate) fn rows_text(rows: &Outcome) -> String {
    let columns: Vec<(String, SqlType)> =
        rows.columns.iter().map(|column| (column.name.clone(), column.sql_type)).collect();
    if rows.rows.is_empty() {
        let nothing = row_text(&columns, &vec![Value::Null; columns.len()]);
        return nothing.replacen("(SELECT ", "(SELECT * FROM (SELECT ", 1) + " AS \"#none\" WHERE FALSE)";
    }
    let line = |row: &Vec<Value>| {
        let cells = row.iter().zip(&columns).map(|(value, (_, sql_type))| literal(value, *sql_type));
        format!("({})", cells.collect::<Vec<_>>().join(", "))
    };
    let lines: Vec<String> = rows.rows.iter().map(line).collect();
    let heads = columns
        .iter()
        .enumerate()
        .map(|(place, (name, _))| format!("column{} AS {}", place + 1, quoted(&name.to_lowercase())));
    let heads: Vec<String> = heads.collect();
    format!("(SELECT {} FROM (VALUES {}) AS \"#rows\")", heads.join(", "), lines.join(", "))
}

impl Runner<'_> {
    /// EXECUTE PROCEDURE.
    pub(crate) fn procedure(
        &mut self,
        name: &ObjectName,
        arguments: &[Value],
        machine: &mut Machine,
    ) -> std::result::Result<(), Box<Raised>> {
        let known = routine_name(name);
        self.inner.refresh();
        let Some(stored) = self.inner.modules.find(Kind::Procedure, &known).cloned() else {
            let outcome = self.system_procedure(name, arguments).map_err(raised)?;
            self.took(outcome);
            return Ok(());
        };
        let Some(module) = stored.module() else { return Ok(()) };
        if let Some(dictionary) = &self.inner.modules.dictionary {
            crate::dictionary::require_to_run(dictionary, &stored).map_err(raised)?;
        }
        if self.inner.state.frames.len() >= DEEPEST {
            return Err(raised(SqlError::new(native::SCRIPT, "Procedures are nested too deeply")));
        }
        let parameters = given(module, "_").map_err(raised)?;
        if arguments.len() > parameters.len() {
            let text = format!("Too many arguments for the procedure {}", name.last());
            return Err(raised(SqlError::at(native::ARGUMENT, name.span, text)));
        }
        let values = parameters
            .iter()
            .enumerate()
            .map(|(place, parameter)| converted(arguments.get(place).unwrap_or(&Value::Null), parameter.sql_type));
        let values = values.collect::<Result<Vec<Value>>>().map_err(raised)?;
        let script = compile(&known, &stored.text, &module.body, &parameters, None).map_err(raised)?;
        let program = linked(script).map_err(raised)?;
        let output = self.output(module).map_err(raised)?;
        let mut tables = Tables::new();
        tables.insert("__input".to_owned(), input(&parameters, &values));
        if let Some((_, core)) = &output {
            tables.insert("__output".to_owned(), quoted(core));
        }
        self.inner.state.entering = tables;
        let arguments: Vec<RunArgument<'_>> = values.iter().map(|value| RunArgument::Value(value.as_ref())).collect();
        let before = std::mem::take(&mut self.outcome);
        let ran = self.run_module(machine, &program, &arguments);
        let last = std::mem::replace(&mut self.outcome, before);
        let given = match output {
            Some((table, core)) => {
                let rows = self.inner.core(&format!("SELECT * FROM {}", quoted(&core)));
                let dropped = self
                    .inner
                    .define(&mainstay_ads_syntax::tree::StatementKind::DropTable(table, false), &HashMap::new());
                ran?;
                dropped.and(rows).map(crate::answer::measured).map_err(raised)?
            }
            None => {
                ran?;
                let gives = matches!(module.kind, ModuleKind::Procedure(true));
                if gives { last } else { Outcome { affected: last.affected, ..Outcome::default() } }
            }
        };
        self.took(given);
        Ok(())
    }

    /// The table for a procedure's result: its name in the dialect, and in the core.
    fn output(&mut self, module: &Module) -> Result<Option<(ObjectName, String)>> {
        let outputs = module.parameters.iter().filter(|parameter| parameter.output);
        let columns: Vec<Column> = outputs
            .map(|parameter| {
                let sql_type = sql_type(&parameter.data_type).unwrap_or(SqlType::Integer);
                Column::new(&parameter.name.text, sql_type)
            })
            .collect();
        if columns.is_empty() {
            return Ok(None);
        }
        let text = format!("#__output{}", self.inner.state.frames.len());
        let name = ObjectName { parts: vec![Name { text, ..Name::default() }], ..ObjectName::default() };
        self.inner.table_of(&name, &Outcome { columns, ..Outcome::default() }, &[])?;
        let core = self.inner.core_name(&name)?;
        Ok(Some((name, core)))
    }
}

fn input(parameters: &[Given], values: &[Value]) -> String {
    if parameters.is_empty() {
        return "(SELECT 1 AS \"none\" WHERE FALSE)".to_owned();
    }
    let columns: Vec<(String, SqlType)> = parameters
        .iter()
        .map(|parameter| (parameter.name.trim_start_matches('_').to_owned(), parameter.sql_type))
        .collect();
    row_text(&columns, values)
}
