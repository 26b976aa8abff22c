//! Reading of the tables that hold modules.

use super::temporary::plain_name;
use super::{DEFAULT, DEFAULT_PREFIX, Object, TYPE_OF_USERS, TriggerSwitches, kind_of, read};
use crate::definitions::extended_properties::Kept;
use mainstay_types::{Result, ValueRef};
use std::collections::HashMap;

/// The contents of the tables of modules.
#[derive(Default)]
pub(super) struct Read {
    pub(super) objects: HashMap<String, Object>,
    pub(super) defaults: HashMap<String, String>,
    pub(super) switches: TriggerSwitches,
    pub(super) kept: Kept,
}

impl Read {
    /// Takes the rows of one of the tables, if it is there.
    pub(super) fn take_rows(&mut self, core: &mut mainstay_engine::Session, table: &str) -> Result<()> {
        if core.changeable_columns(plain_name(table))?.is_none() {
            return Ok(());
        }
        let mut statement = core.prepare(&format!("SELECT \"key\", name, kind, parent, \"text\" FROM {table}"))?;
        let mut rows = statement.query(core, &[])?;
        while let Some(row) = rows.next()? {
            let text = |column: usize| match row.get(column) {
                ValueRef::Text(text) => text.to_owned(),
                _ => String::new(),
            };
            if text(2) == DEFAULT {
                self.defaults.insert(text(0).trim_start_matches(DEFAULT_PREFIX).to_owned(), text(1));
            } else if self.switches.take(&text(2), &text(0), &text(1))
                || self.kept.take(&text(2), &text(0), &text(1), &text(3), &text(4))
            {
            } else if let Some(object) = read(text(4), kind_of(&text(2)).1) {
                let kind = kind_of(&text(2)).0.to_owned();
                let known_as = match kind.as_str() {
                    // Databases are there that keep types as all else.
                    "TT" | "UDT" if !text(0).starts_with(TYPE_OF_USERS) => format!("{TYPE_OF_USERS}{}", text(0)),
                    _ => text(0),
                };
                let object = Object { key: text(0), name: text(1), kind, parent: text(3), ..object };
                if object.belongs_to(table) {
                    self.objects.insert(known_as, object);
                }
            }
        }
        Ok(())
    }
}
