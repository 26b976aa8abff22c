//! SET EXPLAIN: plans of the statements of a session, appended to a file below the folder of the database.
//!
//! ```text
//!   QUERY:
//!   ------
//!   select * from orders where id = 5
//!
//!   executor: row (index orders_pkey)
//!   ...
//! ```
//!
//! Head and statement are written as a server writes them; the plan is that of the core, which EXPLAIN shows. Parameters
//! and variables stand in it as the values that they have. A server writes into the home directory of its user: here the
//! file, `sqexplain.out` unless the statement names one, is in the folder of the database, and has one of a few
//! extensions, so that no table is written over. Source: "SET EXPLAIN" in the Guide to SQL: Syntax.

use crate::failure::{of_core, plain};
use crate::session::InformixSession;
use crate::statement::Prepared;
use mainstay_columnar::values::value_at;
use mainstay_informix_syntax::reduce::{self, Mode};
use mainstay_informix_syntax::tree::{Explain, Statement as Tree};
use mainstay_session::Failure;
use mainstay_types::Value;
use mainstay_vfs::{Create, client_path};
use std::path::{Path, PathBuf};

/// The file that a statement without a name writes.
const FILE: &str = "sqexplain.out";
/// The extensions of files that may be written.
const EXTENSIONS: [&str; 4] = ["out", "txt", "log", "exp"];
/// The most bytes of a file to which plans are appended.
const MOST_BYTES: u64 = 64 << 20;

/// The state of a session.
#[derive(Clone, Debug)]
pub(crate) struct Explaining {
    file: PathBuf,
    /// Statements are explained and not executed.
    pub avoids_execution: bool,
}

/// A file below a folder that plans may be written to.
fn file_of(folder: &Path, named: &str) -> Result<PathBuf, Failure> {
    let path = client_path(folder, named.trim());
    let has_extension = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    path.filter(has_extension).ok_or_else(|| {
        let message =
            "SET EXPLAIN writes files below the folder of the database, with the extension out, txt, log or exp";
        Failure { number: -999, subject: named.to_owned(), message: message.to_owned(), ..Failure::default() }
    })
}

impl InformixSession {
    /// SET EXPLAIN.
    ///
    /// Errors: -273 for a user who may only read; a file that cannot be written.
    pub(crate) fn set_explain(&mut self, explain: &Explain) -> Result<(), Failure> {
        if self.core.is_read_only() {
            return Err(plain(-273, "No UPDATE permission: SET EXPLAIN writes a file."));
        }
        let folder = self.shared.database.path().to_path_buf();
        self.explaining = match explain {
            Explain::Off => None,
            Explain::On { avoids_execution } => {
                let file = match self.explaining.take() {
                    Some(before) => before.file,
                    None => file_of(&folder, FILE)?,
                };
                Some(Explaining { file, avoids_execution: *avoids_execution })
            }
            Explain::File { name, appends } => {
                let explaining = Explaining { file: file_of(&folder, name)?, avoids_execution: false };
                if !appends {
                    let created = self.shared.database.files().create(&explaining.file, Create::Truncate);
                    created.map_err(|error| of_core(&error, false))?;
                }
                Some(explaining)
            }
        };
        Ok(())
    }

    /// Writes the plan of a statement that is about to run; true if it shall not run.
    ///
    /// Errors: a file that cannot be written.
    pub(crate) fn explain(&mut self, statement: &Prepared, values: &[Value]) -> Result<bool, Failure> {
        let Some(explaining) = self.explaining.clone() else { return Ok(false) };
        let plan = self.plan_of(statement, values).unwrap_or_else(|failure| vec![format!("no plan: {failure}")]);
        let text = if statement.text.is_empty() { "(a statement of a routine)" } else { statement.text.trim() };
        let entry = format!("QUERY:\n------\n{text}\n\n{}\n\n", plan.join("\n"));
        let failed = |error: mainstay_types::Error| of_core(&error, false);
        let file = self.shared.database.files().create(&explaining.file, Create::OpenOrCreate).map_err(failed)?;
        let length = file.stamp().map_err(failed)?.len;
        if length < MOST_BYTES {
            file.write_at(entry.as_bytes(), length).map_err(failed)?;
        }
        Ok(explaining.avoids_execution)
    }

    fn plan_of(&mut self, statement: &Prepared, values: &[Value]) -> Result<Vec<String>, Failure> {
        let names = self.names();
        let tree = reduce::with_values(&statement.tree, values, &statement.parameters);
        let mode = || Mode::Execute(&[], &[]);
        let reduced = match &tree {
            Tree::Query(query) => reduce::query(query, mode(), &names),
            Tree::Insert(insert) => reduce::insert(insert, mode(), &names),
            Tree::Update(update) => reduce::update(update, mode(), &names),
            Tree::Delete(delete) => reduce::delete(delete, mode(), &names),
            Tree::Merge(merge) => reduce::merge(merge, mode(), &names),
            _ => return Ok(Vec::new()),
        };
        let reduced = reduced.map_err(|error| crate::failure::of_syntax(&error, &statement.text))?;
        let failed = |error: mainstay_types::Error| of_core(&error, false);
        let mut answer = self.core.execute(&format!("EXPLAIN {reduced}")).map_err(failed)?;
        let mut lines = Vec::new();
        while let Some(batch) = answer.next_batch().map_err(failed)? {
            let Some(column) = batch.columns().first() else { continue };
            for row in 0..batch.num_rows() {
                if let Value::Text(line) = value_at(column.as_ref(), row).map_err(failed)? {
                    lines.push(line);
                }
            }
        }
        Ok(lines)
    }
}
