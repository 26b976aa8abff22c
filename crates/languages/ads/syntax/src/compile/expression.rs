//! Expressions over variables, compiled to the machine's operations where the types of all operands are known.

use super::{Compiler, key, slot};
use crate::reduce::{binary_function, moment, number};
use crate::tree::{Argument, BinaryOperator, Case, Expr, Literal, Name, Span, Test, UnaryOperator};
use mainstay_ads_types::{Context, Failure, native};
use mainstay_types::{Collation, SqlType, Timestamp, Value, ValueRef};
use mainstay_vm::{
    ArithmeticOp, CompareOp, Expression, ExpressionKind, NativeContext, Operation, Produced, Raised, Rounding, Type,
};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The state of RAND in scripts.
static SEED: AtomicU64 = AtomicU64::new(0x2545_F491_4F6C_DD1D);

/// The core's type for values of a type.
pub fn storage_type(sql_type: SqlType) -> Type {
    match sql_type {
        SqlType::Boolean => Type::Boolean,
        SqlType::TinyInt | SqlType::SmallInt => Type::Integer(mainstay_vm::Width::I16),
        SqlType::Integer => Type::I32,
        SqlType::BigInt => Type::I64,
        SqlType::Decimal { precision, scale } => Type::Decimal { precision, scale },
        SqlType::Money => Type::Decimal { precision: 19, scale: 4 },
        SqlType::Real | SqlType::Double => Type::Float,
        SqlType::Char { .. } | SqlType::VarChar { .. } => Type::TEXT,
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => Type::BYTES,
        SqlType::Date => Type::Date,
        SqlType::Time { .. } => Type::Time,
        SqlType::Timestamp { .. } => Type::Timestamp,
        SqlType::Uuid => Type::Uuid,
        _ => Type::Any,
    }
}

fn is_integer(sql_type: SqlType) -> bool {
    matches!(sql_type, SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt)
}

/// The collation of CICHAR.
const CASE_INSENSITIVE: Collation = Collation::CaseInsensitive;

fn ignores_case(sql_type: SqlType) -> bool {
    sql_type.collation() == Some(CASE_INSENSITIVE)
}

fn is_text(sql_type: SqlType) -> bool {
    matches!(sql_type, SqlType::Char { .. } | SqlType::VarChar { .. })
}

/// A function of the dialect as the machine calls it.
struct Function(mainstay_ads_types::Operation);

/// Converts a value to the type of the variable that it is assigned to.
struct Assigned(SqlType);

fn raised(failure: Failure) -> Box<Raised> {
    Raised::new(failure.number, 16, 1, failure.message)
}

impl Operation for Function {
    fn name(&self) -> &str {
        self.0.function.name
    }

    fn call(&self, _: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
        let context = Context { now: Timestamp(0), seed: &SEED };
        self.0.call(&context, arguments).map(produced).map_err(raised)
    }
}

impl Operation for Assigned {
    fn name(&self) -> &str {
        "assign"
    }

    fn call(&self, _: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
        let Some(value) = arguments.first().filter(|value| !value.is_null()) else { return Ok(Produced::Null) };
        let converted = mainstay_ads_types::convert::convert(*value, self.0);
        converted.map(produced).map_err(|failure| match failure.number {
            native::CONVERSION => raised(Failure { number: native::ASSIGNMENT, ..failure }),
            _ => raised(failure),
        })
    }
}

fn produced(value: Value) -> Produced {
    match value {
        Value::Null => Produced::Null,
        Value::Boolean(value) => Produced::Boolean(value),
        Value::Integer(value) => Produced::Integer(value),
        Value::Decimal(value) => Produced::Decimal(value),
        Value::Float(value) => Produced::Float(value),
        Value::Date(value) => Produced::Date(value),
        Value::Time(value) => Produced::Time(value),
        Value::Timestamp(value) => Produced::Timestamp(value),
        other => Produced::Value(other),
    }
}

/// The value as one of this type.
pub(super) fn converted(value: Expression, to: SqlType) -> Expression {
    Expression::operation(storage_type(to), Arc::new(Assigned(to)), vec![value])
}

