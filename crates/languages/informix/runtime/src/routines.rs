//! Creating, dropping and calling routines.

use crate::failure::{of_syntax, plain};
use crate::modules::{self, Modules, Row, Stored};
use crate::routine_names::{is_accepted, key_of, missing};
use crate::rows::{KeptRows, number};
use crate::runner::{Returned, Runner, failure_of};
use crate::scope::Names;
use crate::session::InformixSession;
use crate::statement::Prepared;
use mainstay_informix_syntax::compile::{self, Action, Environment, Signature, compile_routine};
use mainstay_informix_syntax::reduce::{self, Scope};
use mainstay_informix_syntax::tree::{
    DropRoutine, Expr, Insert, InsertRows, Invocation, Literal, Name, ObjectName, Parameter, ParameterMode, Routine,
    Statement as Tree,
};
use mainstay_informix_syntax::{SqlError, Type, assign};
use mainstay_session::{Called, Done, Failure, Ran, RoutineShape};
use mainstay_types::Value;
use mainstay_vm::{Limits, Machine, Program, RunArgument};
use std::sync::Arc;

/// -673: a routine with this name and signature is there already.
const EXISTS: i32 = -673;
/// How deep routines may call each other without and through statements.
const NESTING: usize = 200;
const DEEPEST: usize = 16;
/// The most bytes of texts that the variables of all routines of a session hold, within the limit of the database's
/// statements.
const TEXT_BYTES: usize = 256 << 20;

/// The rows of a routine, and the values that its parameters give back.
type RowsAndOutputs = (Vec<Vec<Value>>, Vec<Value>);

/// A routine that is ready to run.
#[derive(Debug)]
pub(crate) struct Ready {
    pub program: Arc<Program>,
    pub parameters: Vec<(String, Type)>,
    /// The places of the parameters that give a value back.
    pub outputs: Vec<usize>,
    pub returns: Vec<Type>,
    pub is_single: bool,
}

/// The program of a routine's form.
///
/// Errors: -999 for a form that the machine refuses, -665 for one that is too large.
pub(crate) fn linked(routine: mainstay_vm::Routine, actions: Vec<Action>) -> Result<Arc<Program>, Failure> {
    Program::compile_with(routine, Arc::new(actions)).map_err(|error| plain(SqlError::TOO_COMPLEX, error.to_string()))
}

impl Environment for Names<'_> {
    fn routine(&self, name: &ObjectName, arguments: usize) -> Option<Signature> {
        let stored = self.modules.routine(&name.last().to_lowercase(), arguments)?;
        compile::signature(stored.routine()?, stored.key.clone(), self).ok()
    }

    fn column(&self, table: &ObjectName, column: &str) -> Option<Type> {
        let columns = self.columns(table)?;
        columns.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(column)).map(|(_, known)| known)
    }

    fn user(&self) -> String {
        self.facts.user.clone()
    }
}

/// The limits of what runs in a session.
pub(crate) fn limits(session: &InformixSession) -> Limits {
    let (cancel, deadline) = (Some(session.stopping.machine()), session.stopping.deadline());
    let most = TEXT_BYTES.min(session.shared.database.statement_bytes());
    Limits { nesting: NESTING, cancel, deadline, ..Limits::default() }.within(most)
}

impl InformixSession {
    /// Reads routines and triggers again if they have changed.
    ///
    /// Errors: those of reading.
    pub(crate) fn refresh(&mut self) -> Result<(), Failure> {
        let version = self.shared.version();
        if self.modules.version == version {
            return Ok(());
        }
        self.modules = Modules::read(&mut self.core, version)?;
        self.programs.clear();
        self.triggers.clear();
        self.routine_statements.clear();
        if !self.modules.all.is_empty() && !self.functions.can_read() {
            let outlook = self.core.outlook();
            self.functions.read_by(outlook);
        }
        Ok(())
    }

    /// Routines have changed in this session, maybe within its transaction.
    pub(crate) fn modules_changed(&mut self) -> Result<(), Failure> {
        self.has_changed_modules = self.core.is_in_transaction();
        self.shared.bump();
        self.refresh()
    }

    /// CREATE PROCEDURE and CREATE FUNCTION.
    ///
    /// Errors: -673 for one that is there; those of compiling.
    pub(crate) fn create_routine(&mut self, routine: &Routine, text: &str) -> Result<Done, Failure> {
        let name = routine.name.last().to_lowercase();
        let key = key_of(&name, routine.parameters.len());
        let existing = self.modules.by_key(&key).map(|stored| stored.number);
        if existing.is_some() && routine.if_not_exists {
            return Ok(Done::default());
        }
        if existing.is_some() && !routine.replaces {
            let message = format!("A routine with the given name ({name}) and parameter signature already exists.");
            return Err(Failure { number: EXISTS, subject: name, message, ..Failure::default() });
        }
        let compiled = compile_routine(routine, text, &self.names());
        let compiled = compiled.map_err(|error| of_syntax(&error, text))?;
        linked(compiled.routine, compiled.actions)?;
        let number = existing.unwrap_or_else(|| self.modules.next_number());
        let owner = self.facts.user.clone();
        let row = Row { key: &key, name: &name, owner: &owner, table: "", is_enabled: true, number, text };
        modules::keep(&mut self.core, &row)?;
        self.modules_changed()?;
        Ok(Done::default())
    }

