//! Changes with triggers: the statement returns the rows before and after the change, and each row's triggers see them
//! as `__old` and `__new`.
//!
//! ```text
//!   BEFORE        the change is tried and taken back; triggers; the change
//!   INSTEAD OF    the change is tried and taken back; triggers
//!   AFTER         the change; triggers
//! ```
//! A statement and its triggers are one transaction, or within one everything since its savepoint: it takes effect with
//! the changes of its triggers, or not at all. Values that a trigger writes to `__new` and `__old` are visible to it
//! alone, as the help says; a row in `__error` makes the change fail. ON CONFLICT triggers never fire, because there is
//! no replication.

use crate::failure::Failed;
use crate::functions::DEEPEST;
use crate::modules::{Stored, table_key};
use crate::procedures::{Tables, row_text};
use crate::runner::{Runner, failed, linked};
use crate::scope::Values;
use crate::session::{Inner, Result};
use crate::statement::Ran;
use crate::watched::Watch;
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::compile::compile;
use mainstay_ads_syntax::reduce::{self, changed_table, quoted};
use mainstay_ads_syntax::tree::{Name, ObjectName, StatementKind};
use mainstay_ads_types::native;
use mainstay_area_session::{Firing, Outcome};
use mainstay_data_dictionary::constants::*;
use mainstay_data_dictionary::firing::Image;
use mainstay_types::{SqlType, Value};
use mainstay_vm::{Limits, Machine};
use std::sync::Arc;

/// The number of an error that a trigger reports without one (AE_TRIGGER_FAILED).
const TRIGGER_FAILED: i32 = 5177;

/// The triggers of a statement.
#[derive(Default)]
pub(crate) struct Fired {
    before: Vec<Arc<Stored>>,
    instead: Vec<Arc<Stored>>,
    after: Vec<Arc<Stored>>,
}

/// The rows of a change: columns, and each row as it was and as it becomes.
pub(crate) struct Images {
    pub(crate) columns: Vec<(String, SqlType)>,
    pub(crate) rows: Vec<(Vec<Value>, Vec<Value>)>,
}

/// The table and the event of a change.
pub(crate) fn target(kind: &StatementKind) -> Option<(&ObjectName, &'static str)> {
    match kind {
        StatementKind::Insert(insert) => Some((&insert.target, "INSERT")),
        StatementKind::Update(update) => Some((changed_table(&update.target, &update.from), "UPDATE")),
        StatementKind::Delete(delete) => Some((changed_table(&delete.target, &delete.from), "DELETE")),
        _ => None,
    }
}

impl Inner {
    /// The triggers that a statement fires; `None` if there are none.
    pub(crate) fn fired(&self, kind: &StatementKind) -> Option<Fired> {
        let (table, event) = target(kind)?;
        let key = self.trigger_key(table);
        // The actions of an INSTEAD OF trigger are the change itself: they fire no trigger.
        if self.is_replacing(&key, event) {
            return None;
        }
        let of = |time: &str| self.modules.triggers(|table| self.file_key(table) == key, event, time);
        let fired = Fired { before: of("BEFORE"), instead: of("INSTEAD OF"), after: of("AFTER") };
        let is_none = fired.before.is_empty() && fired.instead.is_empty() && fired.after.is_empty();
        (!is_none).then_some(fired)
    }

    /// Returns true if the change is made by an INSTEAD OF trigger in place of the original.
    fn is_replacing(&self, key: &str, event: &str) -> bool {
        self.state.replacing.iter().any(|(table, replaced)| table == key && replaced == event)
    }

    /// The triggers' name of a table: by whatever path a statement names it, that of the dictionary's table of that
    /// file.
    fn trigger_key(&self, table: &ObjectName) -> String {
        let known = self.modules.dictionary.as_ref().and_then(|dictionary| {
            let contents = dictionary.live.contents().ok()?;
            crate::dictionary::object_of(dictionary, &contents, &self.folder, table)
        });
        let Some((_, text)) = known else {
            return self.file_key(table);
        };
        table_key(&ObjectName { parts: vec![Name { text, ..Name::default() }], ..ObjectName::default() })
    }

    /// The same of a table that the dictionary does not know, and of what a trigger calls its own: one of another folder has
    /// the name of one of this folder's at most.
    fn file_key(&self, table: &ObjectName) -> String {
        let elsewhere = crate::place::elsewhere(&self.folder, table.last());
        elsewhere.map_or_else(|| table_key(table), |file| file.display().to_string())
    }

    /// Runs a change with its triggers, under the rules of its table.
    pub(crate) fn change_with(&mut self, kind: &StatementKind, watch: &mut Watch, values: &Values) -> Ran {
        if self.state.frames.len() >= DEEPEST {
            return Err(SqlError::new(native::SCRIPT, "Triggers are nested too deeply"));
        }
        self.as_a_whole(|inner| inner.changed_with(kind, watch, values))
    }

