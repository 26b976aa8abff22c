//! The meaning of names in a session: temporary tables first, then the tables of the database.

use crate::catalog::{Catalog, Column, Made};
use crate::objects::modules::Modules;
use crate::objects::table_calls::TableCalls;
use crate::session::instance::Instance;
use crate::session::plan_dependencies::Uses;
use crate::session::state::State;
use crate::statements::errors::message_of;
use crate::statements::null_variables::Nulls;
use crate::views;
use mainstay_engine::ChangeableColumn;
use mainstay_engine::definitions::{ColumnDefinition, IndexColumn, TableDefinition};
use mainstay_tsql_planner::type_of_field;
use mainstay_tsql_syntax::compile::Types;
use mainstay_tsql_syntax::reduce::{
    self, IgnoredKeys, InlineFunction, MomentaryColumn, NaturalOrder, Scope, SourceColumn, TableCall, TableColumn,
    TableFunction, quoted,
};
use mainstay_tsql_syntax::tree::{FunctionKind, ObjectName, Parameter, Query, StatementKind};
use mainstay_tsql_types::types::Declared;
use mainstay_tsql_types::{DataType, Message, Settings};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The names that a statement can use.
pub(crate) struct Names<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) cache: &'a Cache,
    /// True if the catalog itself was read, so that the result of these names is valid only once.
    pub(crate) is_momentary: &'a Cell<bool>,
    /// The names that the statement has asked for.
    pub(crate) uses: &'a RefCell<Uses>,
    /// True if tables get aliases that no column has.
    pub(crate) disguises: bool,
    /// To ask what the core makes of a query.
    pub(crate) core: RefCell<&'a mut mainstay_engine::Session>,
    pub(crate) modules: &'a Modules,
    pub(crate) state: &'a State,
    pub(crate) calls: &'a TableCalls,
    /// The variables that are NULL.
    pub(crate) nulls: &'a Nulls,
    /// The types of the variables that the statement is given.
    pub(crate) variables: &'a [(String, DataType)],
}

/// The catalog as it was last made, and what it was made of.
#[derive(Default)]
pub(crate) struct Cache {
    known: RefCell<Option<Known>>,
    /// The same for functions that a query calls for its rows.
    latest: Latest,
}

/// The catalog that a query's functions ask.
pub(crate) type Latest = Arc<Mutex<Option<Arc<Catalog>>>>;

/// The sources of a catalog, for comparison.
struct Known {
    shared: Arc<mainstay_engine::definitions::Catalog>,
    temporary: Vec<TableDefinition>,
    files: Vec<String>,
    versions: (u64, u64),
    database: String,
    view_columns: HashMap<String, Vec<Column>>,
    catalog: Arc<Catalog>,
}

impl Cache {
    pub(crate) fn latest(&self) -> Latest {
        Arc::clone(&self.latest)
    }
}

/// The sources of the catalog.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) modules: &'a Modules,
    pub(crate) state: &'a State,
    pub(crate) cache: &'a Cache,
}

impl Sources<'_> {
    /// The catalog as it is now.
    ///
    /// Errors: those of looking at the folder.
    pub(crate) fn catalog(&self, core: &mut mainstay_engine::Session) -> mainstay_types::Result<Arc<Catalog>> {
        let Sources { instance, modules, state, cache } = *self;
        let definitions = core.definitions();
        let own = definitions.temporary.iter().flat_map(|own| &own.tables);
        let temporary: Vec<TableDefinition> = own.filter(|table| !table.name.starts_with("#sys.")).cloned().collect();
        let files = instance.database.file_names()?;
        let versions = (modules.version(), state.version);
        let mut known = cache.known.borrow_mut();
        let same_shared = known.as_ref().is_some_and(|known| Arc::ptr_eq(&known.shared, &definitions.shared));
        if let Some(known) = known.as_ref()
            && same_shared
            && known.versions == versions
            && known.temporary == temporary
            && known.files == files
            && known.database == state.database
        {
            return Ok(Arc::clone(&known.catalog));
        }
        let shared = Arc::clone(&definitions.shared);
        let view_columns = match known.take() {
            Some(known) if same_shared => known.view_columns,
            _ => view_columns(core, &shared),
        };
        let database = &instance.database;
        let made = Made {
            database,
            modules,
            state,
            started: instance.started,
            definitions,
            view_columns: view_columns.clone(),
        };
        let catalog = Arc::new(made.catalog()?);
        let database = state.database.clone();
        let made = Arc::clone(&catalog);
        *known = Some(Known { shared, temporary, files, versions, database, view_columns, catalog: made });
        Ok(catalog)
    }
}

