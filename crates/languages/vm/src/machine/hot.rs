//! The inner loop: whole numbers, comparisons and branches, over the cells of one frame.
//!
//! It uses only code and cells, so that both stay in registers of the processor. Any other instruction leaves it;
//! [`super::cold`] executes that, and the loop is entered again. `fuel` counts iterations until the next check for
//! cancellation.

use super::Cell;
use crate::compile::{Instruction, UNKNOWN};
use crate::{ArithmeticOp, Width};

/// Why the inner loop stopped. `pc` is behind the instruction that did it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// An instruction that is not the inner loop's.
    Other(Instruction),
    /// A result does not fit into the width.
    Overflow(Width),
    /// A division by zero.
    DivideByZero,
    /// The fuel is used up. `pc` is where it goes on.
    Turn,
}

/// Rarely needed state of the inner loop, behind one pointer: registers of the processor are scarce.
pub(super) struct Beside<'a> {
    /// Iterations of loops until the next check for cancellation.
    pub fuel: u32,
    /// The program's constants.
    pub constants: &'a [Cell],
}

/// The outcome of comparing two cells of whole numbers, as a bit.
#[inline(always)]
fn outcome(a: Cell, b: Cell) -> u8 {
    if (a.high | b.high) != 0 {
        UNKNOWN
    } else {
        let (a, b) = (a.as_integer(), b.as_integer());
        1 << (u8::from(a > b) + u8::from(a >= b))
    }
}

/// The outcome of a cell that holds one: a Boolean, or the result of a comparison.
#[inline(always)]
fn held_outcome(a: Cell) -> u8 {
    if a.high != 0 { UNKNOWN } else { 1 << (a.low & 3) }
}

/// An operation on whole numbers of 32 bits, done in 64.
#[inline(always)]
fn i32_of(number: i64) -> Option<i64> {
    (i64::from(number as i32) == number).then_some(number)
}

/// An operation on whole numbers of any width.
fn integer(op: ArithmeticOp, width: Width, a: i64, b: i64) -> Result<i64, Stop> {
    let number = match op {
        ArithmeticOp::Add => a.checked_add(b),
        ArithmeticOp::Subtract => a.checked_sub(b),
        ArithmeticOp::Multiply => a.checked_mul(b),
        ArithmeticOp::Divide | ArithmeticOp::Remainder if b == 0 => return Err(Stop::DivideByZero),
        ArithmeticOp::Divide => a.checked_div(b),
        // The remainder by -1 is 0, whatever the hardware thinks of the quotient.
        ArithmeticOp::Remainder => Some(a.wrapping_rem(b)),
    };
    number.filter(|number| width.holds(*number)).ok_or(Stop::Overflow(width))
}

/// Two operands that may be NULL, and what to compute of them.
macro_rules! compute {
    ($cells:ident, $to:ident, $a:expr, $b:expr, |$x:ident, $y:ident| $result:expr, $width:expr) => {{
        let (left, right): (Cell, Cell) = ($a, $b);
        $cells[usize::from($to)] = if (left.high | right.high) != 0 {
            Cell::NULL
        } else {
            let ($x, $y) = (left.as_integer(), right.as_integer());
            match $result {
                Some(number) => Cell::integer(number),
                None => break Stop::Overflow($width),
            }
        }
    }};
}

