//! SQL: one planner, and the executors of its plans. The only crate that knows DataFusion.
//!
//! ```text
//!   text --tokens--> Text            names in lower case, literals lifted out      (text, literals)
//!        --parse---> Statement       sqlparser's tree
//!        --plan----> LogicalPlan     over the tables of a Catalog                  (context, relation)
//!        --rules---> LogicalPlan     the dialect's meaning, then DataFusion's own  (rules, condition)
//!        --build---> ExecutionPlan   leaves of ours where a kernel does the work   (scan, aggregate, top, fuse)
//!        --run-----> Answer          batches                                       (run, cancel)
//! ```
//!
//! **Two executors.** The general one is DataFusion's. The leaves of a plan are ours: a table scan, and
//! the scan fused with what stands right above it (an aggregate, the first rows of an order), which the
//! vector kernels of `mainstay_columnar` answer from cached columns in microseconds. `fuse` decides by the
//! shape of the plan alone; what it leaves alone runs as DataFusion planned it, and must give the same
//! answer.
//!
//! **Plans are cached** twice: by the exact text, ready to run; and by the text with its literals lifted
//! to parameters, optimized, so that the same statement with other values is only bound and built.

mod above_groups;
pub mod advantage;
mod aggregate;
mod ahead;
mod applied_names;
mod approximate;
mod arrays;
mod averaged;
mod balanced;
mod batches;
mod bind;
mod blanks;
mod bounds;
mod cancel;
mod cast;
mod catalog;
mod change;
mod circular;
mod clause;
mod clock;
mod coded;
mod collate;
mod collected;
mod columnless;
mod compact;
mod compared;
mod compared_by;
mod concatenate;
mod condition;
mod constants;
mod contains;
mod context;
mod deep_names;
mod deep_stack;
mod determined;
mod direct;
mod disabled_rules;
mod distinct_on;
mod ended;
mod ends;
mod error;
mod escape;
mod exact;
mod exists;
mod fetch;
mod filtered_arguments;
mod followed;
mod functions;
mod fuse;
mod fused;
mod grammar;
mod grouping_sets;
mod grown;
mod held_limits;
mod incomplete;
mod interval_text;
mod joined;
mod kept;
mod keyed;
mod lateral;
mod lists;
mod literals;
mod lookup;
mod meeting;
mod memory;
mod merge;
mod moment;
pub mod mssql;
mod named;
mod namesakes;
mod neighbour;
mod nested;
mod nodes;
mod null_keys;
mod numbers;
mod offset;
mod operators;
mod optimize;
mod order;
mod order_repeats;
mod ordered;
mod ordered_sets;
mod outer_names;
mod outer_rows;
mod overflow;
mod parquet;
mod peers;
mod planned;
mod planner;
mod postgres;
mod prefix;
mod projections;
mod quotient;
mod rank;
mod recursion;
mod reduce;
mod refused;
mod regression;
mod relation;
mod repeated;
mod repeated_keys;
mod result_types;
mod rewrite;
mod row_values;
mod rows;
mod rows_text;
mod rowset;
mod rules;
mod run;
mod scan;
mod schema_names;
mod sequences;
mod series;
mod set_operations;
mod seven_digits;
mod silent;
mod similar;
mod single;
mod sort_key;
mod span;
mod spilled;
mod spilling;
mod start;
mod statement;
mod string_agg;
mod sum;
mod synonyms;
mod table_query;
mod template;
mod text;
mod texts;
mod ticks;
mod told_apart;
mod top;
mod trailing_blanks;
mod tree;
mod union_rows;
mod using;
mod uuid;
mod values_rows;
mod walk;
mod watch;
mod whole;
mod wide_joins;
mod wildcard;
mod window_names;
mod work_table;
mod years;

pub use cancel::CancelHandle;
pub use catalog::{Catalog, FIRST_PRIVATE, FileReading, Relation, UserFunctions};
pub use change::{BoundReturning, POSITION, RECORD_NUMBER, RowExpressions, SqlExpr, check_condition, expression};
pub use collected::{Collected, CollectedRows};
pub use constants::{Place, constants, values_queries};
pub use context::DEFAULT_SCHEMAS;
pub use disabled_rules::OPTIONAL_RULES;
pub use error::{columns_and_texts, located, placed, start_of_query, unknown_column, unknown_table};
pub use followed::{query_names, query_with_renamed_column, query_with_renamed_table, with_renamed_sequence};
pub use memory::HeldMemory;
pub use named::{names_column, with_renamed_column, with_renamed_table};
pub use parquet::{open_parquet, original_schema, parquet_findings, parquet_rows};
pub use planned::Planned;
pub use planner::{Planner, Settings, functions};
pub use relation::Visibility;
pub use rows::Short;
pub use rules::{FIELD_COLUMN, SHOWN_LENGTH};
pub use run::{Answer, Newest, Progress, RunOptions, View};
pub use sequences::{Sequences, Shared as SharedValues, unknown_sequence, uses_sequences};
pub use statement::*;
pub use text::{keywords, statements};
