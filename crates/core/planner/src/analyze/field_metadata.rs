//! Metadata that a result column keeps from a table's column: the length of a CHAR field and the format of a numeric
//! field.
//!
//! DataFusion passes a field's metadata on with the first argument of an operator and with the first query of a UNION,
//! whose values may be longer than the field. This pass keeps it only for a column that comes from a table unchanged.

use crate::fields::{CHAR_COLUMN, FIELD_COLUMN, SHOWN_LENGTH};
use datafusion::arrow::datatypes::{FieldRef, Schema, SchemaRef};
use datafusion::common::{DFSchema, JoinType, Result};
use datafusion::logical_expr::{Distinct, EmptyRelation, Expr, LogicalPlan};
use std::sync::Arc;

/// The columns of an answer, with what their fields are only where the values are those of a table's field.
pub(crate) fn only_of_tables(schema: SchemaRef, logical: &LogicalPlan) -> SchemaRef {
    let columns = schema.fields().iter().enumerate();
    let known: Vec<FieldRef> = columns.map(|(place, field)| kept(field, logical, place)).collect();
    if known.iter().zip(schema.fields()).all(|(known, field)| Arc::ptr_eq(known, field)) {
        return schema;
    }
    Arc::new(Schema::new(known))
}

/// The plan of a query, or the one without rows that the optimizer found it to be: that one knows no more where its columns
/// come from, so only those that are of tables in the plan `before` are said to be.
pub(crate) fn of_no_rows(plan: LogicalPlan, before: &LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema }) => {
            let columns = schema.iter().enumerate();
            let known = columns.map(|(place, (table, field))| (table.cloned(), kept(field, before, place))).collect();
            let schema = Arc::new(DFSchema::new_with_metadata(known, schema.metadata().clone())?);
            Ok(LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema }))
        }
        plan => Ok(plan),
    }
}

/// A column of a plan, without what is said of a table's field if it is none.
fn kept(field: &FieldRef, plan: &LogicalPlan, place: usize) -> FieldRef {
    const SAID: [&str; 3] = [CHAR_COLUMN, FIELD_COLUMN, SHOWN_LENGTH];
    if !SAID.iter().any(|key| field.metadata().contains_key(*key)) || is_of_table(plan, place) {
        return Arc::clone(field);
    }
    let mut metadata = field.metadata().clone();
    metadata.retain(|key, _| !SAID.contains(&key.as_str()));
    Arc::new(field.as_ref().clone().with_metadata(metadata))
}

/// Returns true if a column of a plan is one of a table, its values unchanged.
pub(crate) fn is_of_table(plan: &LogicalPlan, place: usize) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        // See `of_no_rows`.
        LogicalPlan::EmptyRelation(of) => !of.produce_one_row,
        LogicalPlan::Projection(of) => of.expr.get(place).is_some_and(|expr| is_column_of_table(&of.input, expr)),
        LogicalPlan::Filter(of) => is_of_table(&of.input, place),
        LogicalPlan::Sort(of) => is_of_table(&of.input, place),
        LogicalPlan::Limit(of) => is_of_table(&of.input, place),
        LogicalPlan::SubqueryAlias(of) => is_of_table(&of.input, place),
        LogicalPlan::Distinct(Distinct::All(input)) => is_of_table(input, place),
        LogicalPlan::Aggregate(of) => of.group_expr.get(place).is_some_and(|expr| is_column_of_table(&of.input, expr)),
        LogicalPlan::Window(of) => place < of.input.schema().fields().len() && is_of_table(&of.input, place),
        LogicalPlan::Union(of) => of.inputs.iter().all(|input| is_of_table(input, place)),
        LogicalPlan::Join(of) => {
            let first = of.left.schema().fields().len();
            match of.join_type {
                JoinType::LeftSemi | JoinType::LeftAnti => is_of_table(&of.left, place),
                JoinType::RightSemi | JoinType::RightAnti => is_of_table(&of.right, place),
                _ if place < first => is_of_table(&of.left, place),
                _ => place - first < of.right.schema().fields().len() && is_of_table(&of.right, place - first),
            }
        }
        _ => false,
    }
}

fn is_column_of_table(input: &LogicalPlan, expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => is_column_of_table(input, &alias.expr),
        Expr::ScalarFunction(_) if let Some(column) = crate::analyze::blank_fields::filled_column(expr) => {
            is_column_of_table(input, column)
        }
        Expr::Column(column) => {
            input.schema().maybe_index_of_column(column).is_some_and(|place| is_of_table(input, place))
        }
        _ => false,
    }
}
