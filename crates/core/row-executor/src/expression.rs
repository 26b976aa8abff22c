//! Expressions over the current rows.
//!
//! SQL's logic has three values: a condition keeps a row only when it is true, and NOT of unknown is unknown. Values
//! are borrowed from their columns. Only functions and sort keys create new texts, which last as long as the run.

use crate::arithmetic::{Number, Operation, cast};
use crate::subquery::{Answers, Subquery};
use bumpalo::Bump;
use mainstay_columnar::Comparison;
use mainstay_store::Version;
use mainstay_types::{Code, Collation, Error, Result, Value, ValueRef};
use std::cmp::Ordering;
use std::fmt::Debug;
use std::sync::Arc;

/// The number of tables that a block joins at most.
pub(crate) const MAX_SOURCES: usize = 8;

/// A function that only its dialect knows.
pub trait Function: Debug + Send + Sync {
    /// Its value for these arguments, of the type that the planner was given.
    ///
    /// Errors: `InvalidValue` and `DivisionByZero` where it fails as the batch executor's fails.
    fn call(&self, arguments: &[ValueRef<'_>]) -> Result<Value>;
}

/// A function in an expression. Two are the same when they are one.
#[derive(Clone, Debug)]
pub struct Called(pub Arc<dyn Function>);

impl PartialEq for Called {
    fn eq(&self, other: &Called) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// An expression. Types are settled: operands of a comparison are of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A column of a table of the block; NULL where an outer join found no partner.
    Column {
        /// The place of the table.
        source: usize,
        /// The number of the column, the hidden ones behind the others.
        column: usize,
    },
    /// A result of the block's aggregate: its keys, then its calls.
    Result(usize),
    /// A parameter, from 0.
    Parameter(usize),
    /// A constant.
    Constant(Value),
    /// A comparison: numbers by their values, texts byte by byte. Unknown if either side is NULL.
    Compare {
        /// The operator.
        op: Comparison,
        /// The left side.
        left: Box<Expression>,
        /// The right side.
        right: Box<Expression>,
    },
    /// A comparison of texts as a collation has it, without regard to blanks at their ends.
    CompareText {
        /// The operator.
        op: Comparison,
        /// The left side.
        left: Box<Expression>,
        /// The right side.
        right: Box<Expression>,
        /// By which collation.
        collation: Collation,
    },
    /// True if all are, false if one is.
    And(Vec<Expression>),
    /// True if one is, false if all are.
    Or(Vec<Expression>),
    /// The opposite; of unknown, unknown.
    Not(Box<Expression>),
    /// True if there is no value.
    IsNull(Box<Expression>),
    /// True if it is this truth value; never unknown.
    Is(Box<Expression>, bool),
    /// True if it is one of a list.
    In {
        /// The value to look for.
        expression: Box<Expression>,
        /// Where.
        list: Vec<Expression>,
        /// NOT IN.
        negated: bool,
    },
    /// IN of many whole numbers.
    InNumbers {
        /// A whole number or a decimal.
        expression: Box<Expression>,
        /// The list, in ascending order.
        numbers: Arc<[i64]>,
        /// The list has a NULL too.
        has_null: bool,
        /// NOT IN.
        negated: bool,
    },
    /// A calculation.
    Calculate {
        /// The operator.
        operation: Operation,
        /// The left side.
        left: Box<Expression>,
        /// The right side.
        right: Box<Expression>,
        /// The type of the result.
        to: Number,
    },
    /// A number as one of another type, which can hold it.
    Cast {
        /// The number.
        expression: Box<Expression>,
        /// The type.
        to: Number,
    },
    /// The first branch whose condition is true, or else the other.
    Case {
        /// Conditions and what they lead to.
        branches: Vec<(Expression, Expression)>,
        /// The value if no condition is true; NULL if it is missing.
        otherwise: Option<Box<Expression>>,
    },
    /// The first that is not NULL.
    Coalesce(Vec<Expression>),
    /// A text without the blanks at its end.
    Trim(Box<Expression>),
    /// The sort key of a text.
    SortKey {
        /// The text.
        text: Box<Expression>,
        /// By which collation.
        collation: Collation,
        /// True if blanks at its end do not count.
        pads: bool,
    },
    /// A call of a function.
    Call {
        /// Which.
        function: Called,
        /// With what.
        arguments: Vec<Expression>,
    },
    /// The value of a query that looks at no row of the block.
    Subquery(Subquery),
}

/// Shorter lists are compared item by item.
const SHORT_LIST: usize = 8;

/// Arguments of a function that are at hand without allocating.
const FEW_ARGUMENTS: usize = 4;

/// The rows that an expression looks at.
#[derive(Clone, Copy)]
pub(crate) struct Current<'r> {
    pub(crate) rows: [Option<Version<'r>>; MAX_SOURCES],
    /// The number of columns of each table, without the hidden ones.
    pub(crate) widths: &'r [usize],
    pub(crate) parameters: &'r [ValueRef<'r>],
    /// Where new texts lie.
    pub(crate) texts: &'r Bump,
    /// The values of the subqueries.
    pub(crate) answers: Option<&'r Answers>,
}

impl<'r> Current<'r> {
    pub(crate) fn new(widths: &'r [usize], parameters: &'r [ValueRef<'r>], texts: &'r Bump) -> Current<'r> {
        Current { rows: [None; MAX_SOURCES], widths, parameters, texts, answers: None }
    }

