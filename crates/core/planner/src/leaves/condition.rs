//! Conversion of DataFusion's expressions to the [`Predicate`]s of a scan.
//!
//! A pushed-down condition must have exactly the same meaning for all values, because the planner calls
//! [`is_expressible`] before parameters have values. So a condition is accepted if its *form* is known to the kernels -
//! a column compared with constants, and AND, OR, NOT of such - and the types of both sides make the comparison one of
//! numbers, texts, dates, timestamps or truth values.
//!
//! The planner rewrites a comparison of a DECIMAL(8,2) column with a longer number to a comparison of `CAST(column AS
//! DECIMAL(22,3))`. A cast that keeps every value and its order changes nothing, so it is ignored, and the column is
//! compared with the constant itself.

use crate::analyze::blank_fields;
use crate::analyze::collate::keyed;
use crate::types::{offset, padded_bytes};
use datafusion::arrow::datatypes::{DataType, Schema, TimeUnit};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Like, Operator, expr::InList};
use mainstay_columnar::values::{OFFSET, TICKS};
use mainstay_columnar::{Comparison, Predicate};
use mainstay_types::{Collation, Date, Decimal, Timestamp, Value};

/// Returns true if [`predicate`] can express the condition once its parameters have values.
pub(crate) fn is_expressible(condition: &Expr, schema: &Schema) -> bool {
    build(condition, schema, &|expr| if is_parameter(expr) { Some(Value::Null) } else { constant(expr) }).is_some()
}

/// A parameter, or what the planner and the rule for CHAR columns wrap around one: it will be folded into
/// a constant when the parameter has its value.
fn is_parameter(expr: &Expr) -> bool {
    match expr {
        Expr::Placeholder(_) => true,
        _ if keyed(expr).is_some_and(|inner| is_parameter(inner.text)) => true,
        _ if offset::conversion_of(expr).is_some_and(is_parameter) => true,
        _ if padded_bytes::padded_of(expr).is_some_and(is_parameter) => true,
        Expr::Cast(cast) => is_parameter(&cast.expr),
        Expr::ScalarFunction(call) => call.name() == "rtrim" && call.args.len() == 1 && is_parameter(&call.args[0]),
        _ => false,
    }
}

/// The condition as a predicate on the columns of `schema`; `None` for one that is not expressible, or whose parameter has
/// got a value that no kernel compares, as NaN.
pub(crate) fn predicate(condition: &Expr, schema: &Schema) -> Option<Predicate> {
    build(condition, schema, &constant)
}

/// All of these, as one predicate.
pub(crate) fn all(mut parts: Vec<Predicate>) -> Predicate {
    match parts.len() {
        1 => parts.remove(0),
        _ => Predicate::And(parts),
    }
}

type ConstantOf<'a> = &'a dyn Fn(&Expr) -> Option<Value>;

fn build(condition: &Expr, schema: &Schema, constant: ConstantOf<'_>) -> Option<Predicate> {
    if let Some((plain, by)) = without_key(condition, schema) {
        return build(&plain, schema, constant).and_then(|predicate| collated(predicate, by));
    }
    match condition {
        Expr::Alias(alias) => build(&alias.expr, schema, constant),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            Some(Predicate::And(vec![build(left, schema, constant)?, build(right, schema, constant)?]))
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Some(Predicate::Or(vec![build(left, schema, constant)?, build(right, schema, constant)?]))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let comparison = comparison(*op)?;
            match (operand(left, schema), operand(right, schema)) {
                (Some(column), None) => filled(left, compare(column, comparison, right, schema, constant)?),
                (None, Some(column)) => filled(right, compare(column, comparison.mirrored(), left, schema, constant)?),
                _ => None,
            }
        }
        Expr::Not(inner) => build(inner, schema, constant).map(Predicate::negate),
        Expr::Between(Between { expr, negated, low, high }) => {
            let column = operand(expr, schema)?;
            let low = filled(expr, compare(column, Comparison::GreaterOrEqual, low, schema, constant)?)?;
            let high = filled(expr, compare(column, Comparison::LessOrEqual, high, schema, constant)?)?;
            let between = Predicate::And(vec![low, high]);
            Some(if *negated { between.negate() } else { between })
        }
        Expr::InList(InList { expr, list, negated }) => {
            let column = operand(expr, schema)?;
            let values: Option<Vec<Value>> =
                list.iter().map(|item| constant(item).filter(|value| fits(column, value, schema))).collect();
            let values = values?;
            match blank_fields::filled_column(expr) {
                None => Some(Predicate::In { column, values, negated: *negated }),
                Some(_) => {
                    let any = blank_fields::of_filled(Predicate::In { column, values, negated: false })?;
                    Some(if *negated { any.negate() } else { any })
                }
            }
        }
        Expr::Like(Like { negated, expr, pattern, escape_char, case_insensitive }) => {
            let column = operand(expr, schema)?;
            let (case_insensitive, escape, negated) = (*case_insensitive, *escape_char, *negated);
            match constant(pattern)? {
                Value::Text(pattern) if is_text(column, schema) => {
                    Some(Predicate::Like { column, pattern, escape, case_insensitive, negated })
                }
                Value::Null if is_text(column, schema) => Some(unknown(column)),
                _ => None,
            }
        }
        // A filled column is never NULL, and is not tested.
        Expr::IsNull(inner) | Expr::IsNotNull(inner) if blank_fields::filled_column(inner).is_some() => None,
        Expr::IsNull(inner) => Some(Predicate::Null { column: operand(inner, schema)?, negated: false }),
        Expr::IsNotNull(inner) => Some(Predicate::Null { column: operand(inner, schema)?, negated: true }),
        Expr::IsFalse(inner) if blank_fields::filled_column(inner).is_some() => {
            certain(inner, true, schema).map(Predicate::negate)
        }
        Expr::IsTrue(inner) => certain(inner, true, schema),
        Expr::IsFalse(inner) => certain(inner, false, schema),
        Expr::Column(_) => truth(condition, true, schema),
        Expr::ScalarFunction(_) if let Some(column) = blank_fields::filled_column(condition) => {
            certain(column, true, schema)
        }
        Expr::Literal(ScalarValue::Boolean(Some(value)), _) => Some(Predicate::Constant(*value)),
        // The rest of a comparison with NULL; any column will do.
        Expr::Literal(ScalarValue::Boolean(None) | ScalarValue::Null, _) if !schema.fields().is_empty() => {
            Some(unknown(0))
        }
        _ => None,
    }
}

