//! One statement: reduced to the core's SQL and run.

use crate::answer::{self, Rows};
use crate::define::is_temporary;
use crate::failure::{Failed, aborted, of_core};
use crate::scope::{Names, Values};
use crate::session::Inner;
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::print;
use mainstay_ads_syntax::reduce::{self, Reduced, Scope};
use mainstay_ads_syntax::tree::{Merge, ObjectName, Query, Span, Statement, StatementKind};
use mainstay_area_session::{Outcome, TransactionStep as Step};
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// The result of a statement.
pub(crate) type Ran = Result<Outcome, Failed>;

impl Inner {
    /// Reduces something with the names that it may use.
    pub(crate) fn reduced<T>(
        &mut self,
        values: &Values,
        work: impl FnOnce(&dyn Scope) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let names = self.names(values);
        work(&names)
    }

    /// The names that a statement with these variables may use.
    pub(crate) fn names<'n>(&'n mut self, values: &'n Values) -> Names<'n> {
        Names {
            core: RefCell::new(&mut self.core),
            state: &self.state,
            values,
            database: &self._database,
            temporary: &self.temporary,
            modules: &self.modules,
            functions: &self.functions,
            folder: &self.folder,
            depth: Cell::new(0),
        }
    }

    /// Runs a statement of the core, for as long as is left of the time that the whole may take.
    ///
    /// Errors: those of the statement; 7209 behind that time.
    pub(crate) fn core(&mut self, text: &str) -> Ran {
        self.core.set_timeout(time_left(self.state.deadline)?);
        let answer = self.core.execute(text).map_err(|error| of_core(&error))?;
        answer::outcome(answer)
    }

    /// Runs one that changes rows.
    pub(crate) fn change(&mut self, text: &str) -> Ran {
        let affected = self.core(text)?.affected;
        self.state.update_count = affected;
        Ok(Outcome { affected, ..Outcome::default() })
    }

    /// Refuses a change of a table of the dictionary that the user may not make.
    fn permitted(&self, kind: &StatementKind) -> Result<(), Failed> {
        use mainstay_data_dictionary::constants::*;
        use reduce::changed_table as changed;
        let Some(dictionary) = &self.modules.dictionary else { return Ok(()) };
        let (table, rights) = match kind {
            StatementKind::Insert(insert) => (&insert.target, ADS_PERMISSION_INSERT),
            StatementKind::Update(update) => (changed(&update.target, &update.from), ADS_PERMISSION_UPDATE),
            StatementKind::Delete(delete) => (changed(&delete.target, &delete.from), ADS_PERMISSION_DELETE),
            StatementKind::Merge(merge) => (&merge.target.name, ADS_PERMISSION_INSERT | ADS_PERMISSION_UPDATE),
            StatementKind::AlterTable(name, _) => (name, ADS_PERMISSION_ALTER),
            StatementKind::DropTable(name, _) => (name, ADS_PERMISSION_DROP),
            StatementKind::CreateIndex(index) => (&index.table, ADS_PERMISSION_ALTER),
            StatementKind::DropIndex(name) => match &name.parts[..] {
                [table, _] => {
                    let table = ObjectName { parts: vec![table.clone()], span: name.span };
                    return self.may(dictionary, &table, ADS_PERMISSION_ALTER);
                }
                _ => return Ok(()),
            },
            StatementKind::CreateTable(table) if !table.is_free && !is_temporary(&table.name) => {
                return crate::dictionary::require_to_create(dictionary, ADS_DD_TABLE_OBJECT);
            }
            _ => return Ok(()),
        };
        self.may(dictionary, table, rights)
    }

    fn may(
        &self,
        dictionary: &mainstay_data_dictionary::Session,
        table: &ObjectName,
        rights: u32,
    ) -> Result<(), Failed> {
        match self.temporary.find(table.last()) {
            Some(_) => Ok(()),
            None => crate::dictionary::require(dictionary, &self.folder, table, rights),
        }
    }

