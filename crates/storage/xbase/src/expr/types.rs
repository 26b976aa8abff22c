//! Context of compiling an expression, and the type of its result before any record is read.
//!
//! Keys have a fixed length, so the compiler tracks how long every text can get ([`TextLength`]), and
//! because `STR(FIELD)` without a width prints as wide as the field is, it tracks the width and decimals
//! that a number would print with ([`NumberForm`]). A form that depends on the data is `None`, and expressions that
//! need it are refused.

use crate::adt::RecordLayout;
use crate::dbf::Field;
use crate::memo::Memo;
use std::sync::Arc;

/// The family of programs that an expression was written for, where they differ.
///
/// The differences are listed in `docs/xbase-expressions.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Clipper, Harbour, and the Advantage server on their files.
    #[default]
    Clipper,
    /// FoxPro and Visual FoxPro.
    FoxPro,
}

/// Case mapping of the bytes of a code page: `upper[b]` is the capital of `b`, or `b`.
#[derive(Clone, PartialEq, Eq)]
pub struct CaseTable {
    /// The capital of each byte.
    pub upper: [u8; 256],
    /// The small letter of each byte.
    pub lower: [u8; 256],
}

impl CaseTable {
    /// The 26 letters; every other byte stays.
    pub fn ascii() -> CaseTable {
        let each = |change: fn(&u8) -> u8| std::array::from_fn(|byte| change(&(byte as u8)));
        CaseTable { upper: each(u8::to_ascii_uppercase), lower: each(u8::to_ascii_lowercase) }
    }

    pub(super) fn is_upper(&self, byte: u8) -> bool {
        self.lower[usize::from(byte)] != byte
    }

    pub(super) fn is_lower(&self, byte: u8) -> bool {
        self.upper[usize::from(byte)] != byte
    }

    pub(super) fn is_letter(&self, byte: u8) -> bool {
        self.is_upper(byte) || self.is_lower(byte)
    }
}

impl Default for CaseTable {
    fn default() -> CaseTable {
        CaseTable::ascii()
    }
}

impl std::fmt::Debug for CaseTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let changed = (0..=255u8).filter(|byte| self.is_letter(*byte)).count();
        write!(f, "CaseTable({changed} letters)")
    }
}

/// Where an expression finds the texts of memo fields, which are not in the record.
#[derive(Clone, Debug, Default)]
pub enum Memos {
    /// Nowhere: a key has no memos.
    #[default]
    None,
    /// The caller supplies them with the record: [`super::Compiled::evaluate_with`].
    Given,
    /// In this file.
    In(Arc<Memo>),
}

/// The context in which an expression is compiled.
#[derive(Clone, Debug)]
pub struct Context<'f> {
    /// The fields of the table, in any order.
    pub fields: &'f [Field],
    /// SET EXACT: true if `=` compares both texts in full. Off by default.
    pub exact: bool,
    /// The case mapping of UPPER and LOWER for the table's code page.
    pub case: CaseTable,
    /// The dialect whose rules apply where they differ.
    pub dialect: Dialect,
    /// Where memos are.
    pub memos: Memos,
}

impl<'f> Context<'f> {
    /// The form of the records that have these fields.
    pub fn layout(&self) -> RecordLayout {
        match self.fields.iter().any(|field| field.adt.is_some()) {
            true => RecordLayout::Adt,
            false => RecordLayout::Dbf,
        }
    }

    /// The defaults of Clipper and Harbour: EXACT off, ASCII letters; no memos.
    pub fn new(fields: &'f [Field]) -> Context<'f> {
        Context { fields, exact: false, case: CaseTable::ascii(), dialect: Dialect::Clipper, memos: Memos::None }
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Bytes of text.
    Character,
    /// A number.
    Numeric,
    /// A day, or none.
    Date,
    /// A day and a time.
    Timestamp,
    /// True or false.
    Logical,
}

impl Kind {
    /// The word for messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Character => "character",
            Kind::Numeric => "numeric",
            Kind::Date => "date",
            Kind::Timestamp => "timestamp",
            Kind::Logical => "logical",
        }
    }
}

/// The type that [`super::Compiled::evaluate`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultType {
    /// The type.
    pub kind: Kind,
    /// Bytes of a character result, if it is the same for every record (a blank-padded result counts as
    /// its padded length); characters a number prints with; 8 for a date or timestamp; 1 for a logical.
    pub length: Option<usize>,
    /// The most bytes a character result can have; as `length` for the others.
    pub max_length: usize,
    /// Digits after the point that a number prints with, when that does not depend on the data.
    pub decimals: Option<usize>,
}

/// The shortest and longest a text can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextLength {
    pub(super) min: usize,
    pub(super) max: usize,
}

impl TextLength {
    pub(super) fn exactly(length: usize) -> TextLength {
        TextLength { min: length, max: length }
    }

    pub(super) fn at_most(length: usize) -> TextLength {
        TextLength { min: 0, max: length }
    }

    /// The length of two texts joined.
    pub(super) fn plus(self, other: TextLength) -> TextLength {
        TextLength { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    /// The length of one or the other.
    pub(super) fn or(self, other: TextLength) -> TextLength {
        TextLength { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The length after cutting to `length` bytes.
    pub(super) fn cut(self, length: usize) -> TextLength {
        TextLength { min: self.min.min(length), max: self.max.min(length) }
    }

    /// The length after dropping up to `skip` bytes from one end.
    pub(super) fn without(self, skip: usize) -> TextLength {
        TextLength { min: self.min.saturating_sub(skip), max: self.max.saturating_sub(skip) }
    }

    pub(super) fn exact(self) -> Option<usize> {
        (self.min == self.max).then_some(self.max)
    }
}

/// The number of characters that the whole part of a number takes when it is printed without a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// The same for every value.
    Fixed(usize),
    /// 10, or 20 for numbers above 9,999,999,999 or below -999,999,999.
    Natural,
}

/// The default printed form of a number: Clipper carries this with every number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberForm {
    /// True if it is held as an integer.
    pub(super) integer: bool,
    pub(super) width: Width,
    pub(super) decimals: usize,
}

impl NumberForm {
    pub(super) fn integer(width: Width) -> NumberForm {
        NumberForm { integer: true, width, decimals: 0 }
    }

    /// A result of arithmetic.
    pub(super) fn natural(integer: bool, decimals: usize) -> NumberForm {
        NumberForm { integer, width: Width::Natural, decimals }
    }

    /// Characters it prints with, point and decimals included.
    pub(super) fn printed(self) -> usize {
        let whole = match self.width {
            Width::Fixed(width) => width,
            Width::Natural => 10,
        };
        if self.decimals > 0 { whole + 1 + self.decimals } else { whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_letters_change_and_nothing_else_does() {
        let case = CaseTable::ascii();
        assert_eq!(case.upper[usize::from(b'z')], b'Z');
        assert_eq!(case.upper[0xE9], 0xE9);
        assert_eq!((0..=255u8).filter(|byte| case.is_letter(*byte)).count(), 52);
    }
}
