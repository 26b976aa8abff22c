//! Bulk loads: the rows behind an `INSERT BULK`. Triggers do not run, which is what SQL Server does unless it is asked.

use crate::session::Inner;
use mainstay_base::{Value, ValueRef};
use mainstay_mssql::Message;
use mainstay_tds::{BulkRows, Column};
use mainstay_tsql::reduce;

impl Inner {
    /// Rows of a bulk load, into the table of the `INSERT BULK` before it.
    pub(crate) fn bulk_insert(&mut self, columns: &[Column], rows: &mut dyn BulkRows) -> Result<u64, Message> {
        let Some((table, names)) = self.state.bulk_target.take() else {
            return Err(Message::error(4002, "The incoming tabular data stream (TDS) protocol stream is incorrect."));
        };
        let names = if names.is_empty() { columns.iter().map(|column| column.name.clone()).collect() } else { names };
        let names: Vec<String> = names.iter().map(|name| reduce::quoted(name)).collect();
        let marks = vec!["?"; names.len()].join(", ");
        let text = format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", "));
        let failed = |error: mainstay_base::Error| crate::errors::message_of(&error);
        let mut prepared = self.core.prepare(&text).map_err(failed)?;
        let own = self.state.transactions == 0;
        if own {
            self.core.execute("BEGIN").map_err(failed)?;
        }
        let mut work = |core: &mut mainstay_engine::Session| -> Result<u64, Message> {
            let mut count = 0;
            while let Some(row) = rows.next_row()? {
                let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
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
