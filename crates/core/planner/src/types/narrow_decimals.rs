//! Sums and products of decimals whose values are small, without a check of each result.
//!
//! The result of `price * (1 - discount)` has the type DECIMAL(38,4), so the general operators calculate in 128 bits, check each
//! row for overflow, and a function checks its digits. The values themselves take a few dozen bits:
//! [`decimals`](mainstay_columnar::vector::decimals) calculates a batch of them without checks, and reports a batch that has
//! larger ones, which the general operators calculate then, from the same values of both sides.
//!
//! ```text
//!   checked_decimal(price * (1 - discount))    --->    Narrow(price * Narrow(1 - discount))
//! ```
//!
//! The rule runs after all others, which know the general operators. It changes what projections compute and what
//! aggregates take. The types and names of the columns stay.
//!
//! Limits: operators within CASE and within functions stay as they are if a row in them may be left out.

use crate::analyze::overflow::FITS;
use crate::tree::nodes::Tree;
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{ColumnarValue, Operator};
use datafusion::physical_expr::expressions::{BinaryExpr, CaseExpr, Column};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use mainstay_columnar::vector::decimals::{self, Operand};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Powers of ten up to this are within 64 bits.
const MOST_PLACES: u8 = 18;

/// The rule.
#[derive(Debug)]
pub(crate) struct NarrowDecimals;

impl PhysicalOptimizerRule for NarrowDecimals {
    fn name(&self) -> &str {
        "narrow_decimals"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| {
            let changed = match (node.downcast_ref::<ProjectionExec>(), node.downcast_ref::<AggregateExec>()) {
                (Some(projection), _) => in_projection(projection)?,
                (_, Some(aggregate)) => in_aggregate(aggregate)?,
                _ => None,
            };
            Ok(changed.map_or_else(|| Transformed::no(node), Transformed::yes))
        })
        .data()
    }
}

/// The projection with such expressions; `None` if it has no operator over decimals.
fn in_projection(projection: &ProjectionExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let (mut is_changed, input) = (false, projection.input());
    let mut item = |item: &ProjectionExpr| -> Result<ProjectionExpr> {
        let expr = narrowed(Arc::clone(&item.expr), &input.schema())?;
        is_changed |= expr.transformed;
        Ok(ProjectionExpr { expr: expr.data, alias: item.alias.clone() })
    };
    let items = projection.expr().iter().map(&mut item).collect::<Result<Vec<_>>>()?;
    if !is_changed {
        return Ok(None);
    }
    let schema = projection.schema();
    Ok(Some(Arc::new(ProjectionExec::try_new_with_schema_metadata(items, Arc::clone(input), &schema)?)))
}

/// The aggregates with such arguments; `None` if they have none, or take the states of others.
fn in_aggregate(aggregate: &AggregateExec) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let takes_rows =
        matches!(aggregate.mode(), AggregateMode::Partial | AggregateMode::Single | AggregateMode::SinglePartitioned);
    if !takes_rows {
        return Ok(None);
    }
    let (mut is_changed, schema) = (false, aggregate.input_schema());
    let mut functions = Vec::new();
    for function in aggregate.aggr_expr() {
        let arguments = function.expressions().into_iter().map(|argument| narrowed(argument, &schema));
        let arguments = arguments.collect::<Result<Vec<_>>>()?;
        let orders = function.order_bys().iter().map(|order| Arc::clone(&order.expr)).collect();
        let changed = match arguments.iter().any(|argument| argument.transformed) {
            true => function.with_new_expressions(arguments.into_iter().map(|it| it.data).collect(), orders),
            false => None,
        };
        is_changed |= changed.is_some();
        functions.push(changed.map_or_else(|| Arc::clone(function), Arc::new));
    }
    Ok(is_changed.then(|| Arc::new(aggregate.with_new_aggr_exprs(functions)) as Arc<dyn ExecutionPlan>))
}

/// The expression with operators over small decimals.
fn narrowed(expr: Arc<dyn PhysicalExpr>, schema: &Schema) -> Result<Transformed<Arc<dyn PhysicalExpr>>> {
    // A branch is calculated for some of the rows, in which the others have no part.
    if expr.has(|expr| Ok(expr.is::<CaseExpr>()))? {
        return Ok(Transformed::no(expr));
    }
    expr.map_up(|expr| {
        if let Some(call) = expr.downcast_ref::<ScalarFunctionExpr>()
            && call.name() == FITS
            && let [checked] = call.args()
            && let Some(narrow) = checked.downcast_ref::<Narrow>()
        {
            // Small results have at most 38 digits.
            let general = Arc::clone(&expr).with_new_children(vec![Arc::clone(&narrow.general)])?;
            return Ok(Transformed::yes(Arc::new(Narrow { whole: Arc::clone(&expr), general, ..narrow.clone() })));
        }
        let narrow = expr.downcast_ref::<BinaryExpr>().map(|binary| Narrow::of(&expr, binary, schema)).transpose()?;
        Ok(match narrow.flatten() {
            Some(narrow) => Transformed::yes(Arc::new(narrow) as Arc<dyn PhysicalExpr>),
            None => Transformed::no(expr),
        })
    })
}

/// The way to calculate small results.
#[derive(Clone, Copy, Debug)]
enum Calculation {
    Product,
    /// A sum or a difference of both sides, each times a power of ten.
    Sum {
        factors: [i64; 2],
        subtract: bool,
    },
}