    /// Does something in a transaction of its own, or within the one that is under way: all of it or nothing.
    pub(crate) fn as_a_whole<T>(&mut self, work: impl FnOnce(&mut Inner) -> Result<T>) -> Result<T> {
        if self.state.in_transaction {
            return self.atomically(work);
        }
        self.core("BEGIN")?;
        self.state.in_transaction = true;
        let done = work(self);
        self.state.in_transaction = false;
        let ended = self.core(if done.is_ok() { "COMMIT" } else { "ROLLBACK" });
        done.and_then(|outcome| ended.map(|_| outcome))
    }

    /// Does something within the transaction that is under way; when it fails, what it has done is undone, and no more.
    fn atomically<T>(&mut self, work: impl FnOnce(&mut Inner) -> Result<T>) -> Result<T> {
        self.core("SAVEPOINT \"#change\"")?;
        let done = work(self);
        if done.is_err() {
            // The first error is the one to report.
            let _ = self.core("ROLLBACK TO SAVEPOINT \"#change\"");
        }
        let released = self.core("RELEASE SAVEPOINT \"#change\"");
        done.and_then(|done| released.map(|_| done))
    }

    fn changed_with(&mut self, kind: &StatementKind, watch: &mut Watch, values: &Values) -> Ran {
        let Watch { fired, rules } = watch;
        let mut affected = 0;
        if !fired.before.is_empty() || !fired.instead.is_empty() {
            self.core("SAVEPOINT \"#trigger\"")?;
            let tried = self.images(kind, values);
            self.core("ROLLBACK TO SAVEPOINT \"#trigger\"")?;
            let tried = tried?;
            match target(kind).filter(|_| !fired.instead.is_empty()) {
                Some((table, event)) => {
                    let key = self.trigger_key(table);
                    self.fire_instead(&fired.instead, &tried, (key, event))?;
                }
                None => self.fire(&fired.before, &tried)?,
            }
            affected = tried.rows.len();
        }
        if fired.instead.is_empty() {
            let images = self.images(kind, values)?;
            if let StatementKind::Insert(insert) = kind {
                self.counted(&insert.target);
            }
            if let Some(rules) = rules {
                self.hold(rules, kind, &images)?;
            }
            self.fire(&fired.after, &images)?;
            affected = images.rows.len();
        }
        let affected = affected as u64;
        self.state.update_count = affected;
        Ok(Outcome { affected, ..Outcome::default() })
    }

    /// Fires the triggers of a change that is made through a table's handle, in the transaction that is under way.
    ///
    /// Errors: those of the triggers; what they have done is undone then.
    pub(crate) fn fire_outside(&mut self, firing: &Firing) -> Result<()> {
        let text = |text: &str| ObjectName {
            parts: vec![Name { text: text.to_owned(), quoted: true, ..Name::default() }],
            ..ObjectName::default()
        };
        let table = text(&firing.table);
        let event = match firing.event {
            ADS_TRIGEVENT_INSERT => "INSERT",
            ADS_TRIGEVENT_UPDATE => "UPDATE",
            _ => "DELETE",
        };
        let time = match firing.time {
            ADS_TRIGTYPE_BEFORE => "BEFORE",
            ADS_TRIGTYPE_INSTEADOF => "INSTEAD OF",
            _ => "AFTER",
        };
        let key = table_key(&table);
        let triggers = self.modules.triggers(|known| table_key(known) == key, event, time);
        if triggers.is_empty() {
            return Ok(());
        }
        let values = Values::new();
        let Some(columns) = self.names(&values).typed_columns(&table) else {
            return Err(SqlError::new(native::TABLE, format!("Table or alias not found: {}", firing.table)));
        };
        let row = |image: &Option<Image>| -> Vec<Value> {
            let value = |(column, _): &(String, SqlType)| {
                let known = image.iter().flatten().find(|(name, _)| name.eq_ignore_ascii_case(column));
                known.map_or(Value::Null, |(_, value)| value.clone())
            };
            columns.iter().map(value).collect()
        };
        let rows = vec![(row(&firing.old), row(&firing.new))];
        let images = Images { columns, rows };
        self.atomically(|inner| match time {
            "INSTEAD OF" => inner.fire_instead(&triggers, &images, (key, event)),
            _ => inner.fire(&triggers, &images),
        })
    }

    /// Makes a change, and gives its rows.
    fn images(&mut self, kind: &StatementKind, values: &Values) -> Result<Images> {
        let Some((table, _)) = target(kind) else { return Err(SqlError::unsupported("this trigger")) };
        let table = table.clone();
        let Some(columns) = self.names(values).typed_columns(&table) else {
            return Err(SqlError::at(native::TABLE, table.span, format!("Table or alias not found: {}", table.last())));
        };
        let all: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        let (text, sides) = match kind {
            StatementKind::Insert(insert) => {
                let text = self.reduced(values, |scope| reduce::insert(insert, scope))?;
                let columns: Vec<String> = all.iter().map(|column| quoted(column)).collect();
                (format!("{text} RETURNING {}", columns.join(", ")), (false, true))
            }
            StatementKind::Update(update) => {
                (self.reduced(values, |scope| reduce::update(update, Some(&all), scope))?, (true, true))
            }
            StatementKind::Delete(delete) => {
                (self.reduced(values, |scope| reduce::delete(delete, Some(&all), scope))?, (true, false))
            }
            _ => return Err(SqlError::unsupported("this trigger")),
        };
        let outcome = self.core(&text)?;
        let nothing = || vec![Value::Null; columns.len()];
        let rows = outcome.rows.into_iter().map(|mut row| match sides {
            (true, true) => {
                let new = row.split_off(columns.len().min(row.len()));
                (row, new)
            }
            (true, false) => (row, nothing()),
            _ => (nothing(), row),
        });
        Ok(Images { rows: rows.collect(), columns })
    }

