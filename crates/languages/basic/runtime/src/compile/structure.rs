//! Elements of structured strings: `A::NAME$`, and `A.NAME$` where a DIM of the program has `A$:text`.

use super::expression::is_keyword;
use super::{Compiled, Compiler};
use crate::code::*;
use crate::machine::structure::elements::is_list_text;
use crate::variables::Storage;
use mainstay_basic_syntax::tree::{self, ExprKind, Name, NameKind};

impl Compiler<'_> {
    /// The strings that may have an element of this name, which has a dot, each with the name of the element.
    fn strings_of(&self, name: &Name) -> Vec<(Name, String)> {
        let mut strings: Vec<(Name, String)> = Vec::new();
        for string in &self.templates {
            if let Some(rest) = element_name(name, string)
                && !strings.iter().any(|(known, _)| known == string)
            {
                strings.push((string.clone(), rest.to_owned()));
            }
        }
        strings
    }

    /// True for a name with a dot that may be an element: DIM decides when it runs.
    pub(super) fn may_be_element(&self, name: &Name) -> bool {
        self.templates.iter().any(|string| element_name(name, string).is_some())
    }

    /// True for an element of a structured string.
    pub(super) fn is_element(&self, value: &tree::Expr) -> bool {
        match &value.kind {
            ExprKind::Field(..) => true,
            ExprKind::Variable(name) | ExprKind::Element(name, _) => self.may_be_element(name),
            _ => false,
        }
    }

    /// The variable of a directive that takes no elements: the error of this number is raised if the name is one when the directive
    /// runs. `None` if it is no variable at all.
    pub(super) fn own_variable(&mut self, value: &tree::Expr, code: u16) -> Option<VariableRef> {
        match &value.kind {
            ExprKind::Variable(name) if !self.composites.contains(name) && self.may_be_element(name) => {
                let strings = self.strings_of(name);
                let strings = strings.iter().map(|(string, _)| self.symbol(string, Storage::Text)).collect();
                self.push(Op::RefuseElement(code, strings));
                Some(self.scalar(name))
            }
            _ => self.variable(value),
        }
    }

    /// An argument of a program or a method: variables and arrays by reference, all else by value.
    pub(super) fn call_argument(&mut self, value: &tree::Expr) -> Compiled<CallArgument> {
        Ok(match (self.variable(value), &value.kind) {
            (Some(variable), _) => CallArgument::Variable(variable),
            (None, ExprKind::Variable(_)) => CallArgument::Element(self.expression(value)?),
            _ => CallArgument::Value(self.expression(value)?),
        })
    }

    /// CLEAR of an element: the empty string or 0.
    pub(super) fn clear_element(&mut self, value: &tree::Expr) -> Compiled<()> {
        let empty = match super::expression::is_text(value) {
            true => Expr::Text(TextExpr::Constant(Box::new([]))),
            false => Expr::Number(NumberExpr::Constant(crate::number::Number::ZERO)),
        };
        let target = self.target(value)?;
        self.push(Op::Set(Box::new(target), Box::new(empty)));
        Ok(())
    }

    /// An element of a structured string. Its subscripts are compiled once, so that nested ones do not multiply.
    pub(super) fn field(&mut self, value: &tree::Expr) -> Compiled<Box<FieldUse>> {
        let (strings, kind, plain, indexes) = match &value.kind {
            ExprKind::Field(string, field, indexes) => {
                (vec![(string.clone(), field.text.clone())], field.kind, None, &indexes[..])
            }
            ExprKind::Variable(name) => {
                let plain = match name.kind {
                    NameKind::Text if self.composites.contains(name) => {
                        PlainUse::Composite(self.symbol(name, Storage::Text))
                    }
                    _ => PlainUse::Variable(self.scalar(name)),
                };
                (self.strings_of(name), name.kind, Some(plain), &[][..])
            }
            ExprKind::Element(name, indexes) => {
                let plain = PlainUse::Variable(self.array(name));
                (self.strings_of(name), name.kind, Some(plain), &indexes[..])
            }
            _ => return Err((23, "this is not an element".to_owned())),
        };
        let keyword = match plain {
            Some(_) if is_keyword(indexes) => Some(self.text(&indexes[0])?),
            _ => None,
        };
        let strings = strings.into_iter().map(|(string, name)| (self.symbol(&string, Storage::Text), name.into()));
        Ok(Box::new(FieldUse {
            strings: strings.collect(),
            is_whole: kind == NameKind::Whole,
            indexes: if keyword.is_some() { Box::new([]) } else { self.number_exprs(indexes)? },
            keyword,
            plain,
        }))
    }
}

/// The name of an element behind the name of its string and a dot.
fn element_name<'a>(name: &'a Name, string: &Name) -> Option<&'a str> {
    let rest = name.text.strip_prefix(string.text.as_str())?.strip_prefix('.')?;
    (string.global == name.global && !rest.is_empty()).then_some(rest)
}

/// True if the text of `DIM A$:text` is that of an IOLIST, which makes a composite string, and false for a structure. `None` for an
/// expression whose value is not known yet.
pub(super) fn is_list(text: &tree::Expr) -> Option<bool> {
    match &text.kind {
        ExprKind::Text(text) | ExprKind::Hex(text) => Some(is_list_text(text)),
        ExprKind::Group(inner) => is_list(inner),
        ExprKind::Call(call) if call.name == "CPL" => is_list(call.arguments.first()?.value.as_ref()?),
        _ => None,
    }
}
