//! Output of the compiler: instructions, labels that are filled in later, registers, and the tables.

use super::code::*;
use super::program::{FrameShape, Program, Tables};
use crate::machine::Cell;
use crate::{File, FormError, LabelId, Routine, Type};
use mainstay_types::Value;

/// A place in the code that may not be known yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Target(usize);

/// A loop that statements are in.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopContext {
    pub on_break: Target,
    pub on_continue: Target,
    pub depth: u16,
}

/// The number of registers taken in each file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken([u16; 4]);

/// A routine while it is compiled.
pub(super) struct Emitter<'a> {
    pub routine: &'a Routine,
    pub code: Vec<Instruction>,
    pub tables: Tables,
    pub handlers: Vec<Handler>,
    pub statements: Vec<StatementInfo>,
    pub marks: Vec<(u32, u32)>,
    pub slots: Vec<Destination>,
    pub result: Option<Destination>,
    pub loops: Vec<LoopContext>,
    /// The statement that all those inside of it count as.
    pub group: Option<usize>,
    /// CATCHes that are open here.
    pub depth: u16,
    /// CATCHes around each label.
    pub label_depths: Vec<u16>,
    targets: Vec<Option<u32>>,
    /// Instructions whose target is a number in `targets` so far.
    fixups: Vec<usize>,
    /// Entries of tables with the same.
    switch_fixups: Vec<(usize, usize, Target)>,
    branch_fixups: Vec<(usize, usize, Target)>,
    taken: Taken,
    most: Taken,
    /// Registers that belong to slots.
    of_slots: Taken,
    too_large: bool,
}

fn number(file: File) -> usize {
    match file {
        File::Cells => 0,
        File::Texts => 1,
        File::Bytes => 2,
        File::Anys => 3,
    }
}