    /// Runs INSTEAD OF triggers for each row.
    fn fire_instead(
        &mut self,
        triggers: &[Arc<Stored>],
        images: &Images,
        (table, event): (String, &str),
    ) -> Result<()> {
        self.state.replacing.push((table, event.to_owned()));
        let fired = self.fire(triggers, images);
        self.state.replacing.pop();
        fired
    }

    /// Runs triggers for each row.
    fn fire(&mut self, triggers: &[Arc<Stored>], images: &Images) -> Result<()> {
        for (old, new) in &images.rows {
            for trigger in triggers {
                self.trigger(trigger, images, old, new)?;
            }
        }
        Ok(())
    }

    fn trigger(&mut self, stored: &Stored, images: &Images, old: &[Value], new: &[Value]) -> Result<(), Failed> {
        let Some(module) = stored.module() else { return Ok(()) };
        let program = linked(compile(&stored.name, &stored.text, &module.body, &[], None)?)?;
        let mut tables = Tables::new();
        tables.insert("__old".to_owned(), row_text(&images.columns, old));
        let mut written = None;
        let body = stored.body().to_lowercase();
        let changes = ["update __new", "delete from __new", "insert into __new"];
        if changes.iter().any(|change| body.contains(change)) {
            let text = format!("#__new{}", self.state.frames.len());
            let name = ObjectName { parts: vec![Name { text, ..Name::default() }], ..ObjectName::default() };
            let columns =
                images.columns.iter().map(|(name, sql_type)| mainstay_area_session::Column::new(name, *sql_type));
            let rows = Outcome { columns: columns.collect(), rows: vec![new.to_vec()], ..Outcome::default() };
            self.table_of(&name, &rows, &[])?;
            tables.insert("__new".to_owned(), quoted(&self.core_name(&name)?));
            written = Some(name);
        } else {
            tables.insert("__new".to_owned(), row_text(&images.columns, new));
        }
        let error = match body.contains("__error") {
            true => Some(self.error_table()?),
            false => None,
        };
        if let Some(name) = &error {
            tables.insert("__error".to_owned(), quoted(&self.core_name(name)?));
        }
        self.state.entering = tables;
        let mut machine = Machine::new(Limits { deadline: self.state.deadline, ..Limits::default() });
        let mut runner = Runner { inner: self, outcome: Outcome::default() };
        let ran = machine.run(&mut runner, &program, &[]).map_err(|raised| outside(failed(&raised)));
        if let Some(name) = written {
            self.forget(&name);
        }
        let told = error.map_or(Ok(()), |name| {
            let told = self.told(&name);
            self.forget(&name);
            told
        });
        ran.and(told)
    }

    /// The table `__error` of a trigger that is about to run.
    fn error_table(&mut self) -> Result<ObjectName> {
        let text = format!("#__error{}", self.state.frames.len());
        let name = ObjectName { parts: vec![Name { text, ..Name::default() }], ..ObjectName::default() };
        let message = SqlType::VarChar { length: None, collation: mainstay_types::Collation::Binary };
        let column = |name: &str, sql_type| mainstay_area_session::Column::new(name, sql_type);
        let columns = vec![column("errno", SqlType::Integer), column("message", message)];
        self.table_of(&name, &Outcome { columns, ..Outcome::default() }, &[])?;
        Ok(name)
    }

    /// The error that a trigger has put into `__error`.
    fn told(&mut self, name: &ObjectName) -> Result<()> {
        let core = self.core_name(name)?;
        let rows = self.core(&format!("SELECT errno, message FROM {}", quoted(&core)))?;
        let Some([number, message]) = rows.rows.first().map(Vec::as_slice) else { return Ok(()) };
        let number = match number {
            Value::Integer(number) if *number != 0 => i32::try_from(*number).unwrap_or(TRIGGER_FAILED),
            _ => TRIGGER_FAILED,
        };
        let text = match message {
            Value::Text(text) => text.trim_end().to_owned(),
            _ => "A trigger has refused the change".to_owned(),
        };
        Err(SqlError::new(number, text))
    }
}

/// An error of a module: its places are in the module's text, and not in the statement's.
pub(crate) fn outside(mut error: Failed) -> Failed {
    error.span = None;
    error
}
