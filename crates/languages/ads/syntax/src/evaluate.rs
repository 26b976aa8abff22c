//! The value of an expression, computed from its tree: for expressions of a script that need more than its variables.
//!
//! Functions and operators are those of `mainstay_ads_types`, as in a query. Only subqueries need the core.

use crate::error::{Parse, SqlError};
use crate::reduce::{self, Scope, binary_function, moment, number};
use crate::tree::{Argument, BinaryOperator, Call, Case, Expr, Literal, Name, ObjectName, Test, UnaryOperator};
use mainstay_ads_types::{Context, native, operation};
use mainstay_types::{Timestamp, Value, ValueRef};
use std::sync::atomic::AtomicU64;

static SEED: AtomicU64 = AtomicU64::new(0x9E37_79B9_7F4A_7C15);

/// The context of an expression beside the names of a [`Scope`].
pub trait Values: Scope {
    /// The one value of a query of the core; NULL if it has no row.
    ///
    /// Errors: those of the query; 2167 for several rows.
    fn query(&self, text: &str) -> Parse<Value>;

    /// The result of a function of the database; `None` if there is no such function.
    ///
    /// Errors: those of running it.
    fn call(&self, name: &ObjectName, arguments: &[Value]) -> Parse<Option<Value>>;
}

/// The value of an expression.
///
/// Errors: those of functions and operators; 2218 for a name that is no variable; those of subqueries.
pub fn evaluate(value: &Expr, scope: &dyn Values) -> Parse<Value> {
    match value {
        Expr::Literal(literal) => constant(literal),
        Expr::OdbcLiteral(kind, text) => Ok(moment(&kind.text, text)?.0),
        Expr::Niladic(word) => Ok(Value::Boolean(word == "TRUE")),
        Expr::Variable(name) => variable(name, scope),
        Expr::Column(name) => match &name.parts[..] {
            [only] => match scope.value(&only.text.to_lowercase())? {
                Some((value, _)) => Ok(value),
                None => session(&only.text.to_lowercase(), scope)?.ok_or_else(|| unknown(only)),
            },
            [cursor, column] => {
                let text = format!("{}.{}", cursor.text, column.text).to_lowercase();
                Ok(scope.value(&text)?.ok_or_else(|| unknown(cursor))?.0)
            }
            _ => Err(SqlError::at(native::VARIABLE, name.span, format!("Variable not found: {}", name.last()))),
        },
        Expr::Unary(UnaryOperator::Plus, operand) => evaluate(operand, scope),
        Expr::Unary(UnaryOperator::Minus, operand) => applied("negate", &[evaluate(operand, scope)?]),
        Expr::Unary(UnaryOperator::BitNot, operand) => applied("bit_not", &[evaluate(operand, scope)?]),
        Expr::Unary(UnaryOperator::Not, operand) => Ok(negated(truth(operand, scope)?)),
        Expr::Binary(left, operator, right) => binary(left, *operator, right, scope),
        Expr::And(parts) => joined(parts, false, scope),
        Expr::Or(parts) => joined(parts, true, scope),
        Expr::Test(left, is_negated, test) => match tested(left, test, scope)? {
            Some(found) => Ok(if *is_negated { negated(found) } else { logical(found) }),
            None => scope.query(&reduce::expression(value, scope)?),
        },
        Expr::Case(case) => chosen(case, scope),
        Expr::Cast(cast) => {
            let Some(sql_type) = reduce::sql_type(&cast.data_type) else {
                return Err(SqlError::at(native::TYPE, cast.data_type.span, "No such type"));
            };
            let value = evaluate(&cast.value, scope)?;
            match value {
                Value::Null => Ok(Value::Null),
                value => Ok(mainstay_ads_types::convert::convert(value.as_ref(), sql_type)?),
            }
        }
        Expr::Collate(inner, _) => evaluate(inner, scope),
        Expr::Call(call) => function(call, value, scope),
        // Subqueries, and whatever else only a query can be.
        other => scope.query(&reduce::expression(other, scope)?),
    }
}

fn unknown(name: &Name) -> Box<SqlError> {
    SqlError::at(native::VARIABLE, name.span, format!("Variable not found: {}", name.text))
}

fn variable(name: &Name, scope: &dyn Values) -> Parse<Value> {
    Ok(scope.value(&name.text.to_lowercase())?.ok_or_else(|| unknown(name))?.0)
}

fn session(name: &str, scope: &dyn Values) -> Parse<Option<Value>> {
    Ok(scope.session(name).map(|(value, _)| value))
}

fn constant(literal: &Literal) -> Parse<Value> {
    Ok(match literal {
        Literal::Null => Value::Null,
        Literal::String(text) | Literal::NationalString(text) => Value::Text(text.clone()),
        Literal::Float(text) => Value::Float(text.parse().unwrap_or(0.0)),
        Literal::Integer(text) | Literal::Decimal(text) | Literal::Money(text) => number(text).0,
        Literal::Binary(digits) => {
            let digits = digits.trim_start_matches("0x").as_bytes();
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or("0"), 16).unwrap_or(0);
            Value::Binary(digits.chunks(2).map(byte).collect())
        }
    })
}

/// A function or operator of the dialect over values.
fn applied(name: &str, values: &[Value]) -> Parse<Value> {
    let Some(operation) = operation(name) else {
        return Err(SqlError::new(native::FUNCTION, format!("Scalar function not found: {name}")));
    };
    let (least, most) = operation.function.arguments;
    if values.len() < least || values.len() > most {
        let text = format!("Invalid number of arguments to scalar function: {}", name.to_uppercase());
        return Err(SqlError::new(native::ARGUMENT, text));
    }
    let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
    Ok(operation.call(&Context { now: Timestamp(0), seed: &SEED }, &values)?)
}

