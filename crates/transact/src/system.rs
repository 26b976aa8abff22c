//! The catalog as tables: `sys.tables`, `INFORMATION_SCHEMA.COLUMNS` and their like.
//!
//! A view that a statement names is filled into a temporary table of the session when the statement is prepared, and a
//! statement that names one is prepared each time it runs. What SQL Server has and this list has not is not there (208).

use crate::catalog::object_id;
use crate::modules::Modules;
use crate::state::State;
use mainstay_base::{Result, Value, ValueRef};
use mainstay_engine::Database;
use mainstay_mssql::{DataType, Length};
use mainstay_query::mssql::type_of_field;
use mainstay_tsql::reduce::{quoted, type_name};

const NAME: DataType = DataType::NVarChar(Length::Limited(128));
const INT: DataType = DataType::Int;
const BIT: DataType = DataType::Bit;

/// Names and types of the columns of a view.
type Columns = &'static [(&'static str, DataType)];

const OBJECTS: Columns = &[
    ("name", NAME),
    ("object_id", INT),
    ("principal_id", INT),
    ("schema_id", INT),
    ("parent_object_id", INT),
    ("type", DataType::Char(2)),
    ("type_desc", NAME),
    ("create_date", DataType::DateTime),
    ("modify_date", DataType::DateTime),
    ("is_ms_shipped", BIT),
];
const COLUMNS: Columns = &[
    ("object_id", INT),
    ("name", NAME),
    ("column_id", INT),
    ("system_type_id", DataType::TinyInt),
    ("user_type_id", INT),
    ("max_length", DataType::SmallInt),
    ("precision", DataType::TinyInt),
    ("scale", DataType::TinyInt),
    ("collation_name", NAME),
    ("is_nullable", BIT),
    ("is_identity", BIT),
    ("is_computed", BIT),
];
const MODULES: Columns = &[("object_id", INT), ("definition", DataType::NVarChar(Length::Max))];
const SCHEMAS: Columns = &[("name", NAME), ("schema_id", INT), ("principal_id", INT)];
const DATABASES: Columns = &[
    ("name", NAME),
    ("database_id", INT),
    ("collation_name", NAME),
    ("state", DataType::TinyInt),
    ("state_desc", NAME),
    ("recovery_model_desc", NAME),
    ("compatibility_level", DataType::TinyInt),
    ("is_read_only", BIT),
];
const INFORMATION_TABLES: Columns =
    &[("TABLE_CATALOG", NAME), ("TABLE_SCHEMA", NAME), ("TABLE_NAME", NAME), ("TABLE_TYPE", NAME)];
const INFORMATION_COLUMNS: Columns = &[
    ("TABLE_CATALOG", NAME),
    ("TABLE_SCHEMA", NAME),
    ("TABLE_NAME", NAME),
    ("COLUMN_NAME", NAME),
    ("ORDINAL_POSITION", INT),
    ("IS_NULLABLE", DataType::VarChar(Length::Limited(3))),
    ("DATA_TYPE", NAME),
    ("CHARACTER_MAXIMUM_LENGTH", INT),
    ("NUMERIC_PRECISION", DataType::TinyInt),
    ("NUMERIC_SCALE", INT),
];
const INFORMATION_ROUTINES: Columns = &[
    ("ROUTINE_CATALOG", NAME),
    ("ROUTINE_SCHEMA", NAME),
    ("ROUTINE_NAME", NAME),
    ("ROUTINE_TYPE", NAME),
    ("ROUTINE_DEFINITION", DataType::NVarChar(Length::Max)),
];

/// What a view is made of.
pub(crate) struct Sources<'a> {
    pub(crate) database: &'a Database,
    pub(crate) modules: &'a Modules,
    pub(crate) state: &'a State,
}

/// A table or module with what the views say of it.
struct Object {
    schema: String,
    name: String,
    id: i64,
    kind: &'static str,
    description: &'static str,
    parent: i64,
    text: Option<String>,
}

/// Fills the view of this schema and name, and gives the core's name of the table that holds it; `None` for what is no view.
///
/// Errors: those of the core.
pub(crate) fn fill(
    core: &mut mainstay_engine::Session,
    sources: &Sources<'_>,
    schema: &str,
    name: &str,
) -> Result<Option<String>> {
    let (schema, name) = (schema.to_lowercase(), name.to_lowercase());
    let Some((columns, rows)) = view(core, sources, &schema, &name)? else { return Ok(None) };
    let table = quoted(&format!("#{schema}.{name}"));
    let list: Vec<String> =
        columns.iter().map(|(name, data_type)| format!("{} {}", quoted(name), type_name(*data_type))).collect();
    core.execute(&format!("DROP TABLE IF EXISTS {table}"))?;
    core.execute(&format!("CREATE TEMPORARY TABLE {table} ({})", list.join(", ")))?;
    let marks = vec!["?"; columns.len()].join(", ");
    let mut insert = core.prepare(&format!("INSERT INTO {table} VALUES ({marks})"))?;
    for row in &rows {
        let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
        insert.execute(core, &values)?;
    }
    Ok(Some(table))
}

