//! The rule that makes [`Lateral`] nodes of the subqueries that DataFusion would refuse.

use super::easy::{Place, is_easy};
use super::{Kind, Lateral};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, DFSchema, Result, ScalarValue, TableReference};
use datafusion::logical_expr::expr::{Exists, FieldMetadata, InSubquery};
use datafusion::logical_expr::{Aggregate, Expr, Filter, LogicalPlan, LogicalPlanBuilder, Projection, Sort, Subquery};
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
        match has_outer_references(&plan) {
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
            true => datafusion::common::tree_node::TreeNodeRecursion::Stop,
            false => datafusion::common::tree_node::TreeNodeRecursion::Continue,
        })
    });
    found
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
            LogicalPlan::Join(join) => {
                let Some(inner) = side(&join.right) else { return Ok(Transformed::no(LogicalPlan::Join(join))) };
                if !self.all && is_easy(inner_of(&join.right), join.left.schema(), Place::Side)? {
                    return described(LogicalPlan::Join(join));
                }
                let kind = match join.join_type {
                    datafusion::logical_expr::JoinType::Left => Kind::Outer,
                    _ => Kind::Cross,
                };
                let input = Arc::unwrap_or_clone(join.left);
                let lateral = Lateral::plan(input, inner, kind, Arc::clone(&join.schema))?;
                Ok(Transformed::yes(match join.filter {
                    Some(filter) if !is_true(&filter) => LogicalPlanBuilder::from(lateral).filter(filter)?.build()?,
                    _ => lateral,
                }))
            }
            node => self.expressions(node),
        }
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
                let predicate = below.expr(predicate)?;
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
            LogicalPlan::Aggregate(Aggregate { input, group_expr, aggr_expr, schema, .. }) => {
                let mut below = Below::new(self, input);
                let group_expr = group_expr.into_iter().map(|expr| below.named(expr)).collect::<Result<Vec<_>>>()?;
                let aggr_expr = aggr_expr.into_iter().map(|expr| below.named(expr)).collect::<Result<Vec<_>>>()?;
                let plan = Aggregate::try_new_with_schema(below.input, group_expr, aggr_expr, schema)?;
                Ok(below.changed.of(LogicalPlan::Aggregate(plan)))
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
}

impl<'r> Below<'r> {
    fn new(rule: &'r Rewrite, input: Arc<LogicalPlan>) -> Below<'r> {
        Below { rule, input, added: 0, changed: Changed(false) }
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
        expr.transform_up(|expr| {
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
                    match self.is_hard(&subquery, Place::Test)? {
                        true => Transformed::yes(negated_if(self.test(&subquery, Kind::Exists)?, negated)),
                        false => Transformed::yes(Expr::Exists(Exists { subquery, negated })),
                    }
                }
                Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
                    let subquery = self.rule.kept(subquery)?;
                    // DataFusion has no correlated NOT IN that minds NULL.
                    let minds_null = negated && !super::outer_references(&subquery.subquery)?.is_empty();
                    match minds_null || self.is_hard(&subquery, Place::Test)? {
                        true => {
                            self.compared(*expr)?;
                            Transformed::yes(negated_if(self.test(&subquery, Kind::In)?, negated))
                        }
                        false => Transformed::yes(Expr::InSubquery(InSubquery { expr, subquery, negated })),
                    }
                }
                other => Transformed::no(other),
            })
        })
        .data()
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
        self.added += 1;
        format!("#lateral{}", self.added)
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
    let is_subquery = |expr: &Expr| Ok(matches!(expr, Expr::Exists(_) | Expr::InSubquery(_) | Expr::ScalarSubquery(_)));
    expr.exists(is_subquery).unwrap_or(true)
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
