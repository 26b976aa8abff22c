//! Targets of assignments, and lists.

use super::expression::is_text;
use super::{Compiled, Compiler};
use crate::code::*;
use crate::variables::Storage;
use mainstay_basic_syntax::print;
use mainstay_basic_syntax::tree::{self, ExprKind, Item, NameKind};
use mainstay_screen::error::UNKNOWN_MNEMONIC;
use mainstay_screen::mnemonic::Mnemonic;

impl Compiler<'_> {
    /// Something that can be assigned to.
    pub(super) fn target(&mut self, value: &tree::Expr) -> Compiled<Target> {
        Ok(match &value.kind {
            ExprKind::Variable(name) | ExprKind::Element(name, _) if self.may_be_element(name) => {
                Target::Field(self.field(value)?)
            }
            ExprKind::Variable(name) => match name.kind {
                NameKind::Text if self.composites.contains(name) => Target::Composite(self.symbol(name, Storage::Text)),
                NameKind::Text => Target::Text(self.symbol(name, Storage::Text)),
                kind => Target::Number(self.symbol(name, Storage::Number), kind == NameKind::Whole),
            },
            ExprKind::Element(name, indexes) if super::expression::is_keyword(indexes) => {
                let keyword = Box::new(self.text(&indexes[0])?);
                match name.kind {
                    NameKind::Text => Target::TextKeyed(self.symbol(name, Storage::Texts), keyword),
                    _ => Target::NumberKeyed(self.symbol(name, Storage::Numbers), keyword),
                }
            }
            ExprKind::Element(name, indexes) => {
                let indexes = self.number_exprs(indexes)?;
                match name.kind {
                    NameKind::Text => Target::TextElement(self.symbol(name, Storage::Texts), indexes),
                    kind => {
                        Target::NumberElement(self.symbol(name, Storage::Numbers), indexes, kind == NameKind::Whole)
                    }
                }
            }
            ExprKind::Append(name) => match name.kind {
                NameKind::Text => Target::TextElement(self.symbol(name, Storage::Texts), Box::new([])),
                kind => {
                    Target::NumberElement(self.symbol(name, Storage::Numbers), Box::new([]), kind == NameKind::Whole)
                }
            },
            ExprKind::Field(..) => Target::Field(self.field(value)?),
            ExprKind::Property(object, name, None) => Target::Member(Box::new(self.member_use(object, name, None)?)),
            ExprKind::Substring(base, position, length) => {
                let base = Box::new(self.target(base)?);
                let position = Box::new(self.number_expr(position)?);
                let length = length.as_ref().map(|length| self.number_expr(length)).transpose()?.map(Box::new);
                Target::Part(base, position, length)
            }
            ExprKind::Range(name, bounds) => {
                let bounds = match bounds {
                    None => None,
                    Some((first, last)) => Some(Box::new((self.number_expr(first)?, self.number_expr(last)?))),
                };
                match name.kind {
                    NameKind::Text => Target::TextRange(self.symbol(name, Storage::Texts), bounds),
                    _ => Target::NumberRange(self.symbol(name, Storage::Numbers), bounds),
                }
            }
            _ => return Err((23, "this is not a variable".to_owned())),
        })
    }

    /// A list of items.
    pub(super) fn list(&mut self, items: &[Item]) -> Compiled<List> {
        let mut list = List { is_plain: true, ..List::default() };
        for item in items {
            let compiled = self.item(item)?;
            list.is_plain &= is_plain(&compiled);
            list.items.push(compiled);
        }
        Ok(list)
    }

    fn item(&mut self, item: &Item) -> Compiled<ListItem> {
        let value = match item {
            Item::Skip(_) => return Ok(ListItem::Skip),
            Item::List(list, _) => return Ok(ListItem::List(self.list_source(list)?)),
            Item::Value(value) => value,
        };
        if let Some(name) = unknown_mnemonic(&value.value) {
            // Another program may give it a meaning, and a printer file takes any: the statement decides when it runs.
            if !self.own_mnemonics.contains(name) {
                self.report(UNKNOWN_MNEMONIC, &format!("mnemonic '{name}' is not known"));
            }
        }
        let is_range = matches!(value.value.kind, ExprKind::Range(..) | ExprKind::Append(_));
        let target = match can_be_assigned(&value.value) {
            true => Some(self.target(&value.value)?),
            false => None,
        };
        let expression = match (is_range, is_text(&value.value)) {
            (true, true) => Expr::Text(TextExpr::Constant(Box::new([]))),
            (true, false) => Expr::Number(super::expression::one()),
            _ => self.expression(&value.value)?,
        };
        let mut branches = Vec::new();
        for (key, to) in &value.branches {
            let key = match &key.kind {
                ExprKind::Mnemonic(name, _) if name == "ERR" => None,
                _ => Some(self.expression(key)?),
            };
            branches.push((key, self.destination(to)));
        }
        let mut formats = Vec::new();
        for format in &value.formats {
            let arguments = format.arguments.iter().map(|value| self.expression(value)).collect::<Compiled<_>>()?;
            let size = format.size.as_ref().map(|size| self.number_expr(size)).transpose()?;
            let separator = format.separator.as_ref().map(|separator| self.text(separator)).transpose()?;
            formats.push(ListFormat { name: format.name.clone(), arguments, size, separator });
        }
        let mask = value.mask.as_ref().map(|mask| self.text(mask)).transpose()?;
        let limit = match value.limit.as_deref() {
            None => None,
            Some(tree::InputLimit::Length(least, most)) => {
                let most = most.as_ref().map(|most| self.number_expr(most)).transpose()?;
                Some(InputLimit::Length(self.number_expr(least)?, most))
            }
            Some(tree::InputLimit::Range(value)) => Some(InputLimit::Range(self.number_expr(value)?)),
        };
        Ok(ListItem::Value(Box::new(ListValue { value: expression, target, mask, formats, branches, limit })))
    }

    /// The list of a composite string: the variables of an IOLIST with its name before theirs.
    pub(super) fn composite_list(&mut self, name: &tree::Name, list: &tree::ListRef) -> Compiled<ListId> {
        let mut items = self.listed_items(list, 0)?;
        let text = self.list_text(&items);
        for item in &mut items {
            if let Item::Value(value) = item {
                prefix_variable(&mut value.value, &name.text);
            }
        }
        let list = List { text, ..self.list(&items)? };
        Ok(self.add_list(list))
    }

    /// The items of an IOLIST, with those of the lists in it.
    fn listed_items(&self, list: &tree::ListRef, depth: usize) -> Compiled<Vec<Item>> {
        let tree::ListRef::Target(target) = list else {
            return Err((99, "a composite string needs the line or the label of an IOLIST".to_owned()));
        };
        let items = self.line_of(target).and_then(|line| self.iolist_items.get(&line));
        let Some(items) = items.filter(|_| depth < 20) else { return Err((81, "no IOLIST there".to_owned())) };
        let mut all = Vec::new();
        for item in items {
            match item {
                Item::List(inner, _) => all.extend(self.listed_items(inner, depth + 1)?),
                item => all.push(item.clone()),
            }
        }
        Ok(all)
    }

    /// `IOLIST A$,B`: the text of a list, which IOL( ) returns.
    fn list_text(&self, items: &[Item]) -> Vec<u8> {
        let kind = tree::Kind::Iolist(items.to_vec());
        let directives = vec![tree::Directive { place: self.place, kind }];
        print::statement(&tree::Line { number: 0, place: self.place, label: None, bytes: 0, directives })
    }

    /// The list of an IOLIST line takes the place that it was given before.
    pub(super) fn iolist(&mut self, items: &[Item]) -> Compiled<()> {
        let Some(id) = self.program.iolists.get(&self.line).copied() else { return Ok(()) };
        let list = List { text: self.list_text(items), ..self.list(items)? };
        self.program.lists[id as usize] = std::rc::Rc::new(list);
        Ok(())
    }
}