/// An expression and its type in the dialect.
type Typed = (Expression, SqlType);

impl Compiler {
    /// A value for a variable of a type.
    pub(super) fn value(&mut self, value: &Expr, to: SqlType, span: Span) -> Expression {
        let ty = storage_type(to);
        if matches!(value, Expr::Literal(Literal::Null)) {
            return Expression::null(ty);
        }
        match self.known(value) {
            Some((value, from)) if from == to && !matches!(to, SqlType::Char { .. }) => value,
            Some((value, _)) => converted(value, to),
            None => converted(self.computed(value, span), to),
        }
    }

    /// A condition.
    pub(super) fn logic(&mut self, value: &Expr, span: Span) -> Expression {
        match self.known(value) {
            Some((value, SqlType::Boolean)) => value,
            Some((value, _)) => converted(value, SqlType::Boolean),
            None => converted(self.computed(value, span), SqlType::Boolean),
        }
    }

    /// The machine's own form of an expression, if it has one.
    fn known(&self, value: &Expr) -> Option<Typed> {
        match value {
            Expr::Literal(literal) => constant(literal),
            Expr::OdbcLiteral(kind, text) => {
                let (value, sql_type) = moment(&kind.text, text).ok()?;
                Some((Expression::constant(storage_type(sql_type), value), sql_type))
            }
            Expr::Niladic(word) => Some((Expression::boolean(word == "TRUE"), SqlType::Boolean)),
            Expr::Variable(name) => self.variable(name),
            Expr::Column(name) => match &name.parts[..] {
                [only] if !only.quoted => self.variable(only),
                _ => None,
            },
            Expr::Unary(UnaryOperator::Plus, operand) => self.known(operand),
            Expr::Unary(UnaryOperator::Minus, operand) => {
                let (operand, sql_type) = self.known(operand)?;
                let kind = ExpressionKind::Negate(Box::new(operand.clone()));
                match sql_type {
                    SqlType::Integer | SqlType::BigInt | SqlType::Double => {
                        Some((Expression::new(operand.ty, kind), sql_type))
                    }
                    _ => function("negate", vec![(operand, sql_type)]),
                }
            }
            Expr::Unary(UnaryOperator::Not, operand) => {
                let operand = self.boolean(operand)?;
                Some((Expression::new(Type::Boolean, ExpressionKind::Not(Box::new(operand))), SqlType::Boolean))
            }
            Expr::Unary(UnaryOperator::BitNot, operand) => function("bit_not", vec![self.known(operand)?]),
            Expr::Binary(left, operator, right) => self.binary(left, *operator, right),
            Expr::And(parts) => self.joined(parts, ExpressionKind::And),
            Expr::Or(parts) => self.joined(parts, ExpressionKind::Or),
            Expr::Test(left, negated, test) => self.test(left, *negated, test),
            Expr::Case(case) => self.case(case),
            Expr::Cast(cast) => {
                let sql_type = crate::reduce::sql_type(&cast.data_type)?;
                let name = format!("convert:{}", mainstay_ads_types::convert::type_name(sql_type));
                function(&name, vec![self.known(&cast.value)?])
            }
            Expr::Call(call) if call.name.parts.len() == 1 && call.quantifier.is_none() => {
                let name = call.name.last().to_lowercase();
                let arguments = call.arguments.iter().map(|argument| match argument {
                    Argument::Value(value) => self.known(value),
                    _ => None,
                });
                let arguments = arguments.collect::<Option<Vec<Typed>>>()?;
                self.call(&name, arguments)
            }
            _ => None,
        }
    }

    fn variable(&self, name: &Name) -> Option<Typed> {
        let variable = *self.variables.get(&key(&name.text))?;
        Some((slot(variable), variable.sql_type))
    }

    fn boolean(&self, value: &Expr) -> Option<Expression> {
        match self.known(value)? {
            (value, SqlType::Boolean) => Some(value),
            _ => None,
        }
    }

