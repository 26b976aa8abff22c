//! Sequences in expressions: `nextval('s')`, `currval('s')`, `lastval()`, `setval('s', n)`.
//!
//! The functions are PostgreSQL's; ISO SQL's `NEXT VALUE FOR s` is brought to `nextval('s')` by [`crate::grammar`]. Each
//! call of each row takes a value of its own. (ISO SQL has the calls of one row share theirs.) What they do belongs to the
//! session, and a plan of them is bound to the one it was made for: it is used once, as those that tell the time.

use crate::error::to_datafusion;
use crate::text::Text;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{DataFusionError, Result as PlanResult};
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};
use mainstay_base::{Code, Error, Result};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The sequences that a session can name. Names come as they were written, perhaps with a schema.
pub trait Sequences: Debug + Send + Sync {
    /// The next value.
    ///
    /// Errors: `UnknownTable` for a name that no sequence has, `InvalidValue` when all values are given.
    fn next(&self, name: &str) -> Result<i64>;

    /// The value that this session was given last by the sequence; by any, without a name.
    ///
    /// Errors: `UnknownTable`; `InvalidValue` when it was given none.
    fn current(&self, name: Option<&str>) -> Result<i64>;

    /// Lets a sequence go on after this value, or with it if it was not `given` yet.
    ///
    /// Errors: `UnknownTable`; `InvalidValue` for a value that is not one of the sequence.
    fn set(&self, name: &str, value: i64, given: bool) -> Result<()>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Next,
    Current,
    Last,
    Set,
}

const KINDS: [(&str, Kind); 4] =
    [("nextval", Kind::Next), ("currval", Kind::Current), ("lastval", Kind::Last), ("setval", Kind::Set)];

/// A function of a session's sequences.
#[derive(Debug)]
struct SequenceFunction {
    name: &'static str,
    kind: Kind,
    signature: Signature,
    sequences: Arc<dyn Sequences>,
}

/// The function of this name, over these sequences.
pub(crate) fn function(name: &str, sequences: Option<Arc<dyn Sequences>>) -> Option<Arc<ScalarUDF>> {
    let (name, kind) = KINDS.into_iter().find(|(known, _)| *known == name)?;
    let text = || DataType::Utf8;
    let arguments = match kind {
        // With the place of each row in an order, which says who gets the next value first.
        Kind::Next => TypeSignature::OneOf(vec![
            TypeSignature::Exact(vec![text()]),
            TypeSignature::Exact(vec![text(), DataType::Int64]),
        ]),
        Kind::Current => TypeSignature::Exact(vec![text()]),
        Kind::Last => TypeSignature::Nullary,
        Kind::Set => TypeSignature::OneOf(vec![
            TypeSignature::Exact(vec![text(), DataType::Int64]),
            TypeSignature::Exact(vec![text(), DataType::Int64, DataType::Boolean]),
        ]),
    };
    let signature = Signature::new(arguments, Volatility::Volatile);
    Some(Arc::new(ScalarUDF::from(SequenceFunction { name, kind, signature, sequences: sequences? })))
}

/// Whether a plan calls one of the functions.
pub(crate) fn are_in_plan(plan: &LogicalPlan) -> bool {
    crate::contains::any_expression_of_plan(plan, is_call)
}

/// Whether an expression is a call of one of the functions.
fn is_call(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(call) if KINDS.iter().any(|(name, _)| *name == call.func.name()))
}

/// Whether the text of an expression calls one of the functions. (One that only has a column of such a name is treated
/// alike, which is slower and nothing else.)
pub fn uses_sequences(text: &str) -> bool {
    Text::new(text).is_ok_and(|text| {
        let is_next_value = text.mentions("next") && text.mentions("value");
        is_next_value || KINDS.iter().any(|(name, _)| text.mentions(name))
    })
}

impl ScalarUDFImpl for SequenceFunction {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> PlanResult<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> PlanResult<ColumnarValue> {
        let rows = args.number_rows;
        let arrays = args.args.into_iter().map(|arg| arg.into_array(rows)).collect::<PlanResult<Vec<_>>>()?;
        let arguments = Arguments::of(&arrays)?;
        if self.kind == Kind::Next && arrays.len() == 2 {
            return self.in_order(&arguments, rows);
        }
        let value = |row: usize| match self.kind {
            Kind::Last => self.sequences.current(None).map(Some),
            _ => match arguments.name(row) {
                None => Ok(None),
                Some(name) => self.of_named(name, &arguments, row),
            },
        };
        let values = (0..rows).map(value).collect::<Result<Int64Array>>().map_err(to_datafusion)?;
        Ok(ColumnarValue::Array(Arc::new(values)))
    }
}

impl SequenceFunction {
    /// The next values, the row of the lowest place first. The rows come in the order of their places from batch to batch.
    fn in_order(&self, arguments: &Arguments, rows: usize) -> PlanResult<ColumnarValue> {
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by_key(|row| arguments.value(*row));
        let mut values = vec![None; rows];
        for row in order {
            if let (Some(name), Some(value)) = (arguments.name(row), values.get_mut(row)) {
                *value = Some(self.sequences.next(name).map_err(to_datafusion)?);
            }
        }
        Ok(ColumnarValue::Array(Arc::new(Int64Array::from(values))))
    }

    fn of_named(&self, name: &str, arguments: &Arguments, row: usize) -> Result<Option<i64>> {
        match self.kind {
            Kind::Next => self.sequences.next(name).map(Some),
            Kind::Current | Kind::Last => self.sequences.current(Some(name)).map(Some),
            Kind::Set => match arguments.value(row) {
                None => Ok(None),
                Some(value) => {
                    self.sequences.set(name, value, arguments.flag(row))?;
                    Ok(Some(value))
                }
            },
        }
    }
}

/// The arguments of a call, by row.
struct Arguments {
    arrays: Vec<ArrayRef>,
}

impl Arguments {
    fn of(arrays: &[ArrayRef]) -> Result<Arguments, DataFusionError> {
        let types = [DataType::Utf8, DataType::Int64, DataType::Boolean];
        let arrays = arrays.iter().zip(&types).map(|(array, wanted)| Ok(cast(array, wanted)?));
        Ok(Arguments { arrays: arrays.collect::<PlanResult<_>>()? })
    }

    fn name(&self, row: usize) -> Option<&str> {
        self.arrays.first().filter(|array| array.is_valid(row)).map(|array| array.as_string::<i32>().value(row))
    }

    fn value(&self, row: usize) -> Option<i64> {
        self.arrays.get(1).filter(|array| array.is_valid(row)).map(|array| array.as_primitive::<Int64Type>().value(row))
    }

    fn flag(&self, row: usize) -> bool {
        self.arrays.get(2).is_none_or(|array| array.is_null(row) || array.as_boolean().value(row))
    }
}

impl PartialEq for SequenceFunction {
    fn eq(&self, other: &SequenceFunction) -> bool {
        self.kind == other.kind && Arc::ptr_eq(&self.sequences, &other.sequences)
    }
}

impl Eq for SequenceFunction {}

impl Hash for SequenceFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

/// The error for a sequence that is not there.
pub fn unknown_sequence(name: &str) -> Error {
    Error::new(Code::UnknownTable, format!("there is no sequence \"{name}\"")).about(name)
}
