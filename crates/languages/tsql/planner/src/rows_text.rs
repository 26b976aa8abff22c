//! FOR JSON and FOR XML: one row with the text of a query's rows, in their order.
//!
//! ```text
//!   FROM "mssql:table:format"('layout', (SELECT ... ORDER BY ... OFFSET 0))      RowsText over the query
//! ```
//!
//! `OFFSET 0` keeps the order, since the planner takes it for a limit; the operator requires the order of its input.
//! Without rows it gives no row.

use super::function::failed;
use super::types::{declared_type as type_of_field, field as field_of};
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, DFSchemaRef, Result, internal_err, plan_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, OrderingRequirements, Partitioning, PhysicalExpr,
};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties};
use datafusion::sql::sqlparser::ast::{self, FunctionArg, FunctionArgExpr, TableFactor};
use futures::{StreamExt, stream};
use mainstay_columnar::values::{array_of, value_at};
use mainstay_planner::tools::{self, ORIGINAL_NAME};
use mainstay_tsql_types::rows_text::{Layout, RowsColumn, Shape};
use mainstay_tsql_types::{DataType, Length};
use mainstay_types::{Value, ValueRef};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The name of the only column.
const TEXT: &str = "#text";

/// The text of the input's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowsText {
    input: LogicalPlan,
    shape: Shape,
    schema: DFSchemaRef,
}

impl RowsText {
    /// The arguments are the layout and the query.
    pub(super) fn plan(args: &[FunctionArg], context: &mut dyn RelationPlannerContext) -> Result<LogicalPlan> {
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(layout)), FunctionArg::Unnamed(FunctionArgExpr::Expr(query))] =
            args
        else {
            return plan_err!("format takes a layout and a query");
        };
        let layout = match layout {
            ast::Expr::Value(value) => value.value.clone().into_string().and_then(|text| Layout::read(&text)),
            _ => None,
        };
        let (Some(layout), ast::Expr::Subquery(query)) = (layout, query) else {
            return plan_err!("format takes a layout and a query");
        };
        let subquery = TableFactor::Derived { lateral: false, subquery: query.clone(), alias: None, sample: None };
        let input = context.plan(subquery)?;
        let columns = input.schema().fields().iter().enumerate().map(|(place, field)| {
            let shown = field.metadata().get(ORIGINAL_NAME).filter(|name| name.to_lowercase() == *field.name());
            RowsColumn {
                name: shown.unwrap_or(field.name()).clone(),
                data_type: type_of_field(field).unwrap_or(DataType::NVarChar(Length::Max)),
                table: table_of(&input, place),
            }
        });
        let shape = layout.shape(columns.collect()).map_err(failed)?;
        let schema = DFSchema::try_from(Schema::new(vec![field_of(TEXT, shape.data_type())]))?;
        let node = RowsText { input, shape, schema: Arc::new(schema) };
        Ok(LogicalPlan::Extension(Extension { node: Arc::new(node) }))
    }
}

/// The table that a column of a plan comes from as it is, by the name that it goes by.
fn table_of(plan: &LogicalPlan, place: usize) -> Option<String> {
    match plan {
        LogicalPlan::Projection(projection) => {
            let mut expr = projection.expr.get(place)?;
            while let Expr::Alias(alias) = expr {
                expr = &alias.expr;
            }
            let Expr::Column(column) = expr else { return None };
            match &column.relation {
                Some(relation) => Some(relation.table().to_owned()),
                None => table_of(&projection.input, projection.input.schema().index_of_column(column).ok()?),
            }
        }
        LogicalPlan::Sort(sort) => table_of(&sort.input, place),
        LogicalPlan::Limit(limit) => table_of(&limit.input, place),
        LogicalPlan::Distinct(distinct) => table_of(distinct.input(), place),
        other => other.schema().qualified_field(place).0.map(|relation| relation.table().to_owned()),
    }
}

