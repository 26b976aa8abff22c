//! The query of a MERGE: the matching rows, and the branch of each.
//!
//! ```text
//!   MERGE INTO t USING s ON c
//!   WHEN MATCHED AND p THEN UPDATE SET a = e            SELECT t._position, CASE WHEN both AND p THEN 0
//!   WHEN NOT MATCHED THEN INSERT (k) VALUES (f)   -->                            WHEN s alone THEN 1 END,
//!                                                              CASE WHEN both AND p THEN e END, CASE WHEN s alone THEN f END
//!                                                       FROM t RIGHT JOIN s ON c
//! ```
//!
//! With a count of rows the query has a LIMIT, or for a percentage a QUALIFY, and the condition that a branch is taken.
//!
//! A value is evaluated only where its branch may be taken, so an expression that would fail for other rows does not
//! fail.

use crate::catalog::Catalog;
use crate::catalog::Visibility;
use crate::error::unsupported;
use crate::parse::fragments::{select_of, template};
use crate::parse::text::Text;
use crate::parse::walk::WalkMut;
use crate::plan::change::SqlExpr;
use crate::plan::planned::Planned;
use crate::plan::planner::Planner;
use crate::plan::statement::{Merge, MergeAction, MergeBranch, MergeCase, MergeLimit};
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Ident, JoinConstraint, JoinOperator, LimitClause, Query, SelectItem, Statement,
    TableAlias, TableFactor, Value, VisitorMut, helpers::attached_token::AttachedToken,
};
use mainstay_types::Result;
use std::ops::ControlFlow;

/// The column that says of a row of the source that it is one.
const PRESENT: &str = "_present";

/// The table of RETURNING's columns that are of the statement itself: `_merge.action` is INSERT, UPDATE or DELETE.
const MERGE: &str = "_merge";

impl Planner {
    /// Plans the rows of a MERGE: the target's column `position` ([`POSITION`](crate::POSITION), or a DBF table's
    /// [`RECORD_NUMBER`](crate::RECORD_NUMBER)), the number of the branch (NULL for none), the values of all branches in
    /// their order, and what RETURNING wants to have beside each row.
    ///
    /// Errors: those of planning a query; `Unsupported` for a source that is no table and no query.
    pub fn plan_merge(
        &self,
        source: &str,
        merge: &Merge,
        (position, beside): (&str, &[SqlExpr]),
        catalog: &dyn Catalog,
    ) -> Result<Planned> {
        let text = Text::new(source)?;
        let mut query = template()?;
        let target = merge.alias.as_ref().unwrap_or(&merge.table).key.clone();
        let other = source_name(&merge.source)?;
        let rows = Rows { target: &target, source: &other, position };
        let mut items = vec![rows.position(), rows.action(&merge.branches)];
        for (number, branch) in merge.branches.iter().enumerate() {
            let others = merge.branches[..number].iter().filter(|before| before.case == branch.case);
            let others: Vec<Expr> = others.map(|before| rows.is_taken(before)).collect();
            let guarded = |value: &&Expr| {
                let nothing = others.iter().map(|other| (other.clone(), Expr::value(Value::Null)));
                case(nothing.chain([(rows.is_taken(branch), (*value).clone())]).collect())
            };
            items.extend(branch.action.values().iter().map(guarded));
        }
        for value in beside {
            let mut value = value.clone();
            let _ = value.walk_mut(&mut ActionFinder { rows: &rows, branches: &merge.branches });
            items.push(value);
        }
        let numbered = |(number, expr): (usize, Expr)| SelectItem::ExprWithAlias {
            expr,
            alias: Ident::new(format!("_value_{number}")),
        };
        let select = select_of(&mut query)?;
        select.projection = items.into_iter().enumerate().map(numbered).collect();
        let mut tables = crate::plan::change::tables(&merge.table, merge.alias.as_ref(), &[]);
        if let Some(first) = tables.first_mut() {
            let relation = marked(&merge.source, &other)?;
            first.joins.push(datafusion::sql::sqlparser::ast::Join {
                relation,
                global: false,
                join_operator: join_of(merge, JoinConstraint::On(merge.on.clone())),
            });
        }
        select.from = tables;
        if let Some(limit) = &merge.limit {
            // Rows for which nothing is done do not count.
            select.selection = Some(Expr::IsNotNull(Box::new(rows.action(&merge.branches))));
            match limit {
                MergeLimit::Qualify(condition) => select.qualify = Some(condition.clone()),
                MergeLimit::Rows(count) => {
                    let (limit, limit_by) = (Some(count.clone()), Vec::new());
                    query.limit_clause = Some(LimitClause::LimitOffset { limit, offset: None, limit_by });
                }
            }
        }
        query.with = merge.with.clone();
        let statement = Statement::Query(Box::new(query));
        self.plan_statement(&text, statement, catalog, Visibility::Live, true)
    }
}

