//! Common table expressions with volatile functions: evaluated once, whatever the number of their names in the statement.
//!
//! The planner puts the query of a common table expression in the place of each of its names. Where it calls a function
//! such as `random()`, each place would have rows of its own, and a join of the expression with itself would find nothing:
//!
//! ```text
//!   WITH r AS (SELECT random() AS x) SELECT a.x = b.x FROM r a, r b
//!
//!   SubqueryAlias r (query)     SubqueryAlias r (query)       --->   the same, around SharedRows of one number
//! ```
//!
//! PostgreSQL evaluates such an expression once as well (7.8.3, Common Table Expression Materialization).
//!
//! Limits: only of the WITH of the outermost query, and only for functions of the core: a language decides for its own. An
//! expression is known by its name and its query, so a derived table with the same name and the same query counts as another
//! place of it.

use crate::execute::shared_rows::SharedRows;
use crate::plan::nodes::PlanTree;
use crate::plan::search::{any_expression_of_plan, any_node};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan, SubqueryAlias, Volatility};
use datafusion::sql::sqlparser::ast::Statement;
use std::sync::Arc;

/// Numbers from here on are those of such expressions: [`repeated_groups`](crate::optimize::repeated_groups) counts from 0.
const FIRST_NUMBER: usize = 1 << 32;

/// The names of the common table expressions of a query.
pub(crate) fn names_in(statement: &Statement) -> Vec<String> {
    match statement {
        Statement::Query(query) => {
            query.with.iter().flat_map(|with| &with.cte_tables).map(|table| table.alias.name.value.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// The plan in which common table expressions of these names that call volatile functions are evaluated once.
pub(crate) fn evaluated_once(plan: LogicalPlan, names: &[String]) -> Result<LogicalPlan> {
    if names.is_empty() || !any_expression_of_plan(&plan, is_volatile) {
        return Ok(plan);
    }
    let mut tables: Vec<(SubqueryAlias, usize)> = Vec::new();
    plan.each_with_subqueries(|node| {
        if let Some(table) = table_of(node, names) {
            match tables.iter_mut().find(|(known, _)| known == table) {
                Some((_, places)) => *places += 1,
                None => tables.push((table.clone(), 1)),
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    tables.retain(|(_, places)| *places > 1);
    if tables.is_empty() {
        return Ok(plan);
    }
    let shared = plan.map_down_with_subqueries(|node| {
        let place = table_of(&node, names)
            .and_then(|table| Some((tables.iter().position(|(known, _)| known == table)?, table)));
        let Some((number, table)) = place else { return Ok(Transformed::no(node)) };
        let rows = SharedRows::of_volatile(FIRST_NUMBER + number, table.input.as_ref().clone());
        let alias = SubqueryAlias::try_new(Arc::new(rows), table.alias.clone())?;
        // Such an expression may be part of another one.
        Ok(Transformed::yes(LogicalPlan::SubqueryAlias(alias)))
    });
    shared.data()
}

/// The common table expression of one of these names that a node is, if it calls a volatile function.
fn table_of<'p>(node: &'p LogicalPlan, names: &[String]) -> Option<&'p SubqueryAlias> {
    let LogicalPlan::SubqueryAlias(table) = node else { return None };
    let is_named = table.alias.schema().is_none() && names.iter().any(|name| name == table.alias.table());
    let is_recursive = || any_node(&table.input, |node| matches!(node, LogicalPlan::RecursiveQuery(_)));
    (is_named && any_expression_of_plan(&table.input, is_volatile) && !is_recursive()).then_some(table)
}

/// Returns true for a call of a function of the core that has another value each time.
fn is_volatile(expr: &Expr) -> bool {
    let Expr::ScalarFunction(call) = expr else { return false };
    call.func.signature().volatility == Volatility::Volatile
        && crate::dialect::with_prefix(call.name()).is_none()
        && !call.name().starts_with(crate::dialect::USER_PREFIX)
}
