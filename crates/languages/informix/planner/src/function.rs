//! Functions over DECIMALs whose point floats.
//!
//! Arguments may be such DECIMALs (bytes), other numbers, and texts of numbers; NULL gives NULL. Digits of a result stand
//! in the name of the function, `decimal 16` and `exact 10 2`, because its type follows from them.

use super::PREFIX;
use datafusion::arrow::datatypes::{Field, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF};
use mainstay_columnar::values::data_type_of;
use mainstay_informix_syntax::floating::{FloatingDecimal, MOST_DIGITS, Rounding};
use mainstay_informix_syntax::{SqlError, Type};
use mainstay_planner::dialect::{DECLARED, DialectFunction, row_by_row, scalar_function};
use mainstay_planner::tools;
use mainstay_types::{Code, Decimal, DialectError, Error, SqlType, Value, ValueRef};
use std::sync::Arc;

/// A function by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// The number with so many digits.
    Decimal(u8),
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    Absolute,
    /// The number with as many digits behind the point as the second argument says, or none.
    Round(Rounding),
    /// A DECIMAL with digits, and digits behind the point.
    Exact(u8, u8),
    Double,
    Text,
    /// MATCHES: a text, a pattern, the escape character.
    Matches,
}

#[derive(Clone, Debug)]
struct Function {
    name: String,
    operation: Operation,
}

/// The function of a name, which stands here without its prefix.
pub(super) fn function(name: &str) -> Option<Arc<ScalarUDF>> {
    let mut words = name.split(' ');
    let word = words.next()?;
    let numbers: Vec<u8> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let operation = match (word, &numbers[..]) {
        ("decimal", []) => Operation::Decimal(MOST_DIGITS as u8),
        ("decimal", [precision @ 1..=32]) => Operation::Decimal(*precision),
        ("exact", [precision @ 1..=38, scale]) if scale <= precision => Operation::Exact(*precision, *scale),
        ("add", []) => Operation::Add,
        ("subtract", []) => Operation::Subtract,
        ("multiply", []) => Operation::Multiply,
        ("divide", []) => Operation::Divide,
        ("mod", []) => Operation::Remainder,
        ("negate", []) => Operation::Negate,
        ("abs", []) => Operation::Absolute,
        ("round", []) => Operation::Round(Rounding::Nearest),
        ("trunc", []) => Operation::Round(Rounding::Truncate),
        ("floor", []) => Operation::Round(Rounding::Down),
        ("ceil", []) => Operation::Round(Rounding::Up),
        ("double", []) => Operation::Double,
        ("text", []) => Operation::Text,
        ("matches", []) => Operation::Matches,
        _ => return None,
    };
    Some(scalar_function(Function { name: format!("{PREFIX}{name}"), operation }))
}

/// An error of the language as one of the core, which a session finds again by its number.
pub(super) fn failed(error: &SqlError) -> Error {
    let code = match error.code {
        -1202 => Code::DivisionByZero,
        _ => Code::InvalidValue,
    };
    let dialect = DialectError { number: error.code, severity: 16, state: 0 };
    Error::new(code, error.message.clone()).in_dialect(dialect)
}

/// A field of such DECIMALs.
pub(super) fn field(name: &str, precision: u8) -> Field {
    let known = Type::Decimal(precision, None);
    Field::new(name, data_type_of(known.sql_type()), true)
        .with_metadata([(DECLARED.to_owned(), known.declared_name())].into())
}

impl Operation {
    fn sql_type(self) -> SqlType {
        match self {
            Operation::Exact(precision, scale) => SqlType::Decimal { precision, scale },
            Operation::Double => SqlType::Double,
            Operation::Text => SqlType::TEXT,
            Operation::Matches => SqlType::Boolean,
            _ => SqlType::VarBinary { length: None },
        }
    }

