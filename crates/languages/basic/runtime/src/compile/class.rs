//! DEF CLASS and its members.

use super::{Compiled, Compiler, NOWHERE, Open};
use crate::code::*;
use mainstay_basic_syntax::tree::{self, ExprKind, Kind, Member, NameKind};
use std::rc::Rc;

impl Compiler<'_> {
    /// Compiles a directive of a class; false if it is another one.
    pub(super) fn class_directive(&mut self, kind: &Kind) -> Compiled<bool> {
        match kind {
            Kind::DefClass(class) => self.def_class(class)?,
            Kind::Member(member) => self.member(member)?,
            Kind::Local(assignments, names) if self.in_class() => self.local_properties(assignments, names)?,
            Kind::EndDef if self.class.is_some() => self.end_class()?,
            Kind::Evaluate(value) if matches!(value.kind, ExprKind::Property(..) | ExprKind::User(..)) => {
                let value = self.expression(value)?;
                self.push(Op::Evaluate(Box::new(value)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A class is open, and none of its methods.
    fn in_class(&self) -> bool {
        self.class.is_some() && !self.in_method
    }

    fn def_class(&mut self, class: &tree::DefClass) -> Compiled<()> {
        let ExprKind::Text(name) = &class.name.kind else {
            return Err((92, "the name of a class is a literal".to_owned()));
        };
        if self.class.is_some() {
            return Err((92, "DEF CLASS inside of a class".to_owned()));
        }
        let label =
            |given: &Option<(String, bool)>, default: &str| given.clone().unwrap_or((default.to_owned(), false));
        self.class = Some(ClassCode {
            name: class_name(name),
            unique: class.unique,
            accepts_properties: class.accepts.0 || class.accepts.1,
            accepts_undefined: class.accepts.1,
            create: label(&class.create, "ON_CREATE"),
            delete: label(&class.delete, "ON_DELETE"),
            ..ClassCode::default()
        });
        self.in_method = false;
        let define = self.push(Op::DefClass(0, NOWHERE));
        self.open.push(Open::Class(define));
        Ok(())
    }

    fn class(&mut self) -> Compiled<&mut ClassCode> {
        self.class.as_mut().ok_or((92, "this stands in DEF CLASS only".to_owned()))
    }

    fn member(&mut self, member: &Member) -> Compiled<()> {
        match member {
            Member::Properties(properties) => {
                for property in properties {
                    self.add_property(property)?;
                }
            }
            Member::Function { name, parameters, label, local } => {
                self.end_method();
                let types = |list: &Vec<tree::Parameter>| {
                    let is_text =
                        |parameter: &tree::Parameter| parameter.target.as_ref().is_some_and(super::expression::is_text);
                    list.iter().map(is_text).collect()
                };
                let body = self.pc();
                let parameters = parameters.as_ref().map(types);
                self.in_method = label.is_none();
                let function =
                    FunctionCode { name: name.clone(), parameters, label: label.clone(), body, local: *local };
                self.class()?.functions.push(function);
            }
            Member::FunctionEnd => self.end_method(),
            Member::Like(classes) => {
                for class in classes {
                    let ExprKind::Text(name) = &class.kind else {
                        return Err((92, "the name of a class is a literal".to_owned()));
                    };
                    let name = class_name(name);
                    self.class()?.parents.push(name);
                }
            }
        }
        Ok(())
    }

    /// A method whose logic stands in the class returns at its end.
    fn end_method(&mut self) {
        if std::mem::take(&mut self.in_method) {
            self.push(Op::Return(None));
        }
    }

    fn add_property(&mut self, property: &tree::Property) -> Compiled<()> {
        let mut bounds = Vec::new();
        for (first, last) in &property.bounds {
            let first = first.as_ref().map(|first| self.number_expr(first)).transpose()?;
            bounds.push((first, self.number_expr(last)?));
        }
        let value = property.value.as_ref().map(|value| self.expression(value)).transpose()?;
        if value.as_ref().is_some_and(|value| matches!(value, Expr::Text(_)) != (property.name.kind == NameKind::Text))
        {
            return Err((26, "the value has another type than the property".to_owned()));
        }
        let code = PropertyCode {
            name: property.name.clone(),
            bounds,
            is_object: property.is_object,
            local: property.local,
            value,
            get: property.get.clone(),
            set: property.set.clone(),
        };
        let class = self.class()?;
        if class.properties.iter().any(|known| known.name == code.name) {
            return Err((93, format!("property {} is defined twice", code.name.text)));
        }
        class.properties.push(code);
        Ok(())
    }

    fn local_properties(&mut self, assignments: &[tree::Assignment], names: &[tree::Expr]) -> Compiled<()> {
        if !assignments.is_empty() {
            return Err((92, "a local property has no value in DEF CLASS".to_owned()));
        }
        for name in names {
            let ExprKind::Variable(name) = &name.kind else {
                return Err((92, "a local property is a variable".to_owned()));
            };
            self.add_property(&tree::Property {
                name: name.clone(),
                bounds: Vec::new(),
                is_object: false,
                local: true,
                value: None,
                get: None,
                set: None,
            })?;
        }
        Ok(())
    }

    fn end_class(&mut self) -> Compiled<()> {
        self.end_method();
        let Some(class) = self.class.take() else { return Ok(()) };
        self.program.classes.push(Rc::new(class));
        let number = self.program.classes.len() as u32 - 1;
        let here = self.pc();
        let at = self.open.iter().rposition(|open| matches!(open, Open::Class(_)));
        if let Some(Open::Class(define)) = at.map(|at| self.open.remove(at)) {
            self.patch(define, |op| *op = Op::DefClass(number, here));
        }
        Ok(())
    }

    /// `object'name`.
    pub(super) fn member_use(
        &mut self,
        object: &tree::Expr,
        name: &tree::Name,
        arguments: Option<&tree::MethodArguments>,
    ) -> Compiled<MemberUse> {
        let object = self.number_expr(object)?;
        let branches = match arguments {
            Some(arguments) => self.options(&arguments.options)?.branches,
            None => Branches::default(),
        };
        let arguments = match arguments {
            None => None,
            Some(list) => {
                let mut compiled = Vec::new();
                for argument in &list.values {
                    compiled.push(self.call_argument(argument)?);
                }
                Some(compiled)
            }
        };
        Ok(MemberUse { object, name: name.clone(), arguments, branches })
    }
}

/// Names of classes are case-blind, and their slashes are equal.
pub(crate) fn class_name(name: &[u8]) -> String {
    mainstay_code_page::decode(name).trim().replace('\\', "/").to_ascii_lowercase()
}
