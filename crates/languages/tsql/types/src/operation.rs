//! All operations on values behind one interface: found by name, bound to the types of their arguments, evaluated.
//!
//! ```text
//!   "add"  "less"  "like"  "cast:varchar(30)"  "dateadd:day"  "len"        Operation::by_name
//!      |  types of the arguments, and those that are constants
//!      v
//!   Bound { arguments, common, result }                                    Operation::bind
//!      |  values                                                           Bound::evaluate
//! ```
//!
//! The names are those that the reduction of queries writes, so that expressions over columns and over variables have
//! the same meaning. The part behind a colon belongs to the operation: the type of a conversion, the part of a date.

use crate::argument::Argument;
use crate::context::Context;
use crate::convert::{Conversion, assign, padded, truncates, truncation, try_convert};
use crate::messages::Message;
use crate::operators::{Binary, BinaryOperator, Comparison, ComparisonOperator, LikeMatch, Unary, UnaryOperator};
use crate::settings::Switches;
use crate::types::{self, DataType, Declared, TypeArgument};
use mainstay_character_sets::CodePage;
use mainstay_types::{Collation, Decimal, Value, ValueRef};

/// An operation by its name, whatever types it is for.
#[derive(Clone, Debug)]
pub enum Operation {
    /// A literal of this type.
    Typed(DataType),
    /// A parameter of this type. Its value says nothing of the types of results, as a literal's does: 5 * 1.5 is
    /// DECIMAL(4,1), @n * 1.5 is DECIMAL(13,1).
    Given(DataType),
    /// CAST, CONVERT and their like.
    Convert(ConvertKind, DataType),
    /// An operator that gives a value.
    Binary(BinaryOperator),
    /// A comparison.
    Compare(ComparisonOperator),
    /// One of a variable or of NULL itself: ANSI_NULLS says what it is to that.
    CompareNull(ComparisonOperator),
    /// A sign, or the complement of bits.
    Unary(UnaryOperator),
    /// The first argument is one of the others.
    In,
    /// The first argument is one of the values of this type that the second one lists ([`crate::listed`]): `in:int`.
    Listed(DataType),
    /// LIKE, perhaps with ESCAPE.
    Like,
    /// IS DISTINCT FROM.
    Distinct,
    /// COALESCE.
    Coalesce,
    /// ISNULL.
    IsNull,
    /// COLLATE with this name.
    Collate(String),
    /// The conversion for a column of a table, both named: `assign:varchar(10)@dbo.t@name`.
    Assign(DataType, String, String),
    /// A sum divided by a count, as AVG does.
    Average(DataType),
    /// The value of a subquery that gave so many rows.
    SingleValue,
    /// The texts of a group that STRING_AGG has joined, which have to fit into the type that it gives.
    Joined,
    /// The key that a SQL_VARIANT compares by.
    VariantKey,
    /// A built-in function, with the word that stands for its first argument; one that makes JSON with the places of
    /// the arguments that are JSON already, from 0: `json_array:0,2`.
    Function(&'static crate::functions::Function, Option<String>),
}

/// The kind of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvertKind {
    /// CAST and CONVERT.
    Explicit,
    /// TRY_CAST and TRY_CONVERT.
    Try,
    /// The assignment of an INSERT or UPDATE to a column: a text that is too long is an error.
    Assign,
    /// PARSE: of a culture, which is the second argument.
    Parse,
    /// TRY_PARSE.
    TryParse,
}

impl ConvertKind {
    /// The source and target type of the conversion: PARSE reads a text whatever its operand's type.
    ///
    /// Errors: those of a conversion that there is not.
    fn pair(self, from: DataType, to: DataType, style: Option<i32>) -> Result<(DataType, DataType), Message> {
        let text = DataType::NVarChar(types::Length::Max);
        match self {
            ConvertKind::Parse | ConvertKind::TryParse => Conversion::implicit(from, text).map(|_| (from, text)),
            ConvertKind::Assign => Conversion::implicit(from, to).map(|_| (from, to)),
            ConvertKind::Explicit | ConvertKind::Try => Conversion::explicit(from, to, style).map(|_| (from, to)),
        }
    }
}

