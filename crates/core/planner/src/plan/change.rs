//! The planner's part of INSERT, UPDATE and DELETE.
//!
//! A change is a query and an action on its rows:
//!
//! ```text
//!   UPDATE t SET a = e FROM f WHERE c      SELECT t._position, e FROM t, f WHERE c      then each row is changed
//!   DELETE FROM t USING f WHERE c          SELECT t._position FROM t, f WHERE c         then each row is ended
//!   INSERT INTO t SELECT ...               SELECT ...                                   then each row is converted
//! ```
//!
//! So conditions use the same indexes, with the same meaning, as in queries. Expressions over the rows themselves
//! (DEFAULT, CHECK, computed columns, RETURNING, ON CONFLICT DO UPDATE) are evaluated on batches of them, without a
//! plan: [`RowExpressions`].

use crate::catalog::Visibility;
use crate::catalog::sequences::Sequences;
use crate::catalog::{Catalog, Relation};
use crate::error::unsupported;
use crate::error::{Names, from_datafusion};
use crate::fields::{ORIGINAL_NAME, lower_case};
use crate::names::name::Name;
use crate::parse::fragments::{expression, select_of, template};
use crate::parse::text::Text;
use crate::parse::walk::WalkMut;
use crate::plan::context::StatementContext;
use crate::plan::planned::Planned;
use crate::plan::planner::{Planner, functions};
use crate::plan::statement::{Delete, LockingQuery, Returning, Update};
use crate::tree::nodes::Tree;
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use datafusion::common::{DFSchema, DataFusionError};
use datafusion::logical_expr::ExprSchemable;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::sql::planner::{ParserOptions, PlannerContext, SqlToRel};
use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, ObjectNamePart, Query, SelectItem,
    SelectItemQualifiedWildcardKind, Statement, TableAlias, TableFactor, TableWithJoins, VisitorMut, With,
};
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;
use std::sync::Arc;

/// An expression as the parser gives it.
pub type SqlExpr = Expr;

/// The hidden column of a native table by which a version of a row is found again.
pub const POSITION: &str = "_position";

/// The hidden column of a DBF table by which a record is found again: its number, from 1.
pub const RECORD_NUMBER: &str = "_recno";

/// Expressions over rows that are at hand.
pub struct RowExpressions {
    expressions: Vec<Arc<dyn PhysicalExpr>>,
    schema: SchemaRef,
    is_momentary: bool,
}

impl RowExpressions {
    /// The names and types of the results.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The columns that they are, if they are nothing but columns of the rows.
    pub fn columns(&self) -> Option<Vec<usize>> {
        let column = |expression: &Arc<dyn PhysicalExpr>| {
            let any: &dyn std::any::Any = expression.as_ref();
            any.downcast_ref::<Column>().map(Column::index)
        };
        self.expressions.iter().map(column).collect()
    }

    /// Returns true if the time of day is part of them, which is that of their compilation.
    pub fn is_momentary(&self) -> bool {
        self.is_momentary
    }

