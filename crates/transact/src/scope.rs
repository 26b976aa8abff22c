//! What names mean in a session: temporary tables first, then the tables of the database.

use crate::errors::message_of;
use crate::modules::Modules;
use crate::state::State;
use crate::system::{Sources, fill};
use mainstay_engine::NativeColumn;
use mainstay_mssql::{DataType, Message};
use mainstay_query::mssql::type_of_field;
use mainstay_tsql::compile::Types;
use mainstay_tsql::reduce::{InlineFunction, Scope, TableColumn, quoted};
use mainstay_tsql::tree::ObjectName;
use std::cell::{Cell, RefCell};

/// The names that a statement can use.
pub(crate) struct Names<'a> {
    pub(crate) database: &'a mainstay_engine::Database,
    /// Whether the catalog itself was asked for, so that what is made of these names holds once.
    pub(crate) is_momentary: &'a Cell<bool>,
    /// To ask what the core makes of a query.
    pub(crate) core: RefCell<&'a mut mainstay_engine::Session>,
    pub(crate) modules: &'a Modules,
    pub(crate) state: &'a State,
    /// The types of the variables that the statement is given.
    pub(crate) variables: &'a [(String, DataType)],
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

/// Whether a name is that of a temporary table or table variable.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(['#', '@'])
}

impl Scope for Names<'_> {
    fn variable(&self, name: &str) -> Option<DataType> {
        let name = name.to_lowercase();
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, data_type)| *data_type)
    }

    fn table(&self, name: &ObjectName) -> Result<String, Message> {
        let last = name.last();
        if let Some(table) = self.state.temporary(last) {
            return Ok(quoted(&table.core));
        }
        match last.chars().next() {
            Some('@') => {
                Err(Message::error(1087, format!("Must declare the table variable \"{last}\".")).severity(15).state(2))
            }
            Some('#') => Err(Message::error(208, format!("Invalid object name '{last}'.")).state(0)),
            _ => match local_name(name) {
                (Some(schema), view) if ["sys", "information_schema"].contains(&schema.to_lowercase().as_str()) => {
                    let Names { database, modules, state, .. } = self;
                    let sources = Sources { database, modules, state };
                    let filled = fill(&mut self.core.borrow_mut(), &sources, schema, view);
                    match filled.map_err(|error| message_of(&error))? {
                        Some(table) => {
                            self.is_momentary.set(true);
                            Ok(table)
                        }
                        None => Ok(core_name(name)),
                    }
                }
                _ => Ok(core_name(name)),
            },
        }
    }

    fn columns(&self, name: &ObjectName) -> Option<Vec<TableColumn>> {
        let table = self.table(name).ok()?;
        let mut core = self.core.borrow_mut();
        if let Ok(Some(columns)) = core.native_columns(&table.replace('"', "")) {
            let column = |column: NativeColumn| {
                Some(TableColumn {
                    name: column.field.name().clone(),
                    data_type: type_of_field(&column.field)?,
                    is_identity: column.is_identity,
                    is_computed: column.is_computed,
                })
            };
            return columns.into_iter().map(column).collect();
        }
        let answer = core.execute(&format!("SELECT * FROM {table} LIMIT 0")).ok()?;
        let column = |field: &std::sync::Arc<arrow_schema::Field>| {
            let (name, data_type) = (field.name().clone(), type_of_field(field)?);
            Some(TableColumn { name, data_type, is_identity: false, is_computed: false })
        };
        answer.schema().fields().iter().map(column).collect()
    }

    fn is_scalar_function(&self, name: &ObjectName) -> bool {
        self.modules.is_scalar_function(name)
    }

    fn inline_function(&self, name: &ObjectName) -> Option<InlineFunction> {
        self.modules.inline_function(name)
    }

    fn user_type(&self, name: &ObjectName) -> Option<DataType> {
        Types::user_type(self.modules, name)
    }

    fn expression_type(&self, query: &str) -> Result<DataType, Message> {
        let mut core = self.core.borrow_mut();
        let answer = core.execute(query).map_err(|error| message_of(&error))?;
        let field = answer.schema().fields().first().cloned();
        Ok(field.and_then(|field| type_of_field(&field)).unwrap_or(DataType::Int))
    }
}
