//! What the dialect means, as rules on the logical plan.
//!
//! **CHAR compares without trailing blanks.** Values of CHAR columns carry none (they are cut when a
//! column is decoded), so it is enough to cut the other side of a comparison: a literal at planning time,
//! a text from elsewhere by `rtrim`. A CHAR column is known by its field's metadata, which views,
//! projections and joins pass on.
//!
//! **Text with a collation compares by its sort key**: [`crate::collate`].

use crate::contains::any_expression_of_plan;
use crate::nodes::{PlanTree, Tree};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, DFSchema, ExprSchema, Result, ScalarValue};
use datafusion::functions::string::expr_fn::rtrim;
use datafusion::logical_expr::expr::{Between, Case, InList, InSubquery, ScalarFunction};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator, Subquery};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Metadata of a field that holds text padded with blanks.
pub(crate) const CHAR_COLUMN: &str = "mainstay.char";

/// Metadata of a column of an answer that comes from such a field: its length.
pub const SHOWN_LENGTH: &str = "mainstay.length";

/// Metadata of a column of numbers, or of text that is not padded, in a file: its field, as programs of that kind of file write it. An answer has it too.
pub const FIELD_COLUMN: &str = "mainstay.field";

/// Cuts trailing blanks off whatever is compared with a CHAR column.
#[derive(Debug)]
pub(crate) struct CharComparison;

impl AnalyzerRule for CharComparison {
    fn name(&self) -> &str {
        "char_comparison"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = crate::set_operations::counted(plan)?;
        let plan = crate::order_repeats::without(plan)?;
        let plan = crate::single::in_plan(plan)?;
        let plan = crate::meeting::in_plan(plan)?;
        let plan = crate::cast::in_plan(plan)?;
        let plan = crate::mssql::in_plan(plan)?;
        let plan = crate::peers::in_plan(plan)?;
        let plan = crate::advantage::in_plan(plan)?;
        let plan = crate::overflow::checked_in_plan(plan)?;
        let plan = crate::texts::in_plan(plan)?;
        let plan = crate::ticks::in_plan(plan)?;
        let plan = crate::cast::read_moments(plan)?;
        let plan = crate::uuid::compared_with_texts(plan)?;
        // Under a collation blanks at the end do not count either; what compares by keys is no CHAR column any more.
        let plan = crate::collate::by_keys(plan)?;
        if !any_expression_of_plan(&plan, compares) {
            return Ok(plan);
        }
        plan.map_up_with_subqueries(|node| {
            crate::rewrite::node(node, |expr, schema| expr.map_up(|expr| Ok(trim_operands(expr, schema))))
        })
        .data()
    }
}

/// Whether [`trim_operands`] may have something to cut.
fn compares(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => is_comparison(*op),
        Expr::Between(_) | Expr::InList(_) | Expr::InSubquery(_) | Expr::Case(_) => true,
        Expr::ScalarFunction(call) => nullif_of(call).is_some(),
        _ => false,
    }
}

/// What a NULLIF compares.
pub(crate) fn nullif_of(call: &ScalarFunction) -> Option<[&Expr; 2]> {
    match (call.name(), call.args.as_slice()) {
        ("nullif", [value, other]) => Some([value, other]),
        _ => None,
    }
}

/// `CASE WHEN condition THEN NULL ELSE value END`
pub(crate) fn null_if(condition: Expr, value: Expr) -> Expr {
    let null = Expr::Literal(ScalarValue::Null, None);
    let when_then_expr = vec![(Box::new(condition), Box::new(null))];
    Expr::Case(Case { expr: None, when_then_expr, else_expr: Some(Box::new(value)) })
}

