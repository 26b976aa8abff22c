//! Expressions: compiled into a given register, or used in place.
//!
//! [`Emitter::operand`] returns the place of a value: a slot's own register, a constant, or a register taken for it.
//! [`Emitter::into`] puts it into a given one. An operation writes its register last, after reading its operands; those
//! that write it more than once (COALESCE, AND and OR as values) use a temporary register, so that an assigned slot
//! never has an intermediate value.

use super::code::*;
use super::condition::{compares_as_integer, outcomes, small_constant};
use super::emit::Emitter;
use crate::machine::Cell;
use crate::*;
use mainstay_types::Value;

impl Emitter<'_> {
    /// Where the value of an expression is.
    pub(super) fn operand(&mut self, expression: &Expression) -> Operand {
        let ty = expression.ty;
        let expression = without_widening(expression);
        match &expression.kind {
            ExpressionKind::Slot(slot) => match self.slots.get(usize::from(slot.0)) {
                Some(place) => return Operand { ty, place: place.place },
                None => return Operand { ty, place: 0 },
            },
            ExpressionKind::Constant(value @ (Value::Text(_) | Value::Binary(_)))
                if matches!(expression.ty.file(), File::Texts | File::Bytes) =>
            {
                return Operand { ty, place: self.constant(value) | CONSTANT };
            }
            _ => {}
        }
        let place = self.temporary(expression.ty);
        self.into(expression, place);
        Operand { ty, place }
    }

    /// Puts the value of an expression into a register.
    pub(super) fn into(&mut self, expression: &Expression, to: u16) {
        let expression = without_widening(expression);
        let taken = self.taken();
        let ty = expression.ty;
        match &expression.kind {
            ExpressionKind::Constant(value) => self.load(ty, value, to),
            ExpressionKind::Slot(slot) => {
                let from = self.slots.get(usize::from(slot.0)).map_or(0, |slot| slot.place);
                self.move_value(ty, to, from);
            }
            ExpressionKind::Negate(value) => self.negate(ty, value, to),
            ExpressionKind::BitNot(value) => self.bit_not(ty, value, to),
            ExpressionKind::Arithmetic { op, rounding, left, right } => {
                self.arithmetic(ty, *op, *rounding, (left, right), to);
            }
            ExpressionKind::Bitwise { op, left, right } => self.bitwise(ty, *op, (left, right), to),
            ExpressionKind::Compare { op, left, right, .. } => self.compare(expression, *op, (left, right), to),
            ExpressionKind::IsNull(value) => self.is_null_of(value, to),
            ExpressionKind::Not(value) => self.not(value, to),
            ExpressionKind::And(left, right) => self.logic(false, left, right, to),
            ExpressionKind::Or(left, right) => self.logic(true, left, right, to),
            ExpressionKind::Case { arms, otherwise } => self.case(ty, arms, otherwise.as_deref(), to),
            ExpressionKind::Coalesce(list) => self.coalesce(ty, list, to),
            ExpressionKind::Convert { value, rounding } => self.convert(ty, value, *rounding, to),
            ExpressionKind::Fit { .. } => self.fit(expression, to),
            ExpressionKind::Concat { .. } => self.concat(expression, to),
            ExpressionKind::Native { function, arguments } => {
                self.native(ty, NativeSiteFunction::Plain(*function), arguments, to);
            }
            ExpressionKind::Operation { operation, arguments } => {
                self.native(ty, NativeSiteFunction::Operation(operation.clone()), arguments, to);
            }
            ExpressionKind::Element { array, indexes } => self.element(ty, *array, indexes, to),
            ExpressionKind::HostCall { statement, arguments, .. } => self.host_call(ty, *statement, arguments, to),
            ExpressionKind::Call(call) => self.call(call, Some(Destination { ty, place: to }), true),
        }
        self.release(taken);
    }

    fn fit(&mut self, expression: &Expression, to: u16) {
        if let ExpressionKind::Fit { value, unit, pad, strict } = &expression.kind {
            let (from, site) = (self.operand(value), self.tables.fits.len() as u32);
            let to = Destination { ty: expression.ty, place: to };
            self.tables.fits.push(FitSite { from, to, unit: *unit, pad: *pad, strict: *strict });
            self.emit(Instruction::Fit { site });
        }
    }

    fn concat(&mut self, expression: &Expression, to: u16) {
        if let ExpressionKind::Concat { parts, null_as_empty, unit } = &expression.kind {
            let parts: Box<[Operand]> = parts.iter().map(|part| self.operand(part)).collect();
            let appends = matches!(&*parts, [first, rest @ ..]
                if first.place == to && rest.iter().all(|part| part.place != to));
            let (site, to) = (self.tables.concats.len() as u32, Destination { ty: expression.ty, place: to });
            let null_as_empty = *null_as_empty;
            self.tables.concats.push(ConcatSite { parts, to, null_as_empty, unit: *unit, appends });
            self.emit(Instruction::Concat { site });
        }
    }

    fn native(&mut self, ty: Type, function: NativeSiteFunction, arguments: &[Expression], to: u16) {
        let arguments = arguments.iter().map(|argument| self.operand(argument)).collect();
        let (site, to) = (self.tables.natives.len() as u32, Destination { ty, place: to });
        self.tables.natives.push(NativeSite { function, arguments, to });
        self.emit(Instruction::Native { site });
    }

    fn host_call(&mut self, ty: Type, statement: StatementId, arguments: &[Expression], to: u16) {
        let inputs = arguments.iter().map(|argument| self.operand(argument)).collect();
        let (outputs, branches) = (Box::new([Destination { ty, place: to }]), Box::new([]));
        self.host(HostSite { statement, inputs, outputs, branches }, &[]);
    }

    fn element(&mut self, ty: Type, array: ArrayId, indexes: &[Expression], to: u16) {
        let indexes = indexes.iter().map(|index| self.operand(index)).collect();
        let (value, site) = (Operand { ty, place: to }, self.tables.elements.len() as u32);
        self.tables.elements.push(ElementSite { array: array.0, indexes, value });
        self.emit(Instruction::LoadElement { site });
    }

    /// A constant into a register.
    fn load(&mut self, ty: Type, value: &Value, to: u16) {
        match (ty.file(), value) {
            (File::Cells, value) => {
                let cell = Cell::of(ty, &value.as_ref()).unwrap_or(Cell::NULL);
                match i32::try_from(cell.as_integer()) {
                    Ok(value) if cell.high == 0 => self.emit(Instruction::LoadInteger { to, value }),
                    _ => {
                        let constant = self.cell_constant(cell);
                        self.emit(Instruction::LoadCell { to, constant });
                    }
                }
            }
            (File::Anys, value) => {
                let constant = self.constant(value);
                self.emit(Instruction::LoadAny { to, constant });
            }
            (file, Value::Null) => self.emit(Instruction::NullLong { file, to }),
            (file, value) => {
                let from = self.constant(value) | CONSTANT;
                self.emit(Instruction::MoveLong { file, to, from });
            }
        }
    }

    fn move_value(&mut self, ty: Type, to: u16, from: u16) {
        match ty.file() {
            _ if to == from => {}
            File::Cells => self.emit(Instruction::Move { to, from }),
            file => self.emit(Instruction::MoveLong { file, to, from }),
        }
    }

    /// The same for a register that is not read afterwards: buffers are swapped.
    fn take_value(&mut self, ty: Type, to: u16, from: u16) {
        match ty.file() {
            File::Cells => self.move_value(ty, to, from),
            file => self.emit(Instruction::TakeLong { file, to, from }),
        }
    }

    pub(super) fn is_null(&mut self, to: u16, a: Operand) {
        match a.ty.file() {
            File::Cells => self.emit(Instruction::IsNullCell { to, a: a.place }),
            // A constant of text is not NULL.
            _ if a.place & CONSTANT != 0 => self.emit(Instruction::LoadInteger { to, value: 0 }),
            file => self.emit(Instruction::IsNull { file, to, a: a.place }),
        }
    }

    fn is_null_of(&mut self, value: &Expression, to: u16) {
        let a = self.operand(value);
        self.is_null(to, a);
    }

    fn not(&mut self, value: &Expression, to: u16) {
        let a = self.operand(value).place;
        self.emit(Instruction::Not { to, a });
    }

    fn bit_not(&mut self, ty: Type, value: &Expression, to: u16) {
        let (a, width) = (self.operand(value).place, ty.width().unwrap_or(Width::I64));
        self.emit(Instruction::BitNot { width, to, a });
    }

    fn bitwise(&mut self, ty: Type, op: BitwiseOp, (left, right): (&Expression, &Expression), to: u16) {
        let width = ty.width().unwrap_or(Width::I64);
        let (a, b) = (self.operand(left).place, self.operand(right).place);
        self.emit(Instruction::Bitwise { op, width, to, a, b });
    }

    fn negate(&mut self, ty: Type, value: &Expression, to: u16) {
        let a = self.operand(value).place;
        self.emit(match ty {
            Type::Integer(width) => Instruction::Negate { width, to, a },
            Type::Decimal { .. } => Instruction::NegateDecimal { to, a },
            _ => Instruction::NegateFloat { to, a },
        });
    }

    fn arithmetic(
        &mut self,
        ty: Type,
        op: ArithmeticOp,
        rounding: Rounding,
        (left, right): (&Expression, &Expression),
        to: u16,
    ) {
        match ty {
            Type::Integer(width) => self.integer_arithmetic(width, op, left, right, to),
            Type::Decimal { precision, scale } => {
                let scale_of = |expression: &Expression| match expression.ty {
                    Type::Decimal { scale, .. } => scale,
                    _ => 0,
                };
                let (left_scale, right_scale) = (scale_of(left), scale_of(right));
                let wanted = DecimalShape { left_scale, right_scale, precision, scale, rounding };
                let (a, b) = (self.operand(left).place, self.operand(right).place);
                let shapes = &mut self.tables.shapes;
                let shape = shapes.iter().position(|known| *known == wanted).unwrap_or_else(|| {
                    shapes.push(wanted);
                    shapes.len() - 1
                }) as u16;
                self.emit(Instruction::Decimal { op, shape, to, a, b });
            }
            _ => {
                let (a, b) = (self.operand(left).place, self.operand(right).place);
                self.emit(Instruction::Float { op, real: ty == Type::Real, to, a, b });
            }
        }
    }

    fn integer_arithmetic(&mut self, width: Width, op: ArithmeticOp, left: &Expression, right: &Expression, to: u16) {
        let within_i32 = |expression: &Expression| expression.ty.width().is_some_and(|w| Width::I32.includes(w));
        let narrow = width == Width::I32 && within_i32(left) && within_i32(right);
        if narrow && let Some(value) = small_constant(right) {
            let a = self.operand(left).place;
            let instruction = match op {
                ArithmeticOp::Add => Some(Instruction::AddI32Constant { to, a, value }),
                ArithmeticOp::Subtract => value.checked_neg().map(|value| Instruction::AddI32Constant { to, a, value }),
                ArithmeticOp::Multiply => Some(Instruction::MultiplyI32Constant { to, a, value }),
                // Zero faults, and -1 may overflow.
                ArithmeticOp::Divide if value > 0 => Some(Instruction::DivideI32Constant { to, a, value }),
                ArithmeticOp::Remainder if value > 0 => Some(Instruction::RemainderI32Constant { to, a, value }),
                _ => None,
            };
            if let Some(instruction) = instruction {
                return self.emit(instruction);
            }
        }
        let (a, b) = (self.operand(left).place, self.operand(right).place);
        self.emit(match op {
            ArithmeticOp::Add if narrow => Instruction::AddI32 { to, a, b },
            ArithmeticOp::Subtract if narrow => Instruction::SubtractI32 { to, a, b },
            ArithmeticOp::Multiply if narrow => Instruction::MultiplyI32 { to, a, b },
            _ => Instruction::Integer { op, width, to, a, b },
        });
    }

    fn compare(&mut self, comparison: &Expression, op: CompareOp, (left, right): (&Expression, &Expression), to: u16) {
        let mask = outcomes(op);
        if compares_as_integer(left.ty) {
            let (a, b) = (self.operand(left).place, self.operand(right).place);
            self.emit(Instruction::SetCompare { mask, to, a, b });
        } else {
            let a = self.temporary(Type::Boolean);
            self.order(comparison, a);
            self.emit(Instruction::SetMask { mask, to, a });
        }
    }

    /// The outcome of a comparison that is not of whole numbers: 0 less, 1 equal, 2 greater, or NULL.
    pub(super) fn order(&mut self, comparison: &Expression, to: u16) {
        let ExpressionKind::Compare { left, right, collation, pads, .. } = &comparison.kind else { return };
        let (collation, pads) = (*collation, *pads);
        let (a, b) = (self.operand(left).place, self.operand(right).place);
        self.emit(match (left.ty, right.ty) {
            (Type::Decimal { scale: left_scale, .. }, Type::Decimal { scale: right_scale, .. }) => {
                Instruction::OrderDecimal { left_scale, right_scale, to, a, b }
            }
            (Type::Text { .. }, _) => Instruction::OrderText { collation, pads, to, a, b },
            (Type::Bytes { .. }, _) => Instruction::OrderBytes { pads, to, a, b },
            (Type::TimestampWithOffset, _) => Instruction::OrderOffset { to, a, b },
            (Type::Uuid, _) => Instruction::OrderUuid { to, a, b },
            _ => Instruction::OrderFloat { to, a, b },
        });
    }

    /// AND and OR as values.
    fn logic(&mut self, decides: bool, left: &Expression, right: &Expression, to: u16) {
        let result = self.temporary(Type::Boolean);
        let after = self.new_target();
        self.into(left, result);
        let mask = if decides { TRUE } else { FALSE };
        self.branch_to(Instruction::JumpMask { mask, a: result, target: 0 }, after);
        let b = self.operand(right).place;
        self.emit(if decides {
            Instruction::Or { to: result, a: result, b }
        } else {
            Instruction::And { to: result, a: result, b }
        });
        self.bind(after);
        self.emit(Instruction::Move { to, from: result });
    }

    fn case(&mut self, ty: Type, arms: &[(Expression, Expression)], otherwise: Option<&Expression>, to: u16) {
        let after = self.new_target();
        for (condition, value) in arms {
            let next = self.new_target();
            self.branch(condition, false, true, next);
            self.into(value, to);
            self.jump(after);
            self.bind(next);
        }
        match otherwise {
            Some(value) => self.into(value, to),
            None => self.load(ty, &Value::Null, to),
        }
        self.bind(after);
    }

    fn coalesce(&mut self, ty: Type, list: &[Expression], to: u16) {
        let after = self.new_target();
        let result = if self.is_slot(ty, to) { self.temporary(ty) } else { to };
        for (index, value) in list.iter().enumerate() {
            self.into(value, result);
            if index + 1 < list.len() {
                if ty.file() == File::Cells {
                    self.branch_to(Instruction::JumpNotNull { a: result, target: 0 }, after);
                } else {
                    let taken = self.taken();
                    let flag = self.temporary(Type::Boolean);
                    self.is_null(flag, Operand { ty, place: result });
                    self.release(taken);
                    self.branch_to(Instruction::JumpMask { mask: FALSE, a: flag, target: 0 }, after);
                }
            }
        }
        self.bind(after);
        if result != to {
            self.take_value(ty, to, result);
        }
    }

    fn convert(&mut self, ty: Type, value: &Expression, rounding: Rounding, to: u16) {
        let from = self.operand(value);
        match (from.ty, ty) {
            (Type::Integer(_), Type::Integer(width)) => self.emit(Instruction::Narrow { width, to, a: from.place }),
            _ => {
                let site = self.tables.converts.len() as u32;
                self.tables.converts.push(ConvertSite { from, to: Destination { ty, place: to }, rounding });
                self.emit(Instruction::Convert { site });
            }
        }
    }

    /// A call of a routine.
    pub(super) fn call(&mut self, call: &Call, result: Option<Destination>, is_function: bool) {
        let callee = match &call.callee {
            Callee::Dynamic(name) => CalleeSite::Dynamic(self.operand(name)),
            Callee::Named(name) => CalleeSite::Named(name.clone()),
        };
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            let (value, back) = match &argument.value {
                ArgumentValue::Value(value) => (Some(self.operand(value)), None),
                ArgumentValue::InOut(slot) => match self.slots.get(usize::from(slot.0)).copied() {
                    Some(place) => (Some(place.into()), Some((place, slot.0))),
                    None => (None, None),
                },
                ArgumentValue::Default => (None, None),
            };
            arguments.push(ArgumentSite { name: argument.name.as_deref().map(Box::from), value, back });
        }
        let site = self.tables.calls.len() as u32;
        self.tables.calls.push(CallSite { callee, arguments: arguments.into(), result, is_function });
        self.emit(Instruction::Call { site });
    }
}

/// The operand of a conversion that changes only the type: the cell of a narrow number is that of a wide one.
fn without_widening(mut expression: &Expression) -> &Expression {
    while let ExpressionKind::Convert { value, .. } = &expression.kind {
        match (value.ty, expression.ty) {
            (Type::Integer(narrow), Type::Integer(wide)) if wide.includes(narrow) => expression = value,
            (from, to) if from == to => expression = value,
            _ => break,
        }
    }
    expression
}
