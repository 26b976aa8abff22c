//! SET @x = dbo.f(@y) within a transaction: the function runs in the session itself.
//!
//! A function that a query calls runs in a session beside it (`functions`), which reads by the query's outlook. An
//! assignment of nothing but a function of constants and variables needs no query: the function runs like one that EXEC
//! calls.

use crate::changes::hints::constant;
use crate::statements::errors::raised;
use crate::statements::runner::Runner;
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::tree::{Argument, Expr};
use mainstay_tsql_types::DataType;
use mainstay_types::Value;
use mainstay_vm::{Raised, RunArgument, StatementCall};
use std::sync::Arc;

impl Runner<'_> {
    /// The value of such a call, and its type; `None` for any other value.
    pub(crate) fn own_function(
        &mut self,
        host: &HostStatement,
        value: &Expr,
        call: &mut StatementCall<'_>,
    ) -> Option<Result<(Value, DataType), Box<Raised>>> {
        let Expr::Call(function) = value else { return None };
        if self.inner.state.transactions == 0 || function.name.parts.len() < 2 {
            return None;
        }
        let object = self.inner.modules.find(&function.name)?.clone();
        let loaded = self.inner.load(&object).ok()?;
        let returns = loaded.module.returns?;
        if function.arguments.len() != loaded.module.parameters.len() {
            return None;
        }
        let mut values = Vec::with_capacity(function.arguments.len());
        for (argument, parameter) in function.arguments.iter().zip(&loaded.module.parameters) {
            let Argument::Value(argument) = argument else { return None };
            values.push(match argument {
                Expr::Default => None,
                argument => {
                    let (from, value) = constant(argument, host, call)?;
                    let context = self.context();
                    let converted = mainstay_tsql_types::convert::convert(
                        &context,
                        value.as_ref(),
                        from,
                        parameter.data_type,
                        None,
                    );
                    match converted {
                        Ok(value) => Some(value),
                        Err(message) => return Some(Err(raised(message))),
                    }
                }
            });
        }
        let arguments: Vec<RunArgument<'_>> = values
            .iter()
            .map(|value| value.as_ref().map_or(RunArgument::Default, |value| RunArgument::Value(value.as_ref())))
            .collect();
        self.expect(&loaded);
        let program = Arc::clone(&loaded.program);
        let row_count = self.inner.state.row_count;
        // A function sends no messages about its statements, and its errors are those of its caller.
        self.silent += 1;
        let outcome = call.machine().run(self, &program, &arguments);
        self.silent -= 1;
        self.inner.state.row_count = row_count;
        Some(outcome.map(|()| (call.machine().result().to_value(), returns)))
    }
}
