//! Subqueries of a node: those that become columns of its input, and those that DataFusion handles.

use super::easy::{Place, is_easy};
use super::failing::{has_failing_subquery, may_fail, value_may_fail};
use super::rewrite::{Changed, Rewrite, columns_of, has_subquery, outside};
use super::{Kind, Lateral};
use crate::tree::nodes::Tree;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, Result, ScalarValue, TableReference, internal_err};
use datafusion::functions::core::expr_fn::{get_field, named_struct};
use datafusion::logical_expr::expr::{Exists, FieldMetadata, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, Filter, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, binary_expr, lit,
    when,
};
use std::sync::Arc;

/// The input of a node, to which what its subqueries give is added.
pub(super) struct Below<'r> {
    rule: &'r Rewrite,
    pub(super) input: Arc<LogicalPlan>,
    added: usize,
    pub(super) changed: Changed,
    /// True if the node is one that DataFusion makes joins of tests below.
    pub(super) is_filter: bool,
}

impl<'r> Below<'r> {
    pub(super) fn new(rule: &'r Rewrite, input: Arc<LogicalPlan>) -> Below<'r> {
        Below { rule, input, added: 0, changed: Changed(false), is_filter: false }
    }

    /// A condition that keeps what it is true for, so that unknown is as good as false. Of IN that is DataFusion's test;
    /// NOT IN below an OR, with a correlated subquery, or of a value that is the same for all rows it does not know.
    pub(super) fn condition(&mut self, expr: Expr, is_whole: bool) -> Result<Expr> {
        if !has_subquery(&expr) {
            return Ok(expr);
        }
        self.changed = Changed(true);
        Ok(match expr {
            Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
                if has_failing_subquery(&right) {
                    return self.expr(binary_expr(*left, op, *right));
                }
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
                    (true, false) if is_whole && !expr.column_refs().is_empty() => test,
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
        let Some((subquery, found)) = looked_through(subquery)? else { return Ok(None) };
        let is_nullable = |expr: &Expr, schema: &DFSchema| expr.nullable(schema).unwrap_or(true);
        let may_be = is_nullable(value, self.input.schema());
        let is_found = is_nullable(&found, subquery.subquery.schema());
        let value = outside(value.clone(), self.input.schema())?;
        let mut unequal = value.clone().eq(found.clone());
        if is_found {
            unequal = unequal.or(found.is_null());
        }
        if may_be {
            unequal = unequal.or(value.is_null());
        }
        let subquery = with_condition(&subquery, unequal)?;
        Ok(match self.is_hard(&subquery, Place::Test)? {
            true => None,
            false => Some(Expr::Exists(Exists { subquery, negated: true })),
        })
    }

    /// An expression without hard subqueries, under the name that it had.
    pub(super) fn named(&mut self, expr: Expr) -> Result<Expr> {
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

    pub(super) fn expr(&mut self, expr: Expr) -> Result<Expr> {
        self.walk(expr, None)
    }

    /// A subquery as a column, or as it is if it is left to DataFusion. Another expression stays.
    pub(super) fn subquery(&mut self, expr: Expr, guard: Option<&Expr>) -> Result<Expr> {
        Ok(match expr {
            Expr::ScalarSubquery(subquery) => {
                let subquery = self.rule.kept(subquery)?;
                let is_guarded = guard.is_some() && value_may_fail(&subquery.subquery);
                match is_guarded || self.is_hard(&subquery, Place::Value)? {
                    true => self.value(&subquery, guard)?,
                    false => self.checked_above(subquery)?,
                }
            }
            Expr::Exists(Exists { subquery, negated }) => {
                let subquery = self.rule.kept(subquery)?;
                let is_guarded = guard.is_some() && may_fail(&subquery.subquery);
                match is_guarded || !self.is_filter || self.is_hard(&subquery, Place::Test)? {
                    true => negated_if(self.test(&subquery, Kind::Exists, guard)?, negated),
                    false => Expr::Exists(Exists { subquery, negated }),
                }
            }
            Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
                // A join says of a value whether it is there, not that it may be.
                let subquery = self.rule.kept(subquery)?;
                let guard = guard.map(|guard| self.column(guard.clone(), "guard")).transpose()?;
                self.compared(*expr)?;
                negated_if(self.test(&subquery, Kind::In, guard.as_ref())?, negated)
            }
            other => other,
        })
    }

    /// A comparison with ANY or ALL of the values of a subquery: whether there are any that decide it, or that leave it
    /// unknown.
    pub(super) fn compared_with_all(&self, comparison: SetComparison) -> Result<Expr> {
        let SetComparison { expr, subquery, op, quantifier } = comparison;
        let Some((subquery, found)) = looked_through(&subquery)? else {
            return internal_err!("a comparison without a column");
        };
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

    /// The value of a subquery that is left to DataFusion. A function that refuses a second row of it is asked above the join, of
    /// the rows that want the value, and not of all keys that the subquery's rows have.
    fn checked_above(&mut self, subquery: Subquery) -> Result<Expr> {
        let mut projection = match subquery.subquery.as_ref() {
            LogicalPlan::Projection(projection) => projection,
            _ => return Ok(Expr::ScalarSubquery(subquery)),
        };
        // Names for the only column of what is below.
        while let (LogicalPlan::Projection(below), [name]) = (projection.input.as_ref(), &projection.expr[..])
            && matches!(name.clone().unalias(), Expr::Column(_))
            && below.expr.len() == 1
        {
            projection = below;
        }
        let is_check = |expr: &Expr| {
            Ok(matches!(expr, Expr::ScalarFunction(call) if crate::dialect::properties_of(&call.func).refuses_rows))
        };
        let [value] = &projection.expr[..] else { return Ok(Expr::ScalarSubquery(subquery)) };
        if !value.has(is_check)? || super::outer_references(&subquery.subquery)?.is_empty() {
            return Ok(Expr::ScalarSubquery(subquery));
        }
        let mut parts: Vec<Column> = value.column_refs().into_iter().cloned().collect();
        parts.sort();
        let place = |place: usize| format!("c{place}");
        let packed =
            parts.iter().enumerate().flat_map(|(number, part)| [lit(place(number)), Expr::Column(part.clone())]);
        let packed = named_struct(packed.collect());
        let field = Arc::clone(subquery.subquery.schema().field(0));
        let plan = LogicalPlanBuilder::from(projection.input.as_ref().clone()).project(vec![packed.alias("#parts")])?;
        let plan = Arc::new(plan.build()?);
        let outer_ref_columns = plan.all_out_ref_exprs();
        let packed = Expr::ScalarSubquery(Subquery { subquery: plan, outer_ref_columns, spans: subquery.spans });
        let name = self.new_name("lateral");
        let columns = columns_of(self.input.schema());
        let list = columns.iter().cloned().chain([packed.alias(&name)]);
        let below = LogicalPlanBuilder::from(self.input.as_ref().clone()).project(list)?;
        let unpacked = value.clone().unalias().map_up(|expr| match &expr {
            Expr::Column(column) => match parts.iter().position(|part| part == column) {
                Some(number) => {
                    let packed = Expr::Column(Column::new_unqualified(&name));
                    Ok(Transformed::yes(get_field(packed, place(number))))
                }
                None => Ok(Transformed::no(expr)),
            },
            _ => Ok(Transformed::no(expr)),
        });
        let name = self.new_name("lateral");
        let metadata = Some(FieldMetadata::from(field.metadata().clone()));
        let checked = unpacked.data()?.alias_with_metadata(&name, metadata);
        self.input = Arc::new(below.project(columns.into_iter().chain([checked]))?.build()?);
        Ok(Expr::Column(Column::new_unqualified(name)))
    }

    /// Adds the value of a subquery.
    fn value(&mut self, subquery: &Subquery, guard: Option<&Expr>) -> Result<Expr> {
        let field = subquery.subquery.schema().fields().first().cloned();
        let field = field.map_or_else(|| Field::new("", DataType::Null, true), |field| field.as_ref().clone());
        self.add(subquery, Kind::Value, Arc::new(field.with_nullable(true)), guard)
    }

    /// Adds what a test gives.
    fn test(&mut self, subquery: &Subquery, kind: Kind, guard: Option<&Expr>) -> Result<Expr> {
        self.add(subquery, kind, Arc::new(Field::new("", DataType::Boolean, true)), guard)
    }

    /// Adds the value that IN compares, as the last column.
    fn compared(&mut self, value: Expr) -> Result<()> {
        let name = self.new_name("compared");
        let mut list: Vec<Expr> = columns_of(self.input.schema());
        list.push(value.alias(name));
        let plan = LogicalPlanBuilder::from(self.input.as_ref().clone()).project(list)?.build()?;
        self.input = Arc::new(plan);
        Ok(())
    }

    /// A name that no column of the input has.
    pub(super) fn new_name(&mut self, prefix: &str) -> String {
        loop {
            self.added += 1;
            let name = format!("#{prefix}{}", self.added);
            if !self.input.schema().has_column_with_unqualified_name(&name) {
                return name;
            }
        }
    }

    fn add(&mut self, subquery: &Subquery, kind: Kind, field: FieldRef, guard: Option<&Expr>) -> Result<Expr> {
        let guard = match guard.map(|guard| self.column(guard.clone(), "guard")).transpose()? {
            Some(Expr::Column(guard)) => Some(guard),
            _ => None,
        };
        let name = self.new_name("lateral");
        let schema = self.input.schema();
        let field = Arc::new(field.as_ref().clone().with_name(name.clone()));
        let mut fields: Vec<(Option<TableReference>, FieldRef)> =
            schema.iter().map(|(qualifier, field)| (qualifier.cloned(), Arc::clone(field))).collect();
        fields.push((None, field));
        let schema = Arc::new(DFSchema::new_with_metadata(fields, schema.metadata().clone())?);
        let inner = subquery.subquery.as_ref().clone();
        self.input = Arc::new(Lateral::guarded(self.input.as_ref().clone(), inner, kind, schema, guard)?);
        Ok(Expr::Column(Column::new_unqualified(name)))
    }
}

fn negated_if(expr: Expr, negated: bool) -> Expr {
    if negated { Expr::Not(Box::new(expr)) } else { expr }
}

/// The qualifier of a subquery's column that is compared with a value beside it: both may be of tables of one name.
const LOOKED_THROUGH: &str = "#looked_through";

/// The values of a subquery, and the column that has them.
fn looked_through(subquery: &Subquery) -> Result<Option<(Subquery, Expr)>> {
    let plan = subquery.subquery.as_ref();
    let Some(column) = plan.schema().iter().next().map(Column::from) else { return Ok(None) };
    let found = Column::new(Some(LOOKED_THROUGH), column.name());
    let value = Expr::Column(column).alias_qualified(found.relation.clone(), found.name());
    let plan = LogicalPlanBuilder::from(plan.clone()).project([value])?.build()?;
    Ok(Some((Subquery { subquery: Arc::new(plan), ..subquery.clone() }, Expr::Column(found))))
}

/// A subquery with the rows that meet a condition.
fn with_condition(subquery: &Subquery, condition: Expr) -> Result<Subquery> {
    let plan = LogicalPlan::Filter(Filter::try_new(condition, Arc::clone(&subquery.subquery))?);
    let outer_ref_columns = plan.all_out_ref_exprs();
    Ok(Subquery { subquery: Arc::new(plan), outer_ref_columns, spans: subquery.spans.clone() })
}