    /// The same with subqueries.
    pub(crate) fn with_answers(self, answers: &'r Answers) -> Current<'r> {
        Current { answers: Some(answers), ..self }
    }

    /// Keeps an owned value for as long as the run lasts.
    pub(crate) fn keep(&self, value: &Value) -> ValueRef<'r> {
        match value {
            Value::Text(text) => ValueRef::Text(self.texts.alloc_str(text)),
            Value::Binary(bytes) => ValueRef::Binary(self.texts.alloc_slice_copy(bytes)),
            Value::Null => ValueRef::Null,
            Value::Boolean(value) => ValueRef::Boolean(*value),
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Decimal(value) => ValueRef::Decimal(*value),
            Value::Float(value) => ValueRef::Float(*value),
            Value::Date(value) => ValueRef::Date(*value),
            Value::Time(value) => ValueRef::Time(*value),
            Value::Timestamp(value) => ValueRef::Timestamp(*value),
            Value::TimestampWithOffset { utc, offset_minutes } => {
                ValueRef::TimestampWithOffset { utc: *utc, offset_minutes: *offset_minutes }
            }
            Value::Interval(value) => ValueRef::Interval(*value),
            Value::Uuid(value) => ValueRef::Uuid(*value),
        }
    }

    #[inline]
    fn column(&self, source: usize, column: usize) -> ValueRef<'r> {
        let Some(version) = self.rows.get(source).copied().flatten() else { return ValueRef::Null };
        match column.checked_sub(self.widths[source]) {
            None => version.value(column),
            Some(0) => ValueRef::Integer(version.row_id() as i64),
            Some(_) => ValueRef::Integer(version.position as i64),
        }
    }
}

impl Expression {
    /// A comparison.
    pub fn compare(op: Comparison, left: Expression, right: Expression) -> Expression {
        Expression::Compare { op, left: Box::new(left), right: Box::new(right) }
    }

    /// IN; a long list of whole numbers is searched by halves.
    pub fn one_of(expression: Expression, list: Vec<Expression>, negated: bool) -> Expression {
        let expression = Box::new(expression);
        let number = |item: &Expression| match item {
            Expression::Constant(Value::Integer(number)) => Some(Some(*number)),
            Expression::Constant(Value::Null) => Some(None),
            _ => None,
        };
        let numbers = (list.len() > SHORT_LIST).then(|| list.iter().map(number).collect::<Option<Vec<_>>>()).flatten();
        let Some(numbers) = numbers else { return Expression::In { expression, list, negated } };
        let has_null = numbers.contains(&None);
        let mut numbers: Vec<i64> = numbers.into_iter().flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Expression::InNumbers { expression, numbers: numbers.into(), has_null, negated }
    }

