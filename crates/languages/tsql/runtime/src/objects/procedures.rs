//! The system procedures.

use crate::columns::Column;
use crate::definitions::extended_properties::{Change, Property};
use crate::session::object_name;
use crate::statements::application_locks::Mode;
use crate::statements::errors::raised;
use crate::statements::flow::{first, text_of};
use crate::statements::runner::{Ran, Runner};
use mainstay_session::push::Command;
use mainstay_tsql_syntax::compile::ModuleParameter;
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Flow, Machine, RunArgument, StatementCall, Type, Width};
use std::sync::Arc;
use std::time::Duration;

/// The ones that there are.
const NAMES: [&str; 22] = [
    "sp_addextendedproperty",
    "sp_addmessage",
    "sp_describe_first_result_set",
    "sp_describe_undeclared_parameters",
    "sp_dropextendedproperty",
    "sp_dropmessage",
    "sp_execute",
    "sp_executesql",
    "sp_helptext",
    "sp_mainstay_close_xml",
    "sp_mainstay_give_lock_back",
    "sp_mainstay_open_xml",
    "sp_mainstay_take_lock",
    "sp_mainstay_take_range",
    "sp_prepare",
    "sp_prepexec",
    "sp_rename",
    "sp_reset_connection",
    "sp_set_session_context",
    "sp_settriggerorder",
    "sp_unprepare",
    "sp_updateextendedproperty",
];

/// The number of the one of this name.
pub(crate) fn number(name: &str) -> Option<u32> {
    NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)).map(|place| place as u32)
}

/// The name of the one of this number.
pub(crate) fn name(number: u32) -> Option<&'static str> {
    NAMES.get(number as usize).copied()
}

/// The names that users know.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied().filter(|name| !name.starts_with("sp_mainstay"))
}

