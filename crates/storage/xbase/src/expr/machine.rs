//! The machine that runs a compiled expression over the bytes of a record.
//!
//! ```text
//!   UPPER(NAME) + DTOS(BORN)      Field NAME, Call Upper, Field BORN, Call DToS, Binary Plus
//!
//!   record    *ADAM      19500207  <-- a field is a range of the record, not a copy
//!   stack     [Text scratch 0..10] [Text scratch 10..18]
//!   scratch   ADAM      19500207   <-- what functions make is appended here
//! ```
//!
//! A text on the stack is a range of the record, of the program's constants, or of the scratch buffer,
//! which only grows while one record is evaluated. The stack and the buffer are kept between records,
//! so after the first few nothing is allocated.

use super::catalog::Builtin;
use super::field::FieldReader;
use super::number::Number;
use super::tree::Binary;
use super::types::{CaseTable, Dialect, Memos};
use super::{calendar, numeric, text};
use crate::adt::RecordLayout;
use crate::memo::{Fetched, Window};
use mainstay_types::{Code, Error, Result};
use std::cmp::Ordering;

/// The most bytes that one evaluation may make: Clipper's texts end at 64 KiB, and a key at 240 bytes.
pub(super) const MAX_TEXT: usize = 1 << 16;

/// The same where memos are read.
pub(super) const MOST_OF_MEMOS: usize = 1 << 26;

/// One step of a program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Push(Slot),
    /// Reads field number n of the program.
    Field(usize),
    /// Reads the memo of field number n of the program, which has the other number in the context.
    Memo(usize, usize),
    Negate,
    Not,
    Binary(Binary),
    Call(Builtin, u8),
    Jump(usize),
    /// Takes a logical, and jumps if it is false.
    JumpIfFalse(usize),
    /// Lays aside whether a field was NULL, for a condition of its own.
    HoldNull,
    /// Takes the logical of that condition, and jumps unless it is true. What was laid aside holds again. A NULL is not
    /// true if the condition passes it on; else its effect is unknown, and it stays.
    JumpUnlessTrue {
        passes_null: bool,
        target: usize,
    },
    /// Jumps and keeps the logical if it is this; else takes it.
    JumpKeeping(bool, usize),
    /// Replaces a field that is NULL by the value after it (NVL), or says whether it is NULL (ISNULL).
    IsNull(usize),
}

/// Where the bytes of a text are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    Record,
    Constant,
    Scratch,
}

/// A text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub(super) origin: Origin,
    pub(super) start: usize,
    pub(super) length: usize,
}

impl Text {
    /// `length` bytes from `skip`, cut to what there is.
    pub(super) fn slice(self, skip: usize, length: usize) -> Text {
        let skip = skip.min(self.length);
        Text { start: self.start + skip, length: length.min(self.length - skip), ..self }
    }
}

/// A value on the stack.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    Text(Text),
    Number(Number),
    /// A Julian day, 0 for none.
    Date(i32),
    /// A Julian day and milliseconds.
    Timestamp(i32, i32),
    Logical(bool),
}

/// The memory of an evaluation, to be kept and given to the next one. It belongs to no program: one
/// serves any number of them, one after another.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) stack: Vec<Slot>,
    pub(super) text: Vec<u8>,
}

impl Scratch {
    /// Empty memory.
    pub fn new() -> Scratch {
        Scratch::default()
    }
}

/// A compiled program.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) ops: Vec<Op>,
    pub(super) constants: Vec<u8>,
    pub(super) fields: Vec<FieldReader>,
    pub(super) case: CaseTable,
    pub(super) dialect: Dialect,
    pub(super) layout: RecordLayout,
    pub(super) exact: bool,
    pub(super) memos: Memos,
}

/// One evaluation.
pub(super) struct Machine<'m> {
    pub(super) program: &'m Program,
    pub(super) record: &'m [u8],
    pub(super) recno: u32,
    pub(super) scratch: &'m mut Scratch,
    /// True if a field that was read is NULL.
    pub(super) null: bool,
    /// Memos by the numbers of their fields in the context, which count more than the file's.
    pub(super) given: &'m [(usize, Vec<u8>)],
}

/// A rule of the compiler was broken.
fn broken() -> Error {
    Error::new(Code::Internal, "an expression was compiled with values of the wrong type")
}

