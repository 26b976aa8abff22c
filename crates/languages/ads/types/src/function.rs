//! Functions by their names.
//!
//! A name may include a type after a colon, the target of a conversion: `convert:integer`, `convert:char(20)`.
//! [`Operation::bind`] derives the type of the result from those of the arguments; [`Operation::call`] computes.

use crate::convert::{self, text_type};
use crate::failure::{Failure, native};
use crate::{moment, number, operators, other, text};
use mainstay_types::{SqlType, Timestamp, Value, ValueRef};
use std::sync::atomic::AtomicU64;

/// Facts about the session that functions ask for.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The time of the statement, by the local clock.
    pub now: Timestamp,
    /// The state of RAND.
    pub seed: &'a AtomicU64,
}

/// The arguments of a function.
pub(crate) struct Arguments<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) name: &'static str,
    pub(crate) values: &'a [ValueRef<'a>],
}

/// The result of a function.
pub(crate) type Outcome = Result<Value, Failure>;

/// The rule for a function's result type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Gives {
    Logical,
    Integer,
    Double,
    Text,
    Binary,
    Date,
    Time,
    Timestamp,
    /// The type of this argument.
    Same(usize),
    /// The type of arithmetic with its arguments.
    Arithmetic,
    /// The type behind the colon.
    Named,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Its name in lower case.
    pub name: &'static str,
    /// The least arguments and the most.
    pub arguments: (usize, usize),
    pub(crate) gives: Gives,
    pub(crate) call: fn(&Arguments<'_>) -> Outcome,
    /// True if the function itself decides about NULL arguments.
    pub(crate) takes_null: bool,
    /// True if each call may return another value.
    pub is_volatile: bool,
    /// True if it sees trailing blanks of a CHAR column.
    pub sees_blanks: bool,
}

/// A function of this kind, which takes NULL as an answer.
pub(crate) const fn plain(
    name: &'static str,
    arguments: (usize, usize),
    gives: Gives,
    call: fn(&Arguments<'_>) -> Outcome,
) -> Function {
    Function { name, arguments, gives, call, takes_null: false, is_volatile: false, sees_blanks: false }
}

impl Function {
    /// The same, seeing NULL.
    pub(crate) const fn with_null(mut self) -> Function {
        self.takes_null = true;
        self
    }

    /// The same, giving something else each time.
    pub(crate) const fn volatile(mut self) -> Function {
        self.is_volatile = true;
        self
    }

    /// The same, seeing the blanks of CHAR columns.
    pub(crate) const fn with_blanks(mut self) -> Function {
        self.sees_blanks = true;
        self
    }
}

/// A function as it was named.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The function.
    pub function: &'static Function,
    /// The type behind the colon.
    pub target: Option<SqlType>,
}

const TABLES: [&[Function]; 5] =
    [operators::FUNCTIONS, text::FUNCTIONS, number::FUNCTIONS, moment::FUNCTIONS, other::FUNCTIONS];

static CONVERT: Function = plain("convert", (1, 1), Gives::Named, |_| Ok(Value::Null));

/// The names of all functions, operators among them.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter().flatten().map(|function| function.name).chain(["convert"])
}

/// The function of this name, in any case.
pub fn operation(name: &str) -> Option<Operation> {
    let lower = name.to_ascii_lowercase();
    if let Some((name, target)) = lower.split_once(':') {
        let target = Some(convert::named_type(target)?);
        return (name == "convert").then_some(Operation { function: &CONVERT, target });
    }
    let function = TABLES.into_iter().flatten().find(|function| function.name == lower)?;
    Some(Operation { function, target: None })
}

impl Operation {
    /// The type of the result for arguments of these types; `None` for a NULL without a type.
    ///
    /// Errors: 2159 for another number of arguments than it takes, 2124 for operands that the operator does not take.
    pub fn bind(&self, types: &[Option<SqlType>]) -> Result<Option<SqlType>, Failure> {
        let Function { name, arguments: (least, most), .. } = *self.function;
        if types.len() < least || types.len() > most {
            let text = format!("Invalid number of arguments to scalar function: {}", name.to_uppercase());
            return Err(Failure::new(native::ARGUMENT, text));
        }
        Ok(Some(match self.function.gives {
            Gives::Logical => SqlType::Boolean,
            Gives::Integer => SqlType::Integer,
            Gives::Double => SqlType::Double,
            Gives::Text => text_type(),
            Gives::Binary => SqlType::VarBinary { length: None },
            Gives::Date => SqlType::Date,
            Gives::Time => SqlType::Time { digits: 3 },
            Gives::Timestamp => SqlType::Timestamp { digits: 3 },
            Gives::Same(place) => return Ok(types.get(place).copied().flatten()),
            Gives::Arithmetic => return operators::result_type(name, types),
            Gives::Named => return Ok(self.target),
        }))
    }

    /// The function's value.
    ///
    /// Errors: 2159 for an argument of a type or value that it does not take, 2124 for an operand, 2153, 2232, 2109.
    pub fn call(&self, context: &Context<'_>, values: &[ValueRef<'_>]) -> Result<Value, Failure> {
        let function = self.function;
        if !function.takes_null && values.iter().any(|value| value.is_null()) {
            return Ok(Value::Null);
        }
        if let (Some(target), [value]) = (self.target, values) {
            return convert::convert(*value, target);
        }
        (function.call)(&Arguments { context, name: function.name, values })
    }
}

impl<'a> Arguments<'a> {
    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn value(&self, place: usize) -> ValueRef<'a> {
        self.values.get(place).copied().unwrap_or(ValueRef::Null)
    }

    pub(crate) fn refused(&self) -> Failure {
        let text = format!("Invalid argument to scalar function: {}", self.name.to_uppercase());
        Failure::new(native::ARGUMENT, text)
    }

    pub(crate) fn text(&self, place: usize) -> Result<&'a str, Failure> {
        match self.value(place) {
            ValueRef::Text(text) => Ok(text),
            _ => Err(self.refused()),
        }
    }

    pub(crate) fn double(&self, place: usize) -> Result<f64, Failure> {
        self.value(place).as_f64().ok_or_else(|| self.refused())
    }

    /// A whole number; one with a fraction is cut.
    pub(crate) fn integer(&self, place: usize) -> Result<i64, Failure> {
        match self.value(place) {
            ValueRef::Integer(number) => Ok(number),
            other => match other.as_f64() {
                Some(number) if number.abs() < 9.0e18 => Ok(number.trunc() as i64),
                _ => Err(self.refused()),
            },
        }
    }

    /// A count or length: at least 0, and no more than a text may have characters.
    pub(crate) fn size(&self, place: usize) -> Result<usize, Failure> {
        Ok(usize::try_from(self.integer(place)?.max(0)).unwrap_or(usize::MAX))
    }
}
