//! Tools of the planner that a dialect's rules are written with.

use crate::analyze::collate;
use crate::carried_error::to_datafusion;
use crate::execute::recursion::Recursion;
use crate::execute::run::Run;
use crate::execute::work_table;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::expr::{Cast, FieldMetadata, WindowFunction};
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan, Projection, RecursiveQuery};
use mainstay_types::{Collation, Error};
use std::collections::HashMap;
use std::sync::Arc;

/// Metadata of a field: the name of a column as it was written, where that has capital letters.
pub const ORIGINAL_NAME: &str = crate::fields::ORIGINAL_NAME;

/// Metadata of a field of a CHAR column: its length in characters.
pub const CHAR_COLUMN: &str = crate::fields::CHAR_COLUMN;

/// Metadata of a field with text that compares by a collation: the collation's name.
pub const COLLATED_COLUMN: &str = crate::fields::COLLATED_COLUMN;

/// An error of the engine on its way through DataFusion.
pub fn failed(error: Error) -> DataFusionError {
    to_datafusion(error)
}

/// The error of a function in FROM that does not exist.
pub fn unknown_source(name: &str) -> DataFusionError {
    crate::error::unknown_rowset(name)
}

/// Checks for the cancellation of the statement that is planned on this thread.
///
/// Errors: the reason of the cancellation.
pub fn check_cancellation() -> Result<()> {
    crate::planning_cancellation::check()
}

/// A function that checks for the cancellation of a running statement, for operators.
///
/// Errors: a task that runs no statement.
pub fn running_statement(context: &TaskContext) -> Result<impl Fn() -> Result<()> + Send + 'static + use<>> {
    let run = Run::of(context)?;
    Ok(move || run.check().map_err(to_datafusion))
}

/// Returns true if any node of a plan satisfies the condition, those of subqueries included.
pub fn any_node(plan: &LogicalPlan, condition: impl FnMut(&LogicalPlan) -> bool) -> bool {
    crate::tree::search::any_node(plan, condition)
}

/// Returns true if any expression of a node, or a part of one, satisfies the condition.
pub fn any_expression(node: &LogicalPlan, condition: impl FnMut(&Expr) -> bool) -> bool {
    crate::tree::search::any_expression(node, condition)
}

/// Returns true if any expression of any node of a plan satisfies the condition, those of subqueries included.
pub fn any_expression_of_plan(plan: &LogicalPlan, condition: impl FnMut(&Expr) -> bool) -> bool {
    crate::tree::search::any_expression_of_plan(plan, condition)
}

/// The schema of a node's expressions: the columns of its inputs, or of the table that it reads.
pub fn schema_of(node: &LogicalPlan) -> DFSchema {
    crate::tree::rewrite::schema_of(node)
}

