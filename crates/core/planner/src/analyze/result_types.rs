//! One result type for CASE and UNION, before any other pass uses it.
//!
//! ```text
//!   CASE WHEN a = 1 THEN 0 ELSE price END * a      CASE WHEN a = 1 THEN CAST(0 AS DECIMAL(11, 2)) ELSE ... END * a
//!   SELECT 1 UNION ALL SELECT 2.5                  SELECT CAST(1 AS DECIMAL(2, 1)) UNION ALL SELECT 2.5
//! ```
//!
//! Until DataFusion unifies results of different types, it takes the first type for the type of all. Operators that are
//! planned around them by then - checked arithmetic, CAST, signs - fail on the values, or truncate them. So numbers of
//! different types are unified first (ISO 9075-2, 9.5): integers in the widest of their types, exact numbers in a
//! DECIMAL with room for all digits, and all of them in an approximate type if one of them is approximate.
//!
//! Limits: values of other types are left to the planner and to [`crate::analyze::coercion`]. A dialect that owns a statement
//! ([`crate::dialect`]) has separate rules.

use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::{any_expression, any_node};
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{DFSchema, Result, ScalarValue, TableReference};
use datafusion::logical_expr::expr::Case;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Union, cast};
use std::sync::Arc;

/// The whole numbers, from the narrowest to the widest.
const WHOLE: [DataType; 4] = [DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64];

/// The digits of a DECIMAL at most.
const MOST_DIGITS: i16 = 38;

/// The plan with one type for the results of every CASE, and for every column of a UNION.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_case = |expr: &Expr| matches!(expr, Expr::Case(_));
    let has_choice = |node: &LogicalPlan| matches!(node, LogicalPlan::Union(_)) || any_expression(node, is_case);
    if !any_node(&plan, has_choice) || crate::dialect::owns_plan(&plan) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| {
        let node = match node {
            LogicalPlan::Union(union) => return united(union).map(Transformed::yes),
            other => other.recompute_schema()?,
        };
        match any_expression(&node, is_case) {
            true => {
                let node = crate::tree::rewrite::node(node, in_expression)?;
                node.map_data(LogicalPlan::recompute_schema)
            }
            false => Ok(Transformed::yes(node)),
        }
    })
    .data()
}

/// The expression with one type for the results of every CASE in it.
pub(crate) fn in_expression(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    expr.map_up(|expr| match expr {
        Expr::Case(case) => settled(case, schema),
        other => Ok(Transformed::no(other)),
    })
}

/// A CASE whose numbers have one type.
pub(crate) fn settled(mut case: Case, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let results = case.when_then_expr.iter().map(|(_, then)| then.as_ref());
    let results: Vec<&Expr> = results.chain(case.else_expr.as_deref()).collect();
    let types = results.iter().map(|result| result.get_type(schema)).collect::<Result<Vec<_>>>()?;
    // The planner has given the CASE this type.
    let first = types.iter().find(|of| !of.is_null());
    let is_settled = types.iter().all(|of| of.is_null() || Some(of) == first);
    if is_settled {
        return Ok(Transformed::no(Expr::Case(case)));
    }
    // Calculations with the first result have been given its bits.
    let number = |(place, (result, of)): (usize, (&&Expr, &DataType))| match place {
        0 => Number::of(result, of).map(|number| number.at_least(of)),
        _ => Number::of(result, of),
    };
    let numbers = results.iter().zip(&types).filter(|(_, of)| !of.is_null()).enumerate().map(number);
    let Some(to) = numbers.collect::<Option<Vec<_>>>().and_then(|numbers| common(&numbers)) else {
        return Ok(Transformed::no(Expr::Case(case)));
    };
    let results = case.when_then_expr.iter_mut().map(|(_, then)| then.as_mut()).chain(case.else_expr.as_deref_mut());
    for (result, of) in results.zip(&types) {
        if *of != to && !of.is_null() {
            *result = converted(std::mem::take(result), &to)?;
        }
    }
    Ok(Transformed::yes(Expr::Case(case)))
}

fn converted(expr: Expr, to: &DataType) -> Result<Expr> {
    Ok(match expr {
        Expr::Literal(value, metadata) => Expr::Literal(value.cast_to(to)?, metadata),
        other => cast(other, to.clone()),
    })
}

/// A UNION whose numbers have one type in each column.
fn united(union: Union) -> Result<LogicalPlan> {
    let columns = union.schema.fields().len();
    if union.inputs.iter().any(|input| input.schema().fields().len() != columns) {
        return Ok(LogicalPlan::Union(union));
    }
    let type_of = |input: &LogicalPlan, column: usize| input.schema().field(column).data_type().clone();
    let target = |column: usize| {
        let types = union.inputs.iter().map(|input| type_of(input, column)).filter(|of| !of.is_null());
        common(&types.map(|of| Number::of_type(&of)).collect::<Option<Vec<_>>>()?)
    };
    let targets: Vec<Option<DataType>> = (0..columns).map(target).collect();
    let needs = |input: &LogicalPlan, column: usize| {
        let of = type_of(input, column);
        targets[column].clone().filter(|to| *to != of && !of.is_null())
    };
    let in_types = |input: &Arc<LogicalPlan>| {
        if (0..columns).all(|column| needs(input, column).is_none()) {
            return Ok(Arc::clone(input));
        }
        let column = |(number, (qualifier, field)): (usize, (Option<&TableReference>, &Arc<Field>))| {
            let expr = Expr::Column((qualifier, field).into());
            match needs(input, number) {
                Some(to) => cast(expr, to).alias_qualified(qualifier.cloned(), field.name()),
                None => expr,
            }
        };
        let columns: Vec<Expr> = input.schema().iter().enumerate().map(column).collect();
        LogicalPlanBuilder::from(input.as_ref().clone()).project(columns)?.build().map(Arc::new)
    };
    let inputs = union.inputs.iter().map(in_types).collect::<Result<Vec<_>>>()?;
    // The schema of a union is made once, of the types that its inputs had.
    Union::try_new_with_loose_types(inputs).map(LogicalPlan::Union)
}