type Rows = Vec<Vec<Value>>;

fn view(
    core: &mut mainstay_engine::Session,
    sources: &Sources<'_>,
    schema: &str,
    name: &str,
) -> Result<Option<(Columns, Rows)>> {
    let catalog = || text(&sources.state.database);
    Ok(Some(match (schema, name) {
        ("sys", "objects" | "all_objects" | "sysobjects") => (OBJECTS, object_rows(&objects(sources)?, &[])),
        ("sys", "tables") => (OBJECTS, object_rows(&objects(sources)?, &["U"])),
        ("sys", "procedures") => (OBJECTS, object_rows(&objects(sources)?, &["P"])),
        ("sys", "views" | "all_views") => (OBJECTS, object_rows(&objects(sources)?, &["V"])),
        ("sys", "triggers") => (OBJECTS, object_rows(&objects(sources)?, &["TR"])),
        ("sys", "columns" | "all_columns") => (COLUMNS, column_rows(core, sources)?),
        ("sys", "sql_modules" | "all_sql_modules") => {
            let module = |object: &Object| Some(vec![Value::Integer(object.id), text(object.text.as_deref()?)]);
            (MODULES, objects(sources)?.iter().filter_map(module).collect())
        }
        ("sys", "schemas") => {
            let row = |(name, id): (&str, i64)| vec![text(name), Value::Integer(id), Value::Integer(1)];
            (SCHEMAS, [("dbo", 1), ("INFORMATION_SCHEMA", 3), ("sys", 4)].map(row).to_vec())
        }
        ("sys", "databases") => {
            let row = |(name, id): (&str, i64)| {
                vec![
                    text(name),
                    Value::Integer(id),
                    text("SQL_Latin1_General_CP1_CI_AI"),
                    Value::Integer(0),
                    text("ONLINE"),
                    text("FULL"),
                    Value::Integer(160),
                    Value::Boolean(false),
                ]
            };
            (DATABASES, vec![row(("master", 1)), row((&sources.state.database, 5))])
        }
        ("information_schema", "tables") => {
            let row = |object: &Object| {
                let kind = if object.kind == "V" { "VIEW" } else { "BASE TABLE" };
                matches!(object.kind, "U" | "V")
                    .then(|| vec![catalog(), text(&object.schema), text(&object.name), text(kind)])
            };
            (INFORMATION_TABLES, objects(sources)?.iter().filter_map(row).collect())
        }
        ("information_schema", "columns") => (INFORMATION_COLUMNS, information_columns(core, sources)?),
        ("information_schema", "routines") => {
            let row = |object: &Object| {
                let kind = if object.kind == "P" { "PROCEDURE" } else { "FUNCTION" };
                let definition = object.text.as_deref().map_or(Value::Null, text);
                matches!(object.kind, "P" | "FN" | "IF" | "TF")
                    .then(|| vec![catalog(), text(&object.schema), text(&object.name), text(kind), definition])
            };
            (INFORMATION_ROUTINES, objects(sources)?.iter().filter_map(row).collect())
        }
        _ => return Ok(None),
    }))
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// All tables and modules.
fn objects(sources: &Sources<'_>) -> Result<Vec<Object>> {
    let mut objects = Vec::new();
    for table in sources.database.tables()? {
        let (schema, name) = match table.name.split_once('.') {
            Some(("sys", _)) => continue,
            Some((schema, name)) => (schema.to_owned(), name.to_owned()),
            None => ("dbo".to_owned(), table.name.clone()),
        };
        let is_view = table.kind.eq_ignore_ascii_case("view");
        let (kind, description) = if is_view { ("V", "VIEW") } else { ("U", "USER_TABLE") };
        let id = object_id(&format!("{}.{}", schema.to_lowercase(), name.to_lowercase()));
        objects.push(Object { schema, name, id, kind, description, parent: 0, text: None });
    }
    for module in sources.modules.all() {
        let (kind, description) = match module.kind.as_str() {
            "P" => ("P", "SQL_STORED_PROCEDURE"),
            "FN" => ("FN", "SQL_SCALAR_FUNCTION"),
            "IF" => ("IF", "SQL_INLINE_TABLE_VALUED_FUNCTION"),
            "TF" => ("TF", "SQL_TABLE_VALUED_FUNCTION"),
            "TR" => ("TR", "SQL_TRIGGER"),
            _ => continue,
        };
        let (schema, name) = module.name.split_once('.').unwrap_or(("dbo", &module.name));
        objects.push(Object {
            schema: schema.to_owned(),
            name: name.to_owned(),
            id: object_id(&module.key),
            kind,
            description,
            parent: if module.parent.is_empty() { 0 } else { object_id(&module.parent) },
            text: Some(module.text.to_string()),
        });
    }
    Ok(objects)
}

fn object_rows(objects: &[Object], kinds: &[&str]) -> Rows {
    let row = |object: &Object| {
        vec![
            text(&object.name),
            Value::Integer(object.id),
            Value::Null,
            Value::Integer(1),
            Value::Integer(object.parent),
            text(object.kind),
            text(object.description),
            Value::Null,
            Value::Null,
            Value::Boolean(false),
        ]
    };
    objects.iter().filter(|object| kinds.is_empty() || kinds.contains(&object.kind)).map(row).collect()
}

/// A column: name, type, whether it can be NULL, is given by the table, is computed.
type Described = (String, DataType, bool, bool, bool);

/// The columns of an object.
fn columns_of(core: &mut mainstay_engine::Session, object: &Object) -> Result<Vec<Described>> {
    let table = match object.schema.eq_ignore_ascii_case("dbo") {
        true => object.name.clone(),
        false => format!("{}.{}", object.schema, object.name),
    };
    if let Some(columns) = core.native_columns(&table)? {
        let column = |column: &mainstay_engine::NativeColumn| {
            let field = &column.field;
            Some((
                field.name().clone(),
                type_of_field(field)?,
                field.is_nullable(),
                column.is_identity,
                column.is_computed,
            ))
        };
        return Ok(columns.iter().filter_map(column).collect());
    }
    let Ok(answer) = core.execute(&format!("SELECT * FROM {} LIMIT 0", quoted(&object.name))) else {
        return Ok(Vec::new());
    };
    let column = |field: &std::sync::Arc<arrow_schema::Field>| {
        Some((field.name().clone(), type_of_field(field)?, true, false, false))
    };
    Ok(answer.schema().fields().iter().filter_map(column).collect())
}

fn column_rows(core: &mut mainstay_engine::Session, sources: &Sources<'_>) -> Result<Rows> {
    let mut rows = Vec::new();
    for object in objects(sources)?.iter().filter(|object| matches!(object.kind, "U" | "V")) {
        for (place, (name, data_type, nullable, identity, computed)) in
            columns_of(core, object)?.into_iter().enumerate()
        {
            let collation = if data_type.is_text() { text("SQL_Latin1_General_CP1_CI_AI") } else { Value::Null };
            rows.push(vec![
                Value::Integer(object.id),
                Value::Text(name),
                Value::Integer(place as i64 + 1),
                Value::Integer(data_type.system_type_id().into()),
                Value::Integer(data_type.user_type_id().into()),
                Value::Integer(data_type.max_length().into()),
                Value::Integer(data_type.precision().into()),
                Value::Integer(data_type.scale().into()),
                collation,
                Value::Boolean(nullable),
                Value::Boolean(identity),
                Value::Boolean(computed),
            ]);
        }
    }
    Ok(rows)
}

fn information_columns(core: &mut mainstay_engine::Session, sources: &Sources<'_>) -> Result<Rows> {
    let mut rows = Vec::new();
    for object in objects(sources)?.iter().filter(|object| matches!(object.kind, "U" | "V")) {
        for (place, (name, data_type, nullable, ..)) in columns_of(core, object)?.into_iter().enumerate() {
            let length = match data_type.length() {
                Some(Length::Limited(length)) => Value::Integer(length.into()),
                Some(Length::Max) => Value::Integer(-1),
                None => Value::Null,
            };
            let (precision, scale) = match data_type.is_number() {
                true => (Value::Integer(data_type.precision().into()), Value::Integer(data_type.scale().into())),
                false => (Value::Null, Value::Null),
            };
            rows.push(vec![
                text(&sources.state.database),
                text(&object.schema),
                text(&object.name),
                Value::Text(name),
                Value::Integer(place as i64 + 1),
                text(if nullable { "YES" } else { "NO" }),
                text(data_type.name()),
                length,
                precision,
                scale,
            ]);
        }
    }
    Ok(rows)
}
