//! Directives other than flow and files.

use super::expression::is_text;
use super::{Compiled, Compiler};
use crate::code::*;
use crate::variables::Storage;
use mainstay_basic_syntax::tree::{self, Binary, Dimension, ExprKind, Item, Kind};

impl Compiler<'_> {
    pub(super) fn directive(&mut self, kind: &Kind) -> Compiled<()> {
        if self.class_directive(kind)?
            || self.flow(kind)?
            || self.session(kind)?
            || self.programs(kind)?
            || self.session_directive(kind)?
        {
            return Ok(());
        }
        self.files(kind)
    }

    fn programs(&mut self, kind: &Kind) -> Compiled<bool> {
        match kind {
            Kind::Let(list) => {
                for assignment in list {
                    self.assignment(assignment)?;
                }
            }
            Kind::Step(variable, up) => self.step(variable, *up)?,
            Kind::Dim(list) | Kind::Redim(list) => {
                let items = list.iter().map(|item| self.dimension(item)).collect::<Compiled<_>>()?;
                self.push(Op::Dim(items, matches!(kind, Kind::Redim(_))));
            }
            Kind::Data(values) => {
                for value in values {
                    let value = self.expression(value)?;
                    self.program.data.push((self.line, value));
                }
            }
            Kind::Iolist(items) => self.iolist(items)?,
            Kind::Table(value) => {
                let value = self.text(value)?;
                self.program.tables.insert(self.line, value);
            }
            Kind::ReadData(items, options) => {
                let branches = self.options(options)?.branches;
                let list = self.list(items)?;
                let list = self.add_list(list);
                self.push(Op::ReadData(list, branches));
            }
            Kind::ReadDataFrom(text, items, options) => {
                let text = self.text(text)?;
                let options = self.options(options)?;
                let list = self.list(items)?;
                let list = self.add_list(list);
                self.push(Op::ReadDataFrom(Box::new((text, options)), list));
            }
            Kind::Restore(target) => {
                let line = match target.as_ref().map(|target| self.destination(target)) {
                    None => 0,
                    Some(Destination::Line(line)) => line,
                    Some(_) => return Err((21, "RESTORE needs a line".to_owned())),
                };
                self.push(Op::Restore(line));
            }
            Kind::DefFn { name, parameters, value } => self.def_fn(name, parameters, value.as_ref())?,
            Kind::EndDef => self.end_def()?,
            Kind::Call { program, arguments, options, with } => self.call_program(program, arguments, options, with)?,
            Kind::Perform(program, options) => {
                let (program, branches) = (self.text(program)?, self.options(options)?.branches);
                self.push(Op::Perform(Box::new(program), branches));
            }
            Kind::Run(program, options) => {
                let program = program.as_ref().map(|program| self.text(program)).transpose()?.map(Box::new);
                let branches = self.options(options)?.branches;
                self.push(Op::Run(program, branches));
            }
            Kind::Enter(parameters, options) => self.enter(parameters, options)?,
            Kind::Exit(value) => {
                let value = value.as_ref().map(|value| self.number_expr(value)).transpose()?.map(Box::new);
                self.push(Op::Exit(value));
            }
            Kind::Execute(text, options) => {
                let (text, branches) = (self.text(text)?, self.options(options)?.branches);
                self.push(Op::Execute(Box::new(text), branches));
            }
            Kind::Via(list) => {
                for via in list {
                    let string = match &via.string {
                        Some(tree::Expr { kind: ExprKind::Variable(name), .. })
                            if name.kind == tree::NameKind::Text =>
                        {
                            Some(self.symbol(name, Storage::Text))
                        }
                        Some(_) => return Err((26, "VIA needs a composite or structured string".to_owned())),
                        None => None,
                    };
                    let parts = (string, self.text(&via.name)?, self.expression(&via.value)?);
                    self.push(Op::Via(Box::new(parts)));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn assignment(&mut self, assignment: &tree::Assignment) -> Compiled<()> {
        let value = match assignment.op {
            None => assignment.value.clone(),
            Some(op) => tree::Expr {
                place: assignment.value.place,
                kind: ExprKind::Binary(op, Box::new(assignment.target.clone()), Box::new(assignment.value.clone())),
            },
        };
        if let ExprKind::Range(name, bounds) = &value.kind {
            return self.copy_range(&assignment.target, name, bounds.as_ref());
        }
        let target = self.target(&assignment.target)?;
        if assignment.op == Some(Binary::Multiply) && is_text(&assignment.target) {
            let parts = (self.text(&assignment.target)?, self.number_expr(&assignment.value)?);
            let value = Expr::Text(TextExpr::Repeated(Box::new(parts)));
            self.push(Op::Set(Box::new(target), Box::new(value)));
            return Ok(());
        }
        if is_text(&assignment.target) != is_text(&value) {
            return Err((26, "a number and a string are mixed".to_owned()));
        }
        if matches!(target, Target::NumberRange(..) | Target::TextRange(..)) {
            self.each = true;
            let value = self.expression(&value);
            self.each = false;
            self.push(Op::SetEach(Box::new(target), Box::new(value?)));
            return Ok(());
        }
        let op = match (target, self.expression(&value)?) {
            (Target::Number(symbol, whole), Expr::Number(value)) => Op::SetNumber(symbol, whole, value),
            (Target::Text(symbol), Expr::Text(value)) => text_assignment(symbol, value),
            (target, value) => Op::Set(Box::new(target), Box::new(value)),
        };
        self.push(op);
        Ok(())
    }

    fn copy_range(
        &mut self,
        target: &tree::Expr,
        name: &tree::Name,
        bounds: Option<&(Box<tree::Expr>, Box<tree::Expr>)>,
    ) -> Compiled<()> {
        if !matches!(target.kind, ExprKind::Range(..)) {
            return Err((26, "an array can be assigned to an array only".to_owned()));
        }
        let target = Box::new(self.target(target)?);
        let bounds = match bounds {
            None => None,
            Some((first, last)) => Some(Box::new((self.number_expr(first)?, self.number_expr(last)?))),
        };
        let source = self.array(name);
        let same = matches!(
            (&*target, source),
            (Target::NumberRange(..), VariableRef::Numbers(_)) | (Target::TextRange(..), VariableRef::Texts(_))
        );
        if !same {
            return Err((26, "arrays of numbers and of strings are mixed".to_owned()));
        }
        self.push(Op::SetRange(target, source, bounds));
        Ok(())
    }

    fn step(&mut self, variable: &tree::Expr, up: bool) -> Compiled<()> {
        if let Some(VariableRef::Number(symbol, _)) = self.variable(variable) {
            self.push(Op::Step(symbol, if up { 1 } else { -1 }));
            return Ok(());
        }
        let one = tree::Expr { place: variable.place, kind: ExprKind::Number("1".to_owned()) };
        let op = Some(if up { Binary::Add } else { Binary::Subtract });
        self.assignment(&tree::Assignment { target: variable.clone(), op, value: one })
    }

    fn dimension(&mut self, item: &Dimension) -> Compiled<DimCode> {
        Ok(match item {
            Dimension::Array(name, bounds) => DimCode::Array(self.array(name), self.bounds(bounds)?),
            Dimension::FilledArray(name, bounds, length, fill) => {
                let fill = fill.as_ref().map(|fill| self.text(fill)).transpose()?;
                DimCode::FilledArray(self.array(name), self.bounds(bounds)?, self.number_expr(length)?, fill)
            }
            Dimension::Dynamic(name) => DimCode::Dynamic(self.array(name)),
            Dimension::Fill(name, length, fill) => {
                let fill = fill.as_ref().map(|fill| self.text(fill)).transpose()?;
                DimCode::Fill(self.symbol(name, Storage::Text), self.number_expr(length)?, fill)
            }
            Dimension::Forget(name) => DimCode::Forget(self.array(name)),
            Dimension::Composite(name, list) => {
                let id = self.composite_list(name, list)?;
                DimCode::Composite(self.symbol(name, Storage::Text), id)
            }
            Dimension::Structure(name, text, is_structure) => {
                DimCode::Structure(self.symbol(name, Storage::Text), self.text(text)?, *is_structure)
            }
        })
    }

    fn bounds(
        &mut self,
        bounds: &[(Option<tree::Expr>, tree::Expr)],
    ) -> Compiled<Vec<(Option<NumberExpr>, NumberExpr)>> {
        let mut compiled = Vec::new();
        for (first, last) in bounds {
            let first = first.as_ref().map(|first| self.number_expr(first)).transpose()?;
            compiled.push((first, self.number_expr(last)?));
        }
        Ok(compiled)
    }

    fn list_directive(
        &mut self,
        channel: Option<&tree::Expr>,
        first: Option<&tree::Target>,
        last: Option<&tree::Target>,
    ) -> Compiled<Op> {
        let channel = channel.map(|channel| self.number_expr(channel)).transpose()?.map(Box::new);
        let mut line = |target: Option<&tree::Target>, default| match target.map(|target| self.destination(target)) {
            None => Ok(default),
            Some(Destination::Line(line) | Destination::OuterLine(line)) => Ok(line),
            Some(_) => Err((21, "LIST needs lines".to_owned())),
        };
        Ok(Op::List(channel, line(first, 0)?, line(last, u32::MAX)?))
    }

    fn call_program(
        &mut self,
        program: &tree::Expr,
        arguments: &[Item],
        options: &[tree::IoOption],
        assignments: &[tree::Assignment],
    ) -> Compiled<()> {
        let (mut compiled, mut with) = (Vec::new(), Vec::new());
        for assignment in assignments {
            let ExprKind::Variable(name) = &assignment.target.kind else {
                return Err((23, "WITH needs a variable".to_owned()));
            };
            if assignment.op.is_some() || is_text(&assignment.target) != is_text(&assignment.value) {
                return Err((26, "a value of WITH has the type of its variable".to_owned()));
            }
            with.push((name.clone(), self.expression(&assignment.value)?));
        }
        for argument in arguments {
            compiled.push(match argument {
                Item::List(list, _) => CallArgument::List(self.list_source(list)?),
                Item::Skip(_) => return Err((36, "* cannot be an argument of CALL".to_owned())),
                Item::Value(value) => match &value.value.kind {
                    ExprKind::Group(inner) if matches!(inner.kind, ExprKind::Range(_, None)) => {
                        match self.variable(inner) {
                            Some(array) => CallArgument::ArrayCopy(array),
                            None => return Err((36, "not an array".to_owned())),
                        }
                    }
                    _ => self.call_argument(&value.value)?,
                },
            });
        }
        let branches = self.options(options)?.branches;
        let code = CallCode { program: self.text(program)?, arguments: compiled, branches, with };
        self.push(Op::Call(Box::new(code)));
        Ok(())
    }

    fn enter(&mut self, parameters: &[tree::Parameter], options: &[tree::IoOption]) -> Compiled<()> {
        let mut compiled = Vec::new();
        for parameter in parameters {
            if let Some(list) = &parameter.list {
                self.enter_list(list, &mut compiled, 0)?;
                continue;
            }
            let variable = match &parameter.target {
                None => None,
                Some(target) => match self.own_variable(target, 36) {
                    Some(variable) => Some(variable),
                    None => return Err((36, "a parameter of ENTER is a variable or an array".to_owned())),
                },
            };
            let default = parameter.default.as_ref().map(|default| self.expression(default)).transpose()?;
            compiled.push(EnterCode { variable, default, read_only: parameter.read_only });
        }
        let branches = self.options(options)?.branches;
        self.push(Op::Enter(compiled.into(), branches));
        Ok(())
    }

    /// The variables of an IOLIST as parameters.
    fn enter_list(&mut self, list: &tree::ListRef, compiled: &mut Vec<EnterCode>, depth: usize) -> Compiled<()> {
        let items = match list {
            tree::ListRef::Target(target) => {
                self.line_of(target).and_then(|line| self.iolist_items.get(&line).cloned())
            }
            _ => None,
        };
        let Some(items) = items.filter(|_| depth < 20) else { return Err((81, "no IOLIST there".to_owned())) };
        for item in items {
            match item {
                Item::Skip(_) => compiled.push(EnterCode { variable: None, default: None, read_only: false }),
                Item::List(inner, _) => self.enter_list(&inner, compiled, depth + 1)?,
                Item::Value(value) => match self.own_variable(&value.value, 36) {
                    variable @ Some(_) => compiled.push(EnterCode { variable, default: None, read_only: false }),
                    None => return Err((36, "a parameter of ENTER is a variable or an array".to_owned())),
                },
            }
        }
        Ok(())
    }

    fn session(&mut self, kind: &Kind) -> Compiled<bool> {
        let op = match kind {
            Kind::Remark(..) | Kind::NoEffect(_) => return Ok(true),
            Kind::Local(assignments, names) => return self.local(assignments, names).map(|()| true),
            Kind::Precision(value) => Op::Precision(Box::new(self.number_expr(value)?)),
            Kind::FloatingPoint => Op::FloatingPoint,
            Kind::List(channel, first, last) => self.list_directive(channel.as_ref(), first.as_ref(), last.as_ref())?,
            Kind::Round(on) => Op::Round(*on),
            Kind::Randomize(seed) => {
                Op::Randomize(seed.as_ref().map(|seed| self.number_expr(seed)).transpose()?.map(Box::new))
            }
            Kind::Wait(value) => Op::Wait(Box::new(self.number_expr(value)?)),
            Kind::Begin(all) => Op::Begin(*all),
            Kind::Clear(names) => {
                let (elements, names): (Vec<_>, Vec<_>) = names.iter().partition(|name| self.is_element(name));
                for element in &elements {
                    self.clear_element(element)?;
                }
                // CLEAR without names is that of all variables.
                if names.is_empty() && !elements.is_empty() {
                    return Ok(true);
                }
                let variables = names.iter().map(|name| self.whole_variable(name)).collect::<Compiled<_>>()?;
                Op::Clear(variables)
            }
            Kind::ClearExcept(all, names) => {
                let variables = names.iter().map(|name| self.whole_variable(name)).collect::<Compiled<_>>()?;
                Op::ClearExcept(*all, variables)
            }
            Kind::Reset => Op::Reset,
            Kind::End | Kind::Stop => Op::End,
            Kind::Escape(code) => {
                Op::Escape(code.as_ref().map(|code| self.number_expr(code)).transpose()?.map(Box::new))
            }
            Kind::EscapeMode(on) => Op::EscapeMode(*on),
            Kind::Release(value) => {
                Op::Release(value.as_ref().map(|value| self.number_expr(value)).transpose()?.map(Box::new))
            }
            Kind::SetParam(list) => {
                let mut params = Vec::new();
                for (name, value) in list {
                    params.push((name.clone(), value.as_ref().map(|value| self.expression(value)).transpose()?));
                }
                Op::SetParam(params.into())
            }
            Kind::DayFormat(value) => Op::DayFormat(Box::new(self.text(value)?)),
            Kind::Control(control) => self.control(control)?,
            Kind::MsgBox(values, answer) => {
                let values = values.iter().map(|value| self.expression(value)).collect::<Compiled<_>>()?;
                let answer = answer.as_ref().map(|answer| self.target(answer)).transpose()?;
                Op::MsgBox(values, answer.map(Box::new))
            }
            Kind::Invalid(code, text) => {
                Op::Raise(*code, mainstay_code_page::decode(text).chars().take(200).collect::<String>().into())
            }
            Kind::Evaluate(_) => return Err((20, "an expression is no directive".to_owned())),
            _ => return Ok(false),
        };
        self.push(op);
        Ok(true)
    }

    fn whole_variable(&mut self, name: &tree::Expr) -> Compiled<VariableRef> {
        if let ExprKind::Variable(variable) = &name.kind
            && self.composites.contains(variable)
        {
            return Ok(VariableRef::Text(self.symbol(variable, Storage::Text)));
        }
        self.own_variable(name, 23).ok_or((23, "a variable or A{ALL} is needed here".to_owned()))
    }

    fn local(&mut self, assignments: &[tree::Assignment], names: &[tree::Expr]) -> Compiled<()> {
        let mut variables = Vec::new();
        for name in names.iter().chain(assignments.iter().map(|assignment| &assignment.target)) {
            variables.push(self.whole_variable(name)?);
        }
        self.push(Op::Local(variables.into()));
        for assignment in assignments {
            self.assignment(assignment)?;
        }
        Ok(())
    }

    fn control(&mut self, control: &tree::Control) -> Compiled<Op> {
        let (mut arguments, mut targets) = (Vec::new(), Vec::new());
        let contents = control.contents.iter().cloned().map(Some).collect::<Vec<_>>();
        for argument in control.arguments.iter().chain(&contents) {
            if let Some(array) = argument.as_ref().filter(|value| matches!(value.kind, ExprKind::Range(..))) {
                arguments.push(None);
                targets.push(Some(self.target(array)?));
                continue;
            }
            let target = match argument {
                Some(value) if self.variable(value).is_some() || self.is_element(value) => Some(self.target(value)?),
                _ => None,
            };
            arguments.push(argument.as_ref().map(|value| self.expression(value)).transpose()?);
            targets.push(target);
        }
        let options = self.options(&control.options)?;
        let subs = control.subs.iter().map(|sub| sub.as_ref().map(|sub| self.number_expr(sub)).transpose());
        let subs = subs.collect::<Compiled<Vec<_>>>()?;
        let (class, action, global) = (control.class.clone(), control.action.clone(), control.global);
        Ok(Op::Control(Box::new(ControlCode { class, action, global, arguments, subs, targets, options })))
    }
}

/// `A$=A$+"x"` appends, so that a string grows in its place.
fn text_assignment(symbol: Symbol, value: TextExpr) -> Op {
    match value {
        TextExpr::Concatenate(parts) if matches!(parts.first(), Some(TextExpr::Variable(first)) if *first == symbol) => {
            let rest: Vec<TextExpr> = parts.into_vec().into_iter().skip(1).collect();
            Op::AppendText(symbol, TextExpr::Concatenate(rest.into()))
        }
        value => Op::SetText(symbol, value),
    }
}
