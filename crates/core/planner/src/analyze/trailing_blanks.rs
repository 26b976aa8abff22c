//! Trailing blanks of texts in set operations and natural joins with CHAR columns.
//!
//! ```text
//!   SELECT c FROM t INTERSECT SELECT v FROM u     the rows of u with rtrim(v)
//!   ... EXCEPT, UNION                             the same, and on either side
//!   t NATURAL JOIN (SELECT ...) AS u              t.c = rtrim(u.c)
//! ```
//!
//! A set operation compares the rows of its queries with each other, also those of one query (they are distinct), so
//! texts are trimmed below it. UNION ALL compares nothing, and leaves texts as they are.

use crate::analyze::char_columns::{is_char, trimmed};
use crate::analyze::field_metadata::is_of_table;
use crate::fields::CHAR_COLUMN;
use crate::tree::nodes::PlanTree;
use crate::tree::search::any_node;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, JoinType, NullEquality, Result};
use datafusion::logical_expr::{Distinct, Expr, Join, JoinConstraint, LogicalPlan, LogicalPlanBuilder, Union};
use std::sync::Arc;

/// The plan with texts cut that meet those of CHAR columns in set operations. It must be as the statement says: later on,
/// other joins look like them.
pub(crate) fn in_set_operations(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_concerned = |node: &LogicalPlan| match node {
        LogicalPlan::Join(join) => is_set_operation(join) && !meeting([&join.left, &join.right]).is_empty(),
        LogicalPlan::Distinct(Distinct::All(input)) => {
            union_of(input).is_some_and(|of| !meeting(&of.inputs).is_empty())
        }
        _ => false,
    };
    // A dialect with types of its own has its own rule for blanks.
    if !any_node(&plan, is_concerned) || crate::dialect::owns_plan(&plan) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| match node {
        LogicalPlan::Join(join) if is_set_operation(&join) => {
            let which = meeting([&join.left, &join.right]);
            let (left, right) = (cut(&join.left, &which)?, cut(&join.right, &which)?);
            Ok(Transformed::yes(LogicalPlan::Join(Join { left, right, ..join })))
        }
        LogicalPlan::Distinct(Distinct::All(input)) => match union_of(&input) {
            Some(union) => {
                let which = meeting(&union.inputs);
                let inputs = union.inputs.iter().map(|input| cut(input, &which)).collect::<Result<_>>()?;
                let union = LogicalPlan::Union(Union { inputs, schema: Arc::clone(&union.schema) });
                Ok(Transformed::yes(LogicalPlan::Distinct(Distinct::All(Arc::new(union)))))
            }
            None => Ok(Transformed::no(LogicalPlan::Distinct(Distinct::All(input)))),
        },
        other => Ok(Transformed::no(other)),
    })
    .data()
}

/// A join with texts cut in the pairs that it is by, of which the other side is a CHAR column: whether there were some.
pub(crate) fn in_pairs(join: &mut Join) -> bool {
    // The sides of a set operation are cut already.
    if join.null_equality == NullEquality::NullEqualsNull {
        return false;
    }
    let (of_left, of_right) = (Arc::clone(join.left.schema()), Arc::clone(join.right.schema()));
    let mut changed = false;
    for (left, right) in &mut join.on {
        match (is_char(left, &of_left), is_char(right, &of_right)) {
            (true, false) => *right = trimmed(right.clone(), &of_right),
            (false, true) => *left = trimmed(left.clone(), &of_left),
            _ => continue,
        }
        changed = true;
    }
    if changed {
        // Of one by USING, names are resolved by its pairs, which must be columns then.
        join.join_constraint = JoinConstraint::On;
    }
    changed
}

/// Returns true if a join is INTERSECT or EXCEPT: nothing else that is written takes NULL for equal to NULL.
fn is_set_operation(join: &Join) -> bool {
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && join.filter.is_none()
        && join.on.len() == join.left.schema().fields().len()
}

fn union_of(plan: &LogicalPlan) -> Option<&Union> {
    match plan {
        LogicalPlan::Union(union) => Some(union),
        _ => None,
    }
}

/// The places at which some of the queries have a CHAR column, and others have none.
fn meeting<'p>(queries: impl IntoIterator<Item = &'p Arc<LogicalPlan>>) -> Vec<usize> {
    let queries: Vec<&LogicalPlan> = queries.into_iter().map(Arc::as_ref).collect();
    let columns = queries.iter().map(|query| query.schema().fields().len()).min().unwrap_or_default();
    let is_meeting = |place: &usize| {
        queries.iter().any(|query| has_char(query, *place))
            && !queries.iter().all(|query| is_char_column(query, *place))
    };
    (0..columns).filter(is_meeting).collect()
}

/// Returns true if a column of a query is a CHAR column, whose values have no blanks at their end.
fn is_char_column(query: &LogicalPlan, place: usize) -> bool {
    let said = |plan: &LogicalPlan, place: usize| {
        let fields = plan.schema().fields();
        fields.get(place).is_some_and(|field| field.metadata().contains_key(CHAR_COLUMN)) && is_of_table(plan, place)
    };
    // The columns of UNION BY NAME are those of all its queries, which may not be CHAR as a whole.
    let below = || match query {
        LogicalPlan::Projection(of) => match of.expr.get(place) {
            Some(Expr::Column(column)) => {
                of.input.schema().maybe_index_of_column(column).is_some_and(|place| said(&of.input, place))
            }
            _ => false,
        },
        _ => false,
    };
    said(query, place) || below()
}

/// Returns true if a column of a query, or of a set operation in its place, is a CHAR column in one of its queries.
fn has_char(query: &LogicalPlan, place: usize) -> bool {
    is_char_column(query, place)
        || match query {
            LogicalPlan::Union(union) => union.inputs.iter().any(|input| has_char(input, place)),
            LogicalPlan::Distinct(Distinct::All(input)) => has_char(input, place),
            LogicalPlan::SubqueryAlias(of) => has_char(&of.input, place),
            LogicalPlan::Join(join) if is_set_operation(join) => {
                has_char(&join.left, place) || has_char(&join.right, place)
            }
            _ => false,
        }
}

/// A query with the texts at these places cut, if they are not without blanks already.
fn cut(query: &Arc<LogicalPlan>, places: &[usize]) -> Result<Arc<LogicalPlan>> {
    if places.iter().all(|place| is_char_column(query, *place)) {
        return Ok(Arc::clone(query));
    }
    // The rows of the first query of EXCEPT and INTERSECT are told apart without their blanks, too.
    if let LogicalPlan::Distinct(Distinct::All(input)) = query.as_ref() {
        return Ok(Arc::new(LogicalPlan::Distinct(Distinct::All(cut(input, places)?))));
    }
    let schema = query.schema();
    let mut columns: Vec<Expr> = Vec::with_capacity(schema.fields().len());
    for (place, (qualifier, field)) in schema.iter().enumerate() {
        let column = Expr::Column(Column::from((qualifier, field)));
        let is_cut = places.contains(&place) && field.data_type().is_string() && !is_char_column(query, place);
        columns.push(match is_cut {
            true => trimmed(column, schema).alias_qualified(qualifier.cloned(), field.name()),
            false => column,
        });
    }
    Ok(Arc::new(LogicalPlanBuilder::from(query.as_ref().clone()).project(columns)?.build()?))
}
