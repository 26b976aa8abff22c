//! The form as text, for `.explain` and for tests: one statement a line, the line of the source before it.
//!
//! ```text
//!   routine add_order(@id i32 in, @total decimal(10,2) out) -> i32
//!     slot @n i32 "int" = 0
//!      4  while (@n < 10)
//!      5    @n := (@n + 1)
//! ```
//!
//! Types are printed where they matter: at conversions, and at decimals, whose scale decides.

use super::*;
use std::fmt::{self, Formatter};

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "routine {}(", self.name)?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            let way = match parameter.direction {
                Direction::In => "in",
                Direction::Out => "out",
                Direction::InOut => "in-out",
            };
            let comma = if index == 0 { "" } else { ", " };
            match self.slots.get(usize::from(parameter.slot.0)) {
                Some(slot) => write!(f, "{comma}{} {} {way}", slot.name, slot.ty)?,
                None => write!(f, "{comma}slot {} {way}", parameter.slot.0)?,
            }
            if let Some(default) = &parameter.default {
                write!(f, " = {default}")?;
            }
        }
        f.write_str(")")?;
        if let Some(result) = self.result {
            write!(f, " -> {result}")?;
        }
        f.write_str(if self.scoped { ", scoped\n" } else { "\n" })?;
        let is_parameter = |index: usize| self.parameters.iter().any(|p| usize::from(p.slot.0) == index);
        for (_, slot) in self.slots.iter().enumerate().filter(|(index, _)| !is_parameter(*index)) {
            write!(f, "  slot {} {}", slot.name, slot.ty)?;
            if !slot.declared.is_empty() {
                write!(f, " \"{}\"", slot.declared)?;
            }
            if slot.initial != Value::Null {
                write!(f, " = {}", slot.initial)?;
            }
            f.write_str("\n")?;
        }
        for array in &self.arrays {
            writeln!(f, "  array {} {} = {}", array.name, array.element, array.initial)?;
        }
        Printer { routine: self }.statements(f, &self.body, 0)
    }
}

/// Prints statements and expressions with the names of their routine.
struct Printer<'a> {
    routine: &'a Routine,
}

impl Printer<'_> {
    fn statements(&self, f: &mut Formatter<'_>, statements: &[Statement], depth: usize) -> fmt::Result {
        statements.iter().try_for_each(|statement| self.statement(f, statement, depth))
    }

    fn line(&self, f: &mut Formatter<'_>, line: u32, depth: usize, text: fmt::Arguments<'_>) -> fmt::Result {
        writeln!(f, "{line:>6}  {:indent$}{text}", "", indent = depth * 2)
    }

    fn statement(&self, f: &mut Formatter<'_>, statement: &Statement, depth: usize) -> fmt::Result {
        let line = statement.line;
        match &statement.kind {
            StatementKind::Block(body) => {
                self.line(f, line, depth, format_args!("block"))?;
                self.statements(f, body, depth + 1)
            }
            StatementKind::Group(body) => {
                self.line(f, line, depth, format_args!("group"))?;
                self.statements(f, body, depth + 1)
            }
            StatementKind::If { condition, then, otherwise } => {
                self.line(f, line, depth, format_args!("if {}", self.show(condition)))?;
                self.statements(f, then, depth + 1)?;
                if otherwise.is_empty() {
                    return Ok(());
                }
                self.line(f, line, depth, format_args!("else"))?;
                self.statements(f, otherwise, depth + 1)
            }
            StatementKind::While { condition, body } => {
                self.line(f, line, depth, format_args!("while {}", self.show(condition)))?;
                self.statements(f, body, depth + 1)
            }
            StatementKind::Loop(body) => {
                self.line(f, line, depth, format_args!("loop"))?;
                self.statements(f, body, depth + 1)
            }
            StatementKind::Try { body, catch } => {
                self.line(f, line, depth, format_args!("try"))?;
                self.statements(f, body, depth + 1)?;
                self.line(f, line, depth, format_args!("catch"))?;
                self.statements(f, catch, depth + 1)
            }
            simple => self.line(f, line, depth, format_args!("{}", Simple { printer: self, kind: simple })),
        }
    }

    fn show<'a>(&'a self, expression: &'a Expression) -> Shown<'a> {
        Shown { printer: self, expression }
    }

    fn slot_name(&self, slot: SlotId) -> String {
        match self.routine.slots.get(usize::from(slot.0)) {
            Some(slot) => slot.name.clone(),
            None => format!("slot#{}", slot.0),
        }
    }

    fn label_name(&self, label: LabelId) -> String {
        match self.routine.labels.get(usize::from(label.0)) {
            Some(name) => name.clone(),
            None => format!("label#{}", label.0),
        }
    }

    fn array_name(&self, array: ArrayId) -> String {
        match self.routine.arrays.get(usize::from(array.0)) {
            Some(array) => array.name.to_string(),
            None => format!("array#{}", array.0),
        }
    }

    fn label_names(&self, labels: &[LabelId]) -> String {
        labels.iter().map(|label| self.label_name(*label)).collect::<Vec<_>>().join(", ")
    }

    fn call(&self, f: &mut Formatter<'_>, call: &Call) -> fmt::Result {
        match &call.callee {
            Callee::Named(name) => write!(f, "{name}(")?,
            Callee::Dynamic(name) => write!(f, "[{}](", self.show(name))?,
        }
        for (index, argument) in call.arguments.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            if let Some(name) = &argument.name {
                write!(f, "{name} = ")?;
            }
            match &argument.value {
                ArgumentValue::Value(value) => write!(f, "{}", self.show(value))?,
                ArgumentValue::InOut(slot) => write!(f, "in-out {}", self.slot_name(*slot))?,
                ArgumentValue::Default => f.write_str("default")?,
            }
        }
        f.write_str(")")
    }

    fn list(&self, f: &mut Formatter<'_>, before: &str, list: &[Expression], after: &str) -> fmt::Result {
        f.write_str(before)?;
        for (index, item) in list.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { ", " }, self.show(item))?;
        }
        f.write_str(after)
    }
}

