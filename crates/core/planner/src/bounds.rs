//! Limits on the size of a statement's plan.
//!
//! A common table expression or a view is planned once and shared by all references to it, and the rules of the
//! optimizer then walk it once for each of these places: forty expressions of which each refers to the one before it
//! twice are a text of two kilobytes and a tree of 2^40 nodes. So the size of the tree is counted before the rules run,
//! each shared part once:
//!
//! ```text
//!   text --planner--> plan, parts shared --count--> TooComplex, or --rules--> a plan without shared parts
//! ```
//!
//! The planner itself walks a common table expression for each reference to it, so the same is counted in the text
//! before.
//!
//! Joins have a separate limit, since the rules' work for them grows faster than their number: SQL Server's limit of
//! 256 tables in a query (error 106).

use crate::carried_error::to_datafusion;
use crate::parse::walk::Walk;
use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::sql::sqlparser::ast::{self, ObjectName, ObjectNamePart, Query, Select, Statement, Visitor};
use mainstay_types::{Code, Error};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Tables that are joined with each other.
const MOST_JOINED: u64 = 256;

/// Nodes of a plan, counted as often as they are named.
const MOST_NODES: u64 = 20_000;

/// Columns of all nodes together: each rule looks at all of them.
const MOST_COLUMNS: u64 = 1_000_000;

/// Nodes within each other.
const MOST_LEVELS: u64 = 3_000;

/// Operators within each other.
const MOST_OPERATOR_LEVELS: usize = 6_000;

/// Queries within a query, where each common table expression counts as often as it is named.
const MOST_QUERIES: u64 = 5_000;

/// Those that the planner looks at for all names of common table expressions together.
const MOST_SHARED: u64 = 150_000;

/// Expressions in the list of a SELECT: SQL Server's limit (error 1056), and more than twice PostgreSQL's.
const MOST_SELECTED: u64 = 4_096;

/// Calls of window functions in a statement: each order is a step of its own, which passes on the columns of all before it.
const MOST_WINDOWS: u64 = 512;

