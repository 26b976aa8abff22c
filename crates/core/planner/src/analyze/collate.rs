//! Text with a collation: comparisons, groups and orders of a column with COLLATE use its sort key.
//!
//! ```text
//!   a = 'X', a IN (...), BETWEEN, CASE a WHEN     key(a) = key('X')
//!   NULLIF(a, 'X')                                CASE WHEN key(a) = key('X') THEN NULL ELSE a END
//!   a LIKE 'X%'                                   fold(a) LIKE fold('X%')
//!   a JOIN b ON a.x = b.y                         key(a.x) = key(b.y)
//!   ORDER BY a, OVER (PARTITION BY a)             by key(a)
//!   GROUP BY a, DISTINCT                          by key(a); the group shows its least member
//!   COUNT(DISTINCT a); MIN(a), MAX(a)             of key(a); the first by key(a)
//! ```
//!
//! `key` is the collation's sort key, without trailing blanks (they are not significant, as in its indexes); `fold`
//! keeps them, for patterns. A literal becomes its key when the statement is planned, so a scan gets a comparison of a
//! column's keys with a constant, which is a [`Predicate`](mainstay_columnar::Predicate) and finds its index.
//!
//! The metadata of its field gives the collation of a column; views, joins and subqueries pass it on. Functions of a
//! column (`upper(a)`, `a || b`) keep it, but not beyond their query. If both sides have a collation, the first
//! applies; an explicit COLLATE of an expression takes precedence over all of them
//! ([`collate_clause`](crate::functions::collate_clause)).
//!
//! Timestamps with offsets compare, group and sort the same way, by their UTC values
//! ([`offset`](crate::types::offset)); so do values of a dialect that makes keys of them, and binary
//! values that compare without trailing zeros ([`crate::dialect::Comparison`]).

use crate::analyze::char_columns::{is_comparison, null_if, nullif_of};
pub(crate) use crate::analyze::compared_by::has_collation;
use crate::analyze::compared_by::{BYTES, By, Derived, has_key, is_text, key_if_any};
use crate::analyze::sort_key::{FUNCTIONS, MADE};
use crate::dialect;
use crate::functions::collate_clause;
use crate::functions::ordered_sets;
use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::rewrite::schema_of;
use crate::types::offset;
use crate::types::padded_bytes::is_any_length;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, Result};
use datafusion::functions_aggregate::expr_fn::min;
use datafusion::functions_aggregate::first_last::first_value_udaf;
use datafusion::logical_expr::expr::{
    AggregateFunction, AggregateFunctionParams, Between, Case, FieldMetadata, InList, InSubquery, ScalarFunction,
    SetComparison, WindowFunction,
};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Distinct, Expr, ExprSchemable, GroupingSet, Like, LogicalPlan, LogicalPlanBuilder,
    Projection, Subquery,
};
use mainstay_types::Collation;
use std::sync::Arc;

/// A text of which one of the functions takes something.
#[derive(Clone, Copy)]
pub(crate) struct Keyed<'e> {
    /// The text.
    pub(crate) text: &'e Expr,
    /// Its collation.
    pub(crate) collation: Collation,
    /// True if blanks at its end do not count.
    pub(crate) pads: bool,
}

/// The collation whose sort keys, blanks at the ends of texts left out, the function of this name makes.
pub(crate) fn collation_of_key(name: &str) -> Option<Collation> {
    let found = FUNCTIONS.iter().find(|(known, _, pads)| *known == name && *pads);
    found.map(|(_, collation, _)| *collation).filter(|collation| *collation != Collation::Binary)
}

/// The collation of the function of this name, which makes sort keys or texts for patterns.
pub(crate) fn collation_of(name: &str) -> Option<Collation> {
    FUNCTIONS.iter().find(|(known, ..)| *known == name).map(|(_, collation, _)| *collation)
}

/// The text and key of a call of one of these functions.
pub(crate) fn keyed(expr: &Expr) -> Option<Keyed<'_>> {
    match expr {
        Expr::ScalarFunction(call) => {
            let [text] = call.args.as_slice() else { return None };
            let found = FUNCTIONS.iter().find(|(name, ..)| *name == call.name());
            found.map(|(_, collation, pads)| Keyed { text, collation: *collation, pads: *pads })
        }
        Expr::Cast(cast) if cast.field.data_type().is_string() => keyed(&cast.expr),
        _ => None,
    }
}

