//! Objects: DEF CLASS, NEW( ), properties, methods, DROP OBJECT.
//!
//! An object has a class and the values of its properties. A method is a call of the class's program: a level of variables of its
//! own, in which the properties are variables.
//!
//! ```text
//!   obj'method(..)   properties --> variables of a new level    run    variables --> properties, result
//! ```
//!
//! While a method calls something else, the properties are with the object, so that others see their values; they come back
//! with the method. Sources: the manual's pages DEF CLASS, PROPERTY, FUNCTION, LIKE, NEW( ), DROP OBJECT, Apostrophe Operator.
//!
//! Limits: a class is defined by its program as text; no dependencies (NEW( ) .. FOR), no COM objects, no FUNCTION PERFORM.

use super::state::Passed;
use super::{Machine, Value};
use crate::code::*;
use crate::compile::class_name;
use crate::fault::{Fault, Outcome, fail};
use crate::number::Number;
use crate::variables::{Array, Storage, Variables};
use mainstay_basic_syntax::tree::{Access, Name, NameKind, Target as Label};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The most objects of a session.
const OBJECTS: usize = 100_000;
/// How deep classes may inherit.
const PARENTS: usize = 50;

/// A class with the program of its methods.
type Class = (Rc<Program>, Rc<ClassCode>);

/// A property or a method, with the program of the class that defines it.
type Members<'a, T> = Vec<(&'a Rc<Program>, &'a T)>;

/// Classes and objects of a session.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    /// Classes by name.
    classes: BTreeMap<String, Class>,
    live: BTreeMap<i64, Object>,
    last: i64,
}

/// An object.
#[derive(Clone, Debug)]
struct Object {
    class: String,
    references: i64,
    /// The values are in the variables of the method that runs.
    is_held: bool,
    properties: Vec<(Name, Passed)>,
}

impl Object {
    fn bytes(&self) -> usize {
        let properties = self.properties.iter();
        256 + properties.map(|(name, value)| name.text.len() + 64 + super::memory::passed_bytes(value)).sum::<usize>()
    }
}

fn empty(name: &Name) -> Passed {
    Passed::Value(match name.kind {
        NameKind::Text => Value::Text(Vec::new()),
        _ => Value::Number(Number::ZERO),
    })
}

impl Objects {
    /// Bytes of all objects.
    pub(super) fn bytes(&self) -> usize {
        self.live.values().map(Object::bytes).sum()
    }

    /// The programs of the classes.
    pub(super) fn programs(&self) -> impl Iterator<Item = &Rc<Program>> {
        self.classes.values().map(|(program, _)| program)
    }

    /// The highest number of an object; 0 for none.
    pub(crate) fn highest(&self) -> i64 {
        self.live.keys().next_back().copied().unwrap_or(0)
    }

    /// The class and those it inherits from, nearest first. Error 94 for a circle.
    fn family(&self, name: &str) -> Outcome<Vec<Class>> {
        let mut family: Vec<Class> = Vec::new();
        let mut wanted = vec![name.to_owned()];
        while let Some(name) = wanted.pop() {
            let Some(class) = self.classes.get(&name) else { return fail(90, name) };
            family.push(class.clone());
            if family.len() > PARENTS {
                return fail(94, name);
            }
            wanted.extend(class.1.parents.iter().rev().cloned());
        }
        Ok(family)
    }

    /// Moves the properties of an object to it from the variables of its method, or back.
    fn move_properties(&mut self, id: i64, variables: &mut Variables, to_object: bool) {
        let Some(object) = self.live.get_mut(&id).filter(|object| object.is_held == to_object) else { return };
        object.is_held = !to_object;
        for (name, value) in &mut object.properties {
            match value {
                Passed::Value(Value::Number(number)) => {
                    let slot = variables.slot(name, Storage::Number) as usize;
                    match to_object {
                        true => *number = variables.numbers[slot],
                        false => variables.numbers[slot] = *number,
                    }
                }
                Passed::Value(Value::Text(text)) => {
                    let slot = variables.slot(name, Storage::Text) as usize;
                    std::mem::swap(text, &mut variables.texts[slot]);
                }
                Passed::Numbers(array) => {
                    let slot = variables.slot(name, Storage::Numbers) as usize;
                    std::mem::swap(array, &mut variables.number_arrays[slot]);
                }
                Passed::Texts(array) => {
                    let slot = variables.slot(name, Storage::Texts) as usize;
                    std::mem::swap(array, &mut variables.text_arrays[slot]);
                }
            }
        }
    }

