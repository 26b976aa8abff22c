//! The built-in scalar functions: found by name, bound to the types of their arguments once, evaluated often.
//!
//! ```text
//!   find("left") --> Function --bind(arguments)--> Bound { result } --evaluate(context, values)--> value
//!                               174, 189, 8116, 155
//! ```
//!
//! Binding determines the type that each argument is converted to (`LEN(12)` converts the number to text) and the type
//! of the result; evaluation converts the values that are not of that type yet. A word in the place of an expression
//! (`year` of DATEADD) is an [`Argument::keyword`] of the binding, and is left out of the values.
//!
//! Aggregates, and functions that need a session or a catalog, are elsewhere.

mod binding;
mod dates;
mod format;
mod from_parts;
mod hash;
mod json;
mod logic;
mod math;
mod metadata;
mod now;
mod search;
mod security;
mod strings;
mod strings_build;
mod text_pointer;
mod xml;
mod zone;

#[cfg(test)]
mod tests;

pub use binding::{Binding, Call};
pub(crate) use hash::{base64, base64_bytes};
pub use json::json_of;
pub use metadata::TYPE_NAMES;
pub(crate) use strings_build::json_escaped;
pub use text_pointer::TextPointer;
pub(crate) use xml::{given, xml_variables};

use crate::argument::Argument;
use crate::context::Context;
use crate::convert::{convert, is_identity};
use crate::messages::Message;
use crate::moment::part::Part;
use crate::types::DataType;
use mainstay_types::{Collation, Value, ValueRef};

/// The frequency with which a function is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// The same arguments give the same value.
    Constant,
    /// The same for a whole statement: GETDATE, RAND.
    Statement,
    /// Another one for every row: NEWID.
    Row,
}

/// As many arguments as are converted without the heap.
const FEW: usize = 4;

/// The effect of a NULL argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nulls {
    /// The result is NULL, and the function is not asked.
    Strict,
    /// The function sees it.
    Seen,
}

/// A built-in function.
#[derive(Debug)]
pub struct Function {
    /// The name in upper case.
    pub name: &'static str,
    /// The fewest arguments that it takes, a keyword included.
    pub min: usize,
    /// The most.
    pub max: usize,
    /// The frequency with which it is evaluated.
    pub determinism: Determinism,
    /// True if its first argument is a date part.
    pub takes_part: bool,
    nulls: Nulls,
    bind: fn(&mut Binding<'_>) -> Result<DataType, Message>,
    evaluate: fn(&Call<'_>, &[ValueRef<'_>]) -> Result<Value, Message>,
}

impl Function {
    const fn new(
        name: &'static str,
        (min, max): (usize, usize),
        bind: fn(&mut Binding<'_>) -> Result<DataType, Message>,
        evaluate: fn(&Call<'_>, &[ValueRef<'_>]) -> Result<Value, Message>,
    ) -> Function {
        Function {
            name,
            min,
            max,
            determinism: Determinism::Constant,
            takes_part: false,
            nulls: Nulls::Strict,
            bind,
            evaluate,
        }
    }

    /// The same, with a date part as its first argument.
    const fn with_part(mut self) -> Function {
        self.takes_part = true;
        self
    }

    /// The same, asked for NULL arguments as well.
    const fn sees_nulls(mut self) -> Function {
        self.nulls = Nulls::Seen;
        self
    }

    const fn per_statement(mut self) -> Function {
        self.determinism = Determinism::Statement;
        self
    }

    const fn per_row(mut self) -> Function {
        self.determinism = Determinism::Row;
        self
    }

    /// Finds what the arguments become and the type of the result. Errors: 174 and 189 for their number, 8116 for their
    /// types, 155 for an unknown date part, and those of a function's own.
    pub fn bind(&'static self, arguments: &[Argument<'_>]) -> Result<Bound, Message> {
        // Messages write the names of functions small, and that of the clause as it is.
        let name = if self.name.contains(' ') { self.name.to_owned() } else { self.name.to_ascii_lowercase() };
        if arguments.len() < self.min || arguments.len() > self.max {
            return Err(self.wrong_count(&name));
        }
        let mut binding = Binding::new(&name, arguments, self.takes_part)?;
        let result = (self.bind)(&mut binding)?;
        Ok(Bound {
            function: self,
            result,
            part: binding.part,
            collation: binding.collation(),
            converts: !binding.types.iter().all(|(from, to)| is_identity(*from, *to)),
            json: arguments_that_are_json(binding.arguments),
            arguments: binding.types,
        })
    }

    fn wrong_count(&self, name: &str) -> Message {
        match (self.min, self.max) {
            (min, max) if min == max => Message::numbered(174, &[&name, &min]),
            (min, max) => Message::numbered(189, &[&name, &min, &max]),
        }
    }
}