/// An operation that knows the types of its arguments.
#[derive(Debug)]
pub struct Bound {
    /// Its name.
    pub name: String,
    /// The types of the arguments; `None` for NULL and for conditions.
    pub arguments: Vec<Option<DataType>>,
    /// The type that sides of a comparison are brought to.
    pub common: Option<DataType>,
    /// The type of the result; `None` for a condition, and for NULL.
    pub result: Option<DataType>,
    /// True if it has arguments of CHAR, of which it wants the blanks at their ends.
    counts_blanks: bool,
    how: How,
}

#[derive(Debug)]
enum How {
    /// The argument as it is.
    Same,
    Convert(ConvertKind, Option<(DataType, DataType)>),
    Assign(DataType, DataType, String, String),
    Binary(Binary),
    Compare(Comparison),
    CompareNull(Comparison),
    Unary(Unary),
    In(Vec<Comparison>),
    Listed(Box<Comparison>, DataType),
    Like(Box<LikeMatch>),
    Distinct(Comparison),
    Coalesce(Vec<Option<Conversion>>),
    Average(DataType),
    SingleValue,
    Joined(crate::text::Encoding),
    VariantKey,
    Function(crate::functions::Bound),
}

impl Operation {
    /// The operation of this name.
    pub fn by_name(name: &str) -> Option<Operation> {
        let (head, detail) = match name.split_once(':') {
            Some((head, detail)) => (head, Some(detail)),
            None => (name, None),
        };
        if let Some(detail) = detail {
            if head == "assign"
                && let Some((to, column)) = detail.split_once('@')
            {
                let (table, column) = column.rsplit_once('@')?;
                return data_type(to).map(|to| Operation::Assign(to, table.to_owned(), column.to_owned()));
            }
            let kind = match head {
                "cast" | "convert" => Some(ConvertKind::Explicit),
                "try_cast" | "try_convert" => Some(ConvertKind::Try),
                "assign" => Some(ConvertKind::Assign),
                "parse" => Some(ConvertKind::Parse),
                "try_parse" => Some(ConvertKind::TryParse),
                _ => None,
            };
            if let Some(kind) = kind {
                return data_type(detail).map(|to| Operation::Convert(kind, to));
            }
            return match head {
                "given" => data_type(detail).map(Operation::Given),
                "in" => data_type(detail).map(Operation::Listed),
                "collate" => Some(Operation::Collate(detail.to_owned())),
                "average" => data_type(detail).map(Operation::Average),
                _ => {
                    crate::functions::find(head).map(|function| Operation::Function(function, Some(detail.to_owned())))
                }
            };
        }
        if let Some(operation) = operator(name) {
            return Some(operation);
        }
        // CHAR is a function and, with its length, a type; AT TIME ZONE is a function of a name that queries cannot have.
        crate::functions::find(if name == "at_time_zone" { "AT TIME ZONE" } else { name })
            .map(|function| Operation::Function(function, None))
            .or_else(|| data_type(name).map(Operation::Typed))
    }

    /// Returns true if it may give another value each time: NEWID.
    pub fn is_volatile(&self) -> bool {
        matches!(self, Operation::Function(function, _) if function.determinism == crate::functions::Determinism::Row)
    }

    /// The operation over arguments of these types, of which some are constants.
    ///
    /// Errors: 174, 402, 8116, 8117, 206, 257, 529 and others with the texts of the server.
    pub fn bind(&self, arguments: &[Option<DataType>], constants: &[Option<Value>]) -> Result<Bound, Message> {
        self.bind_collated(arguments, constants, None)
    }