    /// An element of a property that is an array.
    fn element_of(&self, id: i64, name: &Name, arguments: &[(Passed, Option<VariableRef>)]) -> Outcome<Option<Value>> {
        let mut subscripts = Vec::new();
        for (argument, _) in arguments {
            match argument {
                Passed::Value(Value::Number(number)) => {
                    subscripts.push(number.as_whole().ok_or_else(|| Fault::new(42))?);
                }
                _ => return fail(88, name.text.as_str()),
            }
        }
        let object = self.live.get(&id);
        let stored = object.and_then(|object| object.properties.iter().find(|(known, _)| known == name));
        match stored {
            Some((_, Passed::Numbers(Some(array)))) => {
                let at = array.index(&subscripts)?;
                Ok(array.elements.get(at).map(|number| Value::Number(*number)))
            }
            Some((_, Passed::Texts(Some(array)))) => {
                let at = array.index(&subscripts)?;
                Ok(array.elements.get(at).cloned().map(Value::Text))
            }
            _ => fail(88, name.text.as_str()),
        }
    }
}

impl Machine {
    /// DEF CLASS: the class is known from now on.
    pub(super) fn define_class(&mut self, number: u32) -> Outcome<()> {
        let program = self.frame.program.clone();
        let Some(class) = program.classes.get(number as usize).cloned() else { return fail(92, "DEF CLASS") };
        self.add_class(program, class)
    }

    fn add_class(&mut self, program: Rc<Program>, class: Rc<ClassCode>) -> Outcome<()> {
        let parents = class.parents.clone();
        self.objects.classes.insert(class.name.clone(), (program, class.clone()));
        for parent in parents {
            self.find_class(&parent)?;
        }
        self.objects.family(&class.name).map(drop)
    }

    /// Finds a class, or loads its program `class.pvc`. Error 90 for none.
    fn find_class(&mut self, name: &str) -> Outcome<()> {
        if self.objects.classes.contains_key(name) {
            return Ok(());
        }
        let mut program = self.load(&format!("{name}.pvc"));
        if matches!(&program, Err(fault) if fault.code == 12) {
            program = self.load(name);
        }
        let program = match program {
            Err(fault) if fault.code == 12 => return fail(90, name),
            program => program?,
        };
        let class =
            program.classes.iter().find(|class| class.name == name || name.ends_with(&format!("/{}", class.name)));
        match class.cloned() {
            Some(class) => self.add_class(program, class),
            None => fail(90, name),
        }
    }

    /// NEW(class$, ..): an object, whose creation logic gets the arguments.
    pub(crate) fn new_object(&mut self, class: &[u8], arguments: Vec<Value>) -> Outcome<i64> {
        let name = class_name(class);
        self.find_class(&name)?;
        let family = self.objects.family(&name)?;
        let known = self.objects.live.iter_mut().find(|(_, object)| object.class == name);
        if let (true, Some((id, object))) = (family[0].1.unique, known) {
            object.references += 1;
            return Ok(*id);
        }
        let mut properties = Vec::new();
        for (program, class) in &family {
            for property in &class.properties {
                if properties.iter().all(|(known, _)| *known != property.name) {
                    properties.push((property.name.clone(), self.first_value(program, property)?));
                }
            }
        }
        let id = self.add_object(Object { class: name, references: 1, is_held: false, properties })?;
        // Creation logic of classes above runs if it is REQUIRED, the farthest first.
        for (index, (program, class)) in family.iter().enumerate().rev() {
            let (label, required) = &class.create;
            if let Some(line) = program.line_of(&Label::Label(label.clone())).filter(|_| index == 0 || *required) {
                let pc = program.lines[line as usize].start;
                let passed = arguments.iter().map(|value| (Passed::Value(value.clone()), None)).collect();
                self.run_method(id, program.clone(), pc, passed)?;
            }
        }
        Ok(id)
    }

    /// The value of a property at first: arrays have their bounds.
    fn first_value(&mut self, program: &Rc<Program>, property: &PropertyCode) -> Outcome<Passed> {
        if property.bounds.is_empty() {
            return Ok(empty(&property.name));
        }
        let bounds = self.in_text(program, |machine| machine.dimension_bounds(&property.bounds))?;
        super::memory::charge_array(self, property.name.kind == NameKind::Text, &bounds)?;
        Ok(match property.name.kind {
            NameKind::Text => Passed::Texts(Some(Array::new(&bounds)?)),
            _ => Passed::Numbers(Some(Array::new(&bounds)?)),
        })
    }

