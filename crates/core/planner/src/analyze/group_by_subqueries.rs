//! GROUP BY a correlated subquery: `GROUP BY (SELECT max(total) FROM orders WHERE orders.customer = c.id)`.
//!
//! DataFusion turns correlated subqueries in lists of columns into joins; as grouping keys it supports only some of
//! them, and in grouping sets it counts the keys wrongly. So the value becomes a column of the grouped rows, and gets
//! the name of its key again above the groups:
//!
//! ```text
//!                                             Projection: #key0 AS <subquery>, count(1)
//!   Aggregate: [<subquery>], [count(1)]  -->    Aggregate: [#key0], [count(1)]
//!     TableScan: c                                Projection: c.*, (<subquery>) AS #key0
//!                                                   TableScan: c
//! ```

use crate::analyze::order_by_subqueries::{column, columns_of, has_subquery};
use crate::tree::nodes::{PlanTree, Tree};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, Projection};
use std::sync::Arc;

/// The plan with the subqueries of its groups as columns below them.
pub(crate) fn by_columns(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !contains_one(&plan)? {
        return Ok(plan);
    }
    let changed = plan.map_up_with_subqueries(|node| match node {
        LogicalPlan::Aggregate(aggregate) if is_concerned(&aggregate) => grouped(aggregate).map(Transformed::yes),
        node => Ok(Transformed::no(node)),
    });
    changed.data()
}

fn contains_one(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.each_with_subqueries(|node| {
        found |= matches!(node, LogicalPlan::Aggregate(aggregate) if is_concerned(aggregate));
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

fn is_concerned(aggregate: &Aggregate) -> bool {
    aggregate.group_expr.iter().any(has_subquery)
}

fn grouped(aggregate: Aggregate) -> Result<LogicalPlan> {
    let mut below = columns_of(&aggregate.input);
    let mut keys: Vec<(Expr, Expr)> = Vec::new();
    let mut moved = |key: Expr| match keys.iter().find(|(known, _)| *known == key) {
        Some((_, column)) => column.clone(),
        None if has_subquery(&key) => {
            let name = format!("#key{}", keys.len());
            below.push(key.clone().unalias().alias(&name));
            keys.push((key, column(None, &name)));
            column(None, &name)
        }
        None => key,
    };
    let groups = aggregate.group_expr.into_iter().map(|key| match key {
        // The keys are the parts; sets have several of them.
        Expr::GroupingSet(_) => key
            .map_down(|part| match part {
                Expr::GroupingSet(_) => Ok(Transformed::no(part)),
                part => Ok(Transformed::new(moved(part), true, TreeNodeRecursion::Jump)),
            })
            .data(),
        key => Ok(moved(key)),
    });
    let groups = groups.collect::<Result<Vec<_>>>()?;
    let of_groups = |call: Expr| {
        // GROUPING asks about a key by what it is.
        call.map_down(|part| match keys.iter().find(|(known, _)| *known == part) {
            Some((_, column)) => Ok(Transformed::new(column.clone(), true, TreeNodeRecursion::Jump)),
            None => Ok(Transformed::no(part)),
        })
        .data()
    };
    let calls = aggregate.aggr_expr.into_iter().map(|call| match has_grouping(&call) {
        true => of_groups(call),
        false => Ok(call),
    });
    let calls = calls.collect::<Result<Vec<_>>>()?;
    let below = LogicalPlan::Projection(Projection::try_new(below, aggregate.input)?);
    let groups = LogicalPlan::Aggregate(Aggregate::try_new(Arc::new(below), groups, calls)?);
    // The number of a grouping set is the aggregate's own: what asks for it is rewritten together with the aggregate.
    let is_own = |field: &str| field == Aggregate::INTERNAL_GROUPING_ID;
    let shown = columns_of(&groups).into_iter().zip(aggregate.schema.iter());
    let shown = shown.filter(|(_, (_, field))| !is_own(field.name()));
    let shown = shown.map(|(made, (table, field))| match &made {
        Expr::Column(own) if own.relation.as_ref() == table && own.name == *field.name() => made,
        _ => made.alias_qualified(table.cloned(), field.name()),
    });
    Ok(LogicalPlan::Projection(Projection::try_new(shown.collect(), Arc::new(groups))?))
}

fn has_grouping(call: &Expr) -> bool {
    call.has(|part| Ok(matches!(part, Expr::AggregateFunction(call) if call.func.name() == "grouping")))
        .unwrap_or(false)
}
