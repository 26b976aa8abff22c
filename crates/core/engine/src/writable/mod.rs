//! Writable tables: the interface through which statements change and define a table, whatever stores it.
//!
//! The statements of every dialect, the prepared ones, and the channels of Business BASIC programs all arrive at one dispatcher
//! (`Session::change_rows`, `Session::define_table`), which finds the [`WritableTable`] of a name and knows no storage.
//!
//! ```text
//!   UPDATE t SET a = a + 1 WHERE b = 2
//!      |
//!   dispatcher        name -> WritableTable                                             session::writable
//!      |
//!   WritableTable     write: begins the statement in the session's transaction, or in one of its own
//!      |
//!   statements        plans the query of the rows, reads VALUES, decides MERGE, builds RETURNING
//!      |
//!   RowWriter         find, insert, update, delete, lock: rows of this table             native, dbf, a test's own
//! ```
//!
//! The two storages of the engine differ in many ways. The contract states each difference as an answer that a storage gives,
//! so that no caller asks which storage it has:
//!
//! | question | native tables | DBF and ADT tables |
//! |---|---|---|
//! | identity of a row in its statement ([`WritableTable::position_column`]) | version of the row | number of the record |
//! | rows that a query of the statement reads ([`RowWriter::view`]) | the view of its transaction | the files as they are |
//! | rows found, and changed by another before they are locked ([`RowWriter::find`]) | wait, and begin again ([`Changed::Overtaken`]) | lock, read again |
//! | keys that rows of one statement exchange ([`RowWriter::update`]) | checked at the end | checked at the end |
//! | columns without a value ([`RowWriter::insert`]) | defaults, sequences, computed | blank, counters |
//! | undoing a statement | a savepoint of the store | the undo journal |
//! | definitions ([`WritableTable::definitions`]) | part of the transaction | at once, outside of transactions |
//!
//! A further storage implements [`WritableTable`] and [`TableTransaction`] (a [`RowWriter`] with savepoints), and is added with
//! [`Database::add_table`](crate::Database::add_table). `tests/writable/memory_table.rs` has a complete one in memory.
//!
//! Limits: CREATE TABLE creates native, DBF and ADT tables only, and SHOW lists no table of a further storage. The row executor's direct changes of native tables
//! (`prepared`) run before the dispatcher: they are the same changes without a plan. Changes of a further storage are not part
//! of the joint commit of native and DBF tables (`session::joint`): its commit follows theirs.

mod scope;
mod statements;

pub use scope::{FindRows, Sight, StatementContext, ViewOf, WriteScope, WriteSettings};
pub(crate) use statements::{change, insert, insert_rows};

use crate::returning::Rows;
use crate::session::{ChangeableColumn, Session};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use mainstay_columnar::Table;
use mainstay_planner::{
    AlterTable, Answer, Assignment, Collected, CreateIndex, Drop, Insert, LockingQuery, Name, Statement, View,
};
use mainstay_types::{Code, Error, Result, Value};
use std::sync::Arc;

/// A table that statements can change.
pub trait WritableTable: Send + Sync {
    /// The table as queries read it; `None` for one that the catalog of native tables finds.
    fn as_read(&self) -> Option<Arc<dyn Table>>;

    /// The hidden column whose values identify the rows that the query of a statement finds.
    fn position_column(&self) -> &'static str;

    /// The hidden column by which a later statement finds a row again.
    fn row_number_column(&self) -> &'static str {
        self.position_column()
    }

    /// Returns true if [`RowWriter::lock`] locks rows of queries.
    fn has_row_locks(&self) -> bool {
        false
    }

    /// Runs a statement without a plan, if the storage can; `None` otherwise.
    ///
    /// Errors: those of the statement.
    fn change_directly(&self, _scope: &mut WriteScope<'_>, _statement: &Statement) -> Result<Option<Answer>> {
        Ok(None)
    }

    /// Runs a statement that changes rows: begins it in the session's transaction, or in a transaction of its own, and calls
    /// `work`, again as often as that reports [`Changed::Overtaken`]. After an error the statement has had no effect.
    ///
    /// A storage that has a [`TableTransaction`] calls [`WriteScope::join`] here.
    ///
    /// Errors: those of beginning, of `work`, and of committing a transaction of its own.
    fn write(&self, scope: &mut WriteScope<'_>, work: Work<'_>) -> Result<Answer>;

    /// How the table's definition changes.
    fn definitions(&self) -> DefinitionRules {
        DefinitionRules::OutsideTransactions
    }

    /// Changes the definition. The answer counts the rows that went with it.
    ///
    /// Errors: `Unsupported` for a change that the storage does not have.
    fn define(&self, _scope: &mut WriteScope<'_>, change: &Definition<'_>) -> Result<Answer> {
        Err(Error::new(Code::Unsupported, format!("{} of this kind of table", change.statement())))
    }

    /// Returns true if the table has an index of this name, in lower case.
    fn has_index(&self, _name: &str) -> bool {
        false
    }

    /// The columns that statements can give values to.
    ///
    /// Errors: `UnknownTable`, and those of reading the definition.
    fn columns(&self, _session: &Session) -> Result<Vec<ChangeableColumn>> {
        let Some(table) = self.as_read() else { return Ok(Vec::new()) };
        let shown = table.schema().fields().len().saturating_sub(table.hidden_columns());
        let column = |field: &Arc<arrow_schema::Field>| ChangeableColumn {
            field: Arc::clone(field),
            is_identity: false,
            is_computed: false,
        };
        Ok(table.schema().fields().iter().take(shown).map(column).collect())
    }

    /// The number that the session's last new row was given by the table; `None` for a table that gives none.
    ///
    /// Errors: as of [`WritableTable::columns`].
    fn last_number(&self, _session: &Session) -> Result<Option<i64>> {
        Ok(None)
    }
}

