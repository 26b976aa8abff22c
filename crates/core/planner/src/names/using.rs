//! `JOIN ... USING` and `NATURAL JOIN`: common columns of both sides are merged (ISO 9075-2, 7.10).
//!
//! ```text
//!   SELECT * FROM a FULL JOIN b USING (id) WHERE id > 5
//!   SELECT COALESCE(a.id, b.id) AS id, a.* EXCLUDE (id), b.* EXCLUDE (id)
//!     FROM a FULL JOIN b ON a.id = b.id WHERE COALESCE(a.id, b.id) > 5
//! ```
//!
//! The planner takes the left table's column for the merged one, which has no value where only the right side has a
//! row, and puts it in another place of `*`. So such a SELECT is rewritten before it is planned; one with tables that
//! are not all known is left to the planner.

use crate::catalog::{Catalog, Relation};
use crate::names::duplicate_columns::is_by_name;
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, Cte, ExcludeSelectItem, Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator,
    ObjectName, OrderByKind, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, Statement,
    TableAlias, TableFactor, TableWithJoins, VisitorMut, WildcardAdditionalOptions,
};
use mainstay_types::{Error, Result};
use std::ops::ControlFlow;

/// The statement with conditions in the place of USING and NATURAL, where that makes a difference.
pub(crate) fn written_out(mut statement: Statement, catalog: &dyn Catalog) -> Result<Statement> {
    match statement.walk_mut(&mut Joins { catalog, with: Vec::new() }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(statement),
    }
}

struct Joins<'a> {
    catalog: &'a dyn Catalog,
    /// By query, from the outermost to the one that is looked at: the queries that its WITH names, and their columns.
    with: Vec<Vec<(String, Option<Vec<String>>)>>,
}

impl VisitorMut for Joins<'_> {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        self.with.push(query.with.iter().flat_map(|with| &with.cte_tables).map(named_query).collect());
        let SetExpr::Select(select) = query.body.as_mut() else { return ControlFlow::Continue(()) };
        let merged = match self.merged(select) {
            Ok(merged) => merged,
            Err(error) => return ControlFlow::Break(error),
        };
        if let Some(merged) = merged {
            if let Err(error) = crate::names::wildcard::refuse_options(select) {
                return ControlFlow::Break(error);
            }
            let others: Vec<String> = select.projection.iter().filter_map(alias).collect();
            merged.put_into(select);
            if let Some(OrderByKind::Expressions(terms)) = query.order_by.as_mut().map(|order| &mut order.kind) {
                for term in terms {
                    // By its name alone a column of the answer is meant, if another one is called so.
                    let is_other = |name: &Ident| others.contains(&name.value.to_lowercase());
                    let names_answer = matches!(&term.expr, Expr::Identifier(name) if is_other(name));
                    if !names_answer {
                        merged.put_into_expr(&mut term.expr);
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.with.pop();
        ControlFlow::Continue(())
    }
}

/// The name of a query of WITH, and its columns, if they are known.
fn named_query(cte: &Cte) -> (String, Option<Vec<String>>) {
    (cte.alias.name.value.to_lowercase(), columns_of(Some(&cte.alias), || named_columns(&cte.query.body)))
}

/// The columns of a table that an alias may name, all of them or none.
fn columns_of(alias: Option<&TableAlias>, own: impl FnOnce() -> Option<Vec<String>>) -> Option<Vec<String>> {
    match alias.map(|alias| alias.columns.as_slice()) {
        Some(names @ [_, ..]) => Some(names.iter().map(|column| column.name.value.to_lowercase()).collect()),
        _ => own(),
    }
}

/// The alias of an item of a SELECT list.
fn alias(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.to_lowercase()),
        _ => None,
    }
}

/// A table of FROM: what its columns are qualified with, and their names, where they are known.
struct Side {
    qualifier: ObjectName,
    columns: Option<Vec<String>>,
}