    fn joined(&self, parts: &[Expr], join: fn(Box<Expression>, Box<Expression>) -> ExpressionKind) -> Option<Typed> {
        let mut parts = parts.iter().map(|part| self.boolean(part));
        let first = parts.next()??;
        let all = parts.try_fold(first, |left, right| {
            Some(Expression::new(Type::Boolean, join(Box::new(left), Box::new(right?))))
        });
        Some((all?, SqlType::Boolean))
    }

    fn binary(&self, left: &Expr, operator: BinaryOperator, right: &Expr) -> Option<Typed> {
        let (left, right) = (self.known(left)?, self.known(right)?);
        operation(left, operator, right)
    }

    fn test(&self, left: &Expr, negated: bool, test: &Test) -> Option<Typed> {
        let operand = self.known(left)?;
        let compared = |operator, right: &Expr| operation(operand.clone(), operator, self.known(right)?);
        let both = |join: fn(Box<Expression>, Box<Expression>) -> ExpressionKind, left: Typed, right: Typed| {
            Expression::new(Type::Boolean, join(Box::new(left.0), Box::new(right.0)))
        };
        let found = match test {
            Test::Null => Expression::new(Type::Boolean, ExpressionKind::IsNull(Box::new(operand.0))),
            Test::Between(low, high) => both(
                ExpressionKind::And,
                compared(BinaryOperator::GreaterOrEqual, low)?,
                compared(BinaryOperator::LessOrEqual, high)?,
            ),
            Test::InList(items) => {
                let mut items = items.iter().map(|item| compared(BinaryOperator::Equal, item));
                let first = items.next()??;
                let all = items
                    .try_fold(first, |left, right| Some((both(ExpressionKind::Or, left, right?), SqlType::Boolean)));
                all?.0
            }
            Test::Like(pattern, escape) => {
                let mut arguments = vec![operand, self.known(pattern)?];
                if arguments.iter().any(|(_, sql_type)| ignores_case(*sql_type)) {
                    return None;
                }
                if let Some(escape) = escape {
                    arguments.push(self.known(escape)?);
                }
                function("like", arguments)?.0
            }
            _ => return None,
        };
        Some(match negated {
            true => (Expression::new(Type::Boolean, ExpressionKind::Not(Box::new(found))), SqlType::Boolean),
            false => (found, SqlType::Boolean),
        })
    }

    fn case(&self, case: &Case) -> Option<Typed> {
        let mut arms = Vec::with_capacity(case.branches.len());
        let mut common = None;
        for (when, then) in &case.branches {
            let condition = match &case.operand {
                Some(operand) => self.binary(operand, BinaryOperator::Equal, when)?.0,
                None => self.boolean(when)?,
            };
            let (then, sql_type) = self.known(then)?;
            if *common.get_or_insert(sql_type) != sql_type {
                return None;
            }
            arms.push((condition, then));
        }
        let otherwise = case.otherwise.as_ref().map(|value| self.known(value)).map_or(Some(None), |it| it.map(Some))?;
        let sql_type = common?;
        if otherwise.as_ref().is_some_and(|(_, other)| *other != sql_type) {
            return None;
        }
        let otherwise = otherwise.map(|(value, _)| Box::new(value));
        Some((Expression::new(storage_type(sql_type), ExpressionKind::Case { arms, otherwise }), sql_type))
    }

    fn call(&self, name: &str, arguments: Vec<Typed>) -> Option<Typed> {
        match (name, &arguments[..]) {
            ("iif" | "if", [(condition, SqlType::Boolean), (yes, one), (no, other)]) if one == other => {
                let arms = vec![(condition.clone(), yes.clone())];
                let kind = ExpressionKind::Case { arms, otherwise: Some(Box::new(no.clone())) };
                Some((Expression::new(yes.ty, kind), *one))
            }
            ("coalesce" | "ifnull" | "isnull", [(first, one), rest @ ..])
                if !rest.is_empty() && rest.iter().all(|(_, other)| other == one) =>
            {
                let values = arguments.iter().map(|(value, _)| value.clone()).collect();
                Some((Expression::new(first.ty, ExpressionKind::Coalesce(values)), *one))
            }
            ("isnull", [(value, _)]) => Some((
                Expression::new(Type::Boolean, ExpressionKind::IsNull(Box::new(value.clone()))),
                SqlType::Boolean,
            )),
            ("iif" | "if" | "coalesce" | "ifnull" | "isnull", _) => None,
            // The host answers functions of the session.
            (session, _) if crate::reduce::SESSION_FUNCTIONS.contains(&session) => None,
            (name, _) => function(name, arguments),
        }
    }
}

