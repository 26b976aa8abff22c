//! The system's procedures.

use crate::errors::raised;
use crate::flow::{first, text_of};
use crate::runner::{Ran, Runner};
use crate::session::object_name;
use mainstay_base::{Value, ValueRef};
use mainstay_mssql::{DataType, Length, Message};
use mainstay_program::{Flow, RunArgument, StatementCall};
use mainstay_tds::{Column, Command};
use mainstay_tsql::compile::ModuleParameter;
use std::sync::Arc;

/// The ones that there are.
const NAMES: [&str; 10] = [
    "sp_columns",
    "sp_columns_100",
    "sp_executesql",
    "sp_helptext",
    "sp_who",
    "sp_tables",
    "sp_databases",
    "sp_reset_connection",
    "sp_datatype_info_100",
    "sp_getapplock",
];

/// Whether this is the name of one.
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// One that a program calls.
pub(crate) fn execute(runner: &mut Runner<'_>, name: &str, call: &mut StatementCall<'_>) -> Ran {
    if name.eq_ignore_ascii_case("sp_executesql") {
        let flow = execute_sql(runner, call)?;
        give_status(call, runner.inner.state.error)?;
        return Ok(flow);
    }
    give_status(call, 0)?;
    let values: Vec<(Option<String>, Value)> = (0..call.inputs())
        .map(|place| (call.input_name(place).map(str::to_owned), call.input(place).to_value()))
        .collect();
    let given: Vec<(Option<&str>, ValueRef<'_>)> =
        values.iter().map(|(name, value)| (name.as_deref(), value.as_ref())).collect();
    run(runner, name, &given)
}

/// Gives a program the return status of one, if it asks for it.
fn give_status(call: &mut StatementCall<'_>, status: i32) -> Result<(), Box<mainstay_program::Raised>> {
    let given = call.set_result(ValueRef::Integer(status.into()));
    given.map_err(|fault| raised(crate::errors::of_fault(&fault)))
}

/// One that a client or a program calls, with these arguments.
pub(crate) fn run(runner: &mut Runner<'_>, name: &str, arguments: &[(Option<&str>, ValueRef<'_>)]) -> Ran {
    let name = object_name(name);
    let argument = |place: usize, called: &str| {
        let named = arguments.iter().find(|(name, _)| name.is_some_and(|name| name.eq_ignore_ascii_case(called)));
        let plain = arguments.get(place).filter(|(name, _)| name.is_none());
        named.or(plain).map(|(_, value)| *value)
    };
    match name.last().to_ascii_lowercase().as_str() {
        "sp_helptext" => help_text(runner, &text_of(argument(0, "@objname").unwrap_or(ValueRef::Null))),
        "sp_reset_connection" => {
            runner.inner.reset(false);
            Ok(Flow::Next)
        }
        "sp_getapplock" => Ok(Flow::Next),
        "sp_who" => who(runner),
        "sp_tables" => tables(runner, argument(0, "@table_name").map(text_of)),
        "sp_columns" | "sp_columns_100" => columns(runner, argument(0, "@table_name").map(text_of)),
        "sp_databases" => {
            let database = runner.inner.instance.name.to_string();
            let columns =
                [text("DATABASE_NAME", 128), Column::new("DATABASE_SIZE", DataType::Int), text("REMARKS", 254)];
            rows(runner, &columns, &[vec![Value::Text(database), Value::Integer(0), Value::Null]])
        }
        "sp_datatype_info_100" => rows(runner, &[text("TYPE_NAME", 128)], &[]),
        other => {
            let text = format!("Could not find stored procedure '{other}'.");
            Err(raised(Message::error(2812, text).state(62)))
        }
    }
}

fn text(name: &str, length: u16) -> Column {
    Column::new(name, DataType::NVarChar(Length::Limited(length)))
}

