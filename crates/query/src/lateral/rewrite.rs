//! The rule that makes [`Lateral`] nodes of the subqueries that DataFusion would refuse.

use super::easy::{Place, is_easy};
use super::{Kind, Lateral, has_column};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result, ScalarValue, TableReference, internal_err, not_impl_err};
use datafusion::logical_expr::expr::{Exists, FieldMetadata, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Expr, ExprSchemable, Filter, Join, JoinType, LogicalPlan, LogicalPlanBuilder, Operator,
    Projection, Sort, Subquery, binary_expr, lit, when,
};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Puts [`Lateral`] nodes in the place of correlated subqueries. The last rule of the analyzer: what is inside of the
/// nodes has been analyzed.
#[derive(Debug)]
pub(crate) struct Rewrite {
    /// Whether none is left to DataFusion: it has failed to make joins of them.
    pub(crate) all: bool,
}

impl AnalyzerRule for Rewrite {
    fn name(&self) -> &str {
        "lateral"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        match has_subqueries(&plan) {
            true => self.rewritten(plan),
            false => Ok(plan),
        }
    }
}

/// Whether anything in a plan looks at rows outside of it.
pub(crate) fn has_outer_references(plan: &LogicalPlan) -> bool {
    let mut found = false;
    // The closure does not fail.
    let _ = plan.apply_with_subqueries(|node| {
        found |= node.contains_outer_reference();
        Ok(match found {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    });
    found
}

/// Whether a plan has subqueries that the rule may have to do with.
pub(super) fn has_subqueries(plan: &LogicalPlan) -> bool {
    crate::contains::any_node(plan, |node| {
        node.contains_outer_reference() || crate::contains::any_expression(node, is_subquery)
    })
}

impl Rewrite {
    /// The plan with its correlated subqueries as nodes.
    pub(super) fn of(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        self.rewritten(plan)
    }

    fn rewritten(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        plan.transform_up(|node| self.node(node)).data()
    }

    fn node(&self, node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        match node {
            LogicalPlan::Join(join) => match side(&join.right) {
                Some(inner) => self.applied(join, inner),
                None if join.filter.as_ref().is_some_and(has_subquery) => self.on(join).map(Transformed::yes),
                None => Ok(Transformed::no(LogicalPlan::Join(join))),
            },
            LogicalPlan::Aggregate(aggregate) => {
                refuse_aggregates_of_others(&aggregate)?;
                self.aggregated(aggregate)
            }
            node => self.expressions(node),
        }
    }

    /// A join whose right side looks at the left one.
    fn applied(&self, join: Join, inner: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
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
        // What ON says is asked of the inner rows, so that a row without any that it is true for has NULL beside it.
        let inner = match join.filter {
            Some(filter) if !is_true(&filter) => self.filtered(inner, outside(filter, join.left.schema())?)?,
            _ => inner,
        };
        let input = Arc::unwrap_or_clone(join.left);
        Ok(Transformed::yes(Lateral::plan(input, inner, kind, join.schema)?))
    }

    /// The rows of a plan that meet a condition, which may have subqueries.
    fn filtered(&self, input: LogicalPlan, condition: Expr) -> Result<LogicalPlan> {
        let filter = Filter::try_new(condition, Arc::new(input))?;
        self.expressions(LogicalPlan::Filter(filter)).data()
    }

    /// A join whose ON has subqueries: conditions of an inner join are asked of its rows; of the others, what looks at one
    /// side is a value of that side, and the rest is asked of the right rows for each left one.
    fn on(&self, mut join: Join) -> Result<LogicalPlan> {
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
        let asked = asked.into_iter().map(|condition| self.of_sides(condition, &mut sides));
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
            .transform_down(|expr| {
                if !is_subquery(&expr) {
                    return Ok(Transformed::no(expr));
                }
                let kept = self.inside(expr)?.data;
                let [left, right] = sides;
                let value = match (left.has_all_of(&kept)?, right.has_all_of(&kept)?) {
                    (true, false) => left.add(kept),
                    (false, true) => right.add(kept),
                    // What looks at none of them is a value of either.
                    (true, true) => left.add(kept),
                    (false, false) => kept,
                };
                Ok(Transformed::new(value, true, TreeNodeRecursion::Jump))
            })
            .data()
    }

    fn with_values(&self, values: Values) -> Result<LogicalPlan> {
        if values.added.is_empty() {
            return Ok(values.input);
        }
        let mut list = columns_of(values.input.schema());
        list.extend(values.added);
        let projection = Projection::try_new(list, Arc::new(values.input))?;
        self.expressions(LogicalPlan::Projection(projection)).data()
    }

    /// An aggregate whose groups and arguments have subqueries, which become columns below it.
    fn aggregated(&self, aggregate: Aggregate) -> Result<Transformed<LogicalPlan>> {
        if !aggregate.group_expr.iter().chain(&aggregate.aggr_expr).any(has_subquery) {
            return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
        }
        let Aggregate { input, group_expr, aggr_expr, schema, .. } = aggregate;
        let mut values = Values::new(&input, "value");
        let mut without = |expr: Expr| -> Result<Expr> {
            let (relation, name) = expr.qualified_name();
            if !has_subquery(&expr) {
                return Ok(expr);
            }
            let replaced = expr.transform_down(|expr| match is_subquery(&expr) {
                true => Ok(Transformed::new(values.add(expr), true, TreeNodeRecursion::Jump)),
                false => Ok(Transformed::no(expr)),
            });
            Ok(replaced.data()?.unalias().alias_qualified(relation, name))
        };
        let group_expr = group_expr.into_iter().map(&mut without).collect::<Result<Vec<_>>>()?;
        let aggr_expr = aggr_expr.into_iter().map(&mut without).collect::<Result<Vec<_>>>()?;
        let input = Arc::new(self.with_values(values)?);
        let plan = Aggregate::try_new_with_schema(input, group_expr, aggr_expr, schema)?;
        Ok(Transformed::yes(LogicalPlan::Aggregate(plan)))
    }

    /// A node whose expressions have subqueries.
    fn expressions(&self, node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        match node {
            LogicalPlan::Projection(Projection { expr, input, schema, .. }) => {
                let mut below = Below::new(self, input);
                let expr = expr.into_iter().map(|expr| below.named(expr)).collect::<Result<Vec<_>>>()?;
                let plan = Projection::try_new_with_schema(expr, below.input, schema)?;
                Ok(below.changed.of(LogicalPlan::Projection(plan)))
            }
            LogicalPlan::Filter(Filter { predicate, input, .. }) => {
                let columns = columns_of(input.schema());
                let mut below = Below::new(self, input);
                below.is_filter = true;
                let predicate = below.condition(predicate, true)?;
                let changed = below.changed;
                let plan = LogicalPlan::Filter(Filter::try_new(predicate, below.input)?);
                restored(plan, columns, changed)
            }
            LogicalPlan::Sort(Sort { expr, input, fetch }) => {
                let columns = columns_of(input.schema());
                let mut below = Below::new(self, input);
                let sort = |mut sort: datafusion::logical_expr::SortExpr| {
                    sort.expr = below.expr(sort.expr)?;
                    Ok(sort)
                };
                let expr = expr.into_iter().map(sort).collect::<Result<Vec<_>>>()?;
                let changed = below.changed;
                restored(LogicalPlan::Sort(Sort { expr, input: below.input, fetch }), columns, changed)
            }
            // Subqueries of other nodes stay where they are; what is inside of them may be hard.
            node => node.map_expressions(|expr| expr.transform_up(|expr| self.inside(expr))),
        }
    }

    /// A subquery that stays, with its own subqueries rewritten.
    fn inside(&self, expr: Expr) -> Result<Transformed<Expr>> {
        Ok(match expr {
            Expr::ScalarSubquery(subquery) => Transformed::yes(Expr::ScalarSubquery(self.kept(subquery)?)),
            Expr::Exists(Exists { subquery, negated }) => {
                Transformed::yes(Expr::Exists(Exists { subquery: self.kept(subquery)?, negated }))
            }
            Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
                Transformed::yes(Expr::InSubquery(InSubquery { expr, subquery: self.kept(subquery)?, negated }))
            }
            Expr::SetComparison(comparison) => {
                let subquery = self.kept(comparison.subquery)?;
                Transformed::yes(Expr::SetComparison(SetComparison { subquery, ..comparison }))
            }
            other => Transformed::no(other),
        })
    }

    fn kept(&self, subquery: Subquery) -> Result<Subquery> {
        let plan = self.rewritten(Arc::unwrap_or_clone(subquery.subquery))?;
        let outer_ref_columns = plan.all_out_ref_exprs();
        Ok(Subquery { subquery: Arc::new(plan), outer_ref_columns, spans: subquery.spans })
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

/// Whether something has changed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Changed(bool);

impl Changed {
    fn of<T>(self, data: T) -> Transformed<T> {
        if self.0 { Transformed::yes(data) } else { Transformed::no(data) }
    }
}

/// The input of a node, to which what its subqueries give is added.
struct Below<'r> {
    rule: &'r Rewrite,
    input: Arc<LogicalPlan>,
    added: usize,
    changed: Changed,
    /// Whether the node is one that DataFusion makes joins of tests below.
    is_filter: bool,
}

impl<'r> Below<'r> {
    fn new(rule: &'r Rewrite, input: Arc<LogicalPlan>) -> Below<'r> {
        Below { rule, input, added: 0, changed: Changed(false), is_filter: false }
    }

    /// A condition that keeps what it is true for, so that unknown is as good as false. Of IN that is DataFusion's test;
    /// NOT IN below an OR or with a correlated subquery it does not know.
    fn condition(&mut self, expr: Expr, is_whole: bool) -> Result<Expr> {
        if !has_subquery(&expr) {
            return Ok(expr);
        }
        self.changed = Changed(true);
        Ok(match expr {
            Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
                let is_whole = is_whole && op == Operator::And;
                let left = self.condition(*left, is_whole)?;
                binary_expr(left, op, self.condition(*right, is_whole)?)
            }
            Expr::Not(inner) => match *inner {
                Expr::InSubquery(test) => {
                    self.condition(Expr::InSubquery(InSubquery { negated: !test.negated, ..test }), is_whole)?
                }
                other => self.expr(Expr::Not(Box::new(other)))?,
            },
            Expr::InSubquery(InSubquery { expr, subquery, negated }) if !has_subquery(&expr) => {
                let subquery = self.rule.kept(subquery)?;
                let is_correlated = !super::outer_references(&subquery.subquery)?.is_empty();
                let test = Expr::InSubquery(InSubquery { expr: expr.clone(), subquery: subquery.clone(), negated });
                match (negated, is_correlated) {
                    _ if self.rule.all => self.expr(test)?,
                    (false, false) => test,
                    (false, true) if self.is_hard(&subquery, Place::Test)? => self.expr(test)?,
                    (false, true) => test,
                    (true, false) if is_whole => test,
                    (true, false) => self.expr(test)?,
                    (true, true) => match self.none(&expr, &subquery)? {
                        Some(none) => none,
                        None => self.expr(test)?,
                    },
                }
            }
            other => self.expr(other)?,
        })
    }

    /// `value NOT IN (subquery)` of a condition, as NOT EXISTS of a row that is equal or may be.
    fn none(&self, value: &Expr, subquery: &Subquery) -> Result<Option<Expr>> {
        let plan = subquery.subquery.as_ref();
        let Some(found) = first_column(plan) else { return Ok(None) };
        let is_nullable = |expr: &Expr, schema: &DFSchema| expr.nullable(schema).unwrap_or(true);
        let (may_be, is_found) = (is_nullable(value, self.input.schema()), is_nullable(&found, plan.schema()));
        let value = outside(value.clone(), self.input.schema())?;
        let mut unequal = value.clone().eq(found.clone());
        if is_found {
            unequal = unequal.or(found.is_null());
        }
        if may_be {
            unequal = unequal.or(value.is_null());
        }
        let subquery = with_condition(subquery, unequal)?;
        Ok(match self.is_hard(&subquery, Place::Test)? {
            true => None,
            false => Some(Expr::Exists(Exists { subquery, negated: true })),
        })
    }

    /// An expression without hard subqueries, under the name that it had.
    fn named(&mut self, expr: Expr) -> Result<Expr> {
        if !has_subquery(&expr) {
            return Ok(expr);
        }
        let (relation, name) = expr.qualified_name();
        let metadata = match &expr {
            Expr::Alias(alias) => alias.metadata.clone(),
            _ => None,
        };
        let added = self.added;
        let new = self.expr(expr)?;
        if added == self.added {
            return Ok(new);
        }
        Ok(new.unalias().alias_qualified_with_metadata(relation, name, metadata))
    }

    fn expr(&mut self, expr: Expr) -> Result<Expr> {
        if !has_subquery(&expr) {
            return Ok(expr);
        }
        self.changed = Changed(true);
        let expr = expr.transform_up(|expr| match expr {
            Expr::SetComparison(comparison) => self.compared_with_all(comparison).map(Transformed::yes),
            other => Ok(Transformed::no(other)),
        });
        expr.data()?.transform_up(|expr| {
            Ok(match expr {
                Expr::ScalarSubquery(subquery) => {
                    let subquery = self.rule.kept(subquery)?;
                    match self.is_hard(&subquery, Place::Value)? {
                        true => Transformed::yes(self.value(&subquery)?),
                        false => Transformed::yes(Expr::ScalarSubquery(subquery)),
                    }
                }
                Expr::Exists(Exists { subquery, negated }) => {
                    let subquery = self.rule.kept(subquery)?;
                    match !self.is_filter || self.is_hard(&subquery, Place::Test)? {
                        true => Transformed::yes(negated_if(self.test(&subquery, Kind::Exists)?, negated)),
                        false => Transformed::yes(Expr::Exists(Exists { subquery, negated })),
                    }
                }
                Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
                    // A join says of a value whether it is there, not that it may be.
                    let subquery = self.rule.kept(subquery)?;
                    self.compared(*expr)?;
                    Transformed::yes(negated_if(self.test(&subquery, Kind::In)?, negated))
                }
                other => Transformed::no(other),
            })
        })
        .data()
    }

    /// A comparison with ANY or ALL of the values of a subquery: whether there are any that decide it, or that leave it
    /// unknown.
    fn compared_with_all(&self, comparison: SetComparison) -> Result<Expr> {
        let SetComparison { expr, subquery, op, quantifier } = comparison;
        let Some(found) = first_column(&subquery.subquery) else { return internal_err!("a comparison without a column") };
        let compared = binary_expr(outside(*expr, self.input.schema())?, op, found);
        let exists = |condition: Expr| -> Result<Expr> {
            Ok(Expr::Exists(Exists { subquery: with_condition(&subquery, condition)?, negated: false }))
        };
        let is_any = matches!(quantifier, SetQuantifier::Any);
        let decisive = if is_any { compared.clone().is_true() } else { compared.clone().is_false() };
        let unknown = lit(ScalarValue::Boolean(None));
        when(exists(decisive)?, lit(is_any)).when(exists(compared.is_null())?, unknown).otherwise(lit(!is_any))
    }

    fn is_hard(&self, subquery: &Subquery, place: Place) -> Result<bool> {
        if super::outer_references(&subquery.subquery)?.is_empty() {
            return Ok(false);
        }
        Ok(self.rule.all || !is_easy(&subquery.subquery, self.input.schema(), place)?)
    }

    /// Adds the value of a subquery.
    fn value(&mut self, subquery: &Subquery) -> Result<Expr> {
        let field = subquery.subquery.schema().fields().first().cloned();
        let field = field.map_or_else(|| Field::new("", DataType::Null, true), |field| field.as_ref().clone());
        self.add(subquery, Kind::Value, Arc::new(field.with_nullable(true)))
    }

    /// Adds what a test gives.
    fn test(&mut self, subquery: &Subquery, kind: Kind) -> Result<Expr> {
        self.add(subquery, kind, Arc::new(Field::new("", DataType::Boolean, true)))
    }

    /// Adds the value that IN compares, as the last column.
    fn compared(&mut self, value: Expr) -> Result<()> {
        let name = self.new_name();
        let mut list: Vec<Expr> = columns_of(self.input.schema());
        list.push(value.alias(name));
        let plan = LogicalPlanBuilder::from(self.input.as_ref().clone()).project(list)?.build()?;
        self.input = Arc::new(plan);
        Ok(())
    }

    fn new_name(&mut self) -> String {
        loop {
            self.added += 1;
            let name = format!("#lateral{}", self.added);
            if !self.input.schema().has_column_with_unqualified_name(&name) {
                return name;
            }
        }
    }

    fn add(&mut self, subquery: &Subquery, kind: Kind, field: FieldRef) -> Result<Expr> {
        let name = self.new_name();
        let schema = self.input.schema();
        let field = Arc::new(field.as_ref().clone().with_name(name.clone()));
        let mut fields: Vec<(Option<TableReference>, FieldRef)> =
            schema.iter().map(|(qualifier, field)| (qualifier.cloned(), Arc::clone(field))).collect();
        fields.push((None, field));
        let schema = Arc::new(DFSchema::new_with_metadata(fields, schema.metadata().clone())?);
        let inner = subquery.subquery.as_ref().clone();
        self.input = Arc::new(Lateral::plan(self.input.as_ref().clone(), inner, kind, schema)?);
        Ok(Expr::Column(Column::new_unqualified(name)))
    }
}

fn negated_if(expr: Expr, negated: bool) -> Expr {
    if negated { Expr::Not(Box::new(expr)) } else { expr }
}

/// A node that passes its input's rows on, without the columns that were added to them.
fn restored(plan: LogicalPlan, columns: Vec<Expr>, changed: Changed) -> Result<Transformed<LogicalPlan>> {
    if plan.schema().fields().len() == columns.len() {
        return Ok(changed.of(plan));
    }
    Ok(Transformed::yes(LogicalPlanBuilder::from(plan).project(columns)?.build()?))
}

fn columns_of(schema: &DFSchema) -> Vec<Expr> {
    schema.iter().map(|field| Expr::Column(Column::from(field))).collect()
}

fn has_subquery(expr: &Expr) -> bool {
    expr.exists(|expr| Ok(is_subquery(expr))).unwrap_or(true)
}

fn is_subquery(expr: &Expr) -> bool {
    matches!(expr, Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_) | Expr::ScalarSubquery(_))
}