    /// Checks the user's right to an operation of a system procedure on a whole table.
    pub(crate) fn permitted_whole(&self, table: &ObjectName, rights: u32) -> Result<(), Failed> {
        self.core.check_may_define().map_err(|error| of_core(&error))?;
        self.modules.dictionary.as_ref().map_or(Ok(()), |dictionary| self.may(dictionary, table, rights))
    }

    /// Keeps the number that the last new row of a table was given by it.
    pub(crate) fn counted(&mut self, table: &ObjectName) {
        // A table that counts nothing has given none.
        if let Ok(name) = self.core_name(table)
            && let Ok(Some(number)) = self.core.last_identity(&name)
        {
            self.state.last_autoinc = Some(number);
        }
    }

    /// Runs a statement that is no part of the flow of a script.
    pub(crate) fn statement(&mut self, kind: &StatementKind, values: &Values) -> Ran {
        self.permitted(kind)?;
        if self.core.is_read_only() && !matches!(kind, StatementKind::Query(_)) && step_of(kind).is_none() {
            self.core.check_may_define().map_err(|error| of_core(&error))?;
        }
        if matches!(kind, StatementKind::Insert(_) | StatementKind::Update(_) | StatementKind::Delete(_)) {
            return self.changed(kind, values);
        }
        if let Some(step) = step_of(kind) {
            self.step(&step)?;
            return Ok(Outcome::default());
        }
        match kind {
            StatementKind::Query(query) => self.query(query, values),
            StatementKind::Merge(merge) if self.is_watched(&merge.target.name)? => self.merge_watched(merge, values),
            StatementKind::Merge(merge) => self.merge(merge, values),
            StatementKind::CreateTable(_)
            | StatementKind::DropTable(..)
            | StatementKind::AlterTable(..)
            | StatementKind::CreateIndex(_)
            | StatementKind::DropIndex(_) => self.define(kind, values),
            StatementKind::CreateView(..) | StatementKind::CreateModule(_) => {
                let statement = Statement { kind: kind.clone(), span: Span::default() };
                self.modules.create(kind, &print(&[statement]))?;
                Ok(Outcome::default())
            }
            StatementKind::Drop(word, name) => {
                self.modules.drop(word, name)?;
                Ok(Outcome::default())
            }
            StatementKind::CreatePackage(_) => Ok(Outcome::default()),
            StatementKind::Other(words) => Err(SqlError::unsupported(words)),
            _ => Err(SqlError::unsupported("this statement")),
        }
    }

    /// A step of the session's transaction.
    pub(crate) fn step(&mut self, step: &Step) -> Result<(), Failed> {
        if matches!(step, Step::Commit | Step::RollBack) && !self.core.is_in_transaction() {
            self.state.in_transaction = false;
            return Ok(());
        }
        let text = match step {
            Step::Begin => "BEGIN".to_owned(),
            Step::Commit => "COMMIT".to_owned(),
            Step::RollBack => "ROLLBACK".to_owned(),
            Step::Savepoint(name) => format!("SAVEPOINT {}", reduce::quoted(name)),
            Step::RollBackTo(name) => format!("ROLLBACK TO SAVEPOINT {}", reduce::quoted(name)),
        };
        self.core(&text)?;
        match step {
            Step::Begin => self.state.in_transaction = true,
            Step::Commit | Step::RollBack => self.state.in_transaction = false,
            _ => {}
        }
        Ok(())
    }

    /// The rows of a query as they come; nothing for one whose rows are needed all at once.
    pub(crate) fn rows_of(&mut self, query: &Query) -> Result<Option<Rows>, Failed> {
        let Reduced { text, percent, into } = self.reduced(&Values::new(), |scope| reduce::query(query, scope))?;
        if percent.is_some() || into.is_some() {
            return Ok(None);
        }
        self.core.set_timeout(time_left(self.state.deadline)?);
        self.core.execute(&text).map(|answer| Some(Rows::new(answer))).map_err(|error| of_core(&error))
    }

