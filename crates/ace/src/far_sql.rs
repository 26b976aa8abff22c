//! SQL over the wire: a connection to a server has the statements of that server, and what runs SQL here may be served.
//!
//! ```text
//!   AdsExecuteSQL --> Far (a client) ~~~> Service::serve_sql --> Served --> the engine's SqlSession
//! ```

use std::path::Path;
use std::sync::Arc;

use mainstay_base::{Result, Value};
use mainstay_navigator::client::Client;
use mainstay_navigator::sql::{self, Statements, TransactionStep};

use crate::backend::{Column, Outcome, Parameter, Sql, SqlSession, Step};

/// The statements of a server.
pub struct Far(pub Arc<Client>);

fn far_step(step: &Step) -> TransactionStep {
    match step {
        Step::Begin => TransactionStep::Begin,
        Step::Commit => TransactionStep::Commit,
        Step::RollBack => TransactionStep::RollBack,
        Step::Savepoint(name) => TransactionStep::Savepoint(name.clone()),
        Step::RollBackTo(name) => TransactionStep::RollBackTo(name.clone()),
    }
}

fn near_step(step: &TransactionStep) -> Step {
    match step {
        TransactionStep::Begin => Step::Begin,
        TransactionStep::Commit => Step::Commit,
        TransactionStep::RollBack => Step::RollBack,
        TransactionStep::Savepoint(name) => Step::Savepoint(name.clone()),
        TransactionStep::RollBackTo(name) => Step::RollBackTo(name.clone()),
    }
}

impl SqlSession for Far {
    fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Outcome> {
        let parameters: Vec<(String, Value)> =
            parameters.iter().map(|parameter| (parameter.name.clone(), parameter.value.clone())).collect();
        let outcome = self.0.execute(sql, &parameters)?;
        let column = |(name, sql_type)| Column { name, sql_type };
        Ok(Outcome {
            columns: outcome.columns.into_iter().map(column).collect(),
            rows: outcome.rows,
            affected: outcome.affected,
            step: outcome.step.as_ref().map(near_step),
        })
    }

    fn prepare(&mut self, sql: &str) -> Result<Vec<String>> {
        self.0.prepare(sql)
    }

    fn set_table_type(&mut self, table_type: u32) {
        // Who cannot be told is told by the statement that follows.
        let _ = self.0.set_table_type(table_type);
    }

    fn transaction(&mut self, step: &Step) -> Result<()> {
        self.0.tell_statements(&far_step(step))
    }
}

/// What runs SQL here, for the clients of a server: to be given to `mainstay_navigator::server::Service::serve_sql`.
pub struct Served(pub Arc<dyn Sql>);

impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Served")
    }
}

impl sql::Sql for Served {
    fn open(&self, folder: &Path, user: &str) -> Result<Box<dyn Statements>> {
        Ok(Box::new(ServedSession(self.0.open(folder, user)?)))
    }
}

struct ServedSession(Box<dyn SqlSession>);

impl Statements for ServedSession {
    fn execute(&mut self, sql: &str, parameters: &[(String, Value)]) -> Result<sql::Outcome> {
        let parameters: Vec<Parameter> =
            parameters.iter().map(|(name, value)| Parameter { name: name.clone(), value: value.clone() }).collect();
        let outcome = self.0.execute(sql, &parameters)?;
        Ok(sql::Outcome {
            columns: outcome.columns.into_iter().map(|column| (column.name, column.sql_type)).collect(),
            rows: outcome.rows,
            affected: outcome.affected,
            step: outcome.step.as_ref().map(far_step),
        })
    }

    fn prepare(&mut self, sql: &str) -> Result<Vec<String>> {
        self.0.prepare(sql)
    }

    fn set_table_type(&mut self, table_type: u32) {
        self.0.set_table_type(table_type);
    }

    fn transaction(&mut self, step: &TransactionStep) -> Result<()> {
        self.0.transaction(&near_step(step))
    }
}