fn first_column(plan: &LogicalPlan) -> Option<Expr> {
    plan.schema().iter().next().map(|field| Expr::Column(Column::from(field)))
}

/// A subquery with the rows that meet a condition.
fn with_condition(subquery: &Subquery, condition: Expr) -> Result<Subquery> {
    let plan = LogicalPlan::Filter(Filter::try_new(condition, Arc::clone(&subquery.subquery))?);
    let outer_ref_columns = plan.all_out_ref_exprs();
    Ok(Subquery { subquery: Arc::new(plan), outer_ref_columns, spans: subquery.spans.clone() })
}

/// An expression over these columns and others, with outer references in their places.
fn outside(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    let replaced = expr.transform_up(|expr| match &expr {
        Expr::Column(column) if has_column(schema, column) => {
            let field = Arc::clone(schema.qualified_field_from_column(column)?.1);
            Ok(Transformed::yes(Expr::OuterReferenceColumn(field, column.clone())))
        }
        _ => Ok(Transformed::no(expr)),
    });
    replaced.data()
}

fn all_nullable(schema: &DFSchema) -> Result<DFSchema> {
    let fields = schema.iter().map(|(qualifier, field)| {
        (qualifier.cloned(), Arc::new(field.as_ref().clone().with_nullable(true)))
    });
    DFSchema::new_with_metadata(fields.collect(), schema.metadata().clone())
}

