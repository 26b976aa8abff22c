//! A compiled routine.

use super::code::*;
use crate::machine::Cell;
use crate::{FormError, Routine, verify};
use mainstay_types::Value;
use std::any::Any;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A routine, compiled: shared by every machine that runs it, and never changed.
pub struct Program {
    pub(crate) routine: Routine,
    /// A number that no other program of the process has.
    pub(crate) id: u64,
    pub(crate) code: Vec<Instruction>,
    pub(crate) tables: Tables,
    pub(crate) frame: FrameShape,
    /// Where each slot is.
    pub(crate) slots: Vec<Destination>,
    /// Where the result is.
    pub(crate) result: Option<Destination>,
    /// Inner regions before those around them.
    pub(crate) handlers: Vec<Handler>,
    pub(crate) statements: Vec<StatementInfo>,
    /// From which instruction on which statement runs, in order of the instructions.
    pub(crate) marks: Vec<(u32, u32)>,
    /// Data that the host attaches to the program.
    pub(crate) data: Option<Arc<dyn Any + Send + Sync>>,
}

/// Tables that instructions point into.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub cells: Vec<Cell>,
    pub constants: Vec<Value>,
    pub shapes: Vec<DecimalShape>,
    pub converts: Vec<ConvertSite>,
    pub fits: Vec<FitSite>,
    pub concats: Vec<ConcatSite>,
    pub natives: Vec<NativeSite>,
    pub hosts: Vec<HostSite>,
    pub calls: Vec<CallSite>,
    pub switches: Vec<Box<[u32]>>,
    pub dimensions: Vec<DimensionSite>,
    pub elements: Vec<ElementSite>,
}

/// The number of registers of each file in a frame, and the initial values of those of slots.
#[derive(Debug, Default)]
pub(crate) struct FrameShape {
    pub cells: usize,
    pub texts: usize,
    pub bytes: usize,
    pub anys: usize,
    pub arrays: Vec<ArrayShape>,
    /// The first cells.
    pub first_cells: Vec<Cell>,
    /// The first texts: NULL, Text.
    pub first_texts: Vec<Value>,
    /// The first bytes: NULL, Binary.
    pub first_bytes: Vec<Value>,
    /// The first of any kind.
    pub first_anys: Vec<Value>,
}

impl Program {
    /// Verifies a routine and compiles it.
    pub fn compile(routine: Routine) -> Result<Arc<Program>, FormError> {
        verify(&routine)?;
        let program = super::routine(routine)?;
        Ok(Arc::new(program))
    }

    /// The same with something of the host's, which [`Program::data`] gives back: what its statements' numbers mean.
    pub fn compile_with(routine: Routine, data: Arc<dyn Any + Send + Sync>) -> Result<Arc<Program>, FormError> {
        verify(&routine)?;
        let mut program = super::routine(routine)?;
        program.data = Some(data);
        Ok(Arc::new(program))
    }

    /// The data given to [`Program::compile_with`], if it is of this type.
    pub fn data<T: Any>(&self) -> Option<&T> {
        self.data.as_deref()?.downcast_ref()
    }

    /// A number that no other program of this process has or will have: a key for what is kept about it.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The form that it was compiled from.
    pub fn routine(&self) -> &Routine {
        &self.routine
    }

    /// The bytecode as text, an instruction a line, for performance analysis.
    pub fn listing(&self) -> String {
        let mut out = String::new();
        for (pc, instruction) in self.code.iter().enumerate() {
            // Writing to a String does not fail.
            let _ = writeln!(out, "{pc:>5}  line {:<5} {instruction:?}", self.statement(pc).map_or(0, |s| s.line));
        }
        out
    }

    /// A number for a new program.
    pub(super) fn new_id() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    /// The statement that an instruction belongs to.
    pub(crate) fn statement(&self, pc: usize) -> Option<&StatementInfo> {
        let after = self.marks.partition_point(|(from, _)| *from as usize <= pc);
        let (_, statement) = self.marks.get(after.checked_sub(1)?)?;
        self.statements.get(*statement as usize)
    }

    /// The innermost region around an instruction.
    pub(crate) fn handler(&self, pc: usize) -> Option<&Handler> {
        self.handlers.iter().find(|handler| (handler.start as usize..handler.end as usize).contains(&pc))
    }

    /// Where an instruction that can fail writes.
    pub(crate) fn destination(&self, pc: usize) -> Option<Destination> {
        use crate::Type;
        let tables = &self.tables;
        let cell = |place: u16| Some(Destination { ty: Type::I64, place });
        match *self.code.get(pc)? {
            Instruction::AddI32 { to, .. }
            | Instruction::SubtractI32 { to, .. }
            | Instruction::MultiplyI32 { to, .. }
            | Instruction::AddI32Constant { to, .. }
            | Instruction::MultiplyI32Constant { to, .. }
            | Instruction::DivideI32Constant { to, .. }
            | Instruction::RemainderI32Constant { to, .. }
            | Instruction::Integer { to, .. }
            | Instruction::Narrow { to, .. }
            | Instruction::Negate { to, .. }
            | Instruction::Bitwise { to, .. }
            | Instruction::BitNot { to, .. }
            | Instruction::Float { to, .. }
            | Instruction::NegateFloat { to, .. }
            | Instruction::NegateDecimal { to, .. }
            | Instruction::Decimal { to, .. } => cell(to),
            Instruction::Convert { site } => tables.converts.get(site as usize).map(|site| site.to),
            Instruction::Fit { site } => tables.fits.get(site as usize).map(|site| site.to),
            Instruction::Concat { site } => tables.concats.get(site as usize).map(|site| site.to),
            Instruction::LoadElement { site } => {
                let value = tables.elements.get(site as usize)?.value;
                Some(Destination { ty: value.ty, place: value.place })
            }
            Instruction::Native { site } => tables.natives.get(site as usize).map(|site| site.to),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program({})", self.routine.name)
    }
}
