//! Conversion of a plan's expressions to the row executor's: native ones, and calls of a dialect's functions.

use super::{Scope, declare};
use crate::analyze::collate::{Keyed, keyed};
use crate::leaves::condition::{comparison, value_of};
use crate::types::offset;
use arrow_schema::{DataType, TimeUnit};
use datafusion::logical_expr::expr::{AggregateFunction, Placeholder, ScalarFunction};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator};
use mainstay_columnar::Comparison;
use mainstay_columnar::values::{OFFSET, TICKS};
use mainstay_row_executor::{Block, Call, Called, Expression, Number, Operation, ParameterType, Plan, Subquery};
use mainstay_types::{Collation, Value};
use std::sync::Arc;

impl Scope<'_> {
    /// The parts of a condition that are joined by AND.
    pub(super) fn conditions(&self, condition: &Expr, block: &mut Block, into: &mut Vec<Expression>) -> Option<()> {
        match condition {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
                self.conditions(left, block, into)?;
                self.conditions(right, block, into)
            }
            Expr::Between(between) if !between.negated => {
                let value = self.expression(&between.expr, block)?;
                let (low, high) = (self.compared(&between.low, block)?, self.compared(&between.high, block)?);
                self.is_comparable(&between.expr)?;
                into.push(Expression::compare(Comparison::GreaterOrEqual, value.clone(), low));
                into.push(Expression::compare(Comparison::LessOrEqual, value, high));
                Some(())
            }
            other => {
                into.push(self.expression(other, block)?);
                Some(())
            }
        }
    }

    /// An operand of a comparison.
    pub(super) fn compared(&self, expr: &Expr, block: &mut Block) -> Option<Expression> {
        self.is_comparable(expr)?;
        self.expression(expr, block)
    }

    fn is_comparable(&self, expr: &Expr) -> Option<()> {
        is_comparable(&expr.get_type(self.schema).ok()?).then_some(())
    }

    /// An expression that is only handed on: so may be a parameter of which nothing says what it is.
    pub(super) fn output(&self, expr: &Expr, block: &mut Block) -> Option<Expression> {
        match expr {
            Expr::Alias(alias) => self.output(&alias.expr, block),
            Expr::Placeholder(Placeholder { id, field: None }) => {
                let number = crate::parse::text::parameter_number(id)?;
                declare(block, number, ParameterType::Any)?;
                Some(Expression::Parameter(number))
            }
            other => self.expression(other, block),
        }
    }

    fn number(&self, expr: &Expr) -> Option<Number> {
        number(&expr.get_type(self.schema).ok()?)
    }

    /// An expression of the row executor's own, or else a call.
    pub(super) fn expression(&self, expr: &Expr, block: &mut Block) -> Option<Expression> {
        self.own(expr, block).or_else(|| self.called(expr, block))
    }

    fn own(&self, expr: &Expr, block: &mut Block) -> Option<Expression> {
        Some(match expr {
            Expr::Alias(alias) => self.expression(&alias.expr, block)?,
            Expr::Column(column) => self.outputs.get(self.schema.index_of_column(column).ok()?)?.clone(),
            Expr::Literal(value, _) => Expression::Constant(value_of(value)?),
            Expr::Placeholder(placeholder) => parameter(placeholder, block)?,
            Expr::BinaryExpr(binary) => self.binary(expr, binary, block)?,
            Expr::Not(inner) => Expression::Not(self.boxed(inner, block)?),
            Expr::IsNull(inner) => Expression::IsNull(self.boxed(inner, block)?),
            Expr::IsNotNull(inner) => Expression::Not(Box::new(Expression::IsNull(self.boxed(inner, block)?))),
            Expr::IsTrue(inner) => Expression::Is(self.boxed(inner, block)?, true),
            Expr::IsFalse(inner) => Expression::Is(self.boxed(inner, block)?, false),
            Expr::IsNotTrue(inner) => Expression::Not(Box::new(Expression::Is(self.boxed(inner, block)?, true))),
            Expr::IsNotFalse(inner) => Expression::Not(Box::new(Expression::Is(self.boxed(inner, block)?, false))),
            Expr::Between(between) => {
                let mut parts = Vec::new();
                let positive = Expr::Between(datafusion::logical_expr::Between { negated: false, ..between.clone() });
                self.conditions(&positive, block, &mut parts)?;
                match between.negated {
                    true => Expression::Not(Box::new(Expression::And(parts))),
                    false => Expression::And(parts),
                }
            }
            Expr::InList(list) => {
                self.is_comparable(&list.expr)?;
                let expression = self.expression(&list.expr, block)?;
                let items = list.list.iter().map(|item| self.compared(item, block)).collect::<Option<_>>()?;
                Expression::one_of(expression, items, list.negated)
            }
            Expr::Negative(inner) => {
                let (to, right) = (self.number(expr)?, self.boxed(inner, block)?);
                let zero = match to {
                    // The sign of a double is turned around even for zero.
                    Number::Double => return None,
                    _ => Box::new(Expression::Constant(Value::Integer(0))),
                };
                Expression::Calculate { operation: Operation::Subtract, left: zero, right, to }
            }
            Expr::Cast(cast) => {
                let (from, to) = (cast.expr.get_type(self.schema).ok()?, cast.field.data_type());
                self.cast(&cast.expr, &from, to, block)?
            }
            Expr::Case(case) => self.case(case, block)?,
            Expr::ScalarFunction(call) => match (call.name(), call.args.as_slice()) {
                ("checked_add", [left, right]) => self.checked(Operation::Add, (expr, left, right), block)?,
                ("checked_subtract", [left, right]) => self.checked(Operation::Subtract, (expr, left, right), block)?,
                ("checked_multiply", [left, right]) => self.checked(Operation::Multiply, (expr, left, right), block)?,
                // Its own operators look at what they give.
                (crate::analyze::overflow::FITS, [result @ Expr::BinaryExpr(_)]) => self.own(result, block)?,
                ("rtrim", [text]) => Expression::Trim(self.boxed(text, block)?),
                (crate::upstream::scalar_subqueries::PERHAPS, [value @ Expr::ScalarSubquery(_)]) => {
                    self.own(value, block)?
                }
                ("coalesce", parts) => {
                    Expression::Coalesce(parts.iter().map(|part| self.expression(part, block)).collect::<Option<_>>()?)
                }
                _ => self.function(expr, call, block)?,
            },
            Expr::ScalarSubquery(subquery) => one_value(subquery, block)?,
            _ => return None,
        })
    }

    /// A sort key, or a function of a dialect.
    fn function(&self, whole: &Expr, call: &ScalarFunction, block: &mut Block) -> Option<Expression> {
        if let Some(Keyed { text, collation, pads }) = keyed(whole) {
            let text = self.boxed(text, block)?;
            return Some(Expression::SortKey { text, collation, pads });
        }
        if let Some((said, text)) = crate::functions::collate_clause::said(whole) {
            let text = self.expression(text, block)?;
            // No index of the column's own collation gives what its bytes are compared with.
            return Some(if said == Collation::Binary { Expression::Coalesce(vec![text]) } else { text });
        }
        let function = match offset::keyed(whole) {
            Some(_) => Arc::new(offset::MomentOfRow),
            None => crate::dialect::row_function(&call.func)
                .or_else(|| crate::types::padded_bytes::row_function(&call.func))
                .or_else(|| crate::analyze::cast::row_function(&call.func))
                .or_else(|| crate::types::quotient::row_function(&call.func))
                .or_else(|| {
                    let types = call.args.iter().map(|argument| argument.get_type(self.schema).ok());
                    crate::types::wide_decimals::row_function(&call.func, &types.collect::<Option<Vec<_>>>()?)
                })?,
        };
        let function = Called(function);
        let arguments = call.args.iter().map(|argument| self.expression(argument, block)).collect::<Option<_>>()?;
        Some(Expression::Call { function, arguments })
    }

    /// A comparison of two sort keys: one of the texts, which an index may answer.
    fn text_comparison(&self, op: Comparison, (left, right): (&Expr, &Expr), block: &mut Block) -> Option<Expression> {
        let of = |expr: &Expr| keyed(expr).map(|keyed| keyed.collation);
        let collation = of(left).or(of(right))?;
        let mut side = |expr: &Expr| match (keyed(expr), expr) {
            (Some(Keyed { text, collation: own, pads: true }), _) if own == collation => self.boxed(text, block),
            // The key of a literal, which is its own key.
            (None, Expr::Literal(..)) => self.boxed(expr, block),
            _ => None,
        };
        let (left, right) = (side(left)?, side(right)?);
        Some(Expression::CompareText { op, left, right, collation })
    }

    fn boxed(&self, expr: &Expr, block: &mut Block) -> Option<Box<Expression>> {
        self.expression(expr, block).map(Box::new)
    }

    fn binary(&self, whole: &Expr, binary: &BinaryExpr, block: &mut Block) -> Option<Expression> {
        let BinaryExpr { left, op, right } = binary;
        let comparison = match op {
            Operator::And => {
                return Some(Expression::And(vec![self.expression(left, block)?, self.expression(right, block)?]));
            }
            Operator::Or => {
                return Some(Expression::Or(vec![self.expression(left, block)?, self.expression(right, block)?]));
            }
            Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide | Operator::Modulo => {
                return self.calculation(whole, binary, block);
            }
            op => comparison(*op)?,
        };
        if (keyed(left).is_some() || keyed(right).is_some())
            && let Some(compared) = self.text_comparison(comparison, (left, right), block)
        {
            return Some(compared);
        }
        // Moments with offsets compare as their keys do, and an index may answer that.
        let moment = |expr: &Expr| offset::keyed(expr).is_some();
        if (moment(left) || moment(right)) && self.is_comparable(left).and(self.is_comparable(right)).is_some() {
            let (left, right) = (offset::keyed(left).unwrap_or(left), offset::keyed(right).unwrap_or(right));
            return Some(Expression::compare(
                comparison,
                self.expression(left, block)?,
                self.expression(right, block)?,
            ));
        }
        Some(Expression::compare(comparison, self.compared(left, block)?, self.compared(right, block)?))
    }

    fn calculation(&self, whole: &Expr, binary: &BinaryExpr, block: &mut Block) -> Option<Expression> {
        let to = self.number(whole)?;
        let (of_left, of_right) = (self.number(&binary.left)?, self.number(&binary.right)?);
        let operation = match binary.op {
            Operator::Plus => Operation::Add,
            Operator::Minus => Operation::Subtract,
            Operator::Multiply => Operation::Multiply,
            Operator::Divide => Operation::Divide,
            _ => Operation::Remainder,
        };
        let fits = match (to, of_left, of_right) {
            (Number::Integer(_), Number::Integer(_), Number::Integer(_)) => true,
            (Number::Double, Number::Double, Number::Double) => true,
            (Number::Decimal { scale, .. }, Number::Decimal { scale: a, .. }, Number::Decimal { scale: b, .. }) => {
                match operation {
                    Operation::Add | Operation::Subtract => a <= scale && b <= scale,
                    Operation::Multiply => a + b == scale,
                    _ => false,
                }
            }
            _ => false,
        };
        let (left, right) = (self.boxed(&binary.left, block)?, self.boxed(&binary.right, block)?);
        fits.then_some(Expression::Calculate { operation, left, right, to })
    }

    /// An operator over whole numbers that looks whether they fit: here all do.
    fn checked(
        &self,
        operation: Operation,
        (whole, left, right): (&Expr, &Expr, &Expr),
        block: &mut Block,
    ) -> Option<Expression> {
        let Some(to @ Number::Integer(_)) = self.number(whole) else { return None };
        let (left, right) = (self.boxed(left, block)?, self.boxed(right, block)?);
        Some(Expression::Calculate { operation, left, right, to })
    }

    fn cast(&self, expr: &Expr, from: &DataType, to: &DataType, block: &mut Block) -> Option<Expression> {
        let is_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8);
        if from == to || (is_text(from) && is_text(to)) {
            return self.expression(expr, block);
        }
        if matches!((from, to), (DataType::Float32, DataType::Float64)) {
            return self.expression(expr, block);
        }
        let (from, number) = (number(from)?, number(to)?);
        let keeps_all = match (from, number) {
            (Number::Integer(from), Number::Integer(to)) => from <= to,
            (Number::Integer(_), Number::Decimal { .. } | Number::Double) => true,
            (Number::Decimal { scale: from, .. }, Number::Decimal { scale: to, .. }) => from <= to,
            // Up to here the double nearest to a decimal is the same, whichever way it is found.
            (Number::Decimal { precision, .. }, Number::Double) => precision <= 15,
            _ => false,
        };
        let expression = self.boxed(expr, block)?;
        keeps_all.then_some(Expression::Cast { expression, to: number })
    }

    fn case(&self, case: &datafusion::logical_expr::Case, block: &mut Block) -> Option<Expression> {
        let base = match &case.expr {
            Some(base) => Some(self.compared(base, block)?),
            None => None,
        };
        let mut branches = Vec::with_capacity(case.when_then_expr.len());
        for (when, then) in &case.when_then_expr {
            let when = match &base {
                Some(base) => Expression::compare(Comparison::Equal, base.clone(), self.compared(when, block)?),
                None => self.expression(when, block)?,
            };
            branches.push((when, self.expression(then, block)?));
        }
        let otherwise = match &case.else_expr {
            Some(otherwise) => Some(self.boxed(otherwise, block)?),
            None => None,
        };
        Some(Expression::Case { branches, otherwise })
    }

    pub(super) fn call(&self, expr: &Expr, block: &mut Block) -> Option<Call> {
        let call = match expr {
            Expr::Alias(alias) => return self.call(&alias.expr, block),
            Expr::AggregateFunction(call) => call,
            _ => return None,
        };
        let AggregateFunction { func, params } = call;
        if params.distinct || params.filter.is_some() || !params.order_by.is_empty() || params.null_treatment.is_some()
        {
            return None;
        }
        let [argument] = params.args.as_slice() else { return None };
        let is_constant = |expr: &Expr| matches!(expr, Expr::Literal(value, _) if !value.is_null());
        Some(match func.name() {
            "count" if is_constant(argument) => Call::Rows,
            "count" => Call::Count(self.expression(argument, block)?),
            "sum" => Call::Sum(self.summand(argument, block)?, self.number(expr)?),
            "avg" => Call::Average(self.summand(argument, block)?, self.number(expr)?),
            "min" => Call::Least(self.compared(argument, block)?),
            "max" => Call::Greatest(self.compared(argument, block)?),
            _ => return None,
        })
    }

    fn summand(&self, argument: &Expr, block: &mut Block) -> Option<Expression> {
        self.number(argument)?;
        self.expression(argument, block)
    }
}

