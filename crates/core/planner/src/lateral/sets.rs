//! An inner plan for the keys of many rows at once, instead of one evaluation for each.
//!
//! The keys are joined with the lowest rows that depend on them, and their numbers are passed up with the rows. A
//! group, an order with a limit or a window becomes one for each key:
//!
//! ```text
//!   Limit 1                                     Filter number <= 1
//!     Sort d                                      Window row_number() OVER (PARTITION BY key ORDER BY d)
//!       Filter b.k = outer(a.k)        -->          Filter b.k = key.k
//!         b                                           KeyRows x b
//!
//!   Aggregate max(v)                            Aggregate max(v) FILTER (WHERE b.key is there) GROUP BY key
//!     Filter b.k = outer(a.k)          -->        KeyRows LEFT JOIN (Filter b.k = key.k  KeyRows x b)
//! ```
//!
//! The optimizer turns the product with the equality above it into a hash join. Without an equality, the product itself
//! would be calculated, and the plan is evaluated key by key instead ([`are_looked_up`](super::keys::are_looked_up)).
//!
//! After: Thomas Neumann, Alfons Kemper, "Unnesting Arbitrary Queries" (BTW 2015). There the keys come from a second
//! copy of the outer query; here they are rows that a run has collected, so that no outer part is evaluated twice.
//!
//! Limits: GROUPING SETS, DISTINCT ON, FULL JOIN with an outer reference, recursion and table functions with an outer
//! reference are evaluated key by key.

use super::failing::expr_may_fail;
use super::keys::KeyRows;
use super::rewrite::{Rewrite, columns_of};
use super::sides::side;
use super::{Kind, Lateral, outer_references, replaced};
use crate::tree::nodes::Tree;
use arrow_schema::FieldRef;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, NullEquality, Result};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::expr::{FieldMetadata, WindowFunction};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Distinct, Expr, ExprFunctionExt, FetchType, Filter, Join, JoinType, Limit, LogicalPlan,
    LogicalPlanBuilder, Operator, Projection, SkipType, Sort, SortExpr, SubqueryAlias, Union, Window, lit, when,
};
use std::sync::Arc;

/// A plan whose rows have the number of the key that they belong to.
pub(super) struct Set {
    pub(super) plan: LogicalPlan,
    /// The column of the key's number.
    pub(super) id: Column,
    /// The columns of the key's values.
    keys: Vec<Column>,
}

impl Set {
    /// The columns of the key.
    fn columns(&self) -> Vec<Expr> {
        std::iter::once(&self.id).chain(&self.keys).cloned().map(Expr::Column).collect()
    }

    /// The same key of another plan, which has the columns of this one.
    fn with(&self, plan: LogicalPlan) -> Set {
        Set { plan, id: self.id.clone(), keys: self.keys.clone() }
    }
}

/// Spreads a plan over the keys.
pub(super) struct Spread<'k> {
    /// The outer references that a key is made of.
    keys: &'k [Column],
    fields: Vec<FieldRef>,
    names: usize,
}

