//! Ordered-set aggregates: `mode`, `percentile_disc`, and DISTINCT texts with a collation.
//!
//! ```text
//!   mode() WITHIN GROUP (ORDER BY x)               the most frequent value; of several the first in the order
//!   percentile_disc(p) WITHIN GROUP (ORDER BY x)   the first value whose cumulative share is at least p
//!   array_agg(DISTINCT a), string_agg(DISTINCT a)  of a text with a collation: each of its values once, in their order
//! ```
//!
//! A text with a collation comes with its sort key behind the other arguments ([`collate`](crate::analyze::collate)):
//! values with the same key are one, and the least of them is shown, so that all executors agree. The first two follow
//! PostgreSQL's chapter 9.21; they ignore NULLs. All values are kept until the group is complete.

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::expr::{AggregateFunction, AggregateFunctionParams};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, Volatility};
use std::cmp::Ordering;
use std::mem::size_of_val;
use std::sync::Arc;

/// The aggregate over the values in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Made {
    Mode,
    PercentileDisc,
    /// `array_agg(DISTINCT ...)`
    Array,
    /// `string_agg(DISTINCT ...)`
    Text,
}

impl Made {
    fn name(self) -> &'static str {
        match self {
            Made::Mode => "mode",
            Made::PercentileDisc => "percentile_disc",
            Made::Array => "array_of_distinct",
            Made::Text => "text_of_distinct",
        }
    }

    /// How many arguments there are before a sort key: the values, and perhaps the share or what stands between texts.
    fn arguments(self) -> usize {
        match self {
            Made::Mode | Made::Array => 1,
            Made::PercentileDisc | Made::Text => 2,
        }
    }
}

/// One of these aggregates.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Ordered {
    made: Made,
    /// The type of the result, if it is not that of the values.
    result: Option<DataType>,
    signature: Signature,
}

impl Ordered {
    fn function(made: Made, result: Option<DataType>) -> Arc<AggregateUDF> {
        Arc::new(AggregateUDF::from(Ordered {
            made,
            result,
            signature: Signature::user_defined(Volatility::Immutable),
        }))
    }
}

/// The names of those that statements call.
pub(crate) const NAMES: [&str; 2] = ["mode", "percentile_disc"];

/// The aggregate of this name.
pub(crate) fn function(name: &str) -> Option<Arc<AggregateUDF>> {
    match name {
        "mode" => Some(Ordered::function(Made::Mode, None)),
        "percentile_disc" => Some(Ordered::function(Made::PercentileDisc, None)),
        _ => None,
    }
}

/// Returns true if an aggregate is one of those that statements call.
pub(crate) fn is_called(function: &AggregateUDF) -> bool {
    function.inner().downcast_ref::<Ordered>().is_some()
}

/// One of those that statements call, with a sort key behind its arguments and this type of result.
pub(crate) fn with_key(function: &AggregateUDF, result: DataType) -> Option<Arc<AggregateUDF>> {
    let called = function.inner().downcast_ref::<Ordered>()?;
    Some(Ordered::function(called.made, Some(result)))
}

/// The aggregate for `array_agg(DISTINCT a)` or `string_agg(DISTINCT a, ...)` of a text with this sort key, and with the
/// result's type; `None` for other aggregates.
pub(crate) fn of_distinct(function: &AggregateFunction, key: Expr, result: DataType) -> Option<AggregateFunction> {
    let made = match function.func.name() {
        "array_agg" => Made::Array,
        "string_agg" => Made::Text,
        _ => return None,
    };
    let params = AggregateFunctionParams { distinct: false, ..function.params.clone() };
    let args = params.args.iter().cloned().chain([key]).collect();
    Some(AggregateFunction {
        func: Ordered::function(made, Some(result)),
        params: AggregateFunctionParams { args, ..params },
    })
}

