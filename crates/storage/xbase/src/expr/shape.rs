//! Properties of a key for the planner: the parts it is joined from, and conditions it may ignore.
//!
//! `UPPER(NAME) + STR(BAL,12,2) + DTOS(BORN)` is three parts. A condition on NAME alone is a range of
//! keys, because NAME's part comes first and has a fixed length; conditions that fix the first parts
//! and bound the next one are ranges as well. An unrecognised part is [`KeySource::Other`]: the parts before it can
//! still be used.

use super::catalog::Builtin;
use super::compile::Compiler;
use super::tree::{Binary, Node, NodeKind, Unary};
use super::types::{Context, Kind};
use mainstay_columnar::Term;
use mainstay_types::Result;

/// One part of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPart {
    /// The source of the part.
    pub source: KeySource,
    /// The type of the part; more than one part means that all are characters.
    pub kind: Kind,
    /// Bytes in the key, if it is the same for every record.
    pub length: Option<usize>,
    /// True if DESCEND() turns the order around.
    pub descending: bool,
    /// The part as a term of SQL, if SQL has one like it; of what DESCEND() is applied to.
    pub term: Option<Term>,
}

/// The source of a part of a key. Fields are numbers in the `fields` of the [`Context`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// The field as it is.
    Field(usize),
    /// The beginning of a character field, or all of it (then `length` is the field's), in capitals if
    /// `upper`. Blanks follow where the part is longer than the field.
    Text {
        /// The field.
        field: usize,
        /// Bytes of the field that count.
        length: usize,
        /// True if UPPER() is applied.
        upper: bool,
    },
    /// `STR(field, width, decimals)`.
    Str {
        /// The field.
        field: usize,
        /// Characters.
        width: usize,
        /// Digits after the point.
        decimals: usize,
    },
    /// `STRZERO(field, width, decimals)`.
    StrZero {
        /// The field.
        field: usize,
        /// Characters.
        width: usize,
        /// Digits after the point.
        decimals: usize,
    },
    /// `DTOS(field)`, or `DTOC(field,1)`: eight digits, or blanks.
    Dtos(usize),
    /// Anything else.
    Other,
}

/// The parts of a key, in order.
pub(super) fn parts(context: &Context<'_>, node: &Node) -> Result<Vec<KeyPart>> {
    let mut operands = Vec::new();
    operands_of(node, &mut operands);
    // A chain of + is only a chain of parts when it joins texts.
    if operands.len() > 1 && Compiler::type_of(context, node)?.kind != Kind::Character {
        operands = vec![node];
    }
    operands.into_iter().map(|operand| part(context, operand)).collect()
}

fn operands_of<'n>(node: &'n Node, out: &mut Vec<&'n Node>) {
    match &node.kind {
        NodeKind::Binary(Binary::Plus, left, right) => {
            operands_of(left, out);
            operands_of(right, out);
        }
        _ => out.push(node),
    }
}

fn part(context: &Context<'_>, node: &Node) -> Result<KeyPart> {
    let typed = Compiler::type_of(context, node)?;
    let length = if typed.kind == Kind::Character { typed.text.exact() } else { None };
    let (inner, descending) = match &node.kind {
        NodeKind::Call { function: Some(function), arguments, .. } if function.builtin == Builtin::Descend => {
            (&arguments[0], true)
        }
        _ => (node, false),
    };
    let source = source(context, inner).unwrap_or(KeySource::Other);
    let term = super::term::term(context, inner);
    Ok(KeyPart { source, kind: typed.kind, length, descending, term })
}

/// The number of the field that a node is.
pub(super) fn field_of(context: &Context<'_>, node: &Node) -> Option<usize> {
    let NodeKind::Name { name, .. } = &node.kind else { return None };
    context.fields.iter().position(|field| {
        field.name.eq_ignore_ascii_case(name) || name.len() > 10 && field.name.eq_ignore_ascii_case(&name[..10])
    })
}

/// A whole number that is written in the expression.
pub(super) fn constant(node: Option<&Node>) -> Option<usize> {
    match &node?.kind {
        NodeKind::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// The width and the decimals that STR() prints a field with when it has no width argument.
pub(super) fn printed(context: &Context<'_>, field: usize) -> Option<(usize, usize)> {
    let form = super::field::form(context.fields.get(field)?);
    let (width, decimals) = super::compile::printed_form(context.dialect, Some(form))?;
    Some((usize::try_from(width?).ok()?, usize::try_from(decimals).ok()?))
}

fn source(context: &Context<'_>, node: &Node) -> Option<KeySource> {
    if let Some(field) = field_of(context, node) {
        return Some(KeySource::Field(field));
    }
    let NodeKind::Call { function: Some(function), arguments, .. } = &node.kind else { return None };
    let first = arguments.first()?;
    let number = |position: usize| constant(arguments.get(position));
    match function.builtin {
        Builtin::Str | Builtin::StrZero => {
            let field = field_of(context, first)?;
            let (width, decimals) = match arguments.len() {
                1 => printed(context, field)?,
                2 => (number(1)?, 0),
                _ => (number(1)?, number(2)?),
            };
            Some(match function.builtin {
                Builtin::Str => KeySource::Str { field, width, decimals },
                _ => KeySource::StrZero { field, width, decimals },
            })
        }
        Builtin::DToS => field_of(context, first).map(KeySource::Dtos),
        Builtin::DToC if arguments.len() > 1 => field_of(context, first).map(KeySource::Dtos),
        _ => text(context, node),
    }
}

/// A field through any of UPPER(), LEFT(), SUBSTR(, 1, n) and PADR().
fn text(context: &Context<'_>, node: &Node) -> Option<KeySource> {
    if let Some(field) = field_of(context, node) {
        let described = context.fields.get(field)?;
        let fixed = described.varying_bit.is_none() && super::field::kind_of(described) == Some(Kind::Character);
        return fixed.then_some(KeySource::Text { field, length: described.length, upper: false });
    }
    let NodeKind::Call { function: Some(function), arguments, .. } = &node.kind else { return None };
    let KeySource::Text { field, length, upper } = text(context, arguments.first()?)? else { return None };
    let number = |position: usize| constant(arguments.get(position));
    let blank_filled = arguments.len() < 3;
    match function.builtin {
        Builtin::Upper => Some(KeySource::Text { field, length, upper: true }),
        Builtin::Left => Some(KeySource::Text { field, length: length.min(number(1)?), upper }),
        Builtin::PadR if blank_filled => Some(KeySource::Text { field, length: length.min(number(1)?), upper }),
        Builtin::SubStr if number(1)? == 1 => {
            let count = if blank_filled { length } else { number(2)? };
            Some(KeySource::Text { field, length: length.min(count), upper })
        }
        _ => None,
    }
}

/// Returns true if this is `.NOT. DELETED()`, in any spelling.
pub(super) fn is_not_deleted(node: &Node) -> bool {
    let is_deleted = |node: &Node| matches!(&node.kind, NodeKind::Call { function: Some(function), .. } if function.builtin == Builtin::Deleted);
    match &node.kind {
        NodeKind::Unary(Unary::Not, operand) => is_deleted(operand),
        NodeKind::Binary(operator, left, right) => match (operator, &right.kind) {
            (Binary::Equal | Binary::ExactlyEqual, NodeKind::Logical(false)) => is_deleted(left),
            (Binary::NotEqual, NodeKind::Logical(true)) => is_deleted(left),
            _ => false,
        },
        _ => false,
    }
}
