//! SQL: one planner, and the executors of its plans. The only crate that knows DataFusion.
//!
//! ```text
//!   text --tokens--> Text            names in lower case, literals lifted out      (text, literals)
//!        --parse---> Statement       sqlparser's tree
//!        --plan----> LogicalPlan     over the tables of a Catalog                  (plan, names, reduce)
//!        --rules---> LogicalPlan     the dialect's meaning, then DataFusion's own  (passes, optimize)
//!        --build---> ExecutionPlan   leaves of ours where a kernel does the work   (leaves, optimize::fuse)
//!        --run-----> Answer          batches                                       (execute)
//! ```
//!
//! **Two executors.** The general one is DataFusion's. The leaves of a plan are Mainstay's: a table scan, and the scan
//! fused with the operators right above it (an aggregate, the first rows of an order), which the vector kernels of
//! `mainstay_columnar` execute on cached columns in microseconds. `fuse` decides by the shape of the plan alone; the
//! rest runs as DataFusion planned it, and must give the same answer.
//!
//! **Plans are cached** twice: by the exact text, ready to run; and by the text with its literals lifted
//! to parameters, optimized, so that the same statement with other values is only bound and built.

mod analyze;
mod bounds;
mod carried_error;
mod catalog;
pub mod dialect;
mod error;
mod execute;
mod fields;
mod functions;
mod lateral;
mod leaves;
mod names;
mod optimize;
mod parse;
mod passes;
mod plan;
mod planning_cancellation;
mod reduce;
pub mod tools;
mod tree;
mod types;
mod upstream;

pub use catalog::DEFAULT_SCHEMAS;
pub use catalog::sequences::{Sequences, Shared as SharedValues};
pub use catalog::{Catalog, FIRST_PRIVATE, FileReading, Relation, UserFunctions, Visibility};
pub use dialect::{Effects, effects_of};
pub use error::{columns_and_texts, located, placed, start_of_query, unknown_column, unknown_table};
pub use execute::cancellation::CancelHandle;
pub use execute::materialized::{Collected, CollectedRows};
pub use execute::memory::HeldMemory;
pub use execute::reads::{ReadCounts, TableReads};
pub use execute::run::{Answer, Newest, Progress, RunOptions, View};
pub use fields::{FIELD_COLUMN, SHOWN_LENGTH};
pub use functions::sequences::unknown_sequence;
pub use leaves::parquet::{open_parquet, original_schema, parquet_findings, parquet_rows};
pub use mainstay_row_executor::{Join, Node, Operator};
pub use names::column_references::{names_column, with_renamed_column, with_renamed_table};
pub use names::name::Name;
pub use names::view_renames::{
    query_names, query_with_renamed_column, query_with_renamed_table, with_renamed_sequence,
};
pub use optimize::disabled_rules::OPTIONAL_RULES;
pub use optimize::rows::Short;
pub use parse::fragments::{check_condition, expression};
pub use parse::packed_views::{
    FieldKind, PackedColumn, PackedField, PackedSource, PackedView, bytes_of_field, has_field, has_text, packed_view,
    with_field,
};
pub use parse::text::{keywords, statements};
pub use plan::change::{BoundReturning, POSITION, RECORD_NUMBER, RowExpressions, SqlExpr};
pub use plan::literal_values::{Place, constants, values_queries};
pub use plan::operator_tree::operators;
pub use plan::planned::Planned;
pub use plan::planner::{Planner, Settings, functions};
pub use plan::statement::*;