/// TRUE, FALSE or NULL.
fn truth(value: &Expr, scope: &dyn Values) -> Parse<Option<bool>> {
    Ok(match evaluate(value, scope)? {
        Value::Boolean(value) => Some(value),
        Value::Null => None,
        other => other.as_ref().as_f64().map(|number| number != 0.0),
    })
}

fn logical(value: Option<bool>) -> Value {
    value.map_or(Value::Null, Value::Boolean)
}

fn negated(value: Option<bool>) -> Value {
    logical(value.map(|value| !value))
}

/// AND ends with the first FALSE, OR with the first TRUE.
fn joined(parts: &[Expr], ends: bool, scope: &dyn Values) -> Parse<Value> {
    let mut result = Some(!ends);
    for part in parts {
        match truth(part, scope)? {
            Some(value) if value == ends => return Ok(Value::Boolean(ends)),
            Some(_) => {}
            None => result = None,
        }
    }
    Ok(logical(result))
}

fn binary(left: &Expr, operator: BinaryOperator, right: &Expr, scope: &dyn Values) -> Parse<Value> {
    let ignores_case = operator.is_comparison() && reduce::ignores_case(&[left, right], scope)?;
    let (mut left, mut right) = (evaluate(left, scope)?, evaluate(right, scope)?);
    if ignores_case {
        (left, right) = (applied("upper", &[left])?, applied("upper", &[right])?);
    }
    applied(binary_function(operator), &[left, right])
}

/// The truth value of a test; `None` if it needs a query.
fn tested(left: &Expr, test: &Test, scope: &dyn Values) -> Parse<Option<Option<bool>>> {
    let of = |value: Value| match value {
        Value::Boolean(value) => Some(value),
        _ => None,
    };
    Ok(Some(match test {
        Test::Null => Some(evaluate(left, scope)? == Value::Null),
        Test::Between(low, high) => {
            let above = of(binary(left, BinaryOperator::GreaterOrEqual, low, scope)?);
            let below = of(binary(left, BinaryOperator::LessOrEqual, high, scope)?);
            match (above, below) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }
        }
        Test::InList(items) => {
            let mut found = Some(false);
            for item in items {
                match of(binary(left, BinaryOperator::Equal, item, scope)?) {
                    Some(true) => return Ok(Some(Some(true))),
                    Some(false) => {}
                    None => found = None,
                }
            }
            found
        }
        Test::Like(pattern, escape) => {
            let mut values = vec![evaluate(left, scope)?, evaluate(pattern, scope)?];
            if let Some(escape) = escape {
                values.push(evaluate(escape, scope)?);
            }
            if reduce::ignores_case(&[left, pattern], scope)? {
                values = values.into_iter().map(|value| applied("upper", &[value])).collect::<Parse<_>>()?;
            }
            of(applied("like", &values)?)
        }
        _ => return Ok(None),
    }))
}

fn chosen(case: &Case, scope: &dyn Values) -> Parse<Value> {
    for (when, then) in &case.branches {
        let holds = match &case.operand {
            Some(operand) => binary(operand, BinaryOperator::Equal, when, scope)? == Value::Boolean(true),
            None => truth(when, scope)? == Some(true),
        };
        if holds {
            return evaluate(then, scope);
        }
    }
    case.otherwise.as_ref().map_or(Ok(Value::Null), |value| evaluate(value, scope))
}

fn function(call: &Call, whole: &Expr, scope: &dyn Values) -> Parse<Value> {
    let arguments: Vec<&Expr> = call
        .arguments
        .iter()
        .filter_map(|argument| match argument {
            Argument::Value(value) => Some(value),
            _ => None,
        })
        .collect();
    let values = || arguments.iter().map(|argument| evaluate(argument, scope)).collect::<Parse<Vec<Value>>>();
    let name = call.name.last().to_lowercase();
    match (name.as_str(), &arguments[..]) {
        ("iif" | "if", [condition, yes, no]) => {
            return evaluate(if truth(condition, scope)? == Some(true) { yes } else { no }, scope);
        }
        ("isnull", [value]) => return Ok(Value::Boolean(evaluate(value, scope)? == Value::Null)),
        ("coalesce" | "ifnull" | "isnull", [_, ..]) => {
            for value in &arguments {
                match evaluate(value, scope)? {
                    Value::Null => {}
                    value => return Ok(value),
                }
            }
            return Ok(Value::Null);
        }
        _ => {}
    }
    if scope.function(&call.name).is_some()
        && let Some(value) = scope.call(&call.name, &values()?)?
    {
        return Ok(value);
    }
    if call.name.parts.len() > 1 {
        let text = format!("Scalar function not found: {}", call.name.last());
        return Err(SqlError::at(native::FUNCTION, call.name.span, text));
    }
    let asks_session = reduce::SESSION_FUNCTIONS.contains(&name.as_str());
    let takes_word = reduce::WORD_FUNCTIONS.contains(&name.as_str());
    if asks_session || takes_word || operation(&name).is_none() {
        return scope.query(&reduce::expression(whole, scope)?);
    }
    applied(&name, &values()?).map_err(|mut error| {
        error.span = error.span.or(Some(call.name.span));
        error
    })
}