/// The columns of all views, by their keys, from the planner.
fn view_columns(
    core: &mut mainstay_engine::Session,
    shared: &mainstay_engine::definitions::Catalog,
) -> HashMap<String, Vec<Column>> {
    let mut all = HashMap::new();
    for view in &shared.views {
        let schema =
            shared.schemas.iter().find(|schema| schema.id == view.schema).map_or("main", |schema| &schema.name);
        let Ok(answer) = core.execute(&format!("SELECT * FROM {}.{} LIMIT 0", quoted(schema), quoted(&view.name)))
        else {
            continue;
        };
        let column = |(place, field): (usize, &Arc<arrow_schema::Field>)| Column {
            name: field.name().clone(),
            id: place as i64 + 1,
            data_type: type_of_field(field).unwrap_or(DataType::NVarChar(mainstay_tsql_types::Length::Max)),
            nullable: field.is_nullable(),
            identity: None,
            computed: None,
            declared: None,
            compares: None,
            default: 0,
        };
        let columns = answer.schema().fields().iter().enumerate().map(column).collect();
        let schema = if schema.eq_ignore_ascii_case("main") { "dbo" } else { schema };
        all.insert(format!("{schema}.{}", view.name).to_lowercase(), columns);
    }
    all
}

/// The name that a name of up to four parts has in this database: schema and object.
pub(crate) fn local_name(name: &ObjectName) -> (Option<&str>, &str) {
    let parts = &name.parts;
    let schema = parts.len().checked_sub(2).map(|place| parts[place].text.as_str()).filter(|text| !text.is_empty());
    (schema, name.last())
}

/// The core's name of a table that is not temporary.
pub(crate) fn core_name(name: &ObjectName) -> String {
    match local_name(name) {
        (Some(schema), table) if !schema.eq_ignore_ascii_case("dbo") => format!("{}.{}", quoted(schema), quoted(table)),
        (_, table) => quoted(table),
    }
}

/// Returns true if a name is that of a temporary table or table variable.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(['#', '@'])
}

/// The name of the server: `@@SERVERNAME`.
pub(crate) const SERVER: &str = "MAINSTAY";

/// The schema that holds the temporary tables of all sessions.
pub(crate) const GLOBALS: &str = "tempdb";

/// Returns true if a name is that of a global temporary table.
pub(crate) fn is_global(name: &str) -> bool {
    name.starts_with("##")
}

/// The core's name of a temporary table that all sessions see.
pub(crate) fn global_name(name: &str) -> String {
    format!("{GLOBALS}.{}", quoted(name))
}

/// Returns true if a column has a default.
pub(crate) fn column_has_default(table: &TableDefinition, name: &str) -> bool {
    table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name) && column.default.is_some())
}

/// The name of a column of a key.
pub(crate) fn column_name(table: &TableDefinition, column: &IndexColumn) -> String {
    let found = table.columns.iter().find(|known| known.id == column.column);
    found.map_or_else(String::new, |found| found.name.clone())
}