    /// The results for each row. The batch has the columns that the expressions were compiled for, in their order.
    pub fn evaluate(&self, rows: &RecordBatch) -> Result<RecordBatch> {
        let failed = |error: DataFusionError| from_datafusion(error, None, None);
        let mut columns = Vec::with_capacity(self.expressions.len());
        for expression in &self.expressions {
            let value = expression.evaluate(rows).map_err(failed)?;
            columns.push(value.into_array(rows.num_rows()).map_err(failed)?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(|error| Error::new(Code::Internal, format!("an expression gave another type: {error}")))
    }
}

/// A catalog without tables: row expressions name none.
struct NoTables {
    sequences: Option<Arc<dyn Sequences>>,
}

impl Catalog for NoTables {
    fn relation(&self, _: &str) -> Result<Option<Relation>> {
        Ok(None)
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn version(&self) -> u64 {
        0
    }

    fn sequences(&self) -> Option<Arc<dyn Sequences>> {
        self.sequences.clone()
    }
}

/// A query that locks rows, with the position of each as one more column.
pub(crate) fn positioned(locking: &LockingQuery) -> Result<Statement> {
    let mut query = locking.query.as_ref().clone();
    let position = position_of(&locking.table, locking.alias.as_ref(), POSITION);
    let items = &mut select_of(&mut query)?.projection;
    items.push(SelectItem::ExprWithAlias { expr: position, alias: Ident::new(POSITION) });
    Ok(Statement::Query(Box::new(query)))
}

impl Planner {
    /// Plans the rows that an UPDATE changes: their positions, then the new value of each assignment that has an
    /// expression, in their order, then what RETURNING wants to have beside each row. `position` is the hidden column
    /// of the table by which its rows are found again.
    pub fn plan_update(
        &self,
        source: &str,
        update: &Update,
        (position, beside): (&str, &[Expr]),
        catalog: &dyn Catalog,
    ) -> Result<Planned> {
        let (text, statement) = update_query(source, update, (position, beside))?;
        self.plan_statement(&text, statement, catalog, Visibility::Live, true)
    }

    /// Plans the rows that a DELETE ends: their positions, then what RETURNING wants to have beside each row; `position`
    /// as for [`Planner::plan_update`].
    pub fn plan_delete(
        &self,
        source: &str,
        delete: &Delete,
        (position, beside): (&str, &[Expr]),
        catalog: &dyn Catalog,
    ) -> Result<Planned> {
        let (text, statement) = delete_query(source, delete, (position, beside))?;
        self.plan_statement(&text, statement, catalog, Visibility::Live, true)
    }

    /// Plans a query that locks its rows: the query itself, whose rows are not read, and the same with the position of each
    /// row as its last column, without a limit.
    pub fn plan_locking(
        &self,
        source: &str,
        locking: &LockingQuery,
        catalog: &dyn Catalog,
    ) -> Result<(Planned, Planned)> {
        let text = Text::new(source)?;
        let statement = |query: Query| Statement::Query(Box::new(query));
        let query = locking.query.as_ref().clone();
        let shown = self.plan_statement(&text, statement(query), catalog, Visibility::Live, false)?;
        let rows = self.plan_statement(&text, positioned(locking)?, catalog, Visibility::Live, true)?;
        Ok((shown, rows))
    }

    /// Plans the query of an INSERT.
    pub fn plan_insert(
        &self,
        source: &str,
        query: &Query,
        catalog: &dyn Catalog,
        visibility: Visibility,
    ) -> Result<Planned> {
        let text = Text::new(source)?;
        let statement = Statement::Query(Box::new(query.clone()));
        self.plan_statement(&text, statement, catalog, visibility, false)
    }

    /// Compiles expressions over the rows of tables under these names, whose columns follow each other in the batches.
    /// `sequences` are those that they may take values from.
    pub fn row_expressions(
        &self,
        expressions: &[Expr],
        tables: &[(&str, &SchemaRef)],
        sequences: Option<Arc<dyn Sequences>>,
    ) -> Result<RowExpressions> {
        let named: Vec<(Expr, Option<String>)> = expressions.iter().map(|expr| (expr.clone(), None)).collect();
        self.compile(&named, tables, sequences)
    }

    /// Compiles expressions that are kept as text.
    pub fn row_texts(&self, texts: &[&str], tables: &[(&str, &SchemaRef)]) -> Result<RowExpressions> {
        let expressions: Result<Vec<Expr>> = texts.iter().map(|text| expression(text)).collect();
        self.row_expressions(&expressions?, tables, None)
    }

    /// Compiles an expression that is kept as text, over no row, that may take values from sequences.
    pub fn sequence_text(&self, text: &str, sequences: Arc<dyn Sequences>) -> Result<RowExpressions> {
        self.row_expressions(&[expression(text)?], &[], Some(sequences))
    }

    /// Compiles what a RETURNING gives of the rows of a table, whose columns the batches have, and behind them the values
    /// that stand beside each row.
    pub fn row_returning(
        &self,
        returning: &BoundReturning,
        table: &str,
        schema: &SchemaRef,
        beside: &[Arc<Field>],
    ) -> Result<RowExpressions> {
        let named = |(number, field): (usize, &Arc<Field>)| field.as_ref().clone().with_name(beside_name(number));
        let beside: SchemaRef = Arc::new(Schema::new(beside.iter().enumerate().map(named).collect::<Vec<_>>()));
        match beside.fields().is_empty() {
            true => self.compile(&returning.items, &[(table, schema)], None),
            false => self.compile(&returning.items, &[(table, schema), (BESIDE, &beside)], None),
        }
    }

    fn compile(
        &self,
        named: &[(Expr, Option<String>)],
        tables: &[(&str, &SchemaRef)],
        sequences: Option<Arc<dyn Sequences>>,
    ) -> Result<RowExpressions> {
        let explained = |error: DataFusionError| {
            from_datafusion(error, None, Some(&Names { tables: Vec::new(), functions: functions() }))
        };
        let schema = joined(tables).map_err(explained)?;
        let context = StatementContext {
            state: self.state(),
            catalog: &NoTables { sequences },
            hidden_columns: true,
            visibility: Visibility::Live,
            fuse: false,
            view_depth: 0,
        };
        let options = ParserOptions::from(&self.state().config_options().sql_parser);
        let planner = SqlToRel::new_with_options(&context, options);
        let now = crate::types::current_time::now();
        let (mut expressions, mut fields, mut is_momentary) = (Vec::new(), Vec::new(), false);
        for (expr, name) in named {
            let expr = crate::reduce::reduced_expression(expr.clone())?;
            let logical = planner.sql_to_expr(expr.clone(), &schema, &mut PlannerContext::new()).map_err(explained)?;
            let dated = crate::types::current_time::with_the_time(logical, now).map_err(explained)?;
            is_momentary |= dated.transformed;
            let settled = match crate::dialect::owns_expression(&dated.data) {
                true => dated,
                false => crate::analyze::result_types::in_expression(dated.data, &schema).map_err(explained)?,
            };
            let cast = crate::analyze::cast::in_expression(settled.data, &schema).map_err(explained)?;
            let lowered = crate::dialect::lower_expression(cast.data, &schema).map_err(explained)?;
            let checked = crate::analyze::overflow::checked(lowered, &schema).map_err(explained)?;
            let read = checked.data.map_up(|expr| crate::types::uuid::read(expr, &schema)).map_err(explained)?;
            let read = crate::analyze::text_literals::in_expression(read.data, &schema).map_err(explained)?;
            let read = crate::types::ticks::in_expression(read.data, &schema).map_err(explained)?;
            let read = crate::analyze::cast::read_moments_in(read.data, &schema).map_err(explained)?;
            let logical = crate::analyze::collate::rewritten(read.data, &schema).map_err(explained)?.data;
            let (_, field) = logical.to_field(&schema).map_err(explained)?;
            let original = || field.metadata().get(ORIGINAL_NAME).cloned();
            let name = name.clone().or_else(original).unwrap_or_else(|| expr.to_string());
            let physical = self.state().create_physical_expr(logical, &schema).map_err(explained)?;
            let data_type = physical.data_type(schema.as_arrow()).map_err(explained)?;
            let declared = field.metadata().get_key_value(crate::fields::DECLARED);
            let metadata = declared.map(|(key, value)| (key.clone(), value.clone())).into_iter().collect();
            fields.push(Field::new(name, data_type, true).with_metadata(metadata));
            expressions.push(physical);
        }
        Ok(RowExpressions { expressions, schema: Arc::new(Schema::new(fields)), is_momentary })
    }
}

/// The names of the values beside a row in the expressions of a RETURNING.
const BESIDE: &str = "_beside";

fn beside_name(number: usize) -> String {
    format!("_value_{number}")
}

/// The expressions of a RETURNING, over the columns of the changed row and over values beside it: the row before the change
/// (`old.x`), and columns of the other tables of the statement.
#[derive(Clone, Debug, Default)]
pub struct BoundReturning {
    items: Vec<(Expr, Option<String>)>,
    /// The values beside each row, as the statement's query has to give them.
    pub beside: Vec<Expr>,
}

impl BoundReturning {
    /// Returns true if its items may name parameters.
    pub fn may_have_parameters(&self) -> bool {
        // A text that has such a sign is taken for one, too.
        self.items.iter().any(|(item, _)| item.to_string().contains(['$', '?']))
    }
}

impl Returning {
    /// The expressions over a table that the statement knows by this name.
    ///
    /// Errors: `Unsupported` for items that are no expressions.
    pub fn bind(&self, table: &str, schema: &SchemaRef) -> Result<BoundReturning> {
        let mut bound = BoundReturning::default();
        for item in &self.items {
            let (expr, name) = match item {
                SelectItem::UnnamedExpr(expr) => (expr, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.value.clone())),
                SelectItem::Wildcard(_) => {
                    bound.columns(table, table, schema);
                    continue;
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(of), _) => {
                    bound.columns(&of.to_string().replace('"', ""), table, schema);
                    continue;
                }
                other => return Err(unsupported(format!("RETURNING {other}"))),
            };
            // A column is headed by its own name, whatever row it is of.
            let name = name.or_else(|| match expr {
                Expr::CompoundIdentifier(parts) => parts.last().map(|part| part.value.clone()),
                _ => None,
            });
            let mut expr = expr.clone();
            let _ = expr.walk_mut(&mut BesideFinder { table, beside: &mut bound.beside });
            bound.items.push((expr, name));
        }
        Ok(bound)
    }
}

impl BoundReturning {
    /// All columns of the row as it is, or as it was.
    fn columns(&mut self, of: &str, table: &str, schema: &SchemaRef) {
        for field in schema.fields() {
            let column = Ident::with_quote('"', field.name().to_lowercase());
            let mut expr = Expr::CompoundIdentifier(vec![Ident::with_quote('"', of), column]);
            let _ = expr.walk_mut(&mut BesideFinder { table, beside: &mut self.beside });
            self.items.push((expr, Some(field.name().clone())));
        }
    }
}

/// Replaces columns that are not of the changed row by values beside it.
struct BesideFinder<'b> {
    table: &'b str,
    beside: &'b mut Vec<Expr>,
}

impl VisitorMut for BesideFinder<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(wanted) = before(expr) {
            *expr = self.value(wanted);
            return ControlFlow::Continue(());
        }
        let Expr::CompoundIdentifier(parts) = expr else { return ControlFlow::Continue(()) };
        let [table, column] = parts.as_slice() else { return ControlFlow::Continue(()) };
        let of_table =
            |column: &Ident| Expr::CompoundIdentifier(vec![Ident::with_quote('"', self.table), column.clone()]);
        let wanted = match table.value.as_str() {
            name if name == self.table || name == BESIDE => return ControlFlow::Continue(()),
            "new" => {
                *expr = of_table(column);
                return ControlFlow::Continue(());
            }
            "old" => of_table(column),
            _ => expr.clone(),
        };
        *expr = self.value(wanted);
        ControlFlow::Continue(())
    }
}

