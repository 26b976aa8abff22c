//! Programs that run other programs: CALL, PERFORM, RUN, EXECUTE, functions of the program.

use super::state::{Passed, Saved};
use super::{Flow, Frame, FrameKind, Machine, Value};
use crate::code::*;
use crate::compile::{Outer, compile, compile_in};
use crate::fault::{Fault, Outcome, fail};
use crate::link::{Link, PlanSlot};
use crate::variables::Variables;
use mainstay_basic_syntax as syntax;
use std::rc::Rc;

/// How deep CALL, PERFORM and EXECUTE may be nested.
const LEVELS: usize = 500;
/// How deep functions may call themselves (the manual's page DEF FN).
const FUNCTIONS: usize = 100;

impl Machine {
    /// Finds and compiles a program: its text is read again only when it has changed. Error 12 if there is none.
    pub(crate) fn load(&mut self, name: &str) -> Outcome<Rc<Program>> {
        for path in self.candidates(name) {
            let stamp = self.programs.stamp(&path);
            if let Some((known, program)) = self.cache.get(&path)
                && *known == stamp
            {
                return Ok(program.clone());
            }
            let Some(source) = self.programs.read(&path)? else { continue };
            let tree = syntax::parse(&source);
            if let Some(refusal) = tree.diagnostics.iter().find(|diagnostic| diagnostic.code == 18) {
                return fail(18, format!("{name}: {}; {}", refusal.message, refusal.hint));
            }
            let program = Rc::new(compile(&path, tree));
            self.cache.insert(path, (stamp, program.clone()));
            return Ok(program);
        }
        fail(12, name)
    }

    /// The names that a program may have: as it is written, and below each prefix.
    fn candidates(&self, name: &str) -> Vec<String> {
        let mut names = vec![name.to_owned()];
        for rules in self.prefixes.values() {
            let rules = String::from_utf8_lossy(rules);
            names.extend(rules.split_whitespace().map(|rule| format!("{}{name}", rule.trim_end_matches('*'))));
        }
        names
    }

    /// The names a data file may have.
    pub(super) fn file_candidates(&self, name: &str) -> Vec<String> {
        match name.starts_with(['/', '\\', '*']) {
            true => vec![name.to_owned()],
            false => self.candidates(name),
        }
    }

    /// The program and the entry point of `"NAME;LABEL"` or `"NAME;#1000"`.
    fn load_entry(&mut self, text: &str) -> Outcome<(Rc<Program>, Pc)> {
        let (name, entry) = match text.split_once(';') {
            Some((name, entry)) => (name, Some(entry.split(';').next().unwrap_or(entry).trim())),
            None => (text, None),
        };
        let program = match name.trim().is_empty() {
            true => self.frame.program.clone(),
            false => self.load(name.trim())?,
        };
        let target = match entry {
            None | Some("") => return Ok((program, 0)),
            Some(entry) => match entry.strip_prefix('#') {
                Some(number) => syntax::tree::Target::Line(number.parse().map_err(|_| Fault::new(21))?),
                None => syntax::tree::Target::Label(entry.to_ascii_uppercase()),
            },
        };
        match program.line_of(&target) {
            Some(line) => {
                let start = program.lines[line as usize].start;
                Ok((program, start))
            }
            None => fail(55, text),
        }
    }

    /// The link of a program to the current level.
    fn link(&mut self, program: &Rc<Program>) -> Rc<Link> {
        if let Some(link) = self.variables.linked(program) {
            return link;
        }
        let link = Rc::new(Link::new(program, &mut self.variables, &mut self.globals));
        self.variables.keep_link(program.clone(), link.clone());
        link
    }

    /// Begins a program at a level of its own.
    pub(crate) fn begin_program(&mut self, program: Rc<Program>) {
        self.variables = Variables::default();
        let link = self.link(&program);
        self.frame = Frame::new(program, link, FrameKind::Main);
        self.frames.clear();
        self.reset_state();
    }