/// The rows on both sides, by the names of their tables.
struct Rows<'m> {
    target: &'m str,
    source: &'m str,
    /// The target's column that tells its rows apart.
    position: &'m str,
}

impl Rows<'_> {
    fn position(&self) -> Expr {
        column(self.target, self.position)
    }

    /// The condition that a row belongs to this case.
    fn is_case(&self, wanted: MergeCase) -> Expr {
        let there = |table: &str, name: &str| Expr::IsNotNull(Box::new(column(table, name)));
        let missing = |table: &str, name: &str| Expr::IsNull(Box::new(column(table, name)));
        match wanted {
            MergeCase::Matched => and(there(self.target, self.position), there(self.source, PRESENT)),
            MergeCase::NotMatchedByTarget => missing(self.target, self.position),
            MergeCase::NotMatchedBySource => missing(self.source, PRESENT),
        }
    }

    /// The condition of a branch, for rows for which no earlier branch is taken.
    fn is_taken(&self, branch: &MergeBranch) -> Expr {
        let is_case = self.is_case(branch.case);
        match &branch.condition {
            None => is_case,
            Some(condition) => and(is_case, Expr::Nested(Box::new(condition.clone()))),
        }
    }

    /// The number of the branch that is taken.
    fn action(&self, branches: &[MergeBranch]) -> Expr {
        let arm = |(number, branch): (usize, &MergeBranch)| {
            (self.is_taken(branch), Expr::value(Value::Number(number.to_string(), false)))
        };
        case(branches.iter().enumerate().map(arm).collect())
    }

    /// The action of the branch that is taken, as a word.
    fn action_word(&self, branches: &[MergeBranch]) -> Expr {
        let arm = |branch: &MergeBranch| {
            let word = match &branch.action {
                MergeAction::Update(_) => "UPDATE",
                MergeAction::Delete => "DELETE",
                MergeAction::Insert(..) => "INSERT",
                // Rows of such a branch are not shown.
                MergeAction::Nothing => "NOTHING",
            };
            (self.is_taken(branch), Expr::value(Value::SingleQuotedString(word.to_owned())))
        };
        case(branches.iter().map(arm).collect())
    }
}

/// Replaces `_merge.action` by what says it.
struct ActionFinder<'m> {
    rows: &'m Rows<'m>,
    branches: &'m [MergeBranch],
}

impl VisitorMut for ActionFinder<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [table, _] = parts.as_slice()
            && table.value == MERGE
        {
            *expr = self.rows.action_word(self.branches);
        }
        ControlFlow::Continue(())
    }
}

/// Only the rows that a branch can be for.
fn join_of(merge: &Merge, on: JoinConstraint) -> JoinOperator {
    let has = |case: MergeCase| merge.branches.iter().any(|branch| branch.case == case);
    match (has(MergeCase::NotMatchedByTarget), has(MergeCase::NotMatchedBySource)) {
        (false, false) => JoinOperator::Inner(on),
        (true, false) => JoinOperator::Right(on),
        (false, true) => JoinOperator::Left(on),
        (true, true) => JoinOperator::FullOuter(on),
    }
}

fn source_name(source: &TableFactor) -> Result<String> {
    let alias = match source {
        TableFactor::Table { alias, .. } | TableFactor::Derived { alias, .. } => alias.as_ref(),
        _ => None,
    };
    match (alias, source) {
        (Some(alias), _) => Ok(alias.name.value.clone()),
        (None, TableFactor::Table { name, .. }) => {
            let last = name.0.last().and_then(|part| part.as_ident());
            Ok(last.map(|last| last.value.clone()).unwrap_or_default())
        }
        _ => Err(unsupported("a source of MERGE without a name")),
    }
}

/// The source with a column that says that its rows are there.
fn marked(source: &TableFactor, name: &str) -> Result<TableFactor> {
    let mut query: Query = crate::parse::fragments::parsed(&format!("SELECT *, 1 AS {PRESENT} FROM t"))?;
    if let Some(first) = select_of(&mut query)?.from.first_mut() {
        first.relation = source.clone();
    }
    let alias = TableAlias { explicit: true, name: Ident::with_quote('"', name), columns: Vec::new(), at: None };
    Ok(TableFactor::Derived { lateral: false, subquery: Box::new(query), alias: Some(alias), sample: None })
}

fn column(table: &str, name: &str) -> Expr {
    Expr::CompoundIdentifier(vec![Ident::with_quote('"', table), Ident::with_quote('"', name)])
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) }
}

fn case(arms: Vec<(Expr, Expr)>) -> Expr {
    let conditions = arms.into_iter().map(|(condition, result)| CaseWhen { condition, result }).collect();
    let (case_token, end_token) = (AttachedToken::empty(), AttachedToken::empty());
    Expr::Case { case_token, end_token, operand: None, conditions, else_result: None }
}
