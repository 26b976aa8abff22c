//! Sources of the catalog: definitions of the core, files of the folder, modules.

use super::text::shown;
use super::{Catalog, Column, DBO, Detail, ForeignKey, Index, Object};
use crate::objects::modules::Modules;
use crate::session::scope::GLOBALS;
use crate::session::state::{State, TemporaryTable};
use mainstay_engine::Database;
use mainstay_engine::definitions::{
    self, Definitions, ForeignKeyDefinition, KeyDefinition, SequenceDefinition, TableDefinition, field_of,
};
use mainstay_tsql_planner::type_of_field;
use mainstay_tsql_syntax::reduce::{self, is_made_up};
use mainstay_tsql_syntax::tree::{CreateType, FunctionKind, Parameter, StatementKind, TableElement};
use mainstay_tsql_types::types::Declared;
use mainstay_tsql_types::{DataType, Length, Switches};
use mainstay_types::{Result, Timestamp};
use std::collections::HashMap;
use std::sync::Arc;

/// The sources of a catalog.
pub(crate) struct Made<'a> {
    pub(crate) database: &'a Database,
    pub(crate) modules: &'a Modules,
    pub(crate) state: &'a State,
    pub(crate) started: Timestamp,
    pub(crate) definitions: Definitions,
    /// The columns of views, by their keys.
    pub(crate) view_columns: HashMap<String, Vec<Column>>,
}

/// The number of what has one in the core's catalog.
pub(crate) fn kept_id(id: u64) -> i64 {
    0x1000_0000 + (id & 0x0FFF_FFFF) as i64
}

/// The number of what has only a name.
pub(super) fn named_id(key: &str) -> i64 {
    // FNV-1a, of which 30 bits.
    let hash =
        key.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    0x4000_0000 | (hash >> 34) as i64
}

/// Eight hexadecimal digits, as the system puts them at the end of names that it makes.
fn digits(of: &str) -> String {
    format!("{:08X}", named_id(of))
}

fn cut(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}