    /// DROP PROCEDURE, FUNCTION and ROUTINE.
    ///
    /// Errors: -674 for one that is not there, -9700 for a name that several have.
    pub(crate) fn drop_routine(&mut self, drop: &DropRoutine) -> Result<Done, Failure> {
        let name = drop.name.last().to_lowercase();
        let is_meant = |stored: &&Arc<Stored>| {
            stored.routine().is_some_and(|routine| {
                let is_named = match drop.is_specific {
                    true => routine.specific.as_ref().is_some_and(|specific| specific.is(&name)),
                    false => stored.name == name,
                };
                is_named && drop.parameters.is_none_or(|count| count == routine.parameters.len())
            })
        };
        let found: Vec<String> = self.modules.all.iter().filter(is_meant).map(|stored| stored.key.clone()).collect();
        match &found[..] {
            [key] => {
                modules::forget(&mut self.core, key)?;
                self.modules_changed()?;
                Ok(Done::default())
            }
            [] if drop.if_exists => Ok(Done::default()),
            [] => Err(missing(&name)),
            _ => {
                let message =
                    format!("Routine ({name}) ambiguous - more than one routine resolves to given signature.");
                Err(Failure { number: -9700, subject: name, message, ..Failure::default() })
            }
        }
    }

    /// A routine that is ready to run, by its key.
    ///
    /// Errors: -674 for one that is not there; those of compiling.
    pub(crate) fn ready(&mut self, key: &str) -> Result<Arc<Ready>, Failure> {
        if let Some(ready) = self.programs.get(key) {
            return Ok(Arc::clone(ready));
        }
        let name = key.split('/').next().unwrap_or(key);
        let stored = self.modules.by_key(key).cloned().ok_or_else(|| missing(name))?;
        let routine = stored.routine().ok_or_else(|| missing(name))?;
        let compiled = compile_routine(routine, &stored.text, &self.names());
        // The place is one of the routine's text, not of the statement that calls it.
        let compiled = compiled.map_err(|error| Failure { position: 0, ..of_syntax(&error, &stored.text) })?;
        let program = linked(compiled.routine, compiled.actions)?;
        let ready = Ready {
            program,
            parameters: compiled.parameters,
            outputs: compiled.outputs,
            returns: compiled.returns,
            is_single: compiled.is_single,
        };
        let ready = Arc::new(ready);
        self.programs.insert(key.to_owned(), Arc::clone(&ready));
        Ok(ready)
    }

    /// Does something with a machine and its host.
    ///
    /// Errors: -665 where statements and routines call each other too deeply.
    pub(crate) fn with_machine<T>(
        &mut self,
        work: impl FnOnce(&mut Runner<'_>, &mut Machine) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.depth >= DEEPEST {
            return Err(plain(SqlError::TOO_COMPLEX, "Routines and triggers call each other too deeply."));
        }
        let mut machine = self.machine.take().unwrap_or_else(|| Machine::new(limits(self)));
        machine.set_deadline(self.stopping.deadline());
        self.depth += 1;
        let mut runner = Runner::new(self);
        let done = work(&mut runner, &mut machine);
        self.depth -= 1;
        self.machine = Some(machine);
        done
    }

    /// The rows that a routine returns for these arguments.
    ///
    /// Errors: those of the routine.
    pub(crate) fn call(
        &mut self,
        key: &str,
        names: &[Option<String>],
        values: &[Value],
    ) -> Result<Vec<Vec<Value>>, Failure> {
        self.with_machine(|runner, machine| runner.run_routine(machine, key, names, values))
    }

    /// INSERT of the rows that a routine returns.
    pub(crate) fn insert_rows_of(
        &mut self,
        insert: &Insert,
        call: &Invocation,
        parameters: &[Value],
    ) -> Result<Ran, Failure> {
        let rows = self.rows_of_call(call, parameters)?.unwrap_or_default();
        let mut done = Done::default();
        for row in rows {
            let mark = |place: usize| Expr::Variable(Name { text: format!("?{}", place + 1), ..Name::default() });
            let values = InsertRows::Values((0..row.len()).map(mark).collect());
            let one = Insert { target: insert.target.clone(), columns: insert.columns.clone(), rows: values };
            let types: Vec<Type> = vec![Type::LVarChar(32_739); row.len()];
            let mut prepared = Prepared::of_routine(&Tree::Insert(Box::new(one)), &types, false, &self.names());
            if let Ran::Done(added) = self.run_prepared(&mut prepared, &row)? {
                let generated = added.generated.or(done.generated);
                done = Done { rows: done.rows + added.rows, generated, has_no_effect: false };
            }
        }
        Ok(Ran::Done(done))
    }

