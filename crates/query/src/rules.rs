//! What the dialect means, as rules on the logical plan.
//!
//! **CHAR compares without trailing blanks.** Values of CHAR columns carry none (they are cut when a
//! column is decoded), so it is enough to cut the other side of a comparison: a literal at planning time,
//! a text from elsewhere by `rtrim`. A CHAR column is known by its field's metadata, which views,
//! projections and joins pass on.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, ExprSchema, Result, ScalarValue};
use datafusion::functions::string::expr_fn::rtrim;
use datafusion::logical_expr::expr::{Between, InList};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, utils::merge_schema};
use datafusion::optimizer::AnalyzerRule;

/// Metadata of a field that holds text padded with blanks.
pub(crate) const CHAR_COLUMN: &str = "mainstay.char";

/// Cuts trailing blanks off whatever is compared with a CHAR column.
#[derive(Debug)]
pub(crate) struct CharComparison;

impl AnalyzerRule for CharComparison {
    fn name(&self) -> &str {
        "char_comparison"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|node| {
            let mut schema = merge_schema(&node.inputs());
            if let LogicalPlan::TableScan(scan) = &node {
                schema.merge(&scan.projected_schema);
            }
            node.map_expressions(|expr| expr.transform_up(|expr| Ok(trim_operands(expr, &schema))))
        })
        .data()
    }
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
        other => Transformed::no(other),
    }
}

fn is_comparison(op: Operator) -> bool {
    use Operator::*;
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

/// Whether the expression is a CHAR column: only those carry the metadata, and functions do not pass it on.
fn is_char(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Column(column) => schema.field_from_column(column).is_ok_and(|f| f.metadata().contains_key(CHAR_COLUMN)),
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
