//! Expressions with the same planner name: `sum(n), sum(CAST(n AS BIGINT))`, `sum((a + b) * c), sum(a + b * c)`.
//!
//! The planner names the columns of groups and windows by their expressions, without CASTs and parentheses; then it
//! refuses two columns of one name. So in a SELECT with two such expressions the operands of casts and the contents of
//! parentheses become arguments of an identity function whose name contains the omitted part. After planning the calls
//! are removed again ([`unmarked`]), and the names stay:
//!
//! ```text
//!   sum(CAST(n AS BIGINT))   --here-->  sum(CAST("#bigint"(n) AS BIGINT))   --unmarked-->  sum(CAST(n AS BIGINT))
//!   (a + b) * c                         ("#()"(a + b)) * c                                 (a + b) * c
//! ```
//!
//! The planner names a subquery by its column, and every EXISTS alike. If the name of a grouping key with a subquery
//! occurs elsewhere in the SELECT, the subqueries become arguments of calls whose names are their text:
//!
//! ```text
//!   GROUP BY a, (SELECT max(b) AS a FROM u)   --here-->   GROUP BY a, "#(SELECT max(b) AS a FROM u)"((SELECT max(b) AS a FROM u))
//! ```

use crate::names::duplicate_columns::{column_of_query, unconverted};
use crate::parse::walk::{Walk, WalkMut};
use crate::tree::nodes::Tree;
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr as Planned, LogicalPlan, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};
use datafusion::sql::sqlparser::ast::{
    self, BinaryOperator, CastKind, Expr, GroupByExpr, Ident, OrderBy, Query, Select, SelectItem, SetExpr, Statement,
    Value, Visitor, VisitorMut,
};
use mainstay_types::Collation;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

/// How the functions' names begin. No statement has a function of such a name.
const PREFIX: &str = "\u{3}";

/// The mark of parentheses in a name.
const PARENTHESES: &str = "()";

/// The statement with the expressions told apart whose names would be the same.
pub(crate) fn marked(mut statement: Statement) -> Statement {
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Selects);
    statement
}

/// The plan without the calls, under the names that they have given.
pub(crate) fn unmarked(plan: LogicalPlan) -> Result<LogicalPlan> {
    crate::tree::rewrite::concerned(plan, is_mark, |expr, _| {
        expr.map_up(|expr| match expr {
            Planned::ScalarFunction(mut call) if is_marking(&call.func) && call.args.len() == 1 => {
                Ok(Transformed::yes(call.args.remove(0)))
            }
            other => Ok(Transformed::no(other)),
        })
    })
}

/// The function of this name.
pub(crate) fn function(name: &str) -> Option<Arc<ScalarUDF>> {
    name.strip_prefix(PREFIX).map(|_| {
        let signature = Signature::user_defined(Volatility::Immutable);
        Arc::new(ScalarUDF::from(Mark { name: name.to_owned(), signature }))
    })
}

fn is_mark(expr: &Planned) -> bool {
    matches!(expr, Planned::ScalarFunction(call) if is_marking(&call.func))
}

fn is_marking(function: &ScalarUDF) -> bool {
    function.inner().downcast_ref::<Mark>().is_some()
}

/// Ends at the first expression of which this is so.
struct Any(fn(&Expr) -> bool);

