//! Functions of Advantage SQL for the planner: the result type follows from the argument types; they run row by row.

use super::PREFIX;
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF};
use mainstay_ads_types::{Context, Failure, Operation};
use mainstay_columnar::values::{OFFSET, TICKS, data_type_of};
use mainstay_planner::SHOWN_LENGTH;
use mainstay_planner::dialect::{DialectFunction, row_by_row, scalar_function};
use mainstay_planner::tools::{self, CHAR_COLUMN};
use mainstay_types::{Collation, Error, SqlType, Timestamp};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, LazyLock};

/// The state of RAND and NEWID.
static SEED: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(0)));

/// One of the functions whose names begin with `ads:`.
#[derive(Debug)]
pub(super) struct Function {
    name: String,
    pub(super) operation: Operation,
}

/// The function of this name, which stands here without its prefix.
pub(super) fn function(name: &str) -> Option<Arc<ScalarUDF>> {
    let operation = mainstay_ads_types::operation(name)?;
    // The planner gives a call another name when its function is called otherwise.
    Some(scalar_function(Function { name: format!("{PREFIX}{name}"), operation }))
}

/// An error of the dialect on its way through the planner.
pub(super) fn failed(failure: Failure) -> DataFusionError {
    tools::failed(Error::from(failure))
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

impl DialectFunction for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_volatile(&self) -> bool {
        self.operation.function.is_volatile
    }

    fn field(&self, arguments: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<FieldRef> {
        let data_type = self.result(arguments)?.map_or(ArrowType::Utf8View, data_type_of);
        Ok(Arc::new(Field::new(&self.name, data_type, true)))
    }

    fn evaluate(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let context = Context { now: Timestamp(0), seed: &SEED };
        let data_type = arguments.return_field.data_type();
        row_by_row(&arguments, (self.operation.function.name, self.is_volatile()), data_type, &mut |values| {
            self.operation.call(&context, values).map_err(failed)
        })
    }
}
