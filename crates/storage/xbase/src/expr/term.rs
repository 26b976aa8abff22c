//! Maps an expression to a term of SQL's conditions, to find the conditions that an index answers.
//!
//! `UPPER(LEFT(NAME,5))` of an index is nearly the same value as `upper(left(name, 5))` of SQL: the code that makes
//! ranges of keys handles the differences (blanks at the end, letters beyond ASCII, NULL).

use super::catalog::Builtin;
use super::compile::Compiler;
use super::shape::{constant, field_of, printed};
use super::tree::{Binary, Node, NodeKind};
use super::types::{Context, Kind};
use super::{Expression, field};
use mainstay_columnar::{Operation, Term};

/// The subject of a logical expression that is not a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A value.
    Term(Term),
    /// True if the record is deleted.
    Deleted,
    /// True if a value is empty.
    Empty(Term),
}

impl Expression {
    /// The subject of the expression; `None` if SQL has no term for it. Columns are numbers in the `fields` of the
    /// context.
    pub fn subject(&self, context: &Context<'_>) -> Option<Subject> {
        match &self.root.kind {
            NodeKind::Call { function: Some(function), arguments, .. } => match function.builtin {
                Builtin::Deleted => Some(Subject::Deleted),
                Builtin::Empty => term(context, arguments.first()?).map(Subject::Empty),
                _ => term(context, &self.root).map(Subject::Term),
            },
            _ => term(context, &self.root).map(Subject::Term),
        }
    }
}

/// The term that a node is.
pub(super) fn term(context: &Context<'_>, node: &Node) -> Option<Term> {
    if let Some(number) = field_of(context, node) {
        let described = context.fields.get(number)?;
        // The last byte of a varying text stores its length.
        let is_plain = described.varying_bit.is_none() && field::kind_of(described).is_some();
        return is_plain.then_some(Term::Column(number));
    }
    match &node.kind {
        NodeKind::Number(digits) => digits.parse().ok().map(Term::Number),
        NodeKind::Binary(operator, left, right) => {
            let operation = match operator {
                Binary::Plus => Operation::Plus,
                Binary::Minus => Operation::Minus,
                Binary::Multiply => Operation::Times,
                _ => return None,
            };
            let is_number = |node| Compiler::type_of(context, node).is_ok_and(|typed| typed.kind == Kind::Numeric);
            let side = |node| term(context, node).map(Box::new);
            (is_number(left) && is_number(right))
                .then(|| Some(Term::Arithmetic(operation, side(left)?, side(right)?)))?
        }
        NodeKind::Call { function: Some(function), arguments, .. } => call(context, function.builtin, arguments),
        _ => None,
    }
}

fn call(context: &Context<'_>, builtin: Builtin, arguments: &[Node]) -> Option<Term> {
    let first = arguments.first()?;
    let inner = || term(context, first).map(Box::new);
    let number = |place: usize| constant(arguments.get(place));
    let kind = Compiler::type_of(context, first).ok()?.kind;
    Some(match (builtin, kind) {
        (Builtin::Upper, _) => Term::Upper(inner()?),
        (Builtin::Lower, _) => Term::Lower(inner()?),
        (Builtin::Left, _) => Term::Part { text: inner()?, start: 0, length: Some(number(1)?) },
        (Builtin::SubStr, _) => {
            let length = if arguments.len() > 2 { Some(number(2)?) } else { None };
            Term::Part { text: inner()?, start: number(1)?.checked_sub(1)?, length }
        }
        (Builtin::Trim, _) => Term::Trimmed { text: inner()?, start: false },
        (Builtin::AllTrim | Builtin::LTrim, _) => Term::Trimmed { text: inner()?, start: true },
        (Builtin::PadR, Kind::Character) if arguments.len() < 3 => Term::Padded { text: inner()?, length: number(1)? },
        (Builtin::Str | Builtin::StrZero, _) => {
            let (width, decimals) = match arguments.len() {
                1 => printed(context, field_of(context, first)?)?,
                2 => (number(1)?, 0),
                _ => (number(1)?, number(2)?),
            };
            Term::Digits { number: inner()?, width: Some(width), decimals, zeros: builtin == Builtin::StrZero }
        }
        (Builtin::DToS, Kind::Date) => Term::DayDigits(inner()?),
        (Builtin::DToC, Kind::Date) if arguments.len() > 1 => Term::DayDigits(inner()?),
        (Builtin::Year, Kind::Date) => Term::Year(inner()?),
        (Builtin::Month, Kind::Date) => Term::Month(inner()?),
        (Builtin::Day, Kind::Date) => Term::Day(inner()?),
        _ => return None,
    })
}
