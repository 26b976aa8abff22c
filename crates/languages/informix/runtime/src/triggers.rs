//! Triggers: creating them, and changes with triggers.
//!
//! ```text
//!   BEFORE            programs of all triggers
//!   the change        INSERT, UPDATE or DELETE that returns the old and the new rows
//!   FOR EACH ROW      programs with the columns of a row; INTO changes the new row once more
//!   AFTER             programs
//! ```
//! All of it is one statement: it is done, or nothing is.
//!
//! Source: CREATE TRIGGER in the Guide to SQL: Syntax.

use crate::failure::{of_core, of_syntax, plain};
use crate::modules::{self, Row, Stored};
use crate::routines::linked;
use crate::rows::{CoreRows, all_values};
use crate::runner::failure_of;
use crate::session::InformixSession;
use crate::statement::Prepared;
use crate::synonyms::{self, no_table};
use mainstay_informix_syntax::compile::{ColumnParameter, Section, compile_trigger};
use mainstay_informix_syntax::reduce::{self, Scope, quoted};
use mainstay_informix_syntax::tree::{Name, ObjectName, Statement as Tree, Trigger};
use mainstay_session::{Done, Failure};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Program, RunArgument};
use std::sync::Arc;

/// -741: a trigger of this name is there already; -745: it is not.
const EXISTS: i32 = -741;
const MISSING: i32 = -745;

/// A section that is ready to run.
#[derive(Debug)]
struct ReadySection {
    program: Arc<Program>,
    columns: Vec<ColumnParameter>,
}

/// A trigger that is ready to run.
#[derive(Debug)]
pub(crate) struct ReadyTrigger {
    before: Option<ReadySection>,
    each_row: Option<ReadySection>,
    after: Option<ReadySection>,
}

/// The rows of a change: each as it was and as it becomes.
struct Images {
    columns: Vec<String>,
    rows: Vec<(Vec<Value>, Vec<Value>)>,
}

fn ready_section(section: Option<Section>) -> Result<Option<ReadySection>, Failure> {
    let Some(Section { compiled, columns }) = section else { return Ok(None) };
    Ok(Some(ReadySection { program: linked(compiled.routine, compiled.actions)?, columns }))
}

fn missing(name: &str) -> Failure {
    let message = format!("Trigger ({name}) not found.");
    Failure { number: MISSING, subject: name.to_owned(), message, ..Failure::default() }
}

/// The table and the event of a change.
fn target(tree: &Tree) -> Option<(&ObjectName, &'static str)> {
    match tree {
        Tree::Insert(insert) => Some((&insert.target, "INSERT")),
        Tree::Update(update) => Some((&update.target, "UPDATE")),
        Tree::Delete(delete) => Some((&delete.target, "DELETE")),
        Tree::Merge(merge) => Some((&merge.target, "MERGE")),
        _ => None,
    }
}

impl InformixSession {
    /// CREATE TRIGGER.
    ///
    /// Errors: -741 for one that is there, -206 for a table that is not; those of compiling.
    pub(crate) fn create_trigger(&mut self, trigger: &Trigger, text: &str) -> Result<Done, Failure> {
        let name = trigger.name.last().to_lowercase();
        let key = format!("trigger:{name}");
        let existing = self.modules.by_key(&key).map(|stored| stored.number);
        if existing.is_some() && trigger.if_not_exists {
            return Ok(Done::default());
        }
        if existing.is_some() && !trigger.replaces {
            let message = format!("Trigger ({name}) already exists.");
            return Err(Failure { number: EXISTS, subject: name, message, ..Failure::default() });
        }
        let names = self.names();
        if names.columns(&trigger.table).is_none() {
            return Err(no_table(trigger.table.last()));
        }
        if !names.is_changeable(&trigger.table) {
            return Err(plain(-999, "Not implemented yet: a trigger of a view or a table of the system"));
        }
        let compiled = compile_trigger(trigger, text, &names).map_err(|error| of_syntax(&error, text))?;
        let known = names.columns(&trigger.table).unwrap_or_default();
        if let Some(column) = trigger.columns.iter().find(|column| !known.iter().any(|(known, _)| column.is(known))) {
            let message = format!("Column ({}) not found in any table in the query.", column.text);
            return Err(Failure { number: -217, subject: column.text.clone(), message, ..Failure::default() });
        }
        let table = names.core_name(&trigger.table);
        for section in [compiled.before, compiled.each_row, compiled.after] {
            ready_section(section)?;
        }
        let number = existing.unwrap_or_else(|| self.modules.next_number());
        let (owner, is_enabled) = (self.facts.user.clone(), !trigger.is_disabled);
        modules::keep(
            &mut self.core,
            &Row { key: &key, name: &name, owner: &owner, table: &table, is_enabled, number, text },
        )?;
        self.modules_changed()?;
        Ok(Done::default())
    }