/// The contribution of a number to the common type.
#[derive(Clone, Copy, Debug)]
enum Number {
    /// The place of its type among [`WHOLE`], and the digits that it has at most.
    Whole(usize, i16),
    /// Digits before the point, and after it.
    Exact(i16, i16),
    Single,
    Double,
}

impl Number {
    fn of(expr: &Expr, data_type: &DataType) -> Option<Number> {
        match expr {
            // The planner has 64 bits for every literal.
            Expr::Literal(ScalarValue::Int64(Some(value)), _) => {
                let digits = value.unsigned_abs().checked_ilog10().map_or(1, |digits| digits + 1);
                let width = if i32::try_from(*value).is_ok() { 2 } else { 3 };
                Some(Number::Whole(width, i16::try_from(digits).ok()?))
            }
            _ => Number::of_type(data_type),
        }
    }

    /// A whole number with the bits of a type.
    fn at_least(self, data_type: &DataType) -> Number {
        match (self, WHOLE.iter().position(|known| known == data_type)) {
            (Number::Whole(_, digits), Some(width)) => Number::Whole(width, digits),
            (number, _) => number,
        }
    }

    fn of_type(data_type: &DataType) -> Option<Number> {
        Some(match data_type {
            DataType::Int8 => Number::Whole(0, 3),
            DataType::Int16 => Number::Whole(1, 5),
            DataType::Int32 => Number::Whole(2, 10),
            DataType::Int64 => Number::Whole(3, 19),
            // Moments are kept in decimals with a negative scale.
            DataType::Decimal32(precision, scale @ 0..)
            | DataType::Decimal64(precision, scale @ 0..)
            | DataType::Decimal128(precision, scale @ 0..) => {
                Number::Exact(i16::from(*precision) - i16::from(*scale), i16::from(*scale))
            }
            DataType::Float32 => Number::Single,
            DataType::Float64 => Number::Double,
            _ => return None,
        })
    }
}

/// The type of all; `None` where there is none of them.
fn common(numbers: &[Number]) -> Option<DataType> {
    let any = |is: fn(&Number) -> bool| numbers.iter().any(is);
    let is_exact = any(|number| matches!(number, Number::Exact(..)));
    match (any(|number| matches!(number, Number::Double)), any(|number| matches!(number, Number::Single))) {
        (true, _) => return Some(DataType::Float64),
        (false, true) => return Some(if is_exact { DataType::Float64 } else { DataType::Float32 }),
        (false, false) => {}
    }
    let (mut widest, mut whole, mut decimals) = (None, 0, 0);
    for number in numbers {
        match *number {
            Number::Whole(width, digits) => (widest, whole) = (widest.max(Some(width)), whole.max(digits)),
            Number::Exact(before, after) => (whole, decimals) = (whole.max(before), decimals.max(after)),
            Number::Single | Number::Double => {}
        }
    }
    if !is_exact {
        return WHOLE.get(widest?).cloned();
    }
    let precision = u8::try_from((whole + decimals).clamp(1, MOST_DIGITS)).ok()?;
    Some(DataType::Decimal128(precision, i8::try_from(decimals).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_meet_in_the_type_that_holds_all() {
        let common = |types: &[DataType]| {
            super::common(&types.iter().map(|of| Number::of_type(of).unwrap()).collect::<Vec<_>>()).unwrap()
        };
        use DataType::{Decimal64, Decimal128, Float32, Float64, Int16, Int32, Int64};
        assert_eq!(common(&[Int16, Int64, Int32]), Int64);
        assert_eq!(common(&[Int32, Decimal64(6, 1)]), Decimal128(11, 1));
        assert_eq!(common(&[Decimal128(6, 1), Decimal128(9, 4)]), Decimal128(9, 4));
        assert_eq!(common(&[Decimal128(38, 0), Decimal128(38, 10)]), Decimal128(38, 10));
        assert_eq!(common(&[Float32, Int64]), Float32);
        assert_eq!(common(&[Float32, Decimal128(6, 1)]), Float64);
        assert_eq!(common(&[Int16, Float64, Float32]), Float64);
    }

    #[test]
    fn literals_have_the_digits_that_are_written() {
        let literal = Expr::Literal(ScalarValue::Int64(Some(-120)), None);
        let numbers = [Number::of(&literal, &DataType::Int64).unwrap(), Number::Exact(1, 1)];
        assert_eq!(super::common(&numbers), Some(DataType::Decimal128(4, 1)));
        let numbers = [Number::of(&literal, &DataType::Int64).unwrap(), Number::Whole(1, 5)];
        assert_eq!(super::common(&numbers), Some(DataType::Int32));
    }
}