/// A statement without others in it.
struct Simple<'a> {
    printer: &'a Printer<'a>,
    kind: &'a StatementKind,
}

impl fmt::Display for Simple<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let printer = self.printer;
        match self.kind {
            StatementKind::Assign { target, value } => {
                write!(f, "{} := {}", printer.slot_name(*target), printer.show(value))
            }
            StatementKind::Dimension { array, bounds } => {
                write!(f, "dimension {}", printer.array_name(*array))?;
                for (index, (least, most)) in bounds.iter().enumerate() {
                    let comma = if index == 0 { "[" } else { ", " };
                    write!(f, "{comma}{} to {}", printer.show(least), printer.show(most))?;
                }
                f.write_str("]")
            }
            StatementKind::AssignElement { array, indexes, value } => {
                f.write_str(&printer.array_name(*array))?;
                printer.list(f, "[", indexes, "]")?;
                write!(f, " := {}", printer.show(value))
            }
            StatementKind::Evaluate(value) => write!(f, "evaluate {}", printer.show(value)),
            StatementKind::Break => f.write_str("break"),
            StatementKind::Continue => f.write_str("continue"),
            StatementKind::Label(label) => write!(f, "{}:", printer.label_name(*label)),
            StatementKind::Goto(label) => write!(f, "goto {}", printer.label_name(*label)),
            StatementKind::Switch { index, labels } => {
                write!(f, "switch {} goto {}", printer.show(index), printer.label_names(labels))
            }
            StatementKind::Gosub(label) => write!(f, "gosub {}", printer.label_name(*label)),
            StatementKind::GosubReturn => f.write_str("gosub return"),
            StatementKind::GosubPop => f.write_str("gosub pop"),
            StatementKind::Rethrow => f.write_str("rethrow"),
            StatementKind::SetHandler(Some(label)) => write!(f, "on error goto {}", printer.label_name(*label)),
            StatementKind::SetHandler(None) => f.write_str("on error goto nowhere"),
            StatementKind::Resume(Resume::Retry) => f.write_str("resume retry"),
            StatementKind::Resume(Resume::Next) => f.write_str("resume next"),
            StatementKind::Return(None) => f.write_str("return"),
            StatementKind::Return(Some(value)) => write!(f, "return {}", printer.show(value)),
            StatementKind::Call { call, result } => {
                if let Some(result) = result {
                    write!(f, "{} := ", printer.slot_name(*result))?;
                }
                f.write_str("call ")?;
                printer.call(f, call)
            }
            StatementKind::Host { text, inputs, outputs, branches, .. } => {
                f.write_str("host \"")?;
                f.write_str(text)?;
                f.write_str("\"")?;
                if !inputs.is_empty() {
                    printer.list(f, " with (", inputs, ")")?;
                }
                if !outputs.is_empty() {
                    let names: Vec<_> = outputs.iter().map(|slot| printer.slot_name(*slot)).collect();
                    write!(f, " sets {}", names.join(", "))?;
                }
                if !branches.is_empty() {
                    write!(f, " branches to {}", printer.label_names(branches))?;
                }
                Ok(())
            }
            // Those with statements in them were printed by `Printer::statement`.
            _ => Ok(()),
        }
    }
}