impl BesideFinder<'_> {
    /// A value that the query gives beside the row.
    fn value(&mut self, wanted: Expr) -> Expr {
        let known = self.beside.iter().position(|known| *known == wanted);
        let number = known.unwrap_or_else(|| {
            self.beside.push(wanted);
            self.beside.len() - 1
        });
        Expr::CompoundIdentifier(vec![Ident::new(BESIDE), Ident::new(beside_name(number))])
    }
}

/// A function of RETURNING: the value of its argument where the statement finds its rows, so of columns before they change, and
/// of those of the other tables.
const BEFORE: &str = "returning:before";

/// The argument of such a call.
fn before(expr: &Expr) -> Option<Expr> {
    let Expr::Function(call) = expr else { return None };
    let [ObjectNamePart::Identifier(name)] = call.name.0.as_slice() else { return None };
    let FunctionArguments::List(list) = &call.args else { return None };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] if name.value == BEFORE => Some(argument.clone()),
        _ => None,
    }
}

/// The query whose rows an UPDATE changes.
pub(crate) fn update_query(
    source: &str,
    update: &Update,
    (position, beside): (&str, &[Expr]),
) -> Result<(Text, Statement)> {
    let mut items = vec![position_of(&update.table, update.alias.as_ref(), position)];
    items.extend(update.assignments.iter().filter_map(|assignment| assignment.value.clone()));
    items.extend_from_slice(beside);
    let tables = tables(&update.table, update.alias.as_ref(), &update.from);
    rows_query((source, update.with.clone()), items, tables, update.condition.clone())
}

