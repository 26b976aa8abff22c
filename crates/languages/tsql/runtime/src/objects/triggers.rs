//! Settings of triggers beside their texts: disabled triggers, and the first and the last trigger of a table.
//!
//! They are stored in the table of the modules, in rows of their own: `disabled:dbo.trg`, and `order:dbo.trg:update`
//! with `First` or `Last` as the name. Dropping the trigger, or its table, drops them.

use crate::objects::modules::{self, Object};
use crate::session::{Inner, object_name};
use crate::statements::errors::{raised, raised_error};
use mainstay_tsql_syntax::reduce::{self, Scope};
use mainstay_tsql_syntax::tree::{DefineKind, ObjectName, StatementKind, Trigger, TriggerTarget};
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;
use std::collections::{HashMap, HashSet};

const DISABLED: &str = "TD";
const ORDER: &str = "TO";
const EVENTS: [&str; 3] = ["insert", "update", "delete"];

/// The settings of triggers.
#[derive(Debug, Default)]
pub(crate) struct Switches {
    disabled: HashSet<String>,
    /// `dbo.trg:update`, and whether it runs first or last.
    order: HashMap<String, bool>,
}

impl Switches {
    /// Takes a row of the modules' table, if it is one of these.
    pub(crate) fn take(&mut self, kind: &str, key: &str, name: &str) -> bool {
        let Some((_, of)) = key.split_once(':') else { return false };
        match kind {
            DISABLED => self.disabled.insert(of.to_owned()),
            ORDER => self.order.insert(of.to_owned(), name.eq_ignore_ascii_case("First")).is_none(),
            _ => return false,
        };
        true
    }

    pub(crate) fn is_disabled(&self, trigger: &str) -> bool {
        self.disabled.contains(trigger)
    }

    /// The rank of a trigger among those of an event.
    pub(crate) fn rank(&self, trigger: &str, event: &str) -> u8 {
        if self.order.is_empty() {
            return 1;
        }
        match self.order.get(&format!("{trigger}:{}", event.to_lowercase())) {
            Some(true) => 0,
            Some(false) => 2,
            None => 1,
        }
    }
}

/// The keys of the rows that may be there for a trigger.
pub(crate) fn keys_of(trigger: &str) -> impl Iterator<Item = String> + '_ {
    std::iter::once(format!("disabled:{trigger}"))
        .chain(EVENTS.iter().map(move |event| format!("order:{trigger}:{event}")))
}

impl Inner {
    /// Locks the table whose triggers a transaction changes, until that ends: writers that wait for it must fire the
    /// new triggers.
    ///
    /// Errors: those of waiting.
    pub(crate) fn hold_for_triggers(&mut self, table: &ObjectName) -> Result<(), Box<Raised>> {
        if self.state.transactions == 0 {
            return Ok(());
        }
        let table = self.names(&[]).table(table).map_err(raised)?;
        self.core.hold_table(&table).map_err(raised_error)
    }

    /// Checks that such a trigger is possible, and keeps other sessions from writing its table until the transaction
    /// ends.
    ///
    /// Errors: 2111 for a second one instead of an event, 8197 for a table or view that is not there, 40515 for one of the database or the server.
    pub(crate) fn check_trigger(&mut self, trigger: &Trigger) -> Result<(), Box<Raised>> {
        let table = match &trigger.target {
            TriggerTarget::Table(table) => table,
            TriggerTarget::Database => return Ok(()),
            TriggerTarget::Server => return Err(raised(reduce::not_supported("A trigger of the server"))),
        };
        let (schema, view) = crate::session::scope::local_name(table);
        let is_of_catalog = schema.is_some() && crate::views::known(schema, view).is_some();
        if !is_of_catalog && self.names(&[]).columns(table).is_some() {
            self.hold_for_triggers(table)?;
            return self.check_one_instead(trigger, table);
        }
        let name = crate::definitions::define::shown_name(table);
        let text = format!("The object '{name}' does not exist or is invalid for this operation.");
        let mut error = raised(Message::error(8197, text).state(4));
        error.routine = Some(trigger.name.last().into());
        Err(error)
    }

