//! Functions whose result may be longer than their arguments: `repeat`, `lpad`, `replace`, `concat` and similar ones.
//!
//! DataFusion's functions build the results of a whole batch at once, of any length: `rpad(name, 2000000000)` of a
//! hundred rows asks the allocator for 200 GB, which ends the process, and texts of more than 2 GB in a vector panic.
//! So an upper bound of the lengths is calculated before they are built:
//!
//! ```text
//!   rows      ['abc', 'de']  repeat 3      longest results 9 + 6 bytes
//!   all of them within the limit           built at once
//!   a part of them                         built part by part, with a sum of the real lengths
//!   one result beyond the limit            OutOfMemory (53200), before it is built
//! ```
//!
//! The limit is that of the memory of running statements, and a GB at most, as in PostgreSQL. A constant of more than a
//! MB is not folded during planning, but calculated for each batch: a plan holds no large values.

use crate::carried_error::to_datafusion;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::Buffer;
use bytes::Bytes;
use datafusion::arrow::compute::kernels::length::length;
use datafusion::arrow::compute::{cast, concat};
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::config::{ConfigEntry, ConfigExtension, ConfigOptions, ExtensionOptions};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};
use mainstay_types::{Code, Error, interrupt};
use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

/// The longest results of one function for one batch, whatever the memory limit.
pub(crate) const MOST_BYTES: usize = 1 << 30;

/// The longest constant that a plan holds.
const CONSTANT_BYTES: u64 = 1 << 20;

/// Shorter buffers of results are not counted.
const COUNTED_BYTES: usize = 1 << 20;

/// The name of long results where memory is counted.
pub(crate) const RESULTS: &str = "FunctionResults";

/// The most bytes that a character of any text has.
const CHARACTER_BYTES: u64 = 4;

/// The statements that functions may hold, where the settings of a session have it.
#[derive(Clone, Debug)]
pub(crate) struct ResultLimits {
    /// The bytes of the results of one function for one batch.
    bytes: usize,
    /// The pool that long results count in for as long as they are there.
    pool: Option<Arc<dyn MemoryPool>>,
}

impl ConfigExtension for ResultLimits {
    const PREFIX: &'static str = "mainstay";
}

impl ExtensionOptions for ResultLimits {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn cloned(&self) -> Box<dyn ExtensionOptions> {
        Box::new(self.clone())
    }

    fn set(&mut self, key: &str, _: &str) -> Result<()> {
        plan_err!("the setting mainstay.{key} does not exist")
    }

    fn entries(&self) -> Vec<ConfigEntry> {
        Vec::new()
    }
}

impl ResultLimits {
    /// Those where running statements share this memory.
    pub(crate) fn of(pool: &Arc<dyn MemoryPool>) -> ResultLimits {
        let bytes = match pool.memory_limit() {
            MemoryLimit::Finite(bytes) => bytes.min(MOST_BYTES),
            _ => MOST_BYTES,
        };
        ResultLimits { bytes, pool: Some(Arc::clone(pool)) }
    }
}

/// A buffer of a result, which counts in the memory of running statements until nobody refers to it.
struct CountedBuffer {
    buffer: Buffer,
    _memory: MemoryReservation,
}

impl AsRef<[u8]> for CountedBuffer {
    fn as_ref(&self) -> &[u8] {
        self.buffer.as_slice()
    }
}

/// The results of a function, counted if they are long.
///
/// Errors: `OutOfMemory`.
pub(crate) fn counted(results: ColumnarValue, rows: usize, config: &ConfigOptions) -> Result<ColumnarValue> {
    let pool = config.extensions.get::<ResultLimits>().and_then(|limits| limits.pool.as_ref());
    let (Some(pool), false) = (pool, IS_PLANNING.get()) else { return Ok(results) };
    let array = match &results {
        ColumnarValue::Array(array) => Arc::clone(array),
        // A value for many rows is not made as often as that.
        ColumnarValue::Scalar(value) if rows == 1 && is_long(value) => value.to_array()?,
        ColumnarValue::Scalar(_) => return Ok(results),
    };
    let data = array.to_data();
    if data.buffers().iter().all(|buffer| buffer.len() < COUNTED_BYTES) {
        return Ok(results);
    }
    let counted = |buffer: &Buffer| {
        let memory = MemoryConsumer::new(RESULTS).register(pool);
        memory.try_grow(buffer.len())?;
        Ok(Buffer::from(Bytes::from_owner(CountedBuffer { buffer: buffer.clone(), _memory: memory })))
    };
    let buffers = data.buffers().iter().map(counted).collect::<Result<Vec<Buffer>>>()?;
    Ok(ColumnarValue::Array(make_array(data.into_builder().buffers(buffers).build()?)))
}