    /// Lets synonyms and triggers follow a table that has another name, or go with it.
    pub(crate) fn table_changed(&mut self, table: &str, new: Option<&str>) -> Result<(), Failure> {
        let table = table.to_lowercase();
        synonyms::follow(&mut self.core, &table, new)?;
        match modules::follow(&mut self.core, &self.modules, &table, new)? {
            true => self.modules_changed(),
            false => Ok(()),
        }
    }

    /// Notes what a change has done, for DBINFO and the client.
    pub(crate) fn changed(&mut self, statement: &Prepared, rows: u64, values: &[Value], defaults: &[usize]) -> Done {
        let generated = match &statement.tree {
            Tree::Insert(insert) => self.generated(insert, values, defaults),
            _ => None,
        };
        self.facts.last_rows = rows;
        self.facts.last_serial = generated.unwrap_or(self.facts.last_serial);
        Done { rows, generated, has_no_effect: false }
    }

    /// DROP TRIGGER.
    ///
    /// Errors: -745 for one that is not there.
    pub(crate) fn drop_trigger(&mut self, name: &ObjectName, if_exists: bool) -> Result<Done, Failure> {
        let name = name.last().to_lowercase();
        let key = format!("trigger:{name}");
        match self.modules.by_key(&key) {
            Some(_) => {
                modules::forget(&mut self.core, &key)?;
                self.modules_changed()?;
                Ok(Done::default())
            }
            None if if_exists => Ok(Done::default()),
            None => Err(missing(&name)),
        }
    }

    /// SET TRIGGERS.
    ///
    /// Errors: -745 for a trigger that is not there, -206 for a table.
    pub(crate) fn set_triggers(
        &mut self,
        names: &[ObjectName],
        table: Option<&ObjectName>,
        is_enabled: bool,
    ) -> Result<Done, Failure> {
        let mut keys = Vec::new();
        if let Some(table) = table {
            if !self.names().is_there(table) {
                return Err(no_table(table.last()));
            }
            let table = self.names().core_name(table);
            let of_table = self.modules.all.iter().filter(|stored| stored.table == table);
            keys.extend(of_table.map(|stored| stored.key.clone()));
        }
        for name in names {
            let key = format!("trigger:{}", name.last().to_lowercase());
            keys.push(self.modules.by_key(&key).map(|_| key).ok_or_else(|| missing(name.last()))?);
        }
        for key in keys {
            modules::enable(&mut self.core, &key, is_enabled)?;
        }
        self.modules_changed()?;
        Ok(Done::default())
    }

    /// The triggers that a change fires; nothing for most.
    ///
    /// Errors: -999 for a MERGE into a table with triggers; those of compiling.
    pub(crate) fn fired(&mut self, tree: &Tree) -> Result<Vec<Arc<ReadyTrigger>>, Failure> {
        if !self.modules.all.iter().any(|stored| stored.is_enabled && stored.trigger().is_some()) {
            return Ok(Vec::new());
        }
        let Some((table, event)) = target(tree) else { return Ok(Vec::new()) };
        let table = self.names().core_name(table);
        if event == "MERGE" {
            let has_some = self.modules.all.iter().any(|stored| stored.table == table && stored.is_enabled);
            return match has_some {
                true => Err(plain(-999, "Not implemented yet: MERGE into a table with triggers")),
                false => Ok(Vec::new()),
            };
        }
        let is_meant = |stored: &&Arc<Stored>| match (tree, stored.trigger()) {
            (Tree::Update(update), Some(trigger)) => {
                let sets = |column: &Name| update.items.iter().any(|(name, _)| name.is(&column.text));
                trigger.columns.is_empty() || trigger.columns.iter().any(sets)
            }
            _ => true,
        };
        let stored: Vec<Arc<Stored>> = self.modules.triggers(&table, event).filter(is_meant).cloned().collect();
        stored.iter().map(|stored| self.ready_trigger(stored)).collect()
    }

