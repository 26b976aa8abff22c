//! What an answer's column keeps of a table's: the length of a CHAR field and the form of a field of numbers.
//!
//! DataFusion hands a field's metadata on with the first argument of an operator and with the first query of a UNION, whose
//! values may be longer than the field. Only a column that comes from a table as it is keeps them here.

use crate::rules::{FIELD_COLUMN, SHOWN_LENGTH};
use datafusion::arrow::datatypes::{Field, FieldRef, Schema, SchemaRef};
use datafusion::common::JoinType;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan};
use std::sync::Arc;

/// The columns of an answer, with what their fields are only where the values are those of a table's field.
pub(crate) fn only_of_tables(schema: SchemaRef, logical: &LogicalPlan) -> SchemaRef {
    let says = |field: &Field| [FIELD_COLUMN, SHOWN_LENGTH].iter().any(|key| field.metadata().contains_key(*key));
    let is_computed = |place: usize, field: &FieldRef| says(field) && !is_of_table(logical, place);
    if !schema.fields().iter().enumerate().any(|(place, field)| is_computed(place, field)) {
        return schema;
    }
    let forgetting = |(place, field): (usize, &FieldRef)| {
        if !is_computed(place, field) {
            return Arc::clone(field);
        }
        let mut metadata = field.metadata().clone();
        metadata.retain(|key, _| ![FIELD_COLUMN, SHOWN_LENGTH].contains(&key.as_str()));
        Arc::new(field.as_ref().clone().with_metadata(metadata))
    };
    Arc::new(Schema::new(schema.fields().iter().enumerate().map(forgetting).collect::<Vec<FieldRef>>()))
}

/// Whether a column of a plan is one of a table, its values unchanged.
fn is_of_table(plan: &LogicalPlan, place: usize) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
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
        Expr::Column(column) => {
            input.schema().maybe_index_of_column(column).is_some_and(|place| is_of_table(input, place))
        }
        _ => false,
    }
}
