//! Expressions: the tree of one kind to trees of two types.

use super::{Compiled, Compiler};
use crate::code::*;
use crate::functions;
use crate::number::Number;
use crate::number_text::parse_literal;
use crate::variables::Storage;
use mainstay_basic_syntax::tree::{self, Binary, ExprKind, Name, NameKind, Unary};
use mainstay_basic_syntax::words;

/// The expression gives a string.
pub(crate) fn is_text(value: &tree::Expr) -> bool {
    match &value.kind {
        ExprKind::Number(_) => false,
        ExprKind::Text(_) | ExprKind::Hex(_) | ExprKind::Mnemonic(..) | ExprKind::At(_) => true,
        ExprKind::Substring(..) => true,
        ExprKind::Variable(name)
        | ExprKind::Element(name, _)
        | ExprKind::Append(name)
        | ExprKind::Range(name, _)
        | ExprKind::Removed(name, _)
        | ExprKind::Bump(name, ..)
        | ExprKind::Property(_, name, _)
        | ExprKind::Field(_, name, _)
        | ExprKind::User(name, _) => name.kind == NameKind::Text,
        ExprKind::System(word) => words::is_text_variable(word),
        ExprKind::Call(call) => {
            let is_text_at = |index: usize| {
                call.arguments.get(index).and_then(|argument| argument.value.as_ref()).is_some_and(is_text)
            };
            // TBL translates a string, or chooses one of the values behind a number.
            // XEQ has the type of the expression behind the program.
            let argument_is_text = match call.name.as_str() {
                "TBL" => is_text_at(0) || is_text_at(1),
                "XEQ" => is_text_at(1),
                _ => is_text_at(0),
            };
            functions::gives_text(&call.name, argument_is_text, &call.words)
        }
        ExprKind::Unary(_, operand) | ExprKind::Group(operand) => is_text(operand),
        ExprKind::Binary(Binary::Add, left, _) => is_text(left),
        ExprKind::Binary(..) => false,
    }
}

