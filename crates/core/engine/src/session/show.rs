//! SHOW and DESCRIBE: tables, columns, indexes and settings.

use super::Session;
use crate::describe;
use crate::words::is_like;
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use mainstay_planner::{Answer, Catalog};
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;

impl Session {
    pub(super) fn show_tables(&self, pattern: Option<&str>) -> Result<Answer> {
        let mut tables = self.listed()?;
        tables.retain(|table| pattern.is_none_or(|pattern| is_like(&table.name, pattern)));
        let number = |of: fn(&describe::TableInfo) -> Option<u64>| -> ArrayRef {
            Arc::new(Int64Array::from_iter(tables.iter().map(|table| of(table).map(|n| n as i64))))
        };
        let file = |table: &describe::TableInfo| {
            table.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        table(vec![
            ("table", texts(tables.iter().map(|table| table.name.clone()).collect())),
            ("kind", texts(tables.iter().map(|table| table.kind.clone()).collect())),
            ("rows", number(|table| table.rows)),
            ("deleted", number(|table| table.deleted)),
            ("bytes", number(|table| Some(table.bytes))),
            ("code_page", optional_texts(tables.iter().map(|table| table.code_page.clone()).collect())),
            ("file", texts(tables.iter().map(file).collect())),
        ])
    }

    pub(super) fn show_columns(&self, name: &str) -> Result<Answer> {
        let info = self.described(name)?;
        let is_file = !info.path.as_os_str().is_empty();
        let reading = if is_file { describe::csv_reading(&self.database.shared.catalog, name)? } else { None };
        let columns = info.columns;
        let shown = table(vec![
            ("column", texts(columns.iter().map(|column| column.name.clone()).collect())),
            ("type", texts(columns.iter().map(|column| column.sql_type.clone()).collect())),
            ("native_type", texts(columns.iter().map(|column| column.native_type.clone()).collect())),
            ("nullable", booleans(columns.iter().map(|column| column.nullable).collect())),
        ])?;
        Ok(shown.with_notice(reading))
    }

    pub(super) fn show_indexes(&self, name: &str) -> Result<Answer> {
        let described = self.described(name)?;
        let is_file = !described.path.as_os_str().is_empty();
        let missing = if is_file { describe::missing_index(&self.database.shared.catalog, name)? } else { None };
        let indexes = described.indexes;
        let file = |index: &describe::IndexInfo| {
            index.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let shown = table(vec![
            ("tag", texts(indexes.iter().map(|index| index.name.clone()).collect())),
            ("file", texts(indexes.iter().map(file).collect())),
            ("key", texts(indexes.iter().map(|index| index.key.clone()).collect())),
            ("condition", optional_texts(indexes.iter().map(|index| index.condition.clone()).collect())),
            ("unique", booleans(indexes.iter().map(|index| index.unique).collect())),
            ("descending", booleans(indexes.iter().map(|index| index.descending).collect())),
            ("not_used_because", optional_texts(indexes.iter().map(|index| index.unusable.clone()).collect())),
        ])?;
        Ok(shown.with_notice(missing))
    }

    /// The tables that the session can name: its temporary ones, then the permanent ones.
    ///
    /// A temporary table hides another one of its name. Errors: as [`Database::tables`](crate::Database::tables).
    /// Files that have to be read for it are: a cancel or the time ends it as it ends a statement.
    pub fn tables(&self) -> Result<Vec<describe::TableInfo>> {
        self.begin_statement();
        self.listed()
    }

    fn listed(&self) -> Result<Vec<describe::TableInfo>> {
        let _ends = self.transaction.interrupt_in_force();
        let mut tables = self.temporary_tables()?;
        let own = tables.len();
        for table in self.database.tables()? {
            if !tables.iter().take(own).any(|known| known.name == table.name) {
                tables.push(table);
            }
        }
        self.show_own_definitions(&mut tables, own)?;
        Ok(tables)
    }

    /// Lists native tables and views as the session's transaction has defined them: permanent ones follow the first
    /// `own` ones.
    fn show_own_definitions(&self, tables: &mut Vec<describe::TableInfo>, own: usize) -> Result<()> {
        let scope = self.scope();
        if !scope.has_own_definitions() {
            return Ok(());
        }
        let catalog = &self.database.shared.catalog;
        let (committed, names) = (catalog.native.committed().names(), scope.names());
        let mut place = 0;
        tables.retain(|table| {
            place += 1;
            place <= own || (!committed.contains(&table.name) && !names.contains(&table.name))
        });
        for name in names.iter().filter(|name| !super::is_internal(name) && !scope.is_temporary(name)) {
            tables.extend(describe::native_info_in(catalog, scope.clone(), name)?);
        }
        Ok(())
    }

    /// The session's temporary tables.
    ///
    /// Errors: those of reading them.
    pub fn temporary_tables(&self) -> Result<Vec<describe::TableInfo>> {
        let names = self.scope().temporary_names();
        names.iter().filter_map(|name| self.own_table(name).transpose()).collect()
    }

    /// A table or view as the session sees it.
    ///
    /// Errors: `UnknownTable`; it ends as a statement does.
    pub fn describe(&self, name: &str) -> Result<describe::TableInfo> {
        self.begin_statement();
        self.described(&name.to_lowercase())
    }

    /// A temporary table of the session.
    fn own_table(&self, name: &str) -> Result<Option<describe::TableInfo>> {
        let scope = self.scope();
        if !scope.is_temporary(name) {
            return Ok(None);
        }
        describe::native_info_in(&self.database.shared.catalog, scope, name)
    }

    fn described(&self, name: &str) -> Result<describe::TableInfo> {
        let _ends = self.transaction.interrupt_in_force();
        if let Some(info) = self.own_table(name)? {
            return Ok(info);
        }
        let catalog = &self.database.shared.catalog;
        match describe::described(catalog, name)? {
            Some(info) => Ok(info),
            None => Err(mainstay_planner::unknown_table(name, &self.catalog(&self.database.shared).names())),
        }
    }

    pub(super) fn show_settings(&self, name: Option<&str>) -> Result<Answer> {
        let mut settings = self.settings();
        if let Some(name) = name {
            settings.retain(|setting| setting.name == name);
            if settings.is_empty() {
                return Err(super::settings::unknown_setting(name));
            }
        }
        table(vec![
            ("name", texts(settings.iter().map(|setting| setting.name.clone()).collect())),
            ("value", texts(settings.iter().map(|setting| setting.value.clone()).collect())),
            ("description", texts(settings.iter().map(|setting| setting.description.clone()).collect())),
        ])
    }
}

pub(super) fn texts(values: Vec<String>) -> ArrayRef {
    Arc::new(StringArray::from(values))
}

fn optional_texts(values: Vec<Option<String>>) -> ArrayRef {
    Arc::new(StringArray::from(values))
}

fn booleans(values: Vec<bool>) -> ArrayRef {
    Arc::new(BooleanArray::from(values))
}

/// An answer of these columns.
pub(super) fn table(columns: Vec<(&str, ArrayRef)>) -> Result<Answer> {
    let field = |(name, array): &(&str, ArrayRef)| {
        let nullable = !matches!(array.data_type(), DataType::Boolean);
        Field::new(*name, array.data_type().clone(), nullable)
    };
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<Field>>()));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)
        .map_err(|error| Error::new(Code::Internal, error.to_string()))?;
    Ok(Answer::of(schema, vec![batch]))
}
