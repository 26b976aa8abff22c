//! Calls of routines with OUT and INOUT parameters.
//!
//! A statement that calls such a routine is not prepared: the client gets -9752, whose subject names the database and the
//! number of the routine, and calls it through the fast path. See `mainstay_sqli`'s module `routine` for the messages.

use super::columns::type_of;
use mainstay_session::{Failure, RoutineShape, Session};
use mainstay_sqli::{Context, Parameter, Reply, RoutineParameter, RoutineTypes, TypeDescription, routine_value};
use mainstay_types::Value;

/// -9752: a routine with OUT parameters that is executed like one without.
const HAS_OUTPUTS: i32 = -9752;

/// The error by which a client learns that it calls a routine by its number.
pub(super) fn refusal(session: &mut dyn Session, number: u32) -> Failure {
    let database = database(session);
    let message = "a routine with OUT or INOUT parameters is called by its number".to_owned();
    Failure { number: HAS_OUTPUTS, subject: format!("{database}:{number}:"), message, ..Failure::default() }
}

/// The name of the database, which stands beside numbers of routines.
pub(super) fn database(session: &mut dyn Session) -> String {
    session.databases().ok().and_then(|names| names.into_iter().next()).unwrap_or_default()
}

fn parameters(shape: &RoutineShape) -> Vec<RoutineParameter> {
    let parameters = shape.parameters.iter();
    parameters.map(|(column, is_output)| RoutineParameter { kind: type_of(column), is_output: *is_output }).collect()
}

/// Describes the parameters of a routine.
///
/// Errors: a number that no routine has.
pub(super) fn describe(session: &mut dyn Session, number: u32) -> Result<Reply, Failure> {
    Ok(Reply::RoutineParameters(parameters(&session.routine(number)?)))
}

/// Calls a routine: its types, then the values of its parameters and of the row that it returns.
///
/// Errors: those of the routine; -1213 for a value that cannot be sent.
pub(super) fn call(
    session: &mut dyn Session,
    number: u32,
    arguments: Vec<Parameter>,
    context: &Context,
) -> Result<[Reply; 2], Failure> {
    let shape = session.routine(number)?;
    let values: Vec<Value> = arguments.into_iter().map(|argument| argument.value).collect();
    let called = session.call_routine(number, &values)?;
    let mut returns: Vec<TypeDescription> = Vec::new();
    if called.returned.is_some() {
        returns.extend(shape.returns.iter().map(type_of));
    }
    let types = RoutineTypes { number, returns, parameters: parameters(&shape) };
    let outputs = types.parameters.iter().filter(|parameter| parameter.is_output).map(|parameter| &parameter.kind);
    let kinds = outputs.chain(&types.returns);
    let values = called.outputs.iter().chain(called.returned.iter().flatten());
    let values = kinds.zip(values).map(|(kind, value)| {
        routine_value(kind, value, context).map_err(|error| Failure {
            number: -1213,
            message: error.to_string(),
            ..Failure::default()
        })
    });
    let values = values.collect::<Result<Vec<_>, Failure>>()?;
    Ok([Reply::RoutineTypes(types), Reply::RoutineValues(values)])
}
