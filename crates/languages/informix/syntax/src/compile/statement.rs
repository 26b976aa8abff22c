//! Statements.

use super::{ActionKind, Compiler, Place, Variable, storage};
use crate::error::{Parse, SqlError};
use crate::tree::{
    Argument, Block, Call, Definition, Dynamic, Expr, Invocation, Name, Query, Span, Spl, SplKind, Statement, Target,
};
use crate::types::Type;
use mainstay_types::Value;
use mainstay_vm::{self as program, Expression, StatementKind};

fn at(line: u32, kind: StatementKind) -> program::Statement {
    program::Statement::new(line, kind)
}

impl Compiler<'_> {
    pub(super) fn statement(&mut self, statement: &Spl, block: &mut Vec<program::Statement>) -> Parse<()> {
        let mut made = Vec::new();
        self.plain(statement, &mut made).map_err(|mut error| {
            error.span = error.span.or(Some(statement.span));
            error
        })?;
        // Blocks, branches and loops are made of statements that are tried each; a label stays where a branch finds it.
        use SplKind::{Block as Inner, Case, Goto, If, Label, Leave, Loop, Trace};
        let is_tried =
            !matches!(statement.kind, Inner(_) | Case(..) | Goto(_) | If(..) | Label(_) | Leave(_) | Loop(..) | Trace);
        let line = self.line(statement.span);
        block.extend(if is_tried { self.resumed(line, made, None)? } else { made });
        Ok(())
    }

    fn plain(&mut self, statement: &Spl, block: &mut Vec<program::Statement>) -> Parse<()> {
        let (span, line) = (statement.span, self.line(statement.span));
        match &statement.kind {
            SplKind::Block(inner) => block.extend(self.block(inner)?),
            SplKind::Let(targets, values) => self.assignment(targets, values, span, block)?,
            SplKind::If(branches, otherwise) => self.conditional(branches, otherwise.as_ref(), line, block)?,
            SplKind::Case(value, branches, otherwise) => {
                let branches: Vec<(Expr, Block)> = branches
                    .iter()
                    .map(|(when, then)| {
                        let operator = crate::tree::BinaryOperator::Equal;
                        (Expr::Binary(Box::new(value.clone()), operator, Box::new(when.clone())), then.clone())
                    })
                    .collect();
                self.conditional(&branches, otherwise.as_ref(), line, block)?;
            }
            SplKind::Loop(label, found) => self.looping(label.as_ref(), found, span, block)?,
            SplKind::Leave(leave) => self.leave(leave, span, block)?,
            SplKind::Goto(name) => {
                let label = self.label(name);
                block.push(at(line, StatementKind::Goto(label)));
            }
            SplKind::Label(name) => {
                let label = self.label(name);
                block.push(at(line, StatementKind::Label(label)));
            }
            SplKind::Return(values, resumes) => self.returned(values, *resumes, span, block)?,
            SplKind::Raise(values) => {
                let types = [Type::Integer, Type::Integer, Type::LVarChar(32_739)];
                let inputs = values.iter().zip(types).map(|(value, known)| self.value(value, known));
                let inputs = inputs.collect::<Parse<Vec<_>>>()?;
                let types = types.into_iter().take(inputs.len()).collect();
                block.push(self.host_with(line, ActionKind::Raise, "raise exception", span, (inputs, types)));
            }
            SplKind::Call(call, targets) => {
                let targets = targets.iter().map(|name| self.variable(name)).collect::<Parse<Vec<_>>>()?;
                self.call_into(call, targets, span, block)?;
            }
            SplKind::Select(query, targets) => {
                let targets = targets.iter().map(|name| self.variable(name)).collect::<Parse<Vec<_>>>()?;
                self.select_into(query, &targets, span, block)?;
            }
            SplKind::Dynamic(dynamic) => self.dynamic(dynamic, span, block)?,
            SplKind::System(_) => block.push(self.host(line, ActionKind::System, "system", span)),
            SplKind::Trace => {}
            SplKind::Sql(statement) => {
                let (statement, inputs, types) = self.with_parameters(statement)?;
                let kind = ActionKind::Sql(Box::new(statement));
                block.push(self.host_with(line, kind, "sql", span, (inputs, types)));
            }
        }
        Ok(())
    }

    pub(super) fn define(&mut self, definition: &Definition, block: &mut Vec<program::Statement>) -> Parse<()> {
        let known = self.type_of_name(&definition.data_type)?;
        for name in &definition.names {
            let place = match &definition.global {
                None => {
                    let slot = self.routine.slot(&name.text.to_lowercase(), storage(known));
                    // A block that is entered again begins with empty variables.
                    let (target, value) = (slot, Expression::null(storage(known)));
                    if !self.loops.is_empty() {
                        block.push(at(self.line(name.span), StatementKind::Assign { target, value }));
                    }
                    Place::Slot(slot)
                }
                Some(default) => {
                    let key = name.text.to_lowercase();
                    let value = self.value(default, known)?;
                    let kind = ActionKind::DeclareGlobal(key.clone(), known);
                    let line = self.line(name.span);
                    block.push(self.host_with(line, kind, "global", name.span, (vec![value], vec![known])));
                    Place::Global(key)
                }
            };
            self.declare(name, Variable { place, known })?;
        }
        Ok(())
    }

    /// Gives a variable a value of its type.
    pub(super) fn store(
        &mut self,
        line: u32,
        target: &Variable,
        value: Expression,
        block: &mut Vec<program::Statement>,
    ) {
        match &target.place {
            Place::Slot(slot) => block.push(at(line, StatementKind::Assign { target: *slot, value })),
            Place::Global(name) => {
                let kind = ActionKind::SetGlobal(name.clone());
                block.push(self.host_with(line, kind, "global", Span::default(), (vec![value], vec![target.known])));
            }
        }
    }

    fn assignment(
        &mut self,
        targets: &[Target],
        values: &[Expr],
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let line = self.line(span);
        if targets.len() == values.len() && !values.iter().any(|value| self.gives_rows(value)) {
            for (target, value) in targets.iter().zip(values) {
                let variable = self.variable(&target.name)?;
                let value = match target.characters {
                    None => self.value(value, variable.known)?,
                    Some(characters) => self.spliced(&variable, value, characters, span)?,
                };
                self.store(line, &variable, value, block);
            }
            return Ok(());
        }
        let variables = targets.iter().map(|target| self.variable(&target.name)).collect::<Parse<Vec<_>>>()?;
        match values {
            [Expr::Call(call)] => self.call_into(&invocation(call), variables, span, block),
            [Expr::Subquery(query)] => self.select_into(query, &variables, span, block),
            _ => {
                let text = "The number of variables and values of LET differ.";
                Err(SqlError::at(SqlError::SYNTAX, span, text))
            }
        }
    }

    /// True for a call of a routine that returns rows or values of parameters to its caller.
    fn gives_rows(&self, value: &Expr) -> bool {
        let Expr::Call(call) = value else { return false };
        let found = self.environment.routine(&call.name, call.arguments.len());
        found.is_some_and(|signature| {
            (!signature.is_single && !signature.returns.is_empty()) || !signature.outputs.is_empty()
        })
    }

    fn select_into(
        &mut self,
        query: &Query,
        targets: &[Variable],
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let line = self.line(span);
        let (statement, inputs, types) = self.with_parameters(&Statement::Query(Box::new(query.clone())))?;
        let action = self.action(ActionKind::Select(Box::new(statement)), types, span);
        self.give_variables_with(line, (action, "select", inputs), Vec::new(), targets, (block, Vec::new()));
        Ok(())
    }

    /// The routine of a call, the names of its arguments, and their values.
    #[allow(clippy::type_complexity, reason = "the parts of one action")]
    pub(super) fn arguments(
        &mut self,
        call: &Invocation,
    ) -> Parse<(String, Vec<Option<String>>, Vec<Expression>, Vec<Type>)> {
        let signature = self.environment.routine(&call.name, call.arguments.len());
        let (mut names, mut values, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (name, value)) in call.arguments.iter().enumerate() {
            let name = name.as_ref().map(|name| name.text.to_lowercase());
            let known = signature.as_ref().and_then(|signature| match &name {
                Some(name) => signature.parameters.iter().find(|(known, ..)| known == name),
                None => signature.parameters.get(place),
            });
            let known = known.map_or(Type::LVarChar(32_739), |(_, known, _)| *known);
            values.push(self.value(value, known)?);
            types.push(known);
            names.push(name);
        }
        let key = signature.map_or_else(|| unresolved(call), |signature| signature.key);
        Ok((key, names, values, types))
    }

    /// A call whose values go into variables.
    pub(super) fn call_into(
        &mut self,
        call: &Invocation,
        targets: Vec<Variable>,
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let line = self.line(span);
        let (key, names, values, types) = self.arguments(call)?;
        let outputs = self.output_variables(call, span)?;
        let targets: Vec<Variable> = targets.into_iter().chain(outputs).collect();
        if targets.is_empty() {
            let arguments = names
                .into_iter()
                .zip(values)
                .map(|(name, value)| program::Argument { name, value: program::ArgumentValue::Value(value) });
            let call = program::Call { callee: program::Callee::Named(key.into()), arguments: arguments.collect() };
            block.push(at(line, StatementKind::Call { call, result: None }));
            return Ok(());
        }
        let action = self.action(ActionKind::Call(key, names), types, span);
        self.give_variables_with(line, (action, "call", values), Vec::new(), &targets, (block, Vec::new()));
        Ok(())
    }

    /// The variables that take what a routine's OUT and INOUT parameters give back.
    ///
    /// Errors: -9752 for an argument that is no variable.
    fn output_variables(&mut self, call: &Invocation, span: Span) -> Parse<Vec<Variable>> {
        let Some(signature) = self.environment.routine(&call.name, call.arguments.len()) else { return Ok(Vec::new()) };
        let mut variables = Vec::with_capacity(signature.outputs.len());
        for place in signature.outputs {
            let name = signature.parameters.get(place).map_or("", |(name, ..)| name);
            let is_named = call.arguments.iter().any(|(name, _)| name.is_some());
            let argument = match is_named {
                true => call.arguments.iter().find(|(given, _)| given.as_ref().is_some_and(|given| given.is(name))),
                false => call.arguments.get(place),
            };
            let variable = match argument {
                Some((_, Expr::Column(column))) => self.named(column)?,
                _ => None,
            };
            variables.push(variable.ok_or_else(|| {
                let text = format!("The argument of the OUT parameter ({name}) must be a variable.");
                SqlError::at(SqlError::HAS_OUTPUTS, span, text).about(name)
            })?);
        }
        Ok(variables)
    }

    fn conditional(
        &mut self,
        branches: &[(Expr, Block)],
        otherwise: Option<&Block>,
        line: u32,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let mut made = otherwise.map(|block| self.block(block)).transpose()?.unwrap_or_default();
        let behind = self.routine.label("end if");
        for (condition, then) in branches.iter().rev() {
            let condition = self.condition(condition)?;
            let then = self.block(then)?;
            let mut tried = Vec::new();
            let condition = self.tried_condition(line, condition, behind, &mut tried)?;
            tried.push(at(line, StatementKind::If { condition, then, otherwise: made }));
            made = tried;
        }
        block.extend(made);
        block.push(at(line, StatementKind::Label(behind)));
        Ok(())
    }

    fn returned(
        &mut self,
        values: &[Expr],
        resumes: bool,
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let line = self.line(span);
        let types = self.returns.clone();
        if values.is_empty() {
            if !types.is_empty() {
                block.push(self.host(line, ActionKind::NoReturn, "no value", span));
            }
            if !resumes {
                block.push(at(line, StatementKind::Return(None)));
            }
            return Ok(());
        }
        if let ([Expr::Call(call)], true) = (values, types.len() > 1) {
            return self.returned_call(&invocation(call), resumes, span, block);
        }
        if values.len() != types.len() {
            let (code, word) = if values.len() > types.len() { (-685, "many") } else { (-684, "few") };
            let name = self.routine.name.to_string();
            let text = format!("Function ({name}) returned too {word} values.");
            return Err(SqlError::at(code, span, text).about(&name));
        }
        let values = values.iter().zip(&types).map(|(value, known)| self.value(value, *known));
        let mut values = values.collect::<Parse<Vec<_>>>()?;
        if self.is_single {
            block.push(at(line, StatementKind::Return(values.pop())));
            return Ok(());
        }
        block.push(self.host_with(line, ActionKind::Give, "row", span, (values, types)));
        if !resumes {
            block.push(at(line, StatementKind::Return(None)));
        }
        Ok(())
    }

    /// RETURN of the values of another function.
    fn returned_call(
        &mut self,
        call: &Invocation,
        resumes: bool,
        span: Span,
        block: &mut Vec<program::Statement>,
    ) -> Parse<()> {
        let (line, types) = (self.line(span), self.returns.clone());
        let variables: Vec<Variable> = types
            .iter()
            .map(|known| Variable { place: Place::Slot(self.routine.slot("", storage(*known))), known: *known })
            .collect();
        self.call_into(call, variables.clone(), span, block)?;
        let values = variables.iter().map(|variable| self.read(variable)).collect();
        block.push(self.host_with(line, ActionKind::Give, "row", span, (values, types)));
        if !resumes {
            block.push(at(line, StatementKind::Return(None)));
        }
        Ok(())
    }

    fn dynamic(&mut self, dynamic: &Dynamic, span: Span, block: &mut Vec<program::Statement>) -> Parse<()> {
        let line = self.line(span);
        let text_type = Type::LVarChar(32_739);
        let key = |name: &Name| name.text.to_lowercase();
        let (kind, inputs) = match dynamic {
            Dynamic::Immediate(text) => (ActionKind::Immediate, vec![self.value(text, text_type)?]),
            Dynamic::Prepare(name, text) => (ActionKind::Prepare(key(name)), vec![self.value(text, text_type)?]),
            Dynamic::Declare(name, statement) => (ActionKind::Declare(key(name), key(statement)), Vec::new()),
            Dynamic::Close(name) => (ActionKind::CloseDynamic(key(name)), Vec::new()),
            Dynamic::Free(name) => (ActionKind::Free(key(name)), Vec::new()),
            Dynamic::Open(name, values) => {
                let mut inputs = Vec::new();
                let mut types = Vec::new();
                for value in values {
                    let (value, known) = self.typed_or_text(value)?;
                    inputs.push(value);
                    types.push(known);
                }
                let kind = ActionKind::OpenDynamic(key(name));
                block.push(self.host_with(line, kind, "open", span, (inputs, types)));
                return Ok(());
            }
            Dynamic::Fetch(name, targets) => {
                let targets = targets.iter().map(|name| self.variable(name)).collect::<Parse<Vec<_>>>()?;
                let action = self.action(ActionKind::FetchDynamic(key(name)), Vec::new(), span);
                self.give_variables(line, action, "fetch", Vec::new(), &targets, block);
                return Ok(());
            }
        };
        let types = vec![text_type; inputs.len()];
        block.push(self.host_with(line, kind, "dynamic", span, (inputs, types)));
        Ok(())
    }

    /// The text of a variable with some of its characters replaced.
    ///
    /// Errors: -307 for characters that are no range, -306 for those that the declared length of the variable does not have
    /// (IBM Informix Error Messages).
    fn spliced(
        &mut self,
        variable: &Variable,
        value: &Expr,
        (first, last): (u32, u32),
        span: Span,
    ) -> Parse<Expression> {
        if first == 0 || last < first {
            return Err(SqlError::at(SqlError::ILLEGAL_SUBSCRIPT, span, "Illegal subscript definition."));
        }
        if variable.known.text_length().is_none_or(|length| last > length) {
            return Err(SqlError::at(SqlError::SUBSCRIPT, span, "Subscript out of range."));
        }
        let length = last.saturating_sub(first).saturating_add(1);
        let value = self.value(value, Type::Char(length))?;
        let old = self.read(variable);
        let number = |number: u32| Expression::constant(program::Type::I64, Value::Integer(number.into()));
        let arguments = vec![old, value, number(first), number(last)];
        let spliced = super::functions::call("splice", program::Type::TEXT, arguments);
        Ok(self.converted(spliced, Type::LVarChar(32_739), variable.known))
    }
}

/// The error of a call whose OUT and INOUT parameters have nowhere to go.
pub(super) fn has_outputs(name: &str) -> Box<SqlError> {
    let text = format!("Routine ({name}) has OUT parameters: call it by a statement of its own.");
    SqlError::new(SqlError::HAS_OUTPUTS, text).about(name)
}

/// The name of a routine that is not there when it is called.
fn unresolved(call: &Invocation) -> String {
    format!("{}/{}", call.name.last().to_lowercase(), call.arguments.len())
}

/// A call of an expression as one of a statement: `f(a = 1)` names an argument.
pub(super) fn invocation(call: &Call) -> Invocation {
    let argument = |argument: &Argument| match argument {
        Argument::Value(Expr::Binary(left, crate::tree::BinaryOperator::Equal, right)) => match left.as_ref() {
            Expr::Column(name) if name.parts.len() == 1 => (name.parts.first().cloned(), right.as_ref().clone()),
            _ => (None, Expr::Binary(left.clone(), crate::tree::BinaryOperator::Equal, right.clone())),
        },
        Argument::Value(value) => (None, value.clone()),
        _ => (None, Expr::Default),
    };
    Invocation { name: call.name.clone(), arguments: call.arguments.iter().map(argument).collect() }
}
