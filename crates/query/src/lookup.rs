//! Look-ups by a key, planned without the planner.
//!
//! `SELECT a, b FROM t WHERE k = 5` has one plan if an index serves the condition: the scan of that index. The general way
//! to it - a logical plan, rules, a physical plan - takes ten times as long as the look-up. Only what needs no rule of any
//! dialect comes here: columns of one table, equalities with literals of the columns' own kinds. Everything else, mistakes
//! included, is the planner's.

use crate::catalog::Relation;
use crate::context::StatementContext;
use crate::relation::TableRelation;
use crate::rules::CHAR_COLUMN;
use crate::scan::TableScan;
use crate::statement::{Cell, PointStatement, select};
use crate::text::Text;
use arrow_schema::{DataType, Field};
use datafusion::catalog::TableProvider;
use datafusion::sql::sqlparser::ast::Query;
use mainstay_base::Value;
use mainstay_table::{Comparison, Predicate, Table};
use std::sync::Arc;

/// The scan that a query is, and its table; `None` when it is anything else.
pub(crate) fn plan(query: &Query, text: &Text, context: &StatementContext<'_>) -> Option<(TableScan, Arc<dyn Table>)> {
    let PointStatement::Select { table: name, columns, key } = select(query, text)? else {
        return None;
    };
    if name.schema.is_some() {
        return None;
    }
    let Ok(Some(Relation::Table(table))) = context.catalog.relation(&name.key) else { return None };
    let relation = TableRelation::new(Arc::clone(&table), context.hidden_columns, context.visibility, true);
    let schema = relation.schema();
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
    let predicate = Some(crate::condition::all(parts));
    let scan = TableScan::new(Arc::clone(&table), &schema, columns, predicate, context.visibility, 1);
    scan.scan.source.access.is_some().then_some((scan, table))
}

/// The value that a column is compared with, where the planner would compare it as it is.
fn compared(field: &Field, value: Value) -> Option<Value> {
    match (field.data_type(), value) {
        (
            DataType::Decimal128(..) | DataType::Int32 | DataType::Int64,
            value @ (Value::Integer(_) | Value::Decimal(_)),
        )
        | (DataType::Date32, value @ Value::Date(_)) => Some(value),
        (DataType::Utf8View, Value::Text(mut text)) if !crate::collate::has_collation(field) => {
            if field.metadata().contains_key(CHAR_COLUMN) {
                text.truncate(text.trim_end_matches(' ').len());
            }
            Some(Value::Text(text))
        }
        _ => None,
    }
}
