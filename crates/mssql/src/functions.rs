//! Stand-in.
use crate::{Context, DataType, Message};
use mainstay_base::{Value, ValueRef};
#[derive(Debug, PartialEq)]
pub struct Function;
#[derive(Debug)]
pub struct Bound;
pub fn find(_: &str) -> Option<&'static Function> {
    None
}
impl Function {
    pub fn name(&self) -> &'static str {
        ""
    }
    pub fn is_volatile(&self) -> bool {
        false
    }
    pub fn bind_types(&self, _: &[Option<DataType>], _: &[Option<Value>], _: Option<&str>) -> Result<Bound, Message> {
        Ok(Bound)
    }
}
impl Bound {
    pub fn result(&self) -> Option<DataType> {
        None
    }
    pub fn evaluate(&self, _: &Context<'_>, _: &[ValueRef<'_>]) -> Result<Value, Message> {
        Ok(Value::Null)
    }
}
