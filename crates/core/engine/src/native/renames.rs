//! Renames, and the views that depend on renamed objects; ALTER SEQUENCE.
//!
//! Definitions refer to each other by number, except for the texts of views and of calls of `nextval`, which contain
//! names. These texts follow a rename: a view keeps its rows and its column names
//! ([`mainstay_planner::query_with_renamed_table`]). Each view over a renamed object is planned before and after; if a
//! view cannot be planned any more, the statement is refused and its transaction rolled back.
//!
//! An altered sequence gets a new number. So values that other transactions take in the meantime and a rollback of the
//! statement do not interfere.

use super::change::Changer;
use super::define::{Definitions, owner_of};
use super::scope::{key_in, schema_of};
use super::{Scope, key_of};
use crate::writable::Changed;
use arrow_schema::Schema;
use mainstay_planner::{
    AlterSequence, Answer, DEFAULT_SCHEMAS, Name, Rename, RenameKind, SequenceChanges, query_names,
    query_with_renamed_column, query_with_renamed_table, unknown_sequence, with_renamed_sequence,
};
use mainstay_store::Transaction;
use mainstay_store::files::catalog::{Catalog, CatalogChange, SequenceDefinition, TableDefinition, ViewDefinition};
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;

impl Changer<'_> {
    /// Renames a table, a view or a column, and has views follow; `work` is what renames it.
    ///
    /// Errors: `Unsupported` when a view could not follow, and those of `work`.
    pub(super) fn renamed(
        &self,
        transaction: &mut Transaction,
        key: &str,
        follow: impl Fn(&ViewDefinition) -> Result<Option<String>>,
        work: impl FnOnce(&mut Transaction) -> Result<()>,
    ) -> Result<()> {
        let before = self.native.scope(transaction);
        let catalog = Definitions::shared(self.native).catalog(transaction);
        let dependent = dependent_views(&catalog, key)?;
        let working: Vec<u64> =
            dependent.iter().filter(|view| self.is_planned(&before, view)).map(|view| view.id).collect();
        work(transaction)?;
        let shared = Definitions::shared(self.native);
        let names_it = |view: &&ViewDefinition| query_names(&view.text, key);
        for view in dependent {
            if names_it(&view)?
                && let Some(text) = follow(view)?
                && let Some(now) = shared.catalog(transaction).views.iter().find(|known| known.id == view.id)
            {
                let followed = ViewDefinition { text, ..now.clone() };
                shared.change_catalog(transaction, CatalogChange::PutView(followed))?;
            }
        }
        let after = self.native.scope(transaction);
        let catalog = Arc::clone(&after.definitions().shared);
        let is_broken = |view: &&ViewDefinition| working.contains(&view.id) && !self.is_planned(&after, view);
        let broken: Vec<&str> = catalog.views.iter().filter(is_broken).map(|view| view.name.as_str()).collect();
        match broken.is_empty() {
            true => Ok(()),
            false => {
                let error = Error::new(Code::Unsupported, format!("views need the old name: {}", broken.join(", ")));
                Err(error.hint("drop them first, and create them again with the new name"))
            }
        }
    }

    /// Returns true if a view can be planned.
    fn is_planned(&self, scope: &Scope, view: &ViewDefinition) -> bool {
        let key = key_in(&scope.definitions().shared, view.schema, &view.name);
        let name: Vec<String> = key.split('.').map(|part| format!("\"{}\"", part.replace('"', "\"\""))).collect();
        self.folder.plan(&format!("SELECT * FROM {}", name.join(".")), scope.shared()).is_ok()
    }

    /// How a view follows a table or view that gets another name.
    pub(super) fn follow_table(key: &str, to: Name) -> impl Fn(&ViewDefinition) -> Result<Option<String>> {
        move |view| query_with_renamed_table(&view.text, key, &to)
    }

    /// How a view follows a column that gets another name.
    pub(super) fn follow_column(
        key: &str,
        table: &TableDefinition,
        from: &Name,
        to: &Name,
    ) -> impl Fn(&ViewDefinition) -> Result<Option<String>> {
        let columns: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        let (from, to) = (from.key.clone(), to.key.clone());
        move |view| query_with_renamed_column(&view.text, key, &columns, (&from, &to))
    }

    /// ALTER ... RENAME TO of what is no table.
    ///
    /// Errors: `UnknownTable`, `Duplicate`, and `Unsupported` when a view could not follow.
    pub(crate) fn rename(&self, transaction: &mut Transaction, rename: &Rename) -> Result<Changed<Answer>> {
        let done = match rename.kind {
            RenameKind::View => self.rename_view(transaction, rename),
            RenameKind::Index => self.rename_index(transaction, rename),
            RenameKind::Sequence => self.rename_sequence(transaction, rename),
        };
        match done {
            Err(error) if error.code() == Code::UnknownTable && rename.if_exists => {}
            done => done?,
        }
        Ok(Changed::Done(Answer::of(Arc::new(Schema::empty()), Vec::new())))
    }

    fn rename_view(&self, transaction: &mut Transaction, rename: &Rename) -> Result<()> {
        let shared = Definitions::shared(self.native);
        let (catalog, key) = (shared.catalog(transaction), key_of(&rename.name));
        let found = catalog.views.iter().find(|view| key_in(&catalog, view.schema, &view.name) == key);
        let Some(view) = found else {
            return Err(Error::new(Code::UnknownTable, format!("there is no view {}", rename.name)));
        };
        let to = in_schema_of(&catalog, view.schema, &rename.to)?;
        let renamed = ViewDefinition { name: rename.to.written.clone(), ..view.clone() };
        self.renamed(transaction, &key, Self::follow_table(&key, to.clone()), |transaction| {
            shared.is_taken(&catalog, &to, to.key == rename.name.key)?;
            shared.change_catalog(transaction, CatalogChange::PutView(renamed))
        })
    }

    fn rename_index(&self, transaction: &mut Transaction, rename: &Rename) -> Result<()> {
        let own = Definitions::own(self.native, transaction);
        let places = own.has_own().then_some(own).into_iter().chain([Definitions::shared(self.native)]);
        for place in places {
            let catalog = place.catalog(transaction);
            let Some(mut table) = catalog.tables.iter().find(|table| has_index(table, &rename.name)).cloned() else {
                continue;
            };
            if rename.to.key != rename.name.key && has_index(&table, &Name::new(&rename.to.written)) {
                let message = format!("the table {} has an index {} already", table.name, rename.to);
                return Err(Error::new(Code::Duplicate, message));
            }
            let names = index_names_mut(&mut table).filter(|name| name.to_lowercase() == rename.name.key);
            names.for_each(|name| *name = rename.to.written.clone());
            return place.change_catalog(transaction, CatalogChange::PutTable(table));
        }
        Err(Error::new(Code::UnknownTable, format!("there is no index {}", rename.name)))
    }

    fn rename_sequence(&self, transaction: &mut Transaction, rename: &Rename) -> Result<()> {
        let shared = Definitions::shared(self.native);
        let (catalog, key) = (shared.catalog(transaction), key_of(&rename.name));
        let sequence = sequence_named(&catalog, &rename.name)?;
        let to = in_schema_of(&catalog, sequence.schema, &rename.to)?;
        let is_taken = |known: &SequenceDefinition| {
            known.id != sequence.id && key_in(&catalog, known.schema, &known.name) == key_of(&to)
        };
        if catalog.sequences.iter().any(is_taken) {
            return Err(Error::new(Code::Duplicate, format!("there is a sequence {to} already")));
        }
        let renamed = SequenceDefinition { name: rename.to.written.clone(), ..sequence.clone() };
        self.put_sequence(transaction, &key, (&to, renamed))
    }

    /// Gives the sequence that is looked up by `key` another name or schema, with the texts that name it.
    pub(super) fn put_sequence(
        &self,
        transaction: &mut Transaction,
        key: &str,
        (to, renamed): (&Name, SequenceDefinition),
    ) -> Result<()> {
        let shared = Definitions::shared(self.native);
        let catalog = shared.catalog(transaction);
        shared.change_catalog(transaction, CatalogChange::PutSequence(renamed))?;
        for table in &catalog.tables {
            let mut table = table.clone();
            let mut is_changed = false;
            let texts = table.columns.iter_mut().flat_map(|column| {
                let computed = column.computed.iter_mut().map(|computed| &mut computed.text);
                column.default.iter_mut().chain(column.check.iter_mut()).chain(computed)
            });
            for text in texts.chain(table.checks.iter_mut().map(|check| &mut check.text)) {
                if let Some(renamed) = with_renamed_sequence(text, false, key, to)? {
                    (*text, is_changed) = (renamed, true);
                }
            }
            if is_changed {
                shared.change_catalog(transaction, CatalogChange::PutTable(table))?;
            }
        }
        for view in &catalog.views {
            if let Some(text) = with_renamed_sequence(&view.text, true, key, to)? {
                let followed = ViewDefinition { text, ..view.clone() };
                shared.change_catalog(transaction, CatalogChange::PutView(followed))?;
            }
        }
        Ok(())
    }

    /// ALTER SEQUENCE.
    ///
    /// Errors: `UnknownTable`; `InvalidValue` for bounds and values that do not go together.
    pub(crate) fn alter_sequence(
        &self,
        transaction: &mut Transaction,
        alter: &AlterSequence,
    ) -> Result<Changed<Answer>> {
        let shared = Definitions::shared(self.native);
        let catalog = shared.catalog(transaction);
        let old = match sequence_named(&catalog, &alter.name) {
            Err(_) if alter.if_exists => return Ok(Changed::Done(Answer::of(Arc::new(Schema::empty()), Vec::new()))),
            found => found?,
        };
        let mut new = altered(old, &alter.changes);
        if let Some(owner) = &alter.changes.owned_by {
            new.owned_by = owner.as_ref().map(|owner| owner_of(&catalog, owner)).transpose()?;
        }
        let upcoming = self.native.store().upcoming_value(old);
        let next = match alter.changes.restart {
            Some(value) => Some(value.unwrap_or(new.start)),
            None => going_on(old, &new, upcoming),
        };
        check(&new, next)?;
        new.id = shared.take_id();
        shared.change_catalog(transaction, CatalogChange::PutSequence(new.clone()))?;
        for table in &catalog.tables {
            let mut table = table.clone();
            let identities = table.columns.iter_mut().filter_map(|column| column.identity.as_mut());
            let mut mine = identities.filter(|identity| identity.sequence == old.id).peekable();
            if mine.peek().is_none() {
                continue;
            }
            mine.for_each(|identity| identity.sequence = new.id);
            shared.change_catalog(transaction, CatalogChange::PutTable(table))?;
        }
        shared.change_catalog(transaction, CatalogChange::DropSequence(old.id))?;
        match next {
            Some(next) => self.native.store().set_value(&new, next, false)?,
            // All its values are given: behind the last of them.
            None => {
                let last = if new.increment > 0 { new.maximum } else { new.minimum };
                self.native.store().set_value(&SequenceDefinition { cycle: false, ..new.clone() }, last, true)?;
            }
        }
        self.given.follow(old.id, new.id);
        Ok(Changed::Done(Answer::of(Arc::new(Schema::empty()), Vec::new())))
    }
}