/// How definitions of a table change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionRules {
    /// As part of the session's transaction; all tables of a statement in one call.
    InTransactions,
    /// At once and for good, one table a call: refused while a transaction is open. The catalog opens the table anew afterwards.
    OutsideTransactions,
}

/// A change of a definition.
pub enum Definition<'d> {
    /// CREATE INDEX.
    CreateIndex(&'d CreateIndex),
    /// ALTER TABLE.
    Alter(&'d AlterTable),
    /// TRUNCATE of these tables, with new numbers from the start if `restart`.
    Truncate {
        /// The tables.
        names: &'d [Name],
        /// True if identity columns begin again.
        restart: bool,
    },
    /// DROP TABLE or DROP INDEX of these names.
    Drop(&'d Drop),
    /// PACK: removes deleted rows from the file.
    Pack,
    /// ZAP: removes all rows from the file.
    Zap,
    /// REINDEX: makes all indexes anew.
    Reindex,
}

impl Definition<'_> {
    /// The first words of the statement.
    pub fn statement(&self) -> &'static str {
        match self {
            Definition::CreateIndex(_) => "CREATE INDEX",
            Definition::Alter(_) => "ALTER TABLE",
            Definition::Truncate { .. } => "TRUNCATE",
            Definition::Drop(_) => "DROP",
            Definition::Pack => "PACK",
            Definition::Zap => "ZAP",
            Definition::Reindex => "REINDEX",
        }
    }
}

/// The part of a statement that is the same for every storage, over the rows of one.
pub type Work<'w> = &'w mut dyn FnMut(&mut dyn RowWriter, &mut StatementContext<'_>) -> Result<Changed<Answer>>;

/// The outcome of an attempt at a statement or a step of it.
#[derive(Debug)]
pub enum Changed<T> {
    /// It is done.
    Done(T),
    /// Another transaction was first: undo the attempt, and begin the statement again.
    Overtaken,
}

/// The name and the columns of a table, as RETURNING sees them.
pub struct Shape<'s> {
    /// The name in SQL.
    pub name: &'s str,
    /// All columns.
    pub schema: &'s SchemaRef,
    /// So many columns at the end are not part of `*`.
    pub hidden: usize,
}

/// A value for each column that a row gives values to; `None` for DEFAULT. Empty for a row of defaults.
pub type GivenValues = Vec<Option<Value>>;

/// A new row.
pub struct RowInsert {
    /// Its values, in the order of the columns of the statement.
    pub values: GivenValues,
    /// The values beside the row for RETURNING.
    pub beside: Vec<Value>,
}

/// New values for a row.
pub struct RowUpdate {
    /// The row, by its value of [`WritableTable::position_column`].
    pub position: u64,
    /// Columns, by their place in the schema, with their new values as the query computed them; `None` for DEFAULT.
    pub values: Vec<(usize, Option<Value>)>,
    /// The values beside the row for RETURNING.
    pub beside: Vec<Value>,
}

/// A row to delete.
pub struct RowDelete {
    /// The row, by its value of [`WritableTable::position_column`].
    pub position: u64,
    /// The values beside the row for RETURNING.
    pub beside: Vec<Value>,
}

/// The columns and the rows of an INSERT.
pub struct InsertRows<'r> {
    /// The columns that each row has a value for, by their place in the schema.
    pub columns: &'r [usize],
    /// False if a row may leave one of them to its default.
    pub gives_all: bool,
    /// The rows. They may come from a query that runs while they are written.
    pub rows: &'r mut dyn Iterator<Item = Result<RowInsert>>,
}

/// Rows of one table within one attempt at a statement.
///
/// A method may be called several times in a statement: MERGE deletes, then updates, then inserts.
pub trait RowWriter {
    /// The name and the columns.
    fn shape(&self) -> Shape<'_>;