fn is_long(value: &ScalarValue) -> bool {
    value.try_as_str().flatten().is_some_and(|text| text.len() >= COUNTED_BYTES)
}

thread_local! {
    static IS_PLANNING: Cell<bool> = const { Cell::new(false) };
}

/// Does work that plans: constants of any length stay the calls that they are.
pub(crate) fn planning<T>(work: impl FnOnce() -> T) -> T {
    /// Sets the mark back, after a panic too.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            IS_PLANNING.set(self.0);
        }
    }
    let _before = Before(IS_PLANNING.replace(true));
    work()
}

/// How many bytes the results of a function for one batch may have.
pub(crate) fn limit(config: &ConfigOptions) -> u64 {
    let bytes = config.extensions.get::<ResultLimits>().map_or(MOST_BYTES, |limits| limits.bytes) as u64;
    if IS_PLANNING.get() { bytes.min(CONSTANT_BYTES) } else { bytes }
}

/// The error of a function whose results do not fit.
pub(crate) fn too_long(name: &str, bytes: u64, most: u64) -> Error {
    let message = format!("no memory for the results of {name}: up to {bytes} bytes, and {most} are possible");
    Error::new(Code::OutOfMemory, message).hint("make shorter values, or raise the memory limit")
}

/// How long a result can become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Growth {
    /// The first argument as often as the second says.
    Repeat,
    /// As many characters as the second argument says.
    Pad,
    /// Each part of the first that is the second becomes the third.
    Replace,
    /// The same for a pattern, which matches between characters too, and may take the whole text in.
    Pattern,
    /// All arguments, with the first between each two of them.
    Join,
    /// A letter may become three of two bytes each.
    Letters,
}

/// The functions of DataFusion's that it is about.
const FUNCTIONS: [(&str, Growth); 13] = [
    ("repeat", Growth::Repeat),
    ("lpad", Growth::Pad),
    ("rpad", Growth::Pad),
    ("replace", Growth::Replace),
    ("regexp_replace", Growth::Pattern),
    ("concat", Growth::Join),
    ("concat_ws", Growth::Join),
    ("overlay", Growth::Join),
    ("translate", Growth::Letters),
    ("upper", Growth::Letters),
    ("lower", Growth::Letters),
    ("initcap", Growth::Letters),
    ("reverse", Growth::Letters),
];

/// The function with its results bounded, if they can be longer than its arguments.
pub(crate) fn wrapped(inner: Arc<ScalarUDF>) -> Arc<ScalarUDF> {
    match FUNCTIONS.iter().find(|(name, _)| *name == inner.name()) {
        Some((_, growth)) => Arc::new(ScalarUDF::from(Grown { inner, growth: *growth })),
        None => inner,
    }
}

/// True if it is a function whose results are bounded here.
pub(crate) fn is_bounded(function: &ScalarUDF) -> bool {
    function.inner().downcast_ref::<Grown>().is_some()
}

/// A function of DataFusion's whose results are bounded.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Grown {
    inner: Arc<ScalarUDF>,
    growth: Growth,
}

impl Grown {
    /// How long the result of each row can become, in bytes; of one row where all arguments are constants.
    fn longest(&self, args: &[ColumnarValue], rows: usize) -> Result<Vec<u64>> {
        let mut lengths = Vec::with_capacity(args.len());
        for (place, arg) in args.iter().enumerate() {
            lengths.push(Lengths::of(arg, place == 1 && matches!(self.growth, Growth::Repeat | Growth::Pad))?);
        }
        let of = |place: usize, row: usize| lengths.get(place).map_or(0, |lengths| lengths.at(row));
        let all = |row: usize| (0..lengths.len()).map(|place| of(place, row)).fold(0, u64::saturating_add);
        let longest = |row: usize| match self.growth {
            Growth::Repeat => of(0, row).saturating_mul(of(1, row)),
            Growth::Pad => of(1, row).saturating_mul(CHARACTER_BYTES),
            Growth::Replace => {
                let found = of(0, row) / of(1, row).max(1);
                of(0, row).saturating_add(found.saturating_mul(of(2, row)))
            }
            Growth::Pattern => {
                let found = of(0, row).saturating_add(1);
                of(0, row).saturating_add(found.saturating_mul(of(2, row)))
            }
            Growth::Join => all(row).saturating_add(of(0, row).saturating_mul(lengths.len() as u64)),
            Growth::Letters => of(0, row).saturating_mul(3),
        };
        Ok((0..rows).map(longest).collect())
    }