fn trim_operands(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_comparison(op) => {
            let (left_is_char, right_is_char) = (is_char(&left, schema), is_char(&right, schema));
            let left = if right_is_char && !left_is_char { trimmed(*left, schema) } else { *left };
            let right = if left_is_char && !right_is_char { trimmed(*right, schema) } else { *right };
            let changed = left_is_char != right_is_char;
            let expr = Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) });
            if changed { Transformed::yes(expr) } else { Transformed::no(expr) }
        }
        Expr::Between(Between { expr, negated, low, high }) if is_char(&expr, schema) => {
            let (low, high) = (Box::new(trimmed(*low, schema)), Box::new(trimmed(*high, schema)));
            Transformed::yes(Expr::Between(Between { expr, negated, low, high }))
        }
        Expr::InList(InList { expr, list, negated }) if is_char(&expr, schema) => {
            let list = list.into_iter().map(|item| trimmed(item, schema)).collect();
            Transformed::yes(Expr::InList(InList { expr, list, negated }))
        }
        Expr::InSubquery(InSubquery { expr, subquery, negated }) => in_subquery(*expr, subquery, negated, schema),
        Expr::Case(Case { expr: Some(base), when_then_expr, else_expr }) if is_char(&base, schema) => {
            let trim = |(when, then): (Box<Expr>, Box<Expr>)| (Box::new(trimmed(*when, schema)), then);
            let when_then_expr = when_then_expr.into_iter().map(trim).collect();
            Transformed::yes(Expr::Case(Case { expr: Some(base), when_then_expr, else_expr }))
        }
        Expr::ScalarFunction(call) => match nullif_of(&call) {
            Some([value, other]) if is_char(value, schema) || is_char(other, schema) => {
                let is_equal = trim_operands(value.clone().eq(other.clone()), schema).data;
                Transformed::yes(null_if(is_equal, value.clone()))
            }
            _ => Transformed::no(Expr::ScalarFunction(call)),
        },
        other => Transformed::no(other),
    }
}

/// `x IN (SELECT y ...)`: the side that is not CHAR is cut.
fn in_subquery(expr: Expr, subquery: Subquery, negated: bool, schema: &DFSchema) -> Transformed<Expr> {
    let of_expr = is_char(&expr, schema);
    let inner = subquery.subquery.schema();
    let of_subquery = inner.fields().first().is_some_and(|field| field.metadata().contains_key(CHAR_COLUMN));
    if of_expr == of_subquery || inner.fields().len() != 1 {
        return Transformed::no(Expr::InSubquery(InSubquery { expr: Box::new(expr), subquery, negated }));
    }
    if of_subquery {
        let expr = Box::new(trimmed(expr, schema));
        return Transformed::yes(Expr::InSubquery(InSubquery { expr, subquery, negated }));
    }
    let column = Expr::Column(Column::from(inner.qualified_field(0)));
    let plan = LogicalPlanBuilder::from(subquery.subquery.as_ref().clone())
        .project(vec![trimmed(column, inner)])
        .and_then(LogicalPlanBuilder::build);
    let expr = Box::new(expr);
    match plan {
        Ok(plan) => {
            let subquery = Subquery { subquery: Arc::new(plan), ..subquery };
            Transformed::yes(Expr::InSubquery(InSubquery { expr, subquery, negated }))
        }
        Err(_) => Transformed::no(Expr::InSubquery(InSubquery { expr, subquery, negated })),
    }
}

pub(crate) fn is_comparison(op: Operator) -> bool {
    use Operator::*;
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

/// Whether the expression is a CHAR column: only those carry the metadata, and functions do not pass it on.
fn is_char(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Column(column) => schema.field_from_column(column).is_ok_and(|f| f.metadata().contains_key(CHAR_COLUMN)),
        // A column of the statement around a subquery.
        Expr::OuterReferenceColumn(field, _) => field.metadata().contains_key(CHAR_COLUMN),
        Expr::Cast(cast) => is_char(&cast.expr, schema),
        _ => false,
    }
}

fn trimmed(expr: Expr, schema: &DFSchema) -> Expr {
    match expr {
        Expr::Literal(ScalarValue::Utf8(Some(text)), metadata) => {
            Expr::Literal(ScalarValue::Utf8(Some(text.trim_end_matches(' ').to_owned())), metadata)
        }
        Expr::Literal(ScalarValue::Utf8View(Some(text)), metadata) => {
            Expr::Literal(ScalarValue::Utf8View(Some(text.trim_end_matches(' ').to_owned())), metadata)
        }
        other => match other.get_type(schema) {
            Ok(kind) if kind.is_string() => rtrim(vec![other]),
            _ => other,
        },
    }
}