    fn ready_trigger(&mut self, stored: &Stored) -> Result<Arc<ReadyTrigger>, Failure> {
        if let Some(ready) = self.triggers.get(&stored.key) {
            return Ok(Arc::clone(ready));
        }
        let mut trigger = stored.trigger().cloned().ok_or_else(|| missing(&stored.name))?;
        // The table may have another name by now.
        let text = stored.table.clone();
        trigger.table = ObjectName { parts: vec![Name { text, ..Name::default() }], span: trigger.table.span };
        let compiled = compile_trigger(&trigger, &stored.text, &self.names());
        let compiled = compiled.map_err(|error| Failure { position: 0, ..of_syntax(&error, &stored.text) })?;
        let ready = Arc::new(ReadyTrigger {
            before: ready_section(compiled.before)?,
            each_row: ready_section(compiled.each_row)?,
            after: ready_section(compiled.after)?,
        });
        self.triggers.insert(stored.key.clone(), Arc::clone(&ready));
        Ok(ready)
    }

    /// Runs a change with its triggers: how many rows it changed.
    ///
    /// Errors: those of the change and of the triggers; nothing is done then.
    pub(crate) fn change_with_triggers(
        &mut self,
        statement: &Prepared,
        values: &[Value],
        defaults: &[usize],
        fired: &[Arc<ReadyTrigger>],
    ) -> Result<u64, Failure> {
        self.as_a_whole(|session| {
            for section in fired.iter().filter_map(|trigger| trigger.before.as_ref()) {
                session.run_section(section, &[])?;
            }
            let mut images = session.images(statement, values, defaults)?;
            for row in 0..images.rows.len() {
                session.each_row(fired, statement, &mut images, row)?;
            }
            for section in fired.iter().filter_map(|trigger| trigger.after.as_ref()) {
                session.run_section(section, &[])?;
            }
            Ok(images.rows.len() as u64)
        })
    }

    /// Does something in a transaction of its own, or within the one that is open: all of it or nothing.
    fn as_a_whole<T>(&mut self, work: impl FnOnce(&mut InformixSession) -> Result<T, Failure>) -> Result<T, Failure> {
        let failed = |error: mainstay_types::Error| of_core(&error, false);
        if !self.core.is_in_transaction() {
            self.core.begin().map_err(failed)?;
            let done = work(self);
            // A statement that was stopped is rolled back without its limits.
            if done.is_err() {
                self.stopping.end();
            }
            let ended = if done.is_ok() { self.core.commit() } else { self.core.rollback() };
            return done.and_then(|done| ended.map(|()| done).map_err(failed));
        }
        let savepoint = quoted(&format!("#triggers{}", self.depth));
        self.core.execute(&format!("SAVEPOINT {savepoint}")).map_err(failed)?;
        let done = work(self);
        if done.is_err() {
            self.stopping.end();
            // The first error is the one to report.
            let _ = self.core.execute(&format!("ROLLBACK TO SAVEPOINT {savepoint}"));
        }
        let released = self.core.execute(&format!("RELEASE SAVEPOINT {savepoint}"));
        done.and_then(|done| released.map(|_| done).map_err(failed))
    }

    /// Makes the change, and gives its rows.
    fn images(&mut self, statement: &Prepared, values: &[Value], defaults: &[usize]) -> Result<Images, Failure> {
        let Some((table, event)) = target(&statement.tree) else { return Err(plain(-999, "Not implemented yet")) };
        let names = self.names();
        let columns: Vec<String> = names.columns(table).unwrap_or_default().into_iter().map(|(name, _)| name).collect();
        let text = reduce::change_with_images(&statement.tree, &columns, statement.mode(defaults), &names);
        let text = text.map_err(|error| of_syntax(&error, &statement.text))?;
        let is_delete = event == "DELETE";
        let mut prepared = self.core.prepare(&text).map_err(|error| of_core(&error, is_delete))?;
        let given: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let answer = prepared.query_arrow(&mut self.core, &given).map_err(|error| of_core(&error, is_delete))?;
        let nothing = vec![Value::Null; columns.len()];
        let rows = all_values(CoreRows::stored(answer))?.into_iter().map(|mut row| match event {
            "UPDATE" => {
                let new = row.split_off(columns.len().min(row.len()));
                (row, new)
            }
            "DELETE" => (row, nothing.clone()),
            _ => (nothing.clone(), row),
        });
        Ok(Images { rows: rows.collect(), columns })
    }