/// A comparison of a column's sort key, as one of the column itself, with its collation and whether blanks at the end do
/// not count.
fn without_key(condition: &Expr, schema: &Schema) -> Option<(Expr, (Collation, bool))> {
    let column = |expr: &Expr| {
        let inner = keyed(expr)?;
        let column = operand(inner.text, schema).filter(|column| is_text(*column, schema))?;
        let name = datafusion::common::Column::new_unqualified(schema.field(column).name());
        Some((Box::new(Expr::Column(name)), (inner.collation, inner.pads)))
    };
    let has_key = match condition {
        Expr::BinaryExpr(it) => comparison(it.op).is_some() && (keyed(&it.left).or(keyed(&it.right))).is_some(),
        Expr::Between(Between { expr, .. }) | Expr::InList(InList { expr, .. }) | Expr::Like(Like { expr, .. }) => {
            keyed(expr).is_some()
        }
        _ => false,
    };
    // A condition may be large, and is copied only if it is one.
    if !has_key {
        return None;
    }
    match condition.clone() {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (left, right, by) = match (column(&left), column(&right)) {
                (Some((column, by)), None) => (column, right, by),
                (None, Some((column, by))) => (left, column, by),
                _ => return None,
            };
            Some((Expr::BinaryExpr(BinaryExpr { left, op, right }), by))
        }
        Expr::Between(Between { expr, negated, low, high }) => {
            let (expr, by) = column(&expr)?;
            Some((Expr::Between(Between { expr, negated, low, high }), by))
        }
        Expr::InList(InList { expr, list, negated }) => {
            let (expr, by) = column(&expr)?;
            Some((Expr::InList(InList { expr, list, negated }), by))
        }
        Expr::Like(like) => {
            let (expr, by) = column(&like.expr)?;
            Some((Expr::Like(Like { expr, ..like }), by))
        }
        _ => None,
    }
}

/// The predicate with every comparison by sort keys.
fn collated(predicate: Predicate, by: (Collation, bool)) -> Option<Predicate> {
    let (collation, pads) = by;
    let each = |parts: Vec<Predicate>| parts.into_iter().map(|part| collated(part, by)).collect::<Option<Vec<_>>>();
    Some(match predicate {
        Predicate::And(parts) => Predicate::And(each(parts)?),
        Predicate::Or(parts) => Predicate::Or(each(parts)?),
        leaf @ (Predicate::Compare { .. } | Predicate::In { .. } | Predicate::Like { .. }) => {
            Predicate::Collated { collation, pads, leaf: Box::new(leaf) }
        }
        _ => return None,
    })
}

/// Neither true nor false, also when it is negated.
fn unknown(column: usize) -> Predicate {
    Predicate::Compare { column, op: Comparison::Equal, value: Value::Null }
}

