//! Decomposition of a condition: the operands of AND, OR and NOT, and comparisons with constants.
//!
//! To answer a condition from indexes, or faster than record by record, a caller needs its shape: comparisons of an
//! expression (which may be the key of an index) with a value that is the same for every record. `.NOT.` is pushed
//! inwards as far as possible, so that a comparison stands by itself.

use super::catalog::Builtin;
use super::tree::{Binary, Node, NodeKind, Unary};
use super::{Context, ExprValue, Expression, Scratch};

/// A condition, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All of them hold.
    And(Vec<Condition>),
    /// One of them holds.
    Or(Vec<Condition>),
    /// A comparison with a constant.
    Compare {
        /// The compared expression. If the constant was on the left, the two are swapped.
        subject: Expression,
        /// The comparison.
        operator: Relation,
        /// With what.
        constant: Constant,
        /// The whole comparison as it was written, or its opposite where `.NOT.` stood before it.
        whole: Expression,
    },
    /// A logical expression by itself (`ACTIVE`), which must have this value.
    Flag {
        /// The expression.
        subject: Expression,
        /// The value it must have.
        value: bool,
    },
    /// Anything else.
    Other(Expression),
}

/// The relation of a value to a constant on its right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `=`, which for texts depends on SET EXACT.
    Equal,
    /// `==`.
    ExactlyEqual,
    /// `<>`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

/// A value that is the same for every record.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// Bytes of text.
    Text(Vec<u8>),
    /// A number.
    Number(f64),
    /// A Julian day, 0 for none.
    Date(i32),
    /// A Julian day and milliseconds.
    Timestamp(i32, i32),
    /// True or false.
    Logical(bool),
}

impl Expression {
    /// The condition, taken apart; an expression that is no condition is [`Condition::Other`].
    pub fn condition(&self) -> Condition {
        condition(&self.root, false)
    }

    /// The value of an expression in which nothing depends on a record.
    pub fn constant(&self) -> Option<Constant> {
        constant(&self.root)
    }
}

fn condition(node: &Node, negated: bool) -> Condition {
    match &node.kind {
        NodeKind::Unary(Unary::Not, operand) => condition(operand, !negated),
        NodeKind::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
            let is_and = (*operator == Binary::And) != negated;
            let mut parts = Vec::new();
            for side in [left, right] {
                match (condition(side, negated), is_and) {
                    (Condition::And(inner), true) | (Condition::Or(inner), false) => parts.extend(inner),
                    (other, _) => parts.push(other),
                }
            }
            if is_and { Condition::And(parts) } else { Condition::Or(parts) }
        }
        NodeKind::Binary(operator, left, right) => {
            comparison(node, *operator, (left, right), negated).unwrap_or_else(|| other(node, negated))
        }
        NodeKind::Call { function: Some(function), arguments, .. } if function.builtin == Builtin::Between => {
            between(node, arguments, negated).unwrap_or_else(|| other(node, negated))
        }
        NodeKind::Name { .. } | NodeKind::Call { .. } => {
            Condition::Flag { subject: Expression { root: node.clone() }, value: !negated }
        }
        _ => other(node, negated),
    }
}

fn other(node: &Node, negated: bool) -> Condition {
    Condition::Other(Expression { root: if negated { not(node) } else { node.clone() } })
}

fn not(node: &Node) -> Node {
    Node {
        kind: NodeKind::Unary(Unary::Not, Box::new(node.clone())),
        span: node.span,
        height: node.height.saturating_add(1),
    }
}

/// The relation, and the one that holds when the sides change places.
fn relation(operator: Binary) -> Option<(Relation, Relation)> {
    Some(match operator {
        Binary::Equal => (Relation::Equal, Relation::Equal),
        Binary::ExactlyEqual => (Relation::ExactlyEqual, Relation::ExactlyEqual),
        Binary::NotEqual => (Relation::NotEqual, Relation::NotEqual),
        Binary::Less => (Relation::Less, Relation::Greater),
        Binary::LessOrEqual => (Relation::LessOrEqual, Relation::GreaterOrEqual),
        Binary::Greater => (Relation::Greater, Relation::Less),
        Binary::GreaterOrEqual => (Relation::GreaterOrEqual, Relation::LessOrEqual),
        _ => return None,
    })
}

fn opposite(operator: Binary) -> Option<Binary> {
    Some(match operator {
        Binary::Equal => Binary::NotEqual,
        Binary::NotEqual => Binary::Equal,
        Binary::Less => Binary::GreaterOrEqual,
        Binary::LessOrEqual => Binary::Greater,
        Binary::Greater => Binary::LessOrEqual,
        Binary::GreaterOrEqual => Binary::Less,
        _ => return None,
    })
}

