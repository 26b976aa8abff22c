//! Unique keys for which an INSERT skips existing rows: WITH (IGNORE_DUP_KEY = ON).
//!
//! The core has no such property of a key, but an INSERT that skips rows: `ON CONFLICT DO NOTHING`. So the names of
//! these keys are stored beside their table, like its clustered index, and INSERTs are written accordingly. UPDATE and
//! MERGE fail on duplicates.
//!
//! Limit: if several keys of a table have this option, all its keys must have it.

use crate::changes::change::Returned;
use crate::objects::modules;
use crate::session::Inner;
use crate::session::scope::{Names, is_global, is_temporary};
use crate::statements::errors::raised;
use crate::statements::query::Plan;
use crate::statements::runner::Runner;
use mainstay_engine::definitions::TableDefinition;
use mainstay_tsql_syntax::reduce::{IgnoredKeys, Scope};
use mainstay_tsql_syntax::tree::{AlterIndex, KeyKind, Name, ObjectName, Phrase, PhraseItem, TableElement};
use mainstay_tsql_types::Message;
use mainstay_types::Value;
use mainstay_vm::Raised;
use std::sync::Arc;

/// The kind of a row that keeps such a key: its table is the parent, and its name the name.
pub(crate) const IGNORED: &str = "IK";
pub(crate) const IGNORED_PREFIX: &str = "ignored:";

impl Names<'_> {
    /// The names of such keys of a table, in lower case.
    fn ignored(&self, name: &ObjectName) -> Vec<String> {
        if let Some(said) = self.temporary_indexes(name) {
            return said.ignored.to_vec();
        }
        let name = self.modules.synonym(name).unwrap_or(name);
        self.modules.kept().ignored.get(&modules::key_of(name)).cloned().unwrap_or_default()
    }

    /// See [`Scope::ignored_keys`].
    pub(crate) fn ignored_of_table(&self, name: &ObjectName) -> IgnoredKeys {
        let ignored = self.ignored(name);
        if ignored.is_empty() {
            return IgnoredKeys::None;
        }
        let Ok(core) = self.table(name) else { return IgnoredKeys::None };
        let of = |table: &TableDefinition| {
            let mut all = keys(table);
            let is_ignored = |key: &&str| ignored.contains(&key.to_lowercase());
            match (all.clone().all(|key| is_ignored(&key)), all.clone().filter(is_ignored).count()) {
                (true, _) => IgnoredKeys::All,
                (false, 0) => IgnoredKeys::None,
                (false, 1) => all.find(is_ignored).map_or(IgnoredKeys::None, |key| IgnoredKeys::One(key.to_owned())),
                (false, _) => IgnoredKeys::Some,
            }
        };
        self.with_definition(&core, of).unwrap_or_default()
    }
}

/// The names of a table's unique keys.
fn keys(table: &TableDefinition) -> impl Iterator<Item = &str> + Clone {
    let constraints = table.primary_key.iter().chain(&table.unique).map(|key| key.name.as_str());
    constraints.chain(table.indexes.iter().filter(|index| index.unique).map(|index| index.name.as_str()))
}

/// The value of IGNORE_DUP_KEY in a list of options; the old form of CREATE INDEX is the bare word.
pub(crate) fn ignores(options: &[Phrase]) -> Option<bool> {
    let option = options.iter().find(|option| option.starts("IGNORE_DUP_KEY"))?;
    Some(!option.items.iter().any(|item| matches!(item, PhraseItem::Word(word) if word.is("OFF"))))
}

impl Inner {
    /// Keeps what the elements of a table that were just made say of their indexes.
    pub(crate) fn note_indexes(&mut self, table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        self.note_clustered(table, elements)?;
        self.note_ignored(table, elements)
    }

    fn note_ignored(&mut self, table: &ObjectName, elements: &[TableElement]) -> Result<(), Box<Raised>> {
        for (index, name, column) in crate::definitions::clustered::indexes_of(elements) {
            if index.key == KeyKind::None || ignores(&index.options) != Some(true) {
                continue;
            }
            let name = match name {
                Some(name) => Some(name.text.clone()),
                None => self.name_of_index(table, index, column),
            };
            name.map_or(Ok(()), |name| self.set_ignored(table, &name, true))?;
        }
        Ok(())
    }

    /// Keeps whether a key is such a one.
    pub(crate) fn set_ignored(&mut self, table: &ObjectName, index: &str, is_on: bool) -> Result<(), Box<Raised>> {
        let (last, index) = (table.last(), index.to_lowercase());
        let mut known = self.names(&[]).ignored(table);
        if known.contains(&index) == is_on {
            return Ok(());
        }
        if is_temporary(last) && !is_global(last) {
            known.retain(|known| *known != index);
            known.extend(is_on.then_some(index));
            if let Some(table) = self.state.temporary_mut(last) {
                table.said.ignored = Arc::from(known);
            }
            return Ok(());
        }
        let parent = modules::key_of(table);
        let key = format!("{IGNORED_PREFIX}{}", crate::catalog::key_of_column(&parent, &index));
        match is_on {
            true => modules::keep_row(&mut self.core, &key, &index, IGNORED, &parent, &index),
            false => modules::forget(&mut self.core, &key),
        }
        .map_err(raised)?;
        self.objects_changed()
    }

    /// A key has another name.
    pub(crate) fn rename_ignored(&mut self, table: &ObjectName, from: &str, to: &str) -> Result<(), Box<Raised>> {
        if !self.names(&[]).ignored(table).contains(&from.to_lowercase()) {
            return Ok(());
        }
        self.set_ignored(table, from, false)?;
        self.set_ignored(table, to, true)
    }

    /// `ALTER INDEX ... SET (IGNORE_DUP_KEY = ON)`, or REBUILD WITH it; what else is said changes nothing.
    pub(crate) fn alter_index(&mut self, alter: &AlterIndex) -> Result<(), Box<Raised>> {
        let Some(is_on) = said_by(&alter.action) else { return Ok(()) };
        let core = self.names(&[]).table(&alter.table).map_err(raised)?;
        let is_meant = |key: &&str| alter.name.as_ref().is_none_or(|name: &Name| name.is(key));
        let meant = |table: &TableDefinition| keys(table).filter(is_meant).map(str::to_owned).collect::<Vec<_>>();
        let meant = self.names(&[]).with_definition(&core, meant).unwrap_or_default();
        meant.iter().try_for_each(|key| self.set_ignored(&alter.table, key, is_on))
    }
}

/// The value of IGNORE_DUP_KEY in the words of ALTER INDEX.
fn said_by(action: &Phrase) -> Option<bool> {
    let of_group = |item: &PhraseItem| match item {
        PhraseItem::Group(options) => ignores(options),
        _ => None,
    };
    action.items.iter().find_map(of_group)
}

impl Runner<'_> {
    /// Runs a change of the core, and reports the rows that it has skipped, if there were any.
    pub(crate) fn run_change(&mut self, plan: &mut Plan, values: &[Value]) -> Result<(u64, Returned), Box<Raised>> {
        let done = self.run_core_change(plan, values)?;
        let ignores = plan.change.as_ref().is_some_and(|change| change.ignores_keys);
        if ignores && self.inner.core.rows_left_out() > 0 {
            self.message(Message::numbered(3604, &[]));
        }
        Ok(done)
    }
}