    /// Its value for these rows. `results` are those of the aggregate.
    ///
    /// Errors: those of calculations.
    #[inline]
    pub(crate) fn value<'r>(&'r self, current: &Current<'r>, results: &[ValueRef<'r>]) -> Result<ValueRef<'r>> {
        Ok(match self {
            Expression::Column { source, column } => current.column(*source, *column),
            Expression::Parameter(number) => current.parameters.get(*number).copied().unwrap_or(ValueRef::Null),
            Expression::Constant(value) => value.as_ref(),
            Expression::Result(number) => results.get(*number).copied().unwrap_or(ValueRef::Null),
            Expression::Calculate { operation, left, right, to } => {
                operation.apply(left.value(current, results)?, right.value(current, results)?, *to)?
            }
            Expression::Cast { expression, to } => cast(expression.value(current, results)?, *to)?,
            Expression::Case { branches, otherwise } => {
                for (condition, then) in branches {
                    if condition.truth(current, results)? == Some(true) {
                        return then.value(current, results);
                    }
                }
                match otherwise {
                    Some(otherwise) => otherwise.value(current, results)?,
                    None => ValueRef::Null,
                }
            }
            Expression::Coalesce(parts) => {
                for part in parts {
                    let value = part.value(current, results)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                ValueRef::Null
            }
            Expression::Trim(text) => match text.value(current, results)? {
                ValueRef::Text(text) => ValueRef::Text(text.trim_end_matches(' ')),
                other => other,
            },
            Expression::SortKey { text, collation, pads } => match text.value(current, results)? {
                ValueRef::Text(text) => ValueRef::Text(current.texts.alloc_str(&collation.text_key(text, *pads))),
                other => other,
            },
            Expression::Call { function, arguments } => call(function, arguments, current, results)?,
            Expression::Subquery(subquery) => subquery.value(current)?,
            _ => self.truth(current, results)?.map_or(ValueRef::Null, ValueRef::Boolean),
        })
    }

    /// Its truth for these rows; `None` is unknown.
    #[inline]
    pub(crate) fn truth<'r>(&'r self, current: &Current<'r>, results: &[ValueRef<'r>]) -> Result<Option<bool>> {
        match self {
            Expression::Compare { op, left, right } => {
                let order = compare(left.value(current, results)?, right.value(current, results)?)?;
                Ok(order.map(|order| op.holds(order)))
            }
            Expression::CompareText { op, left, right, collation } => {
                match (left.value(current, results)?, right.value(current, results)?) {
                    (ValueRef::Text(a), ValueRef::Text(b)) => {
                        let order = collation.compare(a.trim_end_matches(' '), b.trim_end_matches(' '));
                        Ok(Some(op.holds(order)))
                    }
                    (ValueRef::Null, _) | (_, ValueRef::Null) => Ok(None),
                    _ => Err(incomparable()),
                }
            }
            Expression::And(parts) => {
                let mut truth = Some(true);
                for part in parts {
                    match part.truth(current, results)? {
                        Some(true) => {}
                        Some(false) => return Ok(Some(false)),
                        None => truth = None,
                    }
                }
                Ok(truth)
            }
            Expression::Or(parts) => {
                let mut truth = Some(false);
                for part in parts {
                    match part.truth(current, results)? {
                        Some(false) => {}
                        Some(true) => return Ok(Some(true)),
                        None => truth = None,
                    }
                }
                Ok(truth)
            }
            Expression::Not(inner) => Ok(inner.truth(current, results)?.map(|truth| !truth)),
            Expression::IsNull(inner) => Ok(Some(inner.value(current, results)?.is_null())),
            Expression::Is(inner, wanted) => Ok(Some(inner.truth(current, results)? == Some(*wanted))),
            Expression::In { expression, list, negated } => {
                let wanted = expression.value(current, results)?;
                let mut found = Some(false);
                for item in list {
                    match compare(wanted, item.value(current, results)?)? {
                        Some(Ordering::Equal) => return Ok(Some(!negated)),
                        Some(_) => {}
                        None => found = None,
                    }
                }
                Ok(found.map(|found| found != *negated))
            }
            Expression::InNumbers { expression, numbers, has_null, negated } => {
                let found = match expression.value(current, results)? {
                    ValueRef::Null => return Ok(None),
                    ValueRef::Integer(wanted) => numbers.binary_search(&wanted).is_ok(),
                    wanted => {
                        let mut found = false;
                        for number in numbers.iter() {
                            found |= compare(wanted, ValueRef::Integer(*number))? == Some(Ordering::Equal);
                        }
                        found
                    }
                };
                Ok(if !found && *has_null { None } else { Some(found != *negated) })
            }
            _ => match self.value(current, results)? {
                ValueRef::Null => Ok(None),
                ValueRef::Boolean(value) => Ok(Some(value)),
                _ => Err(incomparable()),
            },
        }
    }

    /// Calls `visit` with this expression and all that it is made of.
    pub(crate) fn visit(&self, visit: &mut dyn FnMut(&Expression)) {
        visit(self);
        match self {
            Expression::Column { .. }
            | Expression::Result(_)
            | Expression::Parameter(_)
            | Expression::Constant(_)
            | Expression::Subquery(_) => {}
            Expression::Compare { left, right, .. }
            | Expression::CompareText { left, right, .. }
            | Expression::Calculate { left, right, .. } => {
                left.visit(visit);
                right.visit(visit);
            }
            Expression::And(parts)
            | Expression::Or(parts)
            | Expression::Coalesce(parts)
            | Expression::Call { arguments: parts, .. } => {
                parts.iter().for_each(|part| part.visit(visit));
            }
            Expression::Not(inner)
            | Expression::IsNull(inner)
            | Expression::Is(inner, _)
            | Expression::Trim(inner)
            | Expression::SortKey { text: inner, .. }
            | Expression::InNumbers { expression: inner, .. }
            | Expression::Cast { expression: inner, .. } => inner.visit(visit),
            Expression::In { expression, list, .. } => {
                expression.visit(visit);
                list.iter().for_each(|item| item.visit(visit));
            }
            Expression::Case { branches, otherwise } => {
                for (condition, then) in branches {
                    condition.visit(visit);
                    then.visit(visit);
                }
                if let Some(otherwise) = otherwise {
                    otherwise.visit(visit);
                }
            }
        }
    }

    /// Moves the places of its tables up, when they come to stand behind others.
    pub fn shift(&mut self, offset: usize) {
        match self {
            Expression::Column { source, .. } => *source += offset,
            other => other.parts_mut().into_iter().for_each(|part| part.shift(offset)),
        }
    }

    /// The subexpressions.
    fn parts_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Expression::Column { .. }
            | Expression::Result(_)
            | Expression::Parameter(_)
            | Expression::Constant(_)
            | Expression::Subquery(_) => Vec::new(),
            Expression::Compare { left, right, .. }
            | Expression::CompareText { left, right, .. }
            | Expression::Calculate { left, right, .. } => vec![left, right],
            Expression::And(parts)
            | Expression::Or(parts)
            | Expression::Coalesce(parts)
            | Expression::Call { arguments: parts, .. } => parts.iter_mut().collect(),
            Expression::Not(inner)
            | Expression::IsNull(inner)
            | Expression::Is(inner, _)
            | Expression::Trim(inner)
            | Expression::SortKey { text: inner, .. }
            | Expression::InNumbers { expression: inner, .. }
            | Expression::Cast { expression: inner, .. } => vec![inner],
            Expression::In { expression, list, .. } => std::iter::once(&mut **expression).chain(list).collect(),
            Expression::Case { branches, otherwise } => {
                let branches = branches.iter_mut().flat_map(|(condition, then)| [condition, then]);
                branches.chain(otherwise.as_deref_mut()).collect()
            }
        }
    }

    /// The tables that it looks at, as bits.
    pub fn sources(&self) -> u32 {
        let mut sources = 0;
        self.visit(&mut |expression| {
            if let Expression::Column { source, .. } = expression {
                sources |= 1 << source;
            }
        });
        sources
    }
}