    /// Prepares an INSERT: the places of the columns that its rows have values for.
    ///
    /// Errors: `UnknownColumn`, `Ambiguous`, `InvalidValue`; `Unsupported` for ON CONFLICT if the storage has none.
    fn begin_insert(&mut self, insert: &Insert, context: &StatementContext<'_>) -> Result<Vec<usize>>;

    /// The places of the columns of this list; of all that can be given values if it is empty.
    ///
    /// Errors: `UnknownColumn`, `Ambiguous`, `InvalidValue`.
    fn insert_columns(&self, names: &[Name]) -> Result<Vec<usize>>;

    /// The places of the columns that these assignments change.
    ///
    /// Errors: as of [`RowWriter::insert_columns`].
    fn update_columns(&self, assignments: &[Assignment]) -> Result<Vec<usize>>;

    /// The rows of the statement's query, whose first column identifies a row. When this returns the rows are as the query
    /// has seen them, and either no one else can change them or `update` and `delete` notice it.
    ///
    /// Errors: those of the query and of waiting for locks.
    fn find(&mut self, query: &mut FindRows<'_>) -> Result<Changed<Collected>> {
        query.run(None).map(Changed::Done)
    }

    /// The view in which the queries of the statement read these tables; `None` for the view of the session.
    ///
    /// Errors: `DefinitionChanged`, `Conflict`.
    fn view(&mut self, _tables: &[Arc<dyn Table>]) -> Result<Option<Arc<dyn View>>> {
        Ok(None)
    }

    /// Returns true if a table of a plan may be this table: then the rows of an INSERT are all read before the first is written.
    fn may_be(&self, _table: &Arc<dyn Table>) -> bool {
        true
    }

    /// Adds rows.
    ///
    /// Errors: those of the rows; of values that columns do not take; `UniqueViolation` and other violations.
    fn insert(&mut self, new: InsertRows<'_>, done: &mut Done<'_>) -> Result<Changed<()>>;

    /// Returns true if [`RowWriter::insert_batch`] may take rows of these columns.
    fn takes_batches(&self) -> bool {
        false
    }

    /// Adds the rows of a batch, which has values for these columns, at once. Returns false if it cannot: then nothing was
    /// added, and the rows are to be given one by one.
    ///
    /// Errors: as of [`RowWriter::insert`].
    fn insert_batch(&mut self, _columns: &[usize], _batch: &RecordBatch) -> Result<bool> {
        Ok(false)
    }

    /// Changes rows. Keys must be unique when all rows are changed, and may be exchanged in between. A row that comes twice is
    /// changed by the first.
    ///
    /// Errors: as of [`RowWriter::insert`].
    fn update(&mut self, rows: &mut dyn Iterator<Item = Result<RowUpdate>>, done: &mut Done<'_>)
    -> Result<Changed<()>>;

    /// Deletes rows.
    ///
    /// Errors: those of the rows; `ForeignKeyViolation`.
    fn delete(&mut self, rows: &mut dyn Iterator<Item = Result<RowDelete>>, done: &mut Done<'_>)
    -> Result<Changed<()>>;

    /// Runs a query and locks its rows until the transaction ends.
    ///
    /// It is called only if the table says that it has such locks ([`WritableTable::has_row_locks`]).
    ///
    /// Errors: `LockTimeout` for NOWAIT, and those of waiting.
    fn lock(&mut self, locking: &LockingQuery, _context: &mut StatementContext<'_>) -> Result<Changed<Answer>> {
        Err(cannot_be_changed(&locking.table, false))
    }
}

/// The changes of one storage in a transaction of a session: rows that are written at once, and can be undone.
///
/// A statement within the transaction is undone by a savepoint that the session sets before it.
pub trait TableTransaction: RowWriter + Send {
    /// A place in the changes to return to.
    fn savepoint(&mut self) -> u64;

    /// Undoes the changes after a savepoint, newest first.
    ///
    /// Errors: those of writing.
    fn rollback_to(&mut self, savepoint: u64) -> Result<()>;

    /// Makes the changes permanent.
    ///
    /// Errors: those of writing.
    fn commit(&mut self) -> Result<()>;

    /// Undoes all changes.
    ///
    /// Errors: those of writing.
    fn rollback(&mut self) -> Result<()>;
}

/// The rows that RETURNING takes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Nothing,
    /// The row as it is after the change; one that is deleted, as it was.
    Rows,
    /// NULLs in place of a row that is deleted.
    Nulls,
}

/// Collects the rows that a statement has changed.
pub struct Done<'d> {
    pub(crate) rows: &'d mut Rows,
    pub(crate) wanted: Wanted,
    /// The number of columns of the table.
    pub(crate) columns: usize,
}

impl Done<'_> {
    /// Counts a changed row, and keeps it if RETURNING wants it.
    ///
    /// Errors: those of `row`; `OutOfMemory`.
    pub fn row(&mut self, beside: Vec<Value>, row: impl FnOnce() -> Result<Vec<Value>>) -> Result<()> {
        self.rows.count += 1;
        match self.wanted {
            Wanted::Nothing => Ok(()),
            Wanted::Rows => self.rows.kept.push(row()?, beside),
            Wanted::Nulls => self.rows.kept.push(vec![Value::Null; self.columns], beside),
        }
    }

    /// Returns true if `row` is asked for rows.
    pub fn wants_rows(&self) -> bool {
        self.wanted == Wanted::Rows
    }
}

/// The error for a change of a file or a view that cannot be changed.
pub(crate) fn cannot_be_changed(name: &Name, is_view: bool) -> Error {
    let what = if is_view { "view" } else { "file" };
    Error::new(Code::ReadOnly, format!("{name} cannot be changed or locked: it is a {what}"))
}