    /// The same over texts that compare by a collation of their own.
    ///
    /// Errors: as [`Operation::bind`].
    pub fn bind_collated(
        &self,
        arguments: &[Option<DataType>],
        constants: &[Option<Value>],
        collation: Option<Collation>,
    ) -> Result<Bound, Message> {
        let constant = |place: usize| constants.get(place).and_then(Option::as_ref);
        let argument = |place: usize| Argument {
            data_type: arguments.get(place).copied().flatten(),
            constant: constant(place).map(Value::as_ref),
            collation,
            is_json: self.takes_as_json(place),
            ..Argument::default()
        };
        let mut common = None;
        let (how, result) = match (self, arguments) {
            (Operation::Typed(to) | Operation::Given(to), _) => (How::Same, Some(*to)),
            (Operation::Convert(kind, to), [from, ..]) => {
                let style = constant(1).and_then(|value| match value {
                    Value::Integer(style) => i32::try_from(*style).ok(),
                    _ => None,
                });
                let pair = from.map(|from| kind.pair(from, *to, style)).transpose()?;
                (How::Convert(*kind, pair), Some(*to))
            }
            (Operation::Assign(to, table, column), [from]) => {
                let how = match from {
                    None => How::Convert(ConvertKind::Assign, None),
                    Some(from) => {
                        Conversion::implicit(*from, *to)?;
                        How::Assign(*from, *to, table.clone(), column.clone())
                    }
                };
                (how, Some(*to))
            }
            (Operation::Binary(op), [_, _]) => {
                let bound = Binary::bind(*op, argument(0), argument(1))?;
                (How::Binary(bound), Some(bound.result))
            }
            (Operation::Compare(op), [_, _]) => {
                let bound = Comparison::bind(*op, argument(0), argument(1))?;
                common = Some(bound.common);
                (How::Compare(bound), None)
            }
            (Operation::CompareNull(op), [_, _]) => {
                let bound = Comparison::bind(*op, argument(0), argument(1))?;
                common = Some(bound.common);
                (How::CompareNull(bound), None)
            }
            (Operation::Unary(op), [_]) => {
                let bound = Unary::bind(*op, argument(0))?;
                (How::Unary(bound), Some(bound.result))
            }
            (Operation::In, [_, others @ ..]) => {
                let equal = |place| Comparison::bind(ComparisonOperator::Equal, argument(0), argument(place));
                let bound = (1..=others.len()).map(equal).collect::<Result<Vec<_>, _>>()?;
                common = types::of_all(arguments.iter().copied())?;
                (How::In(bound), None)
            }
            (Operation::Listed(of), [_, _]) => (listed(argument(0), *of, &mut common)?, None),
            (Operation::Distinct, [_, _]) => {
                let bound = Comparison::bind(ComparisonOperator::Equal, argument(0), argument(1))?;
                common = Some(bound.common);
                (How::Distinct(bound), None)
            }
            (Operation::Like, [_, _, ..]) => {
                let escape = arguments.get(2).map(|_| argument(2));
                let default = crate::collation::COMPARISON;
                (How::Like(Box::new(LikeMatch::bind(argument(0), argument(1), escape, default)?)), None)
            }
            (Operation::Coalesce, [_, ..]) => {
                let result = types::of_all(arguments.iter().copied())?;
                (How::Coalesce(conversions(arguments, result)?), result)
            }
            (Operation::IsNull, [first, second]) => {
                let result = first.or(*second);
                (How::Coalesce(conversions(arguments, result)?), result)
            }
            (Operation::Average(to), _) => (How::Average(*to), Some(*to)),
            (Operation::SingleValue, [first, ..]) => (How::SingleValue, *first),
            (Operation::Joined, [Some(data_type)]) => (How::Joined(data_type.encoding()), Some(*data_type)),
            (Operation::VariantKey, [_]) => (How::VariantKey, Some(DataType::VarBinary(types::Length::Max))),
            (Operation::Collate(_), [first]) => (How::Same, *first),
            (Operation::Function(function, detail), _) => {
                let word = detail.as_deref().filter(|_| function.takes_part).map(Argument::keyword);
                let all: Vec<Argument<'_>> = word.into_iter().chain((0..arguments.len()).map(argument)).collect();
                let bound = function.bind(&all)?;
                let result = bound.result;
                (How::Function(bound), Some(result))
            }
            _ => return Err(Message::numbered(174, &[&self.shown(), &"2"])),
        };
        let has_blanks = arguments.iter().any(|of| matches!(of, Some(DataType::Char(..) | DataType::NChar(_))));
        let compares = matches!(
            how,
            How::Same | How::Compare(_) | How::CompareNull(_) | How::In(_) | How::Listed(..) | How::Distinct(_)
        );
        let (name, arguments, counts_blanks) = (self.shown(), arguments.to_vec(), has_blanks && !compares);
        Ok(Bound { name, arguments, common, result, counts_blanks, how })
    }

