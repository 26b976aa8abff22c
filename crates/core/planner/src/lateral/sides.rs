//! Joins with a side that refers to the other one, and joins whose ON contains subqueries.

use super::easy::{Place, is_easy};
use super::guard::has_guard;
use super::rewrite::{Rewrite, Values, columns_of, has_subquery, outside};
use super::{Kind, Lateral};
use crate::tree::nodes::Tree;
use crate::tree::search::is_subquery;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result, ScalarValue, not_impl_err};
use datafusion::logical_expr::expr::FieldMetadata;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, Join, JoinType, LogicalPlan, LogicalPlanBuilder, Projection, lit};
use std::sync::Arc;

impl Rewrite {
    /// A join whose right side looks at the left one.
    pub(super) fn applied(&self, join: Join, inner: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        if !self.all
            && is_easy(inner_of(&join.right), join.left.schema(), Place::Side)?
            && !join.filter.as_ref().is_some_and(has_subquery)
        {
            return described(LogicalPlan::Join(join));
        }
        let kind = match join.join_type {
            JoinType::Inner => Kind::Cross,
            JoinType::Left => Kind::Outer,
            other => return not_impl_err!("{other} JOIN LATERAL"),
        };
        // The ON condition is a filter of the inner rows, so that an outer row without a match has NULL beside it.
        let inner = match join.filter {
            Some(filter) if !is_true(&filter) => self.filtered(inner, outside(filter, join.left.schema())?)?,
            _ => inner,
        };
        let input = Arc::unwrap_or_clone(join.left);
        Ok(Transformed::yes(Lateral::plan(input, inner, kind, join.schema)?))
    }

    /// A join whose ON has subqueries: conditions of an inner join are asked of its rows; of the others, what looks at one
    /// side is a value of that side, and the rest is asked of the right rows for each left one.
    pub(super) fn on(&self, mut join: Join) -> Result<LogicalPlan> {
        let Some(filter) = join.filter.take() else { return Ok(LogicalPlan::Join(join)) };
        let conditions = split_conjunction_owned(filter);
        let (asked, kept): (Vec<_>, Vec<_>) = conditions.into_iter().partition(has_subquery);
        if join.join_type == JoinType::Inner {
            join.filter = conjunction(kept);
            return match conjunction(asked) {
                Some(asked) => self.filtered(LogicalPlan::Join(join), asked),
                None => Ok(LogicalPlan::Join(join)),
            };
        }
        let mut sides = [Values::new(&join.left, "left"), Values::new(&join.right, "right")];
        // A value of a side is evaluated for all of its rows.
        let is_of_rows = |condition: &Expr| join.join_type != JoinType::Full && has_guard(condition);
        let asked = asked.into_iter().map(|condition| match is_of_rows(&condition) {
            true => Ok(condition),
            false => self.of_sides(condition, &mut sides),
        });
        let asked = asked.collect::<Result<Vec<_>>>()?;
        let [left, right] = sides;
        let columns = columns_of(&join.schema);
        let (left, right) = (self.with_values(left)?, self.with_values(right)?);
        let is_left = asked.iter().any(has_subquery);
        let filter = conjunction(kept.into_iter().chain(asked));
        let joined = match (is_left, join.join_type) {
            (false, join_type) => {
                let (on_left, on_right): (Vec<_>, Vec<_>) = join.on.into_iter().unzip();
                let on = on_left.into_iter().zip(on_right).map(|(left, right)| left.eq(right));
                let filter = conjunction(on.chain(filter)).unwrap_or_else(|| lit(true));
                LogicalPlanBuilder::from(left).join_on(right, join_type, Some(filter))?.build()?
            }
            (true, JoinType::Left | JoinType::Right) => {
                let (input, other) = if join.join_type == JoinType::Left { (left, right) } else { (right, left) };
                let on = join.on.into_iter().map(|(left, right)| left.eq(right));
                let condition = conjunction(on.chain(filter)).unwrap_or_else(|| lit(true));
                let inner = self.filtered(other, outside(condition, input.schema())?)?;
                let schema = input.schema().join(&all_nullable(inner.schema())?)?;
                Lateral::plan(input, inner, Kind::Outer, Arc::new(schema))?
            }
            (true, other) => return not_impl_err!("{other} JOIN whose ON has a subquery that looks at both sides"),
        };
        LogicalPlanBuilder::from(joined).project(columns)?.build()
    }

    /// A condition whose subqueries that look at one side only are columns of that side.
    fn of_sides(&self, condition: Expr, sides: &mut [Values; 2]) -> Result<Expr> {
        condition
            .map_down(|expr| {
                if !is_subquery(&expr) {
                    return Ok(Transformed::no(expr));
                }
                let kept = self.inside(expr)?.data;
                let [left, right] = sides;
                let value = match (left.has_all_of(&kept)?, right.has_all_of(&kept)?) {
                    (true, false) => left.add(kept)?,
                    (false, true) => right.add(kept)?,
                    // A condition over neither side belongs to either.
                    (true, true) => left.add(kept)?,
                    (false, false) => kept,
                };
                Ok(Transformed::new(value, true, TreeNodeRecursion::Jump))
            })
            .data()
    }
}

/// A join whose columns say what they are above it: the rule that takes it apart rewrites those of aggregates.
fn described(join: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let schema = Arc::clone(join.schema());
    let columns = schema.iter().map(|(relation, field)| {
        let column = Expr::Column(Column::new(relation.cloned(), field.name()));
        let metadata = Some(FieldMetadata::from(field.metadata().clone()));
        column.alias_qualified_with_metadata(relation.cloned(), field.name(), metadata)
    });
    let projection = Projection::try_new(columns.collect(), Arc::new(join))?;
    Ok(Transformed::yes(LogicalPlan::Projection(projection)))
}

fn all_nullable(schema: &DFSchema) -> Result<DFSchema> {
    let fields = schema
        .iter()
        .map(|(qualifier, field)| (qualifier.cloned(), Arc::new(field.as_ref().clone().with_nullable(true))));
    DFSchema::new_with_metadata(fields.collect(), schema.metadata().clone())
}

fn is_true(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(ScalarValue::Boolean(Some(true)), _))
}

/// The right side of a join as a plan of its own, if it looks at the left one.
pub(super) fn side(right: &LogicalPlan) -> Option<LogicalPlan> {
    match right {
        LogicalPlan::Subquery(subquery) => Some(subquery.subquery.as_ref().clone()),
        LogicalPlan::SubqueryAlias(alias) => {
            let inner = side(&alias.input)?;
            LogicalPlanBuilder::from(inner).alias(alias.alias.clone()).and_then(LogicalPlanBuilder::build).ok()
        }
        _ => None,
    }
}

/// The same, without the names around it.
fn inner_of(right: &LogicalPlan) -> &LogicalPlan {
    match right {
        LogicalPlan::Subquery(subquery) => &subquery.subquery,
        LogicalPlan::SubqueryAlias(alias) => inner_of(&alias.input),
        other => other,
    }
}
