//! Expressions of the form: each node has its type and its rules for NULL, overflow and rounding.
//!
//! The front end of a language puts every conversion in as a node of its own ([`Expression::convert`],
//! [`Expression::fit`], or a native function of the language), so that neither the verifier nor the machine inserts
//! one.

use crate::{ArrayId, Call, NativeFunction, Operation, Routine, SharedOperation, SlotId, StatementId, Type, Width};
use mainstay_types::{Collation, Value};
use std::sync::Arc;

/// A value to be computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The type of its value.
    pub ty: Type,
    /// The operation.
    pub kind: ExpressionKind,
}

/// The operation that gives an [`Expression`] its value.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A value that is known: one that the type admits.
    Constant(Value),
    /// The value of a slot.
    Slot(SlotId),
    /// `-a`. NULL gives NULL.
    Negate(Box<Expression>),
    /// `~a` of a whole number. NULL gives NULL.
    BitNot(Box<Expression>),
    /// `+ - * / %`. NULL on either side gives NULL.
    ///
    /// Integers of any widths give one of the expression's width, checked there; division cuts toward zero. Decimals of
    /// any scales give one of the expression's precision and scale, computed exactly and then brought to that scale.
    /// Reals and doubles give their like; what is not finite is an overflow.
    Arithmetic {
        /// The operator.
        op: ArithmeticOp,
        /// The rounding of digits beyond the scale.
        rounding: Rounding,
        /// The left operand.
        left: Box<Expression>,
        /// The right operand.
        right: Box<Expression>,
    },
    /// `& | ^ << >>` of whole numbers. NULL on either side gives NULL.
    Bitwise {
        /// The operator.
        op: BitwiseOp,
        /// The left operand.
        left: Box<Expression>,
        /// The right operand.
        right: Box<Expression>,
    },
    /// A comparison of two values of one family. NULL on either side gives NULL.
    Compare {
        /// The operator.
        op: CompareOp,
        /// The left operand.
        left: Box<Expression>,
        /// The right operand.
        right: Box<Expression>,
        /// The collation of the comparison.
        collation: Collation,
        /// True if blanks at the end of text (zeros at the end of bytes) do not count.
        pads: bool,
    },
    /// True if it is NULL. Never NULL itself.
    IsNull(Box<Expression>),
    /// Three-valued NOT.
    Not(Box<Expression>),
    /// Three-valued AND; the right side is not looked at when the left one is false.
    And(Box<Expression>, Box<Expression>),
    /// Three-valued OR; the right side is not looked at when the left one is true.
    Or(Box<Expression>, Box<Expression>),
    /// The value of the first arm whose condition is true, or `otherwise`, or NULL.
    Case {
        /// Conditions and values.
        arms: Vec<(Expression, Expression)>,
        /// The value when no condition is true.
        otherwise: Option<Box<Expression>>,
    },
    /// The first that is not NULL; those after it are not looked at.
    Coalesce(Vec<Expression>),
    /// The value as one of this type: numbers to numbers, Boolean to and from whole numbers, whole numbers to text,
    /// anything to Any, Any to the type of just its kind. NULL stays NULL.
    Convert {
        /// The value.
        value: Box<Expression>,
        /// The rounding of digits beyond the type's scale.
        rounding: Rounding,
    },
    /// Text or bytes brought to the limit of this type. NULL stays NULL.
    Fit {
        /// The value.
        value: Box<Expression>,
        /// The unit of the limit.
        unit: TextUnit,
        /// True if a shorter one is filled up: text with blanks, bytes with zeros.
        pad: bool,
        /// True if a longer one is an error ([`crate::Fault::TooLong`]) unless only blanks (zeros) are lost; otherwise
        /// it is cut.
        strict: bool,
    },
    /// Texts or byte strings one after the other, cut at the limit of this type.
    Concat {
        /// The parts, all of this type's family.
        parts: Vec<Expression>,
        /// True if NULL counts as empty; otherwise it makes all NULL.
        null_as_empty: bool,
        /// The unit of the limit.
        unit: TextUnit,
    },
    /// An element of an array.
    Element {
        /// The array.
        array: ArrayId,
        /// Its subscripts: whole numbers.
        indexes: Vec<Expression>,
    },
    /// A function of the language.
    Native {
        /// The function.
        function: NativeFunction,
        /// Its arguments, of any types.
        arguments: Vec<Expression>,
    },
    /// A function of the language that has something of its own.
    Operation {
        /// The function.
        operation: SharedOperation,
        /// Its arguments, of any types.
        arguments: Vec<Expression>,
    },
    /// A value that the host computes: a scalar subquery, a function of the session.
    HostCall {
        /// The host's number for it.
        statement: StatementId,
        /// The text in the printed form.
        text: Arc<str>,
        /// Its arguments, of any types.
        arguments: Vec<Expression>,
    },
    /// The result of another routine.
    Call(Box<Call>),
}