impl Made<'_> {
    /// The catalog.
    ///
    /// Errors: those of looking at the folder.
    pub(crate) fn catalog(self) -> Result<Catalog> {
        let mut schemas = vec![
            (DBO, "dbo".to_owned()),
            (2, "guest".to_owned()),
            (3, "INFORMATION_SCHEMA".to_owned()),
            (4, "sys".to_owned()),
        ];
        let shared = &self.definitions.shared;
        for schema in &shared.schemas {
            if !["main", "dbo", "sys", GLOBALS].iter().any(|known| schema.name.eq_ignore_ascii_case(known)) {
                schemas.push((5 + schema.id as i64, schema.name.clone()));
            }
        }
        let mut objects = Vec::new();
        for table in &shared.tables {
            if table.name.starts_with("##") {
                self.table(shared, table, DBO, (true, 1), &mut objects);
            } else if let Some(schema) = schema_of(shared, table.schema) {
                self.table(shared, table, schema, (false, 1), &mut objects);
            }
        }
        if let Some(own) = &self.definitions.temporary {
            for table in own.tables.iter().filter(|table| table.name.starts_with('#') && !is_of_catalog(&table.name)) {
                self.table(own, table, DBO, (true, -1), &mut objects);
            }
        }
        for view in &shared.views {
            let Some(schema) = schema_of(shared, view.schema) else { continue };
            let key = key(&schemas, schema, &view.name);
            let columns = self.view_columns.get(&key).cloned().unwrap_or_default();
            objects.push(Object { columns, ..plain(kept_id(view.id), schema, &view.name, "V") });
        }
        let identities: Vec<u64> = shared
            .tables
            .iter()
            .flat_map(|table| table.columns.iter().filter_map(|column| column.identity.as_ref()))
            .map(|identity| identity.sequence)
            .collect();
        let own = reduce::ROW_VERSIONS.rsplit('.').next().unwrap_or("");
        let is_shown = |sequence: &&SequenceDefinition| !identities.contains(&sequence.id) && sequence.name != own;
        for sequence in shared.sequences.iter().filter(is_shown) {
            let Some(schema) = schema_of(shared, sequence.schema) else { continue };
            let detail = Detail::Sequence(sequence.clone());
            objects.push(Object { detail, ..plain(kept_id(sequence.id), schema, &sequence.name, "SO") });
        }
        self.files(&mut objects)?;
        self.modules(&schemas, &mut objects);
        name_referenced_keys(&mut objects);
        objects.sort_by_key(|object| (object.schema, object.name.to_lowercase()));
        let key = |object: &Object| match object.is_temporary && object.kind == "U" {
            true => self.temporary_name(&object.name).to_lowercase(),
            false if object.name.starts_with('#') => object.name.to_lowercase(),
            false => key(&schemas, object.schema, &object.name),
        };
        // A name that a type has as well is the other object's.
        let is_type = |object: &Object| matches!(object.kind, "UDT" | "TT");
        let placed = |types: bool| objects.iter().enumerate().filter(move |(_, object)| is_type(object) == types);
        let by_key = placed(true).chain(placed(false)).map(|(place, object)| (key(object), place)).collect();
        let by_id = objects.iter().enumerate().map(|(place, object)| (object.id, place)).collect();
        let database = self.state.database.clone();
        let recursive_triggers = self.modules.kept().recursive_triggers;
        Ok(Catalog { database, started: self.started, recursive_triggers, schemas, objects, by_id, by_key })
    }

    /// The T-SQL name of a temporary table of the core.
    fn temporary_name<'n>(&'n self, core: &'n str) -> &'n str {
        let levels = self.state.levels.iter();
        let known = levels.flat_map(|level| &level.tables).find(|(_, table)| table.core.eq_ignore_ascii_case(core));
        known.map_or(core, |(name, _)| name.as_str())
    }

    /// The session's entry for one of its temporary tables.
    fn temporary(&self, table: &TableDefinition) -> Option<&TemporaryTable> {
        let mut own = self.state.levels.iter().flat_map(|level| level.tables.values());
        own.find(|known| known.core.eq_ignore_ascii_case(&table.name))
    }

    /// The name of a table's clustered index; `None` for a heap.
    fn clustered_index<'t>(
        &'t self,
        catalog: &definitions::Catalog,
        table: &'t TableDefinition,
        is_temporary: bool,
    ) -> Option<&'t str> {
        let said = match is_temporary {
            true => self.temporary(table).and_then(|known| known.said.clustered.as_deref()),
            false => {
                let key = format!("{}.{}", schema_name(catalog, table), table.name).to_lowercase();
                self.modules.kept().clustered.get(&key).map(String::as_str)
            }
        };
        match said {
            None => table.primary_key.as_ref().map(|key| key.name.as_str()),
            Some(name) => Some(name).filter(|name| !name.is_empty()),
        }
    }

    /// The names of a table's keys of which INSERTs leave out what is there already, in lower case.
    fn ignored_keys(&self, catalog: &definitions::Catalog, table: &TableDefinition, is_temporary: bool) -> &[String] {
        match is_temporary {
            true => self.temporary(table).map_or(&[], |known| &known.said.ignored),
            false => {
                let key = format!("{}.{}", schema_name(catalog, table), table.name).to_lowercase();
                self.modules.kept().ignored.get(&key).map_or(&[], Vec::as_slice)
            }
        }
    }

    fn table(
        &self,
        catalog: &definitions::Catalog,
        table: &TableDefinition,
        schema: i64,
        (is_temporary, sign): (bool, i64),
        objects: &mut Vec<Object>,
    ) {
        let id = sign * kept_id(table.id);
        let place =
            |column: u64| table.columns.iter().position(|known| known.id == column).map_or(0, |place| place as i64 + 1);
        let column_id = &place;
        let child = |id: i64, name: &str, kind: &'static str, detail: Detail| Object {
            parent: sign * kept_id(table.id),
            is_temporary,
            detail,
            ..plain(id, schema, name, kind)
        };
        let (columns, defaults) = columns(self, catalog, table, sign);
        for (number, name, is_system_named, column, text) in defaults {
            let detail = Detail::Default(column, text);
            objects.push(Object { is_system_named, ..child(number, &name, "D", detail) });
        }
        let ignored = self.ignored_keys(catalog, table, is_temporary);
        let ignores = |name: &str| ignored.contains(&name.to_lowercase());
        let mut indexes = Vec::new();
        let mut next = 2;
        let clustered = self.clustered_index(catalog, table, is_temporary);
        if clustered.is_none() {
            indexes.push(Index::heap());
        }
        let mut number_of = |name: &str| {
            if clustered.is_some_and(|clustered| clustered.eq_ignore_ascii_case(name)) {
                return 1;
            }
            next += 1;
            next - 1
        };
        let index = |id: i64, key: &KeyDefinition, primary: bool| Index {
            id,
            name: Some(key.name.clone()),
            unique: true,
            primary,
            constraint: !primary,
            columns: key.columns.iter().map(|part| (column_id(part.column), part.descending)).collect(),
            ignores_duplicates: ignores(&key.name),
            filter: None,
        };
        for (key, primary) in
            table.primary_key.iter().map(|key| (key, true)).chain(table.unique.iter().map(|k| (k, false)))
        {
            let number = number_of(&key.name);
            indexes.push(index(number, key, primary));
            let kind = if primary { "PK" } else { "UQ" };
            let is_system_named = is_made_up(&key.name);
            let object = child(sign * kept_id(key.id), &key.name, kind, Detail::Key(number));
            objects.push(Object { is_system_named, ..object });
        }
        for known in &table.indexes {
            let parts = known.columns.iter().map(|part| (column_id(part.column), part.descending)).collect();
            let name = Some(known.name.clone());
            indexes.push(Index {
                id: number_of(&known.name),
                name,
                unique: known.unique,
                primary: false,
                constraint: false,
                columns: parts,
                ignores_duplicates: ignores(&known.name),
                filter: super::filter::shown(table, known),
            });
        }
        indexes.sort_by_key(|index| index.id);
        for check in &table.checks {
            let number = sign * named_id(&format!("{}/{}", table.id, check.name.to_lowercase()));
            let is_system_named = is_made_up(&check.name);
            let object = child(number, &check.name, "C", Detail::Check(shown(&check.text, &column_names(table))));
            objects.push(Object { is_system_named, ..object });
        }
        for key in &table.foreign_keys {
            let number = sign * named_id(&format!("{}/{}", table.id, key.name.to_lowercase()));
            let detail = Detail::Foreign(foreign(catalog, key, column_id, sign));
            let is_system_named = is_made_up(&key.name);
            objects.push(Object { is_system_named, ..child(number, &key.name, "F", detail) });
        }
        let name = if is_temporary { self.temporary_name(&table.name).to_owned() } else { table.name.clone() };
        objects.push(Object { columns, indexes, is_temporary, ..plain(id, schema, &name, "U") });
    }

    fn files(&self, objects: &mut Vec<Object>) -> Result<()> {
        for table in self.database.file_tables()? {
            let column = |(place, column): (usize, &mainstay_engine::ColumnInfo)| Column {
                name: column.name.clone(),
                id: place as i64 + 1,
                data_type: type_of_text(&column.sql_type),
                nullable: column.nullable,
                identity: None,
                computed: None,
                declared: None,
                compares: None,
                default: 0,
            };
            let columns = table.columns.iter().enumerate().map(column).collect();
            let id = named_id(&format!("dbo.{}", table.name.to_lowercase()));
            let tags = table.indexes.iter().zip(2..).map(|(tag, id)| Index::of_tag(tag, id, &table.columns));
            let indexes = std::iter::once(Index::heap()).chain(tags).collect();
            objects.push(Object { columns, indexes, ..plain(id, DBO, &table.name, "U") });
        }
        Ok(())
    }

    fn modules(&self, schemas: &[(i64, String)], objects: &mut Vec<Object>) {
        let ids: HashMap<String, i64> = objects
            .iter()
            .filter(|object| object.is_relation() && !object.is_temporary)
            .map(|object| (key(schemas, object.schema, &object.name), object.id))
            .collect();
        let numbers = super::declared::type_numbers(self.modules);
        for module in self.modules.all() {
            let kind = match module.kind.as_str() {
                "P" => "P",
                "FN" => "FN",
                "IF" => "IF",
                "TF" => "TF",
                "TR" => "TR",
                "TT" => "TT",
                "UDT" => "UDT",
                "SN" => "SN",
                "V" => {
                    // The view itself is the core's; its text is here.
                    let id = ids.get(&module.key);
                    if let Some(view) = objects.iter_mut().find(|object| Some(&object.id) == id) {
                        view.text = Some(Arc::clone(&module.text));
                        view.statement = Some(Arc::clone(&module.statement));
                        view.made_under = module.made_under;
                    }
                    continue;
                }
                _ => continue,
            };
            let (schema, name) = module.name.split_once('.').unwrap_or(("dbo", &module.name));
            let schema =
                schemas.iter().find(|(_, known)| known.eq_ignore_ascii_case(schema)).map_or(DBO, |(id, _)| *id);
            objects.push(Object {
                parent: ids.get(&module.parent).copied().unwrap_or(0),
                text: Some(Arc::clone(&module.text)),
                statement: Some(Arc::clone(&module.statement)),
                columns: self.module_columns(&module.statement.kind),
                made_under: module.made_under,
                is_temporary: module.is_temporary(),
                detail: numbers.get(&module.key).map_or(Detail::None, |number| Detail::Type(*number)),
                ..plain(named_id(&module.key), schema, name, kind)
            });
        }
    }

    /// The columns of a table type or a function of rows.
    fn module_columns(&self, statement: &StatementKind) -> Vec<Column> {
        let elements: &[TableElement] = match statement {
            StatementKind::CreateType(create) => match create.as_ref() {
                CreateType::Table(_, elements, _) => elements,
                _ => return Vec::new(),
            },
            StatementKind::Function(function) => match &function.returns {
                FunctionKind::MultiStatement(_, elements, _) => elements,
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let types = reduce::column_types(elements, &crate::objects::modules::Nothing).unwrap_or_default();
        let nullable = |name: &str| {
            !elements.iter().any(|element| match element {
                TableElement::Column(column) => column.name.is(name) && is_not_null(&column.properties),
                _ => false,
            })
        };
        let column = |(place, (name, data_type)): (usize, (String, DataType))| Column {
            nullable: nullable(&name),
            name,
            id: place as i64 + 1,
            data_type,
            identity: None,
            computed: None,
            declared: None,
            compares: None,
            default: 0,
        };
        types.into_iter().enumerate().map(column).collect()
    }
}

fn is_not_null(properties: &[mainstay_tsql_syntax::tree::ColumnProperty]) -> bool {
    use mainstay_tsql_syntax::tree::{ColumnProperty, ConstraintKind, KeyKind};
    properties.iter().any(|property| match property {
        ColumnProperty::Nullable(nullable) => !nullable,
        ColumnProperty::Constraint(constraint) => {
            matches!(&constraint.kind, ConstraintKind::Key(index) if index.key == KeyKind::Primary)
        }
        _ => false,
    })
}

/// Number, name, whether the system named it, the column's number, the expression.
type DefaultRow = (i64, String, bool, i64, String);

fn columns(
    made: &Made<'_>,
    catalog: &definitions::Catalog,
    table: &TableDefinition,
    sign: i64,
) -> (Vec<Column>, Vec<DefaultRow>) {
    let sequence = |id: u64| catalog.sequences.iter().find(|sequence| sequence.id == id);
    let steps = |sequence: &SequenceDefinition| (sequence.start, sequence.increment);
    let (mut columns, mut defaults) = (Vec::new(), Vec::new());
    let names = column_names(table);
    let schema_name = schema_name(catalog, table);
    let own = made.temporary(table).filter(|_| sign < 0);
    let declared = |column: &str| match own {
        Some(own) => {
            let (_, name) = own.declared.iter().find(|(known, _)| known.eq_ignore_ascii_case(column))?;
            super::declared(made.modules, name)
        }
        None => made.modules.declared_type(schema_name, &table.name, column),
    };
    for (place, column) in table.columns.iter().enumerate() {
        let id = place as i64 + 1;
        let mut default = 0;
        let data_type = type_of_field(&field_of(column)).unwrap_or(DataType::NVarChar(Length::Max));
        // The core gives row versions by a default, which is not part of the definition.
        let is_version = data_type == DataType::RowVersion;
        if let Some(text) = column.default.as_ref().filter(|_| !is_version) {
            default = sign * named_id(&format!("default {} {}", table.id, column.id));
            let given = made.modules.default_name(schema_name, &table.name, &column.name);
            let is_system_named = given.is_none();
            let made_name = || {
                let part = digits(&format!("{} {}", table.name, column.name));
                format!("DF__{}__{}__{part}", cut(&table.name, 9), cut(&column.name, 5))
            };
            let name = given.map_or_else(made_name, str::to_owned);
            defaults.push((default, name, is_system_named, id, shown(text, &names)));
        }
        columns.push(Column {
            name: column.name.clone(),
            id,
            data_type,
            declared: declared(&column.name),
            compares: column.sql_type.collation().filter(|_| column.declared.is_some()),
            nullable: !column.not_null && !is_version,
            identity: column.identity.as_ref().map(|of| sequence(of.sequence).map_or((1, 1), steps)),
            computed: column.computed.as_ref().map(|computed| shown(&computed.text, &names)),
            default,
        });
    }
    (columns, defaults)
}

/// The name of a table's schema.
fn schema_name<'c>(catalog: &'c definitions::Catalog, table: &TableDefinition) -> &'c str {
    let schema = catalog.schemas.iter().find(|schema| schema.id == table.schema);
    schema.map_or("dbo", |it| if it.name.eq_ignore_ascii_case("main") { "dbo" } else { &it.name })
}

