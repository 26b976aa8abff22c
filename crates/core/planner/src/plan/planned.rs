//! A statement that is ready to run: for the row executor, for the batch executor, or for both.
//!
//! ```text
//!   optimized plan  --rows::Short-->  a block          run first; passes the statement on when it would read
//!        |                                             at many rows, or when a calculation fails
//!        +---------- physical plan    built when it is first needed: a statement of a few rows never needs one
//! ```
//!
//! The list of its tables belongs to both.

use crate::leaves::direct_reads::Direct;
use crate::names::shown_names::named_schema;
use crate::optimize::rows::Short;
use crate::parse::text::Text;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use mainstay_columnar::Table;
use std::sync::{Arc, OnceLock};

/// A statement that is ready to run, any number of times and by any number of sessions at once.
pub struct Planned {
    /// How the row executor runs it, if it is one for it.
    pub(crate) short: Option<Short>,
    /// The operators of the batch executor, once they are built.
    pub(crate) built: OnceLock<Built>,
    /// The logical plan that they are built from, for a statement that has a block.
    pub(crate) logical: Option<LogicalPlan>,
    /// The columns as the user named them.
    pub(crate) schema: SchemaRef,
    /// The tables of ours that it reads: a run pins a snapshot of each before it starts.
    pub(crate) tables: Vec<Arc<dyn Table>>,
    /// The tables that DataFusion reads by itself: their files are part of the plan.
    pub(crate) foreign: Vec<String>,
    /// True if the time of day or a sequence is part of it, so that it serves once.
    pub(crate) is_momentary: bool,
}

/// A plan of the batch executor.
pub(crate) struct Built {
    pub(crate) plan: Arc<dyn ExecutionPlan>,
    /// The plan as the scan that it is, if it can be read without a stream.
    pub(crate) direct: Option<Direct>,
    /// True if operators of the plan keep state from a run, so that each run needs a fresh copy.
    pub(crate) stateful: bool,
    /// True if it reads so much that several threads are worth their hand-over.
    pub(crate) large: bool,
    /// How many operators are within each other.
    pub(crate) levels: usize,
    /// The logical plan that it was built from, if its operators may need more memory than there is.
    pub(crate) logical: Option<LogicalPlan>,
}

impl Planned {
    /// A leaf that is the whole plan.
    pub(crate) fn of_leaf(plan: Arc<dyn ExecutionPlan>, table: Arc<dyn Table>, text: &Text) -> Planned {
        let schema = named_schema(&plan.schema(), text);
        let built =
            Built { direct: Direct::of(&plan, &schema), plan, stateful: false, large: false, levels: 1, logical: None };
        Planned { tables: vec![table], ..Planned::of_built(built, schema) }
    }

    /// A plan of the batch executor alone.
    pub(crate) fn of_built(built: Built, schema: SchemaRef) -> Planned {
        let (tables, foreign) = (Vec::new(), Vec::new());
        let built = OnceLock::from(built);
        Planned { short: None, built, logical: None, schema, tables, foreign, is_momentary: false }
    }

    /// A block of the row executor, and the plan that the batch executor's is made of.
    pub(crate) fn of_short(short: Short, logical: LogicalPlan) -> Planned {
        let (tables, foreign) = tables_of(&logical);
        let (schema, built) = (Arc::clone(&short.schema), OnceLock::new());
        let (short, logical) = (Some(short), Some(logical));
        Planned { short, built, logical, schema, tables, foreign, is_momentary: false }
    }

    /// The tables of ours that it reads.
    pub fn tables(&self) -> &[Arc<dyn Table>] {
        &self.tables
    }

    /// Returns true if it is another one each time it runs, or calls functions of the session: the time of day, a
    /// sequence, what a language brings.
    pub fn is_momentary(&self) -> bool {
        self.is_momentary
    }

    /// The columns, as the user named them.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// How the row executor runs it, if it is one for it.
    pub fn short(&self) -> Option<&Short> {
        self.short.as_ref()
    }

    /// Returns true if its rows are read by an index or from the beginning of a table, one after the other.
    pub fn is_look_up(&self) -> bool {
        self.built.get().is_some_and(|built| built.direct.is_some())
    }
}

/// The tables that a plan reads: ours, and the names of others.
pub(crate) fn tables_of(plan: &LogicalPlan) -> (Vec<Arc<dyn Table>>, Vec<String>) {
    let (mut tables, mut foreign): (Vec<Arc<dyn Table>>, Vec<String>) = (Vec::new(), Vec::new());
    // The closure does not fail.
    let _ = crate::lateral::each_node(plan, &mut |node| {
        if let LogicalPlan::TableScan(scan) = node {
            match crate::leaves::relation::table_of(&scan.source) {
                Some(table) if tables.iter().any(|known| Arc::ptr_eq(known, &table)) => {}
                Some(table) => tables.push(table),
                None => foreign.push(scan.table_name.table().to_owned()),
            }
        }
        Ok(TreeNodeRecursion::Continue)
    });
    (tables, foreign)
}