fn call(expr: Expr, collation: Collation, pads: bool) -> Expr {
    if keyed(&expr).is_some() {
        return expr;
    }
    let place = FUNCTIONS.iter().position(|(_, of, pad)| *of == collation && *pad == pads);
    match place.and_then(|place| MADE.get(place)) {
        Some(function) => Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(function), vec![expr])),
        // Bytes compare as they are.
        None => expr,
    }
}

/// The sort key of a text.
pub(crate) fn key(expr: Expr, collation: Collation) -> Expr {
    call(expr, collation, true)
}

/// A text as patterns are compared with it.
pub(crate) fn fold(expr: Expr, collation: Collation) -> Expr {
    call(expr, collation, false)
}

/// The expression with its comparisons of collated text by keys.
pub(crate) fn rewritten(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    expr.map_up(|expr| compared(expr, schema))
}

fn compared(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    // The comparison of all of these, if they are texts of which one has a collation.
    let common = |exprs: &[&Expr]| -> Result<Option<By>> {
        let found = By::of_all(exprs, schema)?;
        Ok(found.filter(|found| exprs.iter().all(|expr| found.takes(expr, schema))))
    };
    let keyed = |expr: Box<Expr>, by: By| by.key(*expr, schema).map(Box::new);
    Ok(match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(op) => match common(&[&left, &right])? {
            Some(by) => {
                let (left, right) = (keyed(left, by)?, keyed(right, by)?);
                Transformed::yes(Expr::BinaryExpr(BinaryExpr { left, op, right }))
            }
            None => Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })),
        },
        Expr::Between(Between { expr, negated, low, high }) => match common(&[&expr, &low, &high])? {
            Some(by) => {
                let (expr, low, high) = (keyed(expr, by)?, keyed(low, by)?, keyed(high, by)?);
                Transformed::yes(Expr::Between(Between { expr, negated, low, high }))
            }
            None => Transformed::no(Expr::Between(Between { expr, negated, low, high })),
        },
        Expr::InList(InList { expr, list, negated }) => {
            match common(&std::iter::once(expr.as_ref()).chain(&list).collect::<Vec<_>>())? {
                Some(by) => {
                    let list = list.into_iter().map(|item| by.key(item, schema)).collect::<Result<_>>()?;
                    Transformed::yes(Expr::InList(InList { expr: keyed(expr, by)?, list, negated }))
                }
                None => Transformed::no(Expr::InList(InList { expr, list, negated })),
            }
        }
        Expr::Like(like) => match common(&[&like.expr, &like.pattern])? {
            Some(By::Text(Collation::Binary)) => {
                let (expr, pattern) = (keyed(like.expr, BYTES)?, keyed(like.pattern, BYTES)?);
                Transformed::yes(Expr::Like(Like { expr, pattern, ..like }))
            }
            Some(By::Text(by)) => {
                let Like { negated, expr, pattern, escape_char, .. } = like;
                let folded = |expr: Box<Expr>| Box::new(fold(collate_clause::without(*expr), by));
                let (expr, pattern) = (folded(expr), folded(pattern));
                let escape_char = escape_char.map(|it| if by.folds_case() { it.to_ascii_lowercase() } else { it });
                Transformed::yes(Expr::Like(Like { negated, expr, pattern, escape_char, case_insensitive: false }))
            }
            _ => Transformed::no(Expr::Like(like)),
        },
        Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
            let (expr, subquery, changed) = with_query(*expr, subquery, schema)?;
            let expr = Box::new(expr);
            Transformed::new_transformed(Expr::InSubquery(InSubquery { expr, subquery, negated }), changed)
        }
        Expr::SetComparison(SetComparison { expr, subquery, op, quantifier }) if is_comparison(op) => {
            let (expr, subquery, changed) = with_query(*expr, subquery, schema)?;
            let comparison = SetComparison { expr: Box::new(expr), subquery, op, quantifier };
            Transformed::new_transformed(Expr::SetComparison(comparison), changed)
        }
        Expr::Case(Case { expr: Some(base), when_then_expr, else_expr }) => {
            let whens = when_then_expr.iter().map(|(when, _)| when.as_ref());
            match common(&std::iter::once(base.as_ref()).chain(whens).collect::<Vec<_>>())? {
                Some(by) => {
                    let branch = |(when, then): (Box<Expr>, Box<Expr>)| Ok((keyed(when, by)?, then));
                    let when_then_expr = when_then_expr.into_iter().map(branch).collect::<Result<_>>()?;
                    Transformed::yes(Expr::Case(Case { expr: Some(keyed(base, by)?), when_then_expr, else_expr }))
                }
                None => Transformed::no(Expr::Case(Case { expr: Some(base), when_then_expr, else_expr })),
            }
        }
        Expr::ScalarFunction(call) => match nullif_of(&call) {
            Some([value, other]) => match common(&[value, other])? {
                Some(by) => {
                    let is_equal = by.key(value.clone(), schema)?.eq(by.key(other.clone(), schema)?);
                    Transformed::yes(null_if(is_equal, value.clone()))
                }
                None => Transformed::no(Expr::ScalarFunction(call)),
            },
            None => Transformed::no(Expr::ScalarFunction(call)),
        },
        Expr::AggregateFunction(function) => aggregate_function(function, schema)?,
        Expr::WindowFunction(function) => Transformed::yes(window_function(*function, schema)?),
        other => Transformed::no(other),
    })
}