/// Refuses a statement that the planner would not come to an end with.
///
/// Errors: `TooComplex`.
pub(crate) fn check_statement(statement: &Statement) -> mainstay_types::Result<()> {
    match statement.walk(&mut Written::default()) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// The names in a statement, as far as it was read.
#[derive(Default)]
struct Written {
    /// The queries that are within each other here.
    within: Vec<WrittenQuery>,
    /// The names of common table expressions whose queries are still to come, by their addresses.
    named: HashMap<*const Query, String>,
    shared: u64,
    windows: u64,
}

/// A query as far as it was read.
#[derive(Default)]
struct WrittenQuery {
    queries: u64,
    /// The queries in each of its common table expressions.
    common: HashMap<String, u64>,
}

impl Written {
    fn bounded(has: u64, most: u64, what: &str) -> ControlFlow<Error> {
        if has > most { ControlFlow::Break(too_complex(has, most, what)) } else { ControlFlow::Continue(()) }
    }
}

impl Visitor for Written {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Error> {
        for table in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.named.insert(std::ptr::from_ref(table.query.as_ref()), table.alias.name.value.clone());
        }
        self.within.push(WrittenQuery { queries: 1, ..WrittenQuery::default() });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<Error> {
        let Some(WrittenQuery { queries, .. }) = self.within.pop() else { return ControlFlow::Continue(()) };
        if let Some(around) = self.within.last_mut() {
            match self.named.remove(&std::ptr::from_ref(query)) {
                Some(name) => drop(around.common.insert(name, queries)),
                None => around.queries = around.queries.saturating_add(queries),
            }
        }
        Written::bounded(queries, MOST_QUERIES, "queries within each other")
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Error> {
        Written::bounded(select.projection.len() as u64, MOST_SELECTED, "expressions in the list of a SELECT")
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<Error> {
        let [ObjectNamePart::Identifier(name)] = &relation.0[..] else { return ControlFlow::Continue(()) };
        let known = self.within.iter().rev().find_map(|query| query.common.get(&name.value).copied());
        let (Some(queries), Some(here)) = (known, self.within.last_mut()) else { return ControlFlow::Continue(()) };
        here.queries = here.queries.saturating_add(queries);
        self.shared = self.shared.saturating_add(queries);
        Written::bounded(self.shared, MOST_SHARED, "queries in the common table expressions that it names")
    }

    fn pre_visit_expr(&mut self, expr: &ast::Expr) -> ControlFlow<Error> {
        self.windows += u64::from(matches!(expr, ast::Expr::Function(call) if call.over.is_some()));
        Written::bounded(self.windows, MOST_WINDOWS, "calls of window functions")
    }
}

/// The size of a plan as a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    nodes: u64,
    columns: u64,
    levels: u64,
    /// Inputs that end up in one join.
    joined: u64,
}

/// Refuses a plan that the rules would not come to an end with.
///
/// Errors: `TooComplex`.
pub(crate) fn check(plan: &LogicalPlan) -> Result<()> {
    let size = Counted::default().size(plan)?;
    let refused = [
        (size.joined, MOST_JOINED, "tables in a join"),
        (size.nodes, MOST_NODES, "steps"),
        (size.levels, MOST_LEVELS, "steps within each other"),
        (size.columns, MOST_COLUMNS, "columns in all its steps"),
    ];
    match refused.into_iter().find(|(has, most, _)| has > most) {
        Some((has, most, what)) => Err(to_datafusion(too_complex(has, most, what))),
        None => Ok(()),
    }
}

/// Refuses operators that are too deep for the stacks that they run on, and gives how deep they are.
///
/// Errors: `TooComplex`.
pub(crate) fn levels_of(plan: &Arc<dyn ExecutionPlan>) -> Result<usize> {
    let mut levels = 0;
    let mut level: Vec<&Arc<dyn ExecutionPlan>> = vec![plan];
    while !level.is_empty() {
        levels += 1;
        if levels > MOST_OPERATOR_LEVELS {
            let error = too_complex(levels as u64, MOST_OPERATOR_LEVELS as u64, "operators within each other");
            return Err(to_datafusion(error));
        }
        level = level.into_iter().flat_map(|plan| plan.children()).collect();
    }
    Ok(levels)
}

/// The error of a statement that has too many of something.
pub(crate) fn too_complex(has: u64, most: u64, what: &str) -> Error {
    let has = if has == u64::MAX { "without end".to_owned() } else { has.to_string() };
    let message = format!("the statement is too complex: {has} {what}, and {most} are possible");
    Error::new(Code::TooComplex, message).hint("divide it into several statements, with temporary tables between them")
}

/// Counts each shared part once.
#[derive(Default)]
struct Counted {
    /// By the address of a node that another one refers to.
    known: HashMap<*const LogicalPlan, Size>,
}

impl Counted {
    fn size(&mut self, plan: &LogicalPlan) -> Result<Size> {
        if let Some(known) = self.known.get(&std::ptr::from_ref(plan)) {
            return Ok(*known);
        }
        crate::planning_cancellation::check()?;
        let size = self.counted(plan)?;
        self.known.insert(std::ptr::from_ref(plan), size);
        Ok(size)
    }

    fn counted(&mut self, plan: &LogicalPlan) -> Result<Size> {
        let mut size = Size::default();
        for input in plan.inputs() {
            let of_input = self.size(input)?;
            let joined = match plan {
                LogicalPlan::Join(_) => size.joined.saturating_add(of_input.joined),
                _ => size.joined.max(of_input.joined),
            };
            size = Size { joined, ..size.with(of_input) };
        }
        for subquery in subqueries(plan)? {
            // Most become joins with the rows that they are asked for.
            let of_subquery = self.size(&subquery)?;
            size = Size { joined: size.joined.saturating_add(of_subquery.joined), ..size.with(of_subquery) };
        }
        if let Some(lateral) = crate::lateral::of(plan) {
            size = size.with(self.size(lateral.inner())?);
        }
        Ok(Size {
            nodes: size.nodes.saturating_add(1),
            columns: size.columns.saturating_add(plan.schema().fields().len() as u64),
            levels: size.levels + 1,
            joined: size.joined.max(1),
        })
    }
}

impl Size {
    /// The size of both, beside each other.
    fn with(self, other: Size) -> Size {
        Size {
            nodes: self.nodes.saturating_add(other.nodes),
            columns: self.columns.saturating_add(other.columns),
            levels: self.levels.max(other.levels),
            joined: self.joined,
        }
    }
}

/// The plans in a node's own expressions.
fn subqueries(plan: &LogicalPlan) -> Result<Vec<Arc<LogicalPlan>>> {
    let mut found = Vec::new();
    plan.apply_expressions(|expr| {
        expr.apply(|expr| {
            match expr {
                Expr::ScalarSubquery(subquery) => found.push(Arc::clone(&subquery.subquery)),
                Expr::Exists(exists) => found.push(Arc::clone(&exists.subquery.subquery)),
                Expr::InSubquery(within) => found.push(Arc::clone(&within.subquery.subquery)),
                Expr::SetComparison(compared) => found.push(Arc::clone(&compared.subquery.subquery)),
                _ => {}
            }
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::from_datafusion;
    use datafusion::logical_expr::{LogicalPlanBuilder, lit};

    fn one() -> LogicalPlanBuilder {
        LogicalPlanBuilder::empty(true).project([lit(1).alias("a")]).unwrap()
    }

    fn doubled(times: usize) -> LogicalPlan {
        let mut plan = one().build().unwrap();
        for _ in 0..times {
            let side = |name| LogicalPlanBuilder::from(plan.clone()).alias(name).unwrap();
            let joined = side("x").cross_join(side("y").build().unwrap()).unwrap();
            plan = joined.project([datafusion::logical_expr::col("x.a")]).unwrap().build().unwrap();
        }
        plan
    }

    #[test]
    fn shared_parts_count_as_often_as_they_are_named() {
        let size = |plan: &LogicalPlan| Counted::default().size(plan).unwrap();
        assert_eq!(size(&one().build().unwrap()), Size { nodes: 2, columns: 1, levels: 2, joined: 1 });
        // Projection over join over two aliases of two nodes each.
        let Size { nodes, levels, joined, .. } = size(&doubled(1));
        assert_eq!((nodes, levels, joined), (8, 5, 2));
        assert_eq!(size(&doubled(8)).joined, 256);
    }

    fn checked(sql: &str) -> mainstay_types::Result<()> {
        crate::execute::deep_stack::on_deep_stack(|| check_statement(&crate::parse::text::Text::new(sql)?.parse()?))
    }

    #[test]
    fn common_table_expressions_count_where_they_are_named() {
        let doubled = |times: usize| {
            let next = |n: usize| format!(", c{} AS (SELECT x.a FROM c{n} x, c{n} y)", n + 1);
            let all: String = (0..times).map(next).collect();
            format!("WITH c0 AS (SELECT 1 a){all} SELECT * FROM c{times}")
        };
        // 1, 3, 7, ...: 4,095 queries in the eleventh, and one around it.
        assert!(checked(&doubled(11)).is_ok());
        for times in [12, 40] {
            assert_eq!(checked(&doubled(times)).unwrap_err().code(), Code::TooComplex);
        }
        let chained = |links: usize| {
            let next = |n: usize| format!(", c{} AS (SELECT a FROM c{n})", n + 1);
            let all: String = (0..links).map(next).collect();
            format!("WITH c0 AS (SELECT 1 a){all} SELECT * FROM c{links}")
        };
        assert!(checked(&chained(500)).is_ok());
        assert_eq!(checked(&chained(600)).unwrap_err().code(), Code::TooComplex);
        // One of the same name inside hides the one around it.
        let hidden = "WITH c AS (SELECT 1 a) SELECT * FROM (WITH c AS (SELECT 2 a) SELECT * FROM c) x, c";
        assert!(checked(hidden).is_ok());
    }

    #[test]
    fn lists_and_windows_have_limits() {
        let list = |length: usize| format!("SELECT {}", vec!["1"; length].join(", "));
        assert!(checked(&list(4_096)).is_ok());
        assert_eq!(checked(&list(4_097)).unwrap_err().code(), Code::TooComplex);
        let windows = |count: usize| format!("SELECT {} FROM t", vec!["sum(a) OVER (ORDER BY b)"; count].join(", "));
        assert!(checked(&windows(512)).is_ok());
        assert_eq!(checked(&windows(513)).unwrap_err().code(), Code::TooComplex);
    }

    #[test]
    fn a_tree_that_is_too_large_is_refused_at_once() {
        assert!(check(&doubled(8)).is_ok());
        for times in [9, 40, 100] {
            let error = from_datafusion(check(&doubled(times)).unwrap_err(), None, None);
            assert_eq!(error.code(), Code::TooComplex);
            assert!(error.message().contains("tables in a join"), "{error}");
        }
    }
}
