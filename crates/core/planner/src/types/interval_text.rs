//! CAST of a text to INTERVAL reads it as `INTERVAL '...'` does: a number without a unit is seconds (PostgreSQL's manual,
//! 8.5.4). The kernel for it takes such a number for months.

use datafusion::arrow::array::{ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::cast_utils::{
    IntervalParseConfig, IntervalUnit, parse_interval_month_day_nano_config,
};
use datafusion::arrow::datatypes::{DataType, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit as Kind};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use mainstay_types::{Code, Error};
use std::sync::Arc;

/// The type of intervals that CAST names without a unit.
pub(crate) const INTERVAL: DataType = DataType::Interval(Kind::MonthDayNano);

/// The interval that a text says; with `is_try`, NULL where it says none.
pub(crate) fn read(text: Expr, is_try: bool) -> Expr {
    let signature = Signature::any(1, Volatility::Immutable);
    let function = ScalarUDF::from(Read { is_try, signature });
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(function), vec![text]))
}

fn interval(text: &str) -> Result<IntervalMonthDayNano> {
    parse_interval_month_day_nano_config(text, IntervalParseConfig::new(IntervalUnit::Second)).map_err(|_| {
        let error = Error::new(Code::InvalidValue, format!("'{text}' is not a value of INTERVAL"));
        crate::carried_error::to_datafusion(error.hint("write a number and a unit: '2 days'"))
    })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Read {
    is_try: bool,
    signature: Signature,
}

impl Read {
    fn vector(&self, texts: &ArrayRef) -> Result<ArrayRef> {
        let texts = cast(texts, &DataType::Utf8View)?;
        let read = |text: Option<&str>| match text.map(interval).transpose() {
            Err(_) if self.is_try => Ok(None),
            outcome => outcome,
        };
        let intervals: PrimitiveArray<IntervalMonthDayNanoType> =
            texts.as_string_view().iter().map(read).collect::<Result<_>>()?;
        Ok(Arc::new(intervals))
    }
}

impl ScalarUDFImpl for Read {
    fn name(&self) -> &str {
        if self.is_try { "try_cast" } else { "cast" }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(INTERVAL)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.as_slice() {
            [ColumnarValue::Array(array)] => self.vector(array).map(ColumnarValue::Array),
            [ColumnarValue::Scalar(value)] => {
                let result = self.vector(&value.to_array()?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?))
            }
            _ => exec_err!("CAST of {} values", args.args.len()),
        }
    }
}