fn rows(runner: &mut Runner<'_>, columns: &[Column], rows: &[Vec<Value>]) -> Ran {
    runner.sink.columns(columns).map_err(crate::query::stopped)?;
    for row in rows {
        let cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
        runner.sink.row(&cells).map_err(crate::query::stopped)?;
    }
    runner.done(Command::SELECT, Some(rows.len() as u64));
    Ok(Flow::Next)
}

fn help_text(runner: &mut Runner<'_>, name: &str) -> Ran {
    let Some(object) = runner.inner.modules.find(&object_name(name)).cloned() else {
        let database = &runner.inner.state.database;
        let text =
            format!("The object '{name}' does not exist in database '{database}' or is invalid for this operation.");
        return Err(raised(Message::error(15009, text)));
    };
    let lines: Vec<Vec<Value>> =
        object.text.split_inclusive('\n').map(|line| vec![Value::Text(line.to_owned())]).collect();
    rows(runner, &[text("Text", 255)], &lines)
}

fn who(runner: &mut Runner<'_>) -> Ran {
    let state = &runner.inner.state;
    let row = vec![
        Value::Integer(state.process.into()),
        Value::Text("runnable".to_owned()),
        Value::Text(state.login.clone()),
        Value::Text(state.host.clone()),
        Value::Text(state.database.clone()),
    ];
    let columns = [
        Column::new("spid", DataType::SmallInt),
        text("status", 30),
        text("loginame", 128),
        text("hostname", 128),
        text("dbname", 128),
    ];
    rows(runner, &columns, &[row])
}

fn tables(runner: &mut Runner<'_>, wanted: Option<String>) -> Ran {
    let all = runner.inner.instance.database.tables().map_err(crate::errors::raised_error)?;
    let database = runner.inner.state.database.clone();
    let wanted = wanted.filter(|wanted| !wanted.is_empty() && wanted != "%");
    let is_wanted = |name: &str| wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(name));
    let row = |table: &mainstay_engine::TableInfo| {
        let values = [database.as_str(), "dbo", &table.name, "TABLE"];
        let mut row: Vec<Value> = values.iter().map(|value| Value::Text((*value).to_owned())).collect();
        row.push(Value::Null);
        row
    };
    let list: Vec<Vec<Value>> = all.iter().filter(|table| is_wanted(&table.name)).map(row).collect();
    let columns = [
        text("TABLE_QUALIFIER", 128),
        text("TABLE_OWNER", 128),
        text("TABLE_NAME", 128),
        text("TABLE_TYPE", 32),
        text("REMARKS", 254),
    ];
    rows(runner, &columns, &list)
}

/// As ODBC's SQLColumns has them.
fn columns(runner: &mut Runner<'_>, wanted: Option<String>) -> Ran {
    let all = runner.inner.instance.database.tables().map_err(crate::errors::raised_error)?;
    let wanted = wanted.unwrap_or_default();
    let database = runner.inner.state.database.clone();
    let mut list = Vec::new();
    for table in
        all.iter().filter(|table| ["", "%"].contains(&wanted.as_str()) || table.name.eq_ignore_ascii_case(&wanted))
    {
        let names = runner.inner.names(&[]);
        let found = mainstay_tsql::reduce::Scope::columns(&names, &object_name(&table.name)).unwrap_or_default();
        for (place, column) in found.iter().enumerate() {
            let data_type = column.data_type;
            let name =
                if column.is_identity { format!("{} identity", data_type.name()) } else { data_type.name().to_owned() };
            list.push(vec![
                Value::Text(database.clone()),
                Value::Text("dbo".to_owned()),
                Value::Text(table.name.clone()),
                Value::Text(column.name.clone()),
                Value::Integer(odbc_type(data_type)),
                Value::Text(name),
                Value::Integer(data_type.display_size().map_or(0, i64::from)),
                Value::Integer(data_type.max_length().into()),
                Value::Integer(data_type.scale().into()),
                Value::Integer(10),
                Value::Integer(1),
                Value::Null,
                Value::Null,
                Value::Integer(odbc_type(data_type)),
                Value::Null,
                Value::Null,
                Value::Integer(place as i64 + 1),
                Value::Text("YES".to_owned()),
                Value::Integer(data_type.system_type_id().into()),
            ]);
        }
    }
    let small = |name: &str| Column::new(name, DataType::SmallInt);
    let int = |name: &str| Column::new(name, DataType::Int);
    let heads = [
        text("TABLE_QUALIFIER", 128),
        text("TABLE_OWNER", 128),
        text("TABLE_NAME", 128),
        text("COLUMN_NAME", 128),
        small("DATA_TYPE"),
        text("TYPE_NAME", 128),
        int("PRECISION"),
        int("LENGTH"),
        small("SCALE"),
        small("RADIX"),
        small("NULLABLE"),
        text("REMARKS", 254),
        text("COLUMN_DEF", 4000),
        small("SQL_DATA_TYPE"),
        small("SQL_DATETIME_SUB"),
        int("CHAR_OCTET_LENGTH"),
        int("ORDINAL_POSITION"),
        text("IS_NULLABLE", 254),
        small("SS_DATA_TYPE"),
    ];
    rows(runner, &heads, &list)
}