impl Side {
    fn column(&self, name: &Ident) -> Expr {
        let qualifier = self.qualifier.0.iter().filter_map(|part| part.as_ident()).cloned();
        Expr::CompoundIdentifier(qualifier.chain([name.clone()]).collect())
    }

    fn has(&self, name: &Ident) -> bool {
        self.columns.as_ref().is_some_and(|columns| columns.contains(&name.value.to_lowercase()))
    }
}

/// The columns that are one, with their values, in their order in `*`, where they come before all others; and the tables.
struct Merged {
    columns: Vec<(Ident, Expr)>,
    sides: Vec<Side>,
    from: TableWithJoins,
}

impl Joins<'_> {
    /// The rewritten SELECT; `None` where the planner needs no help.
    fn merged(&self, select: &Select) -> Result<Option<Merged>> {
        let [table] = select.from.as_slice() else { return Ok(None) };
        let constraint = |join: &JoinOperator| constraint_of(join).map(|(constraint, kind)| (constraint.clone(), kind));
        if !table.joins.iter().any(|join| is_merging_join(&join.join_operator)) {
            return Ok(None);
        }
        let Some(first) = self.side(&table.relation)? else { return Ok(None) };
        let mut merged = Merged { columns: Vec::new(), sides: vec![first], from: table.clone() };
        for number in 0..table.joins.len() {
            let join = &table.joins[number];
            let Some(right) = self.side(&join.relation)? else { return Ok(None) };
            if let Some((wanted, kind)) = constraint(&join.join_operator) {
                let names = match wanted {
                    JoinConstraint::Using(names) => {
                        let name = |name: ObjectName| name.0.last().and_then(|part| part.as_ident()).cloned();
                        names.into_iter().filter_map(name).collect()
                    }
                    JoinConstraint::Natural => match merged.common(&right) {
                        Some(names) => names,
                        None => return Ok(None),
                    },
                    _ => Vec::new(),
                };
                if is_merging_join(&join.join_operator) && !merged.join(number, &right, names, kind) {
                    return Ok(None);
                }
            }
            merged.sides.push(right);
        }
        Ok(Some(merged))
    }

    fn side(&self, factor: &TableFactor) -> Result<Option<Side>> {
        Ok(match factor {
            TableFactor::Table { args: None, name, alias, .. } => {
                let key = name.0.iter().filter_map(|part| part.as_ident()).map(|part| part.value.to_lowercase());
                let key = key.collect::<Vec<_>>().join(".");
                let columns = self.columns_of_name(&key)?;
                let qualifier = match alias {
                    Some(alias) => ObjectName::from(vec![alias.name.clone()]),
                    None => name.clone(),
                };
                Some(Side { qualifier, columns: columns_of(alias.as_ref(), || columns) })
            }
            TableFactor::Derived { alias: Some(alias), subquery, .. } => {
                let columns = columns_of(Some(alias), || named_columns(&subquery.body));
                Some(Side { qualifier: ObjectName::from(vec![alias.name.clone()]), columns })
            }
            _ => None,
        })
    }

    /// The columns of a query of WITH, or else of a table, if they are known.
    fn columns_of_name(&self, name: &str) -> Result<Option<Vec<String>>> {
        let mut named = self.with.iter().rev().flatten();
        if let Some((_, columns)) = named.find(|(known, _)| known == name) {
            return Ok(columns.clone());
        }
        Ok(match self.catalog.relation(name)? {
            Some(Relation::Table(table)) => {
                let fields = table.schema().fields();
                let shown = &fields[..fields.len() - table.hidden_columns()];
                Some(shown.iter().map(|field| field.name().to_lowercase()).collect())
            }
            Some(Relation::Foreign(table)) => {
                Some(table.schema().fields().iter().map(|field| field.name().to_lowercase()).collect())
            }
            _ => None,
        })
    }
}