    /// The results of some rows.
    fn part(&self, args: &ScalarFunctionArgs, from: usize, rows: usize) -> Result<ArrayRef> {
        let part = |arg: &ColumnarValue| match arg {
            ColumnarValue::Array(array) => ColumnarValue::Array(array.slice(from, rows)),
            scalar => scalar.clone(),
        };
        let args = ScalarFunctionArgs {
            args: args.args.iter().map(part).collect(),
            arg_fields: args.arg_fields.clone(),
            number_rows: rows,
            return_field: Arc::clone(&args.return_field),
            config_options: Arc::clone(&args.config_options),
        };
        self.inner.invoke_with_args(args)?.into_array(rows)
    }

    /// The results part by part: each part can become no longer than the limit, and all together are not.
    fn in_parts(&self, args: &ScalarFunctionArgs, longest: &[u64], most: u64) -> Result<ColumnarValue> {
        let (mut parts, mut bytes, mut from): (Vec<ArrayRef>, u64, usize) = (Vec::new(), 0, 0);
        while from < longest.len() {
            interrupt::check().map_err(to_datafusion)?;
            let (mut rows, mut of_part) = (0, 0u64);
            while let Some(next) = longest.get(from + rows)
                && (rows == 0 || of_part.saturating_add(*next) <= most)
            {
                (rows, of_part) = (rows + 1, of_part.saturating_add(*next));
            }
            if of_part > most {
                return Err(to_datafusion(too_long(self.inner.name(), of_part, most)));
            }
            let part = self.part(args, from, rows)?;
            bytes += text_bytes(&part)?;
            if bytes > most {
                return Err(to_datafusion(too_long(self.inner.name(), bytes, most)));
            }
            parts.push(part);
            from += rows;
        }
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        Ok(ColumnarValue::Array(concat(&parts)?))
    }
}

/// The bytes of all texts of a vector.
pub(crate) fn text_bytes(texts: &ArrayRef) -> Result<u64> {
    let lengths = Lengths::of(&ColumnarValue::Array(Arc::clone(texts)), false)?;
    Ok((0..texts.len()).map(|row| lengths.at(row)).sum())
}

/// The lengths of an argument in bytes, or its numbers; 0 for NULL.
enum Lengths {
    One(u64),
    Each(ArrayRef),
}

impl Lengths {
    fn of(arg: &ColumnarValue, is_number: bool) -> Result<Lengths> {
        let (array, is_one) = match arg {
            ColumnarValue::Array(array) => (Arc::clone(array), false),
            ColumnarValue::Scalar(value) => (value.to_array()?, true),
        };
        let numbers = match array.data_type() {
            of if of.is_null() => return Ok(Lengths::One(0)),
            of if is_number && of.is_integer() => cast(&array, &DataType::Int64)?,
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView => cast(&length(array.as_ref())?, &DataType::Int64)?,
            // Of other types the text is short.
            _ => return Ok(Lengths::One(64)),
        };
        let numbers = Lengths::Each(numbers);
        Ok(if is_one { Lengths::One(numbers.at(0)) } else { numbers })
    }

    fn at(&self, row: usize) -> u64 {
        match self {
            Lengths::One(length) => *length,
            Lengths::Each(numbers) => {
                let numbers = numbers.as_primitive::<Int64Type>();
                if numbers.is_null(row) { 0 } else { u64::try_from(numbers.value(row)).unwrap_or(0) }
            }
        }
    }
}

impl ScalarUDFImpl for Grown {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.inner.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn is_strict(&self) -> bool {
        self.inner.is_strict()
    }