impl AggregateUDFImpl for Ordered {
    fn name(&self) -> &str {
        self.made.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        // Only what collations made of a call has a sort key: an ORDER BY without WITHIN GROUP would be taken for one.
        let wanted = self.made.arguments();
        let has_key = self.result.is_some() && types.len() == wanted + 1;
        if types.len() != wanted && !has_key {
            return plan_err!("{} takes other arguments, and WITHIN GROUP (ORDER BY ...)", self.made.name());
        }
        let mut types = types.to_vec();
        if self.made == Made::PercentileDisc
            && let Some(share) = types.get_mut(1)
        {
            if !share.is_numeric() {
                return plan_err!("the share of percentile_disc is a number from 0 to 1");
            }
            *share = DataType::Float64;
        }
        Ok(types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(match &self.result {
            Some(result) => result.clone(),
            None => types.first().cloned().unwrap_or(DataType::Null),
        })
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let order = args.order_bys.first().map(|sort| sort.options);
        let of = |place: usize| args.expr_fields.get(place).map_or(DataType::Null, |field| field.data_type().clone());
        Ok(Box::new(Values {
            made: self.made,
            descending: order.is_some_and(|order| order.descending),
            nulls_first: order.is_some_and(|order| order.nulls_first),
            result: args.return_field.data_type().clone(),
            types: (
                of(0),
                if args.expr_fields.len() > self.made.arguments() { of(self.made.arguments()) } else { of(0) },
            ),
            values: Vec::new(),
            parameter: ScalarValue::try_from(&parameter_type(self.made, of))?,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let of = |place: usize| args.input_fields.get(place).map_or(DataType::Null, |field| field.data_type().clone());
        let key = if args.input_fields.len() > self.made.arguments() { of(self.made.arguments()) } else { of(0) };
        let list = |name: &str, of: DataType| {
            Arc::new(Field::new_list(format!("{}[{name}]", args.name), Field::new_list_field(of, true), true))
        };
        let parameter = Field::new(format!("{}[parameter]", args.name), parameter_type(self.made, of), true);
        Ok(vec![list("values", of(0)), list("keys", key), Arc::new(parameter)])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        // They put their values in order by themselves.
        AggregateOrderSensitivity::Insensitive
    }

    fn supports_within_group_clause(&self) -> bool {
        matches!(self.made, Made::Mode | Made::PercentileDisc)
    }
}

/// The type of the share, or of what stands between texts.
fn parameter_type(made: Made, of: impl Fn(usize) -> DataType) -> DataType {
    if made.arguments() == 2 { of(1) } else { DataType::Null }
}

/// The values so far, each with what it is compared by.
#[derive(Debug)]
struct Values {
    made: Made,
    descending: bool,
    nulls_first: bool,
    result: DataType,
    /// Of the values and of what they are compared by.
    types: (DataType, DataType),
    values: Vec<(ScalarValue, ScalarValue)>,
    /// The share, or what stands between texts.
    parameter: ScalarValue,
}

impl Values {
    fn take(&mut self, values: &ArrayRef, keys: &ArrayRef) -> Result<()> {
        for row in 0..values.len() {
            let value = ScalarValue::try_from_array(values, row)?;
            if !value.is_null() || self.made == Made::Array {
                self.values.push((value, ScalarValue::try_from_array(keys, row)?));
            }
        }
        Ok(())
    }

    fn take_parameter(&mut self, parameters: &ArrayRef) -> Result<()> {
        if self.made.arguments() == 2 && self.parameter.is_null() && !parameters.is_empty() {
            self.parameter = ScalarValue::try_from_array(parameters, 0)?;
        }
        Ok(())
    }

    /// Puts the values in their order; those with the same key from the least up.
    fn sort(&mut self) {
        let (descending, nulls_first) = (self.descending, self.nulls_first);
        self.values.sort_by(|(one, one_key), (other, other_key)| match (one_key.is_null(), other_key.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) => {
                if nulls_first {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (false, true) => {
                if nulls_first {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (false, false) => {
                let order = compared(one_key, other_key);
                let order = if descending { order.reverse() } else { order };
                order.then_with(|| compared(one, other))
            }
        });
    }

    /// Each value once, and how often it is there.
    fn distinct(&mut self) -> Vec<(ScalarValue, usize)> {
        self.sort();
        let mut distinct: Vec<(ScalarValue, &ScalarValue, usize)> = Vec::new();
        for (value, key) in &self.values {
            match distinct.last_mut() {
                Some((_, known, count)) if *known == key => *count += 1,
                _ => distinct.push((value.clone(), key, 1)),
            }
        }
        distinct.into_iter().map(|(value, _, count)| (value, count)).collect()
    }

    fn percentile(&mut self) -> Result<Option<ScalarValue>> {
        let share = match self.parameter {
            ScalarValue::Float64(Some(share)) if (0.0..=1.0).contains(&share) => share,
            ScalarValue::Float64(None) | ScalarValue::Null => return Ok(None),
            _ => return exec_err!("the share of percentile_disc is not between 0 and 1"),
        };
        self.sort();
        let place = (share * self.values.len() as f64).ceil() as usize;
        Ok(self.values.get(place.saturating_sub(1)).map(|(value, _)| value.clone()))
    }
}

fn compared(one: &ScalarValue, other: &ScalarValue) -> Ordering {
    one.partial_cmp(other).unwrap_or(Ordering::Equal)
}

impl Accumulator for Values {
    fn update_batch(&mut self, arrays: &[ArrayRef]) -> Result<()> {
        let Some(values) = arrays.first() else { return Ok(()) };
        self.take(values, arrays.get(self.made.arguments()).unwrap_or(values))?;
        arrays.get(1).map_or(Ok(()), |parameters| self.take_parameter(parameters))
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let found = match self.made {
            Made::PercentileDisc => self.percentile()?,
            Made::Mode => {
                let distinct = self.distinct();
                let most = distinct.iter().map(|(_, count)| *count).max();
                distinct.into_iter().find(|(_, count)| Some(*count) == most).map(|(value, _)| value)
            }
            Made::Array if self.values.is_empty() => None,
            Made::Array => {
                let values: Vec<ScalarValue> = self.distinct().into_iter().map(|(value, _)| value).collect();
                Some(ScalarValue::List(ScalarValue::new_list_nullable(&values, &self.types.0)))
            }
            Made::Text if self.values.is_empty() => None,
            Made::Text => {
                let texts: Vec<String> = self.distinct().iter().map(|(value, _)| value.to_string()).collect();
                let between = if self.parameter.is_null() { String::new() } else { self.parameter.to_string() };
                Some(ScalarValue::from(texts.join(&between)))
            }
        };
        match found {
            None => ScalarValue::try_from(&self.result),
            Some(value) if value.data_type() == self.result => Ok(value),
            Some(value) => value.cast_to(&self.result),
        }
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.values.iter().map(|(value, key)| value.size() + key.size()).sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let (values, keys): (Vec<ScalarValue>, Vec<ScalarValue>) = std::mem::take(&mut self.values).into_iter().unzip();
        let list =
            |values: &[ScalarValue], of: &DataType| ScalarValue::List(ScalarValue::new_list_nullable(values, of));
        Ok(vec![list(&values, &self.types.0), list(&keys, &self.types.1), self.parameter.clone()])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [values, keys, parameters] = states else { return exec_err!("{} of no state", self.made.name()) };
        for row in 0..values.len() {
            if let (ScalarValue::List(values), ScalarValue::List(keys)) =
                (ScalarValue::try_from_array(values, row)?, ScalarValue::try_from_array(keys, row)?)
            {
                self.take(&values.value(0), &keys.value(0))?;
            }
        }
        self.take_parameter(parameters)
    }
}