/// The views that are made of a table or view, of those views, and so on.
pub(super) fn dependent_views<'c>(catalog: &'c Catalog, key: &str) -> Result<Vec<&'c ViewDefinition>> {
    let mut found: Vec<&ViewDefinition> = Vec::new();
    let mut keys = vec![key.to_owned()];
    while let Some(key) = keys.pop() {
        for view in &catalog.views {
            if found.iter().all(|known| known.id != view.id) && query_names(&view.text, &key)? {
                found.push(view);
                keys.push(key_in(catalog, view.schema, &view.name));
            }
        }
    }
    Ok(found)
}

/// A new name in the schema that the thing is in.
///
/// Errors: `Unsupported` when it says another one.
pub(super) fn in_schema_of(catalog: &Catalog, schema: u64, to: &Name) -> Result<Name> {
    if to.schema.is_some() && schema_of(catalog, to)? != Some(schema) {
        return Err(Error::new(Code::Unsupported, format!("{to}: a new name does not move it to another schema")));
    }
    let known = catalog.schemas.iter().find(|known| known.id == schema).map(|known| known.name.to_lowercase());
    let schema = known.filter(|name| !DEFAULT_SCHEMAS.contains(&name.as_str()));
    Ok(Name { schema, ..to.clone() })
}

pub(super) fn sequence_named<'c>(catalog: &'c Catalog, name: &Name) -> Result<&'c SequenceDefinition> {
    let key = key_of(name);
    let found = catalog.sequences.iter().find(|known| key_in(catalog, known.schema, &known.name) == key);
    found.ok_or_else(|| unknown_sequence(&name.to_string()))
}

