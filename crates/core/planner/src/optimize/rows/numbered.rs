//! TOP n PERCENT: rows chosen by their numbers in an order.
//!
//! ```text
//!   SELECT TOP 50 PERCENT ... ORDER BY f      ... QUALIFY row_number() OVER (ORDER BY f) <= ceil(count(1) OVER () * 50 / 100)
//!
//!   Filter(number <= ceil(part of count)) <- Window(count) <- Projection <- Window(row_number) <- rows
//! ```
//!
//! Such windows need all rows of the block at once, and the row executor has them when it sorts them. Other windows,
//! and other conditions on these, go to the batch executor.

use super::{Scope, is_ended, whole};
use arrow_schema::DataType;
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, Window};
use mainstay_columnar::Comparison;
use mainstay_row_executor::{Block, Expression, Number, Numbered, Operation, SortKey};
use mainstay_types::Value;

/// The row's number, and how many rows there are, among the results that conditions look at.
const NUMBER: usize = 0;
const COUNT: usize = 1;

/// Numbers and counts of all rows.
pub(super) fn numbered(window: &Window) -> Option<(Block, Scope<'_>)> {
    let (mut block, scope) = whole(&window.input)?;
    let is_numbered = block.numbered.is_some();
    if block.aggregate.is_some() || (is_ended(&block) && !is_numbered) || !block.order.is_empty() {
        return None;
    }
    let mut outputs = scope.outputs.clone();
    for expr in &window.window_expr {
        let Expr::WindowFunction(call) = without_alias(expr) else { return None };
        let output = match call.fun.name() {
            "row_number" => {
                let keys = keys(call, &scope, &mut block)?;
                let known = block.numbered.get_or_insert_default();
                // One order of numbers only; the condition on them comes later.
                if !known.keys.is_empty() || keys.is_empty() {
                    return None;
                }
                known.keys = keys;
                NUMBER
            }
            "count" => {
                let params = &call.params;
                let counts_rows = matches!(params.args.as_slice(), [Expr::Literal(value, _)] if !value.is_null());
                let is_plain = params.partition_by.is_empty() && params.order_by.is_empty();
                if !counts_rows || !is_plain || params.filter.is_some() || params.distinct {
                    return None;
                }
                block.numbered.get_or_insert_default();
                COUNT
            }
            _ => return None,
        };
        outputs.push(Expression::Result(output));
    }
    Some((block, Scope { schema: &window.schema, outputs }))
}

fn without_alias(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => without_alias(&alias.expr),
        other => other,
    }
}

/// The order that rows are numbered in.
fn keys(call: &WindowFunction, scope: &Scope<'_>, block: &mut Block) -> Option<Vec<SortKey>> {
    let params = &call.params;
    if !params.partition_by.is_empty() || params.filter.is_some() {
        return None;
    }
    let key = |key: &datafusion::logical_expr::SortExpr| {
        scope.compared(&key.expr, block).map(|expression| SortKey {
            expression,
            descending: !key.asc,
            nulls_first: key.nulls_first,
        })
    };
    params.order_by.iter().map(key).collect()
}

/// A condition on the numbers: the first so many of the rows.
pub(super) fn chosen<'p>(predicate: &Expr, mut block: Block, scope: Scope<'p>) -> Option<(Block, Scope<'p>)> {
    let Expr::BinaryExpr(BinaryExpr { left, op: Operator::LtEq, right }) = predicate else { return None };
    let Expr::ScalarFunction(ceil) = right.as_ref() else { return None };
    let (("ceil", [part]), true) = ((ceil.name(), ceil.args.as_slice()), is_number(left, &scope)?) else { return None };
    let part = scope.expression(part, &mut block)?;
    let looks_at_rows = part.sources() != 0;
    let Some(Numbered { keys, conditions }) = &mut block.numbered else { return None };
    if looks_at_rows || keys.is_empty() || !conditions.is_empty() {
        return None;
    }
    // A whole number is at most the next whole number above another one exactly when its predecessor is below that.
    let number = Box::new(Expression::Cast { expression: Box::new(Expression::Result(NUMBER)), to: Number::Double });
    let one = Box::new(Expression::Constant(Value::Float(1.0)));
    let before = Expression::Calculate { operation: Operation::Subtract, left: number, right: one, to: Number::Double };
    conditions.push(Expression::compare(Comparison::Less, before, part));
    Some((block, scope))
}

/// Returns true if an expression is the row's number, as a double.
fn is_number(expr: &Expr, scope: &Scope<'_>) -> Option<bool> {
    match expr {
        Expr::Alias(alias) => is_number(&alias.expr, scope),
        Expr::Cast(cast) if cast.field.data_type() == &DataType::Float64 => is_number(&cast.expr, scope),
        Expr::Column(column) => {
            let output = scope.outputs.get(scope.schema.index_of_column(column).ok()?)?;
            Some(*output == Expression::Result(NUMBER))
        }
        _ => Some(false),
    }
}