impl Names<'_> {
    /// Returns true if there is a global temporary table of this name.
    fn has_global(&self, name: &str) -> bool {
        matches!(self.core.borrow().changeable_columns(&format!("{GLOBALS}.{name}")), Ok(Some(_)))
    }

    /// Asks the definition of a table of the core.
    pub(crate) fn with_definition<R>(&self, core: &str, work: impl FnOnce(&TableDefinition) -> R) -> Option<R> {
        let definitions = self.core.borrow().definitions();
        let core = core.replace('"', "");
        let (schema, name) = core.split_once('.').unwrap_or(("main", &core));
        let is_it = |table: &&TableDefinition| table.name.eq_ignore_ascii_case(name);
        let shared = &definitions.shared;
        let schema = shared.schemas.iter().find(|known| known.name.eq_ignore_ascii_case(schema)).map(|known| known.id);
        let temporary = definitions.temporary.iter().flat_map(|own| &own.tables).find(is_it);
        let in_schema = |table: &&TableDefinition| is_it(table) && schema.is_none_or(|schema| schema == table.schema);
        temporary.or_else(|| shared.tables.iter().find(in_schema)).map(work)
    }

    /// The table whose trigger has a table of the core as its `inserted` or `deleted`.
    fn table_of_trigger(&self, core: &str) -> Option<String> {
        let name = core.trim_matches('"');
        let depth = name.strip_prefix("inserted@").or_else(|| name.strip_prefix("deleted@"))?;
        let level = self.state.levels.get(depth.parse::<usize>().ok()?.checked_sub(1)?)?;
        let trigger = level.trigger.as_ref()?;
        let trigger = self.modules.all().find(|object| *object.key == **trigger)?;
        Some(core_name(&crate::session::object_name(&trigger.parent)))
    }

    /// The names of the columns of keys of a table of the core.
    fn keys_of(
        &self,
        core: &str,
        keys: impl Fn(&TableDefinition) -> Vec<Vec<IndexColumn>>,
    ) -> Option<Vec<Vec<String>>> {
        self.with_definition(core, |table| {
            let names = |key: &Vec<IndexColumn>| key.iter().map(|column| column_name(table, column)).collect();
            keys(table).iter().map(names).collect()
        })
    }

    /// The columns of the keys of a table of which no two rows have the same values.
    pub(crate) fn unique_keys(&self, name: &ObjectName) -> Vec<Vec<String>> {
        let Ok(core) = self.table(name) else { return Vec::new() };
        let keys = |table: &TableDefinition| {
            table.primary_key.iter().chain(&table.unique).map(|key| key.columns.clone()).collect()
        };
        self.keys_of(&core, keys).unwrap_or_default()
    }

    /// The core's name of the table that a name refers to.
    pub(crate) fn table_of(&self, name: &ObjectName) -> Result<String, Message> {
        let name = self.modules.synonym(name).unwrap_or(name);
        let last = name.last();
        if let Some(table) = self.state.temporary(last) {
            return Ok(quoted(&table.core));
        }
        match last.chars().next() {
            Some('@') => {
                Err(Message::error(1087, format!("Must declare the table variable \"{last}\".")).severity(15).state(2))
            }
            Some('#') if is_global(last) && self.has_global(last) => Ok(global_name(last)),
            Some('#') => Err(Message::error(208, format!("Invalid object name '{last}'.")).state(0)),
            _ => {
                if let [server, _, _, _] = &name.parts[..]
                    && !server.text.is_empty()
                    && !server.is(SERVER)
                    && self.core.borrow_mut().execute(&format!("SELECT 1 FROM {} LIMIT 0", core_name(name))).is_err()
                {
                    // The database has no such table, and there is no other server to ask.
                    return Err(Message::numbered(7202, &[&server.text]).state(2));
                }
                let (schema, view) = local_name(name);
                let Some(view) = views::known(schema, view) else { return Ok(core_name(name)) };
                if schema.is_none_or(|schema| schema.eq_ignore_ascii_case("dbo")) && self.is_table(name) {
                    return Ok(core_name(name));
                }
                let is_temporary = name.parts.len() >= 3
                    && name.parts.get(name.parts.len() - 3).is_some_and(|database| database.is("tempdb"));
                let Names { instance, modules, state, cache, .. } = self;
                let sources = Sources { instance, modules, state, cache };
                let filled = views::fill(&mut self.core.borrow_mut(), &sources, view, is_temporary);
                match filled.map_err(|error| message_of(&error))? {
                    Some(table) => {
                        self.is_momentary.set(true);
                        Ok(table)
                    }
                    None => Ok(core_name(name)),
                }
            }
        }
    }

    /// The columns of a table that statements can change, by the core's name of it; `None` for a view. A type that T-SQL
    /// does not have leaves nothing to be said.
    fn stored_columns(&self, table: &str) -> Option<Option<Vec<TableColumn>>> {
        let columns = self.core.borrow().changeable_columns(&table.replace('"', "")).ok()??;
        let column = |column: ChangeableColumn| {
            let data_type = type_of_field(&column.field)?;
            Some(TableColumn {
                name: column.field.name().clone(),
                data_type,
                is_identity: column.is_identity,
                is_computed: column.is_computed || data_type == DataType::RowVersion,
                is_nullable: column.field.is_nullable(),
            })
        };
        Some(columns.into_iter().map(column).collect())
    }

    /// The source columns of a result, for its description: only those of tables, since examining views takes longer.
    pub(crate) fn result_sources(&self, query: &Query) -> Vec<Option<SourceColumn>> {
        // FOR XML and FOR JSON give one column of their own, and a WITH may call its queries as tables are called.
        if query.format.is_some() || !query.with.tables.is_empty() {
            return Vec::new();
        }
        let of_table = |name: &ObjectName| {
            let known = self.modules.synonym(name).unwrap_or(name);
            let core = match self.state.temporary(known.last()) {
                Some(table) => quoted(&table.core),
                None => core_name(known),
            };
            self.stored_columns(&core).flatten()
        };
        reduce::result_sources(query, &of_table).map(|sources| sources.columns).unwrap_or_default()
    }

    /// Returns true if the database itself contains a table of this name.
    fn is_table(&self, name: &ObjectName) -> bool {
        let core = core_name(name).replace('"', "");
        matches!(self.core.borrow().changeable_columns(&core), Ok(Some(_)))
    }
}