/// The names of a query's columns, if all of them are said.
fn named_columns(query: &SetExpr) -> Option<Vec<String>> {
    let items = match query {
        SetExpr::Select(select) => &select.projection,
        SetExpr::SetOperation { left, set_quantifier, .. } if !is_by_name(*set_quantifier) => {
            return named_columns(left);
        }
        SetExpr::Query(query) => return named_columns(&query.body),
        _ => return None,
    };
    let name = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.value.to_lowercase()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => Some(parts.last()?.value.to_lowercase()),
        item => alias(item),
    };
    items.iter().map(name).collect()
}

/// Whose value a merged column has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Left,
    Right,
    Either,
}

fn constraint_of(join: &JoinOperator) -> Option<(&JoinConstraint, Kind)> {
    use JoinOperator as J;
    Some(match join {
        J::Join(constraint) | J::Inner(constraint) | J::Left(constraint) | J::LeftOuter(constraint) => {
            (constraint, Kind::Left)
        }
        J::Right(constraint) | J::RightOuter(constraint) => (constraint, Kind::Right),
        J::FullOuter(constraint) => (constraint, Kind::Either),
        _ => return None,
    })
}

fn is_merging_join(join: &JoinOperator) -> bool {
    matches!(constraint_of(join), Some((JoinConstraint::Using(_) | JoinConstraint::Natural, _)))
}

impl Merged {
    /// The columns that the tables so far and another one have, in the order of the former; `None` where that is not known.
    fn common(&self, right: &Side) -> Option<Vec<Ident>> {
        let of_right = right.columns.as_ref()?;
        let mut names: Vec<Ident> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        for side in &self.sides {
            for name in side.columns.as_ref()? {
                if !names.iter().any(|known| known.value.eq_ignore_ascii_case(name)) {
                    names.push(Ident::with_quote('"', name));
                }
            }
        }
        names.retain(|name| of_right.contains(&name.value.to_lowercase()));
        Some(names)
    }

    /// The column of the tables so far; `None` where it is not known which table has it.
    fn left(&self, name: &Ident) -> Option<Expr> {
        let same = |known: &Ident| known.value.eq_ignore_ascii_case(&name.value);
        if let Some((_, value)) = self.columns.iter().find(|(known, _)| same(known)) {
            return Some(value.clone());
        }
        match self.sides.as_slice() {
            [only] => Some(only.column(name)),
            sides => {
                let mut having = sides.iter().filter(|side| side.has(name));
                let found = having.next()?;
                let is_known = sides.iter().all(|side| side.columns.is_some()) && having.next().is_none();
                is_known.then(|| found.column(name))
            }
        }
    }

    /// Joins another table by columns of these names: whether it is known what they are.
    fn join(&mut self, number: usize, right: &Side, names: Vec<Ident>, kind: Kind) -> bool {
        let mut condition: Option<Expr> = None;
        // The columns of the last join come first (ISO 9075-2, 7.10; PostgreSQL: in the order of USING).
        let mut first = Vec::with_capacity(names.len() + self.columns.len());
        for name in names {
            let (Some(left), of_right) = (self.left(&name), right.column(&name)) else { return false };
            let equal = Expr::BinaryOp {
                left: Box::new(left.clone()),
                op: BinaryOperator::Eq,
                right: Box::new(of_right.clone()),
            };
            condition = Some(match condition {
                Some(all) => Expr::BinaryOp { left: Box::new(all), op: BinaryOperator::And, right: Box::new(equal) },
                None => equal,
            });
            let value = match kind {
                Kind::Left => left,
                Kind::Right => of_right,
                Kind::Either => coalesced(left, of_right),
            };
            self.columns.retain(|(known, _)| !known.value.eq_ignore_ascii_case(&name.value));
            first.push((name, value));
        }
        first.append(&mut self.columns);
        self.columns = first;
        let Some(condition) = condition else { return false };
        use JoinOperator as J;
        if let J::Join(constraint)
        | J::Inner(constraint)
        | J::Left(constraint)
        | J::LeftOuter(constraint)
        | J::Right(constraint)
        | J::RightOuter(constraint)
        | J::FullOuter(constraint) = &mut self.from.joins[number].join_operator
        {
            *constraint = JoinConstraint::On(condition);
        }
        true
    }

