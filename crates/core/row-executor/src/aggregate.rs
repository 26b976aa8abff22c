//! Groups: the aggregates over rows with equal keys.

use crate::arithmetic::Number;
use crate::expression::{Current, Expression, compare};
use mainstay_store::Seen;
use mainstay_store::column::{Column, Slice};
use mainstay_types::{Code, Decimal, Error, Result, SqlType, ValueRef, rounded_quotient};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The groups of a block. Without keys there is one group, also when there are no rows.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// The keys of a group; NULLs are equal to each other.
    pub keys: Vec<Expression>,
    /// The aggregate calls over each group.
    pub calls: Vec<Call>,
}

/// An aggregate function and what it is called with.
#[derive(Clone, Debug)]
pub enum Call {
    /// `COUNT(*)`
    Rows,
    /// `COUNT(x)`
    Count(Expression),
    /// `SUM(x)`, as a number of this type.
    Sum(Expression, Number),
    /// `AVG(x)`, as a number of this type: a double, or a decimal of more digits than the sum.
    Average(Expression, Number),
    /// `MIN(x)`
    Least(Expression),
    /// `MAX(x)`
    Greatest(Expression),
}

impl Call {
    /// The arguments of its call.
    pub(crate) fn argument(&self) -> Option<&Expression> {
        match self {
            Call::Rows => None,
            Call::Count(argument)
            | Call::Sum(argument, _)
            | Call::Average(argument, _)
            | Call::Least(argument)
            | Call::Greatest(argument) => Some(argument),
        }
    }
}

/// The state of one call in one group.
#[derive(Clone, Copy)]
enum State<'r> {
    Count(i64),
    Whole { sum: i64, count: i64 },
    Exact { sum: i128, scale: u8, count: i64 },
    Real { sum: f64, count: i64 },
    Extreme(ValueRef<'r>),
}

impl State<'_> {
    fn count_row(&mut self) {
        if let State::Count(count) = self {
            *count += 1;
        }
    }
}

/// The groups of a run.
pub(crate) struct Groups<'r> {
    aggregate: &'r Aggregate,
    places: HashMap<Vec<u8>, usize>,
    /// The values of all keys, group by group.
    keys: Vec<ValueRef<'r>>,
    states: Vec<State<'r>>,
    count: usize,
    key: Vec<u8>,
}

