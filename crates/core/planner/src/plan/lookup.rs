//! Key look-ups and row counts, planned without DataFusion's planner.
//!
//! `SELECT a, b FROM t WHERE k = 5` has one plan if an index serves the condition: the scan of that index. `SELECT
//! COUNT(*) FROM t` has one in any case. The general way to it - a logical plan, rules, a physical plan - takes ten
//! times as long as the look-up, and longer than a count of a hundred thousand records. Only statements that need no
//! rule of any dialect come here: columns of one table, equalities with literals of the columns' own types. All others,
//! errors included, go to the planner.

use crate::catalog::Relation;
use crate::fields::CHAR_COLUMN;
use crate::leaves::relation::TableRelation;
use crate::leaves::scan::TableScan;
use crate::names::name::Name;
use crate::optimize::fuse::fused;
use crate::parse::text::Text;
use crate::plan::context::StatementContext;
use crate::plan::statement::{Cell, PointStatement, counted, select};
use arrow_schema::{DataType, Field};
use datafusion::catalog::TableProvider;
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::physical_expr::aggregate::AggregateExprBuilder;
use datafusion::physical_expr::expressions::lit;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::sql::sqlparser::ast::Query;
use mainstay_columnar::{Comparison, Predicate, Table};
use mainstay_types::Value;
use std::sync::Arc;

/// The leaf that a query is, and its table; `None` when it is anything else.
pub(crate) fn plan(
    query: &Query,
    text: &Text,
    context: &StatementContext<'_>,
) -> Option<(Arc<dyn ExecutionPlan>, Arc<dyn Table>)> {
    look_up(query, text, context).or_else(|| count(query, text, context))
}

fn look_up(
    query: &Query,
    text: &Text,
    context: &StatementContext<'_>,
) -> Option<(Arc<dyn ExecutionPlan>, Arc<dyn Table>)> {
    let PointStatement::Select { table: name, columns, key } = select(query, text)? else {
        return None;
    };
    let table = table_of(&name, context)?;
    let relation = TableRelation::new(Arc::clone(&table), context.hidden_columns, context.visibility, true)
        .collated(context.catalog);
    let schema = relation.schema();
    if context.catalog.reading().fills_blanks
        && schema.fields().iter().any(|field| crate::analyze::blank_fields::may_be_blank(field))
    {
        return None;
    }
    let columns = match columns {
        None => (0..schema.fields().len()).collect(),
        Some(names) => {
            let mut columns = Vec::with_capacity(names.len());
            for name in names {
                let column = schema.index_of(&name.key).ok()?;
                if columns.contains(&column) {
                    return None;
                }
                columns.push(column);
            }
            columns
        }
    };
    let mut parts = Vec::with_capacity(key.len());
    for (name, cell) in key {
        let (column, Cell::Constant(value)) = (schema.index_of(&name.key).ok()?, cell) else { return None };
        let value = compared(schema.field(column), value)?;
        parts.push(Predicate::Compare { column, op: Comparison::Equal, value });
    }
    let predicate = Some(crate::leaves::condition::all(parts));
    let scan = TableScan::new(Arc::clone(&table), &schema, columns, predicate, context.visibility, 1);
    scan.scan.source.access.is_some().then(|| (Arc::new(scan) as Arc<dyn ExecutionPlan>, table))
}

/// The leaf that counts a table's rows: the one that [`fused`] makes of what the planner would give.
fn count(
    query: &Query,
    text: &Text,
    context: &StatementContext<'_>,
) -> Option<(Arc<dyn ExecutionPlan>, Arc<dyn Table>)> {
    let table = table_of(&counted(query, text)?, context)?;
    let relation = TableRelation::new(Arc::clone(&table), context.hidden_columns, context.visibility, true);
    let scan: Arc<dyn ExecutionPlan> =
        Arc::new(TableScan::new(Arc::clone(&table), &relation.schema(), Vec::new(), None, context.visibility, 1));
    let of = scan.schema();
    let rows = AggregateExprBuilder::new(count_udaf(), vec![lit(1_i64)]).schema(Arc::clone(&of)).alias("count(*)");
    let rows = vec![Arc::new(rows.build().ok()?)];
    let all = PhysicalGroupBy::default();
    let general = AggregateExec::try_new(AggregateMode::Single, all, rows, vec![None], scan, of).ok()?;
    let general: Arc<dyn ExecutionPlan> = Arc::new(general);
    Some((fused(&general)?, table))
}

/// The table of this name, if it is one of ours.
fn table_of(name: &Name, context: &StatementContext<'_>) -> Option<Arc<dyn Table>> {
    if name.schema.is_some() {
        return None;
    }
    match context.catalog.relation(&name.key) {
        Ok(Some(Relation::Table(table))) => Some(table),
        _ => None,
    }
}

/// The value that a column is compared with, where the planner would compare it as it is.
fn compared(field: &Field, value: Value) -> Option<Value> {
    match (field.data_type(), value) {
        (
            DataType::Decimal128(..) | DataType::Int32 | DataType::Int64,
            value @ (Value::Integer(_) | Value::Decimal(_)),
        )
        | (DataType::Date32, value @ Value::Date(_)) => Some(value),
        (DataType::Utf8View, Value::Text(mut text)) if !crate::analyze::collate::has_collation(field) => {
            if field.metadata().contains_key(CHAR_COLUMN) {
                text.truncate(text.trim_end_matches(' ').len());
            }
            Some(Value::Text(text))
        }
        _ => None,
    }
}
