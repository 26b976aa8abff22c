//! Compiles a tree to a program, and checks every type.
//!
//! Expressions that might behave differently from the programs that write these files are refused: anything but a field
//! of the table, a function of [`super::catalog`], or an operator between fitting types is an error here, with its
//! place in the text. Only errors that depend on a record's data are left to the evaluation.

use super::catalog::{self, Builtin, Function, nearest};
use super::field::{self, FieldReader};
use super::machine::{MAX_TEXT, MOST_OF_MEMOS, Op, Origin, Program, Slot, Text};
use super::number::{self, Number};
use super::tree::{Binary, Node, NodeKind, Unary};
use super::types::{Context, Dialect, Kind, Memos, NumberForm, TextLength, Width};
use super::typing::{self, Typed};
use super::{passes_null, unsupported};
use crate::dbf::Field;
use mainstay_types::{Code, Error, Result};

/// Functions that only Clipper and its family have.
const CLIPPER_ONLY: &[Builtin] = &[
    Builtin::Bin2I,
    Builtin::Bin2L,
    Builtin::Bin2W,
    Builtin::Descend,
    Builtin::I2Bin,
    Builtin::L2Bin,
    Builtin::Reverse,
    Builtin::SToTS,
    Builtin::StrZero,
    Builtin::TToS,
];
/// Functions about NULL, which only Visual FoxPro's keys have.
const FOXPRO_ONLY: &[Builtin] = &[Builtin::IsNull, Builtin::Nvl];

pub(super) struct Compiler<'c, 'f> {
    context: &'c Context<'f>,
    pub(super) program: Program,
    /// The number in `context.fields` of each field of the program.
    pub(super) fields: Vec<usize>,
}

fn mismatch(node: &Node, message: String) -> Error {
    Error::new(Code::TypeMismatch, message).span(node.span.0, node.span.1)
}

impl<'c, 'f> Compiler<'c, 'f> {
    pub(super) fn new(context: &'c Context<'f>) -> Compiler<'c, 'f> {
        let program = Program {
            ops: Vec::new(),
            constants: Vec::new(),
            fields: Vec::new(),
            case: context.case.clone(),
            dialect: context.dialect,
            layout: context.layout(),
            exact: context.exact,
            memos: context.memos.clone(),
        };
        Compiler { context, program, fields: Vec::new() }
    }

    /// The static type of a part, without keeping its code.
    pub(super) fn type_of(context: &Context<'_>, node: &Node) -> Result<Typed> {
        Compiler::new(context).lower(node)
    }

    fn emit(&mut self, op: Op) -> usize {
        self.program.ops.push(op);
        self.program.ops.len() - 1
    }

    /// Makes the jump at `place` lead to the next op.
    fn land(&mut self, place: usize) {
        let next = self.program.ops.len();
        if let Some(
            Op::Jump(target) | Op::JumpIfFalse(target) | Op::JumpUnlessTrue { target, .. } | Op::JumpKeeping(_, target),
        ) = self.program.ops.get_mut(place)
        {
            *target = next;
        }
    }