/// Puts the name of a composite string before that of a variable of its list.
pub(crate) fn prefix_variable(value: &mut tree::Expr, prefix: &str) {
    if let ExprKind::Variable(name) | ExprKind::Element(name, _) | ExprKind::Range(name, _) = &mut value.kind {
        name.text = format!("{prefix}.{}", name.text);
    }
}

fn can_be_assigned(value: &tree::Expr) -> bool {
    match &value.kind {
        ExprKind::Variable(_) | ExprKind::Element(..) | ExprKind::Append(_) | ExprKind::Range(..) => true,
        ExprKind::Property(_, _, None) | ExprKind::Field(..) => true,
        ExprKind::Substring(base, ..) => can_be_assigned(base),
        _ => false,
    }
}

fn is_plain(item: &ListItem) -> bool {
    match item {
        ListItem::Skip => true,
        ListItem::List(_) => false,
        ListItem::Value(value) => {
            matches!(value.target, Some(Target::Number(..) | Target::Text(_)))
                && value.mask.is_none()
                && value.formats.is_empty()
        }
    }
}

/// The first mnemonic of an item that no face knows. The same notation names parameters in arguments of functions, which stay out.
fn unknown_mnemonic(value: &tree::Expr) -> Option<&str> {
    match &value.kind {
        ExprKind::Mnemonic(name, _) => (!Mnemonic::is_known(name)).then_some(name),
        ExprKind::Group(operand) => unknown_mnemonic(operand),
        ExprKind::Binary(tree::Binary::Add, left, right) => unknown_mnemonic(left).or_else(|| unknown_mnemonic(right)),
        _ => None,
    }
}
