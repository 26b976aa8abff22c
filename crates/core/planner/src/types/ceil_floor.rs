//! CEIL and FLOOR of decimals: integers with all their digits. `CEIL(99.5)` is 100, a DECIMAL(3,0).
//!
//! DataFusion gives the type of the argument, which may have a digit too few. Its functions serve all other types.

use datafusion::arrow::array::{AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::{DataType, Decimal128Type};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};
use std::sync::{Arc, LazyLock};

static CEIL: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Whole::function(datafusion::functions::math::ceil()));
static FLOOR: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Whole::function(datafusion::functions::math::floor()));

/// The function of this name.
pub(crate) fn function(name: &str) -> Option<Arc<ScalarUDF>> {
    match name {
        "ceil" => Some(Arc::clone(&CEIL)),
        "floor" => Some(Arc::clone(&FLOOR)),
        _ => None,
    }
}

/// One of the two.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Whole {
    /// DataFusion's own.
    general: Arc<ScalarUDF>,
    signature: Signature,
}

impl Whole {
    fn function(general: Arc<ScalarUDF>) -> Arc<ScalarUDF> {
        let signature = Signature::user_defined(Volatility::Immutable);
        Arc::new(ScalarUDF::from(Whole { general, signature }))
    }

    /// The whole number next to so many units of which `unit` are 1.
    fn of(&self, units: i128, unit: i128) -> i128 {
        let down = units.div_euclid(unit);
        if self.name() == "ceil" && units.rem_euclid(unit) != 0 { down + 1 } else { down }
    }
}

/// The type of the whole numbers next to decimals of this type.
fn whole_of(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Decimal128(precision, scale @ 0..) => {
            let more = u8::from(*scale > 0);
            let digits = precision.saturating_sub(scale.unsigned_abs()) + more;
            Some(DataType::Decimal128(digits.clamp(1, 38), 0))
        }
        _ => None,
    }
}

impl ScalarUDFImpl for Whole {
    fn name(&self) -> &str {
        self.general.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match types {
            [of @ (DataType::Decimal128(_, 0..) | DataType::Float32)] => Ok(vec![of.clone()]),
            [of] if of.is_numeric() || of.is_null() => Ok(vec![DataType::Float64]),
            [of] => plan_err!("{} does not take {of}", self.name()),
            _ => plan_err!("{} takes one number", self.name()),
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types.first().and_then(whole_of) {
            Some(of) => Ok(of),
            None => self.general.return_type(types),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let to = args.return_field.data_type();
        let unit = |scale: &i8| 10i128.pow(u32::from(scale.unsigned_abs()));
        match (args.args.as_slice(), to) {
            ([ColumnarValue::Scalar(ScalarValue::Decimal128(of, _, scale))], DataType::Decimal128(precision, 0)) => {
                let whole = of.map(|units| self.of(units, unit(scale)));
                Ok(ColumnarValue::Scalar(ScalarValue::Decimal128(whole, *precision, 0)))
            }
            ([ColumnarValue::Array(array)], DataType::Decimal128(..)) => match array.data_type() {
                DataType::Decimal128(_, scale) => {
                    let unit = unit(scale);
                    let units = array.as_primitive::<Decimal128Type>();
                    let whole: PrimitiveArray<Decimal128Type> = units.unary(|units| self.of(units, unit));
                    Ok(ColumnarValue::Array(Arc::new(whole.with_data_type(to.clone()))))
                }
                _ => self.general.invoke_with_args(args),
            },
            _ => self.general.invoke_with_args(args),
        }
    }
}
