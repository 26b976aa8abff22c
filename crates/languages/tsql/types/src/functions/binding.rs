//! Inputs of a function's typing rule and of its evaluation.

use super::Bound;
use crate::argument::Argument;
use crate::context::Context;
use crate::messages::Message;
use crate::moment::part::Part;
use crate::types::{DataType, Length};
use mainstay_types::{Collation, ValueRef};

/// A function that is being bound. The rule says of each argument what it becomes; one that it does not mention stays
/// as it is.
pub struct Binding<'a> {
    /// The name in lower case, as messages have it.
    pub name: &'a str,
    /// The arguments, without a keyword in front.
    pub arguments: &'a [Argument<'a>],
    /// The type of each argument, and the type that it is converted to.
    pub types: Vec<(DataType, DataType)>,
    /// The date part.
    pub part: Option<Part>,
    /// The number of arguments in front of the first of `arguments`.
    skipped: usize,
}

impl<'a> Binding<'a> {
    pub(super) fn new(name: &'a str, arguments: &'a [Argument<'a>], takes_part: bool) -> Result<Binding<'a>, Message> {
        let mut part = None;
        let mut rest = arguments;
        if takes_part && let [first, others @ ..] = arguments {
            // A text or a variable is not a date part, whatever it says.
            let word = first.keyword.ok_or_else(|| Message::numbered(1023, &[&1, &name]))?;
            part = Some(Part::by_name(word).ok_or_else(|| Message::numbered(155, &[&word, &name]))?);
            rest = others;
        }
        let types = rest.iter().map(|argument| (argument.data_type_or_int(), argument.data_type_or_int())).collect();
        Ok(Binding { name, arguments: rest, types, part, skipped: arguments.len() - rest.len() })
    }

    /// The number of arguments, without a keyword.
    pub fn count(&self) -> usize {
        self.arguments.len()
    }

    /// The argument of this number, from 0.
    pub fn argument(&self, index: usize) -> Argument<'a> {
        self.arguments.get(index).copied().unwrap_or_default()
    }

    /// 8116 for the argument of this number.
    pub fn invalid(&self, index: usize) -> Message {
        let name = self.argument(index).data_type.map_or("NULL", DataType::value_name);
        Message::numbered(8116, &[&name, &(index + self.skipped + 1), &self.name])
    }

    /// Makes an argument a type.
    pub fn become_type(&mut self, index: usize, to: DataType) -> DataType {
        if let Some((from, wanted)) = self.types.get_mut(index) {
            if self.arguments.get(index).is_some_and(Argument::is_null) {
                *from = to;
            }
            *wanted = to;
        }
        to
    }

    /// Makes an argument a type that it becomes by itself; otherwise 8116.
    pub fn implicit(&mut self, index: usize, to: DataType) -> Result<DataType, Message> {
        if let Some(from) = self.argument(index).data_type {
            crate::types::implicit(from, to).map_err(|_| self.invalid(index))?;
        }
        Ok(self.become_type(index, to))
    }

    /// Makes an argument a text: as it is, or as long as its type shows.
    pub fn text(&mut self, index: usize) -> Result<DataType, Message> {
        let to = match self.argument(index).data_type {
            None => DataType::varchar(Length::Limited(1)),
            Some(data_type) if data_type.is_string() => data_type,
            Some(data_type) if data_type.is_large_object() => return Err(self.invalid(index)),
            Some(DataType::Xml | DataType::SqlVariant) => return Err(self.invalid(index)),
            Some(DataType::VarBinary(Length::Max)) => DataType::varchar(Length::Max),
            Some(data_type) if data_type.is_binary() => DataType::varchar(data_type.length().unwrap_or(Length::Max)),
            Some(data_type) => DataType::varchar(Length::Limited(width(data_type))),
        };
        Ok(self.become_type(index, to))
    }

    /// Makes an argument a text; TEXT and NTEXT become their MAX types.
    pub fn text_or_large(&mut self, index: usize) -> Result<DataType, Message> {
        match self.argument(index).data_type {
            Some(text @ DataType::Text(_)) => Ok(self.become_type(index, DataType::string_max(text.encoding()))),
            Some(DataType::NText) => Ok(self.become_type(index, DataType::NVarChar(Length::Max))),
            _ => self.text(index),
        }
    }

    /// Makes an argument an INT, or leaves it a BIGINT.
    pub fn integer(&mut self, index: usize) -> Result<DataType, Message> {
        let to = match self.argument(index).data_type {
            Some(DataType::BigInt) => DataType::BigInt,
            Some(data_type) if data_type.is_moment() => return Err(self.invalid(index)),
            _ => DataType::Int,
        };
        self.implicit(index, to)
    }

    /// Makes an argument a FLOAT.
    pub fn float(&mut self, index: usize) -> Result<DataType, Message> {
        match self.argument(index).data_type {
            Some(data_type) if data_type.is_moment() || data_type.is_binary() => Err(self.invalid(index)),
            _ => self.implicit(index, DataType::Float),
        }
    }

    /// The collation that an argument brings.
    pub fn collation(&self) -> Option<Collation> {
        self.arguments.iter().find_map(|argument| argument.collation)
    }
}

/// Characters that the server gives to the text of a type other than text.
fn width(data_type: DataType) -> u16 {
    match data_type {
        DataType::Bit => 1,
        DataType::TinyInt => 4,
        DataType::SmallInt => 6,
        DataType::Int => 12,
        DataType::BigInt => 24,
        DataType::Real | DataType::Float => 23,
        DataType::Decimal { .. } => 41,
        _ => 40,
    }
}

/// An evaluation: what a function knows beside its arguments' values.
pub struct Call<'a> {
    /// The session.
    pub context: &'a Context<'a>,
    /// The function with its types.
    pub bound: &'a Bound,
}