fn has_index(table: &TableDefinition, name: &Name) -> bool {
    let is_it = |known: &String| known.to_lowercase() == name.key;
    let keys = table.primary_key.iter().chain(&table.unique).map(|key| &key.name);
    let of_table = name.schema.as_ref().is_none_or(|of| *of == table.name.to_lowercase());
    of_table && table.indexes.iter().map(|index| &index.name).chain(keys).any(is_it)
}

fn index_names_mut(table: &mut TableDefinition) -> impl Iterator<Item = &mut String> {
    let keys = table.primary_key.iter_mut().chain(&mut table.unique).map(|key| &mut key.name);
    table.indexes.iter_mut().map(|index| &mut index.name).chain(keys)
}

/// The definition as it is from now on. A bound that is not said stays, unless the direction turns around or the type is
/// another one: then it is what a new sequence would have.
fn altered(old: &SequenceDefinition, changes: &SequenceChanges) -> SequenceDefinition {
    let increment = changes.increment.unwrap_or(old.increment);
    let (least, greatest) = changes.of_type.unwrap_or((i64::MIN, i64::MAX));
    let usual = if increment > 0 { (1.max(least), greatest) } else { (least, (-1).min(greatest)) };
    let bound = |said: Option<Option<i64>>, old: i64, usual: i64| match said {
        Some(said) => said.unwrap_or(usual),
        // A bound that was that of the old type becomes that of the new one; others stay.
        None if changes.of_type.is_some() && !(least..=greatest).contains(&old) => usual,
        None => old,
    };
    SequenceDefinition {
        start: changes.start.unwrap_or(old.start),
        increment,
        minimum: bound(changes.minimum, old.minimum, usual.0),
        maximum: bound(changes.maximum, old.maximum, usual.1),
        cycle: changes.cycle.unwrap_or(old.cycle),
        ..old.clone()
    }
}

