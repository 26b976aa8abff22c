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
//! extensions, so that no table is written over. A file with other contents is refused: it must be new or empty, or begin
//! with `QUERY:`. When plans cannot be appended any more, SET EXPLAIN is turned off with one warning, and
//! statements go on. Source: "SET EXPLAIN" in the Guide to SQL: Syntax.

use crate::failure::{of_core, of_syntax};
use crate::scope::Names;
use crate::statement::Prepared;
use mainstay_columnar::values::value_at;
use mainstay_engine::{Database, Session as Core};
use mainstay_informix_syntax::reduce::{self, Mode};
use mainstay_informix_syntax::tree::{Explain, Statement as Tree};
use mainstay_session::Failure;
use mainstay_types::{Code, Value};
use mainstay_vfs::{Create, client_path};
use std::path::{Path, PathBuf};

/// The file that a statement without a name writes.
const FILE: &str = "sqexplain.out";
/// The extensions of files that may be written.
const EXTENSIONS: [&str; 4] = ["out", "txt", "log", "exp"];
/// The most bytes of a file to which plans are appended.
const MOST_BYTES: u64 = 64 << 20;

/// The first bytes of a file with plans.
const HEAD: &[u8] = b"QUERY:";

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

/// Refuses a file with other contents than plans.
///
/// Errors: -999 for such a file; those of reading it.
fn check_contents(database: &Database, path: &Path) -> Result<(), Failure> {
    let mut head = [0; HEAD.len()];
    // Opening a pipe may wait for another program.
    if !database.files().is_pipe_or_device(path) {
        match database.files().open(path).and_then(|file| file.read_at(&mut head, 0)) {
            Ok(0) => return Ok(()),
            Ok(_) if head == HEAD => return Ok(()),
            Ok(_) => {}
            Err(error) if error.code() == Code::NotFound => return Ok(()),
            Err(error) => return Err(of_core(&error, false)),
        }
    }
    let message = "SET EXPLAIN writes only files that are new, empty, or begin with \"QUERY:\": name another file";
    let subject = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Err(Failure { number: -999, subject, message: message.to_owned(), ..Failure::default() })
}

impl Explaining {
    /// The state after SET EXPLAIN, from the state before it.
    ///
    /// Errors: a file that must not be written, or cannot be.
    pub(crate) fn after(
        explain: &Explain,
        before: Option<&Explaining>,
        database: &Database,
    ) -> Result<Option<Explaining>, Failure> {
        Ok(match explain {
            Explain::Off => None,
            Explain::On { avoids_execution } => {
                let file = match before {
                    Some(before) => before.file.clone(),
                    None => file_of(database.path(), FILE)?,
                };
                check_contents(database, &file)?;
                Some(Explaining { file, avoids_execution: *avoids_execution })
            }
            Explain::File { name, appends } => {
                let explaining = Explaining { file: file_of(database.path(), name)?, avoids_execution: false };
                check_contents(database, &explaining.file)?;
                if !appends {
                    let created = database.files().create(&explaining.file, Create::Truncate);
                    created.map_err(|error| of_core(&error, false))?;
                }
                Some(explaining)
            }
        })
    }

    /// Appends the plan of a statement to the file.
    ///
    /// Errors: a file that cannot be written, or has other contents by now.
    pub(crate) fn append(&self, database: &Database, statement: &str, plan: &[String]) -> Result<(), Failure> {
        let text = if statement.is_empty() { "(a statement of a routine)" } else { statement.trim() };
        let entry = format!("QUERY:\n------\n{text}\n\n{}\n\n", plan.join("\n"));
        let failed = |error: mainstay_types::Error| of_core(&error, false);
        check_contents(database, &self.file)?;
        let file = database.files().create(&self.file, Create::OpenOrCreate).map_err(failed)?;
        let length = file.stamp().map_err(failed)?.len;
        if length < MOST_BYTES {
            file.write_at(entry.as_bytes(), length).map_err(failed)?;
        }
        Ok(())
    }
}

/// The statement of the core whose plan explains a statement; `None` for a statement without a plan.
///
/// Errors: those of reducing the statement.
pub(crate) fn explained(statement: &Prepared, values: &[Value], names: &Names<'_>) -> Result<Option<String>, Failure> {
    let tree = reduce::with_values(&statement.tree, values, &statement.parameters);
    let mode = || Mode::Execute(&[], &[]);
    let reduced = match &tree {
        Tree::Query(query) => reduce::query(query, mode(), names),
        Tree::Insert(insert) => reduce::insert(insert, mode(), names),
        Tree::Update(update) => reduce::update(update, mode(), names),
        Tree::Delete(delete) => reduce::delete(delete, mode(), names),
        Tree::Merge(merge) => reduce::merge(merge, mode(), names),
        _ => return Ok(None),
    };
    reduced.map(Some).map_err(|error| of_syntax(&error, &statement.text))
}

/// The lines of the plan of a statement of the core.
///
/// Errors: those of planning.
pub(crate) fn plan_of(core: &mut Core, statement: &str) -> Result<Vec<String>, Failure> {
    let failed = |error: mainstay_types::Error| of_core(&error, false);
    let mut answer = core.execute(&format!("EXPLAIN {statement}")).map_err(failed)?;
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