/// The comparison of an operator.
pub(super) fn comparison(op: Binary) -> Option<Comparison> {
    Some(match op {
        Binary::Equal => Comparison::Equal,
        Binary::NotEqual => Comparison::NotEqual,
        Binary::Less => Comparison::Less,
        Binary::LessOrEqual => Comparison::LessOrEqual,
        Binary::Greater => Comparison::Greater,
        Binary::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

fn wrong_type<T>() -> Compiled<T> {
    Err((26, "a number and a string are mixed".to_owned()))
}

impl Compiler<'_> {
    /// An expression of its own type.
    pub(super) fn expression(&mut self, value: &tree::Expr) -> Compiled<Expr> {
        Ok(match is_text(value) {
            true => Expr::Text(self.text(value)?),
            false => Expr::Number(self.number_expr(value)?),
        })
    }

    /// A condition: a number, or a string that is not blank.
    pub(super) fn condition(&mut self, value: &tree::Expr) -> Compiled<NumberExpr> {
        match is_text(value) {
            true => Ok(NumberExpr::Truth(Box::new(self.text(value)?))),
            false => self.number_expr(value),
        }
    }

    pub(super) fn number_exprs(&mut self, values: &[tree::Expr]) -> Compiled<Box<[NumberExpr]>> {
        values.iter().map(|value| self.number_expr(value)).collect()
    }

    pub(super) fn number_expr(&mut self, value: &tree::Expr) -> Compiled<NumberExpr> {
        if is_text(value) {
            return wrong_type();
        }
        Ok(match &value.kind {
            ExprKind::Number(text) => {
                let number = parse_literal(text.as_bytes()).ok_or((40, "number out of range".to_owned()))?;
                NumberExpr::Constant(number.normalized())
            }
            ExprKind::Variable(name) if is_function_name(name) => self.user(name, &[])?,
            ExprKind::Field(..) => NumberExpr::Field(self.field(value)?),
            ExprKind::Variable(name) | ExprKind::Element(name, _) if self.may_be_element(name) => {
                NumberExpr::Field(self.field(value)?)
            }
            ExprKind::Variable(name) => NumberExpr::Variable(self.symbol(name, Storage::Number)),
            ExprKind::Element(name, indexes) if is_keyword(indexes) => {
                NumberExpr::Keyed(self.symbol(name, Storage::Numbers), Box::new(self.text(&indexes[0])?))
            }
            ExprKind::Element(name, indexes) => {
                NumberExpr::Element(self.symbol(name, Storage::Numbers), self.number_exprs(indexes)?)
            }
            ExprKind::Range(name, bounds) if self.each => {
                NumberExpr::Each(self.symbol(name, Storage::Numbers), self.range_bounds(bounds.as_ref())?)
            }
            ExprKind::Removed(name, index) => {
                NumberExpr::Removed(self.symbol(name, Storage::Numbers), Box::new(self.number_expr(index)?))
            }
            ExprKind::Bump(name, up, is_post) => {
                let step = if *up { 1 } else { -1 };
                match self.may_be_element(name) {
                    true => {
                        let variable = tree::Expr { place: value.place, kind: ExprKind::Variable(name.clone()) };
                        NumberExpr::BumpField(self.field(&variable)?, step, *is_post)
                    }
                    false => NumberExpr::Bump(self.symbol(name, Storage::Number), step, *is_post),
                }
            }
            ExprKind::System(word) => {
                let (name, function) = functions::number_variable(word).ok_or_else(|| unknown(word))?;
                NumberExpr::Call(Box::new(empty_call(name)), function)
            }
            ExprKind::Call(call) => {
                let (name, function) = functions::number_function(&call.name).ok_or_else(|| unknown(&call.name))?;
                NumberExpr::Call(Box::new(self.call(name, call)?), function)
            }
            ExprKind::User(name, arguments) => self.user(name, arguments)?,
            ExprKind::Property(object, name, arguments) => {
                NumberExpr::Member(Box::new(self.member_use(object, name, arguments.as_ref())?))
            }
            ExprKind::Unary(Unary::Plus, operand) | ExprKind::Group(operand) => self.number_expr(operand)?,
            ExprKind::Unary(Unary::Minus, operand) => match self.number_expr(operand)? {
                NumberExpr::Constant(number) => NumberExpr::Constant(number.negated()),
                operand => NumberExpr::Negate(Box::new(operand)),
            },
            ExprKind::Unary(Unary::Not, operand) => NumberExpr::Not(Box::new(self.condition(operand)?)),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            _ => return Err((26, "an array cannot stand in an expression".to_owned())),
        })
    }

    fn user(&mut self, name: &Name, arguments: &[tree::Expr]) -> Compiled<NumberExpr> {
        Ok(NumberExpr::User(Box::new(self.user_call(name, arguments)?)))
    }

    fn user_call(&mut self, name: &Name, arguments: &[tree::Expr]) -> Compiled<UserCall> {
        let arguments = arguments.iter().map(|argument| self.expression(argument)).collect::<Compiled<_>>()?;
        let suffix = if name.kind == NameKind::Text { "$" } else { "" };
        Ok(UserCall { name: format!("{}{suffix}", name.text), arguments })
    }

    fn binary(&mut self, op: Binary, left: &tree::Expr, right: &tree::Expr) -> Compiled<NumberExpr> {
        if let Some(comparison) = comparison(op) {
            return Ok(match (is_text(left), is_text(right)) {
                (true, true) => NumberExpr::CompareText(comparison, Box::new((self.text(left)?, self.text(right)?))),
                (false, false) => {
                    NumberExpr::Compare(comparison, Box::new((self.number_expr(left)?, self.number_expr(right)?)))
                }
                _ => return wrong_type(),
            });
        }
        if op == Binary::Like {
            return Ok(NumberExpr::Like(Box::new((self.text(left)?, self.text(right)?))));
        }
        if matches!(op, Binary::And | Binary::Or) {
            let operands = Box::new((self.condition(left)?, self.condition(right)?));
            return Ok(if op == Binary::And { NumberExpr::And(operands) } else { NumberExpr::Or(operands) });
        }
        let operands = Box::new((self.number_expr(left)?, self.number_expr(right)?));
        Ok(match op {
            Binary::Add => NumberExpr::Add(operands),
            Binary::Subtract => NumberExpr::Subtract(operands),
            Binary::Multiply => fold(operands),
            Binary::Divide => NumberExpr::Divide(operands),
            Binary::Remainder => NumberExpr::Remainder(operands),
            _ => NumberExpr::Power(operands),
        })
    }

    pub(super) fn texts(&mut self, values: &[tree::Expr]) -> Compiled<Vec<TextExpr>> {
        values.iter().map(|value| self.text(value)).collect()
    }

    pub(super) fn text(&mut self, value: &tree::Expr) -> Compiled<TextExpr> {
        if !is_text(value) {
            return wrong_type();
        }
        Ok(match &value.kind {
            ExprKind::Text(text) | ExprKind::Hex(text) => TextExpr::Constant(text.clone().into()),
            ExprKind::Variable(name) if is_function_name(name) => TextExpr::User(Box::new(self.user_call(name, &[])?)),
            ExprKind::Field(..) => TextExpr::Field(self.field(value)?),
            ExprKind::Variable(name) | ExprKind::Element(name, _) if self.may_be_element(name) => {
                TextExpr::Field(self.field(value)?)
            }
            ExprKind::Variable(name) if self.composites.contains(name) => {
                TextExpr::Composite(self.symbol(name, Storage::Text))
            }
            ExprKind::Variable(name) => TextExpr::Variable(self.symbol(name, Storage::Text)),
            ExprKind::Range(name, bounds) if self.each => {
                TextExpr::Each(self.symbol(name, Storage::Texts), self.range_bounds(bounds.as_ref())?)
            }
            ExprKind::Removed(name, index) => {
                TextExpr::Removed(self.symbol(name, Storage::Texts), Box::new(self.number_expr(index)?))
            }
            ExprKind::Element(name, indexes) if is_keyword(indexes) => {
                TextExpr::Keyed(self.symbol(name, Storage::Texts), Box::new(self.text(&indexes[0])?))
            }
            ExprKind::Element(name, indexes) => {
                TextExpr::Element(self.symbol(name, Storage::Texts), self.number_exprs(indexes)?)
            }
            ExprKind::Substring(base, position, length) => TextExpr::Substring(Box::new(Substring {
                base: self.text(base)?,
                position: self.number_expr(position)?,
                length: length.as_ref().map(|length| self.number_expr(length)).transpose()?,
            })),
            ExprKind::System(word) => {
                let (name, function) = functions::text_variable(word).ok_or_else(|| unknown(word))?;
                TextExpr::Call(Box::new(empty_call(name)), function)
            }
            ExprKind::Call(call) => {
                let (name, function) = functions::text_function(&call.name).ok_or_else(|| unknown(&call.name))?;
                TextExpr::Call(Box::new(self.call(name, call)?), function)
            }
            ExprKind::User(name, arguments) => TextExpr::User(Box::new(self.user_call(name, arguments)?)),
            ExprKind::Property(object, name, arguments) => {
                TextExpr::Member(Box::new(self.member_use(object, name, arguments.as_ref())?))
            }
            ExprKind::Mnemonic(name, arguments) => {
                let arguments =
                    arguments.iter().map(|argument| self.expression(argument)).collect::<Compiled<Vec<_>>>()?;
                TextExpr::Mnemonic(name.as_str().into(), arguments.into())
            }
            ExprKind::At(arguments) => TextExpr::Position(self.number_exprs(arguments)?),
            ExprKind::Group(operand) => self.text(operand)?,
            ExprKind::Binary(Binary::Add, left, right) => {
                let mut parts = Vec::new();
                self.concatenate(left, &mut parts)?;
                self.concatenate(right, &mut parts)?;
                TextExpr::Concatenate(parts.into())
            }
            _ => return Err((26, "this cannot stand in a string expression".to_owned())),
        })
    }

    fn concatenate(&mut self, value: &tree::Expr, parts: &mut Vec<TextExpr>) -> Compiled<()> {
        match &value.kind {
            ExprKind::Binary(Binary::Add, left, right) if is_text(value) => {
                self.concatenate(left, parts)?;
                self.concatenate(right, parts)
            }
            _ => {
                parts.push(self.text(value)?);
                Ok(())
            }
        }
    }

    fn call(&mut self, name: &'static str, call: &tree::Call) -> Compiled<Call> {
        let mut arguments =
            call.arguments.iter().map(|argument| self.argument(argument)).collect::<Compiled<Vec<_>>>()?;
        if let ("DIM", false, Some(first)) = (name, call.words.is_empty(), arguments.first_mut())
            && let Some(tree::Expr { kind: ExprKind::Variable(array), .. }) = &call.arguments[0].value
        {
            first.variable = Some(self.array(array));
        }
        if let ("XFA" | "VIS" | "VIN", Some(first)) = (name, arguments.first_mut())
            && let Some(tree::Expr { kind: ExprKind::Variable(string), .. }) = &call.arguments[0].value
            && string.kind == NameKind::Text
        {
            first.variable = Some(VariableRef::Text(self.symbol(string, Storage::Text)));
        }
        let options = self.options(&call.options)?;
        let call = Call { name, arguments, options, relation: call.relation.unwrap_or("="), words: call.words.clone() };
        functions::check(&call)?;
        Ok(call)
    }

    fn argument(&mut self, argument: &tree::Argument) -> Compiled<Argument> {
        let variable = argument.value.as_ref().and_then(|value| self.variable(value));
        let is_array = !self.each && matches!(variable, Some(VariableRef::Numbers(_) | VariableRef::Texts(_)));
        Ok(Argument {
            prefix: argument.prefix,
            value: match &argument.value {
                Some(value) if !is_array => Some(self.expression(value)?),
                _ => None,
            },
            mask: argument.mask.as_ref().map(|mask| self.text(mask)).transpose()?,
            variable,
        })
    }

    /// The bounds of a range.
    pub(super) fn range_bounds(
        &mut self,
        bounds: Option<&(Box<tree::Expr>, Box<tree::Expr>)>,
    ) -> Compiled<Option<Box<(NumberExpr, NumberExpr)>>> {
        match bounds {
            None => Ok(None),
            Some((first, last)) => Ok(Some(Box::new((self.number_expr(first)?, self.number_expr(last)?)))),
        }
    }

    /// The variable or array that an expression is, if it is nothing else.
    pub(super) fn variable(&mut self, value: &tree::Expr) -> Option<VariableRef> {
        match &value.kind {
            ExprKind::Variable(name) if self.composites.contains(name) || self.may_be_element(name) => None,
            ExprKind::Variable(name) => Some(self.scalar(name)),
            ExprKind::Range(name, None) => Some(self.array(name)),
            _ => None,
        }
    }

    /// A number or a string.
    pub(super) fn scalar(&mut self, name: &Name) -> VariableRef {
        match name.kind {
            NameKind::Text => VariableRef::Text(self.symbol(name, Storage::Text)),
            kind => VariableRef::Number(self.symbol(name, Storage::Number), kind == NameKind::Whole),
        }
    }

    pub(super) fn array(&mut self, name: &Name) -> VariableRef {
        match name.kind {
            NameKind::Text => VariableRef::Texts(self.symbol(name, Storage::Texts)),
            _ => VariableRef::Numbers(self.symbol(name, Storage::Numbers)),
        }
    }
}

/// A subscript that is a string is the keyword of an element.
pub(super) fn is_keyword(indexes: &[tree::Expr]) -> bool {
    matches!(indexes, [index] if is_text(index))
}

/// `FNX` without parentheses is a call.
fn is_function_name(name: &Name) -> bool {
    !name.global && name.text.len() > 2 && name.text.starts_with("FN")
}

fn unknown(word: &str) -> (u16, String) {
    (99, format!("{word} is not supported"))
}

fn empty_call(name: &'static str) -> Call {
    Call { name, arguments: Vec::new(), options: Options::default(), relation: "=", words: Vec::new() }
}

/// A product of two literals, as in `32*1024`.
fn fold(operands: Box<(NumberExpr, NumberExpr)>) -> NumberExpr {
    if let (NumberExpr::Constant(left), NumberExpr::Constant(right)) = &*operands
        // Decimals may be rounded as parameters say when the product is needed.
        && left.scale() <= 0
        && right.scale() <= 0
        && let Ok(product) = left.multiply(*right)
    {
        return NumberExpr::Constant(product);
    }
    NumberExpr::Multiply(operands)
}

/// The literal 1.
pub(super) fn one() -> NumberExpr {
    NumberExpr::Constant(Number::ONE)
}
