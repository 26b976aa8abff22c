//! Bulk loads: the rows behind an `INSERT BULK`. Triggers do not run, which is what SQL Server does unless it is asked.
//! A NULL is a column's default, if it has one, unless KEEP_NULLS is said.

use crate::scope::column_has_default;
use crate::session::Inner;
use mainstay_base::{Value, ValueRef};
use mainstay_engine::Prepared;
use mainstay_mssql::Message;
use mainstay_tds::{BulkRows, Column};
use mainstay_tsql::reduce;
use mainstay_tsql::tree::{Phrase, PhraseItem};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Statements for rows with different defaults that are kept.
const KEPT: usize = 200;

/// What an INSERT BULK has announced.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The core's name of the table.
    pub(crate) table: String,
    /// The columns that come; none for those that the rows name.
    pub(crate) columns: Vec<String>,
    /// Whether a NULL is NULL where the column has a default.
    pub(crate) keeps_nulls: bool,
}

/// Whether KEEP_NULLS stands among what follows the name of an INSERT BULK.
pub(crate) fn keeps_nulls(items: &[PhraseItem]) -> bool {
    let says = |phrase: &Phrase| phrase.starts("KEEP_NULLS");
    items.iter().any(|item| matches!(item, PhraseItem::Group(phrases) if phrases.iter().any(says)))
}

fn insert_text(table: &str, named: &[String], given: &[usize]) -> String {
    if given.is_empty() {
        return format!("INSERT INTO {table} DEFAULT VALUES");
    }
    let names: Vec<String> =
        given.iter().filter_map(|place| named.get(*place)).map(|name| reduce::quoted(name)).collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), vec!["?"; names.len()].join(", "))
}

impl Inner {
    /// Which of these columns have a default.
    fn places_with_default(&mut self, table: &str, named: &[String]) -> Vec<usize> {
        let names = self.names(&[]);
        let found = names.with_definition(table, |definition| {
            (0..named.len()).filter(|place| column_has_default(definition, &named[*place])).collect()
        });
        found.unwrap_or_default()
    }

    /// Rows of a bulk load, into the table of the `INSERT BULK` before it.
    pub(crate) fn bulk_insert(&mut self, columns: &[Column], rows: &mut dyn BulkRows) -> Result<u64, Message> {
        let Some(Target { table, columns: named, keeps_nulls }) = self.state.bulk_target.take() else {
            return Err(Message::error(4002, "The incoming tabular data stream (TDS) protocol stream is incorrect."));
        };
        let named = if named.is_empty() { columns.iter().map(|column| column.name.clone()).collect() } else { named };
        let with_default = match keeps_nulls {
            true => Vec::new(),
            false => self.places_with_default(&table, &named),
        };
        let failed = |error: mainstay_base::Error| crate::errors::message_of(&error);
        let mut statements: HashMap<Vec<usize>, Prepared> = HashMap::new();
        let own = self.state.transactions == 0;
        if own {
            self.core.execute("BEGIN").map_err(failed)?;
        }
        let mut work = |core: &mut mainstay_engine::Session| -> Result<u64, Message> {
            let mut count = 0;
            while let Some(row) = rows.next_row()? {
                let is_left_out = |place: &usize| with_default.contains(place) && row.get(*place) == Some(&Value::Null);
                let given: Vec<usize> = (0..row.len().min(named.len())).filter(|place| !is_left_out(place)).collect();
                let values: Vec<ValueRef<'_>> = given.iter().map(|place| row[*place].as_ref()).collect();
                if statements.len() > KEPT {
                    statements.clear();
                }
                let prepared = match statements.entry(given) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        let text = insert_text(&table, &named, new.key());
                        new.insert(core.prepare(&text).map_err(failed)?)
                    }
                };
                prepared.execute(core, &values).map_err(failed)?;
                count += 1;
            }
            Ok(count)
        };
        let outcome = work(&mut self.core);
        if own {
            let word = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
            self.core.execute(word).map_err(failed)?;
        }
        outcome
    }
}