/// A query for one value that looks at no row around it.
fn one_value(subquery: &datafusion::logical_expr::Subquery, block: &mut Block) -> Option<Expression> {
    if !subquery.outer_ref_columns.is_empty() {
        return None;
    }
    let (mut inner, scope) = super::whole(&subquery.subquery)?;
    inner.output = scope.outputs;
    super::merge_parameters(block, &inner)?;
    Plan::of(inner).and_then(Subquery::of).map(Expression::Subquery)
}

fn parameter(placeholder: &Placeholder, block: &mut Block) -> Option<Expression> {
    let number = crate::parse::text::parameter_number(&placeholder.id)?;
    let declared = match placeholder.field.as_ref()?.data_type() {
        DataType::Int8 => ParameterType::Integer(8),
        DataType::Int16 => ParameterType::Integer(16),
        DataType::Int32 => ParameterType::Integer(32),
        DataType::Int64 => ParameterType::Integer(64),
        DataType::Decimal128(precision, scale @ 0..) => {
            ParameterType::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        DataType::Float64 => ParameterType::Double,
        DataType::Boolean => ParameterType::Boolean,
        DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8 => ParameterType::Text,
        DataType::BinaryView => ParameterType::Binary,
        DataType::Date32 => ParameterType::Date,
        DataType::Timestamp(TimeUnit::Microsecond, None) => ParameterType::Timestamp(10),
        &TICKS => ParameterType::Timestamp(1),
        &OFFSET => ParameterType::TimestampWithOffset,
        _ => return None,
    };
    declare(block, number, declared)?;
    Some(Expression::Parameter(number))
}

fn number(data_type: &DataType) -> Option<Number> {
    Some(match data_type {
        DataType::Int8 => Number::Integer(8),
        DataType::Int16 => Number::Integer(16),
        DataType::Int32 => Number::Integer(32),
        DataType::Int64 => Number::Integer(64),
        DataType::Decimal128(precision, scale) => {
            Number::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        DataType::Float64 => Number::Double,
        _ => return None,
    })
}

/// Returns true if both executors compare values of a type in the same way.
pub(super) fn is_comparable(data_type: &DataType) -> bool {
    use DataType::*;
    *data_type != OFFSET
        && matches!(
            data_type,
            Boolean
                | Int8
                | Int16
                | Int32
                | Int64
                | &TICKS
                | Decimal128(..)
                | Float32
                | Float64
                | Utf8
                | Utf8View
                | LargeUtf8
                | BinaryView
                | Date32
                | Time64(_)
                | Timestamp(..)
                | FixedSizeBinary(16)
                | Null
        )
}