    /// The value of an expression that a client writes as an argument.
    ///
    /// Errors: those of the expression.
    pub(crate) fn value_of(&mut self, value: &Expr, parameters: &[Value]) -> Result<Value, Failure> {
        let types: Vec<Type> = vec![Type::LVarChar(32_739); parameters.len()];
        let mut prepared = Prepared::of_routine(&reduce::value_query(value), &types, false, &self.names());
        match self.run_prepared(&mut prepared, parameters)? {
            Ran::Rows(mut rows) => Ok(rows.next()?.and_then(|row| row.into_iter().next()).unwrap_or(Value::Null)),
            Ran::Done(_) => Ok(Value::Null),
        }
    }

    /// EXECUTE PROCEDURE, EXECUTE FUNCTION and CALL of a client.
    ///
    /// Errors: -674 for a routine that is not there; those of the routine.
    pub(crate) fn execute_call(&mut self, call: &Invocation, parameters: &[Value]) -> Result<Ran, Failure> {
        let rows = self.rows_of_call(call, parameters)?;
        Ok(match rows {
            None => Ran::Done(Done::default()),
            Some(rows) => Ran::Rows(Box::new(KeptRows::new(rows))),
        })
    }

    /// The rows of a call; `None` for a routine that returns no values.
    pub(crate) fn rows_of_call(
        &mut self,
        call: &Invocation,
        parameters: &[Value],
    ) -> Result<Option<Vec<Vec<Value>>>, Failure> {
        let name = call.name.last().to_lowercase();
        if is_accepted(&name) {
            return Ok(None);
        }
        let stored = self.modules.routine(&name, call.arguments.len()).cloned().ok_or_else(|| missing(&name))?;
        if stored.routine().is_some_and(|routine| routine.parameters.iter().any(Parameter::is_output)) {
            return Err(has_outputs(&name));
        }
        let gives_rows = stored.routine().is_some_and(|routine| !routine.returns.is_empty());
        let mut values = Vec::with_capacity(call.arguments.len());
        for (_, value) in &call.arguments {
            values.push(self.argument(value, parameters)?);
        }
        let lower = |name: &Option<Name>| name.as_ref().map(|name| name.text.to_lowercase());
        let names: Vec<Option<String>> = call.arguments.iter().map(|(name, _)| lower(name)).collect();
        let rows = self.call(&stored.key, &names, &values)?;
        Ok(gives_rows.then_some(rows))
    }

    /// The value of an argument that a client writes.
    fn argument(&mut self, value: &Expr, parameters: &[Value]) -> Result<Value, Failure> {
        match value {
            Expr::Variable(name) => {
                let number: usize = name.text.trim_start_matches('?').parse().unwrap_or(0);
                Ok(parameters.get(number.wrapping_sub(1)).cloned().unwrap_or(Value::Null))
            }
            Expr::Literal(Literal::Null) => Ok(Value::Null),
            Expr::Literal(Literal::String(text)) => Ok(Value::Text(text.clone())),
            Expr::Literal(Literal::Integer(digits)) => match digits.parse() {
                Ok(number) => Ok(Value::Integer(number)),
                Err(_) => Ok(Value::Text(digits.clone())),
            },
            value => self.value_of(value, parameters),
        }
    }
}

/// -9752: a routine with OUT or INOUT parameters is executed as a statement, which has nowhere to put their values.
fn has_outputs(name: &str) -> Failure {
    let message = format!("Routine ({name}) has OUT or INOUT parameters: call it from a routine, or by its number.");
    Failure { number: SqlError::HAS_OUTPUTS, subject: name.to_owned(), message, ..Failure::default() }
}

/// The number of the routine of a call, if its parameters give values back: clients call such a routine by it.
pub(crate) fn number_of_call(session: &InformixSession, call: &Invocation) -> Option<u32> {
    let stored = session.modules.routine(&call.name.last().to_lowercase(), call.arguments.len())?;
    let has_outputs = stored.routine()?.parameters.iter().any(Parameter::is_output);
    has_outputs.then(|| u32::try_from(stored.number).ok()).flatten()
}

/// The routine of a number.
fn numbered(session: &InformixSession, number: u32) -> Result<Arc<Stored>, Failure> {
    let is_meant = |stored: &&Arc<Stored>| stored.number == i64::from(number) && stored.routine().is_some();
    session.modules.all.iter().find(is_meant).cloned().ok_or_else(|| missing(&number.to_string()))
}