/// Runs until something stops it. Part of its only caller: a statement of the host leaves it and comes back.
#[inline(always)]
pub(super) fn run(code: &[Instruction], at: &mut usize, cells: &mut [Cell], beside: &mut Beside<'_>) -> Stop {
    use Instruction::*;
    let mut pc = *at;
    macro_rules! cell {
        ($register:expr) => {
            cells[usize::from($register)]
        };
    }
    macro_rules! go_back {
        ($target:expr) => {{
            pc = $target as usize;
            beside.fuel = beside.fuel.saturating_sub(1);
            if beside.fuel == 0 {
                break Stop::Turn;
            }
        }};
    }
    let stop = loop {
        let instruction = code[pc];
        pc += 1;
        match instruction {
            Move { to, from } => cell!(to) = cell!(from),
            LoadCell { to, constant } => cell!(to) = beside.constants[constant as usize],
            LoadInteger { to, value } => cell!(to) = Cell::integer(value.into()),
            AddI32 { to, a, b } => compute!(cells, to, cell!(a), cell!(b), |x, y| i32_of(x + y), Width::I32),
            SubtractI32 { to, a, b } => compute!(cells, to, cell!(a), cell!(b), |x, y| i32_of(x - y), Width::I32),
            MultiplyI32 { to, a, b } => compute!(cells, to, cell!(a), cell!(b), |x, y| i32_of(x * y), Width::I32),
            AddI32Constant { to, a, value } => {
                compute!(cells, to, cell!(a), Cell::integer(value.into()), |x, y| i32_of(x + y), Width::I32)
            }
            MultiplyI32Constant { to, a, value } => {
                compute!(cells, to, cell!(a), Cell::integer(value.into()), |x, y| i32_of(x * y), Width::I32)
            }
            DivideI32Constant { to, a, value } => {
                compute!(cells, to, cell!(a), Cell::integer(value.into()), |x, y| x.checked_div(y), Width::I32)
            }
            RemainderI32Constant { to, a, value } => {
                compute!(cells, to, cell!(a), Cell::integer(value.into()), |x, y| x.checked_rem(y), Width::I32)
            }
            Integer { op, width, to, a, b } => {
                let (a, b) = (cell!(a), cell!(b));
                cell!(to) = if (a.high | b.high) != 0 {
                    Cell::NULL
                } else {
                    match integer(op, width, a.as_integer(), b.as_integer()) {
                        Ok(number) => Cell::integer(number),
                        Err(stop) => break stop,
                    }
                }
            }
            Narrow { width, to, a } => match cell!(a) {
                a if a.is_null() || width.holds(a.as_integer()) => cell!(to) = a,
                _ => break Stop::Overflow(width),
            },
            Negate { width, to, a } => {
                compute!(
                    cells,
                    to,
                    cell!(a),
                    Cell::integer(0),
                    |x, y| y.checked_sub(x).filter(|n| width.holds(*n)),
                    width
                )
            }
            Jump { target } => pc = target as usize,
            Loop { target } => go_back!(target),
            JumpCompare { mask, a, b, target } if mask & outcome(cell!(a), cell!(b)) != 0 => pc = target as usize,
            LoopCompare { mask, a, b, target } if mask & outcome(cell!(a), cell!(b)) != 0 => go_back!(target),
            JumpCompareConstant { mask, a, value, target } => {
                if mask & outcome(cell!(a), Cell::integer(value.into())) != 0 {
                    pc = target as usize;
                }
            }
            LoopCompareConstant { mask, a, value, target } => {
                if mask & outcome(cell!(a), Cell::integer(value.into())) != 0 {
                    go_back!(target);
                }
            }
            JumpMask { mask, a, target } if mask & held_outcome(cell!(a)) != 0 => pc = target as usize,
            LoopMask { mask, a, target } if mask & held_outcome(cell!(a)) != 0 => go_back!(target),
            JumpCompare { .. } | LoopCompare { .. } | JumpMask { .. } | LoopMask { .. } => {}
            SetCompare { mask, to, a, b } => cell!(to) = truth(mask, outcome(cell!(a), cell!(b))),
            SetMask { mask, to, a } => cell!(to) = truth(mask, held_outcome(cell!(a))),
            JumpNull { a, target } if cell!(a).is_null() => pc = target as usize,
            LoopNull { a, target } if cell!(a).is_null() => go_back!(target),
            JumpNotNull { a, target } if !cell!(a).is_null() => pc = target as usize,
            LoopNotNull { a, target } if !cell!(a).is_null() => go_back!(target),
            JumpNull { .. } | LoopNull { .. } | JumpNotNull { .. } | LoopNotNull { .. } => {}
            IsNullCell { to, a } => cell!(to) = Cell::integer(i64::from(cell!(a).is_null())),
            other => break Stop::Other(other),
        }
    };
    *at = pc;
    stop
}

/// Returns true if an outcome is among the wanted; NULL if it is not known.
#[inline(always)]
fn truth(mask: u8, outcome: u8) -> Cell {
    if outcome == UNKNOWN { Cell::NULL } else { Cell::integer(i64::from(mask & outcome != 0)) }
}
