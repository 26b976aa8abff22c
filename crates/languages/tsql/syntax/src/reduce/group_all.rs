//! GROUP BY ALL: the result has every group of the table, including groups without a row that meets the WHERE.
//!
//! ```text
//!   SELECT k, COUNT(*), SUM(v) FROM t WHERE c GROUP BY ALL k
//!   SELECT k, COUNT(CASE WHEN c THEN 1 END), SUM(CASE WHEN c THEN v END) FROM t GROUP BY k
//! ```

use super::function::is_aggregate;
use crate::tree::{Argument, Case, Expr, Literal, Query, QueryBody, SelectItem};

/// The query without ALL; `None` for one that has none.
pub(super) fn without_all(query: &Query) -> Option<Query> {
    let QueryBody::Select(select) = &query.body else { return None };
    if !select.group.as_ref().is_some_and(|group| group.all) {
        return None;
    }
    let mut query = query.clone();
    let QueryBody::Select(select) = &mut query.body else { return None };
    if let Some(group) = &mut select.group {
        group.all = false;
    }
    if let Some(condition) = select.condition.take() {
        for item in &mut select.items {
            if let SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) = item {
                narrow(value, &condition);
            }
        }
        select.having.iter_mut().for_each(|having| narrow(having, &condition));
        query.order.iter_mut().for_each(|item| narrow(&mut item.value, &condition));
    }
    Some(query)
}

/// Lets the aggregates of an expression look only at rows that meet the condition.
fn narrow(value: &mut Expr, condition: &Expr) {
    match value {
        Expr::Call(call) if is_aggregate(call) => {
            for argument in &mut call.arguments {
                let Argument::Value(counted) = argument else { continue };
                let value = match &*counted {
                    Expr::Star(_) => Expr::Literal(Literal::Integer("1".to_owned())),
                    value => value.clone(),
                };
                let branches = vec![(condition.clone(), value)];
                *counted = Expr::Case(Box::new(Case { operand: None, branches, otherwise: None }));
            }
        }
        value => value.parts_mut(&mut |part| narrow(part, condition)),
    }
}
