//! STRING_SPLIT, OPENJSON and similar functions in FROM, as leaves whose arguments may be columns of the row at the left.
//!
//! ```text
//!   "mssql:table:openjson"('detail', doc, '$.lines')      Rowset { arguments }    leaf of the logical plan
//!       each argument a constant, or a placeholder that the planner gives its value for each row
//!                                                         RowsetExec              its rows, batch by batch
//! ```

use super::function::failed;
use super::types::{declared_type as type_of_field, field as field_of};
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, DFSchemaRef, Result, ScalarValue, internal_err, plan_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, ExprSchemable, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion::physical_planner::Planning;
use mainstay_columnar::values::{array_of, value_at};
use mainstay_planner::tools::{self, ORIGINAL_NAME};
use mainstay_tsql_types::rowset::{RowFunction, Rows};
use mainstay_tsql_types::{Context, DataType};
use mainstay_types::{Value, ValueRef};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A call of such a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rowset {
    name: String,
    function: RowFunction,
    arguments: Vec<Expr>,
    schema: DFSchemaRef,
}

impl Rowset {
    /// The first argument is the detail, a literal.
    pub(super) fn plan(name: &str, mut arguments: Vec<Expr>) -> Result<LogicalPlan> {
        if arguments.is_empty() {
            return plan_err!("{name} without its detail");
        }
        let detail = match arguments.remove(0) {
            Expr::Literal(ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)), _) => text,
            _ => return Err(tools::unknown_source(name)),
        };
        let none = DFSchema::empty();
        let data_type =
            |argument: &Expr| -> Result<Option<DataType>> { Ok(type_of_field(&argument.to_field(&none)?.1)) };
        let types = arguments.iter().map(data_type).collect::<Result<Vec<_>>>()?;
        let function = RowFunction::new(name, &detail, &types).map_err(failed)?;
        let fields = function.columns().iter().map(|column| {
            let field = field_of(&column.name.to_lowercase(), column.data_type);
            let mut metadata = field.metadata().clone();
            metadata.insert(ORIGINAL_NAME.to_owned(), column.name.clone());
            field.with_metadata(metadata)
        });
        let fields = fields.collect::<Vec<_>>();
        let schema = DFSchema::try_from(Schema::new(fields))?;
        let node = Rowset { name: name.to_owned(), function, arguments, schema: Arc::new(schema) };
        Ok(LogicalPlan::Extension(Extension { node: Arc::new(node) }))
    }
}

impl Hash for Rowset {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.arguments.hash(state);
    }
}

impl PartialOrd for Rowset {
    fn partial_cmp(&self, other: &Rowset) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for Rowset {
    fn name(&self) -> &str {
        "Rowset"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        Vec::new()
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        self.arguments.clone()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rowset: {}", self.name)
    }

    fn with_exprs_and_inputs(&self, arguments: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Rowset> {
        match inputs.is_empty() {
            true => Ok(Rowset { arguments, ..self.clone() }),
            false => internal_err!("a rowset with an input"),
        }
    }
}

/// The operator of a [`Rowset`].
pub(super) struct RowsetExec {
    name: String,
    function: RowFunction,
    arguments: Vec<Arc<dyn PhysicalExpr>>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl RowsetExec {
    pub(super) fn planned(node: &Rowset, planning: &Planning<'_>) -> Result<Arc<dyn ExecutionPlan>> {
        let none = DFSchema::empty();
        let expr = |argument: &Expr| planning.expression(argument, &none);
        let arguments = node.arguments.iter().map(expr).collect::<Result<Vec<_>>>()?;
        let schema: SchemaRef = Arc::new(node.schema.as_arrow().clone());
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let (name, function, properties) = (node.name.clone(), node.function.clone(), Arc::new(properties));
        Ok(Arc::new(RowsetExec { name, function, arguments, schema, properties }))
    }

    /// The rows as they are made.
    fn rows(&self) -> Result<Rows> {
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        let one = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options)?;
        let value = |argument: &Arc<dyn PhysicalExpr>| -> Result<Value> {
            let array = argument.evaluate(&one)?.into_array(1)?;
            value_at(array.as_ref(), 0).map_err(tools::failed)
        };
        let values = self.arguments.iter().map(value).collect::<Result<Vec<_>>>()?;
        let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        self.function.rows(&Context::default(), &values).map_err(failed)
    }
}

/// The next rows as a batch; `None` behind the last.
fn next_batch(schema: &SchemaRef, rows: &mut Rows, most: usize) -> Result<Option<RecordBatch>> {
    tools::check_cancellation()?;
    let part = rows.by_ref().take(most).collect::<std::result::Result<Vec<_>, _>>().map_err(failed)?;
    if part.is_empty() {
        return Ok(None);
    }
    let columns = schema.fields().iter().enumerate().map(|(place, field)| {
        let cells: Vec<ValueRef<'_>> =
            part.iter().map(|row| row.get(place).map_or(ValueRef::Null, Value::as_ref)).collect();
        array_of(field.data_type(), &cells)
    });
    let columns = columns.collect();
    let options = RecordBatchOptions::new().with_row_count(Some(part.len()));
    Ok(Some(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?))
}

impl fmt::Debug for RowsetExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rowset({})", self.name)
    }
}

impl DisplayAs for RowsetExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rowset: {}", self.name)
    }
}

impl ExecutionPlan for RowsetExec {
    fn name(&self) -> &'static str {
        "Rowset"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for argument in &self.arguments {
            if visit(argument)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let check = tools::running_statement(&context)?;
        let (mut rows, schema) = (self.rows()?, Arc::clone(&self.schema));
        let most = context.session_config().batch_size();
        let next = move || check().and_then(|()| next_batch(&schema, &mut rows, most)).transpose();
        let batches = futures::stream::iter(std::iter::from_fn(next));
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), batches)))
    }
}
