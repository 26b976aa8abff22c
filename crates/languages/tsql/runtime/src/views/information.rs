//! `INFORMATION_SCHEMA`: the views of the standard.

use super::{Facts, Rows, View, row};
use crate::catalog::{Detail, Object, collation_name, parameters};
use mainstay_tsql_syntax::tree::{CreateType, FunctionKind, StatementKind};
use mainstay_tsql_types::{CodePage, DataType, Length};
use mainstay_types::Value;

pub(super) const VIEWS: [View; 20] = [
    View {
        name: "information_schema.tables",
        columns: "TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n TABLE_TYPE:v10",
        rows: tables,
    },
    View {
        name: "information_schema.views",
        columns: "TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n \
        VIEW_DEFINITION:n4000 CHECK_OPTION:v7=NONE IS_UPDATABLE:v2=NO",
        rows: views,
    },
    View { name: "information_schema.columns", columns: COLUMN, rows: columns },
    View { name: "information_schema.routines", columns: ROUTINE, rows: routines },
    View {
        name: "information_schema.routine_columns",
        columns: "TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n \
        COLUMN_NAME:n ORDINAL_POSITION:i COLUMN_DEFAULT:n4000=null IS_NULLABLE:v3 DATA_TYPE:n",
        rows: routine_columns,
    },
    View { name: "information_schema.parameters", columns: PARAMETER, rows: all_parameters },
    View {
        name: "information_schema.schemata",
        columns: "CATALOG_NAME:n SCHEMA_NAME:n SCHEMA_OWNER:n \
        DEFAULT_CHARACTER_SET_CATALOG:v6=null DEFAULT_CHARACTER_SET_SCHEMA:v3=null DEFAULT_CHARACTER_SET_NAME:n=iso_1",
        rows: schemata,
    },
    View {
        name: "information_schema.table_constraints",
        columns: "CONSTRAINT_CATALOG:n CONSTRAINT_SCHEMA:n \
        CONSTRAINT_NAME:n TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n CONSTRAINT_TYPE:v11 IS_DEFERRABLE:v2=NO \
        INITIALLY_DEFERRED:v2=NO",
        rows: table_constraints,
    },
    View {
        name: "information_schema.key_column_usage",
        columns: "CONSTRAINT_CATALOG:n CONSTRAINT_SCHEMA:n \
        CONSTRAINT_NAME:n TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n COLUMN_NAME:n ORDINAL_POSITION:i",
        rows: key_columns,
    },
    View {
        name: "information_schema.constraint_column_usage",
        columns: "TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n \
        COLUMN_NAME:n CONSTRAINT_CATALOG:n CONSTRAINT_SCHEMA:n CONSTRAINT_NAME:n",
        rows: constraint_columns,
    },
    View {
        name: "information_schema.constraint_table_usage",
        columns: "TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n \
        CONSTRAINT_CATALOG:n CONSTRAINT_SCHEMA:n CONSTRAINT_NAME:n",
        rows: constraint_tables,
    },
    View {
        name: "information_schema.referential_constraints",
        columns: "CONSTRAINT_CATALOG:n CONSTRAINT_SCHEMA:n \
        CONSTRAINT_NAME:n UNIQUE_CONSTRAINT_CATALOG:n UNIQUE_CONSTRAINT_SCHEMA:n UNIQUE_CONSTRAINT_NAME:n \
        MATCH_OPTION:v7=SIMPLE UPDATE_RULE:v11 DELETE_RULE:v11",
        rows: references,
    },
    View {
        name: "information_schema.check_constraints",
        columns: "CONSTRAINT_CATALOG:n CONSTRAINT_SCHEMA:n \
        CONSTRAINT_NAME:n CHECK_CLAUSE:n4000",
        rows: checks,
    },
    View {
        name: "information_schema.domains",
        columns: "DOMAIN_CATALOG:n DOMAIN_SCHEMA:n DOMAIN_NAME:n DATA_TYPE:n \
        CHARACTER_MAXIMUM_LENGTH:i CHARACTER_OCTET_LENGTH:i COLLATION_CATALOG:v6=null COLLATION_SCHEMA:v3=null \
        COLLATION_NAME:n CHARACTER_SET_CATALOG:v6=null CHARACTER_SET_SCHEMA:v3=null CHARACTER_SET_NAME:n \
        NUMERIC_PRECISION:t NUMERIC_PRECISION_RADIX:s NUMERIC_SCALE:i DATETIME_PRECISION:s DOMAIN_DEFAULT:n4000=null",
        rows: domains,
    },
    View {
        name: "information_schema.domain_constraints",
        columns: "CONSTRAINT_CATALOG:n CONSTRAINT_SCHEMA:n \
        CONSTRAINT_NAME:n DOMAIN_CATALOG:n DOMAIN_SCHEMA:n DOMAIN_NAME:n IS_DEFERRABLE:v2 INITIALLY_DEFERRED:v2",
        rows: |_| Vec::new(),
    },
    View {
        name: "information_schema.sequences",
        columns: "SEQUENCE_CATALOG:n SEQUENCE_SCHEMA:n SEQUENCE_NAME:n \
        DATA_TYPE:n NUMERIC_PRECISION:t NUMERIC_PRECISION_RADIX:s=10 NUMERIC_SCALE:i=0 START_VALUE:l \
        MINIMUM_VALUE:l MAXIMUM_VALUE:l INCREMENT:l CYCLE_OPTION:i DECLARED_DATA_TYPE:i=null \
        DECLARED_NUMERIC_PRECISION:i=null DECLARED_NUMERIC_SCALE:i=null",
        rows: sequences,
    },
    View {
        name: "information_schema.table_privileges",
        columns: "GRANTOR:n=dbo GRANTEE:n=public TABLE_CATALOG:n \
        TABLE_SCHEMA:n TABLE_NAME:n PRIVILEGE_TYPE:v10 IS_GRANTABLE:v3=NO",
        rows: |_| Vec::new(),
    },
    View {
        name: "information_schema.column_privileges",
        columns: "GRANTOR:n=dbo GRANTEE:n=public TABLE_CATALOG:n \
        TABLE_SCHEMA:n TABLE_NAME:n COLUMN_NAME:n PRIVILEGE_TYPE:v10 IS_GRANTABLE:v3=NO",
        rows: |_| Vec::new(),
    },
    View {
        name: "information_schema.view_table_usage",
        columns: "VIEW_CATALOG:n VIEW_SCHEMA:n VIEW_NAME:n \
        TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n",
        rows: |_| Vec::new(),
    },
    View {
        name: "information_schema.view_column_usage",
        columns: "VIEW_CATALOG:n VIEW_SCHEMA:n VIEW_NAME:n \
        TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n COLUMN_NAME:n",
        rows: |_| Vec::new(),
    },
];