/// `x IN (SELECT y ...)`, `x = ANY (SELECT y ...)`: both by their keys, and whether they have some.
fn with_query(expr: Expr, subquery: Subquery, schema: &DFSchema) -> Result<(Expr, Subquery, bool)> {
    let inner = subquery.subquery.schema();
    let first = inner.fields().first();
    let by = By::of(&expr, schema)?.or_else(|| first.and_then(|field| By::of_field(field)));
    let takes_it = |by: &By| match by {
        By::Text(_) | By::Bytes => first.is_some_and(|field| field.data_type().is_string()),
        By::Moment => first.is_some_and(|field| offset::has_offset(field)),
        By::Own(key) => first.is_some_and(|field| dialect::own_key_of_field(field) == Some(*key)),
        By::Padded => first.is_some_and(|field| is_any_length(field.data_type())),
    };
    let by = by.filter(|by| by.takes(&expr, schema) && takes_it(by) && inner.fields().len() == 1);
    let Some(by) = by else { return Ok((expr, subquery, false)) };
    let column = Expr::Column(Column::from(inner.qualified_field(0)));
    let plan =
        LogicalPlanBuilder::from(subquery.subquery.as_ref().clone()).project(vec![by.key(column, inner)?])?.build()?;
    Ok((by.key(expr, schema)?, Subquery { subquery: Arc::new(plan), ..subquery }, true))
}

fn aggregate_function(function: AggregateFunction, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let result = Expr::AggregateFunction(function.clone()).get_type(schema);
    let AggregateFunction { func, mut params } = function;
    for sort in &mut params.order_by {
        sort.expr = key_if_any(sort.expr.clone(), schema)?;
    }
    let first = params.args.first().filter(|arg| is_text(arg, schema));
    let of_first = first.map(|arg| Derived::of(arg, schema)).transpose()?.flatten().map(|derived| derived.collation);
    let of_first = of_first.filter(|collation| *collation != Collation::Binary);
    match func.name() {
        // Grouping by keys is asked for by keys.
        "grouping" => {
            params.args = params.args.into_iter().map(|arg| key_if_any(arg, schema)).collect::<Result<_>>()?;
        }
        "count" if params.distinct => {
            params.args = params.args.into_iter().map(|arg| key_if_any(arg, schema)).collect::<Result<_>>()?;
        }
        "array_agg" | "string_agg" if params.distinct => {
            if let (Some(by), Some(arg)) = (of_first, params.args.first()) {
                let key = key(collate_clause::without(arg.clone()), by);
                let function = AggregateFunction { func: Arc::clone(&func), params: params.clone() };
                if let Some(function) = ordered_sets::of_distinct(&function, key, result?) {
                    return Ok(Transformed::yes(Expr::AggregateFunction(function)));
                }
            }
        }
        "mode" | "percentile_disc" if ordered_sets::is_called(&func) => {
            if let (Some(by), Some(arg)) = (of_first, params.args.first()) {
                params.args.push(key(collate_clause::without(arg.clone()), by));
                let func = ordered_sets::with_key(&func, result?).unwrap_or(func);
                return Ok(Transformed::yes(Expr::AggregateFunction(AggregateFunction { func, params })));
            }
        }
        name @ ("min" | "max") => {
            let (Some(by), Some(arg)) = (of_first, params.args.first().cloned()) else {
                return Ok(Transformed::yes(Expr::AggregateFunction(AggregateFunction { func, params })));
            };
            let is_there = arg.clone().is_not_null();
            let filter = match params.filter {
                Some(filter) => filter.as_ref().clone().and(is_there),
                None => is_there,
            };
            let ascending = name == "min";
            // Members that differ only in what the collation leaves out: the least, so that all executors agree.
            let order_by = vec![
                key(collate_clause::without(arg.clone()), by).sort(ascending, false),
                arg.clone().sort(true, false),
            ];
            let params = AggregateFunctionParams {
                args: vec![arg],
                distinct: false,
                filter: Some(Box::new(filter)),
                order_by,
                null_treatment: None,
            };
            return Ok(Transformed::yes(Expr::AggregateFunction(AggregateFunction {
                func: first_value_udaf(),
                params,
            })));
        }
        _ => {}
    }
    Ok(Transformed::yes(Expr::AggregateFunction(AggregateFunction { func, params })))
}

