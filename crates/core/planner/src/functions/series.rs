//! `generate_series(start, stop [, step])` in FROM: integers, or timestamps at an interval.
//!
//! As in PostgreSQL the column has the name of the alias or of the function, `stop` is included if a step reaches it,
//! there are no rows if the steps lead away from it or an argument is NULL, and a zero step is an error. Limit: the
//! arguments are constants.

use crate::carried_error::to_datafusion;
use arrow_array::timezone::Tz;
use arrow_array::types::{IntervalMonthDayNano, TimestampMicrosecondType};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{Field, Schema, SchemaRef, SortOptions};
use datafusion::arrow::datatypes::{DataType, IntervalUnit, TimeUnit};
use datafusion::catalog::TableProvider;
use datafusion::common::{DFSchema, Result, ScalarValue, exec_err, plan_err};
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, ident};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::memory::{LazyBatchGenerator, LazyMemoryExec};
use datafusion::sql::sqlparser::ast::{FunctionArg, FunctionArgExpr, TableAlias};
use mainstay_types::interrupt;
use parking_lot::RwLock;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The name of the function, and of its column.
pub(crate) const NAME: &str = "generate_series";

/// Moments without a time zone, as all tables have them.
const MOMENT: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);
const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// The rows of a call.
pub(crate) fn plan(
    args: &[FunctionArg],
    alias: Option<&TableAlias>,
    context: &mut dyn RelationPlannerContext,
) -> Result<LogicalPlan> {
    let mut constants = Vec::with_capacity(args.len());
    for arg in args {
        let FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)) = arg else { return plan_err!("{NAME} of {arg}") };
        constants.push(constant(context.sql_to_expr(arg.clone(), &DFSchema::empty())?)?);
    }
    let rows = provider_as_source(Arc::new(Series::of(&constants)?));
    let name = alias.filter(|alias| alias.columns.is_empty()).map_or(NAME, |alias| alias.name.value.as_str());
    LogicalPlanBuilder::scan(NAME, rows, None)?.project([ident("value").alias(name)])?.build()
}

/// The value of an argument.
fn constant(expr: Expr) -> Result<ScalarValue> {
    let simplifier = ExprSimplifier::new(SimplifyContext::default());
    match simplifier.simplify(simplifier.coerce(expr, &DFSchema::empty())?)? {
        Expr::Literal(value, _) => Ok(value),
        other => plan_err!("an argument of {NAME} is {other}, which is no constant"),
    }
}

/// How a series goes on.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Whole numbers, by this much.
    By(i64),
    /// Moments, by this interval, which leads to later ones or to earlier ones.
    After { interval: IntervalMonthDayNano, is_up: bool, zone: Tz },
}

impl Step {
    fn is_up(self) -> bool {
        match self {
            Step::By(step) => step > 0,
            Step::After { is_up, .. } => is_up,
        }
    }

    /// The value behind this one; `None` behind the last that there is.
    fn next(self, value: i64) -> Option<i64> {
        match self {
            Step::By(step) => value.checked_add(step),
            Step::After { interval, zone, .. } => TimestampMicrosecondType::add_month_day_nano(value, interval, zone),
        }
    }
}

/// The rows of a call, as a table of one column.
#[derive(Clone, Debug)]
struct Series {
    schema: SchemaRef,
    /// The first value, the last one and the step; `None` where one of them is NULL.
    range: Option<(i64, i64, Step)>,
}

impl Series {
    fn of(arguments: &[ScalarValue]) -> Result<Series> {
        let (start, stop, step) = match arguments {
            [start, stop] => (start, stop, None),
            [start, stop, step] => (start, stop, Some(step)),
            _ => return plan_err!("{NAME} takes a first value, a last one and perhaps a step"),
        };
        let is_moment =
            |value: &ScalarValue| matches!(value.data_type(), DataType::Timestamp(_, None) | DataType::Date32);
        let range = match is_moment(start) || is_moment(stop) {
            true => moments(start, stop, step)?,
            false => numbers(start, stop, step)?,
        };
        let data_type = if is_moment(start) || is_moment(stop) { MOMENT } else { DataType::Int64 };
        Ok(Series { schema: Arc::new(Schema::new(vec![Field::new("value", data_type, false)])), range })
    }
}

type Range = Option<(i64, i64, Step)>;