impl Visitor for Any {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if (self.0)(expr) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

struct Selects;

impl VisitorMut for Selects {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let SetExpr::Select(select) = query.body.as_mut() {
            mark(select, query.order_by.as_mut());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        mark(select, None);
        ControlFlow::Continue(())
    }
}

/// Marks a SELECT if two of its expressions would have one name.
fn mark(select: &mut Select, mut order: Option<&mut OrderBy>) {
    if is_grouped(&select.group_by) && has_ambiguous_subqueries(select) {
        let Select { projection, group_by, having, qualify, .. } = select;
        projection.iter_mut().for_each(name_by_query);
        let mut queries = SubqueryMarks::default();
        // The visitor does not break.
        let _ = projection.walk_mut(&mut queries);
        let _ = group_by.walk_mut(&mut queries);
        let _ = having.walk_mut(&mut queries);
        let _ = qualify.walk_mut(&mut queries);
        order.as_mut().map(|order| order.walk_mut(&mut queries));
    }
    mark_left_out(select, order);
}

/// Marks what the planner leaves out of names.
fn mark_left_out(select: &mut Select, order: Option<&mut OrderBy>) {
    let is_left_out = |expr: &Expr| matches!(expr, Expr::Cast { .. } | Expr::Nested(_));
    if visit_columns(select, order.as_deref(), &mut Any(is_left_out)).is_continue() {
        return;
    }
    let mut columns = Columns::default();
    // The visitors do not break.
    let _ = visit_columns(select, order.as_deref(), &mut columns);
    if is_grouped(&select.group_by) {
        whole_expressions(select).for_each(|expr| columns.take(expr));
    }
    if columns.have_namesakes {
        let Select { projection, group_by, having, qualify, .. } = select;
        let _ = projection.walk_mut(&mut Marks);
        let _ = group_by.walk_mut(&mut Marks);
        let _ = having.walk_mut(&mut Marks);
        let _ = qualify.walk_mut(&mut Marks);
        order.map(|order| order.walk_mut(&mut Marks));
    }
}

/// Reports keys of groups with a subquery whose name another subquery or a column of the SELECT has.
fn has_ambiguous_subqueries(select: &Select) -> bool {
    let mut of_keys = Subqueries::default();
    // The visitors do not break.
    let _ = select.group_by.walk(&mut of_keys);
    if of_keys.found.is_empty() {
        return false;
    }
    let mut all = Subqueries::default();
    let _ = visit_columns(select, None, &mut all);
    of_keys.found.iter().any(|(name, text)| match name {
        None => true,
        Some(name) => {
            all.columns.contains(name) || all.found.iter().any(|(of, other)| of.as_ref() == Some(name) && other != text)
        }
    })
}

/// The subqueries of expressions and the columns beside them, without what is inside of the subqueries.
#[derive(Default)]
struct Subqueries {
    /// The planner's name of each, if it is known, and its text.
    found: Vec<(Option<String>, String)>,
    columns: HashSet<String>,
    depth: usize,
}

impl Visitor for Subqueries {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth = self.depth.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if self.depth > 0 {
            return ControlFlow::Continue(());
        }
        match expr {
            Expr::Identifier(name) => {
                self.columns.insert(name.value.clone());
            }
            Expr::CompoundIdentifier(names) => self.columns.extend(names.last().map(|name| name.value.clone())),
            Expr::Subquery(query) => self.found.push((column_of_query(query), expr.to_string())),
            Expr::Exists { .. } => self.found.push((Some("EXISTS".to_owned()), expr.to_string())),
            Expr::InSubquery { .. } => self.found.push((Some("IN".to_owned()), expr.to_string())),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// A subquery that is a whole item of a list, with the name that it has.
fn name_by_query(item: &mut SelectItem) {
    let SelectItem::UnnamedExpr(Expr::Subquery(query)) = &*item else { return };
    if let Some(name) = column_of_query(query) {
        let (expr, alias) = (Expr::Subquery(query.clone()), Ident::with_quote('"', name));
        *item = SelectItem::ExprWithAlias { expr, alias };
    }
}

/// Puts subqueries into calls, but none that is inside of another one or in a call already.
#[derive(Default)]
struct SubqueryMarks {
    depth: usize,
}

impl VisitorMut for SubqueryMarks {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth = self.depth.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.depth += usize::from(is_call_of_mark(expr));
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if is_call_of_mark(expr) {
            self.depth = self.depth.saturating_sub(1);
        } else if self.depth == 0 && matches!(expr, Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. }) {
            let name = format!("({expr})");
            put_into_call(expr, &name);
        }
        ControlFlow::Continue(())
    }
}

fn is_call_of_mark(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(call) if call.name.to_string().contains(PREFIX))
}

/// Visits the expressions that may be over groups and windows.
fn visit_columns<V: Visitor<Break = ()>>(select: &Select, order: Option<&OrderBy>, visitor: &mut V) -> ControlFlow<()> {
    select.projection.walk(visitor)?;
    select.group_by.walk(visitor)?;
    select.having.walk(visitor)?;
    select.qualify.walk(visitor)?;
    order.map_or(ControlFlow::Continue(()), |order| order.walk(visitor))
}

fn is_grouped(group_by: &GroupByExpr) -> bool {
    match group_by {
        GroupByExpr::Expressions(keys, _) => !keys.is_empty(),
        GroupByExpr::All(_) => true,
    }
}

