//! Replaces the dialect's operators by the core's where the semantics are the same, so that conditions find their
//! indexes.
//!
//! The pass works from the leaves up: the arguments of a function are already plain, and their fields carry their
//! types.

use super::function::{Function, char_length, failed, sql_type};
use datafusion::arrow::datatypes::{DataType as ArrowType, FieldRef, TimeUnit};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::functions::string::expr_fn::rtrim;
use datafusion::functions::unicode::expr_fn::rpad;
use datafusion::logical_expr::expr::{Like, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, cast, lit};
use mainstay_columnar::values::{array_of, data_type_of};
use mainstay_planner::dialect::{PlanTree, Tree, downcast};
use mainstay_planner::tools::{any_expression, any_expression_of_plan, schema_of};
use mainstay_types::{SqlType, Value, ValueRef};

/// The most digits that the core's exact product may need before the dialect's own is taken.
const MOST_DIGITS: u8 = 38;
const MOST_SCALE: u8 = 20;

/// The plan without functions of the dialect that have a plain form.
pub(super) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !any_expression_of_plan(&plan, is_function) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| {
        if !any_expression(&node, is_function) {
            return node.recompute_schema().map(Transformed::yes);
        }
        let schema = schema_of(&node);
        let names = NamePreserver::new(&node);
        let lowered = node.map_each_expression(|expr| {
            let name = names.save(&expr);
            let lowered = expr.map_up(|expr| lower(expr, &schema))?;
            Ok(lowered.update_data(|expr| name.restore(expr)))
        });
        lowered.data()?.recompute_schema().map(Transformed::yes)
    })
    .data()
}

fn is_function(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(call) if function_of(call).is_some())
}

fn function_of(call: &ScalarFunction) -> Option<&Function> {
    downcast(&call.func)
}

/// An argument with what its field tells.
struct Argument {
    expr: Expr,
    field: FieldRef,
    sql_type: Option<SqlType>,
}

fn lower(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::ScalarFunction(call) = &expr else { return Ok(Transformed::no(expr)) };
    let Some(function) = function_of(call) else { return Ok(Transformed::no(expr)) };
    let arguments = call.args.iter().map(|expr| {
        let (_, field) = expr.to_field(schema)?;
        Ok(Argument { expr: expr.clone(), sql_type: sql_type(&field), field })
    });
    let arguments = arguments.collect::<Result<Vec<Argument>>>()?;
    let types: Vec<Option<SqlType>> = arguments.iter().map(|argument| argument.sql_type).collect();
    let result = function.operation.bind(&types).map_err(failed)?;
    let known = function.operation.function;
    if let [left, right] = &arguments[..] {
        let plain = match comparison(known.name) {
            Some(operator) => compared(left, operator, right)?,
            None if known.name == "like" => like(left, right),
            None => computed(known.name, left, right, result),
        };
        if let Some(plain) = plain {
            return Ok(Transformed::yes(plain));
        }
    }
    let sees_blanks = known.sees_blanks && (known.name != "add" || types.iter().flatten().all(|it| is_text(*it)));
    if !sees_blanks || arguments.iter().all(|argument| char_length(&argument.field).is_none()) {
        return Ok(Transformed::no(expr));
    }
    let padded = |argument: Argument| match char_length(&argument.field) {
        Some(length) => rpad(vec![argument.expr, lit(i64::from(length))]),
        None => argument.expr,
    };
    let args = arguments.into_iter().map(padded).collect();
    Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction::new_udf(call.func.clone(), args))))
}

fn comparison(name: &str) -> Option<Operator> {
    Some(match name {
        "equal" => Operator::Eq,
        "not_equal" => Operator::NotEq,
        "less" => Operator::Lt,
        "less_or_equal" => Operator::LtEq,
        "greater" => Operator::Gt,
        "greater_or_equal" => Operator::GtEq,
        _ => return None,
    })
}

fn is_text(sql_type: SqlType) -> bool {
    matches!(sql_type, SqlType::Char { .. } | SqlType::VarChar { .. })
}

fn is_integer(sql_type: SqlType) -> bool {
    matches!(sql_type, SqlType::SmallInt | SqlType::Integer | SqlType::BigInt)
}

fn is_number(sql_type: SqlType) -> bool {
    is_integer(sql_type) || matches!(sql_type, SqlType::Decimal { .. } | SqlType::Double)
}

fn is_moment(sql_type: SqlType) -> bool {
    matches!(sql_type, SqlType::Date | SqlType::Time { .. } | SqlType::Timestamp { .. })
}

fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) })
}