    /// Returns true if the name says of the argument at this place that it is JSON already.
    fn takes_as_json(&self, place: usize) -> bool {
        match self {
            Operation::Function(function, Some(places)) if !function.takes_part => {
                places.split(',').any(|json| json.parse() == Ok(place))
            }
            _ => false,
        }
    }

    fn shown(&self) -> String {
        match self {
            Operation::Typed(to) | Operation::Given(to) => to.to_string(),
            Operation::Convert(_, to) | Operation::Assign(to, ..) => format!("convert to {to}"),
            Operation::Function(function, _) => function.name.to_ascii_lowercase(),
            Operation::IsNull => "isnull".to_owned(),
            Operation::Coalesce => "coalesce".to_owned(),
            other => format!("{other:?}").to_ascii_lowercase(),
        }
    }
}

fn operator(name: &str) -> Option<Operation> {
    use BinaryOperator::*;
    use ComparisonOperator::*;
    Some(match name {
        "add" => Operation::Binary(Add),
        "subtract" => Operation::Binary(Subtract),
        "multiply" => Operation::Binary(Multiply),
        "divide" => Operation::Binary(Divide),
        "modulo" => Operation::Binary(Modulo),
        "concatenate" => Operation::Binary(Add),
        "bit_and" => Operation::Binary(BitAnd),
        "bit_or" => Operation::Binary(BitOr),
        "bit_xor" => Operation::Binary(BitXor),
        "equal" => Operation::Compare(Equal),
        "not_equal" => Operation::Compare(NotEqual),
        "less" => Operation::Compare(Less),
        "less_or_equal" => Operation::Compare(LessOrEqual),
        "greater" => Operation::Compare(Greater),
        "greater_or_equal" => Operation::Compare(GreaterOrEqual),
        "equal_null" => Operation::CompareNull(Equal),
        "not_equal_null" => Operation::CompareNull(NotEqual),
        "negate" => Operation::Unary(UnaryOperator::Minus),
        "bit_not" => Operation::Unary(UnaryOperator::BitNot),
        "in" => Operation::In,
        "like" => Operation::Like,
        "distinct" => Operation::Distinct,
        "coalesce" => Operation::Coalesce,
        "isnull" => Operation::IsNull,
        "single_value" => Operation::SingleValue,
        "joined" => Operation::Joined,
        "variant_key" => Operation::VariantKey,
        _ => return None,
    })
}

/// Reads a type as it is printed: `decimal(10,2)`, `nvarchar(max)`, `varchar(10) cp1250`.
pub fn data_type(text: &str) -> Option<DataType> {
    if let Some((text, page)) = text.rsplit_once(' ')
        && let Some(page) = CodePage::by_name(page)
    {
        return data_type(text).map(|data_type| data_type.in_page(page));
    }
    let (name, arguments) = match text.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')')?),
        None => (text, ""),
    };
    let argument = |text: &str| match text.trim() {
        "max" => Some(TypeArgument::Max),
        digits => digits.parse().ok().map(TypeArgument::Number),
    };
    let arguments = arguments.split(',').filter(|text| !text.is_empty()).map(argument).collect::<Option<Vec<_>>>()?;
    DataType::declare(name, &arguments, Declared::Cast).ok()
}