    fn put_into(&self, select: &mut Select) {
        select.from = vec![self.from.clone()];
        let mut projection = Vec::with_capacity(select.projection.len());
        for item in std::mem::take(&mut select.projection) {
            match item {
                SelectItem::Wildcard(_) => {
                    let named = |(name, value): &(Ident, Expr)| SelectItem::ExprWithAlias {
                        expr: value.clone(),
                        alias: name.clone(),
                    };
                    projection.extend(self.columns.iter().map(named));
                    projection.extend(self.sides.iter().map(|side| self.others(side)));
                }
                SelectItem::UnnamedExpr(Expr::Identifier(name)) => projection.push(match self.value(&name) {
                    Some(value) => SelectItem::ExprWithAlias { expr: value.clone(), alias: name },
                    None => SelectItem::UnnamedExpr(Expr::Identifier(name)),
                }),
                SelectItem::UnnamedExpr(mut expr) => {
                    self.put_into_expr(&mut expr);
                    projection.push(SelectItem::UnnamedExpr(expr));
                }
                SelectItem::ExprWithAlias { mut expr, alias } => {
                    self.put_into_expr(&mut expr);
                    projection.push(SelectItem::ExprWithAlias { expr, alias });
                }
                other => projection.push(other),
            }
        }
        select.projection = projection;
        let conditions = select.selection.iter_mut().chain(&mut select.having).chain(&mut select.qualify);
        conditions.for_each(|condition| self.put_into_expr(condition));
        if let GroupByExpr::Expressions(exprs, _) = &mut select.group_by {
            exprs.iter_mut().for_each(|expr| self.put_into_expr(expr));
        }
    }

    /// `t.*` without the merged columns.
    fn others(&self, side: &Side) -> SelectItem {
        let in_side = |name: &Ident| side.columns.is_none() || side.has(name);
        let of_side = |(name, _): &(Ident, Expr)| in_side(name).then(|| ObjectName::from(name.clone()));
        let left_out: Vec<ObjectName> = self.columns.iter().filter_map(of_side).collect();
        let opt_exclude = (!left_out.is_empty()).then_some(ExcludeSelectItem::Multiple(left_out));
        let options = WildcardAdditionalOptions { opt_exclude, ..WildcardAdditionalOptions::default() };
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(side.qualifier.clone()), options)
    }

    fn value(&self, name: &Ident) -> Option<&Expr> {
        self.columns.iter().find(|(known, _)| known.value.eq_ignore_ascii_case(&name.value)).map(|(_, value)| value)
    }

    fn put_into_expr(&self, expr: &mut Expr) {
        struct Names<'a> {
            merged: &'a Merged,
            depth: usize,
        }
        impl VisitorMut for Names<'_> {
            type Break = ();

            // A query has names of its own.
            fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
                self.depth += 1;
                ControlFlow::Continue(())
            }

            fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
                self.depth -= 1;
                ControlFlow::Continue(())
            }

            fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
                if self.depth == 0
                    && let Expr::Identifier(name) = expr
                    && let Some(value) = self.merged.value(name)
                {
                    *expr = value.clone();
                }
                ControlFlow::Continue(())
            }
        }
        // The visitor does not break.
        let _ = expr.walk_mut(&mut Names { merged: self, depth: 0 });
    }
}

/// `CASE WHEN left IS NULL THEN right ELSE left END`.
fn coalesced(left: Expr, right: Expr) -> Expr {
    let condition = Expr::IsNull(Box::new(left.clone()));
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![CaseWhen { condition, result: right }],
        else_result: Some(Box::new(left)),
    }
}