/// Arithmetic of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`: with the sign of the left operand.
    Remainder,
}

/// Operations on the bits of whole numbers, as two's complements of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitwiseOp {
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `<<`: shifting by a negative number shifts the other way.
    ShiftLeft,
    /// `>>`, without the sign.
    ShiftRight,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// The rounding of digits that have no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest, halves away from zero.
    HalfAway,
    /// They are dropped.
    Truncate,
}

/// The unit of a limit of text. Limits of bytes count bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextUnit {
    /// Characters: scalar values of Unicode.
    Characters,
    /// Bytes of UTF-8; a character is not cut in two.
    Bytes,
    /// Units of UTF-16; a character is not cut in two.
    Utf16,
}

impl Expression {
    /// A node of this type.
    pub fn new(ty: Type, kind: ExpressionKind) -> Expression {
        Expression { ty, kind }
    }

    /// A constant.
    pub fn constant(ty: Type, value: Value) -> Expression {
        Expression { ty, kind: ExpressionKind::Constant(value) }
    }

    /// NULL of a type.
    pub fn null(ty: Type) -> Expression {
        Expression::constant(ty, Value::Null)
    }

    /// A whole number of 32 bits.
    pub fn int(number: i32) -> Expression {
        Expression::constant(Type::I32, Value::Integer(number.into()))
    }

    /// A text without a limit.
    pub fn text(text: impl Into<String>) -> Expression {
        Expression::constant(Type::TEXT, Value::Text(text.into()))
    }

    /// True or false.
    pub fn boolean(value: bool) -> Expression {
        Expression::constant(Type::Boolean, Value::Boolean(value))
    }

    /// A slot of a routine. One that the routine does not have gets a type all the same; the verifier refuses it.
    pub fn slot(routine: &Routine, slot: SlotId) -> Expression {
        let ty = routine.slots.get(usize::from(slot.0)).map_or(Type::Any, |slot| slot.ty);
        Expression { ty, kind: ExpressionKind::Slot(slot) }
    }

    /// Arithmetic that gives a value of this type; digits of decimals without a place are rounded.
    pub fn arithmetic(ty: Type, op: ArithmeticOp, left: Expression, right: Expression) -> Expression {
        Expression::arithmetic_rounding(ty, op, Rounding::HalfAway, left, right)
    }

    /// Arithmetic that gives a value of this type.
    pub fn arithmetic_rounding(
        ty: Type,
        op: ArithmeticOp,
        rounding: Rounding,
        left: Expression,
        right: Expression,
    ) -> Expression {
        let (left, right) = (Box::new(left), Box::new(right));
        Expression { ty, kind: ExpressionKind::Arithmetic { op, rounding, left, right } }
    }

    /// A comparison of anything but text; text compares by its bytes.
    pub fn compare(op: CompareOp, left: Expression, right: Expression) -> Expression {
        Expression::compare_text(op, Collation::Binary, false, left, right)
    }