fn column_names(table: &TableDefinition) -> Vec<&str> {
    table.columns.iter().map(|column| column.name.as_str()).collect()
}

fn foreign(
    catalog: &definitions::Catalog,
    key: &ForeignKeyDefinition,
    column_id: &dyn Fn(u64) -> i64,
    sign: i64,
) -> ForeignKey {
    let referenced = catalog.tables.iter().find(|table| table.id == key.referenced_table);
    let referenced_columns: Vec<i64> = key
        .referenced_columns
        .iter()
        .map(|column| {
            let place = referenced.and_then(|table| table.columns.iter().position(|known| known.id == *column));
            place.map_or(0, |place| place as i64 + 1)
        })
        .collect();
    ForeignKey {
        columns: key.columns.iter().map(|column| column_id(*column)).collect(),
        referenced: sign * kept_id(key.referenced_table),
        referenced_columns,
        // Known when all tables are: see `name_referenced_keys`.
        key_index: 1,
        on_delete: key.on_delete,
        on_update: key.on_update,
    }
}

/// Gives references the indexes that they refer to: the keys of the same columns, in whatever order.
fn name_referenced_keys(objects: &mut [Object]) {
    let sorted = |mut columns: Vec<i64>| {
        columns.sort_unstable();
        columns
    };
    let mut keys: HashMap<(i64, Vec<i64>), i64> = HashMap::new();
    for table in objects.iter() {
        for index in table.indexes.iter().filter(|index| index.unique && index.filter.is_none()) {
            let columns = sorted(index.columns.iter().map(|(column, _)| *column).collect());
            keys.entry((table.id, columns)).or_insert(index.id);
        }
    }
    for object in objects {
        let Detail::Foreign(key) = &mut object.detail else { continue };
        if let Some(index) = keys.get(&(key.referenced, sorted(key.referenced_columns.clone()))) {
            key.key_index = *index;
        }
    }
}