fn numbers(start: &ScalarValue, stop: &ScalarValue, step: Option<&ScalarValue>) -> Result<Range> {
    let number = |value: &ScalarValue| match value.data_type() {
        of if of.is_integer() || of.is_null() => match value.cast_to(&DataType::Int64)? {
            ScalarValue::Int64(number) => Ok(number),
            _ => plan_err!("{NAME} of {value}"),
        },
        _ => plan_err!("{NAME} takes whole numbers or moments, and not {value}"),
    };
    let step = step.map_or(Ok(Some(1)), number)?;
    let (Some(start), Some(stop), Some(step)) = (number(start)?, number(stop)?, step) else { return Ok(None) };
    match step {
        0 => plan_err!("the step of {NAME} is zero"),
        step => Ok(Some((start, stop, Step::By(step)))),
    }
}

fn moments(start: &ScalarValue, stop: &ScalarValue, step: Option<&ScalarValue>) -> Result<Range> {
    let moment = |value: &ScalarValue| match value.cast_to(&MOMENT)? {
        ScalarValue::TimestampMicrosecond(moment, _) => Ok(moment),
        _ => plan_err!("{NAME} of {value}"),
    };
    let Some(step) = step else { return plan_err!("{NAME} of moments takes a step") };
    let ScalarValue::IntervalMonthDayNano(step) = step.cast_to(&INTERVAL)? else {
        return plan_err!("the step of {NAME} is {step}, which is no interval");
    };
    let (Some(start), Some(stop), Some(step)) = (moment(start)?, moment(stop)?, step) else { return Ok(None) };
    // A day has 24 hours here and a month 30 days, as where intervals are compared.
    let days = i128::from(step.months) * 30 + i128::from(step.days);
    let micros = days * 86_400_000_000 + i128::from(step.nanoseconds / 1_000);
    match micros {
        0 => plan_err!("the step of {NAME} is zero"),
        micros => {
            let step = Step::After { interval: step, is_up: micros > 0, zone: "+00:00".parse()? };
            Ok(Some((start, stop, step)))
        }
    }
}

impl TableProvider for Series {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn scan(
        &self,
        session: &SessionState,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let rows = Rows::of(self.clone(), session.config().batch_size());
        let mut scan = LazyMemoryExec::try_new(self.schema(), vec![Arc::new(RwLock::new(rows))])?
            .with_projection(projection.cloned());
        if let Some((_, _, step)) = self.range
            && !scan.schema().fields().is_empty()
        {
            let order = SortOptions { descending: !step.is_up(), nulls_first: false };
            scan.add_ordering([PhysicalSortExpr::new(Arc::new(Column::new("value", 0)), order)]);
        }
        Ok(Arc::new(scan))
    }
}

/// The rows that are still to come.
#[derive(Debug)]
struct Rows {
    series: Series,
    next: Option<i64>,
    batch_size: usize,
}

impl Rows {
    fn of(series: Series, batch_size: usize) -> Rows {
        Rows { next: series.range.map(|(start, ..)| start), series, batch_size }
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

impl LazyBatchGenerator for Rows {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn generate_next_batch(&mut self) -> Result<Option<RecordBatch>> {
        interrupt::check().map_err(to_datafusion)?;
        let Some((_, stop, step)) = self.series.range else { return Ok(None) };
        let is_within = |value: i64| if step.is_up() { value <= stop } else { value >= stop };
        let mut values = Vec::new();
        while values.len() < self.batch_size
            && let Some(value) = self.next.filter(|value| is_within(*value))
        {
            values.push(value);
            self.next = step.next(value);
            // A month less 29 days leads back in February.
            if self.next.is_some_and(|next| (next > value) != step.is_up()) {
                return exec_err!("the step of {NAME} does not go on from here");
            }
        }
        if values.is_empty() {
            return Ok(None);
        }
        let values: ArrayRef = match step {
            Step::By(_) => Arc::new(Int64Array::from(values)),
            Step::After { .. } => Arc::new(TimestampMicrosecondArray::from(values)),
        };
        Ok(Some(RecordBatch::try_new(Arc::clone(&self.series.schema), vec![values])?))
    }

    fn reset_state(&self) -> Arc<RwLock<dyn LazyBatchGenerator>> {
        Arc::new(RwLock::new(Rows::of(self.series.clone(), self.batch_size)))
    }
}
