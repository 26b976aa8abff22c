//! Programs that run other programs: CALL, PERFORM, RUN, EXECUTE, functions of the program.

use super::state::Passed;
use super::structure::elements;
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
/// How many statements of EXECUTE stay compiled.
const TEXTS: usize = 1000;
/// How deep functions may call themselves (the manual's page DEF FN).
const FUNCTIONS: usize = 100;

impl Machine {
    /// Finds and compiles a program: its text is read again only when it has changed. Error 12 if there is none.
    pub(crate) fn load(&mut self, name: &str) -> Outcome<Rc<Program>> {
        let wanted = self.translated(name)?.name;
        for path in self.program_candidates(&wanted) {
            let stamp = self.programs.stamp(&path);
            if let Some((known, program)) = self.cache.get(&path)
                && *known == stamp
            {
                let program = program.clone();
                self.loads.1 += 1;
                return Ok(program);
            }
            let Some(source) = super::console::read_program(self, &path)? else { continue };
            super::memory::charge_program(self, source.len())?;
            let tree = syntax::parse(&source);
            if let Some(refusal) = tree.diagnostics.iter().find(|diagnostic| diagnostic.code == 18) {
                return fail(18, format!("{name}: {}; {}", refusal.message, refusal.hint));
            }
            let program = Rc::new(compile(&path, tree));
            self.loads.0 += 1;
            self.cache.insert(path, (stamp, program.clone()));
            return Ok(program);
        }
        fail(12, name)
    }