/// One that a program calls.
pub(crate) fn execute(runner: &mut Runner<'_>, name: &str, call: &mut StatementCall<'_>) -> Ran {
    if name.eq_ignore_ascii_case("sp_executesql") {
        let flow = execute_sql(runner, call)?;
        give_status(call, runner.inner.state.error)?;
        return Ok(flow);
    }
    match name.to_ascii_lowercase().as_str() {
        "sp_execute" | "sp_prepare" | "sp_prepexec" | "sp_unprepare" => {
            return crate::session::prepared::execute(runner, &name.to_ascii_lowercase(), call);
        }
        "sp_mainstay_take_range" => return take_range(runner, call),
        "sp_mainstay_open_xml" => return crate::statements::xml_documents::open(runner, call),
        "sp_mainstay_close_xml" => return crate::statements::xml_documents::close(runner, call),
        "sp_mainstay_take_lock" | "sp_mainstay_give_lock_back" => return lock(runner, name, call),
        _ => {}
    }
    give_status(call, 0)?;
    let values: Vec<(Option<String>, Value)> = (0..call.inputs())
        .map(|place| (call.input_name(place).map(str::to_owned), call.input(place).to_value()))
        .collect();
    let given: Vec<(Option<&str>, ValueRef<'_>)> =
        values.iter().map(|(name, value)| (name.as_deref(), value.as_ref())).collect();
    run(runner, call.machine(), name, &given).map_err(|mut error| {
        // An error in a text that a procedure examines is not an error of the statement that calls it.
        error.passes_own_handlers = false;
        error
    })
}

/// Gives a program the return status of one, if it asks for it.
pub(crate) fn give_status(call: &mut StatementCall<'_>, status: i32) -> Result<(), Box<mainstay_vm::Raised>> {
    let given = call.set_result(ValueRef::Integer(status.into()));
    given.map_err(|fault| raised(crate::statements::errors::of_fault(&fault)))
}

/// One that a client or a program calls, with these arguments.
pub(crate) fn run(
    runner: &mut Runner<'_>,
    machine: &mut Machine,
    name: &str,
    arguments: &[(Option<&str>, ValueRef<'_>)],
) -> Ran {
    let name = object_name(name);
    let argument = |place: usize, called: &str| {
        let named = arguments.iter().find(|(name, _)| name.is_some_and(|name| name.eq_ignore_ascii_case(called)));
        let plain = arguments.get(place).filter(|(name, _)| name.is_none());
        named.or(plain).map(|(_, value)| *value)
    };
    match name.last().to_ascii_lowercase().as_str() {
        "sp_helptext" => help_text(runner, &text_of(argument(0, "@objname").unwrap_or(ValueRef::Null))),
        "sp_addextendedproperty" => property(runner, Change::Add, &argument),
        "sp_updateextendedproperty" => property(runner, Change::Update, &argument),
        "sp_dropextendedproperty" => property(runner, Change::Drop, &argument),
        "sp_addmessage" => {
            let number =
                |place, name: &str| argument(place, name).and_then(crate::statements::flow::integer).unwrap_or(0);
            let text = |place, name: &str| argument(place, name).map(text_of).unwrap_or_default();
            let is_said = |place, name: &str| argument(place, name).is_some_and(|value| !value.is_null());
            if !is_said(0, "@msgnum") || !is_said(1, "@severity") || text(2, "@msgtext").is_empty() {
                let usage =
                    "Usage: sp_addmessage <msgnum>,<severity>,<msgtext> [,<language> [,FALSE | TRUE [,REPLACE]]]";
                return Err(raised(Message::error(15071, usage)));
            }
            let replaces = text(5, "@replace").eq_ignore_ascii_case("replace");
            let (message, severity, words) = (number(0, "@msgnum"), number(1, "@severity"), text(2, "@msgtext"));
            runner.inner.add_message(message, severity, &words, replaces).map(|()| Flow::NEXT)
        }
        "sp_dropmessage" => {
            let number = argument(0, "@msgnum").and_then(crate::statements::flow::integer).unwrap_or(0);
            runner.inner.drop_message(number).map(|()| Flow::NEXT)
        }
        "sp_reset_connection" => {
            runner.inner.reset(false);
            Ok(Flow::NEXT)
        }
        "sp_settriggerorder" => {
            let text = |place: usize, name: &str| argument(place, name).map(text_of).unwrap_or_default();
            let (trigger, order) = (text(0, "@triggername"), text(1, "@order"));
            runner.inner.order_trigger(&trigger, &order, &text(2, "@stmttype")).map(|()| Flow::NEXT)
        }
        "sp_describe_first_result_set" => {
            let text = text_of(argument(0, "@tsql").unwrap_or(ValueRef::Null));
            let definitions = text_of(argument(1, "@params").unwrap_or(ValueRef::Null));
            crate::session::describe::first_result_set(runner, machine, &text, &definitions)
        }
        "sp_describe_undeclared_parameters" => {
            let text = text_of(argument(0, "@tsql").unwrap_or(ValueRef::Null));
            let definitions = text_of(argument(1, "@params").unwrap_or(ValueRef::Null));
            crate::session::undeclared_parameters::describe(runner, &text, &definitions)
        }
        "sp_rename" => {
            let given = |place: usize, called: &str| text_of(argument(place, called).unwrap_or(ValueRef::Null));
            let (name, to, kind) = (given(0, "@objname"), given(1, "@newname"), given(2, "@objtype"));
            crate::definitions::rename::rename(runner, &name, &to, &kind)
        }
        "sp_set_session_context" => {
            let key = text_of(argument(0, "@key").unwrap_or(ValueRef::Null));
            let value = argument(1, "@value").unwrap_or(ValueRef::Null).to_value();
            let is_last = matches!(argument(2, "@read_only"), Some(ValueRef::Boolean(true) | ValueRef::Integer(1)));
            set_context(runner, key, value, is_last)
        }
        other => {
            let text = format!("Could not find stored procedure '{other}'.");
            Err(raised(Message::error(2812, text).state(62)))
        }
    }
}

/// The procedures of extended properties.
fn property<'v>(
    runner: &mut Runner<'_>,
    change: Change,
    argument: &dyn Fn(usize, &str) -> Option<ValueRef<'v>>,
) -> Ran {
    let text = |place: usize, name: &str| argument(place, name).map(text_of).unwrap_or_default();
    // Dropping has no value.
    let first = if change == Change::Drop { 1 } else { 2 };
    let name = text(0, "@name");
    let value = if change == Change::Drop { String::new() } else { text(1, "@value") };
    let names = ["@level0type", "@level0name", "@level1type", "@level1name", "@level2type", "@level2name"];
    let levels = std::array::from_fn(|level| text(first + level, names[level]));
    runner.inner.change_property(change, Property { levels, name, value }).map(|()| Flow::NEXT)
}

/// `sp_set_session_context`.
///
/// Errors: 15664 for a key that was set for good.
fn set_context(runner: &mut Runner<'_>, key: String, value: Value, is_last: bool) -> Ran {
    let context = &mut runner.inner.state.context;
    let name = key.to_lowercase();
    if context.get(&name).is_some_and(|(_, is_last)| *is_last) {
        let text = format!(
            "Cannot set key '{key}' in the session context. The key has been set as read_only for this session."
        );
        return Err(raised(Message::error(15664, text)));
    }
    context.insert(name, (value, is_last));
    Ok(Flow::NEXT)
}

/// The operation of `sp_getapplock` and `sp_releaseapplock`; the last argument is the answer.
///
/// Errors: 1223 for a lock that is not held.
fn lock(runner: &mut Runner<'_>, name: &str, call: &mut StatementCall<'_>) -> Ran {
    let takes = name.eq_ignore_ascii_case("sp_mainstay_take_lock");
    let resource = text_of(call.input(0));
    let owner = text_of(call.input(if takes { 2 } else { 1 }));
    let of_transaction = !owner.eq_ignore_ascii_case("Session");
    let is_known = !of_transaction || owner.eq_ignore_ascii_case("Transaction");
    let is_possible = is_known && (!of_transaction || runner.inner.state.transactions > 0);
    let owner = (runner.inner.state.process, of_transaction);
    let locks = Arc::clone(&runner.inner.instance.locks);
    let result = match takes {
        true => match Mode::of(&text_of(call.input(1))).filter(|_| is_possible) {
            Some(mode) => {
                let patience =
                    crate::statements::flow::integer(call.input(3)).and_then(|time| u64::try_from(time).ok());
                let machine: &Machine = call.machine();
                let stops = || machine.wish_to_stop().is_some();
                locks.take(&resource, owner, mode, patience.map(Duration::from_millis), &stops)
            }
            None => -999,
        },
        false if locks.give_back(&resource, owner) => 0,
        false => {
            let principal = text_of(call.input(2));
            let text = format!(
                "Cannot release the application lock (Database Principal: '{principal}', Resource: '{resource}') because \
                 it is not currently held."
            );
            return Err(raised(Message::error(1223, text)));
        }
    };
    crate::statements::runner::set(call, call.inputs().saturating_sub(1), ValueRef::Integer(result))
}

/// The operation of `sp_sequence_get_range`: the sequence and the number of values; the first and the last of them, and
/// the number of times that the sequence begins again among them.
///
/// Errors: 208 for a sequence that is not there, 11732 where it has not so many.
fn take_range(runner: &mut Runner<'_>, call: &mut StatementCall<'_>) -> Ran {
    let name = object_name(&text_of(call.input(0)));
    let count = match call.input(1) {
        ValueRef::Integer(count) => u64::try_from(count).unwrap_or(0),
        _ => 0,
    };
    let range = runner.inner.take_range(&name, count)?;
    let numbers = [range.first, range.last, i64::try_from(range.cycles).unwrap_or(i64::MAX)];
    for (place, number) in numbers.into_iter().enumerate() {
        crate::statements::runner::set(call, place + 2, ValueRef::Integer(number))?;
    }
    Ok(Flow::NEXT)
}

fn text(name: &str, length: u16) -> Column {
    Column::new(name, DataType::NVarChar(Length::Limited(length)))
}

impl Runner<'_> {
    /// Sends a result to the client, or to the capture around it.
    pub(crate) fn give(&mut self, columns: &[Column], rows: &[Vec<Value>]) -> Ran {
        if let Some(captured) = self.inner.state.captured.last_mut() {
            captured.take(columns, rows.iter().cloned())?;
            return Ok(Flow::NEXT);
        }
        self.columns(columns)?;
        for row in rows {
            let cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
            self.sink.row(&cells).map_err(crate::session::sent_rows::stopped)?;
        }
        self.done(Command::Select, Some(rows.len() as u64));
        Ok(Flow::NEXT)
    }
}

/// The width of the column in which `sp_helptext` shows the lines of a text; longer ones are cut.
const HELP_TEXT_WIDTH: u16 = 255;

fn help_text(runner: &mut Runner<'_>, name: &str) -> Ran {
    let Some(object) = runner.inner.modules.find(&object_name(name)).cloned() else {
        let database = &runner.inner.state.database;
        let text =
            format!("The object '{name}' does not exist in database '{database}' or is invalid for this operation.");
        return Err(raised(Message::error(15009, text)));
    };
    let pieces = object.text.split_inclusive('\n').flat_map(|line| pieces(line, usize::from(HELP_TEXT_WIDTH)));
    let lines: Vec<Vec<Value>> = pieces.map(|piece| vec![Value::Text(piece.to_owned())]).collect();
    runner.give(&[text("Text", HELP_TEXT_WIDTH)], &lines)
}

/// A line in pieces of so many characters of NVARCHAR.
fn pieces(mut line: &str, width: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    while !line.is_empty() {
        let (piece, rest) = line.split_at(mainstay_tsql_types::text::left(line, width, true).len());
        pieces.push(piece);
        line = rest;
    }
    pieces
}

/// `EXEC sp_executesql N'...', N'@a int', @a = 1`. The status is the error that its last statement has left.
///
/// Errors: 8178 for a parameter without a value, and those of the text.
fn execute_sql(runner: &mut Runner<'_>, call: &mut StatementCall<'_>) -> Ran {
    let Some(statement) = place_of(call, 0, ["@stmt", "@statement"]) else {
        return Err(raised(not_national("@statement", 2)));
    };
    let national = |place: usize, name: &str, state: u8| match call.input(place) {
        ValueRef::Null | ValueRef::Text(_) => Ok(text_of(call.input(place))),
        _ => Err(raised(not_national(name, state))),
    };
    let statement = national(statement, "@statement", 2)?;
    let types = place_of(call, 1, ["@params", "@parameters"]).map(|place| national(place, "@params", 3));
    let types = types.transpose()?.unwrap_or_default();
    run_text(runner, call, (&statement, &types), 2)
}

/// The message of sp_executesql for a text that is not NVARCHAR.
pub(crate) fn not_national(name: &str, state: u8) -> Message {
    let message = Message::numbered(214, &[&name, &"ntext/nchar/nvarchar"]).state(state);
    Message { procedure: Some("sp_executesql".to_owned()), line: 1, ..message }
}

/// The place of the parameter of one of these names, or of this place, in the arguments of a call.
pub(crate) fn place_of(call: &StatementCall<'_>, place: usize, names: [&str; 2]) -> Option<usize> {
    let is = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let named = (0..call.inputs()).find(|place| call.input_name(*place).is_some_and(is));
    named.or_else(|| (place < call.inputs() && call.input_name(place).is_none()).then_some(place))
}

/// Runs a text with the declarations of its parameters; their values are arguments of the call, from this place on.
///
/// Errors: 8178 for a parameter without a value, and those of the text.
pub(crate) fn run_text(
    runner: &mut Runner<'_>,
    call: &mut StatementCall<'_>,
    (statement, types): (&str, &str),
    from: usize,
) -> Ran {
    let loaded = runner.inner.text(statement, types).map_err(first)?;
    let declared = &loaded.module.parameters;
    let place = |(number, parameter): (usize, &ModuleParameter)| place_of(call, number + from, [&parameter.name; 2]);
    let places: Vec<Option<usize>> = declared.iter().enumerate().map(place).collect();
    for (place, parameter) in places.iter().zip(declared) {
        if place.is_none() {
            let text = format!(
                "The parameterized query '({types}){statement}' expects the parameter '{}', which was not supplied.",
                parameter.name
            );
            return Err(raised(Message::error(8178, text)));
        }
    }
    let values: Vec<Value> =
        places.iter().map(|place| place.map_or(Value::Null, |place| call.input(place).to_value())).collect();
    let arguments: Vec<RunArgument<'_>> = values.iter().map(|value| RunArgument::Value(value.as_ref())).collect();
    runner.expect(&loaded);
    let program = Arc::clone(&loaded.program);
    call.machine().run(runner, &program, &arguments)?;
    let machine = call.machine();
    let outputs: Vec<(usize, DataType, Value)> = declared
        .iter()
        .enumerate()
        .filter(|(_, parameter)| parameter.is_output)
        .filter_map(|(number, parameter)| {
            Some((places[number]?, parameter.data_type, machine.parameter(number).to_value()))
        })
        .collect();
    for (place, from, value) in outputs {
        // An argument without OUTPUT stays as it was.
        let Some(to) = call.output_type(place) else { continue };
        let value = match taking(to).filter(|to| *to != from) {
            Some(to) => runner.converted(&value, Some(from), to)?,
            None => value,
        };
        crate::statements::runner::set(call, place, value.as_ref())?;
    }
    Ok(Flow::NEXT)
}

/// The type of SQL Server that holds what a variable of the machine's type does; `None` for one that takes every value.
fn taking(to: Type) -> Option<DataType> {
    let length = |limit: Option<u32>, most: u32| match limit.filter(|limit| (1..=most).contains(limit)) {
        Some(limit) => Length::Limited(limit as u16),
        None => Length::Max,
    };
    Some(match to {
        Type::Boolean => DataType::Bit,
        Type::Integer(Width::I8 | Width::I16) => DataType::SmallInt,
        Type::Integer(Width::U8) => DataType::TinyInt,
        Type::Integer(Width::I32) => DataType::Int,
        Type::Integer(Width::I64) => DataType::BigInt,
        Type::Decimal { precision, scale } => DataType::Decimal { precision, scale },
        Type::Real => DataType::Real,
        Type::Float => DataType::Float,
        Type::Text { limit } => DataType::NVarChar(length(limit, 4000)),
        Type::Bytes { limit } => DataType::VarBinary(length(limit, 8000)),
        Type::Date => DataType::Date,
        Type::Time => DataType::Time(7),
        Type::Timestamp => DataType::DateTime2(7),
        Type::TimestampWithOffset => DataType::DateTimeOffset(7),
        Type::Uuid => DataType::UniqueIdentifier,
        Type::Interval | Type::Any | Type::Handle => return None,
    })
}
