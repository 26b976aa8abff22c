//! Lifting literals out of a statement, so that statements that differ only in values share a plan.
//!
//! Only literals in comparisons are lifted (`=`, `<`, BETWEEN, IN, LIKE in WHERE, HAVING and ON), because programs vary
//! these. Others stay, because they can decide the plan or the type of a column (LIMIT, ordinals, arguments of
//! functions, items of a SELECT list). The types of the literals belong to the statement's shape: `x = 1` and `x = 1.5`
//! are planned separately.

use crate::parse::walk::WalkMut;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::ScalarValue;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, JoinConstraint, JoinOperator, Query, Select, Statement, TableFactor, UnaryOperator, Value,
    ValueWithSpan, VisitorMut,
};
use mainstay_types::{Decimal, Timestamp};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A statement without its compared literals.
pub(crate) struct Lifted {
    /// The statement with `$1`, `$2`, ... where the literals were.
    pub(crate) statement: Statement,
    /// The statement's text in one spelling, with the types of the literals.
    pub(crate) shape: String,
    /// The literals.
    pub(crate) values: Vec<ScalarValue>,
}

impl Lifted {
    /// The fields that tell the planner the types of the parameters.
    pub(crate) fn fields(&self) -> Vec<Option<FieldRef>> {
        let field = |value: &ScalarValue| Some(Arc::new(Field::new("", value.data_type(), true)));
        self.values.iter().map(field).collect()
    }
}

/// Lifts the literals, or says `None` when there are none to lift.
pub(crate) fn lift(statement: &Statement) -> Option<Lifted> {
    let mut statement = statement.clone();
    let mut survey = Survey { lists: 0 };
    // Parameters that the user wrote have numbers of their own.
    if statement.walk_mut(&mut survey).is_break() {
        return None;
    }
    let mut finder = ConditionFinder { values: Vec::new(), lifts_lists: survey.lists <= 1 };
    let _ = statement.walk_mut(&mut finder);
    let values = finder.values;
    if values.is_empty() {
        return None;
    }
    let mut shape = statement.to_string();
    for value in &values {
        // Writing to a String does not fail.
        let _ = write!(shape, "\u{0}{}", value.data_type());
    }
    Some(Lifted { statement, shape, values })
}

/// Breaks at the first parameter, and counts the lists of IN. The optimizer intersects lists about one
/// column, and takes two parameters for two different values: only a list that is alone can be lifted.
struct Survey {
    lists: usize,
}