    fn push_frame(&mut self, program: Rc<Program>, kind: FrameKind, pc: Pc) -> Outcome<()> {
        if self.frames.len() >= LEVELS {
            return fail(31, "too many programs call each other");
        }
        let link = self.link(&program);
        let mut frame = Frame::new(program, link, kind);
        frame.pc = pc;
        frame.precision = self.precision;
        self.frames.push(std::mem::replace(&mut self.frame, frame));
        Ok(())
    }

    /// A level for a program that is called; made like the one of its first call.
    fn new_level(&mut self, program: &Rc<Program>) -> Variables {
        if let Some((_, template)) = self.templates.iter().find(|(known, _)| Rc::ptr_eq(known, program)) {
            return Variables::like(template);
        }
        let mut template = Variables::default();
        let link = Rc::new(Link::new(program, &mut template, &mut self.globals));
        template.keep_link(program.clone(), link);
        let level = Variables::like(&template);
        self.templates.push((program.clone(), template));
        level
    }

    pub(super) fn call_program(&mut self, code: &CallCode) -> Outcome<()> {
        let name = self.name_value(&code.program)?;
        let (program, pc) = self.load_entry(&name)?;
        let mut arguments = Vec::new();
        for argument in &code.arguments {
            self.pass(argument, &mut arguments)?;
        }
        let level = self.new_level(&program);
        let caller = std::mem::replace(&mut self.variables, level);
        if let Err(fault) = self.push_frame(program, FrameKind::Call, pc) {
            self.variables = caller;
            return Err(fault);
        }
        self.frame.caller = Some(Box::new(caller));
        self.frame.bound = vec![None; arguments.len()];
        self.frame.arguments = arguments;
        Ok(())
    }

    fn pass(&mut self, argument: &CallArgument, out: &mut Vec<(Passed, Option<VariableRef>)>) -> Outcome<()> {
        match argument {
            CallArgument::Value(value) => out.push((Passed::Value(self.value(value)?), None)),
            CallArgument::Variable(variable) => out.push((self.read_variable(*variable), Some(*variable))),
            CallArgument::ArrayCopy(variable) => out.push((self.read_variable(*variable), None)),
            CallArgument::List(ListSource::Id(id)) => {
                let program = self.frame.program.clone();
                for item in &program.lists.get(*id as usize).ok_or_else(|| Fault::new(81))?.items {
                    match item {
                        ListItem::Value(value) => match &value.target {
                            Some(Target::Number(symbol, whole)) => {
                                self.pass(&CallArgument::Variable(VariableRef::Number(*symbol, *whole)), out)?
                            }
                            Some(Target::Text(symbol)) => {
                                self.pass(&CallArgument::Variable(VariableRef::Text(*symbol)), out)?
                            }
                            _ => out.push((Passed::Value(self.value(&value.value)?), None)),
                        },
                        _ => return Err(Fault::new(36)),
                    }
                }
            }
            CallArgument::List(_) => return Err(Fault::new(81)),
        }
        Ok(())
    }

    fn read_variable(&mut self, variable: VariableRef) -> Passed {
        let slot = self.slot_of(variable);
        let (level, slot) = self.level_of(slot);
        match variable {
            VariableRef::Number(..) => Passed::Value(Value::Number(level.numbers[slot])),
            VariableRef::Text(_) => Passed::Value(Value::Text(level.texts[slot].clone())),
            VariableRef::Numbers(_) => Passed::Numbers(level.number_arrays[slot].clone()),
            VariableRef::Texts(_) => Passed::Texts(level.text_arrays[slot].clone()),
        }
    }

    /// Error 36 for a value of another type.
    fn write_variable(&mut self, variable: VariableRef, value: Passed) -> Outcome<()> {
        let slot = self.slot_of(variable);
        let (level, slot) = self.level_of(slot);
        match (variable, value) {
            (VariableRef::Number(..), Passed::Value(Value::Number(value))) => level.numbers[slot] = value,
            (VariableRef::Text(_), Passed::Value(Value::Text(value))) => level.texts[slot] = value,
            (VariableRef::Numbers(_), Passed::Numbers(array)) => level.number_arrays[slot] = array,
            (VariableRef::Texts(_), Passed::Texts(array)) => level.text_arrays[slot] = array,
            _ => return fail(36, "an argument has another type"),
        }
        Ok(())
    }

