//! Sequences in expressions: `nextval('s')`, `currval('s')`, `lastval()`, `setval('s', n)`.
//!
//! The functions are PostgreSQL's; [`crate::parse::grammar`] rewrites ISO SQL's `NEXT VALUE FOR s` to `nextval('s')`.
//! Each call of each row takes a separate value. Their state belongs to the session, and a plan of them is bound to the
//! session that it was built for: it is used once, like a plan with the present time.
//!
//! In ISO SQL the calls of one row share their value. A dialect with this rule writes the first of a list of values as
//! `"nextval:shared"('s', n, r)` and the others as `"nextval:again"('s', n, 1)` to `r`, with a number *n* that is
//! unique to the list within the statement:
//!
//! ```text
//!   first      takes the values of a batch, and leaves them r times       [Shared]
//!   k-th       takes the values left for it, the oldest batch first
//! ```
//!
//! All values of a list are calculated on one thread, whether row by row or column by column.

use crate::carried_error::to_datafusion;
use crate::catalog::sequences::Sequences;
use crate::parse::text::Text;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{DataFusionError, Result as PlanResult};
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};
use mainstay_types::{Code, Error, Result};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Next,
    Current,
    Last,
    Set,
    Shared,
    Again,
}

const KINDS: [(&str, Kind); 6] = [
    ("nextval", Kind::Next),
    ("currval", Kind::Current),
    ("lastval", Kind::Last),
    ("setval", Kind::Set),
    ("nextval:shared", Kind::Shared),
    ("nextval:again", Kind::Again),
];

impl Kind {
    /// The types of its arguments.
    fn arguments(self) -> &'static [DataType] {
        match self {
            // With the place of each row in an order, which says who gets the next value first.
            Kind::Next => &[DataType::Utf8, DataType::Int64],
            Kind::Current => &[DataType::Utf8],
            Kind::Last => &[],
            Kind::Set => &[DataType::Utf8, DataType::Int64, DataType::Boolean],
            // The list, how many others there are, and the place.
            Kind::Shared => &[DataType::Utf8, DataType::Int64, DataType::Int64, DataType::Int64],
            // The list, and which of the others it is.
            Kind::Again => &[DataType::Utf8, DataType::Int64, DataType::Int64],
        }
    }

    /// How many arguments may be left out.
    fn optional(self) -> usize {
        usize::from(matches!(self, Kind::Next | Kind::Set | Kind::Shared))
    }
}

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
    let all = kind.arguments();
    let arguments = match all.len() {
        0 => TypeSignature::Nullary,
        most => {
            let counts = most - kind.optional()..=most;
            TypeSignature::OneOf(counts.map(|count| TypeSignature::Exact(all[..count].to_vec())).collect())
        }
    };
    let (signature, sequences) = (Signature::new(arguments, Volatility::Volatile), sequences?);
    sequences.shared().forget();
    Some(Arc::new(ScalarUDF::from(SequenceFunction { name, kind, signature, sequences })))
}

/// Returns true if a plan calls one of the functions.
pub(crate) fn are_in_plan(plan: &LogicalPlan) -> bool {
    crate::tree::search::any_expression_of_plan(plan, is_call)
}

/// Returns true if an expression is a call of one of the functions.
fn is_call(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(call) if KINDS.iter().any(|(name, _)| *name == call.func.name()))
}

/// Returns true if the text of an expression calls one of the functions. (One that only has a column of such a name is
/// treated alike, which is slower and nothing else.)
pub(crate) fn are_in_text(text: &Text) -> bool {
    let is_next_value = text.mentions("next") && text.mentions("value");
    is_next_value || KINDS.iter().any(|(name, _)| text.mentions(name))
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
        let arguments = Arguments::of(&arrays, self.kind)?;
        let place = if self.kind == Kind::Shared { 3 } else { 1 };
        if matches!(self.kind, Kind::Next | Kind::Shared) && arrays.len() == place + 1 {
            let values = self.in_order(&arguments, place, rows)?;
            return Ok(self.left(&arguments, rows, values));
        }
        if let (Kind::Again, 1..) = (self.kind, rows) {
            let (list, call) = (arguments.number(1, 0).unwrap_or(0), arguments.number(2, 0).unwrap_or(0));
            return self.sequences.shared().take(list, call, rows).map(ColumnarValue::Array).map_err(to_datafusion);
        }
        let value = |row: usize| match self.kind {
            Kind::Last => self.sequences.current(None).map(Some),
            _ => match arguments.name(row) {
                None => Ok(None),
                Some(name) => self.of_named(name, &arguments, row),
            },
        };
        let values = (0..rows).map(value).collect::<Result<Int64Array>>().map_err(to_datafusion)?;
        Ok(self.left(&arguments, rows, Arc::new(values)))
    }
}

impl SequenceFunction {
    /// The values, which are left to the others of the list if they are shared.
    fn left(&self, arguments: &Arguments, rows: usize, values: ArrayRef) -> ColumnarValue {
        if self.kind == Kind::Shared && rows > 0 {
            let (list, readers) = (arguments.number(1, 0).unwrap_or(0), arguments.number(2, 0).unwrap_or(0));
            self.sequences.shared().leave(list, readers, &values);
        }
        ColumnarValue::Array(values)
    }

    /// The next values, the row of the lowest place first. The rows come in the order of their places from batch to batch.
    fn in_order(&self, arguments: &Arguments, place: usize, rows: usize) -> PlanResult<ArrayRef> {
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by_key(|row| arguments.number(place, *row));
        let mut values = vec![None; rows];
        for row in order {
            if let (Some(name), Some(value)) = (arguments.name(row), values.get_mut(row)) {
                *value = Some(self.sequences.next(name).map_err(to_datafusion)?);
            }
        }
        Ok(Arc::new(Int64Array::from(values)))
    }

    fn of_named(&self, name: &str, arguments: &Arguments, row: usize) -> Result<Option<i64>> {
        match self.kind {
            Kind::Next | Kind::Shared | Kind::Again => self.sequences.next(name).map(Some),
            Kind::Current | Kind::Last => self.sequences.current(Some(name)).map(Some),
            Kind::Set => match arguments.number(1, row) {
                None => Ok(None),
                // As PostgreSQL's functions that are strict: nothing is done where an argument is NULL.
                Some(_) if arguments.is_null(2, row) => Ok(None),
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
    fn of(arrays: &[ArrayRef], kind: Kind) -> Result<Arguments, DataFusionError> {
        let arrays = arrays.iter().zip(kind.arguments()).map(|(array, wanted)| Ok(cast(array, wanted)?));
        Ok(Arguments { arrays: arrays.collect::<PlanResult<_>>()? })
    }

    fn name(&self, row: usize) -> Option<&str> {
        self.arrays.first().filter(|array| array.is_valid(row)).map(|array| array.as_string::<i32>().value(row))
    }

    fn number(&self, place: usize, row: usize) -> Option<i64> {
        let array = self.arrays.get(place).filter(|array| array.is_valid(row))?;
        Some(array.as_primitive::<Int64Type>().value(row))
    }

    /// True if there is such an argument, and it is NULL.
    fn is_null(&self, place: usize, row: usize) -> bool {
        self.arrays.get(place).is_some_and(|array| array.is_null(row))
    }

    /// The third argument, TRUE unless it is said.
    fn flag(&self, row: usize) -> bool {
        self.arrays.get(2).is_none_or(|array| array.is_valid(row) && array.as_boolean().value(row))
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