fn window_function(mut function: WindowFunction, schema: &DFSchema) -> Result<Expr> {
    let params = &mut function.params;
    for expr in &mut params.partition_by {
        *expr = key_if_any(expr.clone(), schema)?;
    }
    for sort in &mut params.order_by {
        sort.expr = key_if_any(sort.expr.clone(), schema)?;
    }
    Ok(Expr::WindowFunction(Box::new(function)))
}

/// The plan with everything by keys that compares, groups or sorts collated text.
pub(crate) fn by_keys(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !reads_collated(&plan)? {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(node_by_keys).data()
}

/// Returns true if any table of the plan has a column with a collation, or any of its queries makes one.
fn reads_collated(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.each_with_subqueries(|node| {
        found |= match node {
            LogicalPlan::TableScan(scan) => scan.source.schema().fields().iter().any(|field| has_key(field)),
            LogicalPlan::Projection(_) | LogicalPlan::Extension(_) => {
                node.schema().fields().iter().any(|field| has_key(field))
            }
            _ => false,
        };
        // Texts that only a COLLATE puts under a collation, and moments with an offset that no column has.
        if !found {
            node.each_expression(|expr| {
                found |= expr.has(|it| {
                    Ok(collate_clause::said(it).is_some() || offset::is_made(it) || dialect::gives_own_keys(it))
                })?;
                Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
            })?;
        }
        Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}

fn node_by_keys(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let schema = schema_of(&node);
    match node {
        LogicalPlan::Aggregate(aggregate) => grouped(aggregate, &schema),
        LogicalPlan::Distinct(Distinct::All(input)) if input.schema().fields().iter().any(|f| has_key(f)) => {
            let columns = input.schema().iter().map(|field| Expr::Column(Column::from(field))).collect();
            grouped(Aggregate::try_new(input, columns, Vec::new())?, &schema)
        }
        LogicalPlan::Join(mut join) => {
            for (left, right) in &mut join.on {
                let by = By::of_all(&[left, right], &schema)?;
                if let Some(by) = by.filter(|by| by.takes(left, &schema) && by.takes(right, &schema)) {
                    (*left, *right) = (by.key(left.clone(), &schema)?, by.key(right.clone(), &schema)?);
                }
            }
            join.filter = join.filter.map(|filter| rewritten(filter, &schema).data()).transpose()?;
            Ok(Transformed::yes(LogicalPlan::Join(join)))
        }
        LogicalPlan::Sort(mut sort) => {
            for by in &mut sort.expr {
                let expr = rewritten(by.expr.clone(), &schema).data()?;
                by.expr = key_if_any(expr, &schema)?;
            }
            Ok(Transformed::yes(LogicalPlan::Sort(sort)))
        }
        node => {
            let names = NamePreserver::new(&node);
            node.map_each_expression(|expr| {
                let name = names.save(&expr);
                Ok(rewritten(expr, &schema)?.update_data(|expr| name.restore(expr)))
            })
        }
    }
}

/// Groups by keys, with the least member of each group in the place of its column.
fn grouped(aggregate: Aggregate, schema: &DFSchema) -> Result<Transformed<LogicalPlan>> {
    let Aggregate { input, group_expr, aggr_expr, schema: named, .. } = aggregate;
    let preserved = |expr: Expr| -> Result<Expr> {
        let name = expr.schema_name().to_string();
        let new = rewritten(expr.clone(), schema).data()?;
        Ok(if new.schema_name().to_string() == name { new } else { new.unalias().alias(name) })
    };
    let mut aggr_expr = aggr_expr.into_iter().map(preserved).collect::<Result<Vec<_>>>()?;
    let is_set = matches!(group_expr.as_slice(), [Expr::GroupingSet(_)]);
    // The expressions of the groups, with their names as they were.
    let mut shown: Vec<(Expr, Option<Expr>)> = Vec::new();
    let mut keys_of = |expr: &Expr| -> Result<Expr> {
        let new = rewritten(expr.clone(), schema).data()?;
        let keyed = match By::of(&new, schema)?.filter(|by| by.takes(&new, schema)) {
            Some(by) => by.key(new.clone().unalias(), schema)?,
            None => new,
        };
        if !shown.iter().any(|(known, _)| known == expr) {
            shown.push((expr.clone(), (keyed != *expr).then(|| keyed.clone())));
        }
        Ok(keyed)
    };
    let mut each = |exprs: Vec<Expr>| exprs.iter().map(&mut keys_of).collect::<Result<Vec<_>>>();
    let group_expr = match group_expr.as_slice() {
        [Expr::GroupingSet(set)] => vec![Expr::GroupingSet(match set.clone() {
            GroupingSet::Rollup(exprs) => GroupingSet::Rollup(each(exprs)?),
            GroupingSet::Cube(exprs) => GroupingSet::Cube(each(exprs)?),
            GroupingSet::GroupingSets(sets) => {
                GroupingSet::GroupingSets(sets.into_iter().map(&mut each).collect::<Result<_>>()?)
            }
        })],
        _ => each(group_expr)?,
    };
    if shown.iter().all(|(_, keyed)| keyed.is_none()) {
        return Ok(Transformed::yes(LogicalPlan::Aggregate(Aggregate::try_new(input, group_expr, aggr_expr)?)));
    }
    let own_results = aggr_expr.len();
    let mut columns: Vec<(Expr, Expr)> = Vec::new();
    for (number, (expr, keyed)) in shown.iter().enumerate() {
        let keyed = match keyed {
            None => continue,
            Some(keyed) => keyed,
        };
        let member = format!("__member_{number}");
        aggr_expr.push(min(expr.clone().unalias()).alias(member.clone()));
        let column = |name: String| Expr::Column(Column::new_unqualified(name));
        let member = column(member);
        let keys = column(keyed.schema_name().to_string());
        // In the rows of ROLLUP that are about all groups the key is NULL, and so is what is shown.
        let is_there = keys.is_not_null();
        let value = if is_set { datafusion::logical_expr::when(is_there, member).end()? } else { member };
        columns.push((expr.clone(), value));
    }
    let new = Aggregate::try_new(input, group_expr, aggr_expr)?;
    let groups = named.fields().len() - own_results;
    let mut projection = Vec::with_capacity(named.fields().len());
    for (place, (qualifier, field)) in named.iter().enumerate() {
        // The internal column of GROUPING is dropped once it is evaluated.
        if field.name() == Aggregate::INTERNAL_GROUPING_ID {
            continue;
        }
        let of_group = columns.iter().find(|(expr, _)| {
            let (of, name) = expr.qualified_name();
            place < groups && of.as_ref() == qualifier && name == *field.name()
        });
        let value = match of_group {
            Some((_, value)) => value.clone(),
            None => {
                projection.push(Expr::Column(Column::from((qualifier, field))));
                continue;
            }
        };
        let metadata = Some(FieldMetadata::from(field.metadata().clone()));
        projection.push(value.alias_qualified_with_metadata(qualifier.cloned(), field.name(), metadata));
    }
    let projected = Projection::try_new(projection, Arc::new(LogicalPlan::Aggregate(new)))?;
    Ok(Transformed::yes(LogicalPlan::Projection(projected)))
}
