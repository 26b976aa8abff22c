//! Functions about types and options that need no catalog: TYPE_ID, TYPE_NAME, SQL_VARIANT_PROPERTY, SESSIONPROPERTY.

use super::Function;
use super::binding::{Call, integer, text, value};
use crate::messages::Message;
use crate::settings::Switches;
use crate::types::{DataType, Declared, Length};
use crate::variant::decode;
use mainstay_types::{Value, ValueRef};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("TYPE_ID", (1, 1), |b| b.text(0).map(|_| DataType::Int), type_id),
    Function::new("TYPE_NAME", (1, 1), |b| b.integer(0).map(|_| NAME), type_name),
    Function::new("SQL_VARIANT_PROPERTY", (2, 2), |b| b.text(1).map(|_| DataType::SqlVariant), variant_property),
    Function::new("SESSIONPROPERTY", (1, 1), |b| b.text(0).map(|_| DataType::SqlVariant), session_property),
    Function::new(
        "GETANSINULL",
        (0, 1),
        |_| Ok(DataType::SmallInt),
        |call, _| Ok(Value::Integer(i64::from(call.context.settings.has(Switches::ANSI_NULL_DFLT_ON)))),
    )
    .sees_nulls(),
    Function::new("CURRENT_TIMEZONE", (0, 0), |_| Ok(NAME), |call, _| Ok(Value::Text(time_zone(call)))).per_statement(),
];

const NAME: DataType = DataType::NVarChar(Length::Limited(128));

/// The server's clock: its zone has no name here, only its distance to UTC.
fn time_zone(call: &Call<'_>) -> String {
    let offset = call.context.offset_minutes;
    let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
    match minutes {
        0 => "(UTC) Coordinated Universal Time".to_owned(),
        _ => format!("(UTC{sign}{:02}:{:02})", minutes / 60, minutes % 60),
    }
}

/// The names of the system's types, which `sys.types` lists.
pub const TYPE_NAMES: [&str; 32] = [
    "image",
    "text",
    "uniqueidentifier",
    "date",
    "time",
    "datetime2",
    "datetimeoffset",
    "tinyint",
    "smallint",
    "int",
    "smalldatetime",
    "real",
    "money",
    "datetime",
    "float",
    "sql_variant",
    "ntext",
    "bit",
    "decimal",
    "numeric",
    "smallmoney",
    "bigint",
    "varbinary",
    "varchar",
    "binary",
    "char",
    "timestamp",
    "nvarchar",
    "nchar",
    "xml",
    "sysname",
    "rowversion",
];

/// `user_type_id` of a system type's name.
fn id_of(name: &str) -> Option<i64> {
    let bare = name.trim_start_matches("sys.").trim_matches(['[', ']', '"']);
    let known = TYPE_NAMES.iter().any(|known| known.eq_ignore_ascii_case(bare));
    match bare.to_ascii_lowercase().as_str() {
        "sysname" => Some(256),
        "numeric" => Some(108),
        _ => DataType::declare(bare, &[], Declared::Cast).ok().filter(|_| known).map(|t| i64::from(t.user_type_id())),
    }
}

fn type_id(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(id_of(text(values, 0)).map_or(Value::Null, Value::Integer))
}

fn type_name(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let name = TYPE_NAMES.iter().find(|name| id_of(name) == Some(integer(values, 0)));
    Ok(name.map_or(Value::Null, |name| Value::Text((*name).to_owned())))
}

/// A property of a value: of its type as far as that is known, else of the type in the value.
fn variant_property(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let within = (call.argument_type(0) == DataType::SqlVariant).then(|| decode(value(values, 0)));
    let declared = within.as_ref().map_or(call.argument_type(0), |(data_type, _)| *data_type);
    // Its bytes, and what says of which type they are.
    let bytes = match (within.as_ref().map_or(value(values, 0), |(_, value)| value.as_ref()), declared) {
        (ValueRef::Text(text), _) => 8 + declared.encoding().size(text) * if declared.is_national() { 2 } else { 1 },
        (ValueRef::Binary(bytes), _) => 4 + bytes.len(),
        (_, DataType::Decimal { .. }) => 4 + declared.max_length().unsigned_abs() as usize,
        (_, DataType::Time(_) | DataType::DateTime2(_) | DataType::DateTimeOffset(_)) => {
            3 + declared.max_length().unsigned_abs() as usize
        }
        _ => 2 + declared.max_length().unsigned_abs() as usize,
    };
    let name = if matches!(declared, DataType::Decimal { .. }) { "numeric" } else { declared.name() };
    Ok(match text(values, 1).to_ascii_lowercase().as_str() {
        "basetype" => Value::Text(name.to_owned()),
        "precision" => Value::Integer(declared.precision().into()),
        "scale" => Value::Integer(declared.scale().into()),
        "maxlength" => Value::Integer(declared.max_length().into()),
        "totalbytes" => Value::Integer(bytes as i64),
        "collation" if declared.is_string() => Value::Text("SQL_Latin1_General_CP1_CI_AS".to_owned()),
        _ => Value::Null,
    })
}

fn session_property(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    const SHOWN: [&str; 7] = [
        "ANSI_NULLS",
        "ANSI_PADDING",
        "ANSI_WARNINGS",
        "ARITHABORT",
        "CONCAT_NULL_YIELDS_NULL",
        "NUMERIC_ROUNDABORT",
        "QUOTED_IDENTIFIER",
    ];
    let name = text(values, 0).trim_end();
    let switch = Switches::by_name(name).filter(|_| SHOWN.iter().any(|shown| shown.eq_ignore_ascii_case(name)));
    Ok(switch.map_or(Value::Null, |switch| Value::Integer(call.context.settings.has(switch).into())))
}