    pub(super) fn enter(&mut self, parameters: &[EnterCode]) -> Outcome<()> {
        if self.frame.kind != FrameKind::Call {
            return Err(Fault::new(37));
        }
        if parameters.is_empty() {
            return fail(36, "ENTER without parameters is not supported; use PERFORM");
        }
        let arguments = std::mem::take(&mut self.frame.arguments);
        if arguments.len() > parameters.len() {
            self.frame.arguments = arguments;
            return fail(36, "more arguments than parameters");
        }
        for (index, parameter) in parameters.iter().enumerate() {
            let Some(variable) = parameter.variable else { continue };
            match (arguments.get(index), &parameter.default) {
                (Some((value, _)), _) => {
                    let value = value.clone();
                    if let Err(fault) = self.write_variable(variable, value) {
                        self.frame.arguments = arguments;
                        return Err(fault);
                    }
                    self.frame.bound[index] = (!parameter.read_only).then_some(variable);
                }
                (None, Some(default)) => {
                    let value = Passed::Value(self.value(default)?);
                    self.write_variable(variable, value)?;
                }
                (None, None) => {
                    self.frame.arguments = arguments;
                    return fail(36, "fewer arguments than parameters");
                }
            }
        }
        self.frame.arguments = arguments;
        Ok(())
    }

    /// Drops the frame that runs. Variables that ENTER bound give their values back.
    pub(super) fn pop_frame(&mut self) {
        while !self.frame.stack.is_empty() {
            self.drop_top();
        }
        let bound = std::mem::take(&mut self.frame.bound);
        let mut changed = Vec::new();
        for (index, variable) in bound.into_iter().enumerate() {
            let to = self.frame.arguments.get(index).and_then(|(_, variable)| *variable);
            if let (Some(variable), Some(to)) = (variable, to) {
                changed.push((self.read_variable(variable), to));
            }
        }
        if let Some(caller) = self.frame.caller.take() {
            self.variables = *caller;
            self.precision = self.frame.precision;
        }
        if let Some(frame) = self.frames.pop() {
            self.frame = frame;
        }
        for (value, to) in changed {
            // The types were compared when ENTER took the value.
            let _ = self.write_variable(to, value);
        }
    }

    /// The frame is over: back to its caller.
    pub(super) fn leave_frame(&mut self, depth: usize) -> Outcome<Flow> {
        let is_last = self.frames.len() <= depth;
        if self.frames.is_empty() {
            while !self.frame.stack.is_empty() {
                self.drop_top();
            }
            return self.stop();
        }
        self.pop_frame();
        Ok(if is_last { Flow::Stop } else { Flow::Switch })
    }

    pub(super) fn stop(&mut self) -> Outcome<Flow> {
        self.frame.pc = u32::MAX;
        Ok(Flow::Stop)
    }

    /// END and STOP: of a called program as EXIT, of the main program the end.
    pub(super) fn end(&mut self, depth: usize) -> Outcome<Flow> {
        while self.frame.kind == FrameKind::Execute && self.frames.len() > depth {
            self.pop_frame();
        }
        if self.frames.is_empty() {
            while !self.frame.stack.is_empty() {
                self.drop_top();
            }
            self.close_local_channels();
            self.reset_state();
            return self.stop();
        }
        self.leave_frame(depth)
    }

