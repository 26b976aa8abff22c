//! Elements of structured strings: `A::NAME$`, and `A.NAME$` where a DIM of the program has `A$:text`.

use super::{Compiled, Compiler};
use crate::code::*;
use crate::machine::structure::elements::is_list_text;
use crate::variables::Storage;
use mainstay_basic_syntax::tree::{self, ExprKind, Name, NameKind};

impl Compiler<'_> {
    /// The string and the element that a name with a dot may mean.
    pub(super) fn element_of(&self, name: &Name) -> Option<(Name, String)> {
        let element = |string: &Name| {
            let rest = name.text.strip_prefix(string.text.as_str())?.strip_prefix('.')?;
            (string.global == name.global && !rest.is_empty()).then(|| (string.clone(), rest.to_owned()))
        };
        self.templates.iter().find_map(element)
    }

    /// True for an element of a structured string.
    pub(super) fn is_element(&self, value: &tree::Expr) -> bool {
        match &value.kind {
            ExprKind::Field(..) => true,
            ExprKind::Variable(name) | ExprKind::Element(name, _) => self.element_of(name).is_some(),
            _ => false,
        }
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

    /// An element of a structured string.
    pub(super) fn field(&mut self, value: &tree::Expr) -> Compiled<Box<FieldUse>> {
        let (string, name, kind, indexes) = match &value.kind {
            ExprKind::Field(string, field, indexes) => (string.clone(), field.text.clone(), field.kind, &indexes[..]),
            ExprKind::Variable(name) | ExprKind::Element(name, _) => {
                let Some((string, element)) = self.element_of(name) else { return Err((23, name.text.clone())) };
                let indexes = if let ExprKind::Element(_, indexes) = &value.kind { &indexes[..] } else { &[] };
                (string, element, name.kind, indexes)
            }
            _ => return Err((23, "this is not an element".to_owned())),
        };
        let plain = match &value.kind {
            ExprKind::Field(..) => None,
            _ => Some(self.plain(value)?),
        };
        Ok(Box::new(FieldUse {
            string: self.symbol(&string, Storage::Text),
            name,
            is_whole: kind == NameKind::Whole,
            indexes: self.number_exprs(indexes)?,
            plain,
        }))
    }

    /// The variable that a name with a dot is without a structure.
    fn plain(&mut self, value: &tree::Expr) -> Compiled<(Target, Expr)> {
        let templates = std::mem::take(&mut self.templates);
        let plain = self.target(value).and_then(|target| Ok((target, self.expression(value)?)));
        self.templates = templates;
        plain
    }
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