    fn add_object(&mut self, object: Object) -> Outcome<i64> {
        if self.objects.live.len() >= OBJECTS {
            return fail(31, "too many objects");
        }
        self.charge(object.bytes())?;
        // Numbers of objects begin where those of channels and controls end.
        self.objects.last = self.objects.last.max(100_000) + 1;
        self.objects.live.insert(self.objects.last, object);
        Ok(self.objects.last)
    }

    /// NEW(object): another object with the same values. Its creation logic does not run.
    pub(crate) fn clone_object(&mut self, id: i64) -> Outcome<i64> {
        self.store_object();
        let bytes = self.objects.live.get(&id).map_or(0, Object::bytes);
        let copy = self.charge(bytes).map(|()| self.objects.live.get(&id).cloned());
        self.load_object();
        let copy = copy?;
        let Some(copy) = copy else { return fail(95, format!("{id}")) };
        self.add_object(Object { references: 1, is_held: false, ..copy })
    }

    /// DROP OBJECT: one reference less; without any the deletion logic runs, and the object is gone.
    pub(super) fn drop_object(&mut self, id: i64) -> Outcome<()> {
        let Some(object) = self.objects.live.get_mut(&id) else { return fail(95, format!("{id}")) };
        if object.references > 1 {
            object.references -= 1;
            return Ok(());
        }
        let class = object.class.clone();
        let family = self.objects.family(&class)?;
        for (index, (program, class)) in family.iter().enumerate() {
            let (label, required) = &class.delete;
            if let Some(line) = program.line_of(&Label::Label(label.clone())).filter(|_| index == 0 || *required) {
                let pc = program.lines[line as usize].start;
                self.run_method(id, program.clone(), pc, Vec::new())?;
            }
        }
        let Some(object) = self.objects.live.remove(&id) else { return Ok(()) };
        for (_, class) in &family {
            for property in class.properties.iter().filter(|property| property.is_object) {
                let value = object.properties.iter().find(|(name, _)| *name == property.name);
                if let Some((_, Passed::Value(Value::Number(inner)))) = value
                    && let Some(inner) = inner.as_whole().filter(|inner| self.objects.live.contains_key(inner))
                {
                    self.drop_object(inner)?;
                }
            }
        }
        Ok(())
    }

    /// DROP CLASS. Error 91 while it has objects.
    pub(super) fn drop_class(&mut self, name: &str) -> Outcome<()> {
        let name = class_name(&mainstay_code_page::encode(name));
        if self.objects.live.values().any(|object| object.class == name) {
            return fail(91, name);
        }
        match self.objects.classes.remove(&name) {
            Some(_) => Ok(()),
            None => fail(90, name),
        }
    }

    /// The object whose method runs at this level.
    fn current_object(&self) -> Option<i64> {
        for frame in std::iter::once(&self.frame).chain(self.frames.iter().rev()) {
            if frame.object.is_some() || frame.caller.is_some() {
                return frame.object;
            }
        }
        None
    }

    /// Puts the properties of the object at hand from the variables into the object.
    pub(super) fn store_object(&mut self) {
        let Some(id) = self.current_object() else { return };
        self.objects.move_properties(id, &mut self.variables, true);
    }

    /// The same for a frame that is left.
    pub(super) fn keep_object(&mut self) {
        if let Some(id) = self.frame.object {
            self.objects.move_properties(id, &mut self.variables, true);
        }
    }

    /// Gets the properties of the object at hand into the variables.
    pub(super) fn load_object(&mut self) {
        if self.objects.live.is_empty() {
            return;
        }
        let Some(id) = self.current_object() else { return };
        self.objects.move_properties(id, &mut self.variables, false);
    }

    /// Runs the logic of a method to its end; its result if it returns one.
    fn run_method(
        &mut self,
        id: i64,
        program: Rc<Program>,
        pc: Pc,
        arguments: Vec<(Passed, Option<VariableRef>)>,
    ) -> Outcome<Option<Value>> {
        if self.functions >= 100 {
            return fail(25, "functions are nested too deeply");
        }
        self.begin_call(program, pc, arguments)?;
        self.frame.object = Some(id);
        self.load_object();
        let own = Name { text: "_OBJ".to_owned(), kind: NameKind::Number, global: false };
        self.set_by_name(&own, Value::Number(Number::whole(id)))?;
        let depth = self.frames.len();
        self.result = None;
        self.functions += 1;
        let run = self.run(depth);
        self.functions -= 1;
        if let Err(fault) = run {
            if self.frames.len() >= depth && !fault.is_final {
                self.pop_frame();
            }
            return Err(fault);
        }
        Ok(self.result.take())
    }