fn truth(expr: &Expr, value: bool, schema: &Schema) -> Option<Predicate> {
    let column = operand(expr, schema)?;
    matches!(schema.field(column).data_type(), DataType::Boolean).then_some(Predicate::Truth { column, value })
}

/// IS TRUE, IS FALSE: false for NULL, so that NOT of it is true there.
fn certain(expr: &Expr, value: bool, schema: &Schema) -> Option<Predicate> {
    let column = operand(expr, schema)?;
    Some(Predicate::And(vec![truth(expr, value, schema)?, Predicate::Null { column, negated: true }]))
}

/// The comparison that an operator is.
pub(crate) fn comparison(op: Operator) -> Option<Comparison> {
    Some(match op {
        Operator::Eq => Comparison::Equal,
        Operator::NotEq => Comparison::NotEqual,
        Operator::Lt => Comparison::Less,
        Operator::LtEq => Comparison::LessOrEqual,
        Operator::Gt => Comparison::Greater,
        Operator::GtEq => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

fn compare(
    column: usize,
    op: Comparison,
    other: &Expr,
    schema: &Schema,
    constant: ConstantOf<'_>,
) -> Option<Predicate> {
    let value = constant(other)?;
    fits(column, &value, schema).then_some(Predicate::Compare { column, op, value })
}

/// The comparison of an operand, which may be a column whose blanks are 0.
fn filled(operand: &Expr, comparison: Predicate) -> Option<Predicate> {
    match blank_fields::filled_column(operand) {
        Some(_) => blank_fields::of_filled(comparison),
        None => Some(comparison),
    }
}

/// The column that an expression reads, through casts that keep every value and its order.
fn operand(expr: &Expr, schema: &Schema) -> Option<usize> {
    match expr {
        Expr::Column(column) => schema.index_of(&column.name).ok(),
        Expr::Cast(cast) => {
            let column = operand(&cast.expr, schema)?;
            keeps_order(schema.field(column).data_type(), cast.field.data_type()).then_some(column)
        }
        Expr::ScalarFunction(_) if let Some(column) = blank_fields::filled_column(expr) => operand(column, schema),
        // Compared with a moment without an offset, as the kernels compare such a column.
        Expr::ScalarFunction(_) => match (offset::keyed(expr), offset::finer(expr)) {
            (Some(Expr::Column(column)), _) => schema.index_of(&column.name).ok(),
            (_, Some(Expr::Column(column))) => {
                let column = schema.index_of(&column.name).ok()?;
                matches!(schema.field(column).data_type(), DataType::Timestamp(_, None)).then_some(column)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns true if a cast keeps every value and its order.
pub(crate) fn keeps_order(from: &DataType, to: &DataType) -> bool {
    use DataType::*;
    match (from, to) {
        (from @ (&TICKS | &OFFSET), to) => from == to,
        (Decimal128(p, s), Decimal128(wider_p, wider_s)) => {
            wider_s >= s && i32::from(*wider_p) - i32::from(*wider_s) >= i32::from(*p) - i32::from(*s)
        }
        (Int8 | Int16 | Int32 | UInt32, Decimal128(p, s)) => i32::from(*p) - i32::from(*s) >= 10,
        (Int64, Decimal128(p, s)) => i32::from(*p) - i32::from(*s) >= 19,
        (Int8, Int16 | Int32 | Int64) | (Int16, Int32 | Int64) | (Int32, Int64) | (UInt32, Int64) => true,
        (Utf8View, Utf8 | LargeUtf8) => true,
        (Date32, Timestamp(TimeUnit::Millisecond | TimeUnit::Microsecond | TimeUnit::Second, None)) => false,
        (from, to) => from == to,
    }
}

fn is_text(column: usize, schema: &Schema) -> bool {
    matches!(schema.field(column).data_type(), DataType::Utf8View)
}

/// Returns true if column and value are of kinds that the kernels compare as the planner would.
// It reads as a table.
#[allow(clippy::match_like_matches_macro)]
fn fits(column: usize, value: &Value, schema: &Schema) -> bool {
    use DataType::*;
    match (schema.field(column).data_type(), value) {
        (_, Value::Null) => true,
        // A moment that is compared with an offset is what is left of one without its offset.
        (&TICKS | &OFFSET, Value::Timestamp(_)) => true,
        (&TICKS | &OFFSET, _) => false,
        (Decimal128(..) | Int8 | Int16 | Int32 | Int64 | UInt32, Value::Integer(_) | Value::Decimal(_)) => true,
        (Float64, Value::Integer(_) | Value::Decimal(_) | Value::Float(_)) => true,
        (Utf8View, Value::Text(_)) => true,
        (BinaryView, Value::Binary(_)) => true,
        (Date32, Value::Date(_)) => true,
        (FixedSizeBinary(16), Value::Uuid(_)) => true,
        (Timestamp(..), Value::Timestamp(_)) => true,
        (Boolean, Value::Boolean(_)) => true,
        _ => false,
    }
}

/// The value of a constant expression, or `None` for what is not one (or has no exact counterpart).
fn constant(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Alias(alias) => constant(&alias.expr),
        Expr::Literal(value, _) => value_of(value),
        Expr::Cast(cast) => match cast.expr.as_ref() {
            Expr::Literal(value, _) => value_of(&value.cast_to(cast.field.data_type()).ok()?),
            _ => None,
        },
        _ => None,
    }
}

/// One of our values for one of DataFusion's.
pub(crate) fn value_of(value: &ScalarValue) -> Option<Value> {
    use ScalarValue::*;
    if value.is_null() {
        return Some(Value::Null);
    }
    Some(match value {
        Boolean(Some(value)) => Value::Boolean(*value),
        Int8(Some(value)) => Value::Integer(i64::from(*value)),
        Int16(Some(value)) => Value::Integer(i64::from(*value)),
        Int32(Some(value)) => Value::Integer(i64::from(*value)),
        Int64(Some(value)) => Value::Integer(*value),
        UInt8(Some(value)) => Value::Integer(i64::from(*value)),
        UInt16(Some(value)) => Value::Integer(i64::from(*value)),
        UInt32(Some(value)) => Value::Integer(i64::from(*value)),
        UInt64(Some(value)) => Value::Decimal(Decimal::new(i128::from(*value), 0)),
        Float64(Some(value)) if value.is_finite() => Value::Float(*value),
        Decimal64(Some(value), 18, -2) => Value::Timestamp(Timestamp(*value)),
        Decimal128(Some(value), 38, -12) => {
            let (utc, offset_minutes) = Timestamp::unpacked(*value);
            Value::TimestampWithOffset { utc, offset_minutes }
        }
        Decimal128(Some(value), _, scale) => Value::Decimal(Decimal::new(*value, u8::try_from(*scale).ok()?)),
        Utf8(Some(text)) | Utf8View(Some(text)) | LargeUtf8(Some(text)) => Value::Text(text.clone()),
        Binary(Some(bytes)) | BinaryView(Some(bytes)) | LargeBinary(Some(bytes)) => Value::Binary(bytes.clone()),
        FixedSizeBinary(16, Some(bytes)) => Value::Uuid(bytes.as_slice().try_into().ok()?),
        Date32(Some(days)) => Value::Date(Date(*days)),
        TimestampSecond(Some(value), None) => Value::Timestamp(Timestamp::from_seconds(*value)?),
        TimestampMillisecond(Some(value), None) => Value::Timestamp(Timestamp::from_ms(*value)?),
        TimestampMicrosecond(Some(value), None) => Value::Timestamp(Timestamp::from_us(*value)?),
        // A tick is 100 ns: what is finer has no exact counterpart.
        TimestampNanosecond(Some(value), None) if value % 100 == 0 => Value::Timestamp(Timestamp::from_nanos(*value)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::datatypes::Field;
    use datafusion::logical_expr::{cast, col, lit};

    fn schema() -> Schema {
        Schema::new(vec![
            Field::new("n", DataType::Decimal128(8, 2), true),
            Field::new("c", DataType::Utf8View, true),
            Field::new("l", DataType::Boolean, true),
        ])
    }

    fn text(condition: Expr) -> Option<Predicate> {
        predicate(&condition, &schema())
    }

    #[test]
    fn a_cast_that_keeps_the_order_is_looked_through() {
        let longer = lit(ScalarValue::Decimal128(Some(1_005), 22, 3));
        let condition = cast(col("n"), DataType::Decimal128(22, 3)).gt(longer.clone());
        let Some(Predicate::Compare { column: 0, op: Comparison::Greater, value }) = text(condition) else { panic!() };
        assert_eq!(value, Value::Decimal(Decimal::new(1_005, 3)));
        assert!(text(cast(col("n"), DataType::Decimal128(8, 0)).gt(longer)).is_none());
        assert!(text(cast(col("n"), DataType::Utf8View).eq(lit("1"))).is_none());
    }

    #[test]
    fn forms_that_differ_in_meaning_are_left_to_the_planner() {
        assert!(text(col("c").eq(col("c"))).is_none());
        assert!(text((col("n") + lit(1)).eq(lit(2))).is_none());
        assert!(text(col("n").eq(lit(1.5f64))).is_none());
        assert!(text(col("l").and(col("c").eq(lit("x")))).is_some());
        assert!(text(Expr::Not(Box::new(col("l").or(col("n").lt(lit(1i64)))))).is_some());
    }
}