fn call<'r>(
    function: &'r Called,
    arguments: &'r [Expression],
    current: &Current<'r>,
    results: &[ValueRef<'r>],
) -> Result<ValueRef<'r>> {
    let mut few = [ValueRef::Null; FEW_ARGUMENTS];
    let value = match few.get_mut(..arguments.len()) {
        Some(values) => {
            for (slot, argument) in values.iter_mut().zip(arguments) {
                *slot = argument.value(current, results)?;
            }
            function.0.call(values)?
        }
        None => {
            let values = arguments.iter().map(|argument| argument.value(current, results));
            function.0.call(&values.collect::<Result<Vec<_>>>()?)?
        }
    };
    Ok(current.keep(&value))
}

/// The order of two values; `None` if either is NULL.
///
/// Doubles are in total order, but for zero, of which there is one: as in the vector kernels.
///
/// Errors: `Internal` for values of different kinds, which the planner does not let meet.
#[inline]
pub(crate) fn compare(left: ValueRef<'_>, right: ValueRef<'_>) -> Result<Option<Ordering>> {
    Ok(Some(match (left, right) {
        (ValueRef::Integer(a), ValueRef::Integer(b)) => a.cmp(&b),
        (ValueRef::Text(a), ValueRef::Text(b)) => a.cmp(b),
        (ValueRef::Null, _) | (_, ValueRef::Null) => return Ok(None),
        (ValueRef::Decimal(a), ValueRef::Decimal(b)) => a.cmp(&b),
        (ValueRef::Float(a), ValueRef::Float(b)) => (a + 0.0).total_cmp(&(b + 0.0)),
        (ValueRef::Boolean(a), ValueRef::Boolean(b)) => a.cmp(&b),
        (ValueRef::Binary(a), ValueRef::Binary(b)) => a.cmp(b),
        (ValueRef::Date(a), ValueRef::Date(b)) => a.cmp(&b),
        (ValueRef::Time(a), ValueRef::Time(b)) => a.cmp(&b),
        (ValueRef::Timestamp(a), ValueRef::Timestamp(b)) => a.cmp(&b),
        // Offsets do not count; a timestamp without one is compared as UTC.
        (
            ValueRef::TimestampWithOffset { utc: a, .. },
            ValueRef::TimestampWithOffset { utc: b, .. } | ValueRef::Timestamp(b),
        )
        | (ValueRef::Timestamp(a), ValueRef::TimestampWithOffset { utc: b, .. }) => a.cmp(&b),
        (ValueRef::Uuid(a), ValueRef::Uuid(b)) => a.cmp(&b),
        (a, b) => match (a.as_decimal(), b.as_decimal()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => return Err(incomparable()),
        },
    }))
}

