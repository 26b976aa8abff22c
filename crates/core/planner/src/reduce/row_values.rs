//! Row values in conditions, rewritten to conditions on their members.
//!
//! ```text
//!   (a, b) = (c, d)               a = c AND b = d
//!   (a, b) <> (c, d)              NOT (a = c AND b = d)
//!   (a, b) < (c, d)               a < c OR (a = c AND b < d)
//!   (a, b) IN ((c, d), (e, f))    (a = c AND b = d) OR (a = e AND b = f)
//!   (a, b) IS [NOT] NULL          all members are [not]
//!   (a, b) BETWEEN x AND y        (a, b) >= x AND (a, b) <= y
//!   (a, b) = (SELECT x, y ...)    (SELECT a = x AND b = y FROM (SELECT x, y ...))
//!   (a, b) IN (SELECT x, y ...)   EXISTS (a row of the query with a = x AND b = y), where it only has to be true; elsewhere
//!   (a, b) OVERLAPS (c, d)        least(a, b) < greatest(c, d) AND least(c, d) < greatest(a, b) OR least(a, b) = least(c, d)
//!   (a, b) > ANY, ALL (...)       CASE WHEN a row decides THEN TRUE, or FALSE WHEN one is unknown THEN NULL ELSE the other END
//! ```
//!
//! So NULL has its usual meaning (ISO 9075-2, 8.2 and 8.8), and the indexes of the members can be used. The planner
//! compares rows as values, for which NULL equals NULL. Comparisons of single values with a query are left to the
//! planner and [`lateral`](crate::lateral).

use crate::parse::tree::call;
use crate::parse::walk::WalkMut;
use crate::reduce::row_comparisons::Compared;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, JoinConstraint,
    JoinOperator, Query, Select, UnaryOperator, Value, VisitMut, VisitorMut,
};
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;