    /// Errors: 2111 for a second trigger that runs instead of an event.
    fn check_one_instead(&self, trigger: &Trigger, table: &ObjectName) -> Result<(), Box<Raised>> {
        let own = modules::key_of(&trigger.name);
        let taken = |event: &&String| self.modules.triggers(table, event, true).iter().any(|other| other.key != own);
        let Some(event) = trigger.events.iter().filter(|_| trigger.instead).find(taken) else { return Ok(()) };
        let (verb, name) = match trigger.define {
            DefineKind::Alter => ("alter", trigger.name.last()),
            _ => ("create", trigger.name.last()),
        };
        let kind = if self.modules.view(table).is_some() { "view" } else { "table" };
        let shown = crate::definitions::define::shown_name(table);
        let mut error = raised(Message::numbered(2111, &[&verb, &name, &kind, &shown, event]));
        (error.routine, error.line) = (Some(name.into()), 1);
        Err(error)
    }

    /// ENABLE and DISABLE TRIGGER of a table, by its key, or of the database, whose key is empty; no names for all of its
    /// triggers.
    ///
    /// Errors: 15151 for a trigger that the table does not have.
    pub(crate) fn enable_triggers(
        &mut self,
        enable: bool,
        names: &[ObjectName],
        parent: &str,
    ) -> Result<(), Box<Raised>> {
        let is_own = |object: &&Object| object.parent == parent && object.kind == "TR";
        let own: Vec<Object> = self.modules.all().filter(is_own).cloned().collect();
        let mut chosen = Vec::new();
        for name in names {
            let found = own.iter().find(|object| object.key.rsplit('.').next() == Some(&name.last().to_lowercase()));
            chosen.push(found.cloned().ok_or_else(|| {
                let text = format!(
                    "Cannot find the trigger '{}', because it does not exist or you do not have permission.",
                    name.last()
                );
                raised(Message::error(15151, text))
            })?);
        }
        for trigger in if names.is_empty() { own } else { chosen } {
            let key = format!("disabled:{}", trigger.key);
            match enable {
                true => modules::forget(&mut self.core, &key),
                false => modules::keep_row(&mut self.core, &key, "", DISABLED, parent, ""),
            }
            .map_err(raised)?;
        }
        self.objects_changed()
    }

    /// `sp_settriggerorder`.
    ///
    /// Errors: 15165 for a trigger that is not there, 15125 for one that is not run by the statement, 15130 when another
    /// one has the place.
    pub(crate) fn order_trigger(&mut self, name: &str, order: &str, event: &str) -> Result<(), Box<Raised>> {
        let missing = || {
            let text = format!("Could not find object '{name}' or you do not have permission.");
            raised(Message::error(15165, text))
        };
        let object = self.modules.find(&object_name(name)).cloned().ok_or_else(missing)?;
        let StatementKind::Trigger(trigger) = &object.statement.kind else { return Err(missing()) };
        if trigger.instead || !trigger.events.iter().any(|of| of.eq_ignore_ascii_case(event)) {
            let text = format!("Trigger '{name}' is not a trigger for '{event}'.");
            return Err(raised(Message::error(15125, text)));
        }
        let event = event.to_lowercase();
        let key = format!("order:{}:{event}", object.key);
        if order.eq_ignore_ascii_case("None") {
            modules::forget(&mut self.core, &key).map_err(raised)?;
            return self.objects_changed();
        }
        let rank = if order.eq_ignore_ascii_case("First") { 0 } else { 2 };
        let others = self.modules.triggers_of(&object.parent);
        let taken = others.iter().any(|other| *other != object.key && self.modules.rank(other, &event) == rank);
        if taken {
            let text = format!("There already exists a '{order}' trigger for '{}'.", event.to_uppercase());
            return Err(raised(Message::error(15130, text)));
        }
        modules::keep_row(&mut self.core, &key, order, ORDER, &object.parent, "").map_err(raised)?;
        self.objects_changed()
    }

    /// `TRIGGER_NESTLEVEL`: how many triggers run, all or this one.
    pub(crate) fn trigger_level(&mut self, id: Option<i64>) -> i64 {
        let running: Vec<String> =
            self.state.levels.iter().filter_map(|level| level.trigger.as_ref().map(|key| key.to_string())).collect();
        let Some(id) = id.filter(|id| *id != 0) else { return running.len() as i64 };
        let Ok(catalog) = self.catalog() else { return 0 };
        let Some(object) = catalog.by_id(id) else { return 0 };
        let key = format!("{}.{}", catalog.schema_name(object.schema), object.name).to_lowercase();
        running.iter().filter(|known| **known == key).count() as i64
    }
}
