//! Functions of Advantage SQL for the planner: the result type follows from the argument types; they run row by row.

use super::PREFIX;
use crate::analyze::char_columns::{CHAR_COLUMN, SHOWN_LENGTH};
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use mainstay_ads_types::{Context, Failure, Operation};
use mainstay_columnar::values::{OFFSET, TICKS, array_of, data_type_of, value_at};
use mainstay_types::{Collation, Error, SqlType, Timestamp, Value, ValueRef};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, LazyLock};

/// The state of RAND and NEWID.
static SEED: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(0)));

/// One of the functions whose names begin with `ads:`.
#[derive(Debug)]
pub(super) struct Function {
    name: String,
    pub(super) operation: Operation,
    signature: Signature,
}

/// The function of this name, which stands here without its prefix.
pub(crate) fn function(name: &str) -> Option<Arc<ScalarUDF>> {
    let operation = mainstay_ads_types::operation(name)?;
    let volatility = if operation.function.is_volatile { Volatility::Volatile } else { Volatility::Immutable };
    let signature = Signature::user_defined(volatility);
    // The planner gives a call another name when its function is called otherwise.
    Some(Arc::new(ScalarUDF::from(Function { name: format!("{PREFIX}{name}"), operation, signature })))
}

/// An error of the dialect on its way through the planner.
pub(super) fn failed(failure: Failure) -> DataFusionError {
    crate::error::to_datafusion(Error::from(failure))
}

/// The type of what a field holds; `None` for NULL and for what the dialect has no type for.
pub fn sql_type(field: &Field) -> Option<SqlType> {
    let collation = Collation::Binary;
    Some(match field.data_type() {
        ArrowType::Boolean => SqlType::Boolean,
        ArrowType::Int8 | ArrowType::UInt8 | ArrowType::Int16 => SqlType::SmallInt,
        ArrowType::Int32 | ArrowType::UInt16 => SqlType::Integer,
        ArrowType::Int64 | ArrowType::UInt32 | ArrowType::UInt64 => SqlType::BigInt,
        &TICKS | &OFFSET => SqlType::Timestamp { digits: 3 },
        ArrowType::Decimal32(precision, scale)
        | ArrowType::Decimal64(precision, scale)
        | ArrowType::Decimal128(precision, scale) => {
            SqlType::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        ArrowType::Float32 | ArrowType::Float64 => SqlType::Double,
        ArrowType::Utf8 | ArrowType::LargeUtf8 | ArrowType::Utf8View => match char_length(field) {
            Some(length) => SqlType::Char { length, collation },
            None => SqlType::VarChar { length: None, collation },
        },
        ArrowType::Dictionary(_, values) => {
            let plain = Field::new("", values.as_ref().clone(), true).with_metadata(field.metadata().clone());
            return sql_type(&plain);
        }
        ArrowType::Binary | ArrowType::LargeBinary | ArrowType::BinaryView => SqlType::VarBinary { length: None },
        ArrowType::FixedSizeBinary(16) => SqlType::Uuid,
        ArrowType::Date32 => SqlType::Date,
        ArrowType::Time64(_) | ArrowType::Time32(_) => SqlType::Time { digits: 3 },
        ArrowType::Timestamp(..) => SqlType::Timestamp { digits: 3 },
        _ => return None,
    })
}

/// The length of a CHAR column, of a table or an answer.
pub(super) fn char_length(field: &Field) -> Option<u32> {
    let metadata = field.metadata();
    let length = metadata.get(CHAR_COLUMN).or_else(|| metadata.get(SHOWN_LENGTH))?;
    length.parse().ok()
}

impl Function {
    fn result(&self, fields: &[FieldRef]) -> Result<Option<SqlType>> {
        let types: Vec<Option<SqlType>> = fields.iter().map(|field| sql_type(field)).collect();
        self.operation.bind(&types).map_err(failed)
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[ArrowType]) -> Result<Vec<ArrowType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[ArrowType]) -> Result<ArrowType> {
        plan_err!("{} has no type without the fields of its arguments", self.name)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let data_type = self.result(args.arg_fields)?.map_or(ArrowType::Utf8View, data_type_of);
        Ok(Arc::new(Field::new(&self.name, data_type, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let is_scalar = is_scalar && !self.operation.function.is_volatile;
        let rows = if is_scalar { 1 } else { args.number_rows };
        let arrays = args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let context = Context { now: Timestamp(0), seed: &SEED };
        let mut results = Vec::with_capacity(rows);
        for row in 0..rows {
            let values = arrays.iter().map(|array| value_at(array.as_ref(), row));
            let values = values.collect::<mainstay_types::Result<Vec<Value>>>().map_err(crate::error::to_datafusion)?;
            let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
            results.push(self.operation.call(&context, &values).map_err(failed)?);
        }
        let refs: Vec<ValueRef<'_>> = results.iter().map(Value::as_ref).collect();
        let array = array_of(args.return_field.data_type(), &refs);
        match is_scalar {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?)),
            false => Ok(ColumnarValue::Array(array)),
        }
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
