//! Conditions with more than one list of values for the same expression.
//!
//! DataFusion merges two lists (`a IN (1, 2) AND a NOT IN (2, 3)` is `a = 1`), and takes items for values: two items
//! with different texts count as different. So a column, a parameter or a NULL in a list leads to a wrong condition:
//!
//! ```text
//!   a IN (b, 99) AND a NOT IN (c, 77)       becomes a IN (b, 99)        though b may be c
//!   a NOT IN (99, NULL) AND a IN (0, 5)     becomes a IN (0, 5)         and is never true
//!   a NOT IN (1) OR a NOT IN (2)            becomes true                and is NULL where a is
//! ```
//!
//! If a plan has several lists for the same expression, which may overlap, this rule rewrites them before DataFusion
//! sees them. Items that are not values become separate comparisons; NOT is pushed down to the lists; and the lists of
//! a chain of AND or OR become one, in three-valued logic: if no value is left, the condition is `a IS NULL AND NULL`
//! (false, or NULL where a is) and `a IS NOT NULL OR NULL`.
//!
//! Limit: lists that DataFusion merges by factoring out a common condition of both sides of an OR are not handled.

use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::any_expression_of_plan;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator};
use datafusion::optimizer::AnalyzerRule;
use std::collections::{HashMap, HashSet};

/// Makes one list of several, where DataFusion would make a wrong one.
#[derive(Debug)]
pub(crate) struct Lists;

impl AnalyzerRule for Lists {
    fn name(&self) -> &str {
        "lists"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let repeated = repeated(&plan);
        if repeated.is_empty() {
            return Ok(plan);
        }
        plan.map_up_with_subqueries(|node| {
            crate::tree::rewrite::node(node, |expr, _| expr.map_up(|expr| Ok(rewritten(expr, &repeated))))
        })
        .data()
    }
}

/// The expressions that a plan compares with more than one list, by name.
fn repeated(plan: &LogicalPlan) -> HashSet<String> {
    let mut lists: HashMap<String, usize> = HashMap::new();
    any_expression_of_plan(plan, |expr| {
        if let Some(of) = listed(expr) {
            *lists.entry(name(of)).or_default() += 1;
        }
        false
    });
    lists.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name).collect()
}

/// The operand of an expression that DataFusion takes for an IN list, or makes one of.
fn listed(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::InList(list) => Some(&list.expr),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            let ((of, _), (other, _)) = (values_of(left)?, values_of(right)?);
            (of == other).then_some(of)
        }
        _ => None,
    }
}

/// The name of what is compared. Conditions come together from several parts of a statement, where a column may be one of
/// different tables and of different types.
fn name(expr: &Expr) -> String {
    match expr {
        Expr::Column(column) => column.name.clone(),
        Expr::Cast(cast) => name(&cast.expr),
        other => other.to_string(),
    }
}

/// A condition of which the parts are rewritten.
fn rewritten(expr: Expr, repeated: &HashSet<String>) -> Transformed<Expr> {
    match expr {
        Expr::InList(list)
            if !list.list.iter().all(is_value) && repeated.contains(&name(&list.expr)) && !is_volatile(&list) =>
        {
            Transformed::yes(divided(list))
        }
        Expr::Not(inner) if is_condition(&inner) => Transformed::yes(negated(*inner)),
        other => with_one_list(other),
    }
}

/// A chain with one list for each expression.
fn with_one_list(expr: Expr) -> Transformed<Expr> {
    match &expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if meet(*op, [left, right]) => {
            let op = *op;
            Transformed::yes(chain(merged(op, operands(op, expr)), op))
        }
        _ => Transformed::no(expr),
    }
}

/// Returns true if lists may stand in it.
fn is_condition(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::InList(_) | Expr::Not(_) | Expr::BinaryExpr(BinaryExpr { op: Operator::And | Operator::Or, .. })
    )
}

/// Returns true if an item is what it seems to be.
fn is_value(item: &Expr) -> bool {
    matches!(item, Expr::Literal(value, _) if !value.is_null())
}

fn is_volatile(list: &InList) -> bool {
    list.expr.is_volatile() || list.list.iter().any(Expr::is_volatile)
}

fn null() -> Expr {
    Expr::Literal(ScalarValue::Boolean(None), None)
}

/// A list of values, and comparisons with what else stands in it.
fn divided(list: InList) -> Expr {
    let InList { expr, list, negated } = list;
    let (values, others): (Vec<Expr>, Vec<Expr>) = list.into_iter().partition(is_value);
    let compared = |other: Expr| match other {
        Expr::Literal(..) => null(),
        other if negated => expr.as_ref().clone().not_eq(other),
        other => expr.as_ref().clone().eq(other),
    };
    let mut parts: Vec<Expr> = others.into_iter().map(compared).collect();
    if !values.is_empty() {
        parts.insert(0, Expr::InList(InList { expr, list: values, negated }));
    }
    chain(parts, if negated { Operator::And } else { Operator::Or })
}

