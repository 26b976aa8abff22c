//! Classes of objects, and the use of their members.

use super::*;
use mainstay_basic_syntax::tree::Access;

/// A class as its DEF CLASS defines it.
#[derive(Debug, Default)]
pub struct ClassCode {
    /// Its name, in lower case.
    pub name: String,
    /// UNIQUE.
    pub unique: bool,
    /// ACCEPT PROPERTIES.
    pub accepts_properties: bool,
    /// ACCEPT UNDEFINED.
    pub accepts_undefined: bool,
    /// The label of creation, and whether classes that inherit run it, too.
    pub create: (String, bool),
    /// The label of deletion.
    pub delete: (String, bool),
    /// Properties.
    pub properties: Vec<PropertyCode>,
    /// Methods.
    pub functions: Vec<FunctionCode>,
    /// LIKE: names of classes.
    pub parents: Vec<String>,
}

/// A property of a class.
#[derive(Debug)]
pub struct PropertyCode {
    /// Its name.
    pub name: Name,
    /// The bounds of an array; empty for a scalar.
    pub bounds: Vec<(Option<NumberExpr>, NumberExpr)>,
    /// It names an object that loses a reference with this one.
    pub is_object: bool,
    /// For methods only.
    pub local: bool,
    /// `=expression`
    pub value: Option<Expr>,
    /// GET.
    pub get: Option<Access>,
    /// SET.
    pub set: Option<Access>,
}

/// A method of a class.
#[derive(Debug)]
pub struct FunctionCode {
    /// Its name.
    pub name: Name,
    /// The types of its parameters: true for strings; `None` for any.
    pub parameters: Option<Vec<bool>>,
    /// The label of its logic.
    pub label: Option<String>,
    /// The first operation of its logic, if it stands in the class.
    pub body: Pc,
    /// For methods only.
    pub local: bool,
}

/// `object'name`, `object'name(..)`.
#[derive(Debug)]
pub struct MemberUse {
    /// The object.
    pub object: NumberExpr,
    /// The member.
    pub name: Name,
    /// Arguments of a method, or subscripts.
    pub arguments: Option<Vec<CallArgument>>,
    /// ERR=.
    pub branches: Branches,
}