/// An expression.
struct Shown<'a> {
    printer: &'a Printer<'a>,
    expression: &'a Expression,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (printer, ty) = (self.printer, self.expression.ty);
        let show = |expression| Shown { printer, expression };
        match &self.expression.kind {
            ExpressionKind::Constant(value) => write!(f, "{value}"),
            ExpressionKind::Slot(slot) => f.write_str(&printer.slot_name(*slot)),
            ExpressionKind::Negate(value) => write!(f, "-{}", show(value)),
            ExpressionKind::BitNot(value) => write!(f, "~{}", show(value)),
            ExpressionKind::Arithmetic { op, rounding, left, right } => {
                write!(f, "({} {} {})", show(left), op.symbol(), show(right))?;
                match (ty, rounding) {
                    (Type::Decimal { .. }, Rounding::HalfAway) => write!(f, ":{ty}"),
                    (Type::Decimal { .. }, Rounding::Truncate) => write!(f, ":{ty} truncated"),
                    _ => Ok(()),
                }
            }
            ExpressionKind::Bitwise { op, left, right } => {
                write!(f, "({} {} {})", show(left), op.symbol(), show(right))
            }
            ExpressionKind::Compare { op, left, right, collation, pads } => {
                write!(f, "({} {} {}", show(left), op.symbol(), show(right))?;
                if matches!(left.ty, Type::Text { .. }) {
                    write!(f, " by {}{}", collation.name(), if *pads { " padded" } else { "" })?;
                }
                f.write_str(")")
            }
            ExpressionKind::IsNull(value) => write!(f, "({} is null)", show(value)),
            ExpressionKind::Not(value) => write!(f, "not {}", show(value)),
            ExpressionKind::And(left, right) => write!(f, "({} and {})", show(left), show(right)),
            ExpressionKind::Or(left, right) => write!(f, "({} or {})", show(left), show(right)),
            ExpressionKind::Case { arms, otherwise } => {
                f.write_str("case")?;
                arms.iter().try_for_each(|(when, then)| write!(f, " when {} then {}", show(when), show(then)))?;
                if let Some(otherwise) = otherwise {
                    write!(f, " else {}", show(otherwise))?;
                }
                f.write_str(" end")
            }
            ExpressionKind::Coalesce(list) => printer.list(f, "coalesce(", list, ")"),
            ExpressionKind::Convert { value, rounding } => {
                let cut = if *rounding == Rounding::Truncate { " truncated" } else { "" };
                write!(f, "convert({} to {ty}{cut})", show(value))
            }
            ExpressionKind::Fit { value, pad, strict, .. } => {
                let how = [(*pad, " padded"), (*strict, " strictly")];
                write!(f, "fit({} to {ty}", show(value))?;
                how.iter().filter(|(on, _)| *on).try_for_each(|(_, word)| f.write_str(word))?;
                f.write_str(")")
            }
            ExpressionKind::Concat { parts, null_as_empty, .. } => {
                printer.list(f, if *null_as_empty { "concat_nulls_empty(" } else { "concat(" }, parts, ")")
            }
            ExpressionKind::Element { array, indexes } => {
                f.write_str(&printer.array_name(*array))?;
                printer.list(f, "[", indexes, "]")
            }
            ExpressionKind::Native { function, arguments } => {
                f.write_str(function.name)?;
                printer.list(f, "(", arguments, ")")
            }
            ExpressionKind::Operation { operation, arguments } => {
                f.write_str(operation.0.name())?;
                printer.list(f, "(", arguments, ")")
            }
            ExpressionKind::HostCall { text, arguments, .. } => {
                write!(f, "host \"{text}\"")?;
                printer.list(f, "(", arguments, ")")
            }
            ExpressionKind::Call(call) => printer.call(f, call),
        }
    }
}