/// The number that ODBC has for a type.
fn odbc_type(data_type: DataType) -> i64 {
    use DataType::*;
    match data_type {
        Bit => -7,
        TinyInt => -6,
        SmallInt => 5,
        Int => 4,
        BigInt => -5,
        Decimal { .. } | Money | SmallMoney => 3,
        Real => 7,
        Float => 6,
        Date => -9,
        Time(_) => -154,
        SmallDateTime | DateTime | DateTime2(_) => 93,
        DateTimeOffset(_) => -155,
        Char(_) => 1,
        VarChar(_) => 12,
        NChar(_) => -8,
        NVarChar(_) => -9,
        Text => -1,
        NText | Xml => -10,
        Binary(_) | RowVersion => -2,
        VarBinary(_) => -3,
        Image => -4,
        UniqueIdentifier => -11,
        SqlVariant => -150,
    }
}

/// `EXEC sp_executesql N'...', N'@a int', @a = 1`. The status is the error that its last statement has left.
///
/// Errors: 8178 for a parameter without a value, and those of the text.
fn execute_sql(runner: &mut Runner<'_>, call: &mut StatementCall<'_>) -> Ran {
    let place_of = |call: &StatementCall<'_>, place: usize, names: [&str; 2]| {
        let is = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let named = (0..call.inputs()).find(|place| call.input_name(*place).is_some_and(is));
        named.or_else(|| (place < call.inputs() && call.input_name(place).is_none()).then_some(place))
    };
    let Some(statement) = place_of(call, 0, ["@stmt", "@statement"]) else {
        let text = "Procedure expects parameter '@statement' of type 'ntext/nchar/nvarchar'.";
        return Err(raised(Message::error(214, text).state(2)));
    };
    let statement = text_of(call.input(statement));
    let types = place_of(call, 1, ["@params", "@parameters"]).map(|place| text_of(call.input(place)));
    let types = types.unwrap_or_default();
    let loaded = runner.inner.text(&statement, &types).map_err(first)?;
    let declared = &loaded.module.parameters;
    let place = |(number, parameter): (usize, &ModuleParameter)| place_of(call, number + 2, [&parameter.name; 2]);
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
    let outputs: Vec<(usize, Value)> = declared
        .iter()
        .enumerate()
        .filter(|(_, parameter)| parameter.is_output)
        .filter_map(|(number, _)| Some((places[number]?, machine.parameter(number).to_value())))
        .collect();
    for (place, value) in outputs {
        // An argument without OUTPUT stays as it was.
        if call.output_type(place).is_some() {
            crate::runner::set(call, place, value.as_ref())?;
        }
    }
    Ok(Flow::Next)
}