impl Hash for RowsText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.input.hash(state);
    }
}

impl PartialOrd for RowsText {
    fn partial_cmp(&self, other: &RowsText) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for RowsText {
    fn name(&self) -> &str {
        "RowsText"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowsText")
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<RowsText> {
        match inputs.pop() {
            Some(input) => Ok(RowsText { input, ..self.clone() }),
            None => internal_err!("a text of rows without its input"),
        }
    }
}

/// The operator of [`RowsText`].
pub(super) struct RowsTextExec {
    input: Arc<dyn ExecutionPlan>,
    shape: Arc<Shape>,
    schema: SchemaRef,
    order: Option<OrderingRequirements>,
    /// The columns of the input that are shown, where that is not all: columns that only the order needs are not.
    shown: Option<Vec<Arc<dyn PhysicalExpr>>>,
    properties: Arc<PlanProperties>,
}

impl RowsTextExec {
    pub(super) fn planned(node: &RowsText, inputs: &[Arc<dyn ExecutionPlan>]) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(input) = inputs.first() else { return internal_err!("a text of rows without its input") };
        let schema: SchemaRef = Arc::new(node.schema.as_arrow().clone());
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        let (mut input, mut shown) = (Arc::clone(input), None);
        // An order by what is not shown is none of the list's, and would not be kept for it: it is asked for below.
        if input.output_ordering().is_none()
            && let Some(list) = input.downcast_ref::<ProjectionExec>()
            && list.input().output_ordering().is_some()
        {
            let exprs = list.expr().iter().map(|part| Arc::clone(&part.expr)).collect();
            let below = Arc::clone(list.input());
            (input, shown) = (below, Some(exprs));
        }
        let order = input.output_ordering().cloned().map(OrderingRequirements::from);
        let shape = Arc::new(node.shape.clone());
        Ok(Arc::new(RowsTextExec { input, shape, schema, order, shown, properties: Arc::new(properties) }))
    }
}

impl fmt::Debug for RowsTextExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowsText")
    }
}

impl DisplayAs for RowsTextExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowsText")
    }
}

impl ExecutionPlan for RowsTextExec {
    fn name(&self) -> &'static str {
        "RowsText"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition]
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.order.clone()]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(input) = children.pop() else { return internal_err!("a text of rows without its input") };
        Ok(Arc::new(RowsTextExec {
            input,
            shape: Arc::clone(&self.shape),
            schema: Arc::clone(&self.schema),
            order: self.order.clone(),
            shown: self.shown.clone(),
            properties: Arc::clone(&self.properties),
        }))
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        let (shape, schema) = (Arc::clone(&self.shape), Arc::clone(&self.schema));
        let shown = self.shown.clone();
        let made = async move { text_of(input, &shape, shown.as_deref(), schema).await };
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream::once(made))))
    }
}

async fn text_of(
    mut input: SendableRecordBatchStream,
    shape: &Shape,
    shown: Option<&[Arc<dyn PhysicalExpr>]>,
    schema: SchemaRef,
) -> Result<RecordBatch> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    while let Some(batch) = input.next().await {
        let batch = batch?;
        let columns = match shown {
            Some(shown) => {
                let one = |expr: &Arc<dyn PhysicalExpr>| expr.evaluate(&batch)?.into_array(batch.num_rows());
                shown.iter().map(one).collect::<Result<Vec<_>>>()?
            }
            None => batch.columns().to_vec(),
        };
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| value_at(column.as_ref(), row));
            rows.push(cells.collect::<mainstay_types::Result<Vec<_>>>().map_err(tools::failed)?);
        }
    }
    let text = shape.text(&rows).map_err(failed)?;
    let Some(text) = text else { return Ok(RecordBatch::new_empty(schema)) };
    let column = array_of(schema.field(0).data_type(), &[ValueRef::Text(&text)]);
    Ok(RecordBatch::try_new(schema, vec![column])?)
}