/// A function whose arguments' types are known.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The function.
    pub function: &'static Function,
    /// The type of the result.
    pub result: DataType,
    /// The types of the arguments, and the types that they are converted to.
    arguments: Vec<(DataType, DataType)>,
    /// A bit for each of the first arguments that is JSON already.
    json: u64,
    /// True if some argument has to be converted.
    converts: bool,
    part: Option<Part>,
    collation: Option<Collation>,
}

impl Bound {
    /// The types that the arguments become, without a keyword.
    pub fn arguments(&self) -> impl Iterator<Item = DataType> + '_ {
        self.arguments.iter().map(|(_, to)| *to)
    }

    /// The value for these arguments, which have the types that the function was bound to; a keyword is left out.
    pub fn evaluate(&self, context: &Context<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
        if self.function.nulls == Nulls::Strict && values.iter().any(|value| value.is_null()) {
            return Ok(Value::Null);
        }
        let call = Call { context, bound: self };
        // All but what gives a variant itself work with the value within.
        let is_within = self.result != DataType::SqlVariant
            && self.arguments.contains(&(DataType::SqlVariant, DataType::SqlVariant));
        if is_within {
            return context.arithmetic(self.within_variants(&call, values), Value::Null);
        }
        let result =
            if self.converts { self.converted(&call, values) } else { (self.function.evaluate)(&call, values) };
        context.arithmetic(result, Value::Null)
    }

    /// The value for arguments of which some are variants.
    fn within_variants(&self, call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
        let within = |(value, types): (&ValueRef<'_>, &(DataType, DataType))| match types {
            (DataType::SqlVariant, DataType::SqlVariant) => crate::variant::decode(*value).1,
            _ => value.to_value(),
        };
        let values: Vec<Value> = values.iter().zip(&self.arguments).map(within).collect();
        let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        if self.converts { self.converted(call, &values) } else { (self.function.evaluate)(call, &values) }
    }

    fn converted(&self, call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
        // Few functions take more than four arguments; those of the others live on the heap.
        let (mut few, mut many) = ([const { Value::Null }; FEW], Vec::new());
        let owned = match values.len() {
            0..=FEW => few.as_mut_slice(),
            count => {
                many.resize(count, Value::Null);
                many.as_mut_slice()
            }
        };
        for ((owned, value), (from, to)) in owned.iter_mut().zip(values).zip(&self.arguments) {
            if !is_identity(*from, *to) {
                *owned = convert(call.context, *value, *from, *to, None)?;
            }
        }
        let (mut few, mut many) = ([ValueRef::Null; FEW], Vec::new());
        let refs = match values.len() {
            count @ 0..=FEW => few.get_mut(..count).unwrap_or_default(),
            count => {
                many.resize(count, ValueRef::Null);
                many.as_mut_slice()
            }
        };
        for (((to, owned), value), (from, wanted)) in refs.iter_mut().zip(&*owned).zip(values).zip(&self.arguments) {
            *to = if is_identity(*from, *wanted) { *value } else { owned.as_ref() };
        }
        (self.function.evaluate)(call, refs)
    }
}

/// A bit for each of the first 64 arguments that says of itself that it is JSON.
fn arguments_that_are_json(arguments: &[Argument<'_>]) -> u64 {
    let bits = arguments.iter().take(64).enumerate().map(|(index, argument)| u64::from(argument.is_json) << index);
    bits.sum()
}

/// Every function, by module.
const MODULES: [&[Function]; 15] = [
    strings::FUNCTIONS,
    strings_build::FUNCTIONS,
    math::FUNCTIONS,
    dates::FUNCTIONS,
    from_parts::FUNCTIONS,
    logic::FUNCTIONS,
    metadata::FUNCTIONS,
    zone::FUNCTIONS,
    format::FUNCTIONS,
    json::FUNCTIONS,
    xml::FUNCTIONS,
    hash::FUNCTIONS,
    now::FUNCTIONS,
    security::FUNCTIONS,
    text_pointer::FUNCTIONS,
];

/// The function of this name, in any case.
pub fn find(name: &str) -> Option<&'static Function> {
    all().find(|function| function.name.eq_ignore_ascii_case(name))
}

/// All functions.
pub fn all() -> impl Iterator<Item = &'static Function> {
    static ALL: [&[Function]; MODULES.len()] = MODULES;
    ALL.iter().flat_map(|module| module.iter())
}