    pub(super) fn exit(&mut self, code: Option<&NumberExpr>, depth: usize) -> Outcome<Flow> {
        let code = code.map(|code| self.whole_within(code, 0, 32_767)).transpose()?.unwrap_or(0);
        while self.frame.kind == FrameKind::Execute && self.frames.len() > depth {
            self.pop_frame();
        }
        if self.frame.kind == FrameKind::Main {
            return Err(Fault::new(37));
        }
        let flow = self.leave_frame(depth)?;
        if code == 0 {
            return Ok(flow);
        }
        let program = self.frame.program.clone();
        let mut fault = Fault::with(code as u16, "raised by EXIT");
        let own = program.ops.get(self.frame.op as usize).and_then(super::branches);
        fault.branch = own.and_then(|own| own.of(fault.code));
        Err(fault)
    }

    /// PERFORM; a null string performs nothing.
    pub(super) fn perform(&mut self, program: &TextExpr) -> Outcome<Flow> {
        let name = self.name_value(program)?;
        if name.is_empty() {
            return Ok(Flow::Next);
        }
        let (program, pc) = self.load_entry(&name)?;
        self.push_frame(program, FrameKind::Perform, pc)?;
        Ok(Flow::Switch)
    }

    pub(super) fn run_program(&mut self, program: Option<&TextExpr>) -> Outcome<()> {
        let (program, pc) = match program {
            Some(name) => {
                let name = self.name_value(name)?;
                self.load_entry(name.trim())?
            }
            None => (self.frame.program.clone(), 0),
        };
        while !self.frames.is_empty() {
            self.pop_frame();
        }
        while !self.frame.stack.is_empty() {
            self.drop_top();
        }
        let link = self.link(&program);
        self.frame = Frame { pc, ..Frame::new(program, link, FrameKind::Main) };
        self.reset_state();
        Ok(())
    }

    /// EXECUTE: a statement that shares the variables, and may branch to the lines of its program.
    pub(super) fn execute_text(&mut self, text: &TextExpr) -> Outcome<()> {
        let source = self.text_value(text)?;
        let program = self.compile_text(&source)?;
        self.give(source);
        self.push_frame(program, FrameKind::Execute, 0)
    }

    /// Compiles a statement, once for each text and program.
    pub(crate) fn compile_text(&mut self, source: &[u8]) -> Outcome<Rc<Program>> {
        let outer = match self.frame.kind {
            FrameKind::Execute => self.frames.iter().rev().find(|frame| frame.kind != FrameKind::Execute),
            _ => Some(&self.frame),
        };
        let outer = outer.map_or(self.frame.program.clone(), |frame| frame.program.clone());
        let key = (Rc::as_ptr(&outer) as usize, source.to_vec());
        if let Some(program) = self.texts.get(&key) {
            return Ok(program.clone());
        }
        let tree = syntax::parse_statement(source);
        if let Some(diagnostic) = tree.diagnostics.first() {
            return fail(diagnostic.code, diagnostic.message.clone());
        }
        if tree.numbered {
            return fail(99, "EXECUTE cannot change lines of the program");
        }
        let program = Rc::new(compile_in(&outer.name, tree, Some(Outer { program: &outer })));
        if self.texts.len() >= 1000 {
            self.texts.clear();
        }
        self.texts.insert(key, program.clone());
        Ok(program)
    }

    /// Runs something with the names of a text, as EXECUTE would.
    pub(crate) fn in_text<T>(
        &mut self,
        program: &Rc<Program>,
        run: impl FnOnce(&mut Machine) -> Outcome<T>,
    ) -> Outcome<T> {
        self.push_frame(program.clone(), FrameKind::Execute, u32::MAX)?;
        let result = run(self);
        self.pop_frame();
        result
    }

    /// VIA: a value for the variable that a string names.
    pub(super) fn via(&mut self, name: &TextExpr, value: &Expr) -> Outcome<()> {
        let mut name = self.text_value(name)?;
        let value = self.value(value)?;
        // The type of the value decides the type of the variable.
        if matches!(value, Value::Text(_)) && !name.contains(&b'$') {
            let at = name.iter().position(|byte| matches!(byte, b'[' | b'(')).unwrap_or(name.len());
            name.insert(at, b'$');
        }
        crate::functions::variable_name(&name)?;
        let mut statement = name.clone();
        statement.extend_from_slice(if matches!(value, Value::Text(_)) { b"=\"\"" } else { b"=0" });
        let program = self.compile_text(&statement)?;
        self.in_text(&program, |machine| match program.ops.first() {
            Some(Op::SetNumber(symbol, whole, _)) => machine.assign(&Target::Number(*symbol, *whole), value),
            Some(Op::SetText(symbol, _)) => machine.assign(&Target::Text(*symbol), value),
            Some(Op::Set(target, _)) => machine.assign(target, value),
            _ => fail(23, String::from_utf8_lossy(&name).into_owned()),
        })
    }

