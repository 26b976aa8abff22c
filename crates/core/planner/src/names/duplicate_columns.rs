//! Duplicate column names of a SELECT list: `SELECT a, a`, `SELECT a AS x, b AS x`, `SELECT *, a`.
//!
//! SQL allows duplicates; the planner requires unique names. So all but the first get a name from which the original
//! can be recovered ([`shown`]), and the answer shows the original. In a subquery only a repeated expression is
//! renamed: it has the same value whichever is referred to, while two expressions under one alias are ambiguous.

use crate::parse::walk::{Walk, WalkMut};
use datafusion::arrow::compute::kernels::cast_utils::parse_interval_month_day_nano;
use datafusion::common::DataFusionError;
use datafusion::sql::sqlparser::ast::{
    Expr, Function, Ident, Interval, OrderByKind, Query, Select, SelectItem, SetExpr, SetQuantifier, Statement,
    UnaryOperator, Value, ValueWithSpan, Visitor, VisitorMut,
};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// The mark between a name and its number. No statement has it in a name.
const MARK: char = '\u{1}';

/// Makes the names of every list unique.
pub(crate) fn rename(mut statement: Statement) -> Statement {
    if let Statement::Query(query) = &mut statement {
        rename_outermost(query);
    }
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Renamer);
    statement
}

/// Reports the planner's error for two columns of a list that it calls alike, written in different ways: `a + 1, t.a + 1`.
pub(crate) fn is_of_repeated_names(error: &DataFusionError) -> bool {
    let root = error.find_root();
    matches!(root, DataFusionError::Plan(message) if message.starts_with("Projections require unique expression names"))
}

/// Gives every expression of a list a name with its number.
pub(crate) fn with_numbers(mut statement: Statement) -> Statement {
    struct All;
    impl VisitorMut for All {
        type Break = ();

        fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
            for (number, item) in select.projection.iter_mut().enumerate() {
                if let SelectItem::UnnamedExpr(expr) = item
                    && !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
                {
                    let alias = Ident::new(numbered(&name_of(expr), number));
                    *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
                }
            }
            ControlFlow::Continue(())
        }
    }
    // The visitor does not break.
    let _ = statement.walk_mut(&mut All);
    statement
}

/// The name that was meant.
pub(crate) fn shown(name: &str) -> &str {
    name.split(MARK).next().unwrap_or(name)
}

fn rename_outermost(query: &mut Query) {
    let SetExpr::Select(select) = query.body.as_mut() else { return rename_first_branch(&mut query.body) };
    let is_wildcard = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
    let has_wildcard = select.projection.iter().any(is_wildcard);
    let mut order = match query.order_by.as_mut().map(|order| &mut order.kind) {
        Some(OrderByKind::Expressions(terms)) => terms.iter_mut().map(|term| &mut term.expr).collect(),
        _ => Vec::new(),
    };
    if select.distinct.is_some() && !has_wildcard {
        order.iter_mut().for_each(|term| by_number(term, &select.projection));
    }
    let columns: HashSet<String> = order.iter().flat_map(|term| qualified_names(term)).collect();
    let by_numbers = order.iter().any(|term| matches!(term, Expr::Value(_)));
    let mut seen = HashSet::new();
    for (number, item) in select.projection.iter_mut().enumerate() {
        match item {
            SelectItem::ExprWithAlias { alias, .. } => {
                let is_new = seen.insert(alias.value.clone());
                // A column of a table that the order names is another one.
                if !is_new || has_wildcard || columns.contains(&alias.value) {
                    let name = Ident::with_quote('"', numbered(&alias.value, number));
                    let means = |term: &Expr| matches!(term, Expr::Identifier(it) if it.value == alias.value);
                    let terms = order.iter_mut().filter(|term| is_new && means(term));
                    terms.for_each(|term| **term = Expr::Identifier(name.clone()));
                    alias.value = name.value;
                }
            }
            SelectItem::UnnamedExpr(expr @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_))) => {
                let name = name_of(expr);
                // Columns of several tables may have one name; written alike, they are one column.
                if has_wildcard || seen.contains(&name) {
                    let alias = Ident::new(numbered(&name, number));
                    *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
                }
                seen.insert(name);
            }
            // The planner calls a CAST as what it casts, which ORDER BY may name beside it; and of what is calculated from groups
            // or over a window it looks for the parts once it has to sort by them.
            SelectItem::UnnamedExpr(expr)
                if !order.is_empty() && (by_numbers || matches!(expr, Expr::Cast { .. }) || has_window(expr)) =>
            {
                let alias = Ident::new(numbered(&name_of(expr), number));
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
            _ => {}
        }
    }
}

/// The columns of a set operation are called as those of its first branch. What orders the whole names the first of them.
fn rename_first_branch(body: &mut SetExpr) {
    match body {
        SetExpr::SetOperation { left, set_quantifier, .. } if !is_by_name(*set_quantifier) => rename_first_branch(left),
        SetExpr::Query(query) if query.order_by.is_none() => rename_first_branch(&mut query.body),
        SetExpr::Select(select) => number_names(select, numbered),
        _ => {}
    }
}