const COLUMN: &str = "TABLE_CATALOG:n TABLE_SCHEMA:n TABLE_NAME:n COLUMN_NAME:n ORDINAL_POSITION:i COLUMN_DEFAULT:n4000 \
    IS_NULLABLE:v3 DATA_TYPE:n CHARACTER_MAXIMUM_LENGTH:i CHARACTER_OCTET_LENGTH:i NUMERIC_PRECISION:t \
    NUMERIC_PRECISION_RADIX:s NUMERIC_SCALE:i DATETIME_PRECISION:s CHARACTER_SET_CATALOG:n=null \
    CHARACTER_SET_SCHEMA:n=null CHARACTER_SET_NAME:n COLLATION_CATALOG:n=null COLLATION_SCHEMA:n=null COLLATION_NAME:n \
    DOMAIN_CATALOG:n DOMAIN_SCHEMA:n DOMAIN_NAME:n";

const ROUTINE: &str = "SPECIFIC_CATALOG:n SPECIFIC_SCHEMA:n SPECIFIC_NAME:n ROUTINE_CATALOG:n ROUTINE_SCHEMA:n \
    ROUTINE_NAME:n ROUTINE_TYPE:n20 MODULE_CATALOG:n=null MODULE_SCHEMA:n=null MODULE_NAME:n=null UDT_CATALOG:n=null \
    UDT_SCHEMA:n=null UDT_NAME:n=null DATA_TYPE:n CHARACTER_MAXIMUM_LENGTH:i CHARACTER_OCTET_LENGTH:i \
    COLLATION_CATALOG:n=null COLLATION_SCHEMA:n=null COLLATION_NAME:n CHARACTER_SET_CATALOG:n=null \
    CHARACTER_SET_SCHEMA:n=null CHARACTER_SET_NAME:n NUMERIC_PRECISION:t NUMERIC_PRECISION_RADIX:s NUMERIC_SCALE:i \
    DATETIME_PRECISION:s INTERVAL_TYPE:n30=null INTERVAL_PRECISION:s=null TYPE_UDT_CATALOG:n=null TYPE_UDT_SCHEMA:n=null \
    TYPE_UDT_NAME:n=null SCOPE_CATALOG:n=null SCOPE_SCHEMA:n=null SCOPE_NAME:n=null MAXIMUM_CARDINALITY:l=null \
    DTD_IDENTIFIER:n=null ROUTINE_BODY:n30=SQL ROUTINE_DEFINITION:x EXTERNAL_NAME:n=null EXTERNAL_LANGUAGE:n30=null \
    PARAMETER_STYLE:n30=null IS_DETERMINISTIC:n10=NO SQL_DATA_ACCESS:n30 IS_NULL_CALL:n10 SQL_PATH:n=null \
    SCHEMA_LEVEL_ROUTINE:n10=YES MAX_DYNAMIC_RESULT_SETS:s IS_USER_DEFINED_CAST:n10=NO IS_IMPLICITLY_INVOCABLE:n10=NO \
    CREATED:d LAST_ALTERED:d";

