//! Outer tables with the name of a subquery's column: `orders.customer` in a subquery beside `customer.id`.
//!
//! DataFusion's planner tries all meanings of a qualified name in the subquery's tables before it looks at the outer
//! tables, and there `customer.id` may mean the field `id` of the column `customer`:
//!
//! ```text
//!   SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM orders WHERE orders.customer = customer.id)
//! ```
//!
//! So field access on a column without fields raises a special error ([`Fields`]), which ordinary statements never
//! cause, and the statement is planned again with unique names for its tables ([`planned`]). The user never sees the
//! marks of these names ([`unmarked`](crate::parse::marks::unmarked)).

use crate::parse::marks::MARK;
use crate::parse::walk::{Walk, WalkMut};
use crate::tree::search::any_expression_of_plan;
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{Column, DataFusionError, Result, SchemaError, TableReference};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult};
use datafusion::logical_expr::{Expr as Planned, LogicalPlan};
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, ObjectName, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, Statement, TableAlias,
    TableFactor, Visitor, VisitorMut,
};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// The mark behind a name that was taken for a column's.
const NO_FIELD: &str = "\u{2}\u{2}";

/// How the error of a planner begins that found such a column in a query between the table's and the innermost one.
const BETWEEN: &str = "Nested identifiers are not yet supported";

/// Finds out that a name is not one of a column's field, since the column's type has none.
#[derive(Debug)]
pub(crate) struct Fields;

impl ExprPlanner for Fields {
    fn plan_compound_identifier(
        &self,
        field: &Field,
        _: Option<&TableReference>,
        nested_names: &[String],
    ) -> Result<PlannerResult<Vec<Planned>>> {
        Ok(match (field.data_type(), nested_names) {
            (DataType::Struct(_) | DataType::Map(..), _) => PlannerResult::Original(Vec::new()),
            (_, [name]) => {
                let table = TableReference::bare(format!("{}{NO_FIELD}", field.name()));
                PlannerResult::Planned(Planned::Column(Column::new(Some(table), name)))
            }
            _ => PlannerResult::Original(Vec::new()),
        })
    }
}

/// The plan of a statement, with other names for its tables if the planner takes one of them for a column's, and for its
/// columns if the planner calls two of a list alike.
pub(crate) fn planned(
    statement: Statement,
    mut plan_once: impl FnMut(Statement) -> Result<LogicalPlan>,
) -> Result<LogicalPlan> {
    let mut plan = |statement: Statement| match plan_once(statement.clone()) {
        Err(error) if crate::names::duplicate_columns::is_of_repeated_names(&error) => {
            plan_once(crate::names::duplicate_columns::with_numbers(statement)).map_err(|_| error)
        }
        outcome => outcome,
    };
    if !has_subquery(&statement) {
        return plan(statement);
    }
    match plan(statement.clone()) {
        // Not every column is looked for while the plan is made.
        Ok(mistaken) if any_expression_of_plan(&mistaken, is_no_field) => plan(with_marked_tables(statement)),
        Err(error) if is_mistaken(&error) => plan(with_marked_tables(statement)).map_err(|_| error),
        outcome => outcome,
    }
}

fn is_mistaken(error: &DataFusionError) -> bool {
    match error {
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => is_mistaken(inner),
        DataFusionError::Collection(errors) => errors.iter().any(is_mistaken),
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound { field, .. } => is_marked_column(field),
            _ => false,
        },
        DataFusionError::NotImplemented(message) => message.starts_with(BETWEEN),
        _ => false,
    }
}

fn is_no_field(expr: &Planned) -> bool {
    matches!(expr, Planned::Column(column) if is_marked_column(column))
}

fn is_marked_column(column: &Column) -> bool {
    column.relation.as_ref().is_some_and(|relation| relation.table().ends_with(NO_FIELD))
}

fn has_subquery(statement: &Statement) -> bool {
    struct Queries(usize);
    impl Visitor for Queries {
        type Break = ();

        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.0 += 1;
            if self.0 > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    statement.walk(&mut Queries(0)).is_break()
}

/// Gives every table another name wherever it is named. All of one name get the same one: so each hides those around it
/// as before.
fn with_marked_tables(mut statement: Statement) -> Statement {
    let mut tables = Tables::default();
    // The visitors do not break.
    let _ = statement.walk(&mut tables);
    let _ = statement.walk_mut(&mut Marks { tables });
    statement
}

/// The qualifiers of columns: the names of tables, with and without their schemas.
#[derive(Default)]
struct Tables {
    names: HashSet<Vec<String>>,
}

impl Tables {
    fn has(&self, parts: &[Ident]) -> bool {
        self.names.contains(&parts.iter().map(|part| part.value.clone()).collect::<Vec<_>>())
    }
}

impl Visitor for Tables {
    type Break = ();

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        match table {
            TableFactor::Table { name, alias: None, args: None, .. } => {
                let parts = name.0.iter().filter_map(|part| part.as_ident()).map(|part| part.value.clone());
                let parts: Vec<String> = parts.collect();
                self.names.extend(parts.last().map(|last| vec![last.clone()]));
                self.names.insert(parts);
            }
            TableFactor::Table { alias: Some(alias), .. }
            | TableFactor::Derived { alias: Some(alias), .. }
            | TableFactor::NestedJoin { alias: Some(alias), .. }
            | TableFactor::UNNEST { alias: Some(alias), .. }
            | TableFactor::Function { alias: Some(alias), .. } => {
                self.names.insert(vec![alias.name.value.clone()]);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

struct Marks {
    tables: Tables,
}

impl VisitorMut for Marks {
    type Break = ();

    fn pre_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<()> {
        match table {
            TableFactor::Table { name, alias: alias @ None, args: None, .. } => {
                let last = name.0.last().and_then(|part| part.as_ident());
                *alias =
                    last.map(|last| TableAlias { explicit: true, name: marked(last), columns: Vec::new(), at: None });
            }
            TableFactor::Table { alias: Some(alias), .. }
            | TableFactor::Derived { alias: Some(alias), .. }
            | TableFactor::NestedJoin { alias: Some(alias), .. }
            | TableFactor::UNNEST { alias: Some(alias), .. }
            | TableFactor::Function { alias: Some(alias), .. } => alias.name = marked(&alias.name),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            if let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) = item {
                let parts: Vec<Ident> = name.0.iter().filter_map(|part| part.as_ident()).cloned().collect();
                if let Some(last) = parts.last().filter(|_| self.tables.has(&parts)) {
                    *name = ObjectName::from(marked(last));
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [qualifier @ .., column] = parts.as_slice()
            && let Some(table) = qualifier.last().filter(|_| self.tables.has(qualifier))
        {
            *parts = vec![marked(table), column.clone()];
        }
        ControlFlow::Continue(())
    }
}

fn marked(name: &Ident) -> Ident {
    Ident::with_quote('"', format!("{}{MARK}", name.value))
}