/// The opposite of a condition.
fn negated(expr: Expr) -> Expr {
    match expr {
        Expr::Not(inner) => *inner,
        Expr::IsNull(inner) => Expr::IsNotNull(inner),
        Expr::IsNotNull(inner) => Expr::IsNull(inner),
        Expr::Literal(ScalarValue::Boolean(None), _) => null(),
        Expr::InList(InList { expr, list, negated }) => Expr::InList(InList { expr, list, negated: !negated }),
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            let op = if op == Operator::And { Operator::Or } else { Operator::And };
            let (left, right) = (Box::new(negated(*left)), Box::new(negated(*right)));
            with_one_list(Expr::BinaryExpr(BinaryExpr { left, op, right })).data
        }
        other => Expr::Not(Box::new(other)),
    }
}

/// The operand of an IN list of values, and true for NOT IN.
fn list_of(expr: &Expr) -> Option<(&Expr, bool)> {
    match expr {
        Expr::InList(list) if list.list.iter().all(is_value) => Some((&list.expr, list.negated)),
        _ => None,
    }
}

/// The operand of an equality or IN list, and its values.
fn values_of(expr: &Expr) -> Option<(&Expr, &[Expr])> {
    match expr {
        Expr::InList(list) if !list.negated && list.list.iter().all(is_value) => Some((&list.expr, &list.list)),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => match (left.as_ref(), right.as_ref()) {
            (_, value) if is_value(value) => Some((left.as_ref(), std::slice::from_ref(value))),
            (value, _) if is_value(value) => Some((right.as_ref(), std::slice::from_ref(value))),
            _ => None,
        },
        _ => None,
    }
}

/// The operands of a chain, from the left.
fn operands(op: Operator, chain: Expr) -> Vec<Expr> {
    let (mut operands, mut rest) = (Vec::new(), vec![chain]);
    while let Some(next) = rest.pop() {
        match next {
            Expr::BinaryExpr(BinaryExpr { left, op: of, right }) if of == op => rest.extend([*right, *left]),
            other => operands.push(other),
        }
    }
    operands
}

/// Returns true if lists for the same expression stand in a chain of these two.
fn meet(op: Operator, sides: [&Expr; 2]) -> bool {
    if !matches!(op, Operator::And | Operator::Or) {
        return false;
    }
    let (mut seen, mut rest) = (HashSet::new(), sides.to_vec());
    while let Some(next) = rest.pop() {
        if let Expr::BinaryExpr(BinaryExpr { left, op: of, right }) = next
            && *of == op
        {
            rest.extend([right.as_ref(), left.as_ref()]);
            continue;
        }
        let listed = match op {
            Operator::And => list_of(next).map(|(of, _)| (of, false)),
            // Lists and those of which none is to be meant stay apart in it.
            _ => values_of(next).map(|(of, _)| (of, false)).or_else(|| list_of(next)),
        };
        if listed.is_some_and(|listed| !seen.insert(listed)) {
            return true;
        }
    }
    false
}

/// The lists of a chain for one expression: what it is to be one of, and none of.
struct Met {
    of: Expr,
    any: Option<Vec<Expr>>,
    none: Option<Vec<Expr>>,
}

/// The parts of a chain with one list for each expression, at the place of its first one.
fn merged(op: Operator, parts: Vec<Expr>) -> Vec<Expr> {
    let mut kept: Vec<Result<Expr, usize>> = Vec::with_capacity(parts.len());
    let mut met: Vec<Met> = Vec::new();
    for part in parts {
        let found = match (op, values_of(&part), list_of(&part)) {
            // DataFusion makes no list of an equality beside AND.
            (Operator::And, _, None) | (_, None, None) => None,
            (_, Some((of, values)), _) => Some((of, false, values)),
            (_, None, Some((of, negated))) => match &part {
                Expr::InList(list) => Some((of, negated, list.list.as_slice())),
                _ => None,
            },
        };
        let Some((of, negated, values)) = found else {
            kept.push(Ok(part));
            continue;
        };
        let place = met.iter().position(|known| known.of == *of).unwrap_or_else(|| {
            kept.push(Err(met.len()));
            met.push(Met { of: of.clone(), any: None, none: None });
            met.len() - 1
        });
        let known = if negated { &mut met[place].none } else { &mut met[place].any };
        // Of what is to be in both lists, and of what is to be in neither ...
        let is_cut = (op == Operator::And) != negated;
        *known = Some(match known.take() {
            None => values.to_vec(),
            Some(known) if is_cut => common(known, values),
            Some(known) => united(known, values),
        });
    }
    let mut all = Vec::with_capacity(kept.len());
    for part in kept {
        match part {
            Ok(part) => all.push(part),
            Err(place) => all.extend(met[place].conditions(op)),
        }
    }
    all
}