impl<'a> Emitter<'a> {
    pub(super) fn new(routine: &'a Routine) -> Emitter<'a> {
        let mut emitter = Emitter {
            routine,
            code: Vec::new(),
            tables: Tables::default(),
            handlers: Vec::new(),
            statements: Vec::new(),
            marks: Vec::new(),
            slots: Vec::new(),
            result: None,
            loops: Vec::new(),
            group: None,
            depth: 0,
            label_depths: vec![0; routine.labels.len()],
            // The routine's own labels are the first targets.
            targets: vec![None; routine.labels.len()],
            fixups: Vec::new(),
            switch_fixups: Vec::new(),
            branch_fixups: Vec::new(),
            taken: Taken::default(),
            most: Taken::default(),
            of_slots: Taken::default(),
            too_large: false,
        };
        for slot in &routine.slots {
            let place = emitter.temporary(slot.ty);
            emitter.slots.push(Destination { ty: slot.ty, place });
        }
        emitter.result = routine.result.map(|ty| Destination { ty, place: emitter.temporary(ty) });
        emitter.of_slots = emitter.taken;
        emitter
    }

    /// A register that is free until [`Emitter::release`].
    pub(super) fn temporary(&mut self, ty: Type) -> u16 {
        let file = number(ty.file());
        let place = self.taken.0[file];
        if place >= CONSTANT - 1 {
            self.too_large = true;
            return place;
        }
        self.taken.0[file] = place + 1;
        self.most.0[file] = self.most.0[file].max(place + 1);
        place
    }

    /// The registers in use, for [`Emitter::release`].
    pub(super) fn taken(&self) -> Taken {
        self.taken
    }

    /// Frees the registers that were taken since.
    pub(super) fn release(&mut self, taken: Taken) {
        self.taken = taken;
    }

    /// Returns true if a register is a slot's (or the result's), and so seen by others.
    pub(super) fn is_slot(&self, ty: Type, place: u16) -> bool {
        place < self.of_slots.0[number(ty.file())]
    }

    /// The number of the next instruction.
    pub(super) fn here(&self) -> u32 {
        self.code.len() as u32
    }

    pub(super) fn emit(&mut self, instruction: Instruction) {
        self.code.push(instruction);
    }

    /// A target that is not anywhere yet.
    pub(super) fn new_target(&mut self) -> Target {
        self.targets.push(None);
        Target(self.targets.len() - 1)
    }

    /// The target of a label of the routine.
    pub(super) fn label(&self, label: LabelId) -> Target {
        Target(usize::from(label.0))
    }

    /// CATCHes around a label.
    pub(super) fn label_depth(&self, label: LabelId) -> u16 {
        self.label_depths.get(usize::from(label.0)).copied().unwrap_or(0)
    }

    /// Says that a target is here.
    pub(super) fn bind(&mut self, target: Target) {
        let here = self.here();
        if let Some(place) = self.targets.get_mut(target.0) {
            *place = Some(here);
        }
    }

    /// Emits a branch to a target.
    pub(super) fn branch_to(&mut self, mut instruction: Instruction, target: Target) {
        if let Some(place) = instruction.target_mut() {
            *place = target.0 as u32;
            self.fixups.push(self.code.len());
        }
        self.code.push(instruction);
    }

    pub(super) fn jump(&mut self, target: Target) {
        self.branch_to(Instruction::Jump { target: 0 }, target);
    }

    /// A table of targets for [`Instruction::Switch`].
    pub(super) fn switch(&mut self, targets: &[Target]) -> u32 {
        let table = self.tables.switches.len();
        self.switch_fixups.extend(targets.iter().enumerate().map(|(index, target)| (table, index, *target)));
        self.tables.switches.push(vec![0; targets.len()].into());
        table as u32
    }

    /// A statement of the host with branches.
    pub(super) fn host(&mut self, site: HostSite, targets: &[Target]) {
        let number = self.tables.hosts.len();
        self.branch_fixups.extend(targets.iter().enumerate().map(|(index, target)| (number, index, *target)));
        self.tables.hosts.push(site);
        self.emit(Instruction::Host { site: number as u32 });
    }

    /// A constant of a cell.
    pub(super) fn cell_constant(&mut self, cell: Cell) -> u32 {
        let cells = &mut self.tables.cells;
        let found = cells.iter().position(|known| *known == cell);
        found.unwrap_or_else(|| {
            cells.push(cell);
            cells.len() - 1
        }) as u32
    }

    /// A constant of another kind.
    pub(super) fn constant(&mut self, value: &Value) -> u16 {
        let constants = &mut self.tables.constants;
        let found = constants.iter().position(|known| known == value);
        let index = found.unwrap_or_else(|| {
            constants.push(value.clone());
            constants.len() - 1
        });
        if index >= usize::from(CONSTANT) {
            self.too_large = true;
            return 0;
        }
        index as u16
    }

    /// From here on instructions belong to a statement.
    pub(super) fn mark(&mut self, statement: usize) {
        let (here, statement) = (self.here(), statement as u32);
        match self.marks.last_mut() {
            Some((from, last)) if *from == here => *last = statement,
            Some((_, last)) if *last == statement => {}
            _ => self.marks.push((here, statement)),
        }
    }

    /// Fills in the targets.
    fn fix(&mut self) -> Option<()> {
        let resolve = |targets: &[Option<u32>], number: u32| targets.get(number as usize).copied().flatten();
        for pc in std::mem::take(&mut self.fixups) {
            let instruction = self.code.get_mut(pc)?;
            let target = instruction.target_mut()?;
            *target = resolve(&self.targets, *target)?;
            if *target as usize <= pc {
                *instruction = instruction.backwards();
            }
        }
        for (table, index, target) in std::mem::take(&mut self.switch_fixups) {
            *self.tables.switches.get_mut(table)?.get_mut(index)? = resolve(&self.targets, target.0 as u32)?;
        }
        for (site, index, target) in std::mem::take(&mut self.branch_fixups) {
            *self.tables.hosts.get_mut(site)?.branches.get_mut(index)? = resolve(&self.targets, target.0 as u32)?;
        }
        Some(())
    }

    /// The program, without its routine.
    pub(super) fn finish(mut self) -> Result<Unrouted, FormError> {
        let name = self.routine.name.clone();
        if self.too_large || self.code.len() >= NOWHERE as usize {
            return Err(FormError::new(&name, 0, "it needs more registers or constants than a routine may have"));
        }
        self.fix().ok_or_else(|| FormError::new(&name, 0, "a label has no place"))?;
        let frame = self.frame();
        Ok(Unrouted {
            code: self.code,
            tables: self.tables,
            frame,
            slots: self.slots,
            result: self.result,
            handlers: self.handlers,
            statements: self.statements,
            marks: self.marks,
        })
    }

    fn frame(&self) -> FrameShape {
        let [cells, texts, bytes, anys] = self.most.0.map(usize::from);
        let arrays = self.routine.arrays.iter().map(|array| ArrayShape {
            name: array.name.clone(),
            element: array.element,
            first: array.initial.clone(),
            first_cell: Cell::of(array.element, &array.initial.as_ref()).unwrap_or(Cell::NULL),
        });
        let arrays = arrays.collect();
        let mut frame = FrameShape { cells, texts, bytes, anys, arrays, ..FrameShape::default() };
        let mut initial: Vec<&Value> = self.routine.slots.iter().map(|slot| &slot.initial).collect();
        for parameter in &self.routine.parameters {
            // An argument is put over it.
            if let (Some(place), Some(default)) = (initial.get_mut(usize::from(parameter.slot.0)), &parameter.default) {
                *place = default;
            }
        }
        let firsts = self.slots.iter().zip(initial);
        for (to, value) in firsts.chain(self.result.iter().map(|to| (to, &self.routine.default_result))) {
            match to.ty.file() {
                File::Cells => frame.first_cells.push(Cell::of(to.ty, &value.as_ref()).unwrap_or(Cell::NULL)),
                File::Texts => frame.first_texts.push(value.clone()),
                File::Bytes => frame.first_bytes.push(value.clone()),
                File::Anys => frame.first_anys.push(value.clone()),
            }
        }
        frame
    }
}

/// A program that does not own its routine yet.
pub(super) struct Unrouted {
    code: Vec<Instruction>,
    tables: Tables,
    frame: FrameShape,
    slots: Vec<Destination>,
    result: Option<Destination>,
    handlers: Vec<Handler>,
    statements: Vec<StatementInfo>,
    marks: Vec<(u32, u32)>,
}

impl Unrouted {
    pub(super) fn with(self, routine: Routine) -> Program {
        Program {
            routine,
            id: Program::new_id(),
            code: self.code,
            tables: self.tables,
            frame: self.frame,
            slots: self.slots,
            result: self.result,
            handlers: self.handlers,
            statements: self.statements,
            marks: self.marks,
            data: None,
        }
    }
}