#[cold]
fn incomparable() -> Error {
    Error::new(Code::Internal, "values of different kinds are compared")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(expression: &Expression) -> Option<bool> {
        expression.truth(&Current::new(&[], &[], &Bump::new()), &[]).unwrap()
    }

    fn int(value: i64) -> Expression {
        Expression::Constant(Value::Integer(value))
    }

    #[test]
    fn long_lists_of_numbers_are_searched_as_short_ones() {
        let list = |with_null: bool| {
            let null = with_null.then_some(Expression::Constant(Value::Null));
            (0..20).rev().map(|number| int(number * 3)).chain(null).collect::<Vec<_>>()
        };
        let decimal = Expression::Constant(Value::Decimal(mainstay_types::Decimal::new(270, 1)));
        for wanted in [int(27), int(28), decimal, Expression::Constant(Value::Null)] {
            for (with_null, negated) in [(false, false), (false, true), (true, false), (true, true)] {
                let one_by_one =
                    Expression::In { expression: Box::new(wanted.clone()), list: list(with_null), negated };
                let searched = Expression::one_of(wanted.clone(), list(with_null), negated);
                assert!(matches!(searched, Expression::InNumbers { .. }));
                assert_eq!(truth(&searched), truth(&one_by_one), "{wanted:?} {with_null} {negated}");
            }
        }
    }

    #[test]
    fn logic_has_three_values() {
        let null = || Expression::Constant(Value::Null);
        let yes = || Expression::Constant(Value::Boolean(true));
        let no = || Expression::Constant(Value::Boolean(false));
        assert_eq!(truth(&Expression::And(vec![null(), no()])), Some(false));
        assert_eq!(truth(&Expression::And(vec![yes(), null()])), None);
        assert_eq!(truth(&Expression::Or(vec![null(), yes()])), Some(true));
        assert_eq!(truth(&Expression::Or(vec![no(), null()])), None);
        assert_eq!(truth(&Expression::Not(Box::new(null()))), None);
        assert_eq!(truth(&Expression::Is(Box::new(null()), false)), Some(false));
        assert_eq!(truth(&Expression::compare(Comparison::Equal, null(), null())), None);
        let list = |list, negated| Expression::In { expression: Box::new(int(1)), list, negated };
        assert_eq!(truth(&list(vec![int(2), null()], true)), None);
        assert_eq!(truth(&list(vec![int(1), null()], true)), Some(false));
        assert_eq!(truth(&list(vec![], true)), Some(true));
    }

    #[test]
    fn texts_compare_by_their_collation() {
        let text = |text: &str| Box::new(Expression::Constant(Value::Text(text.to_owned())));
        let collation = Collation::CaseAccentInsensitive;
        let compare =
            |op, a: &str, b: &str| truth(&Expression::CompareText { op, left: text(a), right: text(b), collation });
        assert_eq!(compare(Comparison::Equal, "Malmö  ", "MALMO"), Some(true));
        assert_eq!(compare(Comparison::Less, "abc", "ABD"), Some(true));
        let key = Expression::SortKey { text: text("Malmö  "), collation, pads: true };
        assert_eq!(
            truth(&Expression::compare(Comparison::Equal, key, *text(&collation.text_key("malmo", true)))),
            Some(true)
        );
    }

    #[test]
    fn functions_get_their_arguments_and_give_new_texts() {
        #[derive(Debug)]
        struct Joined;
        impl Function for Joined {
            fn call(&self, arguments: &[ValueRef<'_>]) -> Result<Value> {
                Ok(Value::Text(arguments.iter().map(ToString::to_string).collect()))
            }
        }
        let function = Called(Arc::new(Joined));
        for count in [0, 1, 4, 5, 9] {
            let call = Expression::Call { function: function.clone(), arguments: (0..count).map(int).collect() };
            let wanted: String = (0..count).map(|number| number.to_string()).collect();
            let is_it = Expression::compare(Comparison::Equal, call, Expression::Constant(Value::Text(wanted)));
            assert_eq!(truth(&is_it), Some(true));
        }
    }

    #[test]
    fn numbers_of_any_kind_compare_by_value() {
        use mainstay_types::Decimal;
        let one = ValueRef::Decimal(Decimal::new(100, 2));
        assert_eq!(compare(one, ValueRef::Integer(1)).unwrap(), Some(Ordering::Equal));
        assert_eq!(compare(ValueRef::Float(-0.0), ValueRef::Float(0.0)).unwrap(), Some(Ordering::Equal));
        assert_eq!(compare(ValueRef::Float(f64::NAN), ValueRef::Float(1e300)).unwrap(), Some(Ordering::Greater));
        assert!(compare(ValueRef::Text("1"), ValueRef::Integer(1)).is_err());
    }
}