    /// `object'name`, `object'name(..)`: the value of a property, or the result of a method.
    pub(crate) fn member(&mut self, member: &MemberUse) -> Outcome<Value> {
        member_value(self, member).map_err(|mut fault| {
            if fault.branch.is_none() && !fault.is_final {
                fault.branch = member.branches.of(fault.code);
            }
            fault
        })
    }

    fn member_of(
        &mut self,
        id: i64,
        member: &MemberUse,
        arguments: Vec<(Passed, Option<VariableRef>)>,
    ) -> Outcome<Option<Value>> {
        let Some(object) = self.objects.live.get(&id) else { return fail(95, format!("{id}")) };
        let family = self.objects.family(&object.class)?;
        if member.arguments.is_some() {
            if let Some((program, function)) = method(&family, &member.name, &arguments) {
                if function.local && self.current_object() != Some(id) {
                    return fail(88, format!("{} is local", function.name.text));
                }
                let (label, body, program) = (function.label.clone(), function.body, program.clone());
                let (program, pc) = match label {
                    Some(label) => entry_of(self, &program, &label)?,
                    None => (program, body),
                };
                return self.run_method(id, program, pc, arguments);
            }
            return self.objects.element_of(id, &member.name, &arguments);
        }
        let found = property(&family, &member.name);
        if let Some((program, property)) = found {
            if property.local && self.current_object() != Some(id) {
                return fail(88, format!("{} is local", property.name.text));
            }
            let program = program.clone();
            match (&property.get, &property.value) {
                (Some(Access::Refused), _) => return fail(88, format!("{} cannot be read", property.name.text)),
                (Some(Access::Label(label)), _) => {
                    let (program, pc) = entry_of(self, &program, &label.clone())?;
                    return self.run_method(id, program, pc, Vec::new());
                }
                (None, Some(value)) => return self.in_object(id, &program, |machine| machine.value(value).map(Some)),
                (None, None) => {}
            }
        }
        let Some(object) = self.objects.live.get(&id) else { return fail(95, format!("{id}")) };
        if member.name.text == "*" {
            return Ok(Some(Value::Text(property_names(&family, &object.properties))));
        }
        let stored = object.properties.iter().find(|(name, _)| *name == member.name);
        match (stored, member.name.text.as_str()) {
            (Some((_, Passed::Value(value))), _) => Ok(Some(value.clone())),
            (None, "_CLASS") => Ok(Some(Value::Text(mainstay_code_page::encode(&object.class).into_owned()))),
            (None, "_REFCNT") => Ok(Some(Value::Number(Number::whole(object.references)))),
            (None, _) if family[0].1.accepts_undefined => Ok(None),
            _ => fail(88, member.name.text.as_str()),
        }
    }

    /// Evaluates something with the properties of an object as variables.
    fn in_object<T>(
        &mut self,
        id: i64,
        program: &Rc<Program>,
        evaluate: impl FnOnce(&mut Machine) -> Outcome<T>,
    ) -> Outcome<T> {
        self.begin_call(program.clone(), u32::MAX, Vec::new())?;
        self.frame.object = Some(id);
        self.load_object();
        let result = evaluate(self);
        self.pop_frame();
        result
    }

    /// `object'name=value`.
    pub(super) fn set_member(&mut self, member: &MemberUse, value: Value) -> Outcome<()> {
        let id = self.whole(&member.object)?;
        if let Some(control) = control_number(id) {
            return crate::screen::set_control_property(self, control, &member.name, value);
        }
        self.store_object();
        let result = self.set_property(id, &member.name, value);
        self.load_object();
        result
    }

    fn set_property(&mut self, id: i64, name: &Name, value: Value) -> Outcome<()> {
        let Some(object) = self.objects.live.get(&id) else { return fail(95, format!("{id}")) };
        let family = self.objects.family(&object.class)?;
        let value = match value {
            Value::Number(number) => Value::Number(self.assigned(number, name.kind == NameKind::Whole)),
            value => value,
        };
        if let Some((program, property)) = property(&family, name) {
            if property.local && self.current_object() != Some(id) {
                return fail(88, format!("{} is local", name.text));
            }
            let program = program.clone();
            match &property.set {
                Some(Access::Label(label)) => {
                    let (program, pc) = entry_of(self, &program, &label.clone())?;
                    return self.run_method(id, program, pc, vec![(Passed::Value(value), None)]).map(drop);
                }
                Some(Access::Refused) => return fail(88, format!("{} cannot be changed", name.text)),
                None if property.value.is_some() => return fail(88, format!("{} cannot be changed", name.text)),
                None => {}
            }
        }
        self.charge(std::mem::size_of::<(Name, Passed)>() + name.text.len())?;
        let accepts = family[0].1.accepts_properties;
        let Some(object) = self.objects.live.get_mut(&id) else { return fail(95, format!("{id}")) };
        match object.properties.iter_mut().find(|(known, _)| known == name) {
            Some((_, stored @ Passed::Value(_))) => *stored = Passed::Value(value),
            None if accepts => object.properties.push((name.clone(), Passed::Value(value))),
            _ => return fail(88, name.text.as_str()),
        }
        Ok(())
    }
}

