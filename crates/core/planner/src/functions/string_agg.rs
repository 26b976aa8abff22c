//! `string_agg` of values of any type, and over sliding frames.
//!
//! DataFusion's function accepts texts only, and cannot retract a row that leaves a frame. An argument of another type
//! becomes text in the pass for casts ([`crate::analyze::cast`]), or by the planner's cast.
//!
//! The operator counts the kept texts after each batch. Texts of megabytes in all rows of a batch would be gigabytes by
//! then, so their bytes are counted before they are kept ([`Bounded`]).

use crate::carried_error::to_datafusion;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_schema::{DataType, FieldRef};
use datafusion::arrow::compute::cast;
use datafusion::common::cast::as_large_string_array;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::functions_aggregate::string_agg::StringAgg;
use datafusion::logical_expr::expr::{AggregateFunctionParams, WindowFunction};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, Expr, GroupsAccumulator, ReversedUDAF, Signature, Volatility,
    WindowFunctionDefinition,
};
use datafusion::physical_expr::expressions::Literal;
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

/// The name of the function.
pub(crate) const NAME: &str = "string_agg";

/// The function of statements.
pub(crate) static STRING_AGG: LazyLock<Arc<AggregateUDF>> = LazyLock::new(|| {
    let signature = Signature::user_defined(Volatility::Immutable);
    Arc::new(AggregateUDF::from(JoinedRows { of_texts: StringAgg::new(), signature, in_one_order: false }))
});

/// The same where all calls of a SELECT have to agree on their order, as in SQL Server (error 8711).
pub(crate) static STRING_AGG_IN_ONE_ORDER: LazyLock<Arc<AggregateUDF>> = LazyLock::new(|| {
    let signature = Signature::user_defined(Volatility::Immutable);
    Arc::new(AggregateUDF::from(JoinedRows { of_texts: StringAgg::new(), signature, in_one_order: true }))
});

/// Returns true if it is a call of the function.
pub(crate) fn is_call(expr: &Expr) -> bool {
    match expr {
        Expr::AggregateFunction(call) => call.func.name() == NAME,
        Expr::WindowFunction(call) => is_window(call),
        _ => false,
    }
}

fn is_window(call: &WindowFunction) -> bool {
    matches!(&call.fun, WindowFunctionDefinition::AggregateUDF(function) if function.name() == NAME)
}

/// The call with its values made texts.
pub(crate) fn of_texts(expr: Expr, as_text: impl Fn(Expr) -> Expr) -> Expr {
    match expr {
        Expr::AggregateFunction(mut call) => {
            let AggregateFunctionParams { args, order_by, distinct, .. } = &mut call.params;
            if let Some(value) = args.first_mut() {
                let text = as_text(value.clone());
                // Where each value counts once, the order is one of what is joined.
                order_by.iter_mut().filter(|by| *distinct && by.expr == *value).for_each(|by| by.expr = text.clone());
                *value = text;
            }
            Expr::AggregateFunction(call)
        }
        Expr::WindowFunction(mut call) => {
            if let Some(value) = call.params.args.first_mut() {
                *value = as_text(value.clone());
            }
            Expr::WindowFunction(call)
        }
        other => other,
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct JoinedRows {
    of_texts: StringAgg,
    signature: Signature,
    /// The rows have to come in the order of the call.
    in_one_order: bool,
}

impl AggregateUDFImpl for JoinedRows {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [value, delimiter] = types else { return plan_err!("{NAME} takes a value and what stands between two") };
        // Of UUIDs nothing but the rule on casts makes texts.
        let text = |of: &DataType| match of {
            DataType::FixedSizeBinary(_) => of.clone(),
            of if of.is_string() => of.clone(),
            _ => DataType::Utf8View,
        };
        let delimiter = if delimiter.is_null() { DataType::Null } else { text(delimiter) };
        Ok(vec![text(value), delimiter])
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.of_texts.return_type(types)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.of_texts.state_fields(args)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Bounded(self.of_texts.accumulator(args)?)))
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let delimiter = args.exprs.get(1).and_then(|expr| expr.downcast_ref::<Literal>()).map(Literal::value);
        match delimiter {
            Some(delimiter) if !args.is_distinct && args.order_bys.is_empty() => {
                let delimiter = delimiter.try_as_str().flatten().unwrap_or_default().to_owned();
                Ok(Box::new(Sliding { texts: VecDeque::new(), delimiter }))
            }
            _ => self.accumulator(args),
        }
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.of_texts.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Bounded(self.of_texts.create_groups_accumulator(args)?)))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Reversed(Arc::clone(if self.in_one_order { &STRING_AGG_IN_ONE_ORDER } else { &STRING_AGG }))
    }

    /// It sorts what it has kept by itself. Rows that come in the order cost it less, and two aggregates of one SELECT may
    /// want different orders.
    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        match self.in_one_order {
            true => AggregateOrderSensitivity::HardRequirement,
            false => AggregateOrderSensitivity::SoftRequirement,
        }
    }

    fn with_beneficial_ordering(self: Arc<Self>, _: bool) -> Result<Option<Arc<dyn AggregateUDFImpl>>> {
        let is_free = !self.in_one_order;
        Ok(is_free.then_some(self as Arc<dyn AggregateUDFImpl>))
    }
}

/// An accumulator that takes no more than a result may have.
#[derive(Debug)]
struct Bounded<A>(A);

/// Sees that the texts of a batch fit beside what is kept.
///
/// Errors: `OutOfMemory`.
fn check_room(values: &[ArrayRef], kept: usize) -> Result<()> {
    let Some(texts) = values.first() else { return Ok(()) };
    let bytes = crate::functions::result_sizes::text_bytes(texts)?.saturating_add(kept as u64);
    match bytes > crate::functions::result_sizes::MOST_BYTES as u64 {
        true => Err(to_datafusion(crate::functions::result_sizes::too_long(
            NAME,
            bytes,
            crate::functions::result_sizes::MOST_BYTES as u64,
        ))),
        false => Ok(()),
    }
}

impl Accumulator for Bounded<Box<dyn Accumulator>> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        check_room(values, self.0.size())?;
        self.0.update_batch(values)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.0.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.0.supports_retract_batch()
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.0.evaluate()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.0.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.0.merge_batch(states)
    }
}

impl GroupsAccumulator for Bounded<Box<dyn GroupsAccumulator>> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        check_room(values, self.0.size())?;
        self.0.update_batch(values, groups, filter, total)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        self.0.evaluate(emit_to)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        self.0.state(emit_to)
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        self.0.merge_batch(states, groups, total)
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        self.0.convert_to_state(values, filter)
    }

    fn size(&self) -> usize {
        self.0.size()
    }
}

/// The texts of a frame, in their order.
#[derive(Debug)]
struct Sliding {
    texts: VecDeque<String>,
    delimiter: String,
}

impl Accumulator for Sliding {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let texts = cast(&values[0], &DataType::LargeUtf8)?;
        self.texts.extend(as_large_string_array(&texts)?.iter().flatten().map(str::to_owned));
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let left = values[0].len() - values[0].logical_null_count();
        self.texts.drain(..left.min(self.texts.len()));
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let is_empty = self.texts.is_empty();
        let joined = self.texts.make_contiguous().join(&self.delimiter);
        Ok(ScalarValue::LargeUtf8((!is_empty).then_some(joined)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.texts.iter().map(|text| size_of::<String>() + text.capacity()).sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }
}