/// The value that comes next when nothing is restarted: the last one that was given and the new step.
fn going_on(old: &SequenceDefinition, new: &SequenceDefinition, upcoming: Option<i64>) -> Option<i64> {
    let last = match upcoming {
        // None was given yet.
        Some(next) if next == old.start => return Some(next),
        Some(next) => next.checked_sub(old.increment),
        None => {
            let reach = if old.increment > 0 { old.maximum } else { old.minimum };
            let steps = i128::from(reach) - i128::from(old.start);
            let whole = steps / i128::from(old.increment) * i128::from(old.increment);
            i64::try_from(i128::from(old.start) + whole).ok()
        }
    };
    let next = last?.checked_add(new.increment);
    let wraps = if new.increment > 0 { new.minimum } else { new.maximum };
    match next.filter(|next| (new.minimum..=new.maximum).contains(next)) {
        None if new.cycle => Some(wraps),
        next => next,
    }
}

fn check(new: &SequenceDefinition, next: Option<i64>) -> Result<()> {
    let (minimum, maximum) = (new.minimum, new.maximum);
    let is_outside = |value: i64| !(minimum..=maximum).contains(&value);
    let refused = |message: String| Err(Error::new(Code::InvalidValue, message).at(format!("sequence {}", new.name)));
    if minimum >= maximum || is_outside(new.start) {
        return refused(format!("a sequence from {minimum} to {maximum} cannot start with {}", new.start));
    }
    match next.filter(|next| is_outside(*next)) {
        Some(next) => refused(format!("a sequence from {minimum} to {maximum} cannot go on with {next}")),
        None => Ok(()),
    }
}