/// The value of [`Machine::member`], with errors that have no branch yet.
fn member_value(machine: &mut Machine, member: &MemberUse) -> Outcome<Value> {
    let id = machine.whole(&member.object)?;
    if let (Some(control), None) = (control_number(id), &member.arguments) {
        return crate::screen::control_property(machine, control, &member.name);
    }
    let mut arguments = Vec::new();
    for argument in member.arguments.iter().flatten() {
        machine.pass(argument, &mut arguments)?;
    }
    machine.store_object();
    let result = machine.member_of(id, member, arguments);
    machine.load_object();
    let value = match result? {
        Some(value) => value,
        None => match empty(&member.name) {
            Passed::Value(value) => value,
            _ => Value::Number(Number::ZERO),
        },
    };
    match (&value, member.name.kind == NameKind::Text) {
        (Value::Text(_), true) | (Value::Number(_), false) => Ok(value),
        _ => fail(26, member.name.text.as_str()),
    }
}

/// The number of a control: objects have higher ones.
fn control_number(id: i64) -> Option<i32> {
    i32::try_from(id).ok().filter(|number| (-32_000..=32_000).contains(number) && *number != 0)
}

/// The logic of a member: a label of the class's program, or another program.
fn entry_of(machine: &mut Machine, program: &Rc<Program>, label: &str) -> Outcome<(Rc<Program>, Pc)> {
    match label.contains(';') {
        true => machine.load_entry(label),
        false => Ok((program.clone(), at_label(program, label)?)),
    }
}

/// `object'*`: the names of the properties that any program may use, in alphabetical order, each with a comma behind it.
fn property_names(family: &[Class], stored: &[(Name, Passed)]) -> Vec<u8> {
    let declared = family.iter().flat_map(|(_, class)| &class.properties);
    let is_local = |name: &Name| declared.clone().any(|property| property.local && property.name == *name);
    let names = declared.clone().map(|property| &property.name).chain(stored.iter().map(|(name, _)| name));
    let text = |name: &Name| format!("{}{}", name.text, if name.kind == NameKind::Text { "$" } else { "" });
    let names: BTreeSet<String> = names.filter(|name| !is_local(name)).map(text).collect();
    let list: String = names.iter().flat_map(|name| [name.as_str(), ","]).collect();
    mainstay_code_page::encode(&list).into_owned()
}

fn property<'a>(family: &'a [Class], name: &Name) -> Option<(&'a Rc<Program>, &'a PropertyCode)> {
    let all: Members<'a, PropertyCode> =
        family.iter().flat_map(|(program, class)| class.properties.iter().map(move |item| (program, item))).collect();
    all.into_iter().find(|(_, property)| property.name == *name)
}

/// The method of a name whose parameters fit.
fn method<'a>(
    family: &'a [Class],
    name: &Name,
    arguments: &[(Passed, Option<VariableRef>)],
) -> Option<(&'a Rc<Program>, &'a FunctionCode)> {
    let is_text = |passed: &Passed| matches!(passed, Passed::Value(Value::Text(_)) | Passed::Texts(_));
    let fits = |function: &FunctionCode| match &function.parameters {
        None => true,
        Some(types) => {
            types.len() == arguments.len()
                && types.iter().zip(arguments).all(|(text, (passed, _))| *text == is_text(passed))
        }
    };
    let all: Members<'a, FunctionCode> =
        family.iter().flat_map(|(program, class)| class.functions.iter().map(move |item| (program, item))).collect();
    all.into_iter().find(|(_, function)| function.name == *name && fits(function))
}

fn at_label(program: &Program, label: &str) -> Outcome<Pc> {
    match program.line_of(&Label::Label(label.to_owned())) {
        Some(line) => Ok(program.lines[line as usize].start),
        None => fail(55, label),
    }
}
