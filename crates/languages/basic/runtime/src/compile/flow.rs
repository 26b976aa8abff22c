//! Branches, loops and blocks.

use super::expression::is_text;
use super::{Compiled, Compiler, NOWHERE, Open};
use crate::code::*;
use mainstay_basic_syntax::tree::{self, For, Kind};
use std::rc::Rc;

impl Compiler<'_> {
    /// Compiles a directive of control flow; false if it is none.
    pub(super) fn flow(&mut self, kind: &Kind) -> Compiled<bool> {
        match kind {
            Kind::If { condition, then, otherwise, .. } => self.if_(condition, then, otherwise)?,
            Kind::BlockIf(condition) => {
                let condition = self.condition(condition)?;
                let pc = self.push(Op::JumpUnless(condition, NOWHERE));
                self.open.push(Open::Block(pc));
            }
            Kind::BlockElse => {
                let jump = self.push(Op::Jump(NOWHERE));
                self.close_block()?;
                self.open.push(Open::Block(jump));
            }
            Kind::BlockEnd => self.close_block()?,
            Kind::Goto(to) => {
                let op = Op::Goto(self.destination(to));
                self.push(op);
            }
            Kind::Gosub(to, with) => self.gosub(to, with)?,
            Kind::GotoLine(line, gosub) => {
                let op = Op::GotoLine(Box::new(self.number_expr(line)?), *gosub);
                self.push(op);
            }
            Kind::OnErr(head, body, _) => self.on_err(head, body)?,
            Kind::On { value, gosub, targets } => {
                let value = Box::new(self.number_expr(value)?);
                let targets = targets.iter().map(|to| self.destination(to)).collect();
                self.push(Op::On(value, *gosub, targets));
            }
            Kind::Return(value) => {
                let value = value.as_ref().map(|value| self.expression(value)).transpose()?;
                self.push(Op::Return(value.map(Box::new)));
            }
            Kind::Exitto(to) => {
                let op = Op::Exitto(self.destination(to));
                self.push(op);
            }
            Kind::SetErr(to) => {
                let op = match to {
                    tree::Target::Line(0) => Op::SetErr(None),
                    _ => Op::SetErr(Some(self.destination(to))),
                };
                self.push(op);
            }
            Kind::Break => drop(self.push(Op::Break)),
            Kind::Continue => drop(self.push(Op::Continue)),
            Kind::Pop(all) => drop(self.push(Op::Pop(*all))),
            Kind::Retry => drop(self.push(Op::Retry)),
            _ => return self.loops(kind),
        }
        Ok(true)
    }

    /// ```text
    ///   GOSUB .. ON ERR          WHILE .. ON ERR (and other loops)
    ///   OnErr(handler)           While
    ///   Gosub                    again: OnErr(handler)
    ///   EndOnErr                 Jump(behind)
    ///   Jump(behind)             handler: ..; Jump(again)
    ///   handler: ..              behind: the loop's body
    /// ```
    fn on_err(&mut self, head: &tree::Directive, body: &[tree::Directive]) -> Compiled<()> {
        let is_loop = !matches!(head.kind, Kind::Gosub(..) | Kind::GotoLine(..));
        if is_loop {
            self.directive(&head.kind)?;
        }
        let begin = self.push(Op::OnErr(NOWHERE));
        if !is_loop {
            self.directive(&head.kind)?;
            self.push(Op::EndOnErr);
        }
        let jump = self.push(Op::Jump(NOWHERE));
        let handler = self.pc();
        self.patch(begin, |op| *op = Op::OnErr(handler));
        self.directives(body);
        if is_loop {
            self.push(Op::Jump(begin));
        }
        self.land(jump);
        Ok(())
    }

    fn gosub(&mut self, to: &tree::Target, with: &[tree::Assignment]) -> Compiled<()> {
        let mut values = Vec::new();
        for assignment in with {
            if assignment.op.is_some() || is_text(&assignment.target) != is_text(&assignment.value) {
                return Err((26, "a value of WITH has the type of its variable".to_owned()));
            }
            let Some(variable) = self.own_variable(&assignment.target, 23) else {
                return Err((23, "WITH needs a variable".to_owned()));
            };
            values.push((variable, self.target(&assignment.target)?, self.expression(&assignment.value)?));
        }
        let to = self.destination(to);
        self.push(if values.is_empty() { Op::Gosub(to) } else { Op::GosubWith(to, values.into()) });
        Ok(())
    }

    fn if_(&mut self, condition: &tree::Expr, then: &[tree::Directive], otherwise: &[tree::Directive]) -> Compiled<()> {
        let condition = self.condition(condition)?;
        let branch = self.push(Op::JumpUnless(condition, NOWHERE));
        self.directives(then);
        let jump = if otherwise.is_empty() { None } else { Some(self.push(Op::Jump(NOWHERE))) };
        self.land(branch);
        if let Some(jump) = jump {
            self.directives(otherwise);
            self.land(jump);
        }
        Ok(())
    }

    /// A jump goes to here.
    fn land(&mut self, pc: Pc) {
        let here = self.pc();
        self.patch(pc, |op| {
            if let Op::Jump(to) | Op::JumpUnless(_, to) | Op::LeaveTry(to) = op {
                *to = here;
            }
        });
    }

    fn close_block(&mut self) -> Compiled<()> {
        match self.take(|open| matches!(open, Open::Block(_))) {
            Some(Open::Block(pc)) => {
                self.land(pc);
                Ok(())
            }
            _ => Err((22, "} without {".to_owned())),
        }
    }

    /// The innermost open construct of a kind. Others that are open inside of it stay: programs may leave them.
    fn take(&mut self, wanted: impl Fn(&Open) -> bool) -> Option<Open> {
        let at = self.open.iter().rposition(wanted)?;
        Some(self.open.remove(at))
    }

    fn loops(&mut self, kind: &Kind) -> Compiled<bool> {
        match kind {
            Kind::For(for_) => self.for_(for_)?,
            Kind::Next(variable) => {
                let variable = match variable.as_ref().map(|variable| &variable.kind) {
                    Some(tree::ExprKind::Variable(name)) => Some(self.scalar(name)),
                    _ => None,
                };
                self.push(Op::Next(variable));
                let found = self.take(|open| matches!(open, Open::For(_)));
                self.exit_here(found);
            }
            Kind::While(condition) => {
                let condition = self.condition(condition)?;
                let pc = self.push(Op::While(Box::new(condition), NOWHERE));
                self.open.push(Open::While(pc));
            }
            Kind::Wend => {
                self.push(Op::Wend);
                let found = self.take(|open| matches!(open, Open::While(_)));
                self.exit_here(found);
            }
            Kind::Repeat => {
                let pc = self.push(Op::Repeat(NOWHERE));
                self.open.push(Open::Repeat(pc));
            }
            Kind::Until(condition) => {
                let condition = self.condition(condition)?;
                self.push(Op::Until(Box::new(condition)));
                let found = self.take(|open| matches!(open, Open::Repeat(_)));
                self.exit_here(found);
            }
            Kind::NextRecord => {
                self.push(Op::NextRecord);
                let found = self.take(|open| matches!(open, Open::Select(_)));
                self.exit_here(found);
            }
            _ => return self.blocks(kind),
        }
        Ok(true)
    }

    fn for_(&mut self, for_: &For) -> Compiled<()> {
        let op = match for_ {
            For::Range { variable, first, last, step, local } => {
                let (first, last) = (self.number_expr(first)?, self.number_expr(last)?);
                let step = step.as_ref().map(|step| self.number_expr(step)).transpose()?;
                let variable = match self.own_variable(variable, 23) {
                    Some(variable @ VariableRef::Number(..)) => variable,
                    _ => return Err((23, "FOR needs a numeric variable".to_owned())),
                };
                Op::For(Box::new(ForRange { variable, first, last, step, local: *local, exit: NOWHERE }))
            }
            For::Count(count) => {
                let is_variable = matches!(count.kind, tree::ExprKind::Variable(_)) && !is_text(count);
                let variable = if is_variable { self.own_variable(count, 23) } else { None };
                Op::ForCount(Box::new(self.number_expr(count)?), NOWHERE, variable)
            }
            For::Parts(variable, text) => Op::ForParts(Box::new((self.target(variable)?, self.text(text)?)), NOWHERE),
            For::Index(variable, array) => {
                let array = self.array(array);
                Op::ForIndex(Box::new(self.target(variable)?), array, NOWHERE)
            }
        };
        let pc = self.push(op);
        self.open.push(Open::For(pc));
        Ok(())
    }

    /// The loop ends before the next operation.
    fn exit_here(&mut self, open: Option<Open>) {
        let here = self.pc();
        if let Some(Open::For(pc) | Open::While(pc) | Open::Repeat(pc) | Open::Select(pc)) = open {
            self.patch(pc, |op| match op {
                Op::For(range) => range.exit = here,
                Op::ForCount(_, exit, _)
                | Op::ForParts(_, exit)
                | Op::ForIndex(_, _, exit)
                | Op::While(_, exit)
                | Op::Repeat(exit) => *exit = here,
                Op::Select(select) => select.exit = here,
                _ => {}
            });
        }
    }

    fn blocks(&mut self, kind: &Kind) -> Compiled<bool> {
        match kind {
            Kind::Switch(value) => {
                let value = self.expression(value)?;
                let code = SwitchCode { value, cases: Vec::new(), default: NOWHERE, end: NOWHERE };
                let pc = self.push(Op::Switch(Box::new(code)));
                self.open.push(Open::Switch(pc));
            }
            Kind::Case(values) => self.case(values)?,
            Kind::Default => {
                let here = self.pc();
                self.innermost_switch(|code| code.default = here)?;
            }
            Kind::EndSwitch => {
                let end = self.push(Op::EndSwitch);
                let Some(Open::Switch(pc)) = self.take(|open| matches!(open, Open::Switch(_))) else {
                    return Err((27, "END SWITCH without SWITCH".to_owned()));
                };
                self.patch(pc, |op| {
                    if let Op::Switch(code) = op {
                        code.end = end;
                        code.default = code.default.min(end);
                    }
                });
            }
            _ => return self.tries(kind),
        }
        Ok(true)
    }

    fn innermost_switch(&mut self, change: impl FnOnce(&mut SwitchCode)) -> Compiled<()> {
        let pc = self.open.iter().rev().find_map(|open| match open {
            Open::Switch(pc) => Some(*pc),
            _ => None,
        });
        let Some(pc) = pc else { return Err((27, "CASE or DEFAULT without SWITCH".to_owned())) };
        self.patch(pc, |op| {
            if let Op::Switch(code) = op {
                change(code);
            }
        });
        Ok(())
    }

    fn case(&mut self, values: &[tree::CaseValue]) -> Compiled<()> {
        let here = self.pc();
        let mut cases = Vec::new();
        for value in values {
            let first = self.expression(&value.first)?;
            let last = value.last.as_ref().map(|last| self.expression(last)).transpose()?;
            let relation = value.relation.and_then(super::expression::comparison).unwrap_or(Comparison::Equal);
            cases.push(CaseCode { first, last, relation, target: here });
        }
        self.innermost_switch(|code| code.cases.extend(cases))
    }

    fn tries(&mut self, kind: &Kind) -> Compiled<bool> {
        match kind {
            Kind::Try => {
                let pc = self.push(Op::Try { catch: None, finally: None, end: NOWHERE });
                self.open.push(Open::Try(pc, Vec::new()));
            }
            Kind::Catch | Kind::Finally => {
                let leave = self.push(Op::LeaveTry(NOWHERE));
                let here = self.pc();
                let found = self.open.iter_mut().rev().find_map(|open| match open {
                    Open::Try(pc, leaves) => Some((*pc, leaves)),
                    _ => None,
                });
                let Some((pc, leaves)) = found else { return Err((67, "CATCH or FINALLY without TRY".to_owned())) };
                if matches!(kind, Kind::Finally) {
                    // A jump that leaves the block goes on in FINALLY.
                    let jumps = std::mem::take(leaves);
                    self.patch(leave, |op| *op = Op::LeaveTry(here));
                    for jump in jumps {
                        self.patch(jump, |op| *op = Op::LeaveTry(here));
                    }
                } else {
                    leaves.push(leave);
                }
                let is_catch = matches!(kind, Kind::Catch);
                self.patch(pc, |op| {
                    if let Op::Try { catch, finally, .. } = op {
                        *(if is_catch { catch } else { finally }) = Some(here);
                    }
                });
            }
            Kind::EndTry => {
                let end = self.push(Op::EndTry);
                let Some(Open::Try(pc, leaves)) = self.take(|open| matches!(open, Open::Try(..))) else {
                    return Err((67, "END_TRY without TRY".to_owned()));
                };
                for leave in leaves {
                    self.patch(leave, |op| *op = Op::LeaveTry(end));
                }
                self.patch(pc, |op| {
                    if let Op::Try { end: slot, .. } = op {
                        *slot = end;
                    }
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn def_fn(
        &mut self,
        name: &tree::Name,
        parameters: &[tree::Parameter],
        value: Option<&tree::Expr>,
    ) -> Compiled<()> {
        let is_text = name.kind == tree::NameKind::Text;
        let mut compiled = Vec::new();
        for parameter in parameters {
            match parameter.target.as_ref().and_then(|target| self.variable(target)) {
                Some(variable @ (VariableRef::Number(..) | VariableRef::Text(_))) => {
                    compiled.push((variable, parameter.local))
                }
                _ => return Err((23, "a parameter of a function is a variable".to_owned())),
            }
        }
        let value = value.map(|value| self.expression(value)).transpose()?;
        if value.as_ref().is_some_and(|value| matches!(value, Expr::Text(_)) != is_text) {
            return Err((26, "the value has another type than the function".to_owned()));
        }
        let is_block = value.is_none();
        let jump = is_block.then(|| self.push(Op::Jump(NOWHERE)));
        let function = UserFunction { parameters: compiled, value, body: self.pc(), is_text };
        let key = format!("{}{}", name.text, if is_text { "$" } else { "" });
        if self.program.functions.insert(key, Rc::new(function)).is_some() {
            return Err((24, format!("function {} is defined twice", name.text)));
        }
        self.open.extend(jump.map(Open::Function));
        Ok(())
    }

    pub(super) fn end_def(&mut self) -> Compiled<()> {
        match self.take(|open| matches!(open, Open::Function(_))) {
            Some(Open::Function(jump)) => {
                self.push(Op::Return(None));
                self.land(jump);
                Ok(())
            }
            _ => Err((22, "END DEF without DEF FN".to_owned())),
        }
    }
}