impl VisitorMut for Survey {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.lists += usize::from(matches!(expr, Expr::InList { .. }));
        match expr {
            Expr::Value(ValueWithSpan { value: Value::Placeholder(_), .. }) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Finds the conditions of every SELECT, at any depth.
struct ConditionFinder {
    values: Vec<ScalarValue>,
    lifts_lists: bool,
}

impl ConditionFinder {
    fn lift_in(&mut self, condition: &mut Expr) {
        let mut lifter = Lifter { values: &mut self.values, lifts_lists: self.lifts_lists, query_depth: 0 };
        let _ = condition.walk_mut(&mut lifter);
    }
}

impl VisitorMut for ConditionFinder {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for condition in select.selection.iter_mut().chain(select.having.iter_mut()) {
            self.lift_in(condition);
        }
        for join in select.from.iter_mut().flat_map(|table| table.joins.iter_mut()) {
            use JoinOperator::*;
            if let Join(constraint)
            | Inner(constraint)
            | Left(constraint)
            | LeftOuter(constraint)
            | Right(constraint)
            | RightOuter(constraint)
            | FullOuter(constraint) = &mut join.join_operator
                && let JoinConstraint::On(condition) = constraint
            {
                self.lift_in(condition);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, _: &mut TableFactor) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Longer lists stay: each length is a shape of its own, so what is planned for one serves few others, and each literal would be
/// written, bound and folded once more.
const LONGEST_LIST: usize = 100;

/// Replaces the literals of one condition; subqueries in it have conditions of their own.
struct Lifter<'a> {
    values: &'a mut Vec<ScalarValue>,
    lifts_lists: bool,
    query_depth: usize,
}

impl Lifter<'_> {
    fn replace(&mut self, operand: &mut Expr) {
        if let Some(value) = literal(operand) {
            self.values.push(value);
            let placeholder = Value::Placeholder(format!("${}", self.values.len()));
            *operand = Expr::Value(placeholder.into());
        }
    }
}

impl VisitorMut for Lifter<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.query_depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.query_depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.query_depth > 0 {
            return ControlFlow::Continue(());
        }
        match expr {
            // A comparison of two literals (`1 = 0`) decides the plan.
            Expr::BinaryOp { left, op, right }
                if is_comparison(op) && (literal(left).is_none() || literal(right).is_none()) =>
            {
                self.replace(left);
                self.replace(right);
            }
            Expr::Between { low, high, .. } => {
                self.replace(low);
                self.replace(high);
            }
            Expr::InList { list, .. } if self.lifts_lists && list.len() <= LONGEST_LIST => {
                list.iter_mut().for_each(|item| self.replace(item))
            }
            Expr::Like { pattern, .. } | Expr::ILike { pattern, .. } => self.replace(pattern),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

fn literal(expr: &Expr) -> Option<ScalarValue> {
    match expr {
        Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) => {
            (!has_offset(text)).then(|| ScalarValue::Utf8(Some(text.clone())))
        }
        Expr::Value(ValueWithSpan { value: Value::Number(text, _), .. }) => number(text),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match expr.as_ref() {
            Expr::Value(ValueWithSpan { value: Value::Number(text, _), .. }) => number(&format!("-{text}")),
            _ => None,
        },
        _ => None,
    }
}

/// A number as the planner would type it; exponents and very long ones are left to the planner.
fn number(text: &str) -> Option<ScalarValue> {
    if let Ok(value) = text.parse::<i64>() {
        return Some(ScalarValue::Int64(Some(value)));
    }
    let decimal: Decimal = text.parse().ok()?;
    let digits = decimal.unscaled.unsigned_abs().checked_ilog10().map_or(1, |digits| digits + 1);
    let precision = u8::try_from(digits.max(u32::from(decimal.scale))).ok()?.max(1);
    let scale = i8::try_from(decimal.scale).ok()?;
    Some(ScalarValue::Decimal128(Some(decimal.unscaled), precision, scale))
        .filter(|value| matches!(value.data_type(), DataType::Decimal128(precision, _) if precision <= 38))
}

/// Returns true if a text is a timestamp with an offset: its meaning depends on the type that it is compared with.
pub(crate) fn has_offset(text: &str) -> bool {
    matches!(Timestamp::parse_with_offset(text), Ok((_, Some(_))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::text::Text;

    fn lifted(source: &str) -> Option<Lifted> {
        lift(&Text::new(source).unwrap().parse().unwrap())
    }

    #[test]
    fn compared_literals_are_lifted_and_others_stay() {
        let lifted = lifted(
            "SELECT a + 1, left(b, 2) FROM t JOIN u ON u.x = 5 WHERE a = -3 AND b LIKE 'x%' AND c IN (1, 2.50) \
             AND left(b, 3) <> 'abc' AND EXISTS (SELECT 7 FROM v WHERE y < 8 LIMIT 9) ORDER BY 1 LIMIT 10",
        )
        .unwrap();
        let shown = lifted.statement.to_string();
        assert!(shown.contains("a + 1") && shown.contains("left(b, 2)") && shown.contains("LIMIT 10"), "{shown}");
        assert!(shown.contains("SELECT 7") && shown.contains("LIMIT 9") && shown.contains("left(b, 3)"), "{shown}");
        assert_eq!(lifted.values.len(), 7);
        assert!(lifted.values.contains(&ScalarValue::Decimal128(Some(250), 3, 2)));
    }

    #[test]
    fn the_shape_has_the_types_but_not_the_values() {
        let shape = |source| lifted(source).unwrap().shape;
        assert_eq!(shape("select * from t where a = 1"), shape("SELECT  *\nFROM T WHERE A = 2"));
        assert_ne!(shape("select * from t where a = 1"), shape("select * from t where a = '1'"));
        assert!(lifted("select 1 from t where 1 = 0").is_none());
        assert!(lifted("select 1 from t where $1 = 2").is_none());
        assert!(lifted("select 1 from t where a in (1) and a not in (2, 3)").is_none());
    }
}