/// A sum, difference or product of two decimals.
#[derive(Clone, Debug)]
struct Narrow {
    /// The expression of the general operators.
    whole: Arc<dyn PhysicalExpr>,
    sides: [Arc<dyn PhysicalExpr>; 2],
    /// The same over two columns, which are the values of the sides: these are calculated once.
    general: Arc<dyn PhysicalExpr>,
    /// The types of both sides.
    types: [DataType; 2],
    /// The type of the result.
    data_type: DataType,
    calculation: Calculation,
}

impl Narrow {
    /// For an operator of two decimals with a decimal result; `None` for another.
    fn of(whole: &Arc<dyn PhysicalExpr>, binary: &BinaryExpr, schema: &Schema) -> Result<Option<Narrow>> {
        let sides = [Arc::clone(binary.left()), Arc::clone(binary.right())];
        let types = [sides[0].data_type(schema)?, sides[1].data_type(schema)?];
        let data_type = whole.data_type(schema)?;
        let (DataType::Decimal128(_, left), DataType::Decimal128(_, right)) = (&types[0], &types[1]) else {
            return Ok(None);
        };
        let DataType::Decimal128(_, scale) = data_type else { return Ok(None) };
        let calculation = match binary.op() {
            Operator::Multiply if left.checked_add(*right) == Some(scale) => Calculation::Product,
            op @ (Operator::Plus | Operator::Minus) => {
                let factor = |own: i8| {
                    let places = u8::try_from(scale.checked_sub(own)?).ok().filter(|places| *places <= MOST_PLACES)?;
                    Some(10i64.pow(places.into()))
                };
                let (Some(left), Some(right)) = (factor(*left), factor(*right)) else { return Ok(None) };
                Calculation::Sum { factors: [left, right], subtract: *op == Operator::Minus }
            }
            _ => return Ok(None),
        };
        let columns: [Arc<dyn PhysicalExpr>; 2] = [Arc::new(Column::new("left", 0)), Arc::new(Column::new("right", 1))];
        let general = Arc::clone(whole).with_new_children(columns.to_vec())?;
        Ok(Some(Narrow { whole: Arc::clone(whole), sides, general, types, data_type, calculation }))
    }

    /// The results for small values; `None` where some are not, or are constants on both sides.
    fn calculated(&self, sides: &[ColumnarValue; 2]) -> Option<ArrayRef> {
        let [left, right] = [0, 1].map(|side| operand(&sides[side], &self.types[side]));
        let (left, right) = (left?, right?);
        let values = match self.calculation {
            Calculation::Product => decimals::products(left, right)?,
            Calculation::Sum { factors, subtract } => {
                decimals::sums((left, factors[0]), (right, factors[1]), subtract)?
            }
        };
        let nulls = |side: &ColumnarValue| match side {
            ColumnarValue::Array(array) => array.nulls().cloned(),
            ColumnarValue::Scalar(_) => None,
        };
        let nulls = NullBuffer::union(nulls(&sides[0]).as_ref(), nulls(&sides[1]).as_ref());
        let values = PrimitiveArray::<Decimal128Type>::try_new(values.into(), nulls).ok()?;
        Some(Arc::new(values.with_data_type(self.data_type.clone())))
    }
}

/// The values of one side, if they are of this type; none for NULL.
fn operand<'v>(side: &'v ColumnarValue, data_type: &DataType) -> Option<Operand<'v>> {
    match side {
        ColumnarValue::Array(array) if array.data_type() == data_type => {
            array.as_primitive_opt::<Decimal128Type>().map(|values| Operand::Column(values.values()))
        }
        ColumnarValue::Scalar(ScalarValue::Decimal128(Some(value), precision, scale))
            if DataType::Decimal128(*precision, *scale) == *data_type =>
        {
            Some(Operand::Constant(*value))
        }
        _ => None,
    }
}

/// The values of both sides as the columns of a batch.
fn batch_of(sides: [ColumnarValue; 2], rows: usize) -> Result<RecordBatch> {
    let arrays = sides.into_iter().map(|side| side.into_array(rows)).collect::<Result<Vec<_>>>()?;
    let field = |(array, name): (&ArrayRef, &str)| Field::new(name, array.data_type().clone(), true);
    let fields: Vec<Field> = arrays.iter().zip(["left", "right"]).map(field).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)?)
}

impl PartialEq for Narrow {
    fn eq(&self, other: &Narrow) -> bool {
        self.whole.eq(&other.whole)
    }
}

impl Eq for Narrow {}

impl Hash for Narrow {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.whole.hash(state);
    }
}

impl fmt::Display for Narrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole.fmt(f)
    }
}

impl PhysicalExpr for Narrow {
    fn return_field(&self, schema: &Schema) -> Result<FieldRef> {
        self.whole.return_field(schema)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let sides = [self.sides[0].evaluate(batch)?, self.sides[1].evaluate(batch)?];
        match self.calculated(&sides) {
            Some(values) => Ok(ColumnarValue::Array(values)),
            None => self.general.evaluate(&batch_of(sides, batch.num_rows())?),
        }
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.whole]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn PhysicalExpr>>) -> Result<Arc<dyn PhysicalExpr>> {
        // Without its children's types it is the general operator.
        match children.pop() {
            Some(whole) if children.is_empty() => Ok(whole),
            _ => internal_err!("an operator of another number of children than one"),
        }
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole.fmt_sql(f)
    }
}
