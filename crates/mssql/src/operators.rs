//! Stand-in.
use crate::{Context, DataType, Message, types};
use mainstay_base::{Value, ValueRef};
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOperator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    Minus,
    BitNot,
}
#[derive(Debug)]
pub struct Binary(BinaryOperator, Option<DataType>);
#[derive(Debug)]
pub struct Comparison(ComparisonOperator, Option<DataType>);
#[derive(Debug)]
pub struct Unary(UnaryOperator, Option<DataType>);
#[derive(Debug)]
pub struct Like;
impl Binary {
    pub fn bind(op: BinaryOperator, a: Option<DataType>, b: Option<DataType>) -> Result<Binary, Message> {
        Ok(Binary(op, types::of_all([a, b])?))
    }
    pub fn result(&self) -> Option<DataType> {
        self.1
    }
    pub fn evaluate(&self, _: &Context<'_>, a: ValueRef<'_>, b: ValueRef<'_>) -> Result<Value, Message> {
        match (a, b) {
            (ValueRef::Integer(a), ValueRef::Integer(b)) => Ok(Value::Integer(a + b)),
            (ValueRef::Text(a), ValueRef::Text(b)) => Ok(Value::Text(format!("{a}{b}"))),
            _ => Ok(Value::Null),
        }
    }
}
impl Comparison {
    pub fn bind(op: ComparisonOperator, a: Option<DataType>, b: Option<DataType>) -> Result<Comparison, Message> {
        Ok(Comparison(op, types::of_all([a, b])?))
    }
    pub fn common(&self) -> Option<DataType> {
        self.1
    }
    pub fn evaluate(&self, _: &Context<'_>, a: ValueRef<'_>, b: ValueRef<'_>) -> Result<Option<bool>, Message> {
        Ok(Some(a == b))
    }
}
impl Unary {
    pub fn bind(op: UnaryOperator, a: Option<DataType>) -> Result<Unary, Message> {
        Ok(Unary(op, a))
    }
    pub fn result(&self) -> Option<DataType> {
        self.1
    }
    pub fn evaluate(&self, _: &Context<'_>, a: ValueRef<'_>) -> Result<Value, Message> {
        match a {
            ValueRef::Integer(a) => Ok(Value::Integer(-a)),
            _ => Ok(Value::Null),
        }
    }
}
impl Like {
    pub fn evaluate(
        _: &Context<'_>,
        _: DataType,
        _: ValueRef<'_>,
        _: ValueRef<'_>,
        _: Option<ValueRef<'_>>,
    ) -> Result<Option<bool>, Message> {
        Ok(None)
    }
}
