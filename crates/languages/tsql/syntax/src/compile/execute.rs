//! EXECUTE: calls with their arguments.

use super::statement::Compiled;
use super::{Action, Compiler, callee};
use crate::reduce;
use crate::tree::{Execute, ExecuteArgument, ExecuteModule, Expr};
use mainstay_syntax::Span;
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_types::Value;
use mainstay_vm::{self as program, Argument, ArgumentValue, Call, Callee, Expression};

impl Compiler<'_> {
    pub(super) fn execute(&mut self, execute: &Execute, line: u32, span: Span) -> Compiled {
        let status = execute.status.as_ref().map(|name| self.variable(name)).transpose()?;
        let result = status.map(|(slot, _)| slot);
        let (callee, arguments) = match &execute.module {
            ExecuteModule::Procedure(name, _, arguments) => (Callee::Named(callee(name)), arguments),
            ExecuteModule::Variable(name, arguments) => {
                let (slot, _) = self.variable(name)?;
                (Callee::Dynamic(Box::new(Expression::slot(&self.routine, slot))), arguments)
            }
            ExecuteModule::Text(text, _, _, None) => {
                let text = self.value_as(text, DataType::NVarChar(Length::Max))?;
                self.host(line, Action::ExecuteText, span, vec![text], Vec::new());
                return Ok(());
            }
            ExecuteModule::Text(..) => return Err(self.located(reduce::not_supported("EXEC AT"))),
        };
        let takes_text = matches!(&callee, Callee::Named(name) if is_execute_sql(name));
        let argument = |(place, argument): (usize, &ExecuteArgument)| {
            let given = self.argument(argument)?;
            if !(takes_text && self.is_narrow(argument, place)) {
                return Ok(given);
            }
            // Bytes stand for it: a parameter that takes only NVARCHAR refuses them (214).
            let bytes = Expression::constant(program::Type::Bytes { limit: None }, Value::Binary(Vec::new()));
            Ok(Argument { value: ArgumentValue::Value(bytes), ..given })
        };
        let arguments = arguments.iter().enumerate().map(argument).collect::<Result<_, Box<Message>>>()?;
        self.push(line, program::StatementKind::Call { call: Call { callee, arguments }, result });
        self.host(line, Action::AfterCall, Span::default(), Vec::new(), Vec::new());
        Ok(())
    }

    /// Returns true if an argument of sp_executesql is the statement or the list of parameters, and a text that is not
    /// NVARCHAR.
    fn is_narrow(&mut self, argument: &ExecuteArgument, place: usize) -> bool {
        const NAMES: [&str; 4] = ["@stmt", "@statement", "@params", "@parameters"];
        let is_text = match &argument.name {
            Some(name) => NAMES.iter().any(|known| known.eq_ignore_ascii_case(&name.text)),
            None => place < 2,
        };
        let data_type = match &argument.value {
            Expr::Variable(name) if is_text => self.variable(name).ok().map(|(_, data_type)| data_type),
            Expr::Literal(literal) if is_text => self.value(&Expr::Literal(literal.clone())).ok().and_then(|it| it.1),
            _ => None,
        };
        data_type.is_some_and(|data_type| data_type.is_text() && !data_type.is_national())
    }

    fn argument(&mut self, argument: &ExecuteArgument) -> Result<Argument, Box<Message>> {
        let name = argument.name.as_ref().map(|name| name.text.clone());
        let value = match &argument.value {
            Expr::Default => ArgumentValue::Default,
            Expr::Variable(variable) if argument.output && !self.is_cursor(variable) => {
                ArgumentValue::InOut(self.variable(variable)?.0)
            }
            // A table variable goes by its name.
            Expr::Variable(variable) if !self.slots.contains_key(&variable.text.to_lowercase()) => {
                ArgumentValue::Value(Expression::text(variable.text.clone()))
            }
            // A word without quotes is a text: EXEC sp_help Customers.
            Expr::Column(name) => {
                let parts: Vec<&str> = name.parts.iter().map(|part| part.text.as_str()).collect();
                ArgumentValue::Value(Expression::text(parts.join(".")))
            }
            value => {
                let (value, _) = self.value(value)?;
                ArgumentValue::Value(value)
            }
        };
        Ok(Argument { name, value })
    }
}

/// Returns true if a name is that of the procedure that runs a text with parameters.
fn is_execute_sql(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("sp_executesql"))
}