/// The comparison of a value with those of a list that is one text, and the type that both sides are brought to.
fn listed(value: Argument<'_>, of: DataType, common: &mut Option<DataType>) -> Result<How, Message> {
    let item = Argument { data_type: Some(of), collation: value.collation, ..Argument::default() };
    let bound = Comparison::bind(ComparisonOperator::Equal, value, item)?;
    *common = Some(bound.common);
    Ok(How::Listed(Box::new(bound), of))
}

fn conversions(arguments: &[Option<DataType>], result: Option<DataType>) -> Result<Vec<Option<Conversion>>, Message> {
    let conversion = |argument: &Option<DataType>| match (argument, result) {
        (Some(from), Some(to)) if *from != to => Conversion::implicit(*from, to).map(Some),
        _ => Ok(None),
    };
    arguments.iter().map(conversion).collect()
}

impl Bound {
    /// The value for these arguments.
    ///
    /// Errors: those of the operation, with the texts of the server.
    pub fn evaluate(&self, context: &Context<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
        if !self.counts_blanks {
            return self.evaluate_whole(context, values);
        }
        // Columns of CHAR are stored without the blanks at their ends.
        let of = |(value, data_type): (&ValueRef<'_>, &Option<DataType>)| data_type.and_then(|of| padded(*value, of));
        let padded: Vec<Option<String>> = values.iter().zip(&self.arguments).map(of).collect();
        let whole = |(place, value): (usize, &ValueRef<'_>)| match padded.get(place).and_then(Option::as_deref) {
            Some(text) => Value::Text(text.to_owned()),
            None => value.to_value(),
        };
        if padded.iter().all(Option::is_none) {
            return self.evaluate_whole(context, values);
        }
        let values: Vec<Value> = values.iter().enumerate().map(whole).collect();
        self.evaluate_whole(context, &values.iter().map(Value::as_ref).collect::<Vec<_>>())
    }

    fn evaluate_whole(&self, context: &Context<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
        let value = |place: usize| values.get(place).copied().unwrap_or(ValueRef::Null);
        let truth = |value: Option<bool>| value.map_or(Value::Null, Value::Boolean);
        match &self.how {
            How::Same => Ok(value(0).to_value()),
            How::Convert(_, None) => Ok(Value::Null),
            How::Convert(kind @ (ConvertKind::Parse | ConvertKind::TryParse), Some((from, varchar))) => {
                let text = crate::convert::convert(context, value(0), *from, *varchar, None)?;
                let culture = match value(1) {
                    ValueRef::Text(culture) => Some(culture),
                    _ => None,
                };
                match (text, self.result) {
                    (Value::Text(text), Some(to)) if *kind == ConvertKind::Parse => {
                        crate::dotnet::parse(context, &text, to, culture)
                    }
                    (Value::Text(text), Some(to)) => crate::dotnet::try_parse(context, &text, to, culture),
                    _ => Ok(Value::Null),
                }
            }
            How::Convert(kind, Some((from, to))) => {
                let style = match value(1) {
                    ValueRef::Integer(style) => i32::try_from(style).ok(),
                    _ => None,
                };
                match kind {
                    ConvertKind::Explicit => crate::convert::convert(context, value(0), *from, *to, style),
                    ConvertKind::Try => try_convert(context, value(0), *from, *to, style),
                    ConvertKind::Assign => assign(context, value(0), *from, *to),
                    ConvertKind::Parse | ConvertKind::TryParse => Ok(Value::Null),
                }
            }
            How::Assign(from, to, table, column) => {
                match truncates(value(0), *to) && context.settings.has(Switches::ANSI_WARNINGS) {
                    true => Err(truncation(value(0), *to, table, column)),
                    false => assign(context, value(0), *from, *to),
                }
            }
            How::Binary(binary) => binary.evaluate(context, value(0), value(1)),
            How::Compare(comparison) => comparison.evaluate(context, value(0), value(1)).map(truth),
            How::CompareNull(comparison) => comparison.evaluate_with_null(context, value(0), value(1)).map(truth),
            How::Unary(unary) => unary.evaluate(context, value(0)),
            How::In(comparisons) => {
                let mut unknown = false;
                for (place, comparison) in comparisons.iter().enumerate() {
                    match comparison.evaluate(context, value(0), value(place + 1))? {
                        Some(true) => return Ok(Value::Boolean(true)),
                        Some(false) => {}
                        None => unknown = true,
                    }
                }
                Ok(if unknown { Value::Null } else { Value::Boolean(false) })
            }
            How::Listed(comparison, of) => {
                let ValueRef::Text(packed) = value(1) else { return Ok(Value::Null) };
                let mut unknown = value(0).is_null();
                for item in crate::listed::unpack(packed, *of).unwrap_or_default() {
                    match comparison.evaluate(context, value(0), item.as_ref())? {
                        Some(true) => return Ok(Value::Boolean(true)),
                        Some(false) => {}
                        None => unknown = true,
                    }
                }
                Ok(if unknown { Value::Null } else { Value::Boolean(false) })
            }
            How::Like(like) => like.evaluate(context, value(0), value(1), values.get(2).copied()).map(truth),
            How::Distinct(comparison) => match (value(0).is_null(), value(1).is_null()) {
                (false, false) => {
                    let equal = comparison.evaluate(context, value(0), value(1))?;
                    Ok(truth(equal.map(|equal| !equal)))
                }
                (left, right) => Ok(Value::Boolean(left != right)),
            },
            How::Coalesce(conversions) => {
                let Some(place) = values.iter().position(|value| !value.is_null()) else { return Ok(Value::Null) };
                match conversions.get(place) {
                    Some(Some(conversion)) => conversion.evaluate(context, value(place)),
                    _ => Ok(value(place).to_value()),
                }
            }
            How::Average(to) => average(value(0), value(1), *to),
            How::SingleValue => match value(1) {
                ValueRef::Integer(rows) if rows > 1 => Err(Message::numbered(512, &[])),
                _ => Ok(value(0).to_value()),
            },
            How::Joined(encoding) => match value(0) {
                ValueRef::Text(text) if encoding.size(text) > encoding.most() => Err(Message::numbered(9829, &[&8000])),
                joined => Ok(joined.to_value()),
            },
            How::VariantKey => Ok(crate::variant::key(value(0))),
            How::Function(function) => function.evaluate(context, values),
        }
    }
}

/// A sum divided by a count, cut off at the digits of the result.
fn average(sum: ValueRef<'_>, count: ValueRef<'_>, to: DataType) -> Result<Value, Message> {
    let (Some(sum), ValueRef::Integer(count)) = (sum.as_decimal(), count) else { return Ok(Value::Null) };
    if count == 0 {
        return Ok(Value::Null);
    }
    let scale = match to {
        DataType::Decimal { scale, .. } => scale,
        DataType::Money | DataType::SmallMoney => 4,
        _ => 0,
    };
    let overflow = || crate::convert::overflow("expression", to);
    let power = u32::from(scale.saturating_sub(sum.scale));
    let widened = 10i128.checked_pow(power).and_then(|power| sum.unscaled.checked_mul(power)).ok_or_else(overflow)?;
    let quotient = widened / i128::from(count);
    let quotient = match sum.scale.checked_sub(scale) {
        Some(extra) if extra > 0 => quotient / 10i128.pow(u32::from(extra)),
        _ => quotient,
    };
    match to {
        DataType::Decimal { .. } | DataType::Money | DataType::SmallMoney => {
            Ok(Value::Decimal(Decimal::new(quotient, scale)))
        }
        _ => i64::try_from(quotient).map(Value::Integer).map_err(|_| overflow()),
    }
}