/// The query whose rows a DELETE ends.
pub(crate) fn delete_query(
    source: &str,
    delete: &Delete,
    (position, beside): (&str, &[Expr]),
) -> Result<(Text, Statement)> {
    let mut items = vec![position_of(&delete.table, delete.alias.as_ref(), position)];
    items.extend_from_slice(beside);
    let tables = tables(&delete.table, delete.alias.as_ref(), &delete.using);
    rows_query((source, delete.with.clone()), items, tables, delete.condition.clone())
}

fn rows_query(
    (source, with): (&str, Option<With>),
    items: Vec<Expr>,
    tables: Vec<TableWithJoins>,
    condition: Option<Expr>,
) -> Result<(Text, Statement)> {
    let text = Text::new(source)?;
    let mut query = template()?;
    select_of(&mut query)?.projection = items.into_iter().enumerate().map(numbered).collect();
    select_of(&mut query)?.from = tables;
    select_of(&mut query)?.selection = condition;
    query.with = with;
    Ok((text, Statement::Query(Box::new(query))))
}

fn joined(tables: &[(&str, &SchemaRef)]) -> Result<DFSchema, DataFusionError> {
    let mut joined = DFSchema::empty();
    for (name, schema) in tables {
        let fields: Vec<Field> = schema.fields().iter().map(|field| lower_case(field)).collect();
        let qualified = DFSchema::try_from_qualified_schema(*name, &Schema::new(fields))?;
        joined = if joined.fields().is_empty() { qualified } else { joined.join(&qualified)? };
    }
    Ok(joined)
}