    pub(super) fn lower(&mut self, node: &Node) -> Result<Typed> {
        match &node.kind {
            NodeKind::Text(text) => Ok(self.literal(text)),
            NodeKind::Number(digits) => {
                let number = number::value_of(digits.as_bytes());
                let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
                self.emit(Op::Push(Slot::Number(number)));
                Ok(Typed::constant(number, typing::literal_form(number, decimals.len(), whole.len())))
            }
            NodeKind::Logical(value) => {
                self.emit(Op::Push(Slot::Logical(*value)));
                Ok(Typed::of(Kind::Logical))
            }
            NodeKind::Date(day) => {
                self.emit(Op::Push(Slot::Date(*day)));
                Ok(Typed::of(Kind::Date))
            }
            NodeKind::Timestamp(day, ms) => {
                self.emit(Op::Push(Slot::Timestamp(*day, *ms)));
                Ok(Typed::of(Kind::Timestamp))
            }
            NodeKind::Name { name, .. } => {
                let (number, typed) = self.field(node, name)?;
                self.emit(self.reading(number));
                Ok(typed)
            }
            NodeKind::Unary(operator, operand) => self.unary(*operator, operand),
            NodeKind::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
                self.connective(*operator, left, right)
            }
            NodeKind::Binary(operator, left, right) => self.binary(node, *operator, left, right),
            NodeKind::Call { name, function, arguments } => match function {
                Some(function) => self.call(node, function, arguments),
                None => Err(catalog::refusal(name).span(node.span.0, node.span.0 + name.len())),
            },
        }
    }

    fn literal(&mut self, text: &[u8]) -> Typed {
        let start = self.program.constants.len();
        self.program.constants.extend_from_slice(text);
        self.emit(Op::Push(Slot::Text(Text { origin: Origin::Constant, start, length: text.len() })));
        Typed { literal: Some(text.to_vec()), ..Typed::text(TextLength::exactly(text.len())) }
    }

    fn constant(&mut self, value: i64) -> Typed {
        let number = Number::Integer(value);
        self.emit(Op::Push(Slot::Number(number)));
        Typed::constant(number, typing::literal_form(number, 0, 0))
    }

    /// The number of a field in the program, and its type.
    fn field(&mut self, node: &Node, name: &str) -> Result<(usize, Typed)> {
        let (position, field) = self.find(node, name)?;
        let is_memo = field::is_memo(field.kind);
        let kind = match field::kind_of(field) {
            Some(kind) => kind,
            None if is_memo && self.is_condition() => Kind::Character,
            None => {
                let what = if is_memo { "a memo" } else { "a field of its kind" };
                return Err(unsupported(node.span, format!("{}: {what} cannot be part of a key", field.name)));
            }
        };
        let typed = match kind {
            Kind::Character if is_memo => Typed::text(TextLength::at_most(MOST_OF_MEMOS)),
            Kind::Character => Typed::text(field::text_length(field)),
            Kind::Numeric => Typed::numeric(Some(field::form(field))),
            _ => Typed::of(kind),
        };
        let number = self.fields.iter().position(|known| *known == position).unwrap_or_else(|| {
            self.fields.push(position);
            self.program.fields.push(FieldReader::new(field));
            self.fields.len() - 1
        });
        Ok((number, typed))
    }

    /// The op that reads a field of the program.
    fn reading(&self, number: usize) -> Op {
        match (self.program.fields.get(number), self.fields.get(number)) {
            (Some(reader), Some(field)) if reader.is_memo() => Op::Memo(number, *field),
            _ => Op::Field(number),
        }
    }

    fn find(&self, node: &Node, name: &str) -> Result<(usize, &'f Field)> {
        let fields = self.context.fields;
        let named = |wanted: &str| fields.iter().position(|field| field.name.eq_ignore_ascii_case(wanted));
        // Names in a header end at ten characters; what is written longer means the same field.
        let found = named(name).or_else(|| name.get(..10).filter(|_| name.len() > 10).and_then(named));
        if let Some(position) = found {
            return Ok((position, &fields[position]));
        }
        let error = Error::new(Code::UnknownColumn, format!("the table has no field {name}"));
        let error = error.span(node.span.0, node.span.1);
        Err(match nearest(name, fields.iter().map(|field| field.name.as_str())) {
            Some(near) => error.hint(format!("did you mean {near}?")),
            None => error.hint("variables of the program that made the index are not in the file"),
        })
    }

    fn unary(&mut self, operator: Unary, operand: &Node) -> Result<Typed> {
        let start = self.program.ops.len();
        let typed = self.lower(operand)?;
        match (operator, typed.kind) {
            (Unary::Not, Kind::Logical) => {
                self.emit(Op::Not);
                Ok(typed)
            }
            (Unary::Negate, Kind::Numeric) => {
                if let Some(number) = typed.number {
                    self.program.ops.truncate(start);
                    self.emit(Op::Push(Slot::Number(number.negate())));
                } else {
                    self.emit(Op::Negate);
                }
                let form = typed.form.map(|form| NumberForm { width: Width::Natural, ..form });
                Ok(Typed { form, number: typed.number.map(Number::negate), ..typed })
            }
            (Unary::Not, kind) => {
                Err(mismatch(operand, format!(".NOT. takes a logical value, and this is {}", kind.name())))
            }
            (Unary::Negate, kind) => Err(mismatch(operand, format!("- takes a number, and this is {}", kind.name()))),
        }
    }

    /// `.AND.` and `.OR.` do not look at the right side when the left one decides.
    fn connective(&mut self, operator: Binary, left: &Node, right: &Node) -> Result<Typed> {
        let mut jump = None;
        for operand in [left, right] {
            let typed = self.lower(operand)?;
            if typed.kind != Kind::Logical {
                let message = format!("{} takes logical values, and this is {}", operator.symbol(), typed.kind.name());
                return Err(mismatch(operand, message));
            }
            if jump.is_none() {
                jump = Some(self.emit(Op::JumpKeeping(operator == Binary::Or, 0)));
            }
        }
        if let Some(jump) = jump {
            self.land(jump);
        }
        Ok(Typed::of(Kind::Logical))
    }

    fn binary(&mut self, node: &Node, operator: Binary, left: &Node, right: &Node) -> Result<Typed> {
        let start = self.program.ops.len();
        let (first, second) = (self.lower(left)?, self.lower(right)?);
        if let Some(folded) = typing::folded(operator, &first, &second)
            && let Some(number) = folded.number
        {
            self.program.ops.truncate(start);
            self.emit(Op::Push(Slot::Number(number)));
            return Ok(folded);
        }
        self.emit(Op::Binary(operator));
        self.operation(operator, &first, &second).ok_or_else(|| {
            let (left, right) = (first.kind.name(), second.kind.name());
            mismatch(node, format!("{} does not take {left} and {right}", operator.symbol()))
        })
    }

    /// The type of an operator between two values; `None` if there is no such operator.
    fn operation(&self, operator: Binary, left: &Typed, right: &Typed) -> Option<Typed> {
        use Kind::*;
        let clipper = self.context.dialect == Dialect::Clipper;
        match operator {
            Binary::Plus | Binary::Minus => match (left.kind, right.kind) {
                (Character, Character) => Some(Typed::text(left.text.plus(right.text))),
                (Numeric, Numeric) => Some(Typed::numeric(typing::arithmetic(operator, left, right))),
                (Date, Numeric) => Some(Typed::of(Date)),
                (Numeric, Date) if operator == Binary::Plus => Some(Typed::of(Date)),
                (Date, Date) if operator == Binary::Minus => Some(Typed::numeric(Some(NumberForm::natural(true, 0)))),
                // FoxPro counts seconds where Clipper's family counts days.
                (Timestamp, Numeric) if clipper => Some(Typed::of(Timestamp)),
                (Timestamp, Timestamp) if clipper && operator == Binary::Minus => Some(Typed::numeric(None)),
                _ => None,
            },
            Binary::Multiply | Binary::Divide | Binary::Modulo | Binary::Power => {
                let numbers = left.kind == Numeric && right.kind == Numeric;
                numbers.then(|| Typed::numeric(typing::arithmetic(operator, left, right)))
            }
            Binary::Contained => (left.kind == Character && right.kind == Character).then(|| Typed::of(Logical)),
            // Clipper's family compares the days of a date and a timestamp.
            _ => {
                let moment = |kind| matches!(kind, Date | Timestamp);
                let days = clipper && moment(left.kind) && moment(right.kind);
                (left.kind == right.kind || days).then(|| Typed::of(Logical))
            }
        }
    }

    fn call(&mut self, node: &Node, function: &'static Function, arguments: &[Node]) -> Result<Typed> {
        self.check_count(node, function, arguments.len())?;
        let only_elsewhere = if self.context.dialect == Dialect::FoxPro { CLIPPER_ONLY } else { FOXPRO_ONLY };
        // Conditions of Advantage's programs ask for NULL in any table.
        let asks_for_null = self.is_condition() && FOXPRO_ONLY.contains(&function.builtin);
        if only_elsewhere.contains(&function.builtin) && !asks_for_null {
            return Err(unsupported(
                node.span,
                format!("{}() does not exist in {:?}", function.name, self.context.dialect),
            ));
        }
        match function.builtin {
            Builtin::Iif => return self.choice(function, arguments),
            Builtin::Nvl | Builtin::IsNull => return self.null_test(function, arguments),
            _ => {}
        }
        let mut types = Vec::with_capacity(arguments.len());
        for (position, argument) in arguments.iter().enumerate() {
            let typed = self.lower(argument)?;
            check_kind(function, position, argument, typed.kind)?;
            let typed = if position == 0 { self.padded_number(node, function, typed)? } else { typed };
            types.push(typed);
        }
        self.check_special(node, function, arguments, &types)?;
        self.complete(node, function, &mut types)?;
        self.emit(Op::Call(function.builtin, u8::try_from(types.len()).unwrap_or(u8::MAX)));
        let typed = typing::result(function.builtin, &types);
        if typed.kind == Kind::Character && typed.text.min > MAX_TEXT {
            return Err(unsupported(node.span, format!("the text is over {MAX_TEXT} bytes")));
        }
        Ok(typed)
    }

    /// Returns true if this is no key: what a program asks of records at that moment may have memos.
    fn is_condition(&self) -> bool {
        !matches!(self.context.memos, Memos::None)
    }

    fn check_count(&self, node: &Node, function: &Function, count: usize) -> Result<()> {
        let least = function.arguments.bytes().filter(u8::is_ascii_uppercase).count();
        let repeats = function.arguments.ends_with('*');
        let most = if repeats { 100 } else { function.arguments.len() };
        if (least..=most).contains(&count) {
            return Ok(());
        }
        let takes = match (least, most) {
            (least, most) if least == most => format!("{least}"),
            (least, _) if repeats => format!("{least} or more"),
            (least, most) => format!("{least} to {most}"),
        };
        let message = format!("{}() takes {takes} arguments, and here are {count}", function.name);
        Err(Error::new(Code::UnknownFunction, message).span(node.span.0, node.span.1))
    }

    /// Rules that a letter for each argument cannot say.
    fn check_special(&self, node: &Node, function: &Function, arguments: &[Node], types: &[Typed]) -> Result<()> {
        let fox = self.context.dialect == Dialect::FoxPro;
        let refused = |message: &str| Err(unsupported(node.span, format!("{}() {message}", function.name)));
        let is_one = |typed: Option<&Typed>| typed.and_then(|typed| typed.number) == Some(Number::Integer(1));
        match function.builtin {
            Builtin::Between | Builtin::InList | Builtin::Max | Builtin::Min => {
                if let Some(other) = types.iter().position(|typed| typed.kind != types[0].kind) {
                    let message = format!("{}() takes values of one type", function.name);
                    return Err(mismatch(&arguments[other], message));
                }
                let extreme = matches!(function.builtin, Builtin::Max | Builtin::Min);
                match (extreme, types[0].kind) {
                    (true, Kind::Character) if !fox => refused("does not take texts in Clipper"),
                    (true, _) if !fox && types.len() > 2 => refused("takes two values in Clipper"),
                    _ => Ok(()),
                }
            }
            Builtin::DToC if types.len() > 1 && !(fox && is_one(types.get(1))) => {
                refused("with a second argument is understood as DTOC(date,1), of FoxPro, only")
            }
            Builtin::TToC if !is_one(types.get(1)) => {
                refused("is understood as TTOC(time,1) only: the rest depends on SET DATE")
            }
            Builtin::CToD
                if fox && types[0].literal.as_ref().is_none_or(|text| text.iter().any(u8::is_ascii_digit)) =>
            {
                refused("depends on SET DATE and SET CENTURY")
                    .map_err(|error| error.hint("only CTOD('') is the same everywhere"))
            }
            Builtin::Transform if types[0].kind != Kind::Character || types[1].literal.as_deref() != Some(b"@!") => {
                refused("is understood with a text and \"@!\" only")
            }
            Builtin::BinToC if types.len() > 1 && !matches!(types[1].number, Some(Number::Integer(1 | 2 | 4))) => {
                refused("is understood with 1, 2 or 4 bytes only")
            }
            Builtin::Week if !self.is_condition() => refused("depends on the program's first day of a week"),
            Builtin::SubStr if fox && types[1].number.is_some_and(|start| start.as_i64() < 1) => {
                refused("from a place before the text has no documented result")
            }
            Builtin::PadL | Builtin::PadR | Builtin::PadC if !matches!(types[0].kind, Kind::Character | Kind::Date) => {
                refused("is understood with texts, numbers and dates only")
            }
            Builtin::PadL | Builtin::PadR | Builtin::PadC if fox && types[0].kind == Kind::Date => {
                refused("is understood with texts only in FoxPro")
            }
            _ => Ok(()),
        }
    }

    /// PADx() of a number pads what STR() prints, without its blanks: prints it first.
    fn padded_number(&mut self, node: &Node, function: &Function, typed: Typed) -> Result<Typed> {
        let pads = matches!(function.builtin, Builtin::PadL | Builtin::PadR | Builtin::PadC);
        if !pads || typed.kind != Kind::Numeric {
            return Ok(typed);
        }
        if self.context.dialect == Dialect::FoxPro {
            return Err(unsupported(node.span, format!("{}() is understood with texts only in FoxPro", function.name)));
        }
        let mut types = vec![typed];
        self.print_form(node, &mut types)?;
        self.emit(Op::Call(Builtin::Str, if types.len() > 2 { 3 } else { 2 }));
        self.emit(Op::Call(Builtin::LTrim, 1));
        Ok(Typed::text(TextLength::at_most(typing::result(Builtin::Str, &types).text.max)))
    }

    /// Adds the arguments that were left out and that the machine wants.
    fn complete(&mut self, node: &Node, function: &Function, types: &mut Vec<Typed>) -> Result<()> {
        match (function.builtin, types.len()) {
            (Builtin::Str | Builtin::StrZero, 1) => self.print_form(node, types)?,
            (Builtin::Str | Builtin::StrZero, 2) => types.push(self.constant(0)),
            (Builtin::BinToC, 1) => types.push(self.constant(4)),
            _ => {}
        }
        Ok(())
    }

    /// Adds the width and the decimals that a number prints with when nothing says so; the decimals only
    /// where the width is the natural one.
    fn print_form(&mut self, node: &Node, types: &mut Vec<Typed>) -> Result<()> {
        let Some((width, decimals)) = printed_form(self.context.dialect, types[0].form) else {
            let error = unsupported(node.span, "how wide this number prints depends on the data");
            return Err(error.hint("keys are understood when STR() has a width"));
        };
        for value in width.into_iter().chain([decimals]) {
            let typed = self.constant(value);
            types.push(typed);
        }
        Ok(())
    }

    fn choice(&mut self, function: &Function, arguments: &[Node]) -> Result<Typed> {
        let [condition, yes, no] = arguments else { return Err(unsupported((0, 0), "IIF() takes three arguments")) };
        let knows_null = self.context.dialect == Dialect::FoxPro;
        if knows_null {
            self.emit(Op::HoldNull);
        }
        let from = self.program.ops.len();
        let typed = self.lower(condition)?;
        check_kind(function, 0, condition, typed.kind)?;
        let to_no = match knows_null {
            true => {
                let passes_null = passes_null(&self.program.ops[from..]);
                self.emit(Op::JumpUnlessTrue { passes_null, target: 0 })
            }
            false => self.emit(Op::JumpIfFalse(0)),
        };
        let first = self.lower(yes)?;
        let to_end = self.emit(Op::Jump(0));
        self.land(to_no);
        let second = self.lower(no)?;
        self.land(to_end);
        if first.kind != second.kind {
            let (first, second) = (first.kind.name(), second.kind.name());
            return Err(unsupported(no.span, format!("IIF() gives {first} or {second}: the type depends on the data")));
        }
        Ok(first.or(&second))
    }

    /// ISNULL(field), and NVL(field, value).
    fn null_test(&mut self, function: &Function, arguments: &[Node]) -> Result<Typed> {
        let node = &arguments[0];
        let NodeKind::Name { name, .. } = &node.kind else {
            return Err(unsupported(node.span, format!("{}() is understood of a field only", function.name)));
        };
        let (number, typed) = self.field(node, name)?;
        self.emit(Op::IsNull(number));
        let Some(other) = arguments.get(1) else { return Ok(Typed::of(Kind::Logical)) };
        let to_field = self.emit(Op::JumpIfFalse(0));
        let second = self.lower(other)?;
        let to_end = self.emit(Op::Jump(0));
        self.land(to_field);
        self.emit(self.reading(number));
        self.land(to_end);
        if typed.kind != second.kind {
            return Err(mismatch(other, format!("NVL() takes values of one type, and this is {}", second.kind.name())));
        }
        Ok(typed.or(&second))
    }
}

