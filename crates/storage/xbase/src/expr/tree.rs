//! The tree of a parsed expression, with the span of each part, and its canonical text.

use super::catalog::Function;
use std::fmt::Write;

/// The highest tree that is accepted. Real keys are under ten levels; the limit keeps the recursive
/// passes over a tree within any thread's stack.
pub(super) const MAX_HEIGHT: usize = 100;

/// One part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    /// Byte offsets in the text, start included and end excluded.
    pub(super) span: (usize, usize),
    /// Levels below and including this one.
    pub(super) height: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeKind {
    Text(Vec<u8>),
    /// The digits as written, with at most one point.
    Number(String),
    Logical(bool),
    /// A Julian day, 0 for blank.
    Date(i32),
    Timestamp(i32, i32),
    /// A field, upper case, with the alias unless it is FIELD.
    Name {
        alias: Option<String>,
        name: String,
    },
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
    /// A call; the name is the function's own where the function is known.
    Call {
        name: String,
        function: Option<&'static Function>,
        arguments: Vec<Node>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Negate,
}

/// The operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    Equal,
    ExactlyEqual,
    NotEqual,
    Contained,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Multiply,
    Divide,
    Modulo,
    Power,
}

impl Binary {
    /// The precedence: a higher level binds tighter. All of them group from the left. The levels are
    /// Clipper's: equality binds less than order, and a sign binds tighter than a power.
    pub(super) fn level(self) -> u8 {
        match self {
            Binary::Or => 1,
            Binary::And => 2,
            Binary::Equal | Binary::ExactlyEqual | Binary::NotEqual => NOT_LEVEL + 1,
            Binary::Contained | Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => 5,
            Binary::Plus | Binary::Minus => 6,
            Binary::Multiply | Binary::Divide | Binary::Modulo => 7,
            Binary::Power => 8,
        }
    }

    pub(super) fn symbol(self) -> &'static str {
        match self {
            Binary::Or => ".OR.",
            Binary::And => ".AND.",
            Binary::Equal => "=",
            Binary::ExactlyEqual => "==",
            Binary::NotEqual => "<>",
            Binary::Contained => "$",
            Binary::Less => "<",
            Binary::LessOrEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterOrEqual => ">=",
            Binary::Plus => "+",
            Binary::Minus => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Modulo => "%",
            Binary::Power => "^",
        }
    }
}

/// `.NOT.` takes everything up to the next `.AND.` or `.OR.`.
pub(super) const NOT_LEVEL: u8 = 3;
const SIGN_LEVEL: u8 = 9;
const OPERAND_LEVEL: u8 = 10;

impl Node {
    fn level(&self) -> u8 {
        match &self.kind {
            NodeKind::Binary(operator, ..) => operator.level(),
            NodeKind::Unary(Unary::Not, _) => NOT_LEVEL,
            NodeKind::Unary(Unary::Negate, _) => SIGN_LEVEL,
            _ => OPERAND_LEVEL,
        }
    }

    /// Appends the canonical text: upper case, no blanks, full function names, and only the
    /// parentheses that the operators need.
    pub(super) fn write_canonical(&self, out: &mut Vec<u8>) {
        match &self.kind {
            NodeKind::Text(text) => write_text(text, out),
            NodeKind::Number(digits) => out.extend_from_slice(digits.as_bytes()),
            NodeKind::Logical(value) => out.extend_from_slice(if *value { b".T." } else { b".F." }),
            NodeKind::Date(0) => out.extend_from_slice(b"{//}"),
            NodeKind::Date(day) => {
                let mut text = String::new();
                let _ = write!(text, "{{^{}}}", mainstay_types::Date::from_julian(*day));
                out.extend_from_slice(text.as_bytes());
            }
            NodeKind::Timestamp(day, ms) => {
                let moment = mainstay_types::Timestamp::new(
                    mainstay_types::Date::from_julian(*day),
                    u32::try_from(*ms).unwrap_or_default(),
                );
                out.extend_from_slice(format!("{{^{}}}", moment.display(3)).as_bytes());
            }
            NodeKind::Name { alias, name } => {
                if let Some(alias) = alias {
                    out.extend_from_slice(alias.as_bytes());
                    out.extend_from_slice(b"->");
                }
                out.extend_from_slice(name.as_bytes());
            }
            NodeKind::Unary(operator, operand) => {
                out.extend_from_slice(if *operator == Unary::Not { b".NOT." } else { b"-" });
                operand.write_enclosed(operand.level() < self.level(), out);
            }
            NodeKind::Binary(operator, left, right) => {
                left.write_enclosed(left.level() < self.level(), out);
                out.extend_from_slice(operator.symbol().as_bytes());
                right.write_enclosed(right.level() <= self.level(), out);
            }
            NodeKind::Call { name, arguments, .. } => write_call(name, arguments, out),
        }
    }

    fn write_enclosed(&self, parentheses: bool, out: &mut Vec<u8>) {
        if parentheses {
            out.push(b'(');
        }
        self.write_canonical(out);
        if parentheses {
            out.push(b')');
        }
    }
}

fn write_call(name: &str, arguments: &[Node], out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.push(b'(');
    for (position, argument) in arguments.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        argument.write_canonical(out);
    }
    out.push(b')');
}

/// A text between whichever delimiters it does not contain; a text cannot contain all of them, because
/// it was written between one pair.
fn write_text(text: &[u8], out: &mut Vec<u8>) {
    let (open, close) = if !text.contains(&b'"') {
        (b'"', b'"')
    } else if !text.contains(&b'\'') {
        (b'\'', b'\'')
    } else {
        (b'[', b']')
    };
    out.push(open);
    out.extend_from_slice(text);
    out.push(close);
}