impl Call<'_> {
    /// The collation of comparisons.
    pub fn collation(&self) -> Collation {
        self.bound.collation.unwrap_or(self.context.collation)
    }

    /// The date part. (Functions without one do not ask.)
    pub fn part(&self) -> Part {
        self.bound.part.unwrap_or(Part::Day)
    }

    /// The name in lower case, as messages have it.
    pub fn name(&self) -> String {
        self.bound.function.name.to_ascii_lowercase()
    }

    /// The type that an argument became.
    pub fn argument_type(&self, index: usize) -> DataType {
        self.bound.arguments.get(index).map_or(DataType::Int, |(_, to)| *to)
    }

    /// Returns true if an argument is JSON already.
    pub fn is_json(&self, index: usize) -> bool {
        index < 64 && self.bound.json >> index & 1 == 1
    }

    /// Returns true if an argument counts units of UTF-16.
    pub fn is_national(&self, index: usize) -> bool {
        self.argument_type(index).is_national()
    }
}

/// The text of an argument that became one.
pub fn text<'a>(values: &[ValueRef<'a>], index: usize) -> &'a str {
    match values.get(index) {
        Some(ValueRef::Text(text)) => text,
        _ => "",
    }
}

/// The number of an argument that became an integer.
pub fn integer(values: &[ValueRef<'_>], index: usize) -> i64 {
    match values.get(index) {
        Some(ValueRef::Integer(value)) => *value,
        Some(ValueRef::Boolean(value)) => i64::from(*value),
        _ => 0,
    }
}

/// The number of an argument that became a FLOAT.
pub fn float(values: &[ValueRef<'_>], index: usize) -> f64 {
    values.get(index).and_then(|value| value.as_f64()).unwrap_or(0.0)
}

/// The value of an argument; NULL for one that is not there.
pub fn value<'a>(values: &[ValueRef<'a>], index: usize) -> ValueRef<'a> {
    values.get(index).copied().unwrap_or(ValueRef::Null)
}