/// The expression under a name of its own: two assignments may well be the same expression.
fn numbered((number, expr): (usize, Expr)) -> SelectItem {
    SelectItem::ExprWithAlias { expr, alias: Ident::new(format!("_value_{number}")) }
}

fn position_of(table: &Name, alias: Option<&Name>, position: &str) -> Expr {
    let table = called(table, alias).unwrap_or(&table.key);
    Expr::CompoundIdentifier(vec![Ident::new(table), Ident::new(position)])
}

/// The name of a change's target in its query, where that is not the table's. One that begins with `@`, a table
/// variable's, would be taken for a variable.
fn called<'n>(table: &Name, alias: Option<&'n Name>) -> Option<&'n str> {
    match alias {
        Some(alias) => Some(&alias.key),
        None => table.key.starts_with('@').then_some("_changed"),
    }
}

pub(crate) fn tables(table: &Name, alias: Option<&Name>, others: &[TableWithJoins]) -> Vec<TableWithJoins> {
    let mut parts: Vec<Ident> = table.schema.iter().map(Ident::new).collect();
    parts.push(Ident::new(table.key.clone()));
    let factor = TableFactor::Table {
        name: ObjectName::from(parts),
        alias: called(table, alias).map(|alias| TableAlias {
            explicit: true,
            name: Ident::new(alias),
            columns: Vec::new(),
            at: None,
        }),
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    };
    let first = TableWithJoins { relation: factor, joins: Vec::new() };
    std::iter::once(first).chain(others.iter().cloned()).collect()
}
