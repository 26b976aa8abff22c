//! The bytecode: instructions of one width over registers of one frame, and the tables beside them.
//!
//! ```text
//!   while @i < 10  @s := @s + @i  @i := @i + 1          r0 = @i, r1 = @s
//!
//!     0  Jump 3
//!     1  AddI32 r1, r1, r0
//!     2  AddI32Constant r0, r0, 1
//!     3  LoopCompareConstant less, r0, 10, to 1
//! ```
//!
//! A comparison and the branch on it are one instruction. The branch condition is a mask over the four outcomes of a
//! comparison - less, equal, greater, NULL - so that one instruction serves all operators, their negations, and both
//! readings of NULL. Operands beyond three (calls, native functions, statements of the host) are in tables that the
//! instruction points into: *sites*.
//!
//! Registers are numbered from the frame's beginning, in four files ([`crate::types::File`]). A register number of a text
//! or of bytes with the highest bit set is a constant's number instead.

use crate::machine::Cell;
use crate::{
    ArithmeticOp, BitwiseOp, File, NativeFunction, Rounding, SharedOperation, StatementId, TextUnit, Type, Width,
};
use mainstay_types::{Collation, Value};
use std::sync::Arc;

/// The outcome of a comparison, as a bit of a mask: less.
pub(crate) const LESS: u8 = 1;
/// Equal.
pub(crate) const EQUAL: u8 = 2;
/// Greater.
pub(crate) const GREATER: u8 = 4;
/// One side is NULL.
pub(crate) const UNKNOWN: u8 = 8;
/// A Boolean's outcomes are its numbers, 0 and 1: false.
pub(crate) const FALSE: u8 = 1;
/// True.
pub(crate) const TRUE: u8 = 2;

/// The bit of a text's or byte string's register number that makes it a constant's.
pub(crate) const CONSTANT: u16 = 0x8000;

/// One instruction. `to`, `a`, `b` are registers; `target` is an instruction's number; `site` a number in a table.
///
/// Those down to `IsNullCell` are run by the inner loop over cells (`machine::hot`), the others outside it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[rustfmt::skip]
pub(crate) enum Instruction {
    Move { to: u16, from: u16 },
    LoadInteger { to: u16, value: i32 },
    LoadCell { to: u16, constant: u32 },
    AddI32 { to: u16, a: u16, b: u16 },
    SubtractI32 { to: u16, a: u16, b: u16 },
    MultiplyI32 { to: u16, a: u16, b: u16 },
    AddI32Constant { to: u16, a: u16, value: i32 },
    MultiplyI32Constant { to: u16, a: u16, value: i32 },
    DivideI32Constant { to: u16, a: u16, value: i32 },
    RemainderI32Constant { to: u16, a: u16, value: i32 },
    Integer { op: ArithmeticOp, width: Width, to: u16, a: u16, b: u16 },
    Narrow { width: Width, to: u16, a: u16 },
    Negate { width: Width, to: u16, a: u16 },
    Jump { target: u32 },
    Loop { target: u32 },
    JumpCompare { mask: u8, a: u16, b: u16, target: u32 },
    LoopCompare { mask: u8, a: u16, b: u16, target: u32 },
    JumpCompareConstant { mask: u8, a: u16, value: i32, target: u32 },
    LoopCompareConstant { mask: u8, a: u16, value: i32, target: u32 },
    JumpMask { mask: u8, a: u16, target: u32 },
    LoopMask { mask: u8, a: u16, target: u32 },
    SetCompare { mask: u8, to: u16, a: u16, b: u16 },
    SetMask { mask: u8, to: u16, a: u16 },
    JumpNull { a: u16, target: u32 },
    JumpNotNull { a: u16, target: u32 },
    LoopNull { a: u16, target: u32 },
    LoopNotNull { a: u16, target: u32 },
    IsNullCell { to: u16, a: u16 },

    Bitwise { op: BitwiseOp, width: Width, to: u16, a: u16, b: u16 },
    BitNot { width: Width, to: u16, a: u16 },
    Not { to: u16, a: u16 },
    And { to: u16, a: u16, b: u16 },
    Or { to: u16, a: u16, b: u16 },
    Float { op: ArithmeticOp, real: bool, to: u16, a: u16, b: u16 },
    NegateFloat { to: u16, a: u16 },
    Decimal { op: ArithmeticOp, shape: u16, to: u16, a: u16, b: u16 },
    NegateDecimal { to: u16, a: u16 },
    OrderFloat { to: u16, a: u16, b: u16 },
    OrderDecimal { left_scale: u8, right_scale: u8, to: u16, a: u16, b: u16 },
    OrderOffset { to: u16, a: u16, b: u16 },
    OrderText { collation: Collation, pads: bool, to: u16, a: u16, b: u16 },
    OrderBytes { pads: bool, to: u16, a: u16, b: u16 },
    OrderUuid { to: u16, a: u16, b: u16 },
    IsNull { file: File, to: u16, a: u16 },
    MoveLong { file: File, to: u16, from: u16 },
    TakeLong { file: File, to: u16, from: u16 },
    NullLong { file: File, to: u16 },
    LoadAny { to: u16, constant: u16 },
    Convert { site: u32 },
    Fit { site: u32 },
    Concat { site: u32 },
    Native { site: u32 },
    Host { site: u32 },
    Call { site: u32 },
    Dimension { site: u32 },
    LoadElement { site: u32 },
    StoreElement { site: u32 },
    Switch { a: u16, table: u32 },
    Gosub { target: u32 },
    GosubReturn,
    GosubPop,
    SetHandler { target: u32 },
    ResumeRetry,
    ResumeNext,
    EndCatch { depth: u16 },
    Rethrow,
    Return,
}