    /// The program and the entry point of `"NAME;LABEL"` or `"NAME;#1000"`.
    pub(super) fn load_entry(&mut self, text: &str) -> Outcome<(Rc<Program>, Pc)> {
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
    pub(super) fn link(&mut self, program: &Rc<Program>) -> Rc<Link> {
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
        self.noted.clear();
        self.reset_state();
    }

    pub(crate) fn push_frame(&mut self, program: Rc<Program>, kind: FrameKind, pc: Pc) -> Outcome<()> {
        if self.frames.len() >= LEVELS {
            return fail(31, "too many programs call each other");
        }
        self.charge(std::mem::size_of::<Frame>() + program.symbols.count() * 4)?;
        let link = self.link(&program);
        let mut frame = Frame::new(program, link, kind);
        frame.pc = pc;
        frame.precision = self.precision;
        self.frames.push(std::mem::replace(&mut self.frame, frame));
        Ok(())
    }

    /// A level for a program that is called; made like the one of its first call.
    pub(super) fn new_level(&mut self, program: &Rc<Program>) -> Variables {
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
        let mut with = Vec::new();
        for (name, value) in &code.with {
            with.push((name, self.value(value)?));
        }
        self.begin_call(program, pc, arguments)?;
        for (name, value) in with {
            self.set_by_name(name, value)?;
        }
        Ok(())
    }

    /// A frame for a program with variables of its own.
    pub(super) fn begin_call(
        &mut self,
        program: Rc<Program>,
        pc: Pc,
        arguments: Vec<(Passed, Option<VariableRef>)>,
    ) -> Outcome<()> {
        // A slot has at most the size of an array.
        self.charge(program.symbols.count() * std::mem::size_of::<Option<crate::variables::Array<Vec<u8>>>>())?;
        self.store_object();
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

    pub(super) fn pass(
        &mut self,
        argument: &CallArgument,
        out: &mut Vec<(Passed, Option<VariableRef>)>,
    ) -> Outcome<()> {
        if let CallArgument::Variable(variable) | CallArgument::ArrayCopy(variable) = argument {
            let bytes = super::memory::variable_bytes(self, *variable);
            self.charge(bytes)?;
        }
        match argument {
            CallArgument::Value(value) => out.push((Passed::Value(self.value(value)?), None)),
            CallArgument::Element(value) => match elements::variable_of(self, value) {
                Some(variable) => self.pass(&CallArgument::Variable(variable), out)?,
                None => out.push((Passed::Value(self.value(value)?), None)),
            },
            CallArgument::Variable(variable) => out.push((self.read_variable(*variable), Some(*variable))),
            CallArgument::ArrayCopy(variable) => out.push((self.read_variable(*variable), None)),
            CallArgument::List(ListSource::Id(id)) => {
                let program = self.frame.program.clone();
                for item in &program.lists.get(*id as usize).ok_or_else(|| Fault::new(81))?.items {
                    match item {
                        ListItem::Value(value) => {
                            let variable = match &value.target {
                                Some(Target::Number(symbol, whole)) => Some(VariableRef::Number(*symbol, *whole)),
                                Some(Target::Text(symbol)) => Some(VariableRef::Text(*symbol)),
                                _ => elements::variable_of(self, &value.value),
                            };
                            match variable {
                                Some(variable) => self.pass(&CallArgument::Variable(variable), out)?,
                                None => out.push((Passed::Value(self.value(&value.value)?), None)),
                            }
                        }
                        _ => return Err(Fault::new(36)),
                    }
                }
            }
            CallArgument::List(_) => return Err(Fault::new(81)),
        }
        Ok(())
    }

    pub(super) fn read_variable(&mut self, variable: VariableRef) -> Passed {
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
    pub(super) fn write_variable(&mut self, variable: VariableRef, value: Passed) -> Outcome<()> {
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
            return self.share_variables();
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
                    self.charge(super::memory::passed_bytes(value))?;
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

    /// ENTER without parameters: the program goes on with the variables of its caller, as one that PERFORM began. Error 36 if it has
    /// given a variable a value before.
    fn share_variables(&mut self) -> Outcome<()> {
        if !self.frame.arguments.is_empty() {
            return fail(36, "ENTER has no parameters for the arguments");
        }
        if self.variables.has_values() {
            return fail(36, "variables have values before ENTER");
        }
        if let Some(caller) = self.frame.caller.take() {
            self.variables = *caller;
        }
        self.frame.kind = FrameKind::Perform;
        self.frame.link = self.link(&self.frame.program.clone());
        Ok(())
    }

    /// Sets a variable of the level by its name.
    pub(super) fn set_by_name(&mut self, name: &syntax::tree::Name, value: Value) -> Outcome<()> {
        use crate::variables::Storage;
        let level = if name.global { &mut self.globals } else { &mut self.variables };
        match value {
            Value::Number(number) => {
                let slot = level.slot(name, Storage::Number) as usize;
                level.numbers[slot] = number;
            }
            Value::Text(text) => {
                let slot = level.slot(name, Storage::Text) as usize;
                level.texts[slot] = text;
            }
        }
        Ok(())
    }

    /// Drops the frame that runs. Variables that ENTER bound give their values back.
    pub(crate) fn pop_frame(&mut self) {
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
            self.keep_object();
            self.variables = *caller;
            self.precision = self.frame.precision;
        }
        self.handlers.is_handling &= !self.frame.handles_error;
        if let Some(frame) = self.frames.pop() {
            self.frame = frame;
        }
        let level = self.level();
        crate::functions::forget_values(self, level + 1);
        self.load_object();
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
        let handles_error = self.frame.handles_error;
        let flow = self.leave_frame(depth)?;
        if code == 0 {
            return Ok(flow);
        }
        if handles_error {
            // EXIT with a number gives the error up.
            let mut fault = Fault::with(code as u16, "given up by the error program");
            self.note(&mut fault);
            fault.is_final = true;
            return Err(fault);
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
        let (loaded, pc) = match program {
            Some(name) => {
                let name = self.name_value(name)?;
                let entry = self.load_entry(name.trim())?;
                self.last_program.clone_from(&entry.0.name);
                entry
            }
            None => (self.outer_program(), 0),
        };
        if program.is_some() && self.parameters.get("RR") != 0 {
            self.reset();
        }
        self.replace_program(loaded, pc);
        Ok(())
    }

    /// EXECUTE: a statement that shares the variables, and may branch to the lines of its program.
    pub(super) fn execute_text(&mut self, text: &TextExpr) -> Outcome<Flow> {
        let source = self.text_value(text)?;
        if source.trim_ascii_start().first().is_some_and(u8::is_ascii_digit) {
            return self.edit_line(&source).map(|()| Flow::Switch);
        }
        let program = self.compile_text(&source)?;
        self.give(source);
        self.push_frame(program, FrameKind::Execute, 0)?;
        Ok(Flow::Switch)
    }

    /// The program that EXECUTEd text belongs to.
    pub(crate) fn outer_program(&self) -> Rc<Program> {
        let outer = match self.frame.kind {
            FrameKind::Execute => self.frames.iter().rev().find(|frame| frame.kind != FrameKind::Execute),
            _ => None,
        };
        outer.unwrap_or(&self.frame).program.clone()
    }

    /// Compiles a statement, once for each text and program.
    pub(crate) fn compile_text(&mut self, source: &[u8]) -> Outcome<Rc<Program>> {
        let outer = self.outer_program();
        let key = (Rc::as_ptr(&outer) as usize, source.to_vec());
        if let Some((_, program)) = self.texts.get(&key) {
            return Ok(program.clone());
        }
        super::memory::charge_program(self, source.len())?;
        let tree = syntax::parse_statement(source);
        if let Some(diagnostic) = tree.diagnostics.first() {
            return fail(diagnostic.code, diagnostic.message.clone());
        }
        if tree.numbered {
            return fail(21, "a line of a program cannot stand here");
        }
        let program = Rc::new(compile_in(&outer.name, tree, Some(Outer { program: &outer })));
        if self.texts.len() >= TEXTS {
            super::memory::forget_texts(self);
        }
        self.texts.insert(key, (outer, program.clone()));
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
    pub(super) fn via(&mut self, string: Option<Symbol>, name: &TextExpr, value: &Expr) -> Outcome<()> {
        let mut name = self.text_value(name)?;
        let value = self.value(value)?;
        // The type of the value decides the type of the variable.
        if matches!(value, Value::Text(_)) && !name.contains(&b'$') {
            let at = name.iter().position(|byte| matches!(byte, b'[' | b'(')).unwrap_or(name.len());
            name.insert(at, b'$');
        }
        crate::functions::variable_name(&name)?;
        let mut statement = match string {
            Some(string) => super::structure::elements::component_name(self, string, &name)?,
            None => name.clone(),
        };
        statement.extend_from_slice(if matches!(value, Value::Text(_)) { b"=\"\"" } else { b"=0" });
        let program = self.compile_text(&statement)?;
        self.in_text(&program, |machine| match program.ops.first() {
            Some(Op::SetNumber(symbol, whole, _)) => machine.assign(&Target::Number(*symbol, *whole), value),
            Some(Op::SetText(symbol, _)) => machine.assign(&Target::Text(*symbol), value),
            Some(Op::Set(target, _)) => machine.assign(target, value),
            _ => fail(23, mainstay_code_page::decode(&name).into_owned()),
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
                let bytes = super::memory::variable_bytes(self, *variable);
                self.charge(bytes)?;
                saved.push((*variable, self.save(*variable)));
            }
            let value = match value {
                Value::Number(number) => Value::Number(self.rounded_value(number)),
                value => value,
            };
            if let Err(fault) = self.write_variable(*variable, Passed::Value(value)) {
                self.restore(saved);
                return Err(fault);
            }
        }
        let put_aside = saved.iter().map(|(_, saved)| super::memory::saved_bytes(saved) as u64).sum();
        let nested = super::memory::begin_nested(self, put_aside);
        self.functions += 1;
        let result = match &function.value {
            Some(value) => self.value(value),
            None => self.run_function(function),
        };
        self.functions -= 1;
        super::memory::end_nested(self, nested);
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