    fn compute(self, arguments: &[ValueRef<'_>]) -> std::result::Result<Value, Box<SqlError>> {
        if arguments.iter().any(|value| value.is_null()) {
            return Ok(Value::Null);
        }
        if self == Operation::Matches {
            let text = |place: usize| match arguments.get(place) {
                Some(ValueRef::Text(text)) => (*text).to_owned(),
                other => other.map_or_else(String::new, |value| value.to_value().to_string()),
            };
            let escape = text(2).chars().next();
            return Ok(Value::Boolean(mainstay_informix_syntax::matches(&text(0), &text(1), escape)));
        }
        let number = |place: usize| FloatingDecimal::of_value(arguments.get(place).copied().unwrap_or(ValueRef::Null));
        let first = number(0)?;
        let computed = match self {
            Operation::Decimal(precision) => first.with_digits(precision.into()),
            Operation::Add => first.plus(number(1)?),
            Operation::Subtract => first.subtract(number(1)?),
            Operation::Multiply => first.multiply(number(1)?),
            Operation::Divide => first.divide(number(1)?),
            Operation::Remainder => first.remainder(number(1)?),
            Operation::Negate => Ok(first.negated()),
            Operation::Absolute => Ok(first.absolute()),
            Operation::Round(rounding) => {
                let places = match arguments.get(1) {
                    Some(places) => FloatingDecimal::of_value(*places)?.to_f64() as i32,
                    None => 0,
                };
                first.rounded(places, rounding)
            }
            Operation::Exact(precision, scale) => return exact(first, precision, scale).map(Value::Decimal),
            Operation::Double => return Ok(Value::Float(first.to_f64())),
            Operation::Text => return Ok(Value::Text(first.to_string())),
            Operation::Matches => return Ok(Value::Null),
        };
        computed.map(|number| Value::Binary(number.to_bytes()))
    }
}

fn exact(number: FloatingDecimal, precision: u8, scale: u8) -> std::result::Result<Decimal, Box<SqlError>> {
    let rounded =
        number.rounded(scale.into(), Rounding::Nearest)?.to_decimal().and_then(|number| number.rescale(scale));
    let limit = 10_u128.pow(precision.into());
    let rounded = rounded.filter(|number| number.unscaled.unsigned_abs() < limit);
    rounded.ok_or_else(|| SqlError::new(-1226, "Decimal or money value exceeds maximum precision."))
}

impl DialectFunction for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_volatile(&self) -> bool {
        false
    }

    fn field(&self, _: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<FieldRef> {
        Ok(Arc::new(match self.operation {
            Operation::Decimal(precision) => field(&self.name, precision),
            Operation::Exact(..) | Operation::Double | Operation::Text | Operation::Matches => {
                Field::new(&self.name, data_type_of(self.operation.sql_type()), true)
            }
            _ => field(&self.name, MOST_DIGITS as u8),
        }))
    }

    fn evaluate(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let data_type = arguments.return_field.data_type();
        row_by_row(&arguments, (&self.name, false), data_type, &mut |values| {
            self.operation.compute(values).map_err(|error| in_plan(&error))
        })
    }

    fn for_rows(&self) -> Option<Arc<dyn mainstay_row_executor::Function>> {
        Some(Arc::new(self.clone()))
    }
}

/// An error of the language on its way through the planner.
pub(super) fn in_plan(error: &SqlError) -> DataFusionError {
    tools::failed(failed(error))
}

impl mainstay_row_executor::Function for Function {
    fn call(&self, arguments: &[ValueRef<'_>]) -> mainstay_types::Result<Value> {
        self.operation.compute(arguments).map_err(|error| failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computed(operation: Operation, arguments: &[Value]) -> Value {
        let arguments: Vec<ValueRef<'_>> = arguments.iter().map(Value::as_ref).collect();
        operation.compute(&arguments).unwrap_or_else(|error| Value::Integer(error.code.into()))
    }

    fn number(text: &str) -> Value {
        Value::Binary(text.parse::<FloatingDecimal>().unwrap().to_bytes())
    }

    #[test]
    fn operands_are_numbers_of_any_type() {
        let twenty = number("1e20");
        assert_eq!(computed(Operation::Add, &[twenty.clone(), Value::Integer(1)]), number("100000000000000000001"));
        assert_eq!(computed(Operation::Multiply, &[twenty.clone(), Value::Float(0.5)]), number("5e19"));
        assert_eq!(computed(Operation::Divide, &[twenty.clone(), Value::Integer(0)]), Value::Integer(-1202));
        assert_eq!(computed(Operation::Add, &[twenty.clone(), Value::Null]), Value::Null);
        assert_eq!(computed(Operation::Decimal(3), &[Value::Text("12.345".into())]), number("12.3"));
        assert_eq!(computed(Operation::Exact(5, 2), &[number("123.456")]), Value::Decimal("123.46".parse().unwrap()));
        assert_eq!(computed(Operation::Exact(5, 2), std::slice::from_ref(&twenty)), Value::Integer(-1226));
        assert_eq!(computed(Operation::Text, &[number("1e100")]), Value::Text("1E+100".into()));
        let rounded = computed(Operation::Round(Rounding::Nearest), &[number("1250"), Value::Integer(-2)]);
        assert_eq!(rounded, number("1300"));
    }

    #[test]
    fn names_have_the_digits_of_their_results() {
        for known in ["decimal", "decimal 16", "exact 10 2", "add", "text"] {
            assert!(function(known).is_some(), "{known}");
        }
        for unknown in ["decimal 33", "exact 2", "exact 2 3", "add 1", "nonsense"] {
            assert!(function(unknown).is_none(), "{unknown}");
        }
    }
}
