//! DBCC: commands about identity numbers (`identity`), the oldest transaction, the last request of a session, and its
//! options (`options`).
//!
//! Its other commands have nothing to do here, and report success.

use crate::changes::identity::whole_of;
use crate::columns::Column;
use crate::session::instance::Process;
use crate::statements::errors::raised;
use crate::statements::runner::Runner;
use mainstay_tsql_syntax::tree::{Name, Phrase};
use mainstay_tsql_types::convert::convert;
use mainstay_tsql_types::{Context, DataType, Length, Message};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::Raised;

impl Runner<'_> {
    /// DBCC.
    ///
    /// Errors: those of the command.
    pub(crate) fn dbcc(
        &mut self,
        command: &Name,
        arguments: Option<&[Phrase]>,
        options: &[Phrase],
    ) -> Result<(), Box<Raised>> {
        let is_quiet = options.iter().any(|option| option.starts("NO_INFOMSGS"));
        let arguments = arguments.unwrap_or_default();
        if command.is("CHECKIDENT") {
            self.check_identity(arguments, is_quiet)?;
        } else if command.is("OPENTRAN") {
            self.show_oldest_transaction(options.iter().any(|option| option.starts("TABLERESULTS")))?;
        } else if command.is("INPUTBUFFER") {
            self.show_request(arguments)?;
        } else if command.is("USEROPTIONS") {
            self.show_user_options()?;
        }
        if !is_quiet {
            self.note(
                2528,
                "DBCC execution completed. If DBCC printed error messages, contact your system administrator.",
            );
        }
        Ok(())
    }

    /// The session whose transaction is open for the longest time: in messages, or as rows.
    fn show_oldest_transaction(&mut self, as_rows: bool) -> Result<(), Box<Raised>> {
        let processes = self.inner.instance.processes().into_iter();
        let open = processes.filter(|process| process.activity.transactions() > 0);
        let oldest = open.min_by_key(|process| process.activity.request().transaction_since.0);
        let text = DataType::NVarChar(Length::Limited(256));
        let columns = [Column::new("Name", text), Column::new("Value", text)];
        let Some(oldest) = oldest else {
            if as_rows {
                return self.show_table(&columns, Vec::new());
            }
            self.note(7969, "No active open transactions.");
            return Ok(());
        };
        let since = Value::Timestamp(oldest.activity.request().transaction_since);
        // As SQL Server shows it: Nov 23 2026  8:05:42:123PM.
        let since = convert(&Context::default(), since.as_ref(), DataType::DateTime, text, Some(109));
        let since = since.map_or_else(|_| String::new(), |since| since.to_string());
        if as_rows {
            let spid = oldest.number.to_string();
            let rows = [
                ("OLDACT_SPID", &*spid),
                ("OLDACT_UID", "-1"),
                ("OLDACT_NAME", "user_transaction"),
                ("OLDACT_STARTTIME", &since),
            ];
            let rows = rows.map(|(name, value)| vec![Value::Text(name.to_owned()), Value::Text(value.to_owned())]);
            return self.show_table(&columns, rows.to_vec());
        }
        let database = format!("Transaction information for database '{}'.", self.inner.state.database);
        self.note(7968, &database);
        self.note(7970, "\nOldest active transaction:");
        self.note(7971, &format!("    SPID (server process ID): {}", oldest.number));
        self.note(7972, "    UID (user ID) : -1");
        self.note(7974, "    Name          : user_transaction");
        self.note(7977, &format!("    Start time    : {since}"));
        Ok(())
    }

    /// The last batch of a session, or the procedure that it has called.
    ///
    /// Errors: 7955 for a number that no session has.
    fn show_request(&mut self, arguments: &[Phrase]) -> Result<(), Box<Raised>> {
        let number = arguments.first().and_then(whole_of).unwrap_or(-1);
        let is_it = |process: &Process| i64::from(process.number) == number;
        let Some(process) = self.inner.instance.processes().into_iter().find(is_it) else {
            return Err(raised(Message::error(7955, format!("Invalid SPID {number} specified.")).state(2)));
        };
        let request = process.activity.request();
        let columns = [
            Column::new("EventType", DataType::NVarChar(Length::Limited(30))),
            Column::new("Parameters", DataType::SmallInt),
            Column::new("EventInfo", DataType::NVarChar(Length::Limited(4000))),
        ];
        let event = if request.is_call { "RPC Event" } else { "Language Event" };
        let row = vec![Value::Text(event.to_owned()), Value::Integer(0), Value::Text(request.text)];
        self.show_table(&columns, vec![row])
    }

    /// Rows for the client, or for the INSERT that takes them.
    pub(crate) fn show_table(&mut self, columns: &[Column], rows: Vec<Vec<Value>>) -> Result<(), Box<Raised>> {
        if let Some(captured) = self.inner.state.captured.last_mut() {
            return captured.take(columns, rows.into_iter());
        }
        self.columns(columns)?;
        rows.iter().try_for_each(|row| {
            let cells: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
            self.show_row(&cells)
        })
    }

    pub(crate) fn note(&mut self, number: i32, text: &str) {
        let message = Message { number, severity: 0, state: 1, text: text.to_owned(), procedure: None, line: 0 };
        self.message(message);
    }
}
