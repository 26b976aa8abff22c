//! Verification of a form: checks once everything that the compiler and the machine rely on, and reports errors with
//! their place.
//!
//! - every slot, label and parameter that is named is there; types have a sensible precision;
//! - every node has the operands that its operation takes ([`expression`]);
//! - BREAK, CONTINUE and RETHROW stand where they mean something;
//! - no branch leads into a TRY or CATCH from outside it: *regions* are numbered as they are met, and the region of a
//!   label must be one of those around the branch;
//! - nothing is nested so deeply that walking over it would need too much stack.

mod expression;

use crate::*;
use std::fmt;
use std::sync::Arc;

/// The greatest depth to which statements nest.
const STATEMENT_DEPTH: usize = 200;
/// The greatest depth to which expressions nest.
const EXPRESSION_DEPTH: usize = 300;
/// The most subscripts of an array.
const SUBSCRIPTS: usize = 8;
/// The most slots of a routine.
const SLOTS: usize = 30_000;

/// An error of a form, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormError {
    /// The routine.
    pub routine: Arc<str>,
    /// The line of the source; 0 if it is about the whole routine.
    pub line: u32,
    /// The text of the error.
    pub message: String,
}

impl FormError {
    pub(crate) fn new(routine: &Arc<str>, line: u32, message: impl Into<String>) -> FormError {
        FormError { routine: routine.clone(), line, message: message.into() }
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: {}", self.routine, self.line, self.message)
    }
}

impl std::error::Error for FormError {}

/// Checks a form.
pub fn verify(routine: &Routine) -> Result<(), FormError> {
    let mut verifier = Verifier {
        routine,
        line: 0,
        regions: vec![0],
        next_region: 1,
        loops: 0,
        catches: 0,
        has_try: false,
        has_handler: false,
        labels: vec![None; routine.labels.len()],
        branches: Vec::new(),
    };
    verifier.head()?;
    verifier.statements(&routine.body, 0)?;
    verifier.ends()
}

type Checked = Result<(), FormError>;

/// A branch that was met: its line, its label, the regions around it, and whether the label must be in the same region.
struct Branch {
    line: u32,
    label: LabelId,
    regions: Vec<u32>,
    same: bool,
}

struct Verifier<'a> {
    routine: &'a Routine,
    line: u32,
    /// The regions around this place, outermost first.
    regions: Vec<u32>,
    next_region: u32,
    loops: usize,
    catches: usize,
    has_try: bool,
    has_handler: bool,
    /// The region of each label that was met.
    labels: Vec<Option<u32>>,
    branches: Vec<Branch>,
}