impl<'r> Groups<'r> {
    pub(crate) fn new(aggregate: &'r Aggregate) -> Groups<'r> {
        let (places, keys, states, key) = (HashMap::new(), Vec::new(), Vec::new(), Vec::new());
        let mut groups = Groups { aggregate, places, keys, states, count: 0, key };
        if aggregate.keys.is_empty() {
            groups.start();
        }
        groups
    }

    fn start(&mut self) {
        self.count += 1;
        let calls = &self.aggregate.calls;
        self.states.extend(calls.iter().map(|call| call.start()));
    }

    /// Adds the rows at hand to their group.
    pub(crate) fn add(&mut self, current: &Current<'r>) -> Result<()> {
        let group = match self.aggregate.keys.is_empty() {
            true => 0,
            false => self.group_of(current)?,
        };
        let calls = &self.aggregate.calls;
        let states = &mut self.states[group * calls.len()..];
        calls.iter().zip(states).try_for_each(|(call, state)| call.add(state, current))
    }

    /// Adds rows of a table to the one group that there is without keys, a call after the other; the argument of a call is the
    /// column that `argument` gives for its place.
    pub(crate) fn add_seen(&mut self, seen: &Seen<'_>, argument: impl Fn(usize) -> Option<&'r Column>) -> Result<()> {
        let calls = self.aggregate.calls.iter().zip(&mut self.states).enumerate();
        for (place, (call, state)) in calls {
            match (call, argument(place)) {
                (Call::Rows, _) => {
                    if let State::Count(count) = state {
                        *count += seen.count() as i64;
                    }
                }
                (call, Some(column)) => call.fold_seen(state, seen, column)?,
                // NULLs.
                (_, None) => {}
            }
        }
        Ok(())
    }

    fn group_of(&mut self, current: &Current<'r>) -> Result<usize> {
        self.key.clear();
        let first = self.keys.len();
        for key in &self.aggregate.keys {
            let value = key.value(current, &[])?;
            encode(value, &mut self.key);
            self.keys.push(value);
        }
        if let Some(place) = self.places.get(&self.key) {
            self.keys.truncate(first);
            return Ok(*place);
        }
        let place = self.count;
        self.places.insert(self.key.clone(), place);
        self.start();
        Ok(place)
    }

    /// Hands out each group's results: its keys, then its calls.
    pub(crate) fn finish(self, mut visit: impl FnMut(&[ValueRef<'r>]) -> Result<()>) -> Result<()> {
        let (width, calls) = (self.aggregate.keys.len(), &self.aggregate.calls);
        let mut results = Vec::with_capacity(width + calls.len());
        for group in 0..self.count {
            results.clear();
            results.extend_from_slice(&self.keys[group * width..(group + 1) * width]);
            for (call, state) in calls.iter().zip(&self.states[group * calls.len()..]) {
                results.push(call.finish(state)?);
            }
            visit(&results)?;
        }
        Ok(())
    }
}

/// Adds the whole numbers of some rows to a sum and its count.
fn add_whole<T: Copy + Into<i64>>(
    (sum, count): (&mut i64, &mut i64),
    seen: &Seen<'_>,
    column: &Column,
    values: &[T],
) -> Result<()> {
    let nulls = column.null_marks();
    seen.try_for_each(|offset| {
        let is_null = nulls.is_some_and(|nulls| nulls.get(offset) == Some(&1));
        if let Some(value) = values.get(offset).filter(|_| !is_null) {
            *sum = sum.checked_add((*value).into()).ok_or_else(too_large)?;
            *count += 1;
        }
        Ok(())
    })
}

impl Call {
    fn start<'r>(&self) -> State<'r> {
        match self {
            Call::Rows | Call::Count(_) => State::Count(0),
            Call::Sum(_, Number::Integer(_)) => State::Whole { sum: 0, count: 0 },
            Call::Sum(_, Number::Decimal { scale, .. }) => State::Exact { sum: 0, scale: *scale, count: 0 },
            // The scale of the sum is that of the first value.
            Call::Average(_, Number::Decimal { .. }) => State::Exact { sum: 0, scale: 0, count: 0 },
            Call::Sum(..) | Call::Average(..) => State::Real { sum: 0.0, count: 0 },
            Call::Least(_) | Call::Greatest(_) => State::Extreme(ValueRef::Null),
        }
    }

    #[inline]
    fn add<'r>(&'r self, state: &mut State<'r>, current: &Current<'r>) -> Result<()> {
        let argument = match self {
            Call::Rows => {
                state.count_row();
                return Ok(());
            }
            Call::Count(argument)
            | Call::Sum(argument, _)
            | Call::Average(argument, _)
            | Call::Least(argument)
            | Call::Greatest(argument) => argument.value(current, &[])?,
        };
        self.fold(state, argument)
    }

    /// Adds the values that rows have in a column.
    fn fold_seen<'r>(&self, state: &mut State<'r>, seen: &Seen<'_>, column: &'r Column) -> Result<()> {
        let is_whole =
            matches!(column.sql_type(), SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt);
        match (state, column.slice()) {
            (State::Whole { sum, count }, Slice::I64(values)) if is_whole => {
                add_whole((sum, count), seen, column, values)
            }
            (State::Whole { sum, count }, Slice::I32(values)) if is_whole => {
                add_whole((sum, count), seen, column, values)
            }
            (State::Whole { sum, count }, Slice::I16(values)) if is_whole => {
                add_whole((sum, count), seen, column, values)
            }
            (State::Whole { sum, count }, Slice::I8(values)) if is_whole => {
                add_whole((sum, count), seen, column, values)
            }
            (state, _) => seen.try_for_each(|offset| self.fold(state, column.value(offset))),
        }
    }

    /// Adds the argument that a row gives.
    #[inline]
    fn fold<'r>(&self, state: &mut State<'r>, argument: ValueRef<'r>) -> Result<()> {
        if argument.is_null() {
            return Ok(());
        }
        match state {
            State::Count(count) => *count += 1,
            State::Whole { sum, count } => {
                let ValueRef::Integer(value) = argument else { return Err(no_number()) };
                *sum = sum.checked_add(value).ok_or_else(too_large)?;
                *count += 1;
            }
            State::Exact { sum, scale, count } => {
                let value = argument.as_decimal().ok_or_else(no_number)?;
                if *count == 0 && matches!(self, Call::Average(..)) {
                    *scale = value.scale;
                }
                let value = value.rescale(*scale).ok_or_else(too_large)?;
                *sum = sum.checked_add(value.unscaled).ok_or_else(too_large)?;
                *count += 1;
            }
            State::Real { sum, count } => {
                *sum += argument.as_f64().ok_or_else(no_number)?;
                *count += 1;
            }
            State::Extreme(known) => {
                let wanted = if matches!(self, Call::Least(_)) { Ordering::Less } else { Ordering::Greater };
                if known.is_null() || compare(argument, *known)? == Some(wanted) {
                    *known = argument;
                }
            }
        }
        Ok(())
    }

