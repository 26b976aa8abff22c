//! `concat` and `concat_ws` of UUIDs, as their texts.
//!
//! DataFusion's functions do not accept UUIDs, and would be refused before any rule has seen the plan. So the calls are
//! wrapped until the pass for casts, which also converts timestamps among their arguments to text:
//! [`crate::analyze::cast`].

use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};
use std::sync::Arc;

/// How many bytes a UUID has.
const BYTES: i32 = 16;

/// Returns true if it is a call of one of the functions.
pub(crate) fn is_call(call: &ScalarFunction) -> bool {
    matches!(call.name(), "concat" | "concat_ws")
}

/// The function, wrapped so that it takes UUIDs, if it is one of the two.
pub(crate) fn wrapped(inner: Arc<ScalarUDF>) -> Arc<ScalarUDF> {
    if !matches!(inner.name(), "concat" | "concat_ws") {
        return inner;
    }
    let signature = Signature::user_defined(inner.signature().volatility);
    Arc::new(ScalarUDF::from(Joined { inner, signature }))
}

/// The call of a function whose arguments are texts.
pub(crate) fn unwrapped(mut call: ScalarFunction) -> ScalarFunction {
    if let Some(joined) = call.func.inner().downcast_ref::<Joined>() {
        call.func = Arc::clone(&joined.inner);
    }
    call
}

/// A function of DataFusion's, while its arguments may be UUIDs.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Joined {
    inner: Arc<ScalarUDF>,
    signature: Signature,
}

impl ScalarUDFImpl for Joined {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("{} without its arguments", self.inner.name())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let as_text = |field: &FieldRef| match field.data_type() {
            DataType::FixedSizeBinary(BYTES) => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
            _ => Arc::clone(field),
        };
        let fields: Vec<FieldRef> = args.arg_fields.iter().map(as_text).collect();
        let fields = fields_with_udf(&fields, self.inner.as_ref())?;
        let scalar_arguments = args.scalar_arguments;
        self.inner.return_field_from_args(ReturnFieldArgs { arg_fields: &fields, scalar_arguments })
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        internal_err!("{} over what it does not know", self.inner.name())
    }
}