/// The statement without comparisons of rows.
///
/// Errors: `Syntax` for rows of different lengths.
pub(crate) fn by_members<T: VisitMut>(mut of: T) -> Result<T> {
    match of.walk_mut(&mut Rows) {
        ControlFlow::Continue(()) => Ok(of),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Rows;

impl VisitorMut for Rows {
    type Break = Error;

    /// WHERE, HAVING and ON need only know that a condition is true: then it becomes EXISTS, which joins.
    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Error> {
        let joined = select.from.iter_mut().flat_map(|table| &mut table.joins);
        let on = joined.filter_map(|join| match &mut join.join_operator {
            JoinOperator::Join(JoinConstraint::On(condition)) | JoinOperator::Inner(JoinConstraint::On(condition)) => {
                Some(condition)
            }
            _ => None,
        });
        for condition in on.chain(&mut select.selection).chain(&mut select.having) {
            if let Err(error) = in_condition(condition) {
                return ControlFlow::Break(error);
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        match reduced(expr) {
            Ok(Some(reduced)) => {
                *expr = Expr::Nested(Box::new(reduced));
                ControlFlow::Continue(())
            }
            Ok(None) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

/// A comparison of rows as comparisons of their members; `None` for other expressions.
fn reduced(expr: &Expr) -> Result<Option<Expr>> {
    Ok(match expr {
        Expr::BinaryOp { left, op: BinaryOperator::Overlaps, right } => match (members(left), members(right)) {
            (Some(left), Some(right)) => Some(overlapping(&left, &right)?),
            _ => None,
        },
        Expr::BinaryOp { left, op, right } => match (members(left), members(right)) {
            (Some(left), Some(right)) => compared(&left, op, &right)?,
            (Some(left), None) => of_subquery(&left, op, right)?,
            (None, Some(right)) => match mirrored(op) {
                Some(op) => of_subquery(&right, &op, left)?,
                None => None,
            },
            (None, None) => None,
        },
        Expr::IsNull(of) => members(of).map(|members| all(members.into_iter().map(|it| Expr::IsNull(Box::new(it))))),
        Expr::IsNotNull(of) => {
            members(of).map(|members| all(members.into_iter().map(|it| Expr::IsNotNull(Box::new(it)))))
        }
        Expr::Between { expr, negated, low, high } => match (members(expr), members(low), members(high)) {
            (Some(row), Some(low), Some(high)) => {
                let (from, to) =
                    (compared(&row, &BinaryOperator::GtEq, &low)?, compared(&row, &BinaryOperator::LtEq, &high)?);
                from.zip(to).map(|(from, to)| negated_if(*negated, binary(from, BinaryOperator::And, to)))
            }
            _ => None,
        },
        Expr::InList { expr, list, negated } => match members(expr) {
            Some(row) => {
                let mut any: Option<Expr> = None;
                for item in list {
                    let item = members(item).ok_or_else(unequal)?;
                    let Some(equal) = compared(&row, &BinaryOperator::Eq, &item)? else { return Ok(None) };
                    any = Some(match any {
                        Some(any) => binary(any, BinaryOperator::Or, equal),
                        None => equal,
                    });
                }
                any.map(|any| negated_if(*negated, any))
            }
            None => None,
        },
        other => Quantifier::of(other).map(|it| it.value()).transpose()?,
    })
}

/// Looks for rows in queries where that is wanted true.
fn in_condition(condition: &mut Expr) -> Result<()> {
    match condition {
        Expr::Nested(inner) => in_condition(inner),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            in_condition(left)?;
            in_condition(right)
        }
        other => {
            if let Some(truth) = Quantifier::of(other).map(|it| it.truth()).transpose()? {
                *other = truth;
            }
            Ok(())
        }
    }
}

/// A row, an operator, and the rows of a query.
struct Quantifier<'a> {
    row: Vec<Expr>,
    op: BinaryOperator,
    query: &'a Query,
    /// Of ALL rows, not of ANY.
    all: bool,
}

impl<'a> Quantifier<'a> {
    fn of(expr: &'a Expr) -> Option<Quantifier<'a>> {
        let (left, op, query, all) = match expr {
            Expr::InSubquery { expr, subquery, negated: false } => (expr, BinaryOperator::Eq, subquery.as_ref(), false),
            Expr::InSubquery { expr, subquery, negated: true } => {
                (expr, BinaryOperator::NotEq, subquery.as_ref(), true)
            }
            Expr::AnyOp { left, compare_op, right, .. } => (left, compare_op.clone(), subquery_of(right)?, false),
            Expr::AllOp { left, compare_op, right } => (left, compare_op.clone(), subquery_of(right)?, true),
            _ => return None,
        };
        Some(Quantifier { row: members(left)?, op, query, all })
    }

    fn compared(&self) -> Result<(Compared<'a>, Expr)> {
        let rows = Compared::new(self.row.len(), self.query)?;
        let condition = compared(&self.row, &self.op, rows.names())?;
        let condition = condition.ok_or_else(|| crate::error::unsupported(format!("{} of a query", self.op)))?;
        Ok((rows, nested(condition)))
    }

    /// The condition that the comparison is true.
    fn truth(&self) -> Result<Expr> {
        let (rows, condition) = self.compared()?;
        match self.all {
            true => rows.exists(Expr::IsNotTrue(Box::new(condition)), true),
            false => rows.exists(condition, false),
        }
    }

    /// TRUE, FALSE or NULL: one row decides, of ANY one that is so and of ALL one that is not.
    fn value(&self) -> Result<Expr> {
        let (rows, condition) = self.compared()?;
        let boolean = |value: bool| Expr::Value(Value::Boolean(value).into());
        let decided = match self.all {
            true => Expr::IsFalse(Box::new(condition.clone())),
            false => condition.clone(),
        };
        let when = |condition, result| CaseWhen { condition, result };
        Ok(Expr::Case {
            case_token: AttachedToken::empty(),
            end_token: AttachedToken::empty(),
            operand: None,
            conditions: vec![
                when(rows.exists(decided, false)?, boolean(!self.all)),
                when(rows.exists(Expr::IsNull(Box::new(condition)), false)?, Expr::Value(Value::Null.into())),
            ],
            else_result: Some(Box::new(boolean(self.all))),
        })
    }
}

fn subquery_of(expr: &Expr) -> Option<&Query> {
    match expr {
        Expr::Nested(inner) => subquery_of(inner),
        Expr::Subquery(query) => Some(query),
        _ => None,
    }
}

/// The members of `(a, b)` and `ROW(a, b)`.
fn members(expr: &Expr) -> Option<Vec<Expr>> {
    match expr {
        Expr::Nested(inner) => members(inner),
        Expr::Tuple(members) => Some(members.clone()),
        Expr::Function(Function { name, args: FunctionArguments::List(list), over: None, .. })
            if name.to_string().eq_ignore_ascii_case("row") =>
        {
            let member = |arg: &FunctionArg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
                _ => None,
            };
            list.args.iter().map(member).collect()
        }
        _ => None,
    }
}

/// The condition that two periods overlap, without their ends (ISO 9075-2, 8.14). Each consists of two points in any
/// order, or of one and a length.
fn overlapping(left: &[Expr], right: &[Expr]) -> Result<Expr> {
    let ends = |period: &[Expr]| match period {
        [start, length @ Expr::Interval(_)] => {
            Ok((start.clone(), binary(start.clone(), BinaryOperator::Plus, length.clone())))
        }
        [start, end] => Ok((start.clone(), end.clone())),
        _ => Err(Error::new(Code::Syntax, "OVERLAPS is of periods with a start and an end")),
    };
    let (left, right) = (ends(left)?, ends(right)?);
    let bound = |name: &str, (start, end): &(Expr, Expr)| call(Ident::new(name), vec![start.clone(), end.clone()]);
    let [first_left, first_right] = [&left, &right].map(|period| bound("least", period));
    let [last_left, last_right] = [&left, &right].map(|period| bound("greatest", period));
    let and = |a, b| binary(a, BinaryOperator::And, b);
    let less = |a: &Expr, b: &Expr| binary(a.clone(), BinaryOperator::Lt, b.clone());
    let within = and(less(&first_left, &last_right), less(&first_right, &last_left));
    let together = binary(first_left, BinaryOperator::Eq, first_right);
    Ok(binary(within, BinaryOperator::Or, together))
}

/// The comparison with the sides exchanged.
fn mirrored(op: &BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator::*;
    Some(match op {
        Eq => Eq,
        NotEq => NotEq,
        Lt => Gt,
        LtEq => GtEq,
        Gt => Lt,
        GtEq => LtEq,
        _ => return None,
    })
}

pub(crate) fn unequal() -> Error {
    Error::new(Code::Syntax, "rows that are compared have as many members as each other")
}

fn nested(expr: Expr) -> Expr {
    Expr::Nested(Box::new(expr))
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(nested(left)), op, right: Box::new(nested(right)) }
}

fn negated_if(negated: bool, expr: Expr) -> Expr {
    match negated {
        true => Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(nested(expr)) },
        false => expr,
    }
}

fn all(conditions: impl Iterator<Item = Expr>) -> Expr {
    let joined = conditions.reduce(|left, right| binary(left, BinaryOperator::And, right));
    joined.unwrap_or_else(|| Expr::Value(Value::Boolean(true).into()))
}

/// A comparison of two rows of the same length; `None` for what is no comparison.
fn compared(left: &[Expr], op: &BinaryOperator, right: &[Expr]) -> Result<Option<Expr>> {
    use BinaryOperator::*;
    if !matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | Spaceship) {
        return Ok(None);
    }
    if left.len() != right.len() || left.is_empty() {
        return Err(unequal());
    }
    let each = |op: &BinaryOperator| {
        let op = op.clone();
        all(left.iter().zip(right).map(move |(left, right)| binary(left.clone(), op.clone(), right.clone())))
    };
    Ok(Some(match op {
        Eq | Spaceship => each(op),
        NotEq => negated_if(true, each(&Eq)),
        _ => ordered(left, op, right),
    }))
}

/// `<`, `<=`, `>` or `>=`: by the first members that differ.
fn ordered(left: &[Expr], op: &BinaryOperator, right: &[Expr]) -> Expr {
    let [(first_left, rest_left), (first_right, rest_right)] = [left, right].map(|side| (&side[0], &side[1..]));
    if rest_left.is_empty() {
        return binary(first_left.clone(), op.clone(), first_right.clone());
    }
    let strict = match op {
        BinaryOperator::Lt | BinaryOperator::LtEq => BinaryOperator::Lt,
        _ => BinaryOperator::Gt,
    };
    let equal = binary(first_left.clone(), BinaryOperator::Eq, first_right.clone());
    let later = binary(equal, BinaryOperator::And, ordered(rest_left, op, rest_right));
    binary(binary(first_left.clone(), strict, first_right.clone()), BinaryOperator::Or, later)
}

/// `(a, b) = (SELECT x, y ...)`, where the query gives one row at most.
fn of_subquery(row: &[Expr], op: &BinaryOperator, other: &Expr) -> Result<Option<Expr>> {
    match other {
        Expr::Nested(inner) => of_subquery(row, op, inner),
        Expr::Subquery(query) => {
            let of = Compared::new(row.len(), query)?;
            let Some(condition) = compared(row, op, of.names())? else { return Ok(None) };
            Ok(Some(Expr::Subquery(Box::new(of.query(condition, None)?))))
        }
        _ => Ok(None),
    }
}