/// Returns true if a temporary table holds a view of the catalog.
fn is_of_catalog(name: &str) -> bool {
    ["#sys.", "#information_schema."].iter().any(|prefix| name.starts_with(prefix))
}

/// The number of a schema of the core; `None` for what is not shown.
fn schema_of(catalog: &definitions::Catalog, id: u64) -> Option<i64> {
    let schema = catalog.schemas.iter().find(|schema| schema.id == id)?;
    match schema.name.to_lowercase().as_str() {
        "main" | "dbo" => Some(DBO),
        "sys" | GLOBALS => None,
        _ => Some(5 + id as i64),
    }
}

fn key(schemas: &[(i64, String)], schema: i64, name: &str) -> String {
    let schema = schemas.iter().find(|(id, _)| *id == schema).map_or("dbo", |(_, name)| name);
    format!("{}.{}", schema.to_lowercase(), name.to_lowercase())
}

fn plain(id: i64, schema: i64, name: &str, kind: &'static str) -> Object {
    Object {
        id,
        schema,
        name: name.to_owned(),
        kind,
        parent: 0,
        is_temporary: false,
        is_system_named: false,
        text: None,
        statement: None,
        made_under: Switches::OF_DRIVERS,
        columns: Vec::new(),
        indexes: Vec::new(),
        detail: Detail::None,
    }
}