/// A comparison of values of one kind, which the core's is.
fn compared(left: &Argument, operator: Operator, right: &Argument) -> Result<Option<Expr>> {
    let (a, b) = (left.expr.clone(), right.expr.clone());
    let (Some(one), Some(other)) = (left.sql_type, right.sql_type) else {
        return Ok(Some(binary(a, operator, b)));
    };
    Ok(match (one, other) {
        (one, other) if is_text(one) && is_text(other) => Some(binary(cut(left), operator, cut(right))),
        (one, other) if is_number(one) && is_number(other) => Some(binary(a, operator, b)),
        (SqlType::Date, SqlType::Timestamp { .. }) => Some(binary(moment(a), operator, b)),
        (SqlType::Timestamp { .. }, SqlType::Date) => Some(binary(a, operator, moment(b))),
        (one, other) if std::mem::discriminant(&one) == std::mem::discriminant(&other) => Some(binary(a, operator, b)),
        (one, other) if is_moment(one) && is_text(other) => {
            converted(&right.expr, one)?.map(|literal| binary(a, operator, literal))
        }
        (one, other) if is_text(one) && is_moment(other) => {
            converted(&left.expr, other)?.map(|literal| binary(literal, operator, b))
        }
        _ => None,
    })
}

fn moment(date: Expr) -> Expr {
    cast(date, ArrowType::Timestamp(TimeUnit::Microsecond, None))
}

/// A literal text as a literal of the type that it is compared with.
fn converted(expr: &Expr, target: SqlType) -> Result<Option<Expr>> {
    let Some(text) = literal_text(expr) else { return Ok(None) };
    let value = mainstay_ads_types::convert::convert(ValueRef::Text(text.trim()), target).map_err(failed)?;
    let array = array_of(&data_type_of(target), &[value.as_ref()]);
    let scalar = if value == Value::Null {
        ScalarValue::try_from(&data_type_of(target))?
    } else {
        ScalarValue::try_from_array(&array, 0)?
    };
    Ok(Some(Expr::Literal(scalar, None)))
}

fn literal_text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Literal(ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)), _) => Some(text),
        _ => None,
    }
}

/// Text without the blanks at its end, which do not count.
fn cut(argument: &Argument) -> Expr {
    match (literal_text(&argument.expr), char_length(&argument.field)) {
        (Some(text), _) => lit(text.trim_end_matches(' ')),
        (None, Some(_)) => argument.expr.clone(),
        (None, None) if is_cut(&argument.expr) => argument.expr.clone(),
        (None, None) => rtrim(vec![argument.expr.clone()]),
    }
}

/// Returns true if what the core's function gives has no blanks at its end, as it is with the columns below it.
fn is_cut(expr: &Expr) -> bool {
    match expr {
        Expr::ScalarFunction(call) => match call.func.name() {
            "upper" | "lower" => match &call.args[..] {
                // Columns of type CHAR come without; of others a blank more or less decides nothing but the index.
                [Expr::Column(_)] => true,
                [inner] => is_cut(inner),
                _ => false,
            },
            "rtrim" | "btrim" => true,
            _ => false,
        },
        _ => false,
    }
}

/// LIKE with a literal pattern without escapes.
fn like(text: &Argument, pattern: &Argument) -> Option<Expr> {
    let wanted = literal_text(&pattern.expr).filter(|wanted| !wanted.contains('\\'))?;
    if !is_text(text.sql_type?) {
        return None;
    }
    let (expr, pattern) = (Box::new(cut(text)), Box::new(lit(wanted.trim_end_matches(' '))));
    Some(Expr::Like(Like { negated: false, expr, pattern, escape_char: None, case_insensitive: false }))
}

/// Arithmetic that the core does in the same way.
fn computed(name: &str, left: &Argument, right: &Argument, result: Option<SqlType>) -> Option<Expr> {
    let operator = match name {
        "add" => Operator::Plus,
        "subtract" => Operator::Minus,
        "multiply" => Operator::Multiply,
        _ => return None,
    };
    let (one, other) = (left.sql_type?, right.sql_type?);
    if !is_number(one) || !is_number(other) {
        return None;
    }
    let (a, b) = (left.expr.clone(), right.expr.clone());
    match result? {
        result @ (SqlType::Integer | SqlType::BigInt | SqlType::Double) => {
            let data_type = data_type_of(result);
            let brought = |argument: &Argument, expr: Expr| match argument.field.data_type() == &data_type {
                true => expr,
                false => cast(expr, data_type.clone()),
            };
            Some(binary(brought(left, a), operator, brought(right, b)))
        }
        SqlType::Decimal { .. } => {
            let (p1, s1) = digits(one)?;
            let (p2, s2) = digits(other)?;
            let fits = match operator {
                Operator::Multiply => p1 + p2 < MOST_DIGITS && s1 + s2 <= MOST_SCALE,
                _ => (p1 - s1).max(p2 - s2) + s1.max(s2) < MOST_DIGITS,
            };
            let exact = |(p, s): (u8, u8), expr: Expr, from: SqlType| match is_integer(from) {
                true => cast(expr, ArrowType::Decimal128(p, s as i8)),
                false => expr,
            };
            fits.then(|| binary(exact((p1, s1), a, one), operator, exact((p2, s2), b, other)))
        }
        _ => None,
    }
}

/// Precision and scale.
fn digits(sql_type: SqlType) -> Option<(u8, u8)> {
    match sql_type {
        SqlType::SmallInt => Some((5, 0)),
        SqlType::Integer => Some((10, 0)),
        SqlType::BigInt => Some((19, 0)),
        SqlType::Decimal { precision, scale } if scale <= precision => Some((precision, scale)),
        _ => None,
    }
}