    fn each_row(
        &mut self,
        fired: &[Arc<ReadyTrigger>],
        statement: &Prepared,
        images: &mut Images,
        row: usize,
    ) -> Result<(), Failure> {
        for section in fired.iter().filter_map(|trigger| trigger.each_row.as_ref()) {
            let Some((old, new)) = images.rows.get(row) else { return Ok(()) };
            let value = |parameter: &ColumnParameter| {
                let side = if parameter.is_new { new } else { old };
                let place = images.columns.iter().position(|column| *column == parameter.column);
                place.and_then(|place| side.get(place)).cloned().unwrap_or(Value::Null)
            };
            let given: Vec<Value> = section.columns.iter().map(value).collect();
            let after = self.run_section(section, &given)?;
            let changed =
                section.columns.iter().zip(given.iter().zip(&after)).filter(|(parameter, _)| parameter.is_assigned);
            let changed: Vec<(String, Value)> = changed
                .filter(|(_, (before, after))| before != after)
                .map(|(parameter, (_, after))| (parameter.column.clone(), after.clone()))
                .collect();
            if !changed.is_empty() {
                self.change_new_row(statement, images, row, &changed)?;
            }
        }
        Ok(())
    }

    /// Gives columns of a new row the values of INTO. The row is found by all its values.
    fn change_new_row(
        &mut self,
        statement: &Prepared,
        images: &mut Images,
        row: usize,
        changed: &[(String, Value)],
    ) -> Result<(), Failure> {
        let Some((table, _)) = target(&statement.tree) else { return Ok(()) };
        let table = self.names().core_name(table);
        let Some((_, new)) = images.rows.get_mut(row) else { return Ok(()) };
        let keys = self.core.table_definition(&table).and_then(|definition| {
            let key = definition.primary_key.clone()?;
            let name = |id: u64| {
                definition.columns.iter().find(|column| column.id == id).map(|column| column.name.to_lowercase())
            };
            key.columns.iter().map(|column| name(column.column)).collect::<Option<Vec<String>>>()
        });
        let (mut sets, mut conditions, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (column, value) in changed {
            values.push(value.clone());
            sets.push(format!("{} = ${}", quoted(column), values.len()));
        }
        for (column, value) in images.columns.iter().zip(new.iter()) {
            if keys.as_ref().is_some_and(|keys| !keys.contains(column)) {
                continue;
            }
            match value {
                Value::Null => conditions.push(format!("{} IS NULL", quoted(column))),
                value => {
                    values.push(value.clone());
                    conditions.push(format!("{} = ${}", quoted(column), values.len()));
                }
            }
        }
        let text = format!("UPDATE {} SET {} WHERE {}", quoted(&table), sets.join(", "), conditions.join(" AND "));
        for (column, value) in changed {
            let place = images.columns.iter().position(|known| known == column);
            if let Some(cell) = place.and_then(|place| new.get_mut(place)) {
                *cell = value.clone();
            }
        }
        let mut update = self.core.prepare(&text).map_err(|error| of_core(&error, false))?;
        let given: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        update.execute(&mut self.core, &given).map(drop).map_err(|error| of_core(&error, false))
    }

    /// Runs a section with the values of its columns, and gives what they are afterwards.
    fn run_section(&mut self, section: &ReadySection, given: &[Value]) -> Result<Vec<Value>, Failure> {
        self.with_machine(|runner, machine| {
            let arguments: Vec<RunArgument<'_>> =
                given.iter().map(|value| RunArgument::Value(value.as_ref())).collect();
            machine.run(runner, &section.program, &arguments).map_err(|raised| failure_of(&raised))?;
            Ok((0..section.columns.len()).map(|place| machine.parameter(place).to_value()).collect())
        })
    }
}