/// The type of a column of a file, from the core's name for it.
fn type_of_text(text: &str) -> DataType {
    let text = text.to_lowercase();
    match text.as_str() {
        "boolean" => return DataType::Bit,
        "double" => return DataType::Float,
        "integer" => return DataType::Int,
        "varchar" => return DataType::NVarChar(Length::Max),
        "varbinary" => return DataType::VarBinary(Length::Max),
        "timestamp" => return DataType::DateTime2(6),
        "timestamp with time zone" => return DataType::DateTimeOffset(6),
        _ => {}
    }
    mainstay_tsql_types::operation::data_type(&text).unwrap_or(DataType::NVarChar(Length::Max))
}

/// The parameters of a procedure or function, with what they return first where it is a value (number 0).
pub(crate) fn parameters(
    modules: &Modules,
    statement: &StatementKind,
) -> (Option<DataType>, Vec<(Parameter, DataType)>) {
    let (given, returns) = match statement {
        StatementKind::Procedure(procedure) => (&procedure.parameters, None),
        StatementKind::Function(function) => {
            let returns = match &function.returns {
                FunctionKind::Scalar(data_type, _) => modules.resolved_type(data_type),
                _ => None,
            };
            (&function.parameters, returns)
        }
        _ => return (None, Vec::new()),
    };
    let with_type = |parameter: &Parameter| {
        let place = Declared::Column(1, &parameter.name.text);
        let known = reduce::data_type(&parameter.data_type, place, &crate::objects::modules::Nothing).ok();
        let data_type = known.or_else(|| modules.resolved_type(&parameter.data_type));
        (parameter.clone(), data_type.unwrap_or(DataType::Int))
    };
    (returns, given.iter().map(with_type).collect())
}