    fn query(&mut self, query: &Query, values: &Values) -> Ran {
        let Reduced { text, percent, into } = self.reduced(values, |scope| reduce::query(query, scope))?;
        self.core.set_timeout(time_left(self.state.deadline)?);
        let answer = self.core.execute(&text).map_err(|error| of_core(&error))?;
        let fields = answer::fields_of(&answer);
        let mut outcome = answer::outcome(answer)?;
        if let Some(percent) = percent {
            let wanted = (outcome.rows.len() as u64).saturating_mul(percent).div_ceil(100);
            outcome.rows.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
        }
        if let Some(name) = into {
            self.core.check_may_define().map_err(|error| of_core(&error))?;
            self.new_table_of(&name, &outcome, &fields)?;
            let affected = outcome.rows.len() as u64;
            self.state.update_count = affected;
            return Ok(Outcome { affected, ..Outcome::default() });
        }
        Ok(outcome)
    }

    /// Runs an INSERT, UPDATE or DELETE, with its triggers and under the rules of its table.
    pub(crate) fn changed(&mut self, kind: &StatementKind, values: &Values) -> Ran {
        let (kind, values) = self.with_defaults(kind, values)?;
        let (kind, values) = (kind.as_ref(), values.as_ref());
        if let Some(mut watch) = self.watch(kind)? {
            return self.change_with(kind, &mut watch, values);
        }
        let text = self.reduced(values, |scope| match kind {
            StatementKind::Insert(insert) => reduce::insert(insert, scope),
            StatementKind::Update(update) => reduce::update(update, None, scope),
            StatementKind::Delete(delete) => reduce::delete(delete, None, scope),
            _ => Err(SqlError::unsupported("this statement")),
        })?;
        let outcome = self.change(&text)?;
        if let StatementKind::Insert(insert) = kind {
            self.counted(&insert.target);
        }
        Ok(outcome)
    }

    /// The rows that are new are found before any is changed.
    fn merge(&mut self, merge: &Merge, values: &Values) -> Ran {
        let Some(using) = &merge.using else {
            let (update, insert, found) = self.reduced(values, |scope| reduce::upsert(merge, scope))?;
            let chosen = if self.core(&found)?.rows.is_empty() { insert } else { update };
            return match chosen {
                Some(text) => self.change(&text),
                None => Ok(Outcome::default()),
            };
        };
        let plan = self.reduced(values, |scope| reduce::merge(merge, using, scope))?;
        let added = match &plan.rows {
            Some(rows) => self.core(rows)?,
            None => Outcome::default(),
        };
        let mut affected = 0;
        if let Some(update) = &plan.update {
            affected += self.change(update)?.affected;
        }
        if !added.rows.is_empty() {
            let target = reduce::quoted(&self.core_name(&merge.target.name)?);
            let literals = |row: &Vec<mainstay_types::Value>| {
                let values = row.iter().zip(&added.columns);
                let values: Vec<String> =
                    values.map(|(value, column)| reduce::literal(value, column.sql_type)).collect();
                format!("({})", values.join(", "))
            };
            let rows: Vec<String> = added.rows.iter().map(literals).collect();
            let text = format!("INSERT INTO {target}{} VALUES {}", plan.columns, rows.join(", "));
            affected += self.change(&text)?.affected;
        }
        self.state.update_count = affected;
        Ok(Outcome { affected, ..Outcome::default() })
    }
}

/// The time left for a statement of the core; `None` without a deadline.
///
/// Errors: 7209 when the end has come.
pub(crate) fn time_left(deadline: Option<Instant>) -> Result<Option<Duration>, Failed> {
    let Some(deadline) = deadline else { return Ok(None) };
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(aborted()),
        left => Ok(Some(left)),
    }
}

/// The step of the transaction that a statement is.
pub(crate) fn step_of(kind: &StatementKind) -> Option<Step> {
    Some(match kind {
        StatementKind::Begin => Step::Begin,
        StatementKind::Commit => Step::Commit,
        StatementKind::Rollback(None) => Step::RollBack,
        StatementKind::Rollback(Some(name)) => Step::RollBackTo(name.text.clone()),
        StatementKind::Savepoint(name) => Step::Savepoint(name.text.clone()),
        _ => return None,
    })
}