const PARAMETER: &str = "SPECIFIC_CATALOG:n SPECIFIC_SCHEMA:n SPECIFIC_NAME:n ORDINAL_POSITION:i PARAMETER_MODE:n10 \
    IS_RESULT:n10 AS_LOCATOR:n10=NO PARAMETER_NAME:n DATA_TYPE:n CHARACTER_MAXIMUM_LENGTH:i CHARACTER_OCTET_LENGTH:i \
    COLLATION_CATALOG:n=null COLLATION_SCHEMA:n=null COLLATION_NAME:n CHARACTER_SET_CATALOG:n=null \
    CHARACTER_SET_SCHEMA:n=null CHARACTER_SET_NAME:n NUMERIC_PRECISION:t NUMERIC_PRECISION_RADIX:s NUMERIC_SCALE:i \
    DATETIME_PRECISION:s INTERVAL_TYPE:n30=null INTERVAL_PRECISION:s=null USER_DEFINED_TYPE_CATALOG:n \
    USER_DEFINED_TYPE_SCHEMA:n USER_DEFINED_TYPE_NAME:n SCOPE_CATALOG:n=null SCOPE_SCHEMA:n=null SCOPE_NAME:n=null";

/// A type in these views.
struct Described {
    length: Option<i64>,
    octets: Option<i64>,
    precision: Option<i64>,
    radix: Option<i64>,
    scale: Option<i64>,
    moment: Option<i64>,
    characters: Option<&'static str>,
    collation: Option<&'static str>,
}

fn described(of: DataType) -> Described {
    let (length, octets) = match of {
        DataType::Text(_) | DataType::Image => (Some(i64::from(i32::MAX)), Some(i64::from(i32::MAX))),
        DataType::NText => (Some(1_073_741_823), Some(2_147_483_646)),
        DataType::Xml | DataType::SqlVariant => match of {
            DataType::Xml => (Some(-1), Some(-1)),
            _ => (Some(0), Some(0)),
        },
        _ => match of.length() {
            Some(Length::Limited(length)) => (Some(length.into()), Some(of.max_length().into())),
            Some(Length::Max) => (Some(-1), Some(-1)),
            None => (None, None),
        },
    };
    let is_number = of.is_number() && of != DataType::Bit;
    let scale = (is_number && !of.is_approximate()).then(|| i64::from(of.scale()));
    let moment = match of {
        DataType::Date | DataType::SmallDateTime => Some(0),
        DataType::DateTime => Some(3),
        DataType::Time(digits) | DataType::DateTime2(digits) | DataType::DateTimeOffset(digits) => Some(digits.into()),
        _ => None,
    };
    Described {
        length,
        octets,
        precision: is_number.then(|| i64::from(of.precision())),
        radix: is_number.then_some(if of.is_approximate() { 2 } else { 10 }),
        scale,
        moment,
        characters: of.is_text().then(|| of.code_page().map_or("UNICODE", CodePage::character_set)),
        collation: collation_name(of),
    }
}

fn yes(is: bool) -> &'static str {
    if is { "YES" } else { "NO" }
}

/// Catalog, schema and name of an object.
fn named(facts: &Facts<'_>, of: &Object) -> Vec<Value> {
    row![&facts.catalog.database, facts.schema(of), &of.name]
}

fn with(mut row: Vec<Value>, more: Vec<Value>) -> Vec<Value> {
    row.extend(more);
    row
}