    /// Calls a function of the program. Error 25 if there is none.
    pub(super) fn call_user(&mut self, call: &UserCall) -> Outcome<Value> {
        if let Some(function) = self.frame.program.functions.get(&call.name).cloned() {
            return self.call_function(&function, call);
        }
        // EXECUTEd text uses the functions of its program.
        let owner = self.frames.iter().rev().find(|frame| frame.program.functions.contains_key(&call.name));
        let (FrameKind::Execute, Some(owner)) = (self.frame.kind, owner) else {
            return fail(25, call.name.trim_end_matches('$').to_owned());
        };
        let program = owner.program.clone();
        let mut values = Vec::new();
        for argument in &call.arguments {
            values.push(self.value(argument)?);
        }
        let function = program.functions[&call.name].clone();
        self.push_frame(program, FrameKind::Function, u32::MAX)?;
        let result = self.apply(&function, values);
        self.pop_frame();
        result
    }

    fn call_function(&mut self, function: &UserFunction, call: &UserCall) -> Outcome<Value> {
        let mut values = Vec::new();
        for argument in &call.arguments {
            values.push(self.value(argument)?);
        }
        self.apply(function, values)
    }

    fn apply(&mut self, function: &UserFunction, values: Vec<Value>) -> Outcome<Value> {
        if values.len() != function.parameters.len() {
            return fail(36, "the function has other parameters");
        }
        if self.functions >= FUNCTIONS {
            return fail(25, "functions are nested too deeply");
        }
        let mut saved = Vec::new();
        for ((variable, local), value) in function.parameters.iter().zip(values) {
            if *local {
                let old = match self.read_variable(*variable) {
                    Passed::Value(value) => Saved::Value(value),
                    Passed::Numbers(array) => Saved::Numbers(array),
                    Passed::Texts(array) => Saved::Texts(array),
                };
                saved.push((*variable, old));
            }
            if let Err(fault) = self.write_variable(*variable, Passed::Value(value)) {
                self.restore(saved);
                return Err(fault);
            }
        }
        self.functions += 1;
        let result = match &function.value {
            Some(value) => self.value(value),
            None => self.run_function(function),
        };
        self.functions -= 1;
        self.restore(saved);
        result
    }

    fn run_function(&mut self, function: &UserFunction) -> Outcome<Value> {
        self.push_frame(self.frame.program.clone(), FrameKind::Function, function.body)?;
        let depth = self.frames.len();
        self.result = None;
        if let Err(fault) = self.run(depth) {
            if self.frames.len() >= depth && !fault.is_final {
                self.pop_frame();
            }
            return Err(fault);
        }
        match (self.result.take(), function.is_text) {
            (Some(value @ Value::Text(_)), true) | (Some(value @ Value::Number(_)), false) => Ok(value),
            (None, true) => Ok(Value::Text(Vec::new())),
            (None, false) => Ok(Value::Number(crate::number::Number::ZERO)),
            _ => fail(26, "the function returned a value of the other type"),
        }
    }

    /// Values of a plan's slots, for lists that another program bound.
    pub(super) fn slot_value(&mut self, slot: PlanSlot) -> Option<Value> {
        match slot {
            PlanSlot::Skip => None,
            PlanSlot::Number(slot, _) => Some(Value::Number(*self.number_slot(slot))),
            PlanSlot::Text(slot) => Some(Value::Text(self.text_slot(slot).clone())),
        }
    }
}