/// The types of the system: name, `system_type_id`, `user_type_id`.
pub(crate) fn system_types() -> impl Iterator<Item = (&'static str, i64, i64)> {
    [
        ("image", 34, 34),
        ("text", 35, 35),
        ("uniqueidentifier", 36, 36),
        ("date", 40, 40),
        ("time", 41, 41),
        ("datetime2", 42, 42),
        ("datetimeoffset", 43, 43),
        ("tinyint", 48, 48),
        ("smallint", 52, 52),
        ("int", 56, 56),
        ("smalldatetime", 58, 58),
        ("real", 59, 59),
        ("money", 60, 60),
        ("datetime", 61, 61),
        ("float", 62, 62),
        ("sql_variant", 98, 98),
        ("ntext", 99, 99),
        ("bit", 104, 104),
        ("decimal", 106, 106),
        ("numeric", 108, 108),
        ("smallmoney", 122, 122),
        ("bigint", 127, 127),
        ("hierarchyid", 240, 128),
        ("geometry", 240, 129),
        ("geography", 240, 130),
        ("varbinary", 165, 165),
        ("varchar", 167, 167),
        ("binary", 173, 173),
        ("char", 175, 175),
        ("timestamp", 189, 189),
        ("nvarchar", 231, 231),
        ("sysname", 231, 256),
        ("nchar", 239, 239),
        ("xml", 241, 241),
    ]
    .into_iter()
}