    fn simplify(&self, args: Vec<Expr>, context: &SimplifyContext) -> Result<ExprSimplifyResult> {
        match self.growth {
            // It puts another call of the function in the place of this one.
            Growth::Join => Ok(ExprSimplifyResult::Original(args)),
            _ => self.inner.simplify(args, context),
        }
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        self.inner.output_ordering(inputs)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let most = limit(&args.config_options);
        let is_constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let longest = self.longest(&args.args, if is_constant { 1 } else { args.number_rows })?;
        match longest.iter().copied().fold(0, u64::saturating_add) {
            bytes if bytes <= most => {
                let (rows, config) = (args.number_rows, Arc::clone(&args.config_options));
                counted(self.inner.invoke_with_args(args)?, rows, &config)
            }
            bytes if is_constant => Err(to_datafusion(too_long(self.inner.name(), bytes, most))),
            _ => counted(self.in_parts(&args, &longest, most)?, args.number_rows, &args.config_options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::from_datafusion;
    use arrow_array::{Int64Array, StringArray};
    use arrow_schema::Field;
    use datafusion::functions::all_default_functions;

    fn call(name: &str, args: Vec<ColumnarValue>, rows: usize, most: usize) -> mainstay_types::Result<ArrayRef> {
        let function = all_default_functions().into_iter().find(|function| function.name() == name).unwrap();
        let mut config = ConfigOptions::default();
        config.extensions.insert(ResultLimits { bytes: most, pool: None });
        let field = |arg: &ColumnarValue| Arc::new(Field::new("a", arg.data_type(), true));
        let args = ScalarFunctionArgs {
            arg_fields: args.iter().map(field).collect(),
            args,
            number_rows: rows,
            return_field: Arc::new(Field::new("r", DataType::Utf8, true)),
            config_options: Arc::new(config),
        };
        let made = wrapped(function).invoke_with_args(args).and_then(|made| made.into_array(rows));
        made.map_err(|error| from_datafusion(error, None, None))
    }

    fn text(text: &str) -> ColumnarValue {
        ColumnarValue::Scalar(ScalarValue::from(text))
    }

    fn texts(texts: &[&str]) -> ColumnarValue {
        ColumnarValue::Array(Arc::new(StringArray::from(texts.to_vec())))
    }

    fn number(number: i64) -> ColumnarValue {
        ColumnarValue::Scalar(ScalarValue::from(number))
    }

    #[test]
    fn every_function_is_one_that_there_is() {
        let all = all_default_functions();
        for (name, _) in FUNCTIONS {
            assert!(all.iter().any(|function| function.name() == name), "{name}");
        }
    }

    #[test]
    fn a_result_beyond_the_limit_is_refused_before_it_is_made() {
        // Terabytes.
        for (name, args) in [
            ("repeat", vec![texts(&["x", "y"]), number(i64::MAX)]),
            ("lpad", vec![texts(&["x", "y"]), number(2_147_483_647), text("y")]),
            ("rpad", vec![text("x"), number(2_147_483_647), text("y")]),
            ("replace", vec![texts(&["xxxxxxxxxx", "x"]), text("x"), text("yyyyyyyyyyyyyyyyyyyyyyyyy")]),
        ] {
            let error = call(name, args, 2, 100).unwrap_err();
            assert_eq!(error.code(), Code::OutOfMemory, "{name}: {error}");
        }
    }

    #[test]
    fn what_could_be_long_and_is_not_is_made_part_by_part() {
        // Each could become 4 + 4 * 6 bytes, and the limit is 30.
        let args = vec![texts(&["abcd", "bcde", "cdef", "defg"]), text("d"), text("123456")];
        let made = call("replace", args, 4, 36).unwrap();
        let made: Vec<_> = made.as_string::<i32>().iter().flatten().collect();
        assert_eq!(made, ["abc123456", "bc123456e", "c123456ef", "123456efg"]);
        let args = vec![texts(&["abcd", "bcde", "cdef", "defg"]), text("d"), text("123456")];
        assert_eq!(call("replace", args, 4, 35).unwrap_err().code(), Code::OutOfMemory);
    }

    #[test]
    fn numbers_of_rows_count_each_for_its_own() {
        let counts = ColumnarValue::Array(Arc::new(Int64Array::from(vec![Some(2), None, Some(-1), Some(3)])));
        let made = call("repeat", vec![texts(&["ab", "c", "d", "e"]), counts], 4, 7).unwrap();
        let made: Vec<_> = made.as_string::<i32>().iter().collect();
        assert_eq!(made, [Some("abab"), None, Some(""), Some("eee")]);
    }

    #[test]
    fn plans_hold_no_large_constants() {
        let large = || call("repeat", vec![text("x"), number(2_000_000)], 1, MOST_BYTES);
        assert!(large().is_ok() && planning(large).is_err() && large().is_ok());
    }
}