/// Gives columns whose name the list has already another one, made of it and the column's number.
pub(crate) fn number_names(select: &mut Select, other_name: impl Fn(&str, usize) -> String) {
    let mut seen = HashSet::new();
    for (number, item) in select.projection.iter_mut().enumerate() {
        let (name, expr) = match item {
            SelectItem::ExprWithAlias { alias, expr } => (alias.value.clone(), expr),
            SelectItem::UnnamedExpr(expr @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_))) => {
                (name_of(expr), expr)
            }
            _ => continue,
        };
        if !seen.insert(name.clone()) {
            let (expr, alias) = (expr.clone(), Ident::with_quote('"', other_name(&name, number)));
            *item = SelectItem::ExprWithAlias { expr, alias };
        }
    }
}

/// ORDER BY an expression that a list of distinct rows has, by its number there: the planner looks for its columns.
fn by_number(term: &mut Expr, list: &[SelectItem]) {
    if matches!(term, Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_)) {
        return;
    }
    let is_it = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => expr == term,
        _ => false,
    };
    if let Some(place) = list.iter().position(is_it) {
        *term = Expr::Value(Value::Number((place + 1).to_string(), false).into());
    }
}

/// The names of the columns that an expression names together with their tables.
fn qualified_names(expr: &Expr) -> Vec<String> {
    struct Names(Vec<String>);
    impl Visitor for Names {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            if let Expr::CompoundIdentifier(parts) = expr {
                self.0.extend(parts.last().map(|part| part.value.clone()));
            }
            ControlFlow::Continue(())
        }
    }
    let mut names = Names(Vec::new());
    // The visitor does not break.
    let _ = expr.walk(&mut names);
    names.0
}

/// Returns true if an expression has a function over a window.
fn has_window(expr: &Expr) -> bool {
    struct Windows;
    impl Visitor for Windows {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::Function(Function { over: Some(_), .. }) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    expr.walk(&mut Windows).is_break()
}

fn numbered(name: &str, number: usize) -> String {
    format!("{}{MARK}{number}", shown(name))
}

/// The name of a column without an alias.
fn name_of(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(name) => name.value.clone(),
        Expr::CompoundIdentifier(names) => names.last().map(|name| name.value.clone()).unwrap_or_default(),
        other => other.to_string(),
    }
}

/// An expression without its CASTs, types of literals, parentheses, signs that change nothing and queries, with its lengths of time in one form: the planner's name of a
/// column says nothing of how these are written.
pub(crate) fn unconverted(expr: &Expr) -> String {
    struct Bare;
    impl VisitorMut for Bare {
        type Break = ();

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            let nothing = || Box::new(Expr::Identifier(Ident::new("")));
            match expr {
                Expr::Cast { expr: inner, .. }
                | Expr::Nested(inner)
                | Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } => {
                    let inner = std::mem::replace(inner, nothing());
                    *expr = *inner;
                }
                Expr::TypedString(literal) => *expr = Expr::Value(literal.value.clone()),
                Expr::Exists { .. } | Expr::Subquery(_) => *expr = *nothing(),
                // The planner does not even say of what.
                Expr::InSubquery { negated, .. } => {
                    *expr = Expr::Identifier(Ident::new(if *negated { "NOT IN" } else { "IN" }));
                }
                Expr::Interval(interval) => {
                    if let Some(length) = length_of(interval) {
                        *expr = Expr::Identifier(Ident::new(length));
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        }
    }
    let mut bare = expr.clone();
    // The visitor does not break.
    let _ = bare.walk_mut(&mut Bare);
    bare.to_string()
}

/// The months, days and nanoseconds of an INTERVAL that is a literal.
fn length_of(interval: &Interval) -> Option<String> {
    let Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) = interval.value.as_ref() else {
        return None;
    };
    let text = match &interval.leading_field {
        Some(unit) => format!("{text} {unit}"),
        None => text.clone(),
    };
    parse_interval_month_day_nano(&text).ok().map(|length| format!("{length:?}"))
}

/// The names that the planner may give an expression: a scalar subquery has the name of its column.
fn names(expr: &Expr) -> Vec<String> {
    let column = match expr {
        Expr::Subquery(query) => column_of_query(query),
        _ => None,
    };
    std::iter::once(unconverted(expr)).chain(column).collect()
}

/// The name of a query's first column, if the text has it.
pub(crate) fn column_of_query(query: &Query) -> Option<String> {
    let mut body = query.body.as_ref();
    let select = loop {
        body = match body {
            SetExpr::Select(select) => break select,
            SetExpr::Query(query) => query.body.as_ref(),
            SetExpr::SetOperation { left, .. } => left,
            _ => return None,
        }
    };
    match select.projection.first()? {
        SelectItem::UnnamedExpr(expr @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_))) => Some(name_of(expr)),
        SelectItem::UnnamedExpr(expr) => Some(unconverted(expr)),
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        _ => None,
    }
}

struct Renamer;

impl VisitorMut for Renamer {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let mut seen = HashSet::new();
        for (number, item) in select.projection.iter_mut().enumerate() {
            if let SelectItem::UnnamedExpr(expr) = item
                // All of its names have been seen from here on.
                && names(expr).into_iter().map(|name| seen.insert(name)).filter(|is_new| !is_new).count() > 0
            {
                let alias = Ident::new(numbered(&name_of(expr), number));
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
        }
        ControlFlow::Continue(())
    }
}

/// Returns true if the columns of the branches meet by their names.
pub(crate) fn is_by_name(quantifier: SetQuantifier) -> bool {
    matches!(quantifier, SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName)
}
