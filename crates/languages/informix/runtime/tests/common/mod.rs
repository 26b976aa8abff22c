//! A session over an empty database in memory, and results as texts.
#![allow(dead_code, reason = "not every test needs all of it")]

use mainstay_engine::Database;
use mainstay_informix_runtime::Informix;
use mainstay_session::{Backend, Failure, Login, Prepared, Ran, Session};
use mainstay_types::Value;

/// A database in memory.
pub struct Shop {
    pub backend: Informix,
}

impl Shop {
    #[allow(dead_code, reason = "a test may have a folder")]
    pub fn new() -> Shop {
        let database = Database::in_memory().unwrap();
        let version = "IBM Informix Dynamic Server Version 14.10.FC7W1DE";
        Shop { backend: Informix::new(database, "shop", "mainstay", version) }
    }

    /// A database whose statements keep to limits of time and memory.
    #[allow(dead_code, reason = "not every test has limits")]
    pub fn limited(timeout: Option<std::time::Duration>, memory_bytes: Option<u64>) -> Shop {
        let options = mainstay_engine::Options {
            statement_timeout: timeout,
            memory_limit_bytes: memory_bytes,
            ..mainstay_engine::Options::default()
        };
        let database = Database::open_with(":memory:", options).unwrap();
        let version = "IBM Informix Dynamic Server Version 14.10.FC7W1DE";
        Shop { backend: Informix::new(database, "shop", "mainstay", version) }
    }

    /// A session of a client with a variable in its environment.
    #[allow(dead_code, reason = "not every test has one")]
    pub fn session_with(&self, name: &str, value: &str) -> Client {
        let environment = vec![(name.to_owned(), value.to_owned())];
        let login = Login { user: "ann".to_owned(), environment, ..Login::default() };
        Client(self.backend.session(&login).unwrap())
    }

    /// A session of a user who may only read.
    #[allow(dead_code, reason = "not every test has one")]
    pub fn reader(&self) -> Client {
        let login = Login { user: "bob".to_owned(), read_only: true, ..Login::default() };
        Client(self.backend.session(&login).unwrap())
    }

    pub fn session(&self) -> Client {
        let login = Login { user: "ann".to_owned(), ..Login::default() };
        Client(self.backend.session(&login).unwrap())
    }
}

/// A session.
pub struct Client(pub Box<dyn Session>);

/// A value as the tests write it.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Text(text) => text.clone(),
        value => value.to_string(),
    }
}

impl Client {
    pub fn prepare(&mut self, text: &str) -> Prepared {
        self.0.prepare(text).unwrap_or_else(|failure| panic!("{text}: {failure}"))
    }

    /// Runs a statement: its rows as texts, or how many it changed.
    pub fn try_run(&mut self, text: &str, values: &[Value]) -> Result<Vec<String>, Failure> {
        let prepared = self.0.prepare(text)?;
        let ran = self.0.execute(prepared.id, values);
        let result = ran.and_then(|ran| match ran {
            Ran::Done(done) => Ok(vec![format!("{} rows", done.rows)]),
            Ran::Rows(mut rows) => {
                let mut all = Vec::new();
                while let Some(row) = rows.next()? {
                    all.push(row.iter().map(shown).collect::<Vec<_>>().join("|"));
                }
                Ok(all)
            }
        });
        self.0.release(prepared.id);
        result
    }

    pub fn run(&mut self, text: &str) -> Vec<String> {
        self.try_run(text, &[]).unwrap_or_else(|failure| panic!("{text}: {failure}"))
    }

    #[allow(dead_code, reason = "not every test has parameters")]
    pub fn run_with(&mut self, text: &str, values: &[Value]) -> Vec<String> {
        self.try_run(text, values).unwrap_or_else(|failure| panic!("{text}: {failure}"))
    }

    /// The number of the error of a statement, and what it is about.
    pub fn fails(&mut self, text: &str) -> (i32, i32, String) {
        match self.try_run(text, &[]) {
            Ok(rows) => panic!("{text} gives {rows:?}"),
            Err(failure) => (failure.number, failure.detail, failure.subject),
        }
    }

    /// The declared types of a query's columns.
    #[allow(dead_code, reason = "not every test asks for them")]
    pub fn types(&mut self, text: &str) -> Vec<String> {
        let columns = self.prepare(text).columns;
        let shown = |column: mainstay_session::Column| {
            let declared = column.declared.unwrap_or_default();
            let numbers: String = declared.arguments.iter().map(|number| format!(" {number}")).collect();
            format!("{} {}{numbers}", column.name, declared.name)
        };
        columns.into_iter().map(shown).collect()
    }
}
