//! Where the planner finds tables.

use datafusion::catalog::TableProvider;
use mainstay_base::Result;
use mainstay_table::Table;
use std::sync::Arc;

/// A table that a statement can name.
#[derive(Clone, Debug)]
pub enum Relation {
    /// A table of ours.
    Table(Arc<dyn Table>),
    /// A table that DataFusion reads by itself.
    Foreign(Arc<dyn TableProvider>),
}

/// The names a statement can use.
pub trait Catalog: Send + Sync {
    /// The table of this name (in lower case), if there is one.
    fn relation(&self, name: &str) -> Result<Option<Relation>>;

    /// The names of all the tables, for hints.
    fn names(&self) -> Vec<String>;

    /// A number that changes whenever a name may lead to another table or schema than before.
    fn version(&self) -> u64;
}