fn constant(literal: &Literal) -> Option<Typed> {
    match literal {
        Literal::String(text) | Literal::NationalString(text) => {
            Some((Expression::text(text.clone()), mainstay_ads_types::convert::text_type()))
        }
        Literal::Integer(text) | Literal::Decimal(text) | Literal::Money(text) => {
            let (value, sql_type) = number(text);
            Some((Expression::constant(storage_type(sql_type), value), sql_type))
        }
        Literal::Float(text) => {
            let value = Value::Float(text.parse().ok()?);
            Some((Expression::constant(Type::Float, value), SqlType::Double))
        }
        _ => None,
    }
}

/// An operator: an instruction of the machine for whole numbers and texts, else the dialect's function.
fn operation(left: Typed, operator: BinaryOperator, right: Typed) -> Option<Typed> {
    let whole = is_integer(left.1) && is_integer(right.1);
    let texts = is_text(left.1) && is_text(right.1);
    let collation = if ignores_case(left.1) || ignores_case(right.1) { CASE_INSENSITIVE } else { Collation::Binary };
    if let Some(op) = comparison(operator)
        && (whole || texts)
    {
        let (left, right) = (Box::new(left.0), Box::new(right.0));
        let kind = ExpressionKind::Compare { op, left, right, collation, pads: true };
        return Some((Expression::new(Type::Boolean, kind), SqlType::Boolean));
    }
    let op = match operator {
        BinaryOperator::Add => Some(ArithmeticOp::Add),
        BinaryOperator::Subtract => Some(ArithmeticOp::Subtract),
        BinaryOperator::Multiply => Some(ArithmeticOp::Multiply),
        _ => None,
    };
    if let Some(op) = op.filter(|_| whole) {
        let is_long = [left.1, right.1].contains(&SqlType::BigInt);
        let (ty, sql_type) = if is_long { (Type::I64, SqlType::BigInt) } else { (Type::I32, SqlType::Integer) };
        let (left, right) = (Box::new(left.0), Box::new(right.0));
        let kind = ExpressionKind::Arithmetic { op, rounding: Rounding::Truncate, left, right };
        return Some((Expression::new(ty, kind), sql_type));
    }
    function(binary_function(operator), vec![left, right])
}

fn comparison(operator: BinaryOperator) -> Option<CompareOp> {
    Some(match operator {
        BinaryOperator::Equal => CompareOp::Equal,
        BinaryOperator::NotEqual => CompareOp::NotEqual,
        BinaryOperator::Less => CompareOp::Less,
        BinaryOperator::LessOrEqual => CompareOp::LessOrEqual,
        BinaryOperator::Greater => CompareOp::Greater,
        BinaryOperator::GreaterOrEqual => CompareOp::GreaterOrEqual,
        _ => return None,
    })
}

/// A function of the dialect over arguments of known types.
fn function(name: &str, arguments: Vec<Typed>) -> Option<Typed> {
    let operation = mainstay_ads_types::operation(name)?;
    let types: Vec<Option<SqlType>> = arguments.iter().map(|(_, sql_type)| Some(*sql_type)).collect();
    let sql_type = operation.bind(&types).ok()??;
    // A number of no fixed scale is stored with the value.
    let ty = match sql_type {
        SqlType::Decimal { .. } => return None,
        sql_type => storage_type(sql_type),
    };
    let arguments = arguments.into_iter().map(|(value, _)| value).collect();
    Some((Expression::operation(ty, Arc::new(Function(operation)), arguments), sql_type))
}