/// A node with its expressions rewritten. Its columns keep their names, and have the types that they are given.
///
/// Errors: those of the rewrite.
pub fn rewritten_node(
    node: LogicalPlan,
    rewrite: impl Fn(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    crate::tree::rewrite::node(node, rewrite)
}

/// The name of a call for the columns of plans: deeply nested calls are named by a number.
///
/// Errors: those of the arguments' names.
pub fn call_name(function: &str, arguments: &[Expr]) -> Result<String> {
    crate::tree::expression_names::of_call(function, arguments)
}

/// A function over a window whose key has no distances, with a frame of peers.
pub fn by_peers(function: Box<WindowFunction>, schema: &DFSchema) -> Transformed<Expr> {
    crate::upstream::window_frames::by_peers(function, schema)
}

/// STRING_AGG where all calls of a SELECT have to agree on their order.
pub fn string_agg_in_one_order() -> Arc<AggregateUDF> {
    Arc::clone(&crate::functions::string_agg::STRING_AGG_IN_ONE_ORDER)
}

/// Returns true if a sort key has a CASE, by which DataFusion does not see that rows are sorted.
pub fn has_case(key: &Expr) -> bool {
    crate::analyze::order_by_subqueries::has_case(key)
}

/// The sort key of a text under a collation, in which trailing blanks do not count.
pub fn collation_key(expr: Expr, collation: Collation) -> Expr {
    collate::key(expr, collation)
}

/// A text under a collation, for patterns: trailing blanks count.
pub fn collation_fold(expr: Expr, collation: Collation) -> Expr {
    collate::fold(expr, collation)
}

/// The collation of the text in a column, where that is not the order of its bytes.
pub fn collation_of_field(field: &Field) -> Option<Collation> {
    crate::analyze::compared_by::collation_of_field(field)
}

/// The collation of text that a dialect declared; without one in its metadata such text compares by its bytes.
pub fn declared_collation(field: &Field) -> Option<Collation> {
    crate::dialect::declared_collation(field)
}

/// A timestamp as one of 100 nanoseconds.
///
/// Errors: those of the conversion.
pub fn as_ticks(expr: Expr) -> Result<Expr> {
    crate::types::offset::as_ticks(expr)
}

/// A timestamp as one with an offset.
///
/// Errors: those of the conversion.
pub fn as_offset(expr: Expr) -> Result<Expr> {
    crate::types::offset::as_offset(expr)
}

/// The UTC value that a timestamp with an offset compares by.
///
/// Errors: those of the conversion.
pub fn offset_key(expr: Expr) -> Result<Expr> {
    crate::types::offset::key(expr)
}

/// A timestamp with the precision of its type.
///
/// Errors: those of the conversion.
pub fn exact_timestamp(expr: Expr, data_type: &DataType) -> Result<Expr> {
    crate::types::offset::exact(expr, data_type)
}

/// Returns true if a cast reads a text as a timestamp.
pub fn reads_timestamp(cast: &Cast) -> bool {
    crate::types::ticks::is_text_of_moment(cast)
}

/// A comparison of a UUID and a text with the text as a UUID.
///
/// Errors: a text that is not a UUID.
pub fn with_uuids(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    crate::types::uuid::read(expr, schema)
}

pub use crate::types::padded_bytes::{Form, padded, padded_key, stored_bound};

/// The recursive part of a common table expression that fails with an error when an iteration beyond a number of them
/// gives rows.
pub fn limited_recursion(part: LogicalPlan, iterations: u32, exceeded: Error) -> LogicalPlan {
    Recursion::limited(part, iterations, exceeded)
}

/// Returns true if a node is such a part.
pub fn is_limited_recursion(node: &LogicalPlan) -> bool {
    crate::execute::recursion::is_limited(node)
}

/// A recursive query whose parts have columns with the same metadata, as DataFusion's operator requires, and whose
/// leaves share the rows of an iteration. `convert` brings the columns of the recursive part to those of the first one.
///
/// Errors: a recursive part that refers to the query in a subquery, and those of the conversion.
pub fn described_recursion(
    node: RecursiveQuery,
    convert: impl FnOnce(&Arc<LogicalPlan>) -> Result<Arc<LogicalPlan>>,
) -> Result<LogicalPlan> {
    let (first, again) = (&node.static_term, &node.recursive_term);
    let pairs = first.schema().fields().iter().zip(again.schema().fields());
    let described: Vec<HashMap<String, String>> = pairs
        .map(|(of_first, of_again)| {
            let mut all = of_again.metadata().clone();
            all.extend(of_first.metadata().clone());
            all
        })
        .collect();
    work_table::check(again, &node.name)?;
    let again = work_table::shared(&convert(again)?, &node.name)?;
    let describe = |plan: &Arc<LogicalPlan>| -> Result<Arc<LogicalPlan>> {
        let schema = Arc::clone(plan.schema());
        let exprs = schema.iter().zip(&described).map(|((relation, field), metadata)| {
            let column = Expr::Column(Column::new(relation.cloned(), field.name()));
            let metadata = Some(FieldMetadata::from(metadata.clone()));
            column.alias_qualified_with_metadata(relation.cloned(), field.name(), metadata)
        });
        let projection = Projection::try_new(exprs.collect(), Arc::clone(plan))?;
        Ok(Arc::new(LogicalPlan::Projection(projection)))
    };
    let (static_term, recursive_term) = (describe(first)?, describe(&again)?);
    Ok(LogicalPlan::RecursiveQuery(RecursiveQuery { static_term, recursive_term, ..node }))
}

/// A schema for a leaf of the logical plan.
///
/// Errors: two columns of one name.
pub fn leaf_schema(fields: Vec<Field>) -> Result<Arc<DFSchema>> {
    Ok(Arc::new(DFSchema::try_from(Schema::new(fields))?))
}