impl Verifier<'_> {
    fn error<T>(&self, message: impl Into<String>) -> Result<T, FormError> {
        Err(FormError::new(&self.routine.name, self.line, message))
    }

    /// Checks the declarations before the first statement.
    fn head(&self) -> Checked {
        let routine = self.routine;
        if routine.slots.len() > SLOTS || routine.labels.len().max(routine.arrays.len()) > usize::from(u16::MAX) {
            return self.error("it has too many slots or labels");
        }
        for slot in &routine.slots {
            self.sensible(slot.ty)?;
            if !slot.ty.admits(&slot.initial) {
                return self.error(format!("slot {} cannot begin as {}", slot.name, slot.initial));
            }
        }
        for array in &routine.arrays {
            self.sensible(array.element)?;
            let storable = matches!(array.element.file(), crate::File::Cells | crate::File::Texts);
            if !storable || !array.element.admits(&array.initial) {
                return self.error(format!("array {} cannot have {} of {}", array.name, array.initial, array.element));
            }
        }
        let mut taken = vec![false; routine.slots.len()];
        for (index, parameter) in routine.parameters.iter().enumerate() {
            let slot = self.slot(parameter.slot)?;
            if std::mem::replace(&mut taken[usize::from(parameter.slot.0)], true) {
                return self.error(format!("parameter {} has the slot of another", index + 1));
            }
            match &parameter.default {
                Some(default) if !slot.ty.admits(default) => {
                    return self.error(format!("{default} cannot be the default of {}", slot.name));
                }
                _ => {}
            }
        }
        match routine.result {
            Some(ty) => {
                self.sensible(ty)?;
                match ty.admits(&routine.default_result) {
                    true => Ok(()),
                    false => self.error(format!("{} cannot be a result of type {ty}", routine.default_result)),
                }
            }
            None => Ok(()),
        }
    }

    fn sensible(&self, ty: Type) -> Checked {
        match ty {
            Type::Decimal { precision, scale } if !(1..=38).contains(&precision) || scale > precision => {
                self.error(format!("there is no type {ty}"))
            }
            _ => Ok(()),
        }
    }

    fn slot(&self, slot: SlotId) -> Result<&Slot, FormError> {
        match self.routine.slots.get(usize::from(slot.0)) {
            Some(slot) => Ok(slot),
            None => self.error(format!("there is no slot {}", slot.0)),
        }
    }

    fn array(&self, array: ArrayId) -> Result<&ArraySlot, FormError> {
        match self.routine.arrays.get(usize::from(array.0)) {
            Some(array) => Ok(array),
            None => self.error(format!("there is no array {}", array.0)),
        }
    }

    fn subscript(&self, index: &Expression) -> Checked {
        self.expression(index, 0)?;
        self.is_subscript(index)
    }

    fn is_subscript(&self, index: &Expression) -> Checked {
        match index.ty {
            Type::Integer(_) => Ok(()),
            other => self.error(format!("{other} is no subscript")),
        }
    }

    fn statements(&mut self, statements: &[Statement], depth: usize) -> Checked {
        if depth > STATEMENT_DEPTH {
            return self.error(format!("statements are nested deeper than {STATEMENT_DEPTH}"));
        }
        statements.iter().try_for_each(|statement| self.statement(statement, depth))
    }

    fn statement(&mut self, statement: &Statement, depth: usize) -> Checked {
        self.line = statement.line;
        match &statement.kind {
            StatementKind::Block(body) | StatementKind::Group(body) => self.statements(body, depth + 1),
            StatementKind::If { condition, then, otherwise } => {
                self.typed(condition, Type::Boolean)?;
                self.statements(then, depth + 1)?;
                self.statements(otherwise, depth + 1)
            }
            StatementKind::While { condition, body } => {
                self.typed(condition, Type::Boolean)?;
                self.in_loop(body, depth)
            }
            StatementKind::Loop(body) => self.in_loop(body, depth),
            StatementKind::Try { body, catch } => {
                self.has_try = true;
                self.in_region(body, depth)?;
                self.catches += 1;
                let checked = self.in_region(catch, depth);
                self.catches -= 1;
                checked
            }
            StatementKind::Label(label) => self.define(*label),
            StatementKind::Goto(label) => self.branch(*label, false),
            StatementKind::Switch { index, labels } => {
                self.expression(index, 0)?;
                if !matches!(index.ty, Type::Integer(_)) {
                    return self.error(format!("a switch goes by a whole number, not by {}", index.ty));
                }
                labels.iter().try_for_each(|label| self.branch(*label, false))
            }
            StatementKind::Gosub(label) => self.branch(*label, true),
            StatementKind::SetHandler(label) => {
                self.has_handler = true;
                label.map_or(Ok(()), |label| self.branch(label, true))
            }
            StatementKind::Host { inputs, outputs, branches, .. } => {
                inputs.iter().try_for_each(|input| self.expression(input, 0))?;
                outputs.iter().try_for_each(|slot| self.slot(*slot).map(|_| ()))?;
                branches.iter().try_for_each(|label| self.branch(*label, false))
            }
            simple => self.simple(simple),
        }
    }

    fn simple(&mut self, kind: &StatementKind) -> Checked {
        match kind {
            StatementKind::Assign { target, value } => {
                self.expression(value, 0)?;
                let target = self.slot(*target)?;
                self.assignable(value.ty, target.ty)
            }
            StatementKind::Dimension { array, bounds } => {
                self.array(*array)?;
                if !(1..=SUBSCRIPTS).contains(&bounds.len()) {
                    return self.error(format!("an array has 1 to {SUBSCRIPTS} subscripts"));
                }
                bounds.iter().try_for_each(|(least, most)| {
                    self.subscript(least)?;
                    self.subscript(most)
                })
            }
            StatementKind::AssignElement { array, indexes, value } => {
                indexes.iter().try_for_each(|index| self.subscript(index))?;
                self.expression(value, 0)?;
                let element = self.array(*array)?.element;
                self.assignable(value.ty, element)
            }
            StatementKind::Evaluate(value) => self.expression(value, 0),
            StatementKind::Break | StatementKind::Continue if self.loops == 0 => {
                self.error("BREAK or CONTINUE outside a loop")
            }
            StatementKind::Rethrow if self.catches == 0 => self.error("RETHROW outside a CATCH"),
            StatementKind::Resume(_) => {
                self.has_handler = true;
                Ok(())
            }
            StatementKind::Return(Some(value)) => {
                self.expression(value, 0)?;
                match self.routine.result {
                    Some(result) => self.assignable(value.ty, result),
                    None => self.error("a routine without a result returns one"),
                }
            }
            StatementKind::Call { call, result } => {
                self.call(call, 0)?;
                result.map_or(Ok(()), |slot| self.slot(slot).map(|_| ()))
            }
            _ => Ok(()),
        }
    }

    fn in_loop(&mut self, body: &[Statement], depth: usize) -> Checked {
        self.loops += 1;
        let checked = self.statements(body, depth + 1);
        self.loops -= 1;
        checked
    }

    fn in_region(&mut self, body: &[Statement], depth: usize) -> Checked {
        self.regions.push(self.next_region);
        self.next_region += 1;
        let checked = self.statements(body, depth + 1);
        self.regions.pop();
        checked
    }

    fn define(&mut self, label: LabelId) -> Checked {
        let region = self.regions.last().copied();
        match self.labels.get_mut(usize::from(label.0)) {
            None => self.error(format!("there is no label {}", label.0)),
            Some(place @ None) => {
                *place = region;
                Ok(())
            }
            Some(Some(_)) => self.error(format!("label {} is there twice", self.label_name(label))),
        }
    }

    fn label_name(&self, label: LabelId) -> &str {
        self.routine.labels.get(usize::from(label.0)).map_or("?", String::as_str)
    }

    fn branch(&mut self, label: LabelId, same: bool) -> Checked {
        self.branches.push(Branch { line: self.line, label, regions: self.regions.clone(), same });
        Ok(())
    }

    /// Checks that need the whole routine.
    fn ends(mut self) -> Checked {
        self.line = 0;
        if self.has_try && self.has_handler {
            return self.error("TRY and ON ERROR do not go together in one routine");
        }
        for branch in std::mem::take(&mut self.branches) {
            self.line = branch.line;
            let name = self.label_name(branch.label).to_owned();
            let Some(region) = self.labels.get(usize::from(branch.label.0)).copied().flatten() else {
                return self.error(format!("label {name} is nowhere"));
            };
            let allowed =
                if branch.same { branch.regions.last() == Some(&region) } else { branch.regions.contains(&region) };
            if !allowed {
                return self.error(format!("a branch to {name} leads into a TRY or CATCH, or calls out of one"));
            }
        }
        Ok(())
    }
}