impl Machine<'_> {
    pub(super) fn run(&mut self) -> Result<Slot> {
        self.scratch.stack.clear();
        self.scratch.text.clear();
        let program = self.program;
        // Most keys are one field.
        if let [Op::Field(number)] = program.ops[..] {
            return self.read(number);
        }
        let mut next = 0;
        while let Some(op) = program.ops.get(next) {
            next += 1;
            match *op {
                Op::Push(slot) => self.push(slot),
                Op::Field(number) => {
                    let slot = self.read(number)?;
                    self.push(slot);
                }
                Op::Memo(number, field) => self.memo(number, field)?,
                Op::Call(builtin, arguments) => self.call(builtin, usize::from(arguments))?,
                Op::Binary(operator) => self.binary(operator)?,
                Op::Negate => {
                    let number = self.number()?;
                    self.push(Slot::Number(number.negate()));
                }
                Op::Not => {
                    let value = self.logical()?;
                    self.push(Slot::Logical(!value));
                }
                Op::Jump(target) => next = target,
                Op::JumpIfFalse(target) => {
                    if !self.logical()? {
                        next = target;
                    }
                }
                Op::HoldNull => {
                    let null = std::mem::take(&mut self.null);
                    self.push(Slot::Logical(null));
                }
                Op::JumpUnlessTrue { passes_null, target } => {
                    let is_true = self.logical()? && !self.null;
                    let before = self.logical()?;
                    self.null = before || (self.null && !passes_null);
                    if !is_true {
                        next = target;
                    }
                }
                Op::JumpKeeping(kept, target) => {
                    let value = self.logical()?;
                    if value == kept {
                        self.push(Slot::Logical(value));
                        next = target;
                    }
                }
                Op::IsNull(number) => {
                    let null = program.fields.get(number).ok_or_else(broken)?.is_null(self.record);
                    self.push(Slot::Logical(null));
                }
            }
        }
        self.pop()
    }

    fn read(&mut self, number: usize) -> Result<Slot> {
        let reader = self.program.fields.get(number).ok_or_else(broken)?;
        self.null |= self.program.dialect == Dialect::FoxPro && reader.is_null(self.record);
        Ok(reader.read(self.record))
    }

    /// A reference that leads to nothing sound reads as an empty text.
    fn memo(&mut self, number: usize, field: usize) -> Result<()> {
        let reader = self.program.fields.get(number).ok_or_else(broken)?;
        self.null |= self.program.dialect == Dialect::FoxPro && reader.is_null(self.record);
        let mark = self.mark();
        match (self.given.iter().find(|(known, _)| *known == field), &self.program.memos) {
            (Some((_, given)), _) => self.scratch.text.extend_from_slice(given),
            (None, Memos::In(memo)) => {
                if let Ok(Some(reference)) = memo.reference(reader.cell(self.record)) {
                    let fetched = memo.fetch(&reference, &mut Window::default(), &mut self.scratch.text)?;
                    if fetched != Fetched::Value {
                        self.scratch.text.truncate(mark);
                    }
                }
            }
            (None, _) => return Err(Error::new(Code::Unsupported, "a memo is read where its table is")),
        }
        self.push_text(self.since(mark));
        Ok(())
    }

    fn call(&mut self, builtin: Builtin, arguments: usize) -> Result<()> {
        match builtin {
            Builtin::Deleted => self.push(Slot::Logical(self.program.layout.is_deleted(self.record))),
            Builtin::Recno => self.push(Slot::Number(Number::Integer(i64::from(self.recno)))),
            _ => {
                let known = text::call(self, builtin, arguments)?
                    || numeric::call(self, builtin, arguments)?
                    || calendar::call(self, builtin, arguments)?;
                if !known {
                    return Err(broken());
                }
            }
        }
        Ok(())
    }

    pub(super) fn push(&mut self, slot: Slot) {
        self.scratch.stack.push(slot);
    }

    pub(super) fn pop(&mut self) -> Result<Slot> {
        self.scratch.stack.pop().ok_or_else(broken)
    }

    pub(super) fn text(&mut self) -> Result<Text> {
        match self.pop()? {
            Slot::Text(text) => Ok(text),
            _ => Err(broken()),
        }
    }

    pub(super) fn number(&mut self) -> Result<Number> {
        match self.pop()? {
            Slot::Number(number) => Ok(number),
            _ => Err(broken()),
        }
    }

    pub(super) fn integer(&mut self) -> Result<i64> {
        Ok(self.number()?.as_i64())
    }

    pub(super) fn logical(&mut self) -> Result<bool> {
        match self.pop()? {
            Slot::Logical(value) => Ok(value),
            _ => Err(broken()),
        }
    }

    pub(super) fn push_text(&mut self, text: Text) {
        self.push(Slot::Text(text));
    }

    pub(super) fn push_integer(&mut self, value: i64) {
        self.push(Slot::Number(Number::Integer(value)));
    }

    pub(super) fn push_logical(&mut self, value: bool) {
        self.push(Slot::Logical(value));
    }

    /// The bytes of a text. Fields are checked against the record before the first op runs.
    pub(super) fn bytes(&self, text: Text) -> &[u8] {
        let all = match text.origin {
            Origin::Record => self.record,
            Origin::Constant => &self.program.constants,
            Origin::Scratch => &self.scratch.text,
        };
        all.get(text.start..text.start + text.length).unwrap_or_default()
    }

    /// Where the next text made begins.
    pub(super) fn mark(&self) -> usize {
        self.scratch.text.len()
    }

    /// Everything made since the mark, as a text.
    pub(super) fn since(&self, mark: usize) -> Text {
        Text { origin: Origin::Scratch, start: mark, length: self.scratch.text.len() - mark }
    }

    /// Room for `length` more bytes, or an error: lengths can come from the data.
    pub(super) fn reserve(&self, length: usize) -> Result<()> {
        let most = if matches!(self.program.memos, Memos::None) { MAX_TEXT } else { MOST_OF_MEMOS };
        if length > most || self.scratch.text.len() + length > 4 * most {
            return Err(Error::new(Code::InvalidValue, format!("a text of the expression is over {most} bytes")));
        }
        Ok(())
    }

    pub(super) fn append(&mut self, text: Text) -> Result<()> {
        self.reserve(text.length)?;
        let range = text.start..text.start + text.length;
        match text.origin {
            Origin::Record => self.scratch.text.extend_from_slice(self.record.get(range).unwrap_or_default()),
            Origin::Constant => {
                self.scratch.text.extend_from_slice(self.program.constants.get(range).unwrap_or_default());
            }
            Origin::Scratch if range.end <= self.scratch.text.len() => self.scratch.text.extend_from_within(range),
            Origin::Scratch => return Err(broken()),
        }
        Ok(())
    }

    pub(super) fn append_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.reserve(bytes.len())?;
        self.scratch.text.extend_from_slice(bytes);
        Ok(())
    }

    pub(super) fn fill(&mut self, byte: u8, count: usize) -> Result<()> {
        self.reserve(count)?;
        self.scratch.text.resize(self.scratch.text.len() + count, byte);
        Ok(())
    }

    fn binary(&mut self, operator: Binary) -> Result<()> {
        let (right, left) = (self.pop()?, self.pop()?);
        let slot = match operator {
            Binary::Plus | Binary::Minus => match (left, right) {
                (Slot::Text(left), Slot::Text(right)) => self.join(left, right, operator == Binary::Minus)?,
                _ => numeric::sum(left, right, operator == Binary::Minus).ok_or_else(broken)?,
            },
            Binary::Multiply | Binary::Divide | Binary::Modulo | Binary::Power => match (left, right) {
                (Slot::Number(left), Slot::Number(right)) => {
                    Slot::Number(numeric::product(operator, left, right, self.program.dialect)?)
                }
                _ => return Err(broken()),
            },
            Binary::Contained => match (left, right) {
                (Slot::Text(left), Slot::Text(right)) => {
                    Slot::Logical(text::find(self.bytes(left), self.bytes(right)).is_some())
                }
                _ => return Err(broken()),
            },
            _ => Slot::Logical(self.holds(operator, left, right)?),
        };
        self.push(slot);
        Ok(())
    }

    /// `+` and `-` of texts: `-` moves the blanks at the end of the left one to the end of the result.
    fn join(&mut self, left: Text, right: Text, minus: bool) -> Result<Slot> {
        if left.length == 0 {
            return Ok(Slot::Text(right));
        }
        let kept = if minus { text::trimmed_end(self.bytes(left)).len() } else { left.length };
        // A text that was made last can grow where it is.
        let in_place = matches!(left.origin, Origin::Scratch) && left.start + left.length == self.mark();
        let start = if in_place {
            self.scratch.text.truncate(left.start + kept);
            left.start
        } else {
            let start = self.mark();
            self.append(left.slice(0, kept))?;
            start
        };
        self.append(right)?;
        self.fill(b' ', left.length - kept)?;
        Ok(Slot::Text(self.since(start)))
    }

    /// Returns true if a comparison holds.
    pub(super) fn holds(&self, operator: Binary, left: Slot, right: Slot) -> Result<bool> {
        let order = match (left, right) {
            (Slot::Text(left), Slot::Text(right)) if operator == Binary::ExactlyEqual => {
                Some(self.bytes(left).cmp(self.bytes(right)))
            }
            (Slot::Text(left), Slot::Text(right)) => {
                Some(text::compare(self.bytes(left), self.bytes(right), self.program.exact))
            }
            (Slot::Number(left), Slot::Number(right)) => left.compare(right),
            (Slot::Date(left), Slot::Date(right)) => Some(left.cmp(&right)),
            (Slot::Timestamp(day, ms), Slot::Timestamp(other_day, other_ms)) => {
                Some((day, ms).cmp(&(other_day, other_ms)))
            }
            (Slot::Date(left), Slot::Timestamp(right, ms)) | (Slot::Timestamp(left, ms), Slot::Date(right)) => {
                // The time counts for == only.
                let midnight = ms == 0 || operator != Binary::ExactlyEqual;
                Some(left.cmp(&right).then(if midnight { Ordering::Equal } else { Ordering::Less }))
            }
            (Slot::Logical(left), Slot::Logical(right)) => Some(left.cmp(&right)),
            _ => return Err(broken()),
        };
        Ok(match operator {
            Binary::Equal | Binary::ExactlyEqual => order == Some(Ordering::Equal),
            Binary::NotEqual => order != Some(Ordering::Equal),
            Binary::Less => order == Some(Ordering::Less),
            Binary::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Binary::Greater => order == Some(Ordering::Greater),
            Binary::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            _ => return Err(broken()),
        })
    }
}
