//! UUID columns and texts: `id = '0190c0de-...'`.
//!
//! A UUID is sixteen bytes, and a text literal that is compared with one is converted to a UUID during planning.

use crate::analyze::char_columns::is_comparison;
use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::rewrite::schema_of;
use crate::tree::search::any_node;
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Between, InList};
use datafusion::logical_expr::planner::RawBinaryExpr;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, cast};

/// How many bytes a UUID has.
const BYTES: i32 = 16;

/// `||` with UUIDs as texts.
pub(crate) fn joined_to_texts(mut expr: RawBinaryExpr, schema: &DFSchema) -> RawBinaryExpr {
    for side in [&mut expr.left, &mut expr.right] {
        if side.get_type(schema).is_ok_and(|of| of == DataType::FixedSizeBinary(BYTES)) {
            *side = cast(side.clone(), DataType::Utf8View);
        }
    }
    expr
}

/// The plan with UUIDs in the place of literals of text that are compared with them.
///
/// Errors: `InvalidValue` for a text that is no UUID.
pub(crate) fn compared_with_texts(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_uuid = |field: &FieldRef| *field.data_type() == DataType::FixedSizeBinary(BYTES);
    let reads_uuids = |node: &LogicalPlan| match node {
        LogicalPlan::TableScan(scan) => scan.source.schema().fields().iter().any(is_uuid),
        _ => false,
    };
    if !any_node(&plan, reads_uuids) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| {
        let schema = schema_of(&node);
        if !schema.fields().iter().any(is_uuid) {
            return Ok(Transformed::no(node));
        }
        node.map_each_expression(|expr| expr.map_up(|expr| read(expr, &schema)))
    })
    .data()
}

/// A comparison with its texts read.
pub(crate) fn read(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let is_uuid = |expr: &Expr| {
        !matches!(expr, Expr::Literal(..))
            && expr.get_type(schema).is_ok_and(|kind| kind == DataType::FixedSizeBinary(BYTES))
    };
    Ok(match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_uuid(&left) && is_comparison(op) => {
            let right = Box::new(literal(*right)?);
            Transformed::yes(Expr::BinaryExpr(BinaryExpr { left, op, right }))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if is_uuid(&right) && is_comparison(op) => {
            let left = Box::new(literal(*left)?);
            Transformed::yes(Expr::BinaryExpr(BinaryExpr { left, op, right }))
        }
        Expr::InList(InList { expr, list, negated }) if is_uuid(&expr) => {
            let list = list.into_iter().map(literal).collect::<Result<_>>()?;
            Transformed::yes(Expr::InList(InList { expr, list, negated }))
        }
        Expr::Between(Between { expr, negated, low, high }) if is_uuid(&expr) => {
            let (low, high) = (Box::new(literal(*low)?), Box::new(literal(*high)?));
            Transformed::yes(Expr::Between(Between { expr, negated, low, high }))
        }
        other => Transformed::no(other),
    })
}

/// A literal of text as a UUID; anything else as it is.
fn literal(expr: Expr) -> Result<Expr> {
    match &expr {
        Expr::Literal(
            ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)) | ScalarValue::LargeUtf8(Some(text)),
            metadata,
        ) => {
            let bytes = mainstay_types::uuid::parse(text.trim()).map_err(crate::carried_error::to_datafusion)?;
            let value = ScalarValue::FixedSizeBinary(BYTES, Some(bytes.to_vec()));
            Ok(Expr::Literal(value, metadata.clone()))
        }
        _ => Ok(expr),
    }
}