/// The width, unless it is natural, and the decimals that STR() gives a number of this form.
pub(super) fn printed_form(dialect: Dialect, form: Option<NumberForm>) -> Option<(Option<i64>, i64)> {
    if dialect == Dialect::FoxPro {
        return Some((Some(10), 0));
    }
    let form = form?;
    let decimals = i64::try_from(form.decimals).ok()?;
    Some(match form.width {
        Width::Natural => (None, decimals),
        Width::Fixed(_) => (Some(i64::try_from(form.printed()).ok()?), decimals),
    })
}

fn check_kind(function: &Function, position: usize, argument: &Node, kind: Kind) -> Result<()> {
    let letters = function.arguments.trim_end_matches('*').as_bytes();
    let letter = letters.get(position).or_else(|| letters.last()).copied().unwrap_or(b'A');
    let (wanted, fits) = match letter.to_ascii_uppercase() {
        b'C' => ("a text", kind == Kind::Character),
        b'N' => ("a number", kind == Kind::Numeric),
        b'D' => ("a date", kind == Kind::Date),
        b'T' => ("a time", kind == Kind::Timestamp),
        b'X' => ("a date or a time", matches!(kind, Kind::Date | Kind::Timestamp)),
        b'L' => ("a logical value", kind == Kind::Logical),
        _ => ("a value", true),
    };
    if fits {
        return Ok(());
    }
    let message = format!("{}() takes {wanted} here, and this is {}", function.name, kind.name());
    Err(mismatch(argument, message))
}