/// Refuses an aggregate whose argument is made of columns of a query outside only: it is that query's aggregate, by the
/// standard's rule and SQL Server's, and not one of the rows here.
fn refuse_aggregates_of_others(aggregate: &Aggregate) -> Result<()> {
    for expr in &aggregate.aggr_expr {
        expr.apply(|part| {
            if let Expr::AggregateFunction(call) = part
                && call.func.name() != "first_value"
                && call.params.args.iter().any(Expr::contains_outer)
                && !call.params.args.iter().any(|arg| arg.any_column_refs() || has_subquery(arg))
            {
                return not_impl_err!("An aggregate of columns of an outer query only, which is that query's aggregate");
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    Ok(())
}

/// A plan and the subqueries that are to become columns of it.
struct Values {
    input: LogicalPlan,
    /// What the names of these columns begin with.
    prefix: &'static str,
    added: Vec<Expr>,
}

impl Values {
    fn new(input: &LogicalPlan, prefix: &'static str) -> Values {
        Values { input: input.clone(), prefix, added: Vec::new() }
    }

    /// Whether a subquery, with what it is compared with, looks at columns of this plan only.
    fn has_all_of(&self, subquery: &Expr) -> Result<bool> {
        let (plan, compared) = match subquery {
            Expr::ScalarSubquery(subquery) => (&subquery.subquery, None),
            Expr::Exists(test) => (&test.subquery.subquery, None),
            Expr::InSubquery(test) => (&test.subquery.subquery, Some(&test.expr)),
            Expr::SetComparison(test) => (&test.subquery.subquery, Some(&test.expr)),
            _ => return Ok(false),
        };
        let schema = self.input.schema();
        let is_here = |reference: &Expr| match reference {
            Expr::OuterReferenceColumn(_, column) => has_column(schema, column),
            _ => false,
        };
        let of_compared = compared.is_none_or(|compared| {
            !has_subquery(compared) && compared.column_refs().into_iter().all(|column| has_column(schema, column))
        });
        Ok(of_compared && super::outer_references(plan)?.iter().all(is_here))
    }

    fn add(&mut self, value: Expr) -> Expr {
        let mut number = self.added.len();
        let mut name = format!("#{}{number}", self.prefix);
        while self.input.schema().has_column_with_unqualified_name(&name) {
            number += 1;
            name = format!("#{}{number}", self.prefix);
        }
        self.added.push(value.alias(&name));
        Expr::Column(Column::new_unqualified(name))
    }
}

fn is_true(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(ScalarValue::Boolean(Some(true)), _))
}

/// The right side of a join as a plan of its own, if it looks at the left one.
fn side(right: &LogicalPlan) -> Option<LogicalPlan> {
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