/// The target of [`Instruction::SetHandler`] that means none.
pub(crate) const NOWHERE: u32 = u32::MAX;

impl Instruction {
    /// The target of a branch, to be filled in.
    pub(crate) fn target_mut(&mut self) -> Option<&mut u32> {
        match self {
            Instruction::Jump { target }
            | Instruction::Loop { target }
            | Instruction::JumpCompare { target, .. }
            | Instruction::LoopCompare { target, .. }
            | Instruction::JumpCompareConstant { target, .. }
            | Instruction::LoopCompareConstant { target, .. }
            | Instruction::JumpMask { target, .. }
            | Instruction::LoopMask { target, .. }
            | Instruction::JumpNull { target, .. }
            | Instruction::JumpNotNull { target, .. }
            | Instruction::LoopNull { target, .. }
            | Instruction::LoopNotNull { target, .. }
            | Instruction::Gosub { target }
            | Instruction::SetHandler { target } => Some(target),
            _ => None,
        }
    }

    /// The same branch as one that goes back, and so looks whether it is time to stop.
    pub(crate) fn backwards(self) -> Instruction {
        match self {
            Instruction::Jump { target } => Instruction::Loop { target },
            Instruction::JumpCompare { mask, a, b, target } => Instruction::LoopCompare { mask, a, b, target },
            Instruction::JumpCompareConstant { mask, a, value, target } => {
                Instruction::LoopCompareConstant { mask, a, value, target }
            }
            Instruction::JumpMask { mask, a, target } => Instruction::LoopMask { mask, a, target },
            Instruction::JumpNull { a, target } => Instruction::LoopNull { a, target },
            Instruction::JumpNotNull { a, target } => Instruction::LoopNotNull { a, target },
            other => other,
        }
    }
}

/// Where a value is read: a register of its type's file, or a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Operand {
    /// The type of the value.
    pub ty: Type,
    /// The register; or the constant's number, with [`CONSTANT`] set.
    pub place: u16,
}

/// Where a value is written: a register of its type's file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Destination {
    /// The type of the value.
    pub ty: Type,
    /// The register.
    pub place: u16,
}

impl From<Destination> for Operand {
    fn from(destination: Destination) -> Operand {
        Operand { ty: destination.ty, place: destination.place }
    }
}

/// The scales of an operation on decimals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DecimalShape {
    pub left_scale: u8,
    pub right_scale: u8,
    pub precision: u8,
    pub scale: u8,
    pub rounding: Rounding,
}

/// A conversion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConvertSite {
    pub from: Operand,
    pub to: Destination,
    pub rounding: Rounding,
}

/// Text or bytes brought to a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FitSite {
    pub from: Operand,
    pub to: Destination,
    pub unit: TextUnit,
    pub pad: bool,
    pub strict: bool,
}

/// Texts or bytes one after the other.
#[derive(Clone, Debug)]
pub(crate) struct ConcatSite {
    pub parts: Box<[Operand]>,
    pub to: Destination,
    pub null_as_empty: bool,
    pub unit: TextUnit,
    /// True if the first part is the destination, and no other part is: the others are appended to it.
    pub appends: bool,
}

/// A call of a native function.
#[derive(Clone, Debug)]
pub(crate) struct NativeSite {
    pub function: NativeSiteFunction,
    pub arguments: Box<[Operand]>,
    pub to: Destination,
}

/// A plain native function, or an operation with data.
#[derive(Clone, Debug)]
pub(crate) enum NativeSiteFunction {
    Plain(NativeFunction),
    Operation(SharedOperation),
}

/// A statement of the host, or a value of it.
#[derive(Clone, Debug)]
pub(crate) struct HostSite {
    pub statement: StatementId,
    pub inputs: Box<[Operand]>,
    pub outputs: Box<[Destination]>,
    pub branches: Box<[u32]>,
}

/// An array's bounds.
#[derive(Clone, Debug)]
pub(crate) struct DimensionSite {
    pub array: u16,
    pub bounds: Box<[(Operand, Operand)]>,
}

/// An element of an array, and what is put into it or where it is put.
#[derive(Clone, Debug)]
pub(crate) struct ElementSite {
    pub array: u16,
    pub indexes: Box<[Operand]>,
    pub value: Operand,
}

/// An array of a frame.
#[derive(Clone, Debug)]
pub(crate) struct ArrayShape {
    pub name: Arc<str>,
    pub element: Type,
    /// The first value of its elements.
    pub first: Value,
    /// The same as a cell.
    pub first_cell: Cell,
}

/// A call of a routine.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub callee: CalleeSite,
    pub arguments: Box<[ArgumentSite]>,
    pub result: Option<Destination>,
    /// True if it is an expression's: an error in it is its statement's.
    pub is_function: bool,
}

/// The target of a call.
#[derive(Clone, Debug)]
pub(crate) enum CalleeSite {
    Named(Arc<str>),
    Dynamic(Operand),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct ArgumentSite {
    pub name: Option<Box<str>>,
    /// `None` for the default.
    pub value: Option<Operand>,
    /// The slot that takes what comes back: its register, and its number in the routine.
    pub back: Option<(Destination, u16)>,
}

/// A region whose errors go to a CATCH.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handler {
    /// The first instruction of the region.
    pub start: u32,
    /// The one after its last.
    pub end: u32,
    /// Where the CATCH begins.
    pub target: u32,
    /// CATCHes of the routine around it.
    pub depth: u16,
}

/// The information on a statement for when one of its instructions fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatementInfo {
    pub line: u32,
    /// Its first instruction.
    pub start: u32,
    /// The first instruction after it.
    pub next: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_twelve_bytes() {
        assert!(size_of::<Instruction>() <= 12);
    }
}