impl Spread<'_> {
    /// The plan for all keys, if there is one. `outer` has the columns of the keys.
    pub(super) fn over(plan: LogicalPlan, keys: &[Column], outer: &DFSchema) -> Result<Option<Set>> {
        let fields = keys.iter().map(|key| Ok(Arc::clone(outer.qualified_field_from_column(key)?.1)));
        let fields = fields.collect::<Result<Vec<_>>>()?;
        Spread { keys, fields, names: 0 }.plan(plan)
    }

    fn plan(&mut self, plan: LogicalPlan) -> Result<Option<Set>> {
        if !self.refers(&plan)? && !is_of_one_table(&plan) {
            return self.product(plan).map(Some);
        }
        match plan {
            LogicalPlan::Filter(Filter { predicate, input, .. }) => {
                let Some(set) = self.plan(owned(input))? else { return Ok(None) };
                self.filtered(predicate, set).map(Some)
            }
            LogicalPlan::Projection(Projection { expr, input, .. }) => match self.plan(owned(input))? {
                Some(set) => self.projected(expr, set).map(Some),
                None => Ok(None),
            },
            LogicalPlan::SubqueryAlias(alias) => match self.plan(owned(alias.input))? {
                Some(set) => aliased(set, alias.alias).map(Some),
                None => Ok(None),
            },
            LogicalPlan::Sort(Sort { expr, input, fetch }) => {
                let Some(set) = self.plan(owned(input))? else { return Ok(None) };
                let expr = self.sorts(expr, &set)?;
                match fetch {
                    Some(rows) => self.numbered(set, expr, 0, Some(rows)).map(Some),
                    None => {
                        let sort = Sort { expr, input: Arc::new(set.plan.clone()), fetch: None };
                        Ok(Some(set.with(LogicalPlan::Sort(sort))))
                    }
                }
            }
            LogicalPlan::Limit(limit) => self.limited(limit),
            LogicalPlan::Distinct(Distinct::All(input)) => {
                let Some(set) = self.plan(owned(input))? else { return Ok(None) };
                let distinct = Distinct::All(Arc::new(set.plan.clone()));
                Ok(Some(set.with(LogicalPlan::Distinct(distinct))))
            }
            LogicalPlan::Aggregate(aggregate) => self.aggregated(aggregate),
            LogicalPlan::Window(window) => self.windows(window),
            LogicalPlan::Union(union) => self.union(union),
            LogicalPlan::Join(join) => self.joined(join),
            LogicalPlan::TableScan(_) | LogicalPlan::EmptyRelation(_) => self.product(plan).map(Some),
            LogicalPlan::Extension(_) => match super::of(&plan) {
                Some(lateral) => self.lateral(lateral.clone()),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn number(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    fn leaf(&mut self) -> Result<Set> {
        let (plan, id, keys) = KeyRows::plan(self.number(), &self.fields)?;
        Ok(Set { plan, id, keys })
    }

    /// Every key with all rows of a plan.
    fn product(&mut self, plan: LogicalPlan) -> Result<Set> {
        let set = self.leaf()?;
        if matches!(&plan, LogicalPlan::EmptyRelation(empty) if empty.produce_one_row) {
            return Ok(set);
        }
        let product = LogicalPlanBuilder::from(set.plan.clone()).cross_join(plan)?.build()?;
        Ok(set.with(product))
    }

    /// True if a plan refers to a key.
    fn refers(&self, plan: &LogicalPlan) -> Result<bool> {
        Ok(outer_references(plan)?.iter().any(|reference| self.place(reference).is_some()))
    }

    fn place(&self, reference: &Expr) -> Option<usize> {
        match reference {
            Expr::OuterReferenceColumn(_, column) => self.keys.iter().position(|key| key == column),
            _ => None,
        }
    }

    /// An expression with the columns of the key in the place of references to it.
    fn expr(&self, expr: Expr, set: &Set) -> Result<Expr> {
        let replaced = expr.map_up(|expr| match self.place(&expr) {
            Some(place) => Ok(Transformed::yes(Expr::Column(set.keys[place].clone()))),
            None => Ok(Transformed::no(expr)),
        });
        replaced.data()
    }

    /// The same, under the name that it had.
    fn named(&self, expr: Expr, set: &Set) -> Result<Expr> {
        let (relation, name) = expr.qualified_name();
        let metadata = match &expr {
            Expr::Alias(alias) => alias.metadata.clone(),
            Expr::OuterReferenceColumn(field, _) => Some(FieldMetadata::from(field.metadata().clone())),
            _ => None,
        };
        let new = self.expr(expr, set)?;
        if new.qualified_name() == (relation.clone(), name.clone()) {
            return Ok(new);
        }
        Ok(new.unalias().alias_qualified_with_metadata(relation, name, metadata))
    }

    /// The rows that meet a condition. A part of it that may fail is asked of the rows only that have met a key by the
    /// others: of `b.k = key.k AND b.v / key.k > 1` the optimizer would ask `b.v / b.k > 1` of all rows of the table.
    fn filtered(&self, predicate: Expr, set: Set) -> Result<Set> {
        let mut parts = split_conjunction_owned(predicate);
        let schema = set.plan.schema();
        let is_safe_lookup = |part: &Expr| self.is_lookup(part) && !expr_may_fail(part, Some(schema));
        let has_safe_lookup = parts.iter().any(is_safe_lookup);
        let is_of_key = Expr::Column(set.id.clone()).is_not_null();
        for part in &mut parts {
            let is_asked_later = expr_may_fail(part, Some(schema)) && (has_safe_lookup || !self.is_lookup(part));
            *part = self.expr(std::mem::take(part), &set)?;
            if is_asked_later {
                *part = when(is_of_key.clone(), std::mem::take(part)).end()?;
            }
        }
        match conjunction(parts) {
            Some(predicate) => {
                let filter = Filter::try_new(predicate, Arc::new(set.plan.clone()))?;
                Ok(set.with(LogicalPlan::Filter(filter)))
            }
            None => Ok(set),
        }
    }

    /// True if a condition is the equality of something of the key with something of the rows.
    fn is_lookup(&self, condition: &Expr) -> bool {
        let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = condition else { return false };
        let is_of_key = |side: &Expr| side.has(|part| Ok(self.place(part).is_some())).unwrap_or(false);
        let is_key = |side: &Expr| is_of_key(side) && !side.any_column_refs();
        is_key(left) && !is_of_key(right) || is_key(right) && !is_of_key(left)
    }

    fn sorts(&self, sorts: Vec<SortExpr>, set: &Set) -> Result<Vec<SortExpr>> {
        sorts.into_iter().map(|sort| Ok(SortExpr { expr: self.expr(sort.expr, set)?, ..sort })).collect()
    }

    fn projected(&self, exprs: Vec<Expr>, set: Set) -> Result<Set> {
        let mut list = exprs.into_iter().map(|expr| self.named(expr, &set)).collect::<Result<Vec<_>>>()?;
        list.extend(set.columns());
        let projection = Projection::try_new(list, Arc::new(set.plan.clone()))?;
        Ok(set.with(LogicalPlan::Projection(projection)))
    }

    /// The first rows of each key. What they are ordered by may be below names and calculations.
    fn limited(&mut self, limit: Limit) -> Result<Option<Set>> {
        let (skip, fetch) = match (limit.get_skip_type()?, limit.get_fetch_type()?) {
            (SkipType::Literal(skip), FetchType::Literal(fetch)) => (skip, fetch),
            _ => return Ok(None),
        };
        self.first(owned(limit.input), skip, fetch)
    }

    fn first(&mut self, plan: LogicalPlan, skip: usize, fetch: Option<usize>) -> Result<Option<Set>> {
        match plan {
            LogicalPlan::Projection(Projection { expr, input, .. }) => match self.first(owned(input), skip, fetch)? {
                Some(set) => self.projected(expr, set).map(Some),
                None => Ok(None),
            },
            LogicalPlan::SubqueryAlias(alias) => match self.first(owned(alias.input), skip, fetch)? {
                Some(set) => aliased(set, alias.alias).map(Some),
                None => Ok(None),
            },
            LogicalPlan::Sort(Sort { expr, input, fetch: None }) => {
                let Some(set) = self.plan(owned(input))? else { return Ok(None) };
                let expr = self.sorts(expr, &set)?;
                self.numbered(set, expr, skip, fetch).map(Some)
            }
            // Without an order, the rows count in the one they come in, as they do of one key.
            plan => {
                let Some(set) = self.plan(plan)? else { return Ok(None) };
                let (plan, arrival) = self.with_number(set.plan.clone(), row_number())?;
                let order = vec![Expr::Column(arrival).sort(true, false)];
                self.numbered(set.with(plan), order, skip, fetch).map(Some)
            }
        }
    }

    /// The rows with their number in this order, among those of their key, beyond `skip` and up to `fetch` of them.
    fn numbered(&mut self, set: Set, order: Vec<SortExpr>, skip: usize, fetch: Option<usize>) -> Result<Set> {
        let columns = columns_of(set.plan.schema());
        let key = Expr::Column(set.id.clone());
        let number = row_number().partition_by(vec![key]).order_by(order).build()?;
        let (plan, number) = self.with_number(set.plan.clone(), number)?;
        let number = Expr::Column(number);
        let mut builder = LogicalPlanBuilder::from(plan);
        if let Some(fetch) = fetch {
            builder = builder.filter(number.clone().lt_eq(lit(skip.saturating_add(fetch) as u64)))?;
        }
        if skip > 0 {
            builder = builder.filter(number.gt(lit(skip as u64)))?;
        }
        Ok(set.with(builder.project(columns)?.build()?))
    }

    /// The plan with a window function's value as another column.
    fn with_number(&mut self, plan: LogicalPlan, function: Expr) -> Result<(LogicalPlan, Column)> {
        let name = format!("#number{}", self.number());
        let columns = columns_of(plan.schema());
        let value = Expr::Column(Column::from_name(function.schema_name().to_string()));
        let window = Window::try_new(vec![function], Arc::new(plan))?;
        let list = columns.into_iter().chain([value.alias(&name)]);
        let plan = LogicalPlanBuilder::from(LogicalPlan::Window(window)).project(list)?.build()?;
        Ok((plan, Column::new_unqualified(name)))
    }

    fn aggregated(&mut self, aggregate: Aggregate) -> Result<Option<Set>> {
        let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
        if group_expr.iter().any(|expr| matches!(expr, Expr::GroupingSet(_))) {
            return Ok(None);
        }
        let Some(set) = self.plan(owned(input))? else { return Ok(None) };
        let mut groups = group_expr.into_iter().map(|expr| self.named(expr, &set)).collect::<Result<Vec<_>>>()?;
        let mut values = aggr_expr.into_iter().map(|expr| self.named(expr, &set)).collect::<Result<Vec<_>>>()?;
        if !groups.is_empty() {
            groups.extend(set.columns());
            let plan = Aggregate::try_new(Arc::new(set.plan.clone()), groups, values)?;
            return Ok(Some(set.with(LogicalPlan::Aggregate(plan))));
        }
        // All rows are one group, which is there for a key without any row too.
        let all = self.leaf()?;
        let is_there = Expr::Column(set.id.clone()).is_not_null();
        for value in &mut values {
            *value = of_rows(std::mem::take(value), &is_there)?;
        }
        let on = vec![(Expr::Column(all.id.clone()), Expr::Column(set.id))];
        let joined = join(all.plan.clone(), set.plan, on, JoinType::Left)?;
        let plan = Aggregate::try_new(Arc::new(joined), all.columns(), values)?;
        let plan = LogicalPlan::Aggregate(plan);
        Ok(Some(all.with(plan)))
    }

    fn windows(&mut self, window: Window) -> Result<Option<Set>> {
        let names: Vec<_> = window.window_expr.iter().map(|expr| expr.qualified_name()).collect();
        let Some(set) = self.plan(owned(window.input))? else { return Ok(None) };
        let mut list = columns_of(set.plan.schema());
        let mut functions = Vec::with_capacity(names.len());
        for (expr, (relation, name)) in window.window_expr.into_iter().zip(names) {
            let metadata = match &expr {
                Expr::Alias(alias) => alias.metadata.clone(),
                _ => None,
            };
            let function = self.expr(expr, &set)?.unalias().map_up(|expr| match expr {
                Expr::WindowFunction(call) => {
                    let WindowFunction { fun, mut params } = *call;
                    params.partition_by.insert(0, Expr::Column(set.id.clone()));
                    Ok(Transformed::yes(Expr::WindowFunction(Box::new(WindowFunction { fun, params }))))
                }
                expr => Ok(Transformed::no(expr)),
            });
            let function = function.data()?;
            let value = Expr::Column(Column::from_name(function.schema_name().to_string()));
            list.push(value.alias_qualified_with_metadata(relation, name, metadata));
            functions.push(function);
        }
        let window = Window::try_new(functions, Arc::new(set.plan.clone()))?;
        let plan = Projection::try_new(list, Arc::new(LogicalPlan::Window(window)))?;
        Ok(Some(set.with(LogicalPlan::Projection(plan))))
    }

    fn union(&mut self, union: Union) -> Result<Option<Set>> {
        let number = self.number();
        let names: Vec<String> = (0..=self.keys.len()).map(|place| format!("#key{number}_of_all{place}")).collect();
        let mut inputs = Vec::with_capacity(union.inputs.len());
        for input in union.inputs {
            let columns = columns_of(input.schema());
            let Some(set) = self.plan(owned(input))? else { return Ok(None) };
            let key = set.columns().into_iter().zip(&names).map(|(column, name)| column.alias(name));
            let list = columns.into_iter().chain(key).collect();
            inputs.push(Arc::new(LogicalPlan::Projection(Projection::try_new(list, Arc::new(set.plan))?)));
        }
        let mut fields: Vec<_> = union.schema.iter().map(|(name, field)| (name.cloned(), Arc::clone(field))).collect();
        if let Some(input) = inputs.first() {
            let added = input.schema().iter().skip(fields.len());
            fields.extend(added.map(|(name, field)| (name.cloned(), Arc::clone(field))).collect::<Vec<_>>());
        }
        let schema = Arc::new(DFSchema::new_with_metadata(fields, union.schema.metadata().clone())?);
        let mut columns = names.into_iter().map(Column::new_unqualified);
        let Some(id) = columns.next() else { return Ok(None) };
        let plan = LogicalPlan::Union(Union { inputs, schema });
        Ok(Some(Set { plan, id, keys: columns.collect() }))
    }

    fn joined(&mut self, join: Join) -> Result<Option<Set>> {
        if let Some(inner) = side(&join.right) {
            let lateral = Rewrite { all: true }.applied(join, inner)?.data;
            return self.plan(lateral);
        }
        let (of_left, of_right) = (self.refers(&join.left)?, self.refers(&join.right)?);
        let (of_left, of_right) = match join.join_type {
            JoinType::Inner if !of_left && !of_right => (true, false),
            JoinType::Inner => (of_left, of_right),
            JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => (true, of_right),
            JoinType::Right => (of_left, true),
            _ => return Ok(None),
        };
        let (left, left_set) = self.side(join.left, of_left)?;
        let (right, right_set) = self.side(join.right, of_right)?;
        if of_left && left_set.is_none() || of_right && right_set.is_none() {
            return Ok(None);
        }
        let mut on = join.on;
        if let (Some(left), Some(right)) = (&left_set, &right_set) {
            on.push((Expr::Column(left.id.clone()), Expr::Column(right.id.clone())));
        }
        let key = match join.join_type {
            JoinType::Right => right_set,
            _ => left_set.or(right_set),
        };
        let Some(key) = key else { return Ok(None) };
        let on = on.into_iter().map(|(left, right)| Ok((self.expr(left, &key)?, self.expr(right, &key)?)));
        let on = on.collect::<Result<Vec<_>>>()?;
        let filter = join.filter.map(|filter| self.expr(filter, &key)).transpose()?;
        let (kind, constraint) = (join.join_type, join.join_constraint);
        let joined = Join::try_new(left, right, on, filter, kind, constraint, join.null_equality, join.null_aware)?;
        Ok(Some(key.with(LogicalPlan::Join(joined))))
    }

    /// A side of a join, spread or as it is.
    fn side(&mut self, side: Arc<LogicalPlan>, is_spread: bool) -> Result<(Arc<LogicalPlan>, Option<Set>)> {
        if !is_spread {
            return Ok((side, None));
        }
        let set = self.plan(owned(Arc::clone(&side)))?;
        Ok((set.as_ref().map_or(side, |set| Arc::new(set.plan.clone())), set))
    }

    /// A node within: what it read of the outer row are columns of its own rows now.
    fn lateral(&mut self, lateral: Lateral) -> Result<Option<Set>> {
        let width = lateral.input.schema().fields().len();
        let last = lateral.input.schema().iter().last().map(Column::from);
        let Some(mut set) = self.plan(lateral.input.clone())? else { return Ok(None) };
        if let (Kind::In, Some(last)) = (lateral.kind, last) {
            // The value that is compared stays the last column.
            let last = Expr::Column(last);
            let others = columns_of(set.plan.schema()).into_iter().filter(|column| *column != last);
            let list = others.chain([last.clone()]).collect();
            let projection = Projection::try_new(list, Arc::new(set.plan.clone()))?;
            set = set.with(LogicalPlan::Projection(projection));
        }
        let keys = set.keys.clone();
        let instead = |reference: &Expr| {
            let place = lateral.free.iter().position(|free| free == reference)?;
            let bound = lateral.bound.get(place)?;
            match (self.place(bound), bound) {
                (Some(place), Expr::OuterReferenceColumn(field, _)) => {
                    Some(Expr::OuterReferenceColumn(Arc::clone(field), keys[place].clone()))
                }
                _ => Some(bound.clone()),
            }
        };
        let inner = replaced(lateral.inner.as_ref().clone(), &instead)?;
        let added = lateral.schema.iter().skip(width).map(|(name, field)| (name.cloned(), Arc::clone(field)));
        let fields = set.plan.schema().iter().map(|(name, field)| (name.cloned(), Arc::clone(field)));
        let fields = fields.chain(added).collect();
        let schema = DFSchema::new_with_metadata(fields, lateral.schema.metadata().clone())?;
        let plan = Lateral::guarded(set.plan.clone(), inner, lateral.kind, Arc::new(schema), lateral.guard.clone())?;
        Ok(Some(set.with(plan)))
    }
}

/// True if a plan is one table, under names, with conditions and calculations: these are made of the rows that meet a key
/// only, if the keys are below them.
fn is_of_one_table(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        LogicalPlan::Projection(projection) => is_of_one_table(&projection.input),
        LogicalPlan::Filter(filter) => is_of_one_table(&filter.input),
        LogicalPlan::SubqueryAlias(alias) => is_of_one_table(&alias.input),
        _ => false,
    }
}

fn owned(plan: Arc<LogicalPlan>) -> LogicalPlan {
    Arc::unwrap_or_clone(plan)
}

fn aliased(set: Set, alias: datafusion::common::TableReference) -> Result<Set> {
    let named = |column: &Column| Column::new(Some(alias.clone()), column.name());
    let (id, keys) = (named(&set.id), set.keys.iter().map(named).collect());
    let plan = SubqueryAlias::try_new(Arc::new(set.plan), alias.clone())?;
    Ok(Set { plan: LogicalPlan::SubqueryAlias(plan), id, keys })
}

fn join(left: LogicalPlan, right: LogicalPlan, on: Vec<(Expr, Expr)>, kind: JoinType) -> Result<LogicalPlan> {
    let constraint = datafusion::logical_expr::JoinConstraint::On;
    let nulls = NullEquality::NullEqualsNothing;
    Ok(LogicalPlan::Join(Join::try_new(Arc::new(left), Arc::new(right), on, None, kind, constraint, nulls, false)?))
}

/// An aggregate of the rows that are there only, under its name.
fn of_rows(value: Expr, is_there: &Expr) -> Result<Expr> {
    let (relation, name) = value.qualified_name();
    let metadata = match &value {
        Expr::Alias(alias) => alias.metadata.clone(),
        _ => None,
    };
    let filtered = value.unalias().map_up(|expr| match expr {
        Expr::AggregateFunction(mut call) => {
            let filter = call.params.filter.take();
            let filter = match filter {
                Some(filter) => is_there.clone().and(*filter),
                None => is_there.clone(),
            };
            call.params.filter = Some(Box::new(filter));
            Ok(Transformed::yes(Expr::AggregateFunction(call)))
        }
        expr => Ok(Transformed::no(expr)),
    });
    Ok(filtered.data()?.alias_qualified_with_metadata(relation, name, metadata))
}