    fn finish<'r>(&self, state: &State<'r>) -> Result<ValueRef<'r>> {
        Ok(match (self, *state) {
            (_, State::Count(count)) => ValueRef::Integer(count),
            (_, State::Extreme(value)) => value,
            (_, State::Whole { count: 0, .. } | State::Exact { count: 0, .. } | State::Real { count: 0, .. }) => {
                ValueRef::Null
            }
            (_, State::Whole { sum, .. }) => ValueRef::Integer(sum),
            (Call::Average(_, Number::Decimal { precision, scale }), State::Exact { sum, scale: of_sum, count }) => {
                let digits = scale.checked_sub(of_sum).and_then(|more| 10i128.checked_pow(more.into()));
                let unscaled = digits.and_then(|factor| sum.checked_mul(factor)).ok_or_else(too_large)?;
                let average = rounded_quotient(unscaled, i128::from(count)).ok_or_else(too_large)?;
                exact(average, *precision, *scale)?
            }
            (Call::Sum(_, Number::Decimal { precision, .. }), State::Exact { sum, scale, .. }) => {
                exact(sum, *precision, scale)?
            }
            (_, State::Exact { sum, scale, .. }) => ValueRef::Decimal(Decimal::new(sum, scale)),
            (Call::Average(..), State::Real { sum, count }) => ValueRef::Float(sum / count as f64),
            (_, State::Real { sum, .. }) => ValueRef::Float(sum),
        })
    }
}

fn exact(unscaled: i128, precision: u8, scale: u8) -> Result<ValueRef<'static>> {
    match unscaled.unsigned_abs() < 10u128.pow(u32::from(precision.min(38))) {
        true => Ok(ValueRef::Decimal(Decimal { unscaled, scale })),
        false => Err(too_large()),
    }
}

/// Appends bytes that two values of one column have in common only if they are equal.
fn encode(value: ValueRef<'_>, key: &mut Vec<u8>) {
    let mut open = |bytes: &[u8]| {
        key.push(1);
        key.extend_from_slice(&(bytes.len() as u64).to_ne_bytes());
        key.extend_from_slice(bytes);
    };
    match value {
        ValueRef::Null => key.push(0),
        ValueRef::Boolean(value) => open(&[u8::from(value)]),
        ValueRef::Integer(value) => open(&value.to_ne_bytes()),
        ValueRef::Decimal(value) => open(&value.unscaled.to_ne_bytes()),
        ValueRef::Float(value) => open(&value.to_ne_bytes()),
        ValueRef::Text(value) => open(value.as_bytes()),
        ValueRef::Binary(value) => open(value),
        ValueRef::Date(value) => open(&value.0.to_ne_bytes()),
        ValueRef::Time(value) => open(&value.0.to_ne_bytes()),
        ValueRef::Timestamp(value) | ValueRef::TimestampWithOffset { utc: value, .. } => open(&value.0.to_ne_bytes()),
        ValueRef::Interval(value) => {
            open(&value.months.to_ne_bytes());
            open(&value.days.to_ne_bytes());
            open(&value.ticks.to_ne_bytes());
        }
        ValueRef::Uuid(value) => open(&value),
    }
}

#[cold]
fn too_large() -> Error {
    Error::new(Code::InvalidValue, "a sum is out of range")
}

#[cold]
fn no_number() -> Error {
    Error::new(Code::Internal, "an argument is not of the type that the planner gave it")
}