impl Scope for Names<'_> {
    fn variable(&self, name: &str) -> Option<DataType> {
        let name = name.to_lowercase();
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, data_type)| *data_type)
    }

    fn table(&self, name: &ObjectName) -> Result<String, Message> {
        let found = self.table_of(name)?;
        self.uses.borrow_mut().note(name, &found, self.temporary_indexes(name).cloned(), &self.core.borrow());
        Ok(found)
    }

    fn check_file(&self, file: &str) -> Result<(), Message> {
        self.instance.bulk_bytes(file).map(drop)
    }

    fn columns(&self, name: &ObjectName) -> Option<Vec<TableColumn>> {
        let table = self.table(name).ok()?;
        if let Some(columns) = self.stored_columns(&table) {
            return columns;
        }
        let mut core = self.core.borrow_mut();
        let answer = core.execute(&format!("SELECT * FROM {table} LIMIT 0")).ok()?;
        let column = |field: &std::sync::Arc<arrow_schema::Field>| {
            let (name, data_type) = (field.name().clone(), type_of_field(field)?);
            Some(TableColumn { name, data_type, is_identity: false, is_computed: false, is_nullable: true })
        };
        answer.schema().fields().iter().map(column).collect()
    }

    fn settings(&self) -> Settings {
        self.state.options.settings
    }

    fn is_null(&self, variable: &str) -> bool {
        self.nulls.asks(variable)
    }

    fn sequence_type(&self, name: &ObjectName) -> Option<DataType> {
        crate::definitions::sequences::type_named(&self.core.borrow().definitions().shared, name)
    }

    fn disguises_tables(&self) -> bool {
        self.disguises
    }

    fn salt(&self) -> u64 {
        self.core.borrow().catalog_version()
    }

    fn row_number(&self, name: &ObjectName) -> &'static str {
        let Ok(table) = self.table(name) else { return "_rowid" };
        self.core.borrow().row_number_column(&table.replace('"', ""))
    }

    fn asks_catalog(&self) {
        self.uses.borrow_mut().note_more();
        let Names { instance, modules, state, cache, .. } = self;
        let sources = Sources { instance, modules, state, cache };
        let made = sources.catalog(&mut self.core.borrow_mut()).ok();
        *cache.latest.lock().unwrap_or_else(PoisonError::into_inner) = made;
    }

    fn is_scalar_function(&self, name: &ObjectName) -> bool {
        self.modules.is_scalar_function(name)
    }

    fn inlined_view(&self, name: &ObjectName) -> Option<mainstay_tsql_syntax::tree::View> {
        self.view_by_its_text(name)
    }

    fn scalar_result(&self, name: &ObjectName) -> Option<DataType> {
        self.modules.scalar_result(name)
    }

    fn scalar_defaults(&self, name: &ObjectName) -> Option<Vec<Option<mainstay_tsql_syntax::tree::Expr>>> {
        match &self.modules.find(name)?.statement.kind {
            StatementKind::Function(function) => {
                Some(function.parameters.iter().map(|parameter| parameter.default.clone()).collect())
            }
            _ => None,
        }
    }

    fn view(&self, name: &ObjectName) -> Option<mainstay_tsql_syntax::tree::View> {
        self.modules.view(name).cloned()
    }

    fn key(&self, name: &ObjectName) -> Option<Vec<TableColumn>> {
        let core = self.table(name).ok()?;
        let of_table = |table: &TableDefinition| table.primary_key.iter().map(|key| key.columns.clone()).collect();
        let Some(keys) = self.keys_of(&core, of_table) else {
            // The records of a DBF are known by their numbers; rows of other files and of views by nothing.
            let is_dbf = matches!(self.core.borrow().changeable_columns(&core.replace('"', "")), Ok(Some(_)));
            return is_dbf.then(Vec::new);
        };
        let columns = self.columns(name)?;
        let of = |name: &String| columns.iter().find(|column| column.name.eq_ignore_ascii_case(name)).cloned();
        keys.first().map_or(Some(Vec::new()), |key| key.iter().map(of).collect())
    }

    fn has_index(&self, table: &ObjectName, index: &str) -> bool {
        let Names { instance, modules, state, cache, .. } = self;
        let sources = Sources { instance, modules, state, cache };
        let Ok(catalog) = sources.catalog(&mut self.core.borrow_mut()) else { return true };
        // Tags of files are not listed, nor are the keys of what a session has for itself.
        let is_own = |name: &str| is_temporary(name) || self.with_definition(&core_name(table), |_| ()).is_none();
        match catalog.find(table) {
            Some(object) if object.kind == "U" && !is_own(table.last()) => {
                crate::definitions::indexes::has_index(object, index)
            }
            _ => true,
        }
    }

    fn natural_order(&self, name: &ObjectName) -> Option<NaturalOrder> {
        self.order_of_table(name)
    }

    fn ignored_keys(&self, name: &ObjectName) -> IgnoredKeys {
        self.ignored_of_table(name)
    }

    fn momentary_columns(&self, name: &ObjectName) -> Option<Vec<MomentaryColumn>> {
        let (schema, view) = local_name(name);
        if views::known(schema, view).is_some() && !self.is_table(name) {
            return None;
        }
        let core = self.table(name).ok()?;
        let core = self.table_of_trigger(&core).unwrap_or(core);
        let columns = |table: &TableDefinition| {
            let text = |column: &ColumnDefinition| {
                column.computed.as_ref().map(|computed| computed.text.clone()).filter(|text| reduce::is_momentary(text))
            };
            let is_meant = table.columns.iter().any(|column| text(column).is_some());
            is_meant.then(|| table.columns.iter().map(|column| (column.name.clone(), text(column))).collect())
        };
        self.with_definition(&core, columns).flatten()
    }

    fn indexes(&self, name: &ObjectName) -> Vec<Vec<String>> {
        let Ok(core) = self.table(name) else { return Vec::new() };
        self.keys_of(&core, |table| {
            let keys = table.primary_key.iter().chain(&table.unique).map(|key| key.columns.clone());
            keys.chain(table.indexes.iter().map(|index| index.columns.clone())).collect()
        })
        .unwrap_or_default()
    }

    fn table_function(&self, name: &ObjectName) -> Option<TableFunction> {
        let function = self.modules.table_function(name)?;
        let parameter = |parameter: &Parameter| {
            let data_type = reduce::data_type(&parameter.data_type, Declared::Column(1, &parameter.name.text), self);
            Some((parameter.name.text.clone(), data_type.ok()?, parameter.default.is_some()))
        };
        let parameters = function.parameters.iter().map(parameter).collect::<Option<_>>()?;
        let FunctionKind::MultiStatement(_, elements, _) = &function.returns else { return None };
        let types = reduce::row_types(elements, self).ok()?;
        let column = |(name, data_type)| TableColumn {
            name,
            data_type,
            is_identity: false,
            is_computed: false,
            is_nullable: true,
        };
        Some(TableFunction { parameters, columns: types.into_iter().map(column).collect() })
    }

    fn table_call(&self, call: TableCall) -> Result<String, Message> {
        let Some(function) = self.table_function(&call.name) else {
            return Err(Message::error(208, format!("Invalid object name '{}'.", call.name.last())));
        };
        let text = self.modules.find(&call.name).map(|object| Arc::clone(&object.text)).unwrap_or_default();
        self.calls.register(&mut self.core.borrow_mut(), call, &function, text)
    }

    fn inline_function(&self, name: &ObjectName) -> Option<InlineFunction> {
        self.modules.inline_function(name)
    }

    fn user_type(&self, name: &ObjectName) -> Option<DataType> {
        Types::user_type(self.modules, name)
    }

    fn is_not_null_type(&self, name: &ObjectName) -> bool {
        self.modules.is_not_null_type(name)
    }

    fn expression_type(&self, query: &str) -> Result<DataType, Message> {
        let mut core = self.core.borrow_mut();
        let answer = core.execute(query).map_err(|error| message_of(&error))?;
        let field = answer.schema().fields().first().cloned();
        Ok(field.and_then(|field| type_of_field(&field)).unwrap_or(DataType::Int))
    }
}
