//! UNION, INTERSECT and EXCEPT: each column takes the type of T-SQL's precedence over the columns of all its queries.
//!
//! The core would choose another type, and keep the first query's declared one. Queries whose columns have other types
//! than the common ones are wrapped into a projection that converts them.

use super::function::failed;
use super::typed::{By, Typed, convert};
use super::types;
use datafusion::arrow::datatypes::{DataType as ArrowType, FieldRef};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, NullEquality, Result};
use datafusion::logical_expr::expr::FieldMetadata;
use datafusion::logical_expr::{Expr, Join, JoinType, LogicalPlan, Projection, RecursiveQuery, Union};
use mainstay_planner::dialect::{DECLARED, PlanTree};
use mainstay_planner::tools;
use mainstay_tsql_types::{DataType, Message, Settings};
use std::sync::Arc;

/// Returns true if a plan is a UNION of T-SQL's columns, whose types are not the same.
pub(super) fn has_types_to_meet(plan: &LogicalPlan) -> bool {
    let inputs: Vec<&Arc<LogicalPlan>> = match plan {
        LogicalPlan::Union(union) => union.inputs.iter().collect(),
        LogicalPlan::Join(join) if is_set_operation(join) => vec![&join.left, &join.right],
        _ => return false,
    };
    let declared = |place: usize, input: &LogicalPlan| {
        let field = input.schema().fields().get(place)?;
        // Other dialects declare types, too.
        let of_transact = |declared: &&String| mainstay_tsql_types::operation::data_type(declared).is_some();
        field.metadata().get(DECLARED).filter(of_transact).cloned()
    };
    let Some(first) = inputs.first() else { return false };
    (0..first.schema().fields().len()).any(|place| {
        let own = declared(place, first);
        inputs.iter().any(|input| declared(place, input) != own)
    })
}

/// Returns true if a join is what INTERSECT and EXCEPT are planned as: of whole rows, in which NULL equals NULL.
pub(super) fn is_set_operation(join: &Join) -> bool {
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && join.filter.is_none()
        && join.on.len() == join.left.schema().fields().len()
        && join.on.len() == join.right.schema().fields().len()
}

/// INTERSECT or EXCEPT with its queries brought to common types.
pub(super) fn lowered_set_operation(mut join: Join, settings: Settings) -> Result<LogicalPlan> {
    let common = common_types(&[Arc::clone(&join.left), Arc::clone(&join.right)])?;
    join.left = brought_to(&join.left, &common, settings)?;
    join.right = brought_to(&join.right, &common, settings)?;
    Ok(LogicalPlan::Join(join))
}

fn common_types(inputs: &[Arc<LogicalPlan>]) -> Result<Vec<Option<DataType>>> {
    let width = inputs.first().map_or(0, |first| first.schema().fields().len());
    let at =
        |place| mainstay_tsql_types::types::of_all(inputs.iter().map(|input| own_type(input, place))).map_err(failed);
    (0..width).map(at).collect()
}

/// The union with its queries brought to common types.
pub(super) fn lowered(union: Union, settings: Settings) -> Result<LogicalPlan> {
    let common = common_types(&union.inputs)?;
    let inputs = union.inputs.iter().map(|input| brought_to(input, &common, settings)).collect::<Result<Vec<_>>>()?;
    Union::try_new_with_loose_types(inputs).map(LogicalPlan::Union)
}

fn own_type(plan: &LogicalPlan, place: usize) -> Option<DataType> {
    plan.schema().fields().get(place).and_then(|field| types::declared_type(field))
}

/// A query with its columns converted to these types, where they are others.
fn brought_to(plan: &Arc<LogicalPlan>, common: &[Option<DataType>], settings: Settings) -> Result<Arc<LogicalPlan>> {
    let schema = Arc::clone(plan.schema());
    let differs = |(place, to): (usize, &Option<DataType>)| {
        let field = schema.field(place);
        let is_declared = field.metadata().contains_key(DECLARED);
        to.is_some_and(|to| own_type(plan, place) != Some(to) || !is_declared)
    };
    if !common.iter().enumerate().any(differs) {
        return Ok(Arc::clone(plan));
    }
    let mut exprs = Vec::with_capacity(common.len());
    for ((relation, field), to) in schema.iter().zip(common) {
        let column = Expr::Column(Column::new(relation.cloned(), field.name()));
        let Some(to) = to else {
            exprs.push(column);
            continue;
        };
        let data_type = types::declared_type(field).filter(|_| *field.data_type() != ArrowType::Null);
        let collation = tools::declared_collation(field).unwrap_or(By::DEFAULT.collation);
        let column = tools::exact_timestamp(column, field.data_type())?;
        let expr = convert(Typed { expr: column, data_type, by: By::DEFAULT }, *to, settings)?.expr;
        let metadata = FieldMetadata::from(types::metadata_collated(*to, collation));
        exprs.push(expr.alias_qualified_with_metadata(relation.cloned(), field.name(), Some(metadata)));
    }
    Projection::try_new(exprs, Arc::clone(plan)).map(|projection| Arc::new(LogicalPlan::Projection(projection)))
}

/// Both parts with columns of one type, and with one description of each: the core's operator compares these.
///
/// Errors: as [`converted_recursion`].
pub(super) fn lowered_recursion(node: RecursiveQuery, settings: Settings) -> Result<LogicalPlan> {
    let types = recursion_types(&node)?;
    tools::described_recursion(node, |again| brought_to(again, &types, settings))
}

/// The plan with the types of T-SQL in recursive queries over columns that were declared in T-SQL.
pub(super) fn with_converted_recursions(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !tools::any_node(&plan, |node| matches!(node, LogicalPlan::RecursiveQuery(_))) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| match node {
        LogicalPlan::RecursiveQuery(node) => converted_recursion(node).map(Transformed::yes),
        node => node.recompute_schema().map(Transformed::yes),
    })
    .data()
}

/// The recursive part with the types that the columns of the first one were declared with in T-SQL.
///
/// Errors: 240 where a text of the recursive part does not fit in the column.
fn converted_recursion(node: RecursiveQuery) -> Result<LogicalPlan> {
    let types = recursion_types(&node)?;
    let recursive_term = brought_to(&node.recursive_term, &types, Settings::NEW)?;
    Ok(LogicalPlan::RecursiveQuery(RecursiveQuery { recursive_term, ..node }))
}

fn recursion_types(node: &RecursiveQuery) -> Result<Vec<Option<DataType>>> {
    let (first, again) = (&node.static_term, &node.recursive_term);
    let pairs = first.schema().fields().iter().zip(again.schema().fields());
    let of_pair = |(of_first, of_again): (&FieldRef, &FieldRef)| {
        let data_type = types::declared_type(of_first).filter(|_| of_first.metadata().contains_key(DECLARED));
        // Rows of several non-recursive parts have no declared types yet.
        let given = types::declared_type(of_again).filter(|_| of_again.metadata().contains_key(DECLARED));
        if let (Some(to), Some(from)) = (data_type, given)
            && to.is_text()
            && from.is_text()
            && from.limit().is_none_or(|from| to.limit().is_some_and(|to| from > to))
            && to.limit().is_some()
        {
            let text = format!(
                "Types don't match between the anchor and the recursive part in column \"{}\" of recursive query \"{}\".",
                of_first.name(),
                node.name
            );
            return Err(failed(Message::error(240, text)));
        }
        Ok(data_type)
    };
    pairs.map(of_pair).collect()
}