fn comparison(node: &Node, operator: Binary, sides: (&Node, &Node), negated: bool) -> Option<Condition> {
    let operator = if negated { opposite(operator)? } else { operator };
    let (as_written, turned) = relation(operator)?;
    let root = Node {
        kind: NodeKind::Binary(operator, Box::new(sides.0.clone()), Box::new(sides.1.clone())),
        span: node.span,
        height: node.height,
    };
    let (subject, operator, constant) = match (constant(sides.0), constant(sides.1)) {
        (None, Some(constant)) => (sides.0, as_written, constant),
        // Texts compare by the length of the right side, so they cannot change places.
        (Some(constant), None) if !matches!(constant, Constant::Text(_)) => (sides.1, turned, constant),
        _ => return None,
    };
    let (subject, whole) = (Expression { root: subject.clone() }, Expression { root });
    Some(Condition::Compare { subject, operator, constant, whole })
}

/// `BETWEEN(x, a, b)` as the two comparisons that it stands for. Texts are left alone: they compare in full there.
fn between(node: &Node, arguments: &[Node], negated: bool) -> Option<Condition> {
    let [subject, low, high] = arguments else { return None };
    if negated || matches!(constant(low)?, Constant::Text(_)) {
        return None;
    }
    let side = |operator, bound: &Node| {
        let sides = (subject, bound);
        comparison(node, operator, sides, false)
    };
    Some(Condition::And(vec![side(Binary::GreaterOrEqual, low)?, side(Binary::LessOrEqual, high)?]))
}

/// Returns true if the value is the same for every record.
fn is_constant(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Name { .. } => false,
        NodeKind::Unary(_, operand) => is_constant(operand),
        NodeKind::Binary(_, left, right) => is_constant(left) && is_constant(right),
        NodeKind::Call { function, arguments, .. } => {
            let of_record = |builtin| matches!(builtin, Builtin::Deleted | Builtin::Recno);
            function.is_some_and(|function| !of_record(function.builtin)) && arguments.iter().all(is_constant)
        }
        _ => true,
    }
}

fn constant(node: &Node) -> Option<Constant> {
    if !is_constant(node) {
        return None;
    }
    let compiled = Expression { root: node.clone() }.compile(&Context::new(&[])).ok()?;
    let mut scratch = Scratch::new();
    Some(match compiled.evaluate(&mut scratch, b" ", 0).ok()? {
        ExprValue::Character(text) => Constant::Text(text.to_owned()),
        ExprValue::Number(number) => Constant::Number(number),
        ExprValue::Date(day) => Constant::Date(day),
        ExprValue::Timestamp { day, ms } => Constant::Timestamp(day, ms),
        ExprValue::Logical(value) => Constant::Logical(value),
        ExprValue::Null => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(condition: &Condition) -> String {
        let all = |parts: &[Condition]| parts.iter().map(shape).collect::<Vec<_>>().join(" ");
        match condition {
            Condition::And(parts) => format!("and({})", all(parts)),
            Condition::Or(parts) => format!("or({})", all(parts)),
            Condition::Compare { subject, operator, constant, .. } => {
                format!("{} {operator:?} {constant:?}", subject.canonical())
            }
            Condition::Flag { subject, value } => format!("{}={value}", subject.canonical()),
            Condition::Other(whole) => format!("[{}]", whole.canonical()),
        }
    }

    #[test]
    fn conditions_are_taken_apart_and_not_moves_inwards() {
        let of = |text: &str| shape(&Expression::parse(text).unwrap().condition());
        assert_eq!(
            of("a = 1 .and. (b > 2 .and. 3 < c)"),
            "and(A Equal Number(1.0) B Greater Number(2.0) C Greater Number(3.0))"
        );
        assert_eq!(of(".not. (a = 1 .or. upper(n) = 'X')"), "and(A NotEqual Number(1.0) UPPER(N) NotEqual Text([88]))");
        assert_eq!(of("active .or. .not. deleted()"), "or(ACTIVE=true DELETED()=false)");
        assert_eq!(of("'X' = n"), "[\"X\"=N]");
        assert_eq!(of("d >= stod('20200101')"), "D GreaterOrEqual Date(2458850)");
        assert_eq!(of("between(a, 1, 2)"), "and(A GreaterOrEqual Number(1.0) A LessOrEqual Number(2.0))");
        assert_eq!(of(".not. (a $ 'xy')"), "[.NOT.A$\"xy\"]");
        assert_eq!(of("a = recno()"), "[A=RECNO()]");
    }
}