    /// A comparison of text.
    pub fn compare_text(
        op: CompareOp,
        collation: Collation,
        pads: bool,
        left: Expression,
        right: Expression,
    ) -> Expression {
        let (left, right) = (Box::new(left), Box::new(right));
        Expression { ty: Type::Boolean, kind: ExpressionKind::Compare { op, left, right, collation, pads } }
    }

    /// `a IS NULL`.
    pub fn is_null(value: Expression) -> Expression {
        Expression { ty: Type::Boolean, kind: ExpressionKind::IsNull(Box::new(value)) }
    }

    /// `NOT a`.
    #[allow(clippy::should_implement_trait)]
    pub fn not(value: Expression) -> Expression {
        Expression { ty: Type::Boolean, kind: ExpressionKind::Not(Box::new(value)) }
    }

    /// `a AND b`.
    pub fn and(left: Expression, right: Expression) -> Expression {
        Expression { ty: Type::Boolean, kind: ExpressionKind::And(Box::new(left), Box::new(right)) }
    }

    /// `a OR b`.
    pub fn or(left: Expression, right: Expression) -> Expression {
        Expression { ty: Type::Boolean, kind: ExpressionKind::Or(Box::new(left), Box::new(right)) }
    }

    /// The value as one of another type, rounded.
    pub fn convert(self, ty: Type) -> Expression {
        self.convert_rounding(ty, Rounding::HalfAway)
    }

    /// The value as one of another type.
    pub fn convert_rounding(self, ty: Type, rounding: Rounding) -> Expression {
        Expression { ty, kind: ExpressionKind::Convert { value: Box::new(self), rounding } }
    }

    /// Text or bytes brought to the limit of a type.
    pub fn fit(self, ty: Type, unit: TextUnit, pad: bool, strict: bool) -> Expression {
        Expression { ty, kind: ExpressionKind::Fit { value: Box::new(self), unit, pad, strict } }
    }

    /// A call of a function of the language that has something of its own.
    pub fn operation(ty: Type, operation: Arc<dyn Operation>, arguments: Vec<Expression>) -> Expression {
        let operation = SharedOperation(operation);
        Expression { ty, kind: ExpressionKind::Operation { operation, arguments } }
    }

    /// A call of a function of the language.
    pub fn native(ty: Type, function: NativeFunction, arguments: Vec<Expression>) -> Expression {
        Expression { ty, kind: ExpressionKind::Native { function, arguments } }
    }
}

impl CompareOp {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            CompareOp::Equal => "=",
            CompareOp::NotEqual => "<>",
            CompareOp::Less => "<",
            CompareOp::LessOrEqual => "<=",
            CompareOp::Greater => ">",
            CompareOp::GreaterOrEqual => ">=",
        }
    }

    /// The same comparison with its sides exchanged.
    pub fn exchanged(self) -> CompareOp {
        match self {
            CompareOp::Less => CompareOp::Greater,
            CompareOp::LessOrEqual => CompareOp::GreaterOrEqual,
            CompareOp::Greater => CompareOp::Less,
            CompareOp::GreaterOrEqual => CompareOp::LessOrEqual,
            same => same,
        }
    }
}

impl ArithmeticOp {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            ArithmeticOp::Add => "+",
            ArithmeticOp::Subtract => "-",
            ArithmeticOp::Multiply => "*",
            ArithmeticOp::Divide => "/",
            ArithmeticOp::Remainder => "%",
        }
    }
}

impl BitwiseOp {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BitwiseOp::And => "&",
            BitwiseOp::Or => "|",
            BitwiseOp::Xor => "^",
            BitwiseOp::ShiftLeft => "<<",
            BitwiseOp::ShiftRight => ">>",
        }
    }
}

impl Type {
    /// The width, if it is a whole number's.
    pub fn width(self) -> Option<Width> {
        match self {
            Type::Integer(width) => Some(width),
            _ => None,
        }
    }
}
