//! The catalog interface, through which the planner finds tables.

pub(crate) mod sequences;

use crate::catalog::sequences::Sequences;
use datafusion::arrow::datatypes::Field;
use datafusion::catalog::TableProvider;
use mainstay_columnar::Table;
use mainstay_types::{Collation, Result};
use std::sync::Arc;

/// A table that a statement can name.
#[derive(Clone, Debug)]
pub enum Relation {
    /// A table of ours.
    Table(Arc<dyn Table>),
    /// A table that DataFusion reads by itself.
    Foreign(Arc<dyn TableProvider>),
    /// A view: the text of its query, and the names of its columns when they are not the query's.
    View {
        /// The query.
        query: String,
        /// The names; none when they are those of the query.
        columns: Vec<String>,
    },
}

/// The names by which dialects know the schema that is meant when none is named.
pub const DEFAULT_SCHEMAS: [&str; 3] = ["main", "public", "dbo"];

/// Versions from here on are of one session only.
pub const FIRST_PRIVATE: u64 = 1 << 62;

/// How a language reads fields of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileReading {
    /// How text compares, blanks at its end left out.
    pub collation: Collation,
    /// True if numbers and logical fields that nobody has filled in are 0 and FALSE, and not NULL.
    pub fills_blanks: bool,
}

impl FileReading {
    /// Text by its bytes, and blank fields as NULL.
    pub const AS_THEY_ARE: FileReading = FileReading { collation: Collation::Binary, fills_blanks: false };
}

/// Which row slots a statement sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Only rows that are not deleted.
    Live,
    /// Deleted rows too, as with SET DELETED OFF, of tables that keep them.
    Shown,
    /// All row slots: the statement names `_deleted`.
    All,
}

impl Visibility {
    /// The rows that a statement sees of one table: `Live` or `All`.
    pub(crate) fn of(self, table: &dyn Table) -> Visibility {
        match self {
            Visibility::Shown if table.keeps_deleted_rows() => Visibility::All,
            Visibility::Shown => Visibility::Live,
            other => other,
        }
    }
}

/// The names a statement can use.
pub trait Catalog: Send + Sync {
    /// The table of this name (in lower case), if there is one. In a schema other than the default one the name is
    /// `schema.table`.
    fn relation(&self, name: &str) -> Result<Option<Relation>>;

    /// The names of all the tables, for hints.
    fn names(&self) -> Vec<String>;

    /// A number that changes whenever a name may lead to another table or schema than before. From [`FIRST_PRIVATE`] on it
    /// is that of one session only, and no other session ever has it.
    fn version(&self) -> u64;

    /// The relation of this name that a view's query sees: one of the database, never one of a session.
    fn shared_relation(&self, name: &str) -> Result<Option<Relation>> {
        self.relation(name)
    }

    /// How the session's language reads fields of files.
    fn reading(&self) -> FileReading {
        FileReading::AS_THEY_ARE
    }

    /// The functions that the session's language defines, if it has any.
    fn functions(&self) -> Option<Arc<dyn UserFunctions>> {
        None
    }

    /// The sequences of the session, if it has any to take values from.
    fn sequences(&self) -> Option<Arc<dyn Sequences>> {
        None
    }
}

/// Functions that a language defines and a query calls, by their names: each gives one value for the values of a row.
pub trait UserFunctions: std::fmt::Debug + Send + Sync {
    /// The field of the results of the function of this name, with the declared type in its metadata if the dialect has
    /// types of its own; `None` if there is no such function.
    fn result(&self, name: &str) -> Option<Field>;

    /// Its value for these arguments.
    ///
    /// Errors: those of running it.
    fn call(&self, name: &str, arguments: &[mainstay_types::ValueRef<'_>]) -> Result<mainstay_types::Value>;
}