/// The whole expressions of the list and the groups of a SELECT.
fn whole_expressions(select: &Select) -> impl Iterator<Item = &Expr> {
    let listed = select.projection.iter().filter_map(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    });
    let keys: &[Expr] = match &select.group_by {
        GroupByExpr::Expressions(keys, _) => keys,
        GroupByExpr::All(_) => &[],
    };
    let keys = keys.iter().flat_map(|key| match key {
        Expr::Rollup(sets) | Expr::Cube(sets) | Expr::GroupingSets(sets) => sets.iter().flatten().collect(),
        key => vec![key],
    });
    listed.chain(keys)
}

/// Expressions that may become a column of groups or of a window: all that the planner gives one name must be one.
#[derive(Default)]
struct Columns {
    /// The text of an expression without CASTs and parentheses, and the text with its distinguishing mark.
    known: HashMap<String, String>,
    have_namesakes: bool,
    /// How many queries this is inside of. Their columns are others.
    depth: usize,
}

impl Columns {
    fn take(&mut self, expr: &Expr) {
        let told = {
            let mut told = expr.clone();
            // The visitor does not break.
            let _ = told.walk_mut(&mut Marks);
            unconverted(&told)
        };
        let known = self.known.entry(unconverted(expr)).or_insert_with(|| told.clone());
        self.have_namesakes |= *known != told;
    }
}

impl Visitor for Columns {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth = self.depth.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if self.depth == 0 && matches!(expr, Expr::Function(_)) {
            self.take(expr);
        }
        ControlFlow::Continue(())
    }
}

struct Marks;

impl VisitorMut for Marks {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Cast { kind, expr: inner, data_type, .. } if names_column(inner) => {
                let name = told_type(kind, data_type);
                put_into_call(inner, &name);
            }
            Expr::BinaryOp { left, op, right } => {
                put_into_call_if_held(left, op, |inner, outer| inner < outer);
                put_into_call_if_held(right, op, |inner, outer| inner <= outer);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Of constants the planner looks at what they are when they are cast.
fn names_column(expr: &Expr) -> bool {
    expr.walk(&mut Any(|expr| matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)))).is_break()
}

/// The type that a CAST names. Its synonyms are one.
fn told_type(kind: &CastKind, data_type: &ast::DataType) -> String {
    let named = crate::types::sql_types::sql_type(data_type, Collation::Binary);
    let name = named.map_or_else(|_| data_type.to_string(), |named| named.to_string());
    match kind {
        CastKind::Cast | CastKind::DoubleColon => name,
        CastKind::TryCast | CastKind::SafeCast => format!("{name} or NULL"),
    }
}

/// Puts what parentheses hold together into a call, if it would mean something else without them.
fn put_into_call_if_held(operand: &mut Expr, outer: &BinaryOperator, is_held: fn(u8, u8) -> bool) {
    if let Expr::Nested(inner) = operand
        && let Expr::BinaryOp { op, .. } = inner.as_ref()
        && let (Some(within), Some(around)) = (binding(op), binding(outer))
        && is_held(within, around)
    {
        put_into_call(inner, PARENTHESES);
    }
}

/// How tightly an operator of arithmetic binds.
fn binding(op: &BinaryOperator) -> Option<u8> {
    use BinaryOperator as B;
    match op {
        B::Multiply | B::Divide | B::Modulo => Some(2),
        B::Plus | B::Minus => Some(1),
        _ => None,
    }
}

fn put_into_call(expr: &mut Expr, name: &str) {
    if is_call_of_mark(expr) {
        return;
    }
    let inner = std::mem::replace(expr, Expr::Value(Value::Null.into()));
    *expr = crate::parse::tree::call(Ident::with_quote('"', format!("{PREFIX}{name}")), vec![inner]);
}

/// A call that gives its argument, and says in its name what the planner leaves out.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Mark {
    name: String,
    signature: Signature,
}

impl ScalarUDFImpl for Mark {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema_name(&self, args: &[Planned]) -> Result<String> {
        let [inner] = args else { return internal_err!("a mark of {} expressions", args.len()) };
        Ok(match self.name.strip_prefix(PREFIX) {
            Some(PARENTHESES) | None => format!("({})", inner.schema_name()),
            Some(subquery) if subquery.starts_with('(') => subquery.to_owned(),
            Some(to) => format!("CAST({} AS {to})", inner.schema_name()),
        })
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("a mark without the field of its expression")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        match args.arg_fields {
            [inner] => Ok(Arc::clone(inner)),
            fields => internal_err!("a mark of {} expressions", fields.len()),
        }
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        internal_err!("a mark that was not taken off")
    }
}
