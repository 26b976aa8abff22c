//! The meaning of names in a statement: tables of the core, tables of the system, and what DBINFO reports.

use crate::catalog;
use crate::modules::Modules;
use crate::routine_names::core_name;
use crate::rows::type_of;
use crate::synonyms;
use mainstay_engine::Session;
use mainstay_engine::definitions::Catalog;
use mainstay_informix_syntax::compile;
use mainstay_informix_syntax::reduce::{Scope, quoted, text_literal};
use mainstay_informix_syntax::tree::ObjectName;
use mainstay_informix_syntax::{SqlError, Type};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The columns of tables in one state of the catalog.
#[derive(Default)]
pub(crate) struct KnownColumns {
    version: u64,
    tables: HashMap<String, Option<Vec<(String, Type)>>>,
}

/// The state of a session that statements ask for.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub user: String,
    pub database: String,
    pub server: String,
    pub version: String,
    /// The last number of a SERIAL column that an INSERT of the session was given.
    pub last_serial: i64,
    /// Rows that the last statement changed.
    pub last_rows: u64,
}

/// The names that a statement may use.
pub(crate) struct Names<'s> {
    pub core: RefCell<&'s mut Session>,
    pub known: RefCell<&'s mut KnownColumns>,
    pub facts: &'s Facts,
    pub modules: &'s Modules,
    /// A statement that was reduced contains facts of this moment, such as rows of the system catalog: it serves once.
    pub has_read_catalog: Cell<bool>,
}

/// The columns of a table of the core; `None` without one.
pub(crate) fn core_columns(core: &mut Session, known: &mut KnownColumns, table: &str) -> Option<Vec<(String, Type)>> {
    let version = core.catalog_version();
    if known.version != version {
        *known = KnownColumns { version, tables: HashMap::new() };
    }
    if let Some(columns) = known.tables.get(table) {
        return columns.clone();
    }
    let answer = core.execute(&format!("SELECT * FROM {} LIMIT 0", quoted(table))).ok();
    let columns = answer.map(|answer| {
        let fields = answer.schema().fields().iter();
        fields.map(|field| (field.name().to_lowercase(), type_of(field))).collect::<Vec<_>>()
    });
    known.tables.insert(table.to_owned(), columns.clone());
    columns
}

impl Scope for Names<'_> {
    fn table(&self, name: &ObjectName) -> Result<Option<String>, Box<SqlError>> {
        let Some(table) = catalog::find(name) else { return Ok(None) };
        // A table of the database goes before one of the system, unless an owner is named.
        if name.parts.len() == 1 && self.core_columns(&name.last().to_lowercase()).is_some() {
            return Ok(None);
        }
        self.has_read_catalog.set(true);
        let mut core = self.core.borrow_mut();
        let mut known = self.known.borrow_mut();
        catalog::rows(table, &mut core, &mut known, (self.facts, self.modules)).map(Some)
    }

    fn columns(&self, table: &ObjectName) -> Option<Vec<(String, Type)>> {
        if let Some(found) = self.core_columns(&self.core_name(table)) {
            return Some(found);
        }
        let table = catalog::find(table)?;
        Some(table.columns.iter().map(|(name, known)| ((*name).to_owned(), *known)).collect())
    }

    fn core_name(&self, table: &ObjectName) -> String {
        let name = table.last().to_lowercase();
        // Few names are synonyms: they are looked for when nothing else has the name.
        if self.core_columns(&name).is_some() || catalog::find(table).is_some() {
            return name;
        }
        synonyms::target(&mut self.core.borrow_mut(), &name).unwrap_or(name)
    }

    fn row_number(&self, table: &ObjectName) -> &'static str {
        let name = self.core_name(table);
        self.core.borrow().row_number_column(&name)
    }

    fn serial_sequence(&self, table: &ObjectName) -> Option<String> {
        let name = self.core_name(table);
        let core = self.core.borrow();
        let identity = core.table_definition(&name)?.columns.into_iter().find_map(|column| column.identity)?;
        let definitions = core.definitions();
        let of = |catalog: &Catalog| {
            catalog.sequences.iter().find(|known| known.id == identity.sequence).map(|known| known.name.clone())
        };
        of(&definitions.shared).or_else(|| definitions.temporary.as_deref().and_then(of))
    }

    fn function(&self, name: &ObjectName, arguments: usize) -> Option<(String, Type)> {
        let stored = self.modules.routine(&name.last().to_lowercase(), arguments)?;
        let signature = compile::signature(stored.routine()?, stored.key.clone(), self).ok()?;
        match signature.returns[..] {
            [known] if signature.is_single && signature.outputs.is_empty() => Some((core_name(&signature.key), known)),
            _ => None,
        }
    }

    fn user(&self) -> String {
        self.facts.user.clone()
    }

    fn server(&self) -> String {
        self.facts.server.clone()
    }

    fn database_information(&self, words: &[String]) -> Option<String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let version = &self.facts.version;
        // Facts about the last statement differ from one execution to the next.
        if matches!(words[..], ["sqlca.sqlerrd1" | "sqlca.sqlerrd2" | "serial8" | "bigserial"]) {
            self.has_read_catalog.set(true);
        }
        Some(match words[..] {
            ["dbname"] => text_literal(&self.facts.database),
            ["sqlca.sqlerrd1"] | ["serial8"] | ["bigserial"] => self.facts.last_serial.to_string(),
            ["sqlca.sqlerrd2"] => self.facts.last_rows.to_string(),
            ["sessionid"] => "1".to_owned(),
            ["dbhostname"] => text_literal(&self.facts.server),
            ["version", "full"] => text_literal(version),
            ["version", "server-type"] => text_literal(version.split(" Version ").next().unwrap_or(version)),
            ["version", part @ ("major" | "minor" | "level")] => {
                let number = version.rsplit(' ').next().unwrap_or_default();
                let mut parts = number.split('.');
                let (major, minor, level) = (parts.next(), parts.next(), parts.next());
                let found = match part {
                    "major" => major,
                    "minor" => minor,
                    _ => level,
                };
                text_literal(found.unwrap_or_default())
            }
            _ => return None,
        })
    }
}

impl Names<'_> {
    /// True if a table is one whose rows can be changed: no view, and none of the system.
    pub(crate) fn is_changeable(&self, table: &ObjectName) -> bool {
        let name = self.core_name(table);
        self.core.borrow().changeable_columns(&name).is_ok_and(|columns| columns.is_some())
    }

    /// True if a table, view or sequence of this name is there.
    pub(crate) fn is_there(&self, name: &ObjectName) -> bool {
        let wanted = name.last();
        let is_sequence = |core: &Session| {
            core.definitions().shared.sequences.iter().any(|known| known.name.eq_ignore_ascii_case(wanted))
        };
        self.columns(name).is_some() || is_sequence(&self.core.borrow())
    }

    fn core_columns(&self, table: &str) -> Option<Vec<(String, Type)>> {
        core_columns(&mut self.core.borrow_mut(), &mut self.known.borrow_mut(), table)
    }
}
