//! CREATE TABLE: empty or from a query, permanent or temporary.

use super::{Session, nothing};
use crate::dbf::is_dbf;
use crate::describe;
use crate::native::{Definitions, key_of};
use mainstay_planner::{Answer, Constraint, CreateTable, CreateView, Name, query_names};
use mainstay_types::{Cause, Code, Error, Result};
use std::path::PathBuf;
use std::sync::Arc;

/// The savepoint before a table is made of a query. Names that users give are in lower case.
const BEFORE_TABLE: &str = "CREATE TABLE";

/// The message for a table or view with the name of a file.
pub(super) fn hides(name: &Name, file: &str) -> String {
    format!("{name} hides {file}: statements find it, and not the file, until it is dropped or renamed")
}

/// Sees that the query of what is created does not read what that would hide.
///
/// Errors: `Unsupported`.
fn check_not_read(name: &Name, query: &str) -> Result<()> {
    if !query_names(query, &key_of(name))? {
        return Ok(());
    }
    let message = format!("the query reads {name}, which what it is to make would hide");
    Err(Error::new(Code::Unsupported, message).about(&name.key).hint("give what is made another name"))
}

impl Session {
    /// CREATE TABLE. A table may have the name of a file of the folder; the statement then gives a notice.
    pub(super) fn create_table(&mut self, text: &str, create: &CreateTable) -> Result<Answer> {
        if is_dbf(create) {
            return self.create_dbf(create);
        }
        let file = if create.temporary { None } else { self.file_to_hide(&create.name) };
        if let (Some(file), true) = (&file, create.if_not_exists) {
            return Ok(nothing().with_notice(Some(format!("there is a table {} already: {file}", create.name))));
        }
        let created = self.create_table_of(text, create).map_err(|error| self.of_referred_file(create, error))?;
        Ok(created.with_notice(file.map(|file| hides(&create.name, &file))))
    }

    /// The error of a table that refers to a file: that is there, and has no keys.
    fn of_referred_file(&self, create: &CreateTable, error: Error) -> Error {
        let of_columns = create.columns.iter().flat_map(|clause| &clause.constraints);
        if error.cause() != Some(Cause::ReferencedTable) {
            return error;
        }
        let is_missing = |name: &Name| error.subject() == Some(key_of(name).as_str());
        let file = of_columns.chain(&create.constraints).find_map(|constraint| match constraint {
            Constraint::ForeignKey(references) if is_missing(&references.table) => {
                self.file_to_hide(&references.table).map(|file| (&references.table, file))
            }
            _ => None,
        });
        match file {
            Some((name, file)) => {
                let message = format!("{name} is the file {file}, which has no key that a table can refer to");
                Error::new(Code::Unsupported, message).about(&name.key)
            }
            None => error,
        }
    }

    /// The file of the folder that is the table of this name.
    ///
    /// Errors: those of looking at the folder.
    pub fn file_named(&self, name: &str) -> Result<Option<PathBuf>> {
        self.database.shared.catalog.file_named(&name.to_lowercase())
    }

    /// The file of the folder that is found by a name as long as nothing else has it.
    pub(super) fn file_to_hide(&self, name: &Name) -> Option<String> {
        if self.is_known(name).unwrap_or(true) {
            return None;
        }
        let file = self.database.shared.catalog.file_named(&key_of(name)).ok().flatten()?;
        Some(file.file_name()?.to_string_lossy().into_owned())
    }