fn tables(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| with(named(facts, of), row![if of.kind == "V" { "VIEW" } else { "BASE TABLE" }]);
    facts.of(&["U", "V"]).map(row).collect()
}

fn views(facts: &Facts<'_>) -> Rows {
    facts.of(&["V"]).map(|of| with(named(facts, of), row![of.text.as_deref()])).collect()
}

fn columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.of(&["U", "V"]) {
        for column in &of.columns {
            let is = described(column.data_type);
            let (user_schema, user_type) = column.user_type();
            let default = facts.catalog.by_id(column.default).and_then(|default| match &default.detail {
                Detail::Default(_, text) => Some(text),
                _ => None,
            });
            let more = row![
                &column.name,
                column.id,
                default,
                yes(column.nullable),
                column.base_type(),
                is.length,
                is.octets,
                is.precision,
                is.radix,
                is.scale,
                is.moment,
                is.characters,
                column.collation_name(),
                user_schema.map(|_| facts.catalog.database.as_str()),
                user_schema,
                user_type
            ];
            rows.push(with(named(facts, of), more));
        }
    }
    rows
}

fn routines(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let statement = of.statement.as_ref()?;
        let (returns, _) = parameters(facts.modules, &statement.kind);
        let is_procedure = of.kind == "P";
        let kind = if is_procedure { "PROCEDURE" } else { "FUNCTION" };
        let is = returns.map(described);
        let is = is.as_ref();
        let data_type = match &statement.kind {
            StatementKind::Function(function) => match &function.returns {
                FunctionKind::Scalar(..) => returns.map(|of| of.name()),
                _ => Some("TABLE"),
            },
            _ => None,
        };
        let name = with(named(facts, of), named(facts, of));
        Some(with(
            name,
            row![
                kind,
                data_type,
                is.and_then(|is| is.length),
                is.and_then(|is| is.octets),
                is.and_then(|is| is.collation),
                is.and_then(|is| is.characters),
                is.and_then(|is| is.precision),
                is.and_then(|is| is.radix),
                is.and_then(|is| is.scale),
                is.and_then(|is| is.moment),
                of.text.as_deref(),
                if is_procedure { "MODIFIES" } else { "READS" },
                (!is_procedure).then_some("YES"),
                if is_procedure { -1 } else { 0 },
                facts.started(),
                facts.started()
            ],
        ))
    };
    facts.of(&["P", "FN", "IF", "TF"]).filter_map(row).collect()
}

fn routine_columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.of(&["TF"]) {
        for column in &of.columns {
            let more = row![&column.name, column.id, yes(column.nullable), column.data_type.name()];
            rows.push(with(named(facts, of), more));
        }
    }
    rows
}

fn all_parameters(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for of in facts.of(&["P", "FN", "IF", "TF"]) {
        let Some(statement) = &of.statement else { continue };
        let (returns, given) = parameters(facts.modules, &statement.kind);
        let mut push = |place: i64, mode: &str, name: &str, data_type: DataType, user: Option<&Object>| {
            let is = described(data_type);
            let user_schema = user.map(|user| facts.schema(user));
            let is_table = user.is_some_and(|user| user.kind == "TT");
            let head = row![
                place,
                mode,
                yes(place == 0),
                name,
                if is_table { "table type" } else { data_type.name() },
                is.length,
                is.octets,
                is.collation,
                is.characters,
                is.precision,
                is.radix,
                is.scale,
                is.moment,
                user.map(|_| &facts.catalog.database),
                user_schema,
                user.map(|user| &user.name)
            ];
            rows.push(with(named(facts, of), head));
        };
        if let Some(data_type) = returns {
            push(0, "OUT", "", data_type, None);
        }
        for (place, (parameter, data_type)) in given.iter().enumerate() {
            let mode = if parameter.output { "INOUT" } else { "IN" };
            let user = facts.catalog.user_type(&parameter.data_type.name);
            push(place as i64 + 1, mode, &parameter.name.text, *data_type, user);
        }
    }
    rows
}

fn schemata(facts: &Facts<'_>) -> Rows {
    let owner = |id: i64, name: &str| if id <= 4 { name.to_owned() } else { "dbo".to_owned() };
    let database = &facts.catalog.database;
    facts.catalog.schemas.iter().map(|(id, name)| row![database, name, owner(*id, name)]).collect()
}