/// The parameters of a routine, and what it returns.
///
/// Errors: -674 for a number that no routine has.
pub(crate) fn shape(session: &mut InformixSession, number: u32) -> Result<RoutineShape, Failure> {
    session.refresh()?;
    let stored = numbered(session, number)?;
    let ready = session.ready(&stored.key)?;
    let parameters = ready.parameters.iter().enumerate();
    let parameters = parameters
        .map(|(place, (name, known))| (crate::rows::column(name, *known, true), ready.outputs.contains(&place)));
    let returns = ready.returns.iter().map(|known| crate::rows::column("(expression)", *known, true));
    Ok(RoutineShape { parameters: parameters.collect(), returns: returns.collect() })
}

/// Calls a routine by its number. A value for an OUT parameter has no meaning: it begins as NULL.
///
/// Errors: -674 for a number that no routine has, -686 for several rows; those of the routine.
pub(crate) fn call_numbered(session: &mut InformixSession, number: u32, values: &[Value]) -> Result<Called, Failure> {
    let stored = numbered(session, number)?;
    let routine = stored.routine().ok_or_else(|| missing(&stored.name))?;
    let modes = routine.parameters.iter().map(|parameter| parameter.mode);
    let values: Vec<Value> = modes
        .zip(values)
        .map(|(mode, value)| if mode == ParameterMode::Out { Value::Null } else { value.clone() })
        .collect();
    let (mut rows, outputs) =
        session.with_machine(|runner, machine| runner.run_with_outputs(machine, &stored.key, &[], &values))?;
    if rows.len() > 1 {
        let message = format!("Function ({}) has returned more than one row.", stored.name);
        return Err(Failure { number: -686, subject: stored.name.clone(), message, ..Failure::default() });
    }
    Ok(Called { outputs, returned: rows.pop() })
}

/// The arguments of a run, by the places of the parameters.
///
/// Errors: -674 for a name that no parameter has, two values for one, and too many arguments; those of converting.
pub(crate) fn arranged(
    ready: &Ready,
    name: &str,
    names: &[Option<String>],
    values: &[Value],
) -> Result<Vec<Option<Value>>, Failure> {
    let mut arranged = vec![None; ready.parameters.len()];
    for (place, value) in values.iter().enumerate() {
        let place = match names.get(place).and_then(Option::as_ref) {
            Some(name) => ready.parameters.iter().position(|(known, _)| known == name),
            None => Some(place),
        };
        let place = place.filter(|place| arranged.get(*place).is_some_and(Option::is_none));
        let place = place.ok_or_else(|| missing(name))?;
        let known = ready.parameters[place].1;
        arranged[place] = Some(assign(value.as_ref(), known).map_err(|error| of_syntax(&error, ""))?);
    }
    Ok(arranged)
}

impl Runner<'_> {
    /// Runs a routine and gives its rows.
    ///
    /// Errors: those of the routine.
    pub(crate) fn run_routine(
        &mut self,
        machine: &mut Machine,
        key: &str,
        names: &[Option<String>],
        values: &[Value],
    ) -> Result<Vec<Vec<Value>>, Failure> {
        self.run_with_outputs(machine, key, names, values).map(|(rows, _)| rows)
    }

    /// The same, and the values that OUT and INOUT parameters give back.
    ///
    /// Errors: those of the routine.
    pub(crate) fn run_with_outputs(
        &mut self,
        machine: &mut Machine,
        key: &str,
        names: &[Option<String>],
        values: &[Value],
    ) -> Result<RowsAndOutputs, Failure> {
        let ready = self.session.ready(key)?;
        let name = key.split('/').next().unwrap_or(key);
        let arguments = arranged(&ready, name, names, values)?;
        let given: Vec<RunArgument<'_>> = arguments
            .iter()
            .map(|value| value.as_ref().map_or(RunArgument::Default, |value| RunArgument::Value(value.as_ref())))
            .collect();
        machine.run(self, &ready.program, &given).map_err(|raised| failure_of(&raised))?;
        let Returned { rows, is_nothing } = std::mem::take(&mut self.returned);
        let mut rows = match ready.is_single {
            true if is_nothing => Vec::new(),
            true => vec![vec![machine.result().to_value()]],
            false => rows,
        };
        for (place, _) in ready.returns.iter().enumerate().filter(|(_, known)| known.is_floating()) {
            for value in rows.iter_mut().filter_map(|row| row.get_mut(place)) {
                *value = number(std::mem::replace(value, Value::Null))?;
            }
        }
        let mut outputs = Vec::with_capacity(ready.outputs.len());
        for place in &ready.outputs {
            let value = machine.parameter(*place).to_value();
            let is_floating = ready.parameters.get(*place).is_some_and(|(_, known)| known.is_floating());
            outputs.push(if is_floating { number(value)? } else { value });
        }
        Ok((rows, outputs))
    }
}