    /// The same with its rows when it is made of a query: both are one change.
    fn create_table_of(&mut self, text: &str, create: &CreateTable) -> Result<Answer> {
        let Some(query) = &create.query else {
            return self.create_empty(text, create);
        };
        let database = self.database.clone();
        if create.if_not_exists && self.is_known(&create.name)? {
            return Ok(nothing());
        }
        let planned = self.planned_within(text, query, &self.catalog(&database.shared))?;
        // The query that fills the table is planned once the table exists.
        if create.temporary || !self.is_known(&create.name)? {
            check_not_read(&create.name, query)?;
        }
        let create = describe::table_of_query(create, planned.schema())?;
        let fill = format!("INSERT INTO {} {query}", create.name.quoted());
        if create.without_rows {
            return self.create_empty(text, &create);
        }
        if self.transaction.is_open() {
            self.transaction.savepoint(BEFORE_TABLE)?;
            let filled = self.create_empty(text, &create).and_then(|_| self.other(&fill));
            if !self.transaction.is_open() {
                // A deadlock's victim has been rolled back.
                return filled;
            }
            if filled.is_err() {
                self.transaction.rollback_to(BEFORE_TABLE)?;
            }
            self.transaction.release(BEFORE_TABLE)?;
            return filled;
        }
        self.transaction.begin(&database.shared.catalog.native, None)?;
        let filled = self.create_empty(text, &create).and_then(|_| self.other(&fill));
        match filled {
            Ok(answer) => self.transaction.commit(&database.shared.catalog.native).map(|()| answer),
            Err(error) => {
                self.transaction.abandon();
                Err(error)
            }
        }
    }

    /// CREATE VIEW.
    pub(super) fn create_view(&mut self, text: &str, create: &CreateView) -> Result<Answer> {
        let database = self.database.clone();
        let native = &database.shared.catalog.native;
        let planned = self.planned_within(text, &create.query, &self.catalog(&database.shared).shared())?;
        describe::check_view_columns(create, planned.schema())?;
        let file = self.file_to_hide(&create.name);
        if file.is_some() {
            check_not_read(&create.name, &create.query)?;
        }
        let created = self.create(text, |transaction| {
            Definitions::shared(native).create_view(transaction, create)?;
            if !create.or_replace {
                return Ok(());
            }
            // Views that it is made of may be made of it.
            let scope = native.scope(transaction).shared();
            let query = format!("SELECT * FROM {}", create.name.quoted());
            database.shared.catalog.plan(&query, scope).map(|_| ())
        })?;
        Ok(created.with_notice(file.map(|file| hides(&create.name, &file))))
    }

    /// The number of the state of the session's temporary tables: the same number, the same tables. 0 when it never had any.
    pub fn temporary_version(&self) -> u64 {
        self.transaction.temporary_version()
    }

    /// Makes the temporary table again whose creation led from the first of these states to the second, if that is as good
    /// as creating it: whether it is there now.
    pub fn create_temporary_again(&mut self, (before, after): (u64, u64)) -> bool {
        self.transaction.temporary_alone().is_some_and(|own| own.make_again(before, after))
    }

    /// Drops the temporary table of this name, in lower case, if it is the last that was made and can be made again:
    /// whether it was dropped. Nobody may be reading it.
    ///
    /// Errors: those of emptying it.
    pub fn drop_temporary(&mut self, name: &str) -> Result<bool> {
        self.transaction.temporary_alone().map_or(Ok(false), |own| own.drop_last(name))
    }

    fn create_empty(&mut self, text: &str, create: &CreateTable) -> Result<Answer> {
        if let Some((name, _)) = create.options.first() {
            let error = Error::new(Code::Unsupported, format!("a native table has no option {name}"));
            return Err(error.hint("a DBF file is created WITH (FORMAT = dbf)"));
        }
        let database = self.database.clone();
        let (native, planner) = (&database.shared.catalog.native, &database.shared.planner);
        let given = Arc::clone(&self.transaction.given);
        if !create.temporary {
            return self.create(text, |transaction| {
                Definitions::shared(native).create_table(planner, transaction, create, &given)
            });
        }
        // Its rows live among the transactions of the store, so there must be one.
        native.make()?;
        self.transaction.make_temporary();
        let is_own = self.transaction.is_open();
        if !is_own {
            self.transaction.begin(native, None)?;
        }
        let done = self.define(text, |transaction| {
            Definitions::own(native, transaction).create_table(planner, transaction, create, &given)
        });
        if done.is_ok() {
            self.transaction.on_commit(&create.name, create.on_commit);
        }
        match done {
            done if is_own => done,
            Ok(answer) => self.transaction.commit(native).map(|()| answer),
            Err(error) => {
                self.transaction.abandon();
                Err(error)
            }
        }
    }
}