impl Met {
    fn conditions(&mut self, op: Operator) -> Vec<Expr> {
        let list = |of: &Expr, list: Vec<Expr>, negated| match list.is_empty() {
            false => Expr::InList(InList { expr: Box::new(of.clone()), list, negated }),
            // None of nothing, which is true, and one of nothing, which is false, but of NULL.
            true if negated => of.clone().is_not_null().or(null()),
            true => of.clone().is_null().and(null()),
        };
        match (self.any.take(), self.none.take()) {
            (Some(any), Some(none)) if op == Operator::And => {
                let none: HashSet<&Expr> = none.iter().collect();
                let left = any.into_iter().filter(|value| !none.contains(value)).collect();
                vec![list(&self.of, left, false)]
            }
            (any, none) => {
                let any = any.map(|any| list(&self.of, any, false));
                any.into_iter().chain(none.map(|none| list(&self.of, none, true))).collect()
            }
        }
    }
}

fn common(mut known: Vec<Expr>, values: &[Expr]) -> Vec<Expr> {
    let values: HashSet<&Expr> = values.iter().collect();
    known.retain(|value| values.contains(value));
    known
}

fn united(known: Vec<Expr>, values: &[Expr]) -> Vec<Expr> {
    let seen: HashSet<&Expr> = known.iter().collect();
    let more: Vec<Expr> = values.iter().filter(|value| !seen.contains(value)).cloned().collect();
    drop(seen);
    known.into_iter().chain(more).collect()
}

/// A chain that is no deeper than it has to be.
fn chain(mut parts: Vec<Expr>, op: Operator) -> Expr {
    match parts.len() {
        // A chain of no conditions; there is none.
        0 => Expr::Literal(ScalarValue::Boolean(Some(op == Operator::And)), None),
        1 => parts.remove(0),
        count => {
            let right = chain(parts.split_off(count / 2), op);
            Expr::BinaryExpr(BinaryExpr { left: Box::new(chain(parts, op)), op, right: Box::new(right) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::logical_expr::{col, lit};

    fn shown(expr: Expr) -> String {
        let repeated = HashSet::from(["a".to_owned()]);
        expr.map_up(|expr| Ok(rewritten(expr, &repeated))).unwrap().data.to_string()
    }

    fn any(items: impl IntoIterator<Item = i64>) -> Expr {
        col("a").in_list(items.into_iter().map(lit).collect(), false)
    }

    fn none(items: impl IntoIterator<Item = i64>) -> Expr {
        col("a").in_list(items.into_iter().map(lit).collect(), true)
    }

    #[test]
    fn lists_of_values_become_one() {
        assert_eq!(shown(any(1..4).and(none(2..9))), "a IN ([Int64(1)])");
        assert_eq!(shown(none(1..3).and(none(2..4))), "a NOT IN ([Int64(1), Int64(2), Int64(3)])");
        assert_eq!(shown(none(1..3).or(none(2..4))), "a NOT IN ([Int64(2)])");
        assert_eq!(shown(col("a").eq(lit(1_i64)).or(any(1..3))), "a IN ([Int64(1), Int64(2)])");
        assert_eq!(shown(col("b").lt(lit(1_i64)).and(any(1..3))), "b < Int64(1) AND a IN ([Int64(1), Int64(2)])");
    }

    #[test]
    fn where_no_value_is_left_null_stays() {
        assert_eq!(shown(any(1..3).and(any(3..5))), "a IS NULL AND Boolean(NULL)");
        assert_eq!(shown(any(1..3).and(none(1..5))), "a IS NULL AND Boolean(NULL)");
        assert_eq!(shown(none(1..3).or(none(3..5))), "a IS NOT NULL OR Boolean(NULL)");
        assert_eq!(shown(Expr::Not(Box::new(any(1..3).and(any(3..5))))), "a IS NOT NULL OR Boolean(NULL)");
    }

    #[test]
    fn what_is_no_value_is_compared_by_itself() {
        let list = |negated| col("a").in_list(vec![col("b"), lit(9_i64), lit(ScalarValue::Int64(None))], negated);
        assert_eq!(shown(list(false)), "a IN ([Int64(9)]) OR a = b OR Boolean(NULL)");
        assert_eq!(shown(list(true)), "a NOT IN ([Int64(9)]) AND a != b AND Boolean(NULL)");
    }
}