/// Keys, checks and references, each with its table.
fn constraints<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f Object, &'f Object)> {
    let is_constraint = |of: &&Object| matches!(of.kind, "PK" | "UQ" | "F" | "C");
    facts.objects().filter(is_constraint).filter_map(|of| Some((of, facts.catalog.by_id(of.parent)?)))
}

/// The name of a constraint: its schema is its table's.
fn constraint(facts: &Facts<'_>, of: &Object, table: &Object) -> Vec<Value> {
    row![&facts.catalog.database, facts.schema(table), &of.name]
}

fn table_constraints(facts: &Facts<'_>) -> Rows {
    let row = |(of, table): (&Object, &Object)| {
        let kind = match of.kind {
            "PK" => "PRIMARY KEY",
            "UQ" => "UNIQUE",
            "F" => "FOREIGN KEY",
            _ => "CHECK",
        };
        with(with(constraint(facts, of, table), named(facts, table)), row![kind])
    };
    constraints(facts).map(row).collect()
}

/// The columns of a key or of a reference, by their numbers.
fn columns_of(of: &Object, table: &Object) -> Vec<i64> {
    match &of.detail {
        Detail::Key(index) => {
            let index = table.indexes.iter().find(|known| known.id == *index);
            index.map_or_else(Vec::new, |index| index.columns.iter().map(|(column, _)| *column).collect())
        }
        Detail::Foreign(key) => key.columns.clone(),
        _ => Vec::new(),
    }
}

fn key_columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for (of, table) in constraints(facts) {
        for (place, column) in columns_of(of, table).into_iter().enumerate() {
            let head = with(constraint(facts, of, table), named(facts, table));
            rows.push(with(head, row![table.column_name(column), place as i64 + 1]));
        }
    }
    rows
}

fn constraint_columns(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    for (of, table) in constraints(facts) {
        let columns = match &of.detail {
            Detail::Check(text) => {
                let named = |column: &&crate::catalog::Column| text.contains(&format!("[{}]", column.name));
                table.columns.iter().filter(named).map(|column| column.id).collect()
            }
            _ => columns_of(of, table),
        };
        for column in columns {
            let head = with(named(facts, table), row![table.column_name(column)]);
            rows.push(with(head, constraint(facts, of, table)));
        }
    }
    rows
}

fn constraint_tables(facts: &Facts<'_>) -> Rows {
    constraints(facts).map(|(of, table)| with(named(facts, table), constraint(facts, of, table))).collect()
}

fn references(facts: &Facts<'_>) -> Rows {
    let row = |(of, table): (&Object, &Object)| {
        let Detail::Foreign(key) = &of.detail else { return None };
        let referenced = facts.catalog.by_id(key.referenced)?;
        let unique = referenced.indexes.iter().find(|index| index.id == key.key_index)?;
        let rule = |of| crate::catalog::action(of).1.replace('_', " ");
        let head = with(constraint(facts, of, table), row![&facts.catalog.database, facts.schema(referenced)]);
        Some(with(head, row![unique.name.as_ref(), rule(key.on_update), rule(key.on_delete)]))
    };
    constraints(facts).filter_map(row).collect()
}

fn checks(facts: &Facts<'_>) -> Rows {
    let row = |(of, table): (&Object, &Object)| match &of.detail {
        Detail::Check(text) => Some(with(constraint(facts, of, table), row![text])),
        _ => None,
    };
    constraints(facts).filter_map(row).collect()
}

fn domains(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let StatementKind::CreateType(create) = &of.statement.as_ref()?.kind else { return None };
        let CreateType::Alias(_, declared, _) = create.as_ref() else { return None };
        let data_type = facts.modules.resolved_type(declared)?;
        let is = described(data_type);
        let more = row![
            data_type.name(),
            is.length,
            is.octets,
            is.collation,
            is.characters,
            is.precision,
            is.radix,
            is.scale,
            is.moment
        ];
        Some(with(named(facts, of), more))
    };
    facts.of(&["UDT"]).filter_map(row).collect()
}

fn sequences(facts: &Facts<'_>) -> Rows {
    let row = |of: &Object| {
        let Detail::Sequence(sequence) = &of.detail else { return None };
        let data_type = crate::definitions::sequences::type_of(sequence);
        let more = row![
            data_type.name(),
            i64::from(data_type.precision()),
            sequence.start,
            sequence.minimum,
            sequence.maximum,
            sequence.increment,
            i64::from(sequence.cycle)
        ];
        Some(with(named(facts, of), more))
    };
    facts.of(&["SO"]).filter_map(row).collect()
}
